//! The values of an image, strip by strip or tile by tile.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::Problem;
use super::directory::{Directory, tag};
use super::meaning::Meaning;
use crate::error::{Refused, Result};
use crate::text::unread;

/// Code of images whose values are levels of grey, zero for black.
const BLACK_IS_ZERO: u64 = 1;
/// Hint for compressions and samples that are not supported.
const REWRITE: &str = "rewrite it: gdal_translate -ot Float32 -co COMPRESS=DEFLATE in.tif out.tif";

/// Reads the values, row by row in the order of the file; gaps are NaN.
pub(super) fn read(path: &Path, directory: &Directory, meaning: &Meaning) -> Result<Vec<f64>, Problem> {
    let chunks = Chunks::of(directory)?;
    let file = File::open(path).map_err(|source| unread(path, source))?;
    let mut decoder = Decoder::new(BufReader::new(file)).map_err(refused)?.with_limits(Limits::unlimited());
    // The sizes of all values have been compared with that of the file.
    let (width, height) = (directory.width, directory.height);
    if decoder.dimensions().map_err(refused)? != (width as u32, height as u32) {
        return Err(Refused::new("ImageWidth and ImageLength", "ambiguous", "integers; the file is damaged").into());
    }
    let side = decoder.chunk_dimensions();
    let [across, down] = [(width, side.0), (height, side.1)].map(|(all, part)| all.div_ceil((part as usize).max(1)));
    if chunks.bytes.len() != across * down {
        let expected = format!("{across} x {down}; the file is damaged");
        return Err(Refused::new("number of strips or tiles", chunks.bytes.len(), expected).into());
    }
    let mut values = Vec::with_capacity((width * height).min(directory.file_bytes as usize));
    for row in 0..down {
        let first = row * side.1 as usize;
        let rows = height.min(first + side.1 as usize) - first;
        values.resize((first + rows) * width, f64::NAN);
        for column in 0..across {
            let index = row * across + column;
            let left = column * side.0 as usize;
            let columns = width.min(left + side.0 as usize) - left;
            if chunks.bytes[index] == 0 {
                continue;
            }
            // Tiles are stored with the padding to the right of the image.
            chunks.require(index, side.0 as usize * rows)?;
            let decoded = decoder.read_chunk(index as u32).map_err(refused)?;
            let part = Part { values: &mut values[first * width..], width, left, columns, rows, meaning };
            part.fill(decoded)?;
        }
    }
    Ok(values)
}

/// A rectangle of the image.
struct Part<'a> {
    /// Values of the image from the first row of the rectangle.
    values: &'a mut [f64],
    /// Columns of the image.
    width: usize,
    /// First column of the rectangle.
    left: usize,
    columns: usize,
    rows: usize,
    meaning: &'a Meaning,
}

impl Part<'_> {
    fn fill(self, decoded: DecodingResult) -> Result<(), Refused> {
        match decoded {
            DecodingResult::U8(stored) => self.copy(&stored, f64::from),
            DecodingResult::I8(stored) => self.copy(&stored, f64::from),
            DecodingResult::U16(stored) => self.copy(&stored, f64::from),
            DecodingResult::I16(stored) => self.copy(&stored, f64::from),
            DecodingResult::U32(stored) => self.copy(&stored, f64::from),
            DecodingResult::I32(stored) => self.copy(&stored, f64::from),
            DecodingResult::U64(stored) => self.copy(&stored, |value| value as f64),
            DecodingResult::I64(stored) => self.copy(&stored, |value| value as f64),
            DecodingResult::F16(stored) => self.copy(&stored, |value| value.into()),
            DecodingResult::F32(stored) => self.copy_floats(&stored, f64::from, true),
            DecodingResult::F64(stored) => self.copy(&stored, |value| value),
        }
    }

    fn copy<T: Copy>(self, stored: &[T], convert: impl Fn(T) -> f64) -> Result<(), Refused> {
        self.copy_floats(stored, convert, false)
    }

    fn copy_floats<T: Copy>(self, stored: &[T], convert: impl Fn(T) -> f64, is_single: bool) -> Result<(), Refused> {
        if stored.len() != self.columns * self.rows {
            let expected = format!("{} x {}; the file is damaged", self.columns, self.rows);
            return Err(Refused::new("number of values in a strip or tile", stored.len(), expected));
        }
        for (row, stored) in stored.chunks_exact(self.columns).enumerate() {
            let values = &mut self.values[row * self.width + self.left..][..self.columns];
            for (value, &stored) in values.iter_mut().zip(stored) {
                *value = self.meaning.value(convert(stored), is_single);
            }
        }
        Ok(())
    }
}

