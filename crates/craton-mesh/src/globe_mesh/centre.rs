//! Directions on the cubed sphere, and the central cube.
//!
//! Both are functions of a position in the cube [-1, 1]^3, or on its surface.

use std::f64::consts::FRAC_PI_4;

/// Radius of the corners of the central cube relative to the top of its stratum. This value and [`BULGE`] give the longest stable time step, 1.4 times as
/// long as 0.6 and 0.5.
const CORNERS: f64 = 0.77;

/// How far the faces of the central cube bulge: 0 for a cube, 1 for a sphere.
const BULGE: f64 = 0.3;

/// Unit vector through a point on the surface of the cube. Its coordinates are angles along the central lines of the faces, equally spaced.
pub(super) fn direction(cube: [f64; 3]) -> [f64; 3] {
    let point = cube.map(|along| (FRAC_PI_4 * along).tan());
    let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
    point.map(|x| x / length)
}

/// Directions to a regular grid on the six faces, with this number of points along each edge.
pub(super) fn directions(along: usize) -> Vec<[f64; 3]> {
    let at = |index: usize| 2.0 * index as f64 / (along - 1) as f64 - 1.0;
    let on_face = |face: usize| {
        (0..along * along).map(move |index| {
            let mut cube = [0.0; 3];
            cube[face / 2] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            cube[(face / 2 + 1) % 3] = at(index % along);
            cube[(face / 2 + 2) % 3] = at(index / along);
            direction(cube)
        })
    };
    (0..6).flat_map(on_face).collect()
}

/// A cube with bulging faces around the centre of the sphere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centre {
    /// Distance of its corners from the centre [m]
    corners: f64,
}

impl Centre {
    /// The cube in the middle of a sphere of this radius [m].
    pub(super) fn below(radius: f64) -> Self {
        Self { corners: CORNERS * radius }
    }

    /// Position [m] of a point of the cube [-1, 1]^3: a blend of the straight cube and of the smooth map from the cube to the sphere, which have common
    /// corners.
    pub(super) fn position(&self, cube: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = cube.map(|along| along * along);
        let round = |one: f64, other: f64| (1.0 - 0.5 * (one + other) + one * other / 3.0).sqrt();
        let rounds = [round(y, z), round(z, x), round(x, y)];
        let straight = 3.0_f64.sqrt().recip();
        std::array::from_fn(|axis| self.corners * cube[axis] * (straight + BULGE * (rounds[axis] - straight)))
    }

    /// Smallest, mean and largest radius of its surface [m].
    pub(super) fn radii(&self) -> [f64; 3] {
        let norm = |cube| self.position(cube).iter().map(|x| x * x).sum::<f64>().sqrt();
        let low = norm([1.0, 0.0, 0.0]);
        [low, 0.5 * (low + self.corners), self.corners]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_sphere_have_the_same_corners_and_symmetry() {
        let centre = Centre::below(1.0);
        let corner = centre.position([1.0; 3]);
        for (along, expected) in corner.into_iter().zip(direction([1.0; 3])) {
            assert!((along - CORNERS * expected).abs() < 1e-15);
        }
        let point = [0.3, -0.7, 1.0];
        assert_eq!(centre.position(point.map(|x| -x)), centre.position(point).map(|x| -x));
        assert_eq!(direction(point.map(|x| -x)), direction(point).map(|x| -x));
    }
}
