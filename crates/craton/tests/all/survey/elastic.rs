//! Elastic surveys: against acoustic surveys, scenarios and a closed form, on all devices, and interrupted.

mod planes;
mod refused;

use craton::traces::read_folder;
use craton::{Cancel, Inputs, Survey};

use super::*;

/// Water in a box with a free surface, between grid points.
const WATER: &str = r#"
duration = 0.22
[domain]
x = [0.0, 600.0]
y = [0.0, 500.0]
depth = [0.0, 400.0]
[model.layered]
layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }]
[[acquisition.fixed.shot_line]]
from = [203.0, 204.0, 101.0]
to = [203.0, 204.0, 101.0]
count = 1
[[acquisition.fixed.receiver_line]]
from = [103.0, 66.0, 304.0]
to = [508.0, 444.0, 243.0]
count = 4
[receivers]
quantities = ["pressure", "velocity_z", "velocity_x", "velocity_y"]
[boundaries]
absorbing = { cells = 8 }
[source]
time_function.ricker = { frequency = 12.0, centre = 0.1 }
[method.fd]
max_frequency = 30.0
order = 8
grid_spacing = 10.0
[output]
directory = "results"
sample_interval = 0.002
"#;

/// Sea over two layers of rock, with nodes on the sea bottom at a depth of 100 m.
const SEA: &str = r#"
duration = 0.2
[domain]
x = [0.0, 480.0]
y = [0.0, 400.0]
depth = [0.0, 320.0]
[model.layered]
layers = [
    { vp = 1500.0, vs = 0.0, rho = 1000.0 },
    { top = 100.0, vp = 2000.0, vs = 900.0, rho = 1900.0 },
    { top = 203.0, vp = 2600.0, vs = 1400.0, rho = 2200.0 },
]
[[acquisition.fixed.shot_line]]
from = [203.0, 204.0, 41.0]
to = [302.0, 205.0, 41.0]
count = 2
[[acquisition.fixed.receiver_line]]
from = [103.0, 106.0, 100.0]
to = [388.0, 304.0, 100.0]
count = 3
[receivers]
quantities = ["pressure", "velocity_z", "velocity_x", "velocity_y"]
[boundaries]
absorbing = { cells = 8 }
[source]
time_function.ricker = { frequency = 12.0, centre = 0.08 }
[method.fd]
equation = "elastic"
max_frequency = 25.0
order = 4
grid_spacing = 10.0
[output]
directory = "results"
sample_interval = 0.002
"#;

const ELASTIC: &str = "method.fd.equation='elastic'";
const NAMES: [&str; 4] = ["pressure", "velocity_z", "velocity_x", "velocity_y"];

fn written(survey: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), survey).expect("written");
    folder
}

/// The gathers of each quantity, in the order of [`NAMES`].
fn gathers(folder: &Path, options: &RunOptions) -> [Vec<Trace>; 4] {
    surveyed(folder, options);
    NAMES.map(|name| traces(&folder.join("results/gathers").join(format!("{name}.segy"))))
}

fn misfits(found: &[Vec<Trace>; 4], expected: &[Vec<Trace>; 4]) -> [f64; 4] {
    [0, 1, 2, 3].map(|quantity| misfit(&found[quantity], &samples(&expected[quantity])))
}

#[test]
fn in_a_fluid_elastic_gathers_equal_acoustic_ones() {
    let folder = written(WATER);
    // The last receivers and sources are on grid points of pressure, where nothing is interpolated.
    let on_points = "acquisition={ fixed = { shot_line = [{ from = [205.0, 205.0, 105.0], to = [205.0, 205.0, 105.0], count = 1 }], \
                     receiver_line = [{ from = [105.0, 65.0, 305.0], to = [505.0, 445.0, 245.0], count = 2 }] } }";
    for (changes, kind, most) in [
        (&[][..], "monopole", 1e-3),
        (&[], "force_z", 1e-3),
        (&["boundaries.top='absorbing'", on_points], "monopole", 3e-4),
    ] {
        let changes =
            [changes, &[if kind == "monopole" { "source.kind='monopole'" } else { "source.kind='force_z'" }]].concat();
        let expected = gathers(folder.path(), &options(folder.path(), &changes));
        let found = gathers(folder.path(), &options(folder.path(), &[&changes[..], &[ELASTIC]].concat()));
        let misfits = misfits(&found, &expected);
        assert!(misfits.iter().all(|&misfit| misfit > 0.0 && misfit < most), "{changes:?}: relative L2 {misfits:?}");
    }
}

