//! Memory that the system denies: an error message and an exit code instead of the abort of the standard library.

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
    memory
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
