//! Shots of the scalar wave equation: closed forms, agreement with the system of first order, layers, reciprocity, and results independent of threads.

#![allow(clippy::print_stdout)] // a test tells the difference it found

use std::f64::consts::PI;
use std::sync::Arc;

use craton_device::Isa;
use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOptions, AcousticPrecision, AcousticShot,
    Drive, FluidMechanism, FluidMechanisms, Listener, Placed,
};
use craton_fd::{Grid, MemoryPoints};
use craton_numerics::dispersion::UniformTimes;
use craton_numerics::misfit::relative_l2;
use craton_testkit::devices::gpu;
use craton_testkit::references::ReferenceTraces;

use crate::common::shots::*;

const SPEED: f64 = 1500.0;
const WATER: AcousticMaterial = AcousticMaterial { vp: SPEED, rho: 1000.0 };

fn l2(test: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let slices = |list: &[Vec<f64>]| list.iter().map(|trace| trace.to_vec()).collect::<Vec<_>>();
    let [test, exact] = [slices(test), slices(exact)];
    let [test, exact] = [&test, &exact].map(|list| list.iter().map(|trace| &trace[..]).collect::<Vec<&[f64]>>());
    relative_l2(&test, &exact).unwrap()
}

/// Relative L2 misfit to a table of closed forms.
fn misfit<T: AcousticPrecision>(table: &str, h: f64, half_length: usize, is_free: bool) -> f64 {
    let (low, high) = ([-80.0, -60.0, -350.0], [480.0, 60.0, if is_free { 0.0 } else { 50.0 }]);
    let medium = AcousticMedium::<T>::new(around([low, high], h, false, is_free), |_| WATER).unwrap();
    let reference = ReferenceTraces::read("acoustic", table).unwrap();
    misfit_to(&reference, medium, scalar(options(half_length, boundaries(20, is_free))), -150.0)
}

#[test]
fn a_point_source_agrees_with_its_closed_form() {
    for (table, is_free) in [("p3d_hom.txt", false), ("p3d_free.txt", true)] {
        let misfit = misfit::<f32>(table, 6.25, 4, is_free);
        println!("{table}: {:.4} %", 100.0 * misfit);
        assert!(misfit < 3e-4, "{table}: {misfit}");
    }
}

#[test]
fn the_error_falls_at_the_order_of_the_stencil() {
    // Cells of 10 m are too large for the full order of the longer stencil; below 7 m, reflections from the layers dominate.
    for (half_length, [coarse, fine], slack) in [(2, [10.0, 5.0], 0.3), (4, [10.0, 7.0], 1.4)] {
        let error = |h: f64| misfit::<f32>("p3d_free.txt", h, half_length, true);
        let order = (error(coarse) / error(fine)).ln() / (coarse / fine).ln();
        println!("half-length {half_length}: order {order:.2}");
        assert!((order - 2.0 * half_length as f64).abs() < slack, "half-length {half_length}: {order}");
    }
}

/// Pressure of a monopole below a free surface at z = 0.
fn below_surface(source: [f64; 3], receivers: &[[f64; 3]], times: UniformTimes) -> Vec<Vec<f64>> {
    let image = [source[0], source[1], -source[2]];
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
    let arrival = |r: f64, t: f64| ricker(t - r / SPEED) / (4.0 * PI * r);
    let trace = |&place: &[f64; 3]| {
        let [direct, ghost] = [source, image].map(|from| distance(from, place));
        let sample = |n: usize| {
            let t = n as f64 * times.interval;
            arrival(direct, t) - arrival(ghost, t)
        };
        (0..times.count).map(sample).collect()
    };
    receivers.iter().map(trace).collect()
}

#[test]
fn a_source_at_any_place_of_a_cell_agrees_with_its_closed_form() {
    let h = 6.25;
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 176 };
    // Between grid points, on one, and less than a cell below the surface.
    for source in [[1.1, 2.3, -101.7], [3.125, 3.125, -103.125], [0.0, 0.0, -4.2]] {
        let places = [[101.3, 7.7, -2.9], [148.2, -11.0, -96.3], [71.875, 53.125, -3.125], [-12.0, 44.0, -180.0]];
        let grid = around([[-50.0, -50.0, -200.0], [175.0, 75.0, 0.0]], h, false, true);
        let medium = AcousticMedium::<f32>::new(grid, |_| WATER).unwrap();
        let traces = traces_of(medium, scalar(options(4, boundaries(20, true))), (source, &places), times);
        let misfit = l2(&traces, &below_surface(source, &places, times));
        println!("{source:?}: {:.4} %", 100.0 * misfit);
        assert!(misfit < 1e-3, "{source:?}: {misfit}");
    }
}

