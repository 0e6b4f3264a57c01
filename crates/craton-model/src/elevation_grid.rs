//! Elevations on a regular grid, with a smooth surface through them.

use craton_formats::grid::Grid;

use crate::ModelError;
use crate::check::{finite, positive};

/// Share of the spacing by which a place may miss a point and still be at it.
const ROUNDING: f64 = 1e-9;

/// The points of a grid around a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// Their first and last coordinate along x \[m\].
    pub x: [f64; 2],
    /// The same along y \[m\].
    pub y: [f64; 2],
    /// Their lowest and highest elevation \[m\]; the surface between them may leave this range where it bends.
    pub z: [f64; 2],
}

/// A surface through elevations on a regular grid.
///
/// Between the points it is a bicubic convolution: it passes through every point, its slope is continuous, planes and
/// parabolas are met exactly, and beside a jump from one point to the next it overshoots by a sixteenth of the jump. To
/// keep it within the range of its points would flatten every summit and bend that stands between points, so it is not
/// done; [`ElevationGrid::neighbours`] tells what an elevation comes from. Beyond the last point the surface goes on
/// level.
///
/// # Source
/// Keys (1981), Cubic convolution interpolation for digital image processing, equations 15 and 19. Verified by
/// `parabolas_are_met_exactly_up_to_the_edge`.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevationGrid {
    origin: [f64; 2],
    spacing: [f64; 2],
    count: [usize; 2],
    /// Elevations with one more point on each side, which continue the parabola of the three points beside it.
    padded: Vec<f64>,
}

impl ElevationGrid {
    /// A surface through given points.
    ///
    /// # Arguments
    /// * `origin` – x, y of the first point \[m\]
    /// * `spacing` – distance of the points along x and y \[m\]
    /// * `count` – number of points along x and y, two or more each
    /// * `elevations` – z \[m\], shape (count along y, count along x), x fastest
    /// # Errors
    /// A spacing that is not positive, too few points, a wrong number of elevations, an elevation that is not a number.
    pub fn new(origin: [f64; 2], spacing: [f64; 2], count: [usize; 2], elevations: &[f64]) -> Result<Self, ModelError> {
        for (axis, name) in ["x", "y"].iter().enumerate() {
            finite(&format!("first {name} of the elevation grid"), origin[axis], "m")?;
            let what = format!("spacing of the elevation grid along {name}");
            positive(&what, spacing[axis], "m", "give the grid with ascending coordinates")?;
        }
        check_points(count, elevations)?;
        let elevation = |[i, j]: [usize; 2]| elevations[j * count[0] + i];
        if let Some(index) = elevations.iter().position(|z| !z.is_finite()) {
            let [i, j] = [index % count[0], index / count[0]];
            let [x, y] = [origin[0] + spacing[0] * i as f64, origin[1] + spacing[1] * j as f64];
            return Err(ModelError::BadGrid {
                problem: format!("elevation {} at x = {x}, y = {y}", elevation([i, j])),
                hint: "every point needs a finite elevation; fill the holes of the data",
            });
        }
        Ok(Self { origin, spacing, count, padded: pad(count, elevations) })
    }

    /// A surface through the points of a file, in the file's own coordinates.
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

