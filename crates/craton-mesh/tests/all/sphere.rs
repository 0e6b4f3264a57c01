//! Boxes deformed to chunks of a sphere, and slices that are meshed separately.

use std::collections::HashSet;
use std::f64::consts::PI;

use crate::common::points;
use craton_mesh::{
    BoundaryFace, BoxPlan, BoxSpec, Deformation, Doubling, Flat, HexMesh, Horizontal, Locator, QualityReport, Side,
    Topology, mesh_box,
};
use craton_testkit::meshes::{PerStratum, strata};

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
    let area = area_of_top(&mesh) / (4.0 * PI / 6.0 * RADIUS * RADIUS);
    assert!((area - 1.0).abs() < 2e-6, "{}", area - 1.0);
    assert!(quality.scaled_jacobian.min > 0.3, "{}", quality.scaled_jacobian.min);
}

/// Area of the top of a mesh [m^2], by three Gauss points along each axis of a face.
fn area_of_top(mesh: &HexMesh) -> f64 {
    let (points, weights) = ([-0.6_f64.sqrt(), 0.0, 0.6_f64.sqrt()], [5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0]);
    let area_of = |face: &BoundaryFace| -> f64 {
        let at = |index: usize| {
            let [x, y, z] = mesh.face_normal(face.element, face.face, [points[index % 3], points[index / 3]]);
            weights[index % 3] * weights[index / 3] * (x * x + y * y + z * z).sqrt()
        };
        (0..9).map(at).sum()
    };
    mesh.faces.iter().filter(|face| face.side == Side::Top).map(area_of).sum()
}

#[test]
fn volume_and_surface_converge_to_those_of_the_sphere_with_the_fourth_power_of_the_width() {
    // A triquadratic element misses the sphere by the third power of its width, to one side and to the other.
    let half = RADIUS * PI / 4.0;
    let sizes = PerStratum(&[(1e9, 8e3)]);
    let top = Flat(0.0);
    let errors = [4, 8, 16].map(|count| {
        let mut spec = BoxSpec::new([-half, half], [-half, half], -2891e3, strata(&[&top]), &sizes);
        spec.deformation = Some(&Sphere);
        spec.horizontal = Horizontal::Elements([count, count]);
        spec.doubling = Doubling::Never;
        let mesh = mesh_box(&spec).unwrap();
        let volume = QualityReport::measure(&mesh, &points(4)).total_volume();
        let shell = 4.0 * PI / 18.0 * (RADIUS.powi(3) - (RADIUS - 2891e3).powi(3));
        [volume / shell - 1.0, area_of_top(&mesh) / (4.0 * PI / 6.0 * RADIUS * RADIUS) - 1.0]
    });
    for [coarse, fine] in [[errors[0], errors[1]], [errors[1], errors[2]]] {
        for quantity in 0..2 {
            let order = (coarse[quantity] / fine[quantity]).abs().log2();
            assert!((order - 4.0).abs() < 0.2, "{order}: {errors:?}");
        }
    }
    assert!(errors[2].iter().all(|error| error.abs() < 2e-5), "{errors:?}");
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
fn each_element_of_the_whole_belongs_to_one_slice_with_its_nodes_its_region_and_its_sides() {
    let (whole, slices) = with_chunk(|plan| {
        let each = |index: usize| plan.slice([4, 2], [index % 4, index / 4]).unwrap().build().unwrap();
        (plan.build().unwrap(), (0..8).map(each).collect::<Vec<_>>())
    });
    let locator = Locator::new(&whole);
    let mut found = HashSet::new();
    let mut sides = HashSet::new();
    for slice in &slices {
        let mut of_whole = Vec::new();
        for element in 0..slice.n_elements() as u32 {
            let there = locator.locate(slice.position(element, [0.0; 3])).unwrap().element;
            assert_eq!(slice.region[element as usize], whole.region[there as usize]);
            for (&here, &node) in slice.nodes_of(element).iter().zip(whole.nodes_of(there)) {
                let [a, b] = [slice.control_nodes[here as usize], whole.control_nodes[node as usize]];
                // A last bit is 1e-9 m at the radius of the Earth.
                assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-7), "{a:?} {b:?}");
            }
            of_whole.push(there);
        }
        sides.extend(slice.faces.iter().map(|face| (of_whole[face.element as usize], face.face, face.side as u8)));
        found.extend(of_whole);
    }
    assert_eq!(found.len(), whole.n_elements(), "each once");
    let expected: HashSet<_> = whole.faces.iter().map(|face| (face.element, face.face, face.side as u8)).collect();
    assert!(sides == expected, "{} faces, {} expected", sides.len(), expected.len());
}

#[test]
fn slices_that_would_cut_an_element_or_a_brick_are_refused() {
    let error = with_chunk(|plan| plan.slice([5, 1], [0, 0]).err().unwrap().to_string());
    assert!(error.starts_with("slice [0, 0] of [5, 1] along x and y cannot be built alone"), "{error}");
    assert!(with_chunk(|plan| plan.slice([2, 2], [2, 0]).is_err()));
}
