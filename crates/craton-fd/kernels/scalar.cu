// Acoustic shots of constant density: the scalar wave equation in 3D. All shots of a launch have the same model; blockIdx.z is the shot. A thread updates WIDTH
// points along x of one row, marches along z, and keeps the values that the second derivative along z reads in registers. Points in absorbing layers are those of
// other thread blocks, with code of their own, so that points between the layers cost what they cost without layers.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points per thread, at most 16 bytes), AXES (3), THREADS (per block), BLOCKS (minimum number of blocks
// per multiprocessor).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "ring.cuh"
#include "layers.cuh"
#include "shots.cuh"
#include "shot_samples.cuh"
#include "scalar_layers.cuh"
#include "counter.cuh"

namespace craton {

// Largest number of boxes: between the layers, in the layer of a side alone, and at edges where layers meet.
constexpr int BOXES = 19;
// Values before the first one of the arrays of all shots, so that rows begin at cache lines.
constexpr unsigned LEAD = 16;

// A box of points with thread blocks of its own, which advance along x, then y, then z.
struct Box {
    unsigned first;     // its first block
    unsigned kind;      // the side whose layer contains it, 6 if there are several, 7 if there is none
    unsigned start[3];  // first point along each axis
    unsigned end[3];    // end of the points
    unsigned from;      // point along x of the first thread, at most the first one
    unsigned across;    // blocks along x
    unsigned wide;      // threads of a block along x
    unsigned deep;      // planes per thread
};

// The boxes of a launch. Thread blocks of the first one, which is that between the layers, come last.
struct Boxes {
    unsigned others;  // thread blocks of the other boxes
    Box of[BOXES];
};

// Coefficients of the second derivative over the square of the spacing, from the centre outward, and of the first derivative in layers.
struct Weights {
    REAL second[3][9];
    REAL first[3][2];
};

// The arrays of a shot, and what all shots share.
struct Shot {
    const REAL* now;       // pressure at this step
    REAL* next;            // pressure at the previous step, which becomes that of the next one
    const REAL* factor;    // c² dt²
    const Sources& sources;
    unsigned step;
    unsigned blocks;       // index in `Sources::starts` of the first block of the shot
    unsigned columns;      // blocks of sources along x
    unsigned rows;         // rows of a block of sources
};

struct Own {
    Place place;
    unsigned end;    // end of the planes of the thread
    unsigned block;  // index in `Sources::starts` of the taps that act on the points in plane 0
    bool is_driven;  // whether any taps act on the points of the thread
};

// Finds the points of a thread of a box; false if it has none.
__device__ __forceinline__ bool locate(const Grid& grid, const Box& box, const Shot& shot, Own& own) {
    const unsigned row = threadIdx.x / box.wide, column = threadIdx.x - row * box.wide, rows = THREADS / box.wide;
    const unsigned down = (box.end[1] - box.start[1] + rows - 1) / rows;
    const unsigned block = blockIdx.x - box.first, x = block % box.across, y = block / box.across % down, z = block / (box.across * down);
    Place& place = own.place;
    place.i = box.from + (x * box.wide + column) * WIDTH;
    place.j = box.start[1] + y * rows + row;
    place.k = box.start[2] + z * box.deep;
    place.at = grid.origin + place.i + place.j * grid.stride[1] + place.k * grid.stride[2];
    own.end = min(place.k + box.deep, box.end[2]);
    if (row >= rows || place.i < box.start[0] || place.i >= box.end[0] || place.j >= box.end[1] || place.k >= box.end[2]) return false;
    own.block = shot.blocks + (place.i / (32 * WIDTH) + shot.columns * (place.j / shot.rows)) * grid.extent[2];
    own.is_driven = shot.sources.starts[own.block + place.k] < shot.sources.starts[own.block + own.end];
    return true;
}

// Values along z from HALF_LENGTH planes below the current one to as many above it.
struct Column {
    Lanes<WIDTH> at[2 * HALF_LENGTH + 1];

    // Reads all but the last value of the first plane.
    __device__ __forceinline__ void begin(const REAL* own, unsigned stride) {
#pragma unroll
        for (int m = 0; m < 2 * HALF_LENGTH; ++m) read(own + (m - HALF_LENGTH) * (int)stride, at[m + 1]);
    }

    // Advances to the plane of `own`.
    __device__ __forceinline__ void arrive(const REAL* own, unsigned stride) {
#pragma unroll
        for (int m = 0; m < 2 * HALF_LENGTH; ++m) at[m] = at[m + 1];
        read(own + HALF_LENGTH * (int)stride, at[2 * HALF_LENGTH]);
    }
};

// Adds a pair of values to a second derivative.
__device__ __forceinline__ void add_pair(REAL weight, const Lanes<WIDTH>& above, const Lanes<WIDTH>& below, Lanes<WIDTH>& sum) {
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) sum.v[l] = op::fma(weight, op::add(above.v[l], below.v[l]), sum.v[l]);
}

