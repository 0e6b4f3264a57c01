//! Bodies of a gravity problem.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::geographic::{Coordinates, Tesseroids};
use crate::config::VolumeFile;

/// Largest number of slices of a layer.
pub const MOST_SLICES: usize = 4096;

/// A body with mass. Densities may be contrasts with the surroundings, of either sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// A list of prisms.
    Prisms(Prisms),
    /// A UBC-GIF tensor mesh with a density model.
    Ubc(UbcMesh),
    /// A density volume: each value fills the cell around its grid point.
    Volume(CellVolume),
    /// A layer between two surfaces.
    Layer(Layer),
    /// A sphere, discretised into cubes.
    Ball(Ball),
    /// A single rectangular block.
    Block(Block),
    /// The density of a scenario's Earth model.
    Scenario(ScenarioModel),
    /// A list of tesseroids: cells between meridians, parallels and spheres.
    Tesseroids(Tesseroids),
}

impl Body {
    /// Whether it is in longitude, latitude and height.
    pub fn is_geographic(&self) -> bool {
        match self {
            Self::Tesseroids(_) => true,
            Self::Layer(layer) => layer.coordinates == Coordinates::Geographic,
            Self::Volume(volume) => volume.coordinates == Coordinates::Geographic,
            _ => false,
        }
    }
}

/// A list of prisms, from a file or from `rows`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prisms {
    /// File with the columns or variables `west`, `east`, `south`, `north`, `bottom`, `top` (m) and `density` (kg/m3),
    /// or with the names in `columns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"prisms.csv")]
    pub file: Option<PathBuf>,
    /// File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// Column names of the file, if they differ from the default. Other columns are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<PrismColumns>,
    /// Factor on the densities of the file and of `rows`: 1000 for densities in g/cm3.
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

/// Names of the columns of a table, or of the netCDF variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrismColumns {
    /// Column of the western faces.
    #[schemars(example = &"x_min")]
    pub west: String,
    /// Column of the eastern faces.
    #[schemars(example = &"x_max")]
    pub east: String,
    /// Column of the southern faces.
    #[schemars(example = &"y_min")]
    pub south: String,
    /// Column of the northern faces.
    #[schemars(example = &"y_max")]
    pub north: String,
    /// Column of the lower faces.
    #[schemars(example = &"z_min")]
    pub bottom: String,
    /// Column of the upper faces.
    #[schemars(example = &"z_max")]
    pub top: String,
    /// Column of the densities.
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
    /// The quantities read for each prism, and their column names.
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

/// Format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListFormat {
    /// Text with values separated by blanks or commas. The first line has the column names; without it, columns are in
    /// the order above.
    Table,
    /// NumPy binary array: one row per item, columns in the order above.
    Npy,
    /// netCDF: one one-dimensional variable per column.
    Netcdf,
    /// UBC-GIF locations or observations; for points only.
    Ubc,
}

/// A UBC-GIF tensor mesh and its density model in g/cm3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UbcMesh {
    /// The mesh file.
    #[schemars(example = &"mesh.msh")]
    pub mesh: PathBuf,
    /// The model file.
    #[schemars(example = &"density.den")]
    pub model: PathBuf,
    /// Factor that converts the values to kg/m3.
    #[serde(default = "thousand")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density_factor: f64,
    /// Value of cells in the air. Craton ignores these cells, and those with NaN.
    #[serde(default = "left_out")]
    pub air: f64,
}

/// A density volume: each value fills the cell around its grid point. Craton reads single-precision values; double
/// precision only from netCDF without `spacing` and `origin`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellVolume {
    /// The densities [kg/m3], on three axes.
    pub density: VolumeFile,
    /// Reference density, subtracted everywhere to give the density contrast [kg/m3].
    #[serde(default)]
    pub reference: f64,
    /// Coordinates of the axes. With `geographic`, x is the longitude and y the latitude, also in `axes`, `spacing` and `origin`.
    #[serde(default, skip_serializing_if = "Coordinates::are_metres")]
    pub coordinates: Coordinates,
}

/// A layer between two surfaces, discretised into columns below the grid points of the surfaces. At least one surface
/// is a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The upper surface: z [m], or a file with the elevations.
    #[schemars(extend("examples" = ["topography.asc"]))]
    pub top: Height,
    /// The lower surface: z [m], or a file with the elevations.
    #[schemars(extend("examples" = [0.0]))]
    pub bottom: Height,
    /// Density of the layer.
    pub density: DensityLaw,
    /// Density where the `top` surface lies below the `bottom` surface [kg/m3]. For topography about z = 0 with rock of
    /// 2670, use the contrast of water to rock: 1030 - 2670. By default such columns are an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = -1640.0)]
    pub inverted_density: Option<f64>,
    /// Number of slices of the thickest column if density varies with depth; slices of the other columns are no
    /// thicker. By default Craton chooses the number that reaches `method.accuracy` (1e-5 if there is none) at 16 of
    /// the points, with at most 512 slices and 30 million prisms. In longitude and latitude it estimates the error with
    /// at most 3 million tesseroids: 12 slices of 240,000 grid points, a subset of those of a larger layer. Columns that
    /// do not fit into memory are refused before they are built. The report gives the remaining error and the sufficient
    /// number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_SLICES), example = 16)]
    pub slices: Option<usize>,
    /// Columns below grid points without a value in a surface or in the densities: gaps (NODATA, NaN) of ESRI ASCII,
    /// GeoTIFF and netCDF files.
    #[serde(default, skip_serializing_if = "Holes::are_air")]
    pub holes: Holes,
    /// Shape of the top of the columns. Without a file for the upper surface, tops are always flat.
    #[serde(default, skip_serializing_if = "Tops::is_auto")]
    pub tops: Tops,
    /// Coordinates of the surfaces and of the densities.
    #[serde(default, skip_serializing_if = "Coordinates::are_metres")]
    pub coordinates: Coordinates,
}

