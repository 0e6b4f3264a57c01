//! What can be wrong with a source or a receiver.

use crate::survey::{AtDepth, Extent, Who};

/// Why a source, a time function or a receiver is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AcquisitionError {
    /// A number outside its range.
    #[error("{what} = {value} is not allowed: it must be {allowed}; {hint}")]
    OutOfRange {
        /// The quantity, with the name of its source or receiver where it has one.
        what: String,
        /// The value as given.
        value: f64,
        /// The range that would do, with its unit.
        allowed: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A moment tensor or a force without any component.
    #[error(
        "source \"{source_name}\" radiates nothing: every component of its {mechanism} is zero; \
         give at least one (moments in N m, forces in N)"
    )]
    Silent {
        /// The source.
        source_name: String,
        /// "moment tensor" or "force".
        mechanism: &'static str,
    },
    /// A rate that never ends, so that moment or force would grow for ever.
    #[error(
        "source \"{source_name}\": its time function ends at {final_value} instead of 0, and as a rate it would make \
         the {mechanism} grow for ever; let it describe the history instead of the rate, or use a pulse"
    )]
    EndlessGrowth {
        /// The source.
        source_name: String,
        /// "moment tensor" or "force".
        mechanism: &'static str,
        /// The value of the time function after its end.
        final_value: f64,
    },
    /// A sampled time function that cannot be one.
    #[error("the sampled time function has {problem}; {hint}")]
    BadSamples {
        /// What is wrong, with the place.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// A code that cannot name a file or a trace.
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
    /// Two receivers of one code: the traces of one would overwrite those of the other.
    #[error(
        "receivers {first} and {second} (counted from 1) are both called \"{code}\", at {first_position:?} and \
         {second_position:?} m; give each its own code"
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
    /// A FORCESOLUTION time function that has no counterpart here.
    #[error(
        "source \"{source_name}\": time function {code} is not available; choose 0 (Gaussian), 1 (Ricker), 2 (step), \
         5 (Brune) or 6 (smoothed Brune)"
    )]
    UnknownTimeFunction {
        /// The source.
        source_name: String,
        /// The code as given.
        code: usize,
    },
    /// A FORCESOLUTION without time functions.
    #[error("source \"{source_name}\" has no line `source time function`")]
    NoTimeFunction {
        /// The source.
        source_name: String,
        /// What the numbers mean.
        meanings: &'static str,
    },
    /// A place on the map that could not be turned into model coordinates.
    #[error("\"{name}\" cannot be placed: {reason}")]
    Unplaceable {
        /// The source or receiver.
        name: String,
        /// What the projection says.
        reason: String,
    },
    /// Two shots of one number.
    #[error("two shots have the number {shot}; give each its own, or join the points of a source array by weights")]
    DuplicateShot {
        /// The number they share.
        shot: u32,
    },
    /// Two receivers of one channel.
    #[error(
        "two receivers of shot {shot} have the channel {channel}; give each its own, or join the points of a group by \
         weights"
    )]
    DuplicateChannel {
        /// The shot.
        shot: u32,
        /// The channel they share.
        channel: u32,
    },
    /// A shot that no one listens to.
    #[error("shot {shot} has no receivers; give it some, or leave the shot out")]
    NoReceivers {
        /// The shot.
        shot: u32,
    },
    /// Receivers, or a relation, of a shot that is not there.
    #[error("there are receivers for shot {shot}, but no such shot; add it, or leave them out")]
    UnknownShot {
        /// The number.
        shot: u32,
    },
    /// A relation without receivers.
    #[error("no receiver has a channel from {from} to {to}, which shot {shot} asks for; see the list of receivers")]
    EmptyRelation {
        /// The shot.
        shot: u32,
        /// First channel.
        from: u32,
        /// Last channel.
        to: u32,
    },
    /// A source or a receiver of a survey outside the box it must be in.
    #[error("the {who} stands at {}, outside the domain: {domain}; move it, or enlarge the domain", AtDepth(*position))]
    OutsideDomain {
        /// Which source or receiver.
        who: Who,
        /// x, y, z \[m\].
        position: [f64; 3],
        /// The box.
        domain: Extent,
    },
    /// What is wrong with a survey that was read from tables.
    #[error("{place}: {reason}")]
    At {
        /// File, line and column.
        place: String,
        /// What is wrong there.
        reason: Box<AcquisitionError>,
    },
}

/// The value if it is finite and above zero.
pub(crate) fn positive(
    what: &str,
    value: f64,
    allowed: &'static str,
    hint: &'static str,
) -> Result<f64, AcquisitionError> {
    check(value.is_finite() && value > 0.0, what, value, allowed, hint)
}

/// The value if it is finite.
pub(crate) fn finite(what: &str, value: f64, allowed: &'static str) -> Result<f64, AcquisitionError> {
    check(value.is_finite(), what, value, allowed, "look for NaN or infinity in the input")
}

/// The value if it passed, the error that tells why not otherwise.
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
