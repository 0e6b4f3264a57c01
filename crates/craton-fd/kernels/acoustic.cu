// Acoustic shots: updates of velocity and pressure, sources and receivers. All shots of a launch have the same model; blockIdx.z is the shot. A thread
// updates WIDTH points along x of one row. In 3D it marches along z, and keeps the values that it differentiates along z in shared memory.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points per thread, at most 16 bytes), AXES (2 for 2D, 3 for 3D), ROWS (per block, of 32 threads each),
// BLOCKS (minimum number of blocks per multiprocessor), RELAXES (whether the pressure relaxes: 0 or 1).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "ring.cuh"
#include "layers.cuh"
#include "shots.cuh"
#include "shot_samples.cuh"
#include "pressure.cuh"

namespace craton {

constexpr unsigned THREADS = 32 * ROWS;
// Size of a cache line [bytes].
constexpr unsigned LINE = 128;

// Applies the layers normal to an axis to a derivative, one side after the other: the memory of both sides at once would take registers of all threads.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ void stretch_slope(const Layers& layers, unsigned sides, const Place& place, Lanes<WIDTH>& slope) {
#pragma unroll
    for (int side = 2 * AXIS; side < 2 * AXIS + 2; ++side) {
        if (!(sides >> side & 1)) continue;
        const Slab& slab = layers.slabs.of_side[side];
        Lanes<WIDTH> memory;
        read(memory_of<AXIS>(layers, slab, place), memory);
        stretch_slope<AXIS, WHOLE>(layers, slab, place, memory, slope);
    }
}

// The points that a thread updates in one plane.
struct Own {
    Place place;
    unsigned end;    // end of the planes of the thread
    unsigned block;  // index in `Sources::starts` of the taps that act on the points; in 3D that of plane 0, which those of the next planes follow
    bool is_driven;  // whether any taps act on the planes of the thread
    unsigned sides;  // bit mask of the sides whose layers contain the points
};

__device__ __forceinline__ unsigned block_of(const Own& own) { return AXES == 2 ? own.block : own.block + own.place.k; }

// Finds the points of a thread; false if it has none. `planes`: number of planes to update; `deep`: planes per thread (in 2D always one).
__device__ __forceinline__ bool locate(const Grid& grid, unsigned half, unsigned planes, unsigned deep, Own& own) {
    const unsigned across = (grid.groups * (GROUP / WIDTH) + 31) / 32, down = AXES == 2 ? 1 : (grid.cells[1] + ROWS - 1) / ROWS;
    const unsigned x = blockIdx.x % across, y = blockIdx.x / across % down, z = blockIdx.x / (across * down), row = threadIdx.x / 32;
    Place& place = own.place;
    place.i = (x * 32 + threadIdx.x % 32) * WIDTH;
    place.j = AXES == 2 ? 0 : y * ROWS + row;
    place.k = AXES == 2 ? z * ROWS + row : z * deep;
    place.at = grid.origin + place.i + place.j * grid.stride[1] + place.k * grid.stride[2];
    own.end = min(AXES == 2 ? place.k + 1 : place.k + deep, planes);
    const unsigned blocks = AXES == 2 ? gridDim.x : across * down * grid.extent[2];
    own.block = (half * gridDim.z + blockIdx.z) * blocks + (AXES == 2 ? blockIdx.x : (across * y + x) * grid.extent[2]);
    return place.i < grid.groups * GROUP && place.j < grid.cells[1] && place.k < planes;
}

// Advances to the next plane.
__device__ __forceinline__ void go_on(const Grid& grid, Own& own) {
    ++own.place.k;
    own.place.at += grid.stride[2];
}

