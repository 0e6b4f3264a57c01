//! QuakeML 1.2: earthquakes with their origins, magnitudes and moment tensors, as distributed by catalogues.
//!
//! The reader extracts only what wave simulations need: for each event the hypocentre, the moment tensor of the preferred focal mechanism
//! with its origin, and the magnitudes. Units are those of the format: degrees, metres (CMTSOLUTION uses kilometres), N m (CMTSOLUTION uses
//! dyn cm).
//!
//! Source: QuakeML, An XML Representation of Seismological Data, Basic Event Description, version 1.2, 2013.

use std::path::Path;

use crate::DateTime;
use crate::cmtsolution::CmtSource;
use crate::error::{FormatError, Result};
use crate::text::{Place, read_text};
use crate::xml::XmlFile;

mod elements;
mod write;

pub use write::{to_bytes, write};

/// Newton metres per dyne centimetre.
const NEWTON_METRE_PER_DYN_CM: f64 = 1e-7;

/// One earthquake.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeEvent {
    /// Line of the file at which the event starts, from 1.
    pub line: usize,
    /// Identifier (`publicID`), like `smi:local/event/1`.
    pub public_id: String,
    /// Description of type "earthquake name", or else the first description; empty if there is none.
    pub name: String,
    /// Origin of the rupture: among the origins that are not centroids, the preferred one, or else the one that triggered the determination of
    /// the mechanism (`triggeringOriginID`), or else the first. A centroid is used only if there is no other origin. With a trigger, the
    /// origin of the tensor counts as a centroid if it is another one, even if the file does not give its type.
    pub origin: QuakeOrigin,
    /// Moment tensor of the preferred focal mechanism, or else of the first mechanism that has one.
    pub moment: Option<QuakeMoment>,
    /// All magnitudes, the preferred one first.
    pub magnitudes: Vec<QuakeMagnitude>,
}

/// An origin: time and position of the hypocentre or the centroid of an earthquake.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeOrigin {
    /// Identifier.
    pub public_id: String,
    /// Agency that determined the origin; empty if unknown.
    pub agency: String,
    /// Time in UTC.
    pub time: DateTime,
    /// Latitude [degrees], -90 to 90.
    pub latitude: f64,
    /// Longitude [degrees], -360 to 360.
    pub longitude: f64,
    /// Depth below the reference level of the catalogue, usually sea level [m].
    pub depth: Option<f64>,
    /// Type of the origin.
    pub origin_type: OriginType,
}

/// Type of an origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginType {
    /// The start of the rupture.
    Hypocenter,
    /// The centroid of the moment release, in space and time.
    Centroid,
    /// Another type, or not specified.
    #[default]
    Other,
}

/// A moment tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeMoment {
    /// Identifier of the focal mechanism.
    pub mechanism_id: String,
    /// Moment tensor [N m]: rr, tt, pp, rt, rp, tp (r up, t south, p east).
    pub spherical: [f64; 6],
    /// Scalar moment [N m], as written in the file.
    pub scalar_moment: Option<f64>,
    /// Origin of the tensor (`derivedOriginID`). If it is missing, or if it is the origin that triggered the determination of the mechanism, as
    /// in the files of SPUD, the first centroid, or else the preferred origin, unless it is a hypocentre.
    pub origin: Option<QuakeOrigin>,
    /// Source time function.
    pub time_function: Option<SourceTimeFunction>,
}

/// The moment rate function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceTimeFunction {
    /// Shape.
    pub shape: TimeFunctionShape,
    /// Total duration [s], at least 0: twice the half duration.
    pub duration: f64,
    /// Time to the maximum [s].
    pub rise_time: Option<f64>,
    /// Time from the maximum to the end [s].
    pub decay_time: Option<f64>,
}

/// Shape of a source time function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeFunctionShape {
    /// `box car`.
    BoxCar,
    /// `triangle`.
    Triangle,
    /// `trapezoid`.
    Trapezoid,
    /// `unknown`, or not specified.
    Unknown,
}

