//! Memory that is available to this process, and the limit that determines it.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::{Bytes, RunError};

/// The cause of a memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// Free memory of the machine.
    Machine,
    /// The limit of a control group: a container or a batch job.
    ControlGroup,
    /// The address-space limit of the process, RLIMIT_AS.
    AddressSpace,
    /// The data-segment limit of the process, RLIMIT_DATA.
    Data,
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "is available on this machine",
            Self::ControlGroup => "is available to this container or batch job (limit of its control group)",
            Self::AddressSpace => {
                "is available to this job (limit `ulimit -v` of each process, of which each thread reserves up to 71 MB)"
            }
            Self::Data => "is available to this job (limit `ulimit -d` of each process)",
        })
    }
}

/// Memory that can still be allocated, and the limit that determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AvailableMemory {
    /// Amount.
    pub bytes: Bytes,
    /// The limit.
    pub limit: MemoryLimit,
}

/// Memory that new allocations may use without swapping: the smallest of the limits of the machine, of the control groups around this
/// process (containers, batch systems; versions 1 and 2) and of the process itself (`ulimit`). `None` if the system reports none of them.
#[must_use]
pub fn available_memory() -> Option<AvailableMemory> {
    all_available(&status()).into_iter().min_by_key(|memory| memory.bytes)
}

/// Headroom of each limit that the system reports.
///
/// # Arguments
/// * `status` – the text of /proc/self/status
fn all_available(status: &str) -> Vec<AvailableMemory> {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let limits = read("/proc/self/limits");
    let known = [
        (MemoryLimit::Machine, kilobytes(&read("/proc/meminfo"), "MemAvailable")),
        (MemoryLimit::ControlGroup, group_headroom(Path::new("/sys/fs/cgroup"), &read("/proc/self/cgroup"))),
        (MemoryLimit::AddressSpace, process_headroom(&limits, "Max address space", status, "VmSize")),
        (MemoryLimit::Data, process_headroom(&limits, "Max data size", status, "VmData")),
    ];
    known.into_iter().filter_map(|(limit, bytes)| Some(AvailableMemory { bytes: Bytes(bytes?), limit })).collect()
}

fn status() -> String {
    fs::read_to_string("/proc/self/status").unwrap_or_default()
}

impl MemoryLimit {
    /// Memory of this process that counts against the limit [bytes].
    fn used(self, status: &str) -> u64 {
        let key = match self {
            Self::Machine | Self::ControlGroup => "VmRSS",
            Self::AddressSpace => "VmSize",
            Self::Data => "VmData",
        };
        kilobytes(status, key).unwrap_or(0)
    }
}

/// Address space that a thread reserves without necessarily using it: its allocation arena and its stack [bytes].
const RESERVED_BY_THREAD: u64 = (64 + 4) << 20;

/// Memory available when a job starts. Memory that the job allocates later does not reduce it, so a better estimate of its needs can be
/// checked later.
#[derive(Clone, Debug)]
pub struct Room {
    status: String,
    threads: u64,
    processes: u64,
    cure: &'static str,
}

/// What reduces the memory of a simulation.
const OF_SIMULATIONS: &str = "a lower `max_frequency`, a smaller domain, larger cells, fewer or shorter records";

impl Room {
    /// Records the current memory use.
    ///
    /// # Arguments
    /// * `threads` – number of threads that each process of the job will start
    /// * `processes` – number of processes of the job on this machine, assumed to need equal amounts; requirements are for all of them
    ///   together
    #[must_use]
    pub fn look(threads: usize, processes: usize) -> Self {
        Self { status: status(), threads: threads as u64, processes: processes as u64, cure: OF_SIMULATIONS }
    }

    /// The same room, for a job of which something else reduces the memory.
    ///
    /// # Arguments
    /// * `cure` – what reduces it, such as "fewer prisms"
    #[must_use]
    pub fn cured_by(self, cure: &'static str) -> Self {
        Self { cure, ..self }
    }

    /// Memory that all processes of the job may use in total, including what they have allocated since the start: the smallest of all
    /// limits. `None` if the system reports none.
    #[must_use]
    pub fn available(&self) -> Option<AvailableMemory> {
        let now = status();
        all_available(&now).into_iter().map(|memory| self.of_job(memory, &now)).min_by_key(|memory| memory.bytes)
    }

