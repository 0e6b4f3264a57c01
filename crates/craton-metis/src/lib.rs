//! Mesh partitioning with METIS, for meshes of any shape.
#![forbid(unsafe_code)]

use craton_mesh::{Graph, MeshError, check_parts};
use metis::option::{NCuts, Seed};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// METIS seeds and uses the global random-number generator of the process; the lock makes partitions reproducible.
static METIS_LOCK: Mutex<()> = Mutex::new(());

/// Largest sum of the integer weights given to METIS, which adds them with 31 bits.
const LARGEST_SUM: f64 = 1e9;

/// Number of attempts at every cut; METIS keeps the best.
const ATTEMPTS: i32 = 8;

/// Partitions a graph with METIS into parts that share few nodes and have equal costs on each level.
///
/// # Arguments
/// * `graph` – items, their costs and what they share
/// * `n_parts` – number of parts, from 1 to the number of items
///
/// # Returns
/// The part of every item; no part is empty. The same arguments give the same parts.
///
/// # Errors
/// [`MeshError::TooManyParts`], and [`MeshError::Metis`] if the graph is inconsistent or too large for 32-bit integers.
///
/// # Source
/// G. Karypis and V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20
/// (1998) 359-392; Multilevel algorithms for multi-constraint graph partitioning, Supercomputing (1998), for several levels.
pub fn metis_partition(graph: &Graph, n_parts: usize) -> Result<Vec<u32>, MeshError> {
    check_parts(n_parts, graph.weights.len())?;
    if n_parts == 1 {
        return Ok(vec![0; graph.weights.len()]);
    }
    let _lock = METIS_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let mut parts = cut(graph, n_parts).map_err(|why| MeshError::Metis { n_parts, why })?;
    fill_empty(&mut parts, n_parts);
    Ok(parts)
}

/// Recursive bisection, which has smaller cuts than the k-way method of METIS and balances to a thousandth.
fn cut(graph: &Graph, n_parts: usize) -> Result<Vec<u32>, String> {
    let whole = |numbers: &[u32]| -> Result<Vec<i32>, String> {
        numbers.iter().map(|&number| i32::try_from(number).map_err(|_| "the mesh is too large".to_owned())).collect()
    };
    let (offsets, neighbours) = (whole(&graph.offsets)?, whole(&graph.neighbours)?);
    let (weights, constraints) = weights_by_level(graph, n_parts);
    let neighbour_weights = scaled(graph.neighbour_weights.iter().copied().map(f64::from));
    let mut parts = vec![0; graph.weights.len()];
    let n_parts = i32::try_from(n_parts).map_err(|_| "they are too many".to_owned())?;
    metis::Graph::new(constraints, n_parts, &offsets, &neighbours)
        .map_err(|error| error.to_string())?
        .set_vwgt(&weights)
        .set_adjwgt(&neighbour_weights)
        .set_option(Seed(1))
        .set_option(NCuts(ATTEMPTS))
        .part_recursive(&mut parts)
        .map_err(|error| error.to_string())?;
    Ok(parts.into_iter().map(|part| part as u32).collect())
}

/// Weights of all items, for each of them one per constraint, and the number of constraints. An item has a weight on the constraint of its level only.
fn weights_by_level(graph: &Graph, n_parts: usize) -> (Vec<i32>, i32) {
    let constraints = constraints_of_levels(graph, n_parts);
    let count = constraints.values().max().map_or(1, |last| last + 1);
    let mut weights = vec![0; graph.weights.len() * count];
    for constraint in 0..count {
        let own = || (0..graph.levels.len()).filter(|&item| constraints[&graph.levels[item]] == constraint);
        for (item, weight) in own().zip(scaled(own().map(|item| graph.weights[item]))) {
            weights[item * count + constraint] = weight;
        }
    }
    (weights, count as i32)
}

/// The constraint of each level. Levels with fewer items than parts, which METIS cannot divide, share the constraint of a neighbouring level.
fn constraints_of_levels(graph: &Graph, n_parts: usize) -> BTreeMap<u8, usize> {
    let mut levels: BTreeMap<u8, usize> = BTreeMap::new();
    graph.levels.iter().for_each(|&level| *levels.entry(level).or_default() += 1);
    let mut counts: Vec<usize> = Vec::new();
    let constraint = |(level, items): (u8, usize)| {
        match counts.last_mut() {
            Some(last) if items < n_parts || *last < n_parts => *last += items,
            _ => counts.push(items),
        }
        (level, counts.len() - 1)
    };
    levels.into_iter().map(constraint).collect()
}

/// Integers of at least 1, proportional to `weights`.
fn scaled(weights: impl Iterator<Item = f64> + Clone) -> Vec<i32> {
    let scale = LARGEST_SUM / weights.clone().sum::<f64>();
    weights.map(|weight| ((weight * scale).round() as i32).max(1)).collect()
}

/// Moves an item from the largest part to each part that METIS has left empty, which happens if there are few items per part.
fn fill_empty(parts: &mut [u32], n_parts: usize) {
    let mut counts = vec![0_usize; n_parts];
    parts.iter().for_each(|&part| counts[part as usize] += 1);
    for empty in 0..n_parts {
        if counts[empty] > 0 {
            continue;
        }
        let most = (0..n_parts).max_by_key(|&part| counts[part]).unwrap_or(0);
        if let Some(part) = parts.iter_mut().find(|part| **part as usize == most) {
            *part = empty as u32;
            counts[most] -= 1;
            counts[empty] = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_with_few_items_share_a_constraint() {
        let of = |levels: &[u8], n_parts| {
            let graph = Graph::from_pairs(&[], vec![1.0; levels.len()]).with_levels(levels.to_vec());
            constraints_of_levels(&graph, n_parts).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of(&[0; 5], 2), [(0, 0)]);
        assert_eq!(of(&[0, 0, 2, 2, 5, 5, 5], 2), [(0, 0), (2, 1), (5, 2)]);
        assert_eq!(of(&[0, 2, 2, 2, 5, 5], 3), [(0, 0), (2, 0), (5, 0)]);
        assert_eq!(of(&[0, 2, 2, 2, 5, 5, 5], 3), [(0, 0), (2, 0), (5, 1)]);
    }

    #[test]
    fn empty_parts_take_items_from_the_largest() {
        let mut parts = [0, 0, 0, 2, 2];
        fill_empty(&mut parts, 5);
        assert_eq!(parts, [1, 4, 0, 3, 2]);
    }
}
