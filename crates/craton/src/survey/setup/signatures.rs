//! Source signatures: the wavelet of each shot, from a file.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use craton_acquisition::TimeFunction;
use craton_formats::segy::{SegyReader, TraceReader};
use craton_formats::table::Table;
use craton_formats::{FormatError, su};
use craton_numerics::band_limited::{FINEST, refined};

use super::geometry::Acquired;
use crate::error::Problem;
use crate::inputs::Input;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_acquisition, bad_file, of_file};
use crate::structure::LARGEST;
use crate::survey::SurveyFile;

/// Samples of an interpolated signature per period of the highest frequency. Straight lines between them have a relative error of 1e-3 at this frequency.
const SAMPLES_PER_PERIOD: f64 = 64.0;
/// Shortest sample interval [s].
const LEAST_INTERVAL: f64 = 1e-9;
/// Tolerance of even times, in sample intervals: tables have few digits.
const EVEN: f64 = 0.05;
/// Trace identification code of dead traces.
const DEAD: i16 = 2;

/// The signatures of all shots.
#[derive(Debug, Clone, PartialEq)]
pub struct Signatures {
    all: Vec<Signature>,
    /// The signature of each shot.
    of_shots: HashMap<u32, usize>,
    /// Largest interval of interpolated samples [s].
    finest: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Signature {
    number: u32,
    /// Time of the first sample [s].
    start: f64,
    interval: f64,
    samples: Vec<f64>,
}

impl Signatures {
    /// Number of signatures that shots have.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Index of the signature of a shot.
    pub fn of(&self, shot: u32) -> usize {
        self.of_shots[&shot]
    }

    /// The number of a signature.
    pub fn number(&self, index: usize) -> u32 {
        self.all[index].number
    }

    /// Sample interval [s] and samples of a signature.
    pub fn samples(&self, index: usize) -> (f64, &[f64]) {
        let Signature { interval, samples, .. } = &self.all[index];
        (*interval, samples)
    }

