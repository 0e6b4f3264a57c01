//! Comparison of gather files with the checksums of the journal.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{CHUNK, Gathers};
use crate::error::Error;

/// Number of shots that a thread compares at a time.
const TOGETHER: usize = 4;

/// The checksum of the bytes of a shot, as in the journal.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

impl Gathers {
    /// The shots with wrong checksums in the partial files.
    ///
    /// # Arguments
    /// * `done` – index of each shot and the checksum of its bytes
    /// * `may_continue` – called before each shot, by all threads of the current pool
    /// # Returns
    /// `None` if interrupted.
    /// # Errors
    /// An unreadable file.
    pub fn damaged(
        &self,
        done: &[(usize, u64)],
        may_continue: impl Fn() -> bool + Sync,
    ) -> Result<Option<Vec<usize>>, Error> {
        self.damaged_in(&self.partial, &[], done, may_continue)
    }

    /// The same in the complete files.
    ///
    /// # Arguments
    /// * `missing` – the failed shots, which the files lack, ascending
    /// # Errors
    /// As [`Self::damaged`].
    pub fn damaged_when_complete(&self, missing: &[usize], done: &[(usize, u64)]) -> Result<Vec<usize>, Error> {
        let damaged = self.damaged_in(&self.path, missing, done, || true)?;
        Ok(damaged.expect("the comparison is not interrupted"))
    }

    fn damaged_in(
        &self,
        path: &Path,
        missing: &[usize],
        done: &[(usize, u64)],
        may_continue: impl Fn() -> bool + Sync,
    ) -> Result<Option<Vec<usize>>, Error> {
        let files = self.files(path);
        let among = |shots: &[(usize, u64)]| {
            let open = |file: &PathBuf| match File::open(file) {
                Ok(open) => Ok(BufReader::with_capacity(CHUNK, open)),
                Err(error) => Err(self.failed(error, file)),
            };
            let mut readers = files.iter().map(open).collect::<Result<Vec<_>, Error>>()?;
            let mut damaged = Vec::new();
            for &(piece, checksum) in shots {
                if !may_continue() {
                    return Ok(None);
                }
                let mut hash = Xxh3::new();
                for (reader, file) in readers.iter_mut().zip(&files) {
                    self.hash(reader, piece, missing, &mut hash).map_err(|error| self.failed(error, file))?;
                }
                if hash.digest() != checksum {
                    damaged.push(piece);
                }
            }
            Ok(Some(damaged))
        };
        let lists: Vec<Option<Vec<usize>>> = done.par_chunks(TOGETHER).map(among).collect::<Result<_, Error>>()?;
        Ok(lists.into_iter().collect::<Option<Vec<_>>>().map(|lists| lists.concat()))
    }

    /// Hashes the bytes of a shot, with the trace numbers of a file that lacks no shot.
    fn hash(&self, reader: &mut BufReader<File>, piece: usize, missing: &[usize], hash: &mut Xxh3) -> io::Result<()> {
        let before = missing.iter().take_while(|&&other| other < piece);
        let left_out: u64 = before.map(|&other| self.traces.of_shot(other)).sum();
        let (first, count) = (self.traces.first(piece), self.traces.of_shot(piece));
        reader.seek(SeekFrom::Start(self.traces.offset_of(first - left_out)))?;
        let mut trace = vec![0; self.traces.bytes_of_trace()];
        for number in first..first + count {
            reader.read_exact(&mut trace)?;
            if left_out > 0 {
                // A flipped bit in the numbers must not be overwritten.
                if !self.traces.is_numbered(&trace, number - left_out) {
                    hash.update(&[0]);
                }
                self.traces.renumber(&mut trace, number);
            }
            hash.update(&trace);
        }
        Ok(())
    }

    /// Whether the complete files have the file headers of this survey, and the size of all shots except the missing ones.
    ///
    /// # Errors
    /// An unreadable file.
    pub fn are_whole(&self, missing: &[usize]) -> Result<bool, Error> {
        let left_out: u64 = missing.iter().map(|&piece| self.traces.of_shot(piece)).sum();
        let size = self.traces.offset_of(self.traces.first(self.traces.shots()) - left_out);
        for (file, text) in self.files(&self.path).iter().zip(&self.texts) {
            let head = self.traces.head(text).map_err(|refused| refused.unwritable(file))?;
            let is_same_head = || -> io::Result<bool> {
                let mut found = vec![0; head.len()];
                File::open(file)?.read_exact(&mut found)?;
                Ok(found == head)
            };
            let is_whole = || -> io::Result<bool> { Ok(fs::metadata(file)?.len() == size && is_same_head()?) };
            if !is_whole().map_err(|error| self.failed(error, file))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
