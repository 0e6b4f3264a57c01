//! Meshes of SPECFEM3D Cartesian: a folder with text files, as CUBIT, Trelis, Gmsh and `xmeshfem3D` export them.
//!
//! | file | lines after the number of lines |
//! |---|---|
//! | `nodes_coords_file` | node, x, y, z |
//! | `mesh_file` | element, 8 or 27 nodes |
//! | `materials_file` (without a number of lines) | element, material |
//! | `nummaterial_velocity_file` (without a number of lines) | see [`Material`] |
//! | `absorbing_surface_file_xmin` and other sides, `free_or_absorbing_surface_file_zmax` | element, 4 or 9 nodes of its face |

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::SplitWhitespace;

use super::{CORNERS_AND_EDGES, Group, HexMeshFile, MarkedFace, lexicographic};
use crate::error::{FormatError, Result};
use crate::text::{Place, data_lines, end_of, read_text};

/// Names of the sides, and the words that follow `surface_file_` in the names of their files.
const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "bottom", "zmax"];

/// Name of the file with the materials.
pub const MATERIALS: &str = "nummaterial_velocity_file";

/// Places of the last seven of 27 nodes: bottom, front, right, back, left, top, centre.
const CENTRES: [[u8; 3]; 7] = [[1, 1, 0], [1, 0, 1], [2, 1, 1], [1, 2, 1], [0, 1, 1], [1, 1, 2], [1, 1, 1]];

/// A line of `nummaterial_velocity_file`.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its number in `materials_file`.
    pub number: i64,
    /// Its properties.
    pub kind: MaterialKind,
}

/// The properties of a material.
#[derive(Clone, Debug, PartialEq)]
pub enum MaterialKind {
    /// A homogeneous medium.
    Homogeneous {
        /// Density [kg/m^3].
        rho: f64,
        /// Speed of P waves [m/s].
        vp: f64,
        /// Speed of S waves [m/s]; 0 in a fluid.
        vs: f64,
        /// Quality factor of the bulk modulus; `None` for 0, or 9999 and more, which mean no attenuation.
        qkappa: Option<f64>,
        /// Quality factor of the shear modulus, as `qkappa`.
        qmu: Option<f64>,
    },
    /// A tomographic model in a file, named relative to the folder of tomographic models.
    Tomography {
        /// Name of the file.
        file: String,
        /// Whether the medium is a fluid.
        is_fluid: bool,
    },
}

/// Reads the mesh in a folder. Blocks are named by the numbers of their materials, sides `xmin`, `xmax`, `ymin`, `ymax`, `bottom` and `zmax`.
///
/// # Errors
/// A missing file, except those of the sides; a line that is incomplete or inconsistent with the others.
pub fn read(folder: &Path) -> Result<HexMeshFile> {
    let mut mesh = HexMeshFile::default();
    let number_of_node = nodes(&folder.join("nodes_coords_file"), &mut mesh)?;
    let number_of_element = elements(&folder.join("mesh_file"), &number_of_node, &mut mesh)?;
    blocks(&folder.join("materials_file"), &number_of_element, &mut mesh)?;
    for side in SIDES {
        let prefix = if side == "zmax" { "free_or_absorbing" } else { "absorbing" };
        let file = folder.join(format!("{prefix}_surface_file_{side}"));
        if file.exists() {
            faces(&file, side, &number_of_node, &mut mesh)?;
        }
    }
    mesh.checked(folder)
}

/// Reads `nummaterial_velocity_file` of a folder.
///
/// # Errors
/// An unreadable file; a line with too few words; poroelastic or anisotropic materials, which Craton does not have.
pub fn read_materials(folder: &Path) -> Result<Vec<Material>> {
    let path = folder.join(MATERIALS);
    let text = read_text(&path)?;
    // Exporters append notes that start with `!`.
    let lines = data_lines(&path, &text).filter(|(_, line)| !line.starts_with('!'));
    lines.map(|(place, line)| material(place, line)).collect()
}

/// The files of a folder with a mesh that exist, for records of a run.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let of_mesh = ["nodes_coords_file", "mesh_file", "materials_file", MATERIALS].map(str::to_owned);
    let of_sides = SIDES
        .map(|side| format!("{}_surface_file_{side}", if side == "zmax" { "free_or_absorbing" } else { "absorbing" }));
    let all = of_mesh.into_iter().chain(of_sides).map(|name| folder.join(name));
    all.filter(|file| file.exists()).collect()
}

