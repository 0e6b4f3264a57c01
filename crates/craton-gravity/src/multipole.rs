//! Far field of a prism: multipole expansion of degree 0, 2, 4 and 6; odd degrees vanish by symmetry.
//!
//! V = m/R (1 + h₂ + h₄ + h₆), hₙ = <sⁿ Pₙ(cos γ)>/Rⁿ, the mean over the prism; s is the distance from its centre and γ the angle to the direction of the
//! point. hₙ is a homogeneous polynomial of degree n/2 in the squared direction cosines.
//!
//! Truncation error: with d half the diagonal, <sⁿ> <= dⁿ/(n + 1), because s² is the sum of three squares and by Minkowski's inequality its norm of order n/2
//! is at most the sum of theirs, a² (n + 1)^(-2/n) each. The term of degree n of a source at distance s is largest on its axis. Relative to degree 0 it is
//! there sⁿ/Rⁿ for the potential, n + 1 times that for the attraction and (n + 1)(n + 2)/2 times that for the tensor. The degrees above 6 therefore add at most
//! 5 (d/R)⁸ + 6 (d/R)¹⁰ + ... to the relative error of the tensor, and less to the others: 1e-10 from [`FAR`] on.

mod row;
mod third;

use craton_physics::Real;

use crate::{Field, Fields};

pub use row::Row;

/// Distance in half diagonals from which the relative truncation error of V, |g| and the norm of the tensor is below 1e-10. Verified by
/// `multipole::tests::truncation_error_is_below_the_bound`.
pub const FAR: f64 = 22.0;

/// Components along x, y, z; the tensor's along xx, yy, zz and yz, xz, xy.
const ATTRACTION: [Field; 3] = [Field::East, Field::North, Field::Up];
const DIAGONAL: [Field; 3] = [Field::EastEast, Field::NorthNorth, Field::UpUp];
const MIXED: [Field; 3] = [Field::NorthUp, Field::EastUp, Field::EastNorth];

/// Multipole moments of a prism, as coefficients of the polynomials hₙ.
#[derive(Clone, Copy)]
pub struct Multipole<R> {
    /// Volume [m³].
    volume: R,
    /// Gradient of h₂ with respect to the squared cosines, times R² [m²].
    second: [R; 3],
    /// Second derivatives of h₄, times R⁴ [m⁴]: xx, yy, zz, yz, xz, xy.
    fourth: [R; 6],
    sixth: Sixth<R>,
}

impl<R: Real> Multipole<R> {
    /// Computes the moments of a prism with sides `size` [m].
    #[inline(always)]
    pub fn new(size: &[R; 3]) -> Self {
        let c = R::constant;
        let means = Means::new(size);
        let Means { m2, m4, m6, all, s2_2, s2_4, s4_2, s2, s4, s6 } = means;
        let (mut second, mut alone, mut thrice) = (m2, m2, m2);
        let mut twice_and_once = [m2; 3];
        for i in 0..3 {
            second[i] = c(1.5) * m2[i] - c(0.5) * s2;
            alone[i] = c(35.0 / 4.0) * m4[i] - c(30.0 / 4.0) * s2_2[i] + c(3.0 / 4.0) * s4;
            let sum = c(231.0) * m6[i] - c(315.0) * s2_4[i] + c(105.0) * s4_2[i] - c(5.0) * s6;
            thrice[i] = c(6.0 / 16.0) * sum;
            for j in 0..3 {
                let powers = c(3465.0) * m4[i] * m2[j] - c(315.0) * (s2_4[i] + c(6.0) * means.s2_22(i, j));
                let sum = powers + c(105.0) * (s4_2[j] + c(2.0) * s4_2[i]) - c(15.0) * s6;
                twice_and_once[j][i] = c(2.0 / 16.0) * sum;
            }
        }
        let pairs = means.s2_22(0, 1) + means.s2_22(0, 2) + means.s2_22(1, 2);
        let each_once = c(20790.0 / 16.0) * all - c(1890.0 / 16.0) * pairs + c(180.0 / 16.0) * s6;
        Self {
            volume: size[0] * size[1] * size[2],
            second,
            fourth: [alone[0], alone[1], alone[2], means.mixed(1, 2), means.mixed(0, 2), means.mixed(0, 1)],
            sixth: Sixth { thrice, twice_and_once, each_once },
        }
    }

