//! Seismogram files: selection of the inputs, and metadata of the outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use craton_acquisition::Quantity;
use craton_formats::Refused;
use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_run::OutputDirectory;

use super::plan::Axis;
use crate::config::SeismogramFormat;
use crate::error::{Error, ProcessError};
use crate::traces::{
    self, FOLDER, Situation, Trace, TraceName, channel_after, file_name, files_of, form_of, of_sac, read_file, read_one,
};

/// The metadata of a trace: everything except its samples.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    /// The file it was read from.
    pub file: PathBuf,
    /// Index of the trace in that file.
    pub number: usize,
    /// Output format.
    pub form: SeismogramFormat,
    /// Name.
    pub name: TraceName,
    /// Recorded quantity, from the name or the header.
    pub quantity: Option<Quantity>,
    /// Times.
    pub axis: Axis,
    /// Position of the receiver in the model [m].
    pub position: Option<[f64; 3]>,
    /// Horizontal distance from the event or the first source [m].
    pub offset: Option<f64>,
    /// Station and event from the header.
    pub situation: Situation,
    /// Direction from the station to the event, clockwise from north [degrees].
    pub back_azimuth: Option<f64>,
    /// Azimuth of a rotated component, clockwise from north [degrees].
    pub azimuth: Option<f64>,
}

/// A trace with all metadata of its file.
#[derive(Debug)]
pub(super) struct Record {
    /// The metadata.
    pub outline: Outline,
    /// The samples.
    pub samples: Vec<f64>,
    /// The header of a SAC file, without samples.
    pub header: Option<SacTrace>,
}

/// The input files: of a folder all seismograms; with a common output format each trace only once.
///
/// # Errors
/// No input, an unreadable folder, or a folder without seismograms.
pub(super) fn find(inputs: &[PathBuf], format: Option<SeismogramFormat>) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for input in inputs {
        if input.is_file() {
            found.push(input.clone());
            continue;
        }
        let mut best = BTreeMap::new();
        for (file, form) in files_of(input)? {
            let Some(requested) = format.filter(|_| form != SeismogramFormat::Miniseed) else {
                found.push(file);
                continue;
            };
            let known = best.entry(TraceName::of_file(&file)).or_insert_with(|| (rank(form, requested), file.clone()));
            if rank(form, requested) < known.0 {
                *known = (rank(form, requested), file);
            }
        }
        found.extend(best.into_values().map(|(_, file)| file));
    }
    if found.is_empty() { Err(ProcessError::NoFiles.into()) } else { Ok(found) }
}

/// Rank of a format: the requested one first, then in descending order of metadata.
fn rank(form: SeismogramFormat, requested: SeismogramFormat) -> u8 {
    match form {
        form if form == requested => 0,
        SeismogramFormat::Sac => 1,
        SeismogramFormat::Text => 2,
        SeismogramFormat::Specfem => 3,
        SeismogramFormat::Miniseed => 4,
    }
}

/// Selects each trace of a folder once: with a common output format, from the file with the nearest format; otherwise
/// from miniSEED, which has the least metadata, only if no other format has it. Explicitly named files remain.
pub(super) fn each_once(outlines: Vec<Outline>, named: &[PathBuf], format: Option<SeismogramFormat>) -> Vec<Outline> {
    let rank = |outline: &Outline| match (form_of_input(&outline.file), format) {
        (form, Some(requested)) => rank(form, requested),
        (form, None) => u8::from(form == SeismogramFormat::Miniseed),
    };
    let mut traces: BTreeMap<_, Vec<&Outline>> = BTreeMap::new();
    for outline in &outlines {
        traces.entry((outline.file.parent(), &outline.name)).or_default().push(outline);
    }
    let is_nearest = |outline: &Outline| {
        let of_name = &traces[&(outline.file.parent(), &outline.name)];
        !of_name.iter().any(|other| rank(other) < rank(outline) && outline.has_the_times_of(other))
    };
    let kept: Vec<bool> = outlines.iter().map(|one| named.contains(&one.file) || is_nearest(one)).collect();
    outlines.into_iter().zip(kept).filter_map(|(outline, kept)| kept.then_some(outline)).collect()
}

