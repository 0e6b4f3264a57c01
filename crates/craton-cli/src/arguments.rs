//! What may be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use craton::config::DeviceNames;

use crate::operations::Operations;
use crate::values::{device, devices, factor, frequency, misfit, speed, threads, window};

/// Computes what the Earth does to waves and to gravity: one file in, results and pictures out.
#[derive(Debug, Parser)]
#[command(name = "craton", version, arg_required_else_help = true, after_help = FIRST_STEPS)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const FIRST_STEPS: &str = "\
First steps:
  craton check examples/loh1/loh1.toml    what a run will take, before it starts
  craton run examples/loh1/loh1.toml      seismograms, pictures and a record of the run
  craton survey examples/marine_line/marine_line.toml
                                          acoustic shots, all gathers in one SEG-Y file
  craton gravity examples/seven_balls/seven_balls.toml
                                          attraction and its gradient, tables and maps
  craton reference                        every key of a scenario file; also `craton reference survey`, and `gravity`

Exit codes: 0 done, 1 failed or misfit above the limit, 2 bad usage or input, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario.
    Run(Run),
    /// Say what a run, a survey or sums of gravity will take, and write nothing.
    Check(Check),
    /// Write the mesh of a scenario and a picture of it.
    Mesh(Mesh),
    /// Go on with an interrupted run.
    Resume(Resume),
    /// Compute a survey, or go on with it: acoustic shots, gathers in one file.
    Survey(Survey),
    /// Compute gravity and its gradient, or go on with it.
    Gravity(Gravity),
    /// Compare seismograms with a reference.
    Compare(Compare),
    /// Filter, convolve, resample or turn seismograms.
    Process(Process),
    /// Draw seismograms: record sections, traces, spectra.
    Plot(Plot),
    /// Print the JSON schema of files, with which editors complete and check.
    Schema {
        /// Which files.
        #[arg(value_enum, default_value_t = FileKind::Scenario)]
        of: FileKind,
    },
    /// Print the reference page of files (Markdown).
    Reference {
        /// Which files.
        #[arg(value_enum, default_value_t = FileKind::Scenario)]
        of: FileKind,
    },
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages, craton.1 and one for every command, into a folder.
    #[command(hide = true)]
    Man {
        /// The folder; made when it is missing.
        #[arg(value_hint = ValueHint::DirPath)]
        directory: PathBuf,
    },
}

/// What a file holds.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FileKind {
    /// A scenario, for `craton run`.
    Scenario,
    /// A survey, for `craton survey`.
    Survey,
    /// A gravity problem, for `craton gravity`.
    Gravity,
}

