// Generated from crate craton-physics by `cargo xtask generate`: edit the laws there, not this file.
//
// Every operation is an explicit call, so that a compiler neither fuses nor splits it: results in float
// and double are bit-identical to those of the Rust laws on a CPU with fused multiply-add. Compile for
// the host with -ffp-contract=off. Never use fast math on the GPU: it flushes small numbers to zero.

#pragma once

#if defined(__CUDACC__)
#define CRATON_LAW __host__ __device__ __forceinline__
#else
#include <cmath>
#define CRATON_LAW inline
#endif

namespace craton {
namespace op {

#if defined(__CUDA_ARCH__)
CRATON_LAW float add(float a, float b) { return __fadd_rn(a, b); }
CRATON_LAW float sub(float a, float b) { return __fsub_rn(a, b); }
CRATON_LAW float mul(float a, float b) { return __fmul_rn(a, b); }
#if defined(CRATON_SWIFT_DIVISION)
// Branch-free: a reciprocal of 23 bits and one Newton step, with an error of at most one unit in the last place. An infinite divisor gives zero.
CRATON_LAW float div(float a, float b) {
    float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
    const float quotient = __fmul_rn(a, reciprocal);
    const float better = __fmaf_rn(__fmaf_rn(-b, quotient, a), reciprocal, quotient);
    return ::fabsf(b) < 1e38f ? better : quotient;
}
#else
CRATON_LAW float div(float a, float b) { return __fdiv_rn(a, b); }
#endif
CRATON_LAW float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
CRATON_LAW float sqrt(float a) { return __fsqrt_rn(a); }
CRATON_LAW float recip(float a) { return __frcp_rn(a); }
CRATON_LAW double add(double a, double b) { return __dadd_rn(a, b); }
CRATON_LAW double sub(double a, double b) { return __dsub_rn(a, b); }
CRATON_LAW double mul(double a, double b) { return __dmul_rn(a, b); }
CRATON_LAW double div(double a, double b) { return __ddiv_rn(a, b); }
CRATON_LAW double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
CRATON_LAW double sqrt(double a) { return __dsqrt_rn(a); }
CRATON_LAW double recip(double a) { return __drcp_rn(a); }
#else
CRATON_LAW float add(float a, float b) { return a + b; }
CRATON_LAW float sub(float a, float b) { return a - b; }
CRATON_LAW float mul(float a, float b) { return a * b; }
CRATON_LAW float div(float a, float b) { return a / b; }
CRATON_LAW float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
CRATON_LAW float sqrt(float a) { return ::sqrtf(a); }
CRATON_LAW float recip(float a) { return 1.0f / a; }
CRATON_LAW double add(double a, double b) { return a + b; }
CRATON_LAW double sub(double a, double b) { return a - b; }
CRATON_LAW double mul(double a, double b) { return a * b; }
CRATON_LAW double div(double a, double b) { return a / b; }
CRATON_LAW double fma(double a, double b, double c) { return ::fma(a, b, c); }
CRATON_LAW double sqrt(double a) { return ::sqrt(a); }
CRATON_LAW double recip(double a) { return 1.0 / a; }
#endif

CRATON_LAW float neg(float a) { return -a; }
CRATON_LAW float abs(float a) { return ::fabsf(a); }
CRATON_LAW float select_less(float a, float b, float if_less, float otherwise) {
    return a < b ? if_less : otherwise;
}
CRATON_LAW double neg(double a) { return -a; }
CRATON_LAW double abs(double a) { return ::fabs(a); }
CRATON_LAW double select_less(double a, double b, double if_less, double otherwise) {
    return a < b ? if_less : otherwise;
}

}  // namespace op
}  // namespace craton
