//! Metadata that miniSEED lacks: positions, directions and epochs of its channels for StationXML, and the sources for
//! QuakeML.

use std::collections::HashSet;

use craton_acquisition::{Mechanism, Quantity, Source, TimeFunction};
use craton_formats::DateTime;
use craton_formats::quakeml::{
    OriginType, QuakeEvent, QuakeMagnitude, QuakeMoment, QuakeOrigin, SourceTimeFunction, TimeFunctionShape,
};
use craton_formats::stationxml::XmlChannel;

use super::miniseed::{NO_DATE, codes_of};
use super::{Place, Trace, file_name};
use crate::config::SeismogramFormat;
use crate::setup::Setup;

/// The miniSEED channels of traces with geographic positions, each once although quantities share them. Their epochs
/// are whole seconds that enclose the samples.
///
/// Verified by `situations::miniseed_channels_have_positions_and_orientations`.
pub fn channels(traces: &[Trace]) -> Vec<XmlChannel> {
    let mut known = HashSet::new();
    let of_miniseed = traces.iter().filter(|trace| file_name(trace, SeismogramFormat::Miniseed).is_some());
    of_miniseed
        .filter_map(channel)
        .filter(|channel| known.insert((channel.station.clone(), channel.channel.clone())))
        .collect()
}

fn channel(trace: &Trace) -> Option<XmlChannel> {
    let Place { degrees: [longitude, latitude], ground, depth } = trace.situation.station?;
    let [network, station, location, channel] = codes_of(trace);
    let zero = trace.situation.zero.unwrap_or(NO_DATE);
    let whole = |time: f64| {
        let moment = zero.later_by(time);
        DateTime { second: moment.second.floor(), ..moment }
    };
    let has_direction = trace.name.quantity != Some(Quantity::Pressure);
    let dip = if trace.name.component.ends_with('Z') { -90.0 } else { 0.0 };
    Some(XmlChannel {
        station: [network, station],
        channel: [location, channel],
        latitude,
        longitude,
        elevation: ground,
        burial: depth,
        direction: trace.azimuth().filter(|_| has_direction).map(|azimuth| [azimuth, dip]),
        sample_rate: trace.dt.recip(),
        epoch: [whole(trace.start), whole(trace.end() + 1.0)],
    })
}

/// The sources of a scenario with a moment tensor and a geographic position, one event each.
///
/// Verified by `situations::sources_are_written_as_quakeml_events`.
pub fn events(setup: &Setup) -> Vec<QuakeEvent> {
    if !setup.frame.is_geographic() {
        return Vec::new();
    }
    setup.sources.iter().enumerate().filter_map(|(index, source)| event(setup, index + 1, source)).collect()
}

fn event(setup: &Setup, number: usize, source: &Source) -> Option<QuakeEvent> {
    let Mechanism::Moment(tensor) = *source.mechanism() else { return None };
    let Place { degrees: [longitude, latitude], depth, .. } = Place::new(setup, source.position());
    let public_id = format!("smi:local/event/{number}");
    let origin = QuakeOrigin {
        public_id: format!("{public_id}/origin"),
        agency: String::new(),
        time: setup.event.zero.unwrap_or(NO_DATE).later_by(source.event_time()),
        latitude,
        longitude,
        depth: Some(depth),
        origin_type: OriginType::Centroid,
    };
    let of_catalogues = tensor.to_spherical();
    let moment = QuakeMoment {
        mechanism_id: format!("{public_id}/mechanism"),
        spherical: [
            of_catalogues.rr,
            of_catalogues.tt,
            of_catalogues.pp,
            of_catalogues.rt,
            of_catalogues.rp,
            of_catalogues.tp,
        ],
        scalar_moment: Some(tensor.scalar_moment()),
        origin: Some(origin.clone()),
        time_function: source.half_duration().map(|half_duration| SourceTimeFunction {
            shape: match source.time_function() {
                TimeFunction::Triangle(_) => TimeFunctionShape::Triangle,
                // QuakeML has no name for a Gaussian.
                _ => TimeFunctionShape::Unknown,
            },
            duration: 2.0 * half_duration,
            rise_time: None,
            decay_time: None,
        }),
    };
    let magnitude = QuakeMagnitude { value: tensor.magnitude(), kind: "Mw".to_owned() };
    let name = source.name().to_owned();
    Some(QuakeEvent { line: 0, public_id, name, origin, moment: Some(moment), magnitudes: vec![magnitude] })
}
