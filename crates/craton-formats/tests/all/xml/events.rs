//! QuakeML.

use super::*;
use crate::common::assert_refused;
use craton_formats::quakeml::{OriginType, QuakeEvent, QuakeOrigin, SourceTimeFunction, TimeFunctionShape};
use craton_formats::{Result, cmtsolution};

const ORIGIN: DateTime = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 };

fn parse(text: &str) -> Result<Vec<QuakeEvent>> {
    quakeml::parse(text, Path::new("a.xml"))
}

fn from_obspy() -> [QuakeEvent; 2] {
    quakeml::read(&sample("obspy_quakeml")).unwrap().try_into().unwrap()
}

#[test]
fn an_event_written_by_obspy_is_read() {
    let [bolivia, small] = from_obspy();
    assert_eq!([bolivia.line, small.line], [4, 98]);
    assert_eq!([&*bolivia.public_id, &*bolivia.name], ["smi:local/event/1", "NORTHERN BOLIVIA"]);
    let hypocenter = QuakeOrigin {
        public_id: "smi:local/origin/hypocenter".to_owned(),
        agency: "PDE".to_owned(),
        time: ORIGIN,
        latitude: -13.83,
        longitude: -67.56,
        depth: Some(637_000.0),
        origin_type: OriginType::Hypocenter,
    };
    let centroid = QuakeOrigin {
        public_id: "smi:local/origin/centroid".to_owned(),
        time: DateTime { minute: 34, second: 3.46, ..ORIGIN },
        latitude: -13.82,
        longitude: -67.25,
        depth: Some(647_100.0),
        origin_type: OriginType::Centroid,
        ..hypocenter.clone()
    };
    assert_eq!((&bolivia.origin, bolivia.centroid()), (&hypocenter, &centroid));
    let magnitudes: Vec<_> = bolivia.magnitudes.iter().map(|found| (found.value, &*found.kind)).collect();
    assert_eq!(magnitudes, [(8.2, "Mwc"), (6.9, "mb")]);
    let small_origin = (small.origin.time, small.origin.depth, small.origin.origin_type);
    assert_eq!(small_origin, (DateTime { hour: 1, second: 0.0, ..ORIGIN }, None, OriginType::Other));
    assert_eq!((small.centroid(), &*small.name, &small.moment), (&small.origin, "", &None));
    assert_eq!((small.half_duration(), small.time_shift(), small.cmt_source()), (None, 0.0, None));
}

#[test]
fn written_events_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("event.xml");
    for name in ["obspy_quakeml", "prefixed_quakeml"] {
        let mut events = quakeml::read(&sample(name)).unwrap();
        events[0].name = "A < B & \"C\" > D".to_owned();
        quakeml::write(&file, &events).unwrap();
        let without_lines = |mut events: Vec<QuakeEvent>| {
            events.iter_mut().for_each(|event| event.line = 0);
            events
        };
        assert_eq!(without_lines(quakeml::read(&file).unwrap()), without_lines(events));
    }
}

#[test]
fn a_moment_tensor_is_rotated_to_east_north_up() {
    let [bolivia, _] = from_obspy();
    let moment = bolivia.moment.as_ref().unwrap();
    assert_eq!((&*moment.mechanism_id, moment.scalar_moment), ("smi:local/mechanism/1", Some(2.63e21)));
    assert_eq!(moment.spherical, [-7.59e20, 7.75e20, -1.6e19, -2.503e21, 4.2e19, -2.48e20]);
    assert_eq!(moment.moment_newton_metre(), [-1.6e19, 7.75e20, -7.59e20, 2.503e21, 4.2e19, 2.48e20]);
    let triangle =
        SourceTimeFunction { shape: TimeFunctionShape::Triangle, duration: 40.0, rise_time: None, decay_time: None };
    assert_eq!(moment.time_function, Some(triangle));
    assert_eq!((bolivia.half_duration(), bolivia.time_shift()), (Some(20.0), 47.06));
}

#[test]
fn an_event_without_a_name_uses_the_end_of_its_identifier() {
    let [bolivia, _] = from_obspy();
    let called = |public_id: &str| {
        let event = QuakeEvent { public_id: public_id.to_owned(), name: String::new(), ..bolivia.clone() };
        event.short_name().to_owned()
    };
    for (public_id, name) in [
        ("smi:local/event/1", "1"),
        ("quakeml:us.anss.org/event/20005JDB", "20005JDB"),
        ("smi:ISC/evid=325338", "325338"),
        ("smi:local/060994A/", "060994A"),
        ("060994A", "060994A"),
        ("", ""),
    ] {
        assert_eq!(called(public_id), name);
    }
    assert_eq!(bolivia.short_name(), "NORTHERN BOLIVIA");
}

