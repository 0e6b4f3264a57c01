//! Passes the commit to the program as `CRATON_COMMIT`, for the run record; `None` outside a repository.

// A build script communicates with cargo by printing.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let repository = manifest
        .as_deref()
        .and_then(|folder| folder.ancestors().map(|above| above.join(".git")).find(|git| git.exists()));
    if let Some(commit) = repository.and_then(|git| commit(&git)) {
        println!("cargo:rustc-env=CRATON_COMMIT={commit}");
    }
}

/// The checked-out commit, read from the files of git without git itself.
fn commit(git: &Path) -> Option<String> {
    let folder = git_folder(git)?;
    let head = read_watched(&folder.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref: ") else { return Some(head) };
    // A linked work tree has its own HEAD and shares the branches.
    let shared = read_watched(&folder.join("commondir")).map_or(folder.clone(), |path| folder.join(path));
    read_watched(&shared.join(reference)).or_else(|| packed(&shared, reference))
}

/// `.git` is a folder, or in a linked work tree a file with its path.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let named = read_watched(git)?;
    Some(git.parent()?.join(named.strip_prefix("gitdir: ")?))
}

/// The commit of a branch in the list of packed references.
fn packed(folder: &Path, reference: &str) -> Option<String> {
    let list = read_watched(&folder.join("packed-refs"))?;
    let line = list.lines().find(|line| line.split_whitespace().nth(1) == Some(reference))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// The text of a file, if it exists; a change of the file triggers a rebuild.
fn read_watched(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text.trim().to_owned())
}
