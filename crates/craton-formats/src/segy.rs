//! SEG-Y revision 1: recordings and sections of exploration seismics.
//!
//! A textual header of 40 lines, a binary one, then traces of one length, each under a header of 240 bytes; all
//! big-endian. [`SegyReader`] reads traces one by one from files of any size. [`SegyLayout`] tells where each trace of
//! a survey belongs and makes its bytes, so that shots may be written in any order; [`write()`] writes a small file at
//! once, [`read_volume`] reads one, and [`read_model`] one in depth.
//!
//! Source: SEG Y rev 1, Data Exchange format, SEG Technical Standards Committee, May 2002.

use std::path::Path;

use crate::atomic;
use crate::error::{Refused, Result};

mod binary_header;
mod fields;
mod geometry;
mod ibm;
mod layout;
mod reader;
mod samples;
mod text_header;
mod trace_header;
mod trace_reader;
mod volume;

pub use binary_header::BinaryHeader;
pub use geometry::{Geometry, Scalars, best_scalar};
pub use layout::SegyLayout;
pub use reader::SegyReader;
pub use samples::SampleFormat;
pub use text_header::{TextEncoding, TextHeader};
pub use trace_header::TraceHeader;
pub use trace_reader::{Trace, TraceReader};
pub use volume::{read_model, read_volume};

pub(crate) use binary_header::{FOOT, whole_microseconds};
pub(crate) use layout::{check_traces, encode_trace};
pub(crate) use trace_header::TRACE_HEADER_BYTES;
pub(crate) use trace_reader::{TraceBlock, in_trace};

/// Writes a SEG-Y file, whole or not at all.
///
/// # Arguments
/// * `path` – the file
/// * `text` – textual header, see [`TextHeader::cards`]
/// * `binary` – binary header, see [`BinaryHeader::new`]
/// * `traces` – at least one; number of samples and interval in their headers are taken from the binary header instead
/// # Errors
/// [`crate::FormatError::Unwritable`] for what the format cannot hold, see [`SegyLayout`]; [`crate::FormatError::Io`] if the file
/// cannot be written.
pub fn write(path: &Path, text: &TextHeader, binary: &BinaryHeader, traces: &[Trace]) -> Result<()> {
    let layout = SegyLayout::new(binary.clone(), traces.len() as u64).map_err(|refused| refused.unwritable(path))?;
    let headers = layout.encode_file_headers(text).map_err(|refused| refused.unwritable(path))?;
    write_traces(path, headers, traces, |trace, bytes| layout.encode_trace(&trace.header, &trace.samples, bytes))
}

/// Writes traces behind other bytes, each as `encode` appends it to them.
pub(crate) fn write_traces(
    path: &Path,
    mut bytes: Vec<u8>,
    traces: &[Trace],
    encode: impl Fn(&Trace, &mut Vec<u8>) -> Result<(), Refused>,
) -> Result<()> {
    for (index, trace) in (0..).zip(traces) {
        encode(trace, &mut bytes).map_err(|refused| in_trace(index, refused).unwritable(path))?;
    }
    atomic::write_bytes(path, &bytes)
}
