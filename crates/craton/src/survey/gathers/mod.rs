//! The gather files: every trace has a fixed place, so that a completed shot is written directly to its final place.
//!
//! Any number of processes write complete shots to partial files, in any order. When no shot is left, the files are
//! compared with the checksums of the journal and renamed, without the failed shots.
//!
//! A single quantity has one file, several quantities have a folder with one file each. Either is renamed atomically.

mod checking;
mod copying;
mod removal;
mod traces;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_acquisition::survey::Shot;
use craton_formats::atomic::replace_link;
use craton_formats::segy::TextHeader;
use craton_formats::{FormatError, Refused};
use craton_run::Bytes;

use super::config::{GatherFormat, Quantity};
use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, SurveyError};
use traces::Traces;

pub use checking::checksum;

/// Number of bytes that are copied or compared at a time.
const CHUNK: usize = 1 << 20;

/// The files with all traces of a survey.
pub struct Gathers {
    traces: Traces,
    quantities: Vec<Quantity>,
    /// Text headers of the files of the quantities.
    texts: Vec<TextHeader>,
    /// Names of the files in their folder; empty for a single file.
    names: Vec<String>,
    /// The complete file or folder.
    path: PathBuf,
    /// The partial file or folder.
    partial: PathBuf,
}

impl Gathers {
    /// The files of a survey in its results folder, with shots ordered by number.
    ///
    /// # Arguments
    /// * `order` – the shots by number
    /// * `lines` – lines of the text header of a quantity
    /// # Errors
    /// Data that the format does not support.
    pub fn new(
        setup: &Setup,
        axis: &TimeAxis,
        order: &[usize],
        lines: impl Fn(Quantity) -> Vec<String>,
        folder: &Path,
    ) -> Result<Self, Error> {
        let ending = match setup.output.format {
            GatherFormat::Segy => "segy",
            GatherFormat::Su => "su",
        };
        let quantities = setup.heard.clone();
        let (name, names) = match &quantities[..] {
            [_] => (format!("gathers.{ending}"), Vec::new()),
            _ => ("gathers".to_owned(), quantities.iter().map(|own| format!("{}.{ending}", own.name())).collect()),
        };
        let path = folder.join(&name);
        let made = || {
            let texts = quantities.iter().map(|&quantity| TextHeader::cards(&lines(quantity)));
            Ok::<_, Refused>((Traces::new(setup, axis, order)?, texts.collect::<Result<_, _>>()?))
        };
        let (traces, texts) = made().map_err(|refused| refused.unwritable(&path))?;
        Ok(Self { traces, quantities, texts, names, path, partial: folder.join(format!("{name}.partial")) })
    }

    /// The files of a path: the path itself, or files in this folder.
    fn files(&self, path: &Path) -> Vec<PathBuf> {
        match &self.names[..] {
            [] => vec![path.to_owned()],
            names => names.iter().map(|name| path.join(name)).collect(),
        }
    }

    /// Names of the files in the results folder, both partial and complete.
    pub fn names(&self) -> Vec<PathBuf> {
        let own = |path: &Path| path.file_name().map(|name| self.files(Path::new(name)));
        [&self.path, &self.partial, &self.copied()].into_iter().filter_map(|path| own(path)).flatten().collect()
    }

    /// Size of all files [bytes].
    pub fn bytes(&self) -> u64 {
        self.quantities.len() as u64 * self.bytes_of_file()
    }

    fn bytes_of_file(&self) -> u64 {
        self.traces.offset(self.traces.shots())
    }

    /// The complete file, or the folder of several files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The complete file of each quantity.
    pub fn of_quantities(&self) -> impl Iterator<Item = (Quantity, PathBuf)> {
        self.quantities.iter().copied().zip(self.files(&self.path))
    }

    /// Name and path for the user.
    pub fn named(&self) -> (&'static str, String) {
        let (path, bytes) = (self.path.display(), Bytes(self.bytes()));
        match &self.names[..] {
            [] => ("file", format!("{path}, {bytes}")),
            names => ("files", format!("{path}: {}; {bytes}", names.join(", "))),
        }
    }

