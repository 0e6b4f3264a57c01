//! Bytes of a strip or tile to numbers: compression, predictor and format of the samples.
//!
//! Source: TIFF, revision 6.0, sections 9, 13 and 14; Adobe Photoshop TIFF Technical Note 3, for the floating-point predictor.

use flate2::{Decompress, FlushDecompress};
use weezl::BitOrder;
use weezl::decode::Configuration;

use super::directory::{Directory, tag, unsigned};
use crate::error::Refused;

/// Code of images whose values are levels of grey, zero for black.
const BLACK_IS_ZERO: u64 = 1;
/// Hint for compressions and samples that are not supported.
const REWRITE: &str = "rewrite it: gdal_translate -ot Float32 -co COMPRESS=DEFLATE in.tif out.tif";

/// How values are stored.
pub(super) struct Coding {
    pub compression: Compression,
    predictor: Predictor,
    format: Format,
    /// Size of a value [bytes].
    pub value_bytes: usize,
    is_little: bool,
}

/// Compression of strips and tiles.
pub(super) enum Compression {
    None,
    Lzw,
    Deflate,
    PackBits,
}

/// What is stored instead of values, row by row.
enum Predictor {
    None,
    /// The difference from the value to the left, as integers.
    Horizontal,
    /// The difference from the byte to the left, with the bytes of a row ordered by significance, the most significant first.
    Float,
}

/// Format of values.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Unsigned,
    Signed,
    Float,
}

impl Coding {
    /// Refuses what is not supported.
    pub fn of(directory: &Directory) -> Result<Self, Refused> {
        let photometric = directory.first(tag::PHOTOMETRIC).unwrap_or(BLACK_IS_ZERO);
        if photometric != BLACK_IS_ZERO {
            let expected = "1 (BlackIsZero); the image has colours rather than elevations";
            return Err(Refused::new("PhotometricInterpretation", photometric, expected));
        }
        let fill_order = directory.first(tag::FILL_ORDER).unwrap_or(1);
        if fill_order != 1 {
            return Err(Refused::new("FillOrder", fill_order, format!("1; {REWRITE}")));
        }
        let compression = match directory.first(tag::COMPRESSION).unwrap_or(1) {
            1 => Compression::None,
            5 => Compression::Lzw,
            8 | 32946 => Compression::Deflate,
            32773 => Compression::PackBits,
            other => {
                let expected = format!("1 (none), 5 (LZW), 8 (deflate) or 32773 (PackBits); {REWRITE}");
                return Err(Refused::new("Compression", other, expected));
            }
        };
        let (format, value_bytes) = format(directory)?;
        let predictor = match directory.first(tag::PREDICTOR).unwrap_or(1) {
            1 => Predictor::None,
            2 => Predictor::Horizontal,
            3 if format == Format::Float => Predictor::Float,
            other => {
                let expected = format!("1 (none), 2 (horizontal) or, for floats, 3; {REWRITE}");
                return Err(Refused::new("Predictor", other, expected));
            }
        };
        Ok(Self { compression, predictor, format, value_bytes, is_little: directory.is_little })
    }

    /// Whether values have single precision.
    pub fn is_single(&self) -> bool {
        self.format == Format::Float && self.value_bytes == 4
    }

    /// Fills `decoded`, ignoring what follows; an error is the number of bytes that could be decoded.
    pub fn decompress(&self, bytes: &[u8], decoded: &mut [u8]) -> Result<(), usize> {
        let count = match self.compression {
            Compression::None => {
                let count = bytes.len().min(decoded.len());
                decoded[..count].copy_from_slice(&bytes[..count]);
                count
            }
            Compression::Lzw => lzw(bytes, decoded),
            Compression::Deflate => {
                let mut state = Decompress::new(true);
                // The count decides: bytes after the last value do not matter, even if they are damaged.
                let _ = state.decompress(bytes, decoded, FlushDecompress::Finish);
                state.total_out() as usize
            }
            Compression::PackBits => pack_bits(bytes, decoded),
        };
        if count == decoded.len() { Ok(()) } else { Err(count) }
    }

