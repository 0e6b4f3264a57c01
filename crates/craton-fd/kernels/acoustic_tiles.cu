// Acoustic shots in 2D that fit in the shared memory of a device: each block keeps a tile of velocities and pressure there for many steps, and receives
// from its neighbours the points that its stencils read in their tiles (tile_edges.cuh). All blocks of a launch are co-resident, since they wait for each other.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points per thread, 16 bytes), AXES (2), WARPS (per block), DEPTH (rows per thread), RELAXES (whether the
// pressure relaxes: 0 or 1).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "layers.cuh"
#include "shots.cuh"
#include "pressure.cuh"
#include "tile_edges.cuh"
#include "tile_layers.cuh"

namespace craton {

// The samples to record: the first tap of each tile of all shots, and the taps. A tap is field, column and row in the tile, index among the samples of a step.
struct Heard {
    const unsigned* starts;
    const uint4* taps;
    REAL* values;  // [step][index]
    unsigned width;
};

// Prevents the compiler from computing expressions before a loop, where the results would occupy registers.
__device__ __forceinline__ int anew(int value) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(value));
#endif
    return value;
}

// Reads factors here, not where they are used, to hide the latency of global memory.
__device__ __forceinline__ void read_ahead(const REAL* from, Lanes<WIDTH>& to) {
    read(from, to);
#if defined(__CUDA_ARCH__)
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) asm volatile("" : "+f"(to.v[l]));
#endif
}

// Stores updated points, and their image beyond a free surface.
template <unsigned FIELD>
__device__ __forceinline__ void put(const Sheet& sheet, int vector, int row, Lanes<WIDTH>& moved) {
    REAL* const own = sheet.here(FIELD, vector, row);
    write(own, moved);
    if (FIELD == 0 || !sheet.is_top) return;
    const unsigned image = image_of(sheet.grid, 2 * sheet.grid.cells[2] - (FIELD == PRESSURE), sheet.tile.k + row);
    if (image == 0) return;
    if (FIELD == PRESSURE) {
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    }
    write(own + image * PITCH, moved);
    write(sheet.there(FIELD, vector, row + image), moved);
}

// Updates the rows of a thread, from `row` on.
struct Motion {
    const Sheet& sheet;
    const Coefficients& coefficients;
    const REAL* factors;
    const TileLayers& layers;
    const PressureRelaxation& relaxation;
    int vector, row;
    int first;  // the first row that no other thread updates
    unsigned moved, whole;  // bit masks of the rows that no other thread updates, and of those among them that have all fields

    // Factors of a field in a row of this thread.
    __device__ __forceinline__ const REAL* factors_of(unsigned field, int r) const {
        return factors + (size_t)sheet.grid.length * field + sheet.at(vector, row + r);
    }

    // The derivatives along z of a field that is staggered above or below the rows: each value is read once for all rows of the thread.
    __device__ __forceinline__ void slopes_down(unsigned field, bool is_above, Lanes<WIDTH> (&slopes)[DEPTH]) const {
        const REAL* const from = sheet.here(field, vector, row + (is_above ? -HALF_LENGTH : 1 - HALF_LENGTH));
        Lanes<WIDTH> taps[2 * HALF_LENGTH + DEPTH - 1];
#pragma unroll
        for (int n = 0; n < 2 * HALF_LENGTH + DEPTH - 1; ++n) read(from + n * PITCH, taps[n]);
#pragma unroll
        for (int r = 0; r < DEPTH; ++r) slopes[r] = sum_of_taps(taps + r, coefficients.along[2]);
    }

    // The address of a field in a row of this thread. Another thread may be writing a row that `rows` does not contain, and its value is not needed: for
    // velocities, the first row of this thread takes its place; for the pressure, which has images beyond a free surface, the row below the tile, which no
    // thread writes now.
    __device__ __forceinline__ const REAL* own(unsigned field, unsigned rows, int r) const {
        if (field == PRESSURE) return sheet.here(field, vector, rows >> r & 1 ? row + r : -1);
        return sheet.here(field, vector, max(row + r, first));
    }

