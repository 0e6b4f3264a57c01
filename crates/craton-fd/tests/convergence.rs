//! The error falls with the order of the derivatives: frequencies of plane waves in a periodic box.

mod common;

use common::*;
use craton_fd::{Boundaries, Field, Medium, Side};
use craton_numerics::staggered::GridPoints;

/// Edge of the box [m], along x and y.
const EDGE: f64 = 1000.0;
/// Cells along it, and along z, where nothing changes.
const CELLS: [usize; 2] = [12, 24];
const FLAT: usize = 8;

/// A plane wave along the diagonal of x and y: how it moves, and how fast [m/s].
struct Wave {
    direction: [f64; 3],
    speed: f64,
}

const P: Wave = Wave { direction: [1.0, 1.0, 0.0], speed: ROCK[0] };
const S: Wave = Wave { direction: [0.0, 0.0, 1.0], speed: ROCK[1] };

/// Number of waves along x [1/m], and along y.
fn wave_number() -> f64 {
    std::f64::consts::TAU / EDGE
}

/// The wave at the points of a velocity's component.
fn at_rest(wave: &Wave, component: usize, shape: [usize; 3], h: f64) -> Vec<f64> {
    let points = Field::Velocity(component).points();
    let place = |axis: usize, index: usize| match points[axis] {
        GridPoints::Whole => index as f64 * h,
        GridPoints::Half => (index as f64 + 0.5) * h,
    };
    let [nx, ny, nz] = shape;
    let value = |number: usize| {
        let [x, y] = [place(0, number % nx), place(1, number / nx % ny)];
        wave.direction[component] * (wave_number() * (x + y)).sin()
    };
    (0..nx * ny * nz).map(value).collect()
}

/// Relative error of the frequency of a plane wave, without that of the time step.
///
/// The leapfrog obeys v(n+1/2) - 2 v(n-1/2) + v(n-3/2) = -dt² ω² v(n-1/2) to round-off, with the ω of exact time and discrete space.
fn frequency_error(wave: &Wave, half_length: usize, cells: usize) -> f64 {
    let h = EDGE / cells as f64;
    let medium = Medium::<f64>::new(cubes([cells, cells, FLAT], h), |_| rock()).unwrap();
    let mut operator =
        at_courant(&medium, &options(half_length, Boundaries::all(Side::Periodic)), 0.5, &[], &[]).unwrap();
    let mut saved = Saved::of(&mut operator);
    for component in 0..3 {
        let shape = operator.shape(Field::Velocity(component));
        saved.arrays[component] = at_rest(wave, component, shape, h);
    }
    saved.restore(&mut operator);
    let mut velocities = || {
        advance(&mut operator, 1);
        (0..3).flat_map(|component| operator.field(Field::Velocity(component)).unwrap()).collect::<Vec<f64>>()
    };
    let [before, present, after] = [velocities(), velocities(), velocities()];
    let (mut force, mut square) = (0.0, 0.0);
    for ((before, present), after) in before.iter().zip(&present).zip(&after) {
        force -= present * ((after - present) - (present - before));
        square += present * present;
    }
    let frequency = (force / square).sqrt() / operator.dt();
    frequency / (wave.speed * wave_number() * 2.0_f64.sqrt()) - 1.0
}

#[test]
fn frequencies_converge_with_the_order_of_the_derivatives() {
    for half_length in [1, 2, 4] {
        for wave in [P, S] {
            let [coarse, fine] = CELLS.map(|cells| frequency_error(&wave, half_length, cells).abs());
            let order = (coarse / fine).ln() / (CELLS[1] as f64 / CELLS[0] as f64).ln();
            let nominal = 2.0 * half_length as f64;
            let found = format!("order {nominal}, {} m/s: {coarse:.3e}, {fine:.3e}, order {order:.3}", wave.speed);
            assert!((order - nominal).abs() < 0.3, "{found}");
            // Round-off stays out of sight.
            assert!(fine > 1e-10, "{found}");
        }
    }
}
