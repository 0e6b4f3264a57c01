//! Input of a configuration: files, or data from the calling program.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_formats::FormatError;
use craton_formats::grid::{self, Grid, Unit};
use craton_formats::table::{self, Table};
use xxhash_rust::xxh3::Xxh3;

use crate::config::VolumeAxis;
use crate::error::{Error, Problem};
use crate::given_numbers::{GivenNumbers, add};
use crate::given_volume::GivenVolume;
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file, of_file};
use crate::setup::station_file::is_xml;
use crate::written::{Format, Written};

/// Number of bytes that are hashed at a time.
const PIECE: usize = 1 << 20;

/// Data from the calling program instead of a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Given {
    /// Values on a regular grid, for a model or densities; see [`Given::volume`] and [`Given::volume_in_place`].
    Volume(GivenVolume),
    /// Elevations on a grid of x and y, for topography and interfaces; see [`Given::surface`].
    Surface {
        /// Coordinates along x [m].
        x: Vec<f64>,
        /// Coordinates along y [m].
        y: Vec<f64>,
        /// Elevations [m], x fastest.
        z: GivenNumbers,
    },
    /// Named columns of numbers, for depth tables, tables of a survey, and prisms and points of gravity; see [`Given::table`].
    Table(Vec<(String, GivenNumbers)>),
    /// Samples of a time function at a constant interval; see [`Given::samples`].
    Samples {
        /// Time of the first sample [s].
        start: f64,
        /// Sample interval [s].
        interval: f64,
        /// The samples.
        values: GivenNumbers,
    },
    /// Code `NET.STA` and position x, y, z [m] of each receiver, for `receivers.stations_file`.
    Receivers(Vec<(String, [f64; 3])>),
    /// Text of a file: a table, sources, stations, a time function, or a scenario.
    Text(String),
}

impl Given {
    /// Creates a volume from values on a regular grid.
    ///
    /// # Arguments
    /// * `axes` – two or three axes, the fastest first: kind, coordinate of the first point [m], spacing [m], number of
    ///   points
    /// * `values` – one value per point
    /// # Errors
    /// Different numbers of values and points, an axis without points or with a spacing of 0, one or more than three
    /// axes, or two axes along the same direction.
    pub fn volume(axes: &[(VolumeAxis, f64, f64, usize)], values: Vec<f32>) -> Result<Self, Error> {
        GivenVolume::of(axes, values).map(Self::Volume)
    }

    /// Creates a volume whose values the calling program keeps. Craton reads the points that it needs when it sets up a computation.
    ///
    /// # Arguments
    /// * `axes` – as for [`volume`](Self::volume)
    /// * `read` – the values of the points within a range along each axis, the first axis fastest
    /// # Errors
    /// As [`volume`](Self::volume).
    pub fn volume_in_place(
        axes: &[(VolumeAxis, f64, f64, usize)],
        read: impl Fn(&[Range<usize>]) -> io::Result<Vec<f32>> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        GivenVolume::in_place(axes, read).map(Self::Volume)
    }

    /// Creates a surface from elevations.
    ///
    /// # Arguments
    /// * `x`, `y` – coordinates [m], ascending, at least two each; evenly spaced, except for layers of gravity problems
    /// * `z` – elevations [m], shape (y, x), x fastest
    pub fn surface(x: Vec<f64>, y: Vec<f64>, z: impl Into<GivenNumbers>) -> Self {
        Self::Surface { x, y, z: z.into() }
    }

    /// Creates a table from named columns of numbers.
    pub fn table<N: Into<String>, V: Into<GivenNumbers>>(columns: impl IntoIterator<Item = (N, V)>) -> Self {
        Self::Table(columns.into_iter().map(|(name, values)| (name.into(), values.into())).collect())
    }

    /// Creates the samples of a time function.
    ///
    /// # Arguments
    /// * `start` – time of the first sample [s]
    /// * `interval` – sample interval [s]
    pub fn samples(start: f64, interval: f64, values: impl Into<GivenNumbers>) -> Self {
        Self::Samples { start, interval, values: values.into() }
    }

    /// Name of the variant in messages.
    fn kind(&self) -> &'static str {
        match self {
            Self::Volume(_) => "a volume",
            Self::Surface { .. } => "a surface",
            Self::Table(_) => "a table",
            Self::Samples { .. } => "samples",
            Self::Receivers(_) => "receivers",
            Self::Text(_) => "text",
        }
    }

    /// Hash of all data.
    ///
    /// # Errors
    /// Values that cannot be read.
    fn hash(&self) -> io::Result<u64> {
        let mut hash = Xxh3::new();
        hash.update(self.kind().as_bytes());
        match self {
            Self::Volume(volume) => volume.add_to(&mut hash)?,
            Self::Surface { x, y, z } => {
                [x, y].into_iter().for_each(|values| add(&mut hash, values));
                z.add_to(&mut hash)?;
            }
            Self::Table(columns) => {
                for (name, values) in columns {
                    add_name(&mut hash, name);
                    values.add_to(&mut hash)?;
                }
            }
            Self::Samples { start, interval, values } => {
                add(&mut hash, &[*start, *interval]);
                values.add_to(&mut hash)?;
            }
            Self::Receivers(receivers) => {
                for (code, position) in receivers {
                    add_name(&mut hash, code);
                    add(&mut hash, position);
                }
            }
            Self::Text(text) => hash.update(text.as_bytes()),
        }
        Ok(hash.digest())
    }
}

