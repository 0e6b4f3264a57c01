use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::*;

#[test]
fn truncation_error_is_below_the_bound() {
    // Terms of even degree n >= 8 in parts of degree 0, tensor: (n + 1)(n + 2)/2 <sⁿ>/Rⁿ with <sⁿ> <= dⁿ/(n + 1).
    let left_out: f64 = (4..60).map(|half| f64::from(half + 1) * FAR.powi(-2 * half)).sum();
    assert!(left_out < 1e-10, "{left_out:e}");
}

#[test]
fn every_degree_is_harmonic() {
    let multipole = Multipole::new(&[3.0, 1.0, 7.5]);
    for centre in [[3.0, -4.0, 5.0], [0.1, 9.0, -2.0], [40.0, 1.0, 3.0]] {
        let distance2 = centre.iter().map(|c| c * c).sum();
        let [.., xx, _, _, yy, _, zz] = multipole.at(&centre, distance2, Fields::TENSOR);
        let size = xx.abs() + yy.abs() + zz.abs();
        // Near the prism the higher degrees dominate: their Laplacian vanishes to round-off of their size.
        assert!((xx + yy + zz).abs() < 1e-12 * size, "{:e}", (xx + yy + zz) / size);
    }
}

/// Points of a row.
const POINTS: usize = 16;

/// Kernel that computes the fields of a prism at the points of a row, as a row and point by point.
struct RowAndPoints {
    size: [f64; 3],
    nearest: f64,
    x: [f64; POINTS],
    across: [f64; 2],
}

impl Kernel<f64> for RowAndPoints {
    type Output = [[[f64; 10]; POINTS]; 2];
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Self::Output {
        let multipole = Multipole::new(&self.size.map(|side| V::splat(side)));
        let [y, z] = self.across.map(|value| V::splat(value));
        let row = Row::new(&multipole, [y, z], V::splat(self.nearest * self.nearest), Fields::ALL);
        let [mut of_row, mut of_points] = [[[0.0; 10]; POINTS]; 2];
        let mut inverse = [0.0; POINTS];
        for lane in (0..POINTS).step_by(V::COUNT) {
            let x = V::load(&self.x, lane);
            let distance2 = row.distance2(x);
            distance2.recip().sqrt().store(&mut inverse, lane);
            for (field, value) in multipole.at(&[x, y, z], distance2, Fields::ALL).into_iter().enumerate() {
                let mut values = [0.0; POINTS];
                value.store(&mut values, lane);
                (lane..lane + V::COUNT).for_each(|point| of_points[point][field] = values[point]);
            }
        }
        for field in Field::ALL {
            let mut values = [0.0; POINTS];
            row.fill(field, &self.x, &inverse, &mut values);
            (0..POINTS).for_each(|point| of_row[point][field as usize] = values[point]);
        }
        [of_row, of_points]
    }
}

#[test]
fn a_row_matches_its_points() {
    // In units of the distance from which the multipole is used.
    let along: [f64; POINTS] =
        [-1e4, -300.0, -40.0, -7.0, -3.0, -1.5, -1.2, -1.0, 1.0, 1.1, 1.4, 2.0, 5.0, 19.0, 130.0, 2e3];
    for size in [[3.0, 1.0, 7.5], [2.0, 2.0, 0.01], [1.0, 1.0, 1.0]] {
        let nearest = 0.5 * FAR * size.iter().map(|side: &f64| side * side).sum::<f64>().sqrt();
        for across in [[0.0, 0.0], [0.3, -0.2], [-1.0, 0.5], [300.0, -1.0]] {
            for isa in Isa::available() {
                let (x, across) = (along.map(|share| share * nearest), across.map(|share| share * nearest));
                let [found, expected] = f64::dispatch(isa, RowAndPoints { size, nearest, x, across });
                for (point, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    for kind in [0..1, 1..4, 4..10] {
                        let largest = expected[kind.clone()].iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                        for field in kind {
                            let error = (found[field] - expected[field]).abs() / largest;
                            assert!(error < 1e-14, "{field} of {size:?} at {} and {across:?}: {error:e}", x[point]);
                        }
                    }
                }
            }
        }
    }
}
