//! Sources and receivers on a mesh: conversion of positions to points inside elements.
//!
//! The mesh only approximates curved surfaces. Depths are therefore measured from the top of the mesh, and a position stays on its side of an
//! interface ([`Ground`]). A position on an interface belongs to the region below it.

mod ground;
mod moved;

use craton_acquisition::{Describes, Mechanism, Quantity, Receiver, Source};
use craton_mesh::{HexMesh, Location};
use craton_numerics::NumericsError;
use craton_numerics::dispersion::{Forward, SlipForward, Stagger};
use craton_sem::{PointSource, Probe, SourceMechanism};
use craton_sim::History;
use rayon::prelude::*;

use crate::error::{Error, Problem};
use crate::format_position::format_position;
use crate::meshing::locator;
use crate::setup::{Fault, FaultPoint, Setup};
use crate::time_axis::TimeAxis;
use ground::Ground;
pub use moved::{Moved, ROUND_OFF};

/// Sources and receivers inside elements.
pub struct PointsInElements {
    /// The sources.
    pub sources: Vec<PointSource>,
    /// The sampled points.
    pub probes: Vec<Probe>,
}

impl PointsInElements {
    /// Locates all sources and receivers of a scenario in elements; also returns warnings about those that the mesh moves.
    ///
    /// # Arguments
    /// * `is_own` – whether this process computes an element; points of faults in others are left out
    /// # Errors
    /// A source or receiver that is in no element.
    pub fn new(
        setup: &Setup,
        mesh: &HexMesh,
        axis: &TimeAxis,
        is_own: impl Fn(u32) -> bool,
    ) -> Result<(Self, Vec<String>), Error> {
        let locator = locator(mesh, &setup.frame);
        let mut placing = Placing { setup, ground: Ground::new(setup, &locator), moved: Moved::default() };
        let mut sources = placing.sources(axis)?;
        sources.extend(placing.faults(axis, is_own)?);
        let points = Self { sources, probes: placing.probes()? };
        let what = "moves with the ground or interface, which the mesh only approximates,";
        let cure = "Smaller elements (method.sem.element_size) follow them more closely";
        Ok((points, placing.moved.warning(what, cure).into_iter().collect()))
    }
}

/// The elements that contain the sources and receivers of a scenario, each once.
///
/// # Errors
/// A source or receiver that is in no element.
pub fn elements_with_points(setup: &Setup, mesh: &HexMesh) -> Result<Vec<u32>, Error> {
    let locator = locator(mesh, &setup.frame);
    let mut placing = Placing { setup, ground: Ground::new(setup, &locator), moved: Moved::default() };
    let place = |source: &Source| Ok(placing.locate(source.name(), source.position())?.element);
    let mut elements = setup.sources.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
    for (fault, point) in fault_points(setup) {
        elements.push(placing.locate(&fault.name, point.position)?.element);
    }
    elements.extend(placing.probes()?.iter().map(|probe| probe.element));
    elements.sort_unstable();
    elements.dedup();
    Ok(elements)
}

/// The location of sources and receivers of a scenario in its mesh.
struct Placing<'a> {
    setup: &'a Setup,
    ground: Ground<'a>,
    moved: Moved,
}

