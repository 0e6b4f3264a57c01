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

namespace craton {

// Shear modulus at an edge from 1/mu of its four cells.
CRATON_LAW void edge_modulus(const float (&inverse_mu)[4], float (&mu)) {
    const float t0 = op::add(inverse_mu[0], inverse_mu[1]);
    const float t1 = op::add(inverse_mu[2], inverse_mu[3]);
    const float t2 = op::add(t0, t1);
    const float t3 = op::div(4.0f, t2);
    mu = t3;
}

CRATON_LAW void edge_modulus(const double (&inverse_mu)[4], double (&mu)) {
    const double t0 = op::add(inverse_mu[0], inverse_mu[1]);
    const double t1 = op::add(inverse_mu[2], inverse_mu[3]);
    const double t2 = op::add(t0, t1);
    const double t3 = op::div(4.0, t2);
    mu = t3;
}

// Buoyancy at a face from the densities of its two cells.
CRATON_LAW void face_buoyancy(const float (&rho)[2], float (&buoyancy)) {
    const float t0 = op::add(rho[0], rho[1]);
    const float t1 = op::div(2.0f, t0);
    buoyancy = t1;
}

CRATON_LAW void face_buoyancy(const double (&rho)[2], double (&buoyancy)) {
    const double t0 = op::add(rho[0], rho[1]);
    const double t1 = op::div(2.0, t0);
    buoyancy = t1;
}

// Rates of the normal stresses from slopes[i] = dv_i/dx_i.
CRATON_LAW void normal_stress_rates(float lambda, float inverse_mu, const float (&slopes)[3], float (&rates)[3]) {
    const float t0 = op::div(2.0f, inverse_mu);
    const float t1 = op::add(slopes[0], slopes[1]);
    const float t2 = op::add(t1, slopes[2]);
    const float t3 = op::mul(lambda, t2);
    const float t4 = op::fma(t0, slopes[0], t3);
    const float t5 = op::fma(t0, slopes[1], t3);
    const float t6 = op::fma(t0, slopes[2], t3);
    rates[0] = t4;
    rates[1] = t5;
    rates[2] = t6;
}

CRATON_LAW void normal_stress_rates(double lambda, double inverse_mu, const double (&slopes)[3], double (&rates)[3]) {
    const double t0 = op::div(2.0, inverse_mu);
    const double t1 = op::add(slopes[0], slopes[1]);
    const double t2 = op::add(t1, slopes[2]);
    const double t3 = op::mul(lambda, t2);
    const double t4 = op::fma(t0, slopes[0], t3);
    const double t5 = op::fma(t0, slopes[1], t3);
    const double t6 = op::fma(t0, slopes[2], t3);
    rates[0] = t4;
    rates[1] = t5;
    rates[2] = t6;
}

// Rate of a shear stress from dv_i/dx_j and dv_j/dx_i.
CRATON_LAW void shear_stress_rate(float mu, const float (&slopes)[2], float (&rate)) {
    const float t0 = op::add(slopes[0], slopes[1]);
    const float t1 = op::mul(mu, t0);
    rate = t1;
}

CRATON_LAW void shear_stress_rate(double mu, const double (&slopes)[2], double (&rate)) {
    const double t0 = op::add(slopes[0], slopes[1]);
    const double t1 = op::mul(mu, t0);
    rate = t1;
}

// Derivatives with which the isotropic law gives the normal stresses of a cell with several solids.
CRATON_LAW void mixed_slopes(const float (&mixing)[9], const float (&slopes)[3], float (&mixed)[3]) {
    const float t0 = op::mul(mixing[2], slopes[2]);
    const float t1 = op::fma(mixing[1], slopes[1], t0);
    const float t2 = op::fma(mixing[0], slopes[0], t1);
    const float t3 = op::mul(mixing[5], slopes[2]);
    const float t4 = op::fma(mixing[4], slopes[1], t3);
    const float t5 = op::fma(mixing[3], slopes[0], t4);
    const float t6 = op::mul(mixing[8], slopes[2]);
    const float t7 = op::fma(mixing[7], slopes[1], t6);
    const float t8 = op::fma(mixing[6], slopes[0], t7);
    mixed[0] = t2;
    mixed[1] = t5;
    mixed[2] = t8;
}

CRATON_LAW void mixed_slopes(const double (&mixing)[9], const double (&slopes)[3], double (&mixed)[3]) {
    const double t0 = op::mul(mixing[2], slopes[2]);
    const double t1 = op::fma(mixing[1], slopes[1], t0);
    const double t2 = op::fma(mixing[0], slopes[0], t1);
    const double t3 = op::mul(mixing[5], slopes[2]);
    const double t4 = op::fma(mixing[4], slopes[1], t3);
    const double t5 = op::fma(mixing[3], slopes[0], t4);
    const double t6 = op::mul(mixing[8], slopes[2]);
    const double t7 = op::fma(mixing[7], slopes[1], t6);
    const double t8 = op::fma(mixing[6], slopes[0], t7);
    mixed[0] = t2;
    mixed[1] = t5;
    mixed[2] = t8;
}

// Rates of the normal stresses that a mechanism relaxes, from slopes[i] = dv_i/dx_i.
CRATON_LAW void relaxing_normal_rates(float lambda, float inverse_mu, const float (&losses)[2], const float (&polynomials)[2][3], const float (&slopes)[3], float (&rates)[3]) {
    const float t0 = op::div(1.0f, inverse_mu);
    const float t1 = op::mul(t0, losses[1]);
    const float t2 = op::fma(t1, polynomials[1][2], polynomials[1][1]);
    const float t3 = op::fma(t1, t2, polynomials[1][0]);
    const float t4 = op::mul(t1, t3);
    const float t5 = op::mul(t0, t4);
    const float t6 = op::add(t5, t5);
    const float t7 = op::neg(0.6666667f);
    const float t8 = op::fma(0.6666667f, t0, lambda);
    const float t9 = op::fma(losses[0], polynomials[0][2], polynomials[0][1]);
    const float t10 = op::fma(losses[0], t9, polynomials[0][0]);
    const float t11 = op::mul(losses[0], t10);
    const float t12 = op::mul(t8, t11);
    const float t13 = op::fma(t7, t5, t12);
    const float t14 = op::add(slopes[0], slopes[1]);
    const float t15 = op::add(t14, slopes[2]);
    const float t16 = op::mul(t13, t15);
    const float t17 = op::fma(t6, slopes[0], t16);
    const float t18 = op::fma(t6, slopes[1], t16);
    const float t19 = op::fma(t6, slopes[2], t16);
    rates[0] = t17;
    rates[1] = t18;
    rates[2] = t19;
}

CRATON_LAW void relaxing_normal_rates(double lambda, double inverse_mu, const double (&losses)[2], const double (&polynomials)[2][3], const double (&slopes)[3], double (&rates)[3]) {
    const double t0 = op::div(1.0, inverse_mu);
    const double t1 = op::mul(t0, losses[1]);
    const double t2 = op::fma(t1, polynomials[1][2], polynomials[1][1]);
    const double t3 = op::fma(t1, t2, polynomials[1][0]);
    const double t4 = op::mul(t1, t3);
    const double t5 = op::mul(t0, t4);
    const double t6 = op::add(t5, t5);
    const double t7 = op::neg(0.6666666666666666);
    const double t8 = op::fma(0.6666666666666666, t0, lambda);
    const double t9 = op::fma(losses[0], polynomials[0][2], polynomials[0][1]);
    const double t10 = op::fma(losses[0], t9, polynomials[0][0]);
    const double t11 = op::mul(losses[0], t10);
    const double t12 = op::mul(t8, t11);
    const double t13 = op::fma(t7, t5, t12);
    const double t14 = op::add(slopes[0], slopes[1]);
    const double t15 = op::add(t14, slopes[2]);
    const double t16 = op::mul(t13, t15);
    const double t17 = op::fma(t6, slopes[0], t16);
    const double t18 = op::fma(t6, slopes[1], t16);
    const double t19 = op::fma(t6, slopes[2], t16);
    rates[0] = t17;
    rates[1] = t18;
    rates[2] = t19;
}

// Rate of the shear stress that a mechanism relaxes at an edge between four cells.
CRATON_LAW void relaxing_shear_rate(float mu, const float (&losses)[4], const float (&polynomial)[3], const float (&slopes)[2], float (&rate)) {
    const float t0 = op::mul(0.25f, mu);
    const float t1 = op::add(losses[0], losses[1]);
    const float t2 = op::add(losses[2], losses[3]);
    const float t3 = op::add(t1, t2);
    const float t4 = op::mul(t0, t3);
    const float t5 = op::fma(t4, polynomial[2], polynomial[1]);
    const float t6 = op::fma(t4, t5, polynomial[0]);
    const float t7 = op::mul(t4, t6);
    const float t8 = op::mul(mu, t7);
    const float t9 = op::add(slopes[0], slopes[1]);
    const float t10 = op::mul(t8, t9);
    rate = t10;
}

CRATON_LAW void relaxing_shear_rate(double mu, const double (&losses)[4], const double (&polynomial)[3], const double (&slopes)[2], double (&rate)) {
    const double t0 = op::mul(0.25, mu);
    const double t1 = op::add(losses[0], losses[1]);
    const double t2 = op::add(losses[2], losses[3]);
    const double t3 = op::add(t1, t2);
    const double t4 = op::mul(t0, t3);
    const double t5 = op::fma(t4, polynomial[2], polynomial[1]);
    const double t6 = op::fma(t4, t5, polynomial[0]);
    const double t7 = op::mul(t4, t6);
    const double t8 = op::mul(mu, t7);
    const double t9 = op::add(slopes[0], slopes[1]);
    const double t10 = op::mul(t8, t9);
    rate = t10;
}

// Advances a memory variable; additional change of its stress.
CRATON_LAW void relax_stress(float decay, float change, float memory, float (&moved), float (&relaxed)) {
    const float t0 = op::fma(0.5f, decay, 0.5f);
    const float t1 = op::mul(t0, change);
    const float t2 = op::fma(decay, memory, t1);
    const float t3 = op::sub(t2, memory);
    const float t4 = op::sub(t3, change);
    moved = t2;
    relaxed = t4;
}

CRATON_LAW void relax_stress(double decay, double change, double memory, double (&moved), double (&relaxed)) {
    const double t0 = op::fma(0.5, decay, 0.5);
    const double t1 = op::mul(t0, change);
    const double t2 = op::fma(decay, memory, t1);
    const double t3 = op::sub(t2, memory);
    const double t4 = op::sub(t3, change);
    moved = t2;
    relaxed = t4;
}

// Advances the memory variable of a fluid; additional change of pressure.
CRATON_LAW void relax_pressure(float decay, float loss, const float (&polynomial)[3], float change, float memory, float (&moved), float (&relaxed)) {
    const float t0 = op::fma(0.5f, decay, 0.5f);
    const float t1 = op::fma(loss, polynomial[2], polynomial[1]);
    const float t2 = op::fma(loss, t1, polynomial[0]);
    const float t3 = op::mul(loss, t2);
    const float t4 = op::mul(t3, change);
    const float t5 = op::mul(t0, t4);
    const float t6 = op::fma(decay, memory, t5);
    const float t7 = op::sub(t6, memory);
    const float t8 = op::sub(t7, t4);
    moved = t6;
    relaxed = t8;
}

CRATON_LAW void relax_pressure(double decay, double loss, const double (&polynomial)[3], double change, double memory, double (&moved), double (&relaxed)) {
    const double t0 = op::fma(0.5, decay, 0.5);
    const double t1 = op::fma(loss, polynomial[2], polynomial[1]);
    const double t2 = op::fma(loss, t1, polynomial[0]);
    const double t3 = op::mul(loss, t2);
    const double t4 = op::mul(t3, change);
    const double t5 = op::mul(t0, t4);
    const double t6 = op::fma(decay, memory, t5);
    const double t7 = op::sub(t6, memory);
    const double t8 = op::sub(t7, t4);
    moved = t6;
    relaxed = t8;
}

// Rate of an acoustic field from derivatives: of a velocity component from one, of pressure from all.
CRATON_LAW void acoustic_rate_1(float factor, const float (&slopes)[1], float (&rate)) {
    const float t0 = op::mul(factor, slopes[0]);
    rate = t0;
}

CRATON_LAW void acoustic_rate_1(double factor, const double (&slopes)[1], double (&rate)) {
    const double t0 = op::mul(factor, slopes[0]);
    rate = t0;
}

// Rate of an acoustic field from derivatives: of a velocity component from one, of pressure from all.
CRATON_LAW void acoustic_rate_2(float factor, const float (&slopes)[2], float (&rate)) {
    const float t0 = op::add(slopes[0], slopes[1]);
    const float t1 = op::mul(factor, t0);
    rate = t1;
}

CRATON_LAW void acoustic_rate_2(double factor, const double (&slopes)[2], double (&rate)) {
    const double t0 = op::add(slopes[0], slopes[1]);
    const double t1 = op::mul(factor, t0);
    rate = t1;
}

// Rate of an acoustic field from derivatives: of a velocity component from one, of pressure from all.
CRATON_LAW void acoustic_rate_3(float factor, const float (&slopes)[3], float (&rate)) {
    const float t0 = op::add(slopes[0], slopes[1]);
    const float t1 = op::add(t0, slopes[2]);
    const float t2 = op::mul(factor, t1);
    rate = t2;
}

CRATON_LAW void acoustic_rate_3(double factor, const double (&slopes)[3], double (&rate)) {
    const double t0 = op::add(slopes[0], slopes[1]);
    const double t1 = op::add(t0, slopes[2]);
    const double t2 = op::mul(factor, t1);
    rate = t2;
}

}  // namespace craton