/// Wave speeds that vary from cell to cell, with constant density.
fn varied<T: AcousticPrecision>(cells: [usize; 3], h: f64) -> AcousticMedium<T> {
    let grid = Grid { origin: [0.0; 3], spacing: [h; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 23) as f64 / 23.0;
    AcousticMedium::new(grid, |cell| AcousticMaterial { vp: 1500.0 + 800.0 * vary(cell), rho: 1800.0 }).unwrap()
}

#[test]
fn it_agrees_with_the_system_of_first_order() {
    // Water over two layers, whose interfaces are not normal to an axis.
    let speed = |x: [f64; 3]| match x[2] + 0.2 * x[0] - 0.1 * x[1] {
        z if z > -80.0 => SPEED,
        z if z > -140.0 => 1900.0,
        _ => 2400.0,
    };
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 201 };
    let places = [[101.3, 7.7, -12.9], [148.2, -11.0, -26.3], [-12.0, 44.0, -30.0]];
    let difference = |h: f64, half_length: usize| {
        let grid = around([[-50.0, -50.0, -200.0], [175.0, 75.0, 0.0]], h, false, true);
        let material = |cell| AcousticMaterial { vp: speed(grid.centre(cell)), rho: 1000.0 };
        let mut of_layers = boundaries(20, true);
        for side in &mut of_layers.sides {
            if let craton_fd::Side::Layer(layer) = side {
                layer.vp_max = 2400.0;
            }
        }
        let first = options(half_length, of_layers);
        let [scalar, first] = [scalar(first.clone()), first].map(|options| {
            let medium = AcousticMedium::<f32>::new(grid, material).unwrap();
            traces_of(medium, options, ([1.1, 2.3, -31.7], &places), times)
        });
        l2(&scalar, &first)
    };
    for (half_length, h, most) in [(4, 6.25, 1e-3), (8, 6.25, 5e-4)] {
        let difference = difference(h, half_length);
        println!("half-length {half_length}, cells of {h} m: {:.4} %", 100.0 * difference);
        assert!(difference < most, "half-length {half_length}: {difference}");
    }
}

/// The samples of a shot after some steps.
fn shot<T: AcousticPrecision>(
    medium: &Arc<AcousticMedium<T>>,
    options: &AcousticOptions,
    (source, listeners): (Drive, &[Listener]),
    [steps, threads]: [usize; 2],
) -> (Vec<T>, Vec<T>) {
    let dt = 0.9 * medium.stable_step_of(options);
    let mut operator = AcousticShot::new(medium.clone(), options.clone(), dt, workers(threads)).unwrap();
    operator.place(&[source], listeners).unwrap();
    // In pieces: how steps are grouped must not matter.
    operator.advance(steps as u64 / 3);
    operator.advance((steps - steps / 3) as u64);
    (operator.take_samples(), operator.pressure_in(&medium.grid().cells.map(|count| 0..count)))
}

fn pulse(steps: usize) -> Vec<f64> {
    (0..steps).map(|step| (-(0.1 * (step as f64 - 40.0)).powi(2)).exp()).collect()
}

#[test]
fn source_and_receiver_are_reciprocal() {
    // On cell centres, before waves return from a layer, with reflections from the free top.
    let medium = Arc::new(varied::<f64>([60, 56, 60], 10.0));
    let options = scalar(options(3, boundaries(8, true)));
    let [a, b] = [[255.0, 255.0, 305.0], [355.0, 305.0, 455.0]];
    let [forward, reverse] = [(a, b), (b, a)]
        .map(|(from, to)| shot(&medium, &options, (monopole(from, pulse(90)), &[hydrophone(to)]), [90, 1]).0);
    let misfit = relative_l2(&[&forward], &[&reverse]).unwrap();
    assert!(misfit < 1e-9, "{misfit}");
}

