//! Weights of a position next to jumps of density: axis by axis, without the kinks of the fields at the jumps.
//!
//! Along a line of points the field is continued from the side of the position across each interface, by subtraction of the kink of its values on
//! the other side; the sum of the weights then is that of a smooth field. The kink is proportional to a quantity that is continuous at the
//! interface and is itself a weighted sum of grid values:
//!
//! | field | continued along its axis | slope on a side |
//! |---|---|---|
//! | pressure | p, all axes | ρ g, g = (1/ρ) ∂p/∂n from the stencil at the interface |
//! | velocity, across its own axis | q = ρ v, divided by ρ at the position | ρ g, g = (1/ρ) ∂q/∂n |
//! | velocity, along its own axis | v | e / κ - c / ρ, e = κ ∇·v and c = ρ (∇·v - ∂v/∂n) from both cells at the interface |
//!
//! Positions next to an interface that dips have weights of their own: [`super::slopes`]. The pressure of a cell that an interface divides
//! is the value at the centroid of 1/κ, which is corrected with its slope. Second derivatives also jump where the speed does; at the default number of
//! points per wavelength, their effect is below 0.1 %.

use craton_device::Scalar;
use craton_numerics::sinc::Taps;

use super::jumps::{Jump, ON_JUMP, REACH};
use super::medium::at_index;
use super::setup::PRESSURE;
use super::taps::Weights;

/// Weights of kinks below this value [cells] are omitted.
const NEGLIGIBLE: f64 = 1e-4;
/// Steepest slope [–] of an interface that counts as normal to an axis, measured over this number of cells on either side.
const STEEPEST: f64 = 0.1;
const FAR: i64 = 3;
/// Offset of pressure from the lower face of its cell [cells].
const CENTRE: f64 = 0.5;

/// A weighted grid point: field, indices, weight.
pub type Sample = (usize, [i64; 3], f64);

/// The weights of a field at a position.
pub struct Sampler<'a, T> {
    pub of: &'a Weights<'a, T>,
    /// The field: an axis of velocity, or [`PRESSURE`].
    pub field: usize,
    /// Position in cells.
    pub place: [f64; 3],
    /// Weights along each axis without jumps, of the points of the field and of the centres of cells.
    pub own: [Taps; 3],
    pub centres: [Taps; 3],
    pub found: Vec<Sample>,
}

/// Weights of the points of a line, and of the derivatives that kinks of a normal velocity depend on.
struct Line {
    first: i64,
    weights: Vec<f64>,
    /// Cell, weight of the contribution of the other velocities to ∇·v, and of the same with the densities of the faces.
    across: Vec<(i64, [f64; 2])>,
}

impl Line {
    fn new(taps: &Taps, margin: i64) -> Self {
        let mut weights = vec![0.0; taps.weights.len() + 2 * margin as usize];
        weights[margin as usize..][..taps.weights.len()].copy_from_slice(&taps.weights);
        Self { first: taps.first - margin, weights, across: Vec::new() }
    }

    fn add(&mut self, point: i64, weight: f64) {
        self.weights[(point - self.first) as usize] += weight;
    }

    fn points(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        (self.first..).zip(self.weights.iter().copied()).filter(|&(_, weight)| weight != 0.0)
    }
}

