// Sums of prisms over points: runs of prisms at tiles of points, then the sums of the runs in their order.
//
// Compile-time: REAL (of a pair; sums are double), FIELDS (which are summed, a bit for each in the order of `Field`), POINTS (of a block, 32 to 512; 128 unless given).

#include "device.cuh"
#include "body.cuh"
#include "pieces.cuh"

#ifndef POINTS
#define POINTS 128
#endif

namespace craton {

// Points of a block, a thread each, and prisms of a run.
constexpr unsigned TILE = POINTS, RUN = 512;
// Prisms that are summed before those among them that must be cut.
constexpr unsigned BATCH = 32;
constexpr int BLOCKS_AT_ONCE = (IS_SINGLE ? 512 : TILE < 384 ? 384 : TILE) / TILE;

struct Point {
    Coordinate at[3];
};

// Sums of a batch at a point, in the order of `Field`; those that are not asked for take no registers.
struct Parts {
    REAL of[ALL];

    __device__ __forceinline__ void add(int field, REAL value, REAL scale) { of[field] = fused(value, scale, of[field]); }
};

// Sums of a run at a point, in shared memory: in registers they would leave too few to the closed form.
struct Totals {
    double* own;

    __device__ __forceinline__ double& of(int field) const { return own[summed(field) * TILE]; }
    __device__ __forceinline__ void add(int field, double value, double scale) const { of(field) = fma(value, scale, of(field)); }
};

// A prism from a point.
__device__ __forceinline__ Piece seen_from(const Body& body, const Point& point) {
    Piece whole;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        whole.size[axis] = body.size[axis];
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            const REAL offset = difference(body.bounds[axis][side], point.at[axis]);
            whole.offsets.at[axis][side] = IS_SINGLE ? offset * body.per_unit : offset;
        }
    }
    return whole;
}

template <class Sums>
__device__ __forceinline__ void add(const Body& body, const Values& values, Sums& sums) {
#pragma unroll
    for (int field = 0; field < ALL; ++field) {
        if (has(field)) sums.add(field, values.of[field], body.scale[field == 0 ? 0 : field < 4 ? 1 : 2]);
    }
}

// Adds a prism's fields at a point; false where it must be cut.
template <class Sums>
__device__ __forceinline__ bool attract(const Body& body, const Point& point, Sums& sums) {
    const Piece whole = seen_from(body, point);
    const Place place = place_of(whole.offsets);
    Values values;
    if (!(place.distance2 < body.far2)) {
        from_afar(body.multipole, place.centre, place.distance2, values.of);
    } else {
        if (body.limit3 < at_infinity() && body.limit3 < cubed_reach(place, body.half_diagonal)) return false;
        closed_form(whole.offsets, whole.size, values.of);
    }
    add(body, values, sums);
    return true;
}

// Adds a batch of prisms: those that serve as they are, then those that must be cut, each in their order.
template <class Sums>
__device__ __forceinline__ void attract(const Body* bodies, unsigned count, const Point& point, Sums& sums) {
    unsigned left = 0;
#pragma unroll 1
    for (unsigned prism = 0; prism < count; ++prism) {
        if (!attract(bodies[prism], point, sums)) left |= 1u << prism;
    }
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
        const Body& body = bodies[__ffs((int)left) - 1];
        add(body, in_pieces(seen_from(body, point)), sums);
    }
}

// The same in double precision: the sums of a batch are made in single precision where pairs are.
__device__ __forceinline__ void gather(const Body* bodies, unsigned count, const Point& point, const Totals& totals) {
    if constexpr (IS_SINGLE) {
        Parts parts{};
        attract(bodies, count, point, parts);
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) totals.of(field) = totals.of(field) + (double)parts.of[field];
        }
    } else {
        attract(bodies, count, point, totals);
    }
}

// Prisms as they come: [bound or G times density][prism].
struct Prisms {
    const double* numbers;
    unsigned count;

    __device__ __forceinline__ double get(unsigned number, unsigned prism) const { return numbers[(size_t)number * count + prism]; }
};

__device__ __forceinline__ Body stage(const Prisms& prisms, unsigned prism, const double (&origin)[3]) {
    double bounds[3][2];
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) {
        bounds[axis][0] = prisms.get(2 * axis, prism);
        bounds[axis][1] = prisms.get(2 * axis + 1, prism);
    }
    return body_of(bounds, prisms.get(6, prism), origin);
}

}  // namespace craton

using namespace craton;

// Sums of runs of prisms, blockIdx.y, at tiles of points, blockIdx.x: sums[run][field][point].
//
// points: [axis][point], n of them.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_runs(const double* numbers, unsigned count, unsigned first_run, const double* points, unsigned n, double* sums) {
    // Prisms that are prepared at a time: as many as there are threads, or as there is room for beside the sums.
    constexpr unsigned STAGED = TILE < 128 ? TILE : 16384 / TILE;
    __shared__ Body bodies[STAGED];
    __shared__ double kept[COUNT * TILE];
    const Prisms prisms{numbers, count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, count);
    const unsigned own = blockIdx.x * TILE + threadIdx.x;
    const bool is_point = own < n;
    double place[3];
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) place[axis] = is_point ? points[(size_t)axis * n + own] : 0;
    const Totals totals{kept + threadIdx.x};
#pragma unroll
    for (int field = 0; field < COUNT; ++field) totals.own[field * TILE] = 0;
    for (unsigned tile = start; tile < end; tile += STAGED) {
        const unsigned staged = min(STAGED, end - tile);
        const double origin[3] = {prisms.get(0, tile), prisms.get(2, tile), prisms.get(4, tile)};
        if (threadIdx.x < staged) bodies[threadIdx.x] = stage(prisms, tile + threadIdx.x, origin);
        __syncthreads();
        if (is_point) {
            Point point;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) point.at[axis] = coordinate(place[axis], origin[axis]);
#pragma unroll 1
            for (unsigned batch = 0; batch < staged; batch += BATCH) {
                gather(bodies + batch, min(BATCH, staged - batch), point, totals);
            }
        }
        __syncthreads();
    }
    if (!is_point) return;
    double* const to = sums + (size_t)blockIdx.y * COUNT * n + own;
#pragma unroll
    for (int field = 0; field < COUNT; ++field) to[(size_t)field * n] = totals.own[field * TILE];
}

// Adds the sums of some runs to the totals, in the order of the runs.
extern "C" __global__ void add_runs(const double* sums, unsigned runs, unsigned n, double* totals) {
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= n) return;
    double total = totals[own];
    for (unsigned run = 0; run < runs; ++run) total = total + sums[(size_t)run * n + own];
    totals[own] = total;
}

CRATON_ENTRY(sum_runs)
CRATON_ENTRY(add_runs)
