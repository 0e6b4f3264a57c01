//! The files of all gathers: every trace has its place from the beginning, and a shot that is done stands where it will stay.
//!
//! Shots are written to partial files, whole and in any order, by any number of processes. When no shot is left, what stands there is compared with
//! the checksums of the journal, and the files get their names; shots that could not be computed are left out then.
//!
//! One quantity makes a file, several a folder with a file each: a single name is given at once, whatever happens.

mod copying;
mod removal;
mod traces;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_acquisition::survey::Shot;
use craton_formats::segy::TextHeader;
use craton_formats::{FormatError, Refused};
use craton_run::Bytes;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::config::{GatherFormat, Quantity};
use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, SurveyError};
use traces::Traces;

/// Bytes that are copied and compared at once.
const CHUNK: usize = 1 << 20;
/// Shots that a thread compares before it takes others.
const TOGETHER: usize = 4;

/// Where all traces of a survey stand.
pub struct Gathers {
    traces: Traces,
    quantities: Vec<Quantity>,
    /// What the files of the quantities say in words.
    texts: Vec<TextHeader>,
    /// Names of the files in their folder; none of a single file.
    names: Vec<String>,
    /// The file, or the folder, when it is complete.
    path: PathBuf,
    /// The same until then.
    partial: PathBuf,
}

impl Gathers {
    /// The files of a survey in its folder, shots in the order of their numbers.
    ///
    /// # Arguments
    /// * `order` – the shots by their numbers
    /// * `lines` – what the textual header of a quantity says
    /// # Errors
    /// What the format cannot hold.
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

    /// The files of a name: it is theirs, or that of their folder.
    fn files(&self, path: &Path) -> Vec<PathBuf> {
        match &self.names[..] {
            [] => vec![path.to_owned()],
            names => names.iter().map(|name| path.join(name)).collect(),
        }
    }

    /// Names of the files in the folder of the results, as they come and go.
    pub fn names(&self) -> Vec<PathBuf> {
        let own = |path: &Path| path.file_name().map(|name| self.files(Path::new(name)));
        [&self.path, &self.partial, &self.copied()].into_iter().filter_map(|path| own(path)).flatten().collect()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.quantities.len() as u64 * self.bytes_of_file()
    }

    fn bytes_of_file(&self) -> u64 {
        self.traces.offset(self.traces.shots())
    }

    /// The complete file, or the folder of several.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The complete file of each quantity.
    pub fn of_quantities(&self) -> impl Iterator<Item = (Quantity, PathBuf)> {
        self.quantities.iter().copied().zip(self.files(&self.path))
    }

    /// What it is, for people: a name, and where it stands.
    pub fn named(&self) -> (&'static str, String) {
        let (path, bytes) = (self.path.display(), Bytes(self.bytes()));
        match &self.names[..] {
            [] => ("file", format!("{path}, {bytes}")),
            names => ("files", format!("{path}: {}; {bytes}", names.join(", "))),
        }
    }

