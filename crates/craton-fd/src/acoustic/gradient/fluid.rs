//! From the points of the grid of a shot to the fluid of the cells: the transposes of the averages that the medium takes.

use std::ops::Range;

use craton_device::Scalar;

use super::adjoint::GridGradient;
use crate::acoustic::effective::{Slab, upper_part};
use crate::acoustic::medium::{AcousticMedium, at_index};
use crate::grid::Grid;

/// Gradient with respect to the effective fluid of each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidGradient {
    /// ∂J/∂ln κ, x fastest.
    pub kappa: Vec<f64>,
    /// ∂J/∂ρ [m³/kg] of the density at the centre. Empty without density.
    pub rho: Vec<f64>,
    /// ∂J/∂ρ [m³/kg] of the densities for the flow through the lower and the upper face along each axis. Empty without density.
    pub shares: Vec<[[f64; 2]; 3]>,
}

/// Gradient with respect to the slabs of a cell along an axis: ρ and κ of each.
pub type SlabGradient = Vec<[f64; 2]>;

impl FluidGradient {
    /// Zeros.
    pub fn zeros(grid: &Grid, with_density: bool) -> Self {
        let of_density = if with_density { grid.n_cells() } else { 0 };
        Self { kappa: vec![0.0; grid.n_cells()], rho: vec![0.0; of_density], shares: vec![[[0.0; 2]; 3]; of_density] }
    }

    /// Whether density is a parameter.
    pub fn has_density(&self) -> bool {
        !self.rho.is_empty()
    }

    /// Gradient with respect to speed [1/(m/s)] and density [m³/kg] of a cell whose material does not vary.
    pub fn of_material(&self, cell: usize, vp: f64, rho: f64) -> [f64; 2] {
        let of_kappa = self.kappa[cell];
        let of_faces = self.shares.get(cell).map_or(0.0, |shares| shares.iter().flatten().sum());
        let of_centre = self.rho.get(cell).copied().unwrap_or(0.0);
        [2.0 / vp * of_kappa, if self.has_density() { of_kappa / rho + of_faces + of_centre } else { 0.0 }]
    }
}

impl<T: Scalar> AcousticMedium<T> {
    /// The transpose of [`part`](Self::part) and of the buoyancies of its faces: adds the gradient of a shot to that of the cells of this medium.
    ///
    /// # Arguments
    /// * `cells`, `around` – as for [`part`](Self::part)
    /// * `part` – the part
    pub fn add_gradient_of_part(
        &self,
        (cells, around): (&[Range<usize>; 3], [[usize; 2]; 3]),
        part: &AcousticMedium<T>,
        gradient: &GridGradient,
        into: &mut FluidGradient,
    ) {
        let nearest = |axis: usize, i: usize, end: usize| {
            let first = cells[axis].start;
            (first + i).saturating_sub(around[axis][0]).clamp(first, end)
        };
        let cell = |own: [usize; 3]| [0, 1, 2].map(|axis| nearest(axis, own[axis], cells[axis].end - 1));
        let place = |own: [usize; 3]| self.grid().number(cell(own));
        let [nx, ny, _] = part.grid().cells;
        let point = |number: usize| [number % nx, number / nx % ny, number / (nx * ny)];
        for (number, value) in gradient.kappa.iter().enumerate() {
            into.kappa[place(point(number))] += value;
        }
        if !into.has_density() {
            return;
        }
        gradient.density.iter().for_each(|&(own, value)| into.rho[place(own)] += value);
        for (axis, values) in gradient.buoyancy.iter().enumerate() {
            let has_own = self.has_own_faces(axis);
            for (number, &value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let face = point(number);
                let shares = match has_own {
                    true => {
                        let end = |along: usize| cells[along].end - usize::from(along != axis);
                        let nearest = [0, 1, 2].map(|along| nearest(along, face[along], end(along)));
                        self.shares_of_face(nearest, axis)
                    }
                    false => part.shares_of_face(face, axis).map(|(own, side)| (cell(own), side)),
                };
                // b = 2 / (sum of both densities).
                let of_density = -0.5 * part.buoyancy(face, axis) * value;
                for (own, side) in shares {
                    into.shares[self.grid().number(own)][axis][side] += of_density;
                }
            }
        }
    }

