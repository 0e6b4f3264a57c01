//! Result files.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use craton_formats::atomic;
use craton_formats::grid::{Grid, esri};
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Slab, Variable};
use craton_formats::npy;
use craton_formats::ubc::{Component, GradientData, GravityData};
use craton_run::{Cancel, OutputDirectory};

use super::columns::Column;
use super::config::{OutputFormat, Quantity, Units};
use super::reduction;
use super::setup::{Places, Setup, Shape};
use crate::error::Error;
use crate::number::counted;

/// The formats to write.
pub fn formats(setup: &Setup) -> Vec<OutputFormat> {
    let default = || match setup.places.shape {
        Shape::Grid { .. } => vec![OutputFormat::Csv, OutputFormat::Netcdf],
        _ => vec![OutputFormat::Csv],
    };
    setup.output.formats.clone().unwrap_or_else(default)
}

/// Writes the results.
///
/// # Returns
/// Warnings about them.
/// # Errors
/// A full or failing disk.
pub fn write(
    setup: &Setup,
    columns: &[Column],
    folder: &OutputDirectory,
    cancel: &Cancel,
) -> Result<Vec<String>, Error> {
    let mut warnings = without_value(columns);
    for format in formats(setup) {
        match format {
            OutputFormat::Csv => csv(setup, columns, &folder.file("gravity.csv")?)?,
            OutputFormat::Npy => array(setup, columns, &folder.file("gravity.npy")?)?,
            OutputFormat::Netcdf => dataset(setup, columns, &folder.file("gravity.nc")?)?,
            OutputFormat::Esri => {
                for column in columns {
                    map(setup, column, &folder.file(format!("{}.asc", column.name))?)?;
                }
            }
            OutputFormat::Ubc => warnings.extend(observations(setup, columns, folder)?),
        }
    }
    reduction::write(setup, columns, folder, cancel)?;
    Ok(warnings)
}

/// Warnings about points where a field has no value.
fn without_value(columns: &[Column]) -> Vec<String> {
    let of = |column: &Column| {
        let count = column.values.iter().filter(|value| value.is_nan()).count();
        let why = match column.quantity {
            Quantity::Dimensionality => "the gradient is zero or has no limit",
            _ => "it has no limit on an edge or corner of a body",
        };
        (count > 0).then(|| format!("{} has no value (NaN) at {}: {why}", column.name, counted(count, "point")))
    };
    columns.iter().filter_map(of).collect()
}

/// Names of the required files; those that may omit fields are not among them.
pub fn expected(setup: &Setup) -> Vec<String> {
    let names = |format: OutputFormat| match format {
        OutputFormat::Csv => vec!["gravity.csv".to_owned()],
        OutputFormat::Npy => vec!["gravity.npy".to_owned()],
        OutputFormat::Netcdf => vec!["gravity.nc".to_owned()],
        OutputFormat::Esri => {
            let units = setup.output.units;
            setup.quantities.iter().map(|quantity| format!("{}.asc", quantity.column_name(units))).collect()
        }
        OutputFormat::Ubc => Vec::new(),
    };
    let of_reduction = setup.reduced.iter().map(|_| reduction::TABLE.to_owned());
    formats(setup).into_iter().flat_map(names).chain(of_reduction).collect()
}

/// Results for the user in a folder.
pub fn existing_files(setup: &Setup, folder: &Path) -> Vec<String> {
    let others = ["gravity.grv", "gradient.gg", "gravity.png", "gradient.png", reduction::PICTURE].map(str::to_owned);
    let mut names: Vec<String> = expected(setup).into_iter().chain(others).collect();
    names.retain(|name| folder.join(name).exists());
    names
}

/// One row per point, with all significant digits.
fn csv(setup: &Setup, columns: &[Column], path: &Path) -> Result<(), Error> {
    let write = |out: &mut dyn Write| {
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        let named = setup.places.names.as_ref();
        let places = setup.places.column_names().join(",");
        writeln!(out, "{}{places},{}", if named.is_some() { "name," } else { "" }, names.join(","))?;
        let mut row = String::new();
        for point in 0..setup.places.points.len() {
            row.clear();
            if let Some(names) = named {
                let _ = write!(row, "{},", quoted(&names[point]));
            }
            let places = setup.places.points.get(point);
            let values = places.into_iter().chain(columns.iter().map(|column| column.values[point]));
            for (number, value) in values.enumerate() {
                let comma = if number > 0 { "," } else { "" };
                // Removes the sign of zero.
                let _ = write!(row, "{comma}{}", Plain(value + 0.0));
            }
            writeln!(out, "{row}")?;
        }
        Ok(())
    };
    Ok(atomic::write_with(path, |out| write(out))?)
}

/// A word of a table, in quotes if necessary.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = !word.contains([',', '"', '\n', '\r']);
    if is_plain { word.into() } else { format!("\"{}\"", word.replace('"', "\"\"")).into() }
}

