//! Bytes of gathers: headers and samples of every trace, and their offsets in the file.

use craton_acquisition::survey::{Shot, Survey, Trace};
use craton_formats::segy::{BinaryHeader, Geometry, SampleFormat, Scalars, SegyLayout, TextHeader, TraceHeader};
use craton_formats::su::SuLayout;
use craton_formats::{ByteOrder, Refused};

use crate::survey::config::{self, GatherFormat, Numbers, Quantity};
use crate::survey::setup::Setup;
use crate::survey::time_axis::TimeAxis;

/// The traces of a gather file. Each quantity has its own file with the same layout.
pub struct Traces {
    layout: Layout,
    scalars: Scalars,
    /// Whether several quantities are recorded.
    are_many: bool,
    /// First trace of each shot, and the total number.
    first: Vec<u64>,
    /// Direction of the line at each shot.
    directions: Vec<[f64; 2]>,
    /// Time of the first sample [s].
    start: f64,
}

/// The file format.
enum Layout {
    Segy(SegyLayout),
    Su(SuLayout),
}

impl Traces {
    /// The traces of all shots of a survey.
    ///
    /// # Arguments
    /// * `order` – the shots by number, as in the file
    /// # Errors
    /// Data that the format does not support.
    pub fn new(setup: &Setup, axis: &TimeAxis, order: &[usize]) -> Result<Self, Refused> {
        let mut first = vec![0];
        for &shot in order {
            first.push(first[first.len() - 1] + setup.survey.shots()[shot].spread.len() as u64);
        }
        let layout = layout(setup, axis, first[first.len() - 1])?;
        let of_shots = setup.survey.directions();
        let directions = order.iter().map(|&shot| of_shots[shot]).collect();
        let (scalars, are_many) = (scalars(&setup.survey)?, setup.heard.len() > 1);
        Ok(Self { layout, scalars, are_many, first, directions, start: axis.first() })
    }

