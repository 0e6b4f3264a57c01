//! Revision 2: longer fields, additional trace headers, the offset of the first trace, and text after the last one.

use craton_formats::ByteOrder;
use craton_formats::segy::{TraceHeader, read_model};
use proptest::prelude::*;

use crate::common::assert_refused;
use crate::segy::made::Made;

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
/// Format of one byte per sample.
const INT8: i16 = 8;

/// Three traces of two samples, each with additional headers.
fn small(order: ByteOrder, additional: usize) -> Made {
    let mut made = Made::revision_2(order, INT8, 2);
    for index in 0..3 {
        made.trace(1 + additional, &[&[index], &[10 + index]]);
    }
    made
}

/// Samples of all traces of [`small`].
const SAMPLES: [[f32; 2]; 3] = [[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]];

fn samples(made: &Made) -> Vec<Vec<f32>> {
    made.traces().unwrap().into_iter().map(|trace| trace.samples).collect()
}

#[test]
fn longer_fields_take_precedence() {
    const LONG: usize = 70_000;
    for order in ORDERS {
        let mut made = Made::revision_2(order, INT8, 11);
        made.put(3269, &(LONG as u32).to_be_bytes()).put(3273, &62.5_f64.to_be_bytes());
        // Fields of 16 bits, in the trace too, cannot hold these numbers.
        made.trace(1, &[&[1; 1]]).put_in_last(241, 115, &[0, 12]).put_in_last(241, 117, &[0, 62]);
        made.bytes.resize(3600 + 240 + LONG, 3);
        let reader = made.open().unwrap();
        assert_eq!((reader.traces.count(), reader.traces.samples_per_trace()), (1, LONG));
        assert_eq!((reader.traces.interval(), reader.warning), (62.5e-6, None));
        assert_eq!(made.traces().unwrap()[0].samples[LONG - 1], 3.0);
        // Earlier revisions do not have these fields.
        made.bytes[3500] = 1;
        assert_refused(made.open(), &["trace 1, samples (bytes 115-116) = 12; expected 11, as in the file"]);
    }
}

#[test]
fn longer_fields_that_fit_16_bits_must_agree_with_the_traces() {
    let mut made = small(ByteOrder::Big, 0);
    made.put(3221, &[0, 9]).put(3269, &2_u32.to_be_bytes()).put(3273, &500.0_f64.to_be_bytes());
    made.put_in_last(242, 115, &[0, 2]).put_in_last(242, 117, &500_u16.to_be_bytes());
    assert_eq!(samples(&made), SAMPLES);
    assert_refused(
        made.clone().put_in_last(242, 115, &[0, 3]).traces(),
        &["trace 3, samples (bytes 115-116) = 3; expected 2"],
    );
    assert_refused(
        made.put_in_last(242, 117, &[0, 9]).traces(),
        &["trace 3, sample interval (bytes 117-118) = 9; expected 500, as in the file; resample"],
    );
    // If only the number of the traces fits, it is used.
    let mut wrong = small(ByteOrder::Big, 0);
    wrong.put(3269, &1000_u32.to_be_bytes()).put(3600 + 115, &[0, 2]);
    let warning = wrong.open().unwrap().warning.unwrap();
    assert!(warning.contains("extended samples (bytes 3269-3272) = 1000, but the size of the file"), "{warning}");
}

#[test]
fn additional_trace_headers_are_skipped() {
    // Revision 2.1 has the type of the survey in the last two of the four bytes of revision 2.0, and so may files that claim to be of 2.0.
    for (order, minor, number, additional) in [
        (ByteOrder::Big, 0, [0, 0, 0, 3], 3),
        (ByteOrder::Big, 0, [0, 3, 0, 0], 3),
        (ByteOrder::Big, 1, [0, 3, 0, 9], 3),
        (ByteOrder::Big, 1, [0, 0, 0, 9], 0),
        (ByteOrder::Little, 0, [1, 0, 0, 0], 1),
        (ByteOrder::Little, 0, [1, 0, 9, 0], 1),
        (ByteOrder::Little, 1, [3, 0, 9, 0], 3),
        (ByteOrder::Little, 1, [0, 0, 9, 0], 0),
    ] {
        let mut made = small(order, additional);
        made.bytes[3506..3510].copy_from_slice(&number);
        made.bytes[3501] = minor;
        assert_eq!(samples(&made), SAMPLES, "{order:?}, {minor}, {number:?}");
        // Earlier revisions have none.
        made.bytes[3500..3502].copy_from_slice(&[1, 0]);
        assert!(additional == 0 || made.open().is_err());
    }
}

