//! `craton resume` continues a killed run, unless one of its files has changed, also on a disk that a new run would not fit on.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A box of 8 elements with enough steps to be killed during the run; it uses every kind of input file.
const SCENARIO: &str = r#"
duration = 2000.0
[domain]
x = [0.0, 400.0]
y = [0.0, 400.0]
z = [-400.0, 50.0]
topography = "top.asc"
[model.depth_table]
file = "rock.txt"
[[source]]
position = [150.0, 150.0, -200.0]
force = [0.0, 0.0, 1.0e9]
time_function.file = "pulse.txt"
[receivers]
stations_file = "STATIONS"
[method.sem]
max_frequency = 4.0
element_size = 200.0
degree = 2
[output]
directory = "results"
checkpoint_interval = 0.001
"#;

const FILES: [(&str, &str); 5] = [
    ("it.toml", SCENARIO),
    ("top.asc", "ncols 2\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 400\n0 10\n20 0\n"),
    ("rock.txt", "depth vp vs rho\n-100 3500 2000 2500\n600 3600 2100 2500\n"),
    ("pulse.txt", "0 0\n0.1 1\n0.2 0\n"),
    ("STATIONS", "S1 XX 200 300 0 0\n"),
];

fn craton(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Kills a run after it has written a checkpoint of this step or a later one.
fn kill_beyond(mut run: Child, folder: &Path, step: u64) {
    let start = Instant::now();
    while newest_checkpoint(folder) < step {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint of step {step}");
        assert!(run.try_wait().expect("a process").is_none(), "the run ended before it was killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().expect("killed");
    run.wait().expect("dead");
}

fn newest_checkpoint(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder.join("results/checkpoints")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let steps = names.filter_map(|name| name.strip_prefix("checkpoint-")?.strip_suffix(".craton")?.parse().ok());
    steps.max().unwrap_or(0)
}

#[test]
fn a_killed_run_resumes_unless_one_of_its_files_has_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).expect("written");
    }
    kill_beyond(craton(folder, &["run", "it.toml", "--quiet"]).spawn().expect("a run"), folder, 1);
    let record = std::fs::read_to_string(folder.join("results/run.json")).expect("a record");

    for (name, text) in &FILES[1..] {
        assert!(record.contains(&format!("\"{name}\": \"")), "{name}: {record}");
        std::fs::write(folder.join(name), format!("{text}\n")).expect("written");
        let refused = craton(folder, &["resume", "results"]).output().expect("refused");
        let message = String::from_utf8(refused.stderr).expect("text");
        let message = message.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(message.contains(&format!("{name} has changed since the run in results began")), "{message}");
        assert!(message.contains("restore the old file and resume, or start again with `craton run --overwrite`. run.json has the hash of the old file"), "{message}");
        std::fs::write(folder.join(name), text).expect("written");
    }

    let reached = newest_checkpoint(folder);
    kill_beyond(craton(folder, &["resume", "results", "--quiet"]).spawn().expect("a run"), folder, reached + 1);
}

/// Size of all files in a folder [bytes].
#[cfg(target_os = "linux")]
fn size_of_files(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let size = |entry: std::fs::DirEntry| match entry.metadata().expect("metadata") {
        file if file.is_dir() => size_of_files(&entry.path()),
        file => file.len(),
    };
    entries.map(size).sum()
}

/// Runs a command of the shell with `results` on a disk of this size, which begins with a copy of the folder `saved`; `None` without the right to mount one.
#[cfg(target_os = "linux")]
fn on_small_disk(folder: &Path, bytes: u64, command: &str) -> Option<std::process::Output> {
    let binary = assert_cmd::cargo::cargo_bin("craton");
    let script = format!(
        "mount -t tmpfs -o size={bytes} tmpfs results || exit 77; cp -r saved/. results; exec '{}' {command}",
        binary.display()
    );
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).current_dir(folder);
    let output = unshare.output().ok()?;
    // `unshare` ends with 1 if it is not allowed, and then the program has written nothing.
    let refused = String::from_utf8_lossy(&output.stderr).contains("unshare:");
    (!refused && output.status.code() != Some(77)).then_some(output)
}

/// Three checkpoints of this run are nearly all that it writes.
#[cfg(target_os = "linux")]
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test must be reported")]
fn files_of_a_killed_run_count_as_space_when_it_resumes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let larger = SCENARIO.replace("element_size = 200.0", "element_size = 20.0").replace("2000.0\n", "1.0\n");
    std::fs::write(folder.join("it.toml"), larger).expect("written");
    kill_beyond(craton(folder, &["run", "it.toml", "--quiet"]).spawn().expect("a run"), folder, 1);

    let checkpoint = folder.join(format!("results/checkpoints/checkpoint-{:012}.craton", newest_checkpoint(folder)));
    let checkpoint = std::fs::metadata(checkpoint).expect("a checkpoint").len();
    std::fs::rename(folder.join("results"), folder.join("saved")).expect("renamed");
    std::fs::create_dir(folder.join("results")).expect("created");
    let free = checkpoint * 27 / 10;
    let disk = free + size_of_files(&folder.join("saved"));
    let Some(anew) = on_small_disk(folder, disk, "run it.toml --quiet --set 'output.directory=\"results/anew\"'")
    else {
        return eprintln!("not run: this user may not mount a disk");
    };
    assert_eq!(anew.status.code(), Some(2), "a new run must not fit: {}", String::from_utf8_lossy(&anew.stderr));
    let resumed = on_small_disk(folder, disk, "resume results --quiet").expect("a disk");
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
}
