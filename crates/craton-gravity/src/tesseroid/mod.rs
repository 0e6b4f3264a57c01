//! Tesseroids: cells between meridians, parallels and concentric spheres.
//!
//! A tesseroid is integrated by a product of Gauss rules, after it is cut into pieces that are small compared with their distance from the point
//! (`pieces.rs`), as in Uieda, Barbosa and Braitenberg (2016), Tesseroids: forward-modeling gravitational fields in spherical coordinates, Geophysics
//! 81. Pieces of some decimetres count as prisms, so that points may lie on tesseroids. [`Tree`](crate::Tree) replaces distant groups by multipole expansions in Cartesian
//! coordinates, with the origin in the centre of the sphere, z towards the north pole and x towards the meridian 0.

mod geodetic;
mod pieces;
mod stations;
mod sums;

use std::ops::Range;

use craton_device::{Isa, Scalar};

use crate::GravityError;
use crate::elementary::sin_cos;
use crate::gauss::rule;
use crate::tree::{Moments, OfNodes};

pub(crate) use pieces::Cell;
pub use stations::Stations;

/// Sizes in radii of the group from which on more Gauss points are used for its moments, and their number.
const NODES: [(f64, usize); 4] = [(0.12, 2), (0.3, 3), (0.7, 5), (f64::INFINITY, 8)];

/// A tesseroid, with a density that is constant or linear along the radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tesseroid {
    /// Meridians [°], positive east.
    pub west: f64,
    /// See `west`.
    pub east: f64,
    /// Geocentric parallels [°], positive north.
    pub south: f64,
    /// See `south`.
    pub north: f64,
    /// Radii [m].
    pub bottom: f64,
    /// See `bottom`.
    pub top: f64,
    /// Density in the middle between both radii [kg/m³].
    pub density: f64,
    /// Increase of the density along the radius [kg/m⁴].
    pub gradient: f64,
}

/// A collection of tesseroids.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tesseroids {
    all: Vec<Tesseroid>,
}

impl Tesseroid {
    /// Returns an error unless a tesseroid has a volume and finite values.
    fn check(&self, number: usize) -> Result<(), GravityError> {
        let named = [
            ("west", self.west, -720.0, 720.0),
            ("east", self.east, -720.0, 720.0),
            ("south", self.south, -90.0, 90.0),
            ("north", self.north, -90.0, 90.0),
            ("bottom", self.bottom, 0.0, 1e12),
            ("top", self.top, 0.0, 1e12),
            ("density", self.density, -1e30, 1e30),
            ("gradient", self.gradient, -1e30, 1e30),
        ];
        for (what, value, least, most) in named {
            if !(least..=most).contains(&value) {
                return Err(GravityError::OfTesseroid { tesseroid: number, what, value, least, most });
            }
        }
        let pairs = [
            ("west", self.west, "east", self.east),
            ("south", self.south, "north", self.north),
            ("bottom", self.bottom, "top", self.top),
        ];
        for (low_name, low, high_name, high) in pairs {
            if low >= high {
                return Err(GravityError::EmptyTesseroid { tesseroid: number, low_name, low, high_name, high });
            }
        }
        match self.east - self.west {
            width if width > 360.0 => {
                let what = "east minus west";
                Err(GravityError::OfTesseroid { tesseroid: number, what, value: width, least: 0.0, most: 360.0 })
            }
            _ => Ok(()),
        }
    }

    /// Bounds of longitude and latitude [rad] and radius [m].
    pub(crate) fn bounds(&self) -> [[f64; 2]; 3] {
        [
            [self.west.to_radians(), self.east.to_radians()],
            [self.south.to_radians(), self.north.to_radians()],
            [self.bottom, self.top],
        ]
    }

    /// Density at a radius [kg/m³].
    fn at(&self, radius: f64) -> f64 {
        self.density + self.gradient * (radius - 0.5 * (self.bottom + self.top))
    }

    /// Mass, exact up to round-off [kg].
    pub fn mass(&self) -> f64 {
        let [[west, east], [south, north], [bottom, top]] = self.bounds();
        // sin(north) - sin(south), without cancellation.
        let area = (east - west) * 2.0 * (0.5 * (north - south)).sin() * (0.5 * (north + south)).cos();
        let (middle, half) = (0.5 * (bottom + top), 0.5 * (top - bottom));
        // Integrals of (middle + t)² and of t (middle + t)² from -half to half.
        let square = 2.0 * half * (middle * middle + half * half / 3.0);
        let moment = 4.0 / 3.0 * middle * half * half * half;
        area * (self.density * square + self.gradient * moment)
    }
}

/// Cartesian coordinates of a place given by longitude and latitude [rad] and radius [m].
pub fn cartesian([longitude, latitude, radius]: [f64; 3]) -> [f64; 3] {
    let ((sin_lon, cos_lon), (sin_lat, cos_lat)) = (sin_cos(longitude), sin_cos(latitude));
    [radius * cos_lat * cos_lon, radius * cos_lat * sin_lon, radius * sin_lat]
}

impl Tesseroids {
    /// A collection of tesseroids; where they overlap, their densities add.
    ///
    /// # Errors
    /// [`GravityError::OfTesseroid`] and [`GravityError::EmptyTesseroid`] with the number of the first invalid tesseroid. Verified by
    /// `tesseroids::invalid_tesseroids_are_rejected`.
    pub fn new(tesseroids: impl IntoIterator<Item = Tesseroid>) -> Result<Self, GravityError> {
        let all: Vec<Tesseroid> = tesseroids.into_iter().collect();
        all.iter().enumerate().try_for_each(|(number, tesseroid)| tesseroid.check(number))?;
        Ok(Self { all })
    }

