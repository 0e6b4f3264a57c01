//! A survey of several quantities with snapshots gives identical files after interruptions.

use std::collections::BTreeMap;
use std::fs;

use super::*;

/// Additional keys that make the survey write many files.
const MORE: &str = r#"
[receivers]
quantities = ["pressure", "velocity_z", "velocity_x"]
[output.snapshots]
shots = [2, 5, 12]
times = [0.2, 0.35]
"#;

/// Files, and folders of files, by name.
type Files = BTreeMap<String, Vec<u8>>;

fn many_files_in(folder: &Path) {
    fs::write(folder.join("it.toml"), format!("{SURVEY}{MORE}")).expect("written");
}

/// Collects all files in a folder and its subfolders.
fn collect(folder: &Path, name: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{name}/{}", path.file_name().expect("a name").to_string_lossy());
        match path.is_dir() {
            true => collect(&path, &name, files),
            false => drop(files.insert(name, fs::read(&path).expect("a file"))),
        }
    }
}

/// Gathers and snapshots.
fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    for name in ["gathers", "snapshots"] {
        collect(&folder.join("results").join(name), name, &mut files);
    }
    for name in ["gathers.partial", "gathers.copied"] {
        assert!(!folder.join("results").join(name).exists(), "{name} must be removed");
    }
    files
}

/// The files of an uninterrupted survey, computed once.
fn uninterrupted() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        many_files_in(folder.path());
        finished(folder.path(), &["--quiet"]);
        files(folder.path())
    })
}

fn assert_same(found: &Files, expected: &Files) {
    assert!(found.keys().eq(expected.keys()), "{:?} and {:?}", found.keys(), expected.keys());
    found.iter().for_each(|(name, bytes)| assert!(*bytes == expected[name], "{name} has changed"));
}

#[test]
fn a_survey_killed_repeatedly_gives_identical_files() {
    let expected = uninterrupted();
    // Three quantities; for each of three shots a list, and two frames with their pictures.
    assert_eq!(expected.len(), 3 + 3 * (1 + 2 * 2), "{:?}", expected.keys());
    let mut folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    // A pseudorandom sequence, the same in every run of the test.
    let mut state = 12345_u64;
    for _ in 0..12 {
        let mut process = craton(folder.path(), &["--quiet"]).stderr(Stdio::null()).spawn().expect("a process");
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((state >> 33) % 200));
        process.kill().expect("killed");
        let is_over = process.wait().expect("dead").success();
        if is_over || folder.path().join("results/gathers/pressure.segy").exists() {
            // Its pictures may not be drawn yet.
            finished(folder.path(), &["--quiet"]);
            assert_same(&files(folder.path()), expected);
            folder = tempfile::tempdir().expect("a folder");
            many_files_in(folder.path());
        }
    }
    finished(folder.path(), &["--quiet"]);
    assert_same(&files(folder.path()), expected);
}

#[test]
fn processes_share_many_files() {
    let folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    let start = || craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
    for process in [start(), start(), start()] {
        let output = process.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    }
    assert_same(&files(folder.path()), uninterrupted());
}

#[test]
fn a_removed_file_is_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    let process = craton(folder.path(), &["--threads", "1"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    fs::remove_file(folder.path().join("results/gathers.partial/velocity_z.segy")).expect("removed");
    let output = process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("velocity_z.segy was removed or truncated"), "{}", stderr_of(&output));
    finished(folder.path(), &["--quiet"]);
    let expected = uninterrupted();
    assert_same(&files(folder.path()), expected);
    // The same for a complete file.
    fs::remove_file(folder.path().join("results/gathers/velocity_x.segy")).expect("removed");
    finished(folder.path(), &["--quiet"]);
    assert_same(&files(folder.path()), expected);
}

#[test]
fn shots_with_lost_bytes_or_frames_are_recomputed() {
    let folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    let mut process = craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    process.kill().expect("killed");
    process.wait().expect("dead");
    let results = folder.path().join("results");
    let partial = results.join("gathers.partial/velocity_x.segy");
    let mut bytes = fs::read(&partial).expect("a partial file");
    bytes[3600 + 1000..3600 + 1400].fill(7);
    fs::write(&partial, bytes).expect("written");
    fs::remove_file(results.join("snapshots/shot_2/frame_000001.vti")).expect("a frame of a completed shot");
    finished(folder.path(), &["--quiet"]);
    assert_same(&files(folder.path()), uninterrupted());
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_none_of_many_files() {
    let folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    let full = on_full_disk(folder.path(), "");
    assert!(full.contains("gathers.partial/pressure.segy"), "{full}");
    finished(folder.path(), &["--quiet"]);
    assert_same(&files(folder.path()), uninterrupted());
}

#[cfg(unix)]
#[test]
fn a_disk_too_full_for_frames_stops_the_survey() {
    // Gathers of 21 kB fit, frames of 240 kB do not.
    let words = ["--set", "acquisition.fixed.receiver_line[0].count=2", "--set", "method.fd.max_frequency=80"];
    let folder = tempfile::tempdir().expect("a folder");
    many_files_in(folder.path());
    let full = on_full_disk(folder.path(), &format!("'{}'", words.join("' '")));
    assert!(full.contains("frame_000001.vti"), "{full}");
    finished(folder.path(), &[&["--quiet"], &words[..]].concat());
    assert_eq!(files(folder.path()).len(), 18);
}

#[test]
fn a_failed_shot_is_omitted_from_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, rest) = SURVEY.split_once("[acquisition.fixed]").expect("a table");
    let after = &rest[rest.find("[source]").expect("a table")..];
    let tables = "[acquisition.tables]\nshots = \"shots.csv\"\nreceivers = \"receivers.csv\"\n";
    let more = MORE.replace("[2, 5, 12]", "[5, 8]");
    let survey = format!("{before}{tables}{after}{more}").replace("[method", "amplitude = 1e10\n[method");
    fs::write(folder.path().join("it.toml"), survey).expect("written");
    let shots = "shot,x,y,depth,weight\n3,300,0,10,1\n5,500,0,10,1e30\n8,700,0,10,1\n";
    fs::write(folder.path().join("shots.csv"), shots).expect("written");
    fs::write(folder.path().join("receivers.csv"), "channel,x,y,depth\n1,200,0,20\n2,800,0,20\n").expect("written");
    let output = craton(folder.path(), &["--quiet"]).output().expect("a process");
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    let files = files(folder.path());
    for name in ["pressure", "velocity_z", "velocity_x"] {
        assert_eq!(numbers(&files[&format!("gathers/{name}.segy")]), [[3, 1], [3, 2], [8, 3], [8, 4]]);
    }
    assert!(files.contains_key("snapshots/shot_8.pvd") && !files.contains_key("snapshots/shot_5.pvd"));
}
