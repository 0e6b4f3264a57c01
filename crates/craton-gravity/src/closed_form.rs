//! Closed-form gravity of a prism: logarithms of its twelve edges and solid angles of its six faces.
//!
//! With the integral of 1/r along each edge (E) and the solid angle of each face (Ω), the integral of 1/r over a face at distance x is P = [[y E]] + [[z E]] -
//! x Ω, double brackets meaning differences between opposite edges. Then V = ½ [x P] summed over the three axes, for 1/r is homogeneous; g = -[P], the diagonal
//! of the tensor is -[Ω], the rest are double differences of E. Source: Nagy, Papp and Benedek (2000), The gravitational potential and its derivatives for the
//! prism, Journal of Geodesy 74. Here the corners of each edge and face are combined analytically, which avoids cancellation near the lines and planes that
//! contain them.

use std::f64::consts::PI;
use std::ops::RangeFrom;

use craton_device::Lanes;

use crate::Fields;
use crate::elementary::{angle, ln_ratio};
use crate::fields::Needs;

/// Indices of the tensor components among all fields.
const TENSOR: RangeFrom<usize> = 4..;

/// Offsets from a point to the lower and upper bounds of a prism along x, y, z [m].
pub type Offsets<V> = [[V; 2]; 3];

/// Distances from a point to the corners [m].
type Corners<V> = [[[V; 2]; 2]; 2];

/// A term in two versions: finite, for attraction and potential, and for the tensor, NaN where it diverges.
#[derive(Clone, Copy)]
pub struct Term<V> {
    pub finite: V,
    tensor: V,
}

impl<V: Lanes<Scalar = f64>> Term<V> {
    /// A term that is not needed.
    #[inline(always)]
    fn none() -> Self {
        Self { finite: V::constant(0.0), tensor: V::constant(0.0) }
    }

    /// A term that is finite where `clearance` (never negative) is positive, and diverges where it is zero.
    #[inline(always)]
    fn limited(finite: V, clearance: V) -> Self {
        Self { finite, tensor: V::select_less(V::constant(0.0), clearance, finite, V::constant(f64::NAN)) }
    }
}

/// All fields of a prism at a point, in the order of [`crate::Field`], per unit of G times density; fields that `needs` does not cover are undefined.
///
/// # Arguments
/// * `size` – sides along x, y, z [m], more accurate than the differences of the offsets
/// # Domain and errors
/// On a face the tensor is the limit from outside. On an edge or corner exactly the components that diverge are NaN, or zero if `needs` leaves out edges.
/// Verified by `singular::on_edges_and_corners_only_divergent_components_are_nan`.
#[inline(always)]
pub fn closed_form<V: Lanes<Scalar = f64>>(offsets: &Offsets<V>, size: &[V; 3], needs: Needs) -> [V; 10] {
    let squares = squares(offsets);
    let corners = corners(&squares);
    let ex = edges::<V, 0>(offsets, &squares, size, &corners, needs);
    let ey = edges::<V, 1>(offsets, &squares, size, &corners, needs);
    let ez = edges::<V, 2>(offsets, &squares, size, &corners, needs);
    let ax = angles::<V, 0>(offsets, &corners, needs);
    let ay = angles::<V, 1>(offsets, &corners, needs);
    let az = angles::<V, 2>(offsets, &corners, needs);
    let px = faces(&offsets[0], &offsets[1], &offsets[2], &ez, &transposed(&ey), &ax);
    let py = faces(&offsets[1], &offsets[2], &offsets[0], &ex, &transposed(&ez), &ay);
    let pz = faces(&offsets[2], &offsets[0], &offsets[1], &ey, &transposed(&ex), &az);
    let moment = moment(&offsets[0], &px) + moment(&offsets[1], &py) + moment(&offsets[2], &pz);
    let mut fields = [
        V::constant(0.5) * moment,
        px[0] - px[1],
        py[0] - py[1],
        pz[0] - pz[1],
        ax[0].tensor - ax[1].tensor,
        double_difference(&ez),
        double_difference(&ey),
        ay[0].tensor - ay[1].tensor,
        double_difference(&ex),
        az[0].tensor - az[1].tensor,
    ];
    if needs.fields.leaves_out_edges() {
        for component in &mut fields[TENSOR] {
            *component = V::select_less(component.abs(), V::constant(f64::INFINITY), *component, V::constant(0.0));
        }
    }
    fields
}