    // Updates a field by its rate, if `rows` contains the row.
    template <unsigned FIELD, int D>
    __device__ __forceinline__ void move(unsigned rows, int r, const Lanes<WIDTH>& factor, REAL (&slopes)[WIDTH][D]) const {
        Lanes<WIDTH> moved;
        read(own(FIELD, rows, r), moved);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = without_negligible(op::add(moved.v[l], rate(factor.v[l], slopes[l])));
        if (rows >> r & 1) put<FIELD>(sheet, vector, row + r, moved);
    }
};

// Losses and memory variables of the first set in a row of a thread.
struct Relaxing {
    Lanes<WIDTH> loss, memory;

    __device__ __forceinline__ void recall(const Motion& motion, int r) {
        if constexpr (!RELAXES) return;
        const unsigned at = motion.sheet.at(motion.vector, motion.row + r);
        read_ahead(motion.relaxation.loss + at, loss);
        read_ahead(motion.relaxation.memory + at, memory);
    }

    // Updates the pressure in row `r` from its unrelaxed rate, if `rows` contains the row, and its memory variables.
    __device__ __forceinline__ void move(const Motion& motion, unsigned rows, int r, const Lanes<WIDTH>& factor, REAL (&slopes)[WIDTH][AXES]) {
        const Sheet& sheet = motion.sheet;
        const unsigned at = sheet.at(motion.vector, motion.row + r);
        const Place place = {sheet.tile.i + motion.vector * WIDTH, 0, sheet.tile.k + motion.row + r, at};
        Lanes<WIDTH> moved, change;
        read(motion.own(PRESSURE, rows, r), moved);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            change.v[l] = unrelaxed(rate(factor.v[l], slopes[l]));
            moved.v[l] = op::add(moved.v[l], change.v[l]);
        }
#pragma unroll 1
        for (unsigned set = 0; set < motion.relaxation.sets; ++set) {
            REAL* const own = motion.relaxation.memory + (size_t)sheet.grid.length * set + at;
            if (set > 0) read(own, memory);
            relax(motion.relaxation, set, place, loss, change, memory, moved);
            if (rows >> r & 1) write(own, memory);
        }
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = without_negligible(moved.v[l]);
        if (rows >> r & 1) put<PRESSURE>(sheet, motion.vector, motion.row + r, moved);
    }
};

// Updates the vertical velocity from known derivatives. `factor`, `memory`: those of the first row.
__device__ __forceinline__ void move_across(const Motion& motion, const Lining& above, Lanes<WIDTH> (&down)[DEPTH], Lanes<WIDTH> factor,
                                            Lanes<WIDTH> memory) {
#pragma unroll
    for (int r = 0; r < DEPTH; ++r) {
        Lanes<WIDTH> next, then;
        if (r + 1 < DEPTH) {
            read_ahead(motion.factors_of(1, r + 1), next);
            then = above.recall(r + 1);
        }
        motion.layers.stretch<2>(above, 0, motion.vector, motion.row, r, memory, down[r]);
        REAL slopes[WIDTH][1];
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) slopes[l][0] = down[r].v[l];
        motion.move<1>(motion.moved, r, factor, slopes);
        factor = next;
        memory = then;
    }
}

// Updates the horizontal velocity.
__device__ __forceinline__ void move_along(const Motion& motion) {
    const Lining beside = motion.layers.lining<0>(motion.vector, motion.row, motion.whole);
    Lanes<WIDTH> factor, memory = beside.recall(0);
    read_ahead(motion.factors_of(0, 0), factor);
#pragma unroll
    for (int r = 0; r < DEPTH; ++r) {
        Lanes<WIDTH> next, then;
        if (r + 1 < DEPTH) {
            read_ahead(motion.factors_of(0, r + 1), next);
            then = beside.recall(r + 1);
        }
        const InField<WIDTH> pressure = {motion.sheet.here(PRESSURE, motion.vector, motion.row + r)};
        Lanes<WIDTH> slope = regular_slope<0, true, WIDTH>(pressure, 1, motion.coefficients.along[0]);
        motion.layers.stretch<0>(beside, 0, motion.vector, motion.row, r, memory, slope);
        REAL slopes[WIDTH][1];
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) slopes[l][0] = slope.v[l];
        motion.move<0>(motion.whole, r, factor, slopes);
        factor = next;
        memory = then;
    }
}

