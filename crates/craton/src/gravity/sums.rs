//! Sums with the chosen algorithm: all at once, or for a piece of the points.

mod expected;
mod gradient;
mod grounds;
mod magnetic;
mod prepared;
mod sphere;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Limits, Points, Prisms, TILE, forward_while,
};
use craton_run::Cancel;

use super::algorithm::{Algorithm, Choice};
use super::config::Precision;
use super::on_gpus::OnGpus;
use super::setup::Setup;
use crate::device::{CPU, Device, GPU, LocalRank};
use crate::error::{Error, GravityFailure};
use crate::number::{Number, counted};
use gradient::Gradients;
use prepared::{PreparedTree, prepared};
use sphere::OnSphere;

/// Number of prism-point pairs from which on the user gets a hint about faster algorithms.
const MANY_PAIRS: f64 = 1e10;
/// Approximate number of prism-point pairs of a piece of direct sums: a second on one core, some tenths of a second on
/// a GPU; few on an emulated GPU.
const PAIRS_OF_PIECE: f64 = 5e7;
const PAIRS_ON_GPUS: f64 = 2e9;
const PAIRS_EMULATED: f64 = 2e4;
/// Smallest number of points of a piece on GPUs, so that all GPUs are busy.
const LEAST_ON_GPUS: usize = 1024;
/// Number of points of a piece of tree sums, and largest number of those of direct sums of tesseroids.
const POINTS_OF_PIECE: usize = 64 * TILE;
/// Approximate number of pairs of a piece of direct sums of tesseroids, a minute or two on one core: at eight Gauss
/// points, a pair costs as much as several prism-point pairs.
const PAIRS_OF_TESSEROIDS: f64 = 2e9;
/// Largest number of pieces.
const MOST_PIECES: usize = 1 << 16;
/// Number of prisms from which on tree construction is reported: it takes half a second of a core.
const MANY_PRISMS: usize = 1_000_000;
/// The same for tesseroids.
const MANY_TESSEROIDS: usize = 100_000;

/// The chosen algorithm, ready for use.
enum Ready<'a> {
    Direct,
    OnGpus(OnGpus),
    Convolution {
        lattice: Lattice<'a>,
        grid: LevelGrid,
    },
    /// Tree with an accuracy; constructed on demand.
    Tree(f64, OnceLock<PreparedTree>),
    /// Magnetic fields with their gradient.
    Gradients(Gradients<'a>),
    /// Direct sum or tree of tesseroids.
    Sphere(OnSphere<'a>),
}

/// Sums, ready for computation.
pub struct Sums<'a> {
    setup: &'a Setup,
    /// The summed prisms.
    prisms: &'a Prisms,
    /// The parts of a magnetic problem, of which these sums are the first.
    parts: Option<magnetic::Parts<'a>>,
    /// The requested fields, plus those that limits at edges require.
    fields: Fields,
    algorithm: Ready<'a>,
    /// Message about the choice of the algorithm.
    choice: Option<String>,
    /// The points in the order of computation.
    points: Cow<'a, Points>,
    /// Their indices in the problem; `None` if the order is the same.
    numbers: Option<Vec<usize>>,
    /// The points on faces, edges and corners of prisms; `None` without tensor components.
    limits: Limits,
    /// The same including prisms whose faces are corrected for a smooth surface; GPUs need them.
    touching: Limits,
    /// Largest round-off of a convolution of this process, relative to the largest values.
    round_off: OnceLock<f64>,
    workers: &'a Workers,
    isa: Isa,
}

impl<'a> Sums<'a> {
    /// Sums of gravity, as [`Sums::new`].
    fn of_prisms(
        setup: &'a Setup,
        prisms: &'a Prisms,
        fields: Fields,
        workers: &'a Workers,
        place: LocalRank,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let isa = Isa::detect();
        let (algorithm, choice) = Choice { setup, prisms, fields, place, workers }.algorithm()?;
        let all = &setup.places.points;
        let mut numbers = None;
        let mut points = Cow::Borrowed(all);
        let algorithm = match algorithm {
            Algorithm::Direct => Ready::Direct,
            Algorithm::OnGpus(gpus) => Ready::OnGpus(gpus),
            Algorithm::Convolution { lattice, grid } => {
                // Use the exact grid positions: a point that round-off moves across a face has another tensor.
                points = Cow::Owned(grid.points().expect("its points are finite"));
                Ready::Convolution { lattice, grid }
            }
            Algorithm::Tree(accuracy) => {
                let order = workers.run(|| all.runs());
                points = Cow::Owned(all.select(&order));
                numbers = Some(order);
                Ready::Tree(accuracy, OnceLock::new())
            }
        };
        let [limits, touching] = match fields.has_tensor() {
            true => grounds::limits(setup, prisms, &points, workers, isa, cancel).ok_or(GravityFailure::Stopped)?,
            false => Default::default(),
        };
        let fields = fields.leaving_out_edges();
        Ok(Self {
            setup,
            prisms,
            parts: None,
            fields,
            algorithm,
            choice,
            points,
            numbers,
            limits,
            touching,
            round_off: OnceLock::new(),
            workers,
            isa,
        })
    }

