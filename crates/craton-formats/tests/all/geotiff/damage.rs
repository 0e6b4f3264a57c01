//! Damaged files cause errors or wrong values, but no panics.

use super::*;

const SAMPLES: [&str; 8] = [
    "geographic_f32_deflate_tiled.tif",
    "utm_i16_lzw_point.tif",
    "utm_u16_lzw_tiled_big_endian.tif",
    "utm_south_f64_big_endian.tif",
    "bigtiff_u8_packbits.tif",
    "survey_feet_u16_scaled.tif",
    "no_system_f16.tif",
    "sparse_f32_tiled.tif",
];

/// Reads bytes as a file.
fn read(path: &Path, bytes: &[u8]) -> Result<(Grid, Option<Unit>)> {
    fs::write(path, bytes).unwrap();
    geotiff::read_with_gaps(path)
}

#[test]
fn a_truncated_file_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for length in 4..bytes.len() {
            let _ = read(&path, &bytes[..length]);
        }
        assert_refused(read(&path, &bytes[..60]), &["a.tif: "]);
    }
    fs::write(&path, b"II*\0").unwrap();
    assert_refused(grid::read(&path), &["a.tif: size in bytes = 4; expected at least 8", "truncated"]);
}

#[test]
fn a_corrupt_byte_anywhere_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    for name in SAMPLES {
        let bytes = fs::read(sample(name)).unwrap();
        for place in 0..bytes.len() {
            for wrong in [0x00, 0x01, 0x7F, 0x80, 0xFF].into_iter().chain([bytes[place] ^ 0x04]) {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                let _ = read(&path, &damaged);
            }
        }
    }
}

#[test]
fn sizes_beyond_the_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    let bytes = fs::read(sample("bigtiff_u8_packbits.tif")).unwrap();
    // The tag of the width: its number, type SHORT, count and value.
    let width = [0, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0];
    let place = bytes.windows(width.len()).position(|window| *window == width).unwrap();
    let mut damaged = bytes.clone();
    damaged[place + 12..][..2].copy_from_slice(&[0xFF, 0xFF]);
    assert_refused(read(&path, &damaged), &["size in bytes of the image = 15", "196605 values", "damaged"]);
    let mut damaged = bytes;
    damaged[place + 4..][..8].fill(0xFF);
    assert_refused(read(&path, &damaged), &["size in bytes = ", "for the tags of the GeoTIFF"]);
}
