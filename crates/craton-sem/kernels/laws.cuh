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

// Stress, Voigt order, from grad_u[i][j] = du_i/dx_j.
CRATON_LAW void stress_isotropic(const float (&parameters)[2], const float (&grad_u)[3][3], float (&stress)[6]) {
    const float t0 = op::add(parameters[1], parameters[1]);
    const float t1 = op::add(grad_u[0][0], grad_u[1][1]);
    const float t2 = op::add(t1, grad_u[2][2]);
    const float t3 = op::mul(parameters[0], t2);
    const float t4 = op::fma(t0, grad_u[0][0], t3);
    const float t5 = op::fma(t0, grad_u[1][1], t3);
    const float t6 = op::fma(t0, grad_u[2][2], t3);
    const float t7 = op::add(grad_u[1][2], grad_u[2][1]);
    const float t8 = op::mul(parameters[1], t7);
    const float t9 = op::add(grad_u[0][2], grad_u[2][0]);
    const float t10 = op::mul(parameters[1], t9);
    const float t11 = op::add(grad_u[0][1], grad_u[1][0]);
    const float t12 = op::mul(parameters[1], t11);
    stress[0] = t4;
    stress[1] = t5;
    stress[2] = t6;
    stress[3] = t8;
    stress[4] = t10;
    stress[5] = t12;
}

CRATON_LAW void stress_isotropic(const double (&parameters)[2], const double (&grad_u)[3][3], double (&stress)[6]) {
    const double t0 = op::add(parameters[1], parameters[1]);
    const double t1 = op::add(grad_u[0][0], grad_u[1][1]);
    const double t2 = op::add(t1, grad_u[2][2]);
    const double t3 = op::mul(parameters[0], t2);
    const double t4 = op::fma(t0, grad_u[0][0], t3);
    const double t5 = op::fma(t0, grad_u[1][1], t3);
    const double t6 = op::fma(t0, grad_u[2][2], t3);
    const double t7 = op::add(grad_u[1][2], grad_u[2][1]);
    const double t8 = op::mul(parameters[1], t7);
    const double t9 = op::add(grad_u[0][2], grad_u[2][0]);
    const double t10 = op::mul(parameters[1], t9);
    const double t11 = op::add(grad_u[0][1], grad_u[1][0]);
    const double t12 = op::mul(parameters[1], t11);
    stress[0] = t4;
    stress[1] = t5;
    stress[2] = t6;
    stress[3] = t8;
    stress[4] = t10;
    stress[5] = t12;
}

// Stress, Voigt order, from grad_u[i][j] = du_i/dx_j.
CRATON_LAW void stress_transversely_isotropic(const float (&parameters)[5], const float (&axis)[3], const float (&grad_u)[3][3], float (&stress)[6]) {
    const float t0 = op::add(axis[0], axis[0]);
    const float t1 = op::add(grad_u[0][2], grad_u[2][0]);
    const float t2 = op::add(grad_u[0][1], grad_u[1][0]);
    const float t3 = op::add(grad_u[0][0], grad_u[0][0]);
    const float t4 = op::mul(t3, axis[0]);
    const float t5 = op::fma(t2, axis[1], t4);
    const float t6 = op::fma(t1, axis[2], t5);
    const float t7 = op::add(grad_u[2][2], grad_u[2][2]);
    const float t8 = op::add(grad_u[1][2], grad_u[2][1]);
    const float t9 = op::mul(t1, axis[0]);
    const float t10 = op::fma(t8, axis[1], t9);
    const float t11 = op::fma(t7, axis[2], t10);
    const float t12 = op::add(grad_u[1][1], grad_u[1][1]);
    const float t13 = op::mul(t2, axis[0]);
    const float t14 = op::fma(t12, axis[1], t13);
    const float t15 = op::fma(t8, axis[2], t14);
    const float t16 = op::mul(t6, axis[0]);
    const float t17 = op::fma(t15, axis[1], t16);
    const float t18 = op::fma(t11, axis[2], t17);
    const float t19 = op::add(grad_u[0][0], grad_u[1][1]);
    const float t20 = op::add(t19, grad_u[2][2]);
    const float t21 = op::mul(parameters[2], t20);
    const float t22 = op::fma(parameters[3], t18, t21);
    const float t23 = op::mul(t22, axis[0]);
    const float t24 = op::fma(parameters[4], t6, t23);
    const float t25 = op::mul(parameters[0], t20);
    const float t26 = op::fma(parameters[2], t18, t25);
    const float t27 = op::fma(parameters[1], t3, t26);
    const float t28 = op::fma(t0, t24, t27);
    const float t29 = op::add(axis[1], axis[1]);
    const float t30 = op::mul(t22, axis[1]);
    const float t31 = op::fma(parameters[4], t15, t30);
    const float t32 = op::fma(parameters[1], t12, t26);
    const float t33 = op::fma(t29, t31, t32);
    const float t34 = op::add(axis[2], axis[2]);
    const float t35 = op::mul(t22, axis[2]);
    const float t36 = op::fma(parameters[4], t11, t35);
    const float t37 = op::fma(parameters[1], t7, t26);
    const float t38 = op::fma(t34, t36, t37);
    const float t39 = op::mul(parameters[1], t8);
    const float t40 = op::fma(axis[2], t31, t39);
    const float t41 = op::fma(axis[1], t36, t40);
    const float t42 = op::mul(parameters[1], t1);
    const float t43 = op::fma(axis[2], t24, t42);
    const float t44 = op::fma(axis[0], t36, t43);
    const float t45 = op::mul(parameters[1], t2);
    const float t46 = op::fma(axis[1], t24, t45);
    const float t47 = op::fma(axis[0], t31, t46);
    stress[0] = t28;
    stress[1] = t33;
    stress[2] = t38;
    stress[3] = t41;
    stress[4] = t44;
    stress[5] = t47;
}

