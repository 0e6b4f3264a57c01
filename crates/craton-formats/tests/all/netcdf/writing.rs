//! Round trips, and data that no file can represent.

use std::io;

use super::*;
use crate::common::assert_refused;
use craton_formats::netcdf::AttributeValue;

/// A dataset with records, packed values, and attributes of all kinds.
fn dataset(largest: DataType) -> Dataset {
    let number = |name: &str, data_type, number| Attribute::number(name, data_type, number);
    Dataset {
        dimensions: vec![Dimension::new("x", 3), Dimension::unlimited("time", 2), Dimension::new("y", 2)],
        attributes: vec![
            Attribute::text("Conventions", "CF-1.11"),
            Attribute::text("comment", "µ in UTF-8"),
            Attribute::text("empty", ""),
            Attribute { name: "range".to_owned(), value: AttributeValue::Numbers(DataType::I16, vec![-1.0, 0.0, 7.0]) },
            number("step", DataType::F64, 0.1),
        ],
        variables: vec![
            Variable {
                attributes: vec![
                    number("scale_factor", DataType::F64, 0.25),
                    number("add_offset", DataType::F64, -1.0),
                    number("_FillValue", DataType::I16, -9.0),
                ],
                ..variable("packed", DataType::I16, &[1, 0])
            },
            Variable {
                attributes: vec![
                    Attribute::text("units", "m/s"),
                    number("_FillValue", DataType::F32, f64::from(1e20_f32)),
                ],
                ..variable("vp", DataType::F32, &[2, 0])
            },
            variable("flag", DataType::I8, &[1, 0]),
            variable("single", largest, &[]),
            variable("exact", DataType::F64, &[0]),
        ],
    }
}

const MISSING: f64 = f64::NAN;
const VALUES: [&[f64]; 5] = [
    &[0.25, MISSING, -1.0, 2.0, 2.25, 2.5],
    &[1500.0, 0.5, MISSING, -3.0, 0.0, f64::INFINITY],
    &[1.0, -128.0, 127.0, 0.0, 5.0, 6.0],
    &[4.0],
    &[0.1, 1e300, -0.0],
];

#[test]
fn a_dataset_survives_a_round_trip() {
    for (largest, version) in [(DataType::I32, 1), (DataType::U64, 5)] {
        let dataset = dataset(largest);
        let (_folder, path) = written(&dataset, &VALUES).unwrap();
        assert_eq!(fs::read(&path).unwrap()[..4], [b'C', b'D', b'F', version]);
        let mut reader = NetcdfReader::open(&path).unwrap();
        assert_eq!(*reader.dataset(), dataset);
        for (variable, values) in dataset.variables.iter().zip(VALUES) {
            assert_same(&reader.values_f64(&variable.name).unwrap(), values);
        }
    }
}

#[test]
fn records_of_a_single_variable_are_written_without_padding() {
    let single = Dataset {
        dimensions: vec![Dimension::unlimited("time", 3), Dimension::new("x", 3)],
        variables: vec![variable("level", DataType::I16, &[0, 1])],
        ..Dataset::default()
    };
    let (_folder, path) = written(&single, &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -7.0, -8.0, -9.0]]).unwrap();
    let bytes = |path: &Path| fs::read(path).unwrap();
    assert_eq!(bytes(&path)[100..], bytes(&sample("netcdf4_unpadded.nc"))[100..]);
}

#[test]
fn there_may_be_no_records_and_no_variables() {
    let empty = Dataset::default();
    let (_folder, path) = written(&empty, &[]).unwrap();
    assert_eq!(*NetcdfReader::open(&path).unwrap().dataset(), empty);
    let unborn = Dataset {
        dimensions: vec![Dimension::unlimited("time", 0), Dimension::new("x", 3)],
        variables: vec![variable("v", DataType::F32, &[0, 1]), variable("time", DataType::F64, &[0])],
        ..Dataset::default()
    };
    let (_folder, path) = written(&unborn, &[&[], &[]]).unwrap();
    let mut reader = NetcdfReader::open(&path).unwrap();
    assert_eq!(*reader.dataset(), unborn);
    assert!(reader.values_f64("v").unwrap().is_empty());
    assert_refused(netcdf::read_volume(&path, None), &["a.nc: length of time = 0", "v has no values"]);
}

