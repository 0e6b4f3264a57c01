// Tiles of a 2D grid in shared memory, and the exchange of edges between neighbours. Each value shares a word with the number of its half step, so that
// the reader recognises whether it has arrived; nothing else orders the stores of blocks. Overwriting a word is safe: a tile sends the edges
// of half step n after it has received those of n - 1 from all neighbours; they sent these after a barrier before which they had received those of n - 2,
// the ones that are overwritten. No device executes a store before the branch on which the store depends is resolved.
#pragma once

namespace craton {

constexpr unsigned THREADS = 32 * WARPS;
// Vectors on each side of a tile that stencils along x read.
constexpr unsigned SIDE = (HALF_LENGTH + WIDTH - 1) / WIDTH;
// Number of polls for a neighbour's edge before the kernel traps: some seconds.
constexpr unsigned MOST_LOOKS = 1 << 22;
// Vectors that a thread requests at once: six suffice for all edges of a tile of 100 rows.
constexpr int TAKEN = 6;

// Distance between the rows of a tile in shared memory.
constexpr int PITCH = (32 + 2 * SIDE + 1) * WIDTH;

// Decomposition of the grid: tiles along x and z, maximum number of vectors per row of a tile, rows in shared memory.
struct Cut {
    unsigned across, down, vectors, rows;
};

// A tile: its indices along x and z, its number among those of all shots, its first point, its vectors along x and its rows.
struct Tile {
    unsigned x, z, of_all, i, vectors, k, rows;
};

__device__ __forceinline__ Tile tile_of(const Grid& grid, const Cut& cut, unsigned shot) {
    Tile tile;
    tile.x = blockIdx.x % cut.across;
    tile.z = blockIdx.x / cut.across;
    tile.of_all = shot * cut.across * cut.down + blockIdx.x;
    tile.i = tile.x * cut.vectors * WIDTH;
    tile.vectors = min(cut.vectors, grid.groups * (GROUP / WIDTH) - tile.x * cut.vectors);
    tile.k = grid.extent[2] * tile.z / cut.down;
    tile.rows = grid.extent[2] * (tile.z + 1) / cut.down - tile.k;
    return tile;
}

// Fields of a tile: in shared memory with a halo for the stencils, and in global memory between launches.
struct Sheet {
    const Grid& grid;
    const Cut& cut;
    const Tile& tile;
    REAL* near;
    REAL* far;
    bool is_top;  // at a free surface

