//! Smooth surfaces over columns: corrections of the flat tops of prisms near the ground.
//!
//! A layer between two surfaces is summed as columns with flat tops, which is accurate far above them. Near the surface, a [`Relief`] adds the difference
//! between the body below a smooth surface and the flat columns. A few columns around a point are integrated over their boundary (`column.rs`) and the flat
//! prisms subtracted in closed form (`near.rs`). Beyond them the difference is thin, and point masses at the Gauss points of each column replace it
//! (`masses.rs`). The correction depends linearly on the densities of the columns, however the prisms themselves are summed.

mod axis;
mod column;
mod masses;
mod near;
mod patch;
mod quadrature;
mod sliced;
mod slices;
mod smooth_layer;
mod sums;
mod surface;

use rayon::prelude::*;

use crate::GravityError;
use axis::Axis;
use masses::Masses;
use patch::Patch;
use quadrature::Rules;
pub use slices::Slices;
pub use smooth_layer::SmoothLayer;
pub use surface::Surface;

/// Rounding of coordinates and heights, in units of the last place, within which a point counts as on the surface.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Height above the surface at which the limit from above is evaluated, in columns.
const LIFT: f64 = 1e-7;
/// Largest depth of a point below the surface that still counts as on it, in columns: a millimetre for columns of 100 m.
const ON_SURFACE: f64 = 1e-5;

/// A smooth surface through heights at the points of a grid, and the columns with flat tops that represent it.
///
/// The surface is that of [`Surface`]. The flat top of a column is the mean of the surface over the column.
pub struct Relief {
    x: Axis,
    y: Axis,
    heights: Vec<f64>,
    /// Bounds to which the surface is clamped in each column.
    ranges: Option<Vec<[f64; 2]>>,
    /// Flat tops [m].
    flat: Vec<f64>,
    /// The opposite faces of the prisms whose tops are the flat ones.
    bases: Option<Vec<f64>>,
    /// Largest distance at which a column is corrected, in columns.
    radius: usize,
    /// Four and nine point masses per column.
    four: Masses,
    nine: Masses,
    rules: Rules,
}

impl Relief {
    /// A surface through heights.
    ///
    /// # Arguments
    /// * `x`, `y` – grid points [m], ascending with any spacing, at least two each; a column reaches halfway to the neighbouring points
    /// * `heights` – z at the points [m], x fastest
    /// # Errors
    /// [`GravityError::Planes`] for points that are not in ascending order, [`GravityError::Count`] for a wrong number of heights,
    /// [`GravityError::HeightNotFinite`] for a gap. Verified by `relief::invalid_surfaces_are_rejected`.
    pub fn new(x: Vec<f64>, y: Vec<f64>, heights: Vec<f64>) -> Result<Self, GravityError> {
        Self::between(x, y, heights, None)
    }

    /// Like [`new`](Self::new), but clamps the surface in each column, such as the ground to the level of the sea.
    ///
    /// # Arguments
    /// * `ranges` – lowest and highest z of the surface in each column [m]; infinite for none
    /// # Errors
    /// As [`new`](Self::new); [`GravityError::Count`] unless there is one range per column.
    pub fn clamped(x: Vec<f64>, y: Vec<f64>, heights: Vec<f64>, ranges: Vec<[f64; 2]>) -> Result<Self, GravityError> {
        Self::between(x, y, heights, Some(ranges))
    }

    fn between(
        x: Vec<f64>,
        y: Vec<f64>,
        heights: Vec<f64>,
        ranges: Option<Vec<[f64; 2]>>,
    ) -> Result<Self, GravityError> {
        GravityError::check_points(&x, &y)?;
        let count = x.len() * y.len();
        GravityError::check_count("heights of the surface", heights.len(), "points of the grid", count)?;
        if let Some(place) = heights.iter().position(|height| !GravityError::is_sound(*height)) {
            let point = [place % x.len(), place / x.len()];
            return Err(GravityError::HeightNotFinite { surface: "surface", point, value: heights[place] });
        }
        if let Some(ranges) = &ranges {
            GravityError::check_count("ranges", ranges.len(), "columns", count)?;
        }
        let (x, y) = (Axis::new(x), Axis::new(y));
        let [four, nine] = [(); 2].map(|()| Masses::default());
        let (flat, rules) = (Vec::new(), Rules::new());
        let mut made = Self { x, y, heights, ranges, flat, bases: None, radius: usize::MAX, four, nine, rules };
        made.flat = (0..count).into_par_iter().map(|column| made.mean(column)).collect();
        (made.four, made.nine) = (Masses::new(&made, masses::TWO), Masses::new(&made, masses::THREE));
        Ok(made)
    }

    /// States which prisms are corrected: those from `bases` up to the flat tops. With this, values at points on their faces and edges are consistent with
    /// [`crate::forward`] of these prisms with [`Fields::leaving_out_edges`](crate::Fields::leaving_out_edges), without limits.
    ///
    /// # Arguments
    /// * `bases` – z of the bottom of the uppermost prism of each column [m]; equal to its flat top where there is none
    /// # Errors
    /// [`GravityError::Count`] unless there is one base per column.
    pub fn with_bases(self, bases: Vec<f64>) -> Result<Self, GravityError> {
        GravityError::check_count("bases", bases.len(), "columns", self.flat.len())?;
        Ok(Self { bases: Some(bases), ..self })
    }

