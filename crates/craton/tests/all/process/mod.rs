//! Processing of seismogram files: headers, names, times and errors.

use std::fs;
use std::path::{Path, PathBuf};

use craton::Error;
use craton::config::SeismogramFormat;
use craton::process;
use craton::process::{Band, Operation, ProcessingPlan, Pulse};
use craton::traces::{self, Situation, Trace, TraceName, Way};
use craton_acquisition::Quantity;
use craton_formats::DateTime;
use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_formats::text_trace;
use craton_numerics::filter::Butterworth;

mod maps;
mod miniseed;
mod selection;

const DT: f64 = 0.01;
const LOW_PASS: Operation = Operation::Filter { band: Band::LowPass { corner: 2.0 }, poles: 4, causal: false };

/// Zero until 5 s, a rise until 6 s, and a static offset.
fn step(height: f64) -> Vec<f64> {
    (0..1501).map(|n| height * (f64::from(n) * DT - 5.0).clamp(0.0, 1.0)).collect()
}

fn trace(component: &str, quantity: Quantity, samples: Vec<f64>) -> Trace {
    let name = TraceName { station: "XX.S1".to_owned(), quantity: Some(quantity), component: component.to_owned() };
    let way = Way { distance: 5000.0, azimuth: 210.0, back_azimuth: 30.0, arc: None };
    let situation = Situation { way: Some(way), event_time: Some(0.25), ..Situation::default() };
    let position = Some([3000.0, 4000.0, 0.0]);
    Trace { name, start: -0.5, dt: DT, samples, position, offset: Some(5000.0), situation }
}

fn write(folder: &Path, format: SeismogramFormat, traces: &[Trace]) {
    fs::create_dir_all(folder).expect("a folder");
    for trace in traces {
        traces::write(folder, std::slice::from_ref(trace), format).expect("written");
    }
}

fn plan(operations: &[Operation]) -> ProcessingPlan {
    ProcessingPlan { operations: operations.to_vec(), ..ProcessingPlan::default() }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// An input folder and an output folder, neither of which exists yet.
fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    (folder, from, to)
}

fn full_header(samples: Vec<f32>) -> SacTrace {
    SacTrace {
        location: "00".to_owned(),
        unit: "m".to_owned(),
        quantity: SacQuantity::Displacement,
        origin: Some(0.125),
        pick: Some((29.0, "centroid".to_owned())),
        reference: Some(DateTime { year: 2011, month: 3, day: 11, hour: 5, minute: 46, second: 23.5 }),
        station_latitude: Some(34.5),
        station_longitude: Some(-106.25),
        station_elevation: Some(1820.0),
        station_depth: Some(100.0),
        event_latitude: Some(38.25),
        event_longitude: Some(142.5),
        event_depth_km: Some(19.5),
        event_name: "201103110546A".to_owned(),
        distance_km: Some(9250.0),
        event_azimuth: Some(52.5),
        back_azimuth: Some(312.5),
        arc: Some(83.25),
        azimuth: Some(0.0),
        inclination: Some(90.0),
        user: std::array::from_fn(|n| Some(n as f64)),
        ..SacTrace::new(["IU", "ANMO", "BHN"], -1.5, 0.05, samples)
    }
}

#[test]
fn headers_are_kept_and_samples_are_filtered() {
    let (_folder, from, to) = folders();
    fs::create_dir_all(&from).expect("a folder");
    let samples: Vec<f32> = (0..400).map(|n| (n as f32 * 0.3).sin()).collect();
    let before = full_header(samples.clone());
    sac::write(&from.join("IU.ANMO.00.BHN.sac"), &before).expect("written");
    let done = process(&[from], &to, &plan(&[LOW_PASS])).expect("processed");
    assert_eq!((done.files, done.rows.len()), (1, 2));
    let after = sac::read(&to.join("IU.ANMO.00.BHN.sac")).expect("readable");
    let filter = Butterworth::new(Band::LowPass { corner: 2.0 }, 4, 0.05).expect("a filter");
    let exact: Vec<f64> = samples.iter().map(|&sample| sample.into()).collect();
    let exact: Vec<f32> =
        filter.zero_phase_held(&exact).expect("filtered").iter().map(|&sample| sample as f32).collect();
    assert_eq!(after, SacTrace { samples: exact, ..before });
}

