//! Layers between two surfaces.

use std::path::PathBuf;

use craton_device::{Isa, Workers};
use craton_formats::grid::Grid;
use craton_gravity::{DensityLaw, Field, Fields, Filling, Gravity, GravityError, Layer, Points, Prisms, forward};

use super::bodies::LARGEST_DENSITY;
use super::places::surface;
use super::{Places, workers};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::columns::fields_of;
use crate::gravity::config::{self, Height};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Default tolerance of the slices without a requested accuracy.
const ACCURACY: f64 = 1e-5;
/// Numbers of slices to try if none is given.
const SLICES: [usize; 14] = [2, 3, 5, 8, 12, 19, 29, 44, 67, 101, 152, 229, 345, 512];
/// Refinement factors for the error of a given number of slices: two, because a law may have the same averages in one
/// slice and in two.
const FINER: [usize; 2] = [2, 3];
/// Largest number of prisms of a layer to try.
const MOST_PRISMS: usize = 30_000_000;
/// Largest number of slices that may be given.
const MOST_SLICES: usize = config::MOST_SLICES;
/// Safety factor of the recommended number of slices.
const MARGIN: f64 = 1.1;
/// Tolerance of grid coordinates, in spacings.
const TOLERANCE: f64 = 1e-6;
/// Number of points at which the error of slices is estimated.
const TRIAL_POINTS: usize = 16;

/// A layer with both surfaces.
pub struct Between {
    /// The columns.
    pub layer: Layer,
    /// Whether a file gives metres as its unit.
    pub are_metres: bool,
}

impl Between {
    /// Reads the surfaces.
    ///
    /// # Errors
    /// Unreadable files, surfaces with different grid points, inverted columns without a density.
    pub fn new(given: &config::Layer, file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        let mut are_metres = false;
        let mut read = |height: &Height, key: &str| match height {
            Height::At(_) => Ok(None),
            Height::File(name) => {
                let (grid, is_metres) = surface(name, file, &path.key(key))?;
                are_metres |= is_metres;
                Ok::<_, Box<Problem>>(Some((name.clone(), grid)))
            }
        };
        let (top, bottom) = (read(&given.top, "top")?, read(&given.bottom, "bottom")?);
        let (x, y) = match (&top, &bottom) {
            (Some(top), Some(bottom)) => same_points(top, bottom, path)?,
            (Some((_, grid)), None) | (None, Some((_, grid))) => (grid.x.clone(), grid.y.clone()),
            (None, None) => {
                let problem = Problem::new(path.key("top"), "at least one of the two surfaces must be a file");
                return Err(problem.hint("use [body.block] for a body that is flat on both sides").into());
            }
        };
        let heights = |height: &Height, read: Option<(PathBuf, Grid)>| match (height, read) {
            (_, Some((_, grid))) => grid.values,
            (Height::At(z), None) => vec![*z; x.len() * y.len()],
            (Height::File(_), None) => unreachable!("files have been read"),
        };
        let (top, bottom) = (heights(&given.top, top), heights(&given.bottom, bottom));
        let columns = [x.len(), y.len()];
        let upside_down = top.iter().zip(&bottom).position(|(top, bottom)| top < bottom);
        if let (Some(column), None) = (upside_down, given.inverted_density) {
            let [x, y] = [x[column % columns[0]], y[column / columns[0]]].map(Number);
            let message = format!(
                "is below the bottom at x = {x}, y = {y} m: {} < {} m",
                Number(top[column]),
                Number(bottom[column])
            );
            let hint = "z is positive up: negate depths. For intended inverted columns, set `inverted_density` to the contrast of water to rock, or to 0 to ignore them";
            return Err(Problem::new(path.key("top"), message).hint(hint).into());
        }
        let layer = Layer::new(x, y, top, bottom).map_err(|error| Problem::new(path, error.to_string()))?;
        Ok(Self { layer, are_metres })
    }

    /// The number of points inside the layer, as a warning.
    pub fn points_inside(&self, file: &GravityFile, places: &Places) -> Option<String> {
        let warning = places.told_of("inside a layer", |place| self.layer.holds(place))?;
        let hint = match file.config.points {
            config::Points::Draped(_) => {
                ". Columns have flat tops as wide as the grid spacing: use a finer grid, or points higher above it"
            }
            _ => "",
        };
        Some(format!("{warning}{hint}"))
    }

