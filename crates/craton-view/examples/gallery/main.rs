//! Draws every kind of picture from made-up data: `cargo run -p craton-view --example gallery -- FOLDER`.

mod chunks;
mod fields;
mod surveys;

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use craton_view::*;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    let data = Records::layer_over_half_space();
    let traces = data.traces();
    seismograms(&traces, &seismogram_options(), folder.join("seismograms.png"))?;
    draw_sections(&folder)?;
    draw_overlay(&data, &folder)?;
    let options = SpectraOptions {
        title: "Amplitude spectra of velocity".into(),
        unit: "m/s".into(),
        resolved_frequency: Some(5.0),
        ..SpectraOptions::default()
    };
    spectra(&traces, &options, folder.join("spectra.png"))?;
    draw_models(&folder)?;
    draw_maps(&folder)?;
    draw_meshes(&folder)?;
    chunks::draw(&folder)?;
    surveys::draw(&folder)?;
    fields::draw(&folder)
}

fn seismogram_options() -> SeismogramOptions {
    SeismogramOptions {
        title: "Velocity at ten stations, a soft layer over a half-space".into(),
        unit: "m/s".into(),
        ..SeismogramOptions::default()
    }
}

/// Ricker wavelet of unit height.
fn ricker(time: f64, frequency: f64) -> f64 {
    let square = (PI * frequency * time).powi(2);
    (1.0 - 2.0 * square) * (-square).exp()
}

/// Body waves and a dispersed surface wave at a distance \[m\].
fn ground_motion(time: f64, distance: f64, component: usize) -> f64 {
    let slant = distance.hypot(2000.0);
    let body = [[0.5, 0.9], [0.4, 1.0], [0.8, 0.3]][component];
    let waves = body[0] * ricker(time - slant / 5600.0 - 0.4, 2.4) + body[1] * ricker(time - slant / 3200.0 - 0.4, 1.9);
    let train: f64 = (1..=14)
        .map(|i| {
            let frequency = 0.35 + 0.12 * f64::from(i);
            let speed = 3100.0 - 85.0 * f64::from(i);
            let late = time - distance / speed - 0.4;
            (2.0 * PI * frequency * late + component as f64).cos() * (-(late / 0.9).powi(2)).exp() / 14.0
        })
        .sum();
    (waves * 2000.0 / slant + 1.4 * train * (2000.0 / slant).sqrt()) * 0.35
}

/// Samples of many traces and their metadata.
struct Records {
    dt: f64,
    entries: Vec<(String, &'static str, f64, Vec<f64>)>,
}

impl Records {
    fn new(stations: impl Iterator<Item = (String, f64)>, dt: f64, duration: f64) -> Self {
        let count = (duration / dt) as usize + 1;
        let entries = stations
            .flat_map(|(name, distance)| {
                ["X", "Y", "Z"].into_iter().enumerate().map(move |(index, component)| {
                    let motion = |i: usize| ground_motion(i as f64 * dt, distance, index);
                    (name.clone(), component, distance, (0..count).map(motion).collect())
                })
            })
            .collect();
        Self { dt, entries }
    }

    fn layer_over_half_space() -> Self {
        let stations = (1..=10).map(|i| (format!("XX.S{i:02}"), 1000.0 * f64::from(i)));
        Self::new(stations, 0.01, 9.0)
    }

    fn traces(&self) -> Vec<Trace<'_>> {
        self.entries
            .iter()
            .map(|(label, component, distance, samples)| Trace {
                label,
                component,
                t0: 0.0,
                dt: self.dt,
                samples,
                offset_m: Some(*distance),
            })
            .collect()
    }
}

fn draw_sections(folder: &Path) -> Result<()> {
    let line = Records::new((0..40).map(|i| (format!("R{:02}", i + 1), 400.0 + 600.0 * f64::from(i))), 0.01, 14.0);
    let traces = line.traces();
    let options = RecordSectionOptions {
        title: "Record section".into(),
        unit: "m/s".into(),
        gain: 1.4,
        ..RecordSectionOptions::default()
    };
    record_section(&traces, &options, folder.join("record_section.png"))?;
    let vertical: Vec<Trace<'_>> = traces.iter().copied().filter(|trace| trace.component == "Z").collect();
    let options = RecordSectionOptions {
        title: "Vertical component, times reduced".into(),
        reduction_speed: Some(5600.0),
        window: Some([0.0, 6.0]),
        fill: false,
        gain: 1.8,
        ..options
    };
    record_section(&vertical, &options, folder.join("record_section_reduced.png"))?;
    let options = RecordSectionOptions {
        title: "Traces in their order".into(),
        unit: "m/s".into(),
        spread: Spread::Index,
        scaling: Scaling::Common,
        ..RecordSectionOptions::default()
    };
    let few: Vec<Trace<'_>> = traces.iter().copied().take(36).collect();
    record_section(&few, &options, folder.join("record_section_index.png"))
}

