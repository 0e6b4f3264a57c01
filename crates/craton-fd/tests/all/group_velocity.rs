//! The group-velocity error of Holberg's coefficients, measured on acoustic waves along an axis.

#![allow(clippy::print_stdout)] // a test tells the errors it found

use std::f64::consts::TAU;
use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, Drive, Listener, Placed,
    WaveEquation,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::dispersion::{Derive, Forward, Inverse, Stagger, UniformTimes};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use rayon::prelude::*;

/// Speed of the waves [m/s] and spacing of the grid [m].
const SPEED: f64 = 1500.0;
const SPACING: f64 = 10.0;
/// Cells between the source and both receivers (`AWAY`), to the sides beyond them (`ENDS`) and to the lateral sides (`LATERAL`): reflections arrive after the window.
const AWAY: [usize; 2] = [60, 160];
const ENDS: usize = 100;
const LATERAL: usize = 160;
/// Time of the peak of the pulse, and the start and end of the fade-out after its arrival [cells over speed].
const PEAK: f64 = 75.0;
const WINDOW: [f64; 2] = [80.0, 150.0];
/// Error of the measurement of the group velocity, in addition to 0.5 % of the bound: the window truncates slow waves beyond the band.
const MARGIN: f64 = 1.5e-5;

/// Traces of a pulse at both receivers without time dispersion, at steps of `interval` [s].
struct Traces {
    interval: f64,
    of_receivers: [Vec<f64>; 2],
}

/// A pulse with this central angular frequency [1/s].
fn pulse(t: f64, centre: f64) -> f64 {
    let (t, width) = (t - PEAK * SPACING / SPEED, 0.14 * centre);
    (-0.5 * (width * t).powi(2)).exp() * (centre * t).cos()
}

/// Propagates a pulse with this central angular frequency [1/s] along x or z.
fn propagate(stencil: &StaggeredStencil, centre: f64, axis: usize) -> Traces {
    let mut cells = [2 * LATERAL, 1, 2 * LATERAL];
    cells[axis] = ENDS + AWAY[1] + ENDS;
    let grid = Grid { origin: [0.0; 3], spacing: [SPACING; 3], cells };
    let medium = AcousticMedium::<f64>::new(grid, |_| AcousticMaterial { vp: SPEED, rho: 1000.0 }).unwrap();
    let dt = 0.8 * medium.stable_step(stencil);
    let layer = Side::Layer(AbsorbingLayer {
        cells: 30,
        vp_max: SPEED,
        dominant_frequency: centre / TAU,
        reflection: 1e-6,
        exponent: 2.0,
        max_stretch: 1.0,
    });
    let options = AcousticOptions {
        equation: WaveEquation::FirstOrder,
        stencil: stencil.clone(),
        boundaries: Boundaries::all(layer),
        interpolation: WindowedSinc::new(8, 4.0).unwrap(),
        isa: Isa::detect(),
    };
    let length = (PEAK + AWAY[1] as f64 + WINDOW[1]) * SPACING / SPEED;
    let steps = (length / dt).ceil() as usize + 40;
    let history = Forward::new(steps, dt).unwrap().samples(|t| pulse(t, centre), Stagger::Whole).unwrap();
    let at = |away: usize| {
        let mut cell = [LATERAL, 0, LATERAL];
        cell[axis] = ENDS + away;
        vec![Placed { position: cell.map(|i| (i as f64 + 0.5) * SPACING), weight: 1.0 }]
    };
    let listeners = AWAY.map(|away| Listener { places: at(away), field: AcousticField::Pressure });
    let workers = Arc::new(Workers::new(Some(1)).unwrap());
    let mut operator = AcousticOperator::new(Arc::new(medium), options, dt, workers).unwrap();
    let source = Drive { places: at(0), field: AcousticField::Pressure, history };
    operator.place(&[source], &listeners).unwrap();
    operator.advance(steps as u64);
    let samples = operator.take_samples();
    let times = UniformTimes { start: 0.0, interval: dt, count: steps - 40 };
    let inverse = Inverse::onto(steps + 1, dt, times).unwrap();
    let trace = |channel: usize| {
        let trace: Vec<f64> = std::iter::once(0.0).chain(samples.chunks_exact(2).map(|row| row[channel])).collect();
        inverse.apply(&trace, Stagger::Whole, Derive::Nothing).unwrap()
    };
    Traces { interval: dt, of_receivers: [trace(0), trace(1)] }
}

