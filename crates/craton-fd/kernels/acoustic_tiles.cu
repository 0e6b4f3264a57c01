// Acoustic shots in a plane that a device holds on its chip: each block keeps a tile of velocities and pressure in its shared memory for many steps, and
// gets from its neighbours what its stencils reach of their tiles. All blocks of a launch run at once: they wait for one another.
//
// Compile-time: HALF_LENGTH (1 to 8), REAL, WIDTH (points of a thread, 16 bytes), AXES (2), WARPS (of a block), DEPTH (rows of a thread).

#include "device.cuh"
#include "staggered.cuh"
#include "grid.cuh"
#include "lanes.cuh"
#include "slopes.cuh"
#include "layers.cuh"
#include "shots.cuh"

namespace craton {

constexpr unsigned THREADS = 32 * WARPS;
// Vectors beside a tile that stencils along x reach.
constexpr unsigned SIDE = (HALF_LENGTH + WIDTH - 1) / WIDTH;
// Distance of the counters of neighbours, so that each has a sector of its own.
constexpr unsigned APART = 8;
// Looks at a neighbour's counter after which it is given up: seconds.
constexpr unsigned MOST_LOOKS = 1 << 22;

// How a plane is cut: tiles along x and z, vectors of a tile's row at most, distance of its rows in shared memory, rows there.
struct Cut {
    unsigned across, down, vectors, pitch, rows;
};

// A tile: its number in its shot, and that among those of all shots; its first point, its vectors along x and its rows.
struct Tile {
    unsigned number, of_all, i, vectors, k, rows;
};

// What is heard: of the tiles of all shots, their taps; in its own place each: field, column and row in the tile, place among what is heard in a step.
struct Heard {
    const unsigned* starts;
    const uint4* taps;
    REAL* values;  // [step][place]
    unsigned width;
};

__device__ __forceinline__ Tile tile_of(const Grid& grid, const Cut& cut, unsigned shot) {
    const unsigned x = blockIdx.x % cut.across, z = blockIdx.x / cut.across;
    Tile tile;
    tile.number = blockIdx.x;
    tile.of_all = shot * cut.across * cut.down + blockIdx.x;
    tile.i = x * cut.vectors * WIDTH;
    tile.vectors = min(cut.vectors, grid.groups * (GROUP / WIDTH) - x * cut.vectors);
    tile.k = grid.extent[2] * z / cut.down;
    tile.rows = grid.extent[2] * (z + 1) / cut.down - tile.k;
    return tile;
}

// Fields of a tile: on the chip with what stencils reach around it, and in memory, where neighbours read its edges.
struct Sheet {
    const Grid& grid;
    const Cut& cut;
    const Tile& tile;
    REAL* near;
    REAL* far;

    __device__ __forceinline__ REAL* here(unsigned field, int vector, int row) const {
        return near + (field * cut.rows + row + HALF_LENGTH) * cut.pitch + (vector + (int)SIDE) * WIDTH;
    }
    __device__ __forceinline__ unsigned at(int vector, int row) const {
        return grid.origin + tile.i + vector * WIDTH + (tile.k + row) * grid.stride[2];
    }
    __device__ __forceinline__ REAL* there(unsigned field, int vector, int row) const { return far + (size_t)grid.length * field + at(vector, row); }
};

// Brings the tile near, or stores it.
template <bool STORE>
__device__ __forceinline__ void carry(const Sheet& sheet) {
    const unsigned vector = threadIdx.x % 32;
    if (vector >= sheet.tile.vectors) return;
    for (unsigned row = threadIdx.x / 32; row < sheet.tile.rows; row += WARPS) {
        Lanes<WIDTH> values[FIELDS];
#pragma unroll
        for (unsigned field = 0; field < FIELDS; ++field) read(STORE ? sheet.here(field, vector, row) : sheet.there(field, vector, row), values[field]);
#pragma unroll
        for (unsigned field = 0; field < FIELDS; ++field) write(STORE ? sheet.there(field, vector, row) : sheet.here(field, vector, row), values[field]);
    }
}

// What a block elsewhere has counted; what it stored before that is seen by whoever passes a barrier after this.
__device__ __forceinline__ unsigned look(const unsigned* counter) {
#if defined(__CUDA_ARCH__)
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(counter)) : "memory");
    return value;
