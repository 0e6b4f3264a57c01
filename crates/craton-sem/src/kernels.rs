//! The element kernels of a run, one for each material of its patches.

use craton_device::Scalar;
use craton_mesh::Geometry;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{ElementKernel, MaterialKind, Precision, Rheology};

/// Element kernels of the materials in use, for one geometry and degree.
pub struct Kernels<T: Scalar>(Vec<(MaterialKind, Box<dyn ElementKernel<T>>)>);

impl<T: Precision> Kernels<T> {
    /// Creates the kernels of these rheologies.
    pub fn new(gll: &Gll, geometry: Geometry, rheologies: impl Iterator<Item = Rheology>) -> Self {
        let mut materials: Vec<MaterialKind> = rheologies.map(|rheology| rheology.material).collect();
        materials.dedup();
        let kernel = |material| (material, T::element_kernel(gll, geometry.per_axis(), material));
        Self(materials.into_iter().map(kernel).collect())
    }
}

impl<T: Scalar> Kernels<T> {
    /// The kernel of a rheology.
    ///
    /// # Panics
    /// If no patch has this rheology.
    pub fn of(&self, rheology: Rheology) -> &dyn ElementKernel<T> {
        let found = self.0.iter().find(|(of, _)| *of == rheology.material);
        &*found.expect("a kernel for the rheology of every patch").1
    }
}
