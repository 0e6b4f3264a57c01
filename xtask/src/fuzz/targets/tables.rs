//! Tables, sources, stations and surveys: formats of text, and XML.

use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton_formats::stationxml::{ChannelChoice, XmlStation};
use craton_formats::{cmtsolution, forcesolution, npy, quakeml, sps, stations, stationxml, table, velocity_model};
use std::path::Path;

/// Names of columns in the corpus of tables.
const COLUMNS: [&str; 3] = ["shot", "x", "depth"];

/// The targets of this module.
pub fn all() -> Vec<Target> {
    vec![
        Target {
            corpus: &["examples/bolivia/CMTSOLUTION"],
            ..Target::new("cmtsolution", Form::Text, "CMTSOLUTION", read_cmtsolution)
        },
        Target::new("forcesolution", Form::Text, "FORCESOLUTION", read_forcesolution),
        Target {
            corpus: &["examples/bolivia/STATIONS"],
            ..Target::new("stations", Form::Text, "STATIONS", read_stations)
        },
        Target {
            corpus: &[
                "crates/craton-formats/tests/all/xml/samples/obspy_channels.xml",
                "crates/craton-formats/tests/all/xml/samples/obspy_stationxml.xml",
            ],
            ..Target::new("stationxml", Form::Text, "a.xml", read_stationxml)
        },
        Target {
            corpus: &[
                "crates/craton-formats/tests/all/xml/samples/obspy_quakeml.xml",
                "crates/craton-formats/tests/all/xml/samples/prefixed_quakeml.xml",
            ],
            ..Target::new("quakeml", Form::Text, "a.xml", read_quakeml)
        },
        Target::new("sps", Form::Text, "a.sps", read_sps),
        Target::new("table", Form::Text, "a.csv", read_table),
        Target::new("velocity_model", Form::Text, "a.nd", read_velocity_model),
        Target::new("tvel", Form::Text, "a.tvel", read_velocity_model),
        Target {
            corpus: &["crates/craton-formats/tests/all/npy/samples"],
            ..Target::new("npy", Form::Mixed, "a.npy", read_npy)
        },
    ]
}

fn read_cmtsolution(path: &Path) -> Outcome {
    Outcome::of(cmtsolution::read(path), |sources| {
        Outcome::finite(sources.iter().flat_map(|source| {
            let moment = source.moment_newton_metre();
            [source.depth_km, source.time_shift, source.half_duration].into_iter().chain(moment)
        }))
    })
}

fn read_forcesolution(path: &Path) -> Outcome {
    Outcome::of(forcesolution::read(path), |sources| {
        let values = |source: &forcesolution::ForceSource| {
            [source.depth_km, source.time_shift, source.half_duration_or_frequency].into_iter().chain(source.force())
        };
        Outcome::finite(sources.iter().flat_map(values))
    })
}

fn read_stations(path: &Path) -> Outcome {
    Outcome::of(stations::read(path), |stations| {
        let values = |station: &stations::Station| {
            [station.latitude_or_y, station.longitude_or_x, station.elevation, station.burial]
        };
        Outcome::finite(stations.iter().flat_map(values))
    })
}

fn read_stationxml(path: &Path) -> Outcome {
    let channels = Outcome::of(stationxml::read_channels(path), |channels| {
        let angles = channels.iter().flat_map(|channel| [channel.azimuth, channel.dip]);
        Outcome::finite(angles.flatten())
    });
    let choice = ChannelChoice { channels: vec!["BH[!N]*".to_owned()], locations: vec!["?0".to_owned()], time: None };
    let chosen = [stationxml::read(path), stationxml::read_chosen(path, &choice)];
    chosen.into_iter().map(places).fold(channels, Outcome::or)
}

fn places(stations: craton_formats::Result<Vec<XmlStation>>) -> Outcome {
    Outcome::of(stations, |stations| {
        Outcome::finite(stations.iter().flat_map(|station| {
            let dates = [station.start, station.end].into_iter().flatten();
            assert!(dates.clone().all(|date| date.is_valid()), "a date is invalid");
            dates.for_each(|date| drop((station.is_open_at(date), date.iso())));
            [station.latitude, station.longitude, station.elevation, station.burial]
        }))
    })
}

fn read_quakeml(path: &Path) -> Outcome {
    Outcome::of(quakeml::read(path), |events| {
        let mut values = Vec::new();
        for event in &events {
            let origin = &event.origin;
            assert!(origin.time.is_valid(), "the origin time is invalid");
            values.extend([origin.latitude, origin.longitude, event.centroid().longitude, event.time_shift()]);
            values.extend(origin.depth);
            values.extend(event.half_duration());
            values.extend(event.magnitudes.iter().map(|magnitude| magnitude.value));
            values.extend(event.moment.iter().flat_map(|moment| moment.moment_newton_metre()));
            let _ = (event.contradiction(), event.short_name(), event.cmt_source());
        }
        Outcome::finite(values)
    })
}

fn read_sps(path: &Path) -> Outcome {
    Outcome::of(sps::read(path), |sps| {
        let points = sps.sources.iter().chain(&sps.receivers);
        let of_points = points.flat_map(|point| {
            let given = [point.depth, point.water_depth, point.elevation, point.datum].into_iter().flatten();
            [point.line, point.point, point.easting, point.northing].into_iter().chain(given)
        });
        let of_relations = sps.relations.iter().flat_map(|relation| {
            assert!(relation.channel_increment > 0 && relation.to_channel >= relation.from_channel);
            [relation.source_line, relation.source_point, relation.receiver_line, relation.from_receiver]
        });
        Outcome::finite(of_points.chain(of_relations).chain(sps.metres_per_unit))
    })
}

fn read_velocity_model(path: &Path) -> Outcome {
    Outcome::of(velocity_model::read(path), |table| {
        Outcome::finite(table.names().iter().filter_map(|name| table.column(name)).flatten().copied())
    })
}

fn read_table(path: &Path) -> Outcome {
    let _ = table::column_names(path);
    let words = Outcome::of(table::read_words(path, "name"), |words| Outcome::Accepted(words.len()));
    let tables = [table::read(path), table::read_columns(path, &COLUMNS)];
    let finite = |table: table::Table| {
        let rows = table.row_count();
        let columns = table.into_columns();
        assert!(rows > 0 && columns.iter().all(|column| column.len() == rows), "columns have different lengths");
        Outcome::finite(columns.into_iter().flatten())
    };
    tables.into_iter().map(|table| Outcome::of(table, finite)).fold(words, Outcome::or)
}

fn read_npy(path: &Path) -> Outcome {
    let columns = [npy::read(path), npy::read_columns(path, &COLUMNS)];
    let [all, known] =
        columns.map(|columns| Outcome::of(columns, |columns| Outcome::finite(columns.into_iter().flatten())));
    all.or(known)
}
