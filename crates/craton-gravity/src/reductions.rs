//! Terms of the reduction of observed gravity to anomalies.

use std::f64::consts::PI;

use crate::GRAVITATIONAL_CONSTANT;

/// Surface radius of the spherical cap of Bullard's term B [m]: the outer radius of zone O of Hayford and Bowie.
pub const CAP_RADIUS: f64 = 166_735.0;

/// Radius of the Earth in [`spherical_cap`] [m].
pub const EARTH_RADIUS: f64 = 6_371_000.0;

/// Points and weights of the Gauss-Legendre rule of degree 9 on [-1, 1]; the rule is symmetric.
const RULE: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// Attraction of the Bouguer slab, 2π G ρ h [m/s²], positive down.
///
/// # Arguments
/// * `height` – thickness of the slab [m]; negative for a station below the datum
/// * `density` – [kg/m³]
pub fn bouguer_slab(height: f64, density: f64) -> f64 {
    2.0 * PI * GRAVITATIONAL_CONSTANT * density * height
}

/// Attraction of the spherical cap between the datum and a station above its centre [m/s²], positive down: the slab, bent to the curvature of the Earth and cut
/// off at a distance of [`CAP_RADIUS`] along the surface. Its difference from [`bouguer_slab`] is the curvature correction, Bullard's term B.
///
/// A thin cap of radius s and angle α, seen from radius 1 above its centre, attracts with 2π G ρ s² ∫ (1 - s t) / D³ dt over t from cos α to 1, with
/// D² = 1 + s² - 2 s t. The integrand has the antiderivative (t - s)/D. The integral over s is a Gauss-Legendre sum, which does not cancel as that of LaFehr
/// (1991), An exact solution for the gravity curvature (Bullard B) correction, Geophysics 56, does for small heights. Verified by
/// `normal::the_spherical_cap_matches_its_integral_to_thirty_digits`.
///
/// # Arguments
/// * `height` – of the station above the datum [m]; for a station below it, the cap lies above the station and the result is negative
/// * `density` – [kg/m³]
/// # Domain
/// Heights of -10 km to 10 km: relative error 1e-12.
pub fn spherical_cap(height: f64, density: f64) -> f64 {
    let station = EARTH_RADIUS + height;
    // 1 - cos α.
    let versine = 2.0 * (0.5 * CAP_RADIUS / EARTH_RADIUS).sin().powi(2);
    let term = |&(place, weight): &(f64, f64)| {
        // Depth of a thin cap below the station, relative to the radius of the station.
        let depth = 0.5 * height * (1.0 + place) / station;
        let s = 1.0 - depth;
        let far = (depth * depth + 2.0 * s * versine).sqrt();
        weight * s * s * (1.0_f64.copysign(height) - (depth - versine) / far)
    };
    0.5 * bouguer_slab(height.abs(), density) * RULE.iter().map(term).sum::<f64>()
}

/// Attraction of the atmosphere that is contained in normal gravity, but does not act on a station [m/s²]: to be added to observed gravity, or subtracted from
/// normal gravity.
///
/// Source: Hinze and others (2005), New standards for reducing gravity data, Geophysics 70, equation 5: 0.874 - 9.9e-5 h + 3.56e-9 h² mGal.
///
/// # Arguments
/// * `height` – above the ellipsoid [m]
/// # Domain
/// Heights up to 10 km.
pub fn atmosphere(height: f64) -> f64 {
    1e-5 * (0.874 - 9.9e-5 * height + 3.56e-9 * height * height)
}