/// Two traces with extension 1, and the size of each.
fn extended(order: ByteOrder, name: &[u8; 8]) -> (Made, usize) {
    let mut made = Made::revision_2(order, INT8, 2);
    made.put(3507, &1_u32.to_be_bytes());
    for _ in 0..2 {
        made.trace(2, &[&[1], &[2]]);
        made.put_in_last(482, 71, &(-10_i16).to_be_bytes()).put_in_last(482, 185, &55_i32.to_be_bytes());
        let start = made.bytes.len() - 482 + 472;
        made.bytes[start..start + 8].copy_from_slice(name);
    }
    (made, 482)
}

#[test]
fn extension_1_replaces_numbers_of_the_trace_header() {
    let ebcdic = [0xE2, 0xC5, 0xC7, 0xF0, 0xF0, 0xF0, 0xF0, 0xF1];
    for (order, name) in ORDERS.into_iter().zip([b"SEG00001", &ebcdic]) {
        let (mut made, size) = extended(order, name);
        let integers = [(1, 7_i64), (9, 8), (17, 1001), (25, -3)];
        let lengths = [(33, -12.5), (49, 3.0), (57, 4.0), (81, 100.0), (89, 101.0)];
        let coordinates = [(97, 500_000.25), (105, -2.0), (113, 1.0), (121, 4.75), (129, -30.0), (161, 9.0)];
        for (at, number) in integers {
            made.put_in_last(size, 240 + at, &number.to_be_bytes());
        }
        for (at, number) in lengths.into_iter().chain(coordinates) {
            made.put_in_last(size, 240 + at, &f64::to_be_bytes(number));
        }
        made.put_in_last(size, 240 + 157, &[0, 1]).put_in_last(size, 240 + 137, &2_u32.to_be_bytes());
        made.put_in_last(size, 240 + 145, &2000.0_f64.to_be_bytes());
        let traces = made.traces().unwrap();
        assert_eq!(traces[0].header, TraceHeader { coordinate_scalar: -10, cdp_y: 55, ..TraceHeader::default() });
        let header = &traces[1].header;
        assert_eq!([header.trace_in_line, header.trace_in_file, header.field_record, header.cdp], [7, 8, 1001, -3]);
        let geometry = header.geometry(1.0).unwrap();
        assert_eq!((geometry.source, geometry.receiver), ([500_000.25, -2.0], [1.0, 4.75]));
        // A coordinate that the extension does not give is that of the standard header.
        assert_eq!((geometry.cdp, header.offset), ([9.0, 5.5], -30));
        assert_eq!([geometry.receiver_elevation, geometry.source_surface_elevation], [-12.5, 3.0]);
        assert_eq!(
            [geometry.source_depth, geometry.source_water_depth, geometry.receiver_water_depth],
            [4.0, 100.0, 101.0]
        );
        assert_eq!(traces[1].samples, [1.0, 2.0]);
    }
}

#[test]
fn an_additional_header_with_another_name_is_not_interpreted() {
    let (mut made, size) = extended(ByteOrder::Big, b"PRIVATE1");
    made.put_in_last(size, 241, &[9; 232]);
    assert_eq!(made.traces().unwrap()[1].header.cdp_y, 55);
    let (mut unnamed, size) = extended(ByteOrder::Big, &[0; 8]);
    unnamed.put_in_last(size, 240 + 169, &7.0_f64.to_be_bytes());
    assert_eq!(unnamed.traces().unwrap()[1].header.geometry(1.0).unwrap().cdp, [0.0, 7.0]);
}

