//! The Earth model: a stack of regions.

use std::sync::Arc;

use crate::geodesy::{LocalFrame, Sphere};
use crate::medium::rotate;
use crate::perturbation::AppliedPerturbation;
use crate::profile::{Changes, Waves};
use crate::transverse::VERTICAL;
use crate::{
    Attenuation, Bodies, Elasticity, ElementMedia, Interface, LossField, Losses, Medium, ModelError, Perturbation,
    Profile, TransverseRow, Volume, depth_table, order,
};

/// The material of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Material {
    /// A homogeneous medium.
    Homogeneous(Medium),
    /// A medium that depends on depth.
    Profile(Arc<Profile>),
    /// A medium at the points of a grid.
    Volume(Arc<Volume>),
    /// A medium that is constant within each element of a mesh.
    Elements(Arc<ElementMedia>),
}

impl From<Medium> for Material {
    fn from(medium: Medium) -> Self {
        Self::Homogeneous(medium)
    }
}

impl From<Volume> for Material {
    fn from(volume: Volume) -> Self {
        match volume.is_constant() {
            true => Self::Homogeneous(volume.medium([0.0; 3])),
            false => Self::Volume(Arc::new(volume)),
        }
    }
}

impl From<Profile> for Material {
    fn from(profile: Profile) -> Self {
        match profile.is_constant() && !profile.is_anisotropic() {
            true => Self::Homogeneous(profile.medium(0.0)),
            false => Self::Profile(Arc::new(profile)),
        }
    }
}

/// A body of the Earth: from its top down to the top of the next region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Upper boundary.
    pub top: Interface,
    /// Material.
    pub material: Material,
    /// Losses of its waves, which matter only with the [attenuation](EarthModel::attenuated) of a run.
    pub losses: LossField,
}

impl Region {
    /// A region without losses.
    pub fn elastic(top: Interface, material: Material) -> Self {
        Self { top, material, losses: LossField::NONE }
    }
}

/// An Earth model: regions in order from the top down; the last one has no bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct EarthModel {
    pub(crate) regions: Vec<Region>,
    /// The mesh that defines where the regions are, instead of their tops.
    bodies: Option<Bodies>,
    /// The spherical chunk that the model is mapped to, if any.
    chunk: Option<Sphere>,
    perturbation: Option<AppliedPerturbation>,
    attenuation: Option<Arc<Attenuation>>,
}

impl EarthModel {
    /// Creates a model from regions in order from the top down; the top of the first is the surface of the Earth.
    ///
    /// # Errors
    /// No region, a flat top whose height is not finite.
    pub fn new(regions: Vec<Region>) -> Result<Self, ModelError> {
        if regions.is_empty() {
            return Err(ModelError::Empty { what: "layer" });
        }
        for (index, region) in regions.iter().enumerate() {
            if let Interface::Flat(z) = region.top {
                crate::check::finite(&format!("top of layer {}", index + 1), z, "m")?;
            }
        }
        Ok(Self { regions, bodies: None, chunk: None, perturbation: None, attenuation: None })
    }

    /// Creates a model from media on a grid, below a surface. Outside the grid, the medium is that of the nearest grid point.
    pub fn volume(top: Interface, volume: Volume) -> Self {
        Self {
            regions: vec![Region::elastic(top, volume.into())],
            bodies: None,
            chunk: None,
            perturbation: None,
            attenuation: None,
        }
    }

    /// Creates a homogeneous half-space below z = 0.
    pub fn homogeneous(medium: Medium) -> Self {
        let regions = vec![Region::elastic(Interface::Flat(0.0), Material::Homogeneous(medium))];
        Self { regions, bodies: None, chunk: None, perturbation: None, attenuation: None }
    }

    /// Creates a model of homogeneous layers, each with its top, in order from the top down.
    ///
    /// # Errors
    /// No layer, a flat top whose height is not finite.
    pub fn layered(layers: Vec<(Interface, Medium)>) -> Result<Self, ModelError> {
        let region = |(top, medium)| Region::elastic(top, Material::Homogeneous(medium));
        Self::new(layers.into_iter().map(region).collect())
    }