    /// Fields at a point, in the order of [`Field`], per unit of G times density; fields that are not in `wanted` are undefined.
    ///
    /// # Arguments
    /// * `centre` – vector from the point to the centre of the prism [m], at least [`FAR`] half diagonals long; `distance2` – its squared length [m²]
    #[inline(always)]
    pub fn at(&self, centre: &[R; 3], distance2: R, wanted: Fields) -> [R; 10] {
        let q = distance2.recip();
        let root = q.sqrt();
        let u = [centre[0] * root, centre[1] * root, centre[2] * root];
        let mut fields = self.series(q, &[u[0] * u[0], u[1] * u[1], u[2] * u[2]], wanted);
        let m0 = self.volume * root;
        let (m1, m2) = (m0 * root, m0 * q);
        if wanted.contains(Field::Potential) {
            fields[Field::Potential as usize] = m0 * fields[Field::Potential as usize];
        }
        for (i, field) in ATTRACTION.into_iter().enumerate() {
            if wanted.contains(field) {
                fields[field as usize] = m1 * u[i] * fields[field as usize];
            }
        }
        if !wanted.has_tensor() {
            return fields;
        }
        for field in DIAGONAL {
            fields[field as usize] = m2 * fields[field as usize];
        }
        for (i, field) in MIXED.into_iter().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            fields[field as usize] = m2 * u[j] * u[k] * fields[field as usize];
        }
        fields
    }

    /// The dimensionless series of all fields, polynomials in both arguments. Units are m/R for the potential, m/R² times the cosine of the component for the
    /// attraction, m/R³ for the diagonal of the tensor, and m/R³ times both cosines for its mixed components.
    ///
    /// # Arguments
    /// * `q` – 1/R² [1/m²]; `y` – squared direction cosines
    #[inline(always)]
    fn series(&self, q: R, y: &[R; 3], wanted: Fields) -> [R; 10] {
        let c = R::constant;
        // First (g) and second (s) derivatives of each degree with respect to the squared cosines, and its value (h).
        let g2 = scaled(&self.second, q);
        let s4 = scaled(&self.fourth, q * q);
        let g4 = product(&s4, y);
        let s6 = scaled(&self.sixth.product(y), q * q * q);
        let g6 = scaled(&product(&s6, y), c(0.5));
        let h = [dot(&g2, y), c(0.5) * dot(&g4, y), c(1.0 / 3.0) * dot(&g6, y)];
        // Differentiating R^-(2n+1) gives the factors 2n + 1, and 2n + 3 the second time.
        let w1 = weighted(1.0, [5.0, 9.0, 13.0], &h);
        let w2 = weighted(3.0, [35.0, 99.0, 195.0], &h);
        let mut first = *y;
        for i in 0..3 {
            first[i] = c(2.0) * (g2[i] + (g4[i] + g6[i]));
        }
        let mut fields = [c(0.0); 10];
        if wanted.contains(Field::Potential) {
            fields[Field::Potential as usize] = weighted(1.0, [1.0, 1.0, 1.0], &h);
        }
        for (i, field) in ATTRACTION.into_iter().enumerate() {
            if wanted.contains(field) {
                fields[field as usize] = w1 - first[i];
            }
        }
        if !wanted.has_tensor() {
            return fields;
        }
        let mut crossed = *y;
        for i in 0..3 {
            crossed[i] = weighted(0.0, [10.0, 18.0, 26.0], &[g2[i], g4[i], g6[i]]);
        }
        for (i, field) in DIAGONAL.into_iter().enumerate() {
            let curved = c(4.0) * (s4[i] + s6[i]) - c(2.0) * crossed[i] + w2;
            fields[field as usize] = first[i] - w1 + y[i] * curved;
        }
        for (i, field) in MIXED.into_iter().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            fields[field as usize] = c(4.0) * (s4[3 + i] + s6[3 + i]) - (crossed[j] + crossed[k]) + w2;
        }
        fields
    }
}

/// Means over a prism of powers of its coordinates, and of these times powers of the distance s from its centre.
struct Means<R> {
    /// x², x⁴, x⁶ along each axis.
    m2: [R; 3],
    m4: [R; 3],
    m6: [R; 3],
    /// x² y² z².
    all: R,
    /// s² x², s² x⁴, s⁴ x² along each axis.
    s2_2: [R; 3],
    s2_4: [R; 3],
    s4_2: [R; 3],
    /// s², s⁴, s⁶.
    s2: R,
    s4: R,
    s6: R,
}

