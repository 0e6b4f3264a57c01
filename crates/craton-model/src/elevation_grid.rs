//! Elevations on a regular grid, interpolated by a smooth surface.

mod around_earth;

use craton_formats::grid::Grid;

use rayon::prelude::*;

use crate::ModelError;
use crate::check::{finite, positive};
use crate::order::MANY;

/// Tolerance, relative to the spacing, within which a position counts as a grid point.
const ROUNDING: f64 = 1e-9;

/// The grid points around a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// First and last x coordinate of the points \[m\].
    pub x: [f64; 2],
    /// First and last y coordinate of the points \[m\].
    pub y: [f64; 2],
    /// Lowest and highest elevation of the points \[m\]; the interpolated surface may leave this range.
    pub z: [f64; 2],
}

/// A smooth surface through elevations on a regular grid.
///
/// The interpolation is bicubic convolution: the surface passes through every point, its slope is continuous, and it reproduces planes and
/// parabolas exactly. Next to a jump between neighbouring points it overshoots by a sixteenth of the jump. It is not limited to the range
/// of the points, which would flatten every summit and depression between points; [`ElevationGrid::neighbours`] returns the points from
/// which an elevation is interpolated. Beyond the edge of the grid the elevation is that of the nearest edge point.
///
/// # Source
/// Keys (1981), Cubic convolution interpolation for digital image processing, equations 15 and 19. Verified by
/// `parabolas_are_reproduced_exactly_up_to_the_edge`.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevationGrid {
    origin: [f64; 2],
    spacing: [f64; 2],
    count: [usize; 2],
    /// Elevations with an extra point on each side, extrapolated by the parabola through the three nearest points.
    padded: Vec<f64>,
}

impl ElevationGrid {
    /// Creates a surface through the given points.
    ///
    /// # Arguments
    /// * `origin` – x, y of the first point \[m\]
    /// * `spacing` – distance between points along x and y \[m\]
    /// * `count` – number of points along x and y, two or more each
    /// * `elevations` – z \[m\], shape (count along y, count along x), x fastest
    /// # Errors
    /// A spacing that is not positive, too few points, a wrong number of elevations, an elevation that is not finite.
    pub fn new(origin: [f64; 2], spacing: [f64; 2], count: [usize; 2], elevations: &[f64]) -> Result<Self, ModelError> {
        for (axis, name) in ["x", "y"].iter().enumerate() {
            finite(&format!("first {name} of the elevation grid"), origin[axis], "m")?;
            let what = format!("spacing of the elevation grid along {name}");
            positive(&what, spacing[axis], "m", "order the grid by ascending coordinates")?;
        }
        check_points(count, elevations)?;
        let elevation = |[i, j]: [usize; 2]| elevations[j * count[0] + i];
        if let Some(index) = elevations.iter().position(|z| !z.is_finite()) {
            let [i, j] = [index % count[0], index / count[0]];
            let [x, y] = [origin[0] + spacing[0] * i as f64, origin[1] + spacing[1] * j as f64];
            return Err(ModelError::BadGrid {
                problem: format!("elevation {} at x = {x}, y = {y}", elevation([i, j])),
                hint: "every point needs a finite elevation; fill the gaps in the data",
            });
        }
        Ok(Self { origin, spacing, count, padded: pad(count, elevations) })
    }

    /// Creates a surface through the points of a file, in the coordinates of the file.
    ///
    /// # Errors
    /// As [`ElevationGrid::new`].
    pub fn from_file_grid(grid: &Grid) -> Result<Self, ModelError> {
        let count = [grid.x.len(), grid.y.len()];
        check_points(count, &grid.values)?;
        let step = |points: &[f64]| (points[points.len() - 1] - points[0]) / (points.len() - 1) as f64;
        let spacing = [step(&grid.x), step(&grid.y)];
        Self::new([grid.x[0], grid.y[0]], spacing, count, &grid.values)
    }

