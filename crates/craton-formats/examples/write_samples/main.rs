//! Writes one file of every kind, for the readers in `validation/readers` to check.
//!
//! ```text
//! cargo run -p craton-formats --example write_samples -- DIRECTORY
//! python validation/readers/check_all.py DIRECTORY
//! ```

use std::error::Error;
use std::f64::consts::PI;
use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::miniseed::{self, MiniSeedSamples, MiniSeedTrace, RecordLength, synthetic_channel};
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};
use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_formats::segy::{self, BinaryHeader, Geometry, SampleFormat, Scalars, TextHeader, Trace, TraceHeader};
use craton_formats::text_trace::{self, SpecfemName, SpecfemQuantity, TextTrace, band_letter};
use craton_formats::vtk::{
    CellBlock, CellKind, Field, Image, Mesh, NodeOrder, TimeStep, Values, write_pvd, write_vti, write_vtu,
};
use craton_formats::{ByteOrder, DateTime, Refused, Result, atomic, su};

mod asdf;
mod prodml;

const DT: f64 = 0.007;
const START_TIME: f64 = -0.36;
const ORIGIN: DateTime = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 };

/// Components of the seismogram: azimuth and inclination of each [degrees].
const COMPONENTS: [(&str, f64, f64); 3] = [("X", 90.0, 90.0), ("Y", 0.0, 90.0), ("Z", 0.0, 0.0)];

/// Counts that the readers must find, by file.
const EXPECTED: &str = r#"{
  "seismograms/XX.S10.X.velocity.sac": { "samples": 1500 },
  "seismograms/XX.S10.X.velocity.txt": { "samples": 1500 },
  "seismograms/XX.S10.HXX.semv": { "samples": 1500 },
  "seismograms/XX.S10.X.velocity.mseed": { "traces": [["XX.S10..HXX", 0.007, 1500, "FLOAT32", 512]] },
  "seismograms/seismograms.h5": {
    "stations": 2, "described": 2, "traces": 6, "twins": 3, "events": 1, "longest": 1048579, "names": [
      "XX.A..BXZ__1994-06-09T00:33:16.040000000__1994-06-09T00:33:16.090000000__short_1",
      "XX.A.00.LXZ__1969-12-31T23:59:58__1970-02-10T10:54:18__velocity"
    ]
  },
  "many.h5": {
    "stations": 2000, "described": 2000, "traces": 6000, "twins": 0, "events": 0, "longest": 100, "step": 0.0625
  },
  "fibre_borehole.h5": {
    "shape": [40, 500], "interval": 0.002, "start": "1994-06-09T00:33:16.400000", "first": 0.0, "locus": 0, "spacing": 2.5,
    "unit": "strain/s", "step": 0.000244140625
  },
  "fibre_early.h5": {
    "shape": [33, 500], "interval": 0.0003333333333333333, "start": "1969-12-31T23:59:59.912346", "first": 12.3, "locus": 18,
    "spacing": 0.7, "unit": "strain", "step": 0.000244140625
  },
  "fibre_long.h5": {
    "shape": [7, 200000], "interval": 0.0625, "start": "1994-06-09T00:33:16.400000", "first": 1000.0, "locus": 979,
    "spacing": 1.0209523, "unit": "strain/s", "step": 0.000244140625
  },
  "records.mseed": { "traces": [
    ["XX.S10.00.HXE", 0.01, 4000, "FLOAT32", 4096],
    ["XX.S10.00.HXN", 0.01, 4000, "FLOAT64", 4096],
    ["XX.S10.00.LXZ", 1.0, 4000, "INT32", 4096],
    ["XX.S10.10.VXZ", 12.5, 3, "FLOAT32", 4096],
    ["XX.S10.10.BXZ", 0.0234567890123, 4000, "FLOAT32", 4096]
  ] },
  "shot.sgy": { "traces": 12, "samples": 500 },
  "shot.su": { "traces": 12, "samples": 500 },
  "little.su": { "traces": 12, "samples": 500 },
  "exact.sgy": { "traces": 12, "samples": 500 },
  "mesh8.vtu": { "points": 60, "cells": 24, "point_data": ["reference"], "cell_data": ["material"] },
  "mesh27.vtu": { "points": 315, "cells": 24, "point_data": ["reference"], "cell_data": ["material"] },
  "surface/0001.vtu": { "points": 35, "cells": 6, "point_data": ["velocity [m/s]"], "cell_data": [] },
  "receivers.vtu": { "points": 3, "cells": 3, "point_data": [], "cell_data": ["number"] },
  "slice.vti": { "points": 12, "cells": 6, "point_data": ["pressure [Pa]"], "cell_data": ["number"] },
  "surface.pvd": { "files": 3 },
  "model.nc": { "format": "NETCDF3_CLASSIC", "shape": [3, 4, 5], "missing": 1 },
  "types.nc": { "format": "NETCDF3_64BIT_DATA", "shape": [3, 4, 5], "missing": 1 }
}
"#;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give the directory to write to")?;
    let folder = PathBuf::from(folder);
    for part in ["seismograms", "surface"] {
        fs::create_dir_all(folder.join(part))?;
    }
    for (component, azimuth, inclination) in COMPONENTS {
        write_traces(&folder.join("seismograms"), component, [azimuth, inclination])?;
    }
    asdf::write(&folder.join("seismograms/seismograms.h5"))?;
    asdf::write_many(&folder.join("many.h5"))?;
    prodml::write(&folder)?;
    write_records(&folder.join("records.mseed"))?;
    write_shot(&folder)?;
    write_mesh(&folder.join("mesh8.vtu"), CellKind::Hexahedron, 2)?;
    write_mesh(&folder.join("mesh27.vtu"), CellKind::TriquadraticHexahedron, 3)?;
    write_series(&folder)?;
    write_receivers(&folder.join("receivers.vtu"))?;
    write_slice(&folder.join("slice.vti"))?;
    write_model(&folder.join("model.nc"), DataType::I8)?;
    write_model(&folder.join("types.nc"), DataType::U8)?;
    atomic::write_bytes(&folder.join("expected.json"), EXPECTED.as_bytes())?;
    Ok(())
}

