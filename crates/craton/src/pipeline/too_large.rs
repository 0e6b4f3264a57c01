//! Errors of meshes that do not fit into the memory of this machine.

use craton_run::{Bytes, RunError};

use crate::error::{Error, Problem};
use crate::extremes::slowest_wave;
use crate::format_position::format_position;
use crate::meshing::{fewest_elements, highest_frequency};
use crate::number::Number;
use crate::setup::Setup;

/// The error of far too many elements, with the wave that requires them unless their size is given.
///
/// # Arguments
/// * `most` – number of elements that fit
///
/// Verified by `a_slow_wave_is_named_before_anything_is_built`.
pub fn too_slow(error: RunError, setup: &Setup, most: f64) -> Error {
    /// Memory [bytes] below which the wave is not the cause.
    const LARGE: Bytes = Bytes(4_000_000_000);
    let method = setup.method.sem();
    let is_caused = matches!(error, RunError::TooLittleMemory { needed, .. } if needed >= LARGE);
    if !is_caused || method.elements.is_some() || method.element_size.is_some() {
        return error.into();
    }
    let (speed, place) = slowest_wave(setup);
    let size = method.degree as f64 * speed / method.max_frequency / method.points_per_wavelength;
    let message = format!(
        "the slowest wave of {:.4} m/s near {} requires elements of {:.4} m: {error}",
        Number(speed),
        format_position(&setup.frame, place),
        Number(size)
    );
    let problem = Problem::new("method.sem.max_frequency", message).value(Number(method.max_frequency));
    // Planning meshes of such models takes long.
    let fits = method.max_frequency * (most / fewest_elements(setup)).cbrt();
    let fits = format!(", or lower max_frequency to {}", that_fits_text(fits));
    Error::OfKey(Box::new(problem.hint(format!("check the speed and its unit{fits}"))))
}

/// The error of a mesh that does not fit, with the frequency that fits.
///
/// # Arguments
/// * `most` – number of elements that fit
pub fn too_many(error: RunError, setup: &Setup, most: f64) -> Error {
    match highest_frequency(setup, most, None) {
        Some(frequency) => {
            let problem = Problem::new("method.sem.max_frequency", error.to_string());
            Error::OfKey(Box::new(
                problem
                    .value(Number(setup.method.max_frequency()))
                    .hint(format!("lower max_frequency to {}", that_fits_text(frequency))),
            ))
        }
        None => error.into(),
    }
}

fn that_fits_text(frequency: f64) -> String {
    format!("{}, whose mesh fits in the available memory", about(frequency))
}

/// A frequency with two significant digits, rounded down, and its period: `about 0.013 Hz (a period of 76.9 s)`.
pub fn about(frequency: f64) -> String {
    let rounded = |value: f64, digits: i32, round: fn(f64) -> f64| {
        let unit = 10_f64.powi(value.log10().floor() as i32 + 1 - digits);
        // Without the digits that come from the unit.
        let decimals = (-unit.log10()).ceil().max(0.0) as usize;
        format!("{:.decimals$}", round(value / unit) * unit)
    };
    let frequency_text = rounded(frequency, 2, f64::floor);
    let period = rounded(1.0 / frequency_text.parse().unwrap_or(frequency), 3, f64::round);
    format!("about {frequency_text} Hz (a period of {period} s)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_rounded_down_to_two_digits() {
        assert_eq!(about(0.003_68), "about 0.0036 Hz (a period of 278 s)");
        assert_eq!(about(0.0301), "about 0.030 Hz (a period of 33.3 s)");
        assert_eq!(about(14.96), "about 14 Hz (a period of 0.0714 s)");
    }
}
