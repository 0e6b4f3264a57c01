//! Files into which workers write the results of shots.

use std::fs::File;

use craton_acquisition::survey::Shot;

use super::config::Quantity;
use super::gathers::Gathers;
use super::shots::{Recording, Shots};
use crate::error::Error;

/// Files with fixed places for the results of shots.
pub trait ShotFiles<R>: Sync {
    /// The bytes of a shot in all files.
    ///
    /// # Arguments
    /// * `piece` – its index in the files
    /// # Errors
    /// A result that the format does not support.
    fn encode(&self, piece: usize, shot: &Shot, result: R, shots: &Shots) -> Result<Vec<u8>, Error>;

    /// Opens the files for writing shots.
    ///
    /// # Errors
    /// A file that cannot be opened.
    fn open(&self) -> Result<Vec<File>, Error>;

    /// Writes the bytes of a shot to their places.
    ///
    /// # Errors
    /// A full or failing disk.
    fn put(&self, files: &mut [File], piece: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Flushes all written data to the disk, to the files with the expected names.
    ///
    /// # Errors
    /// A failing disk, or a removed or truncated file.
    fn flush(&self, files: &[File]) -> Result<(), Error>;
}

/// Traces made from recordings.
impl ShotFiles<Recording> for Gathers {
    fn encode(&self, piece: usize, shot: &Shot, recording: Recording, shots: &Shots) -> Result<Vec<u8>, Error> {
        let (channels, quantities) = (shot.spread.len(), shots.quantities);
        let traces = |(number, quantity): (usize, &Quantity)| {
            let own = number * channels..(number + 1) * channels;
            shots.clock.traces((&recording, quantities.len() * channels), own, quantity.is_velocity())
        };
        let traces = quantities.iter().enumerate().map(traces).collect::<Result<Vec<_>, _>>()?;
        Ok(Gathers::encode(self, piece, shot, &traces)?)
    }

    fn open(&self) -> Result<Vec<File>, Error> {
        Gathers::open(self)
    }

    fn put(&self, files: &mut [File], piece: usize, bytes: &[u8]) -> Result<(), Error> {
        Gathers::put(self, files, piece, bytes)
    }

    fn flush(&self, files: &[File]) -> Result<(), Error> {
        Gathers::flush(self, files)
    }
}
