// What every kernel file includes first. On a GPU it gives the macros that tie a kernel to the
// program; on the emulated device host.cuh was included before and has given them already.
#pragma once

#if !defined(CRATON_HOST)

// A pointer to the block's dynamic shared memory.
#define CRATON_SHARED(type, name)                                       \
    extern __shared__ __align__(128) unsigned char craton_shared[];     \
    type* const name = reinterpret_cast<type*>(craton_shared)

// In a loop that waits for what another block does: on the emulated device the others go on.
#define CRATON_PAUSE()

// Names a kernel for the emulated device; a GPU's module names its kernels by itself.
#define CRATON_ENTRY(name)

#endif

namespace craton {

// Copies from global to shared memory that no register waits for: a thread asks for some, closes a group, and waits until at most so many of its
// groups are under way.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

__device__ __forceinline__ unsigned address_of(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
    if constexpr (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(shared)), "l"(global) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address_of(shared)), "l"(global), "n"(Bytes) : "memory");
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
#if defined(__CUDA_ARCH__)
    for (int word = 0; word < Bytes / 4; ++word) ((unsigned*)shared)[word] = ((const unsigned*)global)[word];
#else
    // A C++ compiler takes words and the numbers that they hold for different things.
    memcpy(shared, global, Bytes);
#endif
}
__device__ __forceinline__ void commit_copies() {}
template <int Pending>
__device__ __forceinline__ void wait_copies() {}

#endif

}  // namespace craton
