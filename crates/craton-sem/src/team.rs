//! The parts of a run, with their patches and ranks.

use std::ops::Deref;
use std::sync::Arc;

use bytemuck::Pod;
use craton_comm::{CommError, Ranks};
use craton_sim::{Messaging, PartExchange};

use crate::parts::Parts;

/// A [`PartExchange`] with the patches of each part.
#[derive(Clone)]
pub struct Team {
    parts: Arc<Parts>,
    exchange: PartExchange,
}

impl Team {
    /// Distributes the parts over ranks; see [`PartExchange::new`].
    ///
    /// # Panics
    /// If the number of parts is not a multiple of the number of ranks.
    pub fn new(parts: Parts, ranks: Arc<dyn Ranks>) -> Self {
        Self { exchange: PartExchange::new(parts.count(), ranks), parts: Arc::new(parts) }
    }

    /// Sets how messages are exchanged.
    #[must_use]
    pub fn with(self, messaging: Messaging) -> Self {
        Self { exchange: self.exchange.with(messaging), ..self }
    }

    /// Sets whether messages between ranks go directly from device to device; see [`PartExchange::in_place`].
    #[must_use]
    pub fn in_place(self, in_place: bool) -> Self {
        Self { exchange: self.exchange.in_place(in_place), ..self }
    }

    /// The patches of each part.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Values of all ranks, rank by rank, on all ranks.
    ///
    /// # Errors
    /// A rank that is lost.
    pub(crate) fn values_of_all<V: Pod>(&self, own: &[V]) -> Result<Vec<V>, CommError> {
        let all = self.ranks().all_gather(bytemuck::cast_slice(own))?;
        Ok(all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
    }
}

impl Deref for Team {
    type Target = PartExchange;

    fn deref(&self) -> &PartExchange {
        &self.exchange
    }
}
