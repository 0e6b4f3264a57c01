// Sums of slots at the nodes of a patch, in the order of its table, and the update of its inner nodes.

#pragma once

#include "patch_shape.cuh"

namespace craton {
namespace {

// Adds the next `Count` slots of each thread's node.
template <int Count>
__device__ __forceinline__ void add_slots(const float* slots, const unsigned short*& entries, float (&sum)[C]) {
    const float* slot[Count];
#pragma unroll
    for (int s = 0; s < Count; ++s) slot[s] = (const float*)((const char*)slots + entries[s * THREADS]);
#pragma unroll
    for (int s = 0; s < Count; ++s) {
#pragma unroll
        for (int c = 0; c < C; ++c) sum[c] += slot[s][c * COMPONENT];
    }
    entries += Count * THREADS;
}

// Sums the slots of a row of nodes, one node per thread: `most` slots each, those that a node lacks being zero.
__device__ __forceinline__ void sum_row(const float* slots, unsigned most, const unsigned short*& entries, float (&sum)[C]) {
    for (int c = 0; c < C; ++c) sum[c] = 0;
    if (most == 1) return add_slots<1>(slots, entries, sum);
    for (; most >= 4; most -= 4) add_slots<4>(slots, entries, sum);
    if (most & 2) add_slots<2>(slots, entries, sum);
    if (most & 1) add_slots<1>(slots, entries, sum);
}

// The thread's column of the rows of inner nodes. If the last row ends before it, the values updated there belong to no node and are not used.
struct Rows {
    const float* slots;
    float *u, *v;
    const float* mass;
    float dt;

    // Updates `Count` rows at once, with at most `most` slots per node.
    template <int Count>
    __device__ __forceinline__ void move(unsigned first, unsigned most, const unsigned short*& entries) const {
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
#pragma unroll
        for (int r = 0; r < Count; ++r) {
            if (Count > 1) {
#pragma unroll
                for (int c = 0; c < C; ++c) sum[r][c] = 0;
                add_slots<1>(slots, entries, sum[r]);
            } else {
                sum_row(slots, most, entries, sum[r]);
            }
        }
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
