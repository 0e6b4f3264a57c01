// The skeleton at a point: geometry, gradient, law, flux. Generic over precision, law and control nodes; no index of the mesh enters it.

#pragma once

#include "laws.cuh"

namespace craton {

// a / b for b of any usual size; in single precision on a GPU to two units in the last place.
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

// Elastic laws by what they are called with: the number of parameters and the stress.
struct Isotropic {
    static constexpr int parameters = 2;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[2], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_isotropic(parameters, gradient, stress);
    }
};
struct Anisotropic {
    static constexpr int parameters = 21;
    template <class Real>
    static CRATON_LAW void stress(const Real (&parameters)[21], const Real (&gradient)[3][3], Real (&stress)[6]) {
        stress_anisotropic(parameters, gradient, stress);
    }
};

// Fluxes along the reference axes, quadrature weight included, `flux[axis][component]`.
//
// `reference[component][axis]` is the gradient on the reference cube. The stress is linear in the gradient, so the weight (negative: forces are
// -K u) over the determinant rides along with it.
template <class Law, class Real>
CRATON_LAW void point_flux(const Real (&jacobian)[3][3], Real minus_weight, const Real (&reference)[3][3],
                           const Real (&parameters)[Law::parameters], Real (&flux)[3][3]) {
    Real cofactors[3][3], det, gradient[3][3], stress[6];
    metric(jacobian, cofactors, det);
    physical_gradient(cofactors, quotient(minus_weight, det), reference, gradient);
    Law::stress(parameters, gradient, stress);
    reference_flux(cofactors, stress, flux);
}

}  // namespace craton