#else
    return *counter;
#endif
}

// Waits until the four neighbours have done so many halves of steps.
__device__ __forceinline__ void await(const Cut& cut, const Tile& tile, const unsigned* done, unsigned halves) {
    if (threadIdx.x < 4) {
        const unsigned x = tile.number % cut.across, z = tile.number / cut.across;
        const unsigned next = threadIdx.x % 2 * 2 - 1;
        const unsigned beside = threadIdx.x < 2 ? x + next : x, above = threadIdx.x < 2 ? z : z + next;
        if (beside < cut.across && above < cut.down) {
            const unsigned neighbour = tile.of_all - tile.number + above * cut.across + beside;
            for (unsigned looks = 0; look(done + neighbour * APART) < halves; ++looks) {
                if (looks == MOST_LOOKS) __trap();
                CRATON_PAUSE();
            }
        }
    }
    __syncthreads();
}

// Says that a half of a step is done. All threads have stored what others read.
__device__ __forceinline__ void tell(const Tile& tile, unsigned* done, unsigned halves) {
    if (threadIdx.x != 0) return;
    unsigned* const counter = done + tile.of_all * APART;
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(counter)), "r"(halves) : "memory");
#else
    *counter = halves;
#endif
}

__device__ __forceinline__ void read_shared_by_all(const float* from, Lanes<WIDTH>& to) {
    const float4 q = __ldcg(reinterpret_cast<const float4*>(from));
    to.v[0] = q.x;
    to.v[1] = q.y;
    to.v[2] = q.z;
    to.v[3] = q.w;
}

// Keeps the compiler from working out before a loop what would then wait in registers.
__device__ __forceinline__ int anew(int value) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(value));
#endif
    return value;
}

// Brings near what stencils reach beyond the tile: of a field beside it, and of a field below and above it.
__device__ __forceinline__ void bring_around(const Sheet& sheet, unsigned beside, unsigned above, unsigned thread) {
    constexpr unsigned MOST = (WARPS * DEPTH * 2 * SIDE + 2 * HALF_LENGTH * 32 + THREADS - 1) / THREADS;
    const unsigned columns = sheet.tile.rows * 2 * SIDE, all = columns + 2 * HALF_LENGTH * 32;
    Lanes<WIDTH> values[MOST] = {};
    REAL* to[MOST];
#pragma unroll
    for (unsigned n = 0; n < MOST; ++n) {
        const unsigned item = thread + n * THREADS;
        const bool is_beside = item < columns;
        const unsigned within = item - columns;
        int vector = is_beside ? item % (2 * SIDE) : within % 32, row = is_beside ? item / (2 * SIDE) : within / 32;
        const bool is_there = item < all && (is_beside || vector < (int)sheet.tile.vectors);
        if (is_beside) vector += vector < (int)SIDE ? -(int)SIDE : (int)(sheet.tile.vectors - SIDE);
        else row += row < HALF_LENGTH ? -HALF_LENGTH : (int)sheet.tile.rows - HALF_LENGTH;
        const unsigned field = is_beside ? beside : above;
        to[n] = is_there ? sheet.here(field, vector, row) : nullptr;
        if (is_there) read_shared_by_all(sheet.there(field, vector, row), values[n]);
    }
#pragma unroll
    for (unsigned n = 0; n < MOST; ++n) {
        if (to[n] != nullptr) write(to[n], values[n]);
    }
    __syncthreads();
}

