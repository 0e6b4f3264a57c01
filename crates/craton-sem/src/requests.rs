//! Requests of the first rank to the others that are specific to spectral elements, as 32-bit words.

use crate::fields::{Field, NodePlace};
use crate::selection::Selection;

/// A request to all ranks.
pub enum FieldRequest {
    /// Prepare a selection.
    Select(Selection),
    /// Read a field at the selection with this number.
    Read(u32, Field),
}

impl FieldRequest {
    /// Encodes the request.
    pub fn to_words(&self) -> Vec<u32> {
        match self {
            Self::Select(Selection::Elements(elements)) => [&[0][..], elements].concat(),
            Self::Select(Selection::Nodes(places)) => {
                let words = |place: &NodePlace| match *place {
                    NodePlace::Inner { patch, node } => [patch, node],
                    NodePlace::Shared(node) => [u32::MAX, node],
                };
                [1].into_iter().chain(places.iter().flat_map(words)).collect()
            }
            Self::Read(number, field) => vec![2, *number, *field as u32],
        }
    }

    /// Decodes the words of [`Self::to_words`].
    pub fn from_words(words: &[u32]) -> Self {
        match (words[0], &words[1..]) {
            (0, elements) => Self::Select(Selection::Elements(elements.to_vec())),
            (1, places) => {
                let place = |words: &[u32]| match words[0] {
                    u32::MAX => NodePlace::Shared(words[1]),
                    patch => NodePlace::Inner { patch, node: words[1] },
                };
                Self::Select(Selection::Nodes(places.chunks_exact(2).map(place).collect()))
            }
            (_, words) => Self::Read(words[0], Field::STATE[words[1] as usize]),
        }
    }
}
