// Runs of consecutive items.

#pragma once

#include "device.cuh"

namespace craton {

// The run of an item, given the chunk of 32 items to which it belongs: a mask of the items that start a run, and the number of the run before them.
__device__ __forceinline__ unsigned run_of(uint2 chunk, unsigned item) { return chunk.y + __popc(chunk.x & ((2u << item % 32) - 1)); }

}  // namespace craton
