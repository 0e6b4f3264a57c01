//! VTU: unstructured meshes.

use std::path::Path;

use super::appended::{Appended, Data, Field, check_fields};
use super::cell::CellBlock;
use crate::atomic;
use crate::error::{FormatError, Result};

/// A borrowed mesh with fields.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// Coordinates of the points [m], x, y, z.
    pub points: &'a [[f64; 3]],
    /// Cells, one block per cell type.
    pub cells: &'a [CellBlock<'a>],
    /// Fields at the points.
    pub point_data: &'a [Field<'a>],
    /// Fields in the cells, in the order of the blocks.
    pub cell_data: &'a [Field<'a>],
    /// Time of the fields [s], if any.
    pub time: Option<f64>,
}

/// Writes a mesh as VTU, atomically.
///
/// # Errors
/// [`FormatError::Unwritable`] for a point index out of range, incomplete cells, or a field of the wrong length; [`FormatError::Io`] if the
/// file cannot be written.
pub fn write_vtu(path: &Path, mesh: &Mesh) -> Result<()> {
    let cell_count = check(path, mesh)?;
    let mut appended = Appended::default();
    let description = [
        "<UnstructuredGrid>\n".to_owned(),
        appended.describe_time(mesh.time),
        format!("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cell_count}\">\n", mesh.points.len()),
        "<Points>\n".to_owned(),
        appended.describe("Points", 3, Data::Points(mesh.points)),
        "</Points>\n<Cells>\n".to_owned(),
        appended.describe("connectivity", 1, Data::Connectivity(mesh.cells)),
        appended.describe("offsets", 1, Data::Offsets(mesh.cells)),
        appended.describe("types", 1, Data::Types(mesh.cells)),
        "</Cells>\n".to_owned(),
        appended.describe_fields("PointData", mesh.point_data),
        appended.describe_fields("CellData", mesh.cell_data),
        "</Piece>\n</UnstructuredGrid>\n".to_owned(),
    ]
    .concat();
    atomic::write_with(path, |out| appended.write(out, "UnstructuredGrid", &description))
}

/// Validates the mesh and returns the number of cells.
fn check(path: &Path, mesh: &Mesh) -> Result<usize> {
    let refuse = |what: String, value: usize, expected: String| FormatError::Unwritable {
        path: path.to_owned(),
        what,
        value: value.to_string(),
        expected,
    };
    for block in mesh.cells {
        let nodes = block.kind.node_count();
        if !block.nodes.len().is_multiple_of(nodes) {
            let what = format!("number of indices of {:?} cells", block.kind);
            return Err(refuse(what, block.nodes.len(), format!("a multiple of {nodes}")));
        }
        let beyond = block.nodes.iter().position(|&node| node as usize >= mesh.points.len());
        if let Some(index) = beyond {
            let what = format!("point of cell {}", index / nodes);
            let expected = format!("an index below {}, the number of points", mesh.points.len());
            return Err(refuse(what, block.nodes[index] as usize, expected));
        }
    }
    let cell_count = mesh.cells.iter().map(CellBlock::len).sum();
    check_fields(path, mesh.point_data, mesh.points.len(), "points")?;
    check_fields(path, mesh.cell_data, cell_count, "cells")?;
    Ok(cell_count)
}
