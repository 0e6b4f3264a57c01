//! Relaxation of a modulus by standard linear solids, fitted to a quality factor over a band of frequencies.
//!
//! A modulus with coefficients `Y_l` and relaxation rates `ω_l` is
//!
//! ```text
//! M(ω) = M_U [1 - Σ_l Y_l ω_l / (ω_l + i ω)],   Q(ω) = Re M / Im M
//! ```
//!
//! with the unrelaxed modulus `M_U` at high frequencies. All moduli of a run have the same rates; each has its own coefficients.
//!
//! # Source
//! Emmerich & Korn (1987), Geophysics 52, 1252-1264, on the form; Blanc, Komatitsch, Chaljub, Lombard & Xie (2016), Geophysical Journal International
//! 205, 427-445, on the fit of rates and positive coefficients together.

use std::f64::consts::{PI, TAU};

use crate::error::PhysicsError;

/// Quality factor as a function of frequency, relative to its value below the corner: 1 below, (f / corner)^exponent above [–].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QualityLaw {
    /// Frequency above which it changes [Hz].
    pub corner: f64,
    /// Exponent above the corner [–]; 0 for a constant.
    pub exponent: f64,
}

impl QualityLaw {
    /// The same quality factor at all frequencies.
    pub const CONSTANT: Self = Self { corner: 1.0, exponent: 0.0 };

    /// Quality factor at a frequency [Hz] relative to that below the corner [–].
    pub fn at(&self, frequency: f64) -> f64 {
        (frequency / self.corner).max(1.0).powf(self.exponent)
    }

    /// Phase speed at a frequency [Hz] relative to that at another one, if the law holds at all frequencies [–].
    ///
    /// ln(v(f) / v(f₀)) = atan(1/Q)/π ∫ Q/Q(f) d ln f from f₀ to f, Kjartansson's law if Q is constant.
    ///
    /// # Arguments
    /// * `loss` – 1/Q below the corner [–]
    pub fn speed(&self, loss: f64, frequency: f64, reference: f64) -> f64 {
        // The integral from the corner.
        let from_corner = |frequency: f64| {
            let x = (frequency / self.corner).ln();
            if x < 0.0 || self.exponent == 0.0 { x } else { (1.0 - (-self.exponent * x).exp()) / self.exponent }
        };
        (loss.atan() / PI * (from_corner(frequency) - from_corner(reference))).exp()
    }
}

/// Relaxation rates for a band of frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct Relaxation {
    band: [f64; 2],
    law: QualityLaw,
    rates: Vec<f64>,
}

/// How well a modulus has its quality factor in the band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Largest relative deviation of the quality factor in the band [–].
    pub deviation: f64,
    /// Phase speeds at the ends of the band, relative to that at the reference frequency [–].
    pub speeds: [f64; 2],
}

/// Largest number of mechanisms.
const MOST: usize = 8;
/// Range of quality factors.
const LOWEST: f64 = 5.0;
/// Quality factor for which the rates are fitted: they hardly depend on it.
const TYPICAL: f64 = 50.0;
/// Frequencies at which the fit is made, and at which it is checked.
const FITTED: usize = 48;
const CHECKED: usize = 400;
/// Number of iterations of a fit at most, and decrease of the misfit below which it ends [–].
const ITERATIONS: usize = 500;
const FINISHED: f64 = 1e-10;

