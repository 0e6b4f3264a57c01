//! Derivatives near material interfaces: stencils folded at the ends of each run of cells of one kind.
//!
//! Away from interfaces a derivative is that of [`StaggeredStencil`], which is a filter of elementary differences. At the half point i
//!
//! ```text
//! D f = Σ_q w_q δf(i + q),   δf(i) = f(i + 1) - f(i),   w_q = Σ_{m > |q|} c_m,   |q| < L
//! ```
//!
//! At whole points the filter is applied first and the difference after it. The filter must not cross an interface of air, fluid and solid, where
//! slopes jump. It leaves the cell next to an interface unchanged; the part of the filter of other cells that would reach that cell or beyond is
//! replaced by its mirror image on their side. The filter stays symmetric, so the discrete derivatives of velocity and of stress stay adjoint:
//! energy is conserved to round-off for stencils of any order, and the stable time step of a homogeneous medium is stable everywhere.
//! Errors of slopes at adjacent points cancel, so the error is of second order in the spacing, like that of the averaged material. Folding at the
//! interface itself would change the slopes next to it, with an error of first order. Flat interfaces have more accurate stencils (`closure.rs`).
//!
//! In a fluid, pressure and the divergence of velocity are odd about a free surface and even about a wall. There the filter uses the mirror image
//! at the interface itself, also in the adjacent cell, and keeps its order.
//!
//! Velocity is odd about a rigid wall. Beyond a side where velocity is prescribed, the value in the first cell is used as it is.

use std::hash::{Hash, Hasher};

use craton_numerics::staggered::{GridPoints, StaggeredStencil};

use crate::layout::GROUP;
use crate::medium::Kind;
use craton_fd_kernels::Field;

/// A derivative along an axis at the points of a field.
#[derive(Debug, Clone, Copy)]
pub struct Derivative {
    /// Field at whose points the derivative is evaluated.
    pub target: Field,
    /// Axis of the derivative.
    pub axis: usize,
}

/// The runs of cells of one kind around a point, which determine its folded stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// Number of cells of the same kind before and after the cell of a half point; for a whole point, those of the half points below and above.
    /// At most [`reach`].
    runs: [[u8; 2]; 2],
    /// Continuation of the fields of a fluid beyond the ends of their runs.
    images: [[Image; 2]; 2],
    /// Whether the half points below and above are beyond a rigid wall.
    rigid: [bool; 2],
}

/// Continuation of the fields of a run beyond its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image {
    /// Unknown.
    None,
    /// The mirror image: a fluid at a wall.
    Even,
    /// Minus the mirror image: a fluid under a free surface.
    Odd,
}

impl Image {
    /// Continuation at the end of a run, from the kinds around its half points and around the first half point beyond.
    fn of(own: [Kind; 3], beyond: [Kind; 3]) -> Self {
        match (own, beyond) {
            ([Kind::Fluid, Kind::Fluid, Kind::Fluid], [Kind::Air, Kind::Air, Kind::Air]) => Self::Odd,
            ([Kind::Fluid, Kind::Fluid, Kind::Fluid], wall) if is_wall(wall) => Self::Even,
            _ => Self::None,
        }
    }
}

/// Whether all kinds are beyond a wall.
fn is_wall(kinds: [Kind; 3]) -> bool {
    kinds == [Kind::Rigid; 3] || kinds == [Kind::Prescribed; 3]
}

/// One number for all fields: runs are hashed for every point near an interface.
impl Hash for Runs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let add = |sum: u64, next: u64| sum << 8 | next;
        let runs = self.runs.as_flattened().iter().map(|&run| u64::from(run)).fold(0, add);
        let images = self.images.as_flattened().iter().fold(0, |sum, &image| sum << 2 | image as u64);
        let rigid = self.rigid.iter().fold(0, |sum, &rigid| sum << 1 | u64::from(rigid));
        state.write_u64(add(runs << 8 | images, rigid));
    }
}

impl Runs {
    /// Those of a point far from all interfaces.
    pub fn regular(half_length: usize) -> Self {
        Self { runs: [[reach(half_length) as u8; 2]; 2], images: [[Image::None; 2]; 2], rigid: [false; 2] }
    }
}

