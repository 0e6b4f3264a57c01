//! Files of maps.

use std::io;
use std::path::{Path, PathBuf};

use craton_formats::grid::{self, Grid, Unit, esri};
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, NetcdfReader, Slab, Variable};
use craton_gravity::LevelMap;
use craton_view::{FieldColours, FieldMapOptions, FieldPanel, FieldSamples, Raster, field_maps};

use crate::error::{Error, ProcessError};

/// Largest deviation of coordinates from even spacing, relative to the spacing.
const UNEVEN: f64 = 1e-4;

/// A map with its name and unit.
pub struct Named {
    pub name: String,
    pub unit: String,
    pub values: LevelMap,
}

/// The maps of a file, on one grid.
pub struct MapFile {
    /// The file it was read from.
    pub path: PathBuf,
    /// File name of the results.
    pub name: String,
    pub maps: Vec<Named>,
    /// Coordinates along x and y [m].
    axes: [Vec<f64>; 2],
    /// Level of the maps [m], if the file gives it.
    level: Option<f64>,
    is_netcdf: bool,
}

impl MapFile {
    /// Reads the maps of a file.
    ///
    /// # Arguments
    /// * `variable` – the variable of a netCDF file; by default all maps
    /// # Errors
    /// An unreadable file, one without a map, or a grid in degrees or with uneven spacing.
    pub fn read(path: &Path, variable: Option<&str>) -> Result<Self, Error> {
        // A damaged netCDF file has its own error as a grid.
        let mut file = match NetcdfReader::open(path) {
            Ok(reader) => Self::of_netcdf(reader, path, variable)?,
            Err(_) => Self::of_grid(path)?,
        };
        file.ascend();
        for (axis, places) in ["x", "y"].into_iter().zip(&file.axes) {
            if places.len() < 2 {
                return Err(file.refuse(format!("there are fewer than two points along {axis}")));
            }
            let spacing = (places[places.len() - 1] - places[0]) / (places.len() - 1) as f64;
            let is_even =
                |(n, place): (usize, &f64)| (place - (places[0] + n as f64 * spacing)).abs() <= UNEVEN * spacing;
            if spacing <= 0.0 || !places.iter().enumerate().all(is_even) {
                return Err(file.refuse(format!("the coordinates along {axis} are not ascending at an even spacing")));
            }
        }
        Ok(file)
    }

    fn of_grid(path: &Path) -> Result<Self, Error> {
        let (Grid { x, y, values }, unit) = grid::read(path)?;
        let stem = path.file_stem().map_or_else(|| "map".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let map = Named { name: stem.clone(), unit: String::new(), values: level_map(&x, &y, values) };
        let name = format!("{stem}.asc");
        let file = Self { path: path.to_owned(), name, maps: vec![map], axes: [x, y], level: None, is_netcdf: false };
        if unit == Some(Unit::Degrees) { Err(file.refuse(IN_DEGREES.to_owned())) } else { Ok(file) }
    }

    fn of_netcdf(mut reader: NetcdfReader, path: &Path, wanted: Option<&str>) -> Result<Self, Error> {
        let dataset = reader.dataset().clone();
        let name = path.file_name().map_or_else(|| "map.nc".to_owned(), |name| name.to_string_lossy().into_owned());
        let axes = [Vec::new(), Vec::new()];
        let mut file = Self { path: path.to_owned(), name, maps: Vec::new(), axes, level: None, is_netcdf: true };
        let maps = maps_of(&dataset);
        let chosen: Vec<&&Variable> =
            maps.iter().filter(|variable| wanted.is_none_or(|wanted| variable.name == wanted)).collect();
        let Some(first) = chosen.first() else {
            let names: Vec<&str> = maps.iter().map(|variable| &*variable.name).collect();
            return Err(file.refuse(match wanted {
                Some(wanted) => {
                    format!("there is no map {wanted:?} over two axes with coordinates; maps: {}", names.join(", "))
                }
                None => "no variable is a map over two axes with coordinates".to_owned(),
            }));
        };
        let dimensions = dimensions_of(&dataset, first);
        if dimensions[0].to_lowercase().starts_with(['x', 'e']) {
            return Err(
                file.refuse(format!("the axis of the rows is {}, but must be that to the north", dimensions[0]))
            );
        }
        for name in &dimensions {
            let unit = dataset.variables.iter().find(|variable| variable.name == *name).and_then(|v| v.text("units"));
            if unit.is_some_and(|unit| unit.trim().to_lowercase().starts_with("degree")) {
                return Err(file.refuse(IN_DEGREES.to_owned()));
            }
        }
        // The slow axis comes first.
        file.axes = [reader.values_f64(&dimensions[1])?, reader.values_f64(&dimensions[0])?];
        if let Some(scalar) =
            dataset.variables.iter().find(|variable| variable.name == "z" && variable.dimensions.is_empty())
        {
            file.level = reader.values_f64(&scalar.name)?.first().copied();
        }
        for variable in chosen.into_iter().filter(|variable| dimensions_of(&dataset, variable) == dimensions) {
            let values = level_map(&file.axes[0], &file.axes[1], reader.values_f64(&variable.name)?);
            let unit = variable.text("units").unwrap_or_default().to_owned();
            file.maps.push(Named { name: variable.name.clone(), unit, values });
        }
        Ok(file)
    }

    /// Reverses descending axes, with the maps.
    fn ascend(&mut self) {
        let [nx, ny] = self.axes.each_ref().map(Vec::len);
        let is_reversed = self.axes.each_ref().map(|axis| axis.first() > axis.last());
        let reversed = self.axes.iter_mut().zip(is_reversed).filter(|(_, is_reversed)| *is_reversed);
        reversed.for_each(|(axis, _)| axis.reverse());
        if is_reversed == [false; 2] {
            return;
        }
        for map in &mut self.maps {
            let from = |at: usize, count: usize, is_reversed: bool| if is_reversed { count - 1 - at } else { at };
            let value = |at: usize| {
                let (x, y) = (from(at % nx, nx, is_reversed[0]), from(at / nx, ny, is_reversed[1]));
                map.values.values[y * nx + x]
            };
            let [x, y] = &self.axes;
            map.values = level_map(x, y, (0..nx * ny).map(value).collect());
        }
    }

    /// Raises the level of the maps [m].
    pub fn raise(&mut self, height: f64) {
        self.level = self.level.map(|level| level + height);
    }

    /// Writes the maps and their picture to a folder.
    ///
    /// # Returns
    /// The written files.
    /// # Errors
    /// A full or failing disk; cells that are not square in an ESRI grid.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let path = folder.join(&self.name);
        if self.is_netcdf {
            self.write_netcdf(&path)?;
        } else {
            let [x, y] = self.axes.clone();
            esri::write(&path, &Grid { x, y, values: self.maps[0].values.values.clone() })?;
        }
        let picture = path.with_extension("png");
        self.draw(&picture)?;
        Ok(vec![path, picture])
    }

