//! Location of points inside, on faces, on the surface, and far from the origin; points outside are not found.

use crate::common::{Random, cube, turned};
use craton_mesh::{BoxSpec, Geometry, HexMesh, Locator, UniformSize, mesh_box};
use craton_testkit::meshes::{hilly, strata};

const BOTH: [Geometry; 2] = [Geometry::Linear8, Geometry::Quadratic27];

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn assert_found_again(mesh: &HexMesh, tolerance: f64) {
    let locator = Locator::new(mesh);
    let mut random = Random(17);
    for _ in 0..2000 {
        let element = random.below(mesh.n_elements()) as u32;
        // A third of the coordinates lie exactly on a face, so edges and vertices occur too.
        let xi = [0; 3].map(|_| match random.below(6) {
            0 => -1.0,
            1 => 1.0,
            _ => 2.0 * random.next() - 1.0,
        });
        let point = mesh.position(element, xi);
        let found = locator.locate(point).expect("the point lies in the mesh");
        assert!(distance(mesh.position(found.element, found.xi), point) < tolerance);
        if xi.iter().all(|xi| xi.abs() < 1.0 - 1e-6) {
            assert_eq!(found.element, element);
            assert!(distance(found.xi, xi) < 1e-7);
        } else {
            assert!(found.element <= element, "shared points go to the lowest element");
        }
    }
}

#[test]
fn points_are_found_again() {
    for geometry in BOTH {
        let mesh = hilly(geometry);
        assert_found_again(&mesh, 1e-9);
        assert_found_again(&turned(&mesh, 5), 1e-9);
        assert_found_again(&cube(geometry, [1, 2, 1], [false; 2]), 1e-14);
    }
}

#[test]
fn points_are_found_again_far_from_the_origin() {
    let [east, north] = [500_000.0, 4_649_776.0];
    let sizes = UniformSize { size: 10.0, speed: 1.0 };
    let top = |x: f64, y: f64| 3.0 * (0.02 * (x - y)).sin();
    let x = [east, east + 60.0];
    let spec = BoxSpec::new(x, [north, north + 50.0], -40.0, strata(&[&top]), &sizes);
    assert_found_again(&mesh_box(&spec).unwrap(), 1e-8);
}

#[test]
fn points_outside_are_not_found() {
    let mesh = hilly(Geometry::Quadratic27);
    let locator = Locator::new(&mesh);
    for point in [
        [-0.1, 0.0, -100.0],
        [1600.1, 0.0, -100.0],
        [800.0, 800.1, -100.0],
        [800.0, 0.0, -3000.1],
        [471.2, 0.0, 60.1],
        [f64::NAN, 0.0, 0.0],
        [f64::INFINITY, 0.0, 0.0],
    ] {
        assert_eq!(locator.locate(point), None, "{point:?}");
    }
    assert_eq!(locator.locate_on_surface([-0.1, 0.0, 0.0]), None);
    assert_eq!(locator.locate_on_surface([f64::NAN, 0.0, 0.0]), None);
}

#[test]
fn the_surface_is_found_under_every_point_of_the_map() {
    let hills = |x: f64, y: f64| 60.0 * (x / 300.0).sin() * (y / 400.0).cos();
    for geometry in BOTH {
        let straight = hilly(geometry);
        for mesh in [turned(&straight, 9), straight] {
            let locator = Locator::new(&mesh);
            let mut random = Random(23);
            for case in 0..500 {
                let [x, y] = match case {
                    0 => [0.0, -800.0],
                    1 => [1600.0, 800.0],
                    2 => [800.0, 0.0],
                    _ => [1600.0 * random.next(), 1600.0 * random.next() - 800.0],
                };
                let found = locator.locate_on_surface([x, y, 0.0]).expect("the point lies on the map");
                let position = mesh.position(found.element, found.xi);
                assert!((position[0] - x).hypot(position[1] - y) < 1e-9);
                let limit = if geometry == Geometry::Linear8 { 2.0 } else { 0.05 };
                assert!((position[2] - hills(x, y)).abs() < limit, "{position:?}");
                assert!(found.xi.iter().any(|xi| xi.abs() == 1.0));
                assert!(locator.locate(position).is_some());
            }
        }
    }
}
