//! The number of slices of the columns of a layer.

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Filling, Gravity, GravityError, Layer, Points, Prisms, forward};

use super::sphere_layer::Region;
use crate::gravity::config;

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
    /// Chooses the number of slices for an accuracy, and returns the error.
    pub fn choose_slices(&self, filling: &mut Filling, accuracy: f64) -> Result<f64, GravityError> {
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
    pub fn left_by(&self, filling: &Filling) -> Result<Option<f64>, GravityError> {
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
    pub fn advice(&self, slices: usize, left: f64, accuracy: f64) -> String {
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
        if let Some(region) = &self.region {
            return region.gravity(self.layer.prisms(filling), &self.points, self.fields, &self.workers);
        }
        let prisms = Prisms::new(self.layer.prisms(filling))?;
        Ok(forward(&prisms, &self.points, self.fields, &self.workers, Isa::detect()))
    }
}

/// A sample of evenly distributed points.
pub fn some_of(points: &Points) -> Points {
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
