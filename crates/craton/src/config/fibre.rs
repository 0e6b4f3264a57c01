//! Optical fibres.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An optical fibre of distributed acoustic sensing (DAS). Each channel records the strain along the fibre, averaged over the gauge length; channels begin
/// half a gauge length from the beginning of the fibre.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverFibre {
    /// Name, used in file names: ASCII letters, digits, `-` and `_`.
    #[schemars(example = &"well")]
    pub name: String,
    /// Points x, y, z of the fibre [m], connected by straight pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[[0.0, 0.0, -10.0], [900.0, 0.0, -10.0]]]))]
    pub path: Option<Vec<[f64; 3]>>,
    /// A table with the points of the fibre, instead of `path`: columns `x`, `y` and `z` [m], or `longitude`, `latitude` [degrees] and `depth` below the surface [m]
    /// if the domain has a projection. Other columns of numbers are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"fibre.csv")]
    pub file: Option<PathBuf>,
    /// Depth below the surface [m], which the fibre then follows between its points. Their z and depth are ignored, and may be missing in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 0.5)]
    pub depth: Option<f64>,
    /// Length over which strain is averaged [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 10.0)]
    pub gauge_length: f64,
    /// Distance between channels along the fibre [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 5.0)]
    pub spacing: f64,
    /// The recorded quantities.
    #[serde(default = "ReceiverFibre::default_quantities")]
    #[schemars(length(min = 1))]
    pub quantities: Vec<FibreQuantity>,
}

impl ReceiverFibre {
    fn default_quantities() -> Vec<FibreQuantity> {
        vec![FibreQuantity::StrainRate]
    }
}

/// A quantity recorded along a fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FibreQuantity {
    /// Strain along the fibre (no unit), positive in extension.
    Strain,
    /// Its rate [1/s].
    StrainRate,
}

/// A format of files with the channels of a fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FibreFormat {
    /// HDF5 in the layout of PRODML 2.1, for dascore and (with `swapped_dims=True`) xdas: `fibre_NAME_strain_rate.h5`.
    Hdf5,
    /// SEG-Y revision 1, one trace per channel: `fibre_NAME_strain_rate.sgy`. Requires `sample_interval`, a whole number of microseconds.
    Segy,
}
