//! Layers between two surfaces.

use std::collections::BTreeSet;
use std::path::PathBuf;

use craton_formats::grid::Grid;
use craton_gravity::{DensityLaw, Filling, GravityError, Layer, Prism};

use super::bodies::LARGEST_DENSITY;
use super::grids::{grid_of, position, spacing_note};
use super::slices::{Trial, some_of};
use super::sphere_layer::{Region, slope};
use super::{Places, Reference, holes, memory, workers};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::columns::fields_of;
use crate::gravity::config::{self, Coordinates, Height, Holes};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Default tolerance of the slices without a requested accuracy.
const ACCURACY: f64 = 1e-5;
/// Tolerance of grid coordinates, in spacings.
const TOLERANCE: f64 = 1e-6;

/// Bottom [m] and density [kg/m³] of the uppermost prism of each column.
type Uppermost = Vec<(f64, f64)>;

/// The prisms of the columns of a layer.
pub struct Columns {
    pub prisms: Vec<Prism>,
    /// Bottom and density of the uppermost prism of each column.
    pub uppermost: Uppermost,
    /// How they are filled, unless densities are given for each column.
    pub filling: Option<Filling>,
}

/// A layer with both surfaces.
#[derive(Clone)]
pub struct Between {
    /// The columns.
    pub layer: Layer,
    /// Density of each column [kg/m³], if it is given by a grid.
    pub densities: Option<Vec<f64>>,
    /// Indices of the columns that are air, ascending: without thickness in `layer`.
    pub holes: Vec<usize>,
    /// The upper surface [m], without holes.
    pub heights: Vec<f64>,
    /// Whether a file gives metres as its unit.
    pub are_metres: bool,
    /// Smallest number of slices that Craton chooses.
    pub least_slices: usize,
}

