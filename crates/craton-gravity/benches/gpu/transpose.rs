//! Transposed products: for each prism a sum over points and fields, times weights.

use craton_device::{Isa, Workers};
use craton_gravity::{Field, GpuPrisms, Points, Precision, Prisms, transpose};
use craton_testkit::scaling::Asked;

use super::{COMPARED, Case, measure};

/// Weights of each field.
type Weights = Vec<(Field, Vec<f64>)>;

/// Prints a row for each precision and number of GPUs.
pub fn run(arguments: &Asked, case: &Case) {
    compare(arguments, case);
    let weights = weights(case, case.points.len());
    let product = |devices: &[GpuPrisms], points: &Points, precision| {
        of_devices(devices, points, &weights, precision);
    };
    measure(arguments, case, &format!("transpose {}", case.name), &product);
}

/// Weights of all fields that balance attraction and tensor at a distance of a kilometre.
fn weights(case: &Case, points: usize) -> Weights {
    let of = |field: Field| {
        let scale = if (field as usize) < Field::EastEast as usize { 1.0 } else { 1e3 };
        (
            field,
            (0..points).map(|point| scale * (1.0 + 0.5 * (1.3 * point as f64 + field as usize as f64).sin())).collect(),
        )
    };
    case.fields.iter().map(of).collect()
}

fn borrowed(weights: &Weights) -> Vec<(Field, &[f64])> {
    weights.iter().map(|(field, weights)| (*field, weights.as_slice())).collect()
}

fn of_devices(devices: &[GpuPrisms], points: &Points, weights: &Weights, precision: Precision) -> Vec<f64> {
    let product = GpuPrisms::transpose_on(devices, points, &borrowed(weights), precision, &|| true);
    product.expect("a device that works").expect("never cancelled")
}

/// Compares some prisms at some points with a CPU: to 1e-10 of the largest number in double precision, 1e-5 in single.
///
/// # Panics
/// If they differ.
fn compare(arguments: &Asked, case: &Case) {
    let [most_points, most_prisms] = COMPARED;
    let some = case.prisms.iter().copied().step_by(case.prisms.len().div_ceil(most_prisms));
    let prisms = Prisms::new(some).expect("sound prisms");
    let some = case.points.iter().copied().step_by(case.points.len().div_ceil(most_points));
    let points = Points::new(some).expect("sound points");
    let weights = weights(case, points.len());
    let workers = Workers::new(None).expect("the system grants threads");
    let expected =
        transpose(&prisms, &points, &borrowed(&weights), &workers, Isa::detect()).expect("a weight per point");
    let device = GpuPrisms::new(&arguments.gpus[0], &prisms).expect("memory for the prisms");
    let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
    for (precision, limit) in [(Precision::Double, 1e-10), (Precision::Single, 1e-5)] {
        let values = of_devices(std::slice::from_ref(&device), &points, &weights, precision);
        let error = values.iter().zip(&expected).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs()));
        assert!(error <= limit * peak, "transpose {}, {precision:?}: {error:e} of {peak:e}", case.name);
    }
}
