//! Paraxial sides, where a one-way wave equation prescribes the velocity.
//!
//! The density beyond them is infinite, as beyond rigid walls, so that the momentum equation does not change the velocity in the plane of the side.
//! After each velocity update the condition sets that velocity, and the tangential components half a cell beyond the side.

use craton_device::{AlignedVec, Scalar};
use craton_numerics::staggered::GridPoints;

use crate::boundary::{Boundaries, Side};
use crate::grid::Grid;
use crate::layout::Layout;
use crate::sweep::MaterialArrays;
use craton_fd_kernels::Field;

/// A paraxial side of a block.
pub struct Wall<T> {
    /// Side of the grid, 0 to 5.
    pub side: usize,
    /// The condition of each component.
    pub outgoing: [Outgoing<T>; 3],
}

/// The paraxial condition of one component.
pub struct Outgoing<T> {
    /// Factor (c dt - h) / (c dt + h) at each point of the plane [–].
    pub ratio: Vec<T>,
    /// Velocity of the previous step at the points next to the outermost ones [m/s].
    pub past: Vec<T>,
}

impl<T: Scalar> Wall<T> {
    /// Creates the paraxial sides of a block, in the order of the sides.
    pub fn all(
        grid: &Grid,
        boundaries: &Boundaries,
        layout: &Layout,
        material: &MaterialArrays<AlignedVec<T>>,
        dt: f64,
    ) -> Vec<Self> {
        let is_here = |side: usize| {
            let (axis, upper) = (side / 2, side % 2 == 1);
            if upper { layout.first[axis] + layout.cells[axis] == grid.cells[axis] } else { layout.first[axis] == 0 }
        };
        let is_paraxial = |side: &usize| boundaries.sides[*side] == Side::Paraxial;
        let outgoing = |side| [0, 1, 2].map(|component| Outgoing::new(grid, layout, material, side, component, dt));
        let sides = (0..6).filter(|&side| is_here(side)).filter(is_paraxial);
        sides.map(|side| Self { side, outgoing: outgoing(side) }).collect()
    }

    /// Sets the velocity at the side.
    pub fn fill(&mut self, layout: &Layout, velocities: &mut [AlignedVec<T>]) {
        for (component, (values, outgoing)) in velocities.iter_mut().zip(&mut self.outgoing).enumerate() {
            outgoing.fill(plane(layout, self.side, component), values);
        }
    }
}

impl<T: Scalar> Outgoing<T> {
    fn new(
        grid: &Grid,
        layout: &Layout,
        material: &MaterialArrays<AlignedVec<T>>,
        side: usize,
        component: usize,
        dt: f64,
    ) -> Self {
        let axis = side / 2;
        let speed = |at: usize| {
            let [lambda, inverse_mu, rho] =
                [&material.lambda, &material.inverse_mu, &material.rho].map(|array| array[at].to_f64());
            let modulus = if component == axis { lambda + 2.0 / inverse_mu } else { 1.0 / inverse_mu };
            (modulus / rho).sqrt()
        };
        let ratio = |[outer, inner]: [usize; 2]| {
            // The cell inside the plane.
            let at = if component == axis && side.is_multiple_of(2) { outer } else { inner };
            let courant = speed(at) * dt / grid.spacing[axis];
            T::from_f64((courant - 1.0) / (courant + 1.0))
        };
        let ratio: Vec<T> = plane(layout, side, component).map(ratio).collect();
        Self { past: vec![T::default(); ratio.len()], ratio }
    }

    /// Applies v_outer(n+1) = v_inner(n) + ratio (v_inner(n+1) - v_outer(n)), the condition centred between both points and both times.
    fn fill(&mut self, plane: impl Iterator<Item = [usize; 2]>, values: &mut [T]) {
        for (([outer, inner], past), &ratio) in plane.zip(&mut self.past).zip(&self.ratio) {
            values[outer] = *past + ratio * (values[inner] - values[outer]);
            *past = values[inner];
        }
    }
}

/// Array indices of the outermost points of a component at a side, each with that of its inner neighbour.
pub fn plane(layout: &Layout, side: usize, component: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
    let (axis, upper) = (side / 2, side % 2 == 1);
    let n = layout.cells[axis] as i64;
    let is_whole = Field::Velocity(component).points()[axis] == GridPoints::Whole;
    let (outer, inner) = match (upper, is_whole) {
        (false, true) => (0, 1),
        (false, false) => (-1, 0),
        (true, true) => (n, n - 1),
        (true, false) => (n, n - 1),
    };
    let count = layout.count(Field::Velocity(component));
    let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    let layout = layout.clone();
    (0..count[b] as i64).flat_map(move |second| (0..count[a] as i64).map(move |first| (first, second))).map(
        move |(first, second)| {
            [outer, inner].map(|along| {
                let mut point = [along; 3];
                point[a] = first;
                point[b] = second;
                layout.at(point)
            })
        },
    )
}