    /// Memory that all processes of the job may use under one limit, computed from the headroom that it leaves to this process.
    ///
    /// # Arguments
    /// * `now` – the text of /proc/self/status
    fn of_job(&self, AvailableMemory { bytes, limit }: AvailableMemory, now: &str) -> AvailableMemory {
        let taken = limit.used(now).saturating_sub(limit.used(&self.status));
        let bytes = match limit {
            MemoryLimit::Machine | MemoryLimit::ControlGroup => bytes.0 + self.processes * taken,
            // These limits apply to each process separately.
            MemoryLimit::AddressSpace => {
                let own = (bytes.0 + taken).saturating_sub(self.threads * RESERVED_BY_THREAD);
                own.saturating_mul(self.processes)
            }
            MemoryLimit::Data => (bytes.0 + taken).saturating_mul(self.processes),
        };
        AvailableMemory { bytes: Bytes(bytes), limit }
    }

    /// Refuses a job that needs more memory in total than is available. If the system reports no limit, the job is allowed.
    ///
    /// # Errors
    /// [`RunError::TooLittleMemory`] with the memory needed and the memory available.
    pub fn require(&self, needed: Bytes) -> Result<(), RunError> {
        match self.available() {
            Some(available) if available.bytes < needed => {
                Err(RunError::TooLittleMemory { needed, available, cure: self.cure })
            }
            _ => Ok(()),
        }
    }

    /// Memory that each process of the job may use: an equal share of the total.
    #[must_use]
    pub fn of_each(&self) -> Option<Bytes> {
        self.available().map(|available| Bytes(available.bytes.0 / self.processes))
    }

    /// As [`Room::require`], for the memory that each process of the job needs.
    ///
    /// # Errors
    /// As [`Room::require`].
    pub fn require_of_each(&self, needed: Bytes) -> Result<(), RunError> {
        self.require(Bytes(needed.0.saturating_mul(self.processes)))
    }
}

/// Parses a line `key:  123 kB` of a text such as /proc/meminfo; returns bytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Headroom of a limit of this process, in bytes; `None` without a limit.
///
/// # Arguments
/// * `limits`, `limit` – the text of /proc/self/limits, and the start of the line of this limit
/// * `status`, `used` – the text of /proc/self/status, and the key of the amount used
fn process_headroom(limits: &str, limit: &str, status: &str, used: &str) -> Option<u64> {
    let soft = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
    Some(soft.parse::<u64>().ok()?.saturating_sub(kilobytes(status, used).unwrap_or(0)))
}

/// A version of the kernel's control groups: mount point and names of their files.
struct Groups {
    /// Whether the controllers field of a line of /proc/self/cgroup (between its first and second colon) includes memory.
    is_memory: fn(&str) -> bool,
    /// Folder under the root of all control groups.
    folder: &'static str,
    limit: &'static str,
    used: &'static str,
    /// Key in `memory.stat` of the file pages that the kernel can reclaim.
    droppable: &'static str,
}

const VERSIONS: [Groups; 2] = [
    Groups {
        is_memory: |controllers| controllers.split(',').any(|controller| controller == "memory"),
        folder: "memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        droppable: "total_inactive_file ",
    },
    Groups {
        is_memory: str::is_empty,
        folder: "",
        limit: "memory.max",
        used: "memory.current",
        droppable: "inactive_file ",
    },
];

/// Headroom of the tightest control group around this process, in bytes; `None` without a limit.
///
/// # Arguments
/// * `root` – where the control groups are mounted
/// * `membership` – the text of /proc/self/cgroup: a line `4:memory:/a/b` (version 1) or `0::/a/b` (version 2) names the groups `/`, `/a`
///   and `/a/b`. Inside a container the path may be that of the host; groups that do not exist there are ignored.
fn group_headroom(root: &Path, membership: &str) -> Option<u64> {
    let groups = membership.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let version = VERSIONS.iter().find(|version| (version.is_memory)(controllers));
        let of_version = |version: &'static Groups| {
            let ancestors = Path::new(path.trim_start_matches('/')).ancestors();
            ancestors.map(move |path| version.headroom(&root.join(version.folder).join(path)))
        };
        version.map(of_version).into_iter().flatten()
    });
    groups.flatten().min()
}

