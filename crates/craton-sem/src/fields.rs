//! Access to the fields between steps: at nodes, in elements and at any point.

use craton_device::Scalar;
use craton_sem_kernels::Phase;

use crate::interpolation_point::InterpolationPoint;
use crate::operator::SemOperator;
use crate::shared_nodes::SharedState;
use crate::step::{PatchState, width};

/// A field of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Displacement of the solid at the whole step [m].
    Displacement,
    /// Velocity of the solid half a step before the whole step [m/s].
    Velocity,
    /// Potential χ of the fluid at the whole step [kg/m]: its displacement is ∇χ / ρ.
    Potential,
    /// Time derivative of the potential half a step before the whole step [kg/(m s)].
    PotentialRate,
}

impl Field {
    /// The fields of the state, in the order in which they are saved.
    pub const STATE: [Self; 4] = [Self::Displacement, Self::Velocity, Self::Potential, Self::PotentialRate];

    /// Name of the array in a checkpoint.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "state/displacement",
            Self::Velocity => "state/velocity",
            Self::Potential => "state/potential",
            Self::PotentialRate => "state/potential_rate",
        }
    }

    /// The phase to which it belongs.
    pub const fn phase(self) -> Phase {
        match self {
            Self::Displacement | Self::Velocity => Phase::Solid,
            Self::Potential | Self::PotentialRate => Phase::Fluid,
        }
    }

    /// The rate of the unknown of a phase.
    pub const fn rate_of(phase: Phase) -> Self {
        match phase {
            Phase::Solid => Self::Velocity,
            Phase::Fluid => Self::PotentialRate,
        }
    }

    /// Number of components at each node.
    pub const fn components(self) -> usize {
        self.phase().components()
    }

    /// Number of values of a node in the arrays.
    pub(crate) const fn width(self) -> usize {
        width(self.phase())
    }

    fn is_rate(self) -> bool {
        matches!(self, Self::Velocity | Self::PotentialRate)
    }

    /// The field on the inner nodes of a patch.
    fn inner<T: Scalar>(self, patch: &PatchState<T>) -> &[T] {
        if self.is_rate() { &patch.v } else { &patch.u }
    }

    /// Mutable access to the field on the inner nodes of a patch.
    pub(crate) fn inner_mut<T: Scalar>(self, patch: &mut PatchState<T>) -> &mut [T] {
        if self.is_rate() { &mut patch.v } else { &mut patch.u }
    }

    /// The field on the shared nodes.
    fn shared<T: Scalar>(self, shared: &SharedState<T>) -> &[T] {
        if self.is_rate() { &shared.v } else { &shared.u }
    }

    /// Mutable access to the field on the shared nodes.
    pub(crate) fn shared_mut<T: Scalar>(self, shared: &mut SharedState<T>) -> &mut [T] {
        if self.is_rate() { &mut shared.v } else { &mut shared.u }
    }

    /// The components of the field at a local node of a patch.
    pub(crate) fn node<'a, T: Scalar>(
        self,
        patch: &'a PatchState<T>,
        shared: &'a SharedState<T>,
        local: u16,
    ) -> &'a [T] {
        let (inner, at) = (self.inner(patch), self.width() * usize::from(local));
        match at.checked_sub(inner.len()) {
            None => &inner[at..][..self.components()],
            Some(beyond) => self.of_shared(shared, patch.shared[beyond / self.width()]),
        }
    }

    /// The components of the field at a shared node.
    fn of_shared<T: Scalar>(self, shared: &SharedState<T>, node: u32) -> &[T] {
        &self.shared(shared)[self.width() * node as usize..][..self.components()]
    }
}

/// Location of a node of a phase in the state arrays of a mesh or of a part. All elements that share the node give the same location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodePlace {
    /// An inner node of a patch.
    Inner {
        /// The patch.
        patch: u32,
        /// Its number in the patch.
        node: u32,
    },
    /// A node that patches share.
    Shared(u32),
}

impl<T: Scalar> SemOperator<T> {
    /// A field of the solid at a node.
    pub fn at(&self, place: NodePlace, field: Field) -> [f64; 3] {
        in_double(self.node(place, field))
    }

    /// The components of a field at a node of its phase.
    pub(crate) fn node(&self, place: NodePlace, field: Field) -> &[T] {
        let of = self.of(field.phase());
        match place {
            NodePlace::Inner { patch, node } => {
                &field.inner(&of.patches[patch as usize])[field.width() * node as usize..][..field.components()]
            }
            NodePlace::Shared(node) => field.of_shared(&of.shared, node),
        }
    }

    /// A field of the solid at all points of an element of this part, in lexicographic order.
    ///
    /// # Panics
    /// If the element is fluid or belongs to another part.
    pub fn element_field(&self, element: u32, field: Field) -> Vec<[f64; 3]> {
        assert_eq!(self.plan.phase_of(element), Phase::Solid, "an element of the solid");
        let solid = self.of(Phase::Solid);
        let (patch, _) = solid.own.patch_of(element).expect("an element of this part");
        let (_, local) = self.plan.local_nodes(element);
        local.iter().map(|&local| in_double(field.node(&solid.patches[patch], &solid.shared, local))).collect()
    }

    /// Interpolates a field with the basis of an element, at the point `xi` of the reference cube.
    pub fn field_at(&self, element: u32, xi: [f64; 3], field: Field) -> [f64; 3] {
        InterpolationPoint::new(self.mesh(), &self.gll().points, element, xi)
            .value_of(&self.element_field(element, field))
    }

    /// Gradient of a field at the point `xi` of the reference cube of an element: `[i][j]` is the derivative of component i along x_j.
    pub fn gradient_at(&self, element: u32, xi: [f64; 3], field: Field) -> [[f64; 3]; 3] {
        InterpolationPoint::new(self.mesh(), &self.gll().points, element, xi)
            .gradient_of(&self.element_field(element, field))
    }
}

fn in_double<T: Scalar>(components: &[T]) -> [f64; 3] {
    [0, 1, 2].map(|c| components[c].to_f64())
}
