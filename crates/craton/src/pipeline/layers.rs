//! Absorbing layers of elements around the domain.

use std::collections::HashMap;

use craton_device::Workers;
use craton_mesh::{BoundaryFace, HexMesh, Side, face_point};
use craton_model::{Elasticity, Medium, Symmetry};
use craton_sem::{Boundaries, Boundary, OwnTiles, Phase, PmlProfile, medium_in_element};
use rayon::prelude::*;

use crate::comm::together;
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
    /// # Errors
    /// A rank that is lost.
    ///
    /// Verified by `a_tilted_medium_has_sponges_where_its_waves_are_backward`.
    pub fn new(setup: &Setup, domain: &HexMesh, tiles: OwnTiles, workers: &Workers) -> Result<Self, Error> {
        let of_sides = setup.element_layers();
        if of_sides.iter().all(Option::is_none) {
            return Ok(Self { of_sides, backward: [0.0; 6] });
        }
        let faces = Side::ALL.map(|side| match of_sides[side as usize] {
            Some(_) => anisotropic_faces(setup, domain, side, tiles),
            None => Vec::new(),
        });
        let counts = tiles.sums(faces.iter().map(|faces| faces.len() as f64).collect())?;
        let backward = workers
            .run(|| std::array::from_fn(|side| most_backward(setup, domain, &faces[side], counts[side] as usize)));
        Ok(Self { of_sides, backward: tiles.least(backward)? })
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
    pub fn around(&self, domain: &HexMesh, tiles: OwnTiles) -> Result<Option<HexMesh>, Error> {
        let across = self.across();
        if across == [0; 6] {
            return Ok(None);
        }
        Ok(Some(domain.clone().with_pml_of_processes(across, |sums| Ok::<_, Error>(tiles.add(&sums)?))?))
    }

    /// The damping of the layers of a mesh.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn profile(&self, setup: &Setup, mesh: &HexMesh, tiles: OwnTiles) -> Result<Option<PmlProfile>, Error> {
        if mesh.pml.is_none() {
            return Ok(None);
        }
        let frequency = setup.method.sem().max_frequency / HIGHEST_OVER_DOMINANT;
        let is_permanent = |cpml: &Option<CpmlElements>| cpml.as_ref().is_some_and(|cpml| cpml.permanent_displacement);
        let factors = self.of_sides.each_ref().map(|cpml| if is_permanent(cpml) { PERMANENT } else { 1.0 });
        let mut speeds = [[0.0; 2]; 6];
        for (speed, sums) in speeds.iter_mut().zip(PmlProfile::speeds(mesh, &setup.model)) {
            *speed = tiles.add(&sums)?;
        }
        let profile = PmlProfile::of_speeds(speeds, frequency);
        Ok(Some(profile.with_lowest_frequencies(factors).with_sponges(self.are_sponges())))
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

/// The layers of the meshes of all processes.
pub struct Layered {
    pub layers: Layers,
    /// The mesh with the layers, if there are any.
    pub mesh: Option<HexMesh>,
    pub profile: Option<PmlProfile>,
    /// Number of elements of the layers of all processes.
    pub elements: usize,
    /// Number of absorbing axes of these elements.
    pub axes: usize,
}

impl Layered {
    /// Adds the layers to the mesh of each process. Every rank must call this function.
    ///
    /// # Errors
    /// A side that is concave, a rank that is lost.
    pub fn new(setup: &Setup, domain: &HexMesh, tiles: OwnTiles, workers: &Workers) -> Result<Self, Error> {
        let layers = Layers::new(setup, domain, tiles, workers)?;
        let mesh = together(tiles.ranks, layers.around(domain, tiles))?;
        let profile = layers.profile(setup, mesh.as_ref().unwrap_or(domain), tiles)?;
        let [elements, axes] = elements(mesh.as_ref(), tiles)?;
        Ok(Self { layers, mesh, profile, elements, axes })
    }
}

/// The faces of anisotropic elements of this process at a side of a mesh.
fn anisotropic_faces(setup: &Setup, mesh: &HexMesh, side: Side, tiles: OwnTiles) -> Vec<BoundaryFace> {
    let is_anisotropic = |face: &BoundaryFace| {
        let region = usize::from(mesh.region[face.element as usize]);
        matches!(setup.model.symmetry(region), Symmetry::Transverse | Symmetry::General)
    };
    let of_side = mesh.faces.iter().filter(|face| face.side == side && tiles.has(mesh.tile_of(face.element)));
    of_side.filter(|face| is_anisotropic(face)).copied().collect()
}

/// The smallest q of the plane waves in the media at faces of a mesh. Of many different media, some are examined, at least one in each tile.
///
/// # Arguments
/// * `count` – number of faces of all processes
fn most_backward(setup: &Setup, mesh: &HexMesh, faces: &[BoundaryFace], count: usize) -> f64 {
    // Regions are examined in proportion to their faces; neighbours of a constant medium are equal.
    let every = count.div_ceil(MOST_MEDIA).max(1);
    let mut before: HashMap<u32, usize> = HashMap::new();
    let mut seen: Vec<(Medium, [f64; 3])> = Vec::new();
    for face in faces {
        let before = before.entry(mesh.tile_of(face.element)).or_default();
        *before += 1;
        if !(*before - 1).is_multiple_of(every) {
            continue;
        }
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

/// Number of memory variables per element and absorbing axis.
pub fn memory_per_axis(setup: &Setup) -> usize {
    2 * Phase::Solid.components() * (setup.method.sem().degree + 1).pow(3)
}

/// Number of elements in the layers of a mesh, and of their absorbing axes, in all processes.
///
/// # Errors
/// A rank that is lost.
fn elements(mesh: Option<&HexMesh>, tiles: OwnTiles) -> Result<[usize; 2], Error> {
    let mut own = [0.0; 2];
    for (mesh, pml) in mesh.iter().filter_map(|mesh| Some((mesh, mesh.pml.as_ref()?))) {
        for (_, element) in pml.elements.iter().filter(|(element, _)| tiles.has(mesh.tile_of(*element))) {
            own[0] += 1.0;
            own[1] += element.axes.iter().flatten().count() as f64;
        }
    }
    let all = tiles.sums(own.to_vec())?;
    Ok([all[0] as usize, all[1] as usize])
}
