//! Derivatives next to a flat interface: the closure of a staggered stencil.
//!
//! On one side of the interface, at distances in units of the spacing, the whole points are i = 0, 1, 2 ... and the half points n + 1/2; the interface
//! is at 0. The points have quadrature weights W_i and H_n, which are one away from the interface. With one matrix A, the derivatives
//!
//! ```text
//! at half points   G = H⁻¹ A        at whole points   D = -W⁻¹ Aᵀ
//! ```
//!
//! satisfy summation by parts: Σ H s (G v) + Σ W v (D s) is the work at the interface, s v at 0, for an accurate extrapolation of s. The
//! discrete energy, in which every value counts with the weights of its point, is therefore conserved. Both sides of an interface between two media
//! share the point 0, whose weight is the sum of two; the continuity of traction then holds by itself.
//!
//! A is that of the regular stencil, except in the first rows. There it and the weights are determined by least squares: G and D are exact for linear
//! functions, and have small errors for quadratic and cubic ones. Of all errors those of the weights matter most for the speed of waves along the
//! interface, because they perturb the energy of the whole wave: unit weights integrate with an error of h²/12 times the slope at the interface,
//! whatever the coefficients, which slows down Rayleigh and Scholte waves in schemes with folded stencils. The weights here integrate
//! decaying and oscillating exponentials, the shapes of waves along and across the interface, as accurately as the stable time step of the regular
//! stencil permits.
//!
//! # Source
//! The principle is that of summation-by-parts operators on staggered grids: O'Reilly, Lundquist, Dunham & Nordström (2017), Journal of Computational
//! Physics 346, 572-589. The coefficients are computed here, for stencils of any length and kind, and only from points that the regular stencil reads.

use crate::linear::least_squares;

/// Weights of the errors of derivatives of x²/2 and x³/6.
const DERIVATIVES: [f64; 2] = [1.0, 0.3];
/// Rates of the exponentials that the weights integrate [1/h]: energies of waves with at least ten points per wavelength.
const RATES: [f64; 4] = [0.3, 0.6, 0.9, 1.2];
/// Weights of the errors of these integrals. The first one that does not shorten the stable time step is used.
const INTEGRALS: [f64; 7] = [20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.0];
/// Relative weights of oscillating exponentials and of linear functions.
const OSCILLATION: f64 = 0.25;
const LINEAR: f64 = 5.0;
/// Weight of the deviation from the folded stencil, which limits the coefficients.
const DEVIATION: f64 = 0.3;

/// The closure of a stencil, for the side above an interface; the mirror image holds for the side below.
#[derive(Debug, Clone)]
pub struct Closure {
    /// Coefficients of the regular stencil.
    c: Vec<f64>,
    /// The first rows of A: `[n][i]`.
    rows: Vec<Vec<f64>>,
    /// Weights of the first half points.
    half: Vec<f64>,
    /// Weights of the first whole points; that of the interface is for one side.
    whole: Vec<f64>,
}

/// An unknown of the least-squares problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// A at half point n and whole point i.
    Entry(usize, usize),
    /// Weight of a half point.
    Half(usize),
    /// Weight of a whole point.
    Whole(usize),
}

/// Coefficients of the unknowns in an equation, and its right-hand side.
type Equation = (Vec<(Unknown, f64)>, f64);

impl Closure {
    /// Computes the closure of a stencil; `None` for half-length 1, which has too few coefficients.
    pub fn new(c: &[f64]) -> Option<Self> {
        if c.len() < 2 {
            return None;
        }
        // Optimised stencils differentiate linear functions with a small error, which the closure repeats.
        let slope: f64 = (1..).zip(c).map(|(m, c)| f64::from(2 * m - 1) * c).sum();
        let scaled: Vec<f64> = c.iter().map(|c| c / slope).collect();
        let problem = Problem { c: &scaled, rows: (c.len() - 1).max(4) };
        let absolute: f64 = c.iter().map(|c| c.abs()).sum();
        let mut candidates = INTEGRALS.iter().map(|&integrals| Self::of(c, slope, &problem, integrals));
        candidates.find(|closure| closure.is_positive() && closure.radius() <= 2.0 * absolute)
    }