#[test]
fn gathers_equal_seismograms_of_a_scenario() {
    let folder = written(SEA);
    // A scenario computes the part of the pulse before time 0, which a survey cuts off.
    let late = ["source.time_function.ricker.centre=0.14", "duration=0.28"];
    let changes = ["method.fd.time_step=1.6e-3", "source.kind='force_z'", "source.amplitude=-2e6", late[0], late[1]];
    let found = gathers(folder.path(), &options(folder.path(), &changes));
    let scenario = r#"
duration = 0.28
[domain]
x = [0.0, 480.0]
y = [0.0, 400.0]
z = [-320.0, 0.0]
[model.layered]
layers = [
    { vp = 1500.0, vs = 0.0, rho = 1000.0 },
    { top = -100.0, vp = 2000.0, vs = 900.0, rho = 1900.0 },
    { top = -203.0, vp = 2600.0, vs = 1400.0, rho = 2200.0 },
]
[[source]]
position = [203.0, 204.0, -41.0]
force = [0.0, 0.0, -2e6]
time_function.ricker = { frequency = 12.0, centre = 0.14 }
[receivers]
quantities = ["velocity", "pressure"]
stations = [
    { code = "XX.R1", position = [103.0, 106.0, -100.0] },
    { code = "XX.R2", position = [245.5, 205.0, -100.0] },
    { code = "XX.R3", position = [388.0, 304.0, -100.0] },
]
[method.fd]
max_frequency = 25.0
order = 4
grid_spacing = 10.0
time_step = 1.6e-3
absorbing.cpml = { cells = 8 }
[output]
directory = "results"
sample_interval = 0.002
seismograms = ["text"]
"#;
    std::fs::write(folder.path().join("scenario.toml"), scenario).expect("written");
    let results = folder.path().join("scenario");
    let overrides = vec![format!("output.directory='{}'", results.display()), "compute.device='cpu'".to_owned()];
    let options = RunOptions { overrides, threads: Some(1), ..RunOptions::default() };
    craton::run(&folder.path().join("scenario.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
    let seismograms = read_folder(&results).expect("seismograms");
    let mut worst = 0.0_f64;
    for (quantity, words) in ["pressure", "velocity.Z", "velocity.X", "velocity.Y"].into_iter().enumerate() {
        let [name, component] = [words.split('.').next(), words.split('.').nth(1)].map(Option::unwrap_or_default);
        let of_station = |station: usize| {
            let own = seismograms.iter().find(|trace| {
                let full = trace.name.to_string();
                full.contains(&format!("R{station}")) && full.contains(name) && full.contains(component)
            });
            own.unwrap_or_else(|| {
                panic!("{words}: {:?}", seismograms.iter().map(|trace| trace.name.to_string()).collect::<Vec<_>>())
            })
        };
        let expected: Vec<Vec<f64>> = (1..=3).map(|station| of_station(station).samples.clone()).collect();
        let found = &found[quantity][..3];
        let misfit = misfit(found, &expected);
        worst = worst.max(misfit);
    }
    assert!(worst < 1e-5, "relative L2 {worst}");
}

#[test]
fn forces_and_velocities_are_reciprocal() {
    let land = SEA.replace("{ vp = 1500.0, vs = 0.0, rho = 1000.0 }", "{ vp = 1700.0, vs = 700.0, rho = 1800.0 }");
    let folder =
        written(&land.replace("quantities = [\"pressure\", \"velocity_z\", \"velocity_x\", \"velocity_y\"]", ""));
    let [a, b] = ["[153.0, 206.0, 0.0]", "[347.0, 264.0, 0.0]"];
    let recorded = |kind: &str, from: &str, quantity: &str, at: &str| {
        let acquisition = format!(
            "acquisition={{ fixed = {{ shot_line = [{{ from = {from}, to = {from}, count = 1 }}], \
             receiver_line = [{{ from = {at}, to = {at}, count = 1 }}] }} }}"
        );
        let (kind, quantity) = (format!("source.kind='{kind}'"), format!("receivers.quantities=['{quantity}']"));
        computed(folder.path(), &[&acquisition, &kind, &quantity, "method.fd.max_frequency=20"])
    };
    for (kinds, quantities) in
        [(["force_z", "force_x"], ["velocity_x", "velocity_z"]), (["force_z"; 2], ["velocity_z"; 2])]
    {
        let found = recorded(kinds[0], a, quantities[0], b);
        let expected = samples(&recorded(kinds[1], b, quantities[1], a));
        let misfit = misfit(&found, &expected);
        assert!(misfit < 1e-5, "{kinds:?}: relative L2 {misfit}");
    }
}

#[test]
fn an_interrupted_survey_continues_with_the_same_gathers() {
    let folder = written(&SEA.replace("count = 2", "count = 3"));
    let whole = gathers(folder.path(), &options(folder.path(), &[]));
    let results = folder.path().join("results");
    std::fs::remove_dir_all(&results).expect("results");
    let resumed = |cancel: Option<Cancel>| {
        let options = RunOptions { overwrite: false, cancel, ..options(folder.path(), &[]) };
        survey(&folder.path().join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"))
    };
    let stopped = resumed(Some(Cancel::at_poll(5)));
    assert_eq!(stopped.status, RunStatus::Interrupted);
    assert!(results.join("gathers.partial").is_dir());
    assert_eq!(resumed(None).status, RunStatus::Complete);
    let found = NAMES.map(|name| traces(&results.join("gathers").join(format!("{name}.segy"))));
    assert!(found.iter().flatten().zip(whole.iter().flatten()).all(|(found, whole)| found.samples == whole.samples));
}

#[test]
fn a_gpu_matches_the_cpu() {
    let folder = written(SEA);
    // Attenuation, windows, and arrays with delays.
    let lossy = [
        "model.layered.layers[1].qp=40",
        "model.layered.layers[1].qs=30",
        "attenuation.reference_frequency=10",
        "method.fd.aperture=60",
        "method.fd.max_frequency=20",
        "duration=0.08",
        "boundaries.absorbing.cells=4",
        "source.array=[{ at = [0.0, 0.0, 0.0] }, { at = [12.0, 5.0, 0.0], weight = -0.5, delay = 0.01 }]",
    ];
    for changes in [&["duration=0.06", "boundaries.absorbing.cells=4"][..], &lossy] {
        let options = options(folder.path(), changes);
        let Some(on_gpu) = on_gpu(options.clone()) else { return };
        let found = gathers(folder.path(), &on_gpu);
        let misfits = misfits(&found, &gathers(folder.path(), &options));
        assert!(misfits.iter().all(|&misfit| misfit < 1e-5), "{changes:?}: relative L2 {misfits:?}");
    }
}

#[test]
fn gathers_in_memory_equal_those_of_the_file() {
    let folder = written(SEA);
    let expected = gathers(folder.path(), &options(folder.path(), &["duration=0.1"]));
    let text = format!("{SEA}\n[compute]\ndevice = \"cpu\"\nthreads = 1\n").replace("duration = 0.2", "duration = 0.1");
    let file = craton::survey::SurveyFile::from_toml(&text, ".", Inputs::new()).expect("a survey");
    let survey = Survey::new(file).expect("a survey");
    let gather = survey.gather(1).expect("a gather");
    let all: Vec<_> = std::iter::once(&gather.traces).chain(gather.others.iter().map(|(_, traces)| traces)).collect();
    for (found, expected) in all.into_iter().zip(&expected) {
        assert!(found.iter().zip(&expected[3..]).all(|(found, expected)| *found == expected.samples));
    }
}
