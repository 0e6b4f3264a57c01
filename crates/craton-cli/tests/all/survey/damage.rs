//! Damaged, lost or foreign files in the results folder of a survey are recomputed or reported, never ignored.

use super::*;

/// Runs the command to its end, with messages.
fn survey(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = craton(folder, arguments).stdout(Stdio::piped()).output().expect("a process");
    let all = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr_of(&output));
    (output.status.code(), all.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A folder with a complete survey.
fn complete() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    finished(folder.path(), &["--quiet"]);
    folder
}

#[test]
fn shots_that_a_damaged_journal_does_not_list_are_computed_again() {
    let folder = complete();
    let journal = folder.path().join("results/journal/journal");
    let whole = std::fs::read(&journal).expect("a journal");
    // Cut at a block, within one, and moved away.
    for (kept, words) in [
        (640, "the journal lists 0 of the 12 shots"),
        (2000, "of the 12 shots in results/gathers.segy: it was damaged or replaced. Shots"),
        (0, "the journal lists 0 of the 12 shots"),
    ] {
        std::fs::write(&journal, &whole[..kept]).expect("written");
        if kept == 0 {
            std::fs::remove_file(&journal).expect("removed");
        }
        let (code, said) = survey(folder.path(), &[]);
        assert_eq!(code, Some(0), "{kept}: {said}");
        assert!(said.contains(words) && said.contains("are computed again"), "{kept}: {said}");
        assert!(gathers(folder.path()) == uninterrupted(), "{kept}");
    }
    // The whole folder of the journal moved away; another survey is refused there.
    std::fs::rename(folder.path().join("results/journal"), folder.path().join("elsewhere")).expect("moved");
    let (code, said) = survey(folder.path(), &["--set", "source.amplitude=2"]);
    assert!(code == Some(2) && said.contains("holds the complete run"), "{said}");
    let (code, said) = survey(folder.path(), &[]);
    assert!(code == Some(0) && said.contains("the journal lists 0 of the 12 shots"), "{said}");
    assert!(gathers(folder.path()) == uninterrupted());
    // Other contents of the same size are not a survey.
    std::fs::write(folder.path().join("results/gathers.segy"), vec![1; uninterrupted().len()]).expect("written");
    std::fs::remove_file(&journal).expect("removed");
    let (code, said) = survey(folder.path(), &[]);
    assert!(code == Some(0) && said.contains("is not a complete file of this survey"), "{said}");
    assert!(gathers(folder.path()) == uninterrupted());
}

#[test]
fn gathers_without_failed_shots_survive_a_lost_journal() {
    let folder = complete();
    let results = folder.path().join("results");
    // As if the last shot had failed: its traces are missing.
    let (record, all) = (results.join("run.json"), gathers(folder.path()));
    let text = std::fs::read_to_string(&record).expect("a record");
    assert!(text.contains("\"shots_failed\": 0"), "{text}");
    std::fs::write(&record, text.replace("\"shots_failed\": 0", "\"shots_failed\": 1")).expect("written");
    let kept = &all[..all.len() - (all.len() - 3600) / 12];
    std::fs::write(results.join("gathers.segy"), kept).expect("written");
    std::fs::rename(results.join("journal"), folder.path().join("elsewhere")).expect("moved");
    let (code, said) = survey(folder.path(), &[]);
    assert!(code == Some(1) && said.contains("was completed without 1 failed shot, and"), "{said}");
    assert!(gathers(folder.path()) == kept);
    finished(folder.path(), &["--quiet", "--overwrite"]);
    assert!(gathers(folder.path()) == uninterrupted());
}

#[test]
fn overwriting_always_starts_again_and_names_what_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(results.join("gathers.segy"), "x").expect("written");
    std::fs::write(results.join("notes.txt"), "mine").expect("written");
    let (code, said) = survey(folder.path(), &[]);
    assert!(code == Some(2) && said.contains("--overwrite"), "{said}");
    let (code, said) = survey(folder.path(), &["--overwrite"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("gathers.segy and 1 others in results are not listed as results"), "{said}");
    assert!(gathers(folder.path()) == uninterrupted());
    std::fs::remove_file(results.join(".craton-files")).expect("removed");
    finished(folder.path(), &["--quiet", "--overwrite", "--set", "source.amplitude=2"]);
    assert!(gathers(folder.path()) != uninterrupted());
    // Several quantities, among foreign files.
    std::fs::create_dir(results.join("gathers")).expect("a folder");
    std::fs::write(results.join("gathers/mine.txt"), "mine").expect("written");
    finished(folder.path(), &["--quiet", "--overwrite", "--set", "receivers.quantities=['pressure', 'velocity_z']"]);
    assert!(results.join("gathers/pressure.segy").exists() && !results.join("gathers.partial").exists());
    for name in ["notes.txt", "gathers/mine.txt"] {
        assert_eq!(std::fs::read_to_string(results.join(name)).expect("a file"), "mine");
    }
}

