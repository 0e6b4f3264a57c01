//! Sources in fluids.

use craton_acquisition::Source;
use craton_model::EarthModel;
use craton_sim::SourceMechanism;

use super::findings::Findings;
use crate::config::{Config, Method};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::placing::ROUND_OFF;

/// Finds moment tensors with shear components in a fluid, which would leave a permanent shear stress, and forces in a fluid of spectral elements, whose
/// displacement derives from a potential.
///
/// Verified by `shear_and_forces_in_fluids_are_refused`.
pub fn check_sources(config: &Config, model: Option<&EarthModel>, sources: &[Source], findings: &mut Findings) {
    let Some(model) = model else { return };
    let path = KeyPath::default().key("source");
    for (index, source) in sources.iter().enumerate() {
        let [x, y, z] = source.position();
        // A source on an interface belongs to the region below it.
        let below = [x, y, z - ROUND_OFF];
        if !model.medium(model.region_at(below), below).is_fluid() {
            continue;
        }
        let mechanism = SourceMechanism::from(source.mechanism());
        let is_force = matches!(mechanism, SourceMechanism::Force(_)) && matches!(config.method, Method::Sem(_));
        let (what, allowed, cure) = match (mechanism.is_shear(), is_force) {
            (true, _) => (
                "has shear components in a fluid",
                "xx = yy = zz and yz = xz = xy = 0, where vs = 0",
                "move it into rock, or use an explosion",
            ),
            (_, true) => (
                "is a force in a fluid",
                "an explosion, where vs = 0",
                "move it into rock, use an explosion, or use [method.fd]",
            ),
            _ => continue,
        };
        // A solution file may have several sources.
        let path = if sources.len() == config.sources.len() { path.index(index) } else { path.clone() };
        let problem = Problem::new(path, format!("{} {what}", source.name()));
        findings.problems.push(problem.allowed(allowed).hint(cure));
    }
}
