//! The header of a trace, of SEG-Y and of Seismic Unix.

use super::fields::header;

/// Bytes of a trace header.
pub(crate) const TRACE_HEADER_BYTES: usize = 240;

header! {
    /// Header of a trace, as it stands in the file; [`TraceHeader::geometry`] gives positions in metres. A field that
    /// says nothing is 0. Bytes that are not listed are not read, and written as 0.
    pub struct TraceHeader from byte 1 {
        /// Number of the trace in its line, from 1.
        1 trace_in_line: i32,
        /// Number of the trace in its file, from 1.
        5 trace_in_file: i32,
        /// Original field record: the number of the shot.
        9 field_record: i32,
        /// Number of the trace in its field record, from 1.
        13 trace_in_record: i32,
        /// Energy source point: differs from the field record where shots were repeated at one place.
        17 energy_source_point: i32,
        /// Number of the ensemble (CDP).
        21 cdp: i32,
        /// Number of the trace in its ensemble, from 1.
        25 trace_in_cdp: i32,
        /// What the trace is: 1 seismic data, 2 dead, 11 pressure of the sea bed, 12 to 14 vertical, cross-line and
        /// in-line motion, -1 other.
        29 trace_id: i16,
        /// Distance from the source to the receiver group, negative against the direction of the line; no scalar applies.
        37 offset: i32,
        /// Elevation of the receiver group, upward from sea level.
        41 receiver_elevation: i32,
        /// Elevation of the surface at the source.
        45 source_surface_elevation: i32,
        /// Depth of the source below the surface, downward.
        49 source_depth: i32,
        /// Depth of the water at the source.
        61 source_water_depth: i32,
        /// Depth of the water at the receiver group.
        65 receiver_water_depth: i32,
        /// Scalar of elevations and depths: a factor if positive, a divisor if negative.
        69 elevation_scalar: i16,
        /// Scalar of coordinates, in the same way.
        71 coordinate_scalar: i16,
        /// x of the source.
        73 source_x: i32,
        /// y of the source.
        77 source_y: i32,
        /// x of the receiver group.
        81 receiver_x: i32,
        /// y of the receiver group.
        85 receiver_y: i32,
        /// Unit of coordinates: 1 length, 2 seconds of arc, 3 degrees, 4 degrees, minutes and seconds.
        89 coordinate_units: i16,
        /// Time of the first sample after the shot [ms].
        109 delay: i16,
        /// Samples of the trace.
        115 samples: u16,
        /// Sample interval [microseconds].
        117 sample_interval: u16,
        /// x of the ensemble, with the scalar of coordinates.
        181 cdp_x: i32,
        /// y of the ensemble, with the scalar of coordinates.
        185 cdp_y: i32,
        /// Number of the in-line.
        189 inline: i32,
        /// Number of the cross-line.
        193 crossline: i32,
        /// Number of the shotpoint.
        197 shotpoint: i32,
        /// Scalar of the shotpoint's number.
        201 shotpoint_scalar: i16,
        /// Unit of the samples: 1 Pa, 2 V, 3 mV, 4 A, 5 m, 6 m/s, 7 m/s^2, 8 N, 9 W, -1 other.
        203 measurement_unit: i16,
    }
}

impl TraceHeader {
    /// The header without the fields that came with revision 1, which are 0 then.
    pub(crate) fn without_revision_1(&self) -> Self {
        Self {
            cdp_x: 0,
            cdp_y: 0,
            inline: 0,
            crossline: 0,
            shotpoint: 0,
            shotpoint_scalar: 0,
            measurement_unit: 0,
            ..self.clone()
        }
    }
}
