//! How files of gathers get their name with shots left out, and their places for these shots again.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_formats::atomic::sync_name;

use super::{CHUNK, Gathers};
use crate::error::Error;

impl Gathers {
    /// Gives the files their name; shots that are missing are left out, and the traces behind them move up.
    ///
    /// # Arguments
    /// * `missing` – numbers of the shots that could not be computed, rising
    /// * `may_go_on` – asked before each shot that is copied
    /// # Returns
    /// Whether they have it: if it may not go on, all is as it was.
    /// # Errors
    /// A disk that is full, or fails; files of others in the folder.
    pub fn finish(&self, missing: &[usize], may_go_on: impl Fn() -> bool) -> Result<bool, Error> {
        if missing.is_empty() {
            return self.rename(&self.partial, &self.path).map(|()| true);
        }
        let is_done = self.replace(missing, [&self.partial, &self.path], may_go_on)?;
        if is_done {
            // What is left of it takes room, and does no other harm.
            let _ = self.remove(&self.partial);
        }
        Ok(is_done)
    }

    /// Makes partial files again of complete ones from which shots are missing: with places for them, and all others where they were.
    ///
    /// # Arguments
    /// * `may_go_on` – asked before each shot that is copied
    /// # Returns
    /// Whether they are: if it may not go on, the complete ones stay.
    /// # Errors
    /// A disk that is full, or fails; files of others in the folders.
    pub fn reopen(&self, missing: &[usize], may_go_on: impl Fn() -> bool) -> Result<bool, Error> {
        self.require_own(&self.path)?;
        // A copy that was not completed may be left of an earlier time.
        self.remove(&self.partial)?;
        let is_done = self.replace(missing, [&self.path, &self.partial], may_go_on)?;
        if is_done {
            // As long as they are there, nobody computes what is missing.
            self.remove(&self.path)?;
        }
        Ok(is_done)
    }

    /// Puts copies of files under another name, in which shots have no place any more, or have one again; returns whether it could go on to the end.
    fn replace(&self, missing: &[usize], [from, to]: [&Path; 2], may_go_on: impl Fn() -> bool) -> Result<bool, Error> {
        let copied = self.copied();
        let copy = || {
            self.make_folder(&copied)?;
            for (file, copy) in self.files(from).iter().zip(&self.files(&copied)) {
                if !self.copy(missing, [file, copy], to == self.partial, &may_go_on)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let made = copy().map_err(|error| self.failed(error, to));
        let made = made.and_then(|is_whole| if is_whole { self.rename(&copied, to).map(|()| true) } else { Ok(false) });
        if !matches!(made, Ok(true)) {
            // What is left of a copy takes room.
            let _ = self.remove(&copied);
        }
        made
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        // A file takes the place of another, a folder only that of an empty one.
        if !self.names.is_empty() {
            self.remove(to)?;
        }
        fs::rename(from, to).and_then(|()| sync_name(to)).map_err(|error| self.failed(error, to))
    }

    /// Copies all traces but those of the shots that are missing.
    ///
    /// # Arguments
    /// * `is_to_have_places` – whether the copy has places for the missing shots, and not the file
    /// # Returns
    /// Whether it could go on to the end.
    fn copy(
        &self,
        missing: &[usize],
        [from, to]: [&Path; 2],
        is_to_have_places: bool,
        may_go_on: impl Fn() -> bool,
    ) -> io::Result<bool> {
        let mut reader = BufReader::with_capacity(CHUNK, File::open(from)?);
        let mut writer = BufWriter::with_capacity(CHUNK, File::create(to)?);
        let mut head = vec![0; self.traces.offset(0) as usize];
        reader.read_exact(&mut head)?;
        writer.write_all(&head)?;
        let (mut trace, mut left_out) = (vec![0; self.traces.bytes_of_trace()], 0);
        for piece in 0..self.traces.shots() {
            let (first, count) = (self.traces.first(piece), self.traces.of_shot(piece));
            if missing.binary_search(&piece).is_ok() {
                left_out += count;
                continue;
            }
            if !may_go_on() {
                return Ok(false);
            }
            let [source, target] =
                if is_to_have_places { [first - left_out, first] } else { [first, first - left_out] };
            reader.seek(SeekFrom::Start(self.traces.offset_of(source)))?;
            writer.seek(SeekFrom::Start(self.traces.offset_of(target)))?;
            for place in target..target + count {
                reader.read_exact(&mut trace)?;
                self.traces.renumber(&mut trace, place);
                writer.write_all(&trace)?;
            }
        }
        let file = writer.into_inner()?;
        if is_to_have_places {
            file.set_len(self.bytes_of_file())?;
        }
        file.sync_all().map(|()| true)
    }

    /// Copies of the files, until they are complete.
    pub(super) fn copied(&self) -> PathBuf {
        self.partial.with_extension("copied")
    }
}
