//! Meshes of the whole sphere.

use std::collections::HashMap;
use std::f64::consts::PI;

use crate::common::{assert_conforming, points};
use craton_mesh::{
    Doubling, Flat, Geometry, GlobePlan, GlobeSpec, HexMesh, Horizontal, QualityReport, Side, Topology, mesh_globe,
};
use craton_testkit::meshes::{PerStratum, strata};

/// Radius of the sphere [m].
const RADIUS: f64 = 6_371_000.0;

/// Coordinates of a direction, for surfaces that do not depend on them.
fn nowhere(_: [f64; 3]) -> [f64; 2] {
    [0.0; 2]
}

/// Crust, upper and lower mantle, outer and inner core, with elements that double twice.
const EARTH: PerStratum =
    PerStratum(&[(640e3, 8.1e3), (680e3, 10.2e3), (1280e3, 13.7e3), (1600e3, 10.3e3), (700e3, 11.2e3)]);
const TOPS: [Flat; 5] = [Flat(0.0), Flat(-400e3), Flat(-670e3), Flat(-2891e3), Flat(-5149.5e3)];

fn earth(geometry: Geometry, sizes: &PerStratum, change: impl FnOnce(&mut GlobeSpec)) -> HexMesh {
    let tops = strata(&[&TOPS[0], &TOPS[1], &TOPS[2], &TOPS[3], &TOPS[4]]);
    let mut spec = GlobeSpec::new(RADIUS, tops, sizes, &nowhere);
    spec.geometry = geometry;
    change(&mut spec);
    mesh_globe(&spec).unwrap()
}

#[test]
fn globes_are_conforming_with_and_without_doublings() {
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let mesh = earth(geometry, &EARTH, |_| ());
        assert_conforming(&mesh);
        let on_top = mesh.faces.iter().filter(|face| face.side == Side::Top).count();
        assert_eq!(on_top, mesh.faces.len(), "a globe has no other sides");
        let regular = earth(geometry, &EARTH, |spec| {
            spec.horizontal = Horizontal::Elements([on_top, on_top].map(|count| (count / 6).isqrt()));
            spec.doubling = Doubling::Never;
        });
        assert_conforming(&regular);
        assert_eq!(regular.faces.len(), on_top);
        assert!(mesh.n_elements() < regular.n_elements() * 6 / 10, "{} {}", mesh.n_elements(), regular.n_elements());
        let quality = QualityReport::measure(&mesh, &points(4));
        assert!(quality.scaled_jacobian.min > 0.2, "{}", quality.scaled_jacobian.min);
    }
}

/// Control nodes and region of an element.
type Piece = (Vec<[u64; 3]>, u16);

/// The control nodes and the region of each element by its key, and the keys of elements on the surface.
fn pieces(mesh: &HexMesh) -> (HashMap<u64, Piece>, Vec<u64>) {
    let keys = mesh.keys();
    let of = |element: usize| {
        let nodes = mesh.nodes_of(element as u32).iter().map(|&node| mesh.control_nodes[node as usize]);
        (nodes.map(|node| node.map(f64::to_bits)).collect(), mesh.region[element])
    };
    let surface = mesh.faces.iter().map(|face| keys[face.element as usize]).collect();
    ((0..mesh.n_elements()).map(|element| (keys[element], of(element))).collect(), surface)
}

#[test]
fn windows_of_a_sphere_are_pieces_of_the_whole() {
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let tops = strata(&[&TOPS[0], &TOPS[1], &TOPS[2], &TOPS[3], &TOPS[4]]);
        let mut spec = GlobeSpec::new(RADIUS, tops, &EARTH, &nowhere);
        spec.geometry = geometry;
        spec.tile = 120;
        let plan = GlobePlan::new(&spec).unwrap();
        let (all, surface) = pieces(&plan.build().unwrap());
        let count = plan.tiles();
        assert!(count > 20 && all.len() == plan.n_elements() && plan.middles().len() == count);
        assert_eq!(plan.sizes().iter().sum::<usize>(), all.len());
        let mut on_surface = 0;
        for part in 0..5 {
            let own: Vec<bool> = (0..count).map(|tile| tile * 5 / count == part).collect();
            let window = plan.window(own.clone());
            let mesh = window.build().unwrap();
            Topology::new(&mesh).unwrap();
            assert_eq!(mesh.n_elements(), window.n_elements());
            let (found, of_window) = pieces(&mesh);
            assert!(found.iter().all(|(key, piece)| all[key] == *piece && own[(key >> 32) as usize]), "{part}");
            assert!(of_window.iter().all(|key| surface.contains(key)));
            on_surface += of_window.len();
            // The neighbours of a tile have all elements that share a node with it.
            let near = plan.with_neighbours(&own);
            let nodes: std::collections::HashSet<_> = found.values().flat_map(|(nodes, _)| nodes).collect();
            let touching = all.iter().filter(|(_, (of, _))| of.iter().any(|node| nodes.contains(node)));
            assert!(touching.into_iter().all(|(key, _)| near[(key >> 32) as usize]), "{part}");
        }
        assert_eq!(on_surface, surface.len());
    }
}

#[test]
fn strata_of_a_globe_have_the_volumes_of_shells() {
    let radius = |stratum: usize| TOPS.get(stratum).map_or(0.0, |top| RADIUS + top.0);
    let sizes = [EARTH.0, &EARTH.0.iter().map(|(size, speed)| (0.5 * size, *speed)).collect::<Vec<_>>()];
    let errors = sizes.map(|sizes| {
        let mesh = earth(Geometry::Quadratic27, &PerStratum(sizes), |spec| spec.doubling = Doubling::Never);
        let quality = QualityReport::measure(&mesh, &points(4));
        let error = |stratum: usize| {
            let of_stratum = |element: &usize| usize::from(mesh.region[*element]) == stratum;
            let elements = (0..mesh.n_elements()).filter(of_stratum);
            let volume: f64 = elements.map(|element| quality.elements[element].volume).sum();
            let exact = 4.0 * PI / 3.0 * (radius(stratum).powi(3) - radius(stratum + 1).powi(3));
            (volume / exact - 1.0).abs()
        };
        (0..TOPS.len()).map(error).fold(0.0, f64::max)
    });
    // The error of triquadratic elements is of fourth order in their width.
    assert!(errors[1] < 1e-6 && errors[1] < errors[0] / 12.0, "{errors:?}");
}
