//! Lambert's azimuthal equal-area projection of the sphere.

/// Sine of the distance from the antipode below which the direction is undefined.
const NEAR: f64 = 1e-9;

/// A projection about a centre, in units of the radius of the sphere; it preserves areas everywhere, and lengths and angles at the centre.
///
/// # Source
/// Snyder (1987), Map projections: a working manual, USGS Professional Paper 1395, equations 24-2 to 24-4 and 20-14 to 20-18. Verified by
/// `projection_is_invertible_and_preserves_areas`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Azimuthal {
    longitude: f64,
    /// Sine and cosine of the latitude of the centre.
    latitude: (f64, f64),
}

impl Azimuthal {
    /// The projection about a longitude and latitude \[degrees\], north of the centre upwards.
    pub(crate) fn about([longitude, latitude]: [f64; 2]) -> Self {
        Self { longitude, latitude: latitude.to_radians().sin_cos() }
    }

    /// Projects a longitude and latitude \[degrees\] to coordinates right and up; the antipode, which is the whole rim, is at the top, at the largest distance, 2.
    pub(crate) fn forward(&self, [longitude, latitude]: [f64; 2]) -> [f64; 2] {
        let (sin_lon, cos_lon) = (longitude - self.longitude).to_radians().sin_cos();
        let (sin, cos) = latitude.to_radians().sin_cos();
        let (sin_0, cos_0) = self.latitude;
        let towards = sin_0 * sin + cos_0 * cos * cos_lon;
        let [x, y] = [cos * sin_lon, cos_0 * sin - sin_0 * cos * cos_lon];
        let length = x.hypot(y);
        if towards < 0.0 && length < NEAR {
            return [0.0, 2.0];
        }
        let factor =
            if towards < 0.0 { (2.0 * (1.0 - towards)).sqrt() / length } else { (2.0 / (1.0 + towards)).sqrt() };
        [factor * x, factor * y]
    }

    /// The longitude, within 180 degrees of that of the centre, and latitude \[degrees\] of a point; `None` beyond the antipode.
    pub(crate) fn inverse(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let away = x.hypot(y);
        if away > 2.0 {
            return None;
        }
        let (sin_0, cos_0) = self.latitude;
        let (sin, cos) = (2.0 * (0.5 * away).asin()).sin_cos();
        let part = if away > 0.0 { sin / away } else { 1.0 };
        let latitude = (cos * sin_0 + y * part * cos_0).clamp(-1.0, 1.0).asin();
        let longitude = (x * part).atan2(cos_0 * cos - y * part * sin_0);
        Some([self.longitude + longitude.to_degrees(), latitude.to_degrees()])
    }

    /// The clockwise angle from up to the local north at a position \[radians\].
    pub(crate) fn turn_of_north(&self, [longitude, latitude]: [f64; 2]) -> f64 {
        const STEP: f64 = 1e-4;
        let [south, north] = [-STEP, STEP].map(|step| self.forward([longitude, latitude + step]));
        (north[0] - south[0]).atan2(north[1] - south[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_antipode_is_on_the_rim() {
        let projection = Azimuthal::about([-67.25, -13.82]);
        assert_eq!(projection.forward([112.75, 13.82]), [0.0, 2.0]);
        let [x, y] = projection.forward([112.75, 13.821]);
        assert!((x.hypot(y) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn projection_is_invertible_and_preserves_areas() {
        for centre in [[-67.25, -13.82], [10.0, 90.0], [179.0, 5.0], [0.0, -89.0]] {
            let sheet = Azimuthal::about(centre);
            assert_eq!(sheet.forward(centre).map(|x| x.abs() < 1e-12), [true; 2]);
            for place in [[-100.0, 30.0], [-179.5, -60.0], [5.0, 88.0], [20.0, 1.0]] {
                let point = sheet.forward(place);
                let [longitude, latitude] = sheet.inverse(point).unwrap();
                let apart = (longitude - place[0] + 180.0).rem_euclid(360.0) - 180.0;
                assert!(apart.abs() < 1e-8 && (latitude - place[1]).abs() < 1e-9, "{centre:?} {place:?}");
                // The area of a small cell along a meridian and a parallel is preserved, though not its shape.
                let step = 1e-4;
                let [a, b] =
                    [[place[0] + step, place[1]], [place[0], place[1] + step]].map(|place| sheet.forward(place));
                let area = (a[0] - point[0]) * (b[1] - point[1]) - (a[1] - point[1]) * (b[0] - point[0]);
                let exact = step.to_radians().powi(2) * place[1].to_radians().cos();
                assert!((area / exact - 1.0).abs() < 1e-3, "{centre:?} {place:?}: {area} {exact}");
            }
        }
        assert_eq!(Azimuthal::about([0.0; 2]).inverse([1.5, 1.5]), None);
    }

    #[test]
    fn north_is_up_at_the_centre_and_tilts_off_it() {
        let sheet = Azimuthal::about([0.0, 60.0]);
        assert!(sheet.turn_of_north([0.0, 50.0]).abs() < 1e-9);
        // East of the centre the pole lies to the left.
        assert!(sheet.turn_of_north([20.0, 60.0]) < -0.2);
        assert!((sheet.turn_of_north([20.0, 60.0]) + sheet.turn_of_north([-20.0, 60.0])).abs() < 1e-9);
    }
}