pub(crate) fn add_name(hash: &mut Xxh3, name: &str) {
    hash.update(&name.len().to_le_bytes());
    hash.update(name.as_bytes());
}

/// Data from the calling program, by the names in a configuration.
///
/// Data take precedence over a file with the same name.
///
/// ```
/// use craton::{Given, Inputs};
/// use craton::config::VolumeAxis::{Depth, X};
///
/// let speeds = Given::volume(&[(Depth, 0.0, 10.0, 2), (X, 0.0, 10.0, 3)], vec![1500.0; 6])?;
/// let inputs = Inputs::new().with("vp", speeds).with("pulse", Given::samples(0.0, 1e-3, vec![1.0; 5]));
/// assert!(inputs.get("vp").is_some());
/// # Ok::<(), craton::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    given: BTreeMap<PathBuf, Arc<Given>>,
}

impl Inputs {
    /// Creates an empty set: all names refer to files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds data for a name. Data behind an `Arc` can be shared by several sets.
    #[must_use]
    pub fn with(mut self, name: impl Into<PathBuf>, data: impl Into<Arc<Given>>) -> Self {
        self.given.insert(name.into(), data.into());
        self
    }

    /// The data for a name.
    pub fn get(&self, name: impl AsRef<Path>) -> Option<&Given> {
        self.given.get(name.as_ref()).map(|given| &**given)
    }

    /// The hash (xxh3, 16 hexadecimal digits) of the input with this name.
    ///
    /// # Errors
    /// [`Error::Read`] if the input is an unreadable file.
    pub(crate) fn hash(&self, name: &Path, folder: &Path) -> Result<String, Error> {
        let given = self.get(name);
        let file = if given.is_some() { name.to_owned() } else { folder.join(name) };
        let hash = given.map_or_else(|| hash_of(&file), Given::hash);
        let hash = hash.map_err(|source| Error::Read {
            file,
            source,
            hint: "it has just been read: do not change inputs during a run".to_owned(),
        })?;
        Ok(format!("{hash:016x}"))
    }
}

/// Hash of a file, read in pieces because it may be large.
pub(crate) fn hash_of(file: &Path) -> io::Result<u64> {
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

/// Input with a name in a configuration.
pub(crate) enum Input<'a> {
    /// A file with this path relative to the working directory.
    File(PathBuf),
    /// Data from the calling program.
    Given(&'a Given),
}

/// Readers of the input of a configuration. Each records the name as part of it, see [`Written::file_hashes`].
impl<C: Format> Written<C> {
    /// Path of an input that must be a file.
    ///
    /// # Arguments
    /// * `name` – name in the configuration
    /// * `path` – key of the name
    /// # Errors
    /// Data from the calling program.
    pub(crate) fn file_named(&self, name: &Path, path: &KeyPath) -> Checked<PathBuf> {
        match self.input(name) {
            Input::File(file) => Ok(file),
            Input::Given(given) => Err(wrong_kind(given, "a file", name, path)),
        }
    }

    /// Reads a surface, and the unit of its coordinates if known.
    ///
    /// # Errors
    /// An unreadable file, or data of another kind.
    pub(crate) fn surface(&self, name: &Path, path: &KeyPath) -> Checked<(Grid, Option<Unit>)> {
        match self.input(name) {
            Input::File(file) => grid::read(&file).map_err(|error| bad_file(&error, name, path)),
            Input::Given(given) => given_surface(given, true, name, path),
        }
    }

    /// Reads values on a grid with any ascending coordinates, with gaps as NaN: a surface, or a named variable of a netCDF file.
    ///
    /// # Arguments
    /// * `path` – key of the file
    /// # Errors
    /// As [`surface`](Self::surface), except for gaps and uneven coordinates; a name of a variable for a file of another format.
    pub(crate) fn grid_of(&self, name: &Path, variable: Option<&str>, path: &KeyPath) -> Checked<(Grid, Option<Unit>)> {
        let refuse = |error: FormatError| bad_file(&error, name, path);
        let file = match self.input(name) {
            Input::File(file) => file,
            Input::Given(given) => return given_surface(given, false, name, path),
        };
        let Some(variable) = variable else { return grid::read_with_gaps(&file).map_err(refuse) };
        if let Some(read) = grid::read_variable(&file, variable).map_err(refuse)? {
            return Ok(read);
        }
        let message = format!("is not a netCDF file, but `variable` is {variable:?}");
        Err(of_file(Problem::new(path, message).hint("remove `variable`"), name))
    }

    /// Reads a table with named columns.
    ///
    /// # Errors
    /// An unreadable file, or data of another kind.
    pub(crate) fn table(&self, name: &Path, path: &KeyPath) -> Checked<Table> {
        let read = match self.input(name) {
            Input::File(file) => table::read(&file),
            Input::Given(Given::Table(columns)) => columns_of(columns, name),
            Input::Given(Given::Text(text)) => table::parse(text, name),
            Input::Given(given) => return Err(wrong_kind(given, "a table", name, path)),
        };
        read.map_err(|error| bad_file(&error, name, path))
    }
}

impl<C: Format> Written<C> {
    /// The text of a file or of the calling program.
    ///
    /// # Errors
    /// Data of another kind.
    pub(crate) fn text<'a>(&'a self, name: &'a Path, path: &KeyPath) -> Checked<Text<'a>> {
        match self.input(name) {
            Input::File(file) => Ok(Text { path: Cow::Owned(file), given: None }),
            Input::Given(Given::Text(text)) => Ok(Text { path: Cow::Borrowed(name), given: Some(text) }),
            Input::Given(given) => Err(wrong_kind(given, "text", name, path)),
        }
    }
}

/// The text of a file, read on demand, or a text from the calling program.
pub(crate) struct Text<'a> {
    path: Cow<'a, Path>,
    given: Option<&'a str>,
}

