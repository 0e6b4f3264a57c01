//! Acoustic shots: closed forms, convergence, reciprocity, and results independent of threads and of the grouping of steps.

#![allow(clippy::print_stdout)] // a test tells the difference it found

use std::sync::Arc;

use craton_device::Isa;
use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, AcousticPrecision,
    Drive, Listener, Placed, ShotWay,
};
use craton_fd::{Boundaries, Grid, Side};
use craton_numerics::misfit::relative_l2;
use craton_testkit::devices::gpu;
use craton_testkit::references::ReferenceTraces;

use crate::common::shots::*;

const WATER: AcousticMaterial = AcousticMaterial { vp: 1500.0, rho: 1000.0 };
/// Relative L2 misfit of the pressure of a monopole to a table of closed forms.
fn misfit<T: AcousticPrecision>(table: &str, h: f64, half_length: usize, is_plane: bool, is_free: bool) -> f64 {
    // Water from 200 m above the source to 150 m below it, surrounded by absorbing layers.
    let (low, high) = ([-80.0, -60.0, -350.0], [480.0, 60.0, if is_free { 0.0 } else { 50.0 }]);
    let grid = around([low, high], h, is_plane, is_free);
    let medium = AcousticMedium::<T>::new(grid, |_| WATER).unwrap();
    let reference = ReferenceTraces::read("acoustic", table).unwrap();
    misfit_to(&reference, medium, options(half_length, boundaries(20, is_free)), -150.0)
}

#[test]
fn a_line_source_agrees_with_its_closed_form() {
    // Six points per wavelength at 45 Hz.
    for (table, is_free) in [("p2d_hom.txt", false), ("p2d_free.txt", true)] {
        for half_length in [4, 8] {
            let misfit = misfit::<f32>(table, 5.0, half_length, true, is_free);
            println!("{table}, half-length {half_length}: {:.3} %", 100.0 * misfit);
            assert!(misfit < 1e-4, "{table}, half-length {half_length}: {misfit}");
        }
    }
}

#[test]
fn a_point_source_agrees_with_its_closed_form() {
    for (table, is_free) in [("p3d_hom.txt", false), ("p3d_free.txt", true)] {
        let misfit = misfit::<f32>(table, 6.25, 4, false, is_free);
        println!("{table}: {:.3} %", 100.0 * misfit);
        assert!(misfit < 2e-4, "{table}: {misfit}");
    }
}

#[test]
fn the_error_falls_at_the_order_of_the_stencil() {
    // Cells of 10 m are too large for the full order of the longest stencil; below 7 m, reflections from the layers dominate.
    for (half_length, [coarse, fine], slack) in [(1, [5.0, 2.5], 0.1), (2, [10.0, 5.0], 0.2), (4, [10.0, 7.0], 0.7)] {
        for (table, is_free) in [("p2d_hom.txt", false), ("p2d_free.txt", true)] {
            let error = |h: f64| misfit::<f64>(table, h, half_length, true, is_free);
            let order = (error(coarse) / error(fine)).ln() / (coarse / fine).ln();
            assert!((order - 2.0 * half_length as f64).abs() < slack, "{table}, half-length {half_length}: {order}");
        }
    }
}

