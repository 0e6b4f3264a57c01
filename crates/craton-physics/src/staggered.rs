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

/// Coefficient Y of a modulus in a mechanism, as a polynomial of its loss 1/Q [–].
///
/// # Arguments
/// * `polynomial` – coefficients of 1/Q, 1/Q², 1/Q³
#[inline(always)]
pub fn relaxing_part<R: Real>(loss: R, [a, b, c]: [R; 3]) -> R {
    loss * loss.mul_add(loss.mul_add(c, b), a)
}

/// Rates of the normal stresses that a mechanism relaxes at the centre of a cell [Pa/s], xx, yy, zz: [`normal_stress_rates`] with κ Yκ and μ Yμ.
///
/// # Arguments
/// * `lambda`, `inverse_mu`, `slopes` – of [`normal_stress_rates`]; unrelaxed moduli
/// * `losses` – 1/Qκ [–] and 1/(μ Qμ) [1/Pa]
/// * `polynomials` – of Yκ and Yμ, for [`relaxing_part`]
/// # Source
/// Verified by `relaxing_rates_are_those_of_the_relaxing_moduli`.
#[inline(always)]
pub fn relaxing_normal_rates<R: Real>(
    lambda: R,
    inverse_mu: R,
    losses: [R; 2],
    polynomials: [[R; 3]; 2],
    slopes: [R; 3],
) -> [R; 3] {
    let two_thirds = R::constant(2.0 / 3.0);
    let mu = R::constant(1.0) / inverse_mu;
    let kappa = two_thirds.mul_add(mu, lambda);
    let relaxing_mu = mu * relaxing_part(mu * losses[1], polynomials[1]);
    let relaxing_kappa = kappa * relaxing_part(losses[0], polynomials[0]);
    let relaxing_lambda = (-two_thirds).mul_add(relaxing_mu, relaxing_kappa);
    let dilatation = relaxing_lambda * (slopes[0] + slopes[1] + slopes[2]);
    let two_mu = relaxing_mu + relaxing_mu;
    slopes.map(|slope| two_mu.mul_add(slope, dilatation))
}

/// Rate of the shear stress that a mechanism relaxes at an edge between four cells [Pa/s].
///
/// The complex modulus of the edge is the harmonic mean of those of the cells, to first order in their losses: its loss is μ times their mean 1/(μ Qμ).
///
/// # Arguments
/// * `mu` – [`edge_modulus`] of the unrelaxed moduli [Pa]
/// * `losses` – 1/(μ Qμ) of the cells [1/Pa]
/// * `polynomial` – of Yμ, for [`relaxing_part`]
/// * `slopes` – of [`shear_stress_rate`]
/// # Source
/// Verified by `relaxing_rates_are_those_of_the_relaxing_moduli`.
#[inline(always)]
pub fn relaxing_shear_rate<R: Real>(mu: R, losses: [R; 4], polynomial: [R; 3], slopes: [R; 2]) -> R {
    let [a, b, c, d] = losses;
    let loss = R::constant(0.25) * mu * ((a + b) + (c + d));
    mu * relaxing_part(loss, polynomial) * (slopes[0] + slopes[1])
}

/// Advances the memory variable of a stress component in a mechanism by a time step.
///
/// The variable s is the part of the stress that the mechanism has not yet relaxed, s' + ω s = M Y ε'. By the trapezoidal rule,
/// s(n+1) = a s(n) + b Δr with b = (1 + a) / 2 and Δr = M Y Δε; the stress changes by s(n+1) - s(n) - Δr in addition to its unrelaxed change.
///
/// # Arguments
/// * `decay` – factor a of the mechanism, [`decay`](crate::decay) [–]
/// * `change` – Δr: the time step times [`relaxing_normal_rates`] or [`relaxing_shear_rate`] [Pa]
/// * `memory` – s(n) [Pa]
/// # Returns
/// s(n+1), and the additional change of stress [Pa]
/// # Source
/// Emmerich & Korn (1987), Geophysics 52, 1252-1264, in terms of stress. Verified by `staggered_memory_has_the_complex_modulus_of_its_mechanism`.
#[inline(always)]
pub fn relax_stress<R: Real>(decay: R, change: R, memory: R) -> [R; 2] {
    let gain = R::constant(0.5).mul_add(decay, R::constant(0.5));
    let moved = decay.mul_add(memory, gain * change);
    [moved, (moved - memory) - change]
}

/// Advances the memory variable of the pressure of a fluid in a mechanism by a time step: [`relax_stress`] with Y from the loss of the cell.
///
/// # Arguments
/// * `decay` – factor of the mechanism, [`decay`](crate::decay) [–]
/// * `loss` – 1/Q of the cell [–]
/// * `polynomial` – of Y, for [`relaxing_part`]
/// * `change` – unrelaxed change of pressure: the time step times [`acoustic_rate`] [Pa]
/// * `memory` – value of the variable before the step [Pa]
/// # Returns
/// The value after the step, and the additional change of pressure [Pa]
/// # Source
/// [`relax_stress`]. Verified by `staggered_memory_has_the_complex_modulus_of_its_mechanism`.
#[inline(always)]
pub fn relax_pressure<R: Real>(decay: R, loss: R, polynomial: [R; 3], change: R, memory: R) -> [R; 2] {
    relax_stress(decay, relaxing_part(loss, polynomial) * change, memory)
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
