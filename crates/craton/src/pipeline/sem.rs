//! Spectral elements: the mesh, its parts, and its transfer to the devices.

use std::sync::Arc;

use craton_acquisition::Receiver;
use craton_device::{Isa, Workers};
use craton_mesh::{HexMesh, QualityReport};
use craton_model::Interface;
use craton_model::geodesy::LocalFrame;
use craton_run::{Bytes, Room, RunError};
use craton_sem::{
    Boundaries, Discretisation, OwnTiles, Plan, PmlProfile, Seen, SolverPrecision, StableStep, Task, Team,
};

use super::element_memory::{memory_of_element, memory_of_elements, mesh_memory, parts_here};
use super::layers::{Layered, Layers, memory_per_axis};
use super::prepare::{
    Case, DiscreteEarth, Discretised, Limit, PROGRAM, Placed, PlacementReport, Preflight, Staging, disk,
    memory_of_steps, time_axis,
};
use super::rheologies;
use super::running_solver::{RunningSolver, Scalar, Started};
use super::sem_plan::{DividedPlan, PlannedMesh};
use super::sem_preview;
use super::time_levels::TimeLevels;
use super::too_large::{too_many, too_slow};
use super::whole_mesh::{self, Counts, MeshWarning, Topic};
use crate::comm::together;
use crate::config::Partition;
use crate::device::{Device, DeviceMemory};
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::format_position::format_position_in_space;
use crate::meshing::{
    self, Pieces, PlannedElements, ProcessMesh, Processes, Resolution, Sampled, fewest_elements, points_per_wavelength,
};
use crate::placing::PointsInElements;
use crate::setup::Setup;
use crate::snapshots::{self, Needs};
use crate::surface_fit::SurfaceMisfit;
use crate::thin_elements;
use crate::time_axis::TimeAxis;

/// Discretised elements of the parts of this process.
struct Elements<T: Scalar> {
    /// The parts; at least one.
    parts: Vec<Discretisation<T>>,
    /// All parts of the run.
    team: Team,
    /// What this process shows, if it is the first one and has a slice of the mesh.
    seen: Option<Seen>,
}

/// A discretised mesh with its sources and receivers.
struct PlacedElements<T: Scalar> {
    elements: Elements<T>,
    points: PointsInElements,
}

/// Meshes and discretises the Earth model.
///
/// # Errors
/// Insufficient memory, here or on the device; a model that cannot be meshed or numbered; an unstable time step.
///
/// Verified by `levels_in_a_corner_need_the_whole_mesh`.
pub fn prepare<T: Scalar>(case: &Case, staging: &mut Staging, workers: &Workers) -> Result<DiscreteEarth, Error> {
    let mut in_slices = case.setup.partition == Partition::Regular;
    loop {
        let meshed = staging.time("mesh", || {
            let memory = [PROGRAM, memory_of_element::<T>(case)];
            workers.run(|| mesh::<T>(case, in_slices)).map_err(|error| explained(error, case.setup, memory))
        })?;
        let discretised = staging.time("elements", || match meshed {
            Meshed::OfProcess(mesh) => discretise::<T>(case, *mesh, workers),
            Meshed::Pieces(pieces) => sem_preview::sampled::<T>(case, *pieces, workers).map(Some),
        })?;
        match discretised {
            Some(earth) => return Ok(earth),
            None => in_slices = false,
        }
    }
}

/// The elements that a process meshes.
enum Meshed {
    /// Those that it needs to compute its own.
    OfProcess(Box<ProcessMesh>),
    /// For the preview of many elements, pieces of the mesh.
    Pieces(Box<Pieces>),
}

/// A mesh that has been checked: its parts can be discretised.
struct Checked {
    mesh: HexMesh,
    boundaries: Boundaries,
    profile: Option<PmlProfile>,
    /// Number of elements of the layers of all processes.
    in_layers: usize,
    snapshots: Needs,
    /// Points per wavelength of each element of the domain.
    points: Vec<f64>,
    /// The worst resolution of the mesh of this process.
    resolution: Resolution,
    quality: QualityReport,
    device_memory: Option<DeviceMemory>,
    /// Memory of the elements [bytes].
    memory: u64,
    warnings: Vec<MeshWarning>,
}

