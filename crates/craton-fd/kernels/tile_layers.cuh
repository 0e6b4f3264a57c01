// Absorbing layers as a tile on the chip has them: their factors beside its fields, and what they remember asked for before it is needed, since it comes
// from far, and whoever waits for it is waited for by all other tiles. No thread has rows in the layers of two sides across an axis (tiles.rs).
#pragma once

namespace craton {

// Points along x of a tile, and its rows, at most.
constexpr int COLUMNS = 32 * WIDTH, ROWS = WARPS * DEPTH;
// Factors of a tile's columns, then of its rows: of both halves of a step, decay, gain, and inverse stretch.
constexpr int PROFILES = 2 * 3 * (COLUMNS + ROWS);

// What a layer remembers of derivatives across it in the rows of a thread: which of them it holds, a bit each, and where the first one would be.
struct Lining {
    unsigned rows;
    REAL* at;
    unsigned step;

    __device__ __forceinline__ bool holds(int r) const { return rows >> r & 1; }
    // What it remembers of a row; nothing of one that it does not hold.
    __device__ __forceinline__ Lanes<WIDTH> recall(int r) const {
        Lanes<WIDTH> values = {};
        if (holds(r)) read(at + r * step, values);
        return values;
    }
};

struct TileLayers {
    const Layers& layers;
    const Tile& tile;
    REAL* profiles;

    __device__ __forceinline__ const Slab& slab(int axis, bool is_upper) const { return layers.slabs.of_side[2 * axis + is_upper]; }
    __device__ __forceinline__ int first(int axis) const { return axis == 0 ? tile.i : tile.k; }
    __device__ __forceinline__ REAL* profiles_of(int axis, unsigned half) const {
        return profiles + (axis == 0 ? half * 3 * COLUMNS : 6 * COLUMNS + half * 3 * ROWS);
    }

    // Brings the factors near.
    __device__ __forceinline__ void bring() const {
#pragma unroll
        for (int axis = 0; axis <= 2; axis += 2) {
            const int most = axis == 0 ? COLUMNS : ROWS, points = axis == 0 ? tile.vectors * WIDTH : tile.rows;
            for (int side = 0; side < 2; ++side) {
                const Slab& own = slab(axis, side);
                const int range = own.end - own.start, from = max(0, (int)own.start - first(axis)), end = min(points, (int)own.end - first(axis));
                for (int at = from + (int)threadIdx.x; at < end; at += THREADS) {
                    const REAL* const factors = layers.factors + own.factors + first(axis) + at - (int)own.start;
                    for (int n = 0; n < 6; ++n) profiles_of(axis, 0)[n * most + at] = factors[n * range];
                }
            }
        }
    }

    // What the layers across an axis hold of the rows of a thread from `row` on, of those that are moved.
    template <int AXIS>
    __device__ __forceinline__ Lining lining(int vector, int row, unsigned moved) const {
        const int i = tile.i + vector * WIDTH, k = tile.k + row, last = AXIS == 0 ? i : k + DEPTH - 1;
        const Slab& upper = slab(AXIS, true);
        const Slab& own = slab(AXIS, upper.start < upper.end && last >= (int)upper.start);
        const int start = own.start, end = own.end;
        Lining lining = {};
#pragma unroll
        for (int r = 0; r < DEPTH; ++r) {
            const int along = AXIS == 0 ? i : k + r;
            if (along >= start && along < end) lining.rows |= 1u << r;
        }
        lining.rows &= moved;
        lining.step = own.rows * own.width;
        lining.at = layers.memory + own.memory + (AXIS == 0 ? k * (int)lining.step + i - start : (k - start) * (int)lining.step + i);
        return lining;
    }

    // Moves what is remembered of a row, and stretches the derivative.
    template <int AXIS>
    __device__ __forceinline__ void stretch(const Lining& lining, unsigned half, int vector, int row, int r, Lanes<WIDTH>& memory,
                                            Lanes<WIDTH>& slope) const {
        if (!lining.holds(r)) return;
        const REAL* const own = profiles_of(AXIS, half) + (AXIS == 0 ? vector * WIDTH : row + r);
        Lanes<WIDTH> factors[3];
#pragma unroll
        for (int n = 0; n < 3; ++n) {
            if (AXIS == 0) read(own + n * COLUMNS, factors[n]);
            else factors[n].v[0] = own[n * ROWS];
        }
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            const int at = AXIS == 0 ? l : 0;
            remember(factors[0].v[at], factors[1].v[at], factors[2].v[at], memory.v[l], slope.v[l]);
        }
        write(lining.at + r * lining.step, memory);
    }
};

}  // namespace craton
