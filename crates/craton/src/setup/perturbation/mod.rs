//! Perturbations of the Earth model, from the file to the model.
//!
//! | module | task |
//! |---|---|
//! | `file` | coordinates and variables of the file |
//! | `quality` | quality factors |
//! | `units` | units of values and coordinates |
//! | `values` | values within the domain, scaling, missing values |

mod file;
mod quality;
mod units;
mod values;

use std::path::Path;
use std::sync::Arc;

use craton_model::geodesy::LocalFrame;
use craton_model::{EarthModel, MapAxes, MapCut, ModelError, Perturbation};

use super::findings::{Checked, Findings, of_file};
use crate::config::{self, Domain};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::written::Scenario;
use file::MapFile;

/// The quantities that can be perturbed, as named by keys.
const QUANTITIES: [&str; 3] = ["vp", "vs", "rho"];
/// Quality factors, as named by keys and usually by variables.
const QUALITY: [&str; 4] = ["qp", "qs", "qkappa", "qmu"];
/// All maps of a model: `vp` and `vs` are vertically polarised speeds if there are maps of horizontally polarised ones.
const MAPS: [&str; 5] = ["vp", "vs", "rho", "vph", "vsh"];
/// Indices of the horizontally polarised maps of vp and vs.
const ACROSS: [usize; 2] = [3, 4];

/// Weights of the squared vertical and horizontal speeds in the isotropic average (Voigt average for weak anisotropy),
/// for vp and vs. Density has no polarisation.
///
/// # Source
/// Babuska & Cara (1991), Seismic Anisotropy in the Earth; Panning & Romanowicz (2006), doi 10.1111/j.1365-246X.2006.03100.x.
const VOIGT: [[f64; 2]; 3] = [[1.0 / 5.0, 4.0 / 5.0], [2.0 / 3.0, 1.0 / 3.0], [1.0, 0.0]];

/// The perturbed model; `None` with its problems if the perturbation is invalid.
///
/// # Arguments
/// * `frame` – `None` if it is already invalid
pub fn perturbed(
    model: EarthModel,
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let Some(written) = &scenario.config.perturbation else { return Some(model) };
    let path = KeyPath::default().key("perturbation");
    let frame = frame?.with_latitudes(written.latitudes.into());
    let source = Source { written, path: &path, averages: !model.is_anisotropic() };
    let changed = read(&source, scenario, &frame).and_then(|(map, warnings)| {
        findings.warnings.extend(warnings);
        model.perturbed(Arc::new(map), frame).map_err(|error| source.refuse(&error))
    });
    findings.keep(changed)
}

/// The perturbation within the domain, and warnings about it.
fn read(source: &Source, scenario: &Scenario, frame: &LocalFrame) -> Checked<(Perturbation, Vec<String>)> {
    let domain = &scenario.config.domain;
    let mut file = MapFile::open(
        source,
        &scenario.file_named(&source.written.file, &source.path.key("file"))?,
        frame.is_geographic(),
    )?;
    let axes = file.axes(source)?;
    let cut = axes.over(frame, [domain.x(), domain.y(), domain.z()]).map_err(|error| source.refuse(&error))?;
    let (mut maps, meaning, missing) = values::maps(source, &mut file, &cut)?;
    let without_quality = quality::read(source, &mut file, &cut, &mut maps)?;
    let averaged = (0..QUANTITIES.len()).filter_map(|quantity| file.averaged(source, quantity));
    let warnings =
        averaged.chain(missing).chain(without_quality).chain(short_of(source, &axes, &cut, domain)).collect();
    let map = Perturbation::new(cut.axes().clone(), maps, meaning).map_err(|error| source.refuse(&error))?;
    Ok((map, warnings))
}

/// The warning if the depth range of the map ends inside the domain.
fn short_of(source: &Source, axes: &MapAxes, cut: &MapCut, domain: &Domain) -> Option<String> {
    let depths = &cut.axes().depths;
    let ([first, last], [bottom, top]) = ([depths[0], depths[depths.len() - 1]], domain.z());
    let above = (first > 0.0 && first > -top).then(|| format!("above {} m", Number(first)));
    let below = (last < -bottom).then(|| format!("below {} m", Number(last)));
    let beyond: Vec<String> = above.into_iter().chain(below).collect();
    let whole = axes
        .depths
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], depth| [low.min(*depth), high.max(*depth)]);
    (!beyond.is_empty()).then(|| {
        format!(
            "{} = {:?}: the file covers depths from {} to {} m, but the domain extends from {} to {} m. Craton does not perturb the model {}, \
             which leaves a discontinuity if the perturbation does not end at 0",
            source.path.key("file"),
            source.written.file.display().to_string(),
            Number(whole[0]),
            Number(whole[1]),
            Number(0.0 - top),
            Number(0.0 - bottom),
            beyond.join(" and "),
        )
    })
}

/// The table of a perturbation in the scenario.
struct Source<'a> {
    written: &'a config::Perturbation,
    path: &'a KeyPath,
    /// Whether the model is isotropic, so that it takes the average of both polarisations.
    averages: bool,
}

impl Source<'_> {
    /// A problem of the file.
    fn problem(&self, message: impl Into<String>) -> Problem {
        *of_file(Problem::new(self.path.key("file"), message), self.file())
    }

    fn file(&self) -> &Path {
        &self.written.file
    }

    /// The problem of an invalid map.
    fn refuse(&self, error: &ModelError) -> Box<Problem> {
        Box::new(match error {
            ModelError::OutOfRange { what, value, allowed, hint } => {
                self.problem(format!("{what} = {} is out of range", Number(*value))).allowed(allowed).hint(hint)
            }
            ModelError::At { place, reason } => {
                let inner = *self.refuse(reason);
                Problem { message: format!("{place}: {}", inner.message), ..inner }
            }
            ModelError::BadMap { problem, hint } => self.problem(format!("the perturbation has {problem}")).hint(*hint),
            other => self.problem(other.to_string()),
        })
    }
}
