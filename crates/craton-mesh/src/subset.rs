//! Some elements of a mesh as a mesh of their own.

use std::collections::HashMap;

use crate::mesh::{BoundaryFace, HexMesh};

impl HexMesh {
    /// The mesh of some elements, with their control nodes and boundary faces, and without tiles and absorbing layers. Control nodes whose representative is in
    /// none of these elements represent themselves.
    ///
    /// # Arguments
    /// * `elements` – each at most once
    #[must_use]
    pub fn subset(&self, elements: &[u32]) -> Self {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut nodes: Vec<u32> = Vec::new();
        let mut number = |node: u32| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() as u32 - 1
            })
        };
        let all = elements.iter().flat_map(|&element| self.nodes_of(element));
        let connectivity: Vec<u32> = all.map(|&node| number(node)).collect();
        let of_element: HashMap<u32, u32> = elements.iter().copied().zip(0..).collect();
        let face = |face: &BoundaryFace| Some(BoundaryFace { element: *of_element.get(&face.element)?, ..*face });
        let twin = |(own, node): (u32, &u32)| numbers.get(&self.twin[*node as usize]).copied().unwrap_or(own);
        Self {
            geometry: self.geometry,
            control_nodes: nodes.iter().map(|&node| self.control_nodes[node as usize]).collect(),
            connectivity,
            region: elements.iter().map(|&element| self.region[element as usize]).collect(),
            faces: self.faces.iter().filter_map(face).collect(),
            twin: (0..).zip(&nodes).map(twin).collect(),
            tile: Vec::new(),
            pml: None,
        }
    }

    /// Adds the elements of another mesh with the same kind of control nodes, without tiles and absorbing layers. The meshes share no control nodes.
    ///
    /// # Panics
    /// If the meshes have different kinds of control nodes.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(self.geometry, other.geometry, "both meshes have the same kind of control nodes");
        let (nodes, elements) = (self.control_nodes.len() as u32, self.region.len() as u32);
        self.control_nodes.extend_from_slice(&other.control_nodes);
        self.connectivity.extend(other.connectivity.iter().map(|node| nodes + node));
        self.twin.extend(other.twin.iter().map(|node| nodes + node));
        self.region.extend_from_slice(&other.region);
        let faces = other.faces.iter().map(|face| BoundaryFace { element: elements + face.element, ..*face });
        self.faces.extend(faces);
        self.tile.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::{BoxSpec, Flat, Stratum, UniformSize, mesh_box};

    #[test]
    fn subsets_have_the_geometry_and_faces_of_their_elements() {
        let (top, size) = (Flat(0.0), UniformSize { size: 100.0, speed: 3000.0 });
        let strata = vec![Stratum { top: &top, region: 3 }];
        let spec =
            BoxSpec { periodic: [true, false], ..BoxSpec::new([0.0, 700.0], [0.0, 400.0], -300.0, strata, &size) };
        let mesh = mesh_box(&spec).unwrap();
        let count = mesh.n_elements() as u32;
        let parts: Vec<Vec<u32>> =
            (0..3).map(|part| (0..count).filter(|element| element % 3 == part).collect()).collect();
        let mut all = mesh.subset(&parts[0]);
        all.add(&mesh.subset(&parts[1]));
        all.add(&mesh.subset(&parts[2]));
        let order = parts.concat();
        for (own, &element) in (0..).zip(&order) {
            assert_eq!(all.position(own, [0.3, -0.2, 0.9]), mesh.position(element, [0.3, -0.2, 0.9]));
        }
        assert_eq!((all.n_elements(), all.faces.len()), (mesh.n_elements(), mesh.faces.len()));
        assert!(all.faces.iter().all(|face| {
            let element = order[face.element as usize];
            mesh.faces.iter().any(|other| (other.element, other.face, other.side) == (element, face.face, face.side))
        }));
        assert!(all.check_arrays().is_ok());
        // All elements keep the images of periodic sides.
        let whole = mesh.subset(&(0..count).collect::<Vec<_>>());
        let images = |mesh: &crate::HexMesh| (0..).zip(&mesh.twin).filter(|(node, twin)| node != *twin).count();
        assert_eq!(images(&whole), images(&mesh));
    }
}
