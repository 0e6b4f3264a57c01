//! What only the processing of seismograms can suffer.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::number::Number;

/// Why seismograms could not be processed; nothing was written then.
#[derive(Debug, Error, Diagnostic)]
pub enum ProcessError {
    /// No operation and no form.
    #[error("nothing was asked for: no operation, and no --format")]
    #[diagnostic(help("name what is to be done, as in --lowpass 0.05; `craton process --help` tells all operations"))]
    NothingToDo,

    /// No file.
    #[error("no seismogram was named")]
    #[diagnostic(help(
        "give results folders, folders of seismograms (.sac, .mseed, .txt or SPECFEM's), or such files"
    ))]
    NoFiles,

    /// A file that is not what it was when it was checked.
    #[error("{}: it has changed since its header was read", file.display())]
    #[diagnostic(help("is the run that writes it still going? process its seismograms when it has ended"))]
    Changed {
        /// The file.
        file: PathBuf,
    },

    /// A value that suits no trace.
    #[error("{option} ({value}): give {allowed}")]
    #[diagnostic(help("`craton process --help` tells what every operation takes"))]
    BadValue {
        /// The option.
        option: &'static str,
        /// The operation as it was asked for.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },

    /// An operation that a trace does not allow.
    #[error("{}: {option} ({asked}): {reason}", file.display())]
    #[diagnostic(help(
        "operations follow each other in the order in which they are given, each on the samples that the one before has left"
    ))]
    Refused {
        /// The file of the trace.
        file: PathBuf,
        /// The option.
        option: &'static str,
        /// The operation as it was asked for.
        asked: String,
        /// What is wrong.
        reason: craton_numerics::NumericsError,
    },

    /// A window that the trace does not have.
    #[error(
        "{}: --cut ({asked}) leaves less than two samples of the trace, which covers {} to {} s",
        file.display(), Number(*start), Number(*end)
    )]
    #[diagnostic(help("choose times inside of it; operations before the cut may have shifted it"))]
    EmptyCut {
        /// The file of the trace.
        file: PathBuf,
        /// The operation as it was asked for.
        asked: String,
        /// Time of the first sample [s].
        start: f64,
        /// Time of the last sample [s].
        end: f64,
    },

    /// A quantity whose integral or derivative has no name.
    #[error("{}: {option}: the trace is {quantity}, and what becomes of it has no name", file.display())]
    #[diagnostic(help(
        "acceleration and velocity can be integrated, displacement and velocity differentiated; name the files that can, or their folder alone"
    ))]
    NoQuantity {
        /// The file of the trace.
        file: PathBuf,
        /// The option.
        option: &'static str,
        /// The quantity that it has.
        quantity: &'static str,
    },

    /// A form that cannot hold a trace.
    #[error("{}: {lacks} for {quantity}", file.display())]
    #[diagnostic(help("write another form: --format sac or --format text"))]
    NoForm {
        /// The file of the trace.
        file: PathBuf,
        /// What the form does not have.
        lacks: &'static str,
        /// What it holds.
        quantity: &'static str,
    },

    /// Codes or dates that miniSEED has no room for.
    #[error("{}: miniSEED cannot hold its {what}, {value}; expected {expected}", file.display())]
    #[diagnostic(help("write another form: --format sac or --format text"))]
    NotMiniseed {
        /// The file of the trace.
        file: PathBuf,
        /// What it cannot hold.
        what: String,
        /// That.
        value: String,
        /// What it can hold.
        expected: String,
    },

    /// Two traces that would be one file.
    #[error("{} and {} would both be written as {name}", first.display(), second.display())]
    #[diagnostic(help("process them by two commands with an output folder each"))]
    SameName {
        /// One file.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
        /// The name of what would be written.
        name: String,
    },

    /// Results beside what they were made from.
    #[error("the output folder {} is where the seismograms come from", folder.display())]
    #[diagnostic(help("name another folder: what was computed stays as it is"))]
    OutputIsInput {
        /// The folder.
        folder: PathBuf,
    },

    /// Results in a folder whose seismograms would hide them.
    #[error("the output folder {} holds a folder {seismograms}, as the results of a run do", folder.display())]
    #[diagnostic(help("name another folder: other commands would read those seismograms and not these"))]
    ResultsFolder {
        /// The folder.
        folder: PathBuf,
        /// The folder in it.
        seismograms: &'static str,
    },

    /// A rotation without anything to turn.
    #[error("--rotate: no seismogram has horizontal components")]
    #[diagnostic(help("components are told by the last letter of their name: N and E, or Y and X"))]
    NothingToRotate,

    /// One horizontal component alone.
    #[error("{}: --rotate: the component {missing} of this seismogram is missing", file.display())]
    #[diagnostic(help(
        "name both horizontal components, or their folder; they have the same name but for the last letter of the component"
    ))]
    MissingComponent {
        /// The file of the one that is there.
        file: PathBuf,
        /// The one that is not.
        missing: &'static str,
    },

    /// Horizontal components that were not sampled together.
    #[error(
        "--rotate: the horizontal components are not alike: {} has {of_first} {what}, {} has {of_second}",
        first.display(), second.display()
    )]
    #[diagnostic(help("bring both to the same times before: --cut FROM,TO, --resample SECONDS"))]
    UnequalComponents {
        /// The file of the northern one.
        first: PathBuf,
        /// The file of the eastern one.
        second: PathBuf,
        /// What differs.
        what: &'static str,
        /// That of the northern one.
        of_first: String,
        /// That of the eastern one.
        of_second: String,
    },

    /// A header without a direction to the event.
    #[error("{}: --rotate: the file does not tell the back-azimuth", file.display())]
    #[diagnostic(help(
        "SAC (BAZ) and text (back_azimuth) tell it where a run has an event, SPECFEM's files and miniSEED never: take SAC where it is there too by --format sac, or, of a model in a plane, say where the event is, in metres, as in --event-position 0,0"
    ))]
    NoBackAzimuth {
        /// The file.
        file: PathBuf,
    },

    /// A header without a position.
    #[error("{}: --event-position: the file does not tell the position of the receiver", file.display())]
    #[diagnostic(help(
        "Craton writes it into SAC (USER0, USER1) and text; without it only the back-azimuth of a header can be used"
    ))]
    NoPosition {
        /// The file.
        file: PathBuf,
    },

    /// A place of the event in metres where there is no plane.
    #[error(
        "{}: --event-position: the seismogram is of a chunk of the Earth, where positions are arcs on the sphere and no plane has the direction", file.display()
    )]
    #[diagnostic(help(
        "leave it out: the header tells the back-azimuth of the event; or let the run record R and T itself: receivers.components = [\"radial\"]"
    ))]
    OnSphere {
        /// The file.
        file: PathBuf,
    },

    /// A receiver above the event.
    #[error(
        "{}: --event-position: the receiver stands at the event, x = {}, y = {} m, and has no direction to it",
        file.display(), Number(position[0]), Number(position[1])
    )]
    #[diagnostic(help("leave the station out, or give another position"))]
    AtEvent {
        /// The file.
        file: PathBuf,
        /// Position of the receiver [m].
        position: [f64; 2],
    },
}
