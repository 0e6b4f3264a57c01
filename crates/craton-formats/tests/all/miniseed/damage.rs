//! Damaged files cause errors or wrong values, but no panics.

use super::*;
use crate::common::assert_refused;
use proptest::prelude::*;

fn all_samples() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    SAMPLES.into_iter().chain(["gaps"]).map(|name| (name, fs::read(sample(name)).unwrap()))
}

#[test]
fn a_file_truncated_within_a_record_is_refused() {
    for (name, bytes) in all_samples() {
        let length = if name == "gaps" { 256 } else { 512 };
        for end in (0..bytes.len()).filter(|end| end % length != 0) {
            assert_refused(parse(&bytes[..end]), &["a.mseed: ", "; expected "]);
        }
    }
}

#[test]
fn a_corrupt_byte_anywhere_does_not_panic() {
    for (_, bytes) in all_samples() {
        for place in 0..bytes.len() {
            for wrong in [0x00, 0x01, 0x7F, 0x80, 0xFF].into_iter().chain((0..8).map(|bit| bytes[place] ^ (1 << bit))) {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                let _ = parse(&damaged);
            }
        }
    }
}

#[test]
fn two_corrupt_bytes_in_a_header_do_not_panic() {
    for name in ["steim2_little", "float64_big", "gaps"] {
        let bytes = fs::read(sample(name)).unwrap();
        for first in 20..72 {
            for second in 20..72 {
                for [one, other] in [[0xFF, 0xFF], [0, 0], [0x80, 0x7F], [0x7F, 0x01]] {
                    let mut damaged = bytes.clone();
                    (damaged[first], damaged[second]) = (one, other);
                    let _ = parse(&damaged);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn corruption_and_truncation_do_not_panic(
        which in 0..SAMPLES.len(),
        wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fs::read(sample(SAMPLES[which])).unwrap();
        for (place, byte) in wrong {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = parse(&bytes);
        let _ = parse(&bytes[..end.index(bytes.len())]);
    }

    #[test]
    fn any_bytes_after_a_header_do_not_panic(data in prop::collection::vec(any::<u8>(), 464), encoding in 0..40_u8) {
        let mut bytes = fs::read(sample("steim2_big")).unwrap();
        bytes[48..512].copy_from_slice(&data);
        let _ = parse(&bytes);
        // With blockette 1000 restored, only the data are random.
        bytes[48..64].copy_from_slice(&[0x03, 0xE8, 0, 0, encoding, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let _ = parse(&bytes);
    }
}

#[test]
fn a_wrong_steim_sample_is_reported_with_its_record() {
    for name in ["steim1_big", "steim1_little", "steim2_big", "steim2_little"] {
        let mut bytes = fs::read(sample(name)).unwrap();
        // The highest byte of the last sample of the second record.
        let highest = 512 + 64 + 8 + if name.ends_with("little") { 3 } else { 0 };
        bytes[highest] ^= 0x40;
        assert_refused(
            parse(&bytes),
            &[
                "a.mseed: record 2 at byte 512: last sample by Steim's differences",
                "as stored in the record; the record is damaged",
            ],
        );
    }
}

#[test]
fn invalid_header_fields_are_reported() {
    let good = written(RecordLength::Bytes512, &[wave(0.025, 120)]);
    let with = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[512 + at..512 + at + value.len()].copy_from_slice(value);
        bytes
    };
    for (bytes, fragments) in [
        (with(0, b"oops"), ["record 2 at byte 512: first bytes = oops02D ", "six digits"]),
        (with(20, &[0, 0]), ["year and day = 0, day 58", "1900 to 2100"]),
        (with(24, &[24]), ["start time = 2010, day 58, 24:34:14", "a valid date"]),
        (with(28, &[0x27, 0x11]), ["10001 / 10000 s", "a valid date"]),
        (with(30, &[0xFF, 0xFF]), ["number of samples = 65535", "at most 112"]),
        (with(32, &[0, 0]), ["sample rate = factor 0, multiplier 1", "above 0"]),
        (with(44, &[2, 0]), ["start of data = 512", "48 to 511"]),
        (with(46, &[0, 0]), ["blockette 1000 = none", "full SEED volume"]),
        (with(46, &[0, 9]), ["first byte of a blockette = 9", "more than 47"]),
        (with(50, &[0, 48]), ["first byte of a blockette = 48", "more than 48"]),
        (with(52, &[30]), ["record 2 at byte 512: encoding in blockette 1000 = 30", "Steim"]),
        (with(53, &[2]), ["word order in blockette 1000 = 2", "0 (little) or 1 (big)"]),
        (with(54, &[6]), ["record length in blockette 1000 = 2^6", "7 to 16"]),
        (with(54, &[255]), ["record length in blockette 1000 = 2^255", "7 to 16"]),
        (
            with(54, &[10]),
            ["bytes to the end of the file = 512", "1024, the length of the record; the file was truncated"],
        ),
        (with(64, &f32::NAN.to_be_bytes()), ["record 2 at byte 512: sample 0 = NaN", "finite"]),
    ] {
        assert_refused(parse(&bytes), &fragments);
    }
}

#[test]
fn other_formats_are_identified() {
    let sac = craton_formats::sac::SacTrace::new(["N", "S", "Z"], 0.0, 1.0, vec![1.0; 10]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sac");
    craton_formats::sac::write(&path, &sac).unwrap();
    assert_refused(miniseed::read(&path), &["a.sac: content = a SAC file", "miniSEED 2"]);
    for (bytes, what) in [
        (&b""[..], "an empty file"),
        (b"MS\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "miniSEED 3"),
        (b"<?xml version=\"1.0\"?><FDSNStationXML/>", "an XML document"),
        (b"000001V 010009402.3121970,001,00:00:00.0000~", "a full SEED volume"),
        (b"\x1F\x8B\x08\x00", "a gzip archive"),
        (b"0.0 1.0\n0.1 2.0\n", "text that starts with `0.0 1.0\\n"),
        (b"\xDE\xAD\xBE\xEF", "unknown: 4 bytes that start with `\\xde\\xad\\xbe\\xef`"),
        (b"000001D ", "text that starts with `000001D `"),
    ] {
        assert_refused(parse(bytes), &["a.mseed: content = ", what, "start with six digits and D, R, Q or M"]);
    }
}
