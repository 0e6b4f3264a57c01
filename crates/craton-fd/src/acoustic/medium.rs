//! Bulk modulus and losses on the cells of a grid, and density on its cells and faces.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::face_buoyancy;
use rayon::prelude::*;

use super::effective::EffectiveFluid;
use super::equation::WaveEquation;
use super::faces::Faces;
use super::interfaces::Interfaces;
use super::relaxation::FluidMechanisms;
use super::setup::AcousticOptions;
use crate::error::FdError;
use crate::grid::Grid;

/// Relative difference below which densities are the same: round-off in single precision.
const SAME_DENSITY: f64 = 1e-6;

/// Material of a cell of fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcousticMaterial {
    /// Wave speed [m/s].
    pub vp: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

/// A fluid on the cells of a grid; beyond its sides the outermost cells are repeated.
#[derive(Debug, Clone)]
pub struct AcousticMedium<T> {
    grid: Grid,
    /// κ [Pa], x fastest.
    kappa: Vec<T>,
    /// ρ at the centres [kg/m³], x fastest.
    rho: Vec<T>,
    /// Buoyancies at the faces across each axis; none if each face has the mean density of its cells.
    faces: [Option<Faces<T>>; 3],
    /// Interfaces inside cells along each axis.
    interfaces: [Interfaces; 3],
    relaxation: Option<Relaxation<T>>,
    has_constant_density: bool,
}

/// Relaxation of the bulk modulus.
#[derive(Debug, Clone)]
struct Relaxation<T> {
    mechanisms: Arc<FluidMechanisms>,
    /// 1/Q of the cells [–], x fastest.
    losses: Vec<T>,
}

impl<T: Scalar> AcousticMedium<T> {
    /// Evaluates the material of each cell, x fastest.
    ///
    /// # Arguments
    /// * `grid` – the grid, with one cell along y for waves in 2D
    ///
    /// # Errors
    /// A grid that is not valid, speeds and densities that are not positive.
    pub fn new(grid: Grid, material: impl Fn([usize; 3]) -> AcousticMaterial + Sync) -> Result<Self, FdError> {
        grid.check()?;
        let [nx, ny, _] = grid.cells;
        let (mut kappa, mut rho) = (vec![T::default(); grid.n_cells()], vec![T::default(); grid.n_cells()]);
        let planes = kappa.par_chunks_exact_mut(nx * ny).zip(rho.par_chunks_exact_mut(nx * ny)).enumerate();
        let fill = |(k, (kappa, rho)): (usize, (&mut [T], &mut [T]))| {
            let mut cells = kappa.iter_mut().zip(rho).enumerate();
            cells.find_map(|(number, (kappa, rho))| {
                let cell = [number % nx, number / nx, k];
                let own = material(cell);
                (*kappa, *rho) = (T::from_f64(own.rho * own.vp * own.vp), T::from_f64(own.rho));
                let is_sound = [own.vp, own.rho].iter().all(|x| x.is_finite() && *x > 0.0);
                (!is_sound).then_some(FdError::Fluid { cell, vp: own.vp, rho: own.rho })
            })
        };
        match planes.find_map_first(fill) {
            Some(error) => Err(error),
            None => {
                let first = rho[0].to_f64();
                let has_constant_density = rho.par_iter().all(|rho| is_same(rho.to_f64(), first));
                let interfaces = [0, 1, 2].map(|axis| Interfaces::new(axis, grid.cells));
                let faces = [const { None }; 3];
                Ok(Self { grid, kappa, rho, faces, interfaces, relaxation: None, has_constant_density })
            }
        }
    }

