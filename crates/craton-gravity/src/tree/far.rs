//! Potential, attraction and tensor of an expansion at a point.
//!
//! V is the sum over l and m of Q_lm(z, w) Re((A_lm - i B_lm) (x + iy)^m), w = x² + y². Since ∂Q_lm/∂z = -Q_(l+1)m and 2 ∂Q_lm/∂w = -Q_(l+1)(m+1), derivatives
//! are sums over l of the same coefficients with other Q, and then over m with (x + iy)^m and its derivatives. ∂²V/∂z² follows from Laplace's equation.
//! Q_mm = (2m - 1)!!/r^(2m + 1), r² Q_(l+1)m = (2l + 1) z Q_lm - (l² - m²) Q_(l-1)m. The relations are those of the solid harmonics of `solid.rs`, with
//! I_lm = Q_lm (x + iy)^m.

use craton_device::Lanes;

use super::moments::DEGREE;
use super::solid::first_of;

/// Q_lm of an m, from l = m on.
type Row<V> = [V; DEGREE + 3];

/// A complex number.
type Complex<V> = [V; 2];

/// All fields in the order of [`crate::Field`] per unit of G times mass, with lengths in units of the radius; derivatives of an order above `KIND` are
/// undefined.
///
/// # Arguments
/// * `coefficients` – coefficients of the node; `order` – highest degree evaluated
/// * `offset` – from the node's centre to the point, in radii
#[inline(always)]
pub fn expansion<V: Lanes<Scalar = f64>, const KIND: usize>(
    coefficients: &[f64],
    order: usize,
    offset: &[V; 3],
) -> [V; 10] {
    let c = V::constant;
    let zero = [c(0.0); 2];
    let [x, y, z] = *offset;
    let w = x.mul_add(x, y * y);
    let q2 = z.mul_add(z, w).recip();
    let zq = z * q2;
    let mut corner = q2.sqrt();
    let mut rows = [[c(0.0); DEGREE + 3]; 3];
    for m in 0..=KIND {
        fill(&mut rows[m], m, order + KIND - m, corner, zq, q2);
        corner = corner * q2 * c((2 * m + 1) as f64);
    }
    let mut sums = Sums::new();
    // (x + iy)^m and its first and second derivative.
    let mut powers = [[c(1.0), c(0.0)], zero, zero];
    for m in 0..=order {
        let of_m = &coefficients[first_of(m)..first_of(m) + 2 * (order - m + 1)];
        let along = along::<V, KIND>(of_m, [&rows[m % 3], &rows[(m + 1) % 3], &rows[(m + 2) % 3]]);
        sums.add::<KIND>(&along, &powers);
        let n = c((m + 1) as f64);
        let [power, first, _] = powers;
        let next = [x.mul_add(power[0], -(y * power[1])), x.mul_add(power[1], y * power[0])];
        powers = [next, [n * power[0], n * power[1]], [n * first[0], n * first[1]]];
        let new = m + 1 + KIND;
        if m < order {
            fill(&mut rows[new % 3], new, order + KIND - new, corner, zq, q2);
            corner = corner * q2 * c((2 * new + 1) as f64);
        }
    }
    sums.fields(x, y, w)
}

/// Fills Q of an order m up to l = m + `count`, from its value at l = m.
#[inline(always)]
fn fill<V: Lanes<Scalar = f64>>(row: &mut Row<V>, m: usize, count: usize, corner: V, zq: V, q2: V) {
    let c = V::constant;
    let (mut before, mut here) = (c(0.0), corner);
    row[0] = corner;
    for (step, q) in row[1..].iter_mut().take(count).enumerate() {
        let l = m + step;
        let next = (c((2 * l + 1) as f64) * zq).mul_add(here, -(c((l * l - m * m) as f64) * q2 * before));
        *q = next;
        (before, here) = (here, next);
    }
}

/// Sums over l of coefficients with Q and its derivatives.
struct Along<V> {
    plain: Complex<V>,
    z: Complex<V>,
    w: Complex<V>,
    zw: Complex<V>,
    ww: Complex<V>,
}

