//! The element kernels of a run, one for each elastic law of its patches.

use craton_device::Scalar;
use craton_mesh::Geometry;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{ElementKernel, Precision, Rheology, Solid};

/// Element kernels of the laws in use, for one geometry and degree.
pub struct Kernels<T: Scalar>(Vec<(Solid, Box<dyn ElementKernel<T>>)>);

impl<T: Precision> Kernels<T> {
    /// Creates the kernels of these rheologies.
    pub fn new(gll: &Gll, geometry: Geometry, rheologies: impl Iterator<Item = Rheology>) -> Self {
        let mut solids: Vec<Solid> = rheologies.map(|rheology| rheology.solid).collect();
        solids.dedup();
        Self(solids.into_iter().map(|solid| (solid, T::element_kernel(gll, geometry.per_axis(), solid))).collect())
    }
}

impl<T: Scalar> Kernels<T> {
    /// The kernel of a rheology.
    ///
    /// # Panics
    /// If no patch has this rheology.
    pub fn of(&self, rheology: Rheology) -> &dyn ElementKernel<T> {
        let found = self.0.iter().find(|(of, _)| *of == rheology.solid);
        &*found.expect("a kernel for the rheology of every patch").1
    }
}
