//! Scalar fields on regular rasters: interpolation, contours and relief shading.

use crate::error::{Error, Result};
use crate::trace::checked_range;

/// A scalar field on a regular raster of points.
#[derive(Clone, Copy, Debug)]
pub struct Raster<'a> {
    /// Number of points along x and y.
    pub size: [usize; 2],
    /// Positions of the first and the last point along x \[m\].
    pub x: [f64; 2],
    /// Positions of the first and the last point along y \[m\].
    pub y: [f64; 2],
    /// Values, x fastest: point (i, j) is at `i + size[0] * j`. NaN marks missing values, such as above the topography.
    pub values: &'a [f64],
}

impl Raster<'_> {
    /// Checks that the raster is consistent.
    ///
    /// # Errors
    /// `Error::Length`, `Error::Range`, `Error::NotFinite` for infinite values, `Error::Nothing` if no value is finite
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        let expected = self.size[0] * self.size[1];
        if self.size.iter().any(|&count| count < 2) || self.values.len() != expected {
            return Err(Error::Length {
                what: format!("{name} of {} x {} points (at least 2 x 2)", self.size[0], self.size[1]),
                found: self.values.len(),
                expected: expected.max(4),
            });
        }
        checked_range("x of a raster", self.x)?;
        checked_range("y of a raster", self.y)?;
        if let Some(index) = self.values.iter().position(|value| value.is_infinite()) {
            return Err(Error::NotFinite { what: name.to_owned(), index, value: self.values[index] });
        }
        if self.values.iter().all(|value| value.is_nan()) {
            return Err(Error::Nothing { what: "values of the raster" });
        }
        Ok(())
    }

    /// Finite values.
    pub(crate) fn present(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().filter(|value| !value.is_nan())
    }

    /// Spacing along x and y \[m\].
    pub(crate) fn spacing(&self) -> [f64; 2] {
        let along = |[low, high]: [f64; 2], count: usize| (high - low) / (count - 1) as f64;
        [along(self.x, self.size[0]), along(self.y, self.size[1])]
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.values[i + self.size[0] * j]
    }

    /// Value of the nearest point; `None` if it is NaN.
    pub(crate) fn nearest(&self, x: f64, y: f64) -> Option<f64> {
        let [dx, dy] = self.spacing();
        let index = |place: f64, count: usize| place.round().clamp(0.0, (count - 1) as f64) as usize;
        let value = self.value(index((x - self.x[0]) / dx, self.size[0]), index((y - self.y[0]) / dy, self.size[1]));
        (!value.is_nan()).then_some(value)
    }

    /// Bilinear interpolation, with constant extrapolation; `None` if the nearest point is NaN.
    pub(crate) fn at(&self, x: f64, y: f64) -> Option<f64> {
        let [dx, dy] = self.spacing();
        let split = |place: f64, count: usize| {
            let place = place.clamp(0.0, (count - 1) as f64);
            let below = (place as usize).min(count - 2);
            (below, place - below as f64)
        };
        let (i, u) = split((x - self.x[0]) / dx, self.size[0]);
        let (j, v) = split((y - self.y[0]) / dy, self.size[1]);
        let corners = [
            (self.value(i, j), (1.0 - u) * (1.0 - v)),
            (self.value(i + 1, j), u * (1.0 - v)),
            (self.value(i, j + 1), (1.0 - u) * v),
            (self.value(i + 1, j + 1), u * v),
        ];
        let nearest = usize::from(u >= 0.5) + 2 * usize::from(v >= 0.5);
        if corners[nearest].0.is_nan() {
            return None;
        }
        let present = corners.iter().filter(|(value, _)| !value.is_nan());
        let (sum, weight) =
            present.fold((0.0, 0.0), |(sum, all), (value, weight)| (sum + value * weight, all + weight));
        Some(sum / weight)
    }

    /// Segments of the contour at `level`.
    ///
    /// Crossings are interpolated linearly along the sides of each cell. At a saddle, the bilinear field (which is what is drawn) decides: two opposite corners
    /// are connected if the value at the saddle point is on their side of the level.
    pub(crate) fn contour(&self, level: f64) -> Vec<[[f64; 2]; 2]> {
        let [dx, dy] = self.spacing();
        let mut pieces = Vec::new();
        for j in 0..self.size[1] - 1 {
            for i in 0..self.size[0] - 1 {
                // Corners in order: south-west, south-east, north-east, north-west.
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let heights = corners.map(|(i, j)| self.value(i, j) - level);
                let places = corners.map(|(i, j)| [self.x[0] + i as f64 * dx, self.y[0] + j as f64 * dy]);
                pieces.extend(cut(heights, places));
            }
        }
        pieces
    }

    /// Slope along x and y at a point, by central differences over one spacing.
    fn slope(&self, x: f64, y: f64) -> [f64; 2] {
        let [dx, dy] = self.spacing();
        let difference =
            |ahead: [f64; 2], behind: [f64; 2]| match (self.at(ahead[0], ahead[1]), self.at(behind[0], behind[1])) {
                (Some(a), Some(b)) => a - b,
                _ => 0.0,
            };
        [difference([x + dx, y], [x - dx, y]) / (2.0 * dx), difference([x, y + dy], [x, y - dy]) / (2.0 * dy)]
    }
}

