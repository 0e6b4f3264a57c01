//! Sums of magnetic fields with the gradient of the flux density: direct, or by a tree of dipoles.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use craton_device::{Isa, Workers};
use craton_gravity::{
    Field, Fields, Gravity, Limits, Magnetic as MagneticSums, MagneticField, MagneticFields, MagneticTree, Points,
    Poisson, Prisms, Tolerance, forward_while, magnetic_forward_while,
};
use craton_run::Cancel;

use super::{Ready, Sums};
use crate::config::DeviceChoice;
use crate::error::{Error, GravityFailure};
use crate::gravity::algorithm::FEW_PAIRS;
use crate::gravity::config::{Method, Path};
use crate::gravity::setup::{Magnetic, Setup};
use crate::number::{Number, counted};

/// B and its gradient, in the places of the attraction and of the tensor.
const FIELDS: MagneticFields = MagneticFields::WithGradient;

/// Sums of the flux density and its gradient.
pub struct Gradients<'a> {
    magnetic: &'a Magnetic,
    /// The points on faces, edges and corners, for each part of the magnetisation.
    limits: Vec<Limits>,
    /// The requested accuracy; `None` for direct sums.
    accuracy: Option<f64>,
    tree: OnceLock<(MagneticTree, Tolerance)>,
}

impl<'a> Sums<'a> {
    /// Sums of a magnetic problem with gradients.
    ///
    /// # Errors
    /// A requested algorithm or device has no gradients; [`GravityFailure::Stopped`] if interrupted.
    pub(super) fn of_gradients(
        setup: &'a Setup,
        magnetic: &'a Magnetic,
        fields: Fields,
        workers: &'a Workers,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        refuse_other_ways(setup)?;
        let all = &setup.places.points;
        let Method { path, accuracy, .. } = setup.method;
        let is_few = setup.prisms.len() as f64 * all.len() as f64 <= FEW_PAIRS;
        let accuracy = accuracy.filter(|_| path == Path::Tree || path == Path::Auto && !is_few);
        let (points, numbers) = match accuracy {
            None => (Cow::Borrowed(all), None),
            Some(_) => {
                let order = workers.run(|| all.runs());
                (Cow::Owned(all.select(&order)), Some(order))
            }
        };
        let (isa, may_continue) = (Isa::detect(), || !cancel.is_cancelled());
        let of_part = |(_, prisms): &([f64; 3], Prisms)| {
            Limits::new_while(prisms, &points, workers, isa, &may_continue).ok_or(GravityFailure::Stopped)
        };
        let limits = magnetic.parts.iter().map(of_part).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            setup,
            prisms: &setup.prisms,
            parts: None,
            fields,
            limits: limits.first().cloned().unwrap_or_default(),
            touching: Limits::default(),
            algorithm: Ready::Gradients(Gradients { magnetic, limits, accuracy, tree: OnceLock::new() }),
            choice: None,
            points,
            numbers,
            round_off: OnceLock::new(),
            workers,
            isa,
        })
    }
}

