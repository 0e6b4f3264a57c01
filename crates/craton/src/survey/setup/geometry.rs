//! Shots and receivers of a survey, from generators, tables, SPS files or the headers of traces.

use std::collections::HashMap;
use std::path::Path;

use craton_acquisition::survey::{
    Array, AtDepth, LandLine, LineEnds, MarineLine, StreamerSide, Survey, SurveyReceiver, SurveyTables, WeightedPoint,
    numbered_receivers, numbered_sources, table,
};
use craton_acquisition::{AcquisitionError, positions};
use craton_formats::segy::SegyReader;
use craton_formats::{FormatError, Refused, sps, table as table_file};

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_acquisition, bad_file};
use crate::survey::SurveyFile;
use crate::survey::config::{self, Acquisition, ArrayPoint, PointGrid, PointLine};

/// The geometry that is written, and the tables that it stands in, if any.
pub fn survey(file: &SurveyFile, path: &KeyPath) -> Checked<(Survey, Option<SurveyTables>)> {
    let bad = |key: &'static str| move |error: AcquisitionError| bad_acquisition(&error, &path.key(key));
    let survey = match &file.config.acquisition {
        Acquisition::Marine(line) => marine(line, file).map_err(bad("marine")),
        Acquisition::Land(line) => land(line, file).map_err(bad("land")),
        Acquisition::Fixed(points) => fixed(points, file).map_err(bad("fixed")),
        Acquisition::Tables(tables) => {
            return from_tables(tables, file, &path.key("tables")).map(|(survey, tables)| (survey, Some(tables)));
        }
        Acquisition::Sps(files) => from_sps(files, file, &path.key("sps")),
        Acquisition::Headers(headers) => from_headers(&headers.file, file, &path.key("headers").key("file")),
    };
    survey.map(|survey| (survey, None))
}

fn marine(line: &config::MarineLine, file: &SurveyFile) -> Result<Survey, AcquisitionError> {
    let side = match line.side {
        config::StreamerSide::Behind => StreamerSide::Behind,
        config::StreamerSide::Ahead => StreamerSide::Ahead,
    };
    let line = MarineLine {
        first_shot: line.first_shot,
        azimuth: line.azimuth,
        first_number: line.first_number,
        shots: line.shots,
        shot_interval: line.shot_interval,
        source_depth: line.source_depth,
        source_array: weighted(&file.config.source.array),
        side,
        channels: MarineLine::channels_of(line.streamer_length, line.group_interval)?,
        group_interval: line.group_interval,
        near_offset: line.near_offset,
        streamer_depth: line.streamer_depth,
        group_array: weighted(&file.config.receivers.array),
    };
    line.survey()
}

fn land(line: &config::LandLine, file: &SurveyFile) -> Result<Survey, AcquisitionError> {
    let ends = match line.ends {
        config::LineEnds::PartSpreads => LineEnds::PartSpreads,
        config::LineEnds::WholeSpreads => LineEnds::WholeSpreads,
    };
    let land = LandLine {
        stations: points_of(&line.stations)?,
        first_station: line.first_station - 1,
        station_step: line.station_step,
        first_number: line.first_number,
        source_depth: line.source_depth,
        behind: line.behind,
        ahead: line.ahead,
        nearest: line.nearest,
        ends,
    };
    land.survey()?.with_arrays(&weighted(&file.config.source.array), &weighted(&file.config.receivers.array))
}

fn fixed(points: &config::FixedReceivers, file: &SurveyFile) -> Result<Survey, AcquisitionError> {
    let shots = all_points(&points.shot_lines, &points.shot_grids)?;
    let receivers = all_points(&points.receiver_lines, &points.receiver_grids)?;
    let survey = Survey::fixed(numbered_sources(shots), numbered_receivers(receivers))?;
    survey.with_arrays(&weighted(&file.config.source.array), &weighted(&file.config.receivers.array))
}

fn all_points(lines: &[PointLine], grids: &[PointGrid]) -> Result<Vec<[f64; 3]>, AcquisitionError> {
    let mut points = Vec::new();
    for line in lines {
        points.extend(points_of(line)?);
    }
    for grid in grids {
        points.extend(positions::grid(grid.x, grid.y, grid.count, -grid.depth)?);
    }
    Ok(points)
}

fn points_of(line: &PointLine) -> Result<Vec<[f64; 3]>, AcquisitionError> {
    let up = |[x, y, depth]: [f64; 3]| [x, y, -depth];
    positions::line(up(line.from), up(line.to), line.count)
}

