//! Parsing in one pass over the bytes. Counts are compared with the remaining bytes before memory is reserved.

use std::path::Path;

use super::{SrfFile, SrfPlane, SrfPoint, SrfVersion};
use crate::error::Result;
use crate::text::{Place, number};

/// Least size of a number with the blank after it [bytes].
const NUMBER_BYTES: usize = 2;
/// Numbers of a point without samples, in version 1.0.
const POINT_NUMBERS: usize = 15;

pub(super) fn file(bytes: &[u8], path: &Path) -> Result<SrfFile> {
    let mut words = Words { bytes, at: 0, line: 1, path };
    let version = version(&mut words)?;
    let mut file =
        SrfFile { version, planes: Vec::new(), segments: Vec::new(), points: Vec::new(), samples: Vec::new() };
    while let Some((place, word)) = words.next() {
        match word {
            b"PLANE" => planes(&mut words, &mut file)?,
            b"POINTS" => segment(&mut words, &mut file)?,
            _ => {
                let word = String::from_utf8_lossy(word);
                let hint = "every number that the counts before it announce has been read; correct them";
                return Err(place.bad_value("keyword", &word, format!("PLANE or POINTS; {hint}")));
            }
        }
    }
    if file.points.is_empty() {
        return Err(words.end().layout("the file has no points", "a line `POINTS number` starts the point sources"));
    }
    Ok(file)
}

fn version(words: &mut Words) -> Result<SrfVersion> {
    let expected = "1.0 or 2.0, alone on the first line";
    let (place, word) = words.next().ok_or_else(|| words.end().bad_value("version", "", expected))?;
    match word {
        b"1.0" => Ok(SrfVersion::One),
        b"2.0" => Ok(SrfVersion::Two),
        _ => Err(place.bad_value("version", &String::from_utf8_lossy(word), expected)),
    }
}

fn planes(words: &mut Words, file: &mut SrfFile) -> Result<()> {
    let [count] = words.row(["number of planes"])?;
    for _ in 0..count.integer(1)? {
        let [longitude, latitude, along, down, length, width] =
            words.row(["ELON", "ELAT", "NSTK", "NDIP", "LEN", "WID"])?;
        let [strike, dip, top, along_hypocentre, down_hypocentre] =
            words.row(["STK", "DIP", "DTOP", "SHYP", "DHYP"])?;
        file.planes.push(SrfPlane {
            longitude: longitude.within(LONGITUDES)?,
            latitude: latitude.within(LATITUDES)?,
            along_strike: along.integer(1)?,
            down_dip: down.integer(1)?,
            length_km: length.at_least_0()?,
            width_km: width.at_least_0()?,
            strike: strike.finite()?,
            dip: dip.within(DIPS)?,
            top_depth_km: top.finite()?,
            hypocentre_along_strike_km: along_hypocentre.finite()?,
            hypocentre_down_dip_km: down_hypocentre.finite()?,
        });
    }
    Ok(())
}

fn segment(words: &mut Words, file: &mut SrfFile) -> Result<()> {
    let [count] = words.row(["number of points"])?;
    let number = count.integer(1)?;
    if number > words.left() / (POINT_NUMBERS * NUMBER_BYTES) + 1 {
        return Err(count.refuse("at most as many points as the rest of the file can hold; it was truncated"));
    }
    let first = file.points.len();
    file.points.reserve_exact(number);
    for _ in 0..number {
        let point = point(words, file)?;
        file.points.push(point);
    }
    file.segments.push(first..file.points.len());
    Ok(())
}

/// Parses a point; its samples are appended to those of the file.
fn point(words: &mut Words, file: &mut SrfFile) -> Result<SrfPoint> {
    let (place, medium) = match file.version {
        SrfVersion::One => (words.row(PLACE)?, None),
        SrfVersion::Two => {
            let [place @ .., vs, density] = words.row(PLACE_AND_MEDIUM)?;
            (place, Some([vs, density]))
        }
    };
    let [longitude, latitude, depth, strike, dip, area, start, interval] = place;
    let [rake, slip1, count1, slip2, count2, slip3, count3] =
        words.row(["RAKE", "SLIP1", "NT1", "SLIP2", "NT2", "SLIP3", "NT3"])?;
    let [vs_cm_s, density_g_cm3] = match medium {
        Some([vs, density]) => [vs.finite()?, density.finite()?].map(|value| Some(value).filter(|&value| value > 0.0)),
        None => [None; 2],
    };
    let counts = [count1.count()?, count2.count()?, count3.count()?];
    let number: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let seconds = interval.at_least_0()?;
    if number > 0 && seconds == 0.0 {
        return Err(interval.refuse("seconds, above 0"));
    }
    if number > (words.left() / NUMBER_BYTES + 1) as u64 {
        return Err(count1.refuse("at most as many samples, with NT2 and NT3, as the rest of the file can hold"));
    }
    let first_sample = file.samples.len();
    words.samples(number as usize, &mut file.samples)?;
    Ok(SrfPoint {
        longitude: longitude.within(LONGITUDES)?,
        latitude: latitude.within(LATITUDES)?,
        depth_km: depth.finite()?,
        strike: strike.finite()?,
        dip: dip.within(DIPS)?,
        area_cm2: area.at_least_0()?,
        start: start.finite()?,
        interval: seconds,
        vs_cm_s,
        density_g_cm3,
        rake: rake.finite()?,
        slip_cm: [slip1.finite()?, slip2.finite()?, slip3.finite()?],
        counts,
        first_sample,
    })
}