    /// Converts the first values of a row of a strip or tile.
    ///
    /// # Arguments
    /// * `row` – its bytes; changed
    /// * `meaning` – converts a stored number
    pub fn convert(&self, row: &mut [u8], values: &mut [f64], meaning: impl Fn(f64) -> f64) {
        let size = self.value_bytes;
        match self.predictor {
            Predictor::None => {
                for (value, bytes) in values.iter_mut().zip(row.chunks_exact(size)) {
                    *value = meaning(self.number(unsigned(bytes, self.is_little)));
                }
            }
            Predictor::Horizontal => {
                let mut sum = 0_u64;
                for (value, bytes) in values.iter_mut().zip(row.chunks_exact(size)) {
                    sum = sum.wrapping_add(unsigned(bytes, self.is_little));
                    *value = meaning(self.number(sum));
                }
            }
            Predictor::Float => {
                let mut sum = 0_u8;
                for byte in &mut *row {
                    sum = sum.wrapping_add(*byte);
                    *byte = sum;
                }
                let count = row.len() / size;
                for (index, value) in values.iter_mut().enumerate() {
                    let bits = (0..size).fold(0, |bits, plane| bits << 8 | u64::from(row[plane * count + index]));
                    *value = meaning(self.number(bits));
                }
            }
        }
    }

    /// The number of the lower bits.
    fn number(&self, bits: u64) -> f64 {
        let unused = 64 - 8 * self.value_bytes as u32;
        match (self.format, self.value_bytes) {
            (Format::Unsigned, _) => (bits << unused >> unused) as f64,
            (Format::Signed, _) => ((bits << unused) as i64 >> unused) as f64,
            (Format::Float, 2) => half(bits as u16),
            (Format::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Format::Float, _) => f64::from_bits(bits),
        }
    }
}

/// The format of values and their size [bytes].
fn format(directory: &Directory) -> Result<(Format, usize), Refused> {
    let (format, name, sizes) = match directory.first(tag::SAMPLE_FORMAT).unwrap_or(1) {
        1 => (Format::Unsigned, "integers", &[8, 16, 32, 64][..]),
        2 => (Format::Signed, "integers", &[8, 16, 32, 64][..]),
        3 => (Format::Float, "floats", &[16, 32, 64][..]),
        other => {
            let expected = format!("1 (unsigned integers), 2 (integers) or 3 (floats); {REWRITE}");
            return Err(Refused::new("SampleFormat", other, expected));
        }
    };
    let bits = directory.first(tag::BITS).unwrap_or(1);
    if !sizes.contains(&bits) {
        return Err(Refused::new(format!("BitsPerSample of {name}"), bits, format!("one of {sizes:?}; {REWRITE}")));
    }
    Ok((format, bits as usize / 8))
}

/// A float of half precision.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Decodes LZW into `decoded` and returns the number of bytes. As libtiff does, it stops when `decoded` is full: some writers omit the code
/// at the end.
fn lzw(bytes: &[u8], decoded: &mut [u8]) -> usize {
    let mut decoder = Configuration::with_tiff_size_switch(BitOrder::Msb, 8).with_yield_on_full_buffer(true).build();
    let (mut from, mut to) = (0, 0);
    while to < decoded.len() {
        let step = decoder.decode_bytes(&bytes[from..], &mut decoded[to..]);
        from += step.consumed_in;
        to += step.consumed_out;
        if step.consumed_in + step.consumed_out == 0 || step.status.is_err() {
            break;
        }
    }
    to
}

/// Decodes PackBits into `decoded` and returns the number of bytes.
fn pack_bits(bytes: &[u8], decoded: &mut [u8]) -> usize {
    let (mut from, mut to) = (0, 0);
    while let Some(&header) = bytes.get(from).filter(|_| to < decoded.len()) {
        from += 1;
        let rest = &bytes[from..];
        let left = &mut decoded[to..];
        match header as i8 {
            -128 => {}
            count @ 0.. => {
                let count = (count as usize + 1).min(rest.len()).min(left.len());
                left[..count].copy_from_slice(&rest[..count]);
                (from, to) = (from + count, to + count);
            }
            count => {
                let Some(&byte) = rest.first() else { break };
                let count = (usize::from(count.unsigned_abs()) + 1).min(left.len());
                left[..count].fill(byte);
                (from, to) = (from + 1, to + count);
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_have_their_values() {
        for (bits, value) in
            [(0x3C00, 1.0), (0xC000, -2.0), (0x0001, 2_f64.powi(-24)), (0x7BFF, 65504.0), (0x0400, 2_f64.powi(-14))]
        {
            assert_eq!(half(bits), value, "{bits:x}");
        }
        assert!(half(0x7C00) == f64::INFINITY && half(0x7C01).is_nan());
    }

    #[test]
    fn packed_bits_are_those_of_the_specification() {
        let packed = [0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x80, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7, 0xAA];
        let mut decoded = [0; 24];
        assert_eq!(pack_bits(&packed, &mut decoded), 24);
        let wanted = [&[0xAA; 3][..], &[0x80, 0, 0x2A], &[0xAA; 4], &[0x80, 0, 0x2A, 0x22], &[0xAA; 10]].concat();
        assert_eq!(decoded, wanted[..]);
        assert_eq!(pack_bits(&packed[..3], &mut decoded), 3);
    }
}
