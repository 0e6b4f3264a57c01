//! Values on a regular grid of any number of axes: what models and sections come as.

use crate::error::Refused;
use crate::segy::FOOT;

/// An axis of evenly spaced points.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Number of points, at least 1.
    pub count: usize,
    /// Place of the first point.
    pub origin: f64,
    /// Distance from one point to the next, not 0; negative where places descend.
    pub spacing: f64,
    /// What the places are, empty if unknown.
    pub label: String,
    /// Unit of the places, empty if unknown.
    pub unit: String,
}

impl Axis {
    /// An axis without label and unit.
    pub fn new(count: usize, origin: f64, spacing: f64) -> Self {
        Self { count, origin, spacing, label: String::new(), unit: String::new() }
    }

    /// The same axis with a label and a unit.
    pub fn named(self, label: &str, unit: &str) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), ..self }
    }

    /// Place of point `index`, from 0.
    pub fn place(&self, index: usize) -> f64 {
        self.origin + index as f64 * self.spacing
    }
}

/// Values at the points of a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    axes: Vec<Axis>,
    values: Vec<f32>,
}

impl Volume {
    /// A volume.
    ///
    /// # Arguments
    /// * `axes` – at least one, the fastest first
    /// * `values` – one for each point, in the order of the axes: the first axis runs fastest. Files fill points that nobody
    ///   asks for with what is no number
    /// # Errors
    /// No axis; an axis without points, or whose places are not finite or all the same; another number of values.
    pub fn new(axes: Vec<Axis>, values: Vec<f32>) -> Result<Self, Refused> {
        let count = point_count(&axes)?;
        if values.len() != count {
            let expected = format!("{count}, one for each of {} points", shape(&axes));
            return Err(Refused::new("number of values", values.len(), expected));
        }
        Ok(Self { axes, values })
    }

    /// The axes, the fastest first.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// All values, the first axis fastest.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Axes and values, as [`Self::new`] took them.
    pub fn into_parts(self) -> (Vec<Axis>, Vec<f32>) {
        (self.axes, self.values)
    }

    /// The value at a point.
    ///
    /// # Arguments
    /// * `point` – index along each axis, below its count
    pub fn value(&self, point: &[usize]) -> f32 {
        let index = self.axes.iter().zip(point).rev().fold(0, |index, (axis, along)| index * axis.count + along);
        self.values[index]
    }
}

/// A unit in small letters, without what is written in one file and not in the other: blanks, points, brackets and signs of powers.
pub fn bare_unit(unit: &str) -> String {
    let kept = |letter: &char| !letter.is_whitespace() && !".^*()[]".contains(*letter);
    unit.to_lowercase().chars().filter(kept).collect()
}

/// Metres in a unit of length as a file names it, whatever [`bare_unit`] leaves out; `None` of other units, and of none. Feet are
/// international ones.
pub fn metres_per(unit: &str) -> Option<f64> {
    match &*bare_unit(unit) {
        "m" | "meter" | "meters" | "metre" | "metres" => Some(1.0),
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => Some(1000.0),
        "ft" | "foot" | "feet" => Some(FOOT),
        _ => None,
    }
}

/// Number of points of a grid, whose axes are checked.
pub(crate) fn point_count(axes: &[Axis]) -> Result<usize, Refused> {
    for (number, axis) in (1..).zip(axes) {
        let even = axis.origin.is_finite() && axis.spacing.is_finite() && axis.spacing != 0.0;
        if axis.count == 0 || !even {
            let found = format!("{} points from {} by {}", axis.count, axis.origin, axis.spacing);
            return Err(Refused::new(
                format!("axis {number}"),
                found,
                "at least one point, and a spacing other than 0",
            ));
        }
    }
    let most = isize::MAX as usize / size_of::<f64>();
    let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.count));
    let count = count.filter(|&count| !axes.is_empty() && count <= most);
    count.ok_or_else(|| Refused::new("points", shape(axes), format!("at least one axis and at most {most} points")))
}

/// Numbers of points, as in `200 x 100`.
pub(crate) fn shape(axes: &[Axis]) -> String {
    let counts: Vec<_> = axes.iter().map(|axis| axis.count.to_string()).collect();
    counts.join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_length_has_many_names() {
        for unit in ["km", "[km]", "(km)", "km.", " Kilometers\t", "kilometre"] {
            assert_eq!(metres_per(unit), Some(1000.0), "{unit}");
        }
        for unit in ["m", "(m)", "Meters", "metre."] {
            assert_eq!(metres_per(unit), Some(1.0), "{unit}");
        }
        for unit in ["ft", "[ft]", "FT", "feet", "foot "] {
            assert_eq!(metres_per(unit), Some(0.3048), "{unit}");
        }
        for unit in ["", " ", "()", "degrees", "m-1", "m/s", "miles", "mm"] {
            assert_eq!(metres_per(unit), None, "{unit}");
        }
    }
}