/// Writes one component of a seismogram as SAC, miniSEED, text and under SPECFEM's file name.
fn write_traces(folder: &Path, component: &str, [azimuth, inclination]: [f64; 2]) -> Result<()> {
    let samples = wave(azimuth);
    let name = format!("XX.S10.{component}.velocity");
    let sac_trace = SacTrace {
        unit: "m/s".to_owned(),
        quantity: SacQuantity::Velocity,
        origin: Some(0.0),
        reference: Some(ORIGIN),
        station_latitude: Some(-13.82),
        station_longitude: Some(-67.25),
        station_elevation: Some(0.0),
        station_depth: Some(0.0),
        event_latitude: Some(-13.9),
        event_longitude: Some(-67.5),
        event_depth_km: Some(2.0),
        event_name: "060994A".to_owned(),
        distance_km: Some(28.43728),
        event_azimuth: Some(71.89553),
        back_azimuth: Some(251.83564),
        azimuth: Some(azimuth),
        inclination: Some(inclination),
        ..SacTrace::new(["XX", "S10", component], START_TIME, DT, samples.clone())
    };
    sac::write(&folder.join(format!("{name}.sac")), &sac_trace)?;

    let letter = component.chars().next().unwrap_or('Z');
    write_mini_seed(&folder.join(format!("{name}.mseed")), letter, samples.clone())?;

    let header =
        [("network", "XX"), ("station", "S10"), ("component", component), ("quantity", "velocity"), ("unit", "m/s")];
    let text = TextTrace {
        header: header.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        start_time: START_TIME,
        dt: DT,
        samples: samples.into_iter().map(f64::from).collect(),
    };
    text_trace::write(&folder.join(format!("{name}.txt")), &text)?;
    let specfem = SpecfemName {
        network: "XX".to_owned(),
        station: "S10".to_owned(),
        band: band_letter(DT),
        component: letter,
        quantity: SpecfemQuantity::Velocity,
    };
    text_trace::write_plain(&folder.join(specfem.to_string()), &text)
}

