//! Encoding of a trace as records.

use super::MiniSeedTrace;
use super::rate::SampleRate;
use super::record::{CODES, HEADER_BYTES};
use crate::ByteOrder;
use crate::DateTime;
use crate::codes::check_code;
use crate::error::Refused;

/// Record length of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLength {
    /// 512 bytes, as sent by data centres: damage affects few samples.
    #[default]
    Bytes512,
    /// 4096 bytes, as used in archives: few headers.
    Bytes4096,
}

impl RecordLength {
    /// Exponent of two.
    fn exponent(self) -> u8 {
        match self {
            Self::Bytes512 => 9,
            Self::Bytes4096 => 12,
        }
    }

    /// Record length in bytes.
    pub fn bytes(self) -> usize {
        1 << self.exponent()
    }
}

/// Sequence numbers have six digits; after the last one they restart at 1.
const LAST_NUMBER: usize = 999_999;

/// Alignment of the data in a record, required for Steim frames.
const FRAME_BYTES: usize = 64;

/// Years that let readers detect the byte order of a record.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

/// Appends the records of a trace to a buffer.
///
/// Every record starts at the time of its own first sample, `start + index * interval`, so that rounding to microseconds does not
/// accumulate. Verified by `writing::start_times_of_records_do_not_drift`.
///
/// # Arguments
/// * `trace` – the trace
/// * `length` – record length
/// * `first_number` – number of its first record in the file, from 1
/// * `out` – buffer to append to; unchanged on error
/// # Returns
/// Number of records appended.
/// # Errors
/// A code that is too long, or not plain, see [`check_code`]; an empty station or channel; no samples or
/// one that is not finite; an interval that is not above 0 or too large or small for single precision; an invalid date; a trace that starts
/// or ends outside the years 1900 to 2100.
pub fn append_records(
    trace: &MiniSeedTrace,
    length: RecordLength,
    first_number: usize,
    out: &mut Vec<u8>,
) -> Result<usize, Refused> {
    let refuse = |refused: Refused| Refused { what: format!("{} of {}", refused.what, trace.id()), ..refused };
    let template = template(trace, length).map_err(refuse)?;
    let start = checked_start(trace).map_err(refuse)?;
    let data_at = usize::from(ByteOrder::Big.read::<u16>(&template[44..]));
    let per_record = (length.bytes() - data_at) / trace.samples.sample_bytes();
    let count = trace.samples.len();
    let record_count = count.div_ceil(per_record);
    out.reserve(record_count * length.bytes());
    for record in 0..record_count {
        let first = record * per_record;
        let samples = first..count.min(first + per_record);
        let mut bytes = template.clone();
        let number = (first_number + record - 1) % LAST_NUMBER + 1;
        bytes[..6].copy_from_slice(format!("{number:06}").as_bytes());
        put_time(start + microseconds(first as f64 * trace.interval), &mut bytes);
        put(samples.len() as u16, 30, &mut bytes);
        trace.samples.encode(samples, &mut bytes[data_at..]);
        out.extend_from_slice(&bytes);
    }
    Ok(record_count)
}

fn microseconds(seconds: f64) -> i64 {
    (seconds * 1e6).round() as i64
}

/// Validates the time of the first sample; returns microseconds since 1970.
fn checked_start(trace: &MiniSeedTrace) -> Result<i64, Refused> {
    let written = |time: DateTime| {
        let DateTime { year, month, day, hour, minute, second } = time;
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:09.6}")
    };
    if !trace.start.is_valid() {
        return Err(Refused::new("start", written(trace.start), "a valid date and time"));
    }
    let start = trace.start.microseconds();
    let duration = trace.samples.len() as f64 * trace.interval;
    let within = |time: i64| YEARS.contains(&DateTime::from_microseconds(time).year);
    // About three thousand years: anything longer is invalid, and anything shorter cannot overflow.
    if duration > 1e11 || !within(start) || !within(start + microseconds(duration)) {
        let expected = "years 1900 to 2100 from first to last sample, by which readers detect the byte order";
        return Err(Refused::new("start", format!("{} and {duration} s", written(trace.start)), expected));
    }
    Ok(start)
}

/// A record without its number, time, sample count and samples.
fn template(trace: &MiniSeedTrace, length: RecordLength) -> Result<Vec<u8>, Refused> {
    trace.samples.check()?;
    let positive = trace.interval.is_finite() && trace.interval > 0.0;
    let rate = if positive { SampleRate::nearest(trace.interval) } else { None };
    let expected = "a number of seconds above 0 whose inverse fits into single precision";
    let rate = rate.ok_or_else(|| Refused::new("sampling interval", trace.interval, expected))?;
    let mut bytes = vec![0; length.bytes()];
    bytes[6..8].copy_from_slice(b"D ");
    put_codes(trace, &mut bytes)?;
    put(rate.factor, 32, &mut bytes);
    put(rate.multiplier, 34, &mut bytes);
    bytes[39] = if rate.actual.is_some() { 3 } else { 2 };
    let blockettes = HEADER_BYTES;
    put(blockettes as u16, 46, &mut bytes);
    let big_endian = 1;
    put(1000_u16, blockettes, &mut bytes);
    put(blockettes as u16 + 8, blockettes + 2, &mut bytes);
    bytes[blockettes + 4..][..3].copy_from_slice(&[trace.samples.encoding(), big_endian, length.exponent()]);
    put(1001_u16, blockettes + 8, &mut bytes);
    let mut end = blockettes + 16;
    if let Some(actual) = rate.actual {
        put(end as u16, blockettes + 10, &mut bytes);
        put(100_u16, end, &mut bytes);
        put(actual, end + 4, &mut bytes);
        end += 12;
    }
    put(end.next_multiple_of(FRAME_BYTES) as u16, 44, &mut bytes);
    Ok(bytes)
}

fn put_codes(trace: &MiniSeedTrace, bytes: &mut [u8]) -> Result<(), Refused> {
    let texts = [&trace.network, &trace.station, &trace.location, &trace.channel];
    for ((name, field, least), text) in CODES.into_iter().zip(texts) {
        let width = field.len();
        check_code(name, text)?;
        if text.len() < least || text.len() > width {
            let expected = format!("{least} to {width} ASCII letters, digits, `-` and `_`, the limit of miniSEED 2");
            return Err(Refused::new(name, format!("`{text}`"), expected));
        }
        bytes[field].copy_from_slice(format!("{text:width$}").as_bytes());
    }
    Ok(())
}

/// Stores the start time of a record: to 100 microseconds in the header, the rest in blockette 1001.
fn put_time(time: i64, bytes: &mut [u8]) {
    let date = DateTime::from_microseconds(time);
    let of_second = time.rem_euclid(1_000_000);
    put(date.year as u16, 20, bytes);
    put(date.day_of_year(), 22, bytes);
    bytes[24..27].copy_from_slice(&[date.hour, date.minute, date.second as u8]);
    put((of_second / 100) as u16, 28, bytes);
    bytes[HEADER_BYTES + 8 + 5] = (of_second % 100) as u8;
}

fn put<T: crate::byte_order::Word>(value: T, at: usize, bytes: &mut [u8]) {
    ByteOrder::Big.write(value, &mut bytes[at..]);
}
