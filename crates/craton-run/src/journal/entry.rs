//! Byte layout of a journal file.
//!
//! A journal is a sequence of blocks of 128 bytes, none of which crosses a disk sector; all numbers are little-endian. The head:
//!
//! | byte | content |
//! |---|---|
//! | 0 | magic `CRATONJL` |
//! | 8 | version of the format, u32 |
//! | 12 | number of pieces, u32 |
//! | 16 | identity of the survey, u64 |
//! | 24 | zeros |
//! | 120 | xxh3 of the bytes before, seeded with 0 |
//!
//! Entries follow; each records one change:
//!
//! | byte | content |
//! |---|---|
//! | 0 | kind of change, u8; 1 to 7 in the order of [`Change`] |
//! | 1 | kind of device, u8 |
//! | 2 | failure code, u16 |
//! | 4 | piece, u32 |
//! | 8 | worker, u32 |
//! | 12 | seconds, f32 |
//! | 16 | checksum of the result, u64 |
//! | 24 | block of the first entry of the same transaction, u64 |
//! | 32 | text in UTF-8, padded with zeros: where a worker runs, or why a piece failed |
//! | 120 | xxh3 of the bytes before, seeded with the number of the block |
//!
//! Fields that a change does not use are zero.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes of the head and of every entry.
pub(super) const BLOCK: usize = 128;
const MAGIC: &[u8; 8] = b"CRATONJL";
const VERSION: u32 = 1;
const TEXT: std::ops::Range<usize> = 32..HASH;
const HASH: usize = 120;

pub(super) type Block = [u8; BLOCK];

/// The head of a journal, which identifies the job; all processes that share the journal must have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub identity: u64,
    pub pieces: u32,
}

/// A change and the worker it concerns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub worker: u32,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// A worker joined; `place` names its process and machine.
    Joined {
        place: String,
    },
    /// A worker left or died; the pieces that it held are free.
    Ended,
    Taken {
        piece: u32,
        device: u8,
    },
    Done {
        piece: u32,
        device: u8,
        checksum: u64,
        seconds: f32,
    },
    Failed {
        piece: u32,
        device: u8,
        code: u16,
        reason: String,
    },
    Released {
        piece: u32,
    },
    /// The result or failures of a piece are discarded.
    Forgotten {
        piece: u32,
    },
}

impl Head {
    pub fn to_block(self) -> Block {
        let mut block = [0; BLOCK];
        put(&mut block, 0, MAGIC);
        put(&mut block, 8, &VERSION.to_le_bytes());
        put(&mut block, 12, &self.pieces.to_le_bytes());
        put(&mut block, 16, &self.identity.to_le_bytes());
        seal(block, 0)
    }

    /// Parses the head; the error says what is wrong with it.
    pub fn from_block(block: &Block) -> Result<Self, String> {
        if block[..8] != *MAGIC {
            return Err("it does not start with the magic bytes of a journal".to_owned());
        }
        let version = u32::from_le_bytes(get(block, 8));
        if version != VERSION {
            return Err(format!("its format version is {version}, but this program reads version {VERSION}"));
        }
        if !is_sealed(block, 0) {
            return Err("the hash of its head does not match".to_owned());
        }
        Ok(Self { pieces: u32::from_le_bytes(get(block, 12)), identity: u64::from_le_bytes(get(block, 16)) })
    }

    /// Whether these bytes are those of a journal whose head was never completely written, so that it has no entries.
    pub fn is_incomplete(bytes: &[u8]) -> bool {
        let is_partial_magic = bytes.len() < BLOCK && bytes.iter().zip(MAGIC).all(|(byte, magic)| byte == magic);
        is_partial_magic || (bytes.len() <= BLOCK && bytes.iter().all(|&byte| byte == 0))
    }
}

impl Entry {
    /// Serialises the entry as block `number`, in the transaction whose first entry is block `first`.
    pub fn to_block(&self, number: u64, first: u64) -> Block {
        let mut block = [0; BLOCK];
        put(&mut block, 8, &self.worker.to_le_bytes());
        put(&mut block, 24, &first.to_le_bytes());
        let (kind, piece, device) = match &self.change {
            Change::Joined { place } => {
                put(&mut block, TEXT.start, truncated(place));
                (1, 0, 0)
            }
            Change::Ended => (2, 0, 0),
            Change::Taken { piece, device } => (3, *piece, *device),
            Change::Done { piece, device, checksum, seconds } => {
                put(&mut block, 12, &seconds.to_le_bytes());
                put(&mut block, 16, &checksum.to_le_bytes());
                (4, *piece, *device)
            }
            Change::Failed { piece, device, code, reason } => {
                put(&mut block, 2, &code.to_le_bytes());
                put(&mut block, TEXT.start, truncated(reason));
                (5, *piece, *device)
            }
            Change::Released { piece } => (6, *piece, 0),
            Change::Forgotten { piece } => (7, *piece, 0),
        };
        block[0] = kind;
        block[1] = device;
        put(&mut block, 4, &piece.to_le_bytes());
        seal(block, number)
    }

