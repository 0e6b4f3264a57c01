//! The column between a level floor and the surface, as an integral over its boundary.
//!
//! For unit density, with R from the point to the boundary and N its outward normal, V = 1/2 ∮ N·R/r dS, g_i = -∮ N_i/r dS and T_ij = -∮ N_i R_j/r³ dS: the
//! divergence theorem, applied to R/r, 1/r and its derivatives. The integrand is singular only where the boundary passes through the point. Rectangles below
//! the surface are quartered until they are small compared with their distance, and then integrated by a product of Gauss rules. Walls are integrated along z
//! in closed form.

use craton_device::Lanes;

use super::patch::Patch;
use super::quadrature::{Rule, Rules};
use crate::closed_form::edge;

/// Ratios of half the diagonal of a rectangle to its distance below which 4 x 4 and 8 x 8 nodes are used; with errors of 1e-8 of its contribution or less.
const RATIO_OF_FOUR: f64 = 1.0 / 6.0;
const RATIO_OF_EIGHT: f64 = 0.5;
/// Largest number of times that a rectangle is quartered.
const DEEPEST: usize = 40;
/// Size of the stack of rectangles.
const STACK: usize = 3 * DEEPEST + 4;

/// Bounds along x and y, relative to the point [m].
pub type Rectangle = [[f64; 2]; 2];

/// Integrals over parts of the boundary: all fields in the order of [`crate::Field`], per unit of G times density.
///
/// LINEAR: whether the integrals for a density that is the height above the point are computed, too. Those are V = ∮ N_z r dS, g_i = -∮ z N_i/r dS and
/// T_ij = -∮ z N_i R_j/r³ dS; the volume integrals that the component i = z has in addition are those of unit density ([`Boundary::of_height`]).
pub struct Boundary<'a, V, const LINEAR: bool> {
    pub rules: &'a Rules,
    pub sums: [V; 10],
    moments: [V; 10],
}

impl<'a, V: Lanes<Scalar = f64>, const LINEAR: bool> Boundary<'a, V, LINEAR> {
    /// Integrals over nothing.
    #[inline(always)]
    pub fn new(rules: &'a Rules) -> Self {
        let zero = [V::constant(0.0); 10];
        Self { rules, sums: zero, moments: zero }
    }

    /// The fields for a density that is the height above the point [m].
    #[inline(always)]
    pub fn of_height(&self) -> [V; 10] {
        let (mut fields, unit) = (self.moments, &self.sums);
        for (field, of_unit) in [(3, 0), (6, 1), (8, 2), (9, 3)] {
            fields[field] = fields[field] + unit[of_unit];
        }
        fields
    }

