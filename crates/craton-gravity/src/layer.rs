//! A layer between two surfaces: a column of prisms below every point of a grid.

use crate::{GravityError, Prism};

/// Density as a function of depth.
#[derive(Debug, Clone, PartialEq)]
pub enum DensityLaw {
    /// Constant density [kg/m³].
    Constant(f64),
    /// The sum of `coefficients[n]` times depth to the power n [kg/m³, depth in m].
    Polynomial(Vec<f64>),
    /// `deep + (shallow - deep) exp(-depth / scale)`.
    Exponential {
        /// Density at depth 0 [kg/m³].
        shallow: f64,
        /// Density at infinite depth [kg/m³].
        deep: f64,
        /// Depth at which the difference from `deep` has fallen to 1/e [m].
        scale: f64,
    },
}

impl DensityLaw {
    /// Mean density between two depths [kg/m³], in closed form.
    pub fn mean(&self, shallow_end: f64, deep_end: f64) -> f64 {
        let thickness = deep_end - shallow_end;
        match self {
            Self::Constant(density) => *density,
            Self::Polynomial(coefficients) => {
                let integral = |depth: f64| {
                    let terms = coefficients.iter().enumerate();
                    terms
                        .rev()
                        .fold(0.0, |sum, (power, coefficient)| (sum + coefficient / (power as f64 + 1.0)) * depth)
                };
                if thickness <= 0.0 {
                    self.at(shallow_end)
                } else {
                    (integral(deep_end) - integral(shallow_end)) / thickness
                }
            }
            Self::Exponential { shallow, deep, scale } => {
                let decay = match thickness / scale {
                    0.0 => 1.0,
                    share => -(-share).exp_m1() / share,
                };
                deep + difference(*shallow, *deep, shallow_end / scale) * decay
            }
        }
    }

    /// Density at a depth [kg/m³].
    pub fn at(&self, depth: f64) -> f64 {
        match self {
            Self::Constant(density) => *density,
            Self::Polynomial(coefficients) => {
                coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * depth + coefficient)
            }
            Self::Exponential { shallow, deep, scale } => deep + difference(*shallow, *deep, depth / scale),
        }
    }

    /// Change of density per metre of depth [kg/m⁴].
    fn slope(&self, depth: f64) -> f64 {
        match self {
            Self::Constant(_) => 0.0,
            Self::Polynomial(coefficients) => {
                let terms = coefficients.iter().enumerate().skip(1);
                terms.rev().fold(0.0, |sum, (power, coefficient)| sum * depth + power as f64 * coefficient)
            }
            Self::Exponential { shallow, deep, scale } => -difference(*shallow, *deep, depth / scale) / scale,
        }
    }

    /// Density at depth 0 [kg/m³] and its change per metre [kg/m⁴]; `None` unless the density is a linear function of depth.
    pub(crate) fn linear(&self) -> Option<[f64; 2]> {
        match self {
            Self::Constant(density) => Some([*density, 0.0]),
            Self::Polynomial(coefficients) => {
                let coefficient = |power: usize| coefficients.get(power).copied().unwrap_or(0.0);
                let is_linear = coefficients.iter().skip(2).all(|&coefficient| coefficient == 0.0);
                is_linear.then(|| [coefficient(0), coefficient(1)])
            }
            Self::Exponential { .. } => None,
        }
    }

    /// Whether the density does not change with depth.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Polynomial(coefficients) => coefficients.iter().skip(1).all(|&coefficient| coefficient == 0.0),
            Self::Exponential { shallow, deep, .. } => shallow == deep,
        }
    }
}

/// The exponentially decaying density difference at `depth`, in units of the scale; exactly zero if the two densities are equal, even where the exponential
/// overflows.
fn difference(shallow: f64, deep: f64, depth: f64) -> f64 {
    if shallow == deep { 0.0 } else { (shallow - deep) * (-depth).exp() }
}

/// A layer between two surfaces given at the same points of a rectilinear grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    x: Vec<f64>,
    y: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
}

/// How a layer is filled with prisms.
#[derive(Debug, Clone, PartialEq)]
pub struct Filling {
    /// Density as a function of depth.
    pub law: DensityLaw,
    /// z of depth 0 [m]; `None` measures depth from the top of each column.
    pub datum: Option<f64>,
    /// Density where the top surface lies below the bottom one [kg/m³], for example that of water replacing rock; `None` leaves such columns empty.
    pub inverted: Option<f64>,
    /// Number of slices of the thickest column, at least 1; the slices of other columns are no thicker.
    pub slices: usize,
}

