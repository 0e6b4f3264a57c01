//! Effective media of cells with several solids, as factors that correct the isotropic law.
//!
//! A cell stores one isotropic average. Each field value has a volume of the size of a cell, centred at its grid point. If an interface cuts this volume,
//! the value needs the long-wavelength equivalent medium of the layers in it, an orthorhombic solid (`craton_physics::Orthorhombic`), and their mean
//! density. Factors that multiply the derivatives turn the isotropic law into this one, so that other cells need no additional memory or arithmetic.
//!
//! # Source
//! Kristek, Moczo, Chaljub & Kristekova (2017), Geophysical Journal International 208, 1250-1264, on orthorhombic averages for staggered grids.

use craton_device::Scalar;
use craton_physics::{Orthorhombic, edge_modulus, face_buoyancy};

use crate::boundary::Boundaries;
use crate::layout::GROUP;
use crate::medium::{Kind, Medium, Stored};
use crate::stability::modulus;

/// Averages of the solids in the volumes of the values of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixture {
    /// Average over the cell.
    pub normal: Orthorhombic,
    /// Shear moduli over volumes around its lower edges, yz, xz, xy [Pa].
    pub shear: [f64; 3],
    /// Densities over volumes around its lower faces, normal to x, y, z [kg/m³].
    pub rho: [f64; 3],
}

/// Factors for a group of points: nine of the normal stresses and those of yz, xz, xy; or those of the velocities.
pub type GroupFactors = Vec<[f64; GROUP]>;

/// Deviation of a factor from its regular value below which it is not applied.
const NEGLIGIBLE: f64 = 1e-3;

impl Mixture {
    /// Factors that multiply the derivatives at the points of a cell, for velocities (`half` 0) or stresses (1) [–].
    fn factors<T: Scalar>(
        &self,
        medium: &Medium<T>,
        boundaries: &Boundaries,
        cell: [usize; 3],
        half: usize,
    ) -> Vec<f64> {
        // None if a cell is not solid.
        let around = |axes: &[usize]| {
            let cells = medium.around(cell, axes, boundaries);
            cells.iter().all(|cell| cell.kind == Kind::Solid).then_some(cells)
        };
        if half == 0 {
            let of_face = |axis: usize| {
                let cells = around(&[axis])?;
                Some(1.0 / (self.rho[axis] * face_buoyancy([cells[0].rho.to_f64(), cells[1].rho.to_f64()])))
            };
            return (0..3).map(|axis| of_face(axis).unwrap_or(1.0)).collect();
        }
        let normal = match around(&[]) {
            Some(cells) => self.normal.mixing(cells[0].lambda.to_f64(), 1.0 / cells[0].inverse_mu.to_f64()),
            None => regular(1)[..9].try_into().expect("nine of twelve"),
        };
        let of_edge = |axis: usize| {
            let cells = around(&[(axis + 1) % 3, (axis + 2) % 3])?;
            Some(self.shear[axis] / edge_modulus(std::array::from_fn(|cell| cells[cell].inverse_mu.to_f64())))
        };
        normal.into_iter().chain((0..3).map(|axis| of_edge(axis).unwrap_or(1.0))).collect()
    }
}

/// What the stable step depends on, at a cell with several solids and its neighbours.
struct Bounds<'a, T> {
    medium: &'a Medium<T>,
    boundaries: &'a Boundaries,
    /// Index along y and z of the first row of `rows`.
    first: [i64; 2],
    /// Mixtures of the rows around the cells, `[z][y]`, each with the number of its cell.
    rows: [[&'a [(usize, Mixture)]; NEAR]; NEAR],
}

/// Number of rows along y and z on which the speed at a cell and the cells below it depends: two below it and one above.
const NEAR: usize = 4;

impl<'a, T: Scalar> Bounds<'a, T> {
    /// The surroundings of the cells of a row along x.
    fn new(medium: &'a Medium<T>, boundaries: &'a Boundaries, [j, k]: [usize; 2]) -> Self {
        let first = [j, k].map(|i| i as i64 - 2);
        let row = |along_z: usize, along_y: usize| {
            let row = [0, first[0] + along_y as i64, first[1] + along_z as i64];
            match boundaries.cell_at(medium.grid(), row) {
                Some((inside, None)) => medium.mixtures_of_row(inside, medium.grid().cells[0]),
                _ => &[],
            }
        };
        let rows = std::array::from_fn(|along_z| std::array::from_fn(|along_y| row(along_z, along_y)));
        Self { medium, boundaries, first, rows }
    }

    fn mixture(&self, cell: [i64; 3]) -> Option<&'a Mixture> {
        let [along_y, along_z] = [0, 1].map(|axis| (cell[axis + 1] - self.first[axis]) as usize);
        let row = self.rows[along_z][along_y];
        if row.is_empty() {
            return None;
        }
        let (inside, wall) = self.boundaries.cell_at(self.medium.grid(), cell)?;
        let number = self.medium.grid().number(inside);
        let found = row.binary_search_by_key(&number, |(number, _)| *number).ok().filter(|_| wall.is_none());
        found.map(|place| &row[place].1)
    }

    /// The largest modulus of P waves along an axis in a cell [Pa].
    fn modulus(&self, cell: [i64; 3]) -> f64 {
        let own = self.medium.beyond(cell, self.boundaries);
        let alone = if own.kind == Kind::Air { 0.0 } else { modulus(&own) };
        let mixed = self.mixture(cell).filter(|_| own.kind == Kind::Solid);
        mixed.map_or(alone, |mixture| (0..3).map(|axis| mixture.normal.normal[axis][axis]).fold(alone, f64::max))
    }

    /// Buoyancy at the lower face of a cell [m³/kg]. A face to air has twice the buoyancy, but no stress beyond it, and counts half.
    fn buoyancy(&self, cell: [i64; 3], axis: usize) -> f64 {
        let [lower, own] = [below(cell, axis), cell].map(|cell| self.medium.beyond(cell, self.boundaries));
        let alone = face_buoyancy([lower.rho, own.rho].map(|rho| rho.to_f64()));
        match [lower.kind, own.kind] {
            [Kind::Air, Kind::Air] => 0.0,
            [Kind::Air, _] | [_, Kind::Air] => 0.5 * alone,
            [Kind::Solid, Kind::Solid] => self.mixture(cell).map_or(alone, |mixture| 1.0 / mixture.rho[axis]),
            _ => alone,
        }
    }

    /// Square of the largest speed at a cell: of its stress between the buoyancies of its faces, of the velocities at its lower faces between the
    /// moduli of both cells, and of the shear stresses at its lower edges [m²/s²].
    fn square_speed(&self, cell: [i64; 3]) -> f64 {
        let own = self.modulus(cell);
        let along = (0..3).map(|axis| {
            let [lower, upper] = [cell, above(cell, axis)].map(|cell| self.buoyancy(cell, axis));
            (0.5 * own * (lower + upper)).max(0.5 * lower * (own + self.modulus(below(cell, axis))))
        });
        let normal = along.fold(0.0, f64::max);
        let Some(mixture) = self.mixture(cell) else { return normal };
        let at_edge = |edge: usize| {
            let axes = [(edge + 1) % 3, (edge + 2) % 3];
            mixture.shear[edge] * axes.iter().map(|&axis| self.buoyancy(cell, axis)).fold(0.0, f64::max)
        };
        (0..3).map(at_edge).fold(normal, f64::max)
    }
}