    __device__ __forceinline__ REAL* here(unsigned field, int vector, int row) const {
        return near + (int)field * this->field() + (row + HALF_LENGTH) * PITCH + (vector + (int)SIDE) * WIDTH;
    }
    // Distance between fields in shared memory.
    __device__ __forceinline__ int field() const { return cut.rows * PITCH; }
    __device__ __forceinline__ unsigned at(int vector, int row) const {
        return grid.origin + tile.i + vector * WIDTH + (tile.k + row) * grid.stride[2];
    }
    __device__ __forceinline__ REAL* there(unsigned field, int vector, int row) const { return far + (size_t)grid.length * field + at(vector, row); }
};

// Copies the tile with its halo to shared memory. Values beyond the grid are constant, except images beyond a free surface.
__device__ __forceinline__ void bring(const Sheet& sheet) {
    const unsigned width = sheet.tile.vectors + 2 * SIDE, all = width * (sheet.tile.rows + 2 * HALF_LENGTH);
    for (unsigned item = threadIdx.x; item < all; item += THREADS) {
        const int vector = (int)(item % width) - (int)SIDE, row = (int)(item / width) - HALF_LENGTH;
        const bool is_beside = (unsigned)vector >= sheet.tile.vectors, is_above = (unsigned)row >= sheet.tile.rows;
        if (is_beside && is_above) continue;
#pragma unroll
        for (unsigned field = 0; field < FIELDS; ++field) {
            Lanes<WIDTH> values;
            read(sheet.there(field, vector, row), values);
            write(sheet.here(field, vector, row), values);
        }
    }
}

// Stores the tile in global memory.
__device__ __forceinline__ void store(const Sheet& sheet) {
    const unsigned vector = threadIdx.x % 32;
    if (vector >= sheet.tile.vectors) return;
    for (unsigned row = threadIdx.x / 32; row < sheet.tile.rows; row += WARPS) {
#pragma unroll
        for (unsigned field = 0; field < FIELDS; ++field) {
            Lanes<WIDTH> values;
            read(sheet.here(field, vector, row), values);
            write(sheet.there(field, vector, row), values);
        }
    }
}

// Two values in transit, each in a 64-bit word with the number of its half step.
struct alignas(16) Pair {
    float first;
    unsigned number;
    float second;
    unsigned again;
};

__device__ __forceinline__ void give(Pair* to, float first, float second, unsigned number) {
#if defined(__CUDA_ARCH__)
    const unsigned long long a = (unsigned long long)number << 32 | __float_as_uint(first);
    const unsigned long long b = (unsigned long long)number << 32 | __float_as_uint(second);
    asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" : : "l"(__cvta_generic_to_global(to)), "l"(a), "l"(b) : "memory");
#else
    *to = {first, number, second, number};
#endif
}

__device__ __forceinline__ Pair look(const Pair* from) {
#if defined(__CUDA_ARCH__)
    unsigned long long a, b;
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(__cvta_generic_to_global(from)) : "memory");
    return {__uint_as_float((unsigned)a), (unsigned)(a >> 32), __uint_as_float((unsigned)b), (unsigned)(b >> 32)};
#else
    return *from;
#endif
}

// A vector of points beyond an edge of the tile: its offset in shared memory, in the first field, and the index of its first pair among those of a half step.
struct Spot {
    unsigned near, pair;
};

// The edges of a tile next to other tiles, divided into parts of 32 vectors, one per thread of a warp. First those normal to x, then those
// normal to z; lower and upper ones alternate.
struct Edges {
    const Sheet& sheet;
    Spot* spots;  // in shared memory: [part][thread]

    static constexpr unsigned NONE = ~0u;

    // Number of parts of an edge normal to x, and of all edges: each part of an edge normal to z is one row.
    static __device__ __forceinline__ unsigned beside(unsigned rows) { return (rows + 32 / SIDE - 1) / (32 / SIDE); }
    static __device__ __forceinline__ unsigned parts(unsigned rows) { return 2 * beside(rows) + 2 * HALF_LENGTH; }
    // Number of pairs of a tile.
    static __device__ __forceinline__ unsigned pairs(const Cut& cut) { return 64 * parts(cut.rows - 2 * HALF_LENGTH); }

    __device__ __forceinline__ unsigned parts() const { return parts(sheet.tile.rows); }
    __device__ __forceinline__ bool is_beside(unsigned part) const { return part < 2 * beside(sheet.tile.rows); }

    // Finds the spots of all parts.
    __device__ __forceinline__ void find() const {
        const Tile& tile = sheet.tile;
        const int thread = threadIdx.x % 32;
        for (unsigned part = threadIdx.x / 32; part < parts(); part += WARPS) {
            const bool is_beside = this->is_beside(part), is_upper = part % 2 != 0;
            const int n = (is_beside ? part : part - 2 * beside(tile.rows)) / 2;
            int vector = is_beside ? thread % SIDE : thread, row = is_beside ? n * (32 / SIDE) + thread / SIDE : n;
            const unsigned place = is_beside ? tile.x : tile.z, tiles = is_beside ? sheet.cut.across : sheet.cut.down;
            const bool is_there = row < (int)tile.rows && vector < (int)tile.vectors && (is_upper ? place + 1 < tiles : place > 0);
            if (is_beside) vector += is_upper ? (int)tile.vectors : -(int)SIDE;
            else row += is_upper ? (int)tile.rows : -HALF_LENGTH;
            const int towards = (is_upper ? 1 : -1) * (is_beside ? 1 : (int)sheet.cut.across);
            // A lower edge of this tile is an upper edge of the neighbour.
            Spot& spot = spots[part * 32 + thread];
            spot.near = is_there ? sheet.here(0, vector, row) - sheet.near : NONE;
            spot.pair = (tile.of_all + towards) * pairs(sheet.cut) + pair_of(part ^ 1);
        }
    }