#[test]
fn verification_finds_a_flipped_bit_anywhere() {
    let folder = complete();
    let file = folder.path().join("results/gathers.segy");
    let (code, said) = survey(folder.path(), &["--verify"]);
    assert!(code == Some(0) && said.contains("12 shots in results equal their checksums"), "{said}");
    let trace = (uninterrupted().len() - 3600) / (12 * 31);
    for (at, words) in [
        (100, "gathers.segy has another size or other file headers"),
        (3600, "shot 1 in results/gathers.segy has changed"),
        (3600 + 40 * trace + 300, "shot 2 in results/gathers.segy has changed"),
        (uninterrupted().len() - 1, "shot 12 in results/gathers.segy has changed"),
    ] {
        let mut bytes = uninterrupted().to_vec();
        bytes[at] ^= 4;
        std::fs::write(&file, &bytes).expect("written");
        let (code, said) = survey(folder.path(), &["--verify", "--quiet"]);
        assert!(code == Some(1) && said.contains(words) && said.contains("--overwrite"), "{at}: {said}");
        let (code, said) = survey(folder.path(), &[]);
        assert!(code == Some(0) && said.contains("their files have not been read. --verify compares"), "{at}: {said}");
    }
    std::fs::remove_file(&file).expect("removed");
    let (code, said) = survey(folder.path(), &["--verify"]);
    assert!(code == Some(2) && said.contains("not complete"), "{said}");
}

#[test]
fn verification_knows_the_places_of_shots_after_failed_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    three_shots_in(folder.path(), "1e30");
    assert_eq!(survey(folder.path(), &["--quiet"]).0, Some(1));
    let (code, said) = survey(folder.path(), &["--verify"]);
    assert!(code == Some(0) && said.contains("2 shots in results equal their checksums"), "{said}");
    let file = folder.path().join("results/gathers.segy");
    let whole = std::fs::read(&file).expect("gathers");
    // The number of the third trace, and its last sample.
    for at in [3600 + (whole.len() - 3600) / 2 + 3, 3600 + 3 * (whole.len() - 3600) / 4 - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&file, &bytes).expect("written");
        let (code, said) = survey(folder.path(), &["--verify"]);
        assert!(code == Some(1) && said.contains("shot 8 in results/gathers.segy has changed"), "{at}: {said}");
    }
}

#[test]
fn no_files_of_killed_workers_remain() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let mut process = craton(folder.path(), &["--quiet"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    process.kill().expect("killed");
    process.wait().expect("dead");
    let workers = || std::fs::read_dir(folder.path().join("results/journal/workers")).expect("a folder").count();
    assert!(workers() > 0);
    std::fs::write(folder.path().join("results/.tmpaB3xY9"), "a picture").expect("written");
    finished(folder.path(), &["--quiet"]);
    assert_eq!(workers(), 0);
    assert!(!folder.path().join("results/.tmpaB3xY9").exists());
}

#[cfg(unix)]
#[test]
fn pictures_that_do_not_fit_are_a_failure() {
    let folder = complete();
    for name in ["model.png", "shot_1.png"] {
        std::fs::remove_file(folder.path().join("results").join(name)).expect("a picture");
    }
    let binary = assert_cmd::cargo::cargo_bin("craton");
    let script = format!("ulimit -f 14; exec '{}' survey it.toml --quiet", binary.display());
    let full = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
    let said = stderr_of(&full).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(full.status.code(), Some(1), "{said}");
    assert!(said.contains("the pictures cannot be drawn: cannot write the picture results/model.png"), "{said}");
    finished(folder.path(), &["--quiet"]);
    assert!(folder.path().join("results/model.png").exists());
}
