//! Relaxing moduli: attenuation of plane waves, and the promises of all runs.

use std::f64::consts::TAU;

use crate::common::*;
use craton_device::Isa;
use craton_fd::{
    AbsorbingLayer, Boundaries, FdOperator, Grid, Material, Mechanism, Mechanisms, Medium, MemoryPoints, PointSource,
    Precision, Probe, ProbeQuantity, Side, SourceMechanism,
};
use craton_sim::Operator;

/// Relaxation rates [rad/s], and parts that relax of the bulk and the shear modulus [–].
const RATES: [f64; 3] = [15.0, 100.0, 600.0];
const PARTS: [[f64; 3]; 2] = [[0.01, 0.008, 0.012], [0.03, 0.025, 0.04]];

/// The mechanisms for losses of 1.
fn mechanisms(points: MemoryPoints) -> Mechanisms {
    let shares = points.shares(3).unwrap_or(vec![1.0; 3]);
    let of = |modulus: usize, l: usize| [PARTS[modulus][l] / shares[l], 0.0, 0.0];
    let mechanism = |l: usize| Mechanism { rate: RATES[l], polynomials: [of(0, l), of(1, l)] };
    Mechanisms { mechanisms: [0, 1, 2].map(mechanism).to_vec(), points }
}

/// The hill with losses that vary from cell to cell.
fn relaxing_hill<T: Precision>(points: MemoryPoints) -> Medium<T> {
    hill::<T>().with_losses(mechanisms(points), |[i, j, k]| {
        let vary = ((i * 7 + j * 13 + k * 29) % 11) as f64 / 11.0;
        [vary, 1.0 - 0.5 * vary]
    })
}

/// Complex P modulus (`axis` 2) or shear modulus over its unrelaxed value at an angular frequency. If points have one mechanism each, it is softer by the
/// variance of their relaxed parts times the concentration of strain.
fn modulus(points: MemoryPoints, [kappa, mu]: [f64; 2], axis: usize, omega: f64) -> [f64; 2] {
    let shares = points.shares(3).unwrap_or(vec![1.0; 3]);
    let square = |[re, im]: [f64; 2]| [re * re - im * im, 2.0 * re * im];
    let relaxed = |modulus: usize| {
        let part = |l: usize| {
            let share = PARTS[modulus][l] * RATES[l] / (RATES[l] * RATES[l] + omega * omega);
            [share * RATES[l], -share * omega]
        };
        let sum = |c: usize, of: &dyn Fn(usize) -> [f64; 2]| (0..3).map(|l| of(l)[c]).sum::<f64>();
        let mean = [0, 1].map(|c| sum(c, &part));
        let mean_square = [0, 1].map(|c| sum(c, &|l| square(part(l)).map(|own| own / shares[l])));
        let factor = if points == MemoryPoints::One { [0.57, 0.5][modulus] } else { 0.0 };
        let own = [0, 1].map(|c| mean[c] + factor * (mean_square[c] - square(mean)[c]));
        [1.0 - own[0], -own[1]]
    };
    let [bulk, shear] = [relaxed(0), relaxed(1)];
    match axis {
        2 => [0, 1].map(|c| (kappa * bulk[c] + 4.0 / 3.0 * mu * shear[c]) / (kappa + 4.0 / 3.0 * mu)),
        _ => shear,
    }
}

/// vp, vs [m/s] and density [kg/m³] of the solid of plane waves.
const SOLID: [f64; 3] = [4000.0, 2300.0, 2500.0];
/// Edge of a cell [m], and heights of the source and of two probes [m], all at the same place of their cells.
const H: f64 = 8.0;
const PLACES: [f64; 3] = [200.0, 504.0, 1200.0];

