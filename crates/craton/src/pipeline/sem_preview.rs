//! Previews of large meshes: the time step and the time of a step are those of pieces of the mesh, which is not discretised.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_run::{Bytes, Seconds};
use craton_sem::{Channels, Discretisation, OwnTiles, Rheologies, SolverPrecision, Task, Team};

use super::element_memory::parts_here;
use super::fd_preview::Estimate;
use super::layers::{self, Layers};
use super::prepare::{
    Case, DiscreteEarth, Discretised, Extent, Placed, PlacementReport, Preflight, disk, measured_seconds,
    memory_of_steps, time_axis,
};
use super::rheologies;
use super::running_solver::{RunningSolver, Scalar, Started};
use super::sem::{VALUES_OF_NODE, limit, needs, required};
use super::sem_plan::{DividedPlan, PlannedMesh};
use super::whole_mesh::Counts;
use crate::device::Device;
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::meshing::{Pieces, PlannedElements, Resolution, points_per_wavelength};
use crate::setup::Setup;
use crate::surface_fit::SurfaceMisfit;
use crate::thin_elements;
use crate::time_axis::TimeAxis;

/// Largest number of elements of a mesh that is discretised for a preview, and of the pieces of others: on a CPU, and on each GPU.
pub const MOST_ELEMENTS: [usize; 2] = [20_000, 150_000];
/// Time of a step of an element in a layer over that of another one: on a CPU and on a GPU; see docs/performance.md.
const IN_LAYER: [f64; 2] = [1.3, 2.3];

/// Number of elements up to which a mesh is discretised for a preview.
pub fn most_elements(device: &Device) -> usize {
    match device {
        Device::Cpu { .. } => MOST_ELEMENTS[0],
        Device::Gpus { gpus, .. } => MOST_ELEMENTS[1] * gpus.len(),
    }
}

/// Discretised pieces of a mesh.
struct SampledMesh<T: Scalar> {
    parts: Vec<Discretisation<T>>,
    team: Team,
    /// Elements of the pieces, and of the whole mesh: of the domain, and of its layers.
    of_pieces: usize,
    of_domain: usize,
    in_layers: usize,
}

/// Estimates the time step of a mesh, and discretises its pieces.
///
/// # Errors
/// As [`super::sem::prepare`].
pub fn sampled<T: Scalar>(case: &Case, pieces: Pieces, workers: &Workers) -> Result<DiscreteEarth, Error> {
    let Case { setup, device, ranks, room, dt, .. } = *case;
    let Pieces { planned: elements, faces, mesh, quality, whole, is_exact } = pieces;
    let filters = (elements.in_layers * layers::memory_per_axis(setup)) as f64;
    let (snapshots, surfaces) =
        whole.as_ref().map(|whole| workers.run(|| needs(setup, whole, false))).unwrap_or_default();
    let (device_memory, memory) = required::<T>(case, &snapshots, [elements.all; 2], filters, workers)?;
    let points = workers.run(|| points_per_wavelength(&mesh, &quality, setup));
    let resolution = workers.run(|| Resolution::new(&mesh, &quality, setup, &points));
    let thin = workers.run(|| thin_elements::warning(setup, &mesh, &quality));
    let tiles = OwnTiles { ranks: &**ranks, is_own: None };
    let layers = Layers::new(setup, &mesh, tiles, workers)?;
    let warnings = resolution.warning(setup).into_iter().chain(thin.map(|(_, text)| text)).chain(layers.warning());
    let warnings = warnings.chain(surfaces.iter().filter_map(SurfaceMisfit::warning)).collect();
    let (of_pieces, degree) = (mesh.n_elements(), setup.method.sem().degree);
    let rheologies = rheologies::with_long_elements(Rheologies::new(&setup.model, degree, true), degree, &points);
    let boundaries = layers.boundaries(setup);
    let mesh = PlannedMesh { mesh, boundaries, rheologies, tiles, slices: None };
    let divided = DividedPlan::new::<T>(case, mesh, workers)?;
    let DividedPlan { plan, parts, .. } = divided.expect("only slices can be unbalanced");
    let team = Team::new(parts, Arc::clone(ranks)).in_place(device.skips_host());
    let parts = T::discretise(&plan, &team, &setup.model, Isa::detect(), workers)?;
    let counts = Counts::new(&plan, &team)?;
    let (axis, time_step) = time_axis(setup, dt, limit(parts[0].stable(), &setup.frame), false)?;
    let memory = Bytes(memory.saturating_add(memory_of_steps::<T>(setup, &axis)));
    room.require(memory)?;
    let extent = extent(&elements, faces, degree, quality.scaled_jacobian.min);
    let preflight = Preflight {
        resolution,
        memory_variables: counts.points_with_memory(),
        levels: None,
        time_step,
        time_dispersion: TimeDispersion::new(setup, &axis)?,
        memory,
        disk: Bytes(
            disk::<T>(setup, &axis, state::<T>(&counts, &extent, filters)).saturating_add(snapshots.disk(&axis)),
        ),
        extent,
        snapshots: snapshots.writing(&axis, workers.threads()),
        device: device.name_on_ranks(workers, parts_here(case, elements.all), ranks.count()),
        device_memory,
        threads: workers.threads(),
        estimated: estimated(degree, of_pieces, elements.all, is_exact),
        warnings,
    };
    let (of_domain, in_layers) = (elements.all - elements.in_layers, elements.in_layers);
    let earth = Box::new(SampledMesh { parts, team, of_pieces, of_domain, in_layers });
    Ok(DiscreteEarth { earth, axis, preflight })
}

