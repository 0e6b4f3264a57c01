//! Fields of gravity on their way to the results: a file in which every piece of the points has its place.
//!
//! Any number of processes put pieces there, whole and in any order; whoever finds all of them writes the results, and removes the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use craton_gravity::{Fields, Gravity};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, GravityFailure};

/// Name of the file in the results folder.
pub const NAME: &str = "gravity.values";

/// Where the values of all points stand, until they are results.
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

    /// Bytes of the file.
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

    /// Whether the file is there, with all its places.
    pub fn is_begun(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|found| found.len() == self.bytes())
    }

    /// Makes the file.
    ///
    /// # Errors
    /// A disk that is full, or fails.
    pub fn begin(&self) -> Result<(), Error> {
        let make = || {
            let file = File::create(&self.path)?;
            file.set_len(self.bytes())?;
            file.sync_all()
        };
        make().map_err(|error| self.failed(error))
    }

    /// Puts a piece at its place, on the disk.
    ///
    /// # Returns
    /// The checksum of its bytes.
    /// # Errors
    /// A disk that is full, or fails; a file that somebody has removed.
    pub fn put(&self, piece: usize, gravity: &Gravity) -> Result<u64, Error> {
        let columns: Vec<&[f64]> =
            self.fields.iter().map(|field| gravity.get(field).expect("all fields were asked for")).collect();
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

    /// The values of all points, field by field, and the pieces whose bytes are not those that were put.
    ///
    /// # Arguments
    /// * `checksums` – of all pieces
    /// # Errors
    /// A file that cannot be read.
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

    /// Removes the file, when the results are written.
    pub fn remove(&self) {
        // That it stays takes room and nothing else.
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
