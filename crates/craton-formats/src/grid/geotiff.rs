//! GeoTIFF and BigTIFF elevations: the first image of a file, with one band.
//!
//! | part | read | refused |
//! |---|---|---|
//! | samples | integers of 8, 16, 32 and 64 bits, floats of 16, 32 and 64 bits | other sizes, colours, several bands |
//! | layout | strips and tiles, in either byte order; missing tiles are gaps | |
//! | compression | none, deflate, LZW, PackBits, with predictors 1 to 3 | JPEG, LERC, LZMA, WebP, ZSTD |
//! | place | ModelPixelScale with ModelTiepoint, ModelTransformation; PixelIsArea and PixelIsPoint | rotated or mirrored images, lists of control points |
//! | coordinates | geographic in degrees; projected in metres, kilometres and feet, converted to metres | geocentric ones, other units, other prime meridians |
//! | values | metres, kilometres and feet, converted to metres; scale and offset of GDAL | other units |
//!
//! An image without a coordinate system is read in the unit of its coordinates. Later images, such as overviews and masks, are ignored.
//!
//! Source: OGC GeoTIFF Standard 1.1 (19-008r4); GDAL, GTiff driver, for the tags `GDAL_METADATA` and `GDAL_NODATA`.

use std::path::Path;

use super::{Grid, Unit};
use crate::error::{FormatError, Refused, Result};
use crate::input::Input;

mod decode;
mod directory;
mod meaning;
mod placement;
mod samples;

use directory::Directory;
use meaning::Meaning;
use placement::Placement;

/// First bytes of TIFF and BigTIFF, little- and big-endian.
const MAGICS: [&[u8; 4]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// Whether the file starts as TIFF does.
pub(crate) fn is_tiff(path: &Path) -> Result<bool> {
    let mut input = Input::open(path)?;
    let mut bytes = [0; 4];
    let some = input.size().min(bytes.len() as u64) as usize;
    input.read_at(0, &mut bytes[..some])?;
    Ok(MAGICS.contains(&&bytes))
}

/// Reads a surface, which has a value at every point.
///
/// Coordinates are those of the centres of pixels if the file says PixelIsArea, which is the default, and of the pixels themselves if it says
/// PixelIsPoint. y ascends.
///
/// # Returns
/// The grid, and the unit of its coordinates: degrees for geographic coordinates, metres for projected ones, `None` without a coordinate
/// system.
/// # Errors
/// What the table of [this module](self) refuses; fewer than 2 x 2 pixels; a damaged or truncated file; a value that is `GDAL_NODATA`, NaN or
/// infinite, with its coordinates and, unless it is infinite, the number of such values.
pub fn read(path: &Path) -> Result<(Grid, Option<Unit>)> {
    let (grid, unit) = read_with_gaps(path)?;
    let Some(gap) = grid.values.iter().position(|value| value.is_nan()) else { return Ok((grid, unit)) };
    let all = grid.values.iter().filter(|value| value.is_nan()).count();
    let expected = format!("a number; this is the first of {all} such values; fill or crop the grid");
    Err(Refused::new(position(&grid, gap), "no data", expected).unreadable(path))
}

/// As [`read`], for results and comparisons: `GDAL_NODATA`, NaN and missing tiles become NaN.
///
/// # Errors
/// As [`read`], except for these values.
pub fn read_with_gaps(path: &Path) -> Result<(Grid, Option<Unit>)> {
    let read = || -> Result<(Grid, Option<Unit>), Problem> {
        let directory = Directory::read(path)?;
        let placement = Placement::of(&directory)?;
        let meaning = Meaning::of(&directory, placement.metres_per_value)?;
        let (x, y) = placement.axes(directory.width, directory.height)?;
        let mut values = samples::read(path, &directory, &meaning)?;
        if placement.runs_south() {
            reverse_rows(&mut values, x.len());
        }
        Ok((Grid { x, y, values }, placement.unit))
    };
    let (grid, unit) = read().map_err(|problem| problem.of(path))?;
    match grid.values.iter().position(|value| value.is_infinite()) {
        Some(index) => {
            let (what, value) = (position(&grid, index), grid.values[index]);
            Err(Refused::new(what, value, "a finite number").unreadable(path))
        }
        None => Ok((grid, unit)),
    }
}

/// The name of a value, with its coordinates.
fn position(grid: &Grid, index: usize) -> String {
    let columns = grid.x.len();
    format!("value at x = {}, y = {}", grid.x[index % columns], grid.y[index / columns])
}

fn reverse_rows(values: &mut [f64], columns: usize) {
    let rows = values.len() / columns;
    for row in 0..rows / 2 {
        let (first, second) = values.split_at_mut((rows - 1 - row) * columns);
        first[row * columns..][..columns].swap_with_slice(&mut second[..columns]);
    }
}

/// Why a file is refused: with its path, or without.
enum Problem {
    Found(FormatError),
    Refused(Refused),
}

impl Problem {
    fn of(self, path: &Path) -> FormatError {
        match self {
            Self::Found(error) => error,
            Self::Refused(refused) => refused.unreadable(path),
        }
    }
}

impl From<FormatError> for Problem {
    fn from(error: FormatError) -> Self {
        Self::Found(error)
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
