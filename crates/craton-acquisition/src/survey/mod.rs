//! Survey geometry: shots, each with its source and its live receivers.
//!
//! Metres; x east, y north, z up. Depths are positive down from z = 0 and stored as z.
//!
//! | geometry | constructor |
//! |---|---|
//! | a ship with a streamer | [`MarineLine`] |
//! | a spread that rolls along a line on land | [`LandLine`] |
//! | fixed receivers | [`Survey::fixed`], [`positions`](crate::positions) |
//! | lists with shot and channel numbers | [`Survey::fixed`], [`Survey::related`], [`Survey::from_receivers_by_shot`] |
//! | tables | the same, with the lists read by [`table`]; [`SurveyTables`] locates errors in the tables |
//!
//! Receivers that shots share are stored once: a [`Spread`] is a view of a list.

mod array;
mod extent;
mod land;
mod lines;
mod marine;
mod shot;
mod shot_channel;
mod spread;
pub mod table;

use crate::AcquisitionError;
use crate::error::check;
pub use array::{Array, Site, WeightedPoint};
pub use extent::Extent;
pub use land::{LandLine, LineEnds};
pub use lines::SurveyTables;
pub use marine::{MarineLine, StreamerSide};
pub use shot::{Shot, Trace};
pub use shot_channel::{AtDepth, ShotChannel};
pub use spread::{Spread, SurveyReceiver, Window};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A range of channels that are live at a shot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// Number of the shot.
    pub shot: u32,
    /// First channel.
    pub from: u32,
    /// Last channel (inclusive).
    pub to: u32,
}

/// Validated shots, in the given order.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    shots: Vec<Shot>,
}

impl Survey {
    /// Creates a survey from shots.
    ///
    /// # Errors
    /// No shots; duplicate shot numbers; a shot without receivers or with a duplicate channel; positions that are not finite; weights that
    /// are all zero or whose sum is not finite.
    pub fn new(shots: Vec<Shot>) -> Result<Self, AcquisitionError> {
        check(!shots.is_empty(), "number of shots", 0.0, "1 or more", "give the survey at least one shot")?;
        let mut numbers = HashSet::new();
        let mut channels = Vec::new();
        for shot in &shots {
            if !numbers.insert(shot.number) {
                return Err(AcquisitionError::DuplicateShot { shot: shot.number });
            }
            shot.check(&mut channels)?;
        }
        Ok(Self { shots })
    }

    /// Creates a survey in which all receivers are live at all shots: ocean-bottom nodes, a fixed spread.
    ///
    /// # Arguments
    /// * `sources` – number and source of each shot
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fixed(
        sources: impl IntoIterator<Item = (u32, Array)>,
        receivers: Vec<SurveyReceiver>,
    ) -> Result<Self, AcquisitionError> {
        let spread = Spread::all(receivers.into());
        let shot = |(number, source)| Shot { number, source, spread: spread.clone() };
        Self::new(sources.into_iter().map(shot).collect())
    }

    /// Creates a survey in which relations list the live channels of each shot; a shot may have several relations.
    ///
    /// # Errors
    /// As [`new`](Self::new); a relation of a shot that does not exist, or of channels that no receiver has; a channel of two receivers.
    pub fn related(
        sources: impl IntoIterator<Item = (u32, Array)>,
        mut receivers: Vec<SurveyReceiver>,
        relations: &[Relation],
    ) -> Result<Self, AcquisitionError> {
        receivers.sort_by_key(|receiver| receiver.channel);
        let list: Arc<[SurveyReceiver]> = receivers.into();
        let mut windows: HashMap<u32, Vec<Window>> = HashMap::new();
        for &Relation { shot, from, to } in relations {
            let start = list.partition_point(|receiver| receiver.channel < from);
            let end = list.partition_point(|receiver| receiver.channel <= to);
            if start >= end {
                return Err(AcquisitionError::EmptyRelation { shot, from, to });
            }
            windows.entry(shot).or_default().push(Window { range: start..end, first_channel: None });
        }
        let mut shots = Vec::new();
        for (number, source) in sources {
            let windows = windows.get(&number).cloned().unwrap_or_default();
            shots.push(Shot { number, source, spread: Spread::windows(list.clone(), windows)? });
        }
        require_shots(&shots, relations.iter().map(|relation| relation.shot))?;
        Self::new(shots)
    }

    /// Creates a survey in which each shot has its own list of receivers, as in trace headers.
    ///
    /// # Arguments
    /// * `sources` – number and source of each shot
    /// * `receivers` – pairs of shot number and receiver, in any order of shots; the order within a shot is kept
    /// # Errors
    /// As [`new`](Self::new); a receiver of a shot that does not exist.
    pub fn from_receivers_by_shot(
        sources: impl IntoIterator<Item = (u32, Array)>,
        receivers: impl IntoIterator<Item = (u32, SurveyReceiver)>,
    ) -> Result<Self, AcquisitionError> {
        let mut lists: HashMap<u32, Vec<SurveyReceiver>> = HashMap::new();
        for (shot, receiver) in receivers {
            lists.entry(shot).or_default().push(receiver);
        }
        let mut known: Option<Arc<[SurveyReceiver]>> = None;
        let mut shots = Vec::new();
        for (number, source) in sources {
            let list = lists.get(&number).map_or(&[][..], Vec::as_slice);
            // Consecutive shots often have the same receivers.
            let list = known.take().filter(|known| known[..] == *list).unwrap_or_else(|| list.into());
            shots.push(Shot { number, source, spread: Spread::all(list.clone()) });
            known = Some(list);
        }
        require_shots(&shots, lists.into_keys())?;
        Self::new(shots)
    }