/// The sums over l for an order m, from the rows of m, m + 1 and m + 2.
#[inline(always)]
fn along<V: Lanes<Scalar = f64>, const KIND: usize>(coefficients: &[f64], rows: [&Row<V>; 3]) -> Along<V> {
    let zero = [V::constant(0.0); 2];
    let mut sums = Along { plain: zero, z: zero, w: zero, zw: zero, ww: zero };
    let count = (coefficients.len() / 2).min(DEGREE + 1);
    for l in 0..count {
        let pair = [V::splat(coefficients[2 * l]), V::splat(coefficients[2 * l + 1])];
        accumulate(&mut sums.plain, &pair, rows[0][l]);
        if KIND > 0 {
            accumulate(&mut sums.z, &pair, rows[0][l + 1]);
            accumulate(&mut sums.w, &pair, rows[1][l]);
        }
        if KIND > 1 {
            accumulate(&mut sums.zw, &pair, rows[1][l + 1]);
            accumulate(&mut sums.ww, &pair, rows[2][l]);
        }
    }
    sums
}

#[inline(always)]
fn accumulate<V: Lanes<Scalar = f64>>(sum: &mut Complex<V>, pair: &Complex<V>, q: V) {
    sum[0] = pair[0].mul_add(q, sum[0]);
    sum[1] = pair[1].mul_add(q, sum[1]);
}

/// Sums over m: real ones with (x + iy)^m, pairs with its first derivatives along x and y, pairs with its second derivatives.
struct Sums<V> {
    plain: V,
    plain_1: Complex<V>,
    plain_2: Complex<V>,
    z: V,
    z_1: Complex<V>,
    w: V,
    w_1: Complex<V>,
    zw: V,
    ww: V,
}

impl<V: Lanes<Scalar = f64>> Sums<V> {
    #[inline(always)]
    fn new() -> Self {
        let zero = V::constant(0.0);
        let pair = [zero; 2];
        Self { plain: zero, plain_1: pair, plain_2: pair, z: zero, z_1: pair, w: zero, w_1: pair, zw: zero, ww: zero }
    }

    #[inline(always)]
    fn add<const KIND: usize>(&mut self, along: &Along<V>, [power, first, second]: &[Complex<V>; 3]) {
        add_real(&mut self.plain, &along.plain, power);
        if KIND > 0 {
            add_both(&mut self.plain_1, &along.plain, first);
            add_real(&mut self.z, &along.z, power);
            add_real(&mut self.w, &along.w, power);
        }
        if KIND > 1 {
            add_both(&mut self.plain_2, &along.plain, second);
            add_both(&mut self.z_1, &along.z, first);
            add_both(&mut self.w_1, &along.w, first);
            add_real(&mut self.zw, &along.zw, power);
            add_real(&mut self.ww, &along.ww, power);
        }
    }

    #[inline(always)]
    fn fields(&self, x: V, y: V, w: V) -> [V; 10] {
        let two = V::constant(2.0);
        let ([u, v], [u_w, v_w]) = (self.plain_1, self.w_1);
        let (ww, twice) = (self.ww, two * (x * u_w + y * v_w));
        let east_east = self.plain_2[0] - two * x * u_w - self.w + x * x * ww;
        let north_north = -self.plain_2[0] - two * y * v_w - self.w + y * y * ww;
        [
            self.plain,
            u - x * self.w,
            v - y * self.w,
            -self.z,
            east_east,
            self.plain_2[1] - y * u_w - x * v_w + x * y * ww,
            x * self.zw - self.z_1[0],
            north_north,
            y * self.zw - self.z_1[1],
            twice + two * self.w - w * ww,
        ]
    }
}

/// Adds Re(conj(a) p).
#[inline(always)]
fn add_real<V: Lanes<Scalar = f64>>(sum: &mut V, a: &Complex<V>, p: &Complex<V>) {
    *sum = a[1].mul_add(p[1], a[0].mul_add(p[0], *sum));
}

/// Adds the real part of conj(a) p and of its product with i: derivatives along x and along y.
#[inline(always)]
fn add_both<V: Lanes<Scalar = f64>>(sum: &mut Complex<V>, a: &Complex<V>, p: &Complex<V>) {
    sum[0] = a[1].mul_add(p[1], a[0].mul_add(p[0], sum[0]));
    sum[1] = a[1].mul_add(p[0], (-a[0]).mul_add(p[1], sum[1]));
}
