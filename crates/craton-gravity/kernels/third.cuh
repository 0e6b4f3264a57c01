// Third derivatives of the potential of a prism, as in `src/magnetics/third.rs` and `src/multipole/third.rs`.
#pragma once

#include "closed_form.cuh"
#include "multipole.cuh"

namespace craton {

// Third derivatives per unit of G times density. The three others follow from Laplace's equation.
struct Third {
    REAL een, eeu, enn, enu, euu, nnu, nuu;

    __device__ __forceinline__ REAL eee() const { return -(enn + euu); }
    __device__ __forceinline__ REAL nnn() const { return -(een + nuu); }
    __device__ __forceinline__ REAL uuu() const { return -(eeu + nnu); }
};

// Integral of 1/r^3 along an edge, (z1/r1 - z0/r0)/d^2. Beyond an end both terms have the same sign: multiplied by their sum, d^2 cancels. Infinite or NaN on the edge.
__device__ __forceinline__ REAL cubic_edge(const REAL (&along)[2], REAL length, REAL r0, REAL r1, REAL distance2) {
    const REAL low = along[0], high = along[1];
    const bool is_within = low < 0 && 0 < high;
    const REAL first = high * r0, second = low * r1;
    const REAL p = is_within ? first - second : length * (low + high);
    const REAL q = is_within ? distance2 : first + second;
    return quotient(p, q * (r0 * r1));
}

// Integrals of 1/r^3 along the four edges of AXIS, [j][k] along the next axis and the one after it.
template <int AXIS>
__device__ __forceinline__ Edges cubic_edges(const Offsets& o, const Offsets& squares, REAL length, const Corners& r) {
    Edges edges;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const REAL distance2 = squares.at[(AXIS + 1) % 3][j] + squares.at[(AXIS + 2) % 3][k];
            edges.at[j][k] = cubic_edge(o.at[AXIS], length, corner<AXIS>(r, 0, j, k), corner<AXIS>(r, 1, j, k), distance2);
        }
    }
    return edges;
}

// Differences between opposite edges of their integrals times the offset along the first or the second of the other axes.
__device__ __forceinline__ REAL first_difference(const Edges& e, const REAL (&x)[2]) {
    return (x[1] * e.at[1][1] - x[1] * e.at[1][0]) - (x[0] * e.at[0][1] - x[0] * e.at[0][0]);
}
__device__ __forceinline__ REAL second_difference(const Edges& e, const REAL (&y)[2]) {
    return (y[1] * e.at[1][1] - y[0] * e.at[1][0]) - (y[1] * e.at[0][1] - y[0] * e.at[0][0]);
}

// The closed form. Components that diverge on an edge are NaN, all of them on a corner.
__device__ __forceinline__ Third third_near(const Offsets& o, const REAL (&size)[3]) {
    Offsets squares;
    bool is_corner = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        squares.at[axis][0] = o.at[axis][0] * o.at[axis][0];
        squares.at[axis][1] = o.at[axis][1] * o.at[axis][1];
        is_corner = is_corner && (o.at[axis][0] == 0 || o.at[axis][1] == 0);
    }
    const Corners r = corners(squares);
    const auto &x = o.at[0], &y = o.at[1], &z = o.at[2];
    Third third;
    const Edges ez = cubic_edges<2>(o, squares, size[2], r);
    third.een = first_difference(ez, x);
    third.enn = second_difference(ez, y);
    const Edges ey = cubic_edges<1>(o, squares, size[1], r);
    third.euu = first_difference(ey, z);
    third.eeu = second_difference(ey, x);
    const Edges ex = cubic_edges<0>(o, squares, size[0], r);
    third.nnu = first_difference(ex, y);
    third.nuu = second_difference(ex, z);
    // 1/r at the lower end of each vertical edge minus that at the upper one.
    const REAL sum = size[2] * (z[0] + z[1]);
    REAL differences[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const REAL low = r.at[i][j][0], high = r.at[i][j][1];
            differences[i][j] = quotient(sum, low * high * (low + high));
        }
    }
    third.enu = (differences[1][1] - differences[1][0]) - (differences[0][1] - differences[0][0]);
    if (is_corner) third.een = third.eeu = third.enn = third.enu = third.euu = third.nnu = third.nuu = not_a_number();
    return third;
}

// The multipole, of degree 0, 2, 4 and 6. `centre`: offset from the point to the centre of the prism.
__device__ __forceinline__ Third third_from_afar(const Multipole& of, const REAL (&centre)[3], REAL distance2) {
    const REAL inverse = inverse_root(distance2), q = inverse * inverse, q2 = q * q;
    REAL u[3], y[3], g2[3], s4[6], g4[3], s6[6], g6[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        u[i] = centre[i] * inverse;
        y[i] = u[i] * u[i];
        g2[i] = of.second[i] * q;
        s4[i] = of.fourth[i] * q2;
        s4[3 + i] = of.fourth[3 + i] * q2;
    }
    contract(of, y, q2 * q, s6);
    times(s4, y, g4);
    times(s6, y, g6);
#pragma unroll
    for (int i = 0; i < 3; ++i) g6[i] = (REAL)0.5 * g6[i];
    const REAL h[3] = {dot(g2, y), (REAL)0.5 * dot(g4, y), (REAL)(1.0 / 3.0) * dot(g6, y)};
    const REAL w2 = weighted(3, 35, 99, 195, h), w3 = weighted(15, 315, 1287, 3315, h);
    const REAL m = -(of.volume * inverse) * (q * inverse), q3 = (REAL)8 * (q2 * q);
    REAL crossed[3], sloped[3], values[3][2];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        crossed[i] = fused((REAL)10, g2[i], fused((REAL)18, g4[i], (REAL)26 * g6[i]));
        sloped[i] = fused((REAL)70, g2[i], fused((REAL)198, g4[i], (REAL)390 * g6[i]));
    }
    // Mixed second derivatives with respect to the squared cosines, of fourth and sixth degree: times 4 and times 36 and 52.
    REAL curved[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) curved[i] = fused((REAL)36, s4[i], (REAL)52 * s6[i]);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            // i twice, j once; `ij` is the place of the pair among the mixed components.
            const int j = (i + 2 - n) % 3, ij = 3 + 3 - i - j;
            const REAL second = fused((REAL)4, s4[ij] + s6[ij], w2 - (crossed[i] + crossed[j]));
            const REAL steep = fused((REAL)2, sloped[i], sloped[j]) - fused((REAL)2, curved[ij], curved[i]);
            const REAL third = fused(q3, of.once[j][n], steep) - w3;
            values[i][n] = m * u[j] * fused(y[i], third, second);
        }
    }
    Third third;
    // [twice][0]: the axis before is once; [twice][1]: the axis after.
    third.eeu = values[0][0];
    third.een = values[0][1];
    third.enn = values[1][0];
    third.nnu = values[1][1];
    third.nuu = values[2][0];
    third.euu = values[2][1];
    const REAL mixed = fused(q3, of.each_once, (sloped[0] + sloped[1]) + sloped[2]) - ((curved[3] + curved[4]) + curved[5]);
    third.enu = m * u[0] * u[1] * u[2] * (mixed - w3);
    return third;
}

}  // namespace craton
