//! Changes of the Earth model.

use crate::config::{Config, Latitudes, Perturbation, PerturbationUnits};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// What is wrong with the changes of the model.
pub fn perturbation(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let Some(written) = &config.perturbation else { return Vec::new() };
    let mut problems = Vec::new();
    if written.latitudes == Latitudes::Geocentric && config.domain.chunk.is_none() {
        let problem = Problem::new(path.key("latitudes"), "are those of the ellipsoid where the domain is a box");
        problems.push(problem.hint("remove `latitudes`, or give domain.chunk").at_key());
    }
    let path = path.key("scaling");
    for (key, factor, variable) in factors(written) {
        let Some(factor) = factor else { continue };
        let problem = |message: &str| Problem::new(path.key(key), message).value(Number(factor)).at_key();
        if variable.is_some() {
            let message = format!("{key} has values of its own: perturbation.{key}");
            problems.push(problem(&message).hint("remove one of them"));
        } else if matches!(written.units, Some(PerturbationUnits::KmS | PerturbationUnits::Si)) {
            problems.push(problem("scales relative changes, and perturbation.units says that the values are none"));
        }
    }
    if let (Some(_), Some(vs)) = (written.scaling.vp, written.scaling.vs) {
        let problem = Problem::new(path.key("vs"), "scales changes of vp, which `vp` beside it makes of those of vs");
        problems.push(problem.value(Number(vs)).hint("remove one of them").at_key());
    }
    problems
}

/// The factor of each quantity, and the variable that it has.
fn factors(written: &Perturbation) -> [(&'static str, Option<f64>, Option<&String>); 3] {
    let Perturbation { vp, vs, rho, scaling, .. } = written;
    [("vp", scaling.vp, vp.as_ref()), ("vs", scaling.vs, vs.as_ref()), ("rho", scaling.rho, rho.as_ref())]
}
