//! The number of ranks of a launcher, from its environment variables.

/// Variables in which launchers give the number of processes.
const VARIABLES: [&str; 6] = [
    // Open MPI's mpirun
    "OMPI_COMM_WORLD_SIZE",
    // MPICH, Intel MPI, Cray, and Slurm's srun with PMI
    "PMI_SIZE",
    // MVAPICH
    "MV2_COMM_WORLD_SIZE",
    // Slurm's srun with any protocol; unlike SLURM_NTASKS it is 1 in the batch script itself, which is started once
    "SLURM_STEP_NUM_TASKS",
    // IBM's jsrun
    "JSM_NAMESPACE_SIZE",
    // Flux
    "FLUX_JOB_SIZE",
];

/// Number of processes started by mpirun, srun or another launcher; `None` if no launcher started this process.
///
/// A program built without MPI checks this number, because each of several processes would do all the work.
pub fn launched_ranks() -> Option<usize> {
    launched_in(|name| std::env::var(name).ok())
}

fn launched_in(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    VARIABLES.iter().find_map(|name| variable(name)?.trim().parse().ok().filter(|&count| count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(environment: &[(&str, &str)]) -> Option<usize> {
        launched_in(|name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn every_launcher_is_recognised() {
        assert_eq!(launched(&[("OMPI_COMM_WORLD_SIZE", "4")]), Some(4));
        assert_eq!(launched(&[("PMI_SIZE", "16"), ("PMI_RANK", "3")]), Some(16));
        assert_eq!(launched(&[("SLURM_NTASKS", "8"), ("SLURM_STEP_NUM_TASKS", "8")]), Some(8));
    }

    #[test]
    fn a_program_started_without_a_launcher_has_no_ranks() {
        assert_eq!(launched(&[]), None);
        assert_eq!(launched(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None, "a batch script is one process");
        assert_eq!(launched(&[("PMI_SIZE", "")]), None);
        assert_eq!(launched(&[("PMI_SIZE", "0")]), None);
    }
}
