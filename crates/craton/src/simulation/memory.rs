//! A sink that stores everything in memory.

use craton_sim::StateArray;

use super::sink::{Sink, State, Values, Watch, Work};
use crate::error::Error;
use crate::setup::Setup;
use crate::snapshots::{Frame, Places, Sampled};
use crate::traces::Trace;

/// Stores the results of a simulation in memory.
#[derive(Debug, Default)]
pub struct Memory {
    /// The seismograms, receiver by receiver; empty before the last step.
    pub traces: Vec<Trace>,
    /// All frames of snapshots, in chronological order.
    pub snapshots: Vec<Snapshot>,
    /// The state after an interruption.
    pub checkpoint: Option<Checkpoint>,
    /// Messages for the user.
    pub messages: Vec<String>,
    /// Number of completed steps at the last progress report.
    pub done: u64,
}

/// A stored frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Name of the series.
    pub series: String,
    /// Time of the frame [s].
    pub time: f64,
    /// Numbers of points of a regular grid along x, y and z; `None` for a surface or elements.
    pub shape: Option<[usize; 3]>,
    /// Positions of the points [m], x fastest on a grid.
    pub points: Vec<[f64; 3]>,
    /// Numbers of the points of each cell, lexicographic: 4 of a quadrilateral, 8 of a hexahedron; empty on a regular grid.
    pub corners: Vec<u32>,
    /// Fields at the points.
    pub at_points: Vec<Sampled>,
    /// Fields inside the cells between the points.
    pub in_cells: Vec<Sampled>,
}

/// The state of a simulation at a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    step: u64,
    /// Hash of the scenario and its data.
    scenario: u64,
    /// Name, shape and values of each array.
    arrays: Vec<(String, Vec<usize>, Numbers)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Memory {
    /// An empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    /// The samples of a component of a receiver, such as `samples("XX.S10", "Z")`, of the first quantity with this
    /// component.
    pub fn samples(&self, station: &str, component: &str) -> Option<&[f64]> {
        let is_it = |trace: &&Trace| trace.name.station == station && trace.name.component == component;
        self.traces.iter().find(is_it).map(|trace| &*trace.samples)
    }
}

impl Checkpoint {
    /// Reads a state.
    ///
    /// # Errors
    /// A failing device.
    pub fn of(state: &mut dyn State) -> Result<Self, Error> {
        let mut arrays = Vec::new();
        for (number, StateArray { name, shape, .. }) in state.arrays().into_iter().enumerate() {
            let count = shape.iter().product();
            let mut numbers = match state.is_double() {
                true => Numbers::Double(Vec::with_capacity(count)),
                false => Numbers::Single(Vec::with_capacity(count)),
            };
            state.read(number, &mut |values| match (&mut numbers, values) {
                (Numbers::Single(all), Values::Single(more)) => all.extend_from_slice(more),
                (Numbers::Double(all), Values::Double(more)) => all.extend_from_slice(more),
                _ => unreachable!("a state has one precision"),
            })?;
            arrays.push((name.into_owned(), shape, numbers));
        }
        Ok(Self { step: state.step(), scenario: state.scenario(), arrays })
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Hash of the scenario and its data.
    pub(super) fn scenario(&self) -> u64 {
        self.scenario
    }

    /// Names of the arrays.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.iter().map(|(name, ..)| &**name)
    }

    /// The shape of an array, slowest axis first.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.arrays.iter().find(|(known, ..)| known == name).map(|(_, shape, _)| &**shape)
    }

    /// The values of an array.
    pub fn array(&self, name: &str) -> Option<Values<'_>> {
        let (.., numbers) = self.arrays.iter().find(|(known, ..)| known == name)?;
        Some(match numbers {
            Numbers::Single(numbers) => Values::Single(numbers),
            Numbers::Double(numbers) => Values::Double(numbers),
        })
    }
}

impl Watch for Memory {
    fn begin(&mut self, work: &Work) {
        self.done = work.first;
    }

    fn progress(&mut self, done: u64) {
        self.done = done;
    }

    fn message(&mut self, text: &str) {
        self.messages.push(text.to_owned());
    }
}

impl Sink for Memory {
    fn snapshot(&mut self, frame: &Frame) -> Result<(), Error> {
        let (shape, points, corners) = match frame.fields.places {
            Places::Image { shape, origin, spacing } => {
                let [nx, ny, nz] = shape;
                let place = |number: usize| {
                    let at = [number % nx, number / nx % ny, number / (nx * ny)];
                    [0, 1, 2].map(|axis| origin[axis] + at[axis] as f64 * spacing[axis])
                };
                (Some(shape), (0..nx * ny * nz).map(place).collect(), Vec::new())
            }
            Places::Quadrilaterals { points, corners } | Places::Hexahedra { points, corners } => {
                (None, points.to_vec(), corners.to_vec())
            }
        };
        self.snapshots.push(Snapshot {
            series: frame.series.to_owned(),
            time: frame.time,
            shape,
            points,
            corners,
            at_points: frame.fields.at_points.clone(),
            in_cells: frame.fields.in_cells.clone(),
        });
        Ok(())
    }

    /// The state would be stored twice.
    fn wants_checkpoints(&self) -> bool {
        false
    }

    fn checkpoint(&mut self, state: &mut dyn State) -> Result<(), Error> {
        self.checkpoint = Some(Checkpoint::of(state)?);
        Ok(())
    }

    fn traces(&mut self, _: &Setup, traces: &[Trace]) -> Result<(), Error> {
        self.traces = traces.to_vec();
        Ok(())
    }
}
