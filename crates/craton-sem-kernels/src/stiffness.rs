//! The element kernel: gradient, law and divergence on a batch of elements.
//!
//! It computes the zeta derivative of the whole batch first; then, plane by plane, derivatives in the plane, the law at each point, and the
//! divergence in the plane, where the flux along zeta overwrites the zeta derivative; last, column by column, the divergence of that flux. The
//! working set of a plane thus stays in registers and the L1 cache.

use craton_device::Lanes;
use craton_physics::{Law, metric, physical_gradient, reference_flux, unit_axis};

use crate::geometry::{ControlNodes, PlaneGeometry, RowGeometry};
use crate::relaxation::Relaxing;
use crate::tables::Tables;

/// Values of a batch on a row of points, `[i][component]`.
pub type Row<V, const N: usize> = [[V; 3]; N];
/// On a plane, `[j][i][component]`.
pub type Plane<V, const N: usize> = [Row<V, N>; N];
/// On an element, `[k][j][i][component]`.
pub type Cube<V, const N: usize> = [Plane<V, N>; N];

/// Geometry and material of a batch.
pub struct Batch<'a, V, const G: usize> {
    /// Control nodes of its elements.
    pub control_nodes: &'a ControlNodes<V, G>,
    /// Parameters of the law, `[point][parameter]`, or `[parameter]` if they do not vary inside an element.
    pub material: &'a [V],
    /// Distance between the parameters of successive points: 0 if they do not vary.
    pub material_stride: usize,
    /// Coefficients of the symmetry axis; see [`unit_axis`].
    pub axis: [[V; 3]; 4],
}

/// Computes the forces -K u of a batch, which `emit` receives point by point. `u` is overwritten, `work` need not be initialised; the memory
/// variables advance by one step.
#[inline(always)]
pub fn stiffness<V: Lanes, L: Law, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    batch: &Batch<V, G>,
    relaxing: &mut Relaxing<V>,
    u: &mut Cube<V, N>,
    work: &mut Cube<V, N>,
    mut emit: impl FnMut(usize, [V; 3]),
) {
    derive_along_zeta(tables, u, work);
    for k in 0..N {
        let plane = PlaneGeometry::new(tables, batch.control_nodes, k);
        let mut flux_eta = [[[V::constant(0.0); 3]; N]; N];
        let mut force = [[[V::constant(0.0); 3]; N]; N];
        for j in 0..N {
            let gradient_xi = derive_row(tables, &u[k][j]);
            let gradient_eta = derive_across(tables, &u[k], j);
            let row = plane.row(tables, j);
            let mut flux_xi = gradient_xi;
            for i in 0..N {
                let reference = [gradient_xi[i], gradient_eta[i], work[k][j][i]];
                let point = Point { i, j, k };
                let flux = point_flux::<V, L, N, G>(tables, batch, relaxing, &row, reference, point);
                [flux_xi[i], flux_eta[j][i], work[k][j][i]] = flux;
            }
            force[j] = diverge_row(tables, &flux_xi);
        }
        diverge_across(tables, &flux_eta, &force, &mut u[k]);
    }
    diverge_along_zeta(tables, u, work, &mut emit);
}

/// A point of an element.
#[derive(Clone, Copy)]
struct Point {
    i: usize,
    j: usize,
    k: usize,
}

/// Fluxes along xi, eta, zeta at one point, quadrature weight included, from the derivatives along the reference axes.
#[inline(always)]
fn point_flux<V: Lanes, L: Law, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    batch: &Batch<V, G>,
    relaxing: &mut Relaxing<V>,
    row: &RowGeometry<V, G>,
    [along_xi, along_eta, along_zeta]: [[V; 3]; 3],
    Point { i, j, k }: Point,
) -> [[V; 3]; 3] {
    let point = i + N * (j + N * k);
    let (cofactors, det) = metric(row.jacobian(tables, i));
    let by_component = [0, 1, 2].map(|c| [along_xi[c], along_eta[c], along_zeta[c]]);
    // The stress is linear in the gradient, so multiplying the gradient by the quadrature weight costs no extra operation.
    let weight = tables.minus_weight[k][j][i];
    let gradient = physical_gradient(cofactors, V::splat(weight) / det, by_component);
    let parameters = &batch.material[point * batch.material_stride..];
    let axis = match L::HAS_AXIS {
        true => unit_axis(batch.axis, [i, j, k].map(|m| V::splat(tables.points[m]))),
        false => batch.axis[0],
    };
    let unrelaxed = L::stress(|q| parameters[q], axis, gradient);
    reference_flux(cofactors, relaxing.apply([i, j, k], N, gradient, unrelaxed))
}

