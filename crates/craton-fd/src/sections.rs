//! Sampling of the cells of a grid in vertical sections normal to y.
//!
//! A section is evaluated row by row, upwards. What depends on horizontal position only, such as the elevation of interfaces, is computed once per section,
//! and rows that equal the one below are copied.

use craton_device::Scalar;
use rayon::prelude::*;

use crate::error::FdError;
use crate::grid::Grid;
use crate::medium::{Material, stored, stored_losses};
use crate::mixture::Mixture;
use crate::window::Window;

/// Smallest number of planes per task if sections are divided.
const PLANES: usize = 32;
/// Approximate number of tasks per thread if sections are divided.
const TASKS: usize = 8;

/// The material of a grid, in sections.
pub trait Sections: Sync {
    /// A section.
    type Section<'a>: Section
    where
        Self: 'a;

    /// The section through some cells.
    ///
    /// # Arguments
    /// * `x` – indices of the cells along x, ascending
    /// * `j` – their index along y
    fn section<'a>(&'a self, x: &'a [usize], j: usize) -> Self::Section<'a>;
}

/// The cells of a section.
pub trait Section {
    /// Evaluates the row at an index along z, above that of the previous call. Returns whether materials or losses differ from those of the
    /// previous call.
    fn row(&mut self, k: usize, row: &mut Row) -> bool;
}

/// A row of cells along x.
#[derive(Debug, Clone)]
pub struct Row {
    /// Material of each cell.
    pub materials: Vec<Material>,
    /// 1/Qκ and 1/Qμ of each cell, if the medium attenuates waves [–].
    pub losses: Vec<[f64; 2]>,
    /// Averages where volumes of values contain several solids, each with the number of its cell in the row, ascending; empty before each call.
    pub mixtures: Vec<(usize, Mixture)>,
}

/// A medium given cell by cell.
pub struct PerCell<F>(pub F);

/// A section of [`PerCell`].
pub struct PerCellSection<'a, F> {
    material: &'a F,
    x: &'a [usize],
    j: usize,
}

impl<F: Fn([usize; 3]) -> Material + Sync> Sections for PerCell<F> {
    type Section<'a>
        = PerCellSection<'a, F>
    where
        F: 'a;

    fn section<'a>(&'a self, x: &'a [usize], j: usize) -> Self::Section<'a> {
        PerCellSection { material: &self.0, x, j }
    }
}

impl<F: Fn([usize; 3]) -> Material> Section for PerCellSection<'_, F> {
    fn row(&mut self, k: usize, row: &mut Row) -> bool {
        row.materials.iter_mut().zip(self.x).for_each(|(own, &i)| *own = (self.material)([i, self.j, k]));
        true
    }
}

/// The sampled cells of a window.
pub struct Sampled<T> {
    /// Arrays of λ, 1/μ and ρ.
    pub materials: [Vec<T>; 3],
    /// Arrays of 1/Qκ and 1/(μ Qμ); empty without attenuation.
    pub losses: [Vec<T>; 2],
    /// The mixtures, each with the number of its cell in the grid, ascending.
    pub mixtures: Vec<(usize, Mixture)>,
}

