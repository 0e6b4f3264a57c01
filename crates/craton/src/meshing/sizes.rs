//! Element sizes from wave speeds, and a lower bound of the number of elements.

use craton_mesh::SizeField;
use craton_model::EarthModel;
use craton_model::geodesy::EARTH_RADIUS;

use crate::config::Sem;
use crate::setup::Setup;

/// Number of samples along each side of the box for the lower bound of the number of elements.
const PLACES: usize = 17;
/// Number of samples over the height of each region for the same bound.
const PARTS: usize = 64;
/// Number of times that such a part may be halved where the speed changes much.
const HALVINGS: u32 = 24;
/// Safety factor of the bound: interfaces vary between samples, and steep ones stretch elements.
const SAFETY: f64 = 0.5;

/// Lower bound of the number of elements of a mesh of this scenario, before meshing.
///
/// No element is longer than the slowest wave there allows, so the volume over the cube of that length counts elements:
/// N ≥ ∫ dV / size³. A prescribed width replaces two of the three lengths, and doubles below each given depth.
/// Verified by `the_lower_bound_of_the_number_of_elements_holds`.
pub fn fewest_elements(setup: &Setup) -> f64 {
    if let Some(given) = &setup.mesh {
        return given.n_elements() as f64;
    }
    let sizes = WaveSizes::new(setup);
    let spread = |z: f64| setup.frame.sphere().map_or(1.0, |chunk| chunk.spread(z));
    let [x, y] = [setup.x, setup.y].map(|[from, to]| {
        let step = (to - from) / PLACES as f64;
        move |index: usize| from + (index as f64 + 0.5) * step
    });
    if setup.frame.is_globe() {
        // Equal areas: equal steps of the sine of the latitude.
        let y = |index: usize| EARTH_RADIUS * (2.0 * (index as f64 + 0.5) / PLACES as f64 - 1.0).asin();
        let per_area = |index: usize| sizes.fewest_below([x(index % PLACES), y(index / PLACES)], setup.z[0], &spread);
        let mean = (0..PLACES * PLACES).map(per_area).sum::<f64>() / (PLACES * PLACES) as f64;
        return SAFETY * mean * 4.0 * std::f64::consts::PI * EARTH_RADIUS.powi(2);
    }
    let per_area = |index: usize| sizes.fewest_below([x(index % PLACES), y(index / PLACES)], setup.z[0], &spread);
    let mean = (0..PLACES * PLACES).map(per_area).sum::<f64>() / (PLACES * PLACES) as f64;
    SAFETY * mean * (setup.x[1] - setup.x[0]) * (setup.y[1] - setup.y[0])
}

/// Wave speeds of each region between two elevations; those of homogeneous regions are computed once.
///
/// With attenuation, speeds depend on frequency: those of the slowest waves are lower bounds at the highest frequency of the scenario.
pub struct WaveSpeeds<'a> {
    model: &'a EarthModel,
    /// Slowest and fastest wave.
    constant: Vec<Option<[f64; 2]>>,
    /// Speed of the slowest wave at the highest frequency relative to that in the model.
    slowing: Vec<f64>,
}

impl<'a> WaveSpeeds<'a> {
    /// The wave speeds of the model of a scenario.
    pub fn new(setup: &'a Setup) -> Self {
        let (model, highest) = (&setup.model, setup.method.max_frequency());
        let both = |region| [model.slowest(region, 0.0, 0.0), model.fastest(region, 0.0, 0.0)];
        let regions = 0..model.regions().len();
        let constant = |region| model.is_constant(region).then(|| both(region));
        let slowing = regions.clone().map(|region| model.slowing(region, highest)).collect();
        Self { model, constant: regions.map(constant).collect(), slowing }
    }

    /// Speed of the slowest wave in a region between two elevations [m/s].
    pub fn slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        let in_model = || self.model.slowest(region, z_low, z_high);
        self.constant[region].map_or_else(in_model, |[slowest, _]| slowest) * self.slowing[region]
    }

    /// The largest speed of the slowest wave.
    fn greatest_slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        let greatest = || self.model.slowest_range(region, z_low, z_high)[1];
        self.constant[region].map_or_else(greatest, |[slowest, _]| slowest)
    }

    /// Speed of the fastest wave in a region between two elevations [m/s].
    pub fn fastest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.constant[region].map_or_else(|| self.model.fastest(region, z_low, z_high), |[_, fastest]| fastest)
    }
}

