//! Points on a sphere and their local axes.

use crate::elementary::sin_cos;
use crate::{Field, Fields, Gravity, GravityError, Points};

/// Rows: local axes in Cartesian components.
type Axes = [[f64; 3]; 3];

/// Observation points given by longitude, latitude and radius, with local axes to the east, to the north and up, along the radius; or in
/// [geodetic coordinates](Self::geodetic).
#[derive(Debug, Clone, PartialEq)]
pub struct Stations {
    pub(super) points: Points,
    /// Longitude and latitude of the vertical axis [rad].
    pub(super) angles: Vec<[f64; 2]>,
}

impl Stations {
    /// Collects stations.
    ///
    /// # Arguments
    /// * `stations` – longitude [°], geocentric latitude [°], radius [m]
    /// # Errors
    /// [`GravityError::OfStation`] with the number of the first station outside the range of a coordinate.
    pub fn new(stations: impl IntoIterator<Item = [f64; 3]>) -> Result<Self, GravityError> {
        let (mut places, mut angles) = (Vec::new(), Vec::new());
        for (station, given) in stations.into_iter().enumerate() {
            let limits = [("longitude", -720.0, 720.0), ("latitude", -90.0, 90.0), ("radius", 0.0, 1e12)];
            Self::check(station, given, limits)?;
            let [longitude, latitude] = [given[0].to_radians(), given[1].to_radians()];
            places.push(super::cartesian([longitude, latitude, given[2]]));
            angles.push([longitude, latitude]);
        }
        Ok(Self { points: Points::new(places)?, angles })
    }

    /// Rejects a station outside the range of a coordinate, given by its name, least and largest value.
    pub(super) fn check(
        station: usize,
        given: [f64; 3],
        limits: [(&'static str, f64, f64); 3],
    ) -> Result<(), GravityError> {
        for ((what, least, most), value) in limits.into_iter().zip(given) {
            if !(least..=most).contains(&value) {
                return Err(GravityError::OfStation { station, what, value, least, most });
            }
        }
        Ok(())
    }

    /// Station `index`: longitude and latitude [°] of its vertical axis, and distance from the centre [m].
    pub fn get(&self, index: usize) -> [f64; 3] {
        let [x, y, z] = self.points.get(index);
        let [longitude, latitude] = self.angles[index].map(f64::to_degrees);
        [longitude, latitude, x.hypot(y).hypot(z)]
    }

    /// The stations with the given indices, in that order.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn select(&self, numbers: &[usize]) -> Self {
        let angles = numbers.iter().map(|&number| self.angles[number]).collect();
        Self { points: self.points.select(numbers), angles }
    }

    /// The points in Cartesian coordinates.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The Cartesian fields that the local fields require: all components of the attraction or of the tensor.
    pub fn required(fields: Fields) -> Fields {
        let [_, attraction, tensor] = fields.kinds();
        let mut all = fields;
        if attraction {
            all = all.union(Fields::ATTRACTION);
        }
        if tensor {
            all = all.union(Fields::TENSOR);
        }
        all
    }

    /// Fields along the local axes from Cartesian ones.
    ///
    /// # Arguments
    /// * `gravity` – Cartesian fields at the points, at least the [required](Self::required) ones
    /// * `fields` – the fields to return
    /// # Panics
    /// If a required field is missing.
    pub fn local(&self, gravity: &Gravity, fields: Fields) -> Gravity {
        let all = |point: usize| Field::ALL.map(|field| gravity.get(field).map_or(0.0, |values| values[point]));
        let [_, attraction, tensor] = fields.kinds();
        let has = gravity.fields();
        let is_there = |needed: bool, of: Fields| !needed || of.iter().all(|field| has.contains(field));
        assert!(is_there(attraction, Fields::ATTRACTION) && is_there(tensor, Fields::TENSOR), "a component is missing");
        let at = |point: usize| turned(&all(point), &axes(self.angles[point][0], self.angles[point][1]));
        let values: Vec<[f64; 10]> = (0..self.angles.len()).map(at).collect();
        let of = |field: Field| values.iter().map(|value| value[field as usize]).collect();
        Gravity::new(fields, fields.iter().map(of).collect())
    }

    /// Weights of Cartesian fields that are equivalent to weights of local fields: the transpose of [`local`](Self::local).
    ///
    /// # Errors
    /// [`GravityError::Count`] unless every field has one weight per station.
    pub fn cartesian_weights(&self, weights: &[(Field, &[f64])]) -> Result<Vec<(Field, Vec<f64>)>, GravityError> {
        GravityError::check_weights(weights, &self.points)?;
        let mut all: Vec<(Field, Vec<f64>)> = Field::ALL.map(|field| (field, vec![0.0; self.angles.len()])).to_vec();
        for (point, angles) in self.angles.iter().enumerate() {
            let axes = axes(angles[0], angles[1]);
            let mut unit = [0.0; 10];
            for (field, weights) in weights {
                unit[*field as usize] += weights[point];
            }
            let back = weights_of(&unit, &axes);
            all.iter_mut().zip(back).for_each(|((_, weights), weight)| weights[point] = weight);
        }
        let fields: Fields = weights.iter().map(|&(field, _)| field).collect();
        let required = Self::required(fields);
        all.retain(|(field, _)| required.contains(*field));
        Ok(all)
    }
}

/// The local axes at a longitude and latitude [rad]: east, north and up.
#[inline(always)]
pub fn axes(longitude: f64, latitude: f64) -> Axes {
    let ((sin_lon, cos_lon), (sin_lat, cos_lat)) = (sin_cos(longitude), sin_cos(latitude));
    [
        [-sin_lon, cos_lon, 0.0],
        [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
        [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
    ]
}

#[inline(always)]
pub fn transposed(axes: &Axes) -> Axes {
    std::array::from_fn(|row| std::array::from_fn(|column| axes[column][row]))
}

/// Index of each component of the tensor among all fields.
const TENSOR: [[usize; 3]; 3] = [[4, 5, 6], [5, 7, 8], [6, 8, 9]];

/// Fields along other axes, whose components are the rows.
#[inline(always)]
pub fn turned(fields: &[f64; 10], axes: &Axes) -> [f64; 10] {
    let mut turned = [0.0; 10];
    turned[0] = fields[0];
    for row in 0..3 {
        turned[1 + row] = (0..3).map(|axis| axes[row][axis] * fields[1 + axis]).sum();
        let half: [f64; 3] =
            std::array::from_fn(|axis| (0..3).map(|other| axes[row][other] * fields[TENSOR[other][axis]]).sum());
        for column in row..3 {
            turned[TENSOR[row][column]] = (0..3).map(|axis| half[axis] * axes[column][axis]).sum();
        }
    }
    turned
}

/// Weights of the fields before [`turned`], from those after it.
fn weights_of(weights: &[f64; 10], axes: &Axes) -> [f64; 10] {
    let mut back = [0.0; 10];
    back[0] = weights[0];
    for axis in 0..3 {
        back[1 + axis] = (0..3).map(|row| axes[row][axis] * weights[1 + row]).sum();
    }
    for row in 0..3 {
        for column in row..3 {
            for a in 0..3 {
                for b in 0..3 {
                    back[TENSOR[a][b]] += weights[TENSOR[row][column]] * axes[row][a] * axes[column][b];
                }
            }
        }
    }
    back
}
