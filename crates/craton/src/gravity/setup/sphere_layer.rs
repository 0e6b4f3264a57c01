//! Layers between two surfaces in longitude and latitude, as tesseroids.

use craton_gravity::{
    DensityLaw, Fields, Filling, Gravity, GravityError, Isa, Layer, Points, Prism, Tesseroid, Tesseroids, Workers,
};

use super::Reference;
use super::bodies::Bodies;
use super::layer::{Between, BodyMessages};
use super::places::Places;
use super::sphere::MOST_HEIGHT;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;

/// Degrees of a turn.
const TURN: f64 = 360.0;
/// Tolerance of a turn, in grid spacings.
const TOLERANCE: f64 = 1e-3;
/// Documented errors of a tesseroid, relative to its attraction and to its tensor.
const OF_TESSEROID: [f64; 2] = [1e-6, 1e-5];

/// The region of the cells of a layer or a volume on a sphere.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    /// Westernmost and easternmost meridian of a cell [degrees].
    longitude: [f64; 2],
    /// The surface at height 0.
    reference: Reference,
}

impl Region {
    /// The region of the columns around the grid points of a layer.
    ///
    /// # Errors
    /// As [`Region::of_cells`].
    pub fn of(layer: &Layer, reference: Reference, path: &KeyPath) -> Checked<Self> {
        let [x, _] = layer.axes();
        let last = x.len() - 1;
        let steps = [x[1] - x[0], x[last] - x[last - 1]];
        let ends = [x[0] - 0.5 * steps[0], x[last] + 0.5 * steps[1]];
        let problem = |width: f64| {
            let message = format!("has columns over {} degrees of longitude", Number(width));
            let problem = Problem::new(path, message).allowed("at most 360 degrees");
            problem.hint("crop the grids: columns reach halfway to the next grid point").into()
        };
        Self::of_cells(ends, steps, reference, problem)
    }

    /// The region of cells around grid points.
    ///
    /// Where the first and the last grid point are on the same meridian, each has half a cell.
    ///
    /// # Arguments
    /// * `ends` – western and eastern end [degrees]; `steps` – extent of the first and the last cell
    /// * `problem` – the problem of an extent over more than a turn [degrees]
    /// # Errors
    /// Cells that overlap around the sphere.
    pub fn of_cells(
        [west, east]: [f64; 2],
        steps: [f64; 2],
        reference: Reference,
        problem: impl FnOnce(f64) -> Box<Problem>,
    ) -> Checked<Self> {
        let width = east - west;
        let between = width - 0.5 * (steps[0] + steps[1]);
        let tolerance = TOLERANCE * steps[0].min(steps[1]);
        let longitude = match () {
            () if width <= TURN + tolerance => [west, west + TURN],
            () if (between - TURN).abs() <= tolerance => [0.0, TURN].map(|turn| west + 0.5 * steps[0] + turn),
            () => return Err(problem(width)),
        };
        Ok(Self { longitude, reference })
    }

    /// A column between heights as a tesseroid within the region and the poles; `None` if nothing is left of it.
    ///
    /// # Arguments
    /// * `column` – bounds in degrees and heights [m]
    /// * `gradient` – increase of the density with height [kg/m⁴]
    pub fn tesseroid(&self, column: &Prism, gradient: f64) -> Option<Tesseroid> {
        let [first, last] = self.longitude;
        let cell = Tesseroid {
            west: column.west.max(first),
            east: column.east.min(last),
            south: column.south.max(-90.0),
            north: column.north.min(90.0),
            bottom: column.bottom,
            top: column.top,
            density: column.density,
            gradient,
        };
        if cell.south >= cell.north || cell.bottom >= cell.top {
            return None;
        }
        // Heights have been checked, so that only cells without a volume are refused.
        let made = self.reference.tesseroid(cell).ok()?;
        (made.west < made.east && made.south < made.north && made.bottom < made.top).then_some(made)
    }

