//! The domain and bodies of a mesh of another program.

use std::collections::BTreeMap;
use std::sync::Arc;

use craton_formats::hex_mesh::specfem::{self, MaterialKind};
use craton_formats::hex_mesh::{self, ElementField, HexMeshFile};
use craton_mesh::{BoundaryFace, FaceCounts, Geometry, GivenMesh, HexMesh, Locator, OtherFaces, Side, face_point};
use craton_model::{Bodies, EarthModel, Interface, LossField, Region};

use super::attenuation::Qualities;
use super::element_fields::MaterialsOfElements;
use super::findings::{Checked, Findings, bad_file, bad_model};
use super::mesh_bodies::Located;
use super::{media, volume};
use crate::config::{Block, ElementFields, Material, MeshFile, MeshModel, MeshSides, Unmarked};
use crate::error::{Error, Problem};
use crate::inputs::{Input, wrong_kind};
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::written::Scenario;

/// The sides of the domain, in the order of their keys.
const SIDES: [Side; 6] = [Side::XMin, Side::XMax, Side::YMin, Side::YMax, Side::Bottom, Side::Top];

/// Largest coordinate of a mesh [m], as of a box.
const FARTHEST: f64 = 1e9;

/// Usual names of groups of faces at each side, in lower case.
const USUAL: [&[&str]; 6] = [
    &["x_min", "xmin", "west"],
    &["x_max", "xmax", "east"],
    &["y_min", "ymin", "south"],
    &["y_max", "ymax", "north"],
    &["bottom", "z_min", "zmin"],
    &["top", "z_max", "zmax", "free", "free_surface", "surface"],
];

/// The mesh of a domain.
#[derive(Debug, Clone)]
pub struct MeshedDomain {
    /// The mesh; its regions are the blocks of the file.
    mesh: Arc<HexMesh>,
    locator: Arc<Locator<Arc<HexMesh>>>,
    /// Names of the blocks.
    blocks: Vec<String>,
    /// Values of its elements.
    fields: Vec<ElementField>,
    /// Materials in the files of the mesh, by name of the block.
    materials: BTreeMap<String, MaterialKind>,
    /// Outer faces of each side.
    counts: FaceCounts,
    /// Limits along x, y and z [m].
    pub bounds: [[f64; 2]; 3],
    /// Whether there is one point of the surface above or below every position.
    is_single_valued: bool,
}

/// The mesh of a domain and the regions of its elements in the model.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshInRegions {
    mesh: Arc<HexMesh>,
    region: Vec<u16>,
    /// Extent, blocks, and numbers of faces of the sides.
    pub description: [String; 3],
    /// The warning about interfaces of the model that cut elements.
    pub warning: Option<String>,
}

impl MeshInRegions {
    /// A copy of the mesh with the regions of the model.
    pub fn to_mesh(&self) -> HexMesh {
        HexMesh { region: self.region.clone(), ..(*self.mesh).clone() }
    }

    /// Number of elements.
    pub fn n_elements(&self) -> usize {
        self.region.len()
    }

    /// Number of control nodes of the elements.
    pub fn geometry(&self) -> Geometry {
        self.mesh.geometry
    }

    /// Numbers of faces of the sides, in the order of the boundaries.
    pub fn faces_of_sides(&self) -> [usize; 6] {
        Side::ALL.map(|side| self.mesh.faces.iter().filter(|face| face.side == side).count())
    }
}

/// Reads the mesh of a scenario, if it has one.
///
/// # Errors
/// An unreadable mesh; groups that it does not have; elements that are not connected.
pub fn read(scenario: &Scenario) -> Result<Option<MeshedDomain>, Error> {
    let Some(written) = &scenario.config.domain.mesh else { return Ok(None) };
    let path = KeyPath::default().key("domain").key("mesh");
    let read = file(written, scenario, &path.key("file")).and_then(|(file, materials)| {
        let sides = sides(&file, &written.sides, &path.key("sides"))?;
        MeshedDomain::new(file, materials, &sides, written, &path)
    });
    read.map(Some).map_err(|problem| scenario.refuse(vec![*problem]))
}

