//! Output folders: one run per folder.

mod earlier;

use crate::{RunError, RunRecord, RunStatus};
use craton_formats::atomic::replace_link;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use earlier::remove_partial_files;
use earlier::{Remaining, clear, file_names, is_temporary, remove_all_partial_files};

/// Lock file of a running job; the system releases the lock however the process dies.
const LOCK: &str = ".craton.lock";
/// Lists every file that a run wrote here, one per line: these may be removed when the run is repeated.
const MANIFEST: &str = ".craton-files";
const CHECKPOINTS: &str = "checkpoints";
const JOURNAL: &str = "journal";
/// How long a process waits for another one that is preparing the folder, and how often it checks.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The folder of one run, locked against other runs while this value lives.
///
/// A folder that is not empty is refused unless the user requested overwriting. Then only the files of the earlier run are removed; all
/// other files are kept.
#[derive(Debug)]
pub struct OutputDirectory {
    path: PathBuf,
    manifest: File,
    /// What overwriting left.
    remaining: Remaining,
    /// Held while this value lives.
    lock: File,
}

impl OutputDirectory {
    /// Checks whether [`create`](Self::create) would accept this folder, without changing anything.
    ///
    /// # Errors
    /// [`RunError::NotADirectory`], [`RunError::Unwritable`], [`RunError::Occupied`] with what to do, [`RunError::Io`].
    pub fn check(path: &Path, overwrite: bool) -> Result<(), RunError> {
        let is_there = require_writable(path)?;
        if overwrite || !is_there {
            return Ok(());
        }
        let occupied =
            |holds: String, hint: &str| Err(RunError::Occupied { path: path.to_owned(), holds, hint: hint.to_owned() });
        let another = "name another folder, or pass `--overwrite`";
        match RunRecord::read(path) {
            Ok(record) if matches!(record.status, RunStatus::Complete | RunStatus::Failed) => {
                let (status, hint) = match record.status {
                    RunStatus::Complete => {
                        ("complete", "name another folder, pass `--overwrite`, or check its files with `--verify`")
                    }
                    _ => ("failed", another),
                };
                occupied(format!("holds the {status} run \"{}\"", record.title), hint)
            }
            Ok(record) if path.join(JOURNAL).exists() => occupied(
                format!("holds \"{}\", which is not complete", record.title),
                &format!("continue with the command that started it, {another}"),
            ),
            Ok(record) => occupied(
                format!("holds the unfinished run \"{}\"", record.title),
                &format!("continue with `craton resume {}`, {another}", path.display()),
            ),
            Err(RunError::BadRecord { .. }) => occupied("holds an unreadable run record".to_owned(), another),
            Err(RunError::NoRun { .. }) => match first_foreign_file(path)? {
                Some(name) => occupied(
                    format!("holds files that are not results of a run (\"{name}\")"),
                    "name another folder, or pass `--overwrite`: files of the same name are then replaced, others are kept",
                ),
                None => Ok(()),
            },
            Err(error) => Err(error),
        }
    }

