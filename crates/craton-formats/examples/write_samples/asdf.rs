//! ASDF files: one with the traces of the miniSEED files next to it, and one with many stations.

use std::path::Path;

use craton_formats::asdf::{AsdfSamples, AsdfTrace, AsdfWriter};
use craton_formats::miniseed::synthetic_channel;
use craton_formats::quakeml::{self, OriginType, QuakeEvent, QuakeMagnitude, QuakeOrigin};
use craton_formats::stationxml::{self, XmlChannel};
use craton_formats::{DateTime, Result};

use super::{COMPONENTS, DT, ORIGIN, START_TIME, wave};

const EVENT: &str = "smi:local/event/1";

/// More samples than HDF5 libraries and pyasdf process in one piece.
const LONG: usize = (1 << 20) + 3;

const STATIONS: usize = 2000;

/// Writes the seismogram of [`super::write_traces`], and traces of another station: long, within one second, before 1970.
pub fn write(path: &Path) -> Result<()> {
    let mut file = AsdfWriter::create(path)?;
    file.add_events(&quakeml::to_bytes(&[event()]))?;
    let start = ORIGIN.later_by(START_TIME);
    for (component, azimuth, _) in COMPONENTS {
        let channel = synthetic_channel(DT, component.chars().next().unwrap_or('Z'));
        let samples = wave(azimuth);
        file.add_trace(&AsdfTrace {
            channel: &channel,
            samples: AsdfSamples::F32(&samples),
            event_id: Some(EVENT),
            ..template("S10", start, 1.0 / DT)
        })?;
    }
    let channels = ["HXX", "HXY", "HXZ"].map(|channel| described("S10", channel, 1.0 / DT, start));
    file.add_station("XX", "S10", &document(&channels))?;

    let channels = ["BXZ", "LXZ"].map(|channel| described("A", channel, 20.0, start));
    file.add_station("XX", "A", &document(&channels))?;
    let long: Vec<f64> = (0..LONG).map(|index| (index as f64 * 1e-3).sin() / 3.0).collect();
    let trace = AsdfTrace { channel: "BXZ", samples: AsdfSamples::F64(&long), ..template("A", start, 20.0) };
    file.add_trace(&trace)?;
    file.add_trace(&AsdfTrace { samples: AsdfSamples::F32(&[1e-30, -2.5]), tag: "short_1", ..trace })?;
    let early = DateTime { year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 58.75 };
    file.add_trace(&AsdfTrace { channel: "LXZ", start: early, location: "00", sampling_rate: 0.3, ..trace })?;
    file.finish()
}

/// Writes three short traces of each of many stations; trace `n` of the file in alphabetical order has the samples `n`, `n + 1/16`, ...
pub fn write_many(path: &Path) -> Result<()> {
    let mut file = AsdfWriter::create(path)?;
    // In an order that is not that of the names.
    for number in (0..STATIONS).map(|number| number * 7 % STATIONS) {
        let station = format!("S{number:04}");
        let codes = ["HXX", "HXY", "HXZ"];
        for (index, channel) in codes.into_iter().enumerate() {
            let first = (3 * number + index) as f32;
            let samples: Vec<f32> = (0..100).map(|step| first + step as f32 / 16.0).collect();
            let samples = AsdfSamples::F32(&samples);
            file.add_trace(&AsdfTrace { channel, samples, ..template(&station, ORIGIN, 10.0) })?;
        }
        let channels = codes.map(|channel| described(&station, channel, 10.0, ORIGIN));
        file.add_station("XX", &station, &document(&channels))?;
    }
    file.finish()
}

fn template(station: &str, start: DateTime, sampling_rate: f64) -> AsdfTrace<'_> {
    let samples = AsdfSamples::F32(&[]);
    let (location, channel, event_id) = ("", "", None);
    AsdfTrace { network: "XX", station, location, channel, tag: "velocity", start, sampling_rate, samples, event_id }
}

fn document(channels: &[XmlChannel]) -> Vec<u8> {
    stationxml::to_bytes("Craton", "2026-01-01T00:00:00Z", channels)
}

fn described(station: &str, channel: &str, sample_rate: f64, start: DateTime) -> XmlChannel {
    XmlChannel {
        station: ["XX".to_owned(), station.to_owned()],
        channel: [String::new(), channel.to_owned()],
        latitude: -13.82,
        longitude: -67.25,
        elevation: 120.0,
        burial: 2.0,
        direction: Some([0.0, -90.0]),
        sample_rate,
        epoch: [start, start.later_by(86_400.0)],
    }
}

fn event() -> QuakeEvent {
    QuakeEvent {
        line: 0,
        public_id: EVENT.to_owned(),
        name: "NORTHERN BOLIVIA".to_owned(),
        origin: QuakeOrigin {
            public_id: "smi:local/origin/1".to_owned(),
            agency: String::new(),
            time: ORIGIN,
            latitude: -13.9,
            longitude: -67.5,
            depth: Some(2000.0),
            origin_type: OriginType::Hypocenter,
        },
        moment: None,
        magnitudes: vec![QuakeMagnitude { value: 8.2, kind: "Mwc".to_owned() }],
    }
}
