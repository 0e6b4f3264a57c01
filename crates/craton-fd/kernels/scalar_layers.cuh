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

// The layer of a side at the points of a thread.
template <int SIDE>
struct Stretch {
    static constexpr int AXIS = SIDE / 2, OWN = SIDE % 2;
    // Vectors of variables at faces: the own one and its neighbours along x, or those at the faces -1 to 2 relative to the lower faces of the points.
    static constexpr int COUNT = AXIS == 0 ? 3 : 4, FIRST = AXIS == 0 ? 0 : 2 - SHORT, END = AXIS == 0 ? 3 : 2 + SHORT;

    REAL *after, *centre;
    const REAL* factors;
    unsigned range;
    Lanes<WIDTH> faces[COUNT], memory;

    // Reads the variables of the previous step.
    __device__ __forceinline__ void recall(const ScalarLayers& layers, const Place& place) {
        const ScalarSlab& slab = layers.slabs.of_side[SIDE];
        const unsigned within = along(AXIS, place) - slab.start;
        const unsigned i = AXIS == 0 ? within : place.i, j = AXIS == 1 ? within : place.j, k = AXIS == 2 ? within : place.k;
        const unsigned width = slab.width + (AXIS == 0 ? 2 * ROW_MARGIN : 0), rows = slab.rows + (AXIS == 1 ? 2 * MARGIN : 0);
        const unsigned margin_i = AXIS == 0 ? ROW_MARGIN : 0, margin_j = AXIS == 1 ? MARGIN : 0, margin_k = AXIS == 2 ? MARGIN : 0;
        const unsigned own = slab.faces + ((k + margin_k) * rows + j + margin_j) * width + i + margin_i;
        const REAL* const before = layers.memory + (layers.odd * layers.slabs.faces + own);
        after = layers.memory + ((1 - layers.odd) * layers.slabs.faces + own);
        centre = layers.memory + (2 * layers.slabs.faces + slab.centres + (k * slab.rows + j) * slab.width + i);
        factors = layers.factors + slab.factors + within;
        range = slab.end - slab.start;
        const int step = AXIS == 0 ? WIDTH : AXIS == 1 ? (int)width : (int)(width * rows);
#pragma unroll
        for (int n = FIRST; n < END; ++n) read(before + (n - 1 - (AXIS == 0 ? 0 : OWN)) * step, faces[n]);
        read_once(centre, memory);
    }

    // Advances the variables and stretches the second derivative. `values`: pressure around the points, neighbours `stride` apart.
    template <class Values>
    __device__ __forceinline__ void apply(const Values& values, const REAL* coefficients, Lanes<WIDTH>& second, int stride) {
        const FaceFactors<AXIS> of_faces(factors + 1 - OWN, range);
        Lanes<WIDTH> moved[4];
#pragma unroll
        for (int face = 2 - SHORT; face < 2 + SHORT; ++face) {
            const Lanes<WIDTH> above = values.at(face - 1, stride), below = values.at(face - 2, stride);
            Lanes<WIDTH> slope;
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) slope.v[l] = op::mul(coefficients[0], op::sub(above.v[l], below.v[l]));
            if constexpr (SHORT == 2) {
                const Lanes<WIDTH> beyond = values.at(face, stride), behind = values.at(face - 3, stride);
#pragma unroll
                for (int l = 0; l < WIDTH; ++l) slope.v[l] = op::fma(coefficients[1], op::sub(beyond.v[l], behind.v[l]), slope.v[l]);
            }
#pragma unroll
            for (int l = 0; l < WIDTH; ++l) {
                const int at = WIDTH + l + face - 1 - OWN, factor = face + (AXIS == 0 ? l : 0);
                const REAL before = AXIS == 0 ? faces[at / WIDTH].v[at % WIDTH] : faces[AXIS == 0 ? 0 : face].v[l];
                moved[face].v[l] = without_negligible(op::fma(of_faces.decay[factor], before, op::mul(of_faces.gain[factor], slope.v[l])));
            }
        }
        write(after, moved[1 + OWN]);
        const REAL* const of_centres = factors + 2 * (range + 2 * MARGIN);
#pragma unroll
        for (int l = 0; l < WIDTH; ++l) {
            REAL change = op::mul(coefficients[0], op::sub(moved[2].v[l], moved[1].v[l]));
            if constexpr (SHORT == 2) change = op::fma(coefficients[1], op::sub(moved[3].v[l], moved[0].v[l]), change);
            const REAL stretched = op::add(second.v[l], change);
            const int at = AXIS == 0 ? l : 0;
            memory.v[l] = without_negligible(op::fma(of_centres[at], memory.v[l], op::mul(of_centres[range + at], stretched)));
            second.v[l] = op::add(stretched, memory.v[l]);
        }
        write_once(centre, memory);
    }
};

template <int SIDE, class Values>
__device__ __forceinline__ void stretch_side(const ScalarLayers& layers, const Place& place, const Values& values, const REAL* coefficients,
                                             Lanes<WIDTH>& second, int stride) {
    Stretch<SIDE> side;
    side.recall(layers, place);
    side.apply(values, coefficients, second, stride);
}

// Applies the layers normal to an axis. `sides`: bit mask of the sides whose layers contain the points.
template <int AXIS, class Values>
__device__ __forceinline__ void stretch(const ScalarLayers& layers, unsigned sides, const Place& place, const Values& values, const REAL* coefficients,
                                        Lanes<WIDTH>& second, int stride = 0) {
    if (sides >> 2 * AXIS & 1) stretch_side<2 * AXIS>(layers, place, values, coefficients, second, stride);
    if (sides >> (2 * AXIS + 1) & 1) stretch_side<2 * AXIS + 1>(layers, place, values, coefficients, second, stride);
}

}  // namespace craton