CRATON_LAW void stress_transversely_isotropic(const double (&parameters)[5], const double (&axis)[3], const double (&grad_u)[3][3], double (&stress)[6]) {
    const double t0 = op::add(axis[0], axis[0]);
    const double t1 = op::add(grad_u[0][2], grad_u[2][0]);
    const double t2 = op::add(grad_u[0][1], grad_u[1][0]);
    const double t3 = op::add(grad_u[0][0], grad_u[0][0]);
    const double t4 = op::mul(t3, axis[0]);
    const double t5 = op::fma(t2, axis[1], t4);
    const double t6 = op::fma(t1, axis[2], t5);
    const double t7 = op::add(grad_u[2][2], grad_u[2][2]);
    const double t8 = op::add(grad_u[1][2], grad_u[2][1]);
    const double t9 = op::mul(t1, axis[0]);
    const double t10 = op::fma(t8, axis[1], t9);
    const double t11 = op::fma(t7, axis[2], t10);
    const double t12 = op::add(grad_u[1][1], grad_u[1][1]);
    const double t13 = op::mul(t2, axis[0]);
    const double t14 = op::fma(t12, axis[1], t13);
    const double t15 = op::fma(t8, axis[2], t14);
    const double t16 = op::mul(t6, axis[0]);
    const double t17 = op::fma(t15, axis[1], t16);
    const double t18 = op::fma(t11, axis[2], t17);
    const double t19 = op::add(grad_u[0][0], grad_u[1][1]);
    const double t20 = op::add(t19, grad_u[2][2]);
    const double t21 = op::mul(parameters[2], t20);
    const double t22 = op::fma(parameters[3], t18, t21);
    const double t23 = op::mul(t22, axis[0]);
    const double t24 = op::fma(parameters[4], t6, t23);
    const double t25 = op::mul(parameters[0], t20);
    const double t26 = op::fma(parameters[2], t18, t25);
    const double t27 = op::fma(parameters[1], t3, t26);
    const double t28 = op::fma(t0, t24, t27);
    const double t29 = op::add(axis[1], axis[1]);
    const double t30 = op::mul(t22, axis[1]);
    const double t31 = op::fma(parameters[4], t15, t30);
    const double t32 = op::fma(parameters[1], t12, t26);
    const double t33 = op::fma(t29, t31, t32);
    const double t34 = op::add(axis[2], axis[2]);
    const double t35 = op::mul(t22, axis[2]);
    const double t36 = op::fma(parameters[4], t11, t35);
    const double t37 = op::fma(parameters[1], t7, t26);
    const double t38 = op::fma(t34, t36, t37);
    const double t39 = op::mul(parameters[1], t8);
    const double t40 = op::fma(axis[2], t31, t39);
    const double t41 = op::fma(axis[1], t36, t40);
    const double t42 = op::mul(parameters[1], t1);
    const double t43 = op::fma(axis[2], t24, t42);
    const double t44 = op::fma(axis[0], t36, t43);
    const double t45 = op::mul(parameters[1], t2);
    const double t46 = op::fma(axis[1], t24, t45);
    const double t47 = op::fma(axis[0], t31, t46);
    stress[0] = t28;
    stress[1] = t33;
    stress[2] = t38;
    stress[3] = t41;
    stress[4] = t44;
    stress[5] = t47;
}

// Stress, Voigt order, from grad_u[i][j] = du_i/dx_j.
CRATON_LAW void stress_anisotropic(const float (&parameters)[21], const float (&grad_u)[3][3], float (&stress)[6]) {
    const float t0 = op::add(grad_u[0][1], grad_u[1][0]);
    const float t1 = op::add(grad_u[0][2], grad_u[2][0]);
    const float t2 = op::add(grad_u[1][2], grad_u[2][1]);
    const float t3 = op::mul(parameters[0], grad_u[0][0]);
    const float t4 = op::fma(parameters[1], grad_u[1][1], t3);
    const float t5 = op::fma(parameters[2], grad_u[2][2], t4);
    const float t6 = op::fma(parameters[3], t2, t5);
    const float t7 = op::fma(parameters[4], t1, t6);
    const float t8 = op::fma(parameters[5], t0, t7);
    const float t9 = op::mul(parameters[1], grad_u[0][0]);
    const float t10 = op::fma(parameters[6], grad_u[1][1], t9);
    const float t11 = op::fma(parameters[7], grad_u[2][2], t10);
    const float t12 = op::fma(parameters[8], t2, t11);
    const float t13 = op::fma(parameters[9], t1, t12);
    const float t14 = op::fma(parameters[10], t0, t13);
    const float t15 = op::mul(parameters[2], grad_u[0][0]);
    const float t16 = op::fma(parameters[7], grad_u[1][1], t15);
    const float t17 = op::fma(parameters[11], grad_u[2][2], t16);
    const float t18 = op::fma(parameters[12], t2, t17);
    const float t19 = op::fma(parameters[13], t1, t18);
    const float t20 = op::fma(parameters[14], t0, t19);
    const float t21 = op::mul(parameters[3], grad_u[0][0]);
    const float t22 = op::fma(parameters[8], grad_u[1][1], t21);
    const float t23 = op::fma(parameters[12], grad_u[2][2], t22);
    const float t24 = op::fma(parameters[15], t2, t23);
    const float t25 = op::fma(parameters[16], t1, t24);
    const float t26 = op::fma(parameters[17], t0, t25);
    const float t27 = op::mul(parameters[4], grad_u[0][0]);
    const float t28 = op::fma(parameters[9], grad_u[1][1], t27);
    const float t29 = op::fma(parameters[13], grad_u[2][2], t28);
    const float t30 = op::fma(parameters[16], t2, t29);
    const float t31 = op::fma(parameters[18], t1, t30);
    const float t32 = op::fma(parameters[19], t0, t31);
    const float t33 = op::mul(parameters[5], grad_u[0][0]);
    const float t34 = op::fma(parameters[10], grad_u[1][1], t33);
    const float t35 = op::fma(parameters[14], grad_u[2][2], t34);
    const float t36 = op::fma(parameters[17], t2, t35);
    const float t37 = op::fma(parameters[19], t1, t36);
    const float t38 = op::fma(parameters[20], t0, t37);
    stress[0] = t8;
    stress[1] = t14;
    stress[2] = t20;
    stress[3] = t26;
    stress[4] = t32;
    stress[5] = t38;
}

