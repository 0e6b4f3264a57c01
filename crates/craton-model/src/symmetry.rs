//! Fluids, and the symmetry of solids, by region.

use crate::perturbation::AppliedPerturbation;
use crate::{EarthModel, Elasticity, LossField, Material, Region};

/// Elastic symmetry of the media of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// A fluid.
    Fluid,
    /// Isotropic.
    Isotropic,
    /// Transversely isotropic about an axis.
    Transverse,
    /// General anisotropy with 21 coefficients.
    General,
}

impl EarthModel {
    /// Whether a region is fluid everywhere.
    pub fn is_fluid(&self, region: usize) -> bool {
        match &self.regions()[region].material {
            Material::Homogeneous(medium) => medium.is_fluid(),
            // A profile that is fluid somewhere is fluid everywhere: vs cannot decrease to zero.
            Material::Profile(profile) => profile.is_fluid(),
            Material::Volume(volume) => volume.is_fluid(),
            Material::Elements(media) => media.is_fluid(),
        }
    }

    /// Whether a region has both fluid and solid media.
    pub fn is_mixed(&self, region: usize) -> bool {
        matches!(&self.regions()[region].material, Material::Volume(volume) if volume.has_contacts())
    }

    /// The lowest symmetry class of the media of a region.
    pub fn symmetry(&self, region: usize) -> Symmetry {
        if self.is_fluid(region) {
            return Symmetry::Fluid;
        }
        let is_split =
            self.is_perturbed(region) && self.perturbation().is_some_and(AppliedPerturbation::splits_polarisations);
        match &self.regions()[region].material {
            Material::Homogeneous(medium) => match medium.elasticity() {
                Elasticity::Anisotropic(_) => Symmetry::General,
                Elasticity::Transverse { .. } => Symmetry::Transverse,
                Elasticity::Isotropic { .. } if is_split => Symmetry::Transverse,
                Elasticity::Isotropic { .. } => Symmetry::Isotropic,
            },
            Material::Profile(profile) if profile.is_anisotropic() || is_split => Symmetry::Transverse,
            Material::Profile(_) | Material::Volume(_) | Material::Elements(_) => Symmetry::Isotropic,
        }
    }

    /// Whether the stiffness and the losses of a region, along the mesh axes, are the same at all positions.
    pub fn is_constant(&self, region: usize) -> bool {
        if self.is_perturbed(region) || (self.relaxes(region) && !self.regions()[region].losses.is_constant()) {
            return false;
        }
        match &self.regions()[region].material {
            Material::Homogeneous(medium) => {
                self.is_flat() || matches!(medium.elasticity(), Elasticity::Isotropic { .. })
            }
            Material::Profile(profile) => profile.is_constant() && (self.is_flat() || !profile.is_anisotropic()),
            Material::Volume(_) | Material::Elements(_) => false,
        }
    }

    /// Whether the medium and the losses of a region, in model coordinates, depend on height only.
    pub fn is_stratified(&self, region: usize) -> bool {
        let Region { material, losses, .. } = &self.regions()[region];
        matches!(material, Material::Homogeneous(_) | Material::Profile(_))
            && matches!(losses, LossField::Constant(_) | LossField::OfSpeed(_) | LossField::Depth(_))
            && !self.is_perturbed(region)
            && !self.changes_losses(region)
    }

    /// Whether the stiffness and the losses of a region are the same within each element of its mesh, but not in all elements.
    pub fn is_by_element(&self, region: usize) -> bool {
        let Region { material, losses, .. } = &self.regions()[region];
        let has_constant_losses = losses.is_constant() || matches!(losses, LossField::Elements(_));
        matches!(material, Material::Elements(_))
            && !self.is_perturbed(region)
            && (has_constant_losses || !self.relaxes(region))
    }

    /// Whether the stiffness or the losses of a region vary within the elements of its mesh.
    pub fn varies_in_elements(&self, region: usize) -> bool {
        !self.is_constant(region) && !self.is_by_element(region)
    }

    /// Whether any region is anisotropic.
    pub fn is_anisotropic(&self) -> bool {
        let is_anisotropic = |region: &Region| match &region.material {
            Material::Homogeneous(medium) => !matches!(medium.elasticity(), Elasticity::Isotropic { .. }),
            Material::Profile(profile) => profile.is_anisotropic(),
            Material::Volume(_) | Material::Elements(_) => false,
        };
        self.perturbation().is_some_and(AppliedPerturbation::splits_polarisations)
            || self.regions().iter().any(is_anisotropic)
    }
}