/// Sizes of strips or tiles in the file.
struct Chunks<'a> {
    /// Size of each [bytes]; 0 if it is missing.
    bytes: &'a [u64],
    /// Size of a value [bytes].
    value_bytes: u64,
    /// Most bytes of values per byte in the file.
    ratio: u64,
}

impl<'a> Chunks<'a> {
    /// Refuses what cannot be read, and images that are larger than the file can hold.
    fn of(directory: &'a Directory) -> Result<Self, Refused> {
        let photometric = directory.first(tag::PHOTOMETRIC).unwrap_or(BLACK_IS_ZERO);
        if photometric != BLACK_IS_ZERO {
            let expected = "1 (BlackIsZero); the image has colours rather than elevations";
            return Err(Refused::new("PhotometricInterpretation", photometric, expected));
        }
        let ratio = match directory.first(tag::COMPRESSION).unwrap_or(1) {
            1 => 1,
            5 => 4096,
            8 | 32946 => 1100,
            32773 => 64,
            other => {
                let expected = format!("1 (none), 5 (LZW), 8 (deflate) or 32773 (PackBits); {REWRITE}");
                return Err(Refused::new("Compression", other, expected));
            }
        };
        let bits = directory.first(tag::BITS).unwrap_or(1);
        let (format, sizes) = match directory.first(tag::SAMPLE_FORMAT).unwrap_or(1) {
            1 | 2 => ("integers", &[8, 16, 32, 64][..]),
            3 => ("floats", &[16, 32, 64][..]),
            other => {
                let expected = format!("1 (unsigned integers), 2 (integers) or 3 (floats); {REWRITE}");
                return Err(Refused::new("SampleFormat", other, expected));
            }
        };
        if !sizes.contains(&bits) {
            return Err(Refused::new(
                format!("BitsPerSample of {format}"),
                bits,
                format!("one of {sizes:?}; {REWRITE}"),
            ));
        }
        let bytes = [tag::STRIP_BYTES, tag::TILE_BYTES].map(|tag| directory.unsigned(tag));
        let bytes = bytes.into_iter().find(|bytes| !bytes.is_empty()).unwrap_or_default();
        let all = bytes.iter().fold(0, |all: u64, &bytes| all.saturating_add(bytes));
        if all > directory.file_bytes {
            let expected =
                format!("at least {all}, the sum of its strips or tiles; the file was truncated, or is damaged");
            return Err(Refused::new("size in bytes", directory.file_bytes, expected));
        }
        let chunks = Self { bytes, value_bytes: bits / 8, ratio };
        chunks.compare("the image", all, directory.width * directory.height)?;
        Ok(chunks)
    }

    /// Refuses a strip or tile that is larger than its bytes can hold.
    fn require(&self, index: usize, values: usize) -> Result<(), Refused> {
        self.compare(&format!("strip or tile {index}"), self.bytes[index], values)
    }

    fn compare(&self, what: &str, bytes: u64, values: usize) -> Result<(), Refused> {
        let needed = (values as u64).saturating_mul(self.value_bytes);
        if needed > bytes.saturating_mul(self.ratio) {
            let expected =
                format!("enough for {values} values; the file was truncated, is damaged or lacks most tiles");
            return Err(Refused::new(format!("size in bytes of {what}"), bytes, expected));
        }
        Ok(())
    }
}

/// The error of values that cannot be decoded.
fn refused(error: TiffError) -> Refused {
    let expected = match error {
        TiffError::UnsupportedError(_) => REWRITE,
        _ => "values that can be decoded; the file was truncated, or is damaged",
    };
    Refused::new("image", error, expected)
}
