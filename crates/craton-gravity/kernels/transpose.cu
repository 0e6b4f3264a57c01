// The transposed operator: at tiles of prisms, sums of fields times weights over runs of points, then the sums of the runs in their order.
//
// Compile-time: REAL (precision of a pair; sums are double), FIELDS (bit mask of the fields that may have weights, in the order of `Field`).

#include "device.cuh"
#include "pairs.cuh"
#include "runs.cuh"

namespace craton {

// Points prepared at a time.
constexpr unsigned STAGED = 64;

// The prism of a thread, in shared memory: in registers it would leave too few for the closed form. Its size in numbers is odd, so that the threads of a warp read the
// same member of their prisms from different banks.
struct Slot {
    Body body;
    REAL apart;
};
static_assert(sizeof(Slot) / sizeof(REAL) % 2 == 1, "an odd size avoids bank conflicts");

// A point with the weights of its fields.
struct Weighted {
    Point place;
    REAL weights[COUNT];
};

// A batch of points at one prism, and the sum of their fields times weights.
struct Places {
    const Body& own;
    const Weighted* points;
    // Bit mask of the fields with weights; the others may have no limit.
    unsigned asked;
    REAL& sum;

    __device__ __forceinline__ const Body& body(unsigned) const { return own; }
    __device__ __forceinline__ const Point& point(unsigned point) const { return points[point].place; }
    __device__ __forceinline__ float none() const { return not_a_number(); }
    __device__ __forceinline__ void add(const Body& body, unsigned point, const Values& values) const {
        REAL parts[KINDS] = {};
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field) && (asked >> field & 1)) {
                parts[kind(field)] = fused(values.of[field], points[point].weights[summed(field)], parts[kind(field)]);
            }
        }
#pragma unroll
        for (int kind = 0; kind < KINDS; ++kind) {
            if (meets_kind(kind)) sum = fused(parts[kind], body.scale[kind], sum);
        }
    }
};

// Points in global memory, [axis][point], and their weights, [field][point].
struct Points {
    const double *places, *weights;
    unsigned count;

    __device__ __forceinline__ Weighted stage(unsigned point, const double (&origin)[3]) const {
        Weighted staged;
#pragma unroll
        for (unsigned axis = 0; axis < 3; ++axis) staged.place.at[axis] = coordinate(places[(size_t)axis * count + point], origin[axis]);
#pragma unroll
        for (unsigned field = 0; field < COUNT; ++field) staged.weights[field] = (REAL)weights[(size_t)field * count + point];
        return staged;
    }
};

}  // namespace craton

using namespace craton;

// Sums over runs of points (blockIdx.y) at tiles of prisms (blockIdx.x), per unit of G: sums[run][prism], of n prisms from `first` on, which begins a tile.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_weighted(const double* numbers, unsigned count, unsigned first, unsigned n, const double* places, const double* weights, unsigned asked,
                 unsigned place_count, unsigned first_run, double* sums) {
    __shared__ Slot slots[TILE];
    __shared__ Weighted staged[STAGED];
    // Sums of the run, in shared memory for the same reason as the prisms.
    __shared__ double kept[TILE];
    const Prisms prisms{numbers, count};
    const Points points{places, weights, place_count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, place_count);
    const unsigned tile = first + blockIdx.x * TILE, own = blockIdx.x * TILE + threadIdx.x;
    const double origin[3] = {prisms.get(0, tile), prisms.get(2, tile), prisms.get(4, tile)};
    const bool is_prism = own < n;
    Body& body = slots[threadIdx.x].body;
    if (is_prism) body = stage(prisms, first + own, 1.0, origin);
    double& total = kept[threadIdx.x];
    total = 0;
    for (unsigned point = start; point < end; point += STAGED) {
        const unsigned here = min(STAGED, end - point);
        if (threadIdx.x < here) staged[threadIdx.x] = points.stage(point + threadIdx.x, origin);
        __syncthreads();
        if (is_prism) {
#pragma unroll 1
            for (unsigned batch = 0; batch < here; batch += BATCH) {
                REAL sum = 0;
                attract_all(Places{body, staged + batch, asked, sum}, min(BATCH, here - batch));
                total = total + (double)sum;
            }
        }
        __syncthreads();
    }
    if (is_prism) sums[(size_t)blockIdx.y * n + own] = total;
}

CRATON_ENTRY(sum_weighted)
