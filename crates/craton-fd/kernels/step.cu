// Both halves of a step: update of velocities from stresses, and of stresses from velocities.
//
// `*_plain` updates regular points, `*_in_layers` those of boxes in absorbing layers: a thread updates WIDTH points along x, marches along z, keeps
// the values that it differentiates along z in shared memory, and reads the neighbours' values from the L1 cache. `*_folded` updates the few points
// near interfaces, which are in a list, with one thread per point, and applies the factors of points with several solids.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points per thread, at most 16 bytes), RELAXES (1: only the stresses, which relax).

#define CRATON_SWIFT_DIVISION
#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"

#include "slopes.cuh"
#include "ring.cuh"
#include "column.cuh"
#include "elastic_slopes.cuh"
#include "layers.cuh"
#include "moves.cuh"
#include "relaxation.cuh"

#ifndef RELAXES
#define RELAXES 0
#endif

namespace craton {

// Size of a cache line [bytes].
constexpr unsigned LINE = 128;
// Bit masks of the axes that may have layers normal to them.
constexpr unsigned NO_AXIS = 0, AXIS_X = 1, ALL_AXES = 7;

// A box of points and its distribution over thread blocks.
struct Box {
    unsigned first[3], end[3];  // range of points; along x in vectors of WIDTH points
    unsigned across, rows;      // threads per block along x and y
    unsigned planes;            // planes per thread
    unsigned blocks[2];         // blocks along x and y
    unsigned first_block;
};

// The box of a block.
__device__ __forceinline__ const Box& box_of(const Box* boxes, unsigned count, unsigned block) {
    unsigned box = 0;
    while (box + 1 < count && block >= boxes[box + 1].first_block) ++box;
    return boxes[box];
}

// The marks of the group that contains the points: a bit for each quad near an interface, whose points are in the list.
__device__ __forceinline__ unsigned marks_of(const unsigned char* marks, const Grid& grid, const Place& at, unsigned k) {
    return marks[(k * grid.extent[1] + at.j) * grid.groups + at.i / GROUP];
}

// Updates all fields at some points, and relaxes stresses.
template <Half HALF, int W, class Slopes>
__device__ __forceinline__ void step(const Material& material, const Slopes& slopes, const Relaxation& relaxation, Targets<HALF, W>& to) {
    if constexpr (RELAXES) {
#pragma unroll
        for (int field = 0; field < fields_of(HALF); ++field) to.take(field);
        relax_all(relaxation, material, slopes, to);
    }
    move<HALF, RELAXES>(material, slopes, to);
}

// Prefetches into the L2 cache what the next plane is the first to read, one thread per cache line. Short stencils benefit only from prefetches of the
// differentiated fields, long ones and relaxing stresses from those of all arrays.
template <Half HALF>
__device__ __forceinline__ void bring_nearer(const Grid& grid, const Place& place, const REAL* sources, const Material& material, const REAL* targets,
                                             const Relaxation& relaxation) {
    if (place.i % (LINE / sizeof(REAL)) != 0) return;
    const unsigned next = place.at + grid.stride[2];
#pragma unroll
    for (int field = 0; field < fields_of(HALF == VELOCITIES ? STRESSES : VELOCITIES); ++field) {
        const int row = row_along_z(HALF, field);
        if (row == 3) {
            prefetch(sources + (size_t)grid.length * field + next);
        } else if (!Column<HALF, WIDTH, true>::AHEAD) {
            prefetch(sources + (size_t)grid.length * field + next + reach_along_z(HALF, row) * grid.stride[2]);
        }
    }
    if (HALF_LENGTH <= 2 && !RELAXES) return;
#pragma unroll
    for (int field = 0; field < fields_of(HALF); ++field) prefetch(targets + (size_t)grid.length * field + next);
    if (HALF == VELOCITIES) {
        prefetch(material.rho + next);
    } else {
        prefetch(material.lambda + next);
        prefetch(material.inverse_mu + next);
    }
    if constexpr (RELAXES) {
        prefetch(relaxation.bulk + next);
        prefetch(relaxation.shear + next);
        for (unsigned variable = 0; variable < relaxation.sets * COMPONENTS; ++variable) prefetch(relaxation.memory + (size_t)grid.length * variable + next);
    }
}

template <Half HALF, unsigned AXES, int W>
__device__ __forceinline__ void march(const Grid& grid, const Coefficients& coefficients, const Box* boxes, unsigned count,
                                      const unsigned char* marks, const REAL* sources, const Material& material, const Layers& layers,
                                      const Sponge& sponge, REAL dt, REAL* targets, const Relaxation& relaxation) {
    constexpr bool KEEPS = AXES == NO_AXIS || HALF_LENGTH > 2;
    const Box& box = box_of(boxes, count, blockIdx.x);
    const unsigned block = blockIdx.x - box.first_block, x = threadIdx.x % box.across, y = threadIdx.x / box.across;
    const unsigned layer = box.blocks[0] * box.blocks[1];
    const unsigned vector = box.first[0] + block % box.blocks[0] * box.across + x;
    const unsigned j = box.first[1] + block / box.blocks[0] % box.blocks[1] * box.rows + y;
    const unsigned first = box.first[2] + block / layer * box.planes, end = min(first + box.planes, box.end[2]);
    if (y >= box.rows || vector >= box.end[0] || j >= box.end[1]) return;
    Place place = {vector * W, j, first, grid.origin + vector * W + j * grid.stride[1] + first * grid.stride[2]};
    unsigned across = 0;
    if constexpr (AXES & 1) across |= sides_around(layers, 0, place.i);
    if constexpr (AXES & 2) across |= sides_around(layers, 1, j);
    CRATON_SHARED(Lanes<W>, columns);
    Column<HALF, W, KEEPS> column = {columns + threadIdx.x, sources, grid, coefficients.along[2], {}};
    column.begin(place);
    // Marks are read one plane ahead, because no other read starts before they are known.
    unsigned ahead = marks_of(marks, grid, place, first);
#pragma unroll 1
    for (; place.k < end; ++place.k, place.at += grid.stride[2]) {
        const bool more = place.k + 1 < end;
        column.arrive(place);
        const unsigned own = ahead;
        ahead = marks_of(marks, grid, place, min(place.k + 1, end - 1));
        if (more) bring_nearer<HALF>(grid, place, sources, material, targets, relaxation);
        if (own >> (place.i % GROUP / QUAD) & 1) {
            column.pass(place, more);
            continue;
        }
        column.take(place, more);
        const RegularSlopes<HALF, W, KEEPS> slopes = {column, coefficients, place};
        Targets<HALF, W> to = {targets, grid, sponge, dt, place, HALF == STRESSES && KEEPS, {}};
        const unsigned along_z = AXES & 4 ? sides_around(layers, 2, place.k) : 0;
        step(material, Stretched<HALF, AXES, W>(slopes, layers, across | along_z), relaxation, to);
    }
}

// Updates the points near interfaces. `list[n]`: number of a quad in its row, row, plane, class.
template <Half HALF>
__device__ __forceinline__ void follow(const Grid& grid, const Coefficients& coefficients, const uint4* list, unsigned count, const unsigned* classes, const REAL* taps,
                                       const REAL* factors, const REAL* sources, const Material& material, const Layers& layers, const Sponge& sponge, REAL dt,
                                       REAL* targets, const Relaxation& relaxation) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index / QUAD >= count) return;
    const uint4 entry = list[index / QUAD];
    const unsigned i = entry.x * QUAD + index % QUAD;
    if (i >= grid.extent[0]) return;
    const Place place = {i, entry.y, entry.z, grid.origin + i + entry.y * grid.stride[1] + entry.z * grid.stride[2]};
    const FoldedSlopes<HALF> slopes = {sources, grid, coefficients, classes, taps, place, entry.w};
    const unsigned sides = sides_around(layers, 0, place.i) | sides_around(layers, 1, place.j) | sides_around(layers, 2, place.k);
    Targets<HALF, 1> to = {targets, grid, sponge, dt, place, false, {}};
    Stretched<HALF, ALL_AXES, 1> stretched(slopes, layers, sides);
    const unsigned mixing = classes[entry.w * PATTERN + PATTERN - 1];
    if (mixing > 0) mix<HALF>(factors + (size_t)(mixing - 1) * (mixed_of(HALF) * GROUP) + place.i % GROUP, stretched.values);
    step(material, stretched, relaxation, to);
}

}  // namespace craton

