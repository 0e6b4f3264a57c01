//! The Jacobian at the points of an element, contracted from its control nodes axis by axis.
//!
//! Nothing is stored per point: a plane of constant zeta contracts over the third axis, a row over the second, a point over the first.

use craton_device::Lanes;

use crate::tables::Tables;

/// Control nodes of a batch, `[c][b][a]`, relative to a point of each element.
pub type ControlNodes<V, const G: usize> = [[[[V; 3]; G]; G]; G];

/// Positions and their zeta derivatives on a plane of constant zeta, `[b][a]`.
pub struct PlaneGeometry<V, const G: usize> {
    position: [[[V; 3]; G]; G],
    along_zeta: [[[V; 3]; G]; G],
}

/// Positions and their eta and zeta derivatives on a row of constant eta and zeta, `[a]`.
pub struct RowGeometry<V, const G: usize> {
    position: [[V; 3]; G],
    along_eta: [[V; 3]; G],
    along_zeta: [[V; 3]; G],
}

impl<V: Lanes, const G: usize> PlaneGeometry<V, G> {
    /// The plane zeta = zeta_k.
    #[inline(always)]
    pub fn new<const N: usize>(tables: &Tables<V::Scalar, N, G>, nodes: &ControlNodes<V, G>, k: usize) -> Self {
        let zero = [[[V::constant(0.0); 3]; G]; G];
        let mut plane = Self { position: zero, along_zeta: zero };
        for b in 0..G {
            for a in 0..G {
                let column: [[V; 3]; G] = std::array::from_fn(|c| nodes[c][b][a]);
                plane.position[b][a] = contract(&tables.shape[k], &column);
                plane.along_zeta[b][a] = contract(&tables.shape_derivative[k], &column);
            }
        }
        plane
    }

    /// The row eta = eta_j of the plane.
    #[inline(always)]
    pub fn row<const N: usize>(&self, tables: &Tables<V::Scalar, N, G>, j: usize) -> RowGeometry<V, G> {
        let zero = [[V::constant(0.0); 3]; G];
        let mut row = RowGeometry { position: zero, along_eta: zero, along_zeta: zero };
        for a in 0..G {
            let position: [[V; 3]; G] = std::array::from_fn(|b| self.position[b][a]);
            let along_zeta: [[V; 3]; G] = std::array::from_fn(|b| self.along_zeta[b][a]);
            row.position[a] = contract(&tables.shape[j], &position);
            row.along_eta[a] = contract(&tables.shape_derivative[j], &position);
            row.along_zeta[a] = contract(&tables.shape[j], &along_zeta);
        }
        row
    }
}

impl<V: Lanes, const G: usize> RowGeometry<V, G> {
    /// `jacobian[axis][i]` = d x_i / d xi_axis at point i of the row.
    #[inline(always)]
    pub fn jacobian<const N: usize>(&self, tables: &Tables<V::Scalar, N, G>, i: usize) -> [[V; 3]; 3] {
        [
            contract(&tables.shape_derivative[i], &self.position),
            contract(&tables.shape[i], &self.along_eta),
            contract(&tables.shape[i], &self.along_zeta),
        ]
    }
}

/// The sum of vectors times scalar factors.
#[inline(always)]
fn contract<V: Lanes, const G: usize>(factors: &[V::Scalar; G], vectors: &[[V; 3]; G]) -> [V; 3] {
    let first = V::splat(factors[0]);
    let mut sum = vectors[0].map(|x| first * x);
    for a in 1..G {
        let factor = V::splat(factors[a]);
        for c in 0..3 {
            sum[c] = factor.mul_add(vectors[a][c], sum[c]);
        }
    }
    sum
}
