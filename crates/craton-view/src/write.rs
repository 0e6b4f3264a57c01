//! File output.

use std::fs;
use std::io;
use std::path::Path;

use craton_formats::{FormatError, atomic};

use crate::error::{Error, Result};

/// Writes `width` x `height` pixels of three bytes as a PNG file.
///
/// An existing file is replaced atomically; missing folders are created.
///
/// # Arguments
/// * `size` – width and height \[pixels\]
/// * `dots_per_inch` – the resolution recorded in the file
/// # Errors
/// `Error::Write`
pub(crate) fn png_file(path: &Path, size: [u32; 2], rgb: &[u8], dots_per_inch: f64) -> Result<()> {
    let wrap = |source| Error::Write { path: path.to_owned(), source };
    let bytes = encode(size, rgb, dots_per_inch).map_err(|error| wrap(io::Error::other(error)))?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(wrap)?;
    }
    atomic::write_bytes(path, &bytes).map_err(|error| match error {
        FormatError::Io { source, .. } => wrap(source),
        other => wrap(io::Error::other(other)),
    })
}

fn encode(
    [width, height]: [u32; 2],
    rgb: &[u8],
    dots_per_inch: f64,
) -> std::result::Result<Vec<u8>, png::EncodingError> {
    const METRES_PER_INCH: f64 = 0.0254;
    let per_metre = (dots_per_inch / METRES_PER_INCH).round() as u32;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}