#[test]
fn a_step_response_is_convolved_and_keeps_its_static_offset() {
    let (_folder, from, to) = folders();
    write(&from, SeismogramFormat::Sac, &[trace("Z", Quantity::Displacement, step(2.0))]);
    let gaussian = Operation::Convolve(Pulse::Gaussian { half_duration: 0.5 });
    process(&[from], &to, &plan(&[gaussian, LOW_PASS, Operation::Decimate(5)])).expect("processed");
    let after = sac::read(&to.join("XX.S1.displacement.Z.sac")).expect("readable");
    assert_eq!((after.begin, after.delta, after.samples.len()), (-0.5, 0.05, 301));
    assert_eq!((after.origin, after.back_azimuth, after.unit.as_str()), (Some(0.25), Some(30.0), "m"));
    let error: f64 = after.samples[200..].iter().map(|&sample| (f64::from(sample) - 2.0).abs()).fold(0.0, f64::max);
    assert!(error < 2e-6, "{error:e}");
    assert!(after.samples[..40].iter().all(|sample| sample.abs() < 2e-6));
    // There is no delay: the middle of the rise stays at 5.5 s after the first sample.
    assert!((f64::from(after.samples[110]) - 1.0).abs() < 1e-6, "{}", after.samples[110]);
}

#[test]
fn integration_and_differentiation_change_quantity_and_unit_and_are_inverse() {
    let (folder, from, to) = folders();
    let back = folder.path().join("back");
    let pulse: Vec<f64> = (0..1001).map(|n| 3.0 * (-(f64::from(n) * DT - 5.0).powi(2) / 0.5).exp()).collect();
    write(&from, SeismogramFormat::Sac, &[trace("Z", Quantity::Velocity, pulse.clone())]);
    write(&from, SeismogramFormat::Text, &[trace("Z", Quantity::Velocity, pulse.clone())]);
    process(&[from], &to, &plan(&[Operation::Integrate])).expect("processed");
    assert_eq!(names(&to), ["XX.S1.displacement.Z.sac", "XX.S1.displacement.Z.txt"]);
    let sac = sac::read(&to.join("XX.S1.displacement.Z.sac")).expect("readable");
    assert_eq!((sac.quantity, sac.unit.as_str(), sac.begin), (SacQuantity::Displacement, "m", -0.5));
    let area = 3.0 * (0.5 * std::f64::consts::PI).sqrt();
    assert!((f64::from(sac.samples[1000]) / area - 1.0).abs() < 1e-6, "{}", sac.samples[1000]);
    process(&[to], &back, &plan(&[Operation::Differentiate])).expect("processed");
    let text = text_trace::read(&back.join("XX.S1.velocity.Z.txt")).expect("readable");
    assert_eq!((text.value("quantity"), text.value("unit")), (Some("velocity"), Some("m/s")));
    assert_eq!((text.value("position"), text.value("offset")), (Some("3000 4000 0"), Some("5000")));
    let error = text.samples.iter().zip(&pulse).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 3e-6, "{error:e}");
}

