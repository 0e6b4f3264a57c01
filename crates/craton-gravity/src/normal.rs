//! A reference ellipsoid: geodetic coordinates and normal gravity.

use crate::gauss::rule;

/// A level ellipsoid of revolution that rotates with the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    /// Name for users.
    pub name: &'static str,
    /// Semi-major axis [m].
    pub semimajor: f64,
    /// Flattening.
    pub flattening: f64,
    /// Geocentric gravitational constant [m³/s²].
    pub gm: f64,
    /// Angular velocity [rad/s].
    pub angular_velocity: f64,
}

/// A position in geocentric spherical coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geocentric {
    /// Distance from the centre [m].
    pub radius: f64,
    /// Geocentric latitude [degrees].
    pub latitude: f64,
}

impl Ellipsoid {
    /// Geodetic Reference System 1980. Source: Moritz (2000), Geodetic Reference System 1980, Journal of Geodesy 74.
    pub const GRS80: Self = Self {
        name: "GRS80",
        semimajor: 6_378_137.0,
        flattening: 1.0 / 298.257_222_101,
        gm: 3_986_005.0e8,
        angular_velocity: 7_292_115e-11,
    };

    /// World Geodetic System 1984. Source: NGA (2014), Standard NGA.STND.0036_1.0.0_WGS84, table 3.1.
    pub const WGS84: Self = Self {
        name: "WGS84",
        semimajor: 6_378_137.0,
        flattening: 1.0 / 298.257_223_563,
        gm: 3_986_004.418e8,
        angular_velocity: 7_292_115e-11,
    };

    /// Semi-minor axis [m].
    pub fn semiminor(&self) -> f64 {
        self.semimajor * (1.0 - self.flattening)
    }

    /// Mean radius (2a + b)/3 [m].
    pub fn mean_radius(&self) -> f64 {
        (2.0 * self.semimajor + self.semiminor()) / 3.0
    }

    /// Geocentric radius and latitude of a point.
    ///
    /// # Arguments
    /// * `latitude` – geodetic [degrees]; `height` – above the ellipsoid [m]
    pub fn geocentric(&self, latitude: f64, height: f64) -> Geocentric {
        let [across, along] = self.meridional(latitude, height);
        Geocentric { radius: across.hypot(along), latitude: along.atan2(across).to_degrees() }
    }

    /// The volume between two parallels of geodetic latitude [degrees] and two heights above the ellipsoid [m], per radian of longitude [m³].
    ///
    /// The integrand is the product of the distances from the axis and from the centre of curvature of the meridian; the integral over the height is
    /// exact, that over the latitude has an error of 1e-13 up to 10 degrees. Verified by `geodetic::the_volume_of_cells_is_that_of_the_ellipsoid`.
    pub(crate) fn volume(&self, [south, north]: [f64; 2], [bottom, top]: [f64; 2]) -> f64 {
        let [south, north] = [south.to_radians(), north.to_radians()];
        let squeezed = (1.0 - self.flattening).powi(2);
        let (middle, half) = (0.5 * (bottom + top), 0.5 * (top - bottom));
        let at = |[node, weight]: &[f64; 2]| {
            let (sin, cos) = (0.5 * (south + north) + 0.5 * (north - south) * node).sin_cos();
            let w2 = cos * cos + squeezed * sin * sin;
            let prime_vertical = self.semimajor / w2.sqrt();
            let meridional = squeezed * prime_vertical / w2;
            // The integral of (M + h)(N + h) over the height.
            let product = (meridional + middle) * (prime_vertical + middle) + half * half / 3.0;
            weight * cos * 2.0 * half * product
        };
        0.5 * (north - south) * rule(8).iter().map(at).sum::<f64>()
    }

    /// Distances of a point from the axis of rotation and, to the north, from the equatorial plane [m].
    pub(crate) fn meridional(&self, latitude: f64, height: f64) -> [f64; 2] {
        let (sin, cos) = latitude.to_radians().sin_cos();
        let squeezed = (1.0 - self.flattening).powi(2);
        let prime_vertical = self.semimajor / (cos * cos + squeezed * sin * sin).sqrt();
        [(prime_vertical + height) * cos, (squeezed * prime_vertical + height) * sin]
    }

