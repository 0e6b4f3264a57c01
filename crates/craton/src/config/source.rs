//! Sources and their time functions.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source: exactly one of `moment_tensor`, `double_couple`, `force`, `cmtsolution`, `quakeml`, `ndk`, `nonlinloc`,
/// `forcesolution` and `srf`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Source {
    /// Position x, y, z [m]; z is up, so depths are negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 0.0, -2000.0]]))]
    pub position: Option<[f64; 3]>,
    /// Longitude, positive east [degrees]; with `latitude` and `depth`, instead of `position`, if the domain has a
    /// projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -180.0, max = 360.0))]
    pub longitude: Option<f64>,
    /// Latitude, positive north [degrees].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -90.0, max = 90.0))]
    pub latitude: Option<f64>,
    /// Depth below the surface [m]; required with `longitude` and `latitude`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub depth: Option<f64>,
    /// Moment tensor by its components; the time function is the moment rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment_tensor: Option<MomentTensor>,
    /// Shear slip on a fault; the time function is the moment rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_couple: Option<DoubleCouple>,
    /// Single force: components x, y, z [N].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 1.0e12, 0.0]]))]
    pub force: Option<[f64; 3]>,
    /// A CMTSOLUTION file with one or many sources: position, moment tensor, half duration and time shift. Time 0 is
    /// the time of the earliest source, or as `zero` says. The simulation begins before time 0 so that it contains the
    /// whole source time function. Craton replaces a half duration of 0 by the shortest that `max_frequency` resolves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"CMTSOLUTION")]
    pub cmtsolution: Option<PathBuf>,
    /// A QuakeML file: the moment tensors of one or many events, at their centroids. The origin time is that of the
    /// preferred origin; if that is the centroid or missing, that of the origin that triggered the determination of the
    /// tensor, or else the first origin that is not a centroid. Everything else is as for `cmtsolution`. An event without a time function has a half duration of 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"event.xml")]
    pub quakeml: Option<PathBuf>,
    /// A catalogue of the Global CMT project in ndk format, also of quick CMTs: the moment tensors of its events, at their centroids. Everything else is as for `cmtsolution`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"jan76_dec20.ndk")]
    pub ndk: Option<PathBuf>,
    /// A NonLinLoc hypocentre file (`.hyp`) with one or many events: hypocentre, focal mechanism and magnitude, as a double couple. Everything else is as for
    /// `cmtsolution`. An event has a half duration of 0 without a `time_function`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"event.hyp")]
    pub nonlinloc: Option<PathBuf>,
    /// Name of the event in the file, as in ndk and CMTSOLUTION, or the name, `publicID` or the end of it in QuakeML. Without it, all events of the file are sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"C060994A")]
    pub event: Option<String>,
    /// Meaning of the depths in `cmtsolution` and `forcesolution`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depths: Option<Depths>,
    /// Definition of time 0 for events from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<TimeZero>,
    /// A FORCESOLUTION file with one or many sources: position, force and time function. Times are as for
    /// `cmtsolution`. Craton does not read SPECFEM3D's Par_file: if USE_RICKER_TIME_FUNCTION is .true. there, add
    /// `source time function: 1` to the file. Without that line, the time function is a Gaussian.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"FORCESOLUTION")]
    pub forcesolution: Option<PathBuf>,
    /// A finite fault in the Standard Rupture Format, version 1.0 or 2.0: point sources with slip rates of their own. Depths are below the surface. The
    /// rigidity is that of the file (version 2.0), or that of the model if the file has none. Time 0 is that of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"rupture.srf")]
    pub srf: Option<PathBuf>,
    /// Source time function s(t). It replaces the time function of a solution file: it is centred at the time of the
    /// source unless its centre is given (`brune` begins there, and times of a file are relative to it), and the
    /// simulation begins before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_function: Option<TimeFunction>,
    /// Whether s(t) is the source history or its rate. By default s(t) of a force is its history, and s(t) of a moment
    /// is its rate (its history for an error function).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<TimeFunctionOf>,
    /// Time shift of s(t) [s]; positive is later.
    #[schemars(range(min = -1e9, max = 1e9))]
    pub delay: f64,
}

