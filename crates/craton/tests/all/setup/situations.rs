//! Station, event and path in the headers of seismograms.

use craton::config::SeismogramFormat;
use craton::traces::{self, Situation, Trace, TraceName};
use craton_acquisition::{Mechanism, Quantity};
use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_formats::stationxml::XmlChannel;
use craton_formats::{DateTime, quakeml};

use crate::setup::common::{
    CHUNK, CMT, CMTSOLUTION, LONG_PERIODS, STATIONS, SURFACE_STATION, TOPOGRAPHY, UTM, folder, set_up, whole_grid,
};

/// The header of a trace at the first receiver of the good scenario with some texts replaced, in a folder with some files.
fn header(files: &[(&str, &str)], changes: &[(&str, &str)], quantity: Quantity, component: &str) -> SacTrace {
    let folder = folder(files);
    let setup = set_up(folder.path(), changes).unwrap_or_else(|error| panic!("{error:?}"));
    let trace = trace_of(&setup, quantity, component);
    let file = traces::write(folder.path(), &[trace], SeismogramFormat::Sac).expect("written");
    sac::read(&file[0]).expect("SAC")
}

#[track_caller]
fn assert_near<const N: usize>(found: [Option<f64>; N], expected: [f64; N], tolerance: f64) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found.expect("a number") - expected).abs() < tolerance, "{found:?} instead of {expected}");
    }
}

/// A trace of a component at the first receiver of a scenario.
fn trace_of(setup: &craton::Setup, quantity: Quantity, component: &str) -> Trace {
    let receiver = &setup.receivers[0];
    Trace {
        name: TraceName { station: receiver.code(), quantity: Some(quantity), component: component.to_owned() },
        start: setup.start,
        dt: 0.01,
        samples: vec![0.0, 1.0],
        position: Some(receiver.position()),
        offset: None,
        situation: Situation::new(setup, receiver),
    }
}