/// Checks the mesh of this process and the memory of its run.
fn check<T: Scalar>(
    case: &Case,
    of_process: ProcessMesh,
    layered: Layered,
    workers: &Workers,
) -> Result<Checked, Error> {
    let ProcessMesh { mesh, quality, slices } = of_process;
    let Layered { layers, mesh: whole, profile, elements: in_layers, axes } = layered;
    let setup = case.setup;
    let (snapshots, surfaces) = workers.run(|| needs(setup, &mesh, slices.is_some()));
    let here = whole.as_ref().unwrap_or(&mesh).n_elements();
    let all = slices.as_ref().map_or(here, |slices| slices.elements_of_whole);
    let filters = (axes * memory_per_axis(case.setup)) as f64;
    let (device_memory, memory) = required::<T>(case, &snapshots, [all, here], filters, workers)?;
    let points = workers.run(|| points_per_wavelength(&mesh, &quality, setup));
    let resolution = workers.run(|| Resolution::new(&mesh, &quality, setup, &points));
    let thin = workers.run(|| thin_elements::warning(setup, &mesh, &quality));
    let warnings = mesh_warnings(thin, &layers, &surfaces);
    let mesh = whole.unwrap_or(mesh);
    let boundaries = layers.boundaries(setup);
    Ok(Checked {
        mesh,
        boundaries,
        profile,
        in_layers,
        snapshots,
        points,
        resolution,
        quality,
        device_memory,
        memory,
        warnings,
    })
}

/// The warnings about the mesh of this process.
fn mesh_warnings(thin: Option<(f64, String)>, layers: &Layers, surfaces: &[SurfaceMisfit]) -> Vec<MeshWarning> {
    let thin = thin.map(|(severity, text)| MeshWarning { about: Topic::ThinElements, severity, text });
    let layers = layers.warning().map(|text| MeshWarning { about: Topic::Layers, severity: 0.0, text });
    let of_surface = |surface: &SurfaceMisfit| {
        // JSON has no infinity.
        let (about, severity) = (Topic::Surface(surface.region), surface.wavelengths.min(f64::MAX));
        Some(MeshWarning { about, severity, text: surface.warning()? })
    };
    thin.into_iter().chain(layers).chain(surfaces.iter().filter_map(of_surface)).collect()
}

/// Memory of the devices, and of this machine without that of the samples [bytes], after a check that both are available.
///
/// # Arguments
/// * `all`, `here` – number of elements of the whole mesh, and of that of this process
/// * `filters` – memory variables of absorbing layers
pub(super) fn required<T: Scalar>(
    case: &Case,
    snapshots: &Needs,
    [all, here]: [usize; 2],
    filters: f64,
    workers: &Workers,
) -> Result<(Option<DeviceMemory>, u64), Error> {
    let device_memory = mesh_memory::<T>(case, all, filters)?;
    // Data for a GPU are prepared here first.
    let on_the_way = device_memory.map_or(0, |memory| memory.needed.0 * case.ranks_here as u64);
    let more = snapshots.memory() + snapshots.drawing(workers.threads()) + on_the_way;
    let memory = memory_of_elements::<T>(case, [all, here], filters) + more;
    require_run(case, Bytes(memory), all)?;
    Ok((device_memory, memory))
}

