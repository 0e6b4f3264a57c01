//! Laws on a staggered grid: rates of stress and velocity, and averages of material properties at points between cells.
//!
//! Air cells have zero moduli. The averages then produce the free surface: zero shear modulus at an edge that touches air, half the mass at a face.

use crate::real::Real;

/// Shear modulus at an edge between four cells: the harmonic mean, zero if one of the moduli is zero.
///
/// μ = 4 / (1/μ₁ + 1/μ₂ + 1/μ₃ + 1/μ₄)
///
/// # Arguments
/// * `inverse` – 1/μ of the cells [1/Pa], infinite in a fluid and in air
/// # Source
/// Moczo et al. (2002), Bulletin of the Seismological Society of America 92, 3042-3066, equation 18. Verified by
/// `harmonic_mean_of_moduli_vanishes_next_to_a_fluid`.
#[inline(always)]
pub fn edge_modulus<R: Real>(inverse: [R; 4]) -> R {
    let [a, b, c, d] = inverse;
    R::constant(4.0) / ((a + b) + (c + d))
}

/// Buoyancy at the face between two cells: reciprocal of the arithmetic mean of their densities [m³/kg].
///
/// # Arguments
/// * `rho` – densities of the cells [kg/m³], infinite for rigid cells
/// # Source
/// Moczo et al. (2002), equation 17. Verified by `buoyancy_is_that_of_the_mean_density`.
#[inline(always)]
pub fn face_buoyancy<R: Real>(rho: [R; 2]) -> R {
    R::constant(2.0) / (rho[0] + rho[1])
}

/// Rate of an acoustic field from spatial derivatives: that of pressure from the velocity derivatives along all axes, that of a velocity component from one
/// pressure derivative.
///
/// ∂p/∂t = -κ ∇·v, ∂v/∂t = -(1/ρ) ∂p/∂x
///
/// # Arguments
/// * `factor` – -κ [Pa], or minus the buoyancy [m³/kg]; multiplied by the time step, the result is the change per step
/// * `slopes` – spatial derivatives
/// # Source
/// Virieux (1984), Geophysics 49, 1933-1957, without shear.
#[inline(always)]
pub fn acoustic_rate<R: Real, const D: usize>(factor: R, slopes: [R; D]) -> R {
    let mut sum = slopes[0];
    for slope in &slopes[1..] {
        sum = sum + *slope;
    }
    factor * sum
}

/// Rates of the normal stresses of an isotropic solid at the centre of a cell [Pa/s], xx, yy, zz.
///
/// dσᵢᵢ/dt = λ div v + 2 μ ∂vᵢ/∂xᵢ
///
/// # Arguments
/// * `lambda` – λ [Pa]
/// * `inverse_mu` – 1/μ [1/Pa], infinite in a fluid and in air
/// * `slopes` – ∂vᵢ/∂xᵢ [1/s]
/// # Source
/// Aki & Richards (2002), section 2.2. Verified by `staggered_rates_are_those_of_the_isotropic_law`.
#[inline(always)]
pub fn normal_stress_rates<R: Real>(lambda: R, inverse_mu: R, slopes: [R; 3]) -> [R; 3] {
    let two_mu = R::constant(2.0) / inverse_mu;
    let dilatation = lambda * (slopes[0] + slopes[1] + slopes[2]);
    slopes.map(|slope| two_mu.mul_add(slope, dilatation))
}

/// Rate of a shear stress of an isotropic solid at an edge [Pa/s]: dσᵢⱼ/dt = μ (∂vᵢ/∂xⱼ + ∂vⱼ/∂xᵢ).
///
/// # Arguments
/// * `mu` – [`edge_modulus`] [Pa]
/// * `slopes` – the two derivatives [1/s]
/// # Source
/// Aki & Richards (2002), section 2.2. Verified by `staggered_rates_are_those_of_the_isotropic_law`.
#[inline(always)]
pub fn shear_stress_rate<R: Real>(mu: R, slopes: [R; 2]) -> R {
    mu * (slopes[0] + slopes[1])
}

/// Slopes ∂vᵢ/∂xᵢ from which the law of a cell's isotropic average gives the normal stresses of its orthorhombic average [1/s].
///
/// # Arguments
/// * `mixing` – inverse of the isotropic stiffness times the orthorhombic one, row by row [–]
/// * `slopes` – ∂vᵢ/∂xᵢ [1/s]
/// # Source
/// [`crate::Orthorhombic`]. Verified by `mixed_slopes_give_the_stress_of_the_orthorhombic_average`.
#[inline(always)]
pub fn mixed_slopes<R: Real>(mixing: [R; 9], [x, y, z]: [R; 3]) -> [R; 3] {
    let row = |first: usize| mixing[first].mul_add(x, mixing[first + 1].mul_add(y, mixing[first + 2] * z));
    [row(0), row(3), row(6)]
}
