//! Specification of the mesh of a sphere.

use std::f64::consts::FRAC_PI_2;

use super::centre::{self, Centre};
use crate::error::MeshError;
use crate::layers::ELEMENTS_OF_TILE;
use crate::layers::{
    Deformation, Doubling, Horizontal, Layer, Limits, Outline, SizeField, Slab, Strata, Stratum, check_doublings,
};
use crate::mesh::Geometry;

/// Number of points along each side of a block at which the interfaces are sampled for planning.
const SAMPLES: usize = 33;

/// A sphere of strata to be meshed, in Cartesian coordinates with the origin at its centre.
#[derive(Clone)]
pub struct GlobeSpec<'a> {
    /// Radius of elevation 0 [m]
    pub radius: f64,
    /// Strata from the surface down; the last one reaches to the centre
    pub strata: Vec<Stratum<'a>>,
    /// Element sizes
    pub sizes: &'a dyn SizeField,
    /// Coordinates x, y [m] of a direction from the centre, as the surfaces of the strata expect them
    pub place: &'a (dyn Fn([f64; 3]) -> [f64; 2] + Sync),
    /// 8 or 27 control nodes
    pub geometry: Geometry,
    /// Number of elements along each edge of a block at the surface; for [`Horizontal::Elements`], the first number applies
    pub horizontal: Horizontal,
    /// Whether elements grow with depth
    pub doubling: Doubling,
    /// Applied to every control node at the end
    pub deformation: Option<&'a dyn Deformation>,
    /// Approximate number of elements of a tile, see [`crate::GlobePlan`]
    pub tile: usize,
}

impl<'a> GlobeSpec<'a> {
    /// A sphere with 27-node elements of automatic size, doubling with depth.
    ///
    /// # Arguments
    /// * `radius` – of elevation 0 [m]
    /// * `strata` – from the surface down
    /// * `sizes` – element sizes
    /// * `place` – coordinates x, y [m] of a direction, for the surfaces
    pub fn new(
        radius: f64,
        strata: Vec<Stratum<'a>>,
        sizes: &'a dyn SizeField,
        place: &'a (dyn Fn([f64; 3]) -> [f64; 2] + Sync),
    ) -> Self {
        Self {
            radius,
            strata,
            sizes,
            place,
            geometry: Geometry::Quadratic27,
            horizontal: Horizontal::Automatic,
            doubling: Doubling::Automatic,
            deformation: None,
            tile: ELEMENTS_OF_TILE,
        }
    }

    /// Strata with the centre of the sphere as their bottom.
    pub(super) fn strata(&self) -> Strata<'_> {
        Strata { strata: &self.strata, bottom: -self.radius }
    }

    /// The strata as slabs. The last one ends at the central cube.
    pub(super) fn survey(&self) -> Result<Vec<Slab>, MeshError> {
        let directions = centre::directions(SAMPLES);
        let places: Vec<[f64; 2]> = directions.iter().map(|&direction| (self.place)(direction)).collect();
        let mut slabs = self.strata().survey(&places)?;
        let last = slabs.last_mut().expect("a sphere has a stratum");
        let centre = Centre::below(self.radius + last.top);
        let [low, mean, high] = centre.radii();
        let thickness = self.radius + last.top - mean;
        *last = Slab {
            top: last.top,
            bottom: mean - self.radius,
            stretch: last.stretch * (thickness + mean - low) / thickness,
            shrink: last.shrink * (thickness + mean - high) / thickness,
        };
        Ok(slabs)
    }

    /// What limits the layers of the sphere.
    pub(super) fn limits<'b>(&'b self, slabs: &'b [Slab]) -> Limits<'b> {
        Limits {
            outline: self,
            slabs,
            sizes: self.sizes,
            geometry: self.geometry,
            horizontal: self.horizontal,
            doubling: &self.doubling,
        }
    }

    /// Refuses an invalid radius, counts and doublings.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        check_doublings(&self.doubling, -self.radius)?;
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return Err(MeshError::EmptyRange { axis: 'z', low: -self.radius, high: 0.0 });
        }
        if self.strata.is_empty() {
            return Err(MeshError::NoStratum);
        }
        let value = match self.horizontal {
            Horizontal::Automatic => return Ok(()),
            Horizontal::Size(size) => size,
            Horizontal::Elements([count, _]) => count as f64,
        };
        if value > 0.0 && value.is_finite() { Ok(()) } else { Err(MeshError::Horizontal { axis: 'x', value }) }
    }
}

impl Outline for GlobeSpec<'_> {
    fn axes(&self) -> usize {
        3
    }

    fn lengths(&self, z: f64) -> [f64; 3] {
        [FRAC_PI_2 * (self.radius + z); 3]
    }

    /// At least two elements along an edge of a block, because an element that spans 90 degrees is too distorted.
    fn fewest(&self, _: usize) -> usize {
        2
    }

    fn faces(&self) -> &'static [[usize; 2]] {
        &[[0, 1], [1, 2], [2, 0]]
    }

    fn n_elements(&self, layer: &Layer) -> usize {
        2 * self.faces().iter().map(|&[a, b]| layer.quads(a) * layer.quads(b)).sum::<usize>()
    }
}