// Updates the pressure. `factor`, `memory`, `relaxing`: those of the first row; `memory` is that of the derivative along z.
__device__ __forceinline__ void move_pressure(const Motion& motion, const Lining& above, Lanes<WIDTH> (&down)[DEPTH], Lanes<WIDTH> factor,
                                              Lanes<WIDTH> memory, Relaxing relaxing) {
    const Lining beside = motion.layers.lining<0>(motion.vector, motion.row, motion.whole);
    Lanes<WIDTH> of_beside = beside.recall(0);
#pragma unroll
    for (int r = 0; r < DEPTH; ++r) {
        Lanes<WIDTH> next, then[2];
        Relaxing later;
        if (r + 1 < DEPTH) {
            read_ahead(motion.factors_of(PRESSURE, r + 1), next);
            later.recall(motion, r + 1);
            then[0] = beside.recall(r + 1);
            then[1] = above.recall(r + 1);
        }
        const InField<WIDTH> velocity = {motion.sheet.here(0, motion.vector, motion.row + r)};
        Lanes<WIDTH> slope = regular_slope<0, false, WIDTH>(velocity, 1, motion.coefficients.along[0]);
        motion.layers.stretch<0>(beside, 1, motion.vector, motion.row, r, of_beside, slope);
        motion.layers.stretch<2>(above, 1, motion.vector, motion.row, r, memory, down[r]);
        REAL slopes[WIDTH][AXES];
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            slopes[l][0] = slope.v[l];
            slopes[l][1] = down[r].v[l];
        }
        if constexpr (RELAXES) relaxing.move(motion, motion.whole, r, factor, slopes);
        else motion.move<PRESSURE>(motion.whole, r, factor, slopes);
        factor = next;
        relaxing = later;
        of_beside = then[0];
        memory = then[1];
    }
}

// Selects the warps that receive the edges of the neighbours: those that cannot compute without them, while the others start.
struct Takers {
    unsigned first_inner, inner;

    __device__ __forceinline__ Takers(const Tile& tile) {
        first_inner = (HALF_LENGTH + DEPTH - 1) / DEPTH;
        const unsigned end = tile.rows > HALF_LENGTH ? (tile.rows - HALF_LENGTH) / DEPTH : 0;
        inner = end > first_inner ? end - first_inner : 0;
    }

    // Inner warps, whose rows need nothing beyond the ends of the tile, do their work while the others receive the edges; then the others do theirs.
    template <class Work, class Take>
    __device__ __forceinline__ void share(bool is_active, const Work& work, const Take& take) const {
        const unsigned warp = threadIdx.x / 32, before = warp < first_inner ? 0 : inner;
        const bool is_inner = warp >= first_inner && warp < first_inner + inner;
#pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
            if (is_inner == (turn == 0)) {
                if (is_active) work();
            } else if (turn == 0) {
                take(warp - before, WARPS - inner);
            }
            if (turn == 0) __syncthreads();
        }
    }
};

// Whether two taps act on the same vector of points.
__device__ __forceinline__ bool is_same_vector(const Tap& a, const Tap& b) { return a.field == b.field && a.at / WIDTH == b.at / WIDTH; }

