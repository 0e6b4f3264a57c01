//! Joins records to continuous segments.

use std::collections::{BTreeMap, HashMap};
use std::mem::{Discriminant, discriminant};

use super::record::Record;
use super::{MiniSeedSamples, MiniSeedTrace};
use crate::DateTime;
use crate::error::Refused;

/// Sample type of a record; joined records must have the same.
type Kind = Discriminant<MiniSeedSamples>;

/// Largest relative difference of equal intervals; some recorders measure the interval for every record.
const SAME_INTERVAL: f64 = 1e-4;

/// Joins records to segments: channels in the order of their first records, the segments of each in order of time.
pub(super) fn segments(records: &[Record]) -> Result<Vec<MiniSeedTrace>, Refused> {
    let mut channels: Vec<Vec<&Record>> = Vec::new();
    let mut number_of = HashMap::new();
    for record in records {
        let number = *number_of.entry(&record.codes).or_insert(channels.len());
        if number == channels.len() {
            channels.push(Vec::new());
        }
        channels[number].push(record);
    }
    let mut traces = Vec::new();
    for mut channel in channels {
        channel.sort_by_key(|record| record.start);
        join(&channel, &mut traces)?;
    }
    Ok(traces)
}

/// Appends the segments of one channel, whose records are sorted by time.
fn join(records: &[&Record], traces: &mut Vec<MiniSeedTrace>) -> Result<(), Refused> {
    // Time of the next sample of each segment. Overlapping segments may continue in parallel.
    let mut ends: HashMap<Kind, BTreeMap<i64, usize>> = HashMap::new();
    for record in records {
        let ends = ends.entry(discriminant(&empty_samples(record)?)).or_default();
        let number = match continued_segment(record, ends, traces) {
            Some((end, number)) => {
                ends.remove(&end);
                number
            }
            None => {
                traces.push(empty_trace(record)?);
                traces.len() - 1
            }
        };
        let samples = &mut traces[number].samples;
        let decoded = samples.decode(record.encoding, record.count, record.order, record.data);
        decoded.map_err(|refused| record.refuse(refused))?;
        let duration = (1e6 * record.interval * record.count as f64).round().min(1e17) as i64;
        ends.insert(record.start + duration, number);
    }
    Ok(())
}

/// End and index of the nearest segment that a record continues.
fn continued_segment(record: &Record, ends: &BTreeMap<i64, usize>, traces: &[MiniSeedTrace]) -> Option<(i64, usize)> {
    let tolerance = (0.5e6 * record.interval).max(record.resolution).min(1e15) as i64;
    let near = ends.range(record.start - tolerance..=record.start + tolerance).map(|(&end, &number)| (end, number));
    let alike = near.filter(|(_, number)| (traces[*number].interval / record.interval - 1.0).abs() < SAME_INTERVAL);
    alike.min_by_key(|(end, _)| (end - record.start).abs())
}

fn empty_samples(record: &Record) -> Result<MiniSeedSamples, Refused> {
    let expected = "1 (16-bit integers), 3 (32-bit integers), 4 or 5 (floats), 10 or 11 (Steim); convert it with ObsPy";
    let refused = || record.refuse(Refused::new("encoding in blockette 1000", record.encoding, expected));
    MiniSeedSamples::of_encoding(record.encoding).ok_or_else(refused)
}

/// Creates a trace with the header of a record and without samples.
fn empty_trace(record: &Record) -> Result<MiniSeedTrace, Refused> {
    let [network, station, location, channel] = record.codes.clone();
    Ok(MiniSeedTrace {
        network,
        station,
        location,
        channel,
        start: DateTime::from_microseconds(record.start),
        interval: record.interval,
        samples: empty_samples(record)?,
    })
}
