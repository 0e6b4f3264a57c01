//! One run per folder: results are neither mixed nor lost.

use craton_run::{Journal, OutputDirectory, Program, RunRecord, RunStatus, Stages};
use std::fs;
use std::path::Path;
use std::sync::Barrier;

fn leave_run(path: &Path, status: RunStatus) {
    let output = OutputDirectory::create(path, false).unwrap();
    fs::write(output.file("seismograms/XX.A.sac").unwrap(), "trace").unwrap();
    fs::create_dir_all(output.checkpoints()).unwrap();
    fs::write(output.checkpoints().join("checkpoint-000000000001.craton"), "state").unwrap();
    let program = Program { name: "craton".into(), version: "0.1.0".into(), commit: None };
    let mut record = RunRecord::start("a test", program, "f32", 7);
    record.finish(status, &Stages::new(), None);
    record.write(output.path()).unwrap();
}

#[test]
fn a_new_or_empty_folder_is_accepted() {
    let parent = tempfile::tempdir().unwrap();
    OutputDirectory::create(&parent.path().join("a/b"), false).unwrap();
    OutputDirectory::create(&parent.path().join("a/b"), false).unwrap();
}

#[test]
fn results_are_overwritten_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    leave_run(folder.path(), RunStatus::Complete);
    let error = OutputDirectory::create(folder.path(), false).unwrap_err().to_string();
    assert!(error.contains("complete run \"a test\"") && error.contains("--overwrite"), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join("seismograms/XX.A.sac")).unwrap(), "trace");
}

#[test]
fn the_error_for_an_unfinished_run_suggests_resume() {
    for status in [RunStatus::Running, RunStatus::Interrupted] {
        let folder = tempfile::tempdir().unwrap();
        leave_run(folder.path(), status);
        let error = OutputDirectory::create(folder.path(), false).unwrap_err().to_string();
        assert!(error.contains("craton resume"), "{error}");
        OutputDirectory::resume(folder.path()).unwrap();
    }
}

#[test]
fn a_folder_of_other_files_is_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "").unwrap();
    let error = OutputDirectory::create(folder.path(), false).unwrap_err().to_string();
    assert!(error.contains("thesis.tex"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn overwriting_removes_the_earlier_run_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    leave_run(folder.path(), RunStatus::Complete);
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let output = OutputDirectory::create(folder.path(), true).unwrap();
    let warnings = output.warnings();
    assert!(warnings.len() == 1 && warnings[0].starts_with("notes.txt in "), "{warnings:?}");
    assert!(!folder.path().join("seismograms").exists());
    assert!(!folder.path().join(RunRecord::FILE_NAME).exists());
    assert!(!output.checkpoints().exists());
    assert_eq!(fs::read_to_string(folder.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn overwriting_without_the_list_of_files_removes_what_would_continue_the_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    leave_run(folder.path(), RunStatus::Complete);
    drop(Journal::open(&folder.path().join("journal"), 7, 3).unwrap());
    for (name, text) in [("journal/diary.txt", "mine"), ("journal/workers/000012", ""), ("checkpoints/notes", "mine")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::remove_file(folder.path().join(".craton-files")).unwrap();
    let output = OutputDirectory::create(folder.path(), true).unwrap();
    let left = |name: &str| folder.path().join(name).exists();
    assert!(!left("run.json") && !left("journal/journal") && !left("journal/workers"));
    assert!(!left("checkpoints/checkpoint-000000000001.craton"));
    assert!(left("seismograms/XX.A.sac") && left("journal/diary.txt") && left("checkpoints/notes"), "they stay");
    let warnings = output.warnings();
    assert!(warnings[0].starts_with("checkpoints and 2 others in ") && warnings[0].contains("stay"), "{warnings:?}");
}

#[test]
fn results_have_a_list_and_a_size() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(OutputDirectory::bytes(&folder.path().join("new")).unwrap(), 0);
    leave_run(folder.path(), RunStatus::Running);
    let output = OutputDirectory::resume(folder.path()).unwrap();
    fs::write(output.file("a").unwrap(), "12").unwrap();
    output.file("seismograms/XX.A.sac").unwrap();
    output.file("gone").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let names = ["a", "seismograms/XX.A.sac"].map(std::path::PathBuf::from);
    assert_eq!(OutputDirectory::results(folder.path()).unwrap(), names);
    assert_eq!(OutputDirectory::bytes(folder.path()).unwrap(), 2 + 5 + 5);
}

#[test]
fn two_runs_cannot_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = OutputDirectory::create(folder.path(), false).unwrap();
    for overwrite in [false, true] {
        let error = OutputDirectory::create(folder.path(), overwrite).unwrap_err().to_string();
        assert!(error.contains("another run is writing"), "{error}");
    }
    drop(first);
    OutputDirectory::create(folder.path(), false).unwrap();
}

#[test]
fn processes_that_start_concurrently_share_a_folder() {
    for _ in 0..40 {
        let parent = tempfile::tempdir().unwrap();
        let (folder, start) = (parent.path().join("results"), Barrier::new(8));
        let join = || {
            start.wait();
            OutputDirectory::share(&folder, false, 0).map(drop)
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(join)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
        });
    }
}

#[test]
fn a_job_continues_in_its_folder_without_its_journal_and_no_other_job_does() {
    for status in [RunStatus::Complete, RunStatus::Failed, RunStatus::Interrupted] {
        let folder = tempfile::tempdir().unwrap();
        leave_run(folder.path(), status);
        let error = OutputDirectory::share(folder.path(), false, 8).unwrap_err().to_string();
        assert!(error.contains("\"a test\""), "{error}");
        let output = OutputDirectory::share(folder.path(), false, 7).unwrap();
        assert!(output.journal().is_dir());
        assert_eq!(fs::read_to_string(folder.path().join("seismograms/XX.A.sac")).unwrap(), "trace");
    }
}

#[test]
fn a_file_is_refused_as_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results");
    fs::write(&file, "").unwrap();
    let error = OutputDirectory::create(&file, true).unwrap_err().to_string();
    assert!(error.contains("is a file, not a folder"), "{error}");
}

