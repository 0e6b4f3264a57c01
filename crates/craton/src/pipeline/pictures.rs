//! Pictures of a run: model, seismograms and mesh.

use std::path::{Path, PathBuf};

use craton_acquisition::{Mechanism, Quantity};
use craton_formats::FormatError;
use craton_formats::vtk::{CellBlock, CellKind, Field, Mesh, NodeOrder, Values, write_vtu};
use craton_mesh::{ElementQuality, FACE_CORNERS, Geometry, HexMesh, QualityReport};
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame, Sphere};
use craton_model::{EarthModel, Elasticity, Medium};
use craton_view::{
    Height, MapOptions, MeshColours, MeshFace, MeshOptions, ModelOptions, ModelView, Raster, RecordSectionOptions,
    SeismogramOptions, SourceMark, StationMark, Trace as ViewTrace,
};

use super::arrivals;
use crate::error::Error;
use crate::meshing;
use crate::plot::view;
use crate::setup::Setup;
use crate::simulation::Output;
use crate::snapshots::{Cut, GreatCircle};
use crate::traces::{DEGREE, Trace, word_of};

/// Largest number of stations in a picture of seismograms.
const MOST_STATIONS: usize = 20;
/// Smallest number of stations of a chunk of the Earth for a record section.
const FEWEST_OF_A_SECTION: usize = 5;

/// Draws the S-wave speed with sources and stations.
///
/// # Errors
/// A picture that cannot be written.
pub fn model(setup: &Setup, output: &mut Output) -> Result<(), Error> {
    const FILE: &str = "model.png";
    let speeds = ShearSpeeds::new(setup);
    if let Some(sphere) = setup.frame.sphere().filter(|sphere| sphere.is_globe()) {
        globe(setup, sphere, &speeds, &output.folder.file(FILE)?)?;
        output.files.push(FILE.to_owned());
        return Ok(());
    }
    let property = |position: [f64; 3]| speeds.at(position);
    let heights: Vec<Box<Height>> = setup.model.regions().iter().map(|region| height(&region.top)).collect();
    let heights: Vec<&Height> = heights.iter().map(|height| &**height).collect();
    let source = |source: &craton_acquisition::Source| SourceMark {
        position: source.position(),
        moment_tensor: match along_the_model(source, &setup.frame) {
            Mechanism::Moment(tensor) => Some(tensor.to_voigt()),
            Mechanism::Force(_) => None,
        },
    };
    let station = |receiver: &craton_acquisition::Receiver| StationMark {
        label: receiver.station().to_owned(),
        position: receiver.position(),
    };
    let hypocentres = setup.faults.iter().map(|fault| {
        let point = fault.hypocentre();
        SourceMark { position: point.position, moment_tensor: Some(point.moment.to_voigt()) }
    });
    let view = ModelView {
        domain: [setup.x, setup.y, setup.z],
        property: &property,
        topography: Some(heights[0]),
        // The regions of a mesh have its surface in common.
        interfaces: if setup.mesh.is_some() { &[] } else { &heights[1..] },
        sources: &setup.sources.iter().map(source).chain(hypocentres).collect::<Vec<_>>(),
        stations: &setup.receivers.iter().map(station).collect::<Vec<_>>(),
    };
    let options = ModelOptions { title: setup.title.clone(), ..ModelOptions::default() };
    craton_view::model_section(&view, &options, output.folder.file(FILE)?)?;
    output.files.push(FILE.to_owned());
    Ok(())
}

/// Draws the S-wave speed in the plane of the great circle to the east and west of the first source, with the sources and stations near it.
fn globe(setup: &Setup, sphere: &Sphere, speeds: &ShearSpeeds, file: &Path) -> Result<(), Error> {
    /// Number of points along each side.
    const POINTS: usize = 900;
    let centre = setup.source_positions().next().unwrap_or_default();
    let plane = Cut::GreatCircle(GreatCircle::eastwards(sphere, centre));
    let reach = sphere.largest_radius(setup.z[1]);
    let at = |index: usize| reach * (2.0 * index as f64 / (POINTS - 1) as f64 - 1.0);
    let value = |index: usize| speeds.at(plane.position([at(index % POINTS), at(index / POINTS)]));
    let values: Vec<f64> = (0..POINTS * POINTS).map(value).collect();
    let near = |position: [f64; 3]| {
        let (away, place) = plane.project(position);
        (away < 0.02 * EARTH_RADIUS).then_some(place)
    };
    let ends = [-reach, reach];
    let raster = Raster { size: [POINTS; 2], x: ends, y: ends, values: &values };
    let options = MapOptions {
        title: [setup.title.as_str(), &plane.title()].join(" – "),
        axes: ["x", "z"].map(String::from),
        quantity: "vs".to_owned(),
        unit: "m/s".to_owned(),
        colours: ModelOptions::default().colours,
        sources: setup.source_positions().filter_map(near).collect(),
        stations: setup.receivers.iter().filter_map(|receiver| near(receiver.position())).collect(),
        ..MapOptions::default()
    };
    Ok(craton_view::map(&raster, &options, file)?)
}

