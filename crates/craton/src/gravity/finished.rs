//! Existing results: checks whether they are complete, and writes missing formats.
//!
//! The record lists the written formats, including pictures, and their files. Craton derives additional formats from
//! the table or netCDF file of the same results if the file is unchanged: the record has hashes of both.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use craton_formats::netcdf::NetcdfReader;
use craton_run::{Cancel, OutputDirectory, RunRecord, RunStatus, Stages};
use serde_json::Value;

use super::columns::Column;
use super::setup::Setup;
use super::{pictures, results};
use crate::checksums;
use crate::error::Error;
use crate::inputs::hash_of;
use crate::sharing::alone;

/// Keys of the record.
const FORMATS: &str = "formats";
const FILES: &str = "results";
/// Files from which other formats can be derived.
const TABLE: &str = "gravity.csv";
const NETCDF: &str = "gravity.nc";
/// Name of pictures among the formats.
const PICTURES: &str = "pictures";

/// Whether all requested results exist.
pub fn is_complete(setup: &Setup, folder: &Path) -> bool {
    RunRecord::read(folder).is_ok_and(|record| record.status == RunStatus::Complete && has_all(setup, folder, &record))
}

/// The record of existing results, if they are complete and belong to this problem.
pub fn record(setup: &Setup, folder: &Path, identity: u64) -> Option<RunRecord> {
    RunRecord::read(folder).ok().filter(|record| is_of(record, identity) && has_all(setup, folder, record))
}

/// Writes all requested results and records them.
///
/// # Returns
/// Warnings for the user.
/// # Errors
/// A full or failing disk; [`GravityFailure::Stopped`] if interrupted.
pub fn write(
    setup: &Setup,
    columns: &[Column],
    folder: &OutputDirectory,
    record: &mut RunRecord,
    stages: &mut Stages,
    cancel: &Cancel,
) -> Result<Vec<String>, Error> {
    let warnings = stages.time("results", || results::write(setup, columns, folder, cancel))?;
    if setup.output.pictures {
        stages.time("pictures", || pictures::draw(setup, columns, folder))?;
    }
    add(record, FORMATS, requested_formats(setup));
    // Files that have been removed are missing when requested again.
    add(record, FILES, results::existing_files(setup, folder.path()));
    stages.time("results", || note_hashes(setup, folder.path(), record))?;
    Ok(warnings)
}

/// Writes requested formats that are missing, derived from complete results of this problem.
///
/// # Returns
/// Warnings for the user, including the reason if the formats cannot be derived.
/// # Errors
/// A full or failing disk; [`GravityFailure::Stopped`] if interrupted.
pub fn write_missing(
    setup: &Setup,
    folder: &OutputDirectory,
    identity: u64,
    stages: &mut Stages,
    cancel: &Cancel,
) -> Result<Vec<String>, Error> {
    if lacking(setup, folder.path(), identity).is_none() {
        return Ok(Vec::new());
    }
    let _alone = alone(folder)?;
    // Another process may have written them in the meantime.
    write_missing_alone(setup, folder, identity, stages, cancel)
}

/// As [`write_missing`], if the caller holds the lock of the folder.
///
/// # Errors
/// As [`write_missing`].
pub fn write_missing_alone(
    setup: &Setup,
    folder: &OutputDirectory,
    identity: u64,
    stages: &mut Stages,
    cancel: &Cancel,
) -> Result<Vec<String>, Error> {
    let Some(mut record) = lacking(setup, folder.path(), identity) else { return Ok(Vec::new()) };
    let columns = match read_back(setup, folder.path(), &record) {
        Ok(columns) => columns,
        Err(why) => return Ok(vec![format!("results are missing, and {why}: Craton recomputes the sums")]),
    };
    let warnings = write(setup, &columns, folder, &mut record, stages, cancel)?;
    record.write(folder.path())?;
    Ok(warnings)
}

/// The record of complete results of this problem that lack requested formats.
fn lacking(setup: &Setup, folder: &Path, identity: u64) -> Option<RunRecord> {
    let known = RunRecord::read(folder).ok();
    known.filter(|record| is_of(record, identity) && !has_all(setup, folder, record))
}

/// Whether a record is that of complete results of a problem.
pub fn is_of(record: &RunRecord, identity: u64) -> bool {
    record.status == RunStatus::Complete && record.is_of(identity)
}

/// Whether all requested formats have been written and all their files exist.
fn has_all(setup: &Setup, folder: &Path, record: &RunRecord) -> bool {
    let (formats, requested) = (words(record, FORMATS), requested_formats(setup));
    let is_requested = |file: &String| kind(file).is_some_and(|kind| requested.iter().any(|format| format == kind));
    // Some pictures or observations may be impossible; the record has those that are possible.
    let others = words(record, FILES).into_iter().filter(is_requested);
    let mut files = results::expected(setup).into_iter().chain(others);
    requested.iter().all(|format| formats.contains(format)) && files.all(|file| folder.join(file).exists())
}

