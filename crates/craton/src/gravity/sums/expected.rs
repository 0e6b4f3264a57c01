//! Expected time and memory of sums.

use std::ops::Range;
use std::time::Instant;

use craton_gravity::{Convolution, Points, Prisms, TILE, forward};
use craton_run::{Bytes, Cancel};

use super::gradient::TIME_OF_PAIR;
use super::{PreparedTree, Ready, Sums};
use crate::error::Error;
use crate::gravity::costs::Costs;
use crate::gravity::on_gpus::Stored;
use crate::gravity::setup::Setup;

/// Smallest number of point runs with which a tree is timed.
const RUNS: usize = 32;
/// Numbers stored per point with a limit.
const LIMIT: usize = 7;
/// Approximate number of prisms with which the speed is measured.
const SAMPLE: usize = 20_000;

impl Sums<'_> {
    /// Approximate time of the sums [s]. For direct sums on a CPU and a [prepared](Self::prepare) tree it is measured
    /// with a sample, otherwise estimated as for the choice of the algorithm; `None` for emulated GPUs.
    pub fn seconds(&self) -> Option<f64> {
        let others = self.others().map(Sums::seconds).sum::<Option<f64>>()?;
        Some(others + self.own_seconds()?)
    }

    fn own_seconds(&self) -> Option<f64> {
        let all = Costs::new(self.prisms.len(), self.points.len());
        let threads = self.workers.threads() as f64;
        match &self.algorithm {
            Ready::Gradients(gradients) if gradients.is_direct() => {
                Some(TIME_OF_PAIR * all.pairs() / self.direct_rate())
            }
            Ready::Gradients(gradients) => gradients.seconds(self, all),
            Ready::Direct => Some(all.pairs() / self.direct_rate()),
            Ready::Sphere(sphere) => sphere.seconds(self),
            Ready::OnGpus(gpus) => gpus.seconds(all),
            Ready::Tree(accuracy, tree) => {
                Some(tree.get().map_or_else(|| all.tree(*accuracy) / threads, |tree| self.of_tree(tree)))
            }
            Ready::Convolution { lattice, grid } => {
                let convolution = Convolution::new(lattice, grid).expect("it was found possible");
                let share = convolution.operations(self.fields) / convolution.operations_of_sums(self.fields);
                Some(share * all.direct() / threads)
            }
        }
    }

    /// Time of a tree for all points [s], measured with a sample of runs.
    fn of_tree(&self, tree: &PreparedTree) -> f64 {
        self.of_sample(|points| {
            tree.forward(self, points, &Cancel::new());
        })
    }

    /// Time of sums for all points [s], measured with a sample of runs.
    pub(super) fn of_sample(&self, sum: impl Fn(&Points)) -> f64 {
        let (runs, sampled) = (self.points.len().div_ceil(TILE), RUNS.max(4 * self.workers.threads()));
        let step = runs.div_ceil(sampled).max(1);
        let of_run = |run: usize| run * TILE..((run + 1) * TILE).min(self.points.len());
        let points = self.points.select(&(0..runs).step_by(step).flat_map(of_run).collect::<Vec<_>>());
        let begun = Instant::now();
        sum(&points);
        begun.elapsed().as_secs_f64() * self.points.len() as f64 / points.len().max(1) as f64
    }

    /// Pairs per second of direct sums, measured with a sample.
    fn direct_rate(&self) -> f64 {
        let points = self.points.part(0..self.points.len().min(TILE));
        let step = 1 + self.prisms.len() / SAMPLE;
        let some = (0..self.prisms.len()).step_by(step).map(|prism| self.prisms.get(prism));
        let prisms = Prisms::new(some).expect("they are prisms");
        let begun = Instant::now();
        forward(&prisms, &points, self.fields, self.workers, self.isa);
        (prisms.len() * points.len()) as f64 / begun.elapsed().as_secs_f64()
    }

    /// Memory of prisms, points and sums [bytes].
    pub fn bytes(&self) -> u64 {
        let Setup { places, quantities, .. } = self.setup;
        let prisms = self.prisms;
        let of_others: u64 = self.others().map(Sums::bytes).sum();
        // Magnetisation, and the densities.
        let of_magnetic = if self.parts.is_some() { prisms.len() * 10 } else { 0 };
        let numbers = prisms.len() * 7
            + LIMIT * self.limits.len()
            + places.points.len() * (3 + 2 * self.fields.iter().count() + quantities.len());
        let of_algorithm = match &self.algorithm {
            Ready::Direct => 0,
            Ready::Gradients(gradients) => gradients.numbers(self),
            Ready::Sphere(sphere) => sphere.numbers(),
            Ready::OnGpus(_) => prisms.len(),
            Ready::Convolution { lattice, grid } => {
                let convolution = Convolution::new(lattice, grid).expect("it was found possible");
                convolution.bytes(self.fields) as usize / size_of::<f64>() + 2 * prisms.len()
            }
            Ready::Tree(..) => prisms.len() * 14 + places.points.len() * 4,
        };
        of_others + ((numbers + of_magnetic + of_algorithm) * size_of::<f64>()) as u64
    }

    /// Memory on each GPU, after a check that it is available; `None` on the CPU.
    ///
    /// # Errors
    /// Insufficient memory of a GPU.
    pub fn room_on_gpus(&self) -> Result<Option<Bytes>, Error> {
        let Some(gpus) = self.gpus() else { return Ok(None) };
        let points = self.pieces().first().map_or(0, Range::len);
        // Each part of a magnetic problem has its own prisms there.
        let bodies = self.bodies() * (1 + self.others().count());
        let stored = match self.algorithm {
            Ready::Sphere(_) => Stored::Tesseroids,
            Ready::Gradients(_) => Stored::Magnetised,
            _ => Stored::Prisms,
        };
        gpus.require_memory(stored, bodies, points).map(Some)
    }
}
