//! Windows of volumes: each has the points of the whole volume, and only these are read.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_formats::netcdf::{self, Attribute, AttributeValue, DataType, Dataset, Dimension, NetcdfReader, Variable};
use craton_formats::raw::{self, Number};
use craton_formats::segy::{self, BinaryHeader, SampleFormat, TextHeader, Trace, TraceHeader};
use craton_formats::sofi3d::{self, Parameters, Property};
use craton_formats::volume::{Axis, Volume, VolumeReader, Window};
use craton_formats::{ByteOrder, rsf, xyz};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::assert_refused;

/// Two random points along each of up to four axes.
type Ends = [[usize; 2]; 4];

fn window(axes: &[Axis], ends: Ends) -> Window {
    let range = |(axis, ends): (&Axis, [usize; 2])| {
        let [a, b] = ends.map(|end| end % axis.count);
        a.min(b)..a.max(b) + 1
    };
    Window::new(axes, axes.iter().zip(ends).map(range).collect()).unwrap()
}

/// Reads a window and compares it with the same points of the whole volume.
fn assert_is_part(mut reader: impl VolumeReader, ends: Ends) {
    let whole = reader.read_whole().unwrap();
    let window = window(whole.axes(), ends);
    let part = reader.read(&window).unwrap();
    assert_eq!(part.values().len(), window.count());
    for (index, value) in part.values().iter().enumerate() {
        let mut rest = index;
        let mut point = Vec::new();
        for ((own, axis), range) in part.axes().iter().zip(whole.axes()).zip(window.ranges()) {
            let along = rest % own.count;
            rest /= own.count;
            point.push(range.start + along);
            let (found, wanted) = (own.place(along), axis.place(range.start + along));
            assert!((found - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()), "{found} instead of {wanted}");
        }
        assert_eq!(value.to_bits(), whole.value(&point).to_bits(), "{point:?} of {window:?}");
    }
}

/// A volume with a descending axis and an infinite value.
fn volume() -> Volume {
    let axes = vec![
        Axis::new(7, -5.0, 2.5).named("depth", "m"),
        Axis::new(5, 10.0, -1.5).named("x", "km"),
        Axis::new(4, 0.1, 0.25).named("y", "m"),
    ];
    let mut values: Vec<f32> = (0..140).map(|value| value as f32 * 0.37 - 20.0).collect();
    values[77] = f32::INFINITY;
    Volume::new(axes, values).unwrap()
}

fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Writes a depth model of 3 x 4 traces of 9 samples.
fn segy_model(format: SampleFormat, sample: impl Fn(usize, usize) -> f32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sgy");
    let header = |index: i32| TraceHeader {
        inline: 10 - index / 3,
        crossline: index % 3,
        cdp_x: 1000 + 25 * (index % 3),
        cdp_y: 500 - 50 * (index / 3),
        ..TraceHeader::default()
    };
    let samples = |index: usize| (0..9).map(|depth| sample(index, depth)).collect();
    let traces: Vec<_> =
        (0..12).map(|index| Trace { header: header(index), samples: samples(index as usize) }).collect();
    let binary = BinaryHeader::new(0.004, 9, format).unwrap();
    segy::write(&path, &TextHeader::cards(&[""]).unwrap(), &binary, &traces).unwrap();
    (folder, path)
}