    /// The time function of a signature: band-limited between its samples, and zero outside.
    pub fn function(&self, index: usize) -> TimeFunction {
        self.all[index].function(self.finest).expect("the signature has been checked")
    }
}

impl Signature {
    fn function(&self, finest: f64) -> Checked<TimeFunction> {
        let path = KeyPath::default();
        let factor = (self.interval / finest).ceil().clamp(1.0, FINEST) as usize;
        let refused = |problem: String| Box::new(Problem::new(&path, problem));
        let mut samples = refined(&self.samples, factor).map_err(|error| refused(error.to_string()))?;
        // It ends.
        samples.push(0.0);
        TimeFunction::sampled(self.interval / factor as f64, self.start, samples)
            .map_err(|error| bad_acquisition(&error, &path))
    }
}

/// Reads the signatures of the shots of a survey.
///
/// # Arguments
/// * `acquired` – the shots, if they could be read
/// * `path` – the key of the file
/// # Errors
/// An unreadable file, uneven times, invalid samples, duplicate signatures, a shot without one.
pub fn read(file: &SurveyFile, name: &Path, acquired: Option<&Acquired>, path: &KeyPath) -> Checked<Signatures> {
    let suffix = name.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    let refused = |error: FormatError| bad_file(&error, name, path);
    let read = match (file.input(name), suffix.as_deref()) {
        (Input::File(opened), Some("segy" | "sgy")) => {
            of_traces(SegyReader::open(&opened).map_err(refused)?.traces, name, path)?
        }
        (Input::File(opened), Some("su")) => of_traces(su::open(&opened).map_err(refused)?, name, path)?,
        _ => of_table(&file.table(name, path)?, name, path)?,
    };
    let finest = 1.0 / (SAMPLES_PER_PERIOD * file.config.method.fd().max_frequency);
    for signature in read.values() {
        check(signature, file.config.duration, path).map_err(|problem| of_file(*problem, name))?;
        let in_file = |problem: Problem| {
            let message = format!("signature {}: {}", signature.number, problem.message);
            of_file(Problem { path: path.to_string(), message, ..problem }, name)
        };
        signature.function(finest).map_err(|problem| in_file(*problem))?;
    }
    assigned(read, acquired, path).map(|(all, of_shots)| Signatures { all, of_shots, finest })
}

/// Rejects values that cannot be times in seconds or samples of order 1.
fn check(signature: &Signature, duration: f64, path: &KeyPath) -> Checked<()> {
    let Signature { number, start, interval, samples } = signature;
    let refused = |message: String| Problem::new(path, format!("signature {number} {message}"));
    if !(LEAST_INTERVAL..=duration).contains(interval) {
        let allowed = format!("{} s to {} s (the duration)", Number(LEAST_INTERVAL), Number(duration));
        return Err(refused(format!("has a sample interval of {} s", Number(*interval))).allowed(allowed).into());
    }
    if start.abs() > duration {
        let allowed = format!("within {} s (the duration) of time 0", Number(duration));
        return Err(refused(format!("starts at {} s", Number(*start))).allowed(allowed).into());
    }
    match samples.iter().find(|sample| !sample.is_finite() || sample.abs() > LARGEST) {
        Some(sample) => {
            let allowed = format!("at most {} in magnitude", Number(LARGEST));
            Err(refused(format!("has the sample {sample}")).allowed(allowed).into())
        }
        None => Ok(()),
    }
}

/// Signatures by number.
type Numbered = BTreeMap<u32, Signature>;

/// The signatures of traces.
fn of_traces(mut reader: TraceReader, name: &Path, path: &KeyPath) -> Checked<Numbered> {
    let mut found = Numbered::new();
    let interval = reader.interval();
    for index in 0..reader.count() {
        let mut samples = Vec::new();
        let header = reader.trace_into(index, &mut samples).map_err(|error| bad_file(&error, name, path))?;
        if header.trace_id == DEAD {
            continue;
        }
        let refused = |message: String| of_file(Problem::new(path, message), name);
        let delay = header.delay_ms().map_err(|refused| bad_file(&refused.unreadable(name), name, path))?;
        let number = u32::try_from(header.field_record).map_err(|_| {
            refused(format!("trace {} has the number {} in bytes 9-12", index + 1, header.field_record))
        })?;
        let samples = samples.into_iter().map(f64::from).collect();
        if found.insert(number, Signature { number, start: delay / 1000.0, interval, samples }).is_some() {
            return Err(refused(format!("trace {} is another signature {number} (bytes 9-12)", index + 1)));
        }
    }
    Ok(found)
}

/// The signatures of a table.
fn of_table(table: &Table, name: &Path, path: &KeyPath) -> Checked<Numbered> {
    let times = table.require("time").map_err(|error| bad_file(&error, name, path))?;
    let refused = |problem: Problem| of_file(problem, name);
    let span = times.first().zip(times.last()).map_or(0.0, |(first, last)| last - first);
    let interval = span / times.len().saturating_sub(1).max(1) as f64;
    let is_even = |index: usize| (times[index] - times[0] - index as f64 * interval).abs() <= EVEN * interval;
    if let Some(index) = (0..times.len()).find(|&index| interval <= 0.0 || !is_even(index)) {
        let problem = Problem::new(path, format!("{} is {}", table.place("time", index), Number(times[index])));
        return Err(refused(problem.allowed("times in seconds that increase in equal steps")));
    }
    let mut found = Numbered::new();
    for column in table.names().iter().filter(|column| *column != "time") {
        let digits = column.len() - column.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        let number = column[column.len() - digits..].parse().map_err(|_| {
            let problem = Problem::new(path, format!("the column `{column}` does not end with a number"));
            refused(problem.hint("name the columns by the numbers of their shots, such as shot_7"))
        })?;
        let samples = table.column(column).unwrap_or_default().to_vec();
        if found
            .insert(number, Signature { number, start: times.first().copied().unwrap_or(0.0), interval, samples })
            .is_some()
        {
            return Err(refused(Problem::new(path, format!("the column `{column}` is another signature {number}"))));
        }
    }
    Ok(found)
}

/// The signatures that shots have, and which one each shot has.
fn assigned(
    mut read: Numbered,
    acquired: Option<&Acquired>,
    path: &KeyPath,
) -> Checked<(Vec<Signature>, HashMap<u32, usize>)> {
    let (mut all, mut of_shots, mut places) = (Vec::new(), HashMap::new(), HashMap::new());
    for shot in acquired.iter().flat_map(|acquired| acquired.survey.shots()) {
        let given = acquired.and_then(|acquired| acquired.wavelets.get(&shot.number).copied());
        let number = given.unwrap_or(shot.number);
        let place = match places.get(&number) {
            Some(&place) => place,
            None => {
                let signature = read.remove(&number).ok_or_else(|| no_signature(shot.number, given, path))?;
                all.push(signature);
                *places.entry(number).or_insert(all.len() - 1)
            }
        };
        of_shots.insert(shot.number, place);
    }
    Ok((all, of_shots))
}

/// The problem of a shot without signature.
fn no_signature(shot: u32, given: Option<u32>, path: &KeyPath) -> Problem {
    let message = match given {
        Some(number) => format!("has no signature {number}, the wavelet of shot {shot}"),
        None => format!("has no signature of shot {shot}"),
    };
    let hint = "a trace has its number in bytes 9-12; the name of a column ends with it; a column `wavelet` of the shot table selects other numbers";
    Problem::new(path, message).hint(hint)
}
