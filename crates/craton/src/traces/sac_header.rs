//! Conversion of a trace to a SAC header.

use craton_acquisition::Quantity;
use craton_formats::sac::{SacQuantity, SacTrace};

use super::miniseed::channel_code;
use super::{SPHERE, Situation, Trace};

/// Largest number of characters of an event name in a SAC header.
const LONGEST_EVENT_NAME: usize = 16;

/// Label of the centroid time pick.
pub const CENTROID: &str = "centroid";

/// The trace in SAC format; `USER0` to `USER2` are its position, `USER3` its offset in the model [m].
pub fn as_sac(trace: &Trace) -> SacTrace {
    let [network, station, location] = trace.name.codes();
    let samples = trace.samples.iter().map(|&sample| sample as f32).collect();
    let component = &trace.name.component;
    let channel = channel_code(component, trace.dt).unwrap_or_else(|| component.clone());
    let mut sac = SacTrace::new([network, station, &channel], trace.start, trace.dt, samples);
    sac.location = location.to_owned();
    sac.unit = trace.unit().to_owned();
    sac.quantity = match trace.name.quantity {
        Some(Quantity::Displacement) => SacQuantity::Displacement,
        Some(Quantity::Velocity) => SacQuantity::Velocity,
        Some(Quantity::Acceleration) => SacQuantity::Acceleration,
        _ => SacQuantity::default(),
    };
    sac.azimuth = trace.azimuth();
    sac.inclination = if trace.name.component == "Z" { Some(0.0) } else { sac.azimuth.map(|_| 90.0) };
    for (axis, coordinate) in trace.position.into_iter().flatten().enumerate() {
        sac.user[axis] = Some(coordinate);
    }
    sac.user[3] = trace.offset;
    situate(&mut sac, &trace.situation);
    sac
}

/// Fills in station, event and the path between them.
fn situate(sac: &mut SacTrace, situation: &Situation) {
    if let Some(station) = &situation.station {
        [sac.station_longitude, sac.station_latitude] = station.degrees.map(Some);
        (sac.station_elevation, sac.station_depth) = (Some(station.ground), Some(station.depth));
    }
    if let Some(event) = &situation.event {
        [sac.event_longitude, sac.event_latitude] = event.degrees.map(Some);
        sac.event_depth_km = Some(event.depth / 1000.0);
    }
    if let Some(way) = &situation.way {
        sac.distance_km = Some(way.distance / 1000.0);
        (sac.event_azimuth, sac.back_azimuth) = (Some(way.azimuth), Some(way.back_azimuth));
        sac.arc = way.arc;
    }
    if situation.on_sphere {
        sac.surface = SPHERE.to_owned();
    }
    let name = situation.event_name.iter().flat_map(|name| name.chars());
    let name: String = name.filter(char::is_ascii).take(LONGEST_EVENT_NAME).collect();
    sac.event_name = name.trim_end().to_owned();
    sac.origin = situation.event_time;
    sac.pick = situation.centroid_time.map(|time| (time, CENTROID.to_owned()));
    sac.reference = situation.zero;
}
