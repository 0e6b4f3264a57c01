//! LITHO1.0 as published: profiles at the nodes of an icosahedral tessellation of the globe.
//!
//! | file | content |
//! |---|---|
//! | `Icosahedron_Level7_LatLon_mod.txt` | a line `latitude latitude longitude` \[degrees\] for each of 40,962 nodes |
//! | `node1.model` to `node40962.model`, in the same folder | the profile of each node, in the order of the list |
//!
//! ```text
//! nlayers = 142
//! 6371000.  13012.2  11262.2  3667.8  1327.70  84.6  11262.2  3667.8  1.00000 IC0
//! ...
//!   31500.   2950.0   7000.0  3900.0 57822.00 600.0   7000.0  3900.0  1.00000 CRUST3-BOTTOM
//! ```
//!
//! The first line is not read, since the count of one published profile is wrong. Other lines have depth below sea level \[m\], density
//! \[kg/m³\], P and S velocity \[m/s\], the quality factors of bulk and shear modulus, the second velocities and eta of anisotropy, and the
//! name of the boundary: the top or bottom of a [`Layer`]. Boundaries of the deeper Earth (`IC0` to `A-TOP`) are not read.
//!
//! Of the two latitudes in the list the first counts, as in the authors' program `access_litho`.
//!
//! Source: Pasyanos, Masters, Laske and Ma (2014), LITHO1.0, <https://doi.org/10.1002/2013JB010626>, and `access_litho`.

use std::path::Path;

use rayon::prelude::*;

use super::Grid;
use crate::error::Result;
use crate::text::{Place, data_lines, end_of, read_text, words};

mod interpolate;

pub use interpolate::interpolated;

/// Columns of a profile before the name.
const COLUMNS: usize = 9;
/// Depths of a profile [m].
const DEPTHS: [f64; 2] = [-20_000.0, 7e6];
/// Numbers of nodes of tessellations, from level 1 to 9.
const NODES: [usize; 9] = [12, 42, 162, 642, 2562, 10_242, 40_962, 163_842, 655_362];

/// A layer of a profile, from the top down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `WATER`.
    Water,
    /// `ICE`.
    Ice,
    /// `SEDS1`.
    UpperSediments,
    /// `SEDS2`.
    MiddleSediments,
    /// `SEDS3`.
    LowerSediments,
    /// `CRUST1`.
    UpperCrust,
    /// `CRUST2`.
    MiddleCrust,
    /// `CRUST3`.
    LowerCrust,
    /// `LID`: the mantle of the lithosphere.
    Lid,
    /// `ASTHENO`.
    Asthenosphere,
}

impl Layer {
    /// The layer of a name in the file.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "WATER" => Self::Water,
            "ICE" => Self::Ice,
            "SEDS1" => Self::UpperSediments,
            "SEDS2" => Self::MiddleSediments,
            "SEDS3" => Self::LowerSediments,
            "CRUST1" => Self::UpperCrust,
            "CRUST2" => Self::MiddleCrust,
            "CRUST3" => Self::LowerCrust,
            "LID" => Self::Lid,
            "ASTHENO" => Self::Asthenosphere,
            _ => return None,
        })
    }
}

/// The top or the bottom of a layer, with the properties of the layer there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boundary {
    /// The layer.
    pub layer: Layer,
    /// Whether this is its top rather than its bottom.
    pub is_top: bool,
    /// Height above sea level [m].
    pub elevation: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// P velocity [m/s].
    pub vp: f64,
    /// S velocity [m/s].
    pub vs: f64,
}

/// A node with its profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Latitude [degrees].
    pub latitude: f64,
    /// Longitude [degrees].
    pub longitude: f64,
    /// Boundaries of the layers in the order of the file, the deepest first. Layers that the node does not have are missing.
    pub boundaries: Vec<Boundary>,
    /// Height of the Moho above sea level [m]: the bottom of the lower crust, or else the top of the lid.
    pub moho: f64,
}

