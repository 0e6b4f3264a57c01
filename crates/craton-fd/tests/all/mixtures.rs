//! Interfaces of solids inside cells: as accurate as those between cells.

#![allow(clippy::print_stdout)] // the test prints the errors that it found

use crate::common::*;
use craton_fd::{
    Boundaries, Grid, Material, Medium, Mixture, PointSource, Probe, ProbeQuantity, Side, SourceMechanism,
};
use craton_physics::Orthorhombic;

/// Soft layer and half-space of LOH.1: vP, vS [m/s], density [kg/m³].
pub const SOFT: [f64; 3] = [4000.0, 2000.0, 2600.0];
pub const HARD: [f64; 3] = [6000.0, 3464.0, 2700.0];
/// Thickness of the layer, and edges of the box along x and z [m].
const LAYER: f64 = 1000.0;
const WIDTH: f64 = 7200.0;
const DEPTH: f64 = 3500.0;
/// Dominant frequency [Hz]: at 2.5 times it, 1000 m / 15 are twelve points per wavelength, somewhat more than the default of order 4.
const F0: f64 = 1.0;
const HALF_LENGTH: usize = 2;
/// Cells along y, which is periodic.
const ROWS: usize = 2;

pub fn material([vp, vs, rho]: [f64; 3]) -> Material {
    Material::from_speeds(vp, vs, rho)
}

/// Share of the hard solid in a volume with this bottom and top [m], where the interface is at z = 0.
fn share([bottom, top]: [f64; 2]) -> f64 {
    (-bottom / (top - bottom)).clamp(0.0, 1.0)
}

/// Averages over a volume with a share of the hard solid.
fn average(hard: f64) -> (Orthorhombic, f64) {
    let solid = |of: [f64; 3]| Orthorhombic::isotropic(material(of).lambda, material(of).mu);
    let mean = Orthorhombic::laminate(2, &[(hard, solid(HARD)), (1.0 - hard, solid(SOFT))]);
    (mean, hard * HARD[2] + (1.0 - hard) * SOFT[2])
}

/// A hard half-space below a soft one, with the interface at z = 0.
///
/// # Arguments
/// * `at` – z [m] of a place in the grid [cells]
/// * `mixed` – whether cells at the interface have orthorhombic averages
pub fn two_solids(grid: Grid, at: impl Fn(f64) -> f64 + Sync, mixed: bool) -> Medium<f64> {
    let isotropic = |[_, _, k]: [usize; 3]| {
        let (hard, soft, part) = (material(HARD), material(SOFT), share([at(k as f64), at(k as f64 + 1.0)]));
        let harmonic = |of: fn(&Material) -> f64| 1.0 / (part / of(&hard) + (1.0 - part) / of(&soft));
        let (mu, kappa) = (harmonic(|own| own.mu), harmonic(|own| own.lambda + 2.0 / 3.0 * own.mu));
        Material { lambda: kappa - 2.0 / 3.0 * mu, mu, rho: average(part).1 }
    };
    let mixture = |[_, _, k]: [usize; 3]| {
        let k = k as f64;
        let ((cell, rho), (face, face_rho)) =
            (average(share([at(k), at(k + 1.0)])), average(share([at(k - 0.5), at(k + 0.5)])));
        let near = at(k - 1.0) < 0.0 && at(k + 1.0) > 0.0;
        near.then(|| Mixture {
            normal: cell,
            shear: [face.shear[0], face.shear[1], cell.shear[2]],
            rho: [rho, rho, face_rho],
        })
    };
    let medium = Medium::<f64>::new(grid, isotropic).unwrap();
    if mixed { medium.with_mixtures(mixture) } else { medium }
}

/// Velocity at two stations on the surface every 0.02 s, of a line source with all components, with `per_layer` cells across the layer.
fn record(per_layer: f64, mixed: bool) -> Vec<f64> {
    let h = LAYER / per_layer;
    let [nx, nz] = [WIDTH, DEPTH].map(|length| (length / h) as usize);
    let top = nz as f64 * h;
    let at = |place: f64| place * h - (top - LAYER);
    let grid = cubes([nx, ROWS, nz], h);
    let medium = two_solids(grid, at, mixed);
    let side = layer(10, HARD[0], F0);
    let mut boundaries = Boundaries::all(side);
    boundaries.sides[2..4].fill(Side::Periodic);
    boundaries.sides[5] = Side::Free;
    let options = options(HALF_LENGTH, boundaries);
    let steps_per_sample =
        (0.02 / (0.8 * craton_fd::stable_step(&medium, &boundaries, &options.stencil).unwrap())).ceil();
    let (dt, steps) = (0.02 / steps_per_sample, 180 * steps_per_sample as usize);
    let moment = [1.0, 0.2, -0.5, 0.5, 0.7, 0.8].map(|part| 1e12 * h * part);
    let sources: Vec<PointSource> = (0..ROWS)
        .map(|j| PointSource {
            position: [1500.0, (j as f64 + 0.5) * h, top - 1500.0],
            mechanism: SourceMechanism::Moment(moment),
            history: (0..steps).map(|step| ricker(F0, step as f64 * dt)).collect(),
            interface: None,
        })
        .collect();
    let probes = [2500.0, 5500.0].map(|x| Probe {
        position: [x, 1.5 * h, top],
        quantity: ProbeQuantity::Velocity,
        interface: None,
    });
    let mut operator = craton_fd::FdOperator::new(&medium, &options, dt, &sources, &probes, workers(1)).unwrap();
    advance(&mut operator, steps as u64);
    let samples = operator.take_samples().unwrap();
    samples.chunks(6).step_by(steps_per_sample as usize).flatten().copied().collect()
}