/// The samples of a component.
fn wave(azimuth: f64) -> Vec<f32> {
    let sample = |index: u32| (f64::from(index) * 0.05 + azimuth).sin() * 1e-6 * f64::from(index % 97);
    (0..1500).map(|index| sample(index) as f32).collect()
}

/// Writes one component as miniSEED.
fn write_mini_seed(path: &Path, component: char, samples: Vec<f32>) -> Result<()> {
    let trace = MiniSeedTrace {
        network: "XX".to_owned(),
        station: "S10".to_owned(),
        location: String::new(),
        channel: synthetic_channel(DT, component),
        start: ORIGIN.later_by(START_TIME),
        interval: DT,
        samples: MiniSeedSamples::F32(samples),
    };
    miniseed::write(path, RecordLength::Bytes512, [trace])
}

/// Writes channels of all kinds to one miniSEED file: single and double precision, integers, a sampling period, an interval that is not a
/// ratio of small integers.
fn write_records(path: &Path) -> Result<()> {
    let sample = |index: u32| (f64::from(index) * 0.05).sin() * f64::from(index % 97);
    let single = |count| MiniSeedSamples::F32((0..count).map(|index| sample(index) as f32).collect());
    let channel = |location: &str, interval, component, samples| MiniSeedTrace {
        network: "XX".to_owned(),
        station: "S10".to_owned(),
        location: location.to_owned(),
        channel: synthetic_channel(interval, component),
        start: DateTime { second: 59.123_456, ..ORIGIN },
        interval,
        samples,
    };
    let traces = [
        channel("00", 0.01, 'E', single(4000)),
        channel("00", 0.01, 'N', MiniSeedSamples::F64((0..4000).map(sample).collect())),
        channel("00", 1.0, 'Z', MiniSeedSamples::I32((0..4000).map(|index| (1e7 * sample(index)) as i32).collect())),
        channel("10", 12.5, 'Z', single(3)),
        channel("10", 0.0234567890123, 'Z', single(4000)),
    ];
    miniseed::write(path, RecordLength::Bytes4096, &traces)
}

/// Writes a shot of twelve hydrophones at fractional coordinates, in IBM and IEEE numbers and as Seismic Unix.
fn write_shot(folder: &Path) -> Result<()> {
    const INTERVAL: f64 = 0.002;
    let refused = |refused: Refused| refused.unwritable(folder);
    let source = [601_234.25, 5_432_100.5];
    let geometry = |index: i32| {
        let receiver = [source[0] + 12.5 * f64::from(index), source[1] - 25.75 * f64::from(index)];
        let cdp = [0, 1].map(|axis| (source[axis] + receiver[axis]) / 2.0);
        Geometry { source, receiver, cdp, source_depth: 7.5, receiver_elevation: -9.25, ..Geometry::default() }
    };
    let all: Vec<_> = (0..12).map(geometry).collect();
    let scalars = Scalars::best(|| all.iter().copied()).map_err(refused)?;
    let trace = |(number, geometry): (i32, &Geometry)| -> Result<Trace> {
        let mut header = TraceHeader {
            trace_in_line: number,
            trace_in_file: number,
            field_record: 101,
            trace_in_record: number,
            trace_id: 1,
            delay: -36,
            measurement_unit: 1,
            ..TraceHeader::default()
        };
        header.set_geometry(geometry, scalars).map_err(refused)?;
        let sample = |time: u16| (f64::from(time) * 0.05).sin() * f64::from(number) * 1e-3 * f64::from(time % 97);
        Ok(Trace { header, samples: (0..500).map(|time| sample(time) as f32).collect() })
    };
    let traces = (1..).zip(&all).map(trace).collect::<Result<Vec<_>>>()?;
    let text = TextHeader::cards(&["ONE SHOT, TWELVE HYDROPHONES"]).map_err(refused)?;
    for (name, format) in [("shot.sgy", SampleFormat::Ibm), ("exact.sgy", SampleFormat::Ieee)] {
        let binary = BinaryHeader::new(INTERVAL, 500, format).map_err(refused)?;
        segy::write(&folder.join(name), &text, &binary, &traces)?;
    }
    su::write(&folder.join("shot.su"), INTERVAL, &traces, ByteOrder::Big)?;
    su::write(&folder.join("little.su"), INTERVAL, &traces, ByteOrder::Little)
}

