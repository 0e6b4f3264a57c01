//! Third derivatives of the potential of a prism, in closed form near it and by its multipole far from it.
//!
//! With J the integral of 1/r³ along an edge, and x the distance of its line from the point along x: U_xxy = [[x J_z]], U_xyy = [[y J_z]] and so on, double
//! brackets meaning differences between opposite edges; U_xyz = -[[[1/r]]] over the corners. The other three follow from Laplace's equation, which the
//! derivatives satisfy inside bodies, too. They are derivatives of the edge terms of Nagy, Papp and Benedek (2000), Journal of Geodesy 74. Sums of terms of
//! opposite sign are rewritten as products, so that nothing cancels on the lines of edges.

use craton_device::Lanes;
use craton_physics::Real;

use crate::closed_form::Offsets;
use crate::multipole::Multipole;
use crate::pair::is_compact;

/// Distance in half diagonals from which the multipole is used. Its relative error of the norm of the third derivatives is at most
/// 18 (d/R)⁸ + 23 (d/R)¹⁰ + ..., by the argument in `multipole.rs` with the factor (n + 1)(n + 2)(n + 3)/6 of a third derivative: 5e-11.
const FAR: f64 = 28.0;

/// Largest number of times that a long or flat prism is cut in two.
const MOST_CUTS: usize = 200;

/// Number of third derivatives.
pub const COUNT: usize = 10;

/// Indices of the third derivatives U_ijk: `INDEX[ij][k]` with ij in the order of the tensor (ee, en, eu, nn, nu, uu), and k of e, n, u.
pub const INDEX: [[usize; 3]; 6] = [[0, 1, 2], [1, 3, 4], [2, 4, 5], [3, 6, 7], [4, 7, 8], [5, 8, 9]];

/// A prism with all quantities that do not depend on the point.
pub struct ThirdBody<V> {
    bounds: [[f64; 2]; 3],
    size: [V; 3],
    multipole: Multipole<V>,
    is_compact: bool,
}

impl<V: Lanes<Scalar = f64>> ThirdBody<V> {
    /// Prepares a prism from its bounds along x, y, z [m].
    #[inline(always)]
    pub fn new(bounds: &[[f64; 2]; 3]) -> Self {
        let sides = sides(bounds);
        let size = [V::splat(sides[0]), V::splat(sides[1]), V::splat(sides[2])];
        Self { bounds: *bounds, size, multipole: Multipole::new(&size), is_compact: is_compact(&sides, FAR) }
    }

    /// Third derivatives at points (x, y, z) [m], in the order eee, een, eeu, enn, enu, euu, nnn, nnu, nuu, uuu, per unit of G times density [1/m].
    /// Components that diverge on an edge are NaN.
    #[inline(always)]
    pub fn at(&self, point: &[V; 3]) -> [V; COUNT] {
        if !self.is_compact {
            return self.lane_by_lane(point);
        }
        let mut offsets = [[point[0]; 2]; 3];
        for axis in 0..3 {
            for side in 0..2 {
                offsets[axis][side] = V::splat(self.bounds[axis][side]) - point[axis];
            }
        }
        let (centre, distance2) = centre(&offsets);
        let far2 = V::constant(0.25 * FAR * FAR) * square(&self.size);
        let is_near = V::less(distance2, far2);
        if is_near == 0 {
            return self.multipole.third(&centre, distance2);
        }
        let mut values = near(&offsets, &self.size);
        if is_near.count_ones() as usize != V::COUNT {
            let distant = self.multipole.third(&centre, distance2);
            for (value, distant) in values.iter_mut().zip(distant) {
                *value = V::select_less(distance2, far2, *value, distant);
            }
        }
        values
    }

    /// The same for a prism that may have to be cut.
    #[inline(always)]
    fn lane_by_lane(&self, point: &[V; 3]) -> [V; COUNT] {
        let (mut coordinates, mut values) = ([[0.0; MOST_LANES]; 3], [[0.0; MOST_LANES]; COUNT]);
        for axis in 0..3 {
            point[axis].store(&mut coordinates[axis], 0);
        }
        for lane in 0..V::COUNT {
            let at = in_pieces(&self.bounds, &[coordinates[0][lane], coordinates[1][lane], coordinates[2][lane]]);
            for (value, at) in values.iter_mut().zip(at) {
                value[lane] = at;
            }
        }
        let mut lanes = [self.size[0]; COUNT];
        for (lanes, value) in lanes.iter_mut().zip(&values) {
            *lanes = V::load(value, 0);
        }
        lanes
    }
}

/// Largest number of lanes in double precision.
const MOST_LANES: usize = 16;