// Reads factors where this is written, not where they are needed: they come from far.
__device__ __forceinline__ void read_ahead(const REAL* from, Lanes<WIDTH>& to) {
    read(from, to);
#if defined(__CUDA_ARCH__)
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) asm volatile("" : "+f"(to.v[l]));
#endif
}

// Stores points that have moved: near, where neighbours read them, and their image beyond a free top.
template <unsigned FIELD>
__device__ __forceinline__ void put(const Sheet& sheet, int vector, int row, Lanes<WIDTH>& moved) {
    constexpr bool IS_SEEN_BESIDE = FIELD != 1, IS_SEEN_ABOVE = FIELD != 0;
    REAL* const own = sheet.here(FIELD, vector, row);
    write(own, moved);
    const bool is_side = vector < (int)SIDE || vector >= (int)(sheet.tile.vectors - SIDE);
    const bool is_end = row < HALF_LENGTH || row >= (int)sheet.tile.rows - HALF_LENGTH;
    if ((IS_SEEN_BESIDE && is_side) || (IS_SEEN_ABOVE && is_end)) write(sheet.there(FIELD, vector, row), moved);
    if (FIELD == 0) return;
    const unsigned image = image_of(sheet.grid, 2 * sheet.grid.cells[2] - (FIELD == PRESSURE), sheet.tile.k + row);
    if (image == 0) return;
    if (FIELD == PRESSURE) {
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = -moved.v[l];
    }
    write(own + image * sheet.cut.pitch, moved);
    write(sheet.there(FIELD, vector, row + image), moved);
}

// What moves the rows of a thread, from the one at `row` on; those before `own` belong to another.
struct Motion {
    const Sheet& sheet;
    const Coefficients& coefficients;
    const REAL* factors;
    const Layers& layers;
    int vector, row, own;

    __device__ __forceinline__ Place place(int row) const {
        const Place place = {sheet.tile.i + vector * WIDTH, 0, sheet.tile.k + row, sheet.at(vector, row)};
        return place;
    }

    // Factors of a field in a row of this thread.
    __device__ __forceinline__ const REAL* factors_of(unsigned field, int r) const {
        return factors + (size_t)sheet.grid.length * field + sheet.at(vector, row + r);
    }

    // The derivatives across rows: each value is read once for all rows of the thread.
    template <bool WHOLE>
    __device__ __forceinline__ void slopes_down(unsigned field, Lanes<WIDTH> (&slopes)[DEPTH]) const {
        const REAL* const from = sheet.here(field, vector, row + (WHOLE ? -HALF_LENGTH : 1 - HALF_LENGTH));
        Lanes<WIDTH> taps[2 * HALF_LENGTH + DEPTH - 1];
#pragma unroll
        for (int n = 0; n < 2 * HALF_LENGTH + DEPTH - 1; ++n) read(from + n * sheet.cut.pitch, taps[n]);
#pragma unroll
        for (int r = 0; r < DEPTH; ++r) slopes[r] = sum_of_taps(taps + r, coefficients.along[2]);
    }

    // Moves a field by its rate.
    template <unsigned FIELD, int D>
    __device__ __forceinline__ void move(int row, const Lanes<WIDTH>& factor, REAL (&slopes)[WIDTH][D]) const {
        Lanes<WIDTH> moved;
        read(sheet.here(FIELD, vector, row), moved);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) moved.v[l] = without_negligible(op::add(moved.v[l], rate(factor.v[l], slopes[l])));
        put<FIELD>(sheet, vector, row, moved);
    }
};

__device__ __forceinline__ void apart(const Lanes<WIDTH>& slope, REAL (&slopes)[WIDTH][1]) {
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) slopes[l][0] = slope.v[l];
}

