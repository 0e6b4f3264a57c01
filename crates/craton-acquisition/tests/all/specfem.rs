//! Conversion of SPECFEM set-ups: units, axes, depths, time shifts and time functions.

use std::path::Path;

use craton_acquisition::specfem::{MapFrame, receivers_from_stations, sources_from_cmt, sources_from_forces};
use craton_acquisition::{Mechanism, Source};
use craton_formats::{cmtsolution, forcesolution, stations};

const BOLIVIA: &str = "\
PDE 1994 6 9 0 33 16.40 -13.8300 -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA
event name: 060994A
time shift: 40.0
half duration: 20.0
latorUTM: -13.82
longorUTM: -67.25
depth: 647.1
Mrr: -7.59e27
Mtt: 7.75e27
Mpp: -0.16e27
Mrt: -25.03e27
Mrp: 0.42e27
Mtp: -2.48e27
";

const RICKER: &str = "\
FORCE 001
time shift: 0.0
hdurorf0: 10.0
latorUTM: 300.0
longorUTM: 200.0
depth: 0.5
source time function: 1
factor force source: 1.d15
component dir vect source E: 0.d0
component dir vect source N: 3.d0
component dir vect source Z_UP: -4.d0
";

/// A surface that rises eastward with slope 0.1; the projection is the identity, valid up to 1000 km from the origin.
struct Slope;

impl MapFrame for Slope {
    fn to_model(&self, x: f64, y: f64) -> Result<[f64; 2], String> {
        match x.abs().max(y.abs()) {
            far if far > 1e6 => Err("it lies outside the map".to_owned()),
            _ => Ok([x, y]),
        }
    }

    fn surface(&self, x: f64, _y: f64) -> f64 {
        0.1 * x
    }
}

fn cmt(text: &str, dt: f64) -> craton_acquisition::specfem::SpecfemSources {
    let sources = cmtsolution::parse(text, Path::new("CMTSOLUTION")).unwrap();
    sources_from_cmt(&sources, &Slope, dt).unwrap()
}

fn forces(text: &str, dt: f64) -> craton_acquisition::specfem::SpecfemSources {
    let forces = forcesolution::parse(text, Path::new("FORCESOLUTION")).unwrap();
    sources_from_forces(&forces, &Slope, dt).unwrap()
}

#[test]
fn bolivia_1994_has_the_expected_position_tensor_and_moment_history() {
    let set = cmt(BOLIVIA, 0.0);
    let source = &set.sources[0];
    let [x, y, z] = source.position();
    assert_eq!([x, y], [-67.25, -13.82]);
    assert!((z + 647_106.725).abs() < 1e-6);
    let Mechanism::Moment(m) = source.mechanism() else {
        panic!("expected a moment tensor");
    };
    let expected = [-0.16e20, 7.75e20, -7.59e20, 25.03e20, 0.42e20, 2.48e20];
    for (found, expected) in m.to_voigt().into_iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-12);
    }
    assert!((m.magnitude() - 8.213).abs() < 1e-3);
    // With a single source the time shift has no effect, and SPECFEM starts two half durations before it.
    assert_eq!(set.t0, 40.0);
    let w = 20.0 / 1.628;
    for t in [25.0, 40.0, 47.0] {
        let moment = 0.5 * (1.0 + libm::erf((t - 40.0) / w));
        assert!((source.history(t) - moment).abs() < 1e-14);
    }
}

#[test]
fn several_sources_keep_their_time_differences() {
    let later = BOLIVIA.replace("time shift: 40.0", "time shift: 43.5");
    let set = cmt(&format!("{later}{BOLIVIA}"), 0.0);
    assert_eq!(set.t0, 40.0);
    assert_eq!(set.sources[0].delay(), 43.5);
    assert_eq!(set.sources[1].delay(), 40.0);
    assert_eq!(set.sources[1].name(), "060994A (2 of 2)");
}

#[test]
fn half_durations_are_at_least_five_steps() {
    let instant = BOLIVIA.replace("half duration: 20.0", "half duration: 0.0");
    let set = cmt(&instant, 0.1);
    assert_eq!(set.t0, 1.0);
    let w = 0.5 / 1.628;
    let expected = (-(0.2f64 / w).powi(2)).exp() / (std::f64::consts::PI.sqrt() * w);
    assert!((set.sources[0].rate_history(1.2) / expected - 1.0).abs() < 1e-12);
}

