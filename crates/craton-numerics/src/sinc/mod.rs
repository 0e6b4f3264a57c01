//! Kaiser-windowed sinc weights for sources and receivers between the points of a regular grid.
//!
//! A band-limited field at x, in grid spacings, is the sum of its values at the nearest 2 r points x_j with the weights
//!
//! ```text
//! w_j = sinc(x_j - x) I0(b √(1 - ((x_j - x) / r)²)) / I0(b),    sinc(x) = sin(π x) / (π x)
//! ```
//!
//! The same weights, over the grid spacing, spread a point source over the grid; in several dimensions they are multiplied.
//!
//! # Source
//! Hicks (2002), Geophysics 67, 156-165.

use std::f64::consts::{PI, TAU};

use crate::bessel::bessel_i0;
use crate::error::{NumericsError, within};
use crate::staggered::GridPoints;

/// Largest radius: the error is then below 1e-7 at four points per wavelength.
pub const MAX_RADIUS: usize = 10;
/// Smallest number of points per wavelength; the two of the sampling theorem leave no room for a window.
pub const MIN_POINTS_PER_WAVELENGTH: f64 = 2.5;
/// Largest number of points per wavelength for which a window is designed.
pub const MAX_POINTS_PER_WAVELENGTH: f64 = 20.0;

/// Positions closer to a grid point than this, in grid spacings, coincide with it.
const ON_POINT: f64 = 1e-9;
/// Largest |position| in grid spacings: round-off there stays below [`ON_POINT`].
const FARTHEST: f64 = 1e6;

/// A windowed sinc function of a given radius, with a window designed for a band of wavenumbers.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowedSinc {
    radius: usize,
    shape: f64,
    /// Wavenumber above which it is a low-pass filter, over that of two points per wavelength \[–\]; 1 if it is none.
    cutoff: f64,
    error: f64,
}

/// Weights of consecutive grid points along one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Taps {
    /// Index i of the first point, at position i or i + 1/2; it may lie outside the grid.
    pub first: i64,
    /// Weights [–] of the points `first`, `first` + 1, ...; never empty.
    pub weights: Vec<f64>,
}

/// Symmetry of a field about a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// Antisymmetric: zero in the plane, such as pressure at a free surface.
    Antisymmetric,
    /// Symmetric.
    Symmetric,
}

/// On which side of the plane the medium lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// At positions up to that of the plane.
    Below,
    /// At positions from that of the plane on.
    Above,
}

/// A plane normal to the axis, beyond which a field is continued by its mirror image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mirror {
    /// Position of the plane in half grid spacings: 2 i at whole points, 2 i + 1 at half points.
    pub half_spacings: i64,
    /// The side that is part of the grid.
    pub medium: Medium,
    /// Symmetry of the field.
    pub symmetry: Symmetry,
}

impl WindowedSinc {
    /// Designs the window that minimises the largest error at the given number of points per wavelength and more.
    ///
    /// # Arguments
    /// * `radius` – r, 1 to [`MAX_RADIUS`]: half the number of weights along an axis; 4 is common
    /// * `points_per_wavelength` – fewest grid points per wavelength of the field, [`MIN_POINTS_PER_WAVELENGTH`] to
    ///   [`MAX_POINTS_PER_WAVELENGTH`]; 4 and 3 are Hicks's k_max = π/2 and 2 π/3
    /// # Errors
    /// A radius or a number of points out of range.
    ///
    /// Verified by `sinc::tests::window_has_the_published_shape`.
    pub fn new(radius: usize, points_per_wavelength: f64) -> Result<Self, NumericsError> {
        if !(1..=MAX_RADIUS).contains(&radius) {
            let what = "the radius of the windowed sinc function";
            return Err(NumericsError::Degree { what, value: radius, min: 1, max: MAX_RADIUS });
        }
        let (min, max) = (MIN_POINTS_PER_WAVELENGTH, MAX_POINTS_PER_WAVELENGTH);
        let band = TAU / within("the number of grid points per wavelength", points_per_wavelength, min, max)?;
        // The error is largest halfway between two points, to within one or two percent.
        let shape = minimum(PI * radius as f64, |shape| largest_error(radius, shape, 0.5, band, 64));
        let error = (1..=32).map(|i| largest_error(radius, shape, f64::from(i) / 64.0, band, 256)).fold(0.0, f64::max);
        Ok(Self { radius, shape, cutoff: 1.0, error })
    }

    /// Weights that also filter out the shortest waves of the grid, with two to three points per wavelength, for media whose properties alternate from
    /// point to point: even at a grid point, a source then acts equally on points of all kinds.
    ///
    /// The radius is 7. Waves with six points per wavelength change by 0.4 %, those with fifteen by 0.1 %; those with two by a factor of 0.02.
    ///
    /// Verified by `sinc::tests::smooth_weights_filter_out_the_shortest_waves`.
    pub fn smooth() -> Self {
        Self { radius: 7, shape: 5.75, cutoff: 0.58, error: 0.004 }
    }

    /// Radius r in grid spacings: 2 r weights along an axis.
    pub fn radius(&self) -> usize {
        self.radius
    }

