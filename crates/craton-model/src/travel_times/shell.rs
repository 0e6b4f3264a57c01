//! Rays in one thin shell, where the speed is a power of the radius.

/// Time and angle of a part of a ray.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Share {
    /// Time \[s\].
    pub time: f64,
    /// Angle at the centre of the Earth \[rad\].
    pub angle: f64,
}

impl Share {
    /// Adds another contribution, multiplied by `times`.
    pub fn plus(self, times: f64, other: Self) -> Self {
        Self { time: self.time + times * other.time, angle: self.angle + times * other.angle }
    }
}

/// A shell in which v = a rᵇ, for one wave type.
///
/// Let u = r / v, the ray parameter of the ray that turns at r, and q = √(u² - p²), with dr / r = du / ((1 - b) u). Then
///
///   T = ∫ u² / (r q) dr = q / (1 - b),  Δ = ∫ p / (r q) dr = arccos(p / u) / (1 - b) = arctan(q / p) / (1 - b)
///
/// evaluated between the ends of the shell, or from the turning point, where q = 0, to the top. Differences across a shell are computed
/// without cancellation, so that b = 1 (all rays are spirals) is not a special case.
///
/// # Source
/// Bullen & Bolt (1985), An introduction to the theory of seismology, section 7.3; Aki & Richards (2002), Quantitative seismology,
/// section 9.3, for the integrals.
/// Verified by `closed_forms_are_the_integrals`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shell {
    /// Radii of its top and bottom \[m\].
    pub radius: [f64; 2],
    /// u at its top and bottom \[s/rad\]; 0 at both if this wave type does not propagate.
    pub u: [f64; 2],
    /// ln(r_top / r_bottom).
    thickness: f64,
    /// ln(u_top / u_bottom) = (1 - b) ln(r_top / r_bottom).
    rise: f64,
    /// (u_top - u_bottom) / ln(u_top / u_bottom).
    mean: f64,
}

impl Shell {
    /// Creates the shell between two radii \[m\] with given speeds \[m/s\] at its top and bottom. In a shell that contains the centre of
    /// the Earth, the speed is that of the top. A speed of 0 means that this wave type does not propagate.
    pub fn new(radius: [f64; 2], speed: [f64; 2]) -> Self {
        let speed = if radius[1] == 0.0 { [speed[0]; 2] } else { speed };
        let u = if speed.contains(&0.0) { [0.0; 2] } else { [radius[0] / speed[0], radius[1] / speed[1]] };
        let thickness = (radius[0] / radius[1]).ln();
        let rise = ((u[0] - u[1]) / u[1]).ln_1p();
        let mean = if rise == 0.0 { u[0] } else { (u[0] - u[1]) / rise };
        Self { radius, u, thickness, rise, mean }
    }

    /// Whether this wave type propagates.
    pub fn is_open(&self) -> bool {
        self.u[0] > 0.0
    }

    /// Largest ray parameter \[s/rad\] of rays that cross the shell.
    pub fn opening(&self) -> f64 {
        self.u[0].min(self.u[1])
    }

    /// 1 / (1 - b).
    fn exponent(&self) -> f64 {
        if self.radius[1] == 0.0 { 1.0 } else { self.thickness / self.rise }
    }

    /// Crosses the shell once, with p \[s/rad\] up to [`Self::opening`].
    pub fn through(&self, p: f64) -> Share {
        let [top, bottom] = self.u.map(|u| root(u, p));
        let slope = self.mean * (self.u[0] + self.u[1]) / (top + bottom);
        let angle = match self.rise == 0.0 {
            true => self.thickness * p / top,
            false => self.thickness / self.rise * (p * self.rise * slope).atan2(p * p + top * bottom),
        };
        Share { time: self.thickness * slope, angle }
    }

    /// From the top to the turning point, once, with p \[s/rad\] between the values of u at both ends.
    pub fn turning(&self, p: f64) -> Share {
        let top = root(self.u[0], p);
        Share { time: self.exponent() * top, angle: self.exponent() * top.atan2(p) }
    }

    /// Radius of the turning point \[m\].
    pub fn turning_radius(&self, p: f64) -> f64 {
        (self.radius[0] * (self.exponent() * (p / self.u[0]).ln()).exp()).clamp(self.radius[1], self.radius[0])
    }
}

/// √(u² - p²), 0 if p exceeds u by round-off.
fn root(u: f64, p: f64) -> f64 {
    ((u - p) * (u + p)).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrals over the shell by the midpoint rule in x, where r = r_top + (r_low - r_top) (1 - x²), which is regular at the turning
    /// point.
    fn integrals(shell: &Shell, b: f64, low: f64, p: f64) -> [f64; 2] {
        let (top, n) = (shell.radius[0], 200_000);
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            let at = |k: i32| {
                let x = (f64::from(k) + 0.5) / f64::from(n);
                let r = low + (top - low) * x * x;
                let u = shell.u[0] * (r / top).powf(1.0 - b);
                f(r, u) * 2.0 * x * (top - low) / f64::from(n)
            };
            (0..n).map(at).sum()
        };
        let q = |u: f64| (u * u - p * p).sqrt();
        [sum(&|r, u| u * u / (r * q(u))), sum(&|r, u| p / (r * q(u)))]
    }

    #[test]
    fn closed_forms_are_the_integrals() {
        let radius = [6.0e6, 5.5e6];
        for b in [-3.0, -0.5, 0.0, 0.7, 1.0, 1.5] {
            let speed = radius.map(|r: f64| 8000.0 * (r / 6.0e6).powf(b));
            let shell = Shell::new(radius, speed);
            for p in [0.0, 0.5, 0.95].map(|part| part * shell.opening()) {
                let (got, [time, angle]) = (shell.through(p), integrals(&shell, b, radius[1], p));
                assert!(
                    (got.time - time).abs() < 1e-7 && (got.angle - angle).abs() < 1e-9,
                    "{b} {p} {got:?} {time} {angle}"
                );
            }
            if b < 1.0 {
                let p = 0.5 * (shell.u[0] + shell.u[1]);
                let (got, low) = (shell.turning(p), shell.turning_radius(p));
                assert!((low / 6.0e6 - (p / shell.u[0]).powf(1.0 / (1.0 - b))).abs() < 1e-12);
                let [time, angle] = integrals(&shell, b, low, p);
                assert!(
                    (got.time - time).abs() < 1e-3 && (got.angle - angle).abs() < 1e-5,
                    "{b} {got:?} {time} {angle}"
                );
            }
        }
    }

    #[test]
    fn a_ray_that_grazes_the_bottom_turns_there() {
        let shell = Shell::new([6.0e6, 5.99e6], [8000.0, 8010.0]);
        let (through, turning) = (shell.through(shell.u[1]), shell.turning(shell.u[1]));
        assert!((through.time - turning.time).abs() < 1e-9 && (through.angle - turning.angle).abs() < 1e-12);
        assert!((shell.turning_radius(shell.u[1]) - 5.99e6).abs() < 1e-6);
    }
}
