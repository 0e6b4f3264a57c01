//! Every target reads its corpus without faults, and faults are detected.

use super::campaign::corpus;
use super::execute::{Bench, record_panics};
use super::fault::Kind;
use super::minimise::minimised;
use super::mutate::Form;
use super::target::{Outcome, Target};
use super::targets;
use super::watchdog::Watchdog;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Panics and memory are counted for the whole process, so that one test executes targets at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a check with a bench for each target.
fn with_benches(targets: &[Target], check: impl Fn(&Target, &Bench)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    record_panics();
    let folder = tempfile::tempdir().unwrap();
    let watchdog = Watchdog::new(Duration::from_secs(60), folder.path().to_owned());
    for target in targets {
        let own = folder.path().join(target.name);
        std::fs::create_dir(&own).unwrap();
        check(target, &Bench::new(target, &watchdog, &own).unwrap());
    }
    let _ = std::panic::take_hook();
}

#[test]
fn every_target_reads_its_corpus_without_faults() {
    with_benches(&targets::all(), |target, bench| {
        let mut accepted = 0;
        let mut refused = String::new();
        for input in corpus(target).unwrap() {
            match bench.execute(&input).unwrap().outcome {
                Ok(Outcome::Accepted(_)) => accepted += 1,
                Ok(Outcome::Refused(message) | Outcome::Broken(message)) => refused += &message,
                // Other tests may allocate at the same time.
                Err(fault) => assert!(fault.kind == Kind::Memory, "{}: {fault}", target.name),
            }
        }
        assert!(accepted > 0, "{}: {refused}", target.name);
    });
}

/// A reader with a fault for each letter.
fn faulty(path: &Path) -> Outcome {
    let input = std::fs::read(path).unwrap();
    match input.iter().find(|letter| b"pfrb".contains(letter)) {
        Some(b'p') => panic!("found a p"),
        Some(b'f') => drop(std::fs::write(path.with_file_name("../other"), "")),
        Some(b'r') => drop(std::fs::remove_file(path)),
        Some(b'b') => return Outcome::finite([1.0, f64::NAN]),
        _ => {}
    }
    Outcome::Accepted(input.len())
}

#[test]
fn faults_are_detected_and_their_inputs_minimised() {
    let target = Target::new("faulty", Form::Text, "a.txt", faulty);
    with_benches(&[target], |_, bench| {
        for (letter, kind) in [('p', Kind::Panic), ('f', Kind::File), ('r', Kind::File), ('b', Kind::Broken)] {
            let input = format!("12345{letter}6789 and more");
            let fault = bench.execute(input.as_bytes()).unwrap().outcome.unwrap_err();
            assert_eq!(fault.kind, kind, "{fault}");
            let least = minimised(bench, input.as_bytes(), &fault).unwrap();
            assert_eq!(least, letter.to_string().as_bytes());
        }
        assert_eq!(bench.execute(b"12345").unwrap().outcome, Ok(Outcome::Accepted(5)));
    });
}
