//! Material of the cells of a grid, and its continuation beyond the sides.

use std::sync::{Arc, OnceLock};

use craton_comm::CommError;
use craton_device::Scalar;
use craton_sim::PartExchange;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::cut::Cut;
use crate::error::FdError;
use crate::fastest::Repeats;
use crate::grid::Grid;
use crate::mixture::Mixture;
use crate::relaxation::Mechanisms;
use crate::sections::{PerCell, Sections, sampled};
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
    pub(crate) fn new(material: Material) -> Self {
        let [lambda, inverse_mu, rho] = [material.lambda, 1.0 / material.mu, material.rho].map(T::from_f64);
        Self::from_parts([lambda, inverse_mu, rho])
    }

    pub(crate) fn from_parts([lambda, inverse_mu, rho]: [T; 3]) -> Self {
        Self { lambda, inverse_mu, rho, kind: kind_of(lambda, inverse_mu) }
    }
}

/// Kind of a cell with λ and 1/μ.
fn kind_of<T: Scalar>(lambda: T, inverse_mu: T) -> Kind {
    match (inverse_mu.is_finite(), lambda.to_f64() == 0.0) {
        (true, _) => Kind::Solid,
        (false, true) => Kind::Air,
        (false, false) => Kind::Fluid,
    }
}

/// Material of the cells of a grid: three values per cell. If there are several ranks, each holds the values of its own parts and only the kinds
/// of all other cells.
pub struct Medium<T> {
    pub(crate) grid: Grid,
    pub(crate) window: Window,
    /// Arrays of λ, 1/μ and ρ of the cells of the window.
    pub(crate) cells: [Vec<T>; 3],
    /// The mixtures, each with the number of its cell in the grid, in ascending order of these numbers.
    mixtures: Vec<(usize, Mixture)>,
    /// Losses, if the medium attenuates waves.
    pub(crate) losses: Option<Losses<T>>,
    /// What the ranks have exchanged ([`Medium::tell`]).
    pub(crate) shared: Option<Shared>,
    /// Kinds of all cells, computed on demand.
    kinds: OnceLock<Arc<[Kind]>>,
    /// Square of the largest speed with these boundaries [m²/s²], computed on demand.
    pub(crate) fastest: OnceLock<(Boundaries, f64)>,
    /// Rows that equal the row before them, computed on demand.
    pub(crate) repeats: OnceLock<Repeats>,
}

/// Losses of the cells of a window.
pub(crate) struct Losses<T> {
    mechanisms: Mechanisms,
    /// Arrays of 1/Qκ [–] and 1/(μ Qμ) [1/Pa] of the cells.
    pub cells: [Vec<T>; 2],
}

/// What every rank holds about the cells of all ranks.
pub(crate) struct Shared {
    /// Kinds of all cells of the grid.
    kinds: Arc<[Kind]>,
    /// Square of the largest speed in the grid [m²/s²].
    pub fastest: f64,
}

impl<T: Scalar> Medium<T> {
    fn elastic(grid: Grid, window: Window, cells: [Vec<T>; 3]) -> Self {
        let (kinds, fastest, repeats) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { grid, window, cells, mixtures: Vec::new(), losses: None, shared: None, kinds, fastest, repeats }
    }

    /// Evaluates the material of each cell, x fastest.
    ///
    /// # Errors
    /// A grid that is not valid; moduli that are not finite, a negative shear modulus, a bulk modulus or density that is not positive.
    pub fn new(grid: Grid, mut material: impl FnMut([usize; 3]) -> Material) -> Result<Self, FdError> {
        grid.check()?;
        let window = Window::whole(&grid);
        let mut cells = [(); 3].map(|()| Vec::with_capacity(window.len()));
        for row in 0..grid.cells[1] * grid.cells[2] {
            for cell in window.row(row) {
                let parts = stored(cell, material(cell))?;
                cells.iter_mut().zip(parts).for_each(|(cells, part)| cells.push(part));
            }
        }
        Ok(Self::elastic(grid, window, cells))
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
        Self::of_sections(grid, boundaries, half_length, (parts, exchange), None, &PerCell(material))
    }

    /// Samples, on all worker threads, the cells that this rank needs, in vertical sections. [`Medium::tell`] completes the medium.
    ///
    /// # Arguments
    /// * `half_length` – of the stencil
    /// * `parts` – along each axis, as many as the exchange has
    /// * `mechanisms` – if the sections have losses
    ///
    /// # Errors
    /// As [`Medium::distributed`].
    pub fn of_sections(
        grid: Grid,
        boundaries: &Boundaries,
        half_length: usize,
        (parts, exchange): ([usize; 3], &PartExchange),
        mechanisms: Option<Mechanisms>,
        sections: &impl Sections,
    ) -> Result<Self, FdError> {
        grid.check()?;
        boundaries.check(&grid)?;
        let cut = Cut::new(&grid, boundaries, half_length, parts)?;
        let window = Window::distributed(&grid, &cut, exchange);
        let sampled = sampled(&grid, &window, mechanisms.is_some(), sections)?;
        let losses = mechanisms.map(|mechanisms| Losses { mechanisms, cells: sampled.losses });
        Ok(Self { mixtures: sampled.mixtures, losses, ..Self::elastic(grid, window, sampled.materials) })
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
        (self.fastest, self.repeats) = (OnceLock::new(), OnceLock::new());
        self
    }

