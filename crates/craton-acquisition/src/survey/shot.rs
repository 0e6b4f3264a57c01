//! A shot and the geometry of its traces.

use super::{Array, Extent, ShotChannel, Spread, SurveyReceiver};
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
}

impl Trace {
    /// Horizontal distance between source and group \[m\], never negative. SEG-Y gives a sign to offsets against the direction of the line;
    /// code that knows this direction must add it.
    #[must_use]
    pub fn offset(&self) -> f64 {
        (self.receiver[0] - self.source[0]).hypot(self.receiver[1] - self.source[1])
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
        })
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
