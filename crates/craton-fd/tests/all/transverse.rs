//! Shots in transversely isotropic media: closed forms, the limit of a fluid, stability, reciprocity, and results independent of threads and devices.

#![allow(clippy::print_stdout)] // a test tells the difference it found

use std::f64::consts::PI;
use std::sync::Arc;

use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticPrecision, Drive, Listener,
    Placed, TransverseModuli,
};
use craton_fd::{Grid, Side};
use craton_numerics::dispersion::UniformTimes;
use craton_numerics::misfit::relative_l2;
use craton_testkit::devices::gpu;

use crate::common::shots::*;
use crate::common::transverse::{HalfSpace, p_wave, reflection};

const VP: f64 = 1500.0;
const SOLID: AcousticMaterial = AcousticMaterial { vp: VP, rho: 1000.0 };

fn l2(test: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let [test, exact] = [test, exact].map(|list| list.iter().map(|trace| &trace[..]).collect::<Vec<&[f64]>>());
    relative_l2(&test, &exact).unwrap()
}

fn uniform<T: AcousticPrecision>(grid: Grid, moduli: TransverseModuli) -> AcousticMedium<T> {
    AcousticMedium::new(grid, |_| SOLID).unwrap().with_transverse(|_| moduli).unwrap()
}

#[test]
fn an_elliptic_medium_has_the_stretched_closed_form_of_a_fluid() {
    let moduli = TransverseModuli::of_thomsen(0.2, 0.2);
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 171 };
    let source = [1.1, 2.3, -101.7];
    let places = [[151.3, 7.7, -12.9], [148.2, -11.0, -96.3], [71.875, 53.125, -53.125], [-12.0, 44.0, -180.0]];
    // Offsets are divided by √l, amplitudes by l; a free surface adds the image of the source.
    let trace = |place: &[f64; 3]| {
        let distance = |z: f64| {
            let across = (place[0] - source[0]).powi(2) + (place[1] - source[1]).powi(2);
            (across / moduli.lateral + (place[2] - z).powi(2)).sqrt()
        };
        let arrival = |r: f64, t: f64| ricker(t - r / VP) / (4.0 * PI * r * moduli.lateral);
        let [direct, ghost] = [source[2], -source[2]].map(distance);
        (0..times.count).map(|n| n as f64 * times.interval).map(|t| arrival(direct, t) - arrival(ghost, t)).collect()
    };
    let exact: Vec<Vec<f64>> = places.iter().map(trace).collect();
    let grid = around([[-50.0, -50.0, -200.0], [200.0, 75.0, 0.0]], 6.25, false, true);
    let traces = traces_of(uniform::<f32>(grid, moduli), options(4, boundaries(20, true)), (source, &places), times);
    let misfit = l2(&traces, &exact);
    println!("{:.4} %", 100.0 * misfit);
    assert!(misfit < 1e-3, "{misfit}");
}

/// Places at a distance from the origin in directions from the vertical [degrees].
fn around_source(distance: f64) -> Vec<[f64; 2]> {
    let place = |angle: f64| [distance * angle.to_radians().sin(), distance * angle.to_radians().cos()];
    [0.0, 20.0, 45.0, 65.0].map(place).to_vec()
}