CRATON_LAW void stress_anisotropic(const double (&parameters)[21], const double (&grad_u)[3][3], double (&stress)[6]) {
    const double t0 = op::add(grad_u[0][1], grad_u[1][0]);
    const double t1 = op::add(grad_u[0][2], grad_u[2][0]);
    const double t2 = op::add(grad_u[1][2], grad_u[2][1]);
    const double t3 = op::mul(parameters[0], grad_u[0][0]);
    const double t4 = op::fma(parameters[1], grad_u[1][1], t3);
    const double t5 = op::fma(parameters[2], grad_u[2][2], t4);
    const double t6 = op::fma(parameters[3], t2, t5);
    const double t7 = op::fma(parameters[4], t1, t6);
    const double t8 = op::fma(parameters[5], t0, t7);
    const double t9 = op::mul(parameters[1], grad_u[0][0]);
    const double t10 = op::fma(parameters[6], grad_u[1][1], t9);
    const double t11 = op::fma(parameters[7], grad_u[2][2], t10);
    const double t12 = op::fma(parameters[8], t2, t11);
    const double t13 = op::fma(parameters[9], t1, t12);
    const double t14 = op::fma(parameters[10], t0, t13);
    const double t15 = op::mul(parameters[2], grad_u[0][0]);
    const double t16 = op::fma(parameters[7], grad_u[1][1], t15);
    const double t17 = op::fma(parameters[11], grad_u[2][2], t16);
    const double t18 = op::fma(parameters[12], t2, t17);
    const double t19 = op::fma(parameters[13], t1, t18);
    const double t20 = op::fma(parameters[14], t0, t19);
    const double t21 = op::mul(parameters[3], grad_u[0][0]);
    const double t22 = op::fma(parameters[8], grad_u[1][1], t21);
    const double t23 = op::fma(parameters[12], grad_u[2][2], t22);
    const double t24 = op::fma(parameters[15], t2, t23);
    const double t25 = op::fma(parameters[16], t1, t24);
    const double t26 = op::fma(parameters[17], t0, t25);
    const double t27 = op::mul(parameters[4], grad_u[0][0]);
    const double t28 = op::fma(parameters[9], grad_u[1][1], t27);
    const double t29 = op::fma(parameters[13], grad_u[2][2], t28);
    const double t30 = op::fma(parameters[16], t2, t29);
    const double t31 = op::fma(parameters[18], t1, t30);
    const double t32 = op::fma(parameters[19], t0, t31);
    const double t33 = op::mul(parameters[5], grad_u[0][0]);
    const double t34 = op::fma(parameters[10], grad_u[1][1], t33);
    const double t35 = op::fma(parameters[14], grad_u[2][2], t34);
    const double t36 = op::fma(parameters[17], t2, t35);
    const double t37 = op::fma(parameters[19], t1, t36);
    const double t38 = op::fma(parameters[20], t0, t37);
    stress[0] = t8;
    stress[1] = t14;
    stress[2] = t20;
    stress[3] = t26;
    stress[4] = t32;
    stress[5] = t38;
}

// Subtracts the relaxed stress of a mechanism and advances its memory.
CRATON_LAW void relax(float decay, const float (&moduli)[2], const float (&memory)[6], const float (&grad_u)[3][3], const float (&stress)[6], float (&new_stress)[6], float (&new_memory)[6]) {
    const float t0 = op::add(moduli[1], moduli[1]);
    const float t1 = op::neg(t0);
    const float t2 = op::fma(-0.5f, decay, 0.5f);
    const float t3 = op::mul(t2, grad_u[0][0]);
    const float t4 = op::add(memory[0], t3);
    const float t5 = op::mul(t2, grad_u[1][1]);
    const float t6 = op::add(memory[1], t5);
    const float t7 = op::add(t4, t6);
    const float t8 = op::mul(t2, grad_u[2][2]);
    const float t9 = op::add(memory[2], t8);
    const float t10 = op::add(t7, t9);
    const float t11 = op::mul(moduli[0], t10);
    const float t12 = op::sub(stress[0], t11);
    const float t13 = op::fma(t1, t4, t12);
    const float t14 = op::sub(stress[1], t11);
    const float t15 = op::fma(t1, t6, t14);
    const float t16 = op::sub(stress[2], t11);
    const float t17 = op::fma(t1, t9, t16);
    const float t18 = op::neg(moduli[1]);
    const float t19 = op::add(grad_u[1][2], grad_u[2][1]);
    const float t20 = op::mul(t2, t19);
    const float t21 = op::add(memory[3], t20);
    const float t22 = op::fma(t18, t21, stress[3]);
    const float t23 = op::add(grad_u[0][2], grad_u[2][0]);
    const float t24 = op::mul(t2, t23);
    const float t25 = op::add(memory[4], t24);
    const float t26 = op::fma(t18, t25, stress[4]);
    const float t27 = op::add(grad_u[0][1], grad_u[1][0]);
    const float t28 = op::mul(t2, t27);
    const float t29 = op::add(memory[5], t28);
    const float t30 = op::fma(t18, t29, stress[5]);
    const float t31 = op::fma(decay, t4, t3);
    const float t32 = op::fma(decay, t6, t5);
    const float t33 = op::fma(decay, t9, t8);
    const float t34 = op::fma(decay, t21, t20);
    const float t35 = op::fma(decay, t25, t24);
    const float t36 = op::fma(decay, t29, t28);
    new_stress[0] = t13;
    new_stress[1] = t15;
    new_stress[2] = t17;
    new_stress[3] = t22;
    new_stress[4] = t26;
    new_stress[5] = t30;
    new_memory[0] = t31;
    new_memory[1] = t32;
    new_memory[2] = t33;
    new_memory[3] = t34;
    new_memory[4] = t35;
    new_memory[5] = t36;
}