    /// The density of the layer, with as many slices as the accuracy requires.
    ///
    /// # Arguments
    /// * `messages` – receives notes and warnings about the slices
    /// # Errors
    /// A density law with impossible values at the depths of the columns.
    pub fn filling(
        &self,
        given: &config::Layer,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Filling> {
        let path = path.key("density");
        let (law, datum) = match &given.density {
            config::DensityLaw::Constant(density) => (DensityLaw::Constant(*density), None),
            config::DensityLaw::Polynomial { coefficients, datum } => {
                (DensityLaw::Polynomial(coefficients.clone()), *datum)
            }
            &config::DensityLaw::Exponential { shallow, deep, scale, datum } => {
                (DensityLaw::Exponential { shallow, deep, scale }, datum)
            }
        };
        let mut filling = Filling { law, datum, inverted: given.inverted_density, slices: given.slices.unwrap_or(1) };
        if filling.law.is_constant() {
            return Ok(filling);
        }
        self.check_density(&filling, &path)?;
        let requested = file.config.method.accuracy;
        let accuracy = requested.unwrap_or(ACCURACY);
        let trial = Trial {
            layer: &self.layer,
            points: some_of(&places.points),
            fields: fields_of(&file.config.fields),
            workers: workers(file)?,
        };
        let refused = |error: GravityError| Problem::new(&path, error.to_string());
        let left = match given.slices {
            None => Some(trial.choose_slices(&mut filling, accuracy).map_err(refused)?),
            Some(_) => trial.left_by(&filling).map_err(refused)?,
        };
        messages.of_slices(&filling, left, &trial, (requested, given.slices.is_some()));
        Ok(filling)
    }

    /// Rejects a density law with impossible values at the depths of the columns.
    fn check_density(&self, filling: &Filling, path: &KeyPath) -> Checked<()> {
        for depth in self.layer.depths(filling.datum).into_iter().flatten() {
            let density = filling.law.at(depth);
            if !(-LARGEST_DENSITY..=LARGEST_DENSITY).contains(&density) {
                let message =
                    format!("is {} kg/m3 at depth {} m, which is within the columns", Number(density), Number(depth));
                let problem =
                    Problem::new(path, message).allowed(format!("-{LARGEST_DENSITY:e} to {LARGEST_DENSITY:e} kg/m3"));
                let hint = "depth is `datum` - z, or depth below the top of each column without `datum`. Check its sign, and that `scale` and coefficients are in metres";
                return Err(problem.hint(hint).into());
            }
        }
        Ok(())
    }
}

/// Messages about a body for the user.
#[derive(Default)]
pub struct BodyMessages {
    /// Notes.
    pub notes: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Whether a file gives metres as its unit.
    pub are_metres: bool,
}

impl BodyMessages {
    /// Records the slicing error, as a fraction of the largest values: a note, or a warning if it exceeds the accuracy.
    ///
    /// # Arguments
    /// * `requested` – the requested accuracy, and whether the number of slices is given
    fn of_slices(&mut self, filling: &Filling, left: Option<f64>, trial: &Trial, requested: (Option<f64>, bool)) {
        let Some(left) = left else {
            self.notes.push("the slicing error is not estimated: that would require too many prisms".to_owned());
            return;
        };
        let text = format!(
            "the number of slices in the thickest column is {}. The slicing error is about {left:.1e} of the largest values, estimated at {} of the points",
            filling.slices,
            trial.points.len()
        );
        let (accuracy, are_given) = (requested.0.unwrap_or(ACCURACY), requested.1);
        // If the number of slices is given without an accuracy, the error is only a note.
        if left <= accuracy || (are_given && requested.0.is_none()) {
            self.notes.push(text);
        } else {
            let advice = trial.advice(filling.slices, left, accuracy);
            self.warnings.push(format!("{text}. This exceeds the accuracy of {}: {advice}", Number(accuracy)));
        }
    }
}

/// Sums at a few points that estimate the slicing error.
struct Trial<'a> {
    layer: &'a Layer,
    points: Points,
    fields: Fields,
    workers: Workers,
}

