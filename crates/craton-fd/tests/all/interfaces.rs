//! Acoustic sources and receivers next to jumps of density, and interfaces inside cells, against the exact solution of two half-spaces.
//!
//! The transform of a trace at a complex frequency ω is that of the exact solution at (2/dt) sin(ω dt/2), so that errors of the time step vanish.

#![allow(clippy::print_stdout)] // a test prints the errors that it found

use std::f64::consts::PI;
use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticMedium, AcousticOperator, AcousticOptions, Drive, EffectiveFluid, Listener, Placed, Slab,
    WaveEquation,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_fft::Complex64;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_testkit::half_spaces::{Fluid, FluidField, FluidHalfSpaces};

pub const WATER: Fluid = Fluid { vp: 1500.0, rho: 1000.0 };
const HEAVY: Fluid = Fluid { vp: 1500.0, rho: 2500.0 };
pub const ROCK: Fluid = Fluid { vp: 2500.0, rho: 2200.0 };
/// As dense as water.
const FAST: Fluid = Fluid { vp: 2500.0, rho: 1000.0 };
/// Edge of a cell [m]: ten points per wavelength of water at 15 Hz, the default of order 4.
pub const H: f64 = 10.0;
/// Peak frequency of the source [Hz] and damping of the traces [1/s].
const PEAK: f64 = 6.0;
const DAMPING: f64 = 6.0;

/// A place: field and position [m].
pub type Place = (AcousticField, [f64; 3]);

/// A layered problem in a box whose interface is in its middle.
#[derive(Clone)]
pub struct Problem {
    pub space: FluidHalfSpaces,
    pub cells: [usize; 3],
    pub half_length: usize,
    pub h: f64,
}

impl Problem {
    /// A plane with an interface some cells above the lower face of a cell.
    pub fn plane(below: Fluid, above: Fluid, offset: f64) -> Self {
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
        let medium = AcousticMedium::averaged(grid, |cell| self.fluid(cell)).unwrap();
        self.record_in(medium, sources, receivers, steps)
    }

    /// The same in a given medium.
    pub fn record_in(
        &self,
        medium: AcousticMedium<f64>,
        sources: &[Place],
        receivers: &[Place],
        steps: usize,
    ) -> (Vec<Vec<f64>>, f64) {
        let medium = Arc::new(medium);
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
            equation: WaveEquation::FirstOrder,
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
        let is_plane = self.cells[1] == 1;
        let error = |source: usize, receiver: usize| {
            let (from, to) = (sources[source], receivers[receiver]);
            let start = if to.0 == AcousticField::Pressure { 1.0 } else { 0.5 };
            let (mut difference, mut total) = (0.0, 0.0);
            for omega in frequencies() {
                let sent = transform(&|n| ricker(n as f64 * dt), steps, dt, omega, 0.0);
                let found = transform(&|n| samples[source][n * count + receiver], steps, dt, omega, start);
                let discrete = 2.0 / dt * (0.5 * omega * dt).sin();
                let exact = sent * self.space.response(is_plane, discrete, (of(from.0), from.1), (of(to.0), to.1));
                difference += (found - exact).norm_sqr();
                total += exact.norm_sqr();
            }
            100.0 * (difference / total).sqrt()
        };
        (0..sources.len()).map(|source| (0..count).map(|receiver| error(source, receiver)).collect()).collect()
    }
}

/// The frequencies at which traces are compared.
pub fn frequencies() -> impl Iterator<Item = Complex64> {
    (1..=5).map(|n| Complex64::new(PI * 6.0 * f64::from(n), DAMPING))
}

/// Σ u(t) exp(iωt) over the times (n + start) dt.
pub fn transform(sample: &dyn Fn(usize) -> f64, count: usize, dt: f64, omega: Complex64, start: f64) -> Complex64 {
    (0..count).map(|n| sample(n) * (Complex64::I * omega * dt * (n as f64 + start)).exp()).sum()
}

pub fn ricker(t: f64) -> f64 {
    let a = (PI * PEAK * (t - 1.2 / PEAK)).powi(2);
    (1.0 - 2.0 * a) * (-a).exp()
}

pub fn of(field: AcousticField) -> FluidField {
    match field {
        AcousticField::Pressure => FluidField::Pressure,
        AcousticField::Velocity(axis) => FluidField::Velocity(axis),
    }
}

pub const FIELDS: [AcousticField; 3] =
    [AcousticField::Pressure, AcousticField::Velocity(0), AcousticField::Velocity(2)];

/// Heights around an interface [m]: on both sides up to three cells, on it, on faces and on centres.
fn around(interface: f64) -> Vec<f64> {
    let mut heights: Vec<f64> = (-11..=11).map(|n| interface + 0.26 * H * f64::from(n)).collect();
    let face = (interface / H).floor();
    heights.extend((-2..=3).map(|n| H * (face + 0.5 * f64::from(n))));
    heights.extend([-0.13, -1e-3, 1e-3, 0.13].map(|part| interface + part * H));
    heights
}

