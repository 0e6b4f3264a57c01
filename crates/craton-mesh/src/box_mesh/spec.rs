//! Specification of a box mesh: the box, its strata and the element sizes.

use crate::error::MeshError;
use crate::layers::{
    Deformation, Doubling, ELEMENTS_OF_TILE, Horizontal, Limits, Outline, SizeField, Slab, Strata, Stratum,
    check_doublings, lerp,
};
use crate::mesh::Geometry;

/// A box of strata to be meshed.
#[derive(Clone)]
pub struct BoxSpec<'a> {
    /// Range along x [m]
    pub x: [f64; 2],
    /// Range along y [m]
    pub y: [f64; 2],
    /// Elevation of the flat bottom [m]
    pub bottom: f64,
    /// Strata from the top down
    pub strata: Vec<Stratum<'a>>,
    /// Element sizes
    pub sizes: &'a dyn SizeField,
    /// 8 or 27 control nodes
    pub geometry: Geometry,
    /// Number of elements along x and y
    pub horizontal: Horizontal,
    /// Whether elements grow with depth
    pub doubling: Doubling,
    /// Whether the x and y sides are periodic; periodic sides have no boundary faces
    pub periodic: [bool; 2],
    /// Approximate number of elements of a tile, see [`crate::BoxPlan`]
    pub tile: usize,
    /// Applied to every control node at the end
    pub deformation: Option<&'a dyn Deformation>,
}

impl<'a> BoxSpec<'a> {
    /// A box with 27-node elements of automatic size, doubling with depth, without periodic sides or deformation.
    ///
    /// # Arguments
    /// * `x`, `y` – ranges [m]
    /// * `bottom` – elevation of the flat bottom [m]
    /// * `strata` – from the top down
    /// * `sizes` – element sizes
    pub fn new(x: [f64; 2], y: [f64; 2], bottom: f64, strata: Vec<Stratum<'a>>, sizes: &'a dyn SizeField) -> Self {
        Self {
            x,
            y,
            bottom,
            strata,
            sizes,
            geometry: Geometry::Quadratic27,
            horizontal: Horizontal::Automatic,
            doubling: Doubling::Automatic,
            periodic: [false; 2],
            tile: ELEMENTS_OF_TILE,
            deformation: None,
        }
    }

    /// Lengths of the box along x and y [m].
    pub(super) fn lengths(&self) -> [f64; 2] {
        [self.x, self.y].map(|[low, high]| high - low)
    }

    /// Largest lengths [m] of the deformed box along x and y at an elevation [m].
    pub(super) fn bent_lengths(&self, z: f64) -> [f64; 2] {
        let spread = self.deformation.map_or(1.0, |deformation| deformation.spread(z));
        self.lengths().map(|length| spread * length)
    }

    /// Points x, y [m] of a regular grid with this number along each side.
    pub(super) fn grid(&self, along: usize) -> Vec<[f64; 2]> {
        let at = |range: [f64; 2], index: usize| lerp(range, index as f64 / (along - 1) as f64);
        (0..along * along).map(|index| [at(self.x, index % along), at(self.y, index / along)]).collect()
    }

    /// The strata and the bottom.
    pub(super) fn strata(&self) -> Strata<'_> {
        Strata { strata: &self.strata, bottom: self.bottom }
    }

    /// What limits the layers of the box.
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

    /// Refuses empty ranges and invalid counts and doublings.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        check_doublings(&self.doubling, self.bottom)?;
        for (axis, [low, high]) in [('x', self.x), ('y', self.y)] {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(MeshError::EmptyRange { axis, low, high });
            }
        }
        if self.strata.is_empty() {
            return Err(MeshError::NoStratum);
        }
        let (sizes, fewest) = match self.horizontal {
            Horizontal::Automatic => return Ok(()),
            Horizontal::Size(size) => ([size; 2], [f64::INFINITY; 2]),
            Horizontal::Elements(counts) => {
                let counts = counts.map(|count| count as f64);
                (counts, counts)
            }
        };
        for (index, axis) in ['x', 'y'].into_iter().enumerate() {
            if !(sizes[index] > 0.0 && sizes[index].is_finite()) {
                return Err(MeshError::Horizontal { axis, value: sizes[index] });
            }
            if self.periodic[index] && fewest[index] < 3.0 {
                return Err(MeshError::PeriodicTooFew { axis, count: fewest[index] as usize });
            }
        }
        Ok(())
    }
}

impl Outline for BoxSpec<'_> {
    fn axes(&self) -> usize {
        2
    }

    fn lengths(&self, z: f64) -> [f64; 3] {
        let [x, y] = self.bent_lengths(z);
        [x, y, 0.0]
    }

    fn fewest(&self, axis: usize) -> usize {
        if self.periodic[axis] { 3 } else { 1 }
    }

    fn faces(&self) -> &'static [[usize; 2]] {
        &[[0, 1]]
    }
}
