//! Relaxation of the moduli of a block: losses of its cells, and factors of its memory variables.

use craton_device::{AlignedVec, Scalar};

use crate::layout::{GROUP, Layout};

/// Memory variables of a set at a point: one per stress component.
pub const COMPONENTS: usize = 6;

/// Factors of a memory variable: decay, and the polynomials of Yκ and Yμ over loss.
pub const FACTORS: usize = 7;

/// Relaxation of the moduli of a block.
pub struct Relaxation<T: Scalar> {
    /// 1/Qκ of the cells [–], padded like the fields.
    pub bulk: AlignedVec<T>,
    /// 1/(μ Qμ) of the cells [1/Pa], with the same layout.
    pub shear: AlignedVec<T>,
    /// One entry per set of memory variables.
    pub sets: Vec<MemorySet<T>>,
}

impl<T: Scalar> Relaxation<T> {
    /// Bytes of the losses.
    pub fn bytes(&self) -> usize {
        self.bulk.bytes() + self.shear.bytes()
    }
}

/// A memory variable per stress component of each point. Its mechanism depends on whether the indices of the point are odd.
pub struct MemorySet<T> {
    /// Decay, then the polynomials of Yκ and Yμ, `[row and plane are odd][factor][lane]`.
    factors: [[[T; GROUP]; FACTORS]; 4],
}

impl<T: Scalar> MemorySet<T> {
    /// Creates the factors of a block.
    ///
    /// # Arguments
    /// * `factors` – those of the points with a global parity of indices: bit a is set if the index along axis a is odd
    pub fn new(layout: &Layout, factors: impl Fn(usize) -> [f64; FACTORS]) -> Self {
        let first = layout.first.map(|first| first % 2);
        let of_row = |row: usize| {
            let at = |lane: usize| {
                let local = [lane % 2, row % 2, row / 2];
                let parity = [0, 1, 2].map(|axis| (local[axis] + first[axis]) % 2);
                factors(parity[0] + 2 * parity[1] + 4 * parity[2])
            };
            let lanes: [[f64; FACTORS]; GROUP] = std::array::from_fn(at);
            std::array::from_fn(|factor| std::array::from_fn(|lane| T::from_f64(lanes[lane][factor])))
        };
        Self { factors: std::array::from_fn(of_row) }
    }

    /// Factors of the points of row (j, k), `[factor][lane]`.
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize) -> &[[T; GROUP]; FACTORS] {
        &self.factors[j % 2 + 2 * (k % 2)]
    }

    /// All factors for GPU kernels, `[parity of the local indices][factor]`.
    pub fn table(&self) -> Vec<T> {
        let of_parity = |parity: usize| (0..FACTORS).map(move |factor| self.factors[parity / 2][factor][parity % 2]);
        (0..8).flat_map(of_parity).collect()
    }
}