CRATON_LAW void relax(double decay, const double (&moduli)[2], const double (&memory)[6], const double (&grad_u)[3][3], const double (&stress)[6], double (&new_stress)[6], double (&new_memory)[6]) {
    const double t0 = op::add(moduli[1], moduli[1]);
    const double t1 = op::neg(t0);
    const double t2 = op::fma(-0.5, decay, 0.5);
    const double t3 = op::mul(t2, grad_u[0][0]);
    const double t4 = op::add(memory[0], t3);
    const double t5 = op::mul(t2, grad_u[1][1]);
    const double t6 = op::add(memory[1], t5);
    const double t7 = op::add(t4, t6);
    const double t8 = op::mul(t2, grad_u[2][2]);
    const double t9 = op::add(memory[2], t8);
    const double t10 = op::add(t7, t9);
    const double t11 = op::mul(moduli[0], t10);
    const double t12 = op::sub(stress[0], t11);
    const double t13 = op::fma(t1, t4, t12);
    const double t14 = op::sub(stress[1], t11);
    const double t15 = op::fma(t1, t6, t14);
    const double t16 = op::sub(stress[2], t11);
    const double t17 = op::fma(t1, t9, t16);
    const double t18 = op::neg(moduli[1]);
    const double t19 = op::add(grad_u[1][2], grad_u[2][1]);
    const double t20 = op::mul(t2, t19);
    const double t21 = op::add(memory[3], t20);
    const double t22 = op::fma(t18, t21, stress[3]);
    const double t23 = op::add(grad_u[0][2], grad_u[2][0]);
    const double t24 = op::mul(t2, t23);
    const double t25 = op::add(memory[4], t24);
    const double t26 = op::fma(t18, t25, stress[4]);
    const double t27 = op::add(grad_u[0][1], grad_u[1][0]);
    const double t28 = op::mul(t2, t27);
    const double t29 = op::add(memory[5], t28);
    const double t30 = op::fma(t18, t29, stress[5]);
    const double t31 = op::fma(decay, t4, t3);
    const double t32 = op::fma(decay, t6, t5);
    const double t33 = op::fma(decay, t9, t8);
    const double t34 = op::fma(decay, t21, t20);
    const double t35 = op::fma(decay, t25, t24);
    const double t36 = op::fma(decay, t29, t28);
    new_stress[0] = t13;
    new_stress[1] = t15;
    new_stress[2] = t17;
    new_stress[3] = t22;
    new_stress[4] = t26;
    new_stress[5] = t30;
    new_memory[0] = t31;
    new_memory[1] = t32;
    new_memory[2] = t33;
    new_memory[3] = t34;
    new_memory[4] = t35;
    new_memory[5] = t36;
}

// Unit axis of an element at the point xi of the reference cube.
CRATON_LAW void unit_axis(const float (&coefficients)[4][3], const float (&xi)[3], float (&axis)[3]) {
    const float t0 = op::fma(xi[0], coefficients[1][2], coefficients[0][2]);
    const float t1 = op::fma(xi[1], coefficients[2][2], t0);
    const float t2 = op::fma(xi[2], coefficients[3][2], t1);
    const float t3 = op::fma(xi[0], coefficients[1][1], coefficients[0][1]);
    const float t4 = op::fma(xi[1], coefficients[2][1], t3);
    const float t5 = op::fma(xi[2], coefficients[3][1], t4);
    const float t6 = op::fma(xi[0], coefficients[1][0], coefficients[0][0]);
    const float t7 = op::fma(xi[1], coefficients[2][0], t6);
    const float t8 = op::fma(xi[2], coefficients[3][0], t7);
    const float t9 = op::mul(t8, t8);
    const float t10 = op::fma(t5, t5, t9);
    const float t11 = op::fma(t2, t2, t10);
    const float t12 = op::fma(-0.5f, t11, 1.5f);
    const float t13 = op::mul(t12, t8);
    const float t14 = op::mul(t12, t5);
    const float t15 = op::mul(t12, t2);
    axis[0] = t13;
    axis[1] = t14;
    axis[2] = t15;
}

CRATON_LAW void unit_axis(const double (&coefficients)[4][3], const double (&xi)[3], double (&axis)[3]) {
    const double t0 = op::fma(xi[0], coefficients[1][2], coefficients[0][2]);
    const double t1 = op::fma(xi[1], coefficients[2][2], t0);
    const double t2 = op::fma(xi[2], coefficients[3][2], t1);
    const double t3 = op::fma(xi[0], coefficients[1][1], coefficients[0][1]);
    const double t4 = op::fma(xi[1], coefficients[2][1], t3);
    const double t5 = op::fma(xi[2], coefficients[3][1], t4);
    const double t6 = op::fma(xi[0], coefficients[1][0], coefficients[0][0]);
    const double t7 = op::fma(xi[1], coefficients[2][0], t6);
    const double t8 = op::fma(xi[2], coefficients[3][0], t7);
    const double t9 = op::mul(t8, t8);
    const double t10 = op::fma(t5, t5, t9);
    const double t11 = op::fma(t2, t2, t10);
    const double t12 = op::fma(-0.5, t11, 1.5);
    const double t13 = op::mul(t12, t8);
    const double t14 = op::mul(t12, t5);
    const double t15 = op::mul(t12, t2);
    axis[0] = t13;
    axis[1] = t14;
    axis[2] = t15;
}

