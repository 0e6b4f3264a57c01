//! Errors of the processing of seismograms and maps.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::number::Number;

/// Why seismograms or maps could not be processed. In that case no file was written.
#[derive(Debug, Error, Diagnostic)]
pub enum ProcessError {
    /// Neither an operation nor a format.
    #[error("nothing to do: no operation and no --format is given")]
    #[diagnostic(help("give an operation such as --lowpass 0.05; `craton process --help` lists all operations"))]
    NothingToDo,

    /// No input file.
    #[error("no seismogram is given")]
    #[diagnostic(help("give results folders, folders of seismograms (.sac, .mseed, .txt or SPECFEM's), or files"))]
    NoFiles,

    /// A file changed after it was checked.
    #[error("{}: the file has changed since Craton read its header", file.display())]
    #[diagnostic(help("if a run still writes this file, wait until it ends"))]
    Changed {
        /// The file.
        file: PathBuf,
    },

    /// A value that is not valid for any trace.
    #[error("{option} ({value}): allowed is {allowed}")]
    #[diagnostic(help("see `craton process --help` for the values of every operation"))]
    BadValue {
        /// The option.
        option: &'static str,
        /// The operation as given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },

    /// An operation that is not valid for a trace.
    #[error("{}: {option} ({asked}): {reason}", file.display())]
    #[diagnostic(help("operations are applied in the given order, each to the result of the previous one"))]
    Refused {
        /// The file of the trace.
        file: PathBuf,
        /// The option.
        option: &'static str,
        /// The operation as given.
        asked: String,
        /// The problem.
        reason: craton_numerics::NumericsError,
    },

    /// The window is outside the trace.
    #[error(
        "{}: --cut ({asked}) leaves fewer than two samples of the trace, which covers {} to {} s",
        file.display(), Number(*start), Number(*end)
    )]
    #[diagnostic(help("choose times within the trace; earlier operations may have shifted it"))]
    EmptyCut {
        /// The file of the trace.
        file: PathBuf,
        /// The operation as given.
        asked: String,
        /// Time of the first sample [s].
        start: f64,
        /// Time of the last sample [s].
        end: f64,
    },

    /// A quantity without a named integral or derivative.
    #[error("{}: {option}: the result of this operation on {quantity} has no name", file.display())]
    #[diagnostic(help(
        "only acceleration and velocity can be integrated, and only displacement and velocity differentiated. Give only such files"
    ))]
    NoQuantity {
        /// The file of the trace.
        file: PathBuf,
        /// The option.
        option: &'static str,
        /// The quantity of the trace.
        quantity: &'static str,
    },

    /// A format that does not support a trace.
    #[error("{}: {lacks} for {quantity}", file.display())]
    #[diagnostic(help("choose another format: --format sac or --format text"))]
    NoForm {
        /// The file of the trace.
        file: PathBuf,
        /// What the format lacks.
        lacks: &'static str,
        /// The quantity of the trace.
        quantity: &'static str,
    },

    /// Codes or dates that miniSEED does not support.
    #[error("{}: miniSEED does not support the {what} {value}: expected {expected}", file.display())]
    #[diagnostic(help("choose another format: --format sac or --format text"))]
    NotMiniseed {
        /// The file of the trace.
        file: PathBuf,
        /// The name of the item.
        what: String,
        /// Its value.
        value: String,
        /// The supported values.
        expected: String,
    },

    /// A code that may not be part of a file name.
    #[error("{}: {what} = {value}: expected {expected}", file.display())]
    #[diagnostic(help("file names consist of the codes of a trace. Rename the codes or the file"))]
    BadCode {
        /// The file of the trace.
        file: PathBuf,
        /// The kind of code.
        what: String,
        /// The code.
        value: String,
        /// The allowed characters.
        expected: String,
    },

    /// Two traces with the same output file.
    #[error("{} and {} would both be written as {name}", first.display(), second.display())]
    #[diagnostic(help("process them separately, with different output folders"))]
    SameName {
        /// One file.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
        /// The name of the output file.
        name: String,
    },

    /// The output folder is the input folder.
    #[error("the output folder {} is also the input folder", folder.display())]
    #[diagnostic(help("choose another folder: Craton never overwrites computed seismograms"))]
    OutputIsInput {
        /// The folder.
        folder: PathBuf,
    },

    /// The output folder is a results folder.
    #[error("the output folder {} contains a folder {seismograms}, like the results of a run", folder.display())]
    #[diagnostic(help("choose another folder: other commands would read the seismograms of that run instead"))]
    ResultsFolder {
        /// The folder.
        folder: PathBuf,
        /// The subfolder.
        seismograms: &'static str,
    },

    /// Operations on maps and on seismograms in one command.
    #[error("operations on maps and on seismograms (or --format) cannot be combined")]
    #[diagnostic(help("process maps and seismograms in two commands"))]
    BothKinds,

    /// A file without a map that can be filtered.
    #[error("{}: {reason}", file.display())]
    #[diagnostic(help(
        "maps are netCDF variables over y and x, ESRI ASCII or GeoTIFF grids, or lines x y z, with an even spacing in metres"
    ))]
    NoMap {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },

    /// A map that cannot be filtered.
    #[error("{}, {map}: {reason}", file.display())]
    #[diagnostic(help("see `craton process --help` for the values of every operation"))]
    Map {
        /// The file.
        file: PathBuf,
        /// Name of the map.
        map: String,
        /// The problem.
        reason: Box<craton_gravity::GravityError>,
    },

    /// A rotation without horizontal components.
    #[error("--rotate: no seismogram has a horizontal component")]
    #[diagnostic(help("horizontal components have names that end in N and E, or in Y and X"))]
    NothingToRotate,

    /// A horizontal component without its partner.
    #[error("{}: --rotate: the component {missing} of this seismogram is missing", file.display())]
    #[diagnostic(help(
        "give both horizontal components or their folder; their names differ in the component's last letter only"
    ))]
    MissingComponent {
        /// The file of the existing component.
        file: PathBuf,
        /// The missing component.
        missing: &'static str,
    },

    /// Horizontal components with different sampling.
    #[error(
        "--rotate: the horizontal components differ: {} has {of_first} {what}, {} has {of_second}",
        first.display(), second.display()
    )]
    #[diagnostic(help("bring both to the same times first with --cut FROM,TO and --resample SECONDS"))]
    UnequalComponents {
        /// The file of the northern component.
        first: PathBuf,
        /// The file of the eastern component.
        second: PathBuf,
        /// What differs.
        what: &'static str,
        /// Value of the northern component.
        of_first: String,
        /// Value of the eastern component.
        of_second: String,
    },

    /// Horizontal components that are not perpendicular.
    #[error(
        "--rotate: {} points to {of_first} and {} to {of_second} degrees from north: they are not perpendicular",
        first.display(), second.display()
    )]
    #[diagnostic(help(
        "E or X must point 90 degrees to the right of N or Y. Correct the azimuths of the headers (CMPAZ)"
    ))]
    NotPerpendicular {
        /// The file of the northern component.
        first: PathBuf,
        /// The file of the eastern component.
        second: PathBuf,
        /// Azimuth of the northern component [degrees].
        of_first: f64,
        /// Azimuth of the eastern component [degrees].
        of_second: f64,
    },

    /// A sample that the output format cannot store.
    #[error(
        "{}: sample {sample} is {value:e} after processing; the output format stores {allowed}",
        file.display()
    )]
    #[diagnostic(help(
        "correct the sample in the file, or rescale the traces with --scale. --format text stores double precision"
    ))]
    NotStorable {
        /// The file of the trace.
        file: PathBuf,
        /// Index of the sample, from 0.
        sample: usize,
        /// Its value.
        value: f64,
        /// What the format can store.
        allowed: &'static str,
    },

    /// A header without the back-azimuth.
    #[error("{}: --rotate: the file has no back-azimuth", file.display())]
    #[diagnostic(help(
        "SAC (BAZ) and text (back_azimuth) have it for runs with an event; SPECFEM's files and miniSEED never do. Use SAC files, or give the event position in metres, as in --event-position 0,0"
    ))]
    NoBackAzimuth {
        /// The file.
        file: PathBuf,
    },

    /// A header without the receiver position.
    #[error("{}: --event-position: the file has no receiver position", file.display())]
    #[diagnostic(help(
        "Craton writes it to SAC (USER0, USER1) and text. Without it, use the back-azimuth of the header"
    ))]
    NoPosition {
        /// The file.
        file: PathBuf,
    },

    /// An event position in metres for a chunk of the Earth.
    #[error(
        "{}: --event-position: positions in metres do not give a direction in a chunk of the Earth", file.display()
    )]
    #[diagnostic(help(
        "remove the option to use the back-azimuth of the header, or record R and T in the run with receivers.components = [\"radial\"]"
    ))]
    OnSphere {
        /// The file.
        file: PathBuf,
    },

    /// A receiver at the epicentre.
    #[error(
        "{}: --event-position: the receiver is at the event, x = {}, y = {} m, so that the direction is undefined",
        file.display(), Number(position[0]), Number(position[1])
    )]
    #[diagnostic(help("leave out this station or give another position"))]
    AtEvent {
        /// The file.
        file: PathBuf,
        /// Position of the receiver [m].
        position: [f64; 2],
    },
}
