//! Global numbers: counts known in closed form, any orientation, any number of elements around an edge.

use crate::common::{self, cube, node_positions, turned};
use craton_mesh::{
    BoundaryFace, BoxSpec, Flat, Geometry, HexMesh, Horizontal, MeshError, Numbering, Side, Topology, UniformSize,
    mesh_box,
};
use craton_testkit::meshes::{hilly, strata};

const BOTH: [Geometry; 2] = [Geometry::Linear8, Geometry::Quadratic27];
const FAR: [f64; 2] = [f64::INFINITY; 2];

#[test]
fn plain_boxes_have_the_nodes_of_a_grid() {
    for geometry in BOTH {
        let mesh = cube(geometry, [3, 2, 4], [false; 2]);
        for p in 1..=7 {
            let numbering = Numbering::new(&mesh, p).unwrap();
            assert_eq!(numbering.n_nodes, (3 * p + 1) * (2 * p + 1) * (4 * p + 1));
            node_positions(&mesh, &numbering, FAR);
        }
    }
}

#[test]
fn periodic_boxes_have_one_node_per_image() {
    for geometry in BOTH {
        for p in [1, 2, 4, 5] {
            let both = cube(geometry, [3, 4, 2], [true, true]);
            let numbering = Numbering::new(&both, p).unwrap();
            assert_eq!(numbering.n_nodes, 3 * p * 4 * p * (2 * p + 1));
            node_positions(&both, &numbering, [1.0, 1.0]);
            let along_y = cube(geometry, [1, 3, 2], [false, true]);
            let numbering = Numbering::new(&along_y, p).unwrap();
            assert_eq!(numbering.n_nodes, (p + 1) * 3 * p * (2 * p + 1));
        }
    }
}

#[test]
fn turned_elements_share_the_same_nodes() {
    let periodic = cube(Geometry::Quadratic27, [3, 4, 3], [true, false]);
    for (mesh, period) in [(cube(Geometry::Linear8, [4, 3, 3], [false; 2]), FAR), (periodic, [1.0, f64::INFINITY])] {
        for p in [2, 3, 4, 6] {
            let straight = Numbering::new(&mesh, p).unwrap();
            for seed in 1..6 {
                let turned = turned(&mesh, seed);
                let numbering = Numbering::new(&turned, p).unwrap();
                assert_eq!(numbering.n_nodes, straight.n_nodes);
                node_positions(&turned, &numbering, period);
            }
        }
    }
}

#[test]
fn doubled_meshes_share_coincident_nodes() {
    for geometry in BOTH {
        let mesh = hilly(geometry);
        for mesh in [turned(&mesh, 3), mesh] {
            let topology = Topology::new(&mesh).unwrap();
            let numbering = Numbering::from_topology(&topology, 4).unwrap();
            node_positions(&mesh, &numbering, FAR);
            // Euler: a box is a ball.
            let [v, e, f] = [topology.n_vertices, topology.n_edges, topology.n_faces];
            assert_eq!(v + f, e + mesh.n_elements() + 1);
            let inside = topology.face_uses().iter().filter(|&&uses| uses == 2).count();
            assert_eq!(2 * inside + mesh.faces.len(), 6 * mesh.n_elements());
        }
    }
}

/// `count` elements around one vertical edge.
fn junction(count: usize) -> HexMesh {
    let ring = 2 * count;
    let mut control_nodes = Vec::new();
    for z in [0.0, 1.0] {
        control_nodes.push([0.0, 0.0, z]);
        for i in 0..ring {
            let angle = std::f64::consts::TAU * i as f64 / ring as f64;
            let radius = if i % 2 == 0 { 1.0 } else { 1.5 };
            control_nodes.push([radius * angle.cos(), radius * angle.sin(), z]);
        }
    }
    let at = |level: usize, i: usize| (level * (ring + 1) + 1 + i % ring) as u32;
    let axis = |level: usize| (level * (ring + 1)) as u32;
    let (mut connectivity, mut faces) = (Vec::new(), Vec::new());
    for m in 0..count {
        for level in 0..2 {
            let [a, b, c] = [0, 1, 2].map(|i| at(level, 2 * m + i));
            connectivity.extend([axis(level), a, c, b]);
        }
        let outer = [(1, Side::XMax), (3, Side::YMax), (4, Side::Bottom), (5, Side::Top)];
        faces.extend(outer.map(|(face, side)| BoundaryFace { element: m as u32, face, side }));
    }
    let twin = (0..control_nodes.len() as u32).collect();
    let region = vec![0; count];
    HexMesh {
        geometry: Geometry::Linear8,
        control_nodes,
        connectivity,
        region,
        faces,
        twin,
        tile: Vec::new(),
        pml: None,
    }
}

