//! The way to the sums: the fastest that keeps the accuracy.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Limits, Points, Prisms, TILE, Tolerance, Tree, forward,
    forward_while,
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
const POINTS_OF_PIECE: usize = 64 * TILE;
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

/// A tree, and what its sums may be off by.
struct Grown {
    tree: Box<Tree>,
    tolerance: Tolerance,
    accuracy: f64,
}

/// How sums are made.
enum Way<'a> {
    /// Every prism at every point.
    Direct,
    /// Layers of equal cells, at a level grid.
    Convolution { lattice: Lattice<'a>, grid: LevelGrid },
    /// Groups of prisms, with the accuracy that was asked for.
    Tree(Grown),
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
    /// Those of them that lie on faces, edges and corners of prisms.
    limits: Limits,
    /// Largest round-off of a convolution that this process has made, as a part of the largest values.
    round_off: OnceLock<f64>,
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
        let direct = Self {
            setup,
            fields,
            way: Way::Direct,
            points: Cow::Borrowed(points),
            numbers: None,
            limits: Limits::new(&setup.prisms, points, workers),
            round_off: OnceLock::new(),
            workers,
            isa,
        };
        let path = setup.method.path;
        let accuracy = match (path, setup.method.accuracy) {
            (Path::Direct, _) | (_, None) => return Ok(direct),
            (Path::Auto, Some(_)) if direct.pairs() <= FEW_PAIRS => return Ok(direct),
            (_, Some(accuracy)) => accuracy,
        };
        match convolution(setup, accuracy) {
            Ok(way) if path == Path::Convolution || (path == Path::Auto && direct.is_slower_by_tree(&way)) => {
                return Ok(Self { way, ..direct });
            }
            Err(reason) if path == Path::Convolution => {
                return Err(GravityFailure::Path { path: "convolution", reason }.into());
            }
            _ => {}
        }
        let numbers = points.runs();
        let points = points.select(&numbers);
        let limits = Limits::new(&setup.prisms, &points, workers);
        let way = Way::Tree(Grown::new(&direct, &points, accuracy));
        Ok(Self { way, points: Cow::Owned(points), numbers: Some(numbers), limits, ..direct })
    }

    /// The points of the pieces in which they are computed, as they are taken: they depend on the problem alone.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let points = self.points.len();
        let wanted = match self.way {
            Way::Direct => PAIRS_OF_PIECE / self.setup.prisms.len() as f64,
            Way::Tree(_) => POINTS_OF_PIECE as f64,
            Way::Convolution { .. } => points as f64,
        };
        let least = points as f64 / MOST_PIECES as f64;
        let size = ((wanted.max(least) / TILE as f64).ceil() as usize).saturating_mul(TILE).clamp(1, points.max(1));
        (0..points).step_by(size).map(|start| start..(start + size).min(points)).collect()
    }

    /// The fields at the points of a piece; none if somebody asked to stop.
    pub fn piece(&self, range: &Range<usize>, cancel: &Cancel) -> Option<Gravity> {
        let points = self.points.part(range.clone());
        let mut gravity = match &self.way {
            Way::Direct => self.direct(&points, cancel)?,
            Way::Convolution { lattice, grid } => self.convolved(lattice, grid, cancel)?,
            Way::Tree(grown) => grown.forward(self, &points, 1.0),
        };
        let limits = self.limits.within(range);
        if !limits.is_empty() {
            let around = match &self.way {
                // A limit is made of several sums.
                Way::Tree(grown) => grown.forward(self, limits.places(), 0.25),
                _ => self.direct(limits.places(), cancel)?,
            };
            limits.put(&mut gravity, &around);
        }
        Some(gravity)
    }

    fn direct(&self, points: &Points, cancel: &Cancel) -> Option<Gravity> {
        let go_on = || !cancel.is_cancelled();
        forward_while(&self.setup.prisms, points, self.fields, self.workers, self.isa, &go_on)
    }

    /// The fields at all points by convolution; by a tree if its round-off is more than the accuracy.
    fn convolved(&self, lattice: &Lattice, grid: &LevelGrid, cancel: &Cancel) -> Option<Gravity> {
        let convolution = Convolution::new(lattice, grid).expect("it was found possible");
        let go_on = |_| !cancel.is_cancelled();
        let (gravity, bound) = convolution.forward(self.fields, self.workers, self.isa, &go_on)?;
        let part = |fields: &[Field]| {
            let largest = |field: &Field| {
                gravity.get(*field).into_iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()))
            };
            let peak = fields.iter().map(largest).fold(0.0, f64::max);
            let bounds = fields.iter().filter_map(|field| bound.get(*field));
            if peak > 0.0 { bounds.fold(0.0, f64::max) / peak } else { 0.0 }
        };
        let (vector, tensor) = Field::ALL[1..].split_at(3);
        let round_off = [part(&Field::ALL[..1]), part(vector), part(tensor)].into_iter().fold(0.0, f64::max);
        let _ = self.round_off.set(round_off);
        if round_off <= self.accuracy() {
            return Some(gravity);
        }
        Some(Grown::new(self, &self.points, self.accuracy()).forward(self, &self.points, 1.0))
    }

    /// The accuracy that a convolution must keep.
    fn accuracy(&self) -> f64 {
        self.setup.method.accuracy.expect("a convolution is taken where an accuracy is given")
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
                let layers = lattice.layers();
                let told = format!("convolution of {layers} layers of {nx} x {ny} cells, each pair to ten digits");
                match self.round_off.get() {
                    None => told,
                    Some(round_off) if *round_off <= self.accuracy() => {
                        format!("{told}, round-off below {round_off:.1e} of the largest values")
                    }
                    Some(round_off) => format!(
                        "tree, to {} of the largest values: the round-off of a convolution might be {round_off:.1e} of them",
                        Number(self.accuracy())
                    ),
                }
            }
            Way::Tree(Grown { tolerance, accuracy, .. }) => {
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

    /// What a user is told of points where the tensor of single prisms jumps.
    pub fn on_faces(&self) -> Option<String> {
        let is_asked = self.fields.iter().any(|field| Field::ALL[4..].contains(&field));
        let count = self.limits.len();
        let told = || {
            format!(
                "{count} points lie on faces, edges or corners of prisms: the tensor there is its limit from above, the mean of both sides along x and y, and NaN \
                 where there is none"
            )
        };
        (is_asked && count > 0).then(told)
    }

    /// Whether a convolution is expected to take less time than a tree: not where many points need limits, which it does not have.
    fn is_slower_by_tree(&self, way: &Way) -> bool {
        let Way::Convolution { lattice, grid } = way else { return false };
        let convolution = Convolution::new(lattice, grid).expect("it was found possible");
        let share = convolution.operations(self.fields) / convolution.operations_of_sums(self.fields);
        let [of_prism, of_point] = OF_TREE;
        let prisms = self.setup.prisms.len() as f64;
        let of_tree = of_prism * prisms + of_point * self.points.len() as f64;
        let of_limits = self.limits.places().len() as f64 * prisms / DIRECT_RATE;
        share * self.pairs() / DIRECT_RATE + of_limits < of_tree
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
            Way::Tree(_) | Way::Convolution { .. } => None,
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
            Way::Tree(_) => prisms.len() * 14 + places.points.len() * 4,
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

impl Grown {
    /// A tree of the prisms, for sums at points with an accuracy.
    fn new(sums: &Sums, points: &Points, accuracy: f64) -> Self {
        let tree = Tree::new(&sums.setup.prisms, sums.workers, sums.isa);
        let tolerance = tree.tolerance(points, sums.fields, accuracy, sums.workers, sums.isa);
        Self { tree: Box::new(tree), tolerance, accuracy }
    }

    /// Sums at points, to a part of the tolerance.
    fn forward(&self, sums: &Sums, points: &Points, part: f64) -> Gravity {
        let [potential, attraction, tensor] =
            [self.tolerance.potential(), self.tolerance.attraction(), self.tolerance.tensor()]
                .map(|bound| part * bound);
        let tolerance = Tolerance::new(potential, attraction, tensor);
        self.tree.forward(points, sums.fields, &tolerance, sums.workers, sums.isa)
    }
}
