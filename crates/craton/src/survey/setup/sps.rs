//! Shots and receivers from SPS files.

use std::collections::HashMap;
use std::path::Path;

use craton_acquisition::survey::{Array, AtDepth, Site, SurveyReceiver};
use craton_formats::FormatError;
use craton_formats::sps::{Point, Relation};

/// Shots with their numbers, and receivers with the numbers of their shots.
type Geometry = (Vec<(u32, Array)>, Vec<(u32, SurveyReceiver)>);

/// Records by line, point and index, in thousandths, the precision of the files.
type Places<'a> = HashMap<(i64, i64, u32), &'a Point>;

/// The shots of the relations, in their order. The number of a shot is that of its field record.
///
/// # Arguments
/// * `path` – the relation file, for messages
/// # Errors
/// A relation of several records, with missing sources or receivers, or with more channels than points.
pub fn shots_and_receivers(
    sources: &[Point],
    receivers: &[Point],
    relations: &[Relation],
    path: &Path,
) -> Result<Geometry, FormatError> {
    let [source_places, receiver_places] = [sources, receivers].map(places);
    let (mut shots, mut listeners) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    for relation in relations {
        let Relation { row, record, record_increment, source_line, source_point, source_index, .. } = relation;
        let refused = |problem: String, hint: &str| {
            let problem = format!("field record {record}{problem}");
            FormatError::Layout { path: path.to_owned(), line: *row, problem, hint: hint.to_owned() }
        };
        if *record_increment > 1 {
            let problem = format!(" has the increment {record_increment}, so that it describes several records");
            return Err(refused(problem, "write one relation per field record, with the increment 1"));
        }
        let place = source_places.get(&key(*source_line, *source_point, *source_index)).ok_or_else(|| {
            let problem = format!(" refers to source line {source_line}, point {source_point}, which has no S record");
            refused(problem, "add the point to the source file, or correct the relation")
        })?;
        let first = *known.entry(*record).or_insert_with(|| {
            shots.push((*record, array(place)));
            position(place)
        });
        if first != position(place) {
            let [first, second] = [AtDepth(first), AtDepth(position(place))];
            let problem = format!(" has two sources, at {first} and {second}");
            return Err(refused(problem, "a shot has one source: give each source its own field record"));
        }
        for (channel, point) in channels(relation) {
            let line = relation.receiver_line;
            let place = receiver_places.get(&key(line, point, relation.receiver_index)).ok_or_else(|| {
                let problem = format!(
                    ", channel {channel}, refers to receiver line {line}, point {point}, which has no R record"
                );
                refused(problem, "add the point to the receiver file, or correct the relation")
            })?;
            listeners.push((*record, SurveyReceiver { channel, array: array(place) }));
        }
    }
    Ok((shots, listeners))
}

/// Channels of a relation and their points, evenly distributed from the first to the last.
fn channels(relation: &Relation) -> impl Iterator<Item = (u32, f64)> {
    let Relation { from_channel, to_channel, channel_increment, from_receiver, to_receiver, .. } = *relation;
    let last = ((to_channel - from_channel) / channel_increment).max(1);
    let step = (to_receiver - from_receiver) / f64::from(last);
    let channels = (from_channel..=to_channel).step_by(channel_increment as usize);
    channels.zip(0..).map(move |(channel, number)| (channel, from_receiver + f64::from(number) * step))
}

fn places(points: &[Point]) -> Places<'_> {
    points.iter().map(|point| (key(point.line, point.point, point.index), point)).collect()
}

/// x, y and z [m].
fn position(point: &Point) -> [f64; 3] {
    [point.easting, point.northing, point.elevation.unwrap_or(0.0) - point.depth.unwrap_or(0.0)]
}

fn array(point: &Point) -> Array {
    Array::point(position(point)).on(Site {
        elevation: Some(point.elevation.unwrap_or(0.0)),
        water_depth: point.water_depth.unwrap_or(0.0),
        point: Some(point.point),
    })
}

fn key(line: f64, point: f64, index: u32) -> (i64, i64, u32) {
    let thousandths = |number: f64| (1000.0 * number).round() as i64;
    (thousandths(line), thousandths(point), index)
}
