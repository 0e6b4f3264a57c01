// Fields of tesseroids at points, and their transpose: sums over runs of tesseroids at tiles of points, or weighted sums over runs of points at tiles of
// tesseroids, then the sums of the runs in their order.
//
// Compile-time: REAL (double), FIELDS (bit mask of the summed fields, in the order of `Field`: all of a kind or none).

#include "device.cuh"
#include "tesseroid.cuh"
#include "runs.cuh"

namespace craton {

// Threads per block, one per point or per tesseroid, and number of pairs that each thread sums in a run.
constexpr unsigned TILE = 128, RUN = 512;
constexpr int BLOCKS_AT_ONCE = 3;
// Points prepared at a time.
constexpr unsigned STAGED = 64;

// Tesseroids in global memory: [bound, or G times density or gradient][tesseroid].
struct Tesseroids {
    const double* numbers;
    unsigned count;

    __device__ __forceinline__ double get(unsigned number, unsigned tesseroid) const { return numbers[(size_t)number * count + tesseroid]; }
    __device__ __forceinline__ Tesseroid at(unsigned number) const {
        Tesseroid tesseroid;
#pragma unroll
        for (unsigned axis = 0; axis < 3; ++axis) {
            tesseroid.bounds.of[axis][0] = get(2 * axis, number);
            tesseroid.bounds.of[axis][1] = get(2 * axis + 1, number);
        }
        tesseroid.density = get(6, number);
        tesseroid.gradient = get(7, number);
        return tesseroid;
    }
};

// Near pairs of a thread in a run, a bit each. They are evaluated after all others, so that the loop over the others contains no call.
struct NearPairs {
    unsigned bits[RUN / 32];

    // Evaluates the pairs `pair .. pair + count`, at most 32, unless they are near.
    template <class Far>
    __device__ __forceinline__ void select(unsigned pair, unsigned count, Far far) {
        unsigned left = 0;
#pragma unroll 1
        for (unsigned number = 0; number < count; ++number) {
            if (!far(pair + number)) left |= 1u << number;
        }
        bits[pair / 32] = left;
    }
    // Calls `visit` with each near pair of the first `count`, in ascending order.
    template <class Visit>
    __device__ __forceinline__ void each(unsigned count, Visit visit) const {
#pragma unroll 1
        for (unsigned word = 0; word < (count + 31) / 32; ++word) {
#pragma unroll 1
            for (unsigned left = bits[word]; left != 0; left &= left - 1) visit(32 * word + __ffs((int)left) - 1);
        }
    }
};

// The fields of a tesseroid at a near point. Not inlined, because its registers would burden all pairs.
//
// is_unit: with density 1 instead of its own.
__device__ __noinline__ Values near(const Tesseroids& all, unsigned number, double x, double y, double z, bool is_unit) {
    Tesseroid tesseroid = all.at(number);
    if (is_unit) tesseroid.density = 1, tesseroid.gradient = 0;
    return near_fields(tesseroid, Vector{{x, y, z}});
}

// The tesseroid of a thread, in shared memory. Its size is odd in units of 16 bytes, so that the threads of a warp read the same member from different banks.
struct Slot {
    Cell cell;
    double apart[2];
};
static_assert(sizeof(Slot) / 16 % 2 == 1, "an odd size avoids bank conflicts");

// A point with the weights of its fields.
struct Weighted {
    Vector place;
    double weights[COUNT];

    // Adds the weighted fields of a pair.
    __device__ __forceinline__ double add(const Values& values, double total) const {
        int place = 0;
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) total = fma(values.of[field], weights[place++], total);
        }
        return total;
    }
};

// Points in global memory, [axis][point], and their weights, [field][point].
struct Points {
    const double *places, *weights;
    unsigned count;

    __device__ __forceinline__ Weighted get(unsigned point) const {
        Weighted weighted;
#pragma unroll
        for (unsigned axis = 0; axis < 3; ++axis) weighted.place.of[axis] = places[(size_t)axis * count + point];
#pragma unroll
        for (unsigned field = 0; field < COUNT; ++field) weighted.weights[field] = weights[(size_t)field * count + point];
        return weighted;
    }
};

}  // namespace craton

using namespace craton;

