//! The trace header of SEG-Y and Seismic Unix.

use super::fields::header;

/// Size of a trace header [bytes].
pub(crate) const TRACE_HEADER_BYTES: usize = 240;

header! {
    /// Trace header as stored in the file; [`TraceHeader::geometry`] converts positions to metres. A field without information is 0. Bytes
    /// that are not listed are ignored when reading and written as 0.
    pub struct TraceHeader from byte 1 {
        /// Trace sequence number within the line, from 1.
        1 trace_in_line: i32,
        /// Trace sequence number within the file, from 1.
        5 trace_in_file: i32,
        /// Original field record number: the number of the shot.
        9 field_record: i32,
        /// Trace number within the field record, from 1.
        13 trace_in_record: i32,
        /// Energy source point number; differs from the field record if several shots were fired at one position.
        17 energy_source_point: i32,
        /// Ensemble (CDP) number.
        21 cdp: i32,
        /// Trace number within the ensemble, from 1.
        25 trace_in_cdp: i32,
        /// Trace identification code: 1 seismic data, 2 dead, 11 sea-bed pressure, 12 to 14 vertical, cross-line and in-line motion, -1
        /// other.
        29 trace_id: i16,
        /// Distance from the source to the receiver group, negative if opposite to the direction of the line; without scalar.
        37 offset: i32,
        /// Elevation of the receiver group, upward from sea level.
        41 receiver_elevation: i32,
        /// Elevation of the surface at the source.
        45 source_surface_elevation: i32,
        /// Depth of the source below the surface, downward.
        49 source_depth: i32,
        /// Water depth at the source.
        61 source_water_depth: i32,
        /// Water depth at the receiver group.
        65 receiver_water_depth: i32,
        /// Scalar for elevations and depths: a factor if positive, a divisor if negative.
        69 elevation_scalar: i16,
        /// Scalar for coordinates, applied in the same way.
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
        /// Time of the first sample after the shot [ms], with the scalar for times.
        109 delay: i16,
        /// Number of samples.
        115 samples: u16,
        /// Sample interval [microseconds].
        117 sample_interval: u16,
        /// x of the ensemble, with the coordinate scalar.
        181 cdp_x: i32,
        /// y of the ensemble, with the coordinate scalar.
        185 cdp_y: i32,
        /// In-line number.
        189 inline: i32,
        /// Cross-line number.
        193 crossline: i32,
        /// Shotpoint number.
        197 shotpoint: i32,
        /// Scalar for the shotpoint number.
        201 shotpoint_scalar: i16,
        /// Unit of the samples: 1 Pa, 2 V, 3 mV, 4 A, 5 m, 6 m/s, 7 m/s^2, 8 N, 9 W, -1 other.
        203 measurement_unit: i16,
        /// Scalar for times: a factor if positive, a divisor if negative.
        215 time_scalar: i16,
    }
}

impl TraceHeader {
    /// The header with the fields added by revision 1 set to 0.
    pub(crate) fn without_revision_1(&self) -> Self {
        Self {
            cdp_x: 0,
            cdp_y: 0,
            inline: 0,
            crossline: 0,
            shotpoint: 0,
            shotpoint_scalar: 0,
            measurement_unit: 0,
            time_scalar: 0,
            ..self.clone()
        }
    }
}
