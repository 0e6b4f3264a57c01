//! Damaged files cause errors or wrong values, but no panics.

use super::*;
use crate::common::assert_refused;
use craton_formats::netcdf::read_volume;

const SAMPLES: [&str; 4] = ["scipy_cdf1.nc", "netcdf4_cdf2.nc", "netcdf4_cdf5.nc", "netcdf4_unpadded.nc"];

/// Reads everything in a file.
fn read_all(path: &Path) {
    let Ok(mut reader) = NetcdfReader::open(path) else { return };
    for variable in reader.dataset().variables.clone() {
        let _ = reader.values_f64(&variable.name);
        let _ = reader.values_f32(&variable.name);
        let _ = read_volume(path, Some(&variable.name));
    }
    let _ = read_volume(path, None);
}

/// Padding bytes after the last value.
fn fillers(name: &str) -> usize {
    // The last variable has three bytes.
    if name.starts_with("netcdf4_cdf") { 1 } else { 0 }
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for length in 0..bytes.len() - fillers(name) {
            assert_refused(open(&bytes[..length]), &["a.nc: ", "; expected "]);
        }
    }
}

#[test]
fn a_corrupt_byte_anywhere_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for place in 0..bytes.len() {
            for wrong in [0x00, 0x01, 0x7F, 0x80, 0xFF].into_iter().chain([bytes[place] ^ 0x04]) {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                fs::write(&path, damaged).unwrap();
                read_all(&path);
            }
        }
    }
}

/// A CDF-5 file from words of 8 bytes, each possibly given as two words of 4 bytes.
fn from_words(words: &[&[u8]]) -> Vec<u8> {
    [&[b"CDF\x05".as_slice()], words].concat().concat()
}

#[test]
fn counts_beyond_the_file_size_are_refused() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one) = ([0; 12], 1_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let cut = |what: &'static str| ["a.nc: size in bytes = ", what, "the file was truncated, or its header is damaged"];
    for (bytes, fragments) in [
        (from_words(&[&records, &word(10), &huge]), cut("the name of a dimension")),
        (from_words(&[&records, &word(10), &one, &huge]), cut("the name of a dimension")),
        (from_words(&[&records, &none, &word(12), &huge]), cut("the name of an attribute")),
        (from_words(&[&records, &none, &word(12), &one, &one, b"a\0\0\0", &word(6), &huge]), cut("attribute a")),
    ] {
        assert_refused(open(&bytes), &fragments);
    }
}

#[test]
fn variables_beyond_the_file_size_are_refused() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one, eight) = ([0; 12], 1_u64.to_be_bytes(), 8_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let head: [&[u8]; 7] = [&records, &none, &none, &word(11), &one, &one, b"v\0\0\0"];
    let variable = |words: &[&[u8]]| from_words(&[&head[..], words].concat());
    for (bytes, fragments) in [
        (variable(&[&huge]), ["number of dimensions of v = 4611686018427387904", "at most 1024", "damaged"]),
        (
            variable(&[&one, &eight, &none, &word(6), &eight, &huge]),
            ["dimension 1 of variable v = 8", "an index below 0", "the number of dimensions"],
        ),
        (
            variable(&[&[0; 8], &none, &word(6), &eight, &huge]),
            ["a.nc: size in bytes = ", "at least 4611686018427387912, the end of v", "the file was truncated"],
        ),
        (
            from_words(&[&records, &word(11), &one]),
            ["tag of the dimensions = 11 and 1 items", "expected 10", "damaged"],
        ),
    ] {
        assert_refused(open(&bytes), &fragments);
    }
}

#[test]
fn a_variable_must_be_within_the_file_and_after_the_header() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one, eight) = ([0; 12], 1_u64.to_be_bytes(), 8_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let line = |length: [u8; 8], place: [u8; 8]| {
        let dimension = [&word(10)[..], &one, &one, b"x\0\0\0", &length].concat();
        let variable = [&word(11)[..], &one, &one, b"v\0\0\0", &one, &[0; 8], &none, &word(6), &eight, &place].concat();
        from_words(&[&records, &dimension, &none, &variable])
    };
    assert_refused(open(&line(huge, [0; 8])), &["shape of variable v = 4611686018427387904", "less than 2^63"]);
    assert_refused(open(&line((1_u64 << 40).to_be_bytes(), eight)), &["the end of v; the file was truncated"]);
    let within = [&line(one, eight)[..], &[0; 8]].concat();
    assert_refused(open(&within), &["first byte of v = 8", "the end of what precedes it"]);
    assert_refused(open(&line(one, [0xFF; 8])), &["first byte of v = 18446744073709551615"]);
}

#[test]
fn long_names_are_shortened_in_messages() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one, eight) = ([0; 12], 1_u64.to_be_bytes(), 8_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let name = [&40_000_u64.to_be_bytes()[..], &[b'n'; 40_000]].concat();
    let short = format!("{}…; the file was truncated", "n".repeat(190));
    for (bytes, fragments) in [
        (from_words(&[&records, &none, &word(12), &one, &name, &word(6), &huge]), ["to hold attribute n", &short]),
        (
            from_words(&[&records, &none, &none, &word(11), &one, &name, &[0; 8], &none, &word(6), &eight, &huge]),
            ["the end of n", "n…; the file was truncated"],
        ),
    ] {
        let message = open(&bytes).unwrap_err().to_string();
        assert!(message.len() < 1000, "{} bytes", message.len());
        assert_refused(open(&bytes), &fragments);
    }
    let variables: Vec<_> = (0..2000).map(|index| variable(&format!("v{index}"), DataType::F32, &[])).collect();
    let dataset = Dataset { variables, ..Dataset::default() };
    let (_folder, path) = written(&dataset, &vec![&[1.0][..]; 2000]).unwrap();
    let message = NetcdfReader::open(&path).unwrap().values_f64("w").unwrap_err().to_string();
    assert!(message.contains("v0, v1, v2") && message.len() < 2000, "{} bytes", message.len());
}
