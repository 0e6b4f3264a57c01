//! Results in memory equal those in the results folder, and are bit-identical with and without interruptions.

use craton_run::{Cancel, RunStatus};

use super::*;
use crate::config::VolumeAxis;
use crate::gravity::{Gravity, GravityFile};
use crate::inputs::{Given, Inputs};
use crate::options::RunOptions;
use crate::survey::{Gather, Survey, SurveyFile};
use crate::traces::read_folder;

const SCENARIO: &str = r#"
duration = 0.1
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
time_function.gaussian = { sigma = 0.02, centre = 0.04 }
[receivers]
quantities = ["velocity", "pressure"]
stations = [{ code = "XX.IN", position = [20.0, 75.0, -225.0] }, { code = "XX.TOP", position = [0.0, 130.0, 0.0] }]
[method.sem]
max_frequency = 8.0
element_size = 200.0
doubling = false
[output]
directory = "results"
seismograms = ["text"]
[output.snapshots]
surface = { every = 0.05 }
slices = [{ x = 10.0, every = 0.05, quantities = ["velocity", "pressure"] }]
"#;

fn scenario() -> Scenario {
    Scenario::from_toml(SCENARIO, ".", Inputs::new()).unwrap()
}

fn completed(simulation: &mut Simulation) -> Memory {
    let mut memory = Memory::new();
    assert_eq!(simulation.run(&mut memory).unwrap(), RunStatus::Complete);
    memory
}

#[test]
fn memory_and_results_folder_have_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("box.toml"), folder.path().join("results"));
    std::fs::write(&file, SCENARIO).unwrap();
    let overrides = vec![format!("output.directory={}", results.display())];
    crate::run(&file, &RunOptions { overrides, ..RunOptions::default() }).unwrap();
    let memory = completed(&mut Simulation::new(scenario()).unwrap());
    let mut read = read_folder(&results).unwrap();
    read.sort_by(|a, b| a.name.cmp(&b.name));
    let mut own: Vec<&Trace> = memory.traces.iter().collect();
    own.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(read.len(), 2 * (3 + 1));
    for (read, own) in read.iter().zip(own) {
        assert_eq!((&read.name, read.samples.len()), (&own.name, own.samples.len()));
        let peak = own.samples.iter().fold(0.0_f64, |peak, sample| peak.max(sample.abs()));
        assert!(read.samples.iter().zip(&own.samples).all(|(a, b)| (a - b).abs() <= 1e-9 * peak), "{}", own.name);
    }
    let frames: Vec<(&str, usize)> =
        memory.snapshots.iter().map(|frame| (&*frame.series, frame.at_points.len())).collect();
    assert_eq!(frames, [("surface", 1), ("slice_x_10", 2), ("surface", 1), ("slice_x_10", 2)]);
    let [surface, slice] = &memory.snapshots[..2] else { panic!("frames") };
    assert_eq!(3 * surface.points.len(), surface.at_points[0].values().len());
    assert_eq!(slice.shape.map(|[nx, ny, nz]| nx * ny * nz), Some(slice.at_points[1].values().len()));
}

#[test]
fn explicit_steps_checkpoints_and_interruptions_give_bit_identical_traces() {
    let expected = completed(&mut Simulation::new(scenario()).unwrap()).traces;
    let mut simulation = Simulation::new(scenario()).unwrap();
    assert_eq!(simulation.receivers().collect::<Vec<_>>(), ["XX.IN", "XX.TOP"]);
    let start = simulation.time();
    assert_eq!((simulation.step(), simulation.advance(5).unwrap()), (0, 5));
    assert!((simulation.time() - start - 5.0 * simulation.time_step()).abs() < 1e-12);
    assert!(matches!(simulation.traces(), Err(Error::NotAtEnd { step: 5, .. })));
    let checkpoint = simulation.checkpoint().unwrap();
    simulation.advance(u64::MAX / 2).unwrap();
    assert_eq!(simulation.step(), simulation.steps());
    assert_eq!(simulation.traces().unwrap(), expected);

    let mut other = Simulation::new(scenario()).unwrap();
    other.restore(&checkpoint).unwrap();
    assert_eq!(other.step(), 5);
    assert_eq!(completed(&mut other).traces, expected);

    // Two stages poll the flag before the time loop.
    let cancel = Some(Cancel::at_poll(3));
    let mut stopped = Simulation::with(scenario(), &Computing { cancel, ..Computing::default() }).unwrap();
    let mut memory = Memory::new();
    assert_eq!(stopped.run(&mut memory).unwrap(), RunStatus::Interrupted);
    assert!(memory.traces.is_empty());
    let mut resumed = Simulation::new(scenario()).unwrap();
    resumed.restore(&memory.checkpoint.expect("an interruption saves a checkpoint")).unwrap();
    assert_eq!(completed(&mut resumed).traces, expected);
}

