//! Record headers: position, content and start time of each record.

use std::ops::Range;

use super::rate::SampleRate;
use crate::error::Refused;
use crate::{ByteOrder, DateTime};

/// Bytes of the fixed header.
pub(super) const HEADER_BYTES: usize = 48;

/// Name, byte range in the header and minimum length of network, station, location and channel.
pub(super) const CODES: [(&str, Range<usize>, usize); 4] =
    [("network", 18..20, 0), ("station", 8..13, 1), ("location", 13..15, 0), ("channel", 15..18, 1)];

/// Exponents of two of the record lengths: 128 to 65536 bytes.
const LENGTH_EXPONENTS: Range<u8> = 7..17;

/// A record with samples.
#[derive(Debug)]
pub(super) struct Record<'a> {
    /// Number in the file, from 1.
    pub number: usize,
    /// Byte offset in the file.
    pub at: usize,
    /// Network, station, location and channel.
    pub codes: [String; 4],
    /// Time of the first sample [microseconds since 1970].
    pub start: i64,
    /// Rounding error of the start time [microseconds].
    pub resolution: f64,
    /// Sampling interval [s], above 0.
    pub interval: f64,
    /// Number of samples, above 0.
    pub count: usize,
    /// Encoding of the samples.
    pub encoding: u8,
    /// Byte order of the samples.
    pub order: ByteOrder,
    /// Bytes from the first sample to the end of the record.
    pub data: &'a [u8],
}

impl Record<'_> {
    /// Adds record number and byte offset to a refusal.
    pub fn refuse(&self, refused: Refused) -> Refused {
        in_record(self.number, self.at, refused)
    }
}

fn in_record(number: usize, at: usize, refused: Refused) -> Refused {
    Refused { what: format!("record {number} at byte {at}: {}", refused.what), ..refused }
}

/// Finds all records of a file that have samples.
pub(super) fn all(bytes: &[u8]) -> Result<Vec<Record<'_>>, Refused> {
    let mut records = Vec::new();
    let (mut at, mut number) = (0, 1);
    while at < bytes.len() {
        if is_blank(&bytes[at..]) {
            at += blank_length(&bytes[at..]);
        } else {
            let refuse = |refused: Refused| in_record(number, at, refused);
            let header = Header::new(&bytes[at..]).map_err(refuse)?;
            if header.has_samples() {
                records.push(header.record(number, at).map_err(refuse)?);
            }
            at += header.bytes.len();
        }
        number += 1;
    }
    Ok(records)
}

/// Whether a data record or a blank record may start here.
pub(super) fn may_be_record(bytes: &[u8]) -> bool {
    is_data(bytes) || is_blank(bytes)
}

/// Whether a data record may start here: a sequence number and a quality indicator.
fn is_data(bytes: &[u8]) -> bool {
    has_number(bytes) && b"DRQM".contains(&bytes[6])
}

/// Whether a blank record starts here: a sequence number followed by blanks.
fn is_blank(bytes: &[u8]) -> bool {
    has_number(bytes) && bytes[6..HEADER_BYTES].iter().all(|&byte| byte == b' ')
}

fn has_number(bytes: &[u8]) -> bool {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b' ' || *byte == 0;
    bytes.len() >= HEADER_BYTES && bytes[..6].iter().all(is_number)
}

/// Bytes to the next record, or to the end of the file, since a blank record does not state its length.
fn blank_length(bytes: &[u8]) -> usize {
    let least = 1 << LENGTH_EXPONENTS.start;
    let lengths = (least..bytes.len()).step_by(least);
    lengths.into_iter().find(|&length| may_be_record(&bytes[length..])).unwrap_or(bytes.len())
}

/// The header of a record, including its blockettes.
struct Header<'a> {
    /// The whole record.
    bytes: &'a [u8],
    order: ByteOrder,
    blockettes: Blockettes,
}

/// The relevant content of the blockettes.
#[derive(Default)]
struct Blockettes {
    /// Encoding, word order and exponent of the length (1000).
    data_only: Option<[u8; 3]>,
    /// Microseconds to add to the time in the header (1001).
    microseconds: Option<i8>,
    /// Sample rate [Hz] (100).
    rate: Option<f32>,
}

impl<'a> Header<'a> {
    /// Parses the record at the start of `bytes`.
    fn new(bytes: &'a [u8]) -> Result<Self, Refused> {
        if bytes.len() < HEADER_BYTES {
            let expected = format!("at least {HEADER_BYTES}, the size of a header; the file was truncated");
            return Err(Refused::new("bytes to the end of the file", bytes.len(), expected));
        }
        if !is_data(bytes) {
            let found = bytes[..8].escape_ascii();
            let expected = "a sequence number of six digits, D, R, Q or M and a blank; the length of the previous record may be wrong";
            return Err(Refused::new("first bytes", found, expected));
        }
        let order = byte_order(bytes)?;
        let blockettes = Blockettes::find(bytes, order)?;
        let expected = "a blockette 1000 with the length of the record, which miniSEED 2 requires; \
                        records of a full SEED volume may have none: convert it with ObsPy";
        let missing = || Refused::new("blockette 1000", "none", expected);
        let [_, _, exponent] = blockettes.data_only.ok_or_else(missing)?;
        if !LENGTH_EXPONENTS.contains(&exponent) {
            let expected = "7 to 16, for 128 to 65536 bytes; the record is damaged";
            return Err(Refused::new("record length in blockette 1000", format!("2^{exponent}"), expected));
        }
        let length = 1 << exponent;
        let expected = format!("{length}, the length of the record; the file was truncated");
        let cut = || Refused::new("bytes to the end of the file", bytes.len(), expected);
        Ok(Self { bytes: bytes.get(..length).ok_or_else(cut)?, order, blockettes })
    }

