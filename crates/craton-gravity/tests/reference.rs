//! Against fifty digits (`validation/references/gravity`).

mod common;

use std::path::Path;

use common::{attraction, difference, gravity_on, prism, tensor};
use craton_device::Isa;
use craton_gravity::{GRAVITATIONAL_CONSTANT, Prism};

/// A prism, a point and the fields there.
struct Case {
    prism: Prism,
    point: [f64; 3],
    exact: [f64; 10],
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/references/gravity/prisms.csv");
    let text = std::fs::read_to_string(path).expect("the reference");
    let row = |line: &str| -> Vec<f64> { line.split(',').map(|word| word.parse().expect("a number")).collect() };
    let case = |row: Vec<f64>| Case {
        prism: prism(row[..6].try_into().expect("six bounds"), row[6]),
        point: row[7..10].try_into().expect("three coordinates"),
        exact: row[10..].try_into().expect("ten fields"),
    };
    text.lines().skip(1).map(row).map(case).collect()
}

#[test]
fn ten_digits_inside_near_and_far() {
    let cases = cases();
    assert_eq!(cases.len(), 848);
    for isa in Isa::available() {
        let mut worst = [0.0_f64; 3];
        for Case { prism, point, exact } in &cases {
            let error = difference(&gravity_on(isa, 1, &[*prism], &[*point])[0], exact);
            let errors = [
                (error[0] / exact[0]).abs(),
                attraction(&error) / attraction(exact),
                tensor(&error) / tensor(exact),
            ];
            if errors.iter().any(|&e| !(e<=1e-10)) {println!("{errors:?} {prism:?} {point:?}");}
            for k in 0..3 {
                worst[k] = worst[k].max(errors[k]);
            }
        }
        println!("{} {worst:?}", isa.name());
        assert!(worst.iter().all(|&e|e<= 1e-10));
    }
}
