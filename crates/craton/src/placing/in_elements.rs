//! The sources and receivers of a scenario in the elements of all processes.
//!
//! Each process locates the points in its own elements ([`Placing`]), and then all agree on the process of each point ([`Owner`]).

use std::borrow::Cow;
use std::iter::zip;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use craton_acquisition::{Mechanism, Receiver, Source};
use craton_mesh::{HexMesh, Location, Locator};
use craton_sem::{Channels, Plan, PointSource, Probe, SourceMechanism, Team};
use rayon::prelude::*;

use super::ground::Ground;
use super::moved::{Moved, ROUND_OFF};
use super::{fault_points, fibre_points, histories, pressure_side, probe_kinds, slip_forward, slip_history};
use crate::comm::Ranks;
use crate::error::{Error, Problem};
use crate::format_position::format_position;
use crate::meshing::locator;
use crate::setup::{Fault, FaultPoint, Setup};
use crate::time_axis::TimeAxis;

/// Sources and receivers inside elements.
pub struct PointsInElements {
    /// The sources in elements of this process.
    pub sources: Vec<PointSource>,
    /// The sampled points in elements of this process.
    pub probes: Vec<Probe>,
    /// The channels of the sampled points of all processes.
    pub channels: Channels,
    /// Region of the element of each receiver, and the centre of the element [m]; of the element of its gradient, if that is recorded.
    pub media: Vec<(usize, [f64; 3])>,
}

impl PointsInElements {
    /// Locates all sources and receivers of a scenario in elements; also returns warnings about those that the mesh moves. Every rank must call it.
    ///
    /// # Errors
    /// A source or receiver that is in no element.
    pub fn new(setup: &Setup, plan: &Plan, team: &Team, axis: &TimeAxis) -> Result<(Self, Vec<String>), Error> {
        let ranks = &**team.ranks();
        let wanted = Wanted::of(setup, axis.end);
        let part_of = |element: u32| team.parts().of_element(plan, element);
        let is_own = |element: u32| team.own().contains(&part_of(element));
        let locator = locator(plan.mesh(), &setup.frame);
        let mut placing = Placing::new(setup, &locator, &is_own);
        let found = wanted.located(&mut placing);
        let owner = |(point, place): (usize, &Option<Location>)| {
            place.map(|Location { element, .. }| Owner {
                point: point as u32,
                part: part_of(element) as u32,
                region: u64::from(plan.mesh().region[element as usize]),
                centre: plan.mesh().position(element, [0.0; 3]),
            })
        };
        let owners = owners(ranks, wanted.points.len(), found.iter().enumerate().filter_map(owner))?;
        let owners = zip(&wanted.points, owners).map(|(point, owner)| owner.ok_or_else(|| placing.outside(point)));
        let owners: Vec<Owner> = owners.collect::<Result<_, Error>>()?;
        // A point between two processes is in an element of only one of them.
        let here = |point: usize| found[point].filter(|_| team.own().contains(&(owners[point].part as usize)));
        let moved = placing.moved.of_all(ranks)?;
        let sources = placing.sources(&wanted, axis, here)?;
        let (mut probes, mut of_all, mut media) = (Vec::new(), Vec::new(), Vec::new());
        for (point, gradient) in wanted.probes(setup) {
            let place = here(point).map(|Location { element, xi }| Probe { element, xi, gradient });
            probes.extend(place);
            of_all.push((owners[point].part as usize, Probe::channels_of(gradient)));
        }
        for (point, _) in wanted.last_of_receivers(setup) {
            media.push((owners[point].region as usize, owners[point].centre));
        }
        let channels = Channels::of_owners(team.parts().count(), of_all);
        let what = "moves with the ground or interface, which the mesh only approximates,";
        let cure = "Smaller elements (method.sem.element_size) follow them more closely";
        Ok((Self { sources, probes, channels, media }, moved.warning(what, cure).into_iter().collect()))
    }
}

/// The elements that contain the sources and receivers of a scenario, each once. Those that are in none are left out.
///
/// # Arguments
/// * `is_own` – whether the elements around an element are known
pub fn elements_with_points(setup: &Setup, mesh: &HexMesh, is_own: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let locator = locator(mesh, &setup.frame);
    let found = Wanted::of(setup, setup.end).located(&mut Placing::new(setup, &locator, is_own));
    let mut elements: Vec<u32> = found.into_iter().flatten().map(|place| place.element).collect();
    elements.sort_unstable();
    elements.dedup();
    elements
}

