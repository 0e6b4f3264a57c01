//! Gravity: locations, predictions and observations of GRAV3D.

use std::path::Path;

use super::stations::{self, FirstLines, Stations, UNCERTAINTY};
use crate::atomic;
use crate::error::Result;
use crate::pieces::Source;

/// Stations, and the vertical attraction due to density contrasts.
///
/// ```text
/// 2                       ! stations
/// 1000 2000 151.5 0.83 0.05
/// 1050 2000 153.0 0.81 0.05
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GravityData {
    /// Positions [m]: x east, y north, z elevation (up).
    pub points: Vec<[f64; 3]>,
    /// Attraction [mGal], positive **down**, one value per point; `None` if the file has no values.
    pub values_mgal: Option<Vec<f64>>,
    /// Standard deviations [mGal]; `None` if the file has none. Zeros are kept.
    pub uncertainties_mgal: Option<Vec<f64>>,
}

impl GravityData {
    /// Reads locations (`x y z`), predictions (`x y z value`) or observations (`x y z value uncertainty`).
    ///
    /// # Errors
    /// No number of stations, or one that differs from the number of rows; rows of different lengths; a value that is not a finite number;
    /// a negative standard deviation; a file that cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_source(&Source::open(path)?)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        Self::read_source(&Source::of_text(path, text))
    }

    fn read_source(source: &Source) -> Result<Self> {
        let first = FirstLines::of(source, 2)?;
        let names =
            |values: usize| Some(["value", UNCERTAINTY].get(..values)?.iter().map(|&name| name.into()).collect());
        let expected = "`x y z`, followed by a value, or by a value and its uncertainty";
        let Stations { points, columns } = stations::read(source, &first, 0, names, expected)?;
        let mut columns = columns.into_iter();
        Ok(Self { points, values_mgal: columns.next(), uncertainties_mgal: columns.next() })
    }

    /// Writes the data with all digits, atomically.
    ///
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for no points, uncertainties without values, lists of different lengths, or a value that is not
    /// finite; [`crate::FormatError::Io`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let values = self.values_mgal.as_ref().map(|values| ("value".to_owned(), values.as_slice()));
        let spread = self.uncertainties_mgal.as_ref().map(|spread| (UNCERTAINTY.to_owned(), spread.as_slice()));
        stations::refuse_lone_uncertainties(path, values.is_some(), spread.is_some())?;
        let columns: Vec<_> = values.into_iter().chain(spread).collect();
        stations::check(path, &self.points, &columns)?;
        atomic::write_with(path, |out| stations::write(out, &self.points, &columns))
    }
}