impl<R: Real> Means<R> {
    #[inline(always)]
    fn new(size: &[R; 3]) -> Self {
        let c = R::constant;
        let zero = [c(0.0); 3];
        let mut means = Self {
            m2: zero,
            m4: zero,
            m6: zero,
            all: c(0.0),
            s2_2: zero,
            s2_4: zero,
            s4_2: zero,
            s2: c(0.0),
            s4: c(0.0),
            s6: c(0.0),
        };
        for i in 0..3 {
            let square = c(0.25) * size[i] * size[i];
            means.m2[i] = c(1.0 / 3.0) * square;
            means.m4[i] = c(1.0 / 5.0) * square * square;
            means.m6[i] = c(1.0 / 7.0) * square * square * square;
        }
        means.all = means.m2[0] * means.m2[1] * means.m2[2];
        means.s2 = means.m2[0] + means.m2[1] + means.m2[2];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let others = means.m2[j] + means.m2[k];
            means.s2_2[i] = means.m4[i] + means.m2[i] * others;
            means.s2_4[i] = means.m6[i] + means.m4[i] * others;
            means.s4_2[i] = means.s2_4[i] + means.s2_22(i, j) + means.s2_22(i, k);
            means.s4 = means.s4 + means.s2_2[i];
            means.s6 = means.s6 + means.s4_2[i];
        }
        means
    }

    /// Mean of s² x² y² for two different axes x and y.
    #[inline(always)]
    fn s2_22(&self, i: usize, j: usize) -> R {
        self.m4[i] * self.m2[j] + self.m2[i] * self.m4[j] + self.all
    }

    /// Mixed second derivative of h₄.
    #[inline(always)]
    fn mixed(&self, i: usize, j: usize) -> R {
        let c = R::constant;
        c(210.0 / 8.0) * self.m2[i] * self.m2[j] - c(30.0 / 8.0) * (self.s2_2[i] + self.s2_2[j])
            + c(6.0 / 8.0) * self.s4
    }
}

/// Third derivatives of h₆, times R⁶ [m⁶].
#[derive(Clone, Copy)]
struct Sixth<R> {
    /// xxx, yyy, zzz.
    thrice: [R; 3],
    /// `[axis once][axis twice]`, for two different axes.
    twice_and_once: [[R; 3]; 3],
    /// xyz.
    each_once: R,
}

impl<R: Real> Sixth<R> {
    /// Contracted with a vector: xx, yy, zz, yz, xz, xy.
    #[inline(always)]
    fn product(&self, y: &[R; 3]) -> [R; 6] {
        let Self { thrice: t, twice_and_once: o, each_once } = *self;
        [
            dot(&[t[0], o[1][0], o[2][0]], y),
            dot(&[o[0][1], t[1], o[2][1]], y),
            dot(&[o[0][2], o[1][2], t[2]], y),
            dot(&[each_once, o[2][1], o[1][2]], y),
            dot(&[o[2][0], each_once, o[0][2]], y),
            dot(&[o[1][0], o[0][1], each_once], y),
        ]
    }
}

/// A symmetric matrix times a vector.
#[inline(always)]
fn product<R: Real>(s: &[R; 6], y: &[R; 3]) -> [R; 3] {
    [dot(&[s[0], s[5], s[4]], y), dot(&[s[5], s[1], s[3]], y), dot(&[s[4], s[3], s[2]], y)]
}

#[inline(always)]
fn dot<R: Real>(a: &[R; 3], b: &[R; 3]) -> R {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

#[inline(always)]
fn scaled<R: Real, const N: usize>(values: &[R; N], factor: R) -> [R; N] {
    let mut scaled = *values;
    for value in &mut scaled {
        *value = *value * factor;
    }
    scaled
}

/// A constant and three terms, the smallest added first.
#[inline(always)]
fn weighted<R: Real>(constant: f64, weights: [f64; 3], terms: &[R; 3]) -> R {
    let c = R::constant;
    let small = c(weights[1]).mul_add(terms[1], c(weights[2]) * terms[2]);
    c(constant) + c(weights[0]).mul_add(terms[0], small)
}

#[cfg(test)]
mod tests;
