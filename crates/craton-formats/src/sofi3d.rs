//! Models of SOFI3D: binary volumes `MFILE.vp`, `.vs`, `.rho`, `.qp` and `.qs`, and the parameter file (`sofi3D.json`) with their grid.
//!
//! A volume has `NX * NY * NZ` single-precision numbers, little-endian, without a header. The vertical axis of SOFI3D is y, downward:
//!
//! | axis, fastest first | points, spacing | axis of the [`Volume`] | coordinate of point i, from 1 |
//! |---|---|---|---|
//! | y, downward | `NY`, `DY` | `elevation`, upward | -i `DY` |
//! | x | `NX`, `DX` | `x` | i `DX` |
//! | z, horizontal | `NZ`, `DZ` | `y` | i `DZ` |
//!
//! The coordinates are those of SOFI3D's sources and receivers, which place the first point at one spacing from zero. The free surface
//! (`FREE_SURF = 1`) is at the first points along y. Turned to x east, y north and z up, the axes keep their handedness.
//!
//! A parameter file is a list of `"KEY" : "value"` lines in braces. `#` starts a comment; a line may have several keys and values, as in
//! `"DX, DY" : "10.0, 20.0"`.
//!
//! Source: SOFI3D, `readmod.c`, `splitsrc.c` and `read_par_json.c`, and its manual. Verified by `sofi3d::numpy_writes_the_points_in_this_order`.

use std::path::{Path, PathBuf};

use crate::ByteOrder;
use crate::error::{FormatError, Result};
use crate::raw::{self, Number, RawReader};
use crate::text::{Place, data_lines, end_of, read_text};
use crate::volume::{Axis, Volume, VolumeReader};

/// Names of the axes of SOFI3D: x, y (down) and z.
const AXES: [char; 3] = ['X', 'Y', 'Z'];

/// A property of a model, which is in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// P velocity [m/s].
    Vp,
    /// S velocity [m/s].
    Vs,
    /// Density [kg/m³].
    Density,
    /// Quality factor of P waves.
    Qp,
    /// Quality factor of S waves.
    Qs,
}

impl Property {
    /// End of the name of the file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vp => "vp",
            Self::Vs => "vs",
            Self::Density => "rho",
            Self::Qp => "qp",
            Self::Qs => "qs",
        }
    }
}

/// The grid of a model, with the axes of SOFI3D: x, y (downward) and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Numbers of points `NX`, `NY` and `NZ`, at least 1.
    pub counts: [usize; 3],
    /// Spacings `DX`, `DY` and `DZ` [m], above 0.
    pub spacing: [f64; 3],
}

impl Grid {
    /// Axes of the volumes, the fastest first.
    pub fn axes(&self) -> Vec<Axis> {
        let [x, down, z] = std::array::from_fn(|axis| (self.counts[axis], self.spacing[axis]));
        let axis = |(count, spacing): (usize, f64), label| Axis::new(count, spacing, spacing).named(label, "m");
        let (count, spacing) = down;
        vec![axis((count, -spacing), "elevation"), axis(x, "x"), axis(z, "y")]
    }
}

/// Reads a complete volume, see [`open`].
///
/// # Errors
/// As [`open`]; a file that cannot be read.
pub fn read(path: &Path, grid: &Grid) -> Result<Volume> {
    open(path, grid)?.read_whole()
}

/// Opens a volume.
///
/// # Arguments
/// * `path` – the file
/// * `grid` – the grid, which the file does not have
/// # Returns
/// Values with the axes `elevation` (fastest, from the top down), `x` and `y`, in metres
/// # Errors
/// A size that differs from that of the grid; a grid without points or with a spacing that is 0 or not finite; a file that cannot be opened.
pub fn open(path: &Path, grid: &Grid) -> Result<RawReader> {
    raw::open(path, grid.axes(), Number::F32, ByteOrder::Little)
}

/// What a parameter file says about the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The parameter file.
    pub path: PathBuf,
    /// Grid of the model.
    pub grid: Grid,
    /// `MFILE`: the names of the model files without their ends, relative to the folder in which SOFI3D runs; `None` if the file does not
    /// have it.
    pub model: Option<PathBuf>,
    /// Whether SOFI3D reads the model from files (`READMOD = 1`), or computes it.
    pub is_read: bool,
}

