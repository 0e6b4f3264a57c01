//! Access to the fields between steps: at nodes, in elements and at any point.

use craton_device::Scalar;

use crate::interpolation_point::InterpolationPoint;
use crate::operator::SemOperator;
use crate::solid::{COMPONENTS, Node, PatchState, SharedState};

/// A field of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Displacement at the whole step [m].
    Displacement,
    /// Velocity half a step before the whole step [m/s].
    Velocity,
}

impl Field {
    /// The fields of the state, in the order in which they are saved.
    pub const STATE: [Self; 2] = [Self::Displacement, Self::Velocity];

    /// Name of the array in a checkpoint.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "state/displacement",
            Self::Velocity => "state/velocity",
        }
    }

    /// Number of components at each node.
    pub fn components(self) -> usize {
        match self {
            Self::Displacement | Self::Velocity => COMPONENTS,
        }
    }

    /// The field on the inner nodes of a patch.
    fn inner<T: Scalar>(self, patch: &PatchState<T>) -> &[Node<T>] {
        match self {
            Self::Displacement => &patch.u,
            Self::Velocity => &patch.v,
        }
    }

    /// Mutable access to the field on the inner nodes of a patch.
    pub(crate) fn inner_mut<T: Scalar>(self, patch: &mut PatchState<T>) -> &mut Vec<Node<T>> {
        match self {
            Self::Displacement => &mut patch.u,
            Self::Velocity => &mut patch.v,
        }
    }

    /// The field on the shared nodes.
    fn shared<T: Scalar>(self, shared: &SharedState<T>) -> &[Node<T>] {
        match self {
            Self::Displacement => &shared.u,
            Self::Velocity => &shared.v,
        }
    }

    /// Mutable access to the field on the shared nodes.
    pub(crate) fn shared_mut<T: Scalar>(self, shared: &mut SharedState<T>) -> &mut Vec<Node<T>> {
        match self {
            Self::Displacement => &mut shared.u,
            Self::Velocity => &mut shared.v,
        }
    }

    /// The field at a local node of a patch.
    pub(crate) fn node<T: Scalar>(self, patch: &PatchState<T>, shared: &SharedState<T>, local: u16) -> Node<T> {
        let (inner, local) = (self.inner(patch), usize::from(local));
        inner.get(local).copied().unwrap_or_else(|| self.shared(shared)[patch.shared[local - inner.len()] as usize])
    }
}

/// Location of a node in the state arrays of a mesh or of a part. All elements that share the node give the same location.
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
    /// A field at a node.
    pub fn at(&self, place: NodePlace, field: Field) -> [f64; 3] {
        in_double(self.node(place, field))
    }

    pub(crate) fn node(&self, place: NodePlace, field: Field) -> Node<T> {
        match place {
            NodePlace::Inner { patch, node } => field.inner(&self.patches[patch as usize])[node as usize],
            NodePlace::Shared(node) => field.shared(&self.shared)[node as usize],
        }
    }

    /// A field at all points of an element of this part, in lexicographic order.
    ///
    /// # Panics
    /// If the element belongs to another part.
    pub fn element_field(&self, element: u32, field: Field) -> Vec<[f64; 3]> {
        let (patch, _) = self.own.patch_of(element).expect("an element of this part");
        let (_, local) = self.plan.local_nodes(element);
        local.iter().map(|&local| in_double(field.node(&self.patches[patch], &self.shared, local))).collect()
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

fn in_double<T: Scalar>([x, y, z, _]: Node<T>) -> [f64; 3] {
    [x.to_f64(), y.to_f64(), z.to_f64()]
}
