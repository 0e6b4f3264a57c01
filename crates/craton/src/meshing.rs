//! Construction of the mesh of a scenario: element sizes follow the slowest wave at the highest frequency.

use std::borrow::Cow;

use craton_mesh::{
    BoxPlan, BoxSpec, Deformation, Doubling, Geometry, GlobePlan, GlobeSpec, HexMesh, Horizontal, Locator, MeshError,
    QualityReport, SizeField, Stratum, Surface, Upward,
};
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame, Sphere};
use craton_model::{EarthModel, Interface};
use craton_numerics::gll::Gll;
use rayon::prelude::*;

use crate::config::{BoundaryKind, Sem};
use crate::error::{Error, Problem};
use crate::format_position::format_position;
use crate::number::{Number, bracketed};
use crate::setup::Setup;

/// Smallest accepted scaled Jacobian of an element.
const LEAST_SCALED_JACOBIAN: f64 = 0.05;

/// Meshes the domain of a scenario, a box, a chunk of the sphere or the globe, and rejects inverted elements.
///
/// # Arguments
/// * `fits` – rejects too many elements before the mesh is built
/// # Errors
/// Errors of `fits`; surfaces that intersect, inverted elements, too many elements to number.
pub fn mesh(setup: &Setup, fits: impl FnOnce(usize) -> Result<(), Error>) -> Result<(HexMesh, QualityReport), Error> {
    if setup.frame.is_globe() {
        return with_globe_plan(setup, |plan| {
            fits(plan.n_elements())?;
            checked(plan.build()?, setup)
        });
    }
    with_plan(setup, |plan| {
        fits(plan.n_elements())?;
        checked(plan.build()?, setup)
    })
}

/// A vertical slice of the mesh of a scenario, meshed alone.
pub struct MeshSlice {
    /// Its elements, with the positions and control nodes of the whole mesh.
    pub mesh: HexMesh,
    /// Their quality.
    pub quality: QualityReport,
    /// Number of elements of the whole mesh, which is not built.
    pub elements_of_whole: usize,
}

/// Meshes one of many equal vertical slices of the domain of a scenario; memory and time are those of the slice.
///
/// # Arguments
/// * `of` – number of slices along x and y
/// * `at` – indices of the slice along x and y
/// # Errors
/// A globe; a domain that cannot be divided into these slices, and all errors of the whole mesh: see
/// [`craton_mesh::BoxPlan::slice`].
///
/// # Panics
/// If the method of the scenario is not the spectral-element method.
///
/// Verified by `slices_of_a_scenario_are_parts_of_its_mesh`.
pub fn mesh_slice(setup: &Setup, of: [usize; 2], at: [usize; 2]) -> Result<MeshSlice, Error> {
    if setup.frame.is_globe() {
        let problem = Problem::new("domain.globe", "cannot be meshed in slices");
        return Err(Error::OfKey(Box::new(problem.hint("mesh it as a whole"))));
    }
    with_plan(setup, |plan| {
        let (mesh, quality) = checked(plan.slice(of, at)?.build()?, setup)?;
        Ok(MeshSlice { mesh, quality, elements_of_whole: plan.n_elements() })
    })
}

/// A mesh with its quality, after rejecting inverted elements.
fn checked(mesh: HexMesh, setup: &Setup) -> Result<(HexMesh, QualityReport), Error> {
    let points = Gll::new(setup.method.sem().degree).expect("a degree within the schema's range").points;
    let quality = QualityReport::measure(&mesh, &points);
    let checked = quality.check(&mesh, LEAST_SCALED_JACOBIAN);
    checked.map_err(|error| Error::from(error).with_place(&setup.frame))?;
    Ok((mesh, quality))
}

