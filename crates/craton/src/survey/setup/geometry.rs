//! Acquisition geometry of a survey: generators, tables, SPS files or trace headers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use craton_acquisition::survey::{
    LandLine, LineEnds, MarineLine, StreamerSide, Survey, SurveyTables, WeightedPoint, numbered_receivers,
    numbered_sources, table,
};
use craton_acquisition::{AcquisitionError, positions};
use craton_formats::{FormatError, sps};

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_acquisition, bad_file};
use crate::survey::SurveyFile;
use crate::survey::config::{self, Acquisition, ArrayPoint, PointGrid, PointLine, SourcePoint};

/// The geometry of a survey.
pub struct Acquired {
    /// Shots and receivers.
    pub survey: Survey,
    /// The tables of the geometry, if there are any.
    pub tables: Option<SurveyTables>,
    /// The number of the source signature of each shot that the shot table defines.
    pub wavelets: HashMap<u32, u32>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Acquired {
    fn without_tables(survey: Survey, warnings: Vec<String>) -> Self {
        Self { survey, tables: None, wavelets: HashMap::new(), warnings }
    }
}

/// The geometry as configured.
pub fn survey(file: &SurveyFile, path: &KeyPath) -> Checked<Acquired> {
    let bad = |key: &'static str| move |error: AcquisitionError| bad_acquisition(&error, &path.key(key));
    let survey = match &file.config.acquisition {
        Acquisition::Marine(line) => marine(line, file).map_err(bad("marine")),
        Acquisition::Land(line) => land(line, file).map_err(bad("land")),
        Acquisition::Fixed(points) => fixed(points, file).map_err(bad("fixed")),
        Acquisition::Tables(tables) => return from_tables(tables, file, &path.key("tables")),
        Acquisition::Sps(files) => return from_sps(files, file, &path.key("sps")),
        Acquisition::Headers(headers) => return from_headers(&headers.file, file, &path.key("headers").key("file")),
    };
    survey.map(|survey| Acquired::without_tables(survey, Vec::new()))
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
        source_array: sending(&file.config.source.array),
        side,
        channels: MarineLine::channels_of(line.streamer_length, line.group_interval)?,
        group_interval: line.group_interval,
        near_offset: line.near_offset,
        streamer_depth: line.streamer_depth,
        group_array: recording(&file.config.receivers.array),
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
    land.survey()?.with_arrays(&sending(&file.config.source.array), &recording(&file.config.receivers.array))
}

fn fixed(points: &config::FixedReceivers, file: &SurveyFile) -> Result<Survey, AcquisitionError> {
    let shots = all_points(&points.shot_lines, &points.shot_grids)?;
    let receivers = all_points(&points.receiver_lines, &points.receiver_grids)?;
    let survey = Survey::fixed(numbered_sources(shots), numbered_receivers(receivers))?;
    survey.with_arrays(&sending(&file.config.source.array), &recording(&file.config.receivers.array))
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

fn sending(array: &[SourcePoint]) -> Vec<WeightedPoint> {
    let of = |point: &SourcePoint| WeightedPoint { position: point.at, weight: point.weight, delay: point.delay };
    array.iter().map(of).collect()
}

fn recording(array: &[ArrayPoint]) -> Vec<WeightedPoint> {
    array.iter().map(|point| WeightedPoint::new(point.at, point.weight)).collect()
}

fn from_tables(written: &config::Tables, file: &SurveyFile, path: &KeyPath) -> Checked<Acquired> {
    let read = |name: &Path, key: &str| file.table(name, &path.key(key));
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
    if !file.config.source.array.is_empty() && shots.iter().any(|(_, source)| !source.is_point()) {
        let problem =
            Problem::new(path.key("shots"), "has weights or delays of source points, and the survey a `source.array`");
        return Err(problem.hint("remove `source.array`, or the columns `weight` and `delay` of the table").into());
    }
    let wavelets = table::wavelets(&tables.shots).map_err(bad(&written.shots, "shots"))?;
    if !wavelets.is_empty() && file.config.source.signatures.is_none() {
        let problem = Problem::new(path.key("shots"), "has a column `wavelet`, but source.signatures is missing");
        return Err(problem.hint("give the file of the signatures, or remove the column").into());
    }
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
    Ok(Acquired { survey, tables: Some(tables), wavelets, warnings: Vec::new() })
}

fn from_sps(files: &config::Sps, file: &SurveyFile, path: &KeyPath) -> Checked<Acquired> {
    let read = |name: &Path, key: &str| {
        let opened = file.file_named(name, &path.key(key))?;
        sps::read(&opened).map_err(|error| bad_file(&error, name, &path.key(key)))
    };
    let (mut sources, mut receivers, relations) =
        (read(&files.sources, "sources")?, read(&files.receivers, "receivers")?, read(&files.relations, "relations")?);
    one_unit((&files.sources, &sources), (&files.receivers, &receivers), path)?;
    if let (None, None, Some(metres)) = (sources.metres_per_unit, receivers.metres_per_unit, relations.metres_per_unit)
    {
        for points in [&mut sources, &mut receivers] {
            points.scale(metres);
            points.metres_per_unit = Some(metres);
        }
    }
    let mut warnings: Vec<String> = [(&files.sources, &sources), (&files.receivers, &receivers)]
        .into_iter()
        .filter_map(|(name, read)| Some((name, read.metres_per_unit.filter(|metres| *metres != 1.0)?)))
        .map(|(name, metres)| other_unit(name, metres))
        .collect();
    // Both may be in one file.
    warnings.dedup();
    let (sources, receivers, relations) = (&sources.sources, &receivers.receivers, &relations.relations);
    let opened = file.file_named(&files.relations, &path.key("relations"))?;
    let related = super::sps::shots_and_receivers(sources, receivers, relations, &opened);
    let (shots, listeners) = related.map_err(|error| bad_file(&error, &files.relations, &path.key("relations")))?;
    let survey = with_arrays(Survey::from_receivers_by_shot(shots, listeners), file, path)?;
    Ok(Acquired::without_tables(survey, warnings))
}

/// Rejects points in other units than metres if another file does not give its unit.
fn one_unit(sources: (&PathBuf, &sps::Sps), receivers: (&PathBuf, &sps::Sps), path: &KeyPath) -> Checked<()> {
    for ((with_unit, one), (without_unit, other), key) in
        [(sources, receivers, "receivers"), (receivers, sources, "sources")]
    {
        if let (Some(metres), None) = (one.metres_per_unit.filter(|metres| *metres != 1.0), other.metres_per_unit) {
            let (with_unit, without_unit, metres) = (with_unit.display(), without_unit.display(), Number(metres));
            let message =
                format!("{without_unit} does not give a unit, but lengths in {with_unit} are in units of {metres} m");
            let hint = "give the unit in a header H20 or H201 of both files";
            return Err(Problem::new(path.key(key), message).hint(hint).into());
        }
    }
    Ok(())
}

/// The message that lengths of a file were not in metres.
fn other_unit(name: &Path, metres: f64) -> String {
    let (name, metres) = (name.display(), Number(metres));
    format!("lengths in {name} are in units of {metres} m according to its headers, and are converted to metres")
}

fn from_headers(name: &Path, file: &SurveyFile, path: &KeyPath) -> Checked<Acquired> {
    let listed = super::headers::read(&file.file_named(name, path)?).map_err(|error| bad_file(&error, name, path))?;
    let warnings = listed.warnings(name);
    let survey = with_arrays(Survey::from_receivers_by_shot(listed.shots, listed.receivers), file, path)?;
    Ok(Acquired::without_tables(survey, warnings))
}

fn with_arrays(survey: Result<Survey, AcquisitionError>, file: &SurveyFile, path: &KeyPath) -> Checked<Survey> {
    let (source, group) = (sending(&file.config.source.array), recording(&file.config.receivers.array));
    survey.and_then(|survey| survey.with_arrays(&source, &group)).map_err(|error| bad_acquisition(&error, path))
}
