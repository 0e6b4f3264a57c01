// Sums of the forces at nodes.
//
// Compile-time: REAL.

#pragma once

#include "device.cuh"
#include "runs.cuh"

namespace craton {

// Marks nodes whose number of slots is not two.
constexpr unsigned MORE = ~0u;

// The slots of nodes in runs: from a node to the next one of a run, all slots advance by `step`.
struct SlotRuns {
    const uint2* chunks;   // see `run_of`
    const uint2* runs;     // the two slots of a run, less `step` node; or the index in `more` of their number, which the slots follow, and `MORE`
    const unsigned* more;
    unsigned step;

    // The two slots of a node, or the entry of its run in `more` and `MORE`.
    __device__ __forceinline__ uint2 of(unsigned node) const {
        const uint2 run = runs[run_of(chunks[node / 32], node)];
        return run.y == MORE ? run : uint2{run.x + step * node, run.y + step * node};
    }

    // Sum of the slots of one component of a node, in their order, given the slots of the node. The component is `component` values after the first one.
    __device__ __forceinline__ REAL sum(uint2 own, unsigned node, const REAL* __restrict__ slots, unsigned component) const {
        if (own.y != MORE) return slots[own.x + component] + slots[own.y + component];
        const unsigned count = more[own.x];
        REAL sum = 0;
#pragma unroll 1
        for (unsigned place = own.x + 1; place <= own.x + count; ++place) sum += slots[more[place] + step * node + component];
        return sum;
    }
};

}  // namespace craton