/// The elements and nodes of a mesh. The number of nodes is exact up to those on the edges of a box.
///
/// # Arguments
/// * `faces` – number of faces of elements on the sides of the domain
fn extent(elements: &PlannedElements, faces: usize, degree: usize, least_scaled_jacobian: f64) -> Extent {
    let PlannedElements { all, in_layers, .. } = *elements;
    let nodes = all * degree.pow(3) + faces * degree.pow(2) / 2;
    Extent::Mesh { elements: all, in_layers, nodes, least_scaled_jacobian }
}

/// Size of the state in a checkpoint [bytes].
///
/// # Arguments
/// * `filters` – memory variables of absorbing layers
fn state<T: Scalar>(of_pieces: &Counts, extent: &Extent, filters: f64) -> f64 {
    let Extent::Mesh { elements, nodes, .. } = *extent else { unreachable!("spectral elements have a mesh") };
    let per_element = of_pieces.memory_variables as f64 / of_pieces.elements as f64;
    size_of::<T>() as f64 * (VALUES_OF_NODE * nodes as f64 + per_element * elements as f64 + filters)
}

/// What is estimated.
fn estimated(degree: usize, of_pieces: usize, all: usize, is_exact: bool) -> Vec<String> {
    let step = if is_exact { "the time of a step" } else { "the time step, the resolution and the time of a step" };
    let nodes = format!("the number of nodes from that of elements of degree {degree}");
    vec![format!("{step} from {of_pieces} of {all} elements"), nodes]
}

impl<T: Scalar> Discretised for SampledMesh<T> {
    fn place(self: Box<Self>, _: &Setup, _: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error> {
        Ok((self, PlacementReport { media: Vec::new(), warnings: Vec::new() }))
    }
}

impl<T: Scalar> Placed for SampledMesh<T> {
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error> {
        let Self { parts, team, of_pieces, of_domain, in_layers } = *self;
        let channels = Channels::of_owners(team.parts().count(), []);
        let task = Task { team, dt: axis.dt, sources: &[], probes: &[], channels, seen: None, workers };
        let (mut solver, in_layer) = match device {
            Device::Cpu { .. } => (RunningSolver::<T>::Sem(SolverPrecision::cpu_solver(parts, task)), IN_LAYER[0]),
            Device::Gpus { gpus, .. } => {
                (RunningSolver::<T>::Sem(SolverPrecision::gpu_solver(gpus, parts, task)?), IN_LAYER[1])
            }
        };
        let measured = measured_seconds(&mut *solver, axis)?.0;
        let elements = of_domain as f64 + in_layer * in_layers as f64;
        Ok(Box::new(Estimate(Seconds(measured / of_pieces as f64 * elements))))
    }
}
