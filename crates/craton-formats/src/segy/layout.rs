//! Layout and encoding of a SEG-Y file that is to be written.

use super::text_header::TEXT_HEADER_BYTES;
use super::trace_header::TRACE_HEADER_BYTES;
use super::{BinaryHeader, SampleFormat, TextHeader, TraceHeader};
use crate::ByteOrder;
use crate::error::Refused;

/// Size of the binary header [bytes].
pub(super) const BINARY_HEADER_BYTES: usize = 400;
/// Bytes before the first trace, without extended headers.
pub(super) const FILE_HEADER_BYTES: usize = TEXT_HEADER_BYTES + BINARY_HEADER_BYTES;

/// A SEG-Y file with a known number of traces, which may be written in any order and by many processes: each trace has a fixed offset, and
/// headers and traces are encoded one by one.
#[derive(Clone, Debug)]
pub struct SegyLayout {
    binary: BinaryHeader,
    format: SampleFormat,
    traces: u64,
}

impl SegyLayout {
    /// Creates the layout of a file.
    ///
    /// # Arguments
    /// * `binary` – binary header, from [`BinaryHeader::new`]
    /// * `traces` – number of traces, at least 1
    /// # Errors
    /// A binary header that contradicts revision 1 with traces of equal length; more traces than a file can have.
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

    /// Size of a trace with its header [bytes].
    pub fn trace_bytes(&self) -> u64 {
        (TRACE_HEADER_BYTES + self.format.bytes() * usize::from(self.binary.samples)) as u64
    }

    /// Offset of trace `index`, from 0 [bytes]; for `index` = number of traces, the end of the file.
    pub fn offset(&self, index: u64) -> u64 {
        FILE_HEADER_BYTES as u64 + index * self.trace_bytes()
    }

    /// Size of the file [bytes].
    pub fn file_bytes(&self) -> u64 {
        self.offset(self.traces)
    }

    /// Encodes the 3600 bytes before the first trace.
    ///
    /// # Errors
    /// A textual header with more than 40 lines, lines longer than 80 characters, or characters that are not ASCII.
    pub fn encode_file_headers(&self, text: &TextHeader) -> Result<Vec<u8>, Refused> {
        let mut bytes = text.to_bytes()?;
        bytes.resize(FILE_HEADER_BYTES, 0);
        self.binary.encode(&mut bytes[TEXT_HEADER_BYTES..], ByteOrder::Big);
        Ok(bytes)
    }

    /// Encodes a trace, big-endian, and appends it to a buffer.
    ///
    /// # Arguments
    /// * `header` – header; number of samples and interval are replaced by those of the layout
    /// * `samples` – finite samples, as many as the layout has per trace
    /// * `bytes` – buffer, which grows by [`Self::trace_bytes`]
    /// # Errors
    /// Another number of samples; a sample that is not finite. `bytes` is then unchanged.
    pub fn encode_trace(&self, header: &TraceHeader, samples: &[f32], bytes: &mut Vec<u8>) -> Result<(), Refused> {
        let BinaryHeader { samples: count, sample_interval, .. } = self.binary;
        if samples.len() != usize::from(count) {
            return Err(Refused::new("number of samples", samples.len(), format!("{count}, as in all traces")));
        }
        let header = TraceHeader { samples: count, sample_interval, ..header.clone() };
        encode_trace(&header, samples, self.format, ByteOrder::Big, bytes)
    }
}

/// Refuses more traces than a file can have, since they are numbered by signed 32-bit integers.
pub(crate) fn check_traces(traces: u64) -> Result<(), Refused> {
    let most = i32::MAX as u64;
    if (1..=most).contains(&traces) {
        return Ok(());
    }
    Err(Refused::new("number of traces", traces, format!("1 to {most}; split the survey into several files")))
}

/// Appends an encoded trace; on error, `bytes` is unchanged.
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
