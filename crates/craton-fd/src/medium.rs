//! Material of the cells, and what stands beyond the sides.

use craton_device::Scalar;

use crate::boundary::{Boundaries, Side};
use crate::error::FdError;
use crate::grid::Grid;

/// Density of air [kg/m³]: small enough to weigh nothing beside rock, large enough to divide by.
const AIR_DENSITY: f64 = 1e-15;

/// Material of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// λ [Pa].
    pub lambda: f64,
    /// μ [Pa]; 0 in a fluid.
    pub mu: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

impl Material {
    /// Nothing.
    pub const AIR: Self = Self { lambda: 0.0, mu: 0.0, rho: AIR_DENSITY };

    /// From speeds [m/s] and density [kg/m³]; a fluid has `vs` = 0.
    pub fn from_speeds(vp: f64, vs: f64, rho: f64) -> Self {
        Self { lambda: rho * (vp * vp - 2.0 * vs * vs), mu: rho * vs * vs, rho }
    }

    fn is_sound(&self) -> bool {
        let finite = [self.lambda, self.mu, self.rho].iter().all(|x| x.is_finite() && *x >= 0.0);
        finite && (*self == Self::AIR || self.lambda > 0.0 && self.rho > AIR_DENSITY)
    }
}

/// What a cell is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// No moduli: nothing but a free surface at its edges.
    Air,
    /// No shear modulus.
    Fluid,
    /// Both.
    Solid,
    /// Beyond a rigid wall.
    Rigid,
    /// Beyond a side where the velocity is prescribed.
    Prescribed,
}

/// A cell as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stored<T> {
    /// λ [Pa].
    pub lambda: T,
    /// 1/μ [1/Pa], infinite without shear.
    pub inverse_mu: T,
    /// Density [kg/m³]; infinite beyond a wall.
    pub rho: T,
    /// What it is made of.
    pub kind: Kind,
}

impl<T: Scalar> Stored<T> {
    fn new(material: Material) -> Self {
        let [lambda, inverse_mu, rho] = [material.lambda, 1.0 / material.mu, material.rho].map(T::from_f64);
        Self::from_parts([lambda, inverse_mu, rho])
    }

    fn from_parts([lambda, inverse_mu, rho]: [T; 3]) -> Self {
        let kind = match (lambda.to_f64() == 0.0, inverse_mu.is_finite()) {
            (true, _) => Kind::Air,
            (false, true) => Kind::Solid,
            (false, false) => Kind::Fluid,
        };
        Self { lambda, inverse_mu, rho, kind }
    }
}

/// Material on all cells of a grid: three numbers per cell.
pub struct Medium<T> {
    grid: Grid,
    /// λ, 1/μ, ρ of each.
    cells: Vec<[T; 3]>,
}

impl<T: Scalar> Medium<T> {
    /// Asks for the material of each cell, x fastest.
    ///
    /// # Errors
    /// A grid that is not sound; negative or infinite moduli, λ or density that is not positive.
    pub fn new(grid: Grid, mut material: impl FnMut([usize; 3]) -> Material) -> Result<Self, FdError> {
        grid.check()?;
        let mut cells = Vec::with_capacity(grid.n_cells());
        for k in 0..grid.cells[2] {
            for j in 0..grid.cells[1] {
                for i in 0..grid.cells[0] {
                    let (cell, material) = ([i, j, k], material([i, j, k]));
                    if !material.is_sound() {
                        return Err(FdError::Material { cell, material });
                    }
                    let Stored { lambda, inverse_mu, rho, .. } = Stored::new(material);
                    cells.push([lambda, inverse_mu, rho]);
                }
            }
        }
        Ok(Self { grid, cells })
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What a cell is made of.
    pub fn kind(&self, cell: [usize; 3]) -> Kind {
        Stored::from_parts(self.cells[self.grid.number(cell)]).kind
    }

    /// The cell at any index: air beyond a free side, the mirror image with infinite density beyond a wall, the opposite side's cells beyond
    /// a periodic one, the outermost cell again beyond a layer.
    pub(crate) fn beyond(&self, cell: [i64; 3], boundaries: &Boundaries) -> Stored<T> {
        let (mut inside, mut wall) = ([0; 3], None);
        for axis in 0..3 {
            let n = self.grid.cells[axis] as i64;
            let i = cell[axis];
            let side = boundaries.sides[2 * axis + usize::from(i >= n)];
            inside[axis] = match side {
                _ if (0..n).contains(&i) => i,
                Side::Free => return Stored::new(Material::AIR),
                Side::Periodic => i.rem_euclid(n),
                Side::Layer(_) => i.clamp(0, n - 1),
                Side::Rigid | Side::Paraxial => {
                    let beyond = if side == Side::Paraxial { Kind::Prescribed } else { Kind::Rigid };
                    wall = Some(beyond);
                    if i < 0 { (-1 - i).min(n - 1) } else { (2 * n - 1 - i).max(0) }
                }
            } as usize;
        }
        let stored = Stored::from_parts(self.cells[self.grid.number(inside)]);
        match wall {
            Some(kind) => Stored { rho: T::from_f64(f64::INFINITY), kind, ..stored },
            None => stored,
        }
    }
}