/// Meaning of the depths in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depths {
    /// Depths below the surface (the default).
    #[default]
    BelowSurface,
    /// Heights z of the model, positive up, as in SPECFEM3D with `USE_SOURCES_RECEIVERS_Z`. Stations above the ground
    /// are on it.
    Heights,
}

/// Definition of time 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeZero {
    /// Centroid time of the earliest source (the default).
    #[default]
    Centroid,
    /// Origin time of the earliest event, that of the hypocentre.
    Origin,
}

/// Components of a moment tensor, x east, y north, z up; 0 by default.
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

/// Shear slip on a fault, with the angles of Aki and Richards and a moment or magnitude.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoubleCouple {
    /// Strike, clockwise from north; the fault dips to the right of it [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 30.0)]
    pub strike: f64,
    /// Dip from the horizontal [degrees].
    #[schemars(range(min = 0.0, max = 90.0), example = 60.0)]
    pub dip: f64,
    /// Rake: direction of slip of the hanging wall on the fault plane, from the strike, positive up-dip [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 45.0)]
    pub rake: f64,
    /// Scalar moment [N m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 1.0e16)]
    pub moment: Option<f64>,
    /// Moment magnitude Mw, instead of `moment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -5.0, max = 10.0), example = 4.6)]
    pub magnitude: Option<f64>,
}

/// Meaning of a source time function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeFunctionOf {
    /// s(t) is the source itself: F(t) = F s(t), M(t) = M s(t).
    History,
    /// s(t) is the source rate: F(t) and M(t) are proportional to the integral of s.
    Rate,
}

/// A source time function s(t). Pulses have unit area, the Ricker wavelet has unit peak, and the error function rises
/// from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeFunction {
    /// A Gaussian of unit area.
    Gaussian {
        /// Standard deviation [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.06)]
        sigma: f64,
        /// Time of the peak [s]; 6 sigma by default, so that s starts near zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.36)]
        centre: Option<f64>,
    },
    /// A Ricker wavelet of unit peak.
    Ricker {
        /// Dominant frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 2.0)]
        frequency: f64,
        /// Time of the peak [s]; 1.6 / frequency by default, so that s starts near zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// A zero-phase Ormsby wavelet of unit peak: its spectrum rises from the first to the second corner, is flat up to
    /// the third and falls to zero at the fourth.
    Ormsby {
        /// Corner frequencies in ascending order [Hz].
        #[schemars(inner(range(min = 0.0)), extend("examples" = [[5.0, 10.0, 40.0, 60.0]]))]
        corners: [f64; 4],
        /// Time of the peak [s]; 3 / (width of the steeper slope) by default, where truncation leaves 1e-3 of the peak.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Brune pulse of unit area: w^2 t exp(-w t), w = 2 pi corner frequency.
    Brune {
        /// Corner frequency [Hz].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 1.0)]
        corner_frequency: f64,
        /// Onset time [s].
        #[serde(default)]
        onset: f64,
    },
    /// A smooth step from 0 to 1, (1 + erf((t - centre) / width)) / 2.
    ErrorFunction {
        /// Width [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.1)]
        width: f64,
        /// Time of half height [s]; 4.5 widths by default, so that s starts near zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// A triangle of unit area.
    Triangle {
        /// Half duration [s].
        #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.5)]
        half_duration: f64,
        /// Time of the peak [s]; the half duration by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// A text file with columns time [s] and s, at equal steps. Values are used as they are: zero before the first
    /// sample, and the last value after the last sample.
    File(PathBuf),
}

impl TimeFunction {
    /// The same time function, centred at time 0 unless its centre is given.
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