/// Reads a mesh and the materials next to it.
fn file(
    written: &MeshFile,
    scenario: &Scenario,
    path: &KeyPath,
) -> Checked<(HexMeshFile, BTreeMap<String, MaterialKind>)> {
    let refused = |error| bad_file(&error, &written.file, path);
    let folder = scenario.folder.join(&written.file);
    if !folder.is_dir() {
        return match scenario.input(&written.file) {
            Input::File(opened) => Ok((hex_mesh::read(&opened).map_err(refused)?, BTreeMap::new())),
            Input::Given(given) => Err(wrong_kind(given, "a mesh", &written.file, path)),
        };
    }
    for file in specfem::files(&folder) {
        scenario.mark(&written.file.join(file.file_name().unwrap_or_default()));
    }
    let materials = match folder.join(specfem::MATERIALS).exists() {
        true => specfem::read_materials(&folder).map_err(refused)?,
        false => Vec::new(),
    };
    let materials = materials.into_iter().map(|material| (material.number.to_string(), material.kind)).collect();
    Ok((specfem::read(&folder).map_err(refused)?, materials))
}

/// The side of each group of faces, if it belongs to one.
fn sides(file: &HexMeshFile, written: &MeshSides, path: &KeyPath) -> Checked<Vec<Option<Side>>> {
    let mut sides: Vec<Option<Side>> = vec![None; file.sides.len()];
    for (index, group) in file.sides.iter().enumerate() {
        let name = group.name.to_lowercase();
        sides[index] = USUAL.iter().position(|usual| usual.contains(&&*name)).map(|side| SIDES[side]);
    }
    for (side, (key, groups)) in SIDES.into_iter().zip(written.by_side()) {
        for (number, group) in groups.iter().enumerate() {
            if file.sides.iter().all(|known| known.name != *group) {
                let known: Vec<&str> = file.sides.iter().map(|side| &*side.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let problem = Problem::new(path.key(key).index(number), "is not a group of faces of the mesh");
                return Err(problem
                    .value(format!("{group:?}"))
                    .allowed(format!("the groups of the mesh: {known}"))
                    .into());
            }
            // Groups may have the same name.
            let named = file.sides.iter().enumerate().filter(|(_, known)| known.name == *group);
            named.for_each(|(index, _)| sides[index] = Some(side));
        }
    }
    Ok(sides)
}

impl MeshedDomain {
    fn new(
        file: HexMeshFile,
        materials: BTreeMap<String, MaterialKind>,
        sides: &[Option<Side>],
        written: &MeshFile,
        path: &KeyPath,
    ) -> Checked<Self> {
        let HexMeshFile { nodes_per_element, mut nodes, elements, block_of, blocks, faces, fields, .. } = file;
        nodes.iter_mut().flatten().for_each(|coordinate| *coordinate *= written.unit);
        if nodes.iter().flatten().any(|coordinate| coordinate.abs() > FARTHEST) {
            let problem =
                Problem::new(path.key("unit"), "places nodes too far from the origin").value(Number(written.unit));
            let allowed = format!("coordinates of at most {} m in magnitude", Number(FARTHEST));
            return Err(problem.allowed(allowed).hint("check the unit of the mesh").into());
        }
        let of_side = faces.into_iter().filter_map(|face| Some((face.corners, sides[usize::from(face.side)]?)));
        let given = GivenMesh {
            geometry: if nodes_per_element == 8 { Geometry::Linear8 } else { Geometry::Quadratic27 },
            control_nodes: nodes,
            connectivity: elements,
            region: block_of,
            faces: of_side.collect(),
            others: match written.unmarked {
                Unmarked::ByDirection => OtherFaces::ByDirection,
                Unmarked::Free => OtherFaces::NoSide,
            },
        };
        let (mesh, counts) = given.assemble().map_err(|error| Problem::new(path.key("file"), error.to_string()))?;
        let mesh = Arc::new(mesh);
        let [low, high] = mesh.bounding_box();
        let locator = Locator::new(Arc::clone(&mesh));
        let is_uppermost = |face: &BoundaryFace| {
            let centre = mesh.position(face.element, face_point(face.face, [0.0; 2]));
            locator.locate_on_surface(centre).is_none_or(|top| top.element == face.element)
        };
        let mut tops = mesh.faces.iter().filter(|face| face.side == Side::Top);
        Ok(Self {
            is_single_valued: tops.all(is_uppermost),
            locator: Arc::new(locator),
            mesh,
            blocks: blocks.into_iter().map(|block| block.name).collect(),
            fields,
            materials,
            counts,
            bounds: [0, 1, 2].map(|axis| [low[axis], high[axis]]),
        })
    }

    /// The surface of the mesh.
    pub fn surface(&self) -> Interface {
        Interface::Mesh(self.bodies(self.mesh.region.clone()))
    }

    fn bodies(&self, region: Vec<u16>) -> Bodies {
        Bodies(Arc::new(Located::new(Arc::clone(&self.locator), region, self.is_single_valued)))
    }

    /// The model of the blocks of the mesh.
    pub fn model(
        &self,
        model: &MeshModel,
        scenario: &Scenario,
        path: &KeyPath,
        findings: &mut Findings,
    ) -> Option<EarthModel> {
        let by_element = match &model.fields {
            Some(names) => Some(findings.keep(self.of_elements(names, &path.key("fields")))?),
            None => None,
        };
        let path = path.key("blocks");
        let is_known = |block: &Block| self.blocks.contains(&block.block);
        if let Some(number) = model.blocks.iter().position(|block| !is_known(block)) {
            let problem = Problem::new(path.index(number).key("block"), "is not a block of the mesh");
            let problem = problem.value(format!("{:?}", model.blocks[number].block));
            findings.problems.push(problem.allowed(format!("the blocks of the mesh: {}", self.blocks.join(", "))));
            return None;
        }
        let surface = self.surface();
        let of_block = |(index, name): (usize, &String)| {
            let given = model.blocks.iter().position(|block| block.block == *name);
            if let (None, Some(by_element)) = (given, &by_element) {
                return findings.keep(by_element.region(index as u16, &surface));
            }
            match (given, self.materials.get(name)) {
                (Some(number), _) => region(&model.blocks[number], scenario, &surface, &path.index(number), findings),
                (None, Some(MaterialKind::Homogeneous { rho, vp, vs, qkappa, qmu })) => {
                    let (vp, vs) = (Some(*vp), Some(*vs));
                    let material = Material { rho: *rho, vp, vs, qkappa: *qkappa, qmu: *qmu, ..Material::default() };
                    findings.keep(homogeneous(&material, &surface, &path))
                }
                (None, tomography) => {
                    let hint = match tomography {
                        Some(MaterialKind::Tomography { file, .. }) => {
                            format!("add {{ block = {name:?}, volume = {{ ... }} }} with the values of {file}")
                        }
                        _ => format!("add {{ block = {name:?}, material = {{ vp = ..., vs = ..., rho = ... }} }}"),
                    };
                    findings.problems.push(Problem::new(&path, format!("block {name:?} has no material")).hint(hint));
                    None
                }
            }
        };
        let regions: Vec<Option<Region>> = self.blocks.iter().enumerate().map(of_block).collect();
        let model = EarthModel::new(regions.into_iter().collect::<Option<_>>()?);
        findings.keep(model.map_err(|error| bad_model(&error, &path)))
    }

    /// The materials in the fields of the mesh.
    fn of_elements(&self, names: &ElementFields, path: &KeyPath) -> Checked<MaterialsOfElements> {
        let bodies = self.bodies(self.mesh.region.clone());
        MaterialsOfElements::new(Arc::clone(&self.mesh), bodies, (&self.fields, &self.blocks), names, path)
    }

    /// The model with the bodies of the mesh: its blocks, or the regions of a model in layers that contain the centres of elements.
    pub fn place(&self, model: EarthModel, has_blocks: bool) -> (EarthModel, MeshInRegions) {
        let region: Vec<u16> = match has_blocks {
            true => self.mesh.region.clone(),
            false => self.mesh.centroids().into_iter().map(|centre| model.region_at(centre) as u16).collect(),
        };
        let warning = if has_blocks { None } else { self.cut(&model, &region) };
        let model = model.in_bodies(self.bodies(region.clone()));
        (model, MeshInRegions { mesh: Arc::clone(&self.mesh), region, description: self.description(), warning })
    }

    /// The warning about elements that interfaces of a model in layers cut.
    fn cut(&self, model: &EarthModel, region: &[u16]) -> Option<String> {
        /// Part of the way from the centre to a corner at which an element still has its own layer.
        const INSIDE: f64 = 0.98;
        let is_cut = |element: &u32| {
            let centre = self.mesh.centroid(*element);
            let near = |corner: u32| {
                let corner = self.mesh.control_nodes[corner as usize];
                [0, 1, 2].map(|axis| centre[axis] + INSIDE * (corner[axis] - centre[axis]))
            };
            let own = usize::from(region[*element as usize]);
            self.mesh.corners_of(*element).into_iter().any(|corner| model.region_at(near(corner)) != own)
        };
        let count = (0..self.mesh.n_elements() as u32).filter(is_cut).count();
        (count > 0).then(|| {
            format!(
                "interfaces of the model cut {count} of {} elements of the mesh. Each element takes the layer of its centre, so interfaces move by up to half an element. Use a \
                 mesh whose elements end at the interfaces",
                self.mesh.n_elements()
            )
        })
    }

    /// Extent, blocks, and numbers of faces of the sides.
    fn description(&self) -> [String; 3] {
        let names = MeshSides::default().by_side().map(|(name, _)| name);
        let FaceCounts { marked, by_direction, without_side } = self.counts;
        let of_side = |side: usize| match (marked[side], by_direction[side]) {
            (0, 0) => None,
            (marked, 0) => Some(format!("{} {marked}", names[side])),
            (0, others) => Some(format!("{} {others} by direction", names[side])),
            (marked, others) => Some(format!("{} {marked} and {others} by direction", names[side])),
        };
        let free = (without_side > 0).then(|| format!("{without_side} without side"));
        let sides: Vec<String> = (0..6).filter_map(of_side).chain(free).collect();
        let range = |axis: usize| bracketed(&self.bounds[axis]);
        let extent = format!("x {}, y {}, z {} m", range(0), range(1), range(2));
        [extent, self.blocks.join(", "), sides.join(", ")]
    }
}

/// The region of a block.
fn region(
    block: &Block,
    scenario: &Scenario,
    surface: &Interface,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<Region> {
    match (&block.material, &block.volume) {
        (Some(material), None) => findings.keep(homogeneous(material, surface, &path.key("material"))),
        (None, Some(volumes)) => {
            let model = volume::model(volumes, scenario, surface, &path.key("volume"), findings)?;
            model.regions().first().cloned()
        }
        _ => {
            let problem = Problem::new(path, "requires exactly one of `material` and `volume`");
            findings.problems.push(problem.hint("give the material of the block, or files with its values"));
            None
        }
    }
}

/// The region of a homogeneous block.
fn homogeneous(material: &Material, surface: &Interface, path: &KeyPath) -> Checked<Region> {
    let medium = media::medium(material, path)?;
    let losses = Qualities::of(material).losses(&medium, path)?;
    Ok(Region { top: surface.clone(), material: medium.into(), losses: LossField::Constant(losses) })
}
