//! The Earth as a stack of thin shells.

use super::phase::Wave;
use super::shell::Shell;
use crate::check::require;
use crate::geodesy::EARTH_RADIUS;
use crate::{EarthModel, Elasticity, Interface, Material, ModelError};

/// Largest thickness of a shell \[m\]; within a shell, the speed is a power of the radius instead of the law of the model. First arrivals
/// of PREM, IASP91 and AK135 change by less than 1e-3 s with shells a quarter as thick.
const LARGEST_THICKNESS: f64 = 5000.0;

/// Smallest depth of the top of a core \[m\]; fluids above it are oceans or melts, through which P waves pass.
const SHALLOWEST_CORE: f64 = 1e6;

/// Shells from the surface to the bottom, with a boundary at the source.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    /// Shells for P and for S waves, with the same radii.
    shells: [Vec<Shell>; 2],
    /// Index of the first shell below the source.
    pub source: usize,
    /// Index of the first shell of the fluid outer core, or of the end of the shells.
    pub core: usize,
    /// Index of the first shell of the inner core, or of the end of the shells.
    pub inner_core: usize,
}

impl Stack {
    /// Builds the shells of a model.
    ///
    /// # Errors
    /// As [`super::TravelTimes::new`].
    pub fn new(model: &EarthModel, source_depth: f64, bottom_depth: f64) -> Result<Self, ModelError> {
        let tops = tops(model)?;
        let surface = 0.0 - tops[0];
        require(
            bottom_depth > surface && bottom_depth <= EARTH_RADIUS,
            "depth of the bottom",
            bottom_depth,
            format!("below the surface at {surface} m and at most {EARTH_RADIUS} m, the centre of the Earth"),
            "give the depth of the core-mantle boundary, or of another reflecting bottom",
        )?;
        require(
            source_depth >= surface && source_depth < bottom_depth,
            "depth of the source",
            source_depth,
            format!("between the surface at {surface} m and the bottom at {bottom_depth} m"),
            "depths are positive down from z = 0, in m",
        )?;
        let mut stack = Self { shells: [Vec::new(), Vec::new()], source: 0, core: 0, inner_core: 0 };
        for (region, top) in tops.iter().enumerate() {
            let bottom = tops.get(region + 1).copied().unwrap_or(f64::NEG_INFINITY).max(-bottom_depth);
            if *top > bottom {
                stack.add(model, region, &heights(model, region, [*top, bottom], -source_depth));
            }
        }
        let radius = EARTH_RADIUS - source_depth;
        stack.source =
            stack.shells[0].iter().position(|shell| shell.radius[0] <= radius).expect("it lies above the bottom");
        let shear = stack.of(Wave::S);
        let is_core = |shell: &Shell| !shell.is_open() && shell.radius[0] <= EARTH_RADIUS - SHALLOWEST_CORE;
        let core = shear.iter().position(is_core).unwrap_or(shear.len());
        let inner_core = shear[core..].iter().position(Shell::is_open).map_or(shear.len(), |below| core + below);
        let top_of_core = shear.get(core).map_or(bottom_depth, |shell| EARTH_RADIUS - shell.radius[0]);
        require(
            stack.source <= core,
            "depth of the source",
            source_depth,
            format!("above the core at {top_of_core} m"),
            "there are no travel times from sources in the core",
        )?;
        Ok(Self { core, inner_core, ..stack })
    }

    /// Adds thin shells between successive heights of a region, from the top down.
    fn add(&mut self, model: &EarthModel, region: usize, heights: &[f64]) {
        for pair in heights.windows(2) {
            let thickness = pair[0] - pair[1];
            let count = (thickness / LARGEST_THICKNESS).ceil();
            let height = |part: usize| match part as f64 == count {
                true => pair[1],
                false => pair[0] - thickness * part as f64 / count,
            };
            for part in 0..count as usize {
                let ends = [height(part), height(part + 1)];
                let speeds = ends.map(|z| speeds(model, region, z));
                for (wave, shells) in self.shells.iter_mut().enumerate() {
                    shells.push(Shell::new(ends.map(|z| EARTH_RADIUS + z), speeds.map(|speeds| speeds[wave])));
                }
            }
        }
    }

    /// The shells of a wave type, from the surface to the bottom.
    pub fn of(&self, wave: Wave) -> &[Shell] {
        &self.shells[wave as usize]
    }

    /// Whether mantle waves are reflected at the core or the bottom; there is no reflection at the centre of the Earth.
    pub fn reflects(&self) -> bool {
        self.core < self.shells[0].len() || self.shells[0].last().is_some_and(|shell| shell.radius[1] > 0.0)
    }
}

/// Heights of the tops of all regions \[m\], in order.
fn tops(model: &EarthModel) -> Result<Vec<f64>, ModelError> {
    let top = |(layer, region): (usize, &crate::Region)| match (&region.top, &region.material) {
        (Interface::Flat(z), Material::Homogeneous(_) | Material::Profile(_)) => Ok(*z),
        (Interface::Grid(_) | Interface::Mesh(_), _) | (_, Material::Volume(_) | Material::Elements(_)) => {
            Err(ModelError::UnevenLayer { layer })
        }
    };
    let tops = model.regions().iter().enumerate().map(top).collect::<Result<Vec<f64>, _>>()?;
    for (index, pair) in tops.windows(2).enumerate() {
        let [upper, lower] = [pair[0], pair[1]];
        if lower >= upper {
            return Err(ModelError::OutOfOrder { upper_layer: index + 1, upper, lower, x: 0.0, y: 0.0 });
        }
    }
    Ok(tops)
}

/// Heights of a region at which its law changes, and that of the source if inside, from the top down.
fn heights(model: &EarthModel, region: usize, [top, bottom]: [f64; 2], source: f64) -> Vec<f64> {
    let mut heights = vec![top, bottom, source];
    if let Material::Profile(profile) = &model.regions()[region].material {
        heights.extend(profile.boundaries());
    }
    heights.retain(|z| (bottom..=top).contains(z));
    heights.sort_by(|a, b| b.total_cmp(a));
    heights.dedup();
    heights
}

/// Speeds of P and S waves \[m/s\]; for an anisotropic medium, those of its isotropic average.
fn speeds(model: &EarthModel, region: usize, z: f64) -> [f64; 2] {
    let medium = model.medium(region, [0.0, 0.0, z]);
    match medium.elasticity() {
        Elasticity::Isotropic { vp, vs } => [*vp, *vs],
        Elasticity::Transverse { .. } | Elasticity::Anisotropic(_) => {
            let (lambda, mu) = medium.stiffness().isotropic_average();
            [lambda + 2.0 * mu, mu].map(|modulus| (modulus / medium.rho()).sqrt())
        }
    }
}
