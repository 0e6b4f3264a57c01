//! The sources.

use craton_acquisition::{Describes, Mechanism, MomentTensor, Source, TimeFunction, moment_of_magnitude};

use super::event::Event;
use super::faults::Fault;
use super::findings::{Checked, Findings, bad_acquisition};
use super::ground::{Given, Ground, Written};
use super::radiation::{self, ONSET_THRESHOLD};
use super::solutions::{self, Solution};
use super::time_function::time_function;
use crate::config::{self, TimeFunctionOf};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::structure::LARGEST;
use crate::written::Scenario;

/// Largest start time before time 0, in durations.
const MOST_BEFORE: f64 = 1000.0;

/// The sources of a scenario.
#[derive(Debug, Default)]
pub struct Sources {
    /// All point sources.
    pub all: Vec<Source>,
    /// All finite faults.
    pub faults: Vec<Fault>,
    /// Time at which the simulation must start [s]: 0, or earlier for sources from a solution file.
    pub start: f64,
    /// The event of the sources.
    pub event: Event,
}

/// A source before its position is checked.
pub struct Draft {
    /// Name in messages.
    pub name: String,
    /// x, y, z [m].
    pub position: [f64; 3],
    /// Its mechanism.
    pub mechanism: Mechanism,
    /// s(t).
    pub time_function: TimeFunction,
    /// Meaning of s(t); `None` for the default.
    pub describes: Option<Describes>,
    /// Delay of s [s].
    pub delay: f64,
}

impl Sources {
    /// Adds finite faults. If there are no other sources, the event is at the hypocentre of the first one to slip.
    pub fn add_faults(&mut self, faults: Vec<Fault>) {
        self.start = faults.iter().map(|fault| fault.ends()[0]).fold(self.start, f64::min);
        if self.all.is_empty() {
            let first = faults.iter().map(Fault::hypocentre).min_by(|a, b| a.onset().total_cmp(&b.onset()));
            self.event.position = first.map(|point| point.position);
        }
        self.faults = faults;
    }

    /// Adds the sources of a solution file.
    fn add(&mut self, solution: Solution, ground: &Ground, findings: &mut Findings) {
        let first = self.all.len();
        for draft in solution.drafts {
            self.all.extend(build(draft, ground, ground.of_files(), [&solution.path; 2], findings));
        }
        // The simulation starts early enough for the whole pulse, also where SPECFEM truncates it.
        let onsets = self.all[first..].iter().map(|source| source.onset(ONSET_THRESHOLD));
        self.start = onsets.fold(self.start.min(solution.start), f64::min);
    }
}

/// The valid sources. Sources of files with different dates keep their time differences.
pub fn sources(scenario: &Scenario, ground: &Ground, findings: &mut Findings) -> Sources {
    let path = KeyPath::default().key("source");
    let tables: Vec<_> =
        scenario.config.sources.iter().enumerate().map(|(index, written)| (path.index(index), written)).collect();
    let read = tables.iter().map(|(path, written)| solutions::read(written, scenario, ground, path, findings));
    let solutions: Vec<_> = read.collect();
    let earliest = earliest(&solutions);
    let first = earliest.as_ref().and_then(|(_, event)| event.zero);
    let mut sources = Sources::default();
    let mut begins = Vec::with_capacity(tables.len() + 1);
    for (index, ((path, written), solution)) in tables.iter().zip(solutions).enumerate() {
        begins.push(sources.all.len());
        match solution {
            None if written.srf.is_some() => (),
            None => {
                let Some(draft) = draft(written, index, scenario, ground, path, findings) else { continue };
                let (place, given) = match written.position {
                    Some(_) => (path.key("position"), Given::Metres),
                    None => (path.clone(), Given::Degrees),
                };
                sources.all.extend(build(draft, ground, given, [&place, &path.key("time_function")], findings));
            }
            Some(solution) => {
                let Some(solution) = findings.keep(solution) else { continue };
                let (before, file) = (sources.start, solution.path.clone());
                sources.add(solution.counting_from(first), ground, findings);
                let start = Some(sources.start).filter(|start| *start < before);
                let too_early =
                    start.and_then(|start| too_early([start, written.delay], scenario.config.duration, [path, &file]));
                findings.problems.extend(too_early);
            }
        }
    }
    begins.push(sources.all.len());
    if let Some((table, event)) = earliest {
        let own = &sources.all[begins[table]..begins[table + 1]];
        sources.event = event.delayed(tables[table].1.delay).of(own);
    }
    let ends = [sources.start, scenario.config.duration];
    findings.problems.extend(sources.event.undatable(ends, &scenario.config.output));
    findings.warnings.extend(radiation::warnings(&sources, &scenario.config));
    sources
}

