//! What snapshots will need, known before the run.

use craton_mesh::{HexMesh, Side};

use super::plane_of;
use super::point_grid::PointGrid;
use super::shown::Shown;
use crate::config::Snapshot;
use crate::setup::Setup;

/// Bytes of a picture, about.
const PICTURE: u64 = 400_000;

/// Memory and disk [bytes].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Memory, as if all series wrote a frame at once.
    pub memory: u64,
    /// Disk for all frames.
    pub disk: u64,
}

impl Needs {
    /// What the snapshots of a scenario need on its mesh.
    pub fn new(setup: &Setup, mesh: &HexMesh) -> Self {
        let wanted = &setup.output.snapshots;
        let degree = setup.method.degree as u64;
        let mut needs = Self::default();
        if let Some(surface) = &wanted.surface {
            let faces = mesh.faces.iter().filter(|face| face.side == Side::Top).count() as u64;
            needs.add_cells(setup, surface, faces * degree.pow(2), 4);
        }
        for slice in &wanted.slices {
            let (axis, at) = plane_of(slice);
            let points = PointGrid::across(mesh, setup.method.degree, axis, at).map_or(0, |grid| grid.len() as u64);
            let values = points * bytes_per_point(&slice.snapshot);
            needs.add(setup, &slice.snapshot, 40 * points, values, values + points);
        }
        if let Some(volume) = &wanted.volume {
            needs.add_cells(setup, volume, mesh.n_elements() as u64 * degree.pow(3), 8);
        }
        needs
    }

    /// Cells with as many corners each, and about as many points.
    fn add_cells(&mut self, setup: &Setup, wanted: &Snapshot, cells: u64, corners: u64) {
        let values = cells * bytes_per_point(wanted);
        self.add(setup, wanted, cells * (36 + 4 * corners), values, values + cells * (24 + 8 * corners + 9));
    }

    /// A series that keeps `kept` bytes, holds `held` more while it writes a frame, and writes `frame`.
    fn add(&mut self, setup: &Setup, wanted: &Snapshot, kept: u64, held: u64, frame: u64) {
        let frames = ((setup.end - setup.start) / wanted.every) as u64;
        let pictures = if wanted.png { PICTURE * wanted.quantities.len() as u64 } else { 0 };
        self.memory += kept + held;
        self.disk += frames * (frame + pictures);
    }
}

/// Bytes of all quantities at one point.
fn bytes_per_point(wanted: &Snapshot) -> u64 {
    let shown = wanted.quantities.iter().filter_map(|&quantity| Shown::new(quantity));
    shown.map(|shown| 4 * shown.components() as u64).sum()
}