// Prefetches into the L2 cache what the next plane is the first to read, one thread per cache line. `pressure`: whether pressure is updated.
__device__ __forceinline__ void bring_nearer(const Grid& grid, const REAL* factors, const REAL* fields, const Place& place, bool pressure) {
    if (place.i % (LINE / sizeof(REAL)) != 0) return;
    const unsigned next = place.at + grid.stride[2];
#pragma unroll
    for (unsigned field = 0; field < FIELDS; ++field) {
        const bool moves = pressure == (field == PRESSURE);
        // The column already copies the field that is differentiated along z.
        if (moves) prefetch(factors + (size_t)grid.length * field + next);
        if (moves || (pressure && field != AXES - 1)) prefetch(fields + (size_t)grid.length * field + next);
    }
}

// Adds sources to the updated points of a field, and stores them, with their image `image` planes above, beyond a free surface. `is_odd`: the image has
// the opposite sign.
__device__ __forceinline__ void finish(const Grid& grid, const Sources& sources, unsigned step, const Own& own, unsigned field, unsigned image,
                                       bool is_odd, Lanes<WIDTH>& moved, REAL* fields) {
    REAL* const target = fields + (size_t)grid.length * field + own.place.at;
    if (own.is_driven) push(sources, sources.starts[block_of(own)], sources.starts[block_of(own) + 1], field, own.place.at, step, moved);
    write(target, moved);
    if (image == 0) return;
    if (is_odd) {
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    }
    write(target + (size_t)image * grid.stride[2], moved);
}

// Updates a field by its rate and by sources.
template <int D>
__device__ __forceinline__ void move(const Grid& grid, const REAL* factors, REAL (&slopes)[WIDTH][D], const Sources& sources, unsigned step,
                                     const Own& own, unsigned field, unsigned image, bool is_odd, REAL* fields) {
    Lanes<WIDTH> moved, factor;
    read(fields + (size_t)grid.length * field + own.place.at, moved);
    read_once(factors + (size_t)grid.length * field + own.place.at, factor);
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        moved.v[l] = without_negligible(op::add(moved.v[l], rate(factor.v[l], slopes[l])));
    }
    finish(grid, sources, step, own, field, image, is_odd, moved, fields);
}

// Updates a pressure that relaxes, and its memory variables.
__device__ __forceinline__ void move_relaxing(const Grid& grid, const REAL* factors, REAL (&slopes)[WIDTH][AXES], const Sources& sources,
                                              const PressureRelaxation& relaxation, unsigned step, const Own& own, unsigned image, REAL* fields) {
    Lanes<WIDTH> moved, factor, loss, change;
    read(fields + (size_t)grid.length * PRESSURE + own.place.at, moved);
    read_once(factors + (size_t)grid.length * PRESSURE + own.place.at, factor);
    read_once(relaxation.loss + own.place.at, loss);
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        change.v[l] = unrelaxed(rate(factor.v[l], slopes[l]));
        moved.v[l] = op::add(moved.v[l], change.v[l]);
    }
#pragma unroll 1
    for (unsigned set = 0; set < relaxation.sets; ++set) {
        REAL* const at = relaxation.memory + (size_t)grid.length * set + own.place.at;
        Lanes<WIDTH> memory;
        read_once(at, memory);
        relax(relaxation, set, own.place, loss, change, memory, moved);
        if (own.is_driven) {
            push(sources, sources.starts[block_of(own)], sources.starts[block_of(own) + 1], FIELDS + set, own.place.at, step, memory);
        }
        write_once(at, memory);
    }
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) moved.v[l] = without_negligible(moved.v[l]);
    finish(grid, sources, step, own, PRESSURE, image, true, moved, fields);
}

// Updates a velocity component from the derivative of pressure along its axis.
template <int V>
__device__ __forceinline__ void move_velocity(const Grid& grid, const REAL* factors, const Layers& layers, const Sources& sources, unsigned step,
                                              const Own& own, Lanes<WIDTH> slope, REAL* fields) {
    constexpr int AXIS = axis_of(V);
    stretch_slope<AXIS, true>(layers, own.sides, own.place, slope);
    REAL slopes[WIDTH][1];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) slopes[l][0] = slope.v[l];
    const unsigned image = AXIS == 2 ? image_of(grid, 2 * grid.cells[2], own.place.k) : 0;
    move<1>(grid, factors, slopes, sources, step, own, V, image, false, fields);
}

