//! Absorbing layers around a mesh.

use crate::common::{assert_conforming, cube, points};
use craton_mesh::{Geometry, HexMesh, MeshError, QualityReport, Side, Topology};
use craton_testkit::meshes::{doubled_box, hilly};

const BOTH: [Geometry; 2] = [Geometry::Linear8, Geometry::Quadratic27];

fn position(points: &[[f64; 3]], geometry: Geometry, place: [usize; 3]) -> [f64; 3] {
    let along = geometry.per_axis();
    points[place[0] + along * (place[1] + along * place[2])]
}

/// The point of an element whose control points are given, at the ends of its axes.
fn corners(points: &[[f64; 3]], geometry: Geometry) -> Vec<([bool; 3], [f64; 3])> {
    let end = geometry.per_axis() - 1;
    let corner = |corner: usize| {
        let ends = [0, 1, 2].map(|axis| corner >> axis & 1 == 1);
        (ends, position(points, geometry, ends.map(|high| if high { end } else { 0 })))
    };
    (0..8).map(corner).collect()
}

/// Asserts that each element of a layer has the media of the box of its domain, and that its depth increases along its absorbing axes.
fn assert_continues(mesh: &HexMesh, [low, high]: [[f64; 3]; 2]) {
    let pml = mesh.pml.as_ref().expect("layers");
    let (mut first, mut second) = ([[0.0; 3]; 27], [[0.0; 3]; 27]);
    for (element, own) in &pml.elements {
        let at = corners(mesh.points_of(*element, &mut first), mesh.geometry);
        let media = corners(mesh.medium_points_of(*element, &mut second), mesh.geometry);
        for ((ends, at), (_, medium)) in at.into_iter().zip(media) {
            let mut expected = at;
            for (axis, local) in own.axes.iter().zip([2, 1, 0]) {
                let Some(axis) = axis else { continue };
                let index = axis.side as usize / 2;
                let outside = if (axis.side as usize).is_multiple_of(2) {
                    low[index] - at[index]
                } else {
                    at[index] - high[index]
                };
                let depth = f64::from(axis.depth + u16::from(ends[local])) * pml.thickness[axis.side as usize];
                assert!((outside - depth).abs() < 1e-9, "{:?}: {outside} {depth}", axis.side);
                expected[index] = expected[index].clamp(low[index], high[index]);
            }
            let off = (0..3).map(|c| (expected[c] - medium[c]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-9, "{expected:?} {medium:?}");
        }
    }
}

#[test]
fn layers_fill_the_edges_and_corners_of_a_box() {
    for geometry in BOTH {
        let inner = cube(geometry, [2, 3, 4], [false; 2]);
        let mesh = inner.clone().with_pml([2, 2, 2, 2, 2, 0]).unwrap();
        assert_conforming(&mesh);
        assert_continues(&mesh, [[0.0; 3], [1.0; 3]]);
        let quality = QualityReport::measure(&mesh, &points(4));
        assert!((quality.scaled_jacobian.min - 1.0).abs() < 1e-12);
        let expected = (1.0 + 4.0 / 2.0) * (1.0 + 4.0 / 3.0) * (1.0 + 2.0 / 4.0);
        assert!((quality.total_volume() - expected).abs() < 1e-12);
        assert_eq!(mesh.n_elements(), 6 * 7 * 6);
        let pml = mesh.pml.as_ref().unwrap();
        let counts = [1, 2, 3]
            .map(|axes| pml.elements.iter().filter(|(_, own)| own.axes.iter().flatten().count() == axes).count());
        assert_eq!(counts, [4 * 4 * 3 + 4 * 4 * 2 + 2 * 2 * 3, 4 * 4 * 4 + 4 * 2 * 3 + 4 * 2 * 2, 4 * 8]);
        // The faces at the top of the layers belong to the top; those of the sides are at their outer ends.
        let of = |side: Side| mesh.faces.iter().filter(|face| face.side == side).count();
        assert_eq!([Side::Top, Side::Bottom, Side::XMin, Side::YMax].map(of), [42, 42, 42, 36]);
        for element in 0..inner.n_elements() as u32 {
            assert!(mesh.is_in_domain(element) && mesh.parent(element) == element);
        }
        assert!(pml.elements.iter().all(|(_, own)| (own.parent as usize) < inner.n_elements()));
    }
}

#[test]
fn layers_of_a_skewed_mesh_are_extruded_along_its_sides() {
    for mesh in BOTH.into_iter().flat_map(|geometry| [hilly(geometry), doubled_box(geometry)]) {
        let bounds = mesh.bounding_box();
        let mesh = mesh.with_pml([3, 2, 1, 3, 2, 0]).unwrap();
        assert_conforming(&mesh);
        assert_continues(&mesh, bounds);
        assert!(QualityReport::measure(&mesh, &points(4)).scaled_jacobian.min > 0.05);
    }
}

#[test]
fn layers_keep_periodic_sides() {
    let mesh = cube(Geometry::Linear8, [3, 3, 2], [true, false]).with_pml([0, 0, 0, 2, 2, 2]).unwrap();
    assert_conforming(&mesh);
    assert_continues(&mesh, [[0.0; 3], [1.0; 3]]);
    assert_eq!(mesh.n_elements(), 3 * 5 * 6);
    // Periodic along x: there are as many faces normal to it as elements.
    let topology = Topology::new(&mesh).unwrap();
    let normal_to_x = mesh.n_elements();
    let along = |counts: [usize; 2]| counts[0] * (counts[1] + 1) * 3;
    assert_eq!(topology.n_faces, normal_to_x + along([6, 5]) + along([5, 6]));
}

#[test]
fn reordered_layers_keep_their_elements() {
    let mesh = hilly(Geometry::Linear8).with_pml([1, 1, 1, 1, 1, 0]).unwrap();
    let mut order: Vec<u32> = (0..mesh.n_elements() as u32).collect();
    order.reverse();
    let reversed = mesh.reordered(&order).unwrap();
    let (mut first, mut second) = ([[0.0; 3]; 27], [[0.0; 3]; 27]);
    for (new, &old) in order.iter().enumerate() {
        let new = new as u32;
        assert_eq!(mesh.medium_points_of(old, &mut first), reversed.medium_points_of(new, &mut second));
        assert_eq!(order[reversed.parent(new) as usize], mesh.parent(old));
        let axes = |mesh: &HexMesh, element| mesh.pml.as_ref().unwrap().of(element).map(|own| own.axes);
        assert_eq!(axes(&mesh, old), axes(&reversed, new));
    }
}

#[test]
fn layers_of_a_concave_side_are_refused() {
    let mut mesh = cube(Geometry::Linear8, [4, 1, 1], [false; 2]);
    // A notch in the bottom, deep compared with the elements.
    for node in mesh.control_nodes.iter_mut().filter(|node| node[2] == 0.0 && (node[0] - 0.5).abs() < 1e-9) {
        node[2] = 0.8;
    }
    let refused = mesh.with_pml([0, 0, 0, 0, 3, 0]).unwrap_err();
    assert!(matches!(refused, MeshError::FoldedLayer { .. }), "{refused}");
}
