//! The spherical Earth: closed forms, invariance under rotation of the chunk, and refused scenarios.

use std::sync::OnceLock;

use craton::options::RunOptions;
use craton::traces::{Trace, read_folder};
use craton::{Error, Scenario, run};
use craton_formats::vtk::{read_f32, read_pvd};
use craton_model::geodesy::{Latitudes, Sphere};
use craton_testkit::full_space::{FullSpace, Gaussian};

mod components;
mod frames;
mod whole;

/// The traces of a scenario, station by station and component by component.
fn traces(text: &str, changes: &[&str]) -> Vec<Trace> {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("chunk.toml"), folder.path().join("results"));
    std::fs::write(&file, text).unwrap();
    let mut overrides: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    overrides.push(format!("output.directory={}", results.display()));
    let options = RunOptions { overrides, ..RunOptions::default() };
    run(&file, &options).unwrap_or_else(|error| panic!("{error}"));
    read_folder(&results.join("seismograms")).unwrap()
}

fn refused(text: &str, changes: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chunk.toml");
    std::fs::write(&file, text).unwrap();
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let setup = Scenario::read(&file, &changes).and_then(|scenario| craton::Setup::new(&scenario));
    match setup.unwrap_err() {
        Error::Scenario(errors) => errors.lines(),
        other => other.to_string(),
    }
}

/// The trace of one component of a station.
fn samples<'a>(traces: &'a [Trace], station: &str, component: &str) -> &'a Trace {
    let found = traces.iter().find(|trace| trace.name.station == station && trace.name.component == component);
    found.unwrap_or_else(|| panic!("{station} {component}"))
}

/// Relative L2 misfit of the first to the second.
fn misfit(ours: &[f64], theirs: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    norm(&mut ours.iter().zip(theirs).map(|(a, b)| a - b)) / norm(&mut theirs.iter().copied())
}

const HOMOGENEOUS: &str = r#"
duration = 190.0

[domain.chunk]
centre = { longitude = -60.0, latitude = -20.0 }
widths = [24.0, 24.0]
depth = 2000e3
rotation = 30.0
latitudes = "geocentric"

[model.homogeneous]
vp = 8000.0
vs = 4500.0
rho = 3300.0

[[source]]
longitude = -61.0
latitude = -21.0
depth = 1000e3
moment_tensor = { xx = 1.1e20, yy = -0.4e20, zz = -0.5e20, yz = 0.7e20, xz = -0.6e20, xy = 0.9e20 }
time_function.gaussian = { sigma = 14.0, centre = 56.0 }

[receivers]
quantities = ["velocity"]
stations = [
    { code = "XX.E", longitude = -57.5, latitude = -21.0, depth = 900e3 },
    { code = "XX.N", longitude = -61.5, latitude = -18.5, depth = 1100e3 },
    { code = "XX.S", longitude = -62.5, latitude = -23.0, depth = 950e3 },
]

[method.sem]
max_frequency = 0.03
points_per_wavelength = 6.0

[output]
directory = "results"
sample_interval = 1.0
seismograms = ["text"]
"#;

