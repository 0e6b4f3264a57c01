//! Input of the reduction of observed gravity.

use craton_gravity::{Ellipsoid, Prisms};

use super::Places;
use super::lists::{self, List};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, ObservedUnit, Points};
use crate::gravity::distant_terrain::GridCells;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Range of plausible gravity, on the surface of the Earth and up to 1000 km above it [m/s²].
const GRAVITY: [f64; 2] = [5.0, 10.0];

/// Smallest radius of the terrain correction, in widths of a column.
const COLUMNS: f64 = 10.0;

/// Largest number of cells of the grid of a terrain whose correction has a radius, for each column and for few columns: columns of
/// one grid have one each.
const CELLS_OF_COLUMN: usize = 16;
const MOST_CELLS: usize = 100_000;

/// The checked reduction of a problem.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// As written.
    pub config: config::Reduction,
    /// The ellipsoid of normal gravity.
    pub ellipsoid: Ellipsoid,
    /// Observed gravity at each point [m/s²].
    pub observed: Vec<f64>,
    /// Latitude of each point [degrees].
    pub latitude: Vec<f64>,
    /// Height for normal gravity of each point [m].
    pub height: Vec<f64>,
    /// Limits of the bodies along x and y [m].
    pub terrain: [[f64; 2]; 2],
}

impl Reduced {
    /// The reduction of a problem, if it has one.
    ///
    /// # Errors
    /// Columns that cannot be read or have implausible values, or points outside the terrain.
    pub fn new(file: &GravityFile, places: &Places, prisms: &Prisms) -> Checked<Option<Self>> {
        let Some(config) = &file.config.reduction else { return Ok(None) };
        let Points::List(list) = &file.config.points else { unreachable!("the points are checked") };
        let name = list.file.as_ref().expect("the file of the points is checked");
        let (path, format) = (KeyPath::default().key("reduction"), lists::format_of(name, list.format, file.inputs()));
        let column = |key: &'static str, called: &str| {
            let read = List { name, format, numbers: [(key, called)], words: None, is_geographic: true };
            let at_key = |problem: Box<Problem>| {
                let message = format!("no column {called:?}: {}", problem.message);
                Box::new(
                    Problem::new(path.key(key), message).hint("give the name of a column of the file of the points"),
                )
            };
            read.read(file, &path).map(|columns| columns.values()[0].to_vec()).map_err(at_key)
        };
        let factor = if config.unit == ObservedUnit::Mgal { 1e-5 } else { 1.0 };
        let observed: Vec<f64> =
            column("observed", &config.observed)?.into_iter().map(|value| factor * value).collect();
        let latitude = match (&config.latitude, &places.latitudes) {
            (Some(called), _) => column("latitude", called)?,
            (None, Some(known)) => known.clone(),
            (None, None) => unreachable!("a latitude or a projection is checked"),
        };
        let height = match &config.height {
            Some(called) => column("height", called)?,
            None => (0..places.points.len()).map(|point| places.points.get(point)[2]).collect(),
        };
        let [x, y, _] = prisms.extent(0..prisms.len());
        let ellipsoid = config.ellipsoid.ellipsoid();
        let reduced = Self { config: config.clone(), ellipsoid, observed, latitude, height, terrain: [x, y] };
        reduced.check(places, name, &path)?;
        reduced.check_radius(places, prisms, &path)?;
        Ok(Some(reduced))
    }

    /// Rejects implausible values and points outside the terrain.
    fn check(&self, places: &Places, name: &std::path::Path, path: &KeyPath) -> Checked<()> {
        let first = |values: &[f64], [low, high]: [f64; 2]| {
            values.iter().position(|value| !(low..=high).contains(value)).map(|row| (row, values[row]))
        };
        if let Some((row, value)) = first(&self.observed, GRAVITY) {
            let message = format!("row {row} (counted from 0) has an observed gravity of {} m/s2", Number(value));
            let problem = Problem::new(path.key("observed"), message);
            let hint = "give absolute gravity, and its unit with unit = \"mgal\" or \"si\"";
            return Err(of_file(problem.allowed("5 to 10 m/s2").hint(hint), name));
        }
        if let Some((row, value)) = first(&self.latitude, [-90.0, 90.0]) {
            let message = format!("row {row} (counted from 0) has a latitude of {}", Number(value));
            return Err(of_file(Problem::new(path.key("latitude"), message).allowed("-90 to 90 degrees"), name));
        }
        if let Some((row, value)) = first(&self.height, [-1.2e4, 1e6]) {
            let message = format!("row {row} (counted from 0) has a height of {} m", Number(value));
            return Err(of_file(Problem::new(path.key("height"), message).allowed("-12000 to 1e6 m"), name));
        }
        let is_outside = |point: &usize| {
            let place = places.points.get(*point);
            (0..2).any(|axis| !(self.terrain[axis][0]..=self.terrain[axis][1]).contains(&place[axis]))
        };
        let Some(point) = (0..places.points.len()).find(is_outside) else { return Ok(()) };
        let [x, y, _] = places.points.get(point).map(Number);
        let [along_x, along_y] = self.terrain.map(|[low, high]| format!("{} to {}", Number(low), Number(high)));
        let message = format!("point {point} (counted from 0) at x = {x}, y = {y} m is outside the terrain");
        let problem = Problem::new(path.key("datum"), message).at_key();
        let allowed = format!("x from {along_x} m and y from {along_y} m, the extent of the bodies");
        Err(problem.allowed(allowed).hint("use a larger terrain, or check that both have the same coordinates").into())
    }

    /// Rejects a radius of the terrain correction that is small compared with the columns, or reaches beyond the terrain.
    fn check_radius(&self, places: &Places, prisms: &Prisms, path: &KeyPath) -> Checked<()> {
        let Some(radius) = self.config.radius else { return Ok(()) };
        let width = |number: usize| {
            let prism = prisms.get(number);
            (prism.east - prism.west).max(prism.north - prism.south)
        };
        let widest = (0..prisms.len()).map(width).fold(0.0, f64::max);
        let problem = |message: &str| Problem::new(path.key("radius"), message).value(Number(radius));
        if radius < COLUMNS * widest {
            let allowed = format!("at least {} m, ten times the width of a column", Number(COLUMNS * widest));
            return Err(problem("is too small for the columns of the terrain").allowed(allowed).into());
        }
        let cells = GridCells::of(prisms).count();
        if cells > MOST_CELLS.max(CELLS_OF_COLUMN.saturating_mul(prisms.len())) {
            let message = format!("requires a terrain on a grid, but the edges of its columns result in {cells} cells");
            let allowed = format!("without `radius`, or at most {CELLS_OF_COLUMN} cells of the grid for each column");
            let hint = "give the terrain as layers on the same grid, or remove `radius`";
            return Err(problem(&message).allowed(allowed).hint(hint).into());
        }
        let from_edge = |point: usize| {
            let place = places.points.get(point);
            let along = |axis: usize| {
                let [low, high] = self.terrain[axis];
                (place[axis] - low).min(high - place[axis])
            };
            along(0).min(along(1))
        };
        let nearest = (0..places.points.len()).min_by(|&a, &b| from_edge(a).total_cmp(&from_edge(b)));
        let Some(point) = nearest.filter(|&point| from_edge(point) < radius) else { return Ok(()) };
        let message = format!("reaches beyond the terrain at point {point} (counted from 0)");
        let allowed = format!("at most {} m, the distance of this point from the edge", Number(from_edge(point)));
        Err(problem(&message).allowed(allowed).hint("use a larger terrain").into())
    }
}
