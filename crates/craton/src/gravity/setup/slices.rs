//! The number of slices of the columns of a layer.

use std::borrow::Cow;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Filling, Gravity, GravityError, Layer, Points, Prisms, forward};

use super::sphere_layer::{Region, error_of_tesseroids};
use crate::gravity::config;

/// Numbers of slices to try if none is given.
const SLICES: [usize; 14] = [2, 3, 5, 8, 12, 19, 29, 44, 67, 101, 152, 229, 345, 512];
/// Refinement factors for the error of a given number of slices: two, because a law may have the same averages in one
/// slice and in two.
const FINER: [usize; 2] = [2, 3];
/// Largest number of prisms of a layer to try.
const MOST_PRISMS: usize = 30_000_000;
/// Largest number of tesseroids of a trial: they and their tree take less than 1 GB.
const MOST_TESSEROIDS: usize = 3_000_000;
/// Approximate largest number of columns of a trial on a sphere, so that it can have twelve slices.
const MOST_COLUMNS: usize = 240_000;
/// Error of the tree of a trial, in units of the accuracy of the slices.
const OF_TREE: f64 = 0.1;
/// Largest number of slices that may be given.
const MOST_SLICES: usize = config::MOST_SLICES;
/// Safety factor of the recommended number of slices.
const MARGIN: f64 = 1.1;
/// Number of points at which the error of slices is estimated.
const TRIAL_POINTS: usize = 16;

/// Sums at a few points that estimate the slicing error.
pub struct Trial<'a> {
    pub layer: &'a Layer,
    pub points: Points,
    pub fields: Fields,
    pub workers: Workers,
    /// The region of a layer on a sphere, whose columns are tesseroids.
    pub region: Option<Region>,
}

