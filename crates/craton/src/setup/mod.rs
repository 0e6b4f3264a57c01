//! The checked scenario: all input files are read, all positions are in metres, and all parts are consistent.
//!
//! | module | converts |
//! |---|---|
//! | `frame` | the projection |
//! | `surfaces`, `media`, `model`, `depth_table`, `volume` | the Earth model |
//! | `attenuation` | quality factors, and the attenuation of the run |
//! | `given_mesh`, `mesh_bodies`, `element_fields` | the mesh of another program, the bodies that it defines, and their materials by element |
//! | `perturbation` | its three-dimensional perturbation |
//! | `resolution` | unreasonable sizes of elements and cells |
//! | `finite_differences` | restrictions of finite differences |
//! | `ground` | positions inside the box |
//! | `sides` | absorbing sides: their keys, and sources on them |
//! | `sources`, `solutions`, `time_function`, `radiation`, `event` | sources, and warnings about them |
//! | `faults` | finite faults |
//! | `receivers`, `station_file`, `components` | receivers and their component directions |
//! | `fibres` | optical fibres |
//! | `gathers` | receivers that the formats of gathers do not support |
//! | `interfaces` | sources and receivers on interfaces |
//! | `findings` | problems and warnings |
//! | `bare` | a scenario without sources and receivers |

pub(crate) mod attenuation;
mod bare;
mod components;
mod depth_table;
mod element_fields;
mod event;
mod faults;
mod fibres;
pub(crate) mod findings;
mod finite_differences;
mod fluid_sources;
pub(crate) mod frame;
mod gathers;
pub(crate) mod given_mesh;
mod ground;
mod interfaces;
mod media;
mod mesh_bodies;
mod model;
mod perturbation;
mod radiation;
mod receivers;
mod resolution;
mod sea_of_volume;
mod sides;
mod solutions;
mod sources;
pub(crate) mod station_file;
mod surfaces;
pub(crate) mod time_function;
mod volume;

use std::collections::BTreeMap;

use craton_acquisition::{AxisNames, Quantity, Receiver, Source};
use craton_model::geodesy::LocalFrame;
use craton_model::{EarthModel, Interface};

use crate::config::{BoundaryKind, Config, DeviceChoice, GpuMessages, Method, Model, Output, Partition};
use crate::error::Error;
use crate::key_path::KeyPath;
use crate::written::Scenario;
pub use components::Directions;
pub use event::Event;
pub use faults::{Fault, FaultPoint};
pub use fibres::SensingFibre;
use findings::Findings;
use given_mesh::{MeshInRegions, MeshedDomain};
use ground::Ground;
pub use radiation::ONSET_THRESHOLD;
use sources::Sources;

/// A checked scenario: everything in SI units and model coordinates, independent of devices and of meshes that Craton makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// Title of the scenario.
    pub title: String,
    /// Time of step 0 [s]: 0, or earlier for sources from a solution file.
    pub start: f64,
    /// End time [s]: the duration.
    pub end: f64,
    /// West and east limits of the box [m].
    pub x: [f64; 2],
    /// South and north limits of the box [m].
    pub y: [f64; 2],
    /// Bottom and top of the box [m]; topography is nowhere above the top.
    pub z: [f64; 2],
    /// Conversion of map to model coordinates.
    pub frame: LocalFrame,
    /// Boundary conditions of x min, x max, y min, y max, bottom, top.
    pub boundaries: [BoundaryKind; 6],
    /// The box in words, if its limits are given in degrees.
    pub region: Option<String>,
    /// The Earth model inside the box; its surface is the topography or the flat top of the box.
    pub model: EarthModel,
    /// The sources, each inside the box.
    pub sources: Vec<Source>,
    /// The finite faults, each point inside the box.
    pub faults: Vec<Fault>,
    /// The event of the sources.
    pub event: Event,
    /// The receivers, each inside the box, with unique codes.
    pub receivers: Vec<Receiver>,
    /// The optical fibres, each point inside the box.
    pub fibres: Vec<SensingFibre>,
    /// The quantities recorded at every receiver, without duplicates.
    pub quantities: Vec<Quantity>,
    /// Names of the horizontal axes: E and N with a projection.
    pub axis_names: AxisNames,
    /// Component directions of vectors and strain.
    pub directions: Directions,
    /// The numerical method.
    pub method: Method,
    /// The output; its folder is relative to the working directory.
    pub output: Output,
    /// The devices.
    pub device: DeviceChoice,
    /// Method of mesh partitioning.
    pub partition: Partition,
    /// Path of MPI messages between ranks that compute on GPUs.
    pub gpu_messages: GpuMessages,
    /// Number of devices; `None` for all.
    pub devices: Option<usize>,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// The input files, as named in the scenario, and the hash of their contents.
    pub files: BTreeMap<String, String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The mesh, if another program made it.
    pub mesh: Option<MeshInRegions>,
}

