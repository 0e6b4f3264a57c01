//! Gridded values from files.

mod axes;
mod file;
mod problems;

use std::ops::{Range, RangeInclusive};

use craton_formats::segy;
use craton_formats::volume::metres_per;
use rayon::prelude::*;

use crate::config::{VolumeFile, VolumeFormat};
use crate::error::Problem;
use crate::inputs::Input;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;
use crate::written::{Format, Written};
pub use axes::{along, check_degrees, check_lists, metres, names_of};
pub use file::format_of;
use file::open;
pub use problems::volume_problems;

/// Values on a regular grid, interpolated linearly and constant outside.
///
/// Only the values that affect positions within the requested limits are read from the file and kept: those of the points within the limits,
/// and of the next point beyond each. Along an axis without limits these are all points.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// First coordinate, spacing and number of all points of the file along x, y and z; one point along y in two dimensions.
    pub axes: [(f64, f64, usize); 3],
    /// Range of kept points along each axis.
    kept: [Range<usize>; 3],
    /// Stride along each axis among the kept values.
    strides: [usize; 3],
    /// Kept values, in the order of the file.
    pub values: Vec<f32>,
    /// Whether lengths in the file are in feet; here they are in metres.
    pub is_in_feet: bool,
    /// A warning about the headers of the file.
    pub warning: Option<String>,
}

/// An axis of a file: x, y or z, and first coordinate, spacing and number of points.
pub type FileAxis = (usize, (f64, f64, usize));

impl Sampled {
    /// Reads a file.
    ///
    /// # Arguments
    /// * `written` – the configuration of the file
    /// * `within` – limits along x, y and z [m], if any; values of the file outside are neither read nor checked
    /// * `allowed` – range of allowed values, after the factor
    /// # Errors
    /// An unreadable file, incomplete axes, or values outside the range.
    pub fn read<C: Format>(
        file: &VolumeFile,
        written: &Written<C>,
        within: [Option<[f64; 2]>; 3],
        allowed: RangeInclusive<f64>,
        path: &KeyPath,
    ) -> Checked<Self> {
        let input = written.input(&file.file);
        let mut opened = open(file, written, &input, path)?;
        let named = opened.names(file, path)?;
        let format = opened.format;
        let mut sampled = Self {
            axes: [(0.0, 1.0, 1); 3],
            kept: [const { 0..1 }; 3],
            strides: [0; 3],
            values: Vec::new(),
            warning: match &input {
                Input::File(opened) if format == VolumeFormat::Segy => segy::warning(opened),
                _ => None,
            },
            is_in_feet: opened.axes().iter().any(|axis| metres_per(&axis.unit).is_some_and(|metres| metres < 1.0)),
        };
        let (mut window, mut stride) = (Vec::new(), 1);
        for (number, (name, axis)) in named.iter().zip(opened.axes()).enumerate() {
            let (along, sign) = along(*name);
            let (origin, spacing) = metres((file, format), number, axis, path)?;
            sampled.axes[along] = (sign * origin, sign * spacing, axis.count);
            sampled.kept[along] = counting(sampled.axes[along], within[along]);
            sampled.strides[along] = stride;
            stride *= sampled.kept[along].len();
            window.push(sampled.kept[along].clone());
        }
        sampled.values = opened.values(window, file, path)?;
        sampled.check(file, allowed, path)?;
        Ok(sampled)
    }

    /// Rejects impossible values.
    fn check(&self, file: &VolumeFile, allowed: RangeInclusive<f64>, path: &KeyPath) -> Checked<()> {
        let is_bad = |value: &f32| !allowed.contains(&f64::from(*value));
        let Some(place) = self.values.iter().position(is_bad) else { return Ok(()) };
        let point = [0, 1, 2].map(|axis| {
            let (first, spacing, _) = self.axes[axis];
            let kept = &self.kept[axis];
            let number = kept.start + place / self.strides[axis].max(1) % kept.len();
            // Removes the sign of zero.
            0.0 + first + number as f64 * spacing
        });
        let [x, y, z] = point.map(Number);
        let message = format!("has the value {} at x = {x}, y = {y}, z = {z} m", Number(f64::from(self.values[place])));
        let problem = Problem::new(path.key("file"), message).value(format!("{:?}", file.file.display().to_string()));
        let allowed = format!("{} to {}", allowed.start(), allowed.end());
        let hint = match self.values[place].is_nan() {
            true => "fill missing values or crop the file, and check `byte_order`",
            false => "check the unit, see `factor`, and the byte order, see `byte_order`",
        };
        Err(problem.allowed(allowed).hint(hint).into())
    }

