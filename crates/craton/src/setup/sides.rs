//! Absorbing sides of the domain: conflicting keys, and sources on them.

use craton_acquisition::Source;
use craton_model::EarthModel;

use super::Setup;
use super::findings::Findings;
use crate::config::{Absorbing, AbsorbingSide, BoundaryKind, BoxSide, Config, CpmlElements, Method, Sem};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Distance from a side within which a position is on it, relative to the extent of the domain.
const ON_SIDE: f64 = 1e-6;

impl Setup {
    /// The layer of spectral elements at each side, in the order of the boundaries.
    pub fn element_layers(&self) -> [Option<CpmlElements>; 6] {
        let absorbing = &self.method.sem().absorbing;
        BoxSide::ALL.map(|side| match absorbing.at(side) {
            AbsorbingSide::Cpml(cpml) if self.boundaries[side as usize] == BoundaryKind::Absorbing => Some(cpml),
            _ => None,
        })
    }

    /// Number of elements across the layer at each side, in the order of the boundaries; 0 without a layer.
    pub fn elements_across_layers(&self) -> [u16; 6] {
        self.element_layers().map(|cpml| cpml.map_or(0, |cpml| cpml.elements))
    }

    /// Number of elements across the layer inside each side, in the order of the boundaries; 0 without a layer or with one around the domain.
    pub fn elements_across_layers_inside(&self) -> [u16; 6] {
        self.element_layers().map(|cpml| cpml.filter(|cpml| cpml.inside).map_or(0, |cpml| cpml.elements))
    }
}

/// Finds conflicts between the keys of absorbing sides.
pub fn check_keys(config: &Config, findings: &mut Findings) {
    let path = KeyPath::default().key("method");
    findings.problems.extend(match &config.method {
        Method::Sem(sem) => {
            let path = path.key("sem");
            [conflicts(config, &sem.absorbing, &path), misplaced(config, sem, &path)].concat()
        }
        Method::Fd(fd) => conflicts(config, &fd.absorbing, &path.key("fd")),
    });
}

/// Two kinds of absorption for the same sides, or one for a side that does not absorb.
fn conflicts<Layer: Clone + Default>(config: &Config, absorbing: &Absorbing<Layer>, path: &KeyPath) -> Vec<Problem> {
    let path = path.key("absorbing");
    let twice = (absorbing.cpml.is_some() && absorbing.paraxial.is_some()).then(|| {
        Problem::new(path.key("paraxial"), "conflicts with `cpml` for all sides")
            .hint("remove one of the two keys; a single side has its own key, such as bottom = { paraxial = {} }")
            .at_key()
    });
    let kinds = config.boundaries.by_side();
    let idle = BoxSide::ALL
        .into_iter()
        .filter(|&side| absorbing.named(side).is_some() && kinds[side as usize] != BoundaryKind::Absorbing);
    let problem = |side: BoxSide| {
        Problem::new(path.key(side.name()), format!("boundaries.{} is not absorbing", side.name()))
            .hint(format!("set boundaries.{} = \"absorbing\", or remove this key", side.name()))
            .at_key()
    };
    twice.into_iter().chain(idle.map(problem)).collect()
}

/// Layers inside a domain that cannot shrink.
fn misplaced(config: &Config, sem: &Sem, path: &KeyPath) -> Vec<Problem> {
    let path = path.key("absorbing");
    let kinds = config.boundaries.by_side();
    let is_inside = |side: &BoxSide| {
        let is_absorbing = kinds[*side as usize] == BoundaryKind::Absorbing;
        is_absorbing && matches!(sem.absorbing.at(*side), AbsorbingSide::Cpml(cpml) if cpml.inside)
    };
    let problem = |side: BoxSide| {
        let why = match (side, config.domain.mesh.is_some()) {
            (_, true) => "is not possible in the mesh of another program",
            (BoxSide::Top, _) => "is possible at the bottom and at vertical sides only",
            _ => return None,
        };
        let table = if sem.absorbing.named(side).is_some() { path.key(side.name()) } else { path.clone() };
        let problem = Problem::new(table.key("cpml").key("inside"), why).value(true);
        Some(problem.hint("remove `inside` to place the layers around the domain"))
    };
    // One problem for all sides with the same key.
    let mut problems: Vec<Problem> = Vec::new();
    for problem in BoxSide::ALL.into_iter().filter(is_inside).filter_map(problem) {
        if problems.iter().all(|other| other.path != problem.path) {
            problems.push(problem);
        }
    }
    problems
}

/// Finds sources on sides whose condition absorbs their waves at once. Layers around the box absorb behind its sides.
///
/// Verified by `sources::a_source_on_an_absorbing_side_is_refused`.
pub fn check_sources(config: &Config, model: Option<&EarthModel>, sources: &[Source], findings: &mut Findings) {
    let kinds = config.sides();
    let absorbs = |side: BoxSide| match &config.method {
        Method::Sem(sem) => matches!(sem.absorbing.at(side), AbsorbingSide::Paraxial(_)),
        Method::Fd(fd) => matches!(fd.absorbing.at(side), AbsorbingSide::Paraxial(_)),
    };
    let is_absorbing = |side: &BoxSide| kinds[*side as usize] == BoundaryKind::Absorbing && absorbs(*side);
    let absorbing: Vec<BoxSide> = BoxSide::ALL.into_iter().filter(is_absorbing).collect();
    let ends = [config.domain.x(), config.domain.y(), config.domain.z()];
    let path = KeyPath::default().key("source");
    for (index, source) in sources.iter().enumerate() {
        let position = source.position();
        let end = |side: BoxSide| match (side, model) {
            (BoxSide::Top, Some(model)) => model.surface().elevation(position[0], position[1]),
            _ => ends[side.axis()][side as usize % 2],
        };
        let is_on = |side: &BoxSide| {
            let [from, to] = ends[side.axis()];
            (position[side.axis()] - end(*side)).abs() <= ON_SIDE * (to - from)
        };
        let Some(side) = absorbing.iter().copied().find(is_on) else { continue };
        // A solution file may have several sources.
        let path = if sources.len() == config.sources.len() { path.index(index) } else { path.clone() };
        let (axis, name) = (["x", "y", "z"][side.axis()], side.name());
        let place = Number(end(side));
        let message = format!("{} is on the side {name}, {axis} = {place} m, which absorbs its waves", source.name());
        let hint = format!("move it at least a wavelength into the box, or set boundaries.{name} = \"free\"");
        findings.problems.push(Problem::new(path, message).hint(hint));
    }
}