    /// The bytes of a shot: those in the file of the first quantity, then those of the next.
    ///
    /// # Arguments
    /// * `piece` – its number in the order of the files
    /// * `traces` – samples of its channels, `[quantity][channel]`
    /// # Errors
    /// A sample that the format cannot hold.
    pub fn encode(&self, piece: usize, shot: &Shot, traces: &[Vec<Vec<f32>>]) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::with_capacity(self.quantities.len() * self.traces.bytes_of_shot(piece));
        for (&quantity, traces) in self.quantities.iter().zip(traces) {
            let encoded = self.traces.encode((piece, shot), quantity, traces, &mut bytes);
            encoded.map_err(|refused| refused.unwritable(&self.partial))?;
        }
        Ok(bytes)
    }

    /// Whether all complete files are there.
    pub fn is_complete(&self) -> bool {
        self.files(&self.path).iter().all(|file| file.exists())
    }

    /// Whether all partial files are there, with all the places of their traces.
    pub fn is_begun(&self) -> bool {
        self.files(&self.partial).iter().all(|file| self.has_places(file))
    }

    fn has_places(&self, file: &Path) -> bool {
        fs::metadata(file).is_ok_and(|found| found.len() == self.bytes_of_file())
    }

    /// Makes the partial files anew.
    ///
    /// # Errors
    /// Files that cannot be written; those of others in the folders.
    pub fn begin(&self) -> Result<(), Error> {
        // What is left of folders would keep the new ones from their names.
        [&self.path, &self.copied()].into_iter().try_for_each(|old| self.remove(old))?;
        self.make_folder(&self.partial).map_err(|error| self.failed(error, &self.partial))?;
        for (path, text) in self.files(&self.partial).iter().zip(&self.texts) {
            let head = self.traces.head(text).map_err(|refused| refused.unwritable(path))?;
            let make = || {
                let mut file = File::create(path)?;
                file.write_all(&head)?;
                file.set_len(self.bytes_of_file())?;
                file.sync_all()
            };
            make().map_err(|error| self.failed(error, path))?;
        }
        Ok(())
    }

    /// The partial files, to put shots in.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(&self) -> Result<Vec<File>, Error> {
        let open = |path: &PathBuf| {
            OpenOptions::new().read(true).write(true).open(path).map_err(|error| self.failed(error, path))
        };
        self.files(&self.partial).iter().map(open).collect()
    }

    /// Puts the bytes of a shot at their places.
    ///
    /// # Errors
    /// A disk that is full, or fails.
    pub fn put(&self, files: &mut [File], piece: usize, bytes: &[u8]) -> Result<(), Error> {
        let of_files = bytes.chunks_exact(self.traces.bytes_of_shot(piece));
        for ((file, path), bytes) in files.iter_mut().zip(self.files(&self.partial)).zip(of_files) {
            let put = file.seek(SeekFrom::Start(self.traces.offset(piece))).and_then(|_| file.write_all(bytes));
            put.map_err(|error| self.failed(error, &path))?;
        }
        Ok(())
    }

    /// Makes sure that what was put stands on the disk, in the files that are there under their names.
    ///
    /// # Errors
    /// A disk that fails; a file that somebody has removed or cut.
    pub fn flush(&self, files: &[File]) -> Result<(), Error> {
        for (file, path) in files.iter().zip(self.files(&self.partial)) {
            file.sync_data().map_err(|error| self.failed(error, &path))?;
            if !(self.has_places(&path) && is_same(file, &path)) {
                return Err(SurveyError::LostOutput { file: path }.into());
            }
        }
        Ok(())
    }

    /// The shots whose bytes are not those that were put.
    ///
    /// # Arguments
    /// * `done` – number of each shot and the checksum of its bytes
    /// * `may_go_on` – asked before each shot, by all threads of the pool that this is called in
    /// # Returns
    /// None if it may not go on.
    /// # Errors
    /// A file that cannot be read.
    pub fn damaged(
        &self,
        done: &[(usize, u64)],
        may_go_on: impl Fn() -> bool + Sync,
    ) -> Result<Option<Vec<usize>>, Error> {
        let among = |shots: &[(usize, u64)]| {
            let open = self.open()?.into_iter();
            let mut readers: Vec<_> = open.map(|file| BufReader::with_capacity(CHUNK, file)).collect();
            let mut damaged = Vec::new();
            for &(piece, checksum) in shots {
                if !may_go_on() {
                    return Ok(None);
                }
                let mut hash = Xxh3::new();
                for (reader, path) in readers.iter_mut().zip(self.files(&self.partial)) {
                    self.hash(reader, piece, &mut hash).map_err(|error| self.failed(error, &path))?;
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

    /// Reads the bytes of a shot, some at a time.
    fn hash(&self, reader: &mut BufReader<File>, piece: usize, hash: &mut Xxh3) -> io::Result<()> {
        reader.seek(SeekFrom::Start(self.traces.offset(piece)))?;
        let mut left = self.traces.bytes_of_shot(piece);
        let mut bytes = vec![0; CHUNK.min(left)];
        while left > 0 {
            let now = left.min(CHUNK);
            reader.read_exact(&mut bytes[..now])?;
            hash.update(&bytes[..now]);
            left -= now;
        }
        Ok(())
    }

    /// Makes the folder of several files.
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        if self.names.is_empty() { Ok(()) } else { fs::create_dir_all(path) }
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

/// The checksum of the bytes of a shot, as the journal keeps it.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Whether an open file is the one that stands under a name.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let both = file.metadata().and_then(|open| Ok((open, fs::metadata(path)?)));
    both.is_ok_and(|(open, named)| (open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Whether an open file is the one that stands under a name: other systems keep the name of a file that is open.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
