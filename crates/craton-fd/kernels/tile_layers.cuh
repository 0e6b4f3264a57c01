// Absorbing layers of a tile. Their factors are in shared memory, next to the fields. Their memory variables are read from global memory before they are
// needed, because a tile that waits for them delays all others. No thread has rows in the layers of both sides normal to an axis (tiles.rs).
#pragma once

namespace craton {

// Maximum numbers of points along x and of rows of a tile.
constexpr int COLUMNS = 32 * WIDTH, ROWS = WARPS * DEPTH;
// Number of factors of a tile, for its columns, then for its rows: decay, gain and inverse stretch in both halves of a step.
constexpr int PROFILES = 2 * 3 * (COLUMNS + ROWS);

// Memory variables of a layer in the rows of a thread: bit mask of the rows that it contains, address of the first row, distance between rows.
struct Lining {
    unsigned rows;
    REAL* at;
    unsigned step;

    __device__ __forceinline__ bool holds(int r) const { return rows >> r & 1; }
    // The memory variables of a row; zero for a row outside the layer.
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

    // Copies the factors to shared memory.
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

    // The memory variables of the layers normal to an axis in the rows of a thread from `row` on. `moved`: bit mask of the rows to update.
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

    // Advances the memory variables of a row, and stretches the derivative.
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
