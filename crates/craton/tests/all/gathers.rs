//! Files with the seismograms of all receivers.

use std::fs;
use std::path::Path;

use craton::options::RunOptions;
use craton::traces::read_folder;
use craton::{Error, Scenario, Setup, run};
use craton_formats::segy::SegyReader;
use tempfile::TempDir;

const SCENARIO: &str = r#"
duration = 0.4
[domain]
x = [0.0, 800.0]
y = [0.0, 800.0]
z = [-800.0, 0.0]
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [150.0, 150.0, -200.0]
force = [0.0, 0.0, 1.0e9]
time_function.gaussian = { sigma = 0.05, centre = 0.2 }
[receivers]
quantities = ["velocity", "strain"]
[[receivers.line]]
code = "XX.L"
from = [100.0, 200.0, 0.0]
to = [700.0, 650.5, 0.0]
count = 5
[method.sem]
max_frequency = 10.0
[output]
directory = "results"
seismograms = ["text"]
gathers = ["segy", "asdf"]
sample_interval = 0.002
"#;

#[test]
fn gathers_contain_the_seismograms() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("scenario.toml");
    fs::write(&file, SCENARIO).unwrap();
    let results = folder.path().join("out");
    let overrides = vec![format!("output.directory={}", results.display())];
    run(&file, &RunOptions { overrides, ..RunOptions::default() }).unwrap();
    let seismograms = results.join("seismograms");
    let traces = read_folder(&seismograms).unwrap();
    for (name, component, unit) in [("velocity_Z", "Z", 6), ("velocity_X", "X", 6), ("strain_XY", "XY", -1)] {
        let reader = SegyReader::open(&seismograms.join(format!("{name}.sgy"))).unwrap();
        let mut gather = reader.traces;
        assert_eq!((gather.count(), gather.samples_per_trace(), gather.interval()), (5, 201, 0.002), "{name}");
        let quantity = name.split('_').next().unwrap();
        for index in 0..5 {
            let code = format!("XX.L{:04}", index + 1);
            let is_same = |trace: &&craton::traces::Trace| {
                trace.name.station == code
                    && trace.name.component == component
                    && format!("{:?}", trace.name.quantity).to_lowercase().contains(quantity)
            };
            let of_text = traces.iter().find(is_same).unwrap_or_else(|| panic!("{code} {name}"));
            let read = gather.trace(index).unwrap();
            assert_eq!(read.header.measurement_unit, unit);
            let place = read.header.geometry(1.0).unwrap();
            assert_eq!((place.source, place.source_depth), ([150.0, 150.0], 200.0));
            let [x, y, _] = of_text.position.unwrap();
            assert!((place.receiver[0] - x).abs() < 1e-3 && (place.receiver[1] - y).abs() < 1e-3, "{place:?}");
            let peak = of_text.samples.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
            for (in_gather, in_text) in read.samples.iter().zip(&of_text.samples) {
                assert!((f64::from(*in_gather) - in_text).abs() <= 1e-6 * peak, "{name} {code}");
            }
        }
    }
    assert!(fs::read(seismograms.join("seismograms.h5")).unwrap().starts_with(b"\x89HDF\r\n"));
}

#[test]
fn gathers_that_cannot_be_written_are_refused() {
    let refused = |from: &str, to: &str| {
        assert!(SCENARIO.contains(from));
        let scenario = Scenario::parse("it.toml", &SCENARIO.replace(from, to), Path::new(".").to_owned(), &[]);
        match scenario.map_err(Error::from).and_then(|scenario| Setup::new(&scenario)) {
            Err(Error::Scenario(errors)) => errors.lines(),
            other => panic!("{other:?}"),
        }
    };
    let codes = refused("code = \"XX.L\"", "code = \"XX.low\"");
    assert!(codes.contains("output.gathers") && codes.contains("capital letters and digits"), "{codes}");
    let interval = refused("sample_interval = 0.002\n", "");
    assert!(interval.contains("SEG-Y requires `sample_interval`"), "{interval}");
    let fraction = refused("sample_interval = 0.002", "sample_interval = 0.0012345678");
    assert!(fraction.contains("SEG-Y does not support these seismograms"), "{fraction}");
}