    /// The cells whose densities give the buoyancy of a face, and whether their lower or upper side: twice the same at the ends of the grid.
    fn shares_of_face(&self, face: [usize; 3], axis: usize) -> [([usize; 3], usize); 2] {
        let (at, last) = (face[axis], self.grid().cells[axis] - 1);
        let low = at.checked_sub(1).map(|low| (at_index(face, axis, low), 1));
        let high = (at <= last).then(|| (at_index(face, axis, at), 0));
        [low.or(high), high.or(low)].map(|own| own.expect("a face belongs to a cell"))
    }
}

/// The transpose of the averages along an axis of [`EffectiveFluid::new`](crate::acoustic::EffectiveFluid::new).
///
/// # Arguments
/// * `of_kappa` – ∂J/∂ln κ of the cell for the axis whose slabs it is averaged over, the third one; 0 for the others
/// * `of_shares` – ∂J/∂ρ for the flow through its lower and its upper face along the axis
pub fn slabs_transposed(slabs: &[Slab], of_kappa: f64, of_shares: [f64; 2]) -> SlabGradient {
    let total: f64 = slabs.iter().map(|slab| slab.part / slab.kappa).sum();
    let upper = upper_part(slabs);
    // Half of a slab lies between its own lower end and its middle, the whole of it below the middles of those above.
    let by_upper: Vec<f64> =
        slabs.iter().map(|slab| 2.0 * slab.rho * slab.part * (of_shares[1] - of_shares[0])).collect();
    let all: f64 = by_upper.iter().zip(&upper).map(|(own, upper)| own * upper).sum();
    let mut above: f64 = by_upper.iter().sum();
    let mut found = Vec::with_capacity(slabs.len());
    for ((slab, own), upper) in slabs.iter().zip(&by_upper).zip(&upper) {
        above -= own;
        let of_rho = 2.0 * slab.part * ((1.0 - upper) * of_shares[0] + upper * of_shares[1]);
        let of_compliance = (above + 0.5 * own - all) / total - of_kappa / total;
        found.push([of_rho, -of_compliance * slab.part / (slab.kappa * slab.kappa)]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acoustic::EffectiveFluid;

    #[test]
    fn averages_are_transposed() {
        let slabs = [(0.3, 1000.0, 2.2e9), (0.45, 2100.0, 9e9), (0.25, 1600.0, 4e9)];
        let slabs = slabs.map(|(part, rho, kappa)| Slab { part, rho, kappa });
        let value = |slabs: &[Slab]| {
            let fluid = EffectiveFluid::new(1.0, [slabs; 3]);
            3.0 * fluid.kappa.ln() + 0.7e-3 * fluid.shares[2][0] - 0.2e-3 * fluid.shares[2][1]
        };
        let gradient = slabs_transposed(&slabs, 3.0, [0.7e-3, -0.2e-3]);
        for (number, gradient) in gradient.iter().enumerate() {
            let relative = 1e-5;
            let changed = |sign: f64, of_rho: bool| {
                let mut changed = slabs;
                let own = if of_rho { &mut changed[number].rho } else { &mut changed[number].kappa };
                *own *= 1.0 + sign * relative;
                value(&changed)
            };
            for (of_rho, size, found) in
                [(true, slabs[number].rho, gradient[0]), (false, slabs[number].kappa, gradient[1])]
            {
                let expected = (changed(1.0, of_rho) - changed(-1.0, of_rho)) / (2.0 * relative);
                assert!((found * size - expected).abs() < 1e-8, "{number} {of_rho}: {} and {expected}", found * size);
            }
        }
    }
}