    /// The closure with a weight of the errors of integrals.
    fn of(c: &[f64], slope: f64, problem: &Problem, integrals: f64) -> Self {
        let value = problem.solve(integrals);
        let rows = (0..problem.rows).map(|n| {
            let entry = |i| if problem.is_entry(n, i) { slope * value(Unknown::Entry(n, i)) } else { 0.0 };
            (0..problem.columns()).map(entry).collect()
        });
        Self {
            rows: rows.collect(),
            half: (0..problem.rows).map(|n| value(Unknown::Half(n))).collect(),
            whole: (0..problem.columns()).map(|i| value(Unknown::Whole(i))).collect(),
            c: c.to_vec(),
        }
    }

    fn is_positive(&self) -> bool {
        self.half.iter().chain(&self.whole).all(|&weight| weight > 0.0)
    }

    /// The largest singular value of H^(-1/2) A W^(-1/2), which limits the time step, by power iteration; that of the regular stencil is 2 Σ|c|.
    fn radius(&self) -> f64 {
        let (count, reach) = (4 * self.depth(), self.c.len());
        // The interface has the mass of one side.
        let mass = |i: usize| if i == 0 { 0.5 * self.whole_weight(0) } else { self.whole_weight(i) };
        let entry = |n: usize, i: usize| self.entry(n, i) / (self.half_weight(n) * mass(i)).sqrt();
        let near = |n: usize| n.saturating_sub(reach)..(n + reach + 1).min(count);
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut v: Vec<f64> = (0..count).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } / (1 + i) as f64).collect();
        let mut radius = 0.0;
        for _ in 0..200 {
            let s: Vec<f64> = (0..count).map(|n| near(n).map(|i| entry(n, i) * v[i]).sum()).collect();
            let next: Vec<f64> = (0..count).map(|i| near(i).map(|n| entry(n, i) * s[n]).sum()).collect();
            let length = norm(&next);
            radius = (length / norm(&v)).sqrt();
            v = next.into_iter().map(|x| x / length).collect();
        }
        radius
    }

    /// Number of whole points, from the interface on, whose weights or derivatives differ from the regular ones.
    pub fn depth(&self) -> usize {
        self.whole.len()
    }

    /// Number of half points whose weights or derivatives differ from those of folded stencils, which are regular from L on.
    pub fn half_depth(&self) -> usize {
        self.half.len().max(self.c.len())
    }

    /// Weight of half point n [–].
    pub fn half_weight(&self, n: usize) -> f64 {
        self.half.get(n).copied().unwrap_or(1.0)
    }

    /// Weight of whole point i [–]; for the interface that of both sides together.
    pub fn whole_weight(&self, i: usize) -> f64 {
        let sides = if i == 0 { 2.0 } else { 1.0 };
        sides * self.whole.get(i).copied().unwrap_or(1.0)
    }

    /// Coefficients at half point n of the 2 L whole points around it, from n + 1 - L on.
    pub fn at_half(&self, n: usize) -> Vec<f64> {
        let half_length = self.c.len() as i64;
        let whole = |t: i64| usize::try_from(n as i64 + 1 - half_length + t).ok();
        let tap = |t| whole(t).map_or(0.0, |i| self.entry(n, i) / self.half_weight(n));
        (0..2 * half_length).map(tap).collect()
    }

    /// Coefficients at whole point i of the 2 L half points around it, from i - L on; at the interface the share of this side.
    pub fn at_whole(&self, i: usize) -> Vec<f64> {
        let half_length = self.c.len() as i64;
        let half = |t: i64| usize::try_from(i as i64 - half_length + t).ok();
        let tap = |t| half(t).map_or(0.0, |n| -self.entry(n, i) / self.whole_weight(i));
        (0..2 * half_length).map(tap).collect()
    }

    /// A at half point n and whole point i.
    fn entry(&self, n: usize, i: usize) -> f64 {
        self.rows.get(n).map_or_else(|| regular(&self.c, n, i), |row| row.get(i).copied().unwrap_or(0.0))
    }
}

/// A of the regular stencil.
fn regular(c: &[f64], n: usize, i: usize) -> f64 {
    if i > n { c.get(i - n - 1).copied().unwrap_or(0.0) } else { -c.get(n - i).copied().unwrap_or(0.0) }
}

/// The least-squares problem of a closure.
struct Problem<'a> {
    /// Coefficients of the stencil, exact for linear functions.
    c: &'a [f64],
    /// Number of rows of A that differ from the regular ones.
    rows: usize,
}

