//! Where gravity is computed, and how these places lie to one another.

use std::path::Path;

use craton_acquisition::Receiver;
use craton_formats::grid::{Grid, Unit};
use craton_gravity::Points;
use craton_model::ElevationGrid;

use super::lists::{self, List};
use super::scenario;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Draped, ListFormat, MOST_POINTS, PointFile, PointLine, ScenarioReceivers};
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed, counted};
use crate::setup::findings::{Checked, bad_model, of_file};

/// How far from whole a number of steps may be.
const SLACK: f64 = 1e-6;

/// Points, and how they lie.
#[derive(Debug, Clone)]
pub struct Places {
    /// The points; of a grid x fastest, then y.
    pub points: Points,
    /// How they lie.
    pub shape: Shape,
    /// What each is called, if they have names.
    pub names: Option<Vec<String>>,
    /// Whether a file says that they are in metres.
    pub are_metres: bool,
    /// What in their file makes one doubt that they are meant.
    pub doubts: Vec<String>,
}

/// How points lie to one another.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// On a grid of x and y [m].
    Grid {
        /// Places along x, ascending.
        x: Vec<f64>,
        /// Places along y, ascending.
        y: Vec<f64>,
        /// The height of all points [m], if they have one.
        level: Option<f64>,
    },
    /// Along a line: distance of each from the first [m].
    Line(Vec<f64>),
    /// Anyhow.
    List,
}

impl Places {
    /// The points of a problem.
    ///
    /// # Errors
    /// Files that cannot be read; too many points.
    pub fn new(file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        match &file.config.points {
            config::Points::Grid(grid) => {
                let path = path.key("grid");
                let count = counts(grid.count, grid.spacing, [grid.x, grid.y], &path)?.unwrap_or([2; 2]);
                let axes = [even(grid.x, count[0]), even(grid.y, count[1])];
                Self::on_grid(axes, Some(grid.z), |_, _| grid.z, &path)
            }
            config::Points::Draped(draped) => Self::draped(draped, file, &path.key("draped")),
            config::Points::Line(line) => Self::along(line, &path.key("line")),
            config::Points::List(list) => Self::listed(list, file, &path.key("list")),
            config::Points::Receivers(ScenarioReceivers { file: name, set }) => {
                let path = path.key("receivers");
                let setup = scenario::read(name, set, file, &path)?;
                let points = points_of(setup.receivers.iter().map(Receiver::position), &path)?;
                let names = Some(setup.receivers.iter().map(Receiver::code).collect());
                Ok(Self { names, ..Self::of(points, Shape::List) })
            }
        }
    }

    /// Says how many points lie where they hardly are meant to, and names the first.
    ///
    /// # Arguments
    /// * `what` – they do there, in words
    pub fn told_of(&self, what: &str, lies_there: impl Fn([f64; 3]) -> bool) -> Option<String> {
        let mut there = (0..self.points.len()).filter(|&index| lies_there(self.points.get(index)));
        let first = there.next()?;
        let [x, y, z] = self.points.get(first).map(Number);
        let count = 1 + there.count();
        Some(format!("{} {what}: the first is point {first} at x = {x}, y = {y}, z = {z} m", counted(count, "point")))
    }

    fn of(points: Points, shape: Shape) -> Self {
        Self { points, shape, names: None, are_metres: false, doubts: Vec::new() }
    }

    fn on_grid(
        [x, y]: [Vec<f64>; 2],
        level: Option<f64>,
        height: impl Fn(f64, f64) -> f64,
        path: &KeyPath,
    ) -> Checked<Self> {
        let points = y.iter().flat_map(|&y| x.iter().map(move |&x| [x, y]));
        let points = points_of(points.map(|[x, y]| [x, y, height(x, y)]), path)?;
        Ok(Self::of(points, Shape::Grid { x, y, level }))
    }

