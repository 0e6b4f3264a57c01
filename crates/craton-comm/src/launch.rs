//! Which ranks a launcher has started, as its environment says.

use crate::error::CommError;
use crate::ranks::Ranks;
use crate::solo::Solo;

/// Variables in which launchers tell every process how many there are.
const VARIABLES: [&str; 6] = [
    // Open MPI's mpirun
    "OMPI_COMM_WORLD_SIZE",
    // MPICH, Intel MPI, Cray, and Slurm's srun with PMI
    "PMI_SIZE",
    // MVAPICH
    "MV2_COMM_WORLD_SIZE",
    // Slurm's srun whatever it speaks; unlike SLURM_NTASKS it is 1 in the batch script itself, which is not started n times
    "SLURM_STEP_NUM_TASKS",
    // IBM's jsrun
    "JSM_NAMESPACE_SIZE",
    // Flux
    "FLUX_JOB_SIZE",
];

/// Number of processes that mpirun, srun or another launcher has started this one among, if it was started by one.
///
/// For a program that is built without MPI: n of it would each do the whole work.
pub fn launched_ranks() -> Option<usize> {
    launched_in(|name| std::env::var(name).ok())
}

/// The ranks that this process was started among: those of MPI, or itself alone.
///
/// MPI is left alone unless a launcher has started several ranks, so a program that is built with it runs without it, too.
///
/// # Errors
/// [`CommError::WithoutMpi`] when several were started and this program was built without MPI; what starting MPI may say.
pub fn join_run() -> Result<Box<dyn Ranks>, CommError> {
    join(launched_ranks())
}

fn join(launched: Option<usize>) -> Result<Box<dyn Ranks>, CommError> {
    match launched {
        None | Some(1) => Ok(Box::new(Solo)),
        Some(launched) => join_launched(launched),
    }
}

#[cfg(feature = "mpi")]
fn join_launched(_launched: usize) -> Result<Box<dyn Ranks>, CommError> {
    Ok(Box::new(crate::Mpi::init()?))
}

#[cfg(not(feature = "mpi"))]
fn join_launched(launched: usize) -> Result<Box<dyn Ranks>, CommError> {
    Err(CommError::WithoutMpi { launched })
}

fn launched_in(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    VARIABLES.iter().find_map(|name| variable(name)?.trim().parse().ok().filter(|&count| count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_alone_needs_no_mpi() {
        for launched in [None, Some(1)] {
            assert_eq!(join(launched).unwrap().count(), 1);
        }
    }

    #[cfg(not(feature = "mpi"))]
    #[test]
    fn without_mpi_several_ranks_are_refused() {
        assert_eq!(join(Some(3)).unwrap_err(), CommError::WithoutMpi { launched: 3 });
    }

    fn launched(environment: &[(&str, &str)]) -> Option<usize> {
        launched_in(|name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn every_launcher_is_understood() {
        assert_eq!(launched(&[("OMPI_COMM_WORLD_SIZE", "4")]), Some(4));
        assert_eq!(launched(&[("PMI_SIZE", "16"), ("PMI_RANK", "3")]), Some(16));
        assert_eq!(launched(&[("SLURM_NTASKS", "8"), ("SLURM_STEP_NUM_TASKS", "8")]), Some(8));
    }

    #[test]
    fn a_program_started_by_hand_has_no_ranks() {
        assert_eq!(launched(&[]), None);
        assert_eq!(launched(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None, "a batch script is one process");
        assert_eq!(launched(&[("PMI_SIZE", "")]), None);
        assert_eq!(launched(&[("PMI_SIZE", "0")]), None);
    }
}
