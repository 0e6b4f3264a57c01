//! One prism at a few points: chooses between closed form and multipole so that every field is accurate to ten digits.

use craton_device::Lanes;

use crate::Field;
use crate::closed_form::{Offsets, closed_form};
use crate::fields::Needs;
use crate::multipole::{FAR, Multipole, Row};

/// Largest ratio of the cubed distance to the farthest corner to the volume for which the closed form is used. Its angles and logarithms do not shrink with the
/// volume of the prism, so the relative round-off of the tensor grows with this ratio: 2e-16 times the ratio, at most 2e-11. Verified by
/// `reference::ten_digits_inside_near_and_far`.
const LOSS: f64 = 1e5;

/// Capacity of the stack of pieces while a prism is cut.
const PIECES: usize = 64;

/// Whether a prism with these sides [m] never needs to be cut if its multipole is used from `far` half diagonals on.
#[inline(always)]
pub fn is_compact(sides: &[f64; 3], far: f64) -> bool {
    let half_diagonal = 0.5 * sides.iter().map(|s| s * s).sum::<f64>().sqrt();
    ((far + 1.0) * half_diagonal).powi(3) <= LOSS * (sides[0] * sides[1] * sides[2])
}

/// A prism with all quantities that do not depend on the point.
pub struct Body<V> {
    bounds: [[V; 2]; 3],
    size: [V; 3],
    multipole: Multipole<V>,
    /// A quarter of the square of the distance from which the multipole is used, in half diagonals.
    far2: V,
    /// Whether the prism never needs to be cut.
    is_compact: bool,
}

/// A piece of a prism, relative to the points.
#[derive(Clone, Copy)]
struct Piece<V> {
    offsets: Offsets<V>,
    size: [V; 3],
    /// 1 in the lanes for which the piece is evaluated, 0 in the others.
    wanted: V,
}

/// Position of a piece relative to the points.
struct Place<V> {
    centre: [V; 3],
    distance2: V,
    diagonal2: V,
}

impl<V: Lanes<Scalar = f64>> Body<V> {
    /// Prepares a prism from its bounds along x, y, z [m].
    #[inline(always)]
    pub fn new(bounds: &[[f64; 2]; 3]) -> Self {
        Self::from_afar(bounds, FAR)
    }

    /// Like [`new`](Self::new), but uses the multipole from `far` half diagonals on instead of [`FAR`].
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

    /// Fields at the points (x, y, z) [m] in the order of [`crate::Field`], per unit of G times density; fields that `needs` does not cover are undefined. The
    /// result of a lane is independent of the other lanes.
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

/// A prism with all quantities that are common to a row of points along x.
pub struct RowBody<V> {
    body: Body<V>,
    multipole: Row<V>,
    /// Square of the distance from which the multipole is used [m²].
    far2: V,
    /// x of the prism's centre, y and z of the points [m].
    centre: V,
    others: [V; 2],
    needs: Needs,
}

impl<V: Lanes<Scalar = f64>> RowBody<V> {
    /// Prepares a prism for a row of points with the given y and z [m].
    #[inline(always)]
    pub fn new(body: Body<V>, others: [V; 2], needs: Needs) -> Self {
        let mut centre = body.size;
        for axis in 0..3 {
            centre[axis] = V::constant(0.5) * (body.bounds[axis][0] + body.bounds[axis][1]);
        }
        let far2 = body.far2 * square(&body.size);
        let across = [centre[1] - others[0], centre[2] - others[1]];
        let multipole = Row::new(&body.multipole, across, far2, needs.fields);
        Self { body, multipole, far2, centre: centre[0], others, needs }
    }

    /// Fills `values`, `[field][point]`, with the fields at the points, as [`Body::at`] computes them.
    ///
    /// # Arguments
    /// * `x` – x of the points [m]; the length is a multiple of the vector width
    /// * `fields` – the fields to fill, a subset of `needs`
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
        // Recomputes all lanes from the first to the last that contains a near point.
        for lane in near.step_by(V::COUNT) {
            let all = self.body.at(&[V::load(x, lane), self.others[0], self.others[1]], self.needs);
            for (row, &field) in fields.iter().enumerate() {
                all[field as usize].store(values, row * x.len() + lane);
            }
        }
    }
}

/// Scratch memory for [`RowBody::fill`].
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

    /// Upper bound of the cubed distance to the farthest corner.
    #[inline(always)]
    fn reach3(&self) -> V {
        let reach = self.distance2.sqrt() + V::constant(0.5) * self.diagonal2.sqrt();
        reach * reach * reach
    }
}

/// The largest cubed distance to the farthest corner for which the closed form is accurate enough.
#[inline(always)]
fn limit3<V: Lanes<Scalar = f64>>(size: &[V; 3]) -> V {
    V::constant(LOSS) * (size[0] * size[1] * size[2])
}

/// Squared length of a vector.
#[inline(always)]
fn square<V: Lanes<Scalar = f64>>(v: &[V; 3]) -> V {
    v[0] * v[0] + (v[1] * v[1] + v[2] * v[2])
}

/// Evaluates a long or flat prism by bisecting it across its longest side until the closed form or the multipole is accurate in every lane.
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
        // When the stack is full, pieces are evaluated without further cuts.
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

/// Adds the values in the lanes that `wanted` marks.
#[inline(always)]
fn add<V: Lanes<Scalar = f64>>(sum: &mut [V; 10], wanted: V, values: &[V; 10]) {
    for field in 0..10 {
        sum[field] = V::select_less(V::constant(0.0), wanted, sum[field] + values[field], sum[field]);
    }
}

/// Cuts a piece across its longest side: in the middle, or off the middle if the point lies close to that plane, where the tensor of each half is
/// discontinuous.
#[inline(always)]
fn halves<V: Lanes<Scalar = f64>>(piece: &Piece<V>) -> [Piece<V>; 2] {
    let [mut low, mut high] = [*piece, *piece];
    let longest = piece.size[0].max(piece.size[1].max(piece.size[2]));
    let mut is_left = V::constant(1.0);
    for axis in 0..3 {
        let size = piece.size[axis];
        // Of equal sides, the first.
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
