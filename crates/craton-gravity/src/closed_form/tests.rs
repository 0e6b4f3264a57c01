//! Tests of private functions.

use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::height_form;
use crate::Fields;
use crate::fields::Needs;
use crate::pair::Body;

/// The fields at the origin of a prism whose density is the height, in closed form and by midpoint slices.
struct Both {
    bounds: [[f64; 2]; 3],
    slices: usize,
}

impl Kernel<f64> for Both {
    type Output = [[f64; 10]; 2];
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> [[f64; 10]; 2] {
        let Self { bounds, slices } = self;
        let splat = |axis: usize| [V::splat(bounds[axis][0]), V::splat(bounds[axis][1])];
        let size = bounds.map(|[low, high]| V::splat(high - low));
        let closed = height_form(&[splat(0), splat(1), splat(2)], &size);
        let [low, high] = bounds[2];
        let mut sums = [0.0; 10];
        let first = |value: V| {
            let mut lanes = [0.0; 16];
            value.store(&mut lanes, 0);
            lanes[0]
        };
        for slice in 0..slices {
            let plane = |n: usize| low + (high - low) * n as f64 / slices as f64;
            let [from, to] = [plane(slice), plane(slice + 1)];
            let body = Body::<V>::new(&[bounds[0], bounds[1], [from, to]]);
            let values = body.at(&[V::constant(0.0); 3], Needs::of(Fields::ALL));
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += 0.5 * (from + to) * first(value);
            }
        }
        [closed.map(first), sums]
    }
}

#[test]
fn a_linear_density_has_the_fields_of_thin_slices() {
    for bounds in [
        [[1.0, 3.0], [-2.0, 1.0], [-4.0, -1.5]],
        [[-1.0, 2.0], [-3.0, 1.0], [0.5, 2.5]],
        [[0.5, 2.0], [1.0, 4.0], [-1.0, 3.0]],
        [[-6.0, -5.0], [2.0, 3.0], [-9.0, -4.0]],
    ] {
        let sums = |slices: usize| f64::dispatch(Isa::detect(), Both { bounds, slices });
        let ([closed, coarse], [_, fine]) = (sums(100), sums(200));
        // Slices converge with the square of their thickness.
        let exact: Vec<f64> = fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / 3.0).collect();
        for kind in [0..1, 1..4, 4..10] {
            let norm = |of: &dyn Fn(usize) -> f64| kind.clone().map(|n| of(n).powi(2)).sum::<f64>().sqrt();
            let (error, size) = (norm(&|n| closed[n] - exact[n]), norm(&|n| exact[n]));
            assert!(error < 1e-8 * size, "{kind:?} of {bounds:?}: {closed:?}, not {exact:?}");
        }
    }
}
