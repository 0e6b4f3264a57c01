//! Boxes bent to chunks of a sphere, and slices that are built alone.

mod common;

use std::collections::HashSet;
use std::f64::consts::PI;

use common::{PerStratum, points, strata};
use craton_mesh::{BoxPlan, BoxSpec, Deformation, Flat, HexMesh, QualityReport, Side, Topology};

/// Radius of the sphere [m].
const RADIUS: f64 = 6_371_000.0;

/// The equiangular face of a cube on the sphere: x and y are angles times the radius, z is the height.
struct Sphere;

impl Deformation for Sphere {
    fn position(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [a, b] = [x, y].map(|arc| (arc / RADIUS).tan());
        let scale = (RADIUS + z) / (1.0 + a * a + b * b).sqrt();
        [scale * a, scale * b, scale]
    }

    fn spread(&self, z: f64) -> f64 {
        (RADIUS + z) / RADIUS
    }
}

/// Crust, upper and lower mantle, so that elements double once.
const MANTLE: PerStratum = PerStratum(&[(320e3, 8.1e3), (340e3, 10.2e3), (640e3, 13.7e3)]);

/// A face of the cube down to 2891 km.
fn with_chunk<R>(work: impl Fn(&BoxPlan) -> R) -> R {
    let half = RADIUS * PI / 4.0;
    let (top, middle, lower) = (Flat(0.0), Flat(-400e3), Flat(-670e3));
    let mut spec = BoxSpec::new([-half, half], [-half, half], -2891e3, strata(&[&top, &middle, &lower]), &MANTLE);
    spec.deformation = Some(&Sphere);
    work(&BoxPlan::new(&spec).unwrap())
}

#[test]
fn a_chunk_has_the_volume_and_surface_of_its_part_of_the_sphere() {
    let mesh = with_chunk(|plan| plan.build().unwrap());
    let gll = points(4);
    let quality = QualityReport::measure(&mesh, &gll);
    let volume: f64 = quality.elements.iter().map(|element| element.volume).sum();
    // A sixth of the shell.
    let exact = 4.0 * PI / 18.0 * (RADIUS.powi(3) - (RADIUS - 2891e3).powi(3));
    assert!((volume / exact - 1.0).abs() < 2e-6, "{}", volume / exact - 1.0);
    let weights = [1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0];
    let area_of = |face: &craton_mesh::BoundaryFace| -> f64 {
        let at = |index: usize| {
            let along = [index % 3, index / 3].map(|i| i as f64 - 1.0);
            let [x, y, z] = mesh.face_normal(face.element, face.face, along);
            weights[index % 3] * weights[index / 3] * (x * x + y * y + z * z).sqrt()
        };
        (0..9).map(at).sum()
    };
    let area: f64 = mesh.faces.iter().filter(|face| face.side == Side::Top).map(area_of).sum();
    let exact = 4.0 * PI / 6.0 * RADIUS * RADIUS;
    assert!((area / exact - 1.0).abs() < 2e-5, "{}", area / exact - 1.0);
    assert!(quality.scaled_jacobian.min > 0.3, "{}", quality.scaled_jacobian.min);
}

#[test]
fn elements_grow_with_depth_and_are_narrower_below() {
    let mesh = with_chunk(|plan| plan.build().unwrap());
    let faces = |side: Side| mesh.faces.iter().filter(|face| face.side == side).count();
    assert_eq!(faces(Side::Top), 4 * faces(Side::Bottom), "one doubling each way");
    // Without the sphere's convergence the lower mantle's size would allow none this early: 640 km are 52 degrees at its bottom.
    let gll = points(4);
    let quality = QualityReport::measure(&mesh, &gll);
    let longest = |region: u16| {
        let own = quality.elements.iter().zip(&mesh.region).filter(|(_, of)| **of == region);
        own.map(|(element, _)| element.edge_max).fold(0.0, f64::max)
    };
    for (region, size) in [(0, 320e3), (1, 340e3), (2, 640e3)] {
        assert!(longest(region) < 1.02 * size, "{region}: {}", longest(region));
    }
}

#[test]
fn slices_make_the_whole() {
    let key =
        |mesh: &HexMesh| -> HashSet<[u64; 3]> { mesh.control_nodes.iter().map(|x| x.map(f64::to_bits)).collect() };
    let near = |a: &HexMesh, b: &HexMesh| {
        let place = |mesh: &HexMesh| -> HashSet<[i64; 3]> {
            mesh.control_nodes.iter().map(|x| x.map(|x| (x / 0.01).round() as i64)).collect()
        };
        place(a).intersection(&place(b)).count()
    };
    let (whole, slices) = with_chunk(|plan| {
        let each = |index: usize| plan.slice([2, 4], [index % 2, index / 2]).unwrap().build().unwrap();
        (plan.build().unwrap(), (0..8).map(each).collect::<Vec<_>>())
    });
    assert_eq!(slices.iter().map(HexMesh::n_elements).sum::<usize>(), whole.n_elements());
    assert_eq!(slices.iter().map(|slice| slice.faces.len()).sum::<usize>(), whole.faces.len());
    let all: HashSet<[u64; 3]> = slices.iter().flat_map(key).collect();
    assert_eq!(all.len(), whole.control_nodes.len(), "nodes on faces between slices have the same bits on both sides");
    for slice in &slices {
        let found = near(slice, &whole);
        assert!(found + 20 > slice.control_nodes.len(), "{found} of {}", slice.control_nodes.len());
        Topology::new(slice).unwrap();
    }
}

#[test]
fn slices_that_would_cut_an_element_or_a_brick_are_refused() {
    let error = with_chunk(|plan| plan.slice([5, 1], [0, 0]).err().unwrap().to_string());
    assert!(error.starts_with("slice [0, 0] of [5, 1] along x and y cannot be built alone"), "{error}");
    assert!(with_chunk(|plan| plan.slice([2, 2], [2, 0]).is_err()));
}