/// The plan of the mesh of a globe.
fn with_globe_plan<R>(setup: &Setup, work: impl FnOnce(&GlobePlan) -> Result<R, Error>) -> Result<R, Error> {
    let surfaces = surfaces(setup);
    let sizes = WaveSizes::new(setup);
    let place = |direction: [f64; 3]| {
        let [x, y, _] = setup.frame.from_space(direction);
        [x, y]
    };
    let mut spec = GlobeSpec::new(EARTH_RADIUS, strata(&surfaces), &sizes, &place);
    spec.geometry = geometry(setup);
    spec.doubling = doubling(setup.method.sem());
    spec.horizontal = horizontal(setup.method.sem());
    work(&GlobePlan::new(&spec).map_err(|error| of_scenario(error, setup.method.sem()))?)
}

/// The tops of the regions of a model.
fn surfaces(setup: &Setup) -> Vec<ModelSurface<'_>> {
    setup.model.regions().iter().map(|region| ModelSurface(&region.top)).collect()
}

/// The regions of a model as strata of the mesh.
fn strata<'a>(surfaces: &'a [ModelSurface]) -> Vec<Stratum<'a>> {
    surfaces.iter().enumerate().map(|(region, top)| Stratum { top, region: region as u16 }).collect()
}

/// The plan of the mesh of a box or chunk.
fn with_plan<R>(setup: &Setup, work: impl FnOnce(&BoxPlan) -> Result<R, Error>) -> Result<R, Error> {
    let surfaces = surfaces(setup);
    let sizes = WaveSizes::new(setup);
    let mut spec = BoxSpec::new(setup.x, setup.y, setup.z[0], strata(&surfaces), &sizes);
    spec.geometry = geometry(setup);
    spec.doubling = doubling(setup.method.sem());
    spec.periodic = [0, 2].map(|side| setup.boundaries[side] == BoundaryKind::Periodic);
    spec.horizontal = horizontal(setup.method.sem());
    let chunk = setup.frame.sphere().map(Bent);
    spec.deformation = chunk.as_ref().map(|chunk| chunk as &dyn Deformation);
    work(&BoxPlan::new(&spec).map_err(|error| of_scenario(error, setup.method.sem()))?)
}

/// Converts a mesh error to a problem of the scenario.
fn of_scenario(error: MeshError, method: &Sem) -> Error {
    match (error, &method.doubling_depths) {
        (MeshError::Doublings { step, .. }, Some(depths)) => {
            let next = method.elements.map(|counts| counts.map(|count| count.next_multiple_of(step)));
            let hint = match next.filter(|_| next != method.elements) {
                Some(next) => format!("set method.sem.elements = {next:?}, or give fewer depths"),
                None => "use more or smaller elements at the top, or fewer or other depths".to_owned(),
            };
            let message = format!(
                "the numbers of elements along x and y at the top must be multiples of {step}. Below each depth there must be two layers of elements, one per axis, that \
                 are at least half as thick as the doubled width"
            );
            let problem = Problem::new("method.sem.doubling_depths", message);
            Error::OfKey(Box::new(problem.value(bracketed(depths)).hint(hint)))
        }
        (error, _) => error.into(),
    }
}

/// The number of elements at the top of a scenario.
fn horizontal(method: &Sem) -> Horizontal {
    match (method.elements, method.element_size) {
        (Some(counts), _) => Horizontal::Elements(counts),
        (None, Some(size)) => Horizontal::Size(size),
        (None, None) => Horizontal::Automatic,
    }
}

/// The doubling rule of a scenario.
fn doubling(method: &Sem) -> Doubling {
    match &method.doubling_depths {
        Some(depths) => Doubling::Below(depths.iter().map(|depth| -depth).collect()),
        None if method.doubling => Doubling::Automatic,
        None => Doubling::Never,
    }
}

/// Deformation of a box to a chunk of the sphere.
struct Bent<'a>(&'a Sphere);

impl Deformation for Bent<'_> {
    fn position(&self, point: [f64; 3]) -> [f64; 3] {
        self.0.to_space(point)
    }

    fn spread(&self, z: f64) -> f64 {
        self.0.spread(z)
    }
}

