//! Requests of the first rank to the others that are specific to spectral elements, as 32-bit words.

use crate::fields::Field;

/// A request to all ranks.
#[derive(Debug, PartialEq, Eq)]
pub enum FieldRequest {
    /// Prepare a selection.
    Select(Wanted),
    /// Read a field at the selection with this number.
    Read(u32, Field),
}

/// A selection by the keys of its elements, which all ranks know, see [`craton_mesh::HexMesh::keys`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// As [`crate::Selection::Points`].
    Points(Vec<(u64, u16)>),
    /// As [`crate::Selection::Elements`].
    Elements(Vec<u64>),
}

impl Wanted {
    /// The key of each entry.
    pub fn keys(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match self {
            Self::Points(points) => Box::new(points.iter().map(|(key, _)| *key)),
            Self::Elements(keys) => Box::new(keys.iter().copied()),
        }
    }
}

impl FieldRequest {
    /// Encodes the request.
    pub fn to_words(&self) -> Vec<u32> {
        let halves = |key: u64| [key as u32, (key >> 32) as u32];
        match self {
            Self::Select(Wanted::Elements(keys)) => {
                [0].into_iter().chain(keys.iter().flat_map(|&key| halves(key))).collect()
            }
            Self::Select(Wanted::Points(points)) => {
                let words = |&(key, point): &(u64, u16)| halves(key).into_iter().chain([u32::from(point)]);
                [1].into_iter().chain(points.iter().flat_map(words)).collect()
            }
            Self::Read(number, field) => vec![2, *number, *field as u32],
        }
    }

    /// Decodes the words of [`Self::to_words`].
    pub fn from_words(words: &[u32]) -> Self {
        let key = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        match (words[0], &words[1..]) {
            (0, keys) => Self::Select(Wanted::Elements(keys.chunks_exact(2).map(key).collect())),
            (1, points) => {
                let points = points.chunks_exact(3).map(|words| (key(words), words[2] as u16));
                Self::Select(Wanted::Points(points.collect()))
            }
            (_, words) => Self::Read(words[0], Field::STATE[words[1] as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_decoded_as_encoded() {
        let requests = [
            FieldRequest::Select(Wanted::Elements(vec![7, 3 << 32 | 9])),
            FieldRequest::Select(Wanted::Points(vec![(u64::MAX, 124), (5, 0)])),
            FieldRequest::Read(4, Field::Velocity),
        ];
        for request in requests {
            assert_eq!(FieldRequest::from_words(&request.to_words()), request);
        }
    }
}