#[test]
fn values_are_written_in_pieces() {
    let line = Dataset {
        dimensions: vec![Dimension::new("x", 100_000)],
        variables: vec![variable("v", DataType::F32, &[0])],
        ..Dataset::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    let values: Vec<_> = (0..100_000_u32).map(|value| value as f32).collect();
    netcdf::write(&path, &line, |slab| values.chunks(777).try_for_each(|some| slab.write(some))).unwrap();
    assert_eq!(NetcdfReader::open(&path).unwrap().values_f32("v").unwrap(), values);
}

#[test]
fn text_is_written_byte_by_byte() {
    let stations = Dataset {
        dimensions: vec![Dimension::new("station", 3), Dimension::new("length", 4)],
        variables: vec![variable("name", DataType::Char, &[0, 1])],
        ..Dataset::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    netcdf::write(&path, &stations, |slab| slab.write("A\0\0\0\u{e9}B ABCD".as_bytes())).unwrap();
    assert_eq!(NetcdfReader::open(&path).unwrap().texts("name").unwrap(), ["A", "\u{e9}B", "ABCD"]);
}

#[test]
fn values_and_attributes_that_no_file_can_represent_are_refused() {
    let point = |data_type, attributes| Dataset {
        dimensions: vec![Dimension::new("x", 2)],
        variables: vec![Variable { attributes, ..variable("v", data_type, &[0]) }],
        ..Dataset::default()
    };
    let fill = |number| vec![Attribute::number("_FillValue", DataType::I16, number)];
    for (data_type, attributes, values, fragments) in [
        (DataType::I16, vec![], [0.0, 1.5], ["a.nc: not written: value 1 of v = 1.5", "type short can hold"]),
        (DataType::U8, vec![], [0.0, 256.0], ["value 1 of v = 256", "type ubyte can hold"]),
        (DataType::I64, vec![], [0.0, 2_f64.powi(63)], ["value 1 of v = 9223372036854776000", "int64"]),
        (DataType::F32, vec![], [1e39, 0.0], ["value 0 of v = 1", "type float can hold"]),
        (DataType::I16, vec![], [MISSING, 0.0], ["value 0 of v = NaN", "require a `_FillValue`"]),
        (DataType::I8, fill(300.0), [MISSING, 0.0], ["value 0 of v = NaN", "of the variable's type"]),
        (DataType::I16, fill(7.0), [7.0, 0.0], ["value 0 of v = 7", "since 7 marks missing values"]),
        (DataType::I16, vec![], [0.0, -32_767.0], ["value 1 of v = -32767", "since -32767 marks missing values"]),
        (DataType::I16, fill(0.5), [7.0, 0.0], ["attribute _FillValue = 0.5", "type short can hold"]),
        (DataType::Char, vec![], [65.0, 256.0], ["value 1 of v = 256", "type char can hold"]),
        (
            DataType::I8,
            vec![Attribute::text("scale_factor", "2")],
            [0.0, 0.0],
            ["attribute scale_factor of v = `2`", "a number"],
        ),
        (DataType::I8, vec![Attribute::text("_Unsigned", "true")], [0.0, 0.0], ["_Unsigned of v", "ubyte"]),
        (DataType::I8, vec![Attribute::text("a/b", "")], [0.0, 0.0], ["name = `a/b`", "without `/`"]),
        (DataType::I8, vec![Attribute::text("a", ""); 2], [0.0, 0.0], ["attribute of v = `a`", "a unique name"]),
    ] {
        assert_refused(written(&point(data_type, attributes), &[&values]), &fragments);
    }
}

#[test]
fn shapes_that_no_file_can_represent_are_refused_and_leave_no_file() {
    let plain = || Dataset {
        dimensions: vec![Dimension::new("x", 2)],
        variables: vec![variable("v", DataType::F32, &[0])],
        ..Dataset::default()
    };
    assert_refused(written(&plain(), &[&[1.0]]), &["number of values of v = 1; expected 2"]);
    assert_refused(written(&plain(), &[&[1.0; 3]]), &["number of values of v = 3; expected 2"]);
    let with = |dimensions: &[Dimension], own: &[usize]| Dataset {
        dimensions: dimensions.to_vec(),
        variables: vec![variable("v", DataType::F32, own)],
        ..Dataset::default()
    };
    let [x, time] = [Dimension::new("x", 2), Dimension::unlimited("time", 1)];
    for (dataset, fragments) in [
        (with(&[x.clone(), x.clone()], &[0]), ["name of a dimension = `x`", "a unique name"]),
        (with(&[Dimension::new("x", 0)], &[0]), ["length of dimension x = 0", "at least 1"]),
        (
            with(&[x.clone(), time.clone()], &[0, 1]),
            ["dimension 2 of variable v = time", "the unlimited dimension first"],
        ),
        (with(&[time, Dimension::unlimited("t", 1)], &[0]), ["unlimited dimensions = time, t", "at most one"]),
        (with(&[x], &[1]), ["dimension 1 of variable v = 1", "below 1"]),
        (with(&[Dimension::new("x", u64::MAX)], &[0]), ["shape of variable v = 18446744073709551615", "2^63"]),
    ] {
        assert_refused(written(&dataset, &[&[1.0, 2.0]]), &fragments);
    }
    let folder = tempfile::tempdir().unwrap();
    let failed = netcdf::write(&folder.path().join("a.nc"), &plain(), |_| Err(io::Error::other("no values")));
    assert_refused(failed, &["a.nc: cannot write the file: no values"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
