//! Meshes of other programs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Material, Volumes};

/// A hexahedral mesh made by another program. Its outer boundary is the boundary of the domain; its blocks can have their own materials.
///
/// Craton detects the format from the contents. All elements must have the same number of nodes: 8, 20 or 27. They may have any orientation. Neighbours must
/// share their nodes.
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
    /// Boundary condition of outer faces that belong to no group of a side.
    #[serde(default)]
    pub unmarked: Unmarked,
}

/// Outer faces that belong to no group of a side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unmarked {
    /// Their side follows from the direction of their normal. The faces of closed cavities are free.
    #[default]
    ByDirection,
    /// Free if they belong to a solid, rigid if they belong to a fluid, as in SPECFEM3D. If no group is at the top, the top follows from the direction.
    Free,
}

fn one() -> f64 {
    1.0
}

/// Names of the groups of faces (physical surfaces, side sets) at each side of the domain. `boundaries` gives the boundary condition of a side.
///
/// By default, groups with one of these names belong to a side, in upper or lower case: `top`, `z_max`, `zmax`, `free`, `free_surface`, `surface`; `bottom`, `z_min`, `zmin`; `x_min`, `xmin`, `west` and the like. The side
/// of all other outer faces follows from the direction of their normal, unless `unmarked` changes that: within 60 degrees of the vertical direction they belong to `top` or `bottom`. Craton
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
    /// Names of the fields of the mesh with the materials of elements. They apply to blocks that are not in `blocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<ElementFields>,
}

/// Names of the fields of a mesh with one value per element: element variables of Exodus, `$ElementData` of Gmsh, cell data of VTU. A material is constant within each
/// element. Quality factors are those of the P and S waves, or of the bulk and shear modulus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementFields {
    /// Field with the speed of P waves [m/s].
    #[schemars(example = &"vp")]
    pub vp: String,
    /// Field with the speed of S waves [m/s]; 0 in fluids.
    #[schemars(example = &"vs")]
    pub vs: String,
    /// Field with the density [kg/m3].
    #[schemars(example = &"rho")]
    pub rho: String,
    /// Field with the quality factor of P waves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qp: Option<String>,
    /// Field with the quality factor of S waves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qs: Option<String>,
    /// Field with the quality factor of the bulk modulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qkappa: Option<String>,
    /// Field with the quality factor of the shear modulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qmu: Option<String>,
    /// Factor that converts the speeds to m/s, such as 1000 for km/s.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub speed_unit: f64,
    /// Factor that converts the density to kg/m3, such as 1000 for g/cm3.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density_unit: f64,
}

/// A block of a mesh and its material: exactly one of `material` and `volume`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Name of the block in the mesh. Blocks without name are called by their number, or `volume 2` in Gmsh.
    #[schemars(example = &"sediments")]
    pub block: String,
    /// A homogeneous material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Wave speeds and density on a regular grid, from files. All of the block must be solid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<Box<Volumes>>,
}
