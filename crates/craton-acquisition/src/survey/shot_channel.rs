//! Display of sources, receivers, positions and boxes in messages.

use super::Extent;
use std::fmt;

/// The source of a shot, or one of its receivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShotChannel {
    /// Number of the shot.
    pub shot: u32,
    /// Channel of the receiver; `None` for the source.
    pub channel: Option<u32>,
}

impl fmt::Display for ShotChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shot, channel } = self;
        match channel {
            None => write!(f, "source of shot {shot}"),
            Some(channel) => write!(f, "receiver of shot {shot}, channel {channel}"),
        }
    }
}

/// A position x, y, z \[m\], displayed with its depth instead of z, as in survey files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtDepth(pub [f64; 3]);

impl fmt::Display for AtDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0.map(micro);
        write!(f, "x = {x}, y = {y}, depth = {} m", 0.0 - z)
    }
}

/// A length \[m\] to the micrometre, without digits of round-off.
fn micro(length: f64) -> f64 {
    let rounded = (1e6 * length).round() / 1e6;
    if rounded.is_finite() { rounded } else { length }
}

impl fmt::Display for Extent {
    /// Displays the box with depths, as in survey files: `x from 0 to 2000, y from -10 to 10, depth from 0 to 500 m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = [self.low, self.high].map(|corner| corner.map(micro));
        write!(f, "x from {} to {}, y from {} to {}, ", low[0], high[0], low[1], high[1])?;
        write!(f, "depth from {} to {} m", 0.0 - high[2], 0.0 - low[2])
    }
}
