//! `mpirun -n N craton run FILE` gives bit-identical results on any number of ranks, and reports an error once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCENARIO: &str = r#"
title = "A box in many parts"
duration = 0.12
[domain]
x = [-400.0, 400.0]
y = [-400.0, 400.0]
z = [-600.0, 0.0]
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [110.0, -60.0, -330.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.05, centre = 0.1 }
[receivers]
stations = [{ code = "XX.IN", position = [20.0, 75.0, -225.0] }, { code = "XX.TOP", position = [0.0, 130.0, 0.0] }]
quantities = ["velocity", "strain"]
[method.sem]
max_frequency = 8.0
element_size = 45.0
doubling = false
[compute]
device = "cpu"
[output]
directory = "results"
seismograms = ["sac", "text"]
[output.snapshots]
surface = { every = 0.06, quantities = ["velocity"] }
"#;

/// The same box by finite differences, with absorbing layers on five sides and a wide stencil.
const BY_FD: [&str; 4] =
    ["--set", "method={ fd = { max_frequency = 8.0, order = 8 } }", "--set", "output.snapshots={}"];

/// `mpirun -n ranks craton arguments`, or without mpirun for one rank.
fn craton(ranks: usize, arguments: &[&str], folder: &Path) -> Output {
    command(ranks, arguments, folder).output().expect("mpirun is installed")
}

fn command(ranks: usize, arguments: &[&str], folder: &Path) -> Command {
    let program = env!("CARGO_BIN_EXE_craton");
    let mut command = if ranks == 1 { Command::new(program) } else { Command::new("mpirun") };
    if ranks > 1 {
        command.args(["-n", &ranks.to_string(), program]);
    }
    command.args(arguments).current_dir(folder);
    command
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("box.toml"), SCENARIO).unwrap();
    folder
}

/// All seismograms and frames.
fn results(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for file in ["seismograms", "snapshots/surface"].iter().flat_map(|part| fs::read_dir(folder.join(part))).flatten() {
        let file = file.unwrap().path();
        files.push((file.strip_prefix(folder).unwrap().to_owned(), fs::read(&file).unwrap()));
    }
    files.sort();
    assert!(files.len() > 15, "{}", files.len());
    files
}

#[test]
fn results_are_bit_identical_for_any_number_of_ranks() {
    let folder = folder();
    let run = |ranks: usize, more: &[&str]| {
        let name = format!("r{ranks}{}", more.join("_").replace(['-', '='], ""));
        let here = format!("output.directory={name}");
        let output = craton(ranks, &[&["run", "box.toml", "--set", &here], more].concat(), folder.path());
        assert!(output.status.success(), "{ranks} ranks: {}", String::from_utf8_lossy(&output.stderr));
        let summaries = String::from_utf8_lossy(&output.stdout).matches("results are in").count();
        assert_eq!(summaries, 1, "one summary");
        results(&folder.path().join(name))
    };
    let expected = run(1, &[]);
    for (ranks, more) in [(2, &[][..]), (4, &[]), (2, &["--devices", "2"])] {
        assert!(run(ranks, more) == expected, "{ranks} ranks {more:?}");
    }
    if cfg!(feature = "metis") {
        assert!(run(2, &["--set", "compute.partition=metis"]) == expected, "two ranks by METIS");
    }
}

#[test]
fn finite_differences_are_bit_identical_on_ranks_and_resume_with_fewer() {
    let folder = folder();
    let start = |ranks: usize, name: &str, duration: &str, more: &[&str]| {
        let (here, long) = (format!("output.directory={name}"), format!("duration={duration}"));
        let arguments = ["run", "box.toml", "--set", &long, "--set", &here];
        command(ranks, &[&arguments[..], &BY_FD, more].concat(), folder.path())
    };
    let run = |ranks: usize, duration: &str, more: &[&str]| {
        let name = format!("fd{ranks}_{duration}{}", more.join("_").replace('-', ""));
        let output = start(ranks, &name, duration, more).output().expect("mpirun is installed");
        assert!(output.status.success(), "{ranks} ranks: {}", String::from_utf8_lossy(&output.stderr));
        results(&folder.path().join(name))
    };
    let expected = run(1, "0.3", &[]);
    for (ranks, more) in [(2, &[][..]), (4, &[]), (2, &["--devices", "2"])] {
        assert!(run(ranks, "0.3", more) == expected, "{ranks} ranks {more:?}");
    }
    let often = ["--set", "output.checkpoint_interval=0.001", "--quiet"];
    interrupt(start(4, "stopped", "4.0", &often), &folder.path().join("stopped"));
    let resumed = craton(2, &["resume", "stopped"], folder.path());
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(results(&folder.path().join("stopped")) == run(1, "4.0", &[]), "four ranks, then two");
}

