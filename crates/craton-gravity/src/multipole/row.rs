//! A multipole at a row of points along x: a polynomial of one variable for each field.
//!
//! The squares of the distance, along x and altogether, differ by the same ρ² in the whole row. So the squares of the direction's cosines, 1 - ρ²/R² and those of y and z
//! over R², are polynomials of degree one in 1/R², and the series of a field is one of degree 7 at most: eight of its values tell it everywhere. The points of a row are taken field by field, whose coefficients then stay in registers.

use craton_device::Lanes;

use super::Multipole;
use crate::{Field, Fields};

/// Coefficients of a polynomial.
const COUNT: usize = 8;

/// What is there at a row of points.
pub struct Row<V> {
    /// Square of what beside the row stands between a point and the prism's centre [m²].
    beside2: V,
    /// Times 1/R², the variable: from 0 to 7 [m²].
    scale: V,
    /// Coefficients of the polynomials, in the order of [`Field`], with what all points of the row share as a factor.
    polynomials: [[V; COUNT]; 10],
}

impl<V: Lanes<Scalar = f64>> Row<V> {
    /// The polynomials of a row.
    ///
    /// # Arguments
    /// * `beside` – from a point to the prism's centre along y and z [m]
    /// * `nearest2` – square of the distance from which on it serves [m²]
    #[inline(always)]
    pub fn new(multipole: &Multipole<V>, beside: [V; 2], nearest2: V, wanted: Fields) -> Self {
        let [y2, z2] = [beside[0] * beside[0], beside[1] * beside[1]];
        let beside2 = y2 + z2;
        let scale = V::constant((COUNT - 1) as f64) * beside2.max(nearest2);
        let values = values(multipole, [y2, z2], scale, wanted);
        let mut polynomials = [[V::constant(0.0); COUNT]; 10];
        for field in wanted.iter() {
            let shared = multipole.volume * cosines(field, beside);
            for (place, coefficient) in polynomials[field as usize].iter_mut().zip(coefficients(values[field as usize]))
            {
                *place = shared * V::splat(coefficient);
            }
        }
        Self { beside2, scale, polynomials }
    }

    /// Square of the distance of points [m²] from which the centre is `x` away along x [m].
    #[inline(always)]
    pub fn distance2(&self, x: V) -> V {
        x.mul_add(x, self.beside2)
    }

    /// One of the fields that were wanted, at all points of a row, as [`Multipole::at`] has it. Verified by `multipole::tests::a_row_is_its_points`.
    ///
    /// # Arguments
    /// * `x` – from each point to the prism's centre [m], `inverse` – of their distances [1/m]: whole lanes of both
    /// * `values` – is filled
    #[inline(always)]
    pub fn fill(&self, field: Field, x: &[f64], inverse: &[f64], values: &mut [f64]) {
        match field {
            Field::Potential => self.fill_with(field, x, inverse, values, |root, _, _| root),
            Field::East => self.fill_with(field, x, inverse, values, |root, q, x| root * q * x),
            Field::EastNorth | Field::EastUp => {
                self.fill_with(field, x, inverse, values, |root, q, x| root * q * (q * x))
            }
            Field::NorthUp => self.fill_with(field, x, inverse, values, |root, q, _| root * q * q),
            _ => self.fill_with(field, x, inverse, values, |root, q, _| root * q),
        }
    }

    /// The same, of the polynomial's value and a factor made of 1/R, 1/R² and x.
    #[inline(always)]
    fn fill_with(&self, field: Field, x: &[f64], inverse: &[f64], values: &mut [f64], factor: impl Fn(V, V, V) -> V) {
        let polynomial = self.polynomials[field as usize];
        for lane in (0..values.len()).step_by(V::COUNT) {
            let root = V::load(inverse, lane);
            let q = root * root;
            let value = horner(&polynomial, self.scale * q);
            (factor(root, q, V::load(x, lane)) * value).store(values, lane);
        }
    }
}

/// Values of the series where the variable is 0, 1, 2, ...
#[inline(always)]
fn values<V: Lanes<Scalar = f64>>(
    multipole: &Multipole<V>,
    [y2, z2]: [V; 2],
    scale: V,
    wanted: Fields,
) -> [[f64; COUNT]; 10] {
    const { assert!(COUNT.is_multiple_of(V::COUNT)) };
    let mut variable = [0.0; COUNT];
    for (n, variable) in variable.iter_mut().enumerate() {
        *variable = n as f64;
    }
    let mut values = [[0.0; COUNT]; 10];
    for lane in (0..COUNT).step_by(V::COUNT) {
        let q = V::load(&variable, lane) / scale;
        let [y, z] = [y2 * q, z2 * q];
        let series = multipole.series(q, &[V::constant(1.0) - (y + z), y, z], wanted);
        for (values, series) in values.iter_mut().zip(series) {
            series.store(values, lane);
        }
    }
    values
}

/// Coefficients of the polynomial that has these values at 0, 1, 2, ...
#[inline(always)]
fn coefficients(mut values: [f64; COUNT]) -> [f64; COUNT] {
    // Newton's form, whose steps are multiplied out from the last one on.
    for level in 1..COUNT {
        let share = 1.0 / level as f64;
        for n in (level..COUNT).rev() {
            values[n] = share * (values[n] - values[n - 1]);
        }
    }
    for step in (1..COUNT - 1).rev() {
        for n in step..COUNT - 1 {
            values[n] -= step as f64 * values[n + 1];
        }
    }
    values
}

/// The polynomial's value.
#[inline(always)]
fn horner<V: Lanes>(polynomial: &[V; COUNT], variable: V) -> V {
    let mut value = polynomial[COUNT - 1];
    for n in (0..COUNT - 1).rev() {
        value = value.mul_add(variable, polynomial[n]);
    }
    value
}

/// The cosines along y and z that a field is multiplied with, times the distance [m] for each.
#[inline(always)]
fn cosines<V: Lanes>(field: Field, [y, z]: [V; 2]) -> V {
    match field {
        Field::North | Field::EastNorth => y,
        Field::Up | Field::EastUp => z,
        Field::NorthUp => y * z,
        _ => V::constant(1.0),
    }
}
