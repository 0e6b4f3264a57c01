// Prisms so long or flat that neither formula is accurate for the whole prism are cut into pieces, as in `src/pair.rs`.
#pragma once

#include "body.cuh"

namespace craton {

// Maximum number of times that a prism is halved.
constexpr int DEEPEST = 62;

// A piece of a prism relative to a point.
struct Piece {
    Offsets offsets;
    REAL size[3];
};

// The position of its centre relative to the point.
struct Place {
    REAL centre[3];
    REAL distance2;
};

__device__ __forceinline__ Place place_of(const Offsets& o) {
    Place place;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) place.centre[axis] = (REAL)0.5 * (o.at[axis][0] + o.at[axis][1]);
    place.distance2 = dot(place.centre, place.centre);
    return place;
}

// Upper bound of the cubed distance of the farthest corner.
__device__ __forceinline__ REAL cubed_reach(const Place& place, REAL half_diagonal) {
    const REAL reach = root(place.distance2) + half_diagonal;
    return reach * reach * reach;
}

// Replaces a piece by one of its halves, cut across its longest side: in the middle, or off the middle if the point is close to that plane, across which the tensor of
// each half is discontinuous.
__device__ __forceinline__ void halve(Piece& piece, bool takes_upper) {
    const REAL longest = max(piece.size[0], max(piece.size[1], piece.size[2]));
    bool is_left = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        // The first of equal sides is cut.
        const REAL size = piece.size[axis], low = piece.offsets.at[axis][0], high = piece.offsets.at[axis][1];
        const bool is_cut = is_left && !(size < longest);
        is_left = is_left && !is_cut;
        const REAL middle = (REAL)0.5 * (low + high);
        const REAL share = (middle < 0 ? -middle : middle) < (REAL)0.0625 * size ? (REAL)0.375 : (REAL)0.5;
        const REAL plane = low + share * size;
        piece.offsets.at[axis][0] = is_cut && takes_upper ? plane : low;
        piece.offsets.at[axis][1] = is_cut && !takes_upper ? plane : high;
        piece.size[axis] = !is_cut ? size : takes_upper ? size - share * size : share * size;
    }
}

// The path from a prism to one of its pieces: a bit per cut, 1 for the upper half. Pieces are visited in the order of their positions.
struct Way {
    unsigned long long upper = 0;
    int cuts = 0;

    __device__ __forceinline__ void descend() { upper = upper << 1, ++cuts; }
    // Advances to the next piece, or back to the whole prism after the last one.
    __device__ __forceinline__ void go_on() {
        while (cuts > 0 && (upper & 1)) upper = upper >> 1, --cuts;
        upper = upper | 1;
    }
};

struct Values {
    REAL of[ALL];
};

// Fields of a long or flat prism, halved across its longest side until one of the formulas is accurate; components without a limit in a piece are `none`. Not inlined, because its registers would burden all pairs.
__device__ __noinline__ Values in_pieces(Piece whole, float none) {
    Values sum{};
    Way way;
    do {
        Piece piece = whole;
#pragma unroll 1
        for (int cut = way.cuts - 1; cut >= 0; --cut) halve(piece, way.upper >> cut & 1);
        const Place place = place_of(piece.offsets);
        const REAL diagonal2 = dot(piece.size, piece.size), volume = piece.size[0] * piece.size[1] * piece.size[2];
        Values values;
        if (!(place.distance2 < (REAL)(0.25 * FAR * FAR) * diagonal2)) {
            from_afar(multipole_of(piece.size), place.centre, place.distance2, values.of);
        } else if (way.cuts < DEEPEST && (REAL)LOSS * volume < cubed_reach(place, (REAL)0.5 * root(diagonal2))) {
            way.descend();
            continue;
        } else {
            closed_form(piece.offsets, piece.size, none, values.of);
        }
#pragma unroll
        for (int field = 0; field < ALL; ++field) {
            if (has(field)) sum.of[field] = sum.of[field] + values.of[field];
        }
        way.go_on();
    } while (way.cuts > 0);
    return sum;
}

}  // namespace craton
