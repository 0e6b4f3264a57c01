//! DAS records, read with the crate `hdf5-reader`, which shares no code with the writer; and what is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use craton_formats::DateTime;
use craton_formats::prodml::{self, DasQuantity, DasRecord, DasWriter};
use hdf5_reader::Hdf5File;

use crate::common::assert_refused;

const RECORD: DasRecord = DasRecord {
    start: DateTime { year: 2016, month: 5, day: 1, hour: 12, minute: 0, second: 0.25 },
    interval: 1.0 / 3000.0,
    samples: 4,
    distances: &[12.3, 13.0, 13.75],
    spacing: 0.7,
    gauge_length: 10.0,
    positions: &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, -9.5]],
    coordinates: ["x [m]", "y [m]", "elevation [m]"],
    quantity: DasQuantity::StrainRate,
    description: "Forge, Bär",
};

const SAMPLES: [[f32; 4]; 3] = [[1.0, 2.0, 3.0, 4.0], [5.0, -6.5e-12, 7.0, 8.0], [9.0, 10.0, 11.0, f32::MIN_POSITIVE]];

/// Writes a file and opens it.
fn written(record: &DasRecord, channels: impl IntoIterator<Item = impl AsRef<[f32]>>) -> Hdf5File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    prodml::write(&path, record, channels).unwrap();
    Hdf5File::from_vec(fs::read(&path).unwrap()).unwrap()
}

/// Times of a record [μs since 1970], with the start and end in words.
fn times(start: DateTime, interval: f64) -> (Vec<i64>, [String; 2]) {
    let file = written(&DasRecord { start, interval, ..RECORD }, SAMPLES);
    let dataset = file.dataset("/Acquisition/Raw[0]/RawDataTime").unwrap();
    let text = |name| dataset.attribute(name).unwrap().read_string().unwrap();
    (dataset.read_array().unwrap().into_iter().collect(), ["PartStartTime", "PartEndTime"].map(text))
}

fn identifiers(file: &Hdf5File) -> [String; 4] {
    [("/", "uuid"), ("/Acquisition", "uuid"), ("/Acquisition", "AcquisitionId"), ("/Acquisition/Raw[0]", "uuid")]
        .map(|(group, name)| file.group(group).unwrap().attribute(name).unwrap().read_string().unwrap())
}

#[test]
fn an_independent_reader_finds_what_was_written() {
    let file = written(&RECORD, SAMPLES);
    let acquisition = file.group("/Acquisition").unwrap();
    let text = |name| acquisition.attribute(name).unwrap().read_string().unwrap();
    assert_eq!(text("schemaVersion"), "2.1");
    assert_eq!(text("AcquisitionDescription"), "Forge, Bär");
    assert_eq!(text("MeasurementStartTime"), "2016-05-01T12:00:00.250000+00:00");
    assert_eq!(text("GaugeLength.uom"), "m");
    assert_eq!(acquisition.attribute("FacilityId").unwrap().read_strings().unwrap(), ["UNKNOWN"]);
    let number = |name| acquisition.attribute(name).unwrap().read_scalar::<f64>().unwrap();
    assert_eq!(["SpatialSamplingInterval", "GaugeLength", "PulseRate"].map(number), [0.7, 10.0, 3000.0]);
    assert!(number("PulseWidth").is_nan());
    for group in ["/Acquisition", "/Acquisition/Raw[0]"].map(|path| file.group(path).unwrap()) {
        let integer = |name| group.attribute(name).unwrap().read_scalar::<i64>().unwrap();
        // 12.3 m are 17.57 intervals.
        assert_eq!(["NumberOfLoci", "StartLocusIndex"].map(integer), [3, 18]);
    }
    let data = file.dataset("/Acquisition/Raw[0]/RawData").unwrap();
    assert_eq!(data.shape(), [3, 4]);
    assert_eq!(data.read_array::<f32>().unwrap().into_iter().collect::<Vec<_>>(), SAMPLES.as_flattened());
    assert_eq!(data.attribute("Dimensions").unwrap().read_strings().unwrap(), ["locus", "time"]);
    assert_eq!(data.attribute("Count").unwrap().read_scalar::<i64>().unwrap(), 12);
    let distances = file.dataset("/Acquisition/Custom/Distance").unwrap();
    assert_eq!(distances.read_array::<f64>().unwrap().into_iter().collect::<Vec<_>>(), RECORD.distances);
    let positions = file.dataset("/Acquisition/Custom/Position").unwrap();
    assert_eq!(positions.shape(), [3, 3]);
    assert_eq!(positions.read_array::<f64>().unwrap().into_iter().collect::<Vec<_>>(), RECORD.positions.as_flattened());
    assert_eq!(positions.attribute("Coordinates").unwrap().read_strings().unwrap(), RECORD.coordinates);
}

