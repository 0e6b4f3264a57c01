//! Tensor meshes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::data;
use crate::atomic;
use crate::error::{FormatError, Refused, Result};
use crate::text::{Place, end_of, read_text, words};

/// Largest number of cells along an axis.
const LARGEST_COUNT: usize = 1_000_000;

const AXES: [&str; 3] = ["x", "y", "z"];

/// A tensor mesh: a box divided by planes across x (east), y (north) and z (elevation).
///
/// ```text
/// 3 2 4               ! cells along x, y and z
/// 1000 2000 150       ! west, south and top
/// 100 2*50            ! widths from west to east
/// 50 50               ! from south to north
/// 2*12.5 25 50        ! from the top down
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    corner: [f64; 3],
    widths: [Vec<f64>; 3],
    edges: [Vec<f64>; 3],
}

impl Mesh {
    /// Creates a mesh.
    ///
    /// # Arguments
    /// * `corner` – west, south and top [m]
    /// * `widths` – cell widths [m], above 0: from west to east, from south to north, from the top down
    /// # Errors
    /// An axis without cells or with more than 10 million; a number that is not finite; a width that is not above 0, or too small to change
    /// the coordinate.
    pub fn new(corner: [f64; 3], widths: [Vec<f64>; 3]) -> Result<Self, Refused> {
        for (name, place) in ["west", "south", "top"].into_iter().zip(corner) {
            if !place.is_finite() {
                return Err(Refused::new(name, place, "a finite number"));
            }
        }
        for (name, widths) in AXES.into_iter().zip(&widths) {
            if widths.is_empty() || widths.len() > LARGEST_COUNT {
                let what = format!("number of cells along {name}");
                return Err(Refused::new(what, widths.len(), format!("from 1 to {LARGEST_COUNT}")));
            }
        }
        let [x, y, z] = &widths;
        let [west, south, top] = corner;
        let mut downward = edges("z", top, z.iter().map(|width| -width))?;
        downward.reverse();
        let edges = [edges("x", west, x.iter().copied())?, edges("y", south, y.iter().copied())?, downward];
        Ok(Self { corner, widths, edges })
    }

    /// West, south and top [m].
    pub fn corner(&self) -> [f64; 3] {
        self.corner
    }

    /// Cell widths [m] in the order of the file: along x from west to east, along y from south to north, along z from the top down.
    pub fn widths(&self) -> &[Vec<f64>; 3] {
        &self.widths
    }

    /// Coordinates of the cell boundaries [m], ascending along x, y and z (so from the bottom up along z); one more than the number of
    /// cells.
    pub fn edges(&self) -> &[Vec<f64>; 3] {
        &self.edges
    }

    /// Number of cells along x, y and z.
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.widths[axis].len())
    }

    /// Total number of cells.
    pub fn cell_count(&self) -> usize {
        self.counts().iter().fold(1, |product, &count| product.saturating_mul(count))
    }

    /// Reads a mesh. The widths of an axis may be split into several lines, but each axis starts on a new line.
    ///
    /// # Errors
    /// Counts or a corner that are not three numbers; more or fewer widths than the counts; data that [`Self::new`] refuses; a file that
    /// cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?, path)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let mut lines = Lines {
            end: end_of(path, text),
            lines: text
                .lines()
                .enumerate()
                .filter_map(|(index, line)| Some((Place { path, line: index + 1 }, data(line.trim())?))),
        };
        refuse_octree(path, text)?;
        let counts = lines.counts()?;
        let corner = lines.corner()?;
        let mut widths = [const { Vec::new() }; 3];
        for axis in 0..3 {
            widths[axis] = lines.widths(AXES[axis], counts[axis])?;
        }
        if let Some((place, line)) = lines.lines.next() {
            return Err(place.bad_value(
                "line after the widths in z",
                line,
                "nothing; check the counts on the first line",
            ));
        }
        Self::new(corner, widths).map_err(|refused| refused.unreadable(path))
    }

    /// Writes the mesh, atomically: five lines, with runs of equal widths as `n*width` and all digits.
    ///
    /// # Errors
    /// [`FormatError::Io`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let [nx, ny, nz] = self.counts();
        let [west, south, top] = self.corner;
        atomic::write_with(path, |out| {
            writeln!(out, "{nx} {ny} {nz}\n{west} {south} {top}")?;
            self.widths.iter().try_for_each(|widths| writeln!(out, "{}", repeated(widths)))
        })
    }
}

/// Refuses an OcTree mesh, in which the corner is followed by the three sides of the smallest cells, the number of cells, and as many lines
/// of four integers.
fn refuse_octree(path: &Path, text: &str) -> Result<()> {
    let mut lines = text.lines().filter_map(|line| data(line.trim()));
    let (sides, number) = (lines.nth(2), lines.next().and_then(|number| number.parse::<usize>().ok()));
    let is_cell = |line: &str| words(line).filter(|word| word.parse::<u64>().is_ok()).count() == 4;
    let has_sides = sides.is_some_and(|sides| words(sides).count() == 3);
    if has_sides && number.is_some_and(|number| number > 2 && lines.filter(|line| is_cell(line)).count() == number) {
        let (problem, hint) =
            ("this is an OcTree mesh, but only tensor meshes are supported", "resample the model to a tensor mesh");
        return Err(Place { path, line: 1 }.layout(problem, hint));
    }
    Ok(())
}

