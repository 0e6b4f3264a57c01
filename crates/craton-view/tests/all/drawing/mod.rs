//! Reads back pictures drawn by a test.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use craton_view::{Paper, Result};

/// A decoded picture.
pub struct Picture {
    pub size: (u32, u32),
    rgb: Vec<u8>,
}

impl Picture {
    pub fn read(path: &Path) -> Self {
        let decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Self { size: (info.width, info.height), rgb }
    }

    /// Fraction of the pixels that are not white.
    pub fn ink(&self) -> f64 {
        let marked = self.rgb.chunks(3).filter(|pixel| pixel != &[255, 255, 255]).count();
        3.0 * marked as f64 / self.rgb.len() as f64
    }

    pub fn pixel(&self, column: u32, row: u32) -> [u8; 3] {
        let start = 3 * (row * self.size.0 + column) as usize;
        [self.rgb[start], self.rgb[start + 1], self.rgb[start + 2]]
    }

    /// Number of pixels of exactly this colour.
    pub fn count(&self, colour: [u8; 3]) -> usize {
        self.rgb.chunks(3).filter(|pixel| *pixel == colour).count()
    }
}

/// Paper of 600 x 400 units at 1.5 pixels per unit.
pub const PAPER: Paper = Paper { width: 600.0, height: Some(400.0), scale: 1.5 };

/// Draws into a temporary folder and returns the picture.
pub fn drawn(draw: impl FnOnce(&Path) -> Result<()>) -> Result<Picture> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/picture.png");
    draw(&path)?;
    let files: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(files.len(), 1, "no temporary file remains");
    let picture = Picture::read(&path);
    assert_eq!(picture.size, (900, 600));
    assert!(picture.ink() > 0.005, "{}", picture.ink());
    Ok(picture)
}
