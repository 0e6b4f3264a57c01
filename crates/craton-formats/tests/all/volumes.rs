//! Values on regular grids: RSF, raw numbers, and complete SEG-Y files.

use std::fs;
use std::path::Path;

use craton_formats::raw::{self, Number};
use craton_formats::segy::{self, BinaryHeader, SampleFormat, TextHeader, Trace, TraceHeader};
use craton_formats::volume::{Axis, Volume};
use craton_formats::{ByteOrder, Result, rsf};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::assert_refused;

mod positions;

fn volume() -> Volume {
    let axes = vec![
        Axis::new(3, -5.0, 2.5).named("Depth", "m"),
        Axis::new(2, 0.1, 1e-3).named("X position", "km"),
        Axis::new(2, 0.0, -1.0),
    ];
    Volume::new(axes, (0..12).map(|value| value as f32 - 0.5).collect()).unwrap()
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn read_rsf(header: &[u8], data: &[u8]) -> Result<Volume> {
    let folder = folder_with(&[("a.rsf", header), ("data", data)]);
    rsf::read(&folder.path().join("a.rsf"))
}

fn big_endian(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn native(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

#[test]
fn the_first_axis_is_the_fastest() {
    let volume = volume();
    assert_eq!([volume.value(&[1, 0, 0]), volume.value(&[0, 1, 0]), volume.value(&[2, 1, 1])], [0.5, 2.5, 10.5]);
    assert_eq!([volume.axes()[0].place(2), volume.axes()[2].place(1)], [0.0, -1.0]);
    let axes = || vec![Axis::new(2, 0.0, 1.0), Axis::new(2, 0.0, 1.0)];
    assert_refused(Volume::new(axes(), vec![0.0; 3]), &["number of values = 3", "4, one for each of 2 x 2"]);
    assert_refused(Volume::new(vec![], vec![]), &["at least one axis"]);
    assert_refused(Volume::new(vec![Axis::new(2, 0.0, 0.0)], vec![0.0; 2]), &["axis 1 = 2 points from 0 by 0"]);
}

#[test]
fn an_rsf_file_survives_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.rsf");
    rsf::write(&path, &volume()).unwrap();
    assert_eq!(rsf::read(&path).unwrap(), volume());
    assert_eq!(fs::read(folder.path().join("model.rsf@")).unwrap(), native(volume().values()));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("n1=3 o1=-5 d1=2.5\nlabel1=\"Depth\" unit1=\"m\"\n"), "{text}");
    assert!(text.ends_with("data_format=\"native_float\" esize=4\nin=\"model.rsf@\"\n"), "{text}");
    let quoted = Volume::new(vec![Axis::new(1, 0.0, 1.0).named("a\"b", "")], vec![0.0]).unwrap();
    assert_refused(rsf::write(&path, &quoted), &["model.rsf: not written: label = a\"b", "neither quotation marks"]);
}

#[test]
fn rsf_headers_are_interpreted_like_madagascar() {
    // Later values take precedence, trailing axes of one point are dropped, and words other than `key=value` are ignored.
    let header = b"4.2 sfspike run: me@there Sun\n\n\tn1=7 n2=2 n3=1 d2=0.5 o2=-1\n\tlabel2='X axis' in=\"nowhere\"\n\
        sfwindow run: n1=3\n data_format=\"xdr_float\" esize=4 in=\"data\"\n";
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let read = read_rsf(header, &big_endian(&values)).unwrap();
    assert_eq!(read.axes(), [Axis::new(3, 0.0, 1.0), Axis::new(2, -1.0, 0.5).named("X axis", "")]);
    assert_eq!(read.values(), values);
    let mut piped = b"n1=2 n2=1 in=\"stdin\"\n\x0C\x0C\x04".to_vec();
    piped.extend(native(&values[..2]));
    let read = read_rsf(&piped, b"").unwrap();
    assert_eq!((read.axes(), read.values()), (&[Axis::new(2, 0.0, 1.0)][..], &values[..2]));
}

#[test]
fn invalid_rsf_files_are_refused() {
    let data = native(&[1.0, 2.0]);
    for (header, fragments) in [
        ("in=\"data\"", ["a.rsf:2: `n1` is missing", "number of points"]),
        ("n1=2\n", ["a.rsf:2: `in` is missing", "\"stdin\""]),
        ("n1=2\nn2=0 in=data", ["a.rsf:2: n2 = `0`", "an integer above 0"]),
        ("n1=2 d1=x in=data", ["a.rsf:1: d1 = `x`", "a number, like"]),
        ("n1=2 in=data data_format=native_complex", ["data_format = `native_complex`", "sfdd"]),
        ("n1=2 in=data esize=8", ["esize = `8`", "expected 4"]),
        ("n1=3 in=data", ["data: size of the data in bytes = 8", "12 for 3 numbers of 4 bytes"]),
        ("n1=2 d1=0 in=data", ["axis 1 = 2 points from 0 by 0", "other than 0"]),
        ("n1=2 in=stdin", ["a.rsf:1: in = `stdin`", "0c 0c 04"]),
        ("n1=2 in=nothing", ["nothing: cannot read the file", "check the path"]),
        ("n1=4000000000 n2=4000000000 in=data", ["points = 4000000000 x 4000000000", "at most"]),
    ] {
        assert_refused(read_rsf(header.as_bytes(), &data), &fragments);
    }
    // Infinite values are accepted, since the caller decides which points matter.
    assert_eq!(read_rsf(b"n1=2 in=data", &native(&[1.0, f32::INFINITY])).unwrap().values(), [1.0, f32::INFINITY]);
    assert_refused(read_rsf(&vec![b' '; 2 << 20], b""), &["size of the header in bytes = 2097152", "may not be RSF"]);
}

#[test]
fn raw_numbers_are_read_in_either_byte_order_and_precision() {
    let values = [1.5_f32, -2.0, 0.25, 8.0, 1e-3, 7.0];
    let double = |to: fn(f64) -> [u8; 8]| values.iter().flat_map(|&value| to(value.into())).collect::<Vec<_>>();
    let axes = || vec![Axis::new(3, 0.0, 10.0), Axis::new(2, 0.0, 10.0)];
    let little: Vec<_> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let folder = folder_with(&[
        ("f32.be", &big_endian(&values)),
        ("f32.le", &little),
        ("f64.be", &double(f64::to_be_bytes)),
        ("f64.le", &double(f64::to_le_bytes)),
        ("huge", &1e300_f64.to_le_bytes()),
    ]);
    let file = |name: &str| folder.path().join(name);
    for (name, number, order) in [
        ("f32.be", Number::F32, ByteOrder::Big),
        ("f32.le", Number::F32, ByteOrder::Little),
        ("f64.be", Number::F64, ByteOrder::Big),
        ("f64.le", Number::F64, ByteOrder::Little),
    ] {
        assert_eq!(raw::read(&file(name), axes(), number, order).unwrap().values(), values, "{name}");
    }
    let read = |name, axes, number| raw::read(&file(name), axes, number, ByteOrder::Little);
    let other = read("f64.le", axes(), Number::F32);
    assert_refused(
        other,
        &["f64.le: size of the data in bytes = 48; expected 24", "the size matches numbers of 8 bytes"],
    );
    let more = read("f32.le", vec![Axis::new(7, 0.0, 1.0)], Number::F32);
    assert_refused(more, &["bytes = 24; expected 28 for 7 numbers of 4 bytes", "whether the file has a header"]);
    let huge = read("huge", vec![Axis::new(1, 0.0, 1.0)], Number::F64);
    assert_eq!(huge.unwrap().values(), [f32::INFINITY]);
}

/// Writes traces of two samples with headers from `header`, and reads them.
fn read_traces(
    measurement_system: i16,
    count: usize,
    header: impl Fn(i32) -> TraceHeader,
    read: impl Fn(&Path) -> Result<Volume>,
) -> Result<Volume> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sgy");
    let metres = BinaryHeader::new(0.004, 2, SampleFormat::Ieee).unwrap();
    let binary = BinaryHeader { measurement_system, ..metres };
    let samples = |index: i32| vec![index as f32, -index as f32];
    let traces: Vec<_> =
        (0..count as i32).map(|index| Trace { header: header(index), samples: samples(index) }).collect();
    segy::write(&path, &TextHeader::cards(&[""]).unwrap(), &binary, &traces)?;
    read(&path)
}