impl<T: Scalar> Sampler<'_, T> {
    /// Whether the position is next to an interface that is not normal to an axis: there fields are not continued along axes.
    pub fn is_next_to_a_slope(&self) -> bool {
        let index = self.of.own_cell(self.place, self.field);
        let sides = |axis: usize| self.of.axes.iter().filter(move |&&other| other != axis);
        let is_sloping = |axis: usize, jump: &Jump| {
            sides(axis).flat_map(|&other| [-FAR, FAR].map(|step| with(index, other, index[other] + step))).any(
                |beside| {
                    let heights =
                        self.jumps_along(axis, beside).into_iter().map(|found| (found.place() - jump.place()).abs());
                    heights.fold(f64::INFINITY, f64::min) > STEEPEST * FAR as f64
                },
            )
        };
        self.of.axes.iter().any(|&axis| {
            let distance = |jump: &Jump| (jump.place() - self.place[axis]).abs();
            self.jumps_along(axis, index)
                .into_iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .is_some_and(|jump| is_sloping(axis, &jump))
        })
    }

    /// Computes all weights, in no order and with repeated points; points may lie beyond the grid.
    pub fn samples(mut self) -> Vec<Sample> {
        let index = self.of.own_cell(self.place, self.field);
        self.descend(0, index, 1.0);
        self.found
    }

    /// Adds the weights of the points with given indices along the axes before `axis`; `index` has those of the position along the others.
    fn descend(&mut self, axis: usize, index: [i64; 3], scale: f64) {
        if axis == 3 {
            return self.found.push((self.field, index, scale));
        }
        if !self.of.axes.contains(&axis) {
            return self.descend(axis + 1, with(index, axis, 0), scale);
        }
        let line = if axis == self.field { self.normal(axis, index) } else { self.continuous(axis, index) };
        for (i, weight) in line.points() {
            self.descend(axis + 1, with(index, axis, i), scale * weight);
        }
        for (cell, weights) in line.across {
            let both = weights.map(|weight| scale * weight);
            self.add_across(axis + 1, axis, with(index, axis, cell), both);
        }
    }

    /// Weights along a line of pressure, or of a velocity across the line.
    fn continuous(&self, axis: usize, index: [i64; 3]) -> Line {
        let (taps, jumps) = (&self.own[axis], &self.of.jumps);
        let found = self.jumps_along(axis, index);
        let reach = jumps.coefficients.len() as i64;
        let mut line = Line::new(taps, if found.is_empty() { 0 } else { REACH + reach + 2 });
        if found.is_empty() {
            return line;
        }
        for jump in found {
            let is_above = jump.is_below(self.place[axis], axis);
            let face = jump.cell + 1;
            let between = self.of.face_rho(with(index, axis, face), axis, self.field);
            let slope = weighted(taps, |cell| jumps.kink_of_pressure(cell, &jump, is_above) / between) / jumps.gain;
            for (m, c) in (0..).zip(&jumps.coefficients).filter(|_| slope != 0.0) {
                line.add(face + m, -slope * c);
                line.add(face - 1 - m, slope * c);
            }
        }
        if self.field != PRESSURE {
            let own = self.of.rho_along(self.place[axis], axis, index, self.field);
            for (point, weight) in (line.first..).zip(&mut line.weights) {
                *weight *= self.of.point_rho(with(index, axis, point), self.field) / own;
            }
        }
        line
    }

    /// Weights along the line of a velocity component.
    fn normal(&self, axis: usize, index: [i64; 3]) -> Line {
        let (taps, jumps) = (&self.own[axis], &self.of.jumps);
        let found = self.jumps_along(axis, index);
        let reach = jumps.coefficients.len() as i64;
        let mut line = Line::new(taps, if found.is_empty() { 0 } else { REACH + reach + 2 });
        for jump in found {
            let is_above = jump.is_below(self.place[axis], axis);
            let weight = weighted(taps, |face| jumps.kink(face, jump.place(), is_above)) / jumps.gain;
            if weight == 0.0 {
                continue;
            }
            let cells = [jump.cell, jump.cell + 1];
            let mixed = cells.map(|cell| self.of.kappa(with(index, axis, cell)));
            let [low, high] = jump.kappa;
            let (compliance, lightness) = (1.0 / high - 1.0 / low, 1.0 / jump.rho[1] - 1.0 / jump.rho[0]);
            for ((cell, kappa), share) in cells.into_iter().zip(mixed).zip(jump.halfway()) {
                let of_divergence = -weight * share * kappa * compliance;
                for (m, c) in (0..).zip(&jumps.coefficients) {
                    line.add(cell + 1 + m, of_divergence * c);
                    line.add(cell - m, -of_divergence * c);
                }
                line.across.push((cell, [of_divergence, weight * share * lightness]));
            }
        }
        line
    }

    /// Adds the derivatives of the other velocities across `normal`, at the centres of cells; those of a line through the position for axes from
    /// `axis` on.
    fn add_across(&mut self, axis: usize, normal: usize, index: [i64; 3], weights: [f64; 2]) {
        if axis < 3 {
            if !self.of.axes.contains(&axis) {
                return self.add_across(axis + 1, normal, with(index, axis, 0), weights);
            }
            let Taps { first, weights: along } = self.centres[axis].clone();
            for (i, own) in (first..).zip(along) {
                self.add_across(axis + 1, normal, with(index, axis, i), weights.map(|weight| weight * own));
            }
            return;
        }
        let spacing = self.of.grid.spacing;
        for &other in self.of.axes.iter().filter(|&&other| other != normal) {
            let ratio = spacing[normal] / spacing[other];
            for (m, c) in (0..).zip(&self.of.jumps.coefficients) {
                for (face, sign) in [(index[other] + 1 + m, 1.0), (index[other] - m, -1.0)] {
                    let point = with(index, other, face);
                    let weight = weights[0] + weights[1] * self.of.point_rho(point, other);
                    self.found.push((other, point, sign * ratio * c * weight));
                }
            }
        }
    }

    /// The interfaces along an axis that matter for a position.
    fn jumps_along(&self, axis: usize, index: [i64; 3]) -> Vec<Jump> {
        self.jumps_for(self.field, axis, index)
    }

    /// The same, as a field sees them.
    pub fn jumps_for(&self, field: usize, axis: usize, index: [i64; 3]) -> Vec<Jump> {
        let Taps { first, weights } = &self.own[axis];
        let last = first + weights.len() as i64 - 1;
        let cells = first - REACH - 1..=last + REACH;
        cells.filter_map(|cell| self.of.jump(with(index, axis, cell), axis, field)).collect()
    }
}