/// Contour segments in one cell, from the values of its corners relative to the level; empty if a corner is NaN.
fn cut(heights: [f64; 4], places: [[f64; 2]; 4]) -> Vec<[[f64; 2]; 2]> {
    if heights.iter().any(|height| height.is_nan()) {
        return Vec::new();
    }
    let high = heights.map(|height| height > 0.0);
    let crossings: Vec<[f64; 2]> = (0..4)
        .filter(|&side| high[side] != high[(side + 1) % 4])
        .map(|side| {
            let next = (side + 1) % 4;
            let part = heights[side] / (heights[side] - heights[next]);
            [0, 1].map(|axis| places[side][axis] + part * (places[next][axis] - places[side][axis]))
        })
        .collect();
    match crossings[..] {
        [a, b] => vec![[a, b]],
        [a, b, c, d] => {
            // At its saddle point the field is (h0 h2 − h1 h3) / (h0 + h2 − h1 − h3), whose divisor has the sign of h0.
            if heights[0] * heights[2] > heights[1] * heights[3] { vec![[a, b], [c, d]] } else { vec![[a, d], [b, c]] }
        }
        _ => Vec::new(),
    }
}

/// Relief shading by light from the north-west at an elevation of 45 degrees.
pub(crate) struct Hillshade<'a> {
    relief: Raster<'a>,
    exaggeration: f64,
}

impl<'a> Hillshade<'a> {
    /// Exaggerates gentle reliefs until their slopes are visible.
    pub(crate) fn new(relief: Raster<'a>) -> Self {
        const WANTED_SLOPE: f64 = 0.45;
        let [dx, dy] = relief.spacing();
        let mut sum = 0.0;
        for j in 0..relief.size[1] {
            for i in 0..relief.size[0] {
                let slope = relief.slope(relief.x[0] + i as f64 * dx, relief.y[0] + j as f64 * dy);
                sum += slope[0] * slope[0] + slope[1] * slope[1];
            }
        }
        let typical = (sum / relief.values.len() as f64).sqrt();
        let exaggeration = if typical > 0.0 { (WANTED_SLOPE / typical).max(1.0) } else { 1.0 };
        Self { relief, exaggeration }
    }

