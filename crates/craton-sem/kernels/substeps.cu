// Substeps of nodes and of patches whose level is above 0; see `src/substeps.rs`.
//
// Compile-time: REAL, COMPONENTS (unknowns of a node: 3 in a solid, 1 in a fluid).

#include "absorbing.cuh"
#include "device.cuh"

namespace craton {
namespace {

constexpr int C = COMPONENTS;

// The changes of velocity in the first halves that end with a substep, the finest ones first, added up, and the reach of the node in these halves.
//
// The change in the half of one substep is `finest`; the others are in `kept`, `[half][value]`.
__device__ __forceinline__ REAL add_halves(unsigned second, REAL finest, const REAL* __restrict__ reach, const REAL* __restrict__ kept, size_t values,
                                           REAL& reached) {
    REAL sum = finest;
    reached = reach[0] * finest;
    for (unsigned half = 1; half < second; ++half) {
        const REAL change = kept[(half - 1) * values];
        sum = change + sum;
        reached += reach[half] * change;
    }
    return sum;
}

}  // namespace
}  // namespace craton

// Ends the halves that end with a substep, at the nodes from `first` on: replaces the changes of velocity in two halves by their sum.
//
// The kernels of elements and nodes have added tau F/M of the substep to `first_half`, `second_half` or `v`, and have moved `u` with it; see `DeviceState::target`.
// `second` is the number of halves that end. If all do, the step ends and `dt` is its length. `kept` contains the changes in first halves of several
// substeps, `[half][node][component]`. `reach` contains eta tau / 2 of the halves.
//
// The first `plain_blocks` blocks update components independently; the others have one thread per node, for the nodes from `first_absorbing` on, which are
// damped at the end of the step.
extern "C" __global__ void climb(unsigned first, unsigned first_absorbing, unsigned end, unsigned plain_blocks, unsigned level, unsigned second,
                                 REAL dt, const REAL* __restrict__ reach, REAL* __restrict__ first_half, REAL* __restrict__ second_half,
                                 REAL* __restrict__ kept, REAL* __restrict__ u, REAL* __restrict__ v,
                                 const craton::Absorbing* __restrict__ absorbing, const REAL* __restrict__ dt_over_mass) {
    using namespace craton;
    const size_t values = (size_t)(end - first) * C;
    if (blockIdx.x < plain_blocks) {
        const size_t value = (size_t)blockIdx.x * blockDim.x + threadIdx.x, at = (size_t)first * C + value;
        if (value >= (size_t)(first_absorbing - first) * C) return;
        REAL reached;
        const REAL sum = add_halves(second, first_half[at], reach, kept + value, values, reached);
        first_half[at] = 0;
        if (second == level) {
            v[at] += sum;
            u[at] += dt * sum - reached;
        } else {
            kept[(second - 1) * values + value] = second_half[at] + sum;
            second_half[at] = 0;
            u[at] += reach[second] * sum - reached;
        }
        return;
    }
    const unsigned index = (blockIdx.x - plain_blocks) * blockDim.x + threadIdx.x, node = first_absorbing + index;
    if (node >= end) return;
    const Absorbing damping = absorbing[index];
    const REAL scale = dt_over_mass[node] * (REAL)(1u << level);
    const size_t at = (size_t)node * C;
    REAL change[C], velocity[C], damped[C], reached[C];
    for (int c = 0; c < C; ++c) {
        const REAL sum = add_halves(second, first_half[at + c], reach, kept + at + c - (size_t)first * C, values, reached[c]);
        change[c] = second_half[at + c] + sum;
        first_half[at + c] = 0;
        second_half[at + c] = 0;
        velocity[c] = v[at + c];
    }
    if (scale != 0) {
        apply(damping.damping, velocity, damped);
        for (int c = 0; c < C; ++c) damped[c] = change[c] / scale - damped[c];
        apply(damping.dt_over_mass, damped, change);
    }
    for (int c = 0; c < C; ++c) {
        velocity[c] += change[c];
        v[at + c] = velocity[c];
        u[at + c] += dt * velocity[c] - reached[c];
    }
}

CRATON_ENTRY(climb)

// Replaces the forces in some slots by their means over the substeps so far of a substep of their node.
//
// An entry of `slower` contains a slot and by how many levels its node is lower than its patch. The components of a slot are `stride` values apart.
extern "C" __global__ void take_means(const uint2* __restrict__ slower, unsigned count, unsigned substep, unsigned stride,
                                      REAL* __restrict__ means, REAL* __restrict__ slots) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const uint2 own = slower[index];
    const unsigned substeps = 1u << own.y;
    const bool is_first = substep % substeps == 0;
    const REAL weight = (REAL)1 / (REAL)substeps;
    for (int c = 0; c < C; ++c) {
        REAL* slot = slots + own.x + (size_t)c * stride;
        REAL* mean = means + (size_t)c * count + index;
        const REAL part = weight * *slot;
        *mean = is_first ? part : *mean + part;
        *slot = *mean;
    }
}

CRATON_ENTRY(take_means)

// Copies values.
extern "C" __global__ void copy_values(const REAL* __restrict__ from, unsigned count, REAL* __restrict__ to) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) to[index] = from[index];
}

CRATON_ENTRY(copy_values)