impl Between {
    /// Reads the surfaces.
    ///
    /// # Errors
    /// Unreadable files, surfaces with different grid points, inverted columns without a density.
    ///
    /// # Arguments
    /// * `messages` – receives notes about holes
    pub fn new(
        given: &config::Layer,
        file: &GravityFile,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Self> {
        let (mut are_metres, mut gaps) = (false, BTreeSet::new());
        let mut read = |height: &Height, key: &str| match height {
            Height::At(_) => Ok(None),
            Height::File(name) => {
                let path = path.key(key);
                let (mut grid, is_metres) = grid_of(name, None, given.coordinates, file, &path)?;
                are_metres |= is_metres;
                let filled = holes::fill(&mut grid.values, grid.x.len(), &path);
                gaps.extend(filled.map_err(|problem| of_file(*problem, name))?);
                Ok::<_, Box<Problem>>(Some((name.clone(), grid)))
            }
        };
        let (top, bottom) = (read(&given.top, "top")?, read(&given.bottom, "bottom")?);
        let (x, y) = match (&top, &bottom) {
            (Some(top), Some(bottom)) => same_points(top, bottom, path)?,
            (Some((_, grid)), None) | (None, Some((_, grid))) => (grid.x.clone(), grid.y.clone()),
            (None, None) => {
                let problem = Problem::new(path.key("top"), "at least one of the two surfaces must be a file");
                let body = if given.coordinates == Coordinates::Metres { "block" } else { "tesseroids" };
                return Err(problem.hint(format!("use [body.{body}] for a body that is flat on both sides")).into());
            }
        };
        let heights = |height: &Height, read: Option<(PathBuf, Grid)>| match (height, read) {
            (_, Some((_, grid))) => grid.values,
            (Height::At(z), None) => vec![*z; x.len() * y.len()],
            (Height::File(_), None) => unreachable!("files have been read"),
        };
        let (heights, bottom) = (heights(&given.top, top), heights(&given.bottom, bottom));
        let densities = densities(given, [&x, &y], file, path)?;
        gaps.extend(densities.iter().flat_map(|(_, gaps)| gaps));
        messages.notes.extend(spacing_note(given.coordinates, [&x, &y]));
        messages.notes.extend(holes::note(gaps.len(), given.holes));
        let mut top = heights.clone();
        let holes: Vec<usize> = gaps.into_iter().filter(|_| given.holes == Holes::Air).collect();
        holes.iter().for_each(|&hole| top[hole] = bottom[hole]);
        check_order(given, [&x, &y], [&top, &bottom], path)?;
        let layer = Layer::new(x, y, top, bottom).map_err(|error| Problem::new(path, error.to_string()))?;
        let densities = densities.map(|(densities, _)| densities);
        Ok(Self { layer, densities, holes, heights, are_metres, least_slices: 1 })
    }

    /// Indices of the columns without thickness, ascending; these include the holes.
    pub fn without_thickness(&self) -> Vec<usize> {
        let [top, bottom] = self.layer.surfaces();
        (0..top.len()).filter(|&column| top[column] == bottom[column]).collect()
    }

    /// The prisms of the columns that are not inverted.
    ///
    /// # Errors
    /// As [`filling`](Self::filling).
    pub fn prisms(
        &self,
        given: &config::Layer,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Columns> {
        if let Some(densities) = &self.densities {
            let [_, bottom] = self.layer.surfaces();
            let uppermost = bottom.iter().copied().zip(densities.iter().copied()).collect();
            let prisms = self.layer.prisms_by_column(densities).collect();
            return Ok(Columns { prisms, uppermost, filling: None });
        }
        let filling = self.filling(given, file, places, path, messages)?;
        let (prisms, uppermost) = (self.layer.prisms(&filling).collect(), self.layer.uppermost(&filling));
        Ok(Columns { prisms, uppermost, filling: Some(filling) })
    }

    /// The prisms of inverted columns, next to columns with the densities of a grid.
    pub fn inverted(&self, given: &config::Layer) -> Vec<Prism> {
        let Some(density) = given.inverted_density else { return Vec::new() };
        let law = DensityLaw::Constant(0.0);
        let filling = Filling { law, datum: None, inverted: Some(density), slices: 1 };
        self.layer.prisms(&filling).filter(|prism| prism.density != 0.0).collect()
    }

    /// The number of points inside the layer, as a warning.
    pub fn points_inside(&self, file: &GravityFile, places: &Places) -> Option<String> {
        let [x, _] = self.layer.axes();
        let west = 1.5 * x[0] - 0.5 * x[1];
        let holds = |[x, y, z]: [f64; 3]| match places.are_geographic {
            true => self.layer.holds([west + (x - west).rem_euclid(360.0), y, z]),
            false => self.layer.holds([x, y, z]),
        };
        let warning = places.told_of("inside a layer", holds)?;
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
    /// A density law with impossible values at the depths of the columns, or too little memory for the slices.
    pub fn filling(
        &self,
        given: &config::Layer,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Filling> {
        let filling = self.sliced(given, file, places, &path.key("density"), messages)?;
        let noun = if given.coordinates == Coordinates::Geographic { "tesseroids" } else { "prisms" };
        memory::fits_slices(&memory::room(file), filling.slices, self.layer.count(&filling), noun, path)?;
        Ok(filling)
    }

    /// The density of the layer and its slices, before their memory is checked.
    fn sliced(
        &self,
        given: &config::Layer,
        file: &GravityFile,
        places: &Places,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<Filling> {
        let (law, datum) = match &given.density {
            config::DensityLaw::Constant(density) => (DensityLaw::Constant(*density), None),
            // Prisms have the densities of the grid.
            config::DensityLaw::Columns { .. } => (DensityLaw::Constant(0.0), None),
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
        self.check_density(&filling, path)?;
        let is_geographic = given.coordinates == Coordinates::Geographic;
        // The density of a tesseroid may be linear.
        if is_geographic && slope(&filling.law).is_some() {
            return Ok(filling);
        }
        let requested = file.config.method.accuracy;
        let accuracy = requested.unwrap_or(ACCURACY);
        let trial = Trial {
            layer: &self.layer,
            points: some_of(&places.points),
            fields: fields_of(&file.config.fields),
            workers: workers(file)?,
            region: is_geographic.then(|| Region::of(&self.layer, Reference::of(&file.config), path)).transpose()?,
        };
        let refused = |error: GravityError| Problem::new(path, error.to_string());
        let left = match given.slices {
            None => {
                let left = trial.choose_slices(&mut filling, accuracy).map_err(refused)?;
                Some(left * self.thinner(&mut filling))
            }
            Some(_) => trial.left_by(&filling).map_err(refused)?,
        };
        messages.of_slices(&filling, left, &trial, (requested, given.slices.is_some()));
        Ok(filling)
    }

    /// Increases the number of slices of a linear law to the smallest one. Returns the factor of their error, which decreases with the square of the number.
    fn thinner(&self, filling: &mut Filling) -> f64 {
        if slope(&filling.law).is_none() || self.least_slices <= filling.slices {
            return 1.0;
        }
        let ratio = filling.slices as f64 / self.least_slices as f64;
        filling.slices = self.least_slices;
        ratio * ratio
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

/// Rejects columns whose top lies below their bottom, unless they have a density.
fn check_order(given: &config::Layer, [x, y]: [&[f64]; 2], [top, bottom]: [&[f64]; 2], path: &KeyPath) -> Checked<()> {
    let upside_down = top.iter().zip(bottom).position(|(top, bottom)| top < bottom);
    if let (Some(column), None) = (upside_down, given.inverted_density) {
        let place = position(given.coordinates, [x[column % x.len()], y[column / x.len()]]);
        let (top, bottom) = (Number(top[column]), Number(bottom[column]));
        let message = format!("is below the bottom at {place}: {top} < {bottom} m");
        let hint = "z is positive up: negate depths. For intended inverted columns, set `inverted_density` to the contrast of water to rock, or to 0 to ignore them";
        return Err(Problem::new(path.key("top"), message).hint(hint).into());
    }
    Ok(())
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

/// The densities of the columns from a grid, with gaps filled, and the indices of the gaps.
///
/// # Errors
/// An unreadable file, other grid points than those of the surfaces, impossible densities.
fn densities(
    given: &config::Layer,
    [x, y]: [&[f64]; 2],
    file: &GravityFile,
    path: &KeyPath,
) -> Checked<Option<(Vec<f64>, Vec<usize>)>> {
    let config::DensityLaw::Columns { file: name, variable, factor } = &given.density else { return Ok(None) };
    let path = path.key("density").key("columns").key("file");
    let (mut grid, _) = grid_of(name, variable.as_deref(), given.coordinates, file, &path)?;
    if !(is_alike(&grid.x, x) && is_alike(&grid.y, y)) {
        let message = format!(
            "has other grid points than the surfaces: {} x {} instead of {} x {}, or other coordinates",
            grid.x.len(),
            grid.y.len(),
            x.len(),
            y.len()
        );
        let problem = Problem::new(path, message).hint("resample the densities to the grid points of the surfaces");
        return Err(of_file(problem, name));
    }
    let gaps = holes::fill(&mut grid.values, x.len(), &path).map_err(|problem| of_file(*problem, name))?;
    let values: Vec<f64> = grid.values.iter().map(|value| factor * value).collect();
    if let Some(at) = values.iter().position(|density| density.abs() > LARGEST_DENSITY) {
        let place = position(given.coordinates, [x[at % x.len()], y[at / x.len()]]);
        let message = format!("has {} kg/m3 at {place}", Number(values[at]));
        let problem = Problem::new(path, message);
        return Err(of_file(problem.allowed(format!("-{LARGEST_DENSITY:e} to {LARGEST_DENSITY:e} kg/m3")), name));
    }
    Ok(Some((values, gaps)))
}

/// Whether coordinates are the same within a fraction of the smallest spacing.
fn is_alike(a: &[f64], b: &[f64]) -> bool {
    let tolerance = TOLERANCE * a.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

/// The common grid points of two surfaces.
fn same_points(
    (top_name, top): &(PathBuf, Grid),
    (bottom_name, bottom): &(PathBuf, Grid),
    path: &KeyPath,
) -> Checked<(Vec<f64>, Vec<f64>)> {
    if is_alike(&top.x, &bottom.x) && is_alike(&top.y, &bottom.y) {
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
