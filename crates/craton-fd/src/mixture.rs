//! Cells with several solids: what the law of their isotropic averages lacks.
//!
//! A cell stores one isotropic average. A value whose volume an interface cuts follows another law: the orthorhombic solid that the layers in its volume
//! are for long waves (`craton_physics::Orthorhombic`), and the mean density of its volume. Factors on the derivatives give this law from the
//! isotropic one, so that other cells store and compute nothing for it.
//!
//! # Source
//! Kristek, Moczo, Chaljub & Kristekova (2017), Geophysical Journal International 208, 1250-1264, on orthorhombic averages for staggered grids.

use craton_device::Scalar;
use craton_physics::{Orthorhombic, edge_modulus, face_buoyancy};

use crate::boundary::Boundaries;
use crate::layout::GROUP;
use crate::medium::{Kind, Medium, Stored};

/// Averages of the solids in the volumes of the values of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixture {
    /// Average over the cell.
    pub normal: Orthorhombic,
    /// Shear moduli over volumes around its lower edges, yz, xz, xy \[Pa\].
    pub shear: [f64; 3],
    /// Densities over volumes around its lower faces, normal to x, y, z \[kg/m³\].
    pub rho: [f64; 3],
}

/// Factors for a group of points: nine of the normal stresses and those of yz, xz, xy; or those of the velocities.
pub type GroupFactors = Vec<[f64; GROUP]>;

/// Deviation of a factor from its regular value below which it is not applied.
const NEGLIGIBLE: f64 = 1e-3;

impl Mixture {
    /// The largest modulus of P waves along an axis \[Pa\].
    pub(crate) fn stiffest(&self) -> f64 {
        (0..3).map(|axis| self.normal.normal[axis][axis]).fold(0.0, f64::max)
    }

    /// Factors on the derivatives at the points of a cell, for velocities (`half` 0) or stresses (1) \[–\].
    fn factors<T: Scalar>(
        &self,
        medium: &Medium<T>,
        boundaries: &Boundaries,
        cell: [usize; 3],
        half: usize,
    ) -> Vec<f64> {
        let own = cell.map(|i| i as i64);
        // The cells at the lower ends of some axes; `None` if one is not solid.
        let around = |axes: &[usize]| {
            let cells = (0..1 << axes.len()).map(|number: usize| {
                let mut at = own;
                axes.iter().enumerate().for_each(|(bit, &axis)| at[axis] -= (number >> bit & 1) as i64);
                medium.beyond(at, boundaries)
            });
            let cells: Vec<Stored<T>> = cells.collect();
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

/// Factors at points that need none, for velocities (`half` 0) or stresses (1).
pub fn regular(half: usize) -> Vec<f64> {
    let matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let matrix: &[f64] = if half == 0 { &[] } else { &matrix };
    matrix.iter().copied().chain([1.0; 3]).collect()
}

impl<T: Scalar> Medium<T> {
    /// Factors for the group of points that begins at a cell; `None` if they are regular.
    pub(crate) fn group_factors(
        &self,
        boundaries: &Boundaries,
        first: [usize; 3],
        half: usize,
    ) -> Option<GroupFactors> {
        let mixtures = self.mixtures_from(first, GROUP);
        let regular = regular(half);
        let mut group: GroupFactors = Vec::new();
        for (lane, cell, mixture) in mixtures {
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
