//! Tesseroids and stations of a problem in longitude, latitude and height above the reference surface.

use std::path::Path;

use craton_gravity::{EARTH_RADIUS, GravityError, Stations, Tesseroid, Tesseroids};

use super::Reference;
use super::bodies::Bodies;
use super::layer::BodyMessages;
use super::lists::{self, Columns, List};
use super::places::Places;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Largest magnitude of a longitude [degrees]: positions may be up to two turns from the meridian 0.
pub(super) const MOST_LONGITUDE: f64 = 720.0;
/// Largest height above the reference surface [m].
pub(super) const MOST_HEIGHT: f64 = 1e11;
/// Largest magnitude of a density [kg/m³].
const MOST_DENSITY: f64 = 1e30;
/// The hint for longitudes and latitudes outside their range.
const IN_DEGREES: &str =
    "positions are longitude and latitude in degrees: check the order of the columns and their unit";
/// The hint for a bottom above its top.
const UPSIDE_DOWN: &str = "heights are positive up: negate the values if they are depths, otherwise swap them";

/// The bodies and the points of a problem on a sphere.
#[derive(Debug, Clone)]
pub struct Sphere {
    /// The bodies.
    pub tesseroids: Tesseroids,
    /// The points.
    pub stations: Stations,
    /// The surface at height 0.
    pub reference: Reference,
}

impl Sphere {
    /// Tesseroids and the points at which their field is computed.
    ///
    /// # Arguments
    /// * `places` – longitude, latitude and height of the points
    /// * `reference` – the surface at height 0
    /// # Errors
    /// Values outside the range of the library.
    pub fn new(tesseroids: Vec<Tesseroid>, places: &Places, reference: &Reference) -> Checked<Self> {
        let bad = |key: &str, error: GravityError| Box::new(Problem::new(key, error.to_string()));
        Ok(Self {
            tesseroids: Tesseroids::new(tesseroids).map_err(|error| bad("body", error))?,
            stations: reference
                .stations((0..places.points.len()).map(|point| places.points.get(point)))
                .map_err(|error| bad("points", error))?,
            reference: *reference,
        })
    }
}

/// A position outside its range, or a tesseroid without a volume.
pub struct Misplaced {
    /// What is wrong, with the value.
    pub message: String,
    /// The allowed range.
    pub allowed: String,
    /// The hint.
    pub hint: String,
}

impl Misplaced {
    /// The problem of a row of the configuration.
    pub fn in_row(self, path: &KeyPath) -> Box<Problem> {
        Box::new(Problem::new(path, self.message).allowed(self.allowed).hint(self.hint))
    }

    /// The problem of a row of a file.
    ///
    /// # Arguments
    /// * `row` – position of the row, in words; `path` – key of the file
    pub fn in_file(self, row: &str, name: &Path, path: &KeyPath) -> Box<Problem> {
        let problem = Problem::new(path, format!("{row}: {}", self.message));
        of_file(problem.allowed(self.allowed).hint(self.hint), name)
    }
}

/// Rejects a longitude or latitude outside its range.
fn check_angle(what: &str, value: f64, most: f64) -> Result<(), Misplaced> {
    if value.abs() <= most {
        return Ok(());
    }
    Err(Misplaced {
        message: format!("{what} is {}", Number(value)),
        allowed: format!("-{most} to {most} degrees"),
        hint: IN_DEGREES.to_owned(),
    })
}

/// Rejects a height below the lowest one, or one that is not a height.
///
/// # Arguments
/// * `what` – name of the height; `reference` – the surface at height 0
pub fn check_height(what: &str, value: f64, reference: &Reference) -> Result<(), Misplaced> {
    if (reference.lowest()..=MOST_HEIGHT).contains(&value) {
        return Ok(());
    }
    Err(Misplaced {
        message: format!("{what} is {} m", Number(value)),
        allowed: format!("{} to {} m", Number(reference.lowest()), Number(MOST_HEIGHT)),
        hint: reference.hint(),
    })
}

/// Rejects a point outside the range of a coordinate: longitude, latitude [degrees], height [m].
pub fn check_place([longitude, latitude, height]: [f64; 3], reference: &Reference) -> Result<(), Misplaced> {
    check_angle("longitude", longitude, MOST_LONGITUDE)?;
    check_angle("latitude", latitude, 90.0)?;
    check_height("height", height, reference)
}