fn weighted(array: &[ArrayPoint]) -> Vec<WeightedPoint> {
    array.iter().map(|point| WeightedPoint { position: point.at, weight: point.weight }).collect()
}

fn from_tables(written: &config::Tables, file: &SurveyFile, path: &KeyPath) -> Checked<(Survey, SurveyTables)> {
    let read = |name: &Path, key: &str| {
        table_file::read(&file.opened(name)).map_err(|error| bad_file(&error, name, &path.key(key)))
    };
    let bad = |name: &Path, key: &str| {
        let (name, path) = (name.to_owned(), path.key(key));
        move |error: FormatError| bad_file(&error, &name, &path)
    };
    let tables = SurveyTables {
        shots: read(&written.shots, "shots")?,
        receivers: read(&written.receivers, "receivers")?,
        relations: written.relations.as_ref().map(|name| read(name, "relations")).transpose()?,
    };
    let shots = table::shots(&tables.shots).map_err(bad(&written.shots, "shots"))?;
    let in_receivers = bad(&written.receivers, "receivers");
    let survey = if tables.receivers.column("shot").is_some() {
        Survey::from_receivers_by_shot(shots, table::receivers_by_shot(&tables.receivers).map_err(in_receivers)?)
    } else {
        let receivers = table::receivers(&tables.receivers).map_err(in_receivers)?;
        match (&written.relations, &tables.relations) {
            (Some(name), Some(relations)) => {
                let relations = table::relations(relations).map_err(bad(name, "relations"))?;
                Survey::related(shots, receivers, &relations)
            }
            _ => Survey::fixed(shots, receivers),
        }
    };
    let survey = with_arrays(survey.map_err(|error| tables.located(error)), file, path)?;
    Ok((survey, tables))
}

fn from_sps(files: &config::Sps, file: &SurveyFile, path: &KeyPath) -> Checked<Survey> {
    let read =
        |name: &Path, key: &str| sps::read(&file.opened(name)).map_err(|error| bad_file(&error, name, &path.key(key)));
    let (sources, receivers, relations) =
        (read(&files.sources, "sources")?, read(&files.receivers, "receivers")?, read(&files.relations, "relations")?);
    let (shots, listeners) =
        super::sps::shots_and_receivers(&sources.sources, &receivers.receivers, &relations.relations)
            .map_err(|message| Problem::new(path.key("relations"), message))?;
    with_arrays(Survey::from_receivers_by_shot(shots, listeners), file, path)
}

/// Shots by their field records, with a receiver for each trace.
fn from_headers(name: &Path, file: &SurveyFile, path: &KeyPath) -> Checked<Survey> {
    let (mut shots, mut receivers) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    let mut read = || {
        let mut reader = SegyReader::open(&file.opened(name))?;
        let metres = reader.binary.metres_per_unit().map_err(|refused| refused.unreadable(name))?;
        for index in 0..reader.traces.count() {
            let header = reader.traces.header(index)?;
            let geometry = header.geometry(metres).map_err(|refused| refused.unreadable(name))?;
            let (shot, channel) = (header.field_record as u32, header.trace_in_record as u32);
            let [x, y] = geometry.source;
            let place = [x, y, geometry.source_surface_elevation - geometry.source_depth];
            let first = *known.entry(shot).or_insert_with(|| {
                shots.push((shot, Array::point(place)));
                place
            });
            if first != place {
                let expected =
                    format!("{} as in the first trace of field record {shot}: a shot has one source", AtDepth(first));
                let refused = Refused {
                    what: format!("source of trace {}", index + 1),
                    value: AtDepth(place).to_string(),
                    expected,
                };
                return Err(refused.unreadable(name));
            }
            let place = [geometry.receiver[0], geometry.receiver[1], geometry.receiver_elevation];
            receivers.push((shot, SurveyReceiver { channel, array: Array::point(place) }));
        }
        Ok::<(), FormatError>(())
    };
    read().map_err(|error| bad_file(&error, name, path))?;
    with_arrays(Survey::from_receivers_by_shot(shots, receivers), file, path)
}

fn with_arrays(survey: Result<Survey, AcquisitionError>, file: &SurveyFile, path: &KeyPath) -> Checked<Survey> {
    let (source, group) = (weighted(&file.config.source.array), weighted(&file.config.receivers.array));
    survey.and_then(|survey| survey.with_arrays(&source, &group)).map_err(|error| bad_acquisition(&error, path))
}