/// Records of a plane wave at the two probes, component `axis`, and the time step [s].
fn record(points: MemoryPoints, axis: usize) -> ([Vec<f64>; 2], f64) {
    let [vp, vs, rho] = SOLID;
    let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells: [4, 4, 220] };
    let medium = Medium::<f64>::new(grid, |_| Material::from_speeds(vp, vs, rho)).unwrap();
    let medium = medium.with_losses(mechanisms(points), |_| [1.0; 2]);
    let layer = Side::Layer(AbsorbingLayer {
        cells: 12,
        vp_max: vp,
        dominant_frequency: 20.0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    });
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].fill(layer);
    let options = options(4, boundaries);
    let dt = 0.6 * craton_fd::stable_step(&medium, &options.boundaries, &options.stencil).unwrap();
    // Until the first reflection from the upper layer.
    let end = if axis == 2 { 0.5 } else { 0.85 };
    let steps = (end / dt) as usize;
    let pulse = |n: usize| {
        let x = std::f64::consts::PI * 20.0 * (n as f64 * dt - 0.1);
        (1.0 - 2.0 * x * x) * (-x * x).exp()
    };
    let force = [0, 1, 2].map(|c| if c == axis { 1e10 } else { 0.0 });
    let [position, first, second] = PLACES.map(|z| [2.5 * H, 2.5 * H, z]);
    let mechanism = SourceMechanism::Force(force);
    let source = PointSource { position, mechanism, history: (0..steps).map(pulse).collect(), interface: None };
    let probes = [first, second].map(|position| Probe { position, quantity: ProbeQuantity::Velocity, interface: None });
    let mut operator = FdOperator::new(&medium, &options, dt, &[source], &probes, workers(2)).unwrap();
    operator.advance(steps as u64).unwrap();
    let samples = operator.take_samples().unwrap();
    ([0, 1].map(|probe| samples.iter().skip(3 * probe + axis).step_by(6).copied().collect()), dt)
}

/// Logarithmic amplitude ratio and delay of a plane wave between two points, over those of the exact modulus, at some frequencies [Hz].
fn plane_wave(points: MemoryPoints, axis: usize, frequencies: &[f64]) -> Vec<[f64; 2]> {
    let (records, dt) = record(points, axis);
    let spectrum = |record: &[f64], omega: f64| {
        record.iter().enumerate().fold([0.0; 2], |[re, im], (n, value)| {
            let (sin, cos) = (omega * n as f64 * dt).sin_cos();
            [re + value * cos, im - value * sin]
        })
    };
    let [vp, vs, rho] = SOLID;
    let moduli = [rho * (vp * vp - 4.0 / 3.0 * vs * vs), rho * vs * vs];
    let speed = if axis == 2 { vp } else { vs };
    let of_frequency = |&frequency: &f64| {
        let omega = TAU * frequency;
        let [[a, b], [c, d]] = [0, 1].map(|probe| spectrum(&records[probe], omega));
        let ratio = 0.5 * ((c * c + d * d) / (a * a + b * b)).ln();
        let phase = (d * a - c * b).atan2(c * a + d * b);
        // k = ω / (v √m) over the distance, with the frequencies of the leapfrog and of the trapezoidal rule.
        let leapfrog = 2.0 / dt * (0.5 * omega * dt).sin();
        let [re, im] = modulus(points, moduli, axis, 2.0 / dt * (0.5 * omega * dt).tan());
        let (size, angle) = (re.hypot(im).sqrt(), 0.5 * im.atan2(re));
        let k = leapfrog * (PLACES[2] - PLACES[1]) / speed / size;
        let (decay, delay) = (-k * angle.sin(), -k * angle.cos());
        let turns = ((delay - phase) / TAU).round();
        [ratio / decay, (phase + TAU * turns) / delay]
    };
    frequencies.iter().map(of_frequency).collect()
}

#[test]
fn plane_waves_attenuate_and_disperse_as_their_moduli() {
    for (points, [of_decay, of_delay]) in [(MemoryPoints::All, [3e-3, 2e-4]), (MemoryPoints::One, [0.02, 1e-3])] {
        for axis in [0, 2] {
            for (place, [decay, delay]) in plane_wave(points, axis, &[8.0, 15.0, 25.0, 35.0]).into_iter().enumerate() {
                let is_close = (decay - 1.0).abs() < of_decay && (delay - 1.0).abs() < of_delay;
                assert!(is_close, "{points:?}, along {axis}, frequency {place}: {decay} {delay}");
            }
        }
    }
}

