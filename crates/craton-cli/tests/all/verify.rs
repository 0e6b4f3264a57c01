//! Complete results of runs and gravity problems are compared with their checksums on request.

use std::path::Path;

use assert_cmd::Command;

use crate::small_run::small_run;

const GRAVITY: &str = r#"
[[body]]
block = { x = [-20.0, 30.0], y = [-15.0, 10.0], z = [-80.0, -30.0], density = 1000.0 }
[points.grid]
x = [-150.0, 350.0]
y = [-100.0, 300.0]
count = [6, 5]
z = 40.0
[output]
directory = "results"
formats = ["csv", "esri", "npy"]
"#;

/// Exit code, and everything that the command says, in one line.
fn craton(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("craton").expect("the command is built");
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200");
    let output = command.output().expect("a process");
    let all = [&output.stdout[..], &output.stderr].concat();
    let words = String::from_utf8_lossy(&all).replace('│', " ");
    (output.status.code(), words.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file, bytes).expect("written");
}

#[test]
fn a_flipped_bit_in_the_results_of_a_run_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), small_run(0.2, 3.0)).expect("written");
    let (code, said) = craton(folder.path(), &["run", "it.toml", "--verify"]);
    assert!(code == Some(2) && said.contains("holds no run record"), "{said}");
    assert_eq!(craton(folder.path(), &["run", "it.toml", "--quiet", "--device", "cpu"]).0, Some(0));
    let (code, said) = craton(folder.path(), &["run", "it.toml"]);
    assert!(code == Some(2) && said.contains("check its files with `--verify`"), "{said}");
    let (code, said) = craton(folder.path(), &["run", "it.toml", "--verify"]);
    assert!(code == Some(0) && said.contains("files in results equal their checksums"), "{said}");
    let (code, said) = craton(folder.path(), &["run", "it.toml", "--verify", "--set", "duration=0.3"]);
    assert!(code == Some(2) && said.contains("another scenario"), "{said}");
    let trace = std::fs::read_dir(folder.path().join("results/seismograms")).expect("a folder").next();
    let trace = trace.expect("a trace").expect("a file").path();
    flip(&trace);
    let name = trace.file_name().expect("a name").to_string_lossy().into_owned();
    let (code, said) = craton(folder.path(), &["run", "it.toml", "--verify", "--quiet"]);
    assert!(code == Some(1) && said.contains(&format!("seismograms/{name} has changed")), "{said}");
    std::fs::remove_file(&trace).expect("removed");
    let (code, said) = craton(folder.path(), &["run", "it.toml", "--verify"]);
    assert!(code == Some(1) && said.contains(&format!("{name} cannot be read")), "{said}");
}

#[test]
fn a_flipped_bit_in_the_results_of_gravity_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), GRAVITY).expect("written");
    assert_eq!(craton(folder.path(), &["gravity", "it.toml", "--quiet"]).0, Some(0));
    let (code, said) = craton(folder.path(), &["gravity", "it.toml"]);
    assert!(code == Some(0) && said.contains("their files have not been read. --verify compares"), "{said}");
    let (code, said) = craton(folder.path(), &["gravity", "it.toml", "--verify"]);
    assert!(code == Some(0) && said.contains("files in results equal their checksums"), "{said}");
    for name in ["gravity.csv", "gravity.npy", "gravity.png"] {
        let file = folder.path().join("results").join(name);
        let whole = std::fs::read(&file).expect("a file");
        flip(&file);
        // Another format that is written later has its own checksum, and leaves the others.
        let (code, said) = craton(folder.path(), &["gravity", "it.toml", "--verify"]);
        assert!(code == Some(1) && said.contains(&format!("{name} has changed")), "{said}");
        std::fs::write(&file, whole).expect("written");
    }
    let (code, said) = craton(folder.path(), &["gravity", "it.toml", "--verify", "--set", "points.grid.z=50"]);
    assert!(code == Some(2) && said.contains("points.grid.z was"), "{said}");
}