#[test]
fn miniseed_channels_have_positions_and_orientations() {
    let folder = folder(&[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 20.0\n")]);
    let setup = set_up(folder.path(), &[UTM, STATIONS, CMT]).unwrap_or_else(|error| panic!("{error:?}"));
    let of = |quantity, component| trace_of(&setup, quantity, component);
    let traces = [
        of(Quantity::Velocity, "E"),
        of(Quantity::Velocity, "Z"),
        of(Quantity::Displacement, "Z"),
        of(Quantity::Strain, "EE"),
        of(Quantity::Pressure, "P"),
    ];
    let channels = traces::channels(&traces);
    let codes: Vec<String> =
        channels.iter().map(|channel| [&channel.station[..], &channel.channel].concat().join(".")).collect();
    assert_eq!(codes, ["XX.A..HXE", "XX.A..HXZ", "XX.A..HXP"], "quantities share channels, strain has none");
    let [east, up, pressure] = [0, 1, 2].map(|at| channels[at].direction);
    // South of the equator and east of the central meridian, grid north is west of true north.
    assert_near(east.expect("a direction").map(Some), [90.0 - 0.418, 0.0], 1e-3);
    assert_eq!((up, pressure), (Some([0.0, -90.0]), None));
    let XmlChannel { latitude, longitude, elevation, burial, sample_rate, epoch: [first, last], .. } = channels[0];
    assert_near(
        [latitude, longitude, elevation, burial, sample_rate].map(Some),
        [-13.82, -67.25, 3000.0, 20.0, 100.0],
        1e-6,
    );
    let zero = setup.event.zero.expect("a date");
    let ends = [setup.start, setup.start + 0.01].map(|time| zero.later_by(time));
    assert!(
        first.seconds_after(&ends[0]) <= 0.0 && first.seconds_after(&ends[0]) > -1.0 && first.second.fract() == 0.0
    );
    assert!(last.seconds_after(&ends[1]) >= 0.0 && last.seconds_after(&ends[1]) <= 1.0 && last.second.fract() == 0.0);
}

#[test]
fn sources_are_written_as_quakeml_events() {
    let folder = folder(&[("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 20.0\n")]);
    let changed = |changes: &[(&str, &str)]| set_up(folder.path(), changes).unwrap_or_else(|error| panic!("{error:?}"));
    let setup = changed(&[UTM, STATIONS, CMT]);
    let file = folder.path().join("events.xml");
    quakeml::write(&file, &traces::events(&setup)).expect("written");
    // Another run that reads the events has the same source.
    let again = changed(&[UTM, STATIONS, (CMT.0, "quakeml = \"events.xml\"")]);
    let [one, two] = [&setup, &again].map(|setup| &setup.sources[0]);
    let positions = [one, two].map(|source| source.position());
    assert!((0..3).all(|axis| (positions[0][axis] - positions[1][axis]).abs() < 1e-3), "{positions:?}");
    let [a, b] = [one, two].map(|source| match source.mechanism() {
        Mechanism::Moment(tensor) => tensor.to_voigt(),
        Mechanism::Force(_) => panic!("not a moment tensor"),
    });
    let size = a.iter().fold(0.0f64, |size, component| size.max(component.abs()));
    assert!((0..6).all(|at| (a[at] - b[at]).abs() <= 1e-12 * size), "{a:?} {b:?}");
    assert_eq!(setup.event.zero, again.event.zero);
    let [a, b] = [one, two].map(|source| source.half_duration().expect("a Gaussian"));
    assert!((a - 0.5).abs() < 1e-12 && (a - b).abs() < 1e-12, "{a} {b}");
    let event = &quakeml::read(&file).expect("QuakeML")[0];
    assert_eq!((&*event.name, &*event.magnitudes[0].kind), ("060994A", "Mw"));
    assert!(traces::events(&changed(&[])).is_empty(), "a box without a projection has no degrees");
}

/// Distance and azimuths: geographiclib 2.1, WGS84. The source is 6.5 km below the ground, the station on the ground.
#[test]
fn headers_contain_event_station_distance_and_azimuths_of_a_cmtsolution() {
    let hills = whole_grid(|_, _| 250.0);
    let stations = "A XX -13.82 -67.25 3000.0 0.0\n";
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", stations), ("top.asc", hills.as_str())];
    let utm = format!("{}\ntopography = \"top.asc\"", UTM.1.replace("0.0]", "1000.0]"));
    let changes = [(UTM.0, utm.as_str()), STATIONS, CMT];
    let sac = header(&files, &changes, Quantity::Velocity, "E");
    assert_near([sac.station_latitude, sac.station_longitude], [-13.82, -67.25], 1e-5);
    assert_near([sac.station_elevation, sac.station_depth], [250.0, 0.0], 1e-9);
    assert_near([sac.event_latitude, sac.event_longitude, sac.event_depth_km], [-13.8, -67.2, 6.5], 1e-5);
    assert_near([sac.distance_km], [5.841427], 1e-5);
    assert_near([sac.event_azimuth, sac.back_azimuth], [247.734463, 67.746398], 1e-3);
    assert_near([sac.arc], [0.0524844], 1e-6);
    assert_eq!((sac.origin, &*sac.event_name), (Some(0.0), "060994A"));
    // Time 0 is the centroid time, 3 s after the origin time of the header.
    let zero = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 19.4 };
    assert_eq!(sac.reference, Some(zero));

    let delayed = CMT.1.to_owned() + "\ndelay = 50.0";
    let sac = header(&files, &[changes[0], STATIONS, (CMT.0, &delayed)], Quantity::Velocity, "E");
    assert_eq!(sac.origin, Some(50.0));
    assert_eq!(sac.reference, Some(DateTime { minute: 32, second: 29.4, ..zero }));
}

#[test]
fn time_0_may_be_the_origin_time() {
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 0.0\n")];
    let of = |lines: &str| {
        let source = format!("{}\nzero = \"origin\"\n{lines}", CMT.1);
        header(&files, &[UTM, STATIONS, (CMT.0, &source)], Quantity::Velocity, "E")
    };
    let origin = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 };
    let plain = of("");
    assert_eq!((plain.origin, plain.reference), (Some(0.0), Some(origin)));
    assert_eq!(plain.pick, Some((3.0, "centroid".to_owned())));
    // A delay does not change the date of the origin.
    let delayed = of("delay = 10.0");
    assert_eq!((delayed.origin, delayed.reference), (Some(10.0), Some(DateTime { second: 6.4, ..origin })));
    assert_eq!(delayed.pick, Some((13.0, "centroid".to_owned())));
    // If time 0 is the centroid time, there is no pick.
    assert_eq!(header(&files, &[UTM, STATIONS, CMT], Quantity::Velocity, "E").pick, None);
}

/// A force, which has no date.
const FORCE: &str = "position = [0.0, 0.0, -3000.0]\nforce = [1.0, 0.0, 0.0]\n\
                     time_function.gaussian = { sigma = 0.2, centre = 2.0 }\n";

