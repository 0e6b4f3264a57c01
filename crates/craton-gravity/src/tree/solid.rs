//! Conversion of Cartesian moments to moments of solid harmonics.
//!
//! R_lm = s^l P_lm(cos θ) e^(imφ)/(l + m)!, without the sign (-1)^m. As polynomials: R_00 = 1, R_mm = (x + iy) R_(m-1)(m-1)/(2m), and (l + 1 + m)(l + 1 - m)
//! R_(l+1)m = (2l + 1) z R_lm - s² R_(l-1)m. Then 1/|x - s| is the sum of I_lm(x) conj(R_lm(s)), I_lm = (l - m)! P_lm e^(imφ)/r^(l+1), over l and -l <= m <= l;
//! the terms of m and -m are complex conjugates.

use super::moments::{COUNT, DEGREE, Moments, place};

/// Number of coefficients of an expansion: for each m, for each l >= m, real and imaginary part; those of m > 0 are doubled to account for -m.
pub const COEFFICIENTS: usize = (DEGREE + 1) * (DEGREE + 2);

/// Index of the first coefficient of an order m.
#[inline(always)]
pub const fn first_of(m: usize) -> usize {
    // Those of m' take DEGREE + 1 - m' pairs.
    m * (2 * DEGREE + 3 - m)
}

/// A linear combination of moments: index and factor of each.
type Form = Vec<(u16, f64)>;

/// The solid harmonics, and the distance to the power [`DEGREE`], as linear combinations of monomials.
pub struct Solid {
    /// In the order of [`COEFFICIENTS`].
    forms: Vec<Form>,
    power: Form,
    weights: Vec<f64>,
}

impl Solid {
    /// Computes the polynomials by recurrence.
    pub fn new() -> Self {
        let mut forms = Vec::with_capacity(COEFFICIENTS);
        let mut corner = [Polynomial::one(), Polynomial::zero()];
        for m in 0..=DEGREE {
            let mut before = [Polynomial::zero(), Polynomial::zero()];
            let mut here = corner.clone();
            for l in m..=DEGREE {
                let twice = if m == 0 { 1.0 } else { 2.0 };
                forms.extend(here.iter().map(|part| part.form(twice)));
                if l < DEGREE {
                    let over = 1.0 / ((l + 1 + m) * (l + 1 - m)) as f64;
                    let next = [0, 1].map(|part: usize| {
                        let mut next = here[part].times(2, (2 * l + 1) as f64 * over);
                        (0..3).for_each(|axis| next.add(&before[part].times(axis, 1.0).times(axis, -over)));
                        next
                    });
                    before = std::mem::replace(&mut here, next);
                }
            }
            if m < DEGREE {
                let over = 1.0 / (2 * m + 2) as f64;
                let [re, im] = &corner;
                let (mut next_re, mut next_im) = (re.times(0, over), im.times(0, over));
                next_re.add(&im.times(1, -over));
                next_im.add(&re.times(1, over));
                corner = [next_re, next_im];
            }
        }
        let mut power = Polynomial::one();
        for _ in 0..DEGREE / 2 {
            let mut next = Polynomial::zero();
            (0..3).for_each(|axis| next.add(&power.times(axis, 1.0).times(axis, 1.0)));
            power = next;
        }
        Self { forms, power: power.form(1.0), weights: weights() }
    }

    /// Fills `into` with the moments of the solid harmonics times `factor`.
    pub fn coefficients(&self, moments: &Moments, factor: f64, into: &mut [f64]) {
        for (coefficient, form) in into.iter_mut().zip(&self.forms) {
            *coefficient = factor * value(form, moments);
        }
    }

    /// Integral of the distance to the power [`DEGREE`].
    pub fn power(&self, moments: &Moments) -> f64 {
        value(&self.power, moments)
    }

    /// Upper bound of the contribution of each degree at distance 1 in any direction.
    ///
    /// The contribution is a sum over m of products of (l - m)! P_lm e^(imφ) with moments. By the Cauchy-Schwarz inequality it is at most the square root of
    /// the sum of (l - m)! (l + m)! |moment|², for the sum of (l - m)!/(l + m)! P_lm² is P_l(1) = 1.
    pub fn norms(&self, coefficients: &[f64]) -> [f64; DEGREE + 1] {
        let mut squares = [0.0; DEGREE + 1];
        let mut terms = self.weights.iter().zip(coefficients.chunks_exact(2));
        for m in 0..=DEGREE {
            for (square, (weight, part)) in squares[m..].iter_mut().zip(&mut terms) {
                *square += weight * (part[0] * part[0] + part[1] * part[1]);
            }
        }
        squares.map(f64::sqrt)
    }
}

fn value(form: &Form, moments: &Moments) -> f64 {
    form.iter().map(|&(place, factor)| factor * moments[usize::from(place)]).sum()
}

/// (l - m)! (l + m)! for each coefficient, halved for m > 0, because those coefficients are doubled and stand for both m and -m.
fn weights() -> Vec<f64> {
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let of = |(m, l): (usize, usize)| if m == 0 { 1.0 } else { 0.5 } * factorial(l - m) * factorial(l + m);
    let pairs = (0..=DEGREE).flat_map(|m| (m..=DEGREE).map(move |l| (m, l)));
    pairs.map(of).collect()
}

/// A polynomial: coefficients of all monomials.
#[derive(Clone)]
struct Polynomial(Vec<f64>);

impl Polynomial {
    fn zero() -> Self {
        Self(vec![0.0; COUNT])
    }

    fn one() -> Self {
        let mut one = Self::zero();
        one.0[place([0; 3])] = 1.0;
        one
    }

    /// Product with a coordinate and a factor.
    fn times(&self, axis: usize, factor: f64) -> Self {
        let mut product = Self::zero();
        for i in 0..DEGREE {
            for j in 0..DEGREE - i {
                for k in 0..DEGREE - i - j {
                    let mut powers = [i, j, k];
                    let value = factor * self.0[place(powers)];
                    powers[axis] += 1;
                    product.0[place(powers)] = value;
                }
            }
        }
        product
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, term)| *sum += term);
    }

    fn form(&self, factor: f64) -> Form {
        let terms = self.0.iter().enumerate().filter(|(_, value)| **value != 0.0);
        terms.map(|(place, value)| (place as u16, factor * value)).collect()
    }
}