    /// Prepares the folder for a new run: creates and locks it, and with `overwrite` removes the files of an earlier run.
    ///
    /// # Errors
    /// As [`check`](Self::check), and [`RunError::Locked`] while another run uses the folder.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, RunError> {
        if !path.join(LOCK).exists() {
            // Do not leave a lock file in a folder that is refused and never held a run.
            Self::check(path, overwrite)?;
        }
        fs::create_dir_all(path).map_err(RunError::unwritable(path))?;
        let lock = lock(path)?;
        Self::check(path, overwrite)?;
        let remaining = if overwrite { clear(path)? } else { Remaining::default() };
        Ok(Self { remaining, ..Self::open(path, lock)? })
    }

    /// Refuses to resume a job that several processes share.
    ///
    /// # Errors
    /// [`RunError::Occupied`] for a folder with a [`journal`](Self::journal).
    pub fn check_resume(path: &Path) -> Result<(), RunError> {
        match path.join(JOURNAL).exists() {
            true => Err(RunError::Occupied {
                path: path.to_owned(),
                holds: "holds a survey or gravity sums".to_owned(),
                hint: "run the command that started it again to continue it".to_owned(),
            }),
            false => Ok(()),
        }
    }

    /// Locks the folder of an unfinished run to resume it.
    ///
    /// # Errors
    /// [`RunError::NoRun`] without a run, [`RunError::Occupied`] when the run is complete, [`RunError::Locked`] while it is still running.
    pub fn resume(path: &Path) -> Result<Self, RunError> {
        Self::check_resume(path)?;
        RunRecord::read(path)?;
        let lock = lock(path)?;
        // Read again under the lock: a run that was active a moment ago may be complete now.
        if RunRecord::read(path)?.status == RunStatus::Complete {
            return Err(RunError::Occupied {
                path: path.to_owned(),
                holds: "holds a run that is already complete".to_owned(),
                hint: "there is nothing to resume".to_owned(),
            });
        }
        Self::open(path, lock)
    }

    /// Opens the folder together with other processes that do pieces of the same job: the first creates it, others join, now or later.
    ///
    /// # Arguments
    /// * `overwrite` – whether to remove the results of an earlier job, which no other process may be using
    /// * `identity` – hash of everything that the results depend on
    /// # Errors
    /// As [`check`](Self::check) if there is no [`journal`](Self::journal), unless the record is that of the same job, whose journal was then
    /// lost; [`RunError::Locked`] while a run of one process uses the
    /// folder, or while another process uses a folder that is to be overwritten.
    pub fn share(path: &Path, overwrite: bool, identity: u64) -> Result<Self, RunError> {
        if overwrite {
            return Self::create(path, true)?.shared();
        }
        if !path.join(LOCK).exists()
            && !path.join(JOURNAL).exists()
            && let Err(error) = Self::check_without_journal(path, identity)
            // Another process may have started in the meantime. The files found are then its own and are checked under the lock.
            && !path.join(LOCK).exists()
        {
            return Err(error);
        }
        fs::create_dir_all(path).map_err(RunError::unwritable(path))?;
        let begun = Instant::now();
        loop {
            match lock(path) {
                Ok(lock) => {
                    // No other process uses the folder.
                    if !path.join(JOURNAL).exists() {
                        Self::check_without_journal(path, identity)?;
                    }
                    return Self::open(path, lock)?.shared();
                }
                Err(RunError::Locked { .. }) => {}
                Err(error) => return Err(error),
            }
            let lock_path = path.join(LOCK);
            let lock = OpenOptions::new().append(true).open(&lock_path).map_err(RunError::io("write", &lock_path))?;
            match lock.try_lock_shared() {
                Ok(()) if path.join(JOURNAL).exists() => return Self::append(path, lock),
                Ok(()) | Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {}
                Err(TryLockError::Error(source)) => return Err(RunError::io("lock", &lock_path)(source)),
                Ok(()) | Err(TryLockError::WouldBlock) => return Err(RunError::Locked { path: path.to_owned() }),
            }
            // Release the shared lock between polls, so that waiting processes do not block the exclusive lock.
            drop(lock);
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// As [`check`](Self::check), but accepts the results of the same job.
    fn check_without_journal(path: &Path, identity: u64) -> Result<(), RunError> {
        match RunRecord::read(path) {
            Ok(record) if record.is_of(identity) => require_writable(path).map(|_| ()),
            _ => Self::check(path, false),
        }
    }

    /// Removes partial files that killed processes left in a subfolder.
    ///
    /// # Errors
    /// [`RunError::Io`] when the folder cannot be read or a file cannot be removed.
    pub fn remove_partial(&self, folder: &Path) -> Result<(), RunError> {
        remove_partial_files(&self.path.join(folder))
    }

    /// Creates the folder of the journal, which replaces a link, and makes the lock shared, so that other processes can join.
    fn shared(self) -> Result<Self, RunError> {
        let journal = self.journal();
        let create = || {
            replace_link(&journal)?;
            fs::create_dir_all(&journal)
        };
        create().map_err(RunError::io("create the folder", &journal))?;
        self.lock.lock_shared().map_err(RunError::io("lock", &self.path.join(LOCK)))?;
        Ok(self)
    }

    fn open(path: &Path, lock: File) -> Result<Self, RunError> {
        remove_all_partial_files(path)?;
        Self::append(path, lock)
    }

    fn append(path: &Path, lock: File) -> Result<Self, RunError> {
        let manifest = open_own(&path.join(MANIFEST))?;
        Ok(Self { path: path.to_owned(), manifest, remaining: Remaining::default(), lock })
    }

    /// Warnings about what overwriting left in the folder.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.remaining.warnings(&self.path)
    }

    /// The existing result files of a folder, relative to it, in alphabetical order: those that [`file`](Self::file) has named.
    ///
    /// # Errors
    /// [`RunError::Io`] for an unreadable list.
    pub fn results(path: &Path) -> Result<Vec<PathBuf>, RunError> {
        earlier::listed(path)
    }

    /// Size of the results and checkpoints in a folder [bytes]; zero if it does not exist.
    ///
    /// # Errors
    /// [`RunError::Io`] for an unreadable folder.
    pub fn bytes(path: &Path) -> Result<u64, RunError> {
        earlier::bytes(path)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder of the checkpoints.
    #[must_use]
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join(CHECKPOINTS)
    }

    /// Folder of the journal of a job that several processes share.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// Path of a result file at `relative` in this folder. Creates its parent folders, which replace links, and records the
    /// file in the manifest.
    ///
    /// # Errors
    /// [`RunError::Io`] when a folder cannot be created.
    /// # Panics
    /// If `relative` is absolute or leads outside the folder.
    pub fn file(&self, relative: impl AsRef<Path>) -> Result<PathBuf, RunError> {
        let relative = relative.as_ref();
        assert!(stays_inside(relative), "{} leads outside the output folder", relative.display());
        let path = self.path.join(relative);
        while let Some(link) = link_on_the_way(&self.path, relative) {
            fs::remove_file(&link).map_err(RunError::io("remove", &link))?;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(RunError::io("create the folder", folder))?;
        }
        // One system call per line, so that a killed run leaves complete lines.
        let line = format!("{}\n", relative.display());
        (&self.manifest).write_all(line.as_bytes()).map_err(RunError::io("write", &self.path.join(MANIFEST)))?;
        Ok(path)
    }
}