#[test]
fn an_event_keeps_its_times_and_dates_among_other_sources() {
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 0.0\n")];
    let origin = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 };
    let at = |second: f64| Some(DateTime { second, ..origin });
    for order in 0..3 {
        let of = |lines: &str| {
            let event = format!("{}\n{lines}\n", CMT.1);
            let source = [&[&*event][..], &[&event, FORCE], &[FORCE, &event]][order].join("[[source]]\n");
            header(&files, &[UTM, STATIONS, (CMT.0, &source)], Quantity::Velocity, "E")
        };
        // The origin is at 33:16.4 and the centroid 3 s later, whatever time 0 and the delay are.
        let plain = of("zero = \"origin\"");
        assert_eq!((plain.origin, plain.reference), (Some(0.0), at(16.4)));
        assert_eq!(plain.pick, Some((3.0, "centroid".to_owned())));
        let delayed = of("zero = \"origin\"\ndelay = 10.0");
        assert_eq!((delayed.origin, delayed.reference), (Some(10.0), at(6.4)));
        assert_eq!(delayed.pick, Some((13.0, "centroid".to_owned())));
        let centroid = of("delay = 10.0");
        assert_eq!((centroid.origin, centroid.reference, centroid.pick), (Some(10.0), at(9.4), None));
        assert_eq!(centroid.event_name, "060994A");
        assert_near([centroid.event_latitude, centroid.event_longitude], [-13.8, -67.2], 1e-5);
    }
}

#[test]
fn the_earlier_of_two_files_defines_name_time_and_date_despite_its_delay() {
    let second = CMTSOLUTION.replace("0 33 16.40", "0 34 22.40").replace("060994A", "LATER");
    let files = [("first", CMTSOLUTION), ("second", &*second), ("STATIONS", "A XX -13.82 -67.25 3000.0 0.0\n")];
    let first = "cmtsolution = \"first\"\nzero = \"origin\"\ndelay = 100.0\n";
    let second = "cmtsolution = \"second\"\nzero = \"origin\"\n";
    let long = ("duration = 9.0", "duration = 200.0");
    for sources in [[first, second], [second, first]] {
        let source = sources.join("[[source]]\n");
        let sac = header(&files, &[UTM, long, STATIONS, (CMT.0, &source)], Quantity::Velocity, "E");
        assert_eq!((&*sac.event_name, sac.origin), ("060994A", Some(100.0)));
        assert_eq!(sac.pick, Some((103.0, "centroid".to_owned())));
        let zero = sac.reference.expect("a date");
        assert_eq!((zero.hour, zero.minute, zero.second), (0, 31, 36.4));
    }
}

#[test]
fn radial_components_refer_to_the_event_of_the_headers() {
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 0.0\n")];
    let folder = folder(&files);
    let other = "longitude = -67.24\nlatitude = -13.83\ndepth = 5000.0\nforce = [1.0, 0.0, 0.0]\ndelay = -5.0\n\
                 time_function.gaussian = { sigma = 0.2 }";
    let radial = ("[receivers]\n", "[receivers]\ncomponents = [\"radial\"]\n");
    for sources in [[CMT.1, other], [other, CMT.1]] {
        let source = sources.join("\n[[source]]\n");
        let setup = set_up(folder.path(), &[UTM, STATIONS, radial, (CMT.0, &source)]);
        let setup = setup.unwrap_or_else(|error| panic!("{error:?}"));
        let [x, y, _] = setup.event.position.expect("an event");
        assert_eq!(setup.directions.epicentre, Some([x, y]));
        let [longitude, latitude] = setup.frame.to_map([x, y]);
        assert_near([Some(longitude), Some(latitude)], [-67.2, -13.8], 1e-5);
        assert!(
            setup.warnings.iter().any(|warning| warning.contains("first by date of 2 sources")),
            "{:?}",
            setup.warnings
        );
    }
}

#[test]
fn stations_of_a_file_keep_their_elevation_in_a_flat_model() {
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", "A XX -13.82 -67.25 3000.0 20.0\n")];
    let sac = header(&files, &[UTM, STATIONS, CMT], Quantity::Velocity, "E");
    assert_near([sac.station_elevation, sac.station_depth], [3000.0, 20.0], 1e-3);
}

