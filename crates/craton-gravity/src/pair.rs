//! One prism at some points: which form serves, so that every field keeps ten digits.

use craton_device::Lanes;

use crate::Field;
use crate::closed_form::{Offsets, closed_form};
use crate::fields::Needs;
use crate::multipole::{FAR, Multipole, Row};

/// Cubed distance of the farthest corner over the volume up to which the closed form serves. Its angles and logarithms are as large for a small prism as for a large
/// one, so round-off in parts of the tensor grows as that ratio: 2e-16 of it, 2e-11 at most. Verified by `reference::ten_digits_inside_near_and_far`.
const LOSS: f64 = 1e5;

/// Pieces that a prism may leave aside while it is cut.
const PIECES: usize = 64;

/// Whether a prism of these sides [m] never needs to be cut where its multipole serves from `far` half diagonals on.
#[inline(always)]
pub fn is_compact(sides: &[f64; 3], far: f64) -> bool {
    let half_diagonal = 0.5 * sides.iter().map(|s| s * s).sum::<f64>().sqrt();
    ((far + 1.0) * half_diagonal).powi(3) <= LOSS * (sides[0] * sides[1] * sides[2])
}

/// A prism, with all that does not depend on the point.
pub struct Body<V> {
    bounds: [[V; 2]; 3],
    size: [V; 3],
    multipole: Multipole<V>,
    /// Quarter of the square of the half diagonals from which the multipole serves.
    far2: V,
    /// Whether it never needs to be cut.
    is_compact: bool,
}

/// A part of a prism as the points see it.
#[derive(Clone, Copy)]
struct Piece<V> {
    offsets: Offsets<V>,
    size: [V; 3],
    /// 1 in the lanes that ask for it, else 0.
    wanted: V,
}

/// Where a piece stands.
struct Place<V> {
    centre: [V; 3],
    distance2: V,
    diagonal2: V,
}

impl<V: Lanes<Scalar = f64>> Body<V> {
    /// Of a prism's bounds along x, y, z [m].
    #[inline(always)]
    pub fn new(bounds: &[[f64; 2]; 3]) -> Self {
        Self::from_afar(bounds, FAR)
    }

    /// The same with the multipole from `far` half diagonals on instead of [`FAR`].
    #[inline(always)]
    pub fn from_afar(bounds: &[[f64; 2]; 3], far: f64) -> Self {
        let sides = bounds.map(|[low, high]| high - low);
        let size = [V::splat(sides[0]), V::splat(sides[1]), V::splat(sides[2])];
        let splat = |axis: usize| [V::splat(bounds[axis][0]), V::splat(bounds[axis][1])];
        Self {
            bounds: [splat(0), splat(1), splat(2)],
            size,
            multipole: Multipole::new(&size),
            far2: V::splat(0.25 * far * far),
            is_compact: is_compact(&sides, far),
        }
    }

    /// Fields at the points (x, y, z) [m] in the order of [`crate::Field`], per unit of G times density; those that `needs` does not cover mean nothing. A lane's bits
    /// do not depend on the other lanes.
    #[inline(always)]
    pub fn at(&self, point: &[V; 3], needs: Needs) -> [V; 10] {
        let mut offsets = self.bounds;
        for axis in 0..3 {
            for side in 0..2 {
                offsets[axis][side] = self.bounds[axis][side] - point[axis];
            }
        }
        let place = Place::new(&offsets, &self.size);
        let far2 = self.far2 * place.diagonal2;
        let is_near = V::less(place.distance2, far2);
        if is_near == 0 {
            return self.multipole.at(&place.centre, place.distance2, needs.fields);
        }
        if !self.is_compact && V::less(limit3(&self.size), place.reach3()) & is_near != 0 {
            return in_pieces(Piece { offsets, size: self.size, wanted: V::constant(1.0) }, self.far2, needs);
        }
        let mut fields = closed_form(&offsets, &self.size, needs);
        if is_near.count_ones() as usize == V::COUNT {
            return fields;
        }
        let far = self.multipole.at(&place.centre, place.distance2, needs.fields);
        for field in 0..10 {
            fields[field] = V::select_less(place.distance2, far2, fields[field], far[field]);
        }
        fields
    }
}

/// A prism, with all that does not depend on where in a row along x points stand.
pub struct RowBody<V> {
    body: Body<V>,
    multipole: Row<V>,
    /// Square of the distance from which the multipole serves [m²].
    far2: V,
    /// x of the prism's centre, y and z of the points [m].
    centre: V,
    others: [V; 2],
    needs: Needs,
}

impl<V: Lanes<Scalar = f64>> RowBody<V> {
    /// Of a prism, and of y and z of the points [m].
    #[inline(always)]
    pub fn new(body: Body<V>, others: [V; 2], needs: Needs) -> Self {
        let mut centre = body.size;
        for axis in 0..3 {
            centre[axis] = V::constant(0.5) * (body.bounds[axis][0] + body.bounds[axis][1]);
        }
        let far2 = body.far2 * square(&body.size);
        let beside = [centre[1] - others[0], centre[2] - others[1]];
        let multipole = Row::new(&body.multipole, beside, far2, needs.fields);
        Self { body, multipole, far2, centre: centre[0], others, needs }
    }

