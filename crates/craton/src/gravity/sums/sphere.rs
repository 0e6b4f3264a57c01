//! Sums of tesseroids at stations, along the local axes of each station.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Fields, Gravity, Limits, Points, Stations, TILE, Tesseroids, Tolerance, Tree};
use craton_run::Cancel;

use super::prepared::{PreparedTree, prepared};
use super::{Ready, Sums};
use crate::config::DeviceChoice;
use crate::device::LocalRank;
use crate::error::{Error, GravityFailure};
use crate::gravity::algorithm::expected;
use crate::gravity::config::{Path, Precision};
use crate::gravity::costs::{CORES, Costs, START};
use crate::gravity::on_gpus::OnGpus;
use crate::gravity::setup::{Setup, Sphere};
use crate::number::Number;

/// Runs of points with which sums are timed: at least so many pairs of a tesseroid and a point, and at most so many runs.
const SAMPLED_PAIRS: f64 = 1e6;
const SAMPLED_RUNS: f64 = 64.0;
/// Approximate number of tesseroids with which direct sums are timed.
const SAMPLED_TESSEROIDS: usize = 20_000;
/// Numbers stored per tesseroid: in the setup, in the tree, and in the nodes of the tree.
const PER_TESSEROID: usize = 8 + 8 + 14;
/// Numbers stored per point in addition to those of prisms: Cartesian coordinates and angles in the setup and in the
/// order of computation, a copy of the coordinates in that order, and the index of the point.
const PER_POINT: usize = 5 + 5 + 3 + 1;

/// Tesseroids and the stations in the order of computation.
pub struct OnSphere<'a> {
    sphere: &'a Sphere,
    stations: Stations,
    /// The requested accuracy; `None` for direct sums.
    accuracy: Option<f64>,
    tree: OnceLock<PreparedTree>,
    /// The GPUs that compute direct sums, if they are requested or faster.
    gpus: Option<OnGpus>,
}

impl<'a> Sums<'a> {
    /// Sums of tesseroids.
    ///
    /// # Arguments
    /// * `fields` – fields along the local axes
    /// * `place` – position of this rank, for the distribution of GPUs
    /// # Errors
    /// A requested GPU is missing, or GPUs do not support the requested method.
    pub(super) fn of_tesseroids(
        setup: &'a Setup,
        sphere: &'a Sphere,
        fields: Fields,
        workers: &'a Workers,
        place: LocalRank,
    ) -> Result<Self, Error> {
        let costs = Costs::of_tesseroids(sphere.tesseroids.len(), setup.places.points.len());
        let (gpus, choice) = chosen_gpus(setup, costs, workers, place)?;
        let is_direct = setup.method.path == Path::Direct || gpus.is_some();
        let accuracy = setup.method.accuracy.filter(|_| !is_direct);
        // The points of a tile should be close together.
        let order = workers.run(|| sphere.stations.points().runs());
        let stations = sphere.stations.select(&order);
        let points: Cow<'a, Points> = Cow::Owned(stations.points().clone());
        Ok(Self {
            setup,
            prisms: &setup.prisms,
            parts: None,
            fields,
            algorithm: Ready::Sphere(OnSphere { sphere, stations, accuracy, tree: OnceLock::new(), gpus }),
            choice,
            points,
            numbers: Some(order),
            limits: Limits::default(),
            touching: Limits::default(),
            round_off: OnceLock::new(),
            workers,
            isa: Isa::detect(),
        })
    }
}