    /// Averages a fluid that varies inside the cells.
    ///
    /// # Arguments
    /// * `grid` – the grid, with one cell along y for waves in 2D
    /// * `fluid` – effective fluid of each cell
    ///
    /// # Errors
    /// A grid that is not valid, moduli and densities that are not positive.
    pub fn averaged(grid: Grid, fluid: impl Fn([usize; 3]) -> EffectiveFluid + Sync) -> Result<Self, FdError> {
        grid.check()?;
        let [nx, ny, nz] = grid.cells;
        let (mut kappa, mut rho) = (vec![T::default(); grid.n_cells()], vec![T::default(); grid.n_cells()]);
        let mut faces = [0, 1, 2].map(|axis| Faces::new(axis, grid.cells));
        let mut interfaces = [0, 1, 2].map(|axis| Interfaces::new(axis, grid.cells));
        let (mut below, mut has_constant_density): (Vec<EffectiveFluid>, bool) = (Vec::new(), true);
        for k in 0..nz {
            let plane: Vec<EffectiveFluid> =
                (0..nx * ny).into_par_iter().map(|number| fluid([number % nx, number / nx, k])).collect();
            if let Some(number) = plane.iter().position(|own| !own.is_sound()) {
                let own = plane[number];
                let cell = [number % nx, number / nx, k];
                return Err(FdError::Fluid { cell, vp: (own.kappa / own.rho).sqrt(), rho: own.rho });
            }
            let first = below.first().unwrap_or(&plane[0]).rho;
            has_constant_density &= plane.iter().all(|own| own.densities().all(|rho| is_same(rho, first)));
            for (number, own) in plane.iter().enumerate() {
                (kappa[k * nx * ny + number], rho[k * nx * ny + number]) =
                    (T::from_f64(own.kappa), T::from_f64(own.rho));
            }
            fill_faces(&mut faces, &mut interfaces, [nx, ny, k], [&below, &plane]);
            below = plane;
        }
        fill_faces(&mut faces, &mut interfaces, [nx, ny, nz], [&below, &[]]);
        let faces_of_mean = [const { None }; 3];
        let mut medium =
            Self { grid, kappa, rho, faces: faces_of_mean, interfaces, relaxation: None, has_constant_density };
        medium.faces = faces.map(|own| {
            let axis = own.axis();
            (medium.axes().contains(&axis) && !own.equal(|face| medium.buoyancy(face, axis))).then_some(own)
        });
        Ok(medium)
    }

    /// Adds losses. The bulk modulus of the medium is the unrelaxed one.
    ///
    /// # Arguments
    /// * `loss` – 1/Q of each cell [–]
    pub fn with_losses(self, mechanisms: FluidMechanisms, loss: impl Fn([usize; 3]) -> f64 + Sync) -> Self {
        let [nx, ny, _] = self.grid.cells;
        let of_cell = |number: usize| T::from_f64(loss([number % nx, number / nx % ny, number / (nx * ny)]));
        let losses = (0..self.grid.n_cells()).into_par_iter().map(of_cell).collect();
        Self { relaxation: Some(Relaxation { mechanisms: Arc::new(mechanisms), losses }), ..self }
    }