fn material(place: Place, line: &str) -> Result<Material> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 5 {
        return Err(short(place, &words));
    }
    let is_fluid = is_fluid(place, words[0])?;
    let number = integer(place, "number of the material", words[1])?;
    if words[2].eq_ignore_ascii_case("tomography") {
        let file = words[4].to_owned();
        return Ok(Material { number, kind: MaterialKind::Tomography { file, is_fluid } });
    }
    if number <= 0 {
        return Err(place.bad_value(
            "material",
            words[2],
            "`tomography` for a negative number: Craton has no materials by interfaces",
        ));
    }
    // Older files have one quality factor, or a class of it, and the flag of anisotropy.
    let (qualities, flag) = match words.len() {
        8.. => ([Some(words[5]), Some(words[6])], words[7]),
        7 => ([None, Some(words[5])], words[6]),
        _ => return Err(short(place, &words)),
    };
    let kind = homogeneous(place, [words[2], words[3], words[4]], qualities, flag, is_fluid)?;
    let kind = if words.len() == 7 { of_class(kind) } else { kind };
    Ok(Material { number, kind })
}

/// A material whose quality factor may be a class of the first versions: 1 to 12 for 40 to 150 in steps of 10, 13 for bedrock without losses.
fn of_class(kind: MaterialKind) -> MaterialKind {
    let MaterialKind::Homogeneous { rho, vp, vs, qkappa, qmu: Some(class) } = kind else { return kind };
    let qmu = match class {
        13.0 => None,
        _ if (1.0..=12.0).contains(&class) && class.fract() == 0.0 => Some(30.0 + 10.0 * class),
        _ => Some(class),
    };
    MaterialKind::Homogeneous { rho, vp, vs, qkappa, qmu }
}

/// The error of a material with too few words.
fn short(place: Place, words: &[&str]) -> FormatError {
    place.layout(
        format!("a material has {} words", words.len()),
        "write `domain number rho vp vs Qkappa Qmu anisotropy`, or `domain number tomography elastic file 1` with a negative number",
    )
}

/// Whether a domain is a fluid.
pub(crate) fn is_fluid(place: Place, word: &str) -> Result<bool> {
    match integer(place, "domain", word)? {
        1 => Ok(true),
        2 => Ok(false),
        _ => Err(place.bad_value("domain", word, "1 (acoustic) or 2 (elastic): Craton has no poroelastic materials")),
    }
}

/// A homogeneous medium.
///
/// # Arguments
/// * `speeds` – density and speeds of P and S waves
/// * `qualities` – quality factors of bulk and shear modulus
/// * `flag` – class of anisotropy
pub(crate) fn homogeneous(
    place: Place,
    speeds: [&str; 3],
    qualities: [Option<&str>; 2],
    flag: &str,
    is_fluid: bool,
) -> Result<MaterialKind> {
    let quality = |word: Option<&str>, key: &str| -> Result<Option<f64>> {
        let quality = word.map(|word| place.finite(key, word)).transpose()?;
        Ok(quality.filter(|quality| (f64::MIN_POSITIVE..9999.0).contains(quality)))
    };
    let (qkappa, qmu) = (quality(qualities[0], "Qkappa")?, quality(qualities[1], "Qmu")?);
    if integer(place, "anisotropy", flag)? != 0 {
        return Err(place.bad_value(
            "anisotropy",
            flag,
            "0: the anisotropic models of SPECFEM3D are part of its source code",
        ));
    }
    let (rho, vp) = (place.finite("rho", speeds[0])?, place.finite("vp", speeds[1])?);
    let vs = place.finite("vs", speeds[2])?;
    Ok(MaterialKind::Homogeneous { rho, vp, vs: if is_fluid { 0.0 } else { vs }, qkappa, qmu })
}

pub(crate) fn integer(place: Place, key: &str, word: &str) -> Result<i64> {
    word.parse().map_err(|_| place.bad_value(key, word, "a whole number"))
}

/// Lines of a file after the first, which has their number.
fn counted<'a>(path: &'a Path, text: &'a str) -> Result<Vec<(Place<'a>, &'a str)>> {
    let mut lines = data_lines(path, text);
    let (place, first) =
        lines.next().ok_or_else(|| end_of(path, text).layout("the file is empty", "export the mesh again"))?;
    let count: usize = first
        .parse()
        .map_err(|_| place.bad_value("number of lines", first, "a whole number alone on the first line"))?;
    let all: Vec<_> = lines.collect();
    if all.len() < count {
        let problem = format!("the first line announces {count} lines, but there are {}", all.len());
        return Err(end_of(path, text).layout(problem, "export the mesh again: the file is incomplete"));
    }
    Ok(all.into_iter().take(count).collect())
}

/// Takes the next whole number of a line.
fn next(place: Place, words: &mut SplitWhitespace, what: &str) -> Result<i64> {
    let incomplete = || place.layout(format!("the line ends before {what}"), "export the mesh again");
    integer(place, what, words.next().ok_or_else(incomplete)?)
}

/// The index of a number that another file defines.
fn index_of(known: &HashMap<i64, u32>, number: i64, place: Place, what: &str, file: &str) -> Result<u32> {
    let unknown = || place.bad_value(what, &number.to_string(), format!("a number in `{file}`"));
    known.get(&number).copied().ok_or_else(unknown)
}