impl Layer {
    /// Builds a layer.
    ///
    /// # Arguments
    /// * `x`, `y` – grid points [m], ascending, at least two each; a column reaches halfway to the neighbouring points, and as far outwards at the ends
    /// * `top`, `bottom` – z of the surfaces [m], x fastest
    /// # Errors
    /// [`GravityError::Planes`] for points that are not in ascending order, [`GravityError::Count`] for a surface of the wrong size,
    /// [`GravityError::HeightNotFinite`] for a gap in a surface. Verified by `bodies::invalid_layers_are_rejected`.
    pub fn new(x: Vec<f64>, y: Vec<f64>, top: Vec<f64>, bottom: Vec<f64>) -> Result<Self, GravityError> {
        GravityError::check_points(&x, &y)?;
        GravityError::check_count("heights of the top", top.len(), "points of the grid", x.len() * y.len())?;
        GravityError::check_count("heights of the bottom", bottom.len(), "points of the grid", x.len() * y.len())?;
        for (surface, heights) in [("top", &top), ("bottom", &bottom)] {
            if let Some(place) = heights.iter().position(|height| !height.is_finite()) {
                let point = [place % x.len(), place / x.len()];
                return Err(GravityError::HeightNotFinite { surface, point, value: heights[place] });
            }
        }
        Ok(Self { x, y, top, bottom })
    }

    /// The grid points along x and y [m].
    pub fn axes(&self) -> [&[f64]; 2] {
        [&self.x, &self.y]
    }

    /// z of the top and of the bottom at the grid points [m], x fastest.
    pub fn surfaces(&self) -> [&[f64]; 2] {
        [&self.top, &self.bottom]
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.top.len()
    }

    /// Number of columns whose top lies below their bottom.
    pub fn inverted(&self) -> usize {
        self.top.iter().zip(&self.bottom).filter(|(top, bottom)| top < bottom).count()
    }

    /// Whether a position (x, y, z) [m] lies inside a column, below its top and above its bottom; always false where the top lies below the bottom, for example
    /// under the sea.
    pub fn holds(&self, [x, y, z]: [f64; 3]) -> bool {
        self.column_at([x, y]).is_some_and(|index| z < self.top[index] && z > self.bottom[index])
    }

    /// Index of the column that contains a position (x, y) [m]; `None` outside all columns.
    pub fn column_at(&self, [x, y]: [f64; 2]) -> Option<usize> {
        Some(column(&self.y, y)? * self.x.len() + column(&self.x, x)?)
    }

    /// Range of depths over which the density law is evaluated [m]; `None` if no column has its top above its bottom.
    ///
    /// # Arguments
    /// * `datum` – z of depth 0 [m]; `None` measures depth from the top of each column
    pub fn depths(&self, datum: Option<f64>) -> Option<[f64; 2]> {
        let columns = self.top.iter().zip(&self.bottom).filter(|(top, bottom)| top > bottom);
        columns.fold(None, |all, (&top, &bottom)| {
            let datum = datum.unwrap_or(top);
            let [least, greatest] = all.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
            Some([least.min(datum - top), greatest.max(datum - bottom)])
        })
    }

    /// The bottom [m] and the density [kg/m³] of the uppermost prism of each column; the top and the density there for a column without a prism.
    pub fn uppermost(&self, filling: &Filling) -> Vec<(f64, f64)> {
        let slice = self.slice(filling);
        let of_column = |(index, (&top, &bottom)): (usize, (&f64, &f64))| {
            let density = filling.law.at(filling.datum.unwrap_or(top) - top);
            let first = column_of(self.sides(index), [top, bottom], filling, slice).next();
            first.map_or((top, density), |prism| (prism.bottom, prism.density))
        };
        self.top.iter().zip(&self.bottom).enumerate().map(of_column).collect()
    }

    /// The prisms of all columns of nonzero thickness, one for each, row by row.
    ///
    /// # Arguments
    /// * `density` – density of each column [kg/m³]
    /// # Panics
    /// Unless there is one density per column.
    pub fn prisms_by_column<'a>(&'a self, density: &'a [f64]) -> impl Iterator<Item = Prism> + 'a {
        assert_eq!(density.len(), self.columns(), "one density per column");
        (0..self.columns()).filter(|&index| self.top[index] > self.bottom[index]).map(move |index| {
            let [west, east, south, north] = self.sides(index);
            let [top, bottom] = [self.top[index], self.bottom[index]];
            Prism { west, east, south, north, bottom, top, density: density[index] }
        })
    }

