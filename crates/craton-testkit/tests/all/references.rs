//! The closed form against the reference tables, absolute amplitudes.

use craton_numerics::misfit::relative_l2;
use craton_testkit::full_space::{FullSpace, Gaussian};
use craton_testkit::references::{ReferenceError, ReferenceTraces};

const SOLID: FullSpace = FullSpace { vp: 6000.0, vs: 3464.0, rho: 2700.0 };
const GAUSSIAN: Gaussian = Gaussian { sigma: 0.1, centre: 0.6 };
const MOMENT: [f64; 6] = [
    1.710507591180648e15,
    -5.834231948138593e15,
    7.123724356957945e15,
    1.294095225512606e15,
    4.82962913144534e15,
    5.713512607928526e15,
];
/// East, north, up of the receivers from the source [m].
const OFFSETS: [[f64; 3]; 5] = [
    [4000.0, 3000.0, 1000.0],
    [800.0, 600.0, 800.0],
    [-5000.0, 12000.0, -1500.0],
    [5000.0, 0.0, 0.0],
    [150.0, 200.0, -300.0],
];

/// The tables print seven digits.
const PRINTED: f64 = 5e-7;

fn compare(file: &str, trace: impl Fn([f64; 3], &[f64]) -> [Vec<f64>; 3]) {
    let reference = ReferenceTraces::read("full_space", file).unwrap();
    assert_eq!(reference.receivers.len(), OFFSETS.len());
    for (receiver, offset) in reference.receivers.iter().zip(OFFSETS) {
        let traces = trace(offset, &reference.times);
        let [test, known] = [&traces[..], &receiver.components].map(|c| c.iter().map(|x| &x[..]).collect::<Vec<_>>());
        let misfit = relative_l2(&test, &known).unwrap();
        assert!(misfit < PRINTED, "{file}, receiver {}: {misfit:e}", receiver.number);
    }
}

#[test]
fn moment_equals_the_reference() {
    compare("mt_u.txt", |offset, times| SOLID.of_moment(MOMENT, &GAUSSIAN.step(), offset, times));
    compare("mt_v.txt", |offset, times| SOLID.of_moment(MOMENT, &GAUSSIAN.pulse(), offset, times));
}

#[test]
fn force_equals_the_reference() {
    for (name, force) in [("fN", [0.0, 1e12, 0.0]), ("fUp", [0.0, 0.0, 1e12])] {
        compare(&format!("{name}_u.txt"), |offset, times| SOLID.of_force(force, &GAUSSIAN.step(), offset, times));
        compare(&format!("{name}_v.txt"), |offset, times| SOLID.of_force(force, &GAUSSIAN.pulse(), offset, times));
    }
}

#[test]
fn moment_is_the_gradient_of_the_force() {
    let (offset, times) = ([700.0, -1100.0, 400.0], [0.5, 0.8, 1.0, 1.2, 3.0]);
    let exact = SOLID.of_moment(MOMENT, &GAUSSIAN.step(), offset, &times);
    let [xx, yy, zz, yz, xz, xy] = MOMENT;
    let columns = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let h = 0.5;
    for (component, exact) in exact.iter().enumerate() {
        for (sample, exact) in exact.iter().enumerate() {
            // A couple is two opposite forces; shifting a source forwards is shifting the receiver backwards.
            let sum: f64 = (0..3)
                .map(|axis| {
                    let at = |step: f64| {
                        let mut moved = offset;
                        moved[axis] -= step;
                        SOLID.of_force(columns[axis], &GAUSSIAN.step(), moved, &times)[component][sample]
                    };
                    (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
                })
                .sum();
            assert!((sum - exact).abs() < 1e-6 * exact.abs() + 1e-12, "{sum} {exact}");
        }
    }
}

#[test]
fn all_sets_can_be_read() {
    for (set, file, receivers, samples) in [
        ("full_space", "mt_v.txt", 5, 801),
        ("half_space", "ex_d500_v.txt", 5, 751),
        ("loh1", "station09_v.txt", 1, 1126),
    ] {
        let traces = ReferenceTraces::read(set, file).unwrap();
        assert_eq!((traces.receivers.len(), traces.times.len()), (receivers, samples), "{set}/{file}");
    }
    assert_eq!(ReferenceTraces::read("loh1", "station09_v.txt").unwrap().receivers[0].number, 9);
}

#[test]
fn a_missing_table_is_named() {
    let error = ReferenceTraces::read("full_space", "none.txt").unwrap_err();
    assert!(matches!(error, ReferenceError::Unreadable { .. }) && error.to_string().contains("none.txt"), "{error}");
}
