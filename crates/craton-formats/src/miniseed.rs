//! miniSEED 2: records of SEED 2.4 with one channel's samples each, any number of channels in one file.
//!
//! [`write()`] makes big-endian records of 32-bit (encoding 4) or 64-bit (5) floats or 32-bit integers (3), with
//! blockettes 1000 and 1001, so that times keep their microsecond; [`read`] takes records of 128 to 65536 bytes, of
//! either byte order, of these encodings, of 16-bit integers (1) and of Steim's differences (10 and 11), and joins
//! what belongs together.
//!
//! A record has a sample rate made of two 16-bit integers. Rates and periods that are ratios of two numbers up to
//! 32767, such as 40 Hz, 10 s or 0.007 s, are exact; for others the record has the best ratio, and blockette 100 where
//! single precision comes nearer.
//!
//! Source: SEED Reference Manual, Format Version 2.4, IRIS, August 2012: chapter 8, data record, and appendix B.
//! Verified by `validation/readers/check_miniseed.py`, with ObsPy.

use std::borrow::Borrow;
use std::io::{self, Write};
use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::{Refused, Result};
use crate::text::read_bytes;

mod channel;
mod encode;
mod foreign;
mod join;
mod rate;
mod record;
mod samples;
mod steim;

pub use channel::{band_code, synthetic_channel};
pub use encode::{RecordLength, append_records};
pub use samples::MiniSeedSamples;

/// One channel without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct MiniSeedTrace {
    /// Code of the network, at most 2 characters.
    pub network: String,
    /// Code of the station, 1 to 5 characters.
    pub station: String,
    /// Location code, at most 2 characters.
    pub location: String,
    /// Code of the channel, 1 to 3 characters, see [`synthetic_channel`].
    pub channel: String,
    /// Time of the first sample, to the microsecond; years 1900 to 2100, by which readers tell the byte order. Leap
    /// seconds are not known: second 60 is the first of the next minute.
    pub start: DateTime,
    /// Sampling interval [s], above 0.
    pub interval: f64,
    /// Samples, all finite.
    pub samples: MiniSeedSamples,
}

impl MiniSeedTrace {
    /// Network, station, location and channel, with points between: `XX.S10..MXZ`.
    pub fn id(&self) -> String {
        [&*self.network, &*self.station, &*self.location, &*self.channel].join(".")
    }
}

/// Writes traces one after another as a miniSEED file, whole or not at all.
///
/// # Arguments
/// * `path` – the file
/// * `length` – size of the records
/// * `traces` – at least one; they are taken one by one, so an iterator need not have all of them at once
/// # Errors
/// [`crate::FormatError::Unwritable`] for no trace, or one that [`append_records`] refuses; [`crate::FormatError::Io`]
/// if the file cannot be written.
///
/// Verified by `writing::the_fields_of_a_record_stand_where_the_format_says` and
/// `writing::many_traces_share_a_file_and_its_numbers`.
pub fn write<T: Borrow<MiniSeedTrace>>(
    path: &Path,
    length: RecordLength,
    traces: impl IntoIterator<Item = T>,
) -> Result<()> {
    let mut refused = None;
    let written = atomic::write_with(path, |out| {
        let mut bytes = Vec::new();
        let mut record_count = 0;
        for trace in traces {
            bytes.clear();
            let appended = append_records(trace.borrow(), length, record_count + 1, &mut bytes);
            record_count += stop_at(appended, &mut refused)?;
            out.write_all(&bytes)?;
        }
        let any = if record_count > 0 { Ok(()) } else { Err(Refused::new("number of traces", 0, "at least 1")) };
        stop_at(any, &mut refused)
    });
    match refused {
        Some(refused) => Err(refused.unwritable(path)),
        None => written,
    }
}

/// Keeps what was refused, and ends the writing by any error.
fn stop_at<T>(result: Result<T, Refused>, refused: &mut Option<Refused>) -> io::Result<T> {
    result.map_err(|why| {
        let stop = io::Error::other(why.to_string());
        *refused = Some(why);
        stop
    })
}

/// Reads a miniSEED file: the channels in the order in which they begin in the file, the segments of each by time.
///
/// Records of one channel are joined to a segment where they have one kind of samples, intervals equal to 1e-4 (that of
/// the first is kept), and the next starts where the last one ends, within half a sample. Where that is less, it is
/// what the record can say: 1 microsecond, or 100 without blockette 1001. The order of records in the file does not
/// matter. Gaps and overlaps part segments.
///
/// Time corrections that a record has not applied yet are applied; other flags and the quality are left out. So are
/// blank records, those without samples, and the text of logs.
///
/// Verified by `reading::what_obspy_writes_is_read` and
/// `reading::gaps_part_segments_and_less_than_half_a_sample_does_not`.
///
/// # Errors
/// As [`parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<Vec<MiniSeedTrace>> {
    parse(&read_bytes(path)?, path)
}

/// As [`read`], from the bytes of the file; `path` is for messages.
///
/// # Errors
/// What is no miniSEED 2, by what it seems to be; a file without samples. With the number of the record and its first
/// byte: a header that is damaged or has no blockette 1000, a length outside 128 to 65536 or beyond the end, another
/// encoding, a rate that is not above 0, more samples than the record can hold, differences whose sum is not the last
/// sample, samples that are not finite.
///
/// Verified by `damage::what_a_header_must_not_say_is_named` and `damage::a_wrong_byte_anywhere_is_survived`.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Vec<MiniSeedTrace>> {
    let bad = |refused: Refused| refused.unreadable(path);
    foreign::check(bytes).map_err(bad)?;
    let records = record::all(bytes).map_err(bad)?;
    let traces = join::segments(&records).map_err(bad)?;
    if traces.is_empty() {
        let expected = "at least 1; no record has samples";
        return Err(bad(Refused::new("number of traces", 0, expected)));
    }
    Ok(traces)
}
