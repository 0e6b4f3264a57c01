//! The isotropic solid whose bulk and shear moduli relax.

use crate::laws::Law;
use crate::real::Real;
use crate::tensor::Sym3;

/// An isotropic solid with L standard linear solids for its bulk and its shear modulus.
///
/// ```text
/// σ = κ (tr ε - Σ_l Yκ_l tr ζ_l) I + 2 μ dev(ε - Σ_l Yμ_l ζ_l),   ζ_l' + ω_l ζ_l = ω_l ε
/// ```
///
/// Parameters: unrelaxed κ and μ [Pa], then for each mechanism [`decay`] of its rate, Yκ_l and Yμ_l [–].
///
/// Memory: for each mechanism the six numbers s = a ζ + b ε. The trapezoidal rule, ζ(n) = a ζ(n-1) + b (ε(n) + ε(n-1)), becomes ζ = s + b ε and
/// s ← a s + b (1 + a) ε, which does not need the strain of the last step.
///
/// # Source
/// Emmerich & Korn (1987), Geophysics 52, 1252-1264. Verified by `the_law_has_the_complex_moduli_of_its_mechanisms`.
#[derive(Clone, Copy, Debug)]
pub struct Viscoelastic<const L: usize>;

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

impl<const L: usize> Law for Viscoelastic<L> {
    const NAME: &'static str = "viscoelastic";
    const PARAMETERS: usize = 2 + 3 * L;
    const MEMORY: usize = 6 * L;

    #[inline(always)]
    fn stress<R: Real>(
        parameters: impl Fn(usize) -> R,
        _axis: [R; 3],
        memory: &mut [R],
        grad_u: [[R; 3]; 3],
    ) -> Sym3<R> {
        let [[ux_x, ux_y, ux_z], [uy_x, uy_y, uy_z], [uz_x, uz_y, uz_z]] = grad_u;
        // Normal strains, and twice the shear strains.
        let strain = [ux_x, uy_y, uz_z, uy_z + uz_y, ux_z + uz_x, ux_y + uy_x];
        let (mut sheared, mut dilatation) = (strain, ux_x + uy_y + uz_z);
        for l in 0..L {
            let [decay, bulk, shear] = [0, 1, 2].map(|p| parameters(2 + 3 * l + p));
            let gain = R::constant(-0.5).mul_add(decay, R::constant(0.5));
            let kept = decay.mul_add(gain, gain);
            let (minus_bulk, minus_shear) = (R::constant(0.0) - bulk, R::constant(0.0) - shear);
            let mut relaxed = strain;
            for c in 0..6 {
                let memory = &mut memory[6 * l + c];
                relaxed[c] = gain.mul_add(strain[c], *memory);
                *memory = decay.mul_add(*memory, kept * strain[c]);
                sheared[c] = minus_shear.mul_add(relaxed[c], sheared[c]);
            }
            dilatation = minus_bulk.mul_add(relaxed[0] + relaxed[1] + relaxed[2], dilatation);
        }
        let (kappa, mu) = (parameters(0), parameters(1));
        let third = R::constant(-2.0 / 3.0) * (sheared[0] + sheared[1] + sheared[2]);
        let pressure = kappa.mul_add(dilatation, mu * third);
        let two_mu = mu + mu;
        Sym3 {
            xx: two_mu.mul_add(sheared[0], pressure),
            yy: two_mu.mul_add(sheared[1], pressure),
            zz: two_mu.mul_add(sheared[2], pressure),
            yz: mu * sheared[3],
            xz: mu * sheared[4],
            xy: mu * sheared[5],
        }
    }
}
