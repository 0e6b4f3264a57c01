// Operations on selected points: sources, halos, paraxial walls, messages and probes.
//
// Compile-time: REAL.

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"

namespace craton {
namespace {

// A value to which sources add, and its range of `amounts`: what each source adds for a factor of one.
struct Target {
    unsigned field, at, first, end;
};

// Step of the first factor of a source, number of its factors, and their place in the list of all; the last one holds for all later steps.
struct History {
    unsigned first, factors, place;
};

// A channel: the component of velocity, and its range of points and weights.
struct Channel {
    unsigned component, first, end;
};

// A box of points that a message or a frame contains: index of the first point, points along each axis, numbers of three fields, offset of its values
// in the message, threads per row, first thread.
struct Face {
    unsigned first, size[3], fields[3], start, lanes, thread;
};

// Calls `move` with the index of each value of a message in the fields and in the message. A thread searches for its row once and copies several of its values.
template <class Move>
__device__ __forceinline__ void for_each_value(const Grid& grid, const Face* faces, unsigned count, unsigned threads, Move move) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= threads) return;
    unsigned number = 0;
    while (number + 1 < count && index >= faces[number + 1].thread) ++number;
    const Face& face = faces[number];
    const unsigned lanes = face.lanes, x = face.size[0], y = face.size[1], z = face.size[2];
    const unsigned row = (index - face.thread) / lanes, lane = (index - face.thread) % lanes;
    const unsigned plane = row / y, j = row % y, which = plane / z, k = plane % z;
    const unsigned field = which == 0 ? face.fields[0] : which == 1 ? face.fields[1] : face.fields[2];
    const size_t place = (size_t)grid.length * field + face.first + j * grid.stride[1] + k * grid.stride[2];
    const unsigned at = face.start + row * x;
#pragma unroll 4
    for (unsigned i = lane; i < x; i += lanes) move(place + i, at + i);
}

}  // namespace
}  // namespace craton

// Adds the contributions of all its sources to each target, source after source.
extern "C" __global__ void add_sources(const craton::Target* __restrict__ targets, unsigned count,
                                       const double* __restrict__ amounts, const unsigned* __restrict__ origins,
                                       const craton::History* __restrict__ histories,
                                       const double* __restrict__ factors, const unsigned* __restrict__ step, unsigned length,
                                       REAL* __restrict__ fields) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const Target target = targets[index];
    REAL* const value = fields + (size_t)length * target.field + target.at;
    REAL sum = *value;
    for (unsigned n = target.first; n < target.end; ++n) {
        const History history = histories[origins[n]];
        if (*step < history.first) continue;
        const double factor = factors[history.place + min(*step - history.first, history.factors - 1)];
        sum = (REAL)op::add((double)sum, op::mul(factor, amounts[n]));
    }
    *value = sum;
}

CRATON_ENTRY(add_sources)

// Fills the halos of three fields at both ends of a periodic axis from the opposite ends.
extern "C" __global__ void fill_halos(craton::Grid grid, unsigned axis, unsigned halo, uint4 numbers, REAL* fields) {
    using namespace craton;
    const unsigned n = axis == 0 ? grid.cells[0] : axis == 1 ? grid.cells[1] : grid.cells[2];
    const unsigned x = axis == 0 ? 2 * halo : grid.extent[0], y = axis == 1 ? 2 * halo : grid.extent[1],
                   z = axis == 2 ? 2 * halo : grid.extent[2];
    const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x, points = (size_t)x * y * z;
    if (index >= 3 * points) return;
    const unsigned which = (unsigned)(index / points), point = (unsigned)(index % points);
    const unsigned i = point % x, j = point / x % y, k = point / x / y, along = axis == 0 ? i : axis == 1 ? j : k;
    const unsigned number = which == 0 ? numbers.x : which == 1 ? numbers.y : numbers.z;
    size_t first = (size_t)grid.length * number + grid.origin;
    if (axis != 0) first += i;
    if (axis != 1) first += (size_t)j * grid.stride[1];
    if (axis != 2) first += (size_t)k * grid.stride[2];
    // The lower half of the indices is the lower halo, the upper half the upper one.
    const long long stride = axis == 0 ? 1 : axis == 1 ? grid.stride[1] : grid.stride[2];
    const long long to = along < halo ? (long long)along - halo : (long long)n + along - halo;
    const long long from = along < halo ? (long long)n + along - halo : (long long)along - halo;
    fields[(long long)first + to * stride] = fields[(long long)first + from * stride];
}

