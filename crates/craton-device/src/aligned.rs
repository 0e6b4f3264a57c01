//! Arrays aligned to cache lines; large arrays use huge pages if the operating system supports them.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::Scalar;

/// Alignment of every [`AlignedVec`] [bytes]: a cache line, and the widest SIMD register.
const ALIGNMENT: usize = 64;

/// Size of a huge page [bytes]. Arrays of several huge pages are aligned to one and request huge pages, so that a sweep over many arrays does not
/// overflow the TLB.
const LARGE_PAGE: usize = 1 << 21;

/// A fixed-length array of scalars that starts on a 64-byte boundary.
pub struct AlignedVec<T: Scalar> {
    start: NonNull<T>,
    len: usize,
}

impl<T: Scalar> AlignedVec<T> {
    /// Creates an array of `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let layout = Self::layout(len);
        if layout.size() == 0 {
            return Self { start: NonNull::dangling(), len };
        }
        // SAFETY: the layout has a positive size.
        let raw = unsafe { if is_large(&layout) { map(&layout) } else { alloc_zeroed(layout) } };
        let Some(start) = NonNull::new(raw.cast::<T>()) else { handle_alloc_error(layout) };
        Self { start, len }
    }

    /// Creates a copy of `values`.
    pub fn from_slice(values: &[T]) -> Self {
        let mut copy = Self::zeroed(values.len());
        copy.copy_from_slice(values);
        copy
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn layout(len: usize) -> Layout {
        let alignment = if len * size_of::<T>() < 2 * LARGE_PAGE { ALIGNMENT } else { LARGE_PAGE };
        Layout::array::<T>(len)
            .and_then(|layout| layout.align_to(alignment))
            .expect("the array fits into the address space")
    }
}

/// Whether an array has its own pages, to which memory is committed on the first write.
fn is_large(layout: &Layout) -> bool {
    cfg!(target_os = "linux") && layout.align() == LARGE_PAGE
}

/// Maps zeroed pages aligned to a huge page, or returns null. Without huge pages the mapping uses normal ones.
///
/// # Safety
/// The layout has a positive size.
#[cfg(target_os = "linux")]
unsafe fn map(layout: &Layout) -> *mut u8 {
    let (kind, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    let bytes = mapped(layout);
    // SAFETY: a new mapping, whose unused ends are unmapped; the advice does not change its contents.
    unsafe {
        let raw = libc::mmap(std::ptr::null_mut(), bytes + LARGE_PAGE, access, kind, -1, 0);
        if raw == libc::MAP_FAILED {
            return std::ptr::null_mut();
        }
        let before = raw.cast::<u8>().align_offset(LARGE_PAGE);
        let start = raw.byte_add(before);
        if before > 0 {
            libc::munmap(raw, before);
        }
        if before < LARGE_PAGE {
            libc::munmap(start.byte_add(bytes), LARGE_PAGE - before);
        }
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        start.cast()
    }
}

/// Size in bytes of the mapping of a large array.
#[cfg(target_os = "linux")]
fn mapped(layout: &Layout) -> usize {
    layout.size().next_multiple_of(LARGE_PAGE)
}

/// Unmaps a large array.
///
/// # Safety
/// It was returned by [`map`] with this layout, and no references to it exist.
#[cfg(target_os = "linux")]
unsafe fn unmap(start: *mut u8, layout: &Layout) {
    // SAFETY: a mapping of this size, as the caller guarantees.
    unsafe { libc::munmap(start.cast(), mapped(layout)) };
}

#[cfg(not(target_os = "linux"))]
unsafe fn map(layout: &Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { alloc_zeroed(*layout) }
}

#[cfg(not(target_os = "linux"))]
unsafe fn unmap(start: *mut u8, layout: &Layout) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(start, *layout) }
}

impl<T: Scalar> Deref for AlignedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `start` points to `len` initialised scalars (all-zero bytes are a valid float) owned by self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Scalar> DerefMut for AlignedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `&mut self` makes the access unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Scalar> Drop for AlignedVec<T> {
    fn drop(&mut self) {
        let layout = Self::layout(self.len);
        let start = self.start.as_ptr().cast::<u8>();
        // SAFETY: allocated in `zeroed` with this very layout.
        match layout.size() {
            0 => {}
            _ if is_large(&layout) => unsafe { unmap(start, &layout) },
            _ => unsafe { dealloc(start, layout) },
        }
    }
}

// SAFETY: it owns its scalars, which are plain data.
unsafe impl<T: Scalar> Send for AlignedVec<T> {}
// SAFETY: shared access only reads.
unsafe impl<T: Scalar> Sync for AlignedVec<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_on_a_cache_line_and_is_zero() {
        for len in [0, 1, 17, 1000] {
            let array = AlignedVec::<f32>::zeroed(len);
            assert_eq!(array.len(), len);
            assert_eq!(array.as_ptr() as usize % if len == 0 { 4 } else { ALIGNMENT }, 0);
            assert!(array.iter().all(|&x| x == 0.0));
        }
    }

    #[test]
    fn large_arrays_begin_at_a_large_page_and_are_zero() {
        let array = AlignedVec::<f32>::zeroed(LARGE_PAGE);
        assert_eq!(array.as_ptr() as usize % LARGE_PAGE, 0);
        assert!(array.iter().all(|&x| x == 0.0));
    }

    #[test]
    fn copies_what_it_is_given() {
        assert_eq!(&AlignedVec::from_slice(&[1.0, 2.0, 3.0_f64])[..], &[1.0, 2.0, 3.0]);
    }
}
