// Arithmetic in one precision, REAL. Reciprocals and roots refine the hardware approximation by Newton and Halley iterations to about one unit in the last
// place, without branches for special values, which do not occur. The compiler does not contract operations by itself.
#pragma once

namespace craton {

constexpr bool IS_SINGLE = sizeof(REAL) == 4;

__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return fma(a, b, c); }

// The word that contains sign and exponent, and the position of the exponent in it.
__device__ __forceinline__ int head(float a) { return __float_as_int(a); }
__device__ __forceinline__ int head(double a) { return __double2hiint(a); }
__device__ __forceinline__ float with_head(float, int head) { return __int_as_float(head); }
__device__ __forceinline__ double with_head(double a, int head) { return __hiloint2double(head, __double2loint(a)); }
constexpr int EXPONENT_AT = IS_SINGLE ? 23 : 20;

// A nonnegative number, raised to at least about the smallest normal number.
__device__ __forceinline__ REAL at_least_normal(REAL a) { return with_head(a, max(head(a), 1 << EXPONENT_AT)); }

// Converts a nonnegative integer to double without the slow conversion instruction: it becomes the last bits of a mantissa whose unit in the last place is 1.
__device__ __forceinline__ double whole(int n) { return __hiloint2double(0x43380000, n) - 6755399441055744.0; }

#if defined(CRATON_HOST)
__device__ __forceinline__ float begun_reciprocal(float a) { return 1.0f / a; }
__device__ __forceinline__ float begun_inverse_root(float a) { return 1.0f / sqrtf(a); }
__device__ __forceinline__ float begun_logarithm(float a) { return log2f(a); }
// As accurate as the hardware approximations: 20 bits.
__device__ __forceinline__ double begun_reciprocal(double a) { return __hiloint2double(__double2hiint(1.0 / a), 0); }
__device__ __forceinline__ double begun_inverse_root(double a) { return __hiloint2double(__double2hiint(1.0 / sqrt(a)), 0); }
#else
__device__ __forceinline__ float begun_reciprocal(float a) {
    float value;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(a));
    return value;
}
__device__ __forceinline__ float begun_inverse_root(float a) {
    float value;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(a));
    return value;
}
// Logarithm to base 2.
__device__ __forceinline__ float begun_logarithm(float a) {
    float value;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(a));
    return value;
}
__device__ __forceinline__ double begun_reciprocal(double a) {
    double value;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(value) : "d"(a));
    return value;
}
__device__ __forceinline__ double begun_inverse_root(double a) {
    double value;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(value) : "d"(a));
    return value;
}
#endif

// a/b for a normal number b.
__device__ __forceinline__ float quotient(float a, float b) { return a * begun_reciprocal(b); }
__device__ __forceinline__ double quotient(double a, double b) {
    const double y = begun_reciprocal(b);
    const double e = fma(-b, y, 1.0);
    return a * fma(y, fma(e, e, e), y);
}

// The inverse square root of a normal number.
__device__ __forceinline__ float inverse_root(float a) { return begun_inverse_root(a); }
__device__ __forceinline__ double inverse_root(double a) {
    const double y = begun_inverse_root(a);
    const double e = fma(-(a * y), y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}

// The square root of a nonnegative number; for zero, about that of the smallest normal number.
__device__ __forceinline__ float root(float a) {
    a = at_least_normal(a);
    const float y = begun_inverse_root(a), near = a * y;
    return fmaf(0.5f * y, fmaf(-near, near, a), near);
}
__device__ __forceinline__ double root(double a) {
    a = at_least_normal(a);
    const double y = begun_inverse_root(a), near = a * y;
    const double e = fma(-near, y, 1.0);
    return fma(near * e, fma(0.375, e, 0.5), near);
}

__device__ __forceinline__ REAL at_infinity() { return IS_SINGLE ? (REAL)__int_as_float(0x7f800000) : (REAL)__hiloint2double(0x7ff00000, 0); }

__device__ __forceinline__ float not_a_number() { return __int_as_float(0x7fffffff); }

// A polynomial by Horner's rule.
template <class T, int N>
__device__ __forceinline__ T polynomial(const T (&coefficients)[N], T x) {
    T sum = coefficients[N - 1];
#pragma unroll
    for (int k = N - 2; k >= 0; --k) sum = fused(sum, x, coefficients[k]);
    return sum;
}

}  // namespace craton