/// Element sizes from the slowest wave: `degree` points per element and this number of points per wavelength.
pub(super) struct WaveSizes<'a> {
    speeds: WaveSpeeds<'a>,
    method: &'a Sem,
    /// Highest frequency [Hz].
    max_frequency: f64,
    /// Mean width of the elements at the top, if prescribed [m].
    width: Option<f64>,
}

impl<'a> WaveSizes<'a> {
    /// The sizes of a scenario.
    pub(super) fn new(setup: &'a Setup) -> Self {
        Self::at(setup, setup.method.max_frequency())
    }

    /// The sizes of a scenario with another highest frequency [Hz].
    pub(super) fn at(setup: &'a Setup, max_frequency: f64) -> Self {
        let method = setup.method.sem();
        let [x, y] = if setup.frame.is_globe() {
            [0.5 * std::f64::consts::PI * EARTH_RADIUS; 2]
        } else {
            [setup.x, setup.y].map(|[from, to]| to - from)
        };
        let mean_width = |[nx, ny]: [usize; 2]| (x * y / (nx as f64 * ny as f64)).sqrt();
        let width = method.elements.map(mean_width).or(method.element_size);
        Self { speeds: WaveSpeeds::new(setup), method, max_frequency, width }
    }

    /// Longest allowed edge of an element for this speed of the slowest wave [m].
    fn of_speed(&self, speed: f64) -> f64 {
        self.method.degree as f64 * speed / self.max_frequency / self.method.points_per_wavelength
    }

    /// Ratio of the width of prescribed elements at a height [m] to that at the top, after doublings.
    fn doubled_above(&self, z: f64) -> f64 {
        let depths = self.method.doubling_depths.iter().flatten();
        depths.filter(|&depth| -depth > z).fold(1.0, |times, _| 2.0 * times)
    }

    /// Lower bound of the number of elements below a point, down to the bottom, per unit area [1/m^2].
    ///
    /// # Arguments
    /// * `spread` – the factor by which horizontal lengths grow at a height [m]
    fn fewest_below(&self, [x, y]: [f64; 2], bottom: f64, spread: &dyn Fn(f64) -> f64) -> f64 {
        let regions = self.speeds.model.regions();
        let of_region = |region: usize| {
            let top = regions[region].top.elevation(x, y);
            let below = regions.get(region + 1).map_or(bottom, |next| next.top.elevation(x, y));
            let height = (top - below) / PARTS as f64;
            let of_part = |part: usize| {
                let low = below + height * part as f64;
                self.fewest_within(region, [low, low + height], spread, HALVINGS)
            };
            (0..PARTS).map(of_part).sum::<f64>()
        };
        (0..regions.len()).map(of_region).sum()
    }

    /// The bound of [`Self::fewest_below`] between two heights; a part in which the speed changes much is halved, as far as
    /// this separates fast from slow.
    fn fewest_within(&self, region: usize, [low, high]: [f64; 2], spread: &dyn Fn(f64) -> f64, halvings: u32) -> f64 {
        let middle = 0.5 * (low + high);
        let greatest = |low: f64, high: f64| self.speeds.greatest_slowest(region, low, high);
        let (lower, upper) = (greatest(low, middle), greatest(middle, high));
        if halvings > 0 && lower.min(upper) < 0.9 * lower.max(upper) {
            let of_half = |half: [f64; 2]| self.fewest_within(region, half, spread, halvings - 1);
            return of_half([low, middle]) + of_half([middle, high]);
        }
        let size = self.of_speed(lower.max(upper));
        let width = self.width.map_or(size, |width| (width * self.doubled_above(low)).max(size));
        (high - low) * (spread(low) / width).powi(2) / size
    }
}

impl SizeField for WaveSizes<'_> {
    fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> f64 {
        self.of_speed(self.speeds.slowest(stratum, z_low, z_high))
    }

    fn fastest(&self, stratum: usize, z_low: f64, z_high: f64) -> f64 {
        self.speeds.fastest(stratum, z_low, z_high)
    }
}
