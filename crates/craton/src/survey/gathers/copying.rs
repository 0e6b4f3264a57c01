//! Completes gather files without missing shots, and restores the places of these shots.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_formats::atomic::{replace_link, sync_name};

use super::{CHUNK, Gathers};
use crate::error::Error;

impl Gathers {
    /// Renames the complete files; missing shots are removed, and later traces move forward.
    ///
    /// # Arguments
    /// * `missing` – numbers of the failed shots, ascending
    /// * `may_continue` – called before each shot is copied
    /// # Returns
    /// Whether the files are complete; if interrupted, nothing has changed.
    /// # Errors
    /// A full or failing disk.
    pub fn finish(&self, missing: &[usize], may_continue: impl Fn() -> bool) -> Result<bool, Error> {
        if missing.is_empty() {
            return self.rename(&self.partial, &self.path).map(|()| true);
        }
        let is_done = self.replace(missing, [&self.partial, &self.path], may_continue)?;
        if is_done {
            // A remaining copy only takes space.
            let _ = self.remove(&self.partial);
        }
        Ok(is_done)
    }

    /// Turns complete files with missing shots into partial ones again, with places for the missing shots and all
    /// others in their original places.
    ///
    /// # Arguments
    /// * `may_continue` – called before each shot is copied
    /// # Returns
    /// Whether the files are partial now; if interrupted, the complete ones remain.
    /// # Errors
    /// A full or failing disk, or foreign files in the folder.
    pub fn reopen(&self, missing: &[usize], may_continue: impl Fn() -> bool) -> Result<bool, Error> {
        self.require_own(&self.path)?;
        // An incomplete copy of an earlier attempt may exist.
        self.remove(&self.partial)?;
        if missing.is_empty() {
            return self.rename(&self.path, &self.partial).map(|()| true);
        }
        let is_done = self.replace(missing, [&self.path, &self.partial], may_continue)?;
        if is_done {
            // As long as these exist, no process computes missing shots.
            self.remove(&self.path)?;
        }
        Ok(is_done)
    }

    /// Copies files to another name, without or with places for the missing shots; returns whether it finished.
    fn replace(
        &self,
        missing: &[usize],
        [from, to]: [&Path; 2],
        may_continue: impl Fn() -> bool,
    ) -> Result<bool, Error> {
        let copied = self.copied();
        let copy = || {
            self.make_folder(&copied)?;
            for (file, copy) in self.files(from).iter().zip(&self.files(&copied)) {
                if !self.copy(missing, [file, copy], to == self.partial, &may_continue)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let made = copy().map_err(|error| self.failed(error, to));
        let made = made.and_then(|is_whole| if is_whole { self.rename(&copied, to).map(|()| true) } else { Ok(false) });
        if !matches!(made, Ok(true)) {
            // A remaining copy only takes space.
            let _ = self.remove(&copied);
        }
        made
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let rename = |from: &Path, to: &Path| {
            fs::rename(from, to).and_then(|()| sync_name(to)).map_err(|error| self.failed(error, to))
        };
        // A file can replace another file, but a folder only an empty one.
        if !self.names.is_empty() {
            self.remove(to)?;
        }
        if self.names.is_empty() || !to.exists() {
            return rename(from, to);
        }
        // Foreign files stay, so the folder cannot be replaced.
        self.files(from).iter().zip(&self.files(to)).try_for_each(|(from, to)| rename(from, to))?;
        self.remove(from)
    }

    /// Copies all traces except those of the missing shots.
    ///
    /// # Arguments
    /// * `is_to_have_places` – whether the copy, and not the original, has places for the missing shots
    /// # Returns
    /// Whether it finished.
    fn copy(
        &self,
        missing: &[usize],
        [from, to]: [&Path; 2],
        is_to_have_places: bool,
        may_continue: impl Fn() -> bool,
    ) -> io::Result<bool> {
        replace_link(to)?;
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
            if !may_continue() {
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

    /// Copies of the files before they are complete.
    pub(super) fn copied(&self) -> PathBuf {
        self.partial.with_extension("copied")
    }
}
