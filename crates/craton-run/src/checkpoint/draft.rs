//! A checkpoint that is being written.

use std::path::{Path, PathBuf};

use super::layout::{Block, Layout, Scalar, block_hash};
use super::store::CheckpointStore;
use crate::RunError;
use craton_formats::atomic::AtomicFile;

/// A checkpoint that is being written to a temporary file. It becomes the newest one when it is [finished](Self::finish); dropped before, it leaves nothing.
#[derive(Debug)]
pub struct Draft<'a> {
    store: &'a CheckpointStore,
    file: AtomicFile,
    layout: Layout,
}

impl<'a> Draft<'a> {
    pub(super) fn create(store: &'a CheckpointStore, path: &Path, layout: Layout) -> Result<Self, RunError> {
        let mut file = AtomicFile::create(path)?;
        file.set_length(layout.end)?;
        Ok(Self { store, file, layout })
    }

    /// The temporary file, to which other processes write their blocks.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.temporary()
    }

    /// The blocks of a section.
    #[must_use]
    pub fn blocks(&self, section: usize) -> &[Block] {
        &self.layout.blocks[section]
    }

    /// Writes a block.
    ///
    /// # Errors
    /// [`RunError::Format`] if it cannot be written.
    /// # Panics
    /// If the number of values is not that of the block.
    pub fn write<T: Scalar>(&mut self, section: usize, block: usize, values: &[T]) -> Result<(), RunError> {
        let (bytes, block) = (bytemuck::cast_slice(values), &mut self.layout.blocks[section][block]);
        assert_eq!(bytes.len() as u64, block.bytes, "the values of a block");
        block.hash = block_hash(bytes);
        Ok(self.file.write_at(block.position, bytes)?)
    }

    /// Notes that other processes have written all blocks of a section.
    ///
    /// # Arguments
    /// * `hashes` – the hash of each block
    pub fn note(&mut self, section: usize, hashes: &[u64]) {
        for (block, &hash) in self.layout.blocks[section].iter_mut().zip(hashes) {
            block.hash = hash;
        }
    }

    /// Completes the file, gives it its name, and removes checkpoints that are no longer needed.
    ///
    /// # Errors
    /// [`RunError::Format`] if it cannot be written; earlier checkpoints are then unchanged. [`RunError::Io`] if one cannot be removed.
    pub fn finish(self) -> Result<PathBuf, RunError> {
        let Self { store, file, layout } = self;
        let path = file.path().to_owned();
        file.finish(&layout.to_bytes())?;
        store.prune(layout.header.step)?;
        Ok(path)
    }
}
