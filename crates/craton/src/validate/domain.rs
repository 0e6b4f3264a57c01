//! Checks of the domain and its boundary conditions.

use crate::config::{Boundaries, BoundaryKind, Config, Domain, Projection};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};

/// Smallest extent of the box along an axis [m].
const LEAST_EXTENT: f64 = 1e-6;
/// Smallest extent of the box along an axis relative to its coordinates, above round-off.
const LEAST_SHARE: f64 = 1e-9;

/// The axes of a box and their limits.
const ENDS: [(&str, &str); 3] =
    [("x", "give west and east limits"), ("y", "give south and north limits"), ("z", "give bottom and top")];

/// Missing limits of a box, or keys that conflict with a chunk; empty if the limits are complete.
pub fn shape(domain: &Domain, path: &KeyPath) -> Vec<Problem> {
    let axes = ENDS.into_iter().zip(domain.written());
    if domain.mesh.is_some() {
        let ends = axes.filter(|(_, ends)| ends.is_some()).map(|((axis, _), _)| axis);
        let others = [
            ("chunk", domain.chunk.is_some()),
            ("globe", domain.globe.is_some()),
            ("topography", domain.topography.is_some()),
        ];
        let others = others.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key);
        let problem = |key| Problem::new(path.key(key), "conflicts with `mesh`").at_key();
        let hint = "domain.mesh defines the extent and the surface. Remove one of the two keys";
        return ends.chain(others).map(|key| problem(key).hint(hint)).collect();
    }
    if !domain.is_on_sphere() {
        let missing = axes.filter(|(_, ends)| ends.is_none());
        let problem = |((axis, meaning), _): ((&str, &str), _)| {
            let problem = Problem::new(path.key(axis), "is missing");
            problem.hint(format!(
                "{meaning} [m], domain.region, domain.mesh, or domain.chunk or domain.globe for the spherical Earth"
            ))
        };
        return missing.map(problem).collect();
    }
    let ends = axes.filter(|(_, ends)| ends.is_some()).map(|((axis, _), _)| axis);
    let projection = (domain.projection != Projection::None).then_some("projection");
    let both = (domain.chunk.is_some() && domain.globe.is_some()).then_some("chunk");
    let conflicting = ends.chain(projection).chain(both);
    let own = domain.sphere_key();
    let problem = |key| Problem::new(path.key(key), format!("conflicts with `{own}`")).at_key();
    let hint = format!("domain.{own} defines the extent and the projection. Remove one of the two keys");
    conflicting.map(|key| problem(key).hint(hint.clone())).collect()
}

/// Limits that are not in ascending order, or not apart.
pub fn domain(domain: &Domain, path: &KeyPath) -> Vec<Problem> {
    let axes = [("x", domain.x()), ("y", domain.y()), ("z", domain.z())];
    let reversed = axes.into_iter().filter(|(_, [from, to])| from >= to);
    let problem = |(axis, [from, to]): (&str, [f64; 2])| {
        let (low, high) = if axis == "z" { ("bottom", "top") } else { ("first", "last") };
        Problem::new(path.key(axis), format!("the {low} limit must be below the {high} limit"))
            .value(bracketed(&[from, to]))
            .allowed(format!("[{low}, {high}] in metres, {low} < {high}"))
    };
    let thin = axes.into_iter().filter_map(|(axis, [from, to])| {
        let least = LEAST_EXTENT.max(LEAST_SHARE * from.abs().max(to.abs()));
        let problem = Problem::new(path.key(axis), "the box is too thin along this axis");
        let problem = problem.value(bracketed(&[from, to])).allowed(format!("at least {} m", Number(least)));
        (from < to && to - from < least).then(|| problem.hint("check the unit: metres"))
    });
    reversed.map(problem).chain(thin).collect()
}

/// Boundary conditions of sides that a globe does not have.
fn sides_of_globe(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let (written, unwritten) = (&config.boundaries, Boundaries::default());
    let sides =
        [("x_min", written.x_min), ("x_max", written.x_max), ("y_min", written.y_min), ("y_max", written.y_max)];
    let sides = sides.into_iter().filter_map(|(key, kind)| kind.map(|_| key));
    let all = [("sides", written.sides, unwritten.sides), ("bottom", written.bottom, unwritten.bottom)];
    let all = all.into_iter().filter(|(_, kind, default)| kind != default).map(|(key, ..)| key);
    let top = (written.top == BoundaryKind::Periodic).then_some("top");
    let problem = |key| Problem::new(path.key(key), "conflicts with `globe`").at_key();
    let hint = "the whole Earth has only a top, which is free, absorbing or rigid";
    sides.chain(all).chain(top).map(|key| problem(key).hint(hint)).collect()
}

/// Periodic sides without their counterpart, or at the top or bottom.
pub fn boundaries(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let [x_min, x_max, y_min, y_max, bottom, top] = config.sides();
    if config.domain.globe.is_some() {
        return sides_of_globe(config, path);
    }
    if config.domain.chunk.is_some() && [x_min, x_max, y_min, y_max].contains(&BoundaryKind::Periodic) {
        let problem = Problem::new(path, "the sides of a chunk cannot be periodic");
        return vec![problem.allowed("free, absorbing or rigid").hint("the sides of a chunk are not parallel")];
    }
    if config.domain.mesh.is_some() && config.sides().contains(&BoundaryKind::Periodic) {
        let problem = Problem::new(path, "the sides of a mesh of another program cannot be periodic");
        return vec![problem.allowed("free, absorbing or rigid")];
    }
    let pairs = [("x_min", x_min, "x_max", x_max), ("y_min", y_min, "y_max", y_max)];
    let lonely = pairs.into_iter().filter_map(|(one, kind, other, opposite)| {
        let (periodic, not) = match (kind, opposite) {
            (BoundaryKind::Periodic, BoundaryKind::Periodic) => return None,
            (BoundaryKind::Periodic, _) => (one, other),
            (_, BoundaryKind::Periodic) => (other, one),
            _ => return None,
        };
        let problem =
            Problem::new(path.key(periodic), format!("`{periodic}` is periodic, but the opposite side `{not}` is not"));
        Some(problem.hint("make both sides periodic, or neither"))
    });
    let level = [("bottom", bottom), ("top", top)].into_iter().filter(|(_, kind)| *kind == BoundaryKind::Periodic);
    let refused = level.map(|(side, _)| {
        let problem = Problem::new(path.key(side), format!("`{side}` cannot be periodic"));
        problem
            .value("periodic")
            .allowed("free, absorbing or rigid")
            .hint("only the four vertical sides can be periodic")
    });
    lonely.chain(refused).collect()
}
