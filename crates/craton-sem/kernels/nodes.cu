// Operations at nodes: source forces, time step from the sums of forces, probes.
//
// Compile-time: REAL, POINTS (per axis of an element), COMPONENTS (unknowns of a node: 3 in a solid, 1 in a fluid).

#include "absorbing.cuh"
#include "device.cuh"
#include "slots.cuh"
#include "sources.cuh"

namespace craton {
namespace {

constexpr int N3 = POINTS * POINTS * POINTS;
constexpr int C = COMPONENTS;
// Directions of a probe: of a solid 1 or 3, of a fluid 3 or 9.
constexpr int DIRECTIONS = 9 / C;

// A point in an element at which the field is sampled.
struct Probe {
    unsigned first_node;     // the first of its N3 nodes in `probe_nodes`
    unsigned first_weight;   // the first of its weights, `[direction][point]`
    unsigned directions;     // number of weights of a point
    unsigned first_channel;
};

// Values that a thread updates at a time.
constexpr unsigned AT_A_TIME = 2;

// Updates the values `value`, `value` + `step`, ... below `values`, C per node.
__device__ __forceinline__ void move_plain(unsigned value, unsigned values, unsigned step, const SlotRuns& places,
                                           const REAL* __restrict__ slots, unsigned stride,
                                           const REAL* __restrict__ dt_over_mass, REAL dt, REAL* __restrict__ u, REAL* __restrict__ v,
                                           unsigned first_change, REAL* __restrict__ change) {
    if (value >= values) return;
    uint2 own[AT_A_TIME];
    REAL scale[AT_A_TIME], displacement[AT_A_TIME], velocity[AT_A_TIME], force[AT_A_TIME];
#pragma unroll
    for (unsigned q = 0; q < AT_A_TIME; ++q) {
        const unsigned at = value + q * step < values ? value + q * step : value;
        own[q] = places.of(at / C);
        scale[q] = dt_over_mass[at / C];
        displacement[q] = u[at];
        velocity[q] = v[at];
    }
#pragma unroll
    for (unsigned q = 0; q < AT_A_TIME; ++q) {
        const unsigned at = value + q * step < values ? value + q * step : value;
        force[q] = places.sum(own[q], at / C, slots, at % C * stride);
    }
#pragma unroll
    for (unsigned q = 0; q < AT_A_TIME; ++q) {
        const unsigned at = value + q * step;
        if (at >= values) return;
        const REAL by = scale[q] * force[q], moved = velocity[q] + by;
        if (C == 1 && at >= first_change) change[at - first_change] = by;
        v[at] = moved;
        u[at] = displacement[q] + dt * moved;
    }
}

}  // namespace
}  // namespace craton

// Adds the forces of all point sources, `weights` for an amplitude of one, to the slots of their elements, in the order of the sources. One block, in which threads share the points.
extern "C" __global__ void add_sources(const craton::Source* __restrict__ sources, unsigned count,
                                       const REAL* __restrict__ weights, const REAL* __restrict__ histories,
                                       const unsigned* __restrict__ step, REAL* __restrict__ slots) {
    using namespace craton;
    for (unsigned s = 0; s < count; ++s) {
        const REAL amplitude = sources[s].amplitude(histories, *step);
        if (amplitude == 0) continue;
        REAL* own = slots + (size_t)sources[s].element * C * N3;
        for (unsigned value = threadIdx.x; value < C * N3; value += blockDim.x) {
            own[value] += amplitude * weights[(size_t)s * C * N3 + value];
        }
    }
}

CRATON_ENTRY(add_sources)

