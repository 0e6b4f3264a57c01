//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use craton::config::DeviceNames;

use crate::map_operations::MapOperations;
use crate::operations::Operations;
use crate::survey_arguments::Survey;
use crate::values::{Program, device, devices, factor, frequency, misfit, speed, threads, window};

/// Simulates seismic waves and gravity: one input file, results and pictures.
#[derive(Debug, Parser)]
#[command(name = "craton", version, arg_required_else_help = true, after_help = FIRST_STEPS)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

const FIRST_STEPS: &str = "\
First steps:
  craton check examples/loh1/loh1.toml    time and memory of a run, before it starts
  craton run examples/loh1/loh1.toml      seismograms, pictures and a record of the run
  craton survey examples/marine_line/marine_line.toml
                                          acoustic shots, all gathers in one SEG-Y file
  craton gravity examples/seven_balls/seven_balls.toml
                                          attraction and gradient tensor, tables and maps
  craton reference                        all keys of a scenario file; also `craton reference survey` and `gravity`

Exit codes: 0 success, 1 failure or misfit above the limit, 2 invalid usage or input, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario.
    Run(Run),
    /// Show the time, memory and warnings of a run, survey or gravity problem.
    Check(Check),
    /// Write the mesh of a scenario, and a picture of it.
    Mesh(Mesh),
    /// Convert a set-up of another program to a scenario.
    Import(Import),
    /// Continue an interrupted run.
    Resume(Resume),
    /// Compute or continue a survey of acoustic shots.
    Survey(Survey),
    /// Compute or continue gravity, magnetic fields, or anomalies of observed gravity.
    Gravity(Gravity),
    /// Compare seismograms with a reference.
    Compare(Compare),
    /// Filter, convolve, resample or rotate seismograms; filter maps.
    Process(Process),
    /// Plot seismograms: record sections, traces, spectra.
    Plot(Plot),
    /// Print the JSON schema of a file format, for completion and validation in editors.
    Schema {
        /// The file format.
        #[arg(value_enum, default_value_t = FileKind::Scenario)]
        of: FileKind,
    },
    /// Print the reference page of a file format (Markdown).
    Reference {
        /// The file format.
        #[arg(value_enum, default_value_t = FileKind::Scenario)]
        of: FileKind,
    },
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages, craton.1 and one for every command, to a folder.
    #[command(hide = true)]
    Man {
        /// The folder; created if missing.
        #[arg(value_hint = ValueHint::DirPath)]
        directory: PathBuf,
    },
}

impl Command {
    /// Whether the command only verifies results.
    pub fn only_verifies(&self) -> bool {
        match self {
            Self::Run(run) => run.verify,
            Self::Survey(survey) => survey.verify,
            Self::Gravity(gravity) => gravity.verify,
            _ => false,
        }
    }

    /// Whether the command stops on request, keeping what it has computed.
    pub fn can_stop(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Resume(_) | Self::Survey(_) | Self::Gravity(_))
    }
}

/// A file format.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FileKind {
    /// A scenario, for `craton run`.
    Scenario,
    /// A survey, for `craton survey`.
    Survey,
    /// A gravity problem, for `craton gravity`.
    Gravity,
}

