//! Eigenvalues of solid and fluid elements that touch.
//!
//! With energies ½ u̇ᵀ M u̇ + ½ χ̇ᵀ K_f χ̇ and ½ uᵀ K u + ½ (K_f χ - A u)ᵀ M_f⁻¹ (K_f χ - A u), the coupled system is symmetric, and no eigenvalue exceeds the
//! largest one of all pairs of elements that touch, each with its own mass and stiffness. For such a pair, |a - b|² ≤ (1 + t) |a|² + (1 + 1/t) |b|² gives
//!
//! λ ≤ max(λ_s + (1 + 1/t) α, (1 + t) λ_f),  α = max a² / (M M_f) over the nodes of the face
//!
//! whose minimum over t is the larger root of λ² - (λ_s + λ_f + α) λ + λ_s λ_f = 0. An element with several such faces is divided among them.

use std::collections::{HashMap, HashSet};

use craton_mesh::{ElementMap, Numbering, Topology};
use craton_model::EarthModel;

use crate::boundary::points_of_face;
use crate::plan::Plan;
use crate::stability::Candidate;
use crate::wet::{WetFace, WetSides};

/// The faces between solids and fluids, and how strongly they couple.
pub struct WetEigenvalues {
    /// The faces, with α of each [1/s²].
    pub faces: Vec<(WetFace, f64)>,
}

impl WetEigenvalues {
    /// All faces of a plan.
    pub fn new(plan: &Plan, model: &EarthModel) -> Self {
        if plan.wet.is_empty() {
            return Self { faces: Vec::new() };
        }
        let topology = Topology::new(&plan.mesh).expect("the topology of a plan");
        let numbering = Numbering::from_topology(&topology, plan.gll.degree).expect("the degree of a plan");
        let sides = WetSides {
            mesh: &plan.mesh,
            topology: &topology,
            numbering: &numbering,
            gll: &plan.gll,
            first_fluid: plan.first_fluid,
        };
        let faces = sides.faces();
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for face in &faces {
            *counts.entry(face.fluid).or_default() += 1.0;
            *counts.entry(face.solid).or_default() += 1.0;
        }
        let strength = |face: WetFace| {
            let shares = counts[&face.fluid] * counts[&face.solid];
            (face, shares * coupling(plan, model, &numbering, face))
        };
        Self { faces: faces.into_iter().map(strength).collect() }
    }

    /// The elements at the faces.
    pub fn elements(&self) -> HashSet<u32> {
        self.faces.iter().flat_map(|(face, _)| [face.fluid, face.solid]).collect()
    }

    /// The bound of each face.
    ///
    /// # Arguments
    /// * `alone` – largest eigenvalues of the elements at the faces
    /// * `meshed` – number in the original mesh of each element
    pub fn candidates(&self, alone: &[Candidate], meshed: &[u32]) -> Vec<Candidate> {
        let alone: HashMap<u32, f64> = alone.iter().map(|candidate| (candidate.element, candidate.value)).collect();
        let bound = |&(face, strength): &(WetFace, f64)| {
            let (solid, fluid) = (alone[&face.solid], alone[&face.fluid]);
            let sum = solid + fluid + strength;
            let value = 0.5 * (sum + (sum * sum - 4.0 * solid * fluid).sqrt());
            let element = if solid > fluid { face.solid } else { face.fluid };
            Candidate { value, element, meshed: meshed[element as usize] }
        };
        self.faces.iter().map(bound).collect()
    }
}

/// α of a face whose elements have no other one [1/s²].
fn coupling(plan: &Plan, model: &EarthModel, numbering: &Numbering, WetFace { fluid, face, solid }: WetFace) -> f64 {
    let Plan { mesh, gll, .. } = plan;
    let n = gll.points.len();
    let mut map = ElementMap::new(mesh.geometry, &gll.points);
    let mut volumes = |element: u32| {
        let mut buffer = [[0.0; 3]; 27];
        let (mut jacobians, mut positions) = (Vec::new(), Vec::new());
        let control = mesh.points_of(element, &mut buffer);
        map.jacobians(control, &mut jacobians);
        map.positions(control, &mut positions);
        let weight = |point: usize| gll.weights[point % n] * gll.weights[point / n % n] * gll.weights[point / (n * n)];
        let region = usize::from(mesh.region[element as usize]);
        let at = |(point, (jacobian, position)): (usize, (&[[f64; 3]; 3], &[f64; 3]))| {
            (weight(point) * crate::elements::determinant(jacobian), model.medium_in_space(region, *position))
        };
        jacobians.iter().zip(&positions).enumerate().map(at).collect::<Vec<_>>()
    };
    let (of_fluid, of_solid) = (volumes(fluid), volumes(solid));
    let solid_nodes = numbering.nodes_of(solid);
    let strength = |(point, [a, b]): (usize, [usize; 2])| {
        let node = numbering.nodes_of(fluid)[point];
        let beyond = solid_nodes.iter().position(|&other| other == node).expect("a node of both elements");
        let normal = mesh.face_normal(fluid, face, [gll.points[a], gll.points[b]]);
        let area = gll.weights[a] * gll.weights[b] * normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (volume, water) = &of_fluid[point];
        let fluid_mass = volume / (water.rho() * water.fastest().powi(2));
        let (volume, rock) = &of_solid[beyond];
        area * area / (fluid_mass * volume * rock.rho())
    };
    points_of_face(n, face).map(strength).fold(0.0, f64::max)
}
