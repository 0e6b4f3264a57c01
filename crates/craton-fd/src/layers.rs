//! The slabs of the convolutional perfectly matched layers in a block, and their factors.

use std::ops::Range;

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{Profile, Slab};
use craton_numerics::cpml::{CpmlDesign, CpmlFactors, CpmlLayer};
use craton_numerics::staggered::GridPoints;

use crate::boundary::{AbsorbingLayer, Boundaries, Side};
use crate::error::FdError;
use crate::grid::Grid;
use crate::layout::{GROUP, Layout};

/// Computes the CPML factors of the layer of a side at points normal to it.
///
/// # Arguments
/// * `range` – global indices of the points
///
/// # Errors
/// A layer whose parameters are out of range.
pub fn profile<T: Scalar>(
    grid: &Grid,
    side: usize,
    layer: &AbsorbingLayer,
    dt: f64,
    range: Range<usize>,
    points: GridPoints,
) -> Result<Profile<T>, FdError> {
    let (cells, h) = (layer.cells, grid.spacing[side / 2]);
    let layer = cpml(grid, side, layer)?;
    let depth = |i: usize| {
        let position = i as f64 + points.offset();
        let to_side = if side.is_multiple_of(2) { position } else { grid.cells[side / 2] as f64 - position };
        (cells as f64 - to_side) * h
    };
    let factors = range.map(|i| layer.factors(depth(i), dt)).collect::<Result<Vec<_>, _>>()?;
    let list = |part: fn(&CpmlFactors) -> f64| {
        AlignedVec::from_slice(&factors.iter().map(|f| T::from_f64(part(f))).collect::<Vec<_>>())
    };
    Ok(Profile {
        decay: list(|f| f.memory_decay),
        gain: list(|f| f.memory_gain),
        inverse_stretch: list(|f| f.inverse_stretch),
    })
}

/// The layer of a side with checked parameters.
///
/// # Errors
/// Parameters out of range.
pub fn cpml(grid: &Grid, side: usize, layer: &AbsorbingLayer) -> Result<CpmlLayer, FdError> {
    let AbsorbingLayer { cells, vp_max, dominant_frequency, reflection, exponent, max_stretch } = *layer;
    let thickness = cells as f64 * grid.spacing[side / 2];
    Ok(CpmlLayer::new(CpmlDesign { thickness, vp_max, dominant_frequency, reflection, exponent, max_stretch })?)
}

/// The slabs of a block.
///
/// # Errors
/// A layer whose design is out of range.
pub fn slabs<T: Scalar>(
    grid: &Grid,
    boundaries: &Boundaries,
    layout: &Layout,
    dt: f64,
) -> Result<Vec<Slab<T>>, FdError> {
    let layers = boundaries.sides.iter().enumerate().filter_map(|(side, what)| match what {
        Side::Layer(layer) if layer.cells > 0 => Some((side, layer)),
        _ => None,
    });
    layers.filter_map(|(side, layer)| slab(grid, side, layer, layout, dt).transpose()).collect()
}

/// What a block has of the layer of a side, if anything.
fn slab<T: Scalar>(
    grid: &Grid,
    side: usize,
    layer: &AbsorbingLayer,
    layout: &Layout,
    dt: f64,
) -> Result<Option<Slab<T>>, FdError> {
    let axis = side / 2;
    let of_grid = points(grid, side, layer.cells);
    let local = |i: usize| i.saturating_sub(layout.first[axis]).min(layout.extent()[axis]);
    let mut range = local(of_grid.start)..local(of_grid.end);
    if range.is_empty() {
        return Ok(None);
    }
    if axis == 0 {
        range = range.start / GROUP * GROUP..range.end.next_multiple_of(GROUP);
    }
    let first = layout.first[axis];
    let at = |points| profile(grid, side, layer, dt, first + range.start..first + range.end, points);
    let profiles = [at(GridPoints::Whole)?, at(GridPoints::Half)?];
    let mut shape = layout.extent();
    shape[0] = shape[0].next_multiple_of(GROUP);
    shape[axis] = range.len();
    Ok(Some(Slab::new(side, range, profiles, shape)))
}

/// Global indices of the points in the layer of a side.
pub fn points(grid: &Grid, side: usize, cells: usize) -> Range<usize> {
    let n = grid.cells[side / 2];
    if side.is_multiple_of(2) { 0..cells } else { n - cells..n }
}