/// The mesh in model coordinates: unchanged for a box, straightened for a chunk. The coordinates of a globe jump, so its mesh stays in space.
pub fn straight<'a>(mesh: &'a HexMesh, frame: &LocalFrame) -> Cow<'a, HexMesh> {
    if frame.sphere().is_none() || frame.is_globe() {
        return Cow::Borrowed(mesh);
    }
    let mut straight = mesh.clone();
    straight.control_nodes.par_iter_mut().for_each(|node| *node = frame.from_space(*node));
    Cow::Owned(straight)
}

/// A position [m] in the coordinates of [`straight`].
pub fn in_straight(frame: &LocalFrame, position: [f64; 3]) -> [f64; 3] {
    if frame.is_globe() { frame.to_space(position) } else { position }
}

/// The search structure over [`straight`].
pub fn locator<'a>(straight: &'a HexMesh, frame: &LocalFrame) -> Locator<'a> {
    Locator::with_surface(straight, if frame.is_globe() { Upward::Radial } else { Upward::Vertical })
}

/// The geometry of the elements of a scenario.
pub fn geometry(setup: &Setup) -> Geometry {
    match setup.method.sem().control_nodes {
        Some(8) => Geometry::Linear8,
        None if setup.frame.sphere().is_none() => Geometry::Linear8,
        _ => Geometry::Quadratic27,
    }
}

/// An interface of the model for the mesher.
struct ModelSurface<'a>(&'a Interface);

impl Surface for ModelSurface<'_> {
    fn elevation(&self, x: f64, y: f64) -> f64 {
        self.0.elevation(x, y)
    }
}

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
    let sizes = WaveSizes::new(setup);
    let spread = |z: f64| setup.frame.sphere().map_or(1.0, |chunk| chunk.spread(z));
    let [x, y] = [setup.x, setup.y].map(|[from, to]| {
        let step = (to - from) / PLACES as f64;
        move |index: usize| from + (index as f64 + 0.5) * step
    });
    if setup.frame.is_globe() {
        let area = 4.0 * std::f64::consts::PI * EARTH_RADIUS.powi(2);
        return SAFETY * area * sizes.fewest_below([0.0; 2], setup.z[0], &spread);
    }
    let per_area = |index: usize| sizes.fewest_below([x(index % PLACES), y(index / PLACES)], setup.z[0], &spread);
    let mean = (0..PLACES * PLACES).map(per_area).sum::<f64>() / (PLACES * PLACES) as f64;
    SAFETY * mean * (setup.x[1] - setup.x[0]) * (setup.y[1] - setup.y[0])
}

/// Wave speeds of each region between two elevations; those of homogeneous regions are computed once.
pub struct WaveSpeeds<'a> {
    model: &'a EarthModel,
    /// Slowest and fastest wave.
    constant: Vec<Option<[f64; 2]>>,
}

impl<'a> WaveSpeeds<'a> {
    /// The wave speeds of a model.
    pub fn new(model: &'a EarthModel) -> Self {
        let both = |region| [model.slowest(region, 0.0, 0.0), model.fastest(region, 0.0, 0.0)];
        let regions = 0..model.regions().len();
        Self { model, constant: regions.map(|region| model.is_constant(region).then(|| both(region))).collect() }
    }

    /// Speed of the slowest wave in a region between two elevations [m/s].
    pub fn slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.constant[region].map_or_else(|| self.model.slowest(region, z_low, z_high), |[slowest, _]| slowest)
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
struct WaveSizes<'a> {
    speeds: WaveSpeeds<'a>,
    method: &'a Sem,
    /// Mean width of the elements at the top, if prescribed [m].
    width: Option<f64>,
}

impl<'a> WaveSizes<'a> {
    fn new(setup: &'a Setup) -> Self {
        let method = setup.method.sem();
        let [x, y] = if setup.frame.is_globe() {
            [0.5 * std::f64::consts::PI * EARTH_RADIUS; 2]
        } else {
            [setup.x, setup.y].map(|[from, to]| to - from)
        };
        let mean_width = |[nx, ny]: [usize; 2]| (x * y / (nx as f64 * ny as f64)).sqrt();
        let width = method.elements.map(mean_width).or(method.element_size);
        Self { speeds: WaveSpeeds::new(&setup.model), method, width }
    }