#[test]
fn results_are_bit_identical_for_any_threads_and_grouping_of_steps() {
    let medium = Arc::new(varied::<f32>([90, 70, 100], 10.0));
    for half_length in [1, 4] {
        let options = scalar(options(half_length, boundaries(9, true)));
        let [from, to] = [[453.0, 307.0, 957.0], [512.0, 350.0, 970.0]];
        let run = |steps: usize, threads: usize| {
            shot(&medium, &options, (monopole(from, pulse(24)), &[hydrophone(to)]), [steps, threads])
        };
        let expected = run(40, 1);
        assert!(expected.0.iter().any(|&sample| sample != 0.0));
        assert!(run(40, 3) == expected);
        let whole =
            AcousticShot::new(medium.clone(), options.clone(), 0.9 * medium.stable_step_of(&options), workers(2));
        let mut whole = whole.unwrap();
        whole.place(&[monopole(from, pulse(24))], &[hydrophone(to)]).unwrap();
        whole.advance(40);
        assert!(whole.take_samples() == expected.0);
    }
}

#[test]
fn a_random_medium_is_stable_at_the_limit() {
    let medium = Arc::new(varied::<f32>([44, 40, 36], 10.0));
    for half_length in [1, 2, 4, 8] {
        let options = scalar(options(half_length, boundaries(8, true)));
        let dt = medium.stable_step_of(&options);
        let mut operator = AcousticShot::new(medium.clone(), options, dt, workers(2)).unwrap();
        operator.place(&[monopole([203.0, 190.0, 151.0], pulse(80))], &[]).unwrap();
        let largest = |operator: &AcousticShot<f32>| {
            let all = operator.pressure_in(&medium.grid().cells.map(|count| 0..count));
            all.into_iter().fold(0.0_f32, |most, p| most.max(p.abs()))
        };
        operator.advance(100);
        let early = largest(&operator);
        operator.advance(2000);
        operator.check().unwrap();
        let late = largest(&operator);
        println!("half-length {half_length}: {early} became {late}");
        assert!(late < early, "half-length {half_length}: {early} became {late}");
    }
}

/// Largest difference of traces next to the layers of a box to those in a box so large that nothing returns [dB], for the first or the second equation.
fn echo(half_length: usize, is_scalar: bool) -> f64 {
    const LAYERS: usize = 20;
    let h = 6.25;
    let times = UniformTimes { start: 0.0, interval: 0.002, count: 161 };
    let places = [[60.0, 0.0, -60.0], [180.0, 10.0, -20.0], [20.0, 60.0, -150.0], [200.0, 70.0, -170.0]];
    let run = |margin: f64| {
        let (low, high) = ([-margin, -margin, -190.0 - margin], [220.0 + margin, 90.0 + margin, margin]);
        let medium = AcousticMedium::<f32>::new(around([low, high], h, false, false), |_| WATER).unwrap();
        let first = options(half_length, boundaries(LAYERS, false));
        traces_of(medium, if is_scalar { scalar(first) } else { first }, ([40.0, 20.0, -50.0], &places), times)
    };
    let (test, exact) = (run(0.0), run(256.25));
    let of = |channel: usize| {
        let pairs = test[channel].iter().zip(&exact[channel]);
        let largest = exact[channel].iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        pairs.fold(0.0_f64, |most, (test, exact)| most.max((test - exact).abs())) / largest
    };
    20.0 * (0..places.len()).map(of).fold(0.0, f64::max).log10()
}

#[test]
fn layers_reflect_little() {
    // Up to half-length 2, derivatives in layers have two points, and reflections are larger than those of the system of first order.
    for (half_length, more, limit) in [(2, 16.0, -72.0), (8, 2.0, -85.0)] {
        let [scalar, first] = [true, false].map(|is_scalar| echo(half_length, is_scalar));
        println!("half-length {half_length}: {scalar:.1} dB, system of first order {first:.1} dB");
        assert!(scalar < first + more && scalar < limit, "half-length {half_length}: {scalar} dB and {first} dB");
    }
}

