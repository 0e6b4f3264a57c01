//! Partitions: assignment of items to parts with balanced work and few shared nodes.
//!
//! An item is a patch or a single element, which is never cut.

use crate::error::MeshError;
use crate::order::{Item, Patches, axes_by_spread, quantised, rank_along};
use crate::topology::Topology;
use std::ops::Range;

/// Graph of items that share nodes: the costs to balance and the edges not to cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Offset of the neighbours of every item, followed by their total number
    pub offsets: Vec<u32>,
    /// Neighbours of all items, item by item; the relation is symmetric
    pub neighbours: Vec<u32>,
    /// Number of nodes shared with every neighbour, equal in both directions
    pub neighbour_weights: Vec<u32>,
    /// Cost of every item, positive
    pub weights: Vec<f64>,
    /// Level of every item; the costs of each level are to be balanced
    pub levels: Vec<u8>,
}

impl Graph {
    /// The graph of the patches of a mesh: patches that share vertices are neighbours.
    ///
    /// # Arguments
    /// * `patches` – the patches of the mesh
    /// * `topology` – of the mesh in the order of the patches ([`crate::HexMesh::reordered`])
    /// * `weights` – cost of every patch
    pub fn of_patches(patches: &Patches, topology: &Topology, weights: Vec<f64>) -> Self {
        let mut users: Vec<(u32, u32)> = (0..patches.len())
            .flat_map(|patch| {
                let vertices = topology.vertices[patches.range(patch)].as_flattened();
                vertices.iter().map(move |&vertex| (vertex, patch as u32))
            })
            .collect();
        users.sort_unstable();
        users.dedup();
        let mut pairs: Vec<(u32, u32)> = users.chunk_by(|a, b| a.0 == b.0).flat_map(ordered_pairs).collect();
        pairs.sort_unstable();
        Self::from_pairs(&pairs, weights)
    }

    /// Builds a graph of items with the given weights, all of level 0.
    ///
    /// # Arguments
    /// * `pairs` – (item, neighbour) in ascending order, in both directions, once for every shared node
    pub fn from_pairs(pairs: &[(u32, u32)], weights: Vec<f64>) -> Self {
        let mut offsets = vec![0; weights.len() + 1];
        let (mut neighbours, mut neighbour_weights) = (Vec::new(), Vec::new());
        for same in pairs.chunk_by(|a, b| a == b) {
            let (item, neighbour) = same[0];
            neighbours.push(neighbour);
            neighbour_weights.push(same.len() as u32);
            offsets[item as usize + 1] = neighbours.len() as u32;
        }
        for item in 1..offsets.len() {
            offsets[item] = offsets[item].max(offsets[item - 1]);
        }
        Self { offsets, neighbours, neighbour_weights, levels: vec![0; weights.len()], weights }
    }

    /// Assigns a level to every item.
    pub fn with_levels(self, levels: Vec<u8>) -> Self {
        Self { levels, ..self }
    }

    /// Total weight of the edges between items of different parts.
    ///
    /// # Arguments
    /// * `parts` – part of every item
    pub fn cut(&self, parts: &[u32]) -> u64 {
        let cut_of = |item: usize| -> u64 {
            let range = self.offsets[item] as usize..self.offsets[item + 1] as usize;
            let pairs = self.neighbours[range.clone()].iter().zip(&self.neighbour_weights[range]);
            pairs
                .filter(|&(&other, _)| parts[other as usize] != parts[item])
                .map(|(_, &weight)| u64::from(weight))
                .sum()
        };
        (0..self.weights.len()).map(cut_of).sum::<u64>() / 2
    }
}

/// All (a, b) of different patches among those of one vertex.
fn ordered_pairs(users: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
    let pairs = users.iter().flat_map(|&(_, a)| users.iter().map(move |&(_, b)| (a, b)));
    pairs.filter(|(a, b)| a != b)
}

/// Load imbalance: the largest cost of a part over the mean cost; 1 is optimal.
///
/// # Arguments
/// * `weights` – cost of every item
/// * `parts` – its part, below `n_parts`
pub fn imbalance(weights: &[f64], parts: &[u32], n_parts: usize) -> f64 {
    let mut loads = vec![0.0; n_parts];
    for (&part, weight) in parts.iter().zip(weights) {
        loads[part as usize] += weight;
    }
    let mean = weights.iter().sum::<f64>() / n_parts as f64;
    loads.into_iter().fold(0.0, f64::max) / mean
}

