//! The event of the sources of a scenario.

use std::ops::RangeInclusive;

use craton_acquisition::Source;
use craton_formats::DateTime;
use craton_formats::cmtsolution::CmtSource;

use crate::config::{Output, SeismogramFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Years that miniSEED supports; readers detect its byte order by them.
const DATED: RangeInclusive<i32> = 1900..=2100;

/// An event, as far as it is known from its sources. Several sources in the scenario itself have no event; of several
/// sources from files it is the earliest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// Name in a catalogue.
    pub name: Option<String>,
    /// Date and time (UTC) of t = 0.
    pub zero: Option<DateTime>,
    /// Centroid time [s], of the earliest source if there are several.
    pub time: Option<f64>,
    /// Origin time [s], if the time axis counts from it.
    pub origin: Option<f64>,
    /// Position, x east, y north, z up [m]; that of the earliest source if there are several.
    pub position: Option<[f64; 3]>,
}

impl Event {
    /// The event of a CMTSOLUTION on a time axis whose zero is the centroid time of the earliest source.
    pub fn catalogued(sources: &[CmtSource]) -> Self {
        let Some(earliest) = sources.iter().min_by(|a, b| a.time_shift.total_cmp(&b.time_shift)) else {
            return Self::default();
        };
        Self {
            name: Some(earliest.event_name.clone()).filter(|name| !name.is_empty()),
            zero: Some(earliest.origin.later_by(earliest.time_shift)),
            ..Self::default()
        }
    }

    /// The same event with sources that are later by a delay [s]; dates do not change.
    pub fn delayed(self, delay: f64) -> Self {
        let zero = self.zero.map(|zero| zero.later_by(-delay));
        Self { zero, origin: self.origin.map(|origin| origin + delay), ..self }
    }

    /// The problem of a date that the seismogram formats do not support.
    ///
    /// # Arguments
    /// * `ends` – first and last time of the scenario [s]
    pub fn undatable(&self, ends: [f64; 2], output: &Output) -> Option<Problem> {
        let zero = self.zero.filter(|_| output.seismograms.contains(&SeismogramFormat::Miniseed))?;
        let year = ends.map(|time| zero.later_by(time).year).into_iter().find(|year| !DATED.contains(year))?;
        let path = KeyPath::default().key("output").key("seismograms");
        let problem = Problem::new(path, format!("miniSEED does not support the year {year} of the event"));
        let allowed = format!("years {} to {}", DATED.start(), DATED.end());
        Some(problem.allowed(allowed).hint("correct the date in the source file, or choose \"sac\" or \"text\""))
    }

    /// The same event, completed by its earliest source.
    pub fn of(self, own: &[Source]) -> Self {
        let earliest = own.iter().min_by(|a, b| a.event_time().total_cmp(&b.event_time()));
        Self { time: earliest.map(Source::event_time), position: earliest.map(Source::position), ..self }
    }
}
