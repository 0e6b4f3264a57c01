// Substeps of nodes and of patches whose level is above 0; see `src/substeps.rs`.
//
// Compile-time: REAL, COMPONENTS (unknowns of a node: 3 in a solid, 1 in a fluid).

#include "absorbing.cuh"
#include "device.cuh"
#include "slots.cuh"

namespace craton {
namespace {

constexpr int C = COMPONENTS;
// Values that a thread updates: two hide the memory latency of each other.
constexpr unsigned AT_A_TIME = 2;

// The moves of a value at the end of a substep.
struct Halves {
    unsigned level;     // of the nodes
    unsigned ended;     // number of halves that end with the substep; if all do, the step ends
    REAL dt;            // length of the step
    const REAL* reach;  // eta tau / 2 of the halves, the finest one first

    // Adds the changes in the first halves that end, the finest one first, and the reach of the node in them.
    //
    // The change in the half of one substep is `finest`; the others are in `kept`, `[half][value]`.
    __device__ __forceinline__ REAL sum(REAL finest, const REAL* kept, size_t values, REAL& reached) const {
        REAL sum = finest;
        reached = reach[0] * finest;
        for (unsigned half = 1; half < ended; ++half) {
            const REAL change = kept[(half - 1) * values];
            sum = change + sum;
            reached += reach[half] * change;
        }
        return sum;
    }
};

}  // namespace
}  // namespace craton

// Ends halves at the nodes from `first` on, which are not damped: replaces the changes of velocity in two halves by their sum.
//
// The kernel of the patches has added tau F/M of the substep to `second_half`, or to `v` at the end of the step, and has moved `u` with it; see
// `InnerSubsteps::target`. `kept` contains the changes in first halves of several substeps, `[half][node][component]`. For the others see `Halves`.
extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 4 ? 8 : 4)
    climb(unsigned first, unsigned count, unsigned level, unsigned ended, REAL dt, const REAL* __restrict__ reach,
                                 REAL* __restrict__ first_half, REAL* __restrict__ second_half, REAL* __restrict__ kept, REAL* __restrict__ u,
                                 REAL* __restrict__ v) {
    using namespace craton;
    const unsigned values = count * C, step = gridDim.x * blockDim.x;
    const Halves halves{level, ended, dt, reach};
    first_half += (size_t)first * C, second_half += (size_t)first * C, u += (size_t)first * C, v += (size_t)first * C;
    REAL finest[AT_A_TIME], displacement[AT_A_TIME], rate[AT_A_TIME];
    const REAL* rates = ended == level ? v : second_half;
#pragma unroll
    for (unsigned q = 0; q < AT_A_TIME; ++q) {
        const unsigned value = min(blockIdx.x * blockDim.x + threadIdx.x + q * step, values - 1);
        finest[q] = first_half[value];
        displacement[q] = u[value];
        rate[q] = rates[value];
    }
#pragma unroll
    for (unsigned q = 0; q < AT_A_TIME; ++q) {
        const unsigned value = blockIdx.x * blockDim.x + threadIdx.x + q * step;
        if (value >= values) return;
        REAL reached;
        const REAL sum = halves.sum(finest[q], kept + value, values, reached);
        first_half[value] = 0;
        if (ended == level) {
            v[value] = rate[q] + sum;
            u[value] = displacement[q] + (dt * sum - reached);
        } else {
            kept[(size_t)(ended - 1) * values + value] = rate[q] + sum;
            second_half[value] = 0;
            u[value] = displacement[q] + (reach[ended] * sum - reached);
        }
    }
}

CRATON_ENTRY(climb)

