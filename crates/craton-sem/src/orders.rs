//! What the first rank asks of the others, as bytes.

use craton_comm::{CommError, Ranks};

use crate::fields::{Field, NodePlace};
use crate::selection::Selection;

/// A question to all ranks; each is followed by what the ranks exchange to answer it.
pub enum Order {
    /// So many steps.
    Advance(u64),
    /// Is the field finite?
    Check,
    /// The samples.
    TakeSamples,
    /// Make this selection ready.
    Select(Selection),
    /// The field at the selection of this number.
    Read(u32, Field),
    /// The field at all nodes.
    Save(Field),
    /// Take the field at all nodes.
    Restore(Field),
    /// This many steps are behind you.
    RestoreStep(u64),
    /// There are no more questions.
    End,
}

impl Order {
    /// Tells all other ranks.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn give(&self, ranks: &dyn Ranks) -> Result<(), CommError> {
        if ranks.count() == 1 { Ok(()) } else { ranks.broadcast(&mut self.to_bytes()) }
    }

    /// Waits for the next one.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn hear(ranks: &dyn Ranks) -> Result<Self, CommError> {
        let mut bytes = Vec::new();
        ranks.broadcast(&mut bytes)?;
        Ok(Self::from_bytes(&bytes))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let field = |field: &Field| u32::from(*field == Field::Velocity);
        let long = |value: u64| [value as u32, (value >> 32) as u32];
        let words: Vec<u32> = match self {
            Self::Advance(steps) => [&[0][..], &long(*steps)].concat(),
            Self::Check => vec![1],
            Self::TakeSamples => vec![2],
            Self::Select(Selection::Elements(elements)) => [&[3][..], elements].concat(),
            Self::Select(Selection::Nodes(places)) => {
                let words = |place: &NodePlace| match *place {
                    NodePlace::Inner { patch, node } => [patch, node],
                    NodePlace::Shared(node) => [u32::MAX, node],
                };
                [4].into_iter().chain(places.iter().flat_map(words)).collect()
            }
            Self::Read(number, which) => vec![5, *number, field(which)],
            Self::Save(which) => vec![6, field(which)],
            Self::Restore(which) => vec![7, field(which)],
            Self::RestoreStep(step) => [&[8][..], &long(*step)].concat(),
            Self::End => vec![9],
        };
        bytemuck::cast_slice(&words).to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let field = |word: u32| if word == 1 { Field::Velocity } else { Field::Displacement };
        let long = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        match (words[0], &words[1..]) {
            (0, steps) => Self::Advance(long(steps)),
            (1, _) => Self::Check,
            (2, _) => Self::TakeSamples,
            (3, elements) => Self::Select(Selection::Elements(elements.to_vec())),
            (4, places) => {
                let place = |words: &[u32]| match words[0] {
                    u32::MAX => NodePlace::Shared(words[1]),
                    patch => NodePlace::Inner { patch, node: words[1] },
                };
                Self::Select(Selection::Nodes(places.chunks_exact(2).map(place).collect()))
            }
            (5, words) => Self::Read(words[0], field(words[1])),
            (6, words) => Self::Save(field(words[0])),
            (7, words) => Self::Restore(field(words[0])),
            (8, step) => Self::RestoreStep(long(step)),
            _ => Self::End,
        }
    }
}
