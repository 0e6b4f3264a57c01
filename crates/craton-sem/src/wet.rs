//! Nodes between solids and fluids.
//!
//! A fluid pushes the solid with its pressure -χ″, and the normal displacement of the solid changes the volume of the fluid. With the quadrature of the faces
//! at their nodes, both terms couple a solid and a fluid node at the same position:
//!
//! fluid node: F += a · u,  solid node: f -= a χ″
//!
//! with the area vector a out of the fluid. The terms are transposes of each other, so that the scheme conserves energy. The displacement at a step determines
//! χ″ at that step, which determines the force on the solid: the coupling is explicit.
//!
//! Source: Chaljub & Valette (2004), Geophysical Journal International 158, 131-141, without gravity.

use std::collections::BTreeMap;

use craton_mesh::{HexMesh, Numbering, Topology};
use craton_numerics::gll::Gll;
use craton_sem_kernels::Phase;

use crate::boundary::points_of_face;
use crate::plan::PhasePlan;

/// A pair of nodes between a solid and a fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WetNode {
    /// Shared number in the fluid.
    pub fluid: u32,
    /// Shared number in the solid.
    pub solid: u32,
    /// Area that belongs to the node, times the normal out of the fluid [m²].
    pub area: [f64; 3],
}

/// Whether each global node belongs to elements of both phases.
pub(crate) fn between(numbering: &Numbering, first_fluid: u32) -> Vec<bool> {
    let mut wet = vec![false; numbering.n_nodes];
    let first = first_fluid as usize * (numbering.degree + 1).pow(3);
    let (solid, fluid) = numbering.local_to_global.split_at(first);
    if !solid.is_empty() && !fluid.is_empty() {
        let mut of_solid = vec![false; numbering.n_nodes];
        solid.iter().for_each(|&node| of_solid[node as usize] = true);
        fluid.iter().for_each(|&node| wet[node as usize] = of_solid[node as usize]);
    }
    wet
}

/// The faces between solids and fluids.
pub(crate) struct WetSides<'a> {
    pub mesh: &'a HexMesh,
    pub topology: &'a Topology,
    pub numbering: &'a Numbering,
    pub gll: &'a Gll,
    pub first_fluid: u32,
}

/// A face of a fluid element at a solid element.
#[derive(Debug, Clone)]
pub(crate) struct WetFace {
    pub fluid: u32,
    pub face: u8,
    pub solid: u32,
    /// The points of the solid element at those of the face, in the order of `points_of_face`.
    pub beyond: Vec<u16>,
}

impl WetSides<'_> {
    /// All faces, in the order of the fluid elements.
    pub fn faces(&self) -> Vec<WetFace> {
        let (solid, fluid) = self.topology.faces.split_at(self.first_fluid as usize);
        if solid.is_empty() || fluid.is_empty() {
            return Vec::new();
        }
        const NONE: u32 = u32::MAX;
        let mut solid_of = vec![NONE; self.topology.n_faces];
        for (element, faces) in (0..).zip(solid) {
            faces.iter().for_each(|&face| solid_of[face as usize] = element);
        }
        let at_solid = |(element, faces): (u32, &[u32; 6])| {
            let faces = (0..).zip(*faces).filter(|(_, number)| solid_of[*number as usize] != NONE);
            let wet = |(face, number): (u8, u32)| {
                let solid = solid_of[number as usize];
                WetFace { fluid: element, face, solid, beyond: self.beyond(element, face, solid) }
            };
            faces.map(wet).collect::<Vec<_>>()
        };
        (self.first_fluid..).zip(fluid).flat_map(at_solid).collect()
    }

    /// The points of a solid element at those of a face of a fluid element.
    fn beyond(&self, fluid: u32, face: u8, solid: u32) -> Vec<u16> {
        let [of_fluid, of_solid] = [fluid, solid].map(|element| self.numbering.nodes_of(element));
        let at = |(point, _): (usize, [usize; 2])| {
            let same = of_solid.iter().position(|node| *node == of_fluid[point]);
            same.expect("a node of both elements") as u16
        };
        points_of_face(self.gll.points.len(), face).map(at).collect()
    }

    /// All pairs of nodes, by fluid node.
    ///
    /// # Arguments
    /// * `faces` – [`Self::faces`]
    /// * `wet` – [`between`]
    pub fn nodes(&self, faces: &[WetFace], wet: &[bool], phases: &[PhasePlan; 2]) -> Vec<WetNode> {
        let n = self.gll.points.len();
        // By global node: the order of sums does not depend on patches.
        let mut areas: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
        for &WetFace { fluid, face, .. } in faces {
            let nodes = self.numbering.nodes_of(fluid);
            for (point, [a, b]) in points_of_face(n, face) {
                let normal = self.mesh.face_normal(fluid, face, [self.gll.points[a], self.gll.points[b]]);
                let weight = self.gll.weights[a] * self.gll.weights[b];
                let area = areas.entry(nodes[point]).or_default();
                area.iter_mut().zip(normal).for_each(|(area, normal)| *area += weight * normal);
            }
        }
        if areas.is_empty() {
            return Vec::new();
        }
        let [solid, fluid] = Phase::ALL.map(|phase| self.shared_numbers(wet, &phases[phase as usize]));
        let pair = |(node, area): (u32, [f64; 3])| WetNode { fluid: fluid[&node], solid: solid[&node], area };
        let mut pairs: Vec<WetNode> = areas.into_iter().map(pair).collect();
        pairs.sort_unstable_by_key(|pair| pair.fluid);
        pairs
    }

    /// Shared number in a phase of each wet global node.
    fn shared_numbers(&self, wet: &[bool], PhasePlan { layout, local, .. }: &PhasePlan) -> BTreeMap<u32, u32> {
        let mut numbers = BTreeMap::new();
        let points = self.gll.points.len().pow(3);
        for (nodes, local) in layout.patches.iter().zip(local) {
            let global = &self.numbering.local_to_global[nodes.elements.start * points..nodes.elements.end * points];
            for (&node, &local) in global.iter().zip(local).filter(|(node, _)| wet[**node as usize]) {
                numbers.insert(node, nodes.shared[usize::from(local) - nodes.inner]);
            }
        }
        numbers
    }
}