/// A number with the required digits, in exponent notation if plain notation would be long.
pub struct Plain(pub f64);

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-5..1e15).contains(&size) { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

fn array(setup: &Setup, columns: &[Column], path: &Path) -> Result<(), Error> {
    let points = &setup.places.points;
    let axis = |axis: usize| (0..points.len()).map(|point| points.get(point)[axis]).collect::<Vec<_>>();
    let places = [axis(0), axis(1), axis(2)];
    let all: Vec<&[f64]> =
        places.iter().map(|place| &place[..]).chain(columns.iter().map(|column| &column.values[..])).collect();
    Ok(npy::write(path, &all)?)
}

/// A map of a field; missing values have a code.
fn map(setup: &Setup, column: &Column, path: &Path) -> Result<(), Error> {
    let Shape::Grid { x, y, .. } = &setup.places.shape else { unreachable!("formats are checked") };
    let grid = Grid { x: x.clone(), y: y.clone(), values: column.values.clone() };
    Ok(esri::write(path, &grid)?)
}

/// Fields over y and x, or over points, with CF attributes.
fn dataset(setup: &Setup, columns: &[Column], path: &Path) -> Result<(), Error> {
    let Coordinates { mut content, dimensions, of_fields, named } = coordinates(&setup.places);
    if let Some(sphere) = &setup.sphere {
        for (name, described) in ["latitude", "height"].into_iter().zip(sphere.reference.names()) {
            let own = content.iter_mut().find(|(variable, _)| variable.name == name);
            let attributes = own.into_iter().flat_map(|(variable, _)| &mut variable.attributes);
            attributes
                .filter(|attribute| attribute.name == "long_name")
                .for_each(|own| *own = Attribute::text("long_name", &described));
        }
    }
    for column in columns {
        let mut attributes = vec![Attribute::text("long_name", &column.quantity.title())];
        if !column.unit.is_empty() {
            attributes.push(Attribute::text("units", udunits(column.unit)));
        }
        attributes.push(Attribute::text("coordinates", &named));
        attributes.push(Attribute::number("_FillValue", DataType::F64, f64::NAN));
        let variable =
            Variable { name: column.name.clone(), data_type: DataType::F64, dimensions: of_fields.clone(), attributes };
        content.push((variable, column.values.clone()));
    }
    let bodies = if setup.sphere.is_some() { "tesseroids" } else { "prisms" };
    let mut attributes = vec![
        Attribute::text("Conventions", "CF-1.8"),
        Attribute::text("title", &setup.title),
        Attribute::text("source", &format!("Craton {}, fields of {bodies}", env!("CARGO_PKG_VERSION"))),
    ];
    if of_fields.len() == 1 {
        attributes.push(Attribute::text("featureType", "point"));
    }
    let (variables, values): (Vec<_>, Vec<_>) = content.into_iter().unzip();
    let dataset = Dataset { dimensions, attributes, variables };
    Ok(netcdf::write(path, &dataset, |slab: &mut Slab| -> io::Result<()> { slab.write(&values[slab.index()]) })?)
}

/// Coordinates of the points in netCDF.
struct Coordinates {
    /// Variables and their values.
    content: Vec<(Variable, Vec<f64>)>,
    dimensions: Vec<Dimension>,
    /// Dimensions of fields: those of a grid, or of points.
    of_fields: Vec<usize>,
    /// The coordinates attribute of fields.
    named: String,
}

fn coordinates(places: &Places) -> Coordinates {
    let (Places { points, shape, names, .. }, [first, second, third]) = (places, places.axes());
    let axis = |axis: usize| (0..points.len()).map(|point| points.get(point)[axis]).collect::<Vec<_>>();
    if let Shape::Grid { x, y, level } = shape {
        let z = match level {
            Some(z) => (coordinate(third, Vec::new(), true), vec![*z]),
            None => (coordinate(third, vec![0, 1], true), axis(2)),
        };
        let [along_x, along_y] = [(first, vec![1], x), (second, vec![0], y)]
            .map(|(name, dimensions, places)| (coordinate(name, dimensions, true), places.clone()));
        return Coordinates {
            content: vec![along_x, along_y, z],
            dimensions: vec![Dimension::new(second, y.len() as u64), Dimension::new(first, x.len() as u64)],
            of_fields: vec![0, 1],
            named: third.to_owned(),
        };
    }
    let of_axis = |(number, name)| (coordinate(name, vec![0], false), axis(number));
    let mut own = Coordinates {
        content: places.axes().into_iter().enumerate().map(of_axis).collect(),
        dimensions: vec![Dimension::new("point", points.len() as u64)],
        of_fields: vec![0],
        named: places.axes().join(" "),
    };
    if let Some(names) = names {
        let length = names.iter().map(String::len).max().unwrap_or(0).max(1);
        own.dimensions.push(Dimension::new("name_length", length as u64));
        own.content.push(text(names, length));
        own.named.push_str(" name");
    }
    own
}

fn coordinate(name: &str, dimensions: Vec<usize>, is_grid: bool) -> Variable {
    let (standard, long, axis, unit) = match name {
        "x" => ("projection_x_coordinate", "easting", "X", "m"),
        "y" => ("projection_y_coordinate", "northing", "Y", "m"),
        "longitude" => ("longitude", "longitude", "X", "degrees_east"),
        "latitude" => ("latitude", "latitude", "Y", "degrees_north"),
        "height" => ("", "height above the reference surface", "Z", "m"),
        _ => ("", "height above z = 0", "Z", "m"),
    };
    let mut attributes = vec![Attribute::text("units", unit), Attribute::text("long_name", long)];
    match standard {
        "" => attributes.push(Attribute::text("positive", "up")),
        standard => attributes.push(Attribute::text("standard_name", standard)),
    }
    // For coordinate variables only.
    if dimensions.len() < 2 && is_grid {
        attributes.push(Attribute::text("axis", axis));
    }
    Variable { name: name.to_owned(), data_type: DataType::F64, dimensions, attributes }
}

/// Point names as bytes, padded with zeros.
fn text(names: &[String], length: usize) -> (Variable, Vec<f64>) {
    let bytes = |name: &String| {
        let filled = name.bytes().chain(std::iter::repeat(0)).take(length);
        filled.map(f64::from).collect::<Vec<_>>()
    };
    let attributes = vec![Attribute::text("long_name", "name of the point"), Attribute::text("_Encoding", "utf-8")];
    let name = "name".to_owned();
    let variable = Variable { name, data_type: DataType::Char, dimensions: vec![0, 1], attributes };
    (variable, names.iter().flat_map(bytes).collect())
}

/// A unit in UDUNITS notation.
fn udunits(unit: &str) -> &str {
    match unit {
        "m²/s²" => "m2 s-2",
        "m/s²" => "m s-2",
        "1/s²" => "s-2",
        "1/s⁴" => "s-4",
        "1/s⁶" => "s-6",
        "mGal" => "1e-5 m s-2",
        "E" => "1e-9 s-2",
        "E²" => "1e-18 s-4",
        "nT" => "nT",
        "T" => "T",
        "nT/m" => "nT m-1",
        "T/m" => "T m-1",
        _ => "1e-27 s-6",
    }
}

/// UBC-GIF observations: the downward attraction in one file, the tensor in another, without fields that have missing
/// values.
///
/// # Returns
/// Messages about omitted fields.
fn observations(setup: &Setup, columns: &[Column], folder: &OutputDirectory) -> Result<Vec<String>, Error> {
    let has_gap = |column: &Column| column.values.iter().any(|value| value.is_nan());
    let points: Vec<[f64; 3]> = (0..setup.places.points.len()).map(|point| setup.places.points.get(point)).collect();
    // Units are fixed here; zeros have no sign.
    let values = |column: &Column, sign: f64| {
        let factor = |units| column.quantity.unit(units).2;
        let change = sign * factor(Units::Geophysical) / factor(setup.output.units);
        column.values.iter().map(|value| change * value + 0.0).collect::<Vec<f64>>()
    };
    let mut attraction: Option<Vec<f64>> = None;
    let (mut components, mut tensor) = (Vec::new(), Vec::new());
    let (mut gaps, mut others): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for column in columns {
        match observation(column.quantity) {
            None => others.push(&column.name),
            Some(_) if has_gap(column) => gaps.push(&column.name),
            Some((None, sign)) => attraction = attraction.or_else(|| Some(values(column, sign))),
            Some((Some(component), sign)) if !components.contains(&component) => {
                components.push(component);
                tensor.push(values(column, sign));
            }
            // The field with the opposite sign is also requested.
            Some(_) => {}
        }
    }
    if attraction.is_some() {
        let data = GravityData { points: points.clone(), values_mgal: attraction, uncertainties_mgal: None };
        data.write(&folder.file("gravity.grv")?)?;
    }
    if !components.is_empty() {
        let data = GradientData { points, components, values_eotvos: Some(tensor), uncertainties_eotvos: None };
        data.write(&folder.file("gradient.gg")?)?;
    }
    let omitted = |what: &str, left_out: Vec<&str>| {
        (!left_out.is_empty()).then(|| format!("UBC-GIF files {what}: {} not written to them", left_out.join(", ")))
    };
    let messages = [
        omitted("do not support missing values", gaps),
        omitted("support only the vertical attraction and the tensor", others),
    ];
    Ok(messages.into_iter().flatten().collect())
}

/// Tensor component of a quantity in UBC-GIF files (x north, y east, z down), or `None` for the downward attraction,
/// and the sign of the conversion.
pub fn observation(quantity: Quantity) -> Option<(Option<Component>, f64)> {
    Some(match quantity {
        Quantity::GD => (None, 1.0),
        Quantity::GU => (None, -1.0),
        Quantity::GNn => (Some(Component::Xx), 1.0),
        Quantity::GEn => (Some(Component::Xy), 1.0),
        Quantity::GNd => (Some(Component::Xz), 1.0),
        Quantity::GNu => (Some(Component::Xz), -1.0),
        Quantity::GEe => (Some(Component::Yy), 1.0),
        Quantity::GEd => (Some(Component::Yz), 1.0),
        Quantity::GEu => (Some(Component::Yz), -1.0),
        Quantity::GDd | Quantity::GUu => (Some(Component::Zz), 1.0),
        _ => return None,
    })
}
