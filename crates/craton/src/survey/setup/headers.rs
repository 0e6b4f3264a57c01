//! Shots and receivers from the trace headers of a SEG-Y file.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use craton_acquisition::survey::{Array, AtDepth, Site, SurveyReceiver};
use craton_formats::segy::{SegyReader, TraceHeader};
use craton_formats::{FormatError, Refused};

use crate::number::counted;
use crate::survey::report::named;

/// Trace identification codes of traces without a receiver: dead and dummy traces, time breaks, upholes, sweeps,
/// timing, water breaks, gun signatures.
const NOT_RECORDED: std::ops::RangeInclusive<i16> = 2..=10;

/// The geometry in the headers of a file.
#[derive(Default)]
pub struct Listed {
    /// Shots by field record.
    pub shots: Vec<(u32, Array)>,
    /// One receiver per trace, with its shot number.
    pub receivers: Vec<(u32, SurveyReceiver)>,
    /// A warning about the headers of the file.
    warning: Option<String>,
    /// Field records of the traces without a receiver, as written.
    left_out: Vec<i32>,
}

impl Listed {
    /// Warnings about the file and its omitted traces.
    pub fn warnings(&self, file: &Path) -> Vec<String> {
        self.warning.iter().cloned().chain(self.omitted(file)).collect()
    }

    /// The message about omitted traces, and about shots without other traces.
    fn omitted(&self, file: &Path) -> Option<String> {
        let (count, file) = (self.left_out.len(), file.display());
        let codes = format!("{} to {}", NOT_RECORDED.start(), NOT_RECORDED.end());
        let known: HashSet<u32> = self.shots.iter().map(|&(shot, _)| shot).collect();
        let left_out = self.left_out.iter().filter_map(|&record| u32::try_from(record).ok());
        let lost: BTreeSet<u32> = left_out.filter(|shot| !known.contains(shot)).collect();
        let lost = match lost.is_empty() {
            true => String::new(),
            false => format!(", including all traces of field record {}", named(lost.into_iter())),
        };
        let warning = || {
            format!(
                "{} of {file} left out because they are dead or auxiliary (codes {codes}){lost}",
                counted(count, "trace")
            )
        };
        (count > 0).then(warning)
    }
}

/// Reads the geometry from the headers of a SEG-Y file.
///
/// # Errors
/// An unreadable file, negative numbers, or two sources of one shot.
pub fn read(path: &Path) -> Result<Listed, FormatError> {
    let mut known = HashMap::new();
    let mut reader = SegyReader::open(path)?;
    let mut listed = Listed { warning: reader.warning.take(), ..Listed::default() };
    let metres = reader.binary.metres_per_unit().map_err(|refused| refused.unreadable(path))?;
    for index in 0..reader.traces.count() {
        let header = reader.traces.header(index)?;
        if NOT_RECORDED.contains(&header.trace_id) {
            listed.left_out.push(header.field_record);
            continue;
        }
        let [shot, channel] = numbers(&header, index + 1).map_err(|refused| refused.unreadable(path))?;
        let geometry = header.geometry(metres).map_err(|refused| refused.unreadable(path))?;
        let [x, y] = geometry.source;
        let place = [x, y, geometry.source_surface_elevation - geometry.source_depth];
        let first = *known.entry(shot).or_insert_with(|| {
            let site = Site {
                elevation: Some(geometry.source_surface_elevation),
                water_depth: geometry.source_water_depth,
                point: header.source_point(),
            };
            listed.shots.push((shot, Array::point(place).on(site)));
            place
        });
        if first != place {
            let expected = format!(
                "{} as in the first trace of field record {shot}, because a shot has one source",
                AtDepth(first)
            );
            let what = format!("source of trace {}", index + 1);
            return Err(Refused { what, value: AtDepth(place).to_string(), expected }.unreadable(path));
        }
        let place = [geometry.receiver[0], geometry.receiver[1], geometry.receiver_elevation];
        let site = Site { water_depth: geometry.receiver_water_depth, ..Site::default() };
        listed.receivers.push((shot, SurveyReceiver { channel, array: Array::point(place).on(site) }));
    }
    Ok(listed)
}

/// Shot and channel numbers of a trace, counted from 1.
fn numbers(header: &TraceHeader, trace: u64) -> Result<[u32; 2], Refused> {
    let number = |value: i32, name: &str| {
        u32::try_from(value).map_err(|_| Refused {
            what: format!("{name} of trace {trace}"),
            value: value.to_string(),
            expected: format!("0 to {}", i32::MAX),
        })
    };
    Ok([
        number(header.field_record, "field record (bytes 9-12)")?,
        number(header.trace_in_record, "number in its field record (bytes 13-16)")?,
    ])
}