/// d u / d zeta, column by column.
#[inline(always)]
fn derive_along_zeta<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    u: &Cube<V, N>,
    out: &mut Cube<V, N>,
) {
    for j in 0..N {
        for i in 0..N {
            let column: Row<V, N> = std::array::from_fn(|k| u[k][j][i]);
            let derived = derive_row(tables, &column);
            for k in 0..N {
                out[k][j][i] = derived[k];
            }
        }
    }
}

/// Derivative along a line of points.
#[inline(always)]
fn derive_row<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    line: &Row<V, N>,
) -> Row<V, N> {
    let mut derived = [[V::constant(0.0); 3]; N];
    for m in 0..N {
        for i in 0..N {
            accumulate(&mut derived[i], m == 0, V::splat(tables.derivative[i][m]), line[m]);
        }
    }
    derived
}

/// Transposed derivative along a line of points.
#[inline(always)]
fn diverge_row<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    line: &Row<V, N>,
) -> Row<V, N> {
    let mut force = [[V::constant(0.0); 3]; N];
    for i in 0..N {
        for m in 0..N {
            accumulate(&mut force[m], i == 0, V::splat(tables.derivative[i][m]), line[i]);
        }
    }
    force
}

/// d u / d eta on row j of a plane.
#[inline(always)]
fn derive_across<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    u: &Plane<V, N>,
    j: usize,
) -> Row<V, N> {
    let mut derived = [[V::constant(0.0); 3]; N];
    for m in 0..N {
        let factor = V::splat(tables.derivative[j][m]);
        for i in 0..N {
            accumulate(&mut derived[i], m == 0, factor, u[m][i]);
        }
    }
    derived
}

/// Adds the divergence along eta of a plane of fluxes to `force`, into `out`.
#[inline(always)]
fn diverge_across<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    flux: &Plane<V, N>,
    force: &Plane<V, N>,
    out: &mut Plane<V, N>,
) {
    for i in 0..N {
        let mut sum: Row<V, N> = std::array::from_fn(|m| force[m][i]);
        for j in 0..N {
            for m in 0..N {
                accumulate(&mut sum[m], false, V::splat(tables.derivative[j][m]), flux[j][i]);
            }
        }
        for m in 0..N {
            out[m][i] = sum[m];
        }
    }
}

/// Adds the divergence along zeta to `force` and passes the sums to `emit`.
#[inline(always)]
fn diverge_along_zeta<V: Lanes, const N: usize, const G: usize>(
    tables: &Tables<V::Scalar, N, G>,
    force: &Cube<V, N>,
    flux: &Cube<V, N>,
    emit: &mut impl FnMut(usize, [V; 3]),
) {
    for j in 0..N {
        for i in 0..N {
            let mut sum: Row<V, N> = std::array::from_fn(|k| force[k][j][i]);
            for m in 0..N {
                for k in 0..N {
                    accumulate(&mut sum[k], false, V::splat(tables.derivative[m][k]), flux[m][j][i]);
                }
            }
            for k in 0..N {
                emit(i + N * (j + N * k), sum[k]);
            }
        }
    }
}

/// `sum += factor * value`, or `sum = factor * value` if `begin`.
#[inline(always)]
fn accumulate<V: Lanes>(sum: &mut [V; 3], begin: bool, factor: V, value: [V; 3]) {
    for c in 0..3 {
        sum[c] = if begin { factor * value[c] } else { factor.mul_add(value[c], sum[c]) };
    }
}