#[test]
fn p_waves_agree_with_the_exact_integral_in_all_directions() {
    // The second wave arrives after these times.
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 171 };
    for (epsilon, delta) in [(0.2, 0.1), (0.1, -0.05)] {
        let moduli = TransverseModuli::of_thomsen(epsilon, delta);
        let solid = HalfSpace { vp: VP, rho: 1000.0, moduli };
        for (is_plane, h, distance) in [(true, 5.0, 220.0), (false, 6.25, 160.0)] {
            let source = [1.2, 0.0, 2.1];
            let relative = around_source(distance);
            let places: Vec<[f64; 3]> =
                relative.iter().map(|&[x, z]| [source[0] + x, source[1], source[2] + z]).collect();
            let exact: Vec<Vec<f64>> = relative.iter().map(|&place| p_wave(solid, place, is_plane, times)).collect();
            let grid = around([[-60.0, -60.0, -60.0], [240.0, 60.0, 240.0]], h, is_plane, false);
            let own = options(4, boundaries(20, false));
            let traces = traces_of(uniform::<f32>(grid, moduli), own, (source, &places), times);
            let all = l2(&traces, &exact);
            for (trace, (exact, [x, z])) in traces.iter().zip(exact.iter().zip(relative)) {
                let misfit = l2(std::slice::from_ref(trace), std::slice::from_ref(exact));
                println!("epsilon {epsilon}, delta {delta}, 2D {is_plane}, x {x:.0} z {z:.0}: {:.3} %", 100.0 * misfit);
            }
            assert!(all < 1e-2, "epsilon {epsilon}, delta {delta}, 2D {is_plane}: {all}");
        }
    }
}

/// A medium that varies from cell to cell, stable everywhere.
fn varied<T: AcousticPrecision>(cells: [usize; 3], h: f64) -> AcousticMedium<T> {
    let grid = Grid { origin: [0.0; 3], spacing: [h; 3], cells };
    let vary = |[i, j, k]: [usize; 3], n: usize| ((i * 7 + j * 13 + k * 29 + n * 17) % 23) as f64 / 23.0;
    let fluid = |cell| AcousticMaterial { vp: 1500.0 + 800.0 * vary(cell, 0), rho: 1000.0 + 1500.0 * vary(cell, 0) };
    let moduli = |cell| {
        let epsilon = 0.5 * vary(cell, 1) - 0.1;
        TransverseModuli::of_thomsen(epsilon, epsilon - 0.2 * vary(cell, 2))
    };
    AcousticMedium::new(grid, fluid).unwrap().with_transverse(moduli).unwrap()
}

fn pulse(steps: usize) -> Vec<f64> {
    (0..steps).map(|step| (-(0.1 * (step as f64 - 40.0)).powi(2)).exp()).collect()
}

/// Two shots with sources and receivers of all kinds between grid points.
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

/// Samples and pressure of a shot on some threads, in steps grouped as given.
fn run<T: AcousticPrecision>(
    medium: AcousticMedium<T>,
    half_length: usize,
    (sources, listeners): &(Vec<Drive>, Vec<Listener>),
    (steps, threads): (&[u64], usize),
) -> (Vec<T>, Vec<T>) {
    let options = options(half_length, boundaries(6, true));
    let dt = 0.9 * medium.stable_step(&options.stencil);
    let mut operator = AcousticOperator::new(Arc::new(medium), options, dt, workers(threads)).unwrap();
    operator.place(sources, listeners).unwrap();
    steps.iter().for_each(|&steps| operator.advance(steps));
    (operator.take_samples(), operator.pressure().collect())
}

#[test]
fn an_isotropic_medium_is_bit_identical_to_a_fluid() {
    for cells in [[75, 1, 62], [40, 37, 35]] {
        let fluid = || {
            let own = varied::<f32>(cells, 10.0);
            let material = |cell| AcousticMaterial { vp: (own.kappa(cell) / own.rho(cell)).sqrt(), rho: own.rho(cell) };
            AcousticMedium::<f32>::new(*own.grid(), material).unwrap()
        };
        let shot = &shots(cells, 10.0)[0];
        let expected = run(fluid(), 4, shot, (&[60], 1));
        let isotropic = fluid().with_transverse(|_| TransverseModuli::ISOTROPIC).unwrap();
        assert!(expected.0.iter().any(|&sample| sample != 0.0));
        assert!(run(isotropic, 4, shot, (&[60], 1)) == expected, "{cells:?}");
    }
}

