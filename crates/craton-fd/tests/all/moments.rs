//! Moments next to an interface of two solids: they have the amplitude of the side that they are on.

#![allow(clippy::print_stdout)] // the test prints the errors that it found

use crate::common::*;
use crate::mixtures::{HARD, SOFT, material, two_solids};
use craton_fd::{Boundaries, FdOperator, PointSource, Probe, ProbeQuantity, Side, SolidInterface, SourceMechanism};
use craton_testkit::full_space::Gaussian;

/// Edge of a cell [m], twelve points per shortest wavelength.
const H: f64 = 66.0;
/// Cells along x and y, which are periodic, and along z.
const CELLS: [usize; 3] = [2, 2, 300];
const GAUSSIAN: Gaussian = Gaussian { sigma: 0.193, centre: 0.8 };
/// Heights of the receivers above the interface [cells].
const RECEIVERS: [f64; 2] = [20.3, -20.6];
const STRENGTH: f64 = 1e12;

/// A sheet of moments at a height [m] above the interface, that opens it along z, or shears it along x.
struct Sheet {
    height: f64,
    opens: bool,
}

/// The interface, as a source or probe at a height above it knows it.
fn interface_at(height: f64) -> SolidInterface {
    let side = material(if height > 0.0 { SOFT } else { HARD });
    SolidInterface { normal: [0.0, 0.0, 1.0], moduli: [side.lambda, side.mu] }
}

impl Sheet {
    /// Samples of probes at x = 40 m and y = 50 m, and the time step.
    ///
    /// # Arguments
    /// * `offset` – of the interface above a face [cells]
    /// * `told` – whether sources and probes know the interface
    /// * `heights` – of the probes above the interface [m]
    fn record(&self, offset: f64, told: bool, heights: &[f64], quantity: ProbeQuantity) -> (Vec<f64>, f64) {
        let interface = (150.0 + offset) * H;
        let at = |place: f64| place * H - interface;
        let medium = two_solids(cubes(CELLS, H), at, true);
        let mut boundaries = Boundaries::all(Side::Rigid);
        boundaries.sides[..4].fill(Side::Periodic);
        let options = options(2, boundaries);
        let end = 2.0;
        let stable = craton_fd::stable_step(&medium, &boundaries, &options.stencil).unwrap();
        let steps = (end / (0.5 * stable)).ceil();
        let dt = end / steps;
        let mut moment = [0.0; 6];
        moment[if self.opens { 2 } else { 4 }] = STRENGTH * H * H;
        let source = |number: usize| PointSource {
            position: [(number % 2) as f64 * H + 11.0, (number / 2) as f64 * H + 23.0, interface + self.height],
            mechanism: SourceMechanism::Moment(moment),
            history: (0..steps as usize).map(|n| GAUSSIAN.step_value(n as f64 * dt)).collect(),
            interface: told.then(|| interface_at(self.height)),
        };
        let sources: Vec<PointSource> = (0..4).map(source).collect();
        let probe = |&height: &f64| Probe {
            position: [40.0, 50.0, interface + height],
            quantity,
            interface: told.then(|| interface_at(height)),
        };
        let probes: Vec<Probe> = heights.iter().map(probe).collect();
        let mut operator = FdOperator::new(&medium, &options, dt, &sources, &probes, workers(1)).unwrap();
        advance(&mut operator, steps as u64);
        (operator.take_samples().unwrap(), dt)
    }

    /// Relative L2 of the velocity at both receivers against the plane waves of the sheet.
    fn error(&self, offset: f64, told: bool) -> f64 {
        let (samples, dt) = self.record(offset, told, &RECEIVERS.map(|cells| cells * H), ProbeQuantity::Velocity);
        let component = if self.opens { 2 } else { 0 };
        let exact = |n: usize, receiver: usize| self.exact(RECEIVERS[receiver] * H, (n as f64 + 0.5) * dt);
        let rows = samples.chunks(6).enumerate();
        relative_l2(rows.flat_map(|(n, row)| [0, 1].map(|own| (row[3 * own + component], exact(n, own)))))
    }

