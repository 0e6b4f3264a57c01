//! The experiment over threads per block of Couder-Castañeda and others (2013): the same sums with blocks of 32 to 512 points, one thread per point. Kernels
//! for block sizes other than 128 are compiled on demand, which needs NVRTC.

use craton_device::gpu::{Gpu, GpuError};
use craton_gravity::{Field, Fields, GpuPrisms, Gravity, Points, Precision, Prisms};
use craton_testkit::scaling::Asked;

use super::paper::{timed, word};
use super::{Case, sum};

/// Points of a block.
const BLOCKS: [usize; 5] = [32, 64, 128, 256, 512];

/// Prints a row for each block, precision and set of fields.
///
/// # Panics
/// If sums differ from those of blocks of 128 points: at all in double precision, by 1e-5 of a field's peak in single.
pub fn run(arguments: &Asked, case: &Case) {
    let prisms = Prisms::new(case.prisms.iter().copied()).expect("sound prisms");
    let points = Points::new(case.points.iter().copied()).expect("sound points");
    let pairs = prisms.len() as f64 * points.len() as f64;
    println!("{} prisms, {} points, one GPU\n", prisms.len(), points.len());
    println!("| fields | precision | threads of a block | ms | billion pairs/s |\n|---|---|---|---|---|");
    for (name, fields) in [("nine", case.fields), ("g_u", Fields::from_iter([Field::Up]))] {
        for precision in [Precision::Double, Precision::Single] {
            let own = GpuPrisms::new(&arguments.gpus[0], &prisms).expect("memory for the prisms");
            let expected = sum(std::slice::from_ref(&own), &points, fields, precision);
            for block in BLOCKS {
                let row = format!("| {name} | {} | {block} |", word(precision));
                let device = match of_blocks(&arguments.gpus[0], &prisms, block, fields, precision) {
                    Ok(device) => device,
                    Err(error) => {
                        println!("{row} not measured: {error} | |");
                        continue;
                    }
                };
                let (seconds, values) = timed(std::slice::from_ref(&device), &points, fields, precision);
                check(&expected, &values, precision, block);
                println!("{row} {:.2} | {:.2} |", 1e3 * seconds, pairs / seconds / 1e9);
            }
        }
    }
}

/// The prisms on a device with its kernels, which a sum at one point compiles.
fn of_blocks(
    gpu: &Gpu,
    prisms: &Prisms,
    block: usize,
    fields: Fields,
    precision: Precision,
) -> Result<GpuPrisms, GpuError> {
    let device = GpuPrisms::new(gpu, prisms)?.with_block(block);
    let point = Points::new([[0.0, 0.0, 1e6]]).expect("a sound point");
    device.forward(&point, fields, precision, &|| true)?;
    Ok(device)
}

fn check(expected: &Gravity, values: &Gravity, precision: Precision, block: usize) {
    // Different compiler versions round differently.
    let allowed = if precision == Precision::Double { 1e-14 } else { 1e-5 };
    for field in Field::ALL {
        let (Some(expected), Some(values)) = (expected.get(field), values.get(field)) else { continue };
        let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let pairs = expected.iter().zip(values);
        let error = pairs.map(|(expected, value)| (value - expected).abs()).fold(0.0, f64::max);
        assert!(error <= allowed * peak, "{field:?}, blocks of {block}: {error:e} of {peak:e}");
    }
}
