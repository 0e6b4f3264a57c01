//! Absorbing layers of elements around the domain.

use craton_mesh::{BoundaryFace, HexMesh, Side, face_point};
use craton_model::{Elasticity, Medium, Symmetry};
use craton_sem::{Boundaries, Boundary, Phase, PmlProfile, medium_in_element};
use rayon::prelude::*;

use crate::config::{BoundaryKind, BoxSide, CpmlElements};
use crate::error::Error;
use crate::setup::Setup;

/// Ratio of the highest frequency of a wavelet to its dominant one, for which the damping of layers was optimised.
const HIGHEST_OVER_DOMINANT: f64 = 2.5;

/// Ratio of the frequencies below which layers do not absorb, with and without permanent displacement.
const PERMANENT: f64 = 0.1;

/// Smallest q of plane waves ([`craton_physics::Stiffness::most_backward`]) with which perfectly matched layers are used.
const BACKWARD: f64 = -1e-3;

/// Largest number of media that are examined on a side.
const MOST_MEDIA: usize = 200;

/// The layers outside the sides of a mesh, in the order of the boundaries.
pub struct Layers {
    of_sides: [Option<CpmlElements>; 6],
    /// The smallest q of the plane waves at each side; 0 without anisotropy.
    backward: [f64; 6],
}

impl Layers {
    /// The layers of a scenario around the mesh of its domain.
    ///
    /// Verified by `a_tilted_medium_has_sponges_where_its_waves_are_backward`.
    pub fn new(setup: &Setup, domain: &HexMesh) -> Self {
        let of_sides = setup.element_layers();
        let backward = Side::ALL.map(|side| match of_sides[side as usize] {
            Some(_) => most_backward(setup, domain, side),
            None => 0.0,
        });
        Self { of_sides, backward }
    }

    /// Number of elements across the layer outside each side; 0 without a layer.
    fn across(&self) -> [u16; 6] {
        self.of_sides.each_ref().map(|cpml| cpml.as_ref().map_or(0, |cpml| cpml.elements))
    }

    /// Whether the layer of each side is a sponge, because a perfectly matched layer is unstable there.
    fn are_sponges(&self) -> [bool; 6] {
        self.backward.map(|q| q < BACKWARD)
    }

    /// The mesh of a domain with its layers; `None` without layers.
    ///
    /// # Errors
    /// A side that is concave.
    pub fn around(&self, domain: &HexMesh) -> Result<Option<HexMesh>, Error> {
        let across = self.across();
        if across == [0; 6] {
            return Ok(None);
        }
        Ok(Some(domain.clone().with_pml(across)?))
    }

    /// The damping of the layers of a mesh.
    pub fn profile(&self, setup: &Setup, mesh: &HexMesh) -> Option<PmlProfile> {
        let frequency = setup.method.sem().max_frequency / HIGHEST_OVER_DOMINANT;
        let is_permanent = |cpml: &Option<CpmlElements>| cpml.as_ref().is_some_and(|cpml| cpml.permanent_displacement);
        let factors = self.of_sides.each_ref().map(|cpml| if is_permanent(cpml) { PERMANENT } else { 1.0 });
        let profile = PmlProfile::new(mesh, &setup.model, frequency)?;
        Some(profile.with_lowest_frequencies(factors).with_sponges(self.are_sponges()))
    }

    /// Boundary condition of the solver on each side; periodic sides have no boundary faces.
    pub fn boundaries(&self, setup: &Setup) -> Boundaries {
        let (across, sponges) = (self.across(), self.are_sponges());
        let of_side = |side: usize| match setup.boundaries[side] {
            BoundaryKind::Free | BoundaryKind::Periodic => Boundary::Free,
            BoundaryKind::Absorbing if across[side] > 0 && !sponges[side] => Boundary::LayerEnd,
            BoundaryKind::Absorbing => Boundary::Absorbing,
            BoundaryKind::Rigid => Boundary::Rigid,
        };
        Boundaries { sides: std::array::from_fn(of_side) }
    }

    /// The warning about sponges.
    pub fn warning(&self) -> Option<String> {
        let sponges = self.are_sponges();
        let sides = BoxSide::ALL.into_iter().filter(|&side| sponges[side as usize]).map(BoxSide::name);
        let sides = sides.collect::<Vec<_>>().join(", ");
        let most = self.backward.into_iter().fold(0.0, f64::min);
        (!sides.is_empty()).then(|| {
            format!(
                "perfectly matched layers are unstable in the anisotropic media at {sides}, where some waves have phase and group velocities on different \
                 sides of the boundary (q = {most:.3}). Craton uses sponges there, which reflect more; more elements in method.sem.absorbing reduce that"
            )
        })
    }
}

/// The smallest q of the plane waves in the media at a side of a mesh. Of many different media, some are examined.
fn most_backward(setup: &Setup, mesh: &HexMesh, side: Side) -> f64 {
    let is_anisotropic = |face: &&BoundaryFace| {
        let region = usize::from(mesh.region[face.element as usize]);
        face.side == side && matches!(setup.model.symmetry(region), Symmetry::Transverse | Symmetry::General)
    };
    let faces: Vec<&BoundaryFace> = mesh.faces.iter().filter(is_anisotropic).collect();
    // Regions are examined in proportion to their faces; neighbours of a constant medium are equal.
    let every = faces.len().div_ceil(MOST_MEDIA).max(1);
    let mut seen: Vec<(Medium, [f64; 3])> = Vec::new();
    for face in faces.into_iter().step_by(every) {
        let position = mesh.position(face.element, face_point(face.face, [0.0; 2]));
        let medium = medium_in_element(&setup.model, mesh, face.element, position);
        let normal = mesh.face_normal(face.element, face.face, [0.0; 2]);
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Directions that differ by round-off are equal.
        let normal = normal.map(|x| (x / length * 1e6).round() * 1e-6);
        if !seen.contains(&(medium, normal)) {
            seen.push((medium, normal));
        }
    }
    let of_medium = |(medium, normal): &(Medium, [f64; 3])| match medium.elasticity() {
        Elasticity::Isotropic { .. } => 0.0,
        Elasticity::Transverse { .. } | Elasticity::Anisotropic(_) => medium.stiffness().most_backward(*normal),
    };
    seen.par_iter().map(of_medium).reduce(|| 0.0, f64::min)
}

/// Number of memory variables of the layers of a mesh.
pub fn memory_variables(setup: &Setup, mesh: Option<&HexMesh>) -> usize {
    let axes = mesh
        .and_then(|mesh| mesh.pml.as_ref())
        .map_or(0, |pml| pml.elements.iter().map(|(_, own)| own.axes.iter().flatten().count()).sum::<usize>());
    memory_per_axis(setup) * axes
}

/// Number of memory variables per element and absorbing axis.
pub fn memory_per_axis(setup: &Setup) -> usize {
    2 * Phase::Solid.components() * (setup.method.sem().degree + 1).pow(3)
}

/// Number of elements in the layers of a mesh.
pub fn elements(mesh: &HexMesh) -> usize {
    mesh.pml.as_ref().map_or(0, |pml| pml.elements.len())
}
