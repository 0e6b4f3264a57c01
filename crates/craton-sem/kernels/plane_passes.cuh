// What a thread does to its elements: derivatives along zeta in columns, derivatives and law in its plane.
//
// Compile-time: LAW (Isotropic, Anisotropic), VARIES (0: one set of parameters per element).

#pragma once

#include "element.cuh"
#include "plane_geometry.cuh"

namespace craton {
namespace {

// Column pass: each thread replaces five columns along zeta by their derivative, or by its transpose.
template <bool Transposed>
__device__ __forceinline__ void pass_along_zeta(float* slots) {
#pragma unroll 1
    for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            float* column = slots + c * COMPONENT + 5 * i;
            float values[N];
#pragma unroll
            for (int k = 0; k < N; ++k) values[k] = column[33 * k];
#pragma unroll
            for (int k = 0; k < N; ++k) {
                float sum = 0;
                bool begun = false;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    const float factor = Transposed ? gll4::derivative(m, k) : gll4::derivative(k, m);
                    if (factor == 0.0f) continue;
                    sum = begun ? op::fma(factor, values[m], sum) : op::mul(factor, values[m]);
                    begun = true;
                }
                column[33 * k] = sum;
            }
        }
    }
}

// The plane of a thread: derivatives in the plane, law, and the transposed derivatives added to `force`. The derivative along zeta stands in the
// slots; the flux along zeta takes its place.
__device__ __forceinline__ void pass_over_plane(Plane& geometry, const float* material, float minus_weight_zeta,
                                                const float (&u)[3][N * N], float (&force)[3][N * N], float* slots) {
#if !VARIES
    float parameters[LAW::parameters];
#pragma unroll
    for (int q = 0; q < LAW::parameters; ++q) parameters[q] = material[q * ELEMENTS];
#endif
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
        for (int p = 0; p < N * N; ++p) force[c][p] = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        geometry.row(j);
#if VARIES
        // The parameters of the next row come nearer meanwhile.
        if (threadIdx.x == 0 && j + 1 < N) prefetch(material + (j + 1) * N * LAW::parameters * PLANES, N * LAW::parameters * PLANES * 4);
#endif
#pragma unroll
        for (int i = 0; i < N; ++i) {
#if VARIES
            const int p = i + N * j;
            float parameters[LAW::parameters];
#pragma unroll
            for (int q = 0; q < LAW::parameters; ++q) parameters[q] = material[(p * LAW::parameters + q) * PLANES];
#endif
            float reference[3][3], jacobian[3][3], flux[3][3];
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                float xi = 0, eta = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    if (gll4::derivative(i, m) != 0.0f) xi = op::fma(gll4::derivative(i, m), u[c][m + N * j], xi);
                    if (gll4::derivative(j, m) != 0.0f) eta = op::fma(gll4::derivative(j, m), u[c][i + N * m], eta);
                }
                reference[c][0] = xi;
                reference[c][1] = eta;
                reference[c][2] = slots[c * COMPONENT + slot_of(i, j, 0)];
            }
            geometry.jacobian(i, jacobian);
            const float minus_weight = minus_weight_zeta * (gll4::weight(i) * gll4::weight(j));
            point_flux<LAW>(jacobian, minus_weight, reference, parameters, flux);
#pragma unroll
            for (int c = 0; c < 3; ++c) {
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    if (gll4::derivative(i, m) != 0.0f) {
                        force[c][m + N * j] = op::fma(gll4::derivative(i, m), flux[0][c], force[c][m + N * j]);
                    }
                    if (gll4::derivative(j, m) != 0.0f) {
                        force[c][i + N * m] = op::fma(gll4::derivative(j, m), flux[1][c], force[c][i + N * m]);
                    }
                }
                slots[c * COMPONENT + slot_of(i, j, 0)] = flux[2][c];
            }
        }
    }
}

}  // namespace
}  // namespace craton
