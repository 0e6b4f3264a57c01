//! The two fluid half-spaces: closed forms, images, a free surface, and reciprocity.

use std::f64::consts::PI;

use craton_fft::Complex64;
use craton_testkit::half_spaces::{Fluid, FluidField, FluidHalfSpaces};

const WATER: Fluid = Fluid { vp: 1500.0, rho: 1000.0 };
const HEAVY: Fluid = Fluid { vp: 1500.0, rho: 2500.0 };
const ROCK: Fluid = Fluid { vp: 2500.0, rho: 2200.0 };
const OMEGA: Complex64 = Complex64::new(90.0, 8.0);
const FIELDS: [FluidField; 4] =
    [FluidField::Pressure, FluidField::Velocity(0), FluidField::Velocity(1), FluidField::Velocity(2)];

fn media(below: Fluid, above: Fluid, top: Option<f64>) -> FluidHalfSpaces {
    FluidHalfSpaces { below, above, interface: 0.0, top }
}

/// Pressure of a monopole in an unbounded fluid, exp(ikr) / (4πr), and its derivatives by central differences.
fn closed(fluid: Fluid, source: (FluidField, [f64; 3]), receiver: (FluidField, [f64; 3])) -> Complex64 {
    const STEP: f64 = 0.02;
    let i = Complex64::I;
    let ends = |(field, at): (FluidField, [f64; 3])| match field {
        FluidField::Pressure => vec![(at, 1.0)],
        FluidField::Velocity(axis) => [STEP, -STEP]
            .map(|step| {
                let mut moved = at;
                moved[axis] += step;
                (moved, 0.5 / step)
            })
            .to_vec(),
    };
    let mut sum = Complex64::ZERO;
    for (from, a) in ends(source) {
        for &(to, b) in &ends(receiver) {
            let r = (0..3).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f64>().sqrt();
            sum += a * b * (i * OMEGA * r / fluid.vp).exp() / (4.0 * PI * r);
        }
    }
    if receiver.0 == FluidField::Pressure { sum } else { sum / fluid.rho / (i * OMEGA) }
}

fn near(a: Complex64, b: Complex64, tolerance: f64) -> bool {
    (a - b).norm() <= tolerance * b.norm()
}

#[test]
fn a_homogeneous_fluid_has_its_closed_form() {
    let space = media(WATER, WATER, None);
    for z in [-40.0, 25.0] {
        for source in FIELDS.map(|field| (field, [0.0, 0.0, 60.0])) {
            for receiver in FIELDS.map(|field| (field, [70.0, -30.0, z])) {
                let found = space.response(false, OMEGA, source, receiver);
                let expected = closed(WATER, source, receiver);
                assert!(near(found, expected, 1e-5), "{source:?} {receiver:?}: {found} {expected}");
            }
        }
    }
}

#[test]
fn a_line_source_is_a_line_of_point_sources() {
    let space = media(ROCK, WATER, Some(90.0));
    for (source, receiver) in [(0, 0), (0, 1), (1, 3), (3, 1), (3, 3), (1, 1)] {
        let (source, receiver) = ((FIELDS[source], [0.0, 0.0, 30.0]), (FIELDS[receiver], [40.0, 0.0, -20.0]));
        let point = |y: f64| space.response(false, OMEGA, source, (receiver.0, [40.0, y, -20.0]));
        const STEP: f64 = 20.0;
        let line = (-90..=90).map(|n| point(STEP * f64::from(n)) * STEP).sum::<Complex64>();
        let plane = space.response(true, OMEGA, source, receiver);
        assert!(near(line, plane, 1e-4), "{source:?} {receiver:?}: {line} {plane}");
    }
}

#[test]
fn equal_speeds_have_one_image() {
    let space = media(HEAVY, WATER, None);
    let reflection = (HEAVY.rho - WATER.rho) / (HEAVY.rho + WATER.rho);
    for receiver in FIELDS {
        let source = (FluidField::Pressure, [0.0, 0.0, 20.0]);
        let above = (receiver, [50.0, 10.0, 7.0]);
        let image = (FluidField::Pressure, [0.0, 0.0, -20.0]);
        let expected = closed(WATER, source, above) + reflection * closed(WATER, image, above);
        assert!(near(space.response(false, OMEGA, source, above), expected, 1e-5), "{receiver:?} above");
        let below = (receiver, [50.0, 10.0, -7.0]);
        let expected = (1.0 + reflection) * closed(HEAVY, source, below);
        assert!(near(space.response(false, OMEGA, source, below), expected, 1e-5), "{receiver:?} below");
        // The free surface is a mirror of negative images.
        let under = FluidHalfSpaces { top: Some(35.0), ..media(WATER, WATER, None) };
        let image = (FluidField::Pressure, [0.0, 0.0, 50.0]);
        for receiver in [above, below] {
            let expected = closed(WATER, source, receiver) - closed(WATER, image, receiver);
            assert!(near(under.response(false, OMEGA, source, receiver), expected, 1e-5), "{receiver:?} below the top");
        }
    }
}

#[test]
fn sources_and_receivers_are_reciprocal() {
    for top in [None, Some(60.0)] {
        let space = media(ROCK, WATER, top);
        for [a, b] in [
            [[0.0, 0.0, 30.0], [45.0, 20.0, -15.0]],
            [[0.0, 5.0, -40.0], [45.0, 20.0, -15.0]],
            [[0.0, 0.0, 30.0], [45.0, 20.0, 8.0]],
        ] {
            for (one, other) in FIELDS.iter().flat_map(|&one| FIELDS.map(|other| (one, other))) {
                // A monopole of unit volume has S = ρ d/dt: reciprocity of volume rate and pressure, and of force and velocity.
                let scaled = |field: FluidField, at: [f64; 3]| {
                    let rho = if at[2] <= 0.0 { ROCK.rho } else { WATER.rho };
                    if field == FluidField::Pressure { -Complex64::I * OMEGA * rho } else { -Complex64::ONE }
                };
                let there = space.response(false, OMEGA, (one, a), (other, b)) * scaled(one, a);
                let back = space.response(false, OMEGA, (other, b), (one, a)) * scaled(other, b);
                assert!(near(there, back, 1e-8), "{one:?} {other:?}: {there} {back}");
            }
        }
    }
}
