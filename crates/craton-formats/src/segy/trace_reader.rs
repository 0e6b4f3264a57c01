//! Random access to consecutive traces of equal length.

use std::ops::Range;
use std::path::Path;

use super::TraceHeader;
use super::block::{Decoded, Extent, TraceBlock};
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

/// Reads traces by index, in any order; consecutive traces share a read buffer. Needs the memory of one trace, independent of the file size.
#[derive(Debug)]
pub struct TraceReader {
    input: Input,
    block: TraceBlock,
    count: u64,
    /// Bytes of the last trace read.
    bytes: Vec<u8>,
    /// Whether the interval of the last trace read is unknown, or that of the file.
    has_interval_of_file: bool,
}

/// Number of traces to examine for a different length if the file size does not match.
const EXAMINED_TRACES: u64 = 10_000;

impl TraceReader {
    /// # Errors
    /// A file that ends within a trace, has no traces, or has traces of different lengths.
    pub(crate) fn new(input: Input, block: TraceBlock) -> Result<Self> {
        let size = input.size();
        let whole = block.traces(size);
        let count = whole.unwrap_or(0);
        let mut reader = Self { input, block, count, bytes: Vec::new(), has_interval_of_file: true };
        if whole.is_some() {
            return Ok(reader);
        }
        // If a trace has a different length, report that instead.
        let most = match block.extent {
            Extent { traces: 0, trailer_stanzas: 0, .. } => EXAMINED_TRACES,
            Extent { traces, .. } => EXAMINED_TRACES.min(traces),
        };
        reader.count = (size.saturating_sub(block.start) / block.trace_bytes()).min(most);
        for index in 0..reader.count {
            reader.header(index)?;
        }
        let expected = format!("{}; the file was truncated, or its headers are wrong", block.expected_bytes());
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
        self.block.samples as usize
    }

    /// Sample interval [microseconds].
    pub(super) fn microseconds(&self) -> f64 {
        self.block.sample_interval
    }

    /// Sample interval [s].
    pub fn interval(&self) -> f64 {
        self.block.sample_interval / 1e6
    }

    /// Byte order of the file.
    pub fn order(&self) -> ByteOrder {
        self.block.order
    }

    /// Reads the header of trace `index`, from 0.
    ///
    /// # Errors
    /// An index beyond the last trace; a number of samples, of additional headers, or an interval that differs from that of the file (0 means
    /// that of the file); numbers of an additional header that do not fit into a [`TraceHeader`]; a file that cannot be read.
    pub fn header(&mut self, index: u64) -> Result<TraceHeader> {
        self.read(index, self.block.decoded_bytes())?;
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
        let decoded = format.decode(&self.bytes[self.block.header_bytes() as usize..], order, samples);
        decoded.map_err(|refused| in_trace(index, refused).unreadable(self.path()))?;
        Ok(header)
    }

    /// Whether the interval of the trace that was read last is unknown, or that of the file.
    pub(super) fn has_interval_of_file(&self) -> bool {
        self.has_interval_of_file
    }

    /// The coordinate scalar of the standard header of the trace that was read last.
    pub(super) fn coordinate_scalar(&self) -> i16 {
        TraceHeader::decode(&self.bytes, self.block.order).coordinate_scalar
    }

    /// Reads some samples of trace `index`, from 0, without its header, and replaces `samples`.
    ///
    /// # Arguments
    /// * `range` – the samples, at most [`Self::samples_per_trace`]
    /// # Errors
    /// As [`Self::trace`], except for the header and the other samples.
    pub(super) fn samples_into(&mut self, index: u64, range: Range<usize>, samples: &mut Vec<f32>) -> Result<()> {
        let TraceBlock { format, order, .. } = self.block;
        self.bytes.resize(format.bytes() * range.len(), 0);
        let first = self.block.offset(index) + self.block.header_bytes() + (format.bytes() * range.start) as u64;
        self.input.read_at(first, &mut self.bytes)?;
        if let Err(refused) = format.decode(&self.bytes, order, samples) {
            // The error of the whole trace counts samples from its start.
            self.trace_into(index, samples)?;
            return Err(in_trace(index, refused).unreadable(self.path()));
        }
        Ok(())
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

    fn checked_header(&mut self, index: u64) -> Result<TraceHeader> {
        let refuse = |refused: Refused| in_trace(index, refused).unreadable(self.input.path());
        let Decoded { header, samples, sample_interval } = self.block.decode(&self.bytes).map_err(refuse)?;
        let of_file = &self.block;
        self.has_interval_of_file = sample_interval == 0.0 || sample_interval == of_file.sample_interval;
        if samples != 0 && samples != of_file.samples {
            let expected =
                format!("{}, as in the file; traces of different lengths are not supported", of_file.samples);
            return Err(refuse(Refused::new(TraceHeader::place("samples"), samples, expected)));
        }
        if !self.has_interval_of_file && !of_file.any_interval {
            let expected = format!("{}, as in the file; resample the traces", of_file.sample_interval);
            return Err(refuse(Refused::new(TraceHeader::place("sample_interval"), sample_interval, expected)));
        }
        Ok(header)
    }
}

/// Adds the number of the trace, from 1, to a refusal.
pub(crate) fn in_trace(index: u64, refused: Refused) -> Refused {
    Refused { what: format!("trace {}, {}", index + 1, refused.what), ..refused }
}
