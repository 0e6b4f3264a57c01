//! Intermediate file of the fields, with a fixed place for each piece of the points.
//!
//! Any number of processes write complete pieces in any order. The process that finds all pieces writes the results and
//! removes the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use craton_formats::atomic::replace_link;
use craton_gravity::{Fields, Gravity};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, GravityFailure};

/// Name of the file in the results folder.
pub const NAME: &str = "gravity.values";

/// Values of all points before they become results.
#[derive(Debug)]
pub struct Values {
    path: PathBuf,
    fields: Fields,
    /// The points of each piece.
    pieces: Vec<Range<usize>>,
}

impl Values {
    /// The values of points in pieces, in a results folder.
    pub fn new(folder: &Path, fields: Fields, pieces: Vec<Range<usize>>) -> Self {
        Self { path: folder.join(NAME), fields, pieces }
    }

    /// The points of each piece.
    pub fn pieces(&self) -> &[Range<usize>] {
        &self.pieces
    }

    /// Size of the file [bytes].
    pub fn bytes(&self) -> u64 {
        self.offset(self.pieces.len())
    }

    fn width(&self) -> usize {
        self.fields.iter().count() * size_of::<f64>()
    }

    fn offset(&self, piece: usize) -> u64 {
        let point =
            self.pieces.get(piece).map_or_else(|| self.pieces.last().map_or(0, |last| last.end), |range| range.start);
        (point * self.width()) as u64
    }

    /// Whether the file exists with its full size.
    pub fn is_begun(&self) -> bool {
        // A link is not followed.
        fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_file() && found.len() == self.bytes())
    }

    /// Creates the file.
    ///
    /// # Errors
    /// A full or failing disk.
    pub fn begin(&self) -> Result<(), Error> {
        let make = || {
            replace_link(&self.path)?;
            let file = File::create(&self.path)?;
            file.set_len(self.bytes())?;
            file.sync_all()
        };
        make().map_err(|error| self.failed(error))
    }

    /// Writes a piece to its place on the disk.
    ///
    /// # Returns
    /// The checksum of its bytes.
    /// # Errors
    /// A full or failing disk, or a removed file.
    pub fn put(&self, piece: usize, gravity: &Gravity) -> Result<u64, Error> {
        let columns: Vec<&[f64]> =
            self.fields.iter().map(|field| gravity.get(field).expect("all fields were requested")).collect();
        let points = self.pieces[piece].len();
        let mut bytes = Vec::with_capacity(points * self.width());
        for point in 0..points {
            columns.iter().for_each(|column| bytes.extend_from_slice(&column[point].to_le_bytes()));
        }
        let put = || {
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            file.seek(SeekFrom::Start(self.offset(piece)))?;
            file.write_all(&bytes)?;
            file.sync_data()
        };
        put().map_err(|error| self.failed(error))?;
        Ok(xxh3_64(&bytes))
    }

    /// The values of all points, field by field, and the pieces with wrong checksums.
    ///
    /// # Arguments
    /// * `checksums` – checksums of all pieces
    /// # Errors
    /// An unreadable file.
    pub fn read(&self, checksums: &[u64]) -> Result<(Vec<Vec<f64>>, Vec<usize>), Error> {
        let points = self.pieces.last().map_or(0, |last| last.end);
        let mut columns: Vec<Vec<f64>> = self.fields.iter().map(|_| Vec::with_capacity(points)).collect();
        let mut damaged = Vec::new();
        let mut read = || {
            let mut file = File::open(&self.path)?;
            for (piece, &checksum) in checksums.iter().enumerate() {
                let mut bytes = vec![0; self.pieces[piece].len() * self.width()];
                file.read_exact(&mut bytes)?;
                if xxh3_64(&bytes) != checksum {
                    damaged.push(piece);
                }
                for row in bytes.chunks_exact(self.width()) {
                    for (column, word) in columns.iter_mut().zip(row.chunks_exact(size_of::<f64>())) {
                        column.push(f64::from_le_bytes(word.try_into().expect("a word has eight bytes")));
                    }
                }
            }
            Ok(())
        };
        read().map_err(|error| self.failed(error))?;
        Ok((columns, damaged))
    }

    /// Removes the file after the results are written.
    pub fn remove(&self) {
        // A remaining file only takes space.
        let _ = fs::remove_file(&self.path);
    }

    fn failed(&self, source: io::Error) -> Error {
        let file = self.path.clone();
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::UnexpectedEof => GravityFailure::LostValues { file }.into(),
            _ => GravityFailure::Values { file, source }.into(),
        }
    }
}
