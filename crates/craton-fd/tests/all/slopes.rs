//! Acoustic sources and receivers next to interfaces that dip, against the exact solution of two half-spaces.

#![allow(clippy::print_stdout)] // a test prints the errors that it found

use craton_fd::Grid;
use craton_fd::acoustic::{AcousticField, AcousticMedium, EffectiveFluid, Slab};
use craton_fft::Complex64;
use craton_testkit::half_spaces::{Fluid, FluidField};

use super::interfaces::{FIELDS, H, Place, Problem, ROCK, WATER, frequencies, ricker, transform};

/// A plane interface through a point.
struct Dipping {
    /// Unit vectors along and across it.
    frame: [[f64; 3]; 3],
    /// A point on it [m].
    point: [f64; 3],
    problem: Problem,
}

impl Dipping {
    /// # Arguments
    /// * `dip`, `azimuth` – of the line along which the interface rises most, from x towards y [degrees]
    fn new(dip: f64, azimuth: f64, cells: [usize; 3], point: [f64; 3]) -> Self {
        let (sin, cos) = dip.to_radians().sin_cos();
        let (east, north) = azimuth.to_radians().sin_cos();
        let frame = [[cos * north, cos * east, sin], [-east, north, 0.0], [-sin * north, -sin * east, cos]];
        let mut problem = Problem::plane(ROCK, WATER, 0.0);
        (problem.cells, problem.space.interface) = (cells, 0.0);
        Self { frame, point, problem }
    }

    fn is_plane(&self) -> bool {
        self.problem.cells[1] == 1
    }

    /// Position along and across the interface.
    fn turned(&self, position: [f64; 3]) -> [f64; 3] {
        let from = [0, 1, 2].map(|axis| position[axis] - self.point[axis]);
        self.frame.map(|vector| (0..3).map(|axis| vector[axis] * from[axis]).sum())
    }

    /// A position at a height above the interface [m].
    fn at(&self, along: f64, beside: f64, height: f64) -> [f64; 3] {
        let [one, two, normal] = self.frame;
        [0, 1, 2].map(|axis| self.point[axis] + along * one[axis] + beside * two[axis] + height * normal[axis])
    }

    fn velocities(&self) -> impl Iterator<Item = AcousticField> {
        (0..3).filter(|&axis| axis != 1 || !self.is_plane()).map(AcousticField::Velocity)
    }

    /// The components of a field along and across the interface.
    fn components(&self, field: AcousticField) -> Vec<(f64, FluidField)> {
        match field {
            AcousticField::Pressure => vec![(1.0, FluidField::Pressure)],
            AcousticField::Velocity(axis) => {
                let own = (0..3).filter(|&other| other != 1 || !self.is_plane());
                own.map(|other| (self.frame[other][axis], FluidField::Velocity(other))).collect()
            }
        }
    }

    fn exact(&self, omega: Complex64, from: Place, to: Place) -> Complex64 {
        let mut sum = Complex64::ZERO;
        for (sent, source) in self.components(from.0) {
            for (received, receiver) in self.components(to.0) {
                let places = [from.1, to.1].map(|position| self.turned(position));
                let response =
                    self.problem.space.response(self.is_plane(), omega, (source, places[0]), (receiver, places[1]));
                sum += sent * received * response;
            }
        }
        sum
    }

    /// The effective fluid of a cell, from samples; in a plane of one row of them along y.
    fn fluid(&self, cell: [usize; 3]) -> EffectiveFluid {
        const SAMPLES: usize = 12;
        let counts = [SAMPLES, if self.is_plane() { 1 } else { SAMPLES }, SAMPLES];
        let at = |part: [f64; 3]| -> Fluid {
            let position = [0, 1, 2].map(|axis| (cell[axis] as f64 + part[axis]) * H);
            let position = if self.is_plane() { [position[0], self.point[1], position[2]] } else { position };
            if self.turned(position)[2] > 0.0 { WATER } else { ROCK }
        };
        let corners = (0..8).map(|n| at([0, 1, 2].map(|axis| f64::from(n >> axis & 1))));
        let centre = at([0.5; 3]);
        if corners.into_iter().all(|fluid| fluid == centre) {
            let slab = [Slab { part: 1.0, rho: centre.rho, kappa: centre.rho * centre.vp * centre.vp }];
            return EffectiveFluid::new(centre.rho, [&slab; 3]);
        }
        let slabs = [0, 1, 2].map(|axis| -> Vec<Slab> {
            let [one, two] = [(axis + 1) % 3, (axis + 2) % 3];
            let slab = |n: usize| {
                let (mut lightness, mut compliance) = (0.0, 0.0);
                for (a, b) in (0..counts[one]).flat_map(|a| (0..counts[two]).map(move |b| (a, b))) {
                    let mut part = [0.0; 3];
                    for (axis, n) in [(axis, n), (one, a), (two, b)] {
                        part[axis] = (n as f64 + 0.5) / counts[axis] as f64;
                    }
                    let (fluid, share) = (at(part), 1.0 / (counts[one] * counts[two]) as f64);
                    lightness += share / fluid.rho;
                    compliance += share / (fluid.rho * fluid.vp * fluid.vp);
                }
                Slab { part: 1.0 / counts[axis] as f64, rho: 1.0 / lightness, kappa: 1.0 / compliance }
            };
            (0..counts[axis]).map(slab).collect()
        });
        EffectiveFluid::new(centre.rho, [&slabs[0], &slabs[1], &slabs[2]])
    }