#[test]
fn results_are_bit_identical_for_any_threads_and_grouping_of_steps() {
    // Planes large enough for several threads.
    let cells = [300, 250, 14];
    let shot = &shots(cells, 10.0)[1];
    let expected = run(varied::<f32>(cells, 10.0), 3, shot, (&[24], 1));
    assert!(expected.0.iter().any(|&sample| sample != 0.0));
    assert!(run(varied::<f32>(cells, 10.0), 3, shot, (&[1, 3, 20], 1)) == expected);
    assert!(run(varied::<f32>(cells, 10.0), 3, shot, (&[24], 3)) == expected);
}

#[test]
fn source_and_receiver_are_reciprocal() {
    // On cell centres.
    let cells = [60, 40, 50];
    let [a, b] = [[255.0, 205.0, 305.0], [355.0, 245.0, 405.0]];
    let [forward, reverse] = [(a, b), (b, a)].map(|(from, to): ([f64; 3], _)| {
        let medium = varied::<f64>(cells, 10.0);
        let rho = medium.rho(from.map(|x| (x / 10.0) as usize));
        let history = pulse(90).into_iter().map(|value| rho * value).collect();
        run(medium, 3, &(vec![monopole(from, history)], vec![hydrophone(to)]), (&[90], 1)).0
    });
    let misfit = relative_l2(&[&forward], &[&reverse]).unwrap();
    assert!(misfit < 1e-9, "{misfit}");
}

#[test]
fn a_random_medium_is_stable_at_the_limit() {
    for (cells, half_length, steps) in
        [([60, 1, 50], 1, 20_000), ([60, 1, 50], 4, 20_000), ([60, 1, 50], 8, 20_000), ([30, 28, 32], 4, 3000)]
    {
        let medium = Arc::new(varied::<f32>(cells, 10.0));
        let options = options(half_length, boundaries(8, true));
        let dt = medium.stable_step(&options.stencil);
        let mut operator = AcousticOperator::new(medium, options, dt, workers(1)).unwrap();
        let largest = |operator: &AcousticOperator<f32>| operator.pressure().fold(0.0_f32, |most, p| most.max(p.abs()));
        let middle = [5.0 * cells[0] as f64 + 3.0, 5.0 * cells[1] as f64, 5.0 * cells[2] as f64 + 1.0];
        operator.place(&[monopole(middle, pulse(80))], &[]).unwrap();
        operator.advance(100);
        let early = largest(&operator);
        operator.advance(steps);
        operator.check().unwrap();
        let late = largest(&operator);
        println!("{cells:?}, half-length {half_length}: {early} became {late}");
        assert!(late < early, "{cells:?}, half-length {half_length}: {early} became {late}");
    }
}

#[test]
fn a_half_space_reflects_as_the_exact_integral() {
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 251 };
    let of = |moduli, vp, rho| HalfSpace { vp, rho, moduli };
    let water = of(TransverseModuli::ISOTROPIC, VP, 1000.0);
    let (h, source) = (5.0, [2.0, 0.0, 101.0]);
    let offsets = [0.0, 90.0, 180.0, 270.0];
    let places = offsets.map(|x| [source[0] + x, 0.0, 61.0]);
    let grid = around([[-100.0, 0.0, -100.0], [400.0, 0.0, 160.0]], h, true, false);
    let run = |below: HalfSpace| {
        let is_below = |cell| grid.centre(cell)[2] < 0.0;
        let material = |cell| if is_below(cell) { AcousticMaterial { vp: below.vp, rho: below.rho } } else { SOLID };
        let moduli = |cell| if is_below(cell) { below.moduli } else { TransverseModuli::ISOTROPIC };
        let medium = AcousticMedium::<f32>::new(grid, material).unwrap().with_transverse(moduli).unwrap();
        let mut sides = boundaries(20, false);
        for side in &mut sides.sides {
            if let Side::Layer(layer) = side {
                layer.vp_max = 2500.0;
            }
        }
        traces_of(medium, options(4, sides), (source, &places), times)
    };
    let direct = run(water);
    for (epsilon, delta, vp, rho) in [(0.3, 0.1, 1700.0, 1000.0), (0.2, 0.05, VP, 1000.0), (0.15, -0.1, 1900.0, 1400.0)]
    {
        let below = of(TransverseModuli::of_thomsen(epsilon, delta), vp, rho);
        let whole = run(below);
        let subtract = |(whole, direct): (&Vec<f64>, &Vec<f64>)| whole.iter().zip(direct).map(|(a, b)| a - b).collect();
        let reflected: Vec<Vec<f64>> = whole.iter().zip(&direct).map(subtract).collect();
        let exact: Vec<Vec<f64>> =
            offsets.iter().map(|&x| reflection([water, below], [x, source[2] + 61.0], times)).collect();
        let misfit = l2(&reflected, &exact);
        println!("epsilon {epsilon}, delta {delta}, vp {vp}, rho {rho}: {:.3} %", 100.0 * misfit);
        assert!(misfit < 1e-2, "epsilon {epsilon}, delta {delta}: {misfit}");
    }
}

