// Copies from global to shared memory that do not wait: a thread starts its share, commits it as a group, and waits for groups later.

#pragma once

namespace craton {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
    const unsigned address = (unsigned)__cvta_generic_to_shared(shared);
    if constexpr (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(global), "n"(Bytes) : "memory");
    }
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

#else

template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
    for (int word = 0; word < Bytes / 4; ++word) ((unsigned*)shared)[word] = ((const unsigned*)global)[word];
}
__device__ __forceinline__ void commit_copies() {}
template <int Pending>
__device__ __forceinline__ void wait_copies() {}

#endif

// Starts this thread's share of a copy of `bytes` (a multiple of 16), both ends aligned to 16.
__device__ __forceinline__ void stage(void* shared, const void* global, unsigned bytes) {
    for (unsigned at = 16 * threadIdx.x; at < bytes; at += 16 * blockDim.x) {
        copy_async<16>((char*)shared + at, (const char*)global + at);
    }
}

}  // namespace craton
