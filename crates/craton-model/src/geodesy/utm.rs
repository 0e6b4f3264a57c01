//! The Universal Transverse Mercator projection on the WGS84 ellipsoid.

use super::ellipsoid::{ECCENTRICITY_2, FLATTENING, SEMI_MAJOR_AXIS};
use crate::ModelError;
use crate::check::require;

/// Third flattening, the expansion parameter of the series.
const N: f64 = FLATTENING / (2.0 - FLATTENING);

/// Scale factor at the central meridian.
const SCALE: f64 = 0.9996;

/// Easting of the central meridian \[m\].
const FALSE_EASTING: f64 = 500_000.0;

/// Northing of the equator in southern zones \[m\].
const FALSE_NORTHING_SOUTH: f64 = 10_000_000.0;

/// Largest distance from the central meridian \[degrees\] at which the series is accurate.
const LARGEST_OFFSET: f64 = 30.0;

/// Coefficients of sin 2jξ and cos 2jξ from the conformal sphere to the ellipsoid, row j - 1; column k multiplies N^(j + k).
const ALPHA: [&[f64]; 6] = [
    &[1. / 2., -2. / 3., 5. / 16., 41. / 180., -127. / 288., 7891. / 37800.],
    &[13. / 48., -3. / 5., 557. / 1440., 281. / 630., -1_983_433. / 1_935_360.],
    &[61. / 240., -103. / 140., 15061. / 26880., 167_603. / 181_440.],
    &[49561. / 161_280., -179. / 168., 6_601_661. / 7_257_600.],
    &[34729. / 80640., -3_418_889. / 1_995_840.],
    &[212_378_941. / 319_334_400.],
];

/// The same from the ellipsoid to the conformal sphere.
const BETA: [&[f64]; 6] = [
    &[1. / 2., -2. / 3., 37. / 96., -1. / 360., -81. / 512., 96199. / 604_800.],
    &[1. / 48., 1. / 15., -437. / 1440., 46. / 105., -1_118_711. / 3_870_720.],
    &[17. / 480., -37. / 840., -209. / 4480., 5569. / 90720.],
    &[4397. / 161_280., -11. / 504., -830_251. / 7_257_600.],
    &[4583. / 161_280., -108_847. / 3_991_680.],
    &[20_648_693. / 638_668_800.],
];

/// A UTM zone.
///
/// # Source
/// Karney (2011), Transverse Mercator with an accuracy of a few nanometers, equations 7 to 21, 35 and 36: Krüger's series to sixth order,
/// accurate to some nanometres within 30 degrees of the central meridian. Verified by `forward_agrees_with_proj_to_nanometres`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utm {
    zone: u8,
    south: bool,
}

impl Utm {
    /// Creates a zone of the northern or southern hemisphere.
    ///
    /// # Errors
    /// A zone outside 1..60.
    pub fn new(zone: u8, south: bool) -> Result<Self, ModelError> {
        require(
            (1..=60).contains(&zone),
            "UTM zone",
            zone.into(),
            "between 1 and 60",
            "zone 1 starts at 180 degrees west, and each zone is 6 degrees wide",
        )?;
        Ok(Self { zone, south })
    }

    /// Number of the zone that contains a longitude \[degrees\], ignoring the exceptions of Norway and Svalbard.
    pub fn zone_of(longitude: f64) -> u8 {
        let east_of_date_line = (longitude + 180.0).rem_euclid(360.0);
        1 + (east_of_date_line / 6.0) as u8
    }

    /// Number of the zone.
    pub fn zone(self) -> u8 {
        self.zone
    }

    /// Longitude of the central meridian \[degrees\].
    pub fn central_meridian(self) -> f64 {
        6.0 * f64::from(self.zone) - 183.0
    }

    /// Longitude relative to the central meridian \[degrees\], between -180 and 180.
    pub fn offset(self, longitude: f64) -> f64 {
        (longitude - self.central_meridian() + 180.0).rem_euclid(360.0) - 180.0
    }

    /// Converts a longitude and latitude \[degrees\] to easting and northing \[m\].
    ///
    /// # Errors
    /// A latitude outside -90..90, a longitude outside -180..360 or more than 30 degrees from the central meridian.
    pub fn forward(self, longitude: f64, latitude: f64) -> Result<[f64; 2], ModelError> {
        self.check(longitude, latitude)?;
        let tau = conformal_tangent(latitude.to_radians().tan());
        let (sin_lambda, cos_lambda) = self.offset(longitude).to_radians().sin_cos();
        let xi = tau.atan2(cos_lambda);
        let eta = (sin_lambda / tau.hypot(cos_lambda)).asinh();
        let [d_xi, d_eta] = series(&ALPHA, xi, eta);
        let scale = SCALE * rectifying_radius();
        Ok([FALSE_EASTING + scale * (eta + d_eta), self.false_northing() + scale * (xi + d_xi)])
    }

