//! A line source of P waves below the free surface of an elastic half-space.

use std::f64::consts::PI;

use craton_fft::Complex64;

/// A half-space with a line source along y.
#[derive(Debug, Clone, Copy)]
pub struct BuriedLine {
    /// Speed of P waves [m/s].
    pub alpha: f64,
    /// Speed of S waves [m/s].
    pub beta: f64,
    /// Density [kg/m³].
    pub rho: f64,
    /// Depth of the source [m].
    pub depth: f64,
}

impl BuriedLine {
    /// Velocity along x and upwards [m/s] of a point of the free surface.
    ///
    /// The source emits the pressure of (1/α²) ∂²p/∂t² - ∇²p = s(t) δ(x) δ(z). With the incident slowness p, γ = 1/β² - 2 p² and
    /// R = γ² + 4 p² η_α η_β, the velocity is (s * g) / (2π ρ), g = Re F(p(t)) / √(t² - r²/α²), F = (4 p η_α η_β, 2 η_α γ) / (β² R), on
    /// Cagniard's path p(t).
    ///
    /// # Arguments
    /// * `x` – horizontal distance \[m\], less than that at which P waves arrive with the slowness 1/α
    /// * `pulse` – s(t), zero before time 0 \[Pa\]
    /// # Source
    /// Garvin (1956), Proceedings of the Royal Society A 234, 528-541.
    pub fn velocity(&self, x: f64, t: f64, pulse: impl Fn(f64) -> f64) -> [f64; 2] {
        const INTERVALS: usize = 4000;
        let Self { alpha, beta, rho, depth } = *self;
        let r = x.hypot(depth);
        let step = (t * alpha / r).max(1.0).acosh() / INTERVALS as f64;
        // With t = r/α cosh θ, dt / √(t² - r²/α²) is dθ.
        let at = |theta: f64| {
            let [tau, root] = [theta.cosh(), theta.sinh()].map(|factor| r / alpha * factor);
            let p = Complex64::new(x * tau, depth * root) / (r * r);
            let [of_p, of_s] = [alpha, beta].map(|speed| (Complex64::from(1.0 / (speed * speed)) - p * p).sqrt());
            let gamma = Complex64::from(1.0 / (beta * beta)) - p * p * 2.0;
            let scale = (gamma * gamma + p * p * of_p * of_s * 4.0) * (beta * beta);
            let factors = [p * of_p * of_s * 4.0 / scale, of_p * gamma * 2.0 / scale];
            factors.map(|factor| pulse(t - tau) * factor.re)
        };
        let mut sums = [0.0; 2];
        for number in 0..INTERVALS {
            let values = at((number as f64 + 0.5) * step);
            sums = [0, 1].map(|component| sums[component] + step * values[component]);
        }
        sums.map(|sum| sum / (2.0 * PI * rho))
    }
}
