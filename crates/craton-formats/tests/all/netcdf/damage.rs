//! Damaged files are errors or other values, never more than that.

use super::*;
use crate::common::assert_refused;
use craton_formats::netcdf::read_volume;

const SAMPLES: [&str; 4] = ["scipy_cdf1.nc", "netcdf4_cdf2.nc", "netcdf4_cdf5.nc", "netcdf4_unpadded.nc"];

/// Reads all there is.
fn read_all(path: &Path) {
    let Ok(mut reader) = NetcdfReader::open(path) else { return };
    for variable in reader.dataset().variables.clone() {
        let _ = reader.values_f64(&variable.name);
        let _ = reader.values_f32(&variable.name);
        let _ = read_volume(path, Some(&variable.name));
    }
    let _ = read_volume(path, None);
}

/// Bytes behind the last value, which fill the file up.
fn fillers(name: &str) -> usize {
    // The last variable is of three bytes.
    if name.starts_with("netcdf4_cdf") { 1 } else { 0 }
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for length in 0..bytes.len() - fillers(name) {
            assert_refused(open(&bytes[..length]), &["a.nc: ", "; expected "]);
        }
    }
}

#[test]
fn a_wrong_byte_anywhere_is_survived() {
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

/// A file of CDF-5 from words of 8 bytes, which may be parted in words of 4 bytes.
fn from_words(words: &[&[u8]]) -> Vec<u8> {
    [&[b"CDF\x05".as_slice()], words].concat().concat()
}

#[test]
fn nothing_is_believed_that_the_file_has_no_room_for() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one) = ([0; 12], 1_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let cut = |what: &'static str| ["a.nc: size in bytes = ", what, "the file was cut, or its header is damaged"];
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
fn no_variable_is_believed_that_the_file_has_no_room_for() {
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
            ["dimension 1 of variable v = 8", "a number below 0", "that of dimensions"],
        ),
        (
            variable(&[&[0; 8], &none, &word(6), &eight, &huge]),
            ["a.nc: size in bytes = ", "4611686018427387912 at least, where v ends", "the file was cut"],
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
fn a_variable_must_lie_in_the_file_behind_its_header() {
    let huge = (1_u64 << 62).to_be_bytes();
    let (none, one, eight) = ([0; 12], 1_u64.to_be_bytes(), 8_u64.to_be_bytes());
    let word = |number: u32| number.to_be_bytes();
    let records = [0; 8];
    let line = |length: [u8; 8], place: [u8; 8]| {
        let dimension = [&word(10)[..], &one, &one, b"x\0\0\0", &length].concat();
        let variable = [&word(11)[..], &one, &one, b"v\0\0\0", &one, &[0; 8], &none, &word(6), &eight, &place].concat();
        from_words(&[&records, &dimension, &none, &variable])
    };
    assert_refused(open(&line(huge, [0; 8])), &["shape of variable v = 4611686018427387904", "fewer values"]);
    assert_refused(open(&line((1_u64 << 40).to_be_bytes(), eight)), &["where v ends; the file was cut"]);
    let within = [&line(one, eight)[..], &[0; 8]].concat();
    assert_refused(open(&within), &["first byte of v = 8", "or more, behind what stands before"]);
    assert_refused(open(&line(one, [0xFF; 8])), &["first byte of v = 18446744073709551615"]);
}
