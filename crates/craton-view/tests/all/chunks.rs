//! Maps of chunks of the sphere.

use crate::drawing::{PAPER, Picture, drawn};
use craton_view::{
    ChunkField, ChunkMapOptions, ChunkView, ColourMap, Error, FieldColours, Raster, Result, SourceMark, StationMark,
    chunk_field, chunk_map,
};

/// The colour inside the outline.
const INSIDE: [u8; 3] = [239, 243, 247];

/// The colour of lines and compressional quadrants.
const INK: [u8; 3] = [26, 28, 31];

/// The outline of a square of half width `half` degrees around a centre, along meridians and parallels.
fn square([longitude, latitude]: [f64; 2], half: f64) -> Vec<[f64; 2]> {
    let wide = half / latitude.to_radians().cos().max(0.1);
    let side = |from: [f64; 2], to: [f64; 2]| {
        (0..30).map(move |n| {
            let along = |axis: usize| from[axis] + (to[axis] - from[axis]) * f64::from(n) / 30.0;
            [longitude + wide * along(0), (latitude + half * along(1)).clamp(-90.0, 90.0)]
        })
    };
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    (0..4).flat_map(|n| side(corners[n], corners[(n + 1) % 4])).collect()
}

fn draw(centre: [f64; 2], outline: &[[f64; 2]], sources: &[SourceMark], stations: &[StationMark]) -> Result<Picture> {
    let view = ChunkView { centre, outline, outline_name: "sides of the chunk", sources, stations };
    let options = ChunkMapOptions { paper: PAPER, title: "A chunk".into() };
    drawn(|path| chunk_map(&view, &options, path))
}

#[test]
fn every_chunk_fills_its_map_and_shows_its_contents() {
    for (centre, half) in [([-67.0, -14.0], 40.0), ([12.0, 42.0], 1.0), ([20.0, 80.0], 8.0), ([179.5, 10.0], 15.0)] {
        let outline = square(centre, half);
        let bare = draw(centre, &outline, &[], &[]).unwrap();
        assert!(bare.count(INSIDE) > 100_000, "{centre:?}: {}", bare.count(INSIDE));
        assert_eq!((bare.pixel(2, 2), bare.pixel(897, 597)), ([255; 3], [255; 3]));
        // A force has a star; the key has another one.
        let source = SourceMark { position: [centre[0] + 0.3 * half, centre[1], -1e5], moment_tensor: None };
        let station = StationMark { label: "S1".into(), position: [centre[0], centre[1] + 0.3 * half, 0.0] };
        let marked = draw(centre, &outline, std::slice::from_ref(&source), &[station]).unwrap();
        let yellow = [255, 214, 10];
        assert_eq!(bare.count(yellow), 0);
        assert!(marked.count(yellow) > 150, "{centre:?}: {}", marked.count(yellow));
        // A mechanism has a beachball, on the map as in the key, and no star.
        let ball = |trace| SourceMark { moment_tensor: Some([trace, trace, trace, 0.0, 0.0, 0.0]), ..source.clone() };
        let dark = draw(centre, &outline, &[ball(1.0)], &[]).unwrap();
        assert_eq!(dark.count(yellow), 0);
        assert!(dark.count(INK) > bare.count(INK) + 700, "{centre:?}: {} {}", dark.count(INK), bare.count(INK));
        // A station on top of it is visible.
        let inked = |sources: &[SourceMark], stations: &[StationMark]| {
            draw(centre, &outline, sources, stations).unwrap().count(INK) as f64
        };
        let station = [StationMark { label: String::new(), position: source.position }];
        let (alone, above) = (inked(&[], &station), inked(&[ball(-1.0)], &station));
        let of_station = alone - inked(&[], &[]);
        assert!(above - inked(&[ball(-1.0)], &[]) > 0.9 * of_station, "{centre:?}: {above} {alone} {of_station}");
    }
}

/// A field over longitudes and latitudes, with degrees instead of metres.
fn field<'a>(values: &'a [f64], [longitude, latitude]: [f64; 2], half: f64) -> ChunkField<'a> {
    ChunkField {
        raster: Raster {
            size: [3, 2],
            x: [longitude - half, longitude + half],
            y: [latitude - half, latitude + half],
            values,
        },
        place: &|place| Some(place),
        quantity: "|velocity|",
        unit: "m/s",
        colours: FieldColours { map: Some(ColourMap::Lajolla), range: Some([0.0, 1.0]), ..FieldColours::default() },
        time: Some(300.0),
    }
}

#[test]
fn a_field_is_drawn_at_its_positions() {
    let (centre, half) = ([0.0, 0.0], 10.0);
    let outline = square(centre, half);
    let view = ChunkView { centre, outline: &outline, outline_name: "sides of the chunk", sources: &[], stations: &[] };
    let options = ChunkMapOptions { paper: PAPER, title: "A chunk".into() };
    let draw = |field: &ChunkField| drawn(|path| chunk_field(&view, field, &options, path));
    // The western third has no value, the middle the lowest and the east the highest.
    let values = [f64::NAN, 0.0, 1.0, f64::NAN, 0.0, 1.0];
    let picture = draw(&field(&values, centre, half)).unwrap();
    let row: Vec<[u8; 3]> = (0..900).map(|column| picture.pixel(column, 330)).collect();
    let place = |colour: [u8; 3]| {
        let columns: Vec<usize> = (0..900).filter(|column| row[*column] == colour).collect();
        assert!(!columns.is_empty(), "{colour:?}");
        [columns[0], columns[columns.len() - 1]]
    };
    let inside = place(INSIDE);
    let [lowest, highest] = [0.0, 1.0].map(|fraction| {
        let single = [fraction; 6];
        draw(&field(&single, centre, half)).unwrap().pixel(330, 330)
    });
    let (low, high) = (place(lowest), place(highest));
    assert!(inside[1] < low[0] && low[1] < high[0], "{inside:?} {low:?} {high:?}");
    // Points outside the chunk are not coloured, and a non-finite field is rejected.
    let nowhere = ChunkField { place: &|_| None, ..field(&values, centre, half) };
    assert!(draw(&nowhere).unwrap().count(INSIDE) > picture.count(INSIDE) * 2);
    let broken = [f64::INFINITY; 6];
    assert!(matches!(draw(&field(&broken, centre, half)), Err(Error::NotFinite { .. })));
}

#[test]
fn empty_outlines_and_non_finite_positions_are_rejected() {
    let centre = [10.0, 10.0];
    assert!(matches!(draw(centre, &[[0.0, 0.0]; 2], &[], &[]), Err(Error::Nothing { .. })));
    let lost = StationMark { label: "S1".into(), position: [f64::NAN, 0.0, 0.0] };
    let error = draw(centre, &square(centre, 5.0), &[], &[lost]).err().unwrap().to_string();
    assert!(error.contains("station S1"), "{error}");
}
