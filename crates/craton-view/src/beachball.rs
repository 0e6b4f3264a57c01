//! Beachballs: polarity of the first P motion on the lower hemisphere of the focal sphere, seen from above.

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::Pen;

/// P-wave radiation in the direction represented by a point of the picture; positive is compressional, away from the source.
///
/// The lower hemisphere in Lambert's equal-area projection: the direction at an angle i from straight down lies at
/// the distance √2 sin(i / 2) from the centre. The value is n·M·n for the unit vector n of that direction.
///
/// # Arguments
/// * `tensor` – moment tensor in Voigt order xx, yy, zz, yz, xz, xy; x east, y north, z up
/// * `point` – east and north from the centre, in radii of the ball
/// # Returns
/// n·M·n in the unit of the tensor; `None` outside the ball
/// # Source
/// Aki and Richards (2002), Quantitative Seismology, equation 4.29 (radiation) and box 4.4 (projection).
pub fn radiation(tensor: &[f64; 6], point: [f64; 2]) -> Option<f64> {
    let squared = point[0] * point[0] + point[1] * point[1];
    if squared > 1.0 {
        return None;
    }
    // With r = √2 sin(i/2): sin i = r √(2 − r²), cos i = 1 − r².
    let stretch = (2.0 - squared).sqrt();
    let [x, y, z] = [point[0] * stretch, point[1] * stretch, squared - 1.0];
    let [xx, yy, zz, yz, xz, xy] = *tensor;
    Some(xx * x * x + yy * y * y + zz * z * z + 2.0 * (yz * y * z + xz * x * z + xy * x * y))
}

/// Draws a beachball with compressional quadrants dark and dilatational ones white.
pub(crate) fn draw(canvas: &mut Canvas, centre: [f64; 2], radius: f64, tensor: &[f64; 6]) {
    // Samples along the side of a pixel, averaged for smooth edges.
    const SAMPLES: u32 = 4;
    canvas.disc(centre, radius, Colour::WHITE);
    let pixel = canvas.pixel();
    let area = Area {
        left: centre[0] - radius,
        top: centre[1] - radius,
        right: centre[0] + radius,
        bottom: centre[1] + radius,
    };
    let pushed = |x: f64, y: f64| {
        let point = [(x - centre[0]) / radius, (centre[1] - y) / radius];
        radiation(tensor, point).is_some_and(|value| value > 0.0)
    };
    canvas.shade(&area, |[x, y]| {
        let shift = |index: u32| ((f64::from(index) + 0.5) / f64::from(SAMPLES) - 0.5) * pixel;
        let grid = (0..SAMPLES).flat_map(|i| (0..SAMPLES).map(move |j| (i, j)));
        let dark = grid.filter(|&(i, j)| pushed(x + shift(i), y + shift(j))).count();
        let part = dark as f64 / f64::from(SAMPLES * SAMPLES);
        (dark > 0).then(|| Colour::INK.with_opacity(part))
    });
    canvas.ring(centre, radius, &Pen::new(Colour::INK, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point of the ball by azimuth from north and distance from the centre.
    fn at(azimuth: f64, distance: f64) -> [f64; 2] {
        let angle = azimuth.to_radians();
        [distance * angle.sin(), distance * angle.cos()]
    }

    #[test]
    fn explosion_is_dark_and_implosion_white_everywhere() {
        for azimuth in [0.0, 77.0, 200.0] {
            for distance in [0.0, 0.4, 0.99] {
                let value = radiation(&[2.0, 2.0, 2.0, 0.0, 0.0, 0.0], at(azimuth, distance));
                assert!((value.unwrap() - 2.0).abs() < 1e-12);
                let value = radiation(&[-1.0, -1.0, -1.0, 0.0, 0.0, 0.0], at(azimuth, distance));
                assert!((value.unwrap() + 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(radiation(&[1.0; 6], [0.8, 0.8]), None);
    }

    #[test]
    fn strike_slip_on_a_north_striking_plane_pushes_north_east_and_south_west() {
        // Left-lateral on a plane that strikes north: Mxy > 0.
        let tensor = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        for azimuth in [45.0, 225.0] {
            assert!((radiation(&tensor, at(azimuth, 1.0)).unwrap() - 1.0).abs() < 1e-12);
        }
        for azimuth in [135.0, 315.0] {
            assert!((radiation(&tensor, at(azimuth, 1.0)).unwrap() + 1.0).abs() < 1e-12);
        }
        for azimuth in [0.0, 90.0] {
            assert!(radiation(&tensor, at(azimuth, 0.7)).unwrap().abs() < 1e-12);
        }
    }

    #[test]
    fn thrust_has_a_dark_centre_and_normal_fault_a_white_one() {
        // East-west compression and vertical extension, at 45 degrees of dip.
        let thrust = [-1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(radiation(&thrust, [0.0, 0.0]), Some(1.0));
        assert!(radiation(&thrust, at(90.0, 0.95)).unwrap() < 0.0);
        // The nodal planes dip 45 degrees: at √2 sin(22.5°) from the centre.
        let node = 2f64.sqrt() * 22.5f64.to_radians().sin();
        assert!(radiation(&thrust, at(90.0, node)).unwrap().abs() < 1e-12);
        assert_eq!(radiation(&thrust.map(|value| -value), [0.0, 0.0]), Some(-1.0));
    }

    #[test]
    fn vertical_dip_slip_is_dark_on_the_side_that_is_pushed_down() {
        // Mxz > 0: compressional up-east and down-west; the lower hemisphere shows the west.
        let tensor = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert!(radiation(&tensor, [-0.5, 0.0]).unwrap() > 0.0);
        assert!(radiation(&tensor, [0.5, 0.0]).unwrap() < 0.0);
        assert!(radiation(&tensor, [0.0, 0.5]).unwrap().abs() < 1e-12);
    }
}
