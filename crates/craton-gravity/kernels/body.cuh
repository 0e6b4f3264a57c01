// A prism as the points of a block see it, and which form serves: as `src/pair.rs`.
#pragma once

#include "closed_form.cuh"
#include "multipole.cuh"

namespace craton {

// Half diagonals from which the multipole serves, and cubed distance of the farthest corner over the volume up to which the closed form does. In single precision
// what the multipole leaves out is a hundred parts of a million at most, as is the round-off of the closed form there.
constexpr double FAR = IS_SINGLE ? 5.0 : 22.0;
constexpr double LOSS = IS_SINGLE ? 300.0 : 1e5;

// Coordinates from a common origin. Single precision takes two numbers for each, the second is what the first lacks: differences of two coordinates then have the
// digits of the difference.
constexpr int PARTS = IS_SINGLE ? 2 : 1;
struct Coordinate {
    REAL part[PARTS];
};

__device__ __forceinline__ Coordinate coordinate(double value, double origin) {
    Coordinate c;
    if constexpr (IS_SINGLE) {
        const double from = value - origin;
        c.part[0] = (REAL)from;
        c.part[1] = (REAL)(from - (double)c.part[0]);
    } else {
        c.part[0] = (REAL)value;
    }
    return c;
}

__device__ __forceinline__ REAL difference(const Coordinate& a, const Coordinate& b) {
    const REAL leading = a.part[0] - b.part[0];
    if constexpr (IS_SINGLE) return leading + (a.part[1] - b.part[1]);
    return leading;
}

// A prism, with all that does not depend on the point; in single precision lengths are told in a unit near its longest side.
struct Body {
    Coordinate bounds[3][2];
    REAL per_unit;
    REAL size[3];
    // G times density for the potential, the attraction and the tensor.
    REAL scale[3];
    REAL far2;
    REAL half_diagonal;
    // The closed form serves up to this cubed distance of the farthest corner; infinity where it always does.
    REAL limit3;
    Multipole multipole;
};

// A power of two near a length, or one in double precision.
__device__ __forceinline__ double unit_of(double length) {
    return IS_SINGLE ? __hiloint2double(__double2hiint(length) & 0x7ff00000, 0) : 1.0;
}

__device__ __forceinline__ Body body_of(const double (&bounds)[3][2], double gravity, const double (&origin)[3]) {
    Body body;
    double size[3], square = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) size[axis] = bounds[axis][1] - bounds[axis][0];
    const double unit = unit_of(max(size[0], max(size[1], size[2])));
    const double scale[3] = {gravity * unit * unit, gravity * unit, gravity};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        body.bounds[axis][0] = coordinate(bounds[axis][0], origin[axis]);
        body.bounds[axis][1] = coordinate(bounds[axis][1], origin[axis]);
        size[axis] = size[axis] / unit;
        body.size[axis] = (REAL)size[axis];
        body.scale[axis] = (REAL)scale[axis];
        square = square + size[axis] * size[axis];
    }
    const double half = 0.5 * sqrt(square), volume = size[0] * size[1] * size[2], reach = (FAR + 1.0) * half;
    body.per_unit = (REAL)(1.0 / unit);
    body.far2 = (REAL)(0.25 * FAR * FAR * square);
    body.half_diagonal = (REAL)half;
    body.limit3 = reach * reach * reach <= LOSS * volume ? at_infinity() : (REAL)(LOSS * volume);
    body.multipole = multipole_of(body.size);
    return body;
}

}  // namespace craton
