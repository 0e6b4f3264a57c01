//! The map of a chunk of the Earth, or the whole Earth, with its sources and stations.

use craton_acquisition::Mechanism;
use craton_view::{ChunkMapOptions, ChunkView, SourceMark, StationMark};

use crate::error::Error;
use crate::setup::Setup;
use crate::simulation::Output;

/// Number of points of each side: great circles are curved on the map.
const POINTS: usize = 90;

/// Draws the map of a chunk or globe; does nothing for a box.
///
/// # Errors
/// A picture that cannot be written.
pub fn draw(setup: &Setup, output: &mut Output) -> Result<(), Error> {
    const FILE: &str = "map.png";
    if setup.frame.sphere().is_none() {
        return Ok(());
    }
    let place = |[x, y, z]: [f64; 3]| {
        let [longitude, latitude] = setup.frame.to_map([x, y]);
        [longitude, latitude, z]
    };
    let sources = setup.sources.iter().map(|source| SourceMark {
        position: place(source.position()),
        moment_tensor: match source.mechanism() {
            Mechanism::Moment(tensor) => Some(tensor.to_voigt()),
            Mechanism::Force(_) => None,
        },
    });
    let hypocentres = setup.faults.iter().map(|fault| {
        let point = fault.hypocentre();
        SourceMark { position: place(point.position), moment_tensor: Some(point.moment.to_voigt()) }
    });
    let stations = setup
        .receivers
        .iter()
        .map(|receiver| StationMark { label: receiver.station().to_owned(), position: place(receiver.position()) });
    let view = ChunkView {
        centre: centre(setup),
        outline: &outline(setup, centre(setup)),
        outline_name: outline_name(setup),
        sources: &sources.chain(hypocentres).collect::<Vec<_>>(),
        stations: &stations.collect::<Vec<_>>(),
    };
    let options = ChunkMapOptions { title: setup.title.clone(), ..ChunkMapOptions::default() };
    craton_view::chunk_map(&view, &options, output.folder.file(FILE)?)?;
    output.files.push(FILE.to_owned());
    Ok(())
}

/// Longitude and latitude of the centre of maps: that of a chunk, or of the first source on the globe.
pub fn centre(setup: &Setup) -> [f64; 2] {
    let middle = [setup.x, setup.y].map(|[low, high]| 0.5 * (low + high));
    let source = setup.source_positions().next().filter(|_| setup.frame.is_globe());
    let [x, y] = source.map_or(middle, |[x, y, _]| [x, y]);
    setup.frame.to_map([x, y])
}

/// Name of the outline in the key of maps.
pub fn outline_name(setup: &Setup) -> &'static str {
    if setup.frame.is_globe() { "" } else { "sides of the chunk" }
}

/// Longitudes and latitudes along the sides of a chunk, in order, or around the point opposite to the centre of a map of the globe.
pub fn outline(setup: &Setup, centre: [f64; 2]) -> Vec<[f64; 2]> {
    if setup.frame.is_globe() {
        return around_the_antipode(centre);
    }
    let ([west, east], [south, north]) = (setup.x, setup.y);
    let corners = [[west, south], [east, south], [east, north], [west, north]];
    let side = |number: usize| {
        let (from, to) = (corners[number], corners[(number + 1) % 4]);
        (0..POINTS).map(move |point| {
            let part = point as f64 / POINTS as f64;
            [0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis]))
        })
    };
    (0..4).flat_map(side).map(|place| setup.frame.to_map(place)).collect()
}

/// Longitudes and latitudes on a small circle around the antipode of a place, clockwise seen from the place.
fn around_the_antipode([longitude, latitude]: [f64; 2]) -> Vec<[f64; 2]> {
    const DISTANCE: f64 = 179.9;
    let (sin_0, cos_0) = latitude.to_radians().sin_cos();
    let (sin, cos) = DISTANCE.to_radians().sin_cos();
    let at = |point: usize| {
        let azimuth = std::f64::consts::TAU * point as f64 / (4 * POINTS) as f64;
        let latitude = (sin_0 * cos + cos_0 * sin * azimuth.cos()).clamp(-1.0, 1.0).asin();
        let east = (azimuth.sin() * sin * cos_0).atan2(cos - sin_0 * latitude.sin());
        [longitude + east.to_degrees(), latitude.to_degrees()]
    };
    (0..4 * POINTS).map(at).collect()
}
