//! Material of the cells of a grid, and its continuation beyond the sides.

use std::sync::Arc;

use craton_comm::CommError;
use craton_device::Scalar;
use craton_sim::PartExchange;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::cut::Cut;
use crate::error::FdError;
use crate::grid::Grid;
use crate::mixture::Mixture;
use crate::relaxation::Mechanisms;
use crate::stability::{square_speed, square_speed_between};
use crate::window::{self, Window};

/// Density of air [kg/m³]: negligible compared with rock, but large enough to divide by.
const AIR_DENSITY: f64 = 1e-15;

/// Material of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// λ [Pa]; negative in a solid with vS > √(1/2) vP.
    pub lambda: f64,
    /// μ [Pa]; 0 in a fluid.
    pub mu: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

impl Material {
    /// Air, which represents a vacuum.
    pub const AIR: Self = Self { lambda: 0.0, mu: 0.0, rho: AIR_DENSITY };

    /// From speeds [m/s] and density [kg/m³]; a fluid has `vs` = 0.
    pub fn from_speeds(vp: f64, vs: f64, rho: f64) -> Self {
        Self { lambda: rho * (vp * vp - 2.0 * vs * vs), mu: rho * vs * vs, rho }
    }

    fn is_sound(&self) -> bool {
        let Self { lambda, mu, rho } = *self;
        let finite = [lambda, mu, rho].iter().all(|x| x.is_finite());
        // A positive bulk modulus: no strain has negative energy.
        finite && (*self == Self::AIR || mu >= 0.0 && lambda + 2.0 / 3.0 * mu > 0.0 && rho > AIR_DENSITY)
    }
}

/// Kind of material of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Zero moduli: its faces are free surfaces.
    Air,
    /// Zero shear modulus.
    Fluid,
    /// Nonzero shear modulus.
    Solid,
    /// Beyond a rigid wall.
    Rigid,
    /// Beyond a paraxial side, where the velocity is prescribed.
    Prescribed,
}

/// A cell as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stored<T> {
    /// λ [Pa].
    pub lambda: T,
    /// 1/μ [1/Pa]; infinite where μ = 0.
    pub inverse_mu: T,
    /// Density [kg/m³]; infinite beyond a wall.
    pub rho: T,
    /// Kind of material.
    pub kind: Kind,
}

impl<T: Scalar> Stored<T> {
    fn new(material: Material) -> Self {
        let [lambda, inverse_mu, rho] = [material.lambda, 1.0 / material.mu, material.rho].map(T::from_f64);
        Self::from_parts([lambda, inverse_mu, rho])
    }

    fn from_parts([lambda, inverse_mu, rho]: [T; 3]) -> Self {
        let kind = match (inverse_mu.is_finite(), lambda.to_f64() == 0.0) {
            (true, _) => Kind::Solid,
            (false, true) => Kind::Air,
            (false, false) => Kind::Fluid,
        };
        Self { lambda, inverse_mu, rho, kind }
    }
}

/// Material of the cells of a grid: three values per cell. If there are several ranks, each holds the values of its own parts and only the kinds
/// of all other cells.
pub struct Medium<T> {
    grid: Grid,
    window: Window,
    /// λ, 1/μ, ρ of each cell of the window.
    cells: Vec<[T; 3]>,
    /// The mixtures, each with the number of its cell in the grid, in ascending order of these numbers.
    mixtures: Vec<(usize, Mixture)>,
    /// Losses, if the medium attenuates waves.
    losses: Option<Losses<T>>,
    /// What the ranks have exchanged ([`Medium::tell`]).
    shared: Option<Shared>,
}

/// Losses of the cells of a window.
struct Losses<T> {
    mechanisms: Mechanisms,
    /// 1/Qκ [–] and 1/(μ Qμ) [1/Pa] of each cell.
    cells: Vec<[T; 2]>,
}

/// What every rank holds about the cells of all ranks.
struct Shared {
    /// Kinds of all cells of the grid.
    kinds: Arc<[Kind]>,
    /// Square of the largest speed in the grid [m²/s²].
    fastest: f64,
}

impl<T: Scalar> Medium<T> {
    /// Evaluates the material of each cell, x fastest.
    ///
    /// # Errors
    /// A grid that is not valid; moduli that are not finite, a negative shear modulus, a bulk modulus or density that is not positive.
    pub fn new(grid: Grid, mut material: impl FnMut([usize; 3]) -> Material) -> Result<Self, FdError> {
        grid.check()?;
        let window = Window::whole(&grid);
        let mut cells = Vec::with_capacity(window.len());
        for row in 0..grid.cells[1] * grid.cells[2] {
            for cell in window.row(row) {
                cells.push(stored(cell, material(cell))?);
            }
        }
        Ok(Self { grid, window, cells, mixtures: Vec::new(), losses: None, shared: None })
    }