/// All fields of a prism whose density is the height above the point [m], per unit of G times a density per metre, in the order of [`crate::Field`].
///
/// With the surface integrals of the divergence theorem, for a density ζ: V = ∮ N_z r dS, g = -∮ ζ N/r dS plus the potential of unit density along z, and T
/// in the same way. Over a face at height z the integral of r is a third of [[x R_y]] + [[y R_x]] + z² P, R being the integral of r along an edge. The trace of T
/// vanishes, as the density does at the point.
///
/// # Domain
/// Finite everywhere. Verified by `closed_form::tests::a_linear_density_has_the_fields_of_thin_slices`.
#[inline(always)]
pub fn height_form<V: Lanes<Scalar = f64>>(offsets: &Offsets<V>, size: &[V; 3]) -> [V; 10] {
    let needs = Needs::of(Fields::ALL);
    let unit = closed_form(offsets, size, needs);
    let squares = squares(offsets);
    let r = corners(&squares);
    let [x, y, z] = offsets;
    // `[y][z]`, and `[x][z]`.
    let ex = edges::<V, 0>(offsets, &squares, size, &r, needs);
    let ey = transposed(&edges::<V, 1>(offsets, &squares, size, &r, needs));
    let pz = faces(z, x, y, &transposed(&ey), &transposed(&ex), &angles::<V, 2>(offsets, &r, needs));
    let (mut rx, mut ry) = ([[x[0]; 2]; 2], [[x[0]; 2]; 2]);
    let half = V::constant(0.5);
    for a in 0..2 {
        for k in 0..2 {
            let along_x = x[1] * r[1][a][k] - x[0] * r[0][a][k];
            rx[a][k] = half * (along_x + (squares[1][a] + squares[2][k]) * ex[a][k].finite);
            let along_y = y[1] * r[a][1][k] - y[0] * r[a][0][k];
            ry[a][k] = half * (along_y + (squares[0][a] + squares[2][k]) * ey[a][k].finite);
        }
    }
    let face = |k: usize| {
        let around = (x[1] * ry[1][k] - x[0] * ry[0][k]) + (y[1] * rx[1][k] - y[0] * rx[0][k]);
        V::constant(1.0 / 3.0) * (around + squares[2][k] * pz[k])
    };
    let twice = |of: &[[V; 2]; 2]| (of[0][1] - of[0][0]) - (of[1][1] - of[1][0]);
    // Differences along z times the offset across, and differences across times the offset along z.
    let along = |x: &[V; 2], e: &[[Term<V>; 2]; 2]| {
        x[1] * (e[1][1].finite - e[1][0].finite) - x[0] * (e[0][1].finite - e[0][0].finite)
    };
    let across =
        |e: &[[Term<V>; 2]; 2]| z[1] * (e[1][1].finite - e[0][1].finite) - z[0] * (e[1][0].finite - e[0][0].finite);
    let plane = |i: usize| (r[i][1][1] - r[i][1][0]) - (r[i][0][1] - r[i][0][0]);
    let (ee, nn) = (along(x, &ey), along(y, &ex));
    [
        face(1) - face(0),
        twice(&ry),
        twice(&rx),
        unit[0] + (z[0] * pz[0] - z[1] * pz[1]),
        ee,
        plane(1) - plane(0),
        across(&ey) + unit[1],
        nn,
        across(&ex) + unit[2],
        -(ee + nn),
    ]
}