    fn word(&self, at: usize) -> u16 {
        self.order.read(&self.bytes[at..])
    }

    /// Whether the record has samples; log records (encoding 0) have none.
    fn has_samples(&self) -> bool {
        self.word(30) > 0 && self.blockettes.data_only.is_some_and(|[encoding, ..]| encoding != 0)
    }

    /// Validates the header and returns the record.
    fn record(&self, number: usize, at: usize) -> Result<Record<'a>, Refused> {
        let damaged = |what: &str, value: String, expected: &str| Refused::new(what, value, expected);
        let [encoding, word_order, _] = self.blockettes.data_only.unwrap_or_default();
        let order = match word_order {
            0 => ByteOrder::Little,
            1 => ByteOrder::Big,
            other => return Err(damaged("word order in blockette 1000", other.to_string(), "0 (little) or 1 (big)")),
        };
        let data_at = usize::from(self.word(44));
        if !(HEADER_BYTES..self.bytes.len()).contains(&data_at) {
            let expected = format!("{HEADER_BYTES} to {}, within the record", self.bytes.len() - 1);
            return Err(Refused::new("start of data", data_at, expected));
        }
        let [factor, multiplier] = [32, 34].map(|at| self.order.read::<i16>(&self.bytes[at..]));
        let rate = SampleRate { factor, multiplier, actual: self.blockettes.rate.filter(|&rate| rate != 0.0) };
        let interval = rate.interval().ok_or_else(|| {
            let found = format!("factor {factor}, multiplier {multiplier}, blockette 100: {:?}", rate.actual);
            damaged("sample rate", found, "a rate above 0")
        })?;
        Ok(Record {
            number,
            at,
            codes: CODES.map(|(_, field, _)| code(&self.bytes[field])),
            start: self.start()?,
            resolution: if self.blockettes.microseconds.is_some() { 1.0 } else { 100.0 },
            interval,
            count: usize::from(self.word(30)),
            encoding,
            order,
            data: &self.bytes[data_at..],
        })
    }

    /// Time of the first sample [microseconds since 1970].
    fn start(&self) -> Result<i64, Refused> {
        /// Bit of the activity flags that marks the time correction as applied.
        const CORRECTED: u8 = 2;
        let (year, day_of_year, fraction) = (self.word(20), self.word(22), self.word(28));
        let [hour, minute, second] = [24, 25, 26].map(|at| self.bytes[at]);
        let date = DateTime::month_and_day(year.into(), day_of_year).map(|(month, day)| DateTime {
            year: year.into(),
            month,
            day,
            hour,
            minute,
            second: f64::from(second),
        });
        // Some recorders write a full second here.
        let date = date.filter(|date| date.is_valid() && fraction <= 10_000).ok_or_else(|| {
            let found = format!("{year}, day {day_of_year}, {hour}:{minute}:{second} and {fraction} / 10000 s");
            Refused::new("start time", found, "a valid date and time; the record is damaged")
        })?;
        let correction: i32 = if self.bytes[36] & CORRECTED == 0 { self.order.read(&self.bytes[40..]) } else { 0 };
        let microseconds = i64::from(self.blockettes.microseconds.unwrap_or(0));
        Ok(date.microseconds() + 100 * (i64::from(fraction) + i64::from(correction)) + microseconds)
    }
}

/// Detects the byte order of a header by its date; if both are valid, the one with the smaller offset of the first blockette is chosen.
fn byte_order(bytes: &[u8]) -> Result<ByteOrder, Refused> {
    let word = |order: ByteOrder, at: usize| order.read::<u16>(&bytes[at..]);
    let fits = |order: &ByteOrder| (1900..=2100).contains(&word(*order, 20)) && (1..=366).contains(&word(*order, 22));
    let orders = [ByteOrder::Big, ByteOrder::Little];
    orders.into_iter().filter(fits).min_by_key(|order| word(*order, 46)).ok_or_else(|| {
        let found = format!("{}, day {}", word(ByteOrder::Big, 20), word(ByteOrder::Big, 22));
        Refused::new("year and day", found, "1900 to 2100 and 1 to 366, in either byte order; the record is damaged")
    })
}

/// A code without padding. Characters that are not ASCII are replaced.
fn code(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches([' ', '\0']).to_owned()
}

impl Blockettes {
    /// Follows the chain of blockettes, whose offsets must increase.
    fn find(bytes: &[u8], order: ByteOrder) -> Result<Self, Refused> {
        let word = |at: usize| order.read::<u16>(&bytes[at..]);
        let mut found = Self::default();
        let mut before = HEADER_BYTES - 1;
        let mut at = usize::from(word(46));
        while at != 0 {
            // Relevant blockettes have at most 12 bytes; those beyond the end of a short file are ignored.
            let Some(blockette) = bytes.get(at..at + 12).or_else(|| bytes.get(at..at + 8)) else { break };
            if at <= before {
                let expected = format!("more than {before}, the offset of the previous one; the record is damaged");
                return Err(Refused::new("first byte of a blockette", at, expected));
            }
            match word(at) {
                1000 => found.data_only = Some([blockette[4], blockette[5], blockette[6]]),
                1001 => found.microseconds = Some(blockette[5] as i8),
                100 => found.rate = Some(order.read(&blockette[4..])),
                _ => {}
            }
            (before, at) = (at, usize::from(word(at + 2)));
        }
        Ok(found)
    }
}
