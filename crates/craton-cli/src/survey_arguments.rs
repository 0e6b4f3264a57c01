//! Arguments of `craton survey`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use craton::survey::{GradientOptions, MisfitKind};

use crate::arguments::{Computing, ScenarioArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  craton survey line.toml
  craton survey line.toml --set method.fd.max_frequency=60 --set output.directory=fine
  craton survey line.toml --device cpu --reproducible
  craton survey line.toml --gradient observed/gathers.segy

Ctrl-C stops cleanly. Repeat the command to continue after any interruption. Several processes, on all machines that share the folder, can run it at once and
share the shots. The exit code is 1 if shots failed.")]
pub struct Survey {
    #[command(flatten)]
    pub survey: ScenarioArguments,
    #[command(flatten)]
    pub computing: Computing,
    /// Compute all shots on one kind of device, for bit-identical results.
    #[arg(long)]
    pub reproducible: bool,
    /// Start again, and remove an earlier survey from the output folder.
    #[arg(long)]
    pub overwrite: bool,
    /// Compute failed shots again, and keep all others.
    #[arg(long)]
    pub retry_failed: bool,
    /// Only compare the files of a complete survey with their recorded checksums.
    #[arg(long, conflicts_with_all = ["overwrite", "retry_failed"])]
    pub verify: bool,
    /// Compute the misfit to observed gathers and its gradient with respect to the gridded model, instead of gathers: a SEG-Y or SU file, or the results folder
    /// of a survey, with the same shots, channels and sample times. The results folder is that of the survey with _gradient appended.
    #[arg(long, value_name = "OBSERVED", value_hint = ValueHint::AnyPath, conflicts_with = "verify")]
    pub gradient: Option<PathBuf>,
    /// Misfit of the traces: l2, normalised, correlation, envelope, transport, or adjoint_source if OBSERVED has adjoint sources (see the guide).
    #[arg(long, value_enum, hide_possible_values = true, default_value_t = Misfit::L2, requires = "gradient")]
    pub misfit: Misfit,
    /// Also compute the gradient with respect to a gridded density.
    #[arg(long, requires = "gradient")]
    pub density: bool,
    /// Use the forward fields of all steps, instead of those at twice the Nyquist rate of the source: the gradient is exact for the discrete scheme.
    #[arg(long, requires = "gradient")]
    pub exact: bool,
    /// Print only errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// A misfit of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Misfit {
    /// Squared difference.
    L2,
    /// Squared difference of traces divided by their norms.
    Normalised,
    /// Minus the product with the observed traces: minus the gradient is their image by reverse-time migration.
    Correlation,
    /// Squared difference of the envelopes.
    Envelope,
    /// Squared Wasserstein distance of traces made positive.
    Transport,
    /// Product with the observed traces, which are adjoint sources.
    #[value(name = "adjoint_source")]
    AdjointSource,
}

impl Survey {
    /// The options of a gradient.
    pub fn gradient_options(&self) -> GradientOptions {
        let misfit = match self.misfit {
            Misfit::L2 => MisfitKind::L2,
            Misfit::Normalised => MisfitKind::Normalised,
            Misfit::Correlation => MisfitKind::Correlation,
            Misfit::Envelope => MisfitKind::Envelope,
            Misfit::Transport => MisfitKind::Transport,
            Misfit::AdjointSource => MisfitKind::AdjointSource,
        };
        GradientOptions { misfit, density: self.density, exact: self.exact }
    }
}
