//! Storage that starts on a cache line; large arrays stand in large pages, where the system has them.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::Scalar;

/// Alignment of every [`AlignedVec`] [bytes]: a cache line, and the widest SIMD register.
const ALIGNMENT: usize = 64;

/// A large page [bytes]. Arrays of several begin at one, and ask the system for such pages: a sweep over many arrays then finds their addresses in
/// a table of its own that small pages overflow.
const LARGE_PAGE: usize = 1 << 21;

/// A fixed-length array of scalars that starts on a 64-byte boundary.
pub struct AlignedVec<T: Scalar> {
    start: NonNull<T>,
    len: usize,
}

impl<T: Scalar> AlignedVec<T> {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let layout = Self::layout(len);
        if layout.size() == 0 {
            return Self { start: NonNull::dangling(), len };
        }
        // SAFETY: the layout has a positive size.
        let raw = unsafe { if layout.align() == LARGE_PAGE { alloc(layout) } else { alloc_zeroed(layout) } };
        let Some(start) = NonNull::new(raw.cast::<T>()) else { handle_alloc_error(layout) };
        if layout.align() == LARGE_PAGE {
            ask_for_large_pages(raw, layout.size());
            // SAFETY: so many bytes have been allocated, and all-zero bytes are a valid float.
            unsafe { raw.write_bytes(0, layout.size()) };
        }
        Self { start, len }
    }

    /// A copy of `values`.
    pub fn from_slice(values: &[T]) -> Self {
        let mut copy = Self::zeroed(values.len());
        copy.copy_from_slice(values);
        copy
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn layout(len: usize) -> Layout {
        let alignment = if len * size_of::<T>() < 2 * LARGE_PAGE { ALIGNMENT } else { LARGE_PAGE };
        Layout::array::<T>(len)
            .and_then(|layout| layout.align_to(alignment))
            .expect("an array smaller than the address space")
    }
}

/// Asks the system to back memory that nothing has touched by large pages; where it has none, nothing is lost.
fn ask_for_large_pages(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range is an allocation that begins on a page; the advice changes nothing of what it holds.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE)
    };
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
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
        if layout.size() > 0 {
            // SAFETY: allocated in `zeroed` with this very layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) }
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