#[test]
fn other_problems_are_refused() {
    let options = scalar(options(4, boundaries(8, true)));
    let refused = |medium: AcousticMedium<f32>| {
        AcousticShot::new(Arc::new(medium), options.clone(), 1e-4, workers(1)).err().expect("refused").to_string()
    };
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [40, 36, 38] };
    let plane = Grid { cells: [40, 1, 38], ..grid };
    assert!(refused(AcousticMedium::new(plane, |_| WATER).unwrap()).contains("two dimensions"));
    let denser = |[_, _, k]: [usize; 3]| AcousticMaterial { rho: 1000.0 + k as f64, ..WATER };
    assert!(refused(AcousticMedium::new(grid, denser).unwrap()).contains("density"));
    let mechanisms = vec![FluidMechanism { rate: 50.0, polynomial: [1.0, 0.0, 0.0] }];
    let lossy = AcousticMedium::new(grid, |_| WATER).unwrap();
    let lossy = lossy.with_losses(FluidMechanisms { mechanisms, points: MemoryPoints::All }, |_| 0.01);
    assert!(refused(lossy).contains("attenuation"));
    let medium = Arc::new(AcousticMedium::<f32>::new(grid, |_| WATER).unwrap());
    let mut operator = AcousticShot::new(medium, options, 1e-4, workers(1)).unwrap();
    let place = [200.0, 180.0, 190.0];
    let force = Drive { field: AcousticField::Velocity(0), ..monopole(place, vec![1.0]) };
    assert!(operator.place(&[force], &[]).unwrap_err().to_string().contains("a source of velocity"));
    let geophone = Listener { field: AcousticField::Velocity(2), ..hydrophone(place) };
    assert!(operator.place(&[], &[geophone]).unwrap_err().to_string().contains("a receiver of velocity"));
}

/// Two shots with receivers between grid points and groups of them.
fn shots(cells: [usize; 3], h: f64) -> Vec<(Vec<Drive>, Vec<Listener>)> {
    let place = |x: f64, z: f64| [x * cells[0] as f64 * h, 0.47 * cells[1] as f64 * h, z * cells[2] as f64 * h];
    let shot = |x: f64| {
        let mut listeners: Vec<Listener> = (0..7).map(|n| hydrophone(place(0.3 + 0.05 * f64::from(n), 0.9))).collect();
        let group = [0.52, 0.48, 0.5].map(|z| Placed { position: place(0.5, z), weight: 0.3 });
        listeners.push(Listener { places: group.to_vec(), field: AcousticField::Pressure });
        (vec![monopole(place(x, 0.8), pulse(70)), monopole(place(x + 0.1, 0.97), pulse(40))], listeners)
    };
    vec![shot(0.4), shot(0.55)]
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test must be reported")]
fn gpu_results_are_bit_identical_to_cpu_results() {
    let Some(gpu) = gpu() else {
        return eprintln!("not run: there is no device, and no compiler to emulate one");
    };
    let [before, first, second] = if gpu.is_emulated() { [5, 14, 25] } else { [20, 30, 71] };
    let cases = [
        ([70, 37, 39], 2, true, 8),
        ([160, 21, 25], 4, false, 6),
        ([52, 40, 43], 8, true, 9),
        ([46, 31, 30], 1, false, 7),
        ([37, 26, 70], 4, true, 0),
    ];
    for (cells, half_length, is_free, layers) in cases {
        let medium = Arc::new(varied::<f32>(cells, 10.0));
        let options = scalar(options(half_length, boundaries(layers, is_free)));
        let (dt, shots) = (0.9 * medium.stable_step_of(&options), shots(cells, 10.0));
        let mut on_gpu = AcousticGpu::new(&gpu, medium.clone(), options.clone(), dt, shots.len()).unwrap();
        // Placing shots again resets the state.
        on_gpu.place(&shots[1..]).unwrap();
        on_gpu.advance(before).unwrap();
        on_gpu.place(&shots).unwrap();
        on_gpu.advance(first).unwrap();
        let mut samples = on_gpu.take_samples().unwrap();
        on_gpu.advance(second).unwrap();
        (0..shots.len()).for_each(|shot| on_gpu.check(shot).unwrap());
        samples.iter_mut().zip(on_gpu.take_samples().unwrap()).for_each(|(all, more)| all.extend(more));
        let mut on_cpu = AcousticShot::new(medium, options, dt, workers(1)).unwrap();
        for (number, (drives, listeners)) in shots.iter().enumerate() {
            on_cpu.place(drives, listeners).unwrap();
            on_cpu.advance(first + second);
            let found = on_gpu.pressure(number).unwrap();
            let of_cpu = on_cpu.pressure_in(&cells.map(|count| 0..count));
            let recorded = on_cpu.take_samples();
            assert!(of_cpu.iter().any(|&p| p != 0.0));
            if Isa::detect() == Isa::Portable {
                // Without fused multiply-adds the last bits differ.
                let double = |list: &[f32]| vec![list.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>()];
                assert!(l2(&double(&found), &double(&of_cpu)) < 1e-5, "{cells:?}, shot {number}");
                assert!(l2(&double(&samples[number]), &double(&recorded)) < 1e-5, "{cells:?}, shot {number}");
                continue;
            }
            assert!(found == of_cpu && samples[number] == recorded, "{cells:?}, shot {number}");
        }
    }
}