/// Reads such traces, with coordinates in metres, as a volume.
fn section(count: usize, header: impl Fn(i32) -> TraceHeader) -> Result<Volume> {
    read_traces(1, count, header, segy::read_volume)
}

#[test]
fn a_segy_volume_has_lines_as_axes() {
    let time = Axis::new(2, -0.02, 0.004).named("time", "s");
    let by_inline = |index: i32| TraceHeader {
        delay: -20,
        inline: 100 - 2 * (index / 3),
        crossline: 7 + index % 3,
        ..TraceHeader::default()
    };
    let volume = section(6, by_inline).unwrap();
    let inline = Axis::new(2, 100.0, -2.0).named("inline", "");
    let crossline = Axis::new(3, 7.0, 1.0).named("crossline", "");
    assert_eq!(volume.axes(), [time.clone(), crossline.clone(), inline.clone()]);
    assert_eq!(volume.value(&[1, 2, 1]), -5.0);
    let by_crossline = |index: i32| TraceHeader {
        delay: -20,
        inline: 100 - 2 * (index % 2),
        crossline: 7 + index / 2,
        ..TraceHeader::default()
    };
    assert_eq!(section(6, by_crossline).unwrap().axes(), [time, inline, crossline]);
    let hole = |index: i32| by_inline(if index == 4 { 5 } else { index });
    assert_refused(section(6, hole), &["trace 5, crossline (bytes 193-196) = 9; expected 8", "fill the gaps"]);
    assert_refused(
        section(5, by_inline),
        &["number of traces = 5", "a multiple of 3, the number of traces of the first inline"],
    );
    let late = |index: i32| TraceHeader { delay: if index == 2 { 0 } else { -20 }, ..by_inline(index) };
    assert_refused(section(6, late), &["trace 3, delay (bytes 109-110) = 0 ms; expected -20 ms"]);
}