/// Cumulative cell boundaries. Widths are summed before the first coordinate is added, since round-off at large coordinates would make
/// equal cells uneven.
fn edges(axis: &str, first: f64, steps: impl Iterator<Item = f64>) -> Result<Vec<f64>, Refused> {
    let mut edges = vec![first];
    let mut steps_so_far = 0.0;
    for (cell, step) in steps.enumerate() {
        steps_so_far += step;
        let (last, next) = (edges[cell], first + steps_so_far);
        if !next.is_finite() || (next - last) * if axis == "z" { -1.0 } else { 1.0 } <= 0.0 {
            let what = format!("width of cell {} in {axis}", cell + 1);
            return Err(Refused::new(
                what,
                step.abs(),
                format!("a length above 0 that changes the coordinate {last} m"),
            ));
        }
        edges.push(next);
    }
    Ok(edges)
}

fn repeated(widths: &[f64]) -> String {
    let mut text = String::new();
    for run in widths.chunk_by(|a, b| a == b) {
        let between = if text.is_empty() { "" } else { " " };
        let written = match run.len() {
            1 => write!(text, "{between}{}", run[0]),
            count => write!(text, "{between}{count}*{}", run[0]),
        };
        written.expect("text takes whatever is written");
    }
    text
}

/// The remaining lines.
struct Lines<'a, I> {
    lines: I,
    end: Place<'a>,
}

impl<'a, I: Iterator<Item = (Place<'a>, &'a str)>> Lines<'a, I> {
    fn next(&mut self, key: &'static str, expected: &str) -> Result<(Place<'a>, &'a str)> {
        self.lines.next().ok_or_else(|| FormatError::MissingKey {
            path: self.end.path.to_owned(),
            line: self.end.line,
            key,
            found: "the end of the file".to_owned(),
            expected: expected.to_owned(),
        })
    }

    fn counts(&mut self) -> Result<[usize; 3]> {
        let expected = format!("three integers from 1 to {LARGEST_COUNT}, the cells along x, y and z");
        let (place, line) = self.next("number of cells", &expected)?;
        let counts: Vec<usize> = words(line).filter_map(|word| word.parse().ok()).collect();
        let good =
            counts.iter().all(|count| (1..=LARGEST_COUNT).contains(count)) && counts.len() == words(line).count();
        match counts[..] {
            [nx, ny, nz] if good => Ok([nx, ny, nz]),
            _ => Err(place.bad_value("number of cells", line, expected)),
        }
    }

    fn corner(&mut self) -> Result<[f64; 3]> {
        let expected = "three numbers: west, south and top";
        let (place, line) = self.next("corner", expected)?;
        let found: Vec<_> = words(line).collect();
        let [west, south, top] = found[..] else { return Err(place.bad_value("corner", line, expected)) };
        Ok([place.finite("west", west)?, place.finite("south", south)?, place.finite("top", top)?])
    }

    /// Reads the widths of one axis, over as many lines as they take.
    fn widths(&mut self, axis: &str, count: usize) -> Result<Vec<f64>> {
        let mut widths = Vec::new();
        while widths.len() < count {
            let Some((place, line)) = self.lines.next() else {
                let problem = format!("the file ends with {} of {count} widths in {axis}", widths.len());
                return Err(self
                    .end
                    .layout(problem, "add the missing widths, or correct the counts on the first line"));
            };
            let before = widths.len();
            for word in words(line) {
                let (repeats, width) = repeats_and_width(place, axis, word)?;
                if repeats > count - widths.len() {
                    let problem =
                        format!("more than {count} widths in {axis}, of which {before} are on previous lines");
                    return Err(place.layout(problem, "correct the counts on the first line, or the widths"));
                }
                widths.resize(widths.len() + repeats, width);
            }
        }
        Ok(widths)
    }
}

/// Parses `12.5` or `20*12.5`.
fn repeats_and_width(place: Place, axis: &str, word: &str) -> Result<(usize, f64)> {
    let refuse = |expected: &str| place.bad_value(format!("width in {axis}"), word, expected);
    let (repeats, width) = match word.split_once('*') {
        Some((repeats, width)) => {
            let repeats = repeats.parse().ok().filter(|&repeats| repeats > 0);
            (repeats.ok_or_else(|| refuse("a width, like 12.5, or a repeated width, like 20*12.5"))?, width)
        }
        None => (1, word),
    };
    let width = place.finite(format_args!("width in {axis}"), width)?;
    if width <= 0.0 {
        return Err(refuse("a length above 0"));
    }
    Ok((repeats, width))
}
