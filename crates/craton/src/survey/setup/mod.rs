//! The checked survey: the files it names are read, places are metres with z up, and every part is known to make sense.
//!
//! | module | from the survey as written to |
//! |---|---|
//! | `checks` | shots that would be silent, or not what they seem |
//! | `fluid` | the fluid that waves travel in |
//! | `geometry`, `sps`, `headers` | shots and receivers |
//! | `wavelet` | what every shot sends |

mod checks;
pub mod fluid;
mod geometry;
mod headers;
mod sps;
mod wavelet;

use std::collections::BTreeMap;

use craton_acquisition::TimeFunction;
use craton_acquisition::survey::{Extent, Survey, SurveyTables};
use craton_fd::acoustic::AcousticField;

use super::SurveyFile;
use super::config::{Absorbing, Domain, Fd, FluidLayer, Model, Output, Quantity, SourceKind, Top};
use crate::config::DeviceChoice;
use crate::density::density_of;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::setup::findings::{Checked, Findings, bad_acquisition};
use fluid::Fluid;
use geometry::Acquired;

/// Edge of a box that makes one ask for its unit [m].
const TINY: f64 = 20.0;

/// A checked survey: everything in SI units, knowing nothing of grids or devices.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A line that names the survey.
    pub title: String,
    /// Length of the traces [s].
    pub duration: f64,
    /// The box [m]; in a plane it has no extent along y.
    pub domain: Extent,
    /// Whether waves travel in the plane of x and z.
    pub is_plane: bool,
    /// What waves travel in.
    pub fluid: Fluid,
    /// Shots and receivers.
    pub survey: Survey,
    /// What every shot sends, but for its amplitude.
    pub sent: TimeFunction,
    /// Factor on it.
    pub amplitude: f64,
    /// What a source moves.
    pub source: AcousticField,
    /// What is heard, each quantity once.
    pub heard: Vec<Quantity>,
    /// Whether the top is free.
    pub is_free: bool,
    /// The layers that absorb.
    pub absorbing: Absorbing,
    /// How a shot is computed.
    pub fd: Fd,
    /// What is written.
    pub output: Output,
    /// What is to compute.
    pub device: DeviceChoice,
    /// How many GPUs compute.
    pub devices: Option<usize>,
    /// Worker threads.
    pub threads: Option<usize>,
    /// Whether all shots are computed on one kind of device.
    pub reproducible: bool,
    /// Files that were read, and their hashes.
    pub files: BTreeMap<String, String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Reads and checks what the survey names.
    ///
    /// # Errors
    /// [`Error::Scenario`] with everything that is wrong.
    pub fn new(file: &SurveyFile) -> Result<Self, Error> {
        let (config, root) = (&file.config, KeyPath::default());
        let mut findings = Findings::default();
        let fluid = findings.keep(Fluid::new(&config.model, file, &root.key("model")));
        let acquired = findings.keep(geometry::survey(file, &root.key("acquisition")));
        let sent = findings.keep(wavelet::sent(file, &root.key("source")));
        let domain = fluid.as_ref().and_then(|fluid| findings.keep(domain(&config.domain, fluid, &root.key("domain"))));
        let is_plane = domain.is_some_and(|(_, is_plane)| is_plane);
        if let (Some((domain, _)), Some(Acquired { survey, tables, warnings })) = (&domain, &acquired) {
            findings.keep(inside(survey, tables.as_ref(), domain, config.domain.y.is_none()));
            let geometry = checks::Geometry { survey, domain, is_plane, config };
            findings.keep(geometry.check(&root));
            findings.warnings.extend(warnings.iter().cloned().chain(geometry.warnings()));
        }
        findings.keep(moving(is_plane, config.source.kind, &config.receivers.quantities));
        let (Some(fluid), Some(Acquired { survey, .. }), Some((sent, told)), Some((domain, _)), true) =
            (fluid, acquired, sent, domain, findings.problems.is_empty())
        else {
            return Err(file.refuse(findings.problems));
        };
        let mut warnings = findings.warnings;
        warnings.extend(assumed_density(&config.model));
        warnings.extend(fluid.assumed_unit(&config.model));
        warnings.extend(told);
        Ok(Self {
            title: config.title.clone(),
            duration: config.duration,
            domain,
            is_plane,
            fluid,
            survey,
            sent,
            amplitude: config.source.amplitude,
            source: moved_by(config.source.kind),
            heard: config.receivers.quantities.clone(),
            is_free: config.boundaries.top == Top::Free,
            absorbing: config.boundaries.absorbing.clone(),
            fd: config.method.fd().clone(),
            output: config.output.clone(),
            device: config.compute.device.choice()?,
            devices: config.compute.devices,
            threads: config.compute.threads,
            reproducible: config.compute.reproducible,
            files: file.file_hashes()?,
            warnings,
        })
    }
}