// The derivative of a field of the shot along an axis, from values in global memory.
template <int AXIS, bool WHOLE>
__device__ __forceinline__ Lanes<WIDTH> slope_of(const Grid& grid, const Coefficients& coefficients, const REAL* fields, unsigned field, const Place& place) {
    const REAL* const own = fields + (size_t)grid.length * field + place.at;
    return regular_slope<AXIS, WHOLE, WIDTH>(InField<WIDTH>{own}, (int)grid.stride[AXIS], coefficients.along[AXIS]);
}

// Updates all velocity components; `along_z`: the derivative of pressure along z.
__device__ __forceinline__ void velocities_of(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Layers& layers,
                                              const Sources& sources, unsigned step, const Own& own, const Lanes<WIDTH>& along_z, REAL* fields) {
    move_velocity<AXES - 1>(grid, factors, layers, sources, step, own, along_z, fields);
    // Above the uppermost cells only the vertical velocity at the free surface exists.
    if (own.place.k >= grid.cells[2]) return;
    const Lanes<WIDTH> along_x = slope_of<0, true>(grid, coefficients, fields, PRESSURE, own.place);
    move_velocity<0>(grid, factors, layers, sources, step, own, along_x, fields);
#if AXES == 3
    const Lanes<WIDTH> along_y = slope_of<1, true>(grid, coefficients, fields, PRESSURE, own.place);
    move_velocity<1>(grid, factors, layers, sources, step, own, along_y, fields);
#endif
}

// Updates the pressure; `along_z`: the derivative of the vertical velocity along z.
__device__ __forceinline__ void pressure_of(const Grid& grid, const Coefficients& coefficients, const REAL* factors, const Layers& layers,
                                            const Sources& sources, const PressureRelaxation& relaxation, unsigned step, const Own& own,
                                            const Lanes<WIDTH>& along_z, REAL* fields) {
    Lanes<WIDTH> along[AXES];
    along[0] = slope_of<0, false>(grid, coefficients, fields, 0, own.place);
    stretch_slope<0, false>(layers, own.sides, own.place, along[0]);
#if AXES == 3
    along[1] = slope_of<1, false>(grid, coefficients, fields, 1, own.place);
    stretch_slope<1, false>(layers, own.sides, own.place, along[1]);
#endif
    along[AXES - 1] = along_z;
    stretch_slope<2, false>(layers, own.sides, own.place, along[AXES - 1]);
    REAL slopes[WIDTH][AXES];
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
#pragma unroll
        for (int axis = 0; axis < AXES; ++axis) slopes[l][axis] = along[axis].v[l];
    }
    const unsigned image = image_of(grid, 2 * grid.cells[2] - 1, own.place.k);
    if constexpr (RELAXES) move_relaxing(grid, factors, slopes, sources, relaxation, step, own, image, fields);
    else move<AXES>(grid, factors, slopes, sources, step, own, PRESSURE, image, true, fields);
}