    /// Extracts some of the cells, and repeats the outermost ones around them to make space for layers.
    ///
    /// # Arguments
    /// * `cells` – range of cells of the medium along each axis, not empty
    /// * `around` – number of additional cells below and above along each axis
    pub fn part(&self, cells: [Range<usize>; 3], around: [[usize; 2]; 3]) -> Self {
        let spacing = self.grid.spacing;
        let grid = Grid {
            origin: [0, 1, 2].map(|axis| {
                let first = cells[axis].start as f64 - around[axis][0] as f64;
                self.grid.origin[axis] + first * spacing[axis]
            }),
            spacing,
            cells: [0, 1, 2].map(|axis| cells[axis].len() + around[axis][0] + around[axis][1]),
        };
        let nearest = |axis: usize, i: usize| {
            let Range { start, end } = cells[axis];
            (start + i).saturating_sub(around[axis][0]).clamp(start, end - 1)
        };
        let along_x: Vec<usize> = (0..grid.cells[0]).map(|i| nearest(0, i)).collect();
        let copied = |values: &[T]| {
            let mut copy = vec![T::default(); grid.n_cells()];
            copy.par_chunks_exact_mut(grid.cells[0]).enumerate().for_each(|(row, copy)| {
                let [j, k] = [nearest(1, row % grid.cells[1]), nearest(2, row / grid.cells[1])];
                let first = self.grid.number([0, j, k]);
                copy.iter_mut().zip(&along_x).for_each(|(copy, &i)| *copy = values[first + i]);
            });
            copy
        };
        let faces = self.faces.each_ref().map(|faces| Some(faces.as_ref()?.part(&cells, around)));
        let relaxation = self.relaxation.as_ref().map(|Relaxation { mechanisms, losses }| Relaxation {
            mechanisms: Arc::clone(mechanisms),
            losses: copied(losses),
        });
        let interfaces = self.interfaces.each_ref().map(|own| own.part(&cells, around));
        let (kappa, rho) = (copied(&self.kappa), copied(&self.rho));
        Self { grid, kappa, rho, faces, interfaces, relaxation, has_constant_density: self.has_constant_density }
    }

