//! Sources and receivers on interfaces of the model.

use craton_acquisition::{Receiver, Source};
use craton_model::EarthModel;

use super::findings::Findings;
use crate::number::Number;
use crate::placing::ROUND_OFF;

/// Reports sources and receivers on an interface, where the medium has two values: those of the region below apply.
pub fn report(model: Option<&EarthModel>, sources: &[Source], receivers: &[Receiver], findings: &mut Findings) {
    let Some(model) = model else { return };
    findings.warnings.extend(bottom_station_at_the_surface(model, receivers));
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

/// Smallest depth of the sea [m] at which a station with this elevation is taken for one on the bottom.
const DEEP: f64 = 10.0;

/// The warning about stations whose file places them on the bottom of the sea by their elevation, which Craton does not use, so that they are at the surface of the water.
///
/// Verified by `a_station_of_the_sea_bottom_at_the_surface_is_reported`.
fn bottom_station_at_the_surface(model: &EarthModel, receivers: &[Receiver]) -> Option<String> {
    let is_wrong = |receiver: &&Receiver| {
        let position = receiver.position();
        let depth = model.surface().elevation(position[0], position[1]) - position[2];
        let is_in_water = || model.medium(model.region_at(position), position).is_fluid();
        receiver.elevation().is_some_and(|elevation| elevation < -DEEP && depth < -0.5 * elevation) && is_in_water()
    };
    let mut wrong = receivers.iter().filter(is_wrong);
    let first = wrong.next()?;
    let others = match wrong.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let elevation = Number(first.elevation().unwrap_or_default());
    Some(format!(
        "station {}{others} has an elevation of {elevation} m in its file, but no depth below the surface, and is at the surface of the water. Give its depth below the \
         surface, the last column of a STATIONS file, to place it on the bottom",
        first.code()
    ))
}
