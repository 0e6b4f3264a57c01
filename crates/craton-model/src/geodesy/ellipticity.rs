//! The hydrostatic figure of the Earth: the ellipticity of its surfaces of equal density, to first order.
//!
//! A surface of mean radius r has the radius r (1 - 2/3 e(r) P2(sin latitude)). The ellipticity e solves Clairaut's equation for the densities of
//! PREM, in the form of Radau: with y = (r/e) de/dr,
//!
//! r dy/dr = 6 + y - y^2 - 6 (y + 1) rho / mean density below r,
//!
//! and y = 5 m / (2 e) - 2 at the surface, where m = (angular speed)^2 a^3 / (G mass).
//!
//! Source: Jeffreys (1976), The Earth, 6th edition, section 4.03; Dahlen & Tromp (1998), Theoretical Global Seismology, section 14.1.

use std::sync::LazyLock;

use super::EARTH_RADIUS;
use crate::{EarthModel, ReferenceEarth, ReferenceOptions};

/// Angular speed of the rotation of the Earth \[rad/s\].
const ROTATION: f64 = 7.292_115e-5;
/// Gravitational constant times the mass of the Earth \[m3/s2\].
const GRAVITY_OF_MASS: f64 = 3.986_004_418e14;
/// Number of steps from the centre to the surface.
const STEPS: usize = 6371;
/// Iterations from a radius to its mean radius; each one reduces the error by a factor of about 1000.
const ITERATIONS: usize = 4;

static ELLIPTICITIES: LazyLock<Vec<f64>> = LazyLock::new(ellipticities);

/// Ellipticity, the relative difference between the equatorial and polar radius, of the surface of this mean radius \[m\].
pub(super) fn ellipticity(mean_radius: f64) -> f64 {
    let table = &*ELLIPTICITIES;
    let place = (mean_radius / EARTH_RADIUS * STEPS as f64).clamp(0.0, STEPS as f64);
    let below = (place as usize).min(STEPS - 1);
    table[below] + (place - below as f64) * (table[below + 1] - table[below])
}

/// Radius over mean radius of a surface at a sine of the geocentric latitude.
pub(super) fn stretch(mean_radius: f64, sine: f64) -> f64 {
    1.0 - ellipticity(mean_radius) * (sine * sine - 1.0 / 3.0)
}

/// Mean radius \[m\] of the surface through a point at this radius \[m\] and sine of the geocentric latitude.
pub(super) fn mean_radius(radius: f64, sine: f64) -> f64 {
    (0..ITERATIONS).fold(radius, |mean, _| radius / stretch(mean, sine))
}

/// Ellipticities at equal steps of the radius, from the centre to the surface.
fn ellipticities() -> Vec<f64> {
    let slopes = slopes();
    let m = ROTATION.powi(2) * EARTH_RADIUS.powi(3) / GRAVITY_OF_MASS;
    let mut values = vec![2.5 * m / (slopes[STEPS] + 2.0); STEPS + 1];
    for step in (1..STEPS).rev() {
        // de/e = y dr/r, by the midpoint of the step.
        let slope = 0.5 * (slopes[step] + slopes[step + 1]);
        values[step] = values[step + 1] * (-slope / (step as f64 + 0.5)).exp();
    }
    values[0] = values[1];
    values
}

/// Radau's y at equal steps of the radius: 0 at the centre.
fn slopes() -> Vec<f64> {
    let density = densities();
    let mut slopes = vec![0.0; STEPS + 1];
    // Integral of density times radius squared, in steps.
    let mut below = 0.0;
    for step in 0..STEPS {
        let (near, middle, far) = (step as f64, step as f64 + 0.5, step as f64 + 1.0);
        let shell = |from: f64, to: f64| density[step] * (to.powi(3) - from.powi(3)) / 3.0;
        let share = |radius: f64| density[step] * radius.powi(3) / 3.0 / (below + shell(near, radius));
        let rate = |radius: f64, y: f64| (6.0 + y - y * y - 6.0 * (y + 1.0) * share(radius)) / radius;
        let y: f64 = slopes[step];
        let halfway = if step == 0 { 0.0 } else { y + 0.5 * rate(near, y) };
        slopes[step + 1] = y + rate(middle, halfway);
        below += shell(near, far);
    }
    slopes
}

/// Density \[kg/m3\] of PREM in the middle of each step.
fn densities() -> Vec<f64> {
    let model = EarthModel::reference(ReferenceEarth::Prem, ReferenceOptions::default(), -EARTH_RADIUS)
        .expect("PREM reaches to the centre");
    let at = |step: usize| {
        let position = [0.0, 0.0, ((step as f64 + 0.5) / STEPS as f64 - 1.0) * EARTH_RADIUS];
        model.medium(model.region_at(position), position).rho()
    };
    (0..STEPS).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_of_prem_has_its_published_flattening() {
        // Hydrostatic flattenings of PREM: 1/299.9 at the surface to first order, 1/392 at the core-mantle boundary, 1/413 at the inner-core boundary.
        for (depth, inverse) in [(0.0, 299.9), (2891e3, 392.4), (5149.5e3, 412.6)] {
            let found = 1.0 / ellipticity(EARTH_RADIUS - depth);
            assert!((found / inverse - 1.0).abs() < 2e-3, "1/{found} at {depth} m");
        }
    }

    #[test]
    fn a_homogeneous_earth_would_have_one_ellipticity() {
        // 5 m / 4 for y = 0; the inner core is nearly homogeneous.
        let [centre, inner] = [0.0, 400e3].map(ellipticity);
        assert!((inner / centre - 1.0).abs() < 1e-3);
    }

    #[test]
    fn mean_radii_and_radii_are_inverse() {
        for mean in [1.0, 700e3, 3480e3, EARTH_RADIUS, EARTH_RADIUS + 8e3] {
            for sine in [-1.0, 0.0, 0.3, 1.0] {
                let radius = mean * stretch(mean, sine);
                assert!((mean_radius(radius, sine) - mean).abs() < 1e-6);
            }
        }
    }
}