#[test]
fn a_homogeneous_sphere_has_the_waves_of_a_full_space() {
    let traces = traces(HOMOGENEOUS, &[]);
    let chunk = Sphere::chunk(-60.0, -20.0, 30.0, Latitudes::Geocentric).unwrap();
    let at = |longitude: f64, latitude: f64, depth: f64| {
        let [x, y] = chunk.forward(longitude, latitude).unwrap();
        (chunk.to_space([x, y, -depth]), chunk.axes_at([x, y]))
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (source, own) = at(-61.0, -21.0, 1000e3);
    let places = [("XX.E", -57.5, -21.0, 900e3), ("XX.N", -61.5, -18.5, 1100e3), ("XX.S", -62.5, -23.0, 950e3)];
    let rock = FullSpace { vp: 8000.0, vs: 4500.0, rho: 3300.0 };
    for (station, longitude, latitude, depth) in places {
        let (receiver, axes) = at(longitude, latitude, depth);
        let away: [f64; 3] = std::array::from_fn(|i| receiver[i] - source[i]);
        let times: Vec<f64> = (0..=190).map(f64::from).collect();
        let moment = [1.1e20, -0.4e20, -0.5e20, 0.7e20, -0.6e20, 0.9e20];
        let pulse = Gaussian { sigma: 14.0, centre: 56.0 }.pulse();
        // Velocity of a moment that grows as the integral of the pulse; along the axes of the source.
        let exact = rock.of_moment(moment, &pulse, own.map(|axis| dot(axis, away)), &times);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for (axis, component) in axes.into_iter().zip(["E", "N", "Z"]) {
            let in_own: [f64; 3] = own.map(|other| dot(axis, other));
            theirs.extend((0..times.len()).map(|step| (0..3).map(|c| in_own[c] * exact[c][step]).sum::<f64>()));
            ours.extend_from_slice(&samples(&traces, station, component).samples[..times.len()]);
        }
        let misfit = misfit(&ours, &theirs);
        assert!(misfit < 0.01, "{station}: {misfit}");
    }
}

#[test]
fn slices_have_local_east_north_and_up_components() {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("chunk.toml"), folder.path().join("results"));
    std::fs::write(&file, HOMOGENEOUS.replace("sample_interval = 1.0\n", "")).unwrap();
    // A point of the slice with 8 elements of degree 4: a quarter of the way from the centre to the sides.
    let arc = 3f64.to_radians() * 6_371_000.0;
    let overrides = [
        "duration=150".to_owned(),
        "method.sem.elements=[8, 8]".to_owned(),
        "method.sem.doubling=false".to_owned(),
        "method.sem.time_dispersion_correction=false".to_owned(),
        "receivers.quantities=[\"displacement\", \"strain\"]".to_owned(),
        format!("receivers.stations=[{{ code = \"XX.P\", position = [{}, {arc}, -900e3] }}]", -arc),
        "output.snapshots.slices=[{ z = -900e3, every = 40.0, quantities = [\"displacement\", \"strain\"] }]"
            .to_owned(),
        format!("output.directory={}", results.display()),
    ];
    run(&file, &RunOptions { overrides: overrides.into(), ..RunOptions::default() }).unwrap();
    let traces = read_folder(&results).unwrap();
    let frames = read_pvd(&results.join("snapshots/slice_z_-900000.pvd")).unwrap();
    assert_eq!(frames.len(), 3);
    for frame in frames {
        for (field, components) in
            [("displacement [m]", &["E", "N", "Z"][..]), ("strain", &["EE", "NN", "ZZ", "EN", "NZ", "EZ"])]
        {
            let values = read_f32(&results.join("snapshots").join(&frame.file), field).unwrap();
            let side = ((values.len() / components.len()) as f64).sqrt() as usize;
            assert!(side * side * components.len() == values.len() && (side - 1).is_multiple_of(8), "{side}");
            let point = 3 * (side - 1) / 8 + side * (5 * (side - 1) / 8);
            for (component, value) in components.iter().zip(&values[point * components.len()..]) {
                let trace = samples(&traces, "XX.P", component);
                let place = (frame.time - trace.start) / trace.dt;
                let (below, part) = (place as usize, place.fract());
                let expected = (1.0 - part) * trace.samples[below] + part * trace.samples[below + 1];
                let peak = trace.samples.iter().fold(0.0, |peak, sample| f64::max(peak, sample.abs()));
                let error = (f64::from(*value) - expected).abs() / peak;
                assert!(error < 1e-4, "{component} at {} s: {value:e}, {expected:e}, peak {peak:e}", frame.time);
            }
        }
    }
}

/// The Bolivia earthquake of 1994 in the mantle of PREM, at long periods.
const MANTLE: &str = r#"
duration = 420.0

[domain.chunk]
centre = { longitude = -67.25, latitude = -13.82 }
widths = [44.0, 40.0]
depth = 1600e3