#[test]
fn relaxing_runs_are_bit_identical_for_any_parts_and_restarts() {
    for points in [MemoryPoints::One, MemoryPoints::All] {
        let medium = relaxing_hill::<f32>(points);
        let run = |parts: [usize; 3], threads: usize, is_stopped: bool| {
            let options = craton_fd::Options { parts, ..options(2, all_boundaries()[0]) };
            let (sources, probes) = hill_taps();
            let dt = 0.9 * craton_fd::stable_step(&medium, &options.boundaries, &options.stencil).unwrap();
            let make = || FdOperator::new(&medium, &options, dt, &sources, &probes, workers(threads)).unwrap();
            let mut operator = make();
            advance(&mut operator, 17);
            let mut samples = operator.take_samples().unwrap();
            if is_stopped {
                let saved = Saved::of(&mut operator);
                operator = make();
                saved.restore(&mut operator);
            }
            advance(&mut operator, 23);
            samples.extend(operator.take_samples().unwrap());
            (samples, Saved::of(&mut operator))
        };
        let whole = run([1; 3], 1, false);
        assert!(whole.0.iter().any(|v| v.abs() > 1e-12));
        for (parts, threads, is_stopped) in [([1; 3], 3, true), ([2, 1, 1], 2, false), ([1, 3, 2], 2, true)] {
            let cut = run(parts, threads, is_stopped);
            assert!(cut.0 == whole.0, "{points:?} {parts:?}");
            assert!(cut == whole, "state, {points:?} {parts:?}");
        }
    }
}

#[test]
fn relaxing_runs_are_alike_on_all_instruction_sets() {
    for points in [MemoryPoints::One, MemoryPoints::All] {
        let medium = relaxing_hill::<f32>(points);
        let run = |isa: Isa| {
            let options = craton_fd::Options { isa, ..options(2, all_boundaries()[0]) };
            let (sources, probes) = hill_taps();
            let mut operator = at_courant(&medium, &options, 0.9, &sources, &probes).unwrap();
            advance(&mut operator, 40);
            operator.take_samples().unwrap()
        };
        let best = run(Isa::detect());
        let largest = best.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        for isa in Isa::available() {
            let difference = run(isa).iter().zip(&best).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
            assert!(difference <= 1e-5 * largest, "{points:?}, {}: {difference:e} of {largest:e}", isa.name());
        }
    }
}

#[test]
fn very_small_losses_are_nearly_elastic() {
    let options = options(2, all_boundaries()[0]);
    let run = |medium: &Medium<f64>| {
        let (sources, probes) = hill_taps();
        let mut operator = at_courant(medium, &options, 0.9, &sources, &probes).unwrap();
        advance(&mut operator, 60);
        operator.take_samples().unwrap()
    };
    let elastic = run(&hill());
    let nearly = run(&hill().with_losses(mechanisms(MemoryPoints::One), |_| [1e-7; 2]));
    let most = elastic.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let difference = elastic.iter().zip(&nearly).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(difference > 0.0 && difference < 1e-6 * most, "{difference:e} {most:e}");
}

#[test]
fn relaxing_gpu_runs_agree_with_the_cpu() {
    let Some(gpu) = craton_testkit::devices::gpu() else { return };
    let steps = if gpu.is_emulated() { 24 } else { 200 };
    for (half_length, points) in [(2, MemoryPoints::One), (4, MemoryPoints::One), (2, MemoryPoints::All)] {
        let medium = relaxing_hill::<f32>(points);
        for boundaries in &all_boundaries()[..2] {
            crate::gpu::compare(&gpu, &medium, &options(half_length, *boundaries), steps, 2e-5);
        }
    }
}

/// The wave field of short sources decays in absorbing layers and sponges, without late growth.
#[test]
fn relaxing_fields_decay() {
    for (points, boundaries) in [(MemoryPoints::One, all_boundaries()[0]), (MemoryPoints::All, all_boundaries()[3])] {
        let medium = relaxing_hill::<f32>(points);
        let options = options(2, boundaries);
        let (mut sources, probes) = hill_taps();
        for source in &mut sources {
            source.history = source.history.values().iter().copied().chain([0.0]).collect();
        }
        let mut operator = at_courant(&medium, &options, 0.95, &sources, &probes).unwrap();
        let mut greatest = |steps: u64| {
            advance(&mut operator, steps);
            let samples = operator.take_samples().unwrap();
            samples.iter().fold(0.0, |most: f32, value| most.max(value.abs()))
        };
        let (early, late, last) = (greatest(200), greatest(1500), greatest(1500));
        assert!(last < 0.02 * early && last <= late, "{points:?}: {early:e} {late:e} {last:e}");
    }
}
