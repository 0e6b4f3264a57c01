//! The checked scenario: the files it names are read, places are metres, and every part is known to make sense.
//!
//! | module | from the scenario as written to |
//! |---|---|
//! | `frame` | the projection |
//! | `surfaces`, `media`, `model`, `depth_table`, `volume` | the Earth model |
//! | `perturbation` | what changes it in three dimensions |
//! | `resolution` | sizes of elements and cells that cannot be |
//! | `finite_differences` | what they cannot solve |
//! | `ground` | positions inside the box |
//! | `sources`, `solutions`, `time_function`, `radiation`, `event` | sources, and what to tell about them |
//! | `receivers`, `station_file`, `components` | receivers, and along which directions they record |
//! | `findings` | problems that stop and warnings that do not |

mod components;
mod depth_table;
mod event;
pub(crate) mod findings;
mod finite_differences;
mod frame;
mod ground;
mod media;
mod model;
mod perturbation;
mod radiation;
mod receivers;
mod resolution;
mod solutions;
mod sources;
pub(crate) mod station_file;
mod surfaces;
pub(crate) mod time_function;
mod volume;

use std::collections::BTreeMap;

use craton_acquisition::{AxisNames, Quantity, Receiver, Source};
use craton_model::EarthModel;
use craton_model::geodesy::LocalFrame;

use crate::config::{BoundaryKind, DeviceChoice, GpuMessages, Method, Output, Partition};
use crate::error::Error;
use crate::key_path::KeyPath;
use crate::written::Scenario;
pub use components::Directions;
pub use event::Event;
use findings::Findings;
use ground::Ground;

/// A checked scenario: everything in SI units and model coordinates, knowing nothing of meshes or devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// A line that names the scenario.
    pub title: String,
    /// Time of step 0 [s]: 0, or earlier where a solution file says so.
    pub start: f64,
    /// Time of the end [s]: the duration.
    pub end: f64,
    /// West and east ends of the box [m].
    pub x: [f64; 2],
    /// South and north ends of the box [m].
    pub y: [f64; 2],
    /// Bottom and top of the box [m]; with topography, no point of the surface lies above the top.
    pub z: [f64; 2],
    /// From the map to model coordinates.
    pub frame: LocalFrame,
    /// What happens at the sides: x min, x max, y min, y max, bottom, top.
    pub boundaries: [BoundaryKind; 6],
    /// What the Earth is made of inside the box; its surface is the topography, or flat at the top of the box.
    pub model: EarthModel,
    /// The sources, each inside the box.
    pub sources: Vec<Source>,
    /// The event that the sources make.
    pub event: Event,
    /// The receivers, each inside the box and of a code of its own.
    pub receivers: Vec<Receiver>,
    /// What is recorded at every receiver, each quantity once.
    pub quantities: Vec<Quantity>,
    /// What the horizontal axes are called: E and N where there is a projection.
    pub axis_names: AxisNames,
    /// Along which directions vectors and strain are recorded.
    pub directions: Directions,
    /// How the scenario is solved.
    pub method: Method,
    /// What is written; its directory is relative to the working directory.
    pub output: Output,
    /// What computes.
    pub device: DeviceChoice,
    /// How the mesh is cut into a part for each device.
    pub partition: Partition,
    /// Which way messages between ranks take that compute on GPUs.
    pub gpu_messages: GpuMessages,
    /// How many of the devices; all where it is not said.
    pub devices: Option<usize>,
    /// Worker threads; one for every core where it is not said.
    pub threads: Option<usize>,
    /// The files that were read, as the scenario names them, and the hash of what is in each.
    pub files: BTreeMap<String, String>,
    /// What a user should know but need not stop for.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Reads the files that a scenario names and checks all that can be checked without a mesh.
    ///
    /// # Errors
    /// [`Error::Scenario`] with everything that is wrong: files that cannot be read, media that no solid can have, surfaces that cross or
    /// do not cover the box, sources and receivers outside of it, codes that stand twice. [`Error::Read`] for a file that vanishes meanwhile.
    pub fn new(scenario: &Scenario) -> Result<Self, Error> {
        let config = &scenario.config;
        let mut findings = Findings::default();
        let frame = frame::frame(&config.domain, &KeyPath::default().key("domain"), &mut findings);
        let surface = surfaces::topography(scenario, frame, &mut findings);
        let model = model::model(scenario, frame, &surface, &mut findings);
        if let Some(model) = &model {
            resolution::check(config, model, &mut findings);
            finite_differences::check(config, model, &mut findings);
        }
        let placed = frame.map(|frame| {
            let ground = Ground { domain: &config.domain, frame, surface };
            let sources = sources::sources(scenario, &ground, &mut findings);
            finite_differences::check_sources(config, model.as_ref(), &sources.all, &mut findings);
            let receivers = receivers::receivers(scenario, &ground, sources.event.zero, &mut findings);
            let directions = Directions::new(&config.receivers, &frame, (&sources, &receivers), &mut findings);
            (frame, sources, receivers, directions)
        });
        let Findings { problems, warnings } = findings;
        let all = placed.zip(model).filter(|_| problems.is_empty());
        let Some(((frame, sources, receivers, directions), model)) = all else {
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
            boundaries: config.boundaries.by_side(),
            model,
            sources: sources.all,
            event: sources.event,
            receivers,
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
        })
    }
}
