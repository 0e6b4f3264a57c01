// Paraxial damping of nodes on absorbing boundaries.
//
// Compile-time: REAL.

#pragma once

#include "device.cuh"

namespace craton {

// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v. Both tensors in the order xx, yy, zz, yz, xz, xy; a fluid uses the first value.
struct Absorbing {
    REAL damping[6];       // C [kg/s]
    REAL dt_over_mass[6];  // dt (M + dt/2 C)^-1 [s/kg]
};

template <int Components>
__device__ __forceinline__ void apply(const REAL (&t)[6], const REAL (&v)[Components], REAL (&out)[Components]) {
    if constexpr (Components == 1) {
        out[0] = t[0] * v[0];
    } else {
        out[0] = t[0] * v[0] + t[5] * v[1] + t[4] * v[2];
        out[1] = t[5] * v[0] + t[1] * v[1] + t[3] * v[2];
        out[2] = t[4] * v[0] + t[3] * v[1] + t[2] * v[2];
    }
}

}  // namespace craton