/// The part that contains a point, and the element there.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Owner {
    point: u32,
    part: u32,
    region: u64,
    /// Centre of the element [m].
    centre: [f64; 3],
}

/// The owner of each of some points, the first rank that has found it.
fn owners(ranks: &dyn Ranks, points: usize, own: impl Iterator<Item = Owner>) -> Result<Vec<Option<Owner>>, Error> {
    let own: Vec<Owner> = own.collect();
    let mut owners = vec![None; points];
    for bytes in ranks.all_gather(bytemuck::cast_slice(&own))? {
        for owner in bytemuck::pod_collect_to_vec::<u8, Owner>(&bytes) {
            owners[owner.point as usize].get_or_insert(owner);
        }
    }
    Ok(owners)
}

/// A point that is located in the mesh.
struct Point<'a> {
    name: Cow<'a, str>,
    /// Its position [m].
    position: [f64; 3],
    is_on_surface: bool,
}

impl<'a> Point<'a> {
    fn of(name: impl Into<Cow<'a, str>>, position: [f64; 3]) -> Self {
        Self { name: name.into(), position, is_on_surface: false }
    }

    fn of_receiver(receiver: &Receiver) -> Self {
        Self { is_on_surface: receiver.is_on_surface(), ..Self::of(receiver.code(), receiver.position()) }
    }
}

/// All points of a scenario that are located in the mesh.
struct Wanted<'a> {
    /// Sources, points of faults, receivers, positions of pressure, and points of fibres.
    points: Vec<Point<'a>>,
    /// The points of faults that act during the run.
    faults: Vec<(&'a Fault, &'a FaultPoint)>,
    receivers: Range<usize>,
    /// Point of the pressure of each receiver that has one of its own.
    sides: Vec<Option<usize>>,
    fibres: Range<usize>,
}

impl<'a> Wanted<'a> {
    /// # Arguments
    /// * `end` – end of the run [s]
    fn of(setup: &'a Setup, end: f64) -> Self {
        let mut points: Vec<Point> =
            setup.sources.iter().map(|source| Point::of(source.name(), source.position())).collect();
        let faults: Vec<_> = fault_points(setup).filter(|(_, point)| point.onset() < end).collect();
        points.extend(faults.iter().map(|(fault, point)| Point::of(&*fault.name, point.position)));
        let receivers = points.len()..points.len() + setup.receivers.len();
        points.extend(setup.receivers.iter().map(Point::of_receiver));
        let side = |receiver: &Receiver| {
            let above = pressure_side(setup, receiver.position())?;
            points.push(Point::of(receiver.code(), above));
            Some(points.len() - 1)
        };
        let sides = setup.receivers.iter().map(side).collect();
        let fibres = points.len()..points.len() + fibre_points(setup).count();
        points.extend(fibre_points(setup).map(Point::of_receiver));
        Self { points, faults, receivers, sides, fibres }
    }

    /// The places of the points in elements of this process.
    fn located(&self, placing: &mut Placing) -> Vec<Option<Location>> {
        let place = |point: &Point| match point.is_on_surface {
            true => placing.on_surface(&point.name, point.position),
            false => placing.locate(&point.name, point.position),
        };
        self.points.iter().map(place).collect()
    }

    /// The point of each probe, and whether it samples the gradient: motion, gradient or both at each receiver, and motion on fibres.
    fn probes(&self, setup: &Setup) -> impl Iterator<Item = (usize, bool)> {
        let kinds = probe_kinds(&setup.quantities);
        let of_receiver = move |(receiver, side): (usize, &Option<usize>)| {
            let (motion, pressure) = (self.receivers.start + receiver, *side);
            let point = move |gradient: bool| if gradient { pressure.unwrap_or(motion) } else { motion };
            kinds.clone().into_iter().map(move |gradient| (point(gradient), gradient))
        };
        let of_receivers = self.sides.iter().enumerate().flat_map(of_receiver);
        of_receivers.chain(self.fibres.clone().map(|point| (point, false)))
    }

    /// The last probe of each receiver. Pressure and strain are those of its element.
    fn last_of_receivers(&self, setup: &Setup) -> impl Iterator<Item = (usize, bool)> {
        let kinds = probe_kinds(&setup.quantities).len();
        let of_receivers = self.probes(setup).take(kinds * self.receivers.len());
        of_receivers.skip(kinds.saturating_sub(1)).step_by(kinds.max(1))
    }
}