// Advances velocity and displacement of the nodes from `first` on by the sums of their slots.
//
// `chunks`, `runs` and `more` are those of `SlotRuns`, from node `first` on. The other components of a slot are at distances of `stride`, and the slots of
// the next node of a run follow those of a node: next to their components, if these are adjacent. The first `plain_blocks` blocks update components independently; the others have one
// thread per node, for the nodes from `first_absorbing` on, whose damping couples the components. In a fluid, the changes of the rate at the nodes from
// `first_change` on are stored for the solid.
extern "C" __global__ void __launch_bounds__(256, sizeof(REAL) == 4 ? 8 : 4)
    move_nodes(const uint2* __restrict__ chunks, const uint2* __restrict__ runs, const unsigned* __restrict__ more,
               const REAL* __restrict__ slots, unsigned stride,
               const REAL* __restrict__ dt_over_mass, const craton::Absorbing* __restrict__ absorbing, unsigned first,
               unsigned first_absorbing, unsigned end, unsigned plain_blocks, REAL dt, REAL* __restrict__ u, REAL* __restrict__ v,
               unsigned first_change, REAL* __restrict__ changes) {
    using namespace craton;
    const SlotRuns places{chunks, runs, more, stride == 1 ? C : 1u};
    if (blockIdx.x < plain_blocks) {
        const unsigned values = C * (first_absorbing - first), threads = plain_blocks * blockDim.x;
        // The first node may be before or after the first one with a change.
        const unsigned before = first_change > first ? first_change - first : 0, after = first_change > first ? 0 : first - first_change;
        move_plain(blockIdx.x * blockDim.x + threadIdx.x, values, threads, places, slots, stride, dt_over_mass + first, dt,
                   u + (size_t)first * C, v + (size_t)first * C, before, changes + after);
        return;
    }
    const unsigned index = (blockIdx.x - plain_blocks) * blockDim.x + threadIdx.x, node = first_absorbing + index;
    if (node >= end) return;
    const uint2 own = places.of(node - first);
    REAL force[C], velocity[C], change[C];
    for (int c = 0; c < C; ++c) {
        force[c] = places.sum(own, node - first, slots, c * stride);
        velocity[c] = v[(size_t)node * C + c];
    }
    apply(absorbing[index].damping, velocity, change);
    for (int c = 0; c < C; ++c) force[c] -= change[c];
    apply(absorbing[index].dt_over_mass, force, change);
    if (C == 1) changes[node - first_change] = change[0];
    for (int c = 0; c < C; ++c) {
        velocity[c] += change[c];
        v[(size_t)node * C + c] = velocity[c];
        u[(size_t)node * C + c] += dt * velocity[c];
    }
}

CRATON_ENTRY(move_nodes)

// Samples the velocity, or its gradient, at every probe; see `Probe::weights`, into the ring buffer, `ring[step % rows][channel]`.
//
// One block of one warp per probe; sums in double precision, in an order specific to this kernel.
extern "C" __global__ void sample(const craton::Probe* __restrict__ probes, unsigned count,
                                  const unsigned* __restrict__ probe_nodes, const double* __restrict__ weights,
                                  const REAL* __restrict__ v, unsigned channels, unsigned rows,
                                  const unsigned* __restrict__ step, REAL* __restrict__ ring) {
    using namespace craton;
    CRATON_SHARED(double, partial);
    const Probe probe = probes[blockIdx.x];
    double sums[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int point = threadIdx.x; point < N3; point += blockDim.x) {
        const REAL* node = v + (size_t)probe_nodes[probe.first_node + point] * C;
#pragma unroll
        for (unsigned direction = 0; direction < DIRECTIONS; ++direction) {
            if (direction >= probe.directions) break;
            const double weight = weights[probe.first_weight + direction * N3 + point];
            for (int c = 0; c < C; ++c) sums[c * DIRECTIONS + direction] += weight * node[c];
        }
    }
    for (int s = 0; s < 9; ++s) partial[s * blockDim.x + threadIdx.x] = sums[s];
    __syncthreads();
    const unsigned value = threadIdx.x;
    if (value < C * probe.directions) {
        const unsigned c = value / probe.directions, direction = value % probe.directions;
        double sum = 0;
        for (unsigned thread = 0; thread < blockDim.x; ++thread) sum += partial[(c * DIRECTIONS + direction) * blockDim.x + thread];
        ring[(size_t)(*step % rows) * channels + probe.first_channel + value] = (REAL)sum;
    }
}

CRATON_ENTRY(sample)

// Increments the step counter.
extern "C" __global__ void count_step(unsigned* step) { *step += 1; }

CRATON_ENTRY(count_step)

// Sets `broken` to the smallest node with a displacement that is not finite; its initial value is larger than any.
extern "C" __global__ void find_broken(const REAL* __restrict__ u, unsigned nodes, unsigned* broken) {
    using namespace craton;
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    bool finite = true;
    for (int c = 0; c < C; ++c) {
        const REAL x = u[(size_t)node * C + c];
        finite = finite && x - x == 0;
    }
    if (!finite) atomicMin(broken, node);
}

CRATON_ENTRY(find_broken)

// Subtracts from the unknown at each node one of the values of `by`; its index is in `closed`.
extern "C" __global__ void lower(REAL* __restrict__ u, unsigned nodes, const unsigned char* __restrict__ closed, const REAL* __restrict__ by) {
    using namespace craton;
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    for (unsigned c = 0; c < C; ++c) u[(size_t)node * C + c] -= by[closed[node]];
}

CRATON_ENTRY(lower)

// Gathers vectors whose components are `stride` apart into blocks of `stride` vectors, `[block][component][vector]`.
extern "C" __global__ void collect(const unsigned* __restrict__ places, unsigned count, const REAL* __restrict__ values,
                                   unsigned stride, REAL* __restrict__ out) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const REAL* from = values + places[index];
    REAL* to = out + (size_t)(index / stride) * C * stride + index % stride;
    for (unsigned c = 0; c < C; ++c) to[(size_t)c * stride] = from[(size_t)c * stride];
}

CRATON_ENTRY(collect)
