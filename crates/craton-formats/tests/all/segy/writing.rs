//! Encoded files, and data that the format cannot represent.

use std::fs;

use craton_formats::segy::{self, BinaryHeader, SampleFormat, SegyLayout, Trace, TraceHeader};

use crate::common::assert_refused;
use crate::segy::{binary, text, trace, written};

#[test]
fn fields_are_at_the_bytes_of_the_standard() {
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
fn data_that_the_format_cannot_represent_are_not_written() {
    let ieee = SampleFormat::Ieee;
    let new = |interval, samples| BinaryHeader::new(interval, samples, ieee);
    for (made, fragments) in [
        (new(0.002, 32_768), ["samples (bytes 3221-3222) = 32768", "1 to 32767; use a longer sample interval"]),
        (new(0.002, 70_000), ["samples (bytes 3221-3222) = 70000", "1 to 32767"]),
        (new(0.002, 0), ["samples (bytes 3221-3222) = 0", "1 to 32767"]),
        (new(0.0012345, 10), ["sample interval = 0.0012345 s", "an integer from 1 to 65535 microseconds"]),
        (new(0.1, 10), ["sample interval = 0.1 s", "65535"]),
        (new(f64::NAN, 10), ["sample interval = NaN s", "65535"]),
        (
            BinaryHeader::new(0.002, 10, SampleFormat::Integer16),
            ["format (bytes 3225-3226) = 3", "read but not written"],
        ),
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
    assert_refused(broken, &["sample 1 = NaN", "expected finite samples"]);
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
fn a_binary_header_that_contradicts_the_file_is_not_written() {
    let good = binary(SampleFormat::Ieee);
    for (header, fragments) in [
        (BinaryHeader { samples: 40_000, ..good.clone() }, ["samples (bytes 3221-3222) = 40000", "1 to 32767"]),
        (BinaryHeader { sample_interval: 0, ..good.clone() }, ["interval (bytes 3217-3218) = 0", "1 to 65535"]),
        (BinaryHeader { revision: 0, ..good.clone() }, ["revision (bytes 3501-3502) = 0x0000", "`BinaryHeader::new`"]),
        (BinaryHeader { fixed_length: 0, ..good.clone() }, ["0x0100, with fixed length 0", "fixed length 1"]),
        (
            BinaryHeader { extended_textual_headers: 1, ..good.clone() },
            ["(bytes 3505-3506) = 1", "read but not written"],
        ),
        (BinaryHeader { format: 4, ..good.clone() }, ["format (bytes 3225-3226) = 4", "1 (IBM)"]),
    ] {
        assert_refused(SegyLayout::new(header, 1), &fragments);
    }
    assert_refused(
        SegyLayout::new(good, 1 << 31),
        &["number of traces = 2147483648", "split the survey into several files"],
    );
}
