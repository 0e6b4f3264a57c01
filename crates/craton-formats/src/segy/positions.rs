//! Positions of the traces of a volume, from one of several pairs of fields of their headers.

use std::fmt;

use super::{BinaryHeader, TraceHeader, TraceReader, in_trace};
use crate::error::Refused;

/// The fields of a trace header that hold x and y of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fields {
    /// Those of the ensemble (CDP).
    Ensemble,
    /// Those of the source.
    Source,
    /// Those of the receiver group.
    Receiver,
    /// Four bytes each from these, counted from 1.
    At([usize; 2]),
}

/// Fields of depth models: other programs write the position of a column into one or several of these.
pub(super) const OF_MODELS: [Fields; 3] = [Fields::Ensemble, Fields::Source, Fields::Receiver];

impl Fields {
    /// Header of the trace that was read last, with x, y and their scalar from these fields as those of the ensemble.
    fn placed(self, header: &TraceHeader, traces: &TraceReader) -> TraceHeader {
        let ([cdp_x, cdp_y], coordinate_scalar) = match self {
            Self::Ensemble => ([header.cdp_x, header.cdp_y], header.coordinate_scalar),
            Self::Source => ([header.source_x, header.source_y], header.coordinate_scalar),
            Self::Receiver => ([header.receiver_x, header.receiver_y], header.coordinate_scalar),
            // An additional header may have replaced the scalar of the standard header.
            Self::At(bytes) => (bytes.map(|byte| traces.number_at(byte)), traces.coordinate_scalar()),
        };
        TraceHeader { cdp_x, cdp_y, coordinate_scalar, ..header.clone() }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Ensemble => write!(f, "ensemble (CDP) coordinates (bytes 181-188)"),
            Self::Source => write!(f, "source coordinates (bytes 73-80)"),
            Self::Receiver => write!(f, "receiver coordinates (bytes 81-88)"),
            Self::At([x, y]) if y == x + 4 => write!(f, "coordinates (bytes {x}-{})", y + 3),
            Self::At([x, y]) => write!(f, "coordinates (bytes {x}-{} and {y}-{})", x + 3, y + 3),
        }
    }
}

/// Positions of all traces according to one pair of fields.
pub(super) struct Positions {
    /// The fields.
    pub fields: Fields,
    /// x and y of each trace [m]; `None` if they are not lengths.
    pub points: Vec<Option<[f64; 2]>>,
    /// The first trace whose coordinates are not lengths.
    pub unusable: Option<Refused>,
    /// Largest unit of the coordinates, in the unit of length of the file.
    unit: f64,
}

impl Positions {
    /// No positions yet.
    pub fn new(fields: Fields) -> Self {
        Self { fields, points: Vec::new(), unusable: None, unit: 0.0 }
    }

    /// Adds the trace that was read last.
    pub fn add(&mut self, header: &TraceHeader, traces: &TraceReader, binary: &BinaryHeader) {
        let header = self.fields.placed(header, traces);
        self.unit = self.unit.max(header.coordinate_unit());
        let index = self.points.len() as u64;
        let point = position(&header, binary).map_err(|refused| self.unusable.get_or_insert(in_trace(index, refused)));
        self.points.push(point.ok());
    }

    /// Whether there are several different positions.
    pub fn are_known(&self) -> bool {
        self.points.iter().any(|point| point.is_some() && *point != self.points[0])
    }

    /// The first that are known, or else that are not lengths; the first of all if there are none.
    pub fn best(mut candidates: Vec<Self>) -> Self {
        let known = candidates.iter().position(Self::are_known);
        let found = known.or_else(|| candidates.iter().position(|positions| positions.unusable.is_some()));
        candidates.swap_remove(found.unwrap_or(0))
    }

    /// Unit of the coordinates [m].
    pub fn rounding(&self, binary: &BinaryHeader) -> f64 {
        // Coordinates in other units are not used, so the factor does not matter.
        self.unit * binary.metres_per_unit().unwrap_or(1.0)
    }

    /// The refusal of positions that do not form the axes of a section or a volume.
    ///
    /// # Arguments
    /// * `axes` – number of axes of the section or volume
    pub fn not_straight(&self, axes: usize) -> Refused {
        let (value, expected) = match axes {
            2 => {
                ("not evenly spaced on a line", "even spacing; otherwise give spacing and origin, or coordinate_bytes")
            }
            _ => (
                "not evenly spaced along x and y",
                "even spacing of straight lines along x and y; otherwise give axes, spacing and origin, or coordinate_bytes",
            ),
        };
        Refused::new(self.fields.to_string(), value, expected)
    }
}

/// x and y of the ensemble [m]; if both are 0, the position is unknown and the unit does not matter.
fn position(header: &TraceHeader, binary: &BinaryHeader) -> Result<[f64; 2], Refused> {
    match [header.cdp_x, header.cdp_y] {
        [0, 0] => Ok([0.0; 2]),
        _ => Ok(header.geometry(binary.metres_per_unit()?)?.cdp),
    }
}