    // Index of the first pair of a thread's vector of a part, among those of a tile. The numbers of rows of tiles may differ by one: edges normal to x
    // have room for the maximum.
    __device__ __forceinline__ unsigned pair_of(unsigned part) const {
        const unsigned own = is_beside(part) ? part : part + 2 * (beside(sheet.cut.rows - 2 * HALF_LENGTH) - beside(sheet.tile.rows));
        return own * 64 + threadIdx.x % 32;
    }

    // Sends the edges of two fields to the neighbours, those normal to x of one and those normal to z of the other. `number`: completed half steps.
    __device__ __forceinline__ void give_all(Pair* pairs, unsigned field_beside, unsigned field_above, unsigned number) const {
        Pair* const own = pairs + (size_t)sheet.tile.of_all * Edges::pairs(sheet.cut);
        for (unsigned part = threadIdx.x / 32; part < parts(); part += WARPS) {
            const unsigned near = spots[part * 32 + threadIdx.x % 32].near;
            if (near == NONE) continue;
            const bool is_beside = this->is_beside(part);
            const int inward = (part % 2 != 0 ? -1 : 1) * (is_beside ? (int)(SIDE * WIDTH) : HALF_LENGTH * PITCH);
            Lanes<WIDTH> values;
            read(sheet.near + (int)(is_beside ? field_beside : field_above) * sheet.field() + (int)near + inward, values);
            Pair* const to = own + pair_of(part);
            give(to, values.v[0], values.v[1], number);
            give(to + 32, values.v[2], values.v[3], number);
        }
    }

    // Waits for the edges that the neighbours send after `number` half steps, and copies them to the halo; called by `warps` warps.
    __device__ __forceinline__ void take_all(const Pair* pairs, unsigned field_beside, unsigned field_above, unsigned number, unsigned warp,
                                             unsigned warps) const {
        for (unsigned start = warp; start < parts(); start += TAKEN * warps) {
            const Pair* from[TAKEN];
#pragma unroll
            for (int n = 0; n < TAKEN; ++n) {
                const unsigned part = start + n * warps;
                from[n] = nullptr;
                if (part >= parts()) continue;
                const Spot spot = spots[part * 32 + threadIdx.x % 32];
                if (spot.near != NONE) from[n] = pairs + spot.pair;
            }
            Pair values[TAKEN][2];
            bool is_here = false;
            for (unsigned looks = 0; !is_here; ++looks) {
                if (looks == MOST_LOOKS) __trap();
                if (looks > 0) CRATON_PAUSE();
#pragma unroll
                for (int n = 0; n < TAKEN; ++n) {
                    values[n][0] = values[n][1] = {0, number, 0, number};
                    if (from[n] == nullptr) continue;
                    values[n][0] = look(from[n]);
                    values[n][1] = look(from[n] + 32);
                }
                is_here = true;
#pragma unroll
                for (int n = 0; n < TAKEN; ++n) {
                    const Pair &low = values[n][0], &high = values[n][1];
                    is_here = is_here && low.number == number && low.again == number && high.number == number && high.again == number;
                }
            }
#pragma unroll
            for (int n = 0; n < TAKEN; ++n) {
                if (from[n] == nullptr) continue;
                const unsigned part = start + n * warps, field = is_beside(part) ? field_beside : field_above;
                const Lanes<WIDTH> taken = {values[n][0].first, values[n][0].second, values[n][1].first, values[n][1].second};
                write(sheet.near + (int)field * sheet.field() + (int)spots[part * 32 + threadIdx.x % 32].near, taken);
            }
        }
    }
};

}  // namespace craton
