//! Atomic file output: a temporary file next to the target, then a rename.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

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
    replace(path, &bytes).map_err(wrap)
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

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = temporary_file(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is durable only after the folder has been synced.
    File::open(folder)?.sync_all()
}

#[cfg(unix)]
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // The umask of the process sets the permissions, as for any other file.
    let permissions = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(permissions).tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::NamedTempFile::new_in(folder)
}