#[test]
fn a_segy_volume_has_x_and_y_axes_if_its_ensembles_are_along_them() {
    let axes = |header: &dyn Fn(i32) -> TraceHeader| section(6, header).unwrap().axes()[1..].to_vec();
    // Three cross-lines of 30 m to the north, the fastest, two in-lines of 40 m to the west.
    let at = |index: i32, cdp: [i32; 2]| TraceHeader {
        inline: index / 3,
        crossline: index % 3,
        coordinate_scalar: -10,
        cdp_x: cdp[0],
        cdp_y: cdp[1],
        ..TraceHeader::default()
    };
    let turned = |index: i32| at(index, [9000 - 400 * (index / 3), 50 + 300 * (index % 3) + index % 2]);
    let (x, y) = (Axis::new(2, 900.0, -40.0).named("x", "m"), Axis::new(3, 5.0, 30.0).named("y", "m"));
    assert_eq!(axes(&turned), [y, x]);
    let straight = |index: i32| at(index, [250 * (index % 3), 7000 + 125 * (index / 3)]);
    let (x, y) = (Axis::new(3, 0.0, 25.0).named("x", "m"), Axis::new(2, 700.0, 12.5).named("y", "m"));
    assert_eq!(axes(&straight), [x, y]);
    let numbers = [Axis::new(3, 0.0, 1.0).named("crossline", ""), Axis::new(2, 0.0, 1.0).named("inline", "")];
    let aslant = |index: i32| at(index, [250 * (index % 3) + 20 * (index / 3), 125 * (index / 3) - 40 * (index % 3)]);
    let uneven = |index: i32| at(index, [250 * (index % 3) + 30 * (index / 5), 125 * (index / 3)]);
    let on_one_line = |index: i32| at(index, [250 * (index % 3), 0]);
    for header in [&aslant as &dyn Fn(i32) -> TraceHeader, &uneven, &on_one_line] {
        assert_eq!(axes(header), numbers);
    }
}

#[test]
fn a_segy_section_has_a_distance_axis_if_its_ensembles_are_even() {
    let second_axis = |header: &dyn Fn(i32) -> TraceHeader| section(4, header).unwrap().axes()[1].clone();
    let scaled = TraceHeader { coordinate_scalar: -10, ..TraceHeader::default() };
    let even = |index: i32| TraceHeader { cdp_x: 30 * index, cdp_y: 5 - 40 * index, ..scaled.clone() };
    assert_eq!(second_axis(&even), Axis::new(4, 0.0, 5.0).named("distance", "m"));
    // Rounding moves an ensemble by less than a twentieth of the spacing.
    let straight = |index: i32| TraceHeader { cdp_x: 30 * index, cdp_y: 5 + i32::from(index == 1), ..scaled.clone() };
    assert_eq!(second_axis(&straight), Axis::new(4, 0.0, 3.0).named("x", "m"));
    // Along x, the axis has the x coordinates of the ensembles, in either direction.
    let westward = |index: i32| TraceHeader { cdp_x: 900 - 30 * index, ..scaled.clone() };
    assert_eq!(second_axis(&westward), Axis::new(4, 90.0, -3.0).named("x", "m"));
    // Bins of 6.25 m, rounded to metres.
    let whole = |index: i32| TraceHeader { cdp_x: (25 * index + 1) / 4, ..TraceHeader::default() };
    assert_eq!(second_axis(&whole), Axis::new(4, 0.0, 19.0 / 3.0).named("x", "m"));
    let numbered = Axis::new(4, 1.0, 1.0).named("trace", "");
    let uneven = |index: i32| TraceHeader { cdp_x: 30 * index * index, ..scaled.clone() };
    let angles = |index: i32| TraceHeader { coordinate_units: 2, ..even(index) };
    let off = |index: i32| TraceHeader { cdp_x: whole(index).cdp_x - 2 * i32::from(index == 1), ..whole(index) };
    for header in [&uneven as &dyn Fn(i32) -> TraceHeader, &off, &angles, &|_| TraceHeader::default()] {
        assert_eq!(second_axis(header), numbered);
    }
}