impl Gradients<'_> {
    /// Whether every prism is evaluated at every point.
    pub fn is_direct(&self) -> bool {
        self.accuracy.is_none()
    }

    /// Builds the tree, if the sums need one; `None` if interrupted.
    pub fn prepare(&self, sums: &Sums, cancel: &Cancel) -> Option<()> {
        let Some(accuracy) = self.accuracy.filter(|_| self.tree.get().is_none()) else { return Some(()) };
        let (Sums { prisms, points, workers, isa, .. }, may_continue) = (sums, || !cancel.is_cancelled());
        let tree = MagneticTree::new_while(prisms, &self.magnetic.magnetisation, workers, *isa, &may_continue);
        let tree = tree.expect("every prism has a magnetisation")?;
        let peaks = tree.peaks_while(points, FIELDS, workers, *isa, &may_continue)?;
        self.tree.get_or_init(|| (tree, peaks.tolerance(accuracy)));
        Some(())
    }

    /// The fields at a range of the points; `None` if interrupted.
    ///
    /// # Panics
    /// If a tree is required and not prepared.
    pub fn forward(&self, sums: &Sums, range: &Range<usize>, cancel: &Cancel) -> Option<Gravity> {
        let points = sums.points.part(range.clone());
        let all = self.at(sums, &points, cancel)?;
        let get = |field: MagneticField| all.get(field).expect("the gradient was requested").to_vec();
        let mut flux = MagneticField::FLUX_DENSITY.map(get);
        self.put_limits(points.len(), range, &mut flux);
        self.sum_on_edges(sums, &points, &mut flux, cancel)?;
        let values = |field: Field| {
            let component = component_of(field);
            if component.is_gradient() { get(component) } else { flux[component as usize].clone() }
        };
        Some(Gravity::new(sums.fields, sums.fields.iter().map(values).collect()))
    }

    /// The magnetic fields at points, with B on faces as seen from outside each prism.
    fn at(&self, sums: &Sums, points: &Points, cancel: &Cancel) -> Option<MagneticSums> {
        let (Sums { prisms, workers, isa, .. }, may_continue) = (sums, || !cancel.is_cancelled());
        if self.is_direct() {
            let of_all = &self.magnetic.magnetisation;
            let sums = magnetic_forward_while(prisms, of_all, points, FIELDS, workers, *isa, &may_continue);
            return sums.expect("every prism has a magnetisation");
        }
        let (tree, tolerance) = self.tree.get().expect("sums are prepared before the first piece");
        tree.forward_while(points, FIELDS, tolerance, workers, *isa, &may_continue)
    }

    /// Adds what the limits of the tensor on faces change of B.
    fn put_limits(&self, points: usize, range: &Range<usize>, flux: &mut [Vec<f64>; 3]) {
        for ((direction, _), limits) in self.magnetic.parts.iter().zip(&self.limits) {
            let limits = limits.within(range);
            if !limits.is_empty() {
                let mut change = Gravity::new(Poisson::FIELDS, vec![vec![0.0; points]; 6]);
                limits.put(&mut change);
                let change = flux_density(direction, &change);
                flux.iter_mut().flatten().zip(change.iter().flatten()).for_each(|(value, change)| *value += change);
            }
        }
    }

    /// Sums B again with limits at points on edges, where B of single prisms diverges; `None` if interrupted.
    fn sum_on_edges(&self, sums: &Sums, points: &Points, flux: &mut [Vec<f64>; 3], cancel: &Cancel) -> Option<()> {
        let (Sums { workers, isa, .. }, may_continue) = (sums, || !cancel.is_cancelled());
        let diverges = |point: &usize| flux.iter().any(|component| component[*point].is_nan());
        let edges: Vec<usize> = (0..points.len()).filter(diverges).collect();
        let places = points.select(&edges);
        flux.iter_mut().for_each(|component| edges.iter().for_each(|&point| component[point] = 0.0));
        for (direction, prisms) in self.magnetic.parts.iter().filter(|_| !edges.is_empty()) {
            let fields = Poisson::FIELDS.leaving_out_edges();
            let mut tensor = forward_while(prisms, &places, fields, workers, *isa, &may_continue)?;
            Limits::new_while(prisms, &places, workers, *isa, &may_continue)?.put(&mut tensor);
            for (component, values) in flux.iter_mut().zip(flux_density(direction, &tensor)) {
                edges.iter().zip(values).for_each(|(&point, value)| component[point] += value);
            }
        }
        Some(())
    }

    /// Time of a tree for all points [s] including the sums on edges, measured with a sample.
    pub fn seconds(&self, sums: &Sums) -> f64 {
        sums.of_sample(|points| {
            let all = self.at(sums, points, &Cancel::new()).expect("never cancelled");
            let mut flux = MagneticField::FLUX_DENSITY.map(|field| all.get(field).expect("the flux density").to_vec());
            self.sum_on_edges(sums, points, &mut flux, &Cancel::new());
        })
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
    pub fn description(&self) -> String {
        let Some(accuracy) = self.accuracy else {
            return "direct sum: nine digits for each prism and point".to_owned();
        };
        let bounds = self.tree.get().map(|(_, tolerance)| {
            let [b, gradient] = [1e9 * tolerance.attraction(), 1e9 * tolerance.tensor()];
            format!(": B to {b:.1e} nT, gradient to {gradient:.1e} nT/m")
        });
        format!("tree of dipoles, accuracy {} of the largest values{}", Number(accuracy), bounds.unwrap_or_default())
    }
}

/// The components of B of a unit direction of magnetisation, from the gravity gradient tensor.
fn flux_density(direction: &[f64; 3], tensor: &Gravity) -> [Vec<f64>; 3] {
    let field = Poisson::new(*direction).field(tensor);
    MagneticField::FLUX_DENSITY.map(|component| field.get(component).expect("the flux density").to_vec())
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

/// Refuses algorithms and devices that have no gradients of magnetic fields.
fn refuse_other_ways(setup: &Setup) -> Result<(), Error> {
    let path = match (setup.method.path, &setup.device) {
        (Path::Convolution, _) => "convolution",
        (_, DeviceChoice::Auto | DeviceChoice::Cpu) => return Ok(()),
        (Path::Tree, _) => "tree",
        _ => "direct",
    };
    let reason = "gradients of magnetic fields are computed on CPUs, by direct sums or a tree".to_owned();
    Err(GravityFailure::Path { path, reason }.into())
}
