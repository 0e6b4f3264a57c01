//! Positions of the shots and receivers of a survey, and refused input.

use craton_acquisition::survey::{
    Array, Extent, LandLine, LineEnds, MarineLine, Relation, Shot, Spread, StreamerSide, Survey, SurveyReceiver,
    WeightedPoint, Window, numbered_receivers, numbered_sources, table,
};
use craton_acquisition::{AcquisitionError, positions};
use craton_formats::table::{Table, parse};
use std::path::Path;
use std::sync::Arc;

fn streamer() -> MarineLine {
    MarineLine {
        first_shot: [1000.0, 0.0],
        azimuth: 90.0,
        first_number: 101,
        shots: 4,
        shot_interval: 25.0,
        source_depth: 6.0,
        source_array: vec![],
        side: StreamerSide::Behind,
        channels: 3,
        group_interval: 12.5,
        near_offset: 100.0,
        streamer_depth: 8.0,
        group_array: vec![],
    }
}

fn land() -> LandLine {
    LandLine {
        stations: positions::line([0.0, 5.0, 300.0], [90.0, 5.0, 300.0], 10).unwrap(),
        first_station: 0,
        station_step: 1,
        first_number: 1,
        source_depth: 2.0,
        behind: 2,
        ahead: 3,
        nearest: 1,
        ends: LineEnds::WholeSpreads,
    }
}

/// Channels of a shot, with the x coordinates of its groups.
fn channels(shot: &Shot) -> Vec<(u32, f64)> {
    shot.traces().map(|trace| (trace.channel, trace.receiver[0])).collect()
}

fn one_shot(receivers: Vec<SurveyReceiver>) -> Result<Survey, AcquisitionError> {
    Survey::fixed([(7, Array::point([0.0; 3]))], receivers)
}

fn text(text: &str) -> Table {
    parse(text, Path::new("survey.csv")).unwrap()
}

#[test]
fn a_streamer_follows_its_ship() {
    let survey = streamer().survey().unwrap();
    assert_eq!(survey.trace_count(), 12);
    let last = &survey.shots()[3];
    assert_eq!(last.number, 104);
    assert_eq!(last.source.centre(), [1075.0, 0.0, -6.0]);
    let positions: Vec<_> = last.traces().map(|trace| trace.receiver).collect();
    assert_eq!(positions, [[975.0, 0.0, -8.0], [962.5, 0.0, -8.0], [950.0, 0.0, -8.0]]);
    let ahead = MarineLine { side: StreamerSide::Ahead, ..streamer() }.survey().unwrap();
    assert_eq!(channels(&ahead.shots()[0]), [(1, 1100.0), (2, 1112.5), (3, 1125.0)]);
}

#[test]
fn azimuths_along_an_axis_change_only_that_coordinate() {
    for (azimuth, way) in [(0.0, [0.0, 75.0]), (90.0, [75.0, 0.0]), (-180.0, [0.0, -75.0]), (630.0, [-75.0, 0.0])] {
        let survey = MarineLine { azimuth, ..streamer() }.survey().unwrap();
        let [x, y, _] = survey.shots()[3].source.centre();
        assert_eq!([x - 1000.0, y], way, "{azimuth} degrees");
    }
    let survey = MarineLine { azimuth: 30.0, ..streamer() }.survey().unwrap();
    let [x, y, _] = survey.shots()[3].source.centre();
    // Round-off relative to a thousand metres.
    assert!((x - 1037.5).abs() < 1e-12 * 1e3 && (y - 75.0 * 0.75_f64.sqrt()).abs() < 1e-12 * 1e3);
}