#[test]
fn an_elevation_out_of_range_is_refused_at_its_line() {
    let stations = |elevation: &str| format!("# far away\nA XX -13.82 -67.25 {elevation} 20.0\n");
    crate::setup::common::assert_errors(
        &[("STATIONS", &stations("1e40"))],
        &[UTM, STATIONS],
        "it.toml:17:17: receivers.stations_file = \"STATIONS\": line 2: elevation = `1e40` (allowed: -100000 to 100000 m; use 99999 or -12345 if it is unknown)",
    );
    // Markers of unknown elevations give the ground of the model.
    for (written, expected) in [("100000", 1e5), ("99999", 0.0), ("-12345.0", 0.0)] {
        let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", &*stations(written))];
        assert_near(
            [header(&files, &[UTM, STATIONS, CMT], Quantity::Velocity, "E").station_elevation],
            [expected],
            1e-2,
        );
    }
}

/// A QuakeML event within the domain of [`UTM`], with a long identifier.
const QUAKE: &str = r#"<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">
<eventParameters publicID="smi:local/p"><event publicID="quakeml:us.anss.org/event/060994A">
<description><text>NEAR NORTHERN BOLIVIA</text><type>earthquake name</type></description>
<origin publicID="smi:local/o"><time><value>1994-06-09T00:33:16.4Z</value></time><latitude><value>-13.8</value></latitude>
<longitude><value>-67.2</value></longitude><depth><value>6500</value></depth></origin>
<focalMechanism publicID="smi:local/fm"><momentTensor publicID="smi:local/mt"><derivedOriginID>smi:local/o</derivedOriginID>
<tensor><Mrr><value>-7.59e20</value></Mrr><Mtt><value>7.75e20</value></Mtt><Mpp><value>-0.16e20</value></Mpp>
<Mrt><value>-25.03e20</value></Mrt><Mrp><value>0.42e20</value></Mrp><Mtp><value>-2.48e20</value></Mtp></tensor>
<sourceTimeFunction><type>triangle</type><duration>1</duration></sourceTimeFunction>
</momentTensor></focalMechanism></event></eventParameters></q:quakeml>"#;

#[test]
fn the_header_contains_the_name_of_a_quakeml_event() {
    let name = "<description><text>NEAR NORTHERN BOLIVIA</text><type>earthquake name</type></description>\n";
    let nameless = QUAKE.replace(name, "");
    let source = (CMT.0, "quakeml = \"event.xml\"");
    for (quake, known) in [(QUAKE, "NEAR NORTHERN BO"), (&*nameless, "060994A")] {
        let files = [("event.xml", quake), ("STATIONS", "A XX -13.82 -67.25 0.0 0.0\n")];
        let sac = header(&files, &[UTM, STATIONS, source], Quantity::Velocity, "E");
        assert_eq!((&*sac.event_name, sac.origin), (known, Some(0.0)));
        assert_near([sac.event_latitude, sac.event_longitude, sac.event_depth_km], [-13.8, -67.2, 6.5], 1e-5);
    }
}

#[test]
fn positions_on_the_sides_of_a_chunk_are_inside_despite_round_off() {
    let chunk = CHUNK.1.replace("[16, 16]", "[40, 40]").replace("rotation = 20", "latitudes = \"geocentric\"");
    let stations = "N XX 6.18 -67.25 0.0 0.0\nS XX -33.82 -67.25 0.0 0.0\n";
    let folder = folder(&[("STATIONS", stations)]);
    let setup = set_up(folder.path(), &[(CHUNK.0, &chunk), LONG_PERIODS, STATIONS]).expect("stations on the sides");
    assert_eq!([0, 1].map(|index| setup.receivers[index].position()[1]), [setup.y[1], setup.y[0]]);
}

#[test]
fn a_station_at_a_pole_is_oriented_by_its_longitude() {
    let chunk = CHUNK.1.replace("longitude = -67.25, latitude = -13.82", "longitude = 30.0, latitude = -84.0");
    let stations = "SPA IU -90.0 -75.0 2850.0 0.0\n";
    let source = CMTSOLUTION.replace("-13.8000", "-86.0").replace("-67.2000", "-20.0");
    let files = [("CMTSOLUTION", &*source), ("STATIONS", stations)];
    let sac = header(&files, &[(CHUNK.0, &chunk), LONG_PERIODS, STATIONS, CMT], Quantity::Velocity, "E");
    assert_near([sac.station_latitude, sac.station_longitude, sac.station_elevation], [-90.0, -75.0, 2850.0], 1e-3);
    // East is clockwise around the south pole, seen from above: the meridian 20 W is 55 degrees from 75 W.
    assert_near([sac.back_azimuth, sac.event_azimuth], [55.0, 180.0], 1e-2);
    assert_near([sac.arc], [4.0], 0.03);
}