    /// The same of the derivative of velocity along z at one of some probes.
    fn errors_of_gradient(&self, offset: f64, told: bool, heights: &[f64]) -> Vec<f64> {
        let (samples, dt) = self.record(offset, told, heights, ProbeQuantity::Gradient);
        let channel = if self.opens { 8 } else { 2 };
        let step = 1e-3 * H;
        let of_probe = |(own, &height): (usize, &f64)| {
            let away = if height > 0.0 { step } else { -step };
            let exact = |n: usize| {
                let at = |steps: f64| self.exact(height + steps * away, (n as f64 + 0.5) * dt);
                (4.0 * at(1.0) - at(2.0) - 3.0 * at(0.0)) / (2.0 * away)
            };
            let rows = samples.chunks(9 * heights.len()).enumerate();
            relative_l2(rows.map(|(n, row)| (row[9 * own + channel], exact(n))))
        };
        heights.iter().enumerate().map(of_probe).collect()
    }

    /// Velocity at a height [m] above the interface.
    fn exact(&self, z: f64, t: f64) -> f64 {
        let speed = |of: [f64; 3]| if self.opens { of[0] } else { of[1] };
        let (own, other) = if self.height > 0.0 { (SOFT, HARD) } else { (HARD, SOFT) };
        let (c, own_impedance, other_impedance) = (speed(own), own[2] * speed(own), other[2] * speed(other));
        let to_interface = self.height.abs() / c;
        let pulse = |delay: f64| GAUSSIAN.value(t - delay);
        // Velocity jumps by this pulse across the sheet, with half of it on either side.
        let half = 0.5 * STRENGTH / (own[2] * c * c);
        if (z > 0.0) == (self.height > 0.0) {
            let reflection = (own_impedance - other_impedance) / (own_impedance + other_impedance);
            let away = (z - self.height).signum();
            half * (away * pulse((z - self.height).abs() / c)
                - z.signum() * reflection * pulse(z.abs() / c + to_interface))
        } else {
            let transmission = 2.0 * own_impedance / (own_impedance + other_impedance);
            half * z.signum() * transmission * pulse(to_interface + z.abs() / speed(other))
        }
    }
}

/// Of pairs of a found and an exact value.
fn relative_l2(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut difference, mut square) = (0.0, 0.0);
    for (found, exact) in pairs {
        difference += (found - exact).powi(2);
        square += exact * exact;
    }
    (difference / square).sqrt()
}

/// Offsets of an interface above a face, and heights on both sides of it [cells].
const OFFSETS: [f64; 2] = [0.0, 0.3];
const HEIGHTS: [f64; 6] = [1e-6, -1e-6, 0.3, -0.3, 1.0, -1.0];

#[test]
fn moments_have_the_amplitude_of_their_side() {
    for opens in [true, false] {
        for (offset, cells) in OFFSETS.into_iter().flat_map(|offset| HEIGHTS.map(|cells| (offset, cells))) {
            let error = Sheet { height: cells * H, opens }.error(offset, true);
            println!("opens {opens}, interface at {offset}, {cells} cells above it: {:.2} %", 100.0 * error);
            assert!(error < 0.005, "opens {opens}, interface at {offset}, {cells} cells above it: {error}");
        }
    }
    let unknown = Sheet { height: -1e-6, opens: false }.error(0.0, false);
    assert!(unknown > 0.5, "{unknown}, acting on both sides");
}

#[test]
fn gradients_next_to_an_interface_are_those_of_their_side() {
    for (opens, offset) in [true, false].into_iter().flat_map(|opens| OFFSETS.map(|offset| (opens, offset))) {
        for height in [15.2 * H, -15.2 * H] {
            let sheet = Sheet { height, opens };
            let heights = HEIGHTS.map(|cells| cells * H);
            for (cells, error) in HEIGHTS.iter().zip(sheet.errors_of_gradient(offset, true, &heights)) {
                println!("opens {opens}, interface at {offset}, {cells} cells above it: {:.2} %", 100.0 * error);
                assert!(error < 0.02, "opens {opens}, interface at {offset}, {cells} cells above it: {error}");
            }
        }
    }
    let unknown = Sheet { height: 15.2 * H, opens: false }.errors_of_gradient(0.0, false, &[-1e-6 * H]);
    assert!(unknown[0] > 0.3, "{unknown:?}, sampled on both sides");
}
