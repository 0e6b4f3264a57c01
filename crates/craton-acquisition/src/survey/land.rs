//! A spread that rolls along a line on land.

use super::marine::{count, distance};
use super::{Array, Shot, Spread, Survey, SurveyReceiver, Window, numbered_receivers};
use crate::AcquisitionError;
use crate::error::check;
use std::sync::Arc;

/// What happens to shots near the ends of a line, where stations of their spread are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// They have the receivers that are there.
    PartSpreads,
    /// They are left out.
    WholeSpreads,
}

/// Shots at stations of a line, each with groups behind and ahead of it: a split spread, or an end-on one where a side has none.
///
/// Channels count along the line; at its ends, where stations are missing, the others keep theirs, so that a channel always stands at the
/// same distance from the shot.
#[derive(Debug, Clone, PartialEq)]
pub struct LandLine {
    /// Stations in their order along the line: x, y, z \[m\], on the ground.
    pub stations: Vec<[f64; 3]>,
    /// Index of the station of the first shot, from 0.
    pub first_station: usize,
    /// Stations from shot to shot, 1 or more; shots go on to the end of the line.
    pub station_step: usize,
    /// Number of the first shot; the others follow, those that are left out not counted.
    pub first_number: u32,
    /// Depth of the sources below their station \[m\], positive down.
    pub source_depth: f64,
    /// Channels on the side of the first station.
    pub behind: usize,
    /// Channels on the side of the last station.
    pub ahead: usize,
    /// Stations from the shot to the nearest group of each side, 1 or more.
    pub nearest: usize,
    /// What becomes of shots near the ends.
    pub ends: LineEnds,
}

impl LandLine {
    /// The shots.
    ///
    /// # Errors
    /// A count or a step of zero; no shot with receivers; a depth below zero; a position that is not a number.
    pub fn survey(&self) -> Result<Survey, AcquisitionError> {
        let most = u32::MAX - self.first_number.max(1);
        count("number of stations", self.stations.len(), most)?;
        count("number of channels of the spread", self.behind.saturating_add(self.ahead), most)?;
        count("stations from shot to shot", self.station_step, most)?;
        count("stations from a shot to its nearest group", self.nearest, most)?;
        distance("depth of the sources", self.source_depth)?;
        let list: Arc<[SurveyReceiver]> = numbered_receivers(self.stations.iter().copied()).into();
        let mut shots = Vec::new();
        for station in (self.first_station..self.stations.len()).step_by(self.station_step) {
            let windows = self.windows(station);
            let found: usize = windows.iter().map(|window| window.range.len()).sum();
            if self.ends == LineEnds::WholeSpreads && found < self.behind + self.ahead {
                continue;
            }
            let [x, y, z] = self.stations[station];
            shots.push(Shot {
                number: self.first_number + shots.len() as u32,
                source: Array::point([x, y, z - self.source_depth]),
                spread: Spread::windows(list.clone(), windows)?,
            });
        }
        let hint = "lengthen the line, shorten the spread, or let shots near the ends have a part of it";
        check(!shots.is_empty(), "number of shots on the line", 0.0, "1 or more", hint)?;
        Survey::new(shots)
    }

    /// The stations on both sides of a shot that are on the line, with their channels.
    fn windows(&self, station: usize) -> Vec<Window> {
        let line = self.stations.len();
        let end = (station + 1).saturating_sub(self.nearest);
        let behind = end.saturating_sub(self.behind)..end;
        let start = (station + self.nearest).min(line);
        let ahead = start..(start + self.ahead).min(line);
        // Stations before the first of the line have channels too.
        let missing = if end == 0 { 0 } else { self.behind - behind.len() };
        let channel = |before: usize| Some(1 + before as u32);
        let windows = [
            Window { range: behind, first_channel: channel(missing) },
            Window { range: ahead, first_channel: channel(self.behind) },
        ];
        windows.into_iter().filter(|window| !window.range.is_empty()).collect()
    }
}
