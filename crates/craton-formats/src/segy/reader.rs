//! Opening and validating a SEG-Y file.

use std::path::Path;

use super::layout::{BINARY_HEADER_BYTES, FILE_HEADER_BYTES};
use super::text_header::TEXT_HEADER_BYTES;
use super::trace_header::TRACE_HEADER_BYTES;
use super::trace_reader::TraceBlock;
use super::{BinaryHeader, SampleFormat, TextHeader, TraceHeader, TraceReader};
use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;

/// An open SEG-Y file: its headers, and a reader for its traces.
#[derive(Debug)]
pub struct SegyReader {
    /// Textual header.
    pub text: TextHeader,
    /// Extended textual headers.
    pub extended: Vec<TextHeader>,
    /// Binary header.
    pub binary: BinaryHeader,
    /// Traces.
    pub traces: TraceReader,
    /// A warning about headers that contradict the size of the file.
    pub warning: Option<String>,
}

impl SegyReader {
    /// Opens a file of revision 0 or 1 and checks its headers.
    ///
    /// If the number of samples or the interval is 0 in the binary header, the value of the first trace is used; also if only that number of
    /// samples fits the size of the file, with a [warning](Self::warning).
    ///
    /// # Errors
    /// A file that cannot be read; an unknown sample format; little-endian numbers; a later revision; an unknown number of extended
    /// headers; a size that is not an integer number of traces of equal length. If traces of different lengths happen to match the size,
    /// the first that differs is refused when it is read.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, false)
    }

    /// As [`Self::open`].
    ///
    /// # Arguments
    /// * `any_interval` – whether the sample interval may be 0, and differ between traces
    pub(super) fn open_with(path: &Path, any_interval: bool) -> Result<Self> {
        let mut input = Input::open(path)?;
        let refuse = |refused: Refused| refused.unreadable(path);
        if input.size() < (FILE_HEADER_BYTES + TRACE_HEADER_BYTES) as u64 {
            let expected = format!(
                "at least {FILE_HEADER_BYTES} for headers, and a trace; the file is not SEG-Y or was truncated"
            );
            return Err(refuse(Refused::new("size in bytes", input.size(), expected)));
        }
        let text = read_text(&mut input, 0)?;
        let mut bytes = [0; BINARY_HEADER_BYTES];
        input.read_at(TEXT_HEADER_BYTES as u64, &mut bytes)?;
        let binary = BinaryHeader::decode(&bytes, ByteOrder::Big);
        let format = checked_format(&binary, &bytes).map_err(refuse)?;
        let extended = extended_headers(&binary, input.size()).map_err(refuse)?;
        let place = |index: u64| FILE_HEADER_BYTES as u64 + index * TEXT_HEADER_BYTES as u64;
        let start = place(extended);
        let extended = (0..extended).map(|index| read_text(&mut input, place(index))).collect::<Result<_>>()?;
        let mut first = [0; TRACE_HEADER_BYTES];
        input.read_at(start, &mut first)?;
        let [samples, sample_interval] = sampling(&binary, &first, any_interval).map_err(refuse)?;
        let order = ByteOrder::Big;
        let mut block =
            TraceBlock { order, format, start, samples, sample_interval, has_revision_1: true, any_interval };
        let of_trace = TraceBlock { samples: TraceHeader::decode(&first, order).samples, ..block };
        let mut warning = None;
        if of_trace.samples > 0 && block.traces(input.size()).is_none() && of_trace.traces(input.size()).is_some() {
            warning = Some(format!(
                "{}: {} = {samples}, but the size of the file and the trace headers (bytes 115-116) give {}, which is used",
                path.display(),
                BinaryHeader::place("samples"),
                of_trace.samples
            ));
            block = of_trace;
        }
        Ok(Self { text, extended, binary, traces: TraceReader::new(input, block)?, warning })
    }
}

/// The [warning](SegyReader::warning) about a file; `None` if it has none, or cannot be read.
pub fn warning(path: &Path) -> Option<String> {
    SegyReader::open_with(path, true).ok()?.warning
}

fn read_text(input: &mut Input, offset: u64) -> Result<TextHeader> {
    let mut bytes = vec![0; TEXT_HEADER_BYTES];
    input.read_at(offset, &mut bytes)?;
    Ok(TextHeader::from_bytes(&bytes))
}

/// Checks byte order and revision; returns the sample format.
fn checked_format(binary: &BinaryHeader, bytes: &[u8]) -> Result<SampleFormat, Refused> {
    let format = binary.sample_format().map_err(|unknown| {
        match BinaryHeader::decode(bytes, ByteOrder::Little).sample_format() {
            Ok(_) => {
                let expected = format!(
                    "{}; the file is little-endian, write it as big-endian as the standard requires",
                    unknown.expected
                );
                Refused { expected, ..unknown }
            }
            Err(_) => Refused { expected: format!("{}; the file may not be SEG-Y", unknown.expected), ..unknown },
        }
    })?;
    if binary.revision >= 0x0200 {
        let found = format!("{:#06x}", binary.revision);
        let expected = "0 or 0x0100; write the file as revision 1";
        return Err(Refused::new(BinaryHeader::place("revision"), found, expected));
    }
    Ok(format)
}

/// Number of extended textual headers, which do not exist in revision 0.
fn extended_headers(binary: &BinaryHeader, size: u64) -> Result<u64, Refused> {
    let count = binary.extended_textual_headers;
    let room = (size - (FILE_HEADER_BYTES + TRACE_HEADER_BYTES) as u64) / TEXT_HEADER_BYTES as u64;
    match u64::try_from(count) {
        _ if binary.revision == 0 => Ok(0),
        Ok(count) if count <= room => Ok(count),
        _ => {
            let expected = format!("0 to {room}, which fit into the file; a variable number is not supported");
            Err(Refused::new(BinaryHeader::place("extended_textual_headers"), count, expected))
        }
    }
}

/// Number of samples and interval, from the binary header or else from the first trace.
///
/// # Arguments
/// * `any_interval` – whether the interval may be 0
fn sampling(binary: &BinaryHeader, first_trace: &[u8], any_interval: bool) -> Result<[u16; 2], Refused> {
    let first = TraceHeader::decode(first_trace, ByteOrder::Big);
    let one = |field: &str, of_file: u16, of_trace: u16| match [of_file, of_trace].into_iter().find(|&value| value > 0)
    {
        Some(value) => Ok(value),
        None => {
            let expected = format!("at least 1, here or in {} of the first trace", TraceHeader::place(field));
            Err(Refused::new(BinaryHeader::place(field), 0, expected))
        }
    };
    Ok([
        one("samples", binary.samples, first.samples)?,
        match one("sample_interval", binary.sample_interval, first.sample_interval) {
            Err(_) if any_interval => 0,
            interval => interval?,
        },
    ])
}