/// Number of cells on either side of a half point that determine its filter: those that it reads, and one more, which may be beyond an interface.
/// A second-order stencil has no filter.
pub fn reach(half_length: usize) -> usize {
    if half_length > 1 { half_length } else { 0 }
}

impl Derivative {
    /// Whether it is evaluated at whole points along its axis.
    pub fn is_at_whole_points(&self) -> bool {
        self.target.points()[self.axis] == GridPoints::Whole
    }

    /// Determines the runs from the cells around a point.
    ///
    /// # Arguments
    /// * `kind` – kind of any cell that the stencil touches
    /// * `point` – indices of the target's point
    /// * `half_length` – half-length L of the stencil
    pub fn runs(&self, kind: impl Fn([i64; 3]) -> Kind, point: [i64; 3], half_length: usize) -> Runs {
        let points = self.target.points();
        let [across, other] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
        let back = |axis: usize| if points[axis] == GridPoints::Whole { -1 } else { 0 };
        // Kinds of the cells that contain or touch the half point at an offset along the axis.
        let label = |offset: i64| {
            let at = |a: i64, b: i64| {
                let mut cell = point;
                cell[self.axis] += offset;
                cell[across] += a;
                cell[other] += b;
                kind(cell)
            };
            let (a, b) = (back(across), back(other));
            [at(0, 0), at(a, 0), at(0, b)]
        };
        let run = |centre: i64| {
            let own = label(centre);
            let reach = reach(half_length) as i64;
            let ends = [-1, 1].map(|step| {
                let is_own = |&q: &i64| !is_wall(own) && label(centre + step * q) == own;
                let cells = (1..=reach).take_while(is_own).count() as i64;
                let is_end = cells < reach;
                let image = if is_end { Image::of(own, label(centre + step * (cells + 1))) } else { Image::None };
                (cells as u8, image)
            });
            (ends.map(|(cells, _)| cells), ends.map(|(_, image)| image))
        };
        if !self.is_at_whole_points() {
            let (runs, images) = run(0);
            return Runs { runs: [runs; 2], images: [images; 2], rigid: [false; 2] };
        }
        let [(below, images_below), (above, images_above)] = [run(-1), run(0)];
        let rigid = [-1, 0].map(|half| label(half) == [Kind::Rigid; 3]);
        Runs { runs: [below, above], images: [images_below, images_above], rigid }
    }

    /// Determines the runs at the points of a group along x, as [`Self::runs`].
    ///
    /// # Arguments
    /// * `kinds` – kinds of a cell and of those after it along x
    /// * `first` – indices of the first point
    pub fn group_runs<'a>(
        &self,
        kinds: impl Fn([i64; 3]) -> &'a [Kind; GROUP],
        first: [i64; 3],
        half_length: usize,
    ) -> [Runs; GROUP] {
        let lines = GroupLines::new(self, kinds, first);
        if !self.is_at_whole_points() {
            let runs = lines.runs(0, half_length);
            return runs.map(|(runs, images)| Runs { runs: [runs; 2], images: [images; 2], rigid: [false; 2] });
        }
        let (below, above) = (lines.runs(-1, half_length), lines.runs(0, half_length));
        let [rigid_below, rigid_above] = [-1, 0].map(|half| lines.label(half));
        std::array::from_fn(|lane| Runs {
            runs: [below[lane].0, above[lane].0],
            images: [below[lane].1, above[lane].1],
            rigid: [rigid_below, rigid_above].map(|label| label.map(|kinds| kinds[lane]) == [Kind::Rigid; 3]),
        })
    }

    /// Offset along the axis from the index of the target to the first point that the stencil reads.
    pub fn first_tap(&self, half_length: usize) -> i64 {
        i64::from(!self.is_at_whole_points()) - half_length as i64
    }

    /// Coefficients of the 2 L points that the stencil reads, from the first one on [–].
    pub fn coefficients(&self, shape: Runs, stencil: &StaggeredStencil) -> Vec<f64> {
        let c = stencil.coefficients();
        let half_length = c.len();
        if shape == Runs::regular(half_length) {
            return c.iter().rev().map(|c| -c).chain(c.iter().copied()).collect();
        }
        let mut taps = vec![0.0; 2 * half_length];
        if !self.is_at_whole_points() {
            // The tap of f(i) is number L - 1.
            for (q, weight) in folded(c, shape.runs[0], shape.images[0]) {
                let lower = (half_length as i64 - 1 + q) as usize;
                taps[lower] -= weight;
                taps[lower + 1] += weight;
            }
            return taps;
        }
        // Below is half point i - 1, tap number L - 1; above is half point i. Beyond a rigid wall the value is minus its mirror image.
        for (above, sign) in [(0, -1.0), (1, 1.0)] {
            let (place, sign) = if shape.rigid[above] { (1 - above, sign) } else { (above, sign) };
            let odd = if shape.rigid[above] { -1.0 } else { 1.0 };
            for (q, weight) in folded(c, shape.runs[place], shape.images[place]) {
                taps[(half_length as i64 - 1 + place as i64 + q) as usize] += odd * sign * weight;
            }
        }
        taps
    }
}