    /// Parses an intact block of a job of `pieces` pieces; the error says what is wrong with it.
    pub fn from_block(block: &Block, pieces: u32) -> Result<Self, String> {
        let piece = u32::from_le_bytes(get(block, 4));
        let device = block[1];
        let change = match block[0] {
            1 => Change::Joined { place: text(block) },
            2 => Change::Ended,
            3 => Change::Taken { piece, device },
            4 => Change::Done {
                piece,
                device,
                checksum: u64::from_le_bytes(get(block, 16)),
                seconds: f32::from_le_bytes(get(block, 12)),
            },
            5 => Change::Failed { piece, device, code: u16::from_le_bytes(get(block, 2)), reason: text(block) },
            6 => Change::Released { piece },
            7 => Change::Forgotten { piece },
            other => return Err(format!("the kind of an entry is {other}, but kinds are 1 to 7")),
        };
        if !matches!(change, Change::Joined { .. } | Change::Ended) && piece >= pieces {
            return Err(format!("an entry refers to piece {piece}, but the job has {pieces} pieces, numbered from 0"));
        }
        let worker = u32::from_le_bytes(get(block, 8));
        if worker == u32::MAX {
            return Err(format!(
                "an entry refers to worker {worker}, but workers are numbered from 0 to {}",
                u32::MAX - 1
            ));
        }
        Ok(Self { worker, change })
    }
}

/// Whether the hash of a block is valid for block `number`.
pub(super) fn is_sealed(block: &Block, number: u64) -> bool {
    u64::from_le_bytes(get(block, HASH)) == xxh3_64_with_seed(&block[..HASH], number)
}

/// Number of the block that starts the transaction of an intact block.
pub(super) fn first_of_transaction(block: &Block) -> u64 {
    u64::from_le_bytes(get(block, 24))
}

fn seal(mut block: Block, number: u64) -> Block {
    let hash = xxh3_64_with_seed(&block[..HASH], number);
    put(&mut block, HASH, &hash.to_le_bytes());
    block
}

fn put(block: &mut Block, at: usize, bytes: &[u8]) {
    block[at..at + bytes.len()].copy_from_slice(bytes);
}

fn get<const N: usize>(block: &Block, at: usize) -> [u8; N] {
    std::array::from_fn(|index| block[at + index])
}

/// Truncates a text to what an entry holds, at a character boundary.
fn truncated(text: &str) -> &[u8] {
    &text.as_bytes()[..text.floor_char_boundary(TEXT.len())]
}

fn text(block: &Block) -> String {
    String::from_utf8_lossy(&block[TEXT]).trim_end_matches('\0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_survives_a_round_trip_and_is_valid_at_its_own_block_only() {
        let long = "ü".repeat(80);
        let changes = [
            Change::Joined { place: "process 7 on node".into() },
            Change::Ended,
            Change::Taken { piece: 5, device: 1 },
            Change::Done { piece: u32::MAX - 1, device: 255, checksum: u64::MAX, seconds: 0.25 },
            Change::Failed { piece: 6, device: 2, code: 700, reason: long[..88].into() },
            Change::Released { piece: 8 },
            Change::Forgotten { piece: 9 },
        ];
        for change in changes {
            let entry = Entry { worker: 3, change };
            let block = entry.to_block(10, 9);
            assert!(is_sealed(&block, 10) && !is_sealed(&block, 11));
            assert_eq!(first_of_transaction(&block), 9);
            assert_eq!(Entry::from_block(&block, u32::MAX).unwrap(), entry);
        }
    }

    #[test]
    fn a_worker_without_a_successor_is_refused() {
        let block = |worker| Entry { worker, change: Change::Ended }.to_block(1, 1);
        assert!(Entry::from_block(&block(u32::MAX), 1).unwrap_err().contains("worker 4294967295"));
        assert_eq!(Entry::from_block(&block(u32::MAX - 1), 1).unwrap().worker, u32::MAX - 1);
    }

    #[test]
    fn a_long_reason_is_truncated_at_a_character_boundary() {
        let reason = format!("x{}", "ü".repeat(80));
        let entry = Entry { worker: 0, change: Change::Failed { piece: 0, device: 0, code: 0, reason } };
        let Change::Failed { reason, .. } = Entry::from_block(&entry.to_block(1, 1), 1).unwrap().change else {
            panic!("expected a failure");
        };
        assert_eq!(reason, format!("x{}", "ü".repeat(43)));
    }

    #[test]
    fn an_incomplete_head_is_distinguished_from_another_file() {
        let head = Head { identity: 1, pieces: 2 }.to_block();
        assert!(Head::is_incomplete(&[]) && Head::is_incomplete(&head[..100]) && Head::is_incomplete(&[0; BLOCK]));
        assert!(
            !Head::is_incomplete(&head) && !Head::is_incomplete(b"my own journal") && !Head::is_incomplete(&[0; 200])
        );
    }
}