const LONGITUDES: [f64; 2] = [-360.0, 360.0];
const LATITUDES: [f64; 2] = [-90.0, 90.0];
const DIPS: [f64; 2] = [0.0, 90.0];
/// The first line of a point in version 1.0.
const PLACE: [&str; 8] = ["LON", "LAT", "DEP", "STK", "DIP", "AREA", "TINIT", "DT"];
/// The first line of a point in version 2.0.
const PLACE_AND_MEDIUM: [&str; 10] = ["LON", "LAT", "DEP", "STK", "DIP", "AREA", "TINIT", "DT", "VS", "DEN"];

/// A word of the file with its name and line.
#[derive(Clone, Copy)]
struct Value<'a> {
    place: Place<'a>,
    name: &'static str,
    word: &'a str,
}

impl Value<'_> {
    fn refuse(&self, expected: impl std::fmt::Display) -> crate::FormatError {
        self.place.bad_value(self.name, self.word, expected)
    }

    fn finite(&self) -> Result<f64> {
        self.place.finite(self.name, self.word)
    }

    fn within(&self, [least, most]: [f64; 2]) -> Result<f64> {
        let number = self.finite()?;
        if !(least..=most).contains(&number) {
            return Err(self.refuse(format!("a number from {least} to {most}")));
        }
        Ok(number)
    }

    fn at_least_0(&self) -> Result<f64> {
        let number = self.finite()?;
        if number < 0.0 {
            return Err(self.refuse("a number, at least 0"));
        }
        Ok(number)
    }

    fn integer(&self, least: u32) -> Result<usize> {
        let number = self.word.parse().ok().filter(|&number: &u32| number >= least);
        number
            .map(|number| number as usize)
            .ok_or_else(|| self.refuse(format!("an integer from {least} to {}", u32::MAX)))
    }

    fn count(&self) -> Result<u32> {
        self.integer(0).map(|count| count as u32)
    }
}

/// The words of a file, without comments.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Line of the byte `at`, from 1.
    line: usize,
    path: &'a Path,
}

impl<'a> Words<'a> {
    /// Number of bytes that have not been read.
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn end(&self) -> Place<'a> {
        Place { path: self.path, line: self.line }
    }

    /// Skips blanks, line breaks and comments.
    fn skip(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    fn next(&mut self) -> Option<(Place<'a>, &'a [u8])> {
        self.skip();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then_some((self.end(), &rest[..length]))
    }

    /// Reads a line with one value for each name.
    fn row<const N: usize>(&mut self, names: [&'static str; N]) -> Result<[Value<'a>; N]> {
        self.skip();
        let (place, mut read) = (self.end(), 0);
        let row = names.map(|name| {
            self.skip();
            let next = if self.line == place.line { self.next() } else { None };
            let word = next.and_then(|(_, word)| str::from_utf8(word).ok()).unwrap_or_default();
            read += usize::from(!word.is_empty());
            Value { place, name, word }
        });
        self.skip();
        let ends = self.line > place.line || self.left() == 0;
        if read < N || !ends {
            let found = if read < N { format!("{read}") } else { format!("more than {N}") };
            let problem = format!("the line has {found} values");
            return Err(place.layout(problem, format!("expected {N}: {}", names.join(" "))));
        }
        Ok(row)
    }

    /// Appends samples, from any number of lines.
    fn samples(&mut self, count: usize, samples: &mut Vec<f32>) -> Result<()> {
        for read in 0..count {
            let Some((place, word)) = self.next() else {
                let problem = format!("the file ends after {read} of {count} slip rates of a point");
                return Err(self.end().layout(problem, "it was truncated, or NT1, NT2 or NT3 is wrong"));
            };
            let word = str::from_utf8(word).unwrap_or("not UTF-8");
            let rate = word.parse().ok().or_else(|| number(word).map(|rate| rate as f32));
            let rate = rate.filter(|rate| rate.is_finite());
            let expected = "a finite number [cm/s], in single precision";
            samples.push(rate.ok_or_else(|| place.bad_value("slip rate", word, expected))?);
        }
        Ok(())
    }
}
