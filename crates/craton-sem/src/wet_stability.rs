//! Eigenvalues of solid and fluid elements that touch.
//!
//! With energies ½ u̇ᵀ M u̇ + ½ χ̇ᵀ K_f χ̇ and ½ uᵀ K u + ½ (K_f χ - A u)ᵀ M_f⁻¹ (K_f χ - A u), the coupled system is symmetric, and no eigenvalue exceeds the
//! largest one of all pairs of elements that touch, each with its own mass and stiffness. For such a pair, |a - b|² ≤ (1 + t) |a|² + (1 + 1/t) |b|² gives
//!
//! λ ≤ max(λ_s + (1 + 1/t) α, (1 + t) λ_f),  α = max a² / (M M_f) over the nodes of the face
//!
//! whose minimum over t is the larger root of λ² - (λ_s + λ_f + α) λ + λ_s λ_f = 0. An element with several such faces is divided among them.

use std::collections::{HashMap, HashSet};

use craton_mesh::ElementMap;
use craton_model::EarthModel;
use rayon::prelude::*;

use crate::boundary::points_of_face;
use crate::plan::Plan;
use crate::stability::Candidate;
use crate::wet::WetFace;

/// The faces between solids and fluids, and how strongly they couple.
pub struct WetEigenvalues<'a> {
    plan: &'a Plan,
    /// The faces, with α of each [1/s²].
    faces: Vec<(&'a WetFace, f64)>,
}

impl<'a> WetEigenvalues<'a> {
    /// All faces of a plan.
    pub fn new(plan: &'a Plan, model: &EarthModel) -> Self {
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for face in &plan.wet_faces {
            *counts.entry(face.fluid).or_default() += 1.0;
            *counts.entry(face.solid).or_default() += 1.0;
        }
        let strength = |face: &'a WetFace| {
            let shares = counts[&face.fluid] * counts[&face.solid];
            (face, shares * coupling(plan, model, face))
        };
        Self { plan, faces: plan.wet_faces.par_iter().map(strength).collect() }
    }

    /// Keys of the elements at the faces.
    pub fn elements(&self) -> HashSet<u64> {
        self.faces.iter().flat_map(|(face, _)| self.keys(face)).collect()
    }

    /// Keys of the elements at the faces whose bounds reach `least`.
    ///
    /// # Arguments
    /// * `alone` – approximate largest eigenvalues of all elements at the faces
    pub fn elements_near(&self, least: f64, alone: &[Candidate]) -> HashSet<u64> {
        let alone = by_key(alone);
        let is_near = |face: &&(&WetFace, f64)| self.bound(face, &alone).is_none_or(|bound| bound.value >= least);
        self.faces.iter().filter(is_near).flat_map(|(face, _)| self.keys(face)).collect()
    }

    /// The bound of each face of which both elements are known.
    ///
    /// # Arguments
    /// * `alone` – largest eigenvalues of elements at the faces
    pub fn candidates(&self, alone: &[Candidate]) -> Vec<Candidate> {
        let alone = by_key(alone);
        self.faces.iter().filter_map(|face| self.bound(face, &alone)).collect()
    }

    /// Keys of the solid and of the fluid element at a face.
    fn keys(&self, face: &WetFace) -> [u64; 2] {
        [face.solid, face.fluid].map(|element| self.plan.key(element))
    }

    /// The bound of a face; `None` if an element is not known.
    fn bound(&self, &(face, strength): &(&WetFace, f64), alone: &HashMap<u64, f64>) -> Option<Candidate> {
        let keys = self.keys(face);
        let [solid, fluid] = [alone.get(&keys[0])?, alone.get(&keys[1])?];
        let sum = solid + fluid + strength;
        let value = 0.5 * (sum + (sum * sum - 4.0 * solid * fluid).sqrt());
        Some(Candidate { value, key: keys[usize::from(solid <= fluid)] })
    }
}

/// Largest eigenvalues by the keys of their elements.
fn by_key(alone: &[Candidate]) -> HashMap<u64, f64> {
    alone.iter().map(|candidate| (candidate.key, candidate.value)).collect()
}

/// α of a face whose elements have no other one [1/s²].
fn coupling(plan: &Plan, model: &EarthModel, wet: &WetFace) -> f64 {
    let &WetFace { fluid, face, solid, .. } = wet;
    let Plan { mesh, gll, .. } = plan;
    let n = gll.points.len();
    let mut map = ElementMap::new(mesh.geometry, &gll.points);
    let mut volumes = |element: u32| {
        let mut buffer = [[0.0; 3]; 27];
        let (mut jacobians, mut positions) = (Vec::new(), Vec::new());
        let control = mesh.points_of(element, &mut buffer);
        map.jacobians(control, &mut jacobians);
        map.positions(mesh.medium_points_of(element, &mut buffer), &mut positions);
        let weight = |point: usize| gll.weights[point % n] * gll.weights[point / n % n] * gll.weights[point / (n * n)];
        let at = |(point, (jacobian, position)): (usize, (&[[f64; 3]; 3], &[f64; 3]))| {
            (
                weight(point) * crate::elements::determinant(jacobian),
                crate::moduli::medium_in_element(model, mesh, element, *position),
            )
        };
        jacobians.iter().zip(&positions).enumerate().map(at).collect::<Vec<_>>()
    };
    let (of_fluid, of_solid) = (volumes(fluid), volumes(solid));
    let strength = |((point, [a, b]), &beyond): ((usize, [usize; 2]), &u16)| {
        let normal = mesh.face_normal(fluid, face, [gll.points[a], gll.points[b]]);
        let area = gll.weights[a] * gll.weights[b] * normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (volume, water) = &of_fluid[point];
        let fluid_mass = volume / (water.rho() * water.fastest().powi(2));
        let (volume, rock) = &of_solid[usize::from(beyond)];
        area * area / (fluid_mass * volume * rock.rho())
    };
    points_of_face(n, face).zip(&wet.beyond).map(strength).fold(0.0, f64::max)
}
