//! Partitions by planes, and shared vertices of patches.

use crate::common::{self, cube};
use craton_mesh::{
    Geometry, Graph, MeshError, Topology, imbalance, recursive_bisection, regular_partition, slice_partition,
};
use craton_testkit::partitions::{Items, keep_all_promises};

fn planes(items: &Items, n_parts: usize) -> Result<Vec<u32>, MeshError> {
    regular_partition(&items.centres, &items.graph.weights, n_parts)
}

#[test]
fn planes_satisfy_all_guarantees_of_partitions() {
    keep_all_promises(planes);
}

#[test]
fn slices_are_vertical_with_equal_columns() {
    let items = Items::boxed([12, 15, 8]);
    let slices = |of| slice_partition(&items.centres, &items.graph.weights, of);
    for [along_x, along_y] in [[1, 1], [4, 5], [3, 1], [1, 3], [6, 3]] {
        let expected = items.centres.iter().map(|[x, y, _]| {
            let [i, j] = [(x, along_x, 12), (y, along_y, 15)]
                .map(|(at, slices, count)| at.round() as usize / 10 * slices / count);
            (j + along_y * i) as u32
        });
        assert!(slices([along_x, along_y]).unwrap().into_iter().eq(expected), "{along_x} x {along_y}");
    }
    // What does not divide the columns is even in cost all the same.
    let parts = slices([5, 7]).unwrap();
    assert!(imbalance(&items.graph.weights, &parts, 35) < 1.05);
    assert_eq!(slices([48, 50]), Err(MeshError::TooManyParts { n_parts: 2400, n_items: 1440 }));
}

#[test]
fn planes_stay_planes_when_centres_differ_by_round_off() {
    let items = Items::boxed([12, 12, 12]);
    let mut random = common::Random(5);
    let shaken: Vec<[f64; 3]> =
        items.centres.iter().map(|centre| centre.map(|x| x + 1e-9 * (random.next() - 0.5))).collect();
    for n_parts in 1..=9 {
        let exact = planes(&items, n_parts).unwrap();
        assert_eq!(regular_partition(&shaken, &items.graph.weights, n_parts).unwrap(), exact);
    }
}

#[test]
fn patches_share_the_vertices_between_them() {
    let mesh = cube(Geometry::Linear8, [4, 4, 4], [false; 2]);
    let patches = recursive_bisection(&mesh.centroids(), 16, 16).unwrap();
    let mesh = mesh.reordered(&patches.elements).unwrap();
    let graph = Graph::of_patches(&patches, &Topology::new(&mesh).unwrap(), vec![1.0; 4]);
    assert_eq!(graph.offsets, [0, 3, 6, 9, 12], "four columns, each beside all others");
    for item in 0..4 {
        let mut weights = graph.neighbour_weights[3 * item..3 * item + 3].to_vec();
        weights.sort_unstable();
        assert_eq!(weights, [5, 15, 15], "an edge, and two faces");
    }
    assert_eq!(graph.cut(&[0, 0, 1, 1]), 15 + 15 + 5 + 5);
    assert_eq!(graph.cut(&[0, 0, 0, 0]), 0);
}