    /// Shape b [–] of the Kaiser window.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// Largest interpolation error for a plane wave of unit amplitude, at any position and for at least the points per wavelength that the window is designed
    /// for, six for [`Self::smooth`]; accurate to about one percent.
    ///
    /// Verified by `sinc::tests::band_limited_fields_are_interpolated_within_the_stated_error`.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Weights of the nearest 2 r grid points; a single weight of exactly 1 if the position coincides with a grid point.
    ///
    /// # Arguments
    /// * `position` – x / h, distance from whole point 0 in grid spacings
    /// * `points` – positions of the interpolated values
    /// # Errors
    /// [`NumericsError::OutOfRange`] for a position that is not finite or beyond a million.
    ///
    /// Verified by `sinc::tests::positions_on_a_point_have_one_weight` and
    /// `sinc::tests::band_limited_fields_are_interpolated_within_the_stated_error`.
    pub fn taps(&self, position: f64, points: GridPoints) -> Result<Taps, NumericsError> {
        within("the position on the grid, in grid spacings,", position, -FARTHEST, FARTHEST)?;
        let from_first = position - points.offset();
        let nearest = from_first.round();
        if self.cutoff == 1.0 && (from_first - nearest).abs() <= ON_POINT {
            return Ok(Taps { first: nearest as i64, weights: vec![1.0] });
        }
        let fraction = from_first - from_first.floor();
        let mut weights: Vec<f64> = weights(self.radius, self.shape, self.cutoff, fraction).collect();
        if self.cutoff < 1.0 {
            let sum: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Ok(Taps { first: from_first.floor() as i64 + 1 - self.radius as i64, weights })
    }

    /// Weights of the grid points inside the medium only, for a field that is continued beyond a plane by its mirror image.
    ///
    /// The weight of a point beyond the plane is added to that of its image, with the sign of the symmetry. A point in the plane is its own image: it keeps its
    /// weight in a symmetric field and has weight zero in an antisymmetric one. The weights that spread a source are the same; there a point in the plane
    /// represents half a grid spacing.
    ///
    /// # Arguments
    /// * `position`, `points` – as for [`Self::taps`]
    /// * `mirror` – the plane
    /// # Errors
    /// [`NumericsError::OutOfRange`] for a position that is not in the medium.
    /// # Source
    /// Hicks (2002), on free surfaces. Verified by `sinc::tests::images_cancel_at_the_plane` and
    /// `sinc::tests::mirrored_weights_interpolate_mirrored_fields`.
    pub fn mirrored_taps(&self, position: f64, points: GridPoints, mirror: Mirror) -> Result<Taps, NumericsError> {
        let plane = 0.5 * mirror.half_spacings as f64;
        let (min, max) = match mirror.medium {
            Medium::Below => (-FARTHEST, plane + ON_POINT),
            Medium::Above => (plane - ON_POINT, FARTHEST),
        };
        within("the position on the grid next to a plane, in grid spacings,", position, min, max)?;
        let taps = self.taps(position, points)?;
        Ok(mirror.fold(&taps, points))
    }
}

impl Mirror {
    /// Moves the weights beyond the plane to the images of their points.
    fn fold(self, taps: &Taps, points: GridPoints) -> Taps {
        let folded: Vec<(i64, f64)> =
            taps.weights.iter().zip(taps.first..).map(|(&weight, i)| self.image(i, weight, points)).collect();
        let indices = || folded.iter().map(|&(i, _)| i);
        let first = indices().min().unwrap_or(taps.first);
        let last = indices().max().unwrap_or(taps.first);
        let mut weights = vec![0.0; (last - first + 1) as usize];
        for (i, weight) in folded {
            weights[(i - first) as usize] += weight;
        }
        Taps { first, weights }
    }

    /// The point in the medium that receives a weight, and the received weight.
    fn image(self, i: i64, weight: f64, points: GridPoints) -> (i64, f64) {
        let half = match points {
            GridPoints::Whole => 0,
            GridPoints::Half => 1,
        };
        let beyond = match self.medium {
            Medium::Below => 2 * i + half - self.half_spacings,
            Medium::Above => self.half_spacings - 2 * i - half,
        };
        match self.symmetry {
            Symmetry::Antisymmetric if beyond == 0 => (i, 0.0),
            _ if beyond <= 0 => (i, weight),
            Symmetry::Antisymmetric => (self.half_spacings - half - i, -weight),
            Symmetry::Symmetric => (self.half_spacings - half - i, weight),
        }
    }
}

/// Weights of the 2 r nearest points for a position `fraction` above the rth of them, 0 <= fraction < 1.
fn weights(radius: usize, shape: f64, cutoff: f64, fraction: f64) -> impl Iterator<Item = f64> {
    let r = radius as f64;
    let at_centre = bessel_i0(shape);
    (0..2 * radius).map(move |j| {
        let distance = (j as f64 + 1.0 - r) - fraction;
        let window = bessel_i0(shape * (1.0 - (distance / r).powi(2)).max(0.0).sqrt()) / at_centre;
        let angle = PI * cutoff * distance;
        if distance == 0.0 { cutoff } else { cutoff * angle.sin() / angle * window }
    })
}

/// Largest |Σ w_j exp(i k (x_j - x)) - 1| over `count` + 1 wavenumbers of the band 0 <= k h <= `band`.
fn largest_error(radius: usize, shape: f64, fraction: f64, band: f64, count: usize) -> f64 {
    let weights: Vec<f64> = weights(radius, shape, 1.0, fraction).collect();
    let distance = |j: usize| j as f64 + 1.0 - radius as f64 - fraction;
    let error = |kh: f64| {
        let sum =
            |part: fn(f64) -> f64| weights.iter().enumerate().map(|(j, w)| w * part(kh * distance(j))).sum::<f64>();
        (sum(f64::cos) - 1.0).hypot(sum(f64::sin))
    };
    (0..=count).map(|i| error(band * i as f64 / count as f64)).fold(0.0, f64::max)
}

/// Minimum of `f` on [0, end]: the best of equidistant values, refined by golden-section search.
fn minimum(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    const COUNT: usize = 64;
    let at = |i: usize| end * i as f64 / COUNT as f64;
    let values: Vec<f64> = (0..=COUNT).map(|i| f(at(i))).collect();
    let best = (0..=COUNT).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
    let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(COUNT)));
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..30 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if f(left) < f(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests;
