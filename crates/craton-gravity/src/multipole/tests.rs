use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::*;

#[test]
fn what_is_left_out_is_below_the_bound() {
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

/// The kernel: the fields of a prism at one point, as that of a row and by itself.
struct RowAndPoint {
    size: [f64; 3],
    nearest: f64,
    centre: [f64; 3],
}

impl Kernel<f64> for RowAndPoint {
    type Output = [[f64; 10]; 2];

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> [[f64; 10]; 2] {
        let splat = |values: [f64; 3]| values.map(|value| V::splat(value));
        let multipole = Multipole::new(&splat(self.size));
        let centre @ [x, y, z] = splat(self.centre);
        let row = Row::new(&multipole, [y, z], V::splat(self.nearest * self.nearest), Fields::ALL);
        let distance2 = row.distance2(x);
        let (mut places, mut inverse) = ([0.0; 16], [0.0; 16]);
        x.store(&mut places, 0);
        distance2.recip().sqrt().store(&mut inverse, 0);
        let mut of_row = [V::constant(0.0); 10];
        for field in Field::ALL {
            let mut values = [0.0; 16];
            row.fill(field, &places, &inverse, &mut values);
            of_row[field as usize] = V::load(&values, 0);
        }
        let both = [of_row, multipole.at(&centre, distance2, Fields::ALL)];
        let first = |value: V| {
            let mut lanes = [0.0; 16];
            value.store(&mut lanes, 0);
            lanes[0]
        };
        both.map(|fields| fields.map(first))
    }
}

#[test]
fn a_row_is_its_points() {
    for size in [[3.0, 1.0, 7.5], [2.0, 2.0, 0.01], [1.0, 1.0, 1.0]] {
        let nearest = 0.5 * FAR * size.iter().map(|side: &f64| side * side).sum::<f64>().sqrt();
        for beside in [[0.0, 0.0], [0.3, -0.2], [-1.0, 0.5], [300.0, -1.0]] {
            for x in [1.0, -1.2, 2.0, 5.0, -40.0, 1e4] {
                let centre = [x, beside[0], beside[1]].map(|share| share * nearest);
                for isa in Isa::available() {
                    let [found, expected] = f64::dispatch(isa, RowAndPoint { size, nearest, centre });
                    for kind in [0..1, 1..4, 4..10] {
                        let size = expected[kind.clone()].iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                        for field in kind {
                            let error = (found[field] - expected[field]).abs() / size;
                            assert!(error < 1e-14, "{field} of {size:?} at {centre:?}: {error:e}");
                        }
                    }
                }
            }
        }
    }
}
