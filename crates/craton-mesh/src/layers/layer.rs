//! The layers of a plan, and the size limits of their elements.

use super::spec::{Doubling, Horizontal, SizeField};
use super::strata::Slab;
use crate::error::MeshError;
use crate::mesh::Geometry;

/// Factor by which edges may exceed the allowed size, because counts are integers and often even.
pub const SIZE_TOLERANCE: f64 = 1.01;

/// Maximum number of elements: their twelve edges must have 32-bit numbers.
pub const MOST_ELEMENTS: u64 = u32::MAX as u64 / 12;

/// Kind of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayerKind {
    /// One row of boxes
    Plain,
    /// Doubling: half as many elements below as above, along an axis of the columns
    Doubling(usize),
}

/// One layer of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Layer {
    pub(crate) kind: LayerKind,
    pub(crate) stratum: usize,
    /// Where it starts and ends in the stratum: 0 is the top of the stratum, 1 its bottom
    pub(crate) depth: [f64; 2],
    /// Elements along each axis at its top; those of axes that the outline does not have are 1
    pub(crate) counts: [usize; 3],
}

impl Layer {
    /// Elements along each axis at its bottom.
    pub(crate) fn counts_below(&self) -> [usize; 3] {
        let mut counts = self.counts;
        if let LayerKind::Doubling(axis) = self.kind {
            counts[axis] /= 2;
        }
        counts
    }

    /// Quadrilaterals along an axis: a doubling has six for every four at its top.
    pub(crate) fn quads(&self, axis: usize) -> usize {
        if self.kind == LayerKind::Doubling(axis) { self.counts[axis] / 4 * 6 } else { self.counts[axis] }
    }
}

/// Layers from the top down.
pub(crate) type Plan = Vec<Layer>;

/// The horizontal shape of a mesh that is divided into columns.
pub(crate) trait Outline: Sync {
    /// Number of axes along which columns are counted and doubled, at most 3.
    fn axes(&self) -> usize;

    /// Largest lengths [m] along each axis at an elevation [m]; 0 for axes that the outline does not have.
    fn lengths(&self, z: f64) -> [f64; 3];

    /// Minimum number of columns along an axis.
    fn fewest(&self, axis: usize) -> usize;

    /// The two axes of each horizontal face.
    fn faces(&self) -> &'static [[usize; 2]];

    /// Number of elements of a layer.
    fn n_elements(&self, layer: &Layer) -> usize {
        self.faces().iter().map(|&[a, b]| layer.quads(a) * layer.quads(b)).sum()
    }
}

/// Limits of a mesh in layers: its outline, its strata and the checked values of its size field.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    pub(crate) outline: &'a dyn Outline,
    pub(crate) slabs: &'a [Slab],
    pub(crate) sizes: &'a dyn SizeField,
    pub(crate) geometry: Geometry,
    pub(crate) horizontal: Horizontal,
    pub(crate) doubling: &'a Doubling,
}

impl Limits<'_> {
    /// Mean elevations of the top and bottom of a layer [m].
    pub(crate) fn span(&self, layer: &Layer) -> [f64; 2] {
        let slab = &self.slabs[layer.stratum];
        layer.depth.map(|depth| slab.top - depth * slab.thickness())
    }

    /// The widest edges along any axis at an elevation [m].
    pub(crate) fn widest(&self, counts: [usize; 3], z: f64) -> f64 {
        let widths = self.outline.lengths(z).into_iter().zip(counts).map(|(length, count)| length / count as f64);
        widths.fold(0.0, f64::max)
    }

    /// Largest allowed edge, including the tolerance.
    pub(crate) fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.sizes.size(stratum, z_low, z_high);
        let size =
            positive(value).ok_or(MeshError::SizeField { what: "element size", stratum, z_low, z_high, value })?;
        Ok(SIZE_TOLERANCE * size)
    }

    /// Largest wave speed [m/s].
    pub(crate) fn speed(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.sizes.fastest(stratum, z_low, z_high);
        positive(value).ok_or(MeshError::SizeField { what: "fastest wave speed", stratum, z_low, z_high, value })
    }
}

/// The value if it is positive and finite.
fn positive(value: f64) -> Option<f64> {
    (value > 0.0 && value.is_finite()).then_some(value)
}
