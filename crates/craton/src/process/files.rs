//! Files of seismograms: which ones are processed, and what of a file goes into the one that is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use craton_acquisition::Quantity;
use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_run::OutputDirectory;

use super::plan::Axis;
use crate::config::SeismogramFormat;
use crate::error::{Error, ProcessError};
use crate::traces::{self, FOLDER, Situation, Trace, TraceName, file_name, files_of, form_of, of_sac, read_one};

/// What a trace is called, where and when it was recorded: all but its samples.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    /// The file it was read from.
    pub file: PathBuf,
    /// The form it is written in.
    pub form: SeismogramFormat,
    /// What it is called.
    pub name: TraceName,
    /// What was recorded, by its name or its header.
    pub quantity: Option<Quantity>,
    /// Its times.
    pub axis: Axis,
    /// Where it was recorded in the model [m].
    pub position: Option<[f64; 3]>,
    /// Direction from the station to the event, clockwise from north [degrees].
    pub back_azimuth: Option<f64>,
    /// Direction of a component that was turned, clockwise from north [degrees].
    pub azimuth: Option<f64>,
}

/// A trace with all that its file says.
#[derive(Debug)]
pub(super) struct Record {
    /// All but the samples.
    pub outline: Outline,
    /// The samples.
    pub samples: Vec<f64>,
    offset: Option<f64>,
    /// The header of a SAC file, without samples.
    header: Option<SacTrace>,
}

/// The files to be processed: of a folder all seismograms, of which each is taken once where all are brought into one form.
///
/// # Errors
/// Nothing named, a folder that cannot be read or holds no seismogram.
pub(super) fn find(inputs: &[PathBuf], format: Option<SeismogramFormat>) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for input in inputs {
        if input.is_file() {
            if form_of(input) == Some(SeismogramFormat::Miniseed) {
                return Err(ProcessError::ManyTraces { file: input.clone() }.into());
            }
            found.push(input.clone());
            continue;
        }
        let mut files = files_of(input)?;
        let of_stations = files.iter().position(|(_, form)| *form == SeismogramFormat::Miniseed);
        let of_stations = of_stations.map(|index| files[index].0.clone());
        files.retain(|(_, form)| *form != SeismogramFormat::Miniseed);
        if let Some(file) = of_stations.filter(|_| files.is_empty()) {
            return Err(ProcessError::ManyTraces { file }.into());
        }
        let Some(format) = format else {
            found.extend(files.into_iter().map(|(file, _)| file));
            continue;
        };
        // What has the form already, then what says most.
        let rank = |form| (form != format, form != SeismogramFormat::Sac, form != SeismogramFormat::Text);
        let mut best = BTreeMap::new();
        for (file, form) in files {
            let known = best.entry(TraceName::of_file(&file)).or_insert_with(|| (rank(form), file.clone()));
            if rank(form) < known.0 {
                *known = (rank(form), file);
            }
        }
        found.extend(best.into_values().map(|(_, file)| file));
    }
    if found.is_empty() { Err(ProcessError::NoFiles.into()) } else { Ok(found) }
}

/// Refuses a folder that results would be mixed with or lost to.
///
/// # Errors
/// The folder that the seismograms come from, one of results, one that holds anything unless files may be replaced.
pub(super) fn check_output(output: &Path, inputs: &[PathBuf], files: &[PathBuf], overwrite: bool) -> Result<(), Error> {
    if let Ok(there) = output.canonicalize() {
        let folder_of = |file: &PathBuf| match file.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let folders: BTreeSet<PathBuf> = files.iter().map(folder_of).chain(inputs.iter().cloned()).collect();
        if folders.iter().any(|folder| folder.canonicalize().is_ok_and(|folder| folder == there)) {
            return Err(ProcessError::OutputIsInput { folder: output.to_owned() }.into());
        }
        if there.join(FOLDER).is_dir() {
            return Err(ProcessError::ResultsFolder { folder: output.to_owned(), seismograms: FOLDER }.into());
        }
    }
    Ok(OutputDirectory::check(output, overwrite)?)
}

