//! What lies between two surfaces.

use std::path::PathBuf;

use craton_device::{Isa, Workers};
use craton_formats::grid::{self, Grid};
use craton_gravity::{DensityLaw, Field, Fields, Filling, Gravity, Layer, Points, Prisms, forward};

use super::Places;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{self, Height, Method};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_file};

/// Change of the fields that slices are made for, where no accuracy is asked for.
const ACCURACY: f64 = 1e-5;
/// Slices of a column at most, where their number is not given.
const MOST_SLICES: usize = 256;
/// Points at which the change by slices is looked at.
const LOOKED_AT: usize = 16;

/// A layer, and which of its columns are upside down.
pub struct Between {
    /// The columns.
    pub layer: Layer,
    bottom: Vec<f64>,
    columns: [usize; 2],
}

impl Between {
    /// Reads the surfaces.
    ///
    /// # Errors
    /// Files that cannot be read, surfaces over other points than one another, columns upside down that have no density.
    pub fn new(given: &config::Layer, file: &GravityFile, path: &KeyPath) -> Checked<Self> {
        let read = |height: &Height, key: &str| match height {
            Height::At(_) => Ok(None),
            Height::File(name) => {
                let grid = grid::read(&file.opened(name)).map_err(|error| bad_file(&error, name, &path.key(key)))?;
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
            let hint =
                "give `inverted_density` for such columns: that of water less that of rock, or 0 to leave them out";
            return Err(Problem::new(path.key("top"), message).hint(hint).into());
        }
        let layer = Layer::new(x, y, top, bottom.clone()).map_err(|error| Problem::new(path, error.to_string()))?;
        Ok(Self { layer, bottom, columns })
    }

    /// Says how many points lie inside.
    pub fn points_inside(&self, places: &Places) -> Option<String> {
        let inside = |&index: &usize| self.layer.holds(places.points.get(index));
        let mut inside = (0..places.points.len()).filter(inside);
        let first = inside.next()?;
        let [x, y, z] = places.points.get(first).map(Number);
        let count = 1 + inside.count();
        Some(format!(
            "{count} points lie inside a layer, below its top: the first is point {first} at x = {x}, y = {y}, z = {z} m"
        ))
    }

    /// What the layer is made of, with as many slices as the accuracy takes.
    pub fn filling(&self, given: &config::Layer, method: &Method, places: &Places, notes: &mut Vec<String>) -> Filling {
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
        if filling.law.is_constant() || given.slices.is_some() {
            return filling;
        }
        let accuracy = method.accuracy.unwrap_or(ACCURACY);
        let points = some_of(&places.points);
        let mut coarse = self.gravity(&filling, &points);
        loop {
            let slices = filling.slices;
            filling.slices = 2 * slices;
            let fine = self.gravity(&filling, &points);
            // The error falls by four when slices are halved: a third of the change is left.
            let left = change(&coarse, &fine) / 3.0;
            if left <= accuracy || filling.slices >= MOST_SLICES {
                notes.push(format!("columns in {} slices: density between them changes no field by more than about {left:.1e} of its largest value", filling.slices));
                return filling;
            }
            coarse = fine;
        }
    }

    fn gravity(&self, filling: &Filling, points: &Points) -> Gravity {
        let prisms = Prisms::new(self.layer.prisms(filling)).expect("columns of finite heights are prisms");
        let workers = Workers::new(None).expect("threads that were there a moment ago");
        forward(&prisms, points, Fields::ALL, &workers, Isa::detect())
    }
}
