//! Acoustic sources and receivers next to jumps of density, and interfaces inside cells, against the exact solution of two half-spaces.
//!
//! The transform of a trace at a complex frequency ω is that of the exact solution at (2/dt) sin(ω dt/2), so that errors of the time step vanish.

#![allow(clippy::print_stdout)] // a test prints the errors that it found

use std::f64::consts::PI;
use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticMedium, AcousticOperator, AcousticOptions, Drive, EffectiveFluid, Listener, Placed, Slab,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_fft::Complex64;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_testkit::half_spaces::{Fluid, FluidField, FluidHalfSpaces};

const WATER: Fluid = Fluid { vp: 1500.0, rho: 1000.0 };
const HEAVY: Fluid = Fluid { vp: 1500.0, rho: 2500.0 };
const ROCK: Fluid = Fluid { vp: 2500.0, rho: 2200.0 };
/// Edge of a cell [m]: ten points per wavelength of water at 15 Hz, the default of order 4.
const H: f64 = 10.0;
/// Peak frequency of the source [Hz] and damping of the traces [1/s].
const PEAK: f64 = 6.0;
const DAMPING: f64 = 6.0;

/// A place: field and position [m].
type Place = (AcousticField, [f64; 3]);

/// A layered problem in a box whose interface is in its middle.
#[derive(Clone)]
struct Problem {
    space: FluidHalfSpaces,
    cells: [usize; 3],
    half_length: usize,
    h: f64,
}

impl Problem {
    /// A plane with an interface some cells above the lower face of a cell.
    fn plane(below: Fluid, above: Fluid, offset: f64) -> Self {
        let cells = [110, 1, 100];
        let space = FluidHalfSpaces { below, above, interface: (50.0 + offset) * H, top: None };
        Self { space, cells, half_length: 2, h: H }
    }

    fn fluid(&self, cell: [usize; 3]) -> EffectiveFluid {
        let FluidHalfSpaces { below, above, interface, .. } = self.space;
        let place = interface / self.h - cell[2] as f64;
        let part = place.clamp(0.0, 1.0);
        let mean = |of: fn(&Fluid) -> f64| 1.0 / (part / of(&below) + (1.0 - part) / of(&above));
        let modulus: fn(&Fluid) -> f64 = |fluid| fluid.rho * fluid.vp * fluid.vp;
        let across = [Slab { part: 1.0, rho: mean(|fluid| fluid.rho), kappa: mean(modulus) }];
        let slab = |part: f64, fluid: &Fluid| Slab { part, rho: fluid.rho, kappa: modulus(fluid) };
        let along = [slab(part, &below), slab(1.0 - part, &above)];
        EffectiveFluid::new(if place > 0.5 { below.rho } else { above.rho }, [&across, &across, &along])
    }

    /// Samples of receivers, for sources that act one after the other, and the time step.
    fn record(&self, sources: &[Place], receivers: &[Place], steps: usize) -> (Vec<Vec<f64>>, f64) {
        let grid = Grid { origin: [0.0; 3], spacing: [self.h; 3], cells: self.cells };
        let medium = Arc::new(AcousticMedium::<f64>::averaged(grid, |cell| self.fluid(cell)).unwrap());
        let layer = Side::Layer(AbsorbingLayer {
            cells: 15,
            vp_max: self.space.below.vp,
            dominant_frequency: PEAK,
            reflection: 1e-4,
            exponent: 2.0,
            max_stretch: 1.0,
        });
        let mut boundaries = Boundaries::all(layer);
        if self.space.top.is_some() {
            boundaries.sides[5] = Side::Free;
        }
        let options = AcousticOptions {
            stencil: StaggeredStencil::taylor(self.half_length).unwrap(),
            boundaries,
            interpolation: WindowedSinc::new(8, 4.0).unwrap(),
            isa: Isa::detect(),
        };
        let dt = 0.9 * medium.stable_step(&options.stencil);
        let workers = Arc::new(Workers::new(Some(2)).unwrap());
        let mut operator = AcousticOperator::new(medium, options, dt, workers).unwrap();
        let places = |position: [f64; 3]| vec![Placed { position, weight: 1.0 }];
        let listeners: Vec<Listener> =
            receivers.iter().map(|&(field, position)| Listener { places: places(position), field }).collect();
        let samples = sources.iter().map(|&(field, position)| {
            let history = (0..steps).map(|step| ricker(step as f64 * dt)).collect();
            operator.place(&[Drive { places: places(position), field, history }], &listeners).unwrap();
            operator.advance(steps as u64);
            operator.take_samples()
        });
        (samples.collect(), dt)
    }