    /// Number of shots.
    pub fn shots(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of traces of a shot.
    pub fn of_shot(&self, piece: usize) -> u64 {
        self.first[piece + 1] - self.first[piece]
    }

    /// First trace of a shot, if no shot is missing.
    pub fn first(&self, piece: usize) -> u64 {
        self.first[piece]
    }

    /// Offset of the traces of a shot in a file; for the number of shots, the size of the file.
    pub fn offset(&self, piece: usize) -> u64 {
        self.offset_of(self.first[piece])
    }

    /// Offset of a trace in a file.
    pub fn offset_of(&self, trace: u64) -> u64 {
        match &self.layout {
            Layout::Segy(layout) => layout.offset(trace),
            Layout::Su(layout) => layout.offset(trace),
        }
    }

    /// Size of a shot in a file [bytes].
    pub fn bytes_of_shot(&self, piece: usize) -> usize {
        (self.offset(piece + 1) - self.offset(piece)) as usize
    }

    /// Size of a trace [bytes].
    pub fn bytes_of_trace(&self) -> usize {
        let bytes = match &self.layout {
            Layout::Segy(layout) => layout.trace_bytes(),
            Layout::Su(layout) => layout.trace_bytes(),
        };
        bytes as usize
    }

    /// The file headers before the first trace.
    ///
    /// # Errors
    /// A text that the format does not support.
    pub fn head(&self, text: &TextHeader) -> Result<Vec<u8>, Refused> {
        match &self.layout {
            Layout::Segy(layout) => layout.encode_file_headers(text),
            Layout::Su(_) => Ok(Vec::new()),
        }
    }

    /// Appends the bytes of a shot in the file of a quantity.
    ///
    /// # Arguments
    /// * `samples` – samples of its channels
    /// # Errors
    /// A sample that the format does not support.
    pub fn encode(
        &self,
        (piece, shot): (usize, &Shot),
        quantity: Quantity,
        samples: &[Vec<f32>],
        bytes: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        for (number, (trace, samples)) in (self.first[piece]..).zip(shot.traces().zip(samples)) {
            let mut header = self.header(shot, &trace, quantity, number)?;
            if trace.is_against(self.directions[piece]) {
                header.offset = -header.offset;
            }
            match &self.layout {
                Layout::Segy(layout) => layout.encode_trace(&header, samples, bytes)?,
                Layout::Su(layout) => layout.encode_trace(&header, samples, bytes)?,
            }
        }
        Ok(())
    }

    fn header(&self, shot: &Shot, trace: &Trace, quantity: Quantity, number: u64) -> Result<TraceHeader, Refused> {
        let number = number as i32 + 1;
        let mut header = TraceHeader {
            trace_in_line: number,
            trace_in_file: number,
            field_record: shot.number as i32,
            trace_in_record: trace.channel as i32,
            trace_id: if self.are_many { quantity.trace_code() } else { 1 },
            coordinate_units: 1,
            measurement_unit: quantity.unit_code(),
            ..TraceHeader::default()
        };
        if self.start != 0.0 {
            header.set_start(self.start);
        }
        header.set_geometry(&geometry(trace), self.scalars)?;
        header.set_source_point(trace.source_site.point.unwrap_or(shot.number.into()))?;
        Ok(header)
    }

    /// Changes the position of a trace in its line and its file, counted from 0.
    pub fn renumber(&self, bytes: &mut [u8], place: u64) {
        let number = self.number(place);
        bytes[..4].copy_from_slice(&number);
        bytes[4..8].copy_from_slice(&number);
    }

    /// Whether a trace has this position in its line and its file.
    pub fn is_numbered(&self, bytes: &[u8], place: u64) -> bool {
        let number = self.number(place);
        bytes[..4] == number && bytes[4..8] == number
    }

    fn number(&self, place: u64) -> [u8; 4] {
        let number = place as i32 + 1;
        let order = match &self.layout {
            Layout::Segy(_) => ByteOrder::Big,
            Layout::Su(layout) => layout.order(),
        };
        match order {
            ByteOrder::Big => number.to_be_bytes(),
            ByteOrder::Little => number.to_le_bytes(),
        }
    }
}

fn layout(setup: &Setup, axis: &TimeAxis, traces: u64) -> Result<Layout, Refused> {
    if setup.output.format == GatherFormat::Su {
        let order = match setup.output.byte_order {
            config::ByteOrder::Big => ByteOrder::Big,
            config::ByteOrder::Little => ByteOrder::Little,
        };
        return Ok(Layout::Su(SuLayout::new(axis.interval, axis.samples, traces, order)?));
    }
    let format = match setup.output.samples {
        Numbers::Ieee => SampleFormat::Ieee,
        Numbers::Ibm => SampleFormat::Ibm,
    };
    let longest = setup.survey.shots().iter().map(|shot| shot.spread.len()).max().unwrap_or(0);
    let mut binary = BinaryHeader::new(axis.interval, axis.samples, format)?;
    binary.traces_per_ensemble = i16::try_from(longest).unwrap_or(0);
    // An increase of pressure or an upward motion is positive.
    binary.impulse_polarity = 2;
    Ok(Layout::Segy(SegyLayout::new(binary, traces)?))
}

fn scalars(survey: &Survey) -> Result<Scalars, Refused> {
    Scalars::best(|| survey.shots().iter().flat_map(|shot| shot.traces().map(|trace| geometry(&trace))))
}

/// Contents of the trace header; depths and elevations are relative to z = 0.
fn geometry(trace: &Trace) -> Geometry {
    let [sx, sy, sz] = trace.source;
    let [rx, ry, rz] = trace.receiver;
    // The depth of a source is not negative.
    let surface = trace.source_site.elevation.unwrap_or(0.0).max(sz);
    Geometry {
        source: [sx, sy],
        receiver: [rx, ry],
        cdp: trace.midpoint(),
        source_surface_elevation: surface,
        source_depth: surface - sz,
        receiver_elevation: rz,
        source_water_depth: trace.source_site.water_depth,
        receiver_water_depth: trace.receiver_site.water_depth,
    }
}
