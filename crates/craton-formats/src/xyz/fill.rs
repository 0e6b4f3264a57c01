//! The grid of a text volume, and the values at its points.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::columns::Coordinate;
use super::grid::{Distinct, Even, MOST, Uneven};
use super::head::{Head, Tomography, data};
use crate::error::{FormatError, Result};
use crate::pieces::Source;
use crate::rows::RowLayout;
use crate::text::Place;
use crate::volume::{Axis, Window};

/// Largest deviation of a coordinate from the header of a tomographic model, in spacings: headers are rounded.
const OFF_HEADER: f64 = 0.01;

/// The points of a file, and which columns are read.
struct Points<'a> {
    source: &'a Source<'a>,
    head: &'a Head,
    layout: RowLayout<'a>,
    /// Place of the value in a row.
    value: usize,
}

/// The grid of a file.
pub(super) struct Extent {
    grid: [Even; 3],
    /// Number of points of the grid.
    count: usize,
}

impl Extent {
    /// The grid of the header of a tomographic model, or else that of the points of a table.
    ///
    /// # Errors
    /// Points that cannot be read or are unevenly spaced; fewer lines than points.
    pub fn of(source: &Source, head: &Head) -> Result<Self> {
        let names = names(head);
        let points = Points::new(source, head, &names, None);
        let (grid, most, lines) = match &head.tomography {
            None => points.infer()?,
            Some(model) => {
                // A point has a line, so that damaged headers do not reserve memory.
                let lines: usize = source.count_lines(&source.ranges(head.rows.0))?.iter().sum();
                (announced(model), lines, head.rows.1 + lines)
            }
        };
        let count = grid.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.count)).unwrap_or(usize::MAX);
        match count > most {
            true => Err(points.missing(&grid, count - most, lines, None)),
            false => Ok(Self { grid, count }),
        }
    }

    /// The axes of the grid.
    pub fn axes(&self, head: &Head) -> Vec<Axis> {
        let axis = |(even, of): (&Even, &Coordinate)| {
            let spacing = if even.count == 1 { 1.0 } else { of.factor * even.spacing };
            // In other formats, z may be a depth.
            let label = if of.label == "z" { "elevation" } else { of.label };
            Axis::new(even.count, of.factor * even.origin, spacing).named(label, of.unit)
        };
        self.grid.iter().zip(&head.coordinates).map(axis).collect()
    }
}

/// The grid that the header of a tomographic model announces.
fn announced(model: &Tomography) -> [Even; 3] {
    [0, 1, 2].map(|axis| Even {
        origin: model.origin[axis],
        spacing: model.spacing[axis],
        count: model.counts[axis],
        tolerance: OFF_HEADER,
    })
}

/// Reads the values of a column at the points of a window.
///
/// # Errors
/// A file that cannot be read; missing or repeated points, also outside the window.
pub(super) fn values(
    source: &Source,
    head: &Head,
    extent: &Extent,
    column: usize,
    window: &Window,
) -> Result<Vec<f32>> {
    Points::new(source, head, &names(head), Some(column)).fill(extent, window)
}

fn names(head: &Head) -> Vec<String> {
    head.columns.iter().map(|column| column.name.clone()).collect()
}

impl<'a> Points<'a> {
    fn new(source: &'a Source<'a>, head: &'a Head, names: &'a [String], column: Option<usize>) -> Self {
        let mut targets = vec![None; names.len()];
        for (axis, coordinate) in head.coordinates.iter().enumerate() {
            targets[coordinate.column] = Some(axis);
        }
        let value = column.map(|column| *targets[column].get_or_insert(3));
        let wanted = if value == Some(3) { 4 } else { 3 };
        let (are_named, separator) = (head.are_named, head.separator);
        let layout = RowLayout { names, are_named, targets, wanted, separator, data };
        Self { source, head, layout, value: value.unwrap_or_default() }
    }