    /// Relative L2 error of damped traces for each pair, `[source][receiver]`, in percent.
    fn errors(&self, sources: &[Place], receivers: &[Place]) -> Vec<Vec<f64>> {
        let count = receivers.len();
        let steps = (9.0 / DAMPING / (0.9 * 0.6 * self.h / self.space.below.vp)) as usize;
        let (samples, dt) = self.record(sources, receivers, steps);
        let frequencies: Vec<Complex64> = (1..=9).map(|n| Complex64::new(PI * 3.0 * f64::from(n), DAMPING)).collect();
        let is_plane = self.cells[1] == 1;
        let transform = |sample: &dyn Fn(usize) -> f64, omega: Complex64, start: f64| {
            (0..steps).map(|n| sample(n) * (Complex64::I * omega * dt * (n as f64 + start)).exp()).sum::<Complex64>()
        };
        let error = |source: usize, receiver: usize| {
            let (from, to) = (sources[source], receivers[receiver]);
            let start = if to.0 == AcousticField::Pressure { 1.0 } else { 0.5 };
            let (mut difference, mut total) = (0.0, 0.0);
            for &omega in &frequencies {
                let sent = transform(&|n| ricker(n as f64 * dt), omega, 0.0);
                let found = transform(&|n| samples[source][n * count + receiver], omega, start);
                let discrete = 2.0 / dt * (0.5 * omega * dt).sin();
                let exact = sent * self.space.response(is_plane, discrete, (of(from.0), from.1), (of(to.0), to.1));
                // A monopole has the history S, not S over the density.
                difference += (found - exact).norm_sqr();
                total += exact.norm_sqr();
            }
            100.0 * (difference / total).sqrt()
        };
        (0..sources.len()).map(|source| (0..count).map(|receiver| error(source, receiver)).collect()).collect()
    }
}

fn ricker(t: f64) -> f64 {
    let a = (PI * PEAK * (t - 1.2 / PEAK)).powi(2);
    (1.0 - 2.0 * a) * (-a).exp()
}

fn of(field: AcousticField) -> FluidField {
    match field {
        AcousticField::Pressure => FluidField::Pressure,
        AcousticField::Velocity(axis) => FluidField::Velocity(axis),
    }
}

const FIELDS: [AcousticField; 3] = [AcousticField::Pressure, AcousticField::Velocity(0), AcousticField::Velocity(2)];

/// Heights around an interface [m]: steps of 0.13 cells, the interface, faces and centres.
fn around(interface: f64) -> Vec<f64> {
    let mut heights: Vec<f64> = (-23..=23).map(|n| interface + 0.13 * H * f64::from(n)).collect();
    let face = (interface / H).floor();
    heights.extend((-6..=6).map(|n| H * (face + 0.5 * f64::from(n))));
    heights
}

#[test]
fn profile() {
    for (below, offset) in [(ROCK, 0.46), (ROCK, 0.0), (HEAVY, 0.46)] {
        let problem = Problem::plane(below, WATER, offset);
        let interface = problem.space.interface;
        for (far, field) in [(150.0, FIELDS[0]), (150.0, FIELDS[2]), (-150.0, FIELDS[0])] {
            for kind in [FIELDS[0], FIELDS[2]] {
                let receivers: Vec<Place> =
                    (-8..=8).map(|n| (kind, [612.3, 0.0, interface + H * f64::from(n) * 0.5])).collect();
                let errors = problem.errors(&[(field, [553.7, 0.0, interface + far])], &receivers);
                println!("{offset} {far} {field:?} {kind:?} {:.2?}", errors[0]);
            }
        }
    }
}

#[test]
fn explore() {
    for (name, below) in [("heavy", HEAVY), ("rock", ROCK)] {
        for offset in [0.0, 0.25, 0.46, 0.5] {
            let problem = Problem::plane(below, WATER, offset);
            let interface = problem.space.interface;
            for far in [150.0, -150.0] {
                for field in FIELDS {
                    let sources = FIELDS.map(|field| (field, [553.7, 0.0, interface + far]));
                    let receivers: Vec<Place> =
                        around(interface).into_iter().map(|z| (field, [612.3, 0.0, z])).collect();
                    let errors = problem.errors(&sources, &receivers);
                    let worst: Vec<String> = errors
                        .iter()
                        .map(|own| {
                            let (at, worst) = own.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
                            format!("{worst:.2} at {:+.2}", (receivers[at].1[2] - interface) / H)
                        })
                        .collect();
                    println!("{name} {offset} from {far} {field:?}: {worst:?}");
                }
            }
        }
    }
}
