//! Maps of pieces of the sphere.

mod drawing;

use craton_view::{ChunkMapOptions, ChunkView, Error, Result, SourceMark, StationMark, chunk_map};
use drawing::{PAPER, Picture, drawn};

/// The colour inside the sides.
const INSIDE: [u8; 3] = [239, 243, 247];

/// A square of so many degrees along meridians and parallels about a place.
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
    let view = ChunkView { centre, outline, sources, stations };
    let options = ChunkMapOptions { paper: PAPER, title: "A chunk".into() };
    drawn(|path| chunk_map(&view, &options, path))
}

#[test]
fn every_chunk_fills_its_map_and_shows_what_is_there() {
    for (centre, half) in [([-67.0, -14.0], 40.0), ([12.0, 42.0], 1.0), ([20.0, 80.0], 8.0), ([179.5, 10.0], 15.0)] {
        let outline = square(centre, half);
        let bare = draw(centre, &outline, &[], &[]).unwrap();
        assert!(bare.count(INSIDE) > 100_000, "{centre:?}: {}", bare.count(INSIDE));
        assert_eq!((bare.pixel(2, 2), bare.pixel(897, 597)), ([255; 3], [255; 3]));
        // A force has a star; the key has another one.
        let source = SourceMark { position: [centre[0] + 0.3 * half, centre[1], -1e5], moment_tensor: None };
        let station = StationMark { label: "S1".into(), position: [centre[0], centre[1] + 0.3 * half, 0.0] };
        let marked = draw(centre, &outline, &[source], &[station]).unwrap();
        let yellow = [255, 214, 10];
        assert_eq!(bare.count(yellow), 0);
        assert!(marked.count(yellow) > 150, "{centre:?}: {}", marked.count(yellow));
    }
}

#[test]
fn an_outline_that_is_none_and_places_that_are_no_numbers_are_refused() {
    let centre = [10.0, 10.0];
    assert!(matches!(draw(centre, &[[0.0, 0.0]; 2], &[], &[]), Err(Error::Nothing { .. })));
    let lost = StationMark { label: "S1".into(), position: [f64::NAN, 0.0, 0.0] };
    let error = draw(centre, &square(centre, 5.0), &[], &[lost]).err().unwrap().to_string();
    assert!(error.contains("station S1"), "{error}");
}