    /// Creates a model that is linear between the rows of a depth table; a depth that occurs twice is the boundary of two regions. Above
    /// the first and below the last row the medium is constant.
    ///
    /// # Arguments
    /// * `top` – the surface of the Earth; depths are measured from z = 0, not from this surface
    /// * `rows` – [`DepthRow`](crate::DepthRow)s or [`TransverseRow`]s, from the top down
    /// # Errors
    /// No row, depths that do not increase or occur three times, an invalid medium, vs that decreases linearly to zero.
    pub fn depth_table<R: Copy + Into<TransverseRow>>(top: Interface, rows: &[R]) -> Result<Self, ModelError> {
        let rows: Vec<TransverseRow> = rows.iter().map(|row| (*row).into()).collect();
        Self::new(depth_table::regions(top, &rows)?)
    }

    /// Sets the losses of each region, from the top down.
    ///
    /// # Panics
    /// If there are not as many as regions.
    pub fn with_losses(mut self, losses: Vec<LossField>) -> Self {
        assert_eq!(losses.len(), self.regions.len(), "losses for each region");
        self.regions.iter_mut().zip(losses).for_each(|(region, losses)| region.losses = losses);
        self
    }

    /// Lets the moduli of regions with losses relax. Media then hold at the reference frequency of the attenuation.
    pub fn attenuated(self, attenuation: Arc<Attenuation>) -> Self {
        Self { attenuation: Some(attenuation), ..self }
    }

    /// Replaces the surface, for example by a topography.
    pub fn with_surface(mut self, surface: Interface) -> Self {
        self.regions[0].top = surface;
        self
    }

    /// Lets a mesh define where the regions are, in the order of its bodies, and the surface.
    pub fn in_bodies(mut self, bodies: Bodies) -> Self {
        self.regions.iter_mut().for_each(|region| region.top = Interface::Mesh(bodies.clone()));
        Self { bodies: Some(bodies), ..self }
    }

    /// Maps the model to a chunk of the sphere: the vertical becomes the radial direction.
    ///
    /// # Panics
    /// If a region is a volume over x and y.
    pub fn on_sphere(self, chunk: Sphere) -> Self {
        let is_volume = |region: &Region| matches!(region.material, Material::Volume(_));
        assert!(!self.regions.iter().any(is_volume), "a volume over x and y cannot be mapped to the sphere");
        Self { chunk: Some(chunk), ..self }
    }

    /// Adds a three-dimensional perturbation, which replaces an earlier one. Regions that it affects are no longer homogeneous. Bounds of
    /// the speeds between two heights refer to the whole map, not only to the part in the domain.
    ///
    /// # Arguments
    /// * `frame` – conversion from model coordinates to the longitudes and latitudes, or x and y, of the map
    /// # Errors
    /// A point of the map at which a medium becomes invalid; a map that affects a medium of 21 coefficients; absolute speeds without those
    /// of the other polarisation where a medium is anisotropic, or absolute S speeds in a fluid; axes that cannot be in degrees.
    /// Verified by `a_perturbation_is_interpolated_trilinearly`.
    pub fn perturbed(mut self, perturbation: Arc<Perturbation>, frame: LocalFrame) -> Result<Self, ModelError> {
        self.perturbation = Some(AppliedPerturbation::new(perturbation, frame, &self.regions)?);
        Ok(self)
    }

    /// Refuses a model whose grids or perturbation do not cover the domain, or whose interfaces cross or touch in it. Interfaces are
    /// compared at grid points and halfway between them.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the domain \[m\]
    /// # Errors
    /// The missing range, or both layers with the position.
    pub fn check_over(&self, x: [f64; 2], y: [f64; 2]) -> Result<(), ModelError> {
        for (index, region) in self.regions.iter().enumerate() {
            let name = format!("the top of layer {}", index + 1);
            region.top.check_covers(&name, x, y)?;
        }
        for (index, pair) in self.regions.windows(2).enumerate() {
            order::check(index, &pair[0].top, &pair[1].top, x, y)?;
        }
        self.perturbation.as_ref().map_or(Ok(()), |perturbation| perturbation.check_over(x, y))
    }

    /// The regions, from the top down.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The surface of the Earth: the top of the first region.
    pub fn surface(&self) -> &Interface {
        &self.regions[0].top
    }

