//! The element kernel: gradient, law and divergence on a batch of elements.
//!
//! It computes the zeta derivative of the whole batch first; then, plane by plane, derivatives in the plane, the law at each point, and the
//! divergence in the plane, where the flux along zeta overwrites the zeta derivative; last, column by column, the divergence of that flux. The
//! working set of a plane thus stays in registers and the L1 cache. Along absorbing axes, derivatives and forces are filtered (`pml.rs`).

use craton_device::Lanes;
use craton_physics::{metric, physical_gradient};

use crate::geometry::{ControlNodes, PlaneGeometry, RowGeometry};
use crate::pml::{Filtered, Stretch};
use crate::tables::Tables;

/// The axes of the reference cube.
const XI: usize = 0;
const ETA: usize = 1;
const ZETA: usize = 2;

/// Values of a batch on a row of points, `[i][component]`.
pub type Row<V, const N: usize, const C: usize> = [[V; C]; N];
/// On a plane, `[j][i][component]`.
pub type Plane<V, const N: usize, const C: usize> = [Row<V, N, C>; N];
/// On an element, `[k][j][i][component]`.
pub type Cube<V, const N: usize, const C: usize> = [Plane<V, N, C>; N];

/// The law of a batch, whose nodes have `C` unknowns.
pub trait PointLaw<V: Lanes, const C: usize> {
    /// The flux at a point from the gradient there, `[reference axis][component]`. It is linear in the gradient.
    ///
    /// # Arguments
    /// * `xi` – reference coordinates of the point
    /// * `cofactors` – see [`metric`]
    /// * `gradient` – `[component][j]`
    fn flux(
        &mut self,
        point: [usize; 3],
        xi: [V::Scalar; 3],
        cofactors: [[V; 3]; 3],
        gradient: [[V; 3]; C],
    ) -> [[V; C]; 3];
}

/// Computes the forces -K u of a batch, which `emit` receives point by point. `u` is overwritten, `work` need not be initialised; the memory
/// variables of the law advance by one step.
#[inline(always)]
pub fn stiffness<V: Lanes, P: PointLaw<V, C>, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    control_nodes: &ControlNodes<V, G>,
    (law, stretching): (&mut P, &mut impl Stretch<V>),
    u: &mut Cube<V, N, C>,
    work: &mut Cube<V, N, C>,
    mut emit: impl FnMut(usize, [V; C]),
) {
    let n = tables.along();
    derive_along_zeta(tables, u, work);
    stretch_along_zeta(stretching, n, work);
    for k in 0..n {
        let plane = PlaneGeometry::new(tables, control_nodes, k);
        let mut flux_eta = [[[V::constant(0.0); C]; N]; N];
        let mut force = [[[V::constant(0.0); C]; N]; N];
        for j in 0..n {
            let mut gradient_xi = derive_row(tables, &u[k][j]);
            let mut gradient_eta = derive_across(tables, &u[k], j);
            if stretching.is_absorbing(ETA) {
                stretch_row(stretching, (ETA, Filtered::Derivative), [j, k], n, &mut gradient_eta);
            }
            if stretching.is_absorbing(XI) {
                stretch_row(stretching, (XI, Filtered::Derivative), [j, k], n, &mut gradient_xi);
            }
            let row = plane.row(tables, j);
            let mut flux_xi = gradient_xi;
            for i in 0..n {
                let reference = [gradient_xi[i], gradient_eta[i], work[k][j][i]];
                let flux = point_flux(tables, law, &row, reference, [i, j, k]);
                [flux_xi[i], flux_eta[j][i], work[k][j][i]] = flux;
            }
            force[j] = diverge_row(tables, &flux_xi);
            if stretching.is_absorbing(XI) {
                stretch_row(stretching, (XI, Filtered::Force), [j, k], n, &mut force[j]);
            }
        }
        diverge_along_eta(tables, stretching, k, (&flux_eta, &force), &mut u[k]);
    }
    diverge_along_zeta(tables, stretching, u, work, &mut emit);
}

/// Filters derivatives along zeta, if it absorbs.
#[inline(always)]
fn stretch_along_zeta<V: Lanes, const N: usize, const C: usize>(
    stretching: &mut impl Stretch<V>,
    n: usize,
    derivative: &mut Cube<V, N, C>,
) {
    if stretching.is_absorbing(ZETA) {
        for k in 0..n {
            for j in 0..n {
                stretch_row(stretching, (ZETA, Filtered::Derivative), [j, k], n, &mut derivative[k][j]);
            }
        }
    }
}

/// Adds the divergence along eta of the fluxes of plane `k` to its forces, into `out`; filtered if eta absorbs.
#[inline(always)]
fn diverge_along_eta<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    stretching: &mut impl Stretch<V>,
    k: usize,
    (flux, force): (&Plane<V, N, C>, &Plane<V, N, C>),
    out: &mut Plane<V, N, C>,
) {
    if !stretching.is_absorbing(ETA) {
        return diverge_across(tables, flux, force, out);
    }
    diverge_across(tables, flux, &[[[V::constant(0.0); C]; N]; N], out);
    let n = tables.along();
    for j in 0..n {
        stretch_row(stretching, (ETA, Filtered::Force), [j, k], n, &mut out[j]);
        add_row(&mut out[j], &force[j], n);
    }
}

/// Filters the values of a row of points along xi, see [`Stretch::filter`].
#[inline(always)]
fn stretch_row<V: Lanes, const N: usize, const C: usize>(
    stretching: &mut impl Stretch<V>,
    (axis, what): (usize, Filtered),
    [j, k]: [usize; 2],
    n: usize,
    row: &mut Row<V, N, C>,
) {
    for i in 0..n {
        row[i] = stretching.filter(axis, what, [i, j, k], row[i]);
    }
}

