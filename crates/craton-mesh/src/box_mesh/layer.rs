//! The layers of a plan, and the size limits of their elements.

use super::spec::BoxSpec;
use super::strata::Slab;
use crate::error::MeshError;

/// Factor by which edges may exceed the allowed size, because counts are integers and often even.
pub const SIZE_TOLERANCE: f64 = 1.01;

/// Kind of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerKind {
    /// One row of boxes
    Plain,
    /// Doubling: half as many elements below as above, along x (0) or y (1)
    Doubling(usize),
}

/// One layer of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    pub(super) kind: LayerKind,
    pub(super) stratum: usize,
    /// Where it starts and ends in the stratum: 0 is the top of the stratum, 1 its bottom
    pub(super) depth: [f64; 2],
    /// Elements along x and y at its top
    pub(super) counts: [usize; 2],
}

impl Layer {
    /// Elements along x and y at its bottom.
    pub(super) fn counts_below(&self) -> [usize; 2] {
        let mut counts = self.counts;
        if let LayerKind::Doubling(axis) = self.kind {
            counts[axis] /= 2;
        }
        counts
    }

    /// Number of elements: a doubling has six for every four at its top.
    pub(super) fn n_elements(&self) -> usize {
        match self.kind {
            LayerKind::Plain => self.counts[0] * self.counts[1],
            LayerKind::Doubling(axis) => self.counts[axis] / 4 * 6 * self.counts[1 - axis],
        }
    }
}

/// Layers from the top down.
pub(super) type Plan = Vec<Layer>;

/// Limits of a box: its strata and the checked values of its size field.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) spec: &'a BoxSpec<'a>,
    pub(super) slabs: &'a [Slab],
}

impl Limits<'_> {
    /// Mean elevations of the top and bottom of a layer [m].
    pub(super) fn span(&self, layer: &Layer) -> [f64; 2] {
        let slab = &self.slabs[layer.stratum];
        layer.depth.map(|depth| slab.top - depth * slab.thickness())
    }

    /// The wider of the edges along x and y at an elevation [m].
    pub(super) fn widest(&self, counts: [usize; 2], z: f64) -> f64 {
        let lengths = self.spec.bent_lengths(z);
        (lengths[0] / counts[0] as f64).max(lengths[1] / counts[1] as f64)
    }

    /// Largest allowed edge, including the tolerance.
    pub(super) fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.spec.sizes.size(stratum, z_low, z_high);
        let size =
            positive(value).ok_or(MeshError::SizeField { what: "element size", stratum, z_low, z_high, value })?;
        Ok(SIZE_TOLERANCE * size)
    }

    /// Largest wave speed [m/s].
    pub(super) fn speed(&self, stratum: usize, z_low: f64, z_high: f64) -> Result<f64, MeshError> {
        let value = self.spec.sizes.fastest(stratum, z_low, z_high);
        positive(value).ok_or(MeshError::SizeField { what: "fastest wave speed", stratum, z_low, z_high, value })
    }
}

/// The value if it is positive and finite.
fn positive(value: f64) -> Option<f64> {
    (value > 0.0 && value.is_finite()).then_some(value)
}
