//! The Earth model: regions one below the other.

use std::sync::Arc;

use crate::geodesy::{CubedSphere, LocalFrame};
use crate::medium::turned;
use crate::perturbation::Acting;
use crate::profile::{Changes, Waves};
use crate::transverse::VERTICAL;
use crate::{
    Elasticity, Interface, Medium, ModelError, Perturbation, Profile, TransverseRow, Volume, depth_table, order,
};

/// What a region is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Material {
    /// One medium.
    Homogeneous(Medium),
    /// A medium that changes with depth.
    Profile(Arc<Profile>),
    /// A medium at the points of a grid.
    Volume(Arc<Volume>),
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

/// How many directions the media of a region have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// The same in all directions.
    Isotropic,
    /// The same in all directions across an axis.
    Transverse,
    /// 21 coefficients.
    General,
}

/// A body of the Earth: from its top down to the top of the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Where it begins.
    pub top: Interface,
    /// What it is made of.
    pub material: Material,
}

/// Regions one below the other; the last one has no bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct EarthModel {
    regions: Vec<Region>,
    /// The piece of the sphere that it is bent to.
    chunk: Option<CubedSphere>,
    perturbation: Option<Acting>,
}

impl EarthModel {
    /// A model of given regions, from the top down; the top of the first is the surface of the Earth.
    ///
    /// # Errors
    /// No region at all, a flat top at no height.
    pub fn new(regions: Vec<Region>) -> Result<Self, ModelError> {
        if regions.is_empty() {
            return Err(ModelError::Empty { what: "layer" });
        }
        for (index, region) in regions.iter().enumerate() {
            if let Interface::Flat(z) = region.top {
                crate::check::finite(&format!("top of layer {}", index + 1), z, "m")?;
            }
        }
        Ok(Self { regions, chunk: None, perturbation: None })
    }

    /// Media at the points of a grid, below a surface; beyond the points everywhere as at the outermost ones.
    pub fn volume(top: Interface, volume: Volume) -> Self {
        Self { regions: vec![Region { top, material: volume.into() }], chunk: None, perturbation: None }
    }

    /// One medium below z = 0.
    pub fn homogeneous(medium: Medium) -> Self {
        let regions = vec![Region { top: Interface::Flat(0.0), material: Material::Homogeneous(medium) }];
        Self { regions, chunk: None, perturbation: None }
    }

    /// Homogeneous layers, from the top down, each with its top.
    ///
    /// # Errors
    /// No layer at all, a flat top at no height.
    pub fn layered(layers: Vec<(Interface, Medium)>) -> Result<Self, ModelError> {
        let region = |(top, medium)| Region { top, material: Material::Homogeneous(medium) };
        Self::new(layers.into_iter().map(region).collect())
    }

    /// Media on straight lines between the rows of a table; a depth that stands twice is the boundary of two regions.
    /// Above the first and below the last row the medium stays as it is there.
    ///
    /// # Arguments
    /// * `top` – the surface of the Earth; depths count from z = 0, not from it
    /// * `rows` – [`DepthRow`](crate::DepthRow)s or [`TransverseRow`]s, from the top down
    /// # Errors
    /// No row, depths that do not descend or stand three times, a medium that is refused, vs that falls to zero along a
    /// line.
    pub fn depth_table<R: Copy + Into<TransverseRow>>(top: Interface, rows: &[R]) -> Result<Self, ModelError> {
        let rows: Vec<TransverseRow> = rows.iter().map(|row| (*row).into()).collect();
        Self::new(depth_table::regions(top, &rows)?)
    }

    /// The same model below another surface, such as a topography.
    pub fn with_surface(mut self, surface: Interface) -> Self {
        self.regions[0].top = surface;
        self
    }

    /// The same model bent to a piece of the sphere: what was vertical is radial.
    ///
    /// # Panics
    /// If a region is a volume over x and y.
    pub fn on_sphere(self, chunk: CubedSphere) -> Self {
        let is_volume = |region: &Region| matches!(region.material, Material::Volume(_));
        assert!(!self.regions.iter().any(is_volume), "a volume over x and y is no model of a sphere");
        Self { chunk: Some(chunk), ..self }
    }

    /// The same model, changed in three dimensions; what changed it before is replaced. Where a map acts, no region is of one
    /// medium any more, and speeds between two heights hold those of the whole map there, wherever the domain lies on it.
    ///
    /// # Arguments
    /// * `frame` – from model coordinates to the map's longitudes and latitudes, or its x and y
    /// # Errors
    /// A place of the map where a medium becomes impossible; a map that acts on 21 coefficients; absolute speeds, not of both
    /// polarisations, where a medium has a direction, or of S waves in a fluid; axes that cannot be degrees.
    /// Verified by `a_perturbed_medium_is_the_trilinear_one`.
    pub fn perturbed(mut self, perturbation: Arc<Perturbation>, frame: LocalFrame) -> Result<Self, ModelError> {
        self.perturbation = Some(Acting::new(perturbation, frame, &self.regions)?);
        Ok(self)
    }

    /// Refuses a model whose grids or perturbation do not cover the domain or whose interfaces cross or touch in it. Grids are
    /// compared at their points and halfway between them.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the domain \[m\]
    /// # Errors
    /// The missing range, or both layers with the place.
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

    /// The region of a position \[m\]. What lies on an interface belongs to the region below it, what lies above the
    /// surface to the first one.
    pub fn region_at(&self, [x, y, z]: [f64; 3]) -> usize {
        let deeper = self.regions[1..].iter().take_while(|region| z <= region.top.elevation(x, y));
        deeper.count()
    }