/// A magnitude.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeMagnitude {
    /// The value.
    pub value: f64,
    /// Type, such as `Mw`, `mb` or `MS`; empty if unknown.
    pub kind: String,
}

impl QuakeMoment {
    /// Moment tensor [N m] in x east, y north, z up, Voigt order xx, yy, zz, yz, xz, xy.
    ///
    /// East is p, north is -t and up is r. Verified by `events::a_moment_tensor_is_rotated_to_east_north_up`.
    pub fn moment_newton_metre(&self) -> [f64; 6] {
        let [rr, tt, pp, rt, rp, tp] = self.spherical;
        [pp, tt, rr, -rt, rp, -tp]
    }

    /// Scalar moment of the tensor [N m]: √(½ Σ Mᵢⱼ²).
    fn scalar_of_tensor(&self) -> f64 {
        let [rr, tt, pp, rt, rp, tp] = self.spherical;
        (0.5 * (rr * rr + tt * tt + pp * pp) + rt * rt + rp * rp + tp * tp).sqrt()
    }
}

impl QuakeEvent {
    /// Describes the contradiction if the tensor differs by orders of magnitude from the scalar moment of the event, for example because it
    /// is not in N m. The scalar moment is computed from the moment magnitudes; without any, it is `scalarMoment`, which may be in the
    /// same unit as the tensor.
    ///
    /// Verified by `events::a_tensor_that_contradicts_its_moment_or_magnitude_is_detected`.
    pub fn contradiction(&self) -> Option<String> {
        /// Catalogues differ by a few tenths of a magnitude; dyn cm and N m differ by seven powers of ten.
        const LARGEST_RATIO: f64 = 100.0;
        /// Magnitudes derived from moment tensors; others saturate for the largest events.
        const OF_TENSORS: [&str; 5] = ["mw", "mww", "mwc", "mwb", "mwr"];
        let moment = self.moment.as_ref()?;
        let of_tensor = moment.scalar_of_tensor();
        let is_of_tensor = |magnitude: &&QuakeMagnitude| OF_TENSORS.contains(&&*magnitude.kind.to_ascii_lowercase());
        let magnitudes = self.magnitudes.iter().filter(is_of_tensor).map(|QuakeMagnitude { value, kind }| {
            let scalar = 10_f64.powf(1.5 * value + 9.1);
            (format!("{kind} {value}, which is {scalar:.1e} N m"), scalar)
        });
        let mut scalars: Vec<(String, f64)> = magnitudes.collect();
        if scalars.is_empty() {
            let written = moment.scalar_moment.filter(|scalar| *scalar > 0.0);
            scalars.extend(written.map(|scalar| (format!("scalarMoment = {scalar:e} N m"), scalar)));
        }
        let is_near = |scalar: f64| (of_tensor / LARGEST_RATIO..=of_tensor * LARGEST_RATIO).contains(&scalar);
        if of_tensor == 0.0 || scalars.iter().any(|(_, scalar)| is_near(*scalar)) {
            return None;
        }
        let (scalar, _) = scalars.into_iter().next()?;
        Some(format!("has a moment tensor of {of_tensor:.1e} N m and {scalar}"))
    }

    /// Origin of the moment tensor, or else that of the event.
    pub fn centroid(&self) -> &QuakeOrigin {
        self.moment.as_ref().and_then(|moment| moment.origin.as_ref()).unwrap_or(&self.origin)
    }

    /// Centroid time relative to the origin time [s], to the microsecond; 0 if the tensor has the origin of the event.
    pub fn time_shift(&self) -> f64 {
        self.centroid().time.seconds_after(&self.origin.time)
    }

    /// Half duration of the moment rate [s], if there is a time function.
    pub fn half_duration(&self) -> Option<f64> {
        Some(self.moment.as_ref()?.time_function?.duration / 2.0)
    }

