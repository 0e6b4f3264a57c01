//! Multipole fields at a row of points along x, as one univariate polynomial per field.
//!
//! All points of a row have the same offset y, z from the centre of the prism and thus the same distance ρ from the line through it along x. The squared
//! direction cosines 1 - ρ²/R², y²/R² and z²/R² are therefore linear in 1/R², and the series of a field is a polynomial in 1/R² of degree at most 7, determined
//! by eight of its values. A row is evaluated field by field, so that the coefficients stay in registers.

use craton_device::Lanes;

use super::Multipole;
use crate::{Field, Fields};

/// Coefficients of a polynomial.
const COUNT: usize = 8;

/// The polynomials of a row of points.
pub struct Row<V> {
    /// Squared distance between the row and the centre of the prism [m²].
    across2: V,
    /// The polynomial variable is this times 1/R², from 0 to 7 [m²].
    scale: V,
    /// Coefficients of the polynomials, in the order of [`Field`], multiplied by the factors common to the row.
    polynomials: [[V; COUNT]; 10],
}

impl<V: Lanes<Scalar = f64>> Row<V> {
    /// Computes the polynomials of a row.
    ///
    /// # Arguments
    /// * `across` – offset from a point to the centre of the prism along y and z [m]
    /// * `nearest2` – squared smallest distance at which the row is evaluated [m²]
    #[inline(always)]
    pub fn new(multipole: &Multipole<V>, across: [V; 2], nearest2: V, wanted: Fields) -> Self {
        let [y2, z2] = [across[0] * across[0], across[1] * across[1]];
        let across2 = y2 + z2;
        let scale = V::constant((COUNT - 1) as f64) * across2.max(nearest2);
        let values = values(multipole, [y2, z2], scale, wanted);
        let mut polynomials = [[V::constant(0.0); COUNT]; 10];
        for field in wanted.iter() {
            let shared = multipole.volume * cosines(field, across);
            for (place, coefficient) in polynomials[field as usize].iter_mut().zip(coefficients(values[field as usize]))
            {
                *place = shared * V::splat(coefficient);
            }
        }
        Self { across2, scale, polynomials }
    }

    /// Squared distance [m²] from a point to the centre, which is `x` away along x [m].
    #[inline(always)]
    pub fn distance2(&self, x: V) -> V {
        x.mul_add(x, self.across2)
    }

    /// Fills `values` with one of the wanted fields at all points of a row, equal to [`Multipole::at`] within round-off. Verified by
    /// `multipole::tests::a_row_matches_its_points`.
    ///
    /// # Arguments
    /// * `x` – offset from each point to the centre of the prism [m]
    /// * `inverse` – inverse distances [1/m]; the lengths of both are multiples of the vector width
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

    /// Fills `values` with the polynomial times a factor that depends on 1/R, 1/R² and x.
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

/// Values of the series at 0, 1, 2, ...
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
    // Divided differences, then conversion from the Newton form to monomials.
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

/// Evaluates a polynomial by Horner's rule.
#[inline(always)]
fn horner<V: Lanes>(polynomial: &[V; COUNT], variable: V) -> V {
    let mut value = polynomial[COUNT - 1];
    for n in (0..COUNT - 1).rev() {
        value = value.mul_add(variable, polynomial[n]);
    }
    value
}

/// The factors y and z [m] of a field, which are common to the row.
#[inline(always)]
fn cosines<V: Lanes>(field: Field, [y, z]: [V; 2]) -> V {
    match field {
        Field::North | Field::EastNorth => y,
        Field::Up | Field::EastUp => z,
        Field::NorthUp => y * z,
        _ => V::constant(1.0),
    }
}
