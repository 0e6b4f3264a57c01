//! Geodesics: distances and azimuths between positions on the ellipsoid.

use super::ellipsoid::{ECCENTRICITY_2, FLATTENING, SEMI_MAJOR_AXIS};

/// Change of longitude \[rad\] at which the iteration has converged: a hundredth of a millimetre.
const CONVERGED: f64 = 1e-12;

/// Largest number of iterations; if they do not converge, the positions are nearly antipodal. Others need fewer than ten.
const MOST_ITERATIONS: usize = 100;

/// The geodesic, the shortest path on the ellipsoid, between two positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geodesic {
    /// Length \[m\].
    pub length: f64,
    /// Azimuth at the first position, clockwise from north \[degrees\], 0 to 360.
    pub azimuth: f64,
    /// Back azimuth: direction at the second position towards the first, clockwise from north \[degrees\], 0 to 360.
    pub back_azimuth: f64,
    /// Angle between the positions as seen from the centre of the Earth \[degrees\].
    pub arc: f64,
}

impl Geodesic {
    /// Computes the geodesic between two positions, each a longitude and latitude \[degrees\]. Returns `None` if they are nearly antipodal,
    /// where the method does not converge.
    ///
    /// # Source
    /// Vincenty (1975), Direct and inverse solutions of geodesics on the ellipsoid with application of nested equations, equations 3 to 6,
    /// 10, 11 and 13 to 21: lengths to half a millimetre. Verified by `geodesics_agree_with_geographiclib`.
    pub fn between(from: [f64; 2], to: [f64; 2]) -> Option<Self> {
        let [latitude, other] = [from[1], to[1]].map(reduced);
        let difference = (to[0] - from[0]).to_radians();
        let mut great_circle = GreatCircle::new(latitude, other, difference);
        for _ in 0..MOST_ITERATIONS {
            let next = GreatCircle::new(latitude, other, difference + great_circle.excess());
            let change = next.longitude - great_circle.longitude;
            great_circle = next;
            if change.abs() < CONVERGED {
                let [azimuth, back_azimuth] = great_circle.azimuths();
                return Some(Self { length: great_circle.length(), azimuth, back_azimuth, arc: arc(from, to) });
            }
        }
        None
    }
}

/// Converts a latitude \[degrees\] to the reduced latitude \[rad\].
fn reduced(latitude: f64) -> f64 {
    ((1.0 - FLATTENING) * latitude.to_radians().tan()).atan()
}

/// A great circle on the auxiliary sphere of reduced latitudes.
struct GreatCircle {
    /// Sine and cosine of the reduced latitudes.
    from: (f64, f64),
    to: (f64, f64),
    /// Difference of longitudes on that sphere \[rad\].
    longitude: f64,
    /// Angle between the positions \[rad\], its sine and cosine.
    sigma: f64,
    sin_sigma: f64,
    cos_sigma: f64,
    /// Sine of the azimuth at the equator.
    sin_alpha: f64,
    /// Cosine of twice the angle from the equator to the midpoint.
    cos_2m: f64,
}

impl GreatCircle {
    fn new(from: f64, to: f64, longitude: f64) -> Self {
        let (from, to) = (from.sin_cos(), to.sin_cos());
        let (sin, cos) = longitude.sin_cos();
        let sin_sigma = (to.1 * sin).hypot(from.1 * to.0 - from.0 * to.1 * cos);
        let cos_sigma = from.0 * to.0 + from.1 * to.1 * cos;
        let sin_alpha = if sin_sigma == 0.0 { 0.0 } else { from.1 * to.1 * sin / sin_sigma };
        let cos2_alpha = 1.0 - sin_alpha * sin_alpha;
        // For an equatorial geodesic, the angle from the equator crossing is undefined.
        let cos_2m = if cos2_alpha < f64::EPSILON { 0.0 } else { cos_sigma - 2.0 * from.0 * to.0 / cos2_alpha };
        Self { from, to, longitude, sigma: sin_sigma.atan2(cos_sigma), sin_sigma, cos_sigma, sin_alpha, cos_2m }
    }

    fn cos2_alpha(&self) -> f64 {
        1.0 - self.sin_alpha * self.sin_alpha
    }

    /// Difference of longitudes on the auxiliary sphere minus that on the ellipsoid \[rad\].
    fn excess(&self) -> f64 {
        let Self { sigma, sin_sigma, cos_sigma, sin_alpha, cos_2m, .. } = self;
        let cos2_alpha = self.cos2_alpha();
        let c = FLATTENING / 16.0 * cos2_alpha * (4.0 + FLATTENING * (4.0 - 3.0 * cos2_alpha));
        let angle = sigma + c * sin_sigma * (cos_2m + c * cos_sigma * (2.0 * cos_2m * cos_2m - 1.0));
        (1.0 - c) * FLATTENING * sin_alpha * angle
    }