// The arguments of all kernels after those of the points. `sources`: the differentiated fields; `targets`: the updated fields, `[field][index]`.
#define CRATON_MEDIUM                                                                                                   \
    const REAL *__restrict__ sources, const REAL *__restrict__ lambda, const REAL *__restrict__ inverse_mu,             \
        const REAL *__restrict__ rho, craton::Slabs slabs, const REAL *__restrict__ factors,                             \
        REAL *__restrict__ memory, const REAL *__restrict__ sponge, craton::SpongeShape shape, REAL dt,                 \
        REAL *__restrict__ targets CRATON_RELAXATION
#define CRATON_GIVEN sources, {lambda, inverse_mu, rho}, {slabs, factors, memory}, {sponge, shape}, dt, targets, CRATON_RELAXED
#if RELAXES
#define CRATON_RELAXATION \
    , const REAL *__restrict__ bulk, const REAL *__restrict__ shear, const REAL *__restrict__ mechanisms, REAL *__restrict__ relaxing, unsigned sets
#define CRATON_RELAXED {bulk, shear, mechanisms, relaxing, sets}
#else
#define CRATON_RELAXATION
#define CRATON_RELAXED {}
#endif

// Kernel for the regular points of boxes.
#define CRATON_MARCH(name, half, axes)                                                                                  \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, 2)                                                    \
        name(craton::Grid grid, craton::Coefficients coefficients, const craton::Box* __restrict__ boxes,               \
             unsigned count, const unsigned char* __restrict__ marks, CRATON_MEDIUM) {                                  \
        craton::march<craton::half, craton::axes, WIDTH>(grid, coefficients, boxes, count, marks, CRATON_GIVEN);        \
    }                                                                                                                   \
    CRATON_ENTRY(name)

