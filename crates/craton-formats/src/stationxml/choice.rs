//! Choice of channels, location codes and epochs.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use super::channels::{ChannelEpoch, no_channels, of_file};
use super::{Places, XmlStation, open};
use crate::DateTime;
use crate::error::{FormatError, Result};
use crate::text::read_text;
use crate::xml::XmlFile;

/// Which channels of a StationXML file place stations; the default includes all.
///
/// Patterns are those of web services and ObsPy, in any case: `?` is any character, `*` any number of characters, `[ZNE]` one of these
/// characters and `[!ZNE]` another one.
///
/// Verified by `choice::the_channels_that_obspy_selects_are_chosen`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelChoice {
    /// Patterns of channel codes, such as `BH?`; empty for all.
    pub channels: Vec<String>,
    /// Patterns of location codes, `""` or `--` for the blank one; empty for all.
    pub locations: Vec<String>,
    /// Time at which the channels and their stations are open; `None` for all epochs.
    pub time: Option<DateTime>,
}

impl ChannelChoice {
    /// Whether the choice includes a channel.
    pub fn includes(&self, channel: &ChannelEpoch) -> bool {
        self.has_code(channel) && self.has_location(channel) && self.has_time(channel)
    }

    fn has_code(&self, channel: &ChannelEpoch) -> bool {
        is_one_of(&self.channels, &channel.code)
    }

    fn has_location(&self, channel: &ChannelEpoch) -> bool {
        is_one_of(&self.locations, &channel.location)
    }

    fn has_time(&self, channel: &ChannelEpoch) -> bool {
        self.time.is_none_or(|time| channel.is_open_at(time))
    }

    /// Whether the choice includes a station that has no channels in the file.
    fn includes_bare(&self, station: &XmlStation) -> bool {
        let is_open = self.time.is_none_or(|time| station.is_open_at(time));
        is_open && self.channels.is_empty() && self.locations.is_empty()
    }
}

impl fmt::Display for ChannelChoice {
    /// Describes the choice, as in `the channels BH?, the locations 00 and the time 2010-02-27T06:34:11.530000Z`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |what: &str, patterns: &[String]| match patterns {
            [] => None,
            patterns => Some(format!("the {what} {}", shown(patterns.iter().map(String::as_str)))),
        };
        let time = self.time.map(|time| format!("the time {}", time.iso()));
        let parts = [list("channels", &self.channels), list("locations", &self.locations), time];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match &parts[..] {
            [] => write!(out, "all channels"),
            [one] => write!(out, "{one}"),
            [first @ .., last] => write!(out, "{} and {last}", first.join(", ")),
        }
    }
}

/// Reads the stations with chosen channels, at least one, in the order of the file. As for [`read`](super::read), a station has one entry
/// per position (latitude, longitude, elevation, burial), here of its chosen channels. A chosen channel without a position of its own adds
/// none if other chosen channels of the station have one. A station without channels, as at level "station", is included if neither
/// channels nor locations are chosen.
///
/// Epochs of the same position are merged to one entry. With a time, channels have different positions only if they recorded at the same
/// time. The default choice gives the same as [`read`](super::read).
///
/// # Errors
/// As [`read_channels`](super::read_channels); no channel that the choice includes, with the codes and epochs that the file has.
pub fn read_chosen(path: &Path, choice: &ChannelChoice) -> Result<Vec<XmlStation>> {
    parse_chosen(&read_text(path)?, path, choice)
}

/// As [`read_chosen`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read_chosen`].
pub fn parse_chosen(text: &str, path: &Path, choice: &ChannelChoice) -> Result<Vec<XmlStation>> {
    let file = open(text, path)?;
    let all = of_file(&file)?;
    let mut places = Places::default();
    for (station, channels) in &all {
        chosen(station, channels, choice).into_iter().for_each(|place| places.add(place));
    }
    if places.stations.is_empty() && !all.is_empty() {
        return Err(nothing(&file, &all, choice));
    }
    places.at_least_one(&file)
}

/// Positions of the chosen channels of a station. Positions may be repeated.
fn chosen(station: &XmlStation, channels: &[ChannelEpoch], choice: &ChannelChoice) -> Vec<XmlStation> {
    if channels.is_empty() {
        return if choice.includes_bare(station) { vec![station.clone()] } else { Vec::new() };
    }
    let (placed, unplaced): (Vec<&ChannelEpoch>, Vec<&ChannelEpoch>) =
        channels.iter().filter(|channel| choice.includes(channel)).partition(|channel| channel.is_placed);
    match (&placed[..], &unplaced[..]) {
        ([], []) => Vec::new(),
        ([], unplaced) => {
            let mut locations: Vec<String> = Vec::new();
            for channel in unplaced {
                if !locations.contains(&channel.location) {
                    locations.push(channel.location.clone());
                }
            }
            vec![XmlStation { locations, ..station.clone() }]
        }
        (placed, _) => placed.iter().map(|channel| channel.place.clone()).collect(),
    }
}

