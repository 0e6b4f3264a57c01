//! What the tests of the spectral elements share.
#![allow(dead_code)] // each test file uses some of it

use std::collections::HashMap;
use std::sync::Arc;

use craton_device::{Isa, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_model::{EarthModel, Interface, Knot, Material, Medium, Profile, Region};
use craton_physics::{Stiffness, Thomsen};
use craton_sem::{Boundaries, Boundary, Discretisation, Field, NodePlace, Options, Precision, SemOperator};
use craton_testkit::oracle::{NodeField, Oracle};

/// A scenario's Earth on a mesh.
#[derive(Clone)]
pub struct Setup {
    pub mesh: HexMesh,
    pub model: EarthModel,
    pub degree: usize,
    /// x = min, x = max, y = min, y = max, bottom, top.
    pub sides: [Boundary; 6],
    pub isa: Isa,
    pub threads: usize,
}

impl Setup {
    /// Free sides, the best instruction set, one thread.
    pub fn new(mesh: HexMesh, model: EarthModel, degree: usize) -> Self {
        Self { mesh, model, degree, sides: [Boundary::Free; 6], isa: Isa::detect(), threads: 1 }
    }

    pub fn workers(&self) -> Arc<Workers> {
        Arc::new(Workers::new(Some(self.threads)).unwrap())
    }

    pub fn discretise<T: Precision>(&self) -> Discretisation<T> {
        let options = Options { degree: self.degree, boundaries: Boundaries { sides: self.sides }, isa: self.isa };
        Discretisation::new(self.mesh.clone(), &self.model, &options, &self.workers()).unwrap()
    }

    /// At rest, without sources and probes; the step is `courant` of the stable one.
    pub fn operator<T: Precision>(&self, courant: f64) -> SemOperator<T> {
        let on = self.discretise();
        let dt = courant * on.stable().dt;
        SemOperator::new(on, dt, &[], &[], self.workers())
    }

    /// The oracle of the same mesh, its elements in the order of the operator's.
    pub fn oracle<T: Scalar>(&self, operator: &SemOperator<T>) -> Oracle {
        Oracle::new(operator.mesh(), &self.model, self.degree)
    }
}

/// Where the oracle's nodes stand in the operator's state.
pub struct Nodes(Vec<NodePlace>);

impl Nodes {
    pub fn new<T: Scalar>(operator: &SemOperator<T>, oracle: &Oracle) -> Self {
        let mut places = HashMap::new();
        for element in 0..operator.mesh().n_elements() as u32 {
            for (&node, place) in oracle.nodes_of(element).iter().zip(operator.places(element)) {
                let known = *places.entry(node).or_insert(place);
                assert_eq!(known, place, "the elements around node {node} agree on its place");
            }
        }
        Self((0..oracle.n_nodes() as u32).map(|node| places[&node]).collect())
    }

    pub fn read<T: Scalar>(&self, operator: &SemOperator<T>, field: Field) -> NodeField {
        self.0.iter().map(|&place| operator.at(place, field)).collect()
    }

    pub fn write<T: Scalar>(&self, operator: &mut SemOperator<T>, field: Field, values: &[[f64; 3]]) {
        let mut state = operator.state_mut();
        let offset = usize::from(field == Field::Velocity);
        let shared = state.len() - 2 + offset;
        for (place, value) in self.0.iter().zip(values) {
            let node = match *place {
                NodePlace::Inner { patch, node } => &mut state[2 * patch as usize + offset][node as usize],
                NodePlace::Shared(node) => &mut state[shared][node as usize],
            };
            for c in 0..3 {
                node[c] = T::from_f64(value[c]);
            }
        }
    }
}

/// All bits of the state.
pub fn bits<T: Scalar>(operator: &SemOperator<T>) -> Vec<u8> {
    operator.state().iter().flat_map(|nodes| bytemuck::cast_slice::<_, u8>(nodes).to_vec()).collect()
}

/// vp 6000, vs 3464, rho 2700.
pub fn rock() -> Medium {
    Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap()
}

/// A tilted transversely isotropic solid, strongly so.
pub fn tilted() -> Medium {
    let solid = Thomsen { vp: 4000.0, vs: 2200.0, epsilon: 0.25, delta: 0.1, gamma: 0.2, rho: 2500.0 };
    Medium::anisotropic(Stiffness::tti(solid, 0.6, 0.9).unwrap(), solid.rho).unwrap()
}

/// A medium that grows with depth.
pub fn gradient() -> Material {
    let knot = |z, vp, vs, rho| Knot { z, vp, vs, rho };
    Profile::new(vec![knot(0.0, 3000.0, 1600.0, 2100.0), knot(-1000.0, 6500.0, 3700.0, 2900.0)]).unwrap().into()
}

/// Regions of these materials, each 200 m below the other.
pub fn earth(materials: impl IntoIterator<Item = Material>) -> EarthModel {
    let region = |(index, material)| Region { top: Interface::Flat(-200.0 * index as f64), material };
    EarthModel::new(materials.into_iter().enumerate().map(region).collect()).unwrap()
}
