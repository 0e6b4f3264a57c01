//! Spreads: the receivers of a shot, stored once for all shots that share them.

use super::Array;
use crate::AcquisitionError;
use crate::error::check;
use std::ops::Range;
use std::sync::Arc;

/// A receiver, or a group of receivers that records one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyReceiver {
    /// Channel number, unique within a shot.
    pub channel: u32,
    /// Position or group.
    pub array: Array,
}

/// A contiguous range in a list of receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Indices in the list, from 0.
    pub range: Range<usize>,
    /// Channel of the first receiver, from which the others are numbered; `None` to use the channels of the list.
    pub first_channel: Option<u32>,
}

/// The receivers of one shot: windows of a shared list, all shifted by the same vector.
///
/// Fixed receivers are the whole list; a streamer is the whole list, shifted with the shot; a spread that rolls along a line is one window
/// on each side of the shot.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    list: Arc<[SurveyReceiver]>,
    windows: Vec<Window>,
    shift: [f64; 3],
}

impl Spread {
    /// Creates a spread of all receivers of a list.
    #[must_use]
    pub fn all(list: Arc<[SurveyReceiver]>) -> Self {
        let windows = vec![Window { range: 0..list.len(), first_channel: None }];
        Self { list, windows, shift: [0.0; 3] }
    }

    /// Creates a spread of windows of a list.
    ///
    /// # Errors
    /// A window outside the list, channels above 4294967295.
    pub fn windows(list: Arc<[SurveyReceiver]>, windows: Vec<Window>) -> Result<Self, AcquisitionError> {
        for Window { range, first_channel } in &windows {
            let hint = "windows must lie within the list of receivers, with the end at or after the start";
            let allowed = "an index of the list of receivers";
            check(range.end <= list.len(), "end of a window of receivers", range.end as f64, allowed, hint)?;
            check(range.start <= range.end, "start of a window of receivers", range.start as f64, allowed, hint)?;
            let last = u64::from(first_channel.unwrap_or(0)) + range.len() as u64;
            let hint = "number channels from 1";
            check(last <= 1 << 32, "last channel of a window", last as f64 - 1.0, "4294967295 or less", hint)?;
        }
        Ok(Self { list, windows, shift: [0.0; 3] })
    }

    /// Shifts the receivers by a vector \[m\].
    #[must_use]
    pub fn moved(self, by: [f64; 3]) -> Self {
        let shift = std::array::from_fn(|axis| self.shift[axis] + by[axis]);
        Self { shift, ..self }
    }

    /// Replaces the list of receivers by one of the same length.
    pub(super) fn with_list(self, list: impl FnOnce(&Arc<[SurveyReceiver]>) -> Arc<[SurveyReceiver]>) -> Self {
        Self { list: list(&self.list), ..self }
    }

    /// Number of receivers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.windows.iter().map(|window| window.range.len()).sum()
    }

    /// Whether the spread has no receivers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The receivers at their shifted positions, with the channels of this shot.
    pub fn receivers(&self) -> impl Iterator<Item = SurveyReceiver> {
        self.windows.iter().flat_map(move |window| {
            let receivers = self.list[window.range.clone()].iter();
            receivers.zip(0..).map(move |(receiver, index)| SurveyReceiver {
                channel: window.first_channel.map_or(receiver.channel, |first| first + index),
                array: receiver.array.moved(self.shift),
            })
        })
    }
}
