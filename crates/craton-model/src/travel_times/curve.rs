//! Travel-time curves for plotting.

use std::f64::consts::TAU;

use super::line::{Line, Piece};
use super::stack::Stack;

/// Maps a range of epicentral distances to distances along the path, which may go around the Earth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The distance along the path is this ...
    offset: f64,
    /// ... plus (1) or minus (-1) the epicentral distance.
    sign: f64,
    /// First and last epicentral distance \[rad\].
    range: [f64; 2],
    /// Spacing of points \[rad\].
    step: f64,
}

impl Window {
    /// Windows of a range: the minor arc, the major arc, and once around the Earth plus the minor arc.
    pub fn all(range: [f64; 2], step: f64) -> [Self; 3] {
        [(0.0, 1.0), (TAU, -1.0), (TAU, 1.0)].map(|(offset, sign)| Self { offset, sign, range, step })
    }

    /// Smallest and largest distance along the path.
    fn ends(&self) -> [f64; 2] {
        let [a, b] = self.range.map(|distance| self.offset + self.sign * distance);
        [a.min(b), a.max(b)]
    }

    /// Distances along the path of the points in `from..=to`, without `from`, in order from `from` to `to`.
    fn points(&self, from: f64, to: f64) -> Vec<f64> {
        let index = |angle: f64| (self.sign * (angle - self.offset) - self.range[0]) / self.step;
        let (first, last) = (index(from).min(index(to)), index(from).max(index(to)));
        let angle = |index: i64| self.offset + self.sign * (self.range[0] + index as f64 * self.step);
        let is_between = |angle: &f64| (from.min(to)..=from.max(to)).contains(angle) && *angle != from;
        let mut points: Vec<f64> = (first.floor() as i64..=last.ceil() as i64).map(angle).filter(is_between).collect();
        points.sort_by(f64::total_cmp);
        if to < from {
            points.reverse();
        }
        points
    }

    /// Converts a distance along the path to a point of a curve \[degrees, s\].
    fn point(&self, angle: f64, time: f64) -> [f64; 2] {
        [(self.sign * (angle - self.offset)).to_degrees(), time]
    }
}

/// Parts of a line within a window, as points \[degrees, s\].
pub(super) fn curves(stack: &Stack, line: &Line, window: &Window) -> Vec<Vec<[f64; 2]>> {
    let [low, high] = window.ends();
    let mut curves = vec![Vec::new()];
    for (index, piece) in line.iter().enumerate() {
        let [from, to] = piece.ends.map(|end| end.angle);
        if from.max(to) < low || from.min(to) > high {
            curves.push(Vec::new());
            continue;
        }
        let [entry, exit] = [from, to].map(|angle| angle.clamp(low, high));
        let continues = line.get(index + 1).is_some_and(|next: &Piece| next.is_outward() == piece.is_outward());
        let curve = curves.last_mut().expect("it is never empty");
        let mut angles = window.points(entry, exit);
        if curve.is_empty() {
            angles.insert(0, entry);
        }
        if (!continues || exit != to) && angles.last() != Some(&exit) {
            angles.push(exit);
        }
        let time = |angle: f64| Some(window.point(angle, piece.ray_to(stack, angle)?.1));
        curve.extend(angles.into_iter().filter_map(time));
        if exit != to {
            curves.push(Vec::new());
        }
    }
    curves.retain(|curve| curve.len() > 1);
    curves
}