// Cofactors det * dxi_a/dx_i and determinant from jacobian[a][i] = dx_i/dxi_a.
CRATON_LAW void metric(const float (&jacobian)[3][3], float (&cofactors)[3][3], float (&det)) {
    const float t0 = op::mul(jacobian[1][2], jacobian[2][1]);
    const float t1 = op::neg(t0);
    const float t2 = op::fma(jacobian[1][1], jacobian[2][2], t1);
    const float t3 = op::mul(jacobian[1][0], jacobian[2][2]);
    const float t4 = op::neg(t3);
    const float t5 = op::fma(jacobian[1][2], jacobian[2][0], t4);
    const float t6 = op::mul(jacobian[1][1], jacobian[2][0]);
    const float t7 = op::neg(t6);
    const float t8 = op::fma(jacobian[1][0], jacobian[2][1], t7);
    const float t9 = op::mul(jacobian[2][2], jacobian[0][1]);
    const float t10 = op::neg(t9);
    const float t11 = op::fma(jacobian[2][1], jacobian[0][2], t10);
    const float t12 = op::mul(jacobian[2][0], jacobian[0][2]);
    const float t13 = op::neg(t12);
    const float t14 = op::fma(jacobian[2][2], jacobian[0][0], t13);
    const float t15 = op::mul(jacobian[2][1], jacobian[0][0]);
    const float t16 = op::neg(t15);
    const float t17 = op::fma(jacobian[2][0], jacobian[0][1], t16);
    const float t18 = op::mul(jacobian[0][2], jacobian[1][1]);
    const float t19 = op::neg(t18);
    const float t20 = op::fma(jacobian[0][1], jacobian[1][2], t19);
    const float t21 = op::mul(jacobian[0][0], jacobian[1][2]);
    const float t22 = op::neg(t21);
    const float t23 = op::fma(jacobian[0][2], jacobian[1][0], t22);
    const float t24 = op::mul(jacobian[0][1], jacobian[1][0]);
    const float t25 = op::neg(t24);
    const float t26 = op::fma(jacobian[0][0], jacobian[1][1], t25);
    const float t27 = op::mul(jacobian[0][0], t2);
    const float t28 = op::fma(jacobian[0][1], t5, t27);
    const float t29 = op::fma(jacobian[0][2], t8, t28);
    cofactors[0][0] = t2;
    cofactors[0][1] = t5;
    cofactors[0][2] = t8;
    cofactors[1][0] = t11;
    cofactors[1][1] = t14;
    cofactors[1][2] = t17;
    cofactors[2][0] = t20;
    cofactors[2][1] = t23;
    cofactors[2][2] = t26;
    det = t29;
}

CRATON_LAW void metric(const double (&jacobian)[3][3], double (&cofactors)[3][3], double (&det)) {
    const double t0 = op::mul(jacobian[1][2], jacobian[2][1]);
    const double t1 = op::neg(t0);
    const double t2 = op::fma(jacobian[1][1], jacobian[2][2], t1);
    const double t3 = op::mul(jacobian[1][0], jacobian[2][2]);
    const double t4 = op::neg(t3);
    const double t5 = op::fma(jacobian[1][2], jacobian[2][0], t4);
    const double t6 = op::mul(jacobian[1][1], jacobian[2][0]);
    const double t7 = op::neg(t6);
    const double t8 = op::fma(jacobian[1][0], jacobian[2][1], t7);
    const double t9 = op::mul(jacobian[2][2], jacobian[0][1]);
    const double t10 = op::neg(t9);
    const double t11 = op::fma(jacobian[2][1], jacobian[0][2], t10);
    const double t12 = op::mul(jacobian[2][0], jacobian[0][2]);
    const double t13 = op::neg(t12);
    const double t14 = op::fma(jacobian[2][2], jacobian[0][0], t13);
    const double t15 = op::mul(jacobian[2][1], jacobian[0][0]);
    const double t16 = op::neg(t15);
    const double t17 = op::fma(jacobian[2][0], jacobian[0][1], t16);
    const double t18 = op::mul(jacobian[0][2], jacobian[1][1]);
    const double t19 = op::neg(t18);
    const double t20 = op::fma(jacobian[0][1], jacobian[1][2], t19);
    const double t21 = op::mul(jacobian[0][0], jacobian[1][2]);
    const double t22 = op::neg(t21);
    const double t23 = op::fma(jacobian[0][2], jacobian[1][0], t22);
    const double t24 = op::mul(jacobian[0][1], jacobian[1][0]);
    const double t25 = op::neg(t24);
    const double t26 = op::fma(jacobian[0][0], jacobian[1][1], t25);
    const double t27 = op::mul(jacobian[0][0], t2);
    const double t28 = op::fma(jacobian[0][1], t5, t27);
    const double t29 = op::fma(jacobian[0][2], t8, t28);
    cofactors[0][0] = t2;
    cofactors[0][1] = t5;
    cofactors[0][2] = t8;
    cofactors[1][0] = t11;
    cofactors[1][1] = t14;
    cofactors[1][2] = t17;
    cofactors[2][0] = t20;
    cofactors[2][1] = t23;
    cofactors[2][2] = t26;
    det = t29;
}