impl Record {
    /// Reads a trace, to be written in a form or in its own.
    ///
    /// # Errors
    /// A file that cannot be read or is no trace.
    pub fn read(file: &Path, format: Option<SeismogramFormat>) -> Result<Self, Error> {
        let own_form = form_of(file).unwrap_or(SeismogramFormat::Text);
        let (trace, header) = if own_form == SeismogramFormat::Sac {
            let mut header = sac::read(file)?;
            let trace = of_sac(TraceName::of_file(file), &header);
            header.samples = Vec::new();
            (trace, Some(header))
        } else {
            (read_one(file)?, None)
        };
        let outline = Outline {
            file: file.to_owned(),
            form: format.unwrap_or(own_form),
            quantity: trace.name.quantity.or_else(|| quantity_of(header.as_ref()?.quantity)),
            axis: Axis { start: trace.start, dt: trace.dt, count: trace.samples.len() },
            position: trace.position,
            back_azimuth: header.as_ref().and_then(|header| header.back_azimuth),
            azimuth: None,
            name: trace.name,
        };
        Ok(Self { outline, samples: trace.samples, offset: trace.offset, header })
    }

    /// Writes the trace into a folder, whole or not at all.
    ///
    /// # Errors
    /// A folder that cannot be written to, a sample that the form cannot hold.
    pub fn write(self, folder: &Path) -> Result<(), Error> {
        let Self { outline, samples, offset, header } = self;
        let trace = Trace { offset, ..outline.trace(samples) };
        match header {
            Some(header) if outline.form == SeismogramFormat::Sac => {
                let file = folder.join(outline.file_name()?);
                sac::write(&file, &outline.header(header, &trace))?;
            }
            _ => {
                traces::write(folder, &[trace], outline.form)?;
            }
        }
        Ok(())
    }
}

impl Outline {
    /// Name of the file that is written.
    ///
    /// # Errors
    /// A form that has no name for the quantity.
    pub fn file_name(&self) -> Result<String, ProcessError> {
        // A file of miniSEED holds all components of a station, and here each trace is worked on alone.
        let is_alone = self.form != SeismogramFormat::Miniseed;
        let name = file_name(&self.trace(Vec::new()), self.form).filter(|_| is_alone);
        name.ok_or_else(|| ProcessError::NoForm { file: self.file.clone(), quantity: self.quantity_word() })
    }

    /// The quantity in words.
    pub fn quantity_word(&self) -> &'static str {
        self.quantity.map_or("a quantity that its name does not tell", traces::word_of)
    }

    /// Gives the trace another quantity, in its name where that has one.
    pub fn set_quantity(&mut self, quantity: Quantity) {
        self.quantity = Some(quantity);
        self.name.quantity = self.name.quantity.map(|_| quantity);
    }

    /// The trace with samples.
    fn trace(&self, samples: Vec<f64>) -> Trace {
        Trace {
            name: self.name.clone(),
            start: self.axis.start,
            dt: self.axis.dt,
            samples,
            position: self.position,
            offset: None,
            situation: Situation::default(),
        }
    }

    /// The header as it was read, but for what has changed.
    fn header(&self, header: SacTrace, trace: &Trace) -> SacTrace {
        let mut new = SacTrace {
            begin: trace.start,
            delta: trace.dt,
            samples: trace.samples.iter().map(|&sample| sample as f32).collect(),
            back_azimuth: self.back_azimuth,
            ..header
        };
        if let Some(quantity) = self.quantity {
            let before = quantity_of(new.quantity);
            // A unit that is none of ours is somebody's own text.
            if before.is_some_and(|before| before != quantity && new.unit == before.unit()) {
                new.unit = quantity.unit().to_owned();
            }
            new.quantity = match quantity {
                Quantity::Displacement => SacQuantity::Displacement,
                Quantity::Velocity => SacQuantity::Velocity,
                Quantity::Acceleration => SacQuantity::Acceleration,
                Quantity::Strain | Quantity::Pressure => new.quantity,
            };
        }
        if let Some(azimuth) = self.azimuth {
            (new.azimuth, new.inclination) = (Some(azimuth), Some(90.0));
            new.component = self.name.component.clone();
        }
        new
    }
}

fn quantity_of(quantity: SacQuantity) -> Option<Quantity> {
    match quantity {
        SacQuantity::Displacement => Some(Quantity::Displacement),
        SacQuantity::Velocity => Some(Quantity::Velocity),
        SacQuantity::Acceleration => Some(Quantity::Acceleration),
        SacQuantity::Other => None,
    }
}
