//! SEG-Y: what is written is read, by number and in any order, and what is wrong is named.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::Result;
use craton_formats::segy::{
    self, BinaryHeader, SampleFormat, SegyLayout, SegyReader, TextEncoding, TextHeader, Trace, TraceHeader,
};
use proptest::prelude::*;
use tempfile::TempDir;

mod common;
use common::assert_refused;

const INTERVAL: f64 = 0.002;
const SAMPLES: usize = 4;

fn text() -> TextHeader {
    TextHeader::cards(&["CLIENT  NOBODY", "AREA [A_1]"]).unwrap()
}

fn binary(format: SampleFormat) -> BinaryHeader {
    BinaryHeader { job: 7, line: -3, reel: 1, ..BinaryHeader::new(INTERVAL, SAMPLES, format).unwrap() }
}

/// A trace every field of whose header has a number of its own.
fn trace(index: i32) -> Trace {
    let header = TraceHeader {
        trace_in_line: index + 1,
        trace_in_file: index + 1,
        field_record: 1000 + index,
        trace_in_record: 1,
        energy_source_point: -5,
        cdp: 66,
        trace_in_cdp: 2,
        trace_id: 11,
        offset: -120 - index,
        receiver_elevation: -50_000,
        source_surface_elevation: 1200,
        source_depth: 700,
        source_water_depth: 51_000,
        receiver_water_depth: 50_100,
        elevation_scalar: -100,
        coordinate_scalar: -10,
        source_x: i32::MIN,
        source_y: i32::MAX,
        receiver_x: 12_345,
        receiver_y: -1,
        coordinate_units: 1,
        delay: -40,
        samples: SAMPLES as u16,
        sample_interval: 2000,
        cdp_x: 41,
        cdp_y: 42,
        inline: 43,
        crossline: 44,
        shotpoint: 45,
        shotpoint_scalar: -10,
        measurement_unit: 1,
    };
    Trace { header, samples: (0..SAMPLES).map(|sample| (index as f32 + 0.5) * (sample as f32 - 1.25)).collect() }
}

struct Written {
    folder: TempDir,
    path: PathBuf,
}

/// Three traces in a file of their own.
fn written(format: SampleFormat) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sgy");
    segy::write(&path, &text(), &binary(format), &[0, 1, 2].map(trace)).unwrap();
    Written { folder, path }
}

