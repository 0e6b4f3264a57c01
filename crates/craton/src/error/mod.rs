//! What can go wrong, said so that it can be put right.

mod gravity;
mod places;
mod process;
mod scenario;
mod survey;
mod verdict;

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::number::Number;

pub use gravity::GravityFailure;
pub use process::ProcessError;
pub use scenario::{Problem, ScenarioError, ScenarioErrors};
pub use survey::SurveyError;

/// Why Craton could not do what was asked. It is a diagnostic of miette, whose reports show the place, what is allowed and what helps.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// Somebody asked to stop where a run cannot go on later from a checkpoint: there is nothing yet to lose.
    #[error("stopped during \"{stage}\", before the time loop")]
    #[diagnostic(help("nothing has been computed yet: start anew with `craton run`"))]
    Stopped {
        /// What was done meanwhile.
        stage: &'static str,
    },

    /// The scenario is not usable.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scenario(#[from] ScenarioErrors),

    /// A file could not be read.
    #[error("{} could not be read: {source}", file.display())]
    #[diagnostic(help("{hint}"))]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's reason.
        source: std::io::Error,
        /// What to do.
        hint: String,
    },

    /// A file is not what it should be, or could not be written.
    #[error(transparent)]
    Format(#[from] craton_formats::FormatError),

    /// The mesh cannot be made.
    #[error(transparent)]
    #[diagnostic(help(
        "element sizes follow from method.sem.max_frequency, points_per_wavelength and the slowest wave; element_size, where given, sets the horizontal one"
    ))]
    Mesh(#[from] craton_mesh::MeshError),

    /// A key that is known to be wrong when the Earth is meshed; who has the scenario adds its line.
    #[error("{} = {}: {}", .0.path, .0.value.as_deref().unwrap_or_default(), .0.message)]
    #[diagnostic(help("{}", .0.hint.as_deref().unwrap_or_default()))]
    OfKey(Box<Problem>),

    /// The Earth cannot be put on the mesh.
    #[error(transparent)]
    Sem(#[from] craton_sem::SemError),

    /// A grid on which a GPU cannot have finite differences.
    #[error(transparent)]
    GpuGrid(#[from] craton_fd::GpuSetupError),

    /// A grid on which finite differences cannot be had.
    #[error(transparent)]
    Grid(#[from] craton_fd::FdError),

    /// Threads that the system does not grant.
    #[error(transparent)]
    Workers(#[from] craton_device::WorkersError),

    /// The results folder, a checkpoint, memory or disk.
    #[error(transparent)]
    Run(#[from] craton_run::RunError),

    /// Seismograms that are asked for before the last step.
    #[error("seismograms need all {steps} steps, and {step} are done")]
    #[diagnostic(help("advance the simulation to its end, or run it"))]
    NotAtEnd {
        /// Steps done.
        step: u64,
        /// Steps of the simulation.
        steps: u64,
    },

    /// A checkpoint of another simulation.
    #[error("the checkpoint is of another simulation: its array `{array}` does not fit")]
    #[diagnostic(help("restore it into a simulation of the same scenario and precision"))]
    OtherCheckpoint {
        /// The array.
        array: String,
    },

    /// A file of the scenario that is not what it was when a run began that is to go on.
    #[error(
        "{} has changed since the run in {} began: what is computed so far belongs to the old one",
        file.display(), directory.display()
    )]
    #[diagnostic(help(
        "put the old file back and resume, or start anew with `craton run` and --overwrite; run.json holds the hash of the old one"
    ))]
    ChangedFile {
        /// The file, as the scenario names it.
        file: PathBuf,
        /// The results folder of the run.
        directory: PathBuf,
    },

    /// A results folder whose scenario is the one to be run.
    #[error(
        "{} belongs to the run in {}: the copy that a run keeps of its scenario would take its place",
        file.display(), directory.display()
    )]
    #[diagnostic(help(
        "write elsewhere: --set output.directory=FOLDER; or copy the scenario out of the folder and run the copy; `craton resume` goes on with a run that was stopped"
    ))]
    OwnFolder {
        /// The scenario.
        file: PathBuf,
        /// The results folder.
        directory: PathBuf,
    },

    /// What only a survey can suffer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Survey(#[from] SurveyError),

    /// What only sums of gravity can suffer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Gravity(#[from] GravityFailure),

    /// What only the processing of seismograms can suffer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] ProcessError),

    /// A time step that is not stable.
    #[error(
        "method.{method}.time_step = {} s is not stable: {cause} allows {stable:.4e} s",
        Number(*dt)
    )]
    #[diagnostic(help(
        "leave time_step out, or set it to at most {stable:.4e}; courant chooses a part of the largest stable one"
    ))]
    TimeStep {
        /// The step that was asked for [s].
        dt: f64,
        /// The largest stable one [s].
        stable: f64,
        /// What sets it.
        cause: String,
        /// Name of the method.
        method: &'static str,
    },

    /// A time step that is impossibly small for the duration.
    #[error(
        "duration = {} s: from {} s on, this takes {:.0} time steps of {:.4} s; at most {} can be made",
        Number(*end), Number(*start), Number(*steps), Number(*dt), Number(*most)
    )]
    #[diagnostic(help(
        "shorten duration; or raise the method's time_step or courant, if they are set; or lower max_frequency, if elements or cells are tiny"
    ))]
    TooManySteps {
        /// Time of step 0 [s].
        start: f64,
        /// Time of the end [s].
        end: f64,
        /// The step [s].
        dt: f64,
        /// Number of steps.
        steps: f64,
        /// Number that can be made.
        most: f64,
    },

    /// A source or receiver in the box that no element holds.
    #[error("{name} at {place} lies in no element of the mesh")]
    #[diagnostic(help(
        "it may stand above a curved surface or outside of the box by a hair, the more so where elements are wide: move it, put receivers on the surface with receivers.snap_to_surface = true, or make elements smaller by a higher method.sem.max_frequency"
    ))]
    NotInMesh {
        /// Its name.
        name: String,
        /// Where it stands.
        place: String,
    },

    /// A slice of a snapshot without a point in the Earth.
    #[error("output.snapshots.slices: no point of the plane {axis} = {at} m is in the Earth")]
    #[diagnostic(help("move it below the surface and inside the box"))]
    EmptySlice {
        /// The axis that stands on the slice.
        axis: &'static str,
        /// Where it is [m].
        at: f64,
    },

    /// A run whose field is no longer finite.
    #[error(transparent)]
    #[diagnostic(help(
        "a time step far below the stable one points to a source of impossible size or to a damaged checkpoint; one near it, to a distorted element there: see `craton mesh`"
    ))]
    Unstable(#[from] craton_sim::Instability),

    /// The same in a chunk of the Earth.
    #[error(
        "the field is no longer finite at step {}, first seen near {place} (dt is {:.2} of the stable step)",
        instability.step, instability.courant
    )]
    #[diagnostic(help(
        "a time step far below the stable one points to a source of impossible size or to a damaged checkpoint; one near it, to a distorted element there: see `craton mesh`"
    ))]
    UnstableThere {
        /// What was seen.
        instability: craton_sim::Instability,
        /// Longitude, latitude and depth.
        place: String,
    },

    /// An element of a chunk of the Earth that is inverted or nearly flat.
    #[error(
        "element {element} near {place} is inverted or degenerate: its smallest scaled Jacobian is {scaled_jacobian:.4}, at least {least} is needed ({count} such elements in all)"
    )]
    #[diagnostic(help(
        "use smaller elements or a narrower chunk: a higher method.sem.max_frequency or method.sem.elements, domain.chunk.widths"
    ))]
    Distorted {
        /// The worst one.
        element: u32,
        /// Longitude, latitude and depth of its centre.
        place: String,
        /// Its smallest scaled Jacobian.
        scaled_jacobian: f64,
        /// What is needed.
        least: f64,
        /// How many are below that.
        count: usize,
    },

    /// Names that are no choice of a device.
    #[error("--device: {0}")]
    BadDevice(#[from] crate::config::BadDevice),

    /// A mesh or a grid that a GPU cannot hold.
    #[error(
        "the run needs {needed} on {device}, where {free} can be had: {elements} {unit}, of which {fit} would fit{}",
        devices.map_or(String::new(), |devices| format!("; it would take {devices} such devices"))
    )]
    #[diagnostic(help(
        "lower method.{method}.max_frequency to about {frequency:.3}, shrink the domain, end what else runs on the device, or compute on the CPU: --device cpu"
    ))]
    DeviceMemory {
        /// Name of the device.
        device: String,
        /// What the run needs there.
        needed: craton_run::Bytes,
        /// What a run may take there.
        free: craton_run::Bytes,
        /// Number of elements or cells.
        elements: usize,
        /// Which of them.
        unit: &'static str,
        /// How many would fit.
        fit: usize,
        /// Devices that would hold all, where several can compute.
        devices: Option<usize>,
        /// Frequency whose mesh or grid would fit [Hz].
        frequency: f64,
        /// Name of the method.
        method: &'static str,
    },

    /// A device that cannot be used.
    #[error(transparent)]
    #[diagnostic(help("--device cpu computes on the CPU; `craton check` says which device a run takes"))]
    Device(#[from] craton_device::gpu::GpuError),

    /// Fewer GPUs than were asked for.
    #[error("{wanted} GPUs were asked for, and {found}")]
    #[diagnostic(help("ask for fewer with --devices or compute.devices"))]
    TooFewDevices {
        /// GPUs asked for.
        wanted: usize,
        /// What is there.
        found: String,
    },

    /// A way to cut the mesh that this program was built without.
    #[error("compute.partition = \"metis\" needs METIS, and this program was built without it")]
    #[diagnostic(help("build it with --features metis, or leave the key out"))]
    WithoutMetis,

    /// A method without what a command is about.
    #[error("method.fd has no mesh: its grid is regular, and `craton check` tells its cells")]
    #[diagnostic(help("solve the scenario by [method.sem] to have a mesh"))]
    NoMesh,

    /// A source or receiver in a layer that absorbs what comes to it.
    #[error("{name} at x = {}, y = {}, z = {} m stands in an absorbing layer", position[0], position[1], position[2])]
    #[diagnostic(help(
        "move it into the box, make the layers thinner, or leave method.fd.absorbing.cpml.inside out: then they stand around the box"
    ))]
    InLayer {
        /// Its name.
        name: String,
        /// Its position [m].
        position: [f64; 3],
    },

    /// A source or receiver above ground that is so low that a grid has no cell of it.
    #[error(
        "{name} at x = {}, y = {}, z = {} m has no ground below it on the grid: less than half a cell of it is inside the box",
        position[0], position[1], position[2]
    )]
    #[diagnostic(help("lower domain.z[0], or make the cells smaller: method.fd.grid_spacing"))]
    NoGround {
        /// Its name.
        name: String,
        /// Its position [m].
        position: [f64; 3],
    },

    /// Ranks that cannot compute together.
    #[error(transparent)]
    #[diagnostic(help("what the last checkpoint holds is safe: go on with `craton resume`"))]
    Ranks(#[from] craton_comm::CommError),

    /// What the first rank says, and the others know.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Together(Box<Error>),

    /// A device that has failed during a run.
    #[error(transparent)]
    #[diagnostic(help("what the last checkpoint holds is safe: go on with `craton resume`"))]
    Failed(craton_sim::Failure),

    /// Numbers that cannot be worked with.
    #[error(transparent)]
    Numerics(#[from] craton_numerics::NumericsError),

    /// A picture that cannot be drawn.
    #[error(transparent)]
    View(#[from] craton_view::Error),

    /// Two sets of seismograms that share no name.
    #[error("the two sides have no trace in common; the reference has, for instance, {example}")]
    #[diagnostic(help(
        "traces are paired by station, quantity and component, as in XX.S10.velocity.X.sac; give two files to compare them whatever their names"
    ))]
    NothingInCommon {
        /// A trace of the reference.
        example: String,
    },

    /// Two traces without a common time, or a window outside of it.
    #[error(
        "{trace}: both sides and the window have less than two samples in common; the last of them begins at {} s, the first ends at {} s",
        Number(*from), Number(*to)
    )]
    #[diagnostic(help("change --window, or compare other traces"))]
    NoCommonTime {
        /// The trace.
        trace: String,
        /// Latest beginning [s].
        from: f64,
        /// Earliest end [s].
        to: f64,
    },

    /// No trace of the stations and components that were asked for.
    #[error("there is no trace of these stations and components; there is, for instance, {example}")]
    #[diagnostic(help("write stations as NET.STA, and components as X, Y, Z or E, N, Z"))]
    NothingAsked {
        /// A trace that is there.
        example: String,
    },
}

impl From<craton_sim::Failure> for Error {
    fn from(failure: craton_sim::Failure) -> Self {
        match failure {
            craton_sim::Failure::Unstable(instability) => Self::Unstable(instability),
            craton_sim::Failure::Ranks(error) => Self::Ranks(error),
            device @ craton_sim::Failure::Device { .. } => Self::Failed(device),
        }
    }
}
