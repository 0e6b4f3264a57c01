//! Sums of magnetic fields with the gradient of the flux density: direct, by a tree of dipoles, by convolution, or on GPUs.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Limits, Magnetic as MagneticSums, MagneticField,
    MagneticFields, MagneticTree, Points, Poisson, Prisms, Tolerance, magnetic_forward_while,
};
use craton_run::Cancel;

use super::{Ready, Sums};
use crate::device::LocalRank;
use crate::error::{Error, GravityFailure};
use crate::gravity::algorithm::{Algorithm, Choice};
use crate::gravity::costs::Costs;
use crate::gravity::on_gpus::OnGpus;
use crate::gravity::setup::{Magnetic, Setup};
use crate::number::{Number, counted};

/// B and its gradient, in the places of the attraction and of the tensor; B is completed by limits.
const FIELDS: MagneticFields = MagneticFields::WithGradientLeavingOutEdges;

/// Time of a pair of a prism and a point, relative to that of the gravity gradient tensor: third derivatives take about as long.
pub(super) const TIME_OF_PAIR: f64 = 2.0;

/// How the sums are computed.
enum Way<'a> {
    Direct,
    OnGpus(OnGpus),
    /// Convolution with an accuracy; the lattice of each part of the magnetisation.
    Convolution {
        lattices: Vec<Lattice<'a>>,
        grid: LevelGrid,
        accuracy: f64,
    },
    /// Tree with an accuracy.
    Tree(f64),
}

/// Sums of the flux density and its gradient.
pub struct Gradients<'a> {
    magnetic: &'a Magnetic,
    /// The points on faces, edges and corners, for each part of the magnetisation.
    limits: Vec<Limits>,
    way: Way<'a>,
    tree: OnceLock<(MagneticTree, Tolerance)>,
}

impl<'a> Sums<'a> {
    /// Sums of a magnetic problem with gradients.
    ///
    /// # Errors
    /// A requested algorithm is not applicable, a requested GPU is missing; [`GravityFailure::Stopped`] if interrupted.
    pub(super) fn of_gradients(
        setup: &'a Setup,
        magnetic: &'a Magnetic,
        fields: Fields,
        workers: &'a Workers,
        place: LocalRank,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let (_, prisms) = magnetic.parts.first().expect("a magnetic problem has a part");
        let (algorithm, choice) = Choice { setup, prisms, fields: Poisson::FIELDS, place, workers }.algorithm()?;
        let all = &setup.places.points;
        let (mut points, mut numbers) = (Cow::Borrowed(all), None);
        let way = match algorithm {
            Algorithm::Direct => Way::Direct,
            Algorithm::OnGpus(gpus) => Way::OnGpus(gpus),
            Algorithm::Convolution { lattice, grid } => {
                // Use the exact grid positions: a point that round-off moves across a face has another tensor.
                points = Cow::Owned(grid.points().expect("its points are finite"));
                let of_part = |(_, prisms): &'a ([f64; 3], Prisms)| Lattice::of(prisms).expect("the same cells");
                let others = workers.run(|| magnetic.parts[1..].iter().map(of_part).collect::<Vec<_>>());
                let accuracy = setup.method.accuracy.expect("a convolution is taken where an accuracy is given");
                Way::Convolution { lattices: std::iter::once(lattice).chain(others).collect(), grid, accuracy }
            }
            Algorithm::Tree(accuracy) => {
                let order = workers.run(|| all.runs());
                points = Cow::Owned(all.select(&order));
                numbers = Some(order);
                Way::Tree(accuracy)
            }
        };
        let isa = Isa::detect();
        let limits = limits(magnetic, &points, workers, isa, cancel).ok_or(GravityFailure::Stopped)?;
        Ok(Self {
            setup,
            prisms: &setup.prisms,
            parts: None,
            fields,
            limits: limits.first().cloned().unwrap_or_default(),
            touching: Limits::default(),
            algorithm: Ready::Gradients(Gradients { magnetic, limits, way, tree: OnceLock::new() }),
            choice,
            points,
            numbers,
            round_off: OnceLock::new(),
            workers,
            isa,
        })
    }
}

/// The points on faces, edges and corners, for each part of the magnetisation; `None` if interrupted.
fn limits(magnetic: &Magnetic, points: &Points, workers: &Workers, isa: Isa, cancel: &Cancel) -> Option<Vec<Limits>> {
    let may_continue = || !cancel.is_cancelled();
    magnetic.parts.iter().map(|(_, prisms)| Limits::new_while(prisms, points, workers, isa, &may_continue)).collect()
}

