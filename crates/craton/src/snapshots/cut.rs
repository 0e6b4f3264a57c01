//! Cuts through the Earth: the planes of slices.

use craton_model::geodesy::{LocalFrame, Sphere};

use crate::config::{self, Slice};
use crate::number::Number;

/// A cut through the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Where a coordinate has a value [m].
    Coordinate {
        /// The axis normal to the cut.
        axis: usize,
        /// Its coordinate [m].
        at: f64,
    },
    /// The plane of a great circle.
    GreatCircle(GreatCircle),
}

impl Cut {
    /// The cut of a slice.
    pub fn of(slice: &Slice, frame: &LocalFrame) -> Self {
        if let (Some(written), Some(sphere)) = (&slice.great_circle, frame.sphere()) {
            return Self::GreatCircle(GreatCircle::new(*written, sphere));
        }
        let mut given = [slice.x, slice.y, slice.z].into_iter().enumerate();
        let found = given.find_map(|(axis, at)| at.map(|at| Self::Coordinate { axis, at }));
        found.expect("a checked slice has one of x, y, z and great_circle")
    }

    /// Name of its series.
    pub fn name(&self) -> String {
        match self {
            Self::Coordinate { axis, at } => format!("slice_{}_{at}", ["x", "y", "z"][*axis]),
            Self::GreatCircle(circle) => format!("slice_great_circle_{}", circle.written.azimuth),
        }
    }

    /// Title of its pictures.
    pub fn title(&self) -> String {
        match self {
            Self::Coordinate { axis, at } => format!("{} = {at} m", ["x", "y", "z"][*axis]),
            Self::GreatCircle(circle) => format!("great circle, azimuth {}°", Number(circle.written.azimuth)),
        }
    }

    /// The axis normal to its image, and its coordinate along that axis in the image [m], which is 0 for a great circle.
    pub fn normal(&self) -> (usize, f64) {
        match self {
            Self::Coordinate { axis, at } => (*axis, *at),
            Self::GreatCircle(_) => (1, 0.0),
        }
    }

    /// The axes of its image.
    pub fn axes(&self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.normal().0]
    }

    /// Model coordinates [m] of a point of its image.
    pub fn position(&self, point: [f64; 2]) -> [f64; 3] {
        match self {
            Self::Coordinate { axis, at } => {
                let mut position = [*at; 3];
                [position[self.axes()[0]], position[self.axes()[1]]] = point;
                debug_assert_eq!(position[*axis], *at);
                position
            }
            Self::GreatCircle(circle) => circle.sphere.from_space(circle.in_space(point)),
        }
    }

    /// Distance [m] of a position in model coordinates from the cut, negative on one of its sides.
    pub fn side(&self, position: [f64; 3]) -> f64 {
        match self {
            Self::Coordinate { axis, at } => position[*axis] - at,
            Self::GreatCircle(circle) => circle.side(position),
        }
    }

    /// Distance of a position in model coordinates from the cut, and its projection onto the image [m].
    pub fn project(&self, position: [f64; 3]) -> (f64, [f64; 2]) {
        match self {
            Self::Coordinate { axis, at } => ((position[*axis] - at).abs(), self.axes().map(|axis| position[axis])),
            Self::GreatCircle(circle) => circle.project(position),
        }
    }
}

/// The plane of a great circle. Its image has x along the azimuth of the circle and z upwards at its point; the origin is the centre of the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GreatCircle {
    written: config::GreatCircle,
    sphere: Sphere,
    /// Unit vectors in space along the axes of the image.
    axes: [[f64; 3]; 2],
}

impl GreatCircle {
    fn new(written: config::GreatCircle, sphere: &Sphere) -> Self {
        let place = sphere.forward(written.longitude, written.latitude).expect("a checked position on the globe");
        let [east, north, up] = sphere.radial_axes_at(place);
        let (sin, cos) = written.azimuth.to_radians().sin_cos();
        let right = std::array::from_fn(|i| sin * east[i] + cos * north[i]);
        Self { written, sphere: *sphere, axes: [right, up] }
    }

    /// The great circle through a position of a globe in model coordinates, to the east.
    pub fn eastwards(sphere: &Sphere, [x, y, _]: [f64; 3]) -> Self {
        let [longitude, latitude] = sphere.inverse([x, y]);
        Self::new(config::GreatCircle { longitude, latitude, azimuth: 90.0 }, sphere)
    }

    /// Position in space of a point of the image [m].
    pub fn in_space(&self, [along, up]: [f64; 2]) -> [f64; 3] {
        std::array::from_fn(|i| along * self.axes[0][i] + up * self.axes[1][i])
    }

    fn side(&self, position: [f64; 3]) -> f64 {
        let space = self.sphere.to_space(position);
        let [[a, b, c], [d, e, f]] = self.axes;
        let normal = [b * f - c * e, c * d - a * f, a * e - b * d];
        (0..3).map(|i| normal[i] * space[i]).sum()
    }

    fn project(&self, position: [f64; 3]) -> (f64, [f64; 2]) {
        let space = self.sphere.to_space(position);
        let point = self.axes.map(|axis| (0..3).map(|i| axis[i] * space[i]).sum::<f64>());
        let squares: f64 = space.iter().map(|x| x * x).sum();
        ((squares - point[0].powi(2) - point[1].powi(2)).max(0.0).sqrt(), point)
    }
}

#[cfg(test)]
mod tests {
    use craton_model::geodesy::{EARTH_RADIUS, Latitudes};

    use super::*;

    #[test]
    fn a_great_circle_contains_its_point_and_leaves_it_at_its_azimuth() {
        let globe = Sphere::globe(20.0, 40.0, 10.0, Latitudes::Geocentric).unwrap();
        let written = config::GreatCircle { longitude: -60.0, latitude: -10.0, azimuth: 0.0 };
        let cut = Cut::GreatCircle(GreatCircle::new(written, &globe));
        let [x, y, z] = cut.position([0.0, EARTH_RADIUS]);
        let [longitude, latitude] = globe.inverse([x, y]);
        assert!((longitude + 60.0).abs() < 1e-9 && (latitude + 10.0).abs() < 1e-9 && z.abs() < 1e-6);
        // Northwards, a quarter of the circle away.
        let [x, y, _] = cut.position([EARTH_RADIUS, 0.0]);
        let [longitude, latitude] = globe.inverse([x, y]);
        assert!((longitude + 60.0).abs() < 1e-9 && (latitude - 80.0).abs() < 1e-9, "{longitude} {latitude}");
        let [x, y] = globe.forward(-60.0, 30.0).unwrap();
        let (away, [along, up]) = cut.project([x, y, 0.0]);
        let angle = 40f64.to_radians();
        assert!(away < 1.0, "{away}");
        assert!((along - EARTH_RADIUS * angle.sin()).abs() < 1e-3 && (up - EARTH_RADIUS * angle.cos()).abs() < 1e-3);
    }
}
