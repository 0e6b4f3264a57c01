//! Gradients of the misfit between a survey and observed gathers with respect to the gridded model.
//!
//! | module | task |
//! |---|---|
//! | this one | options and results |
//! | `misfit` | misfits of traces and their derivatives |
//! | `observed`, `observed_file` | observed gathers, from the calling program or from a file |
//! | `engine` | the gradient of a shot: every stage of the forward computation, and its transpose in reverse order |
//! | `devices` | the devices that compute gradients, and their memory |
//! | `session`, `files`, `report` | the command `craton survey --gradient` in its results folder |
//! | `in_memory` | [`Survey::misfit_and_gradient`](super::Survey::misfit_and_gradient) |
//!
//! ```text
//! model -> fluid of the cells -> shot -> samples of the steps -> traces -> misfit
//! model <- fluid of the cells <- shot <- residual of the steps <- residual of the traces
//! ```

mod devices;
mod engine;
mod files;
mod in_memory;
mod misfit;
mod observed;
mod observed_file;
mod report;
mod session;

use craton_numerics::spectrum::AmplitudeSpectrum;

pub use misfit::{MisfitFunction, MisfitKind, TraceMisfit};
pub use observed::{ExpectedGathers, Observed, ObservedGather, ObservedInPlace, ObservedTraces};
pub use report::GradientReport;
pub use session::survey_gradient;

use misfit::checked;

use super::config::{Equation, Quantity};
use super::setup::Setup;
use super::time_axis::Clock;
use crate::error::{Error, SurveyError};

/// Options of a gradient.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GradientOptions {
    /// The misfit.
    pub misfit: MisfitKind,
    /// Whether the density is a parameter, too; it must be gridded.
    pub density: bool,
    /// Whether the forward field of every step enters, instead of those at twice the Nyquist rate of the source.
    pub exact: bool,
}

/// What the traces of a survey are compared with.
#[derive(Clone, Copy)]
pub enum Comparison<'a> {
    /// Observed gathers.
    Gathers(&'a dyn Observed),
    /// A misfit of the calling program.
    Function(&'a MisfitFunction<'a>),
}

/// Derivatives with respect to the points of the gridded model, in the order of its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelGradient {
    /// With respect to the wave speed, per m/s.
    pub velocity: Vec<f64>,
    /// With respect to the density at constant speed, per kg/m³; empty if it is not a parameter.
    pub density: Vec<f64>,
}

impl ModelGradient {
    /// Zeros for the model of a survey.
    fn zeros(setup: &Setup, options: &GradientOptions) -> Self {
        let [velocity, density] = setup.fluid.grid_sizes();
        Self { velocity: vec![0.0; velocity], density: vec![0.0; if options.density { density } else { 0 }] }
    }

    /// Adds another gradient.
    pub(crate) fn add(&mut self, other: &Self) {
        let pairs = [(&mut self.velocity, &other.velocity), (&mut self.density, &other.density)];
        for (sums, values) in pairs {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
}

/// Misfit and gradient of a shot, or of a survey.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MisfitAndGradient {
    /// The misfit.
    pub misfit: f64,
    /// Its gradient.
    pub gradient: ModelGradient,
}

/// The gradient of a survey.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyGradient {
    /// Misfit of each shot, in the order of the survey, with its number.
    pub misfits: Vec<(u32, f64)>,
    /// Sums over all shots, in the order of the survey.
    pub total: MisfitAndGradient,
}

/// Refuses a survey whose gradient is not supported.
fn check(setup: &Setup, options: &GradientOptions) -> Result<(), Error> {
    let refuse = |message: &str, hint: &'static str| -> Result<(), Error> {
        Err(SurveyError::NoGradient { message: message.to_owned(), hint }.into())
    };
    if setup.solid.is_some() {
        let message = "method.fd.equation = \"elastic\" has no gradients";
        return refuse(message, "use `auto` or `first_order`, which compute acoustic gradients");
    }
    let [velocity, density] = setup.fluid.grid_sizes();
    if velocity == 0 {
        return refuse("model.layered has no grid", "give the wave speed as model.volume.velocity");
    }
    if options.density && density == 0 {
        return refuse("the density is not gridded", "give model.volume.density.file, or do not request its gradient");
    }
    if setup.fd.equation == Equation::Scalar {
        return refuse(
            "method.fd.equation = \"scalar\" has no gradients, which use the system of first order",
            "use `auto` or `first_order`",
        );
    }
    if setup.fluid.attenuation().is_some() {
        return refuse("the model has attenuation", "set attenuation.enabled = false");
    }
    match &setup.heard[..] {
        [_] => Ok(()),
        all => {
            let names: Vec<&str> = all.iter().map(|quantity: &Quantity| quantity.name()).collect();
            let message = format!("receivers.quantities has {}, whose misfits have different units", names.join(", "));
            refuse(&message, "record one quantity, such as receivers.quantities = [\"pressure\"]")
        }
    }
}

/// Steps per stored step of the forward fields.
fn every(clock: &Clock, options: &GradientOptions) -> Result<u64, Error> {
    /// Amplitude, relative to its largest, from which on a frequency of the source counts.
    const NEGLIGIBLE: f64 = 1e-4;
    /// Samples per shortest period: two at the Nyquist rate, and more because residuals that are cut off at the end of the traces have higher frequencies.
    const PER_PERIOD: f64 = 4.0;
    if options.exact {
        return Ok(1);
    }
    let highest = |history: &[f64]| {
        let AmplitudeSpectrum { frequencies, amplitudes } = AmplitudeSpectrum::new(history, 1.0)?;
        let largest = amplitudes.iter().copied().fold(0.0, f64::max);
        let highest = amplitudes.iter().rposition(|&amplitude| amplitude > NEGLIGIBLE * largest).unwrap_or(0);
        Ok((frequencies[highest], history.len() as u64))
    };
    let found = clock.of_histories(highest)?;
    // Frequencies per step.
    let frequency = found.iter().map(|(frequency, _)| *frequency).fold(f64::MIN_POSITIVE, f64::max);
    let longest = found.iter().map(|(_, steps)| *steps).max().unwrap_or(1);
    Ok(((1.0 / (PER_PERIOD * frequency)) as u64).clamp(1, longest))
}