/// Packed values with a missing one along (record, z, y, x), next to another variable with records.
fn netcdf_records() -> (TempDir, PathBuf) {
    let dimensions =
        vec![Dimension::unlimited("time", 3), Dimension::new("z", 2), Dimension::new("y", 3), Dimension::new("x", 5)];
    let attribute = |name: &str, data_type, number| Attribute {
        name: name.to_owned(),
        value: AttributeValue::Numbers(data_type, vec![number]),
    };
    let variable = |name: &str, data_type, attributes| Variable {
        name: name.to_owned(),
        data_type,
        dimensions: vec![0, 1, 2, 3],
        attributes,
    };
    let packed = vec![
        attribute("scale_factor", DataType::F64, 0.5),
        attribute("add_offset", DataType::F64, 3.0),
        attribute("_FillValue", DataType::I16, -5.0),
    ];
    let variables = vec![variable("a", DataType::I16, packed), variable("b", DataType::F64, Vec::new())];
    let dataset = Dataset { dimensions, variables, ..Dataset::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    netcdf::write(&path, &dataset, |slab| {
        let first = slab.record() as usize * 30;
        let values: Vec<f64> =
            (first..first + 30).map(|value| if value == 41 { f64::NAN } else { value as f64 }).collect();
        slab.write(&values)
    })
    .unwrap();
    (folder, path)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn windows_of_raw_files(ends: Ends) {
        let volume = volume();
        let single: Vec<u8> = volume.values().iter().flat_map(|value| value.to_be_bytes()).collect();
        let double: Vec<u8> = volume.values().iter().flat_map(|value| f64::from(*value).to_le_bytes()).collect();
        for (bytes, number, order) in [(single, Number::F32, ByteOrder::Big), (double, Number::F64, ByteOrder::Little)] {
            let (_folder, path) = file("a.raw", &bytes);
            assert_is_part(raw::open(&path, volume.axes().to_vec(), number, order).unwrap(), ends);
        }
        assert_is_part(&volume, ends);
    }

    #[test]
    fn windows_of_rsf_files(ends: Ends) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rsf");
        rsf::write(&path, &volume()).unwrap();
        assert_is_part(rsf::open(&path).unwrap(), ends);
        let mut piped = b"n1=7 n2=20 d2=-1 in=\"stdin\"\n\x0C\x0C\x04".to_vec();
        piped.extend(volume().values().iter().flat_map(|value| value.to_ne_bytes()));
        let (_folder, path) = file("b.rsf", &piped);
        assert_is_part(rsf::open(&path).unwrap(), ends);
    }

    #[test]
    fn windows_of_sofi3d_models(ends: Ends) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/sofi3d/samples");
        let parameters = Parameters::read(&samples.join("sofi3D.json")).unwrap();
        assert_is_part(parameters.open(Property::Vs).unwrap(), ends);
        assert_is_part(sofi3d::open(&samples.join("model/test.vp"), &parameters.grid).unwrap(), ends);
    }

    #[test]
    fn windows_of_segy_models(ends: Ends) {
        for format in [SampleFormat::Ibm, SampleFormat::Ieee] {
            let (_folder, path) = segy_model(format, |trace, depth| 1500.0 + 10.0 * trace as f32 + depth as f32);
            let reader = segy::open_model(&path, false, None).unwrap();
            let labels: Vec<&str> = reader.axes().iter().map(|axis| &*axis.label).collect();
            assert_eq!(labels, ["depth", "x", "y"]);
            assert_is_part(reader, ends);
        }
    }

    #[test]
    fn windows_of_netcdf_variables(ends: Ends) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/netcdf/samples");
        let (_folder, records) = netcdf_records();
        let names = ["scipy_cdf1.nc", "netcdf4_cdf2.nc", "netcdf4_cdf5.nc", "xarray_volume_nc4.nc", "xarray_packed_nc4.nc",
            "netcdf4_big_endian_nc4.nc", "h5netcdf_nc4.nc", "gmt_nc4.nc"];
        for path in names.map(|name| samples.join(name)).into_iter().chain([records]) {
            for variable in &NetcdfReader::open(&path).unwrap().dataset().variables {
                if variable.data_type != DataType::Char && !variable.dimensions.is_empty() {
                    assert_is_part(netcdf::open_volume(&path, Some(&variable.name)).unwrap(), ends);
                }
            }
        }
    }

    #[test]
    fn windows_of_text_files(ends: Ends, is_reversed: bool) {
        let line = |point: usize| {
            let [i, j, k] = [point % 4, point / 4 % 3, point / 12];
            format!("{} {} {} {}", 1000 + 10 * i, 5 * j, -20 * k as i32, 2000 + point)
        };
        let mut lines: Vec<String> = (0..60).map(line).collect();
        if is_reversed {
            lines.reverse();
        }
        let (_folder, path) = file("a.xyz", format!("# x y depth vp(m/s)\n{}\n", lines.join("\n")).as_bytes());
        let reader = xyz::open(&path, None).unwrap();
        assert_eq!(reader.column(), ["vp", "m/s"]);
        assert_is_part(reader, ends);
    }
}