impl Gradients<'_> {
    /// Whether every prism is evaluated at every point on the CPU.
    pub fn is_direct(&self) -> bool {
        matches!(self.way, Way::Direct)
    }

    /// Whether the sums are a tree, unless the round-off of a convolution requires one.
    pub fn is_tree(&self) -> bool {
        matches!(self.way, Way::Tree(_))
    }

    /// The GPUs that compute the sums.
    pub fn gpus(&self) -> Option<&OnGpus> {
        if let Way::OnGpus(gpus) = &self.way { Some(gpus) } else { None }
    }

    /// Builds the tree, if the sums need one; `None` if interrupted.
    pub fn prepare(&self, sums: &Sums, cancel: &Cancel) -> Option<()> {
        if let Way::Tree(accuracy) = self.way { self.build_tree(sums, accuracy, cancel) } else { Some(()) }
    }

    fn build_tree(&self, sums: &Sums, accuracy: f64, cancel: &Cancel) -> Option<()> {
        if self.tree.get().is_some() {
            return Some(());
        }
        let (Sums { prisms, points, workers, isa, .. }, may_continue) = (sums, || !cancel.is_cancelled());
        let tree = MagneticTree::new_while(prisms, &self.magnetic.magnetisation, workers, *isa, &may_continue);
        let tree = tree.expect("every prism has a magnetisation")?;
        let peaks = tree.peaks_while(points, FIELDS, workers, *isa, &may_continue)?;
        self.tree.get_or_init(|| (tree, peaks.tolerance(accuracy)));
        Some(())
    }

    /// The fields at a range of the points; `None` if interrupted.
    ///
    /// # Arguments
    /// * `report` – receives the completed fraction of a convolution
    /// # Errors
    /// A failing GPU.
    /// # Panics
    /// If a tree is required and not prepared.
    pub fn forward(
        &self,
        sums: &Sums,
        range: &Range<usize>,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Result<Option<Gravity>, Error> {
        let points = sums.points.part(range.clone());
        let all = match &self.way {
            Way::Direct => self.direct(sums, &points, cancel),
            Way::Tree(_) => self.by_tree(sums, &points, cancel),
            Way::Convolution { lattices, grid, accuracy } => {
                self.convolved(sums, (lattices, grid), *accuracy, cancel, report)
            }
            Way::OnGpus(gpus) => {
                let touching = sums.limits.within(range);
                gpus.forward_magnetised(
                    (sums.prisms, &self.magnetic.magnetisation),
                    &points,
                    FIELDS,
                    &touching,
                    cancel,
                )?
            }
        };
        let Some(mut all) = all else { return Ok(None) };
        for ((direction, _), limits) in self.magnetic.parts.iter().zip(&self.limits) {
            limits.within(range).put_magnetic(*direction, &mut all);
        }
        let values = |field: Field| all.get(component_of(field)).expect("the gradient was requested").to_vec();
        Ok(Some(Gravity::new(sums.fields, sums.fields.iter().map(values).collect())))
    }

    fn direct(&self, sums: &Sums, points: &Points, cancel: &Cancel) -> Option<MagneticSums> {
        let (Sums { prisms, workers, isa, .. }, may_continue) = (sums, || !cancel.is_cancelled());
        let of_all = &self.magnetic.magnetisation;
        let sums = magnetic_forward_while(prisms, of_all, points, FIELDS, workers, *isa, &may_continue);
        sums.expect("every prism has a magnetisation")
    }

    fn by_tree(&self, sums: &Sums, points: &Points, cancel: &Cancel) -> Option<MagneticSums> {
        let (tree, tolerance) = self.tree.get().expect("sums are prepared before the first piece");
        tree.forward_while(points, FIELDS, tolerance, sums.workers, sums.isa, &|| !cancel.is_cancelled())
    }

    /// The fields at all points by convolutions, or by a tree if their round-off exceeds the accuracy.
    fn convolved(
        &self,
        sums: &Sums,
        (lattices, grid): (&[Lattice], &LevelGrid),
        accuracy: f64,
        cancel: &Cancel,
        report: &(dyn Fn(f64) + Sync),
    ) -> Option<MagneticSums> {
        let done = Mutex::new(0.0);
        let may_continue = |share: f64| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += share / lattices.len() as f64;
            report(*done);
            !cancel.is_cancelled()
        };
        let mut total: Option<(MagneticSums, Vec<f64>)> = None;
        for ((direction, _), lattice) in self.magnetic.parts.iter().zip(lattices) {
            let plan = Convolution::new(lattice, grid).expect("it was found possible");
            let part = plan.magnetic_forward(*direction, FIELDS, sums.workers, sums.isa, &may_continue)?;
            match &mut total {
                None => total = Some(part),
                Some((fields, bounds)) => {
                    fields.add(&part.0);
                    bounds.iter_mut().zip(&part.1).for_each(|(bound, more)| *bound += more);
                }
            }
        }
        let (fields, bounds) = total.expect("a magnetic problem has a part");
        let round_off = round_off(&fields, &bounds);
        let _ = sums.round_off.set(round_off);
        if round_off <= accuracy {
            return Some(fields);
        }
        self.build_tree(sums, accuracy, cancel)?;
        self.by_tree(sums, &sums.points, cancel)
    }

    /// Time of the sums for all points [s], except that of direct sums; `None` for emulated GPUs.
    pub fn seconds(&self, sums: &Sums, costs: Costs) -> Option<f64> {
        match &self.way {
            Way::OnGpus(gpus) => Some(TIME_OF_PAIR * gpus.seconds(costs)?),
            Way::Tree(_) if self.tree.get().is_some() => Some(sums.of_sample(|points| {
                self.by_tree(sums, points, &Cancel::new());
            })),
            Way::Tree(accuracy) => Some(TIME_OF_PAIR * costs.tree(*accuracy) / sums.workers.threads() as f64),
            Way::Direct => Some(TIME_OF_PAIR * costs.direct() / sums.workers.threads() as f64),
            Way::Convolution { lattices, grid, .. } => {
                let of = |lattice: &Lattice| {
                    let plan = Convolution::new(lattice, grid).expect("it was found possible");
                    plan.operations(Poisson::FIELDS) / plan.operations_of_sums(Poisson::FIELDS)
                };
                let share: f64 = lattices.iter().map(of).sum();
                Some(TIME_OF_PAIR * share * costs.direct() / sums.workers.threads() as f64)
            }
        }
    }

    /// Numbers stored in addition to those of prisms and results.
    pub fn numbers(&self, sums: &Sums) -> usize {
        let prisms = sums.prisms.len();
        match &self.way {
            Way::Direct => 3 * prisms,
            Way::OnGpus(_) => 4 * prisms,
            Way::Tree(_) => 20 * prisms + 4 * sums.points.len(),
            Way::Convolution { lattices, grid, .. } => {
                let plan = Convolution::new(&lattices[0], grid).expect("it was found possible");
                plan.magnetic_bytes(FIELDS) as usize / size_of::<f64>() + 2 * lattices.len() * prisms
            }
        }
    }

    /// The warning about points on faces, edges and corners.
    pub fn on_faces(&self) -> Option<String> {
        let count = self.limits.iter().map(Limits::len).max().unwrap_or(0);
        let warning = || {
            format!(
                "{} on faces, edges or corners of prisms. B there is its limit from above, averaged over both sides along x and y, and NaN without a \
                 limit. The gradient is the sum of the limits from outside each prism, not that of the whole body. Move the points by a \
                 millimetre to avoid the discontinuity",
                counted(count, "point")
            )
        };
        (count > 0).then(warning)
    }

    /// Description of the summation.
    pub fn description(&self, round_off: Option<f64>) -> String {
        let of_tree = |accuracy: f64| {
            let bounds = self.tree.get().map(|(_, tolerance)| {
                let [b, gradient] = [1e9 * tolerance.attraction(), 1e9 * tolerance.tensor()];
                format!(": B to {b:.1e} nT, gradient to {gradient:.1e} nT/m")
            });
            format!(
                "tree of dipoles, accuracy {} of the largest values{}",
                Number(accuracy),
                bounds.unwrap_or_default()
            )
        };
        match &self.way {
            Way::Direct => "direct sum: nine digits for each prism and point".to_owned(),
            Way::OnGpus(gpus) => gpus.description().replace("ten digits", "nine digits"),
            Way::Tree(accuracy) => of_tree(*accuracy),
            Way::Convolution { lattices, accuracy, .. } => {
                let [nx, ny] = lattices[0].count();
                let layers = counted(lattices[0].layers(), "layer");
                let description =
                    format!("convolution of {layers} of {nx} x {ny} cells: nine digits for each cell and point");
                match round_off {
                    None => description,
                    Some(round_off) if round_off <= *accuracy => {
                        format!("{description}, round-off below {round_off:.1e} of the largest values")
                    }
                    Some(round_off) => {
                        format!("{} (the round-off of a convolution may reach {round_off:.1e})", of_tree(*accuracy))
                    }
                }
            }
        }
    }
}

