//! `Mesh_Par_file`: keys as in `Par_file`, and tables of materials and regions below `NMATERIALS` and `NREGIONS`.

use std::path::Path;

use super::par_file::stray;
use super::{ParFile, count};
use crate::error::Result;
use crate::hex_mesh::specfem::{Material, MaterialKind, homogeneous, integer, is_fluid};
use crate::text::{Place, read_text};

/// Largest number of elements along an axis.
const MOST_ELEMENTS: usize = 20_000;

/// Layout of a line of the materials, for messages.
const MATERIAL: &str = "write `material_id rho vp vs Q_Kappa Q_mu anisotropy_flag domain_id`, or `material_id tomography \
                        elastic file 0 domain_id` with a negative number";

/// Parameters of the internal mesher. Keys that concern only its output are in [`Self::keys`].
#[derive(Clone, Debug, PartialEq)]
pub struct MeshParFile {
    /// Southern and northern side of the block: latitude [degrees], or y [m] without a projection.
    pub latitude_or_y: [f64; 2],
    /// Western and eastern side of the block: longitude [degrees], or x [m] without a projection.
    pub longitude_or_x: [f64; 2],
    /// Depth of the bottom [km], as written; the mesher ignores the sign.
    pub depth_km: f64,
    /// Zone of the UTM projection, negative on the southern hemisphere.
    pub utm_zone: i64,
    /// Whether coordinates are metres rather than degrees.
    pub is_cartesian: bool,
    /// File of the interfaces, relative to the folder of this file.
    pub interfaces_file: String,
    /// File of the cavities, relative to the folder of this file.
    pub cavity_file: Option<String>,
    /// Number of elements at the surface along x and y.
    pub elements: [usize; 2],
    /// Number of processes along x and y.
    pub processes: [usize; 2],
    /// Whether the horizontal size of elements is independent of depth.
    pub is_regular: bool,
    /// Layers of elements, counted from the bottom and from 1, in which the horizontal size doubles, uppermost first; empty for a regular
    /// mesh.
    pub doublings: Vec<usize>,
    /// Thickness of the perfectly matched layers along x, y and z [m]; 0 without the key.
    pub pml_thickness: [f64; 3],
    /// The materials; speeds in m/s, densities in kg/m^3.
    pub materials: Vec<Material>,
    /// The regions. Where regions overlap, the mesher uses the last one.
    pub regions: Vec<Region>,
    /// All keys of the file.
    pub keys: ParFile,
}

/// A box of elements with one material. Elements are counted from 1; both ends belong to the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// First and last element along x.
    pub xi: [usize; 2],
    /// First and last element along y.
    pub eta: [usize; 2],
    /// First and last layer of elements, from the bottom.
    pub z: [usize; 2],
    /// Number of the material.
    pub material: i64,
}

/// Lines without `=`.
type Lines<'a> = Vec<(Place<'a>, &'a str)>;

