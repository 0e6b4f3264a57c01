//! The checked survey: all input files are read, positions are in metres with z up, and all parts are consistent.
//!
//! | module | converts |
//! |---|---|
//! | `checks` | shots without effect or with suspicious geometry |
//! | `fluid` | the fluid model: speeds of P waves, density, attenuation |
//! | `solid` | the solid model of an elastic survey |
//! | `geometry`, `sps`, `headers` | shots and receivers |
//! | `wavelet`, `signatures` | the source wavelets |
//! | `times` | time 0 and the first sample of the traces |

mod checks;
pub mod fluid;
mod geometry;
mod headers;
mod signatures;
mod solid;
mod sps;
mod times;
mod wavelet;

use std::collections::BTreeMap;
use std::sync::Arc;

use craton_acquisition::survey::{Extent, Survey, SurveyTables};
use craton_fd::acoustic::AcousticField;
use craton_model::EarthModel;

use super::SurveyFile;
use super::config::{Absorbing, Config, Domain, Fd, Layer, Model, Output, Quantity, SourceKind, Top};
use crate::config::DeviceChoice;
use crate::density::{density_of, density_of_elastic};
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::setup::findings::{Checked, Findings, bad_acquisition};
use fluid::Fluid;
use geometry::Acquired;
pub use times::TraceTimes;
pub use wavelet::Wavelets;

/// Largest edge of a box without a question about its unit [m].
const TINY: f64 = 20.0;