/// Whether the folder exists. Refuses a path that is not a folder, or where no file can be created, now or once the folder exists.
fn require_writable(path: &Path) -> Result<bool, RunError> {
    let is_there = match fs::metadata(path) {
        Ok(found) if found.is_dir() => true,
        Ok(_) => return Err(RunError::NotADirectory { path: path.to_owned() }),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(RunError::unwritable(path)(error)),
    };
    let absolute = std::path::absolute(path).map_err(RunError::unwritable(path))?;
    let nearest = absolute.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    // Removed at once; other processes that list the folder in the meantime recognise the probe by its name.
    let probe = tempfile::Builder::new().prefix(".probe.").suffix(".partial").tempfile_in(nearest);
    probe.map_err(RunError::unwritable(path))?;
    Ok(is_there)
}

fn lock(path: &Path) -> Result<File, RunError> {
    let lock_path = path.join(LOCK);
    let file = open_own(&lock_path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(RunError::io("lock", &lock_path)(source)),
    }
}

/// Opens a file of this module for appending. A link is replaced by a new file.
fn open_own(path: &Path) -> Result<File, RunError> {
    let open = || {
        replace_link(path)?;
        OpenOptions::new().create(true).append(true).open(path)
    };
    open().map_err(RunError::io("write", path))
}

/// Name of the first entry of the folder that this module did not create.
fn first_foreign_file(directory: &Path) -> Result<Option<String>, RunError> {
    let ours = |name: &str| name == LOCK || name == MANIFEST || is_temporary(name);
    Ok(file_names(directory)?.into_iter().find(|name| !ours(name)))
}

/// The first folder of a relative path that is a link, through which the path may leave the folder it is joined to.
fn link_on_the_way(folder: &Path, relative: &Path) -> Option<PathBuf> {
    let mut folders: Vec<&Path> = relative.ancestors().skip(1).filter(|folder| *folder != Path::new("")).collect();
    folders.reverse();
    folders.into_iter().map(|part| folder.join(part)).find(|path| path.is_symlink())
}

/// Whether a relative path stays below the folder it is joined to.
fn stays_inside(relative: &Path) -> bool {
    relative.components().all(|part| matches!(part, Component::Normal(_))) && relative.components().next().is_some()
}
