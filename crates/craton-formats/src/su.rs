//! Seismic Unix: traces with SEG-Y trace headers, without file headers, in either byte order.
//!
//! Big-endian files (XDR) are those of Seismic Unix as it is shipped (`XDRFLAG = -DSUXDR`), on all machines. Without XDR, Seismic Unix uses the
//! byte order of the machine: little-endian on x86 and ARM.
//!
//! Samples are IEEE single precision. The fields of a [`TraceHeader`] from byte 181 on are specific to SEG-Y, since Seismic Unix uses these
//! bytes for other data: they are read and written as 0.
//!
//! Source: Seismic Unix, `segy.h`.

use std::path::Path;

use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;
use crate::segy::{
    Extent, SampleFormat, TRACE_HEADER_BYTES, Trace, TraceBlock, TraceHeader, TraceReader, check_traces, encode_trace,
    whole_microseconds, write_traces,
};

/// Opens a file in either byte order: the one in which number of samples and interval of the first trace are not 0, the file size is an
/// integer number of such traces, and the last trace has the same values. If both orders satisfy this, the trace numbers decide, which are small
/// in the right order; without trace numbers the file is big-endian.
///
/// # Errors
/// A file that cannot be read, or is not valid in either byte order.
pub fn open(path: &Path) -> Result<TraceReader> {
    let mut input = Input::open(path)?;
    let mut first = [0; TRACE_HEADER_BYTES];
    let size = input.size();
    if size < TRACE_HEADER_BYTES as u64 {
        let expected = format!("at least {TRACE_HEADER_BYTES}; the file is not SU or was truncated");
        return Err(Refused::new("size in bytes", size, expected).unreadable(path));
    }
    input.read_at(0, &mut first)?;
    let blocks = [ByteOrder::Big, ByteOrder::Little].map(|order| block(&first, order));
    let mut fitting = Vec::new();
    for block in blocks {
        if let Some(count) = block.traces(size).filter(|_| block.samples > 0 && block.sample_interval > 0.0) {
            let mut last = [0; TRACE_HEADER_BYTES];
            input.read_at(block.offset(count - 1), &mut last)?;
            let last = self::block(&last, block.order);
            if (last.samples, last.sample_interval) == (block.samples, block.sample_interval) {
                fitting.push(block);
            }
        }
    }
    // The first of equal ones.
    if let Some(block) = fitting.into_iter().min_by_key(|block| trace_numbers(&first, block.order)) {
        return TraceReader::new(input, block);
    }
    let [big, little] = blocks.map(|block| format!("{} samples every {} us", block.samples, block.sample_interval));
    let expected = format!(
        "an integer number of traces of equal length: {little} if little-endian, {big} if big-endian, from the first one; the \
         file is not SU or was truncated"
    );
    Err(Refused::new("size in bytes", size, expected).unreadable(path))
}

/// The sum of the trace numbers of a header.
fn trace_numbers(header: &[u8], order: ByteOrder) -> u64 {
    let TraceHeader { trace_in_line, trace_in_file, trace_in_record, .. } = TraceHeader::decode(header, order);
    [trace_in_line, trace_in_file, trace_in_record].map(|number| u64::from(number.unsigned_abs())).iter().sum()
}

fn block(first: &[u8], order: ByteOrder) -> TraceBlock {
    let TraceHeader { samples, sample_interval, .. } = TraceHeader::decode(first, order);
    TraceBlock {
        order,
        format: SampleFormat::Ieee,
        start: 0,
        samples: samples.into(),
        sample_interval: sample_interval.into(),
        has_revision_1: false,
        any_interval: false,
        extent: Extent::default(),
    }
}

/// Layout of a file whose traces may be written in any order and by many processes: each has a fixed offset.
#[derive(Clone, Copy, Debug)]
pub struct SuLayout {
    samples: u16,
    sample_interval: u16,
    order: ByteOrder,
}

impl SuLayout {
    /// Creates the layout of a file.
    ///
    /// # Arguments
    /// * `interval` – sample interval [s], an integer number of microseconds within 1e-6 of its value, from 1 to 65535
    /// * `samples` – samples per trace, 1 to 65535
    /// * `traces` – number of traces, at least 1
    /// * `order` – byte order
    /// # Errors
    /// An interval, a number of samples or of traces that the headers cannot represent.
    pub fn new(interval: f64, samples: usize, traces: u64, order: ByteOrder) -> Result<Self, Refused> {
        check_traces(traces)?;
        let sample_interval = whole_microseconds(interval)?;
        let count = u16::try_from(samples).ok().filter(|&samples| samples > 0);
        let samples = count.ok_or_else(|| {
            let expected = format!("1 to {}; use a longer sample interval or a shorter record", u16::MAX);
            Refused::new(TraceHeader::place("samples"), samples, expected)
        })?;
        Ok(Self { samples, sample_interval, order })
    }

    /// Byte order.
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// Size of a trace with its header [bytes].
    pub fn trace_bytes(&self) -> u64 {
        (TRACE_HEADER_BYTES + SampleFormat::Ieee.bytes() * usize::from(self.samples)) as u64
    }

    /// Offset of trace `index`, from 0 [bytes]; for `index` = number of traces, the end of the file.
    pub fn offset(&self, index: u64) -> u64 {
        index * self.trace_bytes()
    }

    /// Encodes a trace and appends it to a buffer.
    ///
    /// # Arguments
    /// * `header` – header; number of samples and interval are replaced by those of the layout
    /// * `samples` – finite samples, as many as the layout has per trace
    /// * `bytes` – buffer, which grows by [`Self::trace_bytes`]
    /// # Errors
    /// Another number of samples; a sample that is not finite. `bytes` is then unchanged.
    pub fn encode_trace(&self, header: &TraceHeader, samples: &[f32], bytes: &mut Vec<u8>) -> Result<(), Refused> {
        if samples.len() != usize::from(self.samples) {
            let expected = format!("{}, as in all traces of the file", self.samples);
            return Err(Refused::new("number of samples", samples.len(), expected));
        }
        let Self { samples: count, sample_interval, order } = *self;
        let header = TraceHeader { samples: count, sample_interval, ..header.without_revision_1() };
        encode_trace(&header, samples, SampleFormat::Ieee, order, bytes)
    }
}

/// Writes a file, atomically.
///
/// # Arguments
/// * `path` – the file
/// * `interval` – sample interval [s], an integer number of microseconds within 1e-6 of its value, from 1 to 65535
/// * `traces` – at least one, all with the same number of samples, 1 to 65535; number and interval in their headers are
///   replaced
/// * `order` – byte order; big-endian for Seismic Unix as it is shipped
/// # Errors
/// [`crate::FormatError::Unwritable`] for data that the format cannot represent; [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, interval: f64, traces: &[Trace], order: ByteOrder) -> Result<()> {
    let refuse = |refused: Refused| refused.unwritable(path);
    let first = traces.first().ok_or_else(|| refuse(Refused::new("number of traces", 0, "at least 1")))?;
    let layout = SuLayout::new(interval, first.samples.len(), traces.len() as u64, order).map_err(refuse)?;
    write_traces(path, Vec::new(), traces, |trace, bytes| layout.encode_trace(&trace.header, &trace.samples, bytes))
}