// grad_u[i][j] = du_i/dx_j from reference_gradient[i][a] = du_i/dxi_a.
CRATON_LAW void physical_gradient(const float (&cofactors)[3][3], float inverse_det, const float (&reference_gradient)[3][3], float (&grad_u)[3][3]) {
    const float t0 = op::mul(cofactors[0][0], reference_gradient[0][0]);
    const float t1 = op::fma(cofactors[1][0], reference_gradient[0][1], t0);
    const float t2 = op::fma(cofactors[2][0], reference_gradient[0][2], t1);
    const float t3 = op::mul(inverse_det, t2);
    const float t4 = op::mul(cofactors[0][1], reference_gradient[0][0]);
    const float t5 = op::fma(cofactors[1][1], reference_gradient[0][1], t4);
    const float t6 = op::fma(cofactors[2][1], reference_gradient[0][2], t5);
    const float t7 = op::mul(inverse_det, t6);
    const float t8 = op::mul(cofactors[0][2], reference_gradient[0][0]);
    const float t9 = op::fma(cofactors[1][2], reference_gradient[0][1], t8);
    const float t10 = op::fma(cofactors[2][2], reference_gradient[0][2], t9);
    const float t11 = op::mul(inverse_det, t10);
    const float t12 = op::mul(cofactors[0][0], reference_gradient[1][0]);
    const float t13 = op::fma(cofactors[1][0], reference_gradient[1][1], t12);
    const float t14 = op::fma(cofactors[2][0], reference_gradient[1][2], t13);
    const float t15 = op::mul(inverse_det, t14);
    const float t16 = op::mul(cofactors[0][1], reference_gradient[1][0]);
    const float t17 = op::fma(cofactors[1][1], reference_gradient[1][1], t16);
    const float t18 = op::fma(cofactors[2][1], reference_gradient[1][2], t17);
    const float t19 = op::mul(inverse_det, t18);
    const float t20 = op::mul(cofactors[0][2], reference_gradient[1][0]);
    const float t21 = op::fma(cofactors[1][2], reference_gradient[1][1], t20);
    const float t22 = op::fma(cofactors[2][2], reference_gradient[1][2], t21);
    const float t23 = op::mul(inverse_det, t22);
    const float t24 = op::mul(cofactors[0][0], reference_gradient[2][0]);
    const float t25 = op::fma(cofactors[1][0], reference_gradient[2][1], t24);
    const float t26 = op::fma(cofactors[2][0], reference_gradient[2][2], t25);
    const float t27 = op::mul(inverse_det, t26);
    const float t28 = op::mul(cofactors[0][1], reference_gradient[2][0]);
    const float t29 = op::fma(cofactors[1][1], reference_gradient[2][1], t28);
    const float t30 = op::fma(cofactors[2][1], reference_gradient[2][2], t29);
    const float t31 = op::mul(inverse_det, t30);
    const float t32 = op::mul(cofactors[0][2], reference_gradient[2][0]);
    const float t33 = op::fma(cofactors[1][2], reference_gradient[2][1], t32);
    const float t34 = op::fma(cofactors[2][2], reference_gradient[2][2], t33);
    const float t35 = op::mul(inverse_det, t34);
    grad_u[0][0] = t3;
    grad_u[0][1] = t7;
    grad_u[0][2] = t11;
    grad_u[1][0] = t15;
    grad_u[1][1] = t19;
    grad_u[1][2] = t23;
    grad_u[2][0] = t27;
    grad_u[2][1] = t31;
    grad_u[2][2] = t35;
}

CRATON_LAW void physical_gradient(const double (&cofactors)[3][3], double inverse_det, const double (&reference_gradient)[3][3], double (&grad_u)[3][3]) {
    const double t0 = op::mul(cofactors[0][0], reference_gradient[0][0]);
    const double t1 = op::fma(cofactors[1][0], reference_gradient[0][1], t0);
    const double t2 = op::fma(cofactors[2][0], reference_gradient[0][2], t1);
    const double t3 = op::mul(inverse_det, t2);
    const double t4 = op::mul(cofactors[0][1], reference_gradient[0][0]);
    const double t5 = op::fma(cofactors[1][1], reference_gradient[0][1], t4);
    const double t6 = op::fma(cofactors[2][1], reference_gradient[0][2], t5);
    const double t7 = op::mul(inverse_det, t6);
    const double t8 = op::mul(cofactors[0][2], reference_gradient[0][0]);
    const double t9 = op::fma(cofactors[1][2], reference_gradient[0][1], t8);
    const double t10 = op::fma(cofactors[2][2], reference_gradient[0][2], t9);
    const double t11 = op::mul(inverse_det, t10);
    const double t12 = op::mul(cofactors[0][0], reference_gradient[1][0]);
    const double t13 = op::fma(cofactors[1][0], reference_gradient[1][1], t12);
    const double t14 = op::fma(cofactors[2][0], reference_gradient[1][2], t13);
    const double t15 = op::mul(inverse_det, t14);
    const double t16 = op::mul(cofactors[0][1], reference_gradient[1][0]);
    const double t17 = op::fma(cofactors[1][1], reference_gradient[1][1], t16);
    const double t18 = op::fma(cofactors[2][1], reference_gradient[1][2], t17);
    const double t19 = op::mul(inverse_det, t18);
    const double t20 = op::mul(cofactors[0][2], reference_gradient[1][0]);
    const double t21 = op::fma(cofactors[1][2], reference_gradient[1][1], t20);
    const double t22 = op::fma(cofactors[2][2], reference_gradient[1][2], t21);
    const double t23 = op::mul(inverse_det, t22);
    const double t24 = op::mul(cofactors[0][0], reference_gradient[2][0]);
    const double t25 = op::fma(cofactors[1][0], reference_gradient[2][1], t24);
    const double t26 = op::fma(cofactors[2][0], reference_gradient[2][2], t25);
    const double t27 = op::mul(inverse_det, t26);
    const double t28 = op::mul(cofactors[0][1], reference_gradient[2][0]);
    const double t29 = op::fma(cofactors[1][1], reference_gradient[2][1], t28);
    const double t30 = op::fma(cofactors[2][1], reference_gradient[2][2], t29);
    const double t31 = op::mul(inverse_det, t30);
    const double t32 = op::mul(cofactors[0][2], reference_gradient[2][0]);
    const double t33 = op::fma(cofactors[1][2], reference_gradient[2][1], t32);
    const double t34 = op::fma(cofactors[2][2], reference_gradient[2][2], t33);
    const double t35 = op::mul(inverse_det, t34);
    grad_u[0][0] = t3;
    grad_u[0][1] = t7;
    grad_u[0][2] = t11;
    grad_u[1][0] = t15;
    grad_u[1][1] = t19;
    grad_u[1][2] = t23;
    grad_u[2][0] = t27;
    grad_u[2][1] = t31;
    grad_u[2][2] = t35;
}

