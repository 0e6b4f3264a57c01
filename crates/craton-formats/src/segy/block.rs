//! Layout of the traces in a file.

use super::extension::Extension;
use super::text_header::TEXT_HEADER_BYTES;
use super::trace_header::TRACE_HEADER_BYTES;
use super::{SampleFormat, TraceHeader};
use crate::ByteOrder;
use crate::error::Refused;

/// What a file of revision 2 says about its traces and its end; the default is that of earlier revisions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Number of additional trace headers of 240 bytes.
    pub additional_headers: u32,
    /// Number of traces; 0 if it follows from the size of the file.
    pub traces: u64,
    /// Number of stanzas of 3200 bytes after the last trace; -1 if unknown.
    pub trailer_stanzas: i32,
}

/// Layout of the traces in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceBlock {
    pub order: ByteOrder,
    pub format: SampleFormat,
    /// Offset of the first trace.
    pub start: u64,
    /// Samples per trace.
    pub samples: u32,
    /// Sample interval [microseconds].
    pub sample_interval: f64,
    /// Whether trace headers have the fields of SEG-Y revision 1.
    pub has_revision_1: bool,
    /// Whether the interval may be 0, and differ between traces, because the caller judges it.
    pub any_interval: bool,
    /// Additional headers and the end of the traces.
    pub extent: Extent,
}

/// A decoded trace header with the numbers of its extension.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub header: TraceHeader,
    /// Number of samples; 0 if unknown.
    pub samples: u32,
    /// Sample interval [microseconds]; 0 if unknown.
    pub sample_interval: f64,
}

impl TraceBlock {
    /// Size of all headers of a trace [bytes].
    pub fn header_bytes(&self) -> u64 {
        TRACE_HEADER_BYTES as u64 * (1 + u64::from(self.extent.additional_headers))
    }

    /// Size of the headers that [`Self::decode`] needs [bytes]: the standard one, and the first additional one.
    pub fn decoded_bytes(&self) -> usize {
        TRACE_HEADER_BYTES * (1 + usize::from(self.extent.additional_headers > 0))
    }

    /// Size of a trace with its headers [bytes].
    pub fn trace_bytes(&self) -> u64 {
        self.header_bytes() + self.format.bytes() as u64 * u64::from(self.samples)
    }

    /// Number of traces of a file of `file_bytes` bytes; `None` if it is not an integer of at least 1, or contradicts the extent.
    pub fn traces(&self, file_bytes: u64) -> Option<u64> {
        let Extent { traces, trailer_stanzas, .. } = self.extent;
        let bytes = file_bytes.checked_sub(self.start)?;
        let trailer = TEXT_HEADER_BYTES as u64 * u64::try_from(trailer_stanzas).unwrap_or(0);
        if traces == 0 {
            let bytes = bytes.checked_sub(trailer).filter(|&bytes| bytes > 0)?;
            return bytes.is_multiple_of(self.trace_bytes()).then(|| bytes / self.trace_bytes());
        }
        let rest = bytes.checked_sub(traces.checked_mul(self.trace_bytes())?)?;
        let is_known = trailer_stanzas >= 0;
        let fits = if is_known { rest == trailer } else { rest.is_multiple_of(TEXT_HEADER_BYTES as u64) };
        fits.then_some(traces)
    }

    /// The size of a file with these traces, for messages.
    pub fn expected_bytes(&self) -> String {
        let Extent { additional_headers, traces, trailer_stanzas } = self.extent;
        let number = if traces == 0 { "at least one trace".to_owned() } else { format!("{traces} traces") };
        let headers = match additional_headers {
            0 => String::new(),
            count => format!(" and {count} additional headers"),
        };
        let trailer = match trailer_stanzas {
            0 => String::new(),
            -1 if traces == 0 => {
                ", and nothing else, since the number of traces (bytes 3513-3520) is 0 and that of trailer stanzas unknown".to_owned()
            }
            -1 => format!(", and an unknown number of trailer stanzas of {TEXT_HEADER_BYTES} bytes"),
            count => format!(", and {count} trailer stanzas of {TEXT_HEADER_BYTES} bytes"),
        };
        format!(
            "{} bytes of headers and {number}, each of {} bytes for {} samples{headers}{trailer}",
            self.start,
            self.trace_bytes(),
            self.samples
        )
    }

    /// Offset of trace `index`.
    pub fn offset(&self, index: u64) -> u64 {
        self.start + index * self.trace_bytes()
    }

    /// Decodes the headers of a trace.
    ///
    /// # Arguments
    /// * `bytes` – the first [`Self::decoded_bytes`] bytes of the trace
    /// # Errors
    /// Another number of additional headers; numbers of the extension that do not fit into a [`TraceHeader`].
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded, Refused> {
        let header = TraceHeader::decode(bytes, self.order);
        let header = if self.has_revision_1 { header } else { header.without_revision_1() };
        // Fields of 16 bits cannot contradict numbers that do not fit into them.
        let fits = |number: f64| number.fract() == 0.0 && number <= f64::from(u16::MAX);
        let samples = if fits(self.samples.into()) { header.samples.into() } else { 0 };
        let sample_interval = if fits(self.sample_interval) { header.sample_interval.into() } else { 0.0 };
        let mut decoded = Decoded { header, samples, sample_interval };
        if self.extent.additional_headers > 0
            && let Some(extension) = Extension::read(&bytes[TRACE_HEADER_BYTES..], self.order)
        {
            self.extend(&mut decoded, &extension)?;
        }
        Ok(decoded)
    }

    /// Replaces numbers by those of the extension that are not 0.
    fn extend(&self, decoded: &mut Decoded, extension: &Extension) -> Result<(), Refused> {
        let (headers, wanted) = (extension.additional_headers, self.extent.additional_headers);
        if headers != 0 && u32::from(headers) != wanted {
            let what = format!("trace header extension 1, {}", Extension::place("additional_headers"));
            let expected = format!("{wanted}, as in the file; numbers that vary between traces are not supported");
            return Err(Refused::new(what, headers, expected));
        }
        extension.replace(&mut decoded.header)?;
        if extension.samples != 0 {
            decoded.samples = extension.samples;
        }
        if extension.sample_interval != 0.0 {
            decoded.sample_interval = extension.sample_interval;
        }
        Ok(())
    }
}