/// Stops a run after its first checkpoint.
fn interrupt(mut run: Command, results: &Path) {
    let mut running = run.spawn().expect("mpirun is installed");
    while fs::read_dir(results.join("checkpoints")).map_or(0, Iterator::count) == 0 {
        assert!(running.try_wait().unwrap().is_none(), "the run ended before it could be stopped");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let number = running.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
    running.wait().unwrap();
}

/// Layers of 150, 20 and 5 m above thick ones: elements of three levels.
const THIN_LAYERS: &str = "model={ layered = { layers = [{ vp = 3500.0, vs = 2000.0, rho = 2500.0 }, \
     { top = -150.0, vp = 3600.0, vs = 2100.0, rho = 2500.0 }, { top = -170.0, vp = 3500.0, vs = 2000.0, rho = 2500.0 }, \
     { top = -175.0, vp = 3600.0, vs = 2100.0, rho = 2500.0 }] } }";

/// A run on ranks with these changes.
struct OnRanks<'a> {
    folder: &'a Path,
    name: &'a str,
    changes: &'a [&'a str],
}

impl OnRanks<'_> {
    fn command(&self, ranks: usize, name: &str, more: &[&str]) -> Command {
        let here = format!("output.directory={name}");
        let changes = self.changes.iter().flat_map(|change| ["--set", change]);
        let arguments = ["run", "box.toml", "--quiet", "--set", "method.sem.element_size=80.0", "--set", &here];
        let arguments: Vec<&str> = arguments.into_iter().chain(changes).chain(more.iter().copied()).collect();
        command(ranks, &arguments, self.folder)
    }

    /// The results of a complete run, and its record.
    fn run(&self, ranks: usize, more: &[&str]) -> (Vec<(PathBuf, Vec<u8>)>, String) {
        let name = format!("{}_{ranks}{}", self.name, more.join("_").replace(['-', '='], ""));
        let output = self.command(ranks, &name, more).output().expect("mpirun is installed");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let results_folder = self.folder.join(name);
        (results(&results_folder), fs::read_to_string(results_folder.join("run.json")).unwrap())
    }

    /// The results of a run that stops after a checkpoint and continues on other numbers of ranks.
    fn resume_on(&self, [before, after]: [usize; 2], more: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
        let name = format!("{}_{before}_{after}", self.name);
        let often = ["--set", "output.checkpoint_interval=0.001"];
        interrupt(self.command(before, &name, &[&often, more].concat()), &self.folder.join(&name));
        let resumed = craton(after, &["resume", &name, "--quiet"], self.folder);
        assert!(resumed.status.success(), "{name}: {}", String::from_utf8_lossy(&resumed.stderr));
        results(&self.folder.join(name))
    }

    /// Asserts that results are bit-identical on 1 to 4 ranks, in more parts and by METIS, after restarts, and on emulated GPUs.
    fn assert_equal(&self) {
        let (expected, _) = self.run(1, &[]);
        let metis = ["--set", "compute.partition=metis"];
        for (ranks, more) in [(2, &[][..]), (3, &[]), (4, &[]), (2, &["--devices", "2"]), (3, &metis)] {
            if cfg!(feature = "metis") || more != metis {
                assert!(self.run(ranks, more).0 == expected, "{}, {ranks} ranks {more:?}", self.name);
            }
        }
        // Long enough to be stopped after the first checkpoint on a busy machine.
        let long = ["--set", "duration=1.5", "--set", "output.snapshots={}"];
        let (expected, _) = self.run(2, &long);
        for counts in [[1, 3], [4, 2]] {
            assert!(self.resume_on(counts, &long) == expected, "{}, {counts:?} ranks", self.name);
        }
        let device = ["--device", "emulated", "--set", "duration=0.01", "--set", "output.snapshots={}"];
        let (expected, _) = self.run(1, &device);
        for devices in ["1", "2"] {
            let found = self.run(2, &[&device[..], &["--devices", devices]].concat()).0;
            assert!(found == expected, "{}, two ranks with {devices} devices each", self.name);
        }
    }
}

