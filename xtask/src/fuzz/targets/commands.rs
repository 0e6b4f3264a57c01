//! Commands that read seismograms and write files under names from their headers.

use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton::config::SeismogramFormat;
use craton::options::CompareOptions;
use craton::process::{Operation, ProcessingPlan};
use craton::{compare, process};
use std::path::{Path, PathBuf};

/// The targets of this module.
pub fn all() -> Vec<Target> {
    let may_change = &["text", "miniseed", "same"];
    vec![
        Target {
            may_change,
            corpus: &["crates/craton-formats/tests/all/miniseed/samples"],
            ..Target::new("process_miniseed", Form::Binary, "a.mseed", process_all)
        },
        Target {
            may_change,
            corpus: &["xtask/corpus/sac"],
            ..Target::new("process_sac", Form::Binary, "XX.A.velocity.X.sac", process_all)
        },
        Target {
            may_change,
            corpus: &["xtask/corpus/text_trace"],
            ..Target::new("process_text", Form::Text, "XX.A.velocity.X.txt", process_all)
        },
        Target {
            companions: vec![("reference/XX.A.velocity.X.txt", "xtask/corpus/text_trace/header")],
            corpus: &["xtask/corpus/text_trace"],
            ..Target::new("compare", Form::Text, "test/XX.A.velocity.X.txt", compare_both)
        },
    ]
}

/// Converts the traces to other formats, and removes the mean.
fn process_all(path: &Path) -> Outcome {
    let plans =
        [("text", Some(SeismogramFormat::Text)), ("miniseed", Some(SeismogramFormat::Miniseed)), ("same", None)];
    let outcomes = plans.map(|(folder, format)| {
        let plan = ProcessingPlan { operations: vec![Operation::Demean], format, overwrite: false };
        let output = path.with_file_name(folder);
        Outcome::of(process(&[PathBuf::from(path)], &output, &plan), |processed| Outcome::Accepted(processed.files))
    });
    outcomes.into_iter().reduce(Outcome::or).expect("there are plans")
}

fn compare_both(path: &Path) -> Outcome {
    let reference = path.with_file_name("../reference/XX.A.velocity.X.txt");
    let options = CompareOptions { lowpass: Some(20.0), ..CompareOptions::default() };
    Outcome::of(compare(path, &reference, &options), |comparison| Outcome::Accepted(comparison.table().len()))
}
