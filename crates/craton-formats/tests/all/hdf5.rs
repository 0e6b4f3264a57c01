//! HDF5 files, read with the crate `hdf5-reader`, which shares no code with the writer; and what is refused.

use std::fs;
use std::path::Path;

use craton_formats::hdf5::{AttributeValue, DatasetValues, Hdf5Writer, ValueType};
use hdf5_reader::Hdf5File;

use crate::common::assert_refused;

fn opened(path: &Path) -> Hdf5File {
    Hdf5File::from_vec(fs::read(path).unwrap()).unwrap()
}

#[test]
fn groups_can_be_nested_and_have_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let mut file = Hdf5Writer::create(&path).unwrap();
    let outer = file.add_group(Hdf5Writer::ROOT, "outer").unwrap();
    let inner = file.add_group(outer, "inner").unwrap();
    file.add_attribute(outer, "answer", AttributeValue::I64(-42)).unwrap();
    file.add_attribute(inner, "empty", AttributeValue::Text("")).unwrap();
    file.add_dataset(inner, "values", DatasetValues::F64(&[0.5]), &[("scale", AttributeValue::F64(2.0))]).unwrap();
    for name in ["", ".", "a/b", "é", "a\nb", "inner"] {
        assert_refused(file.add_group(outer, name), &["name in the file = `"]);
    }
    file.finish().unwrap();
    let file = opened(&path);
    assert_eq!(file.group("/outer").unwrap().attribute("answer").unwrap().read_scalar::<i64>().unwrap(), -42);
    assert_eq!(file.group("/outer/inner").unwrap().attribute("empty").unwrap().read_string().unwrap(), "");
    let values = file.dataset("/outer/inner/values").unwrap();
    assert_eq!(values.attribute("scale").unwrap().read_scalar::<f64>().unwrap(), 2.0);
    assert_eq!(values.read_array::<f64>().unwrap().into_iter().collect::<Vec<_>>(), [0.5]);
}

#[test]
fn attributes_of_all_types_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let mut file = Hdf5Writer::create(&path).unwrap();
    for (name, value) in [
        ("integer", AttributeValue::I64(i64::MIN)),
        ("float", AttributeValue::F64(-1e-300)),
        ("boolean", AttributeValue::Bool(true)),
        ("text", AttributeValue::Text("locus")),
        ("texts", AttributeValue::Texts(&["locus", "time"])),
        ("name", AttributeValue::Utf8("Bär")),
    ] {
        file.add_attribute(Hdf5Writer::ROOT, name, value).unwrap();
    }
    file.finish().unwrap();
    let file = opened(&path);
    let root = file.root_group().unwrap();
    let attribute = |name| root.attribute(name).unwrap();
    assert_eq!(attribute("integer").read_scalar::<i64>().unwrap(), i64::MIN);
    assert_eq!(attribute("float").read_scalar::<f64>().unwrap(), -1e-300);
    assert_eq!(attribute("boolean").raw_data, [1]);
    assert_eq!(attribute("text").read_string().unwrap(), "locus");
    assert_eq!(attribute("texts").read_strings().unwrap(), ["locus", "time"]);
    assert_eq!(attribute("name").read_string().unwrap(), "Bär");
}

#[test]
fn rows_of_a_dataset_are_written_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let mut file = Hdf5Writer::create(&path).unwrap();
    file.add_dataset(Hdf5Writer::ROOT, "before", DatasetValues::I8(b"abc"), &[]).unwrap();
    let group = file.add_group(Hdf5Writer::ROOT, "group").unwrap();
    let unit = [("unit", AttributeValue::Text("m"))];
    let mut rows = file.begin_dataset(group, "rows", ValueType::F32, &[3, 10_000], &unit).unwrap();
    let values: Vec<f32> = (0..30_000).map(|index| index as f32).collect();
    // Pieces need not be rows.
    for piece in values.chunks(7_001) {
        rows.append(DatasetValues::F32(piece)).unwrap();
    }
    let mut file = rows.finish().unwrap();
    file.add_dataset(group, "after", DatasetValues::I64(&[i64::MIN, -1, i64::MAX]), &[]).unwrap();
    file.finish().unwrap();
    let file = opened(&path);
    let rows = file.dataset("/group/rows").unwrap();
    assert_eq!(rows.shape(), [3, 10_000]);
    assert!(rows.read_array::<f32>().unwrap().into_iter().eq(values));
    assert_eq!(rows.attribute("unit").unwrap().read_string().unwrap(), "m");
    let after = file.dataset("/group/after").unwrap();
    assert_eq!(after.read_array::<i64>().unwrap().into_iter().collect::<Vec<_>>(), [i64::MIN, -1, i64::MAX]);
    assert_eq!(file.dataset("/before").unwrap().shape(), [3]);
}

#[test]
fn datasets_that_do_not_fit_their_shape_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let begin = |name: &str, shape: &[u64]| {
        Hdf5Writer::create(&path).unwrap().begin_dataset(Hdf5Writer::ROOT, name, ValueType::F64, shape, &[])
    };
    for (shape, fragments) in [
        (&[][..], ["number of dimensions of `a` = 0", "1 to 32"]),
        (&[1; 33], ["number of dimensions of `a` = 33", "1 to 32"]),
        (&[3, 0], ["number of values of `a` = 0", "at least 1"]),
        (&[1 << 40, 1 << 21], ["shape of `a` = [1099511627776, 2097152]", "at most 2^63 bytes"]),
        (&[u64::MAX, u64::MAX], ["shape of `a` = [18446744073709551615,", "at most 2^63 bytes"]),
    ] {
        assert_refused(begin("a", shape), &fragments);
    }
    assert_refused(begin("a/b", &[1]), &["name in the file = `a/b`"]);
    let mut rows = begin("a", &[2, 2]).unwrap();
    assert_refused(rows.append(DatasetValues::F32(&[1.0])), &["type of values of `a` = F32", "F64"]);
    rows.append(DatasetValues::F64(&[1.0, 2.0, 3.0])).unwrap();
    assert_refused(
        rows.append(DatasetValues::F64(&[4.0, 5.0])),
        &["number of values of `a` = 5", "4, for the shape [2, 2]"],
    );
    assert_refused(rows.finish(), &["number of values of `a` = 3", "expected 4, for the shape [2, 2]"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