impl Relaxation {
    /// Fits rates, so that the quality factor follows the law in the band as closely as possible.
    ///
    /// # Arguments
    /// * `band` – lowest and highest frequency [Hz]
    /// * `mechanisms` – number of standard linear solids, 1 to 8
    ///
    /// # Errors
    /// A band that is not positive and ascending; another number of mechanisms; a law that is not finite.
    pub fn new(band: [f64; 2], mechanisms: usize, law: QualityLaw) -> Result<Self, PhysicsError> {
        let [low, high] = band;
        let refuse = |name, value, allowed: &str, hint| {
            Err(PhysicsError::OutOfRange { name, value, allowed: allowed.to_owned(), hint })
        };
        if !(low > 0.0 && low.is_finite()) {
            return refuse("lowest frequency of the band", low, "> 0 Hz", "give a band such as 0.1 to 10 Hz");
        }
        if !(high > low && high.is_finite()) {
            return refuse(
                "highest frequency of the band",
                high,
                "above the lowest",
                "give a band such as 0.1 to 10 Hz",
            );
        }
        if !(1..=MOST).contains(&mechanisms) {
            return refuse(
                "number of mechanisms",
                mechanisms as f64,
                "1 to 8",
                "3 mechanisms fit two decades within 3.5 %",
            );
        }
        if !(law.corner > 0.0 && law.corner.is_finite() && law.exponent.abs() <= 1.0) {
            return refuse("exponent of Q", law.exponent, "-1 to 1, with a corner > 0 Hz", "0 is a constant Q");
        }
        // The best rates begin and end somewhat outside the band; a single one is in its middle.
        let place = |l: usize| if mechanisms == 1 { 0.5 } else { 1.2 * l as f64 / (mechanisms - 1) as f64 - 0.1 };
        let start: Vec<f64> = (0..mechanisms).map(|l| (TAU * low).ln() + (high / low).ln() * place(l)).collect();
        let mut relaxation = Self { band, law, rates: start.iter().map(|rate| rate.exp()).collect() };
        let coefficients = relaxation.coefficients(TYPICAL)?;
        let both = start.into_iter().chain(coefficients.iter().map(|y| y.ln())).collect();
        let fitted = least_squares(both, |both| {
            relaxation.residuals(TYPICAL, &exponentials(&both[..mechanisms]), &exponentials(&both[mechanisms..]))
        });
        relaxation.rates = exponentials(&fitted[..mechanisms]);
        relaxation.rates.sort_by(f64::total_cmp);
        Ok(relaxation)
    }

    /// The law of the quality factor.
    pub fn law(&self) -> &QualityLaw {
        &self.law
    }

    /// Lowest and highest frequency of the band [Hz].
    pub fn band(&self) -> [f64; 2] {
        self.band
    }

    /// Relaxation rates `ω_l`, ascending [rad/s].
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// Coefficients `Y_l` of a modulus, all positive [–].
    ///
    /// # Arguments
    /// * `quality` – quality factor below the corner of the law; infinite for an elastic modulus
    ///
    /// # Errors
    /// A quality factor below 5.
    pub fn coefficients(&self, quality: f64) -> Result<Vec<f64>, PhysicsError> {
        if quality.is_nan() || quality < LOWEST {
            return Err(PhysicsError::OutOfRange {
                name: "Q",
                value: quality,
                allowed: ">= 5".to_owned(),
                hint: if quality > 0.0 && quality < 1.0 { "this looks like 1/Q; give Q" } else { "give a larger Q" },
            });
        }
        let count = self.rates.len();
        if quality.is_infinite() {
            return Ok(vec![0.0; count]);
        }
        let decades = (self.band[1] / self.band[0]).log10();
        let start = (1.6 * decades / count as f64 / quality).min(0.5 / count as f64);
        let fitted = least_squares(vec![start.ln(); count], |y| self.residuals(quality, &self.rates, &exponentials(y)));
        Ok(exponentials(&fitted))
    }

    /// `M(ω) / M_U` at a frequency [Hz]: real and imaginary part [–].
    pub fn modulus(&self, coefficients: &[f64], frequency: f64) -> [f64; 2] {
        modulus(&self.rates, coefficients, TAU * frequency)
    }

    /// Phase speed at a frequency [Hz] relative to that of the unrelaxed modulus [–].
    pub fn speed(&self, coefficients: &[f64], frequency: f64) -> f64 {
        let [re, im] = self.modulus(coefficients, frequency);
        // 1 / Re √(1 / m), with √m = a + i b.
        let size = re.hypot(im);
        let a = (0.5 * (size + re)).sqrt();
        size / a
    }

    /// Unrelaxed modulus over `ρ v²`, where v is the phase speed at the reference frequency [Hz] [–].
    pub fn unrelaxed(&self, coefficients: &[f64], reference: f64) -> f64 {
        self.speed(coefficients, reference).powi(-2)
    }

