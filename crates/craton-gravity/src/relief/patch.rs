//! The surface over a quarter of a column: a bicubic polynomial.

use craton_device::Lanes;

use super::axis::{Interval, WIDTH};

/// A bicubic polynomial in the offsets from a point.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    /// Coefficients of u^a v^b, `[b][a]`.
    coefficients: [[f64; 4]; 4],
    /// u and v are the offset times the second number plus the first.
    local: [[f64; 2]; 2],
    /// Bounds of the height.
    range: [f64; 2],
}

impl Patch {
    /// The polynomial of a cell, with heights and positions relative to a point.
    ///
    /// # Arguments
    /// * `heights` – all heights of the grid, x fastest; `count` – number of points along x
    #[inline(always)]
    pub fn new([x, y]: [&Interval; 2], heights: &[f64], [count, rows]: [usize; 2], point: &[f64; 3]) -> Self {
        let mut along = [[0.0; 4]; WIDTH];
        for (row, along) in along.iter_mut().enumerate().take(rows) {
            let start = (y.first + row) * count + x.first;
            for (a, sum) in along.iter_mut().enumerate() {
                *sum = (0..count.min(WIDTH)).map(|at| x.weights[a][at] * (heights[start + at] - point[2])).sum();
            }
        }
        let mut coefficients = [[0.0; 4]; 4];
        for (b, row) in coefficients.iter_mut().enumerate() {
            for (a, sum) in row.iter_mut().enumerate() {
                *sum = (0..rows.min(WIDTH)).map(|at| y.weights[b][at] * along[at][a]).sum();
            }
        }
        let local = [(x, point[0]), (y, point[1])].map(|(axis, place)| {
            let over = 1.0 / axis.length;
            [(place - axis.origin) * over, over]
        });
        Self { coefficients, local, range: [f64::NEG_INFINITY, f64::INFINITY] }
    }

    /// The same surface with its height clamped to bounds.
    #[inline(always)]
    pub fn within(self, range: [f64; 2], point: &[f64; 3]) -> Self {
        Self { range: range.map(|bound| bound - point[2]), ..self }
    }

    /// A level surface.
    pub fn level(height: f64) -> Self {
        let mut coefficients = [[0.0; 4]; 4];
        coefficients[0][0] = height;
        Self { coefficients, local: [[0.0; 2]; 2], range: [f64::NEG_INFINITY, f64::INFINITY] }
    }

    /// Height, and slopes along x and y, at offsets from the point [m].
    #[inline(always)]
    pub fn at<V: Lanes<Scalar = f64>>(&self, x: V, y: V) -> [V; 3] {
        let s = V::splat;
        let u = s(self.local[0][1]).mul_add(x, s(self.local[0][0]));
        let v = s(self.local[1][1]).mul_add(y, s(self.local[1][0]));
        let (two, three) = (V::constant(2.0), V::constant(3.0));
        let zero = V::constant(0.0);
        let (mut height, mut along, mut across) = (zero, zero, zero);
        for row in self.coefficients.iter().rev() {
            let [c0, c1, c2, c3] = row.map(V::splat);
            let value = c3.mul_add(u, c2).mul_add(u, c1).mul_add(u, c0);
            let slope = (three * c3).mul_add(u, two * c2).mul_add(u, c1);
            across = across.mul_add(v, height);
            height = height.mul_add(v, value);
            along = along.mul_add(v, slope);
        }
        // Where the height is clamped, the surface is level.
        let [low, high] = self.range.map(V::splat);
        let clamped = height.max(low).min(high);
        let off = (clamped - height).abs();
        let of = |slope: V, scale: f64| V::select_less(zero, off, zero, slope * s(scale));
        [clamped, of(along, self.local[0][1]), of(across, self.local[1][1])]
    }

    /// Height and slopes at one place.
    #[inline(always)]
    pub fn one(&self, x: f64, y: f64) -> [f64; 3] {
        let u = self.local[0][1] * x + self.local[0][0];
        let v = self.local[1][1] * y + self.local[1][0];
        let (mut height, mut along, mut across) = (0.0, 0.0, 0.0);
        for [c0, c1, c2, c3] in self.coefficients.into_iter().rev() {
            across = across * v + height;
            height = height * v + (c0 + u * (c1 + u * (c2 + u * c3)));
            along = along * v + (c1 + u * (2.0 * c2 + u * 3.0 * c3));
        }
        let clamped = height.clamp(self.range[0], self.range[1]);
        if clamped == height {
            [height, along * self.local[0][1], across * self.local[1][1]]
        } else {
            [clamped, 0.0, 0.0]
        }
    }
}
