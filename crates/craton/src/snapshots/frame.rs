//! A frame of a snapshot series: positions and values at one time.

use std::path::Path;

use craton_formats::vtk::{CellBlock, CellKind, Field, Image, Mesh, NodeOrder, Values, write_vti, write_vtu};

use super::shown::Sampled;
use crate::error::Error;

/// A frame of a snapshot series.
pub struct Frame<'a> {
    /// Name of the series: `surface`, `slice_z_-100`, `volume`.
    pub series: &'a str,
    /// Number of the series, from 0.
    pub number: usize,
    /// Number of completed steps.
    pub step: u64,
    /// Time of the frame, half a step before that of the whole step [s].
    pub time: f64,
    /// Time step [s].
    pub dt: f64,
    /// The positions and values.
    pub fields: Fields<'a>,
}

/// Positions, and the fields there.
pub struct Fields<'a> {
    /// The points, and the cells between them.
    pub places: Places<'a>,
    /// Fields at the points; NaN above the ground.
    pub at_points: Vec<Sampled>,
    /// Fields inside the cells; NaN above the ground.
    pub in_cells: Vec<Sampled>,
    /// VTK's flag of each point or cell, if any is hidden.
    pub(super) hidden: Option<&'a [u8]>,
}

/// Points, and cells between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Places<'a> {
    /// Points of a regular grid, x fastest.
    Image {
        /// Number of points along x, y and z.
        shape: [usize; 3],
        /// The first point [m].
        origin: [f64; 3],
        /// Distances between neighbouring points along x, y and z [m].
        spacing: [f64; 3],
    },
    /// Quadrilaterals of a surface.
    Quadrilaterals {
        /// The points [m].
        points: &'a [[f64; 3]],
        /// The four points of each cell, lexicographic.
        corners: &'a [u32],
    },
    /// Hexahedra.
    Hexahedra {
        /// The points [m].
        points: &'a [[f64; 3]],
        /// The eight points of each cell, lexicographic.
        corners: &'a [u32],
    },
}

impl Fields<'_> {
    /// Extension of the VTK file.
    pub fn extension(&self) -> &'static str {
        match self.places {
            Places::Image { .. } => "vti",
            Places::Quadrilaterals { .. } | Places::Hexahedra { .. } => "vtu",
        }
    }

    /// Writes a VTK file.
    ///
    /// # Arguments
    /// * `time` – time of the frame [s]
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
