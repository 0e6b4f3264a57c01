//! Sums by the way that was chosen: all at once, or a piece of the points.

mod expected;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Limits, Points, TILE, Tolerance, Tree, forward_while,
};
use craton_run::Cancel;

use super::config::Precision;
use super::on_gpus::OnGpus;
use super::setup::Setup;
use super::way::{Choice, Way};
use crate::device::{CPU, Device, GPU, LocalRank};
use crate::error::{Error, GravityFailure};
use crate::number::{Number, counted};

/// Pairs of a prism and a point from which on a user is told that there is a shorter way.
const MANY_PAIRS: f64 = 1e10;
/// Pairs of a prism and a point that a piece of direct sums has, about: a second of a core, some tenths of a second of a GPU; few on an emulated one.
const PAIRS_OF_PIECE: f64 = 5e7;
const PAIRS_ON_GPUS: f64 = 2e9;
const PAIRS_EMULATED: f64 = 2e4;
/// Points that a piece has on GPUs at least, so that several have something to do.
const LEAST_ON_GPUS: usize = 1024;
/// Points that a piece of a tree's sums has.
const POINTS_OF_PIECE: usize = 64 * TILE;
/// Pieces at most.
const MOST_PIECES: usize = 1 << 16;
/// Prisms from which on a user is told that a tree of them is being made: it takes half a second of a core.
const MANY_PRISMS: usize = 1_000_000;

/// A tree, and what its sums may be off by.
struct Grown {
    tree: Box<Tree>,
    tolerance: Tolerance,
}

/// How sums are made.
enum Ready<'a> {
    Direct,
    OnGpus(OnGpus),
    Convolution {
        lattice: Lattice<'a>,
        grid: LevelGrid,
    },
    /// To an accuracy; the tree once it is there.
    Tree(f64, OnceLock<Grown>),
}

/// Sums, ready to be made.
pub struct Sums<'a> {
    setup: &'a Setup,
    /// Those that are asked for; on edges single prisms count as limits want it.
    fields: Fields,
    way: Ready<'a>,
    /// What there is to say of the choice.
    choice: Option<String>,
    /// The points in the order in which they are taken.
    points: Cow<'a, Points>,
    /// Their numbers in the order of the problem; none where that is the same.
    numbers: Option<Vec<usize>>,
    /// Those of them that lie on faces, edges and corners of prisms; none where no component of the tensor is asked for.
    limits: Limits,
    /// Largest round-off of a convolution that this process has made, as a part of the largest values.
    round_off: OnceLock<f64>,
    workers: &'a Workers,
    isa: Isa,
}

impl<'a> Sums<'a> {
    /// Chooses the way; nothing is put on GPUs, and no tree is made.
    ///
    /// # Arguments
    /// * `place` – of this rank, by which GPUs are dealt
    /// # Errors
    /// A way that was asked for and cannot be gone, a GPU that was asked for and is not there; [`GravityFailure::Stopped`] if somebody asks for it.
    pub fn new(
        setup: &'a Setup,
        fields: Fields,
        workers: &'a Workers,
        place: LocalRank,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let isa = Isa::detect();
        let (way, choice) = Choice { setup, fields, place, workers }.way()?;
        let all = &setup.places.points;
        let mut numbers = None;
        let mut points = Cow::Borrowed(all);
        let way = match way {
            Way::Direct => Ready::Direct,
            Way::OnGpus(gpus) => Ready::OnGpus(gpus),
            Way::Convolution { lattice, grid } => {
                // Where it has them: a point that round-off moves across a face has another tensor there.
                points = Cow::Owned(grid.points().expect("its points are finite"));
                Ready::Convolution { lattice, grid }
            }
            Way::Tree(accuracy) => {
                let order = workers.run(|| all.runs());
                points = Cow::Owned(all.select(&order));
                numbers = Some(order);
                Ready::Tree(accuracy, OnceLock::new())
            }
        };
        let limits = match fields.has_tensor() {
            true => Limits::new_while(&setup.prisms, &points, workers, isa, &|| !cancel.is_cancelled())
                .ok_or(GravityFailure::Stopped)?,
            false => Limits::default(),
        };
        let fields = fields.leaving_out_edges();
        Ok(Self { setup, fields, way, choice, points, numbers, limits, round_off: OnceLock::new(), workers, isa })
    }

