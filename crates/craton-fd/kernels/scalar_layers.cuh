// Absorbing layers of the scalar wave equation: memory variables of both derivatives along their axes, as on the host (`scalar/layers.rs`, `scalar.rs` of
// craton-fd-kernels).
#pragma once

namespace craton {

// Half-length of the staggered derivatives in layers.
constexpr int SHORT = HALF_LENGTH >= 3 ? 2 : 1;
// Faces around those with memory, along the axis of a layer; the same along rows.
constexpr unsigned MARGIN = 2, ROW_MARGIN = 4;

// The layer of a side; its range is empty if the side has none. Cells on lower sides store the variable of their lower face, others that of the upper one.
struct ScalarSlab {
    unsigned start, end;      // cells along the axis; whole vectors along x
    unsigned faces, centres;  // offsets of the memory variables at faces, with margins, and at centres: [k][j][i]
    unsigned width, rows;     // cells of the slab along x and y
    unsigned factors;         // offset of decay and gain at faces with margins, then at centres
};

// The slabs of the six sides, as a kernel argument.
struct ScalarSlabs {
    ScalarSlab of_side[6];
    unsigned faces;  // number of all variables at faces
};

struct ScalarLayers {
    const ScalarSlabs& slabs;
    const REAL* factors;
    REAL* memory;  // variables at faces at even and at odd steps, then those at centres
    unsigned odd;
};

// Bit mask of the two sides normal to an axis whose layers contain an index.
__device__ __forceinline__ unsigned sides_of(const ScalarLayers& layers, int axis, unsigned along) {
    unsigned sides = 0;
#pragma unroll
    for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
        const unsigned start = layers.slabs.of_side[side].start, end = layers.slabs.of_side[side].end;
        sides |= (unsigned)(along >= start && along < end) << side;
    }
    return sides;
}

// Values of a row around the points of a thread: complete vectors; those that no derivative reads are never loaded.
struct Row {
    static constexpr int SIDE = (HALF_LENGTH + WIDTH - 1) / WIDTH;
    Lanes<WIDTH> window[2 * SIDE + 1];

    __device__ __forceinline__ Row(const REAL* own, const Lanes<WIDTH>& centre) {
#pragma unroll
        for (int n = 0; n <= 2 * SIDE; ++n) {
            if (n == SIDE) window[n] = centre;
            else read(own + (n - SIDE) * WIDTH, window[n]);
        }
    }

    // The values some points further along x.
    __device__ __forceinline__ Lanes<WIDTH> at(int steps, int = 0) const {
        Lanes<WIDTH> value;
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            const int at = SIDE * WIDTH + steps + l;
            value.v[l] = window[at / WIDTH].v[at % WIDTH];
        }
        return value;
    }
};

// Values of a column in registers, `own`: that of the points themselves.
struct InColumn {
    const Lanes<WIDTH>* own;

    __device__ __forceinline__ Lanes<WIDTH> at(int steps, int) const { return own[steps]; }
};

// Decay and gain of the variables at the faces -1 to 2 of the points of a thread, relative to their lower faces. Along x each point has its own.
template <int AXIS>
struct FaceFactors {
    static constexpr int COUNT = AXIS == 0 ? WIDTH + 3 : 4;
    REAL decay[COUNT], gain[COUNT];

    __device__ __forceinline__ FaceFactors(const REAL* own, unsigned range) {
#pragma unroll
        for (int n = 2 - SHORT; n < COUNT - 2 + SHORT; ++n) {
            decay[n] = own[n];
            gain[n] = own[range + 2 * MARGIN + n];
        }
    }
};

