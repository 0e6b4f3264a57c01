//! Reading intact and damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::segy::{self, SampleFormat, SegyReader, TextEncoding, TextHeader, Trace};
use proptest::prelude::*;

use crate::common::assert_refused;
use crate::segy::{SAMPLES, binary, read_all, text, trace, written};

#[test]
fn a_file_survives_a_round_trip_with_all_headers() {
    for format in [SampleFormat::Ibm, SampleFormat::Ieee] {
        let file = written(format);
        let mut reader = SegyReader::open(&file.path).unwrap();
        assert_eq!(reader.text, text());
        assert_eq!(reader.binary, binary(format));
        assert_eq!((reader.traces.count(), reader.traces.samples_per_trace(), reader.traces.interval()), (3, 4, 0.002));
        assert_eq!(read_all(&file.path).unwrap(), [0, 1, 2].map(trace));
        // In reverse order, and headers only.
        assert_eq!(reader.traces.trace(2).unwrap(), trace(2));
        assert_eq!(reader.traces.header(0).unwrap(), trace(0).header);
        assert_refused(reader.traces.header(3), &["a.sgy: index of the trace = 3", "0 to 2"]);
    }
}

#[test]
fn textual_headers_are_read_in_either_encoding() {
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
fn missing_values_of_the_binary_header_come_from_the_first_trace() {
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
fn extended_textual_headers_are_read() {
    let file = written(SampleFormat::Ieee);
    let extended = file.changed(|bytes| {
        bytes[3505] = 2;
        bytes.splice(3600..3600, [b'A'; 6400]);
    });
    let mut reader = SegyReader::open(&extended).unwrap();
    assert_eq!((reader.extended.len(), reader.extended[1].lines[0].as_str()), (2, "A".repeat(80).as_str()));
    assert_eq!(reader.traces.trace(1).unwrap(), trace(1));
    let unknown = file.changed(|bytes| bytes[3504..3506].fill(0xFF));
    assert_refused(
        SegyReader::open(&unknown),
        &["extended textual headers (bytes 3505-3506) = -1", "((SEG: EndText)) in one of the 0 headers"],
    );
    let many = file.changed(|bytes| bytes[3505] = 1);
    assert_refused(SegyReader::open(&many), &["extended textual headers (bytes 3505-3506) = 1", "0 to 0"]);
}

#[test]
fn invalid_files_are_refused() {
    let file = written(SampleFormat::Ieee);
    let set =
        |at: usize, value: &'static [u8]| file.changed(move |bytes| bytes[at..at + value.len()].copy_from_slice(value));
    let second = 3600 + 256;
    type Change<'a> = Box<dyn Fn() -> PathBuf + 'a>;
    let cases: Vec<(Change, [&str; 2])> = vec![
        (
            Box::new(|| file.changed(|bytes| bytes.truncate(3700))),
            ["changed.sgy: size in bytes = 3700", "not SEG-Y or was truncated"],
        ),
        (
            Box::new(|| file.changed(|bytes| bytes.truncate(4300))),
            ["size in bytes = 4300", "each of 256 bytes for 4 samples"],
        ),
        (Box::new(|| set(3224, &[0, 14])), ["format (bytes 3225-3226) = 14", "1 (IBM), 5 or 6 (IEEE of 4 or 8 bytes)"]),
        (Box::new(|| set(3224, &[0, 4])), ["format (bytes 3225-3226) = 4", "fixed point with gain is obsolete"]),
        (Box::new(|| set(3224, &[0, 17])), ["format (bytes 3225-3226) = 17", "the file may not be SEG-Y"]),
        (Box::new(|| set(3500, &[3, 0])), ["revision (bytes 3501-3502) = 0x0300", "as revision 1 or 2"]),
        (
            Box::new(|| set(second + 114, &[0, 5])),
            ["trace 2, samples (bytes 115-116) = 5; expected 4", "different lengths"],
        ),
        (Box::new(|| set(second + 116, &[0, 9])), ["trace 2, sample interval (bytes 117-118) = 9", "expected 2000"]),
        (Box::new(|| set(second + 244, &[0x7F, 0x80, 0, 0])), ["trace 2, sample 1 = inf", "check the format code"]),
    ];
    for (path, fragments) in cases {
        assert_refused(read_all(&path()), &fragments);
    }
    let longer = file.changed(|bytes| {
        bytes[second + 115] = 5;
        bytes.splice(second + 256..second + 256, [0; 4]);
    });
    assert_refused(
        SegyReader::open(&longer),
        &["trace 2, samples (bytes 115-116) = 5; expected 4", "different lengths"],
    );
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

proptest! {
    #[test]
    fn ieee_samples_are_exact_and_ibm_samples_within_their_precision(
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

#[test]
fn a_number_of_samples_that_only_the_binary_header_has_is_ignored_with_a_warning() {
    let file = written(SampleFormat::Ieee);
    let path = file.changed(|bytes| bytes[3220..3222].copy_from_slice(&[0, 9]));
    let reader = SegyReader::open(&path).unwrap();
    let warning = reader.warning.unwrap();
    assert!(
        warning.contains("samples (bytes 3221-3222) = 9, but the size of the file and the trace headers"),
        "{warning}"
    );
    assert!(warning.contains("give 4, which is used"), "{warning}");
    assert_eq!(read_all(&path).unwrap(), [0, 1, 2].map(trace));
    assert_eq!(segy::warning(&path).unwrap(), warning);
    assert_eq!(segy::warning(&file.path), None);
}