/// A row of the arrays.
struct Target<'a, T> {
    /// Number of the row in the window.
    number: usize,
    k: usize,
    materials: [&'a mut [T]; 3],
    losses: Option<[&'a mut [T]; 2]>,
}

/// The mixtures of a row, with its number in the window.
type RowMixtures = (usize, Vec<(usize, Mixture)>);

/// Samples the cells of a window on all worker threads.
///
/// # Errors
/// The first cell with a material that is not sound.
pub fn sampled<T: Scalar>(
    grid: &Grid,
    window: &Window,
    is_lossy: bool,
    sections: &impl Sections,
) -> Result<Sampled<T>, FdError> {
    let array = || vec![T::default(); window.len()];
    let mut materials = [array(), array(), array()];
    let mut losses = if is_lossy { [array(), array()] } else { [Vec::new(), Vec::new()] };
    let tasks = tasks(window, &mut materials, &mut losses);
    let work = |(j, targets)| of_task(grid, window, j, targets, sections);
    let done: Vec<Result<Vec<RowMixtures>, (usize, FdError)>> = tasks.into_par_iter().map(work).collect();
    let (mut rows, mut first) = (Vec::new(), None::<(usize, FdError)>);
    for of_task in done {
        match of_task {
            Ok(of_task) => rows.extend(of_task),
            Err(error) if first.as_ref().is_none_or(|first| error.0 < first.0) => first = Some(error),
            Err(_) => {}
        }
    }
    if let Some((_, error)) = first {
        return Err(error);
    }
    rows.sort_unstable_by_key(|(number, _)| *number);
    let mixtures = rows.into_iter().flat_map(|(_, mixtures)| mixtures).collect();
    Ok(Sampled { materials, losses, mixtures })
}

/// The rows of each section, in blocks of planes if there are few sections.
fn tasks<'a, T: Scalar>(
    window: &Window,
    [lambda, inverse_mu, rho]: &'a mut [Vec<T>; 3],
    [bulk, shear]: &'a mut [Vec<T>; 2],
) -> Vec<(usize, Vec<Target<'a, T>>)> {
    let [x, y, z] = window.indices();
    let blocks = (TASKS * rayon::current_num_threads()).div_ceil(y.len().max(1));
    let planes = z.len().div_ceil(blocks).max(PLANES.min(z.len())).max(1);
    let mut tasks: Vec<(usize, Vec<Target<T>>)> = Vec::new();
    tasks.resize_with(y.len() * z.len().div_ceil(planes), || (0, Vec::with_capacity(planes)));
    let len = x.len().max(1);
    let moduli = lambda.chunks_exact_mut(len).zip(inverse_mu.chunks_exact_mut(len));
    let mut losses = bulk.chunks_exact_mut(len).zip(shear.chunks_exact_mut(len));
    for (number, ((lambda, inverse_mu), rho)) in moduli.zip(rho.chunks_exact_mut(len)).enumerate() {
        let (place, k) = (number % y.len(), number / y.len());
        let losses = losses.next().map(|(bulk, shear)| [bulk, shear]);
        let (j, targets) = &mut tasks[k / planes * y.len() + place];
        *j = y[place];
        targets.push(Target { number, k: z[k], materials: [lambda, inverse_mu, rho], losses });
    }
    tasks
}

/// Samples some rows of a section, upwards. The error is that of the row with the given number.
fn of_task<T: Scalar>(
    grid: &Grid,
    window: &Window,
    j: usize,
    targets: Vec<Target<T>>,
    sections: &impl Sections,
) -> Result<Vec<RowMixtures>, (usize, FdError)> {
    let x = &window.indices()[0];
    let Some(top) = targets.first() else { return Ok(Vec::new()) };
    let count = if top.losses.is_some() { x.len() } else { 0 };
    let mut row = Row { materials: vec![Material::AIR; x.len()], losses: vec![[0.0; 2]; count], mixtures: Vec::new() };
    let (mut section, mut is_first) = (sections.section(x, j), true);
    let array = || vec![T::default(); x.len()];
    let (mut materials, mut losses) = ([array(), array(), array()], [array(), array()]);
    let mut mixtures = Vec::new();
    for Target { number, k, materials: of_row, losses: losses_of_row } in targets {
        row.mixtures.clear();
        if section.row(k, &mut row) || is_first {
            is_first = false;
            convert(&row, [j, k], x, &mut materials, &mut losses).map_err(|error| (number, error))?;
        }
        of_row.into_iter().zip(&materials).for_each(|(to, from)| to.copy_from_slice(from));
        losses_of_row.into_iter().flatten().zip(&losses).for_each(|(to, from)| to.copy_from_slice(from));
        if !row.mixtures.is_empty() {
            let of_cell = |&(place, mixture): &(usize, Mixture)| (grid.number([x[place], j, k]), mixture);
            mixtures.push((number, row.mixtures.iter().map(of_cell).collect()));
        }
    }
    Ok(mixtures)
}

/// Converts a row to the values that the medium stores. Equal neighbours are converted once.
fn convert<T: Scalar>(
    row: &Row,
    [j, k]: [usize; 2],
    x: &[usize],
    [lambda, inverse_mu, rho]: &mut [Vec<T>; 3],
    [bulk, shear]: &mut [Vec<T>; 2],
) -> Result<(), FdError> {
    let mut parts = [T::default(); 3];
    for (place, material) in row.materials.iter().enumerate() {
        if place == 0 || *material != row.materials[place - 1] {
            parts = stored([x[place], j, k], *material)?;
        }
        [lambda[place], inverse_mu[place], rho[place]] = parts;
    }
    for (place, &losses) in row.losses.iter().enumerate() {
        [bulk[place], shear[place]] = stored_losses(losses, inverse_mu[place]);
    }
    Ok(())
}
