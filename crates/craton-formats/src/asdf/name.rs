//! Names of groups and traces.

use std::ops::RangeInclusive;

use super::{AsdfSamples, AsdfTrace};
use crate::DateTime;
use crate::error::Refused;

/// Nanoseconds per second.
const NANOSECONDS: i64 = 1_000_000_000;

/// Years that the format allows.
const YEARS: RangeInclusive<i32> = 1800..=2199;

/// Times of the first and the last sample [ns since 1970].
pub(super) struct Times {
    pub start: i64,
    end: i64,
}

impl Times {
    /// # Errors
    /// A sampling rate that is not above 0; a start that is not a date; a trace that starts or ends outside the allowed years.
    pub fn new(trace: &AsdfTrace) -> Result<Self, Refused> {
        let (rate, moment) = (trace.sampling_rate, trace.start);
        if !rate.is_finite() || rate <= 0.0 {
            return Err(Refused::new("sampling rate", rate, "a number of samples per second above 0"));
        }
        if !moment.is_valid() || !YEARS.contains(&moment.year) {
            return Err(Refused::new("start", moment.fields(), "a valid date and time in the years 1800 to 2199"));
        }
        let start = moment.nanoseconds();
        let count = match trace.samples {
            AsdfSamples::F32(samples) => samples.len(),
            AsdfSamples::F64(samples) => samples.len(),
        };
        // The order of operations of ObsPy, on which the name given by pyasdf depends.
        let duration = (count as f64 - 1.0) * (1.0 / rate);
        let end = start.saturating_add((duration * 1e9).round() as i64);
        if !YEARS.contains(&calendar(end).year) {
            let value = format!("{duration:e} s after {}", moment.fields());
            return Err(Refused::new("last sample", value, "a time in the years 1800 to 2199"));
        }
        Ok(Self { start, end })
    }
}

/// The second that a time is in.
fn calendar(nanoseconds: i64) -> DateTime {
    DateTime::from_microseconds(1_000_000 * nanoseconds.div_euclid(NANOSECONDS))
}

