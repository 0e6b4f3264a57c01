//! Pictures of surveys: gathers with hyperbolas, and a salt body below a line and a patch of receivers.

use std::path::Path;

use craton_view::*;

use crate::ricker;

const TRACES: usize = 480;
const SAMPLES: usize = 2000;
const DT: f64 = 0.002;
const SPACING: f64 = 12.5;

pub fn draw(folder: &Path) -> Result<()> {
    draw_gathers(folder)?;
    draw_line(folder)?;
    draw_map(folder)
}

/// Pressure over a sea bottom, layers and a diffracting edge \[Pa\].
fn pressure(time: f64, offset: f64) -> f64 {
    let direct = 6.0 * ricker(time - offset.abs() / 1500.0 - 0.06, 20.0) / (1.0 + offset.abs() / 150.0);
    let layers: [[f64; 3]; 5] =
        [[0.5, 1500.0, 1.2], [0.9, 1750.0, -0.5], [1.4, 2100.0, 0.35], [1.9, 2500.0, 0.2], [2.6, 3000.0, -0.15]];
    let reflected: f64 = layers
        .iter()
        .map(|[zero, speed, strength]| {
            let arrival = zero.hypot(offset / speed);
            strength * zero / arrival * ricker(time - arrival - 0.06, 18.0)
        })
        .sum();
    let edge = 0.5 * (1.6_f64.hypot(offset / 2200.0) + 1.6_f64.hypot((offset - 1800.0) / 1100.0));
    direct + reflected + 0.12 * ricker(time - edge - 0.06, 18.0)
}

fn draw_gathers(folder: &Path) -> Result<()> {
    let offsets: Vec<f64> = (0..TRACES).map(|trace| SPACING * trace as f64 - 1000.0).collect();
    let samples: Vec<f32> = offsets
        .iter()
        .flat_map(|&offset| (0..SAMPLES).map(move |index| pressure(DT * index as f64, offset) as f32))
        .collect();
    let shot =
        Gather { samples: &samples, samples_per_trace: SAMPLES, t0: 0.0, dt: DT, axis: TraceAxis::Offset(&offsets) };
    let options = GatherOptions { title: "Shot 17".into(), ..GatherOptions::default() };
    gather(&shot, &options, folder.join("gather.png"))?;
    let options = GatherOptions {
        style: GatherStyle::Density(ColourMap::Vik),
        gain: Gain::TimePower(1.5),
        clip: 98.0,
        ..options
    };
    gather(&shot, &options, folder.join("gather_time_power.png"))?;
    let options =
        GatherOptions { style: GatherStyle::Wiggle, gain: Gain::Agc(0.5), window: Some([0.0, 2.5]), ..options };
    gather(&shot, &options, folder.join("gather_wiggle.png"))?;
    let few =
        Gather { samples: &samples[100 * SAMPLES..124 * SAMPLES], axis: TraceAxis::Number { first: 101 }, ..shot };
    let options = GatherOptions { title: "Traces 101 to 124 of shot 17".into(), ..options };
    gather(&few, &options, folder.join("gather_few.png"))
}

/// Speed of sound in water, layers and a salt body \[m/s\].
fn speed(x: f64, z: f64) -> f64 {
    let bottom = -450.0 - 120.0 * (x / 2900.0).sin();
    let lens = ((x - 7200.0) / 2300.0).powi(2) + ((z + 2200.0 + 250.0 * (x / 700.0).cos()) / 650.0).powi(2);
    let layer = ((bottom - z + 0.06 * x) / 420.0).floor();
    match z {
        z if z > bottom => 1490.0,
        _ if lens < 1.0 => 4480.0,
        z => 1650.0 + 170.0 * layer + 0.28 * (bottom - z),
    }
}

fn draw_line(folder: &Path) -> Result<()> {
    let size = [601, 181];
    let values: Vec<f64> = (0..size[0] * size[1])
        .map(|index| speed(20.0 * (index % size[0]) as f64, -3600.0 + 20.0 * (index / size[0]) as f64))
        .collect();
    let model = Raster { size, x: [0.0, 12e3], y: [-3600.0, 0.0], values: &values };
    let receivers: Vec<[f64; 2]> = (0..480).map(|index| [3200.0 + SPACING * f64::from(index), -12.0]).collect();
    let view = SurveyView {
        model: SurveyModel::Property(model),
        sources: &[[3000.0, -8.0]],
        receivers: &receivers,
        aperture: Some([[2000.0, 10200.0], [-3600.0, 0.0]]),
        absorbing: None,
    };
    let options = SurveyOptions { title: "Salt below a streamer".into(), ..SurveyOptions::default() };
    survey_model(&view, &options, folder.join("survey_line.png"))?;

    let sources: Vec<[f64; 2]> = (0..300).map(|index| [600.0 + 36.0 * f64::from(index), -8.0]).collect();
    let bottom: Vec<[f64; 2]> = (0..24)
        .map(|index| 250.0 + 500.0 * f64::from(index))
        .map(|x| [x, -450.0 - 120.0 * (x / 2900.0).sin()])
        .collect();
    let view = SurveyView {
        sources: &sources,
        receivers: &bottom,
        aperture: None,
        absorbing: Some(AbsorbingFrame {
            inner: [[0.0, 12e3], [-3600.0, 0.0]],
            widths: [[500.0, 500.0], [500.0, 0.0]],
        }),
        ..view
    };
    let options = SurveyOptions {
        title: "Nodes on the sea bottom".into(),
        colours: ColourMap::Roma,
        exaggeration: Some(1.5),
        ..options
    };
    survey_model(&view, &options, folder.join("survey_nodes.png"))?;
    let layers: Vec<f64> = values.iter().map(|value| 1500.0 + 500.0 * ((value - 1400.0) / 500.0).floor()).collect();
    let view = SurveyView { model: SurveyModel::Property(Raster { values: &layers, ..model }), ..view };
    let options = SurveyOptions { title: "A model of a few values".into(), exaggeration: None, ..options };
    survey_model(&view, &options, folder.join("survey_layers.png"))
}

fn draw_map(folder: &Path) -> Result<()> {
    let grid = |count: [u32; 2], start: [f64; 2], step: [f64; 2]| -> Vec<[f64; 2]> {
        let along = move |axis: usize, index: u32| start[axis] + step[axis] * f64::from(index);
        (0..count[1]).flat_map(|j| (0..count[0]).map(move |i| [along(0, i), along(1, j)])).collect()
    };
    let sources = grid([16, 40], [1000.0, 600.0], [600.0, 175.0]);
    let receivers = grid([180, 12], [1500.0, 1200.0], [50.0, 500.0]);
    let view = SurveyView {
        model: SurveyModel::Outline([[0.0, 12e3], [0.0, 8e3]]),
        sources: &sources,
        receivers: &receivers,
        aperture: Some([[500.0, 9000.0], [700.0, 6400.0]]),
        absorbing: Some(AbsorbingFrame { inner: [[500.0, 9000.0], [700.0, 6400.0]], widths: [[700.0; 2]; 2] }),
    };
    let options =
        SurveyOptions { title: "A patch of receivers".into(), plane: SurveyPlane::Map, ..SurveyOptions::default() };
    survey_model(&view, &options, folder.join("survey_map.png"))
}
