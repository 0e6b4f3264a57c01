//! What lies between two surfaces.

use std::path::PathBuf;

use craton_device::{Isa, Workers};
use craton_formats::grid::Grid;
use craton_gravity::{DensityLaw, Field, Fields, Filling, Gravity, GravityError, Layer, Points, Prisms, forward};

use super::bodies::BELIEVED;
use super::places::surface;
use super::{Places, workers};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::columns::fields_of;
use crate::gravity::config::{self, Height};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Change of the fields that slices are made for, where no accuracy is asked for.
const ACCURACY: f64 = 1e-5;
/// Slices of a column that are tried, where their number is not given.
const SLICES: [usize; 14] = [2, 3, 5, 8, 12, 19, 29, 44, 67, 101, 152, 229, 345, 512];
/// How many times as many slices show what given ones leave: two numbers, as a law may have the same means in one and in two.
const FINER: [usize; 2] = [2, 3];
/// Prisms of a layer at most that are tried.
const MOST_PRISMS: usize = 30_000_000;
/// Slices that may be given, at most.
const MOST_SLICES: usize = config::MOST_SLICES;
/// How many times as many slices are advised as the estimate says.
const MARGIN: f64 = 1.1;
/// Distance of points of two grids that are the same, in spacings.
const SLACK: f64 = 1e-6;
/// Points at which the change by slices is looked at.
const LOOKED_AT: usize = 16;

/// A layer with both of its surfaces.
pub struct Between {
    /// The columns.
    pub layer: Layer,
    /// Whether a file says that places are in metres.
    pub are_metres: bool,
}

impl Between {
    /// Reads the surfaces.
    ///
    /// # Errors
    /// Files that cannot be read, surfaces over other points than one another, columns upside down that have no density.
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
                let problem =
                    Problem::new(path.key("top"), "no surface is a file, so that nothing says where the columns are");
                return Err(problem.hint("take [body.block] for what is flat on both sides").into());
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
                "lies below the bottom at x = {x}, y = {y} m, {} below {} m",
                Number(top[column]),
                Number(bottom[column])
            );
            let hint = "z is up: negate surfaces that are depths; or give `inverted_density` for such columns, that of water less that of rock, or 0 to leave them out";
            return Err(Problem::new(path.key("top"), message).hint(hint).into());
        }
        let layer = Layer::new(x, y, top, bottom).map_err(|error| Problem::new(path, error.to_string()))?;
        Ok(Self { layer, are_metres })
    }

    /// Says how many points lie inside.
    pub fn points_inside(&self, file: &GravityFile, places: &Places) -> Option<String> {
        let told = places.told_of("inside a layer, below its top", |place| self.layer.holds(place))?;
        let hint = match file.config.points {
            config::Points::Draped(_) => {
                "; columns are flat steps as wide as the points of their grid are apart: a finer grid, or points farther above it, have none inside"
            }
            _ => "",
        };
        Some(format!("{told}{hint}"))
    }

    /// What the layer is made of, with as many slices as the accuracy takes.
    ///
    /// # Arguments
    /// * `told` – takes what a user is told of the slices: a note, or a warning where they are not enough
    /// # Errors
    /// A law without a density that can be meant at the depths of the columns.
    pub fn filling(
        &self,
        given: &config::Layer,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        told: &mut Told,
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
        let asked = file.config.method.accuracy;
        let accuracy = asked.unwrap_or(ACCURACY);
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
        told.of_slices(&filling, left, &trial, (asked, given.slices.is_some()));
        Ok(filling)
    }

    /// Refuses a law of density that does not fit the depths of the columns.
    fn check_density(&self, filling: &Filling, path: &KeyPath) -> Checked<()> {
        for depth in self.layer.depths(filling.datum).into_iter().flatten() {
            let density = filling.law.at(depth);
            if !(-BELIEVED..=BELIEVED).contains(&density) {
                let message = format!("is {} kg/m3 at depth {} m, which columns reach", Number(density), Number(depth));
                let problem = Problem::new(path, message).allowed(format!("-{BELIEVED:e} to {BELIEVED:e} kg/m3"));
                let hint = "depth is `datum` less z, or counts from the top of each column where there is no `datum`: has it the right sign, and are `scale` and coefficients in metres?";
                return Err(problem.hint(hint).into());
            }
        }
        Ok(())
    }
}

/// What a user is told of a body.
#[derive(Default)]
pub struct Told {
    /// What it is.
    pub notes: Vec<String>,
    /// What is to be minded.
    pub warnings: Vec<String>,
    /// Whether a file says that places are in metres.
    pub are_metres: bool,
}

impl Told {
    /// Takes what slices leave out, as a part of the largest values: a note, or a warning where it is more than the accuracy; none where nobody knows.
    ///
    /// # Arguments
    /// * `asked` – accuracy that is asked for, and whether the number of slices is given
    fn of_slices(&mut self, filling: &Filling, left: Option<f64>, trial: &Trial, asked: (Option<f64>, bool)) {
        let Some(left) = left else {
            self.notes.push("what slices leave out is not estimated: a trial would have too many prisms".to_owned());
            return;
        };
        let text = format!(
            "the thickest column in {} slices: the change of density within them changes the fields by about {left:.1e} of their largest values, at {} of the points",
            filling.slices,
            trial.points.len()
        );
        let (accuracy, are_given) = (asked.0.unwrap_or(ACCURACY), asked.1);
        // Who says how many slices there are, and no accuracy, is told what they leave out, and no more.
        if left <= accuracy || (are_given && asked.0.is_none()) {
            self.notes.push(text);
        } else {
            let advice = trial.advice(filling.slices, left, accuracy);
            self.warnings.push(format!("{text}, more than the accuracy of {}: {advice}", Number(accuracy)));
        }
    }
}

