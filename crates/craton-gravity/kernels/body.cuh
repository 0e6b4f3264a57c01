// A prism prepared for the points of a block, and the choice of the formula, as in `src/pair.rs`.
#pragma once

#include "closed_form.cuh"
#include "multipole.cuh"

namespace craton {

// FAR: distance in half diagonals from which the multipole is used. LOSS: cubed distance of the farthest corner over the volume, up to which the closed form is used.
// In single precision the truncation error of the multipole is at most 1e-4, and so is the round-off of the closed form there.
constexpr double FAR = IS_SINGLE ? 5.0 : 22.0;
constexpr double LOSS = IS_SINGLE ? 300.0 : 1e5;

// Coordinates relative to a common origin. Single precision stores each as a sum of two numbers, the second being the remainder of the first, so that the difference
// of two coordinates is accurate to single precision.
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

// A prism with all quantities that do not depend on the point; in single precision lengths are in a unit close to its longest side.
struct Body {
    Coordinate bounds[3][2];
    REAL per_unit;
    REAL size[3];
    // G times density for the potential, the attraction and the tensor.
    REAL scale[3];
    REAL far2;
    REAL half_diagonal;
    // The closed form is used up to this cubed distance of the farthest corner; infinity if it is always used.
    REAL limit3;
    Multipole multipole;
};

// A power of two close to a length, or 1 in double precision.
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
