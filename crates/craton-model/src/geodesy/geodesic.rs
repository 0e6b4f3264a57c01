//! Geodesics: distances and azimuths between positions on the ellipsoid.

use geographiclib_rs::InverseGeodesic;

use super::ellipsoid::ECCENTRICITY_2;

/// The geodesic, the shortest path on the ellipsoid WGS84, between two positions.
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
    /// Computes the geodesic between two positions, each a longitude and latitude \[degrees\]; one of them if there are several, between
    /// antipodes.
    ///
    /// # Source
    /// Karney (2013), Algorithms for geodesics, by the crate `geographiclib-rs`. Verified by `geodesics_agree_with_geographiclib`.
    pub fn between(from: [f64; 2], to: [f64; 2]) -> Self {
        let ellipsoid = geographiclib_rs::Geodesic::wgs84();
        let (length, azimuth, onward, _): (f64, f64, f64, f64) = ellipsoid.inverse(from[1], from[0], to[1], to[0]);
        let [azimuth, back_azimuth] = [azimuth, onward + 180.0].map(|angle| angle.rem_euclid(360.0));
        Self { length, azimuth, back_azimuth, arc: arc(from, to) }
    }
}

/// Angle between two positions as seen from the centre of the Earth \[degrees\].
fn arc(from: [f64; 2], to: [f64; 2]) -> f64 {
    let geocentric = |latitude: f64| ((1.0 - ECCENTRICITY_2) * latitude.to_radians().tan()).atan().sin_cos();
    let ((sin_from, cos_from), (sin_to, cos_to)) = (geocentric(from[1]), geocentric(to[1]));
    let (sin, cos) = (to[0] - from[0]).to_radians().sin_cos();
    let across = (cos_to * sin).hypot(cos_from * sin_to - sin_from * cos_to * cos);
    across.atan2(sin_from * sin_to + cos_from * cos_to * cos).to_degrees()
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
            let geodesic = Geodesic::between(from, to);
            assert!((geodesic.length - length).abs() < 5e-4, "{geodesic:?} instead of {length}");
            assert!((geodesic.azimuth - azimuth).abs() < 1e-7, "{geodesic:?} instead of {azimuth}");
            assert!((geodesic.back_azimuth - back_azimuth).abs() < 1e-7, "{geodesic:?} instead of {back_azimuth}");
            assert!((geodesic.arc - arc).abs() < 1e-10, "{geodesic:?} instead of {arc}");
        }
    }

    #[test]
    fn the_reverse_geodesic_has_the_same_length_and_swapped_azimuths() {
        for (from, to, _) in CASES {
            let (there, back) = (Geodesic::between(from, to), Geodesic::between(to, from));
            assert!((there.length - back.length).abs() < 1e-6);
            assert!((there.azimuth - back.back_azimuth).abs() < 1e-9);
        }
    }

    #[test]
    fn a_position_has_zero_distance_to_itself_and_antipodes_have_a_geodesic() {
        let geodesic = Geodesic::between([-67.25, -13.82], [-67.25, -13.82]);
        assert_eq!((geodesic.length, geodesic.arc), (0.0, 0.0));
        // geographiclib 2.1.
        let nearly_antipodal = Geodesic::between([0.0, 0.5], [179.7, -0.5]);
        assert!((nearly_antipodal.length - 19_995_624.889_961_265).abs() < 1e-3, "{nearly_antipodal:?}");
    }
}
