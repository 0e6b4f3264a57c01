//! Transposes of the small pieces of a step: the stretching of derivatives in absorbing layers.

use craton_device::Scalar;
use rayon::prelude::*;

use crate::acoustic::layers::Layer;
use crate::acoustic::layout::Layout;
use crate::layout::GROUP;

/// Smallest number of memory variables that threads share.
const GRAIN: usize = 1 << 15;

/// Copies a plane of a field, and applies the transposed stretching of the layers across an axis to the copy.
///
/// A layer stretches a derivative d as ψ ← α ψ + β d, s = γ d + ψ with its decay α, gain β and inverse stretch γ. Backwards in time, with the adjoint
/// memory η instead of ψ, this is t = γ u + β (η + u), η ← α (η + u). The layer of the upper side, which acts last, is transposed first.
///
/// # Arguments
/// * `axis`, `half` – axis of the derivative, and 0 for derivatives at faces, 1 for those at cells
/// * `field`, `copy` – arrays
pub fn stretch_transposed<T: Scalar>(
    layers: &mut [Option<Layer<T>>; 6],
    layout: &Layout,
    (axis, half): (usize, usize),
    plane: usize,
    field: &[T],
    copy: &mut [T],
) {
    let first = layout.row(0, plane);
    let len = (layout.cells[1] - 1) * layout.stride[1] + layout.groups * GROUP;
    let copy = &mut copy[first..first + len];
    copy.copy_from_slice(&field[first..first + len]);
    for layer in layers[2 * axis..2 * axis + 2].iter_mut().rev().flatten().filter(|layer| layer.holds(plane)) {
        of_layer(layer, (axis, half), plane, copy, layout.stride[1]);
    }
}

/// The transposed stretching of a layer in the rows of a plane, which are `stride` apart.
fn of_layer<T: Scalar>(
    layer: &mut Layer<T>,
    (axis, half): (usize, usize),
    plane: usize,
    rows: &mut [T],
    stride: usize,
) {
    let (start, [width, _]) = (layer.range.start, layer.shape());
    let (memory, factors) = layer.plane_and_factors(half, plane);
    let [first_row, first_x] = [if axis == 1 { start } else { 0 }, if axis == 0 { start } else { 0 }];
    let of_row = |(number, (memory, row)): (usize, (&mut [T], &mut [T]))| {
        let points = memory.iter_mut().zip(&mut row[first_x..]);
        for (i, (memory, value)) in points.enumerate() {
            let at = [i, number, plane - if axis == 2 { start } else { 0 }][axis];
            let [decay, gain, inverse] = factors.map(|list| list[at]);
            let sum = *memory + *value;
            *value = inverse * *value + gain * sum;
            *memory = (decay * sum).without_negligible();
        }
    };
    match memory.len() >= 2 * GRAIN {
        true => {
            let rows = rows.par_chunks_mut(stride).skip(first_row);
            memory.par_chunks_exact_mut(width).zip(rows).enumerate().for_each(of_row);
        }
        false => {
            let rows = rows.chunks_mut(stride).skip(first_row);
            memory.chunks_exact_mut(width).zip(rows).enumerate().for_each(of_row);
        }
    }
}

#[cfg(test)]
mod tests {
    use craton_testkit::random::Random;

    use super::*;
    use crate::boundary::AbsorbingLayer;
    use crate::grid::Grid;

    /// ⟨S d, u⟩ = ⟨d, Sᵀ u⟩ over several steps, for each axis and both kinds of points.
    #[test]
    fn stretching_is_transposed_with_its_memory() {
        let (cells, steps) = ([19, 9, 8], 12);
        let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells };
        let layout = Layout::new(cells, 2);
        let across = AbsorbingLayer {
            cells: 4,
            vp_max: 2000.0,
            dominant_frequency: 15.0,
            reflection: 1e-4,
            exponent: 2.0,
            max_stretch: 1.5,
        };
        for (axis, half) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let layers = || -> [Option<Layer<f64>>; 6] {
                std::array::from_fn(|side| Some(Layer::new(&grid, side, &across, &layout, 1e-3).unwrap()))
            };
            let mut random = Random::new(3);
            let mut series = || -> Vec<Vec<f64>> {
                (0..steps).map(|_| (0..layout.len()).map(|_| random.symmetric()).collect()).collect()
            };
            let (forward, adjoint) = (series(), series());
            let (mut of_forward, mut of_adjoint) = (layers(), layers());
            let (mut direct, mut transposed) = (0.0, 0.0);
            let inside = |plane: usize| (0..cells[1]).flat_map(move |j| (0..cells[0]).map(move |i| [i, j, plane]));
            for step in 0..steps {
                for plane in 0..cells[2] {
                    let mut values = forward[step].clone();
                    for layer in of_forward[2 * axis..2 * axis + 2].iter_mut().flatten() {
                        stretch(layer, (axis, half), plane, &mut values, &layout);
                    }
                    let point = |at: [usize; 3]| layout.row(at[1], at[2]) + at[0];
                    direct += inside(plane).map(|at| values[point(at)] * adjoint[step][point(at)]).sum::<f64>();
                }
                let back = steps - 1 - step;
                for plane in 0..cells[2] {
                    let mut copy = vec![0.0; layout.len()];
                    stretch_transposed(&mut of_adjoint, &layout, (axis, half), plane, &adjoint[back], &mut copy);
                    let point = |at: [usize; 3]| layout.row(at[1], at[2]) + at[0];
                    transposed += inside(plane).map(|at| copy[point(at)] * forward[back][point(at)]).sum::<f64>();
                }
            }
            let difference = (direct - transposed).abs() / direct.abs();
            assert!(difference < 1e-12, "{axis} {half}: {direct} and {transposed}");
        }
    }

    /// The forward recursion of a layer, point by point.
    fn stretch(
        layer: &mut Layer<f64>,
        (axis, half): (usize, usize),
        plane: usize,
        values: &mut [f64],
        layout: &Layout,
    ) {
        if !layer.holds(plane) {
            return;
        }
        let (range, [width, rows]) = (layer.range.clone(), layer.shape());
        let (memory, [decay, gain, inverse]) = layer.plane_and_factors(half, plane);
        for (row, i) in (0..rows).flat_map(|row| (0..width).map(move |i| (row, i))) {
            let j = if axis == 1 { range.start + row } else { row };
            let x = if axis == 0 { range.start + i } else { i };
            let at = [x, j, plane][axis] - range.start;
            let (own, value) = (&mut memory[row * width + i], &mut values[layout.row(j, plane) + x]);
            *own = decay[at] * *own + gain[at] * *value;
            *value = inverse[at] * *value + *own;
        }
    }
}