impl Parameters {
    /// Reads a parameter file.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is no list of keys and values; a key with two different values; `NX`, `NY`, `NZ`, `DX`, `DY`
    /// or `DZ` missing, malformed or outside its range.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?, path)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let pairs = Pairs::parse(text, path)?;
        let [nx, ny, nz] = AXES.map(|axis| pairs.count(&format!("N{axis}")));
        let [dx, dy, dz] = AXES.map(|axis| pairs.spacing(&format!("D{axis}")));
        let grid = Grid { counts: [nx?, ny?, nz?], spacing: [dx?, dy?, dz?] };
        let model = pairs.find("MFILE").filter(|pair| !pair.value.is_empty()).map(|pair| PathBuf::from(pair.value));
        let is_read = pairs.find("READMOD").is_some_and(|pair| pair.value == "1");
        Ok(Self { path: path.to_owned(), grid, model, is_read })
    }

    /// The file of a property: relative to the folder of the parameter file, or else to the folder above it, in which SOFI3D usually runs
    /// with `in_and_out/sofi3D.json`.
    ///
    /// # Errors
    /// No `MFILE`; a file that does not exist in either folder.
    pub fn file(&self, property: Property) -> Result<PathBuf> {
        let place = Place { path: &self.path, line: 1 };
        let missing = || place.layout("the file has no MFILE", "add a line \"MFILE\" : \"model/test\"");
        let mut name = self.model.clone().ok_or_else(missing)?.into_os_string();
        name.push(".");
        name.push(property.extension());
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let folders = [folder.to_owned(), folder.join("..")];
        let found = folders.iter().map(|folder| folder.join(&name)).find(|file| file.is_file());
        found.ok_or_else(|| {
            let problem = format!("`{}` of MFILE does not exist", name.to_string_lossy());
            place.layout(problem, "it is relative to the folder of this file or the one above it; correct MFILE")
        })
    }

    /// Reads the volume of a property.
    ///
    /// # Errors
    /// As [`Self::file`] and [`read`].
    pub fn volume(&self, property: Property) -> Result<Volume> {
        self.open(property)?.read_whole()
    }

    /// Opens the volume of a property.
    ///
    /// # Errors
    /// As [`Self::file`] and [`open`].
    pub fn open(&self, property: Property) -> Result<RawReader> {
        open(&self.file(property)?, &self.grid)
    }
}

/// A key with its value.
#[derive(Clone, Copy)]
struct Pair<'a> {
    place: Place<'a>,
    key: &'a str,
    value: &'a str,
}

/// All keys of a file, in its order.
struct Pairs<'a> {
    pairs: Vec<Pair<'a>>,
    end: Place<'a>,
}

impl<'a> Pairs<'a> {
    fn parse(text: &'a str, path: &'a Path) -> Result<Self> {
        let mut pairs = Self { pairs: Vec::new(), end: end_of(path, text) };
        for (place, line) in data_lines(path, text) {
            let mut rest = skip(line);
            while !rest.is_empty() {
                let parsed = word(rest, &[':']).and_then(|(keys, rest)| {
                    let (values, rest) = word(rest.trim_start().strip_prefix(':')?.trim_start(), &[',', '}'])?;
                    Some((keys, values, skip(rest)))
                });
                let (keys, values, after) = parsed.ok_or_else(|| no_pair(place, line))?;
                pairs.add(place, keys, values)?;
                rest = after;
            }
        }
        Ok(pairs)
    }

    /// Adds keys and values, separated by commas.
    fn add(&mut self, place: Place<'a>, keys: &'a str, values: &'a str) -> Result<()> {
        if values.trim() == "comment" {
            return Ok(());
        }
        let several = keys.split(',').count();
        if several > 1 && values.split(',').count() != several {
            let problem =
                format!("`{keys}` are {several} keys, but `{values}` are {} values", values.split(',').count());
            return Err(place.layout(problem, "write one value for each key"));
        }
        let values: Vec<&str> = if several > 1 { values.split(',').collect() } else { vec![values] };
        for (key, value) in keys.split(',').zip(values) {
            let pair = Pair { place, key: key.trim(), value: value.trim() };
            if let Some(other) = self.find(pair.key).filter(|other| other.value != pair.value) {
                let Pair { key, value, .. } = pair;
                let problem = format!("`{key}` is `{value}`, but `{}` on line {}", other.value, other.place.line);
                return Err(place.layout(problem, "remove one of the lines"));
            }
            self.pairs.push(pair);
        }
        Ok(())
    }

    fn find(&self, key: &str) -> Option<Pair<'a>> {
        self.pairs.iter().copied().find(|pair| pair.key == key)
    }

    fn required(&self, key: &str) -> Result<Pair<'a>> {
        let hint = format!("add a line \"{key}\" : \"...\"; check whether this is a parameter file of SOFI3D");
        self.find(key).ok_or_else(|| self.end.layout(format!("`{key}` is missing"), hint))
    }

    fn count(&self, key: &str) -> Result<usize> {
        let Pair { place, value, .. } = self.required(key)?;
        let count = value.parse().ok().filter(|&count: &usize| count > 0);
        count.ok_or_else(|| place.bad_value(key, value, "a whole number, at least 1"))
    }

    fn spacing(&self, key: &str) -> Result<f64> {
        let Pair { place, value, .. } = self.required(key)?;
        let spacing = place.finite(key, value)?;
        match spacing > 0.0 {
            true => Ok(spacing),
            false => Err(place.bad_value(key, value, "metres, above 0")),
        }
    }
}

/// Text after blanks, braces and commas.
fn skip(text: &str) -> &str {
    let text = text.trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, '{' | '}' | ','));
    if text.starts_with('#') { "" } else { text }
}

/// A word in quotes, or else up to one of the `ends`, and the text after it; `None` for an open quote.
fn word<'a>(text: &'a str, ends: &[char]) -> Option<(&'a str, &'a str)> {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"'),
        None => {
            let end = text.find(ends).unwrap_or(text.len());
            Some((text[..end].trim(), &text[end..]))
        }
    }
}

fn no_pair(place: Place, line: &str) -> FormatError {
    place.bad_value("line", line, "a key and a value in quotes: \"NX\" : \"100\"")
}
