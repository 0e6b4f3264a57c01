//! FDSN StationXML.

use super::*;
use crate::common::assert_refused;
use craton_formats::Result;
use craton_formats::stationxml::{XmlChannel, XmlStation};

fn parse(text: &str) -> Result<Vec<XmlStation>> {
    stationxml::parse(text, Path::new("a.xml"))
}

fn station(line: usize, network: &str, name: &str, dates: [i32; 2]) -> XmlStation {
    XmlStation {
        line,
        network: network.to_owned(),
        name: name.to_owned(),
        locations: Vec::new(),
        latitude: -22.5,
        longitude: -70.25,
        elevation: 1200.0,
        channel_elevation: None,
        burial: 0.0,
        start: Some(new_year(dates[0])),
        end: Some(new_year(dates[1])).filter(|end| end.year > 0),
    }
}

#[test]
fn written_channels_are_read_back() {
    let channel = |station: &str, code: &str, burial: f64| XmlChannel {
        station: ["CT", station].map(str::to_owned),
        channel: ["00", code].map(str::to_owned),
        latitude: -22.5,
        longitude: -70.25,
        elevation: 1200.0,
        burial,
        direction: Some([0.0, -90.0]).filter(|_| code == "LXZ"),
        sample_rate: 1.0,
        epoch: [new_year(1994), new_year(1995)],
    };
    let channels = [channel("HOLE", "LXZ", 150.0), channel("HOLE", "LXP", 150.0), channel("FLAT", "LXZ", 0.0)];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stations.xml");
    stationxml::write(&file, "Somebody & Co", "2026-01-01T00:00:00Z", &channels).unwrap();
    let of = |name: &str, burial: f64| XmlStation {
        locations: vec!["00".to_owned()],
        channel_elevation: Some(1200.0 - burial),
        burial,
        ..station(0, "CT", name, [1994, 1995])
    };
    let mut found = stationxml::read(&file).unwrap();
    found.iter_mut().for_each(|station| station.line = 0);
    assert_eq!(found, [of("HOLE", 150.0), of("FLAT", 0.0)]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(
        ["<Azimuth>0</Azimuth>", "<Dip>-90</Dip>", "Somebody &amp; Co"].map(|part| text.matches(part).count()),
        [2, 2, 1]
    );
}

#[test]
fn every_position_of_a_station_is_one_entry() {
    let places = |locations: &[&str]| locations.iter().map(|&location| location.to_owned()).collect();
    let wanted = [
        XmlStation {
            locations: places(&["00", "10"]),
            channel_elevation: Some(1200.0),
            ..station(9, "CT", "HOLE", [2000, 0])
        },
        XmlStation {
            locations: places(&["20"]),
            channel_elevation: Some(1050.0),
            burial: 150.0,
            ..station(9, "CT", "HOLE", [2006, 2012])
        },
        station(41, "CT", "FLAT", [2000, 0]),
        XmlStation { latitude: -22.75, ..station(49, "CT", "FLAT", [2011, 2015]) },
        station(59, "CU", "HOLE", [1990, 1999]),
    ];
    assert_eq!(stationxml::read(&sample("obspy_stationxml")).unwrap(), wanted);
}

#[test]
fn a_station_is_open_from_its_start_until_its_end() {
    let stations = stationxml::read(&sample("obspy_stationxml")).unwrap();
    let open = |year| stations.iter().map(|station| u8::from(station.is_open_at(new_year(year)))).collect::<Vec<_>>();
    assert_eq!(open(1989), [0, 0, 0, 0, 0]);
    assert_eq!(open(1998), [0, 0, 0, 0, 1]);
    assert_eq!(open(2008), [1, 1, 1, 0, 0]);
    // The next epoch may start when one ends.
    assert_eq!(open(2012), [1, 0, 1, 1, 0]);
    assert_eq!(open(2011), [1, 1, 1, 1, 0]);
    assert_eq!(open(2030), [1, 0, 1, 0, 0]);
}

const SMALL: &str = r#"<?xml version="1.0"?>
<f:FDSNStationXML xmlns:f="http://www.fdsn.org/xml/station/1" schemaVersion="1.0">
  <f:Network code="CT">
    <f:Station code="A" startDate="2000-01-01">
      <f:Latitude>-22.5</f:Latitude><f:Longitude>-70.25</f:Longitude>
      <f:Elevation>1200</f:Elevation>
      <f:Channel code="BHZ" locationCode="  ">
        <f:Latitude>-22.5</f:Latitude><f:Longitude>-70.25</f:Longitude>
        <f:Elevation>1195</f:Elevation>
        <f:Depth>5.0</f:Depth>
      </f:Channel>
    </f:Station>
  </f:Network>
</f:FDSNStationXML>
"#;

#[test]
fn prefixes_blank_locations_and_days_are_read() {
    let wanted = XmlStation {
        locations: vec![String::new()],
        channel_elevation: Some(1195.0),
        burial: 5.0,
        ..station(4, "CT", "A", [2000, 0])
    };
    for blank in ["  ", "--"] {
        let text = SMALL.replace("locationCode=\"  \"", &format!("locationCode=\"{blank}\""));
        assert_eq!(parse(&text).unwrap(), std::slice::from_ref(&wanted));
    }
}

#[test]
fn channels_without_coordinates_are_at_their_station() {
    let channel = "<f:Channel code=\"LHZ\" locationCode=\"10\"><f:SampleRate>1</f:SampleRate></f:Channel></f:Station>";
    let [whole] = &parse(SMALL).unwrap()[..] else { panic!("one station") };
    // Next to a channel with a position it adds nothing.
    assert_eq!(parse(&SMALL.replace("</f:Station>", channel)).unwrap(), std::slice::from_ref(whole));
    let at = SMALL.find("<f:Channel").unwrap();
    let alone = format!("{}{channel}</f:Network></f:FDSNStationXML>", &SMALL[..at]);
    let wanted = XmlStation { locations: vec!["10".to_owned()], ..station(4, "CT", "A", [2000, 0]) };
    assert_eq!(parse(&alone).unwrap(), [wanted]);
    let degrees =
        "<f:Latitude>-22.5</f:Latitude><f:Longitude>-70.25</f:Longitude>\n        <f:Elevation>1195</f:Elevation>";
    assert!(SMALL.contains(degrees));
    let buried = XmlStation { channel_elevation: None, ..whole.clone() };
    assert_eq!(parse(&SMALL.replace(degrees, "")).unwrap(), [buried]);
}

#[test]
fn missing_and_invalid_elements_are_reported_with_station_and_line() {
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from));
        SMALL.replace(from, to)
    };
    let networks = "<FDSNStationXML>\n<Network code=\"CT\"/>\n<Network code=\"CU\"/>\n</FDSNStationXML>".to_owned();
    for (text, fragments) in [
        (networks, ["a.xml:1: the file has networks without stations", "request level=station"]),
        ("<FDSNStationXML/>".to_owned(), ["the file has no networks", "level=station"]),
        ("<quakeml/>".to_owned(), ["a.xml:1: the root element is <quakeml>", "expected FDSN StationXML"]),
        (with("<f:Depth>5.0</f:Depth>", ""), ["a.xml:7: channel .BHZ of station CT.A has no <Depth>", "in metres"]),
        (with("1200", "high"), ["a.xml:6: Elevation of station CT.A = `high`", "expected a number"]),
        (with("1200", "1.2e30"), ["a.xml:6: Elevation of station CT.A = `12", "-100000 to 100000 m"]),
        (with("1195", "NaN"), ["a.xml:9: Elevation of channel .BHZ of station CT.A = `NaN`", "finite"]),
        (with("f:Longitude", "f:Lon"), ["a.xml:4: station CT.A has no <Longitude>", "in degrees"]),
        (with("-22.5", "-92.5"), ["a.xml:5: Latitude of station CT.A = `-92.5`", "-90 to 90 degrees"]),
        (with("2000-01-01", "2000-13-01"), ["a.xml:4: startDate of station CT.A = `2000-13-01`", "a valid date"]),
        (with("code=\"A\"", ""), ["a.xml:4: station CT. lacks a code", "write code"]),
        (with("</f:Network>", ""), ["a.xml:14: this is not well-formed XML", "expected FDSN StationXML"]),
    ] {
        assert_refused(parse(&text), &fragments);
    }
    let refused = parse(SMALL).unwrap()[0].refuse(Path::new("a.xml"), "lies outside the model", "leave it out");
    assert_eq!(refused.to_string(), "a.xml:4: station CT.A lies outside the model; leave it out");
}
