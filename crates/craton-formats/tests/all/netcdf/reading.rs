//! Files written by other programs.

use super::*;
use crate::common::assert_refused;
use craton_formats::netcdf::AttributeValue;

#[test]
fn a_file_of_scipy_is_read() {
    let mut reader = NetcdfReader::open(&sample("scipy_cdf1.nc")).unwrap();
    let dataset = reader.dataset();
    let lengths = [("depth", 2), ("latitude", 3), ("longitude", 4)];
    assert_eq!(dataset.dimensions, lengths.map(|(name, length)| Dimension::new(name, length)));
    assert_eq!(dataset.attributes, [Attribute::text("title", "A velocity model")]);
    let vs = dataset.variables.iter().find(|variable| variable.name == "vs").unwrap();
    let dimensions: Vec<_> = dataset.dimensions_of(vs).map(|dimension| &*dimension.name).collect();
    assert_eq!((vs.data_type, &dimensions[..]), (DataType::F32, &["depth", "latitude", "longitude"][..]));
    assert_eq!(vs.text("units"), Some("km.s-1"));
    assert_eq!(vs.attribute("missing_value"), Some(&AttributeValue::Numbers(DataType::F32, vec![99_999.0])));
    let wanted: Vec<_> = (0..24).map(|index| 3.0 + 0.125 * f64::from(index)).collect();
    assert_eq!(reader.values_f64("vs").unwrap(), wanted);
    assert_eq!(reader.values_f32("depth").unwrap(), [0.0, 25.0]);
}

#[test]
fn packed_missing_and_record_values_are_read() {
    for name in ["netcdf4_cdf2.nc", "netcdf4_cdf5.nc"] {
        let mut reader = NetcdfReader::open(&sample(name)).unwrap();
        assert_eq!(reader.dataset().records(), 2);
        assert_eq!(reader.dataset().dimensions[0], Dimension::unlimited("time", 2));
        assert_eq!(reader.values_f64("time").unwrap(), [0.0, 0.25]);
        assert_same(&reader.values_f64("temperature").unwrap(), &[10.5, 11.0, f64::NAN, 9.0, 10.0, 12.5]);
        // Bytes have no default fill value.
        assert_eq!(reader.values_f64("flag").unwrap(), [1.0, -127.0, 3.0, 4.0, 5.0, -128.0]);
        // Never written, so it holds the default fill value.
        assert_same(&reader.values_f64("crs").unwrap(), &[f64::NAN]);
        assert_refused(reader.values_f64("station"), &["type of station = char", "a numeric type"]);
        assert_eq!(reader.texts("station").unwrap(), ["abc"]);
        assert_refused(reader.texts("flag"), &["type of flag = byte", "char"]);
        assert_refused(reader.values_f64("speed"), &["variable = speed", "crs, station, time, temperature, flag"]);
    }
    let mut reader = NetcdfReader::open(&sample("netcdf4_cdf5.nc")).unwrap();
    assert_eq!(reader.values_f64("count").unwrap(), [1.0, 2_f64.powi(40), 2_f64.powi(63)]);
}

#[test]
fn records_of_a_single_variable_are_not_padded() {
    let wanted = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -7.0, -8.0, -9.0];
    let mut reader = NetcdfReader::open(&sample("netcdf4_unpadded.nc")).unwrap();
    assert_eq!(reader.values_f64("level").unwrap(), wanted);
}

#[test]
fn an_unstated_number_of_records_follows_from_the_file_size() {
    let mut bytes = fs::read(sample("netcdf4_cdf2.nc")).unwrap();
    bytes[4..8].fill(0xFF);
    assert_eq!(open(&bytes).unwrap().dataset().records(), 2);
    // Remove the last record: a time, three 2-byte numbers and three bytes, both padded.
    bytes.truncate(bytes.len() - 20);
    assert_eq!(open(&bytes).unwrap().dataset().records(), 1);
    let mut bytes = fs::read(sample("netcdf4_cdf5.nc")).unwrap();
    bytes[4..12].fill(0xFF);
    assert_eq!(open(&bytes).unwrap().dataset().records(), 2);
}

#[test]
fn other_files_are_refused_with_a_hint() {
    let hdf5 = open(b"\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0");
    assert_refused(
        hdf5,
        &["a.nc: contents = ", "a netCDF-4 file; if it is not damaged, convert it: nccopy -k classic in.nc out.nc"],
    );
    assert_refused(open(b"CDF\x03\0\0\0\0"), &["first bytes = CDF\\x03", "the byte 1, 2 or 5"]);
    assert_refused(open(b""), &["a.nc: first bytes = ; expected `CDF` and the byte 1, 2 or 5"]);
    assert_refused(NetcdfReader::open(Path::new("nowhere.nc")), &["nowhere.nc: cannot read the file"]);
}
