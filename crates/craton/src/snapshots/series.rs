//! One snapshot series of a run.

use craton_model::EarthModel;

use super::frame::Fields;
use super::pictures::Sheet;
use super::rhythm::Rhythm;
use super::shown::Shown;
use crate::error::Error;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;

/// The Earth at a step.
#[derive(Clone, Copy)]
pub struct Earth<'a, T: Scalar> {
    /// The running solver.
    pub solver: &'a RunningSolver<T>,
    /// The materials.
    pub model: &'a EarthModel,
}

/// The view of a series: positions of its values, and pictures.
pub trait Scene<T: Scalar>: Send + Sync {
    /// Samples a frame.
    ///
    /// # Errors
    /// A failing device.
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error>;

    /// The sheet for its pictures; `None` without pictures.
    fn sheet(&self, setup: &Setup, solver: &RunningSolver<T>) -> Option<Sheet>;
}

/// A snapshot series of one part of the Earth.
pub struct Series<T: Scalar> {
    /// Its unique name.
    pub name: String,
    /// The quantities, without duplicates.
    pub shown: Vec<Shown>,
    /// Its view of the Earth.
    pub scene: Box<dyn Scene<T>>,
    /// The steps with a frame.
    pub rhythm: Rhythm,
    /// Whether its frames are drawn at the end.
    pub png: bool,
}