    /// The cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        let faces = self.faces.iter().flatten().map(Faces::bytes).sum::<usize>();
        let losses = self.relaxation.as_ref().map_or(0, |relaxation| relaxation.losses.len());
        let interfaces = self.interfaces.iter().map(Interfaces::bytes).sum::<usize>();
        (self.kappa.len() + self.rho.len() + losses) * size_of::<T>() + faces + interfaces
    }

    /// Axes of wave propagation: x and z in 2D, all three in 3D.
    pub fn axes(&self) -> &'static [usize] {
        if self.grid.cells[1] == 1 { &[0, 2] } else { &[0, 1, 2] }
    }

    /// κ [Pa] of a cell.
    pub fn kappa(&self, cell: [usize; 3]) -> f64 {
        self.kappa[self.grid.number(cell)].to_f64()
    }

    /// ρ [kg/m³] at the centre of a cell.
    pub fn rho(&self, cell: [usize; 3]) -> f64 {
        self.rho[self.grid.number(cell)].to_f64()
    }

    /// The mechanisms of its relaxation; `None` without losses.
    pub fn mechanisms(&self) -> Option<&FluidMechanisms> {
        self.relaxation.as_ref().map(|relaxation| &*relaxation.mechanisms)
    }

    /// 1/Q of a cell [–].
    pub fn loss(&self, cell: [usize; 3]) -> f64 {
        self.relaxation.as_ref().map_or(0.0, |relaxation| relaxation.losses[self.grid.number(cell)].to_f64())
    }

    /// Buoyancy [m³/kg] at the lower face of a cell along an axis; beyond the grid the outermost cells are repeated. The upper face of the last cell
    /// has the number of cells as its index.
    pub fn buoyancy(&self, cell: [usize; 3], axis: usize) -> f64 {
        if let Some(faces) = &self.faces[axis] {
            return faces.at(cell);
        }
        let last = self.grid.cells[axis] - 1;
        let at = |i: usize| self.rho(at_index(cell, axis, i.min(last)));
        face_buoyancy([at(cell[axis].saturating_sub(1)), at(cell[axis])])
    }

    /// Whether the faces across an axis have buoyancies of their own, not those of the mean density of their cells.
    pub(super) fn has_own_faces(&self, axis: usize) -> bool {
        self.faces[axis].is_some()
    }

    /// Distance [cells] of the interface between the centres of the cells at a face from the lower one; none if it is on the face, or unknown.
    pub fn interface(&self, face: [usize; 3], axis: usize) -> Option<f64> {
        self.interfaces[axis].at(face)
    }

    /// Largest stable time step [s]: 2 / √(max κ Σ 2 Σ|c_n| Σ |c_m| (b₊ + b₋) / h²), over cells and axes, b₊ and b₋ the buoyancies of the mth faces on
    /// either side.
    ///
    /// # Source
    /// Gershgorin's circles of ∂²p/∂t² = κ ∇·(1/ρ ∇p); von Neumann's condition where nothing varies.
    /// Verified by `a_random_fluid_is_stable_at_the_limit`.
    pub fn stable_step(&self, stencil: &StaggeredStencil) -> f64 {
        self.stable(stencil, |cell, axis, away, beyond| {
            let other = face(cell[axis], away, beyond).clamp(0, self.grid.cells[axis] as i64) as usize;
            self.buoyancy(at_index(cell, axis, other), axis)
        })
    }

    /// Largest stable time step [s] of an equation: [`stable_step`](Self::stable_step), or that of the scalar wave equation, 2 / (c_max √(S Σ 1/h²)) with the
    /// sum S of the absolute values of the stencil.
    ///
    /// # Source
    /// von Neumann's condition: the spectrum of c² D² lies within c_max² times that of D².
    /// Verified by `scalar::a_random_medium_is_stable_at_the_limit`.
    pub fn stable_step_of(&self, options: &AcousticOptions) -> f64 {
        let WaveEquation::Scalar(stencil) = &options.equation else { return self.stable_step(&options.stencil) };
        let square = |number: usize| self.kappa[number].to_f64() / self.rho[number].to_f64();
        let fastest = (0..self.kappa.len()).into_par_iter().map(square).reduce(|| 0.0, f64::max);
        let squares: f64 = self.axes().iter().map(|&axis| self.grid.spacing[axis].powi(-2)).sum();
        2.0 / (fastest * stencil.absolute_sum() * squares).sqrt()
    }

    /// Whether the fluid has the same density everywhere, to within round-off.
    pub fn has_constant_density(&self) -> bool {
        self.has_constant_density
    }

    /// A time step [s], at most [`stable_step`](Self::stable_step), that is stable on every [`part`](Self::part) as well. A part may repeat any cell,
    /// so that a face may have the largest buoyancy of the cells up to it.
    /// Verified by `a_part_is_stable_at_the_step_of_all_parts`.
    pub fn stable_step_of_parts(&self, stencil: &StaggeredStencil) -> f64 {
        self.stable(stencil, |cell, axis, away, beyond| {
            let own = cell[axis] as i64;
            let last = self.grid.cells[axis] as i64 - 1;
            if let Some(faces) = &self.faces[axis] {
                // A repeated cell has the buoyancy of one of its own faces on both sides.
                let ends = if beyond { [own, own + 1 + away] } else { [own - away, own + 1] };
                let [first, end] = ends.map(|face| face.clamp(0, last + 1) as usize);
                return (first..=end).map(|face| faces.at(at_index(cell, axis, face))).fold(0.0, f64::max);
            }
            // From the cell to the cell across the face.
            let to = if beyond { own + 1 + away } else { own - 1 - away };
            let cells = own.min(to).clamp(0, last)..=own.max(to).clamp(0, last);
            let lightest = cells.map(|i| self.rho(at_index(cell, axis, i as usize)));
            1.0 / lightest.fold(f64::INFINITY, f64::min)
        })
    }

    /// The stable step for given buoyancies of faces, as a function of cell, axis, number of faces in between, and whether above the cell.
    fn stable(&self, stencil: &StaggeredStencil, buoyancy: impl Fn([usize; 3], usize, i64, bool) -> f64 + Sync) -> f64 {
        let Grid { cells: [nx, ny, nz], spacing, .. } = self.grid;
        let square = |cell: [usize; 3]| {
            let along = self.axes().iter().map(|&axis| {
                let pairs = (0..).zip(stencil.coefficients());
                let both = |away: i64| buoyancy(cell, axis, away, false) + buoyancy(cell, axis, away, true);
                let faces = pairs.map(|(away, c): (i64, &f64)| c.abs() * both(away));
                faces.sum::<f64>() / (spacing[axis] * spacing[axis])
            });
            self.kappa(cell) * along.sum::<f64>()
        };
        let of_row = |row: usize| (0..nx).map(|i| square([i, row % ny, row / ny])).fold(0.0, f64::max);
        let fastest = (0..ny * nz).into_par_iter().map(of_row).reduce(|| 0.0, f64::max);
        2.0 / (2.0 * stencil.absolute_sum() * fastest).sqrt()
    }
}

