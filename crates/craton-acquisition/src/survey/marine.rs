//! Marine lines: a ship that tows a streamer.

use super::{Array, Shot, Spread, Survey, SurveyReceiver, WeightedPoint};
use crate::AcquisitionError;
use crate::error::{check, finite, positive};
use std::sync::Arc;

/// Side of the source on which the streamer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamerSide {
    /// Behind the source, towed by the ship.
    Behind,
    /// Ahead of the source, pushed by the ship.
    Ahead,
}

/// A straight line of shots with a streamer that moves along. Channel 1 is nearest to the source.
#[derive(Debug, Clone, PartialEq)]
pub struct MarineLine {
    /// x and y of the first shot \[m\].
    pub first_shot: [f64; 2],
    /// Sailing direction: degrees clockwise from north (y); 90 is along x, the direction for two dimensions, where y stays 0.
    pub azimuth: f64,
    /// Number of the first shot; the others follow consecutively.
    pub first_number: u32,
    /// Number of shots.
    pub shots: usize,
    /// Distance between shots \[m\], above 0.
    pub shot_interval: f64,
    /// Depth of the source \[m\], positive down from z = 0.
    pub source_depth: f64,
    /// Points of the source array relative to its centre, in the axes of the ship: ahead, to the left, up \[m\]; empty for a single point.
    pub source_array: Vec<WeightedPoint>,
    /// Side on which the streamer lies.
    pub side: StreamerSide,
    /// Number of channels.
    pub channels: usize,
    /// Distance between the centres of groups \[m\], above 0.
    pub group_interval: f64,
    /// Distance from the source to the nearest group \[m\].
    pub near_offset: f64,
    /// Depth of the streamer \[m\], positive down from z = 0.
    pub streamer_depth: f64,
    /// Points of a receiver group relative to its centre, in the same axes as the source array.
    pub group_array: Vec<WeightedPoint>,
}

impl MarineLine {
    /// Number of channels of a streamer, including both ends.
    ///
    /// # Arguments
    /// * `length` – from the first to the last group \[m\]; rounded down to a whole number of intervals
    /// * `group_interval` – distance between groups \[m\]
    /// # Errors
    /// A negative length, an interval that is not positive.
    pub fn channels_of(length: f64, group_interval: f64) -> Result<usize, AcquisitionError> {
        distance("length of the streamer", length)?;
        interval("group interval", group_interval)?;
        // A length that is a multiple of the interval within round-off counts as one.
        Ok((length / group_interval * (1.0 + 4.0 * f64::EPSILON)).floor() as usize + 1)
    }

    /// Generates the survey.
    ///
    /// # Errors
    /// A count of zero, an interval that is not positive, a negative depth or near offset, a number that is not finite.
    pub fn survey(&self) -> Result<Survey, AcquisitionError> {
        self.check()?;
        let ahead = direction(self.azimuth);
        let rotated = |points: &[WeightedPoint]| -> Vec<WeightedPoint> {
            let turn = |point: &WeightedPoint| WeightedPoint { position: turned(point.position, ahead), ..*point };
            points.iter().map(turn).collect()
        };
        let group = Array::about([0.0; 3], rotated(&self.group_array));
        let sign = match self.side {
            StreamerSide::Behind => -1.0,
            StreamerSide::Ahead => 1.0,
        };
        let receiver = |index: u32| {
            let offset = sign * (self.near_offset + f64::from(index) * self.group_interval);
            let centre = [offset * ahead[0], offset * ahead[1], 0.0 - self.streamer_depth];
            SurveyReceiver { channel: index + 1, array: group.at(centre) }
        };
        let streamer: Arc<[SurveyReceiver]> = (0..self.channels as u32).map(receiver).collect();
        let source = Array::about([0.0; 3], rotated(&self.source_array));
        let shot = |index: u32| {
            let way = f64::from(index) * self.shot_interval;
            let [x, y]: [f64; 2] = std::array::from_fn(|axis| self.first_shot[axis] + way * ahead[axis]);
            Shot {
                number: self.first_number + index,
                source: source.at([x, y, 0.0 - self.source_depth]),
                spread: Spread::all(streamer.clone()).moved([x, y, 0.0]),
            }
        };
        Survey::new((0..self.shots as u32).map(shot).collect())
    }

    fn check(&self) -> Result<(), AcquisitionError> {
        for (axis, value) in ["x", "y"].iter().zip(self.first_shot) {
            finite(&format!("{axis} of the first shot"), value, "a finite number of m")?;
        }
        finite("azimuth of the line", self.azimuth, "a finite number of degrees")?;
        count("number of shots", self.shots, u32::MAX - self.first_number)?;
        count("number of channels", self.channels, u32::MAX - 1)?;
        interval("shot interval", self.shot_interval)?;
        interval("group interval", self.group_interval)?;
        distance("near offset", self.near_offset)?;
        distance("depth of the source", self.source_depth)?;
        distance("depth of the streamer", self.streamer_depth)?;
        Ok(())
    }
}

/// Unit vector of an azimuth \[degrees\], clockwise from y; exact for multiples of 90 degrees.
fn direction(azimuth: f64) -> [f64; 2] {
    let turns = azimuth.rem_euclid(360.0);
    match [0.0, 90.0, 180.0, 270.0].iter().position(|&right| right == turns) {
        Some(quarter) => [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]][quarter],
        None => [turns.to_radians().sin(), turns.to_radians().cos()],
    }
}

/// Rotates a vector from the axes of the ship (ahead, left, up) to those of the model.
fn turned([along, left, up]: [f64; 3], ahead: [f64; 2]) -> [f64; 3] {
    [along * ahead[0] - left * ahead[1], along * ahead[1] + left * ahead[0], up]
}

pub(super) fn count(what: &str, value: usize, most: u32) -> Result<f64, AcquisitionError> {
    let allowed = "1 or more, and numbers up to 4294967295";
    check(value > 0 && value as u64 <= u64::from(most), what, value as f64, allowed, "count shots and channels from 1")
}

fn interval(what: &str, value: f64) -> Result<f64, AcquisitionError> {
    positive(what, value, "above 0 m", "the direction of a line is its azimuth, not the sign of an interval")
}

pub(super) fn distance(what: &str, value: f64) -> Result<f64, AcquisitionError> {
    let hint = "depths are positive down, offsets are distances";
    check(value.is_finite() && value >= 0.0, what, value, "0 m or more", hint)
}
