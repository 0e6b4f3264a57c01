//! The report of a gradient, and its picture.

use std::fmt;
use std::path::PathBuf;

use craton_acquisition::survey::Shot;
use craton_run::{OutputDirectory, RunStatus, Stages};
use craton_view::{ColourMap, Raster, SurveyModel, SurveyOptions, SurveyPlane, SurveyView};

use super::MisfitKind;
use crate::error::Error;
use crate::number::counted;
use crate::sampled::Sampled;
use crate::survey::report::FailedShot;
use crate::survey::setup::Setup;

/// Largest number of points of a picture along an axis.
const MOST_POINTS: usize = 1200;
/// Fraction of the points whose values are within the colours: those at sources are far larger than the others.
const SHOWN: f64 = 0.995;

/// Summary of a gradient.
#[derive(Debug)]
pub struct GradientReport {
    /// Complete or interrupted.
    pub status: RunStatus,
    /// Times of the stages.
    pub stages: Stages,
    /// Shots of the survey, and completed ones.
    pub shots: [usize; 2],
    /// The failed shots, without which there is no gradient.
    pub failed: Vec<FailedShot>,
    /// Kind of misfit and its sum over all shots, if the gradient is complete.
    pub misfit: Option<(MisfitKind, f64)>,
    /// Description of the computation.
    pub lines: Vec<String>,
    /// The results folder.
    pub directory: PathBuf,
    /// Results for the user, relative to the folder.
    pub files: Vec<String>,
}

impl GradientReport {
    /// Whether the gradient of all shots is complete.
    pub fn is_whole(&self) -> bool {
        self.status == RunStatus::Complete && self.failed.is_empty()
    }
}

impl fmt::Display for GradientReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.stages)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        for FailedShot { number, reason } in &self.failed {
            writeln!(f, "shot {number} failed twice: {reason}")?;
        }
        let [shots, done] = self.shots;
        match self.misfit {
            _ if !self.failed.is_empty() => {
                writeln!(
                    f,
                    "there is no gradient without these shots. Fix the cause, then repeat the command with --retry-failed"
                )
            }
            None => writeln!(f, "interrupted; {done} of {shots} shots are done. Repeat the command to continue"),
            Some((kind, misfit)) => {
                writeln!(f, "{} misfit {misfit:.6e} of {}", kind.name(), counted(shots, "shot"))?;
                writeln!(f, "gradient in {}", self.directory.display())?;
                self.files.iter().try_for_each(|file| writeln!(f, "  {file}"))
            }
        }
    }
}

/// Draws a section of a gradient through the middle of the box. Returns the name of the picture.
///
/// # Arguments
/// * `shots` – all shots
/// * `of` – grid of the values, their name, and their unit
/// # Errors
/// A file that cannot be written.
pub fn draw(
    setup: &Setup,
    shots: &[&Shot],
    (sampled, quantity, unit): (&Sampled, &str, &str),
    gradient: &[f64],
    (folder, name): (&OutputDirectory, &str),
) -> Result<String, Error> {
    let of = sampled.with_values(gradient);
    let domain = &setup.domain;
    let middle = 0.5 * (domain.low[1] + domain.high[1]);
    let ends = [0, 2].map(|axis| [domain.low[axis], domain.high[axis]]);
    let size = [0, 2].map(|axis| sampled.axes[axis].2.clamp(2, MOST_POINTS));
    let at = |axis: usize, index: usize| {
        ends[axis][0] + (ends[axis][1] - ends[axis][0]) * index as f64 / (size[axis] - 1) as f64
    };
    let points = (0..size[1]).flat_map(|k| (0..size[0]).map(move |i| (i, k)));
    let values: Vec<f64> = points.map(|(i, k)| of.at([at(0, i), middle, at(1, k)])).collect();
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let largest = sizes[((sizes.len() - 1) as f64 * SHOWN) as usize].max(f64::MIN_POSITIVE);
    let flat = |position: [f64; 3]| [position[0], position[2]];
    let sources: Vec<_> = shots.iter().map(|shot| flat(shot.source.centre())).collect();
    let receivers: Vec<_> = match shots.get(shots.len() / 2) {
        Some(shot) => shot.spread.receivers().map(|receiver| flat(receiver.array.centre())).collect(),
        None => Vec::new(),
    };
    let view = SurveyView {
        model: SurveyModel::Property(Raster { size, x: ends[0], y: ends[1], values: &values }),
        sources: &sources,
        receivers: &receivers,
        aperture: None,
        absorbing: None,
    };
    let title = if setup.title.is_empty() { "gradient".to_owned() } else { format!("{}: gradient", setup.title) };
    let options = SurveyOptions {
        title,
        plane: SurveyPlane::Section,
        quantity: quantity.to_owned(),
        unit: unit.to_owned(),
        colours: ColourMap::Vik,
        range: Some([-largest, largest]),
        ..SurveyOptions::default()
    };
    craton_view::survey_model(&view, &options, folder.file(name)?)?;
    Ok(name.to_owned())
}
