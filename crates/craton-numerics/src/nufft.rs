//! Non-uniform fast Fourier transforms between uniform times and arbitrary frequencies, accurate to eleven digits.
//!
//! A sum over m of x_m e^{-i α m} at arbitrary angles α is interpolated from an oversampled FFT with a short window, after dividing the samples by the
//! transform of that window; the adjoint spreads instead of interpolating. The window is the Kaiser-Bessel pair
//!
//! ψ(g) = sinh(b √(w² - g²)) / (π √(w² - g²)) for |g| <= w grid cells,  ψ̂(m) = I₀(w √(b² - (2π m / R)²)),
//!
//! with b = π (2 - 1/σ) on a grid of R = σ M points, σ >= 2.
//!
//! # Source
//! Potts and Steidl (2003), SIAM Journal on Scientific Computing 24, 2013-2037; Fourmont (2003), Journal of Fourier Analysis and
//! Applications 9, 431-450.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::{ComplexToReal, RealPlanner, RealToComplex};

use crate::bessel::bessel_i0;

/// Half the width of the window in grid cells: the error is about e^{-2π w √(1 - 1/σ)} = 3e-12.
const HALF_WIDTH: usize = 6;
const WIDTH: usize = 2 * HALF_WIDTH;

/// A plan for fixed times m = 0, 1, ... `count - 1` and fixed angles α_k [rad per sample].
pub(crate) struct Nufft {
    count: usize,
    grid: usize,
    taps: Vec<Taps>,
    /// 1 / ψ̂ at each time.
    correction: Vec<f64>,
    to_spectrum: Arc<dyn RealToComplex<f64>>,
    to_times: Arc<dyn ComplexToReal<f64>>,
}

/// The window around one angle.
struct Taps {
    /// Grid point of the first weight, in 0..grid.
    first: usize,
    weights: [f64; WIDTH],
    /// e^{i α c}, c the middle time: times are counted from there, where the window's transform is largest.
    middle: Complex64,
}

impl Nufft {
    /// Plans the sums over `count >= 1` times at the given angles.
    pub(crate) fn new(count: usize, angles: &[f64]) -> Self {
        let grid = fast_even_length((2 * count).max(2 * WIDTH));
        let slope = PI * (2.0 - count as f64 / grid as f64);
        let half_width = HALF_WIDTH as f64;
        let taps = angles.iter().map(|&angle| Taps::new(angle, count / 2, grid, slope)).collect();
        let correction = (0..count)
            .map(|m| {
                let angle = TAU * (m as f64 - (count / 2) as f64) / grid as f64;
                1.0 / bessel_i0(half_width * (slope * slope - angle * angle).sqrt())
            })
            .collect();
        let mut planner = RealPlanner::new();
        let to_spectrum = planner.forward(grid);
        let to_times = planner.inverse(grid);
        Self { count, grid, taps, correction, to_spectrum, to_times }
    }

    /// X_k = Σ_m x_m e^{-i α_k m}.
    pub(crate) fn analyse(&self, samples: &[f64]) -> Vec<Complex64> {
        assert_eq!(samples.len(), self.count, "one sample per planned time");
        let mut times = self.to_spectrum.make_input_vec();
        for (m, (sample, correction)) in samples.iter().zip(&self.correction).enumerate() {
            times[self.slot(m)] = sample * correction;
        }
        let mut half = self.to_spectrum.make_output_vec();
        self.to_spectrum.process(&mut times, &mut half).expect("buffers come from the plan");
        self.taps
            .iter()
            .map(|taps| {
                let sum: Complex64 = taps
                    .points(self.grid)
                    .map(|(g, weight)| weight * if g <= self.grid / 2 { half[g] } else { half[self.grid - g].conj() })
                    .sum();
                sum * taps.middle.conj()
            })
            .collect()
    }