/// A scenario, a survey or a gravity problem, and its changes.
#[derive(Debug, Args)]
pub struct ScenarioArguments {
    /// The file (TOML).
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Change a key of the file; may be given many times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// What computes, instead of what the file says.
#[derive(Debug, Args)]
pub struct Computing {
    /// What computes: auto, cpu, cuda, cuda:0 or a list as cuda:0,cuda:1 [default: what the file says].
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    pub device: Option<DeviceNames>,
    /// How many of the devices; the results do not depend on it [default: all GPUs, or what the file says].
    #[arg(long, value_name = "N", value_parser = devices, allow_hyphen_values = true)]
    pub devices: Option<usize>,
    /// Worker threads; what is computed on cores does not depend on it [default: all cores].
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

Ctrl-C stops cleanly with a checkpoint; `craton resume` goes on from it.")]
pub struct Run {
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Replace results that are in the output folder already.
    #[arg(long)]
    pub overwrite: bool,
    /// Say nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton survey line.toml
  craton survey line.toml --set method.fd.max_frequency=60 --set output.directory=fine
  craton survey line.toml --device cpu --reproducible

Ctrl-C stops cleanly. The same command goes on, whatever ended the last one, and several of them at a time, on any machines that see the folder,
share the shots. Exit code 1 also where shots could not be computed.")]
pub struct Survey {
    #[command(flatten)]
    pub survey: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Compute all shots on one kind of device: the file is then the same to the last bit, whoever computed what.
    #[arg(long)]
    pub reproducible: bool,
    /// Begin anew, and remove what an earlier survey left in the output folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Compute the shots that failed twice once more, and keep all others.
    #[arg(long)]
    pub retry_failed: bool,
    /// Say nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton gravity basin.toml
  craton gravity basin.toml --set method.accuracy=1e-5 --set points.grid.z=300 --set output.directory=higher
  craton gravity basin.toml --device cuda

Ctrl-C stops cleanly. The same command goes on, whatever ended the last one, and several of them at a time, on any machines that see the folder,
share the points.")]
pub struct Gravity {
    #[command(flatten)]
    pub problem: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Begin anew, and remove what is in the output folder already.
    #[arg(long)]
    pub overwrite: bool,
    /// Say nothing but errors.
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
    /// Folder of the mesh [default: the scenario's output folder with _mesh behind its name].
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Resume {
    /// Output folder of the interrupted run.
    #[arg(value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub computing: Computing,
    /// Say nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton compare results/loh1 reference/loh1
  craton compare a.sac b.sac --lowpass 4 --window 0,8 --limit 0.01 --picture misfit.png
  craton compare on_gpu on_cpu --picture difference.png --amplify 5000

Printed are relative L2 misfit, RMS of the difference over the peak of the reference, amplitude ratio and time shift of every trace, and the relative L2 misfit of all \
components of a station together, which the limit is for.")]
pub struct Compare {
    /// What is compared: a results folder, a folder of seismograms, or one file.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub test: PathBuf,
    /// What it is compared with.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub reference: PathBuf,
    /// Largest relative L2 misfit of a station; above it the exit code is 1.
    #[arg(long, value_name = "MISFIT", value_parser = misfit, allow_hyphen_values = true)]
    pub limit: Option<f64>,
    /// Low-pass both sides at this corner [Hz]: Butterworth of order 4, without phase shift.
    #[arg(long, value_name = "HZ", value_parser = frequency, allow_hyphen_values = true)]
    pub lowpass: Option<f64>,
    /// Compare these times only [s].
    #[arg(long, value_name = "FROM,TO", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 2]>,
    /// Draw both, one over the other, into this PNG file; of several quantities, each into one of its own beside it.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub picture: Option<PathBuf>,
    /// Draw the difference this many times larger, and tell its RMS over the peak [default: as large as fits].
    #[arg(long, value_name = "FACTOR", value_parser = factor, requires = "picture", allow_hyphen_values = true)]
    pub amplify: Option<f64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton process results/loh1 --output filtered --lowpass 2 --decimate 4
  craton process results/step --output three_seconds --convolve-gaussian 3 --bandpass 0.02,0.1
  craton process results/loh1/seismograms/XX.S10.velocity.*.sac --output turned --rotate

Operations follow each other in the order in which they are given, and may be given again. A trace goes on with its first value before it and with its last one behind \
it, so that a static offset stays what it is. Headers are kept. Integration and differentiation change the quantity in names and headers.")]
pub struct Process {
    /// Results folders, folders of seismograms, or files.
    #[arg(value_name = "FOLDER_OR_FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub from: Vec<PathBuf>,
    /// Folder for the results; made when it is missing.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// The form of the results: sac, text, specfem or miniseed [default: that of each file].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub format: Option<Form>,
    /// Replace files that are in the output folder already.
    #[arg(long)]
    pub overwrite: bool,
    /// Say nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// What is done.
    #[command(flatten)]
    pub operations: Operations,
}

/// A form of seismogram.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Form {
    /// SAC, with a header.
    Sac,
    /// Two columns of text with a header.
    Text,
    /// Two columns of text under SPECFEM's names.
    Specfem,
    /// miniSEED, a file per station.
    Miniseed,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton plot results/loh1
  craton plot results/loh1 traces --station XX.S10 --component Z --window 0,5
  craton plot results/loh1 spectra --output pictures

One picture per quantity; its path is printed.")]
pub struct Plot {
    /// A results folder, a folder of seismograms, or one file.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub from: PathBuf,
    /// What is drawn.
    #[arg(value_enum, default_value_t = Kind::Section)]
    pub kind: Kind,
    /// Draw this station only (NET.STA); may be given many times.
    #[arg(long = "station", value_name = "CODE")]
    pub stations: Vec<String>,
    /// Draw this component only; may be given many times.
    #[arg(long = "component", value_name = "NAME")]
    pub components: Vec<String>,
    /// Draw these times only [s].
    #[arg(long, value_name = "FROM,TO", value_parser = window, allow_hyphen_values = true)]
    pub window: Option<[f64; 2]>,
    /// Low-pass at this corner [Hz]: Butterworth of order 4, without phase shift.
    #[arg(long, value_name = "HZ", value_parser = frequency, allow_hyphen_values = true)]
    pub lowpass: Option<f64>,
    /// Let arrivals of this speed [m/s] stand upright in a section.
    #[arg(long, value_name = "SPEED", value_parser = speed, allow_hyphen_values = true)]
    pub reduction_speed: Option<f64>,
    /// Folder of the pictures [default: that of the seismograms].
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Kind {
    /// Every trace at its distance from the source.
    Section,
    /// Every trace in a panel of its own.
    Traces,
    /// Amplitude spectra.
    Spectra,
}