    /// The kept points: first coordinate, spacing and number along x, y and z, ascending, and their values, x fastest,
    /// then y, then z.
    pub fn points(&self) -> ([(f64, f64, usize); 3], Vec<f32>) {
        ([0, 1, 2].map(|axis| self.kept_axis(axis)), self.in_order())
    }

    /// First coordinate, spacing and number of the kept points of an axis, ascending.
    fn kept_axis(&self, axis: usize) -> (f64, f64, usize) {
        let ((first, spacing, _), range) = (self.axes[axis], &self.kept[axis]);
        let ends = [range.start, range.end - 1].map(|point| first + point as f64 * spacing);
        (ends[0].min(ends[1]), spacing.abs(), range.len())
    }

    /// The values in ascending order of coordinates, x fastest, then y, then z.
    fn in_order<U>(&self) -> Vec<U>
    where
        f32: Into<U>,
    {
        let along = |axis: usize| (self.kept[axis].len(), self.strides[axis], self.axes[axis].1 > 0.0);
        in_order(&self.values, [0, 1, 2].map(along))
    }

    /// Other values on the same points.
    ///
    /// # Arguments
    /// * `values` – in the order of the kept values
    pub fn with_values(&self, values: &[f64]) -> Self {
        Self { values: values.iter().map(|&value| value as f32).collect(), ..self.clone() }
    }

    /// A volume like the file, with values at the kept points and zeros elsewhere: its axes, the fastest first, and the values.
    ///
    /// # Arguments
    /// * `values` – in the order of the kept values
    pub fn like_file(&self, values: &[f64]) -> (Vec<FileAxis>, Vec<f64>) {
        let mut axes: Vec<usize> = (0..3).filter(|&axis| self.strides[axis] > 0).collect();
        axes.sort_by_key(|&axis| (self.strides[axis], self.kept[axis].len()));
        let counts: Vec<usize> = axes.iter().map(|&axis| self.axes[axis].2).collect();
        let mut all = vec![0.0; counts.iter().product()];
        for (number, &value) in values.iter().enumerate() {
            let (mut place, mut stride) = (0, 1);
            for (&axis, &count) in axes.iter().zip(&counts) {
                let kept = &self.kept[axis];
                place += stride * (kept.start + number / self.strides[axis] % kept.len());
                stride *= count;
            }
            all[place] = value;
        }
        (axes.into_iter().map(|axis| (axis, self.axes[axis])).collect(), all)
    }

    /// A hint about the unit of speeds in a file with lengths in feet.
    pub fn assumed_unit(&self, file: &VolumeFile) -> Option<String> {
        let name = file.file.display();
        (self.is_in_feet && file.factor.is_none()).then(|| {
            format!(
                "{name} is in feet: Craton converts lengths to metres, but interprets speeds in m/s. Set factor = 0.3048 for ft/s, or \
                 factor = 1.0 for m/s to confirm"
            )
        })
    }

    /// Limits of all points along an axis [m], including half a spacing; `None` for a single point, whose value is
    /// constant.
    pub fn ends(&self, axis: usize) -> Option<[f64; 2]> {
        let (first, spacing, count) = self.axes[axis];
        let last = first + (count - 1) as f64 * spacing;
        (count > 1).then(|| [first.min(last) - 0.5 * spacing.abs(), first.max(last) + 0.5 * spacing.abs()])
    }

    /// Cell boundaries half way between the kept points of three axes [m], ascending, and the values of the cells, x
    /// fastest, then y, then z upwards; `None` if an axis has a single point and no cell size.
    pub fn cells(&self) -> Option<([Vec<f64>; 3], Vec<f64>)> {
        let axes = [0, 1, 2].map(|axis| self.kept_axis(axis));
        if axes.iter().any(|&(_, _, count)| count < 2) {
            return None;
        }
        let planes = axes.map(|(first, spacing, count)| {
            let low = first - 0.5 * spacing;
            (0..=count).map(|plane| low + plane as f64 * spacing).collect()
        });
        Some((planes, self.in_order()))
    }

