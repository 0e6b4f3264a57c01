//! The rheologies of the elements of a mesh.

use std::collections::HashSet;

use craton_mesh::HexMesh;
use craton_model::{EarthModel, Symmetry};
use craton_sem_kernels::{MaterialKind, Pml, Relaxation, Rheology};

use crate::levels::Levels;
use crate::pml::PmlProfile;

/// Largest loss with which moduli relax at the points with odd indices only, and at the inner points only.
///
/// Strain concentrates where moduli relax more. What remains of it after its correction grows with the loss and with the ratio of weights (6.2 and 1.4 for
/// degree 4); with these limits plane waves have their quality factors within 2 %.
const MOST_LOSS_ODD: f64 = 1.0 / 190.0;
const MOST_LOSS_INNER: f64 = 1.0 / 19.0;

/// The rheologies of the elements of a mesh.
pub struct Rheologies {
    of_regions: Vec<Rheology>,
    /// Elements with memory at all points.
    full: HashSet<u32>,
    pml: Option<PmlProfile>,
    levels: Option<Levels>,
}

impl Rheologies {
    /// The rheology of each region of a model: the simplest one that represents all its media.
    ///
    /// # Arguments
    /// * `degree` – polynomial degree
    /// * `coarse` – whether elements are small enough for coarse memory: at most one wavelength
    /// # Panics
    /// If a region has both fluid and solid media.
    pub fn new(model: &EarthModel, degree: usize, coarse: bool) -> Self {
        let of_region = |region| {
            assert!(!model.is_mixed(region), "region {region} is fluid or solid as a whole");
            let material = match model.symmetry(region) {
                Symmetry::Fluid => return MaterialKind::Fluid.elastic(),
                Symmetry::Isotropic => MaterialKind::Isotropic,
                Symmetry::Transverse => MaterialKind::TransverselyIsotropic,
                Symmetry::General => MaterialKind::Anisotropic,
            };
            Rheology { relaxation: relaxation(model, region, degree, coarse), ..material.elastic() }
        };
        Self::of_regions((0..model.regions().len()).map(of_region).collect())
    }

    /// The same rheology in all elements of a region.
    pub fn of_regions(of_regions: Vec<Rheology>) -> Self {
        Self { of_regions, full: HashSet::new(), pml: None, levels: None }
    }

    /// Stores memory variables at all points of these elements if their rheology has memory variables.
    pub fn with_full_memory_in(mut self, elements: impl Iterator<Item = u32>) -> Self {
        self.full.extend(elements);
        self
    }

    /// The damping of the layers around the domain. Without one, layers do not absorb.
    pub fn with_pml(mut self, profile: Option<PmlProfile>) -> Self {
        self.pml = profile;
        self
    }

    /// The levels of the time steps of the elements; without them, all elements have the same step.
    pub fn with_levels(mut self, levels: Option<Levels>) -> Self {
        self.levels = levels;
        self
    }

    pub(crate) fn levels(&self) -> Option<&Levels> {
        self.levels.as_ref()
    }

    pub(crate) fn pml(&self) -> Option<&PmlProfile> {
        self.pml.as_ref()
    }

    /// Whether some elements have memory at some points only.
    pub fn have_coarse_memory(&self) -> bool {
        let is_coarse = |own: &Rheology| matches!(own.relaxation, Relaxation::Odd { .. } | Relaxation::Inner { .. });
        self.of_regions.iter().any(is_coarse)
    }

    /// The rheology of each region.
    pub fn by_region(&self) -> &[Rheology] {
        &self.of_regions
    }

    /// The rheology of each element.
    pub(crate) fn of_elements(&self, mesh: &HexMesh) -> Vec<Rheology> {
        let of_element = |(element, &region): (u32, &u16)| {
            let mut rheology = self.of_regions[usize::from(region)];
            let layer = mesh.pml.as_ref().filter(|_| self.pml.is_some()).and_then(|pml| pml.of(element));
            let parent = layer.map_or(element, |own| own.parent);
            if let Relaxation::Odd { mechanisms } | Relaxation::Inner { mechanisms } = rheology.relaxation
                && self.full.contains(&parent)
            {
                rheology.relaxation = Relaxation::Full { mechanisms };
            }
            let matched = layer.filter(|own| self.pml.as_ref().is_some_and(|profile| profile.is_matched(own)));
            rheology.pml = Pml::with_axes(matched.map_or(0, |own| own.axes.iter().flatten().count()));
            if rheology.pml.axes() > 1 && rheology.relaxation != Relaxation::None {
                // Kernels of edges and corners have memory at all points.
                rheology.relaxation = Relaxation::Full { mechanisms: rheology.relaxation.mechanisms() as u8 };
            }
            rheology
        };
        (0..).zip(&mesh.region).map(of_element).collect()
    }
}

/// The relaxation of a region: at some points if its quality factors allow it.
fn relaxation(model: &EarthModel, region: usize, degree: usize, coarse: bool) -> Relaxation {
    let Some(attenuation) = model.attenuation().filter(|_| model.relaxes(region)) else { return Relaxation::None };
    let mechanisms = attenuation.mechanisms() as u8;
    let losses = model.greatest_losses(region);
    let loss = losses.bulk.max(losses.shear);
    match degree {
        4 if coarse && loss <= MOST_LOSS_ODD => Relaxation::Odd { mechanisms },
        4 if coarse && loss <= MOST_LOSS_INNER => Relaxation::Inner { mechanisms },
        _ => Relaxation::Full { mechanisms },
    }
}