impl OnSphere<'_> {
    /// Number of tesseroids.
    pub fn tesseroids(&self) -> usize {
        self.sphere.tesseroids.len()
    }

    /// Whether every tesseroid is evaluated at every point.
    pub fn is_direct(&self) -> bool {
        self.accuracy.is_none()
    }

    /// The GPUs that compute the sums.
    pub fn gpus(&self) -> Option<&OnGpus> {
        self.gpus.as_ref()
    }

    /// Builds the tree; `None` if interrupted.
    pub fn prepare(&self, sums: &Sums, cancel: &Cancel) -> Option<()> {
        if self.tree.get().is_some() || self.gpus.is_some() {
            return Some(());
        }
        let (workers, isa, may_continue) = (sums.workers, sums.isa, || !cancel.is_cancelled());
        let tree = Tree::of_tesseroids(&self.sphere.tesseroids, workers, isa, &may_continue)?;
        let tolerance = match self.accuracy {
            None => Tolerance::new(0.0, 0.0, 0.0),
            Some(accuracy) => {
                let fields = Stations::required(sums.fields);
                let points = self.stations.points();
                tree.peaks_while(points, &Limits::default(), fields, workers, isa, &may_continue)?.tolerance(accuracy)
            }
        };
        self.tree.get_or_init(|| PreparedTree { tree: Box::new(tree), tolerance });
        Some(())
    }

    /// The fields at some of the points, in the order of computation; `None` if interrupted.
    ///
    /// # Errors
    /// A failing GPU.
    /// # Panics
    /// If the sums are not prepared.
    pub fn forward(&self, sums: &Sums, range: Range<usize>, cancel: &Cancel) -> Result<Option<Gravity>, Error> {
        let numbers: Vec<usize> = range.collect();
        let Some(gpus) = &self.gpus else { return Ok(self.at(prepared(&self.tree), sums, &numbers, cancel)) };
        let stations = self.stations.select(&numbers);
        Ok(gpus.forward_tesseroids(&self.sphere.tesseroids, &stations, sums.fields, cancel)?)
    }

    fn at(&self, from: &PreparedTree, sums: &Sums, numbers: &[usize], cancel: &Cancel) -> Option<Gravity> {
        let (PreparedTree { tree, tolerance }, may_continue) = (from, || !cancel.is_cancelled());
        let stations = self.stations.select(numbers);
        let fields = Stations::required(sums.fields);
        let gravity =
            tree.forward_while(stations.points(), fields, tolerance, sums.workers, sums.isa, &may_continue)?;
        Some(stations.local(&gravity, sums.fields))
    }

    /// Time of all sums [s], measured with a sample of runs of points, for direct sums also of tesseroids, or estimated for
    /// GPUs; `None` before the preparation and on emulated GPUs.
    pub fn seconds(&self, sums: &Sums) -> Option<f64> {
        if let Some(gpus) = &self.gpus {
            return gpus.seconds(Costs::of_tesseroids(self.tesseroids(), self.stations.points().len()));
        }
        let whole = self.tree.get()?;
        let step = if self.is_direct() { self.tesseroids().div_ceil(SAMPLED_TESSEROIDS).max(1) } else { 1 };
        let some = (step > 1).then(|| self.every(step, sums));
        let taken = self.tesseroids().div_ceil(step).max(1);
        let points = self.stations.points().len();
        let (runs, threads) = (points.div_ceil(TILE), sums.workers.threads());
        let enough = SAMPLED_PAIRS / (TILE * taken) as f64;
        let sampled = (enough.min(SAMPLED_RUNS) as usize).max(threads);
        let of_run = |run: usize| run * TILE..((run + 1) * TILE).min(points);
        let numbers: Vec<usize> = (0..runs).step_by(runs.div_ceil(sampled).max(1)).flat_map(of_run).collect();
        let begun = Instant::now();
        self.at(some.as_ref().unwrap_or(whole), sums, &numbers, &Cancel::new());
        let of_sample = begun.elapsed().as_secs_f64();
        let pairs = points as f64 * self.tesseroids() as f64;
        Some(of_sample * pairs / (numbers.len().max(1) as f64 * taken as f64))
    }

    /// Every `step`-th tesseroid, prepared for direct sums.
    fn every(&self, step: usize, sums: &Sums) -> PreparedTree {
        let all = &self.sphere.tesseroids;
        let some = (0..all.len()).step_by(step).map(|number| all.get(number));
        let some = Tesseroids::new(some).expect("they are tesseroids");
        let tree = Tree::of_tesseroids(&some, sums.workers, sums.isa, &|| true).expect("never cancelled");
        PreparedTree { tree: Box::new(tree), tolerance: Tolerance::new(0.0, 0.0, 0.0) }
    }

    /// Number of stored numbers.
    pub fn numbers(&self) -> usize {
        PER_TESSEROID * self.tesseroids() + PER_POINT * self.stations.points().len()
    }

    /// Description of the summation.
    pub fn description(&self) -> String {
        let of_each = "error of each tesseroid at most 1e-6 of its attraction and 1e-5 of its tensor";
        match (self.accuracy, self.tree.get()) {
            (None, _) if self.gpus.is_some() => {
                format!("direct sum of tesseroids on GPUs in double precision: {of_each}")
            }
            (None, _) => format!("direct sum of tesseroids: {of_each}"),
            (Some(accuracy), None) => {
                format!("tree of tesseroids, accuracy {} of the largest values, {of_each}", Number(accuracy))
            }
            (Some(accuracy), Some(tree)) => {
                let (accuracy, bounds) = (Number(accuracy), tree.error_bounds(false));
                format!("tree of tesseroids, accuracy {accuracy} of the largest values: {bounds}, {of_each}")
            }
        }
    }
}

/// The GPUs that compute the sums: those that the problem requests, or with `auto` those that are expected to be faster
/// than cores; and a message about the choice.
fn chosen_gpus(
    setup: &Setup,
    costs: Costs,
    workers: &Workers,
    place: LocalRank,
) -> Result<(Option<OnGpus>, Option<String>), Error> {
    let is_single = setup.method.precision == Precision::Single;
    match setup.device {
        DeviceChoice::Cpu => return Ok((None, None)),
        DeviceChoice::Auto if setup.method.path == Path::Tree || is_single => return Ok((None, None)),
        DeviceChoice::Auto => return faster_gpus(setup, costs, workers, place),
        _ => {}
    }
    if setup.method.path == Path::Tree {
        let reason = "GPUs support only direct sums, but compute.device or --device requests GPUs".to_owned();
        return Err(GravityFailure::Path { path: "tree", reason }.into());
    }
    if is_single {
        return Err(GravityFailure::SingleTesseroids.into());
    }
    Ok((Some(OnGpus::find(setup, place, workers)?), None))
}

/// The GPUs, if they exist and are expected to be faster than cores.
fn faster_gpus(
    setup: &Setup,
    costs: Costs,
    workers: &Workers,
    place: LocalRank,
) -> Result<(Option<OnGpus>, Option<String>), Error> {
    let is_direct = setup.method.path == Path::Direct;
    let direct = costs.direct();
    // A tree evaluates near tesseroids directly, so that it takes at most as long as direct sums.
    let (algorithm, seconds) = match setup.method.accuracy.filter(|_| !is_direct).map(|accuracy| costs.tree(accuracy)) {
        Some(tree) if tree < direct => ("tree", tree / CORES),
        Some(_) => ("tree, at most the time of direct sums", direct / CORES),
        None => ("direct", direct / CORES),
    };
    if seconds <= START {
        return Ok((None, None));
    }
    let (on_gpu, message) = match expected(costs, Precision::Double, algorithm, seconds) {
        Ok(found) => found,
        Err(message) => return Ok((None, message)),
    };
    let gpus = (on_gpu < seconds).then(|| OnGpus::find(setup, place, workers)).transpose()?;
    Ok((gpus, Some(message)))
}
