//! How far a derivative may reach: as far as the cells along its axis are all of one kind.
//!
//! At a whole point i along the axis a stencil of half-length l lies on the cells i - l to i + l - 1, at the half point i + 1/2 on the cells
//! i - l + 1 to i + l - 1. Across the axis, a half point lies on one line of cells, a whole point between two. At a contact of two kinds, where
//! slopes jump, l = 1 is left: the two values beside the contact, with the averaged material, give second order for the whole scheme
//! (Moczo et al. 2002), and the contact with air is the free surface.

use craton_numerics::staggered::GridPoints;

use crate::field::Field;
use crate::medium::Kind;

/// A derivative along an axis that belongs to the points of a field.
#[derive(Debug, Clone, Copy)]
pub struct Derivative {
    /// Where it is taken.
    pub target: Field,
    /// Along which axis.
    pub axis: usize,
}

impl Derivative {
    /// Half-length at a point, 1 to `longest`.
    ///
    /// # Arguments
    /// * `kind` – of any cell that the longest stencil touches
    /// * `point` – indices of the target's point
    pub fn reach(&self, kind: impl Fn([i64; 3]) -> Kind, point: [i64; 3], longest: usize) -> usize {
        let points = self.target.points();
        let [across, other] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
        let lines = |axis: usize| if points[axis] == GridPoints::Whole { -1..=0 } else { 0..=0 };
        let is_whole = points[self.axis] == GridPoints::Whole;
        let first = kind(point);
        let is_of_one_kind = |offset: i64| {
            lines(across).all(|a| {
                lines(other).all(|b| {
                    let mut cell = point;
                    cell[self.axis] += offset;
                    cell[across] += a;
                    cell[other] += b;
                    kind(cell) == first
                })
            })
        };
        // The cells of half-length l that half-length l - 1 does not have.
        let grows = |l: i64| is_of_one_kind(if is_whole { -l } else { 1 - l }) && is_of_one_kind(l - 1);
        (1..=longest as i64).take_while(|&l| grows(l)).count().max(1)
    }

    /// Taps of a stencil of half-length `reach`: offset of the source's index along the axis, and which of the coefficients with which sign.
    pub fn taps(&self, reach: usize) -> impl Iterator<Item = (i64, usize, f64)> {
        let up = if self.target.points()[self.axis] == GridPoints::Whole { 0 } else { 1 };
        (0..reach).flat_map(move |m| [(up + m as i64, m, 1.0), (up - 1 - m as i64, m, -1.0)])
    }
}
