//! Acoustic shots: closed forms, convergence, symmetries, and what the way through planes and threads must not change.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, AcousticPrecision, Drive, Listener, Monitor,
    Placed,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::dispersion::{Derive, Forward, Inverse, Stagger, UniformTimes};
use craton_numerics::misfit::relative_l2;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_testkit::references::ReferenceTraces;

const WATER: AcousticMaterial = AcousticMaterial { vp: 1500.0, rho: 1000.0 };
/// Frequency [Hz] and delay [s] of the source.
const RICKER: (f64, f64) = (15.0, 0.1);

/// s(t) of the references: peak 2 π² f².
fn ricker(t: f64) -> f64 {
    let (frequency, delay) = RICKER;
    let a = (std::f64::consts::PI * frequency * (t - delay)).powi(2);
    2.0 * (std::f64::consts::PI * frequency).powi(2) * (1.0 - 2.0 * a) * (-a).exp()
}

fn layer(cells: usize) -> Side {
    Side::Layer(AbsorbingLayer {
        cells,
        vp_max: 1500.0,
        dominant_frequency: 15.0,
        reflection: 1e-5,
        exponent: 2.0,
        max_stretch: 1.0,
    })
}

/// Absorbing sides, and a free top where that is asked for.
fn boundaries(cells: usize, is_free: bool) -> Boundaries {
    let mut boundaries = Boundaries::all(layer(cells));
    if is_free {
        boundaries.sides[5] = Side::Free;
    }
    boundaries
}

fn options(half_length: usize, boundaries: Boundaries) -> AcousticOptions {
    AcousticOptions {
        stencil: StaggeredStencil::taylor(half_length).unwrap(),
        boundaries,
        interpolation: WindowedSinc::new(4, 4.0).unwrap(),
        isa: Isa::detect(),
    }
}

fn workers(threads: usize) -> Arc<Workers> {
    Arc::new(Workers::new(Some(threads)).unwrap())
}

fn at(position: [f64; 3]) -> Vec<Placed> {
    vec![Placed { position, weight: 1.0 }]
}

fn monopole(position: [f64; 3], history: Vec<f64>) -> Drive {
    Drive { places: at(position), field: Monitor::Pressure, history }
}

fn hydrophone(position: [f64; 3]) -> Listener {
    Listener { places: at(position), field: Monitor::Pressure }
}

/// Relative L2 misfit of the pressure of a monopole beside a table of closed forms.
fn misfit<T: AcousticPrecision>(table: &str, h: f64, half_length: usize, is_plane: bool, is_free: bool) -> f64 {
    let reference = ReferenceTraces::read("acoustic", table).unwrap();
    let (end, margin) = (*reference.times.last().unwrap(), 20.0 * h);
    // Water from the plane above, 200 m over the source, down to 150 m below it; layers around that.
    let (low, high) = ([-120.0, -120.0, -350.0], [520.0, 120.0, if is_free { 0.0 } else { 50.0 }]);
    let cells = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / h).round() as usize + 40);
    let mut grid = Grid { origin: low.map(|x| x - margin), spacing: [h; 3], cells };
    if is_plane {
        (grid.cells[1], grid.origin[1]) = (1, 0.0);
    }
    if is_free {
        grid.cells[2] -= 20;
    }
    let medium = Arc::new(AcousticMedium::<T>::new(grid, |_| WATER).unwrap());
    let options = options(half_length, boundaries(20, is_free));
    let dt = 0.8 * medium.stable_step(&options.stencil);
    let steps = (end / dt).ceil() as usize + 40;
    let history = Forward::new(steps, dt).unwrap().samples(ricker, Stagger::Whole).unwrap();
    let mut operator = AcousticOperator::new(medium, options, dt, workers(2)).unwrap();
    let receivers: Vec<Listener> =
        reference.receivers.iter().map(|own| hydrophone([own.number as f64, 0.0, -150.0])).collect();
    operator.place(&[monopole([0.0, 0.0, -200.0], history)], &receivers).unwrap();
    operator.advance(steps as u64);
    operator.check().unwrap();
    let samples = operator.take_samples();
    let times = UniformTimes { start: 0.0, interval: reference.times[1], count: reference.times.len() };
    let inverse = Inverse::onto(steps + 1, dt, times).unwrap();
    let trace = |channel: usize| {
        let steps = samples.chunks_exact(receivers.len()).map(|row| row[channel].to_f64());
        let trace: Vec<f64> = std::iter::once(0.0).chain(steps).collect();
        inverse.apply(&trace, Stagger::Whole, Derive::Nothing).unwrap()
    };
    let traces: Vec<Vec<f64>> = (0..receivers.len()).map(trace).collect();
    let test: Vec<&[f64]> = traces.iter().map(|trace| &trace[..]).collect();
    let exact: Vec<&[f64]> = reference.receivers.iter().map(|own| &own.components[0][..]).collect();
    relative_l2(&test, &exact).unwrap()
}

#[test]
fn a_line_source_agrees_with_its_closed_form() {
    // Six points to the wavelength of 45 Hz.
    for (table, is_free) in [("p2d_hom.txt", false), ("p2d_free.txt", true)] {
        for half_length in [4, 8] {
            let misfit = misfit::<f32>(table, 5.0, half_length, true, is_free);
            println!("{table}, half-length {half_length}: {:.3} %", 100.0 * misfit);
            assert!(misfit < 0.005, "{table}, half-length {half_length}: {misfit}");
        }
    }
}