// Adds the sources to the fields just updated: one thread adds all taps of a vector, which are consecutive, in the same order as on a CPU.
__device__ __forceinline__ void push_all(const Sheet& sheet, const Sources& sources, const PressureRelaxation& relaxation, unsigned first, unsigned end,
                                         unsigned step) {
    for (unsigned n = first + threadIdx.x; n < end; n += THREADS) {
        Tap tap = sources.taps[n];
        if (n > first && is_same_vector(sources.taps[n - 1], tap)) continue;
        const unsigned field = tap.field, place = tap.at - sheet.grid.origin, stride = sheet.grid.stride[2];
        const int vector = (place % stride - sheet.tile.i) / WIDTH, row = place / stride - sheet.tile.k;
        const unsigned at = sheet.at(vector, row);
        const bool is_memory = RELAXES && field >= FIELDS;
        REAL* const from = is_memory ? relaxation.memory + (size_t)sheet.grid.length * (field - FIELDS) + at : sheet.here(field, vector, row);
        Lanes<WIDTH> moved;
        read(from, moved);
        for (unsigned m = n;;) {
            add(sources, tap, at, step, moved);
            if (++m == end || !is_same_vector(sources.taps[m], tap)) break;
            tap = sources.taps[m];
        }
        if (is_memory) write(from, moved);
        else if (field == PRESSURE) put<PRESSURE>(sheet, vector, row, moved);
        else if (field == 1) put<1>(sheet, vector, row, moved);
        else put<0>(sheet, vector, row, moved);
    }
}

// Samples the fields just updated.
__device__ __forceinline__ void hear(const Sheet& sheet, const Heard& heard, unsigned start, unsigned end, unsigned step) {
    // The first warps are busy receiving the edges.
    for (unsigned n = start + (threadIdx.x + THREADS / 2) % THREADS; n < end; n += THREADS) {
        const uint4 tap = heard.taps[n];
        heard.values[(size_t)step * heard.width + tap.w] = sheet.here(tap.x, 0, tap.z)[tap.y];
    }
}

}  // namespace craton

