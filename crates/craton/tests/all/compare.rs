//! Comparison of seismograms: known misfits in every file format.

use std::path::Path;

use craton::config::SeismogramFormat;
use craton::options::{CompareOptions, PlotKind, PlotOptions};
use craton::process::{Band, Operation, ProcessingPlan};
use craton::traces::{self, Situation, Trace, TraceName};
use craton::{compare, plot, process};
use craton_acquisition::Quantity;
use craton_formats::{DateTime, miniseed};

/// A pulse of a given height, delayed by `shift` [s].
fn pulse(component: &str, dt: f64, height: f64, shift: f64) -> Trace {
    let samples = (0..(8.0 / dt) as usize).map(|index| {
        let t = (index as f64 * dt - 3.0 - shift) / 0.3;
        height * t * (-t * t).exp()
    });
    let name =
        TraceName { station: "XX.S1".to_owned(), quantity: Some(Quantity::Velocity), component: component.to_owned() };
    Trace {
        name,
        start: 0.0,
        dt,
        samples: samples.collect(),
        position: Some([3.0, 4.0, 0.0]),
        offset: Some(5.0),
        situation: Situation::default(),
    }
}

fn write(folder: &Path, format: SeismogramFormat, traces: &[Trace]) {
    std::fs::create_dir_all(folder).expect("a folder");
    traces::write(folder, traces, format).expect("written");
}

#[test]
fn every_format_reads_back_what_was_written() {
    for (format, tolerance) in [
        (SeismogramFormat::Sac, 1e-7),
        (SeismogramFormat::Text, 1e-9),
        (SeismogramFormat::Specfem, 1e-9),
        (SeismogramFormat::Miniseed, 1e-7),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = pulse("X", 0.01, 2.0, 0.0);
        write(folder.path(), format, std::slice::from_ref(&trace));
        let read = traces::read_folder(folder.path()).expect("readable");
        assert_eq!(read[0].name, trace.name);
        assert_eq!((read[0].start, read[0].samples.len()), (0.0, trace.samples.len()));
        assert!((read[0].dt - 0.01).abs() < 1e-9);
        let difference = |(a, b): (&f64, &f64)| (a - b).abs();
        assert!(read[0].samples.iter().zip(&trace.samples).map(difference).fold(0.0, f64::max) < tolerance);
        if !matches!(format, SeismogramFormat::Specfem | SeismogramFormat::Miniseed) {
            assert_eq!((read[0].position, read[0].offset), (trace.position, trace.offset));
        }
    }
}

#[test]
fn misfits_match_those_of_the_pulses() {
    let folder = tempfile::tempdir().expect("a folder");
    let (test, reference) = (folder.path().join("a/seismograms"), folder.path().join("b"));
    // Another step and format; 2 % too large in X, 0.05 s late in Y, zero in Z.
    write(
        &test,
        SeismogramFormat::Sac,
        &[pulse("X", 0.013, 1.02, 0.0), pulse("Y", 0.013, 1.0, 0.05), pulse("Z", 0.013, 0.0, 0.0)],
    );
    write(
        &reference,
        SeismogramFormat::Text,
        &[pulse("X", 0.01, 1.0, 0.0), pulse("Y", 0.01, 1.0, 0.0), pulse("Z", 0.01, 0.0, 0.0)],
    );
    let options =
        CompareOptions { limit: Some(0.05), picture: Some(folder.path().join("overlay.png")), ..Default::default() };
    let comparison = compare(&folder.path().join("a"), &reference, &options).expect("comparable");
    let misfits: Vec<_> = comparison.traces.iter().map(|trace| trace.misfit).collect();
    let [Some(x), Some(y), None] = misfits[..] else { panic!("{misfits:?}") };
    assert!((x.relative_l2 - 0.02).abs() < 1e-5, "{x:?}");
    assert!((x.amplitude_ratio - 1.02).abs() < 1e-5 && x.time_shift.abs() < 1e-4, "{x:?}");
    assert!((y.time_shift - 0.05).abs() < 1e-3, "{y:?}");
    // All components: the root mean square of both.
    let combined = ((x.relative_l2.powi(2) + y.relative_l2.powi(2)) / 2.0).sqrt();
    assert_eq!(comparison.stations.len(), 1);
    assert!((comparison.stations[0].relative_l2 - combined).abs() < 1e-9);
    assert!(!comparison.is_good());
    assert!(comparison.table().contains("ABOVE LIMIT"), "{}", comparison.table());
    assert!(std::fs::metadata(folder.path().join("overlay.png")).expect("a picture").len() > 1000);
}