[model.earth]
name = "prem"
top = "mantle"

[[source]]
longitude = -66.8
latitude = -13.5
depth = 640e3
moment_tensor = { xx = -0.16e20, yy = 7.75e20, zz = -7.59e20, yz = 25.03e20, xz = 0.42e20, xy = 2.48e20 }
time_function.gaussian = { sigma = 30.0, centre = 100.0 }

[receivers]
quantities = ["displacement"]
stations = [
    { code = "XX.S05", longitude = -67.25, latitude = -18.82, depth = 0.0 },
    { code = "XX.W08", longitude = -75.0, latitude = -12.0, depth = 0.0 },
]

[method.sem]
max_frequency = 0.011
points_per_wavelength = 5.0

[output]
directory = "results"
sample_interval = 2.0
seismograms = ["text"]
"#;

fn all(traces: &[Trace]) -> Vec<f64> {
    traces.iter().flat_map(|trace| trace.samples.iter().copied()).collect()
}

/// All samples of [`MANTLE`], computed once.
fn mantle() -> &'static [f64] {
    static SAMPLES: OnceLock<Vec<f64>> = OnceLock::new();
    SAMPLES.get_or_init(|| all(&traces(MANTLE, &[])))
}

#[test]
fn a_rotated_chunk_has_the_same_traces() {
    let straight = mantle();
    let turned = all(&traces(MANTLE, &["domain.chunk.rotation=-37", "domain.chunk.centre.longitude=-66"]));
    let misfit = misfit(&turned, straight);
    assert!(misfit < 0.01, "{misfit}");
}

#[test]
fn coarsening_with_depth_keeps_the_traces() {
    let deep = "domain.chunk.depth=2700e3";
    let fine = "method.sem.elements=[16, 16]";
    let grown = all(&traces(MANTLE, &[deep, fine]));
    let even = all(&traces(MANTLE, &[deep, fine, "method.sem.doubling=false"]));
    let misfit = misfit(&grown, &even);
    assert!(misfit < 0.01 && misfit > 0.0, "{misfit}");
}

#[test]
fn partitions_into_slices_are_bit_identical() {
    let of = |cut: &[&str]| {
        let changes = ["duration=90", "method.sem.max_frequency=0.015", "compute.device=cpu"];
        all(&traces(MANTLE, &[&changes[..], cut].concat()))
    };
    let whole = of(&[]);
    assert!(whole.iter().any(|sample| *sample != 0.0));
    for devices in ["compute.devices=4", "compute.devices=6"] {
        assert!(of(&["compute.partition=slices", devices]) == whole, "{devices}");
    }
}

#[test]
fn anisotropy_of_the_upper_mantle_changes_traces_by_a_few_percent() {
    let isotropic = mantle();
    let radial = all(&traces(MANTLE, &["model.earth.name=prem_anisotropic"]));
    let misfit = misfit(&radial, isotropic);
    assert!((0.002..0.1).contains(&misfit), "{misfit}");
}