/// Points of a lattice of elements with `n` nodes per side, in reference coordinates in units of elements, and the nodes of every element.
fn lattice<const D: usize>(elements: [usize; D], n: usize) -> (Vec<[f64; 3]>, Vec<u32>) {
    let shape = elements.map(|count| count * (n - 1) + 1);
    let split = |mut index: usize, shape: [usize; D]| {
        shape.map(|count| {
            let along = index % count;
            index /= count;
            along
        })
    };
    let join =
        |place: [usize; D]| place.iter().zip(&shape).rev().fold(0, |index, (along, count)| index * count + along);
    let reference = |index: usize| {
        let mut point = [0.0; 3];
        for (coordinate, along) in point.iter_mut().zip(split(index, shape)) {
            *coordinate = along as f64 / (n - 1) as f64;
        }
        point
    };
    let element = |index: usize| {
        let corner = split(index, elements).map(|along| along * (n - 1));
        let local = (0..n.pow(D as u32)).map(move |node| split(node, [n; D]));
        local.map(move |node| join(std::array::from_fn(|axis| corner[axis] + node[axis])) as u32)
    };
    let points = (0..shape.iter().product()).map(reference).collect();
    (points, (0..elements.iter().product()).flat_map(element).collect())
}

/// A slightly curved block of 4 x 3 x 2 elements. VTK interpolates the field `reference`, which must be linear within each element.
fn write_mesh(path: &Path, kind: CellKind, n: usize) -> Result<()> {
    let (reference, nodes) = lattice([4, 3, 2], n);
    let curved = |[x, y, z]: [f64; 3]| [x + 0.1 * (y * z).sin(), y + 0.1 * (PI * x).sin(), z + 0.05 * x * y];
    let points: Vec<_> = reference.iter().copied().map(curved).collect();
    let material: Vec<i32> = (0..24).map(|element| element / 12).collect();
    let block = CellBlock { kind, nodes: &nodes, order: NodeOrder::Lexicographic };
    write_vtu(
        path,
        &Mesh {
            points: &points,
            cells: &[block],
            point_data: &[Field { name: "reference", components: 3, values: Values::F64(reference.as_flattened()) }],
            cell_data: &[Field { name: "material", components: 1, values: Values::I32(&material) }],
            time: None,
        },
    )
}

/// Three snapshots of a surface of quadrilaterals, at non-integer times.
fn write_series(folder: &Path) -> Result<()> {
    let (points, nodes) = lattice([3, 2], 3);
    let block = CellBlock { kind: CellKind::BiquadraticQuad, nodes: &nodes, order: NodeOrder::Lexicographic };
    let mut steps = Vec::new();
    for number in 1..=3_u32 {
        let time = START_TIME + 0.35 * f64::from(number);
        let velocity: Vec<f32> = points.iter().flatten().map(|x| (x - time).sin() as f32).collect();
        let file = PathBuf::from(format!("surface/{number:04}.vtu"));
        write_vtu(
            &folder.join(&file),
            &Mesh {
                points: &points,
                cells: &[block],
                point_data: &[Field { name: "velocity [m/s]", components: 3, values: Values::F32(&velocity) }],
                cell_data: &[],
                time: Some(time),
            },
        )?;
        steps.push(TimeStep { time, file });
        write_pvd(&folder.join("surface.pvd"), &steps)?;
    }
    Ok(())
}

