//! The block of SPECFEM3D's internal mesher: layers between interfaces.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use craton_formats::FormatError;
use craton_formats::hex_mesh::specfem::MaterialKind;
use craton_formats::specfem::{Interface, Interfaces, MeshParFile, Region};
use craton_model::geodesy::Utm;

use crate::error::Error;

/// A block as parts of a scenario.
pub struct Block {
    /// The table `domain`, without projection.
    pub domain: String,
    /// The table `model`.
    pub model: String,
    /// Highest frequency [Hz] that the elements resolve with four points per wavelength, in whole elements.
    pub frequency: f64,
    /// As `frequency`, of the original mesh, whose elements are wider below its doublings.
    pub coarsest: f64,
    /// Grids of interfaces: name and ESRI ASCII text.
    pub files: Vec<(PathBuf, String)>,
    /// Number of doublings.
    pub doublings: usize,
}

/// A layer of one material: first and last element layer, from 1, and the material.
type Layer = ([usize; 2], i64);

/// Reads the parameters of a mesher.
///
/// # Arguments
/// * `set_up` – folder of the set-up
/// * `attenuates` – whether quality factors have an effect
/// * `tomography` – folder of tomographic models, relative to `set_up`
/// # Errors
/// Unreadable files; regions that do not extend across the block; layers that end between interfaces that are not flat.
pub fn read(set_up: &Path, attenuates: bool, tomography: &str) -> Result<Block, Error> {
    let path = &set_up.join("DATA/meshfem3D_files/Mesh_Par_file");
    let mesh = MeshParFile::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let interfaces = Interfaces::read(&folder.join(&mesh.interfaces_file))?;
    refuse_cavities(&mesh, folder)?;
    let [x, y] = extent(&mesh, path)?;
    let layers = layers(&mesh, path)?;
    let mut files = Vec::new();
    let mut tops = Vec::with_capacity(layers.len());
    for (index, &(range, _)) in layers.iter().enumerate() {
        let name = format!("interface_{}.asc", layers.len() - index);
        tops.push(top(&mesh, &interfaces, range[1], [x, y], &name, &mut files, path)?);
    }
    // From the top down.
    tops.reverse();
    let bottom = -mesh.depth();
    let mut domain = format!("[domain]\nx = [{:?}, {:?}]\ny = [{:?}, {:?}]\n", x[0], x[1], y[0], y[1]);
    let highest = highest(&interfaces);
    let _ = writeln!(domain, "z = [{bottom:?}, {highest:?}]");
    if let Top::File(name) = &tops[0] {
        let _ = writeln!(domain, "topography = {name:?}");
    }
    let width = ((x[1] - x[0]) / mesh.elements[0] as f64).max((y[1] - y[0]) / mesh.elements[1] as f64);
    let model = model(&mesh, &layers, &tops, attenuates, (set_up, tomography), path)?;
    let of_layer = |layer: &Layer| slowest(&mesh, std::slice::from_ref(layer)) / widening(&mesh, layer.0[0]) / width;
    let coarsest = layers.iter().map(of_layer).fold(f64::INFINITY, f64::min);
    let frequency = slowest(&mesh, &layers) / width;
    Ok(Block { domain, model, frequency, coarsest, files, doublings: mesh.doublings.len() })
}

/// Limits along x and y [m].
fn extent(mesh: &MeshParFile, path: &Path) -> Result<[[f64; 2]; 2], Error> {
    let (x, y) = (mesh.longitude_or_x, mesh.latitude_or_y);
    if mesh.is_cartesian {
        return Ok([x, y]);
    }
    let refuse = |error: craton_model::ModelError| {
        Error::Format(FormatError::Layout {
            path: path.to_owned(),
            line: 1,
            problem: error.to_string(),
            hint: "correct UTM_PROJECTION_ZONE or the limits".to_owned(),
        })
    };
    let zone = Utm::new(mesh.utm_zone.unsigned_abs() as u8, mesh.utm_zone < 0).map_err(refuse)?;
    let corner = |end: usize| zone.forward(x[end], y[end]).map_err(refuse);
    let [low, high] = [corner(0)?, corner(1)?];
    Ok([[low[0], high[0]], [low[1], high[1]]])
}

