//! Values on a regular grid with any number of axes, such as models and sections.

mod window;

use crate::error::Refused;
use crate::segy::FOOT;
pub use window::{VolumeReader, Window};

/// An axis of evenly spaced points.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Number of points, at least 1.
    pub count: usize,
    /// Coordinate of the first point.
    pub origin: f64,
    /// Spacing of the points, not 0; negative for descending coordinates.
    pub spacing: f64,
    /// Meaning of the coordinates, empty if unknown.
    pub label: String,
    /// Unit of the coordinates, empty if unknown.
    pub unit: String,
}

impl Axis {
    /// Creates an axis without label and unit.
    pub fn new(count: usize, origin: f64, spacing: f64) -> Self {
        Self { count, origin, spacing, label: String::new(), unit: String::new() }
    }

    /// Sets label and unit.
    pub fn named(self, label: &str, unit: &str) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), ..self }
    }

    /// Coordinate of point `index`, from 0.
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
    /// Creates a volume.
    ///
    /// # Arguments
    /// * `axes` – at least one, the fastest first
    /// * `values` – one for each point, the first axis fastest; unused points may be NaN
    /// # Errors
    /// No axes; an axis without points, or with a zero or non-finite spacing or origin; another number of values.
    pub fn new(axes: Vec<Axis>, values: Vec<f32>) -> Result<Self, Refused> {
        let count = point_count(&axes)?;
        if values.len() != count {
            let expected = format!("{count}, one for each of {} points", shape(&axes));
            return Err(Refused::new("number of values", values.len(), expected));
        }
        Ok(Self { axes, values })
    }

    /// The axes, fastest first.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// All values, the first axis fastest.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Axes and values, as passed to [`Self::new`].
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

/// Normalises a unit: lower case, without blanks, dots, brackets and power signs, in which files differ.
pub fn bare_unit(unit: &str) -> String {
    let kept = |letter: &char| !letter.is_whitespace() && !".^*()[]".contains(*letter);
    unit.to_lowercase().chars().filter(kept).collect()
}

/// Metres per unit of length, for the names used in files, ignoring what [`bare_unit`] removes; `None` for other units and without a unit.
/// Feet are international feet.
pub fn metres_per(unit: &str) -> Option<f64> {
    match &*bare_unit(unit) {
        "m" | "meter" | "meters" | "metre" | "metres" => Some(1.0),
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => Some(1000.0),
        "ft" | "foot" | "feet" => Some(FOOT),
        _ => None,
    }
}

/// Whether a unit is degrees, such as `degree`, `degrees_east` or `degreesN`.
pub fn is_degrees(unit: &str) -> bool {
    let unit = bare_unit(unit);
    unit.starts_with("degree") || unit == "deg"
}

/// Validates the axes and returns the number of points.
///
/// # Errors
/// An axis without points, or with a zero or non-finite spacing or origin; more points than memory can hold.
pub fn point_count(axes: &[Axis]) -> Result<usize, Refused> {
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

/// Formats the numbers of points, as in `200 x 100`.
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