    /// Restricts the correction to columns whose indices differ by at most `radius` from those of the column below the point; by default all are corrected.
    pub fn within(self, radius: usize) -> Self {
        Self { radius, ..self }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.flat.len()
    }

    /// The flat top of each column [m], x fastest: the mean of the surface.
    pub fn flat(&self) -> &[f64] {
        &self.flat
    }

    /// Height of the surface [m]; `None` outside the columns.
    pub fn height(&self, x: f64, y: f64) -> Option<f64> {
        if !self.x.holds(x) || !self.y.holds(y) {
            return None;
        }
        let column = self.y.column(y) * self.x.len() + self.x.column(x);
        let patch = self.patch(column, [self.x.find(x), self.y.find(y)], &[x, y, 0.0]);
        Some(patch.one(0.0, 0.0)[0])
    }

    /// The point itself, or a place slightly above the surface if it lies on the surface.
    fn lifted(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let size = self.x.size(self.x.column(x)).min(self.y.size(self.y.column(y)));
        let lift = (LIFT * size).max(ROUNDING * z.abs());
        match self.height(x, y) {
            Some(height) if (-ON_SURFACE * size..lift).contains(&(z - height)) => [x, y, height + lift],
            _ => [x, y, z],
        }
    }

    /// Depth of a point below the surface [m]; `None` if it lies on or above it, or outside the columns.
    pub fn depth(&self, point: [f64; 3]) -> Option<f64> {
        let height = self.height(point[0], point[1])?;
        (self.lifted(point)[2] < height).then(|| height - point[2])
    }

    /// Index of a column along x and y.
    fn place(&self, column: usize) -> [usize; 2] {
        [column % self.x.len(), column / self.x.len()]
    }

    /// The surface in an interval of each axis, clamped as in a column.
    #[inline(always)]
    fn patch(&self, column: usize, cell: [usize; 2], point: &[f64; 3]) -> Patch {
        self.free_patch(cell, point).within(self.range(column), point)
    }

    /// The surface in an interval of each axis, without bounds.
    #[inline(always)]
    fn free_patch(&self, [i, j]: [usize; 2], point: &[f64; 3]) -> Patch {
        Patch::new([self.x.interval(i), self.y.interval(j)], &self.heights, [self.x.len(), self.y.len()], point)
    }

    /// The bounds to which the surface is clamped in a column.
    #[inline(always)]
    fn range(&self, column: usize) -> [f64; 2] {
        self.ranges.as_ref().map_or([f64::NEG_INFINITY, f64::INFINITY], |ranges| ranges[column])
    }

    /// The four quarters of a column: patch and bounds along x and y, relative to a point.
    #[inline(always)]
    fn quarters(&self, column: usize, point: &[f64; 3]) -> [(Patch, [[f64; 2]; 2]); 4] {
        let [i, j] = self.place(column);
        self.quarters_of(column, point, |[a, b]| self.patch(column, [i + a, j + b], point))
    }

    /// The same with the patches of the cells [0, 0], [1, 0], [0, 1] and [1, 1] around the grid point.
    #[inline(always)]
    fn quarters_of(
        &self,
        column: usize,
        point: &[f64; 3],
        patch: impl Fn([usize; 2]) -> Patch,
    ) -> [(Patch, [[f64; 2]; 2]); 4] {
        let [i, j] = self.place(column);
        let cuts = |axis: &Axis, at: usize, place: f64| {
            [axis.edges[at] - place, axis.points[at] - place, axis.edges[at + 1] - place]
        };
        let (x, y) = (cuts(&self.x, i, point[0]), cuts(&self.y, j, point[1]));
        std::array::from_fn(|quarter| {
            let [a, b] = [quarter % 2, quarter / 2];
            (patch([a, b]), [[x[a], x[a + 1]], [y[b], y[b + 1]]])
        })
    }

    /// Mean of the surface over a column [m].
    fn mean(&self, column: usize) -> f64 {
        let [i, j] = self.place(column);
        let middle = [self.x.points[i], self.y.points[j], 0.0];
        let area = self.x.size(i) * self.y.size(j);
        // Exact for polynomials; a kink at a bound is integrated with an error of some thousandths of its height.
        let rule = &self.rules.four;
        let of_quarter = |(patch, [[x0, x1], [y0, y1]]): &(Patch, [[f64; 2]; 2])| {
            let nodes = rule.u.iter().zip(&rule.v).zip(&rule.weight);
            let mean: f64 = nodes.map(|((u, v), w)| w * patch.one(x0 + u * (x1 - x0), y0 + v * (y1 - y0))[0]).sum();
            mean * (x1 - x0) * (y1 - y0) / area
        };
        self.quarters(column, &middle).iter().map(of_quarter).sum()
    }
}
