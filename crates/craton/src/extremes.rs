//! The slowest and the fastest wave of a model.

use crate::meshing::WaveSpeeds;
use crate::setup::Setup;

/// The smallest and largest wave speeds of a model [m/s].
pub struct Extremes {
    /// vs, or vp in a fluid.
    pub slowest: f64,
    /// Index of the region of the slowest wave.
    slowest_region: usize,
    /// vp.
    pub fastest: f64,
}

impl Extremes {
    /// The extremes of the model of a scenario within its box.
    pub fn new(setup: &Setup) -> Self {
        let (model, [bottom, top]) = (&setup.model, setup.z);
        let speeds = WaveSpeeds::new(setup);
        let mut extremes = Self { slowest: f64::INFINITY, slowest_region: 0, fastest: 0.0 };
        for region in 0..model.regions().len() {
            let slowest = speeds.slowest(region, bottom, top);
            if slowest < extremes.slowest {
                (extremes.slowest, extremes.slowest_region) = (slowest, region);
            }
            extremes.fastest = extremes.fastest.max(speeds.fastest(region, bottom, top));
        }
        extremes
    }

    /// Approximate position [m] of the slowest wave: below the middle of the box, or at the slowest of many positions at
    /// this height if the medium varies along it; in a volume, at its slowest point.
    ///
    /// Verified by `the_worst_sampling_is_where_waves_are_slowest` and `the_slowest_wave_of_a_volume_is_at_its_point`.
    pub fn place_of_slowest(&self, setup: &Setup) -> [f64; 3] {
        /// Number of positions along each horizontal axis.
        const PLACES: usize = 65;
        let (model, region) = (&setup.model, self.slowest_region);
        let middle = [setup.x, setup.y].map(|[from, to]| 0.5 * (from + to));
        let of_volume = model.slowest_place_in_volume(region, [setup.x, setup.y, setup.z]);
        let z = match of_volume {
            Some([x, y, z]) => {
                let [bottom, top] = extent(setup, region, [x, y]);
                z.max(bottom).min(top)
            }
            None => height_of_slowest(&WaveSpeeds::new(setup), region, extent(setup, region, middle)),
        };
        let along = |[from, to]: [f64; 2], index: usize| from + (index as f64 + 0.5) * (to - from) / PLACES as f64;
        let places = (0..PLACES * PLACES).map(|index| [along(setup.x, index % PLACES), along(setup.y, index / PLACES)]);
        let places = of_volume.map(|[x, y, _]| [x, y]).into_iter().chain(places);
        let speed = |[x, y]: [f64; 2]| model.medium(region, [x, y, z]).slowest();
        // Round-off is no reason to leave the middle.
        let least = (middle, (1.0 - 1e-9) * speed(middle));
        let places = places.filter(|_| !model.is_constant(region)).map(|place| (place, speed(place)));
        let ([x, y], _) = places.fold(least, |least, other| if other.1 < least.1 { other } else { least });
        [x, y, z]
    }
}

/// Elevations [m] of the bottom and the top of a region at x, y within the box.
fn extent(setup: &Setup, region: usize, [x, y]: [f64; 2]) -> [f64; 2] {
    let top_of = |region: usize| setup.model.regions().get(region).map(|region| region.top.elevation(x, y));
    let [bottom, top] = [top_of(region + 1).unwrap_or(setup.z[0]), top_of(region).unwrap_or(setup.z[1])];
    [bottom.max(setup.z[0]), top.min(setup.z[1])]
}

/// Speed [m/s] and approximate position [m] of the slowest wave of a scenario.
pub fn slowest_wave(setup: &Setup) -> (f64, [f64; 3]) {
    let speeds = Extremes::new(setup);
    (speeds.slowest, speeds.place_of_slowest(setup))
}

/// The highest elevation [m] at which waves of a region are slowest, between two elevations.
fn height_of_slowest(speeds: &WaveSpeeds, region: usize, [mut low, mut high]: [f64; 2]) -> f64 {
    let slowest = speeds.slowest(region, low, high);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let is_above = speeds.slowest(region, middle, high) <= slowest * (1.0 + 1e-9);
        *(if is_above { &mut low } else { &mut high }) = middle;
    }
    high
}

#[cfg(test)]
mod tests;
