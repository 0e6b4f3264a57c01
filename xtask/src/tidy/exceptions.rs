//! Limits that are exceeded on purpose, from `xtask/tidy-exceptions.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs;

const PATH: &str = "xtask/tidy-exceptions.toml";

/// All exceptions; each must say why, and each must be needed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exceptions {
    #[serde(default)]
    file: Vec<LongFile>,
    #[serde(default)]
    function: Vec<LongFunction>,
    #[serde(default)]
    unsafe_code: Vec<UnsafeCrate>,
    #[serde(default)]
    arrow: Vec<Arrow>,
}

/// A file that may be longer than the limit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongFile {
    path: String,
    lines: usize,
    reason: String,
    #[serde(skip)]
    used: bool,
}

/// A function that may be longer than the limit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongFunction {
    path: String,
    name: String,
    lines: usize,
    reason: String,
    #[serde(skip)]
    used: bool,
}

/// A crate that may hold unsafe code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnsafeCrate {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
    #[serde(skip)]
    used: bool,
}

/// A dependency that the table of layers does not allow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arrow {
    from: String,
    to: String,
    reason: String,
    #[serde(skip)]
    used: bool,
}

impl Exceptions {
    /// Reads the file.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(PATH).with_context(|| format!("cannot read {PATH}"))?;
        toml::from_str(&text).with_context(|| format!("cannot understand {PATH}"))
    }

    /// Lines that this file may have, beyond `limit` if it is excepted. `lines` are those it has.
    pub fn file_limit(&mut self, path: &str, lines: usize, limit: usize) -> usize {
        let exception = self.file.iter_mut().find(|exception| exception.path == path);
        exception.map_or(limit, |exception| {
            exception.used = lines > limit;
            exception.lines
        })
    }

    /// Lines that this function may have, beyond `limit` if it is excepted. `lines` are those it has.
    pub fn function_limit(&mut self, path: &str, name: &str, lines: usize, limit: usize) -> usize {
        let same = |exception: &&mut LongFunction| exception.path == path && exception.name == name;
        self.function.iter_mut().find(same).map_or(limit, |exception| {
            exception.used |= lines > limit;
            exception.lines
        })
    }

    /// Whether this crate may hold unsafe code.
    pub fn allows_unsafe(&mut self, name: &str) -> bool {
        let exception = self.unsafe_code.iter_mut().find(|exception| exception.name == name);
        exception.is_some_and(|exception| {
            exception.used = true;
            true
        })
    }

    /// Whether `from` may use `to` although the layers forbid it.
    pub fn allows_arrow(&mut self, from: &str, to: &str) -> bool {
        let same = |exception: &&mut Arrow| exception.from == from && exception.to == to;
        self.arrow.iter_mut().find(same).is_some_and(|exception| {
            exception.used = true;
            true
        })
    }

    /// Findings: exceptions that nothing needs any more, or that give no reason.
    pub fn unused(&self) -> Vec<String> {
        let files = self.file.iter().map(|e| (format!("file {}", e.path), &e.reason, e.used));
        let functions = self.function.iter().map(|e| (format!("function {} of {}", e.name, e.path), &e.reason, e.used));
        let crates = self.unsafe_code.iter().map(|e| (format!("unsafe_code of {}", e.name), &e.reason, e.used));
        let arrows = self.arrow.iter().map(|e| (format!("arrow {} -> {}", e.from, e.to), &e.reason, e.used));
        let all = files.chain(functions).chain(crates).chain(arrows);
        all.filter_map(|(what, reason, used)| match (used, reason.trim().is_empty()) {
            (false, _) => Some(format!("{PATH}: the exception for {what} is not needed: remove it")),
            (true, true) => Some(format!("{PATH}: the exception for {what} gives no reason")),
            (true, false) => None,
        })
        .collect()
    }
}