#[test]
fn a_rotation_agrees_with_a_hand_calculation() {
    let (folder, from, to) = folders();
    let both = [
        trace("E", Quantity::Velocity, vec![3.0, 0.0, 1.0]),
        trace("N", Quantity::Velocity, vec![2.0, 1.0, 0.0]),
        trace("Z", Quantity::Velocity, vec![7.0, 8.0, 9.0]),
    ];
    write(&from, SeismogramFormat::Sac, &both);
    process(std::slice::from_ref(&from), &to, &plan(&[Operation::Rotate { event: None }])).expect("rotated");
    assert_eq!(names(&to), ["XX.S1.velocity.R.sac", "XX.S1.velocity.T.sac", "XX.S1.velocity.Z.sac"]);
    let read = |name: &str| sac::read(&to.join(name)).expect("readable");
    let (radial, transverse) = (read("XX.S1.velocity.R.sac"), read("XX.S1.velocity.T.sac"));
    // Back-azimuth 30 degrees: R = -N √3/2 - E/2, T = N/2 - E √3/2.
    let expected = [[-3.232_050_8, -0.866_025_4, -0.5], [-1.598_076_2, 0.5, -0.866_025_4]];
    for (trace, expected) in [&radial, &transverse].into_iter().zip(expected) {
        for (sample, exact) in trace.samples.iter().zip(expected) {
            assert!((f64::from(*sample) - exact).abs() < 1e-6, "{sample} {exact}");
        }
    }
    assert_eq!((radial.azimuth, transverse.azimuth, radial.inclination), (Some(210.0), Some(300.0), Some(90.0)));
    assert_eq!((radial.component.as_str(), transverse.component.as_str()), ("HXR", "HXT"));
    assert_eq!(read("XX.S1.velocity.Z.sac"), sac::read(&from.join("XX.S1.velocity.Z.sac")).expect("readable"));

    // An event in the model: motion away from it is purely radial. Text files have no back-azimuth, but a position.
    let (text, rotated) = (folder.path().join("text"), folder.path().join("turned"));
    let [mut x, mut y] = ["X", "Y"].map(|component| trace(component, Quantity::Displacement, vec![0.0, 3.0]));
    y.samples = vec![0.0, 4.0];
    x.name.station = "XX.S2".to_owned();
    y.name.station = "XX.S2".to_owned();
    write(&text, SeismogramFormat::Text, &[x, y]);
    process(&[text], &rotated, &plan(&[Operation::Rotate { event: Some([0.0, 0.0]) }])).expect("rotated");
    let read = |name: &str| text_trace::read(&rotated.join(name)).expect("readable").samples;
    assert!((read("XX.S2.displacement.R.txt")[1] - 5.0).abs() < 1e-8);
    assert!(read("XX.S2.displacement.T.txt")[1].abs() < 1e-8);
}

#[test]
fn operations_are_applied_in_order_and_listed_in_the_table() {
    let (_folder, from, to) = folders();
    write(&from, SeismogramFormat::Text, &[trace("Z", Quantity::Velocity, step(1.0))]);
    let operations = [
        Operation::Shift(0.5),
        Operation::Cut { from: 1.0, to: 11.0 },
        Operation::Decimate(4),
        Operation::Scale(-3.0),
        Operation::Resample(0.025),
    ];
    let done = process(&[from], &to, &plan(&operations)).expect("processed");
    let after = text_trace::read(&to.join("XX.S1.velocity.Z.txt")).expect("readable");
    assert_eq!((after.start_time, after.dt, after.samples.len()), (1.0, 0.025, 401));
    assert!((after.samples[400] + 3.0).abs() < 1e-9);
    let table = done.to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "operation            interval [s]  samples");
    assert_eq!(lines[1], "read                         0.01     1501");
    assert_eq!(lines[4], "decimate by 4                0.04      251");
    assert_eq!(lines[6], "resample to 0.025 s         0.025      401");
    assert!(lines[8].starts_with("1 file written to "), "{table}");
}

#[test]
fn files_keep_their_format_or_are_converted_to_one() {
    let (folder, from, to) = folders();
    let results = from.join("seismograms");
    let traces = [trace("X", Quantity::Velocity, step(1.0)), trace("Z", Quantity::Velocity, step(2.0))];
    for form in [SeismogramFormat::Sac, SeismogramFormat::Text, SeismogramFormat::Specfem] {
        write(&results, form, &traces);
    }
    process(std::slice::from_ref(&from), &to, &plan(&[LOW_PASS])).expect("processed");
    assert_eq!(names(&to), names(&results));
    let one = folder.path().join("one");
    let format = Some(SeismogramFormat::Sac);
    let done = process(&[from], &one, &ProcessingPlan { operations: Vec::new(), format, overwrite: false })
        .expect("converted");
    assert_eq!(
        (names(&one), done.files),
        (vec!["XX.S1.velocity.X.sac".to_owned(), "XX.S1.velocity.Z.sac".to_owned()], 2)
    );
    assert_eq!(fs::read(one.join("XX.S1.velocity.X.sac")).ok(), fs::read(results.join("XX.S1.velocity.X.sac")).ok());
}

/// The error message of a refused plan, which writes nothing.
fn refusal(from: &Path, plan: &ProcessingPlan) -> String {
    let to = from.with_file_name("refused");
    let error = process(&[from.to_owned()], &to, plan).expect_err("refused");
    assert!(error.is_bad_input(), "{error}");
    assert!(!to.exists(), "{error}");
    assert!(miette::Diagnostic::help(&error).is_some() || matches!(error, Error::Format(_)), "{error}");
    error.to_string()
}

