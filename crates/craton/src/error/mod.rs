//! Errors of the crate, each with a hint how to solve it.

mod excerpt;
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

/// Why a Craton command failed: a diagnostic of miette, whose report shows the position, the allowed values and a hint.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// Interrupted before the time loop, when there is no checkpoint yet.
    #[error("interrupted during \"{stage}\", before the time loop")]
    #[diagnostic(help("nothing has been computed yet. Start again with `craton run`"))]
    Stopped {
        /// The stage that was interrupted.
        stage: &'static str,
    },

    /// The scenario is invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scenario(#[from] ScenarioErrors),

    /// A file could not be read.
    #[error("cannot read {}: {source}", file.display())]
    #[diagnostic(help("{hint}"))]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
        /// The hint.
        hint: String,
    },

    /// A file has the wrong format, or could not be written.
    #[error(transparent)]
    Format(#[from] craton_formats::FormatError),

    /// The mesh could not be built.
    #[error(transparent)]
    #[diagnostic(help(
        "element sizes follow from method.sem.max_frequency, points_per_wavelength and the slowest wave; element_size overrides the horizontal size"
    ))]
    Mesh(#[from] craton_mesh::MeshError),

    /// A key whose value turns out to be invalid during meshing. The caller with the scenario adds its line.
    #[error("{} = {}: {}", .0.path, .0.value.as_deref().unwrap_or_default(), .0.message)]
    #[diagnostic(help("{}", .0.hint.as_deref().unwrap_or_default()))]
    OfKey(Box<Problem>),

    /// The Earth model could not be discretised on the mesh.
    #[error(transparent)]
    Sem(#[from] craton_sem::SemError),

    /// The grid is not supported on a GPU.
    #[error(transparent)]
    GpuGrid(#[from] craton_fd::GpuSetupError),

    /// The grid is not supported.
    #[error(transparent)]
    Grid(#[from] craton_fd::FdError),

    /// The system denied the requested threads.
    #[error(transparent)]
    Workers(#[from] craton_device::WorkersError),

    /// Error of the results folder, a checkpoint, memory or disk.
    #[error(transparent)]
    Run(#[from] craton_run::RunError),

    /// Seismograms were requested before the last step.
    #[error("seismograms require all {steps} steps, but only {step} are done")]
    #[diagnostic(help("advance the simulation to its end, or run it"))]
    NotAtEnd {
        /// Number of completed steps.
        step: u64,
        /// Number of steps of the simulation.
        steps: u64,
    },

    /// Axes of a volume that do not span a grid.
    #[error("a volume has the axes {found}")]
    #[diagnostic(help("give two or three axes along different directions: X, Y, and Depth or Z"))]
    Axes {
        /// The axes.
        found: String,
    },

    /// A checkpoint belongs to another simulation.
    #[error("the checkpoint belongs to another simulation: {difference}")]
    #[diagnostic(help("restore it into a simulation of the same scenario and data"))]
    OtherCheckpoint {
        /// The difference.
        difference: String,
    },

    /// An input file has changed since the run began that should be resumed.
    #[error(
        "{} has changed since the run in {} began. The checkpoint belongs to the old version",
        file.display(), directory.display()
    )]
    #[diagnostic(help(
        "restore the old file and resume, or start again with `craton run --overwrite`. run.json has the hash of the old file"
    ))]
    ChangedFile {
        /// The file, as written in the scenario.
        file: PathBuf,
        /// The results folder of the run.
        directory: PathBuf,
    },

    /// The scenario file is in the results folder of the run.
    #[error(
        "{} belongs to the results folder {}: this run would overwrite it",
        file.display(), directory.display()
    )]
    #[diagnostic(help(
        "choose another folder with --set output.directory=FOLDER, or run a copy of the scenario outside the folder. `craton resume` continues an interrupted run"
    ))]
    OwnFolder {
        /// The scenario.
        file: PathBuf,
        /// The results folder.
        directory: PathBuf,
    },

    /// An error of surveys.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Survey(#[from] SurveyError),

    /// An error of gravity problems.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Gravity(#[from] GravityFailure),

    /// An error of seismogram processing.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] ProcessError),

    /// The time step is unstable.
    #[error(
        "method.{method}.time_step = {} s is unstable: {cause} allows at most {stable:.4e} s",
        Number(*dt)
    )]
    #[diagnostic(help(
        "leave time_step out, or set it to at most {stable:.4e}. By default the step is courant times the largest stable step"
    ))]
    TimeStep {
        /// The requested step [s].
        dt: f64,
        /// The largest stable step [s].
        stable: f64,
        /// What limits it.
        cause: String,
        /// Name of the method.
        method: &'static str,
    },

    /// The time step is too small for the duration.
    #[error(
        "duration = {} s: starting at {} s, this requires {:.0} time steps of {:.4} s. At most {} are possible",
        Number(*end), Number(*start), Number(*steps), Number(*dt), Number(*most)
    )]
    #[diagnostic(help(
        "shorten duration, raise time_step or courant if they are set, or lower max_frequency if elements or cells are tiny"
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
        /// Largest number of steps.
        most: f64,
    },

    /// A source or receiver in the box that is in no element.
    #[error("{name} at {place} is in no element of the mesh")]
    #[diagnostic(help(
        "wide elements only approximate a curved surface, so the position may be just outside the mesh. Move it, set receivers.snap_to_surface = true, or use smaller elements with a higher method.sem.max_frequency"
    ))]
    NotInMesh {
        /// Its name.
        name: String,
        /// Its position.
        place: String,
    },

    /// A snapshot slice contains no point of the Earth.
    #[error("output.snapshots.slices: the plane {axis} = {at} m does not intersect the Earth")]
    #[diagnostic(help("move the slice below the surface, inside the box and out of its absorbing layers"))]
    EmptySlice {
        /// The axis normal to the slice.
        axis: &'static str,
        /// Coordinate of the slice [m].
        at: f64,
    },

    /// The field is no longer finite.
    #[error(transparent)]
    #[diagnostic(help(
        "if the time step is far below the stable one, check the source amplitude and the checkpoint. If it is close to it, check the elements there with `craton mesh`"
    ))]
    Unstable(#[from] craton_sim::Instability),

    /// The field is no longer finite on the spherical Earth.
    #[error(
        "the field is no longer finite at step {}, first near {place} (dt is {:.2} of the stable step)",
        instability.step, instability.courant
    )]
    #[diagnostic(help(
        "if the time step is far below the stable one, check the source amplitude and the checkpoint. If it is close to it, check the elements there with `craton mesh`"
    ))]
    UnstableThere {
        /// The instability.
        instability: craton_sim::Instability,
        /// Longitude, latitude and depth.
        place: String,
    },

    /// An element of a chunk of the Earth is inverted or degenerate.
    #[error(
        "element {element} near {place} is inverted or degenerate: its smallest scaled Jacobian is {scaled_jacobian:.4}, the minimum is {least} ({count} such elements in total)"
    )]
    #[diagnostic(help(
        "use smaller elements (method.sem.max_frequency or method.sem.elements) or, in a chunk, a smaller width (domain.chunk.widths)"
    ))]
    Distorted {
        /// The worst one.
        element: u32,
        /// Longitude, latitude and depth of its centre.
        place: String,
        /// Its smallest scaled Jacobian.
        scaled_jacobian: f64,
        /// The minimum.
        least: f64,
        /// Number of elements below the minimum.
        count: usize,
    },

    /// Invalid device names.
    #[error("--device: {0}")]
    BadDevice(#[from] crate::config::BadDevice),

    /// The mesh or grid does not fit into the memory of a GPU.
    #[error(
        "{elements} {unit} need {needed} on {device}, which has {free} available: at most {fit} {unit} fit{}",
        devices.map_or(String::new(), |devices| format!(". {devices} such devices would suffice"))
    )]
    #[diagnostic(help(
        "lower method.{method}.max_frequency to about {frequency:.3}, shrink the domain, stop other programs on this device, or use the CPU: --device cpu"
    ))]
    DeviceMemory {
        /// Name of the device.
        device: String,
        /// Required memory.
        needed: craton_run::Bytes,
        /// Available memory.
        free: craton_run::Bytes,
        /// Number of elements or cells.
        elements: usize,
        /// Elements or cells.
        unit: &'static str,
        /// Number that fits.
        fit: usize,
        /// Number of devices that would suffice, if several can be used.
        devices: Option<usize>,
        /// Frequency whose mesh or grid fits [Hz].
        frequency: f64,
        /// Name of the method.
        method: &'static str,
    },

    /// A device is not usable.
    #[error(transparent)]
    #[diagnostic(help("use the CPU with --device cpu; `craton check` shows the device of a run"))]
    Device(#[from] craton_device::gpu::GpuError),

    /// There are fewer GPUs than requested.
    #[error("{wanted} GPUs were requested, but {found}")]
    #[diagnostic(help("request fewer GPUs with --devices or compute.devices"))]
    TooFewDevices {
        /// Number of requested GPUs.
        wanted: usize,
        /// The available GPUs.
        found: String,
    },

    /// METIS is not built in.
    #[error("compute.partition = \"metis\" requires METIS, but this program was built without it")]
    #[diagnostic(help("build the command with --features metis, give a `partitioner` in Rust, or leave the key out"))]
    WithoutMetis,

    /// The method does not have what the command requires.
    #[error("method.fd has no mesh; `craton check` describes its grid")]
    #[diagnostic(help("use [method.sem] for a mesh"))]
    NoMesh,

    /// A source or receiver is in an absorbing layer.
    #[error("{name} at x = {}, y = {}, z = {} m is in an absorbing layer", Number(position[0]), Number(position[1]), Number(position[2]))]
    #[diagnostic(help(
        "move it out of the layer, make the layers thinner, or remove the key absorbing.cpml.inside to place them around the box"
    ))]
    InLayer {
        /// Its name.
        name: String,
        /// Its position [m].
        position: [f64; 3],
    },

    /// A source or receiver above the ground where the grid has no ground.
    #[error(
        "{name} at x = {}, y = {}, z = {} m has no ground below it on the grid: the ground there is less than half a cell thick",
        Number(position[0]), Number(position[1]), Number(position[2])
    )]
    #[diagnostic(help("extend the domain downwards, or reduce method.fd.grid_spacing"))]
    NoGround {
        /// Its name.
        name: String,
        /// Its position [m].
        position: [f64; 3],
    },

    /// An error of communication between ranks.
    #[error(transparent)]
    #[diagnostic(help("the last checkpoint is intact: continue with `craton resume`"))]
    Ranks(#[from] craton_comm::CommError),

    /// An error that all ranks know and the first rank reports.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Together(Box<Error>),

    /// A device failed during a run, or a checkpoint could not be written.
    #[error(transparent)]
    #[diagnostic(help("the last checkpoint is intact: continue with `craton resume`"))]
    Failed(craton_sim::Failure),

    /// An error of a numerical routine.
    #[error(transparent)]
    Numerics(#[from] craton_numerics::NumericsError),

    /// A picture could not be drawn.
    #[error(transparent)]
    View(#[from] craton_view::Error),

    /// Two sets of seismograms have no trace name in common.
    #[error("the two sets have no trace in common. The reference has, for example, {example}")]
    #[diagnostic(help(
        "traces are matched by station, quantity and component, as in XX.S10.velocity.X.sac. Two single files are compared whatever their names"
    ))]
    NothingInCommon {
        /// A trace of the reference.
        example: String,
    },

    /// Two traces have no time window in common.
    #[error(
        "{trace}: the two traces and the window overlap in fewer than two samples: latest start {} s, earliest end {} s",
        Number(*from), Number(*to)
    )]
    #[diagnostic(help("change --window or compare other traces"))]
    NoCommonTime {
        /// The trace.
        trace: String,
        /// Latest start [s].
        from: f64,
        /// Earliest end [s].
        to: f64,
    },

    /// No trace matches the requested stations and components.
    #[error("no trace matches these stations and components. The folder has, for example, {example}")]
    #[diagnostic(help("write stations as NET.STA, and components as X, Y, Z or E, N, Z"))]
    NothingAsked {
        /// A trace of the folder.
        example: String,
    },
}