    /// x_m = Re Σ_k c_k e^{i α_k m}.
    pub(crate) fn synthesise(&self, coefficients: &[Complex64]) -> Vec<f64> {
        assert_eq!(coefficients.len(), self.taps.len(), "one coefficient per planned angle");
        let nyquist = self.grid / 2;
        // The real part of a sum over the full circle needs only half of it: a negative frequency is folded onto its conjugate.
        let mut half = self.to_times.make_input_vec();
        for (taps, coefficient) in self.taps.iter().zip(coefficients) {
            let value = 0.5 * coefficient * taps.middle;
            for (g, weight) in taps.points(self.grid) {
                if g <= nyquist {
                    half[g] += weight * value;
                } else {
                    half[self.grid - g] += weight * value.conj();
                }
            }
        }
        for end in [0, nyquist] {
            half[end] = Complex64::new(2.0 * half[end].re, 0.0);
        }
        let mut times = self.to_times.make_output_vec();
        self.to_times.process(&mut half, &mut times).expect("buffers come from the plan");
        self.correction.iter().enumerate().map(|(m, correction)| times[self.slot(m)] * correction).collect()
    }

    /// Position of time m on the periodic grid, counted from the middle time.
    fn slot(&self, m: usize) -> usize {
        (m + self.grid - self.count / 2) % self.grid
    }
}

impl Taps {
    fn new(angle: f64, middle: usize, grid: usize, slope: f64) -> Self {
        let centre = angle * grid as f64 / TAU;
        let first = (centre - HALF_WIDTH as f64).ceil();
        let weights = std::array::from_fn(|tap| {
            let distance = first + tap as f64 - centre;
            let root = ((HALF_WIDTH * HALF_WIDTH) as f64 - distance * distance).max(0.0).sqrt();
            if root > 0.0 { (slope * root).sinh() / (PI * root) } else { slope / PI }
        });
        let first = first.rem_euclid(grid as f64) as usize;
        Self { first, weights, middle: Complex64::cis(angle * middle as f64) }
    }

    /// Grid points under the window with their weights.
    fn points(&self, grid: usize) -> impl Iterator<Item = (usize, f64)> {
        self.weights.iter().enumerate().map(move |(tap, &weight)| {
            let g = self.first + tap;
            (if g < grid { g } else { g - grid }, weight)
        })
    }
}

/// The smallest even number not below `min` whose prime factors are 2, 3 and 5.
pub(crate) fn fast_even_length(min: usize) -> usize {
    let smooth = |mut n: usize| {
        for prime in [2, 3, 5] {
            while n.is_multiple_of(prime) {
                n /= prime;
            }
        }
        n == 1
    };
    (min.max(2)..).find(|&n| n.is_multiple_of(2) && smooth(n)).expect("powers of two are unbounded")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            })
            .collect()
    }

    fn relative_error(fast: &[Complex64], exact: &[Complex64]) -> f64 {
        let error: f64 = fast.iter().zip(exact).map(|(a, b)| (a - b).norm_sqr()).sum();
        (error / exact.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
    }

    #[test]
    fn fast_sums_equal_plain_sums_to_ten_digits() {
        for count in [1, 2, 7, 100, 301] {
            // Angles beyond π are valid too: the grid is periodic.
            let angles: Vec<f64> = noise(97, 3).iter().map(|x| 4.0 * (x + 1.0)).chain([0.0, PI, 0.5]).collect();
            let plan = Nufft::new(count, &angles);
            let samples = noise(count, 5);
            let exact: Vec<Complex64> = angles
                .iter()
                .map(|a| samples.iter().enumerate().map(|(m, x)| x * Complex64::cis(-a * m as f64)).sum())
                .collect();
            let error = relative_error(&plan.analyse(&samples), &exact);
            assert!(error < 1e-10, "analysis of {count}: {error:e}");

            let coefficients: Vec<Complex64> =
                noise(200, 9).chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect();
            let exact: Vec<Complex64> = (0..count)
                .map(|m| {
                    let sum: Complex64 =
                        angles.iter().zip(&coefficients).map(|(a, c)| c * Complex64::cis(a * m as f64)).sum();
                    sum.re.into()
                })
                .collect();
            let fast: Vec<Complex64> = plan.synthesise(&coefficients).into_iter().map(Complex64::from).collect();
            let error = relative_error(&fast, &exact);
            assert!(error < 1e-10, "synthesis of {count}: {error:e}");
        }
    }

    #[test]
    fn fast_lengths_are_even_and_smooth() {
        assert_eq!([1, 7, 8, 31, 10_001].map(fast_even_length), [2, 8, 8, 32, 10_240]);
    }
}