#[test]
fn a_residual_is_amplified_in_the_picture_and_its_rms_is_relative_to_the_peak() {
    let folder = tempfile::tempdir().expect("a folder");
    let (test, reference) = (folder.path().join("a"), folder.path().join("b"));
    let peak = (-0.5_f64).exp() / 2.0_f64.sqrt();
    write(&test, SeismogramFormat::Text, &[pulse("X", 0.01, 1.0 + 1e-4, 0.0)]);
    write(&reference, SeismogramFormat::Text, &[pulse("X", 0.01, 1.0, 0.0)]);
    let drawn = |amplify| {
        let picture = folder.path().join("overlay.png");
        let options = CompareOptions { picture: Some(picture.clone()), amplify, ..Default::default() };
        let comparison = compare(&test, &reference, &options).expect("comparable");
        (comparison, std::fs::read(picture).expect("a picture"))
    };
    let (comparison, thousandfold) = drawn(Some(1000.0));
    let misfit = comparison.traces[0].misfit.expect("a misfit");
    // Root mean square of 1e-4 t exp(-t²) over 800 samples at steps of 1/30; the integral of t² exp(-2 t²) is √(π/2) / 4.
    let rms = 1e-4 * ((std::f64::consts::PI / 2.0).sqrt() / 4.0 * 30.0 / 800.0).sqrt();
    // Text has nine digits, the difference five.
    assert!((misfit.normalised_rms / (rms / peak) - 1.0).abs() < 1e-3, "{misfit:?}");
    assert!(comparison.table().contains("RMS / peak"), "{}", comparison.table());
    let (_, twofold) = drawn(Some(2.0));
    assert!(thousandfold != twofold && twofold != drawn(None).1);
}

#[test]
fn each_quantity_has_its_own_overlay() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut displacement = pulse("X", 0.01, 1.0, 0.0);
    displacement.name.quantity = Some(Quantity::Displacement);
    write(folder.path(), SeismogramFormat::Sac, &[pulse("X", 0.01, 1.0, 0.0), displacement]);
    let options = CompareOptions { picture: Some(folder.path().join("overlay.png")), ..Default::default() };
    compare(folder.path(), folder.path(), &options).expect("comparable");
    for name in ["overlay_velocity.png", "overlay_displacement.png"] {
        assert!(std::fs::metadata(folder.path().join(name)).expect("a picture").len() > 1000);
    }
    assert!(!folder.path().join("overlay.png").exists());
}

#[test]
fn two_files_with_any_names_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), SeismogramFormat::Text, &[pulse("X", 0.01, 1.0, 0.0)]);
    let file = folder.path().join("XX.S1.velocity.X.txt");
    let other = folder.path().join("other.dat");
    std::fs::copy(&file, &other).expect("a copy");
    let options =
        CompareOptions { lowpass: Some(2.0), window: Some([1.0, 6.0]), limit: Some(0.0), ..Default::default() };
    let comparison = compare(&other, &file, &options).expect("comparable");
    assert_eq!(comparison.stations[0].relative_l2, 0.0);
    assert!(comparison.is_good());
}

