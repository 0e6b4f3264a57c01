//! Elastic surveys: against acoustic surveys, scenarios and a closed form, on all devices, and interrupted.

mod planes;
mod refused;

use craton::traces::read_folder;
use craton::{Cancel, Inputs, Survey};
use craton_acquisition::Quantity;

use super::*;

/// Water in a box with a free surface, between grid points.
const WATER: &str = r#"
duration = 0.25
[domain]
x = [0.0, 600.0]
y = [0.0, 500.0]
depth = [0.0, 400.0]
[model.layered]
layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }]
[[acquisition.fixed.shot_line]]
from = [203.0, 204.0, 101.0]
to = [402.0, 305.0, 121.0]
count = 2
[[acquisition.fixed.receiver_line]]
from = [103.0, 66.0, 304.0]
to = [508.0, 444.0, 243.0]
count = 4
[receivers]
quantities = ["pressure", "velocity_z", "velocity_x", "velocity_y"]
[boundaries]
absorbing = { cells = 10 }
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

/// Compares an elastic survey in water with the acoustic one.
fn assert_equal_to_acoustic(changes: &[&str], most: f64) {
    let folder = written(WATER);
    let expected = gathers(folder.path(), &options(folder.path(), changes));
    let found = gathers(folder.path(), &options(folder.path(), &[changes, &[ELASTIC]].concat()));
    let misfits = misfits(&found, &expected);
    assert!(misfits.iter().all(|&misfit| misfit > 0.0 && misfit < most), "{changes:?}: relative L2 {misfits:?}");
}

#[test]
fn in_a_fluid_elastic_gathers_of_monopoles_equal_acoustic_ones() {
    assert_equal_to_acoustic(&["source.kind='monopole'"], 1e-3);
}

#[test]
fn in_a_fluid_elastic_gathers_of_forces_equal_acoustic_ones() {
    assert_equal_to_acoustic(&["source.kind='force_z'"], 1e-3);
}

/// Sources and receivers are on grid points of pressure, where nothing is interpolated.
#[test]
fn in_a_fluid_elastic_gathers_on_grid_points_equal_acoustic_ones() {
    let on_points = "acquisition={ fixed = { shot_line = [{ from = [205.0, 205.0, 105.0], to = [405.0, 305.0, 125.0], count = 2 }], \
                     receiver_line = [{ from = [105.0, 65.0, 305.0], to = [505.0, 445.0, 245.0], count = 2 }] } }";
    assert_equal_to_acoustic(&["boundaries.top='absorbing'", on_points, "source.kind='monopole'"], 3e-4);
}

/// The first shot of the sea as a scenario, with a force.
const SCENARIO: &str = r#"
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

/// The seismograms of the scenario in the order of [`NAMES`], with changes.
fn seismograms(folder: &Path, changes: &[&str]) -> [Vec<Vec<f64>>; 4] {
    std::fs::write(folder.join("scenario.toml"), SCENARIO).expect("written");
    let results = folder.join("scenario");
    let directory = [format!("output.directory='{}'", results.display()), "compute.device='cpu'".to_owned()];
    let overrides = changes.iter().map(|&change| change.to_owned()).chain(directory).collect();
    let options = RunOptions { overrides, overwrite: true, threads: Some(1), ..RunOptions::default() };
    craton::run(&folder.join("scenario.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
    let all = read_folder(&results).expect("seismograms");
    let of_station = |station: usize, quantity: Quantity, component: Option<&str>| {
        let station = format!("XX.R{station}");
        let mut own = all.iter().filter(|trace| {
            let name = &trace.name;
            name.station == station
                && name.quantity == Some(quantity)
                && component.is_none_or(|component| name.component == component)
        });
        let (found, other) = (own.next(), own.next());
        assert!(other.is_none(), "several traces of {station}, {quantity:?} {component:?}");
        found.unwrap_or_else(|| panic!("{station}, {quantity:?} {component:?}")).samples.clone()
    };
    let velocity = |component| (Quantity::Velocity, Some(component));
    [(Quantity::Pressure, None), velocity("Z"), velocity("X"), velocity("Y")]
        .map(|(quantity, component)| (1..=3).map(|station| of_station(station, quantity, component)).collect())
}

#[test]
fn gathers_equal_seismograms_of_a_scenario() {
    let folder = written(SEA);
    let lossy = [
        "model.layered.layers[1].qp=40",
        "model.layered.layers[1].qs=30",
        "model.layered.layers[2].qp=60",
        "model.layered.layers[2].qs=45",
        "attenuation.reference_frequency=10",
    ];
    for losses in [&[][..], &lossy] {
        // A scenario computes the part of the pulse before time 0, which a survey cuts off.
        let late = ["source.time_function.ricker.centre=0.14", "duration=0.28", "method.fd.time_step=1.6e-3"];
        let force = ["source.kind='force_z'", "source.amplitude=-2e6", "acquisition.fixed.shot_line[0].count=1"];
        let found = gathers(folder.path(), &options(folder.path(), &[&late[..], &force, losses].concat()));
        let expected = seismograms(folder.path(), losses);
        for ((found, expected), name) in found.iter().zip(&expected).zip(NAMES) {
            let misfit = misfit(found, expected);
            assert!(misfit < 1e-5, "{name} {losses:?}: relative L2 {misfit}");
        }
    }
}

/// The window of an aperture has the cells of a box of its size.
#[test]
fn a_window_equals_a_box_of_its_size() {
    let folder = written(SEA);
    let common = ["method.fd.time_step=1.6e-3", "duration=0.15", "acquisition.fixed.shot_line[0].count=1"];
    let run = |changes: &[&str]| gathers(folder.path(), &options(folder.path(), &[&common, changes].concat()));
    let found = run(&["method.fd.aperture=60"]);
    let expected = run(&["domain.x=[40.0, 450.0]", "domain.y=[40.0, 370.0]"]);
    let misfits = misfits(&found, &expected);
    assert!(misfits.iter().all(|&misfit| misfit < 1e-5), "relative L2 {misfits:?}");
    // The sides of the window are nearer than those of the whole box, but absorb.
    let misfits = self::misfits(&found, &run(&[]));
    assert!(misfits.iter().all(|&misfit| misfit > 0.0 && misfit < 0.05), "relative L2 {misfits:?}");
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
    for (found, whole) in found.iter().zip(&whole) {
        assert_eq!(found.len(), whole.len());
        assert!(found.iter().zip(whole).all(|(found, whole)| found.samples == whole.samples));
    }
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
    assert_eq!(all.len(), expected.len());
    for (found, expected) in all.into_iter().zip(&expected) {
        assert_eq!(found.len(), expected[3..].len());
        assert!(found.iter().zip(&expected[3..]).all(|(found, expected)| *found == expected.samples));
    }
}
