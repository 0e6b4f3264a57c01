//! Checks of the meaning of a survey that the schema cannot express and that open no other file.

use super::config::{
    Acquisition, ByteOrder, Config, Density, Domain, FixedReceivers, GatherFormat, Layered, MOST_POINTS, MarineLine,
    Model, Numbers, PointGrid, Quality, Quantity, Snapshots,
};
use super::elastic_problems;
use super::time_axis::{MOST_SAMPLES, samples_of};
use crate::config::TimeFunction;
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::sampled::volume_problems;
use crate::validate::{device, exactly_one, nameless_folder};

/// All problems of a survey; empty if there are none.
pub fn problems(config: &Config, inputs: &Inputs) -> Vec<Problem> {
    let root = KeyPath::default();
    let mut problems = domain(config, &root.key("domain"));
    problems.extend(model(&config.model, &config.domain, inputs, &root.key("model")));
    problems.extend(elastic_problems::problems(config, inputs, &root));
    problems.extend(acquisition(&config.acquisition, &root.key("acquisition")));
    problems.extend(source(config, &root.key("source")));
    problems.extend(arrays(config, &root));
    problems.extend(quantities(&config.receivers.quantities, &root.key("receivers").key("quantities")));
    problems.extend(nameless_folder(&config.output.directory, &root.key("output")));
    problems.extend(samples(config, &root.key("output").key("samples")));
    problems.extend(byte_order(config, &root.key("output").key("byte_order")));
    problems.extend(times(config, &root));
    problems.extend(config.output.snapshots.iter().flat_map(|requested| {
        let path = root.key("output").key("snapshots");
        snapshots(requested, config.duration, &path)
    }));
    problems.extend(device(&config.compute.device, &root.key("compute")));
    problems
}

fn domain(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let domain = &config.domain;
    let axes = [("x", domain.x), ("y", domain.y), ("depth", domain.depth)];
    let reversed = axes.into_iter().filter_map(|(axis, ends)| Some((axis, ends?))).filter(|(_, [a, b])| a >= b);
    let mut problems: Vec<Problem> = reversed
        .map(|(axis, ends)| {
            let problem = Problem::new(path.key(axis), "the first limit must be below the last one");
            problem.value(bracketed(&ends)).allowed("[first, last] in metres, first < last")
        })
        .collect();
    if let Model::Layered(_) = config.model {
        let missing = [("x", domain.x), ("depth", domain.depth)].into_iter().filter(|(_, ends)| ends.is_none());
        problems.extend(missing.map(|(axis, _)| {
            let problem = Problem::new(path.key(axis), "is missing, and layers do not define the extent of the model");
            problem.hint(format!("such as {axis} = [0, 5000]"))
        }));
    }
    problems
}

fn model(model: &Model, domain: &Domain, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    match model {
        Model::Layered(layered) => layers(layered, domain, &path.key("layered").key("layers")),
        Model::Volume(volumes) => {
            let path = path.key("volume");
            let velocity = volume_problems(&volumes.velocity, inputs, &path.key("velocity"));
            let density = volumes.density.iter().filter_map(Density::file);
            let density = density.flat_map(|density| volume_problems(density, inputs, &path.key("density")));
            let quality = volumes.qp.iter().filter_map(Quality::file);
            let quality = quality.flat_map(|quality| volume_problems(quality, inputs, &path.key("qp")));
            velocity.into_iter().chain(density).chain(quality).collect()
        }
    }
}

/// Layers with missing or unordered tops.
fn layers(layered: &Layered, domain: &Domain, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut above = f64::NEG_INFINITY;
    for (index, layer) in layered.layers.iter().enumerate() {
        let path = path.index(index).key("top");
        match layer.top {
            None if index == 0 => {}
            Some(top) if index == 0 => {
                problems.extend(first_top(top, domain, &path));
                above = top;
            }
            None => problems.push(Problem::new(path, "is missing: the depth of the top of this layer")),
            Some(top) if top <= above => {
                let problem = Problem::new(path, "is not below the top of the previous layer").value(Number(top));
                problems.push(problem.allowed(format!("> {} m", Number(above))));
            }
            Some(top) => above = top,
        }
    }
    problems
}

