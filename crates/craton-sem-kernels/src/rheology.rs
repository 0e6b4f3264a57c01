//! The rheologies that kernels are compiled for.

use craton_physics::{Anisotropic, Isotropic, Law, MEMORY, TransverselyIsotropic};

/// A rheology: the elastic law of an element and its relaxation, which determine the kernel of its patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rheology {
    /// The elastic law.
    pub solid: Solid,
    /// Its relaxation.
    pub relaxation: Relaxation,
}

/// An elastic law. Kernels are compiled for the [`Law`] of each; other code gets the sizes of its data from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Solid {
    /// Isotropic: λ and μ.
    Isotropic,
    /// Transversely isotropic: five parameters per point and an axis per element.
    TransverselyIsotropic,
    /// General anisotropy: 21 coefficients.
    Anisotropic,
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
    components: usize,
    parameters: usize,
    has_axis: bool,
}

impl Sizes {
    const fn of<L: Law>() -> Self {
        Self { name: L::NAME, components: L::COMPONENTS, parameters: L::PARAMETERS, has_axis: L::HAS_AXIS }
    }
}

impl Solid {
    const fn sizes(self) -> Sizes {
        match self {
            Self::Isotropic => Sizes::of::<Isotropic>(),
            Self::TransverselyIsotropic => Sizes::of::<TransverselyIsotropic>(),
            Self::Anisotropic => Sizes::of::<Anisotropic>(),
        }
    }

    /// Elastic elements of this law.
    pub const fn elastic(self) -> Rheology {
        Rheology { solid: self, relaxation: Relaxation::None }
    }
}

impl Rheology {
    /// The law's name in messages and in the names of kernels.
    pub const fn name(self) -> &'static str {
        self.solid.sizes().name
    }

    /// Unknowns of a node in the equation of motion: 3 components of displacement in a solid.
    pub const fn components(self) -> usize {
        self.solid.sizes().components
    }

    /// Parameters read at each point.
    pub const fn parameters(self) -> usize {
        self.solid.sizes().parameters
    }

    /// Numbers that give the symmetry axis of an element: 12, or 0 without one.
    pub const fn axis_coefficients(self) -> usize {
        if self.solid.sizes().has_axis { 12 } else { 0 }
    }

    /// Moduli read at each relaxing point: two per mechanism.
    pub const fn relaxing_moduli(self) -> usize {
        2 * self.relaxation.mechanisms()
    }

    /// Memory variables of an element, 0 if elastic.
    ///
    /// # Arguments
    /// * `along` – number of points along an axis
    pub const fn memory(self, along: usize) -> usize {
        MEMORY * self.relaxation.mechanisms() * self.relaxation.points(along)
    }
}
