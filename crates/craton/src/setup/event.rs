//! The event that the sources of a scenario make.

use std::ops::RangeInclusive;

use craton_acquisition::Source;
use craton_formats::DateTime;
use craton_formats::cmtsolution::CmtSource;

use crate::config::{Output, SeismogramFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Years that miniSEED holds: by them readers tell its byte order.
const DATED: RangeInclusive<i32> = 1900..=2100;

/// An event, as far as its sources tell one; nothing is known of several that are written one by one. Of several from files it is the earliest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// Its name in a catalogue.
    pub name: Option<String>,
    /// Date and time (UTC) of t = 0.
    pub zero: Option<DateTime>,
    /// The time that counts as that of its source, the centroid time [s]: of the earliest of its sources, if there are several.
    pub time: Option<f64>,
    /// Its origin time [s], where the time axis counts from that.
    pub origin: Option<f64>,
    /// Where it is, x east, y north, z up [m]: the earliest of its sources, if there are several.
    pub position: Option<[f64; 3]>,
}

impl Event {
    /// The event of a CMTSOLUTION on a time axis whose t = 0 is the centroid time of the earliest source.
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

    /// The same if its sources are later by a delay [s]: moments keep their dates.
    pub fn delayed(self, delay: f64) -> Self {
        let zero = self.zero.map(|zero| zero.later_by(-delay));
        Self { zero, origin: self.origin.map(|origin| origin + delay), ..self }
    }

    /// The problem of a date that seismograms are to carry and cannot.
    ///
    /// # Arguments
    /// * `ends` – first and last time of the scenario [s]
    pub fn undatable(&self, ends: [f64; 2], output: &Output) -> Option<Problem> {
        let zero = self.zero.filter(|_| output.seismograms.contains(&SeismogramFormat::Miniseed))?;
        let year = ends.map(|time| zero.later_by(time).year).into_iter().find(|year| !DATED.contains(year))?;
        let path = KeyPath::default().key("output").key("seismograms");
        let problem = Problem::new(path, format!("miniSEED carries the date of the event, and its year is {year}"));
        let allowed = format!("years {} to {}", DATED.start(), DATED.end());
        Some(problem.allowed(allowed).hint("correct the date in the file of the source, or write \"sac\" or \"text\""))
    }

    /// The same with what its sources tell, of which the earliest counts.
    pub fn of(self, own: &[Source]) -> Self {
        let earliest = own.iter().min_by(|a, b| a.event_time().total_cmp(&b.event_time()));
        Self { time: earliest.map(Source::event_time), position: earliest.map(Source::position), ..self }
    }
}