__device__ __forceinline__ void move_velocities(const Motion& motion) {
    const Sheet& sheet = motion.sheet;
    const Grid& grid = sheet.grid;
    REAL slopes[WIDTH][1];
    Lanes<WIDTH> down[DEPTH], factor, next;
    read_ahead(motion.factors_of(1, 0), next);
    motion.slopes_down<true>(PRESSURE, down);
#pragma unroll
    for (int r = 0; r < DEPTH; ++r) {
        const int row = motion.row + r;
        factor = next;
        // After the last row the first one along x follows.
        read_ahead(r + 1 < DEPTH ? motion.factors_of(1, r + 1) : motion.factors_of(0, 0), next);
        if (row < motion.own) continue;
        const Place place = motion.place(row);
        Memories<2> memories = recall<2>(motion.layers, place);
        stretch_slope<2, true>(motion.layers, place, memories, down[r]);
        apart(down[r], slopes);
        motion.move<1>(row, factor, slopes);
    }
#pragma unroll 1
    for (int r = 0; r < DEPTH; ++r) {
        const int row = motion.row + r;
        const Place place = motion.place(row);
        factor = next;
        if (r + 1 < DEPTH) read_ahead(motion.factors_of(0, r + 1), next);
        // Above the uppermost cells there is the velocity across the free top alone.
        if (row < motion.own || place.k >= grid.cells[2]) continue;
        Memories<0> memories = recall<0>(motion.layers, place);
        Lanes<WIDTH> slope = regular_slope<0, true, WIDTH>(InField<WIDTH>{sheet.here(PRESSURE, motion.vector, row)}, 1, motion.coefficients.along[0]);
        stretch_slope<0, true>(motion.layers, place, memories, slope);
        apart(slope, slopes);
        motion.move<0>(row, factor, slopes);
    }
}

__device__ __forceinline__ void move_pressure(const Motion& motion) {
    const Sheet& sheet = motion.sheet;
    const Grid& grid = sheet.grid;
    Lanes<WIDTH> down[DEPTH], factor, next;
    read_ahead(motion.factors_of(PRESSURE, 0), next);
    motion.slopes_down<false>(1, down);
#pragma unroll
    for (int r = 0; r < DEPTH; ++r) {
        const int row = motion.row + r;
        const Place place = motion.place(row);
        factor = next;
        if (r + 1 < DEPTH) read_ahead(motion.factors_of(PRESSURE, r + 1), next);
        if (row < motion.own || place.k >= grid.cells[2]) continue;
        Memories<0> beside = recall<0>(motion.layers, place);
        Memories<2> above = recall<2>(motion.layers, place);
        Lanes<WIDTH> slope = regular_slope<0, false, WIDTH>(InField<WIDTH>{sheet.here(0, motion.vector, row)}, 1, motion.coefficients.along[0]);
        stretch_slope<0, false>(motion.layers, place, beside, slope);
        stretch_slope<2, false>(motion.layers, place, above, down[r]);
        REAL slopes[WIDTH][AXES];
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            slopes[l][0] = slope.v[l];
            slopes[l][1] = down[r].v[l];
        }
        motion.move<PRESSURE>(row, factor, slopes);
    }
}

// Whether two taps act on the same vector of points.
__device__ __forceinline__ bool is_same_vector(const Tap& a, const Tap& b) { return a.field == b.field && a.at / WIDTH == b.at / WIDTH; }

// Adds what sources do to the fields that have just moved: a thread takes all taps of a vector, which follow one another, in the order of a CPU.
__device__ __forceinline__ void push_all(const Sheet& sheet, const Sources& sources, unsigned first, unsigned end, unsigned step) {
    for (unsigned n = first + threadIdx.x; n < end; n += THREADS) {
        Tap tap = sources.taps[n];
        if (n > first && is_same_vector(sources.taps[n - 1], tap)) continue;
        const unsigned field = tap.field, place = tap.at - sheet.grid.origin, stride = sheet.grid.stride[2];
        const int vector = (place % stride - sheet.tile.i) / WIDTH, row = place / stride - sheet.tile.k;
        const unsigned at = sheet.at(vector, row);
        Lanes<WIDTH> moved;
        read(sheet.here(field, vector, row), moved);
        for (unsigned m = n;;) {
            add(sources, tap, at, step, moved);
            if (++m == end || !is_same_vector(sources.taps[m], tap)) break;
            tap = sources.taps[m];
        }
        if (field == PRESSURE) put<PRESSURE>(sheet, vector, row, moved);
        else if (field == 1) put<1>(sheet, vector, row, moved);
        else put<0>(sheet, vector, row, moved);
    }
}

