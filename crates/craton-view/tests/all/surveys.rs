//! Pictures of surveys: amplitudes have the right position and sign; invalid input is rejected.

use std::path::Path;

use crate::drawing::{PAPER, Picture, drawn};
use craton_view::*;

const SAMPLES: usize = 1001;

/// Zero traces with one spike.
fn spiked(traces: usize, trace: usize, sample: usize, height: f32) -> Vec<f32> {
    let mut samples = vec![0.0; traces * SAMPLES];
    samples[sample + SAMPLES * trace] = height;
    samples
}

fn numbered(samples: &[f32]) -> Gather<'_> {
    Gather { samples, samples_per_trace: SAMPLES, t0: -0.1, dt: 0.002, axis: TraceAxis::Number { first: 1 } }
}

fn options(style: GatherStyle) -> GatherOptions {
    GatherOptions { paper: PAPER, style, clip: 100.0, ..GatherOptions::default() }
}

const GREY: GatherStyle = GatherStyle::Density(ColourMap::Grey);

fn draw(shot: &Gather<'_>, options: &GatherOptions) -> Result<Picture> {
    drawn(|path| gather(shot, options, path))
}

/// Left, right, top and bottom of the pixels for which something holds, left of the colour bar.
fn bounds(picture: &Picture, holds: impl Fn([u8; 3]) -> bool) -> [u32; 4] {
    let panel = (0..740).flat_map(|column| (0..600).map(move |row| (column, row)));
    let found = panel.filter(|&(column, row)| holds(picture.pixel(column, row)));
    found.fold([u32::MAX, 0, u32::MAX, 0], |[left, right, top, bottom], (column, row)| {
        [left.min(column), right.max(column), top.min(row), bottom.max(row)]
    })
}

const ZERO: [u8; 3] = [128; 3];

#[test]
fn a_spike_is_black_or_white_at_its_trace_and_time() {
    let [left, right, top, bottom] =
        bounds(&draw(&numbered(&spiked(3, 1, 250, 2.0)), &options(GREY)).unwrap(), |p| p == ZERO);
    let (width, height) = (right + 1 - left, bottom + 1 - top);
    for (colour, amplitude) in [([0; 3], 2.0), ([255; 3], -2.0)] {
        let picture = draw(&numbered(&spiked(3, 1, 250, amplitude)), &options(GREY)).unwrap();
        let inside = |column, row| (left..=right).contains(&column) && (top..=bottom).contains(&row);
        let hits: Vec<(u32, u32)> = (0..740)
            .flat_map(|column| (0..600).map(move |row| (column, row)))
            .filter(|&(column, row)| inside(column, row) && picture.pixel(column, row) == colour)
            .collect();
        let row = top + height / 4;
        assert!(hits.iter().all(|hit| hit.1.abs_diff(row) <= 1), "{hits:?}");
        let columns = [hits[0].0, hits[hits.len() - 1].0 + 1];
        assert!(
            columns[0].abs_diff(left + width / 3) <= 1 && columns[1].abs_diff(left + 2 * width / 3) <= 1,
            "{columns:?}"
        );
    }
}

#[test]
fn a_spike_among_thousands_of_samples_and_traces_is_visible() {
    let samples = spiked(2000, 777, 333, -5.0);
    let picture = draw(&numbered(&samples), &options(GREY)).unwrap();
    let panel = bounds(&picture, |pixel| pixel == ZERO);
    let white = |column: &u32, row: &u32| picture.pixel(*column, *row) == [255; 3];
    let hits = (panel[0]..=panel[1]).flat_map(|column| (panel[2]..=panel[3]).map(move |row| (column, row)));
    let hits: Vec<(u32, u32)> = hits.filter(|(column, row)| white(column, row)).collect();
    assert_eq!(hits.len(), 1, "{hits:?}");
    let column = panel[0] + (panel[1] + 1 - panel[0]) * 777 / 2000;
    assert!(hits[0].0.abs_diff(column) <= 1);
}

#[test]
fn amplitudes_above_the_clip_saturate() {
    // Amplitudes 1 to 1000, equally often: clipping at the median makes half of them black or white.
    let samples: Vec<f32> = (0..1000).flat_map(|trace| vec![(trace + 1) as f32; SAMPLES]).collect();
    let black = |clip: f64| {
        let picture = draw(&numbered(&samples), &GatherOptions { clip, ..options(GREY) }).unwrap();
        let [left, right, ..] = bounds(&picture, |pixel| pixel == [0; 3]);
        f64::from(right + 1 - left)
    };
    // Within a pixel at both ends, and an amplitude bin that is 0.4 % wide.
    assert!((black(50.0) / black(1.0) - 0.5 / 0.99).abs() < 0.01);
}