fn draw_overlay(data: &Records, folder: &Path) -> Result<()> {
    let late = Records {
        dt: data.dt,
        entries: data
            .entries
            .iter()
            .map(|(name, component, distance, samples)| {
                let shifted = samples.iter().zip(&samples[1..]).map(|(a, b)| 1.004 * (0.2 * a + 0.8 * b));
                (name.clone(), *component, *distance, shifted.collect())
            })
            .collect(),
    };
    let (references, tests) = (data.traces(), late.traces());
    let notes: Vec<String> = references
        .iter()
        .zip(&tests)
        .map(|(reference, test)| {
            let pairs = || reference.samples.iter().zip(test.samples);
            let misfit: f64 = pairs().map(|(a, b)| (a - b).powi(2)).sum();
            let size: f64 = pairs().map(|(a, _)| a * a).sum();
            format!("rel. L2 {:.2} %", 100.0 * (misfit / size).sqrt())
        })
        .collect();
    let pairs: Vec<TracePair<'_>> = references
        .iter()
        .zip(&tests)
        .zip(&notes)
        .map(|((reference, test), note)| TracePair { reference: *reference, test: *test, note })
        .collect();
    let options = OverlayOptions {
        title: "Comparison with the reference".into(),
        unit: "m/s".into(),
        test_name: "spectral elements".into(),
        ..OverlayOptions::default()
    };
    overlay(&pairs[..18], &options, folder.join("overlay.png"))
}

fn stations() -> Vec<StationMark> {
    (1..=10)
        .map(|i| StationMark { label: format!("S{i:02}"), position: [800.0 * f64::from(i), 600.0 * f64::from(i), 0.0] })
        .collect()
}

fn draw_models(folder: &Path) -> Result<()> {
    let source = SourceMark { position: [0.0, 0.0, -2000.0], moment_tensor: Some([0.0, 0.0, 0.0, 0.0, 0.0, 1e18]) };
    let layered = |[_, _, z]: [f64; 3]| if z > -1000.0 { 2000.0 } else { 3464.0 };
    let stations = stations();
    let view = ModelView {
        domain: [[-4000.0, 14000.0], [-4000.0, 14000.0], [-12000.0, 0.0]],
        property: &layered,
        topography: None,
        interfaces: &[],
        sources: &[source],
        stations: &stations,
    };
    let options = ModelOptions { title: "A soft layer over a half-space".into(), ..ModelOptions::default() };
    model_section(&view, &options, folder.join("model_layer.png"))?;

    let ground = |[x, y]: [f64; 2]| {
        900.0 * (-((x - 14e3) / 5e3).powi(2) - ((y - 30e3) / 9e3).powi(2)).exp()
            + 500.0 * (x / 6e3).sin() * (y / 8e3).cos()
    };
    let basin = |[x, y]: [f64; 2]| -300.0 - 3500.0 * (-((x - 30e3) / 12e3).powi(2) - ((y - 20e3) / 9e3).powi(2)).exp();
    let property = |[x, y, z]: [f64; 3]| {
        let depth = ground([x, y]) - z;
        match z {
            z if z > ground([x, y]) => f64::NAN,
            z if z > basin([x, y]) => 900.0 + 0.35 * depth,
            _ => 2600.0 + 0.09 * depth,
        }
    };
    let sources = [
        SourceMark { position: [22e3, 26e3, -7000.0], moment_tensor: Some([-1.0, 0.0, 1.0, 0.0, 0.0, 0.3]) },
        SourceMark { position: [45e3, 10e3, -3000.0], moment_tensor: Some([0.7, 0.3, -1.0, 0.2, 0.1, 0.0]) },
    ];
    let stations: Vec<StationMark> = (0..14)
        .map(|i| StationMark {
            label: format!("BA.{:02}", i + 1),
            position: [4e3 + 4e3 * f64::from(i), 6e3 + 1e3 * f64::from(i * 7 % 28), 200.0],
        })
        .collect();
    let view = ModelView {
        domain: [[0.0, 60e3], [0.0, 40e3], [-10e3, 1500.0]],
        property: &property,
        topography: Some(&ground),
        interfaces: &[&basin],
        sources: &sources,
        stations: &stations,
    };
    let options = ModelOptions { title: "A basin under topography".into(), ..ModelOptions::default() };
    model_section(&view, &options, folder.join("model_basin.png"))
}