/// A tesseroid from its bounds in degrees and heights [m].
///
/// # Arguments
/// * `values` – west, east, south, north, bottom, top, density
/// * `gradient` – increase of the density with height [kg/m⁴]
/// * `reference` – the surface at height 0
/// # Errors
/// A value outside its range, or a tesseroid without a volume.
pub fn tesseroid(values: [f64; 7], gradient: f64, reference: &Reference) -> Result<Tesseroid, Misplaced> {
    let [west, east, south, north, bottom, top, density] = values;
    for (what, value) in [("west", west), ("east", east)] {
        check_angle(what, value, MOST_LONGITUDE)?;
    }
    for (what, value) in [("south", south), ("north", north)] {
        check_angle(what, value, 90.0)?;
    }
    for (what, value) in [("bottom", bottom), ("top", top)] {
        check_height(what, value, reference)?;
    }
    for (what, value) in [("density", density), ("gradient", gradient)] {
        if !(-MOST_DENSITY..=MOST_DENSITY).contains(&value) {
            let message = format!("{what} is {}", Number(value));
            let hint = "check the number".to_owned();
            return Err(Misplaced { message, allowed: format!("-{MOST_DENSITY:e} to {MOST_DENSITY:e}"), hint });
        }
    }
    check_order(["west", "east"], [west, east], "degrees")?;
    check_order(["south", "north"], [south, north], "degrees")?;
    check_order(["bottom", "top"], [bottom, top], "m")?;
    if east - west > 360.0 {
        return Err(Misplaced {
            message: format!("east minus west is {} degrees", Number(east - west)),
            allowed: "at most 360 degrees".to_owned(),
            hint: IN_DEGREES.to_owned(),
        });
    }
    let cell = Tesseroid { west, east, south, north, bottom, top, density, gradient };
    let made = reference.tesseroid(cell).ok().filter(|made| made.bottom < made.top && made.south < made.north);
    made.ok_or_else(|| Misplaced {
        message: "the thickness or the extent along the meridian is below the round-off of the radius".to_owned(),
        allowed: format!("at least {} m", Number((EARTH_RADIUS + top) * f64::EPSILON)),
        hint: "remove it: a flat tesseroid has no mass".to_owned(),
    })
}

/// Rejects bounds that are equal or in the wrong order.
fn check_order([low_name, high_name]: [&str; 2], [low, high]: [f64; 2], unit: &str) -> Result<(), Misplaced> {
    if low < high {
        return Ok(());
    }
    let hint = match low_name {
        _ if low == high => "remove it: a flat tesseroid has no mass",
        "bottom" => UPSIDE_DOWN,
        "west" => {
            "add 360 to east if the tesseroid crosses the meridian where longitudes start again, otherwise swap them"
        }
        _ => "swap the two values",
    };
    Err(Misplaced {
        message: format!("{low_name} is {} {unit} and {high_name} {} {unit}", Number(low), Number(high)),
        allowed: format!("{low_name} < {high_name}"),
        hint: hint.to_owned(),
    })
}

impl Bodies {
    /// Adds the tesseroids of a list.
    ///
    /// # Arguments
    /// * `messages` – receives a warning about the file
    /// # Errors
    /// An unreadable file, or invalid tesseroids.
    pub fn tesseroid_list(
        &mut self,
        given: &config::Tesseroids,
        file: &GravityFile,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        let (reference, factor) = (Reference::of(&file.config), given.density_factor);
        for (row, &values) in given.rows.iter().enumerate() {
            let [.., density] = values;
            let mut scaled = values;
            scaled[6] = factor * density;
            let made = tesseroid(scaled, 0.0, &reference);
            self.tesseroids.push(made.map_err(|misplaced| misplaced.in_row(&path.key("rows").index(row)))?);
        }
        let Some(name) = &given.file else { return Ok(()) };
        let called = given.columns.clone().unwrap_or_default();
        let format = lists::format_of(name, given.format, file.inputs());
        let [west, east, south, north, bottom, top, density] = called.numbers();
        let words = None;
        match &called.gradient {
            None => {
                let list = List { name, format, numbers: called.numbers(), words, is_geographic: true };
                self.add_rows(list.read(file, path)?, factor, &reference, (name, path), messages)
            }
            Some(gradient) => {
                let numbers = [west, east, south, north, bottom, top, density, ("gradient", gradient)];
                let list = List { name, format, numbers, words, is_geographic: true };
                self.add_rows(list.read(file, path)?, factor, &reference, (name, path), messages)
            }
        }
    }

    /// Adds rows of a file: seven columns, and the gradient in the eighth if there is one.
    fn add_rows<const N: usize>(
        &mut self,
        mut columns: Columns<N>,
        factor: f64,
        reference: &Reference,
        (name, path): (&Path, &KeyPath),
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        messages.warnings.extend(columns.warning.take());
        let numbers = columns.take();
        for row in 0..numbers[0].len() {
            let mut values: [f64; 7] = std::array::from_fn(|column| numbers[column][row]);
            values[6] *= factor;
            let gradient = numbers.get(7).map_or(0.0, |column| factor * column[row]);
            let made = tesseroid(values, gradient, reference);
            let made = made.map_err(|misplaced| misplaced.in_file(&columns.row(row), name, &path.key("file")));
            self.tesseroids.push(made?);
        }
        Ok(())
    }
}