/// Weights of the filter at offsets from its centre, with those beyond the ends of the run folded back into it, in the order of the unfolded offsets.
/// A cell next to an interface without a mirror image is a run by itself.
pub fn folded(c: &[f64], runs: [u8; 2], images: [Image; 2]) -> Vec<(i64, f64)> {
    let reach = reach(c.len());
    let is_alone = [0, 1].iter().any(|&end| runs[end] == 0 && images[end] == Image::None && reach > 0);
    let last = |end: usize| match usize::from(runs[end]) {
        _ if is_alone => Some(0),
        run if images[end] != Image::None => Some(run as i64),
        run if run == reach => None,
        run => Some(run as i64 - 1),
    };
    let (low, high) = (last(0).map(|run| -run), last(1));
    let signs = images.map(|image| if image == Image::Odd && !is_alone { -1.0 } else { 1.0 });
    let fold = |mut q: i64, mut weight: f64| {
        loop {
            (q, weight) = match (low, high) {
                (Some(low), _) if q < low => (2 * low - 1 - q, signs[0] * weight),
                (_, Some(high)) if q > high => (2 * high + 1 - q, signs[1] * weight),
                _ => return (q, weight),
            };
        }
    };
    let weight = |q: i64| c[q.unsigned_abs() as usize..].iter().sum::<f64>();
    let most = c.len() as i64 - 1;
    (-most..=most).map(|q| fold(q, weight(q))).collect()
}

/// The cells along an axis around the points of a group.
struct GroupLines<F> {
    kinds: F,
    /// Indices of the first cell of each of the three lines that determine the label of a half point.
    lines: [[i64; 3]; 3],
    axis: usize,
}

/// Number of cells of the same kind at both ends of a half point, and the continuation beyond them.
type Ends = ([u8; 2], [Image; 2]);

impl<'a, F: Fn([i64; 3]) -> &'a [Kind; GROUP]> GroupLines<F> {
    fn new(derivative: &Derivative, kinds: F, first: [i64; 3]) -> Self {
        let (points, axis) = (derivative.target.points(), derivative.axis);
        let back = |axis: usize| {
            let mut cell = first;
            cell[axis] -= i64::from(points[axis] == GridPoints::Whole);
            cell
        };
        Self { kinds, lines: [first, back((axis + 1) % 3), back((axis + 2) % 3)], axis }
    }

    /// Kinds of the cells that contain or touch the half points at an offset along the axis.
    fn label(&self, offset: i64) -> [&'a [Kind; GROUP]; 3] {
        self.lines.map(|mut cell| {
            cell[self.axis] += offset;
            (self.kinds)(cell)
        })
    }

