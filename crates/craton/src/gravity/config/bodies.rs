//! What attracts.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::VolumeFile;

/// Slices of a layer at most.
pub const MOST_SLICES: usize = 4096;

/// Something that attracts. Densities may be differences from the surroundings, of any sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Prisms, one by one.
    Prisms(Prisms),
    /// A mesh and a model of UBC-GIF.
    Ubc(UbcMesh),
    /// A volume of densities: every value fills the cell around its point.
    Volume(CellVolume),
    /// What lies between two surfaces.
    Layer(Layer),
    /// A ball of cubes.
    Ball(Ball),
    /// A block.
    Block(Block),
    /// The density of a scenario's model.
    Scenario(ScenarioModel),
}

/// Prisms, one by one: from a file, or written here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prisms {
    /// A file with the columns or variables `west`, `east`, `south`, `north`, `bottom`, `top` (m) and `density` (kg/m3), or what `columns` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"prisms.csv")]
    pub file: Option<PathBuf>,
    /// Its format; by default from the end of its name: `.npy`, `.nc`; anything else is a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// What the columns are called in the file, where that is something else; others are not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<PrismColumns>,
    /// Factor on the densities, of the file and of `rows`: 1000 where they are g/cm3.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density_factor: f64,
    /// Prisms [west, east, south, north, bottom, top, density], in m and kg/m3.
    #[schemars(extend("examples" = [[[-20.0, 30.0, -15.0, 10.0, -80.0, -30.0, 1000.0]]]))]
    pub rows: Vec<[f64; 7]>,
}

impl Default for Prisms {
    fn default() -> Self {
        Self { file: None, format: None, columns: None, density_factor: 1.0, rows: Vec::new() }
    }
}

/// Names of the columns of a table, or of the variables of netCDF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrismColumns {
    /// The column of western faces.
    #[schemars(example = &"x_min")]
    pub west: String,
    /// The column of eastern faces.
    #[schemars(example = &"x_max")]
    pub east: String,
    /// The column of southern faces.
    #[schemars(example = &"y_min")]
    pub south: String,
    /// The column of northern faces.
    #[schemars(example = &"y_max")]
    pub north: String,
    /// The column of lower faces.
    #[schemars(example = &"z_min")]
    pub bottom: String,
    /// The column of upper faces.
    #[schemars(example = &"z_max")]
    pub top: String,
    /// The column of densities.
    #[schemars(example = &"rho")]
    pub density: String,
}

impl Default for PrismColumns {
    fn default() -> Self {
        let [west, east, south, north, bottom, top, density] =
            ["west", "east", "south", "north", "bottom", "top", "density"].map(str::to_owned);
        Self { west, east, south, north, bottom, top, density }
    }
}

impl PrismColumns {
    /// What is read of a prism, and what that is called.
    pub fn numbers(&self) -> [(&'static str, &str); 7] {
        [
            ("west", &self.west),
            ("east", &self.east),
            ("south", &self.south),
            ("north", &self.north),
            ("bottom", &self.bottom),
            ("top", &self.top),
            ("density", &self.density),
        ]
    }
}

/// A format of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListFormat {
    /// Text, values parted by blanks or commas, with the names of the columns on the first line; without them the columns stand in the order above.
    Table,
    /// NumPy's binary arrays, a row for each, the columns in the order above.
    Npy,
    /// netCDF, a variable of one dimension for each column.
    Netcdf,
    /// Locations or observations of UBC-GIF: points alone.
    Ubc,
}

/// A tensor mesh and its model in the formats of UBC-GIF, densities in g/cm3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UbcMesh {
    /// The mesh.
    #[schemars(example = &"mesh.msh")]
    pub mesh: PathBuf,
    /// The model.
    #[schemars(example = &"density.den")]
    pub model: PathBuf,
    /// Factor that makes kg/m3 of the values.
    #[serde(default = "thousand")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density_factor: f64,
    /// Value of cells in the air, which are left out, as those of NaN are.
    #[serde(default = "left_out")]
    pub air: f64,
}

