//! Groups of traces that are read, processed and written together.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::files::{Outline, form_of_input};
use super::plan::{Operation, ProcessingPlan};
use crate::config::SeismogramFormat;

/// Seismograms, each a list of components, that share an input or an output file.
pub(super) type Unit = Vec<Vec<Outline>>;

/// A file with several traces.
#[derive(PartialEq, Eq, Hash)]
enum Shared {
    Read(PathBuf),
    Written(String),
}

/// All traces, in independent units.
pub(super) fn units(outlines: Vec<Outline>, plan: &ProcessingPlan) -> Vec<Unit> {
    let seismograms = seismograms(outlines, plan);
    // For each seismogram an earlier one in the same unit, or itself.
    let mut leader: Vec<usize> = (0..seismograms.len()).collect();
    let mut first = HashMap::new();
    for (number, seismogram) in seismograms.iter().enumerate() {
        for shared in seismogram.iter().flat_map(shared) {
            let other = *first.entry(shared).or_insert(number);
            let (one, other) = (root(&leader, number), root(&leader, other));
            leader[one.max(other)] = one.min(other);
        }
    }
    let mut units: BTreeMap<usize, Unit> = BTreeMap::new();
    for (number, seismogram) in seismograms.into_iter().enumerate() {
        units.entry(root(&leader, number)).or_default().push(seismogram);
    }
    units.into_values().collect()
}

fn root(leader: &[usize], mut number: usize) -> usize {
    while leader[number] != number {
        number = leader[number];
    }
    number
}

/// The input and output files of a trace that have several traces.
fn shared(outline: &Outline) -> impl Iterator<Item = Shared> {
    let read = form_of_input(&outline.file) == SeismogramFormat::Miniseed;
    let written = outline.form == SeismogramFormat::Miniseed;
    let read = read.then(|| Shared::Read(outline.file.clone()));
    read.into_iter().chain(written.then(|| Shared::Written(outline.name.seismogram())))
}

/// The traces that an operation needs together: the components of a seismogram for a rotation, otherwise each trace
/// alone.
fn seismograms(outlines: Vec<Outline>, plan: &ProcessingPlan) -> Vec<Vec<Outline>> {
    if !plan.operations.iter().any(|operation| matches!(operation, Operation::Rotate { .. })) {
        return outlines.into_iter().map(|outline| vec![outline]).collect();
    }
    let mut groups: BTreeMap<_, Vec<Outline>> = BTreeMap::new();
    for outline in outlines {
        let folder = outline.file.parent().map(Path::to_owned);
        let mut instrument = outline.name.component.clone();
        instrument.pop();
        let key = (folder, outline.name.seismogram(), instrument, form_of_input(&outline.file) as u8);
        groups.entry(key).or_default().push(outline);
    }
    groups.into_values().collect()
}
