//! Helpers shared by the tests of this crate.

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Points, Prism, Prisms, forward};

/// A prism with bounds west, east, south, north, bottom, top [m].
pub fn prism([west, east, south, north, bottom, top]: [f64; 6], density: f64) -> Prism {
    Prism { west, east, south, north, bottom, top, density }
}

/// All fields of prisms at points, `[point][field]`, with the best instruction set.
pub fn gravity(prisms: &[Prism], points: &[[f64; 3]]) -> Vec<[f64; 10]> {
    gravity_on(Isa::detect(), 1, prisms, points)
}

/// All fields, with a given instruction set and number of threads.
pub fn gravity_on(isa: Isa, threads: usize, prisms: &[Prism], points: &[[f64; 3]]) -> Vec<[f64; 10]> {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let places = Points::new(points.iter().copied()).expect("sound points");
    let workers = Workers::new(Some(threads)).expect("a few threads");
    let all = forward(&prisms, &places, Fields::ALL, &workers, isa);
    (0..points.len()).map(|point| Field::ALL.map(|field| all.get(field).expect("a requested field")[point])).collect()
}

/// Length of the attraction.
pub fn attraction(fields: &[f64; 10]) -> f64 {
    norm(&fields[1..4])
}

/// Frobenius norm of the tensor.
pub fn tensor(fields: &[f64; 10]) -> f64 {
    let [.., xx, xy, xz, yy, yz, zz] = *fields;
    norm(&[xx, yy, zz, xy, xy, xz, xz, yz, yz])
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Differences of all fields.
pub fn difference(a: &[f64; 10], b: &[f64; 10]) -> [f64; 10] {
    std::array::from_fn(|field| a[field] - b[field])
}
