//! The directory of the first image: its tags, read before any pixel. All sizes are compared with that of the file.

use std::path::Path;

use super::Problem;
use crate::error::{Refused, Result};
use crate::input::Input;

/// Largest number of tags; images have some tens.
const MOST_TAGS: u64 = 4096;
/// Largest number of pixels along a side.
const LARGEST_SIDE: u64 = 1 << 30;

/// Tags of TIFF, GeoTIFF and GDAL.
pub(super) mod tag {
    pub const WIDTH: u16 = 256;
    pub const LENGTH: u16 = 257;
    pub const BITS: u16 = 258;
    pub const COMPRESSION: u16 = 259;
    pub const PHOTOMETRIC: u16 = 262;
    pub const FILL_ORDER: u16 = 266;
    pub const STRIP_OFFSETS: u16 = 273;
    pub const SAMPLES: u16 = 277;
    pub const ROWS_PER_STRIP: u16 = 278;
    pub const STRIP_BYTES: u16 = 279;
    pub const PREDICTOR: u16 = 317;
    pub const TILE_WIDTH: u16 = 322;
    pub const TILE_LENGTH: u16 = 323;
    pub const TILE_OFFSETS: u16 = 324;
    pub const TILE_BYTES: u16 = 325;
    pub const SAMPLE_FORMAT: u16 = 339;
    pub const PIXEL_SCALE: u16 = 33550;
    pub const TIEPOINTS: u16 = 33922;
    pub const TRANSFORMATION: u16 = 34264;
    pub const GEO_KEYS: u16 = 34735;
    pub const GEO_DOUBLES: u16 = 34736;
    pub const GDAL_METADATA: u16 = 42112;
    pub const GDAL_NODATA: u16 = 42113;
}

/// Tags of an image.
pub(super) struct Directory {
    /// Number of columns of pixels.
    pub width: usize,
    /// Number of rows of pixels.
    pub height: usize,
    /// Size of the file [bytes].
    pub file_bytes: u64,
    /// Whether numbers are little-endian.
    pub is_little: bool,
    tags: Vec<(u16, Content)>,
}

/// Values of a tag.
enum Content {
    Unsigned(Vec<u64>),
    Doubles(Vec<f64>),
    Text(String),
}

impl Directory {
    /// Reads the tags of the first image.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let mut source = Source::open(path)?;
        let tags = source.first_directory()?;
        let (file_bytes, is_little) = (source.input.size(), source.is_little);
        let mut directory = Self { width: 0, height: 0, file_bytes, is_little, tags };
        directory.width = directory.side(tag::WIDTH, "ImageWidth")?;
        directory.height = directory.side(tag::LENGTH, "ImageLength")?;
        let bands = directory.first(tag::SAMPLES).unwrap_or(1);
        if bands != 1 {
            let expected = "1, the elevation; select a band: gdal_translate -b 1 in.tif out.tif";
            return Err(Refused::new("number of bands", bands, expected).into());
        }
        Ok(directory)
    }

    /// A number of pixels.
    pub fn side(&self, tag: u16, name: &str) -> Result<usize, Refused> {
        let side = self.first(tag).unwrap_or_default();
        if !(1..=LARGEST_SIDE).contains(&side) {
            return Err(Refused::new(name, side, format!("1 to {LARGEST_SIDE} pixels; the file is damaged")));
        }
        Ok(side as usize)
    }

    fn content(&self, tag: u16) -> Option<&Content> {
        self.tags.iter().find(|(known, _)| *known == tag).map(|(_, content)| content)
    }

    /// Integers of a tag; empty if it is missing or has another type.
    pub fn unsigned(&self, tag: u16) -> &[u64] {
        if let Some(Content::Unsigned(values)) = self.content(tag) { values } else { &[] }
    }

    /// First integer of a tag.
    pub fn first(&self, tag: u16) -> Option<u64> {
        self.unsigned(tag).first().copied()
    }

    /// Doubles of a tag; empty if it is missing or has another type.
    pub fn doubles(&self, tag: u16) -> &[f64] {
        if let Some(Content::Doubles(values)) = self.content(tag) { values } else { &[] }
    }

    /// Text of a tag, up to the first zero.
    pub fn text(&self, tag: u16) -> Option<&str> {
        if let Some(Content::Text(text)) = self.content(tag) { Some(text) } else { None }
    }
}

/// A file with its byte order and the sizes of its fields.
struct Source {
    input: Input,
    is_little: bool,
    is_big_tiff: bool,
}

impl Source {
    fn open(path: &Path) -> Result<Self, Problem> {
        let mut source = Self { input: Input::open(path)?, is_little: true, is_big_tiff: false };
        let [first, _, third, fourth] = source.bytes(0)?;
        source.is_little = first == b'I';
        source.is_big_tiff = third == b'+' || fourth == b'+';
        Ok(source)
    }