/// The requested formats, and pictures.
fn requested_formats(setup: &Setup) -> Vec<String> {
    let name = |format| match serde_json::to_value(format) {
        Ok(Value::String(name)) => name,
        _ => unreachable!("a format is a word"),
    };
    let pictures = setup.output.pictures.then(|| PICTURES.to_owned());
    results::formats(setup).into_iter().map(name).chain(pictures).collect()
}

/// Adds words to a list in a record.
fn add(record: &mut RunRecord, name: &str, more: Vec<String>) {
    let all: BTreeSet<String> = words(record, name).into_iter().chain(more).collect();
    record.figure(name, all.into_iter().collect::<Vec<_>>());
}

/// A list of words in a record; empty if there is none of that name.
fn words(record: &RunRecord, name: &str) -> Vec<String> {
    let list = record.figures.get(name).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Records checksums of the files that have just been written: other formats are derived later only from unchanged ones.
fn note_hashes(setup: &Setup, folder: &Path, record: &mut RunRecord) -> Result<(), Error> {
    let requested = requested_formats(setup);
    let is_written = |name: &String| kind(name).is_none_or(|kind| requested.iter().any(|format| format == kind));
    let names = results::existing_files(setup, folder).into_iter().filter(is_written);
    checksums::note(record, folder, names.map(PathBuf::from).collect())
}

/// The format of a file, if it may be impossible to write although it is requested.
fn kind(file: &str) -> Option<&'static str> {
    match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("png") => Some(PICTURES),
        Some("grv" | "gg") => Some("ubc"),
        _ => None,
    }
}

/// The quantities as written, or the reason why no file has them.
fn read_back(setup: &Setup, folder: &Path, record: &RunRecord) -> Result<Vec<Column>, String> {
    let units = setup.output.units;
    let names: Vec<String> = setup.quantities.iter().map(|quantity| quantity.column_name(units)).collect();
    let values = values_of(TABLE, folder, record, || of_table(setup, &names, folder));
    let values = values.or_else(|table| {
        let netcdf = values_of(NETCDF, folder, record, || of_netcdf(setup, &names, folder));
        netcdf.map_err(|netcdf| match [table, netcdf] {
            [None, None] => format!("there is neither {TABLE} nor {NETCDF}"),
            whys => whys.into_iter().flatten().collect::<Vec<_>>().join(", "),
        })
    })?;
    let columns = setup.quantities.iter().zip(names).zip(values);
    let column = |((&quantity, name), values)| Column { quantity, name, unit: quantity.unit(units).1, values };
    Ok(columns.map(column).collect())
}

/// The values of an unchanged file, or the problem with it; `None` if it does not exist.
fn values_of(
    name: &str,
    folder: &Path,
    record: &RunRecord,
    read: impl FnOnce() -> Option<Vec<Vec<f64>>>,
) -> Result<Vec<Vec<f64>>, Option<String>> {
    let file = folder.join(name);
    if !file.exists() {
        return Err(None);
    }
    let Some(known) = checksums::known(record, name) else {
        return Err(Some(format!("it is unknown whether {name} has been changed")));
    };
    let is_known = hash_of(&file).is_ok_and(|hash| format!("{hash:016x}") == known);
    let values = if is_known { read() } else { None };
    values.ok_or_else(|| Some(format!("{name} has been changed")))
}

/// Columns of the table, in full precision, if its positions are those of the points.
fn of_table(setup: &Setup, names: &[String], folder: &Path) -> Option<Vec<Vec<f64>>> {
    let points = &setup.places.points;
    let text = std::fs::read_to_string(folder.join(TABLE)).ok()?;
    let mut lines = text.lines();
    let header = format!("{},{}", setup.places.column_names().join(","), names.join(","));
    lines.next().filter(|line| line.strip_prefix("name,").unwrap_or(line) == header)?;
    let mut values = vec![Vec::with_capacity(points.len()); names.len()];
    for (point, line) in lines.enumerate() {
        // Names may contain commas, and come first.
        let mut numbers = line.rsplitn(names.len() + 4, ',').map(str::parse::<f64>);
        for column in values.iter_mut().rev() {
            column.push(numbers.next()?.ok()?);
        }
        let mut place = [0.0; 3];
        for coordinate in place.iter_mut().rev() {
            *coordinate = numbers.next()?.ok()?;
        }
        if point >= points.len() || place != points.get(point) {
            return None;
        }
    }
    (values[0].len() == points.len()).then_some(values)
}

fn of_netcdf(setup: &Setup, names: &[String], folder: &Path) -> Option<Vec<Vec<f64>>> {
    let mut reader = NetcdfReader::open(&folder.join(NETCDF)).ok()?;
    let of = |name: &String| reader.values_f64(name).ok().filter(|values| values.len() == setup.places.points.len());
    names.iter().map(of).collect()
}
