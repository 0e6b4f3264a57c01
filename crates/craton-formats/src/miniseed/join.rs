//! From records to segments without gaps.

use std::collections::{BTreeMap, HashMap};
use std::mem::{Discriminant, discriminant};

use super::record::Record;
use super::{MiniSeedSamples, MiniSeedTrace};
use crate::DateTime;
use crate::error::Refused;

/// Kind of the samples of a record, which those it is joined to must have as well.
type Kind = Discriminant<MiniSeedSamples>;

/// Relative difference of intervals that are taken for one: some recorders measure them anew for every record.
const SAME_INTERVAL: f64 = 1e-4;

/// Joins records to segments, those of one channel by time, channels in the order of their first records.
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

/// Appends the segments of one channel, whose records are in the order of time.
fn join(records: &[&Record], traces: &mut Vec<MiniSeedTrace>) -> Result<(), Refused> {
    // Where the next sample of each segment would stand. Two that overlap may go on side by side.
    let mut ends: HashMap<Kind, BTreeMap<i64, usize>> = HashMap::new();
    for record in records {
        let ends = ends.entry(discriminant(&empty_samples(record)?)).or_default();
        let number = match goes_on(record, ends, traces) {
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

/// End and number of the segment that a record goes on with, the nearest one.
fn goes_on(record: &Record, ends: &BTreeMap<i64, usize>, traces: &[MiniSeedTrace]) -> Option<(i64, usize)> {
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

/// The trace that begins with a record, without its samples.
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