    /// Reads bytes within the file.
    fn bytes<const N: usize>(&mut self, offset: u64) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Problem> {
        self.require(offset, bytes.len() as u64)?;
        Ok(self.input.read_at(offset, bytes)?)
    }

    fn require(&self, offset: u64, bytes: u64) -> Result<(), Refused> {
        let size = self.input.size();
        if offset.checked_add(bytes).is_none_or(|end| end > size) {
            let expected = format!(
                "at least {} for the tags of the GeoTIFF; the file was truncated, or is damaged",
                offset.saturating_add(bytes)
            );
            return Err(Refused::new("size in bytes", size, expected));
        }
        Ok(())
    }

    /// Reads an unsigned integer of up to 8 bytes.
    fn unsigned<const N: usize>(&mut self, offset: u64) -> Result<u64, Problem> {
        Ok(unsigned(&self.bytes::<N>(offset)?, self.is_little))
    }

    /// Reads all tags that [`tag`] names.
    fn first_directory(&mut self) -> Result<Vec<(u16, Content)>, Problem> {
        let (start, count, first, entry_bytes) = if self.is_big_tiff {
            let start = self.unsigned::<8>(8)?;
            (start, self.unsigned::<8>(start)?, 8, 20)
        } else {
            let start = self.unsigned::<4>(4)?;
            (start, self.unsigned::<2>(start)?, 2, 12)
        };
        if !(1..=MOST_TAGS).contains(&count) {
            return Err(Refused::new("number of tags", count, format!("1 to {MOST_TAGS}; the file is damaged")).into());
        }
        // Both are within the file, so that these sums do not overflow.
        self.require(start, first + count * entry_bytes)?;
        let mut tags = Vec::new();
        for index in 0..count {
            let Some((tag, content)) = self.entry(start + first + index * entry_bytes)? else { continue };
            if tags.iter().any(|(known, _)| *known == tag) {
                return Err(Refused::new("tag", tag, "each tag once; the file is damaged").into());
            }
            tags.push((tag, content));
        }
        Ok(tags)
    }

    /// Reads a tag; `None` if its type is not used here. The values of any tag must be within the file.
    fn entry(&mut self, at: u64) -> Result<Option<(u16, Content)>, Problem> {
        let tag = self.unsigned::<2>(at)? as u16;
        let kind = self.unsigned::<2>(at + 2)?;
        let (count, inline_at, inline_bytes) = if self.is_big_tiff {
            (self.unsigned::<8>(at + 4)?, at + 12, 8)
        } else {
            (self.unsigned::<4>(at + 4)?, at + 8, 4)
        };
        let item_bytes: u64 = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            _ => return Ok(None),
        };
        let bytes = count.saturating_mul(item_bytes);
        let offset = match bytes <= inline_bytes {
            true => inline_at,
            false if self.is_big_tiff => self.unsigned::<8>(inline_at)?,
            false => self.unsigned::<4>(inline_at)?,
        };
        self.require(offset, bytes)?;
        if !is_used(tag) {
            return Ok(None);
        }
        let mut read = vec![0; bytes as usize];
        self.fill(offset, &mut read)?;
        let is_little = self.is_little;
        let items = read.chunks_exact(item_bytes as usize).map(|item| unsigned(item, is_little));
        let content = match kind {
            1 | 3 | 4 | 13 | 16 | 18 => Content::Unsigned(items.collect()),
            2 => Content::Text(text(&read)),
            12 => Content::Doubles(items.map(f64::from_bits).collect()),
            _ => return Ok(None),
        };
        Ok(Some((tag, content)))
    }
}

fn is_used(tag: u16) -> bool {
    use tag::*;
    let image = [WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, SAMPLES, PREDICTOR, SAMPLE_FORMAT];
    let strips = [STRIP_OFFSETS, ROWS_PER_STRIP, STRIP_BYTES];
    let tiles = [TILE_WIDTH, TILE_LENGTH, TILE_OFFSETS, TILE_BYTES];
    let place = [PIXEL_SCALE, TIEPOINTS, TRANSFORMATION, GEO_KEYS, GEO_DOUBLES, GDAL_METADATA, GDAL_NODATA];
    [&image[..], &strips, &tiles, &place].iter().any(|tags| tags.contains(&tag))
}

/// An integer of up to 8 bytes.
pub(super) fn unsigned(bytes: &[u8], is_little: bool) -> u64 {
    let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_little { bytes.iter().rev().fold(0, append) } else { bytes.iter().fold(0, append) }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}
