//! Random access to consecutive traces of equal length.

use std::path::Path;

use super::trace_header::TRACE_HEADER_BYTES;
use super::{SampleFormat, TraceHeader};
use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;

/// A trace with its header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Header.
    pub header: TraceHeader,
    /// Samples, all finite.
    pub samples: Vec<f32>,
}

/// Layout of the traces in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceBlock {
    pub order: ByteOrder,
    pub format: SampleFormat,
    /// Offset of the first trace.
    pub start: u64,
    /// Samples per trace.
    pub samples: u16,
    /// Sample interval [microseconds].
    pub sample_interval: u16,
    /// Whether trace headers have the fields of SEG-Y revision 1.
    pub has_revision_1: bool,
    /// Whether the interval may be 0, and differ between traces, because the caller judges it.
    pub any_interval: bool,
}

impl TraceBlock {
    fn trace_bytes(&self) -> u64 {
        (TRACE_HEADER_BYTES + self.format.bytes() * usize::from(self.samples)) as u64
    }

    /// Number of traces of a file of `file_bytes` bytes; `None` if it is not an integer of at least 1.
    pub fn traces(&self, file_bytes: u64) -> Option<u64> {
        let bytes = file_bytes.checked_sub(self.start).filter(|&bytes| bytes > 0)?;
        bytes.is_multiple_of(self.trace_bytes()).then(|| bytes / self.trace_bytes())
    }

    /// Offset of trace `index`.
    pub fn offset(&self, index: u64) -> u64 {
        self.start + index * self.trace_bytes()
    }
}

/// Reads traces by index, in any order; consecutive traces share a read buffer. Needs the memory of one trace, independent of the file size.
#[derive(Debug)]
pub struct TraceReader {
    input: Input,
    block: TraceBlock,
    count: u64,
    /// Bytes of the last trace read.
    bytes: Vec<u8>,
}

/// Number of traces to examine for a different length if the file size does not match.
const EXAMINED_TRACES: u64 = 10_000;

impl TraceReader {
    /// # Errors
    /// A file that ends within a trace, has no traces, or has traces of different lengths.
    pub(crate) fn new(input: Input, block: TraceBlock) -> Result<Self> {
        let size = input.size();
        let whole = block.traces(size);
        let mut reader = Self { input, block, count: whole.unwrap_or(0), bytes: Vec::new() };
        if whole.is_some() {
            return Ok(reader);
        }
        // If a trace has a different length, report that instead.
        reader.count = (size.saturating_sub(block.start) / block.trace_bytes()).min(EXAMINED_TRACES);
        for index in 0..reader.count {
            reader.header(index)?;
        }
        let expected = format!(
            "{} bytes of headers and at least one trace, each of {} bytes for {} samples; the file was truncated, or its \
             headers are wrong",
            block.start,
            block.trace_bytes(),
            block.samples
        );
        Err(Refused::new("size in bytes", size, expected).unreadable(reader.path()))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        self.input.path()
    }

    /// Number of traces.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Samples per trace.
    pub fn samples_per_trace(&self) -> usize {
        self.block.samples.into()
    }

    /// Sample interval [microseconds].
    pub(super) fn microseconds(&self) -> u16 {
        self.block.sample_interval
    }

    /// Sample interval [s].
    pub fn interval(&self) -> f64 {
        f64::from(self.block.sample_interval) / 1e6
    }

    /// Byte order of the file.
    pub fn order(&self) -> ByteOrder {
        self.block.order
    }

    /// Reads the header of trace `index`, from 0.
    ///
    /// # Errors
    /// An index beyond the last trace; a number of samples or an interval that differs from that of the file (0 means that of the file); a
    /// file that cannot be read.
    pub fn header(&mut self, index: u64) -> Result<TraceHeader> {
        self.read(index, TRACE_HEADER_BYTES)?;
        self.checked_header(index)
    }

    /// Reads header and samples of trace `index`, from 0.
    ///
    /// # Errors
    /// As [`Self::header`]; a sample that is not finite in single precision.
    pub fn trace(&mut self, index: u64) -> Result<Trace> {
        let mut samples = Vec::with_capacity(self.samples_per_trace());
        let header = self.trace_into(index, &mut samples)?;
        Ok(Trace { header, samples })
    }

    /// As [`Self::trace`], replacing the samples in an existing vector.
    ///
    /// # Errors
    /// As [`Self::trace`].
    pub fn trace_into(&mut self, index: u64, samples: &mut Vec<f32>) -> Result<TraceHeader> {
        self.read(index, self.block.trace_bytes() as usize)?;
        let header = self.checked_header(index)?;
        let TraceBlock { format, order, .. } = self.block;
        let decoded = format.decode(&self.bytes[TRACE_HEADER_BYTES..], order, samples);
        decoded.map_err(|refused| in_trace(index, refused).unreadable(self.path()))?;
        Ok(header)
    }

    /// The whole number of four bytes at a place in the header of the trace that was read last, in the byte order of the file.
    ///
    /// # Arguments
    /// * `byte` – its first byte, counted from 1, at most 237
    pub(crate) fn number_at(&self, byte: usize) -> i32 {
        let bytes = self.bytes[byte - 1..byte + 3].try_into().expect("four bytes");
        match self.block.order {
            ByteOrder::Big => i32::from_be_bytes(bytes),
            ByteOrder::Little => i32::from_le_bytes(bytes),
        }
    }

    /// Iterates over all traces, in the order of the file.
    pub fn iter(&mut self) -> impl Iterator<Item = Result<Trace>> {
        (0..self.count).map(|index| self.trace(index))
    }

    /// Reads the first bytes of a trace.
    fn read(&mut self, index: u64, bytes: usize) -> Result<()> {
        if index >= self.count {
            let expected = format!("0 to {}", self.count.saturating_sub(1));
            return Err(Refused::new("index of the trace", index, expected).unreadable(self.path()));
        }
        self.bytes.resize(bytes, 0);
        self.input.read_at(self.block.offset(index), &mut self.bytes)
    }

    fn checked_header(&self, index: u64) -> Result<TraceHeader> {
        let header = TraceHeader::decode(&self.bytes, self.block.order);
        let header = if self.block.has_revision_1 { header } else { header.without_revision_1() };
        for (field, found, wanted, hint) in [
            ("samples", header.samples, self.block.samples, "traces of different lengths are not supported"),
            ("sample_interval", header.sample_interval, self.block.sample_interval, "resample the traces"),
        ] {
            let is_free = field == "sample_interval" && self.block.any_interval;
            if found != 0 && found != wanted && !is_free {
                let refused =
                    Refused::new(TraceHeader::place(field), found, format!("{wanted}, as in the file; {hint}"));
                return Err(in_trace(index, refused).unreadable(self.path()));
            }
        }
        Ok(header)
    }
}

/// Adds the number of the trace, from 1, to a refusal.
pub(crate) fn in_trace(index: u64, refused: Refused) -> Refused {
    Refused { what: format!("trace {}, {}", index + 1, refused.what), ..refused }
}