impl Problem<'_> {
    /// Number of whole points that these rows read.
    fn columns(&self) -> usize {
        self.rows + self.c.len()
    }

    /// Whether A is unknown at half point n and whole point i: the regular stencil reads no other points.
    fn is_entry(&self, n: usize, i: usize) -> bool {
        n < self.rows && i + self.c.len() > n && i <= n + self.c.len()
    }

    fn unknowns(&self) -> Vec<Unknown> {
        let entries = (0..self.rows).flat_map(|n| (0..self.columns()).map(move |i| (n, i)));
        let entries = entries.filter(|&(n, i)| self.is_entry(n, i)).map(|(n, i)| Unknown::Entry(n, i));
        let weights = (0..self.rows).map(Unknown::Half).chain((0..self.columns()).map(Unknown::Whole));
        entries.chain(weights).collect()
    }

    /// (Gf)(x_n) = f'(x_n) for f = (x - x_n)^m.
    fn at_half(&self, n: usize, m: i32) -> Equation {
        let entry = |i: usize| (Unknown::Entry(n, i), (i as f64 - n as f64 - 0.5).powi(m));
        let mut terms: Vec<_> = (0..self.columns()).filter(|&i| self.is_entry(n, i)).map(entry).collect();
        if m == 1 {
            terms.push((Unknown::Half(n), -1.0));
        }
        (terms, 0.0)
    }

    /// W (Df)(i) = W f'(i) for f = (x - i)^m; at the interface f(0) is added, the traction of this side.
    fn at_whole(&self, i: usize, m: i32) -> Equation {
        let (mut terms, mut right) = (Vec::new(), 0.0);
        for n in i.saturating_sub(self.c.len())..i + self.c.len() {
            let power = (n as f64 + 0.5 - i as f64).powi(m);
            match self.is_entry(n, i) {
                true => terms.push((Unknown::Entry(n, i), power)),
                false => right -= regular(self.c, n, i) * power,
            }
        }
        if m == 1 {
            terms.push((Unknown::Whole(i), 1.0));
        }
        (terms, if m == 0 && i == 0 { right - 1.0 } else { right })
    }

    /// The integrals of a function by the weights of the half points and of the whole points.
    ///
    /// # Arguments
    /// * `value` – of the function at a distance
    /// * `rest` – its integral minus its sum at all points from a distance on, where all weights are one
    fn integrals(&self, value: impl Fn(f64) -> f64, rest: impl Fn(f64) -> f64) -> [Equation; 2] {
        let of = |count: usize, first: f64, unknown: fn(usize) -> Unknown| {
            let term = |n: usize| (unknown(n), value(first + n as f64));
            ((0..count).map(term).collect(), rest(first + count as f64))
        };
        [of(self.rows, 0.5, Unknown::Half), of(self.columns(), 0.0, Unknown::Whole)]
    }

    /// Those of exponentials and of a linear function, with their weights. Oscillations and the linear function are integrated in the sense of Abel.
    fn all_integrals(&self) -> Vec<(Equation, f64)> {
        let mut all = Vec::new();
        for rate in RATES {
            let series = |x: f64| (-rate * x).exp() / (1.0 - (-rate).exp());
            all.extend(self.integrals(|x| (-rate * x).exp(), |x| 1.0 / rate - series(x)).map(|one| (one, 1.0)));
            let chord = 2.0 * (0.5 * rate).sin();
            let cosine = self.integrals(|x| (rate * x).cos(), |x| (rate * (x - 0.5)).sin() / chord);
            let sine = self.integrals(|x| (rate * x).sin(), |x| 1.0 / rate - (rate * (x - 0.5)).cos() / chord);
            all.extend(cosine.into_iter().chain(sine).map(|one| (one, OSCILLATION)));
        }
        let linear = self.integrals(|x| x, |x| 0.5 * (x - 0.5).powi(2) - 1.0 / 24.0);
        all.extend(linear.map(|one| (one, LINEAR)));
        all
    }

    /// The equations of all points for a power.
    fn equations(&self, m: i32) -> impl Iterator<Item = Equation> {
        let at_half = (0..self.rows).map(move |n| self.at_half(n, m));
        at_half.chain((0..self.columns()).map(move |i| self.at_whole(i, m)))
    }

    /// The value that an unknown has with folded stencils.
    fn folded(&self, unknown: Unknown) -> f64 {
        let entry = |n: usize, i: usize| {
            let ends = [n.min(self.c.len()) as u8, crate::stencil::reach(self.c.len()) as u8];
            let filter = crate::stencil::folded(self.c, ends, [crate::stencil::Image::None; 2]);
            // The filter acts on differences of adjacent whole points.
            let at = |place: i64| -> f64 { filter.iter().filter(|(q, _)| n as i64 + q == place).map(|(_, w)| w).sum() };
            at(i as i64 - 1) - at(i as i64)
        };
        match unknown {
            Unknown::Entry(n, i) => entry(n, i),
            Unknown::Half(_) => 1.0,
            Unknown::Whole(0) => 0.5,
            Unknown::Whole(_) => 1.0,
        }
    }

    /// Solves the problem.
    fn solve(&self, weight: f64) -> impl Fn(Unknown) -> f64 + use<> {
        let unknowns = self.unknowns();
        let dense = |(terms, right): Equation| {
            let mut row = vec![0.0; unknowns.len() + 1];
            for (unknown, value) in terms {
                row[unknowns.iter().position(|&other| other == unknown).expect("an unknown of the problem")] += value;
            }
            row[unknowns.len()] = right;
            row
        };
        let weighted = |(equation, weight): (Equation, f64)| -> Vec<f64> {
            dense(equation).into_iter().map(|value| weight * value).collect()
        };
        let [quadratic, cubic] = [DERIVATIVES[0] / 2.0, DERIVATIVES[1] / 6.0];
        let derivatives =
            self.equations(2).map(|one| (one, quadratic)).chain(self.equations(3).map(|one| (one, cubic)));
        let integrals = self.all_integrals().into_iter().map(|(one, factor)| (one, factor * weight));
        let deviation = unknowns.iter().map(|&unknown| ((vec![(unknown, 1.0)], self.folded(unknown)), DEVIATION));
        let exact = (0..2).flat_map(|m| self.equations(m)).map(dense).collect();
        let close: Vec<Vec<f64>> = derivatives.chain(integrals).chain(deviation).map(weighted).collect();
        let values = least_squares(exact, &close);
        move |unknown| values[unknowns.iter().position(|&other| other == unknown).expect("an unknown of the problem")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craton_numerics::staggered::StaggeredStencil;

    fn stencils() -> Vec<StaggeredStencil> {
        let holberg = [2, 3, 4, 6, 8].into_iter().flat_map(|l| [0.001, 0.01].map(|e| StaggeredStencil::holberg(l, e)));
        (2..=8).map(StaggeredStencil::taylor).chain(holberg).map(Result::unwrap).collect()
    }

    #[test]
    fn weights_are_positive_and_linear_functions_are_exact() {
        for stencil in stencils() {
            let c = stencil.coefficients();
            let slope: f64 = (1..).zip(c).map(|(m, c)| f64::from(2 * m - 1) * c).sum();
            let (closure, l) = (Closure::new(c).unwrap(), c.len() as f64);
            assert!(closure.half.iter().chain(&closure.whole).all(|&weight| weight > 0.3), "{closure:?}");
            for point in 0..closure.depth() {
                let x = |t: usize, first: f64| first + t as f64;
                let sum = |taps: Vec<f64>, first: f64, power: i32| -> f64 {
                    taps.iter().enumerate().map(|(t, tap)| tap * x(t, first).powi(power)).sum()
                };
                let n = point as f64;
                let at_half = [0, 1].map(|m| sum(closure.at_half(point), n + 1.0 - l, m));
                assert!(at_half[0].abs() < 1e-12 && (at_half[1] - slope).abs() < 1e-12, "{point}: {at_half:?}");
                let at_whole = [0, 1].map(|m| sum(closure.at_whole(point), n - l + 0.5, m));
                let weight = closure.whole_weight(point);
                // The interface point also carries the traction, here of one side of two.
                let expected = if point == 0 { [slope / weight, 0.5 * slope] } else { [0.0, slope] };
                let error = (0..2).map(|m| (at_whole[m] - expected[m]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-12, "{point}: {at_whole:?} {expected:?}");
            }
        }
    }

    #[test]
    fn weights_sum_up_to_the_length_of_the_line() {
        for stencil in stencils() {
            let closure = Closure::new(stencil.coefficients()).unwrap();
            let whole: f64 = closure.whole.iter().sum();
            let half: f64 = closure.half.iter().sum();
            assert!((whole - closure.depth() as f64 + 0.5).abs() < 1e-9, "{closure:?}");
            assert!((half - closure.half.len() as f64).abs() < 1e-9, "{closure:?}");
        }
    }
}
