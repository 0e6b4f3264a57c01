//! The tensor of cells at points that touch them, from the prisms themselves.
//!
//! On faces the tensor jumps, on edges and corners parts of it have no limit. What stands there depends on the last bits of the coordinates, and is no number that a
//! transform could bear. Points touch few cells, and these pairs are added one by one.

use craton_device::{Isa, Kernel, Lanes, Scalar};
use rayon::prelude::*;

use super::lattice::Sheet;
use super::{Convolution, LANES, LevelGrid};
use crate::fields::Needs;
use crate::pair::Body;
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, Prisms};

/// How near to the surface of a cell a point touches it, in sides of the cell. A place that is off by 1e-9 of a side then changes a tensor in the table by
/// 1e-6 of G times density, at most.
const TOUCH: f64 = 1e-3;

/// How far outside a cell a point stands along an axis, in sides of the cell; negative inside.
///
/// # Arguments
/// * `offset` – from the point to the lower bound [m]; `side` – of the cell [m]
pub fn outside(offset: f64, side: f64) -> f64 {
    offset.max(-offset - side) / side
}

/// Whether a point may touch a cell that it stands so far outside of along one axis.
pub fn may_touch(beside: f64) -> bool {
    beside <= TOUCH
}

/// Whether a point touches a cell that it stands so far outside of along x, y, z.
pub fn touches(beside: [f64; 3]) -> bool {
    beside.into_iter().all(may_touch) && beside.into_iter().any(|beside| beside.abs() <= TOUCH)
}

/// Whether a field is a component of the tensor.
pub fn is_tensor(field: Field) -> bool {
    Fields::TENSOR.contains(field)
}

/// Adds the tensor of cells that points touch.
///
/// # Arguments
/// * `values` – fields at all points, in the order of their places
pub fn add(plan: &Convolution, fields: Fields, values: &mut [Vec<f64>], isa: Isa) {
    let z = plan.grid.z;
    let height = |layer: &Sheet| outside(layer.bounds[0] - z, layer.bounds[1] - layer.bounds[0]);
    let near = plan.lattice.layers.iter().map(|layer| (layer, height(layer)));
    let near: Vec<(&Sheet, f64)> = near.filter(|&(_, height)| may_touch(height)).collect();
    let tensor: Fields = fields.iter().filter(|&field| is_tensor(field)).collect();
    if near.is_empty() || !tensor.has_tensor() {
        return;
    }
    let rows: Vec<Vec<[f64; 10]>> = (0..plan.grid.count[1])
        .into_par_iter()
        .map(|row| f64::dispatch(isa, Row { plan, layers: &near, row, needs: Needs::of(tensor.like(fields)) }))
        .collect();
    for (field, values) in fields.iter().zip(values).filter(|(field, _)| is_tensor(*field)) {
        for (value, sums) in values.iter_mut().zip(rows.iter().flatten()) {
            *value += sums[field as usize];
        }
    }
}

/// The kernel: all fields of the cells that each point of a row touches.
struct Row<'a> {
    plan: &'a Convolution<'a>,
    /// With how far outside of them the points stand.
    layers: &'a [(&'a Sheet, f64)],
    row: usize,
    needs: Needs,
}

impl Kernel<f64> for Row<'_> {
    type Output = Vec<[f64; 10]>;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Vec<[f64; 10]> {
        let Convolution { lattice, grid, axes, .. } = self.plan;
        let mut sums = vec![[0.0; 10]; grid.count[0]];
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
                add_prism::<V>(sums, lattice.prisms(), prism, &place, self.needs);
            }
        }
        sums
    }
}

fn place(grid: &LevelGrid, column: usize, row: usize) -> [f64; 3] {
    [grid.place(0, column), grid.place(1, row), grid.z]
}

/// Adds the fields of one prism at one point, which fills all lanes.
#[inline(always)]
fn add_prism<V: Lanes<Scalar = f64>>(
    sums: &mut [f64; 10],
    prisms: &Prisms,
    prism: usize,
    place: &[f64; 3],
    needs: Needs,
) {
    let point = [V::splat(place[0]), V::splat(place[1]), V::splat(place[2])];
    let values = Body::<V>::new(&prisms.bounds(prism)).at(&point, needs);
    let scale = GRAVITATIONAL_CONSTANT * prisms.density()[prism];
    let mut lanes = [0.0; LANES];
    for field in 0..values.len() {
        values[field].store(&mut lanes, 0);
        sums[field] += scale * lanes[0];
    }
}
