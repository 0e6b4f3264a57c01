//! XML of catalogues and networks: files written by ObsPy and web services, and errors of invalid files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::assert_refused;
use craton_formats::{DateTime, quakeml, stationxml};

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