/// Asserts that receivers near the interface are accurate, for sources above and below it.
fn assert_receivers(problem: &Problem, name: &str, limit: f64) {
    let interface = problem.space.interface;
    for far in [15.0, -15.0].map(|cells| interface + cells * H) {
        let sources = FIELDS.map(|field| (field, [553.7, 0.0, far]));
        let receivers: Vec<Place> = FIELDS
            .iter()
            .flat_map(|&field| around(interface).into_iter().map(move |z| (field, [612.3, 0.0, z])))
            .collect();
        let errors = problem.errors(&sources, &receivers);
        for (source, errors) in sources.iter().zip(&errors) {
            for field in FIELDS {
                let own = receivers.iter().zip(errors).filter(|((own, _), _)| *own == field);
                let ((_, at), worst) = own.max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
                let cells = (at[2] - interface) / H;
                println!("{name}, {:?} from {far} to {field:?}: {worst:.2} % at {cells:+.2} cells", source.0);
                assert!(*worst < limit, "{name}, {:?} from {far} to {field:?}: {worst} % at {cells} cells", source.0);
            }
        }
    }
}

#[test]
fn receivers_next_to_a_jump_of_density_are_accurate() {
    for offset in [0.0, 0.25, 0.46, 0.5] {
        assert_receivers(&Problem::plane(HEAVY, WATER, offset), &format!("offset {offset}"), 0.7);
    }
}

#[test]
fn receivers_next_to_the_sea_bottom_are_accurate() {
    for offset in [0.0, 0.25, 0.46, 0.5] {
        assert_receivers(&Problem::plane(ROCK, WATER, offset), &format!("offset {offset}"), 0.8);
    }
}

#[test]
fn receivers_next_to_a_jump_of_speed_alone_are_accurate() {
    for offset in [0.0, 0.1, 0.25, 0.46, 0.5, 0.75] {
        assert_receivers(&Problem::plane(FAST, WATER, offset), &format!("offset {offset}"), 0.8);
    }
}

#[test]
fn sources_next_to_an_interface_are_accurate() {
    for (below, offset) in [(HEAVY, 0.0), (ROCK, 0.0), (ROCK, 0.3), (FAST, 0.4)] {
        let problem = Problem::plane(below, WATER, offset);
        let interface = problem.space.interface;
        let heights = [-2.6, -0.5, -0.13, 0.0, 0.13, 0.5, 1.3].map(|cells| interface + cells * H);
        let sources: Vec<Place> = FIELDS.iter().flat_map(|&field| heights.map(|z| (field, [553.7, 0.0, z]))).collect();
        let receivers: Vec<Place> =
            FIELDS.iter().flat_map(|&field| [15.0, -15.0].map(|z| (field, [612.3, 0.0, interface + z * H]))).collect();
        for (source, errors) in sources.iter().zip(problem.errors(&sources, &receivers)) {
            let worst = errors.into_iter().fold(0.0, f64::max);
            println!("offset {offset}: {source:?} {worst:.2} %");
            assert!(worst < 0.8, "offset {offset}: {source:?}: {worst} %");
        }
    }
}

#[test]
fn a_thin_layer_of_water_below_a_free_top_is_accurate() {
    for (cells, offset) in [(56, 0.0), (56, 0.4), (53, 0.25)] {
        let mut problem = Problem::plane(ROCK, WATER, offset);
        problem.cells[2] = cells;
        problem.space.top = Some(cells as f64 * H);
        let interface = problem.space.interface;
        let heights = [-1.2, 0.0, 0.2, 0.7, 1.5].map(|part| interface + part * H);
        let sources = FIELDS.map(|field| (field, [553.7, 0.0, interface - 15.0 * H]));
        let receivers: Vec<Place> =
            FIELDS.iter().flat_map(|&field| heights.map(|z| (field, [612.3, 0.0, z]))).collect();
        for (source, errors) in sources.iter().zip(problem.errors(&sources, &receivers)) {
            for (receiver, error) in receivers.iter().zip(errors) {
                println!("{cells} {offset}: {:?} {receiver:?} {error:.2} %", source.0);
                assert!(error < 1.0, "{cells} {offset}: {:?} {receiver:?}: {error} %", source.0);
            }
        }
    }
}

#[test]
fn receivers_next_to_an_interface_in_space_are_accurate() {
    let mut problem = Problem::plane(ROCK, WATER, 0.3);
    problem.cells = [64, 60, 64];
    problem.space.interface = 30.3 * H;
    let interface = problem.space.interface;
    let sources = [(AcousticField::Pressure, [303.7, 281.0, interface + 13.0 * H])];
    let fields = FIELDS.into_iter().chain([AcousticField::Velocity(1)]);
    let heights = [-0.7, -0.13, 0.0, 0.3, 1.2].map(|part| interface + part * H);
    let receivers: Vec<Place> = fields.flat_map(|field| heights.map(|z| (field, [352.3, 326.5, z]))).collect();
    for (receiver, error) in receivers.iter().zip(&problem.errors(&sources, &receivers)[0]) {
        println!("{receiver:?} {error:.2} %");
        assert!(*error < 0.8, "{receiver:?}: {error} %");
    }
}

