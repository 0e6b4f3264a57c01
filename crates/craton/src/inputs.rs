//! The data that a configuration names: files, or values that the calling program gives instead.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_formats::FormatError;
use craton_formats::grid::{self, Grid, Unit};
use craton_formats::table::{self, Table};
use craton_formats::volume::{Axis, Volume};
use xxhash_rust::xxh3::Xxh3;

use crate::config::VolumeAxis;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file, of_file};
use crate::setup::station_file::is_xml;
use crate::written::{Format, Written};

/// Bytes that are hashed at a time.
const PIECE: usize = 1 << 20;

/// Data that takes the place of a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Given {
    /// Values at the points of a regular grid, for a model or densities; see [`Given::volume`].
    Volume(Volume),
    /// Elevations at the points of a regular grid of x and y, for topography and interfaces; see [`Given::surface`].
    Surface(Grid),
    /// Named columns of numbers, for a depth table, the tables of a survey, prisms and points of gravity.
    Table(Vec<(String, Vec<f64>)>),
    /// Samples of a time function at equal intervals.
    Samples {
        /// Time of the first sample [s].
        start: f64,
        /// Sample interval [s].
        interval: f64,
        /// The samples.
        values: Vec<f64>,
    },
    /// Receivers for `receivers.stations_file`: the code `NET.STA` and the position x, y, z [m] of each.
    Receivers(Vec<(String, [f64; 3])>),
    /// The text of a file: of a table, of sources, of stations, of a time function, of a scenario.
    Text(String),
}

impl Given {
    /// Values at the points of a regular grid.
    ///
    /// # Arguments
    /// * `axes` – two or three of them, the fastest first: what it is, place of the first point, distance of the points [m], number of points
    /// * `values` – one for each point
    /// # Errors
    /// Another number of values than points; an axis without points or with a distance of 0.
    pub fn volume(axes: &[(VolumeAxis, f64, f64, usize)], values: Vec<f32>) -> Result<Self, Error> {
        let label = |axis| match axis {
            VolumeAxis::Depth => "depth",
            VolumeAxis::Z => "height",
            VolumeAxis::X => "x",
            VolumeAxis::Y => "y",
        };
        let axis = |&(axis, first, spacing, count)| Axis::new(count, first, spacing).named(label(axis), "m");
        let volume = Volume::new(axes.iter().map(axis).collect(), values);
        Ok(Self::Volume(volume.map_err(|refused| refused.unwritable(Path::new("volume")))?))
    }

    /// Elevations of a surface.
    ///
    /// # Arguments
    /// * `x`, `y` – ascending and evenly spaced, at least two each [m]
    /// * `z` – shape (y, x), x fastest [m]
    pub fn surface(x: Vec<f64>, y: Vec<f64>, z: Vec<f64>) -> Self {
        Self::Surface(Grid { x, y, values: z })
    }

    /// Named columns of numbers.
    pub fn table<N: Into<String>>(columns: impl IntoIterator<Item = (N, Vec<f64>)>) -> Self {
        Self::Table(columns.into_iter().map(|(name, values)| (name.into(), values)).collect())
    }

    /// Description in words.
    fn kind(&self) -> &'static str {
        match self {
            Self::Volume(_) => "a volume",
            Self::Surface(_) => "a surface",
            Self::Table(_) => "a table",
            Self::Samples { .. } => "samples",
            Self::Receivers(_) => "receivers",
            Self::Text(_) => "text",
        }
    }

    /// Hash of all that it holds.
    fn hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(self.kind().as_bytes());
        match self {
            Self::Volume(volume) => {
                for Axis { count, origin, spacing, label, .. } in volume.axes() {
                    hash.update(label.as_bytes());
                    add(&mut hash, &[*count as f64, *origin, *spacing]);
                }
                volume.values().iter().for_each(|value| hash.update(&value.to_le_bytes()));
            }
            Self::Surface(Grid { x, y, values }) => {
                [x, y, values].into_iter().for_each(|values| add(&mut hash, values))
            }
            Self::Table(columns) => {
                for (name, values) in columns {
                    hash.update(name.as_bytes());
                    add(&mut hash, values);
                }
            }
            Self::Samples { start, interval, values } => {
                add(&mut hash, &[*start, *interval]);
                add(&mut hash, values);
            }
            Self::Receivers(receivers) => {
                for (code, position) in receivers {
                    hash.update(code.as_bytes());
                    add(&mut hash, position);
                }
            }
            Self::Text(text) => hash.update(text.as_bytes()),
        }
        hash.digest()
    }
}

fn add(hash: &mut Xxh3, values: &[f64]) {
    values.iter().for_each(|value| hash.update(&value.to_le_bytes()));
}

/// Data by the names that a configuration has for them.
///
/// A name that is given takes precedence over a file of that name.
///
/// ```
/// use craton::{Given, Inputs};
/// use craton::config::VolumeAxis::{Depth, X};
///
/// let speeds = Given::volume(&[(Depth, 0.0, 10.0, 2), (X, 0.0, 10.0, 3)], vec![1500.0; 6])?;
/// let inputs = Inputs::new().with("vp", speeds).with("pulse", Given::Samples { start: 0.0, interval: 1e-3, values: vec![1.0; 5] });
/// assert!(inputs.get("vp").is_some());
/// # Ok::<(), craton::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    given: BTreeMap<PathBuf, Arc<Given>>,
}

impl Inputs {
    /// Files alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with data for a name.
    #[must_use]
    pub fn with(mut self, name: impl Into<PathBuf>, data: Given) -> Self {
        self.given.insert(name.into(), Arc::new(data));
        self
    }

