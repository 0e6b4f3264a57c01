//! Interrupted and continued series.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_formats::vtk::read_pvd;
use craton_run::OutputDirectory;
use craton_sem::{Boundaries, Boundary, Discretisation, Options, PartSet, Patching, SemOperator};
use craton_sim::Operator as _;

use super::*;
use crate::meshing;
use crate::written::Scenario;

const SCENARIO: &str = r#"
duration = 1.0
[domain]
x = [0.0, 400.0]
y = [0.0, 400.0]
z = [-400.0, 0.0]
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [100.0, 100.0, -100.0]
force = [0.0, 0.0, 1.0]
time_function.ricker = { frequency = 3.0 }
[method.sem]
max_frequency = 8.0
element_size = 200.0
degree = 2
[output]
directory = "results"
[output.snapshots]
surface.every = 0.1
slices = [{ y = 200.0, every = 0.1 }, { y = 200.0, every = 0.2, quantities = ["velocity", "velocity"] }]
"#;

fn setup() -> Setup {
    let scenario = Scenario::parse("box.toml", SCENARIO, PathBuf::new(), &[]).unwrap();
    Setup::new(&scenario).unwrap()
}

fn solver(setup: &Setup) -> RunningSolver<f64> {
    let workers = Arc::new(Workers::new(Some(1)).unwrap());
    let (mesh, _) = meshing::mesh(setup, |_| Ok(())).unwrap();
    let boundaries = Boundaries { sides: [Boundary::Free; 6] };
    let options =
        Options { degree: setup.method.sem().degree, boundaries, isa: Isa::Portable, patching: Patching::Threads };
    let on = Discretisation::<f64>::new(mesh, &setup.model, &options, &workers).unwrap();
    let plan = Arc::clone(on.plan());
    let part = SemOperator::new(on, 0.01, &[], &[], Arc::clone(&workers));
    RunningSolver::Sem(Box::new(PartSet::of_one(plan, part, &[], [0.01, 0.5], workers)))
}

/// The steps of the scenario at 0.01 s, and some beyond its end.
const AXIS: TimeAxis =
    TimeAxis { start: 0.0, lead: 0, end: 1.0, dt: 0.01, steps: 101, guard: 40, corrected: true, fourth_order: false };

fn write((snapshots, films): &mut (Snapshots<f64>, Films), setup: &Setup, solver: &mut RunningSolver<f64>, step: u64) {
    solver.restore_step(step).unwrap();
    for number in 0..snapshots.series().len() {
        if let Some(frame) = snapshots.frame(number, (setup, solver), 0.01 * solver.step() as f64).unwrap() {
            films.write(&frame).unwrap();
        }
    }
}

/// The series of a scenario, and their films in a folder.
fn begun(setup: &Setup, solver: &mut RunningSolver<f64>, folder: &Arc<OutputDirectory>) -> (Snapshots<f64>, Films) {
    let snapshots = Snapshots::new(setup, &AXIS, solver).unwrap();
    let names = snapshots.series().iter().map(|series| (series.name.clone(), series.shown.clone()));
    let films = Films::open(folder, names.collect()).unwrap();
    (snapshots, films)
}

#[test]
fn a_series_continues_where_the_resumed_run_starts() {
    let setup = setup();
    let mut solver = solver(&setup);
    let folder = tempfile::tempdir().unwrap();
    let results = Arc::new(OutputDirectory::create(&folder.path().join("results"), false).unwrap());
    let list = results.path().join("snapshots/surface.pvd");

    let mut first = begun(&setup, &mut solver, &results);
    for step in [10, 20, 30, 40] {
        write(&mut first, &setup, &mut solver, step);
    }
    let before = fs::read_to_string(&list).unwrap();

    // After a checkpoint at step 25, the frame of step 30 is written again.
    let mut second = begun(&setup, &mut solver, &results);
    write(&mut second, &setup, &mut solver, 30);
    let times = |steps: Vec<craton_formats::vtk::TimeStep>| steps.iter().map(|step| step.time).collect::<Vec<_>>();
    let after_one = times(read_pvd(&list).unwrap());
    assert!(after_one.iter().zip([0.095, 0.195, 0.295]).all(|(time, expected)| (time - expected).abs() < 1e-12));
    assert_eq!(after_one.len(), 3);
    write(&mut second, &setup, &mut solver, 40);
    assert_eq!(fs::read_to_string(&list).unwrap(), before);
    let lines = second.1.finish(&setup, solver.workers(), &craton_run::Cancel::new(), |_| false, |_| None).unwrap();
    assert_eq!(lines[0], "snapshots/surface.pvd (4 frames)");
}

