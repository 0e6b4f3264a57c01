//! What of traces stands in a miniSEED file, which knows codes and dates, and neither quantity nor place.

use std::path::Path;

use craton_formats::miniseed::{self, MiniSeedSamples, MiniSeedTrace, RecordLength, synthetic_channel};
use craton_formats::{DateTime, FormatError, Refused};

use super::{Situation, Trace, TraceName};

/// Time 0 of a scenario without a date.
const NO_DATE: DateTime = DateTime { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 };

/// Time from the beginning of 1970 [s] within which a trace has no date: no scenario without one lasts so long.
const UNDATED: f64 = 86_400.0;

/// Writes the traces of a station.
pub fn write(file: &Path, traces: &[Trace]) -> Result<(), FormatError> {
    miniseed::write(file, RecordLength::default(), traces.iter().map(as_miniseed))
}

fn as_miniseed(trace: &Trace) -> MiniSeedTrace {
    let [network, station, location] = trace.name.codes().map(str::to_owned);
    let component = trace.name.component.chars().next().unwrap_or('Z');
    MiniSeedTrace {
        network,
        station,
        location,
        channel: synthetic_channel(trace.dt, component),
        start: trace.situation.zero.unwrap_or(NO_DATE).later_by(trace.start),
        interval: trace.dt,
        samples: MiniSeedSamples::F32(trace.samples.iter().map(|&sample| sample as f32).collect()),
    }
}

/// Reads the traces of a file. Time counts from the whole second in which the first one starts, or from the beginning of 1970 where
/// that is no date.
///
/// # Errors
/// A file that cannot be read; a channel with gaps.
pub fn read(file: &Path) -> Result<Vec<Trace>, FormatError> {
    let segments = miniseed::read(file)?;
    for (index, segment) in segments.iter().enumerate() {
        if segments[..index].iter().any(|before| before.id() == segment.id()) {
            let what = format!("segments of {}", segment.id());
            let expected = "1, without gaps; merge them first".to_owned();
            return Err(Refused { what, value: "several".to_owned(), expected }.unreadable(file));
        }
    }
    let mut traces: Vec<Trace> = segments.into_iter().map(|segment| as_trace(segment, file)).collect();
    count_from_one_second(&mut traces);
    Ok(traces)
}

fn as_trace(segment: MiniSeedTrace, file: &Path) -> Trace {
    let MiniSeedTrace { network, station, location, channel, start, interval, samples } = segment;
    let codes = [network, station, location];
    let codes: Vec<&str> = codes.iter().map(String::as_str).filter(|code| !code.is_empty()).collect();
    // Of what was computed the last letter is the component.
    let component = match channel.as_bytes() {
        [_, b'X', _] => channel[2..].to_owned(),
        _ => channel,
    };
    let name = TraceName { station: codes.join("."), quantity: TraceName::quantity_of_file(file), component };
    let after_1970 = start.seconds_after(&NO_DATE);
    let is_dated = after_1970.abs() > UNDATED;
    let whole = DateTime { second: start.second.floor(), ..start };
    let zero = is_dated.then_some(whole);
    let situation = Situation { zero, zero_is_any: is_dated, ..Situation::default() };
    let start = if is_dated { start.seconds_after(&whole) } else { after_1970 };
    let samples = match samples {
        MiniSeedSamples::F32(samples) => samples.into_iter().map(f64::from).collect(),
        MiniSeedSamples::F64(samples) => samples,
        MiniSeedSamples::I32(samples) => samples.into_iter().map(f64::from).collect(),
    };
    Trace { name, start, dt: interval, samples, position: None, offset: None, situation }
}

/// Lets the times of dated traces without a time 0 of their own count from that of the earliest one.
pub fn count_from_one_second(traces: &mut [Trace]) {
    let of = |trace: &Trace| trace.situation.zero.filter(|_| trace.situation.zero_is_any);
    let earliest = traces.iter().filter_map(of).min_by(|a, b| a.seconds_after(b).total_cmp(&0.0));
    let Some(earliest) = earliest else { return };
    for trace in traces {
        if let Some(zero) = of(trace) {
            trace.start += zero.seconds_after(&earliest);
            trace.situation.zero = Some(earliest);
        }
    }
}
