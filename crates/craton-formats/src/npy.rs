//! NumPy's `.npy`, versions 1.0 to 3.0: tables of numbers, such as lists of prisms (n x 7) and of points (n x 3).
//!
//! The file has the magic bytes `\x93NUMPY`, the version, the length of the header, the header as a Python dictionary (`{'descr': '<f8',
//! 'fortran_order': False, 'shape': (3, 7), }`), and the numbers. The reader supports two axes of `f4`, `f8` or integers in either byte
//! order, in C order (row by row) or Fortran order (column by column).
//!
//! Source: NumPy, `numpy.lib.format`, and NEP 1.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use crate::atomic;
use crate::byte_order::Word;
use crate::error::{Refused, Result};
use crate::input::Input;

mod header;

use header::{Header, Number};

/// Number of bytes read at once and then parsed in parallel; they fit into shared caches.
const CHUNK_BYTES: usize = 1 << 23;

/// Alignment of the data.
const ALIGNMENT: usize = 64;

/// Reads an array as columns of equal length.
///
/// # Errors
/// A file that is not NumPy's, or of another version; an array that does not have two axes, is empty, or has an unsupported type; a file
/// that is shorter or longer than its header says; a value that is not finite, with its row and column, from 0 as in NumPy; a file that
/// cannot be read.
pub fn read(path: &Path) -> Result<Vec<Vec<f64>>> {
    let mut input = Input::open(path)?;
    let header = Header::read(&mut input)?;
    read_data(&mut input, &header)
}

/// As [`read`], for known columns: their number must match.
///
/// # Arguments
/// * `names` – names of the columns, used in messages
/// # Errors
/// As [`read`]; another number of columns.
pub fn read_columns(path: &Path, names: &[&str]) -> Result<Vec<Vec<f64>>> {
    let mut input = Input::open(path)?;
    let header = Header::read(&mut input)?;
    if header.columns != names.len() {
        let hint = match header.rows == names.len() {
            true => "; save its transpose, `array.T`",
            false => "",
        };
        let expected = format!("(n, {}), a column for each of `{}`{hint}", names.len(), names.join("`, `"));
        let found = format!("({}, {})", header.rows, header.columns);
        return Err(Refused::new("shape", found, expected).unreadable(path));
    }
    read_data(&mut input, &header)
}

fn read_data(input: &mut Input, header: &Header) -> Result<Vec<Vec<f64>>> {
    let path = input.path().to_owned();
    match header.number {
        Number::F32 => read_numbers::<f32>(input, header),
        Number::F64 => read_numbers::<f64>(input, header),
        Number::I8 => read_numbers::<i8>(input, header),
        Number::I16 => read_numbers::<i16>(input, header),
        Number::I32 => read_numbers::<i32>(input, header),
        Number::I64 => read_numbers::<i64>(input, header),
        Number::U8 => read_numbers::<u8>(input, header),
        Number::U16 => read_numbers::<u16>(input, header),
        Number::U32 => read_numbers::<u32>(input, header),
        Number::U64 => read_numbers::<u64>(input, header),
    }?
    .map_err(|refused| refused.unreadable(&path))
}

/// Reads the numbers in either order. The outer result is for reading, the inner one for validation.
fn read_numbers<T: Word>(input: &mut Input, header: &Header) -> Result<Result<Vec<Vec<f64>>, Refused>> {
    let (rows, width) = (header.rows, header.columns);
    let mut columns: Vec<Vec<f64>> = (0..width).map(|_| Vec::with_capacity(rows)).collect();
    let size = size_of::<T>();
    // A chunk holds rows in C order, or values of one column in Fortran order; one thread fills each column.
    let (group, groups, runs) = if header.is_fortran { (1, rows, width) } else { (width, rows, 1) };
    let at_once = (CHUNK_BYTES / (group * size)).clamp(1, groups);
    let mut bytes = vec![0; at_once * group * size];
    let mut offset = header.bytes;
    for run in 0..runs {
        let mut left = groups;
        while left > 0 {
            let some = &mut bytes[..left.min(at_once) * group * size];
            input.read_at(offset, some)?;
            let first = columns[run].len();
            columns[run..run + group].par_iter_mut().enumerate().for_each(|(place, column)| {
                let words = some.chunks_exact(group * size).map(|group| &group[place * size..][..size]);
                column.extend(words.map(|word| header.order.read::<T>(word).to_f64()));
            });
            if let Some(refused) = first_not_finite(&columns[run..run + group], first, run) {
                return Ok(Err(refused));
            }
            offset += some.len() as u64;
            left -= some.len() / (group * size);
        }
    }
    Ok(Ok(columns))
}

/// Finds the first row with a value that is not finite, from row `from`.
///
/// # Arguments
/// * `before` – number of columns before these
fn first_not_finite(columns: &[Vec<f64>], from: usize, before: usize) -> Option<Refused> {
    let of = |column: &Vec<f64>| Some(from + column[from..].iter().position(|value| !value.is_finite())?);
    let rows: Vec<Option<usize>> = columns.par_iter().map(of).collect();
    let (row, column) = rows.into_iter().zip(0..).filter_map(|(row, column)| Some((row?, column))).min()?;
    let what = format!("value at [{row}, {}]", before + column);
    Some(Refused::new(what, columns[column][row], "a finite number"))
}

/// Writes columns as an array of `<f8` in C order, version 1.0, atomically.
///
/// # Arguments
/// * `columns` – at least one, all of the same length; NaN for missing values
/// # Errors
/// [`crate::FormatError::Unwritable`] if there is no column, or columns differ in length; [`crate::FormatError::Io`] if the file cannot be
/// written.
pub fn write(path: &Path, columns: &[&[f64]]) -> Result<()> {
    let rows = check(columns).map_err(|refused| refused.unwritable(path))?;
    let header = beginning(rows, columns.len());
    atomic::write_with(path, |out| {
        out.write_all(&header)?;
        for row in 0..rows {
            for column in columns {
                out.write_all(&column[row].to_le_bytes())?;
            }
        }
        Ok(())
    })
}

/// Validates the columns; returns the number of rows.
fn check(columns: &[&[f64]]) -> Result<usize, Refused> {
    let first = columns.first().ok_or_else(|| Refused::new("number of columns", 0, "at least one"))?;
    for (index, column) in columns.iter().enumerate() {
        if column.len() != first.len() {
            let expected = format!("{}, as in column 0", first.len());
            return Err(Refused::new(format!("number of values in column {index}"), column.len(), expected));
        }
    }
    Ok(first.len())
}

/// Everything before the numbers.
fn beginning(rows: usize, columns: usize) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}").into_bytes();
    let before = header::MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.resize(whole - before - 1, b' ');
    text.push(b'\n');
    let length = (text.len() as u16).to_le_bytes();
    [header::MAGIC, &[1, 0], &length, &text].concat()
}
