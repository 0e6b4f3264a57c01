//! The stencil of each point, stored for groups of points along x.
//!
//! For each of its nine derivatives, a group has a *pattern*: the stencils of its points, whose coefficients are in a table, lane by lane. Nine
//! patterns form a *class*. A group stores only the number of its class: four bytes for
//! sixteen points. All groups far from interfaces share class 0, which needs no table.
//! Interfaces, topography and sides therefore cost the kernel only these numbers.

use craton_device::{AlignedVec, Scalar};

use crate::layout::{GROUP, Layout};

/// Patterns of a class: that of the derivative of row c along axis a at `3 c + a`.
pub type Pattern = [u32; 9];

/// The stencils of all points of a block for one half of the step.
pub struct Classes<T: Scalar> {
    /// Class of each group, `[k][j][group]`.
    groups: Vec<u32>,
    rows: usize,
    per_row: usize,
    patterns: Vec<Pattern>,
    /// Coefficients of each pattern divided by the spacing [1/m], `[m][p, q, r][lane]`.
    taps: AlignedVec<T>,
    pattern_len: usize,
}

impl<T: Scalar> Classes<T> {
    /// Creates the stencils of a block.
    ///
    /// # Arguments
    /// * `groups` – class of each group, `[k][j][group]`; 0 far from all interfaces
    /// * `patterns` – patterns of each class
    /// * `taps` – coefficients of all patterns divided by the spacing [1/m], `[pattern][m][p, q, r][lane]`
    pub fn new(layout: &Layout, groups: Vec<u32>, patterns: Vec<Pattern>, taps: AlignedVec<T>) -> Self {
        let [_, rows, _] = layout.extent();
        Self { groups, rows, per_row: layout.groups(), patterns, taps, pattern_len: 3 * layout.halo * GROUP }
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

    /// Coefficients of all patterns, `[pattern][m][p, q, r][lane]` [1/m].
    pub fn taps(&self) -> &[T] {
        &self.taps
    }

    /// Frees the memory, once the tables have been copied elsewhere.
    pub fn release(&mut self) {
        (self.groups, self.patterns, self.taps) = (Vec::new(), Vec::new(), AlignedVec::zeroed(0));
    }

    /// Coefficients of derivative `3 c + a` of row c along axis a, `[m][p, q, r][lane]`; `None` if it is regular at all points of the group, as in
    /// class 0.
    #[inline(always)]
    pub fn folded(&self, class: u32, derivative: usize) -> Option<&[T]> {
        let pattern = self.patterns[class as usize][derivative];
        let is_folded = pattern != self.patterns[0][derivative];
        is_folded.then(|| &self.taps[pattern as usize * self.pattern_len..][..self.pattern_len])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.groups.len() + 36 * self.patterns.len() + self.taps.bytes()
    }
}
