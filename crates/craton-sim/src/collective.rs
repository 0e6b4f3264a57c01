//! Values that all ranks gather or broadcast together.

use bytemuck::Pod;
use craton_comm::{CommError, Ranks};

/// Gathers the values of all ranks on the first one, rank by rank; `None` on the others.
///
/// # Errors
/// A rank that is lost.
pub fn gather_values<V: Pod>(ranks: &dyn Ranks, own: &[V]) -> Result<Option<Vec<Vec<V>>>, CommError> {
    gather_values_on(ranks, 0, own)
}

/// Gathers values of every rank on one rank.
///
/// # Errors
/// A rank that is lost.
pub fn gather_values_on<V: Pod>(ranks: &dyn Ranks, rank: usize, own: &[V]) -> Result<Option<Vec<Vec<V>>>, CommError> {
    let all = ranks.gather_on(rank, bytemuck::cast_slice(own))?;
    Ok(all.map(|ranks| ranks.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect()))
}

/// Broadcasts a block of values from one rank, on which `source` provides them, to all ranks.
///
/// # Errors
/// A rank that is lost.
pub fn broadcast_block<V: Pod>(
    ranks: &dyn Ranks,
    rank: usize,
    block: &mut [V],
    source: &mut dyn FnMut(&mut [V]),
) -> Result<(), CommError> {
    if ranks.rank() == rank {
        source(block);
    }
    if ranks.count() > 1 {
        let mut bytes = bytemuck::cast_slice(block).to_vec();
        ranks.broadcast_from(rank, &mut bytes)?;
        bytemuck::cast_slice_mut(block).copy_from_slice(&bytes);
    }
    Ok(())
}
