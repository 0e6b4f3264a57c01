//! The box and its sides.

use crate::config::{BoundaryKind, Config, Domain};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};

/// Least extent of the box along an axis [m].
const LEAST_EXTENT: f64 = 1e-6;
/// Least extent of the box along an axis as a share of its coordinates, whose last digits would say nothing otherwise.
const LEAST_SHARE: f64 = 1e-9;

/// Ends of the box that are not in order, or not apart.
pub fn domain(domain: &Domain, path: &KeyPath) -> Vec<Problem> {
    let axes = [("x", domain.x), ("y", domain.y), ("z", domain.z)];
    let reversed = axes.into_iter().filter(|(_, [from, to])| from >= to);
    let problem = |(axis, [from, to]): (&str, [f64; 2])| {
        let (low, high) = if axis == "z" { ("bottom", "top") } else { ("first", "last") };
        Problem::new(path.key(axis), format!("the {low} end is not below the {high} one"))
            .value(bracketed(&[from, to]))
            .allowed(format!("[{low}, {high}] in metres, {low} < {high}"))
    };
    let thin = axes.into_iter().filter_map(|(axis, [from, to])| {
        let least = LEAST_EXTENT.max(LEAST_SHARE * from.abs().max(to.abs()));
        let problem = Problem::new(path.key(axis), "the box has hardly an extent along this axis");
        let problem = problem.value(bracketed(&[from, to])).allowed(format!("at least {} m", Number(least)));
        (from < to && to - from < least).then(|| problem.hint("is the unit right? a scenario is in metres"))
    });
    reversed.map(problem).chain(thin).collect()
}

/// Periodic sides without their counterpart, or at the top or bottom.
pub fn boundaries(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let [x_min, x_max, y_min, y_max, bottom, top] = config.boundaries.by_side();
    let pairs = [("x_min", x_min, "x_max", x_max), ("y_min", y_min, "y_max", y_max)];
    let lonely = pairs.into_iter().filter_map(|(one, kind, other, opposite)| {
        let (periodic, not) = match (kind, opposite) {
            (BoundaryKind::Periodic, BoundaryKind::Periodic) => return None,
            (BoundaryKind::Periodic, _) => (one, other),
            (_, BoundaryKind::Periodic) => (other, one),
            _ => return None,
        };
        let problem =
            Problem::new(path.key(periodic), format!("`{periodic}` is periodic, but `{not}` opposite is not"));
        Some(problem.hint(format!("make `{not}` periodic too, or neither of them")))
    });
    let level = [("bottom", bottom), ("top", top)].into_iter().filter(|(_, kind)| *kind == BoundaryKind::Periodic);
    let refused = level.map(|(side, _)| {
        let problem = Problem::new(path.key(side), format!("`{side}` cannot be periodic"));
        problem.value("periodic").allowed("free, absorbing or rigid").hint("only the four vertical sides can")
    });
    lonely.chain(refused).collect()
}
