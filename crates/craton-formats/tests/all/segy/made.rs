//! Files in either byte order, built byte by byte.

use std::fs;
use std::path::PathBuf;

use craton_formats::segy::{SegyReader, Trace};
use craton_formats::{ByteOrder, Result};
use tempfile::TempDir;

/// Bytes of the standard trace header, and of additional ones.
const TRACE_HEADER: usize = 240;

/// A file under construction.
#[derive(Clone)]
pub struct Made {
    order: ByteOrder,
    pub bytes: Vec<u8>,
}

impl Made {
    /// The headers of a file with `samples` samples per trace every 2000 us, in a sample format.
    pub fn new(order: ByteOrder, format: i16, samples: u16) -> Self {
        let mut made = Self { order, bytes: vec![0; 3600] };
        made.put(3217, &2000_u16.to_be_bytes());
        made.put(3221, &samples.to_be_bytes());
        made.put(3225, &format.to_be_bytes());
        made
    }

    /// As [`Self::new`], of revision 2.0 with the constant for the byte order.
    pub fn revision_2(order: ByteOrder, format: i16, samples: u16) -> Self {
        let mut made = Self::new(order, format, samples);
        made.put(3297, &0x0102_0304_u32.to_be_bytes());
        made.bytes[3500] = 2;
        made
    }

    /// Stores a number, given big-endian, at a byte in the numbering of the standard.
    pub fn put(&mut self, at: usize, number: &[u8]) -> &mut Self {
        let word = self.word(number);
        self.bytes[at - 1..at - 1 + word.len()].copy_from_slice(&word);
        self
    }

    /// Stores a number in the header of the trace that was added last.
    ///
    /// # Arguments
    /// * `at` – its byte in the numbering of the standard; additional headers follow from byte 241
    /// * `trace_bytes` – size of the trace
    pub fn put_in_last(&mut self, trace_bytes: usize, at: usize, number: &[u8]) -> &mut Self {
        let start = self.bytes.len() - trace_bytes;
        self.put(start + at, number)
    }

    /// Adds a trace with `headers` headers, and samples that are given big-endian.
    pub fn trace(&mut self, headers: usize, samples: &[&[u8]]) -> &mut Self {
        self.bytes.resize(self.bytes.len() + headers * TRACE_HEADER, 0);
        for sample in samples {
            let word = self.word(sample);
            self.bytes.extend(word);
        }
        self
    }

    /// Writes the file.
    pub fn written(&self) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.sgy");
        fs::write(&path, &self.bytes).unwrap();
        (folder, path)
    }

    /// Writes the file and opens it.
    pub fn open(&self) -> Result<SegyReader> {
        let (_folder, path) = self.written();
        SegyReader::open(&path)
    }

    /// Writes the file and reads all traces.
    pub fn traces(&self) -> Result<Vec<Trace>> {
        self.open()?.traces.iter().collect()
    }

    fn word(&self, number: &[u8]) -> Vec<u8> {
        let mut word = number.to_vec();
        if self.order == ByteOrder::Little {
            word.reverse();
        }
        word
    }
}