// Advances the shots from `first_shot` on by `count` steps from `*first` on. `loss` to `sets`: relaxation of the pressure. `memory`, `starts`, `pairs`: those of the first half of the step, then of the second.
extern "C" __global__ void __launch_bounds__(craton::THREADS, 1) march(
    craton::Grid grid, craton::Coefficients coefficients, const REAL* __restrict__ factors, craton::Slabs slabs, const REAL* __restrict__ profiles,
    REAL* __restrict__ memory, unsigned memories, unsigned shots, const unsigned* __restrict__ starts, const craton::Tap* __restrict__ taps,
    const REAL* __restrict__ amplitudes, unsigned steps, const unsigned* __restrict__ first, REAL* fields, craton::Cut cut, craton::Pair* pairs,
    const unsigned* __restrict__ heard_starts, const uint4* __restrict__ heard_taps, REAL* __restrict__ heard_values, unsigned heard_width,
    unsigned first_shot, unsigned count, const REAL* __restrict__ loss, const REAL* __restrict__ mechanisms, REAL* __restrict__ relaxing, unsigned sets) {
    using namespace craton;
    CRATON_SHARED(REAL, near);
    REAL* const lined = near + FIELDS * cut.rows * PITCH;
    const unsigned shot = first_shot + blockIdx.z, tiles = cut.across * cut.down;
    const Tile tile = tile_of(grid, cut, shot);
    const Sheet sheet = {grid, cut, tile, near, fields + (size_t)shot * FIELDS * grid.length, is_free(grid) && tile.z + 1 == cut.down};
    const Sources sources = {starts, taps, amplitudes, steps};
    const PressureRelaxation relaxation(grid, loss, mechanisms, relaxing, sets, shot);
    const Heard heard = {heard_starts, heard_taps, heard_values, heard_width};
    const Takers takers(tile);
    const auto pairs_of = [&](unsigned half) { return pairs + (size_t)half * shots * tiles * Edges::pairs(cut); };
    const unsigned before = *first;
    const int vector = threadIdx.x % 32, own = threadIdx.x / 32 * DEPTH;
    const int row = min(own, (int)tile.rows - DEPTH);
    const bool is_active = vector < (int)tile.vectors && own < (int)tile.rows;
    // The last threads overlap rows that others update; above the uppermost cells only the vertical velocity at the free surface exists.
    const unsigned moved = ~0u << min(own - row, 31), whole = moved & ~(~0u << min(DEPTH, (int)grid.cells[2] - (int)tile.k - row));
    const Edges edges = {sheet, reinterpret_cast<Spot*>(lined + PROFILES)};
    bring(sheet);
    edges.find();
    // For each half of a step: first and end index of the taps of sources and of receivers.
    uint4* const asked = reinterpret_cast<uint4*>(edges.spots + 32 * Edges::parts(cut.rows - 2 * HALF_LENGTH));
    if (threadIdx.x < 2) {
        const unsigned number = threadIdx.x * shots * tiles + tile.of_all;
        asked[threadIdx.x] = make_uint4(starts[number], starts[number + 1], heard_starts[number], heard_starts[number + 1]);
    }
    TileLayers{{slabs, profiles, memory}, tile, lined}.bring();
    __syncthreads();
    for (unsigned n = 0; n < 2 * count; ++n) {
        const unsigned half = n % 2, done = 2 * before + n;
        const Layers of_half = {slabs, profiles, memory + (size_t)(half * shots + shot) * memories};
        const TileLayers layers = {of_half, tile, lined};
        const Motion motion = {sheet, coefficients, factors, layers, relaxation, anew(vector), anew(row), own, moved, whole};
        Lanes<WIDTH> down[DEPTH], factor, remembered;
        const Lining above = layers.lining<2>(motion.vector, motion.row, half == 0 ? moved : whole);
        Relaxing first_row;
        if (is_active) {
            read_ahead(motion.factors_of(1 + half, 0), factor);
            remembered = above.recall(0);
            if (half == 1) first_row.recall(motion, 0);
        }
        // Neighbours need all edges of the pressure, but of a velocity component only those normal to its axis.
        const unsigned beside = half == 0 ? PRESSURE : 0, upwards = half == 0 ? PRESSURE : 1;
        const auto take = [&](unsigned warp, unsigned warps) { edges.take_all(pairs_of(half == 0), beside, upwards, done, warp, warps); };
        takers.share(is_active, [&] { motion.slopes_down(upwards, half == 0, down); }, take);
        if (is_active && half == 0) {
            move_across(motion, above, down, factor, remembered);
            move_along(motion);
        } else if (is_active) {
            move_pressure(motion, above, down, factor, remembered, first_row);
        }
        __syncthreads();
        const uint4 own = asked[half];
        if (own.x < own.y) {
            push_all(sheet, sources, relaxation, own.x, own.y, before + n / 2);
            __syncthreads();
        }
        edges.give_all(pairs_of(half), half == 0 ? 0 : PRESSURE, half == 0 ? 1 : PRESSURE, done + 1);
        hear(sheet, heard, own.z, own.w, n / 2);
    }
    store(sheet);
}

CRATON_ENTRY(march)

// Sums the taps of each channel at each step into the ring buffer, `ring[step % rows][channel]`. `channels[n]`: number, shot, first tap and end.
extern "C" __global__ void sum_heard(const uint4* __restrict__ channels, unsigned count, const craton::Tap* __restrict__ taps,
                                     const REAL* __restrict__ values, unsigned from, unsigned heard_width, const unsigned* __restrict__ first,
                                     unsigned rows, unsigned width, REAL* __restrict__ ring) {
    using namespace craton;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x, step = blockIdx.y;
    if (index >= count) return;
    const uint4 channel = channels[index];
    const REAL* const own = values + (size_t)step * heard_width + from;
    REAL sum = 0;
    for (unsigned n = channel.z; n < channel.w; ++n) sum = op::add(sum, op::mul((REAL)taps[n].weight, own[n]));
    ring[(size_t)((*first + step) % rows) * width + channel.x] = sum;
}

CRATON_ENTRY(sum_heard)

// Advances the step counter by the steps of a recording.
extern "C" __global__ void count_steps(unsigned* first, unsigned steps) { *first += steps; }

CRATON_ENTRY(count_steps)
