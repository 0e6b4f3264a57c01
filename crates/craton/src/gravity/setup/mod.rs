//! The checked problem: all input files are read, and all parts are consistent.
//!
//! | module | converts |
//! |---|---|
//! | `bodies` | bodies to prisms |
//! | `figures` | prisms to statistics, with warnings about implausible values |
//! | `magnetisation` | the magnetisation of prisms |
//! | `reduction` | the input of the reduction of observed gravity |
//! | `layer` | layers between two surfaces |
//! | `ground` | layers with a smooth upper surface |
//! | `holes` | grid points without a value |
//! | `grids` | surfaces and densities on grids |
//! | `slices` | density laws to numbers of slices |
//! | `volume` | volumes to cells |
//! | `scenario` | the model of a scenario |
//! | `ubc` | UBC-GIF meshes |
//! | `places`, `stations` | points and their arrangement, on a map and on a sphere |
//! | `reference` | heights above a sphere or an ellipsoid to radii |
//! | `sphere`, `sphere_layer`, `sphere_volume` | bodies in longitude and latitude to tesseroids |
//! | `lists` | columns of files |
//! | `memory` | sizes of files to memory |

mod bodies;
mod figures;
mod grids;
mod ground;
mod holes;
mod layer;
mod lists;
mod magnetisation;
mod memory;
mod places;
mod reduction;
mod reference;
mod scenario;
mod slices;
mod sphere;
mod sphere_layer;
mod sphere_volume;
mod stations;
mod ubc;
mod volume;

use std::collections::BTreeMap;

use craton_device::Workers;
use craton_gravity::{Prisms, overlaps};
use craton_run::Room;

pub(crate) use bodies::UPSIDE_DOWN;
pub use ground::{Ground, Grounds};
pub(crate) use lists::format_of;
pub use magnetisation::Magnetic;
pub use places::{Places, Shape};
pub use reduction::Reduced;
pub use reference::Reference;
pub use sphere::Sphere;

use super::GravityFile;
use super::config::{Config, Method, Output, OutputFormat, Quantity};
use crate::config::DeviceChoice;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, Findings};
use crate::validate::nameless_folder;

/// Largest number of overlapping pairs that are listed.
const LISTED: usize = 5;

/// A checked problem.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Title of the problem.
    pub title: String,
    /// The prisms.
    pub prisms: Prisms,
    /// The tesseroids and stations of a problem in longitude and latitude, which has no prisms.
    pub sphere: Option<Sphere>,
    /// Corrections for smooth surfaces.
    pub grounds: Grounds,
    /// The observation points.
    pub places: Places,
    /// The magnetisation of the prisms, if the problem is a magnetic one.
    pub magnetic: Option<Magnetic>,
    /// The reduction of observed gravity, if the problem has one.
    pub reduced: Option<Reduced>,
    /// The computed fields.
    pub quantities: Vec<Quantity>,
    /// How the sums are computed.
    pub method: Method,
    /// The output.
    pub output: Output,
    /// The requested devices.
    pub device: DeviceChoice,
    /// Number of GPUs.
    pub devices: Option<usize>,
    /// Number of worker threads.
    pub threads: Option<usize>,
    /// Notes about the bodies for the user.
    pub notes: Vec<String>,
    /// The input files and their hashes.
    pub files: BTreeMap<String, String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The memory that was available before the bodies were read.
    pub room: Room,
}