/// The error of a choice without channels: names what the file has for the first criterion that no channel meets.
fn nothing(file: &XmlFile, all: &[(XmlStation, Vec<ChannelEpoch>)], choice: &ChannelChoice) -> FormatError {
    let mut left: Vec<&ChannelEpoch> = all.iter().flat_map(|(_, channels)| channels).collect();
    if left.is_empty() && !(choice.channels.is_empty() && choice.locations.is_empty()) {
        return no_channels(file);
    }
    let problem = format!("no channel matches {choice}");
    let hint = |hint: String| file.root().place().layout(&problem, hint);
    let codes: BTreeSet<&str> = left.iter().map(|channel| &*channel.code).collect();
    left.retain(|channel| choice.has_code(channel));
    if left.is_empty() && !codes.is_empty() {
        return hint(format!("the file has the channels {}", shown(codes)));
    }
    let locations: BTreeSet<&str> = left.iter().map(|channel| &*channel.location).collect();
    left.retain(|channel| choice.has_location(channel));
    if left.is_empty() && !locations.is_empty() {
        return hint(format!("these channels have the locations {}", shown(locations)));
    }
    let bare = all.iter().filter(|(_, channels)| channels.is_empty()).map(|(station, _)| [station.start, station.end]);
    let channels = left.iter().map(|channel| [channel.place.start, channel.place.end]);
    let epochs: BTreeSet<String> = channels.chain(bare).map(span).collect();
    hint(format!("the epochs are {}", epochs.into_iter().collect::<Vec<_>>().join(", ")))
}

/// An epoch in days.
fn span([start, end]: [Option<DateTime>; 2]) -> String {
    let day = |date: DateTime| {
        let mut text = date.iso();
        text.truncate("2010-02-27".len());
        text
    };
    let [start, end] = [start, end].map(|date| date.map(day));
    format!("{} to {}", start.as_deref().unwrap_or("the beginning"), end.as_deref().unwrap_or("today"))
}

/// A list of codes; the blank one is `--`.
fn shown<'a>(codes: impl IntoIterator<Item = &'a str>) -> String {
    let codes = codes.into_iter().map(|code| if code.is_empty() { "--" } else { code });
    codes.collect::<Vec<_>>().join(", ")
}

/// Whether a code matches one of the patterns; all do if there are none.
fn is_one_of(patterns: &[String], code: &str) -> bool {
    let matches = |pattern: &String| {
        let pattern = pattern.trim();
        matches_glob(if pattern == "--" { "" } else { pattern }, code)
    };
    patterns.is_empty() || patterns.iter().any(matches)
}

/// Whether a text matches a pattern with `?`, `*` and `[...]`, in any case. The last `*` alone is retried, so the time is at most the product
/// of the lengths.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_uppercase().chars().collect();
    let text: Vec<char> = text.to_uppercase().chars().collect();
    let (mut at, mut of_text) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at) == Some(&'*') {
            star = Some((at + 1, of_text));
            at += 1;
            continue;
        }
        if at == pattern.len() && of_text == text.len() {
            return true;
        }
        let length = text.get(of_text).and_then(|&letter| matches_one(&pattern[at..], letter));
        match (length, &mut star) {
            (Some(length), _) => (at, of_text) = (at + length, of_text + 1),
            (None, Some((after, from))) if *from < text.len() => {
                *from += 1;
                (at, of_text) = (*after, *from);
            }
            _ => return false,
        }
    }
}

/// Length of the start of a pattern that matches a letter. A bracket that is not closed is a letter.
fn matches_one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let is_negated = rest.first() == Some(&'!');
            let first = usize::from(is_negated);
            // A bracket that closes nothing is one of the letters.
            let end = rest.iter().skip(first + 1).position(|&letter| letter == ']').map(|end| end + first + 1);
            let Some(end) = end else { return (letter == '[').then_some(1) };
            (is_in_set(&rest[first..end], letter) != is_negated).then_some(end + 2)
        }
        [own, ..] => (*own == letter).then_some(1),
        [] => None,
    }
}

/// Whether a letter is in a set of letters and ranges, such as `A-Z`.
fn is_in_set(mut set: &[char], letter: char) -> bool {
    loop {
        set = match set {
            [] => return false,
            [first, '-', last, ..] if (*first..=*last).contains(&letter) => return true,
            [_, '-', _, rest @ ..] => rest,
            [own, ..] if *own == letter => return true,
            [_, rest @ ..] => rest,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_the_shell() {
        for (pattern, codes, others) in [
            ("BH?", &["BHZ", "bh1"][..], &["BH", "LHZ", "BHZZ"][..]),
            ("*", &["", "BHZ"], &[]),
            ("*Z", &["Z", "BHZ", "ZZ"], &["BHN", ""]),
            ("B*[ZNE]", &["BHZ", "BN", "BXYE"], &["BH1", "B", "HHZ"]),
            ("B[!LH]Z", &["BNZ"], &["BHZ", "BZ", "BLZ"]),
            ("BH[1-3]", &["BH1", "BH3"], &["BH4", "BH-"]),
            ("B[HZ", &["B[HZ"], &["BHZ"]),
            ("[]A]", &["]", "A"], &["[", "[]A]"]),
            ("", &[""], &["0"]),
            ("*a*b*c*", &["xaybzc", "ABC"], &["acb"]),
        ] {
            assert!(codes.iter().all(|code| matches_glob(pattern, code)), "{pattern}");
            assert!(!others.iter().any(|code| matches_glob(pattern, code)), "{pattern}");
        }
        assert!(!matches_glob(&"*a".repeat(200), &"a".repeat(150)));
    }
}
