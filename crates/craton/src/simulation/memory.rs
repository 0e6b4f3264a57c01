//! A sink that keeps everything in memory.

use super::sink::{Sink, State, Values, Watch, Work};
use crate::error::Error;
use crate::setup::Setup;
use crate::snapshots::{Frame, Places, Sampled};
use crate::traces::Trace;

/// Keeps what a simulation makes.
#[derive(Debug, Default)]
pub struct Memory {
    /// The seismograms, receiver by receiver; none before the last step.
    pub traces: Vec<Trace>,
    /// All frames of snapshots, in the order of their times.
    pub snapshots: Vec<Snapshot>,
    /// The last checkpoint.
    pub checkpoint: Option<Checkpoint>,
    /// Messages for the user.
    pub messages: Vec<String>,
    /// Steps that were done at the last report.
    pub done: u64,
}

/// A frame that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Name of the series.
    pub series: String,
    /// Its time [s].
    pub time: f64,
    /// Points of a regular grid along x, y and z; none of a surface or of elements.
    pub shape: Option<[usize; 3]>,
    /// Positions of the points [m], x fastest on a grid.
    pub points: Vec<[f64; 3]>,
    /// Fields at the points.
    pub at_points: Vec<Sampled>,
    /// Fields inside the cells between the points.
    pub in_cells: Vec<Sampled>,
}

/// The state of a simulation at a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Steps done.
    pub step: u64,
    arrays: Vec<(String, Numbers)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Memory {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The samples of a receiver's component: `samples("XX.S10", "Z")`; the first quantity that has it.
    pub fn samples(&self, station: &str, component: &str) -> Option<&[f64]> {
        let is_it = |trace: &&Trace| trace.name.station == station && trace.name.component == component;
        self.traces.iter().find(is_it).map(|trace| &*trace.samples)
    }
}

impl Checkpoint {
    /// Reads a state.
    ///
    /// # Errors
    /// A device that fails.
    pub fn of(state: &mut dyn State) -> Result<Self, Error> {
        let mut arrays = Vec::new();
        for (number, (name, shape)) in state.arrays().into_iter().enumerate() {
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
            arrays.push((name, numbers));
        }
        Ok(Self { step: state.step(), arrays })
    }

    /// The numbers of an array.
    pub fn array(&self, name: &str) -> Option<Values<'_>> {
        let (_, numbers) = self.arrays.iter().find(|(known, _)| known == name)?;
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
        let (shape, points) = match frame.fields.places {
            Places::Image { shape, origin, spacing } => {
                let [nx, ny, nz] = shape;
                let place = |number: usize| {
                    let at = [number % nx, number / nx % ny, number / (nx * ny)];
                    [0, 1, 2].map(|axis| origin[axis] + at[axis] as f64 * spacing[axis])
                };
                (Some(shape), (0..nx * ny * nz).map(place).collect())
            }
            Places::Quadrilaterals { points, .. } | Places::Hexahedra { points, .. } => (None, points.to_vec()),
        };
        self.snapshots.push(Snapshot {
            series: frame.series.to_owned(),
            time: frame.time,
            shape,
            points,
            at_points: frame.fields.at_points.clone(),
            in_cells: frame.fields.in_cells.clone(),
        });
        Ok(())
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
