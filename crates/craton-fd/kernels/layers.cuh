// Absorbing layers: memory of the derivatives along their axes, in their slabs alone (`layers.rs`).
#pragma once

namespace craton {

// What the layer of a side is; an empty range where it has none.
struct Slab {
    unsigned start, end;   // indices along the axis; whole groups along x
    unsigned memory;       // where its memory begins: [k][j][component][i]
    unsigned width, rows;  // points of its memory along x and y
    unsigned factors;      // where those of its axis begin: [whole, half points][decay, gain, inverse stretch][index]
};

// The slabs of the six sides, an argument of the kernels.
struct Slabs {
    Slab of_side[6];
};

struct Layers {
    const Slabs& slabs;
    const REAL* factors;
    REAL* memory;
};

// A bit for each of the two sides across an axis in whose layer an index lies.
__device__ __forceinline__ unsigned sides_around(const Layers& layers, int axis, unsigned along) {
    unsigned sides = 0;
#pragma unroll
    for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
        const unsigned start = layers.slabs.of_side[side].start, end = layers.slabs.of_side[side].end;
        sides |= (unsigned)(along >= start && along < end) << side;
    }
    return sides;
}

// Moves the memory of a derivative and stretches it.
__device__ __forceinline__ void remember(REAL decay, REAL gain, REAL inverse, REAL& memory, REAL& slope) {
    memory = without_negligible(op::fma(decay, memory, op::mul(gain, slope)));
    slope = op::fma(inverse, slope, memory);
}

// What the layers across an axis make of the derivatives of the three rows along it. `sides`: a bit for each side in whose layer the points are.
template <Half HALF, int AXIS, int W>
__device__ __forceinline__ void stretch(const Layers& layers, unsigned sides, const Place& place, Lanes<W> (&slopes)[3]) {
    const unsigned along = AXIS == 0 ? place.i : AXIS == 1 ? place.j : place.k;
#pragma unroll
    for (int side = 2 * AXIS; side < 2 * AXIS + 2; ++side) {
        if (!(sides >> side & 1)) continue;
        const Slab& slab = layers.slabs.of_side[side];
        const unsigned within = along - slab.start, range = slab.end - slab.start;
        const unsigned i = AXIS == 0 ? within : place.i, j = AXIS == 1 ? within : place.j, k = AXIS == 2 ? within : place.k;
        REAL* const memory = layers.memory + slab.memory + (size_t)((k * slab.rows + j) * 3) * slab.width + i;
        const REAL* const factors = layers.factors + slab.factors + within;
        Lanes<W> psi[3];
#pragma unroll
        for (int c = 0; c < 3; ++c) read(memory + c * slab.width, psi[c]);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
#pragma unroll
            for (int l = 0; l < W; ++l) {
                const REAL* const own = factors + (is_whole_slope(HALF, c, AXIS) ? 0 : 3 * range) + (AXIS == 0 ? l : 0);
                remember(own[0], own[range], own[2 * range], psi[c].v[l], slopes[c].v[l]);
            }
        }
#pragma unroll
        for (int c = 0; c < 3; ++c) write(memory + c * slab.width, psi[c]);
    }
}

}  // namespace craton