// flux[a][i] = sum over j of cofactors[a][j] stress_ij.
CRATON_LAW void reference_flux(const float (&cofactors)[3][3], const float (&stress)[6], float (&flux)[3][3]) {
    const float t0 = op::mul(stress[0], cofactors[0][0]);
    const float t1 = op::fma(stress[5], cofactors[0][1], t0);
    const float t2 = op::fma(stress[4], cofactors[0][2], t1);
    const float t3 = op::mul(stress[5], cofactors[0][0]);
    const float t4 = op::fma(stress[1], cofactors[0][1], t3);
    const float t5 = op::fma(stress[3], cofactors[0][2], t4);
    const float t6 = op::mul(stress[4], cofactors[0][0]);
    const float t7 = op::fma(stress[3], cofactors[0][1], t6);
    const float t8 = op::fma(stress[2], cofactors[0][2], t7);
    const float t9 = op::mul(stress[0], cofactors[1][0]);
    const float t10 = op::fma(stress[5], cofactors[1][1], t9);
    const float t11 = op::fma(stress[4], cofactors[1][2], t10);
    const float t12 = op::mul(stress[5], cofactors[1][0]);
    const float t13 = op::fma(stress[1], cofactors[1][1], t12);
    const float t14 = op::fma(stress[3], cofactors[1][2], t13);
    const float t15 = op::mul(stress[4], cofactors[1][0]);
    const float t16 = op::fma(stress[3], cofactors[1][1], t15);
    const float t17 = op::fma(stress[2], cofactors[1][2], t16);
    const float t18 = op::mul(stress[0], cofactors[2][0]);
    const float t19 = op::fma(stress[5], cofactors[2][1], t18);
    const float t20 = op::fma(stress[4], cofactors[2][2], t19);
    const float t21 = op::mul(stress[5], cofactors[2][0]);
    const float t22 = op::fma(stress[1], cofactors[2][1], t21);
    const float t23 = op::fma(stress[3], cofactors[2][2], t22);
    const float t24 = op::mul(stress[4], cofactors[2][0]);
    const float t25 = op::fma(stress[3], cofactors[2][1], t24);
    const float t26 = op::fma(stress[2], cofactors[2][2], t25);
    flux[0][0] = t2;
    flux[0][1] = t5;
    flux[0][2] = t8;
    flux[1][0] = t11;
    flux[1][1] = t14;
    flux[1][2] = t17;
    flux[2][0] = t20;
    flux[2][1] = t23;
    flux[2][2] = t26;
}

CRATON_LAW void reference_flux(const double (&cofactors)[3][3], const double (&stress)[6], double (&flux)[3][3]) {
    const double t0 = op::mul(stress[0], cofactors[0][0]);
    const double t1 = op::fma(stress[5], cofactors[0][1], t0);
    const double t2 = op::fma(stress[4], cofactors[0][2], t1);
    const double t3 = op::mul(stress[5], cofactors[0][0]);
    const double t4 = op::fma(stress[1], cofactors[0][1], t3);
    const double t5 = op::fma(stress[3], cofactors[0][2], t4);
    const double t6 = op::mul(stress[4], cofactors[0][0]);
    const double t7 = op::fma(stress[3], cofactors[0][1], t6);
    const double t8 = op::fma(stress[2], cofactors[0][2], t7);
    const double t9 = op::mul(stress[0], cofactors[1][0]);
    const double t10 = op::fma(stress[5], cofactors[1][1], t9);
    const double t11 = op::fma(stress[4], cofactors[1][2], t10);
    const double t12 = op::mul(stress[5], cofactors[1][0]);
    const double t13 = op::fma(stress[1], cofactors[1][1], t12);
    const double t14 = op::fma(stress[3], cofactors[1][2], t13);
    const double t15 = op::mul(stress[4], cofactors[1][0]);
    const double t16 = op::fma(stress[3], cofactors[1][1], t15);
    const double t17 = op::fma(stress[2], cofactors[1][2], t16);
    const double t18 = op::mul(stress[0], cofactors[2][0]);
    const double t19 = op::fma(stress[5], cofactors[2][1], t18);
    const double t20 = op::fma(stress[4], cofactors[2][2], t19);
    const double t21 = op::mul(stress[5], cofactors[2][0]);
    const double t22 = op::fma(stress[1], cofactors[2][1], t21);
    const double t23 = op::fma(stress[3], cofactors[2][2], t22);
    const double t24 = op::mul(stress[4], cofactors[2][0]);
    const double t25 = op::fma(stress[3], cofactors[2][1], t24);
    const double t26 = op::fma(stress[2], cofactors[2][2], t25);
    flux[0][0] = t2;
    flux[0][1] = t5;
    flux[0][2] = t8;
    flux[1][0] = t11;
    flux[1][1] = t14;
    flux[1][2] = t17;
    flux[2][0] = t20;
    flux[2][1] = t23;
    flux[2][2] = t26;
}

// gradient[j] = dq/dx_j from reference_gradient[a] = dq/dxi_a.
CRATON_LAW void scalar_gradient(const float (&cofactors)[3][3], float inverse_det, const float (&reference_gradient)[3], float (&gradient)[3]) {
    const float t0 = op::mul(cofactors[0][0], reference_gradient[0]);
    const float t1 = op::fma(cofactors[1][0], reference_gradient[1], t0);
    const float t2 = op::fma(cofactors[2][0], reference_gradient[2], t1);
    const float t3 = op::mul(inverse_det, t2);
    const float t4 = op::mul(cofactors[0][1], reference_gradient[0]);
    const float t5 = op::fma(cofactors[1][1], reference_gradient[1], t4);
    const float t6 = op::fma(cofactors[2][1], reference_gradient[2], t5);
    const float t7 = op::mul(inverse_det, t6);
    const float t8 = op::mul(cofactors[0][2], reference_gradient[0]);
    const float t9 = op::fma(cofactors[1][2], reference_gradient[1], t8);
    const float t10 = op::fma(cofactors[2][2], reference_gradient[2], t9);
    const float t11 = op::mul(inverse_det, t10);
    gradient[0] = t3;
    gradient[1] = t7;
    gradient[2] = t11;
}

