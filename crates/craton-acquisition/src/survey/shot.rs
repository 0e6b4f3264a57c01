//! A shot and its traces.

use super::{Array, Extent, Spread, SurveyReceiver, Who};
use crate::AcquisitionError;

/// A source, or a source array, and the receivers that are live when it goes off.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// Number of the shot, unique in its survey.
    pub number: u32,
    /// Where it goes off.
    pub source: Array,
    /// Who listens.
    pub spread: Spread,
}

/// The geometry of a trace, between the centres of its source and its group of receivers.
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
    /// Horizontal distance between source and group \[m\]: never negative, on whichever side of the source the group stands. The sign that
    /// SEG-Y gives to offsets against the direction of the line is left to who knows that direction.
    #[must_use]
    pub fn offset(&self) -> f64 {
        (self.receiver[0] - self.source[0]).hypot(self.receiver[1] - self.source[1])
    }

    /// x and y \[m\] halfway between source and group.
    #[must_use]
    pub fn midpoint(&self) -> [f64; 2] {
        std::array::from_fn(|axis| 0.5 * (self.source[axis] + self.receiver[axis]))
    }
}

impl Shot {
    /// The geometry of its traces, in the order of its receivers.
    pub fn traces(&self) -> impl Iterator<Item = Trace> {
        let source = self.source.centre();
        self.spread.receivers().map(move |SurveyReceiver { channel, array }| Trace {
            channel,
            source,
            receiver: array.centre(),
        })
    }

    /// The part of the model that it needs: the box around all points of its source and receivers, and a margin on both sides along x, y
    /// and z \[m\].
    #[must_use]
    pub fn aperture(&self, margin: [f64; 3]) -> Extent {
        let receivers: Vec<SurveyReceiver> = self.spread.receivers().collect();
        let points = receivers.iter().flat_map(|receiver| receiver.array.points());
        Extent::around(self.source.points().chain(points)).grown(margin)
    }

    /// Refuses a shot without receivers, a channel that stands twice, positions and weights that mean nothing.
    ///
    /// # Arguments
    /// * `channels` – room for the channels, what it holds counts nothing
    pub(super) fn check(&self, channels: &mut Vec<u32>) -> Result<(), AcquisitionError> {
        let shot = self.number;
        if self.spread.is_empty() {
            return Err(AcquisitionError::NoReceivers { shot });
        }
        self.source.check(Who { shot, channel: None })?;
        channels.clear();
        for SurveyReceiver { channel, array } in self.spread.receivers() {
            array.check(Who { shot, channel: Some(channel) })?;
            channels.push(channel);
        }
        channels.sort_unstable();
        match channels.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(AcquisitionError::DuplicateChannel { shot, channel: pair[0] }),
            None => Ok(()),
        }
    }

    /// Refuses a point outside a box.
    pub(super) fn check_inside(&self, domain: &Extent) -> Result<(), AcquisitionError> {
        let shot = self.number;
        check_array_inside(&self.source, domain, Who { shot, channel: None })?;
        self.spread.receivers().try_for_each(|SurveyReceiver { channel, array }| {
            check_array_inside(&array, domain, Who { shot, channel: Some(channel) })
        })
    }
}

fn check_array_inside(array: &Array, domain: &Extent, who: Who) -> Result<(), AcquisitionError> {
    match array.points().find(|point| !domain.contains(point.position)) {
        Some(point) => Err(AcquisitionError::OutsideDomain { who, position: point.position, domain: *domain }),
        None => Ok(()),
    }
}
