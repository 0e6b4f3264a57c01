//! SEG-Y: shot records and sections of exploration seismology. Reads revisions 0, 1 and 2 in either byte order; writes revision 1, big-endian.
//!
//! A file has a textual header of 40 lines, a binary header, then traces of equal length, each with a header of 240 bytes; revision 2 allows
//! additional trace headers, and text after the last trace. [`SegyReader`] reads files of any size trace by trace. [`SegyLayout`] gives the
//! offset of each trace of a survey and encodes it, so that shots may be written in any order; [`write()`] writes a small file at once,
//! [`read_volume`] reads one, [`read_model`] reads a depth model, and [`open_model`] windows of it.
//!
//! Source: SEG Y rev 1, Data Exchange format, SEG Technical Standards Committee, May 2002; SEG-Y revision 2.0, January 2017.

use std::path::Path;

use crate::atomic;
use crate::error::{Refused, Result};

mod binary_header;
mod block;
mod extension;
mod fields;
mod file_header;
mod geometry;
mod ibm;
mod layout;
mod positions;
mod reader;
mod samples;
mod text_header;
mod trace_header;
mod trace_reader;
mod volume;

pub use binary_header::BinaryHeader;
pub use geometry::{Geometry, Scalars, best_scalar};
pub use layout::SegyLayout;
pub use reader::{SegyReader, warning};
pub use samples::SampleFormat;
pub use text_header::{TextEncoding, TextHeader};
pub use trace_header::TraceHeader;
pub use trace_reader::{Trace, TraceReader};
pub use volume::{SegyVolumeReader, open_model, read_model, read_volume};

pub(crate) use binary_header::{FOOT, whole_microseconds};
pub(crate) use block::{Extent, TraceBlock};
pub(crate) use layout::{check_traces, encode_trace};
pub(crate) use trace_header::TRACE_HEADER_BYTES;
pub(crate) use trace_reader::in_trace;

/// Writes a SEG-Y file, atomically.
///
/// # Arguments
/// * `path` – the file
/// * `text` – textual header, see [`TextHeader::cards`]
/// * `binary` – binary header, see [`BinaryHeader::new`]
/// * `traces` – at least one; number of samples and interval in their headers are replaced by those of the binary header
/// # Errors
/// [`crate::FormatError::Unwritable`] for data that the format cannot represent, see [`SegyLayout`]; [`crate::FormatError::Io`] if the file
/// cannot be written.
pub fn write(path: &Path, text: &TextHeader, binary: &BinaryHeader, traces: &[Trace]) -> Result<()> {
    let layout = SegyLayout::new(binary.clone(), traces.len() as u64).map_err(|refused| refused.unwritable(path))?;
    let headers = layout.encode_file_headers(text).map_err(|refused| refused.unwritable(path))?;
    write_traces(path, headers, traces, |trace, bytes| layout.encode_trace(&trace.header, &trace.samples, bytes))
}

/// Writes traces after the given bytes, each encoded by `encode`.
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
