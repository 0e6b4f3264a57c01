// The field of a prism in closed form, as in `src/closed_form.rs`.
#pragma once

#include "elementary.cuh"
#include "fields.cuh"

namespace craton {

// Offsets from a point to the lower and upper bound of a prism along x, y, z.
struct Offsets {
    REAL at[3][2];
};

// Values at the corners of a prism, and of the four edges along an axis.
struct Corners {
    REAL at[2][2][2];
};
struct Edges {
    REAL at[2][2];
};

// The value at the corner with index i along AXIS, j along the next axis and k along the one after it.
template <int AXIS>
__device__ __forceinline__ REAL corner(const Corners& r, int i, int j, int k) {
    return AXIS == 0 ? r.at[i][j][k] : AXIS == 1 ? r.at[k][i][j] : r.at[j][k][i];
}

// Integrals of 1/r along the four edges of AXIS, [j][k] along the next axis and the one after it: ln((r1 + r0 + l)/(r1 + r0 - l)).
template <int AXIS>
__device__ __forceinline__ Edges edges(const Offsets& o, const Offsets& squares, REAL length, const Corners& r) {
    Edges edges{};
    if constexpr (takes_edges(AXIS)) {
        const REAL low = o.at[AXIS][0], high = o.at[AXIS][1];
        const bool begins_before = low < 0, ends_behind = 0 < high;
        const REAL to_low = begins_before ? -low : low, to_high = ends_behind ? high : -high;
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const REAL ends[2] = {corner<AXIS>(r, 0, j, k), corner<AXIS>(r, 1, j, k)};
                const REAL distance2 = squares.at[(AXIS + 1) % 3][j] + squares.at[(AXIS + 2) % 3][k];
                const REAL a = ends[0] + to_low, b = ends[1] + to_high;
                // Neither sum cancels. The ratio is their product or their quotient, depending on whether the foot is within the edge or beyond an end.
                const REAL p = begins_before ? (ends_behind ? a * b : a) : b;
                const REAL q = begins_before ? (ends_behind ? distance2 : b) : a;
                edges.at[j][k] = ln_ratio(at_least_normal(p), at_least_normal(q), length, ends[0] + ends[1]);
            }
        }
    }
    return edges;
}

struct Complex {
    REAL re, im;
};

__device__ __forceinline__ Complex product(Complex a, Complex b) {
    return {fused(a.re, b.re, -(a.im * b.im)), fused(a.re, b.im, a.im * b.re)};
}

// The same direction scaled to a length near one, in single precision: near a corner, where all factors are small, products would underflow.
__device__ __forceinline__ Complex near_one(Complex a) {
    if constexpr (!IS_SINGLE) return a;
    const int exponent = max(head(a.re) & 0x7f800000, head(a.im) & 0x7f800000);
    const REAL factor = with_head((REAL)0, 0x7f000000 - exponent);
    return {a.re * factor, a.im * factor};
}

// Solid angle of face i normal to AXIS at a distance x, 0 to 2 pi: the argument of a product of four complex numbers, x r +- i y z at each corner. It may exceed pi
// only if the foot of the point is inside the face.
template <int AXIS>
__device__ __forceinline__ REAL solid_angle(int i, REAL x, const REAL (&y)[2], const REAL (&z)[2], const Corners& r, bool is_outside) {
    const Complex even = product({x * corner<AXIS>(r, i, 0, 0), y[0] * z[0]}, {x * corner<AXIS>(r, i, 1, 1), y[1] * z[1]});
    const Complex odd = product({x * corner<AXIS>(r, i, 0, 1), y[0] * z[1]}, {x * corner<AXIS>(r, i, 1, 0), y[1] * z[0]});
    const Complex all = product(near_one(even), {odd.re, -odd.im});
    const REAL size = angle(all.im, all.re);
    return 0 < all.im ? size : is_outside ? -size : (REAL)6.283185307179586 - size;
}

// Solid angles of both faces normal to AXIS, with the signs of the offsets; in the plane of a face, the one-sided limit from outside the prism.
template <int AXIS>
__device__ __forceinline__ void angles(const Offsets& o, const Corners& r, REAL (&angles)[2]) {
    angles[0] = angles[1] = 0;
    if constexpr (takes_angles(AXIS)) {
        const auto &x = o.at[AXIS], &y = o.at[(AXIS + 1) % 3], &z = o.at[(AXIS + 2) % 3];
        const bool is_outside = 0 < y[0] || y[1] < 0 || 0 < z[0] || z[1] < 0;
        const REAL low = solid_angle<AXIS>(0, x[0] < 0 ? -x[0] : x[0], y, z, r, is_outside);
        const REAL high = solid_angle<AXIS>(1, x[1] < 0 ? -x[1] : x[1], y, z, r, is_outside);
        angles[0] = x[0] < 0 ? -low : low;
        angles[1] = 0 < x[1] ? high : -high;
    }
}

