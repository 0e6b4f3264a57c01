//! Boxes deformed to chunks of a sphere, and slices that are meshed separately.

use std::collections::HashSet;
use std::f64::consts::PI;

use crate::common::points;
use craton_mesh::{
    BoundaryFace, BoxPlan, BoxSpec, Deformation, Doubling, Flat, HexMesh, Horizontal, QualityReport, Side, Topology,
    mesh_box,
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
    spec.tile = 256;
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

/// Element, face and side of a face, with the bits of the centre of the element.
type Faced = ([u64; 3], u8, u8);

/// Control nodes, region and tile of an element.
type Piece = (Vec<[u64; 3]>, u16, u32);

/// What identifies the elements of a mesh by position, and the faces on sides.
fn pieces(mesh: &HexMesh) -> (HashSet<Piece>, HashSet<Faced>) {
    let bits = |x: [f64; 3]| x.map(f64::to_bits);
    let element = |element: u32| {
        let nodes = mesh.nodes_of(element).iter().map(|&node| bits(mesh.control_nodes[node as usize])).collect();
        (nodes, mesh.region[element as usize], mesh.tile_of(element))
    };
    let face = |face: &BoundaryFace| (bits(mesh.centroid(face.element)), face.face, face.side as u8);
    ((0..mesh.n_elements() as u32).map(element).collect(), mesh.faces.iter().map(face).collect())
}

#[test]
fn windows_are_pieces_of_the_whole() {
    let (whole, windows) = with_chunk(|plan| {
        assert!(plan.tiles().iter().all(|&count| count >= 4), "{:?}", plan.tiles());
        let each = |index: usize| {
            let tiles = plan.slice([3, 2], [index % 3, index / 3]).unwrap();
            let window = plan.window(tiles.clone());
            let mesh = window.build().unwrap();
            assert_eq!(mesh.n_elements(), window.n_elements());
            let own: HashSet<u32> = plan.numbers(&tiles).into_iter().collect();
            assert_eq!(mesh.tile.iter().copied().collect::<HashSet<_>>(), own);
            Topology::new(&mesh).unwrap();
            mesh
        };
        (plan.build().unwrap(), (0..6).map(each).collect::<Vec<_>>())
    });
    let (elements, faces) = pieces(&whole);
    let of_windows: Vec<_> = windows.iter().map(pieces).collect();
    assert_eq!(of_windows.iter().map(|own| own.0.len()).sum::<usize>(), elements.len());
    assert!(of_windows.iter().flat_map(|own| &own.0).all(|own| elements.contains(own)));
    assert_eq!(of_windows.iter().map(|own| own.1.len()).sum::<usize>(), faces.len());
    assert!(of_windows.iter().flat_map(|own| &own.1).all(|own| faces.contains(own)));
}

#[test]
fn a_box_has_no_more_slices_than_tiles() {
    let error = with_chunk(|plan| plan.slice([99, 1], [0, 0]).err().unwrap().to_string());
    assert!(error.starts_with("slice [0, 0] of [99, 1] along x and y: the box can be divided into at most"), "{error}");
    assert!(with_chunk(|plan| plan.slice([2, 2], [2, 0]).is_err()));
}
