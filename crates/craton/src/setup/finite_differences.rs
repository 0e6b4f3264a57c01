//! Restrictions of finite differences that are known before the grid.

use craton_model::EarthModel;

use super::findings::Findings;
use crate::config::{AbsorbingSide, BoundaryKind, BoxSide, Config, Fd, Method};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Finds features of a scenario that `method.fd` does not support.
pub fn check(config: &Config, model: &EarthModel, findings: &mut Findings) {
    let Method::Fd(fd) = &config.method else { return };
    let path = KeyPath::default().key("method").key("fd");
    findings.problems.extend(anisotropy(model));
    findings.problems.extend(thick_layers(config, fd, &path));
    findings.problems.extend(sponge_without_sides(fd, &path));
}

fn anisotropy(model: &EarthModel) -> Option<Problem> {
    let problem = Problem::new(KeyPath::default().key("model"), "is anisotropic, which method.fd does not support");
    model.is_anisotropic().then(|| problem.hint("use [method.sem], or give vp, vs and rho"))
}

/// Absorbing layers inside the box that leave nothing of it.
fn thick_layers(config: &Config, fd: &Fd, path: &KeyPath) -> Option<Problem> {
    let spacing = fd.grid_spacing?;
    let kinds = config.boundaries.by_side();
    let inside = |side: BoxSide| match fd.absorbing.at(side) {
        AbsorbingSide::Cpml(cpml) if cpml.inside && kinds[side as usize] == BoundaryKind::Absorbing => cpml.cells,
        _ => 0,
    };
    let ends = [config.domain.x(), config.domain.y(), config.domain.z()];
    let extent = |axis: usize| ends[axis][1] - ends[axis][0];
    let across = |axis: usize| [0, 1].map(|end| BoxSide::ALL[2 * axis + end]);
    let is_too_thick = |&axis: &usize| {
        let cells: usize = across(axis).into_iter().map(inside).sum();
        cells as f64 * spacing >= extent(axis)
    };
    let axis = (0..3).find(is_too_thick)?;
    let [low, high] = across(axis);
    let thickest = if inside(high) > inside(low) { high } else { low };
    let absorbing = path.key("absorbing");
    let table = if fd.absorbing.named(thickest).is_some() { absorbing.key(thickest.name()) } else { absorbing };
    let message = format!("the absorbing layers fill the whole width of domain.{}", ["x", "y", "z"][axis]);
    let problem = Problem::new(table.key("cpml").key("cells"), message).value(inside(thickest));
    let allowed = format!(
        "fewer than {} cells of {} m in {} m",
        Number(extent(axis) / spacing),
        Number(spacing),
        Number(extent(axis))
    );
    Some(problem.allowed(allowed).hint("make the layers thinner, or remove `inside` to place them around the box"))
}

fn sponge_without_sides(fd: &Fd, path: &KeyPath) -> Option<Problem> {
    let sponge = fd.sponge.as_ref()?;
    let problem = Problem::new(path.key("sponge").key("sides"), "has no side");
    let is_nowhere = BoxSide::ALL.into_iter().all(|side| sponge.at(side).is_none());
    is_nowhere.then(|| problem.allowed("x_min, x_max, y_min, y_max, bottom, top"))
}