/// Refuses a mesh with cavities.
///
/// # Errors
/// A file of cavities with at least one.
fn refuse_cavities(mesh: &MeshParFile, folder: &Path) -> Result<(), Error> {
    let Some(file) = mesh.cavity_file.as_ref().map(|name| folder.join(name)).filter(|file| file.exists()) else {
        return Ok(());
    };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut words = text.lines().map(|line| line.split('#').next().unwrap_or_default()).flat_map(str::split_whitespace);
    match words.next().is_some_and(|count| count != "0") {
        true => Err(unsupported(&file, "the mesh has cavities".to_owned(), WRITE_MESH)),
        false => Ok(()),
    }
}

/// How to import a mesh that is not made of layers.
const WRITE_MESH: &str =
    "let the mesher write its mesh with SAVE_MESH_AS_CUBIT = .true. on one process, and import it with --mesh MESH";

/// The region that gives a layer of elements another material than most of it: the last region that contains an element gives its material.
fn patch(mesh: &MeshParFile, number: usize) -> Option<&Region> {
    let [nx, ny] = mesh.elements;
    let mut painted = vec![None; nx * ny];
    let here = |region: &&Region| (region.z[0]..=region.z[1]).contains(&number);
    for region in mesh.regions.iter().filter(here) {
        for j in region.eta[0]..=region.eta[1] {
            painted[(j - 1) * nx..][region.xi[0] - 1..region.xi[1]].fill(Some(region.material));
        }
    }
    let is_uniform = painted.iter().all(|material| *material == painted[0]);
    let is_whole = |region: &&Region| region.xi == [1, nx] && region.eta == [1, ny];
    mesh.regions.iter().filter(here).find(|region| !is_uniform && !is_whole(region))
}

/// The layers from the bottom up.
fn layers(mesh: &MeshParFile, path: &Path) -> Result<Vec<Layer>, Error> {
    let count = mesh.regions.iter().map(|region| region.z[1]).max().unwrap_or(0);
    if let Some(part) = (1..=count).find_map(|number| patch(mesh, number)) {
        let problem = format!(
            "the region of material {} covers only elements {} to {} along x and {} to {} along y",
            part.material, part.xi[0], part.xi[1], part.eta[0], part.eta[1]
        );
        return Err(unsupported(path, problem, WRITE_MESH));
    }
    let mut layers: Vec<Layer> = Vec::new();
    for number in 1..=count {
        let region = mesh.regions.iter().rev().find(|region| (region.z[0]..=region.z[1]).contains(&number));
        let region = region.ok_or_else(|| {
            unsupported(path, format!("no region contains layer {number} of the elements"), "add a region")
        })?;
        match layers.last_mut() {
            Some((range, material)) if *material == region.material => range[1] = number,
            _ => layers.push(([number, number], region.material)),
        }
    }
    Ok(layers)
}

/// The top of a layer.
enum Top {
    Flat(f64),
    /// Name of a grid file.
    File(String),
}

/// The top of the layer whose highest layer of elements has a number.
fn top(
    mesh: &MeshParFile,
    interfaces: &Interfaces,
    number: usize,
    extent: [[f64; 2]; 2],
    name: &str,
    files: &mut Vec<(PathBuf, String)>,
    path: &Path,
) -> Result<Top, Error> {
    let mut below = (0, None);
    for (interface, count) in interfaces.interfaces.iter().zip(&interfaces.layers) {
        let end = below.0 + count;
        if number == end {
            return Ok(match level(interface) {
                Some(z) => Top::Flat(z),
                None => {
                    files.push((PathBuf::from(name), esri(&padded(interface, mesh, extent))));
                    Top::File(name.to_owned())
                }
            });
        }
        if number < end {
            let low = below.1.map_or(Some(-mesh.depth()), level);
            let (Some(low), Some(high)) = (low, level(interface)) else {
                let problem =
                    format!("a material ends at layer {number} of the elements, between interfaces that are not flat");
                return Err(unsupported(path, problem, "add an interface there, or import the mesh with --mesh"));
            };
            return Ok(Top::Flat(low + (high - low) * (number - below.0) as f64 / *count as f64));
        }
        below = (end, Some(interface));
    }
    Err(unsupported(
        path,
        format!("regions extend to element layer {number}, above the uppermost interface"),
        "correct NZ_END",
    ))
}

