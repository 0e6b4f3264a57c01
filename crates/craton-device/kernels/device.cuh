// Included first by every kernel file. On a GPU it defines the macros that connect a kernel to the
// program; on the emulated device host.cuh, which is included before, has already defined them.
#pragma once

#if !defined(CRATON_HOST)

// Declares a pointer to the dynamic shared memory of the block.
#define CRATON_SHARED(type, name)                                       \
    extern __shared__ __align__(128) unsigned char craton_shared[];     \
    type* const name = reinterpret_cast<type*>(craton_shared)

// Belongs in every loop that waits for another block: on the emulated device it lets the other blocks run.
#define CRATON_PAUSE()

// Exports a kernel to the emulated device; on a GPU the module lists its kernels itself.
#define CRATON_ENTRY(name)

#endif

namespace craton {

// Asynchronous copies from global to shared memory, without registers: a thread starts copies, commits them as a group, and waits until at most
// `Pending` of its groups are incomplete.
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
    // A copy by `unsigned` words would violate the strict aliasing rule of C++.
    memcpy(shared, global, Bytes);
#endif
}
__device__ __forceinline__ void commit_copies() {}
template <int Pending>
__device__ __forceinline__ void wait_copies() {}

#endif

}  // namespace craton