CRATON_LAW void scalar_gradient(const double (&cofactors)[3][3], double inverse_det, const double (&reference_gradient)[3], double (&gradient)[3]) {
    const double t0 = op::mul(cofactors[0][0], reference_gradient[0]);
    const double t1 = op::fma(cofactors[1][0], reference_gradient[1], t0);
    const double t2 = op::fma(cofactors[2][0], reference_gradient[2], t1);
    const double t3 = op::mul(inverse_det, t2);
    const double t4 = op::mul(cofactors[0][1], reference_gradient[0]);
    const double t5 = op::fma(cofactors[1][1], reference_gradient[1], t4);
    const double t6 = op::fma(cofactors[2][1], reference_gradient[2], t5);
    const double t7 = op::mul(inverse_det, t6);
    const double t8 = op::mul(cofactors[0][2], reference_gradient[0]);
    const double t9 = op::fma(cofactors[1][2], reference_gradient[1], t8);
    const double t10 = op::fma(cofactors[2][2], reference_gradient[2], t9);
    const double t11 = op::mul(inverse_det, t10);
    gradient[0] = t3;
    gradient[1] = t7;
    gradient[2] = t11;
}

// Displacement of a fluid from the gradient of its potential.
CRATON_LAW void fluid_displacement(float buoyancy, const float (&gradient)[3], float (&displacement)[3]) {
    const float t0 = op::mul(buoyancy, gradient[0]);
    const float t1 = op::mul(buoyancy, gradient[1]);
    const float t2 = op::mul(buoyancy, gradient[2]);
    displacement[0] = t0;
    displacement[1] = t1;
    displacement[2] = t2;
}

CRATON_LAW void fluid_displacement(double buoyancy, const double (&gradient)[3], double (&displacement)[3]) {
    const double t0 = op::mul(buoyancy, gradient[0]);
    const double t1 = op::mul(buoyancy, gradient[1]);
    const double t2 = op::mul(buoyancy, gradient[2]);
    displacement[0] = t0;
    displacement[1] = t1;
    displacement[2] = t2;
}

// flux[a] = sum over j of cofactors[a][j] vector[j].
CRATON_LAW void scalar_flux(const float (&cofactors)[3][3], const float (&vector)[3], float (&flux)[3]) {
    const float t0 = op::mul(cofactors[0][0], vector[0]);
    const float t1 = op::fma(cofactors[0][1], vector[1], t0);
    const float t2 = op::fma(cofactors[0][2], vector[2], t1);
    const float t3 = op::mul(cofactors[1][0], vector[0]);
    const float t4 = op::fma(cofactors[1][1], vector[1], t3);
    const float t5 = op::fma(cofactors[1][2], vector[2], t4);
    const float t6 = op::mul(cofactors[2][0], vector[0]);
    const float t7 = op::fma(cofactors[2][1], vector[1], t6);
    const float t8 = op::fma(cofactors[2][2], vector[2], t7);
    flux[0] = t2;
    flux[1] = t5;
    flux[2] = t8;
}

CRATON_LAW void scalar_flux(const double (&cofactors)[3][3], const double (&vector)[3], double (&flux)[3]) {
    const double t0 = op::mul(cofactors[0][0], vector[0]);
    const double t1 = op::fma(cofactors[0][1], vector[1], t0);
    const double t2 = op::fma(cofactors[0][2], vector[2], t1);
    const double t3 = op::mul(cofactors[1][0], vector[0]);
    const double t4 = op::fma(cofactors[1][1], vector[1], t3);
    const double t5 = op::fma(cofactors[1][2], vector[2], t4);
    const double t6 = op::mul(cofactors[2][0], vector[0]);
    const double t7 = op::fma(cofactors[2][1], vector[1], t6);
    const double t8 = op::fma(cofactors[2][2], vector[2], t7);
    flux[0] = t2;
    flux[1] = t5;
    flux[2] = t8;
}

// Damping of an absorbing boundary, Voigt order: its product with velocity is minus the traction.
CRATON_LAW void paraxial_damping(float rho, float vp, float vs, const float (&normal)[3], float (&damping)[6]) {
    const float t0 = op::sub(vp, vs);
    const float t1 = op::mul(rho, t0);
    const float t2 = op::mul(t1, normal[0]);
    const float t3 = op::mul(rho, vs);
    const float t4 = op::fma(t2, normal[0], t3);
    const float t5 = op::mul(t1, normal[1]);
    const float t6 = op::fma(t5, normal[1], t3);
    const float t7 = op::mul(t1, normal[2]);
    const float t8 = op::fma(t7, normal[2], t3);
    const float t9 = op::mul(t5, normal[2]);
    const float t10 = op::mul(t2, normal[2]);
    const float t11 = op::mul(t2, normal[1]);
    damping[0] = t4;
    damping[1] = t6;
    damping[2] = t8;
    damping[3] = t9;
    damping[4] = t10;
    damping[5] = t11;
}

CRATON_LAW void paraxial_damping(double rho, double vp, double vs, const double (&normal)[3], double (&damping)[6]) {
    const double t0 = op::sub(vp, vs);
    const double t1 = op::mul(rho, t0);
    const double t2 = op::mul(t1, normal[0]);
    const double t3 = op::mul(rho, vs);
    const double t4 = op::fma(t2, normal[0], t3);
    const double t5 = op::mul(t1, normal[1]);
    const double t6 = op::fma(t5, normal[1], t3);
    const double t7 = op::mul(t1, normal[2]);
    const double t8 = op::fma(t7, normal[2], t3);
    const double t9 = op::mul(t5, normal[2]);
    const double t10 = op::mul(t2, normal[2]);
    const double t11 = op::mul(t2, normal[1]);
    damping[0] = t4;
    damping[1] = t6;
    damping[2] = t8;
    damping[3] = t9;
    damping[4] = t10;
    damping[5] = t11;
}

}  // namespace craton