    /// Prisms with the opposite of the density between a surface and the bottom, for columns where the surface lies below the bottom.
    ///
    /// # Arguments
    /// * `surface` – z in each column [m]; `density` – of each column [kg/m³]; columns without density are left out
    pub fn inside_out<'a>(&'a self, surface: &'a [f64], density: &'a [f64]) -> impl Iterator<Item = Prism> + 'a {
        let is_one = move |index: &usize| surface[*index] < self.bottom[*index] && density[*index] != 0.0;
        (0..self.columns()).filter(is_one).map(move |index| {
            let [west, east, south, north] = self.sides(index);
            let (bottom, top) = (surface[index], self.bottom[index]);
            Prism { west, east, south, north, bottom, top, density: -density[index] }
        })
    }

    /// Largest thickness of a slice [m].
    pub(crate) fn slice(&self, filling: &Filling) -> f64 {
        let thickness = self.top.iter().zip(&self.bottom).map(|(top, bottom)| top - bottom);
        thickness.fold(0.0, f64::max) / filling.slices.max(1) as f64
    }

    /// Bounds of a column along x and y [m].
    fn sides(&self, index: usize) -> [f64; 4] {
        let (i, j) = (index % self.x.len(), index / self.x.len());
        [edge(&self.x, i), edge(&self.x, i + 1), edge(&self.y, j), edge(&self.y, j + 1)]
    }

    /// Number of prisms of all columns, without building them.
    ///
    /// Verified by `bodies::layers_know_the_number_of_their_prisms`.
    pub fn count(&self, filling: &Filling) -> usize {
        let slice = self.slice(filling);
        let columns = self.top.iter().zip(&self.bottom);
        columns.map(|(&top, &bottom)| slices_of([top, bottom], filling, slice)).sum()
    }

    /// The prisms of all columns of nonzero thickness, row by row, each column from the top down.
    pub fn prisms<'a>(&'a self, filling: &'a Filling) -> impl Iterator<Item = Prism> + 'a {
        let slice = self.slice(filling);
        (0..self.top.len()).flat_map(move |index| self.prisms_of(index, filling, slice))
    }

    /// The prisms of a column from the top down.
    ///
    /// # Arguments
    /// * `thickness` – largest thickness of a slice of the layer [m]
    pub(crate) fn prisms_of<'a>(
        &'a self,
        index: usize,
        filling: &'a Filling,
        thickness: f64,
    ) -> impl Iterator<Item = Prism> + 'a {
        column_of(self.sides(index), [self.top[index], self.bottom[index]], filling, thickness)
    }
}

/// Number of slices of a column, each no thicker than `thickness` within round-off.
fn slices_of([top, bottom]: [f64; 2], filling: &Filling, thickness: f64) -> usize {
    let is_inverted = top < bottom;
    match () {
        () if top == bottom || (is_inverted && filling.inverted.is_none()) => 0,
        () if is_inverted => 1,
        () => (((top - bottom) / thickness - 1e-6).ceil() as usize).max(1),
    }
}

/// The slices of a column, each no thicker than `thickness` within round-off.
///
/// Slices of mean density represent the field to second order of their thickness h: what they leave out acts like a sheet of h²/12 times the slope of the
/// density at the top, and one of opposite sign at the bottom (Euler-Maclaurin). Each face between two slices therefore moves h/12 times the slope from the
/// density above it to that below it; the first and the last face half as much again, which centres the change on the ends of the column. The mass is
/// unchanged, and the column has the first moment of a linear law. Verified by `bodies::slices_of_a_linear_law_have_its_moment`.
fn column_of(
    [west, east, south, north]: [f64; 4],
    [top, bottom]: [f64; 2],
    filling: &Filling,
    thickness: f64,
) -> impl Iterator<Item = Prism> {
    let datum = filling.datum.unwrap_or(top);
    let (is_inverted, high, low) = (top < bottom, top.max(bottom), top.min(bottom));
    let slices = slices_of([top, bottom], filling, thickness);
    let plane = move |slice: usize| match slice {
        0 => high,
        last if last == slices => low,
        _ => high + (low - high) * (slice as f64 / slices as f64),
    };
    let thickness = (high - low) / slices.max(1) as f64;
    let moved = move |face: usize| match share_of_face(face, slices) {
        0.0 => 0.0,
        share => share * thickness * filling.law.slope(datum - plane(face)),
    };
    (0..slices).map(move |slice| {
        let (top, bottom) = (plane(slice), plane(slice + 1));
        let density = match filling.inverted {
            Some(density) if is_inverted => density,
            _ => filling.law.mean(datum - top, datum - bottom) + moved(slice) - moved(slice + 1),
        };
        Prism { west, east, south, north, bottom, top, density }
    })
}

/// The density that a face between two of some slices moves from above it to below it, per unit of their thickness and of the slope; zero at the ends of the
/// column.
pub(crate) fn share_of_face(face: usize, slices: usize) -> f64 {
    let of_end = |end: usize| if face == end { 0.5 } else { 0.0 };
    if face == 0 || face >= slices { 0.0 } else { (1.0 + of_end(1) + of_end(slices - 1)) / 12.0 }
}

/// Edge `index` of the columns: the midpoint between two points, extrapolated at both ends.
fn edge(points: &[f64], index: usize) -> f64 {
    let last = points.len() - 1;
    match index {
        0 => 1.5 * points[0] - 0.5 * points[1],
        index if index > last => 1.5 * points[last] - 0.5 * points[last - 1],
        index => 0.5 * (points[index - 1] + points[index]),
    }
}

/// Index of the grid point whose column contains a coordinate.
fn column(points: &[f64], place: f64) -> Option<usize> {
    let last = points.len() - 1;
    // The point below, or the next one if the coordinate lies beyond the edge between them.
    let below = points.partition_point(|&point| point <= place).saturating_sub(1);
    [below, below + 1]
        .into_iter()
        .find(|&index| index <= last && edge(points, index) <= place && place < edge(points, index + 1))
}
