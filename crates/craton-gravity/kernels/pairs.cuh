// Pairs of prisms and points in batches: code common to the kernels that sum over prisms and over points.
//
// Compile-time: POINTS (per block of `sum_runs`, 32 to 512; default 128).
#pragma once

#include "pieces.cuh"

#ifndef POINTS
#define POINTS 128
#endif

namespace craton {

// Threads per block, one per point or per prism, and number of pairs that each thread sums in a run.
constexpr unsigned TILE = POINTS, RUN = 512;
// Pairs per batch: those whose prism must be cut are summed after all others of the batch.
constexpr unsigned BATCH = 32;
constexpr int BLOCKS_AT_ONCE = (IS_SINGLE ? 512 : TILE < 384 ? 384 : TILE) / TILE;

struct Point {
    Coordinate at[3];
};

// A prism relative to a point.
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

// Adds a pair of a batch; returns false if its prism must be cut.
template <class Batch>
__device__ __forceinline__ bool attract(const Batch& batch, unsigned pair) {
    const Body& body = batch.body(pair);
    const Piece whole = seen_from(body, batch.point(pair));
    const Place place = place_of(whole.offsets);
    Values values;
    if (!(place.distance2 < body.far2)) {
        from_afar(body.multipole, place.centre, place.distance2, values.of);
    } else {
        if (body.limit3 < at_infinity() && body.limit3 < cubed_reach(place, body.half_diagonal)) return false;
        closed_form(whole.offsets, whole.size, batch.none(), values.of);
    }
    batch.add(body, pair, values);
    return true;
}

// Adds a batch of pairs: first those whose prism need not be cut, then the others, both in ascending order.
//
// Batch: provides the body and the point of a pair, adds its fields (per unit of G times density), and gives the value of components without a limit.
template <class Batch>
__device__ __forceinline__ void attract_all(const Batch& batch, unsigned count) {
    unsigned left = 0;
#pragma unroll 1
    for (unsigned pair = 0; pair < count; ++pair) {
        if (!attract(batch, pair)) left |= 1u << pair;
    }
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
        const unsigned pair = __ffs((int)left) - 1;
        const Body& body = batch.body(pair);
        batch.add(body, pair, in_pieces(seen_from(body, batch.point(pair)), batch.none()));
    }
}

// Prisms in global memory: [bound or G times density][prism].
struct Prisms {
    const double* numbers;
    unsigned count;

    __device__ __forceinline__ double get(unsigned number, unsigned prism) const { return numbers[(size_t)number * count + prism]; }
};

__device__ __forceinline__ Body stage(const Prisms& prisms, unsigned prism, double gravity, const double (&origin)[3]) {
    double bounds[3][2];
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) {
        bounds[axis][0] = prisms.get(2 * axis, prism);
        bounds[axis][1] = prisms.get(2 * axis + 1, prism);
    }
    return body_of(bounds, gravity, origin);
}

}  // namespace craton