    /// Gravity of columns at points in longitude, latitude and height, to estimate the error of slices.
    ///
    /// # Arguments
    /// * `accuracy` – of the tree, relative to the largest values
    /// # Errors
    /// Values outside the range of the library.
    pub fn gravity(
        &self,
        columns: impl Iterator<Item = Prism>,
        points: &Points,
        fields: Fields,
        accuracy: f64,
        workers: &Workers,
    ) -> Result<Gravity, GravityError> {
        let tesseroids = Tesseroids::new(columns.filter_map(|column| self.tesseroid(&column, 0.0)))?;
        let stations = self.reference.stations((0..points.len()).map(|point| points.get(point)))?;
        Ok(tesseroids.forward(&stations, fields, accuracy, workers, Isa::detect()))
    }
}

/// The error of sums of tesseroids without a tree, relative to the largest values: more slices do not reduce it.
pub fn error_of_tesseroids(fields: Fields) -> f64 {
    OF_TESSEROID[usize::from(fields.has_tensor())]
}

/// The increase of a density with height that a single tesseroid represents [kg/m⁴]; `None` if it varies with depth otherwise.
pub fn slope(law: &DensityLaw) -> Option<f64> {
    match law {
        law if law.is_constant() => Some(0.0),
        DensityLaw::Polynomial(coefficients) if coefficients[2..].iter().all(|&coefficient| coefficient == 0.0) => {
            // Coefficients are those of depth.
            Some(-coefficients[1])
        }
        _ => None,
    }
}

impl Bodies {
    /// Adds the columns of a layer in longitude and latitude.
    ///
    /// # Errors
    /// As [`Between::new`] and [`Between::filling`]; columns that overlap or reach below the centre of the sphere.
    pub fn geographic_layer(
        &mut self,
        layer: &config::Layer,
        file: &GravityFile,
        places: Option<&Places>,
        path: &KeyPath,
        messages: &mut BodyMessages,
    ) -> Checked<()> {
        let reference = Reference::of(&file.config);
        let made = Between::new(layer, file, path, messages)?;
        check_heights(&made.layer, &reference, path)?;
        let region = Region::of(&made.layer, reference, path)?;
        let Some(places) = places else { return Ok(()) };
        messages.warnings.extend(made.points_inside(file, places));
        match &made.densities {
            Some(densities) => {
                let columns = made.layer.prisms_by_column(densities);
                self.tesseroids.extend(columns.filter_map(|column| region.tesseroid(&column, 0.0)));
            }
            None => {
                let filling = made.filling(layer, file, places, path, messages)?;
                let gradient = slope(&filling.law).unwrap_or(0.0);
                // Inverted columns have no gradient.
                let filling = Filling { inverted: None, ..filling };
                self.tesseroids.reserve(made.layer.count(&filling));
                let columns = made.layer.prisms(&filling);
                self.tesseroids.extend(columns.filter_map(|column| region.tesseroid(&column, gradient)));
            }
        }
        let inverted = made.inverted(layer);
        self.tesseroids.extend(inverted.iter().filter_map(|column| region.tesseroid(column, 0.0)));
        Ok(())
    }
}

/// Rejects surfaces below the lowest height.
fn check_heights(layer: &Layer, reference: &Reference, path: &KeyPath) -> Checked<()> {
    for (key, heights) in ["top", "bottom"].into_iter().zip(layer.surfaces()) {
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let problem = if lowest < reference.lowest() {
            let message = format!("reaches a height of {} m, {}", Number(lowest), reference.too_low());
            Problem::new(path.key(key), message).allowed(format!("at least {} m", Number(reference.lowest())))
        } else if highest > MOST_HEIGHT {
            let message = format!("reaches a height of {} m", Number(highest));
            Problem::new(path.key(key), message).allowed(format!("at most {} m", Number(MOST_HEIGHT)))
        } else {
            continue;
        };
        return Err(problem.hint(reference.hint()).into());
    }
    Ok(())
}