// Kernel for the points near interfaces, quad by quad.
#define CRATON_FOLLOW(name, half)                                                                                       \
    extern "C" __global__ void __launch_bounds__(craton::THREADS, 3)                                                    \
        name(craton::Grid grid, craton::Coefficients coefficients, const uint4* __restrict__ list, unsigned count,      \
             const unsigned* __restrict__ classes, const REAL* __restrict__ taps, const REAL* __restrict__ mixings,     \
             CRATON_MEDIUM) {                                                                                           \
        craton::follow<craton::half>(grid, coefficients, list, count, classes, taps, mixings, CRATON_GIVEN);            \
    }                                                                                                                   \
    CRATON_ENTRY(name)

#if !RELAXES
CRATON_MARCH(velocities_plain, VELOCITIES, NO_AXIS)
CRATON_MARCH(velocities_beside, VELOCITIES, AXIS_X)
CRATON_MARCH(velocities_in_layers, VELOCITIES, ALL_AXES)
CRATON_FOLLOW(velocities_folded, VELOCITIES)
#endif
CRATON_MARCH(stresses_plain, STRESSES, NO_AXIS)
CRATON_MARCH(stresses_beside, STRESSES, AXIS_X)
CRATON_MARCH(stresses_in_layers, STRESSES, ALL_AXES)
CRATON_FOLLOW(stresses_folded, STRESSES)
