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
