// Arguments of every kind, indices along all axes, warps and vectors.
#include "device.cuh"
#include "scale.cuh"

struct Line {
    double slope;
    float offset;
    int step;
};

extern "C" __global__ void evaluate(Line line, unsigned short first, const double* x, const float4* optional, double* y,
                                    unsigned long long count) {
    const unsigned long long i = threadIdx.x;
    if (i >= count) return;
    const float extra = optional ? optional[0].w : 0.0f;
    y[i] = scaled(line.slope * x[first + i * line.step] + line.offset + extra);
}

// Writes where each thread stands; the grid and the block have three axes.
extern "C" __global__ void places(uint4* out) {
    const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = make_uint4(blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

extern "C" __global__ void __launch_bounds__(64) warps(int* total, int* first, int* reversed, unsigned int* odd, int* many) {
    __shared__ int sums[2];
    int sum = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    const unsigned int votes = __ballot_sync(0xffffffffu, threadIdx.x % 2);
    const int large = __syncthreads_count(threadIdx.x >= 60);
    reversed[threadIdx.x] = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 31);
    first[threadIdx.x] = __shfl_sync(0xffffffffu, (int)threadIdx.x, 3, 8);
    if (threadIdx.x == 0) {
        *total = sums[0] + sums[1];
        *odd = votes;
        *many = large;
    }
}

extern "C" __global__ void count_up(unsigned int* counter, float* sum) {
    atomicAdd(counter, 1);
    atomicAdd(sum, 0.5f);
}

CRATON_ENTRY(evaluate)
CRATON_ENTRY(places)
CRATON_ENTRY(warps)
CRATON_ENTRY(count_up)
