//! Coefficients of moduli that do not relax equally at all points: strain concentrates where they relax most.

use std::f64::consts::TAU;

use craton_physics::{Relaxation, eliminate};

use crate::attenuation::{Attenuation, Coefficients, MOST_MECHANISMS, NEARLY_ELASTIC};

/// Number of frequencies at which concentrated relaxation is fitted.
const FREQUENCIES: usize = 24;
/// Weight of the scaled coefficients in the fit of concentrated relaxation \[–\].
const RIDGE: f64 = 1e-6;

/// A mechanism of a modulus at the points of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointMechanism {
    /// Relaxation rate [rad/s].
    pub rate: f64,
    /// Coefficient as a polynomial of the loss: factors of 1/Q, 1/Q², 1/Q³ \[–\].
    pub polynomial: [f64; 3],
}

/// Points of a grid that have one mechanism each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pattern<'a> {
    /// Fraction of the points that have each mechanism \[–\].
    pub shares: &'a [f64],
    /// How strain concentrates at points that have relaxed more than others.
    pub concentration: Concentration,
}

/// How strain concentrates at soft points among stiff ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Concentration {
    /// In a solid. To second order, all points together relax by the mean of their relaxed parts plus this factor times their variance \[–\].
    Solid(f64),
    /// In a fluid. All points have the same pressure, so their modulus is the harmonic mean.
    Fluid,
}

impl Pattern<'_> {
    /// What all points together relax beyond the mean: real and imaginary part.
    ///
    /// # Arguments
    /// * `own` – relaxed part of the modulus at the points of each mechanism
    fn excess(&self, own: &[[f64; 2]]) -> [f64; 2] {
        let mean_of = |value: &dyn Fn([f64; 2]) -> [f64; 2]| {
            own.iter().zip(self.shares).fold([0.0; 2], |sum, (own, share)| {
                let [re, im] = value(*own);
                [sum[0] + share * re, sum[1] + share * im]
            })
        };
        let square = |[re, im]: [f64; 2]| [re * re - im * im, 2.0 * re * im];
        let inverse = |[re, im]: [f64; 2]| [re / (re * re + im * im), -im / (re * re + im * im)];
        let mean = mean_of(&|own| own);
        match self.concentration {
            Concentration::Solid(factor) => {
                let (squares, of_mean) = (mean_of(&square), square(mean));
                [0, 1].map(|part| factor * (squares[part] - of_mean[part]))
            }
            Concentration::Fluid => {
                let [re, im] = inverse(mean_of(&|[re, im]| inverse([1.0 - re, -im])));
                [1.0 - re - mean[0], -im - mean[1]]
            }
        }
    }
}

/// A least-squares fit of coefficients in the band, with real and imaginary parts of equal weight. Its matrix is inverted once, because every point of a model
/// needs a fit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reduction {
    /// Relaxed parts of mechanisms with a coefficient of 1, at each frequency.
    shapes: Vec<Vec<[f64; 2]>>,
    /// Inverse of the matrix of the normal equations.
    inverse: Vec<Vec<f64>>,
    ridge: f64,
}

impl Reduction {
    pub(crate) fn new(relaxation: &Relaxation) -> Self {
        let rates = relaxation.rates();
        let shapes: Vec<_> = frequencies(relaxation.band()).map(|omega| shapes_of(rates, omega)).collect();
        let product = |p: usize, q: usize| -> f64 {
            shapes.iter().map(|shapes| shapes[p][0] * shapes[q][0] + shapes[p][1] * shapes[q][1]).sum()
        };
        let count = rates.len();
        let ridge = RIDGE * (0..count).map(|p| product(p, p)).sum::<f64>() / count as f64;
        let unit = |p: usize, q: usize| if p == q { 1.0 } else { 0.0 };
        let column = |column: usize| {
            let row = |p: usize| {
                let entries = (0..count).map(|q| product(p, q) + ridge * unit(p, q));
                entries.chain([unit(p, column)]).collect()
            };
            eliminate((0..count).map(row).collect()).expect("a positive definite matrix")
        };
        // The matrix is symmetric, so that the columns of its inverse are its rows.
        Self { inverse: (0..count).map(column).collect(), shapes, ridge }
    }