/// Discretises a scenario on the meshes of all processes, and determines the time step; `None` if the levels of local time steps need the division of the whole
/// mesh.
fn discretise<T: Scalar>(case: &Case, mesh: ProcessMesh, workers: &Workers) -> Result<Option<DiscreteEarth>, Error> {
    let Case { setup, device, ranks, room, dt, .. } = *case;
    let slices = mesh.slices.clone();
    let is_own = slices.as_ref().map(|slices| |tile: u32| slices.rank_of(tile, ranks.count()) == ranks.rank());
    let tiles = OwnTiles { ranks: &**ranks, is_own: is_own.as_ref().map(|is_own| is_own as _) };
    let layered = Layered::new(setup, &mesh.mesh, tiles, workers)?;
    let checked = together(&**ranks, check::<T>(case, mesh, layered, workers))?;
    let Checked { mesh, boundaries, mut snapshots, points, resolution, quality, mut memory, .. } = checked;
    let (resolution, least_scaled_jacobian) = whole_mesh::worst(&**ranks, resolution, &quality)?;
    let of_meshes = whole_mesh::warnings(&**ranks, &checked.warnings)?;
    let warnings = resolution.warning(setup).into_iter().chain(of_meshes).collect();
    let rheologies = workers.run(|| rheologies::of_mesh(setup, &mesh, &points, tiles))?.with_pml(checked.profile);
    let all = slices.as_ref().map_or(mesh.n_elements(), |slices| slices.elements_of_whole);
    let mesh = PlannedMesh { mesh, boundaries, rheologies, tiles, slices: slices.as_ref() };
    let Some(divided) = DividedPlan::new::<T>(case, mesh, workers)? else { return Ok(None) };
    let is_fourth_order = divided.is_fourth_order();
    let DividedPlan { plan, levels, parts } = divided;
    let team = Team::new(parts, Arc::clone(ranks)).in_place(device.skips_host());
    let seen = if slices.is_some() { seen(case, &plan, &team, memory)? } else { None };
    if let Some(seen) = &seen {
        snapshots = Needs::of_elements(setup, &meshing::straight(seen.mesh(), &setup.frame));
        memory += snapshots.memory() + snapshots.drawing(workers.threads());
    }
    let parts = T::discretise(&plan, &team, &setup.model, Isa::detect(), workers)?;
    let counts = Counts::new(&plan, &team)?;
    let limit = limit(parts[0].stable(), &setup.frame);
    let (axis, time_step) = time_axis(setup, dt, limit, is_fourth_order)?;
    let memory = Bytes(memory.saturating_add(memory_of_steps::<T>(setup, &axis)));
    room.require(memory)?;
    let preflight = Preflight {
        extent: counts.extent(checked.in_layers, least_scaled_jacobian),
        resolution,
        memory_variables: counts.points_with_memory(),
        levels: levels.map(|levels| TimeLevels::new(&levels, setup, time_step.dt)),
        time_step,
        time_dispersion: TimeDispersion::new(setup, &axis)?,
        memory,
        disk: Bytes(disk::<T>(setup, &axis, state_bytes::<T>(&counts)).saturating_add(snapshots.disk(&axis))),
        snapshots: snapshots.writing(&axis, workers.threads()),
        device: device.name_on_ranks(workers, parts_here(case, all), ranks.count()),
        device_memory: checked.device_memory,
        threads: workers.threads(),
        estimated: Vec::new(),
        warnings,
    };
    Ok(Some(DiscreteEarth { earth: Box::new(Elements { parts, team, seen }), axis, preflight }))
}

/// The elements that the snapshots show, on the first process, after a check of their memory in addition to this one [bytes].
fn seen(case: &Case, plan: &Plan, team: &Team, memory: u64) -> Result<Option<Seen>, Error> {
    let Case { setup, ranks, room, .. } = *case;
    let is_own = |element: u32| team.own().contains(&team.parts().of_element(plan, element));
    let elements = snapshots::seen(setup, plan.mesh(), is_own);
    let count = ranks.sums(&[elements.len() as f64])?[0];
    // Their nodes are numbered; their control nodes are kept several times on the way.
    let of_element = 4 * plan.gll().points.len().pow(3) + 150 * plan.mesh().geometry.per_element();
    let needed = memory.saturating_add((count * of_element as f64) as u64);
    let fits = if ranks.is_root() { room.require(Bytes(needed)) } else { Ok(()) };
    together(&**ranks, fits.map_err(Error::from))?;
    together(&**ranks, Seen::gather(plan, team, |element| elements.contains(&element)).map_err(Error::from))
}

/// Largest number of values of a node in a checkpoint, on average: displacement and velocity, of nodes between tiles for each of these.
pub(super) const VALUES_OF_NODE: f64 = 6.0 * 1.3;

/// Size of the state in a checkpoint [bytes].
fn state_bytes<T: Scalar>(counts: &Counts) -> f64 {
    size_of::<T>() as f64 * (VALUES_OF_NODE * counts.nodes as f64 + counts.memory_variables as f64)
}

/// Refuses a run that needs more memory than is available, with the frequency that fits.
fn require_run(case: &Case, memory: Bytes, elements: usize) -> Result<(), Error> {
    case.room.require(memory).map_err(|error| {
        let share = case.room.available().map_or(1.0, |available| available.bytes.0 as f64 / memory.0 as f64);
        too_many(error, case.setup, share * elements as f64)
    })
}

/// Requirements of snapshots, which are not known in a slice of the mesh, and accuracy of surfaces: both need the mesh in model coordinates, a copy that is
/// built on demand.
pub(super) fn needs(setup: &Setup, mesh: &HexMesh, is_slice: bool) -> (Needs, Vec<SurfaceMisfit>) {
    let has_grids = setup.model.regions().iter().any(|region| matches!(region.top, Interface::Grid(_)));
    if setup.output.snapshots.is_empty() && !has_grids {
        return (Needs::default(), Vec::new());
    }
    let straight = meshing::straight(mesh, &setup.frame);
    let snapshots = if is_slice { Needs::default() } else { Needs::of_elements(setup, &straight) };
    (snapshots, SurfaceMisfit::of_all(setup, &straight))
}

