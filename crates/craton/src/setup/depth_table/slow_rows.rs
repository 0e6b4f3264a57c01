//! Rows of a depth table that are so slow that the elements of a mesh cannot be numbered.

use craton_mesh::MOST_ELEMENTS;
use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{Transverse, TransverseRow};

use super::Rows;
use crate::config::{Config, Method, Sem};
use crate::number::Number;
use crate::setup::findings::Checked;
use crate::setup::resolution::least_speed;

/// Largest number of elements that can be numbered.
const MOST: f64 = MOST_ELEMENTS as f64;
/// Number of elements of a mesh relative to its lower bound that is not exceeded, because layers have whole numbers of elements.
const SURPLUS: f64 = 4.0;

impl Rows {
    /// Rejects a wave that is so slow that a mesh of elements cannot be numbered, before anything is built.
    ///
    /// Verified by `model::a_row_that_is_far_too_slow_is_named` and `model::the_least_speed_of_a_refused_table_is_accepted`.
    pub(super) fn check_elements(&self, config: &Config) -> Checked<()> {
        let Method::Sem(sem) = &config.method else { return Ok(()) };
        if sem.element_size.is_some() || sem.elements.is_some() {
            return Ok(());
        }
        let between = self.fewest_elements(config, sem, 0.0);
        let elements: f64 = between.iter().sum();
        let most = (0..between.len()).max_by(|&a, &b| between[a].total_cmp(&between[b]));
        let Some(upper) = most.filter(|_| elements > MOST) else { return Ok(()) };
        let row = upper + usize::from(slowest(&self.rows[upper + 1]) < slowest(&self.rows[upper]));
        let what = if self.rows[row].medium.vsv == 0.0 { "vp" } else { "vs" };
        let frequency = Number(sem.max_frequency);
        let allowed = match self.accepted_speed(config, sem) {
            Some(speed) => {
                format!("{} m/s or more in all rows with max_frequency = {frequency} Hz in this box", Number(speed))
            }
            None => {
                let least = self.rows.iter().map(slowest).fold(f64::INFINITY, f64::min);
                let highest = sem.max_frequency * (MOST / (SURPLUS * elements)).cbrt().min(least / least_speed(config));
                format!("max_frequency up to {} Hz in this box", Number(rounded(highest, f64::floor)))
            }
        };
        let hint = format!(
            "the table requires {elements:.1e} elements, which cannot be numbered. Check the unit, lower max_frequency, or shrink the domain"
        );
        Err(self.bad_value(row, what, &allowed, &hint).into())
    }

    /// The lowest speed [m/s], rounded up, to which slower rows must be raised so that the table is accepted; `None` if this exceeds what their
    /// P-wave speeds allow.
    fn accepted_speed(&self, config: &Config, sem: &Sem) -> Option<f64> {
        /// Halvings of the logarithmic range.
        const HALVINGS: usize = 40;
        /// Largest vs relative to vp that every kind of rock allows.
        const LARGEST_RATIO: f64 = 0.5;
        let elements = |least: f64| SURPLUS * self.fewest_elements(config, sem, least).iter().sum::<f64>();
        let fastest = self.rows.iter().map(|row| row.medium.vpv.min(row.medium.vph)).fold(0.0, f64::max);
        let mut low = self.rows.iter().map(slowest).fold(f64::INFINITY, f64::min);
        let mut high = LARGEST_RATIO * fastest;
        if elements(high) > MOST {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = (low * high).sqrt();
            *(if elements(middle) > MOST { &mut low } else { &mut high }) = middle;
        }
        let least = rounded(high.max(least_speed(config)), f64::ceil);
        let is_possible = |row: &TransverseRow| {
            let Transverse { vsv, vpv, vph, .. } = row.medium;
            vsv == 0.0 || slowest(row) >= least || least <= LARGEST_RATIO * vpv.min(vph)
        };
        self.rows.iter().all(is_possible).then_some(least)
    }

    /// Lower bound of the number of elements between each row and the next one.
    ///
    /// The number of elements per volume is the cube of that per length; between two rows, where the speed is linear, its
    /// integral is h (a + b) / (2 a² b²) for unit speeds.
    ///
    /// # Arguments
    /// * `least` – speed [m/s] to which slower rows are raised
    fn fewest_elements(&self, config: &Config, sem: &Sem, least: f64) -> Vec<f64> {
        /// Allows for a chunk that is narrower below, and for a surface below the first row.
        const SAFETY: f64 = 0.5;
        let ([west, east], [south, north], [bottom, top]) = (config.domain.x(), config.domain.y(), config.domain.z());
        let per_speed = sem.max_frequency * sem.points_per_wavelength / sem.degree as f64;
        let between = |pair: &[TransverseRow]| {
            let [from, to] = [pair[0].depth.max(-top), pair[1].depth.min(-bottom)];
            if to <= from {
                return 0.0;
            }
            let speeds = [slowest(&pair[0]).max(least), slowest(&pair[1]).max(least)];
            let at = |depth: f64| {
                let part = (depth - pair[0].depth) / (pair[1].depth - pair[0].depth);
                speeds[0] + part * (speeds[1] - speeds[0])
            };
            let [a, b] = [at(from), at(to)];
            let area = match config.domain.globe {
                // Largest at the top, and smaller below.
                Some(_) => 4.0 * std::f64::consts::PI * (EARTH_RADIUS - to).powi(2),
                None => (east - west) * (north - south),
            };
            let volume = area * (to - from);
            SAFETY * per_speed.powi(3) * volume * (a + b) / (2.0 * a * a * b * b)
        };
        self.rows.windows(2).map(between).collect()
    }
}

/// Speed of the slowest wave of a row [m/s].
fn slowest(row: &TransverseRow) -> f64 {
    match row.medium {
        Transverse { vsv: 0.0, vpv, vph, .. } => vpv.min(vph),
        Transverse { vsv, vsh, .. } => vsv.min(vsh),
    }
}

/// A number with three significant digits.
fn rounded(value: f64, round: fn(f64) -> f64) -> f64 {
    let unit = 10_f64.powi(value.log10().floor() as i32 - 2);
    round(value / unit) * unit
}
