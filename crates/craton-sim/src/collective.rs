//! Values that all ranks gather or broadcast together.

use bytemuck::Pod;
use craton_comm::{CommError, Ranks};

/// Gathers the values of all ranks on the first one, rank by rank; `None` on the others.
///
/// # Errors
/// A rank that is lost.
pub fn gather_values<V: Pod>(ranks: &dyn Ranks, own: &[V]) -> Result<Option<Vec<Vec<V>>>, CommError> {
    let all = ranks.gather(bytemuck::cast_slice(own))?;
    Ok(all.map(|ranks| ranks.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect()))
}

/// Reads the next `count` values from a source on the first rank, and broadcasts them to all ranks.
///
/// # Errors
/// A rank that is lost.
pub fn broadcast_next<V: Pod + Default>(
    ranks: &dyn Ranks,
    count: usize,
    source: &mut dyn FnMut(&mut [V]),
) -> Result<Vec<V>, CommError> {
    let mut values = vec![V::default(); count];
    if ranks.is_root() {
        source(&mut values);
    }
    if ranks.count() > 1 {
        let mut bytes = bytemuck::cast_slice(&values).to_vec();
        ranks.broadcast(&mut bytes)?;
        values = bytemuck::pod_collect_to_vec(&bytes);
    }
    Ok(values)
}