CRATON_ENTRY(fill_halos)

// Packs the values for the neighbours into a message.
extern "C" __global__ void pack_faces(craton::Grid grid, const craton::Face* __restrict__ faces, unsigned count, unsigned threads,
                                      const REAL* __restrict__ fields, REAL* __restrict__ message) {
    craton::for_each_value(grid, faces, count, threads, [&](size_t place, unsigned at) { message[at] = fields[place]; });
}

CRATON_ENTRY(pack_faces)

// Unpacks a message from the neighbours into the halo.
extern "C" __global__ void unpack_faces(craton::Grid grid, const craton::Face* __restrict__ faces, unsigned count, unsigned threads,
                                        REAL* __restrict__ fields, const REAL* __restrict__ message) {
    craton::for_each_value(grid, faces, count, threads, [&](size_t place, unsigned at) { fields[place] = message[at]; });
}

CRATON_ENTRY(unpack_faces)

// Adds the displacement of one step to the displacements of a box.
extern "C" __global__ void add_step(craton::Grid grid, const craton::Face* __restrict__ faces, unsigned count, unsigned threads,
                                    const REAL* __restrict__ fields, REAL* __restrict__ sums, REAL dt) {
    using namespace craton;
    for_each_value(grid, faces, count, threads,
                   [&](size_t place, unsigned at) { sums[at] = op::add(sums[at], op::mul(dt, fields[place])); });
}

CRATON_ENTRY(add_step)

// Prescribes the velocities at a paraxial side. `places[n]`: component, outermost point and the point next to it.
extern "C" __global__ void fill_wall(const uint3* __restrict__ places, unsigned count, const REAL* __restrict__ ratio, unsigned length,
                                     REAL* __restrict__ past, REAL* velocities) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const uint3 place = places[index];
    REAL* const values = velocities + (size_t)length * place.x;
    const REAL inner = values[place.z];
    values[place.y] = op::add(past[index], op::mul(ratio[index], op::sub(inner, values[place.y])));
    past[index] = inner;
}

CRATON_ENTRY(fill_wall)

// Samples all channels into the ring buffer, `ring[step % rows][channel]`: one warp per channel, sums in double precision, in an order specific to this kernel.
extern "C" __global__ void sample(const craton::Channel* __restrict__ channels, unsigned count, const unsigned* __restrict__ places,
                                  const double* __restrict__ weights, const REAL* __restrict__ velocities, unsigned length, unsigned rows,
                                  const unsigned* __restrict__ step, REAL* __restrict__ ring) {
    using namespace craton;
    CRATON_SHARED(double, partial);
    const Channel channel = channels[blockIdx.x];
    const REAL* const values = velocities + (size_t)length * channel.component;
    double sum = 0;
    for (unsigned n = channel.first + threadIdx.x; n < channel.end; n += blockDim.x) {
        sum = op::add(sum, op::mul(weights[n], (double)values[places[n]]));
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned thread = 1; thread < blockDim.x; ++thread) sum = op::add(sum, partial[thread]);
    ring[(size_t)(*step % rows) * count + blockIdx.x] = (REAL)sum;
}

CRATON_ENTRY(sample)

// Increments the step counter.
extern "C" __global__ void count_step(unsigned* step) { *step += 1; }

CRATON_ENTRY(count_step)

// Sets `broken` to the smallest number of a cell with a velocity that is not finite; its initial value is larger than any.
extern "C" __global__ void find_broken(craton::Grid grid, const REAL* __restrict__ velocities, unsigned long long* broken) {
    const unsigned x = grid.cells[0], y = grid.cells[1], z = grid.cells[2];
    const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= (size_t)x * y * z) return;
    const unsigned i = (unsigned)(index % x), j = (unsigned)(index / x % y), k = (unsigned)(index / x / y);
    const unsigned at = grid.origin + i + j * grid.stride[1] + k * grid.stride[2];
    bool finite = true;
    for (unsigned c = 0; c < 3; ++c) {
        const REAL value = velocities[(size_t)grid.length * c + at];
        finite = finite && value - value == 0;
    }
    if (!finite) atomicMin(broken, (unsigned long long)index);
}

CRATON_ENTRY(find_broken)
