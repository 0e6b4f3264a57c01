//! Written records.

use super::*;
use crate::common::assert_refused;
use craton_formats::miniseed::append_records;
use proptest::prelude::*;

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap())
}

#[test]
fn the_fields_of_a_record_are_at_the_documented_positions() {
    let bytes = written(RecordLength::Bytes512, &[wave(0.025, 120)]);
    assert_eq!(bytes.len(), 2 * 512);
    assert_eq!(&bytes[..20], b"000001D CRTN 00BHZCT");
    assert_eq!([20, 22, 28, 30].map(|at| word(&bytes, at)), [2010, 58, 5301, 112]);
    assert_eq!(bytes[24..27], [6, 34, 11]);
    assert_eq!([32, 34, 44, 46].map(|at| word(&bytes, at)), [40, 1, 64, 48]);
    assert_eq!(bytes[36..44], [0, 0, 0, 2, 0, 0, 0, 0]);
    assert_eq!(bytes[48..56], [0x03, 0xE8, 0, 56, 4, 1, 9, 0]);
    assert_eq!(bytes[56..64], [0x03, 0xE9, 0, 0, 0, 23, 0, 0]);
    assert_eq!(bytes[68..72], (0.1_f32.sin() * 1e-9).to_be_bytes());
    // 112 samples later: 2.8 s.
    let second = &bytes[512..];
    assert_eq!((&second[..6], second[26], word(second, 28), word(second, 30)), (&b"000002"[..], 14, 3301, 8));
    assert_eq!(second[64 + 4 * 8..], [0; 512 - 64 - 4 * 8]);
}

#[test]
fn every_kind_and_length_survives() {
    let samples = [
        MiniSeedSamples::I32(counts(0..300)),
        MiniSeedSamples::F32(counts(0..300).into_iter().map(|count| count as f32 * 1e-9).collect()),
        MiniSeedSamples::F64(counts(0..200).into_iter().map(|count| f64::from(count) / 3.0).collect()),
    ];
    for length in [RecordLength::Bytes512, RecordLength::Bytes4096] {
        for samples in &samples {
            for interval in [0.025, 0.007, 10.0, 1e-5, 3.0, 40_000.0] {
                let trace = trace(interval, samples.clone());
                assert_eq!(parse(&written(length, std::slice::from_ref(&trace))).unwrap(), [trace]);
            }
        }
    }
}

#[test]
fn start_times_of_records_do_not_drift() {
    // 0.1 ms / 3 is not an integer number of microseconds; over 55 records of 112 samples, rounding would drift by 18 microseconds.
    let interval = 1e-4 / 3.0;
    let bytes = written(RecordLength::Bytes512, &[wave(interval, 112 * 55)]);
    for (record, bytes) in bytes.chunks(512).enumerate() {
        let found = 1e-4 * f64::from(word(bytes, 28)) + 1e-6 * f64::from(bytes[61]);
        let wanted = 0.530123 + (112 * record) as f64 * interval;
        assert!((found - wanted).abs() < 0.501e-6, "record {record}: {found} instead of {wanted}");
    }
}

#[test]
fn an_interval_that_is_not_a_ratio_is_accurate_to_single_precision() {
    for (interval, blockettes) in [(0.712_345_678_9, 2), (2.345_678_9e-5, 3), (123_456.789, 3)] {
        let bytes = written(RecordLength::Bytes512, &[wave(interval, 1000)]);
        assert_eq!(bytes[39], blockettes, "{interval}");
        let [read] = &parse(&bytes).unwrap()[..] else { panic!("one trace") };
        assert!((read.interval / interval - 1.0).abs() < 6e-8, "{} instead of {interval}", read.interval);
        assert_eq!(read.samples, wave(interval, 1000).samples);
    }
}

#[test]
fn many_traces_share_a_file_and_its_sequence_numbers() {
    let channel = |channel: &str, count| MiniSeedTrace { channel: channel.to_owned(), ..wave(0.05, count) };
    let traces = [channel("BXE", 200), channel("BXN", 1), channel("BXZ", 224)];
    let bytes = written(RecordLength::Bytes512, &traces);
    let numbers: Vec<_> = bytes.chunks(512).map(|record| record[5] - b'0').collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(parse(&bytes).unwrap(), traces);
    let mut appended = written(RecordLength::Bytes512, &traces[..2]);
    assert_eq!(append_records(&traces[2], RecordLength::Bytes512, 4, &mut appended).unwrap(), 2);
    assert_eq!(appended, bytes);
    let mut late = Vec::new();
    append_records(&traces[2], RecordLength::Bytes512, 999_999, &mut late).unwrap();
    assert_eq!([&late[..6], &late[512..518]], [b"999999", b"000001"]);
}

