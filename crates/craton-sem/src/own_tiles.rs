//! The tiles of a process, and properties of the whole mesh that all processes agree on.

use bytemuck::Pod;
use craton_comm::{CommError, Ranks, Solo};
use craton_mesh::{TileSums, added};

/// The tiles that a process computes, of those that it meshes.
#[derive(Clone, Copy)]
pub struct OwnTiles<'a> {
    /// The processes of the run.
    pub ranks: &'a dyn Ranks,
    /// Whether a tile is one of them; `None` in processes with the whole mesh, each of which finds the properties of all tiles.
    pub is_own: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
}

impl OwnTiles<'_> {
    /// All tiles, of a process with the whole mesh.
    pub fn all() -> Self {
        Self { ranks: &Solo, is_own: None }
    }

    /// Whether this process determines the properties of a tile.
    pub fn has(&self, tile: u32) -> bool {
        self.is_own.is_none_or(|is_own| is_own(tile))
    }

    /// Adds the sums of all tiles.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn add(&self, sums: &TileSums) -> Result<[f64; 2], CommError> {
        if self.is_own.is_none() {
            return Ok(added(sums));
        }
        let own = sums.iter().filter(|(tile, _)| self.has(**tile));
        let own: Vec<[f64; 3]> = own.map(|(&tile, &[a, b])| [f64::from(tile), a, b]).collect();
        let all = self.values(own)?;
        Ok(added(&all.into_iter().map(|[tile, a, b]| (tile as u32, [a, b])).collect()))
    }

    /// The values of all processes, process by process.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn values<V: Pod>(&self, own: Vec<V>) -> Result<Vec<V>, CommError> {
        if self.is_own.is_none() {
            return Ok(own);
        }
        let all = self.ranks.all_gather(bytemuck::cast_slice(&own))?;
        Ok(all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
    }

    /// The sums of the values of all processes, as many as there are own ones.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn sums(&self, own: Vec<f64>) -> Result<Vec<f64>, CommError> {
        if self.is_own.is_none() { Ok(own) } else { self.ranks.sums(&own) }
    }

    /// The smallest of the values of all processes.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn least<const N: usize>(&self, own: [f64; N]) -> Result<[f64; N], CommError> {
        let mut least = own;
        if self.is_own.is_some() {
            for value in &mut least {
                *value = self.ranks.least(*value)?;
            }
        }
        Ok(least)
    }
}