#[test]
fn other_problems_are_refused() {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [40, 1, 38] };
    let of = |epsilon: f64, delta: f64| {
        let medium = AcousticMedium::<f32>::new(grid, |_| SOLID).unwrap();
        medium.with_transverse(|_| TransverseModuli::of_thomsen(epsilon, delta))
    };
    assert!(of(0.1, 0.1).is_ok() && of(0.1, -0.4).is_ok());
    for (epsilon, delta) in [(0.1, 0.11), (0.1, -0.6), (-0.6, -0.7), (f64::NAN, 0.0)] {
        let message = of(epsilon, delta).unwrap_err().to_string();
        assert!(message.contains("epsilon >= delta >= -1/2"), "{message}");
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test must be reported")]
fn gpu_results_are_bit_identical_to_cpu_results() {
    let Some(gpu) = gpu() else {
        return eprintln!("not run: there is no device, and no compiler to emulate one");
    };
    let [before, first, second] = if gpu.is_emulated() { [3, 8, 16] } else { [20, 30, 70] };
    let volumes = [([40, 37, 35], 2, true), ([220, 21, 21], 4, false), ([200, 19, 40], 7, true)];
    for (cells, half_length, is_free) in [([75, 1, 62], 8, true), ([150, 1, 41], 3, false)].into_iter().chain(volumes) {
        let medium = Arc::new(varied::<f32>(cells, 10.0));
        let options = options(half_length, boundaries(8, is_free));
        let (dt, shots) = (0.9 * medium.stable_step(&options.stencil), shots(cells, 10.0));
        let mut on_gpu = AcousticGpu::new(&gpu, medium.clone(), options.clone(), dt, shots.len()).unwrap();
        // Placing shots again resets the state.
        on_gpu.place(&shots[1..]).unwrap();
        on_gpu.advance(before).unwrap();
        on_gpu.place(&shots).unwrap();
        on_gpu.advance(first).unwrap();
        let mut samples = on_gpu.take_samples().unwrap();
        on_gpu.advance(second).unwrap();
        samples.iter_mut().zip(on_gpu.take_samples().unwrap()).for_each(|(all, more)| all.extend(more));
        let mut on_cpu = AcousticOperator::new(medium, options, dt, workers(1)).unwrap();
        for (number, (drives, listeners)) in shots.iter().enumerate() {
            on_gpu.check(number).unwrap();
            on_cpu.place(drives, listeners).unwrap();
            on_cpu.advance(first + second);
            assert!(on_cpu.pressure().any(|p| p != 0.0));
            let found = on_gpu.pressure(number).unwrap();
            let (of_cpu, recorded): (Vec<f32>, Vec<f32>) = (on_cpu.pressure().collect(), on_cpu.take_samples());
            assert!(found == of_cpu && samples[number] == recorded, "{cells:?}, shot {number}");
        }
    }
}
