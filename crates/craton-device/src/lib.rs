//! Where arrays live and kernels run: threads, SIMD lanes, aligned storage.