impl Outline {
    /// Whether two traces have the same sample times, as far as their files define them.
    fn has_the_times_of(&self, other: &Self) -> bool {
        let (own, its) = (self.axis, other.axis);
        let first = |outline: &Self| outline.situation.zero.map(|zero| zero.later_by(outline.axis.start));
        let begins_elsewhere =
            first(self).zip(first(other)).is_some_and(|(a, b)| a.seconds_after(&b).abs() > 0.5 * own.dt);
        own.count == its.count && (own.dt - its.dt).abs() <= 1e-5 * its.dt && !begins_elsewhere
    }
}

/// Gives traces of formats with only dates a common time zero at a full second.
pub(super) fn settle_dates(outlines: &mut [Outline]) {
    let times = outlines.iter_mut().map(|outline| (&mut outline.situation, &mut outline.axis.start));
    traces::count_from_one_second(times.collect());
}

/// The format of a file by its extension; text for unknown extensions.
pub(super) fn form_of_input(file: &Path) -> SeismogramFormat {
    form_of(file).unwrap_or(SeismogramFormat::Text)
}

/// Rejects an output folder in which results would mix with others.
///
/// # Errors
/// The input folder, a results folder, or a folder with contents unless files may be replaced.
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
    /// Reads the traces of a file, for output in a given format or in its own.
    ///
    /// # Errors
    /// A file that is unreadable or not a trace, or a channel with gaps.
    pub fn read(file: &Path, format: Option<SeismogramFormat>) -> Result<Vec<Self>, Error> {
        let own_form = form_of_input(file);
        let mut header = None;
        let traces = match own_form {
            SeismogramFormat::Sac => {
                let read = sac::read(file)?;
                let trace = of_sac(TraceName::of_file(file), &read);
                header = Some(SacTrace { samples: Vec::new(), ..read });
                vec![trace]
            }
            SeismogramFormat::Miniseed => read_file(file)?,
            SeismogramFormat::Text | SeismogramFormat::Specfem => vec![read_one(file)?],
        };
        let form = format.unwrap_or(own_form);
        let record = |(number, trace): (usize, Trace)| {
            let header = header.clone();
            let of_header = header.as_ref().and_then(|header| quantity_of(header.quantity));
            let back_azimuth = match &header {
                Some(header) => header.back_azimuth,
                None => trace.situation.way.map(|way| way.back_azimuth),
            };
            let outline = Outline {
                file: file.to_owned(),
                number,
                form,
                quantity: trace.name.quantity.or(of_header),
                axis: Axis { start: trace.start, dt: trace.dt, count: trace.samples.len() },
                position: trace.position,
                offset: trace.offset,
                back_azimuth,
                azimuth: None,
                situation: trace.situation,
                name: trace.name,
            };
            Self { outline, samples: trace.samples, header }
        };
        Ok(traces.into_iter().enumerate().map(record).collect())
    }

    /// Writes traces to a folder, each file atomically; traces that share a file must all be given.
    ///
    /// # Errors
    /// A folder without write permission, or a sample that the format does not support.
    pub fn write_all(records: Vec<Self>, folder: &Path) -> Result<(), Error> {
        records.iter().try_for_each(Self::check_samples)?;
        let is_shared = |record: &Self| record.outline.form == SeismogramFormat::Miniseed;
        let (sharing, alone): (Vec<Self>, Vec<Self>) = records.into_iter().partition(is_shared);
        let mut sharing: Vec<Trace> = sharing.into_iter().map(|record| record.outline.trace(record.samples)).collect();
        sharing.sort_by_key(|trace| file_name(trace, SeismogramFormat::Miniseed));
        traces::write(folder, &sharing, SeismogramFormat::Miniseed)?;
        alone.into_iter().try_for_each(|record| record.write(folder))
    }

    /// Rejects samples that the output format cannot store.
    fn check_samples(&self) -> Result<(), ProcessError> {
        let Self { outline, samples, .. } = self;
        let (is_storable, allowed): (fn(f64) -> bool, _) = match outline.form {
            SeismogramFormat::Text | SeismogramFormat::Specfem => (f64::is_finite, "finite numbers"),
            SeismogramFormat::Sac | SeismogramFormat::Miniseed => {
                (|sample| (sample as f32).is_finite(), "finite numbers up to 3.4e38 in magnitude")
            }
        };
        match samples.iter().position(|&sample| !is_storable(sample)) {
            Some(sample) => {
                let (file, value) = (outline.file.clone(), samples[sample]);
                Err(ProcessError::NotStorable { file, sample, value, allowed })
            }
            None => Ok(()),
        }
    }

    fn write(self, folder: &Path) -> Result<(), Error> {
        let Self { outline, samples, header } = self;
        let mut trace = outline.trace(samples);
        match header {
            Some(header) if outline.form == SeismogramFormat::Sac => {
                let file = folder.join(outline.file_name()?);
                sac::write(&file, &outline.header(header, &trace))?;
            }
            _ => {
                // SAC has few digits for times long after their reference.
                if outline.form == SeismogramFormat::Sac {
                    traces::count_from_own_second(&mut trace.situation, &mut trace.start);
                }
                traces::write(folder, &[trace], outline.form)?;
            }
        }
        Ok(())
    }
}

