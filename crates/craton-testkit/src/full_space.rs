//! Waves of point sources in an unbounded isotropic solid, in closed form.
//!
//! Near, intermediate and far field are included without approximation, so the solutions are exact for any source history whose integrals are known.

use std::f64::consts::PI;

/// An unbounded isotropic solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullSpace {
    /// Speed of P waves [m/s].
    pub vp: f64,
    /// Speed of S waves [m/s].
    pub vs: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

/// The history f(t) of a force or moment, with its derivative and integrals; all vanish long before the source acts.
///
/// The history of a force gives displacement; its derivative gives velocity.
pub struct History<'a> {
    /// f′ [1/s].
    pub rate: Box<dyn Fn(f64) -> f64 + 'a>,
    /// f [–].
    pub value: Box<dyn Fn(f64) -> f64 + 'a>,
    /// ∫ f [s].
    pub integral: Box<dyn Fn(f64) -> f64 + 'a>,
    /// ∬ f [s²].
    pub double_integral: Box<dyn Fn(f64) -> f64 + 'a>,
}

impl History<'_> {
    /// ∫ τ f(t - τ) dτ between two travel times, integrated by parts: the near-field history.
    fn near(&self, t: f64, [first, last]: [f64; 2]) -> f64 {
        let end = |travel: f64| travel * (self.integral)(t - travel) + (self.double_integral)(t - travel);
        end(first) - end(last)
    }
}

impl FullSpace {
    /// Displacement [m] of a point force.
    ///
    /// # Arguments
    /// * `force` – F [N]; it acts as F f(t)
    /// * `history` – f; with f′ in its place the result is velocity [m/s]
    /// * `offset` – from the source to the receiver [m]
    /// * `times` – where to evaluate [s]
    /// # Returns
    /// Components x, y, z, one value per time
    /// # Source
    /// Aki & Richards (2002), Quantitative Seismology, equation 4.23. Verified by `references::force_equals_the_reference`.
    pub fn of_force(&self, force: [f64; 3], history: &History, offset: [f64; 3], times: &[f64]) -> [Vec<f64>; 3] {
        let Self { vp, vs, rho } = *self;
        let (r, g) = split(offset);
        let along = dot(g, force);
        let scale = 1.0 / (4.0 * PI * rho);
        let near = |i: usize| scale * (3.0 * g[i] * along - force[i]) / r.powi(3);
        let far_p = |i: usize| scale * g[i] * along / (vp * vp * r);
        let far_s = |i: usize| scale * (force[i] - g[i] * along) / (vs * vs * r);
        let travel = [r / vp, r / vs];
        [0, 1, 2].map(|i| {
            let at = |&t: &f64| {
                near(i) * history.near(t, travel)
                    + far_p(i) * (history.value)(t - travel[0])
                    + far_s(i) * (history.value)(t - travel[1])
            };
            times.iter().map(at).collect()
        })
    }

    /// Displacement [m] of a moment tensor.
    ///
    /// # Arguments
    /// * `moment` – M [N m], xx, yy, zz, yz, xz, xy; it acts as M f(t)
    /// * `history` – f; with f′ in its place the result is velocity [m/s]
    /// * `offset` – from the source to the receiver [m]
    /// * `times` – where to evaluate [s]
    /// # Returns
    /// Components x, y, z, one value per time
    /// # Source
    /// Aki & Richards (2002), equation 4.29, contracted for a symmetric tensor: with g the direction, m = M g and q = g · m, the sums
    /// over pairs of indices become g q, g tr M and m. Verified by `references::moment_equals_the_reference`.
    pub fn of_moment(&self, moment: [f64; 6], history: &History, offset: [f64; 3], times: &[f64]) -> [Vec<f64>; 3] {
        let Self { vp, vs, rho } = *self;
        let (r, g) = split(offset);
        let [xx, yy, zz, yz, xz, xy] = moment;
        let m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| dot(row, g));
        let (q, trace) = (dot(g, m), xx + yy + zz);
        let scale = 1.0 / (4.0 * PI * rho);
        let pattern = |i: usize| 6.0 * g[i] * q - g[i] * trace - 2.0 * m[i];
        let near = |i: usize| scale * (15.0 * g[i] * q - 3.0 * g[i] * trace - 6.0 * m[i]) / r.powi(4);
        let middle_p = |i: usize| scale * pattern(i) / (vp * r).powi(2);
        let middle_s = |i: usize| -scale * (pattern(i) - m[i]) / (vs * r).powi(2);
        let far_p = |i: usize| scale * g[i] * q / (vp.powi(3) * r);
        let far_s = |i: usize| scale * (m[i] - g[i] * q) / (vs.powi(3) * r);
        let travel = [r / vp, r / vs];
        [0, 1, 2].map(|i| {
            let at = |&t: &f64| {
                let [p, s] = travel.map(|travel| t - travel);
                near(i) * history.near(t, travel)
                    + middle_p(i) * (history.value)(p)
                    + middle_s(i) * (history.value)(s)
                    + far_p(i) * (history.rate)(p)
                    + far_s(i) * (history.rate)(s)
            };
            times.iter().map(at).collect()
        })
    }
}

/// A Gaussian of unit area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    /// Standard deviation [s].
    pub sigma: f64,
    /// Time of its peak [s].
    pub centre: f64,
}

impl Gaussian {
    /// The Gaussian itself, s(t) [1/s], as the history.
    pub fn pulse(self) -> History<'static> {
        History {
            rate: Box::new(move |t| self.slope(t)),
            value: Box::new(move |t| self.value(t)),
            integral: Box::new(move |t| self.step_value(t)),
            double_integral: Box::new(move |t| self.ramp(t)),
        }
    }

    /// Its integral, a smooth step from 0 to 1, as the history.
    pub fn step(self) -> History<'static> {
        History {
            rate: Box::new(move |t| self.value(t)),
            value: Box::new(move |t| self.step_value(t)),
            integral: Box::new(move |t| self.ramp(t)),
            double_integral: Box::new(move |t| self.bend(t)),
        }
    }

    /// s(t) [1/s].
    pub fn value(&self, t: f64) -> f64 {
        let x = (t - self.centre) / self.sigma;
        (-0.5 * x * x).exp() / ((2.0 * PI).sqrt() * self.sigma)
    }

    fn slope(&self, t: f64) -> f64 {
        -(t - self.centre) / self.sigma.powi(2) * self.value(t)
    }

    /// ∫ s, from the complementary error function, which is accurate where it is small.
    pub fn step_value(&self, t: f64) -> f64 {
        0.5 * libm::erfc((self.centre - t) / (self.sigma * std::f64::consts::SQRT_2))
    }

    fn ramp(&self, t: f64) -> f64 {
        (t - self.centre) * self.step_value(t) + self.sigma.powi(2) * self.value(t)
    }

    fn bend(&self, t: f64) -> f64 {
        let (x, variance) = (t - self.centre, self.sigma.powi(2));
        0.5 * ((x * x + variance) * self.step_value(t) + x * variance * self.value(t))
    }
}

/// Length and direction of a vector.
fn split(vector: [f64; 3]) -> (f64, [f64; 3]) {
    let length = dot(vector, vector).sqrt();
    (length, vector.map(|x| x / length))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
