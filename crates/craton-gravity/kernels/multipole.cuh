// The far field of a prism from multipoles of degree 0, 2, 4 and 6, as in `src/multipole.rs`.
#pragma once

#include "real.cuh"

namespace craton {

__device__ __forceinline__ REAL dot(const REAL (&a)[3], const REAL (&b)[3]) { return fused(a[2], b[2], fused(a[1], b[1], a[0] * b[0])); }

// Coefficients of the polynomials: gradient of the second degree, second derivatives of the fourth (xx, yy, zz, yz, xz, xy), third derivatives of the sixth.
struct Multipole {
    REAL volume;
    REAL second[3];
    REAL fourth[6];
    REAL thrice[3];
    // [axis]: derivative once along the axis and twice along the next one, then twice along the one after it.
    REAL once[3][2];
    REAL each_once;
};

// Means over a prism of powers of the coordinates, and of their products with powers of the distance s from its centre.
struct Means {
    REAL m2[3], m4[3], m6[3];
    REAL all;
    REAL s2_2[3], s2_4[3], s4_2[3];
    REAL s2, s4, s6;

    // The mean of s2 x2 y2 for two different axes x and y.
    __device__ __forceinline__ REAL s2_22(int i, int j) const { return m4[i] * m2[j] + m2[i] * m4[j] + all; }
    // The mixed second derivative of the fourth degree.
    __device__ __forceinline__ REAL mixed(int i, int j) const {
        return (REAL)26.25 * m2[i] * m2[j] - (REAL)3.75 * (s2_2[i] + s2_2[j]) + (REAL)0.75 * s4;
    }
};

__device__ __forceinline__ Means means(const REAL (&size)[3]) {
    Means m;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const REAL square = (REAL)0.25 * size[i] * size[i];
        m.m2[i] = (REAL)(1.0 / 3.0) * square;
        m.m4[i] = (REAL)(1.0 / 5.0) * square * square;
        m.m6[i] = (REAL)(1.0 / 7.0) * square * square * square;
    }
    m.all = m.m2[0] * m.m2[1] * m.m2[2];
    m.s2 = m.m2[0] + m.m2[1] + m.m2[2];
    m.s4 = m.s6 = 0;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const REAL others = m.m2[j] + m.m2[k];
        m.s2_2[i] = m.m4[i] + m.m2[i] * others;
        m.s2_4[i] = m.m6[i] + m.m4[i] * others;
        m.s4_2[i] = m.s2_4[i] + m.s2_22(i, j) + m.s2_22(i, k);
        m.s4 = m.s4 + m.s2_2[i];
        m.s6 = m.s6 + m.s4_2[i];
    }
    return m;
}

// The multipole of a prism of a given size.
__device__ __forceinline__ Multipole multipole_of(const REAL (&size)[3]) {
    const Means m = means(size);
    Multipole of;
    of.volume = size[0] * size[1] * size[2];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        of.second[i] = (REAL)1.5 * m.m2[i] - (REAL)0.5 * m.s2;
        of.fourth[i] = (REAL)8.75 * m.m4[i] - (REAL)7.5 * m.s2_2[i] + (REAL)0.75 * m.s4;
        of.fourth[3 + i] = m.mixed((i + 1) % 3, (i + 2) % 3);
        of.thrice[i] = (REAL)0.375 * ((REAL)231 * m.m6[i] - (REAL)315 * m.s2_4[i] + (REAL)105 * m.s4_2[i] - (REAL)5 * m.s6);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            // i twice, j once.
            const int j = (i + 2 - n) % 3;
            const REAL powers = (REAL)3465 * m.m4[i] * m.m2[j] - (REAL)315 * (m.s2_4[i] + (REAL)6 * m.s2_22(i, j));
            of.once[j][n] = (REAL)0.125 * (powers + (REAL)105 * (m.s4_2[j] + (REAL)2 * m.s4_2[i]) - (REAL)15 * m.s6);
        }
    }
    const REAL pairs = m.s2_22(0, 1) + m.s2_22(0, 2) + m.s2_22(1, 2);
    of.each_once = (REAL)(20790.0 / 16.0) * m.all - (REAL)(1890.0 / 16.0) * pairs + (REAL)(180.0 / 16.0) * m.s6;
    return of;
}

// A symmetric matrix times a vector.
__device__ __forceinline__ void times(const REAL (&s)[6], const REAL (&y)[3], REAL (&product)[3]) {
    product[0] = fused(s[4], y[2], fused(s[5], y[1], s[0] * y[0]));
    product[1] = fused(s[3], y[2], fused(s[1], y[1], s[5] * y[0]));
    product[2] = fused(s[2], y[2], fused(s[3], y[1], s[4] * y[0]));
}

// A constant and three terms, the smallest added first.
__device__ __forceinline__ REAL weighted(REAL constant, REAL a, REAL b, REAL c, const REAL (&terms)[3]) {
    return constant + fused(a, terms[0], fused(b, terms[1], c * terms[2]));
}

// Third derivatives contracted with a vector, times a factor: xx, yy, zz, yz, xz, xy.
__device__ __forceinline__ void contract(const Multipole& of, const REAL (&y)[3], REAL factor, REAL (&s)[6]) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        // i is the axis after next of j, and the next axis of k.
        s[i] = factor * fused(of.once[k][0], y[k], fused(of.once[j][1], y[j], of.thrice[i] * y[i]));
        s[3 + i] = factor * fused(of.once[j][0], y[k], fused(of.once[k][1], y[j], of.each_once * y[i]));
    }
}

// Computes all fields in the order of `Field`, per unit of G times density. `centre`: offset from the point to the centre of the prism.
__device__ __forceinline__ void from_afar(const Multipole& of, const REAL (&centre)[3], REAL distance2, REAL (&fields)[10]) {
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
    const REAL w0 = weighted(1, 1, 1, 1, h), w1 = weighted(1, 5, 9, 13, h), w2 = weighted(3, 35, 99, 195, h);
    const REAL m0 = of.volume * inverse, m1 = m0 * inverse, m2 = m0 * q;
    REAL crossed[3], diagonal[3], mixed[3];
    fields[0] = m0 * w0;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const REAL g = (REAL)2 * (g2[i] + (g4[i] + g6[i]));
        crossed[i] = fused((REAL)10, g2[i], fused((REAL)18, g4[i], (REAL)26 * g6[i]));
        const REAL curved = fused((REAL)4, s4[i] + s6[i], fused((REAL)-2, crossed[i], w2));
        fields[1 + i] = m1 * u[i] * (w1 - g);
        diagonal[i] = m2 * fused(y[i], curved, g - w1);
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mixed[i] = m2 * u[j] * u[k] * (fused((REAL)4, s4[3 + i] + s6[3 + i], w2) - (crossed[j] + crossed[k]));
    }
    fields[4] = diagonal[0];
    fields[5] = mixed[2];
    fields[6] = mixed[1];
    fields[7] = diagonal[1];
    fields[8] = mixed[0];
    fields[9] = diagonal[2];
}

}  // namespace craton
