//! Absorbing layers of the scalar wave equation: factors of their recursions and the shape of their memory.

use std::ops::Range;

use craton_device::{AlignedVec, Scalar};
use craton_numerics::cpml::CpmlFactors;

use crate::acoustic::layout::Layout;
use crate::boundary::AbsorbingLayer;
use crate::error::FdError;
use crate::grid::Grid;
use crate::layers::{cpml, points};

/// Faces around the ones with memory whose variables are read, along the axis of a layer.
pub const MARGIN: usize = 2;
/// The same along rows, whose vectors are aligned.
pub const ROW_MARGIN: usize = 4;

/// Cells inside the layer's inner end whose derivative of ψ reads faces of the layer, with derivatives of four points.
const ADJACENT: usize = 1;

/// The layer of one side. A cell stores the memory variable ψ of its outer face and χ of its centre; at its inner end the damping is zero.
pub struct ScalarLayer<T: Scalar> {
    pub axis: usize,
    /// Which face of a cell it stores: 0 the lower one, as on lower sides, 1 the upper one.
    pub own: usize,
    /// Index range of cells normal to the side, with the adjacent ones; a multiple of the points of a vector along x.
    pub range: Range<usize>,
    /// Cells along each axis.
    pub shape: [usize; 3],
    /// Decay and gain at the faces of the range, and at [`MARGIN`] faces on either side, where they are zero.
    pub faces: [AlignedVec<T>; 2],
    /// Decay and gain at the centres of the range.
    pub centres: [AlignedVec<T>; 2],
}

impl<T: Scalar> ScalarLayer<T> {
    /// Creates the layer of a side.
    ///
    /// # Arguments
    /// * `width` – points of a vector along x
    ///
    /// # Errors
    /// Parameters out of range, a stretch.
    pub fn new(
        (grid, layout): (&Grid, &Layout),
        side: usize,
        layer: &AbsorbingLayer,
        dt: f64,
        width: usize,
    ) -> Result<Self, FdError> {
        if layer.max_stretch != 1.0 {
            return Err(FdError::Scalar { found: "absorbing layers with a stretch" });
        }
        let (axis, own) = (side / 2, side % 2);
        let n = grid.cells[axis];
        let mut range = points(grid, side, (layer.cells + ADJACENT).min(n));
        if axis == 0 {
            range = range.start / width * width..range.end.next_multiple_of(width);
        }
        let mut shape = [layout.groups * crate::layout::GROUP, layout.cells[1], layout.cells[2]];
        shape[axis] = range.len();
        let (design, h) = (cpml(grid, side, layer)?, grid.spacing[axis]);
        let factors = |position: f64| -> Result<CpmlFactors, FdError> {
            let to_side = if own == 0 { position } else { n as f64 - position };
            Ok(design.factors((layer.cells as f64 - to_side) * h, dt)?)
        };
        let list = |at: &[CpmlFactors], part: fn(&CpmlFactors) -> f64| {
            AlignedVec::from_slice(&at.iter().map(|own| T::from_f64(part(own))).collect::<Vec<_>>())
        };
        let both = |at: Vec<CpmlFactors>| [list(&at, |own| own.memory_decay), list(&at, |own| own.memory_gain)];
        let none = CpmlFactors { memory_decay: 0.0, memory_gain: 0.0, inverse_stretch: 1.0 };
        let face = |entry: usize| match (range.start + entry + own).checked_sub(MARGIN) {
            Some(face) if (MARGIN..MARGIN + range.len()).contains(&entry) && face <= n => factors(face as f64),
            _ => Ok(none),
        };
        let centre = |cell: usize| if cell < n { factors(cell as f64 + 0.5) } else { Ok(none) };
        let faces = both((0..range.len() + 2 * MARGIN).map(face).collect::<Result<_, _>>()?);
        let centres = both(range.clone().map(centre).collect::<Result<_, _>>()?);
        Ok(Self { axis, own, range, shape, faces, centres })
    }

    /// Shape of ψ, including its margins.
    pub fn face_shape(&self) -> [usize; 3] {
        let mut shape = self.shape;
        shape[self.axis] += 2 * if self.axis == 0 { ROW_MARGIN } else { MARGIN };
        shape
    }

    /// Number of values of ψ.
    pub fn face_len(&self) -> usize {
        self.face_shape().iter().product()
    }

    /// Number of values of χ.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
}