/// A volume of densities: every value fills the cell around its point; values are in single precision, but for those of netCDF without `spacing` and `origin`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellVolume {
    /// The densities, kg/m3, of three axes.
    pub density: VolumeFile,
    /// Density that is taken away everywhere, so that what is left attracts [kg/m3].
    #[serde(default)]
    pub reference: f64,
}

/// What lies between two surfaces, columns below the points of their grid. At least one of the surfaces is a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The upper surface: z [m], or a file of it.
    #[schemars(extend("examples" = ["topography.asc"]))]
    pub top: Height,
    /// The lower surface: z [m], or a file of it.
    #[schemars(extend("examples" = [0.0]))]
    pub bottom: Height,
    /// Density between them.
    pub density: DensityLaw,
    /// Density where the surface called `top` lies below the other one [kg/m3]: of topography over z = 0 with rock of 2670, that of water in place of rock,
    /// 1030 - 2670. Such columns are refused by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = -1640.0)]
    pub inverted_density: Option<f64>,
    /// Slices of the thickest column where density changes with depth; those of the others are no thicker. By default as many as the accuracy
    /// asks for, or 1e-5, at 16 of the points, 512 at most and 30 million prisms; the report says what is left, and how many would be enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_SLICES), example = 16)]
    pub slices: Option<usize>,
}

/// A height above z = 0 [m], or the heights of a surface: ESRI ascii, netCDF classic over x and y with heights as its only variable, or `x y z` lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Height {
    /// The same everywhere.
    At(f64),
    /// A file.
    File(PathBuf),
}

/// Density along depth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DensityLaw {
    /// The same everywhere [kg/m3].
    Constant(f64),
    /// A polynomial in depth.
    Polynomial {
        /// The sum of these times depth to the powers 0, 1, 2 ... [kg/m3, depth in m].
        #[schemars(length(min = 1, max = 16), extend("examples" = [[-600.0, 0.2]]))]
        coefficients: Vec<f64>,
        /// z of depth 0 [m]; of each column its own top by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.0)]
        datum: Option<f64>,
    },
    /// `deep + (shallow - deep) exp(-depth / scale)`.
    Exponential {
        /// Density at depth 0 [kg/m3].
        #[schemars(example = -600.0)]
        shallow: f64,
        /// Density far below [kg/m3].
        #[serde(default)]
        deep: f64,
        /// Depth at which the difference has fallen to 1/e [m].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 1500.0)]
        scale: f64,
        /// z of depth 0 [m]; of each column its own top by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.0)]
        datum: Option<f64>,
    },
}

/// A ball of cubes: those cells whose centres it holds, of a lattice with planes at multiples of `cell`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Its centre [x, y, z] [m].
    #[schemars(extend("examples" = [[7000.0, 5000.0, -2000.0]]))]
    pub centre: [f64; 3],
    /// Its radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 1000.0)]
    pub radius: f64,
    /// Edge of a cell [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub cell: f64,
    /// Density [kg/m3].
    #[schemars(example = 300.0)]
    pub density: f64,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its ends along x [m].
    #[schemars(extend("examples" = [[0.0, 1000.0]]))]
    pub x: [f64; 2],
    /// Its ends along y [m].
    #[schemars(extend("examples" = [[0.0, 1000.0]]))]
    pub y: [f64; 2],
    /// Its ends along z [m].
    #[schemars(extend("examples" = [[-500.0, -100.0]]))]
    pub z: [f64; 2],
    /// Density [kg/m3].
    #[schemars(example = 300.0)]
    pub density: f64,
}

/// The density of a scenario's model, layers, volumes and topography as waves would see them, in cells of its box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioModel {
    /// The scenario.
    #[schemars(example = &"valley.toml")]
    pub file: PathBuf,
    /// Changes of its keys, as `--set` makes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["domain.z[0]=-9000"]]))]
    pub set: Vec<String>,
    /// Edge of a cell [m]; the edges of the box are kept, so that it may be a little less.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 100.0)]
    pub cell: f64,
    /// Density that is taken away everywhere below the ground [kg/m3].
    #[serde(default)]
    pub reference: f64,
}

fn left_out() -> f64 {
    craton_formats::ubc::LEFT_OUT_G_CM3
}

fn thousand() -> f64 {
    1000.0
}
