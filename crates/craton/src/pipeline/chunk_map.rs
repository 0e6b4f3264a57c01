//! The map of a chunk of the Earth with its sides, sources and stations.

use craton_acquisition::Mechanism;
use craton_view::{ChunkMapOptions, ChunkView, SourceMark, StationMark};

use crate::error::Error;
use crate::setup::Setup;
use crate::simulation::Output;

/// Number of points of each side: great circles are curved on the map.
const POINTS: usize = 90;

/// Draws the map of a chunk; does nothing for a box.
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
    let stations = setup
        .receivers
        .iter()
        .map(|receiver| StationMark { label: receiver.station().to_owned(), position: place(receiver.position()) });
    let view = ChunkView {
        centre: setup.frame.to_map([setup.x, setup.y].map(|[low, high]| 0.5 * (low + high))),
        outline: &outline(setup),
        sources: &sources.collect::<Vec<_>>(),
        stations: &stations.collect::<Vec<_>>(),
    };
    let options = ChunkMapOptions { title: setup.title.clone(), ..ChunkMapOptions::default() };
    craton_view::chunk_map(&view, &options, output.folder.file(FILE)?)?;
    output.files.push(FILE.to_owned());
    Ok(())
}

/// Longitudes and latitudes along the sides, in order.
pub fn outline(setup: &Setup) -> Vec<[f64; 2]> {
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