#[test]
fn the_earliest_source_defines_name_date_and_position() {
    let later = CMTSOLUTION.replace("time shift:     3.0000", "time shift:     4.5000").replace("-67.2000", "-67.2300");
    let files = [("CMTSOLUTION", &*format!("{later}{CMTSOLUTION}")), ("STATIONS", "A XX -13.82 -67.25 0 0\n")];
    let sac = header(&files, &[UTM, STATIONS, CMT], Quantity::Velocity, "E");
    assert_eq!((&*sac.event_name, sac.origin), ("060994A", Some(0.0)));
    assert_eq!(sac.reference.expect("a date").second, 19.4);
    assert_near([sac.event_latitude, sac.event_longitude, sac.event_depth_km], [-13.8, -67.2, 6.5], 1e-5);
    assert_near([sac.distance_km, sac.event_azimuth, sac.back_azimuth], [5.841427, 247.734463, 67.746398], 1e-3);
}

#[test]
fn without_a_projection_distance_and_azimuths_are_planar() {
    let sac = header(&[], &[], Quantity::Velocity, "Z");
    assert_near([sac.distance_km], [10.0], 1e-6);
    assert_near([sac.event_azimuth, sac.back_azimuth], [53.130102, 233.130102], 1e-4);
    // The centre of a Gaussian of sigma 0.1 s that starts at zero.
    assert_near([sac.origin], [0.6], 1e-7);
    let nowhere = [sac.station_latitude, sac.station_longitude, sac.event_latitude, sac.event_longitude, sac.arc];
    assert_eq!(nowhere, [None; 5]);
    assert_eq!((sac.reference, &*sac.event_name), (None, ""));
    let low = whole_grid(|_, _| -500.0);
    let buried = header(&[("top.asc", &low)], &[TOPOGRAPHY, SURFACE_STATION], Quantity::Velocity, "Z");
    assert_eq!((buried.station_elevation, buried.station_depth), (None, None));
}

#[test]
fn several_sources_in_a_scenario_are_not_an_event() {
    let second = "[[source]]\nposition = [0.0, 0.0, -3000.0]\nforce = [1.0, 0.0, 0.0]\ntime_function.gaussian = { sigma = 0.2 }\n[receivers]";
    let sac = header(&[], &[("[receivers]", second)], Quantity::Velocity, "Z");
    assert_eq!((sac.origin, sac.distance_km, sac.event_azimuth), (None, None, None));
}

#[test]
fn every_quantity_has_its_unit_and_its_kind() {
    for (quantity, component, unit, kind) in [
        (Quantity::Displacement, "X", "m", SacQuantity::Displacement),
        (Quantity::Velocity, "Y", "m/s", SacQuantity::Velocity),
        (Quantity::Acceleration, "Z", "m/s^2", SacQuantity::Acceleration),
        (Quantity::Strain, "XY", "1", SacQuantity::Other),
        (Quantity::Pressure, "P", "Pa", SacQuantity::Other),
    ] {
        let sac = header(&[], &[], quantity, component);
        assert_eq!((&*sac.unit, sac.quantity), (unit, kind));
        let direction = match component {
            "X" => [Some(90.0), Some(90.0)],
            "Y" => [Some(0.0), Some(90.0)],
            "Z" => [Some(0.0), Some(0.0)],
            _ => [None, None],
        };
        assert_eq!([sac.azimuth, sac.inclination], direction);
    }
}

#[test]
fn miniseed_requires_an_event_date_in_its_range() {
    let miniseed = ("directory = \"results\"", "directory = \"results\"\nseismograms = [\"miniseed\"]");
    let old = CMTSOLUTION.replace("PDE  1994", "PDE  1894");
    let stations = "A XX -13.82 -67.25 3000.0 0.0\n";
    let files = [("CMTSOLUTION", &*old), ("STATIONS", stations)];
    let errors = crate::setup::common::errors(folder(&files).path(), &[UTM, CMT, STATIONS, miniseed]);
    assert!(
        errors.ends_with(
            "output.seismograms: miniSEED does not support the year 1894 of the event (allowed: years 1900 to 2100; correct the date in the source file, or choose \"sac\" or \"text\")"
        ),
        "{errors}"
    );
    let files = [("CMTSOLUTION", CMTSOLUTION), ("STATIONS", stations)];
    set_up(folder(&files).path(), &[UTM, CMT, STATIONS, miniseed]).expect("a supported date");
}
