//! The gravity problem as written: one struct per table of the TOML file.
//!
//! These types define the file format only, as those of the scenario do (`crate::config`), with which they share some
//! types.

mod bodies;
mod geographic;
mod magnetisation;
mod output;
mod points;
mod reduction;

pub use bodies::{
    Ball, Block, Body, CellVolume, DensityLaw, Height, Holes, Layer, ListFormat, MOST_SLICES, PrismColumns, Prisms,
    ScenarioModel, Tops, UbcMesh,
};
pub use geographic::{
    Coordinates, GeographicColumns, GeographicGrid, GeographicList, ReferenceSphere, TesseroidColumns, Tesseroids,
};
pub use magnetisation::{BodyMagnetisation, GivenField, IgrfField, Magnetisation, MainField, Remanent};
pub use output::{Compute, Output, OutputFormat, Units};
pub use points::{Draped, LevelGrid, MOST_POINTS, PointColumns, PointFile, PointLine, Points, ScenarioReceivers};
pub use reduction::{ObservedUnit, Reduction, ReferenceEllipsoid};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gravity or magnetic problem: bodies, observation points, and the requested fields.
///
/// SI units except for results; x east, y north, z up, or longitude, latitude and height. Relative paths of input files are relative to the folder of the
/// gravity file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Title of the problem in pictures, records and headers.
    #[serde(default)]
    #[schemars(example = "A basin")]
    pub title: String,
    /// The bodies. Densities of overlapping bodies add up.
    #[serde(rename = "body")]
    #[schemars(length(min = 1))]
    pub bodies: Vec<Body>,
    /// The observation points.
    pub points: Points,
    /// The reference sphere of bodies and points in longitude, latitude and height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<ReferenceSphere>,
    /// The ellipsoid of bodies and points in longitude, latitude and height, instead of the reference sphere: latitudes are
    /// then geodetic and heights above this ellipsoid, as of GNSS, and fields along its east, north and normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = ReferenceEllipsoid::Wgs84)]
    pub ellipsoid: Option<ReferenceEllipsoid>,
    /// The computed fields. Letters are directions: e, n, u or d (east, north, up, down). `g_d` is positive above an
    /// excess of mass. Fields that begin with `b_` or `tfa` are magnetic, and require `magnetisation`.
    #[serde(default = "Quantity::nine")]
    #[schemars(length(min = 1), extend("examples" = [["g_d", "g_dd"]]))]
    pub fields: Vec<Quantity>,
    /// The magnetisation of the bodies, for magnetic fields instead of gravity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnetisation: Option<Magnetisation>,
    /// Reduction of gravity observed at the points to anomalies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<Reduction>,
    /// How the sums over prisms are computed.
    #[serde(default)]
    pub method: Method,
    /// The output files and their folder.
    pub output: Output,
    /// The devices and threads of a run.
    #[serde(default)]
    pub compute: Compute,
}

impl Config {
    /// Whether positions are longitude, latitude and height above the reference surface.
    pub fn is_geographic(&self) -> bool {
        self.points.are_geographic()
    }
}

/// A field at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-others" = other_names()))]
pub enum Quantity {
    /// Gravitational potential, positive near mass.
    Potential,
    /// East component of the attraction.
    GE,
    /// North component of the attraction.
    GN,
    /// Upward component of the attraction.
    GU,
    /// Downward component of the attraction.
    GD,
    /// East derivative of the east component.
    GEe,
    /// North derivative of the east component.
    GEn,
    /// Upward derivative of the east component.
    GEu,
    /// Downward derivative of the east component.
    GEd,
    /// North derivative of the north component.
    GNn,
    /// Upward derivative of the north component.
    GNu,
    /// Downward derivative of the north component.
    GNd,
    /// Upward derivative of the upward component.
    GUu,
    /// Downward derivative of the downward component; equal to `g_uu`.
    GDd,
    /// Magnitude of the attraction.
    GLength,
    /// Second invariant of the gradient tensor: the sum of its principal minors.
    Invariant2,
    /// Third invariant of the gradient tensor: its determinant. `method.accuracy` applies to the tensor, not to this
    /// product.
    Invariant3,
    /// Dimensionality index of the tensor outside bodies, -27 `invariant3`² / (4 `invariant2`³): 0 for a
    /// two-dimensional source, 1 for a point source.
    Dimensionality,
    /// Anomaly of the total magnetic field: the component of the flux density along the main field.
    Tfa,
    /// East derivative of the total-field anomaly.
    TfaE,
    /// North derivative of the total-field anomaly.
    TfaN,
    /// Upward derivative of the total-field anomaly.
    TfaU,
    /// Length of the gradient of the total-field anomaly (amplitude of the analytic signal).
    TfaGradient,
    /// East component of the magnetic flux density.
    BE,
    /// North component of the magnetic flux density.
    BN,
    /// Upward component of the magnetic flux density.
    BU,
    /// Downward component of the magnetic flux density.
    BD,
    /// Magnitude of the magnetic flux density of the bodies.
    BLength,
    /// East derivative of the east component of the magnetic flux density.
    BEe,
    /// North derivative of the east component of the magnetic flux density.
    BEn,
    /// Upward derivative of the east component of the magnetic flux density.
    BEu,
    /// North derivative of the north component of the magnetic flux density.
    BNn,
    /// Upward derivative of the north component of the magnetic flux density.
    BNu,
    /// Upward derivative of the upward component of the magnetic flux density.
    BUu,
}

