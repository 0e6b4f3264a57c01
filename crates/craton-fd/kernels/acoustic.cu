// Acoustic shots: velocities from pressure, pressure from velocities, sources and receivers. Shots of one model stand side by side, blockIdx.z; a thread
// owns WIDTH points along x of one row.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points of a thread, at most 16 bytes), AXES (2: a plane, 3: space), ROWS (of a block, each of 32 threads),
// BLOCKS (that a multiprocessor runs at once, at least).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "layers.cuh"
#include "shots.cuh"

namespace craton {

constexpr unsigned THREADS = 32 * ROWS;

// What the layers across an axis make of a derivative.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, const Place& place, Lanes<WIDTH>& slope) {
    Memories<AXIS> memories = recall<AXIS>(layers, place);
    stretch_slope<AXIS, WHOLE>(layers, place, memories, slope);
}

// The points of a thread; false where there are none. `planes` of rows take part.
__device__ __forceinline__ bool locate(const Grid& grid, unsigned planes, Place& place) {
    const unsigned across = (grid.groups * (GROUP / WIDTH) + 31) / 32;
    const unsigned vector = blockIdx.x % across * 32 + threadIdx.x % 32, row = blockIdx.x / across * ROWS + threadIdx.x / 32;
    place.i = vector * WIDTH;
    place.j = AXES == 2 ? 0 : row % grid.cells[1];
    place.k = AXES == 2 ? row : row / grid.cells[1];
    place.at = grid.origin + place.i + place.j * grid.stride[1] + place.k * grid.stride[2];
    return place.i < grid.groups * GROUP && place.k < planes;
}

// Moves a field by its rate and by sources; `image` planes above, beyond a free top, stands its image, with this sign.
template <int D>
__device__ __forceinline__ void move(const Grid& grid, const REAL* factors, REAL (&slopes)[WIDTH][D], const Sources& sources, unsigned block,
                                     unsigned step, unsigned field, const Place& place, unsigned image, bool is_odd, REAL* fields) {
    Lanes<WIDTH> moved, factor;
    REAL* const own = fields + (size_t)grid.length * field + place.at;
    read(own, moved);
    read(factors + (size_t)grid.length * field + place.at, factor);
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        moved.v[l] = without_negligible(op::add(moved.v[l], rate(factor.v[l], slopes[l])));
    }
    push(sources, sources.starts[block], sources.starts[block + 1], field, place.at, step, moved);
    write(own, moved);
    if (image == 0) return;
    if (is_odd) {
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    }
    write(own + (size_t)image * grid.stride[2], moved);
}

template <int V>
__device__ __forceinline__ void move_velocity(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Layers& layers,
                                              const Sources& sources, unsigned block, unsigned step, const Place& place, REAL* fields) {
    constexpr int AXIS = axis_of(V);
    // Above the uppermost cells there is the velocity across the free top alone.
    if (AXIS != 2 && place.k >= grid.cells[2]) return;
    const REAL* const pressure = fields + (size_t)grid.length * PRESSURE + place.at;
    Lanes<WIDTH> slope = regular_slope<AXIS, true, WIDTH>(InField<WIDTH>{pressure}, (int)grid.stride[AXIS], coefficients.along[AXIS]);
    stretch_slope<AXIS, true>(layers, place, slope);
    REAL slopes[WIDTH][1];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) slopes[l][0] = slope.v[l];
    const unsigned image = AXIS == 2 ? image_of(grid, 2 * grid.cells[2], place.k) : 0;
    move<1>(grid, factors, slopes, sources, block, step, V, place, image, false, fields);
}

template <int V>
__device__ __forceinline__ void velocity_slope(const Grid& grid, const Coefficients& coefficients, const Layers& layers, const Place& place,
                                               const REAL* fields, REAL (&slopes)[WIDTH][AXES]) {
    constexpr int AXIS = axis_of(V);
    const REAL* const velocity = fields + (size_t)grid.length * V + place.at;
    Lanes<WIDTH> slope = regular_slope<AXIS, false, WIDTH>(InField<WIDTH>{velocity}, (int)grid.stride[AXIS], coefficients.along[AXIS]);
    stretch_slope<AXIS, false>(layers, place, slope);
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) slopes[l][V] = slope.v[l];
}