    /// The medium of a region at a position \[m\], on the region's own side of its boundaries even where the position
    /// lies on or beyond them. Verified by `repeated_depths_become_regions_and_the_rest_is_linear`.
    #[inline]
    pub fn medium(&self, region: usize, position: [f64; 3]) -> Medium {
        let material = &self.regions[region].material;
        let perturbed = self.perturbation.as_ref().and_then(|map| map.medium(region, material, position));
        perturbed.unwrap_or_else(|| match material {
            Material::Homogeneous(medium) => *medium,
            Material::Profile(profile) => profile.medium(position[2]),
            Material::Volume(volume) => volume.medium(position),
        })
    }

    /// The medium of a region at a position in the coordinates of the mesh \[m\], its directions along their axes. In a piece of the sphere these
    /// are space; elsewhere they are those of the model. Verified by `directions_are_turned_with_the_sphere`.
    #[inline]
    pub fn medium_in_space(&self, region: usize, position: [f64; 3]) -> Medium {
        let Some(chunk) = &self.chunk else { return self.medium(region, position) };
        let medium = match self.is_perturbed(region) {
            true => self.medium(region, chunk.from_space(position)),
            // Without a map a medium is that of its height, and no volume is bent.
            false => self.medium(region, [0.0, 0.0, chunk.height(position)]),
        };
        if matches!(medium.elasticity(), Elasticity::Isotropic { .. }) {
            return medium;
        }
        medium.turned(&rotation_to_space(chunk, position))
    }

    /// The symmetry axis of a region of transversely isotropic media at a position in the coordinates of the mesh \[m\], along the axes of the mesh:
    /// also where the medium happens to be isotropic.
    pub fn axis_in_space(&self, region: usize, position: [f64; 3]) -> [f64; 3] {
        let axis = match &self.regions[region].material {
            Material::Homogeneous(medium) => match medium.elasticity() {
                Elasticity::Transverse { axis, .. } => *axis,
                _ => VERTICAL,
            },
            Material::Profile(_) | Material::Volume(_) => VERTICAL,
        };
        self.chunk.as_ref().map_or(axis, |chunk| turned(&rotation_to_space(chunk, position), axis))
    }

    /// The symmetry that all media of a region have.
    pub fn symmetry(&self, region: usize) -> Symmetry {
        let is_polarised = self.is_perturbed(region) && self.perturbation.as_ref().is_some_and(Acting::is_polarised);
        match &self.regions[region].material {
            Material::Homogeneous(medium) => match medium.elasticity() {
                Elasticity::Anisotropic(_) => Symmetry::General,
                Elasticity::Transverse { .. } => Symmetry::Transverse,
                // A fluid gets no direction.
                Elasticity::Isotropic { vs, .. } if is_polarised && *vs > 0.0 => Symmetry::Transverse,
                Elasticity::Isotropic { .. } => Symmetry::Isotropic,
            },
            Material::Profile(profile) if profile.is_anisotropic() || is_polarised => Symmetry::Transverse,
            Material::Profile(_) | Material::Volume(_) => Symmetry::Isotropic,
        }
    }

    fn is_perturbed(&self, region: usize) -> bool {
        self.perturbation.as_ref().is_some_and(|perturbation| perturbation.acts_on(region))
    }

    /// Whether a region is made of one medium, the same along the axes of the mesh everywhere.
    pub fn is_constant(&self, region: usize) -> bool {
        if self.is_perturbed(region) {
            return false;
        }
        match &self.regions[region].material {
            Material::Homogeneous(medium) => {
                self.chunk.is_none() || matches!(medium.elasticity(), Elasticity::Isotropic { .. })
            }
            Material::Profile(profile) => profile.is_constant() && (self.chunk.is_none() || !profile.is_anisotropic()),
            Material::Volume(_) => false,
        }
    }

    /// Whether any region has a direction.
    pub fn is_anisotropic(&self) -> bool {
        let has_direction = |region: &Region| match &region.material {
            Material::Homogeneous(medium) => !matches!(medium.elasticity(), Elasticity::Isotropic { .. }),
            Material::Profile(profile) => profile.is_anisotropic(),
            Material::Volume(_) => false,
        };
        self.perturbation.as_ref().is_some_and(Acting::is_polarised) || self.regions.iter().any(has_direction)
    }

    /// Speed of the slowest wave in a region between two heights \[m/s\]: vs, or vp in a fluid.
    pub fn slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.slowest_range(region, z_low, z_high)[0]
    }

    /// Least and greatest speed that the slowest wave has in a region between two heights \[m/s\]; exact, but for profiles
    /// with a direction, volumes, and where a perturbation acts, whose speeds lie between these bounds. Verified by `bounds_hold_every_medium_and_close_in`.
    pub fn slowest_range(&self, region: usize, z_low: f64, z_high: f64) -> [f64; 2] {
        self.waves(region, z_low, z_high).slowest
    }

    /// Speed of the fastest wave in a region between two heights \[m/s\], exact or a bound as in [`Self::slowest_range`].
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
        })
    }
}

/// What turns directions of the model at a position in space into those of space.
fn rotation_to_space(chunk: &CubedSphere, position: [f64; 3]) -> [[f64; 3]; 3] {
    let [x, y, _] = chunk.from_space(position);
    let axes = chunk.axes_at([x, y]);
    std::array::from_fn(|i| std::array::from_fn(|j| axes[j][i]))
}