impl Placing<'_> {
    /// Sources for the solver, including their time functions.
    fn sources(&mut self, axis: &TimeAxis) -> Result<Vec<PointSource>, Error> {
        let mut placed = Vec::with_capacity(self.setup.sources.len());
        for (source, history) in self.setup.sources.iter().zip(histories(self.setup, axis)?) {
            let position @ [x, y, _] = source.position();
            let Location { element, xi } = self.locate(source.name(), position)?;
            let mechanism = (&source.mechanism().along(&self.setup.frame.axes_at([x, y]))).into();
            if let Some(problem) = self.unfit(source, element, mechanism) {
                return Err(Error::OfKey(Box::new(problem)));
            }
            placed.push(PointSource { element, xi, mechanism, history: history.into() });
        }
        Ok(placed)
    }

    /// The points of faults in elements of this process that act during the run.
    fn faults(&mut self, axis: &TimeAxis, is_own: impl Fn(u32) -> bool) -> Result<Vec<PointSource>, Error> {
        let mut placed = Vec::new();
        for (fault, point) in fault_points(self.setup).filter(|(_, point)| point.onset() < axis.end) {
            let position @ [x, y, _] = point.position;
            let Location { element, xi } = self.locate(&fault.name, position)?;
            if is_own(element) {
                let moment = Mechanism::Moment(point.moment).along(&self.setup.frame.axes_at([x, y]));
                placed.push((fault, point, element, xi, SourceMechanism::from(&moment)));
            }
        }
        let slip = slip_forward(self.setup, axis)?;
        let source = |(fault, point, element, xi, mechanism): (&Fault, &FaultPoint, u32, [f64; 3], SourceMechanism)| {
            Ok(PointSource { element, xi, mechanism, history: slip_history(&slip, fault, point, axis)? })
        };
        placed.into_par_iter().map(source).collect()
    }

    /// The problem of a source that the mesh has put into a fluid, which cannot contain it.
    fn unfit(&self, source: &Source, element: u32, mechanism: SourceMechanism) -> Option<Problem> {
        let is_fluid = self.setup.model.is_fluid(self.ground.region_of(element));
        let is_explosion = matches!(mechanism, SourceMechanism::Moment(_)) && !mechanism.is_shear();
        let problem =
            || Problem::new("source", format!("{} is in a fluid, at an interface of the mesh", source.name()));
        (is_fluid && !is_explosion)
            .then(|| problem().allowed("an explosion in a fluid").hint("move it farther into the rock"))
    }

    /// The quantities sampled at each receiver (motion, gradient or both), and the motion of the points of fibres.
    fn probes(&mut self) -> Result<Vec<Probe>, Error> {
        let kinds = probe_kinds(&self.setup.quantities);
        let mut probes = Vec::with_capacity(self.setup.receivers.len() * kinds.len());
        for receiver in &self.setup.receivers {
            let (code, position) = (receiver.code(), receiver.position());
            let place = self.receiver(receiver)?;
            let of_pressure = match pressure_side(self.setup, position) {
                Some(above) => self.locate(&code, above)?,
                None => place,
            };
            let of_kind = |&gradient: &bool| {
                let Location { element, xi } = if gradient { of_pressure } else { place };
                Probe { element, xi, gradient }
            };
            probes.extend(kinds.iter().map(of_kind));
        }
        for point in fibre_points(self.setup) {
            let Location { element, xi } = self.receiver(point)?;
            probes.push(Probe { element, xi, gradient: false });
        }
        Ok(probes)
    }

    /// The point of the mesh at a receiver.
    fn receiver(&mut self, receiver: &Receiver) -> Result<Location, Error> {
        match receiver.is_on_surface() {
            true => self.on_surface(&receiver.code(), receiver.position()),
            false => self.locate(&receiver.code(), receiver.position()),
        }
    }

    /// The point of the mesh at a position [m], at the same depth below the top of the mesh as below the ground, and in the same region.
    fn locate(&mut self, name: &str, position: [f64; 3]) -> Result<Location, Error> {
        let [x, y, z] = position;
        // Within round-off of an interface, the region below it.
        let region = self.setup.model.region_at([x, y, z - ROUND_OFF]);
        let shift = self.ground.shift(position, region);
        let (place, further) = self.ground.in_region([x, y, z + shift], region).unzip();
        let shift = shift + further.unwrap_or(0.0);
        self.moved.add(name, shift.abs(), self.ground.negligible(position, region));
        place.ok_or_else(|| self.outside(name, position))
    }

    /// The point of the top of the mesh at x, y of a position [m] on the ground.
    fn on_surface(&mut self, name: &str, position: [f64; 3]) -> Result<Location, Error> {
        let [x, y, z] = position;
        let place = self.ground.top(position).ok_or_else(|| self.outside(name, position))?;
        let region = self.setup.model.region_at([x, y, z - ROUND_OFF]);
        let shift = self.ground.shift_of_top(position, &place);
        self.moved.add(name, shift.abs(), self.ground.negligible(position, region));
        Ok(place)
    }

    fn outside(&self, name: &str, position: [f64; 3]) -> Error {
        let limits = [self.setup.x, self.setup.y, self.setup.z];
        let is_in_domain = (0..3).all(|axis| (limits[axis][0]..=limits[axis][1]).contains(&position[axis]));
        if is_in_domain && self.setup.elements_across_layers_inside() != [0; 6] {
            return Error::InLayer { name: name.to_owned(), position };
        }
        let place = format_position(&self.setup.frame, position);
        Error::NotInMesh { name: name.to_owned(), place }
    }
}

