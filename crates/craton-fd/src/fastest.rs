//! The largest speed of a medium, which limits the time step.

use craton_device::Scalar;
use rayon::prelude::*;

use crate::boundary::{Boundaries, Side};
use crate::medium::{Material, Medium, Stored};
use crate::stability::{square_speed, square_speed_between};

/// Cells whose densities are compared at a time.
const LANES: usize = 8;

/// Rows along x that equal the row before them along y.
pub struct Repeats {
    /// By the number of the row in the window.
    repeats: Vec<bool>,
}

impl Repeats {
    /// Whether all rows at some offsets along y and z from a row are in the grid and repeat.
    pub fn around<T: Scalar>(
        &self,
        medium: &Medium<T>,
        [j, k]: [usize; 2],
        offsets: impl IntoIterator<Item = [i64; 2]>,
    ) -> bool {
        let row = |[along_y, along_z]: [i64; 2]| medium.row_number([j as i64 + along_y, k as i64 + along_z]);
        offsets.into_iter().all(|offset| row(offset).is_some_and(|number| self.repeats[number]))
    }
}

impl<T: Scalar> Medium<T> {
    /// Number of a row of the window, if this rank holds it.
    fn row_number(&self, row: [i64; 2]) -> Option<usize> {
        let [j, k] = row.map(|i| usize::try_from(i).ok());
        let (j, k) = (j?, k?);
        let [x, ..] = self.window.indices();
        let is_inside = j < self.grid.cells[1] && k < self.grid.cells[2];
        is_inside.then(|| self.window.find([*x.first()?, j, k]))?.map(|place| place / self.window.row_len())
    }

    /// The rows of the window that equal the row before them along y, with their mixtures; computed once.
    pub(crate) fn repeats(&self) -> &Repeats {
        self.repeats.get_or_init(|| {
            let [x, y, _] = self.window.indices();
            let len = x.len().max(1);
            let of_row = |number: usize| {
                let (place, k) = (number % y.len(), self.window.indices()[2][number / y.len()]);
                if place == 0 || y[place - 1] + 1 != y[place] {
                    return false;
                }
                let (own, before) = (number * len, (number - 1) * len);
                // Bytes are compared faster than numbers.
                let alike = self.cells.iter().all(|part| {
                    let row = |start: usize| bytemuck::cast_slice::<T, u8>(&part[start..start + len]);
                    row(own) == row(before)
                });
                alike && self.have_equal_mixtures([y[place - 1], y[place]], k)
            };
            Repeats { repeats: (0..self.window.len() / len).into_par_iter().map(of_row).collect() }
        })
    }

    /// Whether two rows at indices along y have the same mixtures.
    fn have_equal_mixtures(&self, rows: [usize; 2], k: usize) -> bool {
        let n = self.grid.cells[0];
        let [one, other] = rows.map(|j| (self.grid.number([0, j, k]), self.mixtures_of_row([0, j, k], n)));
        let pairs = || one.1.iter().zip(other.1);
        one.1.len() == other.1.len()
            && pairs().all(|(a, b)| a.0 - one.0 == b.0 - other.0)
            && pairs().all(|(a, b)| a.1 == b.1)
    }

    /// Square of the largest speed in the grid [m²/s²].
    pub(crate) fn fastest(&self, boundaries: &Boundaries) -> f64 {
        if let Some(shared) = &self.shared {
            return shared.fastest;
        }
        let of_all = || self.fastest_in(boundaries, [0; 3], self.grid.cells);
        match self.fastest.get_or_init(|| (*boundaries, of_all())) {
            (known, fastest) if known == boundaries => *fastest,
            _ => of_all(),
        }
    }

