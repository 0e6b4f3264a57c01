//! The ranks of one machine, and how they share its cores and GPUs.

use craton_comm::Ranks;

use crate::error::Error;

/// A rank on its machine.
#[derive(Debug, Clone, Copy)]
pub struct LocalRank {
    /// Index on the machine.
    pub number: usize,
    /// Number of ranks on the machine.
    pub ranks: usize,
    /// Number of ranks of the run.
    pub of_run: usize,
    /// Number of ranks that may use the same cores, including this one: 1 if the launcher binds ranks to separate
    /// cores.
    pub on_same_cores: usize,
}

impl LocalRank {
    /// This rank's place among the ranks; a collective operation.
    ///
    /// # Errors
    /// A lost rank.
    pub fn new(ranks: &dyn Ranks) -> Result<Self, Error> {
        let hosts = ranks.all_gather(ranks.host().as_bytes())?;
        let cores = ranks.all_gather(allowed_cores().as_bytes())?;
        Ok(Self::of(ranks.rank(), &hosts, &cores))
    }

    /// The place among ranks on these hosts with these allowed cores.
    pub(super) fn of(rank: usize, hosts: &[Vec<u8>], cores: &[Vec<u8>]) -> Self {
        let is_here = |other: &usize| hosts[*other] == hosts[rank];
        Self {
            number: (0..rank).filter(is_here).count(),
            ranks: (0..hosts.len()).filter(is_here).count(),
            of_run: hosts.len(),
            on_same_cores: (0..hosts.len()).filter(is_here).filter(|other| cores[*other] == cores[rank]).count(),
        }
    }

    /// This rank's share of the machine's GPUs: the same number for each rank, or one GPU for several ranks if there
    /// are fewer.
    pub(super) fn share(self, all: &[usize]) -> Vec<usize> {
        let each = (all.len() / self.ranks).max(1);
        all.iter().cycle().skip(self.number * each).take(each.min(all.len())).copied().collect()
    }

    /// Largest number of ranks to which [`LocalRank::share`] assigns the same GPU.
    pub(super) fn on_each_of(self, all: usize) -> usize {
        self.ranks.div_ceil(all.max(1))
    }
}

/// The cores that this process may use, in the notation of the system: `0-3,8-11`; empty if unknown.
fn allowed_cores() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}