/// The elevation of a flat interface [m].
fn level(interface: &Interface) -> Option<f64> {
    let first = interface.values[0];
    interface.values.iter().all(|value| *value == first).then_some(first)
}

/// A height above the uppermost interface [m], which overshoots its values where it is interpolated.
fn highest(interfaces: &Interfaces) -> f64 {
    let Some(top) = interfaces.interfaces.last() else { return 0.0 };
    let values = top.values.iter().copied();
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)]);
    high + 0.2 * (high - low)
}

/// An interface that covers the block: the mesher continues the values at its edges.
///
/// # Arguments
/// * `extent` – limits along x and y [m]
fn padded(interface: &Interface, mesh: &MeshParFile, extent: [[f64; 2]; 2]) -> Interface {
    let mut padded = interface.clone();
    for axis in 0..2 {
        // Rows along an axis of the flipped grid ascend.
        if padded.spacing[axis] < 0.0 {
            padded = flipped(&padded, axis);
        }
    }
    let range = if interface.is_geographic { [mesh.longitude_or_x, mesh.latitude_or_y] } else { extent };
    let (counts, spacing) = (padded.counts, padded.spacing);
    let more = [0, 1].map(|axis| {
        let last = padded.origin[axis] + (counts[axis] - 1) as f64 * spacing[axis];
        // Rectangles in UTM coordinates extend beyond their corners in degrees.
        let margin = if interface.is_geographic { 0.1 * (range[axis][1] - range[axis][0]) } else { 0.0 };
        let needed = |missing: f64| if missing > 0.0 { (missing / spacing[axis]).ceil() as usize } else { 0 };
        [needed(padded.origin[axis] - (range[axis][0] - margin)), needed(range[axis][1] + margin - last)]
    });
    let [nx, ny] = [0, 1].map(|axis| counts[axis] + more[axis][0] + more[axis][1]);
    let inside = |index: usize, axis: usize| index.saturating_sub(more[axis][0]).min(counts[axis] - 1);
    let value = |index: usize| padded.values[inside(index / nx, 1) * counts[0] + inside(index % nx, 0)];
    Interface {
        values: (0..nx * ny).map(value).collect(),
        counts: [nx, ny],
        origin: [0, 1].map(|axis| padded.origin[axis] - more[axis][0] as f64 * spacing[axis]),
        ..padded
    }
}

/// An interface with the points along an axis in reverse order.
fn flipped(interface: &Interface, axis: usize) -> Interface {
    let [nx, ny] = interface.counts;
    let value = |index: usize| {
        let (i, j) = (index % nx, index / nx);
        let [i, j] = if axis == 0 { [nx - 1 - i, j] } else { [i, ny - 1 - j] };
        interface.values[j * nx + i]
    };
    let mut flipped = Interface { values: (0..nx * ny).map(value).collect(), ..interface.clone() };
    flipped.origin[axis] += (interface.counts[axis] - 1) as f64 * interface.spacing[axis];
    flipped.spacing[axis] = -interface.spacing[axis];
    flipped
}

/// An interface as ESRI ASCII grid, whose first row is the northernmost.
fn esri(interface: &Interface) -> String {
    let Interface { counts: [nx, ny], origin, spacing, values, .. } = interface;
    let mut text = format!("ncols {nx}\nnrows {ny}\nxllcenter {}\nyllcenter {}\n", origin[0], origin[1]);
    let _ = match spacing[0] == spacing[1] {
        true => writeln!(text, "cellsize {}", spacing[0]),
        false => writeln!(text, "dx {}\ndy {}", spacing[0], spacing[1]),
    };
    for row in values.chunks(*nx).rev() {
        let words: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&words.join(" "));
        text.push('\n');
    }
    text
}