/// A fluid that varies from cell to cell.
fn varied(cells: [usize; 3], h: f64) -> AcousticMedium<f64> {
    let grid = Grid { origin: [0.0; 3], spacing: [h; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 23) as f64 / 23.0;
    let fluid = |cell| AcousticMaterial { vp: 1500.0 + 800.0 * vary(cell), rho: 1000.0 + 1500.0 * vary(cell) };
    AcousticMedium::new(grid, fluid).unwrap()
}

/// The samples of a shot after some steps.
fn shot<T: AcousticPrecision>(
    medium: &Arc<AcousticMedium<T>>,
    options: &AcousticOptions,
    source: Drive,
    listeners: &[Listener],
    [steps, threads]: [usize; 2],
) -> Vec<T> {
    let dt = 0.9 * medium.stable_step(&options.stencil);
    let mut operator = AcousticOperator::new(medium.clone(), options.clone(), dt, workers(threads)).unwrap();
    operator.place(&[source], listeners).unwrap();
    // In pieces: how steps are grouped must not matter.
    operator.advance(steps as u64 / 3);
    operator.advance((steps - steps / 3) as u64);
    operator.take_samples()
}

fn pulse(steps: usize) -> Vec<f64> {
    (0..steps).map(|step| (-(0.1 * (step as f64 - 40.0)).powi(2)).exp()).collect()
}

#[test]
fn source_and_receiver_are_reciprocal() {
    // On cell centres, before waves return from a layer, with reflections from the free top.
    for (cells, [a, b]) in [
        ([90, 1, 70], [[405.0, 5.0, 385.0], [505.0, 5.0, 565.0]]),
        ([60, 56, 60], [[255.0, 255.0, 305.0], [355.0, 305.0, 455.0]]),
    ] {
        let medium = Arc::new(varied(cells, 10.0));
        let options = options(3, boundaries(8, true));
        // The amplitude of the source is proportional to the density there: (1/κ) ∂²p/∂t² - ∇·(1/ρ ∇p) = s/ρ δ.
        let [forward, reverse] = [(a, b), (b, a)].map(|(from, to): ([f64; 3], _)| {
            let rho = medium.rho(from.map(|x| (x / 10.0) as usize));
            let history = pulse(90).into_iter().map(|value| rho * value).collect();
            shot(&medium, &options, monopole(from, history), &[hydrophone(to)], [90, 1])
        });
        let misfit = relative_l2(&[&forward], &[&reverse]).unwrap();
        assert!(misfit < 1e-9, "{cells:?}: {misfit}");
    }
    // A vertical force on the free top, and one below it.
    let medium = Arc::new(varied([90, 1, 70], 10.0));
    let options = options(3, boundaries(8, true));
    let [a, b] = [[405.0, 5.0, 700.0], [455.0, 5.0, 600.0]];
    let vertical = AcousticField::Velocity(2);
    let [forward, reverse] = [(a, b), (b, a)].map(|(from, to)| {
        let force = Drive { places: at(from), field: vertical, history: pulse(90) };
        shot(&medium, &options, force, &[Listener { places: at(to), field: vertical }], [90, 1])
    });
    let misfit = relative_l2(&[&forward], &[&reverse]).unwrap();
    assert!(misfit < 1e-9, "at the top: {misfit}");
}

#[test]
fn a_line_of_points_in_space_is_a_line_source_in_a_plane() {
    let h = 10.0;
    let of_plane = varied([80, 1, 60], h);
    let space = Grid { origin: [0.0; 3], spacing: [h; 3], cells: [80, 61, 60] };
    let fluid = |[i, _, k]: [usize; 3]| {
        let (kappa, rho) = (of_plane.kappa([i, 0, k]), of_plane.rho([i, 0, k]));
        AcousticMaterial { vp: (kappa / rho).sqrt(), rho }
    };
    let of_space = AcousticMedium::new(space, fluid).unwrap();
    let options = options(4, boundaries(10, true));
    let middle = 30.5 * h;
    let [from, to] = [[403.0, middle, 371.0], [512.0, middle, 433.0]];
    let line = (0..61).map(|j| Placed { position: [from[0], (j as f64 + 0.5) * h, from[2]], weight: h }).collect();
    let dt = 0.9 * of_space.stable_step(&options.stencil);
    let run = |medium: AcousticMedium<f64>, places: Vec<Placed>| {
        let mut operator = AcousticOperator::new(Arc::new(medium), options.clone(), dt, workers(1)).unwrap();
        let source = Drive { places, field: AcousticField::Pressure, history: pulse(160) };
        operator.place(&[source], &[hydrophone(to)]).unwrap();
        operator.advance(160);
        operator.take_samples()
    };
    let [plane, space] = [run(varied([80, 1, 60], h), at(from)), run(of_space, line)];
    let misfit = relative_l2(&[&space], &[&plane]).unwrap();
    assert!(misfit < 1e-3, "{misfit}");
}

#[test]
fn an_interface_has_the_reflection_coefficient_of_its_impedances() {
    let h = 5.0;
    let grid = Grid { origin: [0.0; 3], spacing: [h; 3], cells: [600, 1, 300] };
    let below = AcousticMaterial { vp: 2000.0, rho: 1800.0 };
    let [height, source, receiver] = [150.0 * h, 220.0 * h, 200.0 * h];
    let options = options(4, boundaries(20, false));
    let run = |below: AcousticMaterial| {
        let fluid = |[_, _, k]: [usize; 3]| if (k as f64 + 0.5) * h < height { below } else { WATER };
        let medium = Arc::new(AcousticMedium::<f64>::new(grid, fluid).unwrap());
        let dt = 0.4 * h / 2000.0;
        let mut operator = AcousticOperator::new(medium, options.clone(), dt, workers(1)).unwrap();
        // A plane wave: adjacent points across the whole grid.
        let places = (0..600).map(|i| Placed { position: [(i as f64 + 0.5) * h, 0.0, source], weight: h }).collect();
        let history = (0..700).map(|step| ricker(f64::from(step) * dt)).collect();
        operator
            .place(
                &[Drive { places, field: AcousticField::Pressure, history }],
                &[hydrophone([300.0 * h, 0.0, receiver])],
            )
            .unwrap();
        operator.advance(700);
        (operator.take_samples(), dt)
    };
    let ((whole, dt), (direct, _)) = (run(below), run(WATER));
    let reflected: Vec<f64> = whole.iter().zip(&direct).map(|(whole, direct)| whole - direct).collect();
    let extreme = |trace: &[f64]| {
        let last = trace.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
        (last.0 as f64 * dt, *last.1)
    };
    let ((at_direct, direct), (at_reflected, reflected)) = (extreme(&direct), extreme(&reflected));
    let [above, below] = [WATER, below].map(|fluid| fluid.vp * fluid.rho);
    let (expected, measured) = ((below - above) / (below + above), reflected / direct);
    println!("reflection {measured:.4}, expected {expected:.4}");
    assert!((measured / expected - 1.0).abs() < 0.01, "{measured} instead of {expected}");
    let late = at_reflected - at_direct - 2.0 * (receiver - height) / WATER.vp;
    assert!(late.abs() < 2.0 * dt, "{late} s late");
}

#[test]
fn results_are_bit_identical_for_any_threads_and_grouping_of_steps() {
    // Planes large enough for several threads.
    let medium = Arc::new(varied([300, 250, 12], 10.0));
    let options = options(4, boundaries(5, true));
    let [from, to] = [[1503.0, 1207.0, 57.0], [1562.0, 1250.0, 70.0]];
    let run = |steps: &[u64], threads: usize| {
        let dt = 0.9 * medium.stable_step(&options.stencil);
        let mut operator = AcousticOperator::new(medium.clone(), options.clone(), dt, workers(threads)).unwrap();
        let listeners = [
            hydrophone(to),
            Listener { places: at(to), field: AcousticField::Velocity(0) },
            Listener { places: at(to), field: AcousticField::Velocity(2) },
        ];
        operator.place(&[monopole(from, pulse(24))], &listeners).unwrap();
        steps.iter().for_each(|&steps| operator.advance(steps));
        (operator.take_samples(), operator.pressure().collect::<Vec<f64>>())
    };
    let expected = run(&[24], 1);
    assert!(expected.0.iter().any(|&sample| sample != 0.0));
    assert!(run(&[1, 3, 20], 1) == expected);
    assert!(run(&[24], 3) == expected);
}

#[test]
fn a_random_fluid_is_stable_at_the_limit() {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [60, 1, 50] };
    let air_over_water = |[_, _, k]: [usize; 3]| if k < 25 { WATER } else { AcousticMaterial { vp: 340.0, rho: 1.2 } };
    let layered = Arc::new(AcousticMedium::<f64>::new(grid, air_over_water).unwrap());
    let medium = Arc::new(varied([60, 1, 50], 10.0));
    for (medium, half_length) in [(&medium, 1), (&medium, 4), (&medium, 8), (&layered, 4), (&layered, 8)] {
        let options = options(half_length, boundaries(8, true));
        let dt = medium.stable_step(&options.stencil);
        let mut operator = AcousticOperator::new(medium.clone(), options, dt, workers(1)).unwrap();
        operator.place(&[monopole([303.0, 0.0, 251.0], pulse(80))], &[hydrophone([355.0, 0.0, 255.0])]).unwrap();
        operator.advance(100);
        let early = operator.pressure().fold(0.0_f64, |most, p| most.max(p.abs()));
        operator.advance(5000);
        let late = operator.pressure().fold(0.0_f64, |most, p| most.max(p.abs()));
        assert!(late < early, "half-length {half_length}: {early} became {late}");
    }
}

