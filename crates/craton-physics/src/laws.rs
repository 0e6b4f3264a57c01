//! Constitutive laws: stress from the gradient of displacement, at one point.

use crate::real::Real;
use crate::tensor::Sym3;

/// A constitutive law: how many parameters it reads at a point, and the stress they give.
pub trait Law: Copy + Send + Sync + 'static {
    /// Parameters read at each point.
    const PARAMETERS: usize;

    /// The law's name in messages and in the names of kernels.
    const NAME: &'static str;

    /// The stress at a point.
    ///
    /// # Arguments
    /// * `parameters` – parameter `p` of the point, `p` from 0 to [`PARAMETERS`](Law::PARAMETERS)` - 1`
    /// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, grad_u: [[R; 3]; 3]) -> Sym3<R>;
}

/// The isotropic elastic solid; its parameters are λ and μ [Pa].
#[derive(Clone, Copy, Debug)]
pub struct Isotropic;

impl Law for Isotropic {
    const PARAMETERS: usize = 2;
    const NAME: &'static str = "isotropic";

    #[inline(always)]
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, grad_u: [[R; 3]; 3]) -> Sym3<R> {
        stress_isotropic(parameters(0), parameters(1), grad_u)
    }
}

/// The general elastic solid; its parameters are the 21 coefficients of [`stress_anisotropic`] [Pa].
#[derive(Clone, Copy, Debug)]
pub struct Anisotropic;

impl Law for Anisotropic {
    const PARAMETERS: usize = 21;
    const NAME: &'static str = "anisotropic";

    #[inline(always)]
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, grad_u: [[R; 3]; 3]) -> Sym3<R> {
        stress_from_coefficients(parameters, grad_u)
    }
}

/// Stress of an isotropic elastic solid at one point.
///
/// σ = λ tr(ε) I + 2 μ ε,  ε = ½ (∇u + ∇uᵀ)
///
/// # Arguments
/// * `lambda`, `mu` – Lamé parameters [Pa]
/// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
/// # Returns
/// σ [Pa]
/// # Domain
/// `mu` = 0 is a fluid. The values are checked where a model is read, not here.
/// # Source
/// Aki & Richards (2002), Quantitative Seismology, section 2.2.
/// Verified by `isotropic_equals_its_21_coefficients`.
#[inline(always)]
pub fn stress_isotropic<R: Real>(lambda: R, mu: R, grad_u: [[R; 3]; 3]) -> Sym3<R> {
    let [[ux_x, ux_y, ux_z], [uy_x, uy_y, uy_z], [uz_x, uz_y, uz_z]] = grad_u;
    let dilatation = lambda * (ux_x + uy_y + uz_z);
    let two_mu = mu + mu;
    Sym3 {
        xx: two_mu.mul_add(ux_x, dilatation),
        yy: two_mu.mul_add(uy_y, dilatation),
        zz: two_mu.mul_add(uz_z, dilatation),
        yz: mu * (uy_z + uz_y),
        xz: mu * (ux_z + uz_x),
        xy: mu * (ux_y + uy_x),
    }
}

/// Stress of a general elastic solid at one point.
///
/// σ = c ε with ε = (ε_xx, ε_yy, ε_zz, 2 ε_yz, 2 ε_xz, 2 ε_xy)
///
/// # Arguments
/// * `c` – upper triangle, row by row, of the symmetric 6 × 6 matrix of coefficients [Pa] in Voigt order
/// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
/// # Returns
/// σ [Pa]
/// # Domain
/// The matrix is positive definite; [`Stiffness::check`](crate::Stiffness::check) refuses others.
/// # Source
/// Carcione (2015), Wave Fields in Real Media, section 1.1.
/// Verified by `isotropic_equals_its_21_coefficients`.
#[inline(always)]
pub fn stress_anisotropic<R: Real>(c: &[R; 21], grad_u: [[R; 3]; 3]) -> Sym3<R> {
    stress_from_coefficients(|index| c[index], grad_u)
}

/// The general law with coefficients fetched one by one: each is used twice and can stay in memory until then.
#[inline(always)]
fn stress_from_coefficients<R: Real>(c: impl Fn(usize) -> R, grad_u: [[R; 3]; 3]) -> Sym3<R> {
    let [[ux_x, ux_y, ux_z], [uy_x, uy_y, uy_z], [uz_x, uz_y, uz_z]] = grad_u;
    let strain = [ux_x, uy_y, uz_z, uy_z + uz_y, ux_z + uz_x, ux_y + uy_x];
    Sym3 {
        xx: dot6([c(0), c(1), c(2), c(3), c(4), c(5)], strain),
        yy: dot6([c(1), c(6), c(7), c(8), c(9), c(10)], strain),
        zz: dot6([c(2), c(7), c(11), c(12), c(13), c(14)], strain),
        yz: dot6([c(3), c(8), c(12), c(15), c(16), c(17)], strain),
        xz: dot6([c(4), c(9), c(13), c(16), c(18), c(19)], strain),
        xy: dot6([c(5), c(10), c(14), c(17), c(19), c(20)], strain),
    }
}

/// One row of the matrix of coefficients against the strain.
#[inline(always)]
fn dot6<R: Real>(row: [R; 6], strain: [R; 6]) -> R {
    let normal = row[2].mul_add(strain[2], row[1].mul_add(strain[1], row[0] * strain[0]));
    row[5].mul_add(strain[5], row[4].mul_add(strain[4], row[3].mul_add(strain[3], normal)))
}