/// The position in the water just above a receiver at a position [m] on the sea bottom, if pressure is recorded: that of the water. Motion is that of the
/// rock below.
fn pressure_side(setup: &Setup, [x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
    let model = &setup.model;
    let is_fluid = |z: f64| model.medium(model.region_at([x, y, z]), [x, y, z]).is_fluid();
    let is_bottom =
        z + ROUND_OFF < model.surface().elevation(x, y) && is_fluid(z + ROUND_OFF) && !is_fluid(z - ROUND_OFF);
    (is_bottom && setup.quantities.contains(&Quantity::Pressure)).then_some([x, y, z + 3.0 * ROUND_OFF])
}

/// The points of all faults, each with its fault.
pub fn fault_points(setup: &Setup) -> impl Iterator<Item = (&Fault, &FaultPoint)> {
    setup.faults.iter().flat_map(|fault| fault.points.iter().map(move |point| (fault, point)))
}

/// The transform of slip rates for a run.
///
/// # Errors
/// A time step that is not positive.
pub fn slip_forward(setup: &Setup, axis: &TimeAxis) -> Result<SlipForward, Error> {
    Ok(SlipForward::new(axis.dt, setup.method.max_frequency(), axis.corrected)?)
}

/// The slip of a point of a fault [cm] in each step.
///
/// # Errors
/// A slip rate that is not finite.
pub fn slip_history(slip: &SlipForward, fault: &Fault, point: &FaultPoint, axis: &TimeAxis) -> Result<History, Error> {
    let (first, mut values) = slip.integral(&fault.rate(point, axis.start))?;
    if axis.fourth_order {
        values = with_curvature(&values);
    }
    let before = usize::try_from(-first).unwrap_or(0).min(values.len() - 1);
    values.drain(..before);
    values.truncate((axis.total() as i64 - first - before as i64).max(1) as usize);
    Ok(History::new((first + before as i64).max(0) as usize, values))
}

/// The amplitude of each source at each step.
///
/// # Errors
/// A time function that is not finite.
pub fn histories(setup: &Setup, axis: &TimeAxis) -> Result<Vec<Vec<f64>>, Error> {
    let forward = Forward::new(axis.total() as usize, axis.dt)?;
    Ok(setup.sources.iter().map(|source| history(source, axis, &forward)).collect::<Result<_, _>>()?)
}

/// The amplitude of a source at each step, with the correction of time dispersion if requested.
fn history(source: &Source, axis: &TimeAxis, forward: &Forward) -> Result<Vec<f64>, NumericsError> {
    let time = |after_start: f64| axis.start + after_start;
    let at = |step: u64| source.history(time(step as f64 * axis.dt));
    if axis.fourth_order {
        // One more value before and after.
        let values: Vec<f64> =
            std::iter::once(source.history(time(-axis.dt))).chain((0..=axis.total()).map(at)).collect();
        return Ok(with_curvature(&values)[1..=axis.total() as usize].to_vec());
    }
    if !axis.corrected {
        return Ok((0..axis.total()).map(at).collect());
    }
    if has_rate_alone(source) {
        forward.integral(|t| source.rate_history(time(t)))
    } else {
        forward.samples(|t| source.history(time(t)), Stagger::Whole)
    }
}

/// Adds dt²/12 of the second derivative to a function of time, as a scheme of fourth order needs its source. The first and the last value stay.
fn with_curvature(values: &[f64]) -> Vec<f64> {
    let inner = values.windows(3).map(|near| (near[0] + 10.0 * near[1] + near[2]) / 12.0);
    values
        .first()
        .copied()
        .into_iter()
        .chain(inner)
        .chain(values.last().copied().filter(|_| values.len() > 1))
        .collect()
}

/// Whether the transform applies to the rate of a source: a source that does not return to zero has no spectrum, but
/// its rate has.
pub fn has_rate_alone(source: &Source) -> bool {
    source.describes() == Describes::Rate || source.time_function().final_value() != 0.0
}

/// The points of all fibres, in order.
pub fn fibre_points(setup: &Setup) -> impl Iterator<Item = &Receiver> {
    setup.fibres.iter().flat_map(|fibre| &fibre.points)
}

/// Numbers sampled in each step: those of each receiver, then three of each point of a fibre.
pub fn channels(setup: &Setup) -> usize {
    let of_receiver: usize = probe_kinds(&setup.quantities).iter().map(|&gradient| if gradient { 9 } else { 3 }).sum();
    of_receiver * setup.receivers.len() + 3 * fibre_points(setup).count()
}

/// The probes of each receiver: `false` for motion, `true` for its gradient.
pub fn probe_kinds(quantities: &[Quantity]) -> Vec<bool> {
    let motion = quantities.iter().any(|quantity| !quantity.is_of_gradient()).then_some(false);
    let gradient = quantities.iter().any(|quantity| quantity.is_of_gradient()).then_some(true);
    motion.into_iter().chain(gradient).collect()
}

#[cfg(test)]
mod tests;