#[test]
fn a_ricker_force_has_the_expected_magnitude_direction_and_start() {
    let set = forces(RICKER, 0.0);
    let source = &set.sources[0];
    assert_eq!(source.position(), [200.0, 300.0, -480.0]);
    assert_eq!(source.mechanism(), &Mechanism::Force([0.0, 0.6e15, -0.8e15]));
    assert!((set.t0 - 0.12).abs() < 1e-15);
    assert!((source.history(0.12) - 1.0).abs() < 1e-12);
    let a = (std::f64::consts::PI * 10.0).powi(2);
    let expected = (1.0 - 2.0 * a * 4e-4) * (-a * 4e-4).exp();
    assert!((source.history(0.14) - expected).abs() < 1e-12);
}

#[test]
fn force_time_functions_are_histories() {
    let of = |code: &str| {
        let text = RICKER.replace("function: 1", &format!("function: {code}"));
        let set = forces(&text.replace("hdurorf0: 10.0", "hdurorf0: 0.5"), 0.0);
        (set.t0, set.sources[0].clone())
    };
    let value = |(t0, source): &(f64, Source), t: f64| source.history(t0 + t);
    let w = 0.5 / 1.628;
    let gaussian = of("0");
    assert_eq!(gaussian.0, 0.75);
    assert!((value(&gaussian, 0.0) * std::f64::consts::PI.sqrt() * w - 1.0).abs() < 1e-12);
    let step = of("2");
    assert!((value(&step, w) - 0.5 * (1.0 + libm::erf(1.0))).abs() < 1e-12);
    let omega = std::f64::consts::TAU / 0.5;
    let brune = of("5");
    assert!((value(&brune, 0.1) - omega * omega * 0.1 * (-omega * 0.1).exp()).abs() < 1e-12);
    assert!((value(&of("6"), 0.9) - value(&of("5"), 0.9)).abs() < 1e-12);
}

#[test]
fn unsupported_time_functions_are_refused_by_name() {
    let text = RICKER.replace("function: 1", "function: 4");
    let parsed = forcesolution::parse(&text, Path::new("FORCESOLUTION")).unwrap();
    let error = sources_from_forces(&parsed, &Slope, 0.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "source \"FORCE 001\": time function 4 is not supported; use 0 (Gaussian), 1 (Ricker), 2 (step), \
         5 (Brune) or 6 (smoothed Brune)"
    );
}

#[test]
fn stations_are_on_the_surface_or_below_it() {
    let text = "S1 XX 100.0 200.0 999.0 0.0\nS2 XX 100.0 200.0 999.0 50.0\n";
    let parsed = stations::parse(text, Path::new("STATIONS")).unwrap();
    let receivers = receivers_from_stations(&parsed, &Slope).unwrap();
    assert_eq!(receivers[0].code(), "XX.S1");
    assert_eq!(receivers[0].position(), [200.0, 100.0, 20.0]);
    assert!(receivers[0].is_on_surface());
    assert_eq!(receivers[1].position(), [200.0, 100.0, -30.0]);
    assert!(!receivers[1].is_on_surface());
    // The elevation of the file is kept and does not change the position.
    let moved = receivers[1].moved([1.0, 2.0, 3.0], true).unwrap();
    assert_eq!([receivers[0].elevation(), receivers[1].elevation(), moved.elevation()], [Some(999.0); 3]);
    assert_eq!((moved.code(), moved.position(), moved.is_on_surface()), ("XX.S2".to_owned(), [1.0, 2.0, 3.0], true));
}

#[test]
fn codes_for_unknown_elevation_give_none() {
    let text = "S1 XX 100.0 200.0 -12345 0\nS2 XX 100.0 200.0 99999.0 0\nS3 XX 100.0 200.0 0 0\n";
    let parsed = stations::parse(text, Path::new("STATIONS")).unwrap();
    let receivers = receivers_from_stations(&parsed, &Slope).unwrap();
    assert_eq!([0, 1, 2].map(|index: usize| receivers[index].elevation()), [None, None, Some(0.0)]);
}

#[test]
fn positions_outside_the_map_are_refused_by_name() {
    let parsed = stations::parse("S1 XX 0.0 5e6 0.0 0.0\n", Path::new("STATIONS")).unwrap();
    let error = receivers_from_stations(&parsed, &Slope).unwrap_err();
    assert_eq!(error.to_string(), "\"XX.S1\" cannot be placed: it lies outside the map");
}
