//! The observation points and their arrangement.

use craton_acquisition::Receiver;
use craton_formats::grid::Grid;
use craton_gravity::{GravityError, Points, Surface};
use craton_model::ElevationGrid;

use super::grids::surface;
use super::lists::{self, List};
use super::{Reference, scenario, stations};
use crate::config::Projection;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{
    self, Body, Draped, Height, ListFormat, MOST_POINTS, PointFile, PointLine, ScenarioReceivers, Tops,
};
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed, counted};
use crate::setup::findings::{Checked, bad_model, of_file};
use crate::setup::frame;

/// Tolerance of the number of steps.
const TOLERANCE: f64 = 1e-6;

/// Points and their arrangement.
#[derive(Debug, Clone)]
pub struct Places {
    /// The points; of a grid x fastest, then y.
    pub points: Points,
    /// Their arrangement.
    pub shape: Shape,
    /// Names of the points, if they have any.
    pub names: Option<Vec<String>>,
    /// Whether a file gives metres as its unit.
    pub are_metres: bool,
    /// Warnings about their file.
    pub doubts: Vec<String>,
    /// Latitudes of projected points [degrees].
    pub latitudes: Option<Vec<f64>>,
    /// Whether the coordinates of the points are longitude, latitude [degrees] and height above the reference surface [m].
    pub are_geographic: bool,
}

/// The horizontal axes of a grid of points.
pub struct Axes {
    /// Their keys.
    pub names: [&'static str; 2],
    /// Their unit.
    pub unit: &'static str,
}

/// Axes of a map.
const OF_MAP: Axes = Axes { names: ["x", "y"], unit: "m" };

/// Arrangement of points.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// On a grid of x and y [m], or of longitude and latitude [degrees].
    Grid {
        /// Coordinates along x, ascending.
        x: Vec<f64>,
        /// Coordinates along y, ascending.
        y: Vec<f64>,
        /// Common height of the points [m], if there is one.
        level: Option<f64>,
    },
    /// Along a line: distance of each point from the first [m].
    Line(Vec<f64>),
    /// Irregular.
    List,
}

