//! The field between steps: at nodes, in elements and at any point.

use craton_device::Scalar;

use crate::discretisation::local_nodes;
use crate::operator::SemOperator;
use crate::state::{Node, PatchState, SharedState};
use crate::taps::Tap;

/// A field of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Displacement at the whole step [m].
    Displacement,
    /// Velocity half a step earlier [m/s].
    Velocity,
}

impl Field {
    /// The field on the inner nodes of a patch.
    fn inner<T: Scalar>(self, patch: &PatchState<T>) -> &[Node<T>] {
        match self {
            Self::Displacement => &patch.u,
            Self::Velocity => &patch.v,
        }
    }

    /// The same to be replaced.
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

    /// The same to be replaced.
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

/// Where the field of a node stands in the state; the same for all elements that meet there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodePlace {
    /// Among the inner nodes of a patch.
    Inner {
        /// The patch.
        patch: u32,
        /// The node.
        node: u32,
    },
    /// Among the nodes that patches share.
    Shared(u32),
}

impl<T: Scalar> SemOperator<T> {
    /// Where the fields of all points of an element stand, lexicographic.
    pub fn places(&self, element: u32) -> Vec<NodePlace> {
        let patch = self.patch_of(element);
        let state = &self.patches[patch];
        let place = |local: u16| match usize::from(local).checked_sub(state.inner()) {
            None => NodePlace::Inner { patch: patch as u32, node: local.into() },
            Some(outer) => NodePlace::Shared(state.shared[outer]),
        };
        self.local_nodes(element).map(place).collect()
    }

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

    /// A field at all points of an element, lexicographic.
    pub fn element_field(&self, element: u32, field: Field) -> Vec<[f64; 3]> {
        let patch = &self.patches[self.patch_of(element)];
        self.local_nodes(element).map(|local| in_double(field.node(patch, &self.shared, local))).collect()
    }

    /// A field at the point `xi` of the reference cube in an element, exactly by the basis.
    pub fn field_at(&self, element: u32, xi: [f64; 3], field: Field) -> [f64; 3] {
        Tap::new(&self.mesh, &self.gll.points, element, xi).value_of(&self.element_field(element, field))
    }

    /// Its gradient there: `[i][j]` is the derivative of component i along x_j.
    pub fn gradient_at(&self, element: u32, xi: [f64; 3], field: Field) -> [[f64; 3]; 3] {
        Tap::new(&self.mesh, &self.gll.points, element, xi).gradient_of(&self.element_field(element, field))
    }

    fn patch_of(&self, element: u32) -> usize {
        self.first_element.partition_point(|&first| first <= element as usize) - 1
    }

    /// Local nodes of an element in its patch.
    fn local_nodes(&self, element: u32) -> impl Iterator<Item = u16> {
        let patch = self.patch_of(element);
        let within = element as usize - self.first_element[patch];
        let points = self.gll.points.len().pow(3);
        local_nodes(&self.patches[patch].elements.nodes, points, T::lanes(self.isa), within)
    }
}

fn in_double<T: Scalar>([x, y, z, _]: Node<T>) -> [f64; 3] {
    [x.to_f64(), y.to_f64(), z.to_f64()]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use craton_device::{Isa, Workers};
    use craton_mesh::{BoxSpec, Flat, Stratum, UniformSize, mesh_box};
    use craton_model::{EarthModel, Medium};

    use super::*;
    use crate::{Boundaries, Boundary, Discretisation, Options, Patching};

    /// Displacement of row i: 1 + i + the dot product of row i with the position in km.
    const SLOPES: [[f64; 3]; 3] = [[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [-1.0, 0.25, 2.0]];

    fn linear(position: [f64; 3]) -> [f64; 3] {
        let along = |row: [f64; 3]| (0..3).map(|j| row[j] * position[j] / 1000.0).sum::<f64>();
        [0, 1, 2].map(|i| 1.0 + i as f64 + along(SLOPES[i]))
    }

    /// A box of 3 x 2 x 3 elements whose displacement is linear.
    fn sheared_box() -> SemOperator<f64> {
        let (sizes, top) = (UniformSize { size: 100.0, speed: 3464.0 }, Flat(0.0));
        let strata = vec![Stratum { top: &top, region: 0 }];
        let mesh = mesh_box(&BoxSpec::new([0.0, 300.0], [0.0, 200.0], -300.0, strata, &sizes)).unwrap();
        let model = EarthModel::homogeneous(Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap());
        let workers = Arc::new(Workers::new(Some(1)).unwrap());
        let absorbing = Boundaries { sides: [Boundary::Absorbing; 6] };
        let options = Options { degree: 3, boundaries: absorbing, isa: Isa::Portable, patching: Patching::Threads };
        let on = Discretisation::<f64>::new(mesh, &model, &options, &workers).unwrap();
        let dt = on.stable().dt;
        let mut operator = SemOperator::new(on, dt, &[], &[], workers);
        for element in 0..operator.mesh().n_elements() as u32 {
            for (point, place) in operator.places(element).into_iter().enumerate() {
                let xi = [point % 4, point / 4 % 4, point / 16].map(|i| operator.gll().points[i]);
                let [x, y, z] = linear(operator.mesh().position(element, xi));
                let mut state = operator.state_mut();
                let shared = state.len() - 2;
                match place {
                    NodePlace::Inner { patch, node } => state[2 * patch as usize][node as usize] = [x, y, z, 0.0],
                    NodePlace::Shared(node) => state[shared][node as usize] = [x, y, z, 0.0],
                }
            }
        }
        operator
    }

    #[test]
    fn a_linear_field_and_its_gradient_are_read_exactly_anywhere() {
        let operator = sheared_box();
        for element in 0..operator.mesh().n_elements() as u32 {
            let xi = [0.3, -0.85, 1.0];
            let expected = linear(operator.mesh().position(element, xi));
            let value = operator.field_at(element, xi, Field::Displacement);
            let gradient = operator.gradient_at(element, xi, Field::Displacement);
            for i in 0..3 {
                assert!((value[i] - expected[i]).abs() < 1e-13, "{value:?} {expected:?}");
                for j in 0..3 {
                    assert!((gradient[i][j] - SLOPES[i][j] / 1000.0).abs() < 1e-15, "{gradient:?}");
                }
            }
        }
    }

    #[test]
    fn an_element_reads_what_stands_at_its_places() {
        let operator = sheared_box();
        for element in 0..operator.mesh().n_elements() as u32 {
            let places = operator.places(element);
            let one_by_one: Vec<_> = places.iter().map(|&place| operator.at(place, Field::Displacement)).collect();
            assert_eq!(operator.element_field(element, Field::Displacement), one_by_one);
            assert!(places.iter().any(|place| matches!(place, NodePlace::Inner { .. })));
        }
    }
}