#[test]
fn a_low_pass_equals_that_of_processing() {
    // A step response, and the same one with a longer quiet start.
    let folder = tempfile::tempdir().expect("a folder");
    let rise = |index: i32| f64::from(index.clamp(0, 100)) * 0.052;
    let trace = |from: i32, count: i32| Trace {
        start: f64::from(from),
        dt: 1.0,
        samples: (from..from + count).map(rise).collect(),
        ..pulse("X", 0.01, 1.0, 0.0)
    };
    let [(a, short), (b, long)] = [("a", trace(-2, 1503)), ("b", trace(-400, 1901))];
    let [a, b] = [a, b].map(|name| folder.path().join(name));
    write(&a, SeismogramFormat::Text, &[short]);
    write(&b, SeismogramFormat::Text, &[long]);
    let options = CompareOptions { lowpass: Some(0.004), ..Default::default() };
    let filtered = compare(&a, &b, &options).expect("comparable").stations[0].relative_l2;
    let plan = ProcessingPlan {
        operations: vec![Operation::Filter { band: Band::LowPass { corner: 0.004 }, poles: 4, causal: false }],
        ..ProcessingPlan::default()
    };
    let [x, y] = ["x", "y"].map(|name| folder.path().join(name));
    process(&[a], &x, &plan).expect("filtered");
    process(&[b], &y, &plan).expect("filtered");
    let first = compare(&x, &y, &CompareOptions::default()).expect("comparable").stations[0].relative_l2;
    assert!(filtered < 1e-6 && (filtered - first).abs() < 1e-7, "{filtered:e} {first:e}");
}

#[test]
fn the_missing_side_is_named_and_a_file_is_compared_with_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), SeismogramFormat::Text, &[pulse("X", 0.01, 1.0, 0.0)]);
    let (file, missing) = (folder.path().join("XX.S1.velocity.X.txt"), folder.path().join("missing.txt"));
    for sides in [[&file, &missing], [&missing, &file]] {
        let said = compare(sides[0], sides[1], &CompareOptions::default()).expect_err("a missing file").to_string();
        assert!(said.contains("cannot read") && said.contains("missing.txt"), "{said}");
    }
    let comparison = compare(&file, folder.path(), &CompareOptions::default()).expect("comparable");
    assert_eq!((comparison.stations[0].relative_l2, comparison.unpaired.len()), (0.0, 0));
}

#[test]
fn files_of_a_folder_that_are_no_traces_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("OUTPUT_FILES"));
    write(&ours, SeismogramFormat::Sac, &[pulse("X", 0.01, 1.0, 0.0)]);
    std::fs::write(ours.join("notes.txt"), "# a note\nof 1 March\n").expect("written");
    write(&theirs, SeismogramFormat::Specfem, &[pulse("X", 0.01, 1.0, 0.0)]);
    // A report, and a time function that looks like a trace.
    std::fs::write(theirs.join("output_list_stations.txt"), "total number of stations: 1\nS1 XX 0 0\n")
        .expect("written");
    std::fs::write(theirs.join("plot_source_time_function.txt"), "0 1\n0.1 2\n0.2 3\n").expect("written");
    let comparison = compare(&ours, &theirs, &CompareOptions::default()).expect("comparable");
    assert_eq!((comparison.traces.len(), comparison.unpaired.len()), (1, 0));
    // A damaged trace is an error, not left out.
    std::fs::write(ours.join("XX.S1.velocity.Y.txt"), "no trace\n").expect("written");
    assert!(compare(&ours, &theirs, &CompareOptions::default()).is_err());
}

/// Time 0 of an event, with microseconds.
const EVENT: DateTime = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.666667 };

fn dated(component: &str, start: f64) -> Trace {
    let situation = Situation { zero: Some(EVENT), ..Situation::default() };
    Trace { start, situation, ..pulse(component, 0.05, 2.0, 0.0) }
}

#[test]
fn a_station_has_one_miniseed_file_with_dates_and_channels() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut others = [dated("Z", -1.5), dated("N", -1.5)];
    for trace in &mut others {
        trace.name.station = "XX.S2.10".to_owned();
        trace.name.quantity = Some(Quantity::Pressure);
    }
    let mut strain = dated("XY", -1.5);
    strain.name.quantity = Some(Quantity::Strain);
    let all = [&[dated("E", -1.5), dated("Z", -1.5), strain][..], &others].concat();
    let files = traces::write(folder.path(), &all, SeismogramFormat::Miniseed).expect("written");
    assert_eq!(files, ["XX.S1.velocity.mseed", "XX.S2.10.pressure.mseed"].map(|name| folder.path().join(name)));
    let read = miniseed::read(&files[0]).expect("miniSEED");
    assert_eq!([read[0].id(), read[1].id()], ["XX.S1..BXE", "XX.S1..BXZ"]);
    assert_eq!(read[0].start, DateTime { second: 10.166667, ..EVENT });
    assert_eq!(miniseed::read(&files[1]).expect("miniSEED")[0].id(), "XX.S2.10.BXZ");
    let undated = Trace { situation: Situation::default(), ..dated("Z", -1.5) };
    let files = traces::write(folder.path(), &[undated], SeismogramFormat::Miniseed).expect("written");
    let start = miniseed::read(&files[0]).expect("miniSEED")[0].start;
    assert_eq!((start.year, start.month, start.day, start.second), (1969, 12, 31, 58.5));
    assert_eq!(traces::read_file(&files[0]).expect("miniSEED")[0].start, -1.5);
}

