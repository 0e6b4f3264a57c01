//! What is done to seismograms after a run: a step response is computed once and filtered as often as one likes.
//!
//! ```text
//! files -> outlines (all but samples) -> every operation on the outlines: refusals -> seismogram by seismogram: samples, file
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `plan` | the operations, and what they make of times and samples of one trace |
//! | `files` | which files are read, what a header keeps, names of files that are written |
//! | `rotate` | north and east to radial and transverse |
//! | `apply` | operations on the components of a seismogram |
//! | `report` | the table of what was done |

mod apply;
mod files;
mod plan;
mod report;
mod rotate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use apply::{advance, apply};
pub use craton_numerics::convolve::Pulse;
pub use craton_numerics::filter::{Band, MAX_ORDER as MOST_POLES};
use files::{Outline, Record};
pub use plan::{LOWEST_CORNER, Operation, Plan};
pub use report::{Processed, Row};

use crate::error::{Error, ProcessError};

/// Applies operations to seismograms, one after the other, and writes them into a folder.
///
/// All files are read and all operations checked before anything is written; then seismograms are processed in parallel, each file written
/// whole or not at all. Headers stay but for what an operation changes: times, quantity, component.
///
/// # Arguments
/// * `inputs` – results folders, folders of seismograms, files
/// * `output` – the folder for the results, made when it is missing
/// # Errors
/// Nothing to do; no files; a file that cannot be read; an output folder that is the input's or holds anything; values that the times of a
/// trace do not allow; components that cannot be turned; two traces of one name; a file that cannot be written.
///
/// Verified by `process::headers_are_kept_and_the_samples_are_those_of_the_filter` and `process::nothing_is_written_when_anything_is_refused`.
pub fn process(inputs: &[PathBuf], output: &Path, plan: &Plan) -> Result<Processed, Error> {
    if plan.operations.is_empty() && plan.format.is_none() {
        return Err(ProcessError::NothingToDo.into());
    }
    plan.operations.iter().try_for_each(Operation::check)?;
    let files = files::find(inputs, plan.format)?;
    files::check_output(output, inputs, &files, plan.overwrite)?;
    let outlines = first_failure(files.par_iter().map(|file| Ok(Record::read(file, plan.format)?.outline)))?;
    let groups = grouped(outlines, plan);
    let rows = rehearse(&groups, plan)?;
    std::fs::create_dir_all(output).map_err(|source| craton_run::RunError::Io {
        action: "create the folder",
        path: output.to_owned(),
        source,
    })?;
    first_failure(groups.par_iter().map(|group| process_group(group, output, plan)))?;
    Ok(Processed { rows, files: files.len(), output: output.to_owned() })
}

/// Reads, processes and writes the traces of a group.
fn process_group(group: &[Outline], output: &Path, plan: &Plan) -> Result<(), Error> {
    let records = group.iter().map(|outline| Record::read(&outline.file, plan.format));
    let mut records = records.collect::<Result<Vec<_>, _>>()?;
    apply(&mut records, &plan.operations)?;
    records.into_iter().try_for_each(|record| record.write(output))
}

/// The traces that an operation needs together: the components of a seismogram where they are turned, else each trace alone.
fn grouped(outlines: Vec<Outline>, plan: &Plan) -> Vec<Vec<Outline>> {
    if !plan.operations.iter().any(|operation| matches!(operation, Operation::Rotate { .. })) {
        return outlines.into_iter().map(|outline| vec![outline]).collect();
    }
    let mut groups: BTreeMap<_, Vec<Outline>> = BTreeMap::new();
    for outline in outlines {
        let folder = outline.file.parent().map(Path::to_owned);
        let key = (folder, outline.name.seismogram(), outline.form as u8);
        groups.entry(key).or_default().push(outline);
    }
    groups.into_values().collect()
}

/// Applies all operations to outlines, so that what can be refused is refused before any work.
fn rehearse(groups: &[Vec<Outline>], plan: &Plan) -> Result<Vec<Row>, ProcessError> {
    let mut groups = groups.to_vec();
    let mut rows = vec![Row::new("read".to_owned(), groups.iter().flatten())];
    for operation in &plan.operations {
        let mut turned = 0;
        for group in &mut groups {
            let mut outlines: Vec<&mut Outline> = group.iter_mut().collect();
            turned += usize::from(advance(&mut outlines, operation)?.is_some());
        }
        if matches!(operation, Operation::Rotate { .. }) && turned == 0 {
            return Err(ProcessError::NothingToRotate);
        }
        rows.push(Row::new(operation.to_string(), groups.iter().flatten()));
    }
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for outline in groups.iter().flatten() {
        let name = outline.file_name()?;
        if let Some(first) = names.insert(name.clone(), outline.file.clone()) {
            return Err(ProcessError::SameName { first, second: outline.file.clone(), name });
        }
    }
    Ok(rows)
}

/// All results, or the failure that comes first in the order of the files, whatever the threads did.
fn first_failure<T: Send>(results: impl IndexedParallelIterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    results.collect::<Vec<_>>().into_iter().collect()
}