    /// Evaluates, on all worker threads, the material of the cells that this rank needs. [`Medium::tell`] completes the medium.
    ///
    /// # Arguments
    /// * `half_length` – of the stencil
    /// * `parts` – along each axis, as many as the exchange has
    ///
    /// # Errors
    /// As [`Medium::new`]; boundaries or parts that do not fit the grid.
    pub fn distributed(
        grid: Grid,
        boundaries: &Boundaries,
        half_length: usize,
        parts: [usize; 3],
        exchange: &PartExchange,
        material: impl Fn([usize; 3]) -> Material + Sync,
    ) -> Result<Self, FdError> {
        grid.check()?;
        boundaries.check(&grid)?;
        let cut = Cut::new(&grid, boundaries, half_length, parts)?;
        let window = Window::distributed(&grid, &cut, exchange);
        let mut cells = vec![[T::default(); 3]; window.len()];
        let fill = |(number, row): (usize, &mut [[T; 3]])| {
            let mut cells = row.iter_mut().zip(window.row(number));
            cells.try_for_each(|(own, cell)| stored(cell, material(cell)).map(|stored| *own = stored)).err()
        };
        match cells.par_chunks_exact_mut(window.row_len()).enumerate().find_map_first(fill) {
            Some(error) => Err(error),
            None => Ok(Self { grid, window, cells, mixtures: Vec::new(), losses: None, shared: None }),
        }
    }

    /// Adds, on all worker threads, the averages of the values whose volumes contain several solids. A value that the mixtures do not change has the
    /// averages of [`Medium::new`]: the harmonic mean of shear moduli around an edge, the mean density of the cells at a face.
    ///
    /// # Arguments
    /// * `mixture` – averages in the volumes of the values of a cell; `None` if each volume is in one medium
    pub fn with_mixtures(mut self, mixture: impl Fn([usize; 3]) -> Option<Mixture> + Sync) -> Self {
        let of_row = |row: usize| {
            let cells = self.window.row(row);
            let mixtures = cells.filter_map(|cell| mixture(cell).map(|own| (self.grid.number(cell), own)));
            mixtures.collect::<Vec<_>>()
        };
        let rows = self.window.len() / self.window.row_len().max(1);
        self.mixtures = (0..rows).into_par_iter().flat_map_iter(of_row).collect();
        self
    }

    /// Adds, on all worker threads, the losses of the cells. The moduli of the cells are then the unrelaxed ones.
    ///
    /// # Arguments
    /// * `losses` – 1/Qκ and 1/Qμ of a cell [–]; those of air and the shear losses of fluids do not count
    pub fn with_losses(mut self, mechanisms: Mechanisms, losses: impl Fn([usize; 3]) -> [f64; 2] + Sync) -> Self {
        let mut cells = vec![[T::default(); 2]; self.window.len()];
        let (row_len, own) = (self.window.row_len(), &self.cells);
        cells.par_chunks_exact_mut(row_len).enumerate().for_each(|(number, row)| {
            for (index, (stored, cell)) in row.iter_mut().zip(self.window.row(number)).enumerate() {
                let [bulk, shear] = losses(cell);
                let inverse_mu = own[number * row_len + index][1].to_f64();
                let shear = if inverse_mu.is_finite() { shear * inverse_mu } else { 0.0 };
                *stored = [bulk, shear].map(T::from_f64);
            }
        });
        self.losses = Some(Losses { mechanisms, cells });
        self
    }

    /// The mechanisms, if the medium attenuates waves.
    pub fn mechanisms(&self) -> Option<&Mechanisms> {
        self.losses.as_ref().map(|losses| &losses.mechanisms)
    }

    /// 1/Qκ [–] and 1/(μ Qμ) [1/Pa] of the cell at any index, as [`Self::beyond`]; zeros in air.
    pub(crate) fn losses_beyond(&self, cell: [i64; 3], boundaries: &Boundaries) -> [T; 2] {
        let inside = boundaries.cell_at(&self.grid, cell);
        let Some((losses, (inside, _))) = self.losses.as_ref().zip(inside) else { return [T::default(); 2] };
        losses.cells[self.window.place(inside)]
    }

    /// The cells that have mixtures.
    pub(crate) fn mixed_cells(&self) -> impl ParallelIterator<Item = [usize; 3]> {
        self.mixtures.par_iter().map(|(number, _)| self.grid.cell_of_number(*number))
    }

    /// The mixtures among cells in a row along x: number from the first cell on, cell, mixture.
    pub(crate) fn mixtures_from(
        &self,
        [i, j, k]: [usize; 3],
        count: usize,
    ) -> impl Iterator<Item = (usize, [usize; 3], &Mixture)> {
        let n = self.grid.cells;
        let first = self.grid.number([i, j, k]);
        let end = if i < n[0] && j < n[1] && k < n[2] { first + count.min(n[0] - i) } else { first };
        let start = self.mixtures.partition_point(|(number, _)| *number < first);
        let own = self.mixtures[start..].iter().take_while(move |(number, _)| *number < end);
        own.map(move |(number, mixture)| (number - first, [i + number - first, j, k], mixture))
    }

