//! Reading a checkpoint back, never trusting it.

use super::layout::{Block, Layout, Scalar, SectionHeader, block_hash, hash_text};
use crate::RunError;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A checkpoint file whose header is intact. The hash of a block is compared when it is read.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    file: File,
    layout: Layout,
}

impl Checkpoint {
    /// Opens a checkpoint and verifies its header and its length.
    ///
    /// # Errors
    /// [`RunError::DamagedCheckpoint`] when it is incomplete or corrupt, [`RunError::OtherScenario`] when it belongs to another scenario,
    /// [`RunError::Io`] when it cannot be opened.
    pub fn open(path: &Path, scenario_hash: u64) -> Result<Self, RunError> {
        let damaged = |reason: String| RunError::DamagedCheckpoint { path: path.to_owned(), reason };
        let mut file = File::open(path).map_err(RunError::io("open", path))?;
        let length = file.metadata().map_err(RunError::io("read", path))?.len();
        let mut next = |bytes: u64| {
            let mut read = Vec::new();
            (&mut file).take(bytes).read_to_end(&mut read).map_err(|error| error.to_string()).map(|_| read)
        };
        let layout = Layout::from_bytes(&mut next).map_err(damaged)?;
        if layout.header.scenario_hash != hash_text(scenario_hash) {
            let found = u64::from_str_radix(&layout.header.scenario_hash, 16)
                .map_err(|_| damaged("the hash of its scenario is not a number".to_owned()))?;
            return Err(RunError::OtherScenario { path: path.to_owned(), found, expected: scenario_hash });
        }
        if length < layout.end {
            return Err(damaged("it is truncated".to_owned()));
        }
        Ok(Self { path: path.to_owned(), file, layout })
    }

    /// Reads all blocks and compares their hashes.
    ///
    /// # Errors
    /// [`RunError::DamagedCheckpoint`] with the first damaged block.
    pub fn verify(&self) -> Result<(), RunError> {
        let mut bytes = Vec::new();
        for (section, blocks) in self.layout.header.sections.iter().zip(&self.layout.blocks) {
            for (number, block) in blocks.iter().enumerate() {
                bytes.resize(block.bytes as usize, 0);
                self.read_block(&section.name, number, block, &mut bytes)?;
            }
        }
        Ok(())
    }

    /// Number of steps done when the checkpoint was written.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.layout.header.step
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Headers of the sections, in the order in which they were written.
    #[must_use]
    pub fn sections(&self) -> &[SectionHeader] {
        &self.layout.header.sections
    }

    /// The blocks of a section, to be read by several processes.
    ///
    /// # Arguments
    /// * `counts` – number of values of each block
    /// # Errors
    /// [`RunError::Section`] when the section is missing, or has another type or other blocks.
    pub fn blocks<T: Scalar>(&self, name: &str, counts: &[usize]) -> Result<&[Block], RunError> {
        let blocks = self.find::<T>(name)?;
        let expected = counts.iter().map(|count| (count * size_of::<T>()) as u64);
        if !blocks.iter().map(|block| block.bytes).eq(expected) {
            let found: u64 = blocks.iter().map(|block| block.bytes).sum();
            let [found, expected] = [found as usize / size_of::<T>(), counts.iter().sum()];
            let reason = match found == expected {
                true => format!("its {found} values have other blocks than the state"),
                false => format!("it holds {found} values, but the state has {expected}"),
            };
            return Err(self.mismatch(name, reason));
        }
        Ok(blocks)
    }

    /// Reads a section.
    ///
    /// # Errors
    /// [`RunError::Section`] when the section is missing or has another type, [`RunError::DamagedCheckpoint`] with its first damaged block.
    pub fn read<T: Scalar>(&self, name: &str) -> Result<Vec<T>, RunError> {
        let blocks = self.find::<T>(name)?;
        let bytes: u64 = blocks.iter().map(|block| block.bytes).sum();
        let mut values = vec![T::zeroed(); bytes as usize / size_of::<T>()];
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        for (number, block) in blocks.iter().enumerate() {
            let (own, after) = rest.split_at_mut((block.bytes as usize).min(rest.len()));
            self.read_block(name, number, block, own)?;
            rest = after;
        }
        Ok(values)
    }

    /// Reads a block and compares its hash.
    fn read_block(&self, name: &str, number: usize, block: &Block, bytes: &mut [u8]) -> Result<(), RunError> {
        let damaged = |reason: String| RunError::DamagedCheckpoint { path: self.path.clone(), reason };
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(block.position)).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it is truncated".to_owned()),
            _ => damaged(error.to_string()),
        })?;
        if block_hash(bytes) != block.hash {
            return Err(damaged(format!("the hash of block {number} of section \"{name}\" does not match")));
        }
        Ok(())
    }

    /// The blocks of a section of type `T`.
    fn find<T: Scalar>(&self, name: &str) -> Result<&[Block], RunError> {
        let mut sections = self.layout.header.sections.iter().zip(&self.layout.blocks);
        let Some((section, blocks)) = sections.find(|(section, _)| section.name == name) else {
            return Err(self.mismatch(name, "it is missing".to_owned()));
        };
        if section.scalar != T::TYPE {
            let reason = format!("it holds {:?} values, but the state has {:?}", section.scalar, T::TYPE);
            return Err(self.mismatch(name, reason));
        }
        Ok(blocks)
    }

    fn mismatch(&self, name: &str, reason: String) -> RunError {
        RunError::Section { path: self.path.clone(), name: name.to_owned(), reason }
    }
}