    /// The runs of the half points at an offset.
    fn runs(&self, centre: i64, half_length: usize) -> [Ends; GROUP] {
        let (own, reach) = (self.label(centre), reach(half_length) as i64);
        let of_lane = |label: [&[Kind; GROUP]; 3], lane: usize| label.map(|kinds| kinds[lane]);
        let is_no_wall: [bool; GROUP] = std::array::from_fn(|lane| !is_wall(of_lane(own, lane)));
        let ends = [-1, 1].map(|step| {
            let (mut goes_on, mut cells) = (is_no_wall, [0_u8; GROUP]);
            for q in 1..=reach {
                let other = self.label(centre + step * q);
                for lane in 0..GROUP {
                    goes_on[lane] &= other[0][lane] == own[0][lane];
                    goes_on[lane] &= other[1][lane] == own[1][lane];
                    goes_on[lane] &= other[2][lane] == own[2][lane];
                    cells[lane] += u8::from(goes_on[lane]);
                }
            }
            (step, cells)
        });
        std::array::from_fn(|lane| {
            let of_end = |(step, cells): &(i64, [u8; GROUP])| {
                let cells = i64::from(cells[lane]);
                // Only fluids are continued.
                let is_end = cells < reach && of_lane(own, lane) == [Kind::Fluid; 3];
                let beyond = || of_lane(self.label(centre + step * (cells + 1)), lane);
                if is_end { Image::of(of_lane(own, lane), beyond()) } else { Image::None }
            };
            (ends.each_ref().map(|(_, cells)| cells[lane]), ends.each_ref().map(of_end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_symmetric_for_any_ends_of_a_run() {
        for half_length in 1..=8 {
            let stencil = StaggeredStencil::taylor(half_length).unwrap();
            for (n, images) in (1..20).flat_map(|n| {
                let all = [Image::None, Image::Even, Image::Odd];
                all.iter().flat_map(move |&low| all.map(|high| (n, [low, high]))).collect::<Vec<_>>()
            }) {
                let mut filter = vec![vec![0.0; n]; n];
                for (i, row) in filter.iter_mut().enumerate() {
                    let ends = [i, n - 1 - i].map(|cells| cells.min(reach(half_length)));
                    let seen = [0, 1].map(|end| if ends[end] < reach(half_length) { images[end] } else { Image::None });
                    for (q, weight) in folded(stencil.coefficients(), ends.map(|cells| cells as u8), seen) {
                        // Second-order stencils do not depend on the ends.
                        row[(i as i64 + q) as usize] += weight;
                    }
                }
                let largest: f64 = stencil.coefficients().iter().map(|c| c.abs()).sum();
                for (i, row) in filter.iter().enumerate() {
                    let asymmetry = (0..n).map(|j| (row[j] - filter[j][i]).abs()).fold(0.0, f64::max);
                    let norm: f64 = row.iter().map(|weight| weight.abs()).sum();
                    assert!(
                        asymmetry < 1e-15 && norm < largest + 1e-12,
                        "{half_length}, {n} cells, {images:?}, row {i}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_runs_of_a_group_are_those_of_its_points() {
        const SIDE: usize = 40;
        let all = [Kind::Air, Kind::Fluid, Kind::Solid, Kind::Rigid, Kind::Prescribed];
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        // Boxes of one kind, so that there are runs of all lengths.
        let mut kinds = vec![Kind::Solid; SIDE * SIDE * SIDE];
        for _ in 0..300 {
            let (first, size) = ([0; 3].map(|_| random(38) as usize), [0; 3].map(|_| 1 + random(12) as usize));
            let kind = all[random(5) as usize];
            let range = |axis: usize| first[axis]..(first[axis] + size[axis]).min(SIDE);
            for (k, j) in range(2).flat_map(|k| range(1).map(move |j| (k, j))) {
                range(0).for_each(|i| kinds[(k * SIDE + j) * SIDE + i] = kind);
            }
        }
        let at = |[i, j, k]: [i64; 3]| i as usize + SIDE * (j as usize + SIDE * k as usize);
        let fields = (0..3).map(Field::Velocity).chain((0..6).map(Field::Stress));
        for (target, axis) in fields.flat_map(|target| (0..3).map(move |axis| (target, axis))) {
            let derivative = Derivative { target, axis };
            for (half_length, first) in (1..=8).flat_map(|l| [[9, 9, 9], [10, 20, 15], [12, 14, 27]].map(|at| (l, at)))
            {
                let group = |cell: [i64; 3]| kinds[at(cell)..].first_chunk().unwrap();
                for (lane, runs) in derivative.group_runs(group, first, half_length).into_iter().enumerate() {
                    let point = [first[0] + lane as i64, first[1], first[2]];
                    assert_eq!(
                        runs,
                        derivative.runs(|cell| kinds[at(cell)], point, half_length),
                        "{derivative:?}, {point:?}"
                    );
                }
            }
        }
    }
}
