//! Files of a gradient: those of the shots while it is computed, and the results.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use craton_acquisition::survey::Shot;
use craton_formats::atomic::{replace_link, write_with};
use craton_formats::rsf;
use craton_formats::volume::{Axis, Volume};
use craton_run::OutputDirectory;

use super::{MisfitAndGradient, ModelGradient, SurveyGradient};
use crate::config::{ByteOrder, VolumeFile, VolumeFormat};
use crate::error::{Error, SurveyError};
use crate::sampled::{FileAxis, Sampled, format_of};
use crate::survey::gathers::checksum;
use crate::survey::shot_files::ShotFiles;
use crate::survey::shots::Shots;

/// The gradients of the shots, in fixed places, until they are summed.
pub struct ShotGradients {
    path: PathBuf,
    shots: usize,
    /// Points of speed and density.
    sizes: [usize; 2],
}

impl ShotGradients {
    /// Name of the file.
    pub const NAME: &'static str = "gradients.partial";

    /// The file in a folder.
    ///
    /// # Arguments
    /// * `like` – a gradient of the model
    pub fn new(folder: &Path, shots: usize, like: &ModelGradient) -> Self {
        Self { path: folder.join(Self::NAME), shots, sizes: [like.velocity.len(), like.density.len()] }
    }

    /// Size of the file [bytes].
    pub fn bytes(&self) -> u64 {
        (self.shots * self.bytes_of_shot()) as u64
    }

    fn bytes_of_shot(&self) -> usize {
        size_of::<f64>() * (1 + self.sizes.iter().sum::<usize>())
    }

    /// Whether the file exists in full size.
    pub fn is_begun(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_file() && found.len() == self.bytes())
    }

    /// Creates the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(&self) -> Result<(), Error> {
        let make = || {
            replace_link(&self.path)?;
            let file = File::create(&self.path)?;
            file.set_len(self.bytes())?;
            file.sync_all()
        };
        make().map_err(|error| self.failed(error))
    }

    /// Sums the gradients of all shots in their order; the shots with wrong checksums instead if there are any.
    ///
    /// # Arguments
    /// * `done` – index and checksum of each shot, in ascending order
    /// * `numbers` – numbers of the shots
    /// # Errors
    /// An unreadable file.
    pub fn sum(&self, done: &[(usize, u64)], numbers: &[u32]) -> Result<Result<SurveyGradient, Vec<usize>>, Error> {
        let mut file = File::open(&self.path).map_err(|error| self.failed(error))?;
        let [velocity, density] = self.sizes.map(|count| vec![0.0; count]);
        let mut found = SurveyGradient {
            misfits: Vec::new(),
            total: MisfitAndGradient { misfit: 0.0, gradient: ModelGradient { velocity, density } },
        };
        let (mut bytes, mut damaged) = (vec![0; self.bytes_of_shot()], Vec::new());
        for &(piece, expected) in done {
            let read =
                file.seek(SeekFrom::Start((piece * bytes.len()) as u64)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|error| self.failed(error))?;
            if checksum(&bytes) != expected {
                damaged.push(piece);
                continue;
            }
            let values = bytes.as_chunks().0.iter().map(|&value| f64::from_le_bytes(value));
            let mut values = values.collect::<Vec<f64>>().into_iter();
            let misfit = values.next().unwrap_or(0.0);
            let velocity = values.by_ref().take(self.sizes[0]).collect();
            found.misfits.push((numbers[piece], misfit));
            found.total.misfit += misfit;
            found.total.gradient.add(&ModelGradient { velocity, density: values.collect() });
        }
        Ok(if damaged.is_empty() { Ok(found) } else { Err(damaged) })
    }

    /// Removes the file, if another process has not removed it.
    ///
    /// # Errors
    /// A folder without write permission.
    pub fn remove(&self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(error)),
            _ => Ok(()),
        }
    }

    fn failed(&self, source: io::Error) -> Error {
        SurveyError::Gathers { file: self.path.clone(), source }.into()
    }
}

impl ShotFiles<MisfitAndGradient> for ShotGradients {
    fn encode(&self, _: usize, _: &Shot, result: MisfitAndGradient, _: &Shots) -> Result<Vec<u8>, Error> {
        let MisfitAndGradient { misfit, gradient: ModelGradient { velocity, density } } = result;
        let values = [misfit].into_iter().chain(velocity).chain(density);
        Ok(values.flat_map(f64::to_le_bytes).collect())
    }

    fn open(&self) -> Result<Vec<File>, Error> {
        let file = OpenOptions::new().read(true).write(true).open(&self.path);
        Ok(vec![file.map_err(|error| self.failed(error))?])
    }

    fn put(&self, files: &mut [File], piece: usize, bytes: &[u8]) -> Result<(), Error> {
        let place = SeekFrom::Start((piece * bytes.len()) as u64);
        files[0].seek(place).and_then(|_| files[0].write_all(bytes)).map_err(|error| self.failed(error))
    }

    fn flush(&self, files: &[File]) -> Result<(), Error> {
        files[0].sync_data().map_err(|error| self.failed(error))?;
        match self.is_begun() {
            true => Ok(()),
            false => Err(SurveyError::LostOutput { file: self.path.clone() }.into()),
        }
    }
}

/// Writes a gradient on the points of a file of the model: raw values for a raw model, otherwise RSF. Returns the name of the file.
///
/// # Arguments
/// * `name` – name without suffix
/// * `of` – configuration and values of the file of the model
/// # Errors
/// A file that cannot be written.
pub fn write(
    folder: &OutputDirectory,
    name: &str,
    (file, sampled): (&VolumeFile, &Sampled),
    gradient: &[f64],
) -> Result<String, Error> {
    let (axes, values) = sampled.like_file(gradient);
    let is_raw = format_of(file) == VolumeFormat::Raw && file.shape.is_some();
    let name = format!("{name}.{}", if is_raw { "bin" } else { "rsf" });
    let path = folder.file(&name)?;
    if is_raw {
        let bytes = |value: &f64| match file.byte_order {
            ByteOrder::Little => (*value as f32).to_le_bytes(),
            ByteOrder::Big => (*value as f32).to_be_bytes(),
        };
        let written = write_with(&path, |out| values.iter().try_for_each(|value| out.write_all(&bytes(value))));
        written?;
        return Ok(name);
    }
    let axis = |&(axis, (first, spacing, count)): &FileAxis| match axis {
        // An axis that descends in z is one of depth.
        2 if spacing < 0.0 => Axis::new(count, 0.0 - first, -spacing).named("depth", "m"),
        2 => Axis::new(count, first, spacing).named("height", "m"),
        axis => Axis::new(count, first, spacing).named(["x", "y"][axis], "m"),
    };
    let values = values.into_iter().map(|value| value as f32).collect();
    let volume = Volume::new(axes.iter().map(axis).collect(), values).map_err(|refused| refused.unwritable(&path))?;
    folder.file(format!("{name}@"))?;
    rsf::write(&path, &volume)?;
    Ok(name)
}

/// Writes the misfit of each shot as a table. Returns its name.
///
/// # Errors
/// A file that cannot be written.
pub fn write_misfits(folder: &OutputDirectory, misfits: &[(u32, f64)]) -> Result<String, Error> {
    let name = "misfits.csv".to_owned();
    write_with(&folder.file(&name)?, |out| {
        writeln!(out, "shot,misfit")?;
        misfits.iter().try_for_each(|(shot, misfit)| writeln!(out, "{shot},{misfit:e}"))
    })?;
    Ok(name)
}
