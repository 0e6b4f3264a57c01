// Asynchronous copies between global and shared memory.
//
// A block stages its arrays in two groups and waits for each group when it needs it. On Hopper one thread starts bulk copies, which signal completion at a
// barrier in shared memory; on other chips all threads share the copies, each in its own copy groups.

#pragma once

namespace craton {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CRATON_BULK_COPIES 1
#else
#define CRATON_BULK_COPIES 0
#endif

// Two groups of copies to shared memory. Sizes are multiples of 16 bytes; source and destination are aligned to 16 bytes.
struct Staging {
    unsigned long long* barriers;  // two, in shared memory

    __device__ __forceinline__ explicit Staging(unsigned long long* barriers) : barriers(barriers) {
#if CRATON_BULK_COPIES
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(barriers)) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(barriers + 1)) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
#endif
    }

    // Starts a copy.
    template <int Group>
    __device__ __forceinline__ void start(void* shared, const void* global, unsigned bytes) const {
#if CRATON_BULK_COPIES
        if (threadIdx.x == 0 && bytes > 0) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address_of(barriers + Group)), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address_of(shared)),
                         "l"(global), "r"(bytes), "r"(address_of(barriers + Group))
                         : "memory");
        }
#else
        for (unsigned at = 16 * threadIdx.x; at < bytes; at += 16 * blockDim.x) {
            copy_async<16>((char*)shared + at, (const char*)global + at);
        }
#endif
    }

    // Commits a group; the first one includes the copies that threads have started with `copy_async`.
    template <int Group>
    __device__ __forceinline__ void commit() const {
#if CRATON_BULK_COPIES
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address_of(barriers + Group)) : "memory");
        }
        if (Group == 0) commit_copies();
#else
        commit_copies();
#endif
    }

    // Waits for a group, and synchronises all threads of the block.
    template <int Group>
    __device__ __forceinline__ void wait() const {
#if CRATON_BULK_COPIES
        if (Group == 0) wait_copies<0>();
        __syncthreads();
        asm volatile(
            "{\n"
            ".reg .pred arrived;\n"
            "again:\n"
            "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 arrived, [%0], 0;\n"
            "@!arrived bra again;\n"
            "}" ::"r"(address_of(barriers + Group))
            : "memory");
#else
        wait_copies<Group == 0 ? 1 : 0>();
        __syncthreads();
#endif
    }
};

// Makes the writes of this thread to shared memory visible to bulk copies; to be called before the barrier that precedes `write_back`.
__device__ __forceinline__ void prepare_write_back() {
#if CRATON_BULK_COPIES
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Copies arrays from shared to global memory, two of `bytes` and one of `bytes_third`; the last operation of a block.
__device__ __forceinline__ void write_back(void* first, const void* shared_first, void* second, const void* shared_second, unsigned bytes,
                                           void* third, const void* shared_third, unsigned bytes_third) {
#if CRATON_BULK_COPIES
    if (threadIdx.x == 0) {
        const auto copy = [](void* global, const void* shared, unsigned bytes) {
            if (bytes == 0) return;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(address_of(shared)), "r"(bytes) : "memory");
        };
        copy(first, shared_first, bytes);
        copy(second, shared_second, bytes);
        copy(third, shared_third, bytes_third);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
#else
    for (unsigned at = threadIdx.x; at < bytes / 16; at += blockDim.x) {
        ((uint4*)first)[at] = ((const uint4*)shared_first)[at];
        ((uint4*)second)[at] = ((const uint4*)shared_second)[at];
    }
    for (unsigned at = threadIdx.x; at < bytes_third / 16; at += blockDim.x) ((uint4*)third)[at] = ((const uint4*)shared_third)[at];
#endif
}

// Prefetches global memory into the L2 cache; called by one thread. The size is a multiple of 16 bytes.
__device__ __forceinline__ void prefetch(const void* global, unsigned bytes) {
#if CRATON_BULK_COPIES
    if (bytes > 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
#endif
}

}  // namespace craton