impl Written {
    /// A file of the same bytes, changed.
    fn changed(&self, change: impl Fn(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = fs::read(&self.path).unwrap();
        change(&mut bytes);
        let path = self.folder.path().join("changed.sgy");
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn read_all(path: &Path) -> Result<Vec<Trace>> {
    SegyReader::open(path)?.traces.iter().collect()
}

#[test]
fn a_file_survives_with_all_its_headers() {
    for format in [SampleFormat::Ibm, SampleFormat::Ieee] {
        let file = written(format);
        let mut reader = SegyReader::open(&file.path).unwrap();
        assert_eq!(reader.text, text());
        assert_eq!(reader.binary, binary(format));
        assert_eq!((reader.traces.count(), reader.traces.samples_per_trace(), reader.traces.interval()), (3, 4, 0.002));
        assert_eq!(read_all(&file.path).unwrap(), [0, 1, 2].map(trace));
        // Backward, and headers alone.
        assert_eq!(reader.traces.trace(2).unwrap(), trace(2));
        assert_eq!(reader.traces.header(0).unwrap(), trace(0).header);
        assert_refused(reader.traces.header(3), &["a.sgy: index of the trace = 3", "0 to 2"]);
    }
}

#[test]
fn fields_stand_where_the_standard_says() {
    let bytes = fs::read(written(SampleFormat::Ieee).path).unwrap();
    let short = |byte: usize| i16::from_be_bytes(bytes[byte - 1..][..2].try_into().unwrap());
    let long = |byte: usize| i32::from_be_bytes(bytes[byte - 1..][..4].try_into().unwrap());
    assert_eq!(bytes.len(), 3600 + 3 * (240 + 16));
    assert_eq!(bytes[..6], [0xC3, 0x40, 0xF1, 0x40, 0xC3, 0xD3]);
    assert_eq!([3201, 3205, 3209].map(long), [7, -3, 1]);
    assert_eq!([3217, 3221, 3225, 3229, 3255, 3501, 3503, 3505].map(short), [2000, 4, 5, 1, 1, 0x0100, 1, 0]);
    let second = |byte: usize| 3600 + 256 + byte;
    assert_eq!([1, 5, 9, 13, 17, 21, 25, 37].map(second).map(long), [2, 2, 1001, 1, -5, 66, 2, -121]);
    assert_eq!([41, 45, 49, 61, 65].map(second).map(long), [-50_000, 1200, 700, 51_000, 50_100]);
    assert_eq!([29, 69, 71, 89, 109, 115, 117].map(second).map(short), [11, -100, -10, 1, -40, 4, 2000]);
    assert_eq!([73, 77, 81, 85].map(second).map(long), [i32::MIN, i32::MAX, 12_345, -1]);
    assert_eq!([181, 185, 189, 193, 197].map(second).map(long), [41, 42, 43, 44, 45]);
    assert_eq!([201, 203].map(second).map(short), [-10, 1]);
    assert_eq!(long(second(241)) as u32, trace(1).samples[0].to_bits());
}

#[test]
fn textual_headers_are_read_in_either_code() {
    let file = written(SampleFormat::Ieee);
    let ascii = TextHeader { encoding: TextEncoding::Ascii, ..text() };
    segy::write(&file.path, &ascii, &binary(SampleFormat::Ieee), &[trace(0)]).unwrap();
    assert_eq!(fs::read(&file.path).unwrap()[..8], *b"C 1 CLIE");
    assert_eq!(SegyReader::open(&file.path).unwrap().text, ascii);
    assert_eq!(ascii.lines[39], "C40 END TEXTUAL HEADER");
    let blank = file.changed(|bytes| bytes[..3200].fill(0));
    assert!(SegyReader::open(&blank).unwrap().text.lines.iter().all(String::is_empty));
    assert_refused(TextHeader::cards(&["X"; 39]), &["texts of the textual header = 39", "at most 38"]);
    assert_refused(TextHeader::cards(&["Übersee"]), &["line 1 of the textual header", "printable ASCII"]);
    assert_refused(TextHeader::cards(&["", &"x".repeat(77)]), &["line 2", "at most 80"]);
}

#[test]
fn integers_are_read() {
    let file = written(SampleFormat::Ieee);
    for (code, data, expected) in [
        (2, [-2_i32, 3, i32::MAX, 0].map(i32::to_be_bytes).concat(), [-2.0, 3.0, 2_147_483_600.0, 0.0]),
        (3, [-2_i16, 3, i16::MIN, 0].map(i16::to_be_bytes).concat(), [-2.0, 3.0, -32_768.0, 0.0]),
        (8, vec![0xFE, 3, 0x80, 0], [-2.0, 3.0, -128.0, 0.0]),
    ] {
        let path = file.changed(|bytes| {
            bytes[3225] = code;
            bytes.truncate(3840);
            bytes.extend(&data);
        });
        assert_eq!(read_all(&path).unwrap()[0].samples, expected, "format {code}");
    }
}

#[test]
fn what_the_binary_header_leaves_open_the_first_trace_says() {
    let file = written(SampleFormat::Ieee);
    let old = file.changed(|bytes| {
        bytes[3216..3224].fill(0);
        bytes[3500..3506].fill(0);
    });
    assert_eq!(read_all(&old).unwrap(), [0, 1, 2].map(trace));
    let neither = file.changed(|bytes| {
        bytes[3216..3218].fill(0);
        bytes[3600 + 116..3600 + 118].fill(0);
    });
    assert_refused(
        read_all(&neither),
        &["sample interval (bytes 3217-3218) = 0", "(bytes 117-118) of the first trace"],
    );
}

#[test]
fn extended_textual_headers_are_passed() {
    let file = written(SampleFormat::Ieee);
    let extended = file.changed(|bytes| {
        bytes[3505] = 2;
        bytes.splice(3600..3600, [b'A'; 6400]);
    });
    let mut reader = SegyReader::open(&extended).unwrap();
    assert_eq!((reader.extended.len(), reader.extended[1].lines[0].as_str()), (2, "A".repeat(80).as_str()));
    assert_eq!(reader.traces.trace(1).unwrap(), trace(1));
    let unknown = file.changed(|bytes| bytes[3504..3506].fill(0xFF));
    assert_refused(SegyReader::open(&unknown), &["extended textual headers (bytes 3505-3506) = -1", "0 to 0"]);
}

#[test]
fn bad_files_are_named() {
    let file = written(SampleFormat::Ieee);
    let set =
        |at: usize, value: &'static [u8]| file.changed(move |bytes| bytes[at..at + value.len()].copy_from_slice(value));
    let second = 3600 + 256;
    type Change<'a> = Box<dyn Fn() -> PathBuf + 'a>;
    let cases: Vec<(Change, [&str; 2])> = vec![
        (
            Box::new(|| file.changed(|bytes| bytes.truncate(3700))),
            ["changed.sgy: size in bytes = 3700", "not SEG-Y, or cut"],
        ),
        (
            Box::new(|| file.changed(|bytes| bytes.truncate(4300))),
            ["size in bytes = 4300", "each of 256 bytes for 4 samples"],
        ),
        (Box::new(|| set(3224, &[0, 6])), ["format (bytes 3225-3226) = 6", "5 (IEEE)"]),
        (Box::new(|| set(3224, &[5, 0])), ["format (bytes 3225-3226) = 1280", "the file is little-endian"]),
        (Box::new(|| set(3500, &[2, 0])), ["revision (bytes 3501-3502) = 0x0200", "as revision 1"]),
        (
            Box::new(|| set(second + 114, &[0, 5])),
            ["trace 2, samples (bytes 115-116) = 5; expected 4", "several lengths"],
        ),
        (Box::new(|| set(second + 116, &[0, 9])), ["trace 2, sample interval (bytes 117-118) = 9", "expected 2000"]),
        (Box::new(|| set(second + 244, &[0x7F, 0x80, 0, 0])), ["trace 2, sample 1 = inf", "is the format code right?"]),
    ];
    for (path, fragments) in cases {
        assert_refused(read_all(&path()), &fragments);
    }
    let longer = file.changed(|bytes| {
        bytes[second + 115] = 5;
        bytes.splice(second + 256..second + 256, [0; 4]);
    });
    assert_refused(SegyReader::open(&longer), &["trace 2, samples (bytes 115-116) = 5; expected 4", "several lengths"]);
    assert_refused(
        SegyReader::open(Path::new("nowhere.sgy")),
        &["nowhere.sgy: cannot read the file", "check the path"],
    );
}

#[test]
fn an_ibm_number_beyond_single_precision_is_refused() {
    let file = written(SampleFormat::Ibm);
    let huge = file.changed(|bytes| bytes[3840..3844].copy_from_slice(&[0x61, 0x10, 0, 0]));
    assert_refused(read_all(&huge), &["trace 1, sample 0 = 3.402823669209385e38", "single precision"]);
}

#[test]
fn traces_may_be_written_in_any_order() {
    let file = written(SampleFormat::Ibm);
    let layout = SegyLayout::new(binary(SampleFormat::Ibm), 3).unwrap();
    let mut bytes = vec![0; layout.file_bytes() as usize];
    bytes[..3600].copy_from_slice(&layout.encode_file_headers(&text()).unwrap());
    for index in [2, 0, 1] {
        let mut one = Vec::new();
        let Trace { header, samples } = trace(index);
        let bare = TraceHeader { samples: 0, sample_interval: 0, ..header };
        layout.encode_trace(&bare, &samples, &mut one).unwrap();
        assert_eq!(one.len() as u64, layout.trace_bytes());
        bytes[layout.offset(index as u64) as usize..][..one.len()].copy_from_slice(&one);
    }
    assert_eq!(bytes, fs::read(&file.path).unwrap());
    let large = SegyLayout::new(binary(SampleFormat::Ibm), 2_000_000_000).unwrap();
    assert_eq!(large.file_bytes(), 3600 + 2_000_000_000 * 256);
}

#[test]
fn what_the_format_cannot_hold_is_not_written() {
    let ieee = SampleFormat::Ieee;
    let new = |interval, samples| BinaryHeader::new(interval, samples, ieee);
    for (made, fragments) in [
        (new(0.002, 32_768), ["samples (bytes 3221-3222) = 32768", "1 to 32767; take a longer sample interval"]),
        (new(0.002, 70_000), ["samples (bytes 3221-3222) = 70000", "1 to 32767"]),
        (new(0.002, 0), ["samples (bytes 3221-3222) = 0", "1 to 32767"]),
        (new(0.0012345, 10), ["sample interval = 0.0012345 s", "whole number from 1 to 65535 microseconds"]),
        (new(0.1, 10), ["sample interval = 0.1 s", "65535"]),
        (new(f64::NAN, 10), ["sample interval = NaN s", "65535"]),
        (BinaryHeader::new(0.002, 10, SampleFormat::Integer16), ["format (bytes 3225-3226) = 3", "only read"]),
    ] {
        assert_refused(made, &fragments);
    }
    assert_eq!(new(0.002 * (1.0 + 9e-7), 32_767).unwrap().sample_interval, 2000);
    assert_eq!(new(0.065535, 1).unwrap().sample_interval, 65_535);
    let layout = SegyLayout::new(binary(ieee), 1).unwrap();
    let mut bytes = vec![1, 2];
    let short = layout.encode_trace(&TraceHeader::default(), &[0.0; 3], &mut bytes);
    assert_refused(short, &["number of samples = 3", "4, as in all traces"]);
    let broken = layout.encode_trace(&TraceHeader::default(), &[0.0, f32::NAN, 0.0, 0.0], &mut bytes);
    assert_refused(broken, &["sample 1 = NaN", "unstable"]);
    assert_eq!(bytes, [1, 2]);
    assert_refused(SegyLayout::new(binary(ieee), 0), &["number of traces = 0"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sgy");
    let traces = [trace(0), Trace { samples: vec![0.0; 5], ..trace(1) }];
    let refused = segy::write(&path, &text(), &binary(ieee), &traces);
    assert_refused(refused, &["a.sgy: not written: trace 2, number of samples = 5"]);
    assert!(!path.exists());
}

#[test]
fn a_binary_header_that_contradicts_its_file_is_not_written() {
    let good = binary(SampleFormat::Ieee);
    for (header, fragments) in [
        (BinaryHeader { samples: 40_000, ..good.clone() }, ["samples (bytes 3221-3222) = 40000", "1 to 32767"]),
        (BinaryHeader { sample_interval: 0, ..good.clone() }, ["interval (bytes 3217-3218) = 0", "1 to 65535"]),
        (BinaryHeader { revision: 0, ..good.clone() }, ["revision (bytes 3501-3502) = 0x0000", "`BinaryHeader::new`"]),
        (BinaryHeader { fixed_length: 0, ..good.clone() }, ["0x0100, with fixed length 0", "fixed length 1"]),
        (BinaryHeader { extended_textual_headers: 1, ..good.clone() }, ["(bytes 3505-3506) = 1", "only read"]),
        (BinaryHeader { format: 4, ..good.clone() }, ["format (bytes 3225-3226) = 4", "1 (IBM)"]),
    ] {
        assert_refused(SegyLayout::new(header, 1), &fragments);
    }
    assert_refused(SegyLayout::new(good, 1 << 31), &["number of traces = 2147483648", "cut the survey into files"]);
}

proptest! {
    #[test]
    fn ieee_samples_survive_and_ibm_ones_within_their_bits(
        samples in prop::collection::vec(prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO, SAMPLES),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgy");
        let one = Trace { samples: samples.clone(), ..trace(0) };
        segy::write(&path, &text(), &binary(SampleFormat::Ieee), std::slice::from_ref(&one)).unwrap();
        prop_assert_eq!(&read_all(&path).unwrap()[0].samples, &samples);
        segy::write(&path, &text(), &binary(SampleFormat::Ibm), std::slice::from_ref(&one)).unwrap();
        for (read, wanted) in read_all(&path).unwrap()[0].samples.iter().zip(&samples) {
            prop_assert!((read - wanted).abs() <= wanted.abs() * 2_f32.powi(-21), "{read} {wanted}");
        }
    }

    #[test]
    fn the_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..700), at in 0_usize..4300) {
        let file = written(SampleFormat::Ibm);
        let path = file.changed(|whole| {
            let end = (at + bytes.len()).min(whole.len());
            whole[at..end].copy_from_slice(&bytes[..end - at]);
        });
        let _ = read_all(&path);
    }
}