impl Places {
    /// The points of a problem.
    ///
    /// # Errors
    /// Unreadable files, or too many points.
    pub fn new(file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        match &file.config.points {
            config::Points::Grid(grid) => {
                let path = path.key("grid");
                let count = counts((grid.count, grid.spacing), [grid.x, grid.y], &OF_MAP, &path)?.unwrap_or([2; 2]);
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
            config::Points::GeographicGrid(grid) => {
                stations::on_grid(grid, &Reference::of(&file.config), &path.key("geographic_grid"))
            }
            config::Points::GeographicList(list) => stations::listed(list, file, &path.key("geographic_list")),
        }
    }

    /// Names of the coordinates.
    pub fn axes(&self) -> [&'static str; 3] {
        if self.are_geographic { ["longitude", "latitude", "height"] } else { ["x", "y", "z"] }
    }

    /// Names of the columns of the coordinates in tables, with their units.
    pub fn column_names(&self) -> [&'static str; 3] {
        if self.are_geographic { ["longitude_deg", "latitude_deg", "height_m"] } else { ["x_m", "y_m", "z_m"] }
    }

    /// A position in words.
    pub fn in_words(&self, place: [f64; 3]) -> String {
        let [x, y, z] = place.map(Number);
        let names = self.axes();
        format!("{} = {x}, {} = {y}, {} = {z} m", names[0], names[1], names[2])
    }

    /// The number of points at an implausible position, and the first of them.
    ///
    /// # Arguments
    /// * `what` – the position, in words
    pub fn told_of(&self, what: &str, lies_there: impl Fn([f64; 3]) -> bool) -> Option<String> {
        let mut there = (0..self.points.len()).filter(|&index| lies_there(self.points.get(index)));
        let first = there.next()?;
        let place = self.in_words(self.points.get(first));
        let count = 1 + there.count();
        Some(format!("{} {what}: the first is point {first} at {place}", counted(count, "point")))
    }

    /// Points without names.
    pub(super) fn of(points: Points, shape: Shape) -> Self {
        let doubts = Vec::new();
        Self { points, shape, names: None, are_metres: false, doubts, latitudes: None, are_geographic: false }
    }

    /// Points on a grid.
    ///
    /// # Errors
    /// No points, or coordinates that are not finite.
    pub(super) fn on_grid(
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
        let ranges =
            [(draped.x, &written.x), (draped.y, &written.y)].map(|(range, known)| range.unwrap_or(of_surface(known)));
        let count = counts((draped.count, draped.spacing), ranges, &OF_MAP, path)?;
        let ends = [(ranges[0], &written.x, "x"), (ranges[1], &written.y, "y")];
        let mut axes = [Vec::new(), Vec::new()];
        for (axis, ([first, last], known, name)) in ends.into_iter().enumerate() {
            let [low, high] = of_surface(known);
            if first < low || last > high {
                let beyond = format!("extends beyond the surface{}", outside_points(ranges, count, &written));
                let problem = Problem::new(path.key(name), beyond).value(bracketed(&[first, last]));
                return Err(problem
                    .allowed(format!("within {}, the extent of the surface", bracketed(&[low, high])))
                    .into());
            }
            axes[axis] = match count {
                Some(count) => even([first, last], count[axis]),
                None => known.iter().copied().filter(|place| (first..=last).contains(place)).collect(),
            };
            if axes[axis].is_empty() {
                let problem = Problem::new(path.key(name), "contains no grid point of the surface");
                return Err(problem.hint("widen the range, or give `count` or `spacing`").into());
            }
        }
        if count.is_some() || draped.x.is_some() || draped.y.is_some() {
            let ground = smooth_ground(draped, &written, file)
                .map_err(|error| of_file(Problem::new(&key, error.to_string()), name))?;
            let height = |x: f64, y: f64| {
                let [low, high] = heights_around([x, y], &written);
                let between = || surface.elevation(x, y).clamp(low, high);
                let height = ground.as_ref().map_or_else(between, |ground| ground.height(x, y).unwrap_or_else(between));
                (height + draped.above).max(lowest)
            };
            return Ok(Self { are_metres, ..Self::on_grid(axes, None, height, path)? });
        }
        // At its grid points the surface has the values of its file.
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
        if !list.projection.is_none() {
            return Self::projected(list, file, path);
        }
        let rows = list.rows.iter().copied();
        let of = |points: Points| Self::of(points, Shape::List);
        let Some(name) = &list.file else { return Ok(of(points_of(rows, path)?)) };
        let format = lists::format_of(name, list.format, file.inputs());
        if format == ListFormat::Ubc {
            let stations = lists::stations(name, file, &path.key("file"))?;
            return Ok(of(points_of(rows.chain(stations), path)?));
        }
        let called = list.columns.clone().unwrap_or_default();
        let given =
            List { name, format, numbers: called.numbers(), words: called.name.as_deref(), is_geographic: false };
        let read = given.read(file, path).map_err(|problem| match lists::stations(name, file, path) {
            Ok(_) => Box::new(problem.hint("these are UBC-GIF points: set format = \"ubc\"")),
            Err(_) => problem,
        })?;
        let [x, y, z] = read.values();
        let points = points_of(rows.chain((0..z.len()).map(|row| [x[row], y[row], z[row]])), path)?;
        // Points in the problem itself have no names.
        let before = vec![String::new(); list.rows.len()];
        let names = read.words.map(|words| before.into_iter().chain(words).collect());
        Ok(Self { names, doubts: Vec::from_iter(read.warning), ..of(points) })
    }

    /// A list of points whose x and y are longitude and latitude.
    fn projected(list: &PointFile, file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        let written = PointFile { projection: Projection::None, ..list.clone() };
        let places = match &written.file {
            None => Self::listed(&written, file, path)?,
            Some(name) => {
                let format = lists::format_of(name, list.format, file.inputs());
                let called = list.columns.clone().unwrap_or_default();
                let words = called.name.as_deref();
                let read =
                    List { name, format, numbers: called.numbers(), words, is_geographic: true }.read(file, path)?;
                let [x, y, z] = read.values();
                let all = (0..z.len()).map(|row| [x[row], y[row], z[row]]);
                let before = vec![String::new(); list.rows.len()];
                let names = read.words.as_ref().map(|words| before.into_iter().chain(words.iter().cloned()).collect());
                Self { names, ..Self::of(points_of(list.rows.iter().copied().chain(all), path)?, Shape::List) }
            }
        };
        let frame = frame::project(&list.projection, &path.key("projection"))?;
        let (mut latitudes, mut projected) = (Vec::new(), Vec::new());
        for point in 0..places.points.len() {
            let [longitude, latitude, z] = places.points.get(point);
            let place = frame.to_model(longitude, latitude).map_err(|error| {
                let message = format!("point {point} (counted from 0): {error}");
                Problem::new(path.key("projection"), message)
                    .hint("x must be the longitude and y the latitude, in degrees: name them with `columns`")
            })?;
            latitudes.push(latitude);
            projected.push([place[0], place[1], z]);
        }
        let points = points_of(projected.into_iter(), path)?;
        Ok(Self { points, latitudes: Some(latitudes), are_metres: true, ..places })
    }
}

/// Whether the surface is also the upper one of a layer with a smooth top, which it must not leave.
fn is_smooth_ground(draped: &Draped, file: &GravityFile) -> bool {
    let is_it = |body: &Body| match body {
        // Next to a step the smooth surface overshoots, as the points then do.
        Body::Layer(layer) => layer.tops != Tops::Flat && layer.top == Height::File(draped.surface.clone()),
        _ => false,
    };
    file.config.bodies.iter().any(is_it)
}

/// The surface on which the points lie if it is the smooth top of a layer.
fn smooth_ground(draped: &Draped, written: &Grid, file: &GravityFile) -> Result<Option<Surface>, GravityError> {
    let surface = || Surface::new(written.x.clone(), written.y.clone(), written.values.clone());
    is_smooth_ground(draped, file).then(surface).transpose()
}

/// Smallest and largest height of the surface points around a position. Limits the overshoot of smooth interpolation
/// next to a step, which would put points below the ground or under the water of a lake.
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

/// The number of grid points outside a surface and the first of them, as text; empty if the number is unknown.
fn outside_points([x, y]: [[f64; 2]; 2], count: Option<[usize; 2]>, surface: &Grid) -> String {
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

/// Number of points along both axes, as given or from the spacing; `None` if neither is given.
///
/// # Arguments
/// * `given` – count and spacing as written; `ends` – first and last coordinate along both axes
/// # Errors
/// An extent that is not a multiple of the spacing; too many points.
pub(super) fn counts(
    (count, spacing): (Option<[usize; 2]>, Option<[f64; 2]>),
    ends: [[f64; 2]; 2],
    axes: &Axes,
    path: &KeyPath,
) -> Checked<Option<[usize; 2]>> {
    let Some(spacing) = spacing else {
        let requested = count.unwrap_or_default().map(|count| count as f64);
        return not_too_many(requested, &path.key("count")).map(|()| count);
    };
    let mut counts = [1; 2];
    for (axis, name) in axes.names.into_iter().enumerate() {
        let [first, last] = ends[axis];
        let steps = (last - first) / spacing[axis];
        if steps > MOST_POINTS as f64 {
            return not_too_many([steps, 1.0], &path.key("spacing")).map(|_| None);
        }
        if (steps - steps.round()).abs() > TOLERANCE {
            let message = format!("does not divide the extent of {} {} along {name}", Number(last - first), axes.unit);
            let problem = Problem::new(path.key("spacing"), message).value(bracketed(&spacing));
            let end = Number(first + steps.floor() * spacing[axis]);
            return Err(problem.hint(format!("change the end of {name} to {end}, or give `count`")).into());
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
    let problem = Problem::new(path, format!("results in {} points", Number(all)));
    Err(problem.allowed(format!("at most {MOST_POINTS} in total")).into())
}

/// Points, of which there must be at least one.
pub(super) fn points_of(points: impl Iterator<Item = [f64; 3]>, path: &KeyPath) -> Checked<Points> {
    let points = Points::new(points).map_err(|error| Problem::new(path, error.to_string()))?;
    if points.is_empty() {
        return Err(Problem::new(path, "has no points").allowed("at least one point").into());
    }
    Ok(points)
}

/// Equidistant coordinates.
pub(super) fn even([first, last]: [f64; 2], count: usize) -> Vec<f64> {
    let step = if count > 1 { (last - first) / (count - 1) as f64 } else { 0.0 };
    (0..count).map(|index| first + index as f64 * step).collect()
}