#[test]
fn arrays_rotate_with_the_ship() {
    let gun = |ahead: f64, left: f64| WeightedPoint::new([ahead, left, 0.5], 2.0);
    let line = MarineLine { azimuth: 0.0, source_array: vec![gun(3.0, 0.0), gun(0.0, 5.0)], ..streamer() };
    let survey = line.survey().unwrap();
    let shot = &survey.shots()[0];
    let guns: Vec<_> = shot.source.points().map(|point| point.position).collect();
    assert_eq!(guns, [[1000.0, 3.0, -5.5], [995.0, 0.0, -5.5]], "ahead is north, left is west");
    assert!(shot.source.points().all(|point| point.weight == 2.0));
}

#[test]
fn the_channel_count_of_a_streamer_includes_both_ends() {
    assert_eq!(MarineLine::channels_of(6000.0, 12.5).unwrap(), 481);
    assert_eq!(MarineLine::channels_of(0.3, 0.1).unwrap(), 4, "0.3 / 0.1 is below 3 by round-off");
    assert_eq!(MarineLine::channels_of(6010.0, 12.5).unwrap(), 481);
    assert!(MarineLine::channels_of(6000.0, 0.0).is_err());
}

#[test]
fn invalid_lines_are_refused_with_value_and_hint() {
    let refused = |line: MarineLine| line.survey().unwrap_err().to_string();
    let message = refused(MarineLine { shot_interval: -25.0, ..streamer() });
    assert_eq!(
        message,
        "shot interval = -25 is not allowed: it must be above 0 m; the direction of a line is its azimuth, not the \
         sign of an interval"
    );
    assert!(refused(MarineLine { group_interval: 0.0, ..streamer() }).starts_with("group interval = 0 "));
    assert!(refused(MarineLine { shots: 0, ..streamer() }).starts_with("number of shots = 0 "));
    assert!(refused(MarineLine { channels: 0, ..streamer() }).starts_with("number of channels = 0 "));
    assert!(refused(MarineLine { source_depth: -6.0, ..streamer() }).starts_with("depth of the source = -6 "));
    assert!(
        refused(MarineLine { first_shot: [0.0, f64::NAN], ..streamer() }).starts_with("y of the first shot = NaN ")
    );
    assert!(refused(MarineLine { first_number: u32::MAX, ..streamer() }).starts_with("number of shots = 4 "));
    let silent = vec![WeightedPoint::new([0.0; 3], 0.0); 2];
    let message = refused(MarineLine { group_array: silent, ..streamer() });
    assert!(message.starts_with("sum of the weights of the receiver of shot 101, channel 1 = 0 "), "{message}");
}

#[test]
fn a_split_spread_rolls_along_where_it_is_complete() {
    let survey = land().survey().unwrap();
    let numbers: Vec<u32> = survey.shots().iter().map(|shot| shot.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5], "stations 2 to 6");
    assert_eq!(survey.shots()[0].source.centre(), [20.0, 5.0, 298.0]);
    assert_eq!(channels(&survey.shots()[0]), [(1, 0.0), (2, 10.0), (3, 30.0), (4, 40.0), (5, 50.0)]);
    assert_eq!(channels(&survey.shots()[4]), [(1, 40.0), (2, 50.0), (3, 70.0), (4, 80.0), (5, 90.0)]);
}

#[test]
fn part_spreads_keep_their_channel_numbers() {
    let survey = LandLine { ends: LineEnds::PartSpreads, ..land() }.survey().unwrap();
    assert_eq!(survey.shots().len(), 10);
    assert_eq!(channels(&survey.shots()[0]), [(3, 10.0), (4, 20.0), (5, 30.0)]);
    assert_eq!(channels(&survey.shots()[1]), [(2, 0.0), (3, 20.0), (4, 30.0), (5, 40.0)]);
    assert_eq!(channels(&survey.shots()[9]), [(1, 70.0), (2, 80.0)]);
}

