// The passes of a thread over its elements: derivatives along zeta in columns, derivatives and law in its plane.
//
// Compile-time: LAW (a law of element.cuh), VARIES (see plane_sites.cuh), RELAXES (see element.cuh), PML (see plane_pml.cuh).

#pragma once

#include "element.cuh"
#include "plane_geometry.cuh"
#include "plane_pml.cuh"
#include "plane_sites.cuh"

namespace craton {
namespace {

// Column pass: each thread replaces five columns along zeta by their derivative, or by their transposed derivative; filtered in layers.
template <bool Transposed>
__device__ __forceinline__ void pass_along_zeta(float* slots, const PlanePml& layers) {
    constexpr Filtered what = Transposed ? FORCE : DERIVATIVE;
    ZetaFilters filters(layers);
    filters.template read<what>(layers, 0);
#pragma unroll 1
    for (int i = 0; i < N; ++i) {
        filters.take();
        if (i + 1 < N) filters.template read<what>(layers, i + 1);
#pragma unroll
        for (int c = 0; c < C; ++c) {
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
                column[33 * k] = filters.apply(sum, c, k);
            }
        }
        filters.template write<what>(layers, i);
    }
}

// Derivatives in the plane of a thread: the one along xi overwrites the field, the one along eta is stored in `eta`.
__device__ __forceinline__ void derive_plane(float (&field)[C][N * N], float (&eta)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int p = 0; p < N * N; ++p) {
            eta[c][p] = 0;
#pragma unroll
            for (int m = 0; m < N; ++m) {
                if (gll4::derivative(p / N, m) != 0.0f) eta[c][p] = op::fma(gll4::derivative(p / N, m), field[c][p % N + N * m], eta[c][p]);
            }
        }
#pragma unroll
        for (int j = 0; j < N; ++j) {
            float row[N];
#pragma unroll
            for (int i = 0; i < N; ++i) row[i] = field[c][i + N * j];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                float xi = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    if (gll4::derivative(i, m) != 0.0f) xi = op::fma(gll4::derivative(i, m), row[m], xi);
                }
                field[c][i + N * j] = xi;
            }
        }
    }
}

// Rotates the rows of a plane by one; the first becomes the last. N rotations restore the original order.
__device__ __forceinline__ void rotate_rows(float (&plane)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float first = plane[c][i];
#pragma unroll
            for (int j = 0; j + 1 < N; ++j) plane[c][i + N * j] = plane[c][i + N * (j + 1)];
            plane[c][i + N * (N - 1)] = first;
        }
    }
}

// Applies the law at every point of the plane of a thread: fluxes overwrite derivatives, along xi and eta in registers, along zeta in the slots.
__device__ __forceinline__ void pass_over_plane(Plane& geometry, Sites& sites, const PlaneRelaxation& relaxation, float minus_weight_zeta, float (&xi)[C][N * N],
                                                float (&eta)[C][N * N], float* slots) {
#pragma unroll(LAW::rolled ? 1 : N)
    for (int j = 0; j < N; ++j) {
        geometry.row(j);
        sites.row(j);
        float* row_slots = slots + slot_of(0, j, 0);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            float reference[C][3], jacobian[3][3], flux[3][C];
            Site<LAW, float> site;
            sites.load(i, j, site);
#pragma unroll
            for (int c = 0; c < C; ++c) {
                reference[c][0] = xi[c][i];
                reference[c][1] = eta[c][i];
                reference[c][2] = row_slots[c * COMPONENT + slot_of(i, 0, 0)];
            }
            geometry.jacobian(i, jacobian);
            const float minus_weight = minus_weight_zeta * (gll4::weight(i) * pick<gll4::weight>(j));
            if (relaxes(i)) {
                point_flux<LAW>(jacobian, minus_weight, reference, site, relaxation.at(i, j), flux);
            } else {
                point_flux<LAW>(jacobian, minus_weight, reference, site, Elastic(), flux);
            }
#pragma unroll
            for (int c = 0; c < C; ++c) {
                xi[c][i] = flux[0][c];
                eta[c][i] = flux[1][c];
                row_slots[c * COMPONENT + slot_of(i, 0, 0)] = flux[2][c];
            }
        }
        // The next row moves to the position of the first, so that register indices are constants even if the loop is not unrolled.
        rotate_rows(xi);
        rotate_rows(eta);
    }
}

// Transposed derivatives of the fluxes along xi in the plane of a thread, which overwrite them.
__device__ __forceinline__ void diverge_along_xi(float (&xi)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            float row[N];
#pragma unroll
            for (int i = 0; i < N; ++i) row[i] = xi[c][i + N * j];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                float force = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) force = op::fma(gll4::derivative(m, i), row[m], force);
                xi[c][i + N * j] = force;
            }
        }
    }
}

// The same along eta.
__device__ __forceinline__ void diverge_along_eta(float (&eta)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            float column[N];
#pragma unroll
            for (int j = 0; j < N; ++j) column[j] = eta[c][i + N * j];
#pragma unroll
            for (int j = 0; j < N; ++j) {
                float force = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) force = op::fma(gll4::derivative(m, j), column[m], force);
                eta[c][i + N * j] = force;
            }
        }
    }
}

// Adds a plane of values to another.
__device__ __forceinline__ void add_plane(float (&sum)[C][N * N], const float (&added)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int p = 0; p < N * N; ++p) sum[c][p] += added[c][p];
    }
}

// Transposed derivatives of the fluxes in the plane of a thread: the forces overwrite the fluxes along xi.
__device__ __forceinline__ void diverge_plane(float (&xi)[C][N * N], const float (&eta)[C][N * N]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            float row[N];
#pragma unroll
            for (int i = 0; i < N; ++i) row[i] = xi[c][i + N * j];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                // Summed in the order of the contributing points: row by row, and in this row xi before eta at each point.
                float force = 0;
#pragma unroll
                for (int p = 0; p < N * N; ++p) {
                    const bool in_row = p / N == j, in_column = p % N == i;
                    const float along_xi = gll4::derivative(p % N, i), along_eta = gll4::derivative(p / N, j);
                    // Force (i, j) gets the contribution along eta of point (i, j) before that along xi if j < i.
                    if (in_row && in_column && j < i && along_eta != 0.0f) force = op::fma(along_eta, eta[c][p], force);
                    if (in_row && along_xi != 0.0f) force = op::fma(along_xi, row[p % N], force);
                    if (in_column && !(in_row && j < i) && along_eta != 0.0f) force = op::fma(along_eta, eta[c][p], force);
                }
                xi[c][i + N * j] = force;
            }
        }
    }
}

}  // namespace
}  // namespace craton