/// The table of the model.
fn model(
    mesh: &MeshParFile,
    layers: &[Layer],
    tops: &[Top],
    attenuates: bool,
    (set_up, tomography): (&Path, &str),
    path: &Path,
) -> Result<String, Error> {
    let material = |number: i64| mesh.materials.iter().find(|material| material.number == number);
    let mut text = String::from("[model.layered]\nlayers = [\n");
    for (index, &(_, number)) in layers.iter().rev().enumerate() {
        let top = match (&tops[index], index) {
            (_, 0) => String::new(),
            (Top::Flat(z), _) => format!("top = {z:?}, "),
            (Top::File(name), _) => format!("top = {name:?}, "),
        };
        match material(number).map(|material| &material.kind) {
            Some(kind @ MaterialKind::Homogeneous { .. }) => {
                let _ = writeln!(text, "    {{ {top}{} }},", of_material(kind, attenuates));
            }
            Some(MaterialKind::Tomography { file, is_fluid }) if layers.len() == 1 => {
                refuse_fluid(*is_fluid, path)?;
                return volume("[model.volume]", set_up, &format!("{tomography}{file}"), attenuates);
            }
            _ => {
                let problem = format!("material {number} is a tomographic model next to other materials");
                return Err(unsupported(path, problem, "import the mesh with --mesh"));
            }
        }
    }
    text.push_str("]\n");
    Ok(text)
}

/// Keys of a homogeneous material.
pub fn of_material(kind: &MaterialKind, attenuates: bool) -> String {
    let MaterialKind::Homogeneous { rho, vp, vs, qkappa, qmu } = kind else { return String::new() };
    let mut text = format!("vp = {vp:?}, vs = {vs:?}, rho = {rho:?}");
    let qualities = [("qkappa", qkappa), ("qmu", qmu)].into_iter().filter_map(|(key, value)| Some((key, (*value)?)));
    for (key, value) in qualities.filter(|_| attenuates) {
        let _ = write!(text, ", {key} = {value:?}");
    }
    text
}

/// A table of files of a tomographic model.
///
/// # Arguments
/// * `set_up` – the folder to which the name of the file is relative
/// # Errors
/// An unreadable file.
pub fn volume(table: &str, set_up: &Path, file: &str, attenuates: bool) -> Result<String, Error> {
    let columns = craton_formats::xyz::columns(&set_up.join(file))?;
    let keys = ["vp", "vs", "rho", "qp", "qs"].into_iter().take(if attenuates { 5 } else { 3 });
    let line = |key: &str| format!("{key} = {{ file = {file:?}, format = \"text\", variable = {key:?} }}\n");
    let lines: String = keys.filter(|key| columns.iter().any(|column| column == key)).map(line).collect();
    Ok(format!("{table}\n{lines}"))
}

/// Refuses a fluid with a tomographic model, whose volume would be solid.
///
/// # Errors
/// A fluid.
pub fn refuse_fluid(is_fluid: bool, path: &Path) -> Result<(), Error> {
    match is_fluid {
        true => Err(unsupported(
            path,
            "a fluid has a tomographic model".to_owned(),
            "give the fluid a homogeneous material",
        )),
        false => Ok(()),
    }
}

/// Width of the elements of a layer, counted from the bottom, over that at the top.
fn widening(mesh: &MeshParFile, number: usize) -> f64 {
    2_f64.powi(mesh.doublings.iter().filter(|&&doubling| number <= doubling).count() as i32)
}

/// Speed of the slowest wave of the homogeneous materials [m/s].
fn slowest(mesh: &MeshParFile, layers: &[Layer]) -> f64 {
    let of_layer = |&(_, number): &Layer| {
        let material = mesh.materials.iter().find(|material| material.number == number)?;
        match material.kind {
            MaterialKind::Homogeneous { vp, vs, .. } => Some(if vs > 0.0 { vs } else { vp }),
            MaterialKind::Tomography { .. } => None,
        }
    };
    let slowest = layers.iter().filter_map(of_layer).fold(f64::INFINITY, f64::min);
    if slowest.is_finite() { slowest } else { 1000.0 }
}

/// The error of a set-up that Craton cannot import.
pub fn unsupported(path: &Path, problem: String, hint: &str) -> Error {
    Error::Format(FormatError::Layout { path: path.to_owned(), line: 1, problem, hint: hint.to_owned() })
}
