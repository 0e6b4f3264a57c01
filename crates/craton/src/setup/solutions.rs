//! Sources from solution files, on the time axis of these files: t = 0 is the time of the earliest source.

use craton_acquisition::specfem::{SpecfemSources, sources_from_cmt, sources_from_forces};
use craton_acquisition::{AcquisitionError, Source, TimeFunction};
use craton_formats::cmtsolution::CmtSource;
use craton_formats::forcesolution::{self, ForceTimeFunction};
use craton_formats::{DateTime, FormatError, cmtsolution, quakeml};

use super::event::Event;
use super::findings::{Checked, Findings, bad_acquisition, bad_file, of_file};
use super::ground::Ground;
use super::radiation::SPECTRUM_END;
use super::sources::{Draft, describes};
use super::time_function::time_function;
use crate::config::{self, TimeZero};
use crate::inputs::Text;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::written::Scenario;

/// The time step by which SPECFEM bounds half durations; it is not known yet, so that the bound is left to [`Shortest`].
const NO_TIME_STEP: f64 = 0.0;

/// The sources of a solution file.
pub struct Solution {
    /// Its sources, delays included.
    pub drafts: Vec<Draft>,
    /// Time at which SPECFEM would begin [s], at most 0; 0 if the file's time functions are replaced.
    pub start: f64,
    /// What the file tells of the event, its times and the date of its time 0 those without a delay.
    pub event: Event,
    /// The key that names the file.
    pub path: KeyPath,
}

impl Solution {
    /// The same on a time axis that begins at a date, if both have one: files of different dates keep their distance.
    pub fn counting_from(mut self, first: Option<DateTime>) -> Self {
        let later = self.event.zero.zip(first).map_or(0.0, |(own, first)| own.seconds_after(&first));
        for draft in &mut self.drafts {
            draft.delay += later;
        }
        self.start = (self.start + later).min(0.0);
        self
    }
}

/// The sources of the solution file that a source names, if it names one.
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
    let (file, key) = if let Some(file) = &written.cmtsolution {
        (file, "cmtsolution")
    } else if let Some(file) = &written.quakeml {
        (file, "quakeml")
    } else {
        (written.forcesolution.as_ref()?, "forcesolution")
    };
    let contents = match scenario.text(file, &path.key(key)) {
        Ok(contents) => contents,
        Err(problem) => return Some(Err(problem)),
    };
    let events = match key {
        "cmtsolution" => Some(contents.read(cmtsolution::read, cmtsolution::parse)),
        "quakeml" => Some(catalogued(&contents)),
        _ => None,
    };
    let read = match events {
        Some(events) => events.map_err(Refused::from).and_then(|all| from_events(all, zero, ground, &mut shortest)),
        None => from_forces(&contents, written, ground, &mut shortest),
    };
    let key = path.key(key);
    if written.time_function.is_none() {
        findings.warnings.extend(shortest.warning(&key));
    }
    if let Ok((sources, _)) = &read {
        let positions: Vec<[f64; 3]> = sources.sources.iter().map(Source::position).collect();
        findings.warnings.extend(ground.taken_as_metres(&positions, &key));
    }
    let read = read.map_err(|refused| match refused {
        Refused::File(error) if written.cmtsolution.is_some() && contents.is_xml() => bad_file(&error, file, &key)
            .hint("a file of XML is no CMTSOLUTION: QuakeML is named by the key `quakeml`")
            .into(),
        Refused::File(error) => bad_file(&error, file, &key),
        Refused::Source(error) => of_file(*bad_acquisition(&error, &key), file),
    });
    Some(read.and_then(|read| solution(read, written, scenario, path, key)))
}

/// Why a solution file is refused.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    File(#[from] FormatError),
    #[error(transparent)]
    Source(#[from] AcquisitionError),
}

