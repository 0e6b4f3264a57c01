//! Faults of readers: what happened, and the inputs, saved in the target folder.

use anyhow::{Context as _, Result};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// What an execution did wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Kind.
    pub kind: Kind,
    /// Identifies the cause, so that inputs with the same cause are saved once.
    pub cause: String,
    /// Description.
    pub text: String,
}

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A panic.
    Panic,
    /// More memory than allowed.
    Memory,
    /// Not finished in time.
    Hang,
    /// A signal, such as that of a stack overflow or of a failed allocation.
    Abort,
    /// A file created, changed or removed where the reader must not.
    File,
    /// A result that the documentation excludes.
    Broken,
    /// An error message that is too long for a terminal.
    Message,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.text)
    }
}

impl Fault {
    /// A fault whose description is its cause.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind, cause: text.clone(), text }
    }

    /// Whether another fault has the same cause.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.cause) == (other.kind, &other.cause)
    }
}

/// Saves an input, and next to it the description of its fault.
///
/// # Returns
/// The path of the input.
/// # Errors
/// A file that cannot be written.
pub fn save(folder: &Path, target: &str, input: &[u8], fault: &Fault) -> Result<PathBuf> {
    let folder = folder.join(target);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{:?}-{:016x}", fault.kind, xxh3_64(fault.cause.as_bytes())).to_lowercase());
    fs::write(&path, input).with_context(|| format!("cannot write {}", path.display()))?;
    fs::write(path.with_extension("txt"), format!("{fault}\n"))?;
    Ok(path)
}
