//! Relaxation of stress: the memory variables of solids whose moduli relax.

use crate::real::Real;
use crate::tensor::Sym3;

/// Memory variables of a mechanism at a point: the normal strains and twice the shear strains.
pub const MEMORY: usize = 6;

/// Factor a = (1 - ω dt / 2) / (1 + ω dt / 2) by which a memory variable decays in a step [–].
///
/// The trapezoidal rule replaces the angular frequency ω of a wave by (2/dt) tan(ω dt/2). The leapfrog of the wave, which the transform of time dispersion
/// undoes, replaces it by (2/dt) sin(ω dt/2). After the transform the modulus is that at a frequency 1 / cos(ω dt/2) times as high: with a constant
/// quality factor, an error of (ω dt)² / (8 π Q) in phase speed.
///
/// # Arguments
/// * `rate` – relaxation rate ω_l [rad/s]
/// * `dt` – time step [s]
pub fn decay(rate: f64, dt: f64) -> f64 {
    (1.0 - 0.5 * rate * dt) / (1.0 + 0.5 * rate * dt)
}

/// Subtracts from the unrelaxed stress at a point what a mechanism has relaxed, and advances its memory by one time step.
///
/// ```text
/// σ ← σ - λ_l tr ζ I - 2 μ_l ζ,   ζ' + ω_l ζ = ω_l ε
/// ```
///
/// The trapezoidal rule, ζ(n) = a ζ(n-1) + b (ε(n) + ε(n-1)) with b = (1 - a) / 2, becomes ζ = s + b ε and s ← a ζ + b ε, which does not need the strain of
/// the last step.
///
/// # Arguments
/// * `decay` – [`decay`] of the rate of the mechanism [–]
/// * `moduli` – λ_l = κ_U Yκ_l - 2/3 μ_U Yμ_l and μ_l = μ_U Yμ_l, with the coefficients of [`Relaxation`](crate::Relaxation) [Pa]
/// * `memory` – s: normal strains and twice the shear strains
/// * `grad_u` – ∂uᵢ/∂xⱼ [–], row = component i
/// * `stress` – σ [Pa]
/// # Returns
/// σ [Pa] and s after the step
/// # Source
/// Emmerich & Korn (1987), Geophysics 52, 1252-1264. Verified by `relaxed_stress_has_the_complex_moduli_of_its_mechanisms`.
#[inline(always)]
pub fn relax<R: Real>(
    decay: R,
    [lambda, mu]: [R; 2],
    memory: [R; MEMORY],
    grad_u: [[R; 3]; 3],
    stress: Sym3<R>,
) -> (Sym3<R>, [R; MEMORY]) {
    let [[ux_x, ux_y, ux_z], [uy_x, uy_y, uy_z], [uz_x, uz_y, uz_z]] = grad_u;
    let strain = [ux_x, uy_y, uz_z, uy_z + uz_y, ux_z + uz_x, ux_y + uy_x];
    let gain = R::constant(-0.5).mul_add(decay, R::constant(0.5));
    let (mut relaxed, mut advanced) = (strain, memory);
    for c in 0..MEMORY {
        let gained = gain * strain[c];
        relaxed[c] = memory[c] + gained;
        advanced[c] = decay.mul_add(relaxed[c], gained);
    }
    let (minus_mu, minus_two_mu) = (-mu, -(mu + mu));
    let pressure = lambda * (relaxed[0] + relaxed[1] + relaxed[2]);
    let stress = Sym3 {
        xx: minus_two_mu.mul_add(relaxed[0], stress.xx - pressure),
        yy: minus_two_mu.mul_add(relaxed[1], stress.yy - pressure),
        zz: minus_two_mu.mul_add(relaxed[2], stress.zz - pressure),
        yz: minus_mu.mul_add(relaxed[3], stress.yz),
        xz: minus_mu.mul_add(relaxed[4], stress.xz),
        xy: minus_mu.mul_add(relaxed[5], stress.xy),
    };
    (stress, advanced)
}