fn height(interface: &craton_model::Interface) -> Box<Height<'_>> {
    Box::new(|[x, y]| interface.elevation(x, y))
}

/// S-wave speeds, sampled at every pixel; those of homogeneous regions are computed once.
struct ShearSpeeds<'a> {
    model: &'a EarthModel,
    constant: Vec<Option<f64>>,
    /// Depth below a position [m] at which regions are looked up: in a mesh, a position on the ground is on a face of an element, which takes longer to find.
    below: f64,
}

impl<'a> ShearSpeeds<'a> {
    fn new(setup: &'a Setup) -> Self {
        let model = &setup.model;
        let regions = 0..model.regions().len();
        let speed = |region| model.is_constant(region).then(|| shear_speed(&model.medium(region, [0.0; 3])));
        let below = if setup.mesh.is_some() { 1e-6 * (setup.z[1] - setup.z[0]) } else { 0.0 };
        Self { model, constant: regions.map(speed).collect(), below }
    }

    /// The speed at a position [m/s]; NaN above the ground.
    fn at(&self, position: [f64; 3]) -> f64 {
        let [x, y, z] = position;
        let surface = self.model.surface();
        if z > surface.floor() && z > surface.elevation(x, y) {
            return f64::NAN;
        }
        let region = self.model.region_at([x, y, z - self.below]);
        let varying = || match self.model.medium(region, position).elasticity() {
            Elasticity::Isotropic { vs, .. } => *vs,
            // An estimate for all directions without a search.
            _ => self.model.slowest(region, z, z),
        };
        self.constant[region].unwrap_or_else(varying)
    }
}

/// The slowest speed over all directions in an anisotropic medium.
fn shear_speed(medium: &Medium) -> f64 {
    match medium.elasticity() {
        Elasticity::Isotropic { vs, .. } => *vs,
        _ => medium.slowest(),
    }
}

