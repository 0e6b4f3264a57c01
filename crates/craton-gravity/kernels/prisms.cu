// Fields of prisms at points: sums over runs of prisms at tiles of points, then the sums of the runs in their order.
//
// Compile-time: REAL (precision of a pair; sums are double), FIELDS (bit mask of the summed fields, in the order of `Field`), POINTS (per block, 32 to 512; default 128).

#include "device.cuh"
#include "pairs.cuh"
#include "runs.cuh"

namespace craton {

// Sums of a batch at a point, in the order of `Field`; fields that are not summed take no registers.
struct Parts {
    REAL of[ALL];

    __device__ __forceinline__ void add(int field, REAL value, REAL scale) { of[field] = fused(value, scale, of[field]); }
};

// Sums of a run at a point, in shared memory: in registers they would leave too few for the closed form.
struct Totals {
    double* own;

    __device__ __forceinline__ double& of(int field) const { return own[summed(field) * TILE]; }
    __device__ __forceinline__ void add(int field, double value, double scale) const { of(field) = fma(value, scale, of(field)); }
};

// A batch of prisms at one point.
template <class Sums>
struct Bodies {
    const Body* bodies;
    const Point& at;
    float without_limit;
    Sums& sums;

    __device__ __forceinline__ const Body& body(unsigned prism) const { return bodies[prism]; }
    __device__ __forceinline__ const Point& point(unsigned) const { return at; }
    __device__ __forceinline__ float none() const { return without_limit; }
    __device__ __forceinline__ void add(const Body& body, unsigned, const Values& values) const {
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) sums.add(field, values.of[field], body.scale[kind(field)]);
        }
    }
};

// Adds a batch of prisms to the totals of a point in double precision; within the batch, sums have the precision of pairs.
__device__ __forceinline__ void gather(const Body* bodies, unsigned count, const Point& point, float none, const Totals& totals) {
    if constexpr (IS_SINGLE) {
        Parts parts{};
        attract_all(Bodies<Parts>{bodies, point, none, parts}, count);
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) totals.of(field) = totals.of(field) + (double)parts.of[field];
        }
    } else {
        attract_all(Bodies<const Totals>{bodies, point, none, totals}, count);
    }
}

}  // namespace craton

using namespace craton;

// Sums over runs of prisms (blockIdx.y) at tiles of points (blockIdx.x): sums[run][field][point].
//
// points: [axis][point], n of them; none: value of components without a limit.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_runs(const double* numbers, unsigned count, unsigned first_run, const double* points, unsigned n, float none, double* sums) {
    // Prisms prepared at a time: one per thread, or as many as fit in shared memory next to the sums.
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
        if (threadIdx.x < staged) bodies[threadIdx.x] = stage(prisms, tile + threadIdx.x, prisms.get(6, tile + threadIdx.x), origin);
        __syncthreads();
        if (is_point) {
            Point point;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) point.at[axis] = coordinate(place[axis], origin[axis]);
#pragma unroll 1
            for (unsigned batch = 0; batch < staged; batch += BATCH) {
                gather(bodies + batch, min(BATCH, staged - batch), point, none, totals);
            }
        }
        __syncthreads();
    }
    if (!is_point) return;
    double* const to = sums + (size_t)blockIdx.y * COUNT * n + own;
#pragma unroll
    for (int field = 0; field < COUNT; ++field) to[(size_t)field * n] = totals.own[field * TILE];
}

CRATON_ENTRY(sum_runs)
