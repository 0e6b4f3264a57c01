//! Hashes of what an image is compiled from and of the compiled files. They show which images are out of date without running a compiler.

use super::build;
use super::images::Image;
use super::toolkit;
use anyhow::{Context, Result};
use craton_device::gpu::decompressed;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Hash of the inputs and hash of the compiled files of each image, by its name.
pub type Table = BTreeMap<String, [u64; 2]>;

/// Hashes of an image in the working tree. The hash of the files is that of their decompressed content; a missing or damaged file counts as empty.
///
/// # Errors
/// A source that cannot be read, a header that is in none of the folders.
pub fn of(image: &Image) -> Result<[u64; 2]> {
    let folder = image.folder();
    let files = image.forms.iter().map(|form| content(&folder.join(build::file_name(image, form))).unwrap_or_default());
    Ok([xxh3_64(inputs(image)?.as_bytes()), xxh3_64(&files.collect::<Vec<_>>().join(&0))])
}

/// The decompressed content of a compiled file; `None` if it is missing or damaged.
pub fn content(path: &Path) -> Option<Vec<u8>> {
    decompressed(&fs::read(path).ok()?).ok()
}

/// Everything that determines the compiled files: compilers, options, macros, forms, and the code of the source and its headers.
fn inputs(image: &Image) -> Result<String> {
    let Image { name: _, source, defines, options, forms } = image;
    let mut text = format!("{:?}{defines:?}{options:?}{forms:?}\n", toolkit::settings());
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![source.clone()]);
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let code = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let code = without_comments(&code);
        for header in code.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
            waiting.push(find(header, &path)?);
        }
        writeln!(text, "{}\n{code}", path.display())?;
    }
    Ok(text)
}

/// The header that a file includes: in the folder of that file or in the folders of all headers.
fn find(header: &str, from: &Path) -> Result<PathBuf> {
    let own = from.parent().unwrap_or(Path::new(""));
    let mut folders = std::iter::once(own).chain(toolkit::INCLUDES.map(Path::new));
    let found = folders.find_map(|folder| Some(folder.join(header)).filter(|path| path.exists()));
    found.with_context(|| format!("{} includes {header}, which is in no folder of headers", from.display()))
}

/// The code without comments, indentation and blank lines, so that editing a comment leaves the compiled files up to date.
fn without_comments(code: &str) -> String {
    let (mut text, mut rest) = (String::new(), code);
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let skipped = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with("/*") {
            from.find("*/").map_or(from.len(), |end| end + 2)
        } else {
            let is_string = from.starts_with('"');
            let end = if is_string { from[1..].find('"').map_or(from.len(), |end| end + 2) } else { 1 };
            text.push_str(&from[..end]);
            end
        };
        rest = &from[skipped..];
    }
    text.push_str(rest);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// The table as text, in order of the names.
pub fn write(table: &Table) -> String {
    let rows = table.iter().map(|(name, [inputs, files])| format!("{name} {inputs:016x} {files:016x}\n"));
    rows.collect()
}

/// Reads what [`write()`] wrote; rows of another form are left out, so that their images count as out of date.
pub fn read(text: &str) -> Table {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(' ').collect();
        let &[name, inputs, files] = &cells[..] else { return None };
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some((name.to_owned(), [number(inputs)?, number(files)?]))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_do_not_count() {
        let code = "// a kernel\n#define A 1 /* one\n of two */\n\n  a = b / c; // done\nprintf(\"// %d\");\n";
        assert_eq!(without_comments(code), "#define A 1\na = b / c;\nprintf(\"// %d\");\n");
    }

    #[test]
    fn a_table_reads_back() {
        let table = Table::from([("patch".to_owned(), [1, u64::MAX]), ("nodes".to_owned(), [7, 8])]);
        assert_eq!(read(&write(&table)), table);
    }
}