    /// The name, or without one the part of the identifier after its last `/` or `=`, since the parts before are often the same for all
    /// events.
    ///
    /// Verified by `events::an_event_without_a_name_uses_the_end_of_its_identifier`.
    pub fn short_name(&self) -> &str {
        let mut parts = self.public_id.rsplit(['/', '=']);
        match &*self.name {
            "" => parts.find(|part| !part.is_empty()).unwrap_or_default(),
            name => name,
        }
    }

    /// Converts the event to a CMTSOLUTION source; `None` if there is no moment tensor or its origin has no depth.
    ///
    /// The half duration is 0 if there is no time function. Hypocentre, `mb`, `Ms` and the name are in the catalogue part of the header;
    /// unknown magnitudes are written as 0. Numbers are converted from N m to dyn cm within round-off.
    ///
    /// Verified by `events::an_event_is_converted_to_a_cmtsolution`.
    pub fn cmt_source(&self) -> Option<CmtSource> {
        let (moment, centroid) = (self.moment.as_ref()?, self.centroid());
        let magnitude = |kind: &str| {
            let found = self.magnitudes.iter().find(|magnitude| magnitude.kind.eq_ignore_ascii_case(kind));
            found.map_or(0.0, |magnitude| magnitude.value)
        };
        let QuakeOrigin { latitude, longitude, depth, .. } = self.origin;
        let depth_km = depth.unwrap_or(0.0) / 1000.0;
        let (body, surface) = (magnitude("mb"), magnitude("Ms"));
        Some(CmtSource {
            // A digit would be read as the start of the year.
            agency: self.origin.agency.chars().filter(|letter| !letter.is_ascii_digit()).collect(),
            origin: self.origin.time,
            catalogue: format!("{latitude} {longitude} {depth_km} {body} {surface} {}", self.name).trim().to_owned(),
            event_name: self.short_name().to_owned(),
            time_shift: self.time_shift(),
            half_duration: self.half_duration().unwrap_or(0.0),
            latitude_or_y: centroid.latitude,
            longitude_or_x: centroid.longitude,
            depth_km: centroid.depth? / 1000.0,
            moment_dyn_cm: moment.spherical.map(|component| component / NEWTON_METRE_PER_DYN_CM),
            time_file: None,
        })
    }

    /// The error of an event that the caller refuses, with its line.
    ///
    /// # Arguments
    /// * `path` – the file it was read from
    /// * `problem` – what is wrong, for example `has no moment tensor`
    /// * `hint` – what to do
    pub fn refuse(&self, path: &Path, problem: &str, hint: &str) -> FormatError {
        Place { path, line: self.line }.layout(format!("event `{}` {problem}", self.public_id), hint)
    }
}

/// Reads the events of a QuakeML file, at least one.
///
/// Verified by `events::an_event_written_by_obspy_is_read` and `events::prefixes_order_and_foreign_elements_do_not_matter`.
///
/// # Errors
/// A file that cannot be read, is not XML, or is not QuakeML; no event; with the event and the line: no origin, an origin without time,
/// latitude or longitude, a moment tensor with a missing component, a time function without duration, a value that is not finite or is
/// outside its range, an invalid date.
pub fn read(path: &Path) -> Result<Vec<QuakeEvent>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<QuakeEvent>> {
    let file = XmlFile::parse(path, text, "quakeml", "QuakeML, with the root element <quakeml> and <eventParameters>")?;
    let parameters = file.root().children("eventParameters");
    let events = parameters.flat_map(|parameters| parameters.children("event")).map(elements::event);
    let events = events.collect::<Result<Vec<_>>>()?;
    if events.is_empty() {
        let hint = "it should have <event> within <eventParameters>; check whether the search returned no events";
        return Err(file.root().place().layout("the file has no events", hint));
    }
    Ok(events)
}