    /// Description of the preparation before the first piece, if it takes long.
    pub fn preparation(&self) -> Option<String> {
        let is_long = match self.algorithm {
            Ready::Tree(..) => self.bodies() >= MANY_PRISMS,
            Ready::Gradients(ref gradients) => gradients.is_tree() && self.bodies() >= MANY_PRISMS,
            Ready::Sphere(_) => self.gpus().is_none() && self.bodies() >= MANY_TESSEROIDS,
            _ => false,
        };
        is_long.then(|| format!("building a tree of {} {}", self.bodies(), self.noun()))
    }

    /// Prepares the sums; `None` if interrupted.
    pub fn prepare(&self, cancel: &Cancel) -> Option<()> {
        if let Ready::Tree(accuracy, tree) = &self.algorithm
            && tree.get().is_none()
        {
            let made = PreparedTree::new(self, *accuracy, cancel)?;
            tree.get_or_init(|| made);
        }
        match &self.algorithm {
            Ready::Sphere(sphere) => sphere.prepare(self, cancel)?,
            Ready::Gradients(gradients) => gradients.prepare(self, cancel)?,
            _ => (),
        }
        self.others().try_for_each(|sums| sums.prepare(cancel))
    }

    /// The pieces of the points, in the order of computation. They depend only on the problem and the kind of device.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let points = self.points.len();
        let of_pairs = |pairs: f64| pairs / self.bodies() as f64;
        let preferred = match (&self.algorithm, self.gpus()) {
            (_, Some(gpus)) if gpus.are_emulated() => of_pairs(PAIRS_EMULATED),
            (_, Some(_)) => of_pairs(PAIRS_ON_GPUS).max(LEAST_ON_GPUS as f64),
            (Ready::Direct, _) => of_pairs(PAIRS_OF_PIECE),
            (Ready::Gradients(gradients), _) if gradients.is_direct() => of_pairs(PAIRS_OF_PIECE),
            (Ready::Sphere(sphere), _) if sphere.is_direct() => {
                of_pairs(PAIRS_OF_TESSEROIDS).min(POINTS_OF_PIECE as f64)
            }
            (Ready::Gradients(gradients), _) if gradients.is_tree() => POINTS_OF_PIECE as f64,
            (Ready::Tree(..) | Ready::Sphere(_), _) => POINTS_OF_PIECE as f64,
            (Ready::Convolution { .. } | Ready::OnGpus(_) | Ready::Gradients(_), _) => points as f64,
        };
        let least = points as f64 / MOST_PIECES as f64;
        let size = ((preferred.max(least) / TILE as f64).ceil() as usize).saturating_mul(TILE).clamp(1, points.max(1));
        (0..points).step_by(size).map(|start| start..(start + size).min(points)).collect()
    }

    /// The fields at the points of a piece; `None` if interrupted.
    ///
    /// # Arguments
    /// * `report` – receives the completed fraction of the layers of a convolution
    /// # Errors
    /// A failing GPU.
    /// # Panics
    /// If tree sums are not [prepared](Self::prepare).
    pub fn piece(
        &self,
        range: &Range<usize>,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Gravity>, Error> {
        match &self.parts {
            Some(parts) => self.combined(parts, range, cancel, report),
            None => self.of_piece(range, cancel, report),
        }
    }

    /// The sums over the prisms of these sums alone.
    fn of_piece(
        &self,
        range: &Range<usize>,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Gravity>, Error> {
        let points = self.points.part(range.clone());
        let limits = self.limits.within(range);
        let gravity = match &self.algorithm {
            Ready::Direct => self.direct(&points, cancel),
            Ready::OnGpus(gpus) => {
                gpus.forward(self.prisms, &points, self.fields, &self.touching.within(range), cancel)?
            }
            Ready::Convolution { lattice, grid } => self.convolved(lattice, grid, cancel, report),
            Ready::Tree(_, tree) => prepared(tree).forward(self, &points, cancel),
            Ready::Gradients(gradients) => return gradients.forward(self, range, cancel, report),
            Ready::Sphere(sphere) => return sphere.forward(self, range.clone(), cancel),
        };
        let Some(mut gravity) = gravity else { return Ok(None) };
        limits.put(&mut gravity);
        Ok(grounds::add(&self.setup.grounds, &mut gravity, &points, self.workers, self.isa, cancel).map(|()| gravity))
    }

    fn direct(&self, points: &Points, cancel: &Cancel) -> Option<Gravity> {
        let may_continue = || !cancel.is_cancelled();
        forward_while(self.prisms, points, self.fields, self.workers, self.isa, &may_continue)
    }

    /// The fields at all points by convolution, or by a tree if its round-off exceeds the accuracy.
    fn convolved(
        &self,
        lattice: &Lattice,
        grid: &LevelGrid,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Option<Gravity> {
        let convolution = Convolution::new(lattice, grid).expect("it was found possible");
        let done = Mutex::new(0.0);
        let may_continue = |share: f64| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += share;
            report(*done);
            !cancel.is_cancelled()
        };
        let (gravity, bound) = convolution.forward(self.fields, self.workers, self.isa, &may_continue)?;
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
        PreparedTree::new(self, self.accuracy(), cancel)?.forward(self, &self.points, cancel)
    }

    /// The accuracy that a convolution must reach.
    fn accuracy(&self) -> f64 {
        self.setup.method.accuracy.expect("a convolution is taken where an accuracy is given")
    }

    /// Reorders the values of a field from the order of computation to that of the problem.
    pub fn in_order(&self, taken: Vec<f64>) -> Vec<f64> {
        let Some(numbers) = &self.numbers else { return taken };
        let mut values = vec![0.0; taken.len()];
        numbers.iter().zip(taken).for_each(|(&number, value)| values[number] = value);
        values
    }

    /// Description of the summation.
    pub fn description(&self) -> String {
        match &self.algorithm {
            Ready::Direct => "direct sum: ten digits for each prism and point".to_owned(),
            Ready::Gradients(gradients) => gradients.description(self.round_off.get().copied()),
            Ready::Sphere(sphere) => sphere.description(),
            Ready::OnGpus(gpus) => gpus.description().to_owned(),
            Ready::Convolution { lattice, .. } => {
                let [nx, ny] = lattice.count();
                let layers = counted(lattice.layers(), "layer");
                let description =
                    format!("convolution of {layers} of {nx} x {ny} cells: ten digits for each cell and point");
                match self.round_off.get() {
                    None => description,
                    Some(round_off) if *round_off <= self.accuracy() => {
                        format!("{description}, round-off below {round_off:.1e} of the largest values")
                    }
                    Some(round_off) => format!(
                        "tree, accuracy {} of the largest values (the round-off of a convolution may reach {round_off:.1e})",
                        Number(self.accuracy())
                    ),
                }
            }
            Ready::Tree(accuracy, tree) => {
                let description = format!("tree, accuracy {} of the largest values", Number(*accuracy));
                tree.get().map_or_else(
                    || description.clone(),
                    |tree| format!("{description}: {}", tree.error_bounds(self.parts.is_some())),
                )
            }
        }
    }

    /// The warning about points where the tensor of single prisms is discontinuous.
    pub fn on_faces(&self) -> Option<String> {
        if let Ready::Gradients(gradients) = &self.algorithm {
            return gradients.on_faces();
        }
        let points = counted(self.limits.len(), "point");
        (!self.limits.is_empty()).then(|| {
            format!(
                "{points} on faces, edges or corners of prisms. The tensor there is its limit from above, averaged over both sides along x and y, and NaN \
                 without a limit. Move the points by a millimetre to avoid the discontinuity"
            )
        })
    }

    /// The warning that the requested precision applies to GPUs, but no GPU computes.
    pub fn without_single(&self) -> Option<String> {
        let warning =
            "method.precision = \"single\" applies only to GPUs; the sums on this CPU are in double precision";
        (self.setup.method.precision == Precision::Single && self.kind() == CPU).then(|| warning.to_owned())
    }

    /// The message about the choice of the algorithm.
    pub fn choice(&self) -> Option<&str> {
        self.choice.as_deref()
    }

    /// The GPUs that compute the sums; `None` on the CPU.
    fn gpus(&self) -> Option<&OnGpus> {
        match &self.algorithm {
            Ready::OnGpus(gpus) => Some(gpus),
            Ready::Sphere(sphere) => sphere.gpus(),
            Ready::Gradients(gradients) => gradients.gpus(),
            _ => None,
        }
    }

    /// Description of the devices.
    pub fn computes(&self) -> String {
        let cpu = Device::Cpu { parts: 1, note: None };
        self.gpus().map_or_else(|| cpu.name(self.workers, 1), |gpus| gpus.name().to_owned())
    }

    /// Kind of device, as in the journal.
    pub fn kind(&self) -> u8 {
        if self.gpus().is_some() { GPU } else { CPU }
    }

    /// The scalar type of a pair, as in records.
    pub fn scalar(&self) -> &'static str {
        self.gpus().map_or("f64", OnGpus::scalar)
    }

    /// A hint at a much faster algorithm, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        let is_long = self.setup.method.accuracy.is_none() && self.pairs() > MANY_PAIRS;
        is_long.then_some(match self.algorithm {
            Ready::Sphere(_) => "set method.accuracy = 1e-5 for much faster sums with a tree",
            _ => "set method.accuracy = 1e-5 for much faster sums with a tree or a convolution",
        })
    }

    /// Number of pairs of a prism or tesseroid and a point.
    pub fn pairs(&self) -> f64 {
        self.bodies() as f64 * self.points.len() as f64
    }

    /// Number of prisms or tesseroids.
    pub fn bodies(&self) -> usize {
        if let Ready::Sphere(sphere) = &self.algorithm { sphere.tesseroids() } else { self.prisms.len() }
    }

    /// What the bodies are made of.
    pub fn noun(&self) -> &'static str {
        if let Ready::Sphere(_) = self.algorithm { "tesseroids" } else { "prisms" }
    }
}
