//! The values of an image, strip by strip or tile by tile.

use std::path::Path;

use super::Problem;
use super::decode::{Coding, Compression};
use super::directory::{Directory, tag};
use super::meaning::Meaning;
use crate::error::{Refused, Result};
use crate::input::Input;

/// Reads the values, row by row in the order of the file; gaps are NaN.
pub(super) fn read(path: &Path, directory: &Directory, meaning: &Meaning) -> Result<Vec<f64>, Problem> {
    let coding = Coding::of(directory)?;
    let chunks = Chunks::of(directory, &coding)?;
    let mut input = Input::open(path)?;
    let (width, height) = (directory.width, directory.height);
    let mut values = Vec::with_capacity((width * height).min(directory.file_bytes as usize));
    let (mut compressed, mut decoded) = (Vec::new(), Vec::new());
    for (index, (&offset, &bytes)) in chunks.offsets.iter().zip(chunks.bytes).enumerate() {
        let (row, left) = (index / chunks.across * chunks.rows, index % chunks.across * chunks.columns);
        let rows = chunks.rows.min(height - row);
        if bytes == 0 {
            values.resize((row + rows) * width, f64::NAN);
            continue;
        }
        chunks.require(index, chunks.columns * rows)?;
        if offset.checked_add(bytes).is_none_or(|end| end > directory.file_bytes) {
            let expected =
                format!("less than the size of the file, {} bytes, by {bytes}; {DAMAGED}", directory.file_bytes);
            return Err(Refused::new(format!("offset of strip or tile {index}"), offset, expected).into());
        }
        compressed.resize(bytes as usize, 0);
        input.read_at(offset, &mut compressed)?;
        decoded.resize(chunks.columns * rows * coding.value_bytes, 0);
        coding.decompress(&compressed, &mut decoded).map_err(|read| {
            let expected = format!("{}; {DAMAGED}", decoded.len());
            Refused::new(format!("decoded bytes of strip or tile {index}"), read, expected)
        })?;
        // Only now: a damaged file may claim more values than can be decoded.
        values.resize((row + rows) * width, f64::NAN);
        let columns = chunks.columns.min(width - left);
        for (number, stored) in decoded.chunks_exact_mut(chunks.columns * coding.value_bytes).enumerate() {
            let values = &mut values[(row + number) * width + left..][..columns];
            coding.convert(stored, values, |value| meaning.value(value, coding.is_single()));
        }
    }
    Ok(values)
}

/// Hint for sizes that contradict each other.
const DAMAGED: &str = "the file was truncated, or is damaged";

/// Strips or tiles, from left to right and from the first row to the last.
struct Chunks<'a> {
    /// Where each starts in the file.
    offsets: &'a [u64],
    /// Size of each in the file [bytes]; 0 if it is missing.
    bytes: &'a [u64],
    /// Columns of a tile, or of the image.
    columns: usize,
    /// Rows of each except the last, which may be cut.
    rows: usize,
    /// Number side by side.
    across: usize,
    /// Size of a value [bytes].
    value_bytes: usize,
    /// Most bytes of values per byte in the file.
    ratio: u64,
}

impl<'a> Chunks<'a> {
    /// Refuses images that are larger than the file can hold.
    fn of(directory: &'a Directory, coding: &Coding) -> Result<Self, Refused> {
        let (width, height) = (directory.width, directory.height);
        let is_tiled = !directory.unsigned(tag::TILE_OFFSETS).is_empty();
        let (offsets, bytes, columns, rows) = if is_tiled {
            let [columns, rows] =
                [directory.side(tag::TILE_WIDTH, "TileWidth")?, directory.side(tag::TILE_LENGTH, "TileLength")?];
            (tag::TILE_OFFSETS, tag::TILE_BYTES, columns, rows)
        } else {
            let rows = directory.first(tag::ROWS_PER_STRIP).filter(|&rows| rows > 0 && rows < height as u64);
            (tag::STRIP_OFFSETS, tag::STRIP_BYTES, width, rows.map_or(height, |rows| rows as usize))
        };
        let (offsets, bytes) = (directory.unsigned(offsets), directory.unsigned(bytes));
        let (across, down) = (width.div_ceil(columns), height.div_ceil(rows));
        if offsets.len() != bytes.len() || offsets.len() != across * down {
            let found = format!("{} offsets and {} sizes", offsets.len(), bytes.len());
            let expected = format!("{across} x {down}; {DAMAGED}");
            return Err(Refused::new("number of strips or tiles", found, expected));
        }
        let all = bytes.iter().fold(0, |all: u64, &bytes| all.saturating_add(bytes));
        if all > directory.file_bytes {
            let expected = format!("at least {all}, the sum of its strips or tiles; {DAMAGED}");
            return Err(Refused::new("size in bytes", directory.file_bytes, expected));
        }
        let ratio = match coding.compression {
            Compression::None => 1,
            Compression::PackBits => 64,
            Compression::Deflate => 1100,
            Compression::Lzw => 1500,
        };
        let chunks = Self { offsets, bytes, columns, rows, across, value_bytes: coding.value_bytes, ratio };
        chunks.compare("the image", all, width * height)?;
        Ok(chunks)
    }

    /// Refuses a strip or tile that is larger than its bytes can hold.
    fn require(&self, index: usize, values: usize) -> Result<(), Refused> {
        self.compare(&format!("strip or tile {index}"), self.bytes[index], values)
    }

    fn compare(&self, what: &str, bytes: u64, values: usize) -> Result<(), Refused> {
        let needed = (values as u64).saturating_mul(self.value_bytes as u64);
        if needed > bytes.saturating_mul(self.ratio) {
            let expected = format!("enough for {values} values; {DAMAGED}, or lacks most tiles");
            return Err(Refused::new(format!("size in bytes of {what}"), bytes, expected));
        }
        Ok(())
    }
}