    /// The bytes of a shot: those in the file of the first quantity, followed by those of the next.
    ///
    /// # Arguments
    /// * `piece` – its index in the files
    /// * `traces` – samples of its channels, `[quantity][channel]`
    /// # Errors
    /// A sample that the format does not support.
    pub fn encode(&self, piece: usize, shot: &Shot, traces: &[Vec<Vec<f32>>]) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::with_capacity(self.quantities.len() * self.traces.bytes_of_shot(piece));
        for (&quantity, traces) in self.quantities.iter().zip(traces) {
            let encoded = self.traces.encode((piece, shot), quantity, traces, &mut bytes);
            encoded.map_err(|refused| refused.unwritable(&self.partial))?;
        }
        Ok(bytes)
    }

    /// Whether all complete files exist.
    pub fn is_complete(&self) -> bool {
        self.files(&self.path).iter().all(|file| file.is_file())
    }

    /// Whether all partial files exist in full size.
    pub fn is_begun(&self) -> bool {
        !self.partial.is_symlink() && self.files(&self.partial).iter().all(|file| self.has_places(file))
    }

    fn has_places(&self, file: &Path) -> bool {
        // A link is not followed.
        fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.len() == self.bytes_of_file())
    }

    /// Creates new partial files.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn begin(&self) -> Result<(), Error> {
        [&self.path, &self.partial, &self.copied()].into_iter().try_for_each(|old| self.remove(old))?;
        self.make_folder(&self.partial).map_err(|error| self.failed(error, &self.partial))?;
        for (path, text) in self.files(&self.partial).iter().zip(&self.texts) {
            let head = self.traces.head(text).map_err(|refused| refused.unwritable(path))?;
            let make = || {
                replace_link(path)?;
                let mut file = File::create(path)?;
                file.write_all(&head)?;
                file.set_len(self.bytes_of_file())?;
                file.sync_all()
            };
            make().map_err(|error| self.failed(error, path))?;
        }
        Ok(())
    }

    /// Opens the partial files for writing shots.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(&self) -> Result<Vec<File>, Error> {
        let open = |path: &PathBuf| {
            OpenOptions::new().read(true).write(true).open(path).map_err(|error| self.failed(error, path))
        };
        self.files(&self.partial).iter().map(open).collect()
    }

    /// Writes the bytes of a shot to their places.
    ///
    /// # Errors
    /// A full or failing disk.
    pub fn put(&self, files: &mut [File], piece: usize, bytes: &[u8]) -> Result<(), Error> {
        let of_files = bytes.chunks_exact(self.traces.bytes_of_shot(piece));
        for ((file, path), bytes) in files.iter_mut().zip(self.files(&self.partial)).zip(of_files) {
            let put = file.seek(SeekFrom::Start(self.traces.offset(piece))).and_then(|_| file.write_all(bytes));
            put.map_err(|error| self.failed(error, &path))?;
        }
        Ok(())
    }

    /// Flushes all written data to the disk, to the files with the expected names.
    ///
    /// # Errors
    /// A failing disk, or a removed or truncated file.
    pub fn flush(&self, files: &[File]) -> Result<(), Error> {
        for (file, path) in files.iter().zip(self.files(&self.partial)) {
            file.sync_data().map_err(|error| self.failed(error, &path))?;
            if !(self.has_places(&path) && is_same(file, &path)) {
                return Err(SurveyError::LostOutput { file: path }.into());
            }
        }
        Ok(())
    }

    /// Creates the folder of several files. A link is replaced.
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        if self.names.is_empty() {
            return Ok(());
        }
        replace_link(path)?;
        fs::create_dir_all(path)
    }

    fn failed(&self, error: io::Error, path: &Path) -> Error {
        let is_lost = error.kind() == ErrorKind::NotFound && path.starts_with(&self.partial);
        let error = match is_lost {
            true => SurveyError::LostOutput { file: path.to_owned() },
            false => SurveyError::Gathers { file: path.to_owned(), source: error },
        };
        error.into()
    }
}

/// Whether an open file is the one with a name.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let both = file.metadata().and_then(|open| Ok((open, fs::metadata(path)?)));
    both.is_ok_and(|(open, named)| (open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Whether an open file is the one with a name; on this system the name of an open file cannot change.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
