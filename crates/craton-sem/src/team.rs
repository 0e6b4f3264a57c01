//! The parts of a run: who computes what, and where.

use std::ops::Deref;
use std::sync::Arc;

use craton_comm::Ranks;
use craton_sim::{Crew, Messaging};

use crate::parts::Parts;

/// The parts of a run, the same number on every rank: a [`Crew`] that knows the patches of each part.
#[derive(Clone)]
pub struct Team {
    parts: Arc<Parts>,
    crew: Crew,
}

impl Team {
    /// The parts of all ranks: those of the first come first.
    ///
    /// # Panics
    /// If the parts cannot be dealt evenly.
    pub fn new(parts: Parts, ranks: Arc<dyn Ranks>) -> Self {
        Self { crew: Crew::new(parts.count(), ranks), parts: Arc::new(parts) }
    }

    /// The same with another way to exchange messages.
    #[must_use]
    pub fn with(self, messaging: Messaging) -> Self {
        Self { crew: self.crew.with(messaging), ..self }
    }

    /// The same with messages between ranks that go from device to device; see [`Crew::in_place`].
    #[must_use]
    pub fn in_place(self, in_place: bool) -> Self {
        Self { crew: self.crew.in_place(in_place), ..self }
    }

    /// Who computes what.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }
}

impl Deref for Team {
    type Target = Crew;

    fn deref(&self) -> &Crew {
        &self.crew
    }
}
