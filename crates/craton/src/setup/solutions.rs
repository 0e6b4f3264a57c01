//! Sources from solution files, on the time axis of these files: time 0 is the time of the earliest source.

use std::path::{Path, PathBuf};

use craton_acquisition::specfem::{MapFrame, SpecfemSources, sources_from_cmt, sources_from_forces};
use craton_acquisition::{AcquisitionError, MomentTensor, Source, TimeFunction, moment_of_magnitude};
use craton_formats::cmtsolution::CmtSource;
use craton_formats::forcesolution::{self, ForceTimeFunction};
use craton_formats::ndk::{self, NdkEvent};
use craton_formats::nonlinloc::{self, Mechanism, NllEvent};
use craton_formats::quakeml::{self, QuakeEvent};
use craton_formats::{DateTime, FormatError, cmtsolution, escaped};

use super::event::Event;
use super::findings::{Checked, Findings, bad_acquisition, bad_file, of_file};
use super::ground::{Ground, Heights};
use super::radiation::SPECTRUM_END;
use super::sources::{Draft, describes};
use super::time_function::time_function;
use crate::config::{self, Depths, TimeZero};
use crate::error::Problem;
use crate::inputs::Text;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::written::Scenario;

/// The time step by which SPECFEM limits half durations. It is still unknown here; [`Shortest`] sets the limit instead.
const NO_TIME_STEP: f64 = 0.0;

/// The sources of a solution file.
pub struct Solution {
    /// The sources, including delays.
    pub drafts: Vec<Draft>,
    /// Start time of SPECFEM [s], at most 0; 0 if the time functions of the file are replaced.
    pub start: f64,
    /// The event of the file, with times and date without a delay.
    pub event: Event,
    /// The key that names the file.
    pub path: KeyPath,
}

impl Solution {
    /// The same solution on a time axis from a given date, if both have dates, so that files keep their time
    /// differences.
    pub fn counting_from(mut self, first: Option<DateTime>) -> Self {
        let later = self.event.zero.zip(first).map_or(0.0, |(own, first)| own.seconds_after(&first));
        for draft in &mut self.drafts {
            draft.delay += later;
        }
        self.start = (self.start + later).min(0.0);
        self
    }
}

