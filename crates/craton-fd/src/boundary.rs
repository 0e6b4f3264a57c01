//! Boundary conditions at the sides of the box.

use craton_numerics::staggered::GridPoints;

use crate::error::FdError;
use crate::grid::Grid;
use crate::medium::Kind;
use craton_fd_kernels::Field;

/// Boundary condition of a side of the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// Free surface, with air beyond it.
    Free,
    /// Rigid wall: the velocity is zero.
    Rigid,
    /// Periodic; both sides of an axis must be, or neither.
    Periodic,
    /// First-order paraxial condition (∂/∂t + c ∂/∂n) v = 0 at the outermost points of each velocity component, c = vP for the normal component
    /// and vS for the others (Clayton and Engquist 1977, A1). It may be unstable where interfaces of water, rock and air meet the side; a layer is
    /// stable.
    Paraxial,
    /// Convolutional perfectly matched layer; all fields are zero beyond its outer end.
    Layer(AbsorbingLayer),
}

/// A convolutional perfectly matched layer; its cells are part of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AbsorbingLayer {
    /// Thickness in cells; 10 is common. With 0 cells the grid ends without absorption.
    pub cells: usize,
    /// Largest P-wave speed in it [m/s].
    pub vp_max: f64,
    /// Dominant frequency of the sources [Hz].
    pub dominant_frequency: f64,
    /// Theoretical reflection coefficient of a P wave at normal incidence [–]. 0.001 is common for 10 cells; 0.0001 reduces reflections at grazing
    /// incidence by 20 dB.
    pub reflection: f64,
    /// Exponent of the profiles [–]; 2 is common.
    pub exponent: f64,
    /// Maximum coordinate stretching [–]; 1 means none.
    pub max_stretch: f64,
}

/// Sponge that damps velocities and stresses near a side: each step multiplies them by exp(-(factor (cells - i))²) at i cells from the side.
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

/// Boundary conditions of all sides, in the order XMin, XMax, YMin, YMax, Bottom, Top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundaries {
    /// Condition of each side.
    pub sides: [Side; 6],
    /// Optional sponge inside each side.
    pub sponges: [Option<Sponge>; 6],
}

impl Boundaries {
    /// The same condition on all sides, without sponges.
    pub fn all(side: Side) -> Self {
        Self { sides: [side; 6], sponges: [None; 6] }
    }

    /// Whether an axis is periodic.
    pub(crate) fn is_periodic(&self, axis: usize) -> bool {
        self.sides[2 * axis] == Side::Periodic
    }

    /// Number of points of a field along each axis: one more than cells if it is at whole points, unless the axis is periodic or ends in an absorbing
    /// layer.
    pub(crate) fn shape(&self, grid: &Grid, field: Field) -> [usize; 3] {
        let points = field.points();
        [0, 1, 2].map(|axis| {
            let is_whole = points[axis] == GridPoints::Whole;
            grid.cells[axis] + if is_whole { self.extra(axis) } else { 0 }
        })
    }

    /// Number of planes of whole points along an axis minus number of cells: 0 or 1.
    pub(crate) fn extra(&self, axis: usize) -> usize {
        usize::from(!matches!(self.sides[2 * axis + 1], Side::Periodic | Side::Layer(_)))
    }

    /// The grid indices of a point that stencils and weights refer to. Indices wrap around on periodic axes; `None` beyond the end of a layer.
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

    /// The cell that provides the material at any index, and the kind of wall if the index is beyond one; `None` for air.
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

    /// Kind of the cell at any index.
    ///
    /// # Arguments
    /// * `own` – kind of a cell of the grid
    pub(crate) fn kind_at(&self, grid: &Grid, cell: [i64; 3], own: impl FnOnce([usize; 3]) -> Kind) -> Kind {
        match self.cell_at(grid, cell) {
            None => Kind::Air,
            Some((inside, wall)) => wall.unwrap_or_else(|| own(inside)),
        }
    }

    /// Checks the conditions.
    ///
    /// # Errors
    /// A periodic side whose opposite is not periodic, layers that leave no cells, a sponge factor that is not positive.
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
