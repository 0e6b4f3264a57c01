//! Records written by other programs.

use super::*;
use crate::common::assert_refused;

#[test]
fn files_written_by_obspy_are_read() {
    for name in SAMPLES {
        let count = if name.starts_with("int16") { 150 } else { 300 };
        let wanted = counts(0..count);
        let samples = match name {
            name if name.starts_with("float32") => MiniSeedSamples::F32(wanted.iter().map(|&x| x as f32).collect()),
            name if name.starts_with("float64") => MiniSeedSamples::F64(wanted.iter().map(|&x| f64::from(x)).collect()),
            _ => MiniSeedSamples::I32(wanted),
        };
        assert_eq!(miniseed::read(&sample(name)).unwrap(), [trace(0.025, samples)], "{name}");
    }
}

/// The segments of `gaps.mseed`.
fn segments() -> [MiniSeedTrace; 3] {
    let long = trace(10.0, MiniSeedSamples::I32(counts(0..200)));
    let later = DateTime { hour: 7, minute: 7, second: 51.530123, ..START };
    let last = MiniSeedTrace { start: later, ..trace(10.0, MiniSeedSamples::I32(counts(200..300))) };
    let other = trace(10.0, MiniSeedSamples::F32(counts(0..60).into_iter().map(|count| count as f32).collect()));
    [("VHZ", long), ("VHZ", last), ("VHN", other)]
        .map(|(channel, trace)| MiniSeedTrace { channel: channel.to_owned(), ..trace })
}

#[test]
fn gaps_of_more_than_half_a_sample_separate_segments() {
    assert_eq!(miniseed::read(&sample("gaps")).unwrap(), segments());
}

#[test]
fn records_in_any_order_are_joined() {
    let bytes = fs::read(sample("gaps")).unwrap();
    let backwards: Vec<u8> = bytes.chunks(256).rev().flatten().copied().collect();
    assert_eq!(parse(&backwards).unwrap(), segments());
}

#[test]
fn overlapping_streams_are_kept_separate() {
    let one = wave(0.05, 500);
    let MiniSeedSamples::F32(samples) = &one.samples else { panic!("single precision") };
    let negative = MiniSeedSamples::F32(samples.iter().map(|sample| -sample).collect());
    // 1.3 samples later.
    let other = MiniSeedTrace { start: START.later_by(0.065), samples: negative, ..one.clone() };
    let bytes = written(RecordLength::Bytes512, &[one.clone(), other.clone()]);
    let read = parse(&bytes).unwrap();
    assert_eq!(read.len(), 2);
    assert_eq!((&read[0], &read[1].samples), (&one, &other.samples));
    assert!((read[1].start.second - 11.595123).abs() < 1e-9, "{:?}", read[1].start);
}

#[test]
fn samples_of_different_type_or_interval_are_not_joined() {
    let first = trace(0.5, MiniSeedSamples::F32(vec![1.0; 10]));
    let start = START.later_by(5.0);
    for (interval, samples) in [(0.5, MiniSeedSamples::F64(vec![1.0; 10])), (0.25, MiniSeedSamples::F32(vec![1.0; 10]))]
    {
        let second = MiniSeedTrace { start, ..trace(interval, samples) };
        assert_eq!(parse(&written(RecordLength::Bytes512, &[first.clone(), second])).unwrap().len(), 2);
    }
    let second = MiniSeedTrace { start, ..first.clone() };
    let joined = parse(&written(RecordLength::Bytes512, &[first.clone(), second])).unwrap();
    assert_eq!(joined, [trace(0.5, MiniSeedSamples::F32(vec![1.0; 20]))]);
}

#[test]
fn a_time_correction_is_applied_once() {
    let mut bytes = written(RecordLength::Bytes512, &[wave(1.0, 5)]);
    bytes[40..44].copy_from_slice(&(-20_000_i32).to_be_bytes());
    assert_eq!(parse(&bytes).unwrap()[0].start, DateTime { second: 9.530123, ..START });
    bytes[36] = 2;
    assert_eq!(parse(&bytes).unwrap()[0].start, START);
}

#[test]
fn lengths_from_128_to_65536_bytes_are_read() {
    let record = written(RecordLength::Bytes512, &[wave(1.0, 10)]);
    for exponent in 7..=16_u8 {
        let mut bytes = record.clone();
        bytes.resize(1 << exponent, 0);
        bytes[54] = exponent;
        assert_eq!(parse(&[&bytes[..], &record].concat()).unwrap().len(), 2, "{exponent}");
        assert_eq!(parse(&bytes).unwrap(), [wave(1.0, 10)], "{exponent}");
    }
}

#[test]
fn records_without_samples_are_ignored() {
    let record = written(RecordLength::Bytes512, &[wave(1.0, 10)]);
    let mut empty = record.clone();
    empty[30..32].fill(0);
    let mut log = record.clone();
    // Text encoding, without a rate.
    log[52] = 0;
    log[32..36].fill(0);
    let blank = [b"000002".to_vec(), vec![b' '; 250]].concat();
    let file = [&blank, &empty, &log, &blank, &blank, &record, &blank].map(Vec::as_slice).concat();
    assert_eq!(parse(&file).unwrap(), [wave(1.0, 10)]);
    assert_refused(parse(&[empty, log, blank].concat()), &["number of traces = 0", "no record has samples"]);
}

#[test]
fn a_fraction_of_a_full_second_is_carried_over() {
    let mut bytes = written(RecordLength::Bytes512, &[wave(1.0, 10)]);
    bytes[28..30].copy_from_slice(&10_000_u16.to_be_bytes());
    assert_eq!(parse(&bytes).unwrap()[0].start, DateTime { second: 12.000023, ..START });
}

#[test]
fn a_year_with_equal_bytes_is_read() {
    // 2056 is 0x0808, and day 1 is day 256 in the other byte order.
    let new_year = DateTime { year: 2056, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 };
    let trace = MiniSeedTrace { start: new_year, ..wave(1.0, 10) };
    assert_eq!(parse(&written(RecordLength::Bytes512, std::slice::from_ref(&trace))).unwrap(), [trace]);
}
