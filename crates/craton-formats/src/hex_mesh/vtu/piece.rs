//! A piece of a VTU file.

use super::arrays::{Arrays, is_scalar};
use crate::error::Result;
use crate::hex_mesh::collect::indices;
use crate::xml::Element;

/// Array that marks the copies of the cells of other pieces, and hidden cells.
const GHOSTS: &str = "vtkGhostType";

/// Bits of [`GHOSTS`] for copies, refined and hidden cells.
const UNUSED: u8 = 1 | 8 | 32;

/// A part of a mesh with its own points.
pub(super) struct Piece {
    pub points: Vec<[f64; 3]>,
    /// VTK's number of the type of each cell.
    pub types: Vec<u8>,
    /// Index in `connectivity` after the last node of each cell.
    ends: Vec<u32>,
    connectivity: Vec<u32>,
    /// Names and values of arrays with one value per cell.
    pub data: Vec<(String, Vec<f64>)>,
}

impl Piece {
    /// Reads a piece; `None` if it has no cells.
    ///
    /// # Errors
    /// A missing or damaged array; cells whose nodes do not exist.
    pub fn read(piece: Element, arrays: &Arrays) -> Result<Option<Self>> {
        let count = |name: &str| -> Result<usize> {
            let value = piece.attribute(name);
            value.parse().map_err(|_| piece.place().bad_value(name, value, "a whole number"))
        };
        let (n_points, n_cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
        if n_cells == 0 {
            return Ok(None);
        }
        let hint = "write a complete VTU file";
        let points = piece.required("Points", "<Piece>", hint)?.required("DataArray", "<Points>", hint)?;
        let points = arrays.values(points, n_points.saturating_mul(3))?;
        let cells = piece.required("Cells", "<Piece>", hint)?;
        let of_cells = |name: &str, count: usize| -> Result<Vec<f64>> {
            let array = cells.children("DataArray").find(|array| array.attribute("Name") == name);
            let missing = || cells.place().layout(format!("<Cells> has no array `{name}`"), hint);
            arrays.values(array.ok_or_else(missing)?, count)
        };
        let whole = |name: &str, values: &[f64], count: usize| {
            indices(name, values, 0, count).map_err(|refused| refused.unreadable(piece.place().path))
        };
        let types = whole("types", &of_cells("types", n_cells)?, 256)?.into_iter().map(|kind| kind as u8).collect();
        let ends = whole("offsets", &of_cells("offsets", n_cells)?, usize::MAX)?;
        let length = ends.last().map_or(0, |&end| end as usize);
        let connectivity = whole("connectivity", &of_cells("connectivity", length)?, n_points)?;
        if !ends.is_sorted() {
            return Err(cells.place().layout("`offsets` decrease", "check whether the file is damaged"));
        }
        let mut data = Vec::new();
        for array in piece.children("CellData").flat_map(|data| data.children("DataArray")) {
            if is_scalar(array) {
                data.push((array.attribute("Name").to_owned(), arrays.values(array, n_cells)?));
            }
        }
        let points = points.as_chunks().0.to_vec();
        Ok(Some(Self { points, types, ends, connectivity, data }))
    }

    /// Nodes of a cell in VTK's order.
    pub fn nodes(&self, cell: usize) -> &[u32] {
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] as usize };
        &self.connectivity[start..self.ends[cell] as usize]
    }

    /// Cells that are no copies of those of other pieces, and are not hidden.
    pub fn own_cells(&self) -> impl Iterator<Item = usize> {
        let ghosts = self.values(GHOSTS);
        (0..self.types.len()).filter(move |&cell| ghosts.is_none_or(|ghosts| ghosts[cell] as u8 & UNUSED == 0))
    }

    /// Values of an array with one value per cell.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.data.iter().find(|(own, _)| own == name).map(|(_, values)| &values[..])
    }
}

/// Names of the arrays that all pieces have, except for that of copies.
pub(super) fn common_names(pieces: &[Piece]) -> Vec<String> {
    let first = pieces.first().map(|piece| &piece.data[..]).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (name, _) in first {
        if name != GHOSTS && !names.contains(name) && pieces.iter().all(|piece| piece.values(name).is_some()) {
            names.push(name.clone());
        }
    }
    names
}