#[test]
fn local_time_steps_are_bit_identical_on_ranks_and_resume_with_other_numbers() {
    let folder = folder();
    let levels = "method.sem.local_time_steps=true";
    // Absorbing layers below the box have the whole step, so that the order is two.
    let below = "method.sem.absorbing.bottom.cpml.elements=2";
    for (name, changes, finest) in
        [("fourth", &[THIN_LAYERS, levels][..], 4), ("second", &[THIN_LAYERS, levels, below], 3)]
    {
        let run = OnRanks { folder: folder.path(), name, changes };
        let (_, record) = run.run(1, &["--set", "duration=0.01", "--set", "output.snapshots={}"]);
        assert!(record.contains(&format!("\"finest_level_of_time_steps\": {finest},")), "{record}");
        run.assert_equal();
    }
}

#[test]
fn absorbing_layers_are_bit_identical_on_ranks_and_resume_with_other_numbers() {
    let folder = folder();
    let run = OnRanks { folder: folder.path(), name: "layers", changes: &["method.sem.absorbing.cpml.elements=2"] };
    run.assert_equal();
}

#[test]
fn results_do_not_depend_on_the_path_of_gpu_messages() {
    let folder = folder();
    let run = |ranks: usize, name: String, more: &[&str]| {
        let here = format!("output.directory={name}");
        let short = ["--set", "duration=0.01", "--set", "output.snapshots={}"];
        let arguments = [&["run", "box.toml", "--device", "emulated", "--set", &here], &short[..]].concat();
        let output = craton(ranks, &[&arguments[..], more].concat(), folder.path());
        assert!(output.status.success(), "{ranks} ranks {more:?}: {}", String::from_utf8_lossy(&output.stderr));
        let record = fs::read_to_string(folder.path().join(&name).join("run.json")).unwrap();
        (results(&folder.path().join(name)), record)
    };
    for (method, set) in [("sem", &[][..]), ("fd", &BY_FD)] {
        let (expected, _) = run(1, format!("{method}_alone"), set);
        let (direct, by_host) = (", direct messages between GPUs", ", messages through host memory");
        for (devices, wanted, entry) in
            [("1", "auto", direct), ("1", "host", by_host), ("2", "direct", direct), ("2", "host", by_host)]
        {
            let way = format!("compute.gpu_messages={wanted}");
            let more = [&["--devices", devices, "--set", &way], set].concat();
            let (found, record) = run(2, format!("{method}_{wanted}_{devices}"), &more);
            assert!(found == expected, "{method}, {wanted}, {devices} devices on each of two ranks");
            assert!(record.contains(&format!("on each of 2 ranks{entry}")), "{wanted}: {record}");
        }
    }
}

#[test]
fn an_error_is_reported_once() {
    let folder = folder();
    let wrong = ["run", "box.toml", "--set", "model.homogeneous.vp=-1"];
    let output = craton(2, &wrong, folder.path());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.matches("model.homogeneous.vp").count(), craton_alone(&wrong, folder.path()), "{message}");
}

/// How often a single process names the key.
fn craton_alone(arguments: &[&str], folder: &Path) -> usize {
    let output = craton(1, arguments, folder);
    String::from_utf8_lossy(&output.stderr).matches("model.homogeneous.vp").count()
}

#[test]
fn ranks_with_a_different_scenario_are_reported() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_craton");
    let other = ["-n", "1", program, "run", "box.toml", "--set", "duration=0.1"];
    let arguments = [&["-n", "1", program, "run", "box.toml", ":"][..], &other].concat();
    let output =
        Command::new("mpirun").args(arguments).current_dir(folder.path()).output().expect("mpirun is installed");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{message}");
    assert_eq!(message.matches("differ in scenario").count(), 1, "{message}");
    assert!(message.contains("rank 1"), "{message}");
}

