//! Memory variables of the convolutional perfectly matched layers, stored only within the layers.

use std::ops::Range;

use craton_device::{AlignedVec, Lanes, Scalar};
use craton_numerics::cpml::{CpmlDesign, CpmlFactors, CpmlLayer};
use craton_numerics::staggered::GridPoints;

use crate::boundary::{AbsorbingLayer, Boundaries, Side};
use crate::error::FdError;
use crate::field::Field;
use crate::grid::Grid;
use crate::layout::{GROUP, Layout};
use crate::sweep::{Stresses, Update, Velocities};

/// The intersection of a block with the layer of one side.
pub struct Slab<T: Scalar> {
    /// Side of the grid, 0 to 5.
    pub side: usize,
    /// Local indices normal to the side; along x, whole groups.
    pub range: Range<usize>,
    /// CPML factors at whole and half points of the range.
    profiles: [Profile<T>; 2],
    /// Number of points with memory variables along each axis.
    shape: [usize; 3],
}

/// Factors of the CPML recursion, normal to the side.
pub struct Profile<T: Scalar> {
    pub decay: AlignedVec<T>,
    pub gain: AlignedVec<T>,
    pub inverse_stretch: AlignedVec<T>,
}

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
    let AbsorbingLayer { cells, vp_max, dominant_frequency, reflection, exponent, max_stretch } = *layer;
    let h = grid.spacing[side / 2];
    let thickness = cells as f64 * h;
    let design = CpmlDesign { thickness, vp_max, dominant_frequency, reflection, exponent, max_stretch };
    let layer = CpmlLayer::new(design)?;
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

impl<T: Scalar> Slab<T> {
    /// Creates the slabs of a block.
    ///
    /// # Errors
    /// A layer whose parameters are out of range.
    pub fn all(grid: &Grid, boundaries: &Boundaries, layout: &Layout, dt: f64) -> Result<Vec<Self>, FdError> {
        let layers = boundaries.sides.iter().enumerate().filter_map(|(side, what)| match what {
            Side::Layer(layer) if layer.cells > 0 => Some((side, layer)),
            _ => None,
        });
        layers.filter_map(|(side, layer)| Self::new(grid, side, layer, layout, dt).transpose()).collect()
    }

    fn new(
        grid: &Grid,
        side: usize,
        layer: &AbsorbingLayer,
        layout: &Layout,
        dt: f64,
    ) -> Result<Option<Self>, FdError> {
        let axis = side / 2;
        let of_grid = Self::points(grid, side, layer.cells);
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
        Ok(Some(Self { side, range, profiles, shape }))
    }

    /// Global indices of the points in the layer of a side.
    pub fn points(grid: &Grid, side: usize, cells: usize) -> Range<usize> {
        let n = grid.cells[side / 2];
        if side.is_multiple_of(2) { 0..cells } else { n - cells..n }
    }

    /// The axis normal to it.
    #[inline(always)]
    pub fn axis(&self) -> usize {
        self.side / 2
    }

    /// Memory variables at rest for one half of the step: `[k][j][component][i]`.
    pub fn memory(&self) -> AlignedVec<T> {
        AlignedVec::zeroed(self.memory_len())
    }

    /// Number of these values.
    pub fn memory_len(&self) -> usize {
        3 * self.shape.iter().product::<usize>()
    }

    /// The field at whose points memory variable `c` of a half of the step is located.
    pub fn target(&self, half: usize, c: usize) -> Field {
        match half {
            0 => Velocities::target(c, self.axis()),
            _ => Stresses::target(c, self.axis()),
        }
    }

    /// Factors at whole, then at half points of the range: decay, gain and inverse stretch of each.
    pub fn factors(&self) -> impl Iterator<Item = &[T]> {
        self.profiles.iter().flat_map(|at| [&at.decay[..], &at.gain[..], &at.inverse_stretch[..]])
    }

    /// Number of points with memory variables along each axis.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Number of memory values per plane normal to z.
    pub fn plane_len(&self) -> usize {
        3 * self.shape[0] * self.shape[1]
    }

    /// Planes normal to z that have memory variables.
    pub fn planes(&self, all: usize) -> Range<usize> {
        if self.axis() == 2 { self.range.clone() } else { 0..all }
    }

    /// Index of the memory of row (j, k), counted from the memory of plane `first`, and the x index of its first value; `None` outside the slab.
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize, first: usize) -> Option<(usize, usize)> {
        let (j, first_x) = match self.axis() {
            0 => (j, self.range.start),
            1 if self.range.contains(&j) => (j - self.range.start, 0),
            2 if self.range.contains(&k) => (j, 0),
            _ => return None,
        };
        Some((((k - first) * self.shape[1] + j) * 3 * self.shape[0], first_x))
    }

    /// Length of a row of one component.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.shape[0]
    }

    /// Factors at the points of a field: decay, gain and inverse stretch.
    #[inline(always)]
    pub fn factors_of(&self, target: Field) -> [&[T]; 3] {
        let Profile { decay, gain, inverse_stretch } =
            &self.profiles[usize::from(target.points()[self.axis()] == GridPoints::Half)];
        [decay, gain, inverse_stretch]
    }
}

/// Advances a memory variable by a step, and returns it with the stretched derivative.
///
/// # Arguments
/// * `factors` – decay, gain and inverse stretch
#[inline(always)]
pub fn stretched<V: Lanes>([decay, gain, inverse_stretch]: [V; 3], memory: V, slope: V) -> (V, V) {
    let moved = decay.mul_add(memory, gain * slope).without_negligible();
    (moved, inverse_stretch.mul_add(slope, moved))
}
