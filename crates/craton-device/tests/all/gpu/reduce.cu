// Sums of blocks, through shared memory and barriers, and the ways in which such a kernel goes wrong.
#include "device.cuh"

extern "C" __global__ void sum_blocks(const float* values, float* sums, unsigned int count) {
    CRATON_SHARED(float, tile);
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < count ? values[i] : 0.0f;
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

// Every thread reads its neighbour's value, which a barrier should have waited for.
extern "C" __global__ void neighbour_too_early(float* out) {
    CRATON_SHARED(float, tile);
    tile[threadIdx.x] = 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}

extern "C" __global__ void beyond_shared(unsigned int count) {
    CRATON_SHARED(float, tile);
    for (unsigned int i = 0; i < count; ++i) tile[i] = 1.0f;
}

extern "C" __global__ void half_a_barrier() {
    if (threadIdx.x < 16) __syncthreads();
}

extern "C" __global__ void two_barriers() {
    if (threadIdx.x < 16) {
        __syncthreads();
    } else {
        __syncthreads();
    }
}

extern "C" __global__ void trap_at(unsigned int thread) {
    if (threadIdx.x == thread) __trap();
}

// All blocks wait for one another, some times; `met` counts them.
extern "C" __global__ void meet(unsigned int* met, unsigned int times) {
    for (unsigned int n = 1; n <= times; ++n) {
        __syncthreads();
        if (threadIdx.x != 0) continue;
        atomicAdd(met, 1u);
        for (unsigned int looks = 0; atomicAdd(met, 0u) < n * gridDim.x; ++looks) {
            if (looks == 1u << 26) __trap();
            CRATON_PAUSE();
        }
    }
}

CRATON_ENTRY(meet)
CRATON_ENTRY(sum_blocks)
CRATON_ENTRY(neighbour_too_early)
CRATON_ENTRY(beyond_shared)
CRATON_ENTRY(half_a_barrier)
CRATON_ENTRY(two_barriers)
CRATON_ENTRY(trap_at)