/// Reads the nodes; returns their indices by number.
fn nodes(path: &Path, mesh: &mut HexMeshFile) -> Result<HashMap<i64, u32>> {
    let text = read_text(path)?;
    let lines = counted(path, &text)?;
    let mut index_of = HashMap::with_capacity(lines.len());
    for (index, (place, line)) in lines.into_iter().enumerate() {
        let mut words = line.split_whitespace();
        let number = next(place, &mut words, "the number of the node")?;
        let mut position = [0.0; 3];
        for (x, axis) in position.iter_mut().zip(["x", "y", "z"]) {
            *x = place.finite(axis, words.next().unwrap_or_default())?;
        }
        mesh.nodes.push(position);
        if index_of.insert(number, index as u32).is_some() {
            return Err(place.layout(format!("node {number} occurs twice"), "export the mesh again"));
        }
    }
    Ok(index_of)
}

/// Reads the elements; returns their indices by number.
fn elements(path: &Path, nodes: &HashMap<i64, u32>, mesh: &mut HexMeshFile) -> Result<HashMap<i64, u32>> {
    let text = read_text(path)?;
    let lines = counted(path, &text)?;
    let places: Vec<[u8; 3]> = [0..8, 8..12, 16..20, 12..16]
        .into_iter()
        .flat_map(|range| CORNERS_AND_EDGES[range].iter().copied())
        .chain(CENTRES)
        .collect();
    let mut index_of_element = HashMap::with_capacity(lines.len());
    for (index, (place, line)) in lines.into_iter().enumerate() {
        let mut words = line.split_whitespace();
        let number = next(place, &mut words, "the number of the element")?;
        let of_element: Vec<u32> = words
            .map(|word| index_of(nodes, integer(place, "node", word)?, place, "node", "nodes_coords_file"))
            .collect::<Result<_>>()?;
        let count = of_element.len();
        if ![8, 27].contains(&count) || (index > 0 && count != mesh.nodes_per_element) {
            let problem = format!("element {number} has {count} nodes");
            return Err(place.layout(problem, "all elements must have 8 nodes, or all must have 27"));
        }
        mesh.nodes_per_element = count;
        mesh.elements.extend(lexicographic(&places, &of_element));
        if index_of_element.insert(number, index as u32).is_some() {
            return Err(place.layout(format!("element {number} occurs twice"), "export the mesh again"));
        }
    }
    Ok(index_of_element)
}

/// Reads the materials of the elements.
fn blocks(path: &Path, elements: &HashMap<i64, u32>, mesh: &mut HexMeshFile) -> Result<()> {
    let text = read_text(path)?;
    let mut block_of = vec![None; elements.len()];
    let mut blocks: HashMap<i64, u16> = HashMap::new();
    for (place, line) in data_lines(path, &text) {
        let mut words = line.split_whitespace();
        let number = next(place, &mut words, "the number of the element")?;
        let element = index_of(elements, number, place, "element", "mesh_file")?;
        let material = next(place, &mut words, "the number of the material")?;
        let new = blocks.len();
        let new = u16::try_from(new).map_err(|_| place.layout("there are more than 65536 materials", "use fewer"))?;
        let block = *blocks.entry(material).or_insert_with(|| {
            mesh.blocks.push(Group { name: material.to_string(), number: material });
            new
        });
        block_of[element as usize] = Some(block);
    }
    let missing = block_of.iter().filter(|block| block.is_none()).count();
    if missing > 0 {
        let problem = format!("{missing} elements of `mesh_file` have no material");
        return Err(end_of(path, &text).layout(problem, "export the mesh again"));
    }
    mesh.block_of = block_of.into_iter().flatten().collect();
    Ok(())
}

/// Reads the faces of a side.
fn faces(path: &Path, side: &str, nodes: &HashMap<i64, u32>, mesh: &mut HexMeshFile) -> Result<()> {
    let text = read_text(path)?;
    // A side without faces may be an empty file.
    if text.trim().is_empty() {
        return Ok(());
    }
    let index = mesh.sides.len() as u16;
    for (place, line) in counted(path, &text)? {
        let mut words = line.split_whitespace();
        next(place, &mut words, "the number of the element")?;
        let mut corners = [0; 4];
        for corner in &mut corners {
            let node = next(place, &mut words, "the fourth node of a face")?;
            *corner = index_of(nodes, node, place, "node", "nodes_coords_file")?;
        }
        mesh.faces.push(MarkedFace { side: index, corners });
    }
    // A file without faces is like none.
    if mesh.faces.last().is_some_and(|face| face.side == index) {
        mesh.sides.push(Group { name: side.to_owned(), number: i64::from(index) + 1 });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