    /// Index of the region that contains a position \[m\]. A position on an interface belongs to the region below it; a position above the
    /// surface belongs to the first region.
    pub fn region_at(&self, position: [f64; 3]) -> usize {
        if let Some(bodies) = &self.bodies {
            return bodies.0.region_at(position);
        }
        let [x, y, z] = position;
        let deeper = self.regions[1..].iter().take_while(|region| z <= region.top.elevation(x, y));
        deeper.count()
    }

    /// Medium of a region at a position \[m\]: the one-sided limit from inside the region where the position is on a boundary, and the
    /// continuation of the region beyond it. Verified by `repeated_depths_become_regions_with_linear_profiles`.
    #[inline]
    pub fn medium(&self, region: usize, position: [f64; 3]) -> Medium {
        let material = &self.regions[region].material;
        let perturbed = self.perturbation.as_ref().and_then(|map| map.medium(region, material, position));
        perturbed.unwrap_or_else(|| match material {
            Material::Homogeneous(medium) => *medium,
            Material::Profile(profile) => profile.medium(position[2]),
            Material::Volume(volume) => volume.medium(position),
            Material::Elements(media) => media.medium(position),
        })
    }

    /// Medium of a region at a position in mesh coordinates \[m\], with its directions along the mesh axes. For a chunk of the sphere, mesh
    /// coordinates are Cartesian coordinates of space; otherwise they equal model coordinates. Verified by
    /// `directions_rotate_with_the_sphere`.
    #[inline]
    pub fn medium_in_space(&self, region: usize, position: [f64; 3]) -> Medium {
        let Some(chunk) = &self.chunk else { return self.medium(region, position) };
        let medium = match self.is_perturbed(region) {
            true => self.medium(region, chunk.from_space(position)),
            // Without a perturbation, the medium depends on height only, since a volume cannot be mapped to the sphere.
            false => self.medium(region, [0.0, 0.0, chunk.height(position)]),
        };
        if matches!(medium.elasticity(), Elasticity::Isotropic { .. }) {
            return medium;
        }
        medium.rotated(&rotation_to_space(chunk, position))
    }

    /// The attenuation, if any region has losses.
    pub fn attenuation(&self) -> Option<&Arc<Attenuation>> {
        self.attenuation.as_ref().filter(|_| (0..self.regions.len()).any(|region| self.relaxes(region)))
    }

    /// Whether the moduli of a region relax.
    pub fn relaxes(&self, region: usize) -> bool {
        self.attenuation.is_some() && self.has_losses(region)
    }

    /// Whether a region has losses, whether the model attenuates waves or not.
    pub fn has_losses(&self, region: usize) -> bool {
        !self.regions[region].losses.is_none() || self.changes_losses(region)
    }

    pub(crate) fn changes_losses(&self, region: usize) -> bool {
        self.perturbation.as_ref().is_some_and(|perturbation| perturbation.changes_losses(region))
    }

    /// Upper bound of the losses of a region, whether it relaxes or not.
    pub fn greatest_losses(&self, region: usize) -> Losses {
        const DEEP: f64 = 1e7;
        let losses = self.regions[region].losses.greatest(self.slowest(region, -DEEP, DEEP));
        self.perturbation.as_ref().map_or(losses, |map| map.greatest_losses(region, losses))
    }

    /// Lower bound of the speed of the slowest wave in a region at a frequency \[Hz\], at most the highest of the band of attenuation, relative to its speed in the
    /// model \[–\]. It is 1 without losses, and where the reference frequency is not above this frequency.
    pub fn slowing(&self, region: usize, frequency: f64) -> f64 {
        let Some(attenuation) = self.attenuation.as_ref().filter(|_| self.relaxes(region)) else { return 1.0 };
        let losses = self.greatest_losses(region);
        let loss = if self.is_fluid(region) { losses.bulk } else { losses.shear };
        attenuation.speed(loss, frequency.min(attenuation.relaxation().band()[1])).min(1.0)
    }

    /// Losses of a region at a position \[m\]; none if the model is elastic.
    pub fn losses(&self, region: usize, position: [f64; 3]) -> Losses {
        match self.relaxes(region) {
            true => self.losses_of(region, position, &self.medium(region, position)),
            false => Losses::NONE,
        }
    }

