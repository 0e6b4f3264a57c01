//! Third derivatives of the potential of a multipole.
//!
//! As a function of the squared offsets X, Y, Z, the potential of degree n is P Rˢ, s = -(2n + 1), with a homogeneous polynomial P of degree n/2. Each derivative
//! with respect to X, Y or Z is one of P, or a factor of the exponent s/2, s/2 - 1 or s/2 - 2. The chain rule gives U_xxy = y (4 F_XY + 8 x² F_XXY) and
//! U_xyz = 8 x y z F_XYZ, up to the sign; the derivatives along one axis alone follow from Laplace's equation.

use craton_physics::Real;

use super::{Multipole, dot, product, scaled, weighted};

impl<R: Real> Multipole<R> {
    /// Third derivatives with respect to the point, in the order eee, een, eeu, enn, enu, euu, nnn, nnu, nuu, uuu, per unit of G times density [1/m].
    ///
    /// # Arguments
    /// * `centre` – vector from the point to the centre of the prism [m]; `distance2` – its squared length [m²]
    /// # Domain
    /// Verified by `magnetics::gradients_match_fifty_digits`.
    #[inline(always)]
    pub fn third(&self, centre: &[R; 3], distance2: R) -> [R; 10] {
        let c = R::constant;
        let q = distance2.recip();
        let root = q.sqrt();
        let u = [centre[0] * root, centre[1] * root, centre[2] * root];
        let y = [u[0] * u[0], u[1] * u[1], u[2] * u[2]];
        let (q2, q3) = (q * q, q * q * q);
        // First (g) and second (s) derivatives of each degree with respect to the squared cosines, and its value (h).
        let g2 = scaled(&self.second, q);
        let s4 = scaled(&self.fourth, q2);
        let g4 = product(&s4, &y);
        let s6 = scaled(&self.sixth.product(&y), q3);
        let g6 = scaled(&product(&s6, &y), c(0.5));
        let h = [dot(&g2, &y), c(0.5) * dot(&g4, &y), c(1.0 / 3.0) * dot(&g6, &y)];
        let w2 = weighted(3.0, [35.0, 99.0, 195.0], &h);
        let w3 = weighted(15.0, [315.0, 1287.0, 3315.0], &h);
        let (mut crossed, mut sloped, mut curved) = (y, y, s4);
        for i in 0..3 {
            crossed[i] = weighted(0.0, [10.0, 18.0, 26.0], &[g2[i], g4[i], g6[i]]);
            sloped[i] = weighted(0.0, [70.0, 198.0, 390.0], &[g2[i], g4[i], g6[i]]);
        }
        for i in 0..6 {
            curved[i] = c(36.0) * s4[i] + c(52.0) * s6[i];
        }
        let minus = -(self.volume * root * (q * root));
        // Twice along i and once along j; the mixed components are in the order of the axis that they lack.
        let twice = |i: usize, j: usize| {
            let mixed = 6 - i - j;
            let second = c(4.0) * (s4[mixed] + s6[mixed]) + (w2 - (crossed[i] + crossed[j]));
            let steep = c(2.0) * (sloped[i] - curved[mixed]) + (sloped[j] - curved[i]);
            let third = c(8.0) * q3 * self.sixth.twice_and_once[j][i] + (steep - w3);
            minus * u[j] * y[i].mul_add(third, second)
        };
        let (een, eeu, enn, euu, nnu, nuu) =
            (twice(0, 1), twice(0, 2), twice(1, 0), twice(2, 0), twice(1, 2), twice(2, 1));
        let steep = (sloped[0] + sloped[1] + sloped[2]) - (curved[3] + curved[4] + curved[5]);
        let each = c(8.0) * q3 * self.sixth.each_once + (steep - w3);
        let enu = minus * (u[0] * u[1] * u[2]) * each;
        [-(enn + euu), een, eeu, enn, enu, euu, -(een + nuu), nnu, nuu, -(eeu + nnu)]
    }
}
