// Sums of the forces at nodes.
//
// Compile-time: REAL.

#pragma once

#include "device.cuh"

namespace craton {

// Marks a node whose number of slots is not two.
constexpr unsigned MORE = ~0u;

// Sum of a node's slots of one component, in the order of its entry.
__device__ __forceinline__ REAL sum_of_slots(uint2 own, const unsigned* __restrict__ more_places, const REAL* __restrict__ slots) {
    if (own.y != MORE) return slots[own.x] + slots[own.y];
    const unsigned count = more_places[own.x];
    REAL sum = 0;
#pragma unroll 1
    for (unsigned place = own.x + 1; place <= own.x + count; ++place) sum += slots[more_places[place]];
    return sum;
}

}  // namespace craton