#[test]
fn an_event_from_quakeml_has_the_same_traces_for_both_time_origins() {
    let quake = r#"<?xml version="1.0"?>
<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">
<eventParameters publicID="smi:local/p"><event publicID="smi:local/060994A">
<origin publicID="smi:local/hypo"><time><value>1994-06-09T00:33:16.4Z</value></time><latitude><value>-13.83</value></latitude>
<longitude><value>-67.56</value></longitude><depth><value>637000</value></depth><type>hypocenter</type></origin>
<origin publicID="smi:local/cmt"><time><value>1994-06-09T00:33:45.4Z</value></time><latitude><value>-13.5</value></latitude>
<longitude><value>-66.8</value></longitude><depth><value>640000</value></depth><type>centroid</type></origin>
<preferredOriginID>smi:local/hypo</preferredOriginID>
<focalMechanism publicID="smi:local/fm"><momentTensor publicID="smi:local/mt"><derivedOriginID>smi:local/cmt</derivedOriginID>
<tensor><Mrr><value>-7.59e20</value></Mrr><Mtt><value>7.75e20</value></Mtt><Mpp><value>-0.16e20</value></Mpp>
<Mrt><value>-25.03e20</value></Mrt><Mrp><value>0.42e20</value></Mrp><Mtp><value>-2.48e20</value></Mtp></tensor>
<sourceTimeFunction><type>triangle</type><duration>140</duration></sourceTimeFunction>
</momentTensor></focalMechanism></event></eventParameters></q:quakeml>"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("event.xml");
    std::fs::write(&file, quake).unwrap();
    let begin = MANTLE.find("[[source]]").unwrap();
    let end = MANTLE.find("[receivers]").unwrap();
    let of = |more: &str| {
        let source = format!("[[source]]\nquakeml = '{}'\n{more}\n", file.display());
        let short = ["duration=60", "method.sem.max_frequency=0.005"];
        traces(&format!("{}{source}{}", &MANTLE[..begin], &MANTLE[end..]), &short)
    };
    let centroid = of("");
    let origin = of("zero = \"origin\"");
    let (a, b) = (samples(&centroid, "XX.S05", "Z"), samples(&origin, "XX.S05", "Z"));
    // The pulse begins two half durations before the centroid, which is 29 s after the origin.
    assert!((a.start + 140.0).abs() < 1e-9 && (b.start + 111.0).abs() < 1e-9, "{} {}", a.start, b.start);
    let equal = misfit(&b.samples[..60], &a.samples[..60]);
    assert!(equal < 1e-4, "{equal}");
}

#[test]
fn absorbing_sides_of_a_chunk_absorb_waves() {
    // The last wave from the source has passed all stations by 220 s; reflections from the sides arrive later.
    let late = |sides: &str| {
        let sides = format!("boundaries.sides={sides}");
        let changes = ["duration=450", "boundaries.top=absorbing", "method.sem.points_per_wavelength=4", &sides];
        let traces = traces(HOMOGENEOUS, &changes);
        let largest = |samples: &[f64]| samples.iter().fold(0.0f64, |largest, sample| largest.max(sample.abs()));
        ["XX.E", "XX.N", "XX.S"].map(|station| {
            let of = |from: usize| {
                let components = ["E", "N", "Z"].map(|name| largest(&samples(&traces, station, name).samples[from..]));
                largest(&components)
            };
            of(220) / of(0)
        })
    };
    let (absorbed, reflected) = (late("absorbing"), late("free"));
    assert!(absorbed.iter().all(|part| *part < 0.02), "{absorbed:?}");
    assert!(reflected.iter().all(|part| *part > 0.03), "{reflected:?}");
}

#[test]
fn positions_outside_a_chunk_are_refused_with_its_limits() {
    let errors = refused(MANTLE, &["receivers.stations[0].latitude=-40"]);
    assert!(errors.contains("receiver XX.S05, at longitude -67.25, latitude -40"), "{errors}");
    let allowed = "-20 to 20 degrees from the centre along y (y from -2223898.53289 to 2223898.53289 m)";
    assert!(errors.contains(allowed), "{errors}");
    let errors = refused(MANTLE, &["source[0].depth=1700e3"]);
    assert!(
        errors.contains("source 1, at longitude -66.8, latitude -13.5, depth 1700000 m") && errors.contains("1600000"),
        "{errors}"
    );
    let errors = refused(MANTLE, &["domain.x=[0, 1]"]);
    assert!(errors.contains("domain.x: conflicts with `chunk`"), "{errors}");
    let errors = refused(MANTLE, &["boundaries.sides=periodic"]);
    assert!(errors.contains("the sides of a chunk cannot be periodic"), "{errors}");
    let errors = refused(MANTLE, &["source[0].longitude=100"]);
    assert!(errors.contains("distance from the centre of the chunk"), "{errors}");
    let errors = refused(&MANTLE.replace("[method.sem]", "[method.fd]"), &[]);
    assert!(errors.contains("is not supported by method.fd"), "{errors}");
}