    /// Length of the geodesic \[m\].
    fn length(&self) -> f64 {
        let Self { sigma, sin_sigma, cos_sigma, cos_2m, .. } = self;
        let u2 = self.cos2_alpha() * ECCENTRICITY_2 / (1.0 - ECCENTRICITY_2);
        let a = 1.0 + u2 / 16384.0 * (4096.0 + u2 * (-768.0 + u2 * (320.0 - 175.0 * u2)));
        let b = u2 / 1024.0 * (256.0 + u2 * (-128.0 + u2 * (74.0 - 47.0 * u2)));
        let second = cos_sigma * (2.0 * cos_2m * cos_2m - 1.0);
        let third = cos_2m * (4.0 * sin_sigma * sin_sigma - 3.0) * (4.0 * cos_2m * cos_2m - 3.0);
        let d_sigma = b * sin_sigma * (cos_2m + b / 4.0 * (second - b / 6.0 * third));
        SEMI_MAJOR_AXIS * (1.0 - FLATTENING) * a * (sigma - d_sigma)
    }

    /// Azimuths at both ends, each towards the other end \[degrees\].
    fn azimuths(&self) -> [f64; 2] {
        let (sin, cos) = self.longitude.sin_cos();
        let forth = (self.to.1 * sin).atan2(self.from.1 * self.to.0 - self.from.0 * self.to.1 * cos);
        let back = (-self.from.1 * sin).atan2(self.from.0 * self.to.1 - self.from.1 * self.to.0 * cos);
        [forth, back].map(|angle| angle.to_degrees().rem_euclid(360.0))
    }
}

/// Angle between two positions as seen from the centre of the Earth \[degrees\].
fn arc(from: [f64; 2], to: [f64; 2]) -> f64 {
    let geocentric = |latitude: f64| ((1.0 - ECCENTRICITY_2) * latitude.to_radians().tan()).atan();
    let great_circle = GreatCircle::new(geocentric(from[1]), geocentric(to[1]), (to[0] - from[0]).to_radians());
    great_circle.sigma.to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two positions, length, azimuth, back azimuth (geographiclib 2.1, `Geodesic.WGS84.Inverse`) and the angle between the geocentric
    /// positions by the haversine formula.
    type Case = ([f64; 2], [f64; 2], [f64; 4]);

    const CASES: [Case; 9] = [
        (
            [-67.25, -13.82],
            [-67.2, -13.8],
            [5841.427260838398, 67.74639821431995, 247.73446306597603, 0.05248437236468296],
        ),
        (
            [-67.25, -13.82],
            [-68.1336, -16.288],
            [289134.733439061, 199.07014823852566, 19.299702770462204, 2.597922425065957],
        ),
        (
            [2.2945, 48.8584],
            [12.4964, 41.9028],
            [1109954.7649870608, 130.31718853353829, 317.60169336460655, 9.98780641370766],
        ),
        (
            [179.9, -18.0],
            [-179.8, -17.2],
            [94092.35289869567, 19.825916462509067, 199.7352030862481, 0.8455018405571146],
        ),
        ([-69.0, -20.0], [-69.0, -19.0], [110698.1351230504, 0.0, 180.0, 0.9947850056566937]),
        ([-67.0, 0.0], [-66.0, 0.0], [111319.49079327357, 90.0, 270.0, 1.0]),
        ([-69.0, 80.0], [-60.0, 84.0], [466740.2381321989, 12.967309929156107, 201.88548838812258, 4.206621266926746]),
        ([3.0, -60.0], [3.0, 60.0], [13308145.638981028, 0.0, 180.0, 119.66615230098529]),
        ([0.0, 0.0], [29.0, 40.0], [5317248.773448955, 30.164701412451432, 220.92290371659988, 47.78981849221462]),
    ];

    #[test]
    fn geodesics_agree_with_geographiclib() {
        for (from, to, [length, azimuth, back_azimuth, arc]) in CASES {
            let geodesic = Geodesic::between(from, to).unwrap();
            assert!((geodesic.length - length).abs() < 5e-4, "{geodesic:?} instead of {length}");
            assert!((geodesic.azimuth - azimuth).abs() < 1e-7, "{geodesic:?} instead of {azimuth}");
            assert!((geodesic.back_azimuth - back_azimuth).abs() < 1e-7, "{geodesic:?} instead of {back_azimuth}");
            assert!((geodesic.arc - arc).abs() < 1e-10, "{geodesic:?} instead of {arc}");
        }
    }

    #[test]
    fn the_reverse_geodesic_has_the_same_length_and_swapped_azimuths() {
        for (from, to, _) in CASES {
            let (there, back) = (Geodesic::between(from, to).unwrap(), Geodesic::between(to, from).unwrap());
            assert!((there.length - back.length).abs() < 1e-6);
            assert!((there.azimuth - back.back_azimuth).abs() < 1e-9);
        }
    }

    #[test]
    fn a_position_has_zero_distance_to_itself_and_antipodes_have_no_solution() {
        let geodesic = Geodesic::between([-67.25, -13.82], [-67.25, -13.82]).unwrap();
        assert_eq!((geodesic.length, geodesic.arc), (0.0, 0.0));
        assert_eq!(Geodesic::between([0.0, 0.5], [179.7, -0.5]), None);
    }
}