impl Trial<'_> {
    /// Chooses the number of slices for an accuracy, and returns the error.
    fn choose_slices(&self, filling: &mut Filling, accuracy: f64) -> Result<f64, GravityError> {
        let mut known: Option<(usize, Gravity)> = None;
        let mut left = [f64::INFINITY; 2];
        // Numbers without a common factor: a law may have the same averages in two and four slices.
        for slices in SLICES {
            if slices > SLICES[0] && self.layer.columns() * slices > MOST_PRISMS {
                break;
            }
            filling.slices = slices;
            let gravity = self.gravity(filling)?;
            if let Some((fewer, before)) = &known {
                // The error decreases with the square of the number.
                let ratio = (slices as f64 / *fewer as f64).powi(2);
                left = [change(before, &gravity) / (ratio - 1.0), left[0]];
            }
            known = Some((slices, gravity));
            if left.iter().all(|&left| left <= accuracy) {
                break;
            }
        }
        Ok(left[0])
    }

    /// The error of a given number of slices; `None` if refinement would require too many prisms.
    fn left_by(&self, filling: &Filling) -> Result<Option<f64>, GravityError> {
        if self.layer.columns().saturating_mul(FINER[1] * filling.slices) > MOST_PRISMS {
            return Ok(None);
        }
        let own = self.gravity(filling)?;
        let mut left = 0.0_f64;
        for times in FINER {
            let finer = self.gravity(&Filling { slices: times * filling.slices, ..filling.clone() })?;
            // The error decreases with the square of the number.
            let square = (times * times) as f64;
            left = left.max(change(&own, &finer) * square / (square - 1.0));
        }
        Ok(Some(left))
    }

    /// The hint for too few slices: the sufficient number, or else the accuracy that is possible.
    ///
    /// # Arguments
    /// * `slices` – a number of slices, and `left` – its error, which decreases with the square of the number
    fn advice(&self, slices: usize, left: f64, accuracy: f64) -> String {
        let needed = (MARGIN * slices as f64 * (left / accuracy).sqrt()).ceil();
        if needed <= MOST_SLICES as f64 {
            let prisms = needed * self.layer.columns() as f64;
            let room = if prisms > MOST_PRISMS as f64 {
                format!(", which result in {prisms:.1e} prisms")
            } else {
                String::new()
            };
            return format!("set slices = {needed}{room}");
        }
        let reached = left * (MARGIN * slices as f64 / MOST_SLICES as f64).powi(2);
        format!(
            "even {MOST_SLICES} slices have an error of about {reached:.1e}. Request that accuracy, or use points farther from the layer"
        )
    }

    fn gravity(&self, filling: &Filling) -> Result<Gravity, GravityError> {
        let prisms = Prisms::new(self.layer.prisms(filling))?;
        Ok(forward(&prisms, &self.points, self.fields, &self.workers, Isa::detect()))
    }
}

/// A sample of evenly distributed points.
fn some_of(points: &Points) -> Points {
    let step = points.len().div_ceil(TRIAL_POINTS).max(1);
    Points::new((0..points.len()).step_by(step).map(|point| points.get(point))).expect("they are points")
}

/// Largest relative change of potential, attraction or tensor.
fn change(before: &Gravity, after: &Gravity) -> f64 {
    let (vector, tensor) = Field::ALL[1..].split_at(3);
    let of = |kind: &[Field]| {
        let pairs: Vec<[&[f64]; 2]> =
            kind.iter().filter_map(|&field| Some([before.get(field)?, after.get(field)?])).collect();
        let points = pairs.first().map_or(0, |[values, _]| values.len());
        let largest = |value: &dyn Fn(&[&[f64]; 2], usize) -> f64| {
            let square = |point: usize| {
                pairs.iter().map(|pair| value(pair, point).powi(2)).filter(|square| square.is_finite()).sum::<f64>()
            };
            (0..points).map(square).fold(0.0, f64::max).sqrt()
        };
        let peak = largest(&|[_, after], point| after[point]);
        let change = largest(&|[before, after], point| after[point] - before[point]);
        if peak > 0.0 { change / peak } else { 0.0 }
    };
    [of(&Field::ALL[..1]), of(vector), of(tensor)].into_iter().fold(0.0, f64::max)
}

/// The common grid points of two surfaces.
fn same_points(
    (top_name, top): &(PathBuf, Grid),
    (bottom_name, bottom): &(PathBuf, Grid),
    path: &KeyPath,
) -> Checked<(Vec<f64>, Vec<f64>)> {
    let alike = |a: &[f64], b: &[f64]| {
        let tolerance = TOLERANCE * (a[1] - a[0]);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
    };
    if alike(&top.x, &bottom.x) && alike(&top.y, &bottom.y) {
        return Ok((top.x.clone(), top.y.clone()));
    }
    let description = |grid: &Grid| {
        let axis = |places: &[f64]| {
            format!("{} from {} to {}", places.len(), Number(places[0]), Number(places[places.len() - 1]))
        };
        format!("{} along x and {} along y", axis(&grid.x), axis(&grid.y))
    };
    let message = format!(
        "has other grid points than {}: {} instead of {}",
        top_name.display(),
        description(bottom),
        description(top)
    );
    let problem =
        Problem::new(path.key("bottom"), message).hint("resample one surface to the grid points of the other");
    Err(of_file(problem, bottom_name))
}
