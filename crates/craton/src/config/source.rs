//! Where and how energy enters.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point source. It is exactly one of `moment_tensor`, `double_couple`, `force`, `cmtsolution`, `quakeml` and `forcesolution`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Source {
    /// Position x, y, z [m]; z is up, so that depths are negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 0.0, -2000.0]]))]
    pub position: Option<[f64; 3]>,
    /// Longitude, east positive [degrees]; with `latitude` and `depth` in place of `position`, where the domain has a projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -180.0, max = 360.0))]
    pub longitude: Option<f64>,
    /// Latitude, north positive [degrees].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -90.0, max = 90.0))]
    pub latitude: Option<f64>,
    /// Depth below the surface [m]; required with `longitude` and `latitude`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub depth: Option<f64>,
    /// A moment tensor by its components; the time function is its rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment_tensor: Option<MomentTensor>,
    /// Slip on a fault; the time function is its moment rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_couple: Option<DoubleCouple>,
    /// A force: components x, y, z [N].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 1.0e12, 0.0]]))]
    pub force: Option<[f64; 3]>,
    /// A CMTSOLUTION file: position, tensor, half duration and time shift of one source or many. Time 0 is that of the earliest, or as `zero` says; the
    /// simulation begins before it, so that no pulse is cut. A half duration of 0 becomes the shortest that `max_frequency` resolves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"CMTSOLUTION")]
    pub cmtsolution: Option<PathBuf>,
    /// A QuakeML file: the moment tensors of its events, one or many, at their centroids. The origin time is that of the preferred origin, or where that is
    /// a centroid, or none is preferred, of the first one that is no centroid. All else is as with `cmtsolution`; an event without a time function has a half duration of 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"event.xml")]
    pub quakeml: Option<PathBuf>,
    /// Which time is 0, for events from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<TimeZero>,
    /// A FORCESOLUTION file: position, force and time function of one source or many. Times are as those of `cmtsolution`. Of SPECFEM3D's Par_file nothing is
    /// known: where its USE_RICKER_TIME_FUNCTION is .true., write `source time function: 1` into the file, or give a `time_function`, which files
    /// without that line need.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"FORCESOLUTION")]
    pub forcesolution: Option<PathBuf>,
    /// How the source acts in time: s(t). A solution file brings its own, which this one replaces: centred at the time of the source unless its centre is
    /// given (`brune` begins there, and samples of a file count from there), and the simulation begins before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_function: Option<TimeFunction>,
    /// What the time function tells: the history of the source, or its rate. Unless said here, that of a force is its history, and that
    /// of a moment its rate (its history if it is an error function).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<TimeFunctionOf>,
    /// Time by which s(t) is shifted [s], later if positive.
    #[schemars(range(min = -1e9, max = 1e9))]
    pub delay: f64,
}

/// Which time of an event is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeZero {
    /// The centroid time of the earliest source: the default.
    #[default]
    Centroid,
    /// The origin time of the earliest event, that of its hypocentre.
    Origin,
}

/// Components of a moment tensor, x east, y north, z up; those left out are zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MomentTensor {
    /// Component xx [N m].
    pub xx: f64,
    /// Component yy [N m].
    pub yy: f64,
    /// Component zz [N m].
    pub zz: f64,
    /// Component yz [N m].
    pub yz: f64,
    /// Component xz [N m].
    pub xz: f64,
    /// Component xy [N m].
    #[schemars(example = 1.0e18)]
    pub xy: f64,
}

/// Slip on a fault (Aki and Richards' angles), by its moment or its magnitude.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoubleCouple {
    /// Strike, from north over east; the fault dips to the right of it [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 30.0)]
    pub strike: f64,
    /// Dip from the horizontal [degrees].
    #[schemars(range(min = 0.0, max = 90.0), example = 60.0)]
    pub dip: f64,
    /// Direction of slip of the hanging wall in the fault, from the strike upwards [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 45.0)]
    pub rake: f64,
    /// Scalar moment [N m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 1.0e16)]
    pub moment: Option<f64>,
    /// Moment magnitude Mw, in place of `moment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -5.0, max = 10.0), example = 4.6)]
    pub magnitude: Option<f64>,
}

/// What the time function of a source tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeFunctionOf {
    /// The source itself: F(t) = F s(t), M(t) = M s(t).
    History,
    /// Its rate: F(t) and M(t) grow as the integral of s.
    Rate,
}

/// How a source acts in time: s(t). Pulses have unit area; the Ricker wavelet has unit peak and the error function rises from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeFunction {
    /// A Gaussian of unit area.
    Gaussian {
        /// Standard deviation [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.06)]
        sigma: f64,
        /// Time of the peak [s]; 6 sigma by default, so that it starts from nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.36)]
        centre: Option<f64>,
    },
    /// A Ricker wavelet of unit peak.
    Ricker {
        /// Dominant frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 2.0)]
        frequency: f64,
        /// Time of the peak [s]; 1.6 / frequency by default, so that it starts from nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// An Ormsby wavelet of unit peak and zero phase: its spectrum rises from the first to the second corner, is flat up to the third and falls to
    /// the fourth.
    Ormsby {
        /// Corner frequencies, rising [Hz].
        #[schemars(inner(range(min = 0.0)), extend("examples" = [[5.0, 10.0, 40.0, 60.0]]))]
        corners: [f64; 4],
        /// Time of the peak [s]; 3 over the width of the steeper slope by default, which cuts 1e-3 of the peak.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Brune's pulse w^2 t exp(-w t), w = 2 pi corner frequency; of unit area.
    Brune {
        /// Corner frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 1.0)]
        corner_frequency: f64,
        /// Time at which it begins [s].
        #[serde(default)]
        onset: f64,
    },
    /// A smooth step from 0 to 1, (1 + erf((t - centre) / width)) / 2.
    ErrorFunction {
        /// Width of the step [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.1)]
        width: f64,
        /// Time of half height [s]; 4.5 widths by default, so that it starts from nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// A triangle of unit area.
    Triangle {
        /// Half of its length [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.5)]
        half_duration: f64,
        /// Time of the peak [s]; the half duration by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// A text file with the columns time [s] and s at equal steps, taken as they are: zero before the first, the last value kept after it.
    File(PathBuf),
}

impl TimeFunction {
    /// The same, its centre at time 0 unless it is given.
    pub fn centred(&self) -> Self {
        let mut centred = self.clone();
        match &mut centred {
            Self::Gaussian { centre, .. }
            | Self::Ricker { centre, .. }
            | Self::Ormsby { centre, .. }
            | Self::ErrorFunction { centre, .. }
            | Self::Triangle { centre, .. } => *centre = centre.or(Some(0.0)),
            Self::Brune { .. } | Self::File(_) => {}
        }
        centred
    }
}
