//! Conformity: neighbours share whole faces, boundary faces are complete, elements are right-handed.

use crate::common::{LOH1, assert_conforming, cube, points, turned};
use craton_mesh::{BoxSpec, Flat, Geometry, Horizontal, QualityReport, Side, mesh_box};
use craton_testkit::meshes::{hilly, strata};

const BOTH: [Geometry; 2] = [Geometry::Linear8, Geometry::Quadratic27];

fn sides(mesh: &craton_mesh::HexMesh) -> [usize; 6] {
    [Side::XMin, Side::XMax, Side::YMin, Side::YMax, Side::Bottom, Side::Top]
        .map(|side| mesh.faces.iter().filter(|face| face.side == side).count())
}

#[test]
fn plain_boxes_conform() {
    for geometry in BOTH {
        let mesh = cube(geometry, [3, 4, 5], [false; 2]);
        assert_eq!(mesh.n_elements(), 60);
        assert_conforming(&mesh);
        assert_eq!(sides(&mesh), [20, 20, 15, 15, 12, 12]);
        let nodes = if geometry == Geometry::Linear8 { 4 * 5 * 6 } else { 7 * 9 * 11 };
        assert_eq!(mesh.control_nodes.len(), nodes);
    }
}

#[test]
fn periodic_boxes_conform_and_have_no_periodic_faces() {
    for geometry in BOTH {
        assert_eq!(sides(&cube(geometry, [3, 4, 5], [true, false])), [0, 0, 15, 15, 12, 12]);
        let mesh = cube(geometry, [3, 4, 5], [true, true]);
        assert_conforming(&mesh);
        assert_eq!(sides(&mesh), [0, 0, 0, 0, 12, 12]);
    }
}

#[test]
fn doubled_boxes_under_hills_conform() {
    for geometry in BOTH {
        let mesh = hilly(geometry);
        assert_conforming(&mesh);
        let [west, east, south, north, bottom, top] = sides(&mesh);
        assert_eq!((top, bottom), (16 * 16, 4 * 4), "two doublings along x and y");
        assert_eq!((west, south), (east, north));
    }
}

#[test]
fn periodic_doubled_boxes_conform() {
    for geometry in BOTH {
        let tops = (Flat(0.0), Flat(-1000.0));
        let mut spec = BoxSpec::new([0.0, 5500.0], [0.0, 8200.0], -9000.0, strata(&[&tops.0, &tops.1]), &LOH1);
        spec.geometry = geometry;
        spec.periodic = [true; 2];
        spec.horizontal = Horizontal::Elements([16, 24]);
        let mesh = mesh_box(&spec).unwrap();
        let [west, _, south, _, bottom, top] = sides(&mesh);
        assert_eq!((west, south), (0, 0));
        assert_eq!(top, 4 * bottom);
        assert_conforming(&mesh);
    }
}

#[test]
fn regions_change_at_interfaces_only() {
    let mesh = hilly(Geometry::Quadratic27);
    let basin = |x: f64, y: f64| -300.0 + 40.0 * (x / 500.0).cos() + 0.03 * y;
    for element in 0..mesh.n_elements() as u32 {
        let region = mesh.region[element as usize];
        for &node in mesh.nodes_of(element) {
            let [x, y, z] = mesh.control_nodes[node as usize];
            let depth = basin(x, y) - z;
            assert!(if region == 0 { depth < 1e-9 } else { depth > -1e-9 });
        }
    }
}

#[test]
fn jacobians_are_positive_in_every_orientation() {
    for geometry in BOTH {
        let mesh = hilly(geometry);
        let straight = QualityReport::measure(&mesh, &points(6));
        assert!(straight.scaled_jacobian.min > 0.35, "{}", straight.scaled_jacobian.min);
        let turned = QualityReport::measure(&turned(&mesh, 7), &points(6));
        let change = turned.scaled_jacobian.min - straight.scaled_jacobian.min;
        assert!(change.abs() < 1e-12);
        assert!((turned.total_volume() / straight.total_volume() - 1.0).abs() < 1e-12);
    }
}
