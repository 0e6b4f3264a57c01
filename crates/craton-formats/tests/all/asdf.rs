//! ASDF files, read with the crate `hdf5-reader`, which shares no code with the writer; and what is refused.

use std::fs;
use std::path::Path;

use craton_formats::DateTime;
use craton_formats::asdf::{AsdfSamples, AsdfTrace, AsdfWriter};
use hdf5_reader::Hdf5File;

use crate::common::assert_refused;

const TRACE: AsdfTrace = AsdfTrace {
    network: "XX",
    station: "S10",
    location: "",
    channel: "HXZ",
    tag: "velocity",
    start: DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 },
    sampling_rate: 0.5,
    samples: AsdfSamples::F32(&[1.5, -2.5e-30, 3.0]),
    event_id: Some("smi:local/event/1"),
};

const NAME: &str = "XX.S10..HXZ__1994-06-09T00:33:16__1994-06-09T00:33:20__velocity";

/// Writes a file and opens it.
fn written(fill: impl FnOnce(&mut AsdfWriter) -> craton_formats::Result<()>) -> Hdf5File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let mut writer = AsdfWriter::create(&path).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    Hdf5File::from_vec(fs::read(&path).unwrap()).unwrap()
}

fn f32s(file: &Hdf5File, path: &str) -> Vec<f32> {
    file.dataset(path).unwrap().read_array().unwrap().into_iter().collect()
}

fn bytes(file: &Hdf5File, path: &str) -> Vec<u8> {
    let signed: Vec<i8> = file.dataset(path).unwrap().read_array().unwrap().into_iter().collect();
    signed.into_iter().map(|byte| byte as u8).collect()
}

#[test]
fn an_independent_reader_finds_what_was_written() {
    let doubles = [0.1, f64::MIN_POSITIVE, -1e300];
    let file = written(|asdf| {
        asdf.add_trace(&TRACE)?;
        asdf.add_station("XX", "S10", "<station name=\"é\"/>".as_bytes())?;
        asdf.add_events(b"<events/>")?;
        let samples = AsdfSamples::F64(&doubles);
        asdf.add_trace(&AsdfTrace { station: "A", location: "00", event_id: None, samples, ..TRACE })
    });
    let root = file.root_group().unwrap();
    for (name, value) in [("file_format", "ASDF"), ("file_format_version", "1.0.3")] {
        assert_eq!(root.attribute(name).unwrap().read_string().unwrap(), value);
    }
    let (groups, datasets) = root.member_names().unwrap();
    assert_eq!(
        (groups, datasets),
        (["AuxiliaryData", "Provenance", "Waveforms"].map(Into::into).to_vec(), vec!["QuakeML".into()])
    );
    for empty in ["AuxiliaryData", "Provenance"] {
        assert_eq!(root.group(empty).unwrap().member_names().unwrap(), (Vec::<String>::new(), Vec::new()));
    }
    assert_eq!(bytes(&file, "/QuakeML"), b"<events/>");
    assert_eq!(bytes(&file, "/Waveforms/XX.S10/StationXML"), "<station name=\"é\"/>".as_bytes());
    let path = format!("/Waveforms/XX.S10/{NAME}");
    assert_eq!(f32s(&file, &path), [1.5, -2.5e-30, 3.0]);
    let trace = file.dataset(&path).unwrap();
    assert_eq!(trace.attribute("starttime").unwrap().read_scalar::<i64>().unwrap(), 771_121_996_400_000_000);
    assert_eq!(trace.attribute("sampling_rate").unwrap().read_scalar::<f64>().unwrap(), 0.5);
    assert_eq!(trace.attribute("event_id").unwrap().read_string().unwrap(), "smi:local/event/1");
    let other =
        file.dataset("/Waveforms/XX.A/XX.A.00.HXZ__1994-06-09T00:33:16__1994-06-09T00:33:20__velocity").unwrap();
    assert_eq!(other.read_array::<f64>().unwrap().into_iter().collect::<Vec<_>>(), doubles);
    assert_eq!(other.attributes().len(), 2);
}

