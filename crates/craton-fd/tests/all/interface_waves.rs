//! Speeds of waves along flat interfaces: Rayleigh waves of a free surface and Scholte waves of the sea bottom.
//!
//! A wave of one wavelength fills a box that is periodic along x. It starts with the fields of the exact solution, and its phase is measured after two
//! periods.

use std::f64::consts::TAU;

use crate::common::*;
use craton_fd::{Boundaries, FdOperator, Field, Material, Medium, Side};
use craton_numerics::staggered::GridPoints;

const H: f64 = 10.0;
const WATER: [f64; 2] = [1500.0, 1020.0];
const SOLID: [f64; 3] = [3200.0, 1847.5, 2200.0];

/// A wave along the interface z = 0 between a solid below and air or water above, of unit P potential.
struct Wave {
    k: f64,
    speed: f64,
    /// Decay [1/m] of P and S waves in the solid and of sound in the water.
    decay: [f64; 3],
    /// Amplitude of the S potential, and of that of the water, relative to P.
    amplitudes: [f64; 2],
}

impl Wave {
    fn new(wavelength: f64, has_water: bool) -> Self {
        let k = TAU / wavelength;
        let root = |c: f64, speed: f64| (1.0 - (c / speed).powi(2)).sqrt();
        let secular = |c: f64| {
            let [p, s] = [SOLID[0], SOLID[1]].map(|speed| root(c, speed));
            let rayleigh = (2.0 - (c / SOLID[1]).powi(2)).powi(2) - 4.0 * p * s;
            let load = WATER[1] / SOLID[2] * (c / SOLID[1]).powi(4) * p / root(c, WATER[0]);
            rayleigh + if has_water { load } else { 0.0 }
        };
        let (mut low, mut high) = (700.0, if has_water { WATER[0] } else { SOLID[1] } - 1e-6);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if secular(middle) < 0.0 { low = middle } else { high = middle }
        }
        let decay = [SOLID[0], SOLID[1], WATER[0]].map(|speed| if low < speed { k * root(low, speed) } else { 0.0 });
        let [p, s, water] = decay;
        let shear = 2.0 * k * p / (s * s + k * k);
        let of_water = if has_water { (k * shear - p) / water } else { 0.0 };
        Self { k, speed: low, decay, amplitudes: [shear, of_water] }
    }

    /// Amplitudes of the horizontal and vertical displacement at a height, and their derivatives along z.
    fn displacement(&self, z: f64) -> [[f64; 2]; 2] {
        let Self { k, decay: [p, s, water], amplitudes: [shear, of_water], .. } = *self;
        if z > 0.0 {
            let sound = of_water * (-water * z).exp();
            return [[k * sound, -water * sound], [-water * k * sound, water * water * sound]];
        }
        let (of_p, of_s) = ((p * z).exp(), shear * (s * z).exp());
        let value = [k * of_p - s * of_s, p * of_p - k * of_s];
        [value, [p * k * of_p - s * s * of_s, p * p * of_p - s * k * of_s]]
    }

    /// A field at a position and time.
    fn value(&self, field: Field, [x, z]: [f64; 2], time: f64) -> f64 {
        let (k, omega) = (self.k, self.k * self.speed);
        let (sin, cos) = (k * x - omega * time).sin_cos();
        let [[u, w], [u_z, w_z]] = self.displacement(z);
        let Material { lambda, mu, .. } = if z > 0.0 { fluid() } else { solid() };
        let dilatation = w_z - k * u;
        match field {
            Field::Velocity(0) => omega * u * cos,
            Field::Velocity(2) => omega * w * sin,
            Field::Stress(0) => (lambda * dilatation - 2.0 * mu * k * u) * cos,
            Field::Stress(1) => lambda * dilatation * cos,
            Field::Stress(2) => (lambda * dilatation + 2.0 * mu * w_z) * cos,
            Field::Stress(4) => -mu * (u_z + k * w) * sin,
            _ => 0.0,
        }
    }
}

fn solid() -> Material {
    Material::from_speeds(SOLID[0], SOLID[1], SOLID[2])
}

fn fluid() -> Material {
    Material::from_speeds(WATER[0], 0.0, WATER[1])
}

/// Relative error of the speed with a number of cells per wavelength.
fn speed_error(half_length: usize, cells: usize, has_water: bool) -> f64 {
    let wave = Wave::new(cells as f64 * H, has_water);
    // Two wavelengths of each medium, at least what a flat interface needs.
    let depth = (2 * cells).max(32);
    let grid = cubes([cells, half_length, if has_water { 3 * depth } else { depth }], H);
    let medium = Medium::<f64>::new(grid, |[_, _, k]| if k < depth { solid() } else { fluid() }).unwrap();
    let mut boundaries = Boundaries::all(Side::Periodic);
    boundaries.sides[4..].copy_from_slice(&[Side::Rigid, if has_water { Side::Rigid } else { Side::Free }]);
    let mut operator = at_courant(&medium, &options(half_length, boundaries), 0.3, &[], &[]).unwrap();
    let mut saved = Saved::of(&mut operator);
    for (index, field) in Field::ALL.into_iter().enumerate() {
        let (shape, points) = (operator.shape(field), field.points());
        let time = if matches!(field, Field::Velocity(_)) { -0.5 * operator.dt() } else { 0.0 };
        for (number, value) in saved.arrays[index].iter_mut().enumerate() {
            let place = |axis: usize, i: usize| i as f64 + if points[axis] == GridPoints::Half { 0.5 } else { 0.0 };
            let x = place(0, number % shape[0]) * H;
            let z = (place(2, number / (shape[0] * shape[1])) - depth as f64) * H;
            *value = wave.value(field, [x, z], time);
        }
    }
    saved.restore(&mut operator);
    let before = phase(&mut operator, cells, depth);
    let period = wave.k.recip() * TAU / wave.speed;
    let steps = (2.0 * period / operator.dt()).round() as u64;
    advance(&mut operator, steps);
    let turned = TAU * steps as f64 * operator.dt() / period;
    let behind = (phase(&mut operator, cells, depth) - before - turned) % TAU;
    let behind = if behind < -0.5 * TAU { behind + TAU } else { behind };
    behind / turned
}

/// Phase of the vertical velocity along the interface.
fn phase(operator: &mut FdOperator<f64>, cells: usize, depth: usize) -> f64 {
    let [nx, ny, _] = operator.shape(Field::Velocity(2));
    let values = operator.field(Field::Velocity(2)).unwrap();
    let row = &values[nx * ny * depth..][..cells];
    let sum = |part: fn(f64) -> f64| -> f64 {
        let at = |(i, value): (usize, &f64)| value * part(TAU * (i as f64 + 0.5) / cells as f64);
        row.iter().enumerate().map(at).sum()
    };
    // The velocity is proportional to sin(k x - phase).
    (-sum(f64::cos)).atan2(sum(f64::sin))
}

#[test]
fn rayleigh_and_scholte_waves_have_the_exact_speed() {
    for has_water in [false, true] {
        for half_length in 2..=8 {
            let error = speed_error(half_length, 12, has_water).abs();
            let limit = if half_length <= 3 { 4e-3 } else { 1.2e-3 };
            assert!(error < limit, "half-length {half_length}, water {has_water}: {error:.2e}");
        }
    }
}

#[test]
fn their_speed_converges_with_more_than_second_order() {
    for has_water in [false, true] {
        let errors = [6, 12].map(|cells| speed_error(2, cells, has_water).abs());
        let order = (errors[0] / errors[1]).log2();
        assert!(order > 2.3, "water {has_water}: {errors:?} {order}");
    }
}
