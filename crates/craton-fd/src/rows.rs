//! Rows of cells along x in and around a block: copies of material, losses and kinds.

use craton_device::Scalar;

use crate::boundary::Boundaries;
use crate::layout::Layout;
use crate::medium::{Material, Medium, Stored};

/// The rows of a plane of a block and its halo.
///
/// # Arguments
/// * `plane` – number of the plane, from the lowest of the halo on
/// # Returns
/// For each row the grid index of its first cell in the block, and its index in the plane.
pub fn rows_around(layout: &Layout, plane: usize) -> impl Iterator<Item = ([i64; 3], usize)> {
    let halo = layout.halo as i64;
    let [x, y, z] = layout.first.map(|i| i as i64);
    let rows = -halo..layout.cells[1] as i64 + halo;
    rows.map(move |j| ([x, y + j, z + plane as i64 - halo], layout.at([0, j, -halo])))
}

/// The cells of the halo at both ends of a row: their indices in the grid and in the plane.
///
/// # Arguments
/// * `first` – grid index of the first cell of the row in the block
/// * `at` – its index in the plane
pub fn ends_of_row(layout: &Layout, first: [i64; 3], at: usize) -> impl Iterator<Item = ([i64; 3], usize)> {
    let (halo, n) = (layout.halo as i64, layout.cells[0] as i64);
    let ends = (-halo..0).chain(n..n + halo);
    ends.map(move |i| ([first[0] + i, first[1], first[2]], (at as i64 + i) as usize))
}

impl<T: Scalar> Medium<T> {
    /// Copies λ, 1/μ and ρ of a row of cells along x, of which the first is at any index along y and z, as [`Self::beyond`].
    pub(crate) fn copy_row(&self, boundaries: &Boundaries, first: [i64; 3], row: [&mut [T]; 3]) {
        let Some((inside, wall)) = boundaries.cell_at(&self.grid, first) else {
            let Stored { lambda, inverse_mu, rho, .. } = Stored::new(Material::AIR);
            return row.into_iter().zip([lambda, inverse_mu, rho]).for_each(|(row, part)| row.fill(part));
        };
        let place = self.window.place(inside);
        let [lambda, inverse_mu, rho] = row;
        lambda.copy_from_slice(&self.cells[0][place..][..lambda.len()]);
        inverse_mu.copy_from_slice(&self.cells[1][place..][..inverse_mu.len()]);
        match wall {
            Some(_) => rho.fill(T::from_f64(f64::INFINITY)),
            None => rho.copy_from_slice(&self.cells[2][place..][..rho.len()]),
        }
    }

    /// Copies the losses of a row of cells, as [`Self::copy_row`].
    pub(crate) fn copy_losses(&self, boundaries: &Boundaries, first: [i64; 3], row: [&mut [T]; 2]) {
        let inside = boundaries.cell_at(&self.grid, first);
        let Some((losses, (inside, _))) = self.losses.as_ref().zip(inside) else {
            return row.into_iter().for_each(|row| row.fill(T::default()));
        };
        let place = self.window.place(inside);
        row.into_iter().zip(&losses.cells).for_each(|(row, own)| row.copy_from_slice(&own[place..][..row.len()]));
    }

    /// 1/Qκ [–] and 1/(μ Qμ) [1/Pa] of the cell at any index, as [`Self::beyond`]; zeros in air.
    pub(crate) fn losses_beyond(&self, cell: [i64; 3], boundaries: &Boundaries) -> [T; 2] {
        let inside = boundaries.cell_at(&self.grid, cell);
        let Some((losses, (inside, _))) = self.losses.as_ref().zip(inside) else { return [T::default(); 2] };
        let place = self.window.place(inside);
        [0, 1].map(|part| losses.cells[part][place])
    }
}
