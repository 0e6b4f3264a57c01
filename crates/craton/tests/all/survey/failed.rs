//! A retry recomputes the failed shots, and nothing else.

use std::sync::Arc;

use craton::survey::survey_on_ranks;
use craton_comm::{Ranks, Solo, thread_ranks};
use craton_run::RunRecord;
use craton_run::journal::{ClaimRequest, ClaimResult, Failed, Journal};

use super::*;

/// Records in the journal that one of three completed shots has failed twice.
fn fail(results: &Path, piece: u32) {
    let identity = RunRecord::read(results).expect("a record").scenario_hash;
    let identity = u64::from_str_radix(&identity, 16).expect("a hash");
    let journal = Journal::open(&results.join("journal"), identity, 3).expect("a journal");
    journal.forget(&[piece]).expect("forgotten");
    for _ in 0..2 {
        let request = ClaimRequest { device: 0, one_kind: false, among: piece..piece + 1 };
        assert!(matches!(journal.take(1, &request).expect("pieces"), ClaimResult::Pieces(_)));
        journal.fail(&[Failed { piece, code: 1, reason: "out of memory" }]).expect("noted");
    }
}

/// The bytes of all files of gathers.
fn contents(gathers: &Path) -> Vec<Vec<u8>> {
    let mut files = match gathers.is_dir() {
        true => std::fs::read_dir(gathers).expect("a folder").map(|file| file.expect("a file").path()).collect(),
        false => vec![gathers.to_owned()],
    };
    files.sort();
    files.iter().map(|file| std::fs::read(file).expect("a file")).collect()
}

/// Writes a coarse survey of three shots.
fn three_shots(folder: &Path) {
    let coarse = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
    files(folder, &coarse);
    std::fs::write(folder.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n8,20,0,200\n9,40,0,200\n").expect("written");
}

#[test]
fn failed_shots_are_recomputed_and_all_others_kept() {
    for (quantities, name) in [("'pressure'", "gathers.segy"), ("'pressure', 'velocity_z'", "gathers")] {
        let folder = tempfile::tempdir().expect("a folder");
        three_shots(folder.path());
        let first = options(folder.path(), &["duration=0.1", &format!("receivers.quantities=[{quantities}]")]);
        let gathers = surveyed(folder.path(), &first).gathers;
        let expected = contents(&gathers);
        // As if the second shot had failed before the files were complete.
        let results = folder.path().join("results");
        fail(&results, 1);
        std::fs::rename(&gathers, results.join(format!("{name}.partial"))).expect("renamed");
        if name == "gathers" {
            // As if some of the complete files had been removed.
            std::fs::create_dir(&gathers).expect("made");
            std::fs::write(gathers.join("velocity_z.segy"), "left").expect("written");
        }
        let again = RunOptions { overwrite: false, ..first };
        let report = surveyed(folder.path(), &again);
        assert_eq!((report.failed.len(), report.failed[0].number, report.done), (1, 8, 2));
        assert!(contents(&gathers).iter().zip(&expected).all(|(found, whole)| found.len() < whole.len()));
        let again = RunOptions { retry_failed: true, ..again };
        if name == "gathers" {
            // A foreign file is kept, and reported before anything is changed.
            let (notes, before) = (gathers.join("notes.txt"), contents(&gathers));
            std::fs::write(&notes, "mine").expect("written");
            let text = error_text(survey(&folder.path().join("it.toml"), &again));
            assert!(text.contains("notes.txt is not a file of this survey"), "{text}");
            std::fs::remove_file(&notes).expect("still there");
            assert!(contents(&gathers) == before);
        }
        let report = surveyed(folder.path(), &again);
        assert!(report.is_whole(), "{report}");
        assert_eq!(report.shares.iter().map(|share| share.shots).sum::<usize>(), 1, "{report}");
        let text = report.to_string();
        assert!(text.contains("CPU: 1 shot (33.3 %), idle "), "{text}");
        assert!(text.contains("since the start:\n  CPU of ") && text.contains(": 3 shots (100.0 %)\n"), "{text}");
        assert!(contents(&gathers) == expected);
        assert!(!results.join(format!("{name}.partial")).exists());
    }
}

/// Three ranks of one command, or three separate commands, retry at the same time.
#[test]
fn concurrent_retries_write_one_file() {
    for are_ranks in [true, false] {
        let folder = &tempfile::tempdir().expect("a folder");
        three_shots(folder.path());
        let first = options(folder.path(), &["duration=0.1"]);
        let gathers = surveyed(folder.path(), &first).gathers;
        let expected = contents(&gathers);
        let results = folder.path().join("results");
        fail(&results, 1);
        std::fs::rename(&gathers, results.join("gathers.segy.partial")).expect("renamed");
        let again = RunOptions { overwrite: false, threads: Some(1), ..first };
        assert_eq!(surveyed(folder.path(), &again).done, 2);
        let again = &RunOptions { retry_failed: true, ..again };
        let reports = std::thread::scope(|scope| {
            let at_work = thread_ranks(3).into_iter().map(|rank| {
                scope.spawn(move || {
                    let rank: Arc<dyn Ranks> = Arc::new(rank);
                    let alone: Arc<dyn Ranks> = Arc::new(Solo);
                    let ranks = if are_ranks { &rank } else { &alone };
                    let report = survey_on_ranks(&folder.path().join("it.toml"), again, ranks);
                    rank.finish().expect("all are there");
                    report.unwrap_or_else(|error| panic!("{error:?}"))
                })
            });
            let at_work: Vec<_> = at_work.collect();
            at_work.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
        });
        assert_eq!(reports.len(), if are_ranks { 1 } else { 3 });
        assert!(reports.iter().all(SurveyReport::is_whole), "{reports:?}");
        assert!(contents(&gathers) == expected, "ranks: {are_ranks}");
        assert!(!results.join("gathers.segy.partial").exists());
    }
}