    /// Infers the grid; returns it with the numbers of points and of lines.
    fn infer(&self) -> Result<([Even; 3], usize, usize)> {
        let all = Mutex::new([(); 3].map(|()| Distinct::default()));
        let is_scattered = AtomicBool::new(false);
        let ranges = self.source.ranges(self.head.rows.0).into_iter().map(|range| (range, ())).collect();
        let piece = |(), text: &str| {
            let mut own = [(); 3].map(|()| Distinct::default());
            let mut rows = 0;
            let lines = self.layout.each_row(text, |_, row| {
                own.iter_mut().zip(row).for_each(|(distinct, value)| distinct.insert(*value));
                rows += 1;
                true
            })?;
            if !is_scattered.load(Ordering::Relaxed) {
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                for (all, own) in all.iter_mut().zip(&own) {
                    all.extend(own);
                    is_scattered.fetch_or(all.len() > MOST, Ordering::Relaxed);
                }
            }
            Ok((rows, lines))
        };
        let parsed = self.source.parse(ranges, self.head.rows.1, piece, |place, line| self.wrong(place, line, None))?;
        let rows: usize = parsed.pieces.iter().map(|(_, rows)| rows).sum();
        let end = Place { path: self.source.path(), line: parsed.lines + 1 };
        if rows == 0 {
            return Err(end.layout("the file has no points", "write one line `x y z value` for each point"));
        }
        let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(axis) = all.iter().position(|axis| axis.len() > MOST) {
            let problem = format!("the points have more than {MOST} different {}", self.label(axis));
            return Err(end.layout(problem, "only regular grids can be read; interpolate the values to one"));
        }
        let mut grid = [Even { origin: 0.0, spacing: 1.0, count: 1, tolerance: 0.0 }; 3];
        for (axis, even) in grid.iter_mut().enumerate() {
            *even = match Even::of(&all[axis].sorted()) {
                Ok(even) => even,
                Err(uneven) => return Err(self.uneven(axis, &uneven)?),
            };
        }
        Ok((grid, rows, parsed.lines))
    }

    fn label(&self, axis: usize) -> &str {
        self.head.coordinates[axis].label
    }

    /// The error of uneven coordinates, with the first line that has one.
    fn uneven(&self, axis: usize, uneven: &Uneven) -> Result<FormatError> {
        let Uneven { at, problem } = uneven;
        let problem = format!("the points are not a regular grid: {} {problem}", self.label(axis));
        let line = self.find(|place, row| (row[axis] == *at).then_some(place.line))?.unwrap_or(self.head.rows.1 + 1);
        let place = Place { path: self.source.path(), line };
        Ok(place.layout(problem, "add the missing points, or interpolate the values to even spacing"))
    }

    /// Passes the rows to a function one after the other, until it returns a value.
    fn find<T>(&self, mut of_row: impl FnMut(Place, &[f64]) -> Option<T>) -> Result<Option<T>> {
        let found = self.source.search(|place, _, line| {
            data(line).filter(|_| place.line > self.head.rows.1)?;
            let row = self.layout.values(place, line).ok()?;
            of_row(place, &row)
        })?;
        Ok(found.ok())
    }

    /// The point of a row, by its index along each axis.
    fn point(&self, [x, y, z]: &[Even; 3], row: &[f64]) -> Option<[usize; 3]> {
        Some([x.index(row[0])?, y.index(row[1])?, z.index(row[2])?])
    }

    /// The error of a row that cannot be used.
    fn wrong(&self, place: Place, line: &str, grid: Option<&[Even; 3]>) -> FormatError {
        let row = match self.layout.values(place, line) {
            Ok(row) => row,
            Err(error) => return error,
        };
        for (axis, even) in grid.into_iter().flatten().enumerate() {
            if even.index(row[axis]).is_none() {
                let (first, last) = (even.place(0), even.place(even.count - 1));
                let expected = format!("one of {} values from {first} to {last} by {}", even.count, even.spacing);
                return place.bad_value(self.label(axis), &row[axis].to_string(), expected);
            }
        }
        match row.get(self.value) {
            Some(value) if !(*value as f32).is_finite() => {
                place.bad_value("value", &value.to_string(), "a number below 3.4e38 in magnitude")
            }
            _ => place.layout("the file changed while it was being read", "read it again"),
        }
    }