#[test]
fn invalid_problems_are_refused() {
    let medium = Arc::new(varied([60, 1, 50], 10.0));
    let refused = |boundaries: Boundaries, dt: f64| {
        let operator = AcousticOperator::new(medium.clone(), options(4, boundaries), dt, workers(1));
        operator.err().expect("a refused problem").to_string()
    };
    let open = boundaries(10, true);
    assert!(refused(open, 1.0).contains("unstable"));
    let mut rigid = open;
    rigid.sides[0] = Side::Rigid;
    assert!(refused(rigid, 1e-3).contains("x_min"));
    assert!(refused(boundaries(40, false), 1e-3).contains("layers across x"));
    let mut operator = AcousticOperator::new(medium.clone(), options(4, open), 1e-3, workers(1)).unwrap();
    let outside = operator.place(&[monopole([0.0, 0.0, 501.0], vec![])], &[]).unwrap_err().to_string();
    assert!(outside.contains("outside the grid"), "{outside}");
    let across = Listener { places: at([300.0, 0.0, 250.0]), field: AcousticField::Velocity(1) };
    let across = operator.place(&[], &[across]).unwrap_err().to_string();
    assert!(across.contains("no velocity along y"), "{across}");
    let vacuum = AcousticMaterial { vp: 1500.0, rho: 0.0 };
    let vacuum = AcousticMedium::<f32>::new(*medium.grid(), |_| vacuum).unwrap_err().to_string();
    assert!(vacuum.contains("density of 0"), "{vacuum}");
}