#[test]
fn times_are_rounded_to_microseconds() {
    let (found, span) = times(RECORD.start, 1.0 / 3000.0);
    let second = 1_462_104_000_000_000;
    assert_eq!(found, [250_000, 250_333, 250_667, 251_000].map(|after| second + after));
    assert_eq!(span, ["2016-05-01T12:00:00.250000+00:00", "2016-05-01T12:00:00.251000+00:00"]);
    let new_year = DateTime { year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59.999_999_5 };
    let (found, span) = times(DateTime { second: 58.9, ..new_year }, 0.5500004);
    assert_eq!(found, [-1_100_000, -550_000, 1, 550_001]);
    assert_eq!(span, ["1969-12-31T23:59:58.900000+00:00", "1970-01-01T00:00:00.550001+00:00"]);
    // Halves are rounded up, before 1970 too.
    assert_eq!(times(new_year, 2.5e-6).0, [0, 2, 5, 7]);
    let leap = DateTime { year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60.25 };
    assert_eq!(times(leap, 1.0).1[0], "2017-01-01T00:00:00.250000+00:00");
    // The last day of the first year and the longest interval.
    assert_eq!(times(DateTime { year: 1700, ..leap }, 86_400.0).1[1], "1701-01-04T00:00:00.250000+00:00");
}

#[test]
fn long_records_are_written_in_pieces_without_a_seam() {
    let samples = 20_011;
    let record = DasRecord { samples, interval: 0.001, ..RECORD };
    let channel = |first: usize| (first..first + samples).map(|value| value as f32).collect::<Vec<_>>();
    let file = written(&record, [0, samples, 2 * samples].map(channel));
    let data = file.dataset("/Acquisition/Raw[0]/RawData").unwrap();
    assert!(data.read_array::<f32>().unwrap().into_iter().eq((0..3 * samples).map(|value| value as f32)));
    let times = file.dataset("/Acquisition/Raw[0]/RawDataTime").unwrap().read_array::<i64>().unwrap();
    let start = 1_462_104_000_250_000;
    assert!(times.into_iter().eq((0..samples as i64).map(|sample| start + 1000 * sample)));
}

#[test]
fn identifiers_depend_on_the_content_only() {
    let first = identifiers(&written(&RECORD, SAMPLES));
    assert_eq!(identifiers(&written(&RECORD, SAMPLES)), first);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 4);
    for identifier in &first {
        let parts: Vec<usize> = identifier.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{identifier}");
        assert!(identifier.as_bytes()[14] == b'8' && b"89ab".contains(&identifier.as_bytes()[19]), "{identifier}");
    }
    let mut samples = SAMPLES;
    samples[2][3] = 0.0;
    assert!(identifiers(&written(&RECORD, samples)).iter().all(|identifier| !first.contains(identifier)));
    for record in [
        DasRecord { quantity: DasQuantity::Strain, ..RECORD },
        DasRecord { description: "Forge", ..RECORD },
        DasRecord { distances: &[12.3, 13.0, 13.76], ..RECORD },
        DasRecord { start: DateTime { second: 0.5, ..RECORD.start }, ..RECORD },
    ] {
        assert_ne!(identifiers(&written(&record, SAMPLES)), first, "{record:?}");
    }
}