    /// Samples of receivers, for sources that act one after the other, and the time step.
    fn record(&self, sources: &[Place], receivers: &[Place], steps: usize) -> (Vec<Vec<f64>>, f64) {
        let grid = Grid { origin: [0.0; 3], spacing: [H; 3], cells: self.problem.cells };
        let medium = AcousticMedium::<f64>::averaged(grid, |cell| self.fluid(cell)).unwrap();
        self.problem.record_in(medium, sources, receivers, steps)
    }

    /// The traces whose errors [%] exceed a limit.
    fn failures(&self, sources: &[Place], receivers: &[Place], steps: usize) -> Vec<String> {
        let (samples, dt) = self.record(sources, receivers, steps);
        let mut failures = Vec::new();
        for (&from, samples) in sources.iter().zip(&samples) {
            for (number, &to) in receivers.iter().enumerate() {
                let start = if to.0 == AcousticField::Pressure { 1.0 } else { 0.5 };
                let (mut difference, mut total) = (0.0, 0.0);
                for omega in frequencies() {
                    let discrete = 2.0 / dt * (0.5 * omega * dt).sin();
                    let sent = transform(&|n| ricker(n as f64 * dt), steps, dt, omega, 0.0);
                    let found = transform(&|n| samples[n * receivers.len() + number], steps, dt, omega, start);
                    let exact = |source, field| sent * self.exact(discrete, (source, from.1), (field, to.1));
                    difference += (found - exact(from.0, to.0)).norm_sqr();
                    // An error of a component counts relative to the whole velocity, or the response to forces along all axes.
                    total += match (from.0, to.0) {
                        (source, AcousticField::Velocity(_)) => {
                            self.velocities().map(|field| exact(source, field).norm_sqr()).sum()
                        }
                        (AcousticField::Velocity(_), field) => {
                            self.velocities().map(|source| exact(source, field).norm_sqr()).sum()
                        }
                        (source, field) => exact(source, field).norm_sqr(),
                    };
                }
                let error = 100.0 * (difference / total).sqrt();
                let [from_height, to_height] = [from.1, to.1].map(|position| self.turned(position)[2]);
                let line = format!("{:?} at {from_height:.1} m, {:?} at {to_height:.1} m: {error:.2} %", from.0, to.0);
                println!("{line}");
                if error > LIMIT {
                    failures.push(line);
                }
            }
        }
        failures
    }
}

/// Largest error of a trace [%].
const LIMIT: f64 = 1.2;
/// Distances from an interface [m], from 0.05 to six cells.
const HEIGHTS: [f64; 11] = [-60.0, -30.0, -21.0, -10.0, -3.0, 0.5, 3.0, 10.0, 18.0, 30.0, 45.0];

#[test]
fn receivers_next_to_a_dipping_interface_are_accurate() {
    let failures = [8.0, 20.0, 45.0, 70.0].map(|dip| {
        println!("dip of {dip} degrees");
        let space = Dipping::new(dip, 0.0, [110, 1, 100], [551.0, 0.0, 503.0]);
        let sources = [-150.0, 150.0].map(|height| (AcousticField::Pressure, space.at(0.0, 0.0, height)));
        let receivers: Vec<Place> =
            FIELDS.iter().flat_map(|&field| HEIGHTS.map(|height| (field, space.at(60.0, 0.0, height)))).collect();
        space.failures(&sources, &receivers, 500)
    });
    assert!(failures.iter().all(Vec::is_empty), "{failures:#?}");
}

#[test]
fn sources_next_to_a_dipping_interface_are_accurate() {
    let space = Dipping::new(20.0, 0.0, [110, 1, 100], [551.0, 0.0, 503.0]);
    let heights = [-10.0, -3.0, -0.5, 0.5, 3.0, 10.0];
    let sources: Vec<Place> =
        FIELDS.iter().flat_map(|&field| heights.map(|height| (field, space.at(7.0, 0.0, height)))).collect();
    let receivers = [-150.0, 150.0].map(|height| (AcousticField::Pressure, space.at(60.0, 0.0, height)));
    let failures = space.failures(&sources, &receivers, 500);
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn receivers_next_to_a_dipping_interface_in_space_are_accurate() {
    let space = Dipping::new(25.0, 30.0, [64, 60, 64], [321.0, 303.0, 317.0]);
    let source = (AcousticField::Pressure, space.at(0.0, 0.0, 130.0));
    let fields = FIELDS.into_iter().chain([AcousticField::Velocity(1)]);
    let receivers: Vec<Place> =
        fields.flat_map(|field| [-8.0, 1.5, 6.0, 14.0].map(|height| (field, space.at(35.0, 28.0, height)))).collect();
    let failures = space.failures(&[source], &receivers, 400);
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn forces_next_to_a_dipping_interface_are_reciprocal() {
    let space = Dipping::new(20.0, 0.0, [110, 1, 100], [551.0, 0.0, 503.0]);
    let far = (FIELDS[2], space.at(0.0, 0.0, 150.0));
    for (field, height) in [(FIELDS[1], 3.0), (FIELDS[1], -8.0), (FIELDS[2], 0.5), (FIELDS[2], 18.0)] {
        let near = (field, space.at(60.0, 0.0, height));
        let [there, back] = [[far, near], [near, far]].map(|[from, to]| space.record(&[from], &[to], 150).0.remove(0));
        let largest = there.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let difference = there.iter().zip(&back).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-9 * largest, "{field:?} at {height} m: {difference} of {largest}");
    }
}
