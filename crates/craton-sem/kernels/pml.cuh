// Absorbing axes of the elements of layers: filters of derivatives and forces along them, and the damping of short waves across them.
//
// The law is that of craton-sem-kernels/src/pml.rs.

#pragma once

#include "device.cuh"
#include "laws.cuh"

namespace craton {

// Coefficients of the filter of an absorbing axis at a point: A, B, 1 / kappa.
template <class Real>
struct Filter {
    Real a, b, inverse;

    // Filters a value, and advances the memory variable of the filter by one step.
    __device__ __forceinline__ Real operator()(Real value, Real& memory) const {
        const Real added = op::mul(a, value), sum = op::add(memory, added);
        memory = op::fma(b, sum, added);
        return op::mul(inverse, op::sub(value, sum));
    }
};

// Coefficients per point of an axis: those of the filter, then the damping of short waves.
constexpr int PML_COEFFICIENTS = 4;

// What a filter applies to: the derivative along its axis, or the force that tests this derivative.
enum Filtered { DERIVATIVE, FORCE };

}  // namespace craton
