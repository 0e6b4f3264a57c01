//! From a checked scenario to a mesh: element sizes follow the slowest wave at the highest frequency.

use craton_mesh::{
    BoxSpec, Geometry, HexMesh, Horizontal, MeshError, QualityReport, SizeField, Stratum, Surface, mesh_box,
};
use craton_model::{EarthModel, Interface};
use craton_numerics::gll::Gll;

use crate::config::{BoundaryKind, Sem};
use crate::setup::Setup;

/// Elements below this scaled Jacobian are refused: the map would hardly be invertible.
const LEAST_SCALED_JACOBIAN: f64 = 0.05;

/// Meshes the box of a scenario and refuses inverted elements.
///
/// # Errors
/// Surfaces that cross, elements that are inverted, more elements than can be numbered.
pub fn mesh(setup: &Setup) -> Result<(HexMesh, QualityReport), MeshError> {
    let surfaces: Vec<ModelSurface> = setup.model.regions().iter().map(|region| ModelSurface(&region.top)).collect();
    let strata = surfaces.iter().enumerate();
    let strata = strata.map(|(region, top)| Stratum { top, region: region as u16 }).collect();
    let sizes = WaveSizes { speeds: WaveSpeeds::new(&setup.model), method: &setup.method };
    let mut spec = BoxSpec::new(setup.x, setup.y, setup.z[0], strata, &sizes);
    spec.geometry = if setup.method.control_nodes == 8 { Geometry::Linear8 } else { Geometry::Quadratic27 };
    spec.doubling = setup.method.doubling;
    spec.periodic = [0, 2].map(|side| setup.boundaries[side] == BoundaryKind::Periodic);
    if let Some(size) = setup.method.element_size {
        spec.horizontal = Horizontal::Size(size);
    }
    let mesh = mesh_box(&spec)?;
    let points = Gll::new(setup.method.degree).expect("a degree within the schema's range").points;
    let quality = QualityReport::measure(&mesh, &points);
    quality.check(&mesh, LEAST_SCALED_JACOBIAN)?;
    Ok((mesh, quality))
}

/// An interface of the model as the mesher sees it.
struct ModelSurface<'a>(&'a Interface);

impl Surface for ModelSurface<'_> {
    fn elevation(&self, x: f64, y: f64) -> f64 {
        self.0.elevation(x, y)
    }
}

/// Slowest and fastest wave of each region between two elevations; those of constant regions are worked out once.
struct WaveSpeeds<'a> {
    model: &'a EarthModel,
    constant: Vec<Option<[f64; 2]>>,
}

impl<'a> WaveSpeeds<'a> {
    fn new(model: &'a EarthModel) -> Self {
        let both = |region| [model.slowest(region, 0.0, 0.0), model.fastest(region, 0.0, 0.0)];
        let regions = 0..model.regions().len();
        Self { model, constant: regions.map(|region| model.is_constant(region).then(|| both(region))).collect() }
    }

    fn slowest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.constant[region].map_or_else(|| self.model.slowest(region, z_low, z_high), |[slowest, _]| slowest)
    }

    fn fastest(&self, region: usize, z_low: f64, z_high: f64) -> f64 {
        self.constant[region].map_or_else(|| self.model.fastest(region, z_low, z_high), |[_, fastest]| fastest)
    }
}

/// Element sizes from the slowest wave: `degree` points per element, so many points per wavelength.
struct WaveSizes<'a> {
    speeds: WaveSpeeds<'a>,
    method: &'a Sem,
}

impl SizeField for WaveSizes<'_> {
    fn size(&self, stratum: usize, z_low: f64, z_high: f64) -> f64 {
        let wavelength = self.speeds.slowest(stratum, z_low, z_high) / self.method.max_frequency;
        self.method.degree as f64 * wavelength / self.method.points_per_wavelength
    }

    fn fastest(&self, stratum: usize, z_low: f64, z_high: f64) -> f64 {
        self.speeds.fastest(stratum, z_low, z_high)
    }
}

/// How finely the slowest wave is sampled where it is worst.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// Points per wavelength at the highest frequency asked for, in the worst element.
    pub points_per_wavelength: f64,
    /// Frequency up to which every element has the points per wavelength asked for [Hz].
    pub resolved_frequency: f64,
    /// The worst element.
    pub element: u32,
    /// Its centre [m].
    pub centre: [f64; 3],
}

impl Resolution {
    /// The resolution of a mesh: its longest edges against the slowest waves.
    pub fn new(mesh: &HexMesh, quality: &QualityReport, setup: &Setup) -> Self {
        let points = points_per_wavelength(mesh, quality, setup);
        let worst = points.iter().enumerate().fold((f64::INFINITY, 0), |worst, (element, &points)| {
            if points < worst.0 { (points, element) } else { worst }
        });
        Self {
            points_per_wavelength: worst.0,
            resolved_frequency: setup.method.max_frequency * worst.0 / setup.method.points_per_wavelength,
            element: worst.1 as u32,
            centre: mesh.centroid(worst.1 as u32),
        }
    }
}

/// Points per wavelength of the slowest wave at the highest frequency along the longest edge of every element.
pub fn points_per_wavelength(mesh: &HexMesh, quality: &QualityReport, setup: &Setup) -> Vec<f64> {
    let (method, speeds) = (&setup.method, WaveSpeeds::new(&setup.model));
    let points = |element: usize| {
        let [low, high] = vertical_extent(mesh, element as u32);
        let wavelength = speeds.slowest(usize::from(mesh.region[element]), low, high) / method.max_frequency;
        method.degree as f64 * wavelength / quality.elements[element].edge_max
    };
    (0..mesh.n_elements()).map(points).collect()
}

/// Lowest and highest corner of an element [m].
fn vertical_extent(mesh: &HexMesh, element: u32) -> [f64; 2] {
    let heights = mesh.corners_of(element).map(|corner| mesh.control_nodes[corner as usize][2]);
    let extremes = |[low, high]: [f64; 2], z: f64| [low.min(z), high.max(z)];
    heights.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], extremes)
}
