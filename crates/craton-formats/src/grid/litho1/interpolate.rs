//! Interpolation from the nodes of a tessellation to a grid.

use rayon::prelude::*;

use super::Node;
use crate::grid::Grid;

/// Cells of one degree along longitude and latitude.
const CELLS: [usize; 2] = [360, 180];
/// Number of nearest nodes among which the triangle of a point is searched: the nearest node and its six neighbours, and a few others that
/// may be closer to the point.
const NEAREST: usize = 10;
/// Tolerance of barycentric coordinates for points on an edge.
const TOLERANCE: f64 = 1e-9;

/// Interpolates a value of the nodes to the centres of cells of one degree, linearly within the triangles of the tessellation.
///
/// The weights of the corners a, b and c of the spherical triangle with the point p are the solution of w₁a + w₂b + w₃c ∥ p, w₁ + w₂ + w₃ = 1.
/// They are from 0 to 1, so no value is outside the range of the corners.
///
/// # Arguments
/// * `nodes` – nodes that cover the globe
/// * `value` – the value of a node
/// # Returns
/// The grid [degrees], from -179.5 and -89.5 by 1; empty nodes give NaN
/// # Source
/// Verified by `litho1::a_value_is_interpolated_within_the_triangle`.
pub fn interpolated(nodes: &[Node], value: impl Fn(&Node) -> f64 + Sync) -> Grid {
    let centres = |count: usize, first: f64| (0..count).map(|index| first + index as f64).collect::<Vec<f64>>();
    let [x, y] = [centres(CELLS[0], -179.5), centres(CELLS[1], -89.5)];
    let mut sorted: Vec<(f64, [f64; 3], f64)> =
        nodes.iter().map(|node| (node.latitude, direction(node.latitude, node.longitude), value(node))).collect();
    sorted.sort_by(|one, two| one.0.total_cmp(&two.0));
    let at = |latitude: f64, longitude: f64| {
        let point = direction(latitude, longitude);
        weighted(&nearest(&sorted, latitude, point), point)
    };
    let values = y.par_iter().flat_map_iter(|&latitude| x.iter().map(move |&longitude| (latitude, longitude)));
    let values = values.map(|(latitude, longitude)| at(latitude, longitude)).collect();
    Grid { x, y, values }
}

/// Unit vector of a direction.
fn direction(latitude: f64, longitude: f64) -> [f64; 3] {
    let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (latitude.to_radians().sin_cos(), longitude.to_radians().sin_cos());
    [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat]
}

/// Directions and values of the nodes nearest to a point, the nearest first.
///
/// # Arguments
/// * `sorted` – latitude [degrees], direction and value of the nodes, by latitude
fn nearest(sorted: &[(f64, [f64; 3], f64)], latitude: f64, point: [f64; 3]) -> Vec<([f64; 3], f64)> {
    let mut width = 2.0;
    loop {
        let start = sorted.partition_point(|node| node.0 < latitude - width);
        let end = sorted.partition_point(|node| node.0 <= latitude + width);
        let mut near: Vec<_> = sorted[start..end].iter().map(|node| (dot(node.1, point), node)).collect();
        let count = near.len().min(NEAREST);
        if count > 0 {
            near.select_nth_unstable_by(count - 1, |one, two| two.0.total_cmp(&one.0));
        }
        near.truncate(count);
        near.sort_by(|one, two| two.0.total_cmp(&one.0));
        // The distance is at least the difference of the latitudes, so nodes outside the band are farther than its width.
        let is_complete = count == NEAREST && near[count - 1].0 >= f64::to_radians(width).cos();
        if is_complete || width >= 180.0 {
            return near.into_iter().map(|(_, node)| (node.1, node.2)).collect();
        }
        width *= 2.0;
    }
}

/// Value at a point: linear in the smallest triangle of the nearest node that contains the point, or else that of the nearest node.
fn weighted(near: &[([f64; 3], f64)], point: [f64; 3]) -> f64 {
    let Some(&(first, own)) = near.first() else { return f64::NAN };
    let (mut best, mut smallest) = (own, f64::INFINITY);
    for (index, &(second, of_second)) in near.iter().enumerate().skip(1) {
        for &(third, of_third) in &near[index + 1..] {
            let Some([a, b, c]) = weights([first, second, third], point) else { continue };
            let size = 3.0 - dot(first, second) - dot(second, third) - dot(third, first);
            if size < smallest {
                (best, smallest) = (a * own + b * of_second + c * of_third, size);
            }
        }
    }
    best
}

/// Weights of the corners of a triangle; `None` if it does not contain the point or is degenerate.
fn weights([a, b, c]: [[f64; 3]; 3], point: [f64; 3]) -> Option<[f64; 3]> {
    let volume = dot(a, cross(b, c));
    let all = [[b, c], [c, a], [a, b]].map(|[one, two]| dot(point, cross(one, two)) / volume);
    let sum: f64 = all.iter().sum();
    let is_inside = sum.is_finite() && all.iter().all(|&weight| weight >= -TOLERANCE);
    is_inside.then(|| all.map(|weight| weight.max(0.0) / sum))
}

fn dot(one: [f64; 3], two: [f64; 3]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
