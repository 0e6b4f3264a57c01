//! A prism's field from afar: multipoles of degree 0, 2, 4 and 6; those of odd degree vanish.
//!
//! V = m/R (1 + h₂ + h₄ + h₆), hₙ = <sⁿ Pₙ(cos γ)>/Rⁿ, the mean over the prism of s from its centre at an angle γ with the point. hₙ is a homogeneous polynomial of
//! degree n/2 in the squares of the direction's cosines.
//!
//! What is left out. With d half the diagonal, <sⁿ> <= dⁿ/(n + 1): s² is the sum of three squares, and by Minkowski's inequality its norm of order n/2 at most that
//! of their norms, a² (n + 1)^(-2/n) each. A source at distance s gives a term of degree n that is largest on its axis; there the potential is sⁿ/Rⁿ, the
//! attraction n + 1 and the tensor (n + 1)(n + 2)/2 times that, in parts of those of degree 0. So what follows degree 6 is at most 5 (d/R)⁸ + 6 (d/R)¹⁰ + ... of the
//! tensor, and less of the others: 1e-10 from [`FAR`] on.

use craton_physics::Real;

/// Half diagonals from which the multipole leaves out less than 1e-10 of V, |g| and the tensor's norm.
/// Verified by `multipole::tests::what_is_left_out_is_below_the_bound`.
pub const FAR: f64 = 22.0;

/// Coefficients of the polynomials, and what they multiply.
#[derive(Clone, Copy)]
pub struct Multipole<R> {
    /// Volume [m³].
    volume: R,
    /// Gradient of h₂ in the squares of cosines, times R² [m²].
    second: [R; 3],
    /// Second derivatives of h₄, times R⁴ [m⁴]: xx, yy, zz, yz, xz, xy.
    fourth: [R; 6],
    /// Third derivatives of h₆, times R⁶ [m⁶]: those along one axis x, y, z; twice one axis and once another as [once][twice]; all three.
    sixth: ([R; 3], [[R; 3]; 3], R),
}

impl<R: Real> Multipole<R> {
    /// Of a prism of `size` [m].
    #[inline(always)]
    pub fn new(size: &[R; 3]) -> Self {
        let c = R::constant;
        let square = [0, 1, 2].map(|i| size[i] * size[i] * c(0.25));
        // Means of powers of one coordinate.
        let m2 = square.map(|a2| a2 * c(1.0 / 3.0));
        let m4 = square.map(|a2| a2 * a2 * c(0.2));
        let m6 = square.map(|a2| a2 * a2 * a2 * c(1.0 / 7.0));
        let all = m2[0] * m2[1] * m2[2];
        let others = |i: usize| m2[(i + 1) % 3] + m2[(i + 2) % 3];
        // Means with s² and s⁴ before powers of coordinates.
        let s2_2 = [0, 1, 2].map(|i| m4[i] + m2[i] * others(i));
        let s2_4 = [0, 1, 2].map(|i| m6[i] + m4[i] * others(i));
        let s2_22 = |i: usize, j: usize| m4[i] * m2[j] + m2[i] * m4[j] + all;
        let s4_2 = [0, 1, 2].map(|i| s2_4[i] + s2_22(i, (i + 1) % 3) + s2_22(i, (i + 2) % 3));
        let sum = |v: [R; 3]| v[0] + v[1] + v[2];
        let (s2, s4, s6) = (sum(m2), sum(s2_2), sum(s4_2));
        let pair = |i: usize, j: usize| {
            (c(210.0) * m2[i] * m2[j] - c(30.0) * (s2_2[i] + s2_2[j]) + c(6.0) * s4) * c(1.0 / 8.0)
        };
        let twice_and_once = |j: usize, i: usize| {
            let powers = c(3465.0) * m4[i] * m2[j] - c(315.0) * (s2_4[i] + c(6.0) * s2_22(i, j));
            (powers + c(105.0) * (s4_2[j] + c(2.0) * s4_2[i]) - c(15.0) * s6) * c(1.0 / 8.0)
        };
        let pairs = s2_22(0, 1) + s2_22(0, 2) + s2_22(1, 2);
        let alone = |i: usize| (c(35.0) * m4[i] - c(30.0) * s2_2[i] + c(3.0) * s4) * c(1.0 / 4.0);
        Self {
            volume: size[0] * size[1] * size[2],
            second: [0, 1, 2].map(|i| c(1.5) * m2[i] - c(0.5) * s2),
            fourth: [alone(0), alone(1), alone(2), pair(1, 2), pair(0, 2), pair(0, 1)],
            sixth: (
                [0, 1, 2].map(|i| {
                    (c(231.0) * m6[i] - c(315.0) * s2_4[i] + c(105.0) * s4_2[i] - c(5.0) * s6) * c(6.0 / 16.0)
                }),
                [0, 1, 2].map(|j| [0, 1, 2].map(|i| if i == j { c(0.0) } else { twice_and_once(j, i) })),
                (c(20790.0) * all - c(1890.0) * pairs + c(180.0) * s6) * c(1.0 / 16.0),
            ),
        }
    }