#[test]
fn nothing_is_written_if_a_plan_is_refused() {
    let (_folder, from, _) = folders();
    let horizontal = ["X", "Y"].map(|component| trace(component, Quantity::Displacement, step(1.0)));
    write(&from, SeismogramFormat::Sac, &horizontal);
    let band = |band| Operation::Filter { band, poles: 4, causal: true };
    for (operation, parts) in [
        (
            band(Band::LowPass { corner: 50.0 }),
            ["X.sac: --lowpass (low-pass 50 Hz", "below the Nyquist frequency 50 Hz"],
        ),
        (band(Band::HighPass { corner: 1e-4 }), ["--highpass", "must lie between 0.001 and 50"]),
        (band(Band::BandPass { low: 2.0, high: 1.0 }), ["--bandpass", "lower corner 2 Hz must lie below"]),
        (Operation::Filter { band: Band::LowPass { corner: 1.0 }, poles: 17, causal: true }, ["17 poles", "1 and 16"]),
        (Operation::Decimate(1), ["--decimate (decimate by 1)", "must lie between 2 and 1500"]),
        (Operation::Resample(1e-6), ["--resample", "must lie between 0.00001 and 15"]),
        (Operation::Taper(0.6), ["--taper", "must lie between 0 and 0.5"]),
        (Operation::Convolve(Pulse::Triangle { half_duration: 16.0 }), ["--convolve-triangle", "between 0 and 15"]),
        (Operation::Cut { from: 20.0, to: 30.0 }, ["--cut (cut 20 to 30 s)", "covers -0.5 to 14.5 s"]),
        (Operation::Cut { from: 3.0, to: 2.0 }, ["--cut (cut 3 to 2 s)", "the earlier first"]),
        (Operation::Shift(f64::NAN), ["--shift", "a finite time"]),
        (Operation::Scale(0.0), ["--scale", "other than 0"]),
        (Operation::Integrate, ["--integrate: the result of this operation on displacement", "has no name"]),
        (Operation::Rotate { event: Some([3000.0, 4000.0]) }, ["--event-position", "is at the event, x = 3000"]),
    ] {
        let message = refusal(&from, &plan(&[operation]));
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    assert!(
        refusal(&from, &ProcessingPlan::default()).contains("nothing to do: no operation and no --format is given")
    );
    // After the decimation, the Nyquist frequency is lower.
    let message = refusal(&from, &plan(&[Operation::Decimate(4), band(Band::LowPass { corner: 20.0 })]));
    assert!(message.contains("Nyquist frequency 12.5 Hz"), "{message}");
}

#[test]
fn components_that_cannot_be_rotated_are_refused() {
    let (_folder, from, _) = folders();
    let rotate = plan(&[Operation::Rotate { event: None }]);
    let [x, mut y] = ["X", "Y"].map(|component| trace(component, Quantity::Displacement, step(1.0)));
    write(&from, SeismogramFormat::Sac, std::slice::from_ref(&x));
    assert!(refusal(&from, &rotate).contains("X.sac: --rotate: the component N or Y of this seismogram is missing"));
    y.samples.pop();
    write(&from, SeismogramFormat::Sac, std::slice::from_ref(&y));
    let message = refusal(&from, &rotate);
    assert!(message.contains("Y.sac has 1500 samples") && message.contains("X.sac has 1501"), "{message}");
    y.samples.push(0.0);
    y.situation = Situation::default();
    write(&from, SeismogramFormat::Sac, std::slice::from_ref(&y));
    assert!(refusal(&from, &rotate).contains("Y.sac: --rotate: the file has no back-azimuth"));
    for file in names(&from) {
        fs::remove_file(from.join(file)).expect("removed");
    }
    write(&from, SeismogramFormat::Sac, &[trace("P", Quantity::Pressure, step(1.0))]);
    assert!(refusal(&from, &rotate).contains("--rotate: no seismogram has a horizontal component"));
}

#[test]
fn outputs_that_would_overwrite_files_are_refused() {
    let (folder, from, to) = folders();
    let low_pass = plan(&[LOW_PASS]);
    let refused = |inputs: &[PathBuf], to: &Path, plan: &ProcessingPlan| {
        let error = process(inputs, to, plan).expect_err("refused");
        assert!(error.is_bad_input(), "{error}");
        error.to_string()
    };
    assert!(refused(&[], &to, &low_pass).contains("no seismogram is given"));
    assert!(refused(std::slice::from_ref(&from), &to, &low_pass).contains("cannot read "));
    fs::create_dir_all(&from).expect("a folder");
    assert!(refused(std::slice::from_ref(&from), &to, &low_pass).contains("it has no seismograms"));
    write(&from.join("seismograms"), SeismogramFormat::Sac, &[trace("Z", Quantity::Velocity, step(1.0))]);
    let file = from.join("seismograms/XX.S1.velocity.Z.sac");
    for overwrite in [false, true] {
        let plan = ProcessingPlan { overwrite, ..low_pass.clone() };
        for (input, output) in [(&from, &from), (&from, &from.join("seismograms")), (&file, &from.join("seismograms"))]
        {
            let message = refused(std::slice::from_ref(input), output, &plan);
            assert!(message.contains(" is also the input folder"), "{message}");
        }
        assert!(refused(std::slice::from_ref(&file), &from, &plan).contains("contains a folder seismograms"));
    }
    process(std::slice::from_ref(&file), &to, &low_pass).expect("processed");
    let first = fs::read(to.join("XX.S1.velocity.Z.sac")).expect("a file");
    assert!(refused(std::slice::from_ref(&file), &to, &low_pass).contains("pass `--overwrite`"));
    let scaled = ProcessingPlan { overwrite: true, ..plan(&[Operation::Scale(2.0)]) };
    process(std::slice::from_ref(&file), &to, &scaled).expect("replaced");
    assert_ne!(fs::read(to.join("XX.S1.velocity.Z.sac")).expect("a file"), first);
    // The same trace twice would give one file.
    let copy = folder.path().join("XX.S1.velocity.Z.sac");
    fs::copy(&file, &copy).expect("a copy");
    let other = folder.path().join("other");
    assert!(
        refused(&[file.clone(), copy.clone()], &other, &low_pass)
            .contains("would both be written as XX.S1.velocity.Z.sac")
    );
    // A damaged file is reported before any other file is processed.
    fs::write(&copy, b"not SAC").expect("written");
    let message = refused(&[file, copy], &other, &low_pass);
    assert!(message.contains("XX.S1.velocity.Z.sac: ") && !other.exists(), "{message}");
}

#[test]
fn text_files_contain_the_back_azimuth() {
    let (_folder, from, to) = folders();
    let mut both =
        [("E", vec![3.0, 0.0]), ("N", vec![2.0, 1.0])].map(|(c, samples)| trace(c, Quantity::Velocity, samples));
    write(&from, SeismogramFormat::Text, &both);
    process(std::slice::from_ref(&from), &to, &plan(&[Operation::Rotate { event: None }])).expect("rotated");
    let radial = text_trace::read(&to.join("XX.S1.velocity.R.txt")).expect("readable");
    assert!((radial.samples[0] + 3.232_050_807_6).abs() < 1e-8, "{:?}", radial.samples);
    let value = |key: &str| radial.value(key).expect("a header").parse::<f64>().expect("a number");
    assert_eq!(
        (value("azimuth"), value("back_azimuth"), value("radial_azimuth"), value("offset")),
        (210.0, 30.0, 210.0, 5000.0)
    );
    // A conversion to SAC keeps all of these values.
    let sacs = to.with_file_name("sacs");
    let format = Some(SeismogramFormat::Sac);
    process(&[to], &sacs, &ProcessingPlan { format, ..ProcessingPlan::default() }).expect("converted");
    let transverse = sac::read(&sacs.join("XX.S1.velocity.T.sac")).expect("readable");
    assert_eq!(
        (transverse.azimuth, transverse.back_azimuth, transverse.distance_km),
        (Some(300.0), Some(30.0), Some(5.0))
    );
    // Positions in a plane do not apply to a chunk of the Earth.
    both[0].situation.on_sphere = true;
    both[1].situation.on_sphere = true;
    write(&from, SeismogramFormat::Text, &both);
    let message = refusal(&from, &plan(&[Operation::Rotate { event: Some([0.0, 0.0]) }]));
    assert!(
        message.contains(": --event-position: positions in metres do not give a direction in a chunk of the Earth"),
        "{message}"
    );
}