impl Setup {
    /// Reads the input files and checks the problem.
    ///
    /// # Errors
    /// [`Error::Scenario`] with all problems.
    pub fn new(file: &GravityFile) -> Result<Self, Error> {
        let (config, root) = (&file.config, KeyPath::default());
        let (mut findings, room) = (Findings::default(), memory::room(file));
        findings.problems.extend(nameless_folder(&config.output.directory, &root.key("output")));
        let places = findings.keep(Places::new(file, &root.key("points")));
        if let Some(places) = &places {
            findings.keep(fits_formats(places, config, &root.key("output").key("formats")));
        }
        if findings.problems.is_empty() {
            room.require(memory::of_bodies(file))?;
        }
        let made = bodies::Bodies::new(file, places.as_ref(), &root.key("body"), &mut findings);
        let (Some(places), Some(made), true) = (places, made, findings.problems.is_empty()) else {
            return Err(file.refuse(findings.problems));
        };
        let magnetic = findings.keep(Magnetic::new(file, &made.prisms, &made.runs)).flatten();
        let reduced = findings.keep(Reduced::new(file, &places, &made.prisms)).flatten();
        let on_sphere = || Sphere::new(made.tesseroids, &places, &Reference::of(config));
        let sphere = config.is_geographic().then(on_sphere).and_then(|sphere| findings.keep(sphere));
        if !findings.problems.is_empty() {
            return Err(file.refuse(findings.problems));
        }
        let (mut warnings, mut notes) = (places.doubts.clone(), made.notes);
        notes.extend(magnetic.iter().flat_map(|magnetic| magnetic.notes.clone()));
        warnings.extend(findings.warnings);
        if config.method.find_overlaps {
            let found = made.workers.run(|| overlap_warning(&made.prisms));
            notes.extend(found.is_none().then(|| "no prisms overlap".to_owned()));
            warnings.extend(found);
        }
        Ok(Self {
            title: config.title.clone(),
            prisms: made.prisms,
            sphere,
            grounds: made.grounds,
            places,
            magnetic,
            reduced,
            quantities: config.fields.clone(),
            method: config.method.clone(),
            output: config.output.clone(),
            device: config.compute.device.choice()?,
            devices: config.compute.devices,
            threads: config.compute.threads,
            notes,
            files: file.file_hashes()?,
            warnings,
            room,
        })
    }

    /// Unit vector along the main magnetic field; zero for gravity.
    pub fn main_direction(&self) -> [f64; 3] {
        self.magnetic.as_ref().map_or([0.0; 3], Magnetic::direction)
    }
}

/// The worker threads for the preparation of a problem.
fn workers(file: &GravityFile) -> Checked<Workers> {
    let refused = |error: craton_device::WorkersError| Problem::new("compute.threads", error.to_string());
    Ok(Workers::new(file.config.compute.threads).map_err(refused)?)
}

/// Rejects formats that do not support the points.
fn fits_formats(places: &Places, config: &Config, path: &KeyPath) -> Checked<()> {
    let Some(index) = config.output.formats.iter().flatten().position(|&format| format == OutputFormat::Esri) else {
        return Ok(());
    };
    let Shape::Grid { x, y, .. } = &places.shape else { return Ok(()) };
    let spacing = |places: &[f64]| match places {
        [first, .., last] => Some((last - first) / (places.len() - 1) as f64),
        _ => None,
    };
    let [Some(dx), Some(dy)] = [spacing(x), spacing(y)] else {
        let message = format!("requires a cell size, which {} x {} points do not define", x.len(), y.len());
        let problem = Problem::new(path.index(index), message).value("\"esri\"");
        return Err(problem
            .allowed("at least two points along x and along y")
            .hint("use csv, netcdf, npy or ubc")
            .into());
    };
    if (dx - dy).abs() <= 1e-6 * dx {
        return Ok(());
    }
    let (unit, [x, y, _]) = (if places.are_geographic { "degrees" } else { "m" }, places.axes());
    let (dx, dy) = (Number(dx), Number(dy));
    let message = format!("requires square cells, but the spacing is {dx} {unit} along {x} and {dy} {unit} along {y}");
    Err(Problem::new(path.index(index), message).value("\"esri\"").allowed("csv, netcdf, npy, ubc").into())
}

/// A message with overlapping prisms, counted from 0 over all bodies.
fn overlap_warning(prisms: &Prisms) -> Option<String> {
    let found = overlaps(prisms, LISTED + 1);
    let pairs: Vec<String> = found.iter().take(LISTED).map(|[a, b]| format!("{a} and {b}")).collect();
    let more = if found.len() > LISTED { ", and more" } else { "" };
    let warning = || {
        format!(
            "these prisms overlap (counted from 0 over all bodies): {}{more}. Their densities add up",
            pairs.join(", ")
        )
    };
    (!found.is_empty()).then(warning)
}
