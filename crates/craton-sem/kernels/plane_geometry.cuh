// The geometry of the plane of an element that a thread owns, from 8 or 27 control nodes.
//
// Compile-time: CONTROL (control nodes per axis, 2 or 3), LAW (a law of element.cuh).

#pragma once

#include "element.cuh"
#include "patch_shape.cuh"

namespace craton {
namespace {

// The geometry of a thread's plane: tangents at (xi_i, eta_j), computed row by row.
#if CONTROL == 2
struct Plane {
    float a[3], b[3], c[3], e[3], f[3], g[3], h[3];  // x_xi = a + b eta, x_eta = c + b xi, x_zeta = e + f xi + g eta + h xi eta
    float row_xi[3], row_zeta[3], row_slope[3];

    __device__ __forceinline__ Plane(const float* vectors, float zeta) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const float* v = vectors + d * ELEMENTS;  // xi, eta, zeta, xi eta, xi zeta, eta zeta, xi eta zeta
            h[d] = v[18 * ELEMENTS];
            f[d] = v[12 * ELEMENTS];
            g[d] = v[15 * ELEMENTS];
            e[d] = v[6 * ELEMENTS];
            a[d] = op::fma(f[d], zeta, v[0]);
            c[d] = op::fma(g[d], zeta, v[3 * ELEMENTS]);
            b[d] = op::fma(h[d], zeta, v[9 * ELEMENTS]);
        }
    }
    __device__ __forceinline__ void row(int j) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            row_xi[d] = op::fma(b[d], pick<gll4::point>(j), a[d]);
            row_zeta[d] = op::fma(g[d], pick<gll4::point>(j), e[d]);
            row_slope[d] = op::fma(h[d], pick<gll4::point>(j), f[d]);
        }
    }
    __device__ __forceinline__ void jacobian(int i, float (&jacobian)[3][3]) const {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            jacobian[0][d] = row_xi[d];
            jacobian[1][d] = op::fma(b[d], gll4::point(i), c[d]);
            jacobian[2][d] = op::fma(row_slope[d], gll4::point(i), row_zeta[d]);
        }
    }
};
#else
// Adds factor * value. `Known`: the factor is a compile-time constant, which costs nothing if it is zero or one.
template <bool Known>
__device__ __forceinline__ void add(float& sum, bool& begun, float factor, float value) {
    if (Known && factor == 0.0f) return;
    sum = begun ? op::fma(factor, value, sum) : (Known && factor == 1.0f ? value : op::mul(factor, value));
    begun = true;
}

struct Plane {
    const float* nodes;  // [c][b][a][component], `ELEMENTS` apart, in shared memory
    float shape[3], slope[3];  // along zeta
    float position[3][3], along_eta[3][3], along_zeta[3][3];  // [a][component]

    __device__ __forceinline__ Plane(const float* nodes, float zeta) : nodes(nodes) {
        shape[0] = 0.5f * zeta * (zeta - 1.0f);
        shape[1] = 1.0f - zeta * zeta;
        shape[2] = 0.5f * zeta * (zeta + 1.0f);
        slope[0] = zeta - 0.5f;
        slope[1] = -2.0f * zeta;
        slope[2] = zeta + 0.5f;
    }
    __device__ __forceinline__ void row(int j) {
        constexpr bool known = !LAW::rolled;
#pragma unroll
        for (int a = 0; a < 3; ++a) {
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                float sums[3] = {0, 0, 0};
                bool begun[3] = {false, false, false};
#pragma unroll
                for (int b = 0; b < 3; ++b) {
                    if (known && gll4::shape(j, b) == 0.0f && gll4::slope(j, b) == 0.0f) continue;
                    const float* column = nodes + ((b * 3 + a) * 3 + d) * ELEMENTS;
                    const float low = column[0], middle = column[27 * ELEMENTS], high = column[54 * ELEMENTS];
                    const float at = op::fma(shape[2], high, op::fma(shape[1], middle, op::mul(shape[0], low)));
                    add<known>(sums[0], begun[0], pick<gll4::shape>(j, b), at);
                    add<known>(sums[1], begun[1], pick<gll4::slope>(j, b), at);
                    if (!known || gll4::shape(j, b) != 0.0f) {
                        const float along = op::fma(slope[2], high, op::fma(slope[1], middle, op::mul(slope[0], low)));
                        add<known>(sums[2], begun[2], pick<gll4::shape>(j, b), along);
                    }
                }
                position[a][d] = sums[0];
                along_eta[a][d] = sums[1];
                along_zeta[a][d] = sums[2];
            }
        }
    }
    __device__ __forceinline__ void jacobian(int i, float (&jacobian)[3][3]) const {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            float sums[3] = {0, 0, 0};
            bool begun[3] = {false, false, false};
#pragma unroll
            for (int a = 0; a < 3; ++a) {
                add<true>(sums[0], begun[0], gll4::slope(i, a), position[a][d]);
                add<true>(sums[1], begun[1], gll4::shape(i, a), along_eta[a][d]);
                add<true>(sums[2], begun[2], gll4::shape(i, a), along_zeta[a][d]);
            }
            for (int axis = 0; axis < 3; ++axis) jacobian[axis][d] = sums[axis];
        }
    }
};
#endif

}  // namespace
}  // namespace craton
