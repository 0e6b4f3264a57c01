//! A series of snapshots of the moving Earth.

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
    /// Its motion.
    pub motion: &'a RunningSolver<T>,
    /// What it is made of.
    pub model: &'a EarthModel,
}

/// What a series shows of the Earth: where its values are, and how they are drawn.
pub trait Scene<T: Scalar>: Send + Sync {
    /// Samples a frame.
    ///
    /// # Errors
    /// A device that fails.
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error>;

    /// The paper for its pictures; none where there are no pictures of it.
    fn sheet(&self, setup: &Setup, motion: &RunningSolver<T>) -> Option<Sheet>;
}

/// Frames of one part of the Earth.
pub struct Series<T: Scalar> {
    /// Its name, which no other series has.
    pub name: String,
    /// What is shown, each quantity once.
    pub shown: Vec<Shown>,
    /// What it shows of the Earth.
    pub scene: Box<dyn Scene<T>>,
    /// The steps at which a frame is taken.
    pub rhythm: Rhythm,
    /// Whether its frames are drawn at the end.
    pub png: bool,
}