impl<T: Scalar> Discretised for Elements<T> {
    fn place(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error> {
        let (points, warnings) = PointsInElements::new(setup, self.parts[0].plan(), &self.team, axis)?;
        let medium = |(receiver, &(region, centre)): (&Receiver, &(usize, [f64; 3]))| {
            let by_element = setup.model.is_by_element(region);
            setup.model.medium(region, if by_element { centre } else { receiver.position() })
        };
        let media = setup.receivers.iter().zip(&points.media).map(medium).collect();
        let placed = PlacedElements { elements: *self, points };
        Ok((Box::new(placed), PlacementReport { media, warnings }))
    }
}

impl<T: Scalar> Placed for PlacedElements<T> {
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error> {
        let Self { elements: Elements { parts, team, seen }, points } = *self;
        let PointsInElements { sources, probes, channels, .. } = points;
        let task = Task { team, dt: axis.dt, sources: &sources, probes: &probes, channels, seen, workers };
        let solver = RunningSolver::<T>::Sem(match device {
            Device::Cpu { .. } => SolverPrecision::cpu_solver(parts, task),
            Device::Gpus { gpus, .. } => SolverPrecision::gpu_solver(gpus, parts, task)?,
        });
        Ok(Box::new(solver))
    }
}

/// The largest stable time step and its limit.
pub(super) fn limit(stable: &StableStep, frame: &LocalFrame) -> Limit {
    let place = format_position_in_space(frame, stable.centre);
    Limit { dt: stable.dt, cause: format!("the element near {place}") }
}

/// The mesh of a scenario, after a check of the memory of its run.
///
/// # Arguments
/// * `in_slices` – whether processes mesh slices of the domain
/// # Errors
/// Insufficient memory, here or on the device; a model that cannot be meshed.
fn mesh<T: Scalar>(case: &Case, in_slices: bool) -> Result<Meshed, Error> {
    let Case { setup, room, ranks, .. } = *case;
    // Planning far too many elements takes long.
    let fewest = fewest_elements(setup) / ranks.count() as f64;
    room.require(Bytes((PROGRAM as f64 + fewest * memory_of_element::<T>(case) as f64) as u64))?;
    let fits = |planned: PlannedElements| {
        // Most elements of layers have one absorbing axis.
        let filters = (planned.in_layers * memory_per_axis(setup)) as f64;
        mesh_memory::<T>(case, planned.all, filters)?;
        Ok(room.require(Bytes(memory_of_elements::<T>(case, [planned.all, planned.here], 0.0)))?)
    };
    // The levels of local time steps depend on all elements.
    if case.is_preview && !setup.method.sem().local_time_steps {
        return Ok(match meshing::sampled(setup, sem_preview::most_elements(case.device), fits)? {
            Sampled::Whole(whole) => {
                let (mesh, quality) = *whole;
                Meshed::OfProcess(Box::new(ProcessMesh { mesh, quality, slices: None }))
            }
            Sampled::Pieces(pieces) => Meshed::Pieces(pieces),
        });
    }
    let processes = Processes { rank: ranks.rank(), count: ranks.count(), parts: &|all| parts_here(case, all) };
    let processes = in_slices.then_some(processes);
    Ok(Meshed::OfProcess(Box::new(meshing::mesh_of_process(setup, processes, fits)?)))
}

/// The mesh of a scenario for output, after a check of the memory for writing it.
///
/// # Errors
/// Insufficient memory, or a model that cannot be meshed.
pub fn mesh_alone(setup: &Setup, room: &Room) -> Result<(HexMesh, QualityReport), Error> {
    let memory @ [fixed, of_element] = [PROGRAM, 132 + 16 * meshing::geometry(setup).per_element() as u64];
    let of_elements = |elements: f64| Bytes((fixed as f64 + elements * of_element as f64) as u64);
    let meshed = || {
        // Planning far too many elements takes long.
        room.require(of_elements(fewest_elements(setup)))?;
        meshing::mesh(setup, |planned| Ok(room.require(of_elements(planned.all as f64))?))
    };
    meshed().map_err(|error| explained(error, setup, memory))
}

/// Adds the cause, and the frequency that fits, to the error of a mesh that needs too much memory. They are determined after the work of the threads, whose
/// start may need the rest of the memory.
fn explained(error: Error, setup: &Setup, [memory, of_element]: [u64; 2]) -> Error {
    let Error::Run(error @ RunError::TooLittleMemory { available, .. }) = error else { return error };
    let most = available.bytes.0.saturating_sub(memory) as f64 / of_element as f64;
    match fewest_elements(setup) > most {
        true => too_slow(error, setup, most),
        false => too_many(error, setup, most),
    }
}

#[cfg(test)]
#[path = "sem_tests.rs"]
mod tests;