// Applies the layer of a side to the second derivative along its axis. `values`: pressure around the points, neighbours `stride` apart.
template <int SIDE, class Values>
__device__ __forceinline__ void stretch_side(const ScalarLayers& layers, const Place& place, const Values& values, const REAL* coefficients,
                                             Lanes<WIDTH>& second, int stride) {
    constexpr int AXIS = SIDE / 2, OWN = SIDE % 2;
    const ScalarSlab& slab = layers.slabs.of_side[SIDE];
    const unsigned within = along(AXIS, place) - slab.start, range = slab.end - slab.start;
    const unsigned i = AXIS == 0 ? within : place.i, j = AXIS == 1 ? within : place.j, k = AXIS == 2 ? within : place.k;
    const unsigned width = slab.width + (AXIS == 0 ? 2 * ROW_MARGIN : 0), rows = slab.rows + (AXIS == 1 ? 2 * MARGIN : 0);
    const unsigned margin_i = AXIS == 0 ? ROW_MARGIN : 0, margin_j = AXIS == 1 ? MARGIN : 0, margin_k = AXIS == 2 ? MARGIN : 0;
    const size_t own = slab.faces + ((size_t)(k + margin_k) * rows + j + margin_j) * width + i + margin_i;
    const REAL* const before = layers.memory + (size_t)layers.odd * layers.slabs.faces + own;
    REAL* const after = layers.memory + (size_t)(1 - layers.odd) * layers.slabs.faces + own;
    REAL* const centre = layers.memory + (size_t)2 * layers.slabs.faces + slab.centres + ((size_t)k * slab.rows + j) * slab.width + i;
    const REAL* const factors = layers.factors + slab.factors;
    const FaceFactors<AXIS> of_faces(factors + within + 1 - OWN, range);
    const int step = AXIS == 1 ? (int)width : (int)(width * rows);
    Lanes<WIDTH> memory, faces[4];
    read(centre, memory);
    if constexpr (AXIS == 0) {
        Lanes<WIDTH> window[3];
#pragma unroll
        for (int n = 0; n < 3; ++n) read(before + (n - 1) * WIDTH, window[n]);
#pragma unroll
        for (int face = 2 - SHORT; face < 2 + SHORT; ++face) {
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) {
                const int at = WIDTH + l + face - 1 - OWN;
                faces[face].v[l] = window[at / WIDTH].v[at % WIDTH];
            }
        }
    } else {
#pragma unroll
        for (int face = 2 - SHORT; face < 2 + SHORT; ++face) read(before + (face - 1 - OWN) * step, faces[face]);
    }
#pragma unroll
    for (int face = 2 - SHORT; face < 2 + SHORT; ++face) {
        const Lanes<WIDTH> above = values.at(face - 1, stride), below = values.at(face - 2, stride);
        Lanes<WIDTH> beyond, behind;
        if constexpr (SHORT == 2) {
            beyond = values.at(face, stride);
            behind = values.at(face - 3, stride);
        }
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            REAL slope = op::mul(coefficients[0], op::sub(above.v[l], below.v[l]));
            if constexpr (SHORT == 2) slope = op::fma(coefficients[1], op::sub(beyond.v[l], behind.v[l]), slope);
            const int at = face + (AXIS == 0 ? l : 0);
            faces[face].v[l] = without_negligible(op::fma(of_faces.decay[at], faces[face].v[l], op::mul(of_faces.gain[at], slope)));
        }
    }
    write(after, faces[1 + OWN]);
    const REAL* const of_centres = factors + 2 * (range + 2 * MARGIN) + within;
#pragma unroll
    for (int l = 0; l < WIDTH; ++l) {
        REAL change = op::mul(coefficients[0], op::sub(faces[2].v[l], faces[1].v[l]));
        if constexpr (SHORT == 2) change = op::fma(coefficients[1], op::sub(faces[3].v[l], faces[0].v[l]), change);
        const REAL stretched = op::add(second.v[l], change);
        const int at = AXIS == 0 ? l : 0;
        memory.v[l] = without_negligible(op::fma(of_centres[at], memory.v[l], op::mul(of_centres[range + at], stretched)));
        second.v[l] = op::add(stretched, memory.v[l]);
    }
    write(centre, memory);
}

// Applies the layers normal to an axis. `sides`: bit mask of the sides whose layers contain the points.
template <int AXIS, class Values>
__device__ __forceinline__ void stretch(const ScalarLayers& layers, unsigned sides, const Place& place, const Values& values, const REAL* coefficients,
                                        Lanes<WIDTH>& second, int stride = 0) {
    if (sides >> 2 * AXIS & 1) stretch_side<2 * AXIS>(layers, place, values, coefficients, second, stride);
    if (sides >> (2 * AXIS + 1) & 1) stretch_side<2 * AXIS + 1>(layers, place, values, coefficients, second, stride);
}

}  // namespace craton
