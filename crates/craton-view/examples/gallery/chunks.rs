//! Maps of chunks of the sphere: wide and small, at a pole, across the 180th meridian.

use std::path::Path;

use craton_view::{ChunkMapOptions, ChunkView, Result, SourceMark, StationMark, chunk_map};

/// Name, centre, widths and rotation \[degrees\].
const CHUNKS: [(&str, [f64; 2], [f64; 2], f64); 6] = [
    ("wide", [-67.25, -13.82], [90.0, 90.0], 0.0),
    ("widest", [20.0, 45.0], [120.0, 120.0], 30.0),
    ("small", [12.5, 42.0], [2.0, 2.0], 15.0),
    ("long", [142.0, 38.0], [12.0, 3.0], 60.0),
    ("polar", [20.0, 85.0], [40.0, 40.0], 0.0),
    ("dateline", [179.0, -20.0], [30.0, 24.0], -20.0),
];

/// Draws all of them.
pub fn draw(folder: &Path) -> Result<()> {
    for (name, centre, widths, rotation) in CHUNKS {
        let place = |part: [f64; 2]| on_the_chunk(centre, widths, rotation, part);
        let side = |from: [f64; 2], to: [f64; 2]| {
            (0..60).map(move |n| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * f64::from(n) / 60.0))
        };
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let outline: Vec<[f64; 2]> = (0..4).flat_map(|n| side(corners[n], corners[(n + 1) % 4])).map(place).collect();
        let at = |part| {
            let [longitude, latitude] = place(part);
            [longitude, latitude, 0.0]
        };
        // Left-lateral on a plane that strikes north.
        let source = SourceMark { position: at([0.45, -0.3]), moment_tensor: Some([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]) };
        let station = |n: u32| {
            let angle = f64::from(n) * 0.9;
            let away = 0.2 + 0.06 * f64::from(n);
            StationMark { label: format!("S{n:02}"), position: at([away * angle.sin(), away * angle.cos()]) }
        };
        let stations: Vec<StationMark> = (0..12).map(station).collect();
        let view = ChunkView {
            centre,
            outline: &outline,
            outline_name: "sides of the chunk",
            sources: &[source],
            stations: &stations,
        };
        let options = ChunkMapOptions { title: format!("A {name} chunk"), ..ChunkMapOptions::default() };
        chunk_map(&view, &options, folder.join(format!("chunk_{name}.png")))?;
    }
    Ok(())
}

/// Longitude and latitude at relative coordinates, -1 to 1, of a chunk of the sphere.
fn on_the_chunk([longitude, latitude]: [f64; 2], widths: [f64; 2], rotation: f64, part: [f64; 2]) -> [f64; 2] {
    let [a, b] = [0, 1].map(|axis| (0.5 * widths[axis] * part[axis]).to_radians().tan());
    let (sin, cos) = rotation.to_radians().sin_cos();
    // To the east and north of the centre, and away from the middle of the Earth.
    let (east, north) = (a * cos + b * sin, b * cos - a * sin);
    let (sin_lat, cos_lat) = latitude.to_radians().sin_cos();
    let (outwards, up) = (cos_lat - north * sin_lat, sin_lat + north * cos_lat);
    [longitude + east.atan2(outwards).to_degrees(), up.atan2(outwards.hypot(east)).to_degrees()]
}