impl Outline {
    /// Name of the output file.
    ///
    /// # Errors
    /// A code that may not be part of a file name; a format without a name for the quantity.
    pub fn file_name(&self) -> Result<String, ProcessError> {
        let lacks = if self.form == SeismogramFormat::Miniseed {
            "miniSEED has no channel"
        } else {
            "SPECFEM has no file name"
        };
        self.name.check().map_err(|Refused { what, value, expected }| {
            let file = self.file.clone();
            ProcessError::BadCode { file, what, value, expected }
        })?;
        let name = file_name(&self.trace(Vec::new()), self.form);
        name.ok_or_else(|| ProcessError::NoForm { file: self.file.clone(), lacks, quantity: self.quantity_word() })
    }

    /// Identity of an output trace: the file, and the channel if the file has several.
    ///
    /// # Errors
    /// A format without a name for the quantity; codes or a date that miniSEED does not support.
    pub fn target(&self) -> Result<String, ProcessError> {
        let file = self.file_name()?;
        if self.form != SeismogramFormat::Miniseed {
            return Ok(file);
        }
        let refused = |Refused { what, value, expected }| {
            let file = self.file.clone();
            ProcessError::NotMiniseed { file, what, value, expected }
        };
        let channel = traces::channel_of(&self.trace(vec![0.0])).map_err(refused)?;
        Ok(format!("{channel} in {file}"))
    }

    /// The quantity in words.
    pub fn quantity_word(&self) -> &'static str {
        self.quantity.map_or("an unknown quantity", traces::word_of)
    }

    /// Changes the quantity of the trace, and its name if that contains the quantity.
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
            offset: self.offset,
            situation: self.situation.clone(),
        }
    }

    /// The header as read, with all changes.
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
            // An unknown unit is user-defined text.
            if before.is_some_and(|before| before != quantity && new.unit == before.unit()) {
                new.unit = quantity.unit().to_owned();
            }
            new.quantity = match quantity {
                Quantity::Displacement => SacQuantity::Displacement,
                Quantity::Velocity => SacQuantity::Velocity,
                Quantity::Acceleration => SacQuantity::Acceleration,
                _ => new.quantity,
            };
        }
        if let Some(azimuth) = self.azimuth {
            (new.azimuth, new.inclination) = (Some(azimuth), Some(90.0));
        }
        let rotated = self.azimuth.and_then(|_| self.name.component.chars().last());
        new.component = channel_after(&new.component, rotated, trace.dt);
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
