//! Models: one value per cell of a mesh.

use std::io::Write;
use std::path::Path;

use super::{Mesh, data};
use crate::atomic;
use crate::error::{FormatError, Refused, Result};
use crate::pieces::{BadLine, Source};
use crate::text::{Place, number, words};

/// Value that UBC-GIF programs write to excluded cells, such as those above the topography.
pub const LEFT_OUT_G_CM3: f64 = -100.0;

/// Density contrast in every cell of a [`Mesh`].
///
/// In the file the values run from the top down, then from west to east, then from south to north; here x is fastest, then y, then z
/// upward.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Density contrasts as written [g/cm³], finite, or NaN where there is none; shape (z, y, x), x fastest and z upward: cell (i, j, k)
    /// has the index `i + nx * (j + ny * k)`, and k = 0 is at the bottom.
    pub densities_g_cm3: Vec<f64>,
}

impl Model {
    /// Density contrasts [kg/m³], in the same order.
    pub fn densities_kg_m3(&self) -> Vec<f64> {
        self.densities_g_cm3.iter().map(|density| density * 1000.0).collect()
    }

    /// Reads the model of a mesh: numbers separated by blanks or line breaks. Excluded cells keep their value, [`LEFT_OUT_G_CM3`] by
    /// convention, or NaN.
    ///
    /// # Errors
    /// A value that is not a number, or is infinite; more or fewer values than cells; a file that cannot be read. Verified by
    /// `ubc::cells_agree_with_discretize`.
    pub fn read(path: &Path, mesh: &Mesh) -> Result<Self> {
        Self::read_source(&Source::open(path)?, mesh)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path, mesh: &Mesh) -> Result<Self> {
        Self::read_source(&Source::of_text(path, text), mesh)
    }

    fn read_source(source: &Source, mesh: &Mesh) -> Result<Self> {
        let pieces = source.ranges(source.first).into_iter().map(|range| (range, ())).collect();
        let parsed = source.parse(pieces, 0, |(), text| values(text), bad_line)?;
        let count: usize = parsed.pieces.iter().map(|(_, values)| values.len()).sum();
        if count != mesh.cell_count() {
            let [nx, ny, nz] = mesh.counts();
            let end = Place { path: source.path(), line: parsed.lines + 1 };
            return Err(end.layout(
                format!("the file ends with {count} values"),
                format!("the mesh has {nx} x {ny} x {nz} = {} cells, with one value each", mesh.cell_count()),
            ));
        }
        let mut densities = vec![0.0; count];
        let mut places = FileOrder::new(mesh);
        for (_, values) in parsed.pieces {
            for (value, place) in values.into_iter().zip(&mut places) {
                densities[place] = value;
            }
        }
        Ok(Self { densities_g_cm3: densities })
    }

    /// Writes the model of a mesh, one value per line with all digits, atomically.
    ///
    /// # Errors
    /// [`FormatError::Unwritable`] for more or fewer values than cells, or a value that is not finite; [`FormatError::Io`] if the file
    /// cannot be written.
    pub fn write(&self, path: &Path, mesh: &Mesh) -> Result<()> {
        let densities = &self.densities_g_cm3;
        if densities.len() != mesh.cell_count() {
            let expected = format!("{}, one for each cell of the mesh", mesh.cell_count());
            return Err(Refused::new("number of values", densities.len(), expected).unwritable(path));
        }
        if let Some(cell) = densities.iter().position(|density| !density.is_finite()) {
            let what = format!("density of cell {cell}");
            return Err(Refused::new(what, densities[cell], "a finite number").unwritable(path));
        }
        atomic::write_with(path, |out| FileOrder::new(mesh).try_for_each(|place| writeln!(out, "{}", densities[place])))
    }
}

/// Iterates over the indices of a model in the order of the file.
struct FileOrder {
    counts: [usize; 3],
    /// Cell along x and y, and the number of cells not yet visited in this column.
    i: usize,
    j: usize,
    left: usize,
}

impl FileOrder {
    fn new(mesh: &Mesh) -> Self {
        let counts = mesh.counts();
        Self { counts, i: 0, j: 0, left: counts[2] }
    }
}

impl Iterator for FileOrder {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let [nx, ny, nz] = self.counts;
        if self.left == 0 {
            self.left = nz;
            self.i += 1;
            if self.i == nx {
                (self.i, self.j) = (0, self.j + 1);
            }
        }
        self.left -= 1;
        (self.j < ny).then_some(self.i + nx * (self.j + ny * self.left))
    }
}

/// Parses the values of a piece of the file; also returns its number of lines.
fn values(text: &str) -> Result<(Vec<f64>, usize), BadLine> {
    let mut values = Vec::new();
    let mut lines = 0;
    for line in text.lines() {
        for word in data(line).into_iter().flat_map(words) {
            match number(word).filter(|value| !value.is_infinite()) {
                Some(value) => values.push(value),
                None => return Err(BadLine { line: lines, text: line.to_owned() }),
            }
        }
        lines += 1;
    }
    Ok((values, lines))
}

/// The error of a line that [`values`] refuses.
fn bad_line(place: Place, line: &str) -> FormatError {
    let refused = data(line).into_iter().flat_map(words).find_map(|word| place.finite("density", word).err());
    refused.unwrap_or_else(|| place.layout("the file changed while it was being read", "read it again"))
}