    /// Losses of a region at a position \[m\] with its medium.
    fn losses_of(&self, region: usize, position: [f64; 3], medium: &Medium) -> Losses {
        let losses = self.regions[region].losses.at(position, medium);
        let perturbation = self.perturbation.as_ref();
        perturbation.map_or(losses, |map| map.losses(region, position, medium, losses))
    }

    /// Losses of a region at a position in mesh coordinates \[m\] with its medium; none if the model is elastic.
    #[inline]
    pub fn losses_in_space(&self, region: usize, position: [f64; 3], medium: &Medium) -> Losses {
        if self.attenuation.is_none() {
            return Losses::NONE;
        }
        let is_constant = self.regions[region].losses.is_constant() && !self.changes_losses(region);
        match &self.chunk {
            Some(chunk) if !is_constant => self.losses_of(region, chunk.from_space(position), medium),
            _ => self.losses_of(region, position, medium),
        }
    }

    /// Symmetry axis of a transversely isotropic region at a position in mesh coordinates \[m\], along the mesh axes; also defined where
    /// the medium is isotropic.
    pub fn axis_in_space(&self, region: usize, position: [f64; 3]) -> [f64; 3] {
        let axis = match &self.regions[region].material {
            Material::Homogeneous(medium) => match medium.elasticity() {
                Elasticity::Transverse { axis, .. } => *axis,
                _ => VERTICAL,
            },
            Material::Profile(_) | Material::Volume(_) | Material::Elements(_) => VERTICAL,
        };
        self.chunk.as_ref().map_or(axis, |chunk| rotate(&rotation_to_space(chunk, position), axis))
    }

    /// The perturbation, if there is one.
    pub(crate) fn perturbation(&self) -> Option<&AppliedPerturbation> {
        self.perturbation.as_ref()
    }

    /// The spherical chunk that the model is mapped to, if any.
    pub(crate) fn chunk(&self) -> Option<&Sphere> {
        self.chunk.as_ref()
    }

    /// Whether the model is not mapped to a chunk of the sphere.
    pub(crate) fn is_flat(&self) -> bool {
        self.chunk.is_none()
    }

    /// Whether the perturbation changes a region.
    pub(crate) fn is_perturbed(&self, region: usize) -> bool {
        self.perturbation.as_ref().is_some_and(|perturbation| perturbation.affects(region))
    }

    /// Lower bound of the speed of the slowest wave in a region between two heights \[m/s\]: vs, or vp in a fluid.
    pub fn slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.slowest_range(region, z_low, z_high)[0]
    }

    /// Minimum and maximum of the speed of the slowest wave in a region between two heights \[m/s\]. They are exact except for anisotropic
    /// profiles, volumes and perturbed regions, for which the speeds lie between the returned bounds. Verified by
    /// `bounds_contain_every_medium_and_converge`.
    pub fn slowest_range(&self, region: usize, z_low: f64, z_high: f64) -> [f64; 2] {
        self.waves(region, z_low, z_high).slowest
    }

    /// Upper bound of the speed of the fastest wave in a region between two heights \[m/s\], exact in the same cases as
    /// [`Self::slowest_range`].
    pub fn fastest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.waves(region, z_low, z_high).fastest
    }

    fn waves(&self, region: usize, z_low: f64, z_high: f64) -> Waves {
        let (material, span) = (&self.regions[region].material, [z_low, z_high]);
        let perturbed = self.perturbation.as_ref().and_then(|map| map.waves(region, material, span));
        perturbed.unwrap_or_else(|| match material {
            Material::Homogeneous(medium) => Waves { slowest: [medium.slowest(); 2], fastest: medium.fastest() },
            Material::Profile(profile) => profile.waves(span, &Changes::NONE),
            Material::Volume(volume) => volume.waves(span),
            Material::Elements(media) => media.waves(span),
        })
    }
}

/// What turns directions of the model at a position in space into those of space.
fn rotation_to_space(chunk: &Sphere, position: [f64; 3]) -> [[f64; 3]; 3] {
    let [x, y, _] = chunk.from_space(position);
    let axes = chunk.axes_at([x, y]);
    std::array::from_fn(|i| std::array::from_fn(|j| axes[j][i]))
}
