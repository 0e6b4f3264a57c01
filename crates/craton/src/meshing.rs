//! Construction of the mesh of a scenario: element sizes follow the slowest wave at the highest frequency.

mod fitting;
mod inset;
mod pieces;
mod resolution;
mod sizes;
mod slices;

use std::borrow::Cow;

use craton_mesh::{
    BoxPlan, BoxSpec, Deformation, Doubling, Geometry, GlobePlan, GlobeSpec, HexMesh, Horizontal, Locator, MeshError,
    QualityReport, Stratum, Surface, Upward,
};
use craton_model::Interface;
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame, Sphere};
use craton_numerics::gll::Gll;
use rayon::prelude::*;

use crate::config::{BoundaryKind, Sem};
use crate::error::{Error, Problem};
use crate::number::bracketed;
use crate::setup::Setup;
use crate::setup::given_mesh::MeshInRegions;
pub use fitting::highest_frequency;
pub use pieces::{Pieces, Sampled, sampled};
pub use resolution::{Resolution, points_per_wavelength, vertical_extent};
use sizes::WaveSizes;
pub use sizes::{WaveSpeeds, fewest_elements};
pub use slices::{MeshSlice, ProcessMesh, Processes, Slices, mesh_of_process, mesh_slice};

/// Smallest accepted scaled Jacobian of an element.
const LEAST_SCALED_JACOBIAN: f64 = 0.05;

/// Numbers of elements of a mesh before it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedElements {
    /// All elements, with those of absorbing layers. In layers around a mesh of another program, without those at edges of the domain.
    pub all: usize,
    /// Elements of absorbing layers.
    pub in_layers: usize,
    /// Elements that this process meshes.
    pub here: usize,
}

impl PlannedElements {
    fn of_box(setup: &Setup, plan: &BoxPlan) -> Self {
        let all = plan.n_elements_with_pml(setup.elements_across_layers());
        Self { all, in_layers: all - plan.n_elements(), here: all }
    }

    fn of_globe(plan: &GlobePlan) -> Self {
        let all = plan.n_elements();
        Self { all, in_layers: 0, here: all }
    }

    fn of_given(setup: &Setup, given: &MeshInRegions) -> Self {
        let across = setup.elements_across_layers();
        let in_layers =
            given.faces_of_sides().into_iter().zip(across).map(|(faces, across)| faces * usize::from(across)).sum();
        let all = given.n_elements() + in_layers;
        Self { all, in_layers, here: all }
    }
}

/// Meshes the domain of a scenario, a box, a chunk of the sphere or the globe, or takes the mesh of another program, and rejects inverted elements.
///
/// # Arguments
/// * `fits` – rejects too many elements before the mesh is built
/// # Errors
/// Errors of `fits`; surfaces that intersect, inverted elements, too many elements to number.
pub fn mesh(
    setup: &Setup,
    fits: impl FnOnce(PlannedElements) -> Result<(), Error>,
) -> Result<(HexMesh, QualityReport), Error> {
    if let Some(given) = &setup.mesh {
        fits(PlannedElements::of_given(setup, given))?;
        return checked(given.to_mesh(), setup).map_err(of_given_mesh);
    }
    let sizes = WaveSizes::new(setup);
    if setup.frame.is_globe() {
        return with_globe_plan(setup, &sizes, |plan| {
            fits(PlannedElements::of_globe(plan))?;
            checked(plan.build()?, setup)
        });
    }
    with_plan(setup, &sizes, |plan| {
        fits(PlannedElements::of_box(setup, plan))?;
        checked(plan.build()?, setup)
    })
}

/// Number of elements of the mesh of a scenario with these sizes, and of its layers.
fn n_elements(setup: &Setup, sizes: &WaveSizes) -> Result<usize, Error> {
    match setup.frame.is_globe() {
        true => with_globe_plan(setup, sizes, |plan| Ok(PlannedElements::of_globe(plan).all)),
        false => with_plan(setup, sizes, |plan| Ok(PlannedElements::of_box(setup, plan).all)),
    }
}

/// The error of a mesh of another program.
fn of_given_mesh(error: Error) -> Error {
    let problem = Problem::new("domain.mesh.file", error.to_string()).at_key();
    Error::OfKey(Box::new(problem.hint("improve the mesh in the program that made it")))
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
fn with_globe_plan<R>(
    setup: &Setup,
    sizes: &WaveSizes,
    work: impl FnOnce(&GlobePlan) -> Result<R, Error>,
) -> Result<R, Error> {
    let surfaces = surfaces(setup);
    let place = |direction: [f64; 3]| {
        let [x, y, _] = setup.frame.from_space(direction);
        [x, y]
    };
    let mut spec = GlobeSpec::new(EARTH_RADIUS, strata(&surfaces), sizes, &place);
    spec.geometry = geometry(setup);
    spec.doubling = doubling(setup.method.sem());
    spec.horizontal = horizontal(setup.method.sem());
    let figure = setup.frame.sphere().filter(|sphere| sphere.is_elliptical()).map(Flattened);
    spec.deformation = figure.as_ref().map(|figure| figure as &dyn Deformation);
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
fn with_plan<R>(setup: &Setup, sizes: &WaveSizes, work: impl FnOnce(&BoxPlan) -> Result<R, Error>) -> Result<R, Error> {
    with_changed_plan(setup, sizes, |_| (), work)
}

/// As [`with_plan`], with another specification.
fn with_changed_plan<R>(
    setup: &Setup,
    sizes: &WaveSizes,
    change: impl FnOnce(&mut BoxSpec),
    work: impl FnOnce(&BoxPlan) -> Result<R, Error>,
) -> Result<R, Error> {
    let surfaces = surfaces(setup);
    let mut spec = BoxSpec::new(setup.x, setup.y, setup.z[0], strata(&surfaces), sizes);
    spec.geometry = geometry(setup);
    spec.doubling = doubling(setup.method.sem());
    spec.periodic = [0, 2].map(|side| setup.boundaries[side] == BoundaryKind::Periodic);
    spec.horizontal = horizontal(setup.method.sem());
    let chunk = setup.frame.sphere().map(Bent);
    spec.deformation = chunk.as_ref().map(|chunk| chunk as &dyn Deformation);
    inset::without_layers_inside(setup, &mut spec)?;
    change(&mut spec);
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

/// Deformation of the spherical to the elliptical Earth.
struct Flattened<'a>(&'a Sphere);

impl Deformation for Flattened<'_> {
    fn position(&self, point: [f64; 3]) -> [f64; 3] {
        self.0.flattened(point)
    }
}

/// The mesh in model coordinates: unchanged for a box, straightened for a chunk. Model coordinates of a globe are discontinuous, so its mesh stays in space.
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
pub fn locator<'a>(straight: &'a HexMesh, frame: &LocalFrame) -> Locator<&'a HexMesh> {
    Locator::with_surface(straight, if frame.is_globe() { Upward::Radial } else { Upward::Vertical })
}

/// The geometry of the elements of a scenario.
pub fn geometry(setup: &Setup) -> Geometry {
    match (&setup.mesh, setup.method.sem().control_nodes) {
        (Some(given), _) => given.geometry(),
        (_, Some(8)) => Geometry::Linear8,
        (_, None) if setup.frame.sphere().is_none() => Geometry::Linear8,
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

#[cfg(test)]
mod tests;
