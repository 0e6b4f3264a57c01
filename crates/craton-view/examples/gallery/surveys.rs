//! Pictures of surveys: a gather with hyperbolas.

use std::path::Path;

use craton_view::*;

use crate::ricker;

const TRACES: usize = 480;
const SAMPLES: usize = 2000;
const DT: f64 = 0.002;
const SPACING: f64 = 12.5;

pub fn draw(folder: &Path) -> Result<()> {
    draw_gathers(folder)
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
