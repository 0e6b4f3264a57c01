//! What a series shows at one time: values and where they are.

use std::path::Path;

use craton_formats::vtk::{CellBlock, CellKind, Field, Image, Mesh, NodeOrder, Values, write_vti, write_vtu};

use super::shown::Sampled;
use crate::error::Error;

/// The moving Earth at one time, as a series of snapshots shows it.
pub struct Frame<'a> {
    /// Name of the series: `surface`, `slice_z_-100`, `volume`.
    pub series: &'a str,
    /// Number of the series, from 0.
    pub number: usize,
    /// Steps done.
    pub step: u64,
    /// Its time, half a step before that of the step [s].
    pub time: f64,
    /// Time step [s].
    pub dt: f64,
    /// The values.
    pub fields: Fields<'a>,
}

/// Values and where they are.
pub struct Fields<'a> {
    /// The points, and the cells between them.
    pub places: Places<'a>,
    /// Fields at the points; NaN where there is no ground.
    pub at_points: Vec<Sampled>,
    /// Fields inside the cells; NaN where there is no ground.
    pub in_cells: Vec<Sampled>,
    /// VTK's flags of points or cells that are not shown, one for each.
    pub(super) hidden: Option<&'a [u8]>,
}

/// Points, and cells between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Places<'a> {
    /// Points of a regular grid, x fastest.
    Image {
        /// Points along x, y and z.
        shape: [usize; 3],
        /// The first point [m].
        origin: [f64; 3],
        /// Distance of the points [m].
        spacing: [f64; 3],
    },
    /// Quadrilaterals of a surface.
    Quadrilaterals {
        /// The points [m].
        points: &'a [[f64; 3]],
        /// The points of each cell, four each, lexicographic.
        corners: &'a [u32],
    },
    /// Hexahedra.
    Hexahedra {
        /// The points [m].
        points: &'a [[f64; 3]],
        /// The points of each cell, eight each, lexicographic.
        corners: &'a [u32],
    },
}

impl Fields<'_> {
    /// Ending of the VTK files that hold them.
    pub fn extension(&self) -> &'static str {
        match self.places {
            Places::Image { .. } => "vti",
            Places::Quadrilaterals { .. } | Places::Hexahedra { .. } => "vtu",
        }
    }

    /// Writes them as a file of VTK.
    ///
    /// # Arguments
    /// * `time` – of the frame [s]
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path, time: f64) -> Result<(), Error> {
        let hidden = self.hidden.map(|flags| Field { name: "vtkGhostType", components: 1, values: Values::U8(flags) });
        let [mut points, mut cells] =
            [&self.at_points, &self.in_cells].map(|fields| fields.iter().map(Sampled::field).collect::<Vec<_>>());
        if cells.is_empty() { &mut points } else { &mut cells }.extend(hidden);
        let time = Some(time);
        let (kind, of_mesh, corners) = match self.places {
            Places::Image { shape, origin, spacing } => {
                let image = Image { shape, origin, spacing, point_data: &points, cell_data: &cells, time };
                return Ok(write_vti(path, &image)?);
            }
            Places::Quadrilaterals { points, corners } => (CellKind::Quad, points, corners),
            Places::Hexahedra { points, corners } => (CellKind::Hexahedron, points, corners),
        };
        let blocks = [CellBlock { kind, nodes: corners, order: NodeOrder::Lexicographic }];
        let mesh = Mesh { points: of_mesh, cells: &blocks, point_data: &points, cell_data: &cells, time };
        Ok(write_vtu(path, &mesh)?)
    }
}
