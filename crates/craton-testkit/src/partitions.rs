//! Conformance tests for partitioners: load balance, small edge cut, reproducibility.

use std::collections::HashMap;

use craton_mesh::{Geometry, Graph, HexMesh, MeshError, Topology, imbalance, recursive_bisection};

use crate::meshes::hilly;

/// A partitioner: assigns each item to one of `n` parts.
pub type Partition = fn(&Items, usize) -> Result<Vec<u32>, MeshError>;

/// The items to be partitioned.
pub struct Items {
    /// Centres of the items [m].
    pub centres: Vec<[f64; 3]>,
    /// Graph of the items with their costs and shared faces.
    pub graph: Graph,
}

impl Items {
    /// Cubes of 10 m on a lattice; neighbours share faces.
    ///
    /// # Arguments
    /// * `counts` – number of lattice cells along each axis
    /// * `is_inside` – whether a cell holds a cube
    pub fn on_lattice(counts: [usize; 3], is_inside: impl Fn([usize; 3]) -> bool) -> Self {
        let place = |n: usize| [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
        let places: Vec<[usize; 3]> =
            (0..counts.iter().product()).map(place).filter(|&place| is_inside(place)).collect();
        let numbers: HashMap<[usize; 3], u32> = places.iter().copied().zip(0..).collect();
        let mut pairs = Vec::new();
        for (place, &item) in &numbers {
            for axis in 0..3 {
                let mut above = *place;
                above[axis] += 1;
                pairs.extend(numbers.get(&above).into_iter().flat_map(|&other| [(item, other), (other, item)]));
            }
        }
        pairs.sort_unstable();
        let graph = Graph::from_pairs(&pairs, vec![1.0; places.len()]);
        Self { centres: places.iter().map(|place| place.map(|n| 10.0 * n as f64)).collect(), graph }
    }

    /// All cubes of a lattice.
    pub fn boxed(counts: [usize; 3]) -> Self {
        Self::on_lattice(counts, |_| true)
    }

    /// Patches of at most `most` elements, a multiple of 8; the cost of a patch is its number of elements.
    fn patches(mesh: &HexMesh, most: usize) -> Self {
        let patches = recursive_bisection(&mesh.centroids(), most, 8).expect("a mesh that can be divided into patches");
        let mesh = mesh.reordered(&patches.elements).expect("an order that contains every element once");
        let weights = (0..patches.len()).map(|patch| patches.range(patch).len() as f64).collect();
        let topology = Topology::new(&mesh).expect("a valid mesh");
        let centroids = mesh.centroids();
        let centre = |patch: usize| {
            let elements = &centroids[patches.range(patch)];
            [0, 1, 2].map(|axis| elements.iter().map(|centre| centre[axis]).sum::<f64>() / elements.len() as f64)
        };
        let graph = Graph::of_patches(&patches, &topology, weights);
        Self { centres: (0..patches.len()).map(centre).collect(), graph }
    }

    /// Partitions the items; there must be at least one item per part.
    fn parts(&self, partition: Partition, n_parts: usize) -> Vec<u32> {
        partition(self, n_parts).expect("there is an item for each part")
    }

    /// Load imbalance: largest cost of a part over the mean, minus one.
    fn excess(&self, parts: &[u32], n_parts: usize) -> f64 {
        imbalance(&self.graph.weights, parts, n_parts) - 1.0
    }
}

/// Runs all conformance tests.
///
/// # Panics
/// If a test fails.
pub fn keep_all_promises(partition: Partition) {
    balances_boxes_with_a_small_cut(partition);
    cuts_along_planes(partition);
    leaves_no_part_empty(partition);
    balances_costs(partition);
    is_reproducible_in_concurrent_threads(partition);
    balances_patches(partition);
    rejects_more_parts_than_items(partition);
}

/// Area between equal parts of a box under recursive bisection across the longest side.
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

fn balances_boxes_with_a_small_cut(partition: Partition) {
    for counts in [[24, 24, 24], [40, 20, 10], [60, 12, 12]] {
        let items = Items::boxed(counts);
        for n_parts in 1..=9 {
            let parts = items.parts(partition, n_parts);
            let (excess, cut) = (items.excess(&parts, n_parts), items.graph.cut(&parts) as f64);
            let ideal = area_between(counts.map(|count| count as f64), n_parts);
            let what = format!("{counts:?} into {n_parts}: excess {excess}, cut {cut} of {ideal}");
            assert!((0.0..2e-3).contains(&excess), "{what}");
            assert!(cut <= 1.1 * ideal, "{what}");
            assert!(n_parts == 1 || cut > 0.7 * ideal, "{what}");
        }
    }
}

/// A box is cut along planes if the number of parts divides it.
fn cuts_along_planes(partition: Partition) {
    for (counts, n_parts, cut) in
        [([24, 24, 24], 2, 576), ([24, 24, 24], 3, 960), ([24, 24, 24], 8, 1728), ([60, 4, 4], 6, 80)]
    {
        let items = Items::boxed(counts);
        let parts = items.parts(partition, n_parts);
        assert_eq!(items.graph.cut(&parts), cut, "{counts:?} into {n_parts}");
        assert!(items.excess(&parts, n_parts).abs() < 1e-12);
    }
}

/// Works down to one item per part.
fn leaves_no_part_empty(partition: Partition) {
    for counts in [[3, 3, 1], [2, 2, 2], [9, 1, 1], [5, 4, 3]] {
        let items = Items::boxed(counts);
        for n_parts in 1..=items.centres.len().min(9) {
            let parts = items.parts(partition, n_parts);
            let is_used = |part| parts.contains(&(part as u32));
            assert!((0..n_parts).all(is_used), "{counts:?} into {n_parts}: {parts:?}");
            assert!(parts.iter().all(|&part| (part as usize) < n_parts));
        }
    }
}

/// Costs of parts are balanced even if those of the items differ.
fn balances_costs(partition: Partition) {
    let mut items = Items::boxed([30, 20, 10]);
    for (weight, centre) in items.graph.weights.iter_mut().zip(&items.centres) {
        *weight = if centre[2] < 45.0 { 2.5e-6 } else { 1e-6 };
    }
    for n_parts in 2..=9 {
        let excess = items.excess(&items.parts(partition, n_parts), n_parts);
        assert!(excess < 5e-3, "into {n_parts}: excess {excess}");
    }
}

fn is_reproducible_in_concurrent_threads(partition: Partition) {
    let items = Items::on_lattice([20, 20, 4], |[x, y, _]| x < 7 || y < 7);
    let first = items.parts(partition, 5);
    std::thread::scope(|scope| {
        for n_parts in [2, 5, 3, 5] {
            let (items, first) = (&items, &first);
            scope.spawn(move || {
                let parts = items.parts(partition, n_parts);
                assert!(n_parts != 5 || parts == *first);
            });
        }
    });
}

/// Patches of a mesh with doubling layers are distributed evenly.
fn balances_patches(partition: Partition) {
    let items = Items::patches(&hilly(Geometry::Linear8), 24);
    let n_elements: f64 = items.graph.weights.iter().sum();
    for n_parts in 2..=9 {
        let parts = items.parts(partition, n_parts);
        let more = n_elements / n_parts as f64 * items.excess(&parts, n_parts);
        assert!(more <= 24.0 + 1e-9, "into {n_parts}: {more} elements more, a patch has 24");
        assert!(items.graph.cut(&parts) < 360 * n_parts as u64, "into {n_parts}");
    }
}

fn rejects_more_parts_than_items(partition: Partition) {
    let items = Items::boxed([3, 1, 1]);
    for n_parts in [0, 4] {
        assert_eq!(partition(&items, n_parts), Err(MeshError::TooManyParts { n_parts, n_items: 3 }));
    }
}