#[test]
fn miniseed_is_compared_at_calendar_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let (early, late) = (folder.path().join("early"), folder.path().join("late"));
    let shifted = Trace { start: -0.5, ..dated("Z", 0.0) };
    let shifted = Trace { samples: shifted.samples[20..].to_vec(), ..shifted };
    let (whole, part) = ([dated("Z", -1.5)], [shifted]);
    write(&early, SeismogramFormat::Miniseed, &whole);
    write(&late, SeismogramFormat::Miniseed, &part);
    let misfit = |one: &Path, other: &Path| {
        let comparison = compare(one, other, &CompareOptions::default()).expect("comparable");
        comparison.traces[0].misfit.expect("a misfit").relative_l2
    };
    // The same samples; one file lacks the first second.
    assert!(misfit(&early, &late) < 1e-9 && misfit(&late, &early) < 1e-9, "{}", misfit(&early, &late));
    let file = early.join("XX.S1.velocity.mseed");
    assert_eq!(misfit(&file, &file), 0.0);
    // SAC rounds the date to milliseconds, which appears as a shift of a third of a millisecond.
    let sac = folder.path().join("sac");
    write(&sac, SeismogramFormat::Sac, &whole);
    let comparison = compare(&early, &sac, &CompareOptions::default()).expect("comparable");
    let shift = comparison.traces[0].misfit.expect("a misfit").time_shift;
    assert!(shift.abs() < 0.5e-3, "{shift}");
}

#[test]
fn traces_that_cannot_be_compared_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let (test, reference) = (folder.path().join("a"), folder.path().join("b"));
    write(&test, SeismogramFormat::Text, &[pulse("X", 0.01, 1.0, 0.0)]);
    write(&reference, SeismogramFormat::Text, &[pulse("Y", 0.01, 1.0, 0.0)]);
    let message = |options| compare(&test, &reference, &options).expect_err("nothing to compare").to_string();
    assert!(message(CompareOptions::default()).contains("for example, XX.S1.velocity.Y"));
    write(&reference, SeismogramFormat::Text, &[pulse("X", 0.01, 1.0, 0.0)]);
    let late = CompareOptions { window: Some([20.0, 30.0]), ..Default::default() };
    assert!(message(late).contains(": the two traces and the window overlap in fewer than two samples: latest start "));
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    assert!(
        compare(&empty, &reference, &CompareOptions::default())
            .expect_err("empty")
            .to_string()
            .contains("no seismogram")
    );
}

#[test]
fn every_kind_of_picture_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), SeismogramFormat::Sac, &[pulse("X", 0.01, 1.0, 0.0), pulse("Y", 0.01, 1.0, 0.3)]);
    for (kind, name) in [(PlotKind::Section, "section"), (PlotKind::Traces, "traces"), (PlotKind::Spectra, "spectra")] {
        let pictures = plot(folder.path(), &PlotOptions { kind, ..Default::default() }).expect("drawn");
        assert_eq!(pictures, [folder.path().join(format!("{name}_velocity.png"))]);
        assert!(std::fs::metadata(&pictures[0]).expect("a picture").len() > 1000);
    }
    let none = PlotOptions { stations: vec!["XX.NONE".to_owned()], ..Default::default() };
    assert!(plot(folder.path(), &none).expect_err("no such station").to_string().contains("for example, XX.S1"));
}