#[test]
fn sources_and_receivers_next_to_interfaces_are_reciprocal() {
    for (below, offset) in [(HEAVY, 0.0), (ROCK, 0.3)] {
        let problem = Problem::plane(below, WATER, offset);
        let z = problem.space.interface;
        let [a, b] = [[553.7, 0.0, z + 0.2 * H], [642.3, 0.0, z - 0.4 * H]];
        let [rho_a, rho_b] = [WATER.rho, below.rho];
        let record = |from: Place, to: Place| problem.record(&[from], &[to], 120).0.remove(0);
        for (one, other) in [(0, 0), (1, 1), (2, 2), (1, 2)] {
            let (one, other) = (FIELDS[one], FIELDS[other]);
            let [there, back] = [record((one, a), (other, b)), record((other, b), (one, a))];
            // The amplitude of a monopole is proportional to density.
            let scale = if one == AcousticField::Pressure { rho_a / rho_b } else { 1.0 };
            let largest = there.iter().fold(0.0_f64, |most, x| most.max(x.abs())) * scale;
            let difference = there.iter().zip(&back).map(|(x, y)| (scale * x - y).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-9 * largest, "{one:?} {other:?}: {difference} of {largest}");
        }
    }
}

/// Relative L2 errors of reflections in percent, for an interface at some height in a cell of edge `h` and receivers at some distances beside the source.
fn reflection_errors(below: Fluid, h: f64, offset: f64, half_length: usize, beside: &[f64]) -> Vec<f64> {
    let width = 1100.0 + beside.iter().copied().fold(0.0, f64::max);
    let cells = [(width / h) as usize, 1, (1000.0 / h) as usize];
    let space = FluidHalfSpaces { below, above: WATER, interface: 500.0 + offset * h, top: None };
    let problem = Problem { space, cells, half_length, h };
    let source = (AcousticField::Pressure, [553.7, 0.0, space.interface + 150.0]);
    let receiver = |x: &f64| (AcousticField::Pressure, [553.7 + x, 0.0, space.interface + 45.0]);
    let receivers: Vec<Place> = beside.iter().map(receiver).collect();
    let whole = problem.errors(&[source], &receivers).remove(0);
    let direct = FluidHalfSpaces { below: WATER, ..space };
    let part = |&(field, position): &Place| {
        // The share of the reflection in the pressure.
        let (mut reflected, mut total) = (0.0, 0.0);
        for omega in frequencies() {
            let of =
                |space: FluidHalfSpaces| space.response(true, omega, (of(source.0), source.1), (of(field), position));
            let sent = transform(&|n| ricker(n as f64 * 1e-3), 2000, 1e-3, omega, 0.0);
            reflected += (sent * (of(space) - of(direct))).norm_sqr();
            total += (sent * of(space)).norm_sqr();
        }
        (reflected / total).sqrt()
    };
    receivers.iter().zip(whole).map(|(receiver, error)| error / part(receiver)).collect()
}

/// The largest of these errors next to the source.
fn reflection_error(below: Fluid, h: f64, offset: f64, half_length: usize) -> f64 {
    reflection_errors(below, h, offset, half_length, &[0.0, 55.0, 120.0]).into_iter().fold(0.0, f64::max)
}

#[test]
fn a_reflection_is_accurate_wherever_the_interface_is_in_a_cell() {
    for below in [HEAVY, ROCK] {
        for offset in [0.0, 0.25, 0.46, 0.5] {
            let [coarse, fine] = [10.0, 5.0].map(|h| reflection_error(below, h, offset, 2));
            println!("density {}, offset {offset}: {coarse:.2} and {fine:.2} %", below.rho);
            assert!(coarse < 1.0 && fine < 0.4 * coarse, "density {}, offset {offset}: {coarse} {fine}", below.rho);
        }
    }
}

#[test]
fn reflections_with_six_points_per_wavelength_have_an_error_of_second_order() {
    // The default of order 8, for a peak frequency of 0.4 times the highest one, which is 15 Hz.
    let h = 1500.0 / 15.0 / 6.0;
    for (below, limit) in [(HEAVY, 4.0), (ROCK, 4.0), (FAST, 4.0)] {
        for offset in [0.0, 0.25, 0.5, 0.75] {
            let beside = [0.0, 150.0, 300.0, 900.0];
            let [coarse, fine] = [h, 0.5 * h].map(|h| reflection_errors(below, h, offset, 4, &beside));
            println!("{below:?}, offset {offset}: {coarse:.2?} and {fine:.2?} %");
            for (coarse, fine) in coarse.into_iter().zip(fine) {
                assert!(coarse < limit && fine < 0.4 * coarse.max(0.5), "{below:?}, offset {offset}: {coarse} {fine}");
            }
        }
    }
}
