//! Whether a configuration is small enough to be set up: the allowed ranges include problems that take gigabytes and minutes.

use craton::config::Config;
use craton::gravity::{self, config::Body, config::Points};
use craton::survey::{self, config::Acquisition};

/// Largest number of receivers, shots, points, cells and so on.
const MOST: f64 = 1e5;
/// Largest number of threads.
const MOST_THREADS: usize = 16;

/// Whether a scenario is small.
pub fn is_small_scenario(config: &Config) -> bool {
    let lines = config.receivers.lines.iter().map(|line| line.count as f64);
    let grids = config.receivers.grids.iter().map(|grid| product(grid.count));
    lines.chain(grids).sum::<f64>() < MOST
}

/// Whether a survey is small.
pub fn is_small_survey(config: &survey::Config) -> bool {
    match &config.acquisition {
        Acquisition::Marine(line) => line.shots as f64 + line.streamer_length / line.group_interval < MOST,
        Acquisition::Land(line) => (line.stations.count as f64) < MOST,
        Acquisition::Fixed(points) => {
            let lines = points.shot_lines.iter().chain(&points.receiver_lines).map(|line| line.count as f64);
            let grids = points.shot_grids.iter().chain(&points.receiver_grids).map(|grid| product(grid.count));
            lines.chain(grids).sum::<f64>() < MOST
        }
        Acquisition::Tables(_) | Acquisition::Sps(_) | Acquisition::Headers(_) => true,
    }
}

/// Whether a gravity problem is small.
pub fn is_small_gravity(config: &gravity::Config) -> bool {
    let bodies = config.bodies.iter().all(|body| match body {
        Body::Ball(ball) => (ball.radius / ball.cell).powi(3) < MOST,
        Body::Scenario(model) => model.cell > 100.0 && model.set.iter().all(|change| change.len() < 20),
        Body::Layer(layer) => layer.slices.unwrap_or(1) < 100,
        Body::Prisms(_) | Body::Tesseroids(_) | Body::Ubc(_) | Body::Volume(_) | Body::Block(_) => true,
    });
    let points = match &config.points {
        Points::Grid(grid) => grid_size(grid.count, grid.spacing, [grid.x, grid.y]),
        Points::GeographicGrid(grid) => grid_size(grid.count, grid.spacing, [grid.longitude, grid.latitude]),
        Points::Draped(grid) => {
            grid_size(grid.count, grid.spacing, [grid.x, grid.y].map(|range| range.unwrap_or([0.0, 1e4])))
        }
        Points::Line(line) => line.count as f64,
        Points::List(_) | Points::GeographicList(_) | Points::Receivers(_) => 0.0,
    };
    bodies && points < MOST && config.compute.threads.is_none_or(|threads| threads <= MOST_THREADS)
}

fn product([along, across]: [usize; 2]) -> f64 {
    along as f64 * across as f64
}

fn grid_size(count: Option<[usize; 2]>, spacing: Option<[f64; 2]>, ranges: [[f64; 2]; 2]) -> f64 {
    let of_spacing = |[dx, dy]: [f64; 2]| {
        let [x, y] = ranges.map(|[first, last]| (last - first).abs());
        (x / dx) * (y / dy)
    };
    count.map_or(0.0, product) + spacing.map_or(0.0, of_spacing)
}