/// Two shots in a heterogeneous fluid, with receivers of all kinds.
fn shots(cells: [usize; 3], h: f64) -> Vec<(Vec<Drive>, Vec<Listener>)> {
    let place = |x: f64, z: f64| [x * cells[0] as f64 * h, 0.47 * cells[1] as f64 * h, z * cells[2] as f64 * h];
    let shot = |x: f64| {
        let force = Drive { places: at(place(x + 0.1, 0.6)), field: AcousticField::Velocity(2), history: pulse(80) };
        let mut listeners: Vec<Listener> = (0..7).map(|n| hydrophone(place(0.3 + 0.05 * f64::from(n), 0.9))).collect();
        listeners.push(Listener { places: at(place(0.5, 0.97)), field: AcousticField::Velocity(2) });
        listeners.push(Listener { places: at(place(0.5, 0.5)), field: AcousticField::Velocity(0) });
        let group = [0.52, 0.48, 0.5].map(|z| Placed { position: place(0.5, z), weight: 0.3 });
        listeners.push(Listener { places: group.to_vec(), field: AcousticField::Pressure });
        (vec![monopole(place(x, 0.8), pulse(70)), force], listeners)
    };
    vec![shot(0.4), shot(0.55)]
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test must be reported")]
fn gpu_results_are_bit_identical_to_cpu_results() {
    let Some(gpu) = gpu() else {
        return eprintln!("not run: there is no device, and no compiler to emulate one");
    };
    let [before, first, second] = if gpu.is_emulated() { [3, 8, 16] } else { [20, 30, 70] };
    // Sources on both sides of block boundaries along x, and every kind of stencil.
    let volumes = [([40, 37, 35], 2, true), ([220, 21, 21], 4, false), ([200, 19, 40], 7, true)];
    for (cells, half_length, is_free) in [([75, 1, 62], 8, true), ([150, 1, 41], 3, false)].into_iter().chain(volumes) {
        let varied = varied(cells, 10.0);
        let fluid =
            |cell| AcousticMaterial { vp: (varied.kappa(cell) / varied.rho(cell)).sqrt(), rho: varied.rho(cell) };
        let medium = Arc::new(AcousticMedium::<f32>::new(*varied.grid(), fluid).unwrap());
        let options = options(half_length, boundaries(8, is_free));
        let (dt, shots) = (0.9 * medium.stable_step(&options.stencil), shots(cells, 10.0));
        let mut on_gpu =
            AcousticGpu::moving(ShotWay::Tiles, &gpu, medium.clone(), options.clone(), dt, shots.len()).unwrap();
        // Placing shots again resets the state.
        on_gpu.place(&shots[1..]).unwrap();
        on_gpu.advance(before).unwrap();
        on_gpu.place(&shots).unwrap();
        on_gpu.advance(first).unwrap();
        let mut samples = on_gpu.take_samples().unwrap();
        on_gpu.advance(second).unwrap();
        (0..shots.len()).for_each(|shot| on_gpu.check(shot).unwrap());
        samples.iter_mut().zip(on_gpu.take_samples().unwrap()).for_each(|(all, more)| all.extend(more));
        let mut on_cpu = AcousticOperator::new(medium, options, dt, workers(1)).unwrap();
        for (number, (drives, listeners)) in shots.iter().enumerate() {
            on_cpu.place(drives, listeners).unwrap();
            on_cpu.advance(first + second);
            assert!(on_cpu.pressure().any(|p| p != 0.0));
            let found = on_gpu.pressure(number).unwrap();
            let (of_cpu, recorded): (Vec<f32>, Vec<f32>) = (on_cpu.pressure().collect(), on_cpu.take_samples());
            if Isa::detect() == Isa::Portable {
                // Without fused multiply-adds the last bits differ.
                let near = |a: &[f32], b: &[f32]| {
                    let [a, b] = [a, b].map(|list| list.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
                    relative_l2(&[&a], &[&b]).unwrap() < 1e-5
                };
                assert!(near(&found, &of_cpu) && near(&samples[number], &recorded), "{cells:?}, shot {number}");
                continue;
            }
            assert!(found == of_cpu && samples[number] == recorded, "{cells:?}, shot {number}");
        }
    }
}