/// Weighted sum of a kink; zero if it is negligible.
fn weighted(taps: &Taps, kink: impl Fn(i64) -> f64) -> f64 {
    let sum: f64 = (taps.first..).zip(&taps.weights).map(|(i, w)| w * kink(i)).sum();
    if sum.abs() < NEGLIGIBLE { 0.0 } else { sum }
}

/// The cell whose centre is at a position along an axis or before it. A vertical position on a centre is above the cell before, as an interface there
/// belongs to the medium below.
fn cell_below(place: f64, axis: usize) -> i64 {
    (place - CENTRE - if axis == 2 { ON_JUMP } else { 0.0 }).floor() as i64
}

/// Indices with another one along an axis.
pub fn with(mut index: [i64; 3], axis: usize, value: i64) -> [i64; 3] {
    index[axis] = value;
    index
}

impl<T: Scalar> Weights<'_, T> {
    /// The interface above a cell along an axis, as a field at the other indices sees it.
    pub fn jump(&self, cell: [i64; 3], axis: usize, field: usize) -> Option<Jump> {
        if let Some(jump) = self.known_jump(cell, axis, field) {
            return Some(jump);
        }
        // Where the bulk modulus alone jumps at a face, only a normal velocity has a kink, and none next to a cell that an interface divides.
        if axis != field {
            return None;
        }
        let [below, next] = [-1, 1].map(|step| with(cell, axis, cell[axis] + step));
        let [lower, upper] = [below, next].map(|cell| self.known_jump(cell, axis, field));
        let low = lower.filter(|jump| jump.beyond > 0.5).map_or_else(|| self.kappa(cell), |jump| jump.kappa[1]);
        let high = upper.filter(|jump| jump.beyond < 0.5).map_or_else(|| self.kappa(next), |jump| jump.kappa[0]);
        let rho = [cell, next].map(|cell| self.rho(cell, axis, field));
        Jump::between(cell[axis], rho, [low, high], 0.5)
    }

    /// The interface above a cell along an axis, if density jumps there or if its place inside a cell is known.
    fn known_jump(&self, cell: [i64; 3], axis: usize, field: usize) -> Option<Jump> {
        let next = with(cell, axis, cell[axis] + 1);
        let rho = [cell, next].map(|cell| self.rho(cell, axis, field));
        let kappa = [cell, next].map(|cell| self.kappa(cell));
        let place = self.medium.interface(self.face(next, axis), axis);
        let is_image = axis == 2 && self.is_free && next[2] > self.grid.cells[2] as i64;
        let place = place.map(|beyond| if is_image { 1.0 - beyond } else { beyond });
        match place.filter(|_| self.has_flow) {
            Some(beyond) => Some(Jump::inside(cell[axis], rho, kappa, beyond)),
            None => Jump::between(cell[axis], rho, kappa, place.unwrap_or(0.5)).filter(Jump::is_of_density),
        }
    }

    /// Indices of the cell that a position belongs to, along each axis; along the axis of a velocity the nearest face.
    pub fn own_cell(&self, place: [f64; 3], field: usize) -> [i64; 3] {
        let cells = self.grid.cells;
        let mut index = [0, 1, 2].map(|axis| match axis == field {
            true => place[axis].round() as i64,
            false => (place[axis].floor() as i64).clamp(0, cells[axis] as i64 - 1),
        });
        for axis in (0..3).rev().filter(|&axis| axis != field && self.axes.contains(&axis)) {
            let low = cell_below(place[axis], axis);
            if let Some(jump) = self.jump(with(index, axis, low), axis, field) {
                index[axis] = if jump.is_below(place[axis], axis) { low } else { low + 1 };
            }
        }
        index
    }

    /// Density at a position on a line: on its side of an interface, interpolated elsewhere.
    pub fn rho_along(&self, place: f64, axis: usize, index: [i64; 3], field: usize) -> f64 {
        let low = cell_below(place, axis);
        let rho = [low, low + 1].map(|cell| self.rho(with(index, axis, cell), axis, field));
        match self.jump(with(index, axis, low), axis, field) {
            Some(jump) => rho[usize::from(!jump.is_below(place, axis))],
            None => rho[0] + (place - CENTRE - low as f64) * (rho[1] - rho[0]),
        }
    }

    /// Cells that the density at a position is a weighted sum of, from lines along the axes; those of one cell are not merged.
    pub fn density_of_cells(&self, place: [f64; 3]) -> Vec<([usize; 3], f64)> {
        let index = self.own_cell(place, PRESSURE);
        let mut cells = vec![(self.cell(index), 1.0 - self.axes.len() as f64)];
        for &axis in self.axes {
            let low = cell_below(place[axis], axis);
            let pair = [low, low + 1].map(|cell| self.cell(with(index, axis, cell)));
            let above = match self.jump(with(index, axis, low), axis, PRESSURE) {
                Some(jump) => f64::from(u8::from(!jump.is_below(place[axis], axis))),
                None => place[axis] - CENTRE - low as f64,
            };
            cells.extend([(pair[0], 1.0 - above), (pair[1], above)]);
        }
        cells
    }

    /// Density at the centre of a cell; between two cells for a velocity across the line along `axis`.
    fn rho(&self, index: [i64; 3], axis: usize, field: usize) -> f64 {
        let at = |index| self.medium.rho(self.cell(index));
        if field == PRESSURE || field == axis {
            return at(index);
        }
        0.5 * (at(with(index, field, index[field] - 1)) + at(index))
    }

    /// Density of a face across `axis`; that between two faces for a velocity across the line.
    fn face_rho(&self, index: [i64; 3], axis: usize, field: usize) -> f64 {
        let at = |index| 1.0 / self.medium.buoyancy(self.face(index, axis), axis);
        if field == PRESSURE || field == axis {
            return at(index);
        }
        0.5 * (at(with(index, field, index[field] - 1)) + at(index))
    }

    /// Density at a point of a field.
    pub fn point_rho(&self, index: [i64; 3], field: usize) -> f64 {
        if field == PRESSURE {
            return self.medium.rho(self.cell(index));
        }
        1.0 / self.medium.buoyancy(self.face(index, field), field)
    }

    fn kappa(&self, index: [i64; 3]) -> f64 {
        self.medium.kappa(self.cell(index))
    }

    /// The cell at some indices; beyond a free top the image, beyond other sides the outermost cell.
    fn cell(&self, index: [i64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let count = self.grid.cells[axis] as i64;
            let is_image = axis == 2 && self.is_free && index[axis] >= count;
            let own = if is_image { 2 * count - 1 - index[axis] } else { index[axis] };
            own.clamp(0, count - 1) as usize
        })
    }

    /// The face across an axis at some indices, as for cells.
    fn face(&self, index: [i64; 3], axis: usize) -> [usize; 3] {
        let count = self.grid.cells[axis] as i64;
        let is_image = axis == 2 && self.is_free && index[axis] > count;
        let own = if is_image { 2 * count - index[axis] } else { index[axis] };
        at_index(self.cell(index), axis, own.clamp(0, count) as usize)
    }
}
