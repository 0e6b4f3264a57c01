//! Cubic interpolation along an axis of a grid, with any ascending coordinates.

/// Number of points on which the polynomial of an interval depends.
pub const WIDTH: usize = 6;

/// Cubic polynomials between grid points, as linear functions of the heights at up to six points.
///
/// Slopes at the points are those of the polynomial through five neighbouring points, with an error of fourth order; at the two outermost points they are those
/// of the parabola through three.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Grid points [m], ascending.
    pub points: Vec<f64>,
    /// Edges of the columns [m]: midpoints between the points, and as far outwards at the ends.
    pub edges: Vec<f64>,
    intervals: Vec<Interval>,
}

/// The polynomial of an interval in the local coordinate u = (x - `origin`) / `length`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Coordinate of u = 0 [m].
    pub origin: f64,
    /// Length of the interval [m].
    pub length: f64,
    /// Index of the first of the points.
    pub first: usize,
    /// Coefficient of u^a, `[a][point]`.
    pub weights: [[f64; WIDTH]; 4],
}

impl Axis {
    /// The polynomials of an axis of at least two ascending points.
    pub fn new(points: Vec<f64>) -> Self {
        let last = points.len() - 1;
        let middles = points.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let ends = [1.5 * points[0] - 0.5 * points[1], 1.5 * points[last] - 0.5 * points[last - 1]];
        let edges = std::iter::once(ends[0]).chain(middles).chain([ends[1]]).collect();
        let inside = (0..last).map(|interval| between(&points, interval));
        let intervals = std::iter::once(beyond(&points, 0)).chain(inside).chain([beyond(&points, last)]).collect();
        Self { points, edges, intervals }
    }

    /// Interval `index`: 0 lies before the first point, 1 between the first two, and so on; the last one lies beyond the last point.
    pub fn interval(&self, index: usize) -> &Interval {
        &self.intervals[index]
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Index of the interval that contains a coordinate.
    pub fn find(&self, place: f64) -> usize {
        self.points.partition_point(|&point| point <= place)
    }

    /// Index of the column that contains a coordinate, or of the nearest one.
    pub fn column(&self, place: f64) -> usize {
        self.edges.partition_point(|&edge| edge <= place).clamp(1, self.len()) - 1
    }

    /// Whether a coordinate lies within the columns.
    pub fn holds(&self, place: f64) -> bool {
        (self.edges[0]..self.edges[self.len()]).contains(&place)
    }

    /// Length of a column [m].
    pub fn size(&self, column: usize) -> f64 {
        self.edges[column + 1] - self.edges[column]
    }
}

/// The interval between two points.
fn between(points: &[f64], interval: usize) -> Interval {
    let count = points.len();
    let first = interval.saturating_sub(2).min(count.saturating_sub(WIDTH));
    let length = points[interval + 1] - points[interval];
    let value = |point: usize| {
        let mut weights = [0.0; WIDTH];
        weights[point - first] = 1.0;
        weights
    };
    let slope = |point| slope(points, point, first).map(|weight| length * weight);
    let (low, high, low_slope, high_slope) =
        (value(interval), value(interval + 1), slope(interval), slope(interval + 1));
    let of = |factors: [f64; 4]| {
        std::array::from_fn(|at| {
            factors[0] * low[at] + factors[1] * high[at] + factors[2] * low_slope[at] + factors[3] * high_slope[at]
        })
    };
    let weights = [low, low_slope, of([-3.0, 3.0, -2.0, -1.0]), of([2.0, -2.0, 1.0, 1.0])];
    Interval { origin: points[interval], length, first, weights }
}

/// Slope at a point, that of the polynomial through five neighbouring points, or near an end through three: weights of the points from `first` on.
fn slope(points: &[f64], point: usize, first: usize) -> [f64; WIDTH] {
    let count = points.len();
    let width = if (2..count.saturating_sub(2)).contains(&point) { 5 } else { count.min(3) };
    let start = point.saturating_sub(width / 2).min(count - width);
    let others = |at: usize| (start..start + width).filter(move |&other| other != at);
    let mut weights = [0.0; WIDTH];
    for at in start..start + width {
        // The derivative of the Lagrange polynomial of this point.
        weights[at - first] = match at == point {
            true => others(at).map(|other| 1.0 / (points[at] - points[other])).sum(),
            false => {
                let factors = others(at).filter(|&other| other != point);
                let product: f64 =
                    factors.map(|other| (points[point] - points[other]) / (points[at] - points[other])).product();
                product / (points[at] - points[point])
            }
        };
    }
    weights
}

/// The linear continuation beyond an end.
fn beyond(points: &[f64], end: usize) -> Interval {
    let first = end.min(points.len().saturating_sub(WIDTH));
    let (origin, length) = match end {
        0 => (1.5 * points[0] - 0.5 * points[1], 0.5 * (points[1] - points[0])),
        end => (points[end], 0.5 * (points[end] - points[end - 1])),
    };
    let mut weights = [[0.0; WIDTH]; 4];
    weights[1] = slope(points, end, first).map(|weight| length * weight);
    if end == 0 {
        weights[0] = weights[1].map(|weight| -weight);
    }
    weights[0][end - first] += 1.0;
    Interval { origin, length, first, weights }
}
