//! The bodies of a mesh of another program, found by position.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use craton_mesh::{HexMesh, Locator, Side};
use craton_model::MeshedBodies;

use crate::placing::ROUND_OFF;

/// The bodies of a mesh, found by the elements that contain a position.
#[derive(Debug)]
pub struct Located {
    locator: Arc<Locator<Arc<HexMesh>>>,
    region: Vec<u16>,
    /// A height below all of the surface [m].
    lowest: f64,
    /// Highest node of the mesh [m].
    highest: [f64; 3],
    /// The element found last, where the search begins.
    last: AtomicU32,
    /// The surface element found last, where the next search begins.
    last_at_surface: AtomicU32,
    /// Whether there is one point of the surface above or below every position.
    is_single_valued: bool,
}

impl Located {
    /// The bodies of a mesh.
    ///
    /// # Arguments
    /// * `region` – body of each element
    /// * `is_single_valued` – whether there is one point of the surface above or below every position
    pub fn new(locator: Arc<Locator<Arc<HexMesh>>>, region: Vec<u16>, is_single_valued: bool) -> Self {
        let mesh = locator.mesh();
        let highest = mesh.control_nodes.iter().copied().max_by(|a, b| a[2].total_cmp(&b[2]));
        Self {
            lowest: lowest_of_surface(mesh),
            highest: highest.expect("a mesh has nodes"),
            locator,
            region,
            last: AtomicU32::new(0),
            last_at_surface: AtomicU32::new(0),
            is_single_valued,
        }
    }
}

/// Lower bound of the elevation of the surface [m].
fn lowest_of_surface(mesh: &HexMesh) -> f64 {
    let of_top = mesh.faces.iter().filter(|face| face.side == Side::Top);
    let heights = |element: u32| {
        let heights = mesh.corners_of(element).map(|corner| mesh.control_nodes[corner as usize][2]);
        heights.into_iter().fold(f64::INFINITY, f64::min)
    };
    of_top.map(|face| heights(face.element)).fold(f64::INFINITY, f64::min)
}

impl MeshedBodies for Located {
    fn region_at(&self, position: [f64; 3]) -> usize {
        self.element_at(position).map_or(0, |element| usize::from(self.region[element]))
    }

    fn element_at(&self, [x, y, z]: [f64; 3]) -> Option<usize> {
        // Positions just below the bottom, or above the surface by round-off, belong to the elements there.
        let near = [0.0, 2.0 * ROUND_OFF, -2.0 * ROUND_OFF].into_iter();
        let first = self.last.load(Ordering::Relaxed);
        let element = near.filter_map(|shift| self.locator.locate_from(first, [x, y, z + shift])).next()?.element;
        self.last.store(element, Ordering::Relaxed);
        Some(element as usize)
    }

    fn elevation(&self, x: f64, y: f64) -> f64 {
        let mesh = self.locator.mesh();
        let first = self.last_at_surface.load(Ordering::Relaxed);
        let found = match self.is_single_valued {
            true => self.locator.locate_on_surface_from(first, [x, y, 0.0]),
            false => self.locator.locate_on_surface([x, y, 0.0]),
        };
        let Some(place) = found else { return self.highest[2] };
        self.last_at_surface.store(place.element, Ordering::Relaxed);
        mesh.position(place.element, place.xi)[2]
    }

    fn lowest(&self) -> f64 {
        self.lowest
    }

    fn highest(&self) -> [f64; 3] {
        self.highest
    }
}