/// Adds a row of values to another.
#[inline(always)]
fn add_row<V: Lanes, const N: usize, const C: usize>(row: &mut Row<V, N, C>, added: &Row<V, N, C>, n: usize) {
    for i in 0..n {
        for c in 0..C {
            row[i][c] = row[i][c] + added[i][c];
        }
    }
}

/// Fluxes along xi, eta, zeta at one point, quadrature weight included, from the derivatives along the reference axes.
#[inline(always)]
fn point_flux<V: Lanes, P: PointLaw<V, C>, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    law: &mut P,
    row: &RowGeometry<V, G>,
    along: [[V; C]; 3],
    [i, j, k]: [usize; 3],
) -> [[V; C]; 3] {
    let (cofactors, det) = metric(row.jacobian(tables, i));
    let mut by_component = [[V::constant(0.0); 3]; C];
    for c in 0..C {
        by_component[c] = [along[0][c], along[1][c], along[2][c]];
    }
    // The flux is linear in the gradient, so multiplying the gradient by the quadrature weight costs no extra operation.
    let weight = tables.minus_weight[k][j][i];
    let gradient = physical_gradient(cofactors, V::splat(weight) / det, by_component);
    let xi = [tables.points[i], tables.points[j], tables.points[k]];
    law.flux([i, j, k], xi, cofactors, gradient)
}

/// d u / d zeta, column by column.
#[inline(always)]
fn derive_along_zeta<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    u: &Cube<V, N, C>,
    out: &mut Cube<V, N, C>,
) {
    let n = tables.along();
    for j in 0..n {
        for i in 0..n {
            let column = column_of(u, [i, j], n);
            let derived = derive_row(tables, &column);
            for k in 0..n {
                out[k][j][i] = derived[k];
            }
        }
    }
}

/// The values at the points (i, j) of all planes.
#[inline(always)]
fn column_of<V: Lanes, const N: usize, const C: usize>(
    all: &Cube<V, N, C>,
    [i, j]: [usize; 2],
    n: usize,
) -> Row<V, N, C> {
    let mut column = [[V::constant(0.0); C]; N];
    for k in 0..n {
        column[k] = all[k][j][i];
    }
    column
}

/// Derivative along a line of points.
#[inline(always)]
fn derive_row<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    line: &Row<V, N, C>,
) -> Row<V, N, C> {
    let n = tables.along();
    let mut derived = [[V::constant(0.0); C]; N];
    for m in 0..n {
        for i in 0..n {
            accumulate(&mut derived[i], m == 0, V::splat(tables.derivative[i][m]), line[m]);
        }
    }
    derived
}

/// Transposed derivative along a line of points.
#[inline(always)]
fn diverge_row<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    line: &Row<V, N, C>,
) -> Row<V, N, C> {
    let n = tables.along();
    let mut force = [[V::constant(0.0); C]; N];
    for i in 0..n {
        for m in 0..n {
            accumulate(&mut force[m], i == 0, V::splat(tables.derivative[i][m]), line[i]);
        }
    }
    force
}

/// d u / d eta on row j of a plane.
#[inline(always)]
fn derive_across<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    u: &Plane<V, N, C>,
    j: usize,
) -> Row<V, N, C> {
    let n = tables.along();
    let mut derived = [[V::constant(0.0); C]; N];
    for m in 0..n {
        let factor = V::splat(tables.derivative[j][m]);
        for i in 0..n {
            accumulate(&mut derived[i], m == 0, factor, u[m][i]);
        }
    }
    derived
}

/// Adds the divergence along eta of a plane of fluxes to `force`, into `out`.
#[inline(always)]
fn diverge_across<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    flux: &Plane<V, N, C>,
    force: &Plane<V, N, C>,
    out: &mut Plane<V, N, C>,
) {
    let n = tables.along();
    for i in 0..n {
        let mut sum = [[V::constant(0.0); C]; N];
        for m in 0..n {
            sum[m] = force[m][i];
        }
        for j in 0..n {
            for m in 0..n {
                accumulate(&mut sum[m], false, V::splat(tables.derivative[j][m]), flux[j][i]);
            }
        }
        for m in 0..n {
            out[m][i] = sum[m];
        }
    }
}

/// Adds the divergence along zeta to `force` and passes the sums to `emit`.
#[inline(always)]
fn diverge_along_zeta<V: Lanes, const N: usize, const G: usize, const C: usize>(
    tables: &Tables<V::Scalar, N, G>,
    stretching: &mut impl Stretch<V>,
    force: &Cube<V, N, C>,
    flux: &Cube<V, N, C>,
    emit: &mut impl FnMut(usize, [V; C]),
) {
    let n = tables.along();
    for j in 0..n {
        for i in 0..n {
            let column = column_of(force, [i, j], n);
            let is_absorbing = stretching.is_absorbing(ZETA);
            let mut sum = if is_absorbing { [[V::constant(0.0); C]; N] } else { column };
            for m in 0..n {
                for k in 0..n {
                    accumulate(&mut sum[k], false, V::splat(tables.derivative[m][k]), flux[m][j][i]);
                }
            }
            if is_absorbing {
                for k in 0..n {
                    sum[k] = stretching.filter(ZETA, Filtered::Force, [i, j, k], sum[k]);
                }
                add_row(&mut sum, &column, n);
            }
            for k in 0..n {
                emit(i + n * (j + n * k), sum[k]);
            }
        }
    }
}

/// `sum += factor * value`, or `sum = factor * value` if `begin`.
#[inline(always)]
fn accumulate<V: Lanes, const C: usize>(sum: &mut [V; C], begin: bool, factor: V, value: [V; C]) {
    for c in 0..C {
        sum[c] = if begin { factor * value[c] } else { factor.mul_add(value[c], sum[c]) };
    }
}
