//! Shots that would be silent, or not what they seem.

use craton_acquisition::survey::{Extent, Survey};

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;
use crate::survey::config::{Config, Quantity, SourceKind, Top};

/// What is as good as on the surface [m].
const ON_SURFACE: f64 = 1e-3;
/// Parts of an offset that may lie across a plane before somebody should know.
const ACROSS: f64 = 0.01;

/// Sources and receivers in their box.
pub struct Geometry<'a> {
    /// Shots.
    pub survey: &'a Survey,
    /// The box.
    pub domain: &'a Extent,
    /// Whether nothing varies along y.
    pub is_plane: bool,
    /// The survey as it is written.
    pub config: &'a Config,
}

impl Geometry<'_> {
    /// Refuses sources that send nothing, numbers that no header holds, pictures of shots that are not there.
    pub fn check(&self, root: &KeyPath) -> Checked<()> {
        let shots = self.survey.shots();
        let path = root.key("acquisition");
        if let Some(shot) = shots.iter().find(|shot| i32::try_from(shot.number).is_err()) {
            let problem = Problem::new(path, format!("shot {} has a number that no trace header holds", shot.number));
            return Err(problem.allowed(format!("0 to {}", i32::MAX)).into());
        }
        let is_silent = |z: f64| (z - self.domain.high[2]).abs() < ON_SURFACE;
        if self.is_free() && self.config.source.kind == SourceKind::Monopole {
            let silent = shots.iter().find(|shot| shot.source.points().all(|point| is_silent(point.position[2])));
            if let Some(shot) = silent {
                let message = format!(
                    "the source of shot {} stands on the free surface, where there is no pressure",
                    shot.number
                );
                let hint =
                    "move it down, make it a force (source.kind = \"force_z\"), or let the top absorb (boundaries.top)";
                return Err(Problem::new(path, message).allowed("a depth below the top").hint(hint).into());
            }
        }
        let pictures = self.config.output.pictures.iter().flatten();
        let unknown = pictures.enumerate().find(|(_, number)| !shots.iter().any(|shot| shot.number == **number));
        match unknown {
            Some((index, number)) => {
                let path = root.key("output").key("pictures").index(index);
                let (first, last) = (shots[0].number, shots[shots.len() - 1].number);
                let problem = Problem::new(path, "is the number of no shot").value(number);
                Err(problem.allowed(format!("numbers of shots, such as {first} or {last}")).into())
            }
            None => Ok(()),
        }
    }

    /// What a user should know.
    pub fn warnings(&self) -> Vec<String> {
        let traces = || self.survey.shots().iter().flat_map(|shot| shot.traces());
        let mut warnings = Vec::new();
        if self.is_free() && self.config.receivers.quantity == Quantity::Pressure {
            let silent = traces().filter(|trace| (trace.receiver[2] - self.domain.high[2]).abs() < ON_SURFACE).count();
            if silent > 0 {
                warnings.push(format!("{silent} receivers of pressure stand on the free surface, and hear nothing"));
            }
        }
        let across = traces().map(|trace| ((trace.receiver[1] - trace.source[1]).abs(), trace.offset()));
        let crooked = across.filter(|(across, offset)| *across > ACROSS * offset.max(1.0)).map(|(across, _)| across);
        let farthest = crooked.fold(0.0, f64::max);
        if self.is_plane && farthest > 0.0 {
            warnings.push(format!(
                "in a plane nothing varies along y: waves travel along x alone, and receivers stand up to {} m across from their source",
                Number(farthest)
            ));
        }
        warnings
    }

    fn is_free(&self) -> bool {
        self.config.boundaries.top == Top::Free
    }
}