/// The location of sources and receivers of a scenario in the elements of this process.
pub(super) struct Placing<'a> {
    setup: &'a Setup,
    ground: Ground<'a>,
    /// Whether this process has an element.
    is_own: &'a dyn Fn(u32) -> bool,
    pub(super) moved: Moved,
}

impl<'a> Placing<'a> {
    pub(super) fn new(setup: &'a Setup, locator: &'a Locator<&'a HexMesh>, is_own: &'a dyn Fn(u32) -> bool) -> Self {
        Self { setup, ground: Ground::new(setup, locator), is_own, moved: Moved::default() }
    }

    /// The sources in elements of this process, including their time functions: point sources, and the points of faults that act during the run.
    fn sources(
        &self,
        wanted: &Wanted,
        axis: &TimeAxis,
        here: impl Fn(usize) -> Option<Location>,
    ) -> Result<Vec<PointSource>, Error> {
        let mut placed = Vec::new();
        for ((point, source), history) in self.setup.sources.iter().enumerate().zip(histories(self.setup, axis)?) {
            let [x, y, _] = source.position();
            let Some(Location { element, xi }) = here(point) else { continue };
            let mechanism = (&source.mechanism().along(&self.setup.frame.axes_at([x, y]))).into();
            if let Some(problem) = self.unfit(source, element, mechanism) {
                return Err(Error::OfKey(Box::new(problem)));
            }
            placed.push(PointSource { element, xi, mechanism, history: history.into() });
        }
        let slip = slip_forward(self.setup, axis)?;
        let places: Vec<_> = (0..wanted.faults.len()).map(|number| here(self.setup.sources.len() + number)).collect();
        let of_faults = wanted.faults.par_iter().zip(places).filter_map(|(of_fault, place)| Some((of_fault, place?)));
        let source = |(&(fault, point), Location { element, xi }): (&(&Fault, &FaultPoint), Location)| {
            let [x, y, _] = point.position;
            let moment = Mechanism::Moment(point.moment).along(&self.setup.frame.axes_at([x, y]));
            let history = slip_history(&slip, fault, point, axis)?;
            Ok(PointSource { element, xi, mechanism: SourceMechanism::from(&moment), history })
        };
        placed.extend(of_faults.map(source).collect::<Result<Vec<_>, Error>>()?);
        Ok(placed)
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

    /// The point of the mesh at a position [m], at the same depth below the top of the mesh as below the ground, and in the same region; `None` in elements of
    /// other processes.
    pub(super) fn locate(&mut self, name: &str, position: [f64; 3]) -> Option<Location> {
        let [x, y, z] = position;
        // Within round-off of an interface, the region below it.
        let region = self.setup.model.region_at([x, y, z - ROUND_OFF]);
        let shift = self.ground.shift(position, region);
        let (place, further) = self.ground.in_region([x, y, z + shift], region)?;
        if !(self.is_own)(place.element) {
            return None;
        }
        self.moved.add(name, (shift + further).abs(), self.ground.negligible(position, region));
        Some(place)
    }

    /// The point of the top of the mesh at x, y of a position [m] on the ground; `None` in elements of other processes.
    pub(super) fn on_surface(&mut self, name: &str, position: [f64; 3]) -> Option<Location> {
        let [x, y, z] = position;
        let place = self.ground.top(position).filter(|place| (self.is_own)(place.element))?;
        let region = self.setup.model.region_at([x, y, z - ROUND_OFF]);
        let shift = self.ground.shift_of_top(position, &place);
        self.moved.add(name, shift.abs(), self.ground.negligible(position, region));
        Some(place)
    }

    /// The error of a point in no element.
    fn outside(&self, Point { name, position, .. }: &Point) -> Error {
        let limits = [self.setup.x, self.setup.y, self.setup.z];
        let is_in_domain = (0..3).all(|axis| (limits[axis][0]..=limits[axis][1]).contains(&position[axis]));
        if is_in_domain && self.setup.elements_across_layers_inside() != [0; 6] {
            return Error::InLayer { name: name.to_string(), position: *position };
        }
        let place = format_position(&self.setup.frame, *position);
        Error::NotInMesh { name: name.to_string(), place }
    }
}
