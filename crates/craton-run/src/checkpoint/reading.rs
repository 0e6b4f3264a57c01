//! Reading a checkpoint back, never trusting it.

use super::layout::{Header, MAGIC, PREAMBLE, Scalar, SectionHeader, VERSION, aligned, hash_text};
use crate::RunError;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bytes hashed at a time.
const CHUNK: usize = 1 << 20;

/// A checkpoint file whose hashes have been verified. Sections are read directly into the arrays of the state.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    file: File,
    header: Header,
    /// Position of the first section in the file.
    start: u64,
}

impl Checkpoint {
    /// Opens a checkpoint and verifies all of its hashes.
    ///
    /// # Errors
    /// [`RunError::DamagedCheckpoint`] when it is incomplete or corrupt, [`RunError::OtherScenario`] when it belongs to another scenario,
    /// [`RunError::Io`] when it cannot be opened.
    pub fn open(path: &Path, scenario_hash: u64) -> Result<Self, RunError> {
        let damaged = |reason: String| RunError::DamagedCheckpoint { path: path.to_owned(), reason };
        let mut file = File::open(path).map_err(RunError::io("open", path))?;
        let (header, start) = read_header(&mut file).map_err(&damaged)?;
        if header.scenario_hash != hash_text(scenario_hash) {
            let found = u64::from_str_radix(&header.scenario_hash, 16)
                .map_err(|_| damaged("the hash of its scenario is not a number".to_owned()))?;
            return Err(RunError::OtherScenario { path: path.to_owned(), found, expected: scenario_hash });
        }
        verify(&mut file, &header, start).map_err(&damaged)?;
        Ok(Self { path: path.to_owned(), file, header, start })
    }

    /// Number of steps done when the checkpoint was written.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.header.step
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Headers of the sections, in the order in which they were written.
    #[must_use]
    pub fn sections(&self) -> &[SectionHeader] {
        &self.header.sections
    }

    /// Whether the checkpoint has a section of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.header.sections.iter().any(|section| section.name == name)
    }

    /// Reads a section into an array, whose length must match.
    ///
    /// # Errors
    /// [`RunError::Section`] when the section is missing, or has another type or length; [`RunError::Io`] when reading fails.
    pub fn read_into<T: Scalar>(&self, name: &str, values: &mut [T]) -> Result<(), RunError> {
        let (position, count) = self.find::<T>(name)?;
        if count != values.len() {
            return Err(self.mismatch(name, format!("it holds {count} values, but the state has {}", values.len())));
        }
        self.read_at(position, bytemuck::cast_slice_mut(values))
    }

    /// Returns a reader for a section of `count` numbers, which reads it piece by piece. The caller must read all of them.
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into).
    pub fn section<T: Scalar>(&self, name: &str, count: usize) -> Result<SectionReader<'_, T>, RunError> {
        let (position, held) = self.find::<T>(name)?;
        if held != count {
            return Err(self.mismatch(name, format!("it holds {held} values, but the state has {count}")));
        }
        Ok(SectionReader { of: self, position, left: count, failure: None, values: PhantomData })
    }

    /// Reads a section of any length.
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into), except that the length is not checked.
    pub fn read<T: Scalar>(&self, name: &str) -> Result<Vec<T>, RunError> {
        let (position, count) = self.find::<T>(name)?;
        let mut values = vec![T::zeroed(); count];
        self.read_at(position, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Position in the file and number of values of a section of type `T`.
    fn find<T: Scalar>(&self, name: &str) -> Result<(u64, usize), RunError> {
        let mut position = self.start;
        for section in &self.header.sections {
            if section.name == name {
                if section.scalar != T::TYPE {
                    return Err(self.mismatch(
                        name,
                        format!("it holds {:?} values, but the state has {:?}", section.scalar, T::TYPE),
                    ));
                }
                return Ok((position, section.bytes as usize / size_of::<T>()));
            }
            position += aligned(section.bytes);
        }
        Err(self.mismatch(name, "it is missing".to_owned()))
    }

    fn read_at(&self, position: u64, bytes: &mut [u8]) -> Result<(), RunError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(position))
            .and_then(|_| file.read_exact(bytes))
            .map_err(RunError::io("read", &self.path))
    }

    fn mismatch(&self, name: &str, reason: String) -> RunError {
        RunError::Section { path: self.path.clone(), name: name.to_owned(), reason }
    }
}

/// Reads the numbers of one section, in any number of pieces.
pub struct SectionReader<'a, T> {
    of: &'a Checkpoint,
    position: u64,
    left: usize,
    failure: Option<RunError>,
    values: PhantomData<T>,
}

impl<T: Scalar> SectionReader<'_, T> {
    /// Reads the next numbers. [`SectionReader::finish`] returns any I/O error.
    ///
    /// # Panics
    /// If more numbers are requested than the section holds.
    pub fn read(&mut self, values: &mut [T]) {
        self.left = self.left.checked_sub(values.len()).expect("more numbers were requested than the section holds");
        if self.failure.is_none() {
            self.failure = self.of.read_at(self.position, bytemuck::cast_slice_mut(values)).err();
        }
        self.position += size_of_val(values) as u64;
    }

    /// Finishes reading and reports any I/O error.
    ///
    /// # Errors
    /// [`RunError::Io`] when a piece could not be read.
    pub fn finish(self) -> Result<(), RunError> {
        debug_assert_eq!(self.left, 0, "the section was not read completely");
        self.failure.map_or(Ok(()), Err)
    }
}

/// Reads and verifies the header; returns it with the position of the first section.
fn read_header(file: &mut File) -> Result<(Header, u64), String> {
    let mut preamble = [0; PREAMBLE as usize];
    file.read_exact(&mut preamble).map_err(too_short)?;
    let (magic, rest) = preamble.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err("it does not start with the magic bytes of a checkpoint".to_owned());
    }
    let (version, rest) = number::<4>(rest);
    let (length, rest) = number::<4>(rest);
    let (hash, _) = number::<8>(rest);
    if version != u64::from(VERSION) {
        return Err(format!("its format version is {version}, but this program reads version {VERSION}"));
    }
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text).map_err(too_short)?;
    if xxh3_64(&text) != hash {
        return Err("the hash of its header does not match".to_owned());
    }
    let header: Header =
        serde_json::from_slice(&text).map_err(|error| format!("its header cannot be parsed: {error}"))?;
    Ok((header, aligned(PREAMBLE + length)))
}

/// Splits a little-endian integer of `N` bytes (N <= 8) off the front of `bytes`.
fn number<const N: usize>(bytes: &[u8]) -> (u64, &[u8]) {
    let (front, rest) = bytes.split_at(N);
    (front.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)), rest)
}

/// Compares the hash of every section with the header.
fn verify(file: &mut File, header: &Header, start: u64) -> Result<(), String> {
    let mut chunk = vec![0; CHUNK];
    let mut position = start;
    for section in &header.sections {
        file.seek(SeekFrom::Start(position)).map_err(|error| error.to_string())?;
        let mut hash = Xxh3::new();
        let mut left = section.bytes;
        while left > 0 {
            let part = &mut chunk[..left.min(CHUNK as u64) as usize];
            file.read_exact(part).map_err(too_short)?;
            hash.update(part);
            left -= part.len() as u64;
        }
        if hash_text(hash.digest()) != section.xxh3 {
            return Err(format!("the hash of section \"{}\" does not match", section.name));
        }
        position += aligned(section.bytes);
    }
    Ok(())
}

fn too_short(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is truncated".to_owned(),
        _ => error.to_string(),
    }
}