    /// Exchanges the kinds of the cells among all ranks; does nothing if there is one rank.
    ///
    /// # Errors
    /// A rank that is lost.
    ///
    /// # Panics
    /// If the other arguments are not those of [`Medium::distributed`].
    pub fn tell(
        &mut self,
        boundaries: &Boundaries,
        half_length: usize,
        parts: [usize; 3],
        exchange: &PartExchange,
    ) -> Result<(), CommError> {
        let ranks = exchange.ranks();
        if ranks.count() == 1 {
            return Ok(());
        }
        let cut = Cut::new(&self.grid, boundaries, half_length, parts).expect("as the medium was cut");
        let own = || exchange.own().flat_map(|part| window::cells(&cut.layout(part)));
        let runs = window::runs(own().map(|cell| self.kind(cell) as u8));
        let layouts = exchange.own().map(|part| cut.layout(part));
        let speeds = layouts.map(|block| self.fastest_in(boundaries, block.first, block.cells));
        let fastest = ranks.greatest(speeds.fold(0.0, f64::max))?;
        let mut kinds = vec![Kind::Air; self.grid.n_cells()];
        let parts = exchange.own().len();
        for (rank, bytes) in ranks.all_gather(bytemuck::cast_slice(&runs))?.iter().enumerate() {
            let runs: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
            let cells = (rank * parts..(rank + 1) * parts).flat_map(|part| window::cells(&cut.layout(part)));
            for (cell, kind) in cells.zip(window::kinds(&runs)) {
                kinds[self.grid.number(cell)] = [Kind::Air, Kind::Fluid, Kind::Solid][usize::from(kind)];
            }
        }
        self.shared = Some(Shared { kinds: kinds.into(), fastest });
        Ok(())
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Kind of material of a cell.
    pub fn kind(&self, cell: [usize; 3]) -> Kind {
        match &self.shared {
            Some(shared) => shared.kinds[self.grid.number(cell)],
            None => Stored::from_parts(self.cells[self.window.place(cell)]).kind,
        }
    }

    /// Kinds of all cells, x fastest.
    ///
    /// # Panics
    /// If other ranks hold some of the cells and [`Medium::tell`] has not been called.
    pub(crate) fn kinds(&self) -> Arc<[Kind]> {
        assert!(self.shared.is_some() || self.cells.len() == self.grid.n_cells(), "the medium must be complete");
        match &self.shared {
            Some(shared) => Arc::clone(&shared.kinds),
            None => self.cells.par_iter().map(|&parts| Stored::from_parts(parts).kind).collect(),
        }
    }

    /// Square of the largest speed in the grid [m²/s²].
    pub(crate) fn fastest(&self, boundaries: &Boundaries) -> f64 {
        if let Some(shared) = &self.shared {
            return shared.fastest;
        }
        self.fastest_in(boundaries, [0; 3], self.grid.cells)
    }

    /// Square of the largest speed in a block of cells [m²/s²]. The lightest cell as a neighbour gives an upper bound for each cell, so that few
    /// cells need the exact value.
    fn fastest_in(&self, boundaries: &Boundaries, first: [usize; 3], cells: [usize; 3]) -> f64 {
        let matter = self.cells.par_iter().map(|&parts| Stored::from_parts(parts)).filter(|own| own.kind != Kind::Air);
        let lightest = matter.map(|own| own.rho.to_f64()).reduce(|| f64::INFINITY, f64::min);
        let greatest = |of_cell: &(dyn Fn([usize; 3]) -> f64 + Sync)| {
            let of_row = |row: usize| {
                let [i, j, k] = [first[0], first[1] + row % cells[1], first[2] + row / cells[1]];
                (i..i + cells[0]).map(|i| of_cell([i, j, k])).fold(0.0, f64::max)
            };
            (0..cells[1] * cells[2]).into_par_iter().map(of_row).reduce(|| 0.0, f64::max)
        };
        let between = |cell, rho| square_speed_between(&Stored::from_parts(self.cells[self.window.place(cell)]), rho);
        let alone = greatest(&|cell| between(cell, f64::INFINITY));
        let mixed = self.fastest_mixture(boundaries, first, cells);
        let isotropic = greatest(&|cell| {
            let is_greater = between(cell, lightest) >= alone;
            if is_greater { square_speed(self, boundaries, cell) } else { 0.0 }
        });
        isotropic.max(mixed)
    }

    /// The cell at any index. Beyond the sides this is air (free side), the mirror image with infinite density (wall), the cell at the opposite
    /// side (periodic side), or the outermost cell (absorbing layer).
    pub(crate) fn beyond(&self, cell: [i64; 3], boundaries: &Boundaries) -> Stored<T> {
        let Some((inside, wall)) = boundaries.cell_at(&self.grid, cell) else { return Stored::new(Material::AIR) };
        let stored = Stored::from_parts(self.cells[self.window.place(inside)]);
        match wall {
            Some(kind) => Stored { rho: T::from_f64(f64::INFINITY), kind, ..stored },
            None => stored,
        }
    }
}

/// λ, 1/μ, ρ of a cell, as the medium stores them.
fn stored<T: Scalar>(cell: [usize; 3], material: Material) -> Result<[T; 3], FdError> {
    if !material.is_sound() {
        return Err(FdError::Material { cell, material });
    }
    let Stored { lambda, inverse_mu, rho, .. } = Stored::new(material);
    Ok([lambda, inverse_mu, rho])
}
