//! Plane waves at oblique incidence on the sea bottom, compared with the Zoeppritz coefficients.
//!
//! The problem is periodic along x with the wavelength 2 pi / k, and a sheet of explosions of amplitude cos(k x) emits waves of that wavenumber up and
//! down, each frequency at its angle sin(theta) = k c / omega. Spectra are taken at omega - i epsilon, so that the truncation of the record is negligible;
//! the exact coefficients are those at the same complex frequency.

use std::f64::consts::TAU;

use crate::common::*;
use craton_fd::{Boundaries, FdOperator, Material, Medium, PointSource, Probe, ProbeQuantity, Side, SourceMechanism};
use craton_fft::Complex64;

const H: f64 = 2.5;
/// Cells along x and z. Along the periodic axis y there are as few as the stencil allows.
const CELLS: [usize; 2] = [120, 170];
/// Height of the sea bottom [cells], and of the sheet of sources and the receivers in the water and in the rock [m].
const BOTTOM: usize = 60;
const SOURCE: f64 = 271.25;
const RECEIVERS: [f64; 2] = [221.25, 101.25];
/// Steps, their length [s], the damping of the spectra [1/s] and the frequency of the pulse [Hz].
const STEPS: usize = 1600;
const DT: f64 = 4e-4;
const DAMPING: f64 = 12.0;
const F0: f64 = 18.0;
/// Speeds [m/s] and density [kg/m³] of the rock below, which transmits P waves at angles up to 37 degrees.
const BELOW: [f64; 3] = [2500.0, 1200.0, 2000.0];

fn wavenumber() -> f64 {
    TAU / (CELLS[0] as f64 * H)
}

/// Rates of dilatation at both receivers, with rock below the bottom or water everywhere.
fn dilatations(half_length: usize, below: Material) -> [Vec<f64>; 2] {
    let grid = cubes([CELLS[0], half_length, CELLS[1]], H);
    let medium = Medium::<f32>::new(grid, |[_, _, k]| if k < BOTTOM { below } else { water() }).unwrap();
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].fill(layer(20, BELOW[0], F0));
    let history: Vec<f64> = (0..STEPS).map(|n| ricker(F0, n as f64 * DT)).collect();
    let source = |i: usize| {
        let x = (i as f64 + 0.5) * H;
        let moment = 1e9 * (wavenumber() * x).cos();
        let mechanism = SourceMechanism::Moment([moment, moment, moment, 0.0, 0.0, 0.0]);
        PointSource { position: [x, 1.5 * H, SOURCE], mechanism, history: history.clone().into(), interface: None }
    };
    let sources: Vec<_> = (0..CELLS[0]).map(source).collect();
    let probes = RECEIVERS.map(|z| Probe {
        position: [0.5 * H, 1.5 * H, z],
        quantity: ProbeQuantity::Gradient,
        interface: None,
    });
    let options = options(half_length, boundaries);
    let mut operator = FdOperator::new(&medium, &options, DT, &sources, &probes, workers(1)).unwrap();
    advance(&mut operator, STEPS as u64);
    let samples = operator.take_samples().unwrap();
    let dilatation = |gradient: &[f32]| f64::from(gradient[0]) + f64::from(gradient[4]) + f64::from(gradient[8]);
    [0, 9].map(|first| samples.chunks(18).map(|row| dilatation(&row[first..first + 9])).collect())
}

fn spectrum(trace: &[f64], omega: Complex64) -> Complex64 {
    let term = |(n, &value): (usize, &f64)| value * (-Complex64::i() * omega * (n as f64 * DT)).exp();
    trace.iter().enumerate().map(term).sum()
}

/// Vertical wavenumber of waves with this speed, which decay in the direction of propagation.
fn vertical(omega: Complex64, speed: f64) -> Complex64 {
    let square = (omega / speed).powi(2) - wavenumber().powi(2);
    let root = square.sqrt();
    if root.im > 0.0 { -root } else { root }
}

/// Reflected and transmitted dilatation relative to the incident one: vertical displacement and traction are continuous, shear traction is zero.
fn exact(omega: Complex64) -> [Complex64; 2] {
    let (Material { rho: rho_water, .. }, [vp, vs, rho]) = (water(), BELOW);
    let (k, mu) = (wavenumber(), rho * vs * vs);
    let [water, p, s] = [1500.0, vp, vs].map(|speed| vertical(omega, speed));
    let shear = -2.0 * k * p / (s * s - k * k);
    let traction = -rho * omega * omega + 2.0 * mu * k * (k + s * shear);
    let q = traction * water / ((p - k * shear) * rho_water * omega * omega);
    let reflected = (q + 1.0) / (q - 1.0);
    let passed = water * (1.0 - reflected) / (p - k * shear);
    [reflected, passed * (1500.0 / vp).powi(2)]
}

#[test]
fn the_sea_bottom_has_the_zoeppritz_coefficients_at_oblique_incidence() {
    let below = Material::from_speeds(BELOW[0], BELOW[1], BELOW[2]);
    for half_length in [2, 4] {
        let [incident, _] = dilatations(half_length, water());
        let [above, passed] = dilatations(half_length, below);
        let reflected: Vec<f64> = above.iter().zip(&incident).map(|(all, incident)| all - incident).collect();
        for degrees in [10.0_f64, 20.0, 30.0] {
            let omega = Complex64::new(1500.0 * wavenumber() / degrees.to_radians().sin(), -DAMPING);
            let bottom = BOTTOM as f64 * H;
            let along = |speed: f64, way: f64| (-Complex64::i() * vertical(omega, speed) * way).exp();
            let at_bottom = spectrum(&incident, omega) * along(1500.0, RECEIVERS[0] - bottom);
            let found = [
                spectrum(&reflected, omega) / along(1500.0, RECEIVERS[0] - bottom) / at_bottom,
                spectrum(&passed, omega) / along(BELOW[0], bottom - RECEIVERS[1]) / at_bottom,
            ];
            for (found, exact) in found.into_iter().zip(exact(omega)) {
                let error = (found - exact).norm() / exact.norm();
                assert!(error < 0.01, "{half_length} {degrees}: {found} {exact} {error}");
            }
        }
    }
}
