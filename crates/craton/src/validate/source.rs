//! Checks of the sources.

use super::exactly_one;
use super::place::Place;
use crate::config::{Config, DoubleCouple, Source, TimeFunction, TimeFunctionOf};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Problems of the sources.
pub fn sources(config: &Config, path: &KeyPath) -> Vec<Problem> {
    if config.sources.is_empty() {
        let problem = Problem::new("", "there is no source");
        return vec![problem.hint("add a table [[source]] with position, time_function, and force or moment_tensor")];
    }
    let each = config.sources.iter().enumerate();
    each.flat_map(|(index, source)| one(source, index, config, &path.index(index))).collect()
}

fn one(source: &Source, index: usize, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let events =
        source.cmtsolution.is_some() || source.quakeml.is_some() || source.ndk.is_some() || source.nonlinloc.is_some();
    let from_file = events || source.forcesolution.is_some() || source.srf.is_some();
    let kinds = [
        ("moment_tensor", source.moment_tensor.is_some()),
        ("double_couple", source.double_couple.is_some()),
        ("force", source.force.is_some()),
        ("cmtsolution", source.cmtsolution.is_some()),
        ("quakeml", source.quakeml.is_some()),
        ("ndk", source.ndk.is_some()),
        ("nonlinloc", source.nonlinloc.is_some()),
        ("forcesolution", source.forcesolution.is_some()),
        ("srf", source.srf.is_some()),
    ];
    let mut problems: Vec<Problem> = exactly_one(path, &kinds).into_iter().collect();
    let place = Place {
        position: source.position,
        longitude: source.longitude,
        latitude: source.latitude,
        depth: source.depth,
    };
    if from_file {
        problems.extend(position_twice(source, path));
    } else {
        problems.extend(place.check(&format!("source {}", index + 1), &config.domain, false, path));
        if source.time_function.is_none() {
            let hint = "such as time_function.gaussian = { sigma = 0.1 }";
            problems.push(Problem::new(path.key("time_function"), "is missing").hint(hint));
        }
    }
    if source.event.is_some() && !events {
        let problem = Problem::new(path.key("event"), "applies only to events from a file").at_key();
        problems.push(problem.hint("use cmtsolution, quakeml or ndk, or remove `event`"));
    }
    if source.zero.is_some() && !events {
        let problem = Problem::new(path.key("zero"), "applies only to events from a file").at_key();
        problems.push(problem.hint("use cmtsolution, quakeml or ndk, or shift the time function with `delay`"));
    }
    if source.depths.is_some() && source.cmtsolution.is_none() && source.forcesolution.is_none() {
        let problem = Problem::new(path.key("depths"), "applies only to `cmtsolution` and `forcesolution`").at_key();
        problems.push(problem.hint("remove `depths`"));
    }
    problems.extend(slip_twice(source, path));
    problems.extend(zero_amplitude(source, path));
    problems.extend(source.double_couple.as_ref().and_then(|slip| size(slip, &path.key("double_couple"))));
    problems.extend(endless(source, path));
    problems
}

fn position_twice(source: &Source, path: &KeyPath) -> Option<Problem> {
    let keys = [
        ("position", source.position.is_some()),
        ("longitude", source.longitude.is_some()),
        ("latitude", source.latitude.is_some()),
        ("depth", source.depth.is_some()),
    ];
    let (key, _) = keys.into_iter().find(|(_, given)| *given)?;
    let problem = Problem::new(path.key(key), "the position is that of the solution file");
    Some(problem.hint(format!("remove `{key}`, or describe the source here instead of using the file")).at_key())
}

/// The problem of a time function beside the slip rates of a finite fault.
fn slip_twice(source: &Source, path: &KeyPath) -> Option<Problem> {
    let keys = [("time_function", source.time_function.is_some()), ("of", source.of.is_some())];
    let (key, _) = keys.into_iter().find(|(_, given)| *given && source.srf.is_some())?;
    let problem = Problem::new(path.key(key), "the points of the fault have their own slip rates").at_key();
    Some(problem.hint(format!("remove `{key}`")))
}

/// The problem of a source with zero amplitude.
fn zero_amplitude(source: &Source, path: &KeyPath) -> Option<Problem> {
    let zero_force = source.force.filter(|force| force.iter().all(|&component| component == 0.0));
    if zero_force.is_some() {
        let problem = Problem::new(path.key("force"), "is zero");
        return Some(problem.value("[0, 0, 0]").allowed("at least one nonzero component, in N"));
    }
    let tensor = source.moment_tensor?;
    let components = [tensor.xx, tensor.yy, tensor.zz, tensor.yz, tensor.xz, tensor.xy];
    components.iter().all(|&component| component == 0.0).then(|| {
        let problem = Problem::new(path.key("moment_tensor"), "is zero");
        problem.allowed("at least one nonzero component of xx, yy, zz, yz, xz, xy, in N m")
    })
}

fn size(slip: &DoubleCouple, path: &KeyPath) -> Option<Problem> {
    exactly_one(path, &[("moment", slip.moment.is_some()), ("magnitude", slip.magnitude.is_some())])
}

/// The problem of an error function as a rate, whose integral grows without bound.
fn endless(source: &Source, path: &KeyPath) -> Option<Problem> {
    let step = matches!(source.time_function, Some(TimeFunction::ErrorFunction { .. }));
    (step && source.of == Some(TimeFunctionOf::Rate)).then(|| {
        let message = "the integral of an error function grows without bound";
        Problem::new(path.key("of"), message).value("\"rate\"").hint("use a gaussian as the rate, or of = \"history\"")
    })
}
