// Tiles of a plane on the chip, and how neighbours give one another their edges: each value goes with the number of the half of a step that it is of, in
// one word, so that whoever reads it knows by itself whether it has come. Nothing else orders what blocks store. A word is free again when it is written:
// a tile gives the edges of half n once it has taken those of n - 1 of all neighbours, who gave them after a barrier behind which they had taken those of
// n - 2, which it writes over. No device stores before the branch that the store depends on is known.
#pragma once

namespace craton {

constexpr unsigned THREADS = 32 * WARPS;
// Vectors beside a tile that stencils along x reach.
constexpr unsigned SIDE = (HALF_LENGTH + WIDTH - 1) / WIDTH;
// Looks at a neighbour's edge after which it is given up: seconds.
constexpr unsigned MOST_LOOKS = 1 << 22;
// Vectors that a thread asks for at once: six serve for all edges of a tile of 100 rows.
constexpr int TAKEN = 6;

// Distance of a tile's rows in shared memory.
constexpr int PITCH = (32 + 2 * SIDE + 1) * WIDTH;

// How a plane is cut: tiles along x and z, vectors of a tile's row at most, rows in shared memory.
struct Cut {
    unsigned across, down, vectors, rows;
};

// A tile: its place among those of its shot, and among those of all shots; its first point, its vectors along x and its rows.
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

// Fields of a tile: on the chip with what stencils reach around it, and in memory between launches.
struct Sheet {
    const Grid& grid;
    const Cut& cut;
    const Tile& tile;
    REAL* near;
    REAL* far;
    bool is_top;  // below a free top

    __device__ __forceinline__ REAL* here(unsigned field, int vector, int row) const {
        return near + (int)field * this->field() + (row + HALF_LENGTH) * PITCH + (vector + (int)SIDE) * WIDTH;
    }
    // Distance of fields on the chip.
    __device__ __forceinline__ int field() const { return cut.rows * PITCH; }
    __device__ __forceinline__ unsigned at(int vector, int row) const {
        return grid.origin + tile.i + vector * WIDTH + (tile.k + row) * grid.stride[2];
    }
    __device__ __forceinline__ REAL* there(unsigned field, int vector, int row) const { return far + (size_t)grid.length * field + at(vector, row); }
};

// Brings the tile near with what stencils reach around it: beyond the plane that stays as it is, but for images beyond a free top.
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

// Stores the tile.
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

// Two values on their way, each in a word with the number of their half of a step.
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

// A vector of points beyond an edge of the tile: its place near, in the first field, and that of its first pair among those of a half of a step.
struct Spot {
    unsigned near, pair;
};

// The edges of a tile that a neighbour's tile begins at, as threads give and take them: a thread of a warp has one of 32 vectors. Beside the tile, then at
// its ends; lower and upper ones in turn.
struct Edges {
    const Sheet& sheet;
    Spot* spots;  // on the chip: [part][thread]

    static constexpr unsigned NONE = ~0u;

    // Parts of an edge beside the tile of a cut, at most, and of all edges: those at the ends have a row each.
    static __device__ __forceinline__ unsigned beside(unsigned rows) { return (rows + 32 / SIDE - 1) / (32 / SIDE); }
    static __device__ __forceinline__ unsigned parts(unsigned rows) { return 2 * beside(rows) + 2 * HALF_LENGTH; }
    // Pairs of a tile.
    static __device__ __forceinline__ unsigned pairs(const Cut& cut) { return 64 * parts(cut.rows - 2 * HALF_LENGTH); }

    __device__ __forceinline__ unsigned parts() const { return parts(sheet.tile.rows); }
    __device__ __forceinline__ bool is_beside(unsigned part) const { return part < 2 * beside(sheet.tile.rows); }

    // Notes where all of them are.
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
            // What is a lower edge here is an upper one there.
            Spot& spot = spots[part * 32 + thread];
            spot.near = is_there ? sheet.here(0, vector, row) - sheet.near : NONE;
            spot.pair = (tile.of_all + towards) * pairs(sheet.cut) + pair_of(part ^ 1);
        }
    }

    // The first pair of a thread's vector of a part, among those of a tile. Tiles above one another may differ by a row: what is beside them has room for
    // the most rows in all.
    __device__ __forceinline__ unsigned pair_of(unsigned part) const {
        const unsigned own = is_beside(part) ? part : part + 2 * (beside(sheet.cut.rows - 2 * HALF_LENGTH) - beside(sheet.tile.rows));
        return own * 64 + threadIdx.x % 32;
    }

    // Gives the neighbours what they see of two fields, one beside the tile and one at its ends. `number`: halves of steps that are done.
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

    // Takes what the neighbours have given after `number` halves of steps, and waits for it. `warp` of `warps` do.
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
