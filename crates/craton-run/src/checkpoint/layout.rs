//! Byte layout of a checkpoint file.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `CRATONCK` |
//! | 4 | version of the format, u32 |
//! | 4 | length of the header, u32 |
//! | 8 | xxh3 of the header, u64 |
//! | length | the header, JSON |
//! | ... | zeros up to a multiple of 64, then the sections in order, each padded to a multiple of 64 |
//!
//! All numbers are little-endian.

use serde::{Deserialize, Serialize};
use std::io::{self, Seek, SeekFrom, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

#[cfg(target_endian = "big")]
compile_error!("checkpoints are images of little-endian memory: big-endian targets are not supported");

pub(super) const MAGIC: &[u8; 8] = b"CRATONCK";
pub(super) const VERSION: u32 = 1;
/// Bytes before the header.
pub(super) const PREAMBLE: u64 = 24;
/// Sections start at multiples of this many bytes, a cache line, so that a file can be mapped.
const ALIGNMENT: u64 = 64;

/// Number type of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Bytes, for state that serialises itself.
    U8,
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
impl Scalar for u32 {
    const TYPE: ScalarType = ScalarType::U32;
}
impl Scalar for u64 {
    const TYPE: ScalarType = ScalarType::U64;
}
impl Scalar for u8 {
    const TYPE: ScalarType = ScalarType::U8;
}

/// One array of the state, borrowed while it is written.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(super) form: SectionForm<'a>,
    pub(super) bytes: &'a [u8],
}

/// Name, shape and number type of a section, without its values.
#[derive(Clone, Debug)]
pub struct SectionForm<'a> {
    name: &'a str,
    shape: Vec<u64>,
    scalar: ScalarType,
    bytes: u64,
}

impl<'a> SectionForm<'a> {
    /// Describes a section of numbers of type `T`.
    ///
    /// # Arguments
    /// * `name` – unique in its checkpoint: "displacement", "recorder/velocity"
    /// * `shape` – extent of each axis, slowest first
    #[must_use]
    pub fn new<T: Scalar>(name: &'a str, shape: &[usize]) -> Self {
        let count: usize = shape.iter().product();
        let shape = shape.iter().map(|&extent| extent as u64).collect();
        Self { name, shape, scalar: T::TYPE, bytes: (count * size_of::<T>()) as u64 }
    }
}

/// Writes the numbers of one section, in any number of pieces.
pub struct SectionWriter<'a> {
    out: &'a mut dyn Write,
    scalar: ScalarType,
    hash: Xxh3,
    left: u64,
    failure: Option<io::Error>,
}

impl SectionWriter<'_> {
    /// Writes the next numbers. An I/O error, such as a full disk, is returned when the section is finished, by the store.
    ///
    /// # Panics
    /// If the type differs from the section's, or if more numbers are written than the section holds.
    pub fn write<T: Scalar>(&mut self, values: &[T]) {
        assert_eq!(T::TYPE, self.scalar, "the number type differs from that of the section");
        self.write_bytes(bytemuck::cast_slice(values));
    }

    pub(super) fn write_bytes(&mut self, bytes: &[u8]) {
        self.left =
            self.left.checked_sub(bytes.len() as u64).expect("more numbers were written than the section holds");
        self.hash.update(bytes);
        if self.failure.is_none() {
            self.failure = self.out.write_all(bytes).err();
        }
    }
}

impl<'a> Section<'a> {
    /// Creates a section from an array of the state.
    ///
    /// # Arguments
    /// * `name` – unique in its checkpoint: "displacement", "recorder/velocity"
    /// * `shape` – extent of each axis, slowest first; their product is the number of values
    /// * `values` – the numbers
    /// # Panics
    /// If `shape` does not multiply to the number of values.
    #[must_use]
    pub fn new<T: Scalar>(name: &'a str, shape: &[usize], values: &'a [T]) -> Self {
        let count: usize = shape.iter().product();
        assert_eq!(count, values.len(), "section \"{name}\": shape {shape:?} does not match the number of values");
        Self { form: SectionForm::new::<T>(name, shape), bytes: bytemuck::cast_slice(values) }
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
    /// Length in bytes.
    pub bytes: u64,
    /// Hash of the bytes, 16 hexadecimal digits.
    pub xxh3: String,
}

/// The header of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Hash of the scenario the state belongs to, 16 hexadecimal digits.
    pub scenario_hash: String,
    /// Steps done.
    pub step: u64,
    pub sections: Vec<SectionHeader>,
}

impl Header {
    /// Creates the header of sections whose hashes are not known yet.
    pub fn new(scenario_hash: u64, step: u64, sections: &[SectionForm]) -> Self {
        let describe = |section: &SectionForm| SectionHeader {
            name: section.name.to_owned(),
            scalar: section.scalar,
            shape: section.shape.clone(),
            bytes: section.bytes,
            xxh3: hash_text(0),
        };
        Self { scenario_hash: hash_text(scenario_hash), step, sections: sections.iter().map(describe).collect() }
    }
}

/// Formats a hash as 16 hexadecimal digits. The header stores hashes as text because JSON readers round integers above 2^53.
pub(super) fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// The first multiple of the alignment at or after `position`.
pub(super) fn aligned(position: u64) -> u64 {
    position.next_multiple_of(ALIGNMENT)
}

/// Writes a complete checkpoint: a header with placeholder hashes, the sections, then the header again with their hashes.
///
/// # Arguments
/// * `fill` – writes all numbers of the section with the given index
pub(super) fn write(
    mut header: Header,
    out: &mut (impl Write + Seek),
    mut fill: impl FnMut(usize, &mut SectionWriter) -> io::Result<()>,
) -> io::Result<()> {
    write_header(&header, out)?;
    for (number, section) in header.sections.iter_mut().enumerate() {
        let mut writer =
            SectionWriter { out, scalar: section.scalar, hash: Xxh3::new(), left: section.bytes, failure: None };
        fill(number, &mut writer)?;
        let SectionWriter { hash, left, failure, .. } = writer;
        failure.map_or(Ok(()), Err)?;
        assert_eq!(left, 0, "section \"{}\" was not written completely", section.name);
        section.xxh3 = hash_text(hash.digest());
        write_padding(section.bytes, out)?;
    }
    out.seek(SeekFrom::Start(0))?;
    write_header(&header, out)
}

/// Writes the preamble and the header. Their length does not depend on the hashes.
fn write_header(header: &Header, out: &mut impl Write) -> io::Result<()> {
    let text = serde_json::to_vec(header)?;
    let length = u32::try_from(text.len()).map_err(|_| io::Error::other("the checkpoint has too many sections"))?;
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&xxh3_64(&text).to_le_bytes())?;
    out.write_all(&text)?;
    write_padding(PREAMBLE + u64::from(length), out)
}

/// Pads with zeros from `end` to the next multiple of the alignment.
fn write_padding(end: u64, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; ALIGNMENT as usize][..(aligned(end) - end) as usize])
}
