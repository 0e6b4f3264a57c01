//! Derivatives at groups of points: regular ones, and those with stencils folded at interfaces.

use craton_device::{Lanes, Scalar};

use super::row::{Group, groups};
use crate::layout::GROUP;

/// The rows that a derivative reads: above and below its points, from the middle outward.
pub struct Taps<'a, T, const L: usize> {
    pairs: [[&'a [Group<T>]; 2]; L],
}

impl<'a, T: Scalar, const L: usize> Taps<'a, T, L> {
    /// Creates the taps of a field whose values are `stride` apart, for `count` groups; `above` is the index of the value above the first point.
    #[inline(always)]
    pub fn new(source: &'a [T], above: usize, stride: usize, count: usize) -> Self {
        let mut pairs: [[&[Group<T>]; 2]; L] = [[&[]; 2]; L];
        for (m, pair) in pairs.iter_mut().enumerate() {
            *pair = [groups(source, above + m * stride, count), groups(source, above - (m + 1) * stride, count)];
        }
        Self { pairs }
    }

    /// The derivative Σ c_m (f(i + m) - f(i - m)).
    #[inline(always)]
    pub fn slope<V: Lanes<Scalar = T>>(&self, coefficients: &[V; L], group: usize, lane: usize) -> V {
        let mut sum = V::constant(0.0);
        for m in 0..L {
            let [above, below] = self.at::<V>(m, group, lane);
            sum = if m == 0 { coefficients[m] * (above - below) } else { coefficients[m].mul_add(above - below, sum) };
        }
        sum
    }

    /// The same at all points of `slopes.len()` groups. With one derivative at a time, the addresses of all rows stay in registers.
    #[inline(always)]
    pub fn slopes<V: Lanes<Scalar = T>>(&self, coefficients: &[V; L], slopes: &mut [Group<T>]) {
        for group in 0..slopes.len() {
            for lane in (0..GROUP).step_by(V::COUNT) {
                self.slope(coefficients, group, lane).store(&mut slopes[group], lane);
            }
        }
    }

    /// The derivative Σ p_m (f(i + m) - f(i - m)) + q_m f(i + m) + r_m f(i - m), with separate coefficients for each lane. Lanes of regular points, with
    /// p = c and q = r = 0, are bit-identical to those of [`slope`](Self::slope).
    #[inline(always)]
    pub fn folded_slopes<V: Lanes<Scalar = T>>(&self, folded: &[T], group: usize, slopes: &mut Group<T>) {
        let (folded, _) = folded.as_chunks::<GROUP>();
        for lane in (0..GROUP).step_by(V::COUNT) {
            let mut sum = V::constant(0.0);
            for (m, coefficients) in folded.as_chunks::<3>().0[..L].iter().enumerate() {
                let [above, below] = self.at::<V>(m, group, lane);
                let [p, q, r] = [&coefficients[0], &coefficients[1], &coefficients[2]];
                let p = V::load(p, lane);
                sum = if m == 0 { p * (above - below) } else { p.mul_add(above - below, sum) };
                sum = V::load(r, lane).mul_add(below, V::load(q, lane).mul_add(above, sum));
            }
            sum.store(slopes, lane);
        }
    }

    #[inline(always)]
    fn at<V: Lanes<Scalar = T>>(&self, m: usize, group: usize, lane: usize) -> [V; 2] {
        let [above, below] = self.pairs[m];
        [V::load(&above[group], lane), V::load(&below[group], lane)]
    }
}