#[test]
fn damaged_extensions_are_refused_with_the_trace() {
    let (made, size) = extended(ByteOrder::Little, b"SEG00001");
    type Row<'a> = (usize, &'a [u8], [&'a str; 2]);
    let rows: [Row; 7] = [
        (
            157,
            &[0, 2],
            ["trace 2, trace header extension 1, additional headers (bytes 157-158) = 2", "1, as in the file"],
        ),
        (137, &[0, 0, 0, 3], ["trace 2, samples (bytes 115-116) = 3; expected 2", "different lengths"]),
        (145, &[0x40, 0x59, 0, 0, 0, 0, 0, 0], ["trace 2, sample interval (bytes 117-118) = 100", "2000"]),
        (17, &[1; 8], ["field record (bytes 17-24) = 72340172838076673", "at most 2147483647"]),
        (129, &[0x7F, 0xF0, 0, 0, 0, 0, 0, 0], ["trace header extension 1, offset (bytes 129-136) = inf", "at most"]),
        (97, &[0x7F, 0xF8, 0, 0, 0, 0, 0, 0], ["length of trace header extension 1 = NaN m", "2147483647"]),
        (33, &[0x7E, 0, 0, 0, 0, 0, 0, 0], ["trace 2, length of trace header extension 1", "2147483647"]),
    ];
    for (at, number, said) in rows {
        assert_refused(made.clone().put_in_last(size, 240 + at, number).traces(), &said);
    }
    let mut truncated = made.clone();
    truncated.bytes.pop();
    assert_refused(
        truncated.open(),
        &["each of 482 bytes for 2 samples and 1 additional headers; the file was truncated"],
    );
    let mut scaled = made.clone();
    scaled.put_in_last(size, 71, &[0, 7]).put_in_last(size, 240 + 97, &1.0_f64.to_be_bytes());
    assert_refused(scaled.traces(), &["trace 2, coordinate scalar (bytes 71-72) = 7"]);
}

#[test]
fn the_offset_of_the_first_trace_takes_precedence() {
    for order in ORDERS {
        let mut made = small(order, 0);
        made.bytes.splice(3600..3600, [b'A'; 3300]);
        made.put(3521, &6900_u64.to_be_bytes());
        for (number, headers) in [(0_i16, 0), (1, 1), (5, 1), (-1, 1)] {
            made.put(3505, &number.to_be_bytes());
            assert_eq!(made.open().unwrap().extended.len(), headers, "{number}");
            assert_eq!(samples(&made), SAMPLES);
        }
        for outside in [3599, 7386 + 1, u64::MAX] {
            assert_refused(
                made.put(3521, &outside.to_be_bytes()).open(),
                &["first trace (bytes 3521-3528) = ", "3600 to 7386, or 0 if it is unknown"],
            );
        }
    }
}

#[test]
fn a_variable_number_of_textual_headers_ends_with_a_stanza() {
    let mut made = small(ByteOrder::Big, 0);
    let mut text = vec![b' '; 6400];
    text[3200 + 80..][..18].copy_from_slice(b"(( seg : Endtext))");
    made.bytes.splice(3600..3600, text);
    made.put(3505, &(-1_i16).to_be_bytes());
    for major in [1, 2] {
        made.bytes[3500] = major;
        assert_eq!(made.open().unwrap().extended.len(), 2);
        assert_eq!(samples(&made), SAMPLES);
    }
    made.bytes[3600 + 3280] = b'x';
    assert_refused(
        made.open(),
        &["extended textual headers (bytes 3505-3506) = -1", "((SEG: EndText)) in one of the 2 headers"],
    );
    assert_refused(made.put(3505, &(-2_i16).to_be_bytes()).open(), &["= -2; expected 0 to 2", "or -1"]);
}

#[test]
fn text_after_the_last_trace_is_skipped() {
    let end = |traces: u64, stanzas: i32, bytes: usize| {
        let mut made = small(ByteOrder::Little, 0);
        made.put(3513, &traces.to_be_bytes()).put(3529, &stanzas.to_be_bytes());
        made.bytes.resize(made.bytes.len() + bytes, b'(');
        made
    };
    for (traces, stanzas, bytes) in
        [(0, 0, 0), (3, 0, 0), (0, 2, 6400), (3, 2, 6400), (3, -1, 0), (3, -1, 3200), (0, -1, 0)]
    {
        assert_eq!(samples(&end(traces, stanzas, bytes)), SAMPLES, "{traces} {stanzas} {bytes}");
    }
    for (traces, stanzas, bytes, said) in [
        (
            0,
            1,
            0,
            "at least one trace, each of 242 bytes for 2 samples, and 1 trailer stanzas of 3200 bytes; the file was",
        ),
        (2, 0, 0, "3600 bytes of headers and 2 traces, each of 242 bytes"),
        (3, 1, 6400, "3 traces"),
        (4, -1, 0, "4 traces, each of 242 bytes for 2 samples, and an unknown number of trailer stanzas"),
        (3, -1, 100, "3 traces"),
        (0, -1, 3200, "since the number of traces (bytes 3513-3520) is 0 and that of trailer stanzas unknown"),
        (u64::MAX, 0, 0, "18446744073709551615 traces"),
    ] {
        assert_refused(end(traces, stanzas, bytes).open(), &["size in bytes = ", said]);
    }
}

#[test]
fn damaged_headers_of_revision_2_are_refused() {
    type Row<'a> = (usize, &'a [u8], [&'a str; 2]);
    let rows: [Row; 7] = [
        (3269, &[0xFF; 4], ["extended samples (bytes 3269-3272) = -1", "0 for the number in bytes 3221-3222"]),
        (3273, &[0xBF, 0xF0, 0, 0, 0, 0, 0, 0], ["extended sample interval (bytes 3273-3280) = -1e0", "1e-6 to 1e12"]),
        (
            3273,
            &[0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
            ["extended sample interval (bytes 3273-3280) = NaN", "bytes 3217-3218"],
        ),
        (3273, &[0x7F, 0xF0, 0, 0, 0, 0, 0, 0], ["extended sample interval (bytes 3273-3280) = inf", "1e-6 to 1e12"]),
        (3529, &[0xFF, 0xFF, 0xFF, 0xFE], ["trailer stanzas (bytes 3529-3532) = -2", "-1 if it is unknown"]),
        (
            3507,
            &[0, 0, 0, 1],
            ["trace 1, trace header extension 1, trace in line (bytes 1-8) = ", "trace headers (bytes 3507-3508)"],
        ),
        (3269, &[0x7F, 0, 0, 0], ["size in bytes = 4326", "2130706432 samples"]),
    ];
    for (at, number, said) in rows {
        assert_refused(small(ByteOrder::Big, 0).put(at, number).open(), &said);
    }
}

#[test]
fn swapped_bytes_of_the_revision_are_corrected() {
    for (order, bytes, revision) in [
        (ByteOrder::Big, [2, 1], 0x0201),
        (ByteOrder::Big, [0, 1], 0x0100),
        (ByteOrder::Big, [0, 2], 0x0200),
        (ByteOrder::Big, [0, 3], 0x0003),
        (ByteOrder::Big, [1, 2], 0x0102),
        (ByteOrder::Little, [0, 1], 0x0100),
        (ByteOrder::Little, [1, 0], 0x0100),
        (ByteOrder::Little, [1, 2], 0x0201),
        (ByteOrder::Little, [2, 1], 0x0201),
    ] {
        let mut made = small(order, 0);
        made.bytes[3500..3502].copy_from_slice(&bytes);
        assert_eq!(made.open().unwrap().binary.revision, revision, "{order:?} {bytes:?}");
    }
    let mut later = small(ByteOrder::Little, 0);
    later.bytes[3500] = 3;
    assert_refused(later.open(), &["revision (bytes 3501-3502) = 0x0300", "0, or 0x0100 to 0x02ff"]);
}

#[test]
fn data_in_depth_have_intervals_in_metres() {
    let spacing = |made: &Made| read_model(&made.written().1, true, None).unwrap().axes()[0].spacing;
    let mut made = Made::revision_2(ByteOrder::Little, INT8, 2);
    made.put(3273, &12.5_f64.to_be_bytes());
    for _ in 0..2 {
        made.trace(1, &[&[1], &[2]]).put_in_last(242, 29, &[0, 25]);
    }
    assert_eq!(spacing(made.clone().put_in_last(242, 117, &[0, 12])), 12.5);
    assert_eq!(spacing(&made), 12.5);
    // Other identification codes, and earlier revisions, have thousandths of a metre.
    assert!((spacing(made.clone().put_in_last(242, 29, &[0, 1])) - 0.0125).abs() < 1e-15);
    made.bytes[3500] = 1;
    assert!((spacing(&made) - 2.0).abs() < 1e-15);
}

#[test]
fn coordinates_at_given_bytes_have_the_scalar_of_the_standard_header() {
    let mut made = Made::revision_2(ByteOrder::Little, INT8, 2);
    made.put(3507, &1_u32.to_be_bytes());
    for index in 0..3 {
        made.trace(2, &[&[1], &[2]]).put_in_last(482, 71, &(-100_i16).to_be_bytes());
        made.put_in_last(482, 73, &(2500_i32 * index).to_be_bytes());
        made.put_in_last(482, 240 + 161, &f64::to_be_bytes(1.0 + f64::from(index)));
    }
    let (_folder, path) = made.written();
    assert_eq!(read_model(&path, false, Some([73, 77])).unwrap().axes()[1].spacing, 25.0);
    assert_eq!(read_model(&path, false, None).unwrap().axes()[1].spacing, 1.0);
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        little in any::<bool>(),
        changes in prop::collection::vec((0_usize..700, prop_oneof![Just(0), Just(1), Just(0xFF), any::<u8>()]), 1..12),
    ) {
        let (mut made, _) = extended(ORDERS[usize::from(little)], b"SEG00001");
        made.put(3269, &2_u32.to_be_bytes()).put(3513, &2_u64.to_be_bytes()).put(3529, &1_u32.to_be_bytes());
        made.bytes.extend([b'('; 3200]);
        // In the fields of revision 2, the headers of the first trace, or its samples.
        for (place, byte) in changes {
            made.bytes[if place < 84 { 3216 + place } else { 3416 + place }] = byte;
        }
        let _ = made.traces();
        let _ = read_model(&made.written().1, true, Some([181, 185]));
    }
}
