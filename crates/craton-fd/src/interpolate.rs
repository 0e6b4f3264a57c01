//! Interpolation weights at positions between grid points, for sources and receivers.
//!
//! Along each axis a windowed sinc function is used if all its points are in cells of one kind. Near an interface, where slopes jump, and near
//! the free surface, it is replaced by a polynomial through the nearest points on the same side: cubic, or of lower degree if the layer is
//! thinner. The weights satisfy the moment conditions of a point source, so that they suit both sources and samples.
//!
//! The quantity that is smooth up to an interface is the velocity after the filter of the derivatives, which is folded there (`stencil.rs`). The
//! velocity itself differs by the effect of the folding, which is of first order in the spacing. Samples of velocity, and of its tangential
//! derivatives, are corrected for it (`corrected`); sources use the same weights. Near staircase steps, where the correction would reach into air,
//! values are not corrected.
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use craton_device::Scalar;
use craton_numerics::sinc::{Taps, WindowedSinc};
use craton_numerics::staggered::GridPoints;

use crate::boundary::{Boundaries, Side};
use crate::derivatives::{Derivatives, Shape};
use crate::error::FdError;
use crate::grid::{Grid, ON_FACE};
use crate::medium::{Kind, Medium};
use crate::stencil::{self, Derivative, Image, folded};
use craton_fd_kernels::Field;

/// Points of the polynomial near an interface.
const POLYNOMIAL: usize = 4;
/// Points of the polynomial near a flat interface, along which waves decay with depth faster than their wavelength.
const FLAT_POLYNOMIAL: usize = 6;
/// Points of the polynomial where some of the other points are in air.
const LINE: usize = 2;

/// Rule of interpolation along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Linear, through the nearest two points.
    Linear,
    /// High order, of the values themselves.
    Raw,
    /// High order, of values corrected for the folding.
    Corrected,
}

/// A point of the grid and its weight.
pub type Weighted = ([usize; 3], f64);

/// Interpolation on a grid with interfaces.
#[derive(Debug, Clone)]
pub struct Interpolation {
    /// The grid.
    pub grid: Grid,
    /// Boundary conditions.
    pub boundaries: Boundaries,
    /// Kinds of the cells, x fastest.
    kinds: Arc<[Kind]>,
    /// Interpolation far from interfaces.
    sinc: WindowedSinc,
    /// Derivatives between the points.
    pub derivatives: Derivatives,
}

/// Number of points on either side of the cell of a position that may have weights; one more above.
///
/// # Arguments
/// * `radius` – radius of the windowed sinc
/// * `half_length` – half-length of the stencil
pub fn reach(radius: usize, half_length: usize) -> usize {
    radius.max(FLAT_POLYNOMIAL) + stencil::reach(half_length)
}

impl Interpolation {
    /// Creates the interpolation for a medium.
    pub fn new<T: Scalar>(
        medium: &Medium<T>,
        boundaries: &Boundaries,
        sinc: &WindowedSinc,
        derivatives: Derivatives,
    ) -> Self {
        Self { grid: *medium.grid(), boundaries: *boundaries, kinds: medium.kinds(), sinc: sinc.clone(), derivatives }
    }

    /// Kind of any cell, also beyond the sides.
    pub fn kind(&self, cell: [i64; 3]) -> Kind {
        self.boundaries.kind_at(&self.grid, cell, |inside| self.kinds[self.grid.number(inside)])
    }

    /// Shape of the stencil of a derivative at a point.
    pub fn shape(&self, derivative: &Derivative, point: [i64; 3]) -> Shape {
        self.derivatives.shape(derivative, |cell| self.kind(cell), point, point[2])
    }

    /// [`reach`] of this interpolation.
    pub fn reach(&self) -> usize {
        reach(self.sinc.radius(), self.derivatives.stencil().half_length())
    }

    /// Whether a position [m] is inside the box and not in air.
    pub fn is_matter(&self, position: [f64; 3]) -> bool {
        self.locate(position).is_ok()
    }

    /// Weights of the points of a field, in a fixed order.
    ///
    /// # Errors
    /// A position outside the box or in air.
    pub fn weights(&self, field: Field, position: [f64; 3]) -> Result<Vec<Weighted>, FdError> {
        self.weights_among(field, position, |point| self.is_live(field, point))
    }

    /// Weights of a source. A moment acts only on the medium of its position: shear stress beyond an interface with a fluid would never decay.
    ///
    /// # Errors
    /// As [`Self::weights`]; a source none of whose points can move.
    pub fn source_weights(&self, field: Field, position: [f64; 3]) -> Result<Vec<Weighted>, FdError> {
        let own = self.kind_at(position)?;
        let weights = self.weights_among(field, position, |point| {
            self.is_live(field, point) && (matches!(field, Field::Velocity(_)) || self.is_of(field, point, own))
        })?;
        let all_held = weights.iter().all(|&(point, _)| self.is_held(field, point));
        if all_held {
            return Err(FdError::Held { position });
        }
        // A value stands for the volume of its point.
        let per_volume = |(point, weight): Weighted| (point, weight / self.derivatives.volume(field, point[2] as i64));
        Ok(weights.into_iter().map(per_volume).collect())
    }