fn draw_maps(folder: &Path) -> Result<()> {
    let size = [181, 141];
    let point = |index: usize| {
        let (i, j) = (index % size[0], index / size[0]);
        (-4000.0 + 100.0 * i as f64, -4000.0 + 100.0 * j as f64)
    };
    let count = size[0] * size[1];
    let relief: Vec<f64> =
        (0..count).map(point).map(|(x, y)| 300.0 * (x / 1900.0).sin() * (y / 2600.0).cos() + 0.03 * x).collect();
    let raster = |values| Raster { size, x: [-4000.0, 14000.0], y: [-4000.0, 10000.0], values };
    let wave = |time: f64| -> Vec<f64> {
        let radiation = |x: f64, y: f64| {
            let distance = x.hypot(y).max(300.0);
            let lobes = 2.0 * x * y / (distance * distance);
            1e-3 * lobes * ground_motion(time, distance, 0)
        };
        (0..count).map(point).map(|(x, y)| radiation(x, y)).collect()
    };
    let options = MapOptions {
        title: "Velocity on the surface".into(),
        quantity: "vx".into(),
        unit: "m/s".into(),
        part: 0.998,
        sources: vec![[0.0, 0.0]],
        stations: stations().iter().map(|s| [s.position[0], s.position[1]]).collect(),
        ..MapOptions::default()
    };
    let fields: Vec<(f64, Vec<f64>)> = [1.0, 2.5, 4.0].into_iter().map(|time| (time, wave(time))).collect();
    let fields: Vec<(f64, Raster<'_>)> = fields.iter().map(|(time, values)| (*time, raster(values))).collect();
    frames(&fields, &options, folder.join("frames"))?;

    let peak: Vec<f64> = (0..count)
        .map(point)
        .map(|(x, y)| 0.4 / (1.0 + (x.hypot(y) / 2500.0).powi(2)) * (1.0 + 0.3 * (x / 900.0).sin()))
        .collect();
    let options = MapOptions {
        title: "Peak ground velocity over the relief".into(),
        quantity: "PGV".into(),
        colours: ColourMap::Lajolla,
        reversed: true,
        part: 1.0,
        relief: Some(raster(&relief)),
        contours: vec![0.1, 0.2],
        ..options
    };
    map(&raster(&peak), &options, folder.join("map_relief.png"))
}

fn draw_meshes(folder: &Path) -> Result<()> {
    let ground = |x: f64, y: f64| 700.0 * (-((x - 6e3) / 3e3).powi(2) - ((y - 5e3) / 3e3).powi(2)).exp();
    let faces = box_faces(24, 20, [10, 4], &ground);
    let options = MeshOptions {
        title: "Mesh by region".into(),
        note: "14 × 480 elements".into(),
        colours: MeshColours::Regions(vec!["soft layer".into(), "half-space".into()]),
        ..MeshOptions::default()
    };
    mesh_picture(&faces, &options, folder.join("mesh_regions.png"))?;
    let graded: Vec<MeshFace> = faces
        .iter()
        .map(|face| MeshFace { value: 0.6 + 0.4 * (face.corners[0][0] / 4e3).cos().abs(), ..*face })
        .collect();
    let options = MeshOptions {
        title: "Mesh by quality".into(),
        colours: MeshColours::Values {
            quantity: "scaled Jacobian".into(),
            unit: String::new(),
            colours: ColourMap::Batlow,
            range: Some([0.0, 1.0]),
        },
        ..options
    };
    mesh_picture(&graded, &options, folder.join("mesh_quality.png"))
}

/// Outer faces of a box of `nx` x `ny` columns with `layers[0]` elements below `layers[1]` ones under a ground.
fn box_faces(nx: usize, ny: usize, layers: [usize; 2], ground: &dyn Fn(f64, f64) -> f64) -> Vec<MeshFace> {
    let nz = layers[0] + layers[1];
    let corner = |i: usize, j: usize, k: usize| {
        let (x, y) = (12e3 * i as f64 / nx as f64, 10e3 * j as f64 / ny as f64);
        let (from, to, part) = if k <= layers[0] {
            (-6000.0, -1000.0, k as f64 / layers[0] as f64)
        } else {
            (-1000.0, ground(x, y), (k - layers[0]) as f64 / layers[1] as f64)
        };
        [x, y, from + (to - from) * part]
    };
    let region = |k: usize| f64::from(u8::from(k < layers[0]));
    let mut faces = Vec::new();
    for k in 0..nz {
        for i in [0, nx] {
            faces.extend((0..ny).map(|j| MeshFace {
                corners: [corner(i, j, k), corner(i, j + 1, k), corner(i, j + 1, k + 1), corner(i, j, k + 1)],
                value: region(k),
            }));
        }
        for j in [0, ny] {
            faces.extend((0..nx).map(|i| MeshFace {
                corners: [corner(i, j, k), corner(i + 1, j, k), corner(i + 1, j, k + 1), corner(i, j, k + 1)],
                value: region(k),
            }));
        }
    }
    for k in [0, nz] {
        for j in 0..ny {
            faces.extend((0..nx).map(|i| MeshFace {
                corners: [corner(i, j, k), corner(i + 1, j, k), corner(i + 1, j + 1, k), corner(i, j + 1, k)],
                value: region(k.min(nz - 1)),
            }));
        }
    }
    faces
}