    /// Samples a function on a grid that spans x and y, with a spacing of at most `spacing`.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate \[m\]
    /// * `spacing` – largest distance between points \[m\]
    /// * `elevation` – z at (x, y) \[m\]
    /// # Errors
    /// An error of the function, and as [`ElevationGrid::new`].
    pub fn from_function(
        x: [f64; 2],
        y: [f64; 2],
        spacing: f64,
        elevation: impl Fn(f64, f64) -> Result<f64, ModelError> + Sync,
    ) -> Result<Self, ModelError> {
        positive("spacing of the elevation grid", spacing, "m", "give a distance")?;
        let intervals = |[from, to]: [f64; 2]| ((to - from) / spacing).ceil().max(1.0);
        let (across, along) = (intervals(x), intervals(y));
        let (dx, dy) = ((x[1] - x[0]) / across, (y[1] - y[0]) / along);
        let count = [across as usize + 1, along as usize + 1];
        let row = |j: usize| (0..count[0]).map(move |i| (x[0] + dx * i as f64, y[0] + dy * j as f64));
        let of_row = |j: usize| row(j).map(|(x, y)| elevation(x, y)).collect::<Result<Vec<f64>, ModelError>>();
        let rows: Vec<Result<Vec<f64>, ModelError>> = match count[0] * count[1] > MANY {
            true => (0..count[1]).into_par_iter().map(of_row).collect(),
            false => (0..count[1]).map(of_row).collect(),
        };
        let elevations = rows.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        Self::new([x[0], y[0]], [dx, dy], count, &elevations)
    }

    /// Elevation \[m\] at x, y \[m\].
    pub fn elevation(&self, x: f64, y: f64) -> f64 {
        let (column, across) = self.weights(0, x);
        let (row, along) = self.weights(1, y);
        let stride = self.count[0] + 2;
        let mut sum = 0.0;
        for (j, weight) in along.into_iter().enumerate() {
            let start = (row + j) * stride + column;
            let points = &self.padded[start..start + 4];
            let line: f64 = points.iter().zip(across).map(|(z, w)| z * w).sum();
            sum += weight * line;
        }
        sum
    }

    /// Bounds of the elevation over a rectangle \[m\]; they need not be reached.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the rectangle \[m\]
    pub fn bounds(&self, x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
        /// Upper bound of the sum of the negative weights of an interpolation, which is 9/32.
        const OVERSHOOT: f64 = 0.3;
        let range = |axis: usize, ends: [f64; 2]| {
            let [first, last] = ends.map(|end| self.weights(axis, end).0);
            first..last + 4
        };
        let (columns, stride) = (range(0, x), self.count[0] + 2);
        let rows = range(1, y).map(|j| &self.padded[j * stride..][columns.clone()]);
        let ends = |[low, high]: [f64; 2], z: &f64| [low.min(*z), high.max(*z)];
        let [low, high] = rows.flatten().fold([f64::INFINITY, f64::NEG_INFINITY], ends);
        let beyond = OVERSHOOT * (high - low);
        [low - beyond, high + beyond]
    }

    /// First and last coordinate along x \[m\].
    pub fn x_range(&self) -> [f64; 2] {
        self.range(0)
    }

    /// First and last coordinate along y \[m\].
    pub fn y_range(&self) -> [f64; 2] {
        self.range(1)
    }

    /// Grid points inside a rectangle, including its sides: x, y, z \[m\].
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the rectangle \[m\]
    pub fn points_within(&self, x: [f64; 2], y: [f64; 2]) -> impl Iterator<Item = [f64; 3]> {
        let stride = self.count[0] + 2;
        let (columns, rows) = (self.indices_within(0, x), self.indices_within(1, y));
        rows.flat_map(move |j| columns.clone().map(move |i| [i, j])).map(move |[i, j]| {
            let at = |axis: usize, index: usize| self.origin[axis] + self.spacing[axis] * index as f64;
            [at(0, i), at(1, j), self.padded[(j + 1) * stride + i + 1]]
        })
    }

    /// Indices of the grid points within a range of coordinates along an axis.
    fn indices_within(&self, axis: usize, [from, to]: [f64; 2]) -> std::ops::Range<usize> {
        let place = |coordinate: f64| (coordinate - self.origin[axis]) / self.spacing[axis];
        let first = (place(from) - ROUNDING).ceil().max(0.0) as usize;
        let last = (place(to) + ROUNDING).floor();
        let beyond = if last < 0.0 { 0 } else { (last as usize + 1).min(self.count[axis]) };
        first.min(beyond)..beyond
    }

