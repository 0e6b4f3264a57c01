//! Evenly sampled seismograms with two columns, time and value, and SPECFEM's file names.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use crate::atomic;
use crate::error::{FormatError, Result};
use crate::text::{Place, data_line, data_lines, end_of, number, read_text, words};

mod specfem_name;

pub use specfem_name::{SpecfemName, SpecfemQuantity, band_letter};

/// Largest deviation of a time from even sampling, in sampling intervals, as it occurs with single-precision times in a long record.
const TIME_TOLERANCE: f64 = 0.05;

/// An evenly sampled trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTrace {
    /// `# key: value` lines, in order, without `start_time` and `dt`, which have their own fields.
    pub header: Vec<(String, String)>,
    /// Time of the first sample [s].
    pub start_time: f64,
    /// Sampling interval [s], above 0.
    pub dt: f64,
    /// Samples, in the unit of the quantity; all finite.
    pub samples: Vec<f64>,
}

impl TextTrace {
    /// Value of a header key, if present.
    pub fn value(&self, key: &str) -> Option<&str> {
        let found = self.header.iter().find(|(known, _)| known == key)?;
        Some(&found.1)
    }

    fn time(&self, index: usize) -> f64 {
        self.start_time + index as f64 * self.dt
    }
}

/// Writes a trace with its header, atomically.
///
/// The file has `# key: value` lines (with exact `start_time` and `dt`), then a line per sample: time, and the value to 10 digits, which
/// exceeds single precision.
///
/// # Errors
/// [`FormatError::Unwritable`] for a sample that is not finite, a sampling interval that is not positive, a line break in the header;
/// [`FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, trace: &TextTrace) -> Result<()> {
    check(path, trace)?;
    atomic::write_with(path, |out| {
        for (key, value) in &trace.header {
            writeln!(out, "# {key}: {value}")?;
        }
        writeln!(out, "# start_time: {}", trace.start_time)?;
        writeln!(out, "# dt: {}", trace.dt)?;
        write_columns(out, trace)
    })
}

/// Writes a trace like SPECFEM: two columns without a header.
///
/// # Errors
/// As [`write()`].
pub fn write_plain(path: &Path, trace: &TextTrace) -> Result<()> {
    check(path, trace)?;
    atomic::write_with(path, |out| write_columns(out, trace))
}

fn write_columns(out: &mut impl Write, trace: &TextTrace) -> std::io::Result<()> {
    for (index, sample) in trace.samples.iter().enumerate() {
        writeln!(out, "{:.12e} {sample:.9e}", trace.time(index))?;
    }
    Ok(())
}

fn check(path: &Path, trace: &TextTrace) -> Result<()> {
    let refuse = |what: String, value: String, expected: &str| {
        Err(FormatError::Unwritable { path: path.to_owned(), what, value, expected: expected.to_owned() })
    };
    if !(trace.dt > 0.0 && trace.dt.is_finite() && trace.start_time.is_finite()) {
        let times = format!("{} and {}", trace.start_time, trace.dt);
        return refuse("start time and sampling interval".to_owned(), times, "finite values, the interval above 0 s");
    }
    if let Some((key, value)) = trace.header.iter().find(|(key, value)| !is_header(key, value)) {
        return refuse("header line".to_owned(), format!("{key}: {value}"), "a key without a colon, and no line break");
    }
    match trace.samples.iter().position(|sample| !sample.is_finite()) {
        Some(index) => refuse(format!("sample {index}"), trace.samples[index].to_string(), "finite samples"),
        None => Ok(()),
    }
}

fn is_header(key: &str, value: &str) -> bool {
    let reserved = ["start_time", "dt"].contains(&key);
    !(reserved || key.contains([':', '\n']) || value.contains('\n'))
}

/// Reads a trace with or without (as written by SPECFEM) a header; times must be evenly spaced.
///
/// # Errors
/// A file that cannot be read; fewer than two samples; a line that does not have two words; a value that is not a finite number; times that
/// do not increase evenly.
pub fn read(path: &Path) -> Result<TextTrace> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<TextTrace> {
    let mut times = Vec::new();
    let mut samples = Vec::new();
    for (place, line) in data_lines(path, text) {
        let row: Vec<_> = words(line).collect();
        let [time, sample] = row[..] else {
            return Err(place.bad_value("sample", line, "two numbers, time [s] and value"));
        };
        times.push((place, place.finite("time", time)?));
        samples.push(place.finite("value", sample)?);
    }
    if times.len() < 2 {
        let found = format!("the trace has {} samples", times.len());
        return Err(end_of(path, text).layout(found, "an evenly sampled trace needs at least 2"));
    }
    let mut header = header(text);
    let exact = take_number(&mut header, "start_time").zip(take_number(&mut header, "dt"));
    let (start_time, dt) = exact.unwrap_or_else(|| spacing(&times));
    check_times(&times, start_time, dt)?;
    Ok(TextTrace { header, start_time, dt, samples })
}

/// Whether a file may be a trace: its first line of data consists of two numbers. A file that cannot be read may be one.
pub fn may_be_trace(path: &Path) -> bool {
    /// Bytes that contain the first line of data of a trace.
    const HEAD: u64 = 65_536;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let first = data_lines(path, &text).next();
    read.is_err()
        || first.is_some_and(|(_, line)| words(line).count() == 2 && words(line).all(|word| number(word).is_some()))
}

/// The error of a finite sample that the caller refuses, with its line.
///
/// # Arguments
/// * `path` – a trace that was read before
/// * `index` – index of the sample, from 0
/// * `expected` – the allowed range and a hint
pub fn refuse(path: &Path, index: usize, expected: &str) -> FormatError {
    match data_line(path, index) {
        Ok((place, line)) => place.bad_value("value", words(&line).nth(1).unwrap_or_default(), expected),
        Err(error) => error,
    }
}

fn header(text: &str) -> Vec<(String, String)> {
    let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
    let pairs = comments.filter_map(|comment| comment.split_once(':'));
    pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect()
}

fn take_number(header: &mut Vec<(String, String)>, key: &str) -> Option<f64> {
    let index = header.iter().position(|(known, _)| known == key)?;
    header.remove(index).1.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Start time and interval from the first and last time, which averages the round-off of the interval over the record.
fn spacing(times: &[(Place, f64)]) -> (f64, f64) {
    let (first, last) = (times[0].1, times[times.len() - 1].1);
    (first, (last - first) / (times.len() - 1) as f64)
}

fn check_times(times: &[(Place, f64)], start_time: f64, dt: f64) -> Result<()> {
    if !dt.is_finite() || dt <= 0.0 {
        let (place, time) = times[times.len() - 1];
        return Err(place.bad_value("time", &time.to_string(), "times that increase from line to line"));
    }
    for (index, &(place, time)) in times.iter().enumerate() {
        let even = start_time + index as f64 * dt;
        if (time - even).abs() > TIME_TOLERANCE * dt {
            let expected = format!("{even}, for even steps of {dt} s from {start_time} s; resample the trace");
            return Err(place.bad_value("time", &time.to_string(), expected));
        }
    }
    Ok(())
}