    /// Magnitude of normal gravity, with the centrifugal acceleration [m/s²], in closed form at any height.
    ///
    /// Both components of the gradient are included. The radial one alone is the formula of Lakshmanan (1991), The generalized gravity anomaly: endoscopic
    /// microgravity, Geophysics 56, and of Li and Götze (2001), Ellipsoid, geoid, gravity, geodesy, and geophysics, Geophysics 66, appendix B; it is 7e-11 less at
    /// 9 km. Source of the potential: Heiskanen and Moritz (1967), Physical Geodesy, equation 2-62, in ellipsoidal coordinates.
    ///
    /// # Arguments
    /// * `latitude` – geodetic [degrees]; `height` – above the ellipsoid [m]
    /// # Domain
    /// Outside the ellipsoid, and below its surface as far as the continued field is smooth: heights from -1000 km. Verified by
    /// `normal::gravity_matches_boule_and_the_gradient_of_the_potential`.
    pub fn normal_gravity(&self, latitude: f64, height: f64) -> f64 {
        let [across, along] = self.meridional(latitude, height);
        let b = self.semiminor();
        let focal2 = self.semimajor * self.semimajor - b * b;
        let e = focal2.sqrt();
        // Ellipsoidal coordinates: u, the semi-minor axis of the confocal ellipsoid through the point, and the reduced latitude on it.
        let difference = across * across + along * along - focal2;
        let u2 = 0.5 * (difference + difference.hypot(2.0 * e * along));
        let u = u2.sqrt();
        let sin = along / u;
        let cos = across / (u2 + focal2).sqrt();
        let norm = sin.hypot(cos);
        let (sin, cos) = (sin / norm, cos / norm);
        let omega2 = self.angular_velocity * self.angular_velocity;
        let a2 = self.semimajor * self.semimajor;
        let q0 = q(b / e);
        let ratio = q(u / e) / q0;
        let w2 = (u2 + focal2 * sin * sin) / (u2 + focal2);
        let radial = -self.gm / (u2 + focal2)
            - omega2 * a2 * e / (u2 + focal2) * q_prime(u / e) / q0 * (0.5 * sin * sin - 1.0 / 6.0)
            + omega2 * u * cos * cos;
        let tangential = (omega2 * a2 * ratio / (u2 + focal2).sqrt() - omega2 * (u2 + focal2).sqrt()) * sin * cos;
        radial.hypot(tangential) / w2.sqrt()
    }
}

/// q = ½ [(1 + 3 t²) arctan(1/t) - 3 t] (Heiskanen and Moritz, equation 2-57), as a series in 1/t, because its terms cancel for large t.
fn q(t: f64) -> f64 {
    // arctan(1/t) = Σ (-1)ⁿ t^-(2n+1)/(2n+1): the two lowest powers cancel.
    let x = 1.0 / (t * t);
    let term = |n: i32| {
        let n = f64::from(n);
        2.0 * n / ((2.0 * n + 1.0) * (2.0 * n + 3.0))
    };
    alternating(x, term) / t
}

/// q′ = 3 (1 + t²) (1 - t arctan(1/t)) - 1 (Heiskanen and Moritz, equation 2-67), as a series.
fn q_prime(t: f64) -> f64 {
    let x = 1.0 / (t * t);
    let term = |n: i32| {
        let n = f64::from(n);
        6.0 / ((2.0 * n + 1.0) * (2.0 * n + 3.0))
    };
    alternating(x, term)
}

/// Σ (-1)^(n+1) term(n) xⁿ from n = 1 on.
fn alternating(x: f64, term: impl Fn(i32) -> f64) -> f64 {
    const TERMS: i32 = 12;
    (1..=TERMS).rev().fold(0.0, |sum, n| x * (term(n) - sum))
}
