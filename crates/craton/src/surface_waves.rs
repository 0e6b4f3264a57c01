//! The warning about numerical dispersion of Rayleigh waves at the free surface of a grid.

use craton_acquisition::{Receiver, Source};
use craton_model::{EarthModel, Elasticity};

use crate::config::{BoundaryKind, BoxSide, Fd};
use crate::gridding::GridPlan;
use crate::number::Number;
use crate::setup::Setup;

/// Relative velocity error of Rayleigh waves times the squared number of cells per wavelength, for every stencil order,
/// because the free surface is second-order accurate. Measured as delays of a force on a half-space
/// (`docs/validation.md`).
const SLOWER: f64 = 1.4;
/// Rayleigh-wave speed relative to the S-wave speed in rock.
const OF_SHEAR: f64 = 0.91;
/// Depth relative to the wavelength within which sources and receivers couple to Rayleigh waves.
const DEEP: f64 = 0.3;
/// Delay in periods that causes no warning.
const LATE: f64 = 0.1;

/// Rayleigh waves at the highest frequency along the free surface of a grid.
pub struct SurfaceWaves<'a> {
    /// The model.
    pub model: &'a EarthModel,
    /// Highest frequency [Hz].
    pub max_frequency: f64,
    /// Longest edge of a cell [m].
    pub cell: f64,
}

impl SurfaceWaves<'_> {
    /// Wavelength for a source [m], from the speed above it; `None` if it is too deep, or below a fluid.
    pub fn wavelength(&self, [x, y, z]: [f64; 3]) -> Option<f64> {
        let top = [x, y, self.model.surface().elevation(x, y)];
        let vs = match *self.model.medium(self.model.region_at(top), top).elasticity() {
            Elasticity::Isotropic { vs, .. } if vs > 0.0 => vs,
            _ => return None,
        };
        let wavelength = OF_SHEAR * vs / self.max_frequency;
        (top[2] - z < DEEP * wavelength).then_some(wavelength)
    }

    /// Whether a receiver is near the surface.
    pub fn is_near(&self, [x, y, z]: [f64; 3], wavelength: f64) -> bool {
        self.model.surface().elevation(x, y) - z < DEEP * wavelength
    }

    /// Delay in periods after a distance [m].
    pub fn delay(&self, distance: f64, wavelength: f64) -> f64 {
        distance / wavelength * SLOWER * (self.cell / wavelength).powi(2)
    }

    /// The warning about the delay along a path, unless it is small.
    ///
    /// # Arguments
    /// * `names` – source and receiver
    /// * `alternative` – another remedy than smaller cells, in words
    pub fn warning(&self, [from, to]: [&str; 2], distance: f64, wavelength: f64, alternative: &str) -> Option<String> {
        let (waves, late) = (distance / wavelength, self.delay(distance, wavelength));
        (late > LATE).then(|| {
            format!(
                "Rayleigh waves of {} Hz are about {:.1} % too slow at the free surface with {:.1} cells per wavelength, for any method.fd.order. On the \
                 path from {from} to {to}, {:.0} wavelengths, the delay is {:.2} periods. Use a method.fd.grid_spacing of {:.3} m for a tenth of a \
                 period{alternative}",
                Number(self.max_frequency),
                Number(100.0 * late / waves),
                Number(wavelength / self.cell),
                Number(waves),
                Number(late),
                Number(self.cell * (LATE / late).sqrt()),
            )
        })
    }
}

/// Horizontal distance of two positions [m].
pub fn along_surface(from: [f64; 3], to: [f64; 3]) -> f64 {
    (to[0] - from[0]).hypot(to[1] - from[1])
}

impl GridPlan {
    /// The warning about delayed Rayleigh waves at the highest frequency, for about the longest path; checking all
    /// pairs of sources and receivers would take too long.
    pub fn late_surface_waves(&self, setup: &Setup, fd: &Fd) -> Option<String> {
        if setup.boundaries[BoxSide::Top as usize] != BoundaryKind::Free {
            return None;
        }
        let cell = self.grid.spacing.into_iter().fold(0.0, f64::max);
        let waves = SurfaceWaves { model: &setup.model, max_frequency: fd.max_frequency, cell };
        let along = |axis: usize| setup.receivers.iter().map(move |receiver| receiver.position()[axis]);
        let ends = [0, 1]
            .map(|axis| [along(axis).fold(f64::INFINITY, f64::min), along(axis).fold(f64::NEG_INFINITY, f64::max)]);
        let farthest = |[x, y, _]: [f64; 3]| {
            let away = |at: f64, [low, high]: [f64; 2]| (at - low).abs().max((high - at).abs());
            away(x, ends[0]).hypot(away(y, ends[1]))
        };
        let sources = setup.sources.iter().filter_map(|source| Some((source, waves.wavelength(source.position())?)));
        let bound = |(source, wavelength): &(&Source, f64)| waves.delay(farthest(source.position()), *wavelength);
        let (source, wavelength) = sources.max_by(|a, b| bound(a).total_cmp(&bound(b)))?;
        let distance = |receiver: &&Receiver| along_surface(source.position(), receiver.position());
        let near = setup.receivers.iter().filter(|receiver| waves.is_near(receiver.position(), wavelength));
        let receiver = near.max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let names = [source.name(), &receiver.code()];
        waves.warning(names, distance(&receiver), wavelength, ", or [method.sem], which has no such delay")
    }
}
