//! Media that depend on height alone, at many positions.

use crate::geodesy::Sphere;
use crate::{EarthModel, LossField, Losses, Material, Profile, Transverse};

/// Media of a region that is a profile without perturbation.
#[derive(Debug, Clone, Copy)]
pub struct RadialMedia<'a> {
    profile: &'a Profile,
    chunk: Option<&'a Sphere>,
}

impl EarthModel {
    /// The media of a region, if they depend on height alone.
    pub fn radial_media(&self, region: usize) -> Option<RadialMedia<'_>> {
        match &self.regions()[region].material {
            Material::Profile(profile) if !self.is_perturbed(region) => {
                Some(RadialMedia { profile, chunk: self.chunk() })
            }
            _ => None,
        }
    }

    /// Losses of a region in which they are the same everywhere.
    pub fn constant_losses(&self, region: usize) -> Option<Losses> {
        let changes = self.perturbation().is_some_and(|perturbation| perturbation.changes_losses(region));
        match &self.regions()[region].losses {
            LossField::Constant(losses) if !changes => Some(*losses),
            _ => None,
        }
    }
}

impl RadialMedia<'_> {
    /// Properties at positions in mesh coordinates \[m\]; the symmetry axis is vertical. They are those of [`EarthModel::medium_in_space`], except for the
    /// direction of the axis.
    pub fn properties(&self, positions: &[[f64; 3]], into: &mut Vec<Transverse>) {
        into.clear();
        match self.chunk {
            Some(chunk) => self.profile.append_properties(positions.iter().map(|&place| chunk.height(place)), into),
            None => self.profile.append_properties(positions.iter().map(|place| place[2]), into),
        }
    }
}
