//! The levels of local time steps, as a report.

use std::f64::consts::TAU;
use std::fmt;

use craton_run::RunRecord;
use craton_sem::{Levels, Order};

use crate::format_position::format_position_in_space;
use crate::number::{Number, counted};
use crate::setup::Setup;

/// The levels of the time steps of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeLevels {
    /// Number of elements that are advanced by the step, by 1/2 of it, 1/4, and so on.
    pub elements: Vec<usize>,
    /// Ratio of the work with the smallest step in all elements to that with levels.
    pub gain: f64,
    /// Place of the element with the smallest step.
    pub smallest: String,
    /// Largest relative error of the speed of waves at the highest frequency that the scheme of second order leaves; `None` if the order is four.
    pub slowness: Option<f64>,
}

impl TimeLevels {
    /// Describes the levels of a mesh.
    ///
    /// # Arguments
    /// * `dt` – time step of the run [s]
    pub fn new(levels: &Levels, setup: &Setup, dt: f64) -> Self {
        let elements = levels.counts().to_vec();
        // Substeps have less dispersion than the step, for which traces are corrected.
        let whole = (TAU * setup.method.max_frequency() * dt).powi(2) / 24.0;
        let slowness = whole * (1.0 - 0.25_f64.powi(elements.len() as i32 - 1));
        Self {
            gain: levels.gain(),
            smallest: format_position_in_space(&setup.frame, levels.smallest()),
            slowness: (levels.order() == Order::Second).then_some(slowness),
            elements,
        }
    }

    /// Writes the figures to the record of a run.
    pub fn note(&self, record: &mut RunRecord) {
        record.figure("finest_level_of_time_steps", self.elements.len() - 1);
        record.figure("gain_of_local_time_steps", self.gain);
    }
}

impl fmt::Display for TimeLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = "                         ";
        writeln!(f, "  local time steps       {:.2} times less work than with the smallest step", Number(self.gain))?;
        for (level, &elements) in self.elements.iter().enumerate().filter(|(_, elements)| **elements > 0) {
            let part = if level == 0 { "the whole step".to_owned() } else { format!("1/{} of the step", 1 << level) };
            writeln!(f, "{head}{} with {part}", counted(elements, "element"))?;
        }
        writeln!(f, "{head}the smallest step is that of an element near {}", self.smallest)?;
        match self.slowness {
            None => writeln!(f, "{head}fourth order in time, no time dispersion to remove"),
            Some(slowness) => writeln!(
                f,
                "{head}waves in elements with parts of the step are up to {:.2} % slow at max_frequency",
                Number(100.0 * slowness)
            ),
        }
    }
}