#[test]
fn a_start_is_rounded_to_the_microsecond_across_the_end_of_a_year() {
    let last = DateTime { year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 59.999_999_7 };
    let late = MiniSeedTrace { start: last, ..wave(1.0, 3) };
    let read = parse(&written(RecordLength::Bytes512, &[late])).unwrap();
    assert_eq!(read[0].start, DateTime { year: 2017, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 });
    let old = DateTime { year: 1906, month: 4, day: 18, hour: 13, minute: 12, second: 21.000_001 };
    let read = parse(&written(RecordLength::Bytes512, &[MiniSeedTrace { start: old, ..wave(1.0, 3) }])).unwrap();
    assert_eq!(read[0].start, old);
}

#[test]
fn traces_that_miniseed_cannot_represent_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mseed");
    let text = |text: &str| text.to_owned();
    let good = || wave(0.05, 10);
    let date = |year, day| DateTime { year, month: 2, day, hour: 0, minute: 0, second: 0.0 };
    let f32s = |samples: &[f32]| trace(0.05, MiniSeedSamples::F32(samples.to_vec()));
    for (trace, fragments) in [
        (
            MiniSeedTrace { network: text("CTN"), ..good() },
            ["a.mseed: not written: network of CTN.CRTN.00.BHZ = `CTN`", "0 to 2 ASCII"],
        ),
        (
            MiniSeedTrace { station: text("CRATON"), ..good() },
            ["station of CT.CRATON.00.BHZ = `CRATON`", "1 to 5 ASCII"],
        ),
        (MiniSeedTrace { station: text(""), ..good() }, ["station of", "1 to 5"]),
        (MiniSeedTrace { location: text("000"), ..good() }, ["location of", "0 to 2"]),
        (MiniSeedTrace { channel: text("BHZZ"), ..good() }, ["channel of", "1 to 3"]),
        (
            MiniSeedTrace { channel: text("B Z"), ..good() },
            ["channel of CT.CRTN.00.B Z = `B Z`", "ASCII letters, digits"],
        ),
        (MiniSeedTrace { station: text("Ä"), ..good() }, ["station of", "ASCII"]),
        (MiniSeedTrace { interval: 0.0, ..good() }, ["sampling interval of CT.CRTN.00.BHZ = 0", "above 0"]),
        (MiniSeedTrace { interval: f64::NAN, ..good() }, ["sampling interval", "above 0"]),
        (MiniSeedTrace { interval: 1e-60, ..good() }, ["sampling interval", "single precision"]),
        (MiniSeedTrace { start: date(2023, 29), ..good() }, ["start of CT.CRTN.00.BHZ = 2023-02-29", "a valid date"]),
        (MiniSeedTrace { start: date(1899, 1), ..good() }, ["start of", "1900 to 2100"]),
        (MiniSeedTrace { start: date(2099, 1), interval: 1e7, ..good() }, ["start of", "1900 to 2100"]),
        (f32s(&[]), ["number of samples of CT.CRTN.00.BHZ = 0", "at least 1"]),
        (f32s(&[0.0, f32::NAN]), ["sample 1 of CT.CRTN.00.BHZ = NaN", "expected finite samples"]),
    ] {
        assert_refused(miniseed::write(&path, RecordLength::Bytes512, [good(), trace]), &fragments);
        assert!(!path.exists());
    }
    let none: [MiniSeedTrace; 0] = [];
    assert_refused(miniseed::write(&path, RecordLength::Bytes512, none), &["number of traces = 0", "at least 1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_finite_samples_survive(
        samples in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 1..300),
        microsecond in 0..60_000_000_u32,
        numerator in 1..200_u16,
        denominator in 1..200_u16,
    ) {
        let start = DateTime { second: f64::from(microsecond) / 1e6, ..START };
        let interval = f64::from(numerator) / f64::from(denominator);
        let trace = MiniSeedTrace { start, ..trace(interval, MiniSeedSamples::F64(samples)) };
        prop_assert_eq!(parse(&written(RecordLength::Bytes512, std::slice::from_ref(&trace))).unwrap(), vec![trace]);
    }
}