    /// The data that are given for a name.
    pub fn get(&self, name: impl AsRef<Path>) -> Option<&Given> {
        self.given.get(name.as_ref()).map(|given| &**given)
    }

    /// The hash (xxh3, 16 hexadecimal digits) of the input with a name.
    ///
    /// # Errors
    /// [`Error::Read`] if the input is an unreadable file.
    pub(crate) fn hash(&self, name: &Path, folder: &Path) -> Result<String, Error> {
        let hash = match self.get(name) {
            Some(given) => given.hash(),
            None => {
                let file = folder.join(name);
                hash_of(&file).map_err(|source| Error::Read {
                    file,
                    source,
                    hint: "the file has just been read: do not change input files during a run".to_owned(),
                })?
            }
        };
        Ok(format!("{hash:016x}"))
    }
}

/// Hash of a file, read piece by piece because it may be large.
pub(crate) fn hash_of(file: &Path) -> std::io::Result<u64> {
    let (mut file, mut bytes, mut hash) = (File::open(file)?, vec![0; PIECE], Xxh3::new());
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(hash.digest()),
            Ok(count) => hash.update(&bytes[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What a name in a configuration stands for.
pub(crate) enum Input<'a> {
    /// A file, its path from the working directory.
    File(PathBuf),
    /// Data of the calling program.
    Given(&'a Given),
}

/// Readers of what a configuration names. Each records that the name is part of it, see [`Written::file_hashes`].
impl<C: Format> Written<C> {
    /// A file where nothing else will do.
    ///
    /// # Arguments
    /// * `name` – as the configuration has it
    /// * `path` – the key that names it
    /// # Errors
    /// Given data.
    pub(crate) fn file_named(&self, name: &Path, path: &KeyPath) -> Checked<PathBuf> {
        match self.input(name) {
            Input::File(file) => Ok(file),
            Input::Given(given) => Err(mistaken(given, "a file", name, path)),
        }
    }

    /// A surface over a map, and what its places are where that is known.
    ///
    /// # Errors
    /// A file that cannot be read, other data.
    pub(crate) fn surface(&self, name: &Path, path: &KeyPath) -> Checked<(Grid, Option<Unit>)> {
        match self.input(name) {
            Input::File(file) => grid::read(&file).map_err(|error| bad_file(&error, name, path)),
            Input::Given(Given::Surface(grid)) => {
                check_grid(grid).map_err(|message| of_file(Problem::new(path, message), name))?;
                Ok((grid.clone(), None))
            }
            Input::Given(given) => Err(mistaken(given, "a surface", name, path)),
        }
    }

    /// A table with named columns.
    ///
    /// # Errors
    /// A file that cannot be read, other data.
    pub(crate) fn table(&self, name: &Path, path: &KeyPath) -> Checked<Table> {
        let read = match self.input(name) {
            Input::File(file) => table::read(&file),
            Input::Given(Given::Table(columns)) => Table::from_columns(name, columns.clone()),
            Input::Given(Given::Text(text)) => table::parse(text, name),
            Input::Given(given) => return Err(mistaken(given, "a table", name, path)),
        };
        read.map_err(|error| bad_file(&error, name, path))
    }
}

impl<C: Format> Written<C> {
    /// The text of a file, or one that is given.
    ///
    /// # Errors
    /// Other data.
    pub(crate) fn text<'a>(&'a self, name: &'a Path, path: &KeyPath) -> Checked<Text<'a>> {
        match self.input(name) {
            Input::File(file) => Ok(Text { path: Cow::Owned(file), given: None }),
            Input::Given(Given::Text(text)) => Ok(Text { path: Cow::Borrowed(name), given: Some(text) }),
            Input::Given(given) => Err(mistaken(given, "text", name, path)),
        }
    }
}

/// The text of a file, which is read when it is asked for, or one that is given.
pub(crate) struct Text<'a> {
    path: Cow<'a, Path>,
    given: Option<&'a str>,
}

impl Text<'_> {
    /// The file, or the name of what is given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the text says, by a reader of files and one of texts.
    ///
    /// # Errors
    /// Those of the readers.
    pub fn read<R>(
        &self,
        of_file: impl FnOnce(&Path) -> Result<R, FormatError>,
        of_text: impl FnOnce(&str, &Path) -> Result<R, FormatError>,
    ) -> Result<R, FormatError> {
        self.given.map_or_else(|| of_file(&self.path), |text| of_text(text, &self.path))
    }

    /// Whether it is XML, by its first letter.
    pub fn is_xml(&self) -> bool {
        self.given.map_or_else(|| is_xml(&self.path), |text| text.trim_start().starts_with('<'))
    }
}

/// The problem of data of the wrong kind.
pub(crate) fn mistaken(given: &Given, expected: &str, name: &Path, path: &KeyPath) -> Box<Problem> {
    let problem = Problem::new(path, format!("the program gives {} for this name", given.kind()));
    of_file(problem.allowed(expected), name)
}

/// Refuses a surface that no file could hold.
fn check_grid(Grid { x, y, values }: &Grid) -> Result<(), String> {
    for (name, places) in [("x", x), ("y", y)] {
        let spacing = places.get(1).map_or(f64::NAN, |second| second - places[0]);
        let is_even = |pair: &[f64]| (pair[1] - pair[0] - spacing).abs() <= 1e-6 * spacing;
        if !(spacing > 0.0 && places.windows(2).all(is_even)) {
            return Err(format!("{name} of the surface is not two or more values, ascending and evenly spaced"));
        }
    }
    if values.len() != x.len() * y.len() {
        return Err(format!("the surface has {} values at {} x {} points", values.len(), x.len(), y.len()));
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(format!("value {index} of the surface is not finite")),
        None => Ok(()),
    }
}