// Sums over runs of tesseroids (blockIdx.y) at tiles of points (blockIdx.x): sums[run][field][point].
//
// points: [axis][point], n of them; `none` is not used, because every component has a limit.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_runs(const double* numbers, unsigned count, unsigned first_run, const double* points, unsigned n, float, double* sums) {
    __shared__ Cell cells[TILE];
    const Tesseroids all{numbers, count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, count);
    const unsigned own = blockIdx.x * TILE + threadIdx.x;
    const bool is_point = own < n;
    Vector point{};
#pragma unroll
    for (unsigned axis = 0; axis < 3; ++axis) point.of[axis] = is_point ? points[(size_t)axis * n + own] : 0;
    Values totals{};
    NearPairs near_pairs;
    for (unsigned tile = 0; start + tile < end; tile += TILE) {
        const unsigned staged = min(TILE, end - start - tile);
        if (threadIdx.x < staged) prepare(all.at(start + tile + threadIdx.x), cells[threadIdx.x]);
        __syncthreads();
        if (is_point) {
#pragma unroll 1
            for (unsigned batch = 0; batch < staged; batch += 32) {
                near_pairs.select(tile + batch, min(32u, staged - batch), [&](unsigned pair) { return cells[pair - tile].add(point, totals); });
            }
        }
        __syncthreads();
    }
    if (!is_point) return;
    double* const own_sums = sums + (size_t)blockIdx.y * COUNT * n + own;
    double* to = own_sums;
#pragma unroll
    for (int field = 0; field < ALL; ++field) {
        if (has(field)) *to = totals.of[field], to += n;
    }
    near_pairs.each(end - start, [&](unsigned pair) {
        const Values values = near(all, start + pair, point.of[0], point.of[1], point.of[2], false);
        double* sum = own_sums;
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) *sum = *sum + values.of[field], sum += n;
        }
    });
}

CRATON_ENTRY(sum_runs)

// Sums over runs of points (blockIdx.y) at tiles of tesseroids (blockIdx.x) of unit density, per unit of G: sums[run][tesseroid], of n tesseroids from `first` on,
// which begins a tile.
extern "C" __global__ void __launch_bounds__(TILE, BLOCKS_AT_ONCE)
    sum_weighted(const double* numbers, unsigned count, unsigned first, unsigned n, const double* places, const double* weights, unsigned,
                 unsigned place_count, unsigned first_run, double* sums) {
    __shared__ Slot slots[TILE];
    __shared__ Weighted staged[STAGED];
    const Tesseroids all{numbers, count};
    const unsigned start = (first_run + blockIdx.y) * RUN, end = min(start + RUN, place_count);
    const unsigned own = blockIdx.x * TILE + threadIdx.x;
    const bool is_tesseroid = own < n;
    Cell& cell = slots[threadIdx.x].cell;
    if (is_tesseroid) {
        Tesseroid tesseroid = all.at(first + own);
        tesseroid.density = 1, tesseroid.gradient = 0;
        prepare(tesseroid, cell);
    }
    const Points points{places, weights, place_count};
    double total = 0;
    NearPairs near_pairs;
    for (unsigned chunk = 0; start + chunk < end; chunk += STAGED) {
        const unsigned here = min(STAGED, end - start - chunk);
        if (threadIdx.x < here) staged[threadIdx.x] = points.get(start + chunk + threadIdx.x);
        __syncthreads();
        if (is_tesseroid) {
#pragma unroll 1
            for (unsigned batch = 0; batch < here; batch += 32) {
                near_pairs.select(chunk + batch, min(32u, here - batch), [&](unsigned pair) {
                    const Weighted& weighted = staged[pair - chunk];
                    Values values{};
                    if (!cell.add(weighted.place, values)) return false;
                    total = weighted.add(values, total);
                    return true;
                });
            }
        }
        __syncthreads();
    }
    if (!is_tesseroid) return;
    near_pairs.each(end - start, [&](unsigned pair) {
        const Weighted weighted = points.get(start + pair);
        const double(&at)[3] = weighted.place.of;
        total = weighted.add(near(all, first + own, at[0], at[1], at[2], true), total);
    });
    sums[(size_t)blockIdx.y * n + own] = total;
}

CRATON_ENTRY(sum_weighted)