// Takes what is heard of the fields that have just moved.
__device__ __forceinline__ void hear(const Sheet& sheet, const Heard& heard, unsigned start, unsigned end, unsigned step) {
    for (unsigned n = start + threadIdx.x; n < end; n += THREADS) {
        const uint4 tap = heard.taps[n];
        heard.values[(size_t)step * heard.width + tap.w] = sheet.here(tap.x, 0, tap.z)[tap.y];
    }
}

}  // namespace craton

// `memory`, `starts`: of both halves of the step, one after the other. `count` steps from `*first` on, of shots from `first_shot` on.
extern "C" __global__ void __launch_bounds__(craton::THREADS, 1) march(
    craton::Grid grid, craton::Coefficients coefficients, const REAL* __restrict__ factors, craton::Slabs slabs, const REAL* __restrict__ profiles,
    REAL* __restrict__ memory, unsigned memories, unsigned shots, const unsigned* __restrict__ starts, const craton::Tap* __restrict__ taps,
    const REAL* __restrict__ amplitudes, unsigned steps, const unsigned* __restrict__ first, REAL* fields, craton::Cut cut, unsigned* done,
    const unsigned* __restrict__ heard_starts, const uint4* __restrict__ heard_taps, REAL* __restrict__ heard_values, unsigned heard_width,
    unsigned first_shot, unsigned count) {
    using namespace craton;
    CRATON_SHARED(REAL, near);
    const unsigned shot = first_shot + blockIdx.z, tiles = cut.across * cut.down;
    const Tile tile = tile_of(grid, cut, shot);
    const Sheet sheet = {grid, cut, tile, near, fields + (size_t)shot * FIELDS * grid.length};
    const Sources sources = {starts, taps, amplitudes, steps};
    const Heard heard = {heard_starts, heard_taps, heard_values, heard_width};
    const unsigned before = *first;
    const int vector = threadIdx.x % 32, own = threadIdx.x / 32 * DEPTH;
    const int row = min(own, (int)tile.rows - DEPTH);
    const bool is_active = vector < (int)tile.vectors && own < (int)tile.rows;
    carry<false>(sheet);
    for (unsigned n = 0; n < 2 * count; ++n) {
        const unsigned half = n % 2, number = half * shots * tiles + tile.of_all;
        const Layers layers = {slabs, profiles, memory + (size_t)(half * shots + shot) * memories};
        await(cut, tile, done, 2 * before + n);
        bring_around(sheet, half == 0 ? PRESSURE : 0, half == 0 ? PRESSURE : 1, anew(threadIdx.x));
        if (is_active) {
            const Motion motion = {sheet, coefficients, factors, layers, anew(vector), anew(row), own};
            if (half == 0) move_velocities(motion);
            else move_pressure(motion);
        }
        __syncthreads();
        if (starts[number] < starts[number + 1]) {
            push_all(sheet, sources, starts[number], starts[number + 1], before + n / 2);
            __syncthreads();
        }
        tell(tile, done, 2 * before + n + 1);
        hear(sheet, heard, heard_starts[number], heard_starts[number + 1], n / 2);
    }
    carry<true>(sheet);
}

CRATON_ENTRY(march)

// Sums the taps of channels of some steps into the ring, `ring[step % rows][channel]`. `channels[n]`: number, shot, first tap and end.
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

// Counts the steps of a recording.
extern "C" __global__ void count_steps(unsigned* first, unsigned steps) { *first += steps; }

CRATON_ENTRY(count_steps)