/// Sums at a few points, to see what slices change.
struct Trial<'a> {
    layer: &'a Layer,
    points: Points,
    fields: Fields,
    workers: Workers,
}

impl Trial<'_> {
    /// Gives the layer as many slices as the accuracy asks for, and tells what they leave.
    fn choose_slices(&self, filling: &mut Filling, accuracy: f64) -> Result<f64, GravityError> {
        let mut known: Option<(usize, Gravity)> = None;
        let mut left = [f64::INFINITY; 2];
        // Numbers without a common part: a law may have the same means in two and four slices.
        for slices in SLICES {
            if slices > SLICES[0] && self.layer.columns() * slices > MOST_PRISMS {
                break;
            }
            filling.slices = slices;
            let gravity = self.gravity(filling)?;
            if let Some((fewer, before)) = &known {
                // The error falls with the square of the number.
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

    /// What a number of slices that is given leaves; none where more of them would be too many prisms.
    fn left_by(&self, filling: &Filling) -> Result<Option<f64>, GravityError> {
        if self.layer.columns().saturating_mul(FINER[1] * filling.slices) > MOST_PRISMS {
            return Ok(None);
        }
        let own = self.gravity(filling)?;
        let mut left = 0.0_f64;
        for times in FINER {
            let finer = self.gravity(&Filling { slices: times * filling.slices, ..filling.clone() })?;
            // The error falls with the square of the number.
            let square = (times * times) as f64;
            left = left.max(change(&own, &finer) * square / (square - 1.0));
        }
        Ok(Some(left))
    }

    /// What helps where slices leave too much: as many as are needed, if there may be so many, or else an accuracy that can be reached.
    ///
    /// # Arguments
    /// * `slices` – a number of slices, and `left` – what they leave, which falls with the square of the number
    fn advice(&self, slices: usize, left: f64, accuracy: f64) -> String {
        let needed = (MARGIN * slices as f64 * (left / accuracy).sqrt()).ceil();
        if needed <= MOST_SLICES as f64 {
            let prisms = needed * self.layer.columns() as f64;
            let room =
                if prisms > MOST_PRISMS as f64 { format!(", which are {prisms:.1e} prisms") } else { String::new() };
            return format!("slices = {needed} would keep it{room}");
        }
        let reached = left * (MARGIN * slices as f64 / MOST_SLICES as f64).powi(2);
        format!(
            "not even {MOST_SLICES} slices would keep it, which leave about {reached:.1e}: ask for that accuracy, or take points farther from the layer"
        )
    }

    fn gravity(&self, filling: &Filling) -> Result<Gravity, GravityError> {
        let prisms = Prisms::new(self.layer.prisms(filling))?;
        Ok(forward(&prisms, &self.points, self.fields, &self.workers, Isa::detect()))
    }
}

/// Points spread over all of them.
fn some_of(points: &Points) -> Points {
    let step = points.len().div_ceil(LOOKED_AT).max(1);
    Points::new((0..points.len()).step_by(step).map(|point| points.get(point))).expect("they are points")
}

/// Largest change of the potential, the attraction or the tensor, as a part of its largest value.
fn change(before: &Gravity, after: &Gravity) -> f64 {
    let (vector, tensor) = Field::ALL[1..].split_at(3);
    let of = |kind: &[Field]| {
        let asked: Vec<[&[f64]; 2]> =
            kind.iter().filter_map(|&field| Some([before.get(field)?, after.get(field)?])).collect();
        let points = asked.first().map_or(0, |[values, _]| values.len());
        let largest = |value: &dyn Fn(&[&[f64]; 2], usize) -> f64| {
            let square = |point: usize| {
                asked.iter().map(|pair| value(pair, point).powi(2)).filter(|square| square.is_finite()).sum::<f64>()
            };
            (0..points).map(square).fold(0.0, f64::max).sqrt()
        };
        let peak = largest(&|[_, after], point| after[point]);
        let change = largest(&|[before, after], point| after[point] - before[point]);
        if peak > 0.0 { change / peak } else { 0.0 }
    };
    [of(&Field::ALL[..1]), of(vector), of(tensor)].into_iter().fold(0.0, f64::max)
}

/// The points that two surfaces share.
fn same_points(
    (top_name, top): &(PathBuf, Grid),
    (bottom_name, bottom): &(PathBuf, Grid),
    path: &KeyPath,
) -> Checked<(Vec<f64>, Vec<f64>)> {
    let alike = |a: &[f64], b: &[f64]| {
        let slack = SLACK * (a[1] - a[0]);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= slack)
    };
    if alike(&top.x, &bottom.x) && alike(&top.y, &bottom.y) {
        return Ok((top.x.clone(), top.y.clone()));
    }
    let told = |grid: &Grid| {
        let axis = |places: &[f64]| {
            format!("{} from {} to {}", places.len(), Number(places[0]), Number(places[places.len() - 1]))
        };
        format!("{} along x and {} along y", axis(&grid.x), axis(&grid.y))
    };
    let message = format!("has other points than {}: {}, and there {}", top_name.display(), told(bottom), told(top));
    let problem = Problem::new(path.key("bottom"), message).hint("resample one of them to the points of the other");
    Err(of_file(problem, bottom_name))
}
