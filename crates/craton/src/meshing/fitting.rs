//! The highest frequency whose mesh has no more elements than fit the memory.

use std::time::{Duration, Instant};

use super::sizes::WaveSizes;
use super::{fewest_elements, n_elements};
use crate::setup::Setup;

/// Largest number of meshes that are planned.
const MOST_PLANS: usize = 10;
/// Time after which no further mesh is planned.
const PATIENCE: Duration = Duration::from_secs(5);
/// Smallest part of the memory that the mesh found should use.
const ENOUGH: f64 = 0.93;
/// Ratio of the elements of a typical mesh to [`fewest_elements`].
const TYPICAL: f64 = 2.5;

/// The highest frequency [Hz] whose mesh has at most this number of elements, to a few percent; `None` if the frequency does not determine the mesh.
///
/// Meshes are planned, not built. Their number of elements increases with less than the cube of the frequency while elements are as thick as thin layers.
///
/// # Arguments
/// * `known` – number of elements at the frequency of the scenario, if it is known
///
/// Verified by `the_frequency_that_fits_is_that_of_the_planned_mesh`.
pub fn highest_frequency(setup: &Setup, most: f64, known: Option<f64>) -> Option<f64> {
    if !setup.method.is_automatic() || setup.mesh.is_some() || most < 1.0 {
        return None;
    }
    let given = setup.method.max_frequency();
    let mut frequency = given * (most / known.unwrap_or_else(|| TYPICAL * fewest_elements(setup))).cbrt();
    let [mut fits, mut exceeds] = [None::<f64>, None::<f64>];
    let began = Instant::now();
    for _ in 0..MOST_PLANS {
        if began.elapsed() > PATIENCE {
            break;
        }
        let filled = n_elements(setup, &WaveSizes::at(setup, frequency)).ok()? as f64 / most;
        if filled > 1.0 {
            exceeds = Some(frequency);
        } else {
            fits = Some(frequency);
            if filled > ENOUGH {
                break;
            }
        }
        let next = frequency / filled.cbrt();
        frequency = match (fits, exceeds) {
            // Numbers of elements increase in steps.
            (Some(fits), Some(exceeds)) if !(fits < next && next < exceeds) => (fits * exceeds).sqrt(),
            _ => next,
        };
    }
    fits
}
