//! Reading and writing miniSEED of other programs and of runs.

use craton_formats::miniseed::{self, MiniSeedSamples, MiniSeedTrace, RecordLength};

use super::*;

/// Sample files written by ObsPy, see `craton-formats/tests/all/miniseed/samples/make.py`.
fn obspy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../craton-formats/tests/all/miniseed/samples/{name}.mseed"))
}

#[test]
fn miniseed_of_other_programs_is_processed_into_any_format() {
    let (folder, _, to) = folders();
    let scaled = |format| ProcessingPlan { format: Some(format), ..plan(&[Operation::Scale(0.5)]) };
    let counts: Vec<f64> = (0..300).map(|index| 0.5 * f64::from((index % 7 - 3) * (1 << (index / 12)))).collect();
    let (one, other) = (obspy("steim2_big"), obspy("steim1_little"));
    let done = process(std::slice::from_ref(&one), &to, &scaled(SeismogramFormat::Sac)).expect("processed");
    assert_eq!((done.files, names(&to)), (1, vec!["CT.CRTN.00.BHZ.sac".to_owned()]));
    let sac = sac::read(&to.join("CT.CRTN.00.BHZ.sac")).expect("readable");
    assert_eq!(sac.reference, Some(DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.0 }));
    assert!((sac.begin - 0.530_123).abs() < 1e-7 && sac.delta == 0.025, "{} {}", sac.begin, sac.delta);
    assert!(sac.samples.iter().zip(&counts).all(|(found, wanted)| f64::from(*found) == *wanted));
    let text = folder.path().join("text");
    process(&[other], &text, &scaled(SeismogramFormat::Text)).expect("processed");
    assert_eq!(text_trace::read(&text.join("CT.CRTN.00.BHZ.txt")).expect("readable").samples, counts);
    // As miniSEED it keeps its codes and its date, to the microsecond.
    let own = folder.path().join("own");
    process(&[one], &own, &plan(&[Operation::Scale(0.5)])).expect("processed");
    let read = miniseed::read(&own.join("CT.CRTN.00.mseed")).expect("readable");
    assert_eq!((read.len(), read[0].id().as_str(), read[0].interval), (1, "CT.CRTN.00.BHZ", 0.025));
    let start = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.530_123 };
    assert!(read[0].start.seconds_after(&start).abs() < 1e-9 && read[0].samples.to_f64() == counts);
    let message =
        process(&[obspy("gaps")], &folder.path().join("no"), &plan(&[LOW_PASS])).expect_err("gaps").to_string();
    assert!(message.contains("gap in CT.CRTN.00.VHZ"), "{message}");
    assert!(message.contains("20 s, from 2010-02-27T07:07:31.530 to 2010-02-27T07:07:51.530"), "{message}");
}

#[test]
fn components_of_a_miniseed_station_stay_in_one_file() {
    let (folder, from, to) = folders();
    let zero = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 45.4 };
    let dated = |component: &str, station: &str, samples: Vec<f64>| {
        let mut trace = trace(component, Quantity::Velocity, samples);
        trace.situation.zero = Some(zero);
        trace.name.station = station.to_owned();
        trace
    };
    let traces: Vec<Trace> = ["E", "N", "Z"].map(|component| dated(component, "XX.S1", step(2.0))).into();
    let others: Vec<Trace> = ["E", "N", "Z"].map(|component| dated(component, "XX.S2", step(4.0))).into();
    fs::create_dir_all(&from).expect("a folder");
    for station in [&traces, &others] {
        traces::write(&from, station, SeismogramFormat::Miniseed).expect("written");
    }
    let integrated = plan(&[Operation::Integrate, Operation::Decimate(4)]);
    let done = process(std::slice::from_ref(&from), &to, &integrated).expect("processed");
    assert_eq!(
        (done.files, names(&to)),
        (2, vec!["XX.S1.displacement.mseed".into(), "XX.S2.displacement.mseed".into()])
    );
    let read = miniseed::read(&to.join("XX.S1.displacement.mseed")).expect("readable");
    assert_eq!(read.iter().map(|trace| trace.id()).collect::<Vec<_>>(), ["XX.S1..BXE", "XX.S1..BXN", "XX.S1..BXZ"]);
    assert!(read[0].start.seconds_after(&zero.later_by(-0.5)).abs() < 1e-9);
    // The same result from SAC, within single precision.
    let (sacs, of_sac) = (folder.path().join("sacs"), folder.path().join("of_sac"));
    write(&sacs, SeismogramFormat::Sac, &traces);
    let to_miniseed = ProcessingPlan { format: Some(SeismogramFormat::Miniseed), ..integrated.clone() };
    process(&[sacs], &of_sac, &to_miniseed).expect("processed");
    assert_eq!(names(&of_sac), ["XX.S1.displacement.mseed"]);
    for (one, other) in read.iter().zip(miniseed::read(&of_sac.join("XX.S1.displacement.mseed")).expect("readable")) {
        assert_eq!((one.id(), one.samples.len(), one.start), (other.id(), other.samples.len(), other.start));
        let error =
            one.samples.to_f64().iter().zip(other.samples.to_f64()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-5, "{error:e}");
    }
    // A trace in several formats is read once, from the requested one.
    write(&from, SeismogramFormat::Text, &traces);
    let both = folder.path().join("both");
    let done = process(
        std::slice::from_ref(&from),
        &both,
        &ProcessingPlan { operations: vec![LOW_PASS], ..to_miniseed.clone() },
    );
    assert_eq!((done.expect("processed").files, names(&both).len()), (2, 2));
}

