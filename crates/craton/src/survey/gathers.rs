//! The file of all gathers: every trace has its place from the beginning, and a shot that is done stands where it will stay.
//!
//! Shots are written to a partial file beside the final one, whole and in any order, by any number of processes. When no shot is left, what stands
//! there is compared with the checksums of the journal, and the file gets its name; shots that could not be computed are left out then.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_acquisition::survey::{Shot, Survey, Trace};
use craton_fd::acoustic::AcousticField;
use craton_formats::segy::{BinaryHeader, Geometry, SampleFormat, Scalars, SegyLayout, TextHeader, TraceHeader};
use craton_formats::su::SuLayout;
use craton_formats::{FormatError, Refused};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::config::{GatherFormat, Numbers};
use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, SurveyError};

/// Bytes that are copied and compared at once.
const CHUNK: usize = 1 << 20;

/// Where all traces of a survey stand.
pub struct Gathers {
    layout: Layout,
    text: TextHeader,
    scalars: Scalars,
    heard: AcousticField,
    /// First trace of each shot, and the end.
    first: Vec<u64>,
    /// The file when it is complete.
    path: PathBuf,
    /// The file until then.
    partial: PathBuf,
}

/// The format of the file.
enum Layout {
    Segy(SegyLayout),
    Su(SuLayout),
}

impl Gathers {
    /// The file of a survey in its folder, shots in the order of their numbers.
    ///
    /// # Arguments
    /// * `order` – the shots by their numbers
    /// * `lines` – what the textual header says
    /// # Errors
    /// What the format cannot hold.
    pub fn new(
        setup: &Setup,
        axis: &TimeAxis,
        order: &[usize],
        lines: &[String],
        folder: &Path,
    ) -> Result<Self, Error> {
        let shots = || order.iter().map(|&shot| &setup.survey.shots()[shot]);
        let mut first = vec![0];
        for shot in shots() {
            first.push(first[first.len() - 1] + shot.spread.len() as u64);
        }
        let name = match setup.output.format {
            GatherFormat::Segy => "gathers.segy",
            GatherFormat::Su => "gathers.su",
        };
        let path = folder.join(name);
        let made = || {
            let layout = layout(setup, axis, first[first.len() - 1])?;
            Ok::<_, Refused>((layout, TextHeader::cards(lines)?, scalars(&setup.survey)?))
        };
        let (layout, text, scalars) = made().map_err(|refused| refused.unwritable(&path))?;
        let partial = folder.join(format!("{name}.partial"));
        Ok(Self { layout, text, scalars, heard: setup.heard, first, path, partial })
    }

    /// Names of the files in the folder, as they come and go.
    pub fn names(&self) -> Vec<PathBuf> {
        let name = |path: &Path| path.file_name().map(PathBuf::from);
        [&self.path, &self.partial, &self.shorter()].into_iter().filter_map(|path| name(path)).collect()
    }

    /// Bytes of the whole file.
    pub fn bytes(&self) -> u64 {
        self.offset(self.first.len() - 1)
    }

    /// The complete file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a shot.
    ///
    /// # Arguments
    /// * `piece` – its number in the order of the file
    /// * `traces` – samples of its channels
    /// # Errors
    /// A sample that the format cannot hold.
    pub fn encode(&self, piece: usize, shot: &Shot, traces: &[Vec<f32>]) -> Result<Vec<u8>, FormatError> {
        let size = self.offset(piece + 1) - self.offset(piece);
        let mut bytes = Vec::with_capacity(size as usize);
        for (number, (trace, samples)) in (self.first[piece]..).zip(shot.traces().zip(traces)) {
            let encoded = self.header(shot, &trace, number).and_then(|header| match &self.layout {
                Layout::Segy(layout) => layout.encode_trace(&header, samples, &mut bytes),
                Layout::Su(layout) => layout.encode_trace(&header, samples, &mut bytes),
            });
            encoded.map_err(|refused| refused.unwritable(&self.partial))?;
        }
        Ok(bytes)
    }

    fn header(&self, shot: &Shot, trace: &Trace, number: u64) -> Result<TraceHeader, Refused> {
        let number = number as i32 + 1;
        let mut header = TraceHeader {
            trace_in_line: number,
            trace_in_file: number,
            field_record: shot.number as i32,
            trace_in_record: trace.channel as i32,
            energy_source_point: shot.number as i32,
            trace_id: 1,
            coordinate_units: 1,
            shotpoint: shot.number as i32,
            measurement_unit: if self.heard == AcousticField::Pressure { 1 } else { 6 },
            ..TraceHeader::default()
        };
        header.set_geometry(&geometry(trace), self.scalars)?;
        Ok(header)
    }

