// Sums of prisms over points: runs of prisms at tiles of points, then the sums of the runs in their order.
//
// Compile-time: REAL (of a pair; sums are double), FIELDS (which are summed, a bit for each in the order of `Field`).

#include "device.cuh"
#include "body.cuh"

namespace craton {

// Points of a block, a thread each; as many prisms are staged at a time, and RUN of them summed.
constexpr unsigned TILE = 128, RUN = 512;
// Prisms whose sum is made in REAL.
constexpr unsigned BATCH = IS_SINGLE ? 32 : RUN;
constexpr int BLOCKS_AT_ONCE = IS_SINGLE ? 4 : 3;

struct Point {
    Coordinate at[3];
};

template <class T>
struct Sums {
    T of[COUNT];
};

// Adds a piece's fields.
__device__ __forceinline__ void add(const Body& body, const REAL (&fields)[ALL], Sums<REAL>& sums) {
#pragma unroll
    for (int field = 0; field < ALL; ++field) {
        const REAL scale = body.scale[field == 0 ? 0 : field < 4 ? 1 : 2];
        if (has(field)) sums.of[place_of(field)] = fused(fields[field], scale, sums.of[place_of(field)]);
    }
}

// Adds a prism's fields at a point, piece by piece where it must be cut.
__device__ __forceinline__ void attract(const Body& body, const Point& point, Sums<REAL>& sums) {
    Way way;
    do {
        Piece piece;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            piece.size[axis] = body.size[axis];
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                const REAL offset = difference(body.bounds[axis][side], point.at[axis]);
                piece.offsets.at[axis][side] = IS_SINGLE ? offset * body.per_unit : offset;
            }
        }
        for (int cut = way.cuts - 1; cut >= 0; --cut) halve(piece, way.upper >> cut & 1);
        REAL centre[3], fields[ALL];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) centre[axis] = (REAL)0.5 * (piece.offsets.at[axis][0] + piece.offsets.at[axis][1]);
        const REAL distance2 = dot(centre, centre);
        const bool is_whole = way.cuts == 0;
        const REAL far2 = is_whole ? body.far2 : (REAL)(0.25 * FAR * FAR) * dot(piece.size, piece.size);
        if (!(distance2 < far2)) {
            const Multipole multipole = is_whole ? body.multipole : multipole_of(piece.size);
            from_afar(multipole, centre, distance2, fields);
        } else {
            if (body.limit3 < at_infinity() && way.cuts < DEEPEST) {
                const REAL half = is_whole ? body.half_diagonal : (REAL)0.5 * root(dot(piece.size, piece.size));
                const REAL reach = root(distance2) + half;
                if ((REAL)LOSS * (piece.size[0] * piece.size[1] * piece.size[2]) < reach * reach * reach) {
                    way.descend();
                    continue;
                }
            }
            closed_form(piece.offsets, piece.size, fields);
        }
        add(body, fields, sums);
        if (!way.go_on()) break;
    } while (true);
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
    __shared__ Body bodies[TILE];
    const Prisms prisms{numbers, count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, count);
    const unsigned own = blockIdx.x * TILE + threadIdx.x;
    const bool is_point = own < n;
    double place[3];
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) place[axis] = is_point ? points[(size_t)axis * n + own] : 0;
    Sums<double> whole{};
    for (unsigned tile = start; tile < end; tile += TILE) {
        const unsigned staged = min(TILE, end - tile);
        const double origin[3] = {prisms.get(0, tile), prisms.get(2, tile), prisms.get(4, tile)};
        if (threadIdx.x < staged) bodies[threadIdx.x] = stage(prisms, tile + threadIdx.x, origin);
        __syncthreads();
        if (is_point) {
            Point point;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) point.at[axis] = coordinate(place[axis], origin[axis]);
            for (unsigned batch = 0; batch < staged; batch += BATCH) {
                Sums<REAL> part{};
                if constexpr (!IS_SINGLE) {
                    for (int field = 0; field < COUNT; ++field) part.of[field] = (REAL)whole.of[field];
                }
                const unsigned batch_end = min(batch + BATCH, staged);
                for (unsigned prism = batch; prism < batch_end; ++prism) attract(bodies[prism], point, part);
#pragma unroll
                for (int field = 0; field < COUNT; ++field) whole.of[field] = IS_SINGLE ? whole.of[field] + (double)part.of[field] : (double)part.of[field];
            }
        }
        __syncthreads();
    }
    if (!is_point) return;
    double* const to = sums + (size_t)blockIdx.y * COUNT * n + own;
#pragma unroll
    for (int field = 0; field < COUNT; ++field) to[(size_t)field * n] = whole.of[field];
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