// Performs one half of the step of a shot at the points of a thread, in 3D plane by plane.
template <bool IS_PRESSURE>
__device__ __forceinline__ void move_half(const Grid& grid, unsigned deep, const Coefficients& coefficients, const REAL* factors, const Layers& layers,
                                          const Sources& sources, const PressureRelaxation& relaxation, unsigned step, REAL* fields) {
    // The field that is differentiated along z; the first half takes the derivative at whole points.
    constexpr unsigned UNDER = IS_PRESSURE ? AXES - 1 : PRESSURE;
    Own own;
    if (!locate(grid, IS_PRESSURE, IS_PRESSURE ? grid.cells[2] : grid.extent[2], deep, own)) return;
    own.is_driven = sources.starts[block_of(own)] < sources.starts[block_of(own) + own.end - own.place.k];
    const unsigned across = sides_around(layers, 0, own.place.i) | (AXES == 3 ? sides_around(layers, 1, own.place.j) : 0);
    const auto move_plane = [&](const Lanes<WIDTH>& along_z) {
        own.sides = across | sides_around(layers, 2, own.place.k);
        if constexpr (IS_PRESSURE) {
            pressure_of(grid, coefficients, factors, layers, sources, relaxation, step, own, along_z, fields);
        } else {
            velocities_of(grid, coefficients, factors, layers, sources, step, own, along_z, fields);
        }
    };
#if AXES == 2
    move_plane(slope_of<2, !IS_PRESSURE>(grid, coefficients, fields, UNDER, own.place));
#else
    CRATON_SHARED(Lanes<WIDTH>, columns);
    using Column = Ring<WIDTH, !IS_PRESSURE, THREADS, true>;
    const Column column = {columns + threadIdx.x, fields + (size_t)grid.length * UNDER, (int)grid.stride[2]};
#pragma unroll
    for (int before = Column::SLOTS - 1; before >= 0; --before) column.bring(own.place, -before);
    commit_copies();
#pragma unroll 1
    for (; own.place.k < own.end; go_on(grid, own)) {
        wait_copies<0>();
        const Lanes<WIDTH> along_z = column.derive(own.place, coefficients.along[2]);
        if (own.place.k + 1 < own.end) {
            column.bring(own.place, 1);
            commit_copies();
            bring_nearer(grid, factors, fields, own.place, IS_PRESSURE);
        }
        move_plane(along_z);
    }
#endif
}

}  // namespace craton

// One half of the step of all shots. `memories`: number of memory variables per shot. `deep`: planes per thread. `step`: step within the recording,
// which begins at step `*first`. `loss` to `sets`: relaxation of the pressure.
#define CRATON_MOVE(name, half)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, BLOCKS)                                                       \
        name(craton::Grid grid, unsigned deep, craton::Coefficients coefficients, const REAL* __restrict__ factors,             \
             craton::Slabs slabs, const REAL* __restrict__ profiles, REAL* __restrict__ memory, unsigned memories,              \
             const unsigned* __restrict__ starts, const craton::Tap* __restrict__ taps, const REAL* __restrict__ amplitudes,    \
             unsigned steps, const unsigned* __restrict__ first, unsigned step, REAL* fields, const REAL* __restrict__ loss,    \
             const REAL* __restrict__ mechanisms, REAL* __restrict__ relaxing, unsigned sets) {                                 \
        using namespace craton;                                                                                                 \
        const Layers layers = {slabs, profiles, memory + (size_t)(half * gridDim.z + blockIdx.z) * memories};                   \
        const Sources sources = {starts, taps, amplitudes, steps};                                                              \
        const PressureRelaxation relaxation(grid, loss, mechanisms, relaxing, sets, blockIdx.z);                                \
        REAL* const own = fields + (size_t)blockIdx.z * FIELDS * grid.length;                                                   \
        move_half<half == 1>(grid, deep, coefficients, factors, layers, sources, relaxation, *first + step, own);               \
    }                                                                                                                           \
    CRATON_ENTRY(name)

CRATON_MOVE(move_velocities, 0)
CRATON_MOVE(move_pressure, 1)

// Samples the channels into the ring buffer, see `sample`.
extern "C" __global__ void listen(const uint4* __restrict__ channels, const uint4* __restrict__ blocks,
                                  const REAL* __restrict__ weights, craton::Grid grid, const REAL* __restrict__ fields,
                                  const unsigned* __restrict__ first, unsigned step, unsigned rows, unsigned width, REAL* __restrict__ ring) {
    using namespace craton;
    const auto array_of = [](unsigned field) { return field; };
    sample(channels, blocks, weights, grid, fields, FIELDS, array_of, *first + step, rows, width, ring);
}

CRATON_ENTRY(listen)

// Advances the step counter by the steps of a recording.
extern "C" __global__ void count_steps(unsigned* first, unsigned steps) { *first += steps; }

CRATON_ENTRY(count_steps)