// Integral of 1/r over face i normal to x.
//
// along_z: the edges along z, [x][y]; along_y: those along y, [z][x].
__device__ __forceinline__ REAL face(int i, REAL x, const REAL (&y)[2], const REAL (&z)[2], const Edges& along_z, const Edges& along_y, REAL angle) {
    const REAL from_z = fused(y[1], along_z.at[i][1], -(y[0] * along_z.at[i][0]));
    const REAL from_y = fused(z[1], along_y.at[1][i], -(z[0] * along_y.at[0][i]));
    return fused(-x, angle, from_z + from_y);
}

// The mixed component of the tensor that depends on the edges along one axis.
__device__ __forceinline__ REAL double_difference(const Edges& e) { return (e.at[1][1] - e.at[1][0]) - (e.at[0][1] - e.at[0][0]); }

// Sets tensor components that have no limit to `none`, if the point is on an edge or a corner.
__device__ __forceinline__ void forbid(const Offsets& o, float none, REAL (&fields)[ALL]) {
    bool is_on[3], is_within[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        is_on[axis] = o.at[axis][0] == 0 || o.at[axis][1] == 0;
        is_within[axis] = o.at[axis][0] <= 0 && 0 <= o.at[axis][1];
    }
    constexpr int DIAGONAL[3] = {4, 7, 9}, MIXED[3] = {8, 6, 5};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        if (is_within[axis] && is_on[next] && is_on[last]) fields[MIXED[axis]] = (REAL)none;
        if (is_on[axis] && is_within[next] && is_within[last] && (is_on[next] || is_on[last])) fields[DIAGONAL[axis]] = (REAL)none;
    }
}

// Distances to the corners, from the squares of the offsets.
__device__ __forceinline__ Corners corners(const Offsets& squares) {
    Corners r;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const REAL across = squares.at[0][i] + squares.at[1][j];
#pragma unroll
            for (int k = 0; k < 2; ++k) r.at[i][j][k] = root(across + squares.at[2][k]);
        }
    }
    return r;
}

// Computes all fields in the order of `Field`, per unit of G times density; those that are not summed are undefined. Components without a limit are `none`.
__device__ __forceinline__ void closed_form(const Offsets& o, const REAL (&size)[3], float none, REAL (&fields)[ALL]) {
    Offsets squares;
    bool touches = false;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            squares.at[axis][side] = o.at[axis][side] * o.at[axis][side];
            touches |= o.at[axis][side] == 0;
        }
    }
    const Corners r = corners(squares);
    const Edges ex = edges<0>(o, squares, size[0], r), ey = edges<1>(o, squares, size[1], r), ez = edges<2>(o, squares, size[2], r);
    REAL ax[2], ay[2], az[2], px[2], py[2], pz[2];
    angles<0>(o, r, ax);
    angles<1>(o, r, ay);
    angles<2>(o, r, az);
    const auto &x = o.at[0], &y = o.at[1], &z = o.at[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        px[i] = face(i, x[i], y, z, ez, ey, ax[i]);
        py[i] = face(i, y[i], z, x, ex, ez, ay[i]);
        pz[i] = face(i, z[i], x, y, ey, ex, az[i]);
    }
    const REAL moment = fused(x[1], px[1], -(x[0] * px[0])) + fused(y[1], py[1], -(y[0] * py[0])) + fused(z[1], pz[1], -(z[0] * pz[0]));
    fields[0] = (REAL)0.5 * moment;
    fields[1] = px[0] - px[1];
    fields[2] = py[0] - py[1];
    fields[3] = pz[0] - pz[1];
    fields[4] = ax[0] - ax[1];
    fields[5] = double_difference(ez);
    fields[6] = double_difference(ey);
    fields[7] = ay[0] - ay[1];
    fields[8] = double_difference(ex);
    fields[9] = az[0] - az[1];
    if (touches) forbid(o, none, fields);
}

}  // namespace craton