/// The first layer must start at the top of the domain.
fn first_top(top: f64, domain: &Domain, path: &KeyPath) -> Option<Problem> {
    let [surface, _] = domain.depth?;
    let problem = Problem::new(path, "leaves the uppermost part of the domain without material").value(Number(top));
    let problem = problem.allowed(format!("<= domain.depth[0] = {} m", Number(surface)));
    let hint = "remove `top` of the first layer, or raise it to the top of the domain";
    (top > surface).then(|| problem.hint(hint))
}

fn acquisition(acquisition: &Acquisition, path: &KeyPath) -> Vec<Problem> {
    let fixed = match acquisition {
        Acquisition::Marine(line) => return too_long(line, &path.key("marine")).into_iter().collect(),
        Acquisition::Fixed(fixed) => fixed,
        _ => return Vec::new(),
    };
    let path = path.key("fixed");
    let FixedReceivers { shot_lines, shot_grids, receiver_lines, receiver_grids } = fixed;
    let mut problems = Vec::new();
    for (what, lines, grids) in
        [("shot", shot_lines.len(), shot_grids.len()), ("receiver", receiver_lines.len(), receiver_grids.len())]
    {
        if lines + grids == 0 {
            let problem = Problem::new(&path, format!("has no {what}s"));
            problems.push(
                problem.hint(format!(
                    "add a table [[acquisition.fixed.{what}_line]] or [[acquisition.fixed.{what}_grid]]"
                )),
            );
        }
    }
    for (key, grids) in [("shot_grid", shot_grids), ("receiver_grid", receiver_grids)] {
        problems
            .extend(grids.iter().enumerate().filter_map(|(index, grid)| too_many(grid, &path.key(key).index(index))));
    }
    problems
}

/// A streamer with too many channels.
fn too_long(line: &MarineLine, path: &KeyPath) -> Option<Problem> {
    let channels = line.streamer_length / line.group_interval;
    let problem = Problem::new(path.key("group_interval"), format!("results in {} channels", Number(channels.round())));
    let least = line.streamer_length / MOST_POINTS as f64;
    let problem = problem.value(Number(line.group_interval)).allowed(format!("more than {} m", Number(least)));
    (channels >= MOST_POINTS as f64).then_some(problem)
}

/// A grid with too many points.
fn too_many(grid: &PointGrid, path: &KeyPath) -> Option<Problem> {
    let count = grid.count[0] as f64 * grid.count[1] as f64;
    let problem = Problem::new(path.key("count"), format!("results in {} points", Number(count)));
    (count > MOST_POINTS as f64).then(|| problem.allowed(format!("at most {MOST_POINTS} in total")))
}

fn source(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    if config.source.amplitude == 0.0 {
        let problem = Problem::new(path.key("amplitude"), "is zero").value(0);
        problems.push(problem.allowed("any nonzero number"));
    }
    let (given, signatures) = (&config.source.time_function, &config.source.signatures);
    problems.extend(exactly_one(path, &[("time_function", given.is_some()), ("signatures", signatures.is_some())]));
    if signatures.is_some() && config.source.minimum_phase {
        let problem = Problem::new(path.key("minimum_phase"), "is not available with source.signatures").value(true);
        problems.push(problem.hint("convert the signatures, or remove it").at_key());
    }
    if let Some(TimeFunction::ErrorFunction { .. }) = given {
        let problem = Problem::new(path.key("time_function"), "is an error function, which does not return to zero");
        problems.push(problem.allowed("gaussian, ricker, ormsby, brune, triangle or file"));
    }
    problems
}

/// Arrays with zero total weight.
fn arrays(config: &Config, root: &KeyPath) -> Vec<Problem> {
    let (sent, recorded) = (&config.source.array, &config.receivers.array);
    let are_silent = [
        ("source", !sent.is_empty() && sent.iter().all(|point| point.weight == 0.0)),
        ("receivers", !recorded.is_empty() && recorded.iter().all(|point| point.weight == 0.0)),
    ];
    let silent = are_silent.into_iter().filter(|(_, is_silent)| *is_silent);
    silent.map(|(table, _)| Problem::new(root.key(table).key("array"), "has weights that are all zero")).collect()
}