impl Groups {
    /// Limit minus use of one control group; file pages that the kernel can reclaim do not count as used.
    fn headroom(&self, group: &Path) -> Option<u64> {
        let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let limit = number(self.limit)?;
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let droppable = stat.lines().find_map(|line| line.strip_prefix(self.droppable)?.trim().parse::<u64>().ok());
        let used = number(self.used)?.saturating_sub(droppable.unwrap_or(0));
        Some(limit.saturating_sub(used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read_in_bytes() {
        let text = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable"), Some(20_480_000_000));
        assert_eq!(kilobytes("MemTotal: 1 kB\n", "MemAvailable"), None);
    }

    #[test]
    fn used_memory_counts_against_the_limits_of_a_process() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         1048576000           2097152000           bytes     \n";
        let status = "VmPeak:\t  800000 kB\nVmSize:\t  600000 kB\nVmData:\t    292 kB\n";
        let left = |limit: &str, used: &str| process_headroom(limits, limit, status, used);
        assert_eq!(left("Max address space", "VmSize"), Some(1_048_576_000 - 614_400_000));
        assert_eq!(left("Max data size", "VmData"), None);
        assert_eq!(process_headroom("", "Max data size", "", "VmData"), None);
    }

    #[test]
    fn the_tightest_control_group_counts_and_its_file_cache_does_not() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("batch/memory.max", "max\n");
        write("batch/job7/memory.max", "8000\n");
        write("batch/job7/memory.current", "5000\n");
        write("batch/job7/memory.stat", "anon 3000\ninactive_file 2000\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/memory.usage_in_bytes", "7000\n");
        write("memory/old/memory.limit_in_bytes", "6000\n");
        write("memory/old/memory.usage_in_bytes", "2500\n");
        write("memory/old/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
        let left = |membership: &str| group_headroom(root.path(), membership);
        assert_eq!(left("0::/batch/job7\n"), Some(5000));
        assert_eq!(left("0::/batch\n"), None);
        assert_eq!(left("9:name=systemd:/\n4:memory:/old/job\n0::/\n"), Some(4000));
        assert_eq!(left("4:cpu,memory:/old\n0::/batch/job7\n"), Some(4000));
        assert_eq!(left("5:devices:/old\n"), None);
        // A path of the host, seen from inside a container.
        assert_eq!(left("4:memory:/docker/0123\n"), Some(9_223_372_036_854_771_712 - 7000));
    }

    #[test]
    fn memory_allocated_by_the_job_does_not_reduce_its_room() {
        let room = Room::look(1, 1);
        let Some(before) = room.available() else { return };
        room.require(Bytes(1)).unwrap();
        let of_two = Room::look(1, 2);
        of_two.require_of_each(Bytes(1)).unwrap();
        assert!(of_two.require_of_each(Bytes(1 << 60)).unwrap_err().to_string().contains("2306 PB of memory"));
        assert!(of_two.of_each().unwrap() < before.bytes);
        let error = room.require(Bytes(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("1153 PB of memory and ") && error.contains(" this "), "{error}");
        let taken = std::hint::black_box(vec![1_u8; 400_000_000]);
        let (left, after) = (available_memory().unwrap(), room.available().unwrap());
        // Other processes may allocate or free memory in the meantime.
        assert!(after.bytes.0 > left.bytes.0 + 300_000_000, "{before:?} {left:?} {after:?} {}", taken.len());
    }

    #[test]
    fn a_limit_per_process_applies_to_each_process_of_a_job() {
        let text = |kilobytes: u64| format!("VmSize: {kilobytes} kB\nVmData: {kilobytes} kB\nVmRSS: {kilobytes} kB\n");
        let room = Room { status: text(1000), threads: 2, processes: 8, cure: OF_SIMULATIONS };
        let of_job = |limit| room.of_job(AvailableMemory { bytes: Bytes(1_000_000_000), limit }, &text(3000)).bytes.0;
        let own = 1_000_000_000 + 2000 * 1024;
        assert_eq!(of_job(MemoryLimit::Data), 8 * own);
        assert_eq!(of_job(MemoryLimit::AddressSpace), 8 * (own - 2 * RESERVED_BY_THREAD));
        assert_eq!(of_job(MemoryLimit::Machine), 1_000_000_000 + 8 * 2000 * 1024);
    }

    #[test]
    fn the_display_names_the_limit() {
        if let Some(memory) = available_memory() {
            assert!(memory.bytes > Bytes(0));
            assert!(memory.limit.to_string().contains(" this "), "{}", memory.limit);
        }
    }
}
