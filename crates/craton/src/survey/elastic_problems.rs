//! Checks of elastic surveys that open no file.

use super::config::{Config, Model, ShearSpeed};
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;
use crate::sampled::volume_problems;
use crate::validate::speeds_of_solid;

/// Problems of the speeds of S waves, and of what elastic surveys do not support.
pub fn problems(config: &Config, inputs: &Inputs, root: &KeyPath) -> Vec<Problem> {
    let mut problems = shear_files(config, inputs, &root.key("model").key("volume"));
    if !config.is_elastic() {
        return problems;
    }
    problems.extend(speeds(&config.model, &root.key("model")));
    let unsupported = |path: KeyPath, hint: &'static str| {
        let message = "is not available with method.fd.equation = \"elastic\"";
        Problem::new(path, message).hint(hint).at_key()
    };
    if config.output.snapshots.is_some() {
        let hint = "remove it, or compute the wavefield of a shot with `craton run`";
        problems.push(unsupported(root.key("output").key("snapshots"), hint));
    }
    if config.attenuation.as_ref().is_some_and(|settings| settings.relation.is_some()) {
        let hint = "give qp and qs in the model";
        problems.push(unsupported(root.key("attenuation").key("relation"), hint));
    }
    problems
}

/// Missing speeds of S waves, and speeds that no solid has.
fn speeds(model: &Model, path: &KeyPath) -> Vec<Problem> {
    let missing = |path: KeyPath, hint: &'static str| {
        Problem::new(path.key("vs"), "is missing, and method.fd.equation is \"elastic\"").hint(hint)
    };
    match model {
        Model::Layered(layered) => {
            let path = path.key("layered").key("layers");
            let of_layer = |(index, layer): (usize, &super::config::Layer)| match layer.vs {
                None => Some(missing(path.index(index), "give the S-wave speed in m/s, 0 in water")),
                Some(vs) => speeds_of_solid(layer.vp, vs, &path.index(index).key("vs")),
            };
            layered.layers.iter().enumerate().filter_map(of_layer).collect()
        }
        Model::Volume(volumes) => {
            let hint = "give a file with the grid points of `velocity`, with 0 in water, or a constant";
            volumes.vs.is_none().then(|| missing(path.key("volume"), hint)).into_iter().collect()
        }
    }
}

/// Problems of the files of S waves.
fn shear_files(config: &Config, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let Model::Volume(volumes) = &config.model else { return Vec::new() };
    let speeds = volumes.vs.iter().filter_map(ShearSpeed::file).map(|file| (file, "vs"));
    let qualities = volumes.qs.iter().filter_map(super::config::Quality::file).map(|file| (file, "qs"));
    speeds.chain(qualities).flat_map(|(file, key)| volume_problems(file, inputs, &path.key(key))).collect()
}