    /// Converts an easting and northing \[m\] to longitude and latitude \[degrees\].
    pub fn inverse(self, easting: f64, northing: f64) -> [f64; 2] {
        let scale = SCALE * rectifying_radius();
        let xi = (northing - self.false_northing()) / scale;
        let eta = (easting - FALSE_EASTING) / scale;
        let [d_xi, d_eta] = series(&BETA, xi, eta);
        let (xi, eta) = (xi - d_xi, eta - d_eta);
        let tau = geographic_tangent(xi.sin() / eta.sinh().hypot(xi.cos()));
        let longitude = self.central_meridian() + eta.sinh().atan2(xi.cos()).to_degrees();
        [wrapped(longitude), tau.atan().to_degrees()]
    }

    /// Meridian convergence at a longitude and latitude \[degrees\]: azimuth of grid north, clockwise from true north.
    ///
    /// # Source
    /// Karney (2011), equations 23 to 26: that of the conformal sphere, plus that of the series. Verified by
    /// `the_convergence_is_the_direction_of_grid_north`.
    pub fn convergence(self, longitude: f64, latitude: f64) -> f64 {
        let tau = conformal_tangent(latitude.to_radians().tan());
        let (sin_lambda, cos_lambda) = self.offset(longitude).to_radians().sin_cos();
        let of_sphere = (tau * sin_lambda).atan2(tau.hypot(1.0) * cos_lambda);
        let xi = tau.atan2(cos_lambda);
        let eta = (sin_lambda / tau.hypot(cos_lambda)).asinh();
        let [p, q] = slope(&ALPHA, xi, eta);
        (of_sphere + q.atan2(p)).to_degrees()
    }

    fn false_northing(self) -> f64 {
        if self.south { FALSE_NORTHING_SOUTH } else { 0.0 }
    }

    fn check(self, longitude: f64, latitude: f64) -> Result<(), ModelError> {
        require(
            (-90.0..=90.0).contains(&latitude),
            "latitude",
            latitude,
            "between -90 and 90 degrees",
            "check whether longitude and latitude are swapped, or in metres",
        )?;
        require(
            (-180.0..=360.0).contains(&longitude),
            "longitude",
            longitude,
            "between -180 and 360 degrees",
            "check whether it is in metres",
        )?;
        let (zone, meridian) = (self.zone, self.central_meridian());
        require(
            self.offset(longitude).abs() <= LARGEST_OFFSET,
            "longitude",
            longitude,
            format!("within {LARGEST_OFFSET} degrees of {meridian}, the central meridian of UTM zone {zone}"),
            format!("use zone {}", Self::zone_of(longitude)),
        )?;
        Ok(())
    }
}

/// Rectifying radius: the radius of a circle with the circumference of a meridian \[m\].
fn rectifying_radius() -> f64 {
    let n2 = N * N;
    SEMI_MAJOR_AXIS / (1.0 + N) * (1.0 + n2 / 4.0 * (1.0 + n2 / 16.0 * (1.0 + n2 / 4.0)))
}

/// Converts the tangent of a geographic latitude to that of the conformal latitude.
fn conformal_tangent(tau: f64) -> f64 {
    let e = ECCENTRICITY_2.sqrt();
    let secant = tau.hypot(1.0);
    let sigma = (e * (e * tau / secant).atanh()).sinh();
    tau * sigma.hypot(1.0) - sigma * secant
}

/// Converts the tangent of a conformal latitude to that of the geographic latitude, by Newton's method.
fn geographic_tangent(conformal: f64) -> f64 {
    let one_minus_e2 = 1.0 - ECCENTRICITY_2;
    let mut tau = conformal / one_minus_e2;
    // Two steps converge to round-off from any latitude; a third is cheap.
    for _ in 0..3 {
        let reached = conformal_tangent(tau);
        let slope = one_minus_e2 * tau.hypot(1.0) * reached.hypot(1.0) / (1.0 + one_minus_e2 * tau * tau);
        tau += (conformal - reached) / slope;
    }
    tau
}

/// The factors 2j and the coefficients cⱼ of a series, j = 1 to 6.
fn terms(coefficients: &[&[f64]; 6]) -> [(f64, f64); 6] {
    let mut power = 1.0;
    std::array::from_fn(|row| {
        power *= N;
        (2.0 * (row + 1) as f64, power * coefficients[row].iter().rev().fold(0.0, |value, c| value * N + c))
    })
}

/// p and q of 1 + Σ 2j cⱼ cos 2j(ξ + iη) = p - iq, j = 1 to 6: the derivative of ζ + Σ cⱼ sin 2jζ.
fn slope(coefficients: &[&[f64]; 6], xi: f64, eta: f64) -> [f64; 2] {
    terms(coefficients).into_iter().fold([1.0, 0.0], |[p, q], (twice, c)| {
        let (sin, cos) = (twice * xi).sin_cos();
        [p + twice * c * cos * (twice * eta).cosh(), q + twice * c * sin * (twice * eta).sinh()]
    })
}

/// Real and imaginary part of Σ cⱼ sin 2j(ξ + iη), j = 1 to 6.
fn series(coefficients: &[&[f64]; 6], xi: f64, eta: f64) -> [f64; 2] {
    let mut sum = [0.0, 0.0];
    for (twice, c) in terms(coefficients) {
        let (sin, cos) = (twice * xi).sin_cos();
        sum[0] += c * sin * (twice * eta).cosh();
        sum[1] += c * cos * (twice * eta).sinh();
    }
    sum
}