    /// All fields at a point, in the order of [`crate::Field`], per unit of G times density.
    ///
    /// # Arguments
    /// * `centre` – from the point to the prism's centre [m], [`FAR`] half diagonals away or more; `distance2` – its square [m²]
    #[inline(always)]
    pub fn at(&self, centre: &[R; 3], distance2: R) -> [R; 10] {
        let c = R::constant;
        let q = distance2.recip();
        let root = q.sqrt();
        let u = [centre[0] * root, centre[1] * root, centre[2] * root];
        let y = [u[0] * u[0], u[1] * u[1], u[2] * u[2]];
        let (q2, q3) = (q * q, q * q * q);
        let dot = |a: &[R; 3]| a[2].mul_add(y[2], a[1].mul_add(y[1], a[0] * y[0]));
        let apply = |s: &[R; 6]| [dot(&[s[0], s[5], s[4]]), dot(&[s[5], s[1], s[3]]), dot(&[s[4], s[3], s[2]])];
        // First (g) and second (s) derivatives of each degree in the squares of cosines, and its value (h).
        let g2 = self.second.map(|a| a * q);
        let s4 = self.fourth.map(|a| a * q2);
        let g4 = apply(&s4);
        let ([xxx, yyy, zzz], [once_x, once_y, once_z], xyz) = &self.sixth;
        let s6 = [
            dot(&[*xxx, once_y[0], once_z[0]]),
            dot(&[once_x[1], *yyy, once_z[1]]),
            dot(&[once_x[2], once_y[2], *zzz]),
            dot(&[*xyz, once_z[1], once_y[2]]),
            dot(&[once_z[0], *xyz, once_x[2]]),
            dot(&[once_y[0], once_x[1], *xyz]),
        ]
        .map(|a| a * q3);
        let g6 = apply(&s6).map(|a| a * c(0.5));
        let (h2, h4, h6) = (dot(&g2), c(0.5) * dot(&g4), c(1.0 / 3.0) * dot(&g6));
        let weighted = |w: [f64; 4]| c(w[0]) + (c(w[1]) * h2 + (c(w[2]) * h4 + c(w[3]) * h6));
        // R^-(2n+1) brings 2n + 1 with each derivative, and 2n + 3 with the second.
        let (w0, w1, w2) =
            (weighted([1.0; 4]), weighted([1.0, 5.0, 9.0, 13.0]), weighted([3.0, 35.0, 99.0, 195.0]));
        let g = [0, 1, 2].map(|i| c(2.0) * (g2[i] + (g4[i] + g6[i])));
        let g_weighted = [0, 1, 2].map(|i| c(2.0) * (c(5.0) * g2[i] + (c(9.0) * g4[i] + c(13.0) * g6[i])));
        let s = [0, 1, 2, 3, 4, 5].map(|k| c(4.0) * (s4[k] + s6[k]));
        let m0 = self.volume * root;
        let (m1, m2) = (m0 * root, m0 * q);
        let attraction = |i: usize| m1 * u[i] * (w1 - g[i]);
        let diagonal = |i: usize| m2 * (g[i] - w1 + y[i] * (s[i] - c(2.0) * g_weighted[i] + w2));
        let mixed = |i: usize, j: usize, k: usize| m2 * u[i] * u[j] * (s[k] - g_weighted[i] - g_weighted[j] + w2);
        [
            m0 * w0,
            attraction(0),
            attraction(1),
            attraction(2),
            diagonal(0),
            mixed(0, 1, 5),
            mixed(0, 2, 4),
            diagonal(1),
            mixed(1, 2, 3),
            diagonal(2),
        ]
    }
}

#[cfg(test)]
mod tests;