/// Whether a path is that of a list of nodes, by its name.
pub(super) fn is_list(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("Icosahedron_Level") && name.contains("LatLon")
}

/// Reads the list of nodes and their profiles. Profiles are read by the rayon pool of the caller.
///
/// # Arguments
/// * `list` – the list, `Icosahedron_Level7_LatLon_mod.txt`, next to the profiles
/// # Errors
/// A file that cannot be read; a list with another number of nodes than a tessellation has; a malformed line; a profile without Moho.
pub fn read(list: &Path) -> Result<Vec<Node>> {
    let places = places(&read_text(list)?, list)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    places
        .into_par_iter()
        .enumerate()
        .map(|(index, [latitude, longitude])| {
            let path = folder.join(format!("node{}.model", index + 1));
            let (boundaries, moho) = profile(&read_text(&path)?, &path)?;
            Ok(Node { latitude, longitude, boundaries, moho })
        })
        .collect()
}

/// Reads the height of the Moho \[m\], interpolated to the centres of cells of one degree, the same points as those of CRUST1.0.
///
/// # Errors
/// As [`read`].
pub fn read_moho(list: &Path) -> Result<Grid> {
    Ok(interpolated(&read(list)?, |node| node.moho))
}

/// Latitudes and longitudes of a list.
///
/// # Errors
/// A malformed line; another number of nodes than a tessellation has.
pub fn places(text: &str, path: &Path) -> Result<Vec<[f64; 2]>> {
    let mut places = Vec::new();
    for (place, line) in data_lines(path, text) {
        let [latitude, _, longitude] = words(line).collect::<Vec<_>>()[..] else {
            return Err(place.bad_value("node", line, "latitude, latitude and longitude in degrees"));
        };
        let latitude = within(place, "latitude", latitude, [-90.0, 90.0])?;
        places.push([latitude, within(place, "longitude", longitude, [-360.0, 360.0])?]);
    }
    if !NODES.contains(&places.len()) {
        let hint = "a tessellation has 40962 nodes at level 7; check whether the file was truncated";
        return Err(end_of(path, text).layout(format!("the list has {} nodes", places.len()), hint));
    }
    Ok(places)
}

/// Boundaries of a profile, and the height of its Moho \[m\].
///
/// # Errors
/// A malformed line; a boundary outside the Earth; a profile without Moho.
pub fn profile(text: &str, path: &Path) -> Result<(Vec<Boundary>, f64)> {
    let mut boundaries = Vec::new();
    for (place, line) in data_lines(path, text).filter(|(_, line)| !line.starts_with("nlayers")) {
        let all: Vec<&str> = words(line).collect();
        let (COLUMNS, Some(name)) = (all.len().saturating_sub(1), all.last()) else {
            return Err(place.bad_value("boundary", line, "nine numbers and a name, as in node1.model of LITHO1.0"));
        };
        let Some((name, end)) = name.rsplit_once('-') else { continue };
        if let (Some(layer), "TOP" | "BOTTOM") = (Layer::of(name), end) {
            boundaries.push(Boundary {
                layer,
                is_top: end == "TOP",
                elevation: -within(place, "depth", all[0], DEPTHS)?,
                density: place.finite("density", all[1])?,
                vp: place.finite("vp", all[2])?,
                vs: place.finite("vs", all[3])?,
            });
        }
    }
    let find = |layer, is_top| boundaries.iter().find(|one: &&Boundary| (one.layer, one.is_top) == (layer, is_top));
    let Some(moho) = find(Layer::LowerCrust, false).or_else(|| find(Layer::Lid, true)) else {
        let hint = "a profile has CRUST3-BOTTOM and LID-TOP; check whether the file was truncated";
        return Err(end_of(path, text).layout("the profile has no Moho", hint));
    };
    let elevation = moho.elevation;
    Ok((boundaries, elevation))
}

fn within(place: Place, key: &str, word: &str, [least, most]: [f64; 2]) -> Result<f64> {
    let value = place.finite(key, word)?;
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(place.bad_value(key, word, format!("a number from {least} to {most}"))),
    }
}