/// A scenario, a survey or a gravity problem, and its overrides.
#[derive(Debug, Args)]
pub struct ScenarioArguments {
    /// The file (TOML).
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Override a key of the file; can be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// Device options, which override the file.
#[derive(Debug, Args)]
pub struct Computing {
    /// Device: auto, cpu, cuda, cuda:0 or a list such as cuda:0,cuda:1 [default: from the file].
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    pub device: Option<DeviceNames>,
    /// Number of devices; the results do not depend on it [default: all GPUs, or from the file].
    #[arg(long, value_name = "N", value_parser = devices, allow_hyphen_values = true)]
    pub devices: Option<usize>,
    /// Number of worker threads; results computed on cores do not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton run loh1.toml
  craton run loh1.toml --set duration=5 --set method.sem.max_frequency=2
  craton run loh1.toml --set source[0].position[2]=-500 --set output.directory=shallow
  craton run loh1.toml --device cuda

Ctrl-C stops with a checkpoint, from which `craton resume` continues.")]
pub struct Run {
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Replace existing results in the output folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Only compare the files of complete results with their recorded checksums.
    #[arg(long, conflicts_with = "overwrite")]
    pub verify: bool,
    /// Print only errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton gravity basin.toml
  craton gravity basin.toml --set method.accuracy=1e-5 --set points.grid.z=300 --set output.directory=higher
  craton gravity basin.toml --device cuda

Ctrl-C stops cleanly. Repeat the command to continue after any interruption. Several processes, on all machines that share the folder, can run it at once and
share the points.")]
pub struct Gravity {
    #[command(flatten)]
    pub problem: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Start again, and remove existing results from the output folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Only compare the files of complete results with their recorded checksums.
    #[arg(long, conflicts_with = "overwrite")]
    pub verify: bool,
    /// Print only errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton check loh1.toml
  craton check loh1.toml --set method.sem.max_frequency=10")]
pub struct Check {
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  craton mesh valley.toml --output mesh    writes mesh/mesh.vtu, for ParaView, and a picture")]
pub struct Mesh {
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    /// Folder of the mesh [default: the scenario's output folder with _mesh appended].
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  craton import specfem EXAMPLES/layered_halfspace   writes layered_halfspace.toml there, and lists the settings that Craton treats differently")]
pub struct Import {
    /// The program of the set-up.
    #[arg(value_enum)]
    pub program: Program,
    /// Folder of the set-up (SPECFEM3D: the folder that contains DATA/Par_file).
    #[arg(value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    /// Folder of an external mesh, relative to the set-up [default: none if DATA/meshfem3D_files/Mesh_Par_file exists, otherwise MESH-default or MESH].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub mesh: Option<PathBuf>,
    /// Name of the scenario file in the folder of the set-up [default: the name of the folder].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing scenario file.
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Debug, Args)]
pub struct Resume {
    /// Output folder of the interrupted run.
    #[arg(value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub computing: Computing,
    /// Print only errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton compare results/loh1 reference/loh1
  craton compare a.sac b.sac --lowpass 4 --window 0,8 --limit 0.01 --picture misfit.png
  craton compare on_gpu on_cpu --picture difference.png --amplify 5000

For each trace, prints the relative L2 misfit, the RMS difference relative to the peak of the reference, the amplitude ratio and the time shift. For each station, prints \
the relative L2 misfit over all components, to which the limit applies.")]
pub struct Compare {
    /// The seismograms to compare: a results folder, a folder of seismograms, or one file.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub test: PathBuf,
    /// The reference seismograms.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub reference: PathBuf,
    /// Largest relative L2 misfit of a station; the exit code is 1 above it.
    #[arg(long, value_name = "MISFIT", value_parser = misfit, allow_hyphen_values = true)]
    pub limit: Option<f64>,
    /// Low-pass filter both with this corner frequency [Hz]: zero-phase Butterworth of order 4.
    #[arg(long, value_name = "HZ", value_parser = frequency, allow_hyphen_values = true)]
    pub lowpass: Option<f64>,
    /// Compare only this time window [s].
    #[arg(long, value_name = "FROM,TO", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 2]>,
    /// Plot both traces into this PNG file; with several quantities, one file for each.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub picture: Option<PathBuf>,
    /// Magnify the plotted difference by this factor, and print its RMS relative to the peak [default: as large as
    /// fits].
    #[arg(long, value_name = "FACTOR", value_parser = factor, requires = "picture", allow_hyphen_values = true)]
    pub amplify: Option<f64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton process results/loh1 --output filtered --lowpass 2 --decimate 4
  craton process results/step --output three_seconds --convolve-gaussian 3 --bandpass 0.02,0.1
  craton process results/loh1/seismograms/XX.S10.velocity.*.sac --output turned --rotate
  craton process results/magnetics/gravity.nc --output pole --variable tfa_nt --pole 62.5,-3 --upward 200

Operations are applied in the given order, and can be repeated. Traces are extended by their first and last values, \
so that a static offset is preserved. Headers are kept. Integration and differentiation change the quantity in names and headers.")]
pub struct Process {
    /// Results folders, folders of seismograms, or files of seismograms or maps.
    #[arg(value_name = "FOLDER_OR_FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub from: Vec<PathBuf>,
    /// Folder for the results; created if missing.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Format of the results: sac, text, specfem or miniseed [default: that of each file].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub format: Option<Form>,
    /// Replace existing files in the output folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Print only errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// The operations.
    #[command(flatten)]
    pub operations: Operations,
    /// The operations on maps.
    #[command(flatten)]
    pub map_operations: MapOperations,
}

/// A file format of seismograms.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Form {
    /// SAC, with a header.
    Sac,
    /// Text with two columns and a header.
    Text,
    /// Text with two columns under SPECFEM's file names.
    Specfem,
    /// miniSEED, one file per station.
    Miniseed,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton plot results/loh1
  craton plot results/loh1 traces --station XX.S10 --component Z --window 0,5
  craton plot results/loh1 spectra --output pictures

Writes one picture per quantity and prints its path.")]
pub struct Plot {
    /// A results folder, a folder of seismograms, or one file.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub from: PathBuf,
    /// Kind of plot.
    #[arg(value_enum, default_value_t = Kind::Section)]
    pub kind: Kind,
    /// Plot only this station (NET.STA); can be repeated.
    #[arg(long = "station", value_name = "CODE")]
    pub stations: Vec<String>,
    /// Plot only this component; can be repeated.
    #[arg(long = "component", value_name = "NAME")]
    pub components: Vec<String>,
    /// Plot only this time window [s].
    #[arg(long, value_name = "FROM,TO", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 2]>,
    /// Low-pass filter with this corner frequency [Hz]: zero-phase Butterworth of order 4.
    #[arg(long, value_name = "HZ", value_parser = frequency, allow_hyphen_values = true)]
    pub lowpass: Option<f64>,
    /// Reduction speed of a section [m/s]: arrivals of this speed are vertical.
    #[arg(long, value_name = "SPEED", value_parser = speed, allow_hyphen_values = true)]
    pub reduction_speed: Option<f64>,
    /// Folder of the pictures [default: that of the seismograms].
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

/// A kind of plot.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Kind {
    /// All traces over their distance from the source.
    Section,
    /// One panel per trace.
    Traces,
    /// Amplitude spectra.
    Spectra,
}
