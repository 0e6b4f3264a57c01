//! QuakeML 1.2: earthquakes with their origins, magnitudes and moment tensors, as catalogues send them.
//!
//! Only what a model of the waves needs is taken: of each event the origin of the rupture, the moment tensor of the
//! preferred focal mechanism with the origin that it belongs to, and the magnitudes. Units are those of the format:
//! degrees, metres (CMTSOLUTION has kilometres), N m (there dyn cm).
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

pub use write::write;

/// Newton metres in a dyne centimetre.
const NEWTON_METRE_PER_DYN_CM: f64 = 1e-7;

/// One earthquake.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeEvent {
    /// Line of the file at which it begins, from 1.
    pub line: usize,
    /// Identifier (`publicID`), like `smi:local/event/1`.
    pub public_id: String,
    /// The description that is called an earthquake's name, or else the first one; empty if there is none.
    pub name: String,
    /// Where the rupture began: of the origins that are no centroid the preferred one, or else the first. A centroid only
    /// where there is nothing else.
    pub origin: QuakeOrigin,
    /// The moment tensor of the preferred focal mechanism, or else of the first that has one.
    pub moment: Option<QuakeMoment>,
    /// All magnitudes, the preferred one first.
    pub magnitudes: Vec<QuakeMagnitude>,
}

/// Time and place at which an earthquake began, or around which it released its moment.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeOrigin {
    /// Identifier.
    pub public_id: String,
    /// The agency that found it; empty if it is not said.
    pub agency: String,
    /// Time in UTC.
    pub time: DateTime,
    /// Latitude [degrees], -90 to 90.
    pub latitude: f64,
    /// Longitude [degrees], -360 to 360.
    pub longitude: f64,
    /// Depth below the reference of the catalogue, mostly sea level [m].
    pub depth: Option<f64>,
    /// What happened there.
    pub origin_type: OriginType,
}

/// What an origin is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginType {
    /// The beginning of the rupture.
    Hypocenter,
    /// The middle of what was released, in space and time.
    Centroid,
    /// Anything else, or nothing is said.
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
    /// Scalar moment [N m], as written.
    pub scalar_moment: Option<f64>,
    /// The origin that the tensor belongs to (`derivedOriginID`), or, where the file lacks it, the first centroid.
    pub origin: Option<QuakeOrigin>,
    /// How the moment was released.
    pub time_function: Option<SourceTimeFunction>,
}

/// The rate at which moment was released.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceTimeFunction {
    /// Its shape.
    pub shape: TimeFunctionShape,
    /// All of its time [s], at least 0: twice the half duration.
    pub duration: f64,
    /// Time until the maximum is reached [s].
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
    /// `unknown`, or nothing is said.
    Unknown,
}

/// A magnitude.
#[derive(Clone, Debug, PartialEq)]
pub struct QuakeMagnitude {
    /// The value.
    pub value: f64,
    /// Which one, like `Mw`, `mb` or `MS`; empty if it is not said.
    pub kind: String,
}

impl QuakeMoment {
    /// Moment tensor [N m] along x east, y north, z up, in Voigt order xx, yy, zz, yz, xz, xy.
    ///
    /// East is p, north is -t and up is r. Verified by `events::a_moment_tensor_is_turned_to_east_north_and_up`.
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
    /// What the event tells of its scalar moment where all of it lies far from that of its tensor, as in other units than N m: its moment magnitudes, or where it has
    /// none `scalarMoment`, which may be in the unit of the tensor.
    ///
    /// Verified by `events::a_tensor_that_contradicts_its_moment_or_magnitude_is_found`.
    pub fn contradiction(&self) -> Option<String> {
        /// Catalogues differ by a few tenths of a magnitude, dyn cm and N m by seven powers of ten.
        const FAR: f64 = 100.0;
        /// Magnitudes made of moment tensors; those by other waves are small for the largest events.
        const OF_TENSORS: [&str; 5] = ["mw", "mww", "mwc", "mwb", "mwr"];
        let moment = self.moment.as_ref()?;
        let of_tensor = moment.scalar_of_tensor();
        let is_of_tensor = |magnitude: &&QuakeMagnitude| OF_TENSORS.contains(&&*magnitude.kind.to_ascii_lowercase());
        let magnitudes = self.magnitudes.iter().filter(is_of_tensor).map(|QuakeMagnitude { value, kind }| {
            let scalar = 10_f64.powf(1.5 * value + 9.1);
            (format!("{kind} {value}, which is {scalar:.1e} N m"), scalar)
        });
        let mut told: Vec<(String, f64)> = magnitudes.collect();
        if told.is_empty() {
            let written = moment.scalar_moment.filter(|scalar| *scalar > 0.0);
            told.extend(written.map(|scalar| (format!("scalarMoment = {scalar:e} N m"), scalar)));
        }
        let is_near = |scalar: f64| (of_tensor / FAR..=of_tensor * FAR).contains(&scalar);
        if of_tensor == 0.0 || told.iter().any(|(_, scalar)| is_near(*scalar)) {
            return None;
        }
        let (told, _) = told.into_iter().next()?;
        Some(format!("has a moment tensor of {of_tensor:.1e} N m and {told}"))
    }