// The block among those of all shots, for both halves of the step.
__device__ __forceinline__ unsigned block_number(unsigned half) { return (half * gridDim.z + blockIdx.z) * gridDim.x + blockIdx.x; }

}  // namespace craton

// `memories`: values of the memory of one shot, for a half of the step. `step`: of the recording, which begins with step `*first`.
#define CRATON_SHOTS                                                                                                            \
    craton::Grid grid, craton::Coefficients coefficients, const REAL *__restrict__ factors, craton::Slabs slabs,                \
        const REAL *__restrict__ profiles, REAL *__restrict__ memory, unsigned memories, const unsigned *__restrict__ starts,   \
        const craton::Tap *__restrict__ taps, const REAL *__restrict__ amplitudes, unsigned steps,                              \
        const unsigned *__restrict__ first, unsigned step, REAL *fields
#define CRATON_OWN(half)                                                                                                           \
    using namespace craton;                                                                                                     \
    fields += (size_t)blockIdx.z * FIELDS * grid.length;                                                                        \
    const Layers layers = {slabs, profiles, memory + (size_t)(half * gridDim.z + blockIdx.z) * memories};                                           \
    const Sources sources = {starts, taps, amplitudes, steps};                                                                  \
    const unsigned block = block_number(half), now = *first + step

extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS) move_velocities(CRATON_SHOTS) {
    CRATON_OWN(0);
    Place place;
    if (!locate(grid, grid.extent[2], place)) return;
    move_velocity<0>(grid, coefficients, factors, layers, sources, block, now, place, fields);
    move_velocity<1>(grid, coefficients, factors, layers, sources, block, now, place, fields);
#if AXES == 3
    move_velocity<2>(grid, coefficients, factors, layers, sources, block, now, place, fields);
#endif
}

CRATON_ENTRY(move_velocities)

extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS) move_pressure(CRATON_SHOTS) {
    CRATON_OWN(1);
    Place place;
    if (!locate(grid, grid.cells[2], place)) return;
    REAL slopes[WIDTH][AXES];
    velocity_slope<0>(grid, coefficients, layers, place, fields, slopes);
    velocity_slope<1>(grid, coefficients, layers, place, fields, slopes);
#if AXES == 3
    velocity_slope<2>(grid, coefficients, layers, place, fields, slopes);
#endif
    const unsigned image = image_of(grid, 2 * grid.cells[2] - 1, place.k);
    move<AXES>(grid, factors, slopes, sources, block, now, PRESSURE, place, image, true, fields);
}

CRATON_ENTRY(move_pressure)

// Samples the channels of some fields into the ring, `ring[step % rows][channel]`. `channels[n]`: number, shot, first tap and end.
extern "C" __global__ void listen(const uint4* __restrict__ channels, unsigned count, const craton::Tap* __restrict__ taps, unsigned length,
                                  const REAL* __restrict__ fields, const unsigned* __restrict__ first, unsigned step, unsigned rows,
                                  unsigned width, REAL* __restrict__ ring) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const uint4 channel = channels[index];
    const REAL* const own = fields + (size_t)channel.y * FIELDS * length;
    REAL sum = 0;
    for (unsigned n = channel.z; n < channel.w; ++n) {
        const Tap tap = taps[n];
        sum = op::add(sum, op::mul((REAL)tap.weight, own[(size_t)length * tap.field + tap.at]));
    }
    ring[(size_t)((*first + step) % rows) * width + channel.x] = sum;
}

CRATON_ENTRY(listen)

// Counts the steps of a recording.
extern "C" __global__ void count_steps(unsigned* first, unsigned steps) { *first += steps; }

CRATON_ENTRY(count_steps)