    /// Smallest and largest value between two corners [m], with linear interpolation.
    ///
    /// Extremes are at grid points, or where grid lines intersect the box.
    pub fn extremes(&self, low: [f64; 3], high: [f64; 3]) -> [f64; 2] {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let [a, b] = [low[axis], high[axis]].map(|end| along_axis(self.axes[axis], end));
            let points = self.kept[axis].clone().map(|point| point as f64);
            let inside = points.filter(|&point| a.min(b) < point && point < a.max(b));
            inside.chain([a, b]).collect::<Vec<f64>>()
        });
        let of_row = |row: usize| {
            let (y, z) = (y[row % y.len()], z[row / y.len()]);
            let values = x.iter().map(|&x| self.between([x, y, z]));
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [value.min(least), value.max(most)])
        };
        (0..y.len() * z.len())
            .into_par_iter()
            .map(of_row)
            .reduce(|| [f64::INFINITY, f64::NEG_INFINITY], |a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }

    /// The value at a position [m].
    pub fn at(&self, position: [f64; 3]) -> f64 {
        self.between([0, 1, 2].map(|axis| {
            let (first, spacing, _) = self.axes[axis];
            (position[axis] - first) / spacing
        }))
    }

    /// The transpose of [`at`](Self::at): adds a value at a position [m] to the kept points around it.
    ///
    /// # Arguments
    /// * `points` – in the order of the kept values
    pub fn spread(&self, position: [f64; 3], value: f64, points: &mut [f64]) {
        let along = [0, 1, 2].map(|axis| {
            let (first, spacing, _) = self.axes[axis];
            (position[axis] - first) / spacing
        });
        self.corners(along).for_each(|(at, weight)| points[at] += weight * value);
    }

    /// The value between points, by fractional indices.
    fn between(&self, along: [f64; 3]) -> f64 {
        self.corners(along).map(|(at, weight)| weight * f64::from(self.values[at])).sum()
    }

    /// Indices of the kept values around a position, by fractional indices, and their weights.
    fn corners(&self, along: [f64; 3]) -> impl Iterator<Item = (usize, f64)> + use<> {
        let mut around = [(0, 0, 0.0); 3];
        for axis in 0..3 {
            let Range { start, end } = self.kept[axis].clone();
            let along = along[axis].clamp(start as f64, (end - 1) as f64);
            let lower = (along as usize).min(end.saturating_sub(2).max(start));
            let step = if end - start > 1 { self.strides[axis] } else { 0 };
            around[axis] = ((lower - start) * self.strides[axis], step, along - lower as f64);
        }
        let corner = move |number: usize| {
            let (mut at, mut weight) = (0, 1.0);
            for (axis, (lower, step, part)) in around.into_iter().enumerate() {
                let is_upper = number >> axis & 1 == 1;
                at += lower + if is_upper { step } else { 0 };
                weight *= if is_upper { part } else { 1.0 - part };
            }
            (at, weight)
        };
        (0..8).map(corner).filter(|&(_, weight)| weight > 0.0)
    }
}

/// Values in ascending order of coordinates, x fastest, then y, then z.
///
/// # Arguments
/// * `axes` – of x, y and z: number of values, stride among `values`, whether coordinates ascend
pub fn in_order<T: Copy + Into<U>, U>(values: &[T], axes: [(usize, usize, bool); 3]) -> Vec<U> {
    let place = |axis: usize, number: usize| {
        let (count, stride, ascends) = axes[axis];
        stride * if ascends { number } else { count - 1 - number }
    };
    let [nx, ny, nz] = axes.map(|(count, ..)| count);
    let mut ordered = Vec::with_capacity(nx * ny * nz);
    for k in 0..nz {
        for j in 0..ny {
            let row = place(2, k) + place(1, j);
            ordered.extend((0..nx).map(|i| values[row + place(0, i)].into()));
        }
    }
    ordered
}

/// Fractional index of a limit [m] among the points of an axis, rounded to a point within a tolerance, because
/// coordinates in files have few digits.
fn along_axis((first, spacing, _): (f64, f64, usize), end: f64) -> f64 {
    const NEXT_TO: f64 = 1e-3;
    let along = (end - first) / spacing;
    if (along - along.round()).abs() < NEXT_TO { along.round() } else { along }
}

/// The points of an axis that enclose a range [m]; all points without a range.
fn counting(axis: (f64, f64, usize), ends: Option<[f64; 2]>) -> Range<usize> {
    let (_, _, count) = axis;
    let Some(ends) = ends else { return 0..count };
    let [a, b] = ends.map(|end| along_axis(axis, end));
    let last = (count - 1) as f64;
    let lower = a.min(b).floor().clamp(0.0, last) as usize;
    let upper = a.max(b).ceil().clamp(lower as f64, last) as usize;
    lower..upper + 1
}

#[cfg(test)]
mod tests;