    fn offset(&self, piece: usize) -> u64 {
        match &self.layout {
            Layout::Segy(layout) => layout.offset(self.first[piece]),
            Layout::Su(layout) => layout.offset(self.first[piece]),
        }
    }

    fn head(&self) -> Result<Vec<u8>, Error> {
        match &self.layout {
            Layout::Segy(layout) => {
                let head = layout.encode_file_headers(&self.text);
                Ok(head.map_err(|refused| refused.unwritable(&self.partial))?)
            }
            Layout::Su(_) => Ok(Vec::new()),
        }
    }

    /// Whether the complete file is there.
    pub fn is_complete(&self) -> bool {
        self.path.exists()
    }

    /// Whether the partial file is there, with all the places of its traces.
    pub fn is_begun(&self) -> bool {
        fs::metadata(&self.partial).is_ok_and(|found| found.len() == self.bytes())
    }

    /// Makes the partial file, if it is not there.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(&self) -> Result<(), Error> {
        if self.is_begun() {
            return Ok(());
        }
        let make = |head: &[u8]| {
            let mut file = File::create(&self.partial)?;
            file.write_all(head)?;
            file.set_len(self.bytes())?;
            file.sync_all()
        };
        make(&self.head()?).map_err(|error| self.failed(error, &self.partial))
    }

    /// The partial file, to put shots in.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(&self) -> Result<File, Error> {
        let file = OpenOptions::new().read(true).write(true).open(&self.partial);
        file.map_err(|error| self.failed(error, &self.partial))
    }

    /// Puts the bytes of a shot at their place.
    ///
    /// # Errors
    /// A disk that is full, or fails.
    pub fn put(&self, file: &mut File, piece: usize, bytes: &[u8]) -> Result<(), Error> {
        let put = file.seek(SeekFrom::Start(self.offset(piece))).and_then(|_| file.write_all(bytes));
        put.map_err(|error| self.failed(error, &self.partial))
    }

    /// Makes sure that what was put stands on the disk, in the file that is there under its name.
    ///
    /// # Errors
    /// A disk that fails; a file that somebody has removed or cut.
    pub fn flush(&self, file: &File) -> Result<(), Error> {
        file.sync_data().map_err(|error| self.failed(error, &self.partial))?;
        let is_there = self.is_begun() && is_same(file, &self.partial);
        if is_there { Ok(()) } else { Err(SurveyError::LostOutput { file: self.partial.clone() }.into()) }
    }

    /// The shots whose bytes are not those that were put.
    ///
    /// # Arguments
    /// * `done` – number of each shot and the checksum of its bytes
    /// # Errors
    /// A file that cannot be read.
    pub fn damaged(&self, done: &[(usize, u64)]) -> Result<Vec<usize>, Error> {
        let file = self.open()?;
        let mut reader = BufReader::with_capacity(CHUNK, file);
        let mut damaged = Vec::new();
        for &(piece, checksum) in done {
            let found = self.checksum(&mut reader, piece).map_err(|error| self.failed(error, &self.partial))?;
            if found != checksum {
                damaged.push(piece);
            }
        }
        Ok(damaged)
    }

    fn checksum(&self, reader: &mut BufReader<File>, piece: usize) -> io::Result<u64> {
        let mut hash = Xxh3::new();
        self.read(reader, piece, |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        Ok(hash.digest())
    }

    /// Gives the bytes of a shot, some at a time.
    fn read(
        &self,
        reader: &mut BufReader<File>,
        piece: usize,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        reader.seek(SeekFrom::Start(self.offset(piece)))?;
        let mut left = (self.offset(piece + 1) - self.offset(piece)) as usize;
        let mut bytes = vec![0; CHUNK.min(left)];
        while left > 0 {
            let now = left.min(CHUNK);
            reader.read_exact(&mut bytes[..now])?;
            take(&bytes[..now])?;
            left -= now;
        }
        Ok(())
    }

    /// Gives the file its name; shots that are missing are left out, and the traces behind them move up.
    ///
    /// # Arguments
    /// * `missing` – numbers of the shots that could not be computed, rising
    /// # Errors
    /// A disk that is full, or fails; nothing but missing shots.
    pub fn finish(&self, missing: &[usize]) -> Result<(), Error> {
        let finished = match missing {
            [] => fs::rename(&self.partial, &self.path),
            _ => self.without(missing).inspect_err(|_| {
                // What is left of it takes room.
                let _ = fs::remove_file(self.shorter());
            }),
        };
        finished.map_err(|error| self.failed(error, &self.path))
    }

    fn without(&self, missing: &[usize]) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(CHUNK, File::open(&self.partial)?);
        let shorter = self.shorter();
        let mut writer = BufWriter::with_capacity(CHUNK, File::create(&shorter)?);
        let head = self.offset(0) as usize;
        let mut bytes = vec![0; head];
        reader.read_exact(&mut bytes)?;
        writer.write_all(&bytes)?;
        let mut number = 0;
        for piece in (0..self.first.len() - 1).filter(|piece| missing.binary_search(piece).is_err()) {
            reader.seek(SeekFrom::Start(self.offset(piece)))?;
            for _ in self.first[piece]..self.first[piece + 1] {
                number += 1;
                self.renumber(&mut reader, &mut writer, number)?;
            }
        }
        writer.into_inner()?.sync_all()?;
        fs::rename(&shorter, &self.path)?;
        // The file is complete; that the old one stays takes room and nothing else.
        let _ = fs::remove_file(&self.partial);
        Ok(())
    }

    /// The file without the shots that are missing, until it is complete.
    fn shorter(&self) -> PathBuf {
        self.partial.with_extension("shorter")
    }

    /// Copies a trace, which has another number in its line and its file.
    fn renumber(&self, reader: &mut impl Read, writer: &mut impl Write, number: i32) -> io::Result<()> {
        let (size, number) = match &self.layout {
            Layout::Segy(layout) => (layout.trace_bytes(), number.to_be_bytes()),
            Layout::Su(layout) => (layout.trace_bytes(), number.to_le_bytes()),
        };
        let mut bytes = vec![0; size as usize];
        reader.read_exact(&mut bytes)?;
        bytes[..4].copy_from_slice(&number);
        bytes[4..8].copy_from_slice(&number);
        writer.write_all(&bytes)
    }

    fn failed(&self, error: io::Error, path: &Path) -> Error {
        let is_lost = error.kind() == ErrorKind::NotFound && path == self.partial;
        let error = match is_lost {
            true => SurveyError::LostOutput { file: path.to_owned() },
            false => SurveyError::Gathers { file: path.to_owned(), source: error },
        };
        error.into()
    }
}

