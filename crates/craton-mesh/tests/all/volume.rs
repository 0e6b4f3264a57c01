//! Volumes and areas against exact values.

use crate::common::{cube, points};
use craton_mesh::{
    BoxSpec, Deformation, FACE_AXES, Flat, Geometry, HexMesh, Horizontal, QualityReport, Side, UniformSize, mesh_box,
};
use craton_testkit::meshes::{hilly, strata};

const BOTH: [Geometry; 2] = [Geometry::Linear8, Geometry::Quadratic27];

fn volume(mesh: &HexMesh) -> f64 {
    QualityReport::measure(mesh, &points(4)).total_volume()
}

/// Integral of `integrand(position, outward normal)` over a side, by 4 x 4 Gauss points per face.
fn over_side(mesh: &HexMesh, side: Side, mut integrand: impl FnMut([f64; 3], [f64; 3]) -> f64) -> f64 {
    const GAUSS: [(f64, f64); 4] = [
        (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
        (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
        (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
        (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    ];
    let mut sum = 0.0;
    for face in mesh.faces.iter().filter(|face| face.side == side) {
        for (a, weight_a) in GAUSS {
            for (b, weight_b) in GAUSS {
                let position = mesh.position(face.element, craton_mesh::face_point(face.face, [a, b]));
                let normal = mesh.face_normal(face.element, face.face, [a, b]);
                sum += weight_a * weight_b * integrand(position, normal);
            }
        }
    }
    sum
}

fn area(mesh: &HexMesh, side: Side) -> f64 {
    over_side(mesh, side, |_, n| (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt())
}

const SIDES: [Side; 6] = [Side::XMin, Side::XMax, Side::YMin, Side::YMax, Side::Bottom, Side::Top];

#[test]
fn a_cube_has_unit_volume_and_unit_sides() {
    for geometry in BOTH {
        let mesh = cube(geometry, [2, 3, 4], [false; 2]);
        assert!((volume(&mesh) - 1.0).abs() < 1e-14);
        for side in SIDES {
            assert!((area(&mesh, side) - 1.0).abs() < 1e-14);
        }
    }
}

#[test]
fn deformed_boxes_keep_their_exact_volume() {
    let sizes = UniformSize { size: 0.25, speed: 1.0 };
    let top = Flat(1.0);
    // A shear that bends lines keeps volume; a stretch of z by 1 + x / 2 makes it 1.25.
    let bend = |[x, y, z]: [f64; 3]| [x + 0.2 * y * y - 0.1 * z * z, y + 0.1 * z, z];
    let stretch = |[x, y, z]: [f64; 3]| [x, y, z * (1.0 + 0.5 * x)];
    let cases: [(&dyn Deformation, f64); 2] = [(&bend, 1.0), (&stretch, 1.25)];
    for geometry in BOTH {
        for (deformation, exact) in cases {
            let mut spec = BoxSpec::new([0.0, 1.0], [0.0, 1.0], 0.0, strata(&[&top]), &sizes);
            spec.geometry = geometry;
            spec.deformation = Some(deformation);
            let mesh = mesh_box(&spec).unwrap();
            assert!((volume(&mesh) / exact - 1.0).abs() < 1e-13);
        }
    }
}

#[test]
fn quadratic_topography_is_followed_exactly_by_27_nodes() {
    let sizes = UniformSize { size: 100.0, speed: 1.0 };
    let hill = |x: f64, y: f64| 1e-4 * x * x - 2e-4 * y * y + 0.05 * x;
    let mut spec = BoxSpec::new([0.0, 1000.0], [0.0, 800.0], -500.0, strata(&[&hill, &Flat(-300.0)]), &sizes);
    let exact = 1000.0 * 800.0 * (500.0 + 1e-4 * 1e6 / 3.0 - 2e-4 * 640_000.0 / 3.0 + 25.0);
    let mesh = mesh_box(&spec).unwrap();
    assert!((volume(&mesh) / exact - 1.0).abs() < 1e-13);
    let worst = (0..mesh.n_elements() as u32)
        .filter(|element| mesh.faces.iter().any(|f| f.element == *element && f.side == Side::Top))
        .map(|element| {
            let [x, y, z] = mesh.position(element, [0.3, -0.7, 1.0]);
            (z - hill(x, y)).abs()
        })
        .fold(0.0, f64::max);
    assert!(worst < 1e-10, "{worst}");
    // Eight control nodes leave an error of second order: half the size, a quarter of the error.
    spec.geometry = Geometry::Linear8;
    let error = |columns: [usize; 2]| {
        let mut spec = spec.clone();
        spec.horizontal = Horizontal::Elements(columns);
        volume(&mesh_box(&spec).unwrap()) / exact - 1.0
    };
    let ratio = error([10, 8]) / error([20, 16]);
    assert!((ratio - 4.0).abs() < 1e-6, "{ratio}");
}

#[test]
fn a_tilted_surface_has_its_exact_area() {
    let sizes = UniformSize { size: 100.0, speed: 1.0 };
    let tilted = |x: f64, y: f64| 0.3 * x - 0.2 * y;
    for geometry in BOTH {
        let mut spec = BoxSpec::new([0.0, 700.0], [0.0, 600.0], -900.0, strata(&[&tilted]), &sizes);
        spec.geometry = geometry;
        let mesh = mesh_box(&spec).unwrap();
        let exact = 420_000.0 * (1.0_f64 + 0.09 + 0.04).sqrt();
        assert!((area(&mesh, Side::Top) / exact - 1.0).abs() < 1e-13);
        assert!((area(&mesh, Side::Bottom) / 420_000.0 - 1.0).abs() < 1e-13);
        assert!((area(&mesh, Side::XMin) / (600.0 * 840.0) - 1.0).abs() < 1e-13);
    }
}

#[test]
fn doubled_boxes_fill_the_space_under_their_surface() {
    for geometry in BOTH {
        let mesh = hilly(geometry);
        let total = volume(&mesh);
        // Gauss: the outward normals of all sides add up to nothing, and the flux of z is the volume.
        let mut closed = [0.0; 3];
        let mut flux = 0.0;
        for side in SIDES {
            for (axis, closed) in closed.iter_mut().enumerate() {
                *closed += over_side(&mesh, side, |_, normal| normal[axis]);
            }
            flux += over_side(&mesh, side, |position, normal| position[2] * normal[2]);
        }
        assert!(closed.iter().all(|sum| sum.abs() < 1e-12 * area(&mesh, Side::Top)));
        assert!((flux / total - 1.0).abs() < 1e-12);
        // Mean of 60 sin(x / 300) cos(y / 400) over the box.
        let mean = 60.0 * 300.0 / 1600.0 * (1.0 - (1600.0_f64 / 300.0).cos()) * 400.0 / 1600.0 * 2.0 * 2.0_f64.sin();
        let exact = 1600.0 * 1600.0 * (3000.0 + mean);
        let limit = if geometry == Geometry::Linear8 { 1e-4 } else { 1e-7 };
        assert!((total / exact - 1.0).abs() < limit, "{:e}", total / exact - 1.0);
    }
}

#[test]
fn face_normals_point_outwards() {
    let mesh = cube(Geometry::Quadratic27, [2, 2, 2], [false; 2]);
    for face in &mesh.faces {
        let normal = mesh.face_normal(face.element, face.face, [0.2, 0.4]);
        let axis = FACE_AXES[face.face as usize][0];
        let sign = if face.face % 2 == 0 { -1.0 } else { 1.0 };
        let mut exact = [0.0; 3];
        exact[axis] = sign * 0.0625;
        assert!(normal.iter().zip(exact).all(|(n, e)| (n - e).abs() < 1e-15));
    }
}
