//! Bulk modulus and density on the cells of a grid.

use craton_device::Scalar;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::face_buoyancy;

use crate::error::FdError;
use crate::grid::Grid;

/// Material of a cell of fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcousticMaterial {
    /// Speed of waves [m/s].
    pub vp: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

/// A fluid on the cells of a grid; beyond its sides the outermost cells go on.
#[derive(Debug, Clone)]
pub struct AcousticMedium<T> {
    grid: Grid,
    /// κ [Pa], x fastest.
    kappa: Vec<T>,
    /// ρ [kg/m³], likewise.
    rho: Vec<T>,
}

impl<T: Scalar> AcousticMedium<T> {
    /// Asks for the material of each cell, x fastest.
    ///
    /// # Arguments
    /// * `grid` – of one cell along y for waves in a plane
    /// # Errors
    /// A grid that is not sound, speeds and densities that are not positive.
    pub fn new(grid: Grid, mut material: impl FnMut([usize; 3]) -> AcousticMaterial) -> Result<Self, FdError> {
        grid.check()?;
        let [nx, ny, nz] = grid.cells;
        let (mut kappa, mut rho) = (Vec::with_capacity(grid.n_cells()), Vec::with_capacity(grid.n_cells()));
        for (k, j, i) in (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (k, j, i)))) {
            let own = material([i, j, k]);
            if ![own.vp, own.rho].iter().all(|x| x.is_finite() && *x > 0.0) {
                return Err(FdError::Fluid { cell: [i, j, k], vp: own.vp, rho: own.rho });
            }
            kappa.push(T::from_f64(own.rho * own.vp * own.vp));
            rho.push(T::from_f64(own.rho));
        }
        Ok(Self { grid, kappa, rho })
    }

    /// The cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Axes along which the waves travel: x and z in a plane, all three in space.
    pub fn axes(&self) -> &'static [usize] {
        if self.grid.cells[1] == 1 { &[0, 2] } else { &[0, 1, 2] }
    }

    /// κ [Pa] of a cell.
    pub fn kappa(&self, cell: [usize; 3]) -> f64 {
        self.kappa[self.grid.number(cell)].to_f64()
    }

    /// ρ [kg/m³] of a cell.
    pub fn rho(&self, cell: [usize; 3]) -> f64 {
        self.rho[self.grid.number(cell)].to_f64()
    }

    /// Buoyancy [m³/kg] at the face of a cell towards the lower end of an axis; beyond the grid the outermost cells go on. The face above the last
    /// cell has the number of cells as its index.
    pub fn buoyancy(&self, cell: [usize; 3], axis: usize) -> f64 {
        let last = self.grid.cells[axis] - 1;
        let at = |i: usize| {
            let mut other = cell;
            other[axis] = i.min(last);
            self.rho(other)
        };
        face_buoyancy([at(cell[axis].saturating_sub(1)), at(cell[axis])])
    }

    /// Largest stable time step [s]: 2 / (2 Σ|c_n| √(κ Σ b / h²)), b the larger buoyancy of a cell's two faces across each axis.
    ///
    /// # Source
    /// Gershgorin's circles of ∂²p/∂t² = κ ∇·(1/ρ ∇p); von Neumann's condition where nothing varies.
    /// Verified by `a_random_fluid_is_stable_at_the_limit`.
    pub fn stable_step(&self, stencil: &StaggeredStencil) -> f64 {
        let Grid { cells: [nx, ny, nz], spacing, .. } = self.grid;
        let square = |cell: [usize; 3]| {
            let along = self.axes().iter().map(|&axis| {
                let mut above = cell;
                above[axis] += 1;
                let faces = self.buoyancy(cell, axis) + self.buoyancy(above, axis);
                (0.5 * faces).max(1.0 / self.rho(cell)) / (spacing[axis] * spacing[axis])
            });
            self.kappa(cell) * along.sum::<f64>()
        };
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        let fastest = cells.map(square).fold(0.0, f64::max);
        1.0 / (stencil.absolute_sum() * fastest.sqrt())
    }
}