/// Columns of a layer without a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holes {
    /// They are air: the layer has no column there.
    #[default]
    Air,
    /// They have the value of the nearest grid point with one, along the grid.
    Fill,
}

impl Holes {
    /// Whether they are air.
    #[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde requires
    fn are_air(&self) -> bool {
        *self == Self::Air
    }
}

/// Shape of the tops of the columns of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tops {
    /// Smooth if a point is near the upper surface, within two grid spacings of it; otherwise flat.
    #[default]
    Auto,
    /// The upper surface is interpolated smoothly between its grid points, as for draped points.
    Smooth,
    /// Every column has a flat top.
    Flat,
}

impl Tops {
    /// Whether the shape is chosen automatically.
    #[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde requires
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// An elevation [m], or a file with the elevations of a surface: ESRI ASCII, netCDF with the elevation as its
/// only variable, or lines `x y z`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Height {
    /// Constant elevation.
    At(f64),
    /// A surface file.
    File(PathBuf),
}

/// Density as a function of depth, or of each column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DensityLaw {
    /// Constant density [kg/m3].
    Constant(f64),
    /// Density of each column, from a grid with the grid points of the surfaces.
    Columns {
        /// The grid: ESRI ASCII, netCDF, GeoTIFF or lines `x y density`.
        #[schemars(example = &"density.asc")]
        file: PathBuf,
        /// Name of the netCDF variable. Without it, the values must be the only variable and have no unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = &"rho")]
        variable: Option<String>,
        /// Factor on the values: 1000 for densities in g/cm3.
        #[serde(default = "one")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        factor: f64,
    },
    /// Polynomial in depth.
    Polynomial {
        /// Coefficients of depth to the powers 0, 1, 2 ... [kg/m3, depth in m].
        #[schemars(length(min = 1, max = 16), extend("examples" = [[-600.0, 0.2]]))]
        coefficients: Vec<f64>,
        /// z of depth 0 [m]; by default the top of each column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.0)]
        datum: Option<f64>,
    },
    /// Exponential law: `deep + (shallow - deep) exp(-depth / scale)`.
    Exponential {
        /// Density at depth 0 [kg/m3].
        #[schemars(example = -600.0)]
        shallow: f64,
        /// Density at great depth [kg/m3].
        #[serde(default)]
        deep: f64,
        /// Depth scale: the depth at which the difference has decayed to 1/e [m].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 1500.0)]
        scale: f64,
        /// z of depth 0 [m]; by default the top of each column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.0)]
        datum: Option<f64>,
    },
}

/// A sphere, discretised into the cubes of a lattice (planes at multiples of `cell`) whose centres lie inside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Centre [x, y, z] [m].
    #[schemars(extend("examples" = [[7000.0, 5000.0, -2000.0]]))]
    pub centre: [f64; 3],
    /// Radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 1000.0)]
    pub radius: f64,
    /// Edge length of the cubes [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub cell: f64,
    /// Density [kg/m3].
    #[schemars(example = 300.0)]
    pub density: f64,
}

/// A rectangular block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Limits along x [m].
    #[schemars(extend("examples" = [[0.0, 1000.0]]))]
    pub x: [f64; 2],
    /// Limits along y [m].
    #[schemars(extend("examples" = [[0.0, 1000.0]]))]
    pub y: [f64; 2],
    /// Limits along z [m].
    #[schemars(extend("examples" = [[-500.0, -100.0]]))]
    pub z: [f64; 2],
    /// Density [kg/m3].
    #[schemars(example = 300.0)]
    pub density: f64,
}

/// The density of a scenario's Earth model, with layers, volumes and topography as in the wave simulation, discretised
/// into cells of its box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioModel {
    /// The scenario file.
    #[schemars(example = &"valley.toml")]
    pub file: PathBuf,
    /// Changes of scenario keys, as with `--set`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["domain.z[0]=-9000"]]))]
    pub set: Vec<String>,
    /// Edge length of the cells [m]. Cells fill the box exactly, so that their edges may be slightly shorter.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 100.0)]
    pub cell: f64,
    /// Reference density, subtracted everywhere below the ground [kg/m3].
    #[serde(default)]
    pub reference: f64,
}

fn left_out() -> f64 {
    craton_formats::ubc::LEFT_OUT_G_CM3
}

fn one() -> f64 {
    1.0
}

fn thousand() -> f64 {
    1000.0
}