fn below(mut cell: [i64; 3], axis: usize) -> [i64; 3] {
    cell[axis] -= 1;
    cell
}

fn above(mut cell: [i64; 3], axis: usize) -> [i64; 3] {
    cell[axis] += 1;
    cell
}

/// Factors at points that need none, for velocities (`half` 0) or stresses (1).
pub fn regular(half: usize) -> Vec<f64> {
    let matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let matrix: &[f64] = if half == 0 { &[] } else { &matrix };
    matrix.iter().copied().chain([1.0; 3]).collect()
}

impl<T: Scalar> Medium<T> {
    /// A cell and those below it along some axes, in all combinations: the cells at its lower face along one, or around its lower edge between two.
    pub(crate) fn around(&self, cell: [usize; 3], axes: &[usize], boundaries: &Boundaries) -> Vec<Stored<T>> {
        let cells = (0..1 << axes.len()).map(|number: usize| {
            let mut at = cell.map(|i| i as i64);
            axes.iter().enumerate().for_each(|(bit, &axis)| at[axis] -= (number >> bit & 1) as i64);
            self.beyond(at, boundaries)
        });
        cells.collect()
    }

    /// Square of the largest speed at cells with several solids in a row along x and at the cells below them along each axis [m²/s²].
    pub(crate) fn square_speed_of_mixtures(
        &self,
        boundaries: &Boundaries,
        row: [usize; 2],
        mixtures: &[(usize, Mixture)],
    ) -> f64 {
        let bounds = Bounds::new(self, boundaries, row);
        let of_cell = |number: usize| {
            let cell = self.grid().cell_of_number(number).map(|i| i as i64);
            // Those in the grid with several solids count by themselves.
            let counts = |cell: [i64; 3]| cell.iter().all(|&i| i >= 0) && bounds.mixture(cell).is_some();
            let lower = [below(cell, 0), below(cell, 1), below(cell, 2)];
            let lower = lower.map(|cell| if counts(cell) { 0.0 } else { bounds.square_speed(cell) });
            lower.into_iter().fold(bounds.square_speed(cell), f64::max)
        };
        mixtures.iter().map(|(number, _)| of_cell(*number)).fold(0.0, f64::max)
    }

    /// Factors for a group of points; `None` if they are regular.
    ///
    /// # Arguments
    /// * `first` – its first cell
    /// * `mixtures` – those of its cells, each with the number of its cell in the grid
    pub(crate) fn group_factors(
        &self,
        boundaries: &Boundaries,
        first: [usize; 3],
        mixtures: &[(usize, Mixture)],
        half: usize,
    ) -> Option<GroupFactors> {
        let (regular, number) = (regular(half), self.grid().number(first));
        let mut group: GroupFactors = Vec::new();
        for (own, mixture) in mixtures {
            let lane = own - number;
            let cell = [first[0] + lane, first[1], first[2]];
            let factors = mixture.factors(self, boundaries, cell, half);
            let differs = factors.iter().zip(&regular).any(|(own, regular)| (own - regular).abs() > NEGLIGIBLE);
            if differs {
                if group.is_empty() {
                    group = regular.iter().map(|&factor| [factor; GROUP]).collect();
                }
                group.iter_mut().zip(factors).for_each(|(lanes, factor)| lanes[lane] = factor);
            }
        }
        (!group.is_empty()).then_some(group)
    }
}
