//! Sources and receivers on interfaces of the model.

use craton_acquisition::{Receiver, Source};
use craton_model::EarthModel;

use super::findings::Findings;
use crate::number::Number;
use crate::placing::ROUND_OFF;

/// Reports sources and receivers on an interface, where the medium has two values: those of the region below apply.
pub fn report(model: Option<&EarthModel>, sources: &[Source], receivers: &[Receiver], findings: &mut Findings) {
    let Some(model) = model else { return };
    let of_sources = sources.iter().map(|source| (source.name().to_owned(), source.position()));
    let of_receivers = receivers.iter().map(|receiver| (receiver.code(), receiver.position()));
    let on_interface = of_sources.chain(of_receivers).filter_map(|(name, position)| {
        let [x, y, z] = position;
        let interfaces = model.regions()[1..].iter().map(|region| region.top.elevation(x, y));
        let ground = model.surface().elevation(x, y);
        let elevation = interfaces.filter(|top| ground - top > ROUND_OFF).find(|top| (z - top).abs() < ROUND_OFF)?;
        Some((name, elevation))
    });
    let on_interface: Vec<_> = on_interface.collect();
    let Some((name, elevation)) = on_interface.first() else { return };
    let others = match on_interface.len() {
        1 => String::new(),
        count => format!(" (the first of {count})"),
    };
    findings.warnings.push(format!(
        "{name}{others} is on an interface of the model, at z = {:.3} m. Craton uses the medium below the interface, \
         and the pressure of the water on a sea bottom",
        Number(*elevation)
    ));
}