/// Mechanism of a source in model coordinates at its position: rotated from east and north in a chunk of the sphere.
fn along_the_model(source: &craton_acquisition::Source, frame: &LocalFrame) -> Mechanism {
    let [x, y, z] = source.position();
    if frame.sphere().is_none() {
        return *source.mechanism();
    }
    let [east, north, up] = frame.axes_at([x, y]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (here, there) = (frame.to_space([x, y, z]), frame.to_space([x + 1.0, y, z]));
    let along: [f64; 3] = std::array::from_fn(|c| there[c] - here[c]);
    let turn = dot(along, north).atan2(dot(along, east));
    let (sin, cos) = turn.sin_cos();
    debug_assert!(dot(along, up).abs() < 1e-3);
    source.mechanism().along(&[[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
}

/// Draws seismograms, one picture per quantity; with many stations a selection, and a record section of all.
///
/// # Errors
/// A picture that cannot be written.
pub fn seismograms(setup: &Setup, traces: &[Trace], output: &mut Output) -> Result<(), Error> {
    for &quantity in &setup.quantities {
        let traces: Vec<&Trace> = traces.iter().filter(|trace| trace.name.quantity == Some(quantity)).collect();
        let file = |kind: &str| match setup.quantities.len() {
            1 => format!("{kind}.png"),
            _ => format!("{kind}_{}.png", word_of(quantity)),
        };
        let (some, chosen) = legible(&traces, setup.receivers.len());
        let title = titled(setup, quantity, &chosen);
        let options = SeismogramOptions { title, unit: quantity.unit().to_owned(), ..Default::default() };
        let picture = file("seismograms");
        craton_view::seismograms(&some, &options, output.folder.file(&picture)?)?;
        output.files.push(picture);
        let on_the_globe = setup.frame.sphere().is_some() && setup.receivers.len() >= FEWEST_OF_A_SECTION;
        if (setup.receivers.len() > MOST_STATIONS || on_the_globe) && !setup.sources.is_empty() {
            let (title, unit) = (titled(setup, quantity, ""), quantity.unit().to_owned());
            let farthest = traces.iter().filter_map(|trace| trace.offset).fold(0.0, f64::max);
            let curves = arrivals::curves(setup, farthest);
            let degree = setup.frame.sphere().map(|_| DEGREE);
            let options = RecordSectionOptions { title, unit, degree, curves, ..Default::default() };
            let all: Vec<ViewTrace> = traces.iter().map(|trace| view(trace)).collect();
            let picture = file("section");
            craton_view::record_section(&all, &options, output.folder.file(&picture)?)?;
            output.files.push(picture);
        }
    }
    Ok(())
}

/// The traces of a readable number of stations, evenly selected, and a note about the selection.
fn legible<'a>(traces: &[&'a Trace], stations: usize) -> (Vec<ViewTrace<'a>>, String) {
    let per_station = traces.len() / stations.max(1);
    let shown = stations.min(MOST_STATIONS);
    let chosen = (0..shown).map(|index| index * (stations - 1) / (shown - 1).max(1));
    let views = chosen.flat_map(|station| &traces[station * per_station..][..per_station]).map(|trace| view(trace));
    let note = if shown < stations { format!("{shown} of {stations} stations") } else { String::new() };
    (views.collect(), note)
}

fn titled(setup: &Setup, quantity: Quantity, note: &str) -> String {
    let parts = [setup.title.as_str(), word_of(quantity), note];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" – ")
}

/// P-wave and S-wave speeds [m/s] and density [kg/m^3] at the centre of every element, on its side of interfaces.
///
/// For an anisotropic medium, the fastest and the slowest speed over all directions.
fn materials(model: &EarthModel, frame: &LocalFrame, mesh: &HexMesh) -> [Vec<f32>; 3] {
    let values = |medium: &Medium| {
        let speeds = match medium.elasticity() {
            Elasticity::Isotropic { vp, vs } => [*vp, *vs],
            _ => [medium.fastest(), medium.slowest()],
        };
        [speeds[0], speeds[1], medium.rho()].map(|value| value as f32)
    };
    let constant = |region| model.is_constant(region).then(|| values(&model.medium(region, [0.0; 3])));
    // The search over all directions takes long.
    let constant: Vec<Option<[f32; 3]>> = (0..model.regions().len()).map(constant).collect();
    let mut materials: [Vec<f32>; 3] = std::array::from_fn(|_| Vec::with_capacity(mesh.n_elements()));
    for (element, &region) in mesh.region.iter().enumerate() {
        let region = usize::from(region);
        let varying = || {
            let position = frame.from_space(mesh.centroid(element as u32));
            let (medium, z) = (model.medium(region, position), position[2]);
            match medium.elasticity() {
                Elasticity::Isotropic { .. } => values(&medium),
                _ => [model.fastest(region, z, z), model.slowest(region, z, z), medium.rho()].map(|value| value as f32),
            }
        };
        let found = constant[region].unwrap_or_else(varying);
        materials.iter_mut().zip(found).for_each(|(values, value)| values.push(value));
    }
    materials
}

/// Writes a mesh with the material and quality of its elements, `mesh.vtu`, and draws its surface, `mesh.png`.
///
/// # Returns
/// The files.
/// # Errors
/// A folder or file that cannot be written.
pub fn mesh(setup: &Setup, mesh: &HexMesh, quality: &QualityReport, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    std::fs::create_dir_all(folder).map_err(|source| FormatError::Io {
        path: folder.to_owned(),
        action: "create the folder",
        source,
        hint: "choose a folder with write permission",
    })?;
    let files = vec![folder.join("mesh.vtu"), folder.join("mesh.png")];
    write_mesh(setup, mesh, quality, &files[0])?;
    draw_mesh(setup, mesh, &files[1])?;
    Ok(files)
}

fn write_mesh(setup: &Setup, mesh: &HexMesh, quality: &QualityReport, file: &Path) -> Result<(), Error> {
    let kind = match mesh.geometry {
        Geometry::Linear8 => CellKind::Hexahedron,
        Geometry::Quadratic27 => CellKind::TriquadraticHexahedron,
    };
    let measured = |measure: fn(&ElementQuality) -> f64| -> Vec<f64> { quality.elements.iter().map(measure).collect() };
    let regions: Vec<i32> = mesh.region.iter().map(|&region| i32::from(region)).collect();
    let measures = [
        ("scaled Jacobian", measured(|quality| quality.scaled_jacobian)),
        ("aspect ratio", measured(|quality| quality.aspect_ratio)),
        ("skew", measured(|quality| quality.skew)),
        ("shortest edge [m]", measured(|quality| quality.edge_min)),
        ("longest edge [m]", measured(|quality| quality.edge_max)),
        ("volume [m^3]", measured(|quality| quality.volume)),
        ("points per wavelength", meshing::points_per_wavelength(mesh, quality, setup)),
    ];
    let [vp, vs, rho] = materials(&setup.model, &setup.frame, mesh);
    let materials = [("vp [m/s]", &vp), ("vs [m/s]", &vs), ("rho [kg/m^3]", &rho)];
    let materials = materials.map(|(name, values)| Field { name, components: 1, values: Values::F32(values) });
    let region = Field { name: "region", components: 1, values: Values::I32(&regions) };
    let fields = measures.iter().map(|(name, values)| Field { name, components: 1, values: Values::F64(values) });
    let fields: Vec<Field> = std::iter::once(region).chain(materials).chain(fields).collect();
    let cells = CellBlock { kind, nodes: &mesh.connectivity, order: NodeOrder::Lexicographic };
    let whole = Mesh { points: &mesh.control_nodes, cells: &[cells], point_data: &[], cell_data: &fields, time: None };
    Ok(write_vtu(file, &whole)?)
}

fn draw_mesh(setup: &Setup, mesh: &HexMesh, file: &Path) -> Result<(), Error> {
    let face = |face: &craton_mesh::BoundaryFace| {
        let corners = mesh.corners_of(face.element);
        let [a, b, c, d] = FACE_CORNERS[usize::from(face.face)];
        MeshFace {
            // In cyclic order around the face.
            corners: [a, b, d, c].map(|corner| mesh.control_nodes[corners[corner] as usize]),
            value: f64::from(mesh.region[face.element as usize]),
        }
    };
    let faces: Vec<MeshFace> = mesh.faces.iter().map(face).collect();
    let regions = 0..setup.model.regions().len();
    let options = MeshOptions {
        title: setup.title.clone(),
        note: format!("{} elements of {} control nodes", mesh.n_elements(), mesh.geometry.per_element()),
        colours: MeshColours::Regions(regions.map(|region| format!("layer {}", region + 1)).collect()),
        ..MeshOptions::default()
    };
    Ok(craton_view::mesh_picture(&faces, &options, file)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_acquisition::{MomentTensor, Source, TimeFunction};
    use craton_model::geodesy::Latitudes;

    #[test]
    fn a_mechanism_is_rotated_with_its_chunk() {
        // Pressure towards north and south.
        let tensor = MomentTensor::new([0.0, 1e18, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let pulse = TimeFunction::gaussian_of_half_duration(1.0, 0.0).unwrap();
        let chunk = Sphere::chunk(20.0, 60.0, 35.0, Latitudes::Geocentric).unwrap();
        for [x, y] in [[0.0, 0.0], [2.5e6, 1.5e6], [-1e6, 2e6]] {
            // Azimuth of the x axis of the chunk, from longitudes and latitudes [radians, clockwise from north].
            let (west, east) = (chunk.inverse([x - 1.0, y]), chunk.inverse([x + 1.0, y]));
            let middle = chunk.inverse([x, y])[1].to_radians();
            let azimuth = ((east[0] - west[0]) * middle.cos()).atan2(east[1] - west[1]);
            let source = Source::new("it", [x, y, -1e5], Mechanism::Moment(tensor), pulse.clone()).unwrap();
            let Mechanism::Moment(turned) = along_the_model(&source, &LocalFrame::on_sphere(chunk)) else { panic!() };
            // The component of north along x is the cosine of that azimuth, and to the left of x its sine.
            let (north, left) = (azimuth.cos(), azimuth.sin());
            let expected = [north * north, left * left, 0.0, 0.0, 0.0, north * left];
            for (found, expected) in turned.to_voigt().into_iter().zip(expected) {
                assert!((found - 1e18 * expected).abs() < 1e12, "{x} {y}: {found:e} {expected}");
            }
        }
        let straight = LocalFrame::new(craton_model::geodesy::Projection::None, [0.0; 2]).unwrap();
        let source = Source::new("it", [0.0; 3], Mechanism::Moment(tensor), pulse).unwrap();
        assert_eq!(along_the_model(&source, &straight), Mechanism::Moment(tensor));
    }
}
