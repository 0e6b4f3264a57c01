//! Shots that have failed for good are computed again, and nothing else.

use craton_run::RunRecord;
use craton_run::journal::{Failed, Journal, Offer, Wish};

use super::*;

/// Notes that one of three shots that are done has failed twice.
fn fail(results: &Path, piece: u32) {
    let identity = RunRecord::read(results).expect("a record").scenario_hash;
    let identity = u64::from_str_radix(&identity, 16).expect("a hash");
    let journal = Journal::open(&results.join("journal"), identity, 3).expect("a journal");
    journal.forget(&[piece]).expect("forgotten");
    for _ in 0..2 {
        let wish = Wish { device: 0, one_kind: false, among: piece..piece + 1 };
        assert!(matches!(journal.take(1, &wish).expect("an offer"), Offer::Pieces(_)));
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

#[test]
fn what_has_failed_is_computed_again_and_the_rest_is_kept() {
    for (quantities, name) in [("'pressure'", "gathers.segy"), ("'pressure', 'velocity_z'", "gathers")] {
        let folder = tempfile::tempdir().expect("a folder");
        let coarse = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
        files(folder.path(), &coarse);
        let shots = "shot,x,y,depth\n7,0,0,200\n8,20,0,200\n9,40,0,200\n";
        std::fs::write(folder.path().join("shots.csv"), shots).expect("written");
        let first = options(folder.path(), &["duration=0.1", &format!("receivers.quantities=[{quantities}]")]);
        let gathers = surveyed(folder.path(), &first).gathers;
        let expected = contents(&gathers);
        // As if the second of them had failed before the files were complete.
        let results = folder.path().join("results");
        fail(&results, 1);
        std::fs::rename(&gathers, results.join(format!("{name}.partial"))).expect("renamed");
        if name == "gathers" {
            // As if complete files had been removed in part.
            std::fs::create_dir(&gathers).expect("made");
            std::fs::write(gathers.join("velocity_z.segy"), "left").expect("written");
        }
        let again = RunOptions { overwrite: false, ..first };
        let report = surveyed(folder.path(), &again);
        assert_eq!((report.failed.len(), report.failed[0].number, report.done), (1, 8, 2));
        assert!(contents(&gathers).iter().zip(&expected).all(|(found, whole)| found.len() < whole.len()));
        let again = RunOptions { retry_failed: true, ..again };
        if name == "gathers" {
            // What somebody else has put there stays, and is told before anything is touched.
            let (notes, before) = (gathers.join("notes.txt"), contents(&gathers));
            std::fs::write(&notes, "mine").expect("written");
            let said = told(survey(&folder.path().join("it.toml"), &again));
            assert!(said.contains("notes.txt is no file of the survey's"), "{said}");
            std::fs::remove_file(&notes).expect("still there");
            assert!(contents(&gathers) == before);
        }
        let report = surveyed(folder.path(), &again);
        assert!(report.is_whole(), "{report}");
        assert_eq!(report.shares.iter().map(|share| share.shots).sum::<usize>(), 1, "{report}");
        assert!(report.to_string().contains("from the beginning: CPU: 3 shots"), "{report}");
        assert!(contents(&gathers) == expected);
        assert!(!results.join(format!("{name}.partial")).exists());
    }
}