    /// Replaces each source and each receiver by an array of the given points about its position; an empty list changes nothing.
    ///
    /// # Errors
    /// Weights that are all zero or whose sum is not finite.
    pub fn with_arrays(self, source: &[WeightedPoint], group: &[WeightedPoint]) -> Result<Self, AcquisitionError> {
        let mut lists: Vec<[Arc<[SurveyReceiver]>; 2]> = Vec::new();
        let shots = self.shots.into_iter().map(|shot| Shot {
            source: shot.source.with_points(source),
            spread: shot.spread.with_list(|list| {
                // Keep shared lists shared.
                if let Some([_, known]) = lists.iter().rev().find(|[plain, _]| Arc::ptr_eq(plain, list)) {
                    return known.clone();
                }
                let receiver = |own: &SurveyReceiver| SurveyReceiver { array: own.array.with_points(group), ..*own };
                let made: Arc<[SurveyReceiver]> = list.iter().map(receiver).collect();
                lists.push([list.clone(), made.clone()]);
                made
            }),
            ..shot
        });
        Self::new(shots.collect())
    }

    /// The shots, at least one.
    #[must_use]
    pub fn shots(&self) -> &[Shot] {
        &self.shots
    }

    /// Horizontal direction of the line at each shot, of any length: to the neighbour in the order of shot numbers, the nearer one since lines
    /// follow each other, or from the first to the last receiver if all shots have one position.
    #[must_use]
    pub fn directions(&self) -> Vec<[f64; 2]> {
        let mut order: Vec<usize> = (0..self.shots.len()).collect();
        order.sort_by_key(|&shot| self.shots[shot].number);
        let mut directions = vec![[0.0; 2]; self.shots.len()];
        let steps: Vec<[f64; 2]> = order.windows(2).map(|pair| self.step(pair)).collect();
        let length = |[x, y]: [f64; 2]| x.hypot(y);
        let is_step = |step: &[f64; 2]| length(*step) > 0.0;
        for (place, &shot) in order.iter().enumerate() {
            // Several shots may be at one position.
            let back = steps[..place].iter().rev().copied().find(is_step);
            let ahead = steps[place..].iter().copied().find(is_step);
            directions[shot] = match (back, ahead) {
                (Some(back), Some(ahead)) if length(back) < length(ahead) => back,
                (_, Some(ahead)) => ahead,
                (Some(back), None) => back,
                (None, None) => self.shots[shot].spread_direction(),
            };
        }
        directions
    }

    /// Horizontal vector from one shot to another \[m\].
    fn step(&self, pair: &[usize]) -> [f64; 2] {
        let [from, to] = [pair[0], pair[1]].map(|shot| self.shots[shot].source.centre());
        [to[0] - from[0], to[1] - from[1]]
    }

    /// Total number of traces of all shots.
    #[must_use]
    pub fn trace_count(&self) -> usize {
        self.shots.iter().map(|shot| shot.spread.len()).sum()
    }

    /// Checks that all sources and receivers, including the points of their arrays, lie inside the domain.
    ///
    /// # Errors
    /// [`AcquisitionError::OutsideDomain`] for the first one outside.
    pub fn check_inside(&self, domain: &Extent) -> Result<(), AcquisitionError> {
        self.shots.iter().try_for_each(|shot| shot.check_inside(domain))
    }
}

/// Refuses numbers that no shot has; the error names the smallest.
fn require_shots(shots: &[Shot], numbers: impl Iterator<Item = u32>) -> Result<(), AcquisitionError> {
    let known: HashSet<u32> = shots.iter().map(|shot| shot.number).collect();
    match numbers.filter(|number| !known.contains(number)).min() {
        Some(shot) => Err(AcquisitionError::UnknownShot { shot }),
        None => Ok(()),
    }
}

/// Creates receivers at positions, with channels from 1.
#[must_use]
pub fn numbered_receivers(positions: impl IntoIterator<Item = [f64; 3]>) -> Vec<SurveyReceiver> {
    let receiver = |(channel, position)| SurveyReceiver { channel, array: Array::point(position) };
    (1..).zip(positions).map(receiver).collect()
}

/// Creates sources at positions, with shot numbers from 1.
#[must_use]
pub fn numbered_sources(positions: impl IntoIterator<Item = [f64; 3]>) -> Vec<(u32, Array)> {
    (1..).zip(positions).map(|(number, position)| (number, Array::point(position))).collect()
}