    /// What has to be prepared before the first piece, in words, if that takes its time.
    pub fn preparation(&self) -> Option<String> {
        let is_long = matches!(self.way, Ready::Tree(..)) && self.setup.prisms.len() >= MANY_PRISMS;
        is_long.then(|| format!("making a tree of {} prisms", self.setup.prisms.len()))
    }

    /// Prepares the sums; none if somebody asked to stop.
    pub fn prepare(&self, cancel: &Cancel) -> Option<()> {
        if let Ready::Tree(accuracy, grown) = &self.way
            && grown.get().is_none()
        {
            let made = Grown::new(self, *accuracy, cancel)?;
            grown.get_or_init(|| made);
        }
        Some(())
    }

    /// The points of the pieces in which they are computed, as they are taken: they depend on the problem and the kind of device alone.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let points = self.points.len();
        let of_pairs = |pairs: f64| pairs / self.setup.prisms.len() as f64;
        let wanted = match &self.way {
            Ready::Direct => of_pairs(PAIRS_OF_PIECE),
            Ready::OnGpus(gpus) if gpus.are_emulated() => of_pairs(PAIRS_EMULATED),
            Ready::OnGpus(_) => of_pairs(PAIRS_ON_GPUS).max(LEAST_ON_GPUS as f64),
            Ready::Tree(..) => POINTS_OF_PIECE as f64,
            Ready::Convolution { .. } => points as f64,
        };
        let least = points as f64 / MOST_PIECES as f64;
        let size = ((wanted.max(least) / TILE as f64).ceil() as usize).saturating_mul(TILE).clamp(1, points.max(1));
        (0..points).step_by(size).map(|start| start..(start + size).min(points)).collect()
    }

    /// The fields at the points of a piece; none if somebody asked to stop.
    ///
    /// # Arguments
    /// * `told` – is told, within a convolution, which part of its layers is done
    /// # Errors
    /// A GPU that fails.
    /// # Panics
    /// If sums by a tree are not [prepared](Self::prepare).
    pub fn piece(
        &self,
        range: &Range<usize>,
        cancel: &Cancel,
        told: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Gravity>, Error> {
        let points = self.points.part(range.clone());
        let limits = self.limits.within(range);
        let gravity = match &self.way {
            Ready::Direct => self.direct(&points, cancel),
            Ready::OnGpus(gpus) => gpus.forward(&self.setup.prisms, &points, self.fields, &limits, cancel)?,
            Ready::Convolution { lattice, grid } => self.convolved(lattice, grid, cancel, told),
            Ready::Tree(_, grown) => known(grown).forward(self, &points, cancel),
        };
        let Some(mut gravity) = gravity else { return Ok(None) };
        limits.put(&mut gravity);
        Ok(Some(gravity))
    }

    fn direct(&self, points: &Points, cancel: &Cancel) -> Option<Gravity> {
        let go_on = || !cancel.is_cancelled();
        forward_while(&self.setup.prisms, points, self.fields, self.workers, self.isa, &go_on)
    }

    /// The fields at all points by convolution; by a tree if its round-off is more than the accuracy.
    fn convolved(
        &self,
        lattice: &Lattice,
        grid: &LevelGrid,
        cancel: &Cancel,
        told: &(dyn Fn(f64) + Sync),
    ) -> Option<Gravity> {
        let convolution = Convolution::new(lattice, grid).expect("it was found possible");
        let done = Mutex::new(0.0);
        let go_on = |share: f64| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += share;
            told(*done);
            !cancel.is_cancelled()
        };
        let (gravity, bound) = convolution.forward(self.fields, self.workers, self.isa, &go_on)?;
        let mut complete = gravity.clone();
        self.limits.put(&mut complete);
        let part = |fields: &[Field]| {
            let largest = |field: &Field| {
                complete.get(*field).into_iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()))
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
        Grown::new(self, self.accuracy(), cancel)?.forward(self, &self.points, cancel)
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
            Ready::Direct => "direct: every prism at every point, each pair to ten digits".to_owned(),
            Ready::OnGpus(gpus) => gpus.told().to_owned(),
            Ready::Convolution { lattice, .. } => {
                let [nx, ny] = lattice.count();
                let layers = counted(lattice.layers(), "layer");
                let told = format!("convolution of {layers} of {nx} x {ny} cells, each pair to ten digits");
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
            Ready::Tree(accuracy, grown) => {
                let told = format!("tree, to {} of the largest values", Number(*accuracy));
                grown.get().map_or_else(|| told.clone(), |grown| format!("{told}: {}", grown.told()))
            }
        }
    }

    /// What a user is told of points where the tensor of single prisms jumps.
    pub fn on_faces(&self) -> Option<String> {
        let count = self.limits.len();
        let told = || {
            format!(
                "{} on faces, edges or corners of prisms: the tensor there is its limit from above, the mean of both sides along x and y, and NaN \
                 where there is none; a millimetre off them nothing jumps",
                counted(count, "point")
            )
        };
        (count > 0).then(told)
    }

    /// Says that a precision which was asked for is that of GPUs, where none computes.
    pub fn without_single(&self) -> Option<String> {
        let is_asked = self.setup.method.precision == Precision::Single;
        let told =
            "method.precision = \"single\" is for GPUs, and none computes here: these sums are in double precision";
        (is_asked && self.kind() == CPU).then(|| told.to_owned())
    }

    /// What is to be said of the choice of the way.
    pub fn choice(&self) -> Option<&str> {
        self.choice.as_deref()
    }

    /// What computes, in words.
    pub fn computes(&self) -> String {
        match &self.way {
            Ready::OnGpus(gpus) => gpus.name().to_owned(),
            _ => Device::Cpu { parts: 1, note: None }.name(self.workers, 1),
        }
    }

    /// Its kind, as the journal knows it.
    pub fn kind(&self) -> u8 {
        if let Ready::OnGpus(_) = self.way { GPU } else { CPU }
    }

    /// The scalar of a pair, as records name it.
    pub fn scalar(&self) -> &'static str {
        if let Ready::OnGpus(gpus) = &self.way { gpus.scalar() } else { "f64" }
    }

    /// What would make the sums much shorter, if anything would.
    pub fn hint(&self) -> Option<&'static str> {
        let is_long = self.setup.method.accuracy.is_none() && self.pairs() > MANY_PAIRS;
        is_long.then_some(
            "method.accuracy = 1e-5 would make the sums by a tree or a convolution, in a small part of the time",
        )
    }

    /// Pairs of a prism and a point.
    pub fn pairs(&self) -> f64 {
        self.setup.prisms.len() as f64 * self.points.len() as f64
    }
}