#[test]
fn a_checkpoint_of_another_simulation_is_rejected() {
    let checkpoint = Simulation::new(scenario()).unwrap().checkpoint().unwrap();
    let double = SCENARIO.replace("doubling = false", "doubling = false\nprecision = \"double\"");
    // The same arrays, but of another medium.
    let faster = SCENARIO.replace("vp = 3500.0", "vp = 3400.0");
    for text in [double, faster] {
        let mut other = Simulation::new(Scenario::from_toml(&text, ".", Inputs::new()).unwrap()).unwrap();
        other.advance(3).unwrap();
        assert!(matches!(other.restore(&checkpoint), Err(Error::OtherCheckpoint { .. })));
        assert_eq!(other.step(), 3);
    }
}

#[test]
fn a_used_simulation_can_be_restored() {
    let mut simulation = Simulation::new(scenario()).unwrap();
    simulation.advance(5).unwrap();
    let checkpoint = simulation.checkpoint().unwrap();
    simulation.advance(7).unwrap();
    simulation.restore(&checkpoint).unwrap();
    assert_eq!((simulation.step(), checkpoint.step()), (5, 5));
    let restored = completed(&mut simulation).traces;
    assert_eq!(restored, completed(&mut Simulation::new(scenario()).unwrap()).traces);
}

#[test]
fn a_run_with_data_of_the_program_is_resumed_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let stations = [("XX.IN".to_owned(), [20.0, 75.0, -225.0])];
    let with_stations = |z: f64| {
        let stations = stations.iter().map(|(code, [x, y, _])| (code.clone(), [*x, *y, z])).collect();
        let start = SCENARIO.find("stations = [").unwrap();
        let end = start + SCENARIO[start..].find('\n').unwrap();
        let text = format!("{}stations_file = \"array\"{}", &SCENARIO[..start], &SCENARIO[end..]);
        Scenario::from_toml(&text, folder.path(), Inputs::new().with("array", Given::Receivers(stations))).unwrap()
    };
    let expected = completed(&mut Simulation::new(with_stations(-225.0)).unwrap()).traces;
    let computing = Computing { cancel: Some(Cancel::at_poll(3)), ..Computing::default() };
    let prepared = Prepared::new(with_stations(-225.0), &computing).unwrap();
    let results = folder.path().join("out");
    let mut output = ResultsFolder::create(&prepared, &results, false).unwrap();
    let mut simulation = prepared.start().unwrap().unwrap();
    assert_eq!(simulation.run(&mut output).unwrap(), RunStatus::Interrupted);
    drop(output);
    let refused = Prepared::resumed(with_stations(-200.0), &Computing::default(), &results);
    assert!(matches!(refused, Err(Error::ChangedFile { .. })));
    let prepared = Prepared::resumed(with_stations(-225.0), &Computing::default(), &results).unwrap();
    let mut output = ResultsFolder::resume(&prepared, &results).unwrap();
    let mut simulation = prepared.start().unwrap().unwrap();
    output.restore(&mut simulation, &mut ()).unwrap();
    assert!(simulation.step() > 0);
    assert_eq!(simulation.run(&mut output).unwrap(), RunStatus::Complete);
    assert_eq!(simulation.traces().unwrap(), expected);
}

#[test]
fn axes_of_given_volumes_must_span_a_grid() {
    let axis = |kind| (kind, 0.0, 100.0, 2);
    for kinds in
        [&[VolumeAxis::X][..], &[VolumeAxis::X, VolumeAxis::Y, VolumeAxis::Y], &[VolumeAxis::Depth, VolumeAxis::Z]]
    {
        let axes: Vec<_> = kinds.iter().map(|&kind| axis(kind)).collect();
        assert!(matches!(Given::volume(&axes, vec![2000.0; 1 << axes.len()]), Err(Error::Axes { .. })));
    }
}

#[test]
fn spacings_must_match_the_axes_of_a_volume() {
    let axes =
        [(VolumeAxis::Depth, 0.0, 300.0, 3), (VolumeAxis::X, -400.0, 400.0, 3), (VolumeAxis::Y, -400.0, 400.0, 3)];
    let text = SCENARIO
        .replace("[model.homogeneous]\nvp = 3500.0\nvs = 2000.0\nrho = 2500.0\n", "")
        .replace("[domain]\n", "[model.volume]\nvp = { file = \"vp\", spacing = [10.0, 10.0] }\nvs = { file = \"vp\", factor = 0.5 }\n[domain]\n");
    let inputs = Inputs::new().with("vp", Given::volume(&axes, vec![3000.0; 27]).unwrap());
    let Err(Error::Scenario(errors)) = Setup::new(&Scenario::from_toml(&text, ".", inputs).unwrap()) else {
        panic!("two spacings for three axes")
    };
    assert!(errors.lines().contains("model.volume.vp.spacing"), "{}", errors.lines());
}

#[test]
fn scenarios_from_code_and_from_text_are_equal() {
    let text = scenario();
    let code = Scenario::from_config(&text.config, ".", Inputs::new()).unwrap();
    assert_eq!(code.config, text.config);
    let mut wrong = text.config.clone();
    wrong.duration = -1.0;
    let error = Scenario::from_config(&wrong, ".", Inputs::new()).unwrap_err();
    assert!(error.lines().contains("duration"), "{}", error.lines());
}

