//! What happens at the sides of the box.

use craton_numerics::staggered::GridPoints;

use crate::error::FdError;
use crate::grid::Grid;
use crate::medium::Kind;
use craton_fd_kernels::Field;

/// What a side of the box is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// Free of traction: air begins here.
    Free,
    /// Nothing moves.
    Rigid,
    /// The opposite side goes on here; both sides of an axis or none.
    Periodic,
    /// First-order paraxial: (∂/∂t + c ∂/∂n) v = 0 on the outermost points of each velocity, c = vP for the component along the normal and
    /// vS for the others (Clayton and Engquist 1977, A1). It may grow where contacts of water, rock and air meet the side; a layer does not.
    Paraxial,
    /// A convolutional perfectly matched layer, beyond whose end all fields are zero.
    Layer(AbsorbingLayer),
}

/// A convolutional perfectly matched layer; its cells are part of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AbsorbingLayer {
    /// Thickness in cells; 10 is common, and none leaves the end of the grid bare.
    pub cells: usize,
    /// Fastest speed of P waves in it [m/s].
    pub vp_max: f64,
    /// Dominant frequency of the sources [Hz].
    pub dominant_frequency: f64,
    /// Amplitude that a P wave at normal incidence keeps [–]; 0.001 is common for 10 cells, and 0.0001 leaves 20 dB less of waves that graze them.
    pub reflection: f64,
    /// Exponent of the profiles [–]; 2 is common.
    pub exponent: f64,
    /// Largest stretch of the coordinate [–]; 1 stretches nothing.
    pub max_stretch: f64,
}

/// Damps velocities and stresses near a side: each step multiplies them by exp(-(factor (cells - i))²) at i cells from the side.
///
/// # Source
/// Cerjan et al. (1985), Geophysics 50, 705-708.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sponge {
    /// Width in cells; 20 is common.
    pub cells: usize,
    /// Strength [–]; 0.015 is common.
    pub factor: f64,
}

/// The sides in the order XMin, XMax, YMin, YMax, Bottom, Top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundaries {
    /// What each side is.
    pub sides: [Side; 6],
    /// A sponge in front of it.
    pub sponges: [Option<Sponge>; 6],
}

impl Boundaries {
    /// The same on all sides, without sponges.
    pub fn all(side: Side) -> Self {
        Self { sides: [side; 6], sponges: [None; 6] }
    }

    /// Whether an axis closes on itself.
    pub(crate) fn is_periodic(&self, axis: usize) -> bool {
        self.sides[2 * axis] == Side::Periodic
    }

    /// Points of a field along each axis: one more than cells where it stands on whole points, unless the axis closes on itself or a layer ends it.
    pub(crate) fn shape(&self, grid: &Grid, field: Field) -> [usize; 3] {
        let points = field.points();
        [0, 1, 2].map(|axis| {
            let is_whole = points[axis] == GridPoints::Whole;
            grid.cells[axis] + if is_whole { self.extra(axis) } else { 0 }
        })
    }

    /// Planes of whole points along an axis beyond as many as there are cells.
    pub(crate) fn extra(&self, axis: usize) -> usize {
        usize::from(!matches!(self.sides[2 * axis + 1], Side::Periodic | Side::Layer(_)))
    }

    /// The place of a point that stencils and weights may name: on a periodic axis also beyond its ends; none where a layer has ended.
    pub(crate) fn inside(&self, grid: &Grid, field: Field, point: [i64; 3]) -> Option<[usize; 3]> {
        let shape = self.shape(grid, field);
        let mut place = [0; 3];
        for axis in 0..3 {
            let (i, n) = (point[axis], shape[axis] as i64);
            let i = if self.is_periodic(axis) { i.rem_euclid(n) } else { i };
            place[axis] = usize::try_from(i).ok().filter(|&i| i < shape[axis])?;
        }
        Some(place)
    }

    /// The cell that stands for the one at any index, and what is there instead of it where that is a wall; none for air.
    pub(crate) fn cell_at(&self, grid: &Grid, cell: [i64; 3]) -> Option<([usize; 3], Option<Kind>)> {
        let (mut inside, mut wall) = ([0; 3], None);
        for axis in 0..3 {
            let n = grid.cells[axis] as i64;
            let i = cell[axis];
            let side = self.sides[2 * axis + usize::from(i >= n)];
            inside[axis] = match side {
                _ if (0..n).contains(&i) => i,
                Side::Free => return None,
                Side::Periodic => i.rem_euclid(n),
                Side::Layer(_) => i.clamp(0, n - 1),
                Side::Rigid | Side::Paraxial => {
                    let beyond = if side == Side::Paraxial { Kind::Prescribed } else { Kind::Rigid };
                    wall = Some(beyond);
                    if i < 0 { (-1 - i).min(n - 1) } else { (2 * n - 1 - i).max(0) }
                }
            } as usize;
        }
        Some((inside, wall))
    }

    /// The kind of the cell at any index.
    ///
    /// # Arguments
    /// * `own` – kinds of the cells of the grid
    pub(crate) fn kind_at(&self, grid: &Grid, cell: [i64; 3], own: impl FnOnce([usize; 3]) -> Kind) -> Kind {
        match self.cell_at(grid, cell) {
            None => Kind::Air,
            Some((inside, wall)) => wall.unwrap_or_else(|| own(inside)),
        }
    }

    /// # Errors
    /// Periodic sides without their opposite, layers and sponges that do not fit.
    pub(crate) fn check(&self, grid: &Grid) -> Result<(), FdError> {
        for axis in 0..3 {
            let sides = [self.sides[2 * axis], self.sides[2 * axis + 1]];
            if (sides[0] == Side::Periodic) != (sides[1] == Side::Periodic) {
                return Err(FdError::Unpaired { axis });
            }
            let thickness = |side: Side| if let Side::Layer(layer) = side { layer.cells } else { 0 };
            let (layers, cells) = (sides.map(thickness).iter().sum(), grid.cells[axis]);
            if layers >= cells {
                return Err(FdError::Layers { axis, layers, cells });
            }
        }
        let broken = |sponge: &&Sponge| !(sponge.factor.is_finite() && sponge.factor > 0.0);
        match self.sponges.iter().flatten().find(broken) {
            Some(sponge) => Err(FdError::Sponge(sponge.factor)),
            None => Ok(()),
        }
    }
}