/// The problem of a file whose sources would start the simulation long before time 0. It refers to the delay if the
/// sources are fine without it.
///
/// # Arguments
/// * `start`, `delay` – start of the simulation, and delay of the sources of the file [s]
/// * `table`, `file` – the table of the sources, and the key of the file
fn too_early([start, delay]: [f64; 2], duration: f64, [table, file]: [&KeyPath; 2]) -> Option<Problem> {
    let earliest = -MOST_BEFORE * duration;
    if start >= earliest {
        return None;
    }
    let message = format!("the simulation would start at {} s for a duration of {} s", Number(start), Number(duration));
    let (problem, hint) = match start - delay >= earliest {
        true => (Problem::new(table.key("delay"), message).value(Number(delay)), "check the unit: seconds"),
        false => (Problem::new(file, message), "check time shifts and half durations, which are in seconds"),
    };
    Some(problem.allowed(format!("a start at {} s or later", Number(earliest))).hint(hint))
}

/// The earliest dated event of the solution files, without delays, and the index of its table. A single table is an
/// event without a date, too.
fn earliest(solutions: &[Option<Checked<Solution>>]) -> Option<(usize, Event)> {
    let event = |solution: &Option<Checked<Solution>>| Some(solution.as_ref()?.as_ref().ok()?.event.clone());
    let events = solutions.iter().enumerate().filter_map(|(table, solution)| Some((table, event(solution)?)));
    let dated = events.filter_map(|(table, event)| Some((event.zero?, (table, event))));
    let earliest = dated.min_by(|(a, _), (b, _)| a.seconds_after(b).total_cmp(&0.0));
    earliest.map(|(_, dated)| dated).or_else(|| (solutions.len() == 1).then(|| (0, Event::default())))
}

/// A source that the scenario itself describes; `None` with all its problems if it is invalid.
fn draft(
    written: &config::Source,
    index: usize,
    scenario: &Scenario,
    ground: &Ground,
    path: &KeyPath,
    findings: &mut Findings,
) -> Option<Draft> {
    let position = findings.keep(position(written, ground, path));
    let mechanism = findings.keep(mechanism(written, path));
    let path = path.key("time_function");
    let function = written.time_function.as_ref().ok_or_else(|| Box::new(Problem::new(&path, "is missing")));
    let function =
        findings.keep(function.and_then(|function| time_function(function, scenario, scenario.config.duration, &path)));
    Some(Draft {
        name: format!("source {}", index + 1),
        position: position?,
        mechanism: mechanism?,
        time_function: function?,
        describes: written.of.map(describes),
        delay: written.delay,
    })
}

fn position(written: &config::Source, ground: &Ground, path: &KeyPath) -> Checked<[f64; 3]> {
    let degrees = written.longitude.zip(written.latitude).map(|(longitude, latitude)| [longitude, latitude]);
    if degrees.is_some() && written.depth.is_none() {
        let problem = Problem::new(path.key("depth"), "is missing");
        return Err(problem.hint("give the depth below the surface in metres; 0 is at the surface").into());
    }
    ground.position(Written { position: written.position, degrees, depth: written.depth }, path)
}

