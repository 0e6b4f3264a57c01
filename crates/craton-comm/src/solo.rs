//! A single rank.

use crate::error::CommError;
use crate::ranks::{Incoming, Outgoing, Ranks, check_addresses};

/// The only rank of a run without MPI.
#[derive(Debug, Clone, Copy, Default)]
pub struct Solo;

impl Ranks for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn host(&self) -> String {
        "this machine".into()
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        Ok(vec![own.to_vec()])
    }

    fn gather_on(&self, _rank: usize, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        Ok(Some(vec![own.to_vec()]))
    }

    fn broadcast_from(&self, _rank: usize, _bytes: &mut Vec<u8>) -> Result<(), CommError> {
        Ok(())
    }

    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        check_addresses(1, outgoing, incoming)?;
        let mut unmatched: Vec<&Outgoing<'_>> = outgoing.iter().collect();
        for buffer in incoming {
            let sent = unmatched.iter().position(|message| message.tag == buffer.tag);
            buffer.fill(unmatched.remove(sent.ok_or(CommError::Lost { rank: 0 })?).bytes)?;
        }
        work();
        Ok(())
    }

    fn abort(&self, status: i32) -> ! {
        std::process::exit(status)
    }
}