impl Quantity {
    /// Attraction and gradient tensor.
    pub fn nine() -> Vec<Self> {
        use Quantity::*;
        vec![GE, GN, GU, GEe, GEn, GEu, GNn, GNu, GUu]
    }

    /// Whether it is a magnetic field.
    pub fn is_magnetic(self) -> bool {
        use Quantity::*;
        matches!(self, BE | BN | BU | BD | BLength | Tfa) || self.is_magnetic_gradient()
    }

    /// Whether it requires the gradient of the magnetic flux density.
    pub fn is_magnetic_gradient(self) -> bool {
        use Quantity::*;
        matches!(self, TfaE | TfaN | TfaU | TfaGradient | BEe | BEn | BEu | BNn | BNu | BUu)
    }
}

/// Field names of other programs in lower case, and the hint for each: names here have directions instead of axes.
fn other_names() -> serde_json::Value {
    let mut names = serde_json::Map::new();
    let mut add = |name: &str, meant: &[&str]| {
        let meant: Vec<String> = meant.iter().map(|word| format!("\"{word}\"")).collect();
        let hint = format!("directions are e (x), n (y), u (z, up) and d (down): did you mean {}?", meant.join(" or "));
        names.insert(name.to_owned(), hint.into());
    };
    add("gx", &["g_e"]);
    add("gy", &["g_n"]);
    add("gz", &["g_d", "g_u"]);
    add("gxx", &["g_ee"]);
    add("gxy", &["g_en"]);
    add("gxz", &["g_ed", "g_eu"]);
    add("gyy", &["g_nn"]);
    add("gyz", &["g_nd", "g_nu"]);
    add("gzz", &["g_dd", "g_uu"]);
    for (known, meant) in [("bx", &["b_e"][..]), ("by", &["b_n"]), ("bz", &["b_d", "b_u"]), ("tmi", &["tfa"])] {
        add(known, meant);
    }
    // Components in the other index order, components of harmonica, and T and V as symbols of the tensor.
    for (known, name) in [("gne", "g_en"), ("gue", "g_eu"), ("gde", "g_ed"), ("gun", "g_nu"), ("gdn", "g_nd")] {
        add(known, &[name]);
    }
    add("gez", &["g_ed", "g_eu"]);
    add("gnz", &["g_nd", "g_nu"]);
    for (axes, meant) in [
        ("xx", &["g_ee"][..]),
        ("xy", &["g_en"]),
        ("xz", &["g_ed", "g_eu"]),
        ("yy", &["g_nn"]),
        ("yz", &["g_nd", "g_nu"]),
        ("zz", &["g_dd", "g_uu"]),
    ] {
        ["t", "v"].into_iter().for_each(|letter| add(&format!("{letter}{axes}"), meant));
    }
    serde_json::Value::Object(names)
}

/// How the sums over prisms are computed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Method {
    /// Largest error, as a fraction of the largest value over all points, for potential, attraction and tensor
    /// separately. By default sums are exact: ten digits for each prism at each point.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-12, max = 0.1), example = 1e-5)]
    pub accuracy: Option<f64>,
    /// The summation algorithm.
    pub path: Path,
    /// Precision of a prism's field on GPUs without `accuracy`. CPUs always compute in double precision.
    pub precision: Precision,
    /// Search for overlapping prisms, and report the first ones.
    pub find_overlaps: bool,
}

/// A summation algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// The fastest algorithm within `accuracy`; always `direct` on GPUs that `compute.device` selects.
    #[default]
    Auto,
    /// Direct sum: every prism at every point.
    Direct,
    /// Tree: distant groups of prisms are approximated by multipole expansions. Requires `accuracy`.
    Tree,
    /// Convolution by FFT, for equal cells on a lattice and a matching level grid of points. Requires an `accuracy` of
    /// at least 1e-9.
    Convolution,
}

/// Precision of a prism's field on a GPU. Sums are always in double precision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Double precision: ten digits.
    #[default]
    Double,
    /// Single precision, with coordinates as two numbers so that offsets lose no digits. The relative error is at most
    /// 2e-4 per prism and point, and about 1e-6 of the largest values for sums over many prisms.
    Single,
}