/// Third derivatives of a prism that is cut across its longest side until the closed form or the multipole of each piece is accurate.
#[inline(never)]
fn in_pieces(bounds: &[[f64; 2]; 3], point: &[f64; 3]) -> [f64; COUNT] {
    let mut sum = [0.0; COUNT];
    let mut waiting = vec![*bounds];
    let mut cuts = 0;
    while let Some(piece) = waiting.pop() {
        let offsets = [0, 1, 2].map(|axis| piece[axis].map(|bound| bound - point[axis]));
        let size = sides(&piece);
        let (centre, distance2) = centre(&offsets);
        let half_diagonal = 0.5 * square(&size).sqrt();
        let values = if distance2 >= (FAR * half_diagonal).powi(2) {
            Multipole::new(&size).third(&centre, distance2)
        } else if is_close(&size, distance2.sqrt() + half_diagonal) || cuts >= MOST_CUTS {
            near(&offsets, &size)
        } else {
            cuts += 1;
            waiting.extend(halves(&piece, &offsets));
            continue;
        };
        sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sum
}

/// Whether the closed form of a prism is accurate up to a distance of its farthest corner.
fn is_close(size: &[f64; 3], reach: f64) -> bool {
    const LOSS: f64 = 1e5;
    reach.powi(3) <= LOSS * size.iter().product::<f64>()
}

/// Both halves across the longest side; off the middle if the point is close to that plane, where the halves are not smooth.
fn halves(piece: &[[f64; 2]; 3], offsets: &[[f64; 2]; 3]) -> [[[f64; 2]; 3]; 2] {
    let size = sides(piece);
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    let middle = 0.5 * (offsets[axis][0] + offsets[axis][1]);
    let share = if middle.abs() < size[axis] / 16.0 { 0.375 } else { 0.5 };
    let plane = piece[axis][0] + share * size[axis];
    let [mut low, mut high] = [*piece, *piece];
    (low[axis][1], high[axis][0]) = (plane, plane);
    [low, high]
}

fn sides(bounds: &[[f64; 2]; 3]) -> [f64; 3] {
    bounds.map(|[low, high]| high - low)
}

/// The vector from the point to the centre, and its squared length.
#[inline(always)]
fn centre<R: Real>(offsets: &Offsets<R>) -> ([R; 3], R) {
    let half = R::constant(0.5);
    let mut centre = [half; 3];
    for axis in 0..3 {
        centre[axis] = half * (offsets[axis][0] + offsets[axis][1]);
    }
    (centre, square(&centre))
}

#[inline(always)]
fn square<R: Real>(v: &[R; 3]) -> R {
    v[0] * v[0] + (v[1] * v[1] + v[2] * v[2])
}

/// The closed form.
#[inline(always)]
fn near<R: Real>(offsets: &Offsets<R>, size: &[R; 3]) -> [R; COUNT] {
    let mut distances = [[[size[0]; 2]; 2]; 2];
    let [x, y, z] = offsets;
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                distances[i][j][k] = (x[i] * x[i] + y[j] * y[j] + z[k] * z[k]).sqrt();
            }
        }
    }
    let (mut jx, mut jy, mut jz) = ([[size[0]; 2]; 2], [[size[0]; 2]; 2], [[size[0]; 2]; 2]);
    let mut enu = R::constant(0.0);
    for a in 0..2 {
        for b in 0..2 {
            jx[a][b] = edge(x, size[0], [distances[0][a][b], distances[1][a][b]], y[a] * y[a] + z[b] * z[b]);
            jy[a][b] = edge(y, size[1], [distances[a][0][b], distances[a][1][b]], x[a] * x[a] + z[b] * z[b]);
            let ends = [distances[a][b][0], distances[a][b][1]];
            jz[a][b] = edge(z, size[2], ends, x[a] * x[a] + y[b] * y[b]);
            // 1/r at the upper end minus that at the lower one.
            let difference = -(size[2] * (z[0] + z[1])) / (ends[0] * ends[1] * (ends[0] + ends[1]));
            enu = if a == b { enu - difference } else { enu + difference };
        }
    }
    let (een, enn) = (differences(&jz, x, true), differences(&jz, y, false));
    let (eeu, euu) = (differences(&jy, x, true), differences(&jy, z, false));
    let (nnu, nuu) = (differences(&jx, y, true), differences(&jx, z, false));
    let mut values = [-(enn + euu), een, eeu, enn, enu, euu, -(een + nuu), nnu, nuu, -(eeu + nnu)];
    for value in &mut values {
        *value = R::select_less(value.abs(), R::constant(f64::INFINITY), *value, R::constant(f64::NAN));
    }
    values
}

/// Differences between opposite edges of their integrals times an offset.
///
/// # Arguments
/// * `integrals` – of the edges along one axis, by side along the two others
/// * `offsets` – along the first of the others, or along the second
#[inline(always)]
fn differences<R: Real>(integrals: &[[R; 2]; 2], offsets: &[R; 2], is_first: bool) -> R {
    let term = |a: usize, b: usize| offsets[if is_first { a } else { b }] * integrals[a][b];
    (term(1, 1) - term(1, 0)) - (term(0, 1) - term(0, 0))
}

/// Integral of 1/r³ along an edge, (z₁/r₁ - z₀/r₀)/d²; infinite or NaN on the edge.
///
/// # Arguments
/// * `along` – from the foot of the perpendicular through the point to both ends [m]; `length` – their difference [m]
/// * `ends` – distances from the point to the ends [m]; `distance2` – squared distance to the line of the edge [m²]
#[inline(always)]
fn edge<R: Real>(along: &[R; 2], length: R, ends: [R; 2], distance2: R) -> R {
    let zero = R::constant(0.0);
    let [low, high] = *along;
    // Beyond an end both terms have the same sign: multiplied by their sum, d² cancels.
    let beyond = length * (low + high) / ((high * ends[0] + low * ends[1]) * (ends[0] * ends[1]));
    let within = (high / ends[1] - low / ends[0]) / distance2;
    R::select_less(low, zero, R::select_less(zero, high, within, beyond), beyond)
}
