//! Hands the commit to the program as `CRATON_COMMIT`, for the run record; a build outside a repository has none.

// Printing is how a build script speaks to cargo.
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

/// The commit that is checked out, read from the files of git, which itself need not be installed.
fn commit(git: &Path) -> Option<String> {
    let folder = git_folder(git)?;
    let head = read_watched(&folder.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref: ") else { return Some(head) };
    // A linked work tree has its own HEAD and shares the branches.
    let shared = read_watched(&folder.join("commondir")).map_or(folder.clone(), |path| folder.join(path));
    read_watched(&shared.join(reference)).or_else(|| packed(&shared, reference))
}

/// `.git` is the folder itself, or in a linked work tree a file that names it.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let named = read_watched(git)?;
    Some(git.parent()?.join(named.strip_prefix("gitdir: ")?))
}

/// The commit of a branch that stands in the list of packed references.
fn packed(folder: &Path, reference: &str) -> Option<String> {
    let list = read_watched(&folder.join("packed-refs"))?;
    let line = list.lines().find(|line| line.split_whitespace().nth(1) == Some(reference))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// The text of a file, if there is one; the build is repeated when it changes.
fn read_watched(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text.trim().to_owned())
}
