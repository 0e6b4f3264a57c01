//! Branches of the travel-time curve: distance and time as functions of the ray parameter.

use super::phase::Leg;
use super::ray::{self, Course};
use super::shell::Share;
use super::stack::Stack;

/// Largest length of a piece of a line, relative to the largest ray parameter.
const LONGEST: f64 = 0.005;

/// Ends of pieces closer than this \[rad\] and \[s\] are joined.
const JOINED: f64 = 1e-9;

/// Caustics that exceed the ends of their piece by less than this \[rad\], 6 mm at the surface of the Earth, are ignored.
const LEAST_REACH: f64 = 1e-9;

/// Largest number of steps of a search for a root or a caustic; tens suffice.
const MOST_STEPS: usize = 200;

/// Rays between two ray parameters that take the same course. Distance is assumed to be monotonic in between, since pieces are split at
/// caustics.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// Ray parameters at its ends \[s/rad\].
    pub p: [f64; 2],
    /// Time and distance at its ends.
    pub ends: [Share; 2],
    pub course: Course,
}

impl Piece {
    fn new(stack: &Stack, p: [f64; 2], course: Course) -> Self {
        Self { p, ends: p.map(|p| course.share(stack, p)), course }
    }

    /// Ray parameter at position s of the piece, from 0 where it is largest to 1. It is quadratic in s because distance is regular in s =
    /// √(p_max - p), also for rays that graze a boundary.
    fn parameter(&self, s: f64) -> f64 {
        let [low, high] = [self.p[0].min(self.p[1]), self.p[0].max(self.p[1])];
        high - (high - low) * s * s
    }

    /// Finds the ray that arrives at a distance \[rad\]; returns its parameter \[s/rad\] and its time \[s\].
    ///
    /// The root is bracketed by the ends and found to 1e-12 rad by the Illinois method, with a bisection at every third step. The time is
    /// corrected for the remaining distance, using dT/dΔ = p.
    pub fn ray_to(&self, stack: &Stack, distance: f64) -> Option<(f64, f64)> {
        let misses = self.ends.map(|end| end.angle - distance);
        for (end, miss) in misses.into_iter().enumerate() {
            if miss == 0.0 {
                return Some((self.p[end], self.ends[end].time));
            }
        }
        if (misses[0] > 0.0) == (misses[1] > 0.0) || misses.iter().any(|miss| miss.is_nan()) {
            return None;
        }
        let greatest_first = self.p[0] > self.p[1];
        let (mut a, mut b) = (0.0, 1.0);
        let [mut miss_a, mut miss_b] = if greatest_first { misses } else { [misses[1], misses[0]] };
        for step in 0..MOST_STEPS {
            let secant = (a * miss_b - b * miss_a) / (miss_b - miss_a);
            let s = if step % 3 == 2 || !(a..b).contains(&secant) { 0.5 * (a + b) } else { secant };
            let p = self.parameter(s);
            let share = self.course.share(stack, p);
            let miss = share.angle - distance;
            if miss.abs() < 1e-12 || b - a < 1e-15 {
                return Some((p, share.time - p * miss));
            }
            if (miss > 0.0) == (miss_b > 0.0) {
                (b, miss_b, miss_a) = (s, miss, 0.5 * miss_a);
            } else {
                (a, miss_a, miss_b) = (s, miss, 0.5 * miss_b);
            }
        }
        None
    }

    /// Splits the piece at a caustic inside it, where distance is largest (`sign` = 1) or smallest (-1), found by golden-section search.
    /// `None` if the extreme is at an end.
    fn split(&self, stack: &Stack, sign: f64) -> Option<[Self; 2]> {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let value = |s: f64| sign * self.course.share(stack, self.parameter(s)).angle;
        let (mut a, mut b) = (0.0, 1.0);
        let mut inner = [b - golden * (b - a), a + golden * (b - a)];
        let mut values = inner.map(value);
        while b - a > 1e-7 {
            if values[0] > values[1] {
                b = inner[1];
                inner = [b - golden * (b - a), inner[0]];
                values = [value(inner[0]), values[0]];
            } else {
                a = inner[0];
                inner = [inner[1], a + golden * (b - a)];
                values = [values[1], value(inner[1])];
            }
        }
        let at = self.parameter(0.5 * (a + b));
        let top = sign * self.course.share(stack, at).angle;
        let is_inside = self.ends.iter().all(|end| top > sign * end.angle + LEAST_REACH);
        let part = |p| Self::new(stack, p, self.course.clone());
        is_inside.then(|| [part([self.p[0], at]), part([at, self.p[1]])])
    }

    /// Whether `next` starts where this piece ends.
    fn is_joined(&self, next: &Self) -> bool {
        let (end, start) = (self.ends[1], next.ends[0]);
        self.p[1] == next.p[0] && (end.angle - start.angle).abs() < JOINED && (end.time - start.time).abs() < JOINED
    }

    /// Whether distance increases along the piece.
    pub fn is_outward(&self) -> bool {
        self.ends[1].angle > self.ends[0].angle
    }
}

/// Joined pieces, in order.
pub(super) type Line = Vec<Piece>;

/// The lines of a phase: pieces along its paths, joined where they meet.
pub(super) fn lines(stack: &Stack, paths: &[&[Leg]]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for piece in paths.iter().flat_map(|path| pieces(stack, path)) {
        match lines.last_mut() {
            Some(line) if line.last().is_some_and(|last| last.is_joined(&piece)) => line.push(piece),
            _ => lines.push(vec![piece]),
        }
    }
    lines.into_iter().map(|line| with_caustics(stack, line)).collect()
}

/// The pieces of a path. They start with the steepest ray if the path only goes up, otherwise with the most grazing one.
fn pieces(stack: &Stack, path: &[Leg]) -> Vec<Piece> {
    let changes = ray::changes(stack, path);
    let longest = LONGEST * changes[changes.len() - 1];
    let mut pieces = Vec::new();
    for pair in changes.windows(2) {
        let Some(course) = Course::find(stack, path, 0.5 * (pair[0] + pair[1])) else { continue };
        let count = ((pair[1] - pair[0]) / longest).ceil();
        let at = |part: usize| match part as f64 == count {
            true => pair[1],
            false => pair[0] + (pair[1] - pair[0]) * part as f64 / count,
        };
        pieces.extend((0..count as usize).map(|part| Piece::new(stack, [at(part), at(part + 1)], course.clone())));
    }
    if !matches!(path, [Leg::Up(_)]) {
        pieces.reverse();
        for piece in &mut pieces {
            piece.p.reverse();
            piece.ends.reverse();
        }
    }
    pieces
}

/// Splits pieces of a line at caustics, which are searched for in the pieces next to every end where distance reverses.
fn with_caustics(stack: &Stack, line: Line) -> Line {
    let reverses = |index: usize| index + 1 < line.len() && line[index].is_outward() != line[index + 1].is_outward();
    let is_next_to_reversal = |index: usize| reverses(index) || index > 0 && reverses(index - 1);
    let split = |(index, piece): (usize, &Piece)| {
        let signs = if is_next_to_reversal(index) { &[1.0, -1.0][..] } else { &[] };
        match signs.iter().find_map(|sign| piece.split(stack, *sign)) {
            Some(parts) => parts.to_vec(),
            None => vec![piece.clone()],
        }
    };
    line.iter().enumerate().flat_map(split).collect()
}
