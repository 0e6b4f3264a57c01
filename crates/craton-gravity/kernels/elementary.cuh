// Logarithm and arctangent, as in `src/elementary.rs`, in single or double precision.
#pragma once

#include "real.cuh"

namespace craton {

// ln(p/q) = 2 atanh(a/b) of normal numbers with p >= q and a/b = (p - q)/(p + q), computed from a/b if p/q is near 1, from p/q if it is large.
__device__ __forceinline__ double ln_ratio(double p, double q, double a, double b) {
    const int p_head = head(p), q_head = head(q);
    // The leading bits of the mantissas determine the scaling that brings their ratio between 1/sqrt(2) and sqrt(2).
    const int p_digits = (p_head >> 8 & 0xfff) | 0x1000, q_digits = (q_head >> 8 & 0xfff) | 0x1000;
    const int is_large = p_digits * 4096 > q_digits * 5793, is_small = q_digits * 4096 > p_digits * 5793;
    const int exponent = max((p_head >> 20) - (q_head >> 20) + is_large - is_small, 0);
    p = with_head(p, (p_head & 0xfffff) | (0x3ff00000 + (is_small << 20)));
    q = with_head(q, (q_head & 0xfffff) | (0x3ff00000 + (is_large << 20)));
    const bool is_near = exponent == 0;
    const double s = quotient(is_near ? a : p - q, is_near ? b : p + q);
    const double s2 = s * s;
    const double atanh[] = {0.3333333333333335,  0.19999999999949722, 0.14285714313001635, 0.11111105565129939,
                            0.09091444727837474, 0.07665855309105386, 0.07308292712444311};
    const double half = fma(s * s2, polynomial(atanh, s2), s);
    return fma(whole(exponent), 0.6931471805599453, half + half);
}

__device__ __forceinline__ float ln_ratio(float p, float q, float a, float b) {
    const float s = quotient(a, b), s2 = s * s;
    const float atanh[] = {0.333333425f, 0.199943853f, 0.147901991f};
    const float half = fmaf(s * s2, polynomial(atanh, s2), s);
    const float far = 0.693147181f * begun_logarithm(min(quotient(p, q), 3e38f));
    return s < 0.1715f ? half + half : far;
}

// Angle of (x, |y|) from the x axis, 0 to pi; 0 if both are 0.
__device__ __forceinline__ REAL angle(REAL y, REAL x) {
    y = y < 0 ? -y : y;
    const REAL across = x < 0 ? -x : x;
    const bool is_upright = across < y;
    const REAL low = is_upright ? across : y, high = is_upright ? y : across;
    // Beyond pi/8, the angle relative to pi/4.
    const bool is_steep = high * (REAL)0.41421356237309503 < low;
    const REAL t = quotient(is_steep ? low - high : low, at_least_normal(is_steep ? low + high : high));
    const REAL t2 = t * t;
    REAL tail;
    if constexpr (IS_SINGLE) {
        const REAL atan[] = {(REAL)-0.333333318, (REAL)0.199995404, (REAL)-0.142639532, (REAL)0.107437053, (REAL)-0.0645184128};
        tail = polynomial(atan, t2);
    } else {
        const REAL atan[] = {(REAL)-0.3333333333333333,  (REAL)0.19999999999995516,  (REAL)-0.14285714284665682,  (REAL)0.11111111015187018,
                             (REAL)-0.0909090457530649,  (REAL)0.07692183125376892,  (REAL)-0.06664510525508936,  (REAL)0.05858140904866328,
                             (REAL)-0.050854078345894844, (REAL)0.03923044778479309, (REAL)-0.019175404711104935};
        tail = polynomial(atan, t2);
    }
    const REAL octant = (is_steep ? (REAL)0.7853981633974483 : (REAL)0) + fused(t * t2, tail, t);
    const REAL quadrant = is_upright ? (REAL)1.5707963267948966 - octant : octant;
    return x < 0 ? (REAL)3.141592653589793 - quadrant : quadrant;
}

}  // namespace craton
