//! What a grid makes of Rayleigh waves along a free top, told before it is computed on.

use craton_acquisition::{Receiver, Source};
use craton_model::Elasticity;

use crate::config::{BoundaryKind, BoxSide, Fd};
use crate::gridding::GridPlan;
use crate::number::Number;
use crate::setup::Setup;

/// By which part Rayleigh waves travel too slowly, times the square of cells in their length: for stencils of any order, since the free top is of the second.
/// Seen as delays beside a force on a half-space (`docs/validation.md`).
const SLOWER: f64 = 1.4;
/// Part of the speed of S waves at which Rayleigh waves travel, in rock.
const OF_SHEAR: f64 = 0.91;
/// Part of their length to which they reach down, for a source or a receiver to have much to do with them.
const DEEP: f64 = 0.3;
/// Part of a period by which they may come late without a word.
const LATE: f64 = 0.1;

impl GridPlan {
    /// Rayleigh waves of the highest frequency that come late, on about their longest way: all ways from sources to receivers would be too many to ask for.
    pub fn late_surface_waves(&self, setup: &Setup, fd: &Fd) -> Option<String> {
        if setup.boundaries[BoxSide::Top as usize] != BoundaryKind::Free {
            return None;
        }
        let cell = self.grid.spacing.into_iter().fold(0.0, f64::max);
        let late = |distance: f64, wavelength: f64| distance / wavelength * SLOWER * (cell / wavelength).powi(2);
        let along = |axis: usize| setup.receivers.iter().map(move |receiver| receiver.position()[axis]);
        let ends = [0, 1]
            .map(|axis| [along(axis).fold(f64::INFINITY, f64::min), along(axis).fold(f64::NEG_INFINITY, f64::max)]);
        let farthest = |[x, y, _]: [f64; 3]| {
            let away = |at: f64, [low, high]: [f64; 2]| (at - low).abs().max((high - at).abs());
            away(x, ends[0]).hypot(away(y, ends[1]))
        };
        let sources = setup.sources.iter().filter_map(|source| Some((source, wavelength(setup, fd, source)?)));
        let bound = |(source, wavelength): &(&Source, f64)| late(farthest(source.position()), *wavelength);
        let (source, wavelength) = sources.max_by(|a, b| bound(a).total_cmp(&bound(b)))?;
        let distance = |receiver: &&Receiver| {
            let [from, to] = [source.position(), receiver.position()];
            (to[0] - from[0]).hypot(to[1] - from[1])
        };
        let near = setup.receivers.iter().filter(|receiver| depth(setup, receiver.position()) < DEEP * wavelength);
        let receiver = near.max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let (waves, late) = (distance(&receiver) / wavelength, late(distance(&receiver), wavelength));
        (late > LATE).then(|| {
            format!(
                "Rayleigh waves of {} Hz travel about {:.1} % too slowly below the free top, {:.1} cells to their length, whatever method.fd.order is: on the \
                 way from {} to {}, {:.0} wavelengths, they come {:.2} of a period late; a method.fd.grid_spacing of {:.3} m leaves a tenth, and [method.sem] \
                 has no such delay",
                Number(fd.max_frequency),
                Number(100.0 * late / waves),
                Number(wavelength / cell),
                source.name(),
                receiver.code(),
                Number(waves),
                Number(late),
                Number(cell * (LATE / late).sqrt()),
            )
        })
    }
}

/// Depth of a place below the ground [m].
fn depth(setup: &Setup, [x, y, z]: [f64; 3]) -> f64 {
    setup.model.surface().elevation(x, y) - z
}

/// Length of the Rayleigh waves of the highest frequency that a source makes [m], by the speed above it; none where it is too deep to, or below a fluid.
fn wavelength(setup: &Setup, fd: &Fd, source: &Source) -> Option<f64> {
    let [x, y, z] = source.position();
    let top = [x, y, setup.model.surface().elevation(x, y)];
    let vs = match *setup.model.medium(setup.model.region_at(top), top).elasticity() {
        Elasticity::Isotropic { vs, .. } if vs > 0.0 => vs,
        _ => return None,
    };
    let wavelength = OF_SHEAR * vs / fd.max_frequency;
    (top[2] - z < DEEP * wavelength).then_some(wavelength)
}