/// A foot [m].
const FOOT: f64 = 0.3048;

#[test]
fn a_segy_model_in_feet_has_axes_in_feet() {
    // Ensembles every 25 ft from 1000 ft, in tenths of a foot; samples every 4 ft of depth from 20 ft.
    let along_x = |index: i32| TraceHeader {
        coordinate_scalar: -10,
        cdp_x: 10_000 + 250 * index,
        delay: 20,
        ..TraceHeader::default()
    };
    let model =
        |system, is_placed| read_traces(system, 4, along_x, |path| segy::read_model(path, is_placed, None)).unwrap();
    for (system, name, unit) in [(0, "m", 1.0), (1, "m", 1.0), (2, "ft", FOOT)] {
        let volume = model(system, system == 0);
        let [depth, x] = [&volume.axes()[0], &volume.axes()[1]];
        for (found, expected) in
            [(depth.origin, 20.0), (depth.spacing, 4.0), (x.origin, 1000.0 * unit), (x.spacing, 25.0 * unit)]
        {
            assert!((found / expected - 1.0).abs() < 1e-14, "system {system}: {found}, {expected}");
        }
        assert_eq!([&depth.label[..], &depth.unit, &x.label, &x.unit], ["depth", name, "x", "m"]);
        assert_eq!(volume.values(), model(1, false).values(), "speeds are not converted");
    }
    // For a line that is not along an axis, the distance is also in metres.
    let aslant = |index: i32| TraceHeader { cdp_x: 30 * index, cdp_y: 40 * index, ..TraceHeader::default() };
    let axis = read_traces(2, 4, aslant, segy::read_volume).unwrap().axes()[1].clone();
    assert!(axis.label == "distance" && (axis.spacing / (50.0 * FOOT) - 1.0).abs() < 1e-14, "{axis:?}");
}

#[test]
fn the_scalar_for_times_applies_to_the_delay_of_a_segy_model() {
    let top = |delay, time_scalar| {
        let header = |_| TraceHeader { delay, time_scalar, ..TraceHeader::default() };
        read_traces(1, 4, header, |path| segy::read_model(path, false, None)).map(|volume| volume.axes()[0].origin)
    };
    for (delay, scalar, depth) in [(1000, -10, 100.0), (1000, 0, 1000.0), (12, 100, 1200.0), (0, -7, 0.0)] {
        assert_eq!(top(delay, scalar).unwrap(), depth, "{delay} with {scalar}");
    }
    let said = ["a.sgy: trace 1, time scalar (bytes 215-216) = -7", "10, 100, 1000 or 10000"];
    assert_refused(top(5, -7), &said);
    // Traces may have different scalars for one time.
    let mixed = |index: i32| TraceHeader {
        delay: [10, 100][index as usize % 2],
        time_scalar: [1, -10][index as usize % 2],
        ..TraceHeader::default()
    };
    assert_eq!(section(4, mixed).unwrap().axes()[0].origin, 0.01);
}

#[test]
fn a_segy_model_without_a_sample_interval_counts_its_samples() {
    let model = |of_file: u8, of_traces: u8| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sgy");
        let binary = BinaryHeader::new(0.004, 2, SampleFormat::Ieee).unwrap();
        let trace = Trace { header: TraceHeader::default(), samples: vec![1.0, 2.0] };
        segy::write(&path, &TextHeader::cards(&[""]).unwrap(), &binary, &[trace.clone(), trace]).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes[3216..3218].copy_from_slice(&[0, of_file]);
        for trace in [3600, 3600 + 248] {
            bytes[trace + 116..trace + 118].copy_from_slice(&[0, of_traces]);
        }
        fs::write(&path, bytes).unwrap();
        segy::read_model(&path, false, None).map(|volume| volume.axes()[0].clone())
    };
    let unknown = Axis::new(2, 0.0, 1.0).named("depth", "");
    for (of_file, of_traces, axis) in [
        (0, 0, unknown.clone()),
        (20, 10, unknown),
        (0, 10, Axis::new(2, 0.0, 0.01).named("depth", "m")),
        (10, 0, Axis::new(2, 0.0, 0.01).named("depth", "m")),
    ] {
        let found = model(of_file, of_traces).unwrap();
        assert!((found.spacing - axis.spacing).abs() < 1e-12 && found.unit == axis.unit, "{found:?}");
    }
}

proptest! {
    #[test]
    fn readers_of_volumes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), text in "[ -~\n]{0,100}") {
        let _ = read_rsf(&bytes, &bytes);
        let _ = read_rsf(format!("n1=2 in=data {text}").as_bytes(), &bytes);
        let _ = rsf::read(Path::new(&text));
    }
}