/// The largest bound relative to the largest value, of B or of its gradient.
fn round_off(fields: &MagneticSums, bounds: &[f64]) -> f64 {
    let of_kind = |kind: &[MagneticField]| {
        let largest = |field: &MagneticField| {
            fields.get(*field).into_iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()))
        };
        let peak = kind.iter().map(largest).fold(0.0, f64::max);
        let bound = kind.iter().map(|field| bounds[*field as usize]).fold(0.0, f64::max);
        if peak > 0.0 { bound / peak } else { 0.0 }
    };
    let (flux, gradient) = MagneticField::ALL.split_at(MagneticField::FLUX_DENSITY.len());
    of_kind(flux).max(of_kind(gradient))
}

/// The magnetic component in the place of a field of gravity.
fn component_of(field: Field) -> MagneticField {
    match field {
        Field::Potential => unreachable!("magnetic problems have no potential"),
        Field::East => MagneticField::East,
        Field::North => MagneticField::North,
        Field::Up => MagneticField::Up,
        Field::EastEast => MagneticField::EastEast,
        Field::EastNorth => MagneticField::EastNorth,
        Field::EastUp => MagneticField::EastUp,
        Field::NorthNorth => MagneticField::NorthNorth,
        Field::NorthUp => MagneticField::NorthUp,
        Field::UpUp => MagneticField::UpUp,
    }
}
