//! What finite differences cannot solve, known before there is a grid.

use craton_model::EarthModel;

use super::findings::Findings;
use crate::config::{Absorbing, BoundaryKind, Config, Fd, Method};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Finds what `method.fd` cannot do with a scenario.
pub fn check(config: &Config, model: &EarthModel, findings: &mut Findings) {
    let Method::Fd(fd) = &config.method else { return };
    let path = KeyPath::default().key("method").key("fd");
    findings.problems.extend(anisotropy(model));
    findings.problems.extend(thick_layers(config, fd, &path));
    findings.problems.extend(sponge_without_sides(fd, &path));
}

fn anisotropy(model: &EarthModel) -> Option<Problem> {
    let problem =
        Problem::new(KeyPath::default().key("model"), "holds anisotropic media, which method.fd does not solve");
    model.is_anisotropic().then(|| problem.hint("solve it by [method.sem], or give vp, vs and rho"))
}

/// Layers inside the box that leave nothing of it.
fn thick_layers(config: &Config, fd: &Fd, path: &KeyPath) -> Option<Problem> {
    let Absorbing::Cpml(cpml) = &fd.absorbing else { return None };
    let spacing = fd.grid_spacing.filter(|_| cpml.inside)?;
    let sides = config.boundaries.by_side();
    let ends = [config.domain.x(), config.domain.y(), config.domain.z()];
    let too_thick = (0..3).find(|&axis| {
        let layers = sides[2 * axis..][..2].iter().filter(|&&side| side == BoundaryKind::Absorbing).count();
        (layers * cpml.cells) as f64 * spacing >= ends[axis][1] - ends[axis][0]
    })?;
    let extent = ends[too_thick][1] - ends[too_thick][0];
    let message = format!("the layers leave nothing of domain.{}", ["x", "y", "z"][too_thick]);
    let problem = Problem::new(path.key("absorbing").key("cpml").key("cells"), message).value(cpml.cells);
    let allowed =
        format!("fewer than {} cells of {} m across {} m", Number(extent / spacing), Number(spacing), Number(extent));
    Some(problem.allowed(allowed).hint("make them thinner, or leave `inside` out: then they stand around the box"))
}

fn sponge_without_sides(fd: &Fd, path: &KeyPath) -> Option<Problem> {
    let sponge = fd.sponge.as_ref()?;
    let problem = Problem::new(path.key("sponge").key("sides"), "names no side");
    sponge.sides.is_empty().then(|| problem.allowed("x_min, x_max, y_min, y_max, bottom, top"))
}
