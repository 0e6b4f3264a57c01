//! miniSEED: files written by ObsPy, round trips, and errors of invalid or damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::miniseed::{self, MiniSeedSamples, MiniSeedTrace, RecordLength};
use craton_formats::{DateTime, Result};

mod codes;
mod damage;
mod reading;
mod writing;

/// Encodings and byte orders written by ObsPy, see `samples/make.py`.
const SAMPLES: [&str; 12] = [
    "int16_big",
    "int16_little",
    "int32_big",
    "int32_little",
    "float32_big",
    "float32_little",
    "float64_big",
    "float64_little",
    "steim1_big",
    "steim1_little",
    "steim2_big",
    "steim2_little",
];

const START: DateTime = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.530123 };

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/all/miniseed/samples/{name}.mseed"))
}

fn parse(bytes: &[u8]) -> Result<Vec<MiniSeedTrace>> {
    miniseed::parse(bytes, Path::new("a.mseed"))
}

/// The samples in `samples/make.py`.
fn counts(range: std::ops::Range<i32>) -> Vec<i32> {
    range.map(|index| (index % 7 - 3) * (1 << (index / 12))).collect()
}

fn trace(interval: f64, samples: MiniSeedSamples) -> MiniSeedTrace {
    MiniSeedTrace {
        network: "CT".to_owned(),
        station: "CRTN".to_owned(),
        location: "00".to_owned(),
        channel: "BHZ".to_owned(),
        start: START,
        interval,
        samples,
    }
}

/// A trace of `count` different samples in single precision.
fn wave(interval: f64, count: usize) -> MiniSeedTrace {
    trace(interval, MiniSeedSamples::F32((0..count).map(|index| (index as f32 * 0.1).sin() * 1e-9).collect()))
}

fn written(length: RecordLength, traces: &[MiniSeedTrace]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mseed");
    miniseed::write(&path, length, traces).unwrap();
    fs::read(path).unwrap()
}
