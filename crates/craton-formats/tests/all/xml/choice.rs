//! Channels of FDSN StationXML, and the choice of some.

use super::*;
use crate::common::assert_refused;
use craton_formats::stationxml::{ChannelChoice, ChannelEpoch, XmlStation};

fn of(channels: &[&str], locations: &[&str], time: Option<DateTime>) -> ChannelChoice {
    let owned = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    ChannelChoice { channels: owned(channels), locations: owned(locations), time }
}

fn chosen(choice: &ChannelChoice) -> Vec<XmlStation> {
    stationxml::read_chosen(&sample("obspy_channels"), choice).unwrap()
}

/// Name, latitude, burial and location codes of stations.
fn places(stations: &[XmlStation]) -> Vec<(String, f64, f64, String)> {
    let place = |station: &XmlStation| {
        let name = format!("{}.{}", station.network, station.name);
        (name, station.latitude, station.burial, station.locations.join("+"))
    };
    stations.iter().map(place).collect()
}

fn place(name: &str, latitude: f64, burial: f64, locations: &str) -> (String, f64, f64, String) {
    (name.to_owned(), latitude, burial, locations.to_owned())
}

#[test]
fn every_epoch_of_a_channel_is_read() {
    let channels = stationxml::read_channels(&sample("obspy_channels")).unwrap();
    assert_eq!(channels.len(), 20);
    let ChannelEpoch { line, code, location, place, is_placed, azimuth, dip, station_epoch } = &channels[10];
    assert_eq!((&**code, &**location, *is_placed), ("BH1", "10", true));
    assert_eq!((*azimuth, *dip, *station_epoch), (Some(300.0), Some(0.0), [Some(new_year(2000)), None]));
    assert!(text("obspy_channels").lines().nth(line - 1).unwrap().contains("<Channel code=\"BH1\""));
    let wanted = XmlStation {
        line: 9,
        network: "CT".to_owned(),
        name: "HOLE".to_owned(),
        locations: vec!["10".to_owned()],
        latitude: -22.5,
        longitude: -70.25,
        elevation: 1200.0,
        channel_elevation: Some(1050.0),
        burial: 150.0,
        start: Some(new_year(2006)),
        end: Some(new_year(2015)),
    };
    assert_eq!(*place, wanted);
    // The channel opens a year before its station.
    assert!(channels[0].place.is_open_at(new_year(1999)) && !channels[0].is_open_at(new_year(1999)));
}

#[test]
fn the_channels_that_obspy_selects_are_chosen() {
    let channels = stationxml::read_channels(&sample("obspy_channels")).unwrap();
    let name = |channel: &ChannelEpoch| {
        let XmlStation { network, name, start, .. } = &channel.place;
        format!("{network}.{name}.{}.{}:{}", channel.location, channel.code, start.unwrap().year)
    };
    let table = fs::read_to_string(sample("obspy_channels").with_file_name("obspy_selected.txt")).unwrap();
    for line in table.lines() {
        let [codes, location, time, wanted] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let numbers: Vec<_> = time.split('-').map(str::parse).map(Result::ok).collect();
        let date = |year, month, day| DateTime { year, month, day, ..new_year(2000) };
        let time = match numbers[..] {
            [Some(year), Some(month), Some(day)] => Some(date(year, month as u8, day as u8)),
            _ => None,
        };
        let choice = of(&[codes], &[location], time);
        let found: Vec<String> = channels.iter().filter(|channel| choice.includes(channel)).map(name).collect();
        assert_eq!(found.join(" "), wanted, "{line}");
        let places = stationxml::read_chosen(&sample("obspy_channels"), &choice);
        assert_eq!(places.is_ok(), !wanted.is_empty(), "{line}");
    }
}

#[test]
fn chosen_channels_give_one_entry_per_position() {
    let deep = place("CT.HOLE", -22.5, 150.0, "10");
    assert_eq!(places(&chosen(&of(&["BH?"], &["10"], None))), std::slice::from_ref(&deep));
    assert_eq!(places(&chosen(&of(&["BH1", "BH2"], &[], None))), std::slice::from_ref(&deep));
    let found = places(&chosen(&of(&["*Z"], &[], Some(new_year(2007)))));
    let surface = place("CT.HOLE", -22.5, 0.0, "00+");
    assert_eq!(
        found,
        [surface.clone(), deep, place("CT.MOVE", -22.625, 5.0, "+20+B1"), place("CU.ONE", -22.5, 2.5, "")]
    );
    let found = places(&chosen(&of(&[], &["--"], Some(new_year(2012)))));
    let moved = place("CT.MOVE", -22.75, 0.0, "");
    assert_eq!(found, [place("CT.HOLE", -22.5, 0.0, ""), moved, place("CU.ONE", -22.5, 2.5, "")]);
    let epochs = chosen(&of(&["BHZ"], &["00"], None));
    assert_eq!([epochs[0].start, epochs[0].end], [Some(new_year(1999)), None]);
}