/// Partitions items by recursive bisection with planes normal to the longest side. The parts of a box are slices, or blocks if there are many.
///
/// Five parts are first divided into two and three, and so on, so that any number of parts is balanced. The result depends only on the
/// arguments, and not on round-off differences of centres.
///
/// # Arguments
/// * `centroids` – centres of the items [m]
/// * `weights` – cost of every item, positive
/// * `n_parts` – number of parts, from 1 to the number of items
///
/// # Returns
/// The part of every item; no part is empty.
///
/// # Errors
/// [`MeshError::TooManyParts`].
pub fn regular_partition(centroids: &[[f64; 3]], weights: &[f64], n_parts: usize) -> Result<Vec<u32>, MeshError> {
    dealt(centroids, weights, n_parts, &|items, n_parts| (axes_by_spread(items), n_parts / 2))
}

/// Partitions items into vertical slices of equal cost, first along x, then along y. Slice i along x and j along y is part j + n_y * i.
///
/// # Arguments
/// * `centroids`, `weights` – as for [`regular_partition`]
/// * `slices` – along x and y
///
/// # Errors
/// [`MeshError::TooManyParts`].
pub fn slice_partition(
    centroids: &[[f64; 3]],
    weights: &[f64],
    [along_x, along_y]: [usize; 2],
) -> Result<Vec<u32>, MeshError> {
    dealt(centroids, weights, along_x * along_y, &|_, n_parts| match n_parts / along_y {
        0 | 1 => ([1, 0, 2], n_parts / 2),
        columns => ([0, 1, 2], along_y * (columns / 2)),
    })
}

/// Rule for a bisection of items into a number of parts: the axes to sort by, most significant first, and the number of parts below the cut.
type Cut<'a> = &'a dyn Fn(&[Item], usize) -> ([usize; 3], usize);

/// Assigns items to parts by recursive bisection.
fn dealt(centroids: &[[f64; 3]], weights: &[f64], n_parts: usize, cut: Cut) -> Result<Vec<u32>, MeshError> {
    check_parts(n_parts, centroids.len())?;
    let mut parts = vec![0; centroids.len()];
    assign(&mut quantised(centroids), weights, 0..n_parts as u32, cut, &mut parts);
    Ok(parts)
}

/// Checks that there are at least as many items as parts; the first step of every partition.
///
/// # Errors
/// [`MeshError::TooManyParts`], also if `n_parts` is zero.
pub fn check_parts(n_parts: usize, n_items: usize) -> Result<(), MeshError> {
    if (1..=n_items).contains(&n_parts) { Ok(()) } else { Err(MeshError::TooManyParts { n_parts, n_items }) }
}

/// Assigns each of `items` to one of the parts `own`.
fn assign(items: &mut [Item], weights: &[f64], own: Range<u32>, cut: Cut, parts: &mut [u32]) {
    if own.len() == 1 {
        items.iter().for_each(|item| parts[item.number as usize] = own.start);
        return;
    }
    let (axes, below) = cut(items, own.len());
    let middle = own.start + below as u32;
    let (left, right) = (own.start..middle, middle..own.end);
    items.sort_unstable_by_key(rank_along(axes));
    let (low, high) = items.split_at_mut(even_cut(items, weights, left.len(), right.len()));
    assign(low, weights, left, cut, parts);
    assign(high, weights, right, cut, parts);
}

/// Number of the sorted `items` to assign to the `left` parts so that their cost is closest to their share.
///
/// Each side gets at least as many items as it has parts.
fn even_cut(items: &[Item], weights: &[f64], left: usize, right: usize) -> usize {
    let cost = |item: &Item| weights[item.number as usize];
    let share = items.iter().map(cost).sum::<f64>() * left as f64 / (left + right) as f64;
    let mut below = 0.0;
    let count = items.iter().take_while(|item| {
        below += cost(item);
        below - 0.5 * cost(item) < share
    });
    count.count().clamp(left, items.len() - right)
}
