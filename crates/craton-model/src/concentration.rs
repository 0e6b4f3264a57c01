//! Coefficients of moduli that do not relax equally at all points: strain concentrates where they relax most.

use std::f64::consts::TAU;

use craton_physics::eliminate;

use crate::attenuation::{Attenuation, Coefficients, MOST_MECHANISMS, NEARLY_ELASTIC};

/// Number of frequencies at which concentrated relaxation is fitted.
const FREQUENCIES: usize = 24;
/// Weight of the scaled coefficients in the fit of concentrated relaxation \[–\].
const RIDGE: f64 = 1e-6;

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
        self.relaxing_by(&start, 1.0, |shapes| {
            let delta = weighted(shapes, coefficients);
            let [a, b] = [1.0 + concentration * delta[0], concentration * delta[1]];
            let size = a * a + b * b;
            [(delta[0] * a + delta[1] * b) / size, (delta[1] * a - delta[0] * b) / size]
        })
    }

    /// The coefficients of a modulus of which each point of a grid has one mechanism or all, as polynomials of its loss.
    ///
    /// Strain concentrates at points that have relaxed more than others. The coefficients are those with which all points together relax as the modulus,
    /// fitted in the band.
    ///
    /// # Arguments
    /// * `greatest` – largest loss \[–\]
    /// * `pattern` – `None` if every point has all mechanisms
    /// # Returns
    /// For each mechanism, the coefficients of 1/Q, 1/Q², 1/Q³
    pub fn polynomials(&self, greatest: f64, pattern: Option<&Pattern>) -> Vec<[f64; 3]> {
        /// Losses at which the polynomials are fitted.
        const LOSSES: usize = 33;
        let greatest = greatest.max(1.0 / NEARLY_ELASTIC);
        let samples: Vec<(f64, [f64; MOST_MECHANISMS])> = (1..=LOSSES)
            .map(|n| {
                let loss = greatest * n as f64 / LOSSES as f64;
                let mean = self.coefficients_of(loss);
                let own = pattern.map_or(mean, |pattern| self.patterned(&mean, pattern));
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
        (0..self.mechanisms()).map(polynomial).collect()
    }

    /// See [`Self::polynomials`].
    fn patterned(&self, coefficients: &[f64; MOST_MECHANISMS], pattern: &Pattern) -> [f64; MOST_MECHANISMS] {
        /// Weight of squared imaginary parts: a quality factor needs them more exactly than a speed needs real parts.
        const OF_LOSS: f64 = 20.0;
        let mut mean = *coefficients;
        for _ in 0..8 {
            let next = self.relaxing_by(&mean, OF_LOSS, |shapes| {
                let target = weighted(shapes, coefficients);
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
    /// * `weight` – of squared imaginary parts, relative to real parts \[–\]
    /// * `relaxed` – real and imaginary part from those of mechanisms with coefficients of 1
    fn relaxing_by(
        &self,
        start: &[f64; MOST_MECHANISMS],
        weight: f64,
        relaxed: impl Fn(&[[f64; 2]]) -> [f64; 2],
    ) -> [f64; MOST_MECHANISMS] {
        let rates = self.relaxation().rates();
        let [low, high] = self.relaxation().band();
        let count = rates.len();
        // Normal equations of the least squares of real and imaginary parts.
        let mut rows = vec![vec![0.0; count + 1]; count];
        for number in 0..FREQUENCIES {
            let omega = TAU * low * (high / low).powf(number as f64 / (FREQUENCIES - 1) as f64);
            let shape = |rate: &f64| [rate * rate, -rate * omega].map(|part| part / (rate * rate + omega * omega));
            let shapes: Vec<[f64; 2]> = rates.iter().map(shape).collect();
            let target = relaxed(&shapes);
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
                let polynomials = attenuation.polynomials(greatest, None);
                for loss in [0.01, 0.3, 0.77, 1.0].map(|part| part * greatest) {
                    let expected = attenuation.coefficients_of(loss);
                    for ([a, b, c], expected) in polynomials.iter().zip(expected) {
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

    /// Points with one mechanism each relax together as the modulus.
    #[test]
    fn a_pattern_relaxes_as_the_modulus() {
        let attenuation = attenuation(3);
        let of_solid = ([0.375, 0.375, 0.25], Concentration::Solid(0.5), 1.0 / 40.0);
        let of_fluid = ([0.25, 0.25, 0.5], Concentration::Fluid, 1.0 / 30.0);
        for (shares, concentration, loss) in [of_solid, of_fluid] {
            let pattern = Pattern { shares: &shares, concentration };
            let polynomials = attenuation.polynomials(loss, Some(&pattern));
            let own: Vec<f64> =
                polynomials.iter().map(|[a, b, c]| loss * (a + loss * (b + loss * c))).collect();
            for frequency in [0.12, 0.4, 2.0, 8.0] {
                let modulus = |y: &[f64]| attenuation.relaxation().modulus(y, frequency);
                let relaxed: Vec<[f64; 2]> = (0..3)
                    .map(|l| modulus(&std::array::from_fn::<_, 3, _>(|m| if l == m { own[l] } else { 0.0 })))
                    .map(|[re, im]| [1.0 - re, -im])
                    .collect();
                let excess = pattern.excess(&relaxed);
                let found = [0, 1].map(|part| {
                    let mean: f64 = relaxed.iter().zip(shares).map(|(own, share)| share * own[part]).sum();
                    mean + excess[part]
                });
                let expected = modulus(&attenuation.coefficients_of(loss)[..3]);
                let [re, im] = [1.0 - found[0], -found[1]];
                assert!(
                    (re - expected[0]).abs() < 1.5e-3 && (im / expected[1] - 1.0).abs() < 0.02,
                    "{concentration:?} {frequency}: {re} {im} {expected:?}"
                );
            }
        }
    }
}
