//! Names, directions and coordinates of the axes of files.

use craton_formats::volume::{Axis, is_degrees, metres_per};

use crate::config::{VolumeAxis, VolumeFile, VolumeFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;

/// The axis (x, y or z) of a file axis, and its sign.
pub fn along(axis: VolumeAxis) -> (usize, f64) {
    match axis {
        VolumeAxis::X => (0, 1.0),
        VolumeAxis::Y => (1, 1.0),
        VolumeAxis::Z => (2, 1.0),
        VolumeAxis::Depth => (2, -1.0),
    }
}

/// Names of axes in files, lower case.
const NAMES: [(&str, VolumeAxis); 15] = [
    ("x", VolumeAxis::X),
    ("easting", VolumeAxis::X),
    ("east", VolumeAxis::X),
    ("distance", VolumeAxis::X),
    ("lateral", VolumeAxis::X),
    ("position", VolumeAxis::X),
    ("lateral position", VolumeAxis::X),
    ("y", VolumeAxis::Y),
    ("northing", VolumeAxis::Y),
    ("north", VolumeAxis::Y),
    ("depth", VolumeAxis::Depth),
    ("height", VolumeAxis::Z),
    ("elevation", VolumeAxis::Z),
    ("altitude", VolumeAxis::Z),
    ("upward", VolumeAxis::Z),
];

/// Names of geographic axes in files, lower case.
const GEOGRAPHIC: [(&str, VolumeAxis); 5] = [
    ("longitude", VolumeAxis::X),
    ("long", VolumeAxis::X),
    ("lon", VolumeAxis::X),
    ("latitude", VolumeAxis::Y),
    ("lat", VolumeAxis::Y),
];

/// The axes by their labels. Axes without a label are the remaining ones of depth, x and y, in that order, and so are those of SEG-Y that
/// only count lines or traces.
///
/// # Arguments
/// * `is_geographic` – whether longitude and latitude are names of the axes x and y
/// # Errors
/// Names that are unknown, ambiguous (`z` may be a height or a depth), or given to several axes.
pub fn names_of(axes: &[Axis], format: VolumeFormat, is_geographic: bool, path: &KeyPath) -> Checked<Vec<VolumeAxis>> {
    let names = || GEOGRAPHIC.iter().filter(|_| is_geographic).chain(&NAMES);
    let is_counted = |axis: &Axis| {
        axis.label.trim().is_empty()
            || (format == VolumeFormat::Segy && matches!(&*axis.label, "inline" | "crossline" | "trace"))
    };
    let by_label = |axis: &Axis| {
        let label = axis.label.to_lowercase();
        // Some programs append the unit in brackets.
        let label = label.split(['(', '[']).next().unwrap_or_default().trim();
        names().find(|(name, _)| *name == label).map(|&(_, named)| named)
    };
    let labelled: Vec<&Axis> = axes.iter().filter(|axis| !is_counted(axis)).collect();
    let known: Vec<VolumeAxis> = labelled.iter().copied().filter_map(by_label).collect();
    let is_free = |name: VolumeAxis| known.iter().all(|other| along(*other).0 != along(name).0);
    let is_once = (1..known.len()).all(|last| (0..last).all(|first| along(known[first]).0 != along(known[last]).0));
    let mut rest = [VolumeAxis::Depth, VolumeAxis::X, VolumeAxis::Y].into_iter().filter(|name| is_free(*name));
    if known.len() == labelled.len() && is_once {
        return Ok(axes
            .iter()
            .filter_map(|axis| if is_counted(axis) { rest.next() } else { by_label(axis) })
            .collect());
    }
    let found: Vec<&str> =
        axes.iter().map(|axis| if axis.label.is_empty() { "(no name)" } else { &*axis.label }).collect();
    let message = format!("is missing: the axes of the file are named {}, the fastest first", found.join(", "));
    let problem =
        Problem::new(path, message).allowed("x, y, and depth (positive down) or z (positive up), in that order");
    let understood: Vec<&str> = names().map(|(name, _)| *name).collect();
    let hint =
        format!("give `axes`, or rename the axes of the file; Craton understands {}, each once", understood.join(", "));
    Err(problem.hint(hint).into())
}

/// Rejects axes and spacings that contradict the coordinates of the traces.
fn check_coordinates(
    (file, format): (&VolumeFile, VolumeFormat),
    number: usize,
    axis: &Axis,
    path: &KeyPath,
) -> Checked<()> {
    /// Tolerance of spacings, which are rounded in files.
    const ROUNDED: f64 = 0.01;
    let own = match &*axis.label {
        "x" => VolumeAxis::X,
        "y" => VolumeAxis::Y,
        _ => return Ok(()),
    };
    if format != VolumeFormat::Segy || file.origin.is_some() {
        return Ok(());
    }
    let is_other = |spacing: f64| (spacing - axis.spacing).abs() > ROUNDED * axis.spacing.abs();
    let key = if file.axes.as_ref().is_some_and(|named| named.get(number) != Some(&own)) {
        "axes"
    } else if file.spacing.as_ref().is_some_and(|list| is_other(list[number])) {
        "spacing"
    } else {
        return Ok(());
    };
    let problem = Problem::new(path.key(key), "contradicts the coordinates in the trace headers");
    let allowed = format!("{} for axis {}, by {} m", axis.label, number + 1, Number(axis.spacing));
    Err(problem
        .allowed(allowed)
        .hint("remove it, or give all of `axes`, `spacing` and `origin` instead of the file's values")
        .into())
}

/// Refuses lists of spacings and origins with another number of axes than the volume.
///
/// # Errors
/// A list of another length.
pub fn check_lists(file: &VolumeFile, axes: usize, path: &KeyPath) -> Checked<()> {
    for (key, list) in [("spacing", &file.spacing), ("origin", &file.origin)] {
        if let Some(list) = list.as_ref().filter(|list| list.len() != axes) {
            let problem = Problem::new(path.key(key), format!("has {} numbers", list.len()));
            return Err(problem.allowed(format!("{axes} numbers, one for each axis of the volume")).into());
        }
    }
    Ok(())
}

/// First coordinate and spacing of an axis [m]: as given, or from the file.
pub fn metres(
    (file, format): (&VolumeFile, VolumeFormat),
    number: usize,
    axis: &Axis,
    path: &KeyPath,
) -> Checked<(f64, f64)> {
    let label = if axis.label.is_empty() { format!("axis {}", number + 1) } else { format!("`{}`", axis.label) };
    let [spacing, origin] = [&file.spacing, &file.origin].map(|list| list.as_ref().map(|list| list[number]));
    check_coordinates((file, format), number, axis, path)?;
    // Formats with units omit them if an axis only counts.
    let is_count = matches!(format, VolumeFormat::Segy | VolumeFormat::Netcdf) && axis.unit.trim().is_empty();
    if is_count && axis.count > 1 && spacing.is_none() {
        let message = format!("is missing: the file has only indices along {label}, without metres");
        let hint = match format {
            VolumeFormat::Segy if axis.label == "depth" => {
                "the sample interval in the headers is 0 or not the same everywhere, so that the depth step is unknown"
            }
            VolumeFormat::Segy => {
                "only traces with evenly spaced coordinates along x and y need no spacing; otherwise give `axes`, too"
            }
            _ => "netCDF coordinates require the attribute units = \"m\"",
        };
        let problem = Problem::new(path.key("spacing"), message);
        return Err(problem.allowed("the grid spacing along each axis [m]").hint(hint).into());
    }
    if axis.label == "distance" && format == VolumeFormat::Segy && origin.is_none() {
        let message = "is missing: the line of the file is not along x, so that only distances along it are known";
        let problem =
            Problem::new(path.key("origin"), message).allowed("the coordinate of the first point along each axis [m]");
        return Err(problem.hint("origin = [0, 0] places the start of the line at x = 0").into());
    }
    let factor = match metres_per(&axis.unit) {
        None if !axis.unit.trim().is_empty() && (spacing.is_none() || origin.is_none()) => {
            let message = format!("along {label} the file has the unit `{}`", axis.unit);
            let problem = Problem::new(path.key("spacing"), message).allowed("m, km or ft");
            return Err(problem.hint("give `spacing` and `origin` in metres instead of the file's values").into());
        }
        metres => metres.unwrap_or(1.0),
    };
    let first = if is_count { 0.0 } else { factor * axis.origin };
    Ok((origin.unwrap_or(first), spacing.unwrap_or(factor * axis.spacing)))
}

/// Rejects a horizontal axis of a geographic volume whose unit is not degrees. An axis without a unit is in degrees.
///
/// # Errors
/// Another unit.
pub fn check_degrees(axis: &Axis, path: &KeyPath) -> Checked<()> {
    if axis.unit.trim().is_empty() || is_degrees(&axis.unit) {
        return Ok(());
    }
    let message = format!("along `{}` the file has the unit `{}`", axis.label, axis.unit);
    let problem = Problem::new(path.key("file"), message).allowed("degrees, for coordinates = \"geographic\"");
    Err(problem.hint("give a volume over longitude and latitude, give `axes`, `spacing` and `origin` in degrees, or leave out `coordinates`").into())
}
