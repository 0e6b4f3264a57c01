//! The gravity problem as it is written: one struct per table of the TOML file.
//!
//! These types carry the words of the format and nothing else, as those of a scenario do (`crate::config`), some of which they share.

mod bodies;
mod output;
mod points;

pub use bodies::{
    Ball, Block, Body, CellVolume, DensityLaw, Height, Layer, ListFormat, MOST_SLICES, PrismColumns, Prisms,
    ScenarioModel, UbcMesh,
};
pub use output::{Compute, Output, OutputFormat, Units};
pub use points::{Draped, LevelGrid, MOST_POINTS, PointColumns, PointFile, PointLine, Points, ScenarioReceivers};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gravity problem: bodies, points, and the fields of gravity that are asked for there.
///
/// SI units but for the results; x east, y north, z up. Relative paths of files to be read are taken from the folder of the gravity file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A line that names the problem in pictures, records and headers.
    #[serde(default)]
    #[schemars(example = "A basin")]
    pub title: String,
    /// What attracts; where bodies overlap, their densities add.
    #[serde(rename = "body")]
    #[schemars(length(min = 1))]
    pub bodies: Vec<Body>,
    /// Where gravity is computed.
    pub points: Points,
    /// What is computed. The letters are those of the directions, e, n, u or d (east, north, up, down), so that `g_d` is positive where mass below
    /// attracts.
    #[serde(default = "Quantity::nine")]
    #[schemars(length(min = 1), extend("examples" = [["g_d", "g_dd"]]))]
    pub fields: Vec<Quantity>,
    /// How sums are made.
    #[serde(default)]
    pub method: Method,
    /// What is written, and where.
    pub output: Output,
    /// What the computer may use.
    #[serde(default)]
    pub compute: Compute,
}

/// What can be computed at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-others" = other_names()))]
pub enum Quantity {
    /// Potential, positive near mass.
    Potential,
    /// Attraction to the east.
    GE,
    /// Attraction to the north.
    GN,
    /// Attraction upwards.
    GU,
    /// Attraction downwards.
    GD,
    /// Derivative to the east of the attraction to the east.
    GEe,
    /// Derivative to the north of the attraction to the east.
    GEn,
    /// Derivative upwards of the attraction to the east.
    GEu,
    /// Derivative downwards of the attraction to the east.
    GEd,
    /// Derivative to the north of the attraction to the north.
    GNn,
    /// Derivative upwards of the attraction to the north.
    GNu,
    /// Derivative downwards of the attraction to the north.
    GNd,
    /// Derivative upwards of the attraction upwards.
    GUu,
    /// Derivative downwards of the attraction downwards, which is the same.
    GDd,
    /// Length of the attraction.
    GLength,
    /// Second invariant of the tensor, the sum of its principal minors.
    Invariant2,
    /// Third invariant of the tensor, its determinant. An accuracy is that of the tensor, not of its products.
    Invariant3,
    /// How three-dimensional the tensor is outside of bodies, 0 for one without end, 1 for a point: -27 `invariant3`² / (4 `invariant2`³).
    Dimensionality,
}

impl Quantity {
    /// The attraction and the tensor.
    pub fn nine() -> Vec<Self> {
        use Quantity::*;
        vec![GE, GN, GU, GEe, GEn, GEu, GNn, GNu, GUu]
    }
}

/// Names of other programs, in small letters alone, and what is meant by them: axes are called by directions here.
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
    // A tensor of the other order, components of harmonica, and T and V for its components.
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

/// How sums are made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Method {
    /// Largest error, as a part of the largest value of potential, attraction and tensor over all points. By default sums are exact: ten digits
    /// of what each prism does at each point.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-12, max = 0.1), example = 1e-5)]
    pub accuracy: Option<f64>,
    /// The way to the sums.
    pub path: Path,
    /// How GPUs compute a prism at a point, where no `accuracy` is asked for; CPUs compute in double precision always.
    pub precision: Precision,
    /// Look for prisms that overlap, and name the first ones.
    pub find_overlaps: bool,
}

/// The way to the sums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// The fastest that keeps the accuracy; on the GPUs that `compute.device` names `direct`.
    #[default]
    Auto,
    /// Every prism at every point.
    Direct,
    /// Groups of prisms that are far from points act as one; needs `accuracy`.
    Tree,
    /// Convolution by Fourier transforms: for equal cells on a lattice and a level grid of points that fits it; needs `accuracy`, 1e-9 or more.
    Convolution,
}

/// How a GPU computes a prism at a point. Sums are in double precision always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// To ten digits.
    #[default]
    Double,
    /// Places as two numbers, so that offsets have all their digits, and the rest in single precision: each pair to 2e-4 at worst, sums of many prisms to some
    /// 1e-6 of the largest values.
    Single,
}
