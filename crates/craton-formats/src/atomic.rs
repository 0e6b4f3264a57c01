//! Atomic file writing: a file is written completely or not at all, whenever the process dies.
//!
//! The bytes go to a temporary file in the same folder, which is flushed to the disk and then renamed; the folder is flushed too, so that
//! the name survives a power failure. A process that is killed leaves the old file unchanged, and at most a temporary file
//! `.NAME.*.partial`.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{FormatError, Result};

/// Bytes buffered before each system call.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes a file atomically.
///
/// # Arguments
/// * `path` – the file; an existing one is replaced at the end. Its folder must exist.
/// * `content` – writes the bytes; if it returns an error, `path` is unchanged
/// # Errors
/// [`FormatError::Io`] if the folder is missing, the disk is full or `content` fails.
pub fn write_with(path: &Path, content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    let temporary = create_temporary(path).map_err(|source| not_created(path, source))?;
    fill(&temporary, content).map_err(|source| not_written(path, source))?;
    rename(temporary, path).map_err(|source| not_renamed(path, source))
}

/// Writes bytes to a file atomically.
///
/// # Errors
/// As [`write_with`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |out| out.write_all(bytes))
}

/// A file that is written piece by piece, and appears under its name when it is complete. Dropping it before [`Self::finish`] leaves the
/// old file unchanged.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    out: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Creates the temporary file.
    ///
    /// # Arguments
    /// * `path` – the file; an existing one is replaced by [`Self::finish`]. Its folder must exist.
    /// # Errors
    /// [`FormatError::Io`] if the folder is missing or not writable.
    pub fn create(path: &Path) -> Result<Self> {
        let temporary = create_temporary(path).map_err(|source| not_created(path, source))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::with_capacity(BUFFER_BYTES, temporary) })
    }

    /// The path of the finished file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the temporary file.
    pub fn temporary(&self) -> &Path {
        self.out.get_ref().path()
    }

    /// Sets the length of the file; new bytes are zero.
    ///
    /// # Errors
    /// [`FormatError::Io`] if it cannot be set.
    pub fn set_length(&mut self, bytes: u64) -> Result<()> {
        self.out.get_ref().as_file().set_len(bytes).map_err(|source| not_written(&self.path, source))
    }

    /// Writes bytes at a position.
    ///
    /// # Errors
    /// [`FormatError::Io`] if they cannot be written.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<()> {
        let written = self.out.seek(SeekFrom::Start(position)).and_then(|_| self.out.write_all(bytes));
        written.map_err(|source| not_written(&self.path, source))
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`FormatError::Io`] if they cannot be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|source| not_written(&self.path, source))
    }

    /// Completes the file: overwrites its first bytes, flushes it to the disk and renames it.
    ///
    /// # Arguments
    /// * `start` – new first bytes, such as a header with positions that are known at the end only; may be empty
    /// # Errors
    /// [`FormatError::Io`] if the file cannot be written or renamed.
    pub fn finish(self, start: &[u8]) -> Result<()> {
        let Self { path, mut out } = self;
        let mut complete = || {
            out.seek(SeekFrom::Start(0))?;
            out.write_all(start)?;
            out.flush()?;
            out.get_ref().as_file().sync_all()
        };
        complete().map_err(|source| not_written(&path, source))?;
        let (temporary, _) = out.into_parts();
        rename(temporary, &path).map_err(|source| not_renamed(&path, source))
    }
}

fn not_created(path: &Path, source: io::Error) -> FormatError {
    let hint = "its folder must exist and be writable";
    FormatError::Io { path: path.to_owned(), action: "create the file", source, hint }
}

fn not_written(path: &Path, source: io::Error) -> FormatError {
    let hint = "check for a full disk or a limit of file sizes (ulimit -f); nothing was changed";
    FormatError::Io { path: path.to_owned(), action: "write the file", source, hint }
}

fn not_renamed(path: &Path, source: io::Error) -> FormatError {
    let hint = "the target must be a file in a writable folder";
    FormatError::Io { path: path.to_owned(), action: "rename the finished file", source, hint }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn create_temporary(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".partial");
    // Temporary files are private by default; a result must have the permissions of any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(path))
}

fn fill(temporary: &NamedTempFile, content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let file = temporary.as_file();
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    content(&mut out)?;
    out.flush()?;
    file.sync_all()
}

fn rename(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    temporary.persist(path).map_err(|failed| failed.error)?;
    sync_name(path)
}

/// Removes a symbolic link that has the name of a file to be created, so that the file replaces the link and its target stays unchanged.
/// Files that are written in place need this; [`write_with`] replaces links by itself.
///
/// # Errors
/// A link that cannot be removed.
pub fn replace_link(path: &Path) -> io::Result<()> {
    if path.is_symlink() { std::fs::remove_file(path) } else { Ok(()) }
}

/// Flushes the folder of a new or renamed file, so that its name survives a power failure.
///
/// # Errors
/// A folder that cannot be flushed.
pub fn sync_name(path: &Path) -> io::Result<()> {
    // Only Unix can open and flush a folder.
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.txt");
        write_bytes(&path, b"old").unwrap();
        let failed = write_with(&path, |out| {
            out.write_all(b"half of the new")?;
            Err(io::Error::other("the disk is full"))
        });
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("trace.txt: cannot write the file: the disk is full"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_replaced_completely() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_bytes(&path, b"a longer first version").unwrap();
        write_bytes(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_written_in_pieces_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = AtomicFile::create(&path).unwrap();
        file.append(b"....ef").unwrap();
        assert!(!path.exists());
        file.append(b"gh").unwrap();
        file.finish(b"abcd").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdefgh");
        let mut unfinished = AtomicFile::create(&path).unwrap();
        unfinished.append(b"half").unwrap();
        drop(unfinished);
        assert_eq!(fs::read(&path).unwrap(), b"abcdefgh");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("ours");
        let usual = folder.path().join("usual");
        write_bytes(&ours, b"").unwrap();
        fs::write(&usual, b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[test]
    fn a_missing_folder_is_reported_with_a_hint() {
        let message = write_bytes(Path::new("/nowhere/at/all.txt"), b"").unwrap_err().to_string();
        assert!(message.contains("/nowhere/at/all.txt: cannot create the file"), "{message}");
        assert!(message.ends_with("its folder must exist and be writable"), "{message}");
    }
}
