//! The stencil of each point, and the factors of points with several solids, stored for groups of points along x.
//!
//! For each of its nine derivatives, a group has the *stencils* of its points, whose coefficients are in a table, lane by lane; where the volumes of
//! its points contain several solids, it has factors that multiply the derivatives in another table. Together they are the *pattern* of a *class*. A group
//! stores only the number of its class: four bytes for sixteen points. All groups far from interfaces share class 0, which needs no table.
//! Interfaces, topography and sides therefore cost the kernel only these numbers.

use craton_device::{AlignedVec, Scalar};

use crate::layout::{GROUP, Layout};

/// Indices of the stencils and factors of a class in their tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Stencils of the derivative of row c along axis a at `3 c + a`.
    pub stencils: [u32; 9],
    /// Index of the factors that multiply the derivatives, counted from 1; 0 if there are none.
    pub mixing: u32,
}

impl Pattern {
    /// The nine stencil indices, followed by that of the factors, as GPU kernels read them.
    pub fn numbers(&self) -> [u32; 10] {
        let [a, b, c, d, e, f, g, h, i] = self.stencils;
        [a, b, c, d, e, f, g, h, i, self.mixing]
    }
}

/// The stencils of all points of a block for one half of the step.
pub struct Classes<T: Scalar> {
    /// Class of each group, `[k][j][group]`.
    groups: Vec<u32>,
    rows: usize,
    per_row: usize,
    patterns: Vec<Pattern>,
    /// Coefficients of each stencil divided by the spacing [1/m], `[m][p, q, r][lane]`.
    taps: AlignedVec<T>,
    stencil_len: usize,
    /// Factors that multiply the derivatives, `[mixing][factor][lane]` [–].
    factors: AlignedVec<T>,
}

impl<T: Scalar> Classes<T> {
    /// Creates the stencils of a block.
    ///
    /// # Arguments
    /// * `groups` – class of each group, `[k][j][group]`; 0 far from all interfaces
    /// * `patterns` – patterns of each class
    /// * `taps` – coefficients of all stencils divided by the spacing [1/m], `[stencil][m][p, q, r][lane]`
    /// * `factors` – that multiply the derivatives, `[mixing][factor][lane]` [–]
    pub fn new(
        layout: &Layout,
        groups: Vec<u32>,
        patterns: Vec<Pattern>,
        taps: AlignedVec<T>,
        factors: AlignedVec<T>,
    ) -> Self {
        let [_, rows, _] = layout.extent();
        Self { groups, rows, per_row: layout.groups(), patterns, taps, stencil_len: 3 * layout.halo * GROUP, factors }
    }

    /// Classes of the groups of row (j, k).
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize) -> &[u32] {
        &self.groups[(k * self.rows + j) * self.per_row..][..self.per_row]
    }

    /// Class of each group, `[k][j][group]`; 0 far from all interfaces.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Patterns of each class.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Coefficients of all stencils, `[stencil][m][p, q, r][lane]` [1/m].
    pub fn taps(&self) -> &[T] {
        &self.taps
    }

    /// Factors that multiply the derivatives, `[mixing][factor][lane]` [–].
    pub fn factors(&self) -> &[T] {
        &self.factors
    }

    /// Frees the memory, once the tables have been copied elsewhere.
    pub fn release(&mut self) {
        (self.groups, self.patterns) = (Vec::new(), Vec::new());
        (self.taps, self.factors) = (AlignedVec::zeroed(0), AlignedVec::zeroed(0));
    }

    /// Coefficients of derivative `3 c + a` of row c along axis a, `[m][p, q, r][lane]`; `None` if it is regular at all points of the group, as in
    /// class 0.
    #[inline(always)]
    pub fn folded(&self, class: u32, derivative: usize) -> Option<&[T]> {
        let stencil = self.patterns[class as usize].stencils[derivative];
        let is_folded = stencil != self.patterns[0].stencils[derivative];
        is_folded.then(|| &self.taps[stencil as usize * self.stencil_len..][..self.stencil_len])
    }

    /// Factors that multiply the derivatives, `[factor][lane]`; `None` if no volume of the group contains several solids.
    ///
    /// # Arguments
    /// * `count` – of factors, [`crate::Update::MIXING`]
    #[inline(always)]
    pub fn mixing(&self, class: u32, count: usize) -> Option<&[[T; GROUP]]> {
        let mixing = self.patterns[class as usize].mixing as usize;
        (mixing > 0).then(|| &self.factors.as_chunks().0[(mixing - 1) * count..][..count])
    }

    /// The factor that multiplies the derivatives of velocity component c at an index of the arrays, if these are the stencils of velocities [–].
    pub fn factor(&self, layout: &Layout, at: usize, c: usize) -> T {
        let [i, j, k] = layout.point(at);
        let class = self.row(j, k)[i / GROUP];
        self.mixing(class, 3).map_or(T::from_f64(1.0), |factors| factors[c][i % GROUP])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.groups.len() + size_of::<Pattern>() * self.patterns.len() + self.taps.bytes() + self.factors.bytes()
    }
}