    /// Grid points between which a position lies; `None` at a grid point, and outside the grid.
    pub fn neighbours(&self, x: f64, y: f64) -> Option<Neighbours> {
        let [x, y] = [self.around(0, x)?, self.around(1, y)?];
        let heights = self.points_within(x, y).map(|[_, _, z]| z);
        let z = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)]);
        (x[0] < x[1] || y[0] < y[1]).then_some(Neighbours { x, y, z })
    }

    /// Coordinates of the grid points on both sides of a coordinate along an axis, equal if it is the coordinate of a point.
    fn around(&self, axis: usize, coordinate: f64) -> Option<[f64; 2]> {
        let place = (coordinate - self.origin[axis]) / self.spacing[axis];
        let near = place.round();
        let ends = if (place - near).abs() <= ROUNDING { [near; 2] } else { [place.floor(), place.ceil()] };
        let inside = ends[0] >= 0.0 && ends[1] <= (self.count[axis] - 1) as f64;
        inside.then(|| ends.map(|end| self.origin[axis] + self.spacing[axis] * end))
    }

    /// Coordinates of the points along an axis (0 for x, 1 for y) \[m\].
    pub(crate) fn coordinates(&self, axis: usize) -> impl Iterator<Item = f64> {
        let (origin, spacing) = (self.origin[axis], self.spacing[axis]);
        (0..self.count[axis]).map(move |index| origin + spacing * index as f64)
    }

    /// Distance between points along an axis (0 for x, 1 for y) \[m\].
    pub fn spacing(&self, axis: usize) -> f64 {
        self.spacing[axis]
    }

    fn range(&self, axis: usize) -> [f64; 2] {
        let length = self.spacing[axis] * (self.count[axis] - 1) as f64;
        [self.origin[axis], self.origin[axis] + length]
    }

    /// Index of the first of the four padded points around a coordinate, and their weights.
    fn weights(&self, axis: usize, coordinate: f64) -> (usize, [f64; 4]) {
        let last = (self.count[axis] - 1) as f64;
        let place = ((coordinate - self.origin[axis]) / self.spacing[axis]).clamp(0.0, last);
        let interval = (place.floor() as usize).min(self.count[axis] - 2);
        (interval, cubic_convolution(place - interval as f64))
    }
}

/// Weights of the points at -1, 0, 1, 2 for the value at t, 0 <= t <= 1.
fn cubic_convolution(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (-t + 2.0 * t2 - t3), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3), 0.5 * (t + 4.0 * t2 - 3.0 * t3), 0.5 * (t3 - t2)]
}

fn check_points(count: [usize; 2], elevations: &[f64]) -> Result<(), ModelError> {
    let [nx, ny] = count;
    if nx < 2 || ny < 2 {
        return Err(ModelError::BadGrid {
            problem: format!("{nx} x {ny} points"),
            hint: "give two or more along each axis, or a flat interface",
        });
    }
    if elevations.len() != nx * ny {
        return Err(ModelError::BadGrid {
            problem: format!("{} elevations for {nx} x {ny} points", elevations.len()),
            hint: "give one elevation per point, x fastest",
        });
    }
    Ok(())
}

/// Adds an extrapolated point on each side of the grid.
fn pad([nx, ny]: [usize; 2], elevations: &[f64]) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = elevations.chunks_exact(nx).map(extended).collect();
    let mut padded = vec![0.0; (nx + 2) * (ny + 2)];
    for i in 0..nx + 2 {
        let column: Vec<f64> = rows.iter().map(|row| row[i]).collect();
        for (j, z) in extended(&column).into_iter().enumerate() {
            padded[j * (nx + 2) + i] = z;
        }
    }
    padded
}

