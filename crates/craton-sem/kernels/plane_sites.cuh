// Parameters and axis of the law at the points of the plane that a thread owns.
//
// Compile-time: LAW (a law of element.cuh), VARIES (0: one set of parameters per element; 1: floats at every point; 2: 15-bit integers at every point).

#pragma once

#include "element.cuh"
#include "patch_shape.cuh"

namespace craton {
namespace {

// Values of an element in shared memory: the parameters of its law, or scale and offsets of 15-bit integers, then its axis.
constexpr bool PACKED = VARIES == 2;
constexpr int STAGED_MATERIAL = PACKED ? 1 + LAW::parameters : VARIES ? 0 : LAW::parameters;
constexpr int STAGED = STAGED_MATERIAL + (LAW::has_axis ? 12 : 0);

// 32-bit words of the parameters of a row of points, for one thread: 15-bit integers in halves of words, or floats.
constexpr int ROW_WORDS = PACKED ? (N * LAW::parameters + 1) / 2 : VARIES ? N * LAW::parameters : 0;

// 2 + number / 16384 from the lower or the upper half of a word: the 15 bits become the leading mantissa bits of a float between 2 and 4.
__device__ __forceinline__ float unpacked(unsigned word, int half) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(__byte_perm(word, 0x40000000u, half ? 0x7324 : 0x7104));
#else
    union {
        unsigned bits;
        float value;
    } number = {0x40000000u | ((half ? word >> 16 : word & 0xffffu) << 8)};
    return number.value;
#endif
}

struct Sites {
    const float* staged;    // of the element, values `ELEMENTS` apart
    const unsigned* words;  // of the plane, `PLANES` apart
    float at_zeta[3];       // the axis at xi = eta = 0
    float at_row[3];        // the axis at xi = 0
#if !VARIES
    float constant[LAW::rolled ? 1 : LAW::parameters];
#endif

    __device__ __forceinline__ Sites(const float* staged, const unsigned* words, float zeta) : staged(staged), words(words) {
#if !VARIES
        if (!LAW::rolled) {
#pragma unroll
            for (int q = 0; q < LAW::parameters; ++q) constant[q] = staged[q * ELEMENTS];
        }
#endif
        if (LAW::has_axis) {
#pragma unroll
            for (int c = 0; c < 3; ++c) at_zeta[c] = op::fma(zeta, axis(3, c), axis(0, c));
        }
    }

    // A coefficient of the axis of the element.
    __device__ __forceinline__ float axis(int coefficient, int component) const {
        return staged[(STAGED_MATERIAL + 3 * coefficient + component) * ELEMENTS];
    }

    // Prepares row j of the plane.
    __device__ __forceinline__ void row(int j) {
        if (LAW::has_axis) {
#pragma unroll
            for (int c = 0; c < 3; ++c) at_row[c] = op::fma(pick<gll4::point>(j), axis(2, c), at_zeta[c]);
        }
        // Prefetches the parameters of the next row.
        if (ROW_WORDS > 0 && threadIdx.x == 0 && j + 1 < N) prefetch(words + (j + 1) * ROW_WORDS * PLANES, ROW_WORDS * PLANES * 4);
    }

    // Reads parameters and axis at point (i, j).
    __device__ __forceinline__ void load(int i, int j, Site<LAW, float>& site) const {
#pragma unroll
        for (int q = 0; q < LAW::parameters; ++q) {
#if VARIES
            const unsigned* own = words + j * ROW_WORDS * PLANES;
            const int number = i * LAW::parameters + q;
            if (PACKED) {
                site.parameters[q] = op::fma(unpacked(own[number / 2 * PLANES], number % 2), staged[0], staged[(1 + q) * ELEMENTS]);
            } else {
                site.parameters[q] = ((const float*)own)[number * PLANES];
            }
#else
            site.parameters[q] = LAW::rolled ? staged[q * ELEMENTS] : constant[LAW::rolled ? 0 : q];
#endif
        }
        if (LAW::has_axis) {
            float squares = 0;
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                site.axis[c] = op::fma(gll4::point(i), axis(1, c), at_row[c]);
                squares = op::fma(site.axis[c], site.axis[c], squares);
            }
            const float scale = op::fma(-0.5f, squares, 1.5f);
#pragma unroll
            for (int c = 0; c < 3; ++c) site.axis[c] = op::mul(scale, site.axis[c]);
        }
    }
};

