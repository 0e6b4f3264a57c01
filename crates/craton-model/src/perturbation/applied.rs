//! A perturbation applied to the regions of a model.

use std::sync::Arc;

use super::axis::Axis;
use super::check::check_region;
use super::{MapValues, Perturbation};
use crate::geodesy::LocalFrame;
use crate::profile::{Changes, Waves};
use crate::{Elasticity, Interface, Losses, Material, Medium, ModelError, Profile, Region, Transverse};

/// Tolerance, relative to the depth range of the map: a region that overlaps the map by less is not perturbed.
const SLACK: f64 = 1e-6;

/// Number of positions along each side of a domain at which the coverage of the map is checked.
const PLACES: usize = 33;

/// A perturbation together with the regions that it affects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AppliedPerturbation {
    map: Arc<Perturbation>,
    frame: LocalFrame,
    /// For each region, the heights between which the perturbation acts \[m\], if it does.
    heights: Vec<Option<[f64; 2]>>,
    /// For each region, the heights between which it lies \[m\], where its boundaries are planes.
    regions: Vec<[f64; 2]>,
}

impl AppliedPerturbation {
    /// Creates and validates the perturbation of regions.
    pub fn new(map: Arc<Perturbation>, frame: LocalFrame, regions: &[Region]) -> Result<Self, ModelError> {
        if frame.is_geographic() {
            check_degrees(&map.longitudes, &map.latitudes)?;
        }
        let heights: Vec<_> = (0..regions.len()).map(|region| affected_heights(&map, regions, region)).collect();
        for (index, (region, heights)) in regions.iter().zip(&heights).enumerate() {
            if let Some([low, high]) = *heights {
                let span = [low.max(bottom(regions, index)), high.min(elevations(&region.top)[1])];
                let checked = profile(&region.material).and_then(|profile| check_region(&map, &profile, span));
                let of_column = |column: [usize; 2], z: f64| {
                    let plain = properties(&region.material, z).expect("the profile of the region is checked");
                    map.changed(plain, map.in_column(column, -z)).medium()
                };
                let checked = checked.and_then(|()| map.check_quality(span, of_column));
                checked.map_err(|error| error.at(format!("layer {}", index + 1)))?;
            }
        }
        let regions = (0..regions.len()).map(|region| planes(regions, region)).collect();
        Ok(Self { map, frame, heights, regions })
    }

    /// Whether the perturbation makes isotropic media anisotropic.
    pub fn splits_polarisations(&self) -> bool {
        self.map.splits_polarisations()
    }

    /// Whether the perturbation acts anywhere in a region.
    pub fn affects(&self, region: usize) -> bool {
        self.heights[region].is_some()
    }

    /// Perturbed medium of a region at a position \[m\]; `None` where it is unperturbed.
    pub fn medium(&self, region: usize, material: &Material, [x, y, z]: [f64; 3]) -> Option<Medium> {
        let [low, high] = self.heights[region]?;
        if !(low..=high).contains(&z) {
            return None;
        }
        let values = self.map.at(self.frame.to_map([x, y]), -z, self.frame.is_geographic());
        Some(self.map.changed(properties(material, z)?, values).medium())
    }

    /// Whether the perturbation changes the losses of a region.
    pub fn changes_losses(&self, region: usize) -> bool {
        self.affects(region) && self.map.has_quality()
    }

    /// Losses of a region at a position \[m\].
    ///
    /// # Arguments
    /// * `medium` – the perturbed medium there
    /// * `unchanged` – the losses of the model
    pub fn losses(&self, region: usize, [x, y, z]: [f64; 3], medium: &Medium, unchanged: Losses) -> Losses {
        if !self.changes_losses(region) || !self.heights[region].is_some_and(|[low, high]| (low..=high).contains(&z)) {
            return unchanged;
        }
        let at = self.frame.to_map([x, y]);
        self.map.losses(at, -z, self.frame.is_geographic(), (medium, unchanged))
    }

    /// Upper bound of the losses of a region.
    ///
    /// # Arguments
    /// * `unchanged` – that of the model
    pub fn greatest_losses(&self, region: usize, unchanged: Losses) -> Losses {
        if self.changes_losses(region) { self.map.greatest_losses(unchanged) } else { unchanged }
    }

    /// Bounds of the extreme wave speeds of a region between two heights \[m\]; `None` if none is perturbed.
    pub fn waves(&self, region: usize, material: &Material, span: [f64; 2]) -> Option<Waves> {
        let [low, high] = self.heights[region]?;
        let [bottom, top] = self.regions[region];
        let [z_low, z_high] = span.map(|z| z.clamp(bottom, top));
        let [from, to] = [z_low.max(low), z_high.min(high)];
        if from > to {
            return None;
        }
        let changed = |profile: &Profile| {
            let changed = self.map.waves(profile, [from, to]);
            // Outside the depths of the map, the profile is unperturbed.
            let is_inside = from == z_low && to == z_high;
            if is_inside { changed } else { changed.and(profile.waves([z_low, z_high], &Changes::NONE)) }
        };
        Some(match material {
            Material::Profile(profile) => changed(profile),
            Material::Homogeneous(_) | Material::Volume(_) | Material::Elements(_) => changed(&profile(material).ok()?),
        })
    }

    /// Refuses a domain that the map does not cover, checked at 33 x 33 positions.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the domain \[m\]
    pub fn check_over(&self, x: [f64; 2], y: [f64; 2]) -> Result<(), ModelError> {
        check_over(&self.map.longitudes, &self.map.latitudes, &self.frame, [x, y])
    }
}

