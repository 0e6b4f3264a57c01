//! The first additional trace header of revision 2: numbers that replace those of the standard trace header.
//!
//! Source: SEG-Y revision 2.0, Data Exchange format, SEG Technical Standards Committee, January 2017, section 7.1.

use super::fields::fields;
use super::geometry::{applied, best_scalar, rounded};
use super::{TRACE_HEADER_BYTES, TraceHeader};
use crate::ByteOrder;
use crate::error::Refused;

fields! {
    /// Trace header extension 1; a field without information is 0.
    pub(super) struct Extension from byte 1 {
        /// Trace sequence number within the line.
        1 trace_in_line: u64,
        /// Trace sequence number within the file.
        9 trace_in_file: u64,
        /// Original field record number.
        17 field_record: i64,
        /// Ensemble (CDP) number.
        25 cdp: i64,
        /// Elevation of the receiver group.
        33 receiver_elevation: f64,
        /// Elevation of the surface at the source.
        49 source_surface_elevation: f64,
        /// Depth of the source below the surface.
        57 source_depth: f64,
        /// Water depth at the source.
        81 source_water_depth: f64,
        /// Water depth at the receiver group.
        89 receiver_water_depth: f64,
        /// x of the source.
        97 source_x: f64,
        /// y of the source.
        105 source_y: f64,
        /// x of the receiver group.
        113 receiver_x: f64,
        /// y of the receiver group.
        121 receiver_y: f64,
        /// Distance from the source to the receiver group.
        129 offset: f64,
        /// Number of samples.
        137 samples: u32,
        /// Sample interval, in microseconds for times.
        145 sample_interval: f64,
        /// Number of additional trace headers of this trace.
        157 additional_headers: u16,
        /// x of the ensemble.
        161 cdp_x: f64,
        /// y of the ensemble.
        169 cdp_y: f64,
    }
}

/// Bytes of the name of an additional header, its last ones.
const NAME: std::ops::Range<usize> = 232..TRACE_HEADER_BYTES;
/// Names of extension 1: ASCII, EBCDIC, and none.
const NAMES: [[u8; 8]; 3] = [*b"SEG00001", [0xE2, 0xC5, 0xC7, 0xF0, 0xF0, 0xF0, 0xF0, 0xF1], [0; 8]];

impl Extension {
    /// Decodes the first additional header; `None` if it has another name, so that its content is not known.
    pub fn read(bytes: &[u8], order: ByteOrder) -> Option<Self> {
        NAMES.iter().any(|name| bytes[NAME] == *name).then(|| Self::decode(bytes, order))
    }

    /// Replaces the numbers of a standard header that are not 0 here. Positions get the coarsest scalars that represent them, see
    /// [`best_scalar`].
    ///
    /// # Errors
    /// Numbers that do not fit into the fields of a [`TraceHeader`].
    pub fn replace(&self, header: &mut TraceHeader) -> Result<(), Refused> {
        replace_integers([
            ("trace_in_line", self.trace_in_line.into(), &mut header.trace_in_line),
            ("trace_in_file", self.trace_in_file.into(), &mut header.trace_in_file),
            ("field_record", self.field_record.into(), &mut header.field_record),
            ("cdp", self.cdp.into(), &mut header.cdp),
        ])?;
        if self.offset != 0.0 {
            header.offset = rounded(self.offset, 1).ok_or_else(|| too_large(&Self::place("offset"), self.offset))?;
        }
        replace_lengths(
            "coordinate_scalar",
            &mut header.coordinate_scalar,
            [
                (self.source_x, &mut header.source_x),
                (self.source_y, &mut header.source_y),
                (self.receiver_x, &mut header.receiver_x),
                (self.receiver_y, &mut header.receiver_y),
                (self.cdp_x, &mut header.cdp_x),
                (self.cdp_y, &mut header.cdp_y),
            ],
        )?;
        replace_lengths(
            "elevation_scalar",
            &mut header.elevation_scalar,
            [
                (self.receiver_elevation, &mut header.receiver_elevation),
                (self.source_surface_elevation, &mut header.source_surface_elevation),
                (self.source_depth, &mut header.source_depth),
                (self.source_water_depth, &mut header.source_water_depth),
                (self.receiver_water_depth, &mut header.receiver_water_depth),
            ],
        )
    }
}

/// Replaces integers that are not 0, given with the names of their fields.
fn replace_integers<const N: usize>(rows: [(&str, i128, &mut i32); N]) -> Result<(), Refused> {
    for (field, number, place) in rows {
        if number != 0 {
            *place = i32::try_from(number).map_err(|_| too_large(&Extension::place(field), number))?;
        }
    }
    Ok(())
}

/// Replaces lengths that are not 0, and the scalar of all of them.
fn replace_lengths<const N: usize>(field: &str, scalar: &mut i16, rows: [(f64, &mut i32); N]) -> Result<(), Refused> {
    if rows.iter().all(|(length, _)| *length == 0.0) {
        return Ok(());
    }
    let mut lengths = [0.0; N];
    for (length, (given, standard)) in lengths.iter_mut().zip(&rows) {
        *length = if *given == 0.0 { applied(field, *scalar, **standard)? } else { *given };
    }
    let best = best_scalar(lengths)
        .map_err(|refused| Refused { what: format!("{} of trace header extension 1", refused.what), ..refused })?;
    for (length, (_, standard)) in lengths.into_iter().zip(rows) {
        *standard = rounded(length, best).expect("the scalar fits all lengths");
    }
    *scalar = best;
    Ok(())
}

fn too_large(place: &str, number: impl ToString) -> Refused {
    let what = format!("trace header extension 1, {place}");
    let expected = "at most 2147483647 in magnitude; check the number of additional trace headers (bytes 3507-3508)";
    Refused::new(what, number, expected)
}
