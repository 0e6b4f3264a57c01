// Absorbing axes of the elements of a patch: filters in the columns and the plane that a thread owns, and the damping of short waves.
//
// Compile-time: PML (0: elements of the domain; 1: zeta absorbs; 3: any axis may absorb, with filters that do nothing along the others).

#pragma once

#include "gll4.cuh"
#include "patch_shape.cuh"
#include "pml.cuh"

#if !defined(PML)
#define PML 0
#endif

namespace craton {
namespace {

// The staged velocities of a patch. Those of inner nodes and of the surface are in different arrays, each at the byte offsets of the displacements.
struct StagedVelocities {
    const float* inner;
    const float* surface;
    unsigned end_inner;                // the first offset of the surface
    const uint4* connection;           // offsets of points 0 to 23 of a thread's plane, in the layout of patch.cu
    const unsigned short* last;        // of point 24

    // Byte offset from `inner` of a node.
    __device__ __forceinline__ int place(unsigned offset) const {
        return offset < end_inner ? (int)offset : (int)offset + (int)((const char*)surface - (const char*)inner);
    }

    // Places of the plane of the thread.
    __device__ __forceinline__ void of_plane(int (&places)[N * N]) const {
#pragma unroll
        for (int q = 0; q < 3; ++q) {
            const uint4 words = connection[q * PLANES + threadIdx.x];
            const unsigned offsets[8] = {words.x & 0xffffu, words.x >> 16, words.y & 0xffffu, words.y >> 16,
                                         words.z & 0xffffu, words.z >> 16, words.w & 0xffffu, words.w >> 16};
#pragma unroll
            for (int h = 0; h < 8; ++h) places[8 * q + h] = place(offsets[h]);
        }
        places[N * N - 1] = place(last[threadIdx.x]);
    }

    // Place of point `p` of the plane of a thread.
    __device__ __forceinline__ int of(unsigned thread, int p) const {
        return place(p == N * N - 1 ? last[thread] : ((const unsigned short*)connection)[(p / 8 * PLANES + thread) * 8 + p % 8]);
    }

    // A component at a place.
    __device__ __forceinline__ float at(int place, int c) const { return *(const float*)((const char*)(inner + c) + place); }
};

// The absorbing axes of the element of a thread.
struct PlanePml {
    // `coefficients[patch][axis][point along it][coefficient][element]`, see `PML_COEFFICIENTS`; zeta first.
    const float* coefficients;
    // `memory[patch][axis][derivative, force][value][plane]`. The values of zeta are `[component][i][k]` of the plane j = const that a thread owns for column
    // passes, the others `[component][point]` of its plane k = const.
    float* memory;

    static constexpr unsigned VALUES = C * N * N;

    __device__ __forceinline__ PlanePml(const float* coefficients, float* memory, unsigned element) {
        if constexpr (PML > 0) {
            this->coefficients = coefficients + (size_t)blockIdx.x * PML * N * PML_COEFFICIENTS * ELEMENTS + element;
            this->memory = memory + (size_t)blockIdx.x * PML * 2 * VALUES * PLANES + threadIdx.x;
        }
    }

    // A coefficient at a point along an axis: 0 zeta, 1 eta, 2 xi.
    __device__ __forceinline__ float at(int axis, int point, int coefficient) const {
        return coefficients[((axis * N + point) * PML_COEFFICIENTS + coefficient) * ELEMENTS];
    }

    __device__ __forceinline__ Filter<float> filter(int axis, int point) const {
        return {at(axis, point, 0), at(axis, point, 1), at(axis, point, 2)};
    }

    // The memory along zeta at point k of column i.
    template <Filtered What>
    __device__ __forceinline__ float& along_zeta(int c, int i, int k) const {
        return memory[(What * VALUES + (c * N + i) * N + k) * PLANES];
    }

    // Prefetches the memory of filters into the L2 cache; called by one thread.
    template <Filtered What>
    __device__ __forceinline__ void bring_nearer() const {
        if constexpr (PML > 0) {
#pragma unroll
            for (int axis = 0; axis < PML; ++axis) {
                prefetch(memory + (size_t)(2 * axis + What) * VALUES * PLANES - threadIdx.x, VALUES * PLANES * 4);
            }
        }
    }

    // Filters values along xi and eta in the plane of the thread, row by row: all memory of a row is read before any is written.
    template <Filtered What>
    __device__ __forceinline__ void filter_plane(float (&xi)[C][N * N], float (&eta)[C][N * N]) const {
        if constexpr (PML > 1) {
            Filter<float> along_xi[N];
#pragma unroll
            for (int i = 0; i < N; ++i) along_xi[i] = filter(2, i);
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const Filter<float> along_eta = filter(1, j);
                float of_xi[C][N], of_eta[C][N];
#pragma unroll
                for (int c = 0; c < C; ++c) {
#pragma unroll
                    for (int i = 0; i < N; ++i) {
                        const unsigned value = What * VALUES + c * N * N + N * j + i;
                        of_eta[c][i] = memory[(2 * VALUES + value) * PLANES];
                        of_xi[c][i] = memory[(4 * VALUES + value) * PLANES];
                    }
                }
#pragma unroll
                for (int c = 0; c < C; ++c) {
#pragma unroll
                    for (int i = 0; i < N; ++i) {
                        const unsigned value = What * VALUES + c * N * N + N * j + i;
                        eta[c][N * j + i] = along_eta(eta[c][N * j + i], of_eta[c][i]);
                        xi[c][N * j + i] = along_xi[i](xi[c][N * j + i], of_xi[c][i]);
                        memory[(2 * VALUES + value) * PLANES] = of_eta[c][i];
                        memory[(4 * VALUES + value) * PLANES] = of_xi[c][i];
                    }
                }
            }
        }
    }