#[test]
fn an_event_is_converted_to_a_cmtsolution() {
    let [bolivia, _] = from_obspy();
    let source = bolivia.cmt_source().unwrap();
    assert_eq!((&*source.agency, source.origin, &*source.event_name), ("PDE", ORIGIN, "NORTHERN BOLIVIA"));
    assert_eq!(source.catalogue, "-13.83 -67.56 637 6.9 0 NORTHERN BOLIVIA");
    assert_eq!((source.time_shift, source.half_duration, source.depth()), (47.06, 20.0, 647_100.0));
    assert_eq!([source.latitude_or_y, source.longitude_or_x], [-13.82, -67.25]);
    let ours = bolivia.moment.as_ref().unwrap().moment_newton_metre();
    for (found, wanted) in source.moment_newton_metre().into_iter().zip(ours) {
        assert!((found / wanted - 1.0).abs() < 1e-15, "{found} instead of {wanted}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("CMTSOLUTION");
    cmtsolution::write(&path, std::slice::from_ref(&source)).unwrap();
    assert_eq!(cmtsolution::read(&path).unwrap(), [source]);
}

#[test]
fn prefixes_order_and_foreign_elements_do_not_matter() {
    let events = quakeml::read(&sample("prefixed_quakeml")).unwrap();
    let [chile] = &events[..] else { panic!("one event") };
    assert_eq!((chile.line, &*chile.name, &chile.magnitudes[..]), (7, "OFF COAST OF CENTRAL CHILE", &[][..]));
    assert_eq!([chile.origin.latitude, chile.origin.longitude], [-36.122, -72.898]);
    let time = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 11.53 };
    assert_eq!((chile.origin.time, chile.origin.depth), (time, Some(22_900.0)));
    let moment = chile.moment.as_ref().unwrap();
    assert_eq!(moment.spherical, [1e22, 2e22, -3e22, 4e22, 5e22, 6e22]);
    assert_eq!((moment.scalar_moment, &moment.origin), (None, &None));
    assert_eq!(chile.centroid(), &chile.origin);
    let function = moment.time_function.unwrap();
    assert_eq!(function.shape, TimeFunctionShape::Trapezoid);
    assert_eq!([Some(function.duration), function.rise_time, function.decay_time], [110.5, 30.0, 40.0].map(Some));
}

/// An event as in catalogues of moment tensors: the centroid is first and preferred, and other elements surround the tensor.
const CENTROID_FIRST: &str = r#"<q:quakeml xmlns="http://quakeml.org/xmlns/bed/1.2" xmlns:q="http://quakeml.org/xmlns/quakeml/1.2">
<eventParameters publicID="smi:local/catalogue"><event publicID="smi:local/momenttensor/C201002270634A">
<preferredOriginID>smi:local/C201002270634A#cmtorigin</preferredOriginID>
<preferredMagnitudeID>smi:local/C201002270634A#magnitude</preferredMagnitudeID>
<type>earthquake</type>
<description><text>OFF COAST OF CENTRAL CHILE</text><type>region name</type></description>
<origin publicID="smi:local/C201002270634A#cmtorigin">
<time><value>2010-02-27T06:35:14.700000Z</value><uncertainty>0.1</uncertainty></time>
<latitude><value>-35.98</value></latitude><longitude><value>-73.15</value></longitude>
<depth><value>23200.0</value></depth><depthType>from moment tensor inversion</depthType>
<timeFixed>false</timeFixed><epicenterFixed>false</epicenterFixed><type>centroid</type></origin>
<origin publicID="smi:local/C201002270634A#reforigin">
<time><value>2010-02-27T06:34:13.000000Z</value></time>
<latitude><value>-35.84</value></latitude><longitude><value>-72.71</value></longitude>
<depth><value>33000.0</value></depth><type>hypocenter</type><creationInfo><agencyID>PDE</agencyID></creationInfo></origin>
<magnitude publicID="smi:local/C201002270634A#mb"><mag><value>7.2</value></mag><type>mb</type></magnitude>
<magnitude publicID="smi:local/C201002270634A#magnitude"><mag><value>8.8</value></mag><type>Mwc</type>
<originID>smi:local/C201002270634A#cmtorigin</originID></magnitude>
<focalMechanism publicID="smi:local/C201002270634A#focalmechanism">
<nodalPlanes><nodalPlane1><strike><value>19</value></strike><dip><value>18</value></dip></nodalPlane1></nodalPlanes>
<momentTensor publicID="smi:local/C201002270634A#momenttensor">
<derivedOriginID>smi:local/C201002270634A#cmtorigin</derivedOriginID>
<dataUsed><waveType>surface waves</waveType><stationCount>100</stationCount></dataUsed>
<scalarMoment><value>1.9E22</value></scalarMoment>
<tensor><Mrr><value>1.0E22</value><uncertainty>1.0E20</uncertainty></Mrr><Mtt><value>0.0</value></Mtt>
<Mpp><value>-1.0E22</value></Mpp><Mrt><value>2.0E21</value></Mrt><Mrp><value>-1.5E22</value></Mrp>
<Mtp><value>-4.0E21</value></Mtp></tensor>
<variance>0.1</variance><doubleCouple>0.95</doubleCouple><clvd>0.05</clvd>
<sourceTimeFunction><type>triangle</type><duration>120.0</duration></sourceTimeFunction>
</momentTensor></focalMechanism></event></eventParameters></q:quakeml>"#;

#[test]
fn the_hypocentre_is_used_even_if_the_centroid_is_preferred() {
    let source_of = |text: &str| parse(text).unwrap()[0].cmt_source().unwrap();
    let chile = source_of(CENTROID_FIRST);
    let begun = DateTime { year: 2010, month: 2, day: 27, hour: 6, minute: 34, second: 13.0 };
    assert_eq!((chile.origin, chile.half_duration, chile.depth_km), (begun, 60.0, 23.2));
    assert!((chile.time_shift - 61.7).abs() < 1e-9, "{}", chile.time_shift);
    assert_eq!([chile.latitude_or_y, chile.longitude_or_x], [-35.98, -73.15]);
    assert_eq!((&*chile.agency, &*chile.catalogue), ("PDE", "-35.84 -72.71 33 7.2 0 OFF COAST OF CENTRAL CHILE"));
    // Without a preferred origin, or without the origin of the tensor, the types are used.
    for absent in ["preferredOriginID", "derivedOriginID"] {
        assert_eq!(source_of(&CENTROID_FIRST.replace(absent, "nothing")), chile);
    }
    // Only the centroid is known.
    let alone = source_of(&CENTROID_FIRST.replace("hypocenter", "centroid"));
    assert_eq!((alone.time_shift, alone.origin.minute), (0.0, 35));
}

/// Two origins without types, of which the preferred one is the centroid, as in the files of SPUD.
const TRIGGERED: &str = r#"<q:quakeml xmlns="http://quakeml.org/xmlns/bed/1.2" xmlns:q="http://quakeml.org/xmlns/quakeml/1.2">
<eventParameters publicID="smi:x/p"><event publicID="smi:x/e"><focalMechanism publicID="smi:x/f">
<momentTensor publicID="smi:x/m"><derivedOriginID>smi:x/ref</derivedOriginID><tensor><Mrr><value>1e18</value></Mrr>
<Mtt><value>-1e18</value></Mtt><Mpp><value>0</value></Mpp><Mrt><value>0</value></Mrt><Mrp><value>0</value></Mrp>
<Mtp><value>0</value></Mtp></tensor></momentTensor><triggeringOriginID>smi:x/ref</triggeringOriginID></focalMechanism>
<origin publicID="smi:x/ref"><time><value>2013-05-24T05:44:49Z</value></time><longitude><value>1</value></longitude>
<latitude><value>0</value></latitude><depth><value>60000</value></depth></origin>
<origin publicID="smi:x/cmt"><time><value>2013-05-24T05:45:07Z</value></time><longitude><value>2</value></longitude>
<latitude><value>1</value></latitude><depth><value>50000</value></depth></origin>
<preferredOriginID>smi:x/cmt</preferredOriginID></event></eventParameters></q:quakeml>"#;

#[test]
fn the_origin_that_triggered_a_mechanism_is_the_hypocentre() {
    let derived = TRIGGERED.replace("<derivedOriginID>smi:x/ref", "<derivedOriginID>smi:x/cmt");
    let underived = TRIGGERED.replace("<derivedOriginID>smi:x/ref</derivedOriginID>", "");
    let typed = TRIGGERED.replace("50000</value></depth>", "50000</value></depth><type>centroid</type>");
    let reversed = derived.replace("<preferredOriginID>smi:x/cmt", "<preferredOriginID>smi:x/ref");
    for text in [TRIGGERED, &derived, &underived, &typed, &reversed] {
        let event = &parse(text).unwrap()[0];
        let places = [&event.origin, event.centroid()].map(|origin| &*origin.public_id);
        assert_eq!((places, event.time_shift()), (["smi:x/ref", "smi:x/cmt"], 18.0), "{text}");
    }
    // A tensor at the hypocentre, of which another agency has a better one, keeps its position.
    let relocated = TRIGGERED.replace("50000</value></depth>", "50000</value></depth><type>hypocenter</type>");
    let event = &parse(&relocated).unwrap()[0];
    assert_eq!((&*event.origin.public_id, &*event.centroid().public_id), ("smi:x/cmt", "smi:x/ref"));
    // Without a trigger, nothing tells them apart.
    let silent = derived.replace("<triggeringOriginID>smi:x/ref</triggeringOriginID>", "");
    assert_eq!(parse(&silent).unwrap()[0].time_shift(), 0.0);
}

#[test]
fn a_tensor_that_contradicts_its_moment_or_magnitude_is_detected() {
    let contradiction = |text: &str| parse(text).unwrap()[0].contradiction();
    assert_eq!(contradiction(CENTROID_FIRST), None);
    let dyn_cm = CENTROID_FIRST.replace("E22", "E29").replace("E21", "E28");
    let problem = contradiction(&dyn_cm).unwrap();
    assert_eq!(problem, "has a moment tensor of 1.9e29 N m and Mwc 8.8, which is 2.0e22 N m");
    // One matching magnitude is enough; without any, the scalar moment is compared, and other kinds of magnitude are ignored.
    let scalar = CENTROID_FIRST.replace("1.9E22", "1.9E29");
    assert_eq!(contradiction(&scalar), None);
    assert!(scalar.contains("Mwc"));
    let problem = contradiction(&scalar.replace("Mwc", "Mw(mB)")).unwrap();
    assert_eq!(problem, "has a moment tensor of 1.9e22 N m and scalarMoment = 1.9e29 N m");
    assert_eq!(contradiction(&dyn_cm.replace("Mwc", "Mwp")), None);
}

#[test]
fn missing_and_invalid_elements_are_reported_with_event_and_line() {
    let text = text("prefixed_quakeml");
    let with = |from: &str, to: &str| {
        assert!(text.contains(from));
        text.replace(from, to)
    };
    for (text, fragments) in [
        (
            with("bed:origin ", "bed:place ").replace("bed:origin>", "bed:place>"),
            ["a.xml:7: event `smi:local/event/a1` has no <origin>", "with origins"],
        ),
        (
            with("bed:latitude", "bed:breadth"),
            ["a.xml:13: origin `smi:local/origin/a1` of event `smi:local/event/a1` has no <latitude>", "degrees"],
        ),
        (with("-36.122", "-136.122"), ["a.xml:21: latitude of origin `smi:local/origin/a1`", "-90 to 90 degrees"]),
        (with("-36.122", "south"), ["a.xml:21: latitude of", "= `south`; expected a number"]),
        (with("22900<", "inf<"), ["a.xml:22: depth of", "a finite number"]),
        (with("2010-02-27", "2010-02-29"), ["a.xml:15: time of", "a valid date and time"]),
        (
            with("Mrt", "Mtr"),
            [
                "a.xml:33: the moment tensor of event `smi:local/event/a1` has no <Mrt>",
                "all of Mrr, Mtt, Mpp, Mrt, Mrp, Mtp",
            ],
        ),
        (with("5.0E22", ""), ["a.xml:36: Mrp of the moment tensor of event `smi:local/event/a1` = ``", "a number"]),
        (with("bed:duration", "bed:length"), ["a.xml:41: the source time function of event", "has no <duration>"]),
        (with("110.5", "-1"), ["a.xml:43: duration of the source time function", "seconds"]),
        (
            with("bed:event ", "bed:quake ").replace("bed:event>", "bed:quake>"),
            ["a.xml:3: the file has no events", "search"],
        ),
        (with("</bed:event>", ""), ["a.xml:50: this is not well-formed XML", "expected QuakeML"]),
        (String::new(), ["a.xml:1: this is not well-formed XML", "check whether the file was truncated"]),
        ("<FDSNStationXML/>".to_owned(), ["a.xml:1: the root element is <FDSNStationXML>", "expected QuakeML"]),
    ] {
        assert_refused(parse(&text), &fragments);
    }
}

#[test]
fn the_error_of_a_refused_event_has_its_line() {
    let [_, small] = from_obspy();
    let refused = small.refuse(Path::new("a.xml"), "has no moment tensor", "choose another").to_string();
    assert_eq!(refused, "a.xml:98: event `smi:local/event/2` has no moment tensor; choose another");
}