/// The sources of the solution file of a source, if it has one.
///
/// # Arguments
/// * `path` – the table of the source
pub fn read(
    written: &config::Source,
    scenario: &Scenario,
    ground: &Ground,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<Checked<Solution>> {
    let mut shortest = Shortest::new(scenario);
    let zero = written.zero.unwrap_or_default();
    let (file, key) = file_of(written)?;
    let contents = match scenario.text(file, &path.key(key)) {
        Ok(contents) => contents,
        Err(problem) => return Some(Err(problem)),
    };
    let events = events(&contents, key, written.event.as_deref());
    if let (Some(name), Some(Ok([]))) = (&written.event, events.as_ref().map(|events| events.as_deref())) {
        return Some(Err(no_event(name, file, path)));
    }
    let (of_heights, has_heights) = (Heights(ground), written.depths == Some(Depths::Heights));
    let frame: &dyn MapFrame = if has_heights { &of_heights } else { ground };
    let read = match events {
        Some(events) => events.map_err(Refused::from).and_then(|mut all| {
            all.iter_mut().filter(|_| has_heights).for_each(|event| event.depth_km *= -1.0);
            from_events(all, zero, frame, &mut shortest)
        }),
        None => from_forces(&contents, written, frame, &mut shortest),
    };
    let key = path.key(key);
    if written.time_function.is_none() {
        findings.warnings.extend(shortest.without_function.map(|value| of_older_version(value, &key)));
        findings.warnings.extend(shortest.warning(&key));
        findings.warnings.extend(shortest.time_file.map(|time_file| unread(&time_file, &key)));
    }
    if let Ok((sources, _)) = &read {
        let positions: Vec<[f64; 3]> = sources.sources.iter().map(Source::position).collect();
        findings.warnings.extend(ground.degrees_warning(&positions, &key));
    }
    let read = read.map_err(|refused| match refused {
        Refused::File(error) if written.cmtsolution.is_some() && contents.is_xml() => bad_file(&error, file, &key)
            .hint("this is an XML file, not a CMTSOLUTION: use the key `quakeml` for QuakeML")
            .into(),
        Refused::File(error) => bad_file(&error, file, &key),
        Refused::Source(error) => of_file(*bad_acquisition(&error, &key), file),
    });
    Some(read.and_then(|read| solution(read, written, scenario, path, key)))
}

/// The solution file of a source and its key, if it has one.
fn file_of(written: &config::Source) -> Option<(&PathBuf, &'static str)> {
    let config::Source { cmtsolution, quakeml, ndk, nonlinloc, forcesolution, .. } = written;
    let files = [
        (cmtsolution, "cmtsolution"),
        (quakeml, "quakeml"),
        (ndk, "ndk"),
        (nonlinloc, "nonlinloc"),
        (forcesolution, "forcesolution"),
    ];
    files.into_iter().find_map(|(file, key)| Some((file.as_ref()?, key)))
}

/// The warning about a force of an older version of SPECFEM3D, whose time function the `Par_file` selects.
fn of_older_version(value: f64, key: &KeyPath) -> String {
    let value = Number(value);
    format!(
        "{key}: the file has no line `source time function`, as in older versions of SPECFEM3D. Craton takes {value} s as the half duration of a \
         Gaussian, the default there. If USE_RICKER_TIME_FUNCTION is .true. in the Par_file, add `source time function: 1` after the depth, for a \
         Ricker wavelet of {value} Hz"
    )
}

/// The warning about a source time file that a solution file names.
fn unread(time_file: &str, key: &KeyPath) -> String {
    format!(
        "{key}: the file names the source time file `{}`, which Craton does not read: the half duration of the file \
         applies. Give time_function = {{ file = \"...\" }} with columns time [s] and value, and of = \"history\" or \"rate\"",
        escaped(time_file),
    )
}

/// Why a solution file is invalid.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    File(#[from] FormatError),
    #[error(transparent)]
    Source(#[from] AcquisitionError),
}

/// The events of a file that has events, or that with a name.
///
/// # Arguments
/// * `key` – the key that names the file
fn events(contents: &Text, key: &str, name: Option<&str>) -> Option<Result<Vec<CmtSource>, FormatError>> {
    match key {
        "cmtsolution" => Some(contents.read(cmtsolution::read, cmtsolution::parse).map(|all| named(all, name))),
        "quakeml" => Some(catalogued(contents, name)),
        "ndk" => Some(contents.read(ndk::read, ndk::parse).map(|all| named(all.iter().map(of_ndk).collect(), name))),
        "nonlinloc" => Some(located(contents, name)),
        _ => None,
    }
}

/// The events of a NonLinLoc file, or that with a name, as double couples.
fn located(contents: &Text, name: Option<&str>) -> Result<Vec<CmtSource>, FormatError> {
    let events = contents.read(nonlinloc::read, nonlinloc::parse)?;
    let is_named = |event: &&NllEvent| name.is_none_or(|name| event.name == name || event.public_id == name);
    let source = |event: &NllEvent| {
        let refuse = |problem: &str, hint: &str| event.refuse(contents.path(), problem, hint);
        let hint = "describe the source in the scenario: longitude, latitude, depth and double_couple";
        let mechanism = event.mechanism.as_ref().ok_or_else(|| refuse("has no focal mechanism (FOCALMECH)", hint))?;
        let magnitude = event.magnitude().ok_or_else(|| refuse("has no magnitude", hint))?;
        let Mechanism { strike, dip, rake } = *mechanism;
        let moment = moment_of_magnitude(magnitude);
        let tensor = moment.and_then(|moment| MomentTensor::double_couple(strike, dip, rake, moment));
        let m = tensor.map_err(|error| refuse(&error.to_string(), hint))?.to_spherical();
        Ok(CmtSource {
            agency: "NonLinLoc".to_owned(),
            origin: event.origin,
            catalogue: String::new(),
            event_name: event.name.clone(),
            time_shift: 0.0,
            half_duration: 0.0,
            latitude_or_y: event.latitude,
            longitude_or_x: event.longitude,
            depth_km: event.depth_km,
            moment_dyn_cm: [m.rr, m.tt, m.pp, m.rt, m.rp, m.tp].map(|component| component * DYNE_CENTIMETRES),
            time_file: None,
        })
    };
    events.iter().filter(is_named).map(source).collect()
}

/// Dyne centimetres per newton metre.
const DYNE_CENTIMETRES: f64 = 1e7;

/// The problem of an event that the file does not have.
fn no_event(name: &str, file: &Path, path: &KeyPath) -> Box<Problem> {
    let message = format!("is not an event of {}", escaped(&file.display().to_string()));
    let problem = Problem::new(path.key("event"), message).value(format!("{name:?}"));
    problem.hint("give the name of an event as it is in the file, such as C060994A or us7000abcd").into()
}

/// The events with a name; all without one.
fn named(events: Vec<CmtSource>, name: Option<&str>) -> Vec<CmtSource> {
    events.into_iter().filter(|event| name.is_none_or(|name| event.event_name == name)).collect()
}

/// A source of the Global CMT catalogue.
fn of_ndk(event: &NdkEvent) -> CmtSource {
    let NdkEvent { hypocentre_latitude, hypocentre_longitude, hypocentre_depth_km, mb, ms, region, .. } = event;
    CmtSource {
        agency: event.catalogue.clone(),
        origin: event.origin,
        catalogue: format!("{hypocentre_latitude} {hypocentre_longitude} {hypocentre_depth_km} {mb} {ms} {region}"),
        event_name: event.name.clone(),
        time_shift: event.time_shift,
        half_duration: event.half_duration,
        latitude_or_y: event.latitude,
        longitude_or_x: event.longitude,
        depth_km: event.depth_km,
        moment_dyn_cm: event.moment_dyn_cm,
        time_file: None,
    }
}

/// The events of a QuakeML file, or that with a name or identifier.
fn catalogued(contents: &Text, name: Option<&str>) -> Result<Vec<CmtSource>, FormatError> {
    let (mut sources, file) = (Vec::new(), contents.path());
    let is_named = |event: &QuakeEvent| {
        let end = |name: &str| event.public_id.rsplit(['/', '=']).find(|part| !part.is_empty()) == Some(name);
        name.is_none_or(|name| event.short_name() == name || event.public_id == name || end(name))
    };
    let events = contents.read(quakeml::read, quakeml::parse)?;
    for event in events.into_iter().filter(is_named) {
        if let Some(contradiction) = event.contradiction() {
            return Err(event.refuse(file, &contradiction, "QuakeML moments are in N m; 1 dyn cm = 1e-7 N m"));
        }
        let hint = "request moment tensors from the catalogue (such as GCMT), or describe the source in the scenario";
        let source = event.cmt_source().ok_or_else(|| event.refuse(file, "has no moment tensor with a depth", hint))?;
        sources.push(source);
    }
    Ok(sources)
}

/// Sources of events, with times relative to the origin time of the earliest event.
fn from_events(
    mut events: Vec<CmtSource>,
    zero: TimeZero,
    frame: &dyn MapFrame,
    shortest: &mut Shortest,
) -> Result<(SpecfemSources, Event), Refused> {
    if let Some(first) = events.iter().map(|source| source.origin).min_by(|a, b| a.seconds_after(b).total_cmp(&0.0)) {
        for source in &mut events {
            source.time_shift += source.origin.seconds_after(&first);
            source.origin = first;
        }
    }
    for event in &mut events {
        event.half_duration = shortest.instead_of_zero(event.half_duration, Jump::Step);
        shortest.time_file = shortest.time_file.take().or(event.time_file.take());
    }
    let sources = sources_from_cmt(&events, frame, NO_TIME_STEP)?;
    let event = Event::catalogued(&events);
    let first_shift = events.iter().map(|event| event.time_shift).fold(f64::INFINITY, f64::min);
    Ok(match zero {
        TimeZero::Centroid => (sources, event),
        // Delays are relative to t0: subtracting from it makes all later.
        TimeZero::Origin => (
            SpecfemSources { t0: sources.t0 - first_shift, ..sources },
            Event { origin: Some(0.0), ..event.delayed(first_shift) },
        ),
    })
}

fn from_forces(
    contents: &Text,
    written: &config::Source,
    frame: &dyn MapFrame,
    shortest: &mut Shortest,
) -> Result<(SpecfemSources, Event), Refused> {
    let mut forces = contents.read(forcesolution::read, forcesolution::parse)?;
    forces.iter_mut().filter(|_| written.depths == Some(Depths::Heights)).for_each(|force| force.depth_km *= -1.0);
    for force in &mut forces {
        if force.time_function.is_none() {
            shortest.without_function.get_or_insert(force.half_duration_or_frequency);
        }
        // The default of older versions, and irrelevant if it is replaced.
        if force.time_function.is_none() || written.time_function.is_some() {
            force.time_function = Some(ForceTimeFunction::Gaussian);
        }
        let jump = match force.time_function {
            Some(ForceTimeFunction::Gaussian) => Some(Jump::Impulse),
            Some(ForceTimeFunction::Step) => Some(Jump::Step),
            _ => None,
        };
        if let Some(jump) = jump {
            force.half_duration_or_frequency = shortest.instead_of_zero(force.half_duration_or_frequency, jump);
        }
        shortest.time_file = shortest.time_file.take().or(force.time_file.take());
    }
    Ok((sources_from_forces(&forces, frame, NO_TIME_STEP)?, Event::default()))
}

/// The sources of a file with the settings of the scenario: delay, time function, meaning of the time function.
fn solution(
    (sources, event): (SpecfemSources, Event),
    written: &config::Source,
    scenario: &Scenario,
    path: &KeyPath,
    key: KeyPath,
) -> Checked<Solution> {
    let replacement = written.time_function.as_ref();
    let replacement = replacement
        .map(|function| {
            time_function(&function.centred(), scenario, scenario.config.duration, &path.key("time_function"))
        })
        .transpose()?;
    let of = written.of.map(describes);
    let draft = |source: &Source| Draft {
        name: source.name().to_owned(),
        position: source.position(),
        mechanism: *source.mechanism(),
        time_function: replacement.clone().unwrap_or_else(|| source.time_function().clone()),
        describes: if replacement.is_some() { of } else { of.or(Some(source.describes())) },
        delay: source.delay() - sources.t0 + written.delay,
    };
    Ok(Solution {
        drafts: sources.sources.iter().map(draft).collect(),
        start: if replacement.is_some() { 0.0 } else { (written.delay - sources.t0).min(0.0) },
        event,
        path: key,
    })
}

/// A source of half duration 0.
#[derive(Clone, Copy)]
enum Jump {
    /// Of a moment, or of a force whose time function is a step.
    Step,
    /// Of a force whose time function is a Gaussian.
    Impulse,
}

/// Replacement of a half duration of 0, a step or an impulse that no mesh resolves: the shortest half duration whose spectrum
/// ends at the highest frequency of the mesh.
///
/// SPECFEM raises every half duration to five time steps or more. Here the time step is still unknown, and is not a
/// measure of the resolution of the mesh. Other half durations are not changed; `radiation` warns about sources that
/// are too fast for the mesh.
struct Shortest {
    half_duration: f64,
    max_frequency: f64,
    replaced: usize,
    /// What the first replaced source would be.
    jump: Jump,
    /// Source time file that a solution file names.
    time_file: Option<String>,
    /// Half duration or frequency of the first force without a time function.
    without_function: Option<f64>,
}

impl Shortest {
    fn new(scenario: &Scenario) -> Self {
        let unit = TimeFunction::gaussian_of_half_duration(1.0, 0.0).expect("a second is a half duration");
        let max_frequency = scenario.config.method.max_frequency();
        Self {
            half_duration: unit.upper_frequency(SPECTRUM_END) / max_frequency,
            max_frequency,
            replaced: 0,
            jump: Jump::Step,
            time_file: None,
            without_function: None,
        }
    }

    fn instead_of_zero(&mut self, half_duration: f64, jump: Jump) -> f64 {
        if half_duration > 0.0 {
            return half_duration;
        }
        if self.replaced == 0 {
            self.jump = jump;
        }
        self.replaced += 1;
        self.half_duration
    }

    fn warning(&self, key: &KeyPath) -> Option<String> {
        let jump = match self.jump {
            Jump::Step => "a step",
            Jump::Impulse => "an impulse",
        };
        (self.replaced > 0).then(|| {
            format!(
                "{key}: a half duration of 0 s is {jump}, which no mesh resolves. Craton replaces it by {:.4} s (in {} of its sources), \
                 the shortest that max_frequency = {} Hz resolves. Change the file or give a time_function to avoid this",
                Number(self.half_duration), self.replaced, Number(self.max_frequency),
            )
        })
    }
}
