//! Materials of elements from the fields of a mesh.

use std::sync::Arc;

use craton_formats::hex_mesh::ElementField;
use craton_mesh::HexMesh;
use craton_model::{Bodies, ElementMedia, Interface, LossField, Losses, Material, Medium, Region};

use super::attenuation::Qualities;
use super::findings::{Checked, bad_model};
use crate::config::{ElementFields, MOST_DENSITY, MOST_SPEED};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// The materials of all elements of a mesh.
pub struct MaterialsOfElements {
    mesh: Arc<HexMesh>,
    bodies: Bodies,
    /// vp, vs, rho of each element.
    media: Arc<Vec<[f64; 3]>>,
    /// Losses of each element; empty without quality factors.
    losses: Arc<Vec<Losses>>,
    /// Names of the blocks.
    blocks: Vec<String>,
    path: KeyPath,
}

impl MaterialsOfElements {
    /// Collects the materials.
    ///
    /// # Arguments
    /// * `fields`, `blocks` – all fields of the mesh, and the names of its blocks
    /// * `path` – the key `model.mesh.fields`
    /// # Errors
    /// A field that the mesh does not have; quality factors that contradict each other.
    ///
    /// Verified by `meshes::materials_of_elements_are_those_of_blocks`.
    pub fn new(
        mesh: Arc<HexMesh>,
        bodies: Bodies,
        (fields, blocks): (&[ElementField], &[String]),
        names: &ElementFields,
        path: &KeyPath,
    ) -> Checked<Self> {
        let field = |key: &str, name: &String| {
            let found = fields.iter().find(|field| field.name == *name).map(|field| &*field.values);
            found.ok_or_else(|| Box::new(unknown(name, fields, &path.key(key))))
        };
        let optional = |key: &str, name: &Option<String>| name.as_ref().map(|name| field(key, name)).transpose();
        let [vp, vs, rho] = [field("vp", &names.vp)?, field("vs", &names.vs)?, field("rho", &names.rho)?];
        let media = |element: usize| {
            let speeds = [vp, vs].map(|speed| speed[element] * names.speed_unit);
            [speeds[0], speeds[1], rho[element] * names.density_unit]
        };
        let media: Vec<[f64; 3]> = (0..mesh.n_elements()).map(media).collect();
        let [qp, qs] = [optional("qp", &names.qp)?, optional("qs", &names.qs)?];
        let [qkappa, qmu] = [optional("qkappa", &names.qkappa)?, optional("qmu", &names.qmu)?];
        let losses = |(element, &[vp, vs, rho]): (usize, &[f64; 3])| {
            let at = |field: Option<&[f64]>| field.map(|values| values[element]);
            let own = Qualities { qp: at(qp), qs: at(qs), qkappa: at(qkappa), qmu: at(qmu) };
            // Elements of blocks with another material may have any values.
            match Medium::isotropic(vp, vs, rho) {
                Ok(medium) => own.losses(&medium, path).map_err(|problem| of_element(*problem, element)),
                Err(_) => Ok(Losses::NONE),
            }
        };
        let has_losses = qp.is_some() || qs.is_some() || qkappa.is_some() || qmu.is_some();
        let losses =
            if has_losses { media.iter().enumerate().map(losses).collect::<Checked<_>>()? } else { Vec::new() };
        Ok(Self {
            mesh,
            bodies,
            media: Arc::new(media),
            losses: Arc::new(losses),
            blocks: blocks.to_vec(),
            path: path.clone(),
        })
    }

    /// The region of a block.
    ///
    /// # Errors
    /// An element of the block with an invalid medium; fluid and solid elements in one block.
    pub fn region(&self, block: u16, surface: &Interface) -> Checked<Region> {
        let of_block = self.mesh.region.iter().enumerate().filter(|(_, own)| **own == block);
        let elements: Vec<(usize, [f64; 2])> = of_block.map(|(element, _)| (element, self.heights(element))).collect();
        let name = &self.blocks[usize::from(block)];
        if elements.is_empty() {
            return Err(Problem::new(&self.path, format!("block {name:?} has no elements")).into());
        }
        let is_beyond = |element: usize| {
            let [vp, _, rho] = self.media[element];
            vp > MOST_SPEED || rho > MOST_DENSITY
        };
        if let Some((element, _)) = elements.iter().find(|(element, _)| is_beyond(*element)) {
            let [vp, _, rho] = self.media[*element].map(Number);
            let message =
                format!("block {name:?}, element {}: vp = {vp} m/s, rho = {rho} kg/m3 are out of range", element + 1);
            let allowed = format!("at most {} m/s and {} kg/m3", Number(MOST_SPEED), Number(MOST_DENSITY));
            let problem = Problem::new(&self.path, message).allowed(allowed);
            return Err(problem.hint("check speed_unit and density_unit").into());
        }
        let (media, losses) = (Arc::clone(&self.media), Arc::clone(&self.losses));
        let media = ElementMedia::new(self.bodies.clone(), media, losses, &elements).map_err(|error| {
            let problem = *bad_model(&error, &self.path);
            Problem { message: format!("block {name:?}: {}", problem.message), ..problem }
        })?;
        let media = Arc::new(media);
        let losses = if self.losses.is_empty() { LossField::NONE } else { LossField::Elements(Arc::clone(&media)) };
        Ok(Region { top: surface.clone(), material: Material::Elements(media), losses })
    }

    /// Lowest and highest elevation of an element [m].
    fn heights(&self, element: usize) -> [f64; 2] {
        let nodes = self.mesh.nodes_of(element as u32).iter();
        let heights = nodes.map(|&node| self.mesh.control_nodes[node as usize][2]);
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)])
    }
}

/// The problem of a field that the mesh does not have.
fn unknown(name: &str, fields: &[ElementField], path: &KeyPath) -> Problem {
    let known: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let problem = Problem::new(path, "is not a field of the elements of the mesh").value(format!("{name:?}"));
    problem.allowed(format!("the fields of the mesh: {known}"))
}

/// The problem of an element, counted from 1.
fn of_element(problem: Problem, element: usize) -> Box<Problem> {
    Box::new(Problem { message: format!("{} at element {}", problem.message, element + 1), ..problem })
}
