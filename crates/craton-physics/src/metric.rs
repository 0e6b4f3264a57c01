//! Geometry of a mapped element at one point: Jacobian, gradients and fluxes.

use crate::real::Real;
use crate::tensor::{Sym3, cross, dot};

/// Cofactors and determinant of a mapping's Jacobian.
///
/// # Arguments
/// * `jacobian` – `jacobian[a][i]` = ∂xᵢ/∂ξₐ [m]
/// # Returns
/// `cofactors[a][i]` = det ∂ξₐ/∂xᵢ [m²], and det [m³], positive for a right-handed element
/// # Source
/// Rows of the inverse as cross products of the covariant basis.
/// Verified by `cofactors_times_jacobian_is_the_determinant`.
#[inline(always)]
pub fn metric<R: Real>(jacobian: [[R; 3]; 3]) -> ([[R; 3]; 3], R) {
    let [xi, eta, zeta] = jacobian;
    let cofactors = [cross(eta, zeta), cross(zeta, xi), cross(xi, eta)];
    (cofactors, dot(xi, cofactors[0]))
}

/// The physical gradient of a field of `C` components, from its gradient on the reference cube.
///
/// # Arguments
/// * `cofactors` – from [`metric`] [m²]
/// * `inverse_det` – 1/det [1/m³]
/// * `reference_gradient` – `[i][a]` = ∂uᵢ/∂ξₐ
/// # Returns
/// `[i][j]` = ∂uᵢ/∂xⱼ
/// # Source
/// The chain rule. Verified by `linear_fields_have_their_gradient`.
#[inline(always)]
pub fn physical_gradient<R: Real, const C: usize>(
    cofactors: [[R; 3]; 3],
    inverse_det: R,
    reference_gradient: [[R; 3]; C],
) -> [[R; 3]; C] {
    let [[a_x, a_y, a_z], [b_x, b_y, b_z], [c_x, c_y, c_z]] = cofactors;
    let (x, y, z) = ([a_x, b_x, c_x], [a_y, b_y, c_y], [a_z, b_z, c_z]);
    let mut gradient = reference_gradient;
    for along in &mut gradient {
        *along = [inverse_det * dot(x, *along), inverse_det * dot(y, *along), inverse_det * dot(z, *along)];
    }
    gradient
}

/// The stress transformed to a flux through the faces of the reference cube.
///
/// Contracted with ∂wᵢ/∂ξₐ it is the density, on the reference cube, of the virtual work σ : ∇w of a test field w.
///
/// # Arguments
/// * `cofactors` – from [`metric`] [m²]
/// * `stress` – σ [Pa]
/// # Returns
/// `[a][i]` = Σⱼ cofactors\[a\]\[j\] σᵢⱼ [N]
/// # Source
/// The Piola transform. Verified by `reference_flux_does_the_virtual_work_of_the_stress`.
#[inline(always)]
pub fn reference_flux<R: Real>(cofactors: [[R; 3]; 3], stress: Sym3<R>) -> [[R; 3]; 3] {
    let [xi, eta, zeta] = cofactors;
    [stress.apply(xi), stress.apply(eta), stress.apply(zeta)]
}

/// A vector transformed to a flux through the faces of the reference cube.
///
/// # Arguments
/// * `cofactors` – from [`metric`] [m²]
/// * `vector` – q
/// # Returns
/// `[a]` = Σⱼ cofactors\[a\]\[j\] qⱼ
/// # Source
/// The Piola transform. Verified by `scalar_flux_is_that_of_a_row_of_stress`.
#[inline(always)]
pub fn scalar_flux<R: Real>(cofactors: [[R; 3]; 3], vector: [R; 3]) -> [R; 3] {
    let [xi, eta, zeta] = cofactors;
    [dot(xi, vector), dot(eta, vector), dot(zeta, vector)]
}