/// What a source moves.
fn moved_by(kind: SourceKind) -> AcousticField {
    match kind {
        SourceKind::Monopole => AcousticField::Pressure,
        SourceKind::ForceX => AcousticField::Velocity(0),
        SourceKind::ForceY => AcousticField::Velocity(1),
        SourceKind::ForceZ => AcousticField::Velocity(2),
    }
}

/// The box, and whether it is a plane.
fn domain(domain: &Domain, fluid: &Fluid, path: &KeyPath) -> Checked<(Extent, bool)> {
    let ends = fluid.ends();
    let depth = domain.depth.map(|[top, bottom]| [-bottom, -top]);
    let missing = |key: &str| Problem::new(path.key(key), "is missing: the model does not say it");
    let x = domain.x.or(ends[0]).ok_or_else(|| missing("x"))?;
    let z = depth.or(ends[2]).ok_or_else(|| missing("depth"))?;
    let y = domain.y.or(ends[1]);
    // Files hold their places in few digits.
    const SLACK: f64 = 1e-3;
    for (key, [from, to], model) in [("x", x, ends[0]), ("y", y.unwrap_or([0.0; 2]), ends[1]), ("depth", z, ends[2])] {
        let Some([low, high]) = model else { continue };
        let slack = SLACK * (high - low);
        if from < low - slack || to > high + slack {
            let (found, allowed) = match key {
                "depth" => ([-to, -from], [-high, -low]),
                _ => ([from, to], [low, high]),
            };
            let problem = Problem::new(path.key(key), "reaches beyond the model").value(bracketed(&found));
            return Err(problem.allowed(format!("within {}, where the model is", bracketed(&allowed))).into());
        }
    }
    let is_plane = y.is_none();
    let y = y.unwrap_or([0.0; 2]);
    // Without the sign of zero.
    let z = z.map(|z| z + 0.0);
    Ok((Extent { low: [x[0], y[0], z[0]], high: [x[1], y[1], z[1]] }, is_plane))
}

/// Refuses sources and receivers outside the box; y means nothing in a plane.
fn inside(survey: &Survey, tables: Option<&SurveyTables>, domain: &Extent, is_plane: bool) -> Checked<()> {
    let path = KeyPath::default().key("acquisition");
    let mut domain = *domain;
    if is_plane && domain.low[1] == domain.high[1] {
        let extents = survey.shots().iter().map(|shot| shot.aperture([0.0; 3]));
        (domain.low[1], domain.high[1]) =
            extents.fold((0.0, 0.0), |(low, high), extent| (extent.low[1].min(low), extent.high[1].max(high)));
    }
    survey.check_inside(&domain).map_err(|error| {
        let problem = match tables {
            Some(tables) => bad_acquisition(&tables.located(error), &path),
            None => bad_acquisition(&error, &path),
        };
        let is_tiny = [0, 2].iter().any(|&axis| domain.high[axis] - domain.low[axis] < TINY);
        if is_tiny { Box::new(problem.hint("is the unit of the model right? a survey is in metres")) } else { problem }
    })
}

/// Refuses motion across a plane.
fn moving(is_plane: bool, kind: SourceKind, quantities: &[Quantity]) -> Checked<()> {
    let root = KeyPath::default();
    let refused = |path: KeyPath, value: &str| {
        let problem = Problem::new(path, "nothing moves along y in the plane of x and depth").value(value);
        Err(problem.hint("give the domain an extent along y, or choose another").into())
    };
    if is_plane && kind == SourceKind::ForceY {
        return refused(root.key("source").key("kind"), "force_y");
    }
    match quantities.iter().position(|&quantity| quantity == Quantity::VelocityY) {
        Some(index) if is_plane => refused(root.key("receivers").key("quantities").index(index), "velocity_y"),
        _ => Ok(()),
    }
}

/// Says where densities come from that nobody has given.
fn assumed_density(model: &Model) -> Vec<String> {
    match model {
        Model::Volume(volumes) => {
            let told =
                "the model has no density: it follows from the speed, 1025 kg/m3 up to 1550 m/s and 310 vp^0.25 above";
            volumes.density.is_none().then(|| told.to_owned()).into_iter().collect()
        }
        Model::Layered(layered) => {
            let without = (1..).zip(&layered.layers).filter(|(_, layer)| layer.rho.is_none());
            let told = |(number, layer): (usize, &FluidLayer)| {
                let rho = Number(density_of(layer.vp).round());
                format!("layer {number} has no density: it follows from its speed, {rho} kg/m3")
            };
            without.map(told).collect()
        }
    }
}