/// Adds an extrapolated point at each end of a line of points: on the parabola through the last three, or on the straight line through two.
fn extended(points: &[f64]) -> Vec<f64> {
    let before = |near: f64, next: f64, third: Option<&f64>| match third {
        Some(third) => 3.0 * (near - next) + third,
        None => 2.0 * near - next,
    };
    let last = points.len() - 1;
    let third_last = (last >= 2).then(|| &points[last - 2]);
    let mut line = Vec::with_capacity(points.len() + 2);
    line.push(before(points[0], points[1], points.get(2)));
    line.extend_from_slice(points);
    line.push(before(points[last], points[last - 1], third_last));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(f: impl Fn(f64, f64) -> f64 + Sync) -> ElevationGrid {
        ElevationGrid::from_function([-10.0, 30.0], [5.0, 45.0], 5.0, |x, y| Ok(f(x, y))).unwrap()
    }

    #[test]
    fn parabolas_are_reproduced_exactly_up_to_the_edge() {
        let f = |x: f64, y: f64| 3.0 + 0.5 * x - 0.25 * y + 0.01 * x * x - 0.02 * x * y + 0.03 * y * y;
        let grid = sampled(f);
        for (x, y) in [(-10.0, 5.0), (-9.3, 6.1), (0.0, 20.0), (11.7, 33.3), (29.9, 44.9), (30.0, 45.0)] {
            assert!((grid.elevation(x, y) - f(x, y)).abs() < 1e-11, "at {x}, {y}");
        }
    }

    #[test]
    fn the_surface_passes_through_its_points_with_a_continuous_slope() {
        let f = |x: f64, y: f64| (0.3 * x).sin() * (0.2 * y).cos();
        let grid = sampled(f);
        assert!((grid.elevation(5.0, 20.0) - f(5.0, 20.0)).abs() < 1e-14);
        let h = 1e-6;
        let left = (grid.elevation(5.0, 22.0) - grid.elevation(5.0 - h, 22.0)) / h;
        let right = (grid.elevation(5.0 + h, 22.0) - grid.elevation(5.0, 22.0)) / h;
        assert!((left - right).abs() < 1e-5, "{left} {right}");
    }

    #[test]
    fn bounds_contain_every_elevation_of_a_rectangle() {
        let grid = sampled(|x, y| (1.7 * x).sin() * (2.3 * y).cos() + if x > 10.0 { 5.0 } else { 0.0 });
        for (x, y) in [([-20.0, -3.0], [4.0, 9.0]), ([8.0, 12.0], [20.0, 20.5]), ([25.0, 60.0], [40.0, 90.0])] {
            let [low, high] = grid.bounds(x, y);
            for (i, j) in (0..=40).flat_map(|i| (0..=40).map(move |j| (f64::from(i) / 40.0, f64::from(j) / 40.0))) {
                let z = grid.elevation(x[0] + i * (x[1] - x[0]), y[0] + j * (y[1] - y[0]));
                assert!((low..=high).contains(&z), "{z} in {low} to {high}");
            }
        }
    }

    #[test]
    fn two_points_make_a_plane_and_the_outside_is_constant() {
        let grid = ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0, 10.0, 20.0, 30.0]).unwrap();
        assert!((grid.elevation(2.5, 5.0) - 12.5).abs() < 1e-14);
        assert_eq!(grid.elevation(-50.0, -50.0), 0.0);
    }

    #[test]
    fn next_to_a_step_the_surface_overshoots_and_the_neighbours_are_returned() {
        let step = [-15.0, -15.0, -5.0, -5.0, -15.0, -15.0, -5.0, -5.0];
        let grid = ElevationGrid::new([0.0, 0.0], [100.0, 100.0], [4, 2], &step).unwrap();
        assert!(grid.elevation(250.0, 0.0) > -5.0);
        assert_eq!(grid.neighbours(250.0, 0.0), Some(Neighbours { x: [200.0, 300.0], y: [0.0, 0.0], z: [-5.0, -5.0] }));
        assert_eq!(grid.neighbours(150.0, 30.0).unwrap().z, [-15.0, -5.0]);
        assert_eq!((grid.neighbours(200.0, 100.0), grid.neighbours(350.0, 30.0)), (None, None));
        let within: Vec<[f64; 3]> = grid.points_within([150.0, 300.0], [-50.0, 0.0]).collect();
        assert_eq!(within, [[200.0, 0.0, -5.0], [300.0, 0.0, -5.0]]);
        assert_eq!(grid.points_within([310.0, 390.0], [0.0, 100.0]).count(), 0);
        assert_eq!(grid.points_within([-90.0, -10.0], [0.0, 100.0]).count(), 0);
    }

    #[test]
    fn a_file_grid_has_x_fastest() {
        let file = Grid { x: vec![0.0, 1.0, 2.0], y: vec![10.0, 12.0], values: vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0] };
        let grid = ElevationGrid::from_file_grid(&file).unwrap();
        assert_eq!(grid.elevation(1.0, 10.0), 1.0);
        assert_eq!(grid.elevation(2.0, 12.0), 12.0);
        assert_eq!((grid.x_range(), grid.y_range()), ([0.0, 2.0], [10.0, 12.0]));
    }

    #[test]
    fn gaps_and_wrong_sizes_are_refused_with_their_position() {
        let hole = ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0, 1.0, f64::NAN, 3.0]);
        assert_eq!(
            hole.unwrap_err().to_string(),
            "the elevation grid has elevation NaN at x = 0, y = 10; every point needs a finite elevation; fill the gaps in \
             the data"
        );
        assert!(ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0; 5]).is_err());
        assert!(ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [1, 4], &[0.0; 4]).is_err());
        assert!(ElevationGrid::new([0.0, 0.0], [-10.0, 10.0], [2, 2], &[0.0; 4]).is_err());
    }
}
