//! Common functions of the tests of spectral elements.
#![allow(dead_code)] // each test file uses some of it

pub mod busy;

use std::collections::HashMap;
use std::sync::Arc;

use craton_device::{Isa, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_model::{
    Attenuation, EarthModel, Interface, Knot, LossField, Losses, Material, Medium, Profile, Region, Transverse,
};
use craton_physics::{QualityLaw, Relaxation, Stiffness, Thomsen, tilted_axis};
use craton_sem::{Boundaries, Boundary, Discretisation, Field, NodePlace, Options, Patching, Precision, SemOperator};
use craton_testkit::oracle::{NodeField, Oracle};

/// An Earth model on a mesh, and its discretisation.
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
    /// Free sides, the best available instruction set, one thread.
    pub fn new(mesh: HexMesh, model: EarthModel, degree: usize) -> Self {
        Self { mesh, model, degree, sides: [Boundary::Free; 6], isa: Isa::detect(), threads: 1 }
    }

    pub fn workers(&self) -> Arc<Workers> {
        Arc::new(Workers::new(Some(self.threads)).unwrap())
    }

    pub fn discretise<T: Precision>(&self) -> Discretisation<T> {
        self.discretise_for(Patching::Threads)
    }

    pub fn boundaries(&self) -> Boundaries {
        Boundaries { sides: self.sides }
    }

    pub fn discretise_for<T: Precision>(&self, patching: Patching) -> Discretisation<T> {
        let boundaries = self.boundaries();
        let options = Options { degree: self.degree, boundaries, isa: self.isa, patching };
        Discretisation::new(self.mesh.clone(), &self.model, &options, &self.workers()).unwrap()
    }

    /// Creates an operator at rest, without sources and probes. `courant` is the time step as a fraction of the largest stable step.
    pub fn operator<T: Precision>(&self, courant: f64) -> SemOperator<T> {
        let on = self.discretise();
        let dt = courant * on.stable().dt;
        SemOperator::new(on, dt, &[], &[], self.workers())
    }

    /// Creates the oracle of the same mesh, with its elements in the order of the operator.
    pub fn oracle<T: Scalar>(&self, operator: &SemOperator<T>) -> Oracle {
        Oracle::new(operator.mesh(), &self.model, self.degree)
    }
}

/// Locations of the oracle's nodes in the state of the operator.
pub struct Nodes(Vec<NodePlace>);