/// The events of a QuakeML file.
fn catalogued(contents: &Text) -> Result<Vec<CmtSource>, FormatError> {
    let (mut sources, file) = (Vec::new(), contents.path());
    for event in contents.read(quakeml::read, quakeml::parse)? {
        if let Some(contradiction) = event.contradiction() {
            return Err(event.refuse(file, &contradiction, "QuakeML is in N m; 1 dyn cm is 1e-7 N m"));
        }
        let hint = "ask the catalogue for moment tensors (for instance that of GCMT), or write the source out";
        let source = event.cmt_source().ok_or_else(|| event.refuse(file, "has no moment tensor with a depth", hint))?;
        sources.push(source);
    }
    Ok(sources)
}

/// Sources of events, their times after the origin time of the earliest event.
fn from_events(
    mut events: Vec<CmtSource>,
    zero: TimeZero,
    ground: &Ground,
    shortest: &mut Shortest,
) -> Result<(SpecfemSources, Event), Refused> {
    if let Some(first) = events.iter().map(|source| source.origin).min_by(|a, b| a.seconds_after(b).total_cmp(&0.0)) {
        for source in &mut events {
            source.time_shift += source.origin.seconds_after(&first);
            source.origin = first;
        }
    }
    for event in &mut events {
        event.half_duration = shortest.in_place_of_zero(event.half_duration);
    }
    let sources = sources_from_cmt(&events, ground, NO_TIME_STEP)?;
    let event = Event::catalogued(&events);
    let first_shift = events.iter().map(|event| event.time_shift).fold(f64::INFINITY, f64::min);
    Ok(match zero {
        TimeZero::Centroid => (sources, event),
        // t0 is what delays count from: less of it, and all is later.
        TimeZero::Origin => (
            SpecfemSources { t0: sources.t0 - first_shift, ..sources },
            Event { origin: Some(0.0), ..event.delayed(first_shift) },
        ),
    })
}

fn from_forces(
    contents: &Text,
    written: &config::Source,
    ground: &Ground,
    shortest: &mut Shortest,
) -> Result<(SpecfemSources, Event), Refused> {
    let mut forces = contents.read(forcesolution::read, forcesolution::parse)?;
    for force in &mut forces {
        if written.time_function.is_some() {
            // Any will do, as it is replaced.
            force.time_function = Some(ForceTimeFunction::Gaussian);
        }
        if matches!(force.time_function, Some(ForceTimeFunction::Gaussian | ForceTimeFunction::Step)) {
            force.half_duration_or_frequency = shortest.in_place_of_zero(force.half_duration_or_frequency);
        }
    }
    Ok((sources_from_forces(&forces, ground, NO_TIME_STEP)?, Event::default()))
}

/// The sources of a file with what the scenario says beside it: a delay, another time function, what that tells.
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

/// What stands for a half duration of 0, a step that no mesh resolves: the shortest one whose spectrum ends at the highest frequency of
/// the mesh.
///
/// SPECFEM raises every half duration to five time steps or more. Here the time step is not known yet, and would be a poor measure of what
/// the mesh resolves; half durations above 0 are taken as they are, and sources too fast for the mesh are told of like all others.
struct Shortest {
    half_duration: f64,
    max_frequency: f64,
    replaced: usize,
}

impl Shortest {
    fn new(scenario: &Scenario) -> Self {
        let unit = TimeFunction::gaussian_of_half_duration(1.0, 0.0).expect("a second is a half duration");
        let max_frequency = scenario.config.method.max_frequency();
        Self { half_duration: unit.upper_frequency(SPECTRUM_END) / max_frequency, max_frequency, replaced: 0 }
    }

    fn in_place_of_zero(&mut self, half_duration: f64) -> f64 {
        if half_duration > 0.0 {
            return half_duration;
        }
        self.replaced += 1;
        self.half_duration
    }

    fn warning(&self, key: &KeyPath) -> Option<String> {
        (self.replaced > 0).then(|| {
            format!(
                "{key}: a half duration of 0 s is a step, which no mesh resolves; {:.4} s stands in its place (in {} of its sources), \
                 the shortest that max_frequency = {} Hz resolves; write another into the file, or give a time_function",
                Number(self.half_duration), self.replaced, Number(self.max_frequency),
            )
        })
    }
}
