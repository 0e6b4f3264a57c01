//! Shots in transversely isotropic media with a tilted axis: rotated media, the limits of a vertical axis and of a fluid, stability, reciprocity, and results
//! independent of threads.

#![allow(clippy::print_stdout)] // a test tells the difference it found

use std::sync::Arc;

use craton_fd::Grid;
use craton_fd::acoustic::{
    AcousticField, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticPrecision, AcousticShot, Drive,
    Listener, TiltedOperator, TransverseModuli,
};
use craton_numerics::dispersion::UniformTimes;
use craton_numerics::misfit::relative_l2;

use crate::common::shots::*;
use crate::common::transverse::{HalfSpace, p_wave};

const VP: f64 = 1500.0;
const SOLID: AcousticMaterial = AcousticMaterial { vp: VP, rho: 1000.0 };

fn l2(test: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let [test, exact] = [test, exact].map(|list| list.iter().map(|trace| &trace[..]).collect::<Vec<&[f64]>>());
    relative_l2(&test, &exact).unwrap()
}

#[test]
fn a_rotated_medium_has_the_rotated_waves() {
    // The second wave arrives after these times.
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 171 };
    let moduli = TransverseModuli::of_thomsen(0.2, 0.1);
    let solid = HalfSpace { vp: VP, rho: 1000.0, moduli };
    for (is_plane, h, distance, tilt) in
        [(true, 5.0, 220.0, 30.0), (true, 5.0, 220.0, 90.0), (false, 6.25, 160.0, 50.0)]
    {
        let (sine, cosine) = f64::to_radians(tilt).sin_cos();
        let axis = if is_plane { [sine, 0.0, cosine] } else { [0.8 * sine, 0.6 * sine, cosine] };
        let source = [1.2, 0.0, 2.1];
        let directions = [0.0, 40.0, 80.0, 120.0].map(f64::to_radians);
        let relative = directions.map(|angle| [distance * angle.sin(), 0.0, distance * angle.cos()]);
        let places = relative.map(|place| [0, 1, 2].map(|a| source[a] + place[a]));
        let exact: Vec<Vec<f64>> = relative
            .iter()
            .map(|place| {
                let along: f64 = (0..3).map(|a| axis[a] * place[a]).sum();
                let across = (distance * distance - along * along).max(0.0).sqrt();
                p_wave(solid, [across, along], is_plane, times)
            })
            .collect();
        let grid = around([[-60.0, -60.0, -200.0], [240.0, 60.0, 240.0]], h, is_plane, false);
        let medium = AcousticMedium::<f32>::new(grid, |_| SOLID).unwrap().with_transverse(|_| moduli).unwrap();
        let medium = medium.with_tilt(|_| axis).unwrap();
        let traces = traces_of(medium, options(4, boundaries(20, false)), (source, &places), times);
        let misfit = l2(&traces, &exact);
        println!("2D {is_plane}, tilt {tilt}: {:.3} %", 100.0 * misfit);
        for (n, (own, exact)) in traces.iter().zip(&exact).enumerate() {
            println!("  {n}: {:.3} %", 100.0 * l2(std::slice::from_ref(own), std::slice::from_ref(exact)));
        }
        assert!(misfit < 1e-2, "2D {is_plane}, tilt {tilt}: {misfit}");
    }
}

/// A medium that varies from cell to cell, stable everywhere; its axis too if `is_tilted`.
fn varied<T: AcousticPrecision>(cells: [usize; 3], h: f64, is_tilted: bool) -> AcousticMedium<T> {
    let grid = Grid { origin: [0.0; 3], spacing: [h; 3], cells };
    let vary = |[i, j, k]: [usize; 3], n: usize| ((i * 7 + j * 13 + k * 29 + n * 17) % 23) as f64 / 23.0;
    let fluid = |cell| AcousticMaterial { vp: 1500.0 + 800.0 * vary(cell, 0), rho: 1000.0 + 1500.0 * vary(cell, 0) };
    let moduli = |cell| {
        let epsilon = 0.5 * vary(cell, 1) - 0.1;
        TransverseModuli::of_thomsen(epsilon, epsilon - 0.2 * vary(cell, 2))
    };
    let axis = |cell| match (is_tilted, cells[1]) {
        (false, _) => [0.0, 0.0, 1.0],
        (true, 1) => [vary(cell, 3) - 0.5, 0.0, 0.2 + vary(cell, 4)],
        _ => [vary(cell, 3) - 0.5, vary(cell, 5) - 0.4, 0.2 + vary(cell, 4)],
    };
    AcousticMedium::new(grid, fluid).unwrap().with_transverse(moduli).unwrap().with_tilt(axis).unwrap()
}