const SURVEY: &str = r#"
duration = 0.3
[domain]
x = [0.0, 800.0]
depth = [0.0, 400.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }, { top = 200.0, vp = 2000.0, rho = 2000.0 }]
[acquisition.fixed]
shot_line = [{ from = [100.0, 0.0, 10.0], to = [700.0, 0.0, 10.0], count = 7 }]
receiver_line = [{ from = [50.0, 0.0, 20.0], to = [750.0, 0.0, 20.0], count = 15 }]
[source]
time_function.ricker = { frequency = 10.0 }
[method.fd]
max_frequency = 25.0
[output]
directory = "results"
sample_interval = 0.004
[compute]
device = "cpu"
"#;

#[test]
fn ranks_share_a_survey() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), SURVEY).unwrap();
    let gathers = |ranks: usize| {
        let name = format!("r{ranks}");
        let here = format!("output.directory={name}");
        let output = craton(ranks, &["survey", "line.toml", "--quiet", "--set", &here], folder.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.path().join(name).join("gathers.segy")).unwrap()
    };
    let alone = gathers(1);
    assert!(gathers(3) == alone, "three ranks must not change the file");
}

#[test]
fn ranks_recompute_failed_shots() {
    let folder = tempfile::tempdir().unwrap();
    let (before, rest) = SURVEY.split_once("[acquisition.fixed]").unwrap();
    let after = &rest[rest.find("[source]").unwrap()..];
    let tables = "[acquisition.tables]\nshots = \"shots.csv\"\nreceivers = \"receivers.csv\"\n";
    fs::write(folder.path().join("line.toml"), format!("{before}{tables}{after}")).unwrap();
    // With the amplitude below, the weight of the second shot exceeds single precision.
    let shots = "shot,x,y,depth,weight\n3,300,0,50,1\n5,500,0,50,1e30\n8,700,0,50,1\n";
    fs::write(folder.path().join("shots.csv"), shots).unwrap();
    fs::write(folder.path().join("receivers.csv"), "channel,x,y,depth\n1,200,0,50\n2,800,0,50\n").unwrap();
    let gathers = |ranks: usize, more: &[&str]| {
        let name = format!("r{ranks}");
        let directory = format!("output.directory={name}");
        let arguments = ["survey", "line.toml", "--set", &directory, "--set", "source.amplitude=1e10"];
        let output = craton(ranks, &[&arguments[..], more].concat(), folder.path());
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success(), "{report}");
        assert_eq!(report.matches("shot 5 failed twice and is left out").count(), 1, "{ranks} ranks: {report}");
        // A progress line of computed shots.
        let computed = report.lines().any(|line| line.starts_with("shots ") && line.ends_with('%'));
        (fs::read(folder.path().join(name).join("gathers.segy")).unwrap(), computed)
    };
    let (alone, _) = gathers(1, &[]);
    assert!(gathers(3, &[]) == (alone.clone(), true), "three ranks must not change the file");
    let again = gathers(3, &[]);
    assert!(again.0 == alone && !again.1, "failed shots must not be retried without the option");
    let again = gathers(3, &["--retry-failed"]);
    assert!(again.0 == alone, "a retry on three ranks must not change the file");
    assert!(again.1, "failed shots must be retried");
}

#[test]
fn an_invalid_survey_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), SURVEY.replace("duration = 0.3", "duration = -1.0")).unwrap();
    let output = craton(3, &["survey", "line.toml"], folder.path());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert_eq!(message.matches("duration = -1.0: is out of range").count(), 1, "{message}");
}

/// A ball below a grid of points, in several pieces.
const GRAVITY: &str = r#"
fields = ["g_d", "g_dd"]
[[body]]
ball = { centre = [0.0, 0.0, -1500.0], radius = 1000.0, cell = 100.0, density = 300.0 }
[points.grid]
x = [-3000.0, 3000.0]
y = [-3000.0, 3000.0]
count = [160, 160]
z = 10.0
[output]
directory = "results"
pictures = false
"#;

#[test]
fn ranks_share_the_points_of_gravity() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.toml"), GRAVITY).unwrap();
    let table = |ranks: usize| {
        let name = format!("r{ranks}");
        let here = format!("output.directory={name}");
        let output = craton(ranks, &["gravity", "ball.toml", "--quiet", "--set", &here], folder.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.path().join(name).join("gravity.csv")).unwrap()
    };
    let alone = table(1);
    assert!(table(3) == alone, "three ranks must not change the table");
}
