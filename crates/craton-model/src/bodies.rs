//! Bodies of the Earth that a mesh defines.

use std::fmt::Debug;
use std::sync::Arc;

/// The bodies of a mesh and its surface.
pub trait MeshedBodies: Debug + Send + Sync {
    /// Index of the body that contains a position \[m\]: on an interface, the body below it; outside the mesh, the first.
    fn region_at(&self, position: [f64; 3]) -> usize;

    /// Index of the element that contains a position \[m\]; `None` outside the mesh.
    fn element_at(&self, position: [f64; 3]) -> Option<usize>;

    /// Elevation of the surface \[m\] at x, y \[m\]; beside the mesh, its highest one.
    fn elevation(&self, x: f64, y: f64) -> f64;

    /// Lowest elevation of the surface \[m\], or less.
    fn lowest(&self) -> f64;

    /// Highest point x, y, z of the surface \[m\].
    fn highest(&self) -> [f64; 3];
}

/// Shared bodies of a mesh. Two are equal if they are the same object.
#[derive(Debug, Clone)]
pub struct Bodies(pub Arc<dyn MeshedBodies>);

impl PartialEq for Bodies {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
