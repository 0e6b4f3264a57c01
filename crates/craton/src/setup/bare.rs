//! A model in a box without sources, receivers and output, for solvers of other pipelines.

use craton_acquisition::AxisNames;
use craton_model::EarthModel;
use craton_model::geodesy::{LocalFrame, Projection};

use super::{Directions, Event, Setup};
use crate::config::{BoundaryKind, DeviceChoice, GpuMessages, Method, Output, Partition, Snapshots};

impl Setup {
    /// A scenario without sources and receivers.
    ///
    /// # Arguments
    /// * `ends` – limits of the box along x, y and z [m]
    pub fn without_points(
        model: EarthModel,
        [x, y, z]: [[f64; 2]; 3],
        boundaries: [BoundaryKind; 6],
        method: Method,
        end: f64,
    ) -> Self {
        Self {
            title: String::new(),
            start: 0.0,
            end,
            x,
            y,
            z,
            frame: LocalFrame::new(Projection::None, [0.0; 2]).expect("zero is finite"),
            boundaries,
            region: None,
            model,
            sources: Vec::new(),
            faults: Vec::new(),
            event: Event::default(),
            receivers: Vec::new(),
            fibres: Vec::new(),
            quantities: Vec::new(),
            axis_names: AxisNames::Cartesian,
            directions: Directions { names: Vec::new(), epicentre: None },
            method,
            output: Output {
                directory: Default::default(),
                seismograms: Vec::new(),
                gathers: Vec::new(),
                fibres: Vec::new(),
                sample_interval: None,
                snapshots: Snapshots::default(),
                checkpoint_interval: 0.0,
            },
            device: DeviceChoice::Cpu,
            partition: Partition::default(),
            gpu_messages: GpuMessages::default(),
            devices: None,
            threads: None,
            files: Default::default(),
            warnings: Vec::new(),
            mesh: None,
        }
    }
}