/// Refuses a domain that the axes do not cover.
pub(super) fn check_over(
    longitudes: &Axis,
    latitudes: &Axis,
    frame: &LocalFrame,
    [x, y]: [[f64; 2]; 2],
) -> Result<(), ModelError> {
    let along = |[from, to]: [f64; 2], place: usize| from + (to - from) * place as f64 / (PLACES - 1) as f64;
    for place in 0..PLACES * PLACES {
        let at = [along(x, place % PLACES), along(y, place / PLACES)];
        let [longitude, latitude] = frame.to_map(at);
        if frame.is_geographic() {
            longitudes.check_around(longitude, at)?;
            latitudes.check_to_poles(latitude, at)?;
        } else {
            longitudes.check(longitude, at)?;
            latitudes.check(latitude, at)?;
        }
    }
    Ok(())
}

/// Refuses axes that cannot be in degrees.
pub(super) fn check_degrees(longitudes: &Axis, latitudes: &Axis) -> Result<(), ModelError> {
    let ([west, east], [south, north]) = (longitudes.range(), latitudes.range());
    let hint = "give longitudes and latitudes in degrees, or use a frame without a projection";
    if east - west > 360.0 + 1e-9 {
        return Err(ModelError::BadMap { problem: format!("longitudes from {west} to {east} degrees"), hint });
    }
    if south < -90.0 - 1e-9 || north > 90.0 + 1e-9 {
        return Err(ModelError::BadMap { problem: format!("latitudes from {south} to {north} degrees"), hint });
    }
    Ok(())
}

/// Heights between which a map acts on a region: those of the map, if they overlap the region.
fn affected_heights(map: &Perturbation, regions: &[Region], region: usize) -> Option<[f64; 2]> {
    let [first, last] = map.depths.range();
    let slack = SLACK * (last - first);
    let top = if region == 0 { f64::INFINITY } else { elevations(&regions[region].top)[1] };
    let high = if first <= 0.0 { f64::INFINITY } else { -first };
    let shared = top.min(high) - bottom(regions, region).max(-last);
    (shared > slack).then_some([-last - slack, high + slack])
}

/// Heights of the planes below and above a region; infinite if there is none.
fn planes(regions: &[Region], region: usize) -> [f64; 2] {
    let plane = |region: usize| match regions.get(region)?.top {
        Interface::Flat(z) => Some(z),
        Interface::Grid(_) | Interface::Mesh(_) => None,
    };
    // The first region continues above the surface.
    let top = if region == 0 { None } else { plane(region) };
    [plane(region + 1).unwrap_or(f64::NEG_INFINITY), top.unwrap_or(f64::INFINITY)]
}

/// Height of the lowest point of a region.
fn bottom(regions: &[Region], region: usize) -> f64 {
    regions.get(region + 1).map_or(f64::NEG_INFINITY, |below| elevations(&below.top)[0])
}

/// Heights of the lowest and the highest point of an interface.
fn elevations(interface: &Interface) -> [f64; 2] {
    match interface {
        Interface::Flat(z) => [*z; 2],
        // Bodies of a mesh are not in order.
        Interface::Mesh(_) => [f64::NEG_INFINITY, f64::INFINITY],
        Interface::Grid(grid) => {
            let heights = grid.points_within(grid.x_range(), grid.y_range()).map(|[_, _, z]| z);
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)])
        }
    }
}

/// Properties of a material at a height \[m\]; `None` if they do not describe it completely.
fn properties(material: &Material, z: f64) -> Option<Transverse> {
    match material {
        Material::Profile(profile) => Some(profile.properties(z)),
        Material::Homogeneous(medium) => match *medium.elasticity() {
            Elasticity::Isotropic { vp, vs } => Some(Transverse::isotropic(vp, vs, medium.rho())),
            Elasticity::Transverse { .. } | Elasticity::Anisotropic(_) => None,
        },
        Material::Volume(_) | Material::Elements(_) => None,
    }
}

/// Converts a material to a profile.
fn profile(material: &Material) -> Result<Profile, ModelError> {
    match (material, properties(material, 0.0)) {
        (Material::Profile(profile), _) => Ok(Profile::clone(profile)),
        (_, Some(properties)) => Profile::through(&[(0.0, properties)]),
        (Material::Volume(_) | Material::Elements(_), None) => Err(ModelError::BadMap {
            problem: "a volume to act on, which is already three-dimensional".into(),
            hint: "apply the changes to the volume",
        }),
        (_, None) => Err(ModelError::BadMap {
            problem: "to change a medium of 21 coefficients, which is not supported".into(),
            hint: "describe the medium by vpv, vph, vsv, vsh and eta",
        }),
    }
}

/// Refuses absolute values for quantities that do not have a single value.
pub(super) fn check_replaced(map: &Perturbation, profile: &Profile, span: [f64; 2]) -> Result<(), ModelError> {
    let bad = |problem: &str, hint| Err(ModelError::BadMap { problem: problem.into(), hint });
    let [vp, vs, _, vph, vsh] = map.fields.each_ref().map(Option::is_some);
    if map.meaning == MapValues::Relative {
        return Ok(());
    }
    if profile.is_anisotropic() && (vp != vph || vs != vsh) {
        return bad(
            "absolute speeds for an anisotropic medium",
            "give the speeds of both polarisations, or relative changes",
        );
    }
    if (vs || vsh) && profile.ranges(span).vsv[0] == 0.0 {
        return bad(
            "absolute speeds of S waves in a fluid",
            "end the map above or below the fluid, or give relative changes",
        );
    }
    Ok(())
}