fn pulse(steps: usize) -> Vec<f64> {
    (0..steps).map(|step| (-(0.1 * (step as f64 - 40.0)).powi(2)).exp()).collect()
}

/// A source, a force and receivers of all kinds between grid points.
fn shot(cells: [usize; 3], h: f64) -> (Vec<Drive>, Vec<Listener>) {
    let place = |x: f64, z: f64| [x * cells[0] as f64 * h, 0.47 * cells[1] as f64 * h, z * cells[2] as f64 * h];
    let force = Drive { places: at(place(0.5, 0.6)), field: AcousticField::Velocity(2), history: pulse(80) };
    let fields = [AcousticField::Pressure, AcousticField::Velocity(0), AcousticField::Velocity(2)];
    let listener = |n: usize| Listener { places: at(place(0.3 + 0.05 * n as f64, 0.9)), field: fields[n % 3] };
    (vec![monopole(place(0.4, 0.8), pulse(70)), force], (0..7).map(listener).collect())
}

/// Samples and pressure of a shot on some threads.
fn run<T: AcousticPrecision>(
    medium: AcousticMedium<T>,
    half_length: usize,
    (sources, listeners): &(Vec<Drive>, Vec<Listener>),
    (steps, threads): (u64, usize),
) -> (Vec<T>, Vec<T>) {
    let (options, cells) = (options(half_length, boundaries(6, true)), medium.grid().cells);
    let dt = 0.8 * medium.stable_step(&options.stencil);
    let mut operator = AcousticShot::new(Arc::new(medium), options, dt, workers(threads)).unwrap();
    operator.place(sources, listeners).unwrap();
    operator.advance(steps / 3);
    operator.advance(steps - steps / 3);
    (operator.take_samples(), operator.pressure_in(&cells.map(|count| 0..count)))
}

#[test]
fn a_vertical_axis_has_the_waves_of_the_simpler_equation() {
    for cells in [[75, 1, 62], [40, 37, 35]] {
        let (sources, listeners) = shot(cells, 10.0);
        let medium = varied::<f64>(cells, 10.0, false);
        let options = options(4, boundaries(6, true));
        let dt = 0.8 * medium.stable_step(&options.stencil);
        let mut tilted = TiltedOperator::new(Arc::new(medium), options.clone(), dt, workers(1)).unwrap();
        let vertical = varied::<f64>(cells, 10.0, false);
        let vertical = AcousticMedium::<f64>::new(*vertical.grid(), |cell| AcousticMaterial {
            vp: (vertical.kappa(cell) / vertical.rho(cell)).sqrt(),
            rho: vertical.rho(cell),
        });
        let of = varied::<f64>(cells, 10.0, false);
        let vertical = vertical.unwrap().with_transverse(|cell| of.transverse_moduli(cell)).unwrap();
        let mut simple = AcousticOperator::new(Arc::new(vertical), options, dt, workers(1)).unwrap();
        tilted.place(&sources, &listeners).unwrap();
        simple.place(&sources, &listeners).unwrap();
        tilted.advance(90);
        simple.advance(90);
        let misfit = relative_l2(&[&tilted.take_samples()], &[&simple.take_samples()]).unwrap();
        println!("{cells:?}: {misfit:e}");
        assert!(misfit < 1e-12, "{cells:?}: {misfit}");
    }
}