impl MeshParFile {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read; a missing key; a malformed value; an empty block; a table with fewer or more lines than announced;
    /// anisotropic and poroelastic materials, which Craton does not have; a region outside the mesh or with an unknown material.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?, path)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let (keys, others) = ParFile::with_others(text, path)?;
        let is_cartesian = need(&keys, "SUPPRESS_UTM_PROJECTION", keys.logical("SUPPRESS_UTM_PROJECTION")?)?;
        let is_regular = need(&keys, "USE_REGULAR_MESH", keys.logical("USE_REGULAR_MESH")?)?;
        let elements = [positive(&keys, "NEX_XI")?, positive(&keys, "NEX_ETA")?];
        if let Some(axis) = elements.iter().position(|&count| count > MOST_ELEMENTS) {
            return Err(keys.refuse(["NEX_XI", "NEX_ETA"][axis], "at most 20,000"));
        }
        let materials = materials(&table(&keys, &others, "NMATERIALS")?)?;
        let regions = regions(&table(&keys, &others, "NREGIONS")?, elements, &materials)?;
        let thickness = |axis: &str| Ok(keys.number(&format!("THICKNESS_OF_{axis}_PML"))?.unwrap_or(0.0));
        let file = Self {
            latitude_or_y: range(&keys, "LATITUDE_MIN", "LATITUDE_MAX")?,
            longitude_or_x: range(&keys, "LONGITUDE_MIN", "LONGITUDE_MAX")?,
            depth_km: need(&keys, "DEPTH_BLOCK_KM", keys.number("DEPTH_BLOCK_KM")?)?,
            utm_zone: utm_zone(&keys, is_cartesian)?,
            is_cartesian,
            interfaces_file: need(&keys, "INTERFACES_FILE", keys.text("INTERFACES_FILE")?)?.to_owned(),
            cavity_file: keys.text("CAVITY_FILE")?.map(str::to_owned),
            elements,
            processes: [positive(&keys, "NPROC_XI")?, positive(&keys, "NPROC_ETA")?],
            is_regular,
            doublings: if is_regular { Vec::new() } else { doublings(&keys)? },
            pml_thickness: [thickness("X")?, thickness("Y")?, thickness("Z")?],
            materials,
            regions,
            keys,
        };
        if file.depth_km == 0.0 {
            return Err(file.keys.refuse("DEPTH_BLOCK_KM", "a depth other than 0, in kilometres"));
        }
        Ok(file)
    }

    /// Depth of the bottom below z = 0 [m], positive.
    pub fn depth(&self) -> f64 {
        self.depth_km.abs() * 1000.0
    }
}

fn need<T>(keys: &ParFile, name: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| keys.missing(name, "its value"))
}

fn positive(keys: &ParFile, name: &str) -> Result<usize> {
    let value = need(keys, name, keys.integer(name)?)?;
    let value = usize::try_from(value).ok().filter(|&value| value > 0);
    value.ok_or_else(|| keys.refuse(name, "a whole number, at least 1"))
}

fn range(keys: &ParFile, least: &str, most: &str) -> Result<[f64; 2]> {
    let ends = [need(keys, least, keys.number(least)?)?, need(keys, most, keys.number(most)?)?];
    if ends[0] >= ends[1] {
        return Err(keys.refuse(most, &format!("more than {least}, which is {}", ends[0])));
    }
    Ok(ends)
}

fn utm_zone(keys: &ParFile, is_cartesian: bool) -> Result<i64> {
    let zone = need(keys, "UTM_PROJECTION_ZONE", keys.integer("UTM_PROJECTION_ZONE")?)?;
    if !is_cartesian && !(1..=60).contains(&zone.unsigned_abs()) {
        return Err(keys.refuse("UTM_PROJECTION_ZONE", "1 to 60, or -1 to -60 on the southern hemisphere"));
    }
    Ok(zone)
}

fn doublings(keys: &ParFile) -> Result<Vec<usize>> {
    let number = need(keys, "NDOUBLINGS", keys.integer("NDOUBLINGS")?)?;
    if number < 0 {
        return Err(keys.refuse("NDOUBLINGS", "a whole number, at least 0"));
    }
    // Older versions misspell the key.
    let names = |index: i64| [format!("NZ_DOUBLING_{index}"), format!("NZ_DOUGLING_{index}")];
    let layers = (1..=number).map(|index| {
        let [name, misspelt] = names(index);
        let is_old = keys.get(&name).is_none() && keys.get(&misspelt).is_some();
        positive(keys, if is_old { &misspelt } else { &name })
    });
    let mut layers = layers.collect::<Result<Vec<_>>>()?;
    layers.sort_unstable_by(|a, b| b.cmp(a));
    Ok(layers)
}

