//! The way to the sums: the fastest that keeps the accuracy.

use std::ops::Range;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Fields, Gravity, Prisms, TILE, forward, forward_while};
use craton_run::Cancel;

use super::config::Path;
use super::setup::Setup;
use crate::error::Error;

/// Pairs of a prism and a point that a piece has, about: some seconds of a core.
const PAIRS_OF_PIECE: f64 = 2e8;
/// Prisms that the speed is measured on, about.
const SAMPLE: usize = 20_000;
/// Pieces at most.
const MOST_PIECES: usize = 1 << 16;

/// How sums are made.
pub enum Way {
    /// Every prism at every point.
    Direct,
}

/// Sums, ready to be made.
pub struct Sums<'a> {
    setup: &'a Setup,
    fields: Fields,
    way: Way,
    workers: &'a Workers,
    isa: Isa,
}

impl<'a> Sums<'a> {
    /// Chooses the way, and prepares it.
    ///
    /// # Errors
    /// A way that was asked for and cannot be gone.
    pub fn new(setup: &'a Setup, fields: Fields, workers: &'a Workers) -> Result<Self, Error> {
        let way = match setup.method.path {
            Path::Auto | Path::Direct | Path::Tree | Path::Convolution => Way::Direct,
        };
        Ok(Self { setup, fields, way, workers, isa: Isa::detect() })
    }

    /// The points of the pieces in which they are computed: they depend on the problem alone.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let points = self.setup.places.points.len();
        let wanted = (PAIRS_OF_PIECE / self.setup.prisms.len() as f64).max(points as f64 / MOST_PIECES as f64);
        let size = ((wanted / TILE as f64).ceil() as usize).saturating_mul(TILE).clamp(1, points.max(1));
        (0..points).step_by(size).map(|start| start..(start + size).min(points)).collect()
    }

    /// The fields at the points of a piece; none if somebody asked to stop.
    pub fn piece(&self, range: &Range<usize>, cancel: &Cancel) -> Option<Gravity> {
        let points = self.setup.places.points.part(range.clone());
        match &self.way {
            Way::Direct => {
                let go_on = || !cancel.is_cancelled();
                forward_while(&self.setup.prisms, &points, self.fields, self.workers, self.isa, &go_on)
            }
        }
    }

    /// How sums are made, in words.
    pub fn told(&self) -> String {
        match &self.way {
            Way::Direct => "direct: every prism at every point, to ten digits".to_owned(),
        }
    }

    /// About how long the sums take here [s]; none where nobody knows.
    pub fn seconds(&self) -> Option<f64> {
        match &self.way {
            Way::Direct => Some(self.pairs() / self.direct_rate()),
        }
    }

    /// Pairs per second of direct sums, measured on a few.
    fn direct_rate(&self) -> f64 {
        let points = self.setup.places.points.part(0..self.setup.places.points.len().min(TILE));
        let some = (0..self.setup.prisms.len())
            .step_by(1 + self.setup.prisms.len() / SAMPLE)
            .map(|prism| self.setup.prisms.get(prism));
        let prisms = Prisms::new(some).expect("they are prisms");
        let begun = Instant::now();
        forward(&prisms, &points, self.fields, self.workers, self.isa);
        (prisms.len() * points.len()) as f64 / begun.elapsed().as_secs_f64()
    }

    /// Bytes of memory that prisms, points and sums take.
    pub fn bytes(&self) -> u64 {
        let Setup { prisms, places, quantities, .. } = self.setup;
        let numbers = prisms.len() * 7 + places.points.len() * (3 + 2 * self.fields.iter().count() + quantities.len());
        (numbers * size_of::<f64>()) as u64
    }

    /// Pairs of a prism and a point.
    pub fn pairs(&self) -> f64 {
        self.setup.prisms.len() as f64 * self.setup.places.points.len() as f64
    }
}
