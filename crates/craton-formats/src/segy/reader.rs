//! Opening and validating a SEG-Y file.

use std::path::Path;

use super::block::{Decoded, TraceBlock};
use super::file_header::{FileHeader, Revision2};
use super::layout::{BINARY_HEADER_BYTES, FILE_HEADER_BYTES};
use super::text_header::TEXT_HEADER_BYTES;
use super::trace_header::TRACE_HEADER_BYTES;
use super::{BinaryHeader, TextHeader, TraceHeader, TraceReader, in_trace};
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
    /// Opens a file of revision 0, 1 or 2 and checks its headers.
    ///
    /// Files may be big-endian or little-endian, see [`TraceReader::order`]: the order is that of the constant in bytes 3297-3300, or else the
    /// one in which the sample format is valid. Numbers that revision 2 stores in longer fields and in additional trace headers take
    /// precedence.
    ///
    /// If the number of samples or the interval is 0 in the binary header, the value of the first trace is used; also if only that number of
    /// samples fits the size of the file, with a [warning](Self::warning).
    ///
    /// # Errors
    /// A file that cannot be read; an unknown sample format; bytes that are swapped in pairs; a later revision; extended textual headers or a
    /// first trace outside the file; a size that is not an integer number of traces of equal length. If traces of different lengths happen to
    /// match the size, the first that differs is refused when it is read.
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
        let header = FileHeader::decode(&bytes).map_err(refuse)?;
        let (extended, start) = extended_headers(&header, &mut input)?;
        let FileHeader { order, format, .. } = header;
        let extent = header.extent();
        let (samples, sample_interval) = (0, 0.0);
        let unsampled =
            TraceBlock { order, format, start, samples, sample_interval, has_revision_1: true, any_interval, extent };
        let (block, warning) = sampled(&header, unsampled, &mut input)?;
        Ok(Self { text, extended, binary: header.binary, traces: TraceReader::new(input, block)?, warning })
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

/// Largest number of extended textual headers that is searched for the last one: beyond, files give the offset of the first trace.
const SEARCHED_HEADERS: u64 = i16::MAX as u64;

/// Reads the extended textual headers, which do not exist in revision 0; returns them and the offset of the first trace.
fn extended_headers(header: &FileHeader, input: &mut Input) -> Result<(Vec<TextHeader>, u64)> {
    let path = input.path().to_owned();
    let [first, last] = [FILE_HEADER_BYTES as u64, input.size() - TRACE_HEADER_BYTES as u64];
    let given = header.added.first_trace;
    if given != 0 && !(first..=last).contains(&given) {
        let expected =
            format!("{first} to {last}, or 0 if it is unknown; the file was truncated, or its headers are wrong");
        return Err(Refused::new(Revision2::place("first_trace"), given, expected).unreadable(&path));
    }
    let place = |index: u64| first + index * TEXT_HEADER_BYTES as u64;
    let room = (if given == 0 { last } else { given } - first) / TEXT_HEADER_BYTES as u64;
    let number = header.binary.extended_textual_headers;
    let count = match u64::try_from(number) {
        _ if header.binary.revision == 0 => 0,
        Ok(count) if given != 0 => count.min(room),
        Ok(count) if count <= room => count,
        Err(_) if number == -1 && given != 0 => room.min(SEARCHED_HEADERS),
        Err(_) if number == -1 => return variable_headers(input, room.min(SEARCHED_HEADERS)),
        _ => {
            let expected = format!("0 to {room}, which fit into the file, or -1 for a variable number");
            let place = BinaryHeader::place("extended_textual_headers");
            return Err(Refused::new(place, number, expected).unreadable(&path));
        }
    };
    let headers = (0..count).map(|index| read_text(input, place(index))).collect::<Result<_>>()?;
    Ok((headers, if given == 0 { place(count) } else { given }))
}

/// Reads a variable number of extended textual headers, up to the one with the stanza that ends them; returns them and their end.
fn variable_headers(input: &mut Input, most: u64) -> Result<(Vec<TextHeader>, u64)> {
    let mut headers = Vec::new();
    for index in 0..most {
        let header = read_text(input, (FILE_HEADER_BYTES + headers.len() * TEXT_HEADER_BYTES) as u64)?;
        let is_last = header.ends_text();
        headers.push(header);
        if is_last {
            return Ok((headers, FILE_HEADER_BYTES as u64 + (index + 1) * TEXT_HEADER_BYTES as u64));
        }
    }
    let expected = format!(
        "a number from 0, or the stanza ((SEG: EndText)) in one of the {most} headers that fit into the file; write the number"
    );
    let refused = Refused::new(BinaryHeader::place("extended_textual_headers"), -1, expected);
    Err(refused.unreadable(input.path()))
}

/// Adds number of samples and interval to a layout; also returns the [warning](SegyReader::warning).
fn sampled(header: &FileHeader, mut block: TraceBlock, input: &mut Input) -> Result<(TraceBlock, Option<String>)> {
    let path = input.path().to_owned();
    let refuse = |refused: Refused| refused.unreadable(&path);
    let mut bytes = vec![0; block.decoded_bytes()];
    input.read_at(block.start, &mut bytes)?;
    let first = block.decode(&bytes).map_err(|refused| refuse(in_trace(0, refused)))?;
    let (place, samples) = samples(header, &first).map_err(refuse)?;
    block.samples = samples;
    block.sample_interval = interval(header, &first, block.any_interval).map_err(refuse)?;
    let of_trace = TraceBlock { samples: first.samples, ..block };
    if first.samples > 0 && block.traces(input.size()).is_none() && of_trace.traces(input.size()).is_some() {
        let warning = format!(
            "{}: {place} = {samples}, but the size of the file and the trace headers (bytes 115-116) give {}, which is used",
            path.display(),
            of_trace.samples
        );
        return Ok((of_trace, Some(warning)));
    }
    Ok((block, None))
}

/// Name and value of the number of samples, from the binary header or else from the first trace.
fn samples(header: &FileHeader, first: &Decoded) -> Result<(String, u32), Refused> {
    let place = BinaryHeader::place("samples");
    match (header.added.extended_samples, header.binary.samples, first.samples) {
        (extended @ 1.., ..) => Ok((Revision2::place("extended_samples"), extended as u32)),
        (_, 0, 0) => Err(unknown(place, "samples")),
        (_, 0, of_trace) => Ok((place, of_trace)),
        (_, of_file, _) => Ok((place, of_file.into())),
    }
}

/// Sample interval [microseconds], from the binary header or else from the first trace.
///
/// # Arguments
/// * `any_interval` – whether the interval may be 0
fn interval(header: &FileHeader, first: &Decoded, any_interval: bool) -> Result<f64, Refused> {
    let of_file = [header.added.extended_sample_interval, header.binary.sample_interval.into()];
    match of_file.into_iter().chain([first.sample_interval]).find(|&interval| interval != 0.0) {
        Some(interval) => Ok(interval),
        None if any_interval => Ok(0.0),
        None => Err(unknown(BinaryHeader::place("sample_interval"), "sample_interval")),
    }
}

fn unknown(place: String, field: &str) -> Refused {
    let expected = format!("at least 1, here or in {} of the first trace", TraceHeader::place(field));
    Refused::new(place, 0, expected)
}
