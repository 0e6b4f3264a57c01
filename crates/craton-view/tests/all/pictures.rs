//! Every kind of picture is written completely, in the requested size and not blank; invalid input is rejected.

use std::path::Path;

use crate::drawing::{PAPER, Picture, drawn};
use craton_view::*;

fn wiggle(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i as f64 * 0.1).sin() * (-((i as f64 - 100.0) / 40.0).powi(2)).exp()).collect()
}

fn trace<'a>(label: &'a str, component: &'a str, samples: &'a [f64]) -> Trace<'a> {
    Trace { label, component, t0: 0.0, dt: 0.05, samples, offset_m: Some(1200.0) }
}

fn draw_seismograms(traces: &[Trace<'_>]) -> Result<Picture> {
    let options = SeismogramOptions { paper: PAPER, unit: "m/s".into(), ..SeismogramOptions::default() };
    drawn(|path| seismograms(traces, &options, path))
}

fn draw_section(traces: &[Trace<'_>], spread: Spread) -> Result<Picture> {
    let options = RecordSectionOptions { paper: PAPER, spread, ..RecordSectionOptions::default() };
    drawn(|path| record_section(traces, &options, path))
}

fn draw_spectra(traces: &[Trace<'_>]) -> Result<Picture> {
    let options = SpectraOptions { paper: PAPER, resolved_frequency: Some(2.0), ..SpectraOptions::default() };
    drawn(|path| spectra(traces, &options, path))
}

fn draw_overlay(pairs: &[TracePair<'_>]) -> Result<Picture> {
    let options = OverlayOptions { paper: PAPER, ..OverlayOptions::default() };
    drawn(|path| overlay(pairs, &options, path))
}

type DrawTraces = fn(&[Trace<'_>]) -> Result<Picture>;

/// Every picture that is made of traces.
const TRACE_PICTURES: [DrawTraces; 5] = [
    draw_seismograms,
    |traces| draw_section(traces, Spread::Offset),
    |traces| draw_section(traces, Spread::Index),
    draw_spectra,
    |traces| {
        let pairs: Vec<_> =
            traces.iter().map(|&trace| TracePair { reference: trace, test: trace, note: "0 %" }).collect();
        draw_overlay(&pairs)
    },
];

#[test]
fn traces_are_drawn_one_or_many_zero_or_short() {
    let (samples, zeros) = (wiggle(200), vec![0.0; 200]);
    let one = [trace("A", "Z", &samples)];
    let many =
        [trace("A", "X", &samples), trace("A", "Z", &zeros), trace("Bé", "", &samples), trace("C", "Z", &[1.0, 2.0])];
    let zero = [trace("A", "Z", &zeros)];
    for draw in TRACE_PICTURES {
        draw(&one).unwrap();
        draw(&many).unwrap();
        draw(&zero).unwrap();
    }
}

#[test]
fn a_single_sample_is_drawn_in_pictures_over_time() {
    draw_seismograms(&[trace("A", "Z", &[1.0])]).unwrap();
    draw_section(&[trace("A", "Z", &[1.0])], Spread::Offset).unwrap();
}

#[test]
fn non_finite_values_are_rejected_by_name_and_index() {
    let mut samples = wiggle(200);
    samples[17] = f64::NAN;
    let good = wiggle(10);
    for draw in TRACE_PICTURES {
        let error = draw(&[trace("A", "Z", &good), trace("XX.S07", "Y", &samples)]).err().unwrap();
        assert!(matches!(error, Error::NotFinite { index: 17, .. }));
        assert!(error.to_string().starts_with("trace XX.S07 Y is NaN at index 17"), "{error}");
    }
}

#[test]
fn missing_traces_missing_samples_and_invalid_steps_are_refused() {
    let samples = wiggle(20);
    for draw in TRACE_PICTURES {
        assert!(matches!(draw(&[]).err().unwrap(), Error::Nothing { what: "traces" }));
        assert!(matches!(draw(&[trace("A", "Z", &[])]).err().unwrap(), Error::NoSamples { .. }));
        let stepless = Trace { dt: 0.0, ..trace("A", "Z", &samples) };
        assert!(matches!(draw(&[stepless]).err().unwrap(), Error::TimeStep { dt: 0.0, .. }));
    }
    let without_offset = Trace { offset_m: None, ..trace("A", "Z", &samples) };
    assert!(matches!(draw_section(&[without_offset], Spread::Offset), Err(Error::NoOffset { .. })));
    draw_section(&[without_offset], Spread::Index).unwrap();
}

#[test]
fn windows_outside_the_traces_and_invalid_papers_are_refused() {
    let samples = wiggle(20);
    let traces = [trace("A", "Z", &samples)];
    let draw = |window, paper| {
        let options = SeismogramOptions { paper, window: Some(window), ..SeismogramOptions::default() };
        seismograms(&traces, &options, "never.png")
    };
    assert!(matches!(draw([5.0, 6.0], PAPER), Err(Error::Window { .. })));
    assert!(matches!(draw([1.0, 0.0], PAPER), Err(Error::Range { .. })));
    assert!(matches!(draw([0.0, 1.0], Paper { width: 50.0, ..PAPER }), Err(Error::Paper { .. })));
    assert!(matches!(draw([0.0, 1.0], Paper { scale: 1e3, ..PAPER }), Err(Error::Paper { .. })));
    assert!(!Path::new("never.png").exists());
}

#[test]
fn speeds_and_factors_that_are_not_positive_are_refused() {
    let samples = wiggle(20);
    let traces = [trace("A", "Z", &samples)];
    let options = RecordSectionOptions { reduction_speed: Some(0.0), ..RecordSectionOptions::default() };
    let error = record_section(&traces, &options, "never.png").unwrap_err();
    assert!(matches!(error, Error::NotPositive { what: "the speed of reduction", value: 0.0 }));
    let options = SpectraOptions { frequencies: Some([0.0, 5.0]), ..SpectraOptions::default() };
    assert!(matches!(spectra(&traces, &options, "never.png"), Err(Error::NotPositive { .. })));
}

#[test]
fn every_picture_fits_the_smallest_paper() {
    let paper = Paper { width: 160.0, height: Some(160.0), scale: 1.0 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.png");
    let samples = wiggle(50);
    let traces = [trace("A station with a long name", "Z", &samples)];
    let pairs = [TracePair { reference: traces[0], test: traces[0], note: "" }];
    seismograms(&traces, &SeismogramOptions { paper, ..Default::default() }, &path).unwrap();
    record_section(&traces, &RecordSectionOptions { paper, ..Default::default() }, &path).unwrap();
    overlay(&pairs, &OverlayOptions { paper, ..Default::default() }, &path).unwrap();
    spectra(&traces, &SpectraOptions { paper, ..Default::default() }, &path).unwrap();
    let rock = |[_, _, z]: [f64; 3]| 2000.0 - z;
    model_section(&view(&rock, &[], &[]), &ModelOptions { paper, ..Default::default() }, &path).unwrap();
    map(&raster(&[1.0; 600]), &MapOptions { paper, ..Default::default() }, &path).unwrap();
    assert_eq!(Picture::read(&path).size, (160, 160));
}

#[test]
fn a_folder_that_is_a_file_gives_an_error_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    std::fs::write(&file, "").unwrap();
    let samples = wiggle(20);
    let error =
        seismograms(&[trace("A", "Z", &samples)], &SeismogramOptions::default(), file.join("a.png")).unwrap_err();
    assert!(matches!(&error, Error::Write { path, .. } if path.ends_with("taken/a.png")));
}

#[test]
fn a_residual_appears_only_where_traces_differ() {
    let (samples, other) = (wiggle(200), wiggle(200).iter().map(|value| 0.9 * value).collect::<Vec<_>>());
    let blue = |test: &[f64]| {
        let reference = trace("A", "Z", &samples);
        let pair = TracePair { reference, test: Trace { samples: test, ..reference }, note: "" };
        let picture = draw_overlay(&[pair]).unwrap();
        // Rows of the panel in which the colour of the residual appears.
        let rows = (0..600).filter(|&row| (200..850).any(|column| picture.pixel(column, row) == [0, 114, 178]));
        rows.count()
    };
    assert!(blue(&other) > blue(&samples) + 10);
}

fn view<'a>(property: &'a Property<'a>, sources: &'a [SourceMark], stations: &'a [StationMark]) -> ModelView<'a> {
    ModelView {
        domain: [[0.0, 10e3], [0.0, 8e3], [-5e3, 0.0]],
        property,
        topography: None,
        interfaces: &[],
        sources,
        stations,
    }
}

fn draw_model(view: &ModelView<'_>) -> Result<Picture> {
    let options = ModelOptions { paper: PAPER, ..ModelOptions::default() };
    drawn(|path| model_section(view, &options, path))
}

#[test]
fn models_show_their_sources_and_stations() {
    let property = |[_, _, z]: [f64; 3]| 2000.0 - 0.2 * z;
    let bare = draw_model(&view(&property, &[], &[])).unwrap();
    let source = SourceMark { position: [4e3, 3e3, -2e3], moment_tensor: Some([1.0; 6]) };
    let station = StationMark { label: "S1".into(), position: [8e3, 6e3, 0.0] };
    let marked = draw_model(&view(&property, &[source], &[station])).unwrap();
    let yellow = [255, 214, 10];
    assert_eq!(bare.count(yellow), 0);
    assert!(marked.count(yellow) > 50);
}

#[test]
fn models_without_values_or_with_invalid_stations_are_refused() {
    let nothing = |_: [f64; 3]| f64::NAN;
    assert!(matches!(draw_model(&view(&nothing, &[], &[])), Err(Error::Nothing { .. })));
    let rock = |_: [f64; 3]| 3000.0;
    draw_model(&view(&rock, &[], &[])).unwrap();
    let lost = StationMark { label: "S9".into(), position: [0.0, f64::NAN, 0.0] };
    let error = draw_model(&view(&rock, &[], &[lost])).err().unwrap();
    assert!(error.to_string().contains("the position of station S9 is NaN"), "{error}");
}

fn raster(values: &[f64]) -> Raster<'_> {
    Raster { size: [30, 20], x: [0.0, 2900.0], y: [0.0, 1900.0], values }
}

#[test]
fn maps_are_drawn_with_relief_contours_and_gaps() {
    let mut values: Vec<f64> = (0..600).map(|i| f64::from(i % 30 - 15) * 1e-7).collect();
    let relief: Vec<f64> = (0..600).map(|i| f64::from(i / 30)).collect();
    values[3] = f64::NAN;
    let options = MapOptions {
        paper: PAPER,
        relief: Some(raster(&relief)),
        contours: vec![0.0],
        stations: vec![[500.0, 500.0]],
        ..MapOptions::default()
    };
    let picture = drawn(|path| map(&raster(&values), &options, path)).unwrap();
    assert!(picture.ink() > 0.3);
    drawn(|path| map(&raster(&[0.0; 600]), &MapOptions { paper: PAPER, ..MapOptions::default() }, path)).unwrap();
}

#[test]
fn frames_share_one_colour_scale() {
    let (weak, strong) = (vec![1.0; 600], vec![-4.0; 600]);
    let fields = [(0.5, raster(&weak)), (1.0, raster(&strong))];
    let folder = tempfile::tempdir().unwrap();
    let options = MapOptions { paper: PAPER, ..MapOptions::default() };
    let paths = frames(&fields, &options, folder.path()).unwrap();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["frame_0001.png", "frame_0002.png"]);
    let middle = |path: &Path| Picture::read(path).pixel(400, 250);
    let (first, second) = (middle(&paths[0]), middle(&paths[1]));
    // Vik: a quarter of the range is a pale red, the lower end the darkest blue.
    assert_eq!(second, [0, 18, 97]);
    assert!(first[0] > 180 && first[0] > first[2], "{first:?}");
    assert!(matches!(frames(&[], &options, folder.path()), Err(Error::Nothing { .. })));
}

#[test]
fn meshes_are_drawn_by_region_and_by_value() {
    let corners = [[0.0, 0.0, 0.0], [1e3, 0.0, 0.0], [1e3, 1e3, 0.0], [0.0, 1e3, 0.0]];
    let mut face = MeshFace { corners, value: 1.0 };
    let by_value = MeshColours::Values {
        quantity: "quality".into(),
        unit: String::new(),
        colours: ColourMap::Batlow,
        range: None,
    };
    for colours in [MeshColours::Regions(vec!["a".into(), "b".into()]), by_value] {
        let options = MeshOptions { paper: PAPER, colours, ..MeshOptions::default() };
        drawn(|path| mesh_picture(&[face], &options, path)).unwrap();
    }
    let draw = |faces: &[MeshFace]| mesh_picture(faces, &MeshOptions::default(), "never.png");
    assert!(matches!(draw(&[]), Err(Error::Nothing { .. })));
    face.corners[2][1] = f64::INFINITY;
    assert!(matches!(draw(&[face]), Err(Error::NotFinite { .. })));
}