#[test]
fn wiggles_lean_and_are_filled_to_the_positive_side() {
    let ink = |amplitude: f32| {
        let mut samples = vec![0.0; SAMPLES];
        samples[400..600].fill(amplitude);
        let picture = draw(&numbered(&samples), &options(GatherStyle::Wiggle)).unwrap();
        let [left, right, top, bottom] = bounds(&picture, |pixel| pixel == [26, 28, 31]);
        ((right - left) * (bottom - top), picture.count([26, 28, 31]))
    };
    let (positive, negative) = (ink(1.0), ink(-1.0));
    assert!(positive.1 > 3 * negative.1, "{positive:?} {negative:?}");
}

#[test]
fn every_style_gain_and_axis_is_drawn() {
    let samples: Vec<f32> = (0..40 * SAMPLES).map(|i| (i as f32 * 0.05).sin() / (1.0 + (i % SAMPLES) as f32)).collect();
    let metres: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 40) * 25.0 - 300.0).collect();
    let axes = [
        TraceAxis::Number { first: 1 },
        TraceAxis::Offset(&metres),
        TraceAxis::Position { metres: &[50.0; 40], label: "Midpoint" },
    ];
    for style in [GREY, GatherStyle::Density(ColourMap::Vik), GatherStyle::Wiggle] {
        for gain in [Gain::None, Gain::TimePower(1.5), Gain::Agc(0.3), Gain::PerTrace] {
            draw(&numbered(&samples), &GatherOptions { gain, ..options(style) }).unwrap();
        }
        for axis in axes {
            draw(&Gather { axis, ..numbered(&samples) }, &options(style)).unwrap();
        }
        draw(&numbered(&[0.0; SAMPLES]), &options(style)).unwrap();
        draw(&Gather { samples_per_trace: 1, ..numbered(&[1.0, -1.0]) }, &options(style)).unwrap();
        draw(&numbered(&samples), &GatherOptions { window: Some([0.5, 99.0]), ..options(style) }).unwrap();
    }
}

#[test]
fn gathers_that_cannot_be_drawn_are_refused() {
    let mut samples = spiked(3, 1, 17, 1.0);
    let refused = |shot: &Gather<'_>, options: &GatherOptions| gather(shot, options, "never.png").unwrap_err();
    let usual = options(GREY);
    assert!(matches!(refused(&numbered(&[]), &usual), Error::Nothing { what: "traces" }));
    let shot = Gather { samples_per_trace: 0, ..numbered(&samples) };
    assert!(matches!(refused(&shot, &usual), Error::NoSamples { .. }));
    assert!(matches!(refused(&numbered(&samples[1..]), &usual), Error::Length { found: 3002, expected: 3003, .. }));
    let shot = Gather { axis: TraceAxis::Offset(&[1.0, 2.0]), ..numbered(&samples) };
    assert!(matches!(refused(&shot, &usual), Error::Length { found: 2, expected: 3, .. }));
    assert!(matches!(refused(&Gather { dt: 0.0, ..numbered(&samples) }, &usual), Error::TimeStep { .. }));
    for gain in [Gain::Agc(0.0), Gain::TimePower(f64::NAN)] {
        let options = GatherOptions { gain, ..usual.clone() };
        assert!(matches!(refused(&numbered(&samples), &options), Error::NotPositive { .. }));
    }
    for clip in [0.0, 100.1, f64::NAN] {
        let options = GatherOptions { clip, ..usual.clone() };
        assert!(matches!(refused(&numbered(&samples), &options), Error::Clip { .. }));
    }
    let options = GatherOptions { window: Some([7.0, 8.0]), ..usual.clone() };
    assert!(matches!(refused(&numbered(&samples), &options), Error::Window { .. }));
    samples[SAMPLES + 17] = f32::INFINITY;
    let error = refused(&numbered(&samples), &usual);
    assert!(error.to_string().starts_with("trace 2 of the gather is inf at index 17"), "{error}");
    assert!(!Path::new("never.png").exists());
}

fn salt() -> Vec<f64> {
    (0..600).map(|i| if (250..320).contains(&i) { 4480.0 } else { 1500.0 + f64::from(i / 30) * 50.0 }).collect()
}

fn view(values: &[f64]) -> SurveyView<'_> {
    let model = Raster { size: [30, 20], x: [0.0, 2900.0], y: [-1900.0, 0.0], values };
    SurveyView { model: SurveyModel::Property(model), sources: &[], receivers: &[], aperture: None, absorbing: None }
}

