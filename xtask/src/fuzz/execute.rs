//! One execution of a target: in a folder of its own, with all faults detected.

use super::fault::{Fault, Kind};
use super::memory;
use super::target::{Outcome, Target};
use super::watchdog::Watchdog;
use crate::shell;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The first panic of an execution, on any thread: its place and its message.
static PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

/// What an execution took.
pub struct Executed {
    /// The result, or the fault.
    pub outcome: Result<Outcome, Fault>,
    /// Duration.
    pub duration: Duration,
    /// Largest allocated memory [bytes].
    pub peak: usize,
}

/// Records panics from now on instead of printing them.
pub fn record_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        let message = info.payload_as_str().unwrap_or("no message").to_owned();
        panicked().get_or_insert((place, message));
    }));
}

fn panicked() -> std::sync::MutexGuard<'static, Option<(String, String)>> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The working folder of a target.
pub struct Bench<'a> {
    target: &'a Target,
    watchdog: &'a Watchdog,
    /// Holds only `inside` and `canary`.
    outside: PathBuf,
    inside: PathBuf,
    companions: BTreeMap<&'static str, Vec<u8>>,
}

impl<'a> Bench<'a> {
    /// Creates the folder with the companions of the target.
    ///
    /// # Arguments
    /// * `folder` – an empty folder
    /// # Errors
    /// A file that cannot be read or written.
    pub fn new(target: &'a Target, watchdog: &'a Watchdog, folder: &Path) -> Result<Self> {
        let read = |(name, file): &(&'static str, &str)| {
            let path = shell::root().join(file);
            Ok((*name, fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?))
        };
        let companions = target.companions.iter().map(read).collect::<Result<_>>()?;
        let outside = folder.to_owned();
        let bench = Self { target, watchdog, inside: outside.join("inside"), outside, companions };
        bench.renew()?;
        Ok(bench)
    }

    /// Writes all files except for the input.
    fn renew(&self) -> Result<()> {
        // The folder itself stays, since it is the current one.
        for name in names(&self.outside)? {
            let path = self.outside.join(name);
            if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
        fs::create_dir(&self.inside)?;
        fs::write(self.outside.join("canary"), "canary")?;
        self.companions.iter().try_for_each(|(name, bytes)| write(&self.inside.join(name), bytes))
    }

    /// Reads an input.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn execute(&self, input: &[u8]) -> Result<Executed> {
        let path = self.inside.join(self.target.input);
        write(&path, input)?;
        let watch = self.watchdog.start(self.target.name, input);
        let begun = Instant::now();
        *panicked() = None;
        let (result, peak) = memory::peak_of(|| panic::catch_unwind(AssertUnwindSafe(|| (self.target.read)(&path))));
        let duration = begun.elapsed();
        drop(watch);
        let outcome = self.judge(result.ok(), peak);
        let outcome = match self.foreign_change()? {
            Some(change) => outcome.and(Err(Fault::new(Kind::File, change))),
            None => outcome,
        };
        Ok(Executed { outcome, duration, peak })
    }

    /// The outcome, unless there is a fault.
    fn judge(&self, result: Option<Outcome>, peak: usize) -> Result<Outcome, Fault> {
        if let Some((place, message)) = panicked().take() {
            let text = format!("{place}: {message}");
            return Err(Fault { kind: Kind::Panic, cause: place, text });
        }
        if peak > self.target.memory {
            let text = format!("{} MB allocated, {} MB allowed", peak >> 20, self.target.memory >> 20);
            return Err(Fault { kind: Kind::Memory, cause: self.target.name.to_owned(), text });
        }
        match result {
            None => Err(Fault::new(Kind::Panic, "without a message")),
            Some(Outcome::Broken(text)) => {
                let cause = text.chars().filter(|letter| !letter.is_ascii_digit()).collect();
                Err(Fault { kind: Kind::Broken, cause, text })
            }
            Some(Outcome::Refused(message)) if message.len() > self.target.message => {
                let start: String = message.chars().take(100).collect();
                let text = format!("{} bytes: {start} ...", message.len());
                Err(Fault { kind: Kind::Message, cause: self.target.name.to_owned(), text })
            }
            Some(outcome) => Ok(outcome),
        }
    }

    /// Describes a change of files that the reader must not make, and restores the folder if there was any change.
    fn foreign_change(&self) -> Result<Option<String>> {
        let mut change = None;
        for name in names(&self.outside)? {
            if !["inside", "canary"].contains(&&*name) {
                change = Some(format!("created {name} outside the folder"));
            }
        }
        if !self.outside.join("canary").exists() {
            change = Some("removed a file outside the folder".to_owned());
        }
        let top = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
        let may_change = |name: &str| self.target.may_change.contains(&&*top(name));
        let own: Vec<&str> = self.companions.keys().copied().chain([self.target.input]).collect();
        let found = names(&self.inside)?;
        for name in own.iter().filter(|name| !may_change(name) && !self.inside.join(name).exists()) {
            change = Some(format!("removed {name}"));
        }
        for name in found.iter().filter(|name| !may_change(name)) {
            if !own.iter().any(|own| top(own) == **name) {
                change = Some(format!("created {name}"));
            }
        }
        if change.is_some() || found.iter().any(|name| may_change(name)) {
            self.renew()?;
        }
        Ok(change)
    }
}

/// Writes a file and the folders above it.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = fs::write(path, bytes).or_else(|_| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}
