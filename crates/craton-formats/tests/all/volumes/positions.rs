//! Positions of the traces of SEG-Y models, from several fields of their headers.

use craton_formats::segy::{self, TraceHeader};
use craton_formats::volume::Axis;

use super::read_traces;
use crate::common::assert_refused;

#[test]
fn coordinates_of_a_segy_model_may_be_anywhere_in_the_headers() {
    // x and y of the source, bytes 73 to 80.
    let header =
        |index: i32| TraceHeader { source_x: 500 + 30 * index, cdp_x: 7 * index * index, ..TraceHeader::default() };
    let axis = |bytes| {
        read_traces(1, 4, header, |path| segy::read_model(path, false, bytes)).map(|volume| volume.axes()[1].clone())
    };
    assert_eq!(axis(Some([73, 77])).unwrap(), Axis::new(4, 500.0, 30.0).named("x", "m"));
    assert_refused(axis(None), &["ensemble (CDP) coordinates (bytes 181-188) = not evenly spaced"]);
    // The message names the given bytes.
    assert_refused(axis(Some([181, 185])), &["a.sgy: coordinates (bytes 181-188) = not evenly spaced on a line"]);
    assert_refused(axis(Some([181, 77])), &["a.sgy: coordinates (bytes 181-184 and 77-80) = not evenly spaced"]);
}

#[test]
fn a_segy_model_without_ensembles_has_the_positions_of_its_sources_or_receivers() {
    let lines = |index: i32| TraceHeader { inline: index / 3, crossline: index % 3, ..TraceHeader::default() };
    let of_source = |[source_x, source_y]: [i32; 2], index| TraceHeader { source_x, source_y, ..lines(index) };
    let of_receiver =
        |[receiver_x, receiver_y]: [i32; 2], index| TraceHeader { receiver_x, receiver_y, ..lines(index) };
    let model = |is_placed, header: &dyn Fn(i32) -> TraceHeader| {
        read_traces(1, 6, header, |path| segy::read_model(path, is_placed, None))
    };
    // The fastest axis is along y.
    let straight = |index: i32| [500 + 40 * (index / 3), 25 * (index % 3)];
    let turned = |index: i32| {
        let (fast, slow) = (index % 3, index / 3);
        [400 * fast - 300 * slow, 300 * fast + 400 * slow]
    };
    let crooked = |index: i32| [30 * (index % 3) + index * index, 40 * (index / 3)];
    let axes = [Axis::new(3, 0.0, 25.0).named("y", "m"), Axis::new(2, 500.0, 40.0).named("x", "m")];
    for (header, fields) in [
        (&of_source as &dyn Fn([i32; 2], i32) -> TraceHeader, "source coordinates (bytes 73-80)"),
        (&of_receiver, "receiver coordinates (bytes 81-88)"),
    ] {
        assert_eq!(model(false, &|index| header(straight(index), index)).unwrap().axes()[1..], axes);
        for points in [&turned as &dyn Fn(i32) -> [i32; 2], &crooked] {
            let of = |index: i32| header(points(index), index);
            assert_refused(model(false, &of), &[&format!("a.sgy: {fields} = not evenly spaced along x and y")]);
            model(true, &of).unwrap();
        }
        let angles = |index: i32| TraceHeader { coordinate_units: 3, ..header(straight(index), index) };
        assert_refused(model(false, &angles), &["trace 1, coordinate units (bytes 89-90) = 3; expected 1, length"]);
        model(true, &angles).unwrap();
    }
    // Ensembles take precedence.
    let both = |index: i32| {
        let [cdp_x, cdp_y] = straight(index);
        TraceHeader { cdp_x, cdp_y, ..of_source(turned(index), index) }
    };
    assert_eq!(model(false, &both).unwrap().axes()[1..], axes);
}

#[test]
fn a_segy_model_without_lengths_as_coordinates_is_refused_unless_placed() {
    let model = |system, is_placed, header: &dyn Fn(i32) -> TraceHeader| {
        read_traces(system, 4, header, |path| segy::read_model(path, is_placed, None))
    };
    for units in [2, 3, 4] {
        let angles = |index: i32| TraceHeader { coordinate_units: units, cdp_x: 30 * index, ..TraceHeader::default() };
        let expected =
            format!("a.sgy: trace 2, coordinate units (bytes 89-90) = {units}; expected 1, length; project angles");
        assert_refused(model(1, false, &angles), &[&expected]);
        let numbered = Axis::new(4, 1.0, 1.0).named("trace", "");
        assert_eq!(model(1, true, &angles).unwrap().axes()[1], numbered);
        // Coordinates of zero mean unknown positions, and lines have numbers.
        let empty = |_| TraceHeader { coordinate_units: units, ..TraceHeader::default() };
        assert_eq!(model(1, false, &empty).unwrap().axes()[1], numbered);
        let lines = |index: i32| TraceHeader { inline: index / 2, crossline: index % 2, ..angles(index) };
        assert_refused(model(1, false, &lines), &[&expected]);
        assert_eq!(model(1, true, &lines).unwrap().axes().len(), 3);
    }
    let metres = |index: i32| TraceHeader { cdp_x: 30 * index, ..TraceHeader::default() };
    let expected = "measurement system (bytes 3255-3256) = 3; expected 1 (metres) or 2 (feet)";
    assert_refused(model(3, true, &metres), &[expected]);
}

#[test]
fn segy_models_of_turned_or_crooked_lines_are_refused_unless_placed() {
    let model = |is_placed, header: &dyn Fn(i32) -> TraceHeader| {
        read_traces(1, 6, header, |path| segy::read_model(path, is_placed, None))
    };
    let lines = |index: i32| TraceHeader { inline: index / 3, crossline: index % 3, ..TraceHeader::default() };
    let turned = |index: i32| TraceHeader {
        cdp_x: 400 * (index % 3) - 300 * (index / 3),
        cdp_y: 300 * (index % 3) + 400 * (index / 3),
        ..lines(index)
    };
    let crooked = |index: i32| TraceHeader { cdp_x: 30 * index, cdp_y: index * index, ..lines(index) };
    let line = |index: i32| TraceHeader { inline: 0, crossline: 0, cdp_y: 9 * index * index, ..crooked(index) };
    for (header, said) in [
        (&turned as &dyn Fn(i32) -> TraceHeader, "not evenly spaced along x and y; expected"),
        (&crooked, "otherwise give axes, spacing and origin"),
        (&line, "not evenly spaced on a line; expected even spacing; otherwise give spacing and origin"),
    ] {
        assert_refused(model(false, header), &["ensemble (CDP) coordinates (bytes 181-188) = not evenly", said]);
        model(true, header).unwrap();
    }
    // Without coordinates, or with the same everywhere, positions are unknown.
    let same = |index: i32| TraceHeader { cdp_x: 7, ..lines(index) };
    for header in [&lines as &dyn Fn(i32) -> TraceHeader, &same] {
        assert_eq!(model(false, header).unwrap().axes().len(), 3);
    }
}
