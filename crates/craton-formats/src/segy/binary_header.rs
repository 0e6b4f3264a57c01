//! The binary header of a SEG-Y file.

use super::fields::header;
use super::samples::{FIXED_POINT_WITH_GAIN, KNOWN_FORMATS, SampleFormat};
use crate::error::Refused;

header! {
    /// Binary header: values for all traces. A field without information is 0.
    pub struct BinaryHeader from byte 3201 {
        /// Job number.
        3201 job: i32,
        /// Line number.
        3205 line: i32,
        /// Reel number.
        3209 reel: i32,
        /// Traces per ensemble (per shot, if traces are sorted as recorded).
        3213 traces_per_ensemble: i16,
        /// Auxiliary traces per ensemble.
        3215 auxiliary_traces_per_ensemble: i16,
        /// Sample interval [microseconds].
        3217 sample_interval: u16,
        /// Sample interval of the original recording [microseconds].
        3219 original_sample_interval: u16,
        /// Samples per trace.
        3221 samples: u16,
        /// Samples per trace of the original recording.
        3223 original_samples: u16,
        /// Sample format code, see [`SampleFormat`].
        3225 format: i16,
        /// Expected number of traces per CDP ensemble.
        3227 ensemble_fold: i16,
        /// Sorting: 1 as recorded, 2 by CDP, 3 single fold, 4 stacked, 5 by source, 6 by receiver, 7 by offset,
        /// 8 by mid-point, 9 by conversion point.
        3229 sorting: i16,
        /// Measurement system: 1 metres, 2 feet.
        3255 measurement_system: i16,
        /// Impulse polarity: 1 if an increase of pressure, or an upward motion, gives a negative number; 2 if a positive one.
        3257 impulse_polarity: i16,
        /// Revision of the format, 8 bits each for the major and minor number: 0x0100 is 1.0. [`super::SegyReader`] corrects numbers
        /// that programs stored with these bytes in the wrong order.
        3501 revision: u16,
        /// 1 if all traces have the same number of samples and the same interval.
        3503 fixed_length: i16,
        /// Number of extended textual headers of 3200 bytes that follow; -1 if variable.
        3505 extended_textual_headers: i16,
    }
}

/// Revision 1.0.
const REVISION: u16 = 0x0100;
/// Largest number of samples: revision 1 stores it as a signed 16-bit integer.
const LARGEST_SAMPLE_COUNT: usize = i16::MAX as usize;
/// Largest relative deviation of an interval from an integer number of microseconds.
const INTEGER_TOLERANCE: f64 = 1e-6;
/// The international foot [m].
pub(crate) const FOOT: f64 = 0.3048;

impl BinaryHeader {
    /// Creates a header of revision 1 in metres, with traces of equal length, sorted as recorded.
    ///
    /// # Arguments
    /// * `interval` – sample interval [s], an integer number of microseconds within 1e-6 of its value, from 1 to 65535. Above 32767 many
    ///   readers, among them segyio and ObsPy, see a negative number; only depth models need such intervals
    /// * `samples` – samples per trace, 1 to 32767
    /// * `format` – sample format, IBM or IEEE
    /// # Errors
    /// An interval or a number of samples that the header cannot represent; a format that is supported only for reading.
    pub fn new(interval: f64, samples: usize, format: SampleFormat) -> Result<Self, Refused> {
        let sample_interval = whole_microseconds(interval)?;
        let samples = u16::try_from(samples).map_err(|_| too_many_samples(samples))?;
        let header = Self {
            sample_interval,
            original_sample_interval: sample_interval,
            samples,
            original_samples: samples,
            format: format.code(),
            sorting: 1,
            measurement_system: 1,
            revision: REVISION,
            fixed_length: 1,
            ..Self::default()
        };
        header.writable_format()?;
        Ok(header)
    }

    /// Metres per unit of length, which is a metre or a foot.
    ///
    /// # Errors
    /// A measurement system that is neither; 0 is treated as metres.
    pub fn metres_per_unit(&self) -> Result<f64, Refused> {
        match self.measurement_system {
            0 | 1 => Ok(1.0),
            2 => Ok(FOOT),
            other => Err(Refused::new(Self::place("measurement_system"), other, "1 (metres) or 2 (feet)")),
        }
    }

    /// Sample format.
    ///
    /// # Errors
    /// An unknown code, or 4, fixed point with gain, which is obsolete.
    pub fn sample_format(&self) -> Result<SampleFormat, Refused> {
        SampleFormat::from_code(self.format).ok_or_else(|| {
            let expected = match self.format {
                FIXED_POINT_WITH_GAIN => {
                    format!("{KNOWN_FORMATS}; fixed point with gain is obsolete, write the samples as IEEE numbers")
                }
                _ => KNOWN_FORMATS.to_owned(),
            };
            Refused::new(Self::place("format"), self.format, expected)
        })
    }

    /// Checks that a file with this header may be written; returns the sample format.
    pub(super) fn writable_format(&self) -> Result<SampleFormat, Refused> {
        let refuse = |field, value: &dyn ToString, expected: &str| {
            Err(Refused::new(Self::place(field), value.to_string(), expected))
        };
        if self.samples == 0 || usize::from(self.samples) > LARGEST_SAMPLE_COUNT {
            return Err(too_many_samples(self.samples.into()));
        }
        if self.sample_interval == 0 {
            return refuse("sample_interval", &0, "1 to 65535 microseconds");
        }
        if self.revision != REVISION || self.fixed_length != 1 {
            let found = format!("{:#06x}, with fixed length {}", self.revision, self.fixed_length);
            return refuse("revision", &found, "0x0100 with fixed length 1; start from `BinaryHeader::new`");
        }
        if self.extended_textual_headers != 0 {
            return refuse(
                "extended_textual_headers",
                &self.extended_textual_headers,
                "0; extended headers can be read but not written",
            );
        }
        match self.sample_format()? {
            format @ (SampleFormat::Ibm | SampleFormat::Ieee) => Ok(format),
            others => Err(others.read_only()),
        }
    }
}

fn too_many_samples(samples: usize) -> Refused {
    let expected = format!("1 to {LARGEST_SAMPLE_COUNT}; use a longer sample interval or a shorter record");
    Refused::new(BinaryHeader::place("samples"), samples, expected)
}

/// Converts an interval in seconds to microseconds, which must be an integer that fits into an unsigned 16-bit number.
pub(crate) fn whole_microseconds(interval: f64) -> Result<u16, Refused> {
    let microseconds = 1e6 * interval;
    let whole = microseconds.round();
    if (1.0..=f64::from(u16::MAX)).contains(&whole) && (microseconds - whole).abs() <= INTEGER_TOLERANCE * whole {
        return Ok(whole as u16);
    }
    let expected = format!("an integer from 1 to {} microseconds; resample the traces", u16::MAX);
    Err(Refused::new("sample interval", format!("{interval} s"), expected))
}
