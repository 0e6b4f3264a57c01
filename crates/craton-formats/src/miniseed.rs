//! miniSEED 2: SEED 2.4 data records, each with samples of one channel; a file may have any number of channels.
//!
//! [`write()`] makes big-endian records of 32-bit (encoding 4) or 64-bit (5) floats or 32-bit integers (3), with blockettes 1000 and 1001,
//! so that times have microsecond precision. [`read`] accepts records of 128 to 65536 bytes in either byte order, with these encodings,
//! 16-bit integers (1) and Steim compression (10 and 11), and joins contiguous records.
//!
//! A record stores its sample rate as two 16-bit integers. Rates and periods that are ratios of two integers up to 32767, such as 40 Hz, 10
//! s or 0.007 s, are exact. Others are approximated by the best ratio, and by blockette 100 if single precision is closer.
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

/// A continuous segment of one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct MiniSeedTrace {
    /// Network code, at most 2 characters.
    pub network: String,
    /// Station code, 1 to 5 characters.
    pub station: String,
    /// Location code, at most 2 characters.
    pub location: String,
    /// Channel code, 1 to 3 characters, see [`synthetic_channel`].
    pub channel: String,
    /// Time of the first sample, to the microsecond, in the years 1900 to 2100, since readers detect the byte order by the year. Leap
    /// seconds are not supported: second 60 is the first second of the next minute.
    pub start: DateTime,
    /// Sampling interval [s], above 0.
    pub interval: f64,
    /// Samples, all finite.
    pub samples: MiniSeedSamples,
}

impl MiniSeedTrace {
    /// Network, station, location and channel, joined by dots: `XX.S10..MXZ`.
    pub fn id(&self) -> String {
        [&*self.network, &*self.station, &*self.location, &*self.channel].join(".")
    }
}

/// Writes traces to a miniSEED file, atomically.
///
/// # Arguments
/// * `path` – the file
/// * `length` – size of the records
/// * `traces` – at least one; they are consumed one by one, so an iterator need not hold all of them in memory
/// # Errors
/// [`crate::FormatError::Unwritable`] if there is no trace, or for a trace that [`append_records`] refuses; [`crate::FormatError::Io`] if
/// the file cannot be written.
///
/// Verified by `writing::the_fields_of_a_record_are_at_the_documented_positions` and
/// `writing::many_traces_share_a_file_and_its_sequence_numbers`.
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

/// Stores a refusal, and returns an I/O error that stops writing.
fn stop_at<T>(result: Result<T, Refused>, refused: &mut Option<Refused>) -> io::Result<T> {
    result.map_err(|why| {
        let stop = io::Error::other(why.to_string());
        *refused = Some(why);
        stop
    })
}

/// Reads a miniSEED file: channels in the order of their first record, the segments of each in order of time.
///
/// Records of a channel are joined to a segment if they have the same sample type, intervals equal within 1e-4 (the first one is kept), and
/// the next starts where the last one ends, within half a sample or the time resolution of the record (1 microsecond, or 100 without
/// blockette 1001), whichever is larger. The order of records in the file does not matter. Gaps and overlaps separate segments.
///
/// Time corrections that have not been applied yet are applied; other flags and the quality indicator are ignored, as are blank records,
/// records without samples, and log records.
///
/// Verified by `reading::files_written_by_obspy_are_read` and `reading::gaps_of_more_than_half_a_sample_separate_segments`.
///
/// # Errors
/// As [`parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<Vec<MiniSeedTrace>> {
    parse(&read_bytes(path)?, path)
}

/// As [`read`], from the bytes of the file; `path` is used in messages.
///
/// # Errors
/// A file that is not miniSEED 2, with its probable format; a file without samples. With record number and byte offset: a header that is
/// damaged or has no blockette 1000, a length outside 128 to 65536 or beyond the end, another encoding, a rate that is not above 0, more
/// samples than the record can hold, a Steim checksum that does not match, samples that are not finite.
///
/// Verified by `damage::invalid_header_fields_are_reported` and `damage::a_corrupt_byte_anywhere_does_not_panic`.
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