    /// Number of tesseroids.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no tesseroids.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Tesseroid `number`.
    pub fn get(&self, number: usize) -> Tesseroid {
        self.all[number]
    }

    /// A reference to a tesseroid.
    pub(crate) fn at(&self, number: usize) -> &Tesseroid {
        &self.all[number]
    }

    /// The tesseroids in another order.
    pub(crate) fn ordered(&self, order: &[usize]) -> Self {
        Self { all: order.iter().map(|&number| self.all[number]).collect() }
    }

    /// The middle of a tesseroid, in Cartesian coordinates [m].
    pub(crate) fn middle(&self, number: usize) -> [f64; 3] {
        cartesian(self.all[number].bounds().map(|[low, high]| 0.5 * (low + high)))
    }

    /// A box around a tesseroid, in Cartesian coordinates [m].
    pub(crate) fn enclosure(&self, number: usize) -> [[f64; 2]; 3] {
        /// Samples along each angle of small and large tesseroids, the angle that separates them [rad], and the safety factor for places between them.
        const SAMPLES: [usize; 2] = [1, 8];
        const SMALL: f64 = 0.1;
        const BETWEEN: f64 = 1.06;
        let [lon, lat, radius] = self.all[number].bounds();
        let middle = self.middle(number);
        let samples = SAMPLES[usize::from((lon[1] - lon[0]).max(lat[1] - lat[0]) > SMALL)];
        let angle = |[low, high]: [f64; 2], at: usize| low + (high - low) * at as f64 / samples as f64;
        let mut extent = [0.0_f64; 3];
        for latitude in (0..=samples).map(|at| angle(lat, at).sin_cos()) {
            for longitude in (0..=samples).map(|at| angle(lon, at).sin_cos()) {
                for radius in radius {
                    let across = radius * latitude.1;
                    let place = [across * longitude.1, across * longitude.0, radius * latitude.0];
                    (0..3).for_each(|axis| extent[axis] = extent[axis].max((place[axis] - middle[axis]).abs()));
                }
            }
        }
        std::array::from_fn(|axis| [middle[axis] - BETWEEN * extent[axis], middle[axis] + BETWEEN * extent[axis]])
    }

    /// Mass of a tesseroid [kg], and whether its density has both signs.
    pub(crate) fn mass(&self, number: usize) -> (f64, bool) {
        let tesseroid = &self.all[number];
        (tesseroid.mass(), tesseroid.at(tesseroid.bottom) * tesseroid.at(tesseroid.top) < 0.0)
    }

    /// Moments of a run of tesseroids about a centre, with lengths in radii.
    pub(crate) fn moments(
        &self,
        run: Range<usize>,
        centre: &[f64; 3],
        radius: f64,
        is_absolute: bool,
        isa: Isa,
    ) -> Box<Moments> {
        let mut nodes = Vec::new();
        for tesseroid in &self.all[run] {
            let sizes = pieces::sizes(&tesseroid.bounds());
            let counts = sizes.map(|size| {
                NODES
                    .iter()
                    .find(|(least, _)| size < least * radius)
                    .map_or(NODES[NODES.len() - 1].1, |(_, count)| *count)
            });
            let start = nodes.len();
            gauss(&tesseroid.bounds(), counts, |place, volume, distance| {
                let mass = volume * tesseroid.at(distance);
                let place: [f64; 3] = std::array::from_fn(|axis| (place[axis] - centre[axis]) / radius);
                nodes.push([place[0], place[1], place[2], if is_absolute { mass.abs() } else { mass }]);
            });
            // The mass is exact.
            let sum: f64 = nodes[start..].iter().map(|node: &[f64; 4]| node[3]).sum();
            let exact = tesseroid.mass();
            if !is_absolute && sum != 0.0 && exact != 0.0 && tesseroid.gradient == 0.0 {
                nodes[start..].iter_mut().for_each(|node| node[3] *= exact / sum);
            }
        }
        Box::new(f64::dispatch(isa, OfNodes { nodes: &nodes }))
    }
}

/// Calls `visit` with each Gauss point of a tesseroid: Cartesian coordinates [m], volume [m³] and radius [m].
fn gauss(bounds: &[[f64; 2]; 3], counts: [usize; 3], mut visit: impl FnMut([f64; 3], f64, f64)) {
    let [lon, lat, radius] = *bounds;
    let at = |[low, high]: [f64; 2], node: f64| 0.5 * (low + high) + 0.5 * (high - low) * node;
    let scale = 0.125 * (lon[1] - lon[0]) * (lat[1] - lat[0]) * (radius[1] - radius[0]);
    let [lons, lats, radii] = counts.map(rule);
    for [lat_node, lat_weight] in lats {
        let (sin_lat, cos_lat) = sin_cos(at(lat, *lat_node));
        for [lon_node, lon_weight] in lons {
            let (sin_lon, cos_lon) = sin_cos(at(lon, *lon_node));
            for [node, weight] in radii {
                let r = at(radius, *node);
                let volume = scale * lat_weight * lon_weight * weight * r * r * cos_lat;
                visit([r * cos_lat * cos_lon, r * cos_lat * sin_lon, r * sin_lat], volume, r);
            }
        }
    }
}
