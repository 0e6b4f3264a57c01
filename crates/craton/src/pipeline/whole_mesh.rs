//! Properties of the whole mesh, collected from the meshes of all processes of a run.

use std::collections::BTreeMap;

use craton_mesh::QualityReport;
use craton_sem::{Plan, Relaxation, Team};

use super::prepare::Extent;
use crate::comm::Ranks;
use crate::error::Error;
use crate::meshing::Resolution;

/// The worst resolution and the smallest scaled Jacobian of the meshes of all processes.
///
/// # Errors
/// A rank that is lost.
pub fn worst(ranks: &dyn Ranks, own: Resolution, quality: &QualityReport) -> Result<(Resolution, f64), Error> {
    let Resolution { points_per_wavelength, resolved_frequency, centre: [x, y, z] } = own;
    let own = [points_per_wavelength, resolved_frequency, x, y, z, quality.scaled_jacobian.min];
    let all = ranks.all_gather(bytemuck::cast_slice(&own))?;
    let all: Vec<[f64; 6]> = all.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect();
    let least = |index: usize| all.iter().min_by(|a, b| a[index].total_cmp(&b[index])).expect("a rank");
    let [points_per_wavelength, resolved_frequency, x, y, z, _] = *least(0);
    Ok((Resolution { points_per_wavelength, resolved_frequency, centre: [x, y, z] }, least(5)[5]))
}

/// A warning about the mesh of a process.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct MeshWarning {
    pub about: Topic,
    /// The higher, the worse.
    pub severity: f64,
    pub text: String,
}

/// What a warning is about, in the order in which warnings are reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Topic {
    ThinElements,
    Layers,
    /// The top of this region.
    Surface(usize),
}

/// The worst warning of all processes about each topic.
///
/// # Errors
/// A rank that is lost.
pub fn warnings(ranks: &dyn Ranks, own: &[MeshWarning]) -> Result<Vec<String>, Error> {
    let own = serde_json::to_vec(own).expect("warnings are numbers and text");
    let all = ranks.all_gather(&own)?;
    let of_rank = |bytes: &Vec<u8>| serde_json::from_slice::<Vec<MeshWarning>>(bytes).expect("warnings of a rank");
    let mut worst: BTreeMap<Topic, MeshWarning> = BTreeMap::new();
    for warning in all.iter().flat_map(of_rank) {
        let known = worst.get(&warning.about);
        if known.is_none_or(|known| warning.severity > known.severity) {
            worst.insert(warning.about, warning);
        }
    }
    Ok(worst.into_values().map(|warning| warning.text).collect())
}

/// Numbers of elements and nodes of a run.
pub struct Counts {
    pub elements: usize,
    pub nodes: usize,
    /// Elements without memory variables, with those at 8 points, at inner points, and at all points.
    memory: [usize; 4],
    /// Number of memory variables.
    pub memory_variables: usize,
    /// Points of an element along an axis.
    along: usize,
}

impl Counts {
    /// Those of all processes.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn new(plan: &Plan, team: &Team) -> Result<Self, Error> {
        let along = plan.gll().points.len();
        let mut memory = [0; 4];
        let mut memory_variables = 0;
        let is_own = |element: &u32| team.own().contains(&team.parts().of_element(plan, *element));
        for element in (0..plan.mesh().n_elements() as u32).filter(is_own) {
            let rheology = plan.rheology_of(element);
            memory_variables += rheology.memory(along);
            memory[match rheology.relaxation {
                Relaxation::None => 0,
                Relaxation::Odd { .. } => 1,
                Relaxation::Inner { .. } => 2,
                Relaxation::Full { .. } => 3,
            }] += 1;
        }
        let nodes = plan.n_nodes_of(team);
        let own = [memory[0], memory[1], memory[2], memory[3], nodes, memory_variables].map(|count| count as f64);
        let all: Vec<usize> = team.ranks().sums(&own)?.into_iter().map(|count| count as usize).collect();
        let memory = [all[0], all[1], all[2], all[3]];
        let elements = memory.into_iter().sum();
        Ok(Self { elements, nodes: all[4], memory, memory_variables: all[5], along })
    }

    /// The elements and nodes of the whole mesh.
    pub fn extent(&self, in_layers: usize, least_scaled_jacobian: f64) -> Extent {
        Extent::Mesh { elements: self.elements, in_layers, nodes: self.nodes, least_scaled_jacobian }
    }

    /// Description of the points with memory variables, and of the elements that have them; `None` if all elements are elastic.
    pub fn points_with_memory(&self) -> Option<String> {
        let (of_element, inner) = (self.along.pow(3), self.along.saturating_sub(2).pow(3));
        let points =
            [format!("8 of {of_element} points"), format!("{inner} of {of_element} points"), "all points".to_owned()];
        let shares = points.iter().zip(&self.memory[1..]).filter(|(_, count)| **count > 0);
        let share = |&count: &usize| 100.0 * count as f64 / self.elements as f64;
        let shares = shares.map(|(points, count)| format!("at {points} of {:.1} % of the elements", share(count)));
        let shares: Vec<String> = shares.collect();
        (!shares.is_empty()).then(|| format!("memory variables {}", shares.join(", ")))
    }
}