    /// How well coefficients give a quality factor in the band.
    ///
    /// # Arguments
    /// * `quality` – of [`Relaxation::coefficients`]
    /// * `reference` – frequency at which the speeds of the model hold [Hz]
    pub fn fit(&self, quality: f64, coefficients: &[f64], reference: f64) -> Fit {
        let deviation = self.frequencies(CHECKED).map(|frequency| {
            let [re, im] = self.modulus(coefficients, frequency);
            (re / im / (quality * self.law.at(frequency)) - 1.0).abs()
        });
        let at_reference = self.speed(coefficients, reference);
        Fit {
            deviation: deviation.fold(0.0, f64::max),
            speeds: self.band.map(|frequency| self.speed(coefficients, frequency) / at_reference),
        }
    }

    /// `Q_law / Q - 1` at the frequencies of the fit.
    fn residuals(&self, quality: f64, rates: &[f64], coefficients: &[f64]) -> Vec<f64> {
        let residual = |frequency: f64| {
            let [re, im] = modulus(rates, coefficients, TAU * frequency);
            quality * self.law.at(frequency) * im / re - 1.0
        };
        self.frequencies(FITTED).map(residual).collect()
    }

    /// Frequencies from one end of the band to the other [Hz]: Chebyshev's points of their logarithm, with which a fit by least squares is nearly
    /// the one with the smallest largest deviation.
    fn frequencies(&self, count: usize) -> impl Iterator<Item = f64> + use<> {
        let [low, high] = self.band;
        let place = move |n: usize| 0.5 - 0.5 * (PI * n as f64 / (count - 1) as f64).cos();
        (0..count).map(move |n| low * (high / low).powf(place(n)))
    }
}

fn modulus(rates: &[f64], coefficients: &[f64], omega: f64) -> [f64; 2] {
    rates.iter().zip(coefficients).fold([1.0, 0.0], |[re, im], (rate, y)| {
        let share = y * rate / (rate * rate + omega * omega);
        [re - share * rate, im + share * omega]
    })
}

fn exponentials(logarithms: &[f64]) -> Vec<f64> {
    logarithms.iter().map(|x| x.exp()).collect()
}

/// The parameters near a start that minimise a sum of squares, by Levenberg's and Marquardt's method.
fn least_squares(start: Vec<f64>, residuals: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let size = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let (mut best, mut damping) = (start, 1e-3);
    let mut own = residuals(&best);
    for _ in 0..ITERATIONS {
        let slopes: Vec<Vec<f64>> = (0..best.len())
            .map(|p| {
                let moved = [STEP, -STEP].map(|step| {
                    let mut moved = best.clone();
                    moved[p] += step;
                    residuals(&moved)
                });
                moved[0].iter().zip(&moved[1]).map(|(a, b)| (a - b) / (2.0 * STEP)).collect()
            })
            .collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let rows = slopes.iter().enumerate().map(|(p, own_slope)| {
            let mut row: Vec<f64> = slopes.iter().map(|other| product(own_slope, other)).collect();
            row[p] *= 1.0 + damping;
            row.push(-product(own_slope, &own));
            row
        });
        let Some(change) = eliminate(rows.collect()) else { break };
        let tried: Vec<f64> = best.iter().zip(&change).map(|(value, change)| value + change).collect();
        let new = residuals(&tried);
        let (before, after) = (size(&own), size(&new));
        if after < before {
            (best, own, damping) = (tried, new, damping * 0.3);
            if before - after < FINISHED * before {
                break;
            }
        } else if damping > 1e9 {
            break;
        } else {
            damping *= 4.0;
        }
    }
    best
}

/// Solution of equations with a positive definite matrix, whose rows end with the right-hand side; `None` if it is singular.
pub fn eliminate(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for p in 0..n {
        let pivot = rows[p].clone();
        if pivot[p].is_nan() || pivot[p] <= f64::MIN_POSITIVE {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != p) {
            let factor = row[p] / pivot[p];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    Some((0..n).map(|p| rows[p][n] / rows[p][p]).collect())
}