    /// Square of the largest speed in a block of cells [m²/s²].
    ///
    /// The exact value is computed only in cells whose speed with their neighbours may exceed that of any cell alone. Rows that repeat the one before them are
    /// skipped.
    pub(crate) fn fastest_in(&self, boundaries: &Boundaries, first: [usize; 3], cells: [usize; 3]) -> f64 {
        const CROSS: [[i64; 2]; 5] = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]];
        let repeats = self.repeats();
        let rows: Vec<[usize; 2]> = (0..cells[1] * cells[2])
            .into_par_iter()
            .map(|row| [first[1] + row % cells[1], first[2] + row / cells[1]])
            .filter(|&row| row[0] == first[1] || !repeats.around(self, row, CROSS))
            .collect();
        let range = |[j, k]: [usize; 2]| {
            let start = self.window.place([first[0], j, k]);
            start..start + cells[0]
        };
        let greatest = |of_row: &(dyn Fn([usize; 2]) -> f64 + Sync)| {
            rows.par_iter().map(|&row| of_row(row)).reduce(|| 0.0, f64::max)
        };
        let alone = greatest(&|row| {
            let runs = self.runs(range(row));
            runs.map(|run| square_speed_between(&self.at(run.start), f64::INFINITY)).fold(0.0, f64::max)
        });
        let lightest = self.lightest();
        let between = greatest(&|[j, k]| {
            let of_row = range([j, k]);
            let of_run = |run: std::ops::Range<usize>| {
                let own = self.at(run.start);
                let i = first[0] + run.start - of_row.start;
                let may_be_faster = square_speed_between(&own, lightest) > alone
                    && self
                        .lightest_around(boundaries, [i, j, k], run.len(), &own)
                        .is_none_or(|lightest| square_speed_between(&own, lightest) > alone);
                let exact = |i: usize| square_speed(self, boundaries, [i, j, k]);
                if may_be_faster { (i..i + run.len()).map(exact).fold(0.0, f64::max) } else { 0.0 }
            };
            self.runs(of_row.clone()).map(of_run).fold(0.0, f64::max)
        });
        alone.max(between).max(self.fastest_mixture(boundaries, first, cells))
    }

    /// Runs of equal cells in a range of places in the window.
    fn runs(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
        let [lambda, inverse_mu, rho] = &self.cells;
        let mut start = range.start;
        std::iter::from_fn(move || {
            if start >= range.end {
                return None;
            }
            let is_own = |at: &usize| {
                lambda[*at] == lambda[start] && inverse_mu[*at] == inverse_mu[start] && rho[*at] == rho[start]
            };
            let end = (start + 1..range.end).find(|at| !is_own(at)).unwrap_or(range.end);
            let run = start..end;
            start = end;
            Some(run)
        })
    }

    /// Density of the lightest cell of the window that is not air [kg/m³].
    fn lightest(&self) -> f64 {
        let (repeats, len) = (&self.repeats().repeats, self.window.row_len());
        let of_row = |number: usize| {
            let [lambda, inverse_mu, rho] = self.cells.each_ref().map(|part| &part[number * len..][..len]);
            let mut least = [f64::INFINITY; LANES];
            for ((lambda, inverse_mu), rho) in lambda.chunks(LANES).zip(inverse_mu.chunks(LANES)).zip(rho.chunks(LANES))
            {
                for (lane, ((lambda, inverse_mu), rho)) in lambda.iter().zip(inverse_mu).zip(rho).enumerate() {
                    let is_matter = inverse_mu.to_f64() < f64::INFINITY || lambda.to_f64() != 0.0;
                    let rho = if is_matter { rho.to_f64() } else { f64::INFINITY };
                    least[lane] = if rho < least[lane] { rho } else { least[lane] };
                }
            }
            least.into_iter().fold(f64::INFINITY, f64::min)
        };
        let rows = (0..repeats.len()).into_par_iter().filter(|&number| !repeats[number]);
        rows.map(of_row).reduce(|| f64::INFINITY, f64::min)
    }

    /// Lower bound of the densities that the speed of a run of cells along x depends on [kg/m³]; `None` at a periodic side.
    fn lightest_around(
        &self,
        boundaries: &Boundaries,
        [i, j, k]: [usize; 3],
        count: usize,
        own: &Stored<T>,
    ) -> Option<f64> {
        // A face to air counts with at most the buoyancy of the cell.
        let air = T::from_f64(Material::AIR.rho);
        let of_matter = |rho: &T| if *rho > air { rho.to_f64() } else { f64::INFINITY };
        let least = |cells: &[T]| cells.iter().map(of_matter).fold(f64::INFINITY, f64::min);
        let mut lightest = own.rho.to_f64();
        for side in 0..6 {
            let (axis, is_upper) = (side / 2, side % 2 == 1);
            let mut cell = [i, j, k];
            if is_upper && axis == 0 {
                cell[0] += count - 1;
            }
            let is_last = if is_upper { cell[axis] + 1 == self.grid.cells[axis] } else { cell[axis] == 0 };
            if is_last {
                match boundaries.sides[side] {
                    // Air is beyond, or a density that is that of the cell or infinite.
                    Side::Layer(_) | Side::Rigid | Side::Paraxial | Side::Free => continue,
                    Side::Periodic => return None,
                }
            }
            cell[axis] = if is_upper { cell[axis] + 1 } else { cell[axis] - 1 };
            let start = self.window.place(cell);
            lightest = lightest.min(least(&self.cells[2][start..start + if axis == 0 { 1 } else { count }]));
        }
        Some(lightest)
    }

    /// Square of the largest speed at the cells of a block with several solids and at the cells below them along each axis [m²/s²].
    fn fastest_mixture(&self, boundaries: &Boundaries, first: [usize; 3], cells: [usize; 3]) -> f64 {
        let repeats = self.repeats();
        let is_repeated = |[_, j, k]: [usize; 3]| {
            let near = (-2..=1).flat_map(|along_z| (-2..=1).map(move |along_y| [along_y, along_z]));
            j > first[1] && repeats.around(self, [j, k], near)
        };
        let of_row = |[i, j, k]: [usize; 3]| {
            let mixed = self.mixtures_of_row([i, j, k], cells[0]);
            if mixed.is_empty() || is_repeated([i, j, k]) {
                return 0.0;
            }
            self.square_speed_of_mixtures(boundaries, [j, k], mixed)
        };
        if self.has_mixtures() {
            let row = |row: usize| of_row([first[0], first[1] + row % cells[1], first[2] + row / cells[1]]);
            (0..cells[1] * cells[2]).into_par_iter().map(row).reduce(|| 0.0, f64::max)
        } else {
            0.0
        }
    }
}
