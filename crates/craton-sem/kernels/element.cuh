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

// Points of an element at which moduli relax; only patch kernels know this at compile time. 0: none; 1: those with odd indices; 2: those not on a face; 3: all.
#if !defined(RELAXES)
#define RELAXES 0
#endif

// Whether the loop over rows of isotropic points is not unrolled.
#if defined(VARIES)
#define CRATON_ROLLED (VARIES == 0 || RELAXES > 0)
#else
#define CRATON_ROLLED false
#endif

// The laws in the form that kernels use: the numbers of unknowns per node and of parameters per point, and the stress. Only laws with an axis read `axis`. `rolled`: the patch kernel
// does not unroll its loop over rows, because the unrolled code does not fit in the instruction cache.
struct Isotropic {
    static constexpr int components = 3, parameters = 2;
    static constexpr bool has_axis = false, rolled = CRATON_ROLLED;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[2], const Real (&)[3], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_isotropic(parameters, gradient, stress);
    }
};
struct TransverselyIsotropic {
    static constexpr int components = 3, parameters = 5;
    static constexpr bool has_axis = true, rolled = true;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[5], const Real (&axis)[3], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_transversely_isotropic(parameters, axis, gradient, stress);
    }
};
struct Anisotropic {
    static constexpr int components = 3, parameters = 21;
    static constexpr bool has_axis = false, rolled = true;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[21], const Real (&)[3], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_anisotropic(parameters, gradient, stress);
    }
};

// An inviscid fluid, whose unknown is the potential of displacement.
struct Fluid {
    static constexpr int components = 1, parameters = 1;
    static constexpr bool has_axis = false, rolled = true;
};

// Parameters and axis of a law at a point, in registers.
template <class Law, class Real>
struct Site {
    Real parameters[Law::parameters];
    Real axis[3];
};

// An elastic point: nothing relaxes.
struct Elastic {
    template <class Real>
    CRATON_LAW void operator()(const Real (&)[3][3], Real (&)[6]) const {}
};

// The mechanisms of a point: moduli `step` apart, memory variables `stride` apart.
template <class Real>
struct Mechanisms {
    unsigned count;
    const Real* decays;
    const Real* moduli;  // [mechanism][lambda_l, mu_l]
    unsigned step;
    Real* memory;  // [mechanism][variable]
    unsigned stride;

    CRATON_LAW void operator()(const Real (&gradient)[3][3], Real (&stress)[6]) const {
        for (unsigned l = 0; l < count; ++l) {
            Real variables[6];
            Real* own = memory + 6 * l * (size_t)stride;
            for (int c = 0; c < 6; ++c) variables[c] = own[c * stride];
            const Real both[2] = {moduli[2 * l * step], moduli[(2 * l + 1) * step]};
            relax(decays[l], both, variables, gradient, stress, stress, variables);
            for (int c = 0; c < 6; ++c) own[c * stride] = variables[c];
        }
    }
};

// Computes the fluxes along the reference axes, quadrature weight included, `flux[axis][component]`. `relaxation` subtracts what has relaxed from the stress
// at the point.
//
// `reference[component][axis]` is the gradient on the reference cube. The stress is linear in the gradient, so the gradient is multiplied by the
// weight (negative, because forces are -K u) over the determinant.
template <class Law, class Real, class Relaxation>
CRATON_LAW void point_flux(const Real (&jacobian)[3][3], Real minus_weight, const Real (&reference)[3][3], const Site<Law, Real>& site,
                           const Relaxation& relaxation, Real (&flux)[3][3]) {
    Real cofactors[3][3], det, gradient[3][3], stress[6];
    metric(jacobian, cofactors, det);
    physical_gradient(cofactors, quotient(minus_weight, det), reference, gradient);
    Law::stress(site.parameters, site.axis, gradient, stress);
    relaxation(gradient, stress);
    reference_flux(cofactors, stress, flux);
}

// The same in a fluid, where nothing relaxes.
template <class Law, class Real, class Relaxation>
CRATON_LAW void point_flux(const Real (&jacobian)[3][3], Real minus_weight, const Real (&reference)[1][3], const Site<Law, Real>& site,
                           const Relaxation&, Real (&flux)[3][1]) {
    Real cofactors[3][3], det, gradient[3], displacement[3], through[3];
    metric(jacobian, cofactors, det);
    scalar_gradient(cofactors, quotient(minus_weight, det), reference[0], gradient);
    fluid_displacement(site.parameters[0], gradient, displacement);
    scalar_flux(cofactors, displacement, through);
    for (int a = 0; a < 3; ++a) flux[a][0] = through[a];
}

}  // namespace craton