#[test]
fn codes_and_quantities_unsupported_by_miniseed_are_refused_before_anything_is_written() {
    let (folder, _, _) = folders();
    let format = Some(SeismogramFormat::Miniseed);
    let to_miniseed = ProcessingPlan { format, ..plan(&[Operation::Decimate(4)]) };
    let mut long = trace("Z", Quantity::Velocity, step(1.0));
    long.name.station = "XX.LONGER".to_owned();
    write(&folder.path().join("long"), SeismogramFormat::Text, std::slice::from_ref(&long));
    let message = refusal(&folder.path().join("long"), &to_miniseed);
    assert!(message.contains("miniSEED does not support the station") && message.contains("LONGER"), "{message}");
    (long.name.station, long.name.quantity, long.name.component) =
        ("XX.S3".into(), Some(Quantity::Strain), "XY".into());
    write(&folder.path().join("strain"), SeismogramFormat::Text, &[long]);
    let message = refusal(&folder.path().join("strain"), &ProcessingPlan { operations: vec![LOW_PASS], ..to_miniseed });
    assert!(message.contains("miniSEED has no channel for strain"), "{message}");
}

#[test]
fn channels_from_several_files_are_paired_for_rotation() {
    let (folder, from, to) = folders();
    fs::create_dir_all(&from).expect("a folder");
    // The channels are in two files and start in different seconds.
    let start = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.995 };
    let channel = |channel: &str, samples: Vec<f32>, late: f64| MiniSeedTrace {
        network: "CT".to_owned(),
        station: "CRTN".to_owned(),
        location: "00".to_owned(),
        channel: channel.to_owned(),
        start: start.later_by(late),
        interval: 0.01,
        samples: MiniSeedSamples::F32(samples),
    };
    let file = |name: &str| from.join(name);
    let length = RecordLength::default();
    miniseed::write(&file("n.mseed"), length, [channel("BHN", vec![0.0, 1.0, 2.0, 3.0], 0.0)]).expect("written");
    let others = [channel("BHE", vec![5.0, 6.0, 7.0], 0.01), channel("LHE", vec![0.0; 3], 0.0)];
    miniseed::write(&file("e.mseed"), length, &others).expect("written");
    // After the cut, BHN pairs with BHE, which has the same times, and not with LHE; but the files have no back-azimuth.
    let (cut, rotate) = (Operation::Cut { from: 1.0, to: 2.0 }, Operation::Rotate { event: None });
    let both = [file("n.mseed"), file("e.mseed")];
    let message = process(&both, &to, &plan(&[cut, rotate])).expect_err("refused").to_string();
    assert!(message.contains("n.mseed: --rotate: the file has no back-azimuth"), "{message}");
    let message = process(&both, &to, &plan(&[rotate])).expect_err("refused").to_string();
    assert!(message.contains("n.mseed has 4 samples") && message.contains("e.mseed has 3"), "{message}");
    let message = process(&both[1..], &to, &plan(&[rotate])).expect_err("refused").to_string();
    assert!(message.contains("the component N or Y of this seismogram is missing"), "{message}");
    miniseed::write(&file("e.mseed"), length, &others[..1]).expect("written");
    let sac = ProcessingPlan { format: Some(SeismogramFormat::Sac), ..plan(&[cut]) };
    let done = process(&both, &to, &sac).expect("one axis for both");
    assert_eq!(done.files, 2);
    let [n, e] = ["BHN", "BHE"].map(|name| sac::read(&to.join(format!("CT.CRTN.00.{name}.sac"))).expect("readable"));
    assert_eq!((n.samples, e.samples), (vec![1.0, 2.0, 3.0], vec![5.0, 6.0, 7.0]));
    assert_eq!(n.reference, e.reference);
    drop(folder);
}

