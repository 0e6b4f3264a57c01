//! The surfaces of the mesh relative to those of the model.

use craton_mesh::{HexMesh, Location, Locator};

use super::moved::ROUND_OFF;
use crate::setup::Setup;

/// Largest distance of an interface of the mesh from that of the model, relative to the depth of the domain.
const FARTHEST: f64 = 0.05;
/// Shift below which waves are not affected, in wavelengths.
const OF_WAVELENGTH: f64 = 1e-4;

/// The ground of a scenario and the top of its mesh.
pub struct Ground<'a> {
    setup: &'a Setup,
    locator: &'a Locator<&'a HexMesh>,
}

impl<'a> Ground<'a> {
    /// Compares the ground of `setup` with the mesh of `locator`.
    pub fn new(setup: &'a Setup, locator: &'a Locator<&'a HexMesh>) -> Self {
        Self { setup, locator }
    }

    /// The region of an element of the mesh.
    pub fn region_of(&self, element: u32) -> usize {
        usize::from(self.locator.mesh().region[element as usize])
    }

    /// The point of the top of the mesh at x, y of a position [m].
    pub fn top(&self, position: [f64; 3]) -> Option<Location> {
        self.locator.locate_on_surface(self.setup.frame.to_space(position))
    }

    /// Elevation of the top of the mesh minus that of the ground at x, y of a position [m]; the top is where [`Self::top`] finds it.
    pub fn shift_of_top(&self, [x, y, _]: [f64; 3], top: &Location) -> f64 {
        let ground = self.setup.model.surface().elevation(x, y);
        let [_, _, z] = self.setup.frame.from_space(self.locator.mesh().position(top.element, top.xi));
        let shift = z - ground;
        if shift.abs() < ROUND_OFF { 0.0 } else { shift }
    }

    /// Elevation of the top of the mesh minus that of the ground at x, y [m]; 0 outside the mesh.
    fn misfit(&self, [x, y]: [f64; 2], ground: f64) -> f64 {
        let position = [x, y, ground];
        self.top(position).map_or(0.0, |top| self.shift_of_top(position, &top))
    }

    /// The vertical shift [m] of a position that keeps its depth below the ground. It decreases linearly to zero at the bottom of the uppermost
    /// region, so that no position crosses an interface, and is zero in deeper regions.
    ///
    /// # Arguments
    /// * `region` – the region of the position
    pub fn shift(&self, [x, y, z]: [f64; 3], region: usize) -> f64 {
        let regions = self.setup.model.regions();
        let ground = regions[0].top.elevation(x, y);
        if regions[region].top.elevation(x, y) < ground - ROUND_OFF {
            return 0.0;
        }
        let bottom = regions.get(region + 1).map_or(self.setup.z[0], |below| below.top.elevation(x, y));
        let height = ((z - bottom) / (ground - bottom)).clamp(0.0, 1.0);
        if height == 0.0 { 0.0 } else { height * self.misfit([x, y], ground) }
    }

    /// The point of the mesh at a position [m] in elements of a region, and the additional vertical shift [m] there: an interface of the mesh may be
    /// above or below that of the model. If no element of the region is near, this is the element at the position; `None` outside the mesh.
    pub fn in_region(&self, [x, y, z]: [f64; 3], region: usize) -> Option<(Location, f64)> {
        let at = |shift: f64| self.locator.locate_in(self.setup.frame.to_space([x, y, z + shift]), region as u16);
        let found = at(0.0)?;
        let region_of = |place: &Location| usize::from(self.locator.mesh().region[place.element as usize]);
        if region_of(&found) == region {
            return Some((found, 0.0));
        }
        let towards = if region_of(&found) < region { -1.0 } else { 1.0 };
        let inside = |distance: f64| at(towards * distance).filter(|place| region_of(place) == region);
        let distances = (0..).map(|doublings| ROUND_OFF * f64::from(doublings).exp2());
        let reach = FARTHEST * (self.setup.z[1] - self.setup.z[0]);
        let Some(mut far) =
            distances.take_while(|distance| *distance < reach).find(|&distance| inside(distance).is_some())
        else {
            return Some((found, 0.0));
        };
        let mut near = if far > ROUND_OFF { 0.5 * far } else { 0.0 };
        while far - near > ROUND_OFF {
            let middle = 0.5 * (near + far);
            if inside(middle).is_some() { far = middle } else { near = middle }
        }
        inside(far).map(|place| (place, towards * far))
    }

    /// The largest shift [m] at a position that is not worth reporting.
    pub fn negligible(&self, [_, _, z]: [f64; 3], region: usize) -> f64 {
        let wavelength = self.setup.model.slowest(region, z, z) / self.setup.method.max_frequency();
        ROUND_OFF.max(OF_WAVELENGTH * wavelength)
    }
}