    fn draped(draped: &Draped, file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        let (name, key) = (&draped.surface, path.key("surface"));
        let (written, are_metres) = surface(name, file, &key)?;
        let refuse = |error| of_file(*bad_model(&error, &key), name);
        let surface = ElevationGrid::from_file_grid(&written).map_err(refuse)?;
        let lowest = draped.lowest.unwrap_or(f64::NEG_INFINITY);
        let of_surface = |known: &[f64]| [known[0], known[known.len() - 1]];
        let wanted =
            [(draped.x, &written.x), (draped.y, &written.y)].map(|(asked, known)| asked.unwrap_or(of_surface(known)));
        let count = counts(draped.count, draped.spacing, wanted, path)?;
        let ends = [(wanted[0], &written.x, "x"), (wanted[1], &written.y, "y")];
        let mut axes = [Vec::new(), Vec::new()];
        for (axis, ([first, last], known, name)) in ends.into_iter().enumerate() {
            let [low, high] = of_surface(known);
            if first < low || last > high {
                let beyond = format!("reaches beyond the surface{}", told_of_outside(wanted, count, &written));
                let problem = Problem::new(path.key(name), beyond).value(bracketed(&[first, last]));
                return Err(problem
                    .allowed(format!("within {}, where the surface is", bracketed(&[low, high])))
                    .into());
            }
            axes[axis] = match count {
                Some(count) => even([first, last], count[axis]),
                None => known.iter().copied().filter(|place| (first..=last).contains(place)).collect(),
            };
            if axes[axis].is_empty() {
                let problem = Problem::new(path.key(name), "holds no point of the surface");
                return Err(problem.hint("widen it, or give `count` or `spacing`").into());
            }
        }
        if count.is_some() || draped.x.is_some() || draped.y.is_some() {
            let height = |x: f64, y: f64| {
                let [low, high] = heights_around([x, y], &written);
                (surface.elevation(x, y).clamp(low, high) + draped.above).max(lowest)
            };
            return Ok(Self { are_metres, ..Self::on_grid(axes, None, height, path)? });
        }
        // At its own points the surface is what stands in its file.
        let heights = written.values.iter().map(|height| (height + draped.above).max(lowest));
        let places = written.y.iter().flat_map(|&y| written.x.iter().map(move |&x| [x, y]));
        let points = points_of(places.zip(heights).map(|([x, y], z)| [x, y, z]), path)?;
        let [x, y] = axes;
        Ok(Self { are_metres, ..Self::of(points, Shape::Grid { x, y, level: None }) })
    }

    fn along(line: &PointLine, path: &KeyPath) -> Checked<Self> {
        let step = |index: usize| if line.count == 1 { 0.0 } else { index as f64 / (line.count - 1) as f64 };
        let place =
            |index: usize| [0, 1, 2].map(|axis| line.from[axis] + step(index) * (line.to[axis] - line.from[axis]));
        let length = (0..3).map(|axis| (line.to[axis] - line.from[axis]).powi(2)).sum::<f64>().sqrt();
        let points = points_of((0..line.count).map(place), path)?;
        let shape = Shape::Line((0..line.count).map(|index| step(index) * length).collect());
        Ok(Self::of(points, shape))
    }

    fn listed(list: &PointFile, file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        let rows = list.rows.iter().copied();
        let of = |points: Points| Self::of(points, Shape::List);
        let Some(name) = &list.file else { return Ok(of(points_of(rows, path)?)) };
        let format = lists::format_of(name, list.format, file.inputs());
        if format == ListFormat::Ubc {
            let stations = lists::stations(name, file, &path.key("file"))?;
            return Ok(of(points_of(rows.chain(stations), path)?));
        }
        let called = list.columns.clone().unwrap_or_default();
        let given = List { name, format, numbers: called.numbers(), words: called.name.as_deref() };
        let read = given.read(file, path).map_err(|problem| match lists::stations(name, file, path) {
            Ok(_) => Box::new(problem.hint("these are points of UBC-GIF: add format = \"ubc\"")),
            Err(_) => problem,
        })?;
        let [x, y, z] = read.values();
        let points = points_of(rows.chain((0..z.len()).map(|row| [x[row], y[row], z[row]])), path)?;
        // Those that are written in the problem have none.
        let before = vec![String::new(); list.rows.len()];
        let names = read.words.map(|words| before.into_iter().chain(words).collect());
        Ok(Self { names, doubts: Vec::from_iter(read.doubt), ..of(points) })
    }
}

/// The lowest and the highest of the points of a surface between which a place lies: beside a step a smooth surface leaves that range, and points would be in the
/// ground, or under the water of a lake.
fn heights_around(place: [f64; 2], surface: &Grid) -> [f64; 2] {
    let around = |place: f64, known: &[f64]| {
        let after = known.partition_point(|&known| known < place).min(known.len() - 1);
        let before = if known[after] > place { after.saturating_sub(1) } else { after };
        [before, after]
    };
    let (columns, rows) = (around(place[0], &surface.x), around(place[1], &surface.y));
    let heights = rows.into_iter().flat_map(|row| columns.map(|column| surface.values[row * surface.x.len() + column]));
    heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], height| [low.min(height), high.max(height)])
}

