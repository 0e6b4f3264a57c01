//! Observed gathers in a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use craton_acquisition::survey::Shot;
use craton_formats::Refused;
use craton_formats::segy::{SegyReader, TraceHeader, TraceReader};
use craton_formats::su;

use super::observed::{ExpectedGathers, Observed, ObservedTraces, in_words, refuse};
use crate::error::Error;
use crate::number::Number;
use crate::survey::config::Quantity;

/// Trace identification code of dead traces.
const DEAD: i16 = 2;
/// Relative difference of positions by round-off of their conversion.
const ROUND_OFF: f64 = 1e-6;

/// Observed gathers in a file of SEG-Y or Seismic Unix, as surveys write them.
pub struct ObservedFile {
    path: PathBuf,
    traces: Mutex<TraceReader>,
    /// Trace of each shot and channel; `None` if it is dead.
    places: HashMap<[u32; 2], Option<u64>>,
}

impl ObservedFile {
    /// Opens a file, or the gathers in a results folder, and compares all trace headers with the survey.
    ///
    /// # Errors
    /// An unreadable file; missing or duplicate traces; another quantity, other positions, another interval, start or number of samples.
    pub fn open(path: &Path, expected: &ExpectedGathers) -> Result<Self, Error> {
        let path = file_in(path)?;
        let is_su = path.extension().is_some_and(|extension| extension == "su");
        let (mut traces, metres) = match is_su {
            true => (su::open(&path)?, 1.0),
            false => {
                let reader = SegyReader::open(&path)?;
                let metres = reader.binary.metres_per_unit().map_err(|refused| refused.unreadable(&path))?;
                (reader.traces, metres)
            }
        };
        let (samples, needed) = (traces.samples_per_trace(), expected.samples);
        if samples != needed {
            return Err(refuse(path.display(), format!("traces have {samples} samples instead of {needed}")));
        }
        expected.check_interval(traces.interval()).map_err(|problem| refuse(path.display(), problem))?;
        let places = scan(&mut traces, metres, expected)?;
        Ok(Self { path, traces: Mutex::new(traces), places })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The trace of each shot and channel of a survey.
fn scan(
    reader: &mut TraceReader,
    metres: f64,
    expected: &ExpectedGathers,
) -> Result<HashMap<[u32; 2], Option<u64>>, Error> {
    let path = reader.path().to_owned();
    let refused = |problem: String| refuse(path.display(), problem);
    let of_shot = |shot: &Shot| -> Vec<_> {
        shot.traces().map(|trace| ([shot.number, trace.channel], [trace.source, trace.receiver])).collect()
    };
    let needed: HashMap<[u32; 2], [[f64; 3]; 2]> = expected.shots.iter().flat_map(of_shot).collect();
    let mut found = HashMap::with_capacity(needed.len());
    for index in 0..reader.count() {
        let header = reader.header(index)?;
        let numbers = [header.field_record, header.trace_in_record].map(|number| number as u32);
        let Some(positions) = needed.get(&numbers) else { continue };
        if let Some((other, _)) = found.insert(numbers, (index, header.trace_id == DEAD)) {
            let both = format!("both trace {} and trace {} of the file", other + 1, index + 1);
            return Err(refused(format!("{} is {both}; {}", in_words(numbers), key(numbers))));
        }
        if header.trace_id != DEAD {
            let compared = compare(&header, metres, expected, (numbers, *positions));
            compared.map_err(|refused| refused.unreadable(&path))?.map_err(refused)?;
        }
    }
    for shot in expected.shots {
        let mut all = shot.spread.receivers().map(|receiver| [shot.number, receiver.channel]);
        if let Some(numbers) = all.find(|numbers| !found.contains_key(numbers)) {
            return Err(refused(format!("{} is missing; {}", in_words(numbers), key(numbers))));
        }
    }
    let alive = |(numbers, (index, is_dead)): ([u32; 2], (u64, bool))| (numbers, (!is_dead).then_some(index));
    Ok(found.into_iter().map(alive).collect())
}

/// How a trace is found in the file.
fn key([shot, channel]: [u32; 2]) -> String {
    format!("its header has {shot} in bytes 9-12 and {channel} in bytes 13-16")
}

/// Compares the header of a trace with the survey; the outer error is a header that the format does not define.
fn compare(
    header: &TraceHeader,
    metres: f64,
    expected: &ExpectedGathers,
    (numbers, positions): ([u32; 2], [[f64; 3]; 2]),
) -> Result<Result<(), String>, Refused> {
    if let Err(problem) = check_quantity(header, expected.quantity) {
        return Ok(Err(format!("{} {problem}", in_words(numbers))));
    }
    let delay = header.delay_ms()?;
    if expected.check_start(delay / 1000.0).is_err() {
        let [own, needed] = [delay, 1000.0 * expected.start].map(Number);
        let start = format!("starts at {own} ms (bytes 109-110) instead of {needed} ms");
        return Ok(Err(format!("{} {start}", in_words(numbers))));
    }
    let geometry = header.geometry(metres)?;
    let ([sx, sy], [rx, ry]) = (geometry.source, geometry.receiver);
    let source = [sx, sy, geometry.source_surface_elevation - geometry.source_depth];
    let own = [source, [rx, ry, geometry.receiver_elevation]];
    Ok(expected.check_positions(numbers, (own, positions), rounding(header, metres)?))
}

/// Largest rounding of horizontal positions and of elevations [m]: half a unit of the header, and twice that for elevations, which may be differences.
fn rounding(header: &TraceHeader, metres: f64) -> Result<[f64; 2], Refused> {
    let TraceHeader { coordinate_scalar, elevation_scalar, .. } = *header;
    let one = TraceHeader {
        source_x: 1,
        receiver_elevation: 1,
        coordinate_scalar,
        elevation_scalar,
        ..TraceHeader::default()
    };
    let one = one.geometry(metres)?;
    Ok([0.5 * one.source[0], one.receiver_elevation].map(|rounding| (1.0 + ROUND_OFF) * rounding))
}

/// Compares the codes of quantity and unit; 0 is unknown.
fn check_quantity(header: &TraceHeader, quantity: Quantity) -> Result<(), String> {
    let (code, unit, name) = (quantity.trace_code(), quantity.unit_code(), quantity.name());
    if ![0, 1, code].contains(&header.trace_id) {
        let own = header.trace_id;
        return Err(format!(
            "is not {name}: its trace identification code (bytes 29-30) is {own} instead of 1 or {code}"
        ));
    }
    if ![0, unit].contains(&header.measurement_unit) {
        let own = header.measurement_unit;
        let needed = format!("{unit}, {}, or 0 if it is unknown", quantity.in_words()[1]);
        return Err(format!("is not {name}: the code of its unit (bytes 203-204) is {own} instead of {needed}"));
    }
    Ok(())
}

/// The gathers in a folder, or the file itself.
fn file_in(path: &Path) -> Result<PathBuf, Error> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let files = ["gathers.segy", "gathers.su"].map(|name| path.join(name));
    let found = files.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| refuse(path.display(), "there is no gathers.segy or gathers.su in this folder".to_owned()))
}

/// The headers are compared when the file is opened.
impl Observed for ObservedFile {
    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error> {
        let mut reader = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        let traces = shot.spread.receivers().map(|receiver| {
            let Some(place) = self.places[&[shot.number, receiver.channel]] else { return Ok(None) };
            let mut samples = Vec::new();
            reader.trace_into(place, &mut samples)?;
            Ok(Some(samples))
        });
        traces.collect()
    }
}
