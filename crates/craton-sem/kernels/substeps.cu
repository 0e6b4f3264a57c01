// Substeps of nodes and of patches whose level is above 0; see `src/substeps.rs`.
//
// Compile-time: REAL, COMPONENTS (unknowns of a node: 3 in a solid, 1 in a fluid).

#include "absorbing.cuh"
#include "device.cuh"

namespace craton {
namespace {

constexpr int C = COMPONENTS;

}  // namespace
}  // namespace craton

// Moves the nodes from `first` on to their next substep. One thread per node.
//
// `changes` contains tau F/M of this substep, which is cleared. `kept` contains the displacement at the beginning of the step, and the change of velocity in
// the first half on each level from the finest one down, `[1 + level][component][node]`. `reach` contains eta tau / 2 of these halves. The nodes from
// `first_absorbing` on are damped once in a step. `dt` is the whole step, and that of `dt_over_mass` a substep.
extern "C" __global__ void climb(unsigned first, unsigned count, unsigned level, unsigned substep, REAL dt, const REAL* __restrict__ reach,
                                 REAL* __restrict__ changes, REAL* __restrict__ kept, REAL* __restrict__ u, REAL* __restrict__ v,
                                 unsigned first_absorbing, const craton::Absorbing* __restrict__ absorbing,
                                 const REAL* __restrict__ dt_over_mass) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x, node = first + index;
    if (index >= count) return;
    const size_t at = (size_t)node * C, row = (size_t)count * C;
    REAL* start = kept + index;
    REAL change[C];
    unsigned second = 0;
    while (substep >> second & 1) ++second;
    for (int c = 0; c < C; ++c) {
        change[c] = changes[at + c];
        changes[at + c] = 0;
        if (substep == 0) start[(size_t)c * count] = u[at + c];
        for (unsigned half = 0; half < second; ++half) change[c] = start[(1 + half) * row + (size_t)c * count] + change[c];
    }
    if (second == level) {
        if (node >= first_absorbing) {
            const Absorbing damping = absorbing[node - first_absorbing];
            const REAL scale = dt_over_mass[node] * (REAL)(1u << level);
            if (scale != 0) {
                REAL velocity[C], damped[C];
                for (int c = 0; c < C; ++c) velocity[c] = v[at + c];
                apply(damping.damping, velocity, damped);
                for (int c = 0; c < C; ++c) velocity[c] = change[c] / scale - damped[c];
                apply(damping.dt_over_mass, velocity, change);
            }
        }
        for (int c = 0; c < C; ++c) {
            const REAL moved = v[at + c] + change[c];
            v[at + c] = moved;
            u[at + c] = start[(size_t)c * count] + dt * moved;
        }
        return;
    }
    for (int c = 0; c < C; ++c) {
        start[(1 + second) * row + (size_t)c * count] = change[c];
        REAL moved = start[(size_t)c * count];
        for (unsigned half = 0; half < level; ++half) {
            if ((substep + 1) >> half & 1) moved += reach[half] * start[(1 + half) * row + (size_t)c * count];
        }
        u[at + c] = moved;
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