#[test]
fn samples_that_do_not_fit_are_refused_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    fs::write(&path, b"old").unwrap();
    let mut das = DasWriter::create(&path, &RECORD).unwrap();
    das.append(&SAMPLES[0]).unwrap();
    for (samples, fragments) in [
        (&[1.0, 2.0, f32::NAN, 4.0][..], ["a.h5: not written: sample 2 of channel 1 = NaN", "finite"]),
        (&[f32::INFINITY; 4], ["sample 0 of channel 1 = inf", "finite"]),
        (&[1.0; 3], ["number of samples of channel 1 = 3", "4, as the record"]),
        (&[], ["number of samples of channel 1 = 0", "4, as the record"]),
    ] {
        assert_refused(das.append(samples), &fragments);
    }
    das.append(&SAMPLES[1]).unwrap();
    assert_refused(das.finish(), &["number of channels = 2", "3, as distances"]);
    assert_refused(prodml::write(&path, &RECORD, [[1.0; 4]; 4]), &["number of channels = 4", "3, as distances"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    prodml::write(&path, &RECORD, SAMPLES).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(b"\x89HDF"));
}

#[test]
fn records_outside_the_allowed_ranges_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let start = RECORD.start;
    let (none, long) = (&[][..], "x".repeat(2001));
    for (record, fragments) in [
        (DasRecord { interval: 0.0, ..RECORD }, ["interval = 0", "at least 1e-6 s"]),
        (DasRecord { interval: f64::NAN, ..RECORD }, ["interval = NaN", "at least 1e-6 s"]),
        (DasRecord { samples: 1, ..RECORD }, ["samples per channel = 1", "at least 2"]),
        (DasRecord { start: DateTime { month: 13, ..start }, ..RECORD }, ["start = 2016-13-01T12", "valid date"]),
        (DasRecord { start: DateTime { year: 1699, ..start }, ..RECORD }, ["start = 1699-05-01T12", "1700 to 2199"]),
        (DasRecord { interval: 1e300, ..RECORD }, ["last sample = 3e300 s after 2016", "1700 to 2199"]),
        (DasRecord { interval: 2e9, ..RECORD }, ["last sample = 6e9 s after 2016", "1700 to 2199"]),
        (DasRecord { spacing: 0.0, ..RECORD }, ["spacing = 0", "above 0 m"]),
        (DasRecord { gauge_length: f64::INFINITY, ..RECORD }, ["gauge length = inf", "above 0 m"]),
        (DasRecord { distances: &[], positions: none, ..RECORD }, ["number of distances = 0", "at least 1"]),
        (DasRecord { distances: &[-1.0, 0.0, 1.0], ..RECORD }, ["distance of channel 0 = -1", "0 to 9e15 times"]),
        (DasRecord { spacing: 1e-300, ..RECORD }, ["distance of channel 0 = 12.3", "0 to 9e15 times"]),
        (DasRecord { distances: &[0.0, 0.7, 1.8], ..RECORD }, ["distance of channel 2 = 1.8", "1.4 m within 0.35 m"]),
        (DasRecord { distances: &[0.0, f64::NAN, 1.4], ..RECORD }, ["distance of channel 1 = NaN", "0.7 m within"]),
        (DasRecord { positions: &RECORD.positions[..2], ..RECORD }, ["number of positions = 2", "3, as distances"]),
        (
            DasRecord { positions: &[[0.0, f64::NAN, 0.0]; 3], ..RECORD },
            ["position of channel 0 = [0.0, NaN", "finite"],
        ),
        (DasRecord { description: &long, ..RECORD }, ["characters of the description = 2001", "at most 2000"]),
        (DasRecord { description: "a\0", ..RECORD }, ["attribute `AcquisitionDescription`", "U+0000"]),
        (DasRecord { coordinates: ["x", "y", "°"], ..RECORD }, ["attribute `Coordinates` = `°`", "ASCII"]),
    ] {
        assert_refused(DasWriter::create(&folder.path().join("a.h5"), &record), &fragments);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_refused(DasWriter::create(Path::new("/nowhere/a.h5"), &RECORD), &["/nowhere/a.h5: cannot create the file"]);
}