__device__ __forceinline__ Lanes<WIDTH> centre_of(REAL weight, const Lanes<WIDTH>& own) {
    Lanes<WIDTH> sum;
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) sum.v[l] = op::mul(weight, own.v[l]);
    return sum;
}

// The second derivative along x.
__device__ __forceinline__ Lanes<WIDTH> second_along_x(const Row& row, const Lanes<WIDTH>& own, const REAL* weights) {
    Lanes<WIDTH> sum = centre_of(weights[0], own);
#pragma unroll
    for (int m = 1; m <= HALF_LENGTH; ++m) add_pair(weights[m], row.at(m), row.at(-m), sum);
    return sum;
}

__device__ __forceinline__ Lanes<WIDTH> second_across(const REAL* now, unsigned stride, const Lanes<WIDTH>& own, const REAL* weights) {
    Lanes<WIDTH> sum = centre_of(weights[0], own);
#pragma unroll
    for (int m = 1; m <= HALF_LENGTH; ++m) {
        Lanes<WIDTH> above, below;
        read(now + m * (int)stride, above);
        read(now - m * (int)stride, below);
        add_pair(weights[m], above, below, sum);
    }
    return sum;
}

__device__ __forceinline__ Lanes<WIDTH> second_along_z(const Column& column, const REAL* weights) {
    Lanes<WIDTH> sum = centre_of(weights[0], column.at[HALF_LENGTH]);
#pragma unroll
    for (int m = 1; m <= HALF_LENGTH; ++m) add_pair(weights[m], column.at[HALF_LENGTH + m], column.at[HALF_LENGTH - m], sum);
    return sum;
}

// Updates the points of a thread in a plane from their second derivatives, with sources and images beyond a free surface.
__device__ __forceinline__ void finish(const Grid& grid, const Shot& shot, const Own& own, const Lanes<WIDTH>& centre, const Lanes<WIDTH>& before,
                                       const Lanes<WIDTH>& factor, const Lanes<WIDTH> (&second)[3]) {
    Lanes<WIDTH> moved;
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        const REAL sum = op::add(op::add(second[0].v[l], second[1].v[l]), second[2].v[l]);
        const REAL increment = op::sub(centre.v[l], before.v[l]);
        moved.v[l] = without_negligible(op::add(centre.v[l], op::fma(factor.v[l], sum, increment)));
    }
    const Place& place = own.place;
    if (own.is_driven) {
        const unsigned block = own.block + place.k;
        push(shot.sources, shot.sources.starts[block], shot.sources.starts[block + 1], PRESSURE, place.at, shot.step, moved);
    }
    REAL* const target = shot.next + place.at;
    write_once(target, moved);
    const unsigned image = image_of(grid, 2 * grid.cells[2] - 1, place.k);
    if (image == 0) return;
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    write_once(target + (size_t)image * grid.stride[2], moved);
}

// Reads the values of the points that are used once.
__device__ __forceinline__ void bring(const Shot& shot, unsigned at, Lanes<WIDTH>& before, Lanes<WIDTH>& factor) {
    read_once(shot.next + at, before);
    read_once(shot.factor + at, factor);
}

// Updates the points of a thread between the layers.
__device__ __forceinline__ void march(const Grid& grid, const Weights& weights, const Shot& shot, Own& own) {
    Place& place = own.place;
    Column column;
    column.begin(shot.now + place.at, grid.stride[2]);
#pragma unroll 1
    for (; place.k < own.end; ++place.k, place.at += grid.stride[2]) {
        const REAL* const now = shot.now + place.at;
        Lanes<WIDTH> before, factor, second[3];
        bring(shot, place.at, before, factor);
        column.arrive(now, grid.stride[2]);
        const Lanes<WIDTH>& centre = column.at[HALF_LENGTH];
        second[0] = second_along_x(Row(now, centre), centre, weights.second[0]);
        second[1] = second_across(now, grid.stride[1], centre, weights.second[1]);
        second[2] = second_along_z(column, weights.second[2]);
        finish(grid, shot, own, centre, before, factor, second);
    }
}

// Updates the points of a thread in the layer of a side alone. Its memory leaves no registers for values along z.
template <int SIDE>
__device__ __forceinline__ void march_in_layer(const Grid& grid, const Weights& weights, const Shot& shot, const ScalarLayers& layers, Own& own) {
    constexpr int AXIS = SIDE / 2;
    Place& place = own.place;
#pragma unroll 1
    for (; place.k < own.end; ++place.k, place.at += grid.stride[2]) {
        const REAL* const now = shot.now + place.at;
        Lanes<WIDTH> centre, before, factor, second[3];
        Stretch<SIDE> side;
        side.recall(layers, place);
        read(now, centre);
        const Row row(now, centre);
        bring(shot, place.at, before, factor);
        second[0] = second_along_x(row, centre, weights.second[0]);
        second[1] = second_across(now, grid.stride[1], centre, weights.second[1]);
        second[2] = second_across(now, grid.stride[2], centre, weights.second[2]);
        if constexpr (AXIS == 0) side.apply(row, weights.first[0], second[0], 0);
        else side.apply(InField<WIDTH>{now}, weights.first[AXIS], second[AXIS], (int)grid.stride[AXIS]);
        finish(grid, shot, own, centre, before, factor, second);
    }
}