    fn write_netcdf(&self, path: &Path) -> Result<(), Error> {
        let axis = |name: &str, dimension: usize| {
            let attributes = vec![Attribute::text("units", "m"), Attribute::text("axis", &name.to_uppercase())];
            Variable { name: name.to_owned(), data_type: DataType::F64, dimensions: vec![dimension], attributes }
        };
        let mut content = vec![(axis("x", 1), &self.axes[0]), (axis("y", 0), &self.axes[1])];
        let level = self.level.map(|level| vec![level]);
        if let Some(level) = &level {
            let attributes = vec![Attribute::text("units", "m"), Attribute::text("positive", "up")];
            content.push((
                Variable { name: "z".to_owned(), data_type: DataType::F64, dimensions: Vec::new(), attributes },
                level,
            ));
        }
        for map in &self.maps {
            let units = (!map.unit.is_empty()).then(|| Attribute::text("units", &map.unit));
            let coordinates = level.is_some().then(|| Attribute::text("coordinates", "z"));
            let attributes = units.into_iter().chain(coordinates).collect();
            let variable =
                Variable { name: map.name.clone(), data_type: DataType::F64, dimensions: vec![0, 1], attributes };
            content.push((variable, &map.values.values));
        }
        let [nx, ny] = self.axes.each_ref().map(|axis| axis.len() as u64);
        let (variables, values): (Vec<_>, Vec<_>) = content.into_iter().unzip();
        let attributes = vec![
            Attribute::text("Conventions", "CF-1.8"),
            Attribute::text("source", concat!("Craton ", env!("CARGO_PKG_VERSION"), ", filters of maps")),
        ];
        let dataset =
            Dataset { dimensions: vec![Dimension::new("y", ny), Dimension::new("x", nx)], attributes, variables };
        Ok(netcdf::write(path, &dataset, |slab: &mut Slab| -> io::Result<()> { slab.write(values[slab.index()]) })?)
    }

    fn draw(&self, path: &Path) -> Result<(), Error> {
        let ends = |places: &[f64]| [places[0], places[places.len() - 1]];
        let [x, y] = &self.axes;
        let panels: Vec<FieldPanel> = self
            .maps
            .iter()
            .map(|map| FieldPanel {
                title: &map.name,
                unit: &map.unit,
                samples: FieldSamples::Grid(Raster {
                    x: ends(x),
                    y: ends(y),
                    size: [x.len(), y.len()],
                    values: &map.values.values,
                }),
                colours: FieldColours::default(),
                place: None,
            })
            .collect();
        Ok(field_maps(&panels, &FieldMapOptions::default(), path)?)
    }

    fn refuse(&self, reason: String) -> Error {
        ProcessError::NoMap { file: self.path.clone(), reason }.into()
    }
}

/// Names of the dimensions of a variable, the slowest first.
fn dimensions_of(dataset: &Dataset, variable: &Variable) -> Vec<String> {
    dataset.dimensions_of(variable).map(|dimension| dimension.name.clone()).collect()
}

/// The variables over two axes with coordinates that are not coordinates themselves.
fn maps_of(dataset: &Dataset) -> Vec<&Variable> {
    let has_places = |name: &String| dataset.variables.iter().any(|variable| variable.name == *name);
    let named = dataset.variables.iter().filter_map(|variable| variable.text("coordinates"));
    let coordinates: Vec<&str> = named.flat_map(str::split_whitespace).collect();
    let is_map = |variable: &&Variable| {
        let dimensions = dimensions_of(dataset, variable);
        dimensions.len() == 2 && dimensions.iter().all(has_places) && !coordinates.contains(&&*variable.name)
    };
    dataset.variables.iter().filter(is_map).collect()
}

const IN_DEGREES: &str = "the grid is over longitude and latitude; project it to metres first";

fn level_map(x: &[f64], y: &[f64], values: Vec<f64>) -> LevelMap {
    let spacing = |places: &[f64]| match places {
        [first, .., last] => (last - first) / (places.len() - 1) as f64,
        _ => 0.0,
    };
    LevelMap { count: [x.len(), y.len()], spacing: [spacing(x), spacing(y)], values }
}