// Files without zeros on the disk are not available everywhere.
#[cfg(unix)]
#[test]
fn only_the_window_of_a_file_is_read() {
    // 40 GB: the test neither has the memory nor the time to read it.
    let counts = [5000, 1000, 2000];
    let axes: Vec<Axis> = counts.iter().map(|&count| Axis::new(count, 0.0, 1.0)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    let mut file = File::create(&path).unwrap();
    file.set_len(4 * counts.iter().product::<usize>() as u64).unwrap();
    let point = [4321_u64, 765, 1999];
    file.seek(SeekFrom::Start(4 * ((point[2] * 1000 + point[1]) * 5000 + point[0]))).unwrap();
    file.write_all(&1.5_f32.to_le_bytes()).unwrap();
    let mut reader = raw::open(&path, axes, Number::F32, ByteOrder::Little).unwrap();
    let window = Window::new(reader.axes(), vec![4320..4323, 700..800, 1998..2000]).unwrap();
    let read = reader.read(&window).unwrap();
    assert_eq!(read.value(&[1, 65, 1]), 1.5);
    assert_eq!(read.values().iter().filter(|&&value| value == 0.0).count(), 599);
    let origins: Vec<f64> = read.axes().iter().map(|axis| axis.origin).collect();
    assert_eq!(origins, [4320.0, 700.0, 1998.0]);
}

#[test]
fn samples_outside_a_window_may_be_invalid() {
    let (_folder, path) = segy_model(SampleFormat::Ieee, |_, _| 1500.0);
    let mut bytes = fs::read(&path).unwrap();
    // Sample 6 of trace 5, which is on the second line of three traces.
    let place = 3600 + 4 * (240 + 4 * 9) + 240 + 4 * 6;
    bytes[place..place + 4].copy_from_slice(&f32::NAN.to_be_bytes());
    fs::write(&path, bytes).unwrap();
    let read = |ranges: [std::ops::Range<usize>; 3]| {
        let mut reader = segy::open_model(&path, false, None).unwrap();
        let window = Window::new(reader.axes(), ranges.to_vec()).unwrap();
        reader.read(&window)
    };
    assert_eq!(read([0..6, 0..3, 0..4]).unwrap().values(), [1500.0; 72]);
    assert_eq!(read([0..9, 0..3, 2..4]).unwrap().values(), [1500.0; 54]);
    assert_refused(read([4..8, 1..2, 1..2]), &["a.sgy: trace 5, sample 6 = NaN", "a finite number"]);
}

#[test]
fn missing_points_of_a_text_file_are_refused_in_any_window() {
    let (_folder, path) = file("a.xyz", b"x y z v\n0 0 0 1\n1 0 0 2\n0 1 0 3\n1 1 0 4\n0 0 1 5\n1 0 1 6\n0 1 1 7\n");
    assert_refused(
        xyz::open(&path, None).map(|_| ()),
        &["a.xyz:9: the points belong to a grid of 2 x 2 x 2", "at least 1 are missing"],
    );
    let (_folder, path) =
        file("a.xyz", b"x y z v\n0 0 0 1\n1 0 0 2\n0 1 0 3\n1 1 0 4\n0 0 1 5\n1 0 1 6\n0 1 1 7\n0 1 1 8\n");
    let mut reader = xyz::open(&path, None).unwrap();
    let first = Window::new(reader.axes(), vec![0..1; 3]).unwrap();
    assert_refused(reader.read(&first), &["a.xyz:9: the point x = 0, y = 1, z = 1 occurs twice"]);
}