#[test]
fn another_format_with_the_same_times_provides_the_back_azimuth() {
    let (folder, from, to) = folders();
    let zero = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 45.0 };
    let dated = |component: &str, zero: DateTime| {
        let mut trace = trace(component, Quantity::Velocity, vec![3.0, 1.0]);
        trace.situation.zero = Some(zero);
        trace
    };
    let day = ["E", "N"].map(|component| dated(component, zero));
    write(&from, SeismogramFormat::Sac, &day);
    traces::write(&from, &day, SeismogramFormat::Miniseed).expect("written");
    // miniSEED has no back-azimuth, so the SAC files are rotated.
    let rotated = plan(&[Operation::Rotate { event: None }]);
    process(std::slice::from_ref(&from), &to, &rotated).expect("rotated");
    assert_eq!(names(&to), ["XX.S1.velocity.R.sac", "XX.S1.velocity.T.sac"]);
    // A trace of another day is a different trace and must not be lost.
    let other = ["E", "N"].map(|component| dated(component, DateTime { day: 10, ..zero }));
    traces::write(&from, &other, SeismogramFormat::Miniseed).expect("written");
    let to = folder.path().join("all");
    let all = ProcessingPlan { format: Some(SeismogramFormat::Sac), ..plan(&[Operation::Integrate]) };
    process(&[from], &to, &all).expect_err("two traces of one name");
    assert!(!to.exists());
}

#[test]
fn codes_that_are_no_plain_codes_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = std::fs::read(obspy("steim2_big")).expect("a file");
    let [file, to] = ["y.mseed", "a/o"].map(|name| folder.path().join(name));
    std::fs::create_dir(folder.path().join("a")).expect("a folder");
    for (what, at, code) in [
        ("station", 8, &b"./../"[..]),
        ("network", 18, b"/t"),
        ("location", 13, b".."),
        ("channel", 15, b"\x1b[m"),
        ("station", 8, b"A\\B  "),
    ] {
        let mut bytes = good.clone();
        for record in bytes.chunks_mut(512) {
            record[at..at + code.len()].copy_from_slice(code);
        }
        std::fs::write(&file, bytes).expect("written");
        for format in [SeismogramFormat::Text, SeismogramFormat::Sac, SeismogramFormat::Miniseed] {
            let plan = ProcessingPlan { format: Some(format), ..plan(&[Operation::Scale(0.5)]) };
            let said = process(std::slice::from_ref(&file), &to, &plan).expect_err("a code").to_string();
            assert!(said.contains(&format!("{what} code = ")) && said.contains("ASCII letters, digits"), "{said}");
            assert!(!said.contains('\u{1b}'), "{said}");
        }
    }
    assert_eq!(names(folder.path()), ["a", "y.mseed"]);
    assert!(!to.exists());
    // Names that come from a file name follow the same rule.
    let text = folder.path().join("a\u{1b}b.BHZ.txt");
    std::fs::write(&text, "0 1\n0.1 2\n0.2 3\n0.3 4\n").expect("written");
    let said = process(&[text], &to, &plan(&[Operation::Scale(0.5)])).expect_err("a code").to_string();
    assert!(said.contains("code of the station") && !to.exists(), "{said}");
}