/// Formats a time, truncated to the second: `1998-09-01T10:24:49`.
fn to_second(nanoseconds: i64) -> String {
    let DateTime { year, month, day, hour, minute, second } = calendar(nanoseconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// The name of a trace: `NET.STA.LOC.CHA__START__END__TAG`. Times are truncated to seconds; if both are the same second, they have nine
/// decimals.
///
/// # Errors
/// A code or a tag that the format does not allow.
pub(super) fn trace_name(trace: &AsdfTrace, times: &Times) -> Result<String, Refused> {
    let AsdfTrace { network, station, location, channel, tag, .. } = trace;
    check_station(network, station)?;
    check_code("location", location, 0..=2)?;
    check_code("channel", channel, 3..=3)?;
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    if tag.is_empty() || !tag.bytes().all(is_plain) {
        return Err(Refused::new("tag", quoted(tag), "at least one small letter, digit or `_`, and nothing else"));
    }
    let [mut start, mut end] = [times.start, times.end].map(to_second);
    if start == end {
        for (text, time) in [(&mut start, times.start), (&mut end, times.end)] {
            *text += &format!(".{:09}", time.rem_euclid(NANOSECONDS));
        }
    }
    Ok(format!("{network}.{station}.{location}.{channel}__{start}__{end}__{tag}"))
}

/// Validates the codes of a station.
///
/// # Errors
/// A code that the format does not allow.
pub(super) fn check_station(network: &str, station: &str) -> Result<(), Refused> {
    check_code("network", network, 1..=2)?;
    check_code("station", station, 1..=5)
}

/// Checks the codes of a station.
///
/// # Errors
/// A code that [`AsdfTrace`] does not allow.
pub fn check_codes(network: &str, station: &str, location: &str) -> Result<(), Refused> {
    check_station(network, station)?;
    check_code("location", location, 0..=2)
}

fn check_code(what: &str, code: &str, lengths: RangeInclusive<usize>) -> Result<(), Refused> {
    let is_plain = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9');
    if lengths.contains(&code.len()) && code.bytes().all(is_plain) {
        return Ok(());
    }
    let allowed = match (*lengths.start(), *lengths.end()) {
        (least, most) if least == most => format!("{most}"),
        (least, most) => format!("{least} to {most}"),
    };
    Err(Refused::new(what, quoted(code), format!("{allowed} capital letters and digits, the limit of ASDF; rename it")))
}

fn quoted(text: &str) -> String {
    format!("`{}`", crate::escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: AsdfTrace = AsdfTrace {
        network: "CN",
        station: "FRB",
        location: "",
        channel: "BHZ",
        tag: "tag",
        start: DateTime { year: 1998, month: 9, day: 1, hour: 10, minute: 24, second: 49.9 },
        sampling_rate: 20.0,
        samples: AsdfSamples::F32(&[0.0; 126_001]),
        event_id: None,
    };

    fn name(trace: &AsdfTrace) -> Result<String, Refused> {
        trace_name(trace, &Times::new(trace)?)
    }

    #[test]
    fn times_in_names_are_truncated_unless_the_trace_is_within_a_second() {
        assert_eq!(name(&TRACE).unwrap(), "CN.FRB..BHZ__1998-09-01T10:24:49__1998-09-01T12:09:49__tag");
        let short = AsdfTrace { samples: AsdfSamples::F64(&[0.0; 2]), location: "00", ..TRACE };
        let wanted = "CN.FRB.00.BHZ__1998-09-01T10:24:49.900000000__1998-09-01T10:24:49.950000000__tag";
        assert_eq!(name(&short).unwrap(), wanted);
        let before_1970 = DateTime { year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 58.75 };
        let wanted = "CN.FRB..BHZ__1969-12-31T23:59:58__1970-01-01T01:44:58__tag";
        assert_eq!(name(&AsdfTrace { start: before_1970, ..TRACE }).unwrap(), wanted);
    }

    #[test]
    fn traces_outside_the_allowed_years_are_refused() {
        let late = DateTime { year: 2199, month: 12, day: 31, ..TRACE.start };
        assert!(name(&AsdfTrace { start: DateTime { hour: 21, ..late }, ..TRACE }).is_ok());
        for (trace, problem) in [
            (AsdfTrace { start: DateTime { hour: 23, ..late }, ..TRACE }, "last sample = 6.3e3 s after 2199-12-31T23"),
            (AsdfTrace { start: DateTime { year: 1799, ..late }, ..TRACE }, "start = 1799-12-31T10:24:49.900000"),
            (AsdfTrace { start: DateTime { month: 2, ..late }, ..TRACE }, "start = 2199-02-31"),
            (AsdfTrace { sampling_rate: 1e-300, ..TRACE }, "last sample = 1.2"),
            (AsdfTrace { sampling_rate: 1e-5, ..TRACE }, "last sample = 1.2"),
            (AsdfTrace { sampling_rate: 0.0, ..TRACE }, "sampling rate = 0"),
            (AsdfTrace { sampling_rate: f64::NAN, ..TRACE }, "sampling rate = NaN"),
        ] {
            let refused = name(&trace).unwrap_err().to_string();
            assert!(refused.starts_with(problem), "{refused}");
        }
    }

    #[test]
    fn codes_and_tags_that_asdf_does_not_allow_are_refused() {
        for (trace, problem) in [
            (AsdfTrace { network: "", ..TRACE }, "network = ``; expected 1 to 2 capital"),
            (AsdfTrace { network: "XYZ", ..TRACE }, "network = `XYZ`"),
            (AsdfTrace { station: "s1", ..TRACE }, "station = `s1`"),
            (AsdfTrace { station: "STATION", ..TRACE }, "station = `STATION`"),
            (AsdfTrace { location: "/..", ..TRACE }, "location = `/..`"),
            (AsdfTrace { channel: "BH", ..TRACE }, "channel = `BH`; expected 3 capital"),
            (AsdfTrace { tag: "", ..TRACE }, "tag = ``"),
            (AsdfTrace { tag: "Tag", ..TRACE }, "tag = `Tag`"),
            (AsdfTrace { tag: "a/b", ..TRACE }, "tag = `a/b`"),
        ] {
            let refused = name(&trace).unwrap_err().to_string();
            assert!(refused.starts_with(problem), "{refused}");
        }
    }
}
