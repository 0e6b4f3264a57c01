//! Errors of sources, time functions, receivers and surveys.

use crate::survey::{AtDepth, Extent, ShotChannel};

/// An error of a source, a time function, a receiver or a survey.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AcquisitionError {
    /// A number outside its allowed range.
    #[error("{what} = {value} is not allowed: it must be {allowed}; {hint}")]
    OutOfRange {
        /// The quantity, with the name of its source or receiver if it has one.
        what: String,
        /// The value as given.
        value: f64,
        /// The allowed range, with its unit.
        allowed: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A moment tensor or a force with all components zero.
    #[error(
        "source \"{source_name}\" radiates nothing: all components of its {mechanism} are zero; \
         set at least one (moments in N m, forces in N)"
    )]
    Silent {
        /// The source.
        source_name: String,
        /// "moment tensor" or "force".
        mechanism: &'static str,
    },
    /// A rate that does not return to zero, so that moment or force would grow without bound.
    #[error(
        "source \"{source_name}\": its time function ends at {final_value} instead of 0, so as a rate it would make \
         the {mechanism} grow without bound; use it as a history, or use a pulse"
    )]
    EndlessGrowth {
        /// The source.
        source_name: String,
        /// "moment tensor" or "force".
        mechanism: &'static str,
        /// The value of the time function after its end.
        final_value: f64,
    },
    /// A sampled time function with invalid samples.
    #[error("the sampled time function has {problem}; {hint}")]
    BadSamples {
        /// What is wrong, and where.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// A receiver code that cannot be used in the name of a file or a trace.
    #[error(
        "receiver code \"{code}\" is not allowed: {problem}; write NET.STA or NET.STA.LOC with ASCII letters, digits, \
         '-' and '_', at most {longest} characters each",
        longest = crate::receiver::LONGEST_CODE
    )]
    BadCode {
        /// The code as given.
        code: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two receivers with the same code; the traces of one would overwrite those of the other.
    #[error(
        "receivers {first} and {second} (counted from 1) have the same code \"{code}\", at {first_position:?} and \
         {second_position:?} m; give each a unique code"
    )]
    DuplicateCode {
        /// The code they share.
        code: String,
        /// Number of the first receiver, from 1.
        first: usize,
        /// Number of the second receiver, from 1.
        second: usize,
        /// Position of the first receiver \[m\].
        first_position: [f64; 3],
        /// Position of the second receiver \[m\].
        second_position: [f64; 3],
    },
    /// A FORCESOLUTION time function that Craton does not support.
    #[error(
        "source \"{source_name}\": time function {code} is not supported; use 0 (Gaussian), 1 (Ricker), 2 (step), \
         5 (Brune) or 6 (smoothed Brune)"
    )]
    UnknownTimeFunction {
        /// The source.
        source_name: String,
        /// The code as given.
        code: usize,
    },
    /// A FORCESOLUTION without a time function.
    #[error("source \"{source_name}\" has no line `source time function`")]
    NoTimeFunction {
        /// The source.
        source_name: String,
        /// The meanings of the codes, for the help.
        meanings: &'static str,
    },
    /// A map position that cannot be converted to model coordinates.
    #[error("\"{name}\" cannot be placed: {reason}")]
    Unplaceable {
        /// The source or receiver.
        name: String,
        /// The reason given by the projection.
        reason: String,
    },
    /// Two shots with the same number.
    #[error(
        "two shots have the number {shot}; give each a unique number, or add a weight column to make them one source array"
    )]
    DuplicateShot {
        /// The number they share.
        shot: u32,
    },
    /// Two receivers of a shot with the same channel.
    #[error(
        "two receivers of shot {shot} have the channel {channel}; give each a unique channel, or add a weight column to make them \
         one group"
    )]
    DuplicateChannel {
        /// The shot.
        shot: u32,
        /// The channel they share.
        channel: u32,
    },
    /// A shot without receivers.
    #[error("shot {shot} has no receivers; add receivers, or remove the shot")]
    NoReceivers {
        /// The shot.
        shot: u32,
    },
    /// Receivers, or a relation, of a shot that does not exist.
    #[error("receivers refer to shot {shot}, which does not exist; add the shot, or remove the receivers")]
    UnknownShot {
        /// The number.
        shot: u32,
    },
    /// A relation that matches no receivers.
    #[error("shot {shot} uses channels {from} to {to}, but no receiver has one of them; check the list of receivers")]
    EmptyRelation {
        /// The shot.
        shot: u32,
        /// First channel.
        from: u32,
        /// Last channel.
        to: u32,
    },
    /// A source or a receiver of a survey outside the domain.
    #[error("the {channel} is at {}, outside the domain: {domain}; move it, or enlarge the domain", AtDepth(*position))]
    OutsideDomain {
        /// The source or receiver.
        channel: ShotChannel,
        /// x, y, z \[m\].
        position: [f64; 3],
        /// The domain.
        domain: Extent,
    },
    /// An error in a survey that was read from tables, with its place.
    #[error("{place}: {reason}")]
    At {
        /// File, line and column.
        place: String,
        /// What is wrong.
        reason: Box<AcquisitionError>,
    },
}

/// Returns the value if it is finite and above zero.
pub(crate) fn positive(
    what: &str,
    value: f64,
    allowed: &'static str,
    hint: &'static str,
) -> Result<f64, AcquisitionError> {
    check(value.is_finite() && value > 0.0, what, value, allowed, hint)
}

/// Returns the value if it is finite.
pub(crate) fn finite(what: &str, value: f64, allowed: &'static str) -> Result<f64, AcquisitionError> {
    check(value.is_finite(), what, value, allowed, "check the input for NaN and infinity")
}

/// Returns the value if `passed`, else an error with the range and the hint.
pub(crate) fn check(
    passed: bool,
    what: &str,
    value: f64,
    allowed: &'static str,
    hint: &'static str,
) -> Result<f64, AcquisitionError> {
    if passed {
        return Ok(value);
    }
    Err(AcquisitionError::OutOfRange { what: what.to_owned(), value, allowed, hint })
}