/// A checked survey: everything in SI units, independent of grids and devices.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Title of the survey.
    pub title: String,
    /// Length of the traces [s].
    pub duration: f64,
    /// The box [m]; without an extent along y in two dimensions.
    pub domain: Extent,
    /// Whether the simulation is two-dimensional, in x and z.
    pub is_plane: bool,
    /// The fluid model; in an elastic survey, the speeds of P waves and the density of the solid.
    pub fluid: Fluid,
    /// The solid model of an elastic survey.
    pub solid: Option<EarthModel>,
    /// Shots and receivers.
    pub survey: Survey,
    /// The source wavelets, without their amplitude.
    pub sent: Arc<Wavelets>,
    /// Time 0 and the first sample of the traces.
    pub times: TraceTimes,
    /// The amplitude.
    pub amplitude: f64,
    /// The field that a source acts on.
    pub source: AcousticField,
    /// The recorded quantities, without duplicates.
    pub heard: Vec<Quantity>,
    /// Whether the top is a free surface.
    pub is_free: bool,
    /// The absorbing layers.
    pub absorbing: Absorbing,
    /// The finite-difference parameters.
    pub fd: Fd,
    /// The output.
    pub output: Output,
    /// The requested devices.
    pub device: DeviceChoice,
    /// Number of GPUs.
    pub devices: Option<usize>,
    /// Number of worker threads.
    pub threads: Option<usize>,
    /// Whether all shots are computed on one kind of device.
    pub reproducible: bool,
    /// The input files and their hashes.
    pub files: BTreeMap<String, String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Reads the input files and checks the survey.
    ///
    /// # Errors
    /// [`Error::Scenario`] with all problems.
    pub fn new(file: &SurveyFile) -> Result<Self, Error> {
        let (config, root) = (&file.config, KeyPath::default());
        let mut findings = Findings::default();
        let fluid = findings.keep(Fluid::new(file, &root));
        let acquired = findings.keep(geometry::survey(file, &root.key("acquisition")));
        let sent = findings.keep(wavelets(file, acquired.as_ref(), &root));
        let domain = fluid.as_ref().and_then(|fluid| findings.keep(domain(&config.domain, fluid, &root.key("domain"))));
        let is_plane = domain.is_some_and(|(_, is_plane)| is_plane);
        let fluid = fluid.zip(domain).and_then(|(fluid, (domain, _))| {
            let attenuated = fluid.attenuated(config, &domain, &root, &mut findings);
            findings.keep(attenuated)
        });
        let solid = solid(file, fluid.as_ref(), domain.map(|(domain, _)| domain), &mut findings);
        if let (Some((domain, _)), Some(acquired)) = (&domain, &acquired) {
            check_geometry(acquired, (domain, is_plane), (config, solid.as_ref()), &mut findings);
        }
        findings.keep(moving(is_plane, config));
        let (Some(fluid), Some(Acquired { survey, .. }), Some((sent, times, notes)), Some((domain, _)), true) =
            (fluid, acquired, sent, domain, findings.problems.is_empty())
        else {
            return Err(file.refuse(findings.problems));
        };
        let warnings = [findings.warnings, model_warnings(config, &fluid), notes].concat();
        Ok(Self {
            title: config.title.clone(),
            duration: config.duration,
            domain,
            is_plane,
            fluid,
            solid,
            survey,
            sent: Arc::new(sent),
            times,
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

/// The source wavelets with warnings about them, and the times of the traces.
fn wavelets(
    file: &SurveyFile,
    acquired: Option<&Acquired>,
    root: &KeyPath,
) -> Checked<(Wavelets, TraceTimes, Vec<String>)> {
    let (wavelets, warnings) = Wavelets::new(file, acquired, &root.key("source"))?;
    let times = TraceTimes::new(&file.config, wavelets.zero, root)?;
    Ok((wavelets, times, warnings))
}

/// Checks the positions of sources and receivers.
///
/// # Arguments
/// * `domain`, `is_plane` – the box, and whether the simulation is two-dimensional
/// * `solid` – the solid model of an elastic survey, if it could be read
fn check_geometry(
    Acquired { survey, tables, warnings, .. }: &Acquired,
    (domain, is_plane): (&Extent, bool),
    (config, solid): (&Config, Option<&EarthModel>),
    findings: &mut Findings,
) {
    findings.keep(inside(survey, tables.as_ref(), domain, config.domain.y.is_none()));
    let geometry = checks::Geometry { survey, domain, is_plane, config, solid };
    findings.keep(geometry.check(&KeyPath::default()));
    findings.warnings.extend(warnings.iter().cloned().chain(geometry.warnings()));
}

/// The field that a source acts on.
fn moved_by(kind: SourceKind) -> AcousticField {
    match kind {
        SourceKind::Monopole => AcousticField::Pressure,
        SourceKind::ForceX => AcousticField::Velocity(0),
        SourceKind::ForceY => AcousticField::Velocity(1),
        SourceKind::ForceZ => AcousticField::Velocity(2),
    }
}

/// The box, and whether the simulation is two-dimensional.
fn domain(domain: &Domain, fluid: &Fluid, path: &KeyPath) -> Checked<(Extent, bool)> {
    let ends = fluid.ends();
    let depth = domain.depth.map(|[top, bottom]| [-bottom, -top]);
    let missing = |key: &str| Problem::new(path.key(key), "is missing, and the model does not define it");
    let x = domain.x.or(ends[0]).ok_or_else(|| missing("x"))?;
    let z = depth.or(ends[2]).ok_or_else(|| missing("depth"))?;
    let y = domain.y.or(ends[1]);
    let domain = [x, y.unwrap_or([0.0; 2]), z];
    if let Some((key, found, allowed)) = beyond(domain, ends) {
        let problem = Problem::new(path.key(key), "extends beyond the model").value(found);
        return Err(problem.allowed(format!("within {allowed}, the extent of the model")).into());
    }
    for (of, ends) in fluid.other_ends() {
        if let Some((key, found, allowed)) = beyond(domain, ends) {
            let path = KeyPath::default().key("model").key("volume").key(of).key("file");
            let problem = Problem::new(path, format!("the grid does not cover the domain, {key} = {found}"));
            let problem = problem.allowed(format!("{key} within {allowed}, the extent of the grid"));
            return Err(problem
                .hint("reduce the domain, or correct `origin`, `spacing` and `axes` of the file")
                .into());
        }
    }
    let is_plane = y.is_none();
    let y = y.unwrap_or([0.0; 2]);
    // Removes the sign of zero.
    let z = z.map(|z| z + 0.0);
    Ok((Extent { low: [x[0], y[0], z[0]], high: [x[1], y[1], z[1]] }, is_plane))
}

/// The first axis along which a box extends beyond a grid: its key, the limits of the box and those of the grid, as in the file.
fn beyond(domain: [[f64; 2]; 3], grid: [Option<[f64; 2]>; 3]) -> Option<(&'static str, String, String)> {
    // Coordinates in files have few digits.
    const SLACK: f64 = 1e-3;
    ["x", "y", "depth"].into_iter().zip(domain).zip(grid).find_map(|((key, [from, to]), ends)| {
        let [low, high] = ends?;
        let slack = SLACK * (high - low);
        let named = |ends: [f64; 2]| match key {
            "depth" => bracketed(&ends.map(|z| 0.0 - z).into_iter().rev().collect::<Vec<_>>()),
            _ => bracketed(&ends),
        };
        (from < low - slack || to > high + slack).then(|| (key, named([from, to]), named([low, high])))
    })
}

/// Rejects sources and receivers outside the box; y is ignored in two dimensions.
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
        if is_tiny { Box::new(problem.hint("check the unit of the model: metres")) } else { problem }
    })
}

