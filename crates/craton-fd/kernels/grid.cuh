// Memory layout of the grid and positions of the fields, as on the host: `layout.rs`, `field.rs`, `sweep/updates.rs`.
#pragma once

namespace craton {

// Points along x that share one byte of marks and one class.
constexpr unsigned GROUP = 16;
// Points along x that share one bit of a mark.
constexpr unsigned QUAD = 4;

struct Grid {
    unsigned stride[3];   // distance in memory between neighbours along each axis
    unsigned origin;      // index of point (0, 0, 0)
    unsigned extent[3];   // points to compute along each axis: those of fields at whole points
    unsigned cells[3];    // points along each axis of fields at half points
    unsigned length;      // values of an array
    unsigned groups;      // groups of a row
};

// A point, or the first of several along x: indices along the axes, and index in memory.
struct Place {
    unsigned i, j, k, at;
};

enum Half { VELOCITIES, STRESSES };

// Index of a stress in Voigt order.
__device__ constexpr int voigt(int a, int b) { return a == b ? a : 6 - a - b; }

// The field that row c differentiates along an axis, as its number among those of its kind.
__device__ constexpr int source_of(Half half, int c, int axis) { return half == VELOCITIES ? voigt(c, axis) : c; }

// Whether the derivative of row c along an axis is at whole points of the axis.
__device__ constexpr bool is_whole_slope(Half half, int c, int axis) { return (c == axis) == (half == VELOCITIES); }

// Whether a field, given by its number among the updated ones, is at whole points of an axis.
__device__ constexpr bool is_whole(Half half, int field, int axis) {
    return half == VELOCITIES ? field == axis : field >= 3 && axis != field - 3;
}

}  // namespace craton