/// Wraps a longitude to -180 to 180 degrees.
fn wrapped(longitude: f64) -> f64 {
    match longitude {
        west if west < -180.0 => west + 360.0,
        east if east > 180.0 => east - 360.0,
        inside => inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zone, south, longitude, latitude, easting, northing: PROJ 9.5.1 (pyproj 3.7.2),
    /// `+proj=utm +ellps=WGS84`, printed to the nanometre.
    const PROJ: [(u8, bool, f64, f64, f64, f64); 12] = [
        (19, true, -67.25, -13.82, 689156.260807711, 8471490.45905943),
        (19, true, -69.0, -20.0, 500000.0, 7788518.692330036),
        (31, false, 2.2945, 48.8584, 448252.001375365, 5411954.909947274),
        (33, false, 12.4964, 41.9028, 292335.313141323, 4642015.500010439),
        (31, false, 3.0, 0.0, 500000.0, 0.0),
        (1, false, -179.9, 70.0, 389339.535098948, 7768505.452278187),
        (56, true, 151.2153, -33.8568, 334900.569652264, 6252288.752888294),
        (32, false, 15.0, 83.5, 575696.096627320, 9276217.526750611),
        (32, false, 3.2, -0.0001, -146507.362477091, -11.110265618),
        (31, true, 5.9999, -79.9, 558705.492023457, 1128062.272263778),
        (32, false, 18.0, 55.0, 1074899.970900202, 6131905.071290628),
        (32, false, 29.0, 40.0, 2212740.643056015, 4624280.975760203),
    ];

    #[test]
    fn forward_agrees_with_proj_to_nanometres() {
        for (zone, south, longitude, latitude, easting, northing) in PROJ {
            let [e, n] = Utm::new(zone, south).unwrap().forward(longitude, latitude).unwrap();
            let distance = (e - easting).hypot(n - northing);
            assert!(distance < 1e-8, "{longitude}, {latitude}: {distance:e} m");
        }
    }

    #[test]
    fn inverse_reverses_forward() {
        for (zone, south, longitude, latitude, easting, northing) in PROJ {
            let [lon, lat] = Utm::new(zone, south).unwrap().inverse(easting, northing);
            assert!((lon - longitude).abs() < 1e-12, "{lon} {longitude}");
            assert!((lat - latitude).abs() < 1e-13, "{lat} {latitude}");
        }
    }

    #[test]
    fn the_convergence_is_the_direction_of_grid_north() {
        for (zone, south, longitude, latitude, _, _) in PROJ {
            let utm = Utm::new(zone, south).unwrap();
            // A step to the true north, seen on the grid.
            let [from, to] = [-1e-4, 1e-4].map(|step| utm.forward(longitude, latitude + step).unwrap());
            let of_meridian = (to[0] - from[0]).atan2(to[1] - from[1]).to_degrees();
            let convergence = utm.convergence(longitude, latitude);
            assert!((convergence + of_meridian).abs() < 1e-6, "{longitude}, {latitude}: {convergence} {of_meridian}");
        }
        assert_eq!(Utm::new(31, false).unwrap().convergence(3.0, 45.0), 0.0);
        // North-east of the intersection of central meridian and equator, grid north is east of true north.
        assert!((Utm::new(31, false).unwrap().convergence(4.0, 30.0) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn zones_are_six_degrees_wide_starting_at_the_date_line() {
        assert_eq!(Utm::zone_of(-180.0), 1);
        assert_eq!(Utm::zone_of(-67.25), 19);
        assert_eq!(Utm::zone_of(2.2945), 31);
        assert_eq!(Utm::zone_of(179.999), 60);
        assert_eq!(Utm::zone_of(292.75), 19);
        assert_eq!(Utm::new(19, true).unwrap().central_meridian(), -69.0);
    }

    #[test]
    fn longitudes_above_180_are_equivalent() {
        let utm = Utm::new(19, true).unwrap();
        let west = utm.forward(-67.25, -13.82).unwrap();
        let east = utm.forward(292.75, -13.82).unwrap();
        assert!((west[0] - east[0]).abs() < 1e-7 && (west[1] - east[1]).abs() < 1e-7);
    }

    #[test]
    fn positions_outside_the_projection_are_refused() {
        let utm = Utm::new(19, true).unwrap();
        assert_eq!(
            utm.forward(2.2945, 48.8584).unwrap_err().to_string(),
            "longitude = 2.2945 is not allowed: it must be within 30 degrees of -69, the central meridian of UTM zone 19; use zone 31"
        );
        assert!(utm.forward(-67.0, 91.0).unwrap_err().to_string().starts_with("latitude = 91"));
        assert!(utm.forward(500_000.0, 10.0).is_err());
        assert!(utm.forward(f64::NAN, 10.0).is_err());
        assert!(Utm::new(0, false).is_err());
        assert!(Utm::new(61, false).is_err());
    }
}