#[test]
fn thousands_of_stations_are_found_by_name() {
    let count = 2000;
    let file = written(|asdf| {
        // In an order that is not that of the names.
        for number in (0..count).map(|number| number * 7 % count) {
            let (station, first) = (format!("S{number:04}"), number as f32);
            asdf.add_station("XX", &station, station.as_bytes())?;
            for (channel, offset) in [("HXX", 0.25), ("HXY", 0.5), ("HXZ", 0.75)] {
                let samples = [first, first + offset, first + 1.0];
                asdf.add_trace(&AsdfTrace {
                    station: &station,
                    channel,
                    samples: AsdfSamples::F32(&samples),
                    ..TRACE
                })?;
            }
        }
        Ok(())
    });
    let (stations, _) = file.group("/Waveforms").unwrap().member_names().unwrap();
    assert!(stations.is_sorted() && stations.len() == count);
    for number in [0, 1, 7, 8, 255, 256, 999, 1999] {
        let (station, first) = (format!("S{number:04}"), number as f32);
        assert_eq!(bytes(&file, &format!("/Waveforms/XX.{station}/StationXML")), station.as_bytes());
        let path = format!("/Waveforms/XX.{station}/{}", NAME.replace("S10", &station).replace("HXZ", "HXY"));
        assert_eq!(f32s(&file, &path), [first, first + 0.5, first + 1.0]);
    }
}

#[test]
fn long_traces_are_written_in_pieces_without_a_seam() {
    let samples: Vec<f32> = (0..(1 << 20) + 3).map(|index| index as f32).collect();
    let long = AsdfTrace { samples: AsdfSamples::F32(&samples), sampling_rate: 1000.0, ..TRACE };
    let file = written(|asdf| {
        asdf.add_trace(&long)?;
        asdf.add_trace(&AsdfTrace { tag: "after", ..TRACE })
    });
    let path = "/Waveforms/XX.S10/XX.S10..HXZ__1994-06-09T00:33:16__1994-06-09T00:50:44__velocity";
    assert!(f32s(&file, path) == samples);
    assert_eq!(f32s(&file, &format!("/Waveforms/XX.S10/{}", NAME.replace("velocity", "after"))), [1.5, -2.5e-30, 3.0]);
}

#[test]
fn what_the_format_cannot_hold_is_refused_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    fs::write(&path, b"old").unwrap();
    let mut asdf = AsdfWriter::create(&path).unwrap();
    asdf.add_trace(&TRACE).unwrap();
    asdf.add_events(b"<events/>").unwrap();
    asdf.add_station("XX", "S10", b"<station/>").unwrap();
    let long = "e".repeat(70_000);
    for (trace, fragments) in [
        (TRACE, ["a.h5: not written", NAME, "for the second time"]),
        (
            AsdfTrace { samples: AsdfSamples::F32(&[]), ..TRACE },
            ["number of samples of XX.S10..HXZ", "= 0", "at least 1"],
        ),
        (AsdfTrace { samples: AsdfSamples::F64(&[0.0, f64::NAN]), ..TRACE }, ["sample 1 of XX", "NaN", "finite"]),
        (AsdfTrace { station: "s10", ..TRACE }, ["station of XX.s10..HXZ", "`s10`", "1 to 5 capital letters"]),
        (AsdfTrace { tag: "é", ..TRACE }, ["tag of XX", "= `", "small letter"]),
        (AsdfTrace { tag: "a", event_id: Some(""), ..TRACE }, ["event_id of XX", "= ``", "or none"]),
        (AsdfTrace { tag: "a", event_id: Some("é"), ..TRACE }, ["attribute `event_id`", "= `", "printable ASCII"]),
        (AsdfTrace { tag: "a", event_id: Some(&long), ..TRACE }, ["attribute `event_id`", "70000", "at most 65528"]),
    ] {
        assert_refused(asdf.add_trace(&trace), &fragments);
    }
    assert_refused(asdf.add_events(b"<events/>"), &["`QuakeML`, for the second time"]);
    assert_refused(asdf.add_station("XX", "S10", b"<station/>"), &["`StationXML`, for the second time"]);
    assert_refused(asdf.add_station("XX", "B", b""), &["number of values of `StationXML` = 0"]);
    assert_refused(asdf.add_station("XX", "../..", b"<station/>"), &["station = `../..`"]);
    drop(asdf);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_refused(AsdfWriter::create(Path::new("/nowhere/a.h5")), &["/nowhere/a.h5: cannot create the file"]);
}
