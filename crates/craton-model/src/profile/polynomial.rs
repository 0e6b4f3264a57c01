//! Cubic polynomials and their ranges.

/// c₀ + c₁ x + c₂ x² + c₃ x³.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial(pub [f64; 4]);

impl Polynomial {
    /// Creates a constant polynomial.
    pub const fn constant(value: f64) -> Self {
        Self([value, 0.0, 0.0, 0.0])
    }

    /// Value at x.
    pub fn value(&self, x: f64) -> f64 {
        let [c0, c1, c2, c3] = self.0;
        c0 + x * (c1 + x * (c2 + x * c3))
    }

    /// Whether the polynomial is constant.
    pub(crate) fn is_constant(&self) -> bool {
        self.0[1..].iter().all(|c| *c == 0.0)
    }

    /// Minimum and maximum between two arguments: at the ends, or where the derivative vanishes. Verified by
    /// `a_cubic_can_be_extreme_inside`.
    pub(crate) fn range(&self, from: f64, to: f64) -> [f64; 2] {
        let [low, high] = [from.min(to), from.max(to)];
        let ends = [low, high].map(|x| self.value(x));
        let inside = self.turning_points().into_iter().filter(|x| (low..=high).contains(x)).map(|x| self.value(x));
        let start = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        inside.fold(start, |[least, greatest], value| [least.min(value), greatest.max(value)])
    }

    /// Upper bound of the deviation from the straight line between two arguments: (Δx)²/8 times the largest second derivative, which is at
    /// an end. Verified by `a_cubic_deviates_less_than_its_bound`.
    pub(crate) fn sag(&self, from: f64, to: f64) -> f64 {
        let bend = |x: f64| (2.0 * self.0[2] + 6.0 * self.0[3] * x).abs();
        0.125 * (to - from) * (to - from) * bend(from).max(bend(to))
    }

    /// Roots of c₁ + 2 c₂ x + 3 c₃ x²; NaN or infinite where there is none.
    fn turning_points(&self) -> [f64; 2] {
        let [_, c, b, a] = self.0;
        // To avoid cancellation, compute one root from the sum, the other from the product of both.
        let sum = -(b + (b * b - 3.0 * a * c).sqrt().copysign(b));
        [sum / (3.0 * a), c / sum]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_deviates_less_than_its_bound() {
        for polynomial in
            [[1.0, -3.0, 0.0, 1.0], [5.0, 2.0, -4.0, 0.5], [5.0, 2.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0]].map(Polynomial)
        {
            for [from, to] in [[-1.0, 0.5], [0.5, 0.9], [1.0, 0.0]] {
                let ends = [polynomial.value(from), polynomial.value(to)];
                let off = |t: f64| (polynomial.value(from + t * (to - from)) - ends[0] - t * (ends[1] - ends[0])).abs();
                let most = (0..=100).map(|k| off(f64::from(k) / 100.0)).fold(0.0, f64::max);
                let sag = polynomial.sag(from, to);
                assert!(most <= sag + 1e-15 && sag <= 6.0 * most + 1e-14, "{polynomial:?}: {most} {sag}");
            }
        }
    }

    #[test]
    fn a_cubic_can_be_extreme_inside() {
        let cases = [
            [1.0, -3.0, 0.0, 1.0],
            [5.0, 2.0, -4.0, 0.0],
            [5.0, 2.0, 0.0, 0.0],
            [7.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 1.0],
            [25.1486, -41.1538, 51.9932, -26.6083],
            [1.0, 0.0, 2.0, 0.0],
        ];
        for (polynomial, [from, to]) in
            cases.into_iter().flat_map(|c| [(Polynomial(c), [-2.0, 1.5]), (Polynomial(c), [0.5, 0.9])])
        {
            let [least, greatest] = polynomial.range(from, to);
            let values: Vec<f64> =
                (0..=1000).map(|k| polynomial.value(from + (to - from) * f64::from(k) / 1000.0)).collect();
            let seen = values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], &v| [a.min(v), b.max(v)]);
            // A thousand samples miss an extreme by less than the curvature (30 to 210) times (3.5e-3)² / 8.
            let slack = 1e-4 * (1.0 + polynomial.0[3].abs());
            assert!(least <= seen[0] + 1e-13 && least > seen[0] - slack, "{polynomial:?}: {least} {seen:?}");
            assert!(greatest >= seen[1] - 1e-13 && greatest < seen[1] + slack, "{polynomial:?}: {greatest} {seen:?}");
            assert_eq!(polynomial.range(to, from), [least, greatest]);
        }
        assert_eq!(Polynomial([1.0, -3.0, 0.0, 1.0]).range(-1.5, 1.5), [-1.0, 3.0]);
    }
}
