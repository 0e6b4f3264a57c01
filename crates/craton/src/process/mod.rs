//! Processing of seismograms after a run: a step response is computed once and filtered as often as needed.
//!
//! ```text
//! files -> outlines (metadata) -> all operations on the outlines: checks -> unit by unit: samples, files
//! ```
//!
//! | module | content |
//! |---|---|
//! | `plan` | the operations, and their effect on times and samples of a trace |
//! | `files` | input files, headers, and names of output files |
//! | `units` | groups of traces that are processed together |
//! | `rotate` | rotation of north and east to radial and transverse |
//! | `apply` | operations on the components of a seismogram |
//! | `report` | the table of operations |
//! | `maps` | filters of maps of gravity and magnetic fields |

mod apply;
mod files;
mod maps;
mod plan;
mod report;
mod rotate;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use apply::{advance, apply, have_names};
pub use craton_gravity::{Direction, Edges};
pub use craton_numerics::convolve::Pulse;
pub use craton_numerics::filter::{Band, MAX_ORDER as MOST_POLES};
use files::{Outline, Record};
pub use maps::{MapAxis, MapOperation, MapPlan, ProcessedMaps, process_maps};
pub use plan::{LOWEST_CORNER, Operation, ProcessingPlan};
pub use report::{Processed, Row};

use units::{Unit, units};

use crate::error::{Error, ProcessError};

/// Applies operations to seismograms, one after the other, and writes the results to a folder.
///
/// All files are read and all operations checked before any file is written. Then seismograms are processed in
/// parallel, and each file is written atomically. Headers are kept except for what an operation changes: times,
/// quantity, component.
///
/// # Arguments
/// * `inputs` – results folders, folders of seismograms, files
/// * `output` – the folder for the results, created if missing
/// # Errors
/// Nothing to do; no files; an unreadable file; an output folder that is the input folder or has contents; values that
/// a trace does not support; components that cannot be rotated; two traces with the same name; a file that cannot be
/// written.
///
/// Verified by `process::headers_are_kept_and_samples_are_filtered` and
/// `process::nothing_is_written_if_a_plan_is_refused`.
pub fn process(inputs: &[PathBuf], output: &Path, plan: &ProcessingPlan) -> Result<Processed, Error> {
    if plan.operations.is_empty() && plan.format.is_none() {
        return Err(ProcessError::NothingToDo.into());
    }
    plan.operations.iter().try_for_each(Operation::check)?;
    let files = files::find(inputs, plan.format)?;
    files::check_output(output, inputs, &files, plan.overwrite)?;
    let outlines = first_failure(files.par_iter().map(|file| outlines(file, plan)))?;
    let mut outlines = files::each_once(outlines.into_iter().flatten().collect(), inputs, plan.format);
    let left_out = leave_out_nameless(&mut outlines, inputs, plan);
    files::settle_dates(&mut outlines);
    let units = units(outlines, plan);
    let (rows, files) = check_operations(&units, plan)?;
    std::fs::create_dir_all(output).map_err(|source| craton_run::RunError::Io {
        action: "create the folder",
        path: output.to_owned(),
        source,
    })?;
    first_failure(units.par_iter().map(|unit| process_unit(unit, output, plan)))?;
    Ok(Processed { rows, files, left_out, output: output.to_owned() })
}

/// Leaves out traces of folders whose quantity has no named integral or derivative, such as displacement next to velocity;
/// files that are named on the command line remain, and all remain if there are no others.
///
/// # Returns
/// Number of traces left out.
///
/// Verified by `process::traces_of_a_folder_that_cannot_be_integrated_are_left_out`.
fn leave_out_nameless(outlines: &mut Vec<Outline>, named: &[PathBuf], plan: &ProcessingPlan) -> usize {
    let is_kept = |outline: &Outline| named.contains(&outline.file) || have_names(&plan.operations, outline.quantity);
    let before = outlines.len();
    if outlines.iter().any(is_kept) {
        outlines.retain(is_kept);
    }
    before - outlines.len()
}

/// The traces of a file without their samples.
fn outlines(file: &Path, plan: &ProcessingPlan) -> Result<Vec<Outline>, Error> {
    Ok(Record::read(file, plan.format)?.into_iter().map(|record| record.outline).collect())
}

/// Reads, processes and writes the traces of a unit.
fn process_unit(unit: &Unit, output: &Path, plan: &ProcessingPlan) -> Result<(), Error> {
    let mut read = BTreeMap::new();
    for file in unit.iter().flatten().map(|outline| &outline.file).collect::<BTreeSet<_>>() {
        let records = Record::read(file, plan.format)?;
        read.extend(records.into_iter().map(|record| ((file, record.outline.number), record)));
    }
    let mut seismograms: Vec<Vec<Record>> = Vec::with_capacity(unit.len());
    for seismogram in unit {
        let mut records = Vec::with_capacity(seismogram.len());
        for outline in seismogram {
            let record = read.remove(&(&outline.file, outline.number));
            let sampling = |outline: &Outline| (outline.axis.count, outline.axis.dt.to_bits());
            let same = record.filter(|record| sampling(&record.outline) == sampling(outline));
            let record = same.ok_or_else(|| ProcessError::Changed { file: outline.file.clone() })?;
            records.push(Record { outline: outline.clone(), ..record });
        }
        seismograms.push(records);
    }
    first_failure(seismograms.par_iter_mut().map(|seismogram| apply(seismogram, &plan.operations)))?;
    Record::write_all(seismograms.into_iter().flatten().collect(), output)
}

/// Applies all operations to outlines, so that all checks precede the processing.
///
/// # Returns
/// The resulting outlines, and the number of files.
fn check_operations(units: &[Unit], plan: &ProcessingPlan) -> Result<(Vec<Row>, usize), ProcessError> {
    let mut seismograms: Vec<Vec<Outline>> = units.iter().flatten().cloned().collect();
    let mut rows = vec![Row::new("read".to_owned(), seismograms.iter().flatten())];
    for operation in &plan.operations {
        let mut turned = 0;
        for seismogram in &mut seismograms {
            let mut outlines: Vec<&mut Outline> = seismogram.iter_mut().collect();
            turned += usize::from(advance(&mut outlines, operation)?.is_some());
        }
        if matches!(operation, Operation::Rotate { .. }) && turned == 0 {
            return Err(ProcessError::NothingToRotate);
        }
        rows.push(Row::new(operation.to_string(), seismograms.iter().flatten()));
    }
    let mut targets: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut files = BTreeSet::new();
    for outline in seismograms.iter().flatten() {
        files.insert(outline.file_name()?);
        let name = outline.target()?;
        if let Some(first) = targets.insert(name.clone(), outline.file.clone()) {
            return Err(ProcessError::SameName { first, second: outline.file.clone(), name });
        }
    }
    Ok((rows, files.len()))
}

/// All results, or the first failure in the order of the files, independent of the threads.
fn first_failure<T: Send>(results: impl IndexedParallelIterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    results.collect::<Vec<_>>().into_iter().collect()
}