/// Lines of a table: those without `=` between the key with their number and the next key.
fn table<'a>(keys: &ParFile, others: &Lines<'a>, name: &str) -> Result<Lines<'a>> {
    let wanted = positive(keys, name)?;
    let key = need(keys, name, keys.get(name))?;
    let next = keys.keys().map(|other| other.line).find(|&line| line > key.line).unwrap_or(usize::MAX);
    let first_table = keys.get("NMATERIALS").into_iter().chain(keys.get("NREGIONS")).map(|key| key.line).min();
    if let Some((place, line)) = others.first().filter(|(place, _)| Some(place.line) < first_table) {
        return Err(stray(*place, line));
    }
    let lines = others.iter().filter(|(place, _)| (key.line..next).contains(&place.line)).copied();
    let lines: Lines = lines.collect();
    if lines.len() != wanted {
        let problem = format!("`{name}` is {wanted}, but {} lines follow", lines.len());
        return Err(keys.place(key).layout(problem, "write one line for each"));
    }
    Ok(lines)
}

fn materials(lines: &Lines) -> Result<Vec<Material>> {
    let mut all: Vec<Material> = Vec::new();
    for (place, line) in lines {
        let material = material(*place, line)?;
        if all.iter().any(|other| other.number == material.number) {
            return Err(place.layout(format!("material {} occurs twice", material.number), "number each differently"));
        }
        all.push(material);
    }
    Ok(all)
}

fn material(place: Place, line: &str) -> Result<Material> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = integer(place, "material_id", words[0])?;
    if number < 0 {
        return match words[1..] {
            [kind, _, file, _, domain] if kind.eq_ignore_ascii_case("tomography") => {
                let is_fluid = is_fluid(place, domain)?;
                Ok(Material { number, kind: MaterialKind::Tomography { file: file.to_owned(), is_fluid } })
            }
            _ => Err(place.layout(format!("`{line}` is not a tomographic material"), MATERIAL)),
        };
    }
    // Older files have one quality factor.
    let (speeds, qualities, flag, domain) = match words[1..] {
        [rho, vp, vs, qkappa, qmu, flag, domain] => ([rho, vp, vs], [Some(qkappa), Some(qmu)], flag, domain),
        [rho, vp, vs, qmu, flag, domain] => ([rho, vp, vs], [None, Some(qmu)], flag, domain),
        _ => return Err(place.layout(format!("a material has {} words", words.len()), MATERIAL)),
    };
    let kind = homogeneous(place, speeds, qualities, flag, is_fluid(place, domain)?)?;
    if let MaterialKind::Homogeneous { rho, vp, vs, .. } = kind
        && (rho <= 0.0 || vp <= 0.0 || vs < 0.0)
    {
        let problem = format!("material {number} has rho = {rho}, vp = {vp}, vs = {vs}");
        return Err(place.layout(problem, "rho and vp must be positive, and vs must not be negative"));
    }
    Ok(Material { number, kind })
}

fn regions(lines: &Lines, elements: [usize; 2], materials: &[Material]) -> Result<Vec<Region>> {
    let region = |(place, line): &(Place, &str)| {
        let place = *place;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [x0, x1, y0, y1, z0, z1, material] = words[..] else {
            let hint = "write `NEX_XI_BEGIN NEX_XI_END NEX_ETA_BEGIN NEX_ETA_END NZ_BEGIN NZ_END material_id`";
            return Err(place.layout(format!("a region has {} words", words.len()), hint));
        };
        let ends = |what: &str, first: &str, last: &str, most: usize| -> Result<[usize; 2]> {
            let begin = count(place, &format!("{what}_BEGIN"), first, 1)?;
            let key = format!("{what}_END");
            let end = count(place, &key, last, begin)?;
            if end > most {
                return Err(place.bad_value(key, last, format!("at most {what} = {most}")));
            }
            Ok([begin, end])
        };
        let number = integer(place, "material_id", material)?;
        if materials.iter().all(|known| known.number != number) {
            return Err(place.bad_value("material_id", material, "the number of one of the NMATERIALS materials"));
        }
        Ok(Region {
            xi: ends("NEX_XI", x0, x1, elements[0])?,
            eta: ends("NEX_ETA", y0, y1, elements[1])?,
            z: ends("NZ", z0, z1, usize::MAX)?,
            material: number,
        })
    };
    lines.iter().map(region).collect()
}