/// Difference of x P between the upper and the lower face.
#[inline(always)]
fn moment<V: Lanes<Scalar = f64>>(x: &[V; 2], faces: &[V; 2]) -> V {
    x[1] * faces[1] - x[0] * faces[0]
}

/// Contribution of the four edges along one axis to an off-diagonal tensor component.
#[inline(always)]
fn double_difference<V: Lanes<Scalar = f64>>(edges: &[[Term<V>; 2]; 2]) -> V {
    (edges[1][1].tensor - edges[1][0].tensor) - (edges[0][1].tensor - edges[0][0].tensor)
}

/// Squares of the offsets.
#[inline(always)]
fn squares<V: Lanes<Scalar = f64>>(offsets: &Offsets<V>) -> Offsets<V> {
    let mut squares = *offsets;
    for axis in 0..3 {
        for side in 0..2 {
            squares[axis][side] = offsets[axis][side] * offsets[axis][side];
        }
    }
    squares
}

/// Distances to the corners, from the squares of the offsets.
#[inline(always)]
fn corners<V: Lanes<Scalar = f64>>(squares: &Offsets<V>) -> Corners<V> {
    let [x, y, z] = squares;
    let mut corners = [[[x[0]; 2]; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                corners[i][j][k] = (x[i] + y[j] + z[k]).sqrt();
            }
        }
    }
    corners
}

/// The distance to the corner with index `i` along `AXIS`, `j` along the next axis and `k` along the one after it.
#[inline(always)]
fn corner<V: Copy, const AXIS: usize>(corners: &Corners<V>, i: usize, j: usize, k: usize) -> V {
    match AXIS {
        0 => corners[i][j][k],
        1 => corners[k][i][j],
        _ => corners[j][k][i],
    }
}

/// Integrals of 1/r along the four edges of `AXIS`, `[j][k]` along the next axis and the one after it.
#[inline(always)]
fn edges<V: Lanes<Scalar = f64>, const AXIS: usize>(
    offsets: &Offsets<V>,
    squares: &Offsets<V>,
    size: &[V; 3],
    corners: &Corners<V>,
    needs: Needs,
) -> [[Term<V>; 2]; 2] {
    let mut edges = [[Term::none(); 2]; 2];
    if needs.edges[AXIS] {
        let (second, third) = (&squares[(AXIS + 1) % 3], &squares[(AXIS + 2) % 3]);
        for j in 0..2 {
            for k in 0..2 {
                let ends = [corner::<V, AXIS>(corners, 0, j, k), corner::<V, AXIS>(corners, 1, j, k)];
                edges[j][k] = edge(&offsets[AXIS], size[AXIS], &ends, second[j] + third[k]);
            }
        }
    }
    edges
}

/// Integral of 1/r along an edge, ln((r₁ + r₀ + l)/(r₁ + r₀ - l)).
///
/// # Arguments
/// * `along` – from the foot of the perpendicular through the point to both ends [m]; `length` – their difference [m]
/// * `ends` – distances from the point to the ends [m]; `distance2` – squared distance to the line of the edge [m²]
#[inline(always)]
pub fn edge<V: Lanes<Scalar = f64>>(along: &[V; 2], length: V, ends: &[V; 2], distance2: V) -> Term<V> {
    let zero = V::constant(0.0);
    let [low, high] = *along;
    let (a, b) = (ends[0] + low.abs(), ends[1] + high.abs());
    // Neither sum cancels. The ratio is their product or their quotient, depending on whether the foot lies within the edge or beyond an end.
    let p = V::select_less(low, zero, V::select_less(zero, high, a * b, a), b);
    let q = V::select_less(low, zero, V::select_less(zero, high, distance2, b), a);
    let positive = V::constant(f64::MIN_POSITIVE);
    let integral = ln_ratio((p.max(positive), q.max(positive)), (length, ends[0] + ends[1]));
    Term::limited(integral, distance2.max(low.max(-high)))
}

