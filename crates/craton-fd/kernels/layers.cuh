// Absorbing layers: memory variables of the derivatives along their axes, only in their slabs (`layers.rs`).
#pragma once

namespace craton {

// The layer of a side; its range is empty if the side has none.
struct Slab {
    unsigned start, end;   // indices along the axis; whole groups along x
    unsigned memory;       // offset of its memory variables, [k][j][component][i]
    unsigned width, rows;  // points of its memory along x and y
    unsigned factors;      // offset of those of its axis, [whole, half points][decay, gain, inverse stretch][index]
};

// The slabs of the six sides, as a kernel argument.
struct Slabs {
    Slab of_side[6];
};

struct Layers {
    const Slabs& slabs;
    const REAL* factors;
    REAL* memory;
};

// Bit mask of the two sides normal to an axis whose layers contain an index.
__device__ __forceinline__ unsigned sides_around(const Layers& layers, int axis, unsigned along) {
    unsigned sides = 0;
#pragma unroll
    for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
        const unsigned start = layers.slabs.of_side[side].start, end = layers.slabs.of_side[side].end;
        sides |= (unsigned)(along >= start && along < end) << side;
    }
    return sides;
}

// Advances the memory variable of a derivative, and stretches the derivative.
__device__ __forceinline__ void remember(REAL decay, REAL gain, REAL inverse, REAL& memory, REAL& slope) {
    memory = without_negligible(op::fma(decay, memory, op::mul(gain, slope)));
    slope = op::fma(inverse, slope, memory);
}

// Applies the layers normal to an axis to the derivatives of the three rows along it. `sides`: bit mask of the sides whose layers contain the points.
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