    /// Longest allowed edge of an element for this speed of the slowest wave [m].
    fn of_speed(&self, speed: f64) -> f64 {
        self.method.degree as f64 * speed / self.method.max_frequency / self.method.points_per_wavelength
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

/// The worst sampling of the slowest wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// Points per wavelength at the highest requested frequency, in the worst element.
    pub points_per_wavelength: f64,
    /// Frequency up to which every element has the requested points per wavelength [Hz].
    pub resolved_frequency: f64,
    /// Approximate position [m].
    pub centre: [f64; 3],
}

impl Resolution {
    /// The resolution of a mesh: its longest edges against the slowest waves.
    pub fn new(mesh: &HexMesh, quality: &QualityReport, setup: &Setup) -> Self {
        let points = points_per_wavelength(mesh, quality, setup);
        let worst = points.iter().copied().fold(f64::INFINITY, f64::min);
        let centre = |element: usize| setup.frame.from_space(mesh.centroid(element as u32));
        // Wave speeds of an element are those of its heights in the whole region, so several elements may be the worst:
        // the medium at their centres decides.
        let of_centre = |element: usize| {
            let speed = setup.model.medium(usize::from(mesh.region[element]), centre(element)).slowest();
            speed / quality.elements[element].edge_max
        };
        let nearly = (0..points.len()).filter(|&element| points[element] <= Self::NEARLY * worst);
        let least = nearly
            .map(|element| (of_centre(element), element))
            .reduce(|least, other| if other.0 < (1.0 - 1e-9) * least.0 { other } else { least });
        Self {
            points_per_wavelength: worst,
            resolved_frequency: setup.method.max_frequency() * worst / setup.method.sem().points_per_wavelength,
            centre: centre(least.map_or(0, |(_, element)| element)),
        }
    }

    /// Points per wavelength relative to the fewest, below which an element may be the worst.
    const NEARLY: f64 = 1.01;

    /// Smallest acceptable resolved frequency, relative to the highest frequency; slopes reduce it.
    const ENOUGH: f64 = 0.9;

    /// The warning about a mesh that is too coarse.
    pub fn warning(&self, setup: &Setup) -> Option<String> {
        let method = setup.method.sem();
        let (resolved, required) = (self.resolved_frequency, method.max_frequency);
        let place = format_position(&setup.frame, self.centre);
        let remedy = match method.element_size {
            _ if method.elements.is_some() => "increase method.sem.elements, or leave it out".to_owned(),
            Some(size) => format!(
                "lower method.sem.element_size to about {:.4}, or leave it out",
                Number(size * resolved / required)
            ),
            None => "`craton mesh` shows the elements that are too long".to_owned(),
        };
        (resolved < Self::ENOUGH * required).then(|| {
            format!(
                "the mesh resolves only {:.4} Hz near {place}, less than method.sem.max_frequency = {} Hz: {remedy}",
                Number(resolved),
                Number(required)
            )
        })
    }
}

/// Points per wavelength of the slowest wave at the highest frequency, along the longest edge of every element.
pub fn points_per_wavelength(mesh: &HexMesh, quality: &QualityReport, setup: &Setup) -> Vec<f64> {
    let (method, speeds) = (setup.method.sem(), WaveSpeeds::new(&setup.model));
    let points = |element: usize| {
        let [low, high] = vertical_extent(mesh, element as u32, &setup.frame);
        let wavelength = speeds.slowest(usize::from(mesh.region[element]), low, high) / method.max_frequency;
        method.degree as f64 * wavelength / quality.elements[element].edge_max
    };
    (0..mesh.n_elements()).into_par_iter().map(points).collect()
}

/// Elevations of the lowest and the highest corner of an element [m].
pub fn vertical_extent(mesh: &HexMesh, element: u32, frame: &LocalFrame) -> [f64; 2] {
    let heights = mesh.corners_of(element).map(|corner| frame.height(mesh.control_nodes[corner as usize]));
    let extremes = |[low, high]: [f64; 2], z: f64| [low.min(z), high.max(z)];
    heights.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], extremes)
}

#[cfg(test)]
mod tests;
