//! Partitions by METIS, for meshes that are no boxes.
#![forbid(unsafe_code)]

use craton_mesh::{Graph, MeshError, check_parts};
use metis::option::{NCuts, Seed};
use std::sync::{Mutex, PoisonError};

/// METIS draws from the random numbers of the process, which it seeds: in turn, so that every partition is always the same.
static TURN: Mutex<()> = Mutex::new(());

/// Largest sum of the whole numbers that METIS is given; it adds them with 31 bits.
const LARGEST_SUM: f64 = 1e9;

/// Attempts at every cut, of which the best one counts.
const ATTEMPTS: i32 = 8;

/// Cuts a graph into parts of even cost that share few nodes, by METIS.
///
/// # Arguments
/// * `graph` – items, their costs and what they share
/// * `n_parts` – number of parts, from 1 to the number of items
///
/// # Returns
/// The part of every item; no part is empty. The same arguments give the same parts.
///
/// # Errors
/// [`MeshError::TooManyParts`], and [`MeshError::Metis`] when the graph is too large for its 32-bit numbers or contradicts itself.
///
/// # Source
/// G. Karypis and V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20
/// (1998) 359-392.
pub fn metis_partition(graph: &Graph, n_parts: usize) -> Result<Vec<u32>, MeshError> {
    check_parts(n_parts, graph.weights.len())?;
    if n_parts == 1 {
        return Ok(vec![0; graph.weights.len()]);
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut parts = cut(graph, n_parts).map_err(|why| MeshError::Metis { n_parts, why })?;
    fill_empty(&mut parts, n_parts);
    Ok(parts)
}

/// Recursive bisection, which cuts less than METIS's direct way into all parts, and balances to a thousandth.
fn cut(graph: &Graph, n_parts: usize) -> Result<Vec<u32>, String> {
    let whole = |numbers: &[u32]| -> Result<Vec<i32>, String> {
        numbers.iter().map(|&number| i32::try_from(number).map_err(|_| "the mesh is too large".to_owned())).collect()
    };
    let (offsets, neighbours) = (whole(&graph.offsets)?, whole(&graph.neighbours)?);
    let weights = scaled(graph.weights.iter().copied());
    let neighbour_weights = scaled(graph.neighbour_weights.iter().copied().map(f64::from));
    let mut parts = vec![0; weights.len()];
    let n_parts = i32::try_from(n_parts).map_err(|_| "they are too many".to_owned())?;
    metis::Graph::new(1, n_parts, &offsets, &neighbours)
        .map_err(|error| error.to_string())?
        .set_vwgt(&weights)
        .set_adjwgt(&neighbour_weights)
        .set_option(Seed(1))
        .set_option(NCuts(ATTEMPTS))
        .part_recursive(&mut parts)
        .map_err(|error| error.to_string())?;
    Ok(parts.into_iter().map(|part| part as u32).collect())
}

/// Whole numbers from 1 in the proportions of `weights`.
fn scaled(weights: impl Iterator<Item = f64> + Clone) -> Vec<i32> {
    let scale = LARGEST_SUM / weights.clone().sum::<f64>();
    weights.map(|weight| ((weight * scale).round() as i32).max(1)).collect()
}

/// Gives every part that METIS has left empty, which happens when there are few items for each, one item of the part with most.
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
    fn empty_parts_take_from_the_fullest() {
        let mut parts = [0, 0, 0, 2, 2];
        fill_empty(&mut parts, 5);
        assert_eq!(parts, [1, 4, 0, 3, 2]);
    }
}