#[test]
fn an_end_on_spread_has_one_side_and_a_gap() {
    let line = LandLine { behind: 0, nearest: 3, station_step: 2, first_station: 1, ..land() };
    let survey = line.survey().unwrap();
    assert_eq!(survey.shots().len(), 2, "stations 1 and 3");
    assert_eq!(channels(&survey.shots()[1]), [(1, 60.0), (2, 70.0), (3, 80.0)]);
    let message = LandLine { behind: 9, ..land() }.survey().unwrap_err().to_string();
    assert!(
        message.starts_with("number of shots on the line = 0 ") && message.contains("lengthen the line"),
        "{message}"
    );
    assert!(LandLine { behind: 0, ahead: 0, ..land() }.survey().is_err());
    assert!(LandLine { station_step: 0, ..land() }.survey().is_err());
}

#[test]
fn fixed_receivers_are_stored_once() {
    let nodes: Arc<[SurveyReceiver]> =
        numbered_receivers(positions::grid([0.0, 900.0], [0.0, 400.0], [10, 5], -2000.0).unwrap()).into();
    let sources = numbered_sources(positions::line([0.0, 0.0, -5.0], [999.0, 0.0, -5.0], 1000).unwrap());
    let shots = sources.into_iter().map(|(number, source)| Shot { number, source, spread: Spread::all(nodes.clone()) });
    let survey = Survey::new(shots.collect()).unwrap();
    assert_eq!(survey.trace_count(), 50_000);
    assert_eq!(Arc::strong_count(&nodes), 1001);
    let last = survey.shots()[999].traces().last().unwrap();
    assert_eq!((last.channel, last.receiver), (50, [900.0, 400.0, -2000.0]));
}

#[test]
fn offsets_are_horizontal_distances_and_midpoints_lie_halfway() {
    let receivers = numbered_receivers([[3.0, 4.0, -50.0], [-3.0, -4.0, 0.0]]);
    let survey = one_shot(receivers).unwrap();
    let traces: Vec<_> = survey.shots()[0].traces().collect();
    assert_eq!([traces[0].offset(), traces[1].offset()], [5.0, 5.0]);
    assert_eq!([traces[0].midpoint(), traces[1].midpoint()], [[1.5, 2.0], [-1.5, -2.0]]);
}

#[test]
fn an_aperture_contains_all_points_and_the_margin() {
    let line = MarineLine {
        group_array: [-5.0, 5.0].map(|ahead| WeightedPoint::new([ahead, 0.0, 0.0], 0.5)).into(),
        ..streamer()
    };
    let aperture = line.survey().unwrap().shots()[0].aperture([100.0, 0.0, 1.0]);
    assert_eq!(aperture, Extent { low: [770.0, 0.0, -9.0], high: [1100.0, 0.0, -5.0] });
}

#[test]
fn points_outside_the_domain_are_refused_by_name() {
    let survey = streamer().survey().unwrap();
    let domain = Extent { low: [0.0, -10.0, -500.0], high: [2000.0, 10.0, 0.0] };
    survey.check_inside(&domain).unwrap();
    let message = survey.check_inside(&Extent { low: [890.0, -10.0, -500.0], ..domain }).unwrap_err().to_string();
    assert_eq!(
        message,
        "the receiver of shot 101, channel 2 is at x = 887.5, y = 0, depth = 8 m, outside the domain: \
         x from 890 to 2000, y from -10 to 10, depth from 0 to 500 m; move it, or enlarge the domain"
    );
    let message = survey.check_inside(&Extent { high: [1060.0, 10.0, 0.0], ..domain }).unwrap_err().to_string();
    assert!(message.starts_with("the source of shot 104 is at x = 1075, y = 0, depth = 6 m"), "{message}");
    // Three times 10.3 is 30.900000000000002.
    let ends = [(30.9, true), (30.899_999, false)];
    let line = MarineLine { first_shot: [0.0; 2], shot_interval: 10.3, shots: 4, ..streamer() };
    let survey = line.survey().unwrap();
    for (end, is_inside) in ends {
        let domain = Extent { low: [-125.0, -10.0, -500.0], high: [end, 10.0, 0.0] };
        assert_eq!(survey.check_inside(&domain).is_ok(), is_inside, "{end}");
    }
}

