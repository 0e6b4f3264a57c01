//! Patches, parts and colours.

use crate::common::{self, cube, points};
use craton_mesh::{
    Colouring, Geometry, MeshError, Numbering, Patches, QualityReport, Side, Topology, colour_elements, colour_patches,
    recursive_bisection,
};
use craton_testkit::meshes::hilly;

/// Nodes that more than one patch uses, for a mesh in the order of its patches.
fn shared_nodes(numbering: &Numbering, patches: &Patches) -> usize {
    let mut owner = vec![usize::MAX; numbering.n_nodes];
    let mut shared = vec![false; numbering.n_nodes];
    for patch in 0..patches.len() {
        for element in patches.range(patch) {
            for &node in numbering.nodes_of(element as u32) {
                let owner = &mut owner[node as usize];
                shared[node as usize] |= *owner != usize::MAX && *owner != patch;
                *owner = patch;
            }
        }
    }
    shared.iter().filter(|&&shared| shared).count()
}

#[test]
fn patches_hold_every_element_once_in_multiples_of_the_lanes() {
    for (count, most, multiple) in [(1, 64, 16), (16, 16, 16), (1000, 64, 16), (1003, 50, 16), (777, 48, 8), (10, 3, 1)]
    {
        let mut random = common::Random(31);
        let centroids: Vec<[f64; 3]> =
            (0..count).map(|_| [random.next(), 2.0 * random.next(), random.next()]).collect();
        let patches = recursive_bisection(&centroids, most, multiple).unwrap();
        assert_eq!(patches, recursive_bisection(&centroids, most, multiple).unwrap());
        let mut seen = patches.elements.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(at, &element)| at as u32 == element));
        assert_eq!(seen.len(), count);
        assert_eq!(*patches.offsets.last().unwrap() as usize, count);
        for patch in 0..patches.len() {
            let size = patches.range(patch).len();
            assert!(size > 0 && size <= most);
            assert!(size.is_multiple_of(multiple) || patch + 1 == patches.len());
        }
        assert_eq!(patches.len(), count.div_ceil(most / multiple * multiple));
    }
    assert!(recursive_bisection(&[], 64, 16).unwrap().is_empty());
}

#[test]
fn patches_smaller_than_a_batch_are_refused() {
    let error = recursive_bisection(&[[0.0; 3]], 8, 16).unwrap_err();
    assert_eq!(error, MeshError::PatchSize { max_per_patch: 8, multiple: 16 });
    assert!(recursive_bisection(&[[0.0; 3]], 8, 0).is_err());
}

#[test]
fn patches_of_a_cube_are_blocks() {
    let mesh = cube(Geometry::Linear8, [16, 16, 16], [false; 2]);
    let patches = recursive_bisection(&mesh.centroids(), 64, 16).unwrap();
    let mesh = mesh.reordered(&patches.elements).unwrap();
    let numbering = Numbering::new(&mesh, 2).unwrap();
    // Blocks of 4 x 4 x 4 elements: 3 planes of shared nodes along each axis.
    let grid = 33_usize.pow(3) - 30_usize.pow(3);
    assert_eq!(shared_nodes(&numbering, &patches), grid);
}

#[test]
fn reordering_changes_numbers_and_nothing_else() {
    for periodic in [[false; 2], [true; 2]] {
        let mesh = cube(Geometry::Quadratic27, [5, 4, 6], periodic);
        let patches = recursive_bisection(&mesh.centroids(), 16, 4).unwrap();
        let new = mesh.reordered(&patches.elements).unwrap();
        common::assert_conforming(&new);
        for (at, &old) in patches.elements.iter().enumerate() {
            assert_eq!(new.centroid(at as u32), mesh.centroid(old));
        }
        assert_eq!(new.faces.len(), mesh.faces.len());
        for face in new.faces.iter().filter(|face| face.side == Side::Top) {
            let top = new.position(face.element, craton_mesh::face_point(face.face, [0.1, 0.2]));
            assert!((top[2] - 1.0).abs() < 1e-14);
        }
        let nodes = |mesh| Numbering::new(mesh, 3).unwrap().n_nodes;
        assert_eq!(nodes(&new), nodes(&mesh));
        let volume = QualityReport::measure(&new, &points(2)).total_volume();
        assert!((volume - 1.0).abs() < 1e-14);
    }
}

#[test]
fn an_order_must_be_a_permutation() {
    let mesh = cube(Geometry::Linear8, [2, 1, 2], [false; 2]);
    for (order, element) in [(vec![0, 1, 1, 3], 1), (vec![0, 1, 4, 3], 4), (vec![0, 1, 2], 3)] {
        let error = mesh.reordered(&order).unwrap_err();
        assert_eq!(error, MeshError::NotAPermutation { element, count: 4 });
    }
}

/// Asserts that groups of one colour share no node.
fn assert_disjoint(colouring: &Colouring, numbering: &Numbering, elements: impl Fn(usize) -> std::ops::Range<usize>) {
    assert!(colouring.colours.iter().all(|&colour| (colour as usize) < colouring.n_colours));
    for colour in 0..colouring.n_colours {
        let mut owner = vec![usize::MAX; numbering.n_nodes];
        let groups = (0..colouring.colours.len()).filter(|&g| colouring.colours[g] as usize == colour);
        for group in groups {
            for element in elements(group) {
                for &node in numbering.nodes_of(element as u32) {
                    let owner = &mut owner[node as usize];
                    assert!(*owner == usize::MAX || *owner == group);
                    *owner = group;
                }
            }
        }
    }
}

#[test]
fn elements_and_patches_of_one_colour_share_no_node() {
    for mesh in [hilly(Geometry::Linear8), cube(Geometry::Linear8, [5, 7, 6], [true; 2])] {
        let patches = recursive_bisection(&mesh.centroids(), 48, 16).unwrap();
        let mesh = mesh.reordered(&patches.elements).unwrap();
        let topology = Topology::new(&mesh).unwrap();
        let numbering = Numbering::from_topology(&topology, 2).unwrap();
        let colouring = colour_elements(&topology);
        assert!((8..=24).contains(&colouring.n_colours), "{}", colouring.n_colours);
        assert_disjoint(&colouring, &numbering, |element| element..element + 1);
        let colouring = colour_patches(&topology, &patches);
        assert!((2..=24).contains(&colouring.n_colours), "{}", colouring.n_colours);
        assert_disjoint(&colouring, &numbering, |patch| patches.range(patch));
    }
}
