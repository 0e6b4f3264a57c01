//! How messages name who stands where.

use super::Extent;
use std::fmt;

/// The source of a shot, or a receiver that listens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    /// Number of the shot.
    pub shot: u32,
    /// Channel of the receiver; `None` for the source.
    pub channel: Option<u32>,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shot, channel } = self;
        match channel {
            None => write!(f, "source of shot {shot}"),
            Some(channel) => write!(f, "receiver of shot {shot}, channel {channel}"),
        }
    }
}

/// A position x, y, z \[m\] as those who write a survey know it: with its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtDepth(pub [f64; 3]);

impl fmt::Display for AtDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([x, y, z]) = self;
        write!(f, "x = {x}, y = {y}, depth = {} m", 0.0 - z)
    }
}

impl fmt::Display for Extent {
    /// As those who write a survey know it: `x from 0 to 2000, y from -10 to 10, depth from 0 to 500 m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high } = self;
        write!(f, "x from {} to {}, y from {} to {}, ", low[0], high[0], low[1], high[1])?;
        write!(f, "depth from {} to {} m", 0.0 - high[2], 0.0 - low[2])
    }
}
