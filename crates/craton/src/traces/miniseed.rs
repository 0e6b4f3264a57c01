//! Conversion of traces to and from miniSEED, which has codes and dates, but no quantities or positions.

use std::path::Path;

use craton_formats::miniseed::{self, MiniSeedSamples, MiniSeedTrace, RecordLength, synthetic_channel};
use craton_formats::{DateTime, FormatError, Refused, check_code};

use super::{Situation, Trace, TraceName};
use crate::number::Number;

/// Date of time 0 of a scenario without a date.
pub(crate) const NO_DATE: DateTime = DateTime { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 };

/// Interval from the beginning of 1970 [s] within which dates mean undated times: no undated scenario is longer.
const UNDATED: f64 = 86_400.0;

/// Writes the traces of a station.
pub fn write(file: &Path, traces: &[Trace]) -> Result<(), FormatError> {
    miniseed::write(file, RecordLength::default(), traces.iter().map(as_miniseed))
}

/// Network, station, location and channel of a trace, separated by dots.
///
/// # Errors
/// A code or date that miniSEED does not support.
pub fn channel_of(trace: &Trace) -> Result<String, Refused> {
    let miniseed = as_miniseed(trace);
    miniseed::append_records(&miniseed, RecordLength::default(), 1, &mut Vec::new())?;
    Ok(miniseed.id())
}

/// The codes of network, station, location and channel.
pub(crate) fn codes_of(trace: &Trace) -> [String; 4] {
    let [network, station, location] = trace.name.codes().map(str::to_owned);
    let component = &trace.name.component;
    let channel = channel_code(component, trace.dt);
    // Foreign names may have any number of letters.
    let channel = channel.unwrap_or_else(|| synthetic_channel(trace.dt, component.chars().last().unwrap_or('Z')));
    [network, station, location, channel]
}

/// The channel code of a component, the same in all formats: a recorded channel has three letters and is kept, a
/// synthetic one is named by its sample interval and its single letter; `None` for other names, such as those of strain.
///
/// # Arguments
/// * `interval` – sample interval [s]
pub fn channel_code(component: &str, interval: f64) -> Option<String> {
    let mut letters = component.chars();
    match (component.len(), letters.next()) {
        (3, _) => Some(component.to_owned()),
        (1, Some(letter)) => Some(synthetic_channel(interval, letter)),
        _ => None,
    }
}

/// The channel code of a processed trace: that of its file, with the band code of the interval if it is synthetic.
///
/// # Arguments
/// * `code` – the code in the file
/// * `rotated` – the new last letter, after a rotation
/// * `interval` – the sample interval after processing [s]
pub fn channel_after(code: &str, rotated: Option<char>, interval: f64) -> String {
    let mut letters: Vec<char> = code.chars().collect();
    if let (Some(last), Some(letter)) = (letters.last_mut(), rotated) {
        *last = letter;
    }
    match letters[..] {
        [_, 'X', letter] => synthetic_channel(interval, letter),
        _ => letters.iter().collect(),
    }
}

fn as_miniseed(trace: &Trace) -> MiniSeedTrace {
    let [network, station, location, channel] = codes_of(trace);
    MiniSeedTrace {
        network,
        station,
        location,
        channel,
        start: trace.situation.zero.unwrap_or(NO_DATE).later_by(trace.start),
        interval: trace.dt,
        samples: MiniSeedSamples::F32(trace.samples.iter().map(|&sample| sample as f32).collect()),
    }
}

/// Reads the traces of a file. Times are relative to the whole second in which the first trace starts, or to the
/// beginning of 1970 for undated times.
///
/// # Errors
/// An unreadable file, a code that is not plain, or a channel with gaps.
pub fn read(file: &Path) -> Result<Vec<Trace>, FormatError> {
    let segments = miniseed::read(file)?;
    if let Some((before, after)) = segments.iter().zip(&segments[1..]).find(|(one, next)| one.id() == next.id()) {
        return Err(parted(before, after).unreadable(file));
    }
    for segment in &segments {
        let MiniSeedTrace { network, station, location, channel, .. } = segment;
        for (what, code) in [("network", network), ("station", station), ("location", location), ("channel", channel)] {
            check_code(&format!("{what} code"), code).map_err(|refused| refused.unreadable(file))?;
        }
    }
    let mut traces: Vec<Trace> = segments.into_iter().map(|segment| as_trace(segment, file)).collect();
    count_from_one_second(traces.iter_mut().map(|trace| (&mut trace.situation, &mut trace.start)).collect());
    Ok(traces)
}

/// The gap or overlap between two segments of a channel, with its time.
fn parted(before: &MiniSeedTrace, after: &MiniSeedTrace) -> Refused {
    let end = before.start.later_by(before.interval * before.samples.len() as f64);
    let missing = after.start.seconds_after(&end);
    let what = if missing > 0.0 { "gap" } else { "overlap" };
    let (from, to) = if missing > 0.0 { (&end, &after.start) } else { (&after.start, &end) };
    let value = format!("{} s, from {} to {}", Number(missing.abs()), iso(from), iso(to));
    let expected = "one segment per channel; fill, cut or merge it first".to_owned();
    Refused { what: format!("{what} in {}", before.id()), value, expected }
}

/// A date in the notation of catalogues.
fn iso(time: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second } = time;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:06.3}")
}

fn as_trace(segment: MiniSeedTrace, file: &Path) -> Trace {
    let MiniSeedTrace { network, station, location, channel, start, interval, samples } = segment;
    let codes = [network, station, location];
    let codes: Vec<&str> = codes.iter().map(String::as_str).filter(|code| !code.is_empty()).collect();
    // The last letter of a synthetic channel is the component.
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

/// Gives dated traces without a time 0 the start of the earliest one as common time 0.
///
/// # Arguments
/// * `times` – situation and first time of each trace
pub fn count_from_one_second(times: Vec<(&mut Situation, &mut f64)>) {
    let of = |situation: &Situation| situation.zero.filter(|_| situation.zero_is_any);
    let all = times.iter().filter_map(|(situation, _)| of(situation));
    let Some(earliest) = all.min_by(|a, b| a.seconds_after(b).total_cmp(&0.0)) else { return };
    for (situation, start) in times {
        if let Some(zero) = of(situation) {
            *start += zero.seconds_after(&earliest);
            situation.zero = Some(earliest);
        }
    }
}

/// Gives a dated trace without a time 0 the whole second in which it starts as time 0.
pub fn count_from_own_second(situation: &mut Situation, start: &mut f64) {
    if let Some(zero) = situation.zero.filter(|_| situation.zero_is_any) {
        let first = zero.later_by(*start);
        let whole = DateTime { second: first.second.floor(), ..first };
        (situation.zero, *start) = (Some(whole), first.seconds_after(&whole));
    }
}