impl Setup {
    /// Positions of the sources [m], and of the hypocentres of the faults.
    pub fn source_positions(&self) -> impl Iterator<Item = [f64; 3]> {
        let hypocentres = self.faults.iter().map(|fault| fault.hypocentre().position);
        self.sources.iter().map(Source::position).chain(hypocentres)
    }

    /// Reads the input files of a scenario and runs all checks that need no mesh.
    ///
    /// # Errors
    /// [`Error::Scenario`] with all problems: unreadable files, impossible materials, surfaces that intersect or do not
    /// cover the box, sources and receivers outside the box, duplicate codes. [`Error::Read`] for a file that
    /// disappears during the checks.
    pub fn new(scenario: &Scenario) -> Result<Self, Error> {
        let Some(mesh) = given_mesh::read(scenario)? else { return Self::of(scenario, None) };
        // The limits of the domain are those of the mesh.
        let config = &scenario.config;
        let bounded = Config { domain: config.domain.with_bounds(mesh.bounds), ..config.clone() };
        let mut setup = Self::of(&scenario.derive(bounded, &[])?, Some(&mesh))?;
        setup.files.extend(scenario.file_hashes()?);
        Ok(setup)
    }

    /// As [`Setup::new`], in the domain of a mesh if there is one.
    fn of(scenario: &Scenario, mesh: Option<&MeshedDomain>) -> Result<Self, Error> {
        let config = &scenario.config;
        let mut findings = Findings::default();
        let frame = frame::frame(&config.domain, &KeyPath::default().key("domain"), &mut findings);
        let surface = surfaces::topography(scenario, frame, mesh, &mut findings);
        let (model, mesh) = model_in_mesh(scenario, frame, &surface, mesh, &mut findings);
        model.iter().for_each(|model| check_model(config, model, &mut findings));
        let placed = frame.map(|frame| {
            let ground = Ground { domain: &config.domain, frame, surface };
            let (sources, receivers) = points(scenario, &ground, model.as_ref(), &mut findings);
            let directions = Directions::new(&config.receivers, &frame, (&sources, &receivers), &mut findings);
            let fibres = fibres::fibres(scenario, &ground, &mut findings);
            (frame, sources, (receivers, fibres), directions)
        });
        let Findings { problems, warnings } = findings;
        let all = placed.zip(model).filter(|_| problems.is_empty());
        let Some(((frame, sources, (receivers, fibres), directions), model)) = all else {
            return Err(scenario.refuse(problems));
        };
        Ok(Self {
            title: config.title.clone(),
            start: sources.start,
            end: config.duration,
            x: config.domain.x(),
            y: config.domain.y(),
            z: config.domain.z(),
            frame,
            region: config.domain.region_in_words(),
            boundaries: config.sides(),
            model,
            sources: sources.all,
            faults: sources.faults,
            event: sources.event,
            receivers,
            fibres,
            quantities: receivers::quantities(&config.receivers),
            axis_names: components::axis_names(&frame),
            directions,
            method: config.method.clone(),
            output: config.output.clone(),
            device: config.compute.device.choice().expect("a checked scenario names a device"),
            partition: config.compute.partition,
            gpu_messages: config.compute.gpu_messages,
            devices: config.compute.devices,
            threads: config.compute.threads,
            files: scenario.file_hashes()?,
            warnings,
            mesh,
        })
    }
}

/// The sources and receivers.
fn points(
    scenario: &Scenario,
    ground: &Ground,
    model: Option<&EarthModel>,
    findings: &mut Findings,
) -> (Sources, Vec<Receiver>) {
    let config = &scenario.config;
    let mut sources = sources::sources(scenario, ground, findings);
    sources.add_faults(faults::faults(scenario, ground, model, findings));
    fluid_sources::check_sources(config, model, &sources.all, findings);
    sides::check_keys(config, findings);
    sides::check_sources(config, model, &sources.all, findings);
    let receivers = receivers::receivers(scenario, ground, sources.event.zero, findings);
    gathers::check(config, &receivers, sources.start, findings);
    interfaces::report(model, &sources.all, &receivers, findings);
    (sources, receivers)
}

/// The model, with the bodies of its mesh if it has one.
fn model_in_mesh(
    scenario: &Scenario,
    frame: Option<LocalFrame>,
    surface: &Interface,
    mesh: Option<&MeshedDomain>,
    findings: &mut Findings,
) -> (Option<EarthModel>, Option<MeshInRegions>) {
    let model = model::model(scenario, frame, surface, mesh, findings);
    let has_blocks = matches!(scenario.config.model, Model::Mesh(_));
    let Some((model, mesh)) = model.clone().zip(mesh) else { return (model, None) };
    let (model, mesh) = mesh.place(model, has_blocks);
    findings.warnings.extend(mesh.warning.clone());
    (Some(model), Some(mesh))
}

/// Checks that a model suits the method and its resolution.
fn check_model(config: &Config, model: &EarthModel, findings: &mut Findings) {
    resolution::check(config, model, findings);
    finite_differences::check(config, model, findings);
}
