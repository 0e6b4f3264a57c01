//! Density volumes as cells around their grid points.

use craton_formats::netcdf;
use craton_formats::volume::Axis;
use craton_gravity::TensorMesh;

use super::bodies::LARGEST_DENSITY;
use super::figures::LEAST_OF_ROCK;
use super::grids::position;
use super::layer::BodyMessages;
use crate::config::{VolumeFile, VolumeFormat};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{CellVolume, Coordinates};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::sampled::{Sampled, along, check_degrees, check_lists, format_of, in_order, metres, names_of};
use crate::setup::findings::{Checked, bad_file, of_file};

/// Cell boundaries along x, y and z, ascending, and the densities of the cells, x fastest, then y, then z.
type Parts = ([Vec<f64>; 3], Vec<f64>);

/// A volume as cells around its grid points, in metres, or in degrees and metres.
///
/// # Errors
/// An unreadable file, other than three axes, or impossible densities.
pub fn mesh(
    volume: &CellVolume,
    file: &GravityFile,
    path: &KeyPath,
    messages: &mut BodyMessages,
) -> Checked<TensorMesh> {
    let path = path.key("density");
    let given = &volume.density;
    // Coordinates that replace those of the file are equidistant.
    let are_those_of_the_file = given.spacing.is_none() && given.origin.is_none();
    let is_given = file.inputs().get(&given.file).is_some();
    let parts = match format_of(given) {
        VolumeFormat::Netcdf if are_those_of_the_file && !is_given => of_netcdf(volume, file, &path)?,
        _ => {
            if volume.coordinates == Coordinates::Geographic {
                require_degrees(given, &path).map_err(|problem| of_file(*problem, &given.file))?;
            }
            Sampled::read(given, file, [None; 3], -LARGEST_DENSITY..=LARGEST_DENSITY, &path)?.cells()
        }
    };
    let Some((planes, density)) = parts else {
        let problem = Problem::new(path.key("axes"), "must be three axes with at least two points each");
        return Err(of_file(problem.hint("cells extend half way to the neighbouring points"), &given.file));
    };
    if density.iter().all(|value| value.abs() < LEAST_OF_ROCK) {
        messages.warnings.push(format!("{path}: no density reaches 30 kg/m3. For a file in g/cm3, set factor = 1000"));
    }
    let density = density.into_iter().map(|value| value - volume.reference).collect();
    TensorMesh::new(planes, density).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// Refuses a geographic volume whose axes would be taken from a file or from data that may be in metres.
fn require_degrees(given: &VolumeFile, path: &KeyPath) -> Checked<()> {
    let missing = [("spacing", given.spacing.is_none()), ("origin", given.origin.is_none())];
    let Some((key, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) else { return Ok(()) };
    let message =
        "is missing: only the axes of a netCDF file can be in degrees, if neither `spacing` nor `origin` is given";
    let problem = Problem::new(path.key(key), message)
        .allowed("degrees for x (longitude) and y (latitude), metres for depth or z");
    Err(problem
        .hint("give `axes`, `spacing` and `origin`, one item for each axis of the volume, the fastest first")
        .into())
}

/// Cells of netCDF files with any spacing, in double precision; `None` without three axes.
fn of_netcdf(volume: &CellVolume, file: &GravityFile, path: &KeyPath) -> Checked<Option<Parts>> {
    let (given, is_geographic) = (&volume.density, volume.coordinates == Coordinates::Geographic);
    let read = netcdf::read_cells(&file.file_named(&given.file, &path.key("file"))?, given.variable.as_deref())
        .map_err(|error| bad_file(&error, &given.file, &path.key("file")))?;
    // Axes of cell boundaries: a single cell needs a unit, too.
    let axis = |axis: &netcdf::CellAxis| Axis::new(axis.planes.len(), 0.0, 1.0).named(&axis.label, &axis.unit);
    let axes: Vec<Axis> = read.axes.iter().map(axis).collect();
    let named = match &given.axes {
        Some(named) => named.clone(),
        None => names_of(&axes, VolumeFormat::Netcdf, is_geographic, &path.key("axes"))?,
    };
    if axes.len() != 3 || named.len() != 3 {
        return Ok(None);
    }
    check_lists(given, axes.len(), path)?;
    let mut planes = [const { Vec::new() }; 3];
    let mut order = [(0, 0, true); 3];
    let mut stride = 1;
    for (number, (name, axis)) in named.iter().zip(&axes).enumerate() {
        let (along, sign) = along(*name);
        let unit = match is_geographic && along < 2 {
            true => check_degrees(axis, path).map(|()| 1.0).map_err(|problem| of_file(*problem, &given.file))?,
            false => metres((given, VolumeFormat::Netcdf), number, axis, path)?.1,
        };
        planes[along] = read.axes[number].planes.iter().map(|plane| sign * unit * plane).collect();
        let ascends = planes[along][0] < planes[along][1];
        if !ascends {
            planes[along].reverse();
        }
        let count = axis.count - 1;
        order[along] = (count, stride, ascends);
        stride *= count;
    }
    let mut density = in_order(&read.values, order);
    density.iter_mut().for_each(|density| *density *= given.factor.unwrap_or(1.0));
    check(&density, &planes, volume, path)?;
    Ok(Some((planes, density)))
}

/// Rejects impossible densities.
fn check(density: &[f64], planes: &[Vec<f64>; 3], volume: &CellVolume, path: &KeyPath) -> Checked<()> {
    let Some(cell) = density.iter().position(|density| !(-LARGEST_DENSITY..=LARGEST_DENSITY).contains(density)) else {
        return Ok(());
    };
    let [nx, ny] = [planes[0].len() - 1, planes[1].len() - 1];
    let cells = [cell % nx, cell / nx % ny, cell / (nx * ny)];
    let [x, y, z] = [0, 1, 2].map(|axis| 0.5 * (planes[axis][cells[axis]] + planes[axis][cells[axis] + 1]));
    let place = position(volume.coordinates, [x, y]);
    let message = format!("has the value {} at {place}, z = {} m", Number(density[cell]), Number(z));
    let problem =
        Problem::new(path.key("file"), message).allowed(format!("-{LARGEST_DENSITY:e} to {LARGEST_DENSITY:e}"));
    Err(of_file(problem.hint("check the unit, see `factor`"), &volume.density.file))
}
