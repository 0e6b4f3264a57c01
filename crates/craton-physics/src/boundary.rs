//! Laws at a boundary point of the domain.

use crate::real::Real;
use crate::tensor::Sym3;

/// Damping of a first-order absorbing boundary.
///
/// Applied to the particle velocity it gives minus the traction of a plane wave leaving the domain along the normal: ρ vp n nᵀ + ρ vs (I − n nᵀ).
///
/// # Arguments
/// * `rho` – density [kg/m³]
/// * `vp`, `vs` – speeds of P and S waves [m/s]
/// * `normal` – outward unit normal [–]
/// # Returns
/// The damping per area [Pa s/m]
/// # Source
/// Clayton & Engquist (1977), first-order paraxial approximation in the form of Stacey (1988).
/// Verified by `damping_passes_p_along_the_normal_and_s_across`.
#[inline(always)]
pub fn paraxial_damping<R: Real>(rho: R, vp: R, vs: R, normal: [R; 3]) -> Sym3<R> {
    let [x, y, z] = normal;
    let across = rho * vs;
    let excess = rho * (vp - vs);
    Sym3 {
        xx: (excess * x).mul_add(x, across),
        yy: (excess * y).mul_add(y, across),
        zz: (excess * z).mul_add(z, across),
        yz: excess * y * z,
        xz: excess * x * z,
        xy: excess * x * y,
    }
}
