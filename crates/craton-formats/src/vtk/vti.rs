//! VTI: images, that is, fields on a regular grid.

use std::path::Path;

use super::appended::{Appended, Field, check_fields};
use crate::atomic;
use crate::error::{FormatError, Result};

/// Borrowed fields on a regular, axis-aligned grid.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    /// Number of points along x, y, z, each at least 1.
    pub shape: [usize; 3],
    /// Position of the first point [m].
    pub origin: [f64; 3],
    /// Spacing of the points along x, y, z [m], above 0.
    pub spacing: [f64; 3],
    /// Fields at the points, x fastest.
    pub point_data: &'a [Field<'a>],
    /// Fields in the cells between points, x fastest; there is one cell along an axis with a single point.
    pub cell_data: &'a [Field<'a>],
    /// Time of the fields [s], if any.
    pub time: Option<f64>,
}

/// Writes an image as VTI, atomically.
///
/// # Errors
/// [`FormatError::Unwritable`] for an empty axis, a spacing that is not positive, or a field of the wrong length; [`FormatError::Io`] if
/// the file cannot be written.
pub fn write_vti(path: &Path, image: &Image) -> Result<()> {
    check(path, image)?;
    let join = |values: [f64; 3]| values.map(|value| value.to_string()).join(" ");
    let extent = image.shape.map(|count| format!("0 {}", count - 1)).join(" ");
    let (origin, spacing) = (join(image.origin), join(image.spacing));
    let mut appended = Appended::default();
    let description = [
        format!("<ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">\n"),
        appended.describe_time(image.time),
        format!("<Piece Extent=\"{extent}\">\n"),
        appended.describe_fields("PointData", image.point_data),
        appended.describe_fields("CellData", image.cell_data),
        "</Piece>\n</ImageData>\n".to_owned(),
    ]
    .concat();
    atomic::write_with(path, |out| appended.write(out, "ImageData", &description))
}

fn check(path: &Path, image: &Image) -> Result<()> {
    let refuse = |what: &str, value: String, expected: &str| FormatError::Unwritable {
        path: path.to_owned(),
        what: what.to_owned(),
        value,
        expected: expected.to_owned(),
    };
    if image.shape.contains(&0) {
        return Err(refuse("shape", format!("{:?}", image.shape), "at least 1 point along every axis"));
    }
    if !image.spacing.iter().all(|&spacing| spacing > 0.0 && spacing.is_finite()) {
        return Err(refuse("spacing", format!("{:?}", image.spacing), "finite distances above 0"));
    }
    check_fields(path, image.point_data, image.shape.iter().product(), "points")?;
    check_fields(path, image.cell_data, image.shape.iter().map(|&points| (points - 1).max(1)).product(), "cells")
}
