//! Direct evaluation of the tensor and of third derivatives of cells that touch a point.
//!
//! The tensor is discontinuous on faces; it and third derivatives diverge on edges and corners. There they depend on the last bits of the coordinates and cannot be passed through a
//! transform. Each point touches few cells, and these pairs are added directly.

use craton_device::{Isa, Kernel, Lanes, Scalar};
use rayon::prelude::*;

use super::lattice::Sheet;
use super::quantity::{PLACES, Quantities, Quantity, THIRDS};
use super::{Convolution, LANES, LevelGrid};
use crate::fields::Needs;
use crate::magnetics::ThirdBody;
use crate::pair::Body;
use crate::{Field, GRAVITATIONAL_CONSTANT, Prisms};

/// Distance from the surface of a cell, in sides of the cell, within which a point touches it. Outside it, a coordinate error of 1e-9 of a side changes the
/// tabulated tensor by at most 1e-6 of G times density.
const TOUCH: f64 = 1e-3;

/// Distance of a point outside a cell along an axis, in sides of the cell; negative inside.
///
/// # Arguments
/// * `offset` – offset from the point to the lower bound [m]; `side` – side of the cell [m]
pub fn outside(offset: f64, side: f64) -> f64 {
    offset.max(-offset - side) / side
}

/// Whether a point at this distance outside a cell along one axis may touch it.
pub fn may_touch(outside: f64) -> bool {
    outside <= TOUCH
}

/// Whether a point at these distances outside a cell along x, y, z touches it.
pub fn touches(outside: [f64; 3]) -> bool {
    outside.into_iter().all(may_touch) && outside.into_iter().any(|distance| distance.abs() <= TOUCH)
}

/// Adds the singular quantities of all cells that touch a point.
///
/// # Arguments
/// * `values` – quantities at all points, in their order
pub fn add(plan: &Convolution, quantities: Quantities, values: &mut [Vec<f64>], isa: Isa) {
    let z = plan.grid.z;
    let height = |layer: &Sheet| outside(layer.bounds[0] - z, layer.bounds[1] - layer.bounds[0]);
    let near = plan.lattice.layers.iter().map(|layer| (layer, height(layer)));
    let near: Vec<(&Sheet, f64)> = near.filter(|&(_, height)| may_touch(height)).collect();
    let singular = quantities.singular();
    if near.is_empty() || singular.iter().next().is_none() {
        return;
    }
    let rows: Vec<Vec<[f64; PLACES]>> = (0..plan.grid.count[1])
        .into_par_iter()
        .map(|row| f64::dispatch(isa, Row { plan, layers: &near, row, singular }))
        .collect();
    for (of, values) in quantities.iter().zip(values).filter(|(of, _)| of.is_singular()) {
        for (value, sums) in values.iter_mut().zip(rows.iter().flatten()) {
            *value += sums[of.place()];
        }
    }
}

/// Kernel that sums the singular quantities of the cells that touch each point of a row.
struct Row<'a> {
    plan: &'a Convolution<'a>,
    /// Layers, each with the vertical distance of the points outside it.
    layers: &'a [(&'a Sheet, f64)],
    row: usize,
    singular: Quantities,
}

impl Kernel<f64> for Row<'_> {
    type Output = Vec<[f64; PLACES]>;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Vec<[f64; PLACES]> {
        let Convolution { lattice, grid, axes, .. } = self.plan;
        let mut sums = vec![[0.0; PLACES]; grid.count[0]];
        let mut prisms = Vec::new();
        for (point, sums) in sums.iter_mut().enumerate() {
            prisms.clear();
            for &(layer, height) in self.layers {
                for (j, along_y) in axes[1].around(self.row) {
                    for (i, along_x) in axes[0].around(point) {
                        if touches([along_x, along_y, height]) {
                            prisms.extend(lattice.prisms_at(layer, j * lattice.count[0] + i));
                        }
                    }
                }
            }
            let place = place(grid, point, self.row);
            for &prism in &prisms {
                add_prism::<V>(sums, lattice.prisms(), prism, &place, self.singular);
            }
        }
        sums
    }
}

fn place(grid: &LevelGrid, column: usize, row: usize) -> [f64; 3] {
    [grid.place(0, column), grid.place(1, row), grid.z]
}

/// Adds the quantities of one prism at one point, replicated to all lanes.
#[inline(always)]
fn add_prism<V: Lanes<Scalar = f64>>(
    sums: &mut [f64; PLACES],
    prisms: &Prisms,
    prism: usize,
    place: &[f64; 3],
    quantities: Quantities,
) {
    let point = [V::splat(place[0]), V::splat(place[1]), V::splat(place[2])];
    let bounds = prisms.bounds(prism);
    let scale = GRAVITATIONAL_CONSTANT * prisms.density()[prism];
    let mut add = |of: Quantity, value: V| {
        let mut lanes = [0.0; LANES];
        value.store(&mut lanes, 0);
        sums[of.place()] += scale * lanes[0];
    };
    if quantities.fields.has_tensor() {
        let values = Body::<V>::new(&bounds).at(&point, Needs::of(quantities.fields));
        for field in Field::ALL {
            add(Quantity::Field(field), values[field as usize]);
        }
    }
    if quantities.has_third {
        let values = ThirdBody::<V>::new(&bounds).at(&point);
        for (number, third) in THIRDS.iter().enumerate() {
            add(Quantity::Third(number), values[third.index]);
        }
    }
}