    /// Puts fields at points into `values`, `[field][point]`, as [`Body::at`] has them.
    ///
    /// # Arguments
    /// * `x` – of the points [m], whole lanes
    /// * `fields` – those that are needed, or some of them
    #[inline(always)]
    pub fn fill(&self, x: &[f64], fields: &[Field], values: &mut [f64], scratch: &mut RowScratch) {
        let [centres, inverse] = &mut scratch.0;
        centres.resize(x.len(), 0.0);
        inverse.resize(x.len(), 0.0);
        let mut near = x.len()..0;
        for lane in (0..x.len()).step_by(V::COUNT) {
            let centre = self.centre - V::load(x, lane);
            let distance2 = self.multipole.distance2(centre);
            if V::less(distance2, self.far2) != 0 {
                near = near.start.min(lane)..lane + V::COUNT;
            }
            centre.store(centres, lane);
            distance2.recip().sqrt().store(inverse, lane);
        }
        for (field, values) in fields.iter().zip(values.chunks_mut(x.len())) {
            self.multipole.fill(*field, centres, inverse, values);
        }
        // Lanes with points that are too near, and those between such.
        for lane in near.step_by(V::COUNT) {
            let all = self.body.at(&[V::load(x, lane), self.others[0], self.others[1]], self.needs);
            for (row, &field) in fields.iter().enumerate() {
                all[field as usize].store(values, row * x.len() + lane);
            }
        }
    }
}

/// What a row needs while it is filled.
#[derive(Default)]
pub struct RowScratch([Vec<f64>; 2]);

impl<V: Lanes<Scalar = f64>> Place<V> {
    #[inline(always)]
    fn new(offsets: &Offsets<V>, size: &[V; 3]) -> Self {
        let half = V::constant(0.5);
        let mut centre = *size;
        for axis in 0..3 {
            centre[axis] = half * (offsets[axis][0] + offsets[axis][1]);
        }
        Self { centre, distance2: square(&centre), diagonal2: square(size) }
    }

    /// Cubed distance of the farthest corner, at least.
    #[inline(always)]
    fn reach3(&self) -> V {
        let reach = self.distance2.sqrt() + V::constant(0.5) * self.diagonal2.sqrt();
        reach * reach * reach
    }
}

/// The largest cubed distance of the farthest corner that the closed form can bear.
#[inline(always)]
fn limit3<V: Lanes<Scalar = f64>>(size: &[V; 3]) -> V {
    V::constant(LOSS) * (size[0] * size[1] * size[2])
}

/// Square of a vector's length.
#[inline(always)]
fn square<V: Lanes<Scalar = f64>>(v: &[V; 3]) -> V {
    v[0] * v[0] + (v[1] * v[1] + v[2] * v[2])
}

/// A long or flat prism, cut in halves across its longest side until one of both forms serves each lane.
#[inline(always)]
fn in_pieces<V: Lanes<Scalar = f64>>(whole: Piece<V>, far2: V, needs: Needs) -> [V; 10] {
    let zero = V::constant(0.0);
    let mut sum = [zero; 10];
    let mut stack = [whole; PIECES];
    let mut waiting = 1;
    while waiting > 0 {
        waiting -= 1;
        let piece = stack[waiting];
        let place = Place::new(&piece.offsets, &piece.size);
        // Pieces that find no room are taken as they are.
        let limit3 = if waiting + 2 <= PIECES { limit3(&piece.size) } else { V::constant(f64::INFINITY) };
        let near = V::select_less(place.distance2, far2 * place.diagonal2, piece.wanted, zero);
        let cut = V::select_less(limit3, place.reach3(), near, zero);
        let (far, exact) = (piece.wanted - near, near - cut);
        if V::less(zero, far) != 0 {
            add(&mut sum, far, &Multipole::new(&piece.size).at(&place.centre, place.distance2, needs.fields));
        }
        if V::less(zero, exact) != 0 {
            add(&mut sum, exact, &closed_form(&piece.offsets, &piece.size, needs));
        }
        if V::less(zero, cut) != 0 {
            let [low, high] = halves(&piece);
            stack[waiting] = Piece { wanted: cut, ..high };
            stack[waiting + 1] = Piece { wanted: cut, ..low };
            waiting += 2;
        }
    }
    sum
}

/// Adds the lanes that `wanted` marks.
#[inline(always)]
fn add<V: Lanes<Scalar = f64>>(sum: &mut [V; 10], wanted: V, values: &[V; 10]) {
    for field in 0..10 {
        sum[field] = V::select_less(V::constant(0.0), wanted, sum[field] + values[field], sum[field]);
    }
}

/// Cuts a piece across its longest side: in the middle, or beside it where the point lies close to that plane, on which the tensor of each half jumps.
#[inline(always)]
fn halves<V: Lanes<Scalar = f64>>(piece: &Piece<V>) -> [Piece<V>; 2] {
    let [mut low, mut high] = [*piece, *piece];
    let longest = piece.size[0].max(piece.size[1].max(piece.size[2]));
    let mut is_left = V::constant(1.0);
    for axis in 0..3 {
        let size = piece.size[axis];
        // The first of equal sides.
        let is_cut = V::select_less(size, longest, V::constant(0.0), is_left);
        is_left = is_left - is_cut;
        let middle = V::constant(0.5) * (piece.offsets[axis][0] + piece.offsets[axis][1]);
        let close = V::constant(1.0 / 16.0) * size;
        let share = V::select_less(middle.abs(), close, V::constant(0.375), V::constant(0.5));
        let plane = piece.offsets[axis][0] + share * size;
        let choose = |cut: V, whole: V| V::select_less(V::constant(0.0), is_cut, cut, whole);
        low.offsets[axis][1] = choose(plane, piece.offsets[axis][1]);
        high.offsets[axis][0] = choose(plane, piece.offsets[axis][0]);
        low.size[axis] = choose(share * size, size);
        high.size[axis] = choose(size - share * size, size);
    }
    [low, high]
}