impl Text<'_> {
    /// Path of the file, or name of the data.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text from the calling program.
    pub fn given(&self) -> Option<&str> {
        self.given
    }

    /// Parses the text with a reader of files or one of texts.
    ///
    /// # Errors
    /// An error of the reader.
    pub fn read<R>(
        &self,
        of_file: impl FnOnce(&Path) -> Result<R, FormatError>,
        of_text: impl FnOnce(&str, &Path) -> Result<R, FormatError>,
    ) -> Result<R, FormatError> {
        self.given.map_or_else(|| of_file(&self.path), |text| of_text(text, &self.path))
    }

    /// Whether the text is XML, determined by its first character.
    pub fn is_xml(&self) -> bool {
        self.given.map_or_else(|| is_xml(&self.path), |text| text.trim_start().starts_with('<'))
    }
}

/// The problem with data of the wrong kind.
pub(crate) fn wrong_kind(given: &Given, expected: &str, name: &Path, path: &KeyPath) -> Box<Problem> {
    let problem = Problem::new(path, format!("the program gives {} for this name", given.kind()));
    of_file(problem.allowed(expected), name)
}

/// A table of the calling program.
fn columns_of(columns: &[(String, GivenNumbers)], name: &Path) -> Result<Table, FormatError> {
    let columns = columns.iter().map(|(called, values)| Ok((called.clone(), values.read(name)?)));
    Table::from_columns(name, columns.collect::<Result<_, FormatError>>()?)
}

/// A surface of the calling program.
///
/// # Arguments
/// * `is_even` – whether its coordinates must be evenly spaced
fn given_surface(given: &Given, is_even: bool, name: &Path, path: &KeyPath) -> Checked<(Grid, Option<Unit>)> {
    let Given::Surface { x, y, z } = given else { return Err(wrong_kind(given, "a surface", name, path)) };
    let values = z.read(name).map_err(|error| bad_file(&error, name, path))?;
    let grid = Grid { x: x.clone(), y: y.clone(), values };
    check_grid(&grid, is_even).map_err(|message| of_file(Problem::new(path, message), name))?;
    Ok((grid, None))
}

/// Checks a surface from the calling program, with the conditions on files.
fn check_grid(Grid { x, y, values }: &Grid, must_be_even: bool) -> Result<(), String> {
    for (name, places) in [("x", x), ("y", y)] {
        let spacing = places.get(1).map_or(f64::NAN, |second| second - places[0]);
        let ascends = |pair: &[f64]| pair[0].is_finite() && pair[1].is_finite() && pair[0] < pair[1];
        let is_even = |pair: &[f64]| (pair[1] - pair[0] - spacing).abs() <= 1e-6 * spacing;
        let is_good = |pair: &[f64]| if must_be_even { spacing > 0.0 && is_even(pair) } else { ascends(pair) };
        if places.len() < 2 || !places.windows(2).all(is_good) {
            let even = if must_be_even { " and evenly spaced" } else { "" };
            return Err(format!("{name} of the surface is not two or more values, ascending{even}"));
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
