//! The way to the sums: the fastest that keeps the accuracy.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Fields, Gravity, Points, Prisms, TILE, Tolerance, Tree, forward, forward_while};
use craton_run::Cancel;

use super::config::Path;
use super::setup::Setup;
use crate::error::Error;
use crate::number::Number;

/// Pairs of a prism and a point up to which nothing is worth its preparation.
const FEW_PAIRS: f64 = 2e7;
/// Pairs of a prism and a point that a piece of direct sums has, about: some seconds of a core.
const PAIRS_OF_PIECE: f64 = 2e8;
/// Points that a piece of a tree's sums has.
const POINTS_OF_PIECE: usize = 256 * TILE;
/// Pieces at most.
const MOST_PIECES: usize = 1 << 16;
/// Prisms that the speed is measured on, about.
const SAMPLE: usize = 20_000;

/// How sums are made.
enum Way {
    /// Every prism at every point.
    Direct,
    /// Groups of prisms, with the accuracy that was asked for.
    Tree { tree: Box<Tree>, tolerance: Tolerance, accuracy: f64 },
}

/// Sums, ready to be made.
pub struct Sums<'a> {
    setup: &'a Setup,
    fields: Fields,
    way: Way,
    /// The points in the order in which they are taken.
    points: Cow<'a, Points>,
    /// Their numbers in the order of the problem; none where that is the same.
    numbers: Option<Vec<usize>>,
    workers: &'a Workers,
    isa: Isa,
}

impl<'a> Sums<'a> {
    /// Chooses the way, and prepares it.
    ///
    /// # Errors
    /// A way that was asked for and cannot be gone.
    pub fn new(setup: &'a Setup, fields: Fields, workers: &'a Workers) -> Result<Self, Error> {
        let isa = Isa::detect();
        let points = &setup.places.points;
        let direct =
            Self { setup, fields, way: Way::Direct, points: Cow::Borrowed(points), numbers: None, workers, isa };
        let accuracy = match (setup.method.path, setup.method.accuracy) {
            (Path::Direct, _) | (_, None) => return Ok(direct),
            (Path::Auto, Some(_)) if direct.pairs() <= FEW_PAIRS => return Ok(direct),
            (_, Some(accuracy)) => accuracy,
        };
        let numbers = points.runs();
        let points = points.select(&numbers);
        let tree = Tree::new(&setup.prisms, workers, isa);
        let tolerance = tree.tolerance(&points, fields, accuracy, workers, isa);
        let way = Way::Tree { tree: Box::new(tree), tolerance, accuracy };
        Ok(Self { way, points: Cow::Owned(points), numbers: Some(numbers), ..direct })
    }

    /// The points of the pieces in which they are computed, as they are taken: they depend on the problem alone.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let points = self.points.len();
        let wanted = match self.way {
            Way::Direct => PAIRS_OF_PIECE / self.setup.prisms.len() as f64,
            Way::Tree { .. } => POINTS_OF_PIECE as f64,
        };
        let least = points as f64 / MOST_PIECES as f64;
        let size = ((wanted.max(least) / TILE as f64).ceil() as usize).saturating_mul(TILE).clamp(1, points.max(1));
        (0..points).step_by(size).map(|start| start..(start + size).min(points)).collect()
    }

    /// The fields at the points of a piece; none if somebody asked to stop.
    pub fn piece(&self, range: &Range<usize>, cancel: &Cancel) -> Option<Gravity> {
        let points = self.points.part(range.clone());
        match &self.way {
            Way::Direct => {
                let go_on = || !cancel.is_cancelled();
                forward_while(&self.setup.prisms, &points, self.fields, self.workers, self.isa, &go_on)
            }
            Way::Tree { tree, tolerance, .. } => {
                Some(tree.forward(&points, self.fields, tolerance, self.workers, self.isa))
            }
        }
    }

    /// Puts the values of a field, as its points are taken, into the order of the problem.
    pub fn in_order(&self, taken: Vec<f64>) -> Vec<f64> {
        let Some(numbers) = &self.numbers else { return taken };
        let mut values = vec![0.0; taken.len()];
        numbers.iter().zip(taken).for_each(|(&number, value)| values[number] = value);
        values
    }

    /// How sums are made, in words.
    pub fn told(&self) -> String {
        match &self.way {
            Way::Direct => "direct: every prism at every point, each pair to ten digits".to_owned(),
            Way::Tree { tolerance, accuracy, .. } => {
                let kinds = [
                    ("V", tolerance.potential(), "m²/s²", 1.0),
                    ("g", tolerance.attraction(), "mGal", 1e5),
                    ("tensor", tolerance.tensor(), "E", 1e9),
                ];
                let asked = kinds.into_iter().filter(|(_, bound, ..)| bound.is_finite());
                let told: Vec<String> = asked
                    .map(|(name, bound, unit, factor)| format!("{name} to {:.1e} {unit}", factor * bound))
                    .collect();
                format!("tree, to {} of the largest values: {}", Number(*accuracy), told.join(", "))
            }
        }
    }

    /// About how long the sums take here [s]; none where nobody knows.
    pub fn seconds(&self) -> Option<f64> {
        match self.way {
            Way::Direct => Some(self.pairs() / self.direct_rate()),
            Way::Tree { .. } => None,
        }
    }

    /// Pairs per second of direct sums, measured on a few.
    fn direct_rate(&self) -> f64 {
        let points = self.points.part(0..self.points.len().min(TILE));
        let step = 1 + self.setup.prisms.len() / SAMPLE;
        let some = (0..self.setup.prisms.len()).step_by(step).map(|prism| self.setup.prisms.get(prism));
        let prisms = Prisms::new(some).expect("they are prisms");
        let begun = Instant::now();
        forward(&prisms, &points, self.fields, self.workers, self.isa);
        (prisms.len() * points.len()) as f64 / begun.elapsed().as_secs_f64()
    }

    /// Bytes of memory that prisms, points and sums take.
    pub fn bytes(&self) -> u64 {
        let Setup { prisms, places, quantities, .. } = self.setup;
        let numbers = prisms.len() * 7 + places.points.len() * (3 + 2 * self.fields.iter().count() + quantities.len());
        let of_way = match self.way {
            Way::Direct => 0,
            Way::Tree { .. } => prisms.len() * 7 + places.points.len() * 4,
        };
        ((numbers + of_way) * size_of::<f64>()) as u64
    }

    /// Pairs of a prism and a point.
    pub fn pairs(&self) -> f64 {
        self.setup.prisms.len() as f64 * self.points.len() as f64
    }
}