    /// The coefficients near `start` with which a modulus relaxes by a part that depends on the shapes at a frequency.
    fn fit(&self, start: &[f64; MOST_MECHANISMS], relaxed: impl Fn(&[[f64; 2]]) -> [f64; 2]) -> [f64; MOST_MECHANISMS] {
        let mut right = start.map(|y| self.ridge * y);
        for shapes in &self.shapes {
            let target = relaxed(shapes);
            for (right, shape) in right.iter_mut().zip(shapes) {
                *right += shape[0] * target[0] + shape[1] * target[1];
            }
        }
        let of_row = |row: &Vec<f64>| row.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>().max(0.0);
        std::array::from_fn(|l| self.inverse.get(l).map_or(0.0, of_row))
    }
}

/// Angular frequencies of a fit [rad/s].
fn frequencies([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..FREQUENCIES).map(move |number| TAU * low * (high / low).powf(number as f64 / (FREQUENCIES - 1) as f64))
}

impl Attenuation {
    /// The coefficients with which moduli relax as with `coefficients` where strain concentrates at softer points.
    ///
    /// If a modulus relaxes only at a part 1/r of the points, r times as much, strain concentrates there. To second order in the relaxed part δ(ω) of the
    /// modulus, all points together relax by δ + c (r - 1) δ². So the points relax by δ' = δ / (1 + c (r - 1) δ), fitted in the band.
    ///
    /// # Arguments
    /// * `concentration` – c (r - 1) of the bulk and the shear modulus \[–\]
    pub fn concentrated(&self, coefficients: &Coefficients, concentration: [f64; 2]) -> Coefficients {
        let [bulk, shear] = &coefficients.relaxed;
        let relaxed = [self.reduced(bulk, concentration[0]), self.reduced(shear, concentration[1])];
        Coefficients { relaxed, ..*coefficients }
    }

    fn reduced(&self, coefficients: &[f64; MOST_MECHANISMS], concentration: f64) -> [f64; MOST_MECHANISMS] {
        let sum: f64 = coefficients.iter().sum();
        let start = coefficients.map(|y| y / (1.0 + concentration * sum));
        self.reduction().fit(&start, |shapes| {
            let delta = weighted(shapes, coefficients);
            let [a, b] = [1.0 + concentration * delta[0], concentration * delta[1]];
            let size = a * a + b * b;
            [(delta[0] * a + delta[1] * b) / size, (delta[1] * a - delta[0] * b) / size]
        })
    }

    /// The mechanisms of a modulus at the points of a grid, each of which has one of them or all.
    ///
    /// Strain concentrates at points that have relaxed more than others. The mechanisms are those with which all points together relax as the modulus, fitted
    /// in the band; in a fluid exactly for the largest loss.
    ///
    /// # Arguments
    /// * `greatest` – largest loss \[–\]
    /// * `pattern` – `None` if every point has all mechanisms
    pub fn at_points(&self, greatest: f64, pattern: Option<&Pattern>) -> Vec<PointMechanism> {
        /// Losses at which the polynomials are fitted.
        const LOSSES: usize = 33;
        let greatest = greatest.max(1.0 / NEARLY_ELASTIC);
        let rates = match pattern {
            Some(Pattern { shares, concentration: Concentration::Fluid }) => self.rates_of_points(greatest, shares),
            _ => self.relaxation().rates().to_vec(),
        };
        let samples: Vec<(f64, [f64; MOST_MECHANISMS])> = (1..=LOSSES)
            .map(|n| {
                let loss = greatest * n as f64 / LOSSES as f64;
                let mean = self.coefficients_of(loss);
                let own = pattern.map_or(mean, |pattern| self.patterned(&mean, &rates, pattern));
                (loss / greatest, own.map(|y| y / loss))
            })
            .collect();
        let polynomial = |l: usize| {
            let mut rows = vec![vec![0.0; 4]; 3];
            for (x, slopes) in &samples {
                let powers = [1.0, *x, x * x];
                for (row, p) in rows.iter_mut().zip(powers) {
                    row.iter_mut().zip(powers).for_each(|(entry, q)| *entry += p * q);
                    row[3] += p * slopes[l];
                }
            }
            let found = eliminate(rows).expect("different losses");
            [found[0], found[1] / greatest, found[2] / (greatest * greatest)]
        };
        (0..self.mechanisms()).map(|l| PointMechanism { rate: rates[l], polynomial: polynomial(l) }).collect()
    }