/// Delay [s] at an angular frequency ω of a trace so many cells from the source: -dφ/dω = Re(∫ t p exp(-iωt) dt / ∫ p exp(-iωt) dt).
fn delay(trace: &[f64], interval: f64, omega: f64, away: usize) -> f64 {
    let (mut plain, mut timed) = ([0.0; 2], [0.0; 2]);
    for (i, &p) in trace.iter().enumerate() {
        let t = i as f64 * interval;
        let late = t * SPEED / SPACING - PEAK - away as f64;
        let faded = ((late - WINDOW[0]) / (WINDOW[1] - WINDOW[0])).clamp(0.0, 1.0);
        let p = p * (0.25 * TAU * faded).cos().powi(2);
        for (part, wave) in [(omega * t).cos(), -(omega * t).sin()].into_iter().enumerate() {
            plain[part] += p * wave;
            timed[part] += p * t * wave;
        }
    }
    (timed[0] * plain[0] + timed[1] * plain[1]) / (plain[0] * plain[0] + plain[1] * plain[1])
}

/// Relative error of the group velocity at the frequency of a wavenumber k h.
///
/// The wave of a line source is H₀(k r): in addition to k r, its phase contains -1/(8 k r) (Abramowitz and Stegun, 9.2.29), a delay of 1/(8 k² c r).
fn measured(traces: &Traces, stencil: &StaggeredStencil, kh: f64) -> f64 {
    let omega = stencil.numerical_wavenumber(kh) * SPEED / SPACING;
    let [near, far] = [0, 1].map(|receiver| {
        let away = AWAY[receiver] as f64;
        let late = SPACING / (8.0 * kh * kh * SPEED * away);
        delay(&traces.of_receivers[receiver], traces.interval, omega, AWAY[receiver]) - late
    });
    (AWAY[1] - AWAY[0]) as f64 * SPACING / (far - near) / SPEED - 1.0
}

#[test]
fn the_group_velocity_error_agrees_with_its_prediction() {
    let all = [2, 4, 8].into_iter().flat_map(|l| [1e-4, 1e-3, 1e-2].map(|e| (l, e)));
    let cases: Vec<(usize, f64)> = all.filter(|&case| case != (2, 1e-4)).collect();
    cases.into_par_iter().enumerate().for_each(|(number, (half_length, bound))| {
        let stencil = StaggeredStencil::holberg(half_length, bound).unwrap();
        let end = stencil.largest_wavenumber(bound).unwrap();
        let centre = 0.65 * stencil.numerical_wavenumber(end) * SPEED / SPACING;
        let traces = propagate(&stencil, centre, [0, 2][number % 2]);
        let measure = |part: f64| {
            let kh = part * end;
            let (found, predicted) = (measured(&traces, &stencil, kh), stencil.group_velocity_error(kh));
            println!("half-length {half_length}, E = {bound}, kh = {kh:.3}: {found:.3e}, predicted {predicted:.3e}");
            (found, predicted)
        };
        let margin = MARGIN + 0.005 * bound;
        for part in [0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
            let (found, predicted) = measure(part);
            assert!(
                found.abs() <= bound + margin,
                "half-length {half_length}, E = {bound}, {part} of the band: {found}"
            );
            assert!((found - predicted).abs() < margin, "half-length {half_length}, E = {bound}: {found}, {predicted}");
        }
        let (found, predicted) = measure(1.04);
        assert!(found < -bound - margin, "half-length {half_length}, E = {bound}, beyond the band: {found}");
        assert!((found / predicted - 1.0).abs() < 0.05, "half-length {half_length}, E = {bound}: {found}, {predicted}");
    });
}