    /// The origin to which the moment tensor belongs, or else that of the event.
    pub fn centroid(&self) -> &QuakeOrigin {
        self.moment.as_ref().and_then(|moment| moment.origin.as_ref()).unwrap_or(&self.origin)
    }

    /// Centroid time after the origin time [s], to the microsecond; 0 where the tensor's origin is that of the event.
    pub fn time_shift(&self) -> f64 {
        self.centroid().time.seconds_after(&self.origin.time)
    }

    /// Half duration of the moment rate [s], if a time function is given.
    pub fn half_duration(&self) -> Option<f64> {
        Some(self.moment.as_ref()?.time_function?.duration / 2.0)
    }

    /// The name, or where there is none the last part of the identifier, behind its last `/` or `=`: all are alike before.
    ///
    /// Verified by `events::an_event_without_a_name_has_the_end_of_its_identifier`.
    pub fn short_name(&self) -> &str {
        let mut parts = self.public_id.rsplit(['/', '=']);
        match &*self.name {
            "" => parts.find(|part| !part.is_empty()).unwrap_or_default(),
            name => name,
        }
    }

    /// The event as CMTSOLUTION has it, or `None` where there is no moment tensor or its origin has no depth.
    ///
    /// The half duration is 0 where no time function is given. Hypocentre, `mb`, `Ms` and the name stand in the
    /// catalogue's part of the header; a magnitude that is not known is 0 there. Numbers pass from N m to dyn cm, so
    /// that they keep all but the last bit.
    ///
    /// Verified by `events::an_event_becomes_a_cmtsolution`.
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
            // A digit would begin the year.
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
        })
    }

    /// The error of an event that the caller cannot take, with its line.
    ///
    /// # Arguments
    /// * `path` – the file it was read from
    /// * `problem` – what is wrong, as `has no moment tensor`
    /// * `hint` – what to do about it
    pub fn refuse(&self, path: &Path, problem: &str, hint: &str) -> FormatError {
        Place { path, line: self.line }.layout(format!("event `{}` {problem}", self.public_id), hint)
    }
}

/// Reads the events of a QuakeML file, at least one.
///
/// Verified by `events::an_event_that_obspy_writes_is_read` and
/// `events::prefixes_order_and_foreign_elements_do_not_matter`.
///
/// # Errors
/// A file that cannot be read, is no XML or another kind of it; no event; with the event and the line: no origin, an
/// origin without time, latitude or longitude, a moment tensor that lacks a component, a time function without
/// duration, a value that is no finite number or outside its range, a date that does not exist.
pub fn read(path: &Path) -> Result<Vec<QuakeEvent>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<QuakeEvent>> {
    let file = XmlFile::parse(path, text, "quakeml", "QuakeML, an outermost <quakeml> with <eventParameters>")?;
    let parameters = file.root().children("eventParameters");
    let events = parameters.flat_map(|parameters| parameters.children("event")).map(elements::event);
    let events = events.collect::<Result<Vec<_>>>()?;
    if events.is_empty() {
        let hint = "it should have <event> within <eventParameters>; did the search find none?";
        return Err(file.root().place().layout("the file holds no event", hint));
    }
    Ok(events)
}
