//! The way to the sums: the fastest that keeps the accuracy.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Fields, Gravity, Lattice, LevelGrid, Points, Prisms, TILE, Tolerance, Tree, forward, forward_while,
};
use craton_run::Cancel;

use super::config::Path;
use super::setup::{Setup, Shape};
use crate::error::{Error, GravityFailure};
use crate::number::Number;

/// Pairs of a prism and a point up to which nothing is worth its preparation.
const FEW_PAIRS: f64 = 2e7;
/// Pairs of a prism and a point from which on a user is told that there is a shorter way.
const MANY_PAIRS: f64 = 1e10;
/// Pairs of a prism and a point that a piece of direct sums has, about: a second of a core.
const PAIRS_OF_PIECE: f64 = 5e7;
/// Points that a piece of a tree's sums has.
const POINTS_OF_PIECE: usize = 256 * TILE;
/// Pieces at most.
const MOST_PIECES: usize = 1 << 16;
/// Accuracy from which on a convolution may be taken: its round-off is a part of the largest value, some 1e-12 of it.
const CONVOLUTION_FROM: f64 = 1e-9;
/// What choosing goes by, on one core: pairs per second of direct sums, and the time that a tree takes for a prism and for a point [s]. Measured; a choice that is
/// wrong costs time alone.
const DIRECT_RATE: f64 = 1e8;
/// See [`DIRECT_RATE`].
const OF_TREE: [f64; 2] = [0.6e-6, 5e-6];
/// Prisms that the speed is measured on, about.
const SAMPLE: usize = 20_000;

/// How sums are made.
enum Way<'a> {
    /// Every prism at every point.
    Direct,
    /// Layers of equal cells, at a level grid.
    Convolution { lattice: Lattice<'a>, grid: LevelGrid },
    /// Groups of prisms, with the accuracy that was asked for.
    Tree { tree: Box<Tree>, tolerance: Tolerance, accuracy: f64 },
}

/// Sums, ready to be made.
pub struct Sums<'a> {
    setup: &'a Setup,
    fields: Fields,
    way: Way<'a>,
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
        let path = setup.method.path;
        let accuracy = match (path, setup.method.accuracy) {
            (Path::Direct, _) | (_, None) => return Ok(direct),
            (Path::Auto, Some(_)) if direct.pairs() <= FEW_PAIRS => return Ok(direct),
            (_, Some(accuracy)) => accuracy,
        };
        match convolution(setup, accuracy) {
            Ok(way) if path == Path::Convolution || (path == Path::Auto && is_faster_than_a_tree(&way, &direct)) => {
                return Ok(Self { way, ..direct });
            }
            Err(reason) if path == Path::Convolution => {
                return Err(GravityFailure::Path { path: "convolution", reason }.into());
            }
            _ => {}
        }
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
            Way::Convolution { .. } => points as f64,
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
            Way::Convolution { lattice, grid } => {
                let convolution = Convolution::new(lattice, grid).expect("it was found possible");
                let go_on = |_| !cancel.is_cancelled();
                convolution.forward(self.fields, self.workers, self.isa, &go_on).map(|(gravity, _)| gravity)
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
            Way::Convolution { lattice, .. } => {
                let [nx, ny] = lattice.count();
                format!(
                    "convolution of {} layers of {nx} x {ny} cells, each pair to ten digits, round-off below 1e-11 of the largest values",
                    lattice.layers()
                )
            }
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

    /// What would make the sums much shorter, if anything would.
    pub fn hint(&self) -> Option<&'static str> {
        let is_long = self.setup.method.accuracy.is_none() && self.pairs() > MANY_PAIRS;
        is_long.then_some("method.accuracy = 1e-5 would make the sums by a tree, in a small part of the time")
    }

    /// About how long the sums take here [s]; none where nobody knows.
    pub fn seconds(&self) -> Option<f64> {
        match self.way {
            Way::Direct => Some(self.pairs() / self.direct_rate()),
            Way::Tree { .. } | Way::Convolution { .. } => None,
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
        let of_way = match &self.way {
            Way::Direct => 0,
            Way::Convolution { lattice, grid } => {
                let convolution = Convolution::new(lattice, grid).expect("it was found possible");
                convolution.bytes(self.fields) as usize / size_of::<f64>() + 2 * prisms.len()
            }
            Way::Tree { .. } => prisms.len() * 7 + places.points.len() * 4,
        };
        ((numbers + of_way) * size_of::<f64>()) as u64
    }

    /// Pairs of a prism and a point.
    pub fn pairs(&self) -> f64 {
        self.setup.prisms.len() as f64 * self.points.len() as f64
    }
}

/// The convolution that the problem is, or why it is none.
fn convolution(setup: &Setup, accuracy: f64) -> Result<Way<'_>, String> {
    if accuracy < CONVOLUTION_FROM {
        return Err(format!(
            "accuracy = {} is less than its round-off may be, {}",
            Number(accuracy),
            Number(CONVOLUTION_FROM)
        ));
    }
    let Shape::Grid { x, y, level: Some(z) } = &setup.places.shape else {
        return Err("the points are no level grid".to_owned());
    };
    let spacing = |places: &[f64]| match places {
        [first, .., last] => (last - first) / (places.len() - 1) as f64,
        _ => 1.0,
    };
    let grid = LevelGrid { first: [x[0], y[0]], spacing: [spacing(x), spacing(y)], count: [x.len(), y.len()], z: *z };
    let lattice = Lattice::of(&setup.prisms);
    let lattice = lattice.ok_or("the prisms are not the cells of a lattice: of equal sides, and in layers")?;
    match Convolution::new(&lattice, &grid).is_some() {
        true => Ok(Way::Convolution { lattice, grid }),
        false => Err("the spacing of the points does not fit the sides of the cells".to_owned()),
    }
}

/// Whether a convolution is expected to take less time than a tree.
fn is_faster_than_a_tree(way: &Way, direct: &Sums) -> bool {
    let Way::Convolution { lattice, grid } = way else { return false };
    let convolution = Convolution::new(lattice, grid).expect("it was found possible");
    let share = convolution.operations(direct.fields) / convolution.operations_of_sums(direct.fields);
    let [of_prism, of_point] = OF_TREE;
    let of_tree = of_prism * direct.setup.prisms.len() as f64 + of_point * direct.points.len() as f64;
    share * direct.pairs() / DIRECT_RATE < of_tree
}
