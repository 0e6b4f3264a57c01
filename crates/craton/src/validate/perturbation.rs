//! Checks of the perturbation of the Earth model.

use crate::config::{Config, Latitudes, Perturbation, PerturbationUnits};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Problems of the perturbation.
pub fn perturbation(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let Some(written) = &config.perturbation else { return Vec::new() };
    let mut problems = Vec::new();
    if written.latitudes == Latitudes::Geocentric && !config.domain.is_on_sphere() {
        let problem = Problem::new(path.key("latitudes"), "must be geographic if the domain is a box");
        problems.push(problem.hint("remove `latitudes`, or give domain.chunk or domain.globe").at_key());
    }
    let path = path.key("scaling");
    for (key, factor, variable) in factors(written) {
        let Some(factor) = factor else { continue };
        let problem = |message: &str| Problem::new(path.key(key), message).value(Number(factor)).at_key();
        if variable.is_some() {
            let message = format!("conflicts with perturbation.{key}, which gives the values of {key}");
            problems.push(problem(&message).hint("remove one of the two keys"));
        } else if matches!(written.units, Some(PerturbationUnits::KmS | PerturbationUnits::Si)) {
            problems.push(problem("requires relative perturbations, but perturbation.units selects absolute values"));
        }
    }
    if let (Some(_), Some(vs)) = (written.scaling.vp, written.scaling.vs) {
        let problem = Problem::new(path.key("vs"), "conflicts with `vp`, which derives vp from vs");
        problems.push(problem.value(Number(vs)).hint("remove one of the two keys").at_key());
    }
    problems
}

/// The scaling factor and the variable of each quantity.
fn factors(written: &Perturbation) -> [(&'static str, Option<f64>, Option<&String>); 3] {
    let Perturbation { vp, vs, rho, scaling, .. } = written;
    [("vp", scaling.vp, vp.as_ref()), ("vs", scaling.vs, vs.as_ref()), ("rho", scaling.rho, rho.as_ref())]
}
