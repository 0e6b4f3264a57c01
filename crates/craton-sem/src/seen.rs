//! The elements that the first process shows, gathered from the windows of all processes.

use std::collections::HashMap;

use bytemuck::Pod;
use craton_mesh::{BoundaryFace, HexMesh, Numbering, Side};
use craton_sem_kernels::{Phase, Relaxation, Rheology};
use craton_sim::gather_values;

use crate::SemError;
use crate::plan::Plan;
use crate::team::Team;

/// Elements of all processes in the order of the plan of the whole mesh, on the first process.
pub struct Seen {
    pub(crate) mesh: HexMesh,
    /// See [`HexMesh::keys`].
    pub(crate) keys: Vec<u64>,
    pub(crate) phases: Vec<Phase>,
    pub(crate) numbering: Numbering,
}

/// Some elements of a process, with 8 or 27 control nodes each.
#[derive(Default)]
struct Fragment {
    /// Positions of the control nodes [m], and of the nodes that represent them.
    nodes: Vec<[[f64; 3]; 2]>,
    connectivity: Vec<u32>,
    elements: Vec<Element>,
    faces: Vec<[u32; 3]>,
}

/// An element of a fragment.
#[derive(Debug, Clone, Copy, Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Element {
    key: u64,
    /// Place in the order of the plan, before that of the tile.
    kind: u64,
    region: u32,
    is_fluid: u32,
}

impl Seen {
    /// Gathers elements of the parts of all processes on the first one; `None` on the others. Every rank must call it.
    ///
    /// # Arguments
    /// * `is_seen` – whether an element of the plan is shown
    /// # Errors
    /// A rank that is lost.
    pub fn gather(plan: &Plan, team: &Team, is_seen: impl Fn(u32) -> bool) -> Result<Option<Self>, SemError> {
        let Fragment { nodes, connectivity, elements, faces } = Fragment::new(plan, team, is_seen);
        let ranks = &**team.ranks();
        let all = (
            gather_values(ranks, &nodes)?,
            gather_values(ranks, &connectivity)?,
            gather_values(ranks, &elements)?,
            gather_values(ranks, &faces)?,
        );
        let (Some(nodes), Some(connectivity), Some(elements), Some(faces)) = all else { return Ok(None) };
        let fragments = nodes.into_iter().zip(connectivity).zip(elements).zip(faces);
        let fragment = |(((nodes, connectivity), elements), faces)| Fragment { nodes, connectivity, elements, faces };
        Self::of_fragments(plan, &fragments.map(fragment).collect::<Vec<_>>()).map(Some)
    }

    /// The mesh of the elements.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    fn of_fragments(plan: &Plan, fragments: &[Fragment]) -> Result<Self, SemError> {
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (number, fragment) in fragments.iter().enumerate() {
            order.extend((0..fragment.elements.len()).map(|element| (number, element)));
        }
        let element = |&(number, element): &(usize, usize)| fragments[number].elements[element];
        // Elements of a kind and tile are in one fragment, in the order of the plan.
        order.sort_by_key(|place| (element(place).kind, element(place).key >> 32));
        let mut nodes = MergedNodes::default();
        let numbers: Vec<Vec<u32>> = fragments.iter().map(|fragment| nodes.add(&fragment.nodes)).collect();
        let per_element = plan.mesh.geometry.per_element();
        let of_element = |&(number, element): &(usize, usize)| {
            let own = &fragments[number].connectivity[element * per_element..][..per_element];
            own.iter().map(|&node| numbers[number][node as usize]).collect::<Vec<u32>>()
        };
        let positions: HashMap<(usize, usize), u32> = order.iter().copied().zip(0..).collect();
        let face = |number: usize, &[element, face, side]: &[u32; 3]| BoundaryFace {
            element: positions[&(number, element as usize)],
            face: face as u8,
            side: Side::ALL[side as usize],
        };
        let all = fragments.iter().enumerate();
        let mut faces: Vec<BoundaryFace> = all
            .flat_map(|(number, own)| own.faces.iter().map(move |of| (number, of)))
            .map(|(n, of)| face(n, of))
            .collect();
        faces.sort_unstable_by_key(|face| (face.element, face.face));
        let keys: Vec<u64> = order.iter().map(|place| element(place).key).collect();
        let mesh = HexMesh {
            geometry: plan.mesh.geometry,
            connectivity: order.iter().flat_map(of_element).collect(),
            region: order.iter().map(|place| element(place).region as u16).collect(),
            faces,
            tile: keys.iter().map(|key| (key >> 32) as u32).collect(),
            control_nodes: nodes.positions,
            twin: nodes.twins,
            pml: None,
        };
        let numbering = Numbering::new(&mesh, plan.gll.points.len() - 1)?;
        let phase = |place| if element(place).is_fluid == 0 { Phase::Solid } else { Phase::Fluid };
        Ok(Self { phases: order.iter().map(phase).collect(), mesh, keys, numbering })
    }
}

