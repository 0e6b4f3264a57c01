//! The plan of a mesh with the levels of local time steps, and its parts.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_mesh::HexMesh;
use craton_sem::{Boundaries, Levels, Order, OwnTiles, Parts, Patching, Plan, Rheologies};

use super::element_memory::parts_here;
use super::prepare::Case;
use super::running_solver::Scalar;
use super::sem_parts::cut;
use crate::comm::together;
use crate::device::Device;
use crate::error::Error;
use crate::meshing::Slices;

/// The elements that a process meshes, with their layers.
pub struct PlannedMesh<'a> {
    pub mesh: HexMesh,
    pub boundaries: Boundaries,
    pub rheologies: Rheologies,
    /// The tiles of this process.
    pub tiles: OwnTiles<'a>,
    /// The division of the whole mesh, if this process has a slice of it.
    pub slices: Option<&'a Slices>,
}

/// A plan that is divided into parts.
pub struct DividedPlan {
    pub plan: Arc<Plan>,
    /// The levels of local time steps.
    pub levels: Option<Levels>,
    pub parts: Parts,
}

impl DividedPlan {
    /// Plans a mesh and divides it into parts; `None` on all ranks if the parts of slices have too different work on the levels of local time steps. Every rank
    /// must call this function.
    ///
    /// # Errors
    /// An invalid mesh, more parts than patches, a rank that is lost.
    pub fn new<T: Scalar>(case: &Case, of: PlannedMesh, workers: &Workers) -> Result<Option<Self>, Error> {
        let slices = of.slices;
        let all = slices.map_or(of.mesh.n_elements(), |slices| slices.elements_of_whole);
        let count = parts_here(case, all) * case.ranks.count();
        let divide = || {
            let Some((plan, levels)) = workers.run(|| planned::<T>(case, of, workers))? else { return Ok(None) };
            let parts = cut(&plan, count, case.setup, case.partitioner, slices)?;
            Ok(Some(Self { plan, levels, parts }))
        };
        together(&**case.ranks, divide())
    }

    /// Whether the scheme is of fourth order in time.
    pub fn is_fourth_order(&self) -> bool {
        self.levels.as_ref().is_some_and(|levels| levels.order() == Order::Fourth)
    }
}

/// The plan of a mesh, and the levels of its time steps.
type PlanWithLevels = (Arc<Plan>, Option<Levels>);

/// Plans a mesh; `None` if slices are not balanced.
fn planned<T: Scalar>(case: &Case, of: PlannedMesh, workers: &Workers) -> Result<Option<PlanWithLevels>, Error> {
    let PlannedMesh { mesh, boundaries, rheologies, tiles, slices } = of;
    let (model, method) = (&case.setup.model, case.setup.method.sem());
    let levels = match method.local_time_steps {
        true => Levels::of_model::<T>(&mesh, method.degree, model, &rheologies, Isa::detect(), tiles, workers)?,
        false => None,
    };
    if let (Some(levels), Some(slices)) = (&levels, slices) {
        let part_of_tile = |tile: u32| slices.part_of_tile[tile as usize];
        let imbalance = levels.imbalance_of_tiles(&mesh, tiles, slices.parts, part_of_tile)?;
        if imbalance > slices.most_imbalance(case.ranks.count()) {
            return Ok(None);
        }
    }
    let rheologies = rheologies.with_levels(levels.clone());
    let plan = Plan::new(mesh, method.degree, boundaries, patching::<T>(case.device, method.degree), &rheologies)?;
    Ok(Some((Arc::new(plan), levels)))
}

/// Patch size for a device.
fn patching<T: Scalar>(device: &Device, degree: usize) -> Patching {
    match device {
        Device::Cpu { .. } => Patching::Threads,
        Device::Gpus { .. } => Patching::for_gpu::<T>(degree),
    }
}
