//! Meshes of other programs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Material, Volumes};

/// A mesh of hexahedra of another program: its outer boundary is that of the domain, and its blocks are bodies of the model.
///
/// The format follows from the contents. All elements must have the same number of nodes: 8, 20 or 27. Elements may be left-handed. Neighbours must share their
/// nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file, or the folder of a SPECFEM3D mesh.
    #[schemars(example = &"basin.msh")]
    pub file: PathBuf,
    /// Length of a unit of the coordinates [m], such as 1000 for a mesh in km.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub unit: f64,
    /// Groups of faces at the sides of the domain.
    #[serde(default)]
    pub sides: MeshSides,
}

fn one() -> f64 {
    1.0
}

/// Names of the groups of faces (physical surfaces, side sets) at each side of the domain, whose boundary condition is in `boundaries`.
///
/// By default, groups with the name of a side or of its direction belong to it: `top`, `free_surface`, `zmax`; `bottom`, `zmin`; `x_min`, `xmin`, `west`, and so on. The side
/// of all other outer faces follows from the direction of their normal: within 60 degrees of the vertical direction they belong to `top` or `bottom`. Craton
/// ignores groups of faces inside the mesh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeshSides {
    /// Groups at the west side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub x_min: Vec<String>,
    /// Groups at the east side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub x_max: Vec<String>,
    /// Groups at the south side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub y_min: Vec<String>,
    /// Groups at the north side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub y_max: Vec<String>,
    /// Groups at the bottom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["absorbing"]]))]
    pub bottom: Vec<String>,
    /// Groups at the top.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["free_surface"]]))]
    pub top: Vec<String>,
}

impl MeshSides {
    /// The groups of each side, in the order x min, x max, y min, y max, bottom, top, with the key of the side.
    pub fn by_side(&self) -> [(&'static str, &[String]); 6] {
        [
            ("x_min", &self.x_min),
            ("x_max", &self.x_max),
            ("y_min", &self.y_min),
            ("y_max", &self.y_max),
            ("bottom", &self.bottom),
            ("top", &self.top),
        ]
    }
}

/// Materials of the blocks of `domain.mesh`: physical volumes of Gmsh, element blocks of Exodus, materials of SPECFEM3D.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeshModel {
    /// One entry per block, in any order. A SPECFEM3D mesh needs no entry for homogeneous blocks, whose materials are in its `nummaterial_velocity_file`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
}

/// A block of a mesh and its material: exactly one of `material` and `volume`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Name of the block in the mesh, or its number if it has no name.
    #[schemars(example = &"sediments")]
    pub block: String,
    /// A homogeneous material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Wave speeds and density on a regular grid, from files. The block is solid as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<Box<Volumes>>,
}