/// Duplicate quantities, which would share a file.
fn quantities(quantities: &[Quantity], path: &KeyPath) -> Vec<Problem> {
    let again = (0..).zip(quantities).filter(|(index, quantity)| quantities[..*index].contains(quantity));
    let problem = |(index, quantity): (usize, &Quantity)| {
        Problem::new(path.index(index), "is a duplicate").value(quantity.name()).allowed("each quantity once")
    };
    again.map(problem).collect()
}

/// Frames after the end, and invalid or duplicate planes.
fn snapshots(requested: &Snapshots, duration: f64, path: &KeyPath) -> Vec<Problem> {
    let late = (0..).zip(&requested.times).filter(|(_, time)| **time > duration);
    let after_the_end = late.map(|(index, &time)| {
        let problem = Problem::new(path.key("times").index(index), "is after the end of the traces");
        problem.value(Number(time)).allowed(format!("at most duration = {} s", Number(duration)))
    });
    let path = path.key("slices");
    let planes = requested.slices.iter().enumerate().filter_map(|(index, slice)| {
        let path = path.index(index);
        let again = requested.slices[..index].contains(slice).then(|| Problem::new(&path, "is a duplicate"));
        exactly_one(&path, &[("x", slice.x.is_some()), ("y", slice.y.is_some()), ("depth", slice.depth.is_some())])
            .or(again)
    });
    after_the_end.chain(planes).collect()
}

/// Number formats that the file format does not support.
fn samples(config: &Config, path: &KeyPath) -> Option<Problem> {
    let is_unknown = config.output.format == GatherFormat::Su && config.output.samples == Numbers::Ibm;
    let problem = Problem::new(path, "is available only in SEG-Y: Seismic Unix requires IEEE numbers").value("ibm");
    let problem = problem.allowed("\"ieee\", with output.format = \"su\"");
    is_unknown.then(|| problem.hint("remove it, or set output.format = \"segy\""))
}

/// A byte order that the file format does not support.
fn byte_order(config: &Config, path: &KeyPath) -> Option<Problem> {
    let is_unknown = config.output.format == GatherFormat::Segy && config.output.byte_order == ByteOrder::Little;
    let problem =
        Problem::new(path, "is available only for Seismic Unix: Craton writes SEG-Y big-endian").value("little");
    let problem = problem.allowed("\"big\", with output.format = \"segy\"");
    is_unknown.then(|| problem.hint("remove it, or set output.format = \"su\""))
}

/// Traces that the format does not support, or whose sampling is too coarse.
fn times(config: &Config, root: &KeyPath) -> Vec<Problem> {
    let (interval, output) = (config.output.sample_interval, root.key("output").key("sample_interval"));
    let mut problems = Vec::new();
    let microseconds = 1e6 * interval;
    if (microseconds - microseconds.round()).abs() > 1e-6 * microseconds {
        let problem = Problem::new(&output, "is not a whole number of microseconds").value(Number(interval));
        problems.push(problem.allowed("a whole number of microseconds, as in trace headers"));
    }
    let samples = samples_of(config.duration, interval);
    if samples > MOST_SAMPLES as f64 {
        let problem =
            Problem::new(&output, format!("results in {} samples per trace", Number(samples))).value(Number(interval));
        let least = config.duration / (MOST_SAMPLES - 1) as f64;
        problems.push(
            problem.allowed(format!("at least {} s, for at most {MOST_SAMPLES} samples per trace", Number(least))),
        );
    }
    let most = 0.5 / config.method.fd().max_frequency;
    if interval > most {
        let problem = Problem::new(&output, "is too coarse for the highest frequency").value(Number(interval));
        problems
            .push(problem.allowed(format!("at most {} s (half a period of method.fd.max_frequency)", Number(most))));
    }
    if let Some(time_step) = config.method.fd().time_step.filter(|&time_step| time_step >= config.duration) {
        let problem = Problem::new(root.key("method").key("fd").key("time_step"), "is longer than the traces");
        problems.push(problem.value(Number(time_step)).allowed(format!("< duration = {} s", Number(config.duration))));
    }
    problems
}
