//! The memory that a reader allocates, counted by the global allocator of this program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

/// An allocation that would exceed this total fails, so that a fault cannot exhaust the memory of the machine [bytes].
const MOST: isize = 4 << 30;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static NOW: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The allocator of the system, which counts on request.
pub struct Counting;

/// Counts from now on; returns the result of `run` and the largest amount of memory above that at the start [bytes].
pub fn peak_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    NOW.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let result = run();
    IS_COUNTING.store(false, Relaxed);
    (result, PEAK.load(Relaxed).max(0) as usize)
}

/// Counts `more` bytes; false if the total would be too large.
fn grow(more: isize) -> bool {
    if !IS_COUNTING.load(Relaxed) {
        return true;
    }
    let total = NOW.fetch_add(more, Relaxed) + more;
    if total > MOST {
        NOW.fetch_sub(more, Relaxed);
        return false;
    }
    PEAK.fetch_max(total, Relaxed);
    true
}

// SAFETY: every method passes its arguments to the allocator of the system and returns its result, or null, which means that the allocation failed.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this method, which is that of the allocator of the system.
        if grow(layout.size() as isize) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if grow(layout.size() as isize) { unsafe { System.alloc_zeroed(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        grow(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size as isize - layout.size() as isize;
        // SAFETY: as above.
        if grow(more) { unsafe { System.realloc(memory, layout, size) } } else { std::ptr::null_mut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_counts_memory_that_was_freed() {
        let (length, peak) = peak_of(|| vec![1_u8; 3 << 20].len());
        assert!(length == 3 << 20 && peak >= 3 << 20, "{peak}");
    }
}