/// Says how many points of a grid lie outside of a surface, and where the first does; nothing where their number is not known.
fn told_of_outside([x, y]: [[f64; 2]; 2], count: Option<[usize; 2]>, surface: &Grid) -> String {
    let Some(count) = count else { return String::new() };
    let along = |ends, count, known: &[f64]| {
        let (low, high) = (known[0], known[known.len() - 1]);
        even(ends, count).into_iter().map(|place| (place, (low..=high).contains(&place))).collect::<Vec<_>>()
    };
    let (x, y) = (along(x, count[0], &surface.x), along(y, count[1], &surface.y));
    let inside = |axis: &[(f64, bool)]| axis.iter().filter(|(_, is_inside)| *is_inside).count();
    let (all, outside) = (x.len() * y.len(), x.len() * y.len() - inside(&x) * inside(&y));
    let first = y.iter().flat_map(|y| x.iter().map(move |x| (x, y))).find(|(x, y)| !(x.1 && y.1));
    first.map_or_else(String::new, |(x, y)| {
        format!(": {outside} of {all} points are outside, the first at x = {}, y = {} m", Number(x.0), Number(y.0))
    })
}

/// Number of points along x and y, as it is given or follows from their distance; none where neither is given.
///
/// # Errors
/// Ends that are not a whole number of distances apart.
fn counts(
    count: Option<[usize; 2]>,
    spacing: Option<[f64; 2]>,
    ends: [[f64; 2]; 2],
    path: &KeyPath,
) -> Checked<Option<[usize; 2]>> {
    let Some(spacing) = spacing else {
        let wanted = count.unwrap_or_default().map(|count| count as f64);
        return not_too_many(wanted, &path.key("count")).map(|()| count);
    };
    let mut counts = [1; 2];
    for (axis, name) in ["x", "y"].into_iter().enumerate() {
        let [first, last] = ends[axis];
        let steps = (last - first) / spacing[axis];
        if steps > MOST_POINTS as f64 {
            return not_too_many([steps, 1.0], &path.key("spacing")).map(|_| None);
        }
        if (steps - steps.round()).abs() > SLACK {
            let message = format!("does not divide the {} m along {name}", Number(last - first));
            let problem = Problem::new(path.key("spacing"), message).value(bracketed(&spacing));
            let end = Number(first + steps.floor() * spacing[axis]);
            return Err(problem.hint(format!("end {name} at {end}, or give `count`")).into());
        }
        counts[axis] = steps.round() as usize + 1;
    }
    not_too_many(counts.map(|count| count as f64), &path.key("spacing"))?;
    Ok(Some(counts))
}

fn not_too_many([x, y]: [f64; 2], path: &KeyPath) -> Checked<()> {
    let all = x * y;
    if all <= MOST_POINTS as f64 {
        return Ok(());
    }
    let problem = Problem::new(path, format!("makes {} points", Number(all)));
    Err(problem.allowed(format!("at most {MOST_POINTS} in all")).into())
}

/// A surface over a map, and whether its file says that places are in metres.
///
/// # Errors
/// A file that cannot be read, or that is in degrees.
pub fn surface(name: &Path, file: &GravityFile, path: &KeyPath) -> Checked<(Grid, bool)> {
    let (grid, unit) = file.surface(name, path)?;
    if unit == Some(Unit::Degrees) {
        let problem = Problem::new(path, "is over longitude and latitude").allowed("places in metres on a map");
        return Err(of_file(
            problem.hint("project it, or give its coordinates the attribute units = \"m\" if they are metres"),
            name,
        ));
    }
    Ok((grid, unit.is_some()))
}

fn points_of(points: impl Iterator<Item = [f64; 3]>, path: &KeyPath) -> Checked<Points> {
    Points::new(points).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// Evenly spaced places.
fn even([first, last]: [f64; 2], count: usize) -> Vec<f64> {
    let step = if count > 1 { (last - first) / (count - 1) as f64 } else { 0.0 };
    (0..count).map(|index| first + index as f64 * step).collect()
}