/// Rejects motion across a two-dimensional fluid, and sources in a plane whose waves no receiver records.
fn moving(is_plane: bool, config: &Config) -> Checked<()> {
    // Elastic waves with motion across the plane are SH waves.
    if is_plane && config.is_elastic() {
        return recorded_in_plane(config);
    }
    let (root, kind, quantities) = (KeyPath::default(), config.source.kind, &config.receivers.quantities);
    let refused = |path: KeyPath, value: &str| {
        let problem =
            Problem::new(path, "there is no motion along y in a two-dimensional acoustic survey").value(value);
        Err(problem.hint("give the domain an extent along y, or choose another direction").into())
    };
    if is_plane && kind == SourceKind::ForceY {
        return refused(root.key("source").key("kind"), "force_y");
    }
    match quantities.iter().position(|&quantity| quantity == Quantity::VelocityY) {
        Some(index) if is_plane => refused(root.key("receivers").key("quantities").index(index), "velocity_y"),
        _ => Ok(()),
    }
}

/// Rejects an elastic survey in a plane that records SH waves only from a source of P-SV waves, or the reverse: all traces would be zero.
fn recorded_in_plane(config: &Config) -> Checked<()> {
    let (kind, quantities) = (config.source.kind, &config.receivers.quantities);
    let is_across = kind == SourceKind::ForceY;
    if quantities.iter().any(|&quantity| (quantity == Quantity::VelocityY) == is_across) {
        return Ok(());
    }
    let (message, allowed) = match is_across {
        true => ("do not include velocity_y, the only motion that force_y causes in two dimensions", "velocity_y"),
        false => (
            "include only velocity_y, which is zero: in two dimensions only force_y causes motion along y",
            "pressure, velocity_x, velocity_z",
        ),
    };
    let names: Vec<&str> = quantities.iter().map(|quantity| quantity.name()).collect();
    let problem = Problem::new(KeyPath::default().key("receivers").key("quantities"), message);
    let problem = problem.value(format!("[{}]", names.join(", "))).allowed(format!("at least one of {allowed}"));
    Err(problem.hint("change receivers.quantities or source.kind, or give the domain an extent along y").into())
}

/// The solid model of an elastic survey.
fn solid(
    file: &SurveyFile,
    fluid: Option<&Fluid>,
    domain: Option<Extent>,
    findings: &mut Findings,
) -> Option<EarthModel> {
    let (fluid, domain) = fluid.zip(domain).filter(|_| file.config.is_elastic())?;
    let model = solid::model(file, fluid, &domain, &KeyPath::default(), &mut findings.warnings);
    findings.keep(model)
}

/// Warnings about the model.
fn model_warnings(config: &Config, fluid: &Fluid) -> Vec<String> {
    let of_unit = fluid.assumed_unit(&config.model).into_iter().collect();
    [assumed_density(config), of_unit, ignored_shear(config), fluid.warnings()].concat()
}

/// A message about speeds of S waves that an acoustic survey ignores.
fn ignored_shear(config: &Config) -> Vec<String> {
    let is_given = match &config.model {
        Model::Volume(volumes) => volumes.vs.is_some(),
        Model::Layered(layered) => layered.layers.iter().any(|layer| layer.vs.is_some_and(|vs| vs > 0.0)),
    };
    let warning = "the survey is acoustic and ignores vs; set method.fd.equation = \"elastic\" for elastic waves";
    (is_given && !config.is_elastic()).then(|| warning.to_owned()).into_iter().collect()
}

/// A message about default densities.
fn assumed_density(config: &Config) -> Vec<String> {
    match &config.model {
        Model::Volume(volumes) => {
            let warning = match config.is_elastic() {
                true => "the model has no density; Craton uses 1025 kg/m3 where vs is 0, and 310 vp^0.25 elsewhere",
                false => {
                    "the model has no density; Craton derives it from the wave speed: 1025 kg/m3 up to 1550 m/s, 310 vp^0.25 above"
                }
            };
            volumes.density.is_none().then(|| warning.to_owned()).into_iter().collect()
        }
        Model::Layered(layered) => {
            let without = (1..).zip(&layered.layers).filter(|(_, layer)| layer.rho.is_none());
            let warning = |(number, layer): (usize, &Layer)| {
                let (rho, of) = match layer.vs.filter(|_| config.is_elastic()) {
                    Some(vs) => (density_of_elastic(layer.vp, vs), "speeds"),
                    None => (density_of(layer.vp), "speed"),
                };
                format!(
                    "layer {number} has no density; Craton derives {} kg/m3 from its wave {of}",
                    Number(rho.round())
                )
            };
            without.map(warning).collect()
        }
    }
}