fn write_receivers(path: &Path) -> Result<()> {
    let points = [[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [2000.0, 500.0, -10.0]];
    let block = CellBlock { kind: CellKind::Vertex, nodes: &[0, 1, 2], order: NodeOrder::Vtk };
    write_vtu(
        path,
        &Mesh {
            points: &points,
            cells: &[block],
            point_data: &[],
            cell_data: &[Field { name: "number", components: 1, values: Values::I32(&[1, 2, 3]) }],
            time: None,
        },
    )
}

fn write_slice(path: &Path) -> Result<()> {
    let pressure: Vec<f64> = (0..12).map(f64::from).collect();
    write_vti(
        path,
        &Image {
            shape: [4, 3, 1],
            origin: [-100.0, 0.0, -50.0],
            spacing: [100.0, 50.0, 1.0],
            point_data: &[Field { name: "pressure [Pa]", components: 1, values: Values::F64(&pressure) }],
            cell_data: &[Field { name: "number", components: 1, values: Values::I32(&[1, 2, 3, 4, 5, 6]) }],
            time: Some(0.5),
        },
    )
}

/// Sums of three coordinates, plain and packed, and the number of the layer. The first coordinate is the record dimension; the first packed
/// sum is missing.
fn write_model(path: &Path, layer_type: DataType) -> Result<()> {
    const DEPTHS: [f64; 3] = [0.0, 12.5, 25.0];
    const LATITUDES: [f64; 4] = [-10.0, -9.5, -9.0, -8.5];
    const LONGITUDES: [f64; 5] = [30.0, 30.25, 30.5, 30.75, 31.0];
    let variable = |name: &str, data_type, dimensions: &[usize], attributes: &[Attribute]| Variable {
        name: name.to_owned(),
        data_type,
        dimensions: dimensions.into(),
        attributes: attributes.into(),
    };
    let units = |units: &str| [Attribute::text("units", units)];
    let packing = [
        Attribute::number("scale_factor", DataType::F64, 0.25),
        Attribute::number("add_offset", DataType::F64, 40.0),
        Attribute::number("_FillValue", DataType::I16, -1e4),
    ];
    let dataset = Dataset {
        dimensions: vec![
            Dimension::unlimited("depth", DEPTHS.len() as u64),
            Dimension::new("latitude", LATITUDES.len() as u64),
            Dimension::new("longitude", LONGITUDES.len() as u64),
        ],
        attributes: vec![Attribute::text("Conventions", "CF-1.11")],
        variables: vec![
            variable("depth", DataType::F64, &[0], &units("km")),
            variable("latitude", DataType::F64, &[1], &units("degrees_north")),
            variable("longitude", DataType::F64, &[2], &units("degrees_east")),
            variable("sum", DataType::F32, &[0, 1, 2], &[]),
            variable("packed_sum", DataType::I16, &[0, 1, 2], &packing),
            variable("layer", layer_type, &[0, 1], &[]),
        ],
    };
    netcdf::write(path, &dataset, |slab| {
        let depth = DEPTHS[slab.record() as usize];
        let mut sums = LATITUDES.map(|latitude| LONGITUDES.map(|longitude| depth + latitude + longitude));
        let name = &*slab.variable().name;
        if name == "packed_sum" && slab.record() == 0 {
            sums[0][0] = f64::NAN;
        }
        match name {
            "depth" => slab.write(&[depth]),
            "latitude" => slab.write(&LATITUDES),
            "longitude" => slab.write(&LONGITUDES),
            "layer" => slab.write(&[slab.record() as u8; LATITUDES.len()]),
            _ => slab.write(sums.as_flattened()),
        }
    })
}
