//! XML of catalogues and networks: files written by ObsPy and web services, and errors of invalid files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::assert_refused;
use craton_formats::{DateTime, quakeml, stationxml};

mod choice;
mod events;
mod stations;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/all/xml/samples/{name}.xml"))
}

fn text(name: &str) -> String {
    fs::read_to_string(sample(name)).unwrap()
}

fn new_year(year: i32) -> DateTime {
    DateTime { year, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 }
}

fn read_both(text: &str) {
    let _ = quakeml::parse(text, Path::new("a.xml"));
    let _ = stationxml::parse(text, Path::new("a.xml"));
    let _ = stationxml::parse_channels(text, Path::new("a.xml"));
}

#[test]
fn a_file_truncated_anywhere_is_refused() {
    for name in ["obspy_quakeml", "prefixed_quakeml", "obspy_stationxml"] {
        let text = text(name);
        for end in 0..text.trim_end().len() {
            let message = quakeml::parse(&text[..end], Path::new("a.xml")).unwrap_err().to_string();
            assert!(
                message.starts_with("a.xml:") && message.contains("check whether the file was truncated"),
                "{message}"
            );
        }
    }
}

#[test]
fn a_corrupt_byte_anywhere_does_not_panic() {
    for name in ["obspy_quakeml", "prefixed_quakeml", "obspy_stationxml"] {
        let bytes = fs::read(sample(name)).unwrap();
        for place in 0..bytes.len() {
            for wrong in *b"<>&/-9e \x00\xFF" {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                read_both(&String::from_utf8_lossy(&damaged));
            }
        }
    }
}

#[test]
fn neither_nesting_nor_entities_exhaust_memory() {
    let deep = format!("{}{}", "<quakeml>".repeat(200_000), "</quakeml>".repeat(200_000));
    read_both(&deep);
    let entities =
        "<!DOCTYPE quakeml [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><quakeml>&b;</quakeml>";
    assert_refused(quakeml::parse(entities, Path::new("a.xml")), &["a.xml:1: this is not well-formed XML"]);
}

#[test]
fn very_many_attributes_or_levels_are_refused_at_their_line() {
    let attributes: String = (0..200_000).map(|number| format!(" a{number}=\"1 > 0\"")).collect();
    let text = format!("<!-- a=b=c -->\n<FDSNStationXML>\n<Network{attributes}/></FDSNStationXML>");
    let refused = stationxml::parse(&text, Path::new("a.xml")).expect_err("attributes").to_string();
    assert!(refused.starts_with("a.xml:3: an element has 200000 attributes, more than 1000"), "{refused}");
    let deep = format!("<FDSNStationXML>{}", "<a b=\"c\">\n".repeat(50_000));
    let refused = stationxml::parse(&deep, Path::new("a.xml")).expect_err("levels").to_string();
    assert!(refused.starts_with("a.xml:1000: elements are more than 1000 levels deep"), "{refused}");
    let flat = format!("<FDSNStationXML>{}</FDSNStationXML>", "<a/><b>c</b>".repeat(5000));
    let refused = stationxml::parse(&flat, Path::new("a.xml")).expect_err("no networks").to_string();
    assert!(refused.contains("the file has no networks"), "{refused}");
    // Equals signs in texts, comments and values are none.
    let equals = "=".repeat(5000);
    let text = format!("<!--{equals}--><quakeml a=\"{equals}\"><![CDATA[{equals}]]>{equals}</quakeml>");
    let refused = stationxml::parse(&text, Path::new("a.xml")).expect_err("no stations").to_string();
    assert!(refused.contains("the root element is <quakeml>"), "{refused}");
}
