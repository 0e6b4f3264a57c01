//! NumPy arrays: files written by NumPy, round trips, and errors of invalid or damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::{Result, npy};
use proptest::prelude::*;

use crate::common::assert_refused;

const NAMES: [&str; 7] = ["west", "east", "south", "north", "bottom", "top", "density"];

/// Arrays written by NumPy, see `samples/make.py`.
const SAMPLES: [&str; 4] = ["f8.npy", "f8_big_fortran.npy", "f4_2.npy", "f4_big_fortran_3.npy"];

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/npy/samples").join(name)
}

/// Reads bytes as a file.
fn read(bytes: &[u8]) -> Result<Vec<Vec<f64>>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    fs::write(&path, bytes).unwrap();
    npy::read(&path)
}

/// A file of version 1.0.
fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

#[test]
fn arrays_written_by_numpy_are_read() {
    let wanted: Vec<Vec<f64>> =
        (0..7).map(|column| [0, 7].map(|before| 0.25 * f64::from(before + column) - 1.0).to_vec()).collect();
    for name in SAMPLES {
        assert_eq!(npy::read(&sample(name)).unwrap(), wanted, "{name}");
        assert_eq!(npy::read_columns(&sample(name), &NAMES).unwrap(), wanted, "{name}");
    }
}

#[test]
fn integers_of_any_size_and_byte_order_are_read() {
    for (descr, data) in [
        ("|i1", &[1, 0xFE, 3, 4][..]),
        ("<i2", &[1, 0, 0xFE, 0xFF, 3, 0, 4, 0]),
        (">i4", &[0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 3, 0, 0, 0, 4]),
    ] {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2, 2), }}");
        assert_eq!(read(&with_header(&header, data)).unwrap(), [[1.0, 3.0], [-2.0, 4.0]], "{descr}");
    }
}

#[test]
fn written_arrays_equal_those_of_numpy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let columns = npy::read(&sample("f8.npy")).unwrap();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    npy::write(&path, &columns).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(sample("f8.npy")).unwrap());
}

#[test]
fn a_wrong_number_of_columns_is_refused() {
    let message = npy::read_columns(&sample("f8.npy"), &NAMES[..3]).unwrap_err().to_string();
    assert!(
        message.ends_with("f8.npy: shape = (2, 7); expected (n, 3), a column for each of `west`, `east`, `south`"),
        "{message}"
    );
    assert_refused(npy::read_columns(&sample("f8.npy"), &NAMES[..2]), &["save its transpose, `array.T`"]);
}

