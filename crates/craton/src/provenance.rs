//! Provenance of results: the program, and everything that affects them.

use std::collections::BTreeMap;

use craton_run::Program;
use erased_serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use crate::document::to_toml;

/// This program, for records.
pub fn program() -> Program {
    Program {
        name: "craton".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("CRATON_COMMIT").map(str::to_owned),
    }
}

/// Hash of values, of the contents of their input files, and of the version: identifies a job in a journal.
pub fn identity(values: &dyn Serialize, files: &BTreeMap<String, String>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    hash.update(to_toml(values).expect("values from TOML can be written as TOML").as_bytes());
    for (file, contents) in files {
        hash.update(file.as_bytes());
        hash.update(contents.as_bytes());
    }
    hash.digest()
}
