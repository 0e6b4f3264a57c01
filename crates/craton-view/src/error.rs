//! Errors of this crate.

use std::path::PathBuf;

/// An error while drawing or writing a picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to draw.
    #[error("there are no {what} to draw; give at least one")]
    Nothing {
        /// What the picture is made of, in the plural.
        what: &'static str,
    },
    /// A trace has no samples.
    #[error("trace {trace} has no samples; remove it or record at least one")]
    NoSamples {
        /// Label and component of the trace.
        trace: String,
    },
    /// A value is NaN or infinite.
    #[error("{what} is {value} at index {index}, but must be finite; look for an unstable run or a damaged file")]
    NotFinite {
        /// The trace, raster, face or mark that holds the value.
        what: String,
        /// Index of the first such value.
        index: usize,
        /// The value.
        value: f64,
    },
    /// The time step of a trace is not positive.
    #[error("trace {trace} has a time step of {dt} s, but it must be positive and finite")]
    TimeStep {
        /// Label and component of the trace.
        trace: String,
        /// The time step \[s\].
        dt: f64,
    },
    /// A trace of a record section has no offset.
    #[error("trace {trace} has no offset; give every trace an offset or arrange the section by index")]
    NoOffset {
        /// Label and component of the trace.
        trace: String,
    },
    /// An array has the wrong length.
    #[error("{what} holds {found} values, but {expected} are needed")]
    Length {
        /// What holds the values.
        what: String,
        /// How many it holds.
        found: usize,
        /// How many it must hold.
        expected: usize,
    },
    /// A range is empty or upside down.
    #[error("{what} goes from {low} to {high}, but the second must be greater than the first and both finite")]
    Range {
        /// What has this range.
        what: &'static str,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// A speed, a factor or a frequency is not positive.
    #[error("{what} is {value}, but must be positive and finite")]
    NotPositive {
        /// What has this value.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// The clip is not a percentile.
    #[error("the clip is percentile {percentile} of the amplitudes, but must be above 0 and at most 100")]
    Clip {
        /// The requested percentile.
        percentile: f64,
    },
    /// There are more items than a picture can hold.
    #[error("there are {count} {what}, but a picture holds at most {most}; draw several pictures")]
    TooMany {
        /// What there are too many of, in the plural.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A panel cannot be placed as requested.
    #[error("panel {panel} {problem}; give every panel a different position, or none of them any")]
    Place {
        /// Title of the panel.
        panel: String,
        /// What is wrong with its position.
        problem: String,
    },
    /// The requested time window contains no samples.
    #[error("no trace has samples between {start} s and {end} s; the traces span {first} s to {last} s")]
    Window {
        /// Start of the requested window \[s\].
        start: f64,
        /// Its end \[s\].
        end: f64,
        /// Time of the earliest sample \[s\].
        first: f64,
        /// Time of the latest sample \[s\].
        last: f64,
    },
    /// The paper is too small for a picture, or too large for memory.
    #[error(
        "a picture of {width} x {height} units at scale {scale} cannot be drawn; width and height must be at least {smallest} units and at most {largest} pixels"
    )]
    Paper {
        /// Requested width in units of 1/96 inch.
        width: f64,
        /// Requested height in units of 1/96 inch.
        height: f64,
        /// Requested pixels per unit.
        scale: f64,
        /// Smallest width and height in units.
        smallest: f64,
        /// Largest width and height in pixels.
        largest: f64,
    },
    /// The file could not be written.
    #[error("cannot write the picture {path}: {source}; free disk space, or raise the limit of file sizes (ulimit -f)")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system error.
        source: std::io::Error,
    },
}

/// Result of drawing a picture.
pub type Result<T> = std::result::Result<T, Error>;