/// Whether two densities are the same, to within round-off.
fn is_same(rho: f64, other: f64) -> bool {
    (rho - other).abs() <= SAME_DENSITY * other
}

/// A cell or face with another index along an axis.
pub fn at_index(mut cell: [usize; 3], axis: usize, index: usize) -> [usize; 3] {
    cell[axis] = index;
    cell
}

/// Sets the buoyancies of the faces in and below plane k, and the interfaces there, from the cells of the plane below it and of its own.
fn fill_faces<T: Scalar>(
    faces: &mut [Faces<T>; 3],
    interfaces: &mut [Interfaces; 3],
    [nx, ny, k]: [usize; 3],
    [below, plane]: [&[EffectiveFluid]; 2],
) {
    let cell = |i: usize, j: usize| plane.get(i + nx * j).filter(|_| i < nx && j < ny);
    for axis in (0..3).filter(|&axis| axis == 2 || !plane.is_empty()) {
        let [columns, rows] = [nx + usize::from(axis == 0), ny + usize::from(axis == 1)];
        for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
            let low = match axis {
                0 => i.checked_sub(1).and_then(|i| cell(i, j)),
                1 => j.checked_sub(1).and_then(|j| cell(i, j)),
                _ => below.get(i + nx * j),
            };
            let (at, high) = (faces[axis].in_plane(i, j), cell(i, j));
            let shares = [low.map(|own| own.shares[axis][1]), high.map(|own| own.shares[axis][0])];
            let [one, other] = shares;
            let both = [one.or(other), other.or(one)].map(|rho| rho.expect("a face belongs to a cell"));
            faces[axis].plane(k)[at] = T::from_f64(face_buoyancy(both));
            if let (Some(low), Some(high)) = (low, high) {
                interfaces[axis].add([i, j, k], [low, high]);
            }
        }
    }
}

/// Index of a face below or above a cell with `away` others in between.
fn face(cell: usize, away: i64, beyond: bool) -> i64 {
    if beyond { cell as i64 + 1 + away } else { cell as i64 - away }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_stable_at_the_step_of_all_parts() {
        let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [60, 1, 50] };
        let vary = |[i, _, k]: [usize; 3]| ((i * 7 + k * 29) % 101) as f64 / 101.0;
        let material = |cell| AcousticMaterial { vp: 1500.0 + 1000.0 * vary(cell), rho: 2000.0 - 900.0 * vary(cell) };
        let medium = AcousticMedium::<f64>::new(grid, material).unwrap();
        for half_length in [1, 4, 8] {
            let stencil = StaggeredStencil::taylor(half_length).unwrap();
            let (dt, whole) = (medium.stable_step_of_parts(&stencil), medium.stable_step(&stencil));
            assert!(dt <= whole && dt > 0.5 * whole, "{dt} of {whole}");
            for first in [0, 7, 21] {
                let part = medium.part([first..first + 20, 0..1, 3..40], [[8, 8], [0, 0], [8, 0]]);
                assert!(dt <= part.stable_step(&stencil), "from cell {first} on");
                assert_eq!(part.rho([8, 0, 8]), medium.rho([first, 0, 3]));
                assert_eq!(part.rho([0, 0, 0]), medium.rho([first, 0, 3]));
                assert_eq!(part.grid().centre([8, 0, 8]), medium.grid().centre([first, 0, 3]));
            }
        }
    }
}