/// The mechanism of a source in the scenario.
fn mechanism(written: &config::Source, path: &KeyPath) -> Checked<Mechanism> {
    if let Some(force) = written.force {
        return Ok(Mechanism::Force(force));
    }
    if let Some(tensor) = &written.moment_tensor {
        let components = [tensor.xx, tensor.yy, tensor.zz, tensor.yz, tensor.xz, tensor.xy];
        let tensor = MomentTensor::new(components);
        return tensor.map(Mechanism::Moment).map_err(|error| bad_acquisition(&error, &path.key("moment_tensor")));
    }
    let Some(slip) = &written.double_couple else {
        return Err(Problem::new(path, "requires a mechanism")
            .hint("give moment_tensor, double_couple or force")
            .into());
    };
    let moment = match (slip.moment, slip.magnitude) {
        (Some(moment), _) => Ok(moment),
        (None, Some(magnitude)) => moment_of_magnitude(magnitude),
        (None, None) => {
            return Err(Problem::new(path.key("double_couple"), "requires one of `moment`, `magnitude`").into());
        }
    };
    let tensor = moment.and_then(|moment| MomentTensor::double_couple(slip.strike, slip.dip, slip.rake, moment));
    tensor.map(Mechanism::Moment).map_err(|error| bad_acquisition(&error, &path.key("double_couple")))
}

/// The meaning of a source time function.
pub fn describes(of: TimeFunctionOf) -> Describes {
    match of {
        TimeFunctionOf::History => Describes::History,
        TimeFunctionOf::Rate => Describes::Rate,
    }
}

/// The source of a draft; `None` with a problem if it is invalid.
///
/// # Arguments
/// * `given` – the coordinates of its position
/// * `paths` – the keys of its position and its time function
fn build(
    draft: Draft,
    ground: &Ground,
    given: Given,
    [place, time]: [&KeyPath; 2],
    findings: &mut Findings,
) -> Option<Source> {
    let located = ground.inside(draft.position, given);
    let located = located.map_err(|outside| Box::new(outside.problem(&draft.name, "", place)));
    let located = findings.keep(located)?;
    let Draft { name, mechanism, time_function, describes, delay, .. } = draft;
    let meaning = describes.unwrap_or_else(|| Describes::by_convention(&mechanism, &time_function));
    let source = Source::with_meaning(name, located.position, mechanism, time_function, meaning);
    let source = source.and_then(|source| source.delayed(delay));
    let source = findings.keep(source.map_err(|error| bad_acquisition(&error, time)))?;
    findings.keep(representable(&source, time))?;
    Some(source)
}

/// Rejects a source of a file with an amplitude or time that is too large for the computation; numbers in the scenario
/// are already checked.
fn representable(source: &Source, path: &KeyPath) -> Checked<()> {
    let components = match source.mechanism() {
        Mechanism::Moment(tensor) => tensor.to_voigt().to_vec(),
        Mechanism::Force(force) => force.to_vec(),
    };
    let size = components.iter().fold(0.0f64, |size, component| size.max(component.abs()));
    let times = [("the delay", source.delay()), ("the onset time", source.onset(ONSET_THRESHOLD))];
    let sizes =
        [("the amplitude", size), ("the amplitude times the peak of the time function", size * largest(source))];
    let mut numbers = sizes.into_iter().chain(times);
    let Some((what, number)) = numbers.find(|(_, number)| number.abs() > LARGEST) else { return Ok(()) };
    let message = format!("{}: {what} of {} is too large", source.name(), Number(number));
    let problem = Problem::new(path, message).allowed(format!("at most {} in magnitude", Number(LARGEST)));
    Err(problem.hint("check the unit").into())
}

/// An upper bound of the factor of the mechanism; for closed forms it is of order 1.
fn largest(source: &Source) -> f64 {
    match (source.time_function(), source.describes()) {
        (TimeFunction::Sampled(sampled), Describes::Rate) => sampled.peak() * sampled.length(),
        (TimeFunction::Sampled(sampled), Describes::History) => sampled.peak(),
        _ => 1.0,
    }
}