    /// Kind of the cell of a position.
    ///
    /// # Errors
    /// A position outside the box or in air.
    pub fn kind_at(&self, position: [f64; 3]) -> Result<Kind, FdError> {
        self.locate(position).map(|(_, cell)| self.kind(cell))
    }

    /// Weights of the points that satisfy `counts`.
    fn weights_among(
        &self,
        field: Field,
        position: [f64; 3],
        counts: impl Fn([i64; 3]) -> bool,
    ) -> Result<Vec<Weighted>, FdError> {
        let (place, cell) = self.locate(position)?;
        let by = |rule: Rule| {
            let mut taps = Vec::with_capacity(3);
            for axis in 0..3 {
                taps.push(self.along(field, axis, place[axis], cell, rule)?);
            }
            Ok::<_, FdError>(self.product(field, &taps, &counts))
        };
        let (weights, lost) = by(Rule::Raw)?;
        if lost == 0.0 {
            let (corrected, lost) = by(Rule::Corrected)?;
            return Ok(if lost == 0.0 { corrected } else { weights });
        }
        let (weights, lost) = by(Rule::Linear)?;
        let kept = 1.0 - lost;
        Ok(weights.into_iter().map(|(point, weight)| (point, weight / kept)).collect())
    }

    /// Position in units of cells, and the cell that it belongs to; on the free surface and on the sea bottom this is the cell below.
    fn locate(&self, position: [f64; 3]) -> Result<([f64; 3], [i64; 3]), FdError> {
        let grid = &self.grid;
        let n = grid.cells.map(|n| n as f64);
        let place = grid.in_cells(position);
        if (0..3).any(|axis| !(-ON_FACE..=n[axis] + ON_FACE).contains(&place[axis])) {
            let high = [0, 1, 2].map(|axis| grid.origin[axis] + n[axis] * grid.spacing[axis]);
            return Err(FdError::Outside { position, low: grid.origin, high });
        }
        // The cell below if the position is on a face, otherwise its own cell; if that is air, the cell across another face.
        let tries = [[0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]];
        let shifted = tries.map(|shift: [i32; 3]| {
            let place = [0, 1, 2].map(|axis| place[axis] + f64::from(shift[axis]) * ON_FACE);
            grid.cell_of_place(place).map(|i| i as i64)
        });
        let cell = shifted.into_iter().find(|&cell| self.kind(cell) != Kind::Air);
        Ok((place, cell.ok_or(FdError::InAir { position })?))
    }

    /// Weights along an axis.
    fn along(&self, field: Field, axis: usize, place: f64, cell: [i64; 3], rule: Rule) -> Result<Taps, FdError> {
        let points = field.points()[axis];
        let radius = self.reach() as i64;
        let own = self.kind(cell);
        let steps = |direction: i64| {
            let is_own = |step: &i64| {
                let mut other = cell;
                other[axis] += direction * step;
                self.kind(other) == own
            };
            (1..=radius).take_while(is_own).count() as i64
        };
        let (down, up) = (steps(-1), steps(1));
        let (low, high) = (cell[axis] - down, cell[axis] + up);
        let ends = [down < radius, up < radius];
        // A shear stress on the interface itself does not belong to the medium on this side.
        let is_stress = matches!(field, Field::Stress(_));
        let live = match points {
            GridPoints::Half => low..=high,
            GridPoints::Whole if is_stress && low < high => low + i64::from(ends[0])..=high + 1 - i64::from(ends[1]),
            GridPoints::Whole => low..=high + 1,
        };
        if rule == Rule::Linear {
            return Ok(polynomial(place - points.offset(), live, LINE));
        }
        let sinc = self.sinc.taps(place, points)?;
        let fits = live.contains(&sinc.first) && live.contains(&(sinc.first + sinc.weights.len() as i64 - 1));
        let is_flat = |end: usize, level: i64| ends[end] && axis == 2 && self.derivatives.is_flat(level);
        let flat = [is_flat(0, low), is_flat(1, high + 1)];
        let most = if flat.contains(&true) { FLAT_POLYNOMIAL } else { POLYNOMIAL };
        let taps = if fits { sinc } else { polynomial(place - points.offset(), live, most) };
        // In a fluid no stress depends on these slopes, and the slope along the axis itself consists of filtered differences.
        let is_raw = points == GridPoints::Half && own == Kind::Solid && field != Field::stress(axis, axis);
        // Derivatives next to a flat interface are not folded.
        let folded = [0, 1].map(|end| ends[end] && !flat[end]);
        Ok(if rule == Rule::Corrected && is_raw && folded != [false; 2] {
            self.corrected(taps, low..=high, folded)
        } else {
            taps
        })
    }