    /// Reads the values of a window.
    fn fill(&self, extent: &Extent, window: &Window) -> Result<Vec<f32>> {
        let Extent { grid, count } = extent;
        let values: Vec<AtomicU32> = (0..window.count()).map(|_| AtomicU32::new(0)).collect();
        let seen = Seen::new(*count);
        let is_repeated = AtomicBool::new(false);
        let ranges = self.source.ranges(self.head.rows.0).into_iter().map(|range| (range, ())).collect();
        let piece = |(), text: &str| {
            let mut rows = 0;
            let lines = self.layout.each_row(text, |_, row| {
                let value = row[self.value] as f32;
                let Some(point) = self.point(grid, row).filter(|_| value.is_finite()) else { return false };
                if seen.insert(number(grid, point)) {
                    is_repeated.store(true, Ordering::Relaxed);
                }
                if let Some(index) = window.index(&point) {
                    values[index].store(value.to_bits(), Ordering::Relaxed);
                }
                rows += 1;
                true
            })?;
            Ok((rows, lines))
        };
        let wrong = |place: Place, line: &str| self.wrong(place, line, Some(grid));
        let parsed = self.source.parse(ranges, self.head.rows.1, piece, wrong)?;
        if is_repeated.into_inner() {
            return Err(self.repeated(grid, *count)?);
        }
        let rows: usize = parsed.pieces.iter().map(|(_, rows)| rows).sum();
        if rows < *count {
            return Err(self.missing(grid, count - rows, parsed.lines, seen.first_missing()));
        }
        // The standard library collects these in place.
        Ok(values.into_iter().map(|value| f32::from_bits(value.into_inner())).collect())
    }

    /// The error of missing points.
    ///
    /// # Arguments
    /// * `lines` – number of lines of the file
    /// * `first` – index of the first missing point, if known
    fn missing(&self, grid: &[Even; 3], number: usize, lines: usize, first: Option<usize>) -> FormatError {
        let [nx, ny, nz] = grid.map(|axis| axis.count);
        let is_inferred = self.head.tomography.is_none();
        let of = if is_inferred { "the points belong to a grid of" } else { "the header announces" };
        let at_least = if first.is_none() { "at least " } else { "" };
        let first = first.map(|index| format!(", the first at {}", self.describe(grid, index))).unwrap_or_default();
        let problem = format!("{of} {nx} x {ny} x {nz} points, of which {at_least}{number} are missing{first}");
        let place = Place { path: self.source.path(), line: lines + 1 };
        place.layout(problem, "every point must have a line; complete the file, or interpolate the values to a grid")
    }

    /// The error of a repeated point, with its second line.
    fn repeated(&self, grid: &[Even; 3], count: usize) -> Result<FormatError> {
        let mut is_known = vec![false; count];
        let second = self.find(|place, row| {
            let index = number(grid, self.point(grid, row)?);
            std::mem::replace(&mut is_known[index], true).then_some((place.line, index))
        })?;
        let (line, index) = second.unwrap_or_default();
        let problem = format!("the point {} occurs twice", self.describe(grid, index));
        Ok(Place { path: self.source.path(), line }.layout(problem, "keep one of the lines"))
    }

    fn describe(&self, grid: &[Even; 3], index: usize) -> String {
        let [x, y, z] = grid;
        let places = [x.place(index % x.count), y.place(index / x.count % y.count), z.place(index / x.count / y.count)];
        let all = places.iter().enumerate().map(|(axis, place)| format!("{} = {place}", self.label(axis)));
        all.collect::<Vec<_>>().join(", ")
    }
}

/// Number of a point, x fastest.
fn number([x, y, _]: &[Even; 3], [i, j, k]: [usize; 3]) -> usize {
    (k * y.count + j) * x.count + i
}

/// The points of a grid that the file has, one bit each.
struct Seen {
    words: Vec<AtomicU64>,
    count: usize,
}

impl Seen {
    fn new(count: usize) -> Self {
        Self { words: (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), count }
    }

    /// Adds a point and returns whether it was there.
    fn insert(&self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        self.words[number / 64].fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    fn first_missing(&self) -> Option<usize> {
        (0..self.count).find(|number| self.words[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 0)
    }
}
