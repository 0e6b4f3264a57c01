//! What results are told to come from: this program, and all that they depend on.

use std::collections::BTreeMap;

use craton_run::Program;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// This program, for records.
pub fn program() -> Program {
    Program {
        name: "craton".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("CRATON_COMMIT").map(str::to_owned),
    }
}

/// Hash of values, of the files that they name by their hashes, and of the version: what a journal knows a job by.
pub fn identity(values: &impl Serialize, files: &BTreeMap<String, String>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    hash.update(toml::to_string(values).expect("what was TOML is TOML").as_bytes());
    for (file, contents) in files {
        hash.update(file.as_bytes());
        hash.update(contents.as_bytes());
    }
    hash.digest()
}
