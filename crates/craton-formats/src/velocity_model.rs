//! Velocity models of TauP and of the programs of IASPEI: depth tables in km, km/s and g/cm³ (`.tvel`, `.nd`).
//!
//! Both have a row for each depth, and two rows for a discontinuity. A `.tvel` file begins with two lines of text. An `.nd` file names
//! discontinuities in lines of their own, such as `mantle` or `outer-core`, may have quality factors, and has comments after `#` or `//`.

use std::path::Path;

use crate::Result;
use crate::table::{self, Table};
use crate::text::read_text;

/// Columns in the order of a row.
const COLUMNS: [&str; 6] = ["depth_km", "vp_km_s", "vs_km_s", "rho_g_cm3", "qp", "qs"];
/// Number of columns without quality factors.
const ELASTIC: usize = 4;

/// Whether a file has the name of a velocity model.
pub fn is_named(path: &Path) -> bool {
    form(path).is_some()
}

/// Reads a velocity model as a table with the columns `depth_km`, `vp_km_s`, `vs_km_s`, `rho_g_cm3`, and `qp` and `qs` if there are any.
///
/// # Errors
/// A file that cannot be read, is empty, has rows of different lengths or without density, or values that are not numbers.
pub fn read(path: &Path) -> Result<Table> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages, and its ending determines the format.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Table> {
    let form = form(path).unwrap_or(Form::Nd);
    // Lines that are not rows become comments, so that lines keep their numbers.
    let rows: Vec<String> = text.lines().enumerate().map(|(index, line)| row(form, index, line)).collect();
    let count = rows.iter().map(|row| row.split_whitespace().count()).find(|count| *count > 0).unwrap_or(0);
    let columns = if count > ELASTIC { &COLUMNS[..] } else { &COLUMNS[..ELASTIC] };
    table::parse_columns(&rows.join("\n"), path, columns)
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Tvel,
    Nd,
}

fn form(path: &Path) -> Option<Form> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    match &*ending {
        "tvel" => Some(Form::Tvel),
        "nd" => Some(Form::Nd),
        _ => None,
    }
}

/// The numbers of a line; empty if it has none.
fn row(form: Form, index: usize, line: &str) -> String {
    /// Lines of text at the beginning of a `.tvel` file.
    const TITLE: usize = 2;
    let data = line.split('#').next().unwrap_or_default().split("//").next().unwrap_or_default().trim();
    let is_title = form == Form::Tvel && index < TITLE;
    let is_name = form == Form::Nd && data.starts_with(|letter: char| letter.is_alphabetic());
    if is_title || is_name { String::new() } else { data.to_owned() }
}