// Moves the nodes from `first` on to their next substep by the sums of their slots; `chunks`, `runs` and `more` as in `move_nodes`.
//
// `kept` contains the changes of velocity in first halves, `[half][node][component]`, those of one substep first. The first `plain_blocks` blocks update
// components independently; the others have one thread per node, for the nodes from `first_absorbing` on, which are damped at the end of the step.
extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 4 ? 8 : 4)
    move_substep(const uint2* __restrict__ chunks, const uint2* __restrict__ runs, const unsigned* __restrict__ more,
                                        const REAL* __restrict__ slots, unsigned stride, unsigned first, unsigned first_absorbing, unsigned end, unsigned plain_blocks,
                                        unsigned level, unsigned ended, REAL dt, const REAL* __restrict__ reach, REAL* __restrict__ kept,
                                        REAL* __restrict__ u, REAL* __restrict__ v, const craton::Absorbing* __restrict__ absorbing,
                                        const REAL* __restrict__ dt_over_mass) {
    using namespace craton;
    const size_t values = (size_t)(end - first) * C;
    const Halves halves{level, ended, dt, reach};
    const SlotRuns places{chunks, runs, more, stride == 1 ? C : 1u};
    if (blockIdx.x < plain_blocks) {
        const unsigned plain = C * (first_absorbing - first), step = plain_blocks * blockDim.x;
        u += (size_t)first * C, v += (size_t)first * C, dt_over_mass += first;
        uint2 own[AT_A_TIME];
        REAL scale[AT_A_TIME], displacement[AT_A_TIME], velocity[AT_A_TIME], finest[AT_A_TIME], force[AT_A_TIME];
#pragma unroll
        for (unsigned q = 0; q < AT_A_TIME; ++q) {
            const unsigned value = min(blockIdx.x * blockDim.x + threadIdx.x + q * step, plain - 1);
            own[q] = places.of(value / C);
            scale[q] = dt_over_mass[value / C];
            displacement[q] = u[value];
            velocity[q] = ended == level ? v[value] : (REAL)0;
            finest[q] = ended > 0 ? kept[value] : (REAL)0;
        }
#pragma unroll
        for (unsigned q = 0; q < AT_A_TIME; ++q) {
            const unsigned value = min(blockIdx.x * blockDim.x + threadIdx.x + q * step, plain - 1);
            force[q] = places.sum(own[q], value / C, slots, value % C * stride);
        }
#pragma unroll
        for (unsigned q = 0; q < AT_A_TIME; ++q) {
            const unsigned value = blockIdx.x * blockDim.x + threadIdx.x + q * step;
            if (value >= plain) return;
            REAL change = scale[q] * force[q], reached = 0;
            if (ended > 0) change += halves.sum(finest[q], kept + values + value, values, reached);
            if (ended == level) {
                const REAL moved = velocity[q] + change;
                v[value] = moved;
                u[value] = displacement[q] + (dt * moved - reached);
            } else {
                kept[ended * values + value] = change;
                u[value] = displacement[q] + (reach[ended] * change - reached);
            }
        }
        return;
    }
    const unsigned index = (blockIdx.x - plain_blocks) * blockDim.x + threadIdx.x, node = first_absorbing + index;
    if (node >= end) return;
    const Absorbing damping = absorbing[index];
    const uint2 own = places.of(node - first);
    const size_t at = (size_t)node * C;
    const REAL scale = dt_over_mass[node];
    REAL change[C], velocity[C], damped[C], reached[C];
    for (int c = 0; c < C; ++c) {
        const size_t value = at + c - (size_t)first * C;
        const REAL force = places.sum(own, node - first, slots, c * stride);
        change[c] = scale * force + halves.sum(kept[value], kept + values + value, values, reached[c]);
        velocity[c] = v[at + c];
    }
    if (scale != 0) {
        apply(damping.damping, velocity, damped);
        for (int c = 0; c < C; ++c) damped[c] = change[c] / (scale * (REAL)(1u << level)) - damped[c];
        apply(damping.dt_over_mass, damped, change);
    }
    for (int c = 0; c < C; ++c) {
        velocity[c] += change[c];
        v[at + c] = velocity[c];
        u[at + c] += dt * velocity[c] - reached[c];
    }
}

CRATON_ENTRY(move_substep)

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