#[test]
fn duplicate_numbers_and_shots_without_receivers_are_refused_by_name() {
    let receivers = || numbered_receivers([[0.0; 3], [1.0, 0.0, 0.0]]);
    let twice = [(3, Array::point([0.0; 3])), (3, Array::point([9.0, 0.0, 0.0]))];
    assert_eq!(Survey::fixed(twice, receivers()).unwrap_err(), AcquisitionError::DuplicateShot { shot: 3 });
    let doubled = [receivers(), receivers()].concat();
    assert_eq!(one_shot(doubled).unwrap_err(), AcquisitionError::DuplicateChannel { shot: 7, channel: 1 });
    assert_eq!(one_shot(vec![]).unwrap_err(), AcquisitionError::NoReceivers { shot: 7 });
    assert!(Survey::fixed([], receivers()).unwrap_err().to_string().starts_with("number of shots = 0 "));
    let message = one_shot(numbered_receivers([[0.0, 0.0, f64::INFINITY]])).unwrap_err().to_string();
    assert!(message.starts_with("depth of the receiver of shot 7, channel 1 = -inf "), "{message}");
}

#[test]
fn windows_outside_their_list_are_refused() {
    let list: Arc<[SurveyReceiver]> = numbered_receivers([[0.0; 3], [1.0, 0.0, 0.0]]).into();
    let window = |range, first_channel| Spread::windows(list.clone(), vec![Window { range, first_channel }]);
    assert_eq!(window(1..2, Some(u32::MAX)).unwrap().receivers().next().unwrap().channel, u32::MAX);
    assert!(window(1..3, None).unwrap_err().to_string().starts_with("end of a window of receivers = 3 "));
    assert!(
        window(0..2, Some(u32::MAX)).unwrap_err().to_string().starts_with("last channel of a window = 4294967296 ")
    );
    let overlapping =
        vec![Window { range: 0..2, first_channel: Some(1) }, Window { range: 0..1, first_channel: Some(2) }];
    let shot = Shot { number: 1, source: Array::point([0.0; 3]), spread: Spread::windows(list, overlapping).unwrap() };
    assert_eq!(Survey::new(vec![shot]).unwrap_err(), AcquisitionError::DuplicateChannel { shot: 1, channel: 2 });
}

#[test]
fn relations_list_the_live_channels_of_each_shot() {
    let sources = || numbered_sources([[0.0; 3], [10.0, 0.0, 0.0]]);
    let receivers = || numbered_receivers((0..6).rev().map(|x| [f64::from(x), 0.0, 0.0]));
    let relation = |shot, from, to| Relation { shot, from, to };
    let relations = [relation(1, 1, 2), relation(2, 4, 9), relation(1, 5, 5)];
    let survey = Survey::related(sources(), receivers(), &relations).unwrap();
    assert_eq!(channels(&survey.shots()[0]), [(1, 5.0), (2, 4.0), (5, 1.0)]);
    assert_eq!(channels(&survey.shots()[1]), [(4, 2.0), (5, 1.0), (6, 0.0)]);
    let refused = |relations: &[Relation]| Survey::related(sources(), receivers(), relations).unwrap_err();
    assert_eq!(refused(&[relation(1, 7, 9)]), AcquisitionError::EmptyRelation { shot: 1, from: 7, to: 9 });
    assert_eq!(refused(&[relations[0]]), AcquisitionError::NoReceivers { shot: 2 });
    assert_eq!(refused(&[relations[0], relations[1], relation(5, 1, 1)]), AcquisitionError::UnknownShot { shot: 5 });
}