#[test]
fn invalid_arrays_are_refused() {
    let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n";
    let data: Vec<u8> = [1.0_f64, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(read(&with_header(good, &data)).unwrap(), [[1.0], [2.0]]);
    assert_eq!(read(&with_header(&good.replace('\'', "\""), &data)).unwrap(), [[1.0], [2.0]]);
    for (from, to, fragments) in [
        ("(1, 2)", "(2,)", ["a.npy: shape = (2,); expected two axes", "numpy.column_stack"]),
        ("(1, 2)", "()", ["shape = (); expected two axes", "array.reshape"]),
        ("(1, 2)", "(1, 1, 2)", ["shape = (1, 1, 2); expected two axes", "array.reshape"]),
        ("(1, 2)", "(0, 2)", ["shape = (0, 2)", "at least one row"]),
        ("(1, 2)", "(1, -2)", ["shape = (1, -2)", "a pair of counts"]),
        ("(1, 2)", "2", ["shape = 2", "a pair of counts"]),
        ("(1, 2)", "(2, 2)", ["size of the data in bytes = 16; expected 32 for 2 x 2", "the file was truncated"]),
        ("(1, 2)", "(1, 1)", ["size of the data in bytes = 16; expected 8 for 1 x 1", "save one array"]),
        ("(1, 2)", "(9999999999, 9999999999)", ["expected more than a file can hold", "the file was truncated"]),
        ("<f8", "<c8", ["descr = '<c8'; expected a number type such as '<f8'", "array.astype('f8')"]),
        ("<f8", "|b1", ["descr = '|b1'; expected a number type such as '<f8'", "array.astype('f8')"]),
        ("'<f8'", "[('x', '<f8'), ('y', '<f8')]", ["descr = [('x', '<f8'), ('y', '<f8')];", "numpy.column_stack"]),
        ("False", "0", ["fortran_order = 0", "True or False"]),
        ("descr", "type", ["header = {'type'", "`descr` is missing"]),
    ] {
        assert_refused(read(&with_header(&good.replace(from, to), &data)), &fragments);
    }
    for (bytes, fragments) in [
        (&b"PK\x03\x04"[..], ["first bytes = PK\\u{3}\\u{4}; expected \\x93NUMPY", "save one array with `numpy.save`"]),
        (b"west,east", ["first bytes = west,e;", "write the array with `numpy.save`"]),
        (b"", ["first bytes = ;", "numpy.save"]),
        (b"\x93NUMPY\x04\x00\x00\x00\x00\x00", ["version = 4.0", "1.0, 2.0 or 3.0"]),
        (b"\x93NUMPY\x01\x00", ["size of the file in bytes = 8", "the file was truncated"]),
        (
            b"\x93NUMPY\x01\x00\x40\x00{}",
            ["size of the file in bytes = 12; expected at least 74", "the file was truncated"],
        ),
        (b"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", ["length of the header in bytes = 4294967295", "at most 65536"]),
    ] {
        assert_refused(read(bytes), &fragments);
    }
    let nan: Vec<u8> = [1.0, f64::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_refused(read(&with_header(good, &nan)), &["a.npy: value at [0, 1] = NaN; expected a finite number"]);
}

#[test]
fn invalid_arrays_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    assert_refused(npy::write(&path, &[]), &["a.npy: not written: number of columns = 0"]);
    assert_refused(npy::write(&path, &[&[1.0], &[]]), &["number of values in column 1 = 0; expected 1"]);
    assert!(!path.exists());
    // NaN is written for missing values, but refused by the reader.
    npy::write(&path, &[&[1.0], &[f64::NAN]]).unwrap();
    assert_refused(npy::read(&path), &["value at [0, 1] = NaN"]);
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for length in 0..bytes.len() {
            assert_refused(read(&bytes[..length]), &["a.npy: ", "; expected "]);
        }
    }
}

#[test]
fn a_corrupt_byte_anywhere_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for place in 0..bytes.len() {
            for wrong in [0x00, b'(', b'}', 0x7F, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                fs::write(&path, damaged).unwrap();
                let _ = npy::read(&path);
            }
        }
    }
}

#[test]
fn long_arrays_are_read_chunk_by_chunk_in_both_orders() {
    const ROWS: usize = 50_001;
    let value = |row: usize, column: usize| (row * 3 + column) as f64 + 0.5;
    let columns: Vec<Vec<f64>> = (0..3).map(|column| (0..ROWS).map(|row| value(row, column)).collect()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    npy::write(&path, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    assert_eq!(npy::read(&path).unwrap(), columns);
    let header = format!("{{'descr': '>f8', 'fortran_order': True, 'shape': ({ROWS}, 3), }}");
    let data: Vec<u8> = columns.iter().flatten().flat_map(|value| value.to_be_bytes()).collect();
    assert_eq!(read(&with_header(&header, &data)).unwrap(), columns);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_finite_numbers_survive_a_round_trip(rows in 1_usize..5, width in 1_usize..5, seed in prop::collection::vec(prop::num::f64::NORMAL, 16)) {
        let columns: Vec<&[f64]> = seed.chunks(rows).take(width.min(16 / rows)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        npy::write(&path, &columns).unwrap();
        prop_assert_eq!(npy::read(&path).unwrap(), columns);
    }
}