fn draw_survey(view: &SurveyView<'_>) -> Result<Picture> {
    let options = SurveyOptions { paper: PAPER, ..SurveyOptions::default() };
    drawn(|path| survey_model(view, &options, path))
}

#[test]
fn surveys_show_their_sources_and_receivers() {
    let values = salt();
    let bare = draw_survey(&view(&values)).unwrap();
    let (yellow, vermilion) = ([255, 214, 10], [213, 94, 0]);
    assert_eq!(bare.count(yellow) + bare.count(vermilion), 0);
    let sources = [[1000.0, -100.0]];
    let receivers: Vec<[f64; 2]> = (0..500).map(|i| [f64::from(i) * 5.0, -20.0]).collect();
    let aperture = Some([[500.0, 2000.0], [-1500.0, 0.0]]);
    let spread = SurveyView { sources: &sources, receivers: &receivers, aperture, ..view(&values) };
    let picture = draw_survey(&spread).unwrap();
    assert!(picture.count(yellow) > 50 && picture.count(vermilion) > 200);
    assert!(picture.count([255; 3]) < bare.count([255; 3]), "the key takes space");
}

#[test]
fn depth_grows_downwards_and_y_upwards() {
    // A dark half of low values below, a light one above.
    let values: Vec<f64> = (0..600).map(|i| if i < 300 { 1000.0 } else { 2000.0 }).collect();
    let light = |plane: SurveyPlane, row: u32| {
        let options = SurveyOptions { paper: PAPER, plane, ..SurveyOptions::default() };
        let picture = drawn(|path| survey_model(&view(&values), &options, path)).unwrap();
        picture.pixel(300, row).map(u32::from).iter().sum::<u32>()
    };
    for plane in [SurveyPlane::Section, SurveyPlane::Map] {
        assert!(light(plane, 150) > light(plane, 450), "{plane:?}");
    }
}

#[test]
fn absorbing_layers_and_outlines_are_drawn() {
    let values = salt();
    let inner = [[0.0, 2900.0], [-1900.0, 0.0]];
    let absorbing = Some(AbsorbingFrame { inner, widths: [[200.0, 200.0], [200.0, 0.0]] });
    draw_survey(&SurveyView { absorbing, ..view(&values) }).unwrap();
    let outline = SurveyView { model: SurveyModel::Outline(inner), absorbing, sources: &[[0.0, 0.0]], ..view(&values) };
    let plane = SurveyPlane::Map;
    let options = SurveyOptions { paper: PAPER, plane, exaggeration: Some(2.0), ..SurveyOptions::default() };
    drawn(|path| survey_model(&outline, &options, path)).unwrap();
}

#[test]
fn surveys_that_cannot_be_drawn_are_refused() {
    let values = salt();
    let refused = |view: &SurveyView<'_>| survey_model(view, &SurveyOptions::default(), "never.png").unwrap_err();
    assert!(matches!(refused(&view(&values[1..])), Error::Length { found: 599, expected: 600, .. }));
    assert!(matches!(refused(&view(&[f64::NAN; 600])), Error::Nothing { .. }));
    let aperture = Some([[5.0, 5.0], [-1.0, 0.0]]);
    assert!(matches!(refused(&SurveyView { aperture, ..view(&values) }), Error::Range { .. }));
    let absorbing = Some(AbsorbingFrame { inner: [[0.0, 1.0]; 2], widths: [[-1.0, 0.0], [0.0; 2]] });
    assert!(matches!(refused(&SurveyView { absorbing, ..view(&values) }), Error::NotPositive { value: -1.0, .. }));
    let receivers = [[0.0, 0.0], [f64::NAN, 0.0]];
    let error = refused(&SurveyView { receivers: &receivers, ..view(&values) });
    assert!(error.to_string().contains("the position of receiver 2 is NaN"), "{error}");
    assert!(!Path::new("never.png").exists());
}

#[test]
fn a_survey_fits_the_smallest_paper() {
    let paper = Paper { width: 160.0, height: Some(160.0), scale: 1.0 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.png");
    let (samples, values) = (spiked(300, 1, 17, 1.0), salt());
    for style in [GREY, GatherStyle::Wiggle] {
        gather(&numbered(&samples), &GatherOptions { paper, ..options(style) }, &path).unwrap();
    }
    let spread = SurveyView { sources: &[[0.0, 0.0]], receivers: &[[9.0, 0.0]], ..view(&values) };
    survey_model(&spread, &SurveyOptions { paper, ..Default::default() }, &path).unwrap();
    let picture = Picture::read(&path);
    assert!(picture.size == (160, 160) && picture.ink() > 0.005);
}
