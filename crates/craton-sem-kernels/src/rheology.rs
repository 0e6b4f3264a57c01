//! The rheologies that kernels are compiled for.

use craton_physics::{Anisotropic, Isotropic, Law, MEMORY, TransverselyIsotropic};

use crate::pml::{PML_CONSTANTS, Pml};

/// A rheology: the elastic law of an element, its relaxation and its absorbing axes, which determine the kernel of its patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rheology {
    /// The law without relaxation.
    pub material: MaterialKind,
    /// Its relaxation.
    pub relaxation: Relaxation,
    /// Its absorbing axes.
    pub pml: Pml,
}

/// The law of a material without relaxation; other code gets the sizes of its data from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MaterialKind {
    /// Isotropic solid: λ and μ.
    Isotropic,
    /// Transversely isotropic solid: five parameters per point and an axis per element.
    TransverselyIsotropic,
    /// Solid of general anisotropy: 21 coefficients.
    Anisotropic,
    /// Inviscid fluid: 1/ρ. Its bulk modulus is in the masses.
    Fluid,
}

/// Solid or fluid. The elements of a phase share nodes with each other only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The unknown is the displacement [m].
    Solid,
    /// The unknown is the potential χ of the displacement ∇χ / ρ [kg/m].
    Fluid,
}

impl Phase {
    /// Both phases, in the order of their elements in a mesh.
    pub const ALL: [Self; 2] = [Self::Solid, Self::Fluid];

    /// Number of unknowns of a node.
    pub const fn components(self) -> usize {
        match self {
            Self::Solid => 3,
            Self::Fluid => 1,
        }
    }
}

/// Points of an element at which moduli relax, and the number of mechanisms there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relaxation {
    /// An elastic element.
    None,
    /// Only the points with odd indices along all axes, of degree 4: 8 of 125. Their moduli relax more, by the ratio of the quadrature weights of the
    /// element to theirs.
    ///
    /// # Source
    /// van Driel & Nissen-Meyer (2014), Geophysical Journal International 199, 880-893.
    Odd {
        /// Number of mechanisms.
        mechanisms: u8,
    },
    /// Only the points inside the element, not those on its faces: 27 of 125 for degree 4.
    Inner {
        /// Number of mechanisms.
        mechanisms: u8,
    },
    /// All points.
    Full {
        /// Number of mechanisms.
        mechanisms: u8,
    },
}

impl Relaxation {
    /// Number of mechanisms.
    pub const fn mechanisms(self) -> usize {
        match self {
            Self::None => 0,
            Self::Odd { mechanisms } | Self::Inner { mechanisms } | Self::Full { mechanisms } => mechanisms as usize,
        }
    }

    /// Number among the relaxing points of an element of the point with these indices, if it is one of them.
    ///
    /// # Arguments
    /// * `along` – number of points along an axis
    #[inline(always)]
    pub const fn place(self, [i, j, k]: [usize; 3], along: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Odd { .. } if i & j & k & 1 == 1 => Some(i / 2 + 2 * (j / 2) + 4 * (k / 2)),
            Self::Inner { .. } if is_inner(i, along) && is_inner(j, along) && is_inner(k, along) => {
                Some(i - 1 + (along - 2) * (j - 1 + (along - 2) * (k - 1)))
            }
            Self::Odd { .. } | Self::Inner { .. } => None,
            Self::Full { .. } => Some(i + along * (j + along * k)),
        }
    }

    /// Number of points of an element at which moduli relax.
    ///
    /// # Arguments
    /// * `along` – number of points along an axis
    pub const fn points(self, along: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Odd { .. } => 8,
            Self::Inner { .. } => (along - 2).pow(3),
            Self::Full { .. } => along.pow(3),
        }
    }
}

/// Whether a point is at neither end of an axis.
#[inline(always)]
const fn is_inner(index: usize, along: usize) -> bool {
    index > 0 && index + 1 < along
}

/// The constants of a law, as run-time values.
struct Sizes {
    name: &'static str,
    parameters: usize,
    has_axis: bool,
}

impl Sizes {
    const fn of<L: Law>() -> Self {
        Self { name: L::NAME, parameters: L::PARAMETERS, has_axis: L::HAS_AXIS }
    }
}

impl MaterialKind {
    const fn sizes(self) -> Sizes {
        match self {
            Self::Isotropic => Sizes::of::<Isotropic>(),
            Self::TransverselyIsotropic => Sizes::of::<TransverselyIsotropic>(),
            Self::Anisotropic => Sizes::of::<Anisotropic>(),
            Self::Fluid => Sizes { name: "fluid", parameters: 1, has_axis: false },
        }
    }

    /// Elements of the domain of this material that do not relax.
    pub const fn elastic(self) -> Rheology {
        Rheology { material: self, relaxation: Relaxation::None, pml: Pml::None }
    }
}

impl Rheology {
    /// The law's name in messages and in the names of kernels.
    pub const fn name(self) -> &'static str {
        self.material.sizes().name
    }

    /// Solid or fluid.
    pub const fn phase(self) -> Phase {
        match self.material {
            MaterialKind::Isotropic | MaterialKind::TransverselyIsotropic | MaterialKind::Anisotropic => Phase::Solid,
            MaterialKind::Fluid => Phase::Fluid,
        }
    }

    /// Parameters read at each point.
    pub const fn parameters(self) -> usize {
        self.material.sizes().parameters
    }

    /// Numbers that give the symmetry axis of an element: 12, or 0 without one.
    pub const fn axis_coefficients(self) -> usize {
        if self.material.sizes().has_axis { 12 } else { 0 }
    }

    /// Moduli read at each relaxing point: two per mechanism.
    pub const fn relaxing_moduli(self) -> usize {
        2 * self.relaxation.mechanisms()
    }

    /// Memory variables of an element: of its relaxation, then of its absorbing axes; 0 if it is elastic and in the domain.
    ///
    /// # Arguments
    /// * `along` – number of points along an axis
    pub const fn memory(self, along: usize) -> usize {
        self.relaxing_memory(along) + 2 * self.phase().components() * self.pml.axes() * along.pow(3)
    }

    /// Memory variables of the relaxation of an element.
    pub const fn relaxing_memory(self, along: usize) -> usize {
        MEMORY * self.relaxation.mechanisms() * self.relaxation.points(along)
    }

    /// Constants of the absorbing axes of an element.
    pub const fn pml_constants(self, along: usize) -> usize {
        PML_CONSTANTS * self.pml.axes() * along
    }
}
