// Sums of slots at the nodes of a patch, in the order of its table, and the update of its inner nodes.

#pragma once

#include "patch_shape.cuh"

namespace craton {
namespace {

// Rows of `nodes` nodes that a warp sums, one node per thread of the block.
__device__ __forceinline__ unsigned rows_of(unsigned nodes, unsigned warp) { return (nodes + THREADS - 1 - 32 * warp) / THREADS; }

// Adds the next `Count` slots of each thread's node.
template <int Count>
__device__ __forceinline__ void add_slots(const float* slots, const unsigned short*& entries, float (&sum)[C]) {
    const float* slot[Count];
#pragma unroll
    for (int s = 0; s < Count; ++s) slot[s] = (const float*)((const char*)slots + entries[s * 32]);
#pragma unroll
    for (int s = 0; s < Count; ++s) {
#pragma unroll
        for (int c = 0; c < C; ++c) sum[c] += slot[s][c * COMPONENT];
    }
    entries += Count * 32;
}

// Sums the slots of a row of nodes, one node per thread: `most` slots each, those that a node lacks being zero.
__device__ __forceinline__ void sum_row(const float* slots, unsigned most, const unsigned short*& entries, float (&sum)[C]) {
    for (int c = 0; c < C; ++c) sum[c] = 0;
    if (most == 1) return add_slots<1>(slots, entries, sum);
    for (; most >= 4; most -= 4) add_slots<4>(slots, entries, sum);
    if (most & 2) add_slots<2>(slots, entries, sum);
    if (most & 1) add_slots<1>(slots, entries, sum);
}

// Takes the slots of the thread's nodes of `Count` rows, one slot per node.
template <int Count>
__device__ __forceinline__ void take_slots(const float* slots, const unsigned short* entries, float (&sum)[Count][C]) {
#pragma unroll
    for (int r = 0; r < Count; ++r) {
        const float* slot = (const float*)((const char*)slots + entries[r * THREADS]);
#pragma unroll
        for (int c = 0; c < C; ++c) sum[r][c] = 0.0f + slot[c * COMPONENT];
    }
}

// The thread's column of the rows of inner nodes. If the last row ends before it, the values updated there belong to no node and are not used.
struct Rows {
    float *u, *v;
    const float* mass;
    float dt;

    // Updates `Count` rows at once; `add` computes the sums of their slots.
    template <int Count, class Add>
    __device__ __forceinline__ void move(unsigned first, const Add& add) const {
        float displacement[Count][C], velocity[Count][C], scale[Count], sum[Count][C];
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            const unsigned at = (first + r) * THREADS;
            scale[r] = mass[at];
#pragma unroll
            for (int c = 0; c < C; ++c) {
                velocity[r][c] = v[C * at + c];
                displacement[r][c] = u[C * at + c];
            }
        }
        add(sum);
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            const unsigned at = (first + r) * THREADS;
#pragma unroll
            for (int c = 0; c < C; ++c) {
                const float moved = op::fma(scale[r], sum[r][c], velocity[r][c]);
                v[C * at + c] = moved;
                u[C * at + c] = op::fma(dt, moved, displacement[r][c]);
            }
        }
    }
};

}  // namespace
}  // namespace craton
