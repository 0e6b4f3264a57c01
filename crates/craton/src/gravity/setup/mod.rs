//! The checked problem: the files it names are read, and every part is known to make sense.
//!
//! | module | from the problem as written to |
//! |---|---|
//! | `bodies` | prisms |
//! | `figures` | what prisms amount to, and what in it is doubted |
//! | `layer` | the prisms between two surfaces |
//! | `volume` | the cells of a volume |
//! | `scenario` | the prisms of a scenario's model |
//! | `ubc` | the cells of a mesh of UBC-GIF |
//! | `places` | points, and how they lie |
//! | `lists` | columns of files |

mod bodies;
mod figures;
mod layer;
mod lists;
mod places;
mod scenario;
mod ubc;
mod volume;

use std::collections::BTreeMap;

use craton_device::Workers;
use craton_gravity::{Prisms, overlaps};

pub(crate) use bodies::UPSIDE_DOWN;
pub(crate) use lists::format_of;
pub use places::{Places, Shape};

use super::GravityFile;
use super::config::{Config, Method, Output, OutputFormat, Quantity};
use crate::config::DeviceChoice;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, Findings};
use crate::validate::nameless_folder;

/// Pairs of prisms that are named, at most.
const LISTED: usize = 5;

/// A checked problem.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A line that names the problem.
    pub title: String,
    /// What attracts.
    pub prisms: Prisms,
    /// Where gravity is computed.
    pub places: Places,
    /// What is computed.
    pub quantities: Vec<Quantity>,
    /// How sums are made.
    pub method: Method,
    /// What is written.
    pub output: Output,
    /// What is to compute.
    pub device: DeviceChoice,
    /// How many GPUs compute.
    pub devices: Option<usize>,
    /// Worker threads.
    pub threads: Option<usize>,
    /// What a user is told of the bodies.
    pub notes: Vec<String>,
    /// Files that were read, and their hashes.
    pub files: BTreeMap<String, String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Reads and checks what the problem names.
    ///
    /// # Errors
    /// [`Error::Scenario`] with everything that is wrong.
    pub fn new(file: &GravityFile) -> Result<Self, Error> {
        let (config, root) = (&file.config, KeyPath::default());
        let mut findings = Findings::default();
        findings.problems.extend(nameless_folder(&config.output.directory, &root.key("output")));
        let places = findings.keep(Places::new(file, &root.key("points")));
        if let Some(places) = &places {
            findings.keep(fits_formats(places, config, &root.key("output").key("formats")));
        }
        let made = bodies::Bodies::new(file, places.as_ref(), &root.key("body"), &mut findings);
        let (Some(places), Some(made), true) = (places, made, findings.problems.is_empty()) else {
            return Err(file.refuse(findings.problems));
        };
        let (mut warnings, mut notes) = (places.doubts.clone(), made.notes);
        warnings.extend(findings.warnings);
        if config.method.find_overlaps {
            match made.workers.run(|| told_of_overlaps(&made.prisms)) {
                Some(warning) => warnings.push(warning),
                None => notes.push("no prisms overlap".to_owned()),
            }
        }
        Ok(Self {
            title: config.title.clone(),
            prisms: made.prisms,
            places,
            quantities: config.fields.clone(),
            method: config.method.clone(),
            output: config.output.clone(),
            device: config.compute.device.choice()?,
            devices: config.compute.devices,
            threads: config.compute.threads,
            notes,
            files: file.file_hashes()?,
            warnings,
        })
    }
}

/// The threads that the problem gives to what is computed of it here.
fn workers(file: &GravityFile) -> Checked<Workers> {
    let refused = |error: craton_device::WorkersError| Problem::new("compute.threads", error.to_string());
    Ok(Workers::new(file.config.compute.threads).map_err(refused)?)
}

/// Refuses formats that cannot hold the points.
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
        let message = format!("holds grids, and of {} x {} points nothing says how wide a cell is", x.len(), y.len());
        let problem = Problem::new(path.index(index), message).value("\"esri\"");
        return Err(problem
            .allowed("two points or more along x and along y")
            .hint("csv, netcdf, npy and ubc hold them")
            .into());
    };
    if (dx - dy).abs() <= 1e-6 * dx {
        return Ok(());
    }
    let message =
        format!("holds square cells, and the points are {} m apart along x and {} m along y", Number(dx), Number(dy));
    Err(Problem::new(path.index(index), message).value("\"esri\"").allowed("csv, netcdf, npy, ubc").into())
}

/// Names prisms that overlap, counted from 0 through all bodies.
fn told_of_overlaps(prisms: &Prisms) -> Option<String> {
    let found = overlaps(prisms, LISTED + 1);
    let pairs: Vec<String> = found.iter().take(LISTED).map(|[a, b]| format!("{a} and {b}")).collect();
    let more = if found.len() > LISTED { ", and more" } else { "" };
    let told = || {
        format!("prisms overlap, counted from 0 through all bodies: {}{more}; their densities add", pairs.join(", "))
    };
    (!found.is_empty()).then(told)
}
