// Receivers of acoustic shots in blocks of rows: weighted sums of the values of a field, as on the host (`blocks.rs`).
#pragma once

namespace craton {

// Threads per channel. Each multiplies values by their weights; the first adds the products in the order of the CPU code.
constexpr unsigned THREADS_PER_CHANNEL = 32;

// Adds the products of the weights and values of plane k of a block. block: as in `listen`; values: of the field, from the first point of the plane on.
__device__ __forceinline__ void add_plane(const uint4& block, unsigned k, const REAL* weights, const REAL* values, unsigned row, REAL* products,
                                          REAL& sum) {
    const unsigned nx = block.z & 1023, ny = block.z >> 10 & 1023, points = nx * ny;
    const REAL *const x = weights + block.w, *const y = x + nx, *const z = y + ny;
    for (unsigned first = 0; first < points; first += THREADS_PER_CHANNEL) {
        const unsigned point = first + threadIdx.x, j = point / nx, i = point - j * nx;
        if (point < points) products[threadIdx.x] = op::mul(op::mul(x[i], op::mul(y[j], z[k])), values[(size_t)j * row + i]);
        __syncthreads();
        if (threadIdx.x == 0) {
            const unsigned count = min(points - first, THREADS_PER_CHANNEL);
#pragma unroll 4
            for (unsigned n = 0; n < count; ++n) sum = op::add(sum, products[n]);
        }
        __syncthreads();
    }
}

// Samples the channels into the ring buffer, `ring[step % rows][channel]`, plane by plane as a CPU does. `channels[n]`: number, shot, first block and
// end. `blocks[n]`: field (2 bits) and plane of the first point, its index, numbers of points along x, y and z (10 bits each), index of the first
// weight: those along x, then those along y and z. The blocks of a channel are in ascending order of fields and first planes. `arrays`: number of arrays of a
// shot in `fields`; `array_of`: that of a field.
template <class ArrayOf>
__device__ __forceinline__ void sample(const uint4* channels, const uint4* blocks, const REAL* weights, const Grid& grid, const REAL* fields, unsigned arrays,
                                       ArrayOf array_of, unsigned step, unsigned rows, unsigned width, REAL* ring) {
    CRATON_SHARED(REAL, products);
    const uint4 channel = channels[blockIdx.x];
    REAL sum = 0;
    const bool has_one_field = (blocks[channel.z].x & 3) == (blocks[channel.w - 1].x & 3);
    unsigned plane = blocks[channel.z].x >> 2;
    if (!has_one_field) {
        for (unsigned n = channel.z + 1; n < channel.w; ++n) plane = min(plane, blocks[n].x >> 2);
    }
    // Blocks before `start` lie entirely below the plane.
    for (unsigned start = channel.z; start < channel.w; ++plane) {
        for (unsigned n = start; n < channel.w; ++n) {
            const uint4 block = blocks[n];
            const unsigned from = block.x >> 2, end = from + (block.z >> 20);
            if (from > plane && has_one_field) break;
            if (from <= plane && plane < end) {
                const REAL* const field = fields + ((size_t)channel.y * arrays + array_of(block.x & 3)) * grid.length;
                const unsigned k = plane - from;
                add_plane(block, k, weights, field + block.y + (size_t)k * grid.stride[2], grid.stride[1], products, sum);
            }
            if (n == start && end <= plane + 1) ++start;
        }
    }
    if (threadIdx.x == 0) ring[(size_t)(step % rows) * width + channel.x] = sum;
}

}  // namespace craton