    /// A surface through the values of a function at the points of a grid that spans x and y, its spacing no larger
    /// than asked for.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate \[m\]
    /// * `spacing` – largest distance of the points \[m\]
    /// * `elevation` – z at (x, y) \[m\]
    /// # Errors
    /// What the function says, and as [`ElevationGrid::new`].
    pub fn from_function(
        x: [f64; 2],
        y: [f64; 2],
        spacing: f64,
        elevation: impl Fn(f64, f64) -> Result<f64, ModelError>,
    ) -> Result<Self, ModelError> {
        positive("spacing of the elevation grid", spacing, "m", "give a distance")?;
        let intervals = |[from, to]: [f64; 2]| ((to - from) / spacing).ceil().max(1.0);
        let (across, along) = (intervals(x), intervals(y));
        let (dx, dy) = ((x[1] - x[0]) / across, (y[1] - y[0]) / along);
        let count = [across as usize + 1, along as usize + 1];
        let points = (0..count[0] * count[1]).map(|index| {
            let (i, j) = (index % count[0], index / count[0]);
            elevation(x[0] + dx * i as f64, y[0] + dy * j as f64)
        });
        let elevations = points.collect::<Result<Vec<f64>, _>>()?;
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

    /// The same grid over a little more than a full circle, if its x are longitudes \[degrees\] all around the Earth: its last point is the first one again,
    /// or the next one would be. So it is as smooth where it closes as elsewhere.
    pub(crate) fn closed_around_the_earth(&self) -> Option<Self> {
        let turn = 360.0 / self.spacing[0];
        let points = turn.round() as usize;
        let is_whole = (turn - turn.round()).abs() <= 1e-6 * turn && self.count[0] >= points && points > 1;
        // Twice around the Earth is once too often.
        if !is_whole || self.count[0] > points + 1 {
            return None;
        }
        let stride = self.count[0] + 2;
        // Two points more on either side, for those that bend the surface beyond the last.
        let columns = points + 4;
        let of_point = |index: usize| {
            let (row, column) = (index / columns, (index % columns + points - 2) % points);
            self.padded[(row + 1) * stride + column + 1]
        };
        let elevations: Vec<f64> = (0..columns * self.count[1]).map(of_point).collect();
        let count = [columns, self.count[1]];
        let origin = [self.origin[0] - 2.0 * self.spacing[0], self.origin[1]];
        Some(Self { origin, spacing: self.spacing, count, padded: pad(count, &elevations) })
    }

    /// First and last coordinate along x \[m\].
    pub fn x_range(&self) -> [f64; 2] {
        self.range(0)
    }

    /// First and last coordinate along y \[m\].
    pub fn y_range(&self) -> [f64; 2] {
        self.range(1)
    }

    /// The points of the grid in a rectangle, its sides included: x, y, z \[m\].
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

    /// Numbers of the points within a range of coordinates along an axis.
    fn indices_within(&self, axis: usize, [from, to]: [f64; 2]) -> std::ops::Range<usize> {
        let place = |coordinate: f64| (coordinate - self.origin[axis]) / self.spacing[axis];
        let first = (place(from) - ROUNDING).ceil().max(0.0) as usize;
        let last = (place(to) + ROUNDING).floor();
        let beyond = if last < 0.0 { 0 } else { (last as usize + 1).min(self.count[axis]) };
        first.min(beyond)..beyond
    }

    /// The points of the grid between which a place lies; `None` at a point itself, and beyond the grid.
    pub fn neighbours(&self, x: f64, y: f64) -> Option<Neighbours> {
        let [x, y] = [self.around(0, x)?, self.around(1, y)?];
        let heights = self.points_within(x, y).map(|[_, _, z]| z);
        let z = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)]);
        (x[0] < x[1] || y[0] < y[1]).then_some(Neighbours { x, y, z })
    }

    /// Coordinates of the points before and after a coordinate along an axis, the same one twice where it is that of a point.
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

    /// Distance of the points along an axis (0 for x, 1 for y) \[m\].
    pub fn spacing(&self, axis: usize) -> f64 {
        self.spacing[axis]
    }

    fn range(&self, axis: usize) -> [f64; 2] {
        let length = self.spacing[axis] * (self.count[axis] - 1) as f64;
        [self.origin[axis], self.origin[axis] + length]
    }

    /// The first of the four padded points around a coordinate, and their weights.
    fn weights(&self, axis: usize, coordinate: f64) -> (usize, [f64; 4]) {
        let last = (self.count[axis] - 1) as f64;
        let place = ((coordinate - self.origin[axis]) / self.spacing[axis]).clamp(0.0, last);
        let interval = (place.floor() as usize).min(self.count[axis] - 2);
        (interval, cubic_convolution(place - interval as f64))
    }
}

/// Weights of the points at -1, 0, 1, 2 for the value at t between 0 and 1.
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
            hint: "give one elevation a point, x fastest",
        });
    }
    Ok(())
}

/// The grid with one more point on each side.
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

/// A line of points with one more at each end: on the parabola through the last three, or on the straight line through
/// both.
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

    fn sampled(f: impl Fn(f64, f64) -> f64) -> ElevationGrid {
        ElevationGrid::from_function([-10.0, 30.0], [5.0, 45.0], 5.0, |x, y| Ok(f(x, y))).unwrap()
    }

    #[test]
    fn parabolas_are_met_exactly_up_to_the_edge() {
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
    fn two_points_make_a_plane_and_the_outside_is_level() {
        let grid = ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0, 10.0, 20.0, 30.0]).unwrap();
        assert!((grid.elevation(2.5, 5.0) - 12.5).abs() < 1e-14);
        assert_eq!(grid.elevation(-50.0, -50.0), 0.0);
    }

    #[test]
    fn beside_a_step_the_surface_leaves_the_range_of_its_points_and_the_points_around_are_told() {
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
    fn from_a_file_the_order_is_x_fastest() {
        let file = Grid { x: vec![0.0, 1.0, 2.0], y: vec![10.0, 12.0], values: vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0] };
        let grid = ElevationGrid::from_file_grid(&file).unwrap();
        assert_eq!(grid.elevation(1.0, 10.0), 1.0);
        assert_eq!(grid.elevation(2.0, 12.0), 12.0);
        assert_eq!((grid.x_range(), grid.y_range()), ([0.0, 2.0], [10.0, 12.0]));
    }

    #[test]
    fn holes_and_wrong_sizes_are_refused_with_their_place() {
        let hole = ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0, 1.0, f64::NAN, 3.0]);
        assert_eq!(
            hole.unwrap_err().to_string(),
            "the elevation grid has elevation NaN at x = 0, y = 10; every point needs a finite elevation; fill the holes of \
             the data"
        );
        assert!(ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [2, 2], &[0.0; 5]).is_err());
        assert!(ElevationGrid::new([0.0, 0.0], [10.0, 10.0], [1, 4], &[0.0; 4]).is_err());
        assert!(ElevationGrid::new([0.0, 0.0], [-10.0, 10.0], [2, 2], &[0.0; 4]).is_err());
    }
}
