//! The allocator of the system, which keeps freed memory and uses large pages, and reports denied requests: an error message and an exit code instead of the
//! abort of the standard library.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write as _};
use std::process::exit;
use std::sync::atomic::{AtomicUsize, Ordering};

use craton::exit_code::FAILED;

use crate::arguments::Command;

/// Smallest size [bytes] of requests that are left to the caller: no machine has as much, so the size is a mistake in a file, which
/// the reader reports.
const ABSURD: usize = 1 << 40;

/// What helps each kind of command.
const CURES: [&str; 5] = [
    "use smaller files, or process them in several calls",
    "lower max_frequency, shrink the domain, or shorten the records",
    "shorten the records, raise the grid spacing, or compute fewer shots at a time",
    "use fewer prisms or larger cells, or fewer points",
    "lower max_frequency, or shrink the domain",
];

/// Index of the cure of the current command.
static CURE: AtomicUsize = AtomicUsize::new(0);

/// Sets the command for the message.
pub fn set_command(command: &Command) {
    let cure = match command {
        Command::Run(_) | Command::Resume(_) => 1,
        Command::Survey(_) => 2,
        Command::Gravity(_) => 3,
        Command::Mesh(_) => 4,
        Command::Check(check) if craton::survey::is_survey(&check.scenario.file) => 2,
        Command::Check(check) if craton::gravity::is_gravity(&check.scenario.file) => 3,
        Command::Check(_) => 1,
        _ => 0,
    };
    CURE.store(cure, Ordering::Relaxed);
}

/// Prevents the allocator from returning freed memory to the system. Data of meshes are built and freed in stages; each page that is mapped again stops all
/// threads.
///
/// Call it before other threads start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() {
    /// The largest value of these limits [bytes].
    const NEVER: libc::c_int = libc::c_int::MAX;
    /// Memory that is requested at a time [bytes].
    const AT_ONCE: libc::c_int = 1 << 26;
    for (parameter, value) in
        [(libc::M_MMAP_THRESHOLD, NEVER), (libc::M_TRIM_THRESHOLD, NEVER), (libc::M_TOP_PAD, AT_ONCE)]
    {
        // SAFETY: the parameters exist, and no other thread allocates yet. A rejected value changes nothing.
        unsafe { libc::mallopt(parameter, value) };
    }
}

/// Other allocators have no such settings.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() {}

/// Size of a large page [bytes].
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 1 << 21;

/// Asks for large pages inside a new block, if it contains some: they are mapped in a fraction of the time.
#[cfg(target_os = "linux")]
#[inline]
fn with_large_pages(memory: *mut u8, size: usize) -> *mut u8 {
    let skipped = memory.addr().wrapping_neg() % LARGE_PAGE;
    if !memory.is_null() && size >= skipped + LARGE_PAGE {
        let length = (size - skipped) / LARGE_PAGE * LARGE_PAGE;
        // SAFETY: the range lies inside the block. The advice does not change its contents, and may be rejected.
        unsafe { libc::madvise(memory.add(skipped).cast(), length, libc::MADV_HUGEPAGE) };
    }
    memory
}

#[cfg(not(target_os = "linux"))]
fn with_large_pages(memory: *mut u8, _size: usize) -> *mut u8 {
    memory
}

/// The allocator of the system; a denied request ends the program. Completed work is on disk at any time.
///
/// Verified by `memory::denied_memory_is_an_error_with_a_cure`.
pub struct Reporting;

// SAFETY: every request goes to the allocator of the system, which fulfils the contract; a denied one returns its null pointer or never returns.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of the same function.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of the same function.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of the same function.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller fulfils the contract of the same function.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The allocated memory; a denied request of a plausible size ends the program.
#[inline]
fn checked(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && size < ABSURD {
        denied(size);
    }
    with_large_pages(memory, size)
}

/// Reports a denied request, without further requests, and ends the program.
#[cold]
fn denied(size: usize) -> ! {
    let cure = CURES[CURE.load(Ordering::Relaxed).min(CURES.len() - 1)];
    // Without a terminal there is nowhere to report.
    let _ = writeln!(
        io::stderr(),
        "  × the system denies {:.1} MB of memory. To need less, {cure}; or use a larger machine, or raise the limit of the job (ulimit -v)",
        size as f64 / 1e6
    );
    exit(FAILED.into())
}
