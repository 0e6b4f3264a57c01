// What happens at nodes: sources push, sums of forces move them, probes read them.
//
// Compile-time: REAL, POINTS (per axis of an element).

#include "device.cuh"

namespace craton {
namespace {

constexpr int N3 = POINTS * POINTS * POINTS;

// A point source in an element, for a history of one.
struct Source {
    unsigned element, history;
};

// A place in an element where the field is read.
struct Probe {
    unsigned first_node;     // of its N3 nodes in `probe_nodes`
    unsigned first_weight;   // of its weights, `[direction][point]`
    unsigned directions;     // 1: the field; 3: its gradient
    unsigned first_channel;
};

// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v. Both tensors xx, yy, zz, yz, xz, xy.
struct Absorbing {
    REAL damping[6];       // C [kg/s]
    REAL dt_over_mass[6];  // dt (M + dt/2 C)^-1 [s/kg]
};

__device__ __forceinline__ void apply(const REAL (&t)[6], const REAL (&v)[3], REAL (&out)[3]) {
    out[0] = t[0] * v[0] + t[5] * v[1] + t[4] * v[2];
    out[1] = t[5] * v[0] + t[1] * v[1] + t[3] * v[2];
    out[2] = t[4] * v[0] + t[3] * v[1] + t[2] * v[2];
}

}  // namespace
}  // namespace craton

// Adds the forces of all point sources to the slots of their elements. One block; sources in the order of their numbers, a thread per point.
extern "C" __global__ void add_sources(const craton::Source* __restrict__ sources, unsigned count,
                                       const REAL* __restrict__ weights, const REAL* __restrict__ histories,
                                       unsigned steps, const unsigned* __restrict__ step, REAL* __restrict__ slots) {
    using namespace craton;
    for (unsigned s = 0; s < count; ++s) {
        const REAL amplitude = histories[(size_t)sources[s].history * steps + *step];
        REAL* own = slots + (size_t)sources[s].element * 3 * N3;
        for (unsigned value = threadIdx.x; value < 3 * N3; value += blockDim.x) {
            own[value] += amplitude * weights[(size_t)s * 3 * N3 + value];
        }
    }
}

CRATON_ENTRY(add_sources)

// Moves the nodes from `first` on by the sums of their slots: `places[offsets[n]..offsets[n + 1]]` in that order.
//
// A slot stands at `slots[place]`, its other components `stride` further each. Nodes from `first_absorbing` on are damped.
extern "C" __global__ void move_nodes(const unsigned* __restrict__ offsets, const unsigned* __restrict__ places,
                                      const REAL* __restrict__ slots, unsigned stride,
                                      const REAL* __restrict__ dt_over_mass,
                                      const craton::Absorbing* __restrict__ absorbing, unsigned first,
                                      unsigned first_absorbing, unsigned end, REAL dt, REAL* __restrict__ u,
                                      REAL* __restrict__ v) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned node = first + index;
    if (node >= end) return;
    REAL force[3] = {0, 0, 0};
    for (unsigned entry = offsets[index]; entry < offsets[index + 1]; ++entry) {
        const REAL* slot = slots + places[entry];
        for (int c = 0; c < 3; ++c) force[c] += slot[(size_t)c * stride];
    }
    REAL velocity[3], change[3];
    for (int c = 0; c < 3; ++c) velocity[c] = v[(size_t)node * 3 + c];
    if (node < first_absorbing) {
        for (int c = 0; c < 3; ++c) change[c] = dt_over_mass[node] * force[c];
    } else {
        const Absorbing& at = absorbing[node - first_absorbing];
        REAL damped[3];
        apply(at.damping, velocity, damped);
        for (int c = 0; c < 3; ++c) force[c] -= damped[c];
        apply(at.dt_over_mass, force, change);
    }
    for (int c = 0; c < 3; ++c) {
        velocity[c] += change[c];
        v[(size_t)node * 3 + c] = velocity[c];
        u[(size_t)node * 3 + c] += dt * velocity[c];
    }
}

CRATON_ENTRY(move_nodes)

// Samples the velocity, or its gradient, at every probe into the ring: `ring[step % rows][channel]`.
//
// A block of one warp per probe; sums in double, in an order of their own.
extern "C" __global__ void sample(const craton::Probe* __restrict__ probes, unsigned count,
                                  const unsigned* __restrict__ probe_nodes, const double* __restrict__ weights,
                                  const REAL* __restrict__ v, unsigned channels, unsigned rows,
                                  const unsigned* __restrict__ step, REAL* __restrict__ ring) {
    using namespace craton;
    CRATON_SHARED(double, partial);
    const Probe probe = probes[blockIdx.x];
    double sums[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int point = threadIdx.x; point < N3; point += blockDim.x) {
        const REAL* node = v + (size_t)probe_nodes[probe.first_node + point] * 3;
#pragma unroll
        for (unsigned direction = 0; direction < 3; ++direction) {
            if (direction >= probe.directions) break;
            const double weight = weights[probe.first_weight + direction * N3 + point];
            for (int c = 0; c < 3; ++c) sums[c * 3 + direction] += weight * node[c];
        }
    }
    for (int s = 0; s < 9; ++s) partial[s * blockDim.x + threadIdx.x] = sums[s];
    __syncthreads();
    const unsigned value = threadIdx.x;
    if (value < 3 * probe.directions) {
        const unsigned c = value / probe.directions, direction = value % probe.directions;
        double sum = 0;
        for (unsigned thread = 0; thread < blockDim.x; ++thread) sum += partial[(c * 3 + direction) * blockDim.x + thread];
        ring[(size_t)(*step % rows) * channels + probe.first_channel + value] = (REAL)sum;
    }
}

CRATON_ENTRY(sample)

// Counts a step.
extern "C" __global__ void count_step(unsigned* step) { *step += 1; }

CRATON_ENTRY(count_step)

// Sets `broken` to the smallest node that is not finite; it is larger than any to begin with.
extern "C" __global__ void find_broken(const REAL* __restrict__ u, unsigned nodes, unsigned* broken) {
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    bool finite = true;
    for (int c = 0; c < 3; ++c) {
        const REAL x = u[(size_t)node * 3 + c];
        finite = finite && x - x == 0;
    }
    if (!finite) atomicMin(broken, node);
}

CRATON_ENTRY(find_broken)

// Brings a field together at some nodes, `[index][component]`.
extern "C" __global__ void gather_field(const unsigned* __restrict__ nodes, unsigned count, const REAL* __restrict__ field,
                                        REAL* __restrict__ out) {
    const unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
    if (value < 3 * count) out[value] = field[(size_t)nodes[value / 3] * 3 + value % 3];
}

CRATON_ENTRY(gather_field)
