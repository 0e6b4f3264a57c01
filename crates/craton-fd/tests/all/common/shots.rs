//! Acoustic shots: their parts, and a comparison with closed forms.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticMedium, AcousticOptions, AcousticPrecision, AcousticShot, CentralStencil, Drive, Listener,
    Placed, WaveEquation,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::dispersion::{Derive, Forward, Inverse, Stagger, UniformTimes};
use craton_numerics::misfit::relative_l2;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_testkit::references::ReferenceTraces;

/// Cells of the absorbing layers of closed forms.
const LAYER: usize = 20;

/// Frequency [Hz] and delay [s] of the source.
pub const RICKER: (f64, f64) = (15.0, 0.1);

/// s(t) of the references: peak 2 π² f².
pub fn ricker(t: f64) -> f64 {
    let (frequency, delay) = RICKER;
    let a = (std::f64::consts::PI * frequency * (t - delay)).powi(2);
    2.0 * (std::f64::consts::PI * frequency).powi(2) * (1.0 - 2.0 * a) * (-a).exp()
}

pub fn layer(cells: usize) -> Side {
    Side::Layer(AbsorbingLayer {
        cells,
        vp_max: 1500.0,
        dominant_frequency: 15.0,
        reflection: 1e-5,
        exponent: 2.0,
        max_stretch: 1.0,
    })
}

/// Absorbing sides, with a free top if `is_free`.
pub fn boundaries(cells: usize, is_free: bool) -> Boundaries {
    let mut boundaries = Boundaries::all(layer(cells));
    boundaries.sides[5] = if is_free { Side::Free } else { layer(cells) };
    boundaries
}

pub fn options(half_length: usize, boundaries: Boundaries) -> AcousticOptions {
    AcousticOptions {
        equation: WaveEquation::FirstOrder,
        stencil: StaggeredStencil::taylor(half_length).unwrap(),
        boundaries,
        interpolation: WindowedSinc::new(8, 4.0).unwrap(),
        isa: Isa::detect(),
    }
}

pub fn workers(threads: usize) -> Arc<Workers> {
    Arc::new(Workers::new(Some(threads)).unwrap())
}

pub fn at(position: [f64; 3]) -> Vec<Placed> {
    vec![Placed { position, weight: 1.0 }]
}

pub fn monopole(position: [f64; 3], history: Vec<f64>) -> Drive {
    Drive { places: at(position), field: AcousticField::Pressure, history }
}

pub fn hydrophone(position: [f64; 3]) -> Listener {
    Listener { places: at(position), field: AcousticField::Pressure }
}

/// The grid of a box, surrounded by layers.
pub fn around([low, high]: [[f64; 3]; 2], h: f64, is_plane: bool, is_free: bool) -> Grid {
    let cells = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / h).round() as usize + 2 * LAYER);
    let mut grid = Grid { origin: low.map(|x| x - LAYER as f64 * h), spacing: [h; 3], cells };
    if is_plane {
        (grid.cells[1], grid.origin[1]) = (1, 0.0);
    }
    if is_free {
        grid.cells[2] -= LAYER;
    }
    grid
}

/// Relative L2 misfit of the pressure of a monopole at x = 0 and a depth of 200 m to closed forms.
///
/// # Arguments
/// * `height` – z of the receivers, whose offsets are in the table [m]
pub fn misfit_to<T: AcousticPrecision>(
    reference: &ReferenceTraces,
    medium: AcousticMedium<T>,
    options: AcousticOptions,
    height: f64,
) -> f64 {
    let times = UniformTimes { start: 0.0, interval: reference.times[1], count: reference.times.len() };
    let places: Vec<[f64; 3]> = reference.receivers.iter().map(|own| [own.number as f64, 0.0, height]).collect();
    let traces = traces_of(medium, options, ([0.0, 0.0, -200.0], &places), times);
    let test: Vec<&[f64]> = traces.iter().map(|trace| &trace[..]).collect();
    let exact: Vec<&[f64]> = reference.receivers.iter().map(|own| &own.components[0][..]).collect();
    relative_l2(&test, &exact).unwrap()
}

/// Pressure of a monopole with the history [`ricker`], without time dispersion.
pub fn traces_of<T: AcousticPrecision>(
    medium: AcousticMedium<T>,
    options: AcousticOptions,
    (source, receivers): ([f64; 3], &[[f64; 3]]),
    times: UniformTimes,
) -> Vec<Vec<f64>> {
    let dt = 0.8 * medium.stable_step_of(&options);
    let steps = ((times.count - 1) as f64 * times.interval / dt).ceil() as usize + 40;
    let history = Forward::new(steps, dt).unwrap().samples(ricker, Stagger::Whole).unwrap();
    let mut operator = AcousticShot::new(Arc::new(medium), options, dt, workers(1)).unwrap();
    let listeners: Vec<Listener> = receivers.iter().map(|&place| hydrophone(place)).collect();
    operator.place(&[monopole(source, history)], &listeners).unwrap();
    operator.advance(steps as u64);
    operator.check().unwrap();
    let samples = operator.take_samples();
    let inverse = Inverse::onto(steps + 1, dt, times).unwrap();
    let trace = |channel: usize| {
        let steps = samples.chunks_exact(receivers.len()).map(|row| row[channel].to_f64());
        let trace: Vec<f64> = std::iter::once(0.0).chain(steps).collect();
        inverse.apply(&trace, Stagger::Whole, Derive::Nothing).unwrap()
    };
    (0..receivers.len()).map(trace).collect()
}

/// The same options for the scalar wave equation.
pub fn scalar(options: AcousticOptions) -> AcousticOptions {
    let stencil = CentralStencil::taylor(options.stencil.half_length()).unwrap();
    AcousticOptions { equation: WaveEquation::Scalar(stencil), ..options }
}