// Updates the points of a thread where layers meet.
__device__ __forceinline__ void march_in_layers(const Grid& grid, const Weights& weights, const Shot& shot, const ScalarLayers& layers, Own& own) {
    Place& place = own.place;
    const unsigned across = sides_of(layers, 0, place.i) | sides_of(layers, 1, place.j);
#pragma unroll 1
    for (; place.k < own.end; ++place.k, place.at += grid.stride[2]) {
        const REAL* const now = shot.now + place.at;
        const unsigned sides = across | sides_of(layers, 2, place.k);
        Lanes<WIDTH> centre, before, factor, second[3];
        read(now, centre);
        const Row row(now, centre);
        second[0] = second_along_x(row, centre, weights.second[0]);
        stretch<0>(layers, sides, place, row, weights.first[0], second[0]);
        second[1] = second_across(now, grid.stride[1], centre, weights.second[1]);
        stretch<1>(layers, sides, place, InField<WIDTH>{now}, weights.first[1], second[1], (int)grid.stride[1]);
        second[2] = second_across(now, grid.stride[2], centre, weights.second[2]);
        stretch<2>(layers, sides, place, InField<WIDTH>{now}, weights.first[2], second[2], (int)grid.stride[2]);
        bring(shot, place.at, before, factor);
        finish(grid, shot, own, centre, before, factor, second);
    }
}

// The box of a thread block.
__device__ __forceinline__ const Box& box_of(const Boxes& boxes) {
    if (blockIdx.x >= boxes.others) return boxes.of[0];
    int found = 1;
    for (int box = 2; box < BOXES; ++box) {
        if (blockIdx.x >= boxes.of[box].first) found = box;
    }
    return boxes.of[found];
}

}  // namespace craton

// A step of all shots. `memories`: number of memory variables per shot. `step`: step within the recording, which begins at step `*first`. `columns`, `rows`:
// blocks of sources along x, and their rows.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    advance(craton::Grid grid, craton::Boxes boxes, craton::Weights weights, const REAL* __restrict__ factor, craton::ScalarSlabs slabs,
            const REAL* __restrict__ profiles, REAL* __restrict__ memory, unsigned memories, const unsigned* __restrict__ starts,
            const craton::Tap* __restrict__ taps, const REAL* __restrict__ amplitudes, unsigned steps, unsigned columns, unsigned rows,
            const unsigned* __restrict__ first, unsigned step, REAL* fields) {
    using namespace craton;
    const unsigned now = *first + step, down = (grid.cells[1] + rows - 1) / rows, odd = now & 1;
    const Sources sources = {starts, taps, amplitudes, steps};
    REAL* const pressure = fields + LEAD + (size_t)blockIdx.z * 2 * grid.length;
    const Shot shot = {pressure + (size_t)odd * grid.length, pressure + (size_t)(1 - odd) * grid.length, factor + LEAD, sources, now,
                       (gridDim.z + blockIdx.z) * columns * down * grid.extent[2], columns, rows};
    const ScalarLayers layers = {slabs, profiles, memory + (size_t)blockIdx.z * memories, odd};
    const Box& box = box_of(boxes);
    Own own;
    if (!locate(grid, box, shot, own)) return;
    switch (box.kind) {
        case 0: return march_in_layer<0>(grid, weights, shot, layers, own);
        case 1: return march_in_layer<1>(grid, weights, shot, layers, own);
        case 2: return march_in_layer<2>(grid, weights, shot, layers, own);
        case 3: return march_in_layer<3>(grid, weights, shot, layers, own);
        case 4: return march_in_layer<4>(grid, weights, shot, layers, own);
        case 5: return march_in_layer<5>(grid, weights, shot, layers, own);
        case 6: return march_in_layers(grid, weights, shot, layers, own);
        default: return march(grid, weights, shot, own);
    }
}

CRATON_ENTRY(advance)

// Samples the channels of pressure into the ring buffer: see `shot_samples.cuh`.
extern "C" __global__ void listen(const uint4* __restrict__ channels, const uint4* __restrict__ blocks, const REAL* __restrict__ weights, craton::Grid grid,
                                  const REAL* __restrict__ fields, const unsigned* __restrict__ first, unsigned step, unsigned rows, unsigned width,
                                  REAL* __restrict__ ring) {
    using namespace craton;
    const unsigned now = *first + step;
    // The pressure after the step.
    sample(channels, blocks, weights, grid, fields + LEAD, 2, [now](unsigned) { return (now + 1) & 1; }, now, rows, width, ring);
}

CRATON_ENTRY(listen)