impl Trial<'_> {
    /// Chooses the number of slices for an accuracy, on a sphere not below the error of a tesseroid, and returns the
    /// error.
    pub fn choose_slices(&self, filling: &mut Filling, accuracy: f64) -> Result<f64, GravityError> {
        let (layer, accuracy) = (self.sampled()?, self.reachable(accuracy));
        let mut known: Option<(usize, Gravity)> = None;
        let mut left = [f64::INFINITY; 2];
        // Numbers without a common factor: a law may have the same averages in two and four slices.
        for slices in SLICES {
            let bodies = self.layer.columns().saturating_mul(slices);
            if slices > SLICES[0] && (bodies > MOST_PRISMS || self.is_too_large(&layer, slices)) {
                break;
            }
            filling.slices = slices;
            let gravity = self.gravity(&layer, filling, accuracy)?;
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
    pub fn left_by(&self, filling: &Filling) -> Result<Option<f64>, GravityError> {
        let (layer, accuracy) = (self.sampled()?, self.reachable(0.0));
        if self.is_too_large(&layer, FINER[1] * filling.slices) {
            return Ok(None);
        }
        let own = self.gravity(&layer, filling, accuracy)?;
        let mut left = 0.0_f64;
        for times in FINER {
            let finer = Filling { slices: times * filling.slices, ..filling.clone() };
            let finer = self.gravity(&layer, &finer, accuracy)?;
            // The error decreases with the square of the number.
            let square = (times * times) as f64;
            left = left.max(change(&own, &finer) * square / (square - 1.0));
        }
        Ok(Some(left))
    }

    /// The hint for an error above the accuracy: the sufficient number of slices, or else the accuracy that is possible.
    ///
    /// # Arguments
    /// * `slices` – a number of slices, and `left` – its error, which decreases with the square of the number
    pub fn advice(&self, slices: usize, left: f64, accuracy: f64) -> String {
        let reachable = self.reachable(accuracy);
        if left <= reachable {
            return format!(
                "more slices do not reduce it, because each tesseroid has an error of up to {reachable:e}. Request that accuracy"
            );
        }
        if !left.is_finite() {
            return "the layer has too many columns for an estimate. Set `slices`, or use fewer grid points".to_owned();
        }
        let needed = (MARGIN * slices as f64 * (left / reachable).sqrt()).ceil();
        if needed <= MOST_SLICES as f64 {
            let bodies = needed * self.layer.columns() as f64;
            let noun = if self.region.is_some() { "tesseroids" } else { "prisms" };
            let room = match bodies > MOST_PRISMS as f64 {
                true => format!(", which result in {bodies:.1e} {noun}"),
                false => String::new(),
            };
            let limit = match reachable > accuracy {
                true => format!(", and request an accuracy of {reachable:e}, the error of each tesseroid"),
                false => String::new(),
            };
            return format!("set slices = {needed}{room}{limit}");
        }
        let reached = left * (MARGIN * slices as f64 / MOST_SLICES as f64).powi(2);
        format!(
            "even {MOST_SLICES} slices have an error of about {reached:.1e}. Request that accuracy, or use points farther from the layer"
        )
    }

    /// The smallest error that slices can have: an accuracy, on a sphere not below the error of a tesseroid.
    fn reachable(&self, accuracy: f64) -> f64 {
        if self.region.is_some() { accuracy.max(error_of_tesseroids(self.fields)) } else { accuracy }
    }

    /// Whether a trial with a number of slices has too many bodies.
    ///
    /// # Arguments
    /// * `layer` – the [sampled](Self::sampled) layer
    fn is_too_large(&self, layer: &Layer, slices: usize) -> bool {
        let most = if self.region.is_some() { MOST_TESSEROIDS } else { MOST_PRISMS };
        layer.columns().saturating_mul(slices) > most
    }

    /// The layer of the trial: on a sphere at some of the grid points if there are many, including the thickest column, on
    /// which the thickness of the slices depends.
    fn sampled(&self) -> Result<Cow<'_, Layer>, GravityError> {
        let columns = self.layer.columns();
        if self.region.is_none() || columns <= MOST_COLUMNS {
            return Ok(Cow::Borrowed(self.layer));
        }
        let ([x, y], [top, bottom]) = (self.layer.axes(), self.layer.surfaces());
        let thickness = |column: usize| top[column] - bottom[column];
        let thickest = (0..columns).max_by(|&a, &b| thickness(a).total_cmp(&thickness(b))).unwrap_or(0);
        let count = x.len();
        let even = (count as f64 * (MOST_COLUMNS as f64 / columns as f64).sqrt()) as usize;
        let rows = (MOST_COLUMNS / even.max(2)).clamp(2, y.len());
        let across = some_indices(y.len(), rows, thickest / count);
        let along = some_indices(count, (MOST_COLUMNS / rows).clamp(2, count), thickest % count);
        let places = |axis: &[f64], indices: &[usize]| indices.iter().map(|&index| axis[index]).collect::<Vec<f64>>();
        let heights =
            |all: &[f64]| -> Vec<f64> { across.iter().flat_map(|&row| places(&all[row * count..], &along)).collect() };
        Layer::new(places(x, &along), places(y, &across), heights(top), heights(bottom)).map(Cow::Owned)
    }

    /// Gravity of a layer at the points.
    ///
    /// # Arguments
    /// * `accuracy` – of the slices
    fn gravity(&self, layer: &Layer, filling: &Filling, accuracy: f64) -> Result<Gravity, GravityError> {
        if let Some(region) = &self.region {
            let of_tree = OF_TREE * accuracy;
            return region.gravity(layer.prisms(filling), &self.points, self.fields, of_tree, &self.workers);
        }
        let prisms = Prisms::new(layer.prisms(filling))?;
        Ok(forward(&prisms, &self.points, self.fields, &self.workers, Isa::detect()))
    }
}

/// A sample of evenly distributed points.
pub fn some_of(points: &Points) -> Points {
    let step = points.len().div_ceil(TRIAL_POINTS).max(1);
    Points::new((0..points.len()).step_by(step).map(|point| points.get(point))).expect("they are points")
}

/// Evenly distributed indices below `count`, with both ends and a given one, ascending.
fn some_indices(count: usize, number: usize, given: usize) -> Vec<usize> {
    let even = (0..number).map(|index| index * (count - 1) / (number - 1));
    let mut indices: Vec<usize> = even.chain([given]).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
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