/// Relative L2 difference of two records of each component of each station.
fn differences(found: &[f64], expected: &[f64]) -> Vec<f64> {
    let channel = |samples: &[f64], c: usize| samples.iter().skip(c).step_by(6).copied().collect::<Vec<f64>>();
    let square = |values: Vec<f64>| values.iter().map(|x| x * x).sum::<f64>();
    let of_channel = |c: usize| {
        let (found, expected) = (channel(found, c), channel(expected, c));
        let difference = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
        (square(difference) / square(expected)).sqrt()
    };
    (0..6).map(of_channel).collect()
}

#[test]
fn a_layer_is_accurate_wherever_its_interface_is_in_a_cell() {
    let reference = record(36.0, false);
    for offset in [0.0, 0.25, 0.5, 0.75] {
        let found = differences(&record(15.0 + offset, true), &reference);
        let worst = found.iter().fold(0.0, |worst: f64, own| worst.max(*own));
        println!("{offset}: {found:.4?}");
        assert!(worst < 0.02, "{offset}: {found:.4?}");
        if offset == 0.5 {
            let isotropic = differences(&record(15.0 + offset, false), &reference);
            let worst_before = isotropic.iter().fold(0.0, |worst: f64, own| worst.max(*own));
            assert!(worst_before > 4.0 * worst, "{worst_before}, isotropic averages");
        }
    }
}

/// A light and stiff layer between two heights, in cells, in a host: its volumes have other densities than the cells.
fn thin_layer(host: [f64; 3], [bottom, top]: [f64; 2]) -> Medium<f64> {
    let light = [6000.0, 3460.0, 1000.0];
    // Averages over the volume between two heights.
    let average = |low: f64, high: f64| {
        let part = (high.min(top) - low.max(bottom)).max(0.0) / (high - low);
        let solid = |of: [f64; 3]| Orthorhombic::isotropic(material(of).lambda, material(of).mu);
        let layers = [(part, solid(light)), (1.0 - part, solid(host))];
        (Orthorhombic::laminate(2, &layers), part * light[2] + (1.0 - part) * host[2], part)
    };
    let medium = Medium::<f64>::new(cubes([10, 10, 16], 100.0), |[_, _, k]| {
        let (.., rho, part) = average(k as f64, k as f64 + 1.0);
        let (light, host) = (material(light), material(host));
        let harmonic = |of: fn(&Material) -> f64| 1.0 / (part / of(&light) + (1.0 - part) / of(&host));
        let (mu, kappa) = (harmonic(|own| own.mu), harmonic(|own| own.lambda + 2.0 / 3.0 * own.mu));
        Material { lambda: kappa - 2.0 / 3.0 * mu, mu, rho }
    });
    medium.unwrap().with_mixtures(|[_, _, k]| {
        let k = k as f64;
        let ((cell, rho, _), (face, face_rho, _)) = (average(k, k + 1.0), average(k - 0.5, k + 0.5));
        Some(Mixture { normal: cell, shear: [face.shear[0], face.shear[1], cell.shear[2]], rho: [rho, rho, face_rho] })
    })
}

#[test]
fn thin_layers_across_faces_are_stable_at_the_limit() {
    for (host, layer) in [
        ([2000.0, 1150.0, 4000.0], [7.5, 8.5]),
        ([2000.0, 1150.0, 3000.0], [7.5, 8.5]),
        ([3000.0, 1730.0, 3000.0], [7.5, 8.5]),
        ([2000.0, 1150.0, 4000.0], [7.25, 8.25]),
        ([2000.0, 1150.0, 4000.0], [7.7, 8.2]),
        ([2000.0, 1150.0, 4000.0], [7.5, 12.5]),
    ] {
        let medium = thin_layer(host, layer);
        for half_length in [1, 2, 4, 8] {
            let mut boundaries = Boundaries::all(Side::Rigid);
            boundaries.sides[..4].fill(Side::Periodic);
            let source = PointSource {
                position: [430.0, 560.0, 790.0],
                mechanism: SourceMechanism::Moment([1e12, 2e12, -3e12, 5e12, 7e12, 8e12]),
                history: vec![1.0, 0.0].into(),
                interface: None,
            };
            let probe = |k: usize| Probe {
                position: [310.0, 220.0, (k as f64 + 0.3) * 100.0],
                quantity: ProbeQuantity::Velocity,
                interface: None,
            };
            let probes: Vec<Probe> = (0..16).map(probe).collect();
            let mut operator = at_courant(&medium, &options(half_length, boundaries), 1.0, &[source], &probes).unwrap();
            let mut peak = || {
                advance(&mut operator, 300);
                operator.take_samples().unwrap().iter().fold(0.0, |peak: f64, value| peak.max(value.abs()))
            };
            let (first, _, last) = (peak(), peak(), peak());
            assert!(last < 2.0 * first, "{host:?}, {layer:?}, half-length {half_length}: {first:e}, {last:e}");
        }
    }
}