    // Damping of short waves at the points along an axis that may absorb: 0 zeta, 1 eta, 2 xi.
    __device__ __forceinline__ void damping(int axis, float (&along)[N]) const {
#pragma unroll
        for (int point = 0; point < N; ++point) along[point] = axis < PML ? at(axis, point, PML_COEFFICIENTS - 1) : 0.0f;
    }

    // Adds the damping along xi and eta in the plane of the thread to its slots: along each axis, the sum of that of the other axes.
    __device__ __forceinline__ void damp_plane(const StagedVelocities& velocities, float* slots) const {
        const int k = threadIdx.x % N;
        const float weight = pick<gll4::weight>(k), zeta = at(0, k, PML_COEFFICIENTS - 1);
        float eta[N], xi[N];
        damping(1, eta);
        damping(2, xi);
        int places[N * N];
        velocities.of_plane(places);
#pragma unroll 1
        for (int c = 0; c < C; ++c) {
            float v[N * N];
#pragma unroll
            for (int p = 0; p < N * N; ++p) v[p] = velocities.at(places[p], c);
#pragma unroll
            for (int p = 0; p < N * N; ++p) {
                const int i = p % N, j = p / N;
                float along_xi = 0, along_eta = 0;
#pragma unroll
                for (int m = 0; m < N; ++m) {
                    along_xi = op::fma(gll4::short_waves(i, m), v[m + N * j], along_xi);
                    along_eta = op::fma(gll4::short_waves(j, m), v[i + N * m], along_eta);
                }
                const float force = (zeta + eta[j]) * weight * gll4::weight(j) * along_xi + (zeta + xi[i]) * weight * gll4::weight(i) * along_eta;
                slots[c * COMPONENT + slot_of(i, j, 0)] -= force;
            }
        }
    }

    // Adds the damping along zeta in the columns of the thread to their slots.
    __device__ __forceinline__ void damp_columns(const StagedVelocities& velocities, float* slots) const {
        const int j = threadIdx.x % N;
        const unsigned first = threadIdx.x - j;
        const float eta = at(1, j, PML_COEFFICIENTS - 1);
#pragma unroll 1
        for (int i = 0; i < N; ++i) {
            const float factor = eta + at(2, i, PML_COEFFICIENTS - 1), weight = pick<gll4::weight>(i);
            int places[N];
#pragma unroll
            for (int k = 0; k < N; ++k) places[k] = velocities.of(first + k, i + N * j);
#pragma unroll
            for (int c = 0; c < C; ++c) {
                float v[N];
#pragma unroll
                for (int k = 0; k < N; ++k) v[k] = velocities.at(places[k], c);
#pragma unroll
                for (int k = 0; k < N; ++k) {
                    float along_zeta = 0;
#pragma unroll
                    for (int m = 0; m < N; ++m) along_zeta = op::fma(gll4::short_waves(k, m), v[m], along_zeta);
                    slots[c * COMPONENT + 5 * i + 33 * k] -= factor * weight * pick<gll4::weight>(j) * along_zeta;
                }
            }
        }
    }
};

// The filters along zeta of a thread, and the memory of one of its columns.
struct ZetaFilters {
    Filter<float> filters[N];
    float memory[C][N], next[C][N];

    __device__ __forceinline__ explicit ZetaFilters(const PlanePml& layers) {
        if constexpr (PML > 0) {
#pragma unroll
            for (int k = 0; k < N; ++k) filters[k] = layers.filter(0, k);
        }
    }

    // Begins to read the memory of column i, which the next `take` takes.
    template <Filtered What>
    __device__ __forceinline__ void read(const PlanePml& layers, int i) {
        if constexpr (PML > 0) {
#pragma unroll
            for (int c = 0; c < C; ++c) {
#pragma unroll
                for (int k = 0; k < N; ++k) next[c][k] = layers.template along_zeta<What>(c, i, k);
            }
        }
    }

    __device__ __forceinline__ void take() {
        if constexpr (PML > 0) {
#pragma unroll
            for (int c = 0; c < C; ++c) {
#pragma unroll
                for (int k = 0; k < N; ++k) memory[c][k] = next[c][k];
            }
        }
    }

    __device__ __forceinline__ float apply(float value, int c, int k) {
        if constexpr (PML > 0) return filters[k](value, memory[c][k]);
        return value;
    }

    template <Filtered What>
    __device__ __forceinline__ void write(const PlanePml& layers, int i) const {
        if constexpr (PML > 0) {
#pragma unroll
            for (int c = 0; c < C; ++c) {
#pragma unroll
                for (int k = 0; k < N; ++k) layers.template along_zeta<What>(c, i, k) = memory[c][k];
            }
        }
    }
};

}  // namespace
}  // namespace craton
