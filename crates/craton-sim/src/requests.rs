//! Requests of the first rank to the others, as bytes.

use std::sync::Arc;

use craton_comm::{CommError, Ranks};

use crate::state_file::StateFile;

/// A request to all ranks, which carry it out collectively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Advance by a number of steps.
    Advance(u64),
    /// Check that the field is finite.
    Check,
    /// Take the samples.
    TakeSamples,
    /// Save the state array with this number.
    Save(usize),
    /// Restore the state array with this number.
    Restore(usize),
    /// Write all arrays of the state to a file.
    SaveTo(StateFile),
    /// Restore all arrays of the state from a file.
    RestoreFrom(StateFile),
    /// Set the number of completed steps.
    RestoreStep(u64),
    /// A request that is specific to the method.
    Own(Vec<u32>),
    /// End of the requests.
    End,
}

impl Request {
    fn to_bytes(&self) -> Vec<u8> {
        let long = |code: u32, value: u64| vec![code, value as u32, (value >> 32) as u32];
        let words = match self {
            Self::Advance(steps) => long(0, *steps),
            Self::Check => vec![1],
            Self::TakeSamples => vec![2],
            Self::Save(array) => vec![3, *array as u32],
            Self::Restore(array) => vec![4, *array as u32],
            Self::RestoreStep(step) => long(5, *step),
            Self::Own(words) => [&[6][..], words].concat(),
            Self::End => vec![7],
            Self::SaveTo(file) => [vec![8], file.to_words()].concat(),
            Self::RestoreFrom(file) => [vec![9], file.to_words()].concat(),
        };
        bytemuck::cast_slice(&words).to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let long = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        match (words[0], &words[1..]) {
            (0, steps) => Self::Advance(long(steps)),
            (1, _) => Self::Check,
            (2, _) => Self::TakeSamples,
            (3, array) => Self::Save(array[0] as usize),
            (4, array) => Self::Restore(array[0] as usize),
            (5, step) => Self::RestoreStep(long(step)),
            (6, words) => Self::Own(words.to_vec()),
            (8, words) => Self::SaveTo(StateFile::from_words(words)),
            (9, words) => Self::RestoreFrom(StateFile::from_words(words)),
            _ => Self::End,
        }
    }
}

/// Broadcasts requests from the first rank to the others.
///
/// Dropping it sends nothing, not even [`Request::End`]: a rank that fails drops it while the others may be waiting for another message.
#[derive(Debug)]
pub struct Requests {
    ranks: Arc<dyn Ranks>,
}

impl Requests {
    /// Creates the channel between these ranks.
    pub fn new(ranks: Arc<dyn Ranks>) -> Self {
        Self { ranks }
    }

    /// The ranks.
    pub fn ranks(&self) -> &dyn Ranks {
        &*self.ranks
    }

    /// The ranks, shared.
    pub fn shared_ranks(&self) -> Arc<dyn Ranks> {
        Arc::clone(&self.ranks)
    }

    /// Whether there are other ranks.
    pub fn has_receivers(&self) -> bool {
        self.ranks.count() > 1
    }

    /// Sends a request to all other ranks. Called on the first rank.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn send(&self, request: &Request) -> Result<(), CommError> {
        if self.has_receivers() { self.ranks.broadcast(&mut request.to_bytes()) } else { Ok(()) }
    }

    /// Waits for the next request. Called on all other ranks.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn receive(&self) -> Result<Request, CommError> {
        let mut bytes = Vec::new();
        self.ranks.broadcast(&mut bytes)?;
        Ok(Request::from_bytes(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_decoded_as_encoded() {
        let requests = [
            Request::Advance(1 << 40),
            Request::Check,
            Request::TakeSamples,
            Request::Save(3),
            Request::Restore(10),
            Request::RestoreStep(u64::MAX),
            Request::Own(vec![7, 0, u32::MAX]),
            Request::End,
        ];
        for request in requests {
            assert_eq!(Request::from_bytes(&request.to_bytes()), request);
        }
    }
}
