//! Constitutive laws: stress from the gradient of displacement, at one point.

use crate::real::Real;
use crate::tensor::{Sym3, dot};

/// The constitutive law of a solid, generic over the scalar; kernels of spectral elements are compiled for a law.
///
/// A law declares its parameters per point; kernels load them and evaluate [`stress`](Law::stress). A law must be linear in the gradient, because
/// kernels multiply the gradient by the quadrature weight. Its moduli may relax: see [`relax`](crate::relax).
pub trait Law: Copy + Send + Sync + 'static {
    /// The law's name in messages and in the names of kernels.
    const NAME: &'static str;

    /// Parameters read at each point.
    const PARAMETERS: usize;

    /// Whether the law has a symmetry axis, given by [`unit_axis`] of 12 numbers per element.
    const HAS_AXIS: bool = false;

    /// The stress at a point.
    ///
    /// # Arguments
    /// * `parameters` – parameter `p` of the point, `p` from 0 to [`PARAMETERS`](Law::PARAMETERS)` - 1`
    /// * `axis` – unit symmetry axis [–], if the law [has one](Law::HAS_AXIS)
    /// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, axis: [R; 3], grad_u: [[R; 3]; 3]) -> Sym3<R>;
}

/// The isotropic elastic solid; its parameters are λ and μ [Pa].
#[derive(Clone, Copy, Debug)]
pub struct Isotropic;

impl Law for Isotropic {
    const NAME: &'static str = "isotropic";
    const PARAMETERS: usize = 2;

    #[inline(always)]
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, _axis: [R; 3], grad_u: [[R; 3]; 3]) -> Sym3<R> {
        stress_isotropic(parameters(0), parameters(1), grad_u)
    }
}

/// The transversely isotropic elastic solid; its parameters are the five of [`stress_transversely_isotropic`] [Pa].
#[derive(Clone, Copy, Debug)]
pub struct TransverselyIsotropic;

impl Law for TransverselyIsotropic {
    const NAME: &'static str = "transversely_isotropic";
    const PARAMETERS: usize = 5;
    const HAS_AXIS: bool = true;

    #[inline(always)]
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, axis: [R; 3], grad_u: [[R; 3]; 3]) -> Sym3<R> {
        stress_transversely_isotropic([0, 1, 2, 3, 4].map(parameters), axis, grad_u)
    }
}

/// The general elastic solid; its parameters are the 21 coefficients of [`stress_anisotropic`] [Pa].
#[derive(Clone, Copy, Debug)]
pub struct Anisotropic;

impl Law for Anisotropic {
    const NAME: &'static str = "anisotropic";
    const PARAMETERS: usize = 21;

    #[inline(always)]
    fn stress<R: Real>(parameters: impl Fn(usize) -> R, _axis: [R; 3], grad_u: [[R; 3]; 3]) -> Sym3<R> {
        stress_from_coefficients(parameters, grad_u)
    }
}

/// Displacement of an inviscid fluid, which derives from a scalar potential χ.
///
/// u = ∇χ / ρ; the pressure is -∂²χ/∂t².
///
/// # Arguments
/// * `buoyancy` – 1/ρ [m³/kg]
/// * `gradient` – ∂χ/∂xⱼ [kg/m²]
/// # Returns
/// u [m]
/// # Source
/// Chaljub & Valette (2004), Geophysical Journal International 158, 131-141, without gravity.
/// Verified by `a_fluid_moves_along_the_gradient_of_its_potential`.
#[inline(always)]
pub fn fluid_displacement<R: Real>(buoyancy: R, gradient: [R; 3]) -> [R; 3] {
    let [x, y, z] = gradient;
    [buoyancy * x, buoyancy * y, buoyancy * z]
}

/// The unit axis of an element at a point of the reference cube.
///
/// n = a (3 - a·a) / 2,  a = a₀ + ξ a₁ + η a₂ + ζ a₃: one step of Newton's iteration for a/|a|, whose relative error is 3/8 (a·a - 1)².
///
/// # Arguments
/// * `coefficients` – a₀, a₁, a₂, a₃ [–]; |a| is close to 1
/// * `xi` – ξ, η, ζ
/// # Returns
/// n [–]
/// # Source
/// Verified by `an_axis_is_a_unit_vector_between_its_ends`.
#[inline(always)]
pub fn unit_axis<R: Real>(coefficients: [[R; 3]; 4], xi: [R; 3]) -> [R; 3] {
    let [centre, along_xi, along_eta, along_zeta] = coefficients;
    let axis = [0, 1, 2]
        .map(|c| xi[2].mul_add(along_zeta[c], xi[1].mul_add(along_eta[c], xi[0].mul_add(along_xi[c], centre[c]))));
    let scale = R::constant(-0.5).mul_add(dot(axis, axis), R::constant(1.5));
    axis.map(|a| scale * a)
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

/// Stress of a transversely isotropic elastic solid at one point.
///
/// σ = (λ tr(ε) + α e) I + 2 μ ε + (α tr(ε) + β e) n nᵀ + 2 γ (n (ε n)ᵀ + (ε n) nᵀ),  e = n·ε n
///
/// with λ = A - 2 N, μ = N, α = F - A + 2 N, β = A + C - 2 F - 4 L, γ = L - N of Love's moduli.
///
/// # Arguments
/// * `parameters` – λ, μ, α/2, β/4, γ [Pa]: [`Love::parameters`](crate::Love::parameters)
/// * `n` – symmetry axis, a unit vector [–]
/// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
/// # Returns
/// σ [Pa]
/// # Domain
/// Love's moduli are positive definite; [`Love::check`](crate::Love::check) rejects others.
/// # Source
/// Spencer (1984), Continuum theory of the mechanics of fibre-reinforced composites, equation 37; Love's moduli: Dziewonski & Anderson (1981).
/// Verified by `transversely_isotropic_equals_its_21_coefficients`.
#[inline(always)]
pub fn stress_transversely_isotropic<R: Real>(parameters: [R; 5], n: [R; 3], grad_u: [[R; 3]; 3]) -> Sym3<R> {
    let [lambda, mu, half_alpha, quarter_beta, gamma] = parameters;
    let [[ux_x, ux_y, ux_z], [uy_x, uy_y, uy_z], [uz_x, uz_y, uz_z]] = grad_u;
    // Twice the strain.
    let (xx, yy, zz) = (ux_x + ux_x, uy_y + uy_y, uz_z + uz_z);
    let (yz, xz, xy) = (uy_z + uz_y, ux_z + uz_x, ux_y + uy_x);
    let across = [dot([xx, xy, xz], n), dot([xy, yy, yz], n), dot([xz, yz, zz], n)];
    let along = dot(across, n);
    let trace = ux_x + uy_y + uz_z;
    let pressure = half_alpha.mul_add(along, lambda * trace);
    let tension = quarter_beta.mul_add(along, half_alpha * trace);
    let [px, py, pz] = [0, 1, 2].map(|c| gamma.mul_add(across[c], tension * n[c]));
    let [nx, ny, nz] = n;
    Sym3 {
        xx: (nx + nx).mul_add(px, mu.mul_add(xx, pressure)),
        yy: (ny + ny).mul_add(py, mu.mul_add(yy, pressure)),
        zz: (nz + nz).mul_add(pz, mu.mul_add(zz, pressure)),
        yz: ny.mul_add(pz, nz.mul_add(py, mu * yz)),
        xz: nx.mul_add(pz, nz.mul_add(px, mu * xz)),
        xy: nx.mul_add(py, ny.mul_add(px, mu * xy)),
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
/// The matrix is positive definite; [`Stiffness::check`](crate::Stiffness::check) rejects others.
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
