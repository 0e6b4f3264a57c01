//! Where everything stands in a SEG-Y file that is to be written, and its bytes.

use super::text_header::TEXT_HEADER_BYTES;
use super::trace_header::TRACE_HEADER_BYTES;
use super::{BinaryHeader, SampleFormat, TextHeader, TraceHeader};
use crate::ByteOrder;
use crate::error::Refused;

/// Bytes of a binary header.
pub(super) const BINARY_HEADER_BYTES: usize = 400;
/// Bytes before the first trace, without extended headers.
pub(super) const FILE_HEADER_BYTES: usize = TEXT_HEADER_BYTES + BINARY_HEADER_BYTES;

/// A SEG-Y file of a known number of traces, which may be written in any order and by many processes: each trace has its
/// place, and the bytes of headers and traces are made one by one.
#[derive(Clone, Debug)]
pub struct SegyLayout {
    binary: BinaryHeader,
    format: SampleFormat,
    traces: u64,
}

impl SegyLayout {
    /// The layout of a file.
    ///
    /// # Arguments
    /// * `binary` – headers, from [`BinaryHeader::new`]
    /// * `traces` – number of traces, at least 1
    /// # Errors
    /// A binary header that contradicts revision 1 with traces of one length; more traces than a file can have.
    pub fn new(binary: BinaryHeader, traces: u64) -> Result<Self, Refused> {
        let format = binary.writable_format()?;
        check_traces(traces)?;
        Ok(Self { binary, format, traces })
    }

    /// The binary header.
    pub fn binary(&self) -> &BinaryHeader {
        &self.binary
    }

    /// Number of traces.
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Bytes of a trace with its header.
    pub fn trace_bytes(&self) -> u64 {
        (TRACE_HEADER_BYTES + self.format.bytes() * usize::from(self.binary.samples)) as u64
    }

    /// Where trace `index`, from 0, begins in the file [bytes]; for `index` = number of traces, where the file ends.
    pub fn offset(&self, index: u64) -> u64 {
        FILE_HEADER_BYTES as u64 + index * self.trace_bytes()
    }

    /// Size of the file [bytes].
    pub fn file_bytes(&self) -> u64 {
        self.offset(self.traces)
    }

    /// The 3600 bytes before the first trace.
    ///
    /// # Errors
    /// A textual header with more than 40 lines, longer ones than 80 characters, or characters that are not ASCII.
    pub fn encode_file_headers(&self, text: &TextHeader) -> Result<Vec<u8>, Refused> {
        let mut bytes = text.to_bytes()?;
        bytes.resize(FILE_HEADER_BYTES, 0);
        self.binary.encode(&mut bytes[TEXT_HEADER_BYTES..], ByteOrder::Big);
        Ok(bytes)
    }

    /// Appends the bytes of a trace, big-endian.
    ///
    /// # Arguments
    /// * `header` – header; number of samples and interval are taken from the layout instead
    /// * `samples` – as many as the layout says, finite
    /// * `bytes` – what is appended to, [`Self::trace_bytes`] each time
    /// # Errors
    /// Another number of samples; one that is not finite. `bytes` is left as it was.
    pub fn encode_trace(&self, header: &TraceHeader, samples: &[f32], bytes: &mut Vec<u8>) -> Result<(), Refused> {
        let BinaryHeader { samples: count, sample_interval, .. } = self.binary;
        if samples.len() != usize::from(count) {
            return Err(Refused::new("number of samples", samples.len(), format!("{count}, as in all traces")));
        }
        let header = TraceHeader { samples: count, sample_interval, ..header.clone() };
        encode_trace(&header, samples, self.format, ByteOrder::Big, bytes)
    }
}

/// Refuses more traces than a file can have: they are numbered by signed integers of four bytes.
pub(crate) fn check_traces(traces: u64) -> Result<(), Refused> {
    let most = i32::MAX as u64;
    if (1..=most).contains(&traces) {
        return Ok(());
    }
    Err(Refused::new("number of traces", traces, format!("1 to {most}; cut the survey into files")))
}

/// Appends the bytes of a trace; where that fails, `bytes` is left as it was.
pub(crate) fn encode_trace(
    header: &TraceHeader,
    samples: &[f32],
    format: SampleFormat,
    order: ByteOrder,
    bytes: &mut Vec<u8>,
) -> Result<(), Refused> {
    let start = bytes.len();
    bytes.resize(start + TRACE_HEADER_BYTES, 0);
    header.encode(&mut bytes[start..], order);
    format.encode(samples, order, bytes).inspect_err(|_| bytes.truncate(start))
}