impl Nodes {
    pub fn new<T: Scalar>(operator: &SemOperator<T>, oracle: &Oracle) -> Self {
        let mut places = HashMap::new();
        for element in 0..operator.mesh().n_elements() as u32 {
            for (&node, place) in oracle.nodes_of(element).iter().zip(operator.plan().places(element)) {
                let known = *places.entry(node).or_insert(place);
                assert_eq!(known, place, "all elements give the same location of node {node}");
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
                NodePlace::Inner { patch, node } => &mut state[2 * patch as usize + offset][4 * node as usize..],
                NodePlace::Shared(node) => &mut state[shared][4 * node as usize..],
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

/// An isotropic rock: vp 6000, vs 3464, rho 2700.
pub fn rock() -> Medium {
    Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap()
}

/// Sea water: vp 1500, rho 1020.
pub fn water() -> Medium {
    Medium::isotropic(1500.0, 0.0, 1020.0).unwrap()
}

const STRONG: Thomsen = Thomsen { vp: 4000.0, vs: 2200.0, epsilon: 0.25, delta: 0.1, gamma: 0.2, rho: 2500.0 };

/// A strongly anisotropic tilted transversely isotropic solid, as 21 coefficients.
pub fn tilted() -> Medium {
    Medium::anisotropic(Stiffness::tti(STRONG, 0.6, 0.9).unwrap(), STRONG.rho).unwrap()
}

/// The solid of [`tilted`], as five moduli and a symmetry axis.
pub fn transverse() -> Medium {
    Medium::transversely_isotropic(STRONG.love().unwrap(), tilted_axis(0.6, 0.9).unwrap(), STRONG.rho).unwrap()
}

/// A vertically transversely isotropic medium that varies with depth.
pub fn transverse_gradient() -> Material {
    Profile::through(&[(0.0, upright(3500.0, 2200.0)), (-1000.0, upright(6500.0, 2900.0))]).unwrap().into()
}

/// A vertically transversely isotropic medium that varies with depth as weakly as the mantle.
pub fn transverse_slope() -> Material {
    Profile::through(&[(0.0, upright(5000.0, 2700.0)), (-1000.0, upright(5400.0, 2750.0))]).unwrap().into()
}

fn upright(vpv: f64, rho: f64) -> Transverse {
    Transverse { vpv, vph: 1.12 * vpv, vsv: 0.55 * vpv, vsh: 0.6 * vpv, eta: 0.9, rho }
}

/// Shortens a mesh between two values of a coordinate [m] to a fraction of their distance.
pub fn squeezed(mut mesh: HexMesh, axis: usize, [from, to]: [f64; 2], fraction: f64) -> HexMesh {
    for node in &mut mesh.control_nodes {
        let x = &mut node[axis];
        let inside = x.clamp(from, to) - from;
        *x -= (1.0 - fraction) * inside;
    }
    mesh
}

/// Assigns the elements of a mesh to regions of equal width along x.
pub fn in_columns(mut mesh: HexMesh, regions: usize) -> HexMesh {
    let [low, high] = mesh.bounding_box();
    let of = |centre: [f64; 3]| ((centre[0] - low[0]) / (high[0] - low[0]) * regions as f64) as u16;
    mesh.region = mesh.centroids().into_iter().map(of).collect();
    mesh
}

/// An isotropic medium whose parameters increase with depth.
pub fn gradient() -> Material {
    let knot = |z, vp, vs, rho| Knot { z, vp, vs, rho };
    Profile::new(vec![knot(0.0, 3000.0, 1600.0, 2100.0), knot(-1000.0, 6500.0, 3700.0, 2900.0)]).unwrap().into()
}

/// An Earth model of these materials, with tops at intervals of 200 m in depth.
pub fn earth(materials: impl IntoIterator<Item = Material>) -> EarthModel {
    let region = |(index, material)| Region::elastic(Interface::Flat(-200.0 * index as f64), material);
    EarthModel::new(materials.into_iter().enumerate().map(region).collect()).unwrap()
}

/// The model with quality factors of the shear modulus in each region, twice as high for the bulk modulus; infinite if elastic.
pub fn relaxing(model: EarthModel, qualities: impl IntoIterator<Item = f64>) -> EarthModel {
    let losses = |quality: f64| LossField::Constant(Losses::of_moduli(2.0 * quality, quality).unwrap());
    let relaxation = Relaxation::new([1.0, 100.0], 3, QualityLaw::CONSTANT).unwrap();
    let attenuation = Attenuation::new(relaxation, 10.0).unwrap();
    model.with_losses(qualities.into_iter().map(losses).collect()).attenuated(Arc::new(attenuation))
}

/// A standing plane wave `polarisation` cos(k · x) cos(ω t).
#[derive(Debug, Clone, Copy)]
pub struct StandingWave {
    /// Wave vector [1/m].
    pub k: [f64; 3],
    /// Displacement vector, whose length is the amplitude [m].
    pub polarisation: [f64; 3],
    /// Angular frequency [1/s].
    pub omega: f64,
}

impl StandingWave {
    /// A wave in a periodic box, with `turns` wavelengths along each edge.
    pub fn in_box(lengths: [f64; 3], turns: [i32; 3], polarisation: [f64; 3], speed: f64) -> Self {
        let k = [0, 1, 2].map(|axis| std::f64::consts::TAU * f64::from(turns[axis]) / lengths[axis]);
        Self { k, polarisation, omega: speed * dot(k, k).sqrt() }
    }

    /// Angular frequency ω' of the leapfrog scheme for the exact frequency ω: ω = (2/dt) sin(ω' dt/2).
    fn leapfrog_omega(&self, dt: f64) -> f64 {
        2.0 / dt * (0.5 * self.omega * dt).asin()
    }

    /// Displacement [m] at a whole step, discrete in time as in the leapfrog scheme and continuous in space.
    pub fn displacement(&self, position: [f64; 3], step: u64, dt: f64) -> [f64; 3] {
        let oscillation = (self.leapfrog_omega(dt) * step as f64 * dt).cos();
        self.polarisation.map(|p| p * dot(self.k, position).cos() * oscillation)
    }

    /// Sets the initial state of an operator: displacement at step 0, velocity half a step earlier.
    pub fn start<T: Scalar>(&self, operator: &mut SemOperator<T>, oracle: &Oracle, nodes: &Nodes) {
        let dt = operator.dt();
        let u: NodeField = oracle.positions().iter().map(|&x| self.displacement(x, 0, dt)).collect();
        let rate = (1.0 - (self.leapfrog_omega(dt) * dt).cos()) / dt;
        let v: NodeField = u.iter().map(|u| u.map(|x| x * rate)).collect();
        nodes.write(operator, Field::Displacement, &u);
        nodes.write(operator, Field::Velocity, &v);
    }
}

/// a · b
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