impl Fragment {
    fn new(plan: &Plan, team: &Team, is_seen: impl Fn(u32) -> bool) -> Self {
        let is_own = |element: u32| team.own().contains(&team.parts().of_element(plan, element));
        let mut fragment = Self::default();
        let (mut nodes, mut numbers) = (HashMap::new(), HashMap::new());
        let seen = (0..plan.mesh.n_elements() as u32).filter(|&element| is_seen(element) && is_own(element));
        for element in seen {
            numbers.insert(element, fragment.elements.len() as u32);
            fragment.elements.push(Element {
                key: plan.key(element),
                kind: ordinal(plan.rheology_of(element)) << 8 | u64::from(plan.level_of(element)),
                region: plan.mesh.region[element as usize].into(),
                is_fluid: (plan.phase_of(element) == Phase::Fluid).into(),
            });
            for &node in plan.mesh.nodes_of(element) {
                let number = *nodes.entry(node).or_insert_with(|| {
                    let twin = plan.mesh.twin[node as usize];
                    fragment.nodes.push([node, twin].map(|node| plan.mesh.control_nodes[node as usize]));
                    fragment.nodes.len() as u32 - 1
                });
                fragment.connectivity.push(number);
            }
        }
        let face = |face: &BoundaryFace| Some([*numbers.get(&face.element)?, face.face.into(), face.side as u32]);
        fragment.faces = plan.mesh.faces.iter().filter_map(face).collect();
        fragment
    }
}

/// A number with the order of rheologies.
fn ordinal(Rheology { material, relaxation, pml }: Rheology) -> u64 {
    let kind: u64 = match relaxation {
        Relaxation::None => 0,
        Relaxation::Odd { .. } => 1,
        Relaxation::Inner { .. } => 2,
        Relaxation::Full { .. } => 3,
    };
    (material as u64) << 24 | kind << 16 | (relaxation.mechanisms() as u64) << 8 | pml.axes() as u64
}

/// Control nodes of fragments, of which those at the same position are one.
#[derive(Default)]
struct MergedNodes {
    positions: Vec<[f64; 3]>,
    twins: Vec<u32>,
    known: HashMap<[u64; 3], u32>,
    /// The first node that each position represents.
    represented: HashMap<[u64; 3], u32>,
}

impl MergedNodes {
    /// Adds the nodes of a fragment; returns their numbers.
    fn add(&mut self, nodes: &[[[f64; 3]; 2]]) -> Vec<u32> {
        let number = |[position, twin]: &[[f64; 3]; 2]| {
            *self.known.entry(position.map(f64::to_bits)).or_insert_with(|| {
                let number = self.positions.len() as u32;
                self.positions.push(*position);
                self.twins.push(*self.represented.entry(twin.map(f64::to_bits)).or_insert(number));
                number
            })
        };
        nodes.iter().map(number).collect()
    }
}
