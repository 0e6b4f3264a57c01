//! Land lines: a spread that rolls along a line of stations.

use super::marine::{count, distance};
use super::{Array, Shot, Site, Spread, Survey, SurveyReceiver, Window, numbered_receivers};
use crate::AcquisitionError;
use crate::error::check;
use std::sync::Arc;

/// Treatment of shots near the ends of a line, where stations of their spread are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Keep them with the receivers that exist.
    PartSpreads,
    /// Skip them.
    WholeSpreads,
}

/// Shots at stations of a line, each with groups behind and ahead of it: a split spread, or an end-on spread if one side has no groups.
///
/// Channels are numbered along the line. Where stations are missing at its ends, the other channels keep their numbers, so that a channel
/// is always at the same distance from the shot.
#[derive(Debug, Clone, PartialEq)]
pub struct LandLine {
    /// Stations in order along the line: x, y, z \[m\], on the ground.
    pub stations: Vec<[f64; 3]>,
    /// Index of the station of the first shot, from 0.
    pub first_station: usize,
    /// Number of stations from shot to shot, at least 1; shots continue to the end of the line.
    pub station_step: usize,
    /// Number of the first shot; the others follow consecutively, not counting skipped shots.
    pub first_number: u32,
    /// Depth of the sources below their station \[m\], positive down.
    pub source_depth: f64,
    /// Number of channels on the side of the first station.
    pub behind: usize,
    /// Number of channels on the side of the last station.
    pub ahead: usize,
    /// Number of stations from the shot to the nearest group on each side, at least 1.
    pub nearest: usize,
    /// Treatment of shots near the ends.
    pub ends: LineEnds,
}

impl LandLine {
    /// Generates the survey.
    ///
    /// # Errors
    /// A count or a step of zero; no shot with receivers; a negative depth; a position that is not finite.
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
                source: Array::point([x, y, z - self.source_depth]).on(Site { elevation: Some(z), ..Site::default() }),
                spread: Spread::windows(list.clone(), windows)?,
            });
        }
        let hint = "lengthen the line, shorten the spread, or allow part spreads at the ends";
        check(!shots.is_empty(), "number of shots on the line", 0.0, "1 or more", hint)?;
        Survey::new(shots)
    }

    /// Windows of the stations of the line on both sides of a shot, with their channels.
    fn windows(&self, station: usize) -> Vec<Window> {
        let line = self.stations.len();
        let end = (station + 1).saturating_sub(self.nearest);
        let behind = end.saturating_sub(self.behind)..end;
        let start = (station + self.nearest).min(line);
        let ahead = start..(start + self.ahead).min(line);
        // Missing stations before the first of the line still count as channels.
        let missing = if end == 0 { 0 } else { self.behind - behind.len() };
        let channel = |before: usize| Some(1 + before as u32);
        let windows = [
            Window { range: behind, first_channel: channel(missing) },
            Window { range: ahead, first_channel: channel(self.behind) },
        ];
        windows.into_iter().filter(|window| !window.range.is_empty()).collect()
    }
}
