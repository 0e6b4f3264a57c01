//! The highest frequency whose mesh has no more elements than fit the memory.

use std::time::{Duration, Instant};

use super::sizes::WaveSizes;
use super::{fewest_elements, n_elements};
use crate::setup::Setup;

/// Largest number of meshes that are planned.
const MOST_PLANS: usize = 10;
/// Time after which no further mesh is planned.
const PATIENCE: Duration = Duration::from_secs(5);
/// Smallest part of the memory that the mesh found should use, and the part that the next mesh is planned for.
const ENOUGH: f64 = 0.93;
const AIM: f64 = 0.97;
/// Ratio of the elements of a typical mesh to [`fewest_elements`].
const TYPICAL: f64 = 2.5;
/// Exponents with which the number of elements of a mesh may increase with the frequency.
const EXPONENTS: [f64; 2] = [1.0, 3.0];

/// The highest frequency [Hz] whose mesh has at most this number of elements, within ten percent; `None` if the frequency does not determine the mesh.
///
/// Usually, one or two meshes are planned; none is built. The number of elements increases more slowly than the cube of the frequency while thin layers
/// determine the thickness of elements.
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
    if known.is_some_and(|known| (ENOUGH * most..=most).contains(&known)) {
        return Some(given);
    }
    let at_given = known.unwrap_or_else(|| TYPICAL * fewest_elements(setup));
    let mut frequency = given * (AIM * most / at_given).cbrt();
    let mut before = known.map(|known| (given, known));
    let is_fitting = |&(_, elements): &(f64, f64)| elements <= most;
    let mut fits = before.filter(is_fitting).map(|(frequency, _)| frequency);
    let mut exceeds = before.filter(|known| !is_fitting(known)).map(|(frequency, _)| frequency);
    let began = Instant::now();
    for _ in 0..MOST_PLANS {
        if fits.is_some() && began.elapsed() > PATIENCE {
            break;
        }
        let elements = n_elements(setup, &WaveSizes::at(setup, frequency)).ok()? as f64;
        if elements > most {
            exceeds = Some(frequency);
        } else {
            fits = Some(frequency);
            if elements > ENOUGH * most {
                break;
            }
        }
        let exponent = before.map_or(EXPONENTS[1], |(other, count): (f64, f64)| {
            let slope = (elements / count).ln() / (frequency / other).ln();
            if slope.is_finite() { slope.clamp(EXPONENTS[0], EXPONENTS[1]) } else { EXPONENTS[1] }
        });
        before = Some((frequency, elements));
        let next = frequency * (AIM * most / elements).powf(1.0 / exponent);
        frequency = match (fits, exceeds) {
            // Numbers of elements increase in steps.
            (Some(fits), Some(exceeds)) if !(fits < next && next < exceeds) => (fits * exceeds).sqrt(),
            _ => next,
        };
    }
    fits
}