/// The checksum of the bytes of a shot, as the journal keeps it.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

fn layout(setup: &Setup, axis: &TimeAxis, traces: u64) -> Result<Layout, Refused> {
    if setup.output.format == GatherFormat::Su {
        return Ok(Layout::Su(SuLayout::new(axis.interval, axis.samples)?));
    }
    let format = match setup.output.samples {
        Numbers::Ieee => SampleFormat::Ieee,
        Numbers::Ibm => SampleFormat::Ibm,
    };
    let longest = setup.survey.shots().iter().map(|shot| shot.spread.len()).max().unwrap_or(0);
    let mut binary = BinaryHeader::new(axis.interval, axis.samples, format)?;
    binary.traces_per_ensemble = i16::try_from(longest).unwrap_or(0);
    // An increase of pressure, and an upward motion, is a positive number.
    binary.impulse_polarity = 2;
    Ok(Layout::Segy(SegyLayout::new(binary, traces)?))
}

fn scalars(survey: &Survey) -> Result<Scalars, Refused> {
    Scalars::best(|| survey.shots().iter().flat_map(|shot| shot.traces().map(|trace| geometry(&trace))))
}

/// What trace headers say of a trace: depths and elevations are those from z = 0.
fn geometry(trace: &Trace) -> Geometry {
    let [sx, sy, sz] = trace.source;
    let [rx, ry, rz] = trace.receiver;
    Geometry {
        source: [sx, sy],
        receiver: [rx, ry],
        cdp: trace.midpoint(),
        source_depth: -sz,
        receiver_elevation: rz,
        ..Geometry::default()
    }
}

/// Whether an open file is the one that stands under a name.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let both = file.metadata().and_then(|open| Ok((open, fs::metadata(path)?)));
    both.is_ok_and(|(open, named)| (open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Whether an open file is the one that stands under a name: other systems keep the name of a file that is open.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
