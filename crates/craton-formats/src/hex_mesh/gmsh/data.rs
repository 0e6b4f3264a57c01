//! Sections `$ElementData`: fields with values per element.

use super::collected::{Collected, Field};
use super::cursor::{Cursor, WRITE_AGAIN};
use crate::error::Result;

/// Reads a field with one number per element; skips fields with several. Names and counts are text even in binary files: strings, of which the first is the name; real numbers; whole
/// numbers, which are the time step, the number of components, the number of values and perhaps the partition. Each value follows the tag of its element.
pub fn element_data(cursor: &mut Cursor, mesh: &mut Collected) -> Result<()> {
    let strings: Vec<String> = lines(cursor, "number of strings")?;
    lines(cursor, "number of real numbers")?;
    let n_integers = length(cursor, "number of whole numbers")?;
    let mut integers = Vec::with_capacity(n_integers);
    for _ in 0..n_integers {
        integers.push(cursor.text_integer("whole number of the field")?);
        cursor.end_line()?;
    }
    let (Some(name), Some(&[_, 1, count])) = (strings.first(), integers.get(..3)) else {
        return cursor.skip_section();
    };
    let what = "number of values";
    let count = u64::try_from(count).map_err(|_| cursor.bad(what, count, "a whole number of at least 0"))?;
    let count = cursor.fits(what, count, 4, 12)?;
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let tag = cursor.int("element of the field")?;
        let value = cursor.real("value of the field")?;
        cursor.end_record()?;
        values.push((u64::try_from(tag).unwrap_or(u64::MAX), value));
    }
    mesh.fields.push(Field { name: name.trim_matches('"').to_owned(), values });
    cursor.end_section()
}

/// Reads lines of text after their number.
fn lines(cursor: &mut Cursor, what: &str) -> Result<Vec<String>> {
    let count = length(cursor, what)?;
    Ok((0..count).map(|_| cursor.line()).collect())
}

fn length(cursor: &mut Cursor, what: &str) -> Result<usize> {
    let count = cursor.text_integer(what)?;
    cursor.end_line()?;
    let few = usize::try_from(count).ok().filter(|&count| count <= 1000);
    few.ok_or_else(|| cursor.bad(what, count, format!("0 to 1000; {WRITE_AGAIN}")))
}