    /// Relaxation rates of points with one mechanism each whose mean compliance is exactly that of a modulus of a fluid with a loss.
    ///
    /// The compliance is 1 + Σ R / (ν + iω) with the zeros -ν of the modulus. A point with R / share instead of R has the relaxation rate ν + R / share.
    fn rates_of_points(&self, loss: f64, shares: &[f64]) -> Vec<f64> {
        let (rates, coefficients) = (self.relaxation().rates(), self.coefficients_of(loss));
        let modulus = |s: f64| 1.0 - rates.iter().zip(coefficients).map(|(rate, y)| y * rate / (rate - s)).sum::<f64>();
        // Between two rates the modulus falls from infinity; its zeros are there and below the smallest rate.
        let zero = |l: usize| {
            let below = if l == 0 { 0.0 } else { rates[l - 1] };
            let [mut low, mut high] = [below, rates[l]];
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if modulus(middle) > 0.0 { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        let zeros: Vec<f64> = (0..rates.len()).map(zero).collect();
        let of_point = |l: usize| {
            let product: f64 = rates.iter().map(|rate| rate - zeros[l]).product();
            let others = zeros.iter().enumerate().filter(|&(m, _)| m != l).map(|(_, zero)| zero - zeros[l]);
            zeros[l] + product / others.product::<f64>() / shares[l]
        };
        (0..rates.len()).map(of_point).collect()
    }

    /// Coefficients of points with one mechanism each that together relax as a modulus.
    ///
    /// # Arguments
    /// * `coefficients` – of the modulus
    /// * `rates` – of the points [rad/s]
    fn patterned(
        &self,
        coefficients: &[f64; MOST_MECHANISMS],
        rates: &[f64],
        pattern: &Pattern,
    ) -> [f64; MOST_MECHANISMS] {
        /// Weight of squared imaginary parts: a quality factor needs them more exactly than a speed needs real parts.
        const OF_LOSS: f64 = 20.0;
        let mut mean = *coefficients;
        for _ in 0..8 {
            let next = self.relaxing_by(rates, &mean, OF_LOSS, |omega, shapes| {
                let target = weighted(&shapes_of(self.relaxation().rates(), omega), coefficients);
                let own: Vec<[f64; 2]> = shapes
                    .iter()
                    .zip(&mean)
                    .zip(pattern.shares)
                    .map(|((shape, y), share)| shape.map(|part| y * part / share))
                    .collect();
                let excess = pattern.excess(&own);
                [0, 1].map(|part| target[part] - excess[part])
            });
            // Half a step, because the variance grows with the number of mechanisms.
            mean = std::array::from_fn(|l| 0.5 * (mean[l] + next[l]));
        }
        std::array::from_fn(|l| pattern.shares.get(l).map_or(0.0, |share| mean[l] / share))
    }

    /// The coefficients with which a modulus relaxes by a given part in the band; those near `start` where rates are close to each other.
    ///
    /// # Arguments
    /// * `rates` – of the mechanisms [rad/s]
    /// * `weight` – of squared imaginary parts, relative to real parts \[–\]
    /// * `relaxed` – real and imaginary part, from the angular frequency and those of mechanisms with coefficients of 1
    fn relaxing_by(
        &self,
        rates: &[f64],
        start: &[f64; MOST_MECHANISMS],
        weight: f64,
        relaxed: impl Fn(f64, &[[f64; 2]]) -> [f64; 2],
    ) -> [f64; MOST_MECHANISMS] {
        let count = rates.len();
        // Normal equations of the least squares of real and imaginary parts.
        let mut rows = vec![vec![0.0; count + 1]; count];
        for omega in frequencies(self.relaxation().band()) {
            let shapes = shapes_of(rates, omega);
            let target = relaxed(omega, &shapes);
            for p in 0..count {
                for q in 0..count {
                    rows[p][q] += shapes[p][0] * shapes[q][0] + weight * shapes[p][1] * shapes[q][1];
                }
                rows[p][count] += shapes[p][0] * target[0] + weight * shapes[p][1] * target[1];
            }
        }
        let trace: f64 = (0..count).map(|p| rows[p][p]).sum();
        let ridge = RIDGE * trace / count as f64;
        for (p, row) in rows.iter_mut().enumerate() {
            row[p] += ridge;
            row[count] += ridge * start[p];
        }
        let found = eliminate(rows).unwrap_or_default();
        std::array::from_fn(|l| found.get(l).copied().unwrap_or(0.0).max(0.0))
    }
}

/// Relaxed parts of moduli with one mechanism and a coefficient of 1: real and imaginary parts.
fn shapes_of(rates: &[f64], omega: f64) -> Vec<[f64; 2]> {
    let shape = |rate: &f64| [rate * rate, -rate * omega].map(|part| part / (rate * rate + omega * omega));
    rates.iter().map(shape).collect()
}

/// The relaxed part of a modulus: real and imaginary part.
fn weighted(shapes: &[[f64; 2]], coefficients: &[f64]) -> [f64; 2] {
    shapes.iter().zip(coefficients).fold([0.0; 2], |sum, (shape, y)| [sum[0] + y * shape[0], sum[1] + y * shape[1]])
}

#[cfg(test)]
mod tests {
    use craton_physics::{QualityLaw, Relaxation};

    use super::*;

    fn attenuation(mechanisms: usize) -> Attenuation {
        Attenuation::new(Relaxation::new([0.1, 10.0], mechanisms, QualityLaw::CONSTANT).unwrap(), 2.5).unwrap()
    }

    #[test]
    fn polynomials_are_the_coefficients_over_loss() {
        for mechanisms in [1, 3, 8] {
            let attenuation = attenuation(mechanisms);
            for greatest in [0.2, 0.05, 1e-3, 0.0] {
                let mechanisms = attenuation.at_points(greatest, None);
                for loss in [0.01, 0.3, 0.77, 1.0].map(|part| part * greatest) {
                    let expected = attenuation.coefficients_of(loss);
                    for (PointMechanism { polynomial: [a, b, c], .. }, expected) in mechanisms.iter().zip(expected) {
                        let found = loss * (a + loss * (b + loss * c));
                        let tolerance = 2e-3 + 0.07 * greatest;
                        assert!(
                            (found - expected).abs() <= tolerance * expected.max(0.05 * loss),
                            "{loss} {found} {expected}"
                        );
                    }
                }
            }
        }
    }

    /// Points with one mechanism each relax together as the modulus; in a fluid exactly for the largest loss.
    #[test]
    fn a_pattern_relaxes_as_the_modulus() {
        let attenuation = attenuation(3);
        let of_solid = ([0.375, 0.375, 0.25], Concentration::Solid(0.5), 1.0 / 40.0, 1.0, [1.5e-3, 0.02]);
        let of_fluid = ([0.25, 0.25, 0.5], Concentration::Fluid, 1.0 / 20.0, 1.0, [1e-4, 2e-3]);
        let of_less = ([0.25, 0.25, 0.5], Concentration::Fluid, 1.0 / 30.0, 0.5, [1e-3, 0.02]);
        for (shares, concentration, greatest, part, tolerances) in [of_solid, of_fluid, of_less] {
            let (pattern, loss) = (Pattern { shares: &shares, concentration }, part * greatest);
            let own = attenuation.at_points(greatest, Some(&pattern));
            for frequency in [0.12, 0.4, 2.0, 8.0] {
                let omega = std::f64::consts::TAU * frequency;
                let relaxed: Vec<[f64; 2]> = own
                    .iter()
                    .map(|PointMechanism { rate, polynomial: [a, b, c] }| {
                        shapes_of(&[*rate], omega)[0].map(|part| part * loss * (a + loss * (b + loss * c)))
                    })
                    .collect();
                let excess = pattern.excess(&relaxed);
                let found = [0, 1].map(|part| {
                    let mean: f64 = relaxed.iter().zip(shares).map(|(own, share)| share * own[part]).sum();
                    mean + excess[part]
                });
                let expected = attenuation.relaxation().modulus(&attenuation.coefficients_of(loss)[..3], frequency);
                let [re, im] = [1.0 - found[0], -found[1]];
                assert!(
                    (re - expected[0]).abs() < tolerances[0] && (im / expected[1] - 1.0).abs() < tolerances[1],
                    "{concentration:?} {loss} {frequency}: {re} {im} {expected:?}"
                );
            }
        }
    }
}