impl Grown {
    /// A tree of the prisms, for sums at all points with an accuracy; none if somebody asked to stop.
    fn new(sums: &Sums, accuracy: f64, cancel: &Cancel) -> Option<Self> {
        let Sums { setup, fields, points, limits, workers, isa, .. } = sums;
        let go_on = || !cancel.is_cancelled();
        let tree = Tree::new_while(&setup.prisms, workers, *isa, &go_on)?;
        let peaks = tree.peaks_while(points, limits, *fields, workers, *isa, &go_on)?;
        Some(Self { tree: Box::new(tree), tolerance: peaks.tolerance(accuracy) })
    }

    /// Sums at points; none if somebody asked to stop.
    fn forward(&self, sums: &Sums, points: &Points, cancel: &Cancel) -> Option<Gravity> {
        let go_on = || !cancel.is_cancelled();
        self.tree.forward_while(points, sums.fields, &self.tolerance, sums.workers, sums.isa, &go_on)
    }

    /// The bounds of what is asked for, in words.
    fn told(&self) -> String {
        let kinds = [
            ("V", self.tolerance.potential(), "m²/s²", 1.0),
            ("g", self.tolerance.attraction(), "mGal", 1e5),
            ("tensor", self.tolerance.tensor(), "E", 1e9),
        ];
        let asked = kinds.into_iter().filter(|(_, bound, ..)| bound.is_finite());
        let told: Vec<String> =
            asked.map(|(name, bound, unit, factor)| format!("{name} to {:.1e} {unit}", factor * bound)).collect();
        told.join(", ")
    }
}

fn known(grown: &OnceLock<Grown>) -> &Grown {
    grown.get().expect("sums are prepared before the first piece")
}