#[test]
fn the_axis_of_a_fluid_does_not_matter() {
    for cells in [[75, 1, 62], [40, 37, 35]] {
        let shot = shot(cells, 10.0);
        let of = |axis: Option<[f64; 3]>| {
            let own = varied::<f64>(cells, 10.0, false);
            let fluid = AcousticMedium::<f64>::new(*own.grid(), |cell| AcousticMaterial {
                vp: (own.kappa(cell) / own.rho(cell)).sqrt(),
                rho: own.rho(cell),
            })
            .unwrap();
            let Some(axis) = axis else { return fluid };
            fluid.with_transverse(|_| TransverseModuli::ISOTROPIC).unwrap().with_tilt(|_| axis).unwrap()
        };
        let expected = run(of(None), 3, &shot, (90, 1));
        let found = run(of(Some([0.6, 0.0, 0.8])), 3, &shot, (90, 1));
        let misfit = relative_l2(&[&found.0], &[&expected.0]).unwrap();
        assert!(misfit < 1e-10, "{cells:?}: {misfit}");
    }
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads() {
    let cells = [70, 45, 34];
    let shot = shot(cells, 10.0);
    let expected = run(varied::<f32>(cells, 10.0, true), 3, &shot, (24, 1));
    assert!(expected.0.iter().any(|&sample| sample != 0.0));
    assert!(run(varied::<f32>(cells, 10.0, true), 3, &shot, (24, 3)) == expected);
}

#[test]
fn source_and_receiver_are_reciprocal() {
    // On cell centres, before waves return from a layer, with reflections from the free top.
    let cells = [60, 40, 50];
    let [a, b] = [[255.0, 205.0, 305.0], [355.0, 245.0, 405.0]];
    let [forward, reverse] = [(a, b), (b, a)].map(|(from, to): ([f64; 3], _)| {
        let medium = varied::<f64>(cells, 10.0, true);
        let rho = medium.rho(from.map(|x| (x / 10.0) as usize));
        let history = pulse(90).into_iter().map(|value| rho * value).collect();
        run(medium, 3, &(vec![monopole(from, history)], vec![hydrophone(to)]), (60, 1)).0
    });
    let misfit = relative_l2(&[&forward], &[&reverse]).unwrap();
    assert!(misfit < 1e-9, "{misfit}");
}

#[test]
fn a_random_medium_is_stable_at_the_limit() {
    for (cells, half_length, steps) in
        [([60, 1, 50], 1, 10_000), ([60, 1, 50], 4, 10_000), ([60, 1, 50], 8, 5000), ([30, 28, 32], 4, 1500)]
    {
        let medium = Arc::new(varied::<f32>(cells, 10.0, true));
        let options = options(half_length, boundaries(8, true));
        let dt = medium.stable_step(&options.stencil);
        let mut operator = TiltedOperator::new(medium, options, dt, workers(1)).unwrap();
        let all = cells.map(|count| 0..count);
        let largest =
            |operator: &TiltedOperator<f32>| operator.pressure_in(&all).fold(0.0_f32, |most, p| most.max(p.abs()));
        let middle = [5.0 * cells[0] as f64 + 3.0, 5.0 * cells[1] as f64, 5.0 * cells[2] as f64 + 1.0];
        operator.place(&[monopole(middle, pulse(80))], &[]).unwrap();
        operator.advance(100);
        let early = largest(&operator);
        operator.advance(steps);
        let late = largest(&operator);
        println!("{cells:?}, half-length {half_length}: {early} became {late}");
        assert!(late < early, "{cells:?}, half-length {half_length}: {early} became {late}");
    }
}

#[test]
fn a_homogeneous_medium_with_layers_on_all_sides_stays_at_rest_after_its_waves() {
    for (tilt, epsilon, delta) in [(35.0, 0.3, 0.0), (70.0, 0.25, -0.1), (45.0, 0.2, 0.2), (10.0, 0.1, 0.05)] {
        let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [100, 1, 90] };
        let (sine, cosine) = f64::to_radians(tilt).sin_cos();
        let medium = AcousticMedium::<f32>::new(grid, |_| SOLID).unwrap();
        let medium = medium.with_transverse(|_| TransverseModuli::of_thomsen(epsilon, delta)).unwrap();
        let medium = Arc::new(medium.with_tilt(|_| [sine, 0.0, cosine]).unwrap());
        let options = options(4, boundaries(20, false));
        let dt = 0.9 * medium.stable_step(&options.stencil);
        let mut operator = TiltedOperator::new(medium, options, dt, workers(1)).unwrap();
        operator.place(&[monopole([503.0, 0.0, 451.0], pulse(80))], &[]).unwrap();
        let all = grid.cells.map(|count| 0..count);
        let largest =
            |operator: &TiltedOperator<f32>| operator.pressure_in(&all).fold(0.0_f32, |most, p| most.max(p.abs()));
        operator.advance(100);
        let early = largest(&operator);
        operator.advance(8000);
        let late = largest(&operator);
        println!("tilt {tilt}, epsilon {epsilon}, delta {delta}: {early} became {late}");
        assert!(late < 0.1 * early, "tilt {tilt}, epsilon {epsilon}, delta {delta}: {early} became {late}");
    }
}

#[test]
fn impossible_axes_are_refused() {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [40, 1, 38] };
    let of = |axis: [f64; 3]| {
        let medium = AcousticMedium::<f32>::new(grid, |_| SOLID).unwrap();
        medium.with_transverse(|_| TransverseModuli::of_thomsen(0.1, 0.1)).unwrap().with_tilt(|_| axis)
    };
    assert!(of([0.3, 0.0, 2.0]).is_ok());
    for axis in [[0.0; 3], [0.0, 0.1, 1.0], [f64::NAN, 0.0, 1.0]] {
        assert!(of(axis).unwrap_err().to_string().contains("component along y"), "{axis:?}");
    }
}