// Whether a row or plane of points has relaxing ones, their number along an axis, and the place of one of them there.
__device__ __forceinline__ constexpr bool relaxes(int index) {
    return RELAXES == 3 || (RELAXES == 2 && index > 0 && index + 1 < N) || (RELAXES == 1 && index % 2 == 1);
}
constexpr unsigned RELAXING = RELAXES == 1 ? 2 : RELAXES == 2 ? N - 2 : N;
__device__ __forceinline__ constexpr unsigned relaxing_place(int index) {
    return RELAXES == 1 ? index / 2 : RELAXES == 2 ? index - 1 : index;
}

// Planes of a patch at which moduli relax, and the relaxing points of each.
constexpr unsigned RELAXING_PLANES = RELAXING * ELEMENTS;
constexpr unsigned RELAXING_POINTS = RELAXING * RELAXING;
constexpr unsigned MODULI_STEP = VARIES ? RELAXING_PLANES : ELEMENTS;

// The mechanisms of a point of a plane. The memory variables of the usual number of mechanisms are loaded together, so that their latencies overlap.
struct PlaneMechanisms {
    static constexpr unsigned USUAL = 3;
    Mechanisms<float> all;

    __device__ __forceinline__ void operator()(const float (&gradient)[3][3], float (&stress)[6]) const {
        if (all.count != USUAL) {
            all(gradient, stress);
            return;
        }
        float variables[USUAL][6];
#pragma unroll
        for (unsigned l = 0; l < USUAL; ++l) {
#pragma unroll
            for (unsigned c = 0; c < 6; ++c) variables[l][c] = all.memory[(6 * l + c) * (size_t)all.stride];
        }
#pragma unroll
        for (unsigned l = 0; l < USUAL; ++l) {
            const float both[2] = {all.moduli[2 * l * all.step], all.moduli[(2 * l + 1) * all.step]};
            relax(all.decays[l], both, variables[l], gradient, stress, stress, variables[l]);
#pragma unroll
            for (unsigned c = 0; c < 6; ++c) all.memory[(6 * l + c) * (size_t)all.stride] = variables[l][c];
        }
    }
};

// Relaxation at the points of the plane that a thread owns.
struct PlaneRelaxation {
    unsigned count;  // of mechanisms; 0 in a plane that does not relax
    const float* decays;
    const float* moduli;
    float* memory;

    // `moduli[patch][relaxing point][mechanism][lambda_l, mu_l][relaxing plane]`, or `[patch][mechanism][lambda_l, mu_l][element]`;
    // `memory[patch][relaxing point][mechanism][variable][relaxing plane]`.
    __device__ __forceinline__ PlaneRelaxation(unsigned count, const float* decays, const float* moduli, float* memory, unsigned element,
                                               unsigned k)
        : count(relaxes(k) ? count : 0), decays(decays) {
        const unsigned plane = RELAXING * element + (relaxes(k) ? relaxing_place(k) : 0);
        this->moduli = moduli + (size_t)blockIdx.x * 2 * count * (VARIES ? RELAXING_POINTS : 1) * MODULI_STEP + (VARIES ? plane : element);
        this->memory = memory + (size_t)blockIdx.x * 6 * count * RELAXING_POINTS * RELAXING_PLANES + plane;
    }

    // The mechanisms of a relaxing point.
    __device__ __forceinline__ PlaneMechanisms at(int i, int j) const {
        const unsigned point = relaxing_place(i) + RELAXING * relaxing_place(j);
        return {{relaxes(j) ? count : 0, decays, moduli + (VARIES ? point * 2 * count * RELAXING_PLANES : 0),
                 MODULI_STEP, memory + point * 6 * count * RELAXING_PLANES, RELAXING_PLANES}};
    }
};

}  // namespace
}  // namespace craton
