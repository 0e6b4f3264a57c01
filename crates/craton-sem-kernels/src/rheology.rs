//! The rheologies that kernels are compiled for.

use craton_physics::{Anisotropic, Fading, Isotropic, Law, TransverselyIsotropic};

/// A rheology: the constitutive law of an element, which determines the kernel of its patch.
///
/// Kernels are compiled for the [`Law`] of each; other code gets the sizes of its data from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rheology {
    /// Isotropic elastic solid: λ and μ.
    Isotropic,
    /// Transversely isotropic elastic solid: five parameters per point and an axis per element.
    TransverselyIsotropic,
    /// General elastic solid: 21 coefficients.
    Anisotropic,
    /// Isotropic solid with fading memory, for tests of element state; no model selects it.
    Fading,
}

/// The constants of a law, as run-time values.
struct Sizes {
    name: &'static str,
    components: usize,
    parameters: usize,
    has_axis: bool,
    memory: usize,
}

impl Sizes {
    const fn of<L: Law>() -> Self {
        Self {
            name: L::NAME,
            components: L::COMPONENTS,
            parameters: L::PARAMETERS,
            has_axis: L::HAS_AXIS,
            memory: L::MEMORY,
        }
    }
}

impl Rheology {
    /// All rheologies, in the order of their patches.
    pub const ALL: [Self; 4] = [Self::Isotropic, Self::TransverselyIsotropic, Self::Anisotropic, Self::Fading];

    const fn sizes(self) -> Sizes {
        match self {
            Self::Isotropic => Sizes::of::<Isotropic>(),
            Self::TransverselyIsotropic => Sizes::of::<TransverselyIsotropic>(),
            Self::Anisotropic => Sizes::of::<Anisotropic>(),
            Self::Fading => Sizes::of::<Fading>(),
        }
    }

    /// The law's name in messages and in the names of kernels.
    pub const fn name(self) -> &'static str {
        self.sizes().name
    }

    /// Unknowns of a node in the equation of motion: 3 components of displacement in a solid.
    pub const fn components(self) -> usize {
        self.sizes().components
    }

    /// Parameters read at each point.
    pub const fn parameters(self) -> usize {
        self.sizes().parameters
    }

    /// Numbers that give the symmetry axis of an element: 12, or 0 without one.
    pub const fn axis_coefficients(self) -> usize {
        if self.sizes().has_axis { 12 } else { 0 }
    }

    /// Memory variables kept at each point, 0 if elastic.
    pub const fn memory(self) -> usize {
        self.sizes().memory
    }
}