    /// Adds, on all worker threads, the losses of the cells. The moduli of the cells are then the unrelaxed ones.
    ///
    /// # Arguments
    /// * `losses` – 1/Qκ and 1/Qμ of a cell [–]; those of air and the shear losses of fluids do not count
    pub fn with_losses(mut self, mechanisms: Mechanisms, losses: impl Fn([usize; 3]) -> [f64; 2] + Sync) -> Self {
        let mut cells = [(); 2].map(|()| vec![T::default(); self.window.len()]);
        let (row_len, [bulk, shear], own) = (self.window.row_len(), &mut cells, &self.cells[1]);
        let rows = bulk.par_chunks_exact_mut(row_len).zip(shear.par_chunks_exact_mut(row_len));
        rows.zip(own.par_chunks_exact(row_len)).enumerate().for_each(|(number, ((bulk, shear), own))| {
            for (place, cell) in self.window.row(number).enumerate() {
                [bulk[place], shear[place]] = stored_losses(losses(cell), own[place]);
            }
        });
        self.losses = Some(Losses { mechanisms, cells });
        self
    }

    /// The mechanisms, if the medium attenuates waves.
    pub fn mechanisms(&self) -> Option<&Mechanisms> {
        self.losses.as_ref().map(|losses| &losses.mechanisms)
    }

    /// Whether any cell has a mixture.
    pub(crate) fn has_mixtures(&self) -> bool {
        !self.mixtures.is_empty()
    }

    /// The mixture of a cell.
    pub(crate) fn mixture_at(&self, cell: [usize; 3]) -> Option<&Mixture> {
        let own = self.mixtures_of_row(cell, 1);
        own.first().map(|(_, mixture)| mixture)
    }

    /// The mixtures among cells in a row along x, each with the number of its cell in the grid; none beyond the cells of the grid.
    pub(crate) fn mixtures_of_row(&self, [i, j, k]: [usize; 3], count: usize) -> &[(usize, Mixture)] {
        let n = self.grid.cells;
        if self.mixtures.is_empty() || i >= n[0] || j >= n[1] || k >= n[2] {
            return &[];
        }
        let first = self.grid.number([i, j, k]);
        let start = self.mixtures.partition_point(|(number, _)| *number < first);
        let own = &self.mixtures[start..];
        &own[..own.partition_point(|(number, _)| *number < first + count.min(n[0] - i))]
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
            None => self.at(self.window.place(cell)).kind,
        }
    }

    /// The cell at a place of the window.
    pub(crate) fn at(&self, place: usize) -> Stored<T> {
        Stored::from_parts([0, 1, 2].map(|part| self.cells[part][place]))
    }

    /// Kinds of all cells, x fastest.
    ///
    /// # Panics
    /// If other ranks hold some of the cells and [`Medium::tell`] has not been called.
    pub(crate) fn kinds(&self) -> Arc<[Kind]> {
        if let Some(shared) = &self.shared {
            return Arc::clone(&shared.kinds);
        }
        assert!(self.window.len() == self.grid.n_cells(), "the medium must be complete");
        Arc::clone(self.kinds.get_or_init(|| {
            /// Cells of a task.
            const CHUNK: usize = 1 << 14;
            let [lambda, inverse_mu, _] = &self.cells;
            let mut kinds: Arc<[Kind]> = std::iter::repeat_n(Kind::Air, lambda.len()).collect();
            let own = Arc::get_mut(&mut kinds).expect("an array without other owners");
            let moduli = lambda.par_chunks(CHUNK).zip(inverse_mu.par_chunks(CHUNK));
            own.par_chunks_mut(CHUNK).zip(moduli).for_each(|(own, (lambda, mu))| {
                own.iter_mut().zip(lambda.iter().zip(mu)).for_each(|(own, (&lambda, &mu))| *own = kind_of(lambda, mu));
            });
            kinds
        }))
    }

    /// The cell at any index. Beyond the sides this is air (free side), the mirror image with infinite density (wall), the cell at the opposite
    /// side (periodic side), or the outermost cell (absorbing layer).
    pub(crate) fn beyond(&self, cell: [i64; 3], boundaries: &Boundaries) -> Stored<T> {
        let Some((inside, wall)) = boundaries.cell_at(&self.grid, cell) else { return Stored::new(Material::AIR) };
        let stored = self.at(self.window.place(inside));
        match wall {
            Some(kind) => Stored { rho: T::from_f64(f64::INFINITY), kind, ..stored },
            None => stored,
        }
    }
}

/// λ, 1/μ, ρ of a cell, as the medium stores them.
pub(crate) fn stored<T: Scalar>(cell: [usize; 3], material: Material) -> Result<[T; 3], FdError> {
    if !material.is_sound() {
        return Err(FdError::Material { cell, material });
    }
    let Stored { lambda, inverse_mu, rho, .. } = Stored::new(material);
    Ok([lambda, inverse_mu, rho])
}

/// 1/Qκ and 1/(μ Qμ) of a cell, as the medium stores them.
///
/// # Arguments
/// * `losses` – 1/Qκ and 1/Qμ [–]
pub(crate) fn stored_losses<T: Scalar>([bulk, shear]: [f64; 2], inverse_mu: T) -> [T; 2] {
    let inverse_mu = inverse_mu.to_f64();
    let shear = if inverse_mu.is_finite() { shear * inverse_mu } else { 0.0 };
    [bulk, shear].map(T::from_f64)
}
