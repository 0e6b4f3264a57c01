//! The bytes of gathers: headers and samples of every trace, and where each stands in its file.

use craton_acquisition::survey::{Shot, Survey, Trace};
use craton_formats::Refused;
use craton_formats::segy::{BinaryHeader, Geometry, SampleFormat, Scalars, SegyLayout, TextHeader, TraceHeader};
use craton_formats::su::SuLayout;

use crate::survey::config::{GatherFormat, Numbers, Quantity};
use crate::survey::setup::Setup;
use crate::survey::time_axis::TimeAxis;

/// The traces of a file of gathers. Those of several quantities have a file for each, and the same places there.
pub struct Traces {
    layout: Layout,
    scalars: Scalars,
    /// Whether receivers hear several quantities.
    are_many: bool,
    /// First trace of each shot, and the end.
    first: Vec<u64>,
}

/// The format of the files.
enum Layout {
    Segy(SegyLayout),
    Su(SuLayout),
}

impl Traces {
    /// Of all shots of a survey.
    ///
    /// # Arguments
    /// * `order` – the shots by their numbers, which is that of the file
    /// # Errors
    /// What the format cannot hold.
    pub fn new(setup: &Setup, axis: &TimeAxis, order: &[usize]) -> Result<Self, Refused> {
        let mut first = vec![0];
        for &shot in order {
            first.push(first[first.len() - 1] + setup.survey.shots()[shot].spread.len() as u64);
        }
        let layout = layout(setup, axis, first[first.len() - 1])?;
        Ok(Self { layout, scalars: scalars(&setup.survey)?, are_many: setup.heard.len() > 1, first })
    }

    /// Number of shots.
    pub fn shots(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of traces of a shot.
    pub fn of_shot(&self, piece: usize) -> u64 {
        self.first[piece + 1] - self.first[piece]
    }

    /// First trace of a shot, where all shots are there.
    pub fn first(&self, piece: usize) -> u64 {
        self.first[piece]
    }

    /// Where the traces of a shot begin in a file; of the number of shots, where the file ends.
    pub fn offset(&self, piece: usize) -> u64 {
        self.offset_of(self.first[piece])
    }

    /// Where a trace begins in a file.
    pub fn offset_of(&self, trace: u64) -> u64 {
        match &self.layout {
            Layout::Segy(layout) => layout.offset(trace),
            Layout::Su(layout) => layout.offset(trace),
        }
    }

    /// Bytes of a shot in a file.
    pub fn bytes_of_shot(&self, piece: usize) -> usize {
        (self.offset(piece + 1) - self.offset(piece)) as usize
    }

    /// Bytes of a trace.
    pub fn bytes_of_trace(&self) -> usize {
        let bytes = match &self.layout {
            Layout::Segy(layout) => layout.trace_bytes(),
            Layout::Su(layout) => layout.trace_bytes(),
        };
        bytes as usize
    }

    /// What stands before the first trace.
    ///
    /// # Errors
    /// A text that the format cannot hold.
    pub fn head(&self, text: &TextHeader) -> Result<Vec<u8>, Refused> {
        match &self.layout {
            Layout::Segy(layout) => layout.encode_file_headers(text),
            Layout::Su(_) => Ok(Vec::new()),
        }
    }

    /// Appends the bytes of a shot in the file of a quantity.
    ///
    /// # Arguments
    /// * `samples` – of its channels
    /// # Errors
    /// A sample that the format cannot hold.
    pub fn encode(
        &self,
        (piece, shot): (usize, &Shot),
        quantity: Quantity,
        samples: &[Vec<f32>],
        bytes: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        for (number, (trace, samples)) in (self.first[piece]..).zip(shot.traces().zip(samples)) {
            let header = self.header(shot, &trace, quantity, number)?;
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
            energy_source_point: shot.number as i32,
            trace_id: if self.are_many { quantity.trace_code() } else { 1 },
            coordinate_units: 1,
            shotpoint: shot.number as i32,
            measurement_unit: quantity.unit_code(),
            ..TraceHeader::default()
        };
        header.set_geometry(&geometry(trace), self.scalars)?;
        Ok(header)
    }

    /// Gives the bytes of a trace another place in its line and its file, from 0.
    pub fn renumber(&self, bytes: &mut [u8], place: u64) {
        let number = place as i32 + 1;
        let number = match &self.layout {
            Layout::Segy(_) => number.to_be_bytes(),
            Layout::Su(_) => number.to_le_bytes(),
        };
        bytes[..4].copy_from_slice(&number);
        bytes[4..8].copy_from_slice(&number);
    }
}

fn layout(setup: &Setup, axis: &TimeAxis, traces: u64) -> Result<Layout, Refused> {
    if setup.output.format == GatherFormat::Su {
        return Ok(Layout::Su(SuLayout::new(axis.interval, axis.samples, traces)?));
    }
    let format = match setup.output.samples {
        Numbers::Ieee => SampleFormat::Ieee,
        Numbers::Ibm => SampleFormat::Ibm,
    };
    let longest = setup.survey.shots().iter().map(|shot| shot.spread.len()).max().unwrap_or(0);
    let mut binary = BinaryHeader::new(axis.interval, axis.samples, format)?;
    binary.traces_per_ensemble = i16::try_from(longest).unwrap_or(0);
    // An increase of pressure, and an upward motion, is a positive number.
    binary.impulse_polarity = 2;
    Ok(Layout::Segy(SegyLayout::new(binary, traces)?))
}

fn scalars(survey: &Survey) -> Result<Scalars, Refused> {
    Scalars::best(|| survey.shots().iter().flat_map(|shot| shot.traces().map(|trace| geometry(&trace))))
}

/// What trace headers say of a trace: depths and elevations are those from z = 0.
fn geometry(trace: &Trace) -> Geometry {
    let [sx, sy, sz] = trace.source;
    let [rx, ry, rz] = trace.receiver;
    Geometry {
        source: [sx, sy],
        receiver: [rx, ry],
        cdp: trace.midpoint(),
        source_depth: -sz,
        receiver_elevation: rz,
        ..Geometry::default()
    }
}
