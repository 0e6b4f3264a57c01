//! Seismic Unix: round trips in either byte order, and errors of invalid files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::segy::{Trace, TraceHeader};
use craton_formats::{ByteOrder, Result, su};
use proptest::prelude::*;

use crate::common::assert_refused;

const INTERVAL: f64 = 0.004;

fn trace(index: i32, samples: usize) -> Trace {
    let header = TraceHeader {
        trace_in_line: index + 1,
        field_record: 12,
        trace_id: 1,
        offset: -300,
        coordinate_scalar: -100,
        source_x: 123_456,
        delay: -20,
        samples: samples as u16,
        sample_interval: 4000,
        ..TraceHeader::default()
    };
    Trace { header, samples: (0..samples).map(|sample| (index + 1) as f32 * (sample as f32 - 0.25)).collect() }
}

fn read_all(path: &Path) -> Result<Vec<Trace>> {
    su::open(path)?.iter().collect()
}

/// Encodes traces, little-endian.
fn written(traces: &[Trace]) -> Vec<u8> {
    written_in(ByteOrder::Little, traces)
}

fn written_in(order: ByteOrder, traces: &[Trace]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.su");
    su::write(&path, INTERVAL, traces, order).unwrap();
    fs::read(path).unwrap()
}

fn with_bytes<T>(bytes: &[u8], read: impl FnOnce(PathBuf) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.su");
    fs::write(&path, bytes).unwrap();
    read(path)
}

/// The same file in the other byte order, using the widths of the fields that are set.
fn byte_swapped(bytes: &[u8], samples: usize) -> Vec<u8> {
    let mut turned = bytes.to_vec();
    for trace in turned.chunks_mut(240 + 4 * samples) {
        let longs = [1, 5, 9, 13, 17, 21, 25, 37, 41, 45, 49, 61, 65, 73, 77, 81, 85].map(|byte| (byte, 4));
        let shorts = [29, 69, 71, 89, 109, 115, 117].map(|byte| (byte, 2));
        let data = (0..samples).map(|sample| (241 + 4 * sample, 4));
        for (byte, width) in longs.into_iter().chain(shorts).chain(data) {
            trace[byte - 1..byte - 1 + width].reverse();
        }
    }
    turned
}

#[test]
fn traces_survive_a_round_trip_in_either_byte_order() {
    // 256 samples read as 1 in the wrong byte order, which the file size alone would allow for some numbers of traces.
    for (samples, count) in [(5, 3), (1, 1), (256, 61)] {
        let traces: Vec<_> = (0..count).map(|index| trace(index, samples)).collect();
        let little = written(&traces);
        assert_eq!(little.len(), traces.len() * (240 + 4 * samples));
        assert_eq!(with_bytes(&little, |path| read_all(&path)).unwrap(), traces);
        let big = byte_swapped(&little, samples);
        assert!(written_in(ByteOrder::Big, &traces) == big);
        assert_eq!(with_bytes(&big, |path| read_all(&path)).unwrap(), traces, "{samples} samples");
        assert_eq!(with_bytes(&big, |path| su::open(&path).unwrap().order()), ByteOrder::Big);
    }
}

/// 257 samples every 257 us are the same numbers in either byte order.
#[test]
fn the_trace_numbers_decide_between_two_possible_byte_orders() {
    let traces: Vec<_> = (0..3).map(|index| trace(index, 257)).collect();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.su");
        su::write(&path, 257e-6, &traces, order).unwrap();
        assert_eq!(su::open(&path).unwrap().order(), order);
        assert_eq!(read_all(&path).unwrap()[2].samples, traces[2].samples);
    }
}

#[test]
fn fields_specific_to_segy_are_ignored() {
    let mut full = trace(0, 2);
    (full.header.cdp_x, full.header.inline, full.header.measurement_unit) = (5, 6, 1);
    let mut bytes = written(&[full]);
    assert_eq!(with_bytes(&bytes, |path| read_all(&path)).unwrap(), [trace(0, 2)]);
    assert!(bytes[180..240].iter().all(|&byte| byte == 0));
    bytes[180..184].copy_from_slice(&12.5_f32.to_le_bytes());
    assert_eq!(with_bytes(&bytes, |path| read_all(&path)).unwrap(), [trace(0, 2)]);
}

#[test]
fn invalid_files_are_refused() {
    let good = written(&[trace(0, 5), trace(1, 5)]);
    let none = written(&[trace(0, 5)]).iter().map(|_| 0).collect::<Vec<u8>>();
    let mut other = good.clone();
    other[260 + 116] = 1;
    for (bytes, fragments) in [
        (&good[..100], ["a.su: size in bytes = 100", "not SU or was truncated"]),
        (
            &good[..500],
            ["size in bytes = 500", "5 samples every 4000 us if little-endian, 1280 samples every 40975 us"],
        ),
        (&none[..], ["size in bytes = 260", "0 samples every 0 us if little-endian"]),
        (&other[..], ["size in bytes = 520", "an integer number of traces of equal length"]),
    ] {
        assert_refused(with_bytes(bytes, |path| read_all(&path)), &fragments);
    }
}

#[test]
fn data_that_the_format_cannot_represent_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.su");
    for (interval, traces, fragments) in [
        (INTERVAL, vec![], ["a.su: not written: number of traces = 0", "at least 1"]),
        (INTERVAL, vec![trace(0, 0)], ["samples (bytes 115-116) = 0", "1 to 65535"]),
        (INTERVAL, vec![trace(0, 65_536)], ["samples (bytes 115-116) = 65536", "longer sample interval"]),
        (INTERVAL, vec![trace(0, 3), trace(1, 4)], ["trace 2, number of samples = 4", "3, as in all traces"]),
        (1e-7, vec![trace(0, 3)], ["sample interval = 0.0000001 s", "microseconds"]),
    ] {
        assert_refused(su::write(&path, interval, &traces, ByteOrder::Big), &fragments);
        assert!(!path.exists());
    }
    let many = su::SuLayout::new(INTERVAL, 3, 1 << 31, ByteOrder::Big);
    assert_refused(many, &["number of traces = 2147483648", "split the survey into several files"]);
}

proptest! {
    #[test]
    fn the_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        let _ = with_bytes(&bytes, |path| read_all(&path));
        let mut header = written(&[trace(0, 115)]);
        header[..bytes.len()].copy_from_slice(&bytes);
        let _ = with_bytes(&header, |path| read_all(&path));
    }
}
