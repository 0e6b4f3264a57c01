//! Byte layout of a checkpoint file.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `CRATONCK` |
//! | 4 | version of the format, u32 |
//! | 4 | length of the header, u32 |
//! | 8 | xxh3 of the header and of the table of blocks, u64 |
//! | length | the header, JSON |
//! | 16 per block | the table of blocks: length in bytes and xxh3 of each block, u64 |
//! | ... | zeros, then the blocks of all sections in order, each from a multiple of 4096 on |
//!
//! All numbers are little-endian. No two blocks share a page, so processes on different machines can write them at the same time.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

#[cfg(target_endian = "big")]
compile_error!("checkpoints are images of little-endian memory: big-endian targets are not supported");

const MAGIC: &[u8; 8] = b"CRATONCK";
const VERSION: u32 = 2;
/// Bytes before the header.
pub(super) const PREAMBLE: usize = 24;
/// Bytes of an entry of the table of blocks.
pub(super) const ENTRY: usize = 16;
/// Blocks start at multiples of this many bytes.
const PAGE: u64 = 4096;

/// Number type of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// A number type that a section can hold.
pub trait Scalar: bytemuck::Pod {
    /// The type as recorded in the header.
    const TYPE: ScalarType;
}

impl Scalar for f32 {
    const TYPE: ScalarType = ScalarType::F32;
}
impl Scalar for f64 {
    const TYPE: ScalarType = ScalarType::F64;
}

/// The hash of a block.
#[must_use]
pub fn block_hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Name, shape, number type and blocks of a section, without its values.
#[derive(Clone, Debug)]
pub struct SectionForm {
    header: SectionHeader,
    /// Bytes of each block.
    lengths: Vec<u64>,
}

impl SectionForm {
    /// Describes a section of numbers of type `T`.
    ///
    /// # Arguments
    /// * `name` – unique in its checkpoint, such as "state/displacement"
    /// * `shape` – extent of each axis, slowest first
    /// * `blocks` – number of values of each block
    /// # Panics
    /// If the blocks do not add up to the number of values.
    #[must_use]
    pub fn new<T: Scalar>(name: &str, shape: &[usize], blocks: &[usize]) -> Self {
        let [count, in_blocks] = [shape.iter().product::<usize>(), blocks.iter().sum()];
        assert_eq!(count, in_blocks, "section \"{name}\": shape {shape:?} does not match its blocks");
        let header = SectionHeader {
            name: name.to_owned(),
            scalar: T::TYPE,
            shape: shape.iter().map(|&extent| extent as u64).collect(),
            blocks: blocks.len() as u64,
        };
        Self { header, lengths: blocks.iter().map(|count| (count * size_of::<T>()) as u64).collect() }
    }
}

/// Header entry of one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionHeader {
    /// Name, unique in its checkpoint.
    pub name: String,
    /// Type of the numbers.
    pub scalar: ScalarType,
    /// Extent of each axis, slowest first.
    pub shape: Vec<u64>,
    /// Number of blocks.
    pub blocks: u64,
}

/// A block of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Position in the file.
    pub position: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// The hash, see [`block_hash`].
    pub hash: u64,
}

/// The header of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Hash of the scenario the state belongs to, 16 hexadecimal digits: JSON readers round integers above 2^53.
    pub scenario_hash: String,
    /// Steps done.
    pub step: u64,
    pub sections: Vec<SectionHeader>,
}

/// What a checkpoint file contains, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub header: Header,
    /// The blocks of each section.
    pub blocks: Vec<Vec<Block>>,
    /// Length of the file.
    pub end: u64,
}

impl Layout {
    /// The layout of sections whose hashes are not known yet.
    pub fn new(scenario_hash: u64, step: u64, sections: &[SectionForm]) -> Self {
        let headers = sections.iter().map(|section| section.header.clone()).collect();
        let header = Header { scenario_hash: hash_text(scenario_hash), step, sections: headers };
        let lengths = sections.iter().flat_map(|section| &section.lengths);
        let text = header.to_json();
        Self::placed(header, text.len(), lengths.map(|&bytes| (bytes, 0))).expect("a checkpoint in the address space")
    }

    /// Places blocks, given by length and hash, in a file with a header of `text` bytes; `None` if the file would exceed the address space.
    fn placed(header: Header, text: usize, mut blocks: impl Iterator<Item = (u64, u64)>) -> Option<Self> {
        let count: u64 = header.sections.iter().try_fold(0_u64, |sum, section| sum.checked_add(section.blocks))?;
        let mut end = count.checked_mul(ENTRY as u64)?.checked_add((PREAMBLE + text) as u64)?;
        let mut place = |(bytes, hash): (u64, u64)| {
            let position = end.checked_next_multiple_of(PAGE)?;
            end = position.checked_add(bytes)?;
            Some(Block { position, bytes, hash })
        };
        let mut of_section = |section: &SectionHeader| (0..section.blocks).map(|_| place(blocks.next()?)).collect();
        let blocks = header.sections.iter().map(&mut of_section).collect::<Option<_>>()?;
        Some(Self { header, blocks, end })
    }

    /// The bytes before the first block.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.header.to_json();
        let length = u32::try_from(text.len()).expect("a header below 4 GB");
        let mut sealed = text;
        for block in self.blocks.iter().flatten() {
            sealed.extend_from_slice(&block.bytes.to_le_bytes());
            sealed.extend_from_slice(&block.hash.to_le_bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&xxh3_64(&sealed).to_le_bytes());
        bytes.extend_from_slice(&sealed);
        bytes
    }

    /// Parses the bytes before the first block.
    ///
    /// # Arguments
    /// * `read` – reads the next bytes of the file, as many as there are up to a number
    /// # Errors
    /// What is wrong with them.
    pub fn from_bytes(mut read: impl FnMut(u64) -> Result<Vec<u8>, String>) -> Result<Self, String> {
        let preamble = read(PREAMBLE as u64)?;
        let [magic, version, length, hash] = [0..8, 8..12, 12..16, 16..24].map(|range| preamble.get(range));
        let truncated = || "it is truncated".to_owned();
        let (Some(magic), Some(version), Some(length), Some(hash)) = (magic, version, length, hash) else {
            return Err(truncated());
        };
        if magic != MAGIC {
            return Err("it does not start with the magic bytes of a checkpoint".to_owned());
        }
        if number(version) != u64::from(VERSION) {
            return Err(format!("its format version is {}, but this program reads version {VERSION}", number(version)));
        }
        let mut sealed = read(number(length))?;
        // Parsed before it is known to be intact, because it contains the length of the table.
        let unparsed = |error: serde_json::Error| format!("its header cannot be parsed: {error}");
        let header: Header = serde_json::from_slice(&sealed).map_err(unparsed)?;
        let text = sealed.len();
        let blocks = header.sections.iter().fold(0_u64, |sum, section| sum.saturating_add(section.blocks));
        sealed.extend(read(blocks.saturating_mul(ENTRY as u64))?);
        if xxh3_64(&sealed) != number(hash) {
            return Err("the hash of its header does not match".to_owned());
        }
        let entries = sealed[text..].as_chunks::<ENTRY>().0.iter();
        let entries = entries.map(|entry| (number(&entry[..8]), number(&entry[8..])));
        Self::placed(header, text, entries).ok_or_else(truncated)
    }
}

impl Header {
    fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a header has no maps with other keys than strings")
    }
}

/// Formats a hash as 16 hexadecimal digits.
pub(super) fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// A little-endian integer of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
