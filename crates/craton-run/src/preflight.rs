//! Refusals that cost nothing: too little memory or disk is said before the work starts.

use crate::{Bytes, RunError};
use std::fs;
use std::path::Path;

/// Memory that a new allocation may use without swapping, within the limits of the machine and of its control groups (containers, batch
/// systems); `None` where the system does not tell.
#[must_use]
pub fn available_memory() -> Option<Bytes> {
    let machine = meminfo_available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = fs::read_to_string("/proc/self/cgroup")
        .ok()
        .and_then(|text| group_headroom(Path::new("/sys/fs/cgroup"), &text));
    Some(Bytes(group.map_or(machine, |headroom| headroom.min(machine))))
}

/// Refuses a job that needs more memory than there is. Where the system does not tell, the job may try.
///
/// # Errors
/// [`RunError::TooLittleMemory`] with what is needed and what there is.
pub fn require_memory(needed: Bytes) -> Result<(), RunError> {
    match available_memory() {
        Some(available) if available < needed => Err(RunError::TooLittleMemory { needed, available }),
        _ => Ok(()),
    }
}

/// Free space of the file system that `directory` is on, or will be on when it is created.
///
/// # Errors
/// [`RunError::Io`] when the file system does not answer.
pub fn free_disk(directory: &Path) -> Result<Bytes, RunError> {
    let absolute = std::path::absolute(directory).map_err(RunError::io("resolve", directory))?;
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    fs4::available_space(existing).map(Bytes).map_err(RunError::io("ask the free space of", existing))
}

/// Refuses a job that writes more than the disk takes.
///
/// # Errors
/// [`RunError::TooLittleDisk`] with what is needed and what there is; [`RunError::Io`] when the file system does not answer.
pub fn require_disk(directory: &Path, needed: Bytes) -> Result<(), RunError> {
    let available = free_disk(directory)?;
    if available < needed {
        return Err(RunError::TooLittleDisk { directory: directory.to_owned(), needed, available });
    }
    Ok(())
}

/// `MemAvailable` of the text of /proc/meminfo, in bytes.
fn meminfo_available(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// What the tightest control group (version 2) around this process leaves, in bytes; `None` without a limit.
///
/// `membership` is the text of /proc/self/cgroup, whose line `0::/a/b` names the groups `/`, `/a` and `/a/b` under `root`.
fn group_headroom(root: &Path, membership: &str) -> Option<u64> {
    let group = membership.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Path::new(group).ancestors().filter_map(|path| headroom(&root.join(path))).min()
}

/// Limit minus use of one control group; file pages that the kernel can drop do not count as used.
fn headroom(group: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number("memory.max")?;
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let droppable = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok());
    let used = number("memory.current")?.saturating_sub(droppable.unwrap_or(0));
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        let text = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(meminfo_available(text), Some(20_480_000_000));
        assert_eq!(meminfo_available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_tightest_control_group_counts_and_its_file_cache_does_not() {
        let root = tempfile::tempdir().unwrap();
        let job = root.path().join("batch/job7");
        fs::create_dir_all(&job).unwrap();
        let write = |folder: &Path, name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write(&root.path().join("batch"), "memory.max", "max\n");
        write(&job, "memory.max", "8000\n");
        write(&job, "memory.current", "5000\n");
        write(&job, "memory.stat", "anon 3000\ninactive_file 2000\n");
        assert_eq!(group_headroom(root.path(), "0::/batch/job7\n"), Some(5000));
        assert_eq!(group_headroom(root.path(), "0::/batch\n"), None);
        assert_eq!(group_headroom(root.path(), "4:memory:/old\n"), None);
    }

    #[test]
    fn a_job_too_large_is_refused_with_both_figures() {
        require_memory(Bytes(1)).unwrap();
        if available_memory().is_some() {
            let error = require_memory(Bytes(1 << 60)).unwrap_err().to_string();
            assert!(error.contains("1153 PB") && error.contains("available"), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let not_yet_there = folder.path().join("a/b");
        require_disk(&not_yet_there, Bytes(1)).unwrap();
        let error = require_disk(&not_yet_there, Bytes(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("1153 PB") && error.contains("free"), "{error}");
        assert!(!not_yet_there.exists());
    }
}