#[test]
fn provided_volumes_and_surfaces_equal_those_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let speeds: Vec<f32> = (0..5 * 3 * 4).map(|point| 2000.0 + 10.0 * (point % 5) as f32 + point as f32).collect();
    let bytes = |factor: f32| speeds.iter().flat_map(|speed| (factor * speed).to_le_bytes()).collect::<Vec<u8>>();
    std::fs::write(folder.path().join("vp"), bytes(1.0)).unwrap();
    std::fs::write(folder.path().join("vs"), bytes(0.5)).unwrap();
    let top = "ncols 3\nnrows 2\nxllcenter -500\nyllcenter -500\ncellsize 500\n-20 -30 -40\n-10 -20 -30\n";
    std::fs::write(folder.path().join("top"), top.replace("nrows 2", "nrows 3") + "-5 -6 -7\n").unwrap();
    let model = |keys: &str| {
        let volume = |name: &str| format!("model.volume.{name} = {{ file = \"{name}\"{keys} }}\n");
        let text =
            SCENARIO.replace("[model.homogeneous]\nvp = 3500.0\nvs = 2000.0\nrho = 2500.0\n", "topography = \"top\"\n");
        let text = text.replace("[receivers]\n", "[receivers]\nsnap_to_surface = true\n");
        format!("{}{}{text}", volume("vp"), volume("vs"))
    };
    let raw = model(
        ", axes = [\"depth\", \"x\", \"y\"], shape = [5, 3, 4], spacing = [200.0, 500.0, 500.0], origin = [0.0, -500.0, -700.0]",
    );
    let of_files = Setup::new(&Scenario::from_toml(&raw, folder.path(), Inputs::new()).unwrap()).unwrap();
    let axes =
        [(VolumeAxis::Depth, 0.0, 200.0, 5), (VolumeAxis::X, -500.0, 500.0, 3), (VolumeAxis::Y, -700.0, 500.0, 4)];
    let volume = |factor: f32| Given::volume(&axes, speeds.iter().map(|speed| factor * speed).collect()).unwrap();
    let places = vec![-500.0, 0.0, 500.0];
    let heights = vec![-5.0, -6.0, -7.0, -10.0, -20.0, -30.0, -20.0, -30.0, -40.0];
    let inputs = Inputs::new().with("vp", volume(1.0)).with("vs", volume(0.5));
    let inputs = inputs.with("top", Given::surface(places.clone(), places, heights));
    let given = Setup::new(&Scenario::from_toml(&model(""), "nowhere", inputs.clone()).unwrap()).unwrap();
    assert_eq!(given.model, of_files.model);
    assert_eq!(given.files.keys().collect::<Vec<_>>(), ["top", "vp", "vs"]);
    // The error about data of the wrong kind names the key.
    let wrong = inputs.with("top", volume(1.0));
    let Err(Error::Scenario(errors)) = Setup::new(&Scenario::from_toml(&model(""), "nowhere", wrong).unwrap()) else {
        panic!("a volume is not a surface")
    };
    let lines = errors.lines();
    assert!(lines.contains("domain.topography") && lines.contains("a volume"), "{lines}");
}

#[test]
fn gathers_can_be_computed_one_by_one_and_surveys_and_gravity_cancelled() {
    let survey = r#"
duration = 0.2
domain = { x = [0.0, 400.0], depth = [0.0, 300.0] }
model.layered.layers = [{ vp = 1500.0 }]
acquisition.marine = { first_shot = [150.0, 0.0], shots = 3, shot_interval = 50.0, source_depth = 20.0, streamer_length = 50.0, group_interval = 25.0, near_offset = 25.0, streamer_depth = 20.0 }
source.time_function.ricker.frequency = 8.0
method.fd.max_frequency = 20.0
output = { directory = "unused", sample_interval = 0.004 }
"#;
    let read = || SurveyFile::from_toml(survey, ".", Inputs::new()).unwrap();
    let all = Survey::new(read()).unwrap();
    let mut gathers: Vec<Gather> = Vec::new();
    assert_eq!(all.run(&mut gathers).unwrap(), RunStatus::Complete);
    assert_eq!(gathers.iter().map(|gather| gather.shot).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(all.gather(1).unwrap(), gathers[1]);
    assert!(
        gathers[0].traces.iter().all(|trace| trace.len() == all.samples() && trace.iter().any(|value| *value != 0.0))
    );
    let raised = Cancel::new();
    raised.cancel();
    let computing = Computing { cancel: Some(raised), ..Computing::default() };
    let stopped = Survey::with(read(), &computing).unwrap();
    assert!(stopped.gather(0).unwrap_err().is_stop());
    let problem = "body = [{ block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, -1.0], density = 300.0 } }]\n\
                   points.list.rows = [[4.0, 4.0, 1.0]]\nfields = [\"g_d\"]\noutput.directory = \"unused\"\n";
    let problem = || GravityFile::from_toml(problem, ".", Inputs::new()).unwrap();
    assert!(Gravity::new(problem()).unwrap().compute().unwrap()[0].values[0] > 0.0);
    assert!(Gravity::with(problem(), &computing).unwrap().compute().unwrap_err().is_stop());
}
