//! Random access to large binary files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::{FormatError, Result};

/// Size of the read buffer [bytes].
const BUFFER_BYTES: usize = 1 << 16;

/// A file that can be read at any position; nearby reads share one buffer.
#[derive(Debug)]
pub(crate) struct Input {
    path: PathBuf,
    file: BufReader<File>,
    at: u64,
    size: u64,
}

impl Input {
    pub fn open(path: &Path) -> Result<Self> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (size, file) = opened
            .map_err(|source| unread(path, source, "check the path; a relative one starts at the current folder"))?;
        Ok(Self { path: path.to_owned(), file: BufReader::with_capacity(BUFFER_BYTES, file), at: 0, size })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file when it was opened [bytes].
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Fills `bytes` from byte `offset`.
    pub fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.fill(offset, bytes).map_err(|source| {
            unread(&self.path, source, "check whether the file is still being written, or was truncated")
        })
    }

    fn fill(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        // Unlike `seek`, this keeps what is in the buffer.
        self.file.seek_relative(offset as i64 - self.at as i64)?;
        let read = self.file.read_exact(bytes);
        // After a failed read the position is unknown, so seek to a known one.
        self.at = match read {
            Ok(()) => offset + bytes.len() as u64,
            Err(_) => self.file.seek(SeekFrom::Start(offset))?,
        };
        read
    }
}

fn unread(path: &Path, source: io::Error, hint: &'static str) -> FormatError {
    FormatError::Io { path: path.to_owned(), action: "read the file", source, hint }
}
