//! Partitions: even, with little in common, the same every time.

mod common;

use common::{cube, hilly};
use craton_mesh::{Geometry, Graph, MeshError, Topology, imbalance, recursive_bisection, regular_partition};
use std::collections::HashMap;

type Partitioner = fn(&Items, usize) -> Vec<u32>;

/// Both kinds of partition, or the one that is built.
const PARTITIONERS: &[(&str, Partitioner)] = &[
    ("regular", |items, n_parts| regular_partition(&items.centres, &items.graph.weights, n_parts).unwrap()),
    #[cfg(feature = "metis")]
    ("metis", |items, n_parts| craton_mesh::metis_partition(&items.graph, n_parts).unwrap()),
];

/// Unit cubes on a lattice that share their faces.
struct Items {
    centres: Vec<[f64; 3]>,
    graph: Graph,
}

impl Items {
    /// The places of the lattice that `is_inside` chooses.
    fn new(counts: [usize; 3], is_inside: impl Fn([usize; 3]) -> bool) -> Self {
        let place = |n: usize| [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
        let places: Vec<[usize; 3]> =
            (0..counts.iter().product()).map(place).filter(|&place| is_inside(place)).collect();
        let numbers: HashMap<[usize; 3], u32> = places.iter().copied().zip(0..).collect();
        let mut graph = Graph {
            offsets: vec![0],
            neighbours: Vec::new(),
            neighbour_weights: Vec::new(),
            weights: vec![1.0; places.len()],
        };
        for place in &places {
            for axis in 0..3 {
                for step in [usize::MAX, 1] {
                    let mut beside = *place;
                    beside[axis] = beside[axis].wrapping_add(step);
                    graph.neighbours.extend(numbers.get(&beside));
                }
            }
            graph.offsets.push(graph.neighbours.len() as u32);
        }
        graph.neighbour_weights = vec![1; graph.neighbours.len()];
        Self { centres: places.iter().map(|place| place.map(|n| 10.0 * n as f64)).collect(), graph }
    }

    fn boxed(counts: [usize; 3]) -> Self {
        Self::new(counts, |_| true)
    }
}

/// Largest cost of a part over the mean, less one.
fn excess(items: &Items, parts: &[u32], n_parts: usize) -> f64 {
    imbalance(&items.graph.weights, parts, n_parts) - 1.0
}

/// Area between equal parts of a box that planes across its longest side have cut, and then across that of every half.
fn area_between(mut sides: [f64; 3], n_parts: usize) -> f64 {
    if n_parts == 1 {
        return 0.0;
    }
    let longest = (0..3).fold(0, |longest, axis| if sides[axis] > sides[longest] { axis } else { longest });
    let (length, left) = (sides[longest], n_parts / 2);
    sides[longest] = length * left as f64 / n_parts as f64;
    let below = area_between(sides, left);
    sides[longest] = length - sides[longest];
    let above = area_between(sides, n_parts - left);
    below + above + sides.iter().product::<f64>() / sides[longest]
}

#[test]
fn parts_of_a_box_are_even_and_share_little_more_than_planes_between_them() {
    for (name, partition) in PARTITIONERS {
        for counts in [[24, 24, 24], [40, 20, 10], [60, 12, 12]] {
            let items = Items::boxed(counts);
            for n_parts in 1..=9 {
                let parts = partition(&items, n_parts);
                let (excess, cut) = (excess(&items, &parts, n_parts), items.graph.cut(&parts) as f64);
                let ideal = area_between(counts.map(|count| count as f64), n_parts);
                let what =
                    format!("{name} partition of {counts:?} into {n_parts}: excess {excess}, cut {cut} of {ideal}");
                assert!((0.0..2e-3).contains(&excess), "{what}");
                assert!(cut <= 1.1 * ideal, "{what}");
                assert!(n_parts == 1 || cut > 0.7 * ideal, "{what}");
            }
        }
    }
}

#[test]
fn a_number_that_divides_a_box_cuts_it_along_planes() {
    for (name, partition) in PARTITIONERS {
        for (counts, n_parts, cut) in
            [([24, 24, 24], 2, 576), ([24, 24, 24], 3, 960), ([24, 24, 24], 8, 1728), ([60, 4, 4], 6, 80)]
        {
            let items = Items::boxed(counts);
            let parts = partition(&items, n_parts);
            assert_eq!(items.graph.cut(&parts), cut, "{name} partition of {counts:?} into {n_parts}");
            assert!(excess(&items, &parts, n_parts).abs() < 1e-12);
        }
    }
}

#[test]
fn no_part_is_empty_down_to_one_item_each() {
    for (name, partition) in PARTITIONERS {
        for counts in [[3, 3, 1], [2, 2, 2], [9, 1, 1], [5, 4, 3]] {
            let items = Items::boxed(counts);
            for n_parts in 1..=items.centres.len().min(9) {
                let parts = partition(&items, n_parts);
                let is_used = |part| parts.contains(&(part as u32));
                assert!((0..n_parts).all(is_used), "{name} partition of {counts:?} into {n_parts}: {parts:?}");
                assert!(parts.iter().all(|&part| (part as usize) < n_parts));
            }
        }
    }
}

#[test]
fn parts_are_even_in_cost_where_items_are_not() {
    for (name, partition) in PARTITIONERS {
        let mut items = Items::boxed([30, 20, 10]);
        for (weight, centre) in items.graph.weights.iter_mut().zip(&items.centres) {
            *weight = if centre[2] < 45.0 { 2.5e-6 } else { 1e-6 };
        }
        for n_parts in 2..=9 {
            let excess = excess(&items, &partition(&items, n_parts), n_parts);
            assert!(excess < 5e-3, "{name} partition into {n_parts}: excess {excess}");
        }
    }
}

#[test]
fn the_same_items_give_the_same_parts_whoever_else_asks() {
    for (name, partition) in PARTITIONERS {
        let items = Items::new([20, 20, 4], |[x, y, _]| x < 7 || y < 7);
        let first = partition(&items, 5);
        std::thread::scope(|scope| {
            for n_parts in [2, 5, 3, 5] {
                let (items, first) = (&items, &first);
                scope.spawn(move || {
                    let parts = partition(items, n_parts);
                    assert!(n_parts != 5 || parts == *first, "{name} partition");
                });
            }
        });
    }
}

#[test]
fn planes_stay_planes_when_centres_differ_by_round_off() {
    let items = Items::boxed([12, 12, 12]);
    let mut random = common::Random(5);
    let shaken: Vec<[f64; 3]> =
        items.centres.iter().map(|centre| centre.map(|x| x + 1e-9 * (random.next() - 0.5))).collect();
    for n_parts in 1..=9 {
        let exact = regular_partition(&items.centres, &items.graph.weights, n_parts).unwrap();
        assert_eq!(regular_partition(&shaken, &items.graph.weights, n_parts).unwrap(), exact);
    }
}

#[test]
fn more_parts_than_items_are_refused() {
    let items = Items::boxed([3, 1, 1]);
    for n_parts in [0, 4] {
        let refused = Err(MeshError::TooManyParts { n_parts, n_items: 3 });
        assert_eq!(regular_partition(&items.centres, &items.graph.weights, n_parts), refused);
        #[cfg(feature = "metis")]
        assert_eq!(craton_mesh::metis_partition(&items.graph, n_parts), refused);
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

#[test]
fn patches_of_a_mesh_with_doublings_are_dealt_out_evenly() {
    let mesh = hilly(Geometry::Linear8);
    let patches = recursive_bisection(&mesh.centroids(), 24, 8).unwrap();
    let mesh = mesh.reordered(&patches.elements).unwrap();
    let weights: Vec<f64> = (0..patches.len()).map(|patch| patches.range(patch).len() as f64).collect();
    let graph = Graph::of_patches(&patches, &Topology::new(&mesh).unwrap(), weights);
    let centroids = mesh.centroids();
    let centre = |patch: usize| {
        let elements = &centroids[patches.range(patch)];
        [0, 1, 2].map(|axis| elements.iter().map(|centre| centre[axis]).sum::<f64>() / elements.len() as f64)
    };
    let items = Items { centres: (0..patches.len()).map(centre).collect(), graph };
    for (name, partition) in PARTITIONERS {
        for n_parts in 2..=9 {
            let parts = partition(&items, n_parts);
            let mean = mesh.n_elements() as f64 / n_parts as f64;
            let more = mean * excess(&items, &parts, n_parts);
            assert!(more <= 24.0 + 1e-9, "{name} partition into {n_parts}: {more} elements more, a patch has 24");
            assert!(items.graph.cut(&parts) < 360 * n_parts as u64, "{name} partition into {n_parts}");
        }
    }
}

#[cfg(feature = "metis")]
#[test]
fn metis_follows_the_shape_of_a_mesh_that_is_no_box() {
    let items = Items::new([40, 40, 6], |[x, y, _]| x < 10 || y < 10);
    for n_parts in 2..=8 {
        let [planes, metis] = [0, 1].map(|kind| items.graph.cut(&PARTITIONERS[kind].1(&items, n_parts)));
        assert!(5 * metis < 4 * planes, "{metis} against {planes} in {n_parts}");
    }
}