    /// Adds a rectangle of the surface.
    ///
    /// # Arguments
    /// * `sign` – 1 if the normal points up, -1 if it points down
    #[inline(always)]
    pub fn add_surface(&mut self, patch: &Patch, whole: Rectangle, sign: f64) {
        let mut stack = [(whole, 0); STACK];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (rectangle, depth) = stack[waiting];
            let [x, y] = rectangle.map(|[low, high]| 0.5 * (low + high));
            let [z, along, across] = patch.one(x, y);
            let [a, b] = rectangle.map(|[low, high]| high - low);
            let slope2 = 1.0 + along * along + across * across;
            let ratio2 = 0.25 * (a * a + b * b) * slope2 / (x * x + y * y + z * z);
            if ratio2 < RATIO_OF_FOUR * RATIO_OF_FOUR {
                self.add_panel(patch, &rectangle, &self.rules.four, sign);
            } else if ratio2 < RATIO_OF_EIGHT * RATIO_OF_EIGHT || depth == DEEPEST {
                self.add_panel(patch, &rectangle, &self.rules.eight, sign);
            } else {
                let [[x0, x1], [y0, y1]] = rectangle;
                for quarter in [[[x0, x], [y0, y]], [[x, x1], [y0, y]], [[x0, x], [y, y1]], [[x, x1], [y, y1]]] {
                    stack[waiting] = (quarter, depth + 1);
                    waiting += 1;
                }
            }
        }
    }

    /// Adds a rectangle of the surface by a product rule.
    #[inline(always)]
    fn add_panel(&mut self, patch: &Patch, [[x0, x1], [y0, y1]]: &Rectangle, rule: &Rule, sign: f64) {
        let s = V::splat;
        let half = V::constant(0.5);
        let (area, zero) = (s(sign * (x1 - x0) * (y1 - y0)), V::constant(0.0));
        for lane in (0..rule.weight.len()).step_by(V::COUNT) {
            let x = s(x1 - x0).mul_add(V::load(&rule.u, lane), s(*x0));
            let y = s(y1 - y0).mul_add(V::load(&rule.v, lane), s(*y0));
            let weight = area * V::load(&rule.weight, lane);
            let [z, along, across] = patch.at(x, y);
            let r2 = x.mul_add(x, y.mul_add(y, z * z));
            let over = weight * (r2.sqrt() / r2);
            let over3 = over / r2;
            // The normal times dS is (-along, -across, 1) dx dy.
            let normal = [zero - along, zero - across];
            let sums = &mut self.sums;
            let flux = normal[0].mul_add(x, normal[1].mul_add(y, z));
            sums[0] = (half * flux).mul_add(over, sums[0]);
            sums[1] = along.mul_add(over, sums[1]);
            sums[2] = across.mul_add(over, sums[2]);
            sums[3] = sums[3] - over;
            let (ex, nx) = (along * over3, across * over3);
            sums[4] = ex.mul_add(x, sums[4]);
            sums[5] = ex.mul_add(y, sums[5]);
            sums[6] = sums[6] - x * over3;
            sums[7] = nx.mul_add(y, sums[7]);
            sums[8] = sums[8] - y * over3;
            sums[9] = sums[9] - z * over3;
            if LINEAR {
                let (moments, over, over3) = (&mut self.moments, z * over, z * over3);
                moments[0] = weight.mul_add(r2.sqrt(), moments[0]);
                moments[1] = along.mul_add(over, moments[1]);
                moments[2] = across.mul_add(over, moments[2]);
                moments[3] = moments[3] - over;
                let (ex, nx) = (along * over3, across * over3);
                moments[4] = ex.mul_add(x, moments[4]);
                moments[5] = ex.mul_add(y, moments[5]);
                moments[6] = moments[6] - x * over3;
                moments[7] = nx.mul_add(y, moments[7]);
                moments[8] = moments[8] - y * over3;
                moments[9] = moments[9] - z * over3;
            }
        }
    }

    /// Adds the wall of a column between a level floor and the surface.
    ///
    /// # Arguments
    /// * `axis` – 0 for a wall normal to x, 1 for one normal to y
    /// * `at` – offset of the wall from the point along that axis [m]; `outward` – 1 if the normal points along it, -1 if against it
    /// * `ends` – first and last offset along the wall [m]; `floor` – offset of the floor [m]
    #[inline(always)]
    pub fn add_wall(&mut self, patch: &Patch, axis: usize, at: f64, outward: f64, ends: [f64; 2], floor: f64) {
        let mut stack = [(ends, 0); DEEPEST + 2];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let ([low, high], depth) = stack[waiting];
            let middle = 0.5 * (low + high);
            let half = 0.5 * (high - low);
            let [top, along, across] = if axis == 0 { patch.one(at, middle) } else { patch.one(middle, at) };
            let slope = if axis == 0 { across } else { along };
            // Vertical distance of the point from the wall, measured from the middle.
            let above = (-top).max(floor).max(0.0);
            let distance2 = at * at + middle * middle + above * above;
            let is_small = half * half * (1.0 + slope * slope) < RATIO_OF_EIGHT * RATIO_OF_EIGHT * distance2;
            if is_small || depth == DEEPEST {
                self.add_strip(patch, axis, at, outward, [low, high], floor);
            } else {
                stack[waiting] = ([low, middle], depth + 1);
                stack[waiting + 1] = ([middle, high], depth + 1);
                waiting += 2;
            }
        }
    }

    /// Adds a part of a wall by a Gauss rule along it.
    #[inline(always)]
    fn add_strip(&mut self, patch: &Patch, axis: usize, at: f64, outward: f64, [low, high]: [f64; 2], floor: f64) {
        let s = V::splat;
        let [nodes, weights] = &self.rules.line;
        for lane in (0..nodes.len()).step_by(V::COUNT) {
            let place = s(high - low).mul_add(V::load(nodes, lane), s(low));
            let weight = s(outward * (high - low)) * V::load(weights, lane);
            let [top, ..] = if axis == 0 { patch.at(s(at), place) } else { patch.at(place, s(at)) };
            let across2 = place.mul_add(place, s(at * at));
            let [line, cube] = along_z(s(floor), top, across2);
            let (line, cube) = (weight * line, weight * cube);
            let sums = &mut self.sums;
            sums[0] = (V::constant(0.5) * s(at)).mul_add(line, sums[0]);
            sums[1 + axis] = sums[1 + axis] - line;
            let diagonal = if axis == 0 { 4 } else { 7 };
            sums[diagonal] = sums[diagonal] - s(at) * cube;
            if axis == 0 {
                sums[5] = sums[5] - place * cube;
            }
            if LINEAR {
                let moments = &mut self.moments;
                // Integrals of z/r and z/r³ along the line.
                let [low, high] = [s(floor), top].map(|z| z.mul_add(z, across2).sqrt());
                let rise = weight * ((top - s(floor)) * (top + s(floor)) / (low + high));
                let fall = rise / (low * high);
                moments[1 + axis] = moments[1 + axis] - rise;
                moments[diagonal] = moments[diagonal] - s(at) * fall;
                if axis == 0 {
                    moments[5] = moments[5] - place * fall;
                }
            }
        }
    }
}

/// Integrals of 1/r and 1/r³ along a vertical line from `low` to `high`, which lies at the squared distance `across2` from the point.
#[inline(always)]
fn along_z<V: Lanes<Scalar = f64>>(low: V, high: V, across2: V) -> [V; 2] {
    let zero = V::constant(0.0);
    // `edge` requires ascending ends.
    let (bottom, top) = (low.min(high), low.max(high));
    let ends = [bottom.mul_add(bottom, across2).sqrt(), top.mul_add(top, across2).sqrt()];
    let length = top - bottom;
    let line = edge(&[bottom, top], length, &ends, across2).finite;
    let product = ends[0] * ends[1];
    // Where both ends lie on one side, the difference of the quotients z/r would cancel.
    let one_sided = length * (top + bottom) / (product * bottom.mul_add(ends[1], top * ends[0]));
    let two_sided = (top * ends[0] - bottom * ends[1]) / (product * across2);
    let cube = V::select_less(zero, bottom * top, one_sided, two_sided);
    let is_down = |value: V| V::select_less(high, low, zero - value, value);
    [is_down(line), is_down(cube)]
}
