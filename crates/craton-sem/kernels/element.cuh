// The element kernel at a point: geometry, gradient, law, flux. Generic over precision, law and control nodes, and independent of the mesh.

#pragma once

#include "laws.cuh"

namespace craton {

// a / b for b of ordinary magnitude; in single precision on a GPU, accurate to two units in the last place.
CRATON_LAW float quotient(float a, float b) {
#if defined(__CUDA_ARCH__)
    float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
    return op::mul(a, reciprocal);
#else
    return a / b;
#endif
}
CRATON_LAW double quotient(double a, double b) { return op::div(a, b); }

// Whether parameters are constant in every element; only patch kernels know this at compile time.
#if defined(VARIES)
#define CRATON_CONSTANT_SITES (VARIES == 0)
#else
#define CRATON_CONSTANT_SITES false
#endif

// The laws in the form that kernels use: numbers of parameters and memory variables per point, and the stress. Only laws with an axis read `axis`; only
// laws with memory read and write `memory`. `rolled`: the patch kernel does not unroll its loop over rows, because the unrolled code does not fit in
// the instruction cache.
struct Isotropic {
    static constexpr int parameters = 2, memory = 0;
    static constexpr bool has_axis = false, rolled = CRATON_CONSTANT_SITES;
    template <class Real, int M>
    static CRATON_LAW void stress(const Real (&parameters)[2], const Real (&)[3], Real (&)[M], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_isotropic(parameters, gradient, stress);
    }
};
struct TransverselyIsotropic {
    static constexpr int parameters = 5, memory = 0;
    static constexpr bool has_axis = true, rolled = true;
    template <class Real, int M>
    static CRATON_LAW void stress(const Real (&parameters)[5], const Real (&axis)[3], Real (&)[M], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_transversely_isotropic(parameters, axis, gradient, stress);
    }
};
struct Anisotropic {
    static constexpr int parameters = 21, memory = 0;
    static constexpr bool has_axis = false, rolled = true;
    template <class Real, int M>
    static CRATON_LAW void stress(const Real (&parameters)[21], const Real (&)[3], Real (&)[M], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_anisotropic(parameters, gradient, stress);
    }
};
struct Fading {
    static constexpr int parameters = 2, memory = 6;
    static constexpr bool has_axis = false, rolled = false;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[2], const Real (&)[3], Real (&memory)[6], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_fading(parameters, memory, gradient, stress, memory);
    }
};

// Parameters, axis and memory variables of a law at a point, in registers.
template <class Law, class Real>
struct Site {
    Real parameters[Law::parameters];
    Real axis[3];
    Real memory[Law::memory > 0 ? Law::memory : 1];
};

// Computes the fluxes along the reference axes, quadrature weight included, `flux[axis][component]`; the memory of the site advances by one step.
//
// `reference[component][axis]` is the gradient on the reference cube. The stress is linear in the gradient, so the gradient is multiplied by the
// weight (negative, because forces are -K u) over the determinant.
template <class Law, class Real>
CRATON_LAW void point_flux(const Real (&jacobian)[3][3], Real minus_weight, const Real (&reference)[3][3], Site<Law, Real>& site,
                           Real (&flux)[3][3]) {
    Real cofactors[3][3], det, gradient[3][3], stress[6];
    metric(jacobian, cofactors, det);
    physical_gradient(cofactors, quotient(minus_weight, det), reference, gradient);
    Law::stress(site.parameters, site.axis, site.memory, gradient, stress);
    reference_flux(cofactors, stress, flux);
}

}  // namespace craton
