//! The axes of a record: times of the samples, loci of the channels, and their checks.

use super::DasRecord;
use crate::DateTime;
use crate::error::Refused;

/// Microseconds per second.
const MICROSECONDS: f64 = 1e6;

/// Years that readers support, which count nanoseconds in 64 bits.
const YEARS: std::ops::RangeInclusive<i32> = 1700..=2199;

/// Largest number of characters of a description in PRODML.
const LONGEST_DESCRIPTION: usize = 2000;

/// Largest index of the first locus, up to which a float holds every integer.
const LARGEST_INDEX: f64 = 9e15;

/// Times of the samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The whole second before the first sample [μs since 1970].
    second: i64,
    /// Time of the first sample after it [s].
    fraction: f64,
    interval: f64,
}

impl Times {
    /// Times of a record whose start is valid.
    pub fn new(record: &DasRecord) -> Self {
        let whole = record.start.second.floor();
        let second = DateTime { second: whole, ..record.start }.microseconds();
        Self { second, fraction: record.start.second - whole, interval: record.interval }
    }

    /// Time of a sample [μs since 1970], rounded to the nearest, halves up.
    pub fn of(&self, sample: usize) -> i64 {
        // Only differences from a whole second are rounded: they are positive, also before 1970, and precise.
        let after = (self.fraction + sample as f64 * self.interval) * MICROSECONDS;
        self.second.saturating_add(after.round() as i64)
    }

    /// Time of a sample, `2016-05-01T12:00:00.000000+00:00`.
    pub fn text(&self, sample: usize) -> String {
        let text = DateTime::from_microseconds(self.of(sample)).iso();
        format!("{}+00:00", text.trim_end_matches('Z'))
    }
}

impl DasRecord<'_> {
    /// Number of the locus of the first channel: the nearest to its distance.
    pub(super) fn first_locus(&self) -> i64 {
        self.distances.first().map_or(0, |distance| (distance / self.spacing).round() as i64)
    }

    /// Samples per second.
    pub(super) fn rate(&self) -> f64 {
        1.0 / self.interval
    }

    /// Validates all fields.
    pub(super) fn check(&self) -> Result<(), Refused> {
        self.check_times()?;
        for (what, value) in [("spacing", self.spacing), ("gauge length", self.gauge_length)] {
            if !value.is_finite() || value <= 0.0 {
                return Err(Refused::new(what, value, "a length above 0 m"));
            }
        }
        self.check_distances()?;
        self.check_positions()?;
        let characters = self.description.chars().count();
        if characters > LONGEST_DESCRIPTION {
            let allowed = format!("at most {LONGEST_DESCRIPTION}, the limit of PRODML");
            return Err(Refused::new("characters of the description", characters, allowed));
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), Refused> {
        let Self { start, interval, samples, .. } = *self;
        if !interval.is_finite() || interval < 1e-6 {
            return Err(Refused::new("interval", interval, "at least 1e-6 s, the resolution of PRODML"));
        }
        if samples < 2 {
            return Err(Refused::new(
                "samples per channel",
                samples,
                "at least 2, from which readers compute the interval",
            ));
        }
        if !start.is_valid() || !YEARS.contains(&start.year) {
            return Err(Refused::new("start", start.fields(), "a valid date and time in the years 1700 to 2199"));
        }
        if !YEARS.contains(&DateTime::from_microseconds(Times::new(self).of(samples - 1)).year) {
            let value = format!("{:e} s after {}", (samples - 1) as f64 * interval, start.fields());
            return Err(Refused::new("last sample", value, "a time in the years 1700 to 2199"));
        }
        Ok(())
    }

    fn check_distances(&self) -> Result<(), Refused> {
        let Some(&first) = self.distances.first() else {
            return Err(Refused::new("number of distances", 0, "at least 1"));
        };
        if !(0.0..=LARGEST_INDEX * self.spacing).contains(&first) {
            let allowed = format!("0 to {LARGEST_INDEX:e} times the spacing of {} m", self.spacing);
            return Err(Refused::new("distance of channel 0", first, allowed));
        }
        for (channel, &distance) in self.distances.iter().enumerate() {
            let equal = first + channel as f64 * self.spacing;
            let deviation = (distance - equal).abs();
            if deviation.is_nan() || deviation > self.spacing / 2.0 {
                let allowed = format!("{equal} m within {} m, for equal spacing", self.spacing / 2.0);
                return Err(Refused::new(format!("distance of channel {channel}"), distance, allowed));
            }
        }
        Ok(())
    }

    fn check_positions(&self) -> Result<(), Refused> {
        if self.positions.len() != self.distances.len() {
            let allowed = format!("{}, as distances", self.distances.len());
            return Err(Refused::new("number of positions", self.positions.len(), allowed));
        }
        match self.positions.iter().position(|position| !position.iter().all(|value| value.is_finite())) {
            Some(channel) => {
                let value = format!("{:?}", self.positions[channel]);
                Err(Refused::new(format!("position of channel {channel}"), value, "finite coordinates"))
            }
            None => Ok(()),
        }
    }
}