#[test]
fn any_number_of_elements_may_meet_at_an_edge() {
    for count in [3, 5, 7] {
        let mesh = junction(count);
        common::assert_conforming(&mesh);
        for p in 1..=5 {
            for mesh in [mesh.clone(), turned(&mesh, 11)] {
                let numbering = Numbering::new(&mesh, p).unwrap();
                let plane = (2 * count + 1) + 3 * count * (p - 1) + count * (p - 1) * (p - 1);
                assert_eq!(numbering.n_nodes, plane * (p + 1));
                node_positions(&mesh, &numbering, FAR);
            }
        }
    }
}

#[test]
fn nodes_are_numbered_by_first_use() {
    let numbering = Numbering::new(&cube(Geometry::Linear8, [3, 3, 3], [false; 2]), 3).unwrap();
    let mut seen = 0;
    for element in 0..27 {
        let new = numbering.nodes_of(element).iter().copied().max().unwrap() + 1;
        assert!(new >= seen && new <= seen + 64);
        seen = seen.max(new);
    }
    assert_eq!(seen as usize, numbering.n_nodes);
}

#[test]
fn short_periodic_directions_are_refused() {
    let sizes = UniformSize { size: 0.5, speed: 1.0 };
    let top = Flat(1.0);
    let mut spec = BoxSpec::new([0.0, 1.0], [0.0, 1.0], 0.0, strata(&[&top]), &sizes);
    spec.horizontal = Horizontal::Elements([4, 2]);
    spec.periodic = [false, true];
    let error = mesh_box(&spec).unwrap_err();
    assert_eq!(error, MeshError::PeriodicTooFew { axis: 'y', count: 2 });
    // Made by hand, with twins that glue two elements to each other, or one to itself:
    for (counts, glued) in [([2, 2, 2], 2), ([2, 1, 2], 1)] {
        let mut mesh = cube(Geometry::Linear8, counts, [false; 2]);
        mesh.faces.retain(|face| !matches!(face.side, Side::YMin | Side::YMax));
        for node in 0..mesh.control_nodes.len() {
            if mesh.control_nodes[node][1] == 1.0 {
                mesh.twin[node] -= 3 * glued;
            }
        }
        let error = Numbering::new(&mesh, 2).unwrap_err();
        match glued {
            1 => assert!(matches!(error, MeshError::RepeatedVertex { element: 0, .. }), "{error}"),
            _ => assert!(matches!(error, MeshError::FaceShared { .. }), "{error}"),
        }
    }
}

#[test]
fn bad_meshes_and_degrees_are_refused() {
    let good = cube(Geometry::Linear8, [2, 2, 2], [false; 2]);
    assert_eq!(Numbering::new(&good, 0).unwrap_err(), MeshError::Degree { degree: 0 });
    let message = Numbering::new(&good, 21).unwrap_err().to_string();
    assert_eq!(message, "polynomial degree 21 is out of range; choose 1 to 20");

    let mut wrong = good.clone();
    wrong.connectivity[3] = 99;
    let error = Numbering::new(&wrong, 2).unwrap_err();
    let expected = MeshError::Malformed { what: "a control node", value: 99, expected: 27 };
    assert_eq!(error, expected);

    let mut inner = good.clone();
    let face = BoundaryFace { element: 0, face: 1, side: Side::XMin };
    inner.faces.push(face);
    let error = Numbering::new(&inner, 2).unwrap_err();
    assert!(matches!(error, MeshError::BoundaryShared { element: 0, face: 1, .. }));
}