#[test]
fn the_default_choice_gives_what_read_gives() {
    for name in ["obspy_channels", "obspy_stationxml"] {
        let all = stationxml::read(&sample(name)).unwrap();
        assert_eq!(stationxml::read_chosen(&sample(name), &ChannelChoice::default()).unwrap(), all, "{name}");
    }
    // A time alone keeps stations without channels.
    let found = stationxml::read_chosen(&sample("obspy_stationxml"), &of(&[], &[], Some(new_year(1998)))).unwrap();
    assert_eq!(places(&found), [place("CU.HOLE", -22.5, 0.0, "")]);
}

#[test]
fn an_unplaced_channel_is_at_its_station_unless_another_one_is_chosen() {
    let placed = "<Channel code=\"BHZ\" locationCode=\"00\"><Depth>150</Depth></Channel>";
    let unplaced = "<Channel code=\"LDO\" locationCode=\"30\"/>";
    let position = "<Latitude>1</Latitude><Longitude>2</Longitude><Elevation>3</Elevation>";
    let text = format!(
        "<FDSNStationXML><Network code=\"CT\"><Station code=\"A\">{position}{placed}{unplaced}</Station></Network></FDSNStationXML>"
    );
    let read = |choice| places(&stationxml::parse_chosen(&text, Path::new("a.xml"), &choice).unwrap());
    assert_eq!(read(of(&["L*"], &[], None)), [place("CT.A", 1.0, 0.0, "30")]);
    assert_eq!(read(of(&["?*"], &[], None)), [place("CT.A", 1.0, 150.0, "00")]);
}

#[test]
fn a_choice_without_channels_names_what_the_file_has() {
    let refused = |choice: ChannelChoice, fragments: &[&str]| {
        assert_refused(stationxml::read_chosen(&sample("obspy_channels"), &choice), fragments);
    };
    let wanted =
        ["obspy_channels.xml:2: no channel matches the channels LX?;", "BH1, BH2, BHE, BHN, BHZ, HHZ, HNZ, LDO"];
    refused(of(&["LX?"], &[], None), &wanted);
    let wanted =
        ["matches the channels LH?, BHN and the locations 1?, 99;", "these channels have the locations --, 00"];
    refused(of(&["LH?", "BHN"], &["1?", "99"], None), &wanted);
    let wanted =
        ["the locations 10 and the time 2016-01-01T00:00:00.000000Z;", "the epochs are 2006-01-01 to 2015-01-01"];
    refused(of(&["BHZ"], &["10"], Some(new_year(2016))), &wanted);
    let late = of(&[], &[], Some(new_year(1980)));
    let wanted = [
        "no channel matches the time 1980-",
        "1990-01-01 to 1995-01-01, 1996-01-01 to 1999-01-01",
        "2010-01-01 to today",
    ];
    assert_refused(stationxml::read_chosen(&sample("obspy_stationxml"), &late), &wanted);
    let bare = "<FDSNStationXML><Network code=\"CT\"><Station code=\"A\"><Latitude>1</Latitude><Longitude>2</Longitude>\
        <Elevation>3</Elevation></Station></Network></FDSNStationXML>";
    let wanted = ["a.xml:1: the file has no channels", "request level=channel"];
    let path = Path::new("a.xml");
    assert_refused(stationxml::parse_chosen(bare, path, &of(&["BH?"], &[], None)), &wanted);
    assert_refused(stationxml::parse_channels(bare, path), &wanted);
    assert!(stationxml::parse_chosen(bare, path, &ChannelChoice::default()).is_ok());
    assert_refused(stationxml::parse_chosen("<FDSNStationXML/>", path, &late), &["the file has no networks"]);
    let steep = text("obspy_channels").replacen("<Dip unit=\"DEGREES\">-90.0", "<Dip>-95", 1);
    assert_refused(
        stationxml::parse_channels(&steep, path),
        &["Dip of channel 00.BHZ of station CT.HOLE = `-95`", "-90 to 90"],
    );
}