/// Solid angles of both faces normal to `AXIS`, with the signs of the offsets.
#[inline(always)]
fn angles<V: Lanes<Scalar = f64>, const AXIS: usize>(
    offsets: &Offsets<V>,
    corners: &Corners<V>,
    needs: Needs,
) -> [Term<V>; 2] {
    if !needs.angles[AXIS] {
        return [Term::none(); 2];
    }
    let (zero, x) = (V::constant(0.0), &offsets[AXIS]);
    let (y, z) = (&offsets[(AXIS + 1) % 3], &offsets[(AXIS + 2) % 3]);
    // Distance of the foot of the perpendicular outside the face; negative inside.
    let outside = y[0].max(-y[1]).max(z[0].max(-z[1]));
    let low = solid_angle::<V, AXIS>(0, x[0].abs(), y, z, corners, outside);
    let high = solid_angle::<V, AXIS>(1, x[1].abs(), y, z, corners, outside);
    // In the plane of a face the angle is the limit from outside the prism.
    [
        Term::limited(V::select_less(x[0], zero, -low, low), x[0].abs().max(outside.abs())),
        Term::limited(V::select_less(zero, x[1], high, -high), x[1].abs().max(outside.abs())),
    ]
}

/// Solid angle of face `i` normal to `AXIS` at a distance `x`, 0 to 2π.
///
/// It is the argument of a product of four complex numbers, x r ± i y z at each corner. The argument can exceed π only where the foot of the perpendicular lies
/// inside the face: there all four arguments are positive, nothing cancels, and the sign of the imaginary part shows on which side of π the sum lies.
#[inline(always)]
fn solid_angle<V: Lanes<Scalar = f64>, const AXIS: usize>(
    i: usize,
    x: V,
    y: &[V; 2],
    z: &[V; 2],
    corners: &Corners<V>,
    outside: V,
) -> V {
    let r = [corner::<V, AXIS>(corners, i, 0, 0), corner::<V, AXIS>(corners, i, 1, 1)];
    let even = product([x * r[0], y[0] * z[0]], [x * r[1], y[1] * z[1]]);
    let r = [corner::<V, AXIS>(corners, i, 0, 1), corner::<V, AXIS>(corners, i, 1, 0)];
    // Both enter with a negative sign, hence the conjugate below.
    let odd = product([x * r[0], y[0] * z[1]], [x * r[1], y[1] * z[0]]);
    let [re, im] = product(even, [odd[0], -odd[1]]);
    let size = angle(im, re);
    let zero = V::constant(0.0);
    V::select_less(zero, im, size, V::select_less(zero, outside, -size, V::constant(2.0 * PI) - size))
}

/// Product of complex numbers.
#[inline(always)]
fn product<V: Lanes<Scalar = f64>>([a, b]: [V; 2], [c, d]: [V; 2]) -> [V; 2] {
    [a.mul_add(c, -(b * d)), a.mul_add(d, b * c)]
}

/// Integrals of 1/r over both faces normal to x.
///
/// # Arguments
/// * `along_z` – edges along z, `[x][y]`; `along_y` – edges along y, `[x][z]`
#[inline(always)]
fn faces<V: Lanes<Scalar = f64>>(
    x: &[V; 2],
    y: &[V; 2],
    z: &[V; 2],
    along_z: &[[Term<V>; 2]; 2],
    along_y: &[[Term<V>; 2]; 2],
    angles: &[Term<V>; 2],
) -> [V; 2] {
    let mut integrals = *x;
    for i in 0..2 {
        let from_z = y[1] * along_z[i][1].finite - y[0] * along_z[i][0].finite;
        let from_y = z[1] * along_y[i][1].finite - z[0] * along_y[i][0].finite;
        integrals[i] = from_z + from_y - x[i] * angles[i].finite;
    }
    integrals
}

#[inline(always)]
fn transposed<T: Copy>([[a, b], [c, d]]: &[[T; 2]; 2]) -> [[T; 2]; 2] {
    [[*a, *c], [*b, *d]]
}

#[cfg(test)]
mod tests;