    /// Corrects velocity weights for the folding of the filter: each value is changed back by the effect of the folding.
    ///
    /// # Arguments
    /// * `run` – half points of one medium
    /// * `ends` – whether the run ends at an interface, below and above
    fn corrected(&self, taps: Taps, run: RangeInclusive<i64>, ends: [bool; 2]) -> Taps {
        let c = self.derivatives.stencil().coefficients();
        let reach = stencil::reach(c.len()) as i64;
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for (i, own) in (taps.first..).zip(taps.weights) {
            *sums.entry(i).or_default() += own;
            let [before, after] = [i - run.start(), run.end() - i];
            let cells = [(before, ends[0]), (after, ends[1])];
            let runs = cells.map(|(cells, is_end)| if is_end { cells.min(reach) } else { reach } as u8);
            let shares = (1 - c.len() as i64..).zip(folded(c, runs, [Image::None; 2]));
            for (q, (to, weight)) in shares.filter(|(q, (to, _))| q != to) {
                *sums.entry(i + to).or_default() += own * weight;
                let count = if run.contains(&(i + q)) { 1 } else { POLYNOMIAL };
                let smooth = polynomial((i + q) as f64, run.clone(), count);
                for (j, of_point) in (smooth.first..).zip(smooth.weights) {
                    *sums.entry(j).or_default() -= own * weight * of_point;
                }
            }
        }
        let [first, last] = [sums.keys().next(), sums.keys().next_back()].map(|end| *end.expect("weights of points"));
        Taps { first, weights: (first..=last).map(|i| sums.get(&i).copied().unwrap_or(0.0)).collect() }
    }

    /// Products of the weights along three axes at the points that count, and the sum of those at the other points.
    fn product(&self, field: Field, taps: &[Taps], counts: impl Fn([i64; 3]) -> bool) -> (Vec<Weighted>, f64) {
        let grid = &self.grid;
        let (mut weights, mut lost) = (Vec::new(), 0.0);
        let [x, y, z] = [0, 1, 2].map(|axis| taps[axis].first..taps[axis].first + taps[axis].weights.len() as i64);
        for k in z {
            for j in y.clone() {
                for i in x.clone() {
                    let point = [i, j, k];
                    let weight: f64 =
                        (0..3).map(|axis| taps[axis].weights[(point[axis] - taps[axis].first) as usize]).product();
                    if weight == 0.0 {
                        continue;
                    }
                    if !counts(point) {
                        lost += weight;
                        continue;
                    }
                    weights.extend(self.boundaries.inside(grid, field, point).map(|place| (place, weight)));
                }
            }
        }
        (weights, lost)
    }

    /// Whether the value at a point is physical: a velocity that touches matter, a stress that does not touch air.
    fn is_live(&self, field: Field, point: [i64; 3]) -> bool {
        match field {
            Field::Velocity(_) => self.kinds_around(field, point).any(|kind| kind != Kind::Air),
            Field::Stress(_) => self.kinds_around(field, point).all(|kind| kind != Kind::Air),
        }
    }

    /// Whether all cells that a stress touches are of kind `own` or beyond a wall.
    fn is_of(&self, field: Field, point: [i64; 3], own: Kind) -> bool {
        self.kinds_around(field, point).all(|kind| kind == own || matches!(kind, Kind::Rigid | Kind::Prescribed))
    }

    /// Kinds of the cells that a point touches.
    fn kinds_around(&self, field: Field, point: [i64; 3]) -> impl Iterator<Item = Kind> {
        let back = field.points().map(|points| if points == GridPoints::Whole { -1 } else { 0 });
        let cells = (back[2]..=0).flat_map(move |z| {
            (back[1]..=0).flat_map(move |y| (back[0]..=0).map(move |x| [point[0] + x, point[1] + y, point[2] + z]))
        });
        cells.map(|cell| self.kind(cell))
    }

    /// Whether a point is a normal velocity on a rigid or paraxial side, which is fixed or prescribed.
    fn is_held(&self, field: Field, point: [usize; 3]) -> bool {
        let Field::Velocity(axis) = field else { return false };
        let holds = |side: usize| matches!(self.boundaries.sides[side], Side::Rigid | Side::Paraxial);
        point[axis] == 0 && holds(2 * axis) || point[axis] == self.grid.cells[axis] && holds(2 * axis + 1)
    }
}

/// Lagrange weights at `x` of the nearest `most` points of a range; `x` and the range are in units of points.
fn polynomial(x: f64, live: RangeInclusive<i64>, most: usize) -> Taps {
    let (low, high) = live.into_inner();
    let count = (high - low + 1).clamp(1, most as i64);
    let centred = (x - 0.5 * (count - 1) as f64).round() as i64;
    let first = centred.clamp(low, (high + 1 - count).max(low));
    let weight = |i: i64| {
        let others = (first..first + count).filter(|&j| j != i);
        others.map(|j| (x - j as f64) / (i - j) as f64).product()
    };
    Taps { first, weights: (first..first + count).map(weight).collect() }
}