#[test]
fn resuming_requires_an_unfinished_run() {
    let folder = tempfile::tempdir().unwrap();
    let error = OutputDirectory::resume(folder.path()).unwrap_err().to_string();
    assert!(error.contains("run.json"), "{error}");
    leave_run(folder.path(), RunStatus::Complete);
    let error = OutputDirectory::resume(folder.path()).unwrap_err().to_string();
    assert!(error.contains("already complete"), "{error}");
}

#[test]
fn partial_files_of_a_killed_run_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    leave_run(folder.path(), RunStatus::Running);
    let strays = [".run.json.Xy12.partial", ".tmpaB3xY9", "seismograms/.XX.A.sac.Xy12.partial"];
    let others = [".tmp", ".tmpnotes.txt", "seismograms/mine.partial"];
    strays.iter().chain(&others).for_each(|name| fs::write(folder.path().join(name), "{").unwrap());
    OutputDirectory::resume(folder.path()).unwrap();
    assert!(strays.iter().all(|name| !folder.path().join(name).exists()));
    assert!(others.iter().all(|name| folder.path().join(name).exists()));
}

#[test]
fn a_folder_that_cannot_be_created_is_refused_before_the_run() {
    let parent = tempfile::tempdir().unwrap();
    fs::write(parent.path().join("file"), "").unwrap();
    for name in ["file/results", "nul\0", &"x".repeat(300)] {
        let error = OutputDirectory::check(&parent.path().join(name), true).unwrap_err();
        assert!(error.is_bad_input(), "{error}");
        assert!(error.to_string().ends_with("; name a folder in which you have write permission"), "{error}");
    }
    OutputDirectory::check(&parent.path().join("a/b"), false).unwrap();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "a check changes nothing");
    #[cfg(target_os = "linux")]
    assert!(OutputDirectory::check(Path::new("/proc/results"), false).unwrap_err().is_bad_input());
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn overwriting_leaves_alone_and_reports_what_lies_behind_a_link() {
        let parent = tempfile::tempdir().unwrap();
        let [folder, outside] = ["o", "outside"].map(|name| parent.path().join(name));
        leave_run(&folder, RunStatus::Complete);
        fs::create_dir(&outside).unwrap();
        for name in ["notes", "more"] {
            fs::write(outside.join(name), "mine").unwrap();
        }
        symlink(&outside, folder.join("link")).unwrap();
        symlink(outside.join("notes"), folder.join("result")).unwrap();
        let manifest = folder.join(".craton-files");
        let list = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, format!("{list}link/notes\nresult\n../outside/more\n")).unwrap();
        let output = OutputDirectory::create(&folder, true).unwrap();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
        let warnings = output.warnings();
        assert!(warnings[0].contains("link/notes and 1 others of the earlier run left alone"), "{warnings:?}");
        assert!(warnings[1].starts_with("link in "), "{warnings:?}");
        // A link with the name of a result is the result, and goes.
        assert!(!folder.join("result").is_symlink() && folder.join("link").is_symlink());
        assert!(!folder.join("seismograms").exists());
        fs::write(output.file("link/notes").unwrap(), "result").unwrap();
        assert_eq!(fs::read_to_string(outside.join("notes")).unwrap(), "mine");
        assert!(!folder.join("link").is_symlink());
    }

    #[test]
    fn links_with_the_names_of_own_files_are_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let [folder, outside] = ["o", "outside"].map(|name| parent.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(&outside, "mine").unwrap();
        for name in [".craton-files", ".craton.lock"] {
            symlink(&outside, folder.join(name)).unwrap();
        }
        let output = OutputDirectory::create(&folder, false).unwrap();
        output.file("a").unwrap();
        assert_eq!(fs::read_to_string(outside).unwrap(), "mine");
        assert!(!folder.join(".craton-files").is_symlink() && !folder.join(".craton.lock").is_symlink());
    }

    #[test]
    fn a_journal_that_is_a_link_is_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let [folder, outside] = ["o", "outside"].map(|name| parent.path().join(name));
        for path in [&folder, &outside] {
            fs::create_dir(path).unwrap();
        }
        symlink(&outside, folder.join("journal")).unwrap();
        let output = OutputDirectory::share(&folder, true, 0).unwrap();
        assert!(output.journal().is_dir() && !output.journal().is_symlink());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