#[test]
fn consecutive_shots_with_equal_receivers_share_them() {
    let sources = numbered_sources([[0.0; 3], [10.0, 0.0, 0.0], [20.0, 0.0, 0.0]]);
    let all =
        |shot: u32| numbered_receivers([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]).into_iter().map(move |one| (shot, one));
    let other = numbered_receivers([[3.0, 0.0, 0.0]]).into_iter().map(|one| (3, one));
    let survey = Survey::from_receivers_by_shot(sources.clone(), all(1).chain(all(2)).chain(other)).unwrap();
    assert_eq!(survey.shots()[0].spread, survey.shots()[1].spread);
    assert_eq!(channels(&survey.shots()[2]), [(1, 3.0)]);
    let missing = Survey::from_receivers_by_shot(sources, all(1)).unwrap_err();
    assert_eq!(missing, AcquisitionError::NoReceivers { shot: 2 });
}

#[test]
fn tables_are_read_in_any_order_of_columns() {
    let shots = table::shots(&text("x,y,depth,shot\n0,0,5,11\n25,0,5,12\n")).unwrap();
    let receivers = table::receivers(&text("channel x y z\n1 100 0 -8\n2 200 0 -8\n")).unwrap();
    let relations = table::relations(&text("shot from to\n11 1 2\n12 2 2\n")).unwrap();
    let fixed = Survey::fixed(shots.clone(), receivers.clone()).unwrap();
    assert_eq!(fixed.shots()[1].source.centre(), [25.0, 0.0, -5.0]);
    assert_eq!(channels(&fixed.shots()[1]), [(1, 100.0), (2, 200.0)]);
    let related = Survey::related(shots.clone(), receivers, &relations).unwrap();
    assert_eq!(channels(&related.shots()[1]), [(2, 200.0)]);
    let own = text("shot channel x y depth\n12 1 300 0 8\n11 1 100 0 8\n12 2 400 0 8\n");
    let own = Survey::from_receivers_by_shot(shots, table::receivers_by_shot(&own).unwrap()).unwrap();
    assert_eq!(channels(&own.shots()[1]), [(1, 300.0), (2, 400.0)]);
}

#[test]
fn rows_with_weights_are_points_of_arrays() {
    let shots = table::shots(&text("shot x y depth weight\n1 0 0 5 2\n1 4 2 5 1\n2 25 0 5 1\n")).unwrap();
    assert_eq!(shots.len(), 2);
    assert_eq!(shots[0].1.centre(), [2.0, 1.0, -5.0]);
    let points: Vec<_> = shots[0].1.points().collect();
    assert_eq!(points[0], WeightedPoint::new([0.0, 0.0, -5.0], 2.0));
    assert_eq!(points[1], WeightedPoint::new([4.0, 2.0, -5.0], 1.0));
    assert_eq!(shots[1].1, Array::point([25.0, 0.0, -5.0]));
}

#[test]
fn bad_tables_are_refused_with_file_line_and_column() {
    let fraction = table::shots(&text("shot x y z\n1 0 0 0\n1.5 0 0 0\n")).unwrap_err().to_string();
    let allowed = "an integer from 0 to 2147483647, the range of trace headers";
    assert_eq!(fraction, format!("survey.csv:3: shot = `1.5`; expected {allowed}"));
    let large = table::receivers(&text("channel x y z\n1 0 0 0\n3000000000 0 0 0\n")).unwrap_err().to_string();
    assert_eq!(large, format!("survey.csv:3: channel = `3000000000`; expected {allowed}"));
    let both = table::shots(&text("shot x y z depth\n1 0 0 0 0\n")).unwrap_err().to_string();
    assert!(both.contains("one of the columns `depth` and `z`"), "{both}");
    let neither = table::receivers(&text("channel x y\n1 0 0\n")).unwrap_err().to_string();
    assert!(neither.contains("there is no column `z`"), "{neither}");
    let reversed = table::relations(&text("shot from to\n1 5 4\n")).unwrap_err().to_string();
    assert_eq!(reversed, "survey.csv:2: to = `4`; expected the last channel, at least `from`");
}