#[test]
fn slices_of_one_plane_have_distinct_names_and_frames_end_with_the_simulation() {
    let setup = setup();
    let mut solver = solver(&setup);
    let folder = tempfile::tempdir().unwrap();
    let results = Arc::new(OutputDirectory::create(&folder.path().join("results"), false).unwrap());
    let mut snapshots = begun(&setup, &mut solver, &results);
    assert_eq!(snapshots.0.series().iter().map(|series| series.rhythm.steps).collect::<Vec<_>>(), [10, 10, 20]);
    let names: Vec<&str> = snapshots.0.series().iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["surface", "slice_y_200", "slice_y_200_2"]);
    assert_eq!(snapshots.0.series()[2].shown, [shown::Shown::Velocity]);
    write(&mut snapshots, &setup, &mut solver, 100);
    write(&mut snapshots, &setup, &mut solver, 101);
    assert_eq!(read_pvd(&results.path().join("snapshots/slice_y_200.pvd")).unwrap().len(), 1);
}

#[test]
fn pictures_require_memory_of_each_drawing_thread() {
    let mut setup = setup();
    let solver = solver(&setup);
    let drawing = |setup: &Setup, threads| Needs::of_elements(setup, solver.elements().mesh()).drawing(threads);
    assert_eq!(drawing(&setup, 8), 0);
    setup.output.snapshots.slices[1].snapshot.png = true;
    // A picture is 1080 points wide and about as high, four bytes to a colour and three in the file.
    let [one, nine] = [1, 9].map(|threads| drawing(&setup, threads));
    assert!((8_000_000..20_000_000).contains(&((nine - one) / 8)), "{one} {nine}");
}

#[test]
fn the_estimates_match_the_size_of_frames() {
    let setup = setup();
    let mut solver = solver(&setup);
    let folder = tempfile::tempdir().unwrap();
    let results = Arc::new(OutputDirectory::create(&folder.path().join("results"), false).unwrap());
    let mut snapshots = begun(&setup, &mut solver, &results);
    for step in (10..=100).step_by(10) {
        write(&mut snapshots, &setup, &mut solver, step);
    }
    let files = ["surface", "slice_y_200"].map(|name| results.path().join("snapshots").join(name));
    let sizes = files.map(|folder| {
        let sizes = fs::read_dir(folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        sizes.sum::<u64>()
    });
    // The third series has half the frames of the second.
    let disk = sizes[0] + sizes[1] * 3 / 2;
    let estimate = |setup: &Setup| Needs::of_elements(setup, solver.elements().mesh()).disk(&AXIS);
    let estimated = estimate(&setup);
    assert!(estimated > disk / 3 && estimated < 2 * disk, "{estimated} estimated, {disk} bytes in files");

    // An interval below one step is one step; 0.199 s are 19 whole steps.
    let with_surface = |every: f64| {
        let mut setup = setup.clone();
        setup.output.snapshots.surface.as_mut().unwrap().every = every;
        estimate(&setup)
    };
    let frame = (with_surface(0.01) - with_surface(0.1)) / 90;
    assert_eq!(with_surface(1e-9), with_surface(0.01));
    assert_eq!(with_surface(0.199) + 5 * frame, with_surface(0.1));
}