    /// Illumination of a point: 1 on level ground, more on slopes facing north-west.
    pub(crate) fn light(&self, x: f64, y: f64) -> f64 {
        const STRENGTH: f64 = 0.55;
        let slope = self.relief.slope(x, y).map(|slope| slope * self.exaggeration);
        let length = (1.0 + slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
        // The direction of the light is (−1/2, 1/2, 1/√2); level ground receives 1/√2.
        let sun = std::f64::consts::FRAC_1_SQRT_2;
        let received = (0.5 * slope[0] - 0.5 * slope[1] + sun) / length;
        1.0 + STRENGTH * (received - sun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(values: &[f64]) -> Raster<'_> {
        Raster { size: [3, 2], x: [0.0, 20.0], y: [0.0, 10.0], values }
    }

    #[test]
    fn values_between_points_are_bilinear() {
        let raster = ramp(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert_eq!(raster.at(5.0, 0.0), Some(0.5));
        assert_eq!(raster.at(15.0, 5.0), Some(6.5));
        assert_eq!(raster.at(-99.0, 99.0), Some(10.0));
    }

    #[test]
    fn the_nearest_point_is_found_outside_too() {
        let raster = ramp(&[0.0, 1.0, f64::NAN, 10.0, 11.0, 12.0]);
        assert_eq!(raster.nearest(14.0, 4.0), Some(1.0));
        assert_eq!(raster.nearest(99.0, 99.0), Some(12.0));
        assert_eq!(raster.nearest(16.0, 4.0), None);
    }

    #[test]
    fn the_nearest_value_of_a_gap_is_none() {
        let raster = ramp(&[0.0, 1.0, f64::NAN, 0.0, 1.0, f64::NAN]);
        assert_eq!(raster.at(19.0, 5.0), None);
        assert_eq!(raster.at(14.0, 5.0), Some(1.0));
    }

    #[test]
    fn contour_lies_where_the_value_is() {
        let raster = ramp(&[0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
        let pieces = raster.contour(0.25);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].iter().all(|point| (point[0] - 2.5).abs() < 1e-12));
    }

    #[test]
    fn saddles_follow_the_bilinear_field() {
        // 4 above the level in the south-west and 1 in the north-east; with 2.2 below it in the other corners the saddle
        // point lies below the level, though the mean of the corners lies above.
        for sign in [1.0, -1.0] {
            for (low, joined) in [(-1.5, true), (-2.2, false)] {
                let values = [4.0, low, low, 1.0].map(|height| 7.0 + sign * height);
                let raster = Raster { size: [2, 2], x: [0.0, 1.0], y: [0.0, 1.0], values: &values };
                let pieces = raster.contour(7.0);
                assert_eq!(pieces.len(), 2);
                for [from, to] in pieces {
                    // A segment around the south-east or north-west corner does not cross the diagonal.
                    let sides = [from, to].map(|[x, y]| x - y);
                    assert_eq!(sides[0] * sides[1] > 0.0, joined, "{sign} {low} {from:?} {to:?}");
                    for [x, y] in [from, to] {
                        assert!((raster.at(x, y).unwrap() - 7.0).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn slopes_towards_the_north_west_are_light() {
        // Height increases to the south-east, so the slope faces north-west.
        let relief = ramp(&[10.0, 20.0, 30.0, 0.0, 10.0, 20.0]);
        assert!(Hillshade::new(relief).light(10.0, 5.0) > 1.1);
        let relief = ramp(&[20.0, 10.0, 0.0, 30.0, 20.0, 10.0]);
        assert!(Hillshade::new(relief).light(10.0, 5.0) < 0.8);
        let level = ramp(&[5.0; 6]);
        assert_eq!(Hillshade::new(level).light(3.0, 3.0), 1.0);
    }

    #[test]
    fn rasters_that_do_not_fit_are_refused() {
        assert!(matches!(ramp(&[0.0; 5]).check("field"), Err(Error::Length { found: 5, expected: 6, .. })));
        let hot = [0.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0];
        assert!(matches!(ramp(&hot).check("field"), Err(Error::NotFinite { index: 2, .. })));
        assert!(matches!(ramp(&[f64::NAN; 6]).check("field"), Err(Error::Nothing { .. })));
    }
}
