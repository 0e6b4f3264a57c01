//! A shot and the geometry of its traces.

use super::{Array, Extent, ShotChannel, Site, Spread, SurveyReceiver};
use crate::AcquisitionError;

/// A source or source array, and the receivers that are live at the shot.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// Number of the shot, unique in its survey.
    pub number: u32,
    /// Source position or array.
    pub source: Array,
    /// Live receivers.
    pub spread: Spread,
}

/// Geometry of a trace, between the centres of its source and its receiver group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    /// Channel in its shot.
    pub channel: u32,
    /// Centre of the source: x, y, z \[m\].
    pub source: [f64; 3],
    /// Centre of the group: x, y, z \[m\].
    pub receiver: [f64; 3],
    /// The surface at the source.
    pub source_site: Site,
    /// The surface at the group.
    pub receiver_site: Site,
}

impl Trace {
    /// Horizontal distance between source and group \[m\], never negative.
    #[must_use]
    pub fn offset(&self) -> f64 {
        (self.receiver[0] - self.source[0]).hypot(self.receiver[1] - self.source[1])
    }

    /// Whether the group lies against a direction from the source; across it, it does not.
    #[must_use]
    pub fn is_against(&self, direction: [f64; 2]) -> bool {
        /// Tolerance of the cosine, for round-off of coordinates.
        const ACROSS: f64 = 1e-9;
        let along = [0, 1].map(|axis| (self.receiver[axis] - self.source[axis]) * direction[axis]);
        along[0] + along[1] < -ACROSS * self.offset() * direction[0].hypot(direction[1])
    }

    /// Midpoint x, y \[m\] of source and group.
    #[must_use]
    pub fn midpoint(&self) -> [f64; 2] {
        std::array::from_fn(|axis| 0.5 * (self.source[axis] + self.receiver[axis]))
    }
}

impl Shot {
    /// Geometry of the traces, in the order of the receivers.
    pub fn traces(&self) -> impl Iterator<Item = Trace> {
        let source = self.source.centre();
        self.spread.receivers().map(move |SurveyReceiver { channel, array }| Trace {
            channel,
            source,
            receiver: array.centre(),
            source_site: self.source.site(),
            receiver_site: array.site(),
        })
    }

    /// Horizontal vector from the receiver of the lowest channel to that of the highest \[m\].
    pub(super) fn spread_direction(&self) -> [f64; 2] {
        let of = |end: Option<SurveyReceiver>| end.map_or([0.0; 3], |receiver| receiver.array.centre());
        let first = of(self.spread.receivers().min_by_key(|receiver| receiver.channel));
        let last = of(self.spread.receivers().max_by_key(|receiver| receiver.channel));
        [last[0] - first[0], last[1] - first[1]]
    }

    /// The part of the model that the shot needs: the bounding box of all points of its source and receivers, enlarged by a margin on both
    /// sides along x, y and z \[m\].
    #[must_use]
    pub fn aperture(&self, margin: [f64; 3]) -> Extent {
        let receivers: Vec<SurveyReceiver> = self.spread.receivers().collect();
        let points = receivers.iter().flat_map(|receiver| receiver.array.points());
        Extent::around(self.source.points().chain(points)).grown(margin)
    }

    /// Refuses a shot without receivers, a duplicate channel, and invalid positions and weights.
    ///
    /// # Arguments
    /// * `channels` – scratch vector; its content is overwritten
    pub(super) fn check(&self, channels: &mut Vec<u32>) -> Result<(), AcquisitionError> {
        let shot = self.number;
        if self.spread.is_empty() {
            return Err(AcquisitionError::NoReceivers { shot });
        }
        self.source.check(ShotChannel { shot, channel: None })?;
        channels.clear();
        for SurveyReceiver { channel, array } in self.spread.receivers() {
            array.check(ShotChannel { shot, channel: Some(channel) })?;
            channels.push(channel);
        }
        channels.sort_unstable();
        match channels.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(AcquisitionError::DuplicateChannel { shot, channel: pair[0] }),
            None => Ok(()),
        }
    }

    /// Refuses a shot with a point outside the domain.
    pub(super) fn check_inside(&self, domain: &Extent) -> Result<(), AcquisitionError> {
        let shot = self.number;
        check_array_inside(&self.source, domain, ShotChannel { shot, channel: None })?;
        self.spread.receivers().try_for_each(|SurveyReceiver { channel, array }| {
            check_array_inside(&array, domain, ShotChannel { shot, channel: Some(channel) })
        })
    }
}

fn check_array_inside(array: &Array, domain: &Extent, channel: ShotChannel) -> Result<(), AcquisitionError> {
    match array.points().find(|point| !domain.contains(point.position)) {
        Some(point) => Err(AcquisitionError::OutsideDomain { channel, position: point.position, domain: *domain }),
        None => Ok(()),
    }
}
